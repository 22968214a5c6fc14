//! Grouped columns: one group per record, one column per series side by side.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::frame;
use crate::frame::bands;
use crate::frame::bands::{BandPlot, BandPlotSpec};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::scale::BandScale;

/// Space between two groups as a multiple of the width of one column.
const GROUP_GAP: f64 = 0.65;

/// Values and value labels. Both are indexed by series first, then by record.
struct ColumnValues {
    values: Vec<Vec<Option<f64>>>,
    /// Formatted values. Empty where a record has no value.
    labels: Vec<Vec<String>>,
}

/// Draws one group of columns per record, with value labels if they fit.
///
/// Draws the value axis only without value labels or with `showGrid`, and the legend only for
/// several series, unless `showLegend` is false. The scene counts the series without a value. Draws
/// a note instead if the data has no values.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (series, values) = read_values(chart, scene);
    if series.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let keys = series.iter().map(|series| &*series.key);
    scene.omit(Omission::MissingValue, chart.count_gaps(keys));
    let style = &frame.style;
    let is_vertical = chart.str_setting("orientation") != "horizontal";
    let mut area = frame.area;
    if frame::needs_series_names(chart, series.len()) {
        let entries = series.iter().map(|series| (&*series.title, series.color));
        area = legend::draw(scene, style, area, entries);
    }
    let rules = chart.series_format_rules(series.iter().map(|series| &*series.key));
    let all_values = || values.iter().flatten().flatten().copied();
    let format = NumberFormat::for_values(all_values(), &rules, chart.locale());
    describe(chart, &series, &format, all_values(), scene);
    let format_value =
        |value: &Option<f64>| value.map_or(String::new(), |value| format.text(value));
    let labels: Vec<Vec<String>> =
        values.iter().map(|series| series.iter().map(format_value).collect()).collect();
    let series_count = series.len() as f64;
    let padding = GROUP_GAP / (series_count + GROUP_GAP);
    let length = if is_vertical { area.width() * 0.94 } else { area.height() };
    let column_width = length / chart.data.len() as f64 * (1.0 - padding) / series_count;
    let label_size = choose_label_size(chart, &labels, area, is_vertical, column_width, style);
    let label_space = label_size.map_or(0.0, |size| {
        bands::compute_label_space(is_vertical, size, measure_widest_label(&labels, size, style))
    });
    let names: Vec<_> = chart.data.iter().map(data::record_label).collect();
    let spec = BandPlotSpec {
        category_names: &names,
        is_vertical,
        range: all_values()
            .fold((0.0, 0.0), |(low, high), value| (low.min(value), high.max(value))),
        is_log: false,
        rules: &rules,
        label_space: (label_space, label_space),
        // Value labels are more precise than an axis, so the axis would only repeat them.
        show_axis: label_size.is_none() || chart.bool_setting("showGrid", false),
        padding,
        max_width: series_count * if is_vertical { 56.0 } else { 30.0 } * style.unit,
        ends_at_last_column: false,
    };
    let bands = BandPlot::new(chart, style, scene, area, &spec);
    let column_values = ColumnValues { values, labels };
    draw_columns(&series, &column_values, &bands, style, label_size, scene);
    bands.draw_baseline(style, scene);
}

/// Returns the series with at least one number, and their values by series first, then by record. A
/// value is None if the record has no number. The scene counts the other series.
fn read_values(chart: &Chart, scene: &mut Scene) -> (Vec<Series>, Vec<Vec<Option<f64>>>) {
    let read_series = |series: Series| -> (Series, Vec<Option<f64>>) {
        let number = |record| data::number(data::field(record, &series.key));
        let values = chart.data.iter().map(number).collect();
        (series, values)
    };
    let all = chart.series_for(scene);
    let count = all.len();
    let all = all.into_iter().map(read_series);
    let (series, values): (Vec<Series>, Vec<_>) =
        all.filter(|(_, values)| values.iter().any(Option::is_some)).unzip();
    frame::omit_empty_series(chart, count, series.len(), scene);
    (series, values)
}

/// Returns the larger of the two label sizes, in points, at which all value labels fit.
///
/// None if they fit at neither, if upright columns are too low for labels, or if the setting
/// `showValues` is false. `column_width` is the thickness of a column or bar in points.
fn choose_label_size(
    chart: &Chart,
    labels: &[Vec<String>],
    area: Rect,
    is_vertical: bool,
    column_width: f64,
    style: &ChartStyle,
) -> Option<f64> {
    let fits = |size: &f64| {
        let widest = measure_widest_label(labels, *size, style);
        if is_vertical {
            widest + 1.0 <= column_width && area.height() > size * 7.0
        } else {
            size * 1.05 <= column_width
        }
    };
    let label_size = [style.label_size, style.small_size].into_iter().find(fits);
    label_size.filter(|_| chart.bool_setting("showValues", true))
}

/// Returns the width of the widest value label in points, at the font size `size` in points. 0
/// without labels.
fn measure_widest_label(labels: &[Vec<String>], size: f64, style: &ChartStyle) -> f64 {
    labels.iter().flatten().map(|label| style.text_width(label, size)).fold(0.0, f64::max)
}

/// Sets the text description of the scene, in English: number of groups, names of the series and
/// the value range.
fn describe(
    chart: &Chart,
    series: &[Series],
    format: &NumberFormat,
    values: impl Iterator<Item = f64> + Clone,
    scene: &mut Scene,
) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let titles: Vec<&str> = series.iter().map(|series| &*series.title).collect();
    scene.description = format!(
        "Grouped bar chart of {} groups with {} series ({}), values from {} to {}.",
        chart.data.len(),
        series.len(),
        titles.join(", "),
        format.text(low),
        format.text(high),
    );
}

/// Draws the columns side by side in each group, and their value labels when `label_size` is given.
/// A missing value leaves its place in the group empty.
fn draw_columns(
    series: &[Series],
    columns: &ColumnValues,
    bands: &BandPlot,
    style: &ChartStyle,
    label_size: Option<f64>,
    scene: &mut Scene,
) {
    let group_width = bands.category_scale.width();
    // Adjacent columns are separated by 1 point of background, except columns under 5 points, which
    // would lose too much of their width.
    let gap = if group_width / series.len() as f64 >= 5.0 { 1.0 } else { 0.0 };
    for row in 0..columns.values.first().map_or(0, Vec::len) {
        let start = bands.category_scale.start(row);
        let group = BandScale {
            count: series.len(),
            range: (start, start + group_width),
            padding: 0.0,
            max_width: f64::INFINITY,
        };
        for (index, series) in series.iter().enumerate() {
            let Some(value) = columns.values[index][row] else { continue };
            let label = &columns.labels[index][row];
            scene.begin_mark("bar", Some(row), || {
                (Some(series.key.clone()), format!("{}: {label}", series.title))
            });
            let left = group.start(index) + gap / 2.0;
            let rect = bands.bar_rect((left, left + group.width() - gap), (0.0, value));
            let half_width = (group.width() - gap) / 2.0;
            let end = bands.value_end(left + half_width, value, half_width);
            scene.record_value(row, Some(&series.key), value, end);
            scene.rect(rect, series.color);
            if let Some(size) = label_size {
                scene.text(bands.end_label(style, rect, value < 0.0, size, label));
            }
        }
    }
    scene.end_mark();
}
