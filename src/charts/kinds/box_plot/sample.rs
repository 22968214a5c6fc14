//! Samples of a box plot: their five statistics, given by the record or computed from its values.

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{FormatRules, Locale, NumberFormat, Omission, Term};

/// The five statistics of a box, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxStatistics {
    /// Lower end of the lower whisker.
    pub low: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Upper end of the upper whisker.
    pub high: f64,
}

/// The sample of one record.
pub struct Sample {
    /// Index of the record in the data.
    pub row: usize,
    /// Category label.
    pub label: String,
    /// Statistics. None if the record has too few numbers. Its place on the axis stays empty.
    pub statistics: Option<BoxStatistics>,
    /// Values beyond the whiskers, ascending. At most `MAX_OUTLIERS`.
    pub outliers: Vec<f64>,
    /// Whether the box is drawn in the accent color.
    pub highlighted: bool,
}

/// Maximum number of values read from one record. The rest is ignored.
const MAX_VALUES: usize = 100_000;
/// Maximum number of outliers drawn for one sample. More dots would only overlap.
const MAX_OUTLIERS: usize = 200;

impl Sample {
    /// Returns the values that the axis has to include: the ends of the whiskers and the outliers.
    pub fn drawn_values(&self) -> impl Iterator<Item = f64> + '_ {
        let ends = self.statistics.map(|statistics| [statistics.low, statistics.high]);
        ends.into_iter().flatten().chain(self.outliers.iter().copied())
    }

    /// Returns the tooltip: the label, the median, the range of the middle half and that of the
    /// whiskers, or only the label without statistics.
    pub fn tooltip(&self, format: &NumberFormat, locale: Locale) -> String {
        let Some(statistics) = self.statistics else { return self.label.clone() };
        let range = |low: f64, high: f64| format!("{} – {}", format.text(low), format.text(high));
        let half = NumberFormat::with_fixed_decimals(0, &FormatRules::default(), locale)
            .with_percent()
            .text(50.0);
        let parts = [
            format!("{} {}", locale.translate(Term::Median), format.text(statistics.median)),
            format!("{half}{} {}", locale.colon(), range(statistics.q1, statistics.q3)),
            range(statistics.low, statistics.high),
        ];
        format!("{}{} {}", self.label, locale.colon(), parts.join(locale.list_separator()))
    }
}

/// Columns of the statistics of records without a list of values.
const STATISTIC_KEYS: [&str; 5] = ["min", "q1", "median", "q3", "max"];

/// Reads one sample per record that is not blank, also from records without statistics, so that they
/// keep their place on the axis.
///
/// Computes the statistics from the column `values` if it contains numbers. Otherwise reads them
/// from their columns. The scene counts and names the records without statistics, and those with
/// statistics that lack some which other records have, or numbers in their list. It warns about outliers that
/// are not drawn.
pub fn read_samples(chart: &Chart, scene: &mut Scene) -> Vec<Sample> {
    let is_tukey = chart.str_setting("whiskers") != "range";
    let mut samples = Vec::with_capacity(chart.data.len());
    let has_number = |record: &Value, key: &str| data::number(data::field(record, key)).is_some();
    let mut keys = STATISTIC_KEYS.to_vec();
    keys.retain(|key| chart.data.iter().any(|record| has_number(record, key)));
    let mut hidden_count = 0;
    for (row, record) in chart.data.iter().enumerate() {
        if data::is_blank(record) {
            continue;
        }
        let label = data::record_label(record).into_owned();
        let (values, mut missing) = parse_values(data::field(record, "values"));
        let has_list = !values.is_empty();
        let (statistics, mut outliers) = match has_list {
            true => compute_statistics(values, is_tukey),
            false => (read_statistics(record, scene), Vec::new()),
        };
        if !has_list {
            missing = keys.iter().filter(|key| !has_number(record, key)).count();
        }
        match statistics {
            None => scene.omit_named(Omission::NoValue, &label),
            Some(_) => (0..missing).for_each(|_| scene.omit_named(Omission::MissingValue, &label)),
        }
        if outliers.len() > MAX_OUTLIERS {
            hidden_count += outliers.len() - MAX_OUTLIERS;
            // Keep the most extreme outliers of both ends.
            outliers.drain(MAX_OUTLIERS / 2..outliers.len() - MAX_OUTLIERS / 2);
        }
        let highlighted = data::is_true(data::field(record, "highlighted"));
        samples.push(Sample { row, label, statistics, outliers, highlighted });
    }
    if hidden_count > 0 {
        scene.warn(format!("Outliers between others, not drawn: {hidden_count}."));
    }
    samples
}

