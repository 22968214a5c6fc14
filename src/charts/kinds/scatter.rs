//! Points at two values; with a third one bubbles whose area it is.
//!
//! Record: `label`, `x`, `y`, `size`, `group`, `highlighted`. Settings: `xTitle`, `yTitle`, `xAxis`,
//! `axis`, `trendLine`, `quadrants` (`x`, `y`, `titles`), `showLabels`, `showLegend`, `showGrid`.

pub(super) mod names;
pub(super) mod points;

use kurbo::{Point, Rect};
use serde_json::{Value, json};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{ValueAxis, IncludeZero};
use crate::frame::legend;
use crate::frame::{Frame, ChartStyle};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;

use points::{Dot, Dots};

/// The scatter plot.
pub const KIND: Kind = Kind { slug: "scatter", draw };

/// Up to so many points each is a shape of its own; more are drawn as one batch a colour.
const SINGLE: usize = 1500;

/// The plot with both scales.
pub(super) struct Plot {
    /// Where points may stand.
    pub area: Rect,
    /// Level values to points of the canvas.
    pub x: LinearScale,
    /// Upright values to points of the canvas.
    pub y: LinearScale,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dots = points::read(chart);
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let colors: Vec<Color> = (0..dots.groups.len().max(1)).map(|it| chart.series_color(it)).collect();
    let mut area = frame.area;
    if dots.groups.len() > 1 && chart.bool_setting("showLegend", true) {
        let entries = dots.groups.iter().map(String::as_str).zip(colors.iter().copied());
        area = legend::draw(scene, style, area, entries);
    }
    let plot = axes(chart, style, area, &dots, scene);
    let placed = place(&dots, &plot, style);
    if placed.len() < dots.all.len() {
        scene.warn(format!("Points beyond the axes: {}.", dots.all.len() - placed.len()));
    }
    let fields = quadrants(chart, &dots, &plot, style, scene);
    // A bubble on the border of the plot may be larger than the margin beside it.
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let cut = placed.iter().any(|it| !canvas.inset(-it.radius).contains(it.at));
    if cut {
        scene.push(Primitive::BeginClip(canvas));
    }
    marks(chart, &placed, &colors, dots.sized, style, scene);
    if cut {
        scene.push(Primitive::EndClip);
    }
    let wanted = chart.bool_setting("trendLine", false);
    let line = if wanted { trend(&dots, &plot, style, scene) } else { Vec::new() };
    let taken = fields.iter().map(Text::bounds).collect();
    let ground = names::Ground { taken, line, ..names::Ground::default() };
    fields.into_iter().for_each(|it| scene.text(it));
    names::draw(chart, &placed, (&colors, &ground), plot.area, style, scene);
    describe(chart, &dots, scene);
}

/// Largest radius of a bubble, or the radius of all points, in points of the canvas.
fn reach(dots: &Dots, area: Rect, style: &ChartStyle) -> f64 {
    if dots.sized {
        // Very many bubbles take no more of the plot than a few thousand.
        let crowd = (SINGLE as f64 / dots.all.len().max(1) as f64).sqrt().min(1.0);
        return (area.width().min(area.height()) * 0.07 * crowd).clamp(3.0, 60.0);
    }
    let radius = match dots.all.len() {
        0..=60 => 4.5,
        61..=250 => 3.5,
        251..=1000 => 2.75,
        1001..=4000 => 2.25,
        _ => 1.75,
    };
    radius * style.unit.min(1.3)
}

/// Draws both axes and their titles; returns the plot between them.
fn axes(chart: &Chart, style: &ChartStyle, area: Rect, dots: &Dots, scene: &mut Scene) -> Plot {
    let mut area = area;
    area.y0 += title(axis_name(chart, "yTitle"), Anchor::Start, style, area, area.y0, scene);
    let below = if axis_name(chart, "xTitle").is_empty() { 0.0 } else { style.label_size * 1.5 };
    let below = if area.height() < style.label_size * 9.0 { 0.0 } else { below };
    let bottom = (area.y1 - ValueAxis::bottom_height(style) - 2.0 * style.unit - below).max(area.y0 + 1.0);
    let radius = reach(dots, area, style);
    let height = bottom - area.y0;
    let y_values = ValueAxis::new(
        chart,
        style,
        padded(dots.range(|it| it.y), radius / height),
        IncludeZero::WhenAdjacent,
        (height, axis::y_tick_spacing(style)),
        &chart.format_rules("y"),
    );
    let left = area.x0 + y_values.left_width(style).min(area.width() * 0.4);
    let settings = x_settings(chart);
    let sideways = Chart { settings: &settings, ..*chart };
    let width = (area.x1 - left).max(1.0);
    let x_values = ValueAxis::new(
        &sideways,
        style,
        padded(dots.range(|it| it.x), radius / width),
        IncludeZero::WhenAdjacent,
        (width, axis::x_tick_spacing(style)),
        &chart.format_rules("x"),
    );
    let plot = Rect::new(left, area.y0, left + width, bottom);
    let x = LinearScale { domain: x_values.domain, range: (plot.x0, plot.x1) };
    let y = LinearScale { domain: y_values.domain, range: (plot.y1, plot.y0) };
    let shown = &*axis::grid_style(chart, style);
    y_values.draw_left(scene, shown, plot, &y);
    // A little lower, so that the first labels of both axes do not touch in the corner.
    let lower = Rect { y1: plot.y1 + 2.0 * style.unit, ..plot };
    x_values.draw_bottom(scene, shown, lower, &x);
    if below > 0.0 {
        let top = bottom + ValueAxis::bottom_height(style) + 2.0 * style.unit + style.label_size * 0.4;
        title(axis_name(chart, "xTitle"), Anchor::End, style, Rect { x0: left, ..area }, top, scene);
    }
    axis::draw_baseline(scene, style, (plot.x0, plot.y1), (plot.x1, plot.y1));
    if y_values.crosses_zero() {
        axis::draw_baseline(scene, style, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    if x_values.crosses_zero() {
        axis::draw_baseline(scene, style, (x.at(0.0), plot.y0), (x.at(0.0), plot.y1));
    }
    Plot { area: plot, x, y }
}

/// The name of an axis: `xTitle` or `yTitle`, or else the `title` of its range.
pub(super) fn axis_name<'a>(chart: &Chart<'a>, key: &str) -> &'a str {
    let range = if key == "xTitle" { "xAxis" } else { "axis" };
    let name = |it: &'a Value| it.as_str().filter(|it| !it.is_empty());
    name(&chart.settings[key]).or_else(|| name(&chart.settings[range]["title"])).unwrap_or("")
}

