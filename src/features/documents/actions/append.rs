//! Appending one record to a document.

use super::DocumentTarget;
use super::content;
use super::find_writable;
use super::first_data;
use super::save;
use crate::features::access::Caller;
use crate::features::documents::history::writer;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::json::RawObject;
use crate::features::documents::records;
use crate::features::documents::records::RecordLimits;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Appends a record, given as the text of a compact JSON object, and records it in the history and
/// the size of the document. Enqueues no thumbnail, except for the case in the next paragraph.
///
/// The first record that is added to a sample keeps the records of the sample, but removes its
/// texts and settings, because they describe no other data. Only this one is saved as a whole.
///
/// The cost does not depend on the size of the document, because only one chunk changes. Only the
/// first record that is added to a document with a shared content copies all its chunks.
///
/// # Errors
/// The errors of [`find_writable`]. `InvalidFields` about a column of the wrong type or too many
/// records, `TooLarge` if the data would be too large, `QuotaExceeded` if the owner may not store
/// so much.
pub fn add_record(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    record: &str,
    limits: RecordLimits,
) -> Result<()> {
    let document = find_writable(tx, caller, target)?;
    if let Some(kind) = portfolio::find_kind(&document.kind) {
        records::check_types(&RawObject::parse(record)?, &kind.columns)?;
    }
    let max_records = i64::try_from(limits.max_records).unwrap_or(i64::MAX);
    if document.record_count >= max_records {
        return Err(Error::invalid_field(
            "data",
            format!("already has the maximum of {max_records} records"),
        ));
    }
    let added =
        i64::try_from(record.len()).unwrap_or(i64::MAX) + i64::from(document.record_count > 0);
    if document.data_bytes + added > i64::try_from(limits.max_bytes).unwrap_or(i64::MAX) {
        return Err(Error::TooLarge(format!(
            "data would be larger than {} bytes",
            limits.max_bytes
        )));
    }
    let mut cleaned = document.clone();
    if first_data::has_text_of_sample(&document)? {
        first_data::remove_texts(tx, &document, &mut cleaned)?;
    }
    if cleaned != document {
        return append_with_changes(tx, caller, target, (&document, cleaned), record);
    }
    content::append_record(tx, &document, record)?;
    let (version, history_bytes) =
        writer::note_appended_record(tx, &document, &caller.author(), target.channel)?;
    store::increment_record_count(tx, &document.id, added, version)?;
    tree::touch(tx, &document.id, &document.owner, &caller.author(), added + history_bytes)
}

/// Stores `new` with the records of `old` and one more, as a save that may start a version and that
/// enqueues the thumbnail. Reads all records, so that `old` should be small.
///
/// # Errors
/// `QuotaExceeded` if the owner may not store so much.
fn append_with_changes(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    (old, new): (&Document, Document),
    record: &str,
) -> Result<()> {
    let mut bodies: Vec<String> =
        store::list_chunks(tx, &old.content)?.into_iter().map(|chunk| chunk.body).collect();
    bodies.push(record.to_owned());
    let data = Records::parse(&format!("[{}]", bodies.join(",")), usize::MAX)?;
    let options = save::save_options(caller, target);
    let plan = writer::plan_save(tx, old, options, &Precompression::InTransaction)?;
    save::save_changes(tx, caller, old, new, Some(&data), plan, false).map(|_| ())
}
