//! Reads versions from the document or from stored bodies.

use super::compression;
use super::content;
use super::content::Version;
use super::store;
use super::store::VersionBody;
use super::store::VersionEntry;
use crate::features::documents::records;
use crate::features::documents::store as documents;
use crate::features::documents::store::Document;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// A version as read from the database. Decode it after the transaction, because that takes long.
pub struct StoredVersion {
    document: Document,
    record_count: i64,
    content: StoredContent,
}

/// Content of a version before decoding.
enum StoredContent {
    /// Records of the document, joined by commas. The version shares the content of the document.
    Records(String),
    /// A body, and the base body that it is compressed against.
    Compressed { body: Vec<u8>, base: Option<Vec<u8>> },
}

/// Reads version `number` of the document `current`, without decoding it: a compressed body with
/// its base body, or else the records of the document. Returns `None` if it does not exist.
pub fn load_version(tx: &Tx<'_>, current: &Document, number: i64) -> Result<Option<StoredVersion>> {
    let Some(entry) = find_entry(tx, current, number)? else { return Ok(None) };
    let mut document = current.clone();
    document.history_version = number;
    document.updated = entry.saved;
    document.updated_by = entry.author.to_string();
    let content = match store::find_content_body(tx, &current.id, number)? {
        None => StoredContent::Records(load_joined_records(tx, current)?),
        Some(VersionBody { bytes, base, .. }) => {
            StoredContent::Compressed { body: bytes, base: load_base_body(tx, current, base)? }
        }
    };
    Ok(Some(StoredVersion { document, record_count: entry.record_count, content }))
}

/// Returns the metadata of version `number` of `current`, or `None` if it does not exist.
///
/// The newest version always exists: if it has no row, its entry is derived from the document.
pub fn find_entry(tx: &Tx<'_>, current: &Document, number: i64) -> Result<Option<VersionEntry>> {
    let found = store::find_version(tx, &current.id, number)?;
    Ok(found
        .or_else(|| (number == current.history_version).then(|| VersionEntry::for_newest(current))))
}

/// Reads the compressed base body of version `base`, if `base` is given. `NotFound` if that version
/// has no body.
fn load_base_body(tx: &Tx<'_>, current: &Document, base: Option<i64>) -> Result<Option<Vec<u8>>> {
    let Some(number) = base else { return Ok(None) };
    Ok(Some(store::find_body(tx, &current.id, number)?.or_not_found("version")?.bytes))
}

/// Reads all stored records of a document as one JSON text, joined by commas and without brackets.
pub fn load_joined_records(tx: &Tx<'_>, document: &Document) -> Result<String> {
    let mut out = Vec::with_capacity(usize::try_from(document.data_bytes).unwrap_or(0));
    documents::read_joined_records(tx, &document.content, &mut out)?;
    String::from_utf8(out).map_err(|error| Error::Internal(Box::new(error)))
}

impl StoredVersion {
    /// Returns the number of the version.
    pub fn number(&self) -> i64 {
        self.document.history_version
    }

    /// Decompresses and parses the version. Its document has the content of the version, and the
    /// owner and folder of the current document.
    ///
    /// # Errors
    /// `Internal` if a body is damaged or has too few records.
    pub fn decode(self) -> Result<Version> {
        match self.content {
            StoredContent::Records(text) => {
                let records = records::first_records(&text, self.record_count)?.to_owned();
                let data_bytes = i64::try_from(records.len()).unwrap_or(i64::MAX);
                let document =
                    Document { record_count: self.record_count, data_bytes, ..self.document };
                Ok(Version { document, records })
            }
            StoredContent::Compressed { body, base } => {
                let base = base.map(|body| compression::decompress(&body, None)).transpose()?;
                content::decode_content_json(
                    &compression::decompress(&body, base.as_deref())?,
                    &self.document,
                    self.record_count,
                )
            }
        }
    }
}
