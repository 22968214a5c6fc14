//! The fonts of a page: each font with the glyphs that the texts show.

use std::collections::HashMap;

use pdf_writer::Name;
use pdf_writer::Pdf;
use pdf_writer::Ref;
use pdf_writer::Str;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish};

use crate::pdf::font_file;
use crate::pdf::values::compress;
use crate::text::{Font, ShapedGlyph};

/// Identifies the glyph ids of an embedded font as its own.
const SYSTEM_INFO: SystemInfo =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// Maximum number of glyphs of an embedded font, because glyph ids have 16 bits.
const MAX_GLYPHS: usize = 0xffff;

/// A glyph in an embedded font.
#[derive(Clone, Copy)]
pub struct SubsetGlyph {
    /// Index of the font in [`FontSubsets`].
    pub font: usize,
    /// Glyph id in the embedded font.
    pub cid: u16,
    /// Advance in thousandths of an em.
    pub width: f32,
}

/// The fonts that the texts of a page show, in the order of their first use.
#[derive(Default)]
pub struct FontSubsets {
    fonts: Vec<FontSubset>,
}

/// The glyphs of a font that the texts show.
struct FontSubset {
    font: &'static Font,
    /// Glyph id in `font` and characters of each glyph. The index is the glyph id in the embedded font.
    /// A glyph that stands for different characters is here several times.
    glyphs: Vec<(u16, String)>,
    /// Advance of each glyph in thousandths of an em.
    widths: Vec<f32>,
    ids: HashMap<(u16, String), u16>,
}

impl FontSubsets {
    /// Adds a glyph that stands for `characters`, unless it is known.
    pub fn add(&mut self, glyph: &ShapedGlyph, characters: String) -> SubsetGlyph {
        let is_font = |subset: &FontSubset| std::ptr::eq(subset.font, glyph.font);
        let font = self.fonts.iter().position(is_font).unwrap_or_else(|| {
            self.fonts.push(FontSubset::new(glyph.font));
            self.fonts.len() - 1
        });
        let subset = &mut self.fonts[font];
        let cid = subset.add(glyph.id, characters);
        SubsetGlyph { font, cid, width: subset.widths[usize::from(cid)] }
    }

    /// Writes the objects of all fonts. Returns the references of the fonts.
    pub fn write(&self, pdf: &mut Pdf, next: &mut Ref) -> Vec<Ref> {
        self.fonts.iter().map(|subset| subset.write(pdf, next)).collect()
    }
}

impl FontSubset {
    /// Creates the subset of a font that has only the box for missing glyphs.
    fn new(font: &'static Font) -> FontSubset {
        let mut subset =
            FontSubset { font, glyphs: Vec::new(), widths: Vec::new(), ids: HashMap::new() };
        subset.add(0, String::new());
        subset
    }

    /// Adds a glyph that stands for `characters`, unless it is known. Returns its id in the embedded
    /// font, or 0 if the font is full.
    fn add(&mut self, glyph_id: u16, characters: String) -> u16 {
        let key = (glyph_id, characters);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        if self.glyphs.len() >= MAX_GLYPHS {
            return 0;
        }
        let id = self.glyphs.len() as u16;
        let width = self.font.glyph_advance(glyph_id) * 1000.0;
        self.widths.push((width * 10.0).round() / 10.0);
        self.glyphs.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// Writes the objects of the font: font file, metrics and mapping to characters. Returns the
    /// reference of the font.
    fn write(&self, pdf: &mut Pdf, next: &mut Ref) -> Ref {
        let glyph_ids: Vec<u16> = self.glyphs.iter().map(|(id, _)| *id).collect();
        let file = font_file::build(self.font, &glyph_ids);
        let [font_id, cid_font_id, descriptor_id, file_id, cmap_id] = [(); 5].map(|()| next.bump());
        let name = self.base_font_name(&file.bytes);
        let name = Name(name.as_bytes());
        pdf.type0_font(font_id)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid_font_id)
            .to_unicode(cmap_id);
        let mut cid_font = pdf.cid_font(cid_font_id);
        cid_font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM_INFO);
        cid_font.font_descriptor(descriptor_id).default_width(0.0);
        cid_font.cid_to_gid_map_predefined(Name(b"Identity"));
        cid_font.widths().consecutive(0, self.widths.iter().copied());
        cid_font.finish();
        let (ascent, descent) = self.font.vertical_extent();
        let italic_angle = if self.font.is_italic() { -12.0 } else { 0.0 };
        let slant = if self.font.is_italic() { FontFlags::ITALIC } else { FontFlags::empty() };
        pdf.font_descriptor(descriptor_id)
            .name(name)
            // The glyphs have no names, so that no standard encoding applies to them.
            .flags(FontFlags::SYMBOLIC | slant)
            .bbox(file.bounds)
            .italic_angle(italic_angle)
            .ascent((ascent * 1000.0).round())
            .descent((descent * 1000.0).round())
            .cap_height(714.0)
            .stem_v(if self.font.weight() >= 600 { 140.0 } else { 80.0 })
            .font_file2(file_id);
        let bytes = compress(&file.bytes);
        pdf.stream(file_id, &bytes)
            .filter(Filter::FlateDecode)
            .pair(Name(b"Length1"), file.bytes.len() as i32);
        let map = compress(&self.unicode_map());
        pdf.cmap(cmap_id, &map).filter(Filter::FlateDecode);
        font_id
    }

    /// Returns the map from glyph ids to characters. Glyphs without characters are not part of it.
    fn unicode_map(&self) -> Vec<u8> {
        let mut map = UnicodeCmap::<u16>::new(Name(b"Unicode"), SYSTEM_INFO);
        for (id, (_, characters)) in self.glyphs.iter().enumerate() {
            if !characters.is_empty() {
                map.pair_with_multiple(id as u16, characters.chars());
            }
        }
        map.finish().into_vec()
    }

    /// Returns the name of the embedded font: six letters for the subset, which depend on its file, and
    /// the name of the family with its weight.
    fn base_font_name(&self, file: &[u8]) -> String {
        // FNV-1a
        let mut hash = file.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut name = String::new();
        for _ in 0..6 {
            name.push(char::from(b'A' + (hash % 26) as u8));
            hash /= 26;
        }
        name.push('+');
        name.extend(self.font.family().chars().filter(char::is_ascii_alphanumeric));
        let slope = if self.font.is_italic() { "Italic" } else { "" };
        name + "-" + &self.font.weight().to_string() + slope
    }
}
