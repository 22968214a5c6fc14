//! Scatter plot: points at two values. With a third value the points are bubbles with an area
//! proportional to it.
//!
//! Record: `label`, `x`, `y`, `size`, `group`, `highlighted`. Settings: `xTitle`, `yTitle`,
//! `sizeTitle`, `xAxis`, `axis`, `trendLine`, `quadrants` (`x`, `y`, `titles`), `showLabels`,
//! `showLegend`, `showGrid`.

mod callouts;
pub(super) mod ground;
pub(super) mod groups;
mod label_space;
mod named_points;
pub(super) mod names;
pub(super) mod points;
pub(super) mod sizes;

use kurbo::{Point, Rect};
use serde_json::{Value, json};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, Omission};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::ValueScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;

use points::{Dot, Dots, MAX_INDIVIDUAL_SHAPES};
use sizes::choose_max_radius;

/// The scatter plot.
pub const KIND: Kind = Kind { slug: "scatter", draw };

/// Plot area with the scales of both axes.
pub(super) struct Plot {
    /// Rectangle of the plot.
    pub area: Rect,
    /// Scale from x values to canvas coordinates in points.
    pub x: ValueScale,
    /// Scale from y values to canvas coordinates in points.
    pub y: ValueScale,
}

/// Draws legends, axes, quadrants, points, trend line and labels. The scene counts and names incomplete
/// records, and counts points beyond the axes. Draws a note instead if there are no points.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut dots = points::read(chart);
    if !dots.all.is_empty() {
        let mut shown = dots.all.iter().map(|dot| dot.row).peekable();
        for (row, record) in chart.data.iter().enumerate() {
            if shown.next_if_eq(&row).is_none() && !data::is_blank(record) {
                scene.omit_named(Omission::Incomplete, &data::record_label(record));
            }
        }
    }
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let (x_is_log, y_is_log) = apply_log_axes(chart, &mut dots, scene);
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let colors: Vec<Color> =
        (0..dots.groups.len().max(1)).map(|group| chart.series_color(group)).collect();
    let (sizes_place, area) = sizes::draw_group_legend(chart, &dots, &colors, frame, scene);
    let plot = draw_axes(chart, style, area, &dots, (x_is_log, y_is_log), scene);
    if let Some(place) = sizes_place {
        sizes::draw_legend(chart, &dots, &colors, (place, plot.area), style, scene);
    }
    groups::note_joined(chart, &dots.joined_groups, scene);
    let placed = place(&dots, &plot, style);
    if placed.len() < dots.all.len() {
        scene.omit(Omission::OutOfRange, dots.all.len() - placed.len());
    }
    let quadrant_titles = draw_quadrant_lines(chart, &dots, &plot, style, scene);
    // A bubble at the border of the plot may be larger than the margin beside it, so it is clipped.
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let needs_clip = placed.iter().any(|dot| !canvas.inset(-dot.radius).contains(dot.center));
    if needs_clip {
        scene.push(Primitive::BeginClip(canvas));
    }
    draw_points(chart, &placed, &colors, dots.sized, style, scene);
    if needs_clip {
        scene.push(Primitive::EndClip);
    }
    let shows_trend_line = chart.bool_setting("trendLine", false);
    let trend_line =
        if shows_trend_line { draw_trend_line(&dots, &plot, style, scene) } else { Vec::new() };
    let taken = quadrant_titles.iter().map(Text::bounds).collect();
    let ground = ground::Ground { taken, trend_line, ..ground::Ground::default() };
    quadrant_titles.into_iter().for_each(|title| scene.text(title));
    names::draw(chart, &placed, (&colors, &ground), plot.area, style, scene);
    describe(chart, &dots, scene);
}

