//! A document for a part that decides itself who may see it: one that shows it on screens.

use super::picture;
use super::picture::Options;
use super::rules;
use super::store;
use super::store::Head;
use chartroom_charts::svg::Lettering;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Smallest and longest side in points: those of a document's own size.
const SIDES: (f64, f64) = (rules::MIN_SIDE, rules::MAX_SIDE);

/// A document, in the trash or not. Who may see it is the caller's question.
///
/// # Errors
/// When it cannot be read.
pub fn find(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Head>> {
    store::find(tx, id)
}

/// Title, records, settings and style of a document as JSON text, in the words of a cast screen. The
/// stored texts go into it as they are.
///
/// # Errors
/// When the records cannot be read.
pub fn content(tx: &Tx<'_>, head: &Head) -> Result<Vec<u8>> {
    let text = format!(
        r#"{{"id":{},"title":{},"updated":{},"theme":{},"settings":{},"style":{},"customTheme":{},"data":["#,
        serde_json::to_string(&head.id)?,
        serde_json::to_string(&head.title)?,
        serde_json::to_string(&head.updated)?,
        serde_json::to_string(&head.theme)?,
        head.settings,
        head.style.as_deref().unwrap_or("null"),
        head.custom_theme.as_deref().unwrap_or("null"),
    );
    let mut out = text.into_bytes();
    store::append_records(tx, &head.id, &mut out)?;
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// The colour behind a document's drawing.
///
/// # Errors
/// When its theme cannot be read.
pub fn ground(head: &Head) -> Result<String> {
    Ok(picture::background(head)?.0)
}

/// A document's own width and height in points.
///
/// # Errors
/// When its style cannot be read.
pub fn size(head: &Head) -> Result<(f64, f64)> {
    picture::size(head, &Options::default())
}

/// How to draw a document so that it fills a box of `width` times `height` pixels of a page, with
/// `density` pixels of the screen for each: in the proportions of the box, its texts as large within
/// it as they are in the document's own size. Text is drawn as outlines: a screen has fonts of its
/// own, and a picture within a page has none of ours.
///
/// # Errors
/// When the document's style cannot be read.
pub fn fitted(head: &Head, (width, height): (f64, f64), density: f64) -> Result<Options> {
    let own = size(head)?;
    let zoom = (width / own.0).min(height / own.1);
    let side = |pixels: f64| (pixels / zoom).round().clamp(SIDES.0, SIDES.1);
    Ok(Options {
        width: Some(side(width)),
        height: Some(side(height)),
        scale: zoom * density,
        text: Lettering::Outlines,
        ..Options::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn a_picture_has_the_proportions_of_the_screen_and_the_size_of_the_document() {
        let style = r#"{"width":720,"height":405}"#.to_owned();
        let head = Head { style: Some(style), ..Head::empty(Timestamp(0)) };
        let check = |size, density, want: (f64, f64, f64)| {
            let options = fitted(&head, size, density).unwrap();
            let found = (options.width.unwrap(), options.height.unwrap(), options.scale);
            assert!((found.2 - want.2).abs() < 0.01, "{found:?} {want:?}");
            assert_eq!((found.0, found.1), (want.0, want.1));
        };
        check((1920.0, 1080.0), 1.0, (720.0, 405.0, 2.67));
        check((1920.0, 1080.0), 2.0, (720.0, 405.0, 5.33));
        check((1080.0, 1920.0), 1.0, (720.0, 1280.0, 1.5));
        check((1024.0, 768.0), 1.0, (720.0, 540.0, 1.42));
        check((2560.0, 1080.0), 1.0, (960.0, 405.0, 2.67));
        check((16000.0, 100.0), 1.0, (4096.0, 405.0, 0.25));
    }
}
