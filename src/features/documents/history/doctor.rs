//! Check of `chartroom doctor` that every version can be decoded.

use super::compression;
use super::content;
use super::store;
use super::store::VersionEntry;
use crate::features::documents::store as documents;
use crate::features::documents::store::Document;
use chartroom_platform::db::Tx;
use chartroom_platform::doctor::CheckResult;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Name of the check in the output of `chartroom doctor`.
pub const CHECK_NAME: &str = "documents.history";

/// Decodes the stored bodies of all versions, and compares the metadata of the newest version with
/// its document. Problems are findings of the result, not errors.
pub fn check_history(tx: &Tx<'_>) -> Result<CheckResult> {
    let mut findings = Vec::new();
    for id in documents::list_document_ids(tx)? {
        let document = documents::find_document(tx, &id)?.or_not_found("document")?;
        check_document(tx, &document, &mut findings)?;
    }
    Ok(CheckResult::from_findings(CHECK_NAME, &findings))
}

/// Appends the problems in the history of one document to `findings`: a wrong newest version,
/// bodies that cannot be decoded, and versions with more records than their content. A document
/// with number 1 and without stored versions has no problem.
fn check_document(tx: &Tx<'_>, document: &Document, findings: &mut Vec<String>) -> Result<()> {
    let mut report = |text: String| findings.push(format!("document {}: {text}", document.id));
    let entries = store::list_versions(tx, &document.id)?;
    match entries.last() {
        // An import program wrote the document without history. Its first change starts the
        // history.
        None if document.history_version == 1 => return Ok(()),
        None => report(format!("version {} does not exist", document.history_version)),
        Some(newest) => {
            if newest.number != document.history_version {
                let (found, expected) = (newest.number, document.history_version);
                report(format!("the newest version is {found}, but the document says {expected}"));
            }
            if newest.has_body || newest.record_count != document.record_count {
                report(format!("version {} differs from the document", newest.number));
            }
        }
    }
    let mut bases = BaseCache::default();
    let mut from = 0;
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.has_body) {
        // The versions before it without a body consist of its first records.
        let max_records =
            entries[from..=index].iter().map(|entry| entry.record_count).max().unwrap_or(0);
        from = index + 1;
        if let Err(error) = bases.check_body(tx, document, entry, max_records) {
            report(format!(
                "version {} cannot be read: {}",
                entry.number,
                error.operator_message()
            ));
        }
    }
    let max_records = entries[from..].iter().map(|entry| entry.record_count).max().unwrap_or(0);
    if max_records > document.record_count {
        report(format!(
            "a version has {max_records} records, but the document has {}",
            document.record_count
        ));
    }
    Ok(())
}

/// Cache of the last base body, because the following bodies are usually compressed against it.
#[derive(Default)]
struct BaseCache {
    /// Version number and decompressed content.
    last: Option<(i64, Vec<u8>)>,
}

impl BaseCache {
    /// Checks that the stored body of a version can be decoded and has at least `min_records`
    /// records. Keeps a base body in the cache. `document` only supplies the id and the other
    /// fields.
    ///
    /// # Errors
    /// If the body or its base body is missing or damaged, or has fewer than `min_records` records.
    fn check_body(
        &mut self,
        tx: &Tx<'_>,
        document: &Document,
        entry: &VersionEntry,
        min_records: i64,
    ) -> Result<()> {
        let body = store::find_body(tx, &document.id, entry.number)?.or_not_found("version")?;
        let text = match body.base {
            None => compression::decompress(&body.bytes, None)?,
            Some(base) => {
                self.load_base(tx, &document.id, base)?;
                compression::decompress(&body.bytes, self.last.as_ref().map(|(_, text)| &text[..]))?
            }
        };
        content::decode_content_json(&text, document, min_records)?;
        if body.base.is_none() {
            self.last = Some((entry.number, text));
        }
        Ok(())
    }

    /// Puts the base body of version `base` into the cache, unless it is there already.
    ///
    /// # Errors
    /// If that version has no base body or it is damaged.
    fn load_base(&mut self, tx: &Tx<'_>, document: &NodeId, base: i64) -> Result<()> {
        if self.last.as_ref().is_some_and(|(number, _)| *number == base) {
            return Ok(());
        }
        let missing = || Error::internal(format!("its base version {base} does not exist"));
        let body = store::find_body(tx, document, base)?.filter(|body| body.base.is_none());
        self.last = Some((base, compression::decompress(&body.ok_or_else(missing)?.bytes, None)?));
        Ok(())
    }
}
