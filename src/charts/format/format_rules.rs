//! Rules for the texts of the numbers and dates of a column.

use serde_json::Value;

use crate::format::clock::ClockFormat;
use crate::scale;
use crate::scale::Ticks;

/// Format of the numbers and dates of a column, from `settings.rulesets.{column}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormatRules {
    /// Whether a percent sign follows the number. The number is not multiplied by 100.
    pub percent: bool,
    /// Number of decimals, 0 to 6. Chosen from the data if None.
    pub decimals: Option<usize>,
    /// Text before the number, such as a currency sign. At most 12 characters.
    pub prefix: String,
    /// Text after the number, such as a unit. At most 12 characters.
    pub suffix: String,
    /// Whether digits are separated into groups.
    pub grouped: bool,
    /// Pattern for dates, such as `D MMM YYYY`. At most 32 characters. See
    /// [`format_with_pattern`](super::date::format_with_pattern).
    pub date_format: Option<String>,
    /// Notation of durations by the clock, which replaces digit groups and decimals. Not for percentages.
    /// The drawing sets it for columns with such texts.
    pub clock: Option<ClockFormat>,
}

impl FormatRules {
    /// Parses the rule set of a column. A missing or invalid value is replaced by its default.
    ///
    /// Texts that are too long are cut, and more than 6 decimals count as 6. Control characters in
    /// prefix and suffix are removed.
    pub fn from_settings(settings: &Value, column: &str) -> FormatRules {
        let rules = &settings["rulesets"][column];
        let short_text = |key: &str| -> String {
            rules[key].as_str().unwrap_or("").chars().filter(|c| !c.is_control()).take(12).collect()
        };
        FormatRules {
            percent: rules["displayAsPercentage"].as_bool().unwrap_or(false),
            decimals: rules["decimals"].as_u64().map(|decimals| decimals.min(6) as usize),
            prefix: short_text("prefix"),
            suffix: short_text("suffix"),
            grouped: match &rules["thousandsSeparator"] {
                Value::Bool(grouped) => *grouped,
                Value::String(separator) => !separator.is_empty(),
                _ => true,
            },
            date_format: rules["dateFormat"]
                .as_str()
                .map(|pattern| pattern.chars().take(32).collect()),
            clock: ClockFormat::from_rule(&rules["clock"]),
        }
    }

    /// Returns whether the numbers are amounts of a currency with a hundredth part. False with another
    /// text on the other side, as for `$3 bn`.
    pub fn has_cents(&self) -> bool {
        const CURRENCIES: [&str; 10] =
            ["€", "$", "£", "US$", "EUR", "USD", "GBP", "CHF", "zł", "R$"];
        match (self.prefix.trim(), self.suffix.trim()) {
            (currency, "") | ("", currency) => CURRENCIES.contains(&currency),
            _ => false,
        }
    }

    /// Returns a domain with round ends and its ticks, like [`scale::nice_ticks`], in steps of the clock for
    /// durations.
    pub fn round_ticks(&self, low: f64, high: f64, target_count: usize) -> ((f64, f64), Ticks) {
        match self.clock {
            Some(_) if !self.percent => scale::clock_ticks(low, high, target_count),
            _ => scale::nice_ticks(low, high, target_count),
        }
    }

    /// Returns the rules for ticks with a distance of `step`.
    pub(super) fn with_step(&self, step: f64) -> FormatRules {
        FormatRules { clock: self.clock.map(|clock| clock.with_step(step)), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_a_text_beside_the_currency_have_no_cents() {
        let has_cents = |prefix: &str, suffix: &str| {
            let (prefix, suffix) = (prefix.to_owned(), suffix.to_owned());
            FormatRules { prefix, suffix, ..FormatRules::default() }.has_cents()
        };
        assert!(has_cents("$", "") && has_cents("", " €"));
        assert!(!has_cents("$", " bn") && !has_cents("€", "/kg") && !has_cents("", ""));
    }
}
