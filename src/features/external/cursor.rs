//! Cursors of lists of folders: encrypted, so that no client can choose the address of the next page, which
//! would receive a token.

use std::time::Duration;

use serde::Deserialize;
use serde::Serialize;

use crate::features::cloud::Connection;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Time for which a cursor is valid.
const LIFETIME: Duration = Duration::from_hours(24);
/// Maximum length of a cursor in the API in bytes.
const MAX_CURSOR_BYTES: usize = 16 << 10;

/// The position in the list of a folder.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Cursor {
    /// Position at the provider.
    pub position: String,
    /// Id of the folder at the provider.
    pub folder: String,
    /// Name of the folder.
    pub name: String,
    /// Id of the folder that contains it, at the provider.
    pub parent: Option<String>,
    /// Whether the list has files that are no documents.
    pub has_files: bool,
    /// Milliseconds since 1970.
    issued: i64,
}

impl Cursor {
    /// Creates a cursor. `folder`, `name` and `parent` describe the folder.
    pub fn new(position: String, folder: &chartroom_cloud::Folder, has_files: bool) -> Self {
        Self {
            position,
            folder: folder.id.clone(),
            name: folder.name.clone(),
            parent: folder.parent_id.clone(),
            has_files,
            issued: Timestamp::now().0,
        }
    }

    /// Encrypts the cursor for a connection.
    pub fn seal(&self, key: &ServerKey, connection: &Connection) -> Result<String> {
        crypto::seal_json(&cursor_key(key, connection), self)
    }

    /// Decrypts a cursor of a connection.
    ///
    /// # Errors
    /// `InvalidFields` about `cursor` if it was changed, belongs to another connection or has expired.
    pub fn open(key: &ServerKey, connection: &Connection, text: &str) -> Result<Self> {
        let invalid =
            || Error::invalid_field("cursor", "is not valid any more; begin with the folder again");
        if text.len() > MAX_CURSOR_BYTES {
            return Err(invalid());
        }
        let cursor: Self =
            crypto::open_json(&cursor_key(key, connection), text).ok_or_else(invalid)?;
        let end = Timestamp(cursor.issued).saturating_add(LIFETIME);
        if end < Timestamp::now() { Err(invalid()) } else { Ok(cursor) }
    }
}

/// Returns the key that encrypts the cursors of a connection, which belongs to one user.
fn cursor_key(key: &ServerKey, connection: &Connection) -> [u8; 32] {
    key.sign("cloud cursor", connection.id.as_str().as_bytes())
}
