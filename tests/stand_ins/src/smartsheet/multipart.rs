//! Bodies of type `multipart/form-data`.

use percent_encoding::percent_decode_str;

/// A file in a body.
pub(super) struct FilePart<'a> {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) content: &'a [u8],
}

/// Returns the boundary in a content type.
pub(super) fn find_boundary(content_type: &str) -> Option<String> {
    let parameters = content_type.strip_prefix("multipart/form-data")?;
    let boundary = parameters.split(';').find_map(|text| text.trim().strip_prefix("boundary="))?;
    Some(boundary.trim_matches('"').to_owned())
}

/// Returns the URL-decoded name of the file in a `Content-Disposition`.
pub(super) fn file_name(disposition: &str) -> Option<String> {
    let (_, name) = disposition.split_once("filename=\"")?;
    let (name, _) = name.split_once('"')?;
    Some(percent_decode_str(name).decode_utf8_lossy().into_owned())
}

/// Returns the first part with the name of a file.
pub(super) fn find_file<'a>(body: &'a [u8], boundary: &str) -> Option<FilePart<'a>> {
    let delimiter = format!("--{boundary}");
    let mut rest = split_at(body, delimiter.as_bytes())?.1;
    let end = format!("\r\n{delimiter}");
    loop {
        let (part, next) = split_at(rest, end.as_bytes())?;
        let (head, content) = split_at(part, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(head);
        if let Some(name) = file_name(&head) {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            let mut types = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            let media_type =
                types.next().map_or("application/octet-stream", |(_, value)| value.trim());
            return Some(FilePart { name, media_type: media_type.to_owned(), content });
        }
        rest = next;
    }
}

/// Returns the bytes before and after the first occurrence of a separator.
fn split_at<'a>(bytes: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let start = bytes.windows(separator.len()).position(|window| window == separator)?;
    Some((bytes.get(..start)?, bytes.get(start + separator.len()..)?))
}
