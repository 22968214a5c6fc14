//! Probabilities and impacts as numbers, percentages and words, and their steps from 1 to 5.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::{FormatRules, Locale, NumberFormat};
use crate::number_text;

use super::grid::STEPS;
use super::words::{LOWERED_WORDS, WORDS};

/// Maximum length of a cell with a word in bytes.
const MAX_BYTES: usize = 60;
/// Maximum number of words in the title of a step.
const MAX_TITLE_WORDS: usize = 2;
/// Width of the range of percentages that one step has.
const PERCENT_PER_STEP: f64 = 100.0 / STEPS as f64;
/// Maximum number that may be a rating. A column with a larger number has percentages.
const MAX_RATING: f64 = 10.0;

/// Content of a cell, before the other cells of the column are known.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Missing,
    Number(f64),
    /// A number with a percent sign.
    Percent(f64),
    /// A word in lower case with the number that the cell has, and its step from 0.
    Word(String, usize),
    Unknown,
}

/// Step of a probability or an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A step from 0 to 4.
    At(usize),
    /// A step from 0 to 4 at the end of the scale, because the number is outside the scale.
    Beyond(usize),
    /// The cell is empty.
    Missing,
    /// The cell has a text that is no step.
    Unknown,
}

impl Step {
    /// Returns the step from 0 to 4. None without one.
    pub fn index(self) -> Option<usize> {
        match self {
            Step::At(step) | Step::Beyond(step) => Some(step),
            Step::Missing | Step::Unknown => None,
        }
    }
}

/// Probabilities or impacts of all records.
pub struct StepColumn<'a> {
    /// Step of each record.
    pub steps: Vec<Step>,
    /// Titles of the steps that the cells tell: words, or ranges of percentages.
    pub titles: [Option<Cow<'a, str>>; STEPS],
}

impl<'a> StepColumn<'a> {
    /// Reads the column `key` of all records.
    ///
    /// A number from 1 to 5 is a step, and so is a word. Percentages have five ranges of 20 each.
    /// Numbers are percentages with a percent sign, with a number format with a percent sign, and in a
    /// column of probabilities also if one exceeds [`MAX_RATING`] and none exceeds 100. Probabilities
    /// from 0 to 1 that are not whole are shares.
    pub fn read(chart: &Chart<'a>, key: &str) -> StepColumn<'a> {
        let values: Vec<&'a Value> =
            chart.data.iter().map(|record| data::field(record, key)).collect();
        let cells: Vec<Cell> = values.iter().map(|value| read_cell(value)).collect();
        let factor = find_percent_factor(chart, key, &cells);
        let has_word = |words: &[&str]| {
            let is_listed =
                |cell: &Cell| matches!(cell, Cell::Word(word, _) if words.contains(&word.as_str()));
            cells.iter().any(is_listed)
        };
        let lowered: Vec<&str> = (LOWERED_WORDS.iter())
            .filter(|(_, companions)| has_word(companions))
            .flat_map(|(words, _)| words.iter().copied())
            .collect();
        let to_step = |cell: &Cell| match cell {
            Cell::Missing => Step::Missing,
            Cell::Unknown => Step::Unknown,
            Cell::Percent(number) => step_of_percent(*number),
            Cell::Number(number) => {
                factor.map_or_else(|| step_of_rating(*number), |by| step_of_percent(*number * by))
            }
            Cell::Word(word, step) if lowered.contains(&word.as_str()) => Step::At(step - 1),
            Cell::Word(_, step) => Step::At(*step),
        };
        let steps: Vec<Step> = cells.iter().map(to_step).collect();
        let has_percent =
            factor.is_some() || cells.iter().any(|cell| matches!(cell, Cell::Percent(_)));
        let titles = if cells.iter().any(|cell| matches!(cell, Cell::Word(..))) {
            find_word_titles(&values, &cells, &steps)
        } else if has_percent {
            percent_titles(chart.locale()).map(Some)
        } else {
            Default::default()
        };
        StepColumn { steps, titles }
    }
}

/// Returns whether a text is a word for a step of probability or impact, such as `Likely`, `hoch` and
/// `4 - Major`.
pub fn is_step_word(text: &str) -> bool {
    matches!(read_cell(&Value::from(text)), Cell::Word(..))
}

/// Reads a cell without its column.
fn read_cell(value: &Value) -> Cell {
    let Some(text) = value.as_str().map(str::trim) else {
        return match data::number(value) {
            Some(number) => Cell::Number(number),
            None if value.is_null() => Cell::Missing,
            None => Cell::Unknown,
        };
    };
    if number_text::is_missing(text) {
        return Cell::Missing;
    }
    match data::number(value) {
        Some(number) if text.ends_with(['%', '٪', '％']) => Cell::Percent(number),
        Some(number) => Cell::Number(number),
        None => read_word(text).unwrap_or(Cell::Unknown),
    }
}

/// Reads a word with or without the number of its step, such as `Likely`, `4 - Likely` and
/// `Likely (4)`. A number decides, also beside an unknown word. None without a known word and number.
fn read_word(text: &str) -> Option<Cell> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<&str> = words.iter().filter(is_number).copied().collect();
    let names: Vec<&str> = words.iter().filter(|word| !is_number(word)).copied().collect();
    let name = names.join(" ");
    let named = WORDS.iter().position(|words| words.contains(&name.as_str()));
    let step = match numbers.as_slice() {
        [] => named?,
        [number] => number.parse::<usize>().ok().filter(|number| (1..=STEPS).contains(number))? - 1,
        _ => return None,
    };
    // An unknown word directly after the number is a unit, as in `3 days`.
    let is_separated = text.contains(['-', '–', ':', '(', '.']);
    let is_rating = !name.is_empty() && (named.is_some() || is_separated);
    (is_rating && !text.contains(['%', '‰'])).then_some(Cell::Word(words.join(" "), step))
}

