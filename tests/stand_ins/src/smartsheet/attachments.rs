//! Requests about attachments of sheets, and their downloads.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use serde_json::json;

use super::model::Attachment;
use super::model::Sheets;
use super::multipart;
use super::responses::error;
use super::responses::index_page;
use super::responses::method_not_supported;
use super::responses::not_found;
use super::responses::success;
use crate::http::Request;
use crate::http::Response;

/// Handles `/sheets/{sheet}/attachments`. `parts` are the segments after it.
pub(super) fn respond(
    sheets: &mut Sheets,
    request: &Request,
    (sheet, parts): (u64, &[&str]),
    page_size: usize,
) -> Response {
    let Some((id, rest)) = parts.split_first() else {
        return match request.method.as_str() {
            "GET" => list(sheets, request, sheet, page_size),
            "POST" => upload(sheets, request, sheet, None),
            _ => method_not_supported(),
        };
    };
    let Some(found) = sheets.find_attachment(sheet, id) else { return not_found() };
    let (id, file) = (found.id, found.file);
    match (request.method.as_str(), rest) {
        ("GET", []) => get(sheets, id),
        // Deletes only this version.
        ("DELETE", []) => {
            sheets.attachments.retain(|version| version.id != id);
            success(Value::Null)
        }
        ("GET", ["versions"]) => {
            let versions = sheets.attachments.iter().rev().filter(|version| version.file == file);
            let versions: Vec<Value> = versions.map(describe).collect();
            index_page(&versions, request, page_size)
        }
        ("POST", ["versions"]) => upload(sheets, request, sheet, Some(file)),
        ("DELETE", ["versions"]) => {
            sheets.attachments.retain(|version| version.file != file);
            success(Value::Null)
        }
        (_, [] | ["versions"]) => method_not_supported(),
        _ => not_found(),
    }
}

/// Returns a version of a file without its content.
fn describe(version: &Attachment) -> Value {
    json!({
        "id": version.id,
        "parentId": version.sheet,
        "parentType": version.parent_kind,
        "attachmentType": version.kind,
        "mimeType": version.media_type,
        "name": version.name,
        "sizeInKb": version.content.len().div_ceil(1024).max(1),
        "createdAt": version.created,
        "createdBy": {"name": "Ann Example", "email": "ann@example.com"},
    })
}

/// Lists the newest versions of the files of a sheet.
fn list(sheets: &Sheets, request: &Request, sheet: u64, page_size: usize) -> Response {
    let versions = &sheets.attachments;
    let is_newest = |index: usize, version: &Attachment| {
        !versions.iter().skip(index + 1).any(|newer| newer.file == version.file)
    };
    let newest = versions.iter().enumerate().filter(|(_, version)| version.sheet == sheet);
    let newest = newest.filter(|(index, version)| is_newest(*index, version));
    let items: Vec<Value> = newest.map(|(_, version)| describe(version)).collect();
    index_page(&items, request, page_size)
}

/// Returns a version of a file with a URL for its content, which is valid once.
fn get(sheets: &mut Sheets, id: u64) -> Response {
    let key = format!("download-{}", sheets.next_id());
    let Some(version) = sheets.attachments.iter().find(|version| version.id == id) else {
        return not_found();
    };
    let mut body = describe(version);
    if version.kind == "FILE" {
        body["url"] = format!("{}/{key}?X-Signature=a%2Fb", sheets.download_url).into();
        body["urlExpiresInMillis"] = 120_000.into();
        sheets.downloads.push((key, id));
    }
    Response::json(200, &body)
}

/// Adds a file, or a version of the file `file`. The body is multipart, or the content itself with
/// `Content-Disposition`, or the JSON of a link.
fn upload(sheets: &mut Sheets, request: &Request, sheet: u64, file: Option<u64>) -> Response {
    if let Some(content) = sheets.version_before_upload.take()
        && let Some(last) = sheets.attachments.last().cloned()
    {
        let description = (last.name.as_str(), last.media_type.as_str());
        sheets.add_version(last.sheet, Some(last.file), description, &content);
    }
    let media_type = request.header("content-type").unwrap_or_default();
    let disposition = request.header("content-disposition");
    let id = if let Some(boundary) = multipart::find_boundary(media_type) {
        let Some(part) = multipart::find_file(&request.body, &boundary) else {
            return error(
                400,
                1008,
                "Unable to parse request. The following error occurred: no file",
            );
        };
        sheets.add_version(sheet, file, (&part.name, &part.media_type), part.content)
    } else if let Some(name) = disposition.and_then(multipart::file_name) {
        sheets.add_version(sheet, file, (&name, media_type), &request.body)
    } else if media_type.starts_with("application/json") && file.is_none() {
        let body = request.json();
        let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
        let id = sheets.add_version(sheet, None, (&text("name"), ""), &[]);
        if let Some(added) = sheets.attachments.last_mut() {
            added.kind = text("attachmentType");
        }
        id
    } else {
        let message = "A required header was missing or invalid: Content-Disposition";
        return error(400, 1011, message);
    };
    let added = sheets.attachments.iter().find(|version| version.id == id);
    success(added.map_or(Value::Null, describe))
}

/// Handles a download. The host belongs to a storage service, which refuses tokens of Smartsheet.
pub(super) fn download(sheets: &mut Sheets, request: &Request) -> Response {
    if request.header("authorization").is_some() {
        return Response::text(400, "InvalidArgument: only one auth mechanism allowed");
    }
    if let Some(fault) = sheets.download_fault.take() {
        return fault;
    }
    let key = request.path.trim_start_matches('/');
    let key = percent_decode_str(key).decode_utf8_lossy();
    let Some(index) = sheets.downloads.iter().position(|(known, _)| *known == key) else {
        return Response::text(403, "AccessDenied: request has expired");
    };
    let (_, id) = sheets.downloads.remove(index);
    match sheets.attachments.iter().find(|version| version.id == id) {
        Some(version) => Response::file(version.content.clone()),
        None => Response::text(404, "NoSuchKey"),
    }
}
