//! A fast writer of numbers, colors and escaped text into a growing string.

use kurbo::Point;

use crate::color::Color;

/// U+FFFD in UTF-8. It replaces characters that XML forbids.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// XML under construction.
pub struct XmlWriter {
    out: Vec<u8>,
}

impl XmlWriter {
    /// Creates an empty writer with capacity for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> XmlWriter {
        XmlWriter { out: Vec::with_capacity(bytes) }
    }

    /// Returns all text that was written. Does not close open elements.
    pub fn finish(self) -> String {
        // Cannot fail, because only complete strings and ASCII were written.
        String::from_utf8(self.out).unwrap_or_default()
    }

    /// Writes markup without escaping.
    #[inline]
    pub fn raw(&mut self, markup: &str) -> &mut XmlWriter {
        self.out.extend_from_slice(markup.as_bytes());
        self
    }

    /// Writes text and escapes `&`, `<`, `>` and `"`. Replaces characters that XML 1.0 forbids
    /// (most control characters, U+FFFE and U+FFFF) by U+FFFD, because a parser rejects the whole
    /// image otherwise.
    pub fn escaped(&mut self, text: &str) -> &mut XmlWriter {
        let bytes = text.as_bytes();
        let mut start = 0;
        for (index, byte) in bytes.iter().enumerate() {
            let (replacement, length): (&[u8], usize) = match byte {
                b'&' => (b"&amp;", 1),
                b'<' => (b"&lt;", 1),
                b'>' => (b"&gt;", 1),
                b'"' => (b"&quot;", 1),
                0..=8 | 11 | 12 | 14..=31 => (REPLACEMENT, 1),
                0xef if is_noncharacter(&bytes[index..]) => (REPLACEMENT, 3),
                _ => continue,
            };
            self.out.extend_from_slice(&bytes[start..index]);
            self.out.extend_from_slice(replacement);
            start = index + length;
        }
        self.out.extend_from_slice(&bytes[start..]);
        self
    }

    /// Writes a numeric attribute, rounded to two decimals. `name` starts with a space.
    pub fn number(&mut self, name: &str, value: f64) -> &mut XmlWriter {
        self.raw(name).raw("=\"").value(value).raw("\"")
    }

    /// Writes a color attribute as `#rgb` or `#rrggbb`. If the color is not opaque, also writes an
    /// opacity attribute, such as `fill-opacity`.
    ///
    /// `name` starts with a space.
    pub fn color(&mut self, name: &str, color: Color) -> &mut XmlWriter {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.raw(name).raw("=\"#");
        let channels = [color.r, color.g, color.b];
        let short = channels.iter().all(|channel| channel >> 4 == channel & 15);
        for channel in channels {
            self.out.push(HEX[(channel >> 4) as usize]);
            if !short {
                self.out.push(HEX[(channel & 15) as usize]);
            }
        }
        self.raw("\"");
        if color.a < 255 {
            self.raw(name).number("-opacity", color.opacity());
        }
        self
    }

    /// Writes the coordinates of a point, separated by a space.
    #[inline]
    pub fn point(&mut self, point: Point) -> &mut XmlWriter {
        self.value(point.x).raw(" ").value(point.y)
    }

    /// Writes a distance, given in hundredths of a point, in points and in the shortest form.
    /// Writes a space before it if it would join a number before it.
    pub fn distance(&mut self, hundredths: i64) -> &mut XmlWriter {
        if hundredths >= 0 && self.out.last().is_some_and(u8::is_ascii_digit) {
            self.out.push(b' ');
        }
        let start = self.out.len() + usize::from(hundredths < 0);
        self.value(hundredths as f64 / 100.0);
        if self.out.get(start..).is_some_and(|number| number.starts_with(b"0.")) {
            self.out.remove(start);
        }
        self
    }

    /// Writes a number, rounded to two decimals (halves away from zero), without trailing zeros.
    /// NaN is written as 0. The magnitude is limited to 10 trillion.
    #[inline]
    pub fn value(&mut self, value: f64) -> &mut XmlWriter {
        let scaled = value * 100.0;
        // Rounds by hand, because `round` is a function call without SSE 4.1. The cast truncates.
        let hundredths = (scaled + 0.5f64.copysign(scaled)).clamp(-1e15, 1e15) as i64;
        if hundredths < 0 {
            self.out.push(b'-');
        }
        let hundredths = hundredths.unsigned_abs();
        let (whole, fraction) = (hundredths / 100, (hundredths % 100) as u32);
        if whole >= 1000 {
            self.push_thousands(whole / 1000);
        }
        self.push_small((whole % 1000) as u32, fraction, whole >= 1000);
        self
    }

    /// Writes `whole` (below 1000) and `hundredths` without trailing zeros.
    ///
    /// `padded` writes all three digits of `whole`. Always copies eight bytes and truncates,
    /// because a copy of fixed length is a single store and a copy of variable length is a function
    /// call.
    #[inline]
    fn push_small(&mut self, whole: u32, hundredths: u32, padded: bool) {
        let digit = |n: u32| b'0' + n as u8;
        let all = [
            digit(whole / 100),
            digit(whole / 10 % 10),
            digit(whole % 10),
            b'.',
            digit(hundredths / 10),
            digit(hundredths % 10),
            0,
            0,
        ];
        let skipped = match whole {
            100.. => 0,
            _ if padded => 0,
            10.. => 1,
            _ => 2,
        };
        let shifted = u64::from_le_bytes(all) >> (skipped * 8);
        let cut = if hundredths == 0 { 3 } else { usize::from(hundredths.is_multiple_of(10)) };
        let end = self.out.len() + 6 - skipped - cut;
        self.out.extend_from_slice(&shifted.to_le_bytes());
        self.out.truncate(end);
    }

    /// Writes the digits before the last three digits of the integer part: `thousands` is the
    /// integer part divided by 1000.
    fn push_thousands(&mut self, thousands: u64) {
        self.raw(&thousands.to_string());
    }
}

