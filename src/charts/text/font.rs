//! A single font: names, advances and glyph outlines, parsed on first use and cached.

use std::fmt;
use std::sync::LazyLock;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath};
use skrifa::attribute::Style;
use skrifa::instance::{Location, LocationRef, Size};
use skrifa::outline::DrawSettings;
use skrifa::string::StringId;
use skrifa::{FontRef, GlyphId, MetadataProvider, Tag};

use crate::text::outline::{self, OutlineBudget, OutlineCollector};
use crate::text::script::{SCRIPTS, Script};

/// Number of Unicode code points in the advance table: Latin and its first two extensions.
const TABLE_CHARS: usize = 0x250;
/// Weights that are offered of a variable font, if its weight axis covers them.
const VARIABLE_WEIGHTS: [f32; 6] = [300.0, 400.0, 500.0, 600.0, 700.0, 800.0];
/// Maximum length of a family name, in characters. The rest of a longer name is cut off.
const MAX_NAME_CHARS: usize = 80;

/// A font with one weight and slope, ready for measuring and drawing.
pub struct Font {
    family: String,
    weight: u16,
    italic: bool,
    bytes: &'static [u8],
    /// Position on the variation axes. The default position for a font without axes.
    axis_location: Location,
    /// Fonts searched for characters that this font lacks: those of the same collection, and then
    /// those of scripts.
    fallbacks: OnceLock<(&'static [Font], &'static ScriptFonts)>,
    tables: OnceLock<GlyphTables>,
    shaper: OnceLock<Option<harfrust::Font>>,
    /// Memory that the outlines may take. None if it is not limited.
    outline_budget: Option<&'static OutlineBudget>,
}

/// Parsed font with cached advances, glyph ids and outlines.
struct GlyphTables {
    font: FontRef<'static>,
    /// Advance in em of each character below [`TABLE_CHARS`]. Negative if the font has no glyph.
    advances: [f32; TABLE_CHARS],
    glyph_ids: [u16; TABLE_CHARS],
    outlines: Vec<OnceLock<BezPath>>,
}

impl Font {
    /// Parses the font of a file.
    ///
    /// A static font gives one [`Font`]. A variable font with a weight axis gives one [`Font`] for
    /// each weight of [`VARIABLE_WEIGHTS`] in the range of the axis, possibly none. Returns an
    /// empty list if the file is not a font, or if the font has no character map, no glyphs or no
    /// family name. Only the first font of a collection of fonts counts.
    pub(super) fn parse_file(bytes: &'static [u8]) -> Vec<Font> {
        let Some(FontProperties { family, is_italic: italic, .. }) = read_font_properties(bytes)
        else {
            return Vec::new();
        };
        let Ok(font) = FontRef::from_index(bytes, 0) else { return Vec::new() };
        let attributes = font.attributes();
        let new_font = |weight: f32, axis_location: Location| Font {
            family: family.clone(),
            weight: weight.clamp(1.0, 1000.0) as u16,
            italic,
            bytes,
            axis_location,
            fallbacks: OnceLock::new(),
            tables: OnceLock::new(),
            shaper: OnceLock::new(),
            outline_budget: None,
        };
        let axis = font.axes().iter().find(|axis| axis.tag() == Tag::new(b"wght"));
        match axis {
            None => vec![new_font(attributes.weight.value(), Location::default())],
            Some(axis) => {
                let is_in_range =
                    |weight: &f32| (axis.min_value()..=axis.max_value()).contains(weight);
                let font_at =
                    |weight: f32| new_font(weight, font.axes().location([("wght", weight)]));
                VARIABLE_WEIGHTS.into_iter().filter(is_in_range).map(font_at).collect()
            }
        }
    }

    /// Sets the fonts to use for characters that this one lacks. Only the first call counts.
    pub(super) fn set_fallbacks(&self, fonts: &'static [Font], scripts: &'static ScriptFonts) {
        // The result is ignored: a collection calls this once, right after it creates the font.
        let _ = self.fallbacks.set((fonts, scripts));
    }

    /// Returns the font with a limit of the memory that its outlines may take.
    pub(super) fn with_outline_budget(self, budget: &'static OutlineBudget) -> Font {
        Font { outline_budget: Some(budget), ..self }
    }

    /// Returns the family name stored in the font.
    ///
    /// The name contains no quotes and no other character with a meaning in XML or CSS.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// Returns the weight from 1 to 1000. Regular is 400, bold is 700.
    pub fn weight(&self) -> u16 {
        self.weight
    }

    /// Returns whether the font is italic or oblique.
    pub fn is_italic(&self) -> bool {
        self.italic
    }