/// Returns the factor from the numbers of a column to percentages. None if they are ratings.
fn find_percent_factor(chart: &Chart, key: &str, cells: &[Cell]) -> Option<f64> {
    let numbers = || {
        cells.iter().filter_map(|cell| match cell {
            Cell::Number(number) => Some(*number),
            _ => None,
        })
    };
    let has_sign = chart.settings["rulesets"][key]["displayAsPercentage"].as_bool() == Some(true);
    let is_within = |max: f64| numbers().all(|number| (0.0..=max).contains(&number));
    let is_probability = key == "probability";
    let is_percent =
        is_probability && is_within(100.0) && numbers().any(|number| number > MAX_RATING);
    let is_share = is_probability && is_within(1.0) && numbers().any(|number| number.fract() > 0.0);
    if has_sign || is_percent { Some(1.0) } else { is_share.then_some(100.0) }
}

/// Returns the step of a rating, which has a range of 0.5 to 5.5.
fn step_of_rating(number: f64) -> Step {
    let step = (number.clamp(1.0, STEPS as f64).round() as usize).saturating_sub(1);
    if (0.5..=5.5).contains(&number) { Step::At(step) } else { Step::Beyond(step) }
}

/// Returns the step of a percentage. The upper end of each range belongs to the range.
fn step_of_percent(percent: f64) -> Step {
    // Products of shares have rounding errors.
    let step = ((percent / PERCENT_PER_STEP - 1e-9).ceil() - 1.0).clamp(0.0, STEPS as f64 - 1.0);
    let is_inside = (0.0..=100.0 + 1e-9).contains(&percent);
    if is_inside { Step::At(step as usize) } else { Step::Beyond(step as usize) }
}

/// Returns the words of each step as the first cells write them, such as `Major / Severe`. None for a
/// step without words or with more than [`MAX_TITLE_WORDS`].
fn find_word_titles<'a>(
    values: &[&'a Value],
    cells: &[Cell],
    steps: &[Step],
) -> [Option<Cow<'a, str>>; STEPS] {
    let mut found: [Vec<(&str, Cow<str>)>; STEPS] = Default::default();
    for ((value, cell), step) in values.iter().zip(cells).zip(steps) {
        let (Cell::Word(word, _), Some(index)) = (cell, step.index()) else { continue };
        let Some(words) = found.get_mut(index) else { continue };
        // One more than the maximum tells that there are too many.
        if words.len() <= MAX_TITLE_WORDS && words.iter().all(|(known, _)| known != word) {
            words.push((word, data::display_text(value)));
        }
    }
    found.map(|words| {
        let texts: Vec<&str> = words.iter().map(|(_, text)| text.trim()).collect();
        (1..=MAX_TITLE_WORDS).contains(&texts.len()).then(|| Cow::Owned(texts.join(" / ")))
    })
}

