//! Number formats of dates and times, compiled to tokens and rendered as Excel shows them in the
//! language en-US.
//!
//! Codes that have no meaning in en-US, such as the eras of the Japanese calendar, show nothing. Widths
//! (`_x`) become a space, and fillers (`*x`) show nothing, because a text has no column to fill.

use std::fmt;
use std::fmt::Write;

use super::serial_date;
use super::serial_date::DAY_MS;
use super::serial_date::MISSING_DAY;

/// Names of the months, in English whatever language a code names.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Names of the days of the week, from the day 0 of the count of days.
const WEEKDAYS: [&str; 7] =
    ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
/// Maximum length of a part of a date as text, that of `Wednesday` and of the seconds of all days.
const MAX_PART_BYTES: usize = 12;
/// Codes of the language markers of Windows for the long date and the time of the system.
const SYSTEM_CODES: [(&str, &str); 2] =
    [("$-f800", "dddd, mmmm d, yyyy"), ("$-f400", "h:mm:ss AM/PM")];

/// A compiled number format of dates, times or durations.
#[derive(Debug, PartialEq)]
pub struct DateFormat {
    /// Code as the file has it.
    pub code: String,
    sections: Vec<Section>,
    /// Whether hours, minutes or seconds may exceed a day, such as in `[h]:mm`.
    pub is_duration: bool,
    /// Whether the first section shows a year, a month or a day.
    pub has_date: bool,
    /// Whether a section shows fractions of a second.
    has_fraction: bool,
}

/// A part of a code between semicolons.
#[derive(Debug, Default, PartialEq)]
struct Section {
    condition: Option<Condition>,
    tokens: Vec<Token>,
    /// Whether hours count from 1 to 12.
    has_12_hours: bool,
    /// Decimals of the seconds, at most 3.
    decimals: u32,
}

/// A condition of a section, such as `[<1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Condition {
    accepts_less: bool,
    accepts_equal: bool,
    accepts_greater: bool,
    limit: f64,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Literal(String),
    /// Letters of the same kind: `y`, `m` (month), `n` (minute), `d`, `h`, `s`, `b`.
    Part {
        letter: char,
        count: usize,
    },
    /// Unit that may exceed a day, with its minimum number of digits.
    Elapsed {
        letter: char,
        digits: usize,
    },
    /// Decimals of the seconds, with the point.
    Fraction,
    /// `AM/PM`, or one letter in the case of the code.
    HalfDay {
        am: &'static str,
        pm: &'static str,
    },
    /// The number itself.
    General,
}

impl DateFormat {
    /// Compiles a code. Takes time in proportion to its length.
    pub fn compile(code: &str) -> Self {
        let sections: Vec<Section> = split_sections(code).map(Section::compile).collect();
        let tokens = || sections.iter().flat_map(|section| &section.tokens);
        let first = sections.first().map_or(&[][..], |section| &section.tokens);
        let is_date =
            |token: &Token| matches!(token, Token::Part { letter: 'y' | 'm' | 'd' | 'b', .. });
        Self {
            code: code.to_owned(),
            is_duration: first.iter().any(|token| matches!(token, Token::Elapsed { .. })),
            has_date: first.iter().any(is_date),
            has_fraction: tokens().any(|token| *token == Token::Fraction),
            sections,
        }
    }

    /// Rounds milliseconds to the precision of the format: seconds unless it shows fractions of them.
    pub fn round_ms(&self, ms: i64) -> i64 {
        if self.has_fraction { ms } else { round_to(ms, 1000) }
    }

    /// Returns the maximum length in bytes of a text that `render` returns.
    pub fn max_text_bytes(&self) -> usize {
        let length = |token: &Token| match token {
            Token::Literal(text) => text.len(),
            Token::Elapsed { digits, .. } => MAX_PART_BYTES.max(*digits),
            Token::General => 24,
            _ => MAX_PART_BYTES,
        };
        let lengths = self.sections.iter().map(|section| section.tokens.iter().map(length).sum());
        lengths.max().unwrap_or(0)
    }

