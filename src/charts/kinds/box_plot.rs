//! Box plot: a box from the first to the third quartile, a line at the median, and whiskers.
//!
//! Record: `label`, `min`, `q1`, `median`, `q3`, `max`, `highlighted`; or `label` and `values`, the
//! sample itself as a list. Settings: `orientation` (`vertical`, `horizontal`), `whiskers`
//! (`tukey`: up to the last value within 1.5 box lengths, with outliers as dots; `range`: from the
//! minimum to the maximum), `sort` (by median), `showValues` (medians), `showGrid`, `axis`.

mod sample;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};

use sample::Sample;

/// The box plot.
pub const KIND: Kind = Kind { slug: "box-plot", draw };

/// Scales of the laid-out plot.
struct Plot {
    /// Whether boxes stand side by side. Otherwise they lie below each other.
    is_vertical: bool,
    /// Scale from category indexes to coordinates.
    category_scale: BandScale,
    /// Scale from values to coordinates.
    value_scale: LinearScale,
}

impl Plot {
    /// Returns the rectangle from `start` to `end` on the category axis (in points) and from `low`
    /// to `high` on the value axis (in values).
    fn rect(&self, (start, end): (f64, f64), (low, high): (f64, f64)) -> Rect {
        let (from, to) = (self.value_scale.at(low), self.value_scale.at(high));
        if self.is_vertical {
            Rect::new(start, from.min(to), end, from.max(to))
        } else {
            Rect::new(from.min(to), start, from.max(to), end)
        }
    }

    /// Draws a line between two positions, each a coordinate on the category axis in points and a
    /// value.
    fn line(&self, from: (f64, f64), to: (f64, f64), stroke: Stroke, scene: &mut Scene) {
        let position = |(across, value): (f64, f64)| {
            let along = self.value_scale.at(value);
            if self.is_vertical { (across, along) } else { (along, across) }
        };
        scene.line(position(from), position(to), stroke);
    }
}

/// Draws one box per record, with axes, and with the setting `showValues` median labels if all of
/// them fit. Draws a note instead if no record has statistics.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let samples = sample::read_samples(chart, scene);
    if samples.iter().flat_map(Sample::drawn_values).next().is_none() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let rules = chart.shared_format_rules(["median", "values", "q1", "q3", "min", "max"]);
    let medians: Vec<Option<f64>> = samples
        .iter()
        .map(|sample| sample.statistics.map(|statistics| statistics.median))
        .collect();
    let format =
        NumberFormat::for_values(medians.iter().flatten().copied(), &rules, chart.locale());
    let samples: Vec<&Sample> =
        chart.sorted_indices(&medians).into_iter().filter_map(|index| samples.get(index)).collect();
    let range = samples.iter().flat_map(|sample| sample.drawn_values());
    let range = range.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    describe(&samples, &format, range, scene);
    let is_vertical = chart.str_setting("orientation") != "horizontal";
    let plot = draw_axes(chart, &samples, range, is_vertical, &rules, frame, scene);
    let any_highlighted = samples.iter().any(|sample| sample.highlighted);
    for (index, sample) in samples.iter().enumerate() {
        let color = match (any_highlighted, sample.highlighted) {
            (false, _) => chart.series_color(0),
            (true, true) => chart.theme.highlight_color,
            (true, false) => style.muted_color.mix(style.background, 0.15),
        };
        scene.begin_mark("box", Some(sample.row), || {
            (None, sample.tooltip(&format, chart.locale()))
        });
        draw_box(sample, index, &plot, color, style, scene);
    }
    scene.end_mark();
    if chart.bool_setting("showValues", true) {
        draw_median_labels(&samples, &plot, &format, style, scene);
    }
}

/// Sets the text description of the scene: number of samples, range, lowest and highest median.
///
/// Counts only samples with statistics.
fn describe(samples: &[&Sample], format: &NumberFormat, range: (f64, f64), scene: &mut Scene) {
    let medians = || samples.iter().filter_map(|sample| Some((sample.statistics?.median, *sample)));
    let lowest = medians().min_by(|a, b| a.0.total_cmp(&b.0));
    let highest = medians().max_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some(low), Some(high)) = (lowest, highest) {
        scene.description = format!(
            "Box plot of {} samples between {} and {}; medians from {} ({}) to {} ({}).",
            medians().count(),
            format.text(range.0),
            format.text(range.1),
            format.text(low.0),
            low.1.label,
            format.text(high.0),
            high.1.label,
        );
    }
}

