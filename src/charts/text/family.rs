//! The four fonts of a family that text with one weight needs.

use std::fmt;

use crate::text::font::Font;

/// Regular, bold, italic and bold italic font of a family.
///
/// If the family lacks one of the four, the nearest font of the family takes its place. Two values
/// are equal if they hold the same four fonts.
#[derive(Clone, Copy)]
pub struct FontFamily([&'static Font; 4]);

impl FontFamily {
    /// Creates a family from its regular, bold, italic and bold italic font, in this order.
    pub(super) fn new(fonts: [&'static Font; 4]) -> FontFamily {
        FontFamily(fonts)
    }

    /// Returns the name of the family: that of its regular font.
    pub fn name(&self) -> &'static str {
        self.0[0].family()
    }

    /// Returns the font with the given weight and slope, or the nearest one that takes its place.
    pub fn font(&self, bold: bool, italic: bool) -> &'static Font {
        self.0[usize::from(bold) + 2 * usize::from(italic)]
    }
}

impl PartialEq for FontFamily {
    /// Compares the four fonts by address.
    fn eq(&self, other: &FontFamily) -> bool {
        self.0.iter().zip(other.0).all(|(one, two)| std::ptr::eq(*one, two))
    }
}

impl fmt::Debug for FontFamily {
    /// Writes the list of the four fonts.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0).finish()
    }
}
