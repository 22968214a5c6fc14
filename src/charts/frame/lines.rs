//! Line charts and area charts: curves over a common x axis, with axes, names and values.

use kurbo::{Affine, BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame::Frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::curve_layout::{PlacedBand, PlacedCurve, XAxis};
use crate::frame::curves;
use crate::frame::curves::{AreaFill, Curve, XValues};
use crate::frame::line_labels;
use crate::frame::line_panels;
use crate::frame::line_panels::Panel;
use crate::frame::line_pattern;
use crate::frame::line_pattern::LinePattern;
use crate::frame::period_gaps;
use crate::frame::style::ChartStyle;
use crate::frame::time_gaps;
use crate::scene::{Primitive, Stroke, ValueEnd};
use crate::shape::curve;
use crate::shape::curve::Interpolation;

/// Maximum distance in points between the pointer and a point of a curve for its tooltip.
const HOVER_RADIUS: f64 = 5.0;
/// Number of points up to which every point gets a hover target.
const MAX_HOVER_TARGETS: usize = 2000;

/// Minimum width of a part of a stacked area with an outline, in [`ChartStyle::unit`]s.
const MIN_OUTLINED_WIDTH: f64 = 3.0;
/// Maximum number of points for each point of width of a part of a stacked area with an outline.
const MAX_OUTLINED_POINTS: f64 = 4.0;

/// The content of a line chart or area chart.
pub struct LineChart<'a> {
    /// Values of the x axis, one for each point of each curve.
    pub x_values: XValues<'a>,
    /// Curves in drawing order, at least one; of stacked curves the one nearest to zero first.
    pub curves: Vec<Curve>,
    /// Fill below the curves.
    pub fill: AreaFill,
    /// Number format settings for the tick labels.
    pub rules: FormatRules,
    /// Number format of value labels and tooltips.
    pub format: NumberFormat,
    /// Whether the value axis is logarithmic. All values are above zero then.
    pub is_log: bool,
}

impl<'a> LineChart<'a> {
    /// Reads the x values and the curves, which are not stacked yet, and sets the description of
    /// the scene, which starts with `noun`. None if no series has a value. A gap in regular
    /// timestamps and a missing period become gaps in all curves.
    ///
    /// With `dates_only`, records without a date are omitted. `choose_fill` gets the number of
    /// curves. Stacked areas have no logarithmic axis, because their heights must be proportional
    /// to their values.
    pub fn read(
        chart: &Chart<'a>,
        scene: &mut Scene,
        noun: &str,
        dates_only: bool,
        choose_fill: impl FnOnce(usize) -> AreaFill,
    ) -> Option<LineChart<'a>> {
        let (mut rows, mut x_values) = curves::read_x_values(chart, dates_only, scene);
        match &mut x_values {
            XValues::Timestamps(timestamps) => {
                time_gaps::insert_blank_rows(&mut rows, timestamps, chart.data.len());
            }
            XValues::Numbers(_) => {}
            XValues::Categories(names) => {
                period_gaps::insert_missing_periods(&mut rows, names, chart.data.len());
            }
        }
        let mut curves = curves::read_curves(chart, &rows, scene);
        let fill = choose_fill(curves.len());
        let panels = line_panels::assign(chart, &curves, fill);
        // Panels show what a logarithmic axis would show.
        let is_log = fill != AreaFill::Stacked
            && panels.iter().all(|panel| *panel == 0)
            && curves::apply_log_axis(chart, &mut curves, scene);
        if curves.is_empty() {
            return None;
        }
        if fill == AreaFill::None {
            curves::remove_hidden(chart, &mut curves, scene);
        }
        let rules = chart.series_format_rules(curves.iter().map(|curve| &*curve.series.key));
        let format = curves::value_format(&curves, &rules, chart);
        scene.description = curves::describe(noun, &curves, &x_values, &format, chart);
        Some(LineChart { x_values, curves, fill, rules, format, is_log })
    }

    /// Splits the curves into `count` charts with the same x values. `panels` has the index of the
    /// chart of each curve.
    fn split(self, chart: &Chart, panels: &[usize], count: usize) -> Vec<LineChart<'a>> {
        let mut parts: Vec<Vec<Curve>> = (0..count).map(|_| Vec::new()).collect();
        for (curve, panel) in self.curves.into_iter().zip(panels) {
            if let Some(part) = parts.get_mut(*panel) {
                part.push(curve);
            }
        }
        let to_chart = |curves: Vec<Curve>| {
            let rules = chart.series_format_rules(curves.iter().map(|curve| &*curve.series.key));
            let format = curves::value_format(&curves, &rules, chart);
            let x_values = self.x_values.clone();
            LineChart { x_values, curves, fill: self.fill, rules, format, is_log: false }
        };
        parts.into_iter().map(to_chart).collect()
    }
}

