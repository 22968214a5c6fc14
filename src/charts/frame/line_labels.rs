//! Names at the ends of lines (or a legend where they do not fit), and values at their points.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::Look;
use crate::frame::curves::Curve;
use crate::frame::legend;
use crate::frame::lines;
use crate::frame::lines::{Ground, Placed};
use crate::scale::Linear;
use crate::scene::{ASCENT, Anchor, CENTER, DESCENT, Stroke, Text};
use crate::text;

/// How the lines are named, decided before the plot has its width.
pub struct Naming {
    /// What is left of the area; less than before when a legend was drawn.
    pub area: Rect,
    /// Width kept free right of the plot.
    pub gutter: f64,
    direct: bool,
}

/// More lines than this get a legend: names at the ends would crowd.
const MOST_DIRECT: usize = 8;

/// Chooses between names at the ends and a legend, and draws the latter.
pub fn plan(
    chart: &Chart,
    look: &Look,
    scene: &mut Scene,
    area: Rect,
    curves: &[Curve],
    ground: Ground,
) -> Naming {
    let none = Naming { area, gutter: 0.0, direct: false };
    if curves.len() < 2 || !chart.flag("showLegend", true) {
        return none;
    }
    let widest =
        curves.iter().map(|it| look.width(&it.series.title, look.label)).fold(0.0, f64::max);
    let gutter = widest + 12.0 * look.unit;
    let height = curves.len() as f64 * look.label * 1.25;
    if curves.len() <= MOST_DIRECT && gutter <= area.width() * 0.27 && height <= area.height() * 0.6
    {
        return Naming { area, gutter, direct: true };
    }
    // In the order in which the lines end, or from the top of the stack.
    let mut order: Vec<&Curve> = curves.iter().collect();
    let last = |it: &Curve| it.tops.iter().rev().flatten().next().copied().unwrap_or(f64::MIN);
    order.sort_by(|one, two| last(two).total_cmp(&last(one)));
    let color = |it: &Curve| match ground {
        Ground::Layered => it.series.color,
        _ => lines::line_color(it.series.color, look),
    };
    let area =
        legend::draw(scene, look, area, order.iter().map(|it| (&*it.series.title, color(it))));
    Naming { area, ..none }
}

/// Writes the names right of the plot, each at the end of its line, pushed apart.
pub fn names(
    look: &Look,
    scene: &mut Scene,
    plot: Rect,
    (places, curves): (&[Placed], &[Curve]),
    naming: &Naming,
    y: &Linear,
) {
    if !naming.direct {
        return;
    }
    let size = look.label;
    let mut ends: Vec<(f64, f64, usize)> = Vec::new();
    for (index, (placed, curve)) in places.iter().zip(curves).enumerate() {
        let Some(at) = placed.tops.iter().rposition(Option::is_some) else { continue };
        let Some(top) = placed.tops[at] else { continue };
        // A layer is named at its middle, a line at its end.
        let height = curve.bottoms.get(at).map_or(top.y, |it| (top.y + y.at(*it)) / 2.0);
        let height = height.clamp(plot.y0, plot.y1);
        ends.push((height, height, index));
    }
    ends.sort_by(|one, two| one.0.total_cmp(&two.0));
    push_apart(&mut ends, size * 1.15, (plot.y0, plot.y1));
    let gap = 8.0 * look.unit;
    for (wanted, place, index) in ends {
        let color = curves[index].series.color;
        if (wanted - place).abs() > size * 0.9 {
            let stroke = Stroke::new(color.mix(look.background, 0.4), 1.0);
            scene.line(
                Point::new(plot.x1 + 2.0, wanted),
                Point::new(plot.x1 + gap - 2.0, place),
                stroke,
            );
        }
        let room = naming.gutter - gap;
        let name = text::fit(&curves[index].series.title, room + 0.1, size, look.face());
        let set = look.text(plot.x1 + gap, place + CENTER * size, Anchor::Start, size, &name);
        scene.text(Text { color: color.readable_on(look.background, 4.5), ..set });
    }
}

/// Moves sorted places so that neighbours keep their distance, within both ends if there is room.
fn push_apart(places: &mut [(f64, f64, usize)], distance: f64, (low, high): (f64, f64)) {
    let mut least = low;
    for place in places.iter_mut() {
        place.1 = place.1.max(least);
        least = place.1 + distance;
    }
    let mut most = high;
    for place in places.iter_mut().rev() {
        place.1 = place.1.min(most);
        most = place.1 - distance;
    }
}

/// Writes the values over their points (`showValues`): all of a series, or none where one would
/// touch another text or leave the canvas.
pub fn values(
    chart: &Chart,
    look: &Look,
    scene: &mut Scene,
    plot: Rect,
    (places, curves): (&[Placed], &[Curve]),
    format: &NumberFormat,
) {
    let points = places.iter().map(|it| it.tops.len()).max().unwrap_or(0);
    if !chart.flag("showValues", false) || points > 60 {
        return;
    }
    let size = look.small;
    let mut taken: Vec<Rect> = scene.text_boxes().map(|it| it.1).collect();
    for (placed, curve) in places.iter().zip(curves) {
        let mut labels = Vec::with_capacity(points);
        for (point, value) in placed.tops.iter().zip(&curve.values) {
            let (Some(point), Some(value)) = (point, value) else { continue };
            let words = format.text(*value);
            let half = look.width(&words, size) / 2.0;
            let x = point.x.clamp(plot.x0 + half, (plot.x1 - half).max(plot.x0 + half));
            let above = point.y - size * 0.6;
            let y =
                if above - ASCENT * size < plot.y0 - size { point.y + size * 1.5 } else { above };
            let set = look.text(x, y, Anchor::Middle, size, &words);
            let color = curve.series.color.readable_on(look.background, 4.5);
            labels.push(Text { color, halo: Some(look.background), ..set });
        }
        let boxes: Vec<Rect> = labels.iter().map(Text::bounds).collect();
        let touches = |one: &Rect, two: &Rect| one.inflate(1.0, 0.0).overlaps(*two);
        let free = boxes.windows(2).all(|pair| !touches(&pair[0], &pair[1]))
            && boxes.iter().all(|it| !taken.iter().any(|other| touches(it, other)))
            && boxes.iter().all(|it| it.y1 + DESCENT <= scene.height);
        if free {
            taken.extend(boxes);
            labels.into_iter().for_each(|it| scene.text(it));
        }
    }
}
