//! Text layout: fonts, measuring, shaping, wrapping and shortening.
//!
//! All widths come from the fonts that the PNG writer draws with and that an SVG can embed, so that
//! a measured label fits. Sizes and widths are in points, shaped glyphs in em.

mod collection;
mod face;
mod family;
mod font;
mod markup;
mod measure;
mod outline;
mod sanitize;
mod script;
mod shape;
mod woff2;
mod wrap;

pub use collection::{BUILTIN_FAMILY, FontCollection, choose_family, regular_and_bold_weights};
pub use face::{Face, with_current_family};
pub use family::FontFamily;
pub use font::{Font, FontProperties, LoadScript, file_has_glyph, read_font_properties};
pub use markup::{Span, wrap_markup};
pub use measure::{find_fallback_families, find_missing_char, find_used_fonts, is_rtl, width};
pub use outline::OutlineBudget;
pub use sanitize::{MAX_LABEL_CHARS, sanitize};
pub use script::{SCRIPTS, Script};
pub use shape::{GlyphRun, ShapedGlyph, shape};
pub use woff2::decode_woff2;
pub use wrap::{ellipsize, is_whole, part_long_words, wrap, wrap_balanced, wrap_whole};
