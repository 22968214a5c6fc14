//! HTTP response with a rendered image: headers and file name.

use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_DISPOSITION;
use hyper::header::CONTENT_SECURITY_POLICY;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::warnings;
use crate::app::RenderedImage;
use crate::features::documents::download_token::OutputFormat;
use chartroom_charts::svg::TextMode;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// `Cache-Control` of images: browsers may store them, but must revalidate each time.
pub(super) const IMAGE_CACHE_CONTROL: &str = "private, no-cache";

/// Parses the query parameter `text`, the representation of text in an SVG.
///
/// If it is absent, returns `Embedded` for a download and otherwise `Letters`. For a PNG or PDF,
/// checks the value too but returns `Letters`.
///
/// # Errors
/// `InvalidFields` about `text` if the value is unknown.
pub(super) fn parse_text_mode(
    text: Option<&str>,
    format: OutputFormat,
    download: bool,
) -> Result<TextMode> {
    let requested = match text {
        None if download => TextMode::Embedded,
        None => TextMode::Letters,
        Some(word) => TextMode::parse(word)
            .ok_or_else(|| Error::invalid_field("text", "must be letters, outlines or embedded"))?,
    };
    // A PNG or PDF is the same in all modes. One mode avoids several cache entries of the same image.
    Ok(match format {
        OutputFormat::Svg | OutputFormat::Html => requested,
        OutputFormat::Png | OutputFormat::Pdf => TextMode::Letters,
    })
}

/// Returns the representation of text if the query names none and the theme has fonts of an
/// organization, which viewers do not have.
pub(super) fn text_mode_for_own_fonts(format: OutputFormat) -> TextMode {
    match format {
        OutputFormat::Svg | OutputFormat::Html => TextMode::Embedded,
        OutputFormat::Png | OutputFormat::Pdf => TextMode::Letters,
    }
}

/// Builds the response with an image and its warnings. With `download` it has a file name, so that
/// browsers save it.
pub(super) fn build_image_response(
    image: &RenderedImage,
    title: &str,
    format: OutputFormat,
    download: bool,
) -> Result<Response> {
    let response = Response::bytes(media_type(format), image.bytes.clone());
    let policy = image.content_security_policy.as_deref();
    let response = add_image_headers(response, policy, title, format, download)?;
    if image.warnings.is_empty() {
        return Ok(response);
    }
    response.with_header(warnings::WARNINGS_HEADER, &warnings::format_warnings(&image.warnings))
}

/// Builds the 304 response for an image that is not rendered. It has the headers that
/// [`build_image_response`] sets, except the warnings, which only rendering shows.
///
/// `policy` is the content security policy of the image. None if the policy of the built-in pages
/// is sufficient.
pub(super) fn build_not_modified_response(
    policy: Option<&str>,
    title: &str,
    format: OutputFormat,
    download: bool,
) -> Result<Response> {
    let response = Response::not_modified(media_type(format));
    add_image_headers(response, policy, title, format, download)
}

/// Returns the content type of a format.
fn media_type(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Svg => "image/svg+xml",
        OutputFormat::Png => "image/png",
        OutputFormat::Html => "text/html; charset=utf-8",
        OutputFormat::Pdf => "application/pdf",
    }
}

/// Adds the headers of an image that are the same if it is not rendered: `Cache-Control`, the
/// security policy if there is one, and for a download the file name from `title`.
fn add_image_headers(
    response: Response,
    policy: Option<&str>,
    title: &str,
    format: OutputFormat,
    download: bool,
) -> Result<Response> {
    let mut response = response.with_header(CACHE_CONTROL, IMAGE_CACHE_CONTROL)?;
    if let Some(policy) = policy {
        response = response.with_header(CONTENT_SECURITY_POLICY, policy)?;
    }
    if !download {
        return Ok(response);
    }
    response
        .with_header(CONTENT_DISPOSITION, &format_content_disposition(title, format.extension()))
}

/// Formats the value of `Content-Disposition` for a file that is named after the document, or
/// `chart` if `title` is blank. `extension` has no dot.
///
/// It contains an ASCII name for old clients, with `_` for other characters, and the exact name
/// (RFC 6266).
pub(super) fn format_content_disposition(title: &str, extension: &str) -> String {
    let title = if title.trim().is_empty() { "chart" } else { title.trim() };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -_()".contains(letter);
    let ascii: String =
        title.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let encoded = utf8_percent_encode(title, NON_ALPHANUMERIC);
    format!("attachment; filename=\"{ascii}.{extension}\"; filename*=UTF-8''{encoded}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_is_the_title_of_the_document() {
        assert_eq!(
            format_content_disposition("Sales \"Größe\"\r\n", "svg"),
            "attachment; filename=\"Sales _Gr__e_.svg\"; \
             filename*=UTF-8''Sales%20%22Gr%C3%B6%C3%9Fe%22.svg"
        );
        assert!(format_content_disposition(" ", "png").contains("\"chart.png\""));
    }
}
