//! Burndown chart: the remaining work per day, compared with the plan.
//!
//! Record: `date`, `planned`, `actual`. If no record has a planned value, the plan is a straight
//! line from the first actual value down to zero at the last date. A missing actual value leaves a
//! gap; the plan is a straight line between its values. If no record has a date, the records are steps
//! of equal distance, named by their `date`. Settings: `showToday` (a date; without it
//! the date of the last actual value), `showGap`, `showLegend`, `showGrid`, `axis`.

mod labels;
mod steps;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::legend;
use crate::frame::legend::Swatch;
use crate::frame::time::DateMarker;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{Primitive, Stroke, ValueEnd};
use crate::shape::curve;

use steps::{Day, DayAxis};

/// The burndown chart.
pub const KIND: Kind = Kind { slug: "burndown", draw };

/// The last actual value.
#[derive(Clone, Copy)]
struct LastActual<'a> {
    day: &'a Day,
    /// Actual remaining work of the day.
    amount: f64,
}

/// Layout of the plot.
struct Plot {
    /// Rectangle between the axes.
    area: Rect,
    /// Scale from the moments of days to points.
    x: LinearScale,
    /// Scale from amounts to points.
    y: LinearScale,
}

impl Plot {
    /// Returns the position of an amount at the moment of a day.
    fn position(&self, moment: f64, value: f64) -> Point {
        Point::new(self.x.at(moment), self.y.at(value))
    }

    /// Returns the positions of the days for which `value` returns an amount. Skips the other days.
    fn line_points(&self, days: &[Day], value: impl Fn(&Day) -> Option<f64>) -> Vec<Point> {
        days.iter().filter_map(|day| Some(self.position(day.moment, value(day)?))).collect()
    }
}

/// Draws the planned and the actual line with axes, the gap between them, the date line, and the
/// legend or labels. Draws a note instead without dates or amounts.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let days = read_days(chart, scene);
    let amounts = || days.iter().flat_map(|day| [day.planned, day.actual]).flatten();
    let (Some(first_day), Some(last_day)) = (days.first(), days.last()) else {
        return frame::draw_no_data(frame, scene);
    };
    if amounts().next().is_none() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let actual_amounts = days.iter().filter_map(|day| day.actual);
    let rules = chart.format_rules_or("actual", &chart.shared_format_rules(["actual", "planned"]));
    let format = NumberFormat::for_values(actual_amounts, &rules, chart.locale());
    describe(chart, &days, &format, scene);
    let range = amounts()
        .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    let colors = LineColors::new(chart, style);
    let today = read_today_marker(chart, &days, style);
    let mut area = frame.area;
    let last_actual = find_last_actual(&days);
    // If the plan continues long enough after the last actual value, there is space to label both
    // lines directly.
    let has_direct_labels = last_actual.is_some_and(|last| {
        (last_day.moment - last.day.moment) > 0.25 * (last_day.moment - first_day.moment)
    });
    if !has_direct_labels && chart.bool_setting("showLegend", true) {
        area = draw_legend(&colors, area, style, scene);
    }
    let gutter = measure_label_gutter(chart, first_day, last_day, last_actual, &format, style);
    area.x1 -= gutter.min(area.width() * 0.3);
    let plot = draw_axes(chart, &days, area, range, style, today.is_some(), scene);
    if chart.bool_setting("showGap", true) {
        fill_gap(&days, &plot, &colors, scene);
    }
    let zero = plot.y.at(0.0);
    axis::draw_baseline(scene, style, (plot.area.x0, zero), (plot.area.x1, zero));
    if let Some(today) = today {
        draw_today(&today, &plot, style, scene);
    }
    let planned_points = plot.line_points(&days, |day| day.planned);
    if let [single] = planned_points.as_slice() {
        // A single planned value is no line.
        scene.circle(*single, 2.5 * style.unit, colors.planned, None);
    }
    let planned_stroke = Stroke::new(colors.planned, 1.75 * style.unit).dashed(5.0, 4.0);
    draw_line("planned", planned_points, planned_stroke, scene);
    draw_actual_lines(&days, &plot, &colors, style, scene);
    draw_points(chart, &days, &plot, &colors, &format, style, scene);
    if chart.bool_setting("showLegend", true) {
        let labels =
            labels::LabelLayout { format: &format, has_direct_labels, right: frame.area.x1 };
        labels::draw_line_labels(&days, &plot, &colors, &labels, style, scene);
    }
}

/// Draws the legend of both lines and returns the area below it.
fn draw_legend(colors: &LineColors, area: Rect, style: &ChartStyle, scene: &mut Scene) -> Rect {
    let names = [Term::Actual, Term::Planned].map(|term| style.locale.translate(term));
    let swatches = [(colors.actual, Swatch::Line), (colors.planned, Swatch::DashedLine)];
    let entries =
        names.into_iter().zip(swatches).map(|(name, (color, swatch))| (name, color, swatch));
    legend::draw_with_swatches(scene, style, area, entries)
}