/// Lays out the plot and draws the axis title, grid lines, tick labels and category labels, and the
/// baseline at zero if the axis crosses zero.
fn draw_axes(
    chart: &Chart,
    samples: &[&Sample],
    range: (f64, f64),
    is_vertical: bool,
    rules: &FormatRules,
    frame: &Frame,
    scene: &mut Scene,
) -> Plot {
    let style = &frame.style;
    let mut area = frame.area;
    area.y0 += axis::draw_title(chart, style, scene, area);
    let names: Vec<Cow<str>> = samples.iter().map(|sample| Cow::Borrowed(&*sample.label)).collect();
    let grid_style = &*axis::grid_style(chart, style);
    let category_scale_between = |edges: (f64, f64), max_width: f64| BandScale {
        count: names.len(),
        range: edges,
        padding: 0.45,
        max_width,
    };
    if is_vertical {
        area.y0 += style.label_size * 0.4;
        let lengths = (area.height(), axis::y_tick_spacing(style));
        let values = ValueAxis::new(chart, style, range, IncludeZero::WhenAdjacent, lengths, rules);
        let left = area.x0 + values.left_width(style).min(area.width() * 0.4);
        let category_scale =
            category_scale_between((left, area.x1.max(left + 1.0)), 60.0 * style.unit);
        let (sides, max_height) = ((area.x0, area.x1), area.height() * 0.4);
        let (labels_below, category_scale) =
            ColumnLabels::plan_whole_for_band(&names, category_scale, sides, max_height, style);
        let plot = Rect::new(
            left,
            area.y0,
            category_scale.range.1,
            (area.y1 - labels_below.height).max(area.y0 + 1.0),
        );
        let value_scale = LinearScale { domain: values.domain, range: (plot.y1, plot.y0) };
        values.draw_left(scene, grid_style, plot, &value_scale);
        draw_zero_line(&values, &value_scale, is_vertical, plot, style, scene);
        labels_below.draw(scene, style, plot, &category_scale);
        return Plot { is_vertical, category_scale, value_scale };
    }
    let bottom = (area.y1 - ValueAxis::bottom_height(style)).max(area.y0 + 1.0);
    let category_scale = category_scale_between((area.y0, bottom), 36.0 * style.unit);
    let labels_left = RowLabels::plan(&names, category_scale.step(), area.width() * 0.36, style);
    let plot = Rect::new(
        area.x0 + labels_left.width,
        area.y0,
        area.x1.max(area.x0 + labels_left.width + 1.0),
        bottom,
    );
    let lengths = (plot.width(), axis::x_tick_spacing(style));
    let values = ValueAxis::new(chart, style, range, IncludeZero::WhenAdjacent, lengths, rules);
    let value_scale = LinearScale { domain: values.domain, range: (plot.x0, plot.x1) };
    values.draw_bottom(scene, grid_style, plot, &value_scale);
    draw_zero_line(&values, &value_scale, is_vertical, plot, style, scene);
    labels_left.draw(scene, style, area.x0, &category_scale);
    Plot { is_vertical, category_scale, value_scale }
}

/// Draws the baseline at zero if the axis `values` crosses zero.
fn draw_zero_line(
    values: &ValueAxis,
    value_scale: &LinearScale,
    is_vertical: bool,
    plot: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !values.crosses_zero() {
        return;
    }
    let zero = value_scale.at(0.0);
    let (start, end) = if is_vertical {
        ((plot.x0, zero), (plot.x1, zero))
    } else {
        ((zero, plot.y0), (zero, plot.y1))
    };
    axis::draw_baseline(scene, style, start, end);
}

/// Draws whiskers, box, median line and outliers of the sample at position `index` of the category
/// axis.
///
/// The box has a tint of `color`, paler if the sample is not highlighted. Draws nothing for a
/// sample without statistics.
fn draw_box(
    sample: &Sample,
    index: usize,
    plot: &Plot,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(statistics) = sample.statistics else { return };
    let (middle, width) = (plot.category_scale.center(index), plot.category_scale.width().max(1.0));
    let start = middle - width / 2.0;
    let line_color = style.readable_line_color(color);
    let whisker_stroke = Stroke::new(line_color, (1.25 * style.unit).min(width * 0.5));
    for (from, to) in [(statistics.low, statistics.q1), (statistics.q3, statistics.high)] {
        if from < to {
            plot.line((middle, from), (middle, to), whisker_stroke, scene);
        }
    }
    // A cap on the box would mark an end that is unknown or that of the box.
    for (end, quartile) in [(statistics.low, statistics.q1), (statistics.high, statistics.q3)] {
        let cap = width * 0.22;
        if width >= 6.0 && end != quartile {
            plot.line((middle - cap, end), (middle + cap, end), whisker_stroke, scene);
        }
    }
    let rect = plot.rect((start, start + width), (statistics.q1, statistics.q3));
    let fill = color.mix(style.background, if sample.highlighted { 0.15 } else { 0.5 });
    scene.rect(rect, fill);
    let median_stroke =
        Stroke::new(style.line_color_on(fill), (2.25 * style.unit).min(width.max(1.0)));
    plot.line((start, statistics.median), (start + width, statistics.median), median_stroke, scene);
    let radius = (2.5 * style.unit).min(width * 0.5).max(0.75);
    for value in &sample.outliers {
        let along = plot.value_scale.at(*value);
        let center = if plot.is_vertical { (middle, along) } else { (along, middle) };
        let rim = Stroke::new(line_color, style.unit);
        scene.circle(center, radius, style.background, Some(rim));
    }
}

