//! Combo chart: columns and lines over the same categories.
//!
//! Record: `label` and a number for each series. Settings: `series` (`key`, `title`, `color`),
//! `lines` (keys of the series drawn as lines; without it the last series), `secondAxis` (a
//! separate axis for the lines on the right), `interpolation`, `showPoints`, `showValues`,
//! `showLegend`, `showGrid`, `axis`, `lineAxis`.

mod line_axis;
mod series;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::data;
use crate::format::Omission;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::category::ColumnLabels;
use crate::frame::legend;
use crate::frame::legend::Swatch;
use crate::frame::lines;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text, ValueEnd};
use crate::shape::curve;
use crate::shape::curve::Interpolation;
use crate::uneven_times;

use series::ComboSeries;

/// The combo chart.
pub const KIND: Kind = Kind { slug: "combo", draw };

/// Layout of the plot.
struct Plot {
    area: Rect,
    /// Positions of the categories.
    band: BandScale,
    /// Positions of the column values.
    column_scale: LinearScale,
    /// Positions of the line values.
    line_scale: LinearScale,
}

/// Draws legend, axes, columns and lines. Draws a note instead if no series has a number. A note tells that
/// the distances between times differ, because lines then have other slopes than on a time axis.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let parts = series::read_series(chart, &frame.style, scene);
    if parts.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(chart, &parts, scene);
    // A missing column looks like one of zero. Lines have a visible gap.
    let columns = parts.iter().filter(|part| !part.is_line);
    let column_keys = columns.map(|part| &*part.series.key);
    scene.omit(Omission::MissingValue, chart.count_gaps(column_keys));
    let names: Vec<Cow<str>> = chart.data.iter().map(data::record_label).collect();
    let has_lines = parts.iter().any(|part| part.is_line);
    if has_lines && uneven_times::are_uneven(names.iter().map(AsRef::as_ref)) {
        scene.omit(Omission::UnevenTimes, 1);
    }
    let style = &frame.style;
    let mut area = frame.area;
    if frame::needs_series_names(chart, parts.len()) {
        let swatch = |part: &ComboSeries| if part.is_line { Swatch::Line } else { Swatch::Box };
        let entries =
            parts.iter().map(|part| (&*part.series.title, part.series.color, swatch(part)));
        area = legend::draw_with_swatches(scene, style, area, entries);
    }
    let plot = draw_axes(chart, style, area, &parts, scene);
    draw_columns(chart, &parts, &plot, style, scene);
    let zero = plot.column_scale.at(0.0);
    axis::draw_baseline(scene, style, (plot.area.x0, zero), (plot.area.x1, zero));
    draw_lines(chart, &parts, &plot, style, scene);
}

/// Lays out the plot and draws the value axes, their titles, the gridlines of the left axis and the
/// category labels.
///
/// With the setting `secondAxis`, and if there are columns and lines, the lines have a separate
/// axis on the right. Otherwise the line scale equals the column scale.
fn draw_axes(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    parts: &[ComboSeries],
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    let has_line_axis = chart.bool_setting("secondAxis", false)
        && parts.iter().any(|part| part.is_line)
        && !parts.iter().all(|part| part.is_line);
    let title_area = area;
    let title_height = axis::draw_title(chart, style, scene, Rect { x1: area.center().x, ..area });
    area.y0 += title_height;
    let is_on_left_axis = |part: &&ComboSeries| !has_line_axis || !part.is_line;
    let left_keys = parts.iter().filter(is_on_left_axis).map(|part| &*part.series.key);
    let rules = chart.series_format_rules(left_keys);
    let lengths = (area.height(), axis::y_tick_spacing(style));
    let range = series::find_value_range(parts.iter().filter(is_on_left_axis));
    let lines = parts.iter().filter(|part| part.is_line && has_line_axis);
    let line_range = line_axis::choose_range(chart, lines, scene);
    let range = line_range.map_or(range, |lines| line_axis::extend_for_common_zero(range, lines));
    let mut left_axis = ValueAxis::new(chart, style, range, IncludeZero::Always, lengths, &rules);
    let line_axis = line_range
        .map(|lines| line_axis::create(chart, style, lines, (&mut left_axis, lengths.0), parts));
    if let Some(line_axis) = &line_axis {
        let height = line_axis::draw_title(chart, style, scene, title_area, line_axis.color);
        area.y0 += if title_height == 0.0 { height } else { 0.0 };
    }
    area.y0 += style.label_size * 0.4;
    let left = left_axis.left_width(style).min(area.width() * 0.4);
    let right = line_axis
        .as_ref()
        .map_or(0.0, |axis| axis.values.left_width(style).min(area.width() * 0.3));
    let sides = (area.x0 + left, (area.x1 - right).max(area.x0 + left + 1.0));
    let band = create_category_band(chart.data.len(), sides, parts, style);
    let names: Vec<Cow<str>> = chart.data.iter().map(data::record_label).collect();
    let (labels, band) = ColumnLabels::plan_whole_for_band(
        &names,
        band,
        (area.x0, area.x1),
        area.height() * 0.4,
        style,
    );
    let bottom = (area.y1 - labels.height).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let column_scale = LinearScale { domain: left_axis.domain, range: (plot.y1, plot.y0) };
    let domain = line_axis.as_ref().map_or(left_axis.domain, |axis| axis.values.domain);
    let line_scale = LinearScale { domain, range: (plot.y1, plot.y0) };
    left_axis.draw_left(scene, &axis::grid_style(chart, style), plot, &column_scale);
    if let Some(line_axis) = &line_axis {
        line_axis.draw(scene, style, plot, &line_scale, parts);
    }
    labels.draw(scene, style, plot, &band);
    Plot { area: plot, band, column_scale, line_scale }
}