/// Draws axes, curves, and names or a legend, in one panel for each magnitude of the values. Curves of
/// a low area share one panel.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene, content: LineChart) {
    let panels = line_panels::assign(chart, &content.curves, content.fill);
    let count = panels.iter().max().map_or(1, |last| last + 1);
    if count == 1 || !line_panels::fit(frame.area, count, &frame.style) {
        draw_panel(chart, frame, scene, &content, Panel::WHOLE);
        return;
    }
    line_panels::warn(&content.curves, &panels, scene);
    let areas = line_panels::split_area(frame.area, count, &frame.style);
    let frames: Vec<Frame> =
        areas.into_iter().map(|area| Frame { area, ..frame.clone() }).collect();
    let parts = content.split(chart, &panels, count);
    let mut shared = Panel::WHOLE;
    let discarded_scene = &mut Scene::new(1.0, 1.0, frame.style.background);
    for (frame, part) in frames.iter().zip(&parts) {
        let (left, gutter) = draw_panel(chart, frame, discarded_scene, part, shared);
        shared.min_left = shared.min_left.max(left);
        shared.min_gutter = shared.min_gutter.max(gutter);
    }
    for (index, (frame, part)) in frames.iter().zip(&parts).enumerate() {
        let panel = Panel { has_x_labels: index + 1 == count, has_title: index == 0, ..shared };
        draw_panel(chart, frame, scene, part, panel);
    }
}

