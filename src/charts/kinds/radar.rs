//! Radar chart: criteria on spokes around a center. Each series is an outline over all spokes.
//!
//! Record: `criterion` (or `label`) and a number for each series. A missing number leaves a gap in
//! the outline and is counted in the note. A blank record has no spoke.
//!
//! Settings: `series`, `shape` (`polygon`, `circle`), `showValues` (one series only), `showLegend`,
//! `showGrid`, `axis` (`min`, `max`).

mod labels;
mod layout;
mod spread;
mod web;

use std::borrow::Cow;

use kurbo::{BezPath, Line, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::legend;
use crate::frame::line_pattern;
use crate::frame::line_pattern::LinePattern;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{LinearScale, Ticks};
use crate::scene::{Anchor, Primitive, Stroke, Text};

use labels::SingleSeries;
use layout::{CriterionLabel, RadarLayout};
use web::Web;

/// The radar chart.
pub const KIND: Kind = Kind { slug: "radar", draw };

/// Minimum number of series with space, also on small canvases.
const MIN_MAX_OUTLINES: usize = 8;
/// Space along a spoke that an outline needs, in [`ChartStyle::unit`]s: its line, its dots and a gap
/// to the next one.
const OUTLINE_SPACE: f64 = 7.0;
/// Maximum number of criteria. More spokes could not be distinguished.
const MAX_SPOKES: usize = 200;

/// Maximum number of spokes beside which the values of the rings may be. Bounds the time.
const MAX_TICK_LABEL_SPOKES: usize = 24;

/// The outline of a series, with an optional value for each criterion.
struct Outline {
    series: Series,
    values: Vec<Option<f64>>,
}

impl Outline {
    /// Returns whether neither neighbor of a spoke has a value, so that no line leads to it. The
    /// first and the last spoke are neighbors.
    fn is_isolated(&self, spoke: usize) -> bool {
        let count = self.values.len();
        let neighbors = [spoke + count - 1, spoke + 1].map(|neighbor| neighbor % count);
        neighbors.iter().all(|neighbor| self.values.get(*neighbor).is_none_or(Option::is_none))
    }
}

/// Draws the legend, the grid, the outlines and the labels. Draws a note instead if no series has a
/// value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let rows = list_spoke_rows(chart, scene);
    let criterion = |row: &usize| Some(read_criterion(chart.data.get(*row)?).into_owned());
    let criteria: Vec<String> = rows.iter().filter_map(criterion).collect();
    let max_count = count_outlines_with_space(frame.area, style);
    let outlines = read_outlines(chart, &rows, max_count, scene);
    let all_values =
        || outlines.iter().flat_map(|outline| outline.values.iter().flatten()).copied();
    let Some(first) = outlines.first() else { return frame::draw_no_data(frame, scene) };
    let rules = chart.series_format_rules(outlines.iter().map(|outline| &*outline.series.key));
    let format = NumberFormat::for_values(all_values(), &rules, chart.locale());
    describe(&outlines, &criteria, &format, scene);
    let line_color = |outline: &Outline| style.readable_line_color(outline.series.color);
    let patterns = line_pattern::choose(&outlines.iter().map(line_color).collect::<Vec<_>>());
    let (area, legend_rect) = if frame::needs_series_names(chart, outlines.len()) {
        draw_legend(&outlines, &patterns, frame.area, style, scene)
    } else {
        (frame.area, None)
    };
    let single_series = (outlines.len() == 1 && chart.bool_setting("showValues", true))
        .then_some(SingleSeries { values: &first.values, format: &format });
    let is_circular = chart.str_setting("shape") == "circle" || criteria.len() < 3;
    // The web may use the full height beside the legend, if it does not touch the legend.
    let lay_out_in = |rect| labels::lay_out(&criteria, single_series, rect, is_circular, style);
    let beside_legend = legend_rect
        .map(|legend| (legend, lay_out_in(frame.area)))
        .filter(|(legend, layout)| layout.is_clear_of(*legend, style));
    let RadarLayout { labels, center, radius, spread } = match beside_legend {
        Some((_, layout)) => layout,
        None => lay_out_in(area),
    };
    let range = all_values()
        .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    let lengths = (radius, 26.0 * style.unit);
    let axis = ValueAxis::new(chart, style, range, IncludeZero::Always, lengths, &rules);
    let axis = extend_to_ring(axis, chart, style, &rules);
    let scale = LinearScale { domain: axis.domain, range: (0.0, radius) };
    let web = Web { center, scale, spoke_count: labels.len(), is_circular };
    if chart.bool_setting("showGrid", true) {
        draw_gridlines(&web, &axis, radius, style, scene);
    }
    for (outline, pattern) in outlines.iter().zip(&patterns) {
        draw_outline((outline, *pattern), &web, outlines.len(), style, scene);
    }
    draw_points(&outlines, &rows, &web, &labels, &format, style, scene);
    labels::draw_labels(&labels, spread, &web, radius, style, scene);
    draw_tick_labels(&web, &axis, &outlines, style, scene);
}

