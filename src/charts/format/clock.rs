//! Durations such as `2:06:39` and `1 h 45 min`: notation of a column, and texts of numbers in it.

use serde_json::{Value, json};

/// Maximum length of a duration in bytes.
const MAX_BYTES: usize = 16;
/// Maximum length of a duration with units in bytes.
const MAX_UNIT_BYTES: usize = 32;
/// Maximum number of digits of the first part.
const MAX_FIRST_DIGITS: usize = 4;
/// Maximum number of decimals of the last part.
const MAX_DECIMALS: usize = 3;

/// Signs before a negative duration: those of the keyboard and of typography, and the dash that word processors
/// put in their place.
const MINUS_SIGNS: [char; 3] = ['-', '−', '–'];

/// Words and abbreviations for hours and minutes, in lower case without a point.
const UNIT_WORDS: [&[&str]; 2] = [
    &["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heure", "heures"],
    &["m", "min", "mins", "minute", "minutes", "minuten"],
];

/// Notation of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFormat {
    /// Whether hours, minutes and seconds are written, instead of two parts.
    has_three_parts: bool,
    /// Number of decimals of the last part, 0 to 3.
    decimals: usize,
    /// Sign before the decimals, as in the records.
    separator: char,
    /// Whether the unit of hours follows, because the records name units, as in `1 h 45 min`.
    has_unit: bool,
}

impl ClockFormat {
    /// Returns the notation of a text for which [`parse_clock`] has a result.
    pub fn of_text(text: &str) -> ClockFormat {
        let has_unit = !text.contains(':');
        ClockFormat {
            has_unit,
            has_three_parts: text.matches(':').count() == 2,
            decimals: if has_unit { 0 } else { count_text_decimals(text) },
            separator: if text.contains(',') { ',' } else { '.' },
        }
    }

    /// Returns the notation of minutes and seconds for seconds without minutes, such as `26.41`, for which
    /// [`parse_seconds`] has a result.
    pub fn of_seconds(text: &str) -> ClockFormat {
        ClockFormat { has_unit: false, decimals: count_text_decimals(text), ..Self::of_text(text) }
    }

    /// Returns the notation that writes everything that one of both writes.
    #[must_use]
    pub fn join(self, other: ClockFormat) -> ClockFormat {
        ClockFormat {
            has_unit: self.has_unit && other.has_unit,
            has_three_parts: self.has_three_parts || other.has_three_parts,
            decimals: self.decimals.max(other.decimals),
            separator: if other.decimals > 0 { other.separator } else { self.separator },
        }
    }

    /// Returns the notation for multiples of `step`, a number in the unit of the last part.
    #[must_use]
    pub fn with_step(self, step: f64) -> ClockFormat {
        ClockFormat { decimals: super::count_decimals(step).min(MAX_DECIMALS), ..self }
    }

    /// Reads the notation that [`to_rule`](ClockFormat::to_rule) has written. None for other values.
    pub fn from_rule(rule: &Value) -> Option<ClockFormat> {
        let decimals = rule["decimals"].as_u64()?.min(MAX_DECIMALS as u64) as usize;
        let separator = if rule["separator"] == "," { ',' } else { '.' };
        let (has_three_parts, has_unit) = (rule["seconds"].as_bool()?, rule["unit"].as_bool()?);
        Some(ClockFormat { has_three_parts, decimals, separator, has_unit })
    }

    /// Returns the notation as a rule of a column.
    pub fn to_rule(self) -> Value {
        let separator = self.separator.to_string();
        json!({
            "seconds": self.has_three_parts,
            "decimals": self.decimals,
            "separator": separator,
            "unit": self.has_unit,
        })
    }

    /// Writes a number without its sign in the unit of the last part, such as `2:06:39`, or `6:39` with two
    /// parts.
    pub fn text(self, value: f64) -> String {
        let factor = 10f64.powi(self.decimals as i32);
        let rounded = (value.abs() * factor).round();
        let units = (rounded / factor).floor();
        let (minutes, last) = ((units / 60.0).floor(), units % 60.0);
        let start = match self.has_three_parts {
            true => format!("{}:{:02}", (minutes / 60.0).floor(), minutes % 60.0),
            false => format!("{minutes}"),
        };
        let decimals = match self.decimals {
            0 => String::new(),
            count => format!("{}{:0count$}", self.separator, rounded % factor),
        };
        let unit = if self.has_unit { " h" } else { "" };
        format!("{start}:{last:02}{decimals}{unit}")
    }
}

/// Parses a duration into the unit of its last part: `2:06:39` into seconds, and `1 h 45 min`, `2 h` and
/// `45 min` into minutes. A duration with colons may be negative, such as `-1:30` in a time account. None
/// for other texts.
pub fn parse_clock(text: &str) -> Option<f64> {
    parse_parts(text).or_else(|| parse_units(text).map(|(minutes, _)| minutes))
}

/// Returns the number of decimals of the last part of a duration, at most `MAX_DECIMALS`.
fn count_text_decimals(text: &str) -> usize {
    let decimals = text.trim().rsplit_once(['.', ',']).map_or(0, |(_, digits)| digits.len());
    decimals.min(MAX_DECIMALS)
}

/// Returns whether a text is a duration with parts of a second, such as `2:04.11`. No time of day is.
pub fn has_parts_of_seconds(text: &str) -> bool {
    text.contains(':') && count_text_decimals(text) > 0 && parse_parts(text).is_some()
}

/// Parses seconds without minutes, such as `26.41` beside `2:04.11`. None for other texts.
pub fn parse_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let is_valid = is_digits(whole) && whole.len() <= MAX_FIRST_DIGITS && is_digits(decimals);
    is_valid.then(|| text.replace(',', ".").parse().ok()).flatten()
}

