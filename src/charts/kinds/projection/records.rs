//! Points of a projection chart: history, forecast and bands at each date or label.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Omission;
use crate::frame::curves::XValues;
use crate::times_of_day;

/// A record with its values.
pub struct Moment {
    /// Index of the record in the data.
    pub row: usize,
    /// Known value.
    pub actual: Option<f64>,
    /// Expected value.
    pub expected: Option<f64>,
    /// Column of the expected value.
    pub expected_key: &'static str,
    /// Lower and upper ends of the inner and of the outer band. None without both ends.
    pub bands: [Option<(f64, f64)>; 2],
}

impl Moment {
    /// Returns whether the record has an expected value or a band and no known value.
    pub fn is_forecast(&self) -> bool {
        self.actual.is_none() && (self.expected.is_some() || self.bands != [None, None])
    }

    /// Returns the known value, the expected value and both ends of the bands, as far as they
    /// exist.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        let ends = self.bands.into_iter().flatten().flat_map(|(low, high)| [low, high]);
        self.actual.into_iter().chain(self.expected).chain(ends)
    }
}

/// Keys of the lower and upper ends of the bands.
pub const BAND_KEYS: [(&str, &str); 2] = [("low", "high"), ("low2", "high2")];

/// The records in drawing order, with their x values.
pub struct Moments<'a> {
    pub moments: Vec<Moment>,
    pub x_values: XValues<'a>,
}

/// Reads the records. If at least half of them have a date, the others are omitted and the x values
/// are dates in ascending order. Otherwise the x values are the labels in the order of the data.
///
/// The scene counts omitted records and the ends of bands that lack the other end. Warns about
/// repeated dates.
pub fn read_moments<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Moments<'a> {
    let (rows, x_values) = read_x_values(chart, scene);
    let starts = find_forecast_start(chart, &rows);
    let mut half_bands = 0;
    let mut read_moment = |(position, row): (usize, &usize)| {
        let record = chart.data.get(*row).unwrap_or(&Value::Null);
        let number = |key: &str| data::number(data::field(record, key));
        let bands = BAND_KEYS.map(|(low_key, high_key)| {
            let (low, high) = (number(low_key), number(high_key));
            half_bands += usize::from(low.is_some() != high.is_some());
            // People swap the columns.
            low.zip(high).map(|(low, high)| (low.min(high), low.max(high)))
        });
        let value = number("value");
        let is_forecast = starts.is_some_and(|start| position >= start)
            || data::is_true(data::field(record, "isForecast"));
        let projected = number("projected");
        Moment {
            row: *row,
            actual: value.filter(|_| !is_forecast),
            expected: projected.or(value.filter(|_| is_forecast)),
            expected_key: if projected.is_some() { "projected" } else { "value" },
            bands,
        }
    };
    let moments = rows.iter().enumerate().map(&mut read_moment).collect();
    scene.omit(Omission::MissingValue, half_bands);
    let moments = Moments { moments, x_values };
    if moments.has_repeated_date() {
        scene.warn("Several records have the same date; the line passes through all of them.");
    }
    moments
}

impl Moments<'_> {
    /// Returns whether two known or two expected values have the same date. A known and an expected
    /// value may have, because the forecast starts where the known values end.
    fn has_repeated_date(&self) -> bool {
        let XValues::Timestamps(dates) = &self.x_values else { return false };
        let is_repeated = |(moments, dates): (&[Moment], &[f64])| match (moments, dates) {
            ([one, two], [first, second]) => {
                let both_actual = one.actual.is_some() && two.actual.is_some();
                let both_expected = one.expected.is_some() && two.expected.is_some();
                first == second && (both_actual || both_expected)
            }
            _ => false,
        };
        self.moments.windows(2).zip(dates.windows(2)).any(is_repeated)
    }
}

/// Returns the indexes of the records in drawing order, with their x values. If at least half of
/// the records have a date, these are the dates, ascending, and the scene counts records without
/// one. Otherwise they are the labels of all records in the order of the data.
fn read_x_values<'a>(chart: &Chart<'a>, scene: &mut Scene) -> (Vec<usize>, XValues<'a>) {
    let mut dated: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| Some((read_date(record)?, row)))
        .collect();
    let record_count = chart.record_count();
    if dated.is_empty() || dated.len() * 2 < record_count {
        let names = chart.data.iter().map(data::record_label).collect();
        return ((0..chart.data.len()).collect(), XValues::Categories(names));
    }
    scene.omit(Omission::NoDate, record_count.saturating_sub(dated.len()));
    dated.sort_by(|one, two| one.0.total_cmp(&two.0));
    (
        dated.iter().map(|(_, row)| *row).collect(),
        XValues::Timestamps(dated.into_iter().map(|(seconds, _)| seconds).collect()),
    )
}

