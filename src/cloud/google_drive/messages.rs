//! Responses of the API of Google Drive, and its errors.

use chartroom_platform::remote::RemoteResponse;
use serde::Deserialize;
use serde_json::Value;

use super::super::error::CloudError;
use super::super::error::NOT_A_FOLDER;
use super::file_ref::FileRef;
use crate::error::CloudResult;

/// Media type of folders.
pub(super) const FOLDER: &str = "application/vnd.google-apps.folder";
/// Media type of native spreadsheets.
const SPREADSHEET: &str = "application/vnd.google-apps.spreadsheet";
/// Media type of shortcuts.
const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// Begin of the media types of files without content.
const NATIVE_PREFIX: &str = "application/vnd.google-apps.";
/// Media type of spreadsheets in the format of Excel.
pub(super) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Media types that the reader of tables can read. JSON is missing, because documents of Chartroom have
/// its type.
const TABLE_TYPES: [&str; 7] = [
    XLSX,
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "application/vnd.oasis.opendocument.spreadsheet",
    "text/csv",
    "text/tab-separated-values",
];

/// Response of `about`.
#[derive(Deserialize)]
pub(super) struct About {
    pub(super) user: User,
}

/// A user.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    pub(super) permission_id: String,
    /// Empty if the user hides it.
    #[serde(default)]
    pub(super) email_address: String,
}

/// A page of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileList {
    pub(super) files: Vec<DriveFile>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

/// A file, folder or shortcut of version 3. Fields that a request does not select have their defaults.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DriveFile {
    pub(super) id: String,
    pub(super) name: String,
    mime_type: String,
    /// Size in bytes in decimal.
    size: Option<String>,
    pub(super) modified_time: Option<String>,
    version: Option<String>,
    head_revision_id: Option<String>,
    parents: Vec<String>,
    pub(super) trashed: bool,
    resource_key: Option<String>,
    pub(super) sha256_checksum: Option<String>,
    pub(super) shortcut_details: Option<ShortcutDetails>,
}

/// Target of a shortcut.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ShortcutDetails {
    target_id: String,
    target_mime_type: String,
    target_resource_key: Option<String>,
}

/// A file of version 2.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LegacyFile {
    id: String,
    title: String,
    /// Entity tag with its quotes.
    pub(super) etag: Option<String>,
    mime_type: String,
    file_size: Option<String>,
    modified_date: Option<String>,
    version: Option<String>,
    head_revision_id: Option<String>,
    parents: Vec<LegacyParent>,
    labels: Labels,
    resource_key: Option<String>,
    shortcut_details: Option<ShortcutDetails>,
}

/// A parent of a file of version 2.
#[derive(Deserialize)]
struct LegacyParent {
    id: String,
}

/// Labels of a file of version 2.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Labels {
    trashed: bool,
}

impl LegacyFile {
    /// Converts the file to one of version 3.
    pub(super) fn into_file(self) -> DriveFile {
        DriveFile {
            id: self.id,
            name: self.title,
            mime_type: self.mime_type,
            size: self.file_size,
            modified_time: self.modified_date,
            version: self.version,
            head_revision_id: self.head_revision_id,
            parents: self.parents.into_iter().map(|parent| parent.id).collect(),
            trashed: self.labels.trashed,
            resource_key: self.resource_key,
            sha256_checksum: None,
            shortcut_details: self.shortcut_details,
        }
    }
}

/// Type of a file without content of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NativeType {
    Folder,
    Spreadsheet,
    /// A document, presentation, form, or an unknown type.
    Other,
}

impl DriveFile {
    /// Returns a folder of which only the id is known.
    pub(super) fn folder_with_id(id: &str) -> Self {
        Self { id: id.to_owned(), mime_type: FOLDER.to_owned(), ..Self::default() }
    }

