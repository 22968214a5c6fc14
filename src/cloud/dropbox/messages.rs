//! Formats of requests, responses and errors of Dropbox.

use std::fmt::Write;

use chartroom_platform::crypto;
use chartroom_platform::remote::RemoteResponse;
use serde::Deserialize;
use serde_json::Value;

use crate::error::CloudError;
use crate::error::CloudResult;
use crate::error::NOT_A_FILE;
use crate::error::NOT_A_FOLDER;

/// The error for a file that only has exports.
pub(super) const NO_DOWNLOAD: CloudError =
    CloudError::WrongType("Dropbox has no download for this file");

/// Size of the blocks of [`content_hash`] in bytes.
const HASH_BLOCK_BYTES: usize = 4 << 20;
/// Maximum depth of nested errors. Those of Dropbox have three levels.
const MAX_ERROR_DEPTH: usize = 6;

/// Result of `users/get_current_account`.
#[derive(Deserialize)]
pub(super) struct AccountResult {
    pub(super) account_id: String,
    pub(super) email: String,
}

/// Result of `files/list_folder`.
#[derive(Deserialize)]
pub(super) struct ListResult {
    pub(super) entries: Vec<Metadata>,
    pub(super) cursor: String,
    pub(super) has_more: bool,
}

/// Result of the routes that create, move and delete.
#[derive(Deserialize)]
pub(super) struct WriteResult {
    pub(super) metadata: Metadata,
}

/// Metadata of a file, a folder or a deleted entry.
#[derive(Deserialize)]
pub(super) struct Metadata {
    /// Type: `file`, `folder` or `deleted`. None in the results of routes for one type.
    #[serde(default, rename = ".tag")]
    pub(super) tag: Option<String>,
    /// Id. None for a deleted entry and for the file of a shared link of another account.
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// Path in lower case. None for objects that are not in the tree of the account.
    #[serde(default)]
    pub(super) path_lower: Option<String>,
    /// Path for people. Only the case of the last segment is certain.
    #[serde(default)]
    pub(super) path_display: Option<String>,
    /// Revision. None for a folder.
    #[serde(default)]
    pub(super) rev: Option<String>,
    /// Size in bytes. None for a folder.
    #[serde(default)]
    pub(super) size: Option<u64>,
    /// Time of the last change at Dropbox in RFC 3339. None for a folder.
    #[serde(default)]
    pub(super) server_modified: Option<String>,
    /// See [`content_hash`]. None for a folder.
    #[serde(default)]
    pub(super) content_hash: Option<String>,
    /// False for documents of other programs, such as sheets of Google, that only have exports.
    #[serde(default = "default_true")]
    pub(super) is_downloadable: bool,
    /// Exports. None for files without one.
    #[serde(default)]
    export_info: Option<ExportInfo>,
}

/// The exports of a file.
#[derive(Deserialize)]
struct ExportInfo {
    /// Default format, such as `xlsx`.
    #[serde(default)]
    export_as: Option<String>,
    /// All formats.
    #[serde(default)]
    export_options: Option<Vec<String>>,
}

/// Result of `files/export`.
#[derive(Deserialize)]
pub(super) struct ExportResult {
    pub(super) export_metadata: ExportMetadata,
}

/// Metadata of an export.
#[derive(Deserialize)]
pub(super) struct ExportMetadata {
    /// Size of the export in bytes.
    pub(super) size: u64,
    /// Hash of the export. Dropbox does not always send it.
    #[serde(default)]
    pub(super) export_hash: Option<String>,
}

impl Metadata {
    /// Returns whether the file is a document of another program with an export as xlsx.
    pub(super) fn has_sheet_export(&self) -> bool {
        let Some(info) = self.export_info.as_ref().filter(|_| !self.is_downloadable) else {
            return false;
        };
        info.export_as.iter().chain(info.export_options.iter().flatten()).any(|own| own == "xlsx")
    }

    /// Returns the path. `NotFound` for an object that is not in the tree of the account.
    pub(super) fn into_path(self) -> CloudResult<String> {
        let path = self.path_display.or(self.path_lower);
        path.filter(|path| path.starts_with('/')).ok_or(CloudError::NotFound)
    }
}

/// Returns true, the default of `is_downloadable`.
fn default_true() -> bool {
    true
}

/// The form of an error.
#[derive(Deserialize)]
struct ErrorResult {
    error: Value,
}

/// Returns whether a text has the form of a revision. Dropbox rejects others as a wrong argument.
pub(super) fn is_revision(text: &str) -> bool {
    (9..=100).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the hash of a content: the hexadecimal SHA-256 of the SHA-256 values of its blocks of 4 MiB.
pub(super) fn content_hash(bytes: &[u8]) -> String {
    let blocks: Vec<u8> = bytes.chunks(HASH_BLOCK_BYTES).flat_map(crypto::sha256).collect();
    crypto::to_hex(&crypto::sha256(&blocks))
}

/// Returns a value as JSON for a header, where characters outside of ASCII and DEL are escaped.
pub(super) fn encode_header(value: &Value) -> String {
    let text = value.to_string();
    let mut header = String::with_capacity(text.len());
    for character in text.chars() {
        if character <= '\u{7e}' {
            header.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(header, "\\u{unit:04x}");
            }
        }
    }
    header
}

