//! Writes numbers, colours and escaped text into one growing string, fast.

use kurbo::Point;

use crate::color::Color;

/// Text under construction.
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Empty, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Writer {
        Writer { out: Vec::with_capacity(bytes) }
    }

    /// The finished text.
    pub fn finish(self) -> String {
        // Only whole strings and ASCII were written, so nothing is ever replaced.
        String::from_utf8(self.out).unwrap_or_default()
    }

    /// Markup, as it is.
    #[inline]
    pub fn raw(&mut self, markup: &str) -> &mut Writer {
        self.out.extend_from_slice(markup.as_bytes());
        self
    }

    /// User text, with everything that means something to XML escaped.
    pub fn escaped(&mut self, text: &str) -> &mut Writer {
        let bytes = text.as_bytes();
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let entity: &[u8] = match byte {
                b'&' => b"&amp;",
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'"' => b"&quot;",
                _ => continue,
            };
            self.out.extend_from_slice(&bytes[start..at]);
            self.out.extend_from_slice(entity);
            start = at + 1;
        }
        self.out.extend_from_slice(&bytes[start..]);
        self
    }

    /// An attribute that holds a number; `name` begins with a space.
    pub fn number(&mut self, name: &str, value: f64) -> &mut Writer {
        self.raw(name).raw("=\"").value(value).raw("\"")
    }

    /// A colour attribute, and its opacity when it is not opaque.
    pub fn color(&mut self, name: &str, color: Color) -> &mut Writer {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.raw(name).raw("=\"#");
        let channels = [color.r, color.g, color.b];
        let short = channels.iter().all(|it| it >> 4 == it & 15);
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

    /// Two numbers with a space between.
    #[inline]
    pub fn point(&mut self, point: Point) -> &mut Writer {
        self.value(point.x).raw(" ").value(point.y)
    }

    /// A number with at most two decimals; what is not finite is 0, though layout never makes it.
    #[inline]
    pub fn value(&mut self, value: f64) -> &mut Writer {
        let scaled = value * 100.0;
        // The cast cuts towards zero and holds its bounds; `round` is a call on older processors.
        let hundredths = (scaled + 0.5f64.copysign(scaled)).clamp(-1e15, 1e15) as i64;
        if hundredths < 0 {
            self.out.push(b'-');
        }
        let hundredths = hundredths.unsigned_abs();
        let (whole, rest) = (hundredths / 100, (hundredths % 100) as u32);
        if whole >= 1000 {
            self.thousands(whole / 1000);
        }
        self.tail((whole % 1000) as u32, rest, whole >= 1000);
        self
    }

    /// Up to three digits and the decimals. They go out as eight bytes of which the end is taken
    /// back: a copy of fixed length is a single store, one of any length is a call.
    #[inline]
    fn tail(&mut self, whole: u32, rest: u32, padded: bool) {
        let digit = |it: u32| b'0' + it as u8;
        let all = [
            digit(whole / 100),
            digit(whole / 10 % 10),
            digit(whole % 10),
            b'.',
            digit(rest / 10),
            digit(rest % 10),
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
        let cut = if rest == 0 { 3 } else { usize::from(rest.is_multiple_of(10)) };
        let end = self.out.len() + 6 - skipped - cut;
        self.out.extend_from_slice(&shifted.to_le_bytes());
        self.out.truncate(end);
    }

    /// The digits before the last three.
    fn thousands(&mut self, whole: u64) {
        self.raw(&whole.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> String {
        let mut out = Writer::with_capacity(16);
        out.value(value);
        out.finish()
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let shown = [0.0, -0.001, 1.0, 12.345, -0.5, 720.10, 0.07, f64::NAN].map(value);
        let large = [1000.0, 4096.05, -12_034_007.2].map(value);
        assert_eq!(large, ["1000", "4096.05", "-12034007.2"]);
        assert_eq!(shown, ["0", "0", "1", "12.35", "-0.5", "720.1", "0.07", "0"]);
    }

    #[test]
    fn text_is_escaped() {
        let mut out = Writer::with_capacity(16);
        out.escaped("<a href=\"x\">&é");
        assert_eq!(out.finish(), "&lt;a href=&quot;x&quot;&gt;&amp;é");
    }

    #[test]
    fn opacity_stands_beside_the_colour() {
        let mut out = Writer::with_capacity(16);
        out.color(" fill", Color { r: 255, g: 0, b: 17, a: 51 });
        assert_eq!(out.finish(), " fill=\"#f01\" fill-opacity=\"0.2\"");
    }
}
