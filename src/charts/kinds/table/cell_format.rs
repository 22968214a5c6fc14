//! Formats of the cells of a column: amounts, years and codes.

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::{FormatRules, Locale, NumberFormat, count_decimals};
use crate::number_columns;

/// Maximum number of decimals that all values of a column get without being asked for: those of
/// money.
const MAX_EXACT_DECIMALS: usize = 2;
/// Maximum number of decimals of single values. Values with more are results of a division, and
/// are rounded.
const MAX_CELL_DECIMALS: usize = 4;
/// Magnitude from which numbers may have a scale unit such as `M`.
const MIN_SCALED: f64 = 1e6;

/// Ends of column names in English, German, French and Spanish that tell years.
const YEAR_WORDS: [&str; 11] = [
    "year",
    "jahr",
    "année",
    "año",
    "founded",
    "gegründet",
    "opened",
    "eröffnet",
    "built",
    "since",
    "seit",
];

/// Last words of column names in English, German, French and Spanish that tell codes.
const CODE_WORDS: [&str; 14] = [
    "id",
    "no",
    "nr",
    "nummer",
    "number",
    "code",
    "numéro",
    "número",
    "plz",
    "zip",
    "isbn",
    "ean",
    "sku",
    "postleitzahl",
];

/// Format of the numbers of a column.
pub struct CellFormat {
    /// Rules of the column, without digit groups for years and codes.
    pub rules: FormatRules,
    /// Whether the cells are mainly numbers, see [`number_columns::has_numbers`].
    pub is_numeric: bool,
    /// Whether the sum of the numbers makes sense: they are no percentages, years or codes.
    pub is_summable: bool,
    locale: Locale,
    /// Format of all numbers if `max_decimals` is None.
    format: NumberFormat,
    /// Maximum number of decimals if each number has its own, at least `MAX_EXACT_DECIMALS`.
    max_decimals: Option<usize>,
    /// Whether positive numbers have a plus sign.
    has_plus_sign: bool,
}

impl CellFormat {
    /// Creates the format of the column `key` with these values.
    pub fn new(chart: &Chart, key: &str, values: &[&Value]) -> Self {
        let mut rules = chart.format_rules(key);
        let numbers: Vec<f64> = values.iter().filter_map(|value| data::number(value)).collect();
        let is_plain =
            !chart.has_format_rules(key) && (are_years(key, &numbers) || are_codes(key, &numbers));
        rules.grouped &= !is_plain;
        let exact = rules.decimals.is_none().then(|| find_exact_decimals(&numbers)).flatten();
        let max_decimals = exact.filter(|decimals| *decimals > MAX_EXACT_DECIMALS);
        // Amounts of money have cents or none.
        let exact = exact.map(|count| if count == 1 && rules.has_cents() { 2 } else { count });
        rules.decimals = rules.decimals.or(exact.filter(|_| max_decimals.is_none()));
        let format = NumberFormat::for_values(numbers.iter().copied(), &rules, chart.locale());
        Self {
            is_numeric: number_columns::has_numbers(key, values),
            is_summable: rules.suffix.trim() != "%" && !rules.percent && !is_plain,
            locale: chart.locale(),
            rules,
            format,
            max_decimals,
            has_plus_sign: chart.settings["rulesets"][key]["plusSign"] == true,
        }
    }

    /// Formats a number of the column, or their sum.
    pub fn text(&self, number: f64) -> String {
        let text = match self.max_decimals {
            None => self.format.text(number),
            Some(max) => {
                let decimals = count_decimals(number).clamp(MAX_EXACT_DECIMALS, max);
                NumberFormat::with_fixed_decimals(decimals, &self.rules, self.locale).text(number)
            }
        };
        if self.has_plus_sign && number > 0.0 { format!("+{text}") } else { text }
    }
}

/// Returns the number of decimals with which all values of a column are exact: a table is read for
/// its values, so that an amount of 1,234.50 is not written as 1,235. None if that would be more than
/// `MAX_CELL_DECIMALS`, if a magnitude is at least `MIN_SCALED`, or without numbers.
fn find_exact_decimals(numbers: &[f64]) -> Option<usize> {
    let is_large = numbers.iter().any(|number| number.abs() >= MIN_SCALED);
    let decimals = numbers.iter().map(|number| count_decimals(*number)).max()?;
    (!is_large && decimals <= MAX_CELL_DECIMALS).then_some(decimals)
}

