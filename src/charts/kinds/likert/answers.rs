//! The answers of a Likert chart: steps of the scale, questions and shares.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::Series;
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

/// Titles of answers that are no step between rejection and approval, in lower case.
const ANSWERS_OUTSIDE: [&str; 38] = [
    "no answer",
    "no response",
    "not answered",
    "no opinion",
    "don't know",
    "dont know",
    "do not know",
    "don’t know",
    "don't know / no answer",
    "don't know/no answer",
    "dk/na",
    "not applicable",
    "does not apply",
    "n/a",
    "prefer not to say",
    "refused",
    "can't say",
    "keine angabe",
    "keine antwort",
    "keine meinung",
    "weiß nicht",
    "weiss nicht",
    "weiß nicht / keine angabe",
    "weiß nicht/keine angabe",
    "k. a.",
    "k.a.",
    "trifft nicht auf mich zu",
    "kann ich nicht beurteilen",
    "sans réponse",
    "sans opinion",
    "ne sait pas",
    "nsp",
    "no sabe",
    "no contesta",
    "ns/nc",
    "non so",
    "nessuna risposta",
    "geen mening",
];

/// Scale of the answers, from rejection to approval.
#[derive(Clone, Copy)]
pub(super) struct LikertScale {
    /// Number of steps. Answers outside the scale follow them.
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
    /// Neutral answers in their own column, and answers outside the scale. 0 without both.
    pub(super) aside: f64,
}

impl LikertScale {
    /// Returns the index of the neutral step. None if the number of steps is even or 1.
    pub(super) fn middle_index(self) -> Option<usize> {
        (self.count % 2 == 1 && self.count > 1).then_some(self.count / 2)
    }

    /// Returns whether the answers of the step at `index` are in the column at the right: those
    /// outside the scale, and the neutral ones if they have their own column.
    pub(super) fn is_aside(self, index: usize) -> bool {
        index >= self.count || self.neutral_is_aside && Some(index) == self.middle_index()
    }

    /// Returns the neutral share in percent, 0 without a neutral step or if it is aside.
    fn neutral_share(self, shares: &[f64]) -> f64 {
        let index = self.middle_index().filter(|_| !self.neutral_is_aside);
        index.and_then(|index| shares.get(index).copied()).unwrap_or(0.0)
    }

    /// Returns the sums of the shares of rejection and of approval in percent, without neutral
    /// answers.
    pub(super) fn sum_opinions(self, shares: &[f64]) -> (f64, f64) {
        let SideShares { left, right, .. } = self.split_at_middle(shares);
        let half = self.neutral_share(shares) / 2.0;
        (left - half, right - half)
    }

    /// Returns the sums of the shares on both sides of the middle line, in percent. Half of the
    /// neutral share counts on each side, unless it is aside. A single step is on the right.
    pub(super) fn split_at_middle(self, shares: &[f64]) -> SideShares {
        let mut sides = SideShares { left: 0.0, right: 0.0, aside: 0.0 };
        for (index, share) in shares.iter().enumerate() {
            if self.is_aside(index) {
                sides.aside += share;
            } else if Some(index) == self.middle_index() {
                sides.left += share / 2.0;
                sides.right += share / 2.0;
            } else if self.count > 1 && index < self.count / 2 {
                sides.left += share;
            } else {
                sides.right += share;
            }
        }
        sides
    }
}

/// Words of answers that approve, in lower case.
const APPROVING: [&str; 42] = [
    "agree",
    "satisfied",
    "happy",
    "likely",
    "important",
    "always",
    "often",
    "excellent",
    "outstanding",
    "good",
    "great",
    "yes",
    "support",
    "favor",
    "favour",
    "strong",
    "zu",
    "zufrieden",
    "wahrscheinlich",
    "wichtig",
    "immer",
    "oft",
    "häufig",
    "gut",
    "hervorragend",
    "ausgezeichnet",
    "ja",
    "dafür",
    "voll",
    "accord",
    "satisfait",
    "toujours",
    "souvent",
    "bien",
    "oui",
    "acuerdo",
    "satisfecho",
    "siempre",
    "bueno",
    "accordo",
    "soddisfatto",
    "sempre",
];
/// Words of answers that reject, in lower case. They decide if an answer has words of both lists, as
/// `not satisfied` does.
const REJECTING: [&str; 46] = [
    "not",
    "no",
    "never",
    "rarely",
    "seldom",
    "disagree",
    "dissatisfied",
    "unsatisfied",
    "unhappy",
    "unlikely",
    "unimportant",
    "poor",
    "bad",
    "terrible",
    "oppose",
    "against",
    "nicht",
    "kein",
    "keine",
    "nie",
    "niemals",
    "selten",
    "unzufrieden",
    "unwahrscheinlich",
    "unwichtig",
    "schlecht",
    "mangelhaft",
    "nein",
    "dagegen",
    "lehne",
    "ablehnung",
    "pas",
    "jamais",
    "rarement",
    "désaccord",
    "insatisfait",
    "mauvais",
    "non",
    "desacuerdo",
    "insatisfecho",
    "nunca",
    "malo",
    "disaccordo",
    "insoddisfatto",
    "mai",
    "mal",
];

