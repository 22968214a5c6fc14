//! Normalization of JSON text without parsing it into values.
//!
//! Stored JSON keeps its keys, their order and the spelling of numbers. Only whitespace and the
//! escaping of characters are normalized, so that the same content from different JSON libraries
//! gives the same text.

use std::fmt;
use std::fmt::Write;

use serde::de::MapAccess;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Reason why valid JSON cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonTextError {
    /// A `\u` escape of a surrogate without its counterpart.
    LoneSurrogate,
    /// A number outside the range of a 64-bit float.
    HugeNumber,
}

impl fmt::Display for JsonTextError {
    /// Writes the reason without the name of the field, which comes before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LoneSurrogate => "contains an unpaired surrogate escape",
            Self::HugeNumber => "contains a number that is out of range",
        })
    }
}

/// Appends the normalized form of `text`, which must be valid JSON, to `out`.
///
/// Removes whitespace between tokens, unescapes characters that need no escape, and writes each
/// required escape in one fixed form.
///
/// # Errors
/// If the text contains an unpaired surrogate or a number out of range. Then `out` may contain a
/// part of the text.
pub fn append_compact(text: &str, out: &mut String) -> Result<(), JsonTextError> {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[from..at]);
                at += 1;
                from = at;
            }
            b'"' => at = copy_string(text, at + 1, &mut from, out)?,
            b'-' | b'0'..=b'9' => at = check_number(text, at)?,
            _ => at += 1,
        }
    }
    out.push_str(&text[from..]);
    Ok(())
}

/// Returns the normalized form of `text`, which must be valid JSON, as [`append_compact`] writes
/// it: without whitespace between tokens, and with the fewest escapes.
pub fn to_compact(text: &str) -> Result<String, JsonTextError> {
    let mut out = String::with_capacity(text.len());
    append_compact(text, &mut out)?;
    Ok(out)
}

/// Normalizes the escapes of a string in valid JSON and returns the offset after its closing quote.
///
/// `at` is the offset after the opening quote. The input from `from` to the current position is not
/// written yet. This function updates `from` when it writes.
///
/// # Errors
/// `LoneSurrogate` for an escape of an unpaired surrogate.
fn copy_string(
    text: &str,
    mut at: usize,
    from: &mut usize,
    out: &mut String,
) -> Result<usize, JsonTextError> {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok(at + 1),
            b'\\' => match bytes.get(at + 1) {
                Some(b'u') => {
                    out.push_str(&text[*from..at]);
                    let (letter, length) = decode_escape(text, at)?;
                    push_escaped(letter, out);
                    at += length;
                    *from = at;
                }
                Some(b'/') => {
                    out.push_str(&text[*from..at]);
                    at += 1;
                    *from = at;
                    at += 1;
                }
                _ => at += 2,
            },
            _ => at += 1,
        }
    }
    Ok(at)
}

/// Decodes the `\uXXXX` escape at `at`, or a surrogate pair. Returns the character and the length
/// of the escape in bytes.
///
/// # Errors
/// `LoneSurrogate` for an unpaired surrogate.
fn decode_escape(text: &str, at: usize) -> Result<(char, usize), JsonTextError> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(at).ok_or(JsonTextError::LoneSurrogate)?;
    if let Some(letter) = char::from_u32(first) {
        return Ok((letter, 6));
    }
    // RFC 8259, section 7: characters beyond U+FFFF are written as two surrogates.
    match unit(at + 6) {
        Some(second) if first < 0xDC00 && (0xDC00..0xE000).contains(&second) => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            Ok((char::from_u32(code).ok_or(JsonTextError::LoneSurrogate)?, 12))
        }
        _ => Err(JsonTextError::LoneSurrogate),
    }
}

/// Appends a character of a string, escaped only if JSON requires it: quotation marks, backslashes
/// and control characters below U+0020.
fn push_escaped(letter: char, out: &mut String) {
    match letter {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\u{1f}' => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(letter));
        }
        _ => out.push(letter),
    }
}

/// Checks the range of the number at `from` in valid JSON and returns the offset after it.
///
/// # Errors
/// `HugeNumber` if it is outside the range of a 64-bit float.
fn check_number(text: &str, from: usize) -> Result<usize, JsonTextError> {
    let rest = &text.as_bytes()[from..];
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let digits = &text[from..from + length];
    // A number without exponent needs 309 digits to be out of range.
    let may_be_huge = length > 300 || digits.contains(['e', 'E']);
    if may_be_huge && !digits.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err(JsonTextError::HugeNumber);
    }
    Ok(from + length)
}