/// The settings under which the level axis finds its own range.
fn x_settings(chart: &Chart) -> Value {
    json!({"axis": chart.setting("xAxis"), "locale": chart.setting("locale")})
}

/// Widens a range so that marks of this share of the axis stay inside, but not across zero.
fn padded((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let more = (high - low) * share.clamp(0.0, 0.2);
    let below = if low >= 0.0 { (low - more).max(0.0) } else { low - more };
    let above = if high <= 0.0 { (high + more).min(0.0) } else { high + more };
    (below, above)
}

/// The name of an axis in a line of its own; returns the height it took.
fn title(words: &str, anchor: Anchor, style: &ChartStyle, area: Rect, top: f64, scene: &mut Scene) -> f64 {
    let words = text::sanitize(words);
    let fitted = text::ellipsize(&words, area.width(), style.label_size, style.label_face());
    if fitted.is_empty() || area.height() < style.label_size * 6.0 {
        return 0.0;
    }
    let x = if anchor == Anchor::End { area.x1 } else { area.x0 };
    let set = style.label_text(x, top + ASCENT_EM * style.label_size, anchor, style.label_size, &fitted);
    scene.text(Text { color: style.muted_color, ..set });
    style.label_size * 1.9
}

/// A dot with its place on the canvas.
pub(super) struct Placed<'a> {
    dot: &'a Dot,
    at: Point,
    radius: f64,
}

/// The dots within the axes, the largest first, so that small ones stay visible.
pub(super) fn place<'a>(dots: &'a Dots, plot: &Plot, style: &ChartStyle) -> Vec<Placed<'a>> {
    let reach = reach(dots, plot.area, style);
    let within = |value: f64, scale: &LinearScale| {
        let (low, high) = scale.domain;
        value >= low && value <= high
    };
    let mut placed: Vec<Placed> = dots
        .all
        .iter()
        .filter(|it| within(it.x, &plot.x) && within(it.y, &plot.y))
        .map(|dot| {
            let share = (dot.size / dots.largest).clamp(0.0, 1.0);
            let radius = if dots.sized { (reach * share.sqrt()).max(1.5) } else { reach };
            Placed { dot, at: Point::new(plot.x.at(dot.x), plot.y.at(dot.y)), radius }
        })
        .collect();
    if dots.sized {
        placed.sort_by(|one, two| two.radius.total_cmp(&one.radius));
    }
    placed
}

/// Many dots let the ground shine through, so that crowds show as darker places.
fn opacity(count: usize, sized: bool) -> f64 {
    match count {
        0..=60 if !sized => 1.0,
        0..=250 => 0.8,
        251..=1000 => 0.65,
        1001..=4000 => 0.5,
        _ => 0.35,
    }
}

/// The colour of a dot: its group's, or the accent and a quiet grey once some are highlighted.
fn fill(chart: &Chart, dot: &Dot, colors: &[Color], accented: bool, style: &ChartStyle) -> Color {
    match (accented, dot.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
        _ => colors[dot.group % colors.len()],
    }
}

