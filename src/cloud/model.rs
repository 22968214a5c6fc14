//! Accounts, folders and files as all providers have them.
//!
//! Ids are those of the provider as text. OneDrive has ids that are unique only within a drive, so that
//! its ids are the id of the drive, `/` and the id of the item.

use chartroom_platform::remote::RemoteBody;

/// Id of the root folder in this API. The modules of the providers translate it.
pub const ROOT_FOLDER: &str = "root";

/// An account at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Stable id at the provider.
    pub key: String,
    /// Email address.
    pub address: String,
}

/// Type of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
}

/// A file or folder in the list of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    pub id: String,
    pub name: String,
    /// Size in bytes. None for folders and where the provider has none.
    pub size: Option<u64>,
    /// Time of the last change in RFC 3339. None where the provider has none.
    pub modified: Option<String>,
    /// Revision as in [`StoredFile`]. None for folders.
    pub revision: Option<String>,
    /// Whether the reader of tables can read it: by the extension `xlsx`, `xlsm`, `xlsb`, `xls`, `ods`,
    /// `csv`, `tsv` or `json` (but not `.chart.json`) in any case, or by the type at the provider.
    pub is_spreadsheet: bool,
}

/// A part of the list of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub entries: Vec<Entry>,
    /// Text that [`super::Session::list_folder`] takes to continue. None on the last page.
    pub cursor: Option<String>,
}

/// A folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Id; [`ROOT_FOLDER`] for the root.
    pub id: String,
    /// Name. Empty for the root.
    pub name: String,
    /// Id of the folder that contains it. None for the root and for folders without a visible parent.
    pub parent_id: Option<String>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub id: String,
    pub name: String,
    /// Text that changes with the content: the `rev` of Dropbox, the `etag` of Box, the `headRevisionId`
    /// of Google Drive, the `cTag` of OneDrive, the id of the newest version at Smartsheet.
    pub revision: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change in RFC 3339.
    pub modified: Option<String>,
    /// Id of the folder that contains it.
    pub folder_id: Option<String>,
}

/// A spreadsheet that was downloaded as a source of data.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub bytes: RemoteBody,
    /// Media type of `bytes`. None lets the reader decide by the content.
    pub media_type: Option<String>,
    /// Text that changes with the content, for the next download. None if the provider has none.
    pub revision: Option<String>,
    /// Whether the provider numbers the worksheets of the file again at each download, so that their ids in
    /// the file lead to others after one was moved.
    pub renumbers_sheets: bool,
    /// Id and name of the only worksheet, if the provider knows them better than the file.
    pub sheet: Option<(String, String)>,
    /// Whether the provider defines the titles of the columns.
    pub has_fixed_headers: bool,
}

/// Result of a download of a source.
#[derive(Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The file still has the given revision.
    NotModified,
    /// The file.
    File(SourceFile),
}

/// Returns whether the extension of a name is that of a table.
pub(crate) fn has_table_extension(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let extensions = [".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv", ".json"];
    !name.ends_with(".chart.json") && extensions.iter().any(|end| name.ends_with(end))
}
