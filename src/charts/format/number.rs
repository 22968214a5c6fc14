//! Numbers as people read them: grouped, in one unit, with a true minus sign.

use serde_json::Value;

use crate::format::Locale;

/// How a column's numbers are shown, from `settings.rulesets.{column}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Adds a percent sign to the number as it stands.
    pub percent: bool,
    /// Digits behind the separator; chosen from the data when absent. 0 to 6.
    pub decimals: Option<usize>,
    /// Stands before the number, such as a currency sign.
    pub prefix: String,
    /// Stands behind the number, such as a unit.
    pub suffix: String,
    /// Whether digits are grouped.
    pub grouped: bool,
    /// Pattern for dates, such as `D MMM YYYY`.
    pub date_format: Option<String>,
}

impl Rules {
    /// Reads the rule set of a column; what is missing or odd takes its default.
    pub fn read(settings: &Value, column: &str) -> Rules {
        let rules = &settings["rulesets"][column];
        let short = |key: &str| -> String {
            rules[key]
                .as_str()
                .map_or("", |it| it)
                .chars()
                .filter(|c| !c.is_control())
                .take(12)
                .collect()
        };
        Rules {
            percent: rules["displayAsPercentage"].as_bool().unwrap_or(false),
            decimals: rules["decimals"].as_u64().map(|it| it.min(6) as usize),
            prefix: short("prefix"),
            suffix: short("suffix"),
            grouped: match &rules["thousandsSeparator"] {
                Value::Bool(wanted) => *wanted,
                Value::String(sign) => !sign.is_empty(),
                _ => true,
            },
            date_format: rules["dateFormat"].as_str().map(|it| it.chars().take(32).collect()),
        }
    }
}

/// A way of writing numbers that is the same for a whole axis or column.
#[derive(Clone, Debug)]
pub struct NumberFormat {
    locale: Locale,
    rules: Rules,
    decimals: usize,
    /// What a value is divided by, and the word for it.
    unit: (f64, &'static str),
    /// Powers of ten, for magnitudes that have no words.
    scientific: bool,
}

/// Axis numbers from here on are written in thousands, millions and so on: over four digits.
const SHORT_FROM: f64 = 10_000.0;
/// Value labels may be longer than ticks, so that they stay exact.
const SHORT_VALUES_FROM: f64 = 1_000_000.0;
/// Three digits of the smallest value that is written without a power of ten.
const MOST_DECIMALS: f64 = 7.0;

impl NumberFormat {
    /// For the ticks of an axis with this largest magnitude and distance of ticks.
    pub fn for_axis(largest: f64, step: f64, rules: &Rules, locale: Locale) -> NumberFormat {
        let short = unit(largest, SHORT_FROM, locale);
        // 10.43k, 10.44k and so on would be longer than the plain numbers.
        let most = if short.0 <= 1e3 { 1 } else { 2 };
        let unit = if decimals_of(step / short.0) > most { (1.0, "") } else { short };
        let decimals = decimals_of(step / unit.0);
        NumberFormat { locale, rules: rules.clone(), decimals, unit, scientific: wordless(largest) }
    }

    /// For value labels: as many decimals as the data carry, but no more than give the largest
    /// value three significant digits.
    pub fn for_values(
        values: impl Iterator<Item = f64> + Clone,
        rules: &Rules,
        locale: Locale,
    ) -> NumberFormat {
        let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
        let unit = unit(largest, SHORT_VALUES_FROM, locale);
        let scaled = largest / unit.0;
        let most = match scaled {
            it if it >= 1000.0 => 0,
            it if it >= 10.0 => 1,
            it if it >= 1.0 => 2,
            it if it > 0.0 => (2.0 - it.log10().floor()).min(MOST_DECIMALS) as usize,
            _ => 0,
        };
        let needed = || {
            let mut needed = 0;
            for value in values {
                needed = decimals_of(value / unit.0).max(needed);
                // The rest cannot change the answer.
                if needed >= most {
                    return most;
                }
            }
            needed
        };
        let decimals = rules.decimals.unwrap_or_else(needed);
        NumberFormat { locale, rules: rules.clone(), decimals, unit, scientific: wordless(largest) }
    }

    /// A plain number with this many decimals and no unit.
    pub fn plain(decimals: usize, rules: &Rules, locale: Locale) -> NumberFormat {
        let unit = (1.0, "");
        NumberFormat { locale, rules: rules.clone(), decimals, unit, scientific: false }
    }

    /// Adds a percent sign.
    pub fn with_percent(mut self) -> NumberFormat {
        self.rules.percent = true;
        self
    }

    /// The number in words.
    pub fn text(&self, value: f64) -> String {
        let mut out = String::with_capacity(16);
        let scaled = value / self.unit.0;
        let digits =
            if self.scientific { powers(scaled.abs()) } else { fixed(scaled.abs(), self.decimals) };
        if value < 0.0 && digits.bytes().any(|it| it.is_ascii_digit() && it != b'0') {
            out.push('\u{2212}');
        }
        out.push_str(&self.rules.prefix);
        self.push_digits(&digits, &mut out);
        // Zero needs no unit: 0, 10k, 20k.
        if digits.bytes().any(|it| (b'1'..=b'9').contains(&it)) {
            out.push_str(self.unit.1);
        }
        if self.rules.percent {
            out.push_str(self.locale.percent_space);
            out.push('%');
        }
        out.push_str(&self.rules.suffix);
        out
    }

