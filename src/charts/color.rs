//! sRGB colors: parsing, contrast, and perceptually uniform mixing (OKLab).

use std::fmt;
use std::sync::LazyLock;

/// An sRGB color with 8 bits per channel, not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, 0 to 255.
    pub r: u8,
    /// Green, 0 to 255.
    pub g: u8,
    /// Blue, 0 to 255.
    pub b: u8,
    /// Opacity from 0 (transparent) to 255 (opaque).
    pub a: u8,
}

/// Linear light of each 8-bit channel value. A table, because `powf` is too slow to call per label.
static LINEAR_CHANNELS: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let v = value as f32 / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    })
});

/// Color of text on light fills. Not pure black, because that appears to vibrate on saturated
/// colors.
pub const NEAR_BLACK: Color = Color::hex(0x1a1a1a);
/// Color of text on dark fills.
pub const WHITE: Color = Color::hex(0xffffff);

/// Formats the color without its opacity, as `#rrggbb`.
impl fmt::Display for Color {
    /// Writes the color without its opacity, as `#rrggbb`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

impl Color {
    /// Creates an opaque color from `0xrrggbb`.
    pub const fn hex(rgb: u32) -> Color {
        Color { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, a: 255 }
    }

    /// Parses a CSS color, such as a name, `#3f90da` or `hsl(210 60% 50%)`. Returns None for other
    /// texts and for texts of more than 64 bytes.
    ///
    /// Only the four channels reach an image, never the text itself.
    pub fn parse(text: &str) -> Option<Color> {
        // Usual CSS colors are shorter.
        if text.len() > 64 {
            return None;
        }
        let [r, g, b, a] = csscolorparser::parse(text.trim()).ok()?.to_rgba8();
        Some(Color { r, g, b, a })
    }

    /// Returns the color with the given opacity from 0 to 1, which replaces its own. Values outside
    /// this range are clamped.
    pub fn with_opacity(self, opacity: f64) -> Color {
        Color { a: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8, ..self }
    }

    /// Returns the opacity from 0 to 1.
    pub fn opacity(self) -> f64 {
        f64::from(self.a) / 255.0
    }

    /// Returns the relative luminance of WCAG 2, from 0 (black) to 1 (white). Ignores the opacity.
    pub fn luminance(self) -> f64 {
        let table = &*LINEAR_CHANNELS;
        let linear = |channel: u8| f64::from(table[channel as usize]);
        0.2126 * linear(self.r) + 0.7152 * linear(self.g) + 0.0722 * linear(self.b)
    }

    /// Returns the contrast ratio of WCAG 2 between two colors, from 1 to 21. Ignores their
    /// opacities.
    pub fn contrast(self, other: Color) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns the color for text on this fill: white or near-black, whichever has more contrast.
    ///
    /// The contrast of medium fills is below 4.5:1. See [`Color::readable_text_color`].
    pub fn text_color(self) -> Color {
        if WHITE.contrast(self) >= NEAR_BLACK.contrast(self) { WHITE } else { NEAR_BLACK }
    }

    /// Returns a color for text on this fill with a contrast of at least 4.5:1.
    ///
    /// This is [`Color::text_color`], or pure black on medium fills, where only pure black reaches
    /// the contrast.
    pub fn readable_text_color(self) -> Color {
        let color = self.text_color();
        if color.contrast(self) >= 4.5 { color } else { Color::hex(0) }
    }

    /// Returns this fill, changed just enough for text with a contrast of 4.5:1, and the color for
    /// the text, white or near-black.
    ///
    /// The fill is mixed with near-black under white text, and with white under near-black text.
    pub fn with_readable_text(self) -> (Color, Color) {
        let opposite = if self.text_color() == WHITE { NEAR_BLACK } else { WHITE };
        let fill = self.mix_until_readable(opposite);
        (fill, fill.text_color())
    }