    /// Renders milliseconds since 1899-12-30, which are not negative, as Excel shows them. The day 60 is
    /// 2/29/1900 and the day 0 is 1/0/1900 there.
    pub fn render(&self, ms: i64) -> String {
        let Some(section) = self.choose_section(ms as f64 / DAY_MS as f64) else {
            return String::new();
        };
        let ms = round_to(ms, 10_i64.pow(3 - section.decimals.min(3)));
        let parts = DateParts::new(ms);
        let mut text = String::with_capacity(24);
        for token in &section.tokens {
            // Writing to a string cannot fail.
            let _ = section.render_token(token, &parts, &mut text);
        }
        text
    }

    /// Returns the section for a number that is not negative. Without conditions, the first section is
    /// for positive numbers, and the third one, if there is one, for zero.
    fn choose_section(&self, number: f64) -> Option<&Section> {
        let first = self.sections.first()?;
        if self.sections.iter().all(|section| section.condition.is_none()) {
            let zero = self.sections.get(2).filter(|_| number == 0.0);
            return Some(zero.unwrap_or(first));
        }
        let accepts = |section: &&Section| match section.condition {
            Some(condition) => condition.accepts(number),
            // The second section without a condition is for negative numbers.
            None => !std::ptr::eq(*section, first) || number > 0.0,
        };
        self.sections.iter().take(3).find(accepts)
    }
}

impl Condition {
    /// Parses the content of brackets such as `<1`. None for other contents, such as colors.
    fn parse(content: &str) -> Option<Self> {
        let number = content.trim_start_matches(['<', '>', '=']);
        let operator = &content[..content.len() - number.len()];
        let (accepts_less, accepts_equal, accepts_greater) = match operator {
            "<" => (true, false, false),
            "<=" => (true, true, false),
            "=" => (false, true, false),
            "<>" => (true, false, true),
            ">=" => (false, true, true),
            ">" => (false, false, true),
            _ => return None,
        };
        let limit = number.trim().parse().ok()?;
        Some(Self { accepts_less, accepts_equal, accepts_greater, limit })
    }

    /// Returns whether a number fulfils the condition.
    fn accepts(self, number: f64) -> bool {
        self.accepts_less && number < self.limit
            || self.accepts_equal && number == self.limit
            || self.accepts_greater && number > self.limit
    }
}

