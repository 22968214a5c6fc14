//! Numbers and dates as readers of a language expect them.

pub mod date;
mod locale;
mod number;

pub use locale::Locale;
pub use number::{NumberFormat, Rules, decimals_of};
