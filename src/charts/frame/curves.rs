//! Content of line charts and area charts: x values, the values of each series, and a description.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::date::Precision;
use crate::format::{FormatRules, NumberFormat, Omission, date};
use crate::frame;
use crate::frame::axis;
use crate::frame::period_gaps;

/// Kinds with an axis of numbers below the plot if their labels are numbers.
const KINDS_WITH_NUMBERS: [&str; 3] = ["area", "line", "small-multiples"];
/// Minimum number of labels of an axis of numbers.
const MIN_NUMBERS: usize = 3;
/// Number from which whole numbers may be years or codes.
const MIN_CODE: f64 = 1000.0;
/// Number from which the digits of whole numbers are separated into groups on the axis.
const MIN_GROUPED: f64 = 10_000.0;
/// Number of digits from which whole numbers of equal length may be codes.
const MIN_CODE_DIGITS: Option<i32> = Some(3);
/// Whole numbers above 0 are rather quantities than identifiers if all are multiples of this number.
const ROUND_STEP: f64 = 5.0;

/// Values of the x axis, one for each point of each curve.
#[derive(Clone)]
pub enum XValues<'a> {
    /// Category names, at equal distances.
    Categories(Vec<Cow<'a, str>>),
    /// Timestamps in seconds since 1970, in ascending order.
    Timestamps(Vec<f64>),
    /// Numbers at distances that are proportional to their differences, in ascending order.
    Numbers(Vec<f64>),
}

/// Fill of the area below a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaFill {
    /// No fill.
    None,
    /// Translucent, down to zero.
    ToZero,
    /// Opaque, in the bands of the curve.
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
    /// Y value of the line at each point: the value, or the edge of a stacked area away from zero.
    pub tops: Vec<Option<f64>>,
    /// Edge of a stacked area on the side of zero at each point; empty for curves that are not
    /// stacked.
    pub bottoms: Vec<f64>,
    /// Drawn parts of a stacked area; empty for curves that are not stacked.
    pub bands: Vec<AreaBand>,
}

/// A part of a stacked area without a break, on one side of zero.
pub struct AreaBand {
    /// Index of the first point.
    pub start: usize,
    /// Y values of the edge on the side of zero and of the other edge, at each point. The band of a
    /// single point is drawn as a narrow bar.
    pub edges: Vec<(f64, f64)>,
}

