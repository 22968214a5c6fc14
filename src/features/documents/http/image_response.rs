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
/// Returns a default that depends on `download` if it is absent. For a PNG, checks the value too
/// but returns `Letters`.
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
    // A PNG is the same in all modes. One mode avoids several cache entries of the same image.
    Ok(match format {
        OutputFormat::Svg | OutputFormat::Html => requested,
        OutputFormat::Png => TextMode::Letters,
    })
}

/// Builds the response with an image and its warnings. With `download` it has a file name, so that
/// browsers save it.
pub(super) fn build_image_response(
    image: &RenderedImage,
    title: &str,
    format: OutputFormat,
    download: bool,
) -> Result<Response> {
    let bytes = image.bytes.clone();
    let response = match format {
        OutputFormat::Svg => Response::bytes("image/svg+xml", bytes),
        OutputFormat::Png => Response::bytes("image/png", bytes),
        OutputFormat::Html => Response::bytes("text/html; charset=utf-8", bytes),
    };
    let mut response = response.with_header(CACHE_CONTROL, IMAGE_CACHE_CONTROL)?;
    if let Some(policy) = &image.content_security_policy {
        response = response.with_header(CONTENT_SECURITY_POLICY, policy)?;
    }
    if !image.warnings.is_empty() {
        response = response
            .with_header(warnings::WARNINGS_HEADER, &warnings::format_warnings(&image.warnings))?;
    }
    if !download {
        return Ok(response);
    }
    response
        .with_header(CONTENT_DISPOSITION, &format_content_disposition(title, format.extension()))
}

/// Formats the value of `Content-Disposition` for a file that is named after the document.
///
/// It contains an ASCII name for old clients and the exact name (RFC 6266).
fn format_content_disposition(title: &str, extension: &str) -> String {
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
