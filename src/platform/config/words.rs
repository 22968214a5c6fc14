//! Settings that take one of a few words.

use crate::db::Checkpoint;

/// A small vocabulary.
pub trait Vocabulary: Copy + PartialEq + Sized + 'static {
    /// Every word and what it stands for.
    const WORDS: &'static [(&'static str, Self)];

    /// The word for this value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

impl Vocabulary for bool {
    const WORDS: &'static [(&'static str, Self)] =
        &[("yes", true), ("no", false), ("true", true), ("false", false)];
}

/// Declares a small vocabulary: an enum and its words.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$each])* $value,)+
        }

        impl Vocabulary for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value),)+];
        }
    };
}

vocabulary!(
    /// How log lines are written.
    LogFormat {
        /// Text on a terminal, JSON otherwise.
        Auto = "auto",
        /// Text for people.
        Text = "text",
        /// One JSON object a line.
        Json = "json",
    }
);

impl Vocabulary for Checkpoint {
    const WORDS: &'static [(&'static str, Self)] =
        &[("self", Self::Own), ("external", Self::External)];
}

vocabulary!(
    /// How the connection to the mail server is encrypted.
    MailTls {
        /// Plain first, then encrypted before anything else is said.
        Starttls = "starttls",
        /// Encrypted from the start.
        Tls = "tls",
        /// Not at all.
        None = "none",
    }
);