/// Draws a line through each run of successive days with an actual value, and a dot for a run of
/// one day.
fn draw_actual_lines(
    days: &[Day],
    plot: &Plot,
    colors: &LineColors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let stroke = Stroke::new(colors.actual, 2.5 * style.unit).rounded();
    for run in days.chunk_by(|one, two| one.actual.is_some() == two.actual.is_some()) {
        let points = plot.line_points(run, |day| day.actual);
        if let [single] = points.as_slice() {
            scene.circle(*single, 2.0 * style.unit, colors.actual, None);
        }
        draw_line("actual", points, stroke, scene);
    }
}

/// Returns the last day that has an actual value. None without actual values.
fn find_last_actual(days: &[Day]) -> Option<LastActual<'_>> {
    days.iter().rev().find_map(|day| Some(LastActual { day, amount: day.actual? }))
}

/// Returns the width in points of the space right of the plot for the label of the last actual
/// value.
///
/// It is 0 unless that value is near the right edge, and 0 if the setting `showLegend` is false.
fn measure_label_gutter(
    chart: &Chart,
    first_day: &Day,
    last_day: &Day,
    last_actual: Option<LastActual>,
    format: &NumberFormat,
    style: &ChartStyle,
) -> f64 {
    let near_edge = last_actual.filter(|last| {
        last_day.moment - last.day.moment < 0.1 * (last_day.moment - first_day.moment)
            && chart.bool_setting("showLegend", true)
    });
    near_edge.map_or(0.0, |last| {
        style.text_width(&format.text(last.amount), style.label_size) + style.label_size
    })
}

/// Colors of the two lines.
struct LineColors {
    planned: Color,
    actual: Color,
}

impl LineColors {
    /// Derives the colors from the theme. The plan is muted.
    fn new(chart: &Chart, style: &ChartStyle) -> LineColors {
        LineColors {
            planned: style.muted_color,
            actual: style.readable_line_color(chart.series_color(0)),
        }
    }
}

/// Reads the days, see [`steps::read`].
///
/// If no record has a planned value, fills in a straight line from the first actual value to zero
/// at the last day. Days before the first actual value stay without a plan.
fn read_days(chart: &Chart, scene: &mut Scene) -> Vec<Day> {
    let mut days = steps::read(chart, scene);
    let first_actual = days.iter().find_map(|day| Some((day.moment, day.actual?)));
    let last_moment = days.last().map(|day| day.moment);
    if let (Some((start, amount)), Some(end)) = (first_actual, last_moment)
        && end > start
        && days.iter().all(|day| day.planned.is_none())
    {
        for day in days.iter_mut().filter(|day| day.moment >= start) {
            day.planned = Some(amount * ((end - day.moment) / (end - start)));
        }
    }
    days
}

/// Returns the date line: at the date of the setting `showToday`, or without it at the last actual
/// value.
///
/// None if the date is before the first day or not before the last day, or if there is no date.
fn read_today_marker(chart: &Chart, days: &[Day], style: &ChartStyle) -> Option<DateMarker> {
    let (first, last) = (days.first()?.moment, days.last()?.moment);
    let today = match chart.timestamp_setting("showToday") {
        Some(_) => DateMarker::from_settings(chart, style, (first, last)),
        None => find_last_actual(days).map(|LastActual { day, .. }| {
            let marker = DateMarker::at_date(day.moment, chart, style);
            match &day.step_name {
                Some(name) => marker.with_label(name.clone()),
                None => marker,
            }
        }),
    };
    today.filter(|marker| marker.timestamp < last)
}

/// Sets the text description of the scene: the date range, and the last actual amount with the
/// planned amount of the same day.
fn describe(chart: &Chart, days: &[Day], format: &NumberFormat, scene: &mut Scene) {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return };
    let (first_date, last_date) = (first.text(chart), last.text(chart));
    let mut text = format!("Burndown chart from {first_date} to {last_date}.");
    if let Some(LastActual { day, amount }) = find_last_actual(days) {
        text = format!("{text} On {} {} remain", day.text(chart), format.text(amount));
        text += &day
            .planned
            .map_or(".".to_owned(), |planned| format!(", planned were {}.", format.text(planned)));
    }
    scene.description = text;
}

/// Lays out the plot and draws axis title, grid lines and both axes. With `has_today` it reserves a
/// line above the plot for the date, if the area is high enough.
fn draw_axes(
    chart: &Chart,
    days: &[Day],
    mut area: Rect,
    range: (f64, f64),
    style: &ChartStyle,
    has_today: bool,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area) + style.label_size * 0.4;
    area.y0 += if has_today && area.height() > style.label_size * 8.0 {
        style.label_size * 1.2
    } else {
        0.0
    };
    let lengths = (area.height(), axis::y_tick_spacing(style));
    let values = ValueAxis::new(
        chart,
        style,
        range,
        IncludeZero::Always,
        lengths,
        &chart.shared_format_rules(["actual", "planned"]),
    );
    let left = area.x0 + values.left_width(style).min(area.width() * 0.4);
    let sides = (left, area.x1.max(left + 1.0));
    let day_axis = DayAxis::new(chart, days, sides, area.height(), style);
    let bottom = (area.y1 - day_axis.height(style)).max(area.y0 + 1.0);
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let y = LinearScale { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::grid_style(chart, style), plot, &y);
    day_axis.draw(plot, style, scene);
    Plot { area: plot, x: day_axis.scale(), y }
}

