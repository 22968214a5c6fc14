//! Ids of workspaces, folders, sheets and attachments.

use std::fmt;

use crate::error::CloudError;
use crate::error::CloudResult;
use crate::model::ROOT_FOLDER;

/// An object at Smartsheet. The numbers can exceed 2^53.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
    /// The list of all workspaces.
    Root,
    Workspace(u64),
    Folder(u64),
    Sheet(u64),
    /// A version of a file that is attached to a sheet.
    Attachment {
        sheet: u64,
        attachment: u64,
    },
}

impl Id {
    /// Parses an id of this API.
    ///
    /// # Errors
    /// `NotFound` for a text that is no id.
    pub(super) fn parse(text: &str) -> CloudResult<Self> {
        if text == ROOT_FOLDER {
            return Ok(Self::Root);
        }
        let (kind, rest) = text.split_once(':').ok_or(CloudError::NotFound)?;
        match kind {
            "workspace" => Ok(Self::Workspace(parse_number(rest)?)),
            "folder" => Ok(Self::Folder(parse_number(rest)?)),
            "sheet" => Ok(Self::Sheet(parse_number(rest)?)),
            "attachment" => {
                let (sheet, attachment) = rest.split_once('/').ok_or(CloudError::NotFound)?;
                let (sheet, attachment) = (parse_number(sheet)?, parse_number(attachment)?);
                Ok(Self::Attachment { sheet, attachment })
            }
            _ => Err(CloudError::NotFound),
        }
    }
}

impl fmt::Display for Id {
    /// Writes the id in the form of this API.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str(ROOT_FOLDER),
            Self::Workspace(id) => write!(f, "workspace:{id}"),
            Self::Folder(id) => write!(f, "folder:{id}"),
            Self::Sheet(id) => write!(f, "sheet:{id}"),
            Self::Attachment { sheet, attachment } => write!(f, "attachment:{sheet}/{attachment}"),
        }
    }
}

/// Parses a number without sign.
fn parse_number(text: &str) -> CloudResult<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or(CloudError::NotFound)
}
