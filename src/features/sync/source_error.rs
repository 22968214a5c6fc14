//! Errors of sources, in the terms of the API.

/// Result of work with a source.
pub type SourceResult<T> = std::result::Result<T, SourceError>;

/// Reason why a source has no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// Code of the API, like an HTTP status; 504 for a source that did not respond in time.
    pub code: u16,
    /// Reason for people, without a full stop.
    pub message: String,
    /// Seconds for which the source wants no request.
    pub retry_after: Option<u64>,
    /// Whether another attempt needs a change at the source, although the code does not say so.
    pub is_lasting: bool,
}

impl SourceError {
    /// Creates an error.
    pub fn new(code: u16, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None, is_lasting: false }
    }

    /// Creates an error that another attempt gives again, until the source changes.
    pub fn lasting(code: u16, message: impl Into<String>) -> Self {
        Self { is_lasting: true, ..Self::new(code, message) }
    }

    /// Returns whether another attempt can succeed without a change at the source.
    pub fn is_transient(&self) -> bool {
        matches!(self.code, 429 | 502 | 504) && !self.is_lasting
    }
}
