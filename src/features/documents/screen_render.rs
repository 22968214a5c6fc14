//! Documents for cast screens. Does not check access: the casting feature has its own rules.

use super::background;
use super::image;
use super::render_options::RenderOptions;
use super::rules;
use super::store;
use super::store::Document;
use chartroom_charts::svg::TextMode;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Returns a document, in the trash or not. The calling feature must check access.
///
/// # Errors
/// If the database cannot be read.
pub fn find_document(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Document>> {
    store::find_document(tx, id)
}

/// Returns a document with its records as JSON, as `GET /cast/{token}/document` sends it to
/// screens. Stored JSON texts are copied unchanged.
///
/// # Errors
/// If the records cannot be read or a field cannot be serialized.
pub fn document_json(tx: &Tx<'_>, document: &Document) -> Result<Vec<u8>> {
    let text = format!(
        r#"{{"id":{},"title":{},"updated":{},"theme":{},"settings":{},"style":{},"customTheme":{},"data":["#,
        serde_json::to_string(&document.id)?,
        serde_json::to_string(&document.title)?,
        serde_json::to_string(&document.updated)?,
        serde_json::to_string(&document.theme)?,
        document.settings,
        document.style.as_deref().unwrap_or("null"),
        document.custom_theme.as_deref().unwrap_or("null"),
    );
    let mut out = text.into_bytes();
    store::read_joined_records(tx, &document.content, &mut out)?;
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// Returns the background color of a document's theme as CSS text, such as `#ffffff`.
///
/// # Errors
/// If the theme is too large or cannot be parsed.
pub fn background_color(tx: &Tx<'_>, document: &Document) -> Result<String> {
    Ok(background::build_background(tx, document)?.color)
}

/// Returns the width and height of a document in points.
///
/// # Errors
/// If the style cannot be parsed.
pub fn document_size(document: &Document) -> Result<(f64, f64)> {
    image::document_size(document, &RenderOptions::default())
}

/// Returns render options that fit a document into a box.
///
/// The box has `width` by `height` CSS pixels, each with `density` device pixels. The image gets
/// the aspect ratio of the box, and the size of its text relative to the image stays as in the
/// document. Width and height are rounded to whole points and limited to the allowed range, so that
/// extreme boxes get another aspect ratio. The scale is the number of device pixels per point and
/// is not limited. Text becomes outlines, because an image within a page cannot use the fonts of
/// the server.
///
/// # Errors
/// If the style cannot be parsed.
pub fn options_to_fit(
    document: &Document,
    (width, height): (f64, f64),
    density: f64,
) -> Result<RenderOptions> {
    let size = document_size(document)?;
    let zoom = (width / size.0).min(height / size.1);
    let side =
        |pixels: f64| (pixels / zoom).round().clamp(rules::MIN_SIDE_POINTS, rules::MAX_SIDE_POINTS);
    Ok(RenderOptions {
        width: Some(side(width)),
        height: Some(side(height)),
        // Nearly equal boxes share one cached image.
        scale: (zoom * density * 1000.0).round() / 1000.0,
        text: TextMode::Outlines,
        ..RenderOptions::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn the_image_has_the_aspect_ratio_of_the_box_and_about_the_size_of_the_document() {
        let style = r#"{"width":720,"height":405}"#.to_owned();
        let document = Document { style: Some(style), ..Document::empty(Timestamp(0)) };
        let check = |size, density, want: (f64, f64, f64)| {
            let options = options_to_fit(&document, size, density).unwrap();
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