/// Draws the dots; very many of them as one batch a colour.
pub(super) fn marks(
    chart: &Chart,
    placed: &[Placed],
    colors: &[Color],
    sized: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let opacity = opacity(placed.len(), sized);
    let accented = placed.iter().any(|it| it.dot.highlighted);
    let paint = |it: &Placed| fill(chart, it.dot, colors, accented, style).with_opacity(opacity);
    if placed.len() > SINGLE {
        let mut batches: Vec<(Color, f64, Vec<Point>)> = Vec::new();
        for it in placed {
            let color = paint(it);
            // Sizes in steps of half a point, so that there are few batches.
            let radius = if sized { (it.radius * 2.0).round() / 2.0 } else { it.radius };
            let mut last = batches.iter_mut().rev();
            match last.find(|batch| batch.0 == color && batch.1 == radius) {
                Some(batch) => batch.2.push(it.at),
                None => batches.push((color, radius, vec![it.at])),
            }
        }
        for (fill, radius, points) in batches {
            scene.push(Primitive::Dots { points, radius, fill });
        }
        for it in placed {
            if !scene.requires_mark(it.dot.row) {
                continue;
            }
            scene.begin_mark("point", Some(it.dot.row), || (None, it.dot.label(chart)));
            scene.circle(it.at, it.radius, paint(it).with_opacity(0.0), None);
        }
        scene.end_mark();
        return;
    }
    for it in placed {
        let color = paint(it);
        // A darker rim parts dots that overlap and lets light colours stand out from the ground.
        let rim = Color { a: 255, ..color }.mix(style.text_color, 0.3);
        let rim = (it.radius > 3.0).then(|| Stroke::new(rim, if sized { 1.0 } else { 0.75 }));
        scene.begin_mark("point", Some(it.dot.row), || {
            (None, format!("{}: {} / {}", it.dot.label(chart), it.dot.x, it.dot.y))
        });
        scene.circle(it.at, it.radius, color, rim);
    }
    scene.end_mark();
}

/// So many boxes stand for a trend line.
const TREND_PARTS: i32 = 32;

/// The line of least squares through all points. Returns boxes along it.
fn trend(dots: &Dots, plot: &Plot, style: &ChartStyle, scene: &mut Scene) -> Vec<Rect> {
    let Some((slope, middle)) = dots.fit() else { return Vec::new() };
    let (from, to) = dots.range(|it| it.x);
    let at = |x: f64| {
        let y = middle.1 + slope * (x - middle.0);
        Point::new(plot.x.at_unclamped(x), plot.y.at_unclamped(y))
    };
    let stroke = Stroke::new(style.muted_color, 1.5 * style.unit).dashed(5.0, 4.0);
    scene.push(Primitive::BeginClip(plot.area));
    let (start, end) = (at(from), at(to));
    scene.line(start, end, stroke);
    scene.push(Primitive::EndClip);
    let part = |it: i32| start.lerp(end, f64::from(it) / f64::from(TREND_PARTS));
    (0..TREND_PARTS).map(|it| Rect::from_points(part(it), part(it + 1))).collect()
}

/// Draws the cross of the quadrants; returns their names, which go over the points.
fn quadrants(chart: &Chart, dots: &Dots, plot: &Plot, style: &ChartStyle, scene: &mut Scene) -> Vec<Text> {
    let wanted = chart.setting("quadrants");
    if !wanted.is_object() {
        return Vec::new();
    }
    let x = data::number(&wanted["x"]).unwrap_or_else(|| dots.median(|it| it.x));
    let y = data::number(&wanted["y"]).unwrap_or_else(|| dots.median(|it| it.y));
    let (x, y, area) = (plot.x.at(x), plot.y.at(y), plot.area);
    let stroke = Stroke::new(style.axis_color, 1.0);
    scene.line((x, area.y0), (x, area.y1), stroke);
    scene.line((area.x0, y), (area.x1, y), stroke);
    let pad = style.label_size * 0.5;
    let mut names = Vec::new();
    for (index, words) in
        (0..4).map(|it| (it, text::sanitize(wanted["titles"][it].as_str().unwrap_or(""))))
    {
        let (right, low) = (index % 2 == 1, index >= 2);
        let room = if right { area.x1 - x } else { x - area.x0 } - 2.0 * pad;
        let height = if low { area.y1 - y } else { y - area.y0 };
        let fitted = text::ellipsize(&words, room, style.label_size, style.label_face());
        if fitted.is_empty() || height < style.label_size * 2.0 {
            continue;
        }
        let (at, anchor) =
            if right { (area.x1 - pad, Anchor::End) } else { (area.x0 + pad, Anchor::Start) };
        let base = if low { area.y1 - pad } else { area.y0 + pad + ASCENT_EM * style.label_size };
        let set = style.label_text(at, base, anchor, style.label_size, &fitted);
        let set = Text { color: style.muted_color, halo: Some(style.background), ..set };
        names.push(set);
    }
    names
}

/// Says in words how many points there are and how far they reach.
fn describe(chart: &Chart, dots: &Dots, scene: &mut Scene) {
    let named = |key: &str, usual: &str| match axis_name(chart, key) {
        "" => usual.to_owned(),
        own => text::sanitize(own).into_owned(),
    };
    let ((x0, x1), (y0, y1)) = (dots.range(|it| it.x), dots.range(|it| it.y));
    scene.description = format!(
        "Scatter plot of {} points. {}: {x0} to {x1}. {}: {y0} to {y1}.",
        dots.all.len(),
        named("xTitle", "Horizontal"),
        named("yTitle", "Vertical"),
    );
}
