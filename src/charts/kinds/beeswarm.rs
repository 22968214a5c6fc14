//! Beeswarm: each record is a dot at its value, and dots of similar values lie beside each other.
//!
//! Record: `label`, `value` (a number, or a duration such as `2:06:39`), `group`, `size`,
//! `highlighted`, `color`. Each group is a row or column. Settings: `orientation` (`horizontal`,
//! `vertical`), `showMedian`, `showLabels`, `showGrid`, `axis`.

mod names;
mod packing;
mod records;

use std::borrow::Cow;
use std::collections::BTreeMap;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::kinds::point_map::size_legend;
use crate::kinds::point_map::size_legend::Sizes;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{Primitive, Stroke, ValueEnd};

use packing::PackedDot;
use records::{Dot, Swarm};

/// The beeswarm.
pub const KIND: Kind = Kind { slug: "beeswarm", draw };

/// Share of the space left of the plot into which names of dots may reach.
const NAME_REACH: f64 = 0.4;
/// Maximum number of dots that are packed without overlap. More dots are stacked in intervals.
const MAX_PACKED_DOTS: usize = 6000;
/// Number of dots up to which all radii are tried. More dots are small, which bounds the time.
const MAX_LARGE_DOTS: usize = 2000;
/// Maximum radius of very many dots, in units.
const MAX_SMALL_RADIUS: f64 = 2.5;
/// Maximum number of dots that are drawn as individual shapes.
const MAX_INDIVIDUAL_SHAPES: usize = 1500;
/// Radii of dots to try, in units, the largest first.
const RADII: [f64; 9] = [9.0, 7.5, 6.0, 5.0, 4.0, 3.25, 2.5, 2.0, 1.5];
/// Share of half a band that dots may fill.
const FILLED_SHARE: f64 = 0.46;

/// Scales of the laid-out plot.
struct Plot {
    /// Plot area.
    area: Rect,
    /// Whether values run from bottom to top. Otherwise they run from left to right.
    is_vertical: bool,
    /// Scale from groups to coordinates.
    groups: BandScale,
    /// Scale from values to coordinates.
    values: LinearScale,
}

impl Plot {
    /// Returns the position `across` points right of the middle of a group (below it in rows), at
    /// the coordinate `along` of the value axis in points.
    fn point(&self, group: usize, across: f64, along: f64) -> Point {
        let middle = self.groups.center(group) + across;
        if self.is_vertical { Point::new(middle, along) } else { Point::new(along, middle) }
    }
}

/// A dot with its position on the canvas.
struct PlacedDot<'a> {
    dot: &'a Dot,
    /// Center on the canvas, in points.
    center: Point,
    /// Radius in points.
    radius: f64,
    fill: Color,
}

/// The drawn median of a group, or its label.
struct Median {
    /// Area of the line or of the label, in points.
    area: Rect,
    /// Value in words. Empty for the area of a label.
    text: String,
}

/// Draws the axis, the groups, the dots and their names. Draws a note instead if no record has a
/// value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let swarm = records::read(chart);
    if swarm.dots.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    chart.omit_missing("value", scene);
    let style = &frame.style;
    let values = || swarm.dots.iter().map(|dot| dot.value);
    let format = swarm.format(values(), chart);
    describe(&swarm, &format, scene);
    let range = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let is_sized = swarm.max_size > 0.0 && frame.area.height() > style.label_size * 12.0;
    let mut plot_frame = frame.clone();
    if is_sized {
        plot_frame.area.y0 += 2.0 * size_legend::max_radius(style) + style.unit * 6.0;
    }
    let plot = draw_axes(chart, &swarm, range, &plot_frame, scene);
    let (low, high) = plot.values.domain;
    let visible: Vec<&Dot> =
        swarm.dots.iter().filter(|dot| low <= dot.value && dot.value <= high).collect();
    scene.omit(Omission::OutOfRange, swarm.dots.len() - visible.len());
    let placed = place(chart, &swarm, &visible, &plot, style, scene);
    if is_sized && placed.iter().any(|dot| dot.radius != first_radius(&placed)) {
        draw_size_legend(chart, &swarm, &placed, frame.area, style, scene);
    }
    // Very many dots would hide the medians.
    let is_batched = placed.len() > MAX_INDIVIDUAL_SHAPES;
    if is_batched {
        draw_dots(&placed, (&format, plot.is_vertical), chart, style, scene);
    }
    let mut medians = draw_medians(chart, &swarm, &plot, style, scene);
    if !is_batched {
        draw_dots(&placed, (&format, plot.is_vertical), chart, style, scene);
    }
    names::draw_median_labels(chart, &placed, &mut medians, plot.area, style, scene);
    let mut taken: Vec<Rect> = medians.iter().map(|median| median.area).collect();
    // A name may reach into the space of the group names, but only so far that it looks like none.
    taken.extend(scene.text_boxes().map(|(_, bounds)| bounds.inflate(4.0, 0.0)));
    let reach = (plot.area.x0 - frame.area.x0).max(0.0) * NAME_REACH;
    let limits = Rect { x0: plot.area.x0 - reach, ..plot.area };
    names::draw(chart, &placed, &taken, limits, style, scene);
}

