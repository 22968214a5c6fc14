//! Text as `<text>` elements with font families.

use crate::scene::{Anchor, Mark, Text};
use crate::svg::attributes::write_mark_attributes;
use crate::svg::attributes::write_text_paint_attributes;
use crate::svg::xml_writer::XmlWriter;
use crate::text;

/// Writes a CSS list of font families that ends with the system fonts, as an attribute value
/// without quotes around it. Names that are no identifiers get single quotes.
pub fn write_family_list<'a>(names: impl Iterator<Item = &'a str>, out: &mut XmlWriter) {
    for name in names {
        // CSS requires quotes around a name that is not a sequence of identifiers.
        let is_identifier = |word: &str| {
            word.starts_with(|character: char| character.is_ascii_alphabetic())
                && word
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || character == '-')
        };
        let quote = if name.split(' ').all(is_identifier) { "" } else { "'" };
        out.raw(quote).escaped(name).raw(quote).raw(", ");
    }
    out.raw("system-ui, sans-serif");
}

/// Writes a text as a `<text>` element.
///
/// `default_family` is the family of the enclosing group. The element names its own family only if
/// it differs or needs fallback families. `mark` adds the attributes of a data mark, but not its
/// tip. A shortened text has its full text as `<title>`.
pub fn write_text(text: &Text, default_family: &str, mark: Option<&Mark>, out: &mut XmlWriter) {
    out.raw("<text").number(" x", text.x).number(" y", text.y).number(" font-size", text.size);
    // In right-to-left text, `text-anchor="start"` is the right end.
    let rtl = text::is_rtl(&text.text);
    match text.anchor {
        Anchor::Middle => drop(out.raw(" text-anchor=\"middle\"")),
        Anchor::Start if rtl => drop(out.raw(" text-anchor=\"end\"")),
        Anchor::End if !rtl => drop(out.raw(" text-anchor=\"end\"")),
        Anchor::Start | Anchor::End => {}
    }
    if rtl {
        out.raw(" direction=\"rtl\"");
    }
    let font = text.face.font();
    let fallbacks = text::find_fallback_families(&text.text, text.face);
    if font.family() != default_family || !fallbacks.is_empty() {
        out.raw(" font-family=\"");
        write_family_list([font.family()].into_iter().chain(fallbacks), out);
        out.raw("\"");
    }
    if font.weight() != 400 {
        out.raw(" font-weight=\"").raw(&font.weight().to_string()).raw("\"");
    }
    if font.is_italic() {
        out.raw(" font-style=\"italic\"");
    }
    write_text_paint_attributes(text, out);
    if text.angle != 0.0 {
        out.raw(" transform=\"rotate(").value(text.angle).raw(" ");
        out.value(text.x).raw(" ").value(text.y).raw(")\"");
    }
    if let Some(mark) = mark {
        write_mark_attributes(mark, out);
    }
    out.raw(">");
    if let Some(full) = &text.full {
        out.raw("<title>").escaped(full).raw("</title>");
    }
    out.escaped(&text.text).raw("</text>");
}