impl Section {
    /// Compiles a section.
    fn compile(code: &str) -> Self {
        let mut section = Self::default();
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let length = section.compile_next(first, rest);
            rest = rest.get(length..).unwrap_or_default();
        }
        section.mark_minutes();
        section
    }

    /// Compiles the start of `rest`, which begins with `first`, and returns its length in bytes.
    fn compile_next(&mut self, first: char, rest: &str) -> usize {
        let width = first.len_utf8();
        let after = &rest[width..];
        let next = after.chars().next().map_or(0, char::len_utf8);
        match first {
            '"' => {
                let end = after.find('"').unwrap_or(after.len());
                self.push_literal(&after[..end]);
                width + end + 1
            }
            '\\' => {
                self.push_literal(&after[..next]);
                width + next
            }
            '_' => {
                self.push_literal(" ");
                width + next
            }
            '*' => width + next,
            '[' => {
                let end = after.find(']').unwrap_or(after.len());
                match SYSTEM_CODES.iter().find(|(mark, _)| after[..end].eq_ignore_ascii_case(mark))
                {
                    // The rest of the code is only for programs that do not know the marker.
                    Some((_, code)) => {
                        *self = Self::compile(code);
                        return rest.len();
                    }
                    None => self.compile_brackets(&after[..end]),
                }
                width + end + 1
            }
            _ => self.compile_letters(first, rest),
        }
    }

    /// Compiles the content of brackets: a unit of durations, a condition, a currency or a color.
    fn compile_brackets(&mut self, content: &str) {
        let lower = content.to_ascii_lowercase();
        let unit = lower.chars().next().unwrap_or(' ');
        if matches!(unit, 'h' | 'm' | 's') && lower.chars().all(|letter| letter == unit) {
            self.tokens.push(Token::Elapsed { letter: unit, digits: lower.len() });
        } else if let Some(condition) = Condition::parse(content) {
            self.condition = Some(condition);
        } else if let Some(currency) = content.strip_prefix('$') {
            self.push_literal(currency.split('-').next().unwrap_or_default());
        }
    }

    /// Compiles letters outside of quotes and brackets, and returns their length in bytes.
    fn compile_letters(&mut self, first: char, rest: &str) -> usize {
        let starts_with = |text: &str| {
            rest.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
        };
        if starts_with("general") {
            self.tokens.push(Token::General);
            return "general".len();
        }
        if starts_with("am/pm") {
            self.push_half_day("AM", "PM");
            return "am/pm".len();
        }
        if starts_with("a/p") {
            let (am, pm) = (&rest[..1], &rest[2..3]);
            self.push_half_day(
                if am == "a" { "a" } else { "A" },
                if pm == "p" { "p" } else { "P" },
            );
            return "a/p".len();
        }
        let letter = first.to_ascii_lowercase();
        let is_same = |next: &char| next.to_ascii_lowercase() == letter;
        let count = match letter {
            'y' | 'm' | 'd' | 'h' | 's' | 'b' | 'e' | 'a' | 'g' => {
                rest.chars().take_while(is_same).count()
            }
            _ => 1,
        };
        match letter {
            'y' | 'm' | 'd' | 'h' | 's' | 'b' => self.tokens.push(Token::Part { letter, count }),
            // The year of the era, which is that of the Gregorian calendar in en-US.
            'e' => self.tokens.push(Token::Part { letter: 'y', count: 4 }),
            // The day of the week in East Asian codes.
            'a' if count >= 3 => self.tokens.push(Token::Part { letter: 'd', count }),
            'g' => {}
            '.' if self.follows_seconds() && rest[1..].starts_with('0') => {
                let zeros = rest[1..].bytes().take_while(|byte| *byte == b'0').count();
                self.decimals = u32::try_from(zeros.min(3)).unwrap_or(3);
                self.tokens.push(Token::Fraction);
                return 1 + zeros;
            }
            _ => {
                self.push_literal(&rest[..first.len_utf8()]);
                return first.len_utf8();
            }
        }
        count
    }

    /// Appends a text as it is.
    fn push_literal(&mut self, text: &str) {
        match self.tokens.last_mut() {
            Some(Token::Literal(before)) => before.push_str(text),
            _ if text.is_empty() => {}
            _ => self.tokens.push(Token::Literal(text.to_owned())),
        }
    }

    /// Appends the names of the halves of a day.
    fn push_half_day(&mut self, am: &'static str, pm: &'static str) {
        self.has_12_hours = true;
        self.tokens.push(Token::HalfDay { am, pm });
    }

    /// Returns whether the last token shows seconds.
    fn follows_seconds(&self) -> bool {
        matches!(
            self.tokens.last(),
            Some(Token::Part { letter: 's', .. } | Token::Elapsed { letter: 's', .. })
        )
    }

    /// Turns `m` and `mm` into minutes if hours come before or seconds after them, without regard to
    /// texts between.
    fn mark_minutes(&mut self) {
        let letters: Vec<Option<char>> = self
            .tokens
            .iter()
            .map(|token| match token {
                Token::Part { letter, .. } | Token::Elapsed { letter, .. } => Some(*letter),
                _ => None,
            })
            .collect();
        for (index, token) in self.tokens.iter_mut().enumerate() {
            let Token::Part { letter: letter @ 'm', count: 1 | 2 } = token else { continue };
            let before = letters[..index].iter().rev().find_map(|letter| *letter);
            let after = letters[index + 1..].iter().find_map(|letter| *letter);
            if before == Some('h') || after == Some('s') {
                *letter = 'n';
            }
        }
    }

    /// Appends a token of this section to `out`.
    fn render_token(&self, token: &Token, parts: &DateParts, out: &mut String) -> fmt::Result {
        match token {
            Token::Literal(text) => out.write_str(text),
            Token::Part { letter, count } => {
                parts.render_part(*letter, *count, self.has_12_hours, out)
            }
            Token::Elapsed { letter, digits } => {
                let unit = match letter {
                    'h' => 3_600_000,
                    'm' => 60_000,
                    _ => 1000,
                };
                write!(out, "{:0digits$}", parts.ms / unit)
            }
            Token::Fraction => {
                let width = self.decimals as usize;
                let fraction = parts.ms % 1000 / 10_i64.pow(3 - self.decimals.min(3));
                write!(out, ".{fraction:0width$}")
            }
            Token::HalfDay { am, pm } => out.write_str(if parts.hour() < 12 { am } else { pm }),
            Token::General => write!(out, "{}", parts.ms as f64 / DAY_MS as f64),
        }
    }
}

