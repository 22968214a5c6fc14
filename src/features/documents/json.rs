//! JSON text that is kept as text: written compactly, never turned into values.
//!
//! What callers store keeps its keys, their order and the spelling of its numbers. Only white space
//! and the spelling of characters are made uniform, so that the same content gives the same text
//! whatever library wrote it.

use std::fmt;
use std::fmt::Write;

use serde::de::MapAccess;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Why a text that is JSON is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// A `\u` escape that is half a character.
    LoneSurrogate,
    /// A number beyond what a 64-bit float holds.
    HugeNumber,
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LoneSurrogate => "has a \\u escape that is half a character",
            Self::HugeNumber => "has a number that is out of range",
        })
    }
}

/// Appends the compact form of `text`, which must be JSON already.
///
/// # Errors
/// When it could not be read back as values.
pub fn compact(text: &str, out: &mut String) -> Result<(), Odd> {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[from..at]);
                at += 1;
                from = at;
            }
            b'"' => at = string(text, at + 1, &mut from, out)?,
            b'-' | b'0'..=b'9' => at = number(text, at)?,
            _ => at += 1,
        }
    }
    out.push_str(&text[from..]);
    Ok(())
}

/// [`compact`] into a text of its own.
pub fn compacted(text: &str) -> Result<String, Odd> {
    let mut out = String::with_capacity(text.len());
    compact(text, &mut out)?;
    Ok(out)
}

/// Passes a string whose first character is at `at`; returns where what follows it begins. What
/// was passed but not yet written begins at `from`.
fn string(text: &str, mut at: usize, from: &mut usize, out: &mut String) -> Result<usize, Odd> {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok(at + 1),
            b'\\' => match bytes.get(at + 1) {
                Some(b'u') => {
                    out.push_str(&text[*from..at]);
                    let (letter, length) = escaped(text, at)?;
                    push_letter(letter, out);
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

/// The character of a `\uXXXX` at `at`, or of two that belong together, and their length.
fn escaped(text: &str, at: usize) -> Result<(char, usize), Odd> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(at).ok_or(Odd::LoneSurrogate)?;
    if let Some(letter) = char::from_u32(first) {
        return Ok((letter, 6));
    }
    // RFC 8259, section 7: characters beyond U+FFFF are written as two surrogates.
    match unit(at + 6) {
        Some(second) if first < 0xDC00 && (0xDC00..0xE000).contains(&second) => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            Ok((char::from_u32(code).ok_or(Odd::LoneSurrogate)?, 12))
        }
        _ => Err(Odd::LoneSurrogate),
    }
}

fn push_letter(letter: char, out: &mut String) {
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

fn number(text: &str, from: usize) -> Result<usize, Odd> {
    let rest = &text.as_bytes()[from..];
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let digits = &text[from..from + length];
    // A number without exponent needs 309 digits to be out of range.
    let may_be_huge = length > 300 || digits.contains(['e', 'E']);
    if may_be_huge && !digits.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err(Odd::HugeNumber);
    }
    Ok(from + length)
}

/// What a JSON text is, told by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
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

/// The shape of a JSON text without white space before it.
pub fn shape(text: &str) -> Shape {
    match text.as_bytes().first() {
        Some(b'{') => Shape::Object,
        Some(b'[') => Shape::Array,
        Some(b'"') => Shape::Text,
        Some(b't' | b'f') => Shape::Boolean,
        Some(b'n') | None => Shape::Null,
        Some(_) => Shape::Number,
    }
}

/// An object whose values stay text, in its own order.
#[derive(Debug, Default)]
pub struct Object(pub Vec<(String, Box<RawValue>)>);

impl Object {
    /// Reads an object.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Replaces an entry where it stands, or adds it at the end.
    pub fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some(entry) => entry.1 = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The object as text.
    pub fn text(&self) -> serde_json::Result<String> {
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

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        from.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_gives_the_same_text() {
        let check = |text: &str, want: &str| assert_eq!(compacted(text).unwrap(), want, "{text}");
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

    #[test]
    fn what_could_not_be_read_back_is_refused() {
        let check = |text: &str, want| assert_eq!(compacted(text), Err(want), "{text}");
        check(r#""\ud83d""#, Odd::LoneSurrogate);
        check(r#""\ude00\ud83d""#, Odd::LoneSurrogate);
        check("[1e999]", Odd::HugeNumber);
        check(&"9".repeat(400), Odd::HugeNumber);
    }

    #[test]
    fn an_object_keeps_its_order_and_the_text_of_its_values() {
        let mut object = Object::parse(r#"{"b":1.0,"a":{"x":1}}"#).unwrap();
        object.set("b", RawValue::from_string("2.50".to_owned()).unwrap());
        object.set("c", RawValue::from_string("null".to_owned()).unwrap());
        assert_eq!(object.text().unwrap(), r#"{"b":2.50,"a":{"x":1},"c":null}"#);
    }
}