/// Type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    Text,
    /// A digit or a minus sign.
    Number,
    /// `true`, `false`
    Boolean,
    /// `null`
    Null,
}

/// Returns the type of a JSON value from its first character. `text` must not start with
/// whitespace. An empty text counts as null, and an unknown first character as a number.
pub fn json_type(text: &str) -> JsonType {
    match text.as_bytes().first() {
        Some(b'{') => JsonType::Object,
        Some(b'[') => JsonType::Array,
        Some(b'"') => JsonType::Text,
        Some(b't' | b'f') => JsonType::Boolean,
        Some(b'n') | None => JsonType::Null,
        Some(_) => JsonType::Number,
    }
}

/// A JSON object with unparsed text as values. Keeps the order of its members.
#[derive(Debug, Default)]
pub struct RawObject(pub Vec<(String, Box<RawValue>)>);

impl RawObject {
    /// Parses a JSON object. Its values stay text. Duplicate keys stay separate members. Other JSON
    /// is an error.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Replaces the value of the first member with this key in place, or adds a member at the end.
    pub fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some(entry) => entry.1 = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Removes all members with this key. Does nothing if there is none.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    /// Returns the object as JSON text without spaces between members. Keys are escaped, values are
    /// copied unchanged.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let mut out = String::from("{");
        for (index, (key, value)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(&serde_json::to_string(key)?);
            out.push(':');
            out.push_str(value.get());
        }
        out.push('}');
        Ok(out)
    }
}

impl<'de> Deserialize<'de> for RawObject {
    /// Deserializes a map with its members in order, including duplicate keys.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(RawObject(entries))
            }
        }
        from.deserialize_map(ObjectVisitor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
    use serde_json::Value;

    use super::*;

    #[test]
    fn equal_content_gives_equal_text() {
        let check = |text: &str, want: &str| assert_eq!(to_compact(text).unwrap(), want, "{text}");
        check("{ \"a\" : [ 1.10 , -2e+3 ] }", r#"{"a":[1.10,-2e+3]}"#);
        check(r#"" a  b ""#, r#"" a  b ""#);
        check(r#""\u00e9\u0022\u000a\u0001\/""#, "\"é\\\"\\n\\u0001/\"");
        check(r#""\uD83D\uDE00""#, "\"😀\"");
        check(
            r#"["\\", "\"", 12345678901234567890.120]"#,
            r#"["\\","\"",12345678901234567890.120]"#,
        );
        check("\"\\\\u0041\"", "\"\\\\u0041\"");
    }

    /// Generates JSON values with arbitrary strings and numbers.
    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    /// Returns a JSON string with every character escaped.
    fn escaped_text(text: &str) -> String {
        let mut out = String::new();
        for unit in text.encode_utf16() {
            out.push_str(&format!("\\u{unit:04X}"));
        }
        format!("\"{out}\"")
    }

    proptest! {
        #[test]
        fn compact_text_is_equal_for_all_formattings_of_a_value(value in any_value()) {
            let plain = serde_json::to_string(&value).unwrap();
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(to_compact(&pretty).unwrap(), plain.clone());
            prop_assert_eq!(to_compact(&plain).unwrap(), plain);
        }

        #[test]
        fn escapes_are_decoded(text in any::<String>()) {
            let plain = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(to_compact(&escaped_text(&text)).unwrap(), plain);
        }
    }

    #[test]
    fn text_that_parsers_cannot_read_is_rejected() {
        let check = |text: &str, want| assert_eq!(to_compact(text), Err(want), "{text}");
        check(r#""\ud83d""#, JsonTextError::LoneSurrogate);
        check(r#""\ude00\ud83d""#, JsonTextError::LoneSurrogate);
        check("[1e999]", JsonTextError::HugeNumber);
        check(&"9".repeat(400), JsonTextError::HugeNumber);
    }

    #[test]
    fn an_object_keeps_the_order_and_the_text_of_its_values() {
        let mut object = RawObject::parse(r#"{"b":1.0,"a":{"x":1}}"#).unwrap();
        object.set("b", RawValue::from_string("2.50".to_owned()).unwrap());
        object.set("c", RawValue::from_string("null".to_owned()).unwrap());
        assert_eq!(object.to_json().unwrap(), r#"{"b":2.50,"a":{"x":1},"c":null}"#);
    }
}
