//! Lines and areas over a common x axis: the ground they stand on, and how they are drawn.

use kurbo::{Affine, BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Rules, date};
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::category::Names;
use crate::frame::curves::{Along, Curve};
use crate::frame::line_labels;
use crate::frame::time::TimeAxis;
use crate::frame::{Frame, Look};
use crate::scale::{Band, Linear};
use crate::scene::{Form, Stroke};
use crate::shape::curve;
use crate::shape::curve::Join;

/// How the space under a line is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Not at all.
    Open,
    /// Down to zero, see-through.
    Filled,
    /// Down to the layer below, opaque.
    Layered,
}

/// Draws the curves with axes and names.
pub fn draw(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    (along, curves, ground): (&Along, &[Curve], Ground),
    (rules, format): (&Rules, &NumberFormat),
) {
    let look = &frame.look;
    let naming = line_labels::plan(chart, look, scene, frame.area, curves, ground);
    let mut area = naming.area;
    area.y0 += axis::title(chart, look, scene, area) + look.label * 0.4;
    let tops = curves.iter().flat_map(|it| it.tops.iter().flatten());
    let all = tops.chain(curves.iter().flat_map(|it| &it.bottoms)).copied();
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let range = all.fold(start, |(low, high), it| (low.min(it), high.max(it)));
    let zero = if ground == Ground::Open { Zero::WhenNear } else { Zero::Always };
    let lengths = (area.height(), axis::row_spacing(look));
    let values = Values::new(chart, look, range, zero, lengths, rules);
    let left = values.width(look).min(area.width() * 0.4);
    let sides = (area.x0 + left, (area.x1 - naming.gutter).max(area.x0 + left + 1.0));
    let below = Below::new(chart, look, along, sides, area.height() * 0.4);
    let bottom = (area.y1 - below.height(look)).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let y = Linear { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::ruled(chart, look), plot, &y);
    below.draw(scene, look, plot);
    let places: Vec<Placed> = curves.iter().map(|it| Placed::new(it, &below, along, &y)).collect();
    let clipped = outside(range, values.domain);
    if clipped {
        scene.push(Form::Clip(plot.inflate(0.0, 1.0)));
    }
    draw_curves(chart, look, scene, (&places, curves, ground), y.at(0.0));
    if clipped {
        scene.push(Form::EndClip);
    }
    if values.domain.0 <= 0.0 && values.domain.1 >= 0.0 {
        axis::base_line(scene, look, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    pointers(scene, &places, curves, format, along, chart);
    line_labels::values(chart, look, scene, plot, (&places, curves), format);
    line_labels::names(look, scene, plot, (&places, curves), &naming, &y);
}

/// Whether some value lies beyond the ends that the settings gave the axis.
fn outside(range: (f64, f64), domain: (f64, f64)) -> bool {
    range.0 < domain.0 || range.1 > domain.1
}

/// The x axis under the plot.
enum Below {
    Names(Names, Band),
    Moments(TimeAxis),
}

impl Below {
    fn new(chart: &Chart, look: &Look, along: &Along, sides: (f64, f64), most: f64) -> Below {
        match along {
            Along::Moments(moments) => {
                Below::Moments(TimeAxis::over(moments, sides, look, chart.language()))
            }
            Along::Names(names) => {
                // The first and the last point stand on the edges of the plot.
                let count = names.len().max(1);
                let step = (sides.1 - sides.0) / (count.max(2) - 1) as f64;
                let half = if count == 1 { 0.0 } else { step / 2.0 };
                let range = (sides.0 - half, sides.1 + half);
                let band = Band { count, range, padding: 0.0, most: f64::INFINITY };
                Below::Names(Names::plan(names, step, most, look), band)
            }
        }
    }

    fn height(&self, look: &Look) -> f64 {
        match self {
            Below::Names(names, _) => names.height,
            Below::Moments(axis) => axis.height(look),
        }
    }

    fn draw(&self, scene: &mut Scene, look: &Look, plot: Rect) {
        match self {
            Below::Names(names, band) => names.draw(scene, look, plot, band),
            Below::Moments(axis) => {
                axis.draw_marks(scene, look, plot.y1);
                axis.draw_labels(scene, look, plot.y1);
            }
        }
    }

    fn at(&self, along: &Along, index: usize) -> f64 {
        match (self, along) {
            (Below::Names(_, band), _) => band.center(index),
            (Below::Moments(axis), Along::Moments(moments)) => axis.x.at(moments[index]),
            (Below::Moments(axis), Along::Names(_)) => axis.x.at(0.0),
        }
    }
}

/// A curve as points of the canvas.
pub struct Placed {
    /// Where the line runs.
    pub tops: Vec<Option<Point>>,
    bottoms: Vec<Point>,
}

impl Placed {
    fn new(curve: &Curve, below: &Below, along: &Along, y: &Linear) -> Placed {
        let point = |(index, top): (usize, &Option<f64>)| {
            top.map(|top| Point::new(below.at(along, index), y.at_free(top)))
        };
        let tops = curve.tops.iter().enumerate().map(point).collect();
        let base =
            |(index, value): (usize, &f64)| Point::new(below.at(along, index), y.at_free(*value));
        Placed { tops, bottoms: curve.bottoms.iter().enumerate().map(base).collect() }
    }
}

fn draw_curves(
    chart: &Chart,
    look: &Look,
    scene: &mut Scene,
    (places, curves, ground): (&[Placed], &[Curve], Ground),
    zero: f64,
) {
    let join = Join::parse(chart.word("interpolation"));
    let points = curves.iter().map(|it| it.tops.len()).max().unwrap_or(0);
    let width = look.unit * if points > 300 { 1.5 } else { 2.25 };
    for (placed, curve) in places.iter().zip(curves) {
        let color = curve.series.color;
        scene.tag("line", None, || (Some(curve.series.key.clone()), curve.series.title.clone()));
        if ground == Ground::Layered {
            layer(scene, look, placed, color, join);
            continue;
        }
        for run in curve::runs(&placed.tops) {
            let run = curve::thinned(run);
            if ground == Ground::Filled {
                let mut path = BezPath::new();
                curve::join(&mut path, &run, join, true);
                let (first, last) = (run[0], run[run.len() - 1]);
                path.line_to((last.x, zero));
                path.line_to((first.x, zero));
                path.close_path();
                scene.fill(path, color.with_opacity(0.22));
            }
            let stroke = Stroke::new(line_color(color, look), width).rounded();
            draw_run(scene, run, join, stroke);
        }
        if chart.flag("showPoints", false) && placed.tops.len() <= 200 {
            for point in placed.tops.iter().flatten() {
                let rim = Stroke::new(look.background, look.unit);
                scene.circle(*point, width * 1.5, line_color(color, look), Some(rim));
            }
        }
    }
    scene.untag();
}

/// Draws a line through points without a gap; a single one becomes a dot.
pub fn draw_run(scene: &mut Scene, run: Vec<Point>, join: Join, stroke: Stroke) {
    if let [only] = run.as_slice() {
        scene.circle(*only, stroke.width * 1.2, stroke.color, None);
    }
    if join == Join::Linear {
        scene.push(Form::Polyline { points: run, stroke });
    } else {
        let mut line = BezPath::new();
        curve::join(&mut line, &run, join, true);
        scene.stroke(line, stroke);
    }
}

/// Thin marks need more contrast with the ground than filled ones.
pub fn line_color(color: Color, look: &Look) -> Color {
    color.readable_on(look.background, 2.4)
}

/// A stacked layer, parted from its neighbours by a hair of background.
fn layer(scene: &mut Scene, look: &Look, placed: &Placed, color: Color, join: Join) {
    let tops = curve::thinned(placed.tops.iter().flatten().copied().collect());
    // Smooth and stepped curves run the same way backwards when mirrored.
    let mirrored = |points: &[Point]| -> Vec<Point> {
        points.iter().rev().map(|it| Point::new(-it.x, it.y)).collect()
    };
    let bottoms = curve::thinned(placed.bottoms.clone());
    let mut path = BezPath::new();
    curve::join(&mut path, &tops, join, true);
    let mut back = BezPath::new();
    match join {
        // A step backwards has to turn at the other end of its level part.
        Join::Step => {
            let mut forth = BezPath::new();
            curve::join(&mut forth, &bottoms, join, true);
            back = forth.reverse_subpaths();
        }
        _ => {
            curve::join(&mut back, &mirrored(&bottoms), join, true);
            back.apply_affine(Affine::scale_non_uniform(-1.0, 1.0));
        }
    }
    for element in back.elements() {
        match *element {
            kurbo::PathEl::MoveTo(to) => path.line_to(to),
            other => path.push(other),
        }
    }
    if tops.len() > 1 {
        path.close_path();
        let rim = Stroke::new(look.background, 0.75 * look.unit);
        scene.push(Form::Path { path, fill: Some(color), stroke: Some(rim) });
    } else if let (Some(top), Some(bottom)) = (tops.first(), bottoms.first()) {
        let half = 2.0 * look.unit;
        scene.rect(
            Rect::new(top.x - half, top.y.min(bottom.y), top.x + half, top.y.max(bottom.y)),
            color,
        );
    }
}

/// Invisible dots that pointers can rest on, when the picture is interactive and not crowded.
fn pointers(
    scene: &mut Scene,
    places: &[Placed],
    curves: &[Curve],
    format: &NumberFormat,
    along: &Along,
    chart: &Chart,
) {
    let count: usize = places.iter().map(|it| it.tops.len()).sum();
    if !scene.interactive {
        return;
    }
    const REACH: f64 = 5.0;
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height).inset(-REACH);
    let all = count <= 2000;
    for (placed, curve) in places.iter().zip(curves) {
        for (index, point) in placed.tops.iter().enumerate() {
            let (Some(point), Some(value)) = (point, curve.values[index]) else { continue };
            // An axis with an end of its own leaves points out.
            if !canvas.contains(*point) || !all && !scene.wants(curve.rows[index]) {
                continue;
            }
            scene.tag("point", Some(curve.rows[index]), || {
                let place = match along {
                    Along::Names(names) => names[index].to_string(),
                    Along::Moments(moments) => {
                        date::day_text(moments[index], true, chart.language())
                    }
                };
                let tip = format!("{}, {place}: {}", curve.series.title, format.text(value));
                (Some(curve.series.key.clone()), tip)
            });
            scene.circle(*point, REACH, curve.series.color.with_opacity(0.0), None);
        }
    }
    scene.untag();
}
