//! The available fonts: the built-in family and the font files that the caller adds.

use std::sync::LazyLock;

use crate::text::family::FontFamily;
use crate::text::font::{Font, LoadScript, ScriptFonts, read_font_properties};
use crate::text::outline::OutlineBudget;

/// Name of the font family that is compiled into the crate.
pub const BUILTIN_FAMILY: &str = "Noto Sans";

/// A set of fonts.
///
/// A collection is never freed, because glyphs refer to its fonts for the rest of the process.
/// Create it once, at program start.
#[derive(Clone, Copy, Debug)]
pub struct FontCollection {
    fonts: &'static [Font],
    /// Fallbacks for characters that no font of the collection has.
    scripts: &'static ScriptFonts,
}

static BUILTIN: LazyLock<FontCollection> =
    LazyLock::new(|| FontCollection::leak(parse_builtin_fonts(), |_, _| None));

/// Parses the four fonts that are compiled into the crate.
fn parse_builtin_fonts() -> Vec<Font> {
    [notosans::REGULAR_TTF, notosans::BOLD_TTF, notosans::ITALIC_TTF, notosans::BOLD_ITALIC_TTF]
        .into_iter()
        .flat_map(Font::parse_file)
        .collect()
}

impl FontCollection {
    /// Returns the collection that holds only the built-in family.
    pub fn builtin() -> FontCollection {
        *BUILTIN
    }

    /// Creates a collection of the built-in family and the fonts of `files`, in this order.
    ///
    /// The files are TrueType or OpenType, or collections, of which the first font counts. The
    /// second value lists the indices of the files that contain no usable font. Characters that no
    /// font has are drawn with the font file of their script that `load_script` returns. It is
    /// called once for the regular and once for the bold font of a script, when the first text
    /// needs it.
    pub fn with_files(
        files: Vec<Vec<u8>>,
        load_script: LoadScript,
    ) -> (FontCollection, Vec<usize>) {
        let mut fonts = parse_builtin_fonts();
        let mut unusable = Vec::new();
        for (index, file) in files.into_iter().enumerate() {
            // The fonts read glyphs from these bytes until the process ends.
            let found = Font::parse_file(Box::leak(file.into_boxed_slice()));
            if found.is_empty() {
                unusable.push(index);
            }
            fonts.extend(found);
        }
        (FontCollection::leak(fonts, load_script), unusable)
    }

    /// Leaks the fonts and makes each of them a fallback of the others. `load_script` provides
    /// further fallbacks.
    fn leak(fonts: Vec<Font>, load_script: LoadScript) -> FontCollection {
        let fonts: &'static [Font] = Box::leak(fonts.into_boxed_slice());
        let scripts: &'static ScriptFonts = Box::leak(Box::new(ScriptFonts::new(load_script)));
        fonts.iter().for_each(|font| font.set_fallbacks(fonts, scripts));
        FontCollection { fonts, scripts }
    }

    /// Returns the built-in family with the fonts of weight 400 and 700, upright and italic.
    pub fn builtin_family() -> FontFamily {
        let builtin = FontCollection::builtin();
        builtin.family(BUILTIN_FAMILY, 400.0).unwrap_or_else(|| {
            let first = builtin.fonts.first().expect("the notosans crate contains valid fonts");
            FontFamily::new([first; 4])
        })
    }

    /// Returns all fonts: the built-in ones first, then those of the files in their order.
    pub fn fonts(&self) -> &'static [Font] {
        self.fonts
    }

    /// Loads the fonts of a file without adding them to the collection. Its fonts are their
    /// fallbacks. The file is TrueType or OpenType. Empty if it contains no usable font.
    ///
    /// The fonts stay in memory until the process ends. Load each file only once. Their outlines are
    /// cached within `outlines`, and further glyphs are blank.
    pub fn load_file(&self, file: Vec<u8>, outlines: &'static OutlineBudget) -> &'static [Font] {
        if read_font_properties(&file).is_none() {
            return &[];
        }
        let fonts = Font::parse_file(Box::leak(file.into_boxed_slice())).into_iter();
        let fonts: Vec<Font> = fonts.map(|font| font.with_outline_budget(outlines)).collect();
        let fonts: &'static [Font] = Box::leak(fonts.into_boxed_slice());
        fonts.iter().for_each(|font| font.set_fallbacks(self.fonts, self.scripts));
        fonts
    }

    /// Returns the fonts of a family for text of the given weight, and for bold text beside it.
    ///
    /// The case of the name does not matter. If `weight` is 600 or more, the bold font is the one
    /// of that weight, and the caller must set the text itself in bold. If a font is missing, the
    /// nearest one of the family takes its place. Returns None if the collection has no such
    /// family.
    pub fn family(&self, name: &str, weight: f64) -> Option<FontFamily> {
        choose_family(self.fonts.iter(), name, weight)
    }
}

/// Returns the weights of the regular and of the bold font for text of the given weight.
pub fn regular_and_bold_weights(weight: f64) -> (f64, f64) {
    if weight < 600.0 { (weight, 700.0) } else { (weight.min(400.0), weight) }
}

/// Returns the fonts of the family `name` among `fonts`, as [`FontCollection::family`] does. None
/// if none of them belongs to the family.
pub fn choose_family(
    fonts: impl Iterator<Item = &'static Font>,
    name: &str,
    weight: f64,
) -> Option<FontFamily> {
    let fonts: Vec<&Font> =
        fonts.filter(|font| font.family().to_lowercase() == name.to_lowercase()).collect();
    if fonts.is_empty() {
        return None;
    }
    let (regular, bold) = regular_and_bold_weights(weight);
    let find_nearest = |wanted: f64, italic: bool| {
        // The slope counts more than the weight.
        let rank = |font: &&&'static Font| {
            let distance = (f64::from(font.weight()) - wanted).abs();
            (font.is_italic() != italic, distance as u32)
        };
        fonts.iter().min_by_key(rank).copied()
    };
    Some(FontFamily::new([
        find_nearest(regular, false)?,
        find_nearest(bold, false)?,
        find_nearest(regular, true)?,
        find_nearest(bold, true)?,
    ]))
}
