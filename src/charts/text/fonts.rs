//! The fonts that are there: the built-in family, and files that the operator adds.

use std::sync::LazyLock;

use crate::text::face::Faces;
use crate::text::font::Font;

/// The family that every program carries.
pub const FAMILY: &str = "Noto Sans";

/// A set of fonts, kept until the program ends: it is made once, at its start.
#[derive(Clone, Copy, Debug)]
pub struct Fonts {
    list: &'static [Font],
}

static BUILTIN: LazyLock<Fonts> = LazyLock::new(|| Fonts::keep(own()));

fn own() -> Vec<Font> {
    [notosans::REGULAR_TTF, notosans::BOLD_TTF, notosans::ITALIC_TTF, notosans::BOLD_ITALIC_TTF]
        .into_iter()
        .flat_map(Font::read)
        .collect()
}

impl Fonts {
    /// The built-in family alone.
    pub fn builtin() -> Fonts {
        *BUILTIN
    }

    /// The built-in family and the fonts of these files (TrueType or OpenType), in their order.
    /// Also answers the places of the files that hold no font.
    pub fn with(files: Vec<Vec<u8>>) -> (Fonts, Vec<usize>) {
        let mut list = own();
        let mut odd = Vec::new();
        for (index, file) in files.into_iter().enumerate() {
            // Glyphs are read where the file lies in memory, for as long as the program runs.
            let found = Font::read(Box::leak(file.into_boxed_slice()));
            if found.is_empty() {
                odd.push(index);
            }
            list.extend(found);
        }
        (Fonts::keep(list), odd)
    }

    fn keep(list: Vec<Font>) -> Fonts {
        let fonts = Fonts { list: Box::leak(list.into_boxed_slice()) };
        fonts.list.iter().for_each(|font| font.belong(fonts));
        fonts
    }

    pub(super) fn first() -> &'static Font {
        Fonts::builtin().list.first().expect("the font crate carries valid fonts")
    }

    /// All of them; those of a family stand in the order of their files.
    pub fn list(&self) -> &'static [Font] {
        self.list
    }

    /// The fonts of a family, whatever the case of its name, for text of this weight and for bold
    /// text beside it. None when there is no such family.
    pub fn faces(&self, family: &str, weight: f64) -> Option<Faces> {
        let own: Vec<&Font> =
            self.list.iter().filter(|it| it.family().eq_ignore_ascii_case(family)).collect();
        if own.is_empty() {
            return None;
        }
        let (regular, bold) =
            if weight < 600.0 { (weight, 700.0) } else { (weight.min(400.0), weight) };
        let nearest = |wanted: f64, italic: bool| {
            // A slanted text rather stands upright than in another weight's slant.
            let rank = |it: &&&'static Font| {
                let far = (f64::from(it.weight()) - wanted).abs();
                (it.is_italic() != italic, far as u32)
            };
            own.iter().min_by_key(rank).copied()
        };
        Some(Faces::new([
            nearest(regular, false)?,
            nearest(bold, false)?,
            nearest(regular, true)?,
            nearest(bold, true)?,
        ]))
    }

    /// The font that has a letter which `of` lacks: the one that looks most like it.
    pub(super) fn instead(&self, of: &Font, letter: char) -> Option<&'static Font> {
        let able = self.list.iter().filter(|it| it.has(letter));
        able.min_by_key(|it| (it.is_italic() != of.is_italic(), it.weight().abs_diff(of.weight())))
    }
}
