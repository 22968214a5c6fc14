//! Changes of the records of a document, which copies may share.
//!
//! Before the records change while other documents have the same content, the document gets a
//! content of its own (copy on write).

use crate::features::documents::records;
use crate::features::documents::records::Chunk;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::store::LastChunk;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::ContentId;

/// Appends a record, given as compact JSON, to the last chunk of a document, or as a new chunk if
/// it does not fit. If other documents share its content, the document first gets a copy of all
/// chunks as its own content. Does not change the record count or the size of the document.
pub(super) fn append_record(tx: &WriteTx<'_>, document: &Document, record: &str) -> Result<()> {
    let mut content = document.content.clone();
    if store::is_content_shared(tx, document)? {
        content = ContentId::new();
        store::copy_chunks(tx, &document.content, &content)?;
        store::set_content(tx, &document.id, &content)?;
    }
    match store::find_last_chunk(tx, &content)? {
        Some(LastChunk { first, bytes })
            if records::fits_in_chunk(
                usize::try_from(bytes).unwrap_or(usize::MAX / 2),
                record.len(),
            ) =>
        {
            store::append_to_chunk(tx, &content, first, record)
        }
        _ => {
            let chunk = Chunk { first: document.record_count, count: 1, body: record.to_owned() };
            store::insert_chunk(tx, &content, &chunk)
        }
    }
}

/// Loads the stored chunks of `old`. Returns `None` if their records equal `data`, even if these
/// are split into other chunks.
pub(super) fn load_chunks_if_changed(
    tx: &Tx<'_>,
    old: &Document,
    data: &Records,
) -> Result<Option<Vec<Chunk>>> {
    let old_chunks = store::list_chunks(tx, &old.content)?;
    let is_same = old.record_count == data.count
        && old.data_bytes == data.bytes
        && have_same_text(&old_chunks, &data.chunks);
    Ok((!is_same).then_some(old_chunks))
}

/// Replaces the stored chunks from the first chunk that differs from `data` on. If other documents
/// share them, writes all of `data` as a new content of the document instead. `old_chunks` are the
/// stored chunks of `old`. Does not change the record count or the size of the document.
pub(super) fn write_changed_chunks(
    tx: &WriteTx<'_>,
    old: &Document,
    old_chunks: &[Chunk],
    data: &Records,
) -> Result<()> {
    if store::is_content_shared(tx, old)? {
        let content = ContentId::new();
        store::set_content(tx, &old.id, &content)?;
        return data.chunks.iter().try_for_each(|chunk| store::insert_chunk(tx, &content, chunk));
    }
    let equal =
        old_chunks.iter().zip(&data.chunks).take_while(|(stored, new)| stored == new).count();
    let first = data.chunks[..equal].last().map_or(0, |chunk| chunk.first + chunk.count);
    store::delete_chunks_from(tx, &old.content, first)?;
    data.chunks[equal..].iter().try_for_each(|chunk| store::insert_chunk(tx, &old.content, chunk))
}

/// Returns true if two lists of chunks contain the same records, even if split differently.
pub(super) fn have_same_text(first: &[Chunk], second: &[Chunk]) -> bool {
    let join_bodies = |chunks: &[Chunk]| {
        let bodies: Vec<&str> = chunks.iter().map(|chunk| chunk.body.as_str()).collect();
        bodies.join(",")
    };
    first == second || join_bodies(first) == join_bodies(second)
}
