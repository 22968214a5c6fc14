//! Scatter plot: points at two values. With a third value the points are bubbles with an area
//! proportional to it.
//!
//! Record: `label`, `x`, `y`, `size`, `group`, `highlighted`. Settings: `xTitle`, `yTitle`,
//! `xAxis`, `axis`, `trendLine`, `quadrants` (`x`, `y`, `titles`), `showLabels`, `showLegend`,
//! `showGrid`.

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
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;

use points::{Dot, Dots};

/// The scatter plot.
pub const KIND: Kind = Kind { slug: "scatter", draw };

/// Maximum number of points that are drawn as individual shapes. More points are drawn as one batch
/// per color and radius.
const SINGLE: usize = 1500;

/// Plot area with the scales of both axes.
pub(super) struct Plot {
    /// Rectangle of the plot.
    pub area: Rect,
    /// Scale from x values to canvas coordinates in points.
    pub x: LinearScale,
    /// Scale from y values to canvas coordinates in points.
    pub y: LinearScale,
}

/// Draws axes, quadrants, points, trend line and labels.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dots = points::read(chart);
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let colors: Vec<Color> =
        (0..dots.groups.len().max(1)).map(|it| chart.series_color(it)).collect();
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
    // A bubble at the border of the plot may be larger than the margin beside it, so it is clipped.
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

/// Returns the radius in points of the largest bubble, or of all points if they have no sizes.
fn reach(dots: &Dots, area: Rect, style: &ChartStyle) -> f64 {
    if dots.sized {
        // Beyond `SINGLE` bubbles the radius shrinks, so that the covered area does not grow.
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

/// Draws both axes and their titles. Returns the plot between them.
fn axes(chart: &Chart, style: &ChartStyle, area: Rect, dots: &Dots, scene: &mut Scene) -> Plot {
    let mut area = area;
    area.y0 += title(axis_name(chart, "yTitle"), Anchor::Start, style, area, area.y0, scene);
    let below = if axis_name(chart, "xTitle").is_empty() { 0.0 } else { style.label_size * 1.5 };
    let below = if area.height() < style.label_size * 9.0 { 0.0 } else { below };
    let bottom =
        (area.y1 - ValueAxis::bottom_height(style) - 2.0 * style.unit - below).max(area.y0 + 1.0);
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
    // 2 units lower, so that the first labels of both axes do not touch in the corner.
    let lower = Rect { y1: plot.y1 + 2.0 * style.unit, ..plot };
    x_values.draw_bottom(scene, shown, lower, &x);
    if below > 0.0 {
        draw_x_title(chart, style, Rect { x0: left, ..area }, bottom, scene);
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

/// Draws the title of the x axis below its labels. `bottom` is the lower end of the plot.
fn draw_x_title(chart: &Chart, style: &ChartStyle, area: Rect, bottom: f64, scene: &mut Scene) {
    let top = bottom + ValueAxis::bottom_height(style) + 2.0 * style.unit + style.label_size * 0.4;
    title(axis_name(chart, "xTitle"), Anchor::End, style, area, top, scene);
}

/// Returns the title of an axis: `xTitle` or `yTitle`, otherwise the `title` of `xAxis` or `axis`.
/// Empty if none is set.
pub(super) fn axis_name<'a>(chart: &Chart<'a>, key: &str) -> &'a str {
    let range = if key == "xTitle" { "xAxis" } else { "axis" };
    let name = |it: &'a Value| it.as_str().filter(|it| !it.is_empty());
    name(&chart.settings[key]).or_else(|| name(&chart.settings[range]["title"])).unwrap_or("")
}

/// Returns the settings of the x axis, with `xAxis` in place of `axis`.
fn x_settings(chart: &Chart) -> Value {
    json!({"axis": chart.setting("xAxis"), "locale": chart.setting("locale")})
}

/// Extends a range at both ends by a share of its length, at most 0.2, so that marks stay inside
/// the plot. Does not extend it across zero.
fn padded((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let more = (high - low) * share.clamp(0.0, 0.2);
    let below = if low >= 0.0 { (low - more).max(0.0) } else { low - more };
    let above = if high <= 0.0 { (high + more).min(0.0) } else { high + more };
    (below, above)
}

/// Draws an axis title in a line of its own. Returns the height it takes, or 0 if there is no title
/// or no space for it.
fn title(
    words: &str,
    anchor: Anchor,
    style: &ChartStyle,
    area: Rect,
    top: f64,
    scene: &mut Scene,
) -> f64 {
    let words = text::sanitize(words);
    let fitted = text::ellipsize(&words, area.width(), style.label_size, style.label_face());
    if fitted.is_empty() || area.height() < style.label_size * 6.0 {
        return 0.0;
    }
    let x = if anchor == Anchor::End { area.x1 } else { area.x0 };
    let set =
        style.label_text(x, top + ASCENT_EM * style.label_size, anchor, style.label_size, &fitted);
    scene.text(Text { color: style.muted_color, ..set });
    style.label_size * 1.9
}

/// A point with its position and radius on the canvas.
pub(super) struct Placed<'a> {
    dot: &'a Dot,
    at: Point,
    radius: f64,
}

/// Returns the points within the range of both axes. Bubbles are sorted by descending radius, so
/// that small ones stay visible.
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

/// Returns the opacity of the points. Many points are translucent, so that dense areas appear
/// darker.
fn opacity(count: usize, sized: bool) -> f64 {
    match count {
        0..=60 if !sized => 1.0,
        0..=250 => 0.8,
        251..=1000 => 0.65,
        1001..=4000 => 0.5,
        _ => 0.35,
    }
}

/// Returns the color of a point: the color of its group. If any point is highlighted, highlighted
/// points have the accent color and all others a muted color.
fn fill(chart: &Chart, dot: &Dot, colors: &[Color], accented: bool, style: &ChartStyle) -> Color {
    match (accented, dot.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
        _ => colors[dot.group % colors.len()],
    }
}

/// Draws the points. More than `SINGLE` points are drawn as one batch per color and radius.
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
            // Radii are rounded to half points, so that there are few batches.
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
        // A darker outline separates overlapping points and makes light colors visible on the
        // background.
        let rim = Color { a: 255, ..color }.mix(style.text_color, 0.3);
        let rim = (it.radius > 3.0).then(|| Stroke::new(rim, if sized { 1.0 } else { 0.75 }));
        scene.begin_mark("point", Some(it.dot.row), || {
            (None, format!("{}: {} / {}", it.dot.label(chart), it.dot.x, it.dot.y))
        });
        scene.circle(it.at, it.radius, color, rim);
    }
    scene.end_mark();
}

/// Number of rectangles that approximate the trend line for the placement of labels.
const TREND_PARTS: i32 = 32;

/// Draws the trend line, the least-squares fit through all points. Returns rectangles along it.
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

/// Draws the lines between the quadrants. Returns the titles of the quadrants, which are drawn over
/// the points.
fn quadrants(
    chart: &Chart,
    dots: &Dots,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<Text> {
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

/// Sets the text description of the scene: number of points, and minimum and maximum of both
/// values.
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
