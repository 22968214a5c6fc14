//! Items of Graph: files, folders, packages and shortcuts.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::CloudError;
use crate::error::CloudResult;
use crate::error::NOT_A_FILE;
use crate::model::Entry;
use crate::model::EntryKind;
use crate::model::StoredFile;
use crate::model::has_table_extension;

/// Properties to request: the fields of [`Item`].
pub(super) const SELECT: &str = "id,name,size,cTag,eTag,lastModifiedDateTime,file,folder,package,root,\
parentReference,remoteItem";

/// Media types that the reader of tables can read.
const TABLE_TYPES: [&str; 8] = [
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/csv",
    "text/csv",
    "text/tab-separated-values",
];

/// An item of a drive. A property that an item lacks is absent or null.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    id: Option<String>,
    pub name: Option<String>,
    size: Option<u64>,
    /// Tag of the content. Files only.
    pub c_tag: Option<String>,
    /// Tag of content and properties.
    pub e_tag: Option<String>,
    last_modified_date_time: Option<String>,
    file: Option<FileFacet>,
    folder: Option<IgnoredAny>,
    /// Present for items such as notebooks, which are neither files nor folders for this API.
    package: Option<IgnoredAny>,
    /// Present for the root folder of a drive.
    root: Option<IgnoredAny>,
    parent_reference: Option<ParentReference>,
    /// Item in another drive, if this item is a shortcut to it.
    remote_item: Option<Box<Item>>,
}

/// Properties that only files have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileFacet {
    mime_type: Option<String>,
}

/// Drive and folder of an item.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParentReference {
    drive_id: Option<String>,
    /// Id of the folder. None for the root folder.
    id: Option<String>,
    /// Path of the folder, which ends with `root:` for the root folder.
    path: Option<String>,
}

impl Item {
    /// Returns the type. None for packages and items with unknown types.
    pub(super) fn kind(&self) -> Option<EntryKind> {
        match (&self.package, &self.folder, &self.file) {
            (None, Some(_), _) => Some(EntryKind::Folder),
            (None, None, Some(_)) => Some(EntryKind::File),
            _ => None,
        }
    }

    /// Returns whether this is the root folder of a drive.
    pub(super) fn is_root(&self) -> bool {
        self.root.is_some()
    }

    /// Returns whether the root folder of the drive may contain this item.
    pub(super) fn is_in_root(&self) -> bool {
        let parent = self.parent_reference.as_ref();
        parent.is_some_and(|parent| parent.path.as_ref().is_none_or(|path| path.ends_with("root:")))
    }

    /// Returns the id in this API.
    ///
    /// # Errors
    /// `Unreadable` if the item has no id or no drive.
    pub(super) fn full_id(&self) -> CloudResult<String> {
        self.find_full_id().ok_or(CloudError::Unreadable)
    }

    /// Returns the id in this API. None if the item has no id or no drive.
    fn find_full_id(&self) -> Option<String> {
        let drive = self.parent_reference.as_ref()?.drive_id.as_ref()?;
        Some(format!("{drive}/{}", self.id.as_ref()?))
    }

    /// Returns the id of the folder that contains this item in this API.
    pub(super) fn parent_id(&self) -> Option<String> {
        let parent = self.parent_reference.as_ref()?;
        Some(format!("{}/{}", parent.drive_id.as_ref()?, parent.id.as_ref()?))
    }

    /// Converts an item of a list. The target replaces a shortcut, because shortcuts have no content.
    /// Returns None for items that are neither folders nor files, and for those without an id.
    pub(super) fn into_entry(self) -> Option<Entry> {
        let name = self.name.clone()?;
        let item = match self.remote_item {
            Some(remote) => *remote,
            None => self,
        };
        let kind = item.kind()?;
        let id = item.find_full_id()?;
        let is_file = kind == EntryKind::File;
        let has_table_type = || {
            let media_type = item.file.as_ref().and_then(|file| file.mime_type.as_deref());
            let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
            TABLE_TYPES.contains(&media_type.as_str())
        };
        let is_spreadsheet = is_file && (has_table_extension(&name) || has_table_type());
        Some(Entry {
            kind,
            id,
            is_spreadsheet,
            name,
            size: item.size.filter(|_| is_file),
            modified: item.last_modified_date_time,
            revision: item.c_tag.filter(|_| is_file),
        })
    }

    /// Converts a file.
    ///
    /// # Errors
    /// `WrongType` for other items. `Unreadable` without id, name or `cTag`.
    pub(super) fn into_file(self) -> CloudResult<StoredFile> {
        if self.kind() != Some(EntryKind::File) {
            return Err(NOT_A_FILE);
        }
        Ok(StoredFile {
            id: self.full_id()?,
            folder_id: self.parent_id(),
            name: self.name.ok_or(CloudError::Unreadable)?,
            revision: self.c_tag.ok_or(CloudError::Unreadable)?,
            size: self.size.unwrap_or_default(),
            modified: self.last_modified_date_time,
        })
    }
}
