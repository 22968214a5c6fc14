//! Options of a Harvey balls table and their scores, read from the records.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::Omission;

/// Score of a full circle, unless the setting `steps` is a number from 1 to 100 or a score is
/// larger.
const DEFAULT_STEPS: f64 = 4.0;

/// The columns of the table, and the scale of their scores.
pub struct Criteria {
    /// Key and title of each criterion.
    pub columns: Vec<Series>,
    /// Score of a full circle.
    pub steps: f64,
}

/// An option: one row of the table.
pub struct ScoredOption<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the option.
    pub label: Cow<'a, str>,
    /// Score for each criterion, 0 to the score of a full circle. None where the record has no
    /// number.
    pub scores: Vec<Option<f64>>,
    /// Whether the row is drawn in bold and in the accent color.
    pub highlighted: bool,
}

impl ScoredOption<'_> {
    /// Returns the sum of all scores. Missing ones count as 0.
    pub fn sum(&self) -> f64 {
        self.scores.iter().flatten().sum()
    }
}

/// Reads the criteria from the series, and the score of a full circle from the setting `steps`.
/// Larger scores extend the scale, with a warning, because different scores must not look equal.
/// The scene counts the criteria beyond the maximum of series.
pub fn read_criteria(chart: &Chart, scene: &mut Scene) -> Criteria {
    let columns = chart.series_for(scene);
    let steps = chart.number_setting("steps").filter(|steps| (1.0..=100.0).contains(steps));
    let steps = steps.unwrap_or(DEFAULT_STEPS);
    let scores = chart.data.iter().flat_map(|record| {
        columns.iter().filter_map(|criterion| data::number(data::field(record, &criterion.key)))
    });
    let largest = scores.fold(0.0, f64::max);
    let extended = match largest {
        _ if largest <= steps => return Criteria { columns, steps },
        _ if largest <= 10.0 => largest.ceil(),
        _ if largest <= 100.0 => 100.0,
        _ => largest,
    };
    scene.warn(format!("Scores are above {steps}, so that a full circle is {extended}."));
    Criteria { columns, steps: extended }
}

/// Reads the records with at least one score, and sorts them by their sums in the order of the
/// setting `sort`. Negative scores become 0, with a warning. The scene counts other records that
/// are not blank, unless no record has a score.
pub fn read_options<'a>(
    chart: &Chart<'a>,
    criteria: &Criteria,
    scene: &mut Scene,
) -> Vec<ScoredOption<'a>> {
    let steps = criteria.steps;
    let mut any_negative = false;
    let mut unscored_count = 0;
    let mut options = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let score = |criterion: &Series| data::number(data::field(record, &criterion.key));
        let scores: Vec<Option<f64>> = criteria.columns.iter().map(score).collect();
        if scores.iter().all(Option::is_none) {
            unscored_count += usize::from(!data::is_blank(record));
            continue;
        }
        any_negative |= scores.iter().flatten().any(|score| *score < 0.0);
        let label = data::field(record, "option");
        options.push(ScoredOption {
            row,
            label: if label.is_null() {
                data::record_label(record)
            } else {
                data::display_text(label)
            },
            scores: scores
                .into_iter()
                .map(|score| score.map(|score| score.clamp(0.0, steps)))
                .collect(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    scene.omit(Omission::NoValue, if options.is_empty() { 0 } else { unscored_count });
    if any_negative {
        scene.warn("Scores below zero are drawn as empty circles.");
    }
    let sums: Vec<Option<f64>> = options.iter().map(|option| Some(option.sum())).collect();
    let order = chart.sorted_indices(&sums);
    let mut slots: Vec<Option<ScoredOption>> = options.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| slots.get_mut(index).and_then(Option::take)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::format::Omission;

    #[test]
    fn criteria_beyond_the_maximum_are_counted() {
        let scores = (0..30).map(|index| (format!("C{index}"), json!(index % 5)));
        let data = [scores.collect()];
        let mut scene = Scene::new(720.0, 405.0, crate::color::WHITE);
        let chart = Chart::new(&crate::kinds::harvey_balls::KIND, &data);
        assert_eq!(read_criteria(&chart, &mut scene).columns.len(), crate::chart::MAX_SERIES);
        assert_eq!(scene.omissions, [(Omission::Series, 6)]);
    }
}
