//! Formats of the responses of Dropbox.

use aws_lc_rs::digest;
use aws_lc_rs::digest::SHA256;
use serde_json::Value;
use serde_json::json;

use super::ACCOUNT_ID;
use super::ADDRESS;
use super::paths;
use crate::http::Response;
use crate::tree::Node;
use crate::tree::Tree;

/// Returns the account.
pub(super) fn account() -> Value {
    json!({
        "account_id": ACCOUNT_ID,
        "name": {
            "given_name": "Ada",
            "surname": "Lovelace",
            "familiar_name": "Ada",
            "display_name": "Ada Lovelace",
            "abbreviated_name": "AL",
        },
        "email": ADDRESS,
        "email_verified": true,
        "disabled": false,
        "country": "GB",
        "locale": "en",
        "referral_link": "https://db.tt/AAAA",
        "is_paired": false,
        "account_type": {".tag": "basic"},
        "root_info": {".tag": "user", "root_namespace_id": "3235641", "home_namespace_id": "3235641"},
    })
}

/// Returns the revision of a file. Moves change it too.
pub(super) fn revision(node: &Node) -> String {
    format!("{:015x}", 0x1c0_0000_0000 + node.change)
}

/// Returns the hash of a content: the SHA-256 of the SHA-256 values of its blocks of 4 MiB.
pub(super) fn content_hash(bytes: &[u8]) -> String {
    let mut whole = digest::Context::new(&SHA256);
    for block in bytes.chunks(4 << 20) {
        whole.update(digest::digest(&SHA256, block).as_ref());
    }
    crate::http::to_hex(whole.finish().as_ref())
}

/// Returns whether a file is a sheet of Google, which has no download but an export. Here these are all
/// files with the extension `gsheet`, and their content is that of the export.
pub(super) fn is_native(node: &Node) -> bool {
    node.name.to_lowercase().ends_with(".gsheet")
}

/// Returns the metadata of a file or folder without its type.
pub(super) fn metadata(tree: &Tree, node: &Node) -> Value {
    let path = paths::display_path(tree, node);
    let mut value = json!({
        "name": node.name,
        "path_lower": path.to_lowercase(),
        "path_display": path,
        "id": node.id,
    });
    if let Some(content) = &node.content {
        value["client_modified"] = time(node).into();
        value["server_modified"] = time(node).into();
        value["rev"] = revision(node).into();
        value["size"] = content.len().into();
        value["is_downloadable"] = (!is_native(node)).into();
        value["content_hash"] = content_hash(content).into();
        if is_native(node) {
            value["export_info"] = json!({"export_as": "xlsx", "export_options": ["xlsx", "csv"]});
        }
    }
    value
}

/// Returns the metadata of a file or folder with its type.
pub(super) fn tagged_metadata(tree: &Tree, node: &Node) -> Value {
    let mut value = metadata(tree, node);
    value[".tag"] = if node.content.is_some() { "file" } else { "folder" }.into();
    value
}

/// Returns the metadata of the shared link of a file or folder.
pub(super) fn link_metadata(tree: &Tree, node: &Node) -> Value {
    let mut value = tagged_metadata(tree, node);
    if let Some(fields) = value.as_object_mut() {
        for name in ["path_display", "is_downloadable", "content_hash", "export_info"] {
            fields.remove(name);
        }
    }
    value["url"] = node.link.clone().unwrap_or_default().into();
    value["link_permissions"] = json!({
        "resolved_visibility": {".tag": "public"},
        "can_revoke": true,
        "visibility_policies": [],
        "can_set_expiry": false,
        "can_remove_expiry": false,
        "allow_download": true,
        "can_allow_download": true,
        "can_disallow_download": false,
        "allow_comments": true,
        "team_restricts_comments": false,
    });
    value
}

/// Returns the time of the last change.
fn time(node: &Node) -> String {
    let (minute, second) = (node.change / 60 % 60, node.change % 60);
    let fixed = || format!("2026-01-02T03:{minute:02}:{second:02}Z");
    node.modified.clone().unwrap_or_else(fixed)
}

/// Returns an error with nested tags, such as `path`, `conflict`, `file`.
pub(super) fn error(status: u16, tags: &[&str]) -> Response {
    respond_error(status, tags, nest(tags))
}

/// Returns an error of an upload, where the value of `path` is a struct.
pub(super) fn upload_error(tags: &[&str]) -> Response {
    let error = match tags.split_first() {
        Some((&"path", reason)) => json!({
            ".tag": "path",
            "reason": nest(reason),
            "upload_session_id": "pid_upload_session:AAAA",
        }),
        _ => nest(tags),
    };
    respond_error(409, tags, error)
}

/// Returns the response for an error.
fn respond_error(status: u16, tags: &[&str], error: Value) -> Response {
    let summary = format!("{}/...", tags.join("/"));
    Response::json(status, &json!({"error_summary": summary, "error": error}))
}

/// Returns nested unions. The value of a union is in the field with the name of its tag.
fn nest(tags: &[&str]) -> Value {
    match tags.split_first() {
        None => Value::Null,
        Some((tag, [])) => json!({".tag": tag}),
        Some((tag, rest)) => json!({".tag": tag, *tag: nest(rest)}),
    }
}

/// Returns JSON for a header, where all characters outside of ASCII are escaped.
pub(super) fn header_json(value: &Value) -> String {
    let escape = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte < 0x7f => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    value.to_string().encode_utf16().map(escape).collect()
}