/// Returns an axis that ends at a tick, which is a ring, at or above its end: adds one tick if
/// necessary. An end from the setting `axis.max` stays.
fn extend_to_ring(
    axis: ValueAxis,
    chart: &Chart,
    style: &ChartStyle,
    rules: &FormatRules,
) -> ValueAxis {
    let Ticks { step, mut values } = axis.ticks.clone();
    let last = values.last().copied().unwrap_or(0.0);
    if last >= axis.domain.1 - step * 1e-6 || chart.axis_limit("max") == Some(axis.domain.1) {
        return axis;
    }
    let end = last + step;
    values.push(end);
    let ticks = Ticks { step, values };
    let format = NumberFormat::for_axis(ticks.max_magnitude(), step, rules, chart.locale());
    let labels = ticks.values.iter().map(|value| format.text(*value)).collect();
    ValueAxis::linear(style, (axis.domain.0, end), ticks, labels)
}

/// Returns the number of outlines that can be distinguished in `area`, at least `MIN_MAX_OUTLINES`.
/// Spokes take about four tenths of its shorter side.
fn count_outlines_with_space(area: Rect, style: &ChartStyle) -> usize {
    let spoke_length = area.width().min(area.height()) * 0.4;
    ((spoke_length / (OUTLINE_SPACE * style.unit)) as usize).max(MIN_MAX_OUTLINES)
}

/// Draws the legend of the lines. Returns the area below it, and the bounds of the legend with its
/// swatches, None if it has no texts.
fn draw_legend(
    outlines: &[Outline],
    patterns: &[LinePattern],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> (Rect, Option<Rect>) {
    let line_color = |outline: &Outline| style.readable_line_color(outline.series.color);
    let entries = outlines
        .iter()
        .zip(patterns)
        .map(|(outline, pattern)| (&*outline.series.title, line_color(outline), *pattern));
    let shape_count = scene.shapes.len();
    let area = legend::draw_for_lines(scene, style, area, entries);
    let text_boxes =
        scene.shapes.iter().skip(shape_count).filter_map(|shape| match &shape.primitive {
            Primitive::Text(text) => Some(text.bounds()),
            _ => None,
        });
    let legend_rect = text_boxes.reduce(|a, b| a.union(b)).map(|rect| Rect { x0: area.x0, ..rect });
    (area, legend_rect)
}

/// Returns the name of the criterion of a record: the field `criterion`, or the label if that is
/// null.
fn read_criterion(record: &serde_json::Value) -> Cow<'_, str> {
    match data::field(record, "criterion") {
        title if title.is_null() => data::record_label(record),
        title => data::display_text(title),
    }
}

/// Returns the indexes of the records with a spoke: the first `MAX_SPOKES` that are not blank. The
/// scene counts the others that are not blank.
fn list_spoke_rows(chart: &Chart, scene: &mut Scene) -> Vec<usize> {
    let rows = chart.data.iter().enumerate().filter(|(_, record)| !data::is_blank(record));
    let mut rows: Vec<usize> = rows.map(|(row, _)| row).collect();
    scene.omit(Omission::NoSpace, rows.len().saturating_sub(MAX_SPOKES));
    rows.truncate(MAX_SPOKES);
    rows
}

/// Reads the first `max_count` series with at least one value. The scene counts the others, and the
/// missing values. The values are those of the records at the indexes `rows`.
fn read_outlines(
    chart: &Chart,
    rows: &[usize],
    max_count: usize,
    scene: &mut Scene,
) -> Vec<Outline> {
    let outline = |series: Series| {
        let value = |row: &usize| data::number(data::field(chart.data.get(*row)?, &series.key));
        let values = rows.iter().map(value).collect();
        Outline { series, values }
    };
    let mut series = chart.series_for(scene);
    series.retain(|series| series.key != "criterion");
    let series_count = series.len();
    let outlines = series.into_iter().map(outline);
    let mut outlines: Vec<Outline> =
        outlines.filter(|outline| outline.values.iter().any(Option::is_some)).collect();
    frame::omit_empty_series(chart, series_count, outlines.len(), scene);
    scene.omit(Omission::Series, outlines.len().saturating_sub(max_count));
    outlines.truncate(max_count);
    // A line that ends between spokes does not tell readers that a number is missing.
    let values = outlines.iter().flat_map(|outline| &outline.values);
    scene.omit(Omission::MissingValue, values.filter(|value| value.is_none()).count());
    outlines
}