/// Draws the medians right of vertical boxes or above horizontal ones, all in the label size or all
/// in the small size. Draws none if they do not all fit: then readers read the medians on the axis, which
/// always has ticks, as with columns and bars without labels. No note counts them therefore.
fn draw_median_labels(
    samples: &[&Sample],
    plot: &Plot,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let gap = plot.category_scale.step() - plot.category_scale.width();
    let median_text =
        |sample: &Sample| sample.statistics.map(|statistics| format.text(statistics.median));
    let fits = |size: &f64| {
        let widest = samples
            .iter()
            .filter_map(|sample| median_text(sample))
            .map(|label| style.text_width(&label, *size))
            .fold(0.0, f64::max);
        if plot.is_vertical {
            widest + size <= gap
        } else {
            size * 1.3 <= gap && samples.len() <= 60
        }
    };
    let Some(size) = [style.label_size, style.small_size].into_iter().find(fits) else { return };
    for (index, sample) in samples.iter().enumerate() {
        let (Some(statistics), Some(label)) = (sample.statistics, median_text(sample)) else {
            continue;
        };
        let along = plot.value_scale.at(statistics.median);
        let (middle, half_box) =
            (plot.category_scale.center(index), plot.category_scale.width() / 2.0);
        let text = if plot.is_vertical {
            let y = along + HALF_CAP_HEIGHT_EM * size;
            style.label_text(middle + half_box + size * 0.35, y, Anchor::Start, size, &label)
        } else {
            let half_text = style.text_width(&label, size) / 2.0;
            let (low, high) = plot.value_scale.range;
            let x = along.clamp(low + half_text, (high - half_text).max(low + half_text));
            style.label_text(x, middle - half_box - size * 0.28, Anchor::Middle, size, &label)
        };
        scene.text(Text { color: style.value_color, halo: Some(style.background), ..text });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_names_below_boxes_of_a_small_chart_are_in_a_list() {
        let names = [
            "Universitätsklinikum Nord",
            "Kreiskrankenhaus Altstadt",
            "Rehabilitationszentrum Seeblick",
            "Tagesklinik Mitte",
            "Fachklinik für Orthopädie",
            "Gesundheitszentrum West",
            "Kinderkrankenhaus",
            "Geriatrie Sonnenhof",
        ];
        let data = names.map(|name| json!({"label": name, "values": [20, 30, 40, 50]}));
        let chart = Chart { width: 320.0, height: 180.0, ..Chart::new(&KIND, &data) };
        assert_eq!(crate::draw(&chart).omissions, []);
    }

    #[test]
    fn boxes_without_whiskers_have_no_caps() {
        let count_lines = |data: &[serde_json::Value]| {
            let settings = json!({"showGrid": false});
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(&KIND, data) });
            let is_line = |shape: &&crate::scene::Shape| {
                matches!(shape.primitive, crate::scene::Primitive::Line { .. })
            };
            scene.shapes.iter().filter(is_line).count()
        };
        let without = json!({"label": "A", "q1": 2, "median": 3, "q3": 4});
        let with = json!({"label": "A", "min": 1, "q1": 2, "median": 3, "q3": 4, "max": 5});
        let lower = json!({"label": "A", "min": 1, "q1": 2, "median": 3, "q3": 4});
        let counts =
            [&without, &lower, &with].map(|record| count_lines(std::slice::from_ref(record)));
        assert_eq!([counts[1] - counts[0], counts[2] - counts[0]], [2, 4], "{counts:?}");
    }

    #[test]
    fn the_axis_replaces_the_labels_of_many_boxes() {
        let record = |index: usize| json!({"label": format!("C{index}"), "values": [1_000, 1_237, 1_300 + index]});
        let data: Vec<serde_json::Value> = (0..40).map(record).collect();
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert!(scene.text_boxes().all(|(text, _)| text != "1,237"));
        assert_eq!(scene.omissions, []);
    }
}