/// Draws one panel: axes, curves, and names or a legend, and with the setting `showValues` value labels. The
/// scene counts the values beyond the ends that the settings give the value axis.
///
/// Also adds invisible pointer targets to an interactive scene. Returns the widths in points left and
/// right of the plot.
fn draw_panel(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    content: &LineChart,
    panel: Panel,
) -> (f64, f64) {
    let LineChart { x_values, curves, fill, format, .. } = content;
    let fill = *fill;
    let style = &frame.style;
    let line_color = |curve: &Curve| style.readable_line_color(curve.series.color);
    let patterns = match fill {
        AreaFill::Stacked => vec![LinePattern::Solid; curves.len()],
        _ => line_pattern::choose(&curves.iter().map(line_color).collect::<Vec<_>>()),
    };
    let naming = line_labels::plan(chart, style, scene, frame.area, (curves, &patterns), fill);
    let mut area = naming.area;
    let title_height =
        if panel.has_title { axis::draw_title(chart, style, scene, area) } else { 0.0 };
    area.y0 += title_height + style.label_size * 0.4;
    let range = find_value_range(curves);
    let y_axis = create_value_axis(chart, style, content, range, area.height());
    let left = y_axis.left_width(style).min(area.width() * 0.4).max(panel.min_left);
    let gutter = naming.gutter.max(panel.min_gutter);
    let sides = (area.x0 + left, (area.x1 - gutter).max(area.x0 + left + 1.0));
    let x_axis = XAxis::new(chart, style, x_values, sides, area.height() * 0.4);
    let axis_height = if panel.has_x_labels { x_axis.height(style) } else { 0.0 };
    let bottom = (area.y1 - axis_height).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let y = y_axis.scale((plot.y1, plot.y0));
    y_axis.draw_left(scene, &axis::grid_style(chart, style), plot, y);
    if panel.has_x_labels {
        x_axis.draw(scene, style, plot);
    }
    let placed: Vec<PlacedCurve> =
        curves.iter().map(|curve| PlacedCurve::new(curve, &x_axis, x_values, &y)).collect();
    let outside = curves.iter().map(|curve| y_axis.count_outside(curve.tops.iter().flatten()));
    scene.omit(Omission::OutOfRange, outside.sum());
    let is_clipped = range.0 < y_axis.domain.0 || range.1 > y_axis.domain.1;
    if is_clipped {
        scene.push(Primitive::BeginClip(plot.inflate(0.0, 1.0)));
    }
    draw_curves(chart, style, scene, (&placed, &patterns), fill, y.at(0.0));
    if is_clipped {
        scene.push(Primitive::EndClip);
    }
    // The areas of a logarithmic axis end at its start, which is not zero.
    if y_axis.domain.0 <= 0.0 && y_axis.domain.1 >= 0.0 {
        axis::draw_baseline(scene, style, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    draw_hover_targets(scene, &placed, format, x_values, chart);
    line_labels::draw_values(chart, style, scene, plot, &placed, format);
    let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
    line_labels::draw_names((style, interpolation), scene, plot, &placed, &naming, &y);
    (left, gutter)
}

/// Creates the axis of values in `range`, `height` points long. Areas include zero.
fn create_value_axis(
    chart: &Chart,
    style: &ChartStyle,
    content: &LineChart,
    range: (f64, f64),
    height: f64,
) -> ValueAxis {
    let zero =
        if content.fill == AreaFill::None { IncludeZero::WhenNear } else { IncludeZero::Always };
    let lengths = (height, axis::y_tick_spacing(style));
    match content.is_log {
        true => ValueAxis::new_log(chart, style, range, lengths, &content.rules),
        false => ValueAxis::new(chart, style, range, zero, lengths, &content.rules),
    }
}

/// Returns the lowest and the highest value of all curves, including the edges of stacks.
/// Without values, returns infinity and negative infinity.
fn find_value_range(curves: &[Curve]) -> (f64, f64) {
    let tops = curves.iter().flat_map(|curve| curve.tops.iter().flatten().copied());
    let bands = curves.iter().flat_map(|curve| &curve.bands);
    let edges = bands.flat_map(|band| &band.edges).flat_map(|(inner, outer)| [*inner, *outer]);
    let all = tops.chain(edges);
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    all.fold(start, |(low, high), value| (low.min(value), high.max(value)))
}

/// Draws stacked areas, or lines with areas to zero if `fill` asks for them. `zero` is the y
/// coordinate of the value zero in points.
///
/// With the setting `showPoints`, lines of at most 200 points get point markers.
fn draw_curves(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    (placed_curves, patterns): (&[PlacedCurve], &[LinePattern]),
    fill: AreaFill,
    zero: f64,
) {
    let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
    let point_count = placed_curves.iter().map(|placed| placed.tops.len()).max().unwrap_or(0);
    let width = style.unit * if point_count > 300 { 1.5 } else { 2.25 };
    for (placed, pattern) in placed_curves.iter().zip(patterns) {
        let series = &placed.curve.series;
        let color = series.color;
        scene.begin_mark("line", None, || (Some(series.key.clone()), series.title.clone()));
        if fill == AreaFill::Stacked {
            for band in placed.bands.iter().filter(|band| band.outer.len() > 1) {
                draw_band(scene, style, band, color, interpolation);
            }
            continue;
        }
        for run in curve::split_at_gaps(&placed.tops) {
            let run = curve::decimate(run);
            if fill == AreaFill::ToZero {
                let mut path = BezPath::new();
                curve::append_curve(&mut path, &run, interpolation, true);
                let (first, last) = (run[0], run[run.len() - 1]);
                path.line_to((last.x, zero));
                path.line_to((first.x, zero));
                path.close_path();
                scene.fill(path, color.with_opacity(0.22));
            }
            let stroke = Stroke::new(style.readable_line_color(color), width).rounded();
            let stroke = pattern.apply(stroke);
            draw_unbroken_line(scene, run, interpolation, stroke);
        }
        if chart.bool_setting("showPoints", false) && placed.tops.len() <= 200 {
            for point in placed.tops.iter().flatten() {
                let rim = Stroke::new(style.background, style.unit);
                scene.circle(*point, width * 1.5, style.readable_line_color(color), Some(rim));
            }
        }
    }
    draw_single_points(scene, style, placed_curves);
    scene.end_mark();
}

/// Draws a line through points, which have no gaps between them. A single point becomes a dot.
pub fn draw_unbroken_line(
    scene: &mut Scene,
    points: Vec<Point>,
    interpolation: Interpolation,
    stroke: Stroke,
) {
    if let [only] = points.as_slice() {
        scene.circle(*only, stroke.width * 1.2, stroke.color, None);
    }
    if interpolation == Interpolation::Linear {
        scene.push(Primitive::Polyline { points, stroke });
    } else {
        let mut line = BezPath::new();
        curve::append_curve(&mut line, &points, interpolation, true);
        scene.stroke(line, stroke);
    }
}

/// Draws a part of a stacked area of at least two points, with a thin outline in the background
/// color that separates it from its neighbors, unless the outline would cover the part.
fn draw_band(
    scene: &mut Scene,
    style: &ChartStyle,
    band: &PlacedBand,
    color: Color,
    interpolation: Interpolation,
) {
    let outer = curve::decimate(band.outer.clone());
    // The inner edge runs from right to left. The interpolation expects points from left to right,
    // so the edge is mirrored, interpolated and mirrored back.
    let mirror = |points: &[Point]| -> Vec<Point> {
        points.iter().rev().map(|point| Point::new(-point.x, point.y)).collect()
    };
    let inner = curve::decimate(band.inner.clone());
    let mut path = BezPath::new();
    curve::append_curve(&mut path, &outer, interpolation, true);
    let mut inner_edge = BezPath::new();
    match interpolation {
        // Mirrored steps would turn at the wrong end, so the path is built forward and reversed.
        Interpolation::Step => {
            let mut forward = BezPath::new();
            curve::append_curve(&mut forward, &inner, interpolation, true);
            inner_edge = forward.reverse_subpaths();
        }
        _ => {
            curve::append_curve(&mut inner_edge, &mirror(&inner), interpolation, true);
            inner_edge.apply_affine(Affine::scale_non_uniform(-1.0, 1.0));
        }
    }
    for element in inner_edge.elements() {
        match *element {
            kurbo::PathEl::MoveTo(to) => path.line_to(to),
            other => path.push(other),
        }
    }
    path.close_path();
    let width = band.outer.last().map_or(0.0, |end| end.x)
        - band.outer.first().map_or(0.0, |start| start.x);
    let has_room = width >= MIN_OUTLINED_WIDTH * style.unit
        && (band.outer.len() as f64) < width * MAX_OUTLINED_POINTS;
    let rim = has_room.then(|| Stroke::new(style.background, 0.75 * style.unit));
    scene.push(Primitive::Path { path, fill: Some(color), stroke: rim });
}

/// Draws the parts of stacked areas that have a single point, as narrow bars over the other parts.
fn draw_single_points(scene: &mut Scene, style: &ChartStyle, placed_curves: &[PlacedCurve]) {
    let half = 2.0 * style.unit;
    for placed in placed_curves {
        let series = &placed.curve.series;
        for band in &placed.bands {
            let ([inner], [outer]) = (&*band.inner, &*band.outer) else { continue };
            scene.begin_mark("line", None, || (Some(series.key.clone()), series.title.clone()));
            let (top, bottom) = (inner.y.min(outer.y), inner.y.max(outer.y));
            scene.rect(Rect::new(inner.x - half, top, inner.x + half, bottom), series.color);
        }
    }
}

/// Adds an invisible circle with a tooltip at each point of the curves on the canvas, if the image
/// is interactive. With too many points, only the points that annotations refer to get one.
fn draw_hover_targets(
    scene: &mut Scene,
    placed_curves: &[PlacedCurve],
    format: &NumberFormat,
    x_values: &XValues,
    chart: &Chart,
) {
    let count: usize = placed_curves.iter().map(|placed| placed.tops.len()).sum();
    if !scene.interactive {
        return;
    }
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height).inset(-HOVER_RADIUS);
    let covers_all = count <= MAX_HOVER_TARGETS;
    let precision = curves::find_precision(chart);
    for PlacedCurve { curve, tops, .. } in placed_curves {
        for (index, point) in tops.iter().enumerate() {
            let (Some(point), Some(value)) = (point, curve.values[index]) else { continue };
            // Points beyond the ends that the settings give the axis lie outside the canvas.
            if !canvas.contains(*point) || !covers_all && !scene.requires_mark(curve.rows[index]) {
                continue;
            }
            scene.begin_mark("point", Some(curve.rows[index]), || {
                let x_label = match x_values {
                    XValues::Categories(names) => names[index].to_string(),
                    XValues::Timestamps(timestamps) => {
                        precision.format(timestamps[index], chart.locale())
                    }
                    XValues::Numbers(numbers) => {
                        curves::format_number(numbers[index], numbers, chart)
                    }
                };
                let tip = format!("{}, {x_label}: {}", curve.series.title, format.text(value));
                (Some(curve.series.key.clone()), tip)
            });
            // The edge of a stacked area shows its value only if the area starts at zero.
            if curve.tops.get(index) == Some(&Some(value)) {
                let end = ValueEnd::new(true, point.x, point.y, 0.0);
                scene.record_value(curve.rows[index], Some(&curve.series.key), value, end);
            }
            scene.circle(*point, HOVER_RADIUS, curve.series.color.with_opacity(0.0), None);
        }
    }
    scene.end_mark();
}