    fn push_digits(&self, digits: &str, out: &mut String) {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        // Four digits without a neighbour of five look tidier whole, but 1,000 beside 12,000 does not.
        let grouped = self.rules.grouped && whole.len() > 3 && !whole.contains('e');
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            let edge = if self.locale.indian && left > 3 {
                (left - 3).is_multiple_of(2)
            } else {
                left.is_multiple_of(3)
            };
            if grouped && at > 0 && edge {
                out.push(self.locale.group);
            }
            out.push(digit);
        }
        if !fraction.is_empty() {
            out.push(self.locale.decimal);
            out.push_str(fraction);
        }
    }
}

/// Digits with a fixed number of decimals.
///
/// Whole multiples of the last decimal are written as integers, which the standard library does
/// ten times faster than fractions.
fn fixed(value: f64, decimals: usize) -> String {
    let Some(unit) = 10u64.checked_pow(decimals as u32) else {
        return format!("{value:.decimals$}");
    };
    let scaled = value * unit as f64;
    // Beyond this an f64 no longer holds every integer.
    if decimals > 9 || scaled >= 9e15 {
        return format!("{value:.decimals$}");
    }
    let scaled = scaled.round() as u64;
    if decimals == 0 {
        return scaled.to_string();
    }
    format!("{}.{:0decimals$}", scaled / unit, scaled % unit)
}

/// A digit or two and a power of ten.
fn powers(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// Whether a column reaches beyond the words for large numbers, or below what decimals show.
fn wordless(largest: f64) -> bool {
    largest >= 1e16 || largest > 0.0 && largest < 1e-5
}

/// How many decimals (0 to 9) a number needs to be told apart from its neighbours.
pub fn decimals_of(value: f64) -> usize {
    let value = value.abs();
    let mut power = 1.0;
    for count in 0..9 {
        let scaled = value * power;
        // A millionth of the digit itself covers the rounding of decimal fractions.
        if (scaled - scaled.round()).abs() <= 1e-6 * scaled.max(1e-3) {
            return count;
        }
        power *= 10.0;
    }
    9
}

fn unit(largest: f64, from: f64, locale: Locale) -> (f64, &'static str) {
    if largest < from || wordless(largest) {
        return (1.0, "");
    }
    if locale.indian {
        return if largest >= 1e7 { (1e7, "\u{a0}Cr") } else { (1e5, "\u{a0}L") };
    }
    let [thousand, million, billion, trillion] = locale.units;
    match largest {
        it if it >= 1e12 => (1e12, trillion),
        it if it >= 1e9 => (1e9, billion),
        it if it >= 1e6 => (1e6, million),
        _ => (1e3, thousand),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(largest: f64, step: f64, value: f64, tag: &str) -> String {
        let rules = Rules { grouped: true, ..Rules::default() };
        NumberFormat::for_axis(largest, step, &rules, Locale::parse(tag)).text(value)
    }

    #[test]
    fn an_axis_has_one_unit_and_one_precision() {
        assert_eq!(axis(12_000.0, 2_000.0, 12_000.0, "en"), "12k");
        assert_eq!(axis(2_500_000.0, 500_000.0, 1_000_000.0, "en"), "1.0M");
        assert_eq!(axis(5_000.0, 1_000.0, 5_000.0, "en"), "5,000");
        assert_eq!(axis(10_490.0, 10.0, 10_440.0, "en"), "10,440");
        assert_eq!(axis(2.5e9, 5e8, 2.5e9, "de"), "2,5\u{a0}Mrd.");
        assert_eq!(axis(3e7, 1e7, 2e7, "en-IN"), "2\u{a0}Cr");
    }

    #[test]
    fn the_minus_sign_is_true_and_never_before_zero() {
        assert_eq!(axis(50.0, 10.0, -50.0, "en"), "\u{2212}50");
        assert_eq!(axis(50.0, 10.0, -0.0, "en"), "0");
    }

    #[test]
    fn labels_take_their_decimals_from_the_data() {
        let rules = Rules { grouped: true, ..Rules::default() };
        let format = |values: &[f64]| {
            NumberFormat::for_values(values.iter().copied(), &rules, Locale::default())
        };
        assert_eq!(format(&[12.5, 3.0]).text(3.0), "3.0");
        assert_eq!(format(&[1234.56]).text(1234.56), "1,235");
        assert_eq!(format(&[0.1 + 0.2]).text(0.3), "0.3");
        assert_eq!(format(&[0.000_655, 0.000_512_4]).text(0.000_512_4), "0.000512");
        assert_eq!(format(&[0.0, 0.02]).text(0.02), "0.02");
        assert_eq!(format(&[1e300]).text(1e300), "1.0e300");
        assert_eq!(format(&[0.0025, 0.001]).text(0.0025), "0.0025");
        assert_eq!(format(&[0.012_345, 0.001]).text(0.012_345), "0.0123");
        assert_eq!(format(&[0.0]).text(0.0), "0");
    }

    #[test]
    fn rules_wrap_the_number() {
        let settings = serde_json::json!({"rulesets": {"v": {"prefix": "€", "decimals": 2, "thousandsSeparator": false}}});
        let rules = Rules::read(&settings, "v");
        let format = NumberFormat::for_values([1234.5].into_iter(), &rules, Locale::default());
        assert_eq!(format.text(-1234.5), "\u{2212}€1234.50");
    }
}
