//! Locale-dependent formatting of numbers and dates, and translations of fixed terms.

pub mod date;
mod digits;
mod locale;
mod locale_list;
#[cfg(test)]
mod locale_texts;
mod number;
#[cfg(test)]
mod number_properties;
mod translations;

pub use locale::{DateOrder, Locale, NumberScale, WeekStart};
pub use number::{FormatRules, NumberFormat, count_decimals};
pub use translations::{Omission, Term};