/// Returns whether the answer `title` approves, or false if it rejects. None if its words do not tell.
fn approves(title: &str) -> Option<bool> {
    let lower = title.to_lowercase();
    let has = |known: &[&str]| {
        let mut words = lower.split(|c: char| !c.is_alphabetic());
        words.any(|word| known.contains(&word))
    };
    if has(&REJECTING) {
        return Some(false);
    }
    has(&APPROVING).then_some(true)
}

/// Returns whether the answers `titles` run from approval to rejection by the words of both ends, without
/// answers outside the scale.
pub fn runs_to_rejection(titles: &[&str]) -> bool {
    let steps: Vec<&str> = titles.iter().copied().filter(|title| !is_outside(title)).collect();
    let [first, .., last] = steps[..] else { return false };
    (approves(first), approves(last)) == (Some(true), Some(false))
}

/// Returns whether an answer is no step between rejection and approval.
fn is_outside(title: &str) -> bool {
    ANSWERS_OUTSIDE.contains(&title.trim().to_lowercase().as_str())
}

/// Moves the series of answers outside the scale to the end. Returns all series, and the number of
/// steps, which are the series before those.
///
/// Only the first and the last columns may be outside the scale: between others, `No opinion` is a
/// neutral step. All columns are steps if fewer than two remain. Steps that run from approval to
/// rejection by their words are reversed, unless the setting `series` has their order.
fn order_series(chart: &Chart, series: Vec<Series>) -> (Vec<Series>, usize) {
    let first = series.iter().take_while(|series| is_outside(&series.title)).count();
    let last = series.iter().rev().take_while(|series| is_outside(&series.title)).count();
    let Some(steps) = series.len().checked_sub(first + last).filter(|steps| *steps > 1) else {
        let count = series.len();
        return (series, count);
    };
    let mut ordered = series;
    // The rotation puts the first columns behind the last ones.
    ordered.rotate_left(first);
    let has_order = chart.setting("series").as_array().is_some_and(|list| !list.is_empty());
    let titles: Vec<&str> = ordered.iter().take(steps).map(|series| &*series.title).collect();
    if !has_order && runs_to_rejection(&titles) {
        ordered[..steps].reverse();
    }
    (ordered, steps)
}

/// Reads the steps of the scale, answers outside it after them, and the scale. A color in the
/// setting `series` replaces the default color of a step.
///
/// Default colors run from the negative color through a neutral middle to the positive color.
/// Answers outside the scale are gray.
pub(super) fn read_steps(chart: &Chart, style: &ChartStyle) -> (Vec<Step>, LikertScale) {
    let configured_series =
        chart.setting("series").as_array().map_or(&[][..], |list| list.as_slice());
    let (series, count) = order_series(chart, chart.series());
    let outside = series.len() - count;
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
            _ if index >= count => {
                let lightness = 0.3 + 0.4 * (index - count) as f64 / outside.max(1) as f64;
                return style.muted_color.mix(style.background, lightness);
            }
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
    let step = |(index, series): (usize, Series)| Step {
        color: configured_color(&series.key).unwrap_or_else(|| color(index)),
        title: series.title,
    };
    let neutral_is_aside = chart.str_setting("neutral") == "aside";
    let steps = series.into_iter().enumerate().map(step).collect();
    (steps, LikertScale { count, neutral_is_aside })
}