/// Returns whether all numbers are whole and not negative, and the last word of the column name, `key`,
/// tells codes, as in `Order no.` and `Artikelnr.`. False without numbers, and for a name such as
/// `Number of orders`.
fn are_codes(key: &str, numbers: &[f64]) -> bool {
    let name = key.to_lowercase();
    let mut words =
        name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let last = words.next_back().unwrap_or_default();
    let has_name =
        CODE_WORDS.contains(&last) || ["nummer", "nr"].iter().any(|end| last.ends_with(end));
    has_name
        && !numbers.is_empty()
        && numbers.iter().all(|number| number.fract() == 0.0 && *number >= 0.0)
}

/// Returns whether all numbers are rather years than amounts: whole numbers from 1900 to 2100, or from
/// 1000 on if the name of the column, `key`, is one word with a year word at its end or begins with
/// "year". Names such as "Revenue per year" do not count. False with fewer than two numbers.
fn are_years(key: &str, numbers: &[f64]) -> bool {
    let name = key.to_lowercase();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let has_year_name = match (words.next(), words.next()) {
        (Some(only), None) => YEAR_WORDS.iter().any(|word| only.ends_with(word)),
        (Some(first), _) => ["year", "jahr", "année", "año"].contains(&first),
        (None, _) => false,
    };
    let first = if has_year_name { 1000.0 } else { 1900.0 };
    let is_year = |number: &f64| number.fract() == 0.0 && (first..=2100.0).contains(number);
    numbers.len() > 1 && numbers.iter().all(is_year)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the texts of a table with these records.
    fn draw_texts(records: &[Value]) -> Vec<String> {
        let scene = crate::draw(&Chart::new(crate::find_kind("table").unwrap(), records));
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    #[test]
    fn amounts_of_money_are_exact() {
        let texts = draw_texts(&[
            json!({"Net": 1234.5, "Share": 0.123, "Count": 12}),
            json!({"Net": -45.15, "Share": 2}),
        ]);
        for expected in ["1,234.50", "\u{2212}45.15", "12", "0.123", "2.00"] {
            assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn amounts_of_a_currency_have_cents_or_none() {
        let settings = json!({"rulesets": {"Net": {"suffix": " €"}, "Fee": {"suffix": " €"}, "Mass": {"suffix": " kg"}}});
        let records = [json!({"Net": 1234.5, "Fee": 3, "Mass": 2.5})];
        let kind = crate::find_kind("table").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for expected in ["1,234.50 €", "3 €", "2.5 kg"] {
            assert!(texts.contains(&expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn positive_numbers_have_a_plus_sign_if_the_rules_of_the_column_say_so() {
        let settings =
            json!({"rulesets": {"Change": {"plusSign": true, "displayAsPercentage": true}}});
        let records = [2.8, -1.3, 0.0].map(|change| json!({"Change": change, "Rate": change}));
        let kind = crate::find_kind("table").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for expected in ["+2.8%", "\u{2212}1.3%", "0.0%", "2.8"] {
            assert!(texts.contains(&expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn few_decimals_beside_larger_numbers_are_exact() {
        let values = [0.0384, 0.95, 17.1, 189.0];
        let texts = draw_texts(&values.map(|value| json!({"Price": value, "Share": value / 7.0})));
        for expected in ["0.0384", "0.95", "17.10", "189.00", "27.0"] {
            assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn codes_keep_their_digits() {
        let records = [
            json!({"SKU": "004711", "Order no.": 104711, "Number of orders": 1200}),
            json!({"SKU": "110005", "Order no.": 98, "Number of orders": 3400}),
        ];
        let texts = draw_texts(&records);
        for expected in ["004711", "110005", "104711", "98", "1,200"] {
            assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn old_years_have_no_group_separator_if_the_name_of_their_column_tells_them() {
        let record = |year: i32| json!({"Eröffnet": year, "Seiten": year, "Euro je Jahr": year});
        let texts = draw_texts(&[record(1848), record(1936), record(2004)]);
        let count = |wanted: &str| texts.iter().filter(|text| *text == wanted).count();
        assert_eq!((count("1848"), count("1,848")), (1, 2), "{texts:?}");
    }
}