/// Parses the numbers of a list, or of a text in which semicolons, spaces, tabs or line feeds
/// separate them, or nothing but commas. Other values give no numbers.
///
/// Returns them in ascending order, with the number of entries that are no numbers. Ignores commas
/// at the ends of an entry, and empty parts between two separators. Entries beyond the first
/// `MAX_VALUES` count as no numbers.
fn parse_values(source: &Value) -> (Vec<f64>, usize) {
    let (mut values, entries): (Vec<f64>, usize) = match source {
        Value::Array(list) => {
            (list.iter().take(MAX_VALUES).filter_map(data::number).collect(), list.len())
        }
        Value::String(list) => {
            let separators: &[char] = match has_only_commas(list) {
                true => &[','],
                false => &[';', ' ', '\n', '\t'],
            };
            let parts = list.split(separators).map(|part| part.trim_matches(','));
            let parts = parts.filter(|part| !part.trim().is_empty());
            let entries = parts.clone().count();
            let number = |part: &str| data::number(&Value::String(part.to_owned()));
            (parts.take(MAX_VALUES).filter_map(number).collect(), entries)
        }
        _ => (Vec::new(), 0),
    };
    values.sort_by(f64::total_cmp);
    let skipped = entries - values.len();
    (values, skipped)
}

/// Returns whether at least two commas and nothing else separate the numbers of a list, as in `12,14,15`.
/// A single comma is that of a decimal number.
fn has_only_commas(list: &str) -> bool {
    let list = list.trim();
    !list.contains([';', ' ', '\n', '\t']) && list.matches(',').count() > 1
}

/// Reads the statistics from the columns of a record.
///
/// A missing quartile equals the median, a missing minimum or maximum equals the quartile next to
/// it, and a missing median is the middle between the quartiles. Without a median and with fewer
/// than two quartiles the result is None. Numbers in a wrong order are sorted, with a warning.
fn read_statistics(record: &Value, scene: &mut Scene) -> Option<BoxStatistics> {
    let number = |key: &str| data::number(data::field(record, key));
    let (q1, median, q3) = (number("q1"), number("median"), number("q3"));
    let median = median.or_else(|| Some(q1? / 2.0 + q3? / 2.0))?;
    let (q1, q3) = (q1.unwrap_or(median), q3.unwrap_or(median));
    let mut numbers = [number("min").unwrap_or(q1), q1, median, q3, number("max").unwrap_or(q3)];
    if !numbers.is_sorted() {
        scene.warn("Box statistics are not in ascending order (min, q1, median, q3, max); they are drawn sorted.");
        numbers.sort_by(f64::total_cmp);
    }
    let [low, q1, median, q3, high] = numbers;
    Some(BoxStatistics { low, q1, median, q3, high })
}

/// Computes the statistics and the outliers of ascending `values`. The statistics are None if there
/// are no values.
///
/// With `is_tukey` the whiskers end at the last values within 1.5 box lengths of the box. Otherwise
/// they reach the minimum and maximum, and there are no outliers.
fn compute_statistics(values: Vec<f64>, is_tukey: bool) -> (Option<BoxStatistics>, Vec<f64>) {
    let (Some(first), Some(last)) = (values.first().copied(), values.last().copied()) else {
        return (None, Vec::new());
    };
    let (q1, median, q3) =
        (quantile(&values, 0.25), quantile(&values, 0.5), quantile(&values, 0.75));
    let max_length = if is_tukey { 1.5 * (q3 - q1) } else { f64::INFINITY };
    let is_within = |value: &f64| *value >= q1 - max_length && *value <= q3 + max_length;
    let low = values.iter().copied().find(is_within).unwrap_or(first).min(q1);
    let high = values.iter().rev().copied().find(is_within).unwrap_or(last).max(q3);
    let outliers: Vec<f64> = values.into_iter().filter(|value| !is_within(value)).collect();
    (Some(BoxStatistics { low, q1, median, q3, high }), outliers)
}