/// Returns the positions of `count` categories between `sides` (in points). The gaps between
/// categories are narrower with more columns per category, and very narrow with many categories.
fn create_category_band(
    count: usize,
    sides: (f64, f64),
    parts: &[ComboSeries],
    style: &ChartStyle,
) -> BandScale {
    let columns_per_group = parts.iter().filter(|part| !part.is_line).count().max(1) as f64;
    let padding = if count > 60 { 0.1 } else { (0.65 / (columns_per_group + 0.65)).min(0.36) };
    BandScale {
        count,
        range: sides,
        padding,
        max_width: columns_per_group.sqrt() * 72.0 * style.unit,
    }
}

/// Draws the columns of all records, side by side where there are several series. If any record is
/// highlighted, the columns of the others are paler.
///
/// With the setting `showValues`, draws value labels if all of them are narrow enough, but omits
/// those in low columns and those near the point of a line.
fn draw_columns(
    chart: &Chart,
    parts: &[ComboSeries],
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let columns: Vec<&ComboSeries> = parts.iter().filter(|part| !part.is_line).collect();
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let group_width = plot.band.width();
    let group_band = |start: f64| BandScale {
        count: columns.len(),
        range: (start, start + group_width),
        padding: 0.0,
        max_width: f64::INFINITY,
    };
    let thickness = group_band(0.0).width();
    let gap = if thickness >= 5.0 && columns.len() > 1 { 1.0 } else { 0.0 };
    let has_labels =
        chart.bool_setting("showValues", false) && column_labels_fit(&columns, thickness, style);
    for (row, record) in chart.data.iter().enumerate() {
        let band = group_band(plot.band.start(row));
        for (index, part) in columns.iter().enumerate() {
            let Some(value) = part.values.get(row).copied().flatten() else { continue };
            let value_text = part.format.text(value);
            let is_muted = any_highlighted && !is_highlighted(record);
            let fill = part.series.color;
            let fill = if is_muted { fill.mix(style.background, 0.55) } else { fill };
            scene.begin_mark("bar", Some(row), || {
                (Some(part.series.key.clone()), format!("{}: {value_text}", part.series.title))
            });
            let left = band.start(index) + gap / 2.0;
            let zero = plot.column_scale.at(0.0);
            let end = bands::visible_end(&plot.column_scale, (0.0, value));
            let rect = Rect::new(left, zero.min(end), left + thickness - gap, zero.max(end));
            let (center, half_width) = (rect.center().x, rect.width() / 2.0);
            let value_end = ValueEnd::new(true, center, plot.column_scale.at(value), half_width);
            scene.record_value(row, Some(&part.series.key), value, value_end);
            scene.rect(rect, fill);
            if has_labels
                && let Some(label) =
                    create_column_label(&value_text, value < 0.0, rect, fill, style)
                && !is_crossed_by_line(&label, row, parts, plot)
            {
                scene.text(label);
            }
        }
    }
    scene.end_mark();
}

