//! Settings with a fixed set of keywords as values.

use crate::db::CheckpointMode;

/// A type with values that are written as keywords.
pub trait KeywordValue: Copy + PartialEq + Sized + 'static {
    /// All keywords with their values. If several keywords have the same value, the first one is
    /// its canonical form.
    const KEYWORDS: &'static [(&'static str, Self)];

    /// Returns the canonical keyword of the value, the first one in `KEYWORDS`. Empty if the value has
    /// none.
    fn keyword(self) -> &'static str {
        Self::KEYWORDS.iter().find(|(_, value)| *value == self).map_or("", |(keyword, _)| keyword)
    }
}

impl KeywordValue for bool {
    const KEYWORDS: &'static [(&'static str, Self)] =
        &[("yes", true), ("no", false), ("true", true), ("false", false)];
}

/// Declares an enum with the keyword of each variant.
macro_rules! keyword_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $value:ident = $keyword:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$each])* $value,)+
        }

        impl KeywordValue for $name {
            const KEYWORDS: &'static [(&'static str, Self)] = &[$(($keyword, Self::$value),)+];
        }
    };
}

keyword_enum!(
    /// The format of log lines.
    LogFormat {
        /// Text on a terminal, JSON otherwise.
        Auto = "auto",
        /// Text for people.
        Text = "text",
        /// One JSON object per line.
        Json = "json",
    }
);

impl KeywordValue for CheckpointMode {
    const KEYWORDS: &'static [(&'static str, Self)] =
        &[("self", Self::Internal), ("external", Self::External)];
}

keyword_enum!(
    /// The encryption of the connection to the mail server.
    MailTls {
        /// The connection starts unencrypted and switches to TLS before any other command.
        Starttls = "starttls",
        /// TLS from the start.
        Tls = "tls",
        /// No encryption.
        None = "none",
    }
);

keyword_enum!(
    /// The files of Google Drive that connections reach.
    GoogleScope {
        /// Files that this server has created (scope `drive.file`).
        File = "file",
        /// All files (scope `drive`).
        Full = "full",
    }
);
