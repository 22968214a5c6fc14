//! The fonts: advances and outlines of Noto Sans, read once and kept.

use std::sync::LazyLock;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// Weight and slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Face {
    /// Upright, weight 400.
    Regular,
    /// Upright, weight 700.
    Bold,
    /// Slanted, weight 400.
    Italic,
    /// Slanted, weight 700.
    BoldItalic,
}

impl Face {
    /// The face with these two properties.
    pub fn of(bold: bool, italic: bool) -> Face {
        match (bold, italic) {
            (false, false) => Face::Regular,
            (true, false) => Face::Bold,
            (false, true) => Face::Italic,
            (true, true) => Face::BoldItalic,
        }
    }

    /// Whether it is one of the heavy faces.
    pub fn is_bold(self) -> bool {
        matches!(self, Face::Bold | Face::BoldItalic)
    }

    /// Whether it is one of the slanted faces.
    pub fn is_italic(self) -> bool {
        matches!(self, Face::Italic | Face::BoldItalic)
    }

    /// The font file.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Face::Regular => notosans::REGULAR_TTF,
            Face::Bold => notosans::BOLD_TTF,
            Face::Italic => notosans::ITALIC_TTF,
            Face::BoldItalic => notosans::BOLD_ITALIC_TTF,
        }
    }
}

/// Letters up to here (Latin with its two extensions) are measured from a table.
const TABLE_END: usize = 0x250;

/// One face, ready to measure and to draw.
pub struct Font {
    font: FontRef<'static>,
    /// Advance of each letter below [`TABLE_END`] in em; negative where the font has no glyph.
    advances: [f32; TABLE_END],
    glyph_ids: [u16; TABLE_END],
    outlines: Vec<OnceLock<BezPath>>,
}

static FONTS: [LazyLock<Font>; 4] = [
    LazyLock::new(|| Font::new(Face::Regular)),
    LazyLock::new(|| Font::new(Face::Bold)),
    LazyLock::new(|| Font::new(Face::Italic)),
    LazyLock::new(|| Font::new(Face::BoldItalic)),
];

/// The font of a face.
pub fn font(face: Face) -> &'static Font {
    &FONTS[face as usize]
}

impl Font {
    fn new(face: Face) -> Font {
        let font = FontRef::new(face.bytes()).expect("the font crate carries valid fonts");
        let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
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
        Font { font, advances, glyph_ids, outlines: vec![const { OnceLock::new() }; count] }
    }

    /// Advance in em of a letter that the table knows.
    pub fn table_advance(&self, letter: char) -> Option<f32> {
        self.advances.get(letter as usize).copied().filter(|it| *it >= 0.0)
    }

    /// Glyph of a letter that the table knows.
    pub fn table_glyph(&self, letter: char) -> u16 {
        self.glyph_ids.get(letter as usize).copied().unwrap_or(0)
    }

    /// Outline of a glyph in em, y down, from the baseline; empty when there is none.
    pub fn outline(&self, glyph: u16) -> &BezPath {
        static EMPTY: LazyLock<BezPath> = LazyLock::new(BezPath::new);
        let Some(cell) = self.outlines.get(glyph as usize) else {
            return &EMPTY;
        };
        cell.get_or_init(|| {
            let mut pen = Pen(BezPath::new());
            if let Some(outline) = self.font.outline_glyphs().get(GlyphId::from(glyph)) {
                let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
                // A glyph that cannot be drawn stays empty: text is never worth an error.
                let _ = outline.draw(settings, &mut pen);
            }
            let upem = self.font.metrics(Size::unscaled(), LocationRef::default()).units_per_em;
            let scale = 1.0 / f64::from(upem.max(1));
            pen.0.apply_affine(Affine::scale_non_uniform(scale, -scale));
            pen.0
        })
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