/// Returns the radius of the first dot in points, or 0 without dots.
fn first_radius(placed: &[PlacedDot]) -> f64 {
    placed.first().map_or(0.0, |dot| dot.radius)
}

/// Draws a legend of sample circles for the column `size` at the top of `area`. Draws nothing if no
/// dot has a size.
fn draw_size_legend(
    chart: &Chart,
    swarm: &Swarm,
    placed: &[PlacedDot],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let largest = placed.iter().max_by(|one, two| one.dot.size.total_cmp(&two.dot.size));
    let Some(largest) = largest.filter(|dot| dot.dot.size > 0.0) else { return };
    let values: Vec<f64> = placed.iter().map(|dot| dot.dot.size).collect();
    let max_factor = size_factor(swarm, largest.dot.size);
    let radius = |size: f64| largest.radius * size_factor(swarm, size) / max_factor;
    let sizes = Sizes { values: &values, radius: &radius, column: "size", title: "" };
    let color = style.readable_line_color(chart.series_color(0));
    size_legend::draw(chart, &sizes, &[color], style, area, scene);
}

/// Returns the factor by which the radius of a dot is multiplied: 2 for the largest size, for
/// others less in proportion to the square root of their size, but at least 0.5. 1 without sizes.
fn size_factor(swarm: &Swarm, size: f64) -> f64 {
    match swarm.max_size {
        max if max > 0.0 => (size / max).sqrt().max(0.25) * 2.0,
        _ => 1.0,
    }
}

/// Sets the text description of the scene: number of dots and groups, lowest and highest value.
fn describe(swarm: &Swarm, format: &NumberFormat, scene: &mut Scene) {
    let compare = |one: &&Dot, two: &&Dot| one.value.total_cmp(&two.value);
    let lowest = swarm.dots.iter().min_by(compare);
    let highest = swarm.dots.iter().max_by(compare);
    if let (Some(low), Some(high)) = (lowest, highest) {
        let name = |dot: &Dot| match dot.label.as_str() {
            "" => String::new(),
            label => format!(" ({label})"),
        };
        scene.description = format!(
            "Beeswarm of {} records in {} groups, from {}{} to {}{}.",
            swarm.dots.len(),
            swarm.groups.len(),
            format.text(low.value),
            name(low),
            format.text(high.value),
            name(high),
        );
    }
}

/// Lays out the plot and draws axis title, gridlines, tick labels and the names of the groups.
fn draw_axes(
    chart: &Chart,
    swarm: &Swarm,
    range: (f64, f64),
    frame: &Frame,
    scene: &mut Scene,
) -> Plot {
    let style = &frame.style;
    let mut area = frame.area;
    area.y0 += axis::draw_title(chart, style, scene, area);
    let names: Vec<Cow<str>> =
        swarm.groups.iter().map(|group| Cow::Borrowed(group.as_str())).collect();
    let rules = chart.format_rules("value");
    let grid_style = &*axis::grid_style(chart, style);
    let band = |range: (f64, f64)| BandScale {
        count: names.len().max(1),
        range: (range.0, range.1.max(range.0 + 1.0)),
        padding: 0.0,
        max_width: f64::INFINITY,
    };
    let lay_out_axis = |lengths: (f64, f64)| {
        ValueAxis::new(chart, style, range, IncludeZero::WhenAdjacent, lengths, &rules)
    };
    if chart.str_setting("orientation") == "vertical" {
        area.y0 += style.label_size * 0.4;
        let lengths = (area.height(), axis::y_tick_spacing(style));
        let values = lay_out_axis(lengths);
        let left = area.x0 + values.left_width(style).min(area.width() * 0.4);
        let groups = band((left, area.x1));
        let labels = ColumnLabels::plan_below(&names, &groups, area.height() * 0.4, style);
        let bottom = (area.y1 - labels.height).max(area.y0 + 1.0);
        let plot = Rect::new(left, area.y0, groups.range.1, bottom);
        let scale = LinearScale { domain: values.domain, range: (plot.y1, plot.y0) };
        values.draw_left(scene, grid_style, plot, &scale);
        labels.draw(scene, style, plot, &groups);
        return Plot { area: plot, is_vertical: true, groups, values: scale };
    }
    let bottom = (area.y1 - ValueAxis::bottom_height(style)).max(area.y0 + 1.0);
    let groups = band((area.y0, bottom));
    let labels = RowLabels::plan(&names, groups.step(), area.width() * 0.3, style);
    let left = area.x0 + labels.width;
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let lengths = (plot.width(), axis::x_tick_spacing(style));
    let values = lay_out_axis(lengths);
    // Dots at the ends of the axis stay inside the plot.
    let inset = (6.0 * style.unit).min(plot.width() * 0.1);
    let scale = LinearScale { domain: values.domain, range: (plot.x0 + inset, plot.x1 - inset) };
    values.draw_bottom(scene, grid_style, plot, &scale);
    labels.draw(scene, style, area.x0, &groups);
    Plot { area: plot, is_vertical: false, groups, values: scale }
}