/// A moment in the calendar of Excel.
struct DateParts {
    ms: i64,
    year: i32,
    month: u32,
    day: u32,
}

impl DateParts {
    /// Splits milliseconds since 1899-12-30.
    fn new(ms: i64) -> Self {
        let serial = ms / DAY_MS;
        let (year, month, day) = match serial {
            0 => (1900, 1, 0),
            MISSING_DAY => (1900, 2, 29),
            _ => {
                let civil = serial_date::to_civil(serial);
                (civil.year, civil.month, civil.day)
            }
        };
        Self { ms, year, month, day }
    }

    /// Returns the hour, from 0 to 23.
    fn hour(&self) -> i64 {
        self.ms % DAY_MS / 3_600_000
    }

    /// Appends a part of the date or time with `count` letters to `out`.
    fn render_part(
        &self,
        letter: char,
        count: usize,
        has_12_hours: bool,
        out: &mut String,
    ) -> fmt::Result {
        let digits = count.min(2);
        let hour = match self.hour() {
            hour if has_12_hours => (hour + 11) % 12 + 1,
            hour => hour,
        };
        let month = MONTHS.get(self.month as usize - 1).copied().unwrap_or_default();
        let weekday = usize::try_from(self.ms / DAY_MS % 7).ok();
        let weekday = weekday.and_then(|day| WEEKDAYS.get(day)).copied().unwrap_or_default();
        match (letter, count) {
            ('y', 1 | 2) => write!(out, "{:02}", self.year % 100),
            ('y', _) => write!(out, "{:04}", self.year),
            // The Buddhist calendar counts from 543 BC.
            ('b', 1 | 2) => write!(out, "{:02}", (self.year + 543) % 100),
            ('b', _) => write!(out, "{:04}", self.year + 543),
            ('m', 1 | 2) => write!(out, "{:0digits$}", self.month),
            ('m', 3) => out.write_str(&month[..3]),
            ('m', 5) => out.write_str(&month[..1]),
            ('m', _) => out.write_str(month),
            ('d', 1 | 2) => write!(out, "{:0digits$}", self.day),
            ('d', 3) => out.write_str(&weekday[..3]),
            ('d', _) => out.write_str(weekday),
            ('h', _) => write!(out, "{hour:0digits$}"),
            ('n', _) => write!(out, "{:0digits$}", self.ms / 60_000 % 60),
            _ => write!(out, "{:0digits$}", self.ms / 1000 % 60),
        }
    }
}

/// Splits a code at the semicolons outside of quotes, brackets and escapes.
fn split_sections(code: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped, mut in_brackets) = (false, false, false);
    code.split(move |character: char| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match character {
            '"' => is_quoted = !is_quoted,
            '\\' | '_' | '*' if !is_quoted => is_escaped = true,
            '[' if !is_quoted => in_brackets = true,
            ']' => in_brackets = false,
            ';' => return !is_quoted && !in_brackets,
            _ => {}
        }
        false
    })
}

/// Rounds milliseconds to a multiple of `unit`, half of it up.
fn round_to(ms: i64, unit: i64) -> i64 {
    (ms + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests;
