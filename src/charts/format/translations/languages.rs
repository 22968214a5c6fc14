//! The languages of the translations.

/// Number of languages.
pub const COUNT: usize = 16;
/// Languages, in the order of the columns of the translations.
pub const LANGUAGES: [&str; COUNT] = [
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "ja", "zh", "zh-TW", "ko", "he",
    "ar",
];

/// A text in each of [`LANGUAGES`].
pub type Translations = [&'static str; COUNT];