    /// Returns this fill, mixed with `other` in steps of 3 % until white or near-black text on it
    /// has a contrast of 4.5:1. The fill stays unchanged if it has that contrast already.
    ///
    /// Returns `other` if no mixture reaches the contrast.
    pub fn mix_until_readable(self, other: Color) -> Color {
        (0..=33)
            .map(|step| self.mix(other, f64::from(step) * 0.03))
            .find(|color| color.text_color().contrast(*color) >= 4.5)
            .unwrap_or(other)
    }

    /// Mixes two colors in OKLab, which looks even, and their opacities linearly. A `share` of 0 is
    /// this color, 1 is `other`.
    ///
    /// Shares outside this range count as 0 or 1.
    pub fn mix(self, other: Color, share: f64) -> Color {
        if share <= 0.0 {
            return self;
        }
        let share = share.min(1.0) as f32;
        let (one, two) = (self.to_oklab(), other.to_oklab());
        let lab: [f32; 3] = std::array::from_fn(|i| one[i] + (two[i] - one[i]) * share);
        let a = f32::from(self.a) + (f32::from(other.a) - f32::from(self.a)) * share;
        from_oklab(lab, a.round() as u8)
    }

    /// Returns this color, darkened or lightened until its contrast to `background` is at least
    /// `ratio`. Unchanged if it has that contrast already.
    ///
    /// The result is white or near-black, the one with more contrast, if no mixture reaches the
    /// ratio.
    pub fn readable_on(self, background: Color, ratio: f64) -> Color {
        let target = background.text_color();
        (0..=20)
            .map(|step| self.mix(target, f64::from(step) / 20.0))
            .find(|color| color.contrast(background) >= ratio)
            .unwrap_or(target)
    }

    /// Composites this color over an opaque `background`. The result is opaque.
    pub fn over(self, background: Color) -> Color {
        let blend = |top: u8, below: u8| {
            let share = self.opacity();
            (f64::from(top) * share + f64::from(below) * (1.0 - share)).round() as u8
        };
        Color {
            r: blend(self.r, background.r),
            g: blend(self.g, background.g),
            b: blend(self.b, background.b),
            a: 255,
        }
    }