/// Sets the text description of the scene: the number of criteria and series, the lowest and the
/// highest value with their series and criteria. Does nothing without values.
fn describe(outlines: &[Outline], criteria: &[String], format: &NumberFormat, scene: &mut Scene) {
    let points = || {
        outlines.iter().flat_map(|outline| {
            let pairs = outline.values.iter().zip(criteria);
            pairs.filter_map(move |(value, criterion)| {
                Some(((*value)?, criterion, &outline.series.title))
            })
        })
    };
    let lowest = points().min_by(|a, b| a.0.total_cmp(&b.0));
    let highest = points().max_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some((low, low_criterion, low_series)), Some((high, high_criterion, high_series))) =
        (lowest, highest)
    {
        scene.description = format!(
            "Radar chart of {} criteria and {} series, from {} ({}, {}) to {} ({}, {}).",
            criteria.len(),
            outlines.len(),
            format.text(low),
            low_series,
            low_criterion,
            format.text(high),
            high_series,
            high_criterion,
        );
    }
}

/// Draws a ring for each tick, and the spokes unless there are more than 60. Omits rings with a
/// radius of less than a point.
///
/// If the settings end the scale beyond the last tick, draws another ring there. `radius` is the
/// length of the spokes in points.
fn draw_gridlines(web: &Web, axis: &ValueAxis, radius: f64, style: &ChartStyle, scene: &mut Scene) {
    let stroke = Stroke::new(style.grid_color, 1.0);
    let last_distance = axis.ticks.values.last().map_or(0.0, |tick| web.scale.at(*tick));
    let outer_value = (last_distance < radius - 1.0).then_some(axis.domain.1);
    for value in axis.ticks.values.iter().copied().chain(outer_value) {
        let distance = web.scale.at(value);
        if distance < 1.0 {
            continue;
        }
        let is_zero = value == 0.0 && axis.domain.0 < 0.0;
        let stroke = if is_zero { Stroke::new(style.axis_color, 1.0) } else { stroke };
        if web.is_circular {
            scene.push(Primitive::Circle {
                center: web.center,
                radius: distance,
                fill: None,
                stroke: Some(stroke),
            });
        } else {
            scene.stroke(
                closed_path((0..web.spoke_count).map(|spoke| web.point(spoke, distance))),
                stroke,
            );
        }
    }
    // More than 60 spokes would fill the center.
    if web.spoke_count <= 60 {
        for spoke in 0..web.spoke_count {
            scene.line(web.center, web.point(spoke, radius), stroke);
        }
    }
}

/// Returns the closed polygon through the points. An empty path without points.
fn closed_path(points: impl Iterator<Item = Point>) -> BezPath {
    let mut path = BezPath::new();
    for (index, point) in points.enumerate() {
        if index == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    if !path.is_empty() {
        path.close_path();
    }
    path
}

/// Draws the line of a series. A missing value interrupts it. With one or two series, a line
/// without gaps over at least three criteria is filled with a pale color.
fn draw_outline(
    (outline, pattern): (&Outline, LinePattern),
    web: &Web,
    outline_count: usize,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let color = style.readable_line_color(outline.series.color);
    let point = |(spoke, value): (usize, &Option<f64>)| {
        value.map(|value| web.point(spoke, web.scale.at(value)))
    };
    let points: Vec<Option<Point>> = outline.values.iter().enumerate().map(point).collect();
    let stroke = pattern.apply(Stroke::new(color, 2.0 * style.unit).rounded());
    scene.begin_mark("line", None, || {
        (Some(outline.series.key.clone()), outline.series.title.clone())
    });
    if points.iter().all(Option::is_some) && points.len() > 2 {
        let path = closed_path(points.iter().flatten().copied());
        if outline_count <= 2 {
            let opacity = if outline_count == 1 { 0.2 } else { 0.1 };
            scene.fill(path.clone(), color.with_opacity(opacity));
        }
        scene.stroke(path, stroke);
    } else {
        let next = points.iter().cycle().skip(1);
        for pair in points.iter().zip(next).take(if points.len() > 2 { points.len() } else { 1 }) {
            if let (Some(from), Some(to)) = pair {
                scene.line(*from, *to, stroke);
            }
        }
    }
    scene.end_mark();
}

/// Draws dots where the outlines meet the spokes. `rows` has the index of the record of each spoke.
///
/// With more than 40 spokes, the only visible dots are those of values without a line. The others
/// are invisible and give interactive charts their tooltips. Other charts do not have them.
fn draw_points(
    outlines: &[Outline],
    rows: &[usize],
    web: &Web,
    labels: &[CriterionLabel],
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let is_crowded = web.spoke_count > 40;
    for outline in outlines {
        let color = style.readable_line_color(outline.series.color);
        for (spoke, value) in outline.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let is_visible = !is_crowded || outline.is_isolated(spoke);
            if !is_visible && !scene.interactive {
                continue;
            }
            scene.begin_mark("point", rows.get(spoke).copied(), || {
                let criterion = labels.get(spoke).map_or("", |label| &label.name);
                let tooltip =
                    format!("{}, {criterion}: {}", outline.series.title, format.text(*value));
                (Some(outline.series.key.clone()), tooltip)
            });
            let fill = if is_visible { color } else { color.with_opacity(0.0) };
            scene.circle(web.point(spoke, web.scale.at(*value)), 3.25 * style.unit, fill, None);
        }
    }
    scene.end_mark();
}

