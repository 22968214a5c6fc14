//! The forms of responses that several requests share.

use serde::Deserialize;

/// The response to a request that created an object.
#[derive(Deserialize)]
pub(super) struct Created<T> {
    pub(super) result: T,
}

/// A part of a list that continues with `last_key`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenPage<T> {
    pub(super) data: Vec<T>,
    /// Key of the next part. None on the last page.
    #[serde(default)]
    pub(super) last_key: Option<String>,
}

/// A part of a list with numbered pages.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NumberedPage<T> {
    pub(super) data: Vec<T>,
    /// Number of this page, from 1 on.
    pub(super) page_number: u64,
    pub(super) total_pages: u64,
}

/// A workspace, folder or sheet without its content.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    pub(super) id: u64,
    pub(super) name: String,
    /// Type of the entries of a workspace or folder: `folder`, `sheet` and others.
    #[serde(default)]
    pub(super) resource_type: Option<String>,
    #[serde(default)]
    pub(super) modified_at: Option<String>,
    /// URL of the page at Smartsheet.
    #[serde(default)]
    pub(super) permalink: Option<String>,
}

/// A version of a file that is attached to a sheet, a row or a comment, or a link.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment {
    pub(super) id: u64,
    pub(super) name: String,
    /// `FILE`, or the type of a link.
    #[serde(default)]
    pub(super) attachment_type: String,
    /// `SHEET`, `ROW` or `COMMENT`.
    #[serde(default)]
    pub(super) parent_type: String,
    /// Size in units of 1,024 bytes, rounded.
    #[serde(default)]
    pub(super) size_in_kb: u64,
    /// Time of the upload of this version.
    #[serde(default)]
    pub(super) created_at: Option<String>,
    /// URL of the content, which is valid for a short time. Only in the response about one attachment.
    #[serde(default)]
    pub(super) url: Option<String>,
}

/// A workspace, folder or sheet in the path to an object.
#[derive(Deserialize)]
pub(super) struct PathNode {
    #[serde(default)]
    pub(super) id: Option<u64>,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) permalink: Option<String>,
    /// The folder on the path.
    #[serde(default)]
    pub(super) folders: Vec<PathNode>,
    /// The sheet at the end of the path.
    #[serde(default)]
    pub(super) sheets: Vec<PathNode>,
}
