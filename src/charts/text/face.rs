//! Weight and slope of a text, and the font that an image uses for them.

use std::cell::Cell;
use std::fmt;

use crate::text::collection::FontCollection;
use crate::text::family::FontFamily;
use crate::text::font::Font;

/// Weight and slope of a text, with or without a fixed font.
///
/// The constants [`Face::REGULAR`], [`Face::BOLD`], [`Face::ITALIC`] and [`Face::BOLD_ITALIC`] have
/// no fixed font. They use the family that [`with_current_family`] sets while a chart is drawn, and
/// the built-in family at any other time. A scene contains only faces with a fixed font
/// ([`Face::resolved`]), so that the writers do not depend on the theme.
#[derive(Clone, Copy)]
pub struct Face {
    bold: bool,
    italic: bool,
    font: Option<&'static Font>,
}

impl Face {
    /// Upright, weight 400.
    pub const REGULAR: Face = Face { bold: false, italic: false, font: None };
    /// Upright, weight 700.
    pub const BOLD: Face = Face { bold: true, italic: false, font: None };
    /// Italic, weight 400.
    pub const ITALIC: Face = Face { bold: false, italic: true, font: None };
    /// Italic, weight 700.
    pub const BOLD_ITALIC: Face = Face { bold: true, italic: true, font: None };

    /// Creates a face without a fixed font.
    pub const fn new(bold: bool, italic: bool) -> Face {
        Face { bold, italic, font: None }
    }

    /// Creates a face with a fixed font: the one of a family with this weight and slope.
    pub fn from_family(family: FontFamily, bold: bool, italic: bool) -> Face {
        Face { bold, italic, font: Some(family.font(bold, italic)) }
    }

    /// Returns whether the face is bold.
    pub fn is_bold(self) -> bool {
        self.bold
    }

    /// Returns whether the face is italic.
    pub fn is_italic(self) -> bool {
        self.italic
    }

    /// Returns the face with its current font fixed, so that no later theme changes it.
    pub fn resolved(self) -> Face {
        Face { font: Some(self.font()), ..self }
    }

    /// Returns the font that text of this face is measured and drawn with: the fixed font, else
    /// that of the current family of this thread.
    pub fn font(self) -> &'static Font {
        self.font.unwrap_or_else(|| {
            let family = CURRENT_FAMILY.get().unwrap_or_else(FontCollection::builtin_family);
            family.font(self.bold, self.italic)
        })
    }
}

impl PartialEq for Face {
    /// Compares the fonts by address, and weight and slope. A face without a fixed font has its
    /// current font.
    fn eq(&self, other: &Face) -> bool {
        std::ptr::eq(self.font(), other.font())
            && (self.bold, self.italic) == (other.bold, other.italic)
    }
}

impl Eq for Face {}

impl fmt::Debug for Face {
    /// Writes name, weight and slope of the font, and the requested weight and slope.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Face { bold, italic, .. } = self;
        write!(out, "{:?} (bold: {bold}, italic: {italic})", self.font())
    }
}

/// Runs `draw` with `family` as the family of all faces without a fixed font in this thread, and
/// returns its result. Restores the previous family afterwards, also after a panic.
pub fn with_current_family<T>(family: FontFamily, draw: impl FnOnce() -> T) -> T {
    let _guard = RestoreFamily(CURRENT_FAMILY.replace(Some(family)));
    draw()
}

thread_local! {
    /// Family of the chart that this thread draws.
    ///
    /// A thread-local variable, because chart kinds ask for regular or bold text and do not know
    /// the family. As a parameter, it would have to pass through every measurement of every kind.
    static CURRENT_FAMILY: Cell<Option<FontFamily>> = const { Cell::new(None) };
}

/// Restores the previous family on drop, also after a panic.
struct RestoreFamily(Option<FontFamily>);

impl Drop for RestoreFamily {
    /// Sets the previous family.
    fn drop(&mut self) {
        CURRENT_FAMILY.set(self.0);
    }
}