    /// Returns the difference that people see between two opaque colors (CIEDE2000): 0 for equal
    /// colors, 100 for black and white. Differences below 10 are hard to see between thin lines.
    pub fn difference(self, other: Color) -> f64 {
        let ([l1, a1, b1], [l2, a2, b2]) = (self.to_cielab(), other.to_cielab());
        let weigh = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25f64.powi(7))).sqrt();
        let g = 0.5 * (1.0 - weigh((a1.hypot(b1) + a2.hypot(b2)) / 2.0));
        let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
        let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
        let hue = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
        let (h1, h2) = (hue(a1, b1), hue(a2, b2));
        let is_gray = c1 * c2 == 0.0;
        let turn = if is_gray { 0.0 } else { (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0 };
        let mean_hue = if is_gray { h1 + h2 } else { h1 + turn / 2.0 };
        let (mean_l, mean_c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
        let cos = |degrees: f64| degrees.to_radians().cos();
        let t = 1.0 - 0.17 * cos(mean_hue - 30.0)
            + 0.24 * cos(2.0 * mean_hue)
            + 0.32 * cos(3.0 * mean_hue + 6.0)
            - 0.20 * cos(4.0 * mean_hue - 63.0);
        let from_middle = (mean_l - 50.0).powi(2);
        let s_l = 1.0 + 0.015 * from_middle / (20.0 + from_middle).sqrt();
        let (s_c, s_h) = (1.0 + 0.045 * mean_c, 1.0 + 0.015 * mean_c * t);
        let angle = 30.0 * (-((mean_hue.rem_euclid(360.0) - 275.0) / 25.0).powi(2)).exp();
        let rotation = -2.0 * weigh(mean_c) * (2.0 * angle).to_radians().sin();
        let d_l = (l2 - l1) / s_l;
        let d_c = (c2 - c1) / s_c;
        let d_h = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / s_h;
        (d_l * d_l + d_c * d_c + d_h * d_h + rotation * d_c * d_h).max(0.0).sqrt()
    }

    /// Converts to CIELAB with the white point D65: lightness from 0 to 100, and the two color axes
    /// a (green to red) and b (blue to yellow). Ignores the opacity.
    fn to_cielab(self) -> [f64; 3] {
        let table = &*LINEAR_CHANNELS;
        let [r, g, b] = [self.r, self.g, self.b].map(|channel| f64::from(table[channel as usize]));
        let x = (0.412_456 * r + 0.357_576 * g + 0.180_437 * b) / 0.950_47;
        let y = 0.212_673 * r + 0.715_152 * g + 0.072_175 * b;
        let z = (0.019_334 * r + 0.119_192 * g + 0.950_304 * b) / 1.088_83;
        let [x, y, z] = [x, y, z].map(|share| match share > 0.008_856 {
            true => share.cbrt(),
            false => 7.787 * share + 16.0 / 116.0,
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Converts to OKLab (Björn Ottosson, 2020): lightness from 0 to 1, and the two color axes a
    /// (green to red) and b (blue to yellow). Ignores the opacity.
    fn to_oklab(self) -> [f32; 3] {
        let table = &*LINEAR_CHANNELS;
        let (r, g, b) = (table[self.r as usize], table[self.g as usize], table[self.b as usize]);
        let l = (0.412_221_47 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
        let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
        let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
        [
            0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        ]
    }
}

/// Converts from OKLab, and clamps colors outside sRGB. `opacity` is the alpha channel, 0 to 255.
fn from_oklab([lightness, a, b]: [f32; 3], opacity: u8) -> Color {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    let channel = |v: f32| {
        let v = v.clamp(0.0, 1.0);
        let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        (v * 255.0).round() as u8
    };
    Color {
        r: channel(4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s),
        g: channel(-1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s),
        b: channel(-0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s),
        a: opacity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_have_the_maximum_contrast() {
        let ratio = Color::hex(0).contrast(WHITE);
        assert!((ratio - 21.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_readable_color_reaches_the_ratio() {
        let yellow = Color::hex(0xffcc00);
        assert!(yellow.contrast(WHITE) < 4.5);
        assert!(yellow.readable_on(WHITE, 4.5).contrast(WHITE) >= 4.5);
    }

    #[test]
    fn every_grey_allows_readable_text() {
        for grey in (0..=255).map(|level| Color::hex(level * 0x10101)) {
            assert!(grey.contrast(grey.readable_text_color()) >= 4.5, "{grey}");
            let (fill, text) = grey.with_readable_text();
            assert!(fill.contrast(text) >= 4.5 && fill.contrast(grey) < 1.15, "{grey} {fill}");
            assert!(fill == grey || grey.contrast(grey.text_color()) < 4.5, "{grey} {fill}");
        }
    }

    #[test]
    fn mixing_starts_and_ends_at_the_given_colors() {
        let (one, two) = (Color::hex(0x3f90da), Color::hex(0xbd1f01));
        assert_eq!(one.mix(two, 0.0), one);
        assert_eq!(one.mix(two, 1.0), two);
    }

    #[test]
    fn differences_are_those_of_ciede2000() {
        for (one, two, expected) in [
            (0x000000, 0xffffff, 100.0),
            (0xff0000, 0x00ff00, 86.6),
            (0x0000ff, 0x00ff00, 83.2),
            (0x808080, 0x818181, 0.3),
            (0x123456, 0x123456, 0.0),
        ] {
            let difference = Color::hex(one).difference(Color::hex(two));
            assert!((difference - expected).abs() < 0.15, "{one:x} {two:x}: {difference}");
        }
    }

    #[test]
    fn only_colors_are_parsed() {
        assert_eq!(Color::parse("#ff0000"), Some(Color::hex(0xff0000)));
        assert_eq!(Color::parse("url(javascript:1)"), None);
    }
}
