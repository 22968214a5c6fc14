//! What a caller may choose about an SVG.

/// What a caller may choose about an SVG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Leaves the background out.
    pub transparent: bool,
    /// How text is carried.
    pub text: Lettering,
}

/// How an SVG carries its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lettering {
    /// As letters, drawn with the reader's own Noto Sans or what is nearest.
    #[default]
    Letters,
    /// As the outlines that the PNG is drawn with: for tools without the fonts.
    Outlines,
    /// As letters, with the part of the fonts that they need: in the one `<style>` that a picture
    /// ever has, because SVG knows no attribute that carries a font.
    Embedded,
}

impl Lettering {
    /// The form that a word stands for: `letters`, `outlines` or `embedded`.
    pub fn parse(word: &str) -> Option<Lettering> {
        match word {
            "letters" => Some(Lettering::Letters),
            "outlines" => Some(Lettering::Outlines),
            "embedded" => Some(Lettering::Embedded),
            _ => None,
        }
    }
}