/// Draws the values of the rings beside a spoke: the first one, unless the outlines leave more
/// space beside another one. Values that would overlap dots or texts or are close to the center are
/// omitted, and in small charts all of them.
fn draw_tick_labels(
    web: &Web,
    axis: &ValueAxis,
    outlines: &[Outline],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.small_size;
    if web.scale.range.1 < size * 4.0 {
        return;
    }
    let mut occupied: Vec<Rect> = scene.text_boxes().map(|entry| entry.1).collect();
    let mut lines: Vec<Line> = Vec::new();
    let dot_diameter = 6.5 * style.unit;
    for outline in outlines {
        let values = outline.values.iter().enumerate();
        let points: Vec<Option<Point>> =
            values.map(|(spoke, value)| Some(web.point(spoke, web.scale.at((*value)?)))).collect();
        let next = points.iter().cycle().skip(1);
        lines.extend(points.iter().zip(next).filter_map(|(a, b)| Some(Line::new((*a)?, (*b)?))));
        occupied.extend(
            points
                .iter()
                .flatten()
                .map(|point| Rect::from_center_size(*point, (dot_diameter, dot_diameter))),
        );
    }
    let is_occupied = |bounds: Rect| occupied.iter().any(|other| other.overlaps(bounds));
    let conflicts = |labels: &Vec<Text>| -> usize {
        let count = |label: &Text| {
            let bounds = label.bounds();
            let crossing = lines.iter().filter(|line| crosses(**line, bounds)).count();
            if is_occupied(bounds) { 100 } else { crossing }
        };
        labels.iter().map(count).sum()
    };
    let places = (0..web.spoke_count.min(MAX_TICK_LABEL_SPOKES))
        .flat_map(|spoke| [(spoke, Anchor::End), (spoke, Anchor::Start)]);
    let candidates =
        places.map(|(spoke, anchor)| list_tick_labels(web, axis, spoke, anchor, style));
    // The first of equal candidates is that at the first spoke.
    for text in candidates.min_by_key(conflicts).unwrap_or_default() {
        if !is_occupied(text.bounds()) {
            scene.text(Text { halo: Some(style.background), ..text });
        }
    }
}

/// Returns the placed values of the rings beside a spoke, without those close to the center. They
/// are left of the spoke with `Anchor::End`, otherwise right of it. Ignores overlaps.
fn list_tick_labels(
    web: &Web,
    axis: &ValueAxis,
    spoke: usize,
    anchor: Anchor,
    style: &ChartStyle,
) -> Vec<Text> {
    let size = style.small_size;
    let direction = web.spoke_direction(spoke);
    let side = if anchor == Anchor::End { -1.0 } else { 1.0 };
    let label = |(value, label): (&f64, &String)| {
        let distance = web.scale.at(*value);
        // The number is placed inside its ring, so that it does not touch the label of the spoke.
        let inside = distance - size * 0.6;
        let point = web.center + direction * inside;
        let baseline = point.y + size * 0.35;
        let text = style.label_text(point.x + side * size * 0.45, baseline, anchor, size, label);
        (inside > size * 0.7).then_some(text)
    };
    axis.ticks.values.iter().zip(&axis.labels).filter_map(label).collect()
}

/// Returns whether a line segment passes through a rectangle. May miss a crossing shorter than a
/// point.
fn crosses(line: Line, rect: Rect) -> bool {
    // Samples a point apart find every crossing of more than a point.
    let count = (line.p1 - line.p0).hypot().ceil().max(1.0);
    (0..=count as usize).any(|index| rect.contains(line.p0.lerp(line.p1, index as f64 / count)))
}

#[cfg(test)]
mod tests;