    /// Returns the content of the font file. Several weights of a variable font share one file.
    pub fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    /// Returns the font to draw a character with.
    ///
    /// This is the font itself if it has the glyph, else a fallback that has it: preferably one
    /// with the same slope, among these the one with the nearest weight. The font of the script is
    /// the last choice. Returns the font itself if no fallback has the glyph.
    pub(super) fn find_font_for_char(&'static self, character: char) -> &'static Font {
        if self.has_glyph(character) {
            return self;
        }
        let Some((fallbacks, scripts)) = self.fallbacks.get() else { return self };
        fallbacks
            .iter()
            .filter(|font| font.has_glyph(character))
            .min_by_key(|font| (font.italic != self.italic, font.weight.abs_diff(self.weight)))
            .or_else(|| scripts.find(character, self.weight))
            .unwrap_or(self)
    }

    /// Returns whether the font itself, without its fallbacks, has a glyph for a character.
    pub fn has_glyph(&self, character: char) -> bool {
        match (character as usize) < TABLE_CHARS && character >= ' ' {
            true => self.table_advance(character).is_some(),
            false => self.tables().font.charmap().map(character).is_some(),
        }
    }

    /// Returns the font at its position on the variation axes, prepared for shaping, or None if its
    /// layout tables are invalid. Cached after the first call.
    pub(super) fn shaper(&self) -> Option<&harfrust::Font> {
        let open = || {
            let font = harfrust::Font::new(self.bytes, 0)?;
            let coords = self.axis_location.coords();
            Some(match coords.is_empty() {
                true => font,
                false => font.instance_builder().normalized_coords(coords.iter().copied()).build(),
            })
        };
        self.shaper.get_or_init(open).as_ref()
    }

    /// Returns the cached advances, glyph ids and outlines of the font. The first call builds them,
    /// but no outline.
    fn tables(&self) -> &GlyphTables {
        self.tables.get_or_init(|| {
            let font = FontRef::from_index(self.bytes, 0)
                .expect("parse_file parsed the same bytes before");
            let location = LocationRef::from(&self.axis_location);
            let metrics = font.glyph_metrics(Size::new(1.0), location);
            let charmap = font.charmap();
            let mut advances = [-1.0; TABLE_CHARS];
            let mut glyph_ids = [0; TABLE_CHARS];
            for code in 0x20..TABLE_CHARS {
                if let Some(id) = charmap.map(code as u32) {
                    advances[code] = metrics.advance_width(id).unwrap_or(0.0);
                    glyph_ids[code] = id.to_u32() as u16;
                }
            }
            let count = metrics.glyph_count() as usize;
            let outlines = vec![const { OnceLock::new() }; count];
            GlyphTables { font, advances, glyph_ids, outlines }
        })
    }

    /// Returns the advance in em of a character from the table.
    ///
    /// None if the table does not cover the character or the font has no glyph for it.
    pub fn table_advance(&self, character: char) -> Option<f32> {
        self.tables().advances.get(character as usize).copied().filter(|advance| *advance >= 0.0)
    }

    /// Returns the glyph id of a character from the table, or 0 (the missing glyph) if the table
    /// does not cover the character or the font has no glyph for it.
    pub fn table_glyph_id(&self, character: char) -> u16 {
        self.tables().glyph_ids.get(character as usize).copied().unwrap_or(0)
    }

    /// Returns the advance of a glyph in em. 0 for an unknown id.
    pub fn glyph_advance(&self, glyph_id: u16) -> f32 {
        let location = LocationRef::from(&self.axis_location);
        let metrics = self.tables().font.glyph_metrics(Size::new(1.0), location);
        metrics.advance_width(GlyphId::from(glyph_id)).unwrap_or(0.0).clamp(0.0, 32.0)
    }

    /// Returns how far letters reach above and, as a negative number, below the baseline, in em.
    pub fn vertical_extent(&self) -> (f32, f32) {
        let location = LocationRef::from(&self.axis_location);
        let metrics = self.tables().font.metrics(Size::new(1.0), location);
        (metrics.ascent.clamp(0.0, 4.0), metrics.descent.clamp(-4.0, 0.0))
    }

    /// Returns the number of units per em in which the outlines are stored, within 256 to 4,096.
    pub fn units_per_em(&self) -> u16 {
        let metrics = self.tables().font.metrics(Size::unscaled(), LocationRef::default());
        metrics.units_per_em.clamp(256, 4096)
    }

    /// Returns the outline of a glyph in em, relative to its origin on the baseline, y down.
    ///
    /// The outline is empty for blank glyphs, for an unknown id, and for an outline that is too large
    /// or too complex for a letter or that exceeds the budget of the font. The same glyph always has
    /// the same address, so that a writer can use the address as an identity.
    pub fn glyph_outline(&self, glyph_id: u16) -> &BezPath {
        static EMPTY: LazyLock<BezPath> = LazyLock::new(BezPath::new);
        let GlyphTables { font, outlines, .. } = self.tables();
        let Some(cell) = outlines.get(glyph_id as usize) else {
            return &EMPTY;
        };
        cell.get_or_init(|| {
            let mut collector = OutlineCollector::default();
            if let Some(outline) = font.outline_glyphs().get(GlyphId::from(glyph_id)) {
                let location = LocationRef::from(&self.axis_location);
                let settings = DrawSettings::unhinted(Size::unscaled(), location);
                // A glyph with an invalid outline stays blank, so that the image is still rendered.
                let _ = outline.draw(settings, &mut collector);
            }
            let upem = font.metrics(Size::unscaled(), LocationRef::default()).units_per_em;
            let scale = 1.0 / f64::from(upem.max(1));
            let mut path = collector.into_path();
            path.apply_affine(Affine::scale_non_uniform(scale, -scale));
            outline::limit_outline(path, self.outline_budget)
        })
    }
}

/// Properties of the font in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontProperties {
    /// Family name, as [`Font::family`] returns it.
    pub family: String,
    /// Whether the font is italic or oblique.
    pub is_italic: bool,
    /// Lowest and highest weight, from 1 to 1000. They differ for a variable font.
    pub weights: (u16, u16),
    /// Memory in bytes that the tables of the font take once it draws text, without its outlines.
    pub table_bytes: usize,
}

