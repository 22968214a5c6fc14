//! A drawn form as an answer: its text as asked for, its headers, its name as a file.

use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_DISPOSITION;
use hyper::header::CONTENT_SECURITY_POLICY;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::read::KEEP;
use super::warnings;
use crate::app::Picture;
use crate::features::documents::download::Format;
use chartroom_charts::svg::Lettering;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// How the text of a picture is carried: as `text` asks, else in a way that suits its use.
///
/// # Errors
/// `Fields` about `text` when it is no such way.
pub(super) fn lettering(text: Option<&str>, format: Format, download: bool) -> Result<Lettering> {
    let asked = match text {
        None if download => Lettering::Embedded,
        None => Lettering::Letters,
        Some(word) => Lettering::parse(word)
            .ok_or_else(|| Error::field("text", "must be letters, outlines or embedded"))?,
    };
    // What makes no difference makes no other entry in a cache.
    Ok(match format {
        Format::Svg | Format::Html => asked,
        Format::Png => Lettering::Letters,
    })
}

/// A drawn form as an answer, with what its reader should know about it.
pub(super) fn answer(
    picture: &Picture,
    title: &str,
    format: Format,
    download: bool,
) -> Result<Response> {
    let bytes = picture.bytes.clone();
    let response = match format {
        Format::Svg => Response::bytes("image/svg+xml", bytes),
        Format::Png => Response::bytes("image/png", bytes),
        Format::Html => Response::bytes("text/html; charset=utf-8", bytes),
    };
    let mut response = response.with(CACHE_CONTROL, KEEP)?;
    if let Some(policy) = &picture.policy {
        response = response.with(CONTENT_SECURITY_POLICY, policy)?;
    }
    if !picture.warnings.is_empty() {
        response = response.with(warnings::HEADER, &warnings::listed(&picture.warnings))?;
    }
    if !download {
        return Ok(response);
    }
    response.with(CONTENT_DISPOSITION, &disposition(title, format.suffix()))
}

/// The header that makes an answer a file named like the document (RFC 6266, with the plain name for
/// old clients and the exact one beside it).
fn disposition(title: &str, suffix: &str) -> String {
    let title = if title.trim().is_empty() { "chart" } else { title.trim() };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -_()".contains(letter);
    let plain: String = title.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
    let exact = utf8_percent_encode(title, NON_ALPHANUMERIC);
    format!("attachment; filename=\"{plain}.{suffix}\"; filename*=UTF-8''{exact}.{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_like_the_document() {
        assert_eq!(
            disposition("Sales \"Größe\"\r\n", "svg"),
            "attachment; filename=\"Sales _Gr__e_.svg\"; \
             filename*=UTF-8''Sales%20%22Gr%C3%B6%C3%9Fe%22.svg"
        );
        assert!(disposition(" ", "png").contains("\"chart.png\""));
    }
}