/// Returns the date of a record in seconds since 1970: that of the field `date`, else of `label`.
fn read_date(record: &Value) -> Option<f64> {
    let date = data::timestamp(data::field(record, "date"));
    date.or_else(|| data::timestamp(data::field(record, "label")))
}

/// Returns the position in `rows` of the first forecast: that of the setting `forecastStart`, which
/// is a label or a date (then the first record on or after it). None if no record matches.
///
/// Without the setting, returns None if any record has a field `isForecast` or `projected`, which
/// mark the forecasts themselves. Otherwise the forecast begins with the first band wider than
/// zero, if records with only a value precede it and none follow.
fn find_forecast_start(chart: &Chart, rows: &[usize]) -> Option<usize> {
    let record = |row: &usize| chart.data.get(*row).unwrap_or(&Value::Null);
    let start = chart.setting("forecastStart");
    if !data::display_text(start).is_empty() {
        let time = || times_of_day::timestamp(start.as_str()?);
        let date = chart.timestamp_setting("forecastStart").or_else(time);
        let is_start = |row: &usize| match (date, read_date(record(row))) {
            (Some(start), Some(date)) => date >= start,
            _ => data::record_label(record(row)) == data::display_text(start),
        };
        return rows.iter().position(is_start);
    }
    let has_field = |key: &str| rows.iter().any(|row| !data::field(record(row), key).is_null());
    if has_field("isForecast") || has_field("projected") {
        return None;
    }
    let number = |row: &usize, key: &str| data::number(data::field(record(row), key));
    let has_band = |row: &usize| {
        BAND_KEYS.iter().any(|(low, high)| match (number(row, low), number(row, high)) {
            (Some(low), Some(high)) => low != high,
            _ => false,
        })
    };
    let first = rows.iter().position(has_band)?;
    let is_only_value = |row: &usize| number(row, "value").is_some() && !has_band(row);
    let follows = rows.iter().skip(first).any(is_only_value);
    (!follows && rows.iter().take(first).any(is_only_value)).then_some(first)
}

/// Returns the label of the record of `moment`. Empty if it has none.
pub fn moment_name<'a>(chart: &Chart<'a>, moment: &Moment) -> Cow<'a, str> {
    chart.data.get(moment.row).map(data::record_label).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::find_kind;

    /// Returns the known and the expected value of each record, in drawing order.
    fn read_values(data: &[Value], settings: Value) -> Vec<(Option<f64>, Option<f64>)> {
        let chart =
            Chart { settings: &settings, ..Chart::new(find_kind("projection").unwrap(), data) };
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let moments = read_moments(&chart, &mut scene).moments;
        moments.iter().map(|moment| (moment.actual, moment.expected)).collect()
    }

    #[test]
    fn the_forecast_begins_with_the_band() {
        let data = [
            json!({"date": "2026", "value": 3, "low": 2, "high": 4}),
            json!({"date": "2024", "value": 1}),
            json!({"date": "2025", "value": 2, "low": 2, "high": 2}),
        ];
        let expected = [(Some(1.0), None), (Some(2.0), None), (None, Some(3.0))];
        assert_eq!(read_values(&data, Value::Null), expected);
        let all = [(Some(1.0), None), (None, Some(2.0)), (None, Some(3.0))];
        assert_eq!(read_values(&data, json!({"forecastStart": "2025"})), all);
    }

    #[test]
    fn a_column_of_projected_values_leaves_the_values_known() {
        let data = [
            json!({"label": "a", "value": 1, "low": 0, "high": 2}),
            json!({"label": "b", "projected": 2, "low": 1, "high": 3}),
        ];
        assert_eq!(read_values(&data, Value::Null), [(Some(1.0), None), (None, Some(2.0))]);
    }

    #[test]
    fn a_band_around_all_values_is_no_forecast() {
        let data = [json!({"label": "a", "value": 1, "low": 0, "high": 2})];
        assert_eq!(read_values(&data, Value::Null), [(Some(1.0), None)]);
    }

    #[test]
    fn repeated_dates_are_reported() {
        let count_warnings = |data: &[Value]| {
            let chart = Chart::new(find_kind("projection").unwrap(), data);
            let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
            read_moments(&chart, &mut scene);
            scene.warnings.len()
        };
        let known = json!({"date": "2024", "value": 1});
        let expected = json!({"date": "2024", "projected": 1});
        assert_eq!(count_warnings(&[known.clone(), expected]), 0);
        assert_eq!(count_warnings(&[known.clone(), known]), 1);
    }
}