/// Returns whether a text is a duration with at least two parts, so that it is no number with a unit.
pub fn is_compound_duration(text: &str) -> bool {
    parse_parts(text).is_some() || parse_units(text).is_some_and(|(_, is_compound)| is_compound)
}

/// Parses hours and minutes with units into minutes. Returns also whether both are there.
fn parse_units(text: &str) -> Option<(f64, bool)> {
    let text = text.trim();
    let starts_with_digit = text.starts_with(|first: char| first.is_ascii_digit());
    // Most texts are names, numbers or dates.
    if text.len() > MAX_UNIT_BYTES
        || !starts_with_digit
        || !text.contains(|c: char| c.is_ascii_alphabetic())
    {
        return None;
    }
    let lower = text.to_lowercase();
    let is_digit = |c: char| c.is_ascii_digit();
    let split = |text: &str, is_part: &dyn Fn(char) -> bool| {
        let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        (text[..end].to_owned(), text[end..].trim_start().to_owned())
    };
    let (mut rest, mut minutes, mut units) = (lower, 0.0, Vec::new());
    while !rest.is_empty() {
        let (digits, after_digits) = split(&rest, &is_digit);
        let (word, after_word) = split(&after_digits, &|c| c.is_alphabetic() || c == '.');
        let word = word.trim_end_matches('.');
        let unit = UNIT_WORDS.iter().position(|words| words.contains(&word))?;
        let number: f64 = digits.parse().ok()?;
        minutes += if unit == 0 { number * 60.0 } else { number };
        units.push(unit);
        rest = after_word;
    }
    let is_valid = matches!(units.as_slice(), [0] | [1] | [0, 1]);
    is_valid.then_some((minutes, units.len() == 2))
}

/// Parses a duration with two or three parts between colons, which may have a sign, into the unit of
/// the last part. None for other texts.
fn parse_parts(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_prefix(MINUS_SIGNS) {
        Some(digits) => parse_parts_without_sign(digits).map(|duration| -duration),
        None => parse_parts_without_sign(text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Parses a duration like [`parse_parts`], but without a minus sign.
fn parse_parts_without_sign(text: &str) -> Option<f64> {
    if text.len() > MAX_BYTES || !text.contains(':') {
        return None;
    }
    let parts: Vec<&str> = text.split(':').collect();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (first, others) = parts.split_first()?;
    let (last, middle) = others.split_last()?;
    let whole = last.split(['.', ',']).next()?;
    let has_two_digits = |text: &&str| text.len() == 2 && is_digits(text);
    let fraction = last.get(whole.len() + 1..).unwrap_or_default();
    let is_valid = is_digits(first)
        && first.len() <= MAX_FIRST_DIGITS
        && middle.len() <= 1
        && middle.iter().chain([&whole]).all(has_two_digits)
        && (whole.len() == last.len() || is_digits(fraction));
    if !is_valid {
        return None;
    }
    let mut numbers = [first].into_iter().chain(middle).map(|part| part.parse::<f64>().ok());
    let start = numbers.try_fold(0.0, |sum: f64, number| Some(sum * 60.0 + number?))?;
    let is_below_60 = middle.iter().chain([&whole]).all(|part| part.bytes().next() < Some(b'6'));
    is_below_60.then_some(start * 60.0 + last.replace(',', ".").parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_in_the_same_notation() {
        for (text, value) in [
            ("2:06:39", Some(7599.0)),
            ("27:05:00", Some(97_500.0)),
            ("6:39", Some(399.0)),
            ("59:41.25", Some(3581.25)),
            ("-2:30", Some(-150.0)),
            ("−0:00:45", Some(-45.0)),
            ("–2:30", Some(-150.0)),
            ("+1:15", Some(75.0)),
            ("--2:30", None),
            ("+-2:30", None),
            ("1:60", None),
            ("1:2:03", None),
            ("12", None),
            ("1 h 45 min", Some(105.0)),
            ("2 Std. 5 Min.", Some(125.0)),
            ("1h30m", Some(90.0)),
            ("45 min", Some(45.0)),
            ("45 min 1 h", None),
            ("3 m/s", None),
            ("h 4", None),
            ("2:06:39:00", None),
            ("09:15–10:00", None),
        ] {
            assert_eq!(parse_clock(text), value, "{text}");
        }
        for text in ["2:06:39", "27:05:00", "0:09:05", "7:45", "1:09,05"] {
            let format = ClockFormat::of_text(text);
            assert_eq!(format.text(parse_clock(text).unwrap()), text);
            assert_eq!(ClockFormat::from_rule(&format.to_rule()), Some(format));
        }
        assert_eq!(ClockFormat::of_text("1 h 45 min").text(105.0), "1:45 h");
        assert_eq!(["26.41", "57,3", "8"].map(parse_seconds), [Some(26.41), Some(57.3), Some(8.0)]);
        assert_eq!(["-1", "5 s", "1.2.3", ".5", "1:05"].map(parse_seconds), [None; 5]);
        assert_eq!(["2:04.11", "2:04", "26.41"].map(has_parts_of_seconds), [true, false, false]);
        let joined = ClockFormat::of_seconds("26.4").join(ClockFormat::of_text("2:04.11"));
        assert_eq!(joined.text(26.4), "0:26.40");
        assert!(is_compound_duration("1 h 45 min") && !is_compound_duration("45 min"));
        let lap = ClockFormat::of_text("1:09.05");
        assert_eq!(lap.text(69.05), "1:09.05");
        assert_eq!(lap.text(59.999), "1:00.00");
        assert_eq!(lap.with_step(5.0).text(65.0), "1:05");
        assert_eq!(
            ClockFormat::of_text("59:41").join(ClockFormat::of_text("1:02:03")).text(3581.0),
            "0:59:41"
        );
    }
}
