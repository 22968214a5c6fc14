//! Locales: number and date conventions of the supported languages.

use std::borrow::Cow;
use std::fmt::Display;

/// A language with its number and date conventions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locale {
    /// Language tag, such as `de` or `en-IN`.
    pub tag: &'static str,
    /// Decimal separator.
    pub decimal_separator: char,
    /// Separator between groups of digits.
    pub group_separator: char,
    /// Digit zero. The other digits follow it in Unicode.
    pub zero_digit: char,
    /// Invisible direction mark before a sign, so that the sign is on the same side of the digits
    /// in every text. Empty in languages that are written from left to right.
    pub sign_mark: &'static str,
    /// Units of large numbers.
    pub number_scale: NumberScale,
    /// Text between a number and the percent sign.
    pub percent_separator: &'static str,
    /// Percent sign, with a direction mark if its side would otherwise depend on the text around
    /// it.
    pub percent_sign: &'static str,
    /// Short names of the months.
    pub month_names: [&'static str; 12],
    /// First letters of the weekdays, Monday first.
    pub weekday_letters: [&'static str; 7],
    /// First day of a week in calendars.
    pub week_start: WeekStart,
    /// Whether the weekend is Friday and Saturday. Otherwise Saturday and Sunday.
    pub has_weekend_on_friday: bool,
    /// Order of day, month and year in a short date.
    pub date_order: DateOrder,
}

/// Order of day, month and year in a short date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// Such as `4 Mar 2024`.
    DayMonth,
    /// Such as `4. März 2024`.
    DayDotMonth,
    /// Such as `Mar 4, 2024`.
    MonthDay,
    /// Such as `4 במרץ 2024`: the name of the month has a prefix after a day.
    DayPrefixMonth(&'static str),
    /// Such as `2024年3月4日` and `2024년 3월 4일`. The names of the months have a sign of their own.
    YearMonthDay {
        /// Sign after the year.
        year_sign: &'static str,
        /// Sign after the day.
        day_sign: &'static str,
        /// Text between year, month and day.
        separator: &'static str,
    },
}

/// Units of large numbers, with a leading space where the language has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberScale {
    /// Thousand, million, billion (10^9) and trillion (10^12).
    Thousands([&'static str; 4]),
    /// Lakh (10^5) and crore (10^7), with digit groups of 3, 2, 2.
    LakhAndCrore([&'static str; 2]),
    /// 10^4, 10^8 and 10^12, with digit groups of 3.
    TenThousands([&'static str; 3]),
}

/// First day of a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeekStart {
    /// As in Europe.
    Monday,
    /// As in America and Japan.
    Sunday,
    /// As in Egypt.
    Saturday,
}

impl WeekStart {
    /// Returns the number of days from the start of the week to its Monday.
    pub fn days_to_monday(self) -> usize {
        match self {
            WeekStart::Monday => 0,
            WeekStart::Sunday => 1,
            WeekStart::Saturday => 2,
        }
    }
}

impl Locale {
    /// Formats a whole number without groups in the digits of the locale.
    pub fn format_integer(self, number: impl Display) -> String {
        self.localize_digits(number.to_string())
    }

    /// Replaces a percent sign at the start of a unit by that of the locale. Other units stay
    /// unchanged.
    pub fn localize_unit(self, unit: &str) -> Cow<'_, str> {
        match unit.strip_prefix('%') {
            Some(rest) => Cow::Owned(format!("{}{rest}", self.percent_sign)),
            None => Cow::Borrowed(unit),
        }
    }

    /// Replaces the digits 0 to 9 by those of the locale.
    pub(crate) fn localize_digits(self, text: String) -> String {
        if self.zero_digit == '0' {
            return text;
        }
        text.chars().map(|character| self.localize_digit(character)).collect()
    }

    /// Returns the digit of the locale for a digit 0 to 9. Other characters stay.
    pub(crate) fn localize_digit(self, character: char) -> char {
        match character.to_digit(10) {
            Some(digit) => char::from_u32(u32::from(self.zero_digit) + digit).unwrap_or(character),
            None => character,
        }
    }
}
