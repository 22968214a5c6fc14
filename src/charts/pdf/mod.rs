//! PDF writer: one page with vector shapes and selectable text.
//!
//! The page has the size of the canvas in points. Each font is embedded with the glyphs that the texts
//! need, and each glyph names its characters, so that viewers can search and copy the text. The file
//! has no time and no random id.

mod content;
mod document;
mod font_file;
mod fonts;
mod images;
mod links;
mod text_line;
mod values;

use crate::pdf::content::ContentWriter;
use crate::scene::Scene;

/// Options of [`write()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the background is left out.
    pub transparent: bool,
}

/// Returns a scene as a complete PDF file. Equal scenes and options give equal bytes.
///
/// Links of the subtitle and the footer are link annotations. Pointer targets and tips of an interactive
/// scene are not part of the file.
pub fn write(scene: &Scene, options: &Options) -> Vec<u8> {
    let mut content = ContentWriter::new(scene);
    if !options.transparent {
        content.write_background(scene);
    }
    scene.shapes.iter().for_each(|shape| content.write_primitive(&shape.primitive));
    document::write(scene, content.finish())
}

#[cfg(test)]
mod tests;