/// Reads the properties of the first font of a TrueType or OpenType file.
///
/// None if the file is not a font, or if the font has no character map, no glyphs or no family
/// name.
pub fn read_font_properties(bytes: &[u8]) -> Option<FontProperties> {
    let font = FontRef::from_index(bytes, 0).ok()?;
    let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
    if !font.charmap().has_map() || metrics.glyph_count() == 0 {
        return None;
    }
    let attributes = font.attributes();
    let to_weight = |weight: f32| weight.clamp(1.0, 1000.0) as u16;
    let axis = font.axes().iter().find(|axis| axis.tag() == Tag::new(b"wght"));
    let weight = attributes.weight.value();
    let (lowest, highest) =
        axis.as_ref().map_or((weight, weight), |axis| (axis.min_value(), axis.max_value()));
    let fonts = if axis.is_some() { VARIABLE_WEIGHTS.len() } else { 1 };
    let glyphs = metrics.glyph_count() as usize * size_of::<OnceLock<BezPath>>();
    Some(FontProperties {
        family: read_family_name(&font)?,
        is_italic: attributes.style != Style::Normal,
        weights: (to_weight(lowest), to_weight(highest)),
        table_bytes: fonts * (size_of::<Font>() + size_of::<GlyphTables>() + glyphs),
    })
}

/// Returns whether the first font of a file has a glyph for a character. False for bytes that are
/// no font.
pub fn file_has_glyph(bytes: &[u8], character: char) -> bool {
    FontRef::from_index(bytes, 0).is_ok_and(|font| font.charmap().map(character).is_some())
}

/// Reads the regular or bold font file for a script. None if there is none.
pub type LoadScript = fn(&Script, bool) -> Option<Vec<u8>>;

/// Fonts of scripts, each loaded when the first text needs it. They stay in memory until the
/// process ends.
pub(super) struct ScriptFonts {
    load: LoadScript,
    /// Regular and bold fonts of each script.
    fonts: [[OnceLock<Vec<Font>>; 2]; SCRIPTS.len()],
}

impl ScriptFonts {
    /// Creates the collection without loading a font. `load` reads the font files.
    pub(super) fn new(load: LoadScript) -> ScriptFonts {
        ScriptFonts { load, fonts: [const { [const { OnceLock::new() }; 2] }; SCRIPTS.len()] }
    }

    /// Returns the font of the script of a character, if it has the character. From weight 600 on,
    /// prefers the bold file. Among the weights of a file, takes the nearest. Loads a file on its
    /// first use. None if the script is unknown or no font of it has the character.
    fn find(&'static self, character: char, weight: u16) -> Option<&'static Font> {
        let index = Script::index(character)?;
        let find_in = |is_bold: bool| {
            let fonts = self.fonts.get(index)?.get(usize::from(is_bold))?;
            let fonts = fonts.get_or_init(|| {
                let script = SCRIPTS.get(index);
                let bytes = script.and_then(|script| (self.load)(script, is_bold));
                bytes.map_or(Vec::new(), |bytes| {
                    Font::parse_file(Box::leak(bytes.into_boxed_slice()))
                })
            });
            fonts
                .iter()
                .filter(|font| font.has_glyph(character))
                .min_by_key(|font| font.weight().abs_diff(weight))
        };
        let is_bold = weight >= 600;
        is_bold.then(|| find_in(true)).flatten().or_else(|| find_in(false))
    }
}

impl fmt::Debug for ScriptFonts {
    /// Writes the number of scripts with a loaded regular font.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loaded = self.fonts.iter().filter(|[regular, _]| regular.get().is_some()).count();
        write!(out, "{loaded} of {} scripts loaded", SCRIPTS.len())
    }
}