/// Draws both axes, their titles, the gridlines unless the setting `showGrid` is false, and lines
/// at zero. Returns the plot between the axes. If `area` is low, the titles are left out.
fn draw_axes(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    dots: &Dots,
    (x_is_log, y_is_log): (bool, bool),
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    let y_title = axis_name(chart, "yTitle");
    area.y0 += draw_axis_title(y_title, Anchor::Start, style, area, area.y0, scene);
    let has_x_title = !axis_name(chart, "xTitle").is_empty();
    let is_low = area.height() < style.label_size * 9.0;
    let x_title_height = if has_x_title && !is_low { style.label_size * 1.5 } else { 0.0 };
    let bottom = (area.y1 - ValueAxis::bottom_height(style) - 2.0 * style.unit - x_title_height)
        .max(area.y0 + 1.0);
    let max_radius = choose_max_radius(dots, area, style);
    let height = bottom - area.y0;
    let y_axis = compute_axis(
        chart,
        style,
        (dots.range(|dot| dot.y), max_radius, y_is_log),
        (height, axis::y_tick_spacing(style)),
        &chart.format_rules("y"),
    );
    let left = area.x0 + y_axis.left_width(style).min(area.width() * 0.4);
    let x_settings = build_x_axis_settings(chart);
    let x_chart = Chart { settings: &x_settings, ..*chart };
    let width = (area.x1 - left).max(1.0);
    let x_axis = compute_axis(
        &x_chart,
        style,
        (dots.range(|dot| dot.x), max_radius, x_is_log),
        (width, axis::x_tick_spacing(style)),
        &chart.format_rules("x"),
    )
    .with_setting(Some("xAxis"));
    let plot = Rect::new(left, area.y0, left + width, bottom);
    let (x, y) = (x_axis.scale((plot.x0, plot.x1)), y_axis.scale((plot.y1, plot.y0)));
    let grid_style = &*axis::grid_style(chart, style);
    y_axis.draw_left(scene, grid_style, plot, y);
    // 2 units lower, so that the first labels of both axes do not touch in the corner.
    let lowered_plot = Rect { y1: plot.y1 + 2.0 * style.unit, ..plot };
    x_axis.draw_bottom(scene, grid_style, lowered_plot, x);
    if x_title_height > 0.0 {
        draw_x_title(chart, style, Rect { x0: left, ..area }, bottom, scene);
    }
    axis::draw_baseline(scene, style, (plot.x0, plot.y1), (plot.x1, plot.y1));
    if y_axis.crosses_zero() {
        axis::draw_baseline(scene, style, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    if x_axis.crosses_zero() {
        axis::draw_baseline(scene, style, (x.at(0.0), plot.y0), (x.at(0.0), plot.y1));
    }
    Plot { area: plot, x, y }
}

/// Returns whether the x axis and the y axis are logarithmic (setting `scale` of `xAxis` and
/// `axis`).
///
/// Removes the points that are not above zero on a logarithmic axis. The scene counts them.
fn apply_log_axes(chart: &Chart, dots: &mut Dots, scene: &mut Scene) -> (bool, bool) {
    let x_settings = build_x_axis_settings(chart);
    let x_chart = Chart { settings: &x_settings, ..*chart };
    let x_is_log = axis::choose_log(&x_chart, dots.all.iter().map(|dot| dot.x), scene);
    let y_is_log = axis::choose_log(chart, dots.all.iter().map(|dot| dot.y), scene);
    let count = dots.all.len();
    dots.all.retain(|dot| (!x_is_log || dot.x > 0.0) && (!y_is_log || dot.y > 0.0));
    scene.omit(Omission::NotOnLogAxis, count - dots.all.len());
    (x_is_log, y_is_log)
}

/// Computes an axis for values in `range`, with space for dots with a radius of `max_radius` points at
/// its ends. `lengths` are the length of the axis and the distance of its ticks, both in points.
fn compute_axis(
    chart: &Chart,
    style: &ChartStyle,
    (range, max_radius, is_log): ((f64, f64), f64, bool),
    lengths: (f64, f64),
    rules: &FormatRules,
) -> ValueAxis {
    let share = max_radius / lengths.0;
    if is_log {
        let ratio = (range.1 / range.0).powf(share.clamp(0.0, 0.2));
        let padded = (range.0 / ratio, range.1 * ratio);
        return ValueAxis::new_log(chart, style, padded, lengths, rules);
    }
    let padded = pad_range(range, share);
    ValueAxis::new(chart, style, padded, IncludeZero::WhenAdjacent, lengths, rules)
}

/// Draws the title of the x axis below its labels, at the right end of `area`. `bottom` is the y
/// coordinate of the lower end of the plot.
fn draw_x_title(chart: &Chart, style: &ChartStyle, area: Rect, bottom: f64, scene: &mut Scene) {
    let top = bottom + ValueAxis::bottom_height(style) + 2.0 * style.unit + style.label_size * 0.4;
    draw_axis_title(axis_name(chart, "xTitle"), Anchor::End, style, area, top, scene);
}

/// Returns the title of an axis. `key` is `xTitle` or `yTitle`.
///
/// The title is the setting `key`, or else the `title` in the setting `xAxis` or `axis`. Empty if
/// none is set.
pub(super) fn axis_name<'a>(chart: &Chart<'a>, key: &str) -> &'a str {
    let axis_key = if key == "xTitle" { "xAxis" } else { "axis" };
    let non_empty_text = |value: &'a Value| value.as_str().filter(|text| !text.is_empty());
    non_empty_text(&chart.settings[key])
        .or_else(|| non_empty_text(&chart.settings[axis_key]["title"]))
        .unwrap_or("")
}

