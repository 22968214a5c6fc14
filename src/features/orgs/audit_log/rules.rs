//! Parameters of requests for the audit log.

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Number of events on a page if the request does not specify it.
pub const DEFAULT_PAGE_EVENTS: u32 = 50;
/// Maximum number of events on a page.
pub const MAX_PAGE_EVENTS: u32 = 100;
/// Maximum and default number of events in an export. Typical ones take 5 MB as text, and events with
/// the longest texts more than [`MAX_EXPORT_BYTES`].
pub const MAX_EXPORT_EVENTS: u32 = 10_000;
/// Size in bytes from which an export gets no further event.
pub const MAX_EXPORT_BYTES: usize = 16 << 20;

/// A format of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A page of events as one JSON object.
    Json,
    /// Comma-separated values (RFC 4180) with a header line.
    Csv,
    /// One JSON object per line.
    JsonLines,
}

impl LogFormat {
    /// Parses the parameter `format`. JSON if it is absent.
    ///
    /// # Errors
    /// `InvalidFields` for `format`.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        match text {
            None | Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("jsonl") => Ok(Self::JsonLines),
            Some(_) => Err(Error::invalid_field("format", "must be json, csv or jsonl")),
        }
    }

    /// Returns the number of events in a response for the parameter `limit`. A larger limit than the
    /// maximum of the format is reduced to it.
    pub fn limit(self, requested: Option<u32>) -> u32 {
        let (default, maximum) = match self {
            Self::Json => (DEFAULT_PAGE_EVENTS, MAX_PAGE_EVENTS),
            Self::Csv | Self::JsonLines => (MAX_EXPORT_EVENTS, MAX_EXPORT_EVENTS),
        };
        requested.unwrap_or(default).min(maximum)
    }
}

/// Parses a time of RFC 3339, or a date as its first moment in UTC. `field` is the name of the
/// parameter.
///
/// # Errors
/// `InvalidFields` for `field`.
pub fn parse_time(field: &'static str, text: &str) -> Result<Timestamp> {
    Timestamp::parse_rfc3339(text)
        .or_else(|| Timestamp::parse_rfc3339(&format!("{text}T00:00:00Z")))
        .ok_or_else(|| {
            let text = "must be a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z";
            Error::invalid_field(field, text)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_or_rfc_3339() {
        let check = |text: &str, want: Option<&str>| {
            let time = parse_time("from", text).ok().map(|time| time.to_string());
            assert_eq!(time.as_deref(), want, "{text}");
        };
        check("2027-01-31", Some("2027-01-31T00:00:00.000Z"));
        check("2027-01-31T12:00:00+02:00", Some("2027-01-31T10:00:00.000Z"));
        check("2027-02-30", None);
        check("31.1.2027", None);
        check("", None);
    }

    #[test]
    fn each_format_has_its_own_limit() {
        assert_eq!(LogFormat::Json.limit(None), 50);
        assert_eq!(LogFormat::Json.limit(Some(5000)), 100);
        assert_eq!(LogFormat::Csv.limit(None), 10_000);
        assert_eq!(LogFormat::JsonLines.limit(Some(3)), 3);
        assert_eq!(LogFormat::Csv.limit(Some(u32::MAX)), 10_000);
    }
}
