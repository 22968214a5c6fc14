//! The one error type, in the words of the caller; its HTTP status stands in one `match`.
//!
//! Which to use: a request that breaks a rule is `Invalid` or `Fields` (say which field); what the
//! caller may not read is `NotFound`, exactly as if it were absent; what he sees but may not change
//! is `Forbidden`. Everything else that fails is ours: `Internal` is logged in full and its text is
//! shown to nobody.

use std::fmt;

/// The result of anything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// One field at fault: `field` is a path such as `style.margin.top` or `data[3].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field in the request, or the name of a query parameter.
    pub field: String,
    /// What is wrong with it, lower case, without a full stop.
    pub message: String,
}

/// The state of a thing that moved on while the caller was editing it (412).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The current strong entity tag, with its quotes.
    pub etag: String,
    /// When it was last changed, RFC 3339.
    pub updated: String,
    /// Account id of who changed it.
    pub updated_by: String,
    /// His name, for who may know it.
    pub updated_by_name: Option<String>,
}

/// Why a request, a command or a task did not succeed.
#[derive(Debug)]
pub enum Error {
    /// 400: the request cannot be understood or breaks a rule.
    Invalid(String),
    /// 400: the named fields are at fault.
    Fields(Vec<FieldError>),
    /// 401: no credentials, or bad ones. The text says which.
    SignIn(&'static str),
    /// 402: a seat or a plan is missing.
    Payment(String),
    /// 403: the caller sees the thing but may not do this to it.
    Forbidden(String),
    /// 404: there is no such thing, or the caller may not know that there is.
    NotFound(&'static str),
    /// 405: the path exists, the method does not; the text is the `Allow` header.
    Method(String),
    /// 408: the body did not arrive in time.
    Slow,
    /// 409: it clashes with what is there.
    Conflict(String),
    /// 412: it changed since the caller read it.
    Stale(Box<Stale>),
    /// 413: larger than a limit; the text names the limit.
    TooLarge(String),
    /// 415: the body is of a type that this route does not read.
    MediaType(String),
    /// 429: too many requests; seconds until the next may come.
    TooMany(u64),
    /// 502: a remote source refused or failed.
    RemoteRefused(String),
    /// 503: a queue is full; try again shortly.
    Busy,
    /// 504: a remote source did not answer within its deadline.
    RemoteTimeout,
    /// 507: the disk is full.
    DiskFull,
    /// 500: our fault. Logged in full, shown to nobody.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// An [`Error::Fields`] about one field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Fields(vec![FieldError { field: field.into(), message: message.into() }])
    }

    /// An [`Error::Internal`] from a text, for what cannot happen unless we are wrong.
    pub fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into().into())
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.entry().0
    }

    /// The stable machine-readable word, snake case.
    pub fn code(&self) -> &'static str {
        self.entry().1
    }

    /// The short human title of the kind of error.
    pub fn title(&self) -> &'static str {
        self.entry().2
    }

    /// The text for the operator: an internal error says its cause.
    pub fn full(&self) -> String {
        match self {
            Self::Internal(cause) => cause.to_string(),
            other => other.to_string(),
        }
    }

    /// Status, code and title in one table (RFC 9110 statuses, 507 from RFC 4918).
    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Invalid(_) => (400, "invalid_request", "Invalid request"),
            Self::Fields(_) => (400, "invalid_field", "Invalid field"),
            Self::SignIn(_) => (401, "sign_in_required", "Sign-in required"),
            Self::Payment(_) => (402, "payment_required", "Payment required"),
            Self::Forbidden(_) => (403, "forbidden", "Not allowed"),
            Self::NotFound(_) => (404, "not_found", "Not found"),
            Self::Method(_) => (405, "method_not_allowed", "Method not allowed"),
            Self::Slow => (408, "request_timeout", "Request too slow"),
            Self::Conflict(_) => (409, "conflict", "Conflict"),
            Self::Stale(_) => (412, "precondition_failed", "Changed meanwhile"),
            Self::TooLarge(_) => (413, "too_large", "Too large"),
            Self::MediaType(_) => (415, "unsupported_media_type", "Unsupported media type"),
            Self::TooMany(_) => (429, "too_many_requests", "Too many requests"),
            Self::RemoteRefused(_) => (502, "remote_refused", "Remote source refused"),
            Self::Busy => (503, "busy", "Busy"),
            Self::RemoteTimeout => (504, "remote_timeout", "Remote source too slow"),
            Self::DiskFull => (507, "disk_full", "Disk full"),
            Self::Internal(_) => (500, "internal", "Internal error"),
        }
    }
}

/// The text for the caller. An internal error says nothing of its cause.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::Payment(text)
            | Self::Forbidden(text)
            | Self::Conflict(text)
            | Self::TooLarge(text)
            | Self::MediaType(text)
            | Self::RemoteRefused(text) => f.write_str(text),
            Self::Fields(fields) => {
                let texts: Vec<String> =
                    fields.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
                f.write_str(&texts.join("; "))
            }
            Self::SignIn(text) => f.write_str(text),
            Self::NotFound(what) => write!(f, "no such {what}"),
            Self::Method(allow) => write!(f, "this path answers {allow}"),
            Self::Slow => f.write_str("the request did not arrive in time"),
            Self::Stale(stale) => write!(f, "changed at {} by another save", stale.updated),
            Self::TooMany(seconds) => write!(f, "try again in {seconds} s"),
            Self::Busy => f.write_str("the server is busy, try again shortly"),
            Self::RemoteTimeout => f.write_str("the remote source did not answer in time"),
            Self::DiskFull => f.write_str("the server's disk is full"),
            Self::Internal(_) => f.write_str("something went wrong on our side"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Internal(Box::new(error)),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull => Self::DiskFull,
            _ => Self::Internal(Box::new(error)),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(Box::new(error))
    }
}

/// Turns "not there" into the caller's 404.
pub trait Found<T> {
    /// The value, or `NotFound(what)`.
    fn found(self, what: &'static str) -> Result<T>;
}

impl<T> Found<T> for Option<T> {
    fn found(self, what: &'static str) -> Result<T> {
        self.ok_or(Error::NotFound(what))
    }
}
