//! A colour in sRGB: parsing, contrast, and mixing that looks even (OKLab).

use std::fmt;
use std::sync::LazyLock;

/// An sRGB colour with 8 bits a channel; `a` is opacity, 255 is opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, 0 to 255.
    pub r: u8,
    /// Green, 0 to 255.
    pub g: u8,
    /// Blue, 0 to 255.
    pub b: u8,
    /// Opacity, 0 to 255.
    pub a: u8,
}

/// Light of each 8-bit channel value, because the power function is too slow to call per label.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let v = value as f32 / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    })
});

/// Dark ink for text on light fills; near-black, because pure black vibrates on colour.
pub const DARK_INK: Color = Color::hex(0x1a1a1a);
/// Light ink for text on dark fills.
pub const WHITE: Color = Color::hex(0xffffff);

/// The colour without its opacity, as `#rrggbb`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

impl Color {
    /// An opaque colour from `0xrrggbb`.
    pub const fn hex(rgb: u32) -> Color {
        Color { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, a: 255 }
    }

    /// Any CSS colour. Nothing of the text is ever copied into a picture: only the four numbers are.
    pub fn parse(text: &str) -> Option<Color> {
        // A colour is short; longer text is not one, and need not be read.
        if text.len() > 64 {
            return None;
        }
        let [r, g, b, a] = csscolorparser::parse(text.trim()).ok()?.to_rgba8();
        Some(Color { r, g, b, a })
    }

    /// The same colour with another opacity (0 to 1).
    pub fn with_opacity(self, opacity: f64) -> Color {
        Color { a: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8, ..self }
    }

    /// Opacity from 0 to 1.
    pub fn opacity(self) -> f64 {
        f64::from(self.a) / 255.0
    }

    /// Relative luminance as WCAG 2 defines it, 0 (black) to 1 (white).
    pub fn luminance(self) -> f64 {
        let table = &*LINEAR;
        let at = |channel: u8| f64::from(table[channel as usize]);
        0.2126 * at(self.r) + 0.7152 * at(self.g) + 0.0722 * at(self.b)
    }

    /// Contrast of two opaque colours as WCAG 2 defines it, 1 to 21.
    pub fn contrast(self, other: Color) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The ink for text on this fill: white or near-black, whichever stands out more.
    pub fn ink(self) -> Color {
        if WHITE.contrast(self) >= DARK_INK.contrast(self) { WHITE } else { DARK_INK }
    }

    /// The ink for text on this fill whatever it is: between light and dark only full black has a
    /// contrast of 4.5:1.
    pub fn sure_ink(self) -> Color {
        let ink = self.ink();
        if ink.contrast(self) >= 4.5 { ink } else { Color::hex(0) }
    }

    /// This fill, changed just enough for a text on it to have a contrast of 4.5:1, and the ink for
    /// the text.
    pub fn carrying(self) -> (Color, Color) {
        let away = if self.ink() == WHITE { DARK_INK } else { WHITE };
        let fill = self.carrying_towards(away);
        (fill, fill.ink())
    }

    /// The same by steps towards a given colour, on which text can be read.
    pub fn carrying_towards(self, other: Color) -> Color {
        (0..=33)
            .map(|step| self.mix(other, f64::from(step) * 0.03))
            .find(|it| it.ink().contrast(*it) >= 4.5)
            .unwrap_or(other)
    }

    /// A step towards `other`: `share` 0 stays, 1 arrives. Even to the eye (OKLab).
    pub fn mix(self, other: Color, share: f64) -> Color {
        if share <= 0.0 {
            return self;
        }
        let share = share.min(1.0) as f32;
        let (one, two) = (self.oklab(), other.oklab());
        let lab: [f32; 3] = std::array::from_fn(|i| one[i] + (two[i] - one[i]) * share);
        let a = f32::from(self.a) + (f32::from(other.a) - f32::from(self.a)) * share;
        from_oklab(lab, a.round() as u8)
    }

    /// This hue, darkened or lightened until it has the contrast `ratio` against `ground`.
    pub fn readable_on(self, ground: Color, ratio: f64) -> Color {
        let target = ground.ink();
        (0..=20)
            .map(|step| self.mix(target, f64::from(step) / 20.0))
            .find(|it| it.contrast(ground) >= ratio)
            .unwrap_or(target)
    }

    /// The colour seen when this one lies over an opaque `ground`.
    pub fn over(self, ground: Color) -> Color {
        let at = |top: u8, below: u8| {
            let share = self.opacity();
            (f64::from(top) * share + f64::from(below) * (1.0 - share)).round() as u8
        };
        Color { r: at(self.r, ground.r), g: at(self.g, ground.g), b: at(self.b, ground.b), a: 255 }
    }

    /// Lightness, and the two hue axes, after Björn Ottosson's OKLab of 2020.
    fn oklab(self) -> [f32; 3] {
        let table = &*LINEAR;
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
    fn black_and_white_have_the_greatest_contrast() {
        let ratio = Color::hex(0).contrast(WHITE);
        assert!((ratio - 21.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_readable_colour_reaches_the_ratio() {
        let yellow = Color::hex(0xffcc00);
        assert!(yellow.contrast(WHITE) < 4.5);
        assert!(yellow.readable_on(WHITE, 4.5).contrast(WHITE) >= 4.5);
    }

    #[test]
    fn every_shade_of_grey_carries_text() {
        for grey in (0..=255).map(|it| Color::hex(it * 0x10101)) {
            assert!(grey.contrast(grey.sure_ink()) >= 4.5, "{grey}");
            let (fill, ink) = grey.carrying();
            assert!(fill.contrast(ink) >= 4.5 && fill.contrast(grey) < 1.15, "{grey} {fill}");
            assert!(fill == grey || grey.contrast(grey.ink()) < 4.5, "{grey} {fill}");
        }
    }

    #[test]
    fn mixing_ends_where_it_should() {
        let (one, two) = (Color::hex(0x3f90da), Color::hex(0xbd1f01));
        assert_eq!(one.mix(two, 0.0), one);
        assert_eq!(one.mix(two, 1.0), two);
    }

    #[test]
    fn only_colours_are_parsed() {
        assert_eq!(Color::parse("#ff0000"), Some(Color::hex(0xff0000)));
        assert_eq!(Color::parse("url(javascript:1)"), None);
    }
}