/// Returns whether every value label in the small font size is narrower than a column, which is
/// `thickness` points wide.
fn column_labels_fit(parts: &[&ComboSeries], thickness: f64, style: &ChartStyle) -> bool {
    parts.iter().all(|part| {
        let mut values = part.values.iter().flatten();
        values.all(|value| {
            style.text_width(&part.format.text(*value), style.small_size) + 2.0 <= thickness
        })
    })
}

/// Returns whether a line has its point in record `row`, or the value label above that point, at
/// the height of `label`. Looks at the points only, not at the line between them.
fn is_crossed_by_line(label: &Text, row: usize, parts: &[ComboSeries], plot: &Plot) -> bool {
    let bounds = label.bounds();
    let blocked = (bounds.y0 - label.size * 0.5)..(bounds.y1 + label.size * 2.0);
    let mut line_values =
        parts.iter().filter(|part| part.is_line).filter_map(|part| part.values.get(row)?.as_ref());
    line_values.any(|value| blocked.contains(&plot.line_scale.at(*value)))
}

/// Returns the label inside a column at its base, where lines rarely pass. `fill` is the color of
/// the column. None if the column is too low.
fn create_column_label(
    value_text: &str,
    is_negative: bool,
    rect: Rect,
    fill: Color,
    style: &ChartStyle,
) -> Option<Text> {
    let size = style.small_size;
    let color = bands::inner_label_color(fill.over(style.background));
    if rect.height() < size * 1.6 {
        return None;
    }
    let y = if is_negative { rect.y0 + size * (0.4 + ASCENT_EM) } else { rect.y1 - size * 0.5 };
    let label_text = style.label_text(rect.center().x, y, Anchor::Middle, size, value_text);
    Some(Text { color, ..label_text })
}

/// Draws the lines, clipped to the plot, and their points. With the setting `showValues`, a line
/// gets its value labels if all of them fit. Points beyond the axis have neither a dot nor a label.
fn draw_lines(
    chart: &Chart,
    parts: &[ComboSeries],
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let area = plot.area.inflate(0.0, 0.01);
    let is_inside = |point: &Point| (area.y0..=area.y1).contains(&point.y);
    let mut drawn: Vec<(&ComboSeries, Vec<Option<Point>>)> = Vec::new();
    for part in parts.iter().filter(|part| part.is_line) {
        let position = |(row, value): (usize, &Option<f64>)| {
            let y = plot.line_scale.at_unclamped((*value)?);
            Some(Point::new(plot.band.center(row), y))
        };
        let points: Vec<Option<Point>> = part.values.iter().enumerate().map(position).collect();
        let is_clipped = !points.iter().flatten().all(is_inside);
        if is_clipped {
            scene.push(Primitive::BeginClip(plot.area.inflate(0.0, 1.0)));
        }
        draw_line(chart, part, &points, style, scene);
        if is_clipped {
            scene.push(Primitive::EndClip);
        }
        let points: Vec<Option<Point>> =
            points.into_iter().map(|point| point.filter(is_inside)).collect();
        let line_axis = usize::from(plot.line_scale != plot.column_scale);
        draw_points(chart, part, (&points, line_axis), style, scene);
        drawn.push((part, points));
    }
    // After all lines, so that no line covers a value.
    for (index, (part, points)) in drawn.iter().enumerate() {
        if chart.bool_setting("showValues", false) {
            let others = drawn.iter().enumerate().filter(|(other, _)| *other != index);
            let others = others.flat_map(|(_, (_, points))| points.iter().flatten());
            let occupied: Vec<Rect> =
                others.map(|point| point_bounds(chart, *point, style)).collect();
            line_axis::draw_values((part, points), occupied, plot.area, style, scene);
        }
    }
}

/// Returns the square around a point of a line that its dot fills, whether or not the dot is drawn.
fn point_bounds(chart: &Chart, point: Point, style: &ChartStyle) -> Rect {
    let side = line_width(chart, style) * 2.8;
    Rect::from_center_size(point, (side, side))
}

