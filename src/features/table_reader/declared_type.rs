//! The type that a client or a server declares for a file.

use super::heading_row::HeadingRow;
use super::read::ReadOptions;
use super::text_encoding;

/// The value of a header `Content-Type`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredType {
    /// Media type without parameters. None if it is empty.
    pub media_type: Option<String>,
    /// Parameter `charset`, without quotation marks.
    pub charset: Option<Box<str>>,
    /// Parameter `header` of RFC 4180, section 3: `present` or `absent`. Other values decide nothing.
    pub heading_row: HeadingRow,
}

impl DeclaredType {
    /// Parses the value of the header. An empty one declares nothing.
    pub fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let media_type = parts.next().unwrap_or_default().trim();
        let parameters = parts.filter_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().trim_matches('"')))
        });
        let parameters: Vec<(String, &str)> = parameters.collect();
        let find = |wanted: &str| {
            let mut found = parameters.iter().filter(|(name, _)| name == wanted);
            found.next().map(|(_, value)| *value)
        };
        let heading_row = match find("header").map(str::to_ascii_lowercase).as_deref() {
            Some("present") => HeadingRow::Present,
            Some("absent") => HeadingRow::Absent,
            _ => HeadingRow::Detect,
        };
        Self {
            media_type: (!media_type.is_empty()).then(|| media_type.to_owned()),
            charset: find("charset").map(Box::from),
            heading_row,
        }
    }

    /// Drops a charset that `bytes` contradict or that is unknown, so that the content decides. Many servers
    /// declare one charset for all their files.
    #[must_use]
    pub fn without_wrong_charset(mut self, bytes: &[u8]) -> Self {
        self.charset = self.charset.filter(|label| text_encoding::may_have_charset(bytes, label));
        self
    }

    /// Returns the options for reading the first visible worksheet of a file with this type.
    pub fn read_options(&self) -> ReadOptions<'_> {
        ReadOptions {
            content_type: self.media_type.as_deref(),
            charset: self.charset.as_deref(),
            heading_row: self.heading_row,
            ..ReadOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_type_and_charset_are_separated() {
        let check = |header: &str, media_type: Option<&str>, charset: Option<&str>| {
            let declared = DeclaredType::parse(header);
            let found = (declared.media_type.as_deref(), declared.charset.as_deref());
            assert_eq!(found, (media_type, charset), "{header}");
        };
        check("", None, None);
        check("text/csv", Some("text/csv"), None);
        check(
            " text/csv ; header=present; Charset = \"latin1\" ",
            Some("text/csv"),
            Some("latin1"),
        );
        check("; charset=utf-8", None, Some("utf-8"));
    }

    #[test]
    fn the_parameter_header_tells_whether_there_are_headings() {
        let heading_row = |header: &str| DeclaredType::parse(header).heading_row;
        assert_eq!(heading_row("text/csv"), HeadingRow::Detect);
        assert_eq!(heading_row("text/csv; header=present"), HeadingRow::Present);
        assert_eq!(heading_row("text/csv;charset=utf-8; Header=\"Absent\""), HeadingRow::Absent);
        assert_eq!(heading_row("text/csv; header=perhaps"), HeadingRow::Detect);
    }
}