/// Fills the area between both lines over successive days that have both values. A day without one
/// of them leaves a gap.
fn fill_gap(days: &[Day], plot: &Plot, colors: &LineColors, scene: &mut Scene) {
    let has_both = |day: &Day| day.planned.is_some() && day.actual.is_some();
    for run in days.chunk_by(|one, two| has_both(one) == has_both(two)) {
        if run.len() < 2 || !run.iter().all(has_both) {
            continue;
        }
        let actual_points = curve::decimate(plot.line_points(run, |day| day.actual));
        let planned_points = curve::decimate(plot.line_points(run, |day| day.planned));
        let mut path = BezPath::new();
        for (index, point) in actual_points.iter().chain(planned_points.iter().rev()).enumerate() {
            if index == 0 { path.move_to(*point) } else { path.line_to(*point) }
        }
        path.close_path();
        scene.fill(path, colors.actual.with_opacity(0.16));
    }
}

/// Draws a line through `points` as the mark of the data column `key`. Draws nothing for fewer than two
/// points.
fn draw_line(key: &str, points: Vec<Point>, stroke: Stroke, scene: &mut Scene) {
    if points.len() > 1 {
        scene.begin_mark("line", None, || (Some(key.to_owned()), key.to_owned()));
        scene.push(Primitive::Polyline { points: curve::decimate(points), stroke });
        scene.end_mark();
    }
}

/// Draws the vertical date line, with the date above it if the plot is high enough.
fn draw_today(today: &DateMarker, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let (x, top) = (plot.x.at(today.timestamp), plot.area.y0 - style.label_size * 0.3);
    today.draw_line(x, (top, plot.area.y1), style, scene);
    if plot.area.height() > style.label_size * 5.0 {
        let base = top - style.label_size * 0.3;
        today.draw_label((x, base), (plot.area.x0, plot.area.x1), style, scene);
    }
}

/// Draws a dot at the last actual value, and in interactive charts of up to 1000 days invisible
/// dots at the others, so that each has a tooltip.
fn draw_points(
    chart: &Chart,
    days: &[Day],
    plot: &Plot,
    colors: &LineColors,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let last = days.iter().rposition(|day| day.actual.is_some());
    for (index, day) in days.iter().enumerate() {
        let Some(actual) = day.actual else { continue };
        let is_visible = Some(index) == last;
        if !is_visible && (!scene.interactive || days.len() > 1000) {
            continue;
        }
        scene.begin_mark("point", Some(day.row), || {
            let name = day.text(chart);
            (Some("actual".to_owned()), format!("{name}: {}", format.text(actual)))
        });
        let fill = if is_visible { colors.actual } else { colors.actual.with_opacity(0.0) };
        let radius = if is_visible { 4.5 } else { 5.0 } * style.unit;
        let rim = is_visible.then(|| Stroke::new(style.background, 1.25 * style.unit));
        let position = plot.position(day.moment, actual);
        let end = ValueEnd::new(true, position.x, position.y, 0.0);
        scene.record_value(day.row, Some("actual"), actual, end);
        scene.circle(position, radius, fill, rim);
    }
    scene.end_mark();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn missing_actual_values_are_gaps_in_line_and_area() {
        let day = |(index, actual): (usize, &Option<i32>)| json!({"date": format!("2026-03-{:02}", index + 1), "planned": 70 - 10 * index, "actual": actual});
        let count_shapes = |actual: &[Option<i32>]| {
            let data: Vec<Value> = actual.iter().enumerate().map(day).collect();
            let scene = crate::draw(&Chart::new(crate::find_kind("burndown").unwrap(), &data));
            let shapes = scene.shapes.iter().map(|shape| &shape.primitive);
            let lines = shapes.clone().filter(|shape| matches!(shape, Primitive::Polyline { .. }));
            let areas =
                shapes.filter(|shape| matches!(shape, Primitive::Path { fill: Some(_), .. }));
            (lines.count(), areas.count())
        };
        let whole = [70, 66, 61, 50, 44, 30].map(Some);
        assert_eq!(count_shapes(&whole), (2, 1));
        let [a, b, _, d, e, f] = whole;
        assert_eq!(count_shapes(&[a, b, None, d, e, f]), (3, 2));
        assert_eq!(count_shapes(&[a, b, None, d, None, f]), (2, 1));
    }

    #[test]
    fn a_plan_of_few_points_has_its_name() {
        let data = [
            json!({"date": "2024-01-01", "planned": 1200, "actual": 1200}),
            json!({"date": "2024-06-01", "planned": 700, "actual": 512}),
            json!({"date": "2024-07-01", "planned": 600, "actual": 30}),
            json!({"date": "2024-12-01", "planned": 0}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("burndown").unwrap(), &data));
        assert!(scene.text_boxes().any(|(text, _)| text == "Planned"));
    }
}