/// Returns the ranges of percentages of the steps, such as `20–40%`.
fn percent_titles<'a>(locale: Locale) -> [Cow<'a, str>; STEPS] {
    let percent =
        NumberFormat::with_fixed_decimals(0, &FormatRules::default(), locale).with_percent();
    std::array::from_fn(|index| {
        let low = locale.format_integer(index * PERCENT_PER_STEP as usize);
        let high = percent.text((index + 1) as f64 * PERCENT_PER_STEP);
        Cow::Owned(format!("{low}–{high}"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the steps of the column `key` with these cells, counted from 1, and 0 without one, and
    /// the titles of the steps.
    fn read(key: &str, values: &[Value]) -> (Vec<usize>, Vec<String>) {
        let records: Vec<Value> = values.iter().map(|value| json!({ key: value })).collect();
        let chart = Chart::new(crate::find_kind("risk-matrix").unwrap(), &records);
        let column = StepColumn::read(&chart, key);
        let steps = column.steps.iter().map(|step| step.index().map_or(0, |index| index + 1));
        let titles = column.titles.iter().map(|title| title.as_deref().unwrap_or("").to_owned());
        (steps.collect(), titles.collect())
    }

    #[test]
    fn words_of_several_languages_have_steps() {
        let words = ["Likely", "Possible", "Rare", "almost certain", "UNLIKELY", "sometimes"];
        let (steps, titles) = read("probability", &words.map(Value::from));
        assert_eq!(steps, [4, 3, 1, 5, 2, 0]);
        assert_eq!(titles, ["Rare", "UNLIKELY", "Possible", "Likely", "almost certain"]);
        assert_eq!(read("impact", &["Major", "high"].map(Value::from)).1[3], "Major / high");
        let words = ["Minor", "Major", "Severe", "hoch", "mittel", "gering", "sehr hoch"];
        assert_eq!(read("impact", &words.map(Value::from)).0, [2, 4, 5, 4, 3, 2, 5]);
        let words = ["4 - Major", "Moderate (3)", "2: somewhat", "12 - odd", "3.5 m", "3 days"];
        assert_eq!(read("impact", &words.map(Value::from)).0, [4, 3, 2, 0, 0, 0]);
    }

    #[test]
    fn other_words_of_the_scale_lower_some_words() {
        let words = ["critical", "high"].map(Value::from);
        assert_eq!(read("impact", &words).0, [5, 4]);
        let words = ["negligible", "marginal", "critical", "catastrophic"].map(Value::from);
        assert_eq!(read("impact", &words).0, [1, 2, 4, 5]);
        let words = ["Slight", "Minor", "Serious", "Major", "Severe"].map(Value::from);
        assert_eq!(read("impact", &words).0, [1, 2, 3, 4, 5]);
        let words = ["2 - Slight", "3 - Minor"].map(Value::from);
        assert_eq!(read("impact", &words).0, [2, 3]);
    }

    #[test]
    fn percentages_have_five_equal_ranges() {
        let texts = ["0 %", "20%", "35 %", "60,1 %", "100 %"].map(Value::from);
        let (steps, titles) = read("probability", &texts);
        assert_eq!(steps, [1, 1, 2, 4, 5]);
        assert_eq!(titles[1], "20–40%");
        assert_eq!(read("probability", &[json!(90), json!(35), json!(2)]).0, [5, 2, 1]);
        assert_eq!(read("probability", &[json!(0.6), json!(0.35), json!(1)]).0, [3, 2, 5]);
        assert_eq!(read("probability", &[json!(1), json!(2), json!("3")]).0, [1, 2, 3]);
        assert_eq!(read("probability", &["Likely", "35%"].map(Value::from)).0, [4, 2]);
        // Impacts are no percentages without a sign.
        assert_eq!(read("impact", &[json!(90), json!(35)]).0, [5, 5]);
    }
}