/// Returns the quantile of ascending `values` at `share` (0 to 1), with linear interpolation
/// between the two nearest values. 0 without values.
fn quantile(values: &[f64], share: f64) -> f64 {
    let position = share * values.len().saturating_sub(1) as f64;
    let below = values.get(position.floor() as usize).copied().unwrap_or(0.0);
    let above = values.get(position.ceil() as usize).copied().unwrap_or(below);
    below + (above - below) * position.fract()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quantile_interpolates_between_neighbors() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&values, 0.5), 2.5);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(quantile(&[7.0], 0.75), 7.0);
    }

    #[test]
    fn entries_that_are_no_numbers_and_hidden_outliers_are_counted() {
        let values = [json!("4; 5, 6; n/a;; 7"), json!([1, null, "x", 2])];
        let parsed = values.map(|source| parse_values(&source));
        assert_eq!(parsed, [(vec![4.0, 5.0, 6.0, 7.0], 1), (vec![1.0, 2.0], 2)]);
        assert_eq!(parse_values(&json!("12,14,15.5")), (vec![12.0, 14.0, 15.5], 0));
        assert_eq!(parse_values(&json!("1,5")), (vec![1.5], 0));
        let mut list: Vec<f64> = (0..1000).map(|number| f64::from(number % 10)).collect();
        list.extend((0..250).map(|number| 100.0 + f64::from(number)));
        let data =
            [json!({"label": "A", "values": list}), json!({"label": "B", "values": "1 2 -"})];
        let scene = crate::draw(&Chart::new(&crate::kinds::box_plot::KIND, &data));
        assert!(
            scene.warnings.contains(&"Missing values: 1 (B).".to_owned()),
            "{:?}",
            scene.warnings
        );
        let hidden = "Outliers between others, not drawn: 50.".to_owned();
        assert!(scene.warnings.contains(&hidden), "{:?}", scene.warnings);
    }

    #[test]
    fn records_without_statistics_and_missing_statistics_are_counted() {
        let record = |name: &str, min: Value, median: Value| json!({"label": name, "min": min, "q1": 3, "median": median, "q3": 7, "max": 9});
        let mut data = vec![record("A", json!(1), json!(5)), record("B", json!("n/a"), json!(4))];
        data.push(json!({"label": "C", "min": null, "q1": "", "median": "-", "q3": "", "max": ""}));
        data.push(json!({"label": "", "min": null, "median": ""}));
        let scene = crate::draw(&Chart::new(&crate::kinds::box_plot::KIND, &data));
        assert_eq!(scene.omissions, [(Omission::NoValue, 1), (Omission::MissingValue, 1)]);
        let warnings = ["Not shown: 1 without a value (C).", "Missing values: 1 (B)."];
        assert!(scene.warnings.iter().map(String::as_str).eq(warnings), "{:?}", scene.warnings);
        assert!(scene.text_boxes().any(|(text, _)| text == "C"), "C has a place");
        let without_minimum = data.iter().map(|record| {
            let mut record = record.clone();
            record["min"] = Value::Null;
            record
        });
        let data: Vec<Value> = without_minimum.take(2).collect();
        let scene = crate::draw(&Chart::new(&crate::kinds::box_plot::KIND, &data));
        assert_eq!(scene.omissions, [], "no record has a minimum");
    }

    #[test]
    fn tukey_whiskers_end_within_one_and_a_half_box_lengths() {
        let (statistics, outliers) = compute_statistics(vec![1.0, 2.0, 3.0, 4.0, 5.0, 40.0], true);
        let statistics = statistics.expect("statistics");
        assert_eq!((statistics.low, statistics.high), (1.0, 5.0));
        assert_eq!(outliers, [40.0]);
        assert!(compute_statistics(vec![1.0, 2.0, 40.0], false).1.is_empty());
    }

    #[test]
    fn tooltips_are_in_the_language_of_the_chart() {
        let statistics = BoxStatistics { low: 3.0, q1: 8.0, median: 13.0, q3: 19.0, high: 34.0 };
        let sample = Sample {
            row: 0,
            label: "Hafen".to_owned(),
            statistics: Some(statistics),
            outliers: Vec::new(),
            highlighted: false,
        };
        let tooltip = |tag: &str| {
            let locale = Locale::parse(tag);
            sample.tooltip(
                &NumberFormat::with_fixed_decimals(0, &FormatRules::default(), locale),
                locale,
            )
        };
        assert_eq!(tooltip("de"), "Hafen: Median 13, 50\u{a0}%: 8 – 19, 3 – 34");
        assert_eq!(tooltip("fr"), "Hafen\u{a0}: Médiane 13, 50\u{a0}%\u{a0}: 8 – 19, 3 – 34");
    }
}
