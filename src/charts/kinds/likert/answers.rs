//! The answers of a Likert chart: steps of the scale, questions and shares.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Omission;
use crate::frame::ChartStyle;

/// A question, which is one record of the data, with the shares of its answers.
pub(super) struct Question<'a> {
    /// Index of the record in the data.
    pub(super) row: usize,
    pub(super) label: Cow<'a, str>,
    /// Share of each step of the scale in percent. The sum is 100.
    pub(super) shares: Vec<f64>,
    pub(super) highlighted: bool,
}

/// A step of the scale, which is one series of the chart.
pub(super) struct Step {
    pub(super) title: String,
    pub(super) color: Color,
}

/// Scale of the answers, from rejection to approval.
#[derive(Clone, Copy)]
pub(super) struct LikertScale {
    /// Number of steps.
    pub(super) count: usize,
    /// Whether the middle step has its own column at the right.
    pub(super) neutral_is_aside: bool,
}

/// Shares of answers on both sides of the middle line, in percent.
pub(super) struct SideShares {
    /// Rejection, with half of the neutral answers unless they have their own column.
    pub(super) left: f64,
    /// Approval, with half of the neutral answers unless they have their own column.
    pub(super) right: f64,
    /// Neutral answers in their own column. 0 if they have none.
    pub(super) aside: f64,
}

impl LikertScale {
    /// Returns the index of the neutral step. None if the number of steps is even.
    pub(super) fn middle_index(self) -> Option<usize> {
        (self.count % 2 == 1 && self.count > 1).then_some(self.count / 2)
    }

    /// Returns the sums of the shares on both sides of the middle line. A single step is on the
    /// right.
    pub(super) fn split_at_middle(self, shares: &[f64]) -> SideShares {
        let mut sides = SideShares { left: 0.0, right: 0.0, aside: 0.0 };
        for (index, share) in shares.iter().enumerate() {
            if Some(index) == self.middle_index() {
                if self.neutral_is_aside {
                    sides.aside += share;
                } else {
                    sides.left += share / 2.0;
                    sides.right += share / 2.0;
                }
            } else if self.count > 1 && index < self.count / 2 {
                sides.left += share;
            } else {
                sides.right += share;
            }
        }
        sides
    }
}

/// Reads the steps of the scale. A color in the setting `series` replaces the default color of a
/// step.
///
/// Default colors run from the negative color through a neutral middle to the positive color.
pub(super) fn read_steps(chart: &Chart, style: &ChartStyle) -> Vec<Step> {
    let configured_series =
        chart.setting("series").as_array().map_or(&[][..], |list| list.as_slice());
    let series = chart.series();
    let count = series.len();
    let color_setting =
        |key: &str, default: Color| Color::parse(chart.str_setting(key)).unwrap_or(default);
    let negative_color = color_setting("negativeColor", chart.theme.highlight_color);
    let positive_color = color_setting("positiveColor", chart.series_color(0));
    let neutral_color =
        color_setting("neutralColor", style.grid_color.mix(style.muted_color, 0.25));
    let color = |index: usize| {
        let half = count / 2;
        // Color of this side, and distance in steps from its outer end.
        let (end, distance) = match count {
            1 => (positive_color, 0),
            _ if count % 2 == 1 && index == half => return neutral_color,
            _ if index < half => (negative_color, index),
            _ => (positive_color, count - 1 - index),
        };
        let lightness = distance as f64 / half.max(1) as f64;
        end.mix(style.background, lightness * 0.75).mix_until_readable(style.background)
    };
    let configured_color = |key: &str| {
        let entry = configured_series.iter().find(|entry| entry["key"].as_str() == Some(key));
        entry.and_then(|entry| entry["color"].as_str()).and_then(Color::parse)
    };
    let step = |(index, series): (usize, crate::Series)| Step {
        color: configured_color(&series.key).unwrap_or_else(|| color(index)),
        title: series.title,
    };
    series.into_iter().enumerate().map(step).collect()
}

/// Reads the questions with at least one answer, in the order in which they are drawn. Negative
/// answers count as 0, with a warning.
pub(super) fn read_questions<'a>(
    chart: &Chart<'a>,
    scale: LikertScale,
    scene: &mut Scene,
) -> Vec<Question<'a>> {
    let keys: Vec<String> = chart.series_for(scene).into_iter().map(|series| series.key).collect();
    let (mut negative_count, mut unanswered_count, mut missing_count) = (0, 0, 0);
    let mut questions = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let answers: Vec<Option<f64>> =
            keys.iter().map(|key| data::number(data::field(record, key))).collect();
        let amounts: Vec<f64> = answers.iter().map(|answer| answer.unwrap_or(0.0)).collect();
        negative_count += amounts.iter().filter(|amount| **amount < 0.0).count();
        let largest = amounts.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            unanswered_count += usize::from(!data::is_blank(record));
            continue;
        }
        missing_count += answers.iter().filter(|answer| answer.is_none()).count();
        // Each amount is divided by the largest one first, so that the sum of huge amounts is
        // finite.
        let parts: Vec<f64> = amounts.iter().map(|amount| amount.max(0.0) / largest).collect();
        let total: f64 = parts.iter().sum();
        let question = data::field(record, "question");
        questions.push(Question {
            row,
            label: if question.is_null() {
                data::record_label(record)
            } else {
                data::display_text(question)
            },
            shares: parts.iter().map(|part| part / total * 100.0).collect(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    scene.omit(Omission::BelowZero, negative_count);
    scene.omit(Omission::NoValue, unanswered_count);
    scene.omit(Omission::MissingValue, missing_count);
    let approval: Vec<Option<f64>> = questions
        .iter()
        .map(|question| Some(scale.split_at_middle(&question.shares).right))
        .collect();
    let order = chart.sorted_indices(&approval);
    let mut unsorted: Vec<Option<Question>> = questions.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| unsorted.get_mut(index).and_then(Option::take)).collect()
}
