//! Weight and slope as a drawing asks for them, and the fonts that a picture has for them.

use std::cell::Cell;
use std::fmt;

use crate::text::font::Font;
use crate::text::fonts::Fonts;

/// Weight and slope.
///
/// [`Face::Regular`] and its three kin name no font: while a picture is drawn they are those of its
/// theme's family, at any other time those of the built-in one. A scene holds settled faces only,
/// so its writers need not know the theme.
#[derive(Clone, Copy)]
pub struct Face {
    bold: bool,
    italic: bool,
    font: Option<&'static Font>,
}

#[expect(non_upper_case_globals, reason = "they are the four values of a type")]
impl Face {
    /// Upright, weight 400.
    pub const Regular: Face = Face { bold: false, italic: false, font: None };
    /// Upright, weight 700.
    pub const Bold: Face = Face { bold: true, italic: false, font: None };
    /// Slanted, weight 400.
    pub const Italic: Face = Face { bold: false, italic: true, font: None };
    /// Slanted, weight 700.
    pub const BoldItalic: Face = Face { bold: true, italic: true, font: None };
}

impl Face {
    /// The face with these two properties.
    pub const fn of(bold: bool, italic: bool) -> Face {
        Face { bold, italic, font: None }
    }

    /// Whether it is one of the heavy faces.
    pub fn is_bold(self) -> bool {
        self.bold
    }

    /// Whether it is one of the slanted faces.
    pub fn is_italic(self) -> bool {
        self.italic
    }

    /// The same with its font, which no later picture changes.
    pub fn settled(self) -> Face {
        Face { font: Some(self.font()), ..self }
    }

    /// What it is measured and drawn with.
    pub fn font(self) -> &'static Font {
        if let Some(font) = self.font {
            return font;
        }
        let faces = OWN.get().unwrap_or_else(Faces::builtin);
        faces.0[place(self.bold, self.italic)]
    }

    /// The font file.
    pub fn bytes(self) -> &'static [u8] {
        self.font().bytes()
    }
}

impl PartialEq for Face {
    fn eq(&self, other: &Face) -> bool {
        std::ptr::eq(self.font(), other.font())
            && (self.bold, self.italic) == (other.bold, other.italic)
    }
}

impl Eq for Face {}

impl fmt::Debug for Face {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Face { bold, italic, .. } = self;
        write!(out, "{:?} (bold: {bold}, italic: {italic})", self.font())
    }
}

fn place(bold: bool, italic: bool) -> usize {
    usize::from(bold) + 2 * usize::from(italic)
}

/// The four fonts of a text role. A family that lacks one has the nearest in its place.
#[derive(Clone, Copy)]
pub struct Faces([&'static Font; 4]);

impl Faces {
    /// Those of the built-in family.
    pub fn builtin() -> Faces {
        Fonts::builtin().faces(super::FAMILY, 400.0).unwrap_or(Faces([Fonts::first(); 4]))
    }

    /// From the four fonts of regular, bold, italic, bold italic.
    pub(super) fn new(fonts: [&'static Font; 4]) -> Faces {
        Faces(fonts)
    }

    /// The name of their family.
    pub fn family(&self) -> &'static str {
        self.0[0].family()
    }

    /// One of them.
    pub fn face(&self, bold: bool, italic: bool) -> Face {
        Face { bold, italic, font: Some(self.0[place(bold, italic)]) }
    }

    /// Runs `draw` with these fonts as those of the picture that is drawn.
    pub fn during<T>(self, draw: impl FnOnce() -> T) -> T {
        let _back = Back(OWN.replace(Some(self)));
        draw()
    }
}

impl PartialEq for Faces {
    fn eq(&self, other: &Faces) -> bool {
        self.0.iter().zip(other.0).all(|(one, two)| std::ptr::eq(*one, two))
    }
}

impl fmt::Debug for Faces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0).finish()
    }
}

thread_local! {
    /// The fonts of the picture that this thread draws. A kind says bold or not, and nothing of
    /// families; with a parameter instead, each of its measurements would have to carry them.
    static OWN: Cell<Option<Faces>> = const { Cell::new(None) };
}

/// Puts the fonts of before back, also after a panic.
struct Back(Option<Faces>);

impl Drop for Back {
    fn drop(&mut self) {
        OWN.set(self.0);
    }
}
