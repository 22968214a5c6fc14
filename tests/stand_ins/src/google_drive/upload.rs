//! Uploads of contents: `uploadType=media` and `uploadType=multipart`.

use serde_json::Value;

use super::RouteResult;
use super::errors;
use super::files;
use super::legacy;
use super::nodes;
use crate::State;
use crate::http::Request;
use crate::http::Response;

/// Metadata, content and media type of an upload.
struct Upload {
    metadata: Value,
    content: Vec<u8>,
    media_type: String,
}

/// Calls the route of a path after `/upload`.
///
/// # Errors
/// The response of the error.
pub(super) fn route(state: &mut State, request: &Request, segments: &[&str]) -> RouteResult {
    let upload = read(request);
    match (request.method.as_str(), segments) {
        ("POST", ["drive", "v3", "files"]) => {
            let upload = upload?;
            let media_type = upload.metadata["mimeType"].as_str().unwrap_or(&upload.media_type);
            let content = Some(upload.content.as_slice());
            files::add(state, request, &upload.metadata, content, Some(media_type))
        }
        ("PATCH", ["drive", "v3", "files", id]) => {
            let upload = upload?;
            if nodes::is_native(nodes::find(state, request, id)?) {
                let text = "Content of this type cannot be replaced here.";
                return Err(errors::forbidden("fileNotUploadable", text));
            }
            files::change(state, request, id, &upload.metadata)?;
            state.tree.set_content(id, &upload.content);
            let node = nodes::find(state, request, id)?;
            files::respond_file(&nodes::file(state, node), request)
        }
        ("PUT", ["drive", "v2", "files", id]) => {
            let upload = upload?;
            legacy::update_content(state, request, id, &upload.content, &upload.media_type)
        }
        _ => Err(errors::no_route()),
    }
}

/// Reads the body of an upload.
///
/// # Errors
/// 400 for an unknown type of upload or an invalid body.
fn read(request: &Request) -> Result<Upload, Response> {
    let content_type = request.header("content-type").unwrap_or("application/octet-stream");
    match request.parameter("uploadType") {
        Some("media") => Ok(Upload {
            metadata: Value::Object(serde_json::Map::new()),
            content: request.body.clone(),
            media_type: content_type.to_owned(),
        }),
        Some("multipart") => read_multipart(&request.body, content_type)
            .ok_or_else(|| errors::bad_request("Malformed multipart body.")),
        _ => Err(errors::invalid("badRequest", "uploadType", "Unknown upload type")),
    }
}

/// Reads a body in `multipart/related` with two parts: metadata in JSON, and the content.
fn read_multipart(body: &[u8], content_type: &str) -> Option<Upload> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/related") {
        return None;
    }
    let boundary = parameters.split(';').find_map(|text| text.trim().strip_prefix("boundary="))?;
    let boundary = boundary.trim_matches('"');
    let first = format!("--{boundary}");
    let start = find(body, first.as_bytes())?;
    let parts = body.get(start + first.len()..)?;
    let separator = format!("\n--{boundary}");
    let metadata_end = find(parts, separator.as_bytes())?;
    let rest = parts.get(metadata_end + separator.len()..)?;
    let content_end = find(rest, separator.as_bytes())?;
    if !rest.get(content_end + separator.len()..)?.starts_with(b"--") {
        return None;
    }
    let (metadata_type, metadata) = read_part(parts.get(..metadata_end)?)?;
    let (media_type, content) = read_part(rest.get(..content_end)?)?;
    if !metadata_type.starts_with("application/json") {
        return None;
    }
    Some(Upload {
        metadata: serde_json::from_slice(metadata).ok()?,
        content: content.to_vec(),
        media_type,
    })
}

/// Returns the media type and the content of a part. Lines end with `\r\n` or, as in the requests of the
/// Python client, with `\n`.
fn read_part(part: &[u8]) -> Option<(String, &[u8])> {
    let (end, length) = match (find(part, b"\r\n\r\n"), find(part, b"\n\n")) {
        (Some(long), Some(short)) if short < long => (short, 2),
        (Some(long), _) => (long, 4),
        (None, short) => (short?, 2),
    };
    let head = String::from_utf8_lossy(part.get(..end)?).into_owned();
    let media_type = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
    });
    let content = part.get(end + length..)?;
    let content = match length {
        4 => content.strip_suffix(b"\r").unwrap_or(content),
        _ => content,
    };
    Some((media_type.unwrap_or_else(|| "application/octet-stream".to_owned()), content))
}

/// Returns the position of the first occurrence of a text.
fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}
