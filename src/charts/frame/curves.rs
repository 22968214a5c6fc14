//! Content of line charts and area charts: x values, the values of each series, and a description.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission, date};

/// Values of the x axis, one for each point of each curve.
pub enum XValues<'a> {
    /// Category names, at equal distances.
    Categories(Vec<Cow<'a, str>>),
    /// Timestamps in seconds since 1970, in ascending order.
    Timestamps(Vec<f64>),
}

/// Fill of the area below a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaFill {
    /// No fill.
    None,
    /// Translucent, down to zero.
    ToZero,
    /// Opaque, down to the curve below it in the stack.
    Stacked,
}

/// One series over the x axis.
pub struct Curve {
    /// Key, title and color.
    pub series: Series,
    /// Index of the record of each point.
    pub rows: Vec<usize>,
    /// Value of each point, for labels and tooltips.
    pub values: Vec<Option<f64>>,
    /// Y value of the line at each point: the value, or the upper edge of a stacked area.
    pub tops: Vec<Option<f64>>,
    /// Lower edge of a stacked area at each point; empty for curves that are not stacked.
    pub bottoms: Vec<f64>,
}

/// Returns the indexes of the records in drawing order, with their x values.
///
/// If all labels are dates with at least a month, the x values are timestamps in ascending order.
/// Otherwise they are the labels in the order of the data. With `dates_only` they are always
/// timestamps, and records without a readable date are omitted with a warning. A record has its
/// date in the field `date`, else in `label`.
pub fn read_x_values<'a>(
    chart: &Chart<'a>,
    dates_only: bool,
    scene: &mut Scene,
) -> (Vec<usize>, XValues<'a>) {
    let read_timestamp = |record: &serde_json::Value| {
        let date = data::timestamp(data::field(record, "date"));
        date.or_else(|| data::timestamp(data::field(record, "label")))
    };
    let has_month = |record: &serde_json::Value| {
        let date = data::field(record, "date");
        let date_or_label = if date.is_null() { data::field(record, "label") } else { date };
        date_or_label.as_str().is_some_and(|text| text.len() >= 6)
    };
    let has_timestamps = dates_only
        || !chart.data.is_empty()
            && chart
                .data
                .iter()
                .all(|record| has_month(record) && read_timestamp(record).is_some());
    if !has_timestamps {
        return (
            (0..chart.data.len()).collect(),
            XValues::Categories(chart.data.iter().map(data::record_label).collect()),
        );
    }
    let mut rows: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| read_timestamp(record).map(|seconds| (seconds, row)))
        .collect();
    scene.omit(Omission::NoDate, chart.record_count().saturating_sub(rows.len()));
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    (
        rows.iter().map(|(_, row)| *row).collect(),
        XValues::Timestamps(rows.into_iter().map(|(seconds, _)| seconds).collect()),
    )
}

/// Returns one curve per series with a value in the records `rows`. The curves are not stacked. The
/// scene counts the series beyond the maximum.
pub fn read_curves(chart: &Chart, rows: &[usize], scene: &mut Scene) -> Vec<Curve> {
    let read_curve = |series: Series| {
        let mut field_index = 0;
        let read_value = |row: &usize| {
            data::number(data::field_with_hint(&chart.data[*row], &series.key, &mut field_index))
        };
        let values: Vec<Option<f64>> = rows.iter().map(read_value).collect();
        let tops = values.clone();
        Curve { series, rows: rows.to_vec(), values, tops, bottoms: Vec::new() }
    };
    let all = chart.series_for(scene).into_iter().map(read_curve);
    all.filter(|curve| curve.values.iter().any(Option::is_some)).collect()
}

/// Returns one number format that suits the values of all curves.
pub fn value_format(curves: &[Curve], rules: &FormatRules, chart: &Chart) -> NumberFormat {
    let all = curves.iter().flat_map(|curve| curve.values.iter().flatten()).copied();
    NumberFormat::for_values(all, rules, chart.locale())
}

/// Returns the description of the image: number of series, range of x and y, and the last values of
/// the first eight curves. `noun` starts the sentence.
pub fn describe(
    noun: &str,
    curves: &[Curve],
    x_values: &XValues,
    format: &NumberFormat,
    chart: &Chart,
) -> String {
    let all = || curves.iter().flat_map(|curve| curve.values.iter().flatten()).copied();
    let format_day = |timestamp: Option<&f64>| {
        timestamp.map_or(String::new(), |seconds| date::format_day(*seconds, true, chart.locale()))
    };
    let (first, last) = match x_values {
        XValues::Categories(names) => (
            names.first().map_or(String::new(), |name| name.to_string()),
            names.last().map_or(String::new(), |name| name.to_string()),
        ),
        XValues::Timestamps(timestamps) => {
            (format_day(timestamps.first()), format_day(timestamps.last()))
        }
    };
    let ends: Vec<String> = curves
        .iter()
        .take(8)
        .filter_map(|curve| {
            let end = curve.values.iter().rev().flatten().next()?;
            Some(format!("{} {}", curve.series.title, format.text(*end)))
        })
        .collect();
    format!(
        "{noun} with {} series from {first} to {last}, values from {} to {}. Last values: {}.",
        curves.len(),
        format.text(all().fold(f64::INFINITY, f64::min)),
        format.text(all().fold(f64::NEG_INFINITY, f64::max)),
        ends.join(", "),
    )
}