/// Returns settings with the setting `xAxis` as `axis`, for the value axis along x. They contain
/// `axis` and `locale` only.
fn build_x_axis_settings(chart: &Chart) -> Value {
    json!({"axis": chart.setting("xAxis"), "locale": chart.setting("locale")})
}

/// Extends a range at both ends by a share of its length, so that marks stay inside the plot.
///
/// The share is clamped to 0 to 0.2. A range on one side of zero is not extended beyond zero.
fn pad_range((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let padding = (high - low) * share.clamp(0.0, 0.2);
    let padded_low = if low >= 0.0 { (low - padding).max(0.0) } else { low - padding };
    let padded_high = if high <= 0.0 { (high + padding).min(0.0) } else { high + padding };
    (padded_low, padded_high)
}

/// Draws an axis title, shortened to the width of `area`, with its upper edge at `top`. It is at the
/// left or (with `Anchor::End`) the right end of `area`.
///
/// Returns the height in points that the title takes. Draws nothing and returns 0 if the title is
/// empty or `area` is too small.
fn draw_axis_title(
    title: &str,
    anchor: Anchor,
    style: &ChartStyle,
    area: Rect,
    top: f64,
    scene: &mut Scene,
) -> f64 {
    let size = style.label_size;
    let title = text::sanitize(title);
    let fitted = text::ellipsize(&title, area.width(), size, style.label_face());
    if fitted.is_empty() || area.height() < size * 6.0 {
        return 0.0;
    }
    let x = if anchor == Anchor::End { area.x1 } else { area.x0 };
    let label = style.label_text(x, top + ASCENT_EM * size, anchor, size, &fitted);
    scene.text(Text { color: style.muted_color, ..label });
    size * 1.9
}

/// A point with its position and radius on the canvas.
pub(super) struct PlacedDot<'a> {
    /// Point in the data.
    pub(super) dot: &'a Dot,
    /// Center on the canvas, in points.
    pub(super) center: Point,
    /// Radius in points.
    pub(super) radius: f64,
}

/// Returns the points within the domain of both axes with their positions. Bubbles have an area in
/// proportion to their size and are sorted by descending radius, so that small ones stay visible.
pub(super) fn place<'a>(dots: &'a Dots, plot: &Plot, style: &ChartStyle) -> Vec<PlacedDot<'a>> {
    let max_radius = choose_max_radius(dots, plot.area, style);
    let is_in_domain = |value: f64, scale: &ValueScale| {
        let (low, high) = scale.domain;
        value >= low && value <= high
    };
    let mut placed: Vec<PlacedDot> = dots
        .all
        .iter()
        .filter(|dot| is_in_domain(dot.x, &plot.x) && is_in_domain(dot.y, &plot.y))
        .map(|dot| {
            let share = (dot.size / dots.max_size).clamp(0.0, 1.0);
            let radius = if dots.sized { (max_radius * share.sqrt()).max(1.5) } else { max_radius };
            PlacedDot { dot, center: Point::new(plot.x.at(dot.x), plot.y.at(dot.y)), radius }
        })
        .collect();
    if dots.sized {
        placed.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    }
    placed
}

/// Returns the opacity (0 to 1) of each of `count` points. The more points, the more translucent, so
/// that dense areas appear darker. Bubbles (`is_sized`) are always translucent.
pub(super) fn choose_opacity(count: usize, is_sized: bool) -> f64 {
    match count {
        0..=60 if !is_sized => 1.0,
        0..=250 => 0.8,
        251..=1000 => 0.65,
        1001..=4000 => 0.5,
        _ => 0.35,
    }
}

