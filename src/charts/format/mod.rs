//! Numbers, dates and fixed words as readers of a language expect them.

pub mod date;
mod locale;
mod number;
mod words;

pub use locale::Locale;
pub use number::{NumberFormat, Rules, decimals_of};
pub use words::Word;
