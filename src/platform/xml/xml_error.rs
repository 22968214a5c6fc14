//! The reason why a document or a signature is rejected.

use std::fmt;

/// Maximum length of a reason in characters. Messages of the parser can contain names.
const MAX_REASON_CHARS: usize = 200;

/// Reason why a document or a signature is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlError(String);

impl XmlError {
    /// Creates an error. Cuts the reason at `MAX_REASON_CHARS`.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into().chars().take(MAX_REASON_CHARS).collect())
    }
}

impl fmt::Display for XmlError {
    /// Writes the reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for XmlError {}
