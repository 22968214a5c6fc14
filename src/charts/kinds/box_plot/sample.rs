//! Reads samples: five figures each, given or found from the values.

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::NumberFormat;

/// The figures of a sample, rising.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// End of the lower whisker.
    pub low: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// End of the upper whisker.
    pub high: f64,
}

/// A record.
pub struct Sample {
    /// Place of its record.
    pub row: usize,
    /// Name.
    pub label: String,
    /// Its figures; none when they cannot be read.
    pub figures: Option<Figures>,
    /// Values beyond the whiskers.
    pub outside: Vec<f64>,
    /// Whether it is to stand out.
    pub highlighted: bool,
}

/// More values than this of one sample are not read.
const MOST_VALUES: usize = 100_000;
/// More dots than this beyond one sample's whiskers say no more.
const MOST_OUTSIDE: usize = 200;

impl Sample {
    /// Every value that the picture shows.
    pub fn all(&self) -> impl Iterator<Item = f64> + '_ {
        let ends = self.figures.map(|it| [it.low, it.high]);
        ends.into_iter().flatten().chain(self.outside.iter().copied())
    }

    /// The figures in words.
    pub fn tip(&self, format: &NumberFormat) -> String {
        let Some(it) = self.figures else { return self.label.clone() };
        format!(
            "{}: median {}, half between {} and {}, whiskers {} to {}",
            self.label,
            format.text(it.median),
            format.text(it.q1),
            format.text(it.q3),
            format.text(it.low),
            format.text(it.high),
        )
    }
}

/// Reads the records; one without figures keeps its place and stays empty.
pub fn read(chart: &Chart, scene: &mut Scene) -> Vec<Sample> {
    let tukey = chart.word("whiskers") != "range";
    let mut all = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let (figures, outside) = match values(data::field(record, "values")) {
            found if !found.is_empty() => measured(found, tukey),
            _ => (given(record, scene), Vec::new()),
        };
        let label = data::label(record).into_owned();
        let highlighted = data::flag(data::field(record, "highlighted"));
        all.push(Sample { row, label, figures, outside, highlighted });
    }
    all
}

/// The numbers of a list, or of a text with semicolons or spaces between them; rising.
fn values(source: &Value) -> Vec<f64> {
    let mut all: Vec<f64> = match source {
        Value::Array(list) => list.iter().take(MOST_VALUES).filter_map(data::number).collect(),
        Value::String(list) => {
            let parts = list.split([';', ' ', '\n', '\t']).take(MOST_VALUES);
            parts
                .filter_map(|it| data::number(&Value::String(it.trim_matches(',').to_owned())))
                .collect()
        }
        _ => Vec::new(),
    };
    all.sort_by(f64::total_cmp);
    all
}

/// The figures of a record. Quartiles that are missing are those next to them.
fn given(record: &Value, scene: &mut Scene) -> Option<Figures> {
    let number = |key: &str| data::number(data::field(record, key));
    let (q1, median, q3) = (number("q1"), number("median"), number("q3"));
    let median = median.or_else(|| Some(q1? / 2.0 + q3? / 2.0))?;
    let (q1, q3) = (q1.unwrap_or(median), q3.unwrap_or(median));
    let mut five = [number("min").unwrap_or(q1), q1, median, q3, number("max").unwrap_or(q3)];
    if !five.is_sorted() {
        scene.warn("Some figures of a box are out of order; they are drawn in rising order.");
        five.sort_by(f64::total_cmp);
    }
    let [low, q1, median, q3, high] = five;
    Some(Figures { low, q1, median, q3, high })
}

/// The figures of a rising list, and what lies beyond the whiskers.
fn measured(values: Vec<f64>, tukey: bool) -> (Option<Figures>, Vec<f64>) {
    let (Some(first), Some(last)) = (values.first().copied(), values.last().copied()) else {
        return (None, Vec::new());
    };
    let (q1, median, q3) =
        (quantile(&values, 0.25), quantile(&values, 0.5), quantile(&values, 0.75));
    let reach = if tukey { 1.5 * (q3 - q1) } else { f64::INFINITY };
    let within = |it: &f64| *it >= q1 - reach && *it <= q3 + reach;
    let low = values.iter().copied().find(within).unwrap_or(first).min(q1);
    let high = values.iter().rev().copied().find(within).unwrap_or(last).max(q3);
    let mut outside: Vec<f64> = values.into_iter().filter(|it| !within(it)).collect();
    if outside.len() > MOST_OUTSIDE {
        // The far ends tell most: both halves lose their inner values.
        outside.drain(MOST_OUTSIDE / 2..outside.len() - MOST_OUTSIDE / 2);
    }
    (Some(Figures { low, q1, median, q3, high }), outside)
}

/// The value below which this share of a rising list lies, between two neighbours by distance.
fn quantile(values: &[f64], share: f64) -> f64 {
    let at = share * values.len().saturating_sub(1) as f64;
    let below = values.get(at.floor() as usize).copied().unwrap_or(0.0);
    let above = values.get(at.ceil() as usize).copied().unwrap_or(below);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&values, 0.5), 2.5);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(quantile(&[7.0], 0.75), 7.0);
    }

    #[test]
    fn whiskers_end_within_one_and_a_half_boxes() {
        let (figures, outside) = measured(vec![1.0, 2.0, 3.0, 4.0, 5.0, 40.0], true);
        let figures = figures.expect("figures");
        assert_eq!((figures.low, figures.high), (1.0, 5.0));
        assert_eq!(outside, [40.0]);
        assert!(measured(vec![1.0, 2.0, 40.0], false).1.is_empty());
    }
}
