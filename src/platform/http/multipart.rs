//! Request bodies of the type `multipart/form-data` (RFC 7578).

use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;

use super::request::Request;
use crate::error::Error;
use crate::error::Result;

/// Maximum number of parts of a body.
const MAX_PARTS: usize = 20;
/// Maximum length of a boundary in bytes (RFC 2046, section 5.1.1).
const MAX_BOUNDARY_BYTES: usize = 70;
/// Maximum size of the header lines of a part in bytes.
const MAX_PART_HEADER_BYTES: usize = 8 << 10;

/// One field of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPart {
    /// Name of the field.
    pub name: String,
    /// Name of the file without folders. None if the field is not a file.
    pub file_name: Option<String>,
    /// Media type of the content, with its parameters. None if the part does not tell it.
    pub content_type: Option<String>,
    /// Content, which shares the memory of the request body.
    pub content: Bytes,
}

/// Parses the body of a request as a form with files.
///
/// # Errors
/// `UnsupportedMediaType` if the content type is not `multipart/form-data` with a boundary.
/// `InvalidFields` about `body` if the body is not a form with at most 20 parts.
pub fn parse_form(request: &Request) -> Result<Vec<FormPart>> {
    let content_type = request.header(&CONTENT_TYPE).unwrap_or_default();
    let boundary = find_boundary(content_type).ok_or_else(|| {
        Error::UnsupportedMediaType("must be multipart/form-data with a boundary".to_owned())
    })?;
    parse_parts(&request.body, boundary)
        .ok_or_else(|| Error::invalid_field("body", "must be a form with a boundary of its type"))
}

/// Returns the boundary in a content type. None if the type is another one, or the boundary is
/// absent or invalid.
fn find_boundary(content_type: &str) -> Option<&str> {
    let mut parts = content_type.split(';').map(str::trim);
    if !parts.next()?.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parts.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    ((1..=MAX_BOUNDARY_BYTES).contains(&boundary.len()) && boundary.is_ascii()).then_some(boundary)
}

/// Splits a body into its parts. None if it is not valid.
fn parse_parts(body: &Bytes, boundary: &str) -> Option<Vec<FormPart>> {
    let opening = format!("--{boundary}");
    let separator = format!("\r\n{opening}");
    // Text before the first boundary is ignored, as RFC 2046 demands.
    let mut position = match body.starts_with(opening.as_bytes()) {
        true => opening.len(),
        false => find(body, separator.as_bytes(), 0)? + separator.len(),
    };
    let mut parts = Vec::new();
    loop {
        let rest = body.get(position..)?;
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        let line_end = find(body, b"\r\n", position)?;
        let padding = body.get(position..line_end)?;
        let end = find(body, separator.as_bytes(), line_end)?;
        // Without header lines, the part begins with the empty line.
        let header_end = find(body, b"\r\n\r\n", line_end).filter(|found| *found <= end)?;
        if !padding.trim_ascii().is_empty()
            || header_end - line_end > MAX_PART_HEADER_BYTES
            || parts.len() == MAX_PARTS
        {
            return None;
        }
        let header = str::from_utf8(body.get(line_end..header_end)?).ok()?;
        let content = body.slice((header_end + 4).min(end)..end);
        parts.push(parse_part(header, content)?);
        position = end + separator.len();
    }
}

/// Returns the position of `needle` in `text` at or after `from`.
fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|found| from + found)
}

/// Builds a part from its header lines. None without the name of a field.
fn parse_part(header: &str, content: Bytes) -> Option<FormPart> {
    let find_line = |wanted: &str| {
        header.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case(wanted).then_some(value)
        })
    };
    let disposition = find_line("content-disposition")?;
    let content_type = find_line("content-type").map(|text| text.trim().to_owned());
    let name = find_parameter(disposition, "name")?;
    // Some clients send the whole path.
    let file_name = find_parameter(disposition, "filename")
        .map(|path| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned());
    Some(FormPart { name, file_name, content_type, content })
}

/// Returns a parameter of `Content-Disposition`, without quotes and with the escapes of browsers
/// (`%22` for a quote) decoded.
fn find_parameter(disposition: &str, wanted: &str) -> Option<String> {
    let mut rest = disposition.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(';').map_or((after, ""), |(value, next)| (value.trim(), next)),
        };
        if name.trim().trim_start_matches(';').trim().eq_ignore_ascii_case(wanted) {
            let escapes = [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")];
            let unescape = |text: String, (from, to): (&str, &str)| text.replace(from, to);
            return Some(escapes.into_iter().fold(value.to_owned(), unescape));
        }
        rest = next.trim_start().trim_start_matches(';');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Option<Vec<FormPart>> {
        parse_parts(&Bytes::from(body.to_owned()), "xYz")
    }

    fn part(name: &str, file_name: Option<&str>, content: &'static str) -> FormPart {
        let file_name = file_name.map(str::to_owned);
        FormPart { name: name.to_owned(), file_name, content_type: None, content: content.into() }
    }

    #[test]
    fn parts_are_split_at_the_boundary() {
        let body = "preamble\r\n--xYz\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n\
                    a\r\n--xY\r\n--xYz  \r\ncontent-type: image/png\r\nContent-Disposition: \
                    form-data; name=file; filename=\"C:\\a\\my %22logo%22; 1.png\"\r\n\r\n\
                    \r\n\0\r\n\r\n--xYz--\r\nepilogue";
        let expected = vec![
            part("note", None, "a\r\n--xY"),
            FormPart {
                content_type: Some("image/png".to_owned()),
                ..part("file", Some("my \"logo\"; 1.png"), "\r\n\0\r\n")
            },
        ];
        assert_eq!(parse(body), Some(expected));
        assert_eq!(parse("--xYz--"), Some(Vec::new()));
    }

    #[test]
    fn invalid_bodies_are_rejected() {
        let head = "--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
        for body in [
            "",
            "x",
            head,
            &format!("{head}b"),
            &format!("{head}b\r\n--xYz"),
            "--xYz\r\n\r\nb\r\n--xYz--",
            "--xYz\r\nContent-Disposition: form-data\r\n\r\nb\r\n--xYz--",
            "--xYz\r\nContent-Disposition: form-data; name=\"a\r\n\r\nb\r\n--xYz--",
            &format!("{}--xYz--", format!("{head}b\r\n").repeat(21)),
        ] {
            assert_eq!(parse(body), None, "{body}");
        }
        let empty = format!("{head}\r\n--xYz--");
        assert_eq!(parse(&empty), Some(vec![part("a", None, "")]));
    }

    #[test]
    fn the_boundary_comes_from_the_content_type() {
        let check =
            |text: &str, want: Option<&str>| assert_eq!(find_boundary(text), want, "{text}");
        check("multipart/form-data; boundary=xYz", Some("xYz"));
        check("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", Some("a b"));
        check("multipart/form-data", None);
        check("multipart/form-data; boundary=", None);
        check("image/png", None);
    }
}