    /// Returns the reference to this file.
    pub(super) fn as_ref(&self) -> FileRef<'_> {
        FileRef { id: &self.id, key: self.resource_key.as_deref() }
    }

    /// Sets the resource key of the request if the response has none.
    pub(super) fn set_key(&mut self, key: Option<&str>) {
        if self.resource_key.is_none() {
            self.resource_key = key.map(str::to_owned);
        }
    }

    /// Returns the reference to the target of a shortcut. None for other files.
    ///
    /// # Errors
    /// `NotFound` for a shortcut without target.
    pub(super) fn target(&self) -> CloudResult<Option<FileRef<'_>>> {
        match &self.shortcut_details {
            Some(details) if details.target_id.is_empty() => Err(CloudError::NotFound),
            Some(details) => Ok(Some(FileRef {
                id: &details.target_id,
                key: details.target_resource_key.as_deref(),
            })),
            None if self.mime_type == SHORTCUT => Err(CloudError::NotFound),
            None => Ok(None),
        }
    }

    /// Returns the media type; for a shortcut that of its target.
    pub(super) fn media_type(&self) -> &str {
        self.shortcut_details.as_ref().map_or(&self.mime_type, |details| &details.target_mime_type)
    }

    /// Returns the native type; for a shortcut that of its target. None for files with content.
    pub(super) fn native_type(&self) -> Option<NativeType> {
        match self.media_type() {
            FOLDER => Some(NativeType::Folder),
            SPREADSHEET => Some(NativeType::Spreadsheet),
            other => other.starts_with(NATIVE_PREFIX).then_some(NativeType::Other),
        }
    }

    /// Returns whether this is a folder or a shortcut to a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.native_type() == Some(NativeType::Folder)
    }

    /// Returns the id of the content. Native spreadsheets have none, so that the number of the last change
    /// of any kind takes its place.
    pub(super) fn revision(&self) -> Option<String> {
        let revision = self.head_revision_id.as_ref().or(self.version.as_ref());
        revision.filter(|revision| !revision.is_empty()).cloned()
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.size.as_deref().and_then(|size| size.parse().ok())
    }

    /// Returns the id of the folder that contains it.
    pub(super) fn parent(&self) -> Option<&str> {
        self.parents.first().map(String::as_str).filter(|id| !id.is_empty())
    }
}

/// Returns whether a media type is that of a table.
pub(super) fn is_table_type(media_type: &str) -> bool {
    TABLE_TYPES.iter().any(|known| known.eq_ignore_ascii_case(media_type))
}

/// Returns the media type for the name of a new file.
pub(super) fn media_type_of(name: &str) -> &'static str {
    match name.to_ascii_lowercase().ends_with(".json") {
        true => "application/json",
        false => "application/octet-stream",
    }
}

/// Converts an error of Google Drive.
pub(super) fn classify(response: &RemoteResponse) -> CloudError {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let reason = text("/error/errors/0/reason");
    let has_small_scope = text("/error/details/0/reason") == "ACCESS_TOKEN_SCOPE_INSUFFICIENT";
    match (response.status, reason) {
        (401, _) => CloudError::Unauthorized,
        (400..=410, _) if text("/error/errors/0/location") == "pageToken" => {
            CloudError::CursorExpired
        }
        (403, "insufficientPermissions") => CloudError::MissingScope,
        (403, _) if has_small_scope => CloudError::MissingScope,
        (429 | 503, _)
        | (
            403,
            "rateLimitExceeded"
            | "userRateLimitExceeded"
            | "dailyLimitExceeded"
            | "downloadQuotaExceeded",
        ) => CloudError::Busy { retry_after: response.retry_after() },
        (
            403,
            "storageQuotaExceeded"
            | "quotaExceeded"
            | "activeItemCreationLimitExceeded"
            | "numChildrenInNonRootLimitExceeded"
            | "teamDriveFileLimitExceeded",
        ) => CloudError::Full,
        (413, _) | (403, "exportSizeLimitExceeded" | "uploadTooLarge") => CloudError::TooLarge,
        (403, "fileNotDownloadable" | "fileNotExportable") => {
            CloudError::WrongType("this file has no content to download")
        }
        (403, "parentNotAFolder") => NOT_A_FOLDER,
        // The administrator of this server must enable the API in the console of Google.
        (403, "accessNotConfigured") => CloudError::rejected(403, reason),
        (403, _) => CloudError::Forbidden,
        (404, _) => CloudError::NotFound,
        (412, _) => CloudError::RevisionConflict,
        (423, _) => CloudError::Locked,
        (status, reason) => CloudError::rejected(status, reason),
    }
}

/// Converts an error of a request that creates an entry. A server error is final, because the request can
/// have created the entry, and a second one would create another with the same name.
pub(super) fn classify_creation(response: &RemoteResponse) -> CloudError {
    match classify(response) {
        CloudError::Busy { .. } if response.status >= 500 => {
            CloudError::rejected(response.status, "")
        }
        error => error,
    }
}
