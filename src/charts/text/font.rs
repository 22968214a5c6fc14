//! One font: what it calls itself, its advances and outlines, read once and kept.

use std::fmt;
use std::sync::LazyLock;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath};
use skrifa::attribute::Style;
use skrifa::instance::{Location, LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::string::StringId;
use skrifa::{FontRef, GlyphId, MetadataProvider, Tag};

use crate::text::face::Face;
use crate::text::fonts::Fonts;

/// Letters up to here (Latin with its two extensions) are measured from a table.
const TABLE_END: usize = 0x250;
/// Weights that a font with a weight axis is offered in.
const STEPS: [f32; 6] = [300.0, 400.0, 500.0, 600.0, 700.0, 800.0];
/// Longest name of a family that is read, in letters.
const LONGEST_NAME: usize = 80;

/// One font, ready to measure and to draw.
pub struct Font {
    family: String,
    weight: u16,
    italic: bool,
    bytes: &'static [u8],
    place: Location,
    /// What a letter that it lacks is looked for in.
    all: OnceLock<Fonts>,
    tables: OnceLock<Tables>,
    shaper: OnceLock<Option<harfrust::Font>>,
}

struct Tables {
    font: FontRef<'static>,
    /// Advance of each letter below [`TABLE_END`] in em; negative where the font has no glyph.
    advances: [f32; TABLE_END],
    glyph_ids: [u16; TABLE_END],
    outlines: Vec<OnceLock<BezPath>>,
}

/// The font of a face.
pub fn font(face: Face) -> &'static Font {
    face.font()
}

impl Font {
    /// The fonts of a file: one, or some weights of one that has an axis for them. None when it is
    /// no font, or has no letters.
    pub(super) fn read(bytes: &'static [u8]) -> Vec<Font> {
        let Ok(font) = FontRef::new(bytes) else { return Vec::new() };
        if !font.charmap().has_map()
            || font.glyph_metrics(Size::new(1.0), LocationRef::default()).glyph_count() == 0
        {
            return Vec::new();
        }
        let Some(family) = name(&font) else { return Vec::new() };
        let about = font.attributes();
        let italic = about.style != Style::Normal;
        let make = |weight: f32, place: Location| Font {
            family: family.clone(),
            weight: weight.clamp(1.0, 1000.0) as u16,
            italic,
            bytes,
            place,
            all: OnceLock::new(),
            tables: OnceLock::new(),
            shaper: OnceLock::new(),
        };
        let axis = font.axes().iter().find(|axis| axis.tag() == Tag::new(b"wght"));
        match axis {
            None => vec![make(about.weight.value(), Location::default())],
            Some(axis) => {
                let within = |it: &f32| (axis.min_value()..=axis.max_value()).contains(it);
                let at = |it: f32| make(it, font.axes().location([("wght", it)]));
                STEPS.into_iter().filter(within).map(at).collect()
            }
        }
    }

    pub(super) fn belong(&self, all: Fonts) {
        // Set by the one set that makes it, so it is empty.
        let _ = self.all.set(all);
    }

    /// The family that it calls itself a part of.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// From 1 to 1000; 400 is regular, 700 bold.
    pub fn weight(&self) -> u16 {
        self.weight
    }

    /// Whether its letters are slanted.
    pub fn is_italic(&self) -> bool {
        self.italic
    }

    /// The font file. Fonts of several weights may share one that has an axis for them.
    pub fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    /// The font to draw a letter with that this one may lack; this one when no other has it.
    pub(super) fn able(&'static self, letter: char) -> &'static Font {
        if self.has(letter) {
            return self;
        }
        self.all.get().and_then(|all| all.instead(self, letter)).unwrap_or(self)
    }

    /// Whether it has a glyph for a letter.
    pub fn has(&self, letter: char) -> bool {
        match (letter as usize) < TABLE_END && letter >= ' ' {
            true => self.table_advance(letter).is_some(),
            false => self.tables().font.charmap().map(letter).is_some(),
        }
    }

    /// For shaping; none when its tables are odd.
    pub(super) fn shaper(&self) -> Option<&harfrust::Font> {
        let open = || {
            let font = harfrust::Font::new(self.bytes, 0)?;
            let place = self.place.coords();
            Some(match place.is_empty() {
                true => font,
                false => font.instance_builder().normalized_coords(place.iter().copied()).build(),
            })
        };
        self.shaper.get_or_init(open).as_ref()
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| {
            let font = FontRef::new(self.bytes).expect("it was read before");
            let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::from(&self.place));
            let charmap = font.charmap();
            let mut advances = [-1.0; TABLE_END];
            let mut glyph_ids = [0; TABLE_END];
            for code in 0x20..TABLE_END {
                if let Some(id) = charmap.map(code as u32) {
                    advances[code] = metrics.advance_width(id).unwrap_or(0.0);
                    glyph_ids[code] = id.to_u32() as u16;
                }
            }
            let count = metrics.glyph_count() as usize;
            Tables { font, advances, glyph_ids, outlines: vec![const { OnceLock::new() }; count] }
        })
    }

    /// Advance in em of a letter that the table knows.
    pub fn table_advance(&self, letter: char) -> Option<f32> {
        self.tables().advances.get(letter as usize).copied().filter(|it| *it >= 0.0)
    }

    /// Glyph of a letter that the table knows.
    pub fn table_glyph(&self, letter: char) -> u16 {
        self.tables().glyph_ids.get(letter as usize).copied().unwrap_or(0)
    }

    /// Outline of a glyph in em, y down, from the baseline; empty when there is none.
    pub fn outline(&self, glyph: u16) -> &BezPath {
        static EMPTY: LazyLock<BezPath> = LazyLock::new(BezPath::new);
        let Tables { font, outlines, .. } = self.tables();
        let Some(cell) = outlines.get(glyph as usize) else {
            return &EMPTY;
        };
        cell.get_or_init(|| {
            let mut pen = Pen(BezPath::new());
            if let Some(outline) = font.outline_glyphs().get(GlyphId::from(glyph)) {
                let place = LocationRef::from(&self.place);
                let settings = DrawSettings::unhinted(Size::unscaled(), place);
                // A glyph that cannot be drawn stays empty: text is never worth an error.
                let _ = outline.draw(settings, &mut pen);
            }
            let upem = font.metrics(Size::unscaled(), LocationRef::default()).units_per_em;
            let scale = 1.0 / f64::from(upem.max(1));
            pen.0.apply_affine(Affine::scale_non_uniform(scale, -scale));
            pen.0
        })
    }
}

/// The family of a font: the typographic one, which all its weights share.
fn name(font: &FontRef<'_>) -> Option<String> {
    let of = |id| font.localized_strings(id).english_or_first();
    let found = of(StringId::TYPOGRAPHIC_FAMILY_NAME).or_else(|| of(StringId::FAMILY_NAME))?;
    // What would end an attribute or a list of names is left out.
    let plain = |it: &char| !it.is_control() && !"\"'\\,;<>&".contains(*it);
    let name: String = found.chars().filter(plain).take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

impl fmt::Debug for Font {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}{}", self.family, self.weight, if self.italic { " italic" } else { "" })
    }
}

struct Pen(BezPath);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to((x, y));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to((x, y));
    }
    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to((cx, cy), (x, y));
    }
    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.0.curve_to((ax, ay), (bx, by), (x, y));
    }
    fn close(&mut self) {
        self.0.close_path();
    }
}