/// Converts a response with a status of 400 or more.
pub(super) fn classify(response: &RemoteResponse) -> CloudError {
    let error: Option<ErrorResult> = serde_json::from_slice(&response.body).ok();
    let error = error.map_or(Value::Null, |result| result.error);
    let tags = find_tags(&error);
    let code = tags.join("/");
    match (response.status, tags.first().copied()) {
        (400, _) => classify_text(&response.body),
        (401, Some("missing_scope")) => CloudError::MissingScope,
        (401, Some("route_access_denied")) | (403, _) => CloudError::Forbidden,
        (401, _) => CloudError::Unauthorized,
        (429 | 503, _) => {
            let in_body = error.get("retry_after").and_then(Value::as_u64);
            CloudError::Busy { retry_after: response.retry_after().or(in_body) }
        }
        (status @ (404 | 409), _) => tags
            .iter()
            .find_map(|tag| classify_tag(tag))
            .unwrap_or_else(|| CloudError::rejected(status, &code)),
        (status, _) => CloudError::rejected(status, &code),
    }
}

/// Converts an error in plain text. Dropbox sends one for a malformed token, and if the registration of
/// the app lacks a scope.
fn classify_text(body: &[u8]) -> CloudError {
    let text = String::from_utf8_lossy(body);
    if text.contains("required scope") {
        CloudError::MissingScope
    } else if text.contains("OAuth 2 access token") {
        CloudError::Unauthorized
    } else {
        CloudError::rejected(400, "")
    }
}

/// Converts a tag of an error of a route. None for tags that mean nothing more specific.
fn classify_tag(tag: &str) -> Option<CloudError> {
    Some(match tag {
        "not_found" | "shared_link_not_found" => CloudError::NotFound,
        "conflict" => CloudError::NameConflict,
        "reset" => CloudError::CursorExpired,
        "locked" => CloudError::Locked,
        "payload_too_large" => CloudError::TooLarge,
        "not_file" => NOT_A_FILE,
        "not_folder" => NOT_A_FOLDER,
        "shared_link_is_directory" => CloudError::WrongType("the link leads to a folder"),
        "unsupported_link_type" => CloudError::WrongType("Dropbox has no download for this link"),
        "unsupported_file"
        | "unsupported_content_type"
        | "non_exportable"
        | "invalid_export_format" => NO_DOWNLOAD,
        "too_many_write_operations" | "retry_error" => CloudError::Busy { retry_after: None },
        "insufficient_space"
        | "insufficient_quota"
        | "team_folder_insufficient_space"
        | "member_folder_insufficient_space"
        | "team_folder_insufficient_quota"
        | "member_folder_insufficient_quota" => CloudError::Full,
        "no_write_permission"
        | "access_restricted"
        | "restricted_content"
        | "team_folder"
        | "operation_suppressed"
        | "shared_link_access_denied" => CloudError::Forbidden,
        _ => return None,
    })
}

/// Returns the tags of an error from the outside to the inside, such as `path`, `conflict`, `file`. The
/// value of a tag is in a field with its name, and in `reason` for uploads.
fn find_tags(error: &Value) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut inner = Some(error);
    while let Some(error) = inner.filter(|_| tags.len() < MAX_ERROR_DEPTH) {
        let Some(tag) = error.get(".tag").and_then(Value::as_str) else { break };
        tags.push(tag);
        inner = error.get(tag).or_else(|| error.get("reason"));
    }
    tags
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_are_ascii() {
        let text = encode_header(&json!({"path": "/ä \"q\" \\ 📈\u{7f}"}));
        assert_eq!(text, r#"{"path":"/\u00e4 \"q\" \\ \ud83d\udcc8\u007f"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["path"], "/ä \"q\" \\ 📈\u{7f}");
    }

    #[test]
    fn tags_of_nested_errors_are_found() {
        let upload = json!({
            ".tag": "path",
            "reason": {".tag": "conflict", "conflict": {".tag": "file"}},
        });
        assert_eq!(find_tags(&upload), ["path", "conflict", "file"]);
        assert!(find_tags(&json!(["path"])).is_empty());
        let mut endless = json!({});
        for _ in 0..20 {
            endless = json!({".tag": "path", "path": endless});
        }
        assert_eq!(find_tags(&endless).len(), MAX_ERROR_DEPTH);
    }

    #[test]
    fn content_hash_has_blocks() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(content_hash(b""), empty);
        let bytes = vec![7; HASH_BLOCK_BYTES + 1];
        let blocks = [crypto::sha256(&bytes[..HASH_BLOCK_BYTES]), crypto::sha256(&[7])].concat();
        let wanted: String =
            crypto::sha256(&blocks).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(content_hash(&bytes), wanted);
    }
}
