//! Locale-dependent formatting of numbers and dates, and translations of fixed terms.

mod clock;
pub mod date;
mod digits;
mod format_rules;
mod locale;
mod locale_list;
#[cfg(test)]
mod locale_texts;
mod number;
#[cfg(test)]
mod number_properties;
mod translations;

pub use clock::{
    ClockFormat, has_parts_of_seconds, is_compound_duration, parse_clock, parse_seconds,
};
pub use format_rules::FormatRules;
pub use locale::{DateOrder, Locale, NumberScale, WeekStart};
pub use number::{NumberFormat, count_decimals};
pub use translations::{Omission, Term};
