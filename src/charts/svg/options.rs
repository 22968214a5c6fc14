//! Options of the SVG writer.

/// Options of [`write`](super::write).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the background is left out.
    pub transparent: bool,
    /// Representation of text.
    pub text: TextMode,
}

/// The representation of text in an SVG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextMode {
    /// `<text>` elements, shown in the fonts of the viewer.
    #[default]
    Letters,
    /// Glyph outlines as in the PNG, for viewers without the fonts.
    Outlines,
    /// `<text>` elements and a subset of the fonts.
    ///
    /// This is the only mode with a `<style>` element, because no SVG attribute can embed a font.
    Embedded,
}

impl TextMode {
    /// Parses `letters`, `outlines` or `embedded`. None for other names.
    pub fn parse(name: &str) -> Option<TextMode> {
        match name {
            "letters" => Some(TextMode::Letters),
            "outlines" => Some(TextMode::Outlines),
            "embedded" => Some(TextMode::Embedded),
            _ => None,
        }
    }
}