/// Reads the questions with an answer above 0, sorted by approval without neutral answers in the
/// order of the setting `sort`. Shares follow the order of the steps. Negative and missing answers
/// count as 0. The scene counts them, and names the questions without answers.
pub(super) fn read_questions<'a>(
    chart: &Chart<'a>,
    scale: LikertScale,
    scene: &mut Scene,
) -> Vec<Question<'a>> {
    let (series, _) = order_series(chart, chart.series_for(scene));
    let keys: Vec<String> = series.into_iter().map(|series| series.key).collect();
    let (mut negative_count, mut missing_count) = (0, 0);
    let mut questions = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let answers: Vec<Option<f64>> =
            keys.iter().map(|key| data::number(data::field(record, key))).collect();
        let amounts: Vec<f64> = answers.iter().map(|answer| answer.unwrap_or(0.0)).collect();
        negative_count += amounts.iter().filter(|amount| **amount < 0.0).count();
        let largest = amounts.iter().copied().fold(0.0, f64::max);
        let question = data::field(record, "question");
        let label = if question.is_null() {
            data::record_label(record)
        } else {
            data::display_text(question)
        };
        if largest <= 0.0 {
            if !data::is_blank(record) {
                scene.omit_named(Omission::NoValue, &label);
            }
            continue;
        }
        missing_count += answers.iter().filter(|answer| answer.is_none()).count();
        // Each amount is divided by the largest one first, so that the sum of huge amounts is
        // finite.
        let parts: Vec<f64> = amounts.iter().map(|amount| amount.max(0.0) / largest).collect();
        let total: f64 = parts.iter().sum();
        questions.push(Question {
            row,
            label,
            shares: parts.iter().map(|part| part / total * 100.0).collect(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    scene.omit(Omission::BelowZero, negative_count);
    scene.omit(Omission::MissingValue, missing_count);
    let approval: Vec<Option<f64>> =
        questions.iter().map(|question| Some(scale.sum_opinions(&question.shares).1)).collect();
    let order = chart.sorted_indices(&approval);
    let mut unsorted: Vec<Option<Question>> = questions.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| unsorted.get_mut(index).and_then(Option::take)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn neutral_answers_do_not_change_the_order_by_approval() {
        let records = [
            json!({"question": "B", "Bad": 35, "Neutral": 20, "Good": 45}),
            json!({"question": "A", "Bad": 50, "Neutral": 0, "Good": 50}),
        ];
        let settings = json!({"sort": "desc"});
        let chart =
            Chart { settings: &settings, ..Chart::new(&crate::kinds::likert::KIND, &records) };
        let (_, scale) = read_steps(&chart, &ChartStyle::new(&chart));
        let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
        let questions = read_questions(&chart, scale, &mut scene);
        let labels: Vec<&str> = questions.iter().map(|question| &*question.label).collect();
        assert_eq!(labels, ["A", "B"]);
    }

    #[test]
    fn a_scale_from_approval_to_rejection_is_reversed() {
        let first_steps = |record: serde_json::Value, settings: &serde_json::Value| {
            let records = [record];
            let chart = Chart { settings, ..Chart::new(&crate::kinds::likert::KIND, &records) };
            let (steps, _) = read_steps(&chart, &ChartStyle::new(&chart));
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let (_, scale) = read_steps(&chart, &ChartStyle::new(&chart));
            let shares = read_questions(&chart, scale, &mut scene).remove(0).shares;
            (steps[0].title.clone(), shares[0])
        };
        let none = json!({});
        let german = json!({"question": "A", "stimme voll zu": 60, "teils/teils": 30, "stimme gar nicht zu": 10});
        assert_eq!(first_steps(german.clone(), &none), ("stimme gar nicht zu".to_owned(), 10.0));
        let usual =
            json!({"question": "A", "Very dissatisfied": 60, "Neutral": 30, "Very satisfied": 10});
        assert_eq!(first_steps(usual, &none), ("Very dissatisfied".to_owned(), 60.0));
        let numbered = json!({"question": "A", "5": 60, "4": 30, "3": 10});
        assert_eq!(first_steps(numbered, &none), ("5".to_owned(), 60.0));
        let keys = ["stimme voll zu", "teils/teils", "stimme gar nicht zu"];
        let own = json!({"series": keys.map(|key| json!({"key": key}))});
        assert_eq!(first_steps(german, &own).0, "stimme voll zu");
    }

    #[test]
    fn answers_outside_the_scale_are_on_no_side() {
        let sides_of = |keys: &[&str]| {
            let values = keys.iter().enumerate().map(|(index, key)| {
                let share = [40, 30, 20, 10].get(index).copied().unwrap_or(0);
                ((*key).to_owned(), json!(share))
            });
            let records =
                [std::iter::once(("question".to_owned(), json!("A"))).chain(values).collect()];
            let chart = Chart::new(&crate::kinds::likert::KIND, &records);
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let style = ChartStyle::new(&chart);
            let (_, scale) = read_steps(&chart, &style);
            let questions = read_questions(&chart, scale, &mut scene);
            let sides = scale.split_at_middle(&questions[0].shares);
            [sides.left, sides.right, sides.aside].map(f64::round)
        };
        assert_eq!(sides_of(&["Bad", "Neutral", "Good", "Don't know"]), [55.0, 35.0, 10.0]);
        assert_eq!(sides_of(&["Keine Angabe", "Schlecht", "Gut", "Sehr gut"]), [40.0, 20.0, 40.0]);
        assert_eq!(sides_of(&["Bad", "No opinion", "Good", "Very good"]), [70.0, 30.0, 0.0]);
        assert_eq!(sides_of(&["No answer", "Refused", "Good"]), [61.0, 39.0, 0.0]);
    }
}
