//! Several criteria on spokes round a centre; each series is an outline over them.
//!
//! Record: `criterion` (or `label`) and a number for each series. A missing number leaves a gap in
//! the outline. Settings: `series`, `shape` (`polygon`, `circle`), `showValues` (one series only),
//! `showLegend`, `showGrid`, `axis` (`min`, `max`).

mod names;

use std::f64::consts::{FRAC_PI_2, TAU};

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{Anchor, Primitive, Stroke, Text};

use names::Name;

/// The radar chart.
pub const KIND: Kind = Kind { slug: "radar", draw };

/// More outlines than this over each other cannot be read.
const MOST_OUTLINES: usize = 8;
/// More spokes than this are not told apart.
const MOST_SPOKES: usize = 200;

/// A series with a value, or none, for each criterion.
struct Outline {
    series: Series,
    values: Vec<Option<f64>>,
}

/// Where the spokes stand.
struct Web {
    center: Point,
    /// Values to distances from the centre.
    scale: LinearScale,
    spokes: usize,
    round: bool,
}

impl Web {
    /// Direction of a spoke; the first one points up.
    fn direction(&self, spoke: usize) -> (f64, f64) {
        direction(spoke, self.spokes)
    }

    fn at(&self, spoke: usize, distance: f64) -> Point {
        let (x, y) = self.direction(spoke);
        Point::new(self.center.x + x * distance, self.center.y + y * distance)
    }
}

/// Unit vector of a spoke among so many.
fn direction(spoke: usize, spokes: usize) -> (f64, f64) {
    let angle = TAU * spoke as f64 / spokes.max(1) as f64 - FRAC_PI_2;
    let (sin, cos) = angle.sin_cos();
    (cos, sin)
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let mut names: Vec<String> = chart.data.iter().map(|it| criterion(it).into_owned()).collect();
    if names.len() > MOST_SPOKES {
        scene.warn(format!("Only the first {MOST_SPOKES} criteria are drawn."));
        names.truncate(MOST_SPOKES);
    }
    let outlines = read(chart, names.len(), scene);
    let all = || outlines.iter().flat_map(|it| it.values.iter().flatten()).copied();
    let Some(first) = outlines.first() else { return frame::draw_no_data(frame, scene) };
    let rules = chart.format_rules(&first.series.key);
    let format = NumberFormat::for_values(all(), &rules, chart.locale());
    describe(&outlines, &names, &format, scene);
    let mut area = frame.area;
    let mut taken = None;
    if outlines.len() > 1 && chart.bool_setting("showLegend", true) {
        let entry = |it: &Outline| style.readable_line_color(it.series.color);
        let entries = outlines.iter().map(|it| (&*it.series.title, entry(it)));
        let before = scene.shapes.len();
        area = legend::draw(scene, style, area, entries);
        let words = scene.shapes.iter().skip(before).filter_map(|it| match &it.primitive {
            Primitive::Text(text) => Some(text.bounds()),
            _ => None,
        });
        taken = words.reduce(|one, two| one.union(two)).map(|it| Rect { x0: area.x0, ..it });
    }
    let told = (outlines.len() == 1 && chart.bool_setting("showValues", true))
        .then_some((&first.values, &format));
    let round = chart.str_setting("shape") == "circle" || names.len() < 3;
    // The web takes the room beside the legend where the two keep apart.
    let beside = taken.map(|it| (it, names::place(&names, told, (frame.area, round), style)));
    let beside = beside.filter(|(legend, it)| names::keep_clear(it, *legend, style));
    let (names, center, radius) = match beside {
        Some((_, placed)) => placed,
        None => names::place(&names, told, (area, round), style),
    };
    let range = all().fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)));
    let lengths = (radius, 26.0 * style.unit);
    let values = ValueAxis::new(chart, style, range, IncludeZero::Always, lengths, &rules);
    let scale = LinearScale { domain: values.domain, range: (0.0, radius) };
    let web = Web { center, scale, spokes: names.len(), round };
    if chart.bool_setting("showGrid", true) {
        rings(&web, &values, radius, style, scene);
    }
    for outline in &outlines {
        draw_outline(outline, &web, outlines.len(), style, scene);
    }
    points(&outlines, &web, (&names, &format), style, scene);
    names::write(&names, &web, radius, style, scene);
    ticks(&web, &values, &outlines, style, scene);
}

/// The name of a record's criterion.
fn criterion(record: &serde_json::Value) -> std::borrow::Cow<'_, str> {
    match data::field(record, "criterion") {
        it if it.is_null() => data::record_label(record),
        it => data::display_text(it),
    }
}

fn read(chart: &Chart, spokes: usize, scene: &mut Scene) -> Vec<Outline> {
    let outline = |series: Series| {
        let value = |it| data::number(data::field(it, &series.key));
        let values = chart.data.iter().take(spokes).map(value).collect();
        Outline { series, values }
    };
    let all = chart.series().into_iter().filter(|it| it.key != "criterion").map(outline);
    let mut all: Vec<Outline> = all.filter(|it| it.values.iter().any(Option::is_some)).collect();
    if all.len() > MOST_OUTLINES {
        scene.warn(format!("Only the first {MOST_OUTLINES} series are drawn."));
        all.truncate(MOST_OUTLINES);
    }
    all
}

