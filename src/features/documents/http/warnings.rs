//! Response header with the warnings about a rendered image.

use std::fmt::Write;

use hyper::header::HeaderName;
use serde_json::Value;

use chartroom_platform::messages;

/// Header with warnings, such as ignored settings or omitted values.
pub const WARNINGS_HEADER: HeaderName = HeaderName::from_static("x-chart-warnings");

/// Maximum size of the header value. Some proxies limit all headers together to 4 KiB.
const MAX_HEADER_BYTES: usize = 2000;

/// Formats warnings, in the current language, as a JSON array of strings in ASCII of at most
/// [`MAX_HEADER_BYTES`]. Drops the
/// first warning that does not fit, and all after it. No warnings give `[]`.
pub fn format_warnings(warnings: &[String]) -> String {
    let mut list = "[".to_owned();
    for warning in warnings {
        let json = Value::from(messages::translate(warning)).to_string();
        let ascii = escape_non_ascii(&json);
        if list.len() + ascii.len() + 2 > MAX_HEADER_BYTES {
            break;
        }
        if list.len() > 1 {
            list.push(',');
        }
        list.push_str(&ascii);
    }
    list.push(']');
    list
}

/// Replaces the characters of a JSON text that are not printable ASCII with `\u` escapes of their
/// UTF-16 units (RFC 8259, section 7).
fn escape_non_ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            ' '..='~' => ascii.push(letter),
            _ => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    // Writing to a string cannot fail.
                    let _ = write!(ascii, "\\u{unit:04x}");
                }
            }
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::format_warnings;

    #[test]
    fn warnings_in_any_script_survive_the_ascii_header() {
        let warnings =
            ["“Łódź” has no number", "\u{1f4c8} and\ttabs", "plain \\ \""].map(String::from);
        let header = format_warnings(&warnings);
        assert!(header.chars().all(|letter| (' '..='~').contains(&letter)), "{header}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), warnings);
    }

    #[test]
    fn warnings_that_do_not_fit_are_omitted_completely() {
        let warnings = vec!["ż".repeat(150); 10];
        let header = format_warnings(&warnings);
        assert!(header.len() <= super::MAX_HEADER_BYTES, "{}", header.len());
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), warnings[..2]);
    }
}
