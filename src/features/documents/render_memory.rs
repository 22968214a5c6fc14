//! Bound of the memory that rendering takes, over all threads.
//!
//! Parsed JSON takes up to 80 times the memory of its text. A large render therefore reserves its
//! memory before it parses, and waits while others hold too much.

use std::time::Duration;

use serde_json::Value;

use crate::app::App;
use crate::app::MAX_WORK_BYTES;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::Reservation;
use chartroom_platform::memory_budget::ReserveError;

/// Renders below this memory in bytes need no reservation, so that they never wait for large ones.
/// The number of threads that render bounds their total.
const MIN_RESERVED_BYTES: u64 = 16 << 20;
/// Maximum time that a large render waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Memory of an element of an array in bytes.
const VALUE_BYTES: u64 = size_of::<Value>() as u64;
/// Memory of a member of an object in bytes: hash, key and value.
const MEMBER_BYTES: u64 = (size_of::<u64>() + size_of::<String>() + size_of::<Value>()) as u64;
/// Maximum number of bytes of an escape sequence that stands for one byte, such as `\u002c`.
const MAX_ESCAPE_BYTES: usize = 6;
/// Memory of a pixel of a PNG in bytes, from [`chartroom_charts::png::MAX_PIXELS`].
const PIXEL_BYTES: f64 = 9.0;

/// Reserves memory for a render that allocates about `bytes` bytes, and waits for other renders if
/// necessary. `None` if that is so little that it needs no reservation. Dropping the reservation
/// releases the memory.
///
/// # Errors
/// `TooLarge` if one render may not take that much. `Busy` if other renders do not end in time.
pub fn reserve(app: &App, bytes: u64) -> Result<Option<Reservation<'_>>> {
    if bytes < MIN_RESERVED_BYTES {
        return Ok(None);
    }
    app.work_memory.reserve(bytes, MAX_WAIT).map(Some).map_err(|error| match error {
        ReserveError::ExceedsTotal => Error::TooLarge(format!(
            "rendering would take {} MiB of memory; at most {} MiB are allowed",
            bytes >> 20,
            MAX_WORK_BYTES >> 20
        )),
        ReserveError::Timeout => Error::Busy,
    })
}

/// Estimates the memory in bytes of the pixels of a PNG of this width and height in points. `scale`
/// is the number of pixels per point.
pub fn estimate_pixels((width, height): (f64, f64), scale: f64) -> u64 {
    (width * height * scale * scale * PIXEL_BYTES) as u64
}

/// Returns an upper estimate of the memory in bytes that the parsed form of valid JSON takes.
///
/// Counts values and members, because each takes much more memory than its text: a vector has up to
/// twice the capacity that it needs, and an object has at least one table. If a text is a number,
/// all counts twice, because rendering copies the records to replace such texts.
pub fn estimate_parsed_json(text: &[u8]) -> u64 {
    let mut bytes = VALUE_BYTES;
    // Number of values in each open array or object.
    let mut open: Vec<u64> = Vec::new();
    let mut has_number_texts = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let length = string_length(&text[at..]);
                has_number_texts = has_number_texts || is_number_text(&text[at..at + length]);
                bytes += 16 + (length as u64).max(24);
                at += length + 1;
            }
            b'[' | b'{' => open.push(1),
            b',' => open.last_mut().into_iter().for_each(|count| *count += 1),
            b']' => bytes += open.pop().map_or(0, array_bytes),
            b'}' => bytes += open.pop().map_or(0, object_bytes),
            _ => {}
        }
    }
    if has_number_texts { bytes * 2 } else { bytes }
}

/// Returns whether rendering may replace a string by a number. Any short string with a digit and an
/// escape sequence counts, because it is not unescaped here.
fn is_number_text(string: &[u8]) -> bool {
    let is_escaped = string.contains(&b'\\');
    let max_bytes = number_text::MAX_BYTES * if is_escaped { MAX_ESCAPE_BYTES } else { 1 };
    let may_be_number = string.len() <= max_bytes
        && string.iter().any(u8::is_ascii_digit)
        && !string.iter().all(u8::is_ascii_digit);
    may_be_number
        && (is_escaped
            || std::str::from_utf8(string).is_ok_and(|text| {
                [DecimalSeparator::Point, DecimalSeparator::Comma]
                    .iter()
                    .any(|separator| number_text::read_as_json(text, *separator).is_some())
            }))
}

/// Returns the length in bytes of a JSON string up to its closing quote, with its escapes. `text`
/// starts after the opening quote.
fn string_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the memory in bytes of an array with `count` elements: its capacity times the size of a
/// value, without the texts and nested values.
fn array_bytes(count: u64) -> u64 {
    count.next_power_of_two().max(4) * VALUE_BYTES
}

/// Returns the memory in bytes of an object with `count` members: its tables and members, without
/// the texts and nested values.
fn object_bytes(count: u64) -> u64 {
    // A hash table is at most seven eighths full.
    let buckets = (count * 8 / 7 + 1).next_power_of_two().max(4);
    let allocation_overhead = 48;
    buckets * 7 / 8 * MEMBER_BYTES + buckets * 9 + allocation_overhead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_values_count_more_than_their_text() {
        let estimate = |text: &str| estimate_parsed_json(text.as_bytes());
        assert_eq!(estimate("1"), VALUE_BYTES);
        assert!(estimate(r#"{"a":"],],],]"}"#) < 600);
        let zeros = format!("[{}0]", "0,".repeat(999_999));
        assert_eq!(estimate(&zeros), (1 + 1_048_576) * VALUE_BYTES);
        let records = format!("[{}{{}}]", r#"{"label":"A","value":1},"#.repeat(100_000));
        assert!((40 << 20..80 << 20).contains(&estimate(&records)), "{}", estimate(&records));
        let nested = format!(r#"[{{"x":[{}0]}}]"#, r#"{"a":1},"#.repeat(1 << 20));
        assert!(estimate(&nested) > 400 << 20, "{}", estimate(&nested));
        let text = estimate(r#"[{"value":"abcd"}]"#);
        for number in [r#"[{"value":"95,5"}]"#, r#"[{"value":"\u0039,5"}]"#] {
            assert!(estimate(number) >= 2 * text, "{number}: {} {text}", estimate(number));
        }
    }
}
