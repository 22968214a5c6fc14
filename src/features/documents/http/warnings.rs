//! The header with which a picture says what in it is ignored or left out.

use std::fmt::Write;

use hyper::header::HeaderName;
use serde_json::Value;

/// What the reader of a picture should know about it.
pub const HEADER: HeaderName = HeaderName::from_static("x-chart-warnings");

/// Most bytes of its value: proxies bound all headers together, some at 4 KiB.
const MOST: usize = 2000;

/// The warnings as a header holds them: a JSON array in ASCII of at most [`MOST`] bytes.
pub fn listed(warnings: &[String]) -> String {
    let mut list = "[".to_owned();
    for warning in warnings {
        let word = Value::from(warning.as_str()).to_string();
        let ascii = escaped(&word);
        if list.len() + ascii.len() + 2 > MOST {
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

/// JSON text in ASCII: other characters as `\u` and their UTF-16 units (RFC 8259, section 7).
fn escaped(json: &str) -> String {
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
    use super::listed;

    #[test]
    fn a_header_in_ascii_says_the_same_in_any_script() {
        let said = ["“Łódź” has no number", "\u{1f4c8} and\ttabs", "plain \\ \""].map(String::from);
        let header = listed(&said);
        assert!(header.chars().all(|it| (' '..='~').contains(&it)), "{header}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), said);
    }

    #[test]
    fn what_does_not_fit_is_left_out_whole() {
        let said = vec!["ż".repeat(150); 10];
        let header = listed(&said);
        assert!(header.len() <= super::MOST, "{}", header.len());
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), said[..2]);
    }
}