fn describe(outlines: &[Outline], names: &[String], format: &NumberFormat, scene: &mut Scene) {
    let points = || {
        outlines.iter().flat_map(|outline| {
            let named = outline.values.iter().zip(names);
            named.filter_map(move |(value, name)| Some(((*value)?, name, &outline.series.title)))
        })
    };
    let lowest = points().min_by(|one, two| one.0.total_cmp(&two.0));
    let highest = points().max_by(|one, two| one.0.total_cmp(&two.0));
    if let (Some(low), Some(high)) = (lowest, highest) {
        scene.description = format!(
            "Radar chart of {} criteria and {} series, from {} ({}, {}) to {} ({}, {}).",
            names.len(),
            outlines.len(),
            format.text(low.0),
            low.2,
            low.1,
            format.text(high.0),
            high.2,
            high.1,
        );
    }
}

fn rings(web: &Web, values: &ValueAxis, radius: f64, style: &ChartStyle, scene: &mut Scene) {
    let stroke = Stroke::new(style.grid_color, 1.0);
    // The web ends with a ring, unless the last one is near.
    let last = values.ticks.values.last().map_or(0.0, |it| web.scale.at(*it));
    let outer = (last < radius * 0.8).then_some(values.domain.1);
    for value in values.ticks.values.iter().copied().chain(outer) {
        let distance = web.scale.at(value);
        if distance < 1.0 {
            continue;
        }
        let zero = value == 0.0 && values.domain.0 < 0.0;
        let stroke = if zero { Stroke::new(style.axis_color, 1.0) } else { stroke };
        if web.round {
            scene.push(Primitive::Circle {
                center: web.center,
                radius: distance,
                fill: None,
                stroke: Some(stroke),
            });
        } else {
            scene.stroke(closed((0..web.spokes).map(|it| web.at(it, distance))), stroke);
        }
    }
    // So many spokes would fill the centre.
    if web.spokes <= 60 {
        for spoke in 0..web.spokes {
            scene.line(web.center, web.at(spoke, radius), stroke);
        }
    }
}

fn closed(points: impl Iterator<Item = Point>) -> BezPath {
    let mut path = BezPath::new();
    for (index, point) in points.enumerate() {
        if index == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    if !path.is_empty() {
        path.close_path();
    }
    path
}

fn draw_outline(outline: &Outline, web: &Web, count: usize, style: &ChartStyle, scene: &mut Scene) {
    let color = style.readable_line_color(outline.series.color);
    let place =
        |(spoke, value): (usize, &Option<f64>)| value.map(|it| web.at(spoke, web.scale.at(it)));
    let places: Vec<Option<Point>> = outline.values.iter().enumerate().map(place).collect();
    let stroke = Stroke::new(color, 2.0 * style.unit).rounded();
    scene.begin_mark("line", None, || {
        (Some(outline.series.key.clone()), outline.series.title.clone())
    });
    if places.iter().all(Option::is_some) && places.len() > 2 {
        let path = closed(places.iter().flatten().copied());
        if count <= 3 {
            let shade = if count == 1 { 0.2 } else { 0.1 };
            scene.fill(path.clone(), color.with_opacity(shade));
        }
        scene.stroke(path, stroke);
    } else {
        let next = places.iter().cycle().skip(1);
        for pair in places.iter().zip(next).take(if places.len() > 2 { places.len() } else { 1 }) {
            if let (Some(from), Some(to)) = pair {
                scene.line(*from, *to, stroke);
            }
        }
    }
    scene.end_mark();
}

/// Dots where the outlines meet the spokes.
fn points(
    outlines: &[Outline],
    web: &Web,
    (names, format): (&[Name], &NumberFormat),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let crowded = web.spokes > 40;
    for outline in outlines {
        let color = style.readable_line_color(outline.series.color);
        let lone = outline.values.iter().flatten().count() == 1;
        if crowded && !lone && !scene.interactive {
            continue;
        }
        for (spoke, value) in outline.values.iter().enumerate() {
            let Some(value) = value else { continue };
            scene.begin_mark("point", Some(spoke), || {
                let name = names.get(spoke).and_then(|it| it.lines.first()).map_or("", |it| it);
                let tip = format!("{}, {name}: {}", outline.series.title, format.text(*value));
                (Some(outline.series.key.clone()), tip)
            });
            let fill = if crowded { color.with_opacity(0.0) } else { color };
            scene.circle(web.at(spoke, web.scale.at(*value)), 3.25 * style.unit, fill, None);
        }
    }
    scene.end_mark();
}

/// The values of the rings, beside the first spoke, where they touch neither dots nor names.
fn ticks(
    web: &Web,
    values: &ValueAxis,
    outlines: &[Outline],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.small_size;
    if web.scale.range.1 < size * 4.0 {
        return;
    }
    let mut taken: Vec<Rect> = scene.text_boxes().map(|it| it.1).collect();
    let dot = 6.5 * style.unit;
    for outline in outlines {
        let values = outline.values.iter().enumerate();
        let places = values.filter_map(|(spoke, it)| Some(web.at(spoke, web.scale.at((*it)?))));
        taken.extend(places.map(|it| Rect::from_center_size(it, (dot, dot))));
    }
    for (value, label) in values.ticks.values.iter().zip(&values.labels) {
        let y = web.center.y - web.scale.at(*value);
        // Inside its ring a number keeps clear of the name over the spoke.
        let base = y + size * 0.95;
        let set = style.label_text(web.center.x - size * 0.45, base, Anchor::End, size, label);
        let bounds = set.bounds();
        if base > web.center.y - size * 0.2 || taken.iter().any(|it| it.overlaps(bounds)) {
            continue;
        }
        taken.push(bounds);
        scene.text(Text { halo: Some(style.background), ..set });
    }
}