/// Returns whether UTF-8 text starts with U+FFFE or U+FFFF.
fn is_noncharacter(bytes: &[u8]) -> bool {
    matches!(bytes, [0xef, 0xbf, 0xbe | 0xbf, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> String {
        let mut out = XmlWriter::with_capacity(16);
        out.value(value);
        out.finish()
    }

    #[test]
    fn numbers_have_at_most_two_decimals() {
        let shown = [0.0, -0.001, 1.0, 12.345, -0.5, 720.10, 0.07, f64::NAN].map(value);
        let large = [1000.0, 4096.05, -12_034_007.2].map(value);
        assert_eq!(large, ["1000", "4096.05", "-12034007.2"]);
        assert_eq!(shown, ["0", "0", "1", "12.35", "-0.5", "720.1", "0.07", "0"]);
    }

    #[test]
    fn text_is_escaped() {
        let mut out = XmlWriter::with_capacity(16);
        out.escaped("<a href=\"x\">&é");
        assert_eq!(out.finish(), "&lt;a href=&quot;x&quot;&gt;&amp;é");
    }

    #[test]
    fn characters_that_xml_forbids_are_replaced() {
        let mut out = XmlWriter::with_capacity(16);
        out.escaped("\u{0}a\u{8}\t\n\r\u{b}\u{1f} \u{7f}\u{85}\u{fffd}\u{fffe}<\u{ffff}é");
        let expected =
            "\u{fffd}a\u{fffd}\t\n\r\u{fffd}\u{fffd} \u{7f}\u{85}\u{fffd}\u{fffd}&lt;\u{fffd}é";
        assert_eq!(out.finish(), expected);
    }

    #[test]
    fn opacity_is_a_separate_attribute() {
        let mut out = XmlWriter::with_capacity(16);
        out.color(" fill", Color { r: 255, g: 0, b: 17, a: 51 });
        assert_eq!(out.finish(), " fill=\"#f01\" fill-opacity=\"0.2\"");
    }
}