/// Returns the color of a point: the color of its group in `colors`, which must not be empty. If
/// any point is highlighted, highlighted points have the highlight color and all others a faded
/// color.
pub(super) fn choose_fill(
    chart: &Chart,
    dot: &Dot,
    colors: &[Color],
    any_highlighted: bool,
    style: &ChartStyle,
) -> Color {
    match (any_highlighted, dot.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
        _ => colors[dot.group % colors.len()],
    }
}

/// Points with the same color and radius, drawn together.
struct DotBatch {
    fill: Color,
    /// Radius in points.
    radius: f64,
    /// Centers on the canvas, in points.
    centers: Vec<Point>,
}

/// Draws the points as circles with a mark and a tooltip each, large ones with an outline. `is_sized`
/// means that they are bubbles.
///
/// More than `MAX_INDIVIDUAL_SHAPES` points are drawn as one batch per color and radius instead.
pub(super) fn draw_points(
    chart: &Chart,
    placed: &[PlacedDot],
    colors: &[Color],
    is_sized: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let opacity = choose_opacity(placed.len(), is_sized);
    let any_highlighted = placed.iter().any(|placed_dot| placed_dot.dot.highlighted);
    let choose_color = |placed_dot: &PlacedDot| {
        choose_fill(chart, placed_dot.dot, colors, any_highlighted, style).with_opacity(opacity)
    };
    if placed.len() > MAX_INDIVIDUAL_SHAPES {
        return draw_point_batches(chart, placed, choose_color, is_sized, scene);
    }
    for placed_dot in placed {
        let (dot, radius) = (placed_dot.dot, placed_dot.radius);
        let color = choose_color(placed_dot);
        // A darker outline separates overlapping points and makes light colors visible on the
        // background.
        let outline_color = Color { a: 255, ..color }.mix(style.text_color, 0.3);
        let outline_width = if is_sized { 1.0 } else { 0.75 };
        let outline = (radius > 3.0).then(|| Stroke::new(outline_color, outline_width));
        scene.begin_mark("point", Some(dot.row), || {
            (None, format!("{}: {} / {}", dot.label(chart), dot.x, dot.y))
        });
        scene.circle(placed_dot.center, radius, color, outline);
    }
    scene.end_mark();
}

/// Draws many points as one batch per color and radius, without outlines. Rounds the radii of bubbles
/// (`is_sized`) to half points. Only records for which `Scene::requires_mark` is true get a mark.
pub(super) fn draw_point_batches(
    chart: &Chart,
    placed: &[PlacedDot],
    choose_color: impl Fn(&PlacedDot) -> Color,
    is_sized: bool,
    scene: &mut Scene,
) {
    let mut batches: Vec<DotBatch> = Vec::new();
    for placed_dot in placed {
        let radius = placed_dot.radius;
        // Radii are rounded to half points, so that there are few batches.
        let radius = if is_sized { (radius * 2.0).round() / 2.0 } else { radius };
        add_to_batch(&mut batches, choose_color(placed_dot), radius, placed_dot.center);
    }
    for DotBatch { fill, radius, centers } in batches {
        scene.push(Primitive::Dots { points: centers, radius, fill });
    }
    for placed_dot in placed {
        let row = placed_dot.dot.row;
        if !scene.requires_mark(row) {
            continue;
        }
        scene.begin_mark("point", Some(row), || (None, placed_dot.dot.label(chart)));
        let invisible = choose_color(placed_dot).with_opacity(0.0);
        scene.circle(placed_dot.center, placed_dot.radius, invisible, None);
    }
    scene.end_mark();
}

/// Adds a point to the newest batch with this color and radius, or to a new batch.
fn add_to_batch(batches: &mut Vec<DotBatch>, fill: Color, radius: f64, center: Point) {
    let mut newest_first = batches.iter_mut().rev();
    match newest_first.find(|batch| batch.fill == fill && batch.radius == radius) {
        Some(batch) => batch.centers.push(center),
        None => batches.push(DotBatch { fill, radius, centers: vec![center] }),
    }
}

/// Number of rectangles that approximate the trend line for the placement of labels.
const TREND_LINE_PARTS: i32 = 32;