/// Returns the width of all lines in points, thinner with many records.
fn line_width(chart: &Chart, style: &ChartStyle) -> f64 {
    style.unit * if chart.data.len() > 300 { 1.5 } else { 2.5 }
}

/// Draws a line with gaps at missing points, on a wider line in the background color that separates
/// it from the columns. Does not draw its dots.
fn draw_line(
    chart: &Chart,
    part: &ComboSeries,
    points: &[Option<Point>],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
    let width = line_width(chart, style);
    let runs: Vec<Vec<Point>> =
        curve::split_at_gaps(points).into_iter().map(curve::decimate).collect();
    // A wider stroke in the background color separates the line from the columns.
    for run in &runs {
        let rim = Stroke::new(style.background, width + 2.0 * style.unit).rounded();
        lines::draw_unbroken_line(scene, run.clone(), interpolation, rim);
    }
    let Series { key, title, color } = &part.series;
    scene.begin_mark("line", None, || (Some(key.clone()), title.clone()));
    for run in runs {
        let stroke = Stroke::new(*color, width).rounded();
        lines::draw_unbroken_line(scene, run, interpolation, stroke);
    }
    scene.end_mark();
}

/// Draws a dot at each point of a line, if the setting `showPoints` is not false and there are few
/// records. Otherwise draws invisible pointer targets, in interactive scenes without very many
/// records. `line_axis` is the number of the value axis of the lines, 0 for that of the columns.
fn draw_points(
    chart: &Chart,
    part: &ComboSeries,
    (points, line_axis): (&[Option<Point>], usize),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let has_dots = chart.bool_setting("showPoints", true) && chart.data.len() <= 40;
    let has_targets = scene.interactive && points.len() <= 2000;
    if !(has_dots || has_targets) {
        return;
    }
    let Series { key, title, color } = &part.series;
    for (row, point) in points.iter().enumerate() {
        let Some(point) = *point else { continue };
        scene.begin_mark("point", Some(row), || {
            let value = part.values.get(row).copied().flatten();
            let value_text = value.map_or(String::new(), |value| part.format.text(value));
            (Some(key.clone()), format!("{title}: {value_text}"))
        });
        if let Some(value) = part.values.get(row).copied().flatten() {
            let end = ValueEnd::new(true, point.x, point.y, 0.0);
            scene.record_value(row, Some(key), value, end.on_axis(line_axis));
        }
        if has_dots {
            let rim = Stroke::new(style.background, style.unit);
            scene.circle(point, line_width(chart, style) * 1.4, *color, Some(rim));
        } else {
            // An invisible circle makes the point respond to the pointer.
            scene.circle(point, 5.0, color.with_opacity(0.0), None);
        }
    }
    scene.end_mark();
}

/// Sets the text description of the scene: number of records, and form and value range of the first
/// eight series.
fn describe(chart: &Chart, parts: &[ComboSeries], scene: &mut Scene) {
    let descriptions: Vec<String> = parts
        .iter()
        .take(8)
        .map(|part| {
            let (low, high) = series::find_value_range(std::iter::once(part));
            let form = if part.is_line { "line" } else { "columns" };
            let (low, high) = (part.format.text(low), part.format.text(high));
            format!("{} ({form}) from {low} to {high}", part.series.title)
        })
        .collect();
    let count = chart.data.len();
    scene.description = format!("Combo chart of {count} records: {}.", descriptions.join(", "));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_columns_are_counted_and_gaps_of_lines_are_not() {
        let data = [
            json!({"label": "Q1", "Sales": 410, "Profit": 22, "Margin": 38}),
            json!({"label": "Q2", "Sales": 433, "Profit": null, "Margin": 36}),
            json!({"label": "Q3", "Sales": 398, "Profit": -71, "Margin": null}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert_eq!(scene.omissions, [(Omission::MissingValue, 1)]);
    }

    #[test]
    fn a_note_tells_that_the_distances_between_years_differ() {
        let omissions = |years: [u16; 3]| {
            let record = |year: u16| json!({"label": year, "Sales": year - 1900, "Margin": 5});
            crate::draw(&Chart::new(&KIND, &years.map(record))).omissions
        };
        assert_eq!(omissions([2000, 2010, 2011]), [(Omission::UnevenTimes, 1)]);
        assert_eq!(omissions([2000, 2005, 2010]), []);
    }
}