/// Returns the indexes of the records in drawing order, with their x values.
///
/// If all records have dates, some with at least a month, or years at uneven distances, the x values are
/// timestamps in ascending order. Labels of `KINDS_WITH_NUMBERS` that are numbers at uneven distances
/// are numbers in ascending order if they are surely no identifiers. Otherwise they are the labels in the
/// order of the data, or of time for fiscal periods that go forth and back. With `dates_only` they are
/// always timestamps, and the scene counts the omitted records without a readable date. A record has its
/// date in the field `date`, else in `label`. Blank records do not count.
pub fn read_x_values<'a>(
    chart: &Chart<'a>,
    dates_only: bool,
    scene: &mut Scene,
) -> (Vec<usize>, XValues<'a>) {
    let numbers = if dates_only { None } else { read_numbers(chart) };
    if let Some((rows, numbers)) = numbers {
        return (rows, XValues::Numbers(numbers));
    }
    if !dates_only && !has_dates(chart) {
        let mut rows: Vec<usize> = (0..chart.data.len()).collect();
        let mut names: Vec<Cow<str>> = chart.data.iter().map(data::record_label).collect();
        period_gaps::sort_periods(&mut rows, &mut names);
        return (rows, XValues::Categories(names));
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

/// Returns the indexes of the records and their labels as numbers, both in ascending order of the numbers, if
/// all labels of a chart with lines are surely quantities in rising order at uneven distances. A line
/// through them at even distances would have wrong slopes.
///
/// None for less than `MIN_NUMBERS`, for numbers at equal ratios, such as 1, 10, 100, which are even on a
/// logarithmic axis, and for numbers that may be identifiers, see [`may_be_identifiers`]. None for
/// falling numbers, such as days before an event, because the table has the order of time.
fn read_numbers(chart: &Chart) -> Option<(Vec<usize>, Vec<f64>)> {
    if !KINDS_WITH_NUMBERS.contains(&chart.kind.slug) {
        return None;
    }
    let records = chart.data.iter().enumerate().filter(|(_, record)| !data::is_blank(record));
    let read = |(row, record): (usize, &Value)| Some((row, read_plain_number(record)?));
    let (rows, numbers): (Vec<usize>, Vec<f64>) =
        records.map(read).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let steps: Vec<f64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let differ = |one: f64, other: f64| (one - other).abs() > one.abs().max(other.abs()) * 1e-6;
    let is_uneven = steps.windows(2).any(|pair| differ(pair[0], pair[1]));
    let ratios: Vec<f64> = numbers.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let is_logarithmic = numbers.iter().all(|number| *number > 0.0)
        && !ratios.windows(2).any(|pair| differ(pair[0], pair[1]));
    let are_quantities = numbers.len() >= MIN_NUMBERS
        && steps.iter().all(|step| *step > 0.0)
        && is_uneven
        && !is_logarithmic
        && !may_be_identifiers(&numbers);
    are_quantities.then_some((rows, numbers))
}

/// Returns whether numbers may be identifiers instead of quantities, such as numbers of rooms, routes or
/// articles: none has decimals, is negative or 0, and the numbers have the same number of digits, at
/// least `MIN_CODE_DIGITS`, or are not all multiples of `ROUND_STEP`. All numbers from `MIN_CODE` on may
/// be identifiers, too.
fn may_be_identifiers(numbers: &[f64]) -> bool {
    let is_positive_integer = |number: &f64| number.fract() == 0.0 && *number > 0.0;
    let count_digits = |number: f64| number.log10().floor() as i32 + 1;
    let lengths = || numbers.iter().map(|number| count_digits(*number));
    let has_code_length = lengths().min() == lengths().max() && lengths().min() >= MIN_CODE_DIGITS;
    let are_large = numbers.iter().all(|number| *number >= MIN_CODE);
    let are_round = numbers.iter().all(|number| number % ROUND_STEP == 0.0);
    numbers.iter().all(is_positive_integer) && (has_code_length || are_large || !are_round)
}

/// Returns the label of a record as a number. None for a record with a date, and for a text with anything
/// but digits, a sign and a separator, such as a unit.
fn read_plain_number(record: &Value) -> Option<f64> {
    let label = data::field(record, "label");
    let is_plain = |text: &str| {
        let has_zeros = text.len() > 1 && text.starts_with('0') && !text.contains(['.', ',']);
        let is_part = |c: char| c.is_ascii_digit() || ['.', ',', '-', '−', ' '].contains(&c);
        text.chars().all(is_part) && !has_zeros
    };
    let is_number = data::field(record, "date").is_null()
        && label.as_str().is_none_or(|text| is_plain(text.trim()));
    data::number(label).filter(|_| is_number)
}

/// Returns the date of a record in seconds since 1970: that in the field `date`, or in `label` if
/// `date` is not readable. None without a readable date.
fn read_timestamp(record: &Value) -> Option<f64> {
    let date = data::timestamp(data::field(record, "date"));
    date.or_else(|| data::timestamp(data::field(record, "label")))
}

/// Returns the precision of the most precise date of the records, see `read_x_values`. Years
/// without any date.
pub fn find_precision(chart: &Chart) -> Precision {
    let mut finest = Precision::Year;
    for record in chart.data {
        let fields = ["date", "label"].map(|key| data::field(record, key));
        let date = fields.into_iter().find(|value| data::timestamp(value).is_some());
        let Some(date) = date else { continue };
        finest = finest.max(date.as_str().map_or(Precision::Year, Precision::of_text));
        if finest == Precision::Day {
            break;
        }
    }
    finest
}

/// Returns whether the x values are shown as dates: each record has a date or a year, and at least one has a
/// month too, or the years have uneven distances. Years at equal distances stay categories, so that each of
/// them has a label. False without records.
fn has_dates(chart: &Chart) -> bool {
    let records = || chart.data.iter().filter(|record| !data::is_blank(record));
    let has_month = |record: &Value| {
        let date = data::field(record, "date");
        let date_or_label = if date.is_null() { data::field(record, "label") } else { date };
        date_or_label.as_str().is_some_and(|text| text.trim().len() >= 6)
    };
    if !records().all(|record| read_timestamp(record).is_some()) || records().next().is_none() {
        return false;
    }
    records().any(has_month) || has_uneven_years(records())
}

/// Returns whether the records are years in ascending or descending order at uneven distances.
///
/// False if any year is outside 1500 to 2199, because other numbers with four digits may be codes.
fn has_uneven_years<'a>(records: impl Iterator<Item = &'a Value>) -> bool {
    let years: Vec<i32> =
        records.filter_map(read_timestamp).map(|seconds| date::to_civil(seconds).year).collect();
    let steps: Vec<i32> = years.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let is_ordered = steps.iter().all(|step| *step > 0) || steps.iter().all(|step| *step < 0);
    let is_uneven = steps.windows(2).any(|pair| pair[0] != pair[1]);
    is_ordered && is_uneven && years.iter().all(|year| (1500..2200).contains(year))
}

/// Returns one curve per series with a value in the records `rows`, in the order of the series. The
/// points have the order of `rows`. A row without a record is a gap. The curves are not stacked.
/// The scene counts the series beyond the maximum and those without a value.
pub fn read_curves(chart: &Chart, rows: &[usize], scene: &mut Scene) -> Vec<Curve> {
    let read_curve = |series: Series| {
        let mut field_index = 0;
        let read_value = |row: &usize| {
            let record = chart.data.get(*row)?;
            data::number(data::field_with_hint(record, &series.key, &mut field_index))
        };
        let values: Vec<Option<f64>> = rows.iter().map(read_value).collect();
        let tops = values.clone();
        Curve { series, rows: rows.to_vec(), values, tops, bottoms: Vec::new(), bands: Vec::new() }
    };
    let series = chart.series_for(scene);
    let series_count = series.len();
    let all = series.into_iter().map(read_curve);
    let curves: Vec<Curve> = all.filter(|curve| curve.values.iter().any(Option::is_some)).collect();
    frame::omit_empty_series(chart, series_count, curves.len(), scene);
    curves
}

/// Returns whether the value axis is logarithmic, see [`axis::choose_log`]. If it is, values that
/// are not above zero become gaps, which the scene counts, and series without other values are
/// removed. Changes no curve otherwise.
pub fn apply_log_axis(chart: &Chart, curves: &mut Vec<Curve>, scene: &mut Scene) -> bool {
    let all = curves.iter().flat_map(|curve| curve.values.iter().flatten()).copied();
    if !axis::choose_log(chart, all, scene) {
        return false;
    }
    let mut count = 0;
    for curve in curves.iter_mut() {
        for (value, top) in curve.values.iter_mut().zip(&mut curve.tops) {
            if value.is_some_and(|value| value <= 0.0) {
                (*value, *top) = (None, None);
                count += 1;
            }
        }
    }
    scene.omit(Omission::NotOnLogAxis, count);
    curves.retain(|curve| curve.values.iter().any(Option::is_some));
    true
}

/// Removes the curves of which all values are above `axis.max` or all are below `axis.min`. The
/// scene counts their values. Removes nothing if no curve would be left.
pub fn remove_hidden(chart: &Chart, curves: &mut Vec<Curve>, scene: &mut Scene) {
    let low = chart.axis_limit("min").unwrap_or(f64::NEG_INFINITY);
    let high = chart.axis_limit("max").unwrap_or(f64::INFINITY);
    let is_hidden = |curve: &Curve| {
        let values = || curve.values.iter().flatten();
        values().all(|value| *value < low) || values().all(|value| *value > high)
    };
    if low < high && !curves.iter().all(is_hidden) {
        let hidden = curves.iter().filter(|curve| is_hidden(curve));
        let count = hidden.map(|curve| curve.values.iter().flatten().count()).sum();
        scene.omit(Omission::OutOfRange, count);
        curves.retain(|curve| !is_hidden(curve));
    }
}

/// Returns one number format that suits the values of all curves, for value labels and tooltips.
pub fn value_format(curves: &[Curve], rules: &FormatRules, chart: &Chart) -> NumberFormat {
    let all = curves.iter().flat_map(|curve| curve.values.iter().flatten()).copied();
    NumberFormat::for_values(all, rules, chart.locale())
}

/// Returns the format rules of an x axis with these numbers. Whole numbers below `MIN_GROUPED` may be
/// years, so that their digits are not separated.
pub fn number_rules(numbers: &[f64], chart: &Chart) -> FormatRules {
    let may_be_year = |number: &f64| number.fract() == 0.0 && number.abs() < MIN_GROUPED;
    let rules = chart.format_rules("label");
    let grouped = rules.grouped && !numbers.iter().all(may_be_year);
    FormatRules { grouped, ..rules }
}

/// Formats a number of the x axis `numbers` with all its decimals.
pub fn format_number(number: f64, numbers: &[f64], chart: &Chart) -> String {
    let rules = number_rules(numbers, chart);
    NumberFormat::for_values(std::iter::once(number), &rules, chart.locale()).text(number)
}

/// Returns the description of the image, in English: number of series, range of x and y, and the
/// last values of the first eight curves. `noun` starts the sentence.
pub fn describe(
    noun: &str,
    curves: &[Curve],
    x_values: &XValues,
    format: &NumberFormat,
    chart: &Chart,
) -> String {
    let all = || curves.iter().flat_map(|curve| curve.values.iter().flatten()).copied();
    let precision = find_precision(chart);
    let format_moment = |timestamp: Option<&f64>| {
        timestamp.map_or(String::new(), |seconds| precision.format(*seconds, chart.locale()))
    };
    let (first, last) = match x_values {
        XValues::Categories(names) => (
            names.first().map_or(String::new(), |name| name.to_string()),
            names.last().map_or(String::new(), |name| name.to_string()),
        ),
        XValues::Timestamps(timestamps) => {
            (format_moment(timestamps.first()), format_moment(timestamps.last()))
        }
        XValues::Numbers(numbers) => {
            let format_end = |number: Option<&f64>| {
                number.map_or(String::new(), |number| format_number(*number, numbers, chart))
            };
            (format_end(numbers.first()), format_end(numbers.last()))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Locale;
    use crate::color;

    /// Returns the x values of records with these labels, followed by a blank record. None for
    /// categories.
    fn read_timestamps(labels: &[Value]) -> Option<Vec<String>> {
        let mut records: Vec<Value> =
            labels.iter().map(|label| json!({"label": label, "s1": 5})).collect();
        records.push(json!({"label": null, "s1": ""}));
        let kind = crate::find_kind("line").expect("a kind");
        let mut scene = Scene::new(720.0, 405.0, color::WHITE);
        let (rows, x_values) = read_x_values(&Chart::new(kind, &records), false, &mut scene);
        assert!(scene.omissions.is_empty());
        match x_values {
            XValues::Categories(_) | XValues::Numbers(_) => None,
            XValues::Timestamps(timestamps) => {
                assert_eq!(rows.len(), timestamps.len());
                let day = |seconds: &f64| {
                    date::format_with_pattern(*seconds, "YYYY-MM-DD", Locale::default())
                };
                Some(timestamps.iter().map(day).collect())
            }
        }
    }

    #[test]
    fn dates_and_uneven_years_are_timestamps() {
        let dates = [json!("2024-03-09"), json!("2024-01-02")];
        assert_eq!(read_timestamps(&dates).unwrap(), ["2024-01-02", "2024-03-09"]);
        let years = [json!("1990"), json!("2000"), json!("2005")];
        assert_eq!(read_timestamps(&years).unwrap(), ["1990-01-01", "2000-01-01", "2005-01-01"]);
        assert_eq!(read_timestamps(&[json!(2024), json!(2023), json!(2020)]).unwrap().len(), 3);
        assert_eq!(read_timestamps(&[json!("2023"), json!("2024-03")]).unwrap().len(), 2);
    }

    /// Returns the labels as numbers of an axis. None for categories and dates.
    fn read_axis_numbers(labels: &[Value]) -> Option<Vec<f64>> {
        let records: Vec<Value> =
            labels.iter().map(|label| json!({"label": label, "s1": 5})).collect();
        let kind = crate::find_kind("line").expect("a kind");
        let mut scene = Scene::new(720.0, 405.0, color::WHITE);
        match read_x_values(&Chart::new(kind, &records), false, &mut scene).1 {
            XValues::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    #[test]
    fn uneven_numbers_have_their_distances() {
        let numbers = [json!("0"), json!("5"), json!(10), json!("50"), json!("100")];
        assert_eq!(read_axis_numbers(&numbers).unwrap(), [0.0, 5.0, 10.0, 50.0, 100.0]);
        let decimals = [json!("-3"), json!(-0.5), json!(1), json!(2.5)];
        assert_eq!(read_axis_numbers(&decimals).unwrap(), [-3.0, -0.5, 1.0, 2.5]);
        let round = [json!(5), json!(10), json!(50), json!(200)];
        assert_eq!(read_axis_numbers(&round).unwrap(), [5.0, 10.0, 50.0, 200.0]);
        for labels in [
            [json!(100), json!(30), json!(1)],
            [json!(101), json!(110), json!(999)],
            [json!(100), json!(150), json!(300)],
            [json!(9), json!(11), json!(100)],
            [json!(10), json!(20), json!(30)],
            [json!(0.1), json!(1), json!(10)],
            [json!(10115), json!(10117), json!(10178)],
            [json!("01"), json!("02"), json!("05")],
            [json!("5 mg"), json!("10 mg"), json!("50 mg")],
            [json!(1), json!(5), json!(2)],
            [json!(1), json!(5), json!("Total")],
        ] {
            assert_eq!(read_axis_numbers(&labels), None, "{labels:?}");
        }
    }

    #[test]
    fn numbers_that_may_be_years_have_no_separators() {
        let years = [500, 800, 1000, 1500, 2000];
        let records = years.map(|year| json!({"label": year, "s1": 5}));
        let kind = crate::find_kind("line").expect("a kind");
        let chart = Chart::new(kind, &records);
        let scene = crate::draw(&chart);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(years.iter().all(|year| texts.contains(&&*year.to_string())), "{texts:?}");
        assert_eq!(format_number(1500.0, &[1500.0, 20_000.0], &chart), "1,500");
    }

    #[test]
    fn even_years_codes_and_names_stay_categories() {
        for labels in [
            [json!("2000"), json!("2005"), json!("2010")],
            [json!(1200), json!(1210), json!(3400)],
            [json!(2001), json!(2009), json!(2004)],
            [json!("2024-01-02"), json!("2024-03-09"), json!("Total")],
        ] {
            assert_eq!(read_timestamps(&labels), None, "{labels:?}");
        }
    }
}