/// Draws the trend line, the least-squares fit through all points, from the lowest to the highest x
/// value, clipped to the plot. Returns rectangles along it for the placement of labels, or draws
/// and returns nothing if there is no such line.
fn draw_trend_line(dots: &Dots, plot: &Plot, style: &ChartStyle, scene: &mut Scene) -> Vec<Rect> {
    // On a logarithmic axis the line fits the logarithms, so that it is straight.
    let dots = dots.transformed(|x| plot.x.transform(x), |y| plot.y.transform(y));
    let Some(line) = dots.fit_line() else { return Vec::new() };
    let (min_x, max_x) = dots.range(|dot| dot.x);
    let (x_scale, y_scale) = (plot.x.linear(), plot.y.linear());
    let to_canvas =
        |x: f64| Point::new(x_scale.at_unclamped(x), y_scale.at_unclamped(line.y_at(x)));
    let stroke = Stroke::new(style.muted_color, 1.5 * style.unit).dashed(5.0, 4.0);
    scene.push(Primitive::BeginClip(plot.area));
    let (start, end) = (to_canvas(min_x), to_canvas(max_x));
    scene.line(start, end, stroke);
    scene.push(Primitive::EndClip);
    let part_start = |part: i32| start.lerp(end, f64::from(part) / f64::from(TREND_LINE_PARTS));
    (0..TREND_LINE_PARTS)
        .map(|part| Rect::from_points(part_start(part), part_start(part + 1)))
        .collect()
}

/// Draws the lines between the quadrants. Returns the titles in their outer corners, which the caller
/// draws over the points. Without the setting `quadrants`, draws and returns nothing.
///
/// The lines cross at the values from the settings, or at the medians of the points. A title that
/// does not fit is shortened or left out.
fn draw_quadrant_lines(
    chart: &Chart,
    dots: &Dots,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<Text> {
    let quadrants = chart.setting("quadrants");
    if !quadrants.is_object() {
        return Vec::new();
    }
    let x_value = data::number(&quadrants["x"]).unwrap_or_else(|| dots.median(|dot| dot.x));
    let y_value = data::number(&quadrants["y"]).unwrap_or_else(|| dots.median(|dot| dot.y));
    let (x, y, area) = (plot.x.at(x_value), plot.y.at(y_value), plot.area);
    let stroke = Stroke::new(style.axis_color, 1.0);
    scene.line((x, area.y0), (x, area.y1), stroke);
    scene.line((area.x0, y), (area.x1, y), stroke);
    let size = style.label_size;
    let padding = size * 0.5;
    let mut labels = Vec::new();
    for index in 0..4 {
        let title = text::sanitize(quadrants["titles"][index].as_str().unwrap_or(""));
        let (is_right, is_bottom) = (index % 2 == 1, index >= 2);
        let max_width = if is_right { area.x1 - x } else { x - area.x0 } - 2.0 * padding;
        let height = if is_bottom { area.y1 - y } else { y - area.y0 };
        let fitted = text::ellipsize(&title, max_width, size, style.label_face());
        if fitted.is_empty() || height < size * 2.0 {
            continue;
        }
        let (label_x, anchor) = if is_right {
            (area.x1 - padding, Anchor::End)
        } else {
            (area.x0 + padding, Anchor::Start)
        };
        let baseline =
            if is_bottom { area.y1 - padding } else { area.y0 + padding + ASCENT_EM * size };
        let label = style.label_text(label_x, baseline, anchor, size, &fitted);
        let halo = Some(style.background);
        labels.push(Text { color: style.muted_color, halo, ..label });
    }
    labels
}

/// Sets the text description of the scene: number of points, and minimum and maximum of both
/// values.
fn describe(chart: &Chart, dots: &Dots, scene: &mut Scene) {
    let name_axis = |key: &str, default: &str| match axis_name(chart, key) {
        "" => default.to_owned(),
        title => text::sanitize(title).into_owned(),
    };
    let ((x0, x1), (y0, y1)) = (dots.range(|dot| dot.x), dots.range(|dot| dot.y));
    scene.description = format!(
        "Scatter plot of {} points. {}: {x0} to {x1}. {}: {y0} to {y1}.",
        dots.all.len(),
        name_axis("xTitle", "Horizontal"),
        name_axis("yTitle", "Vertical"),
    );
}