/// Places the dots: packed without overlap, with the largest radius that fits in all groups. If
/// none fits, or if there are more than `MAX_PACKED_DOTS`, they are stacked in intervals with one
/// small radius that ignores their sizes, and the scene counts all of them as overlapping.
fn place<'a>(
    chart: &Chart,
    swarm: &Swarm,
    visible: &[&'a Dot],
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<PlacedDot<'a>> {
    let max_across = (plot.groups.step() * FILLED_SHARE).max(1.0);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); swarm.groups.len().max(1)];
    for (index, dot) in visible.iter().enumerate() {
        members.get_mut(dot.group).into_iter().for_each(|group| group.push(index));
    }
    let size_factor = |dot: &Dot| size_factor(swarm, dot.size);
    let prepare = |group: &[usize], radius: f64, is_sized: bool| -> Vec<PackedDot> {
        let dot = |index: &usize| {
            let dot = visible.get(*index)?;
            let factor = if is_sized { size_factor(dot) } else { 1.0 };
            let gap = (radius * 0.12).min(0.5);
            let along = plot.values.at(dot.value);
            Some(PackedDot { along, radius: radius * factor + gap, across: 0.0 })
        };
        group.iter().filter_map(dot).collect()
    };
    let try_radius = |radius: f64| -> Option<Vec<Vec<PackedDot>>> {
        let pack_group = |group: &Vec<usize>| {
            let mut packed = prepare(group, radius, true);
            packing::pack(&mut packed, max_across).then_some(packed)
        };
        members.iter().map(pack_group).collect()
    };
    let count = visible.len();
    let is_tried = |radius: &&f64| {
        count <= MAX_PACKED_DOTS && (count <= MAX_LARGE_DOTS || **radius <= MAX_SMALL_RADIUS)
    };
    let radii = RADII.iter().filter(is_tried).map(|radius| radius * style.unit);
    let found = radii.into_iter().find_map(|radius| Some((radius, try_radius(radius)?)));
    let is_stacked = found.is_none();
    let (radius, groups) = found.unwrap_or_else(|| {
        let radius = (1.5 * style.unit).min(max_across);
        let stack_group = |group: &Vec<usize>| {
            let mut stacked = prepare(group, radius, false);
            packing::stack(&mut stacked, max_across);
            stacked
        };
        (radius, members.iter().map(stack_group).collect())
    });
    if is_stacked {
        scene.omit(Omission::Overlap, visible.len());
    }
    let groups = members.iter().zip(groups);
    let size_factor = |dot: &Dot| if is_stacked { 1.0 } else { size_factor(dot) };
    list_placed(chart, visible, groups, plot, &|dot| radius * size_factor(dot), style)
}