/// Reads the typographic family name, which all weights of a family share.
///
/// Falls back to the legacy family name. Removes control characters and characters that would end
/// an XML attribute or an entry in a CSS list of families, and cuts the name to [`MAX_NAME_CHARS`].
/// Returns None if nothing is left.
fn read_family_name(font: &FontRef<'_>) -> Option<String> {
    let string = |id| font.localized_strings(id).english_or_first();
    let found =
        string(StringId::TYPOGRAPHIC_FAMILY_NAME).or_else(|| string(StringId::FAMILY_NAME))?;
    let is_safe = |character: &char| !character.is_control() && !"\"'\\,;<>&".contains(*character);
    let name: String = found.chars().filter(is_safe).take(MAX_NAME_CHARS).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

impl fmt::Debug for Font {
    /// Writes family name, weight, and ` italic` if the font is italic.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}{}", self.family, self.weight, if self.italic { " italic" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use crate::text::{Font, FontCollection, OutlineBudget, read_font_properties};

    /// Loads the first font of a file.
    fn load(file: Vec<u8>) -> &'static Font {
        static BUDGET: OutlineBudget = OutlineBudget::new(1 << 20, None);
        &FontCollection::builtin().load_file(file, &BUDGET)[0]
    }

    /// Returns the offset of a table of a font file.
    fn find_table(file: &[u8], tag: &[u8]) -> usize {
        let entries = 12..12 + usize::from(file[5]) * 16;
        let entry = entries.step_by(16).find(|entry| file[*entry..].starts_with(tag)).unwrap();
        u32::from_be_bytes(file[entry + 8..entry + 12].try_into().unwrap()) as usize
    }

    #[test]
    fn outlines_with_too_many_points_are_blank() {
        let file = notosans::REGULAR_TTF.to_vec();
        let glyph = usize::from(load(file.clone()).table_glyph_id('W'));
        let entry = find_table(&file, b"loca") + glyph * 4;
        let offset = u32::from_be_bytes(file[entry..entry + 4].try_into().unwrap());
        let start = find_table(&file, b"glyf") + offset as usize;
        let is_blank = |repetitions: u16| {
            let mut file = file.clone();
            // One contour without instructions. Its only flag is that of a point on the curve at the
            // position of the last one, which repeats 255 times.
            let header = [1, 0, 0, 0, 0, repetitions * 256 - 1, 0];
            let mut bytes: Vec<u8> = header.into_iter().flat_map(u16::to_be_bytes).collect();
            bytes.extend([0x39, 255].repeat(usize::from(repetitions)));
            file[start..start + bytes.len()].copy_from_slice(&bytes);
            let end = offset + bytes.len() as u32;
            file[entry + 4..entry + 8].copy_from_slice(&end.to_be_bytes());
            load(file).glyph_outline(glyph as u16).elements().is_empty()
        };
        assert!(!is_blank(16), "4,096 points");
        assert!(is_blank(20), "5,120 points in 54 bytes");
        assert!(is_blank(255));
    }

    #[test]
    fn a_font_has_its_weight_and_the_memory_of_its_glyphs() {
        let bold = read_font_properties(notosans::BOLD_TTF).unwrap();
        assert_eq!((bold.weights, bold.is_italic), ((700, 700), false));
        let glyphs = bold.table_bytes / size_of::<std::sync::OnceLock<kurbo::BezPath>>();
        assert!((2_000..8_000).contains(&glyphs), "{glyphs}");
    }

    #[test]
    fn outlines_that_are_too_large_for_letters_are_blank() {
        let mut file = notosans::REGULAR_TTF.to_vec();
        let glyph = load(file.clone()).table_glyph_id('W');
        assert!(!load(file.clone()).glyph_outline(glyph).is_empty());
        // The table `head` has the units per em at offset 18. With 16 instead of 1,000, the letter
        // is 62 times as large.
        let offset = find_table(&file, b"head");
        file[offset + 18..offset + 20].copy_from_slice(&16u16.to_be_bytes());
        assert!(load(file).glyph_outline(glyph).is_empty());
    }
}