/// Returns the dots of all groups with their positions on the canvas. Item `n` of `groups` belongs
/// to group `n`: indexes in `visible`, and the packed position of each. `radius_of` returns the
/// radius of a dot in points.
fn list_placed<'a, 'b>(
    chart: &Chart,
    visible: &[&'a Dot],
    groups: impl Iterator<Item = (&'b Vec<usize>, Vec<PackedDot>)>,
    plot: &Plot,
    radius_of: &dyn Fn(&Dot) -> f64,
    style: &ChartStyle,
) -> Vec<PlacedDot<'a>> {
    let any_highlighted = visible.iter().any(|dot| dot.highlighted);
    let mut placed = Vec::with_capacity(visible.len());
    for (group, (indexes, packed)) in groups.enumerate() {
        for (index, packed) in indexes.iter().zip(packed) {
            let Some(dot) = visible.get(*index).copied() else { continue };
            let center = plot.point(group, packed.across, packed.along);
            let fill = choose_fill(chart, dot, any_highlighted, style);
            placed.push(PlacedDot { dot, center, radius: radius_of(dot), fill });
        }
    }
    placed
}

/// Returns the color of a dot: that of its record if it has one. Otherwise, if any dot is
/// highlighted, the highlight color for a highlighted dot and gray for others. Otherwise the first
/// series color. Any of these is darkened or lightened if its contrast with the background is too
/// low.
fn choose_fill(chart: &Chart, dot: &Dot, any_highlighted: bool, style: &ChartStyle) -> Color {
    let color = dot.color.unwrap_or_else(|| match (any_highlighted, dot.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
        _ => chart.series_color(0),
    });
    style.readable_line_color(color)
}

/// Draws a line at the median of each group with at least three dots, unless the setting
/// `showMedian` is false or the median is beyond the axis. Returns the lines, which names avoid.
fn draw_medians(
    chart: &Chart,
    swarm: &Swarm,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<Median> {
    let mut medians = Vec::new();
    if !chart.bool_setting("showMedian", true) {
        return medians;
    }
    let format = swarm.format(swarm.medians(), chart);
    for group in 0..swarm.groups.len() {
        let Some(median) = swarm.median(group) else { continue };
        let (low, high) = plot.values.domain;
        if median < low || median > high {
            continue;
        }
        let half = plot.groups.step() * FILLED_SHARE;
        let along = plot.values.at(median);
        let (start, end) = (plot.point(group, -half, along), plot.point(group, half, along));
        let term = chart.locale().translate(Term::Median);
        let text = format!("{term} {}", format.text(median));
        scene.begin_mark("median", None, || {
            let name = swarm.groups.get(group).map_or("", String::as_str);
            (None, format!("{name} {text}").trim().to_owned())
        });
        scene.line(start, end, Stroke::new(style.text_color, 1.75 * style.unit));
        medians.push(Median { area: Rect::from_points(start, end).inflate(1.0, 1.0), text });
    }
    scene.end_mark();
    medians
}

/// Draws the dots. Very many dots are drawn as one batch per color and radius, and only records
/// that annotations refer to get a mark. `is_vertical` states whether the value axis is vertical.
fn draw_dots(
    placed: &[PlacedDot],
    (format, is_vertical): (&NumberFormat, bool),
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let is_batched = placed.len() > MAX_INDIVIDUAL_SHAPES;
    if is_batched {
        let mut batches: BTreeMap<([u8; 4], i64), Vec<Point>> = BTreeMap::new();
        for dot in placed {
            let Color { r, g, b, a } = dot.fill;
            // Radii are rounded to half points, so that there are few batches.
            let key = ([r, g, b, a], (dot.radius * 2.0).round() as i64);
            batches.entry(key).or_default().push(dot.center);
        }
        for (([r, g, b, a], half_points), points) in batches {
            let (fill, radius) = (Color { r, g, b, a }, half_points as f64 / 2.0);
            scene.push(Primitive::Dots { points, radius, fill });
        }
    }
    for dot in placed {
        let row = dot.dot.row;
        if is_batched && !scene.requires_mark(row) {
            continue;
        }
        scene.begin_mark("point", Some(row), || {
            (Some("value".to_owned()), dot.dot.tooltip(format, chart))
        });
        let (across, along) = match is_vertical {
            true => (dot.center.x, dot.center.y),
            false => (dot.center.y, dot.center.x),
        };
        let end = ValueEnd::new(is_vertical, across, along, dot.radius);
        scene.record_value(row, Some("value"), dot.dot.value, end);
        if is_batched {
            scene.circle(dot.center, dot.radius, dot.fill.with_opacity(0.0), None);
            continue;
        }
        let rim = Stroke::new(style.background, 0.5);
        scene.circle(dot.center, dot.radius, dot.fill, (dot.radius > 2.0).then_some(rim));
    }
    scene.end_mark();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn sizes_have_a_legend() {
        let dot = |index: usize| json!({"label": format!("Town {index}"), "value": index * 7 % 31, "size": 10 + index * 90});
        let data: Vec<Value> = (0..12).map(dot).collect();
        let texts = |data: &[Value]| -> Vec<String> {
            let scene = crate::draw(&Chart::new(crate::find_kind("beeswarm").unwrap(), data));
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
        };
        assert!(texts(&data).contains(&"500".to_owned()), "{:?}", texts(&data));
        let without: Vec<Value> =
            data.iter().map(|dot| json!({"label": dot["label"], "value": dot["value"]})).collect();
        assert!(!texts(&without).contains(&"500".to_owned()));
    }
}
