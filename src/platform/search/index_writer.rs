//! The writing side of the search index. Only one writer can be open at a time.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;
use tantivy::Index;
use tantivy::IndexReader;
use tantivy::IndexWriter;
use tantivy::ReloadPolicy;
use tantivy::TantivyDocument;
use tantivy::TantivyError;
use tantivy::Term;
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::Value;

use super::fields;
use super::fields::IndexFields;
use super::index::INDEX_DIR_NAME;
use super::index::IndexView;
use super::index::SearchIndex;
use super::merge;
use super::merge::BackgroundMerge;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// Memory for uncommitted entries, in bytes. It is the minimum that tantivy accepts.
const WRITER_MEMORY_BYTES: usize = 15_000_000;

/// Maximum size of the text of uncommitted entries, in bytes. Above it, the writer commits.
const MAX_PENDING_BYTES: usize = 8 << 20;

/// Number of decompressed blocks of stored ids in the cache of a reader.
const STORE_CACHE_BLOCKS: usize = 8;

/// The indexed content of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Node id.
    pub id: String,
    /// Account id of the owner.
    pub owner: String,
    /// Id of the parent folder. For a folder also its own id.
    pub within: Vec<String>,
    /// Title of the node.
    pub title: String,
    /// All other searchable text.
    pub body: String,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// The current state of the indexed database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSource {
    /// Id of the database.
    pub database: String,
    /// Number of the last change in the database.
    pub last_change: i64,
}

/// The contents of an index, for the comparison with the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexContents {
    /// Number of the last change in the index.
    pub cursor: i64,
    /// Ids of the indexed nodes.
    pub ids: BTreeSet<String>,
}

/// Metadata that each commit stores in the index.
#[derive(Serialize, Deserialize)]
struct CommitPayload {
    /// [`fields::INDEX_VERSION`] of the program that wrote the commit.
    version: u32,
    /// Id of the indexed database.
    database: String,
    /// Number of the last change in the index.
    cursor: i64,
    /// Whether the index was complete once. False if the build was interrupted.
    #[serde(rename = "whole")]
    is_complete: bool,
}

/// The writer of an index.
pub struct SearchIndexWriter {
    index: Index,
    /// Created on the first change, because it has its own threads and memory.
    writer: Option<IndexWriter>,
    reader: IndexReader,
    fields: IndexFields,
    payload: CommitPayload,
    /// Size of the text added since the last commit, in bytes.
    pending_bytes: usize,
    merge: Option<BackgroundMerge>,
}

impl SearchIndexWriter {
    /// Opens the index, or replaces it by an empty one if it is not usable.
    ///
    /// A usable index is complete and becomes available to searches immediately. Otherwise
    /// [`SearchIndex::check_usable`] fails until the new index is complete, except if the database
    /// has no changes yet.
    ///
    /// # Errors
    /// The directory is not writable.
    pub fn open(search: &SearchIndex, source: &IndexSource) -> Result<Self> {
        match Self::open_and_publish(search, source) {
            Ok(writer) => Ok(writer),
            Err(reason) => {
                tracing::info!(reason, "rebuilding the search index");
                // The index of a new database is complete at once.
                if source.last_change > 0 {
                    search.report_failure(format!("it {reason} and is rebuilt"));
                }
                Self::create_empty(search, source)
            }
        }
    }

    /// Opens a usable index and makes it available to searches.
    ///
    /// # Errors
    /// Returns the reason why the index is unusable, as a predicate: `is damaged in …`.
    fn open_and_publish(
        search: &SearchIndex,
        source: &IndexSource,
    ) -> std::result::Result<Self, String> {
        let (index, payload) = open(&search.dir, source)?;
        let reason = |error: Error| format!("cannot be read: {}", error.operator_message());
        let writer = Self::from_index(index, payload).map_err(reason)?;
        writer.publish(search).map_err(reason)?;
        Ok(writer)
    }

    /// Deletes the files of the index and creates an empty, incomplete one. Publishes nothing:
    /// searches use the old index until the new one is complete.
    ///
    /// # Errors
    /// The directory is not writable.
    pub fn create_empty(search: &SearchIndex, source: &IndexSource) -> Result<Self> {
        let removed = match fs::symlink_metadata(&search.dir) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&search.dir),
            Ok(_) => fs::remove_file(&search.dir),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        removed?;
        fs::create_dir_all(&search.dir)?;
        let (schema, _) = fields::build_schema();
        let index = Index::create_in_dir(&search.dir, schema).map_err(internal_error)?;
        let payload = CommitPayload {
            version: fields::INDEX_VERSION,
            database: source.database.clone(),
            cursor: 0,
            is_complete: false,
        };
        Self::from_index(index, payload)
    }

    /// Returns a writer for an open index, with its tokenizers and a reader. The tantivy writer is
    /// created on the first change.
    ///
    /// `payload` is that of the last commit, or the initial one.
    fn from_index(index: Index, payload: CommitPayload) -> Result<Self> {
        fields::register_tokenizers(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_CACHE_BLOCKS)
            .try_into()
            .map_err(internal_error)?;
        let fields = fields::build_schema().1;
        Ok(Self { index, writer: None, reader, fields, payload, pending_bytes: 0, merge: None })
    }

    /// Returns the tantivy writer, which it creates if there is none.
    ///
    /// # Errors
    /// Another writer has the index open, or the threads cannot be started.
    fn get_or_create_writer(&mut self) -> Result<&mut IndexWriter> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .memory_budget_per_thread(WRITER_MEMORY_BYTES)
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .build();
                let writer: IndexWriter =
                    self.index.writer_with_options(options).map_err(internal_error)?;
                // The first operation of a writer has the same number as the last commit. A merge
                // of segments from before can therefore drop it as already applied. No entry has
                // this id, so the loss of this first removal does no harm.
                writer.delete_term(Term::from_field_text(self.fields.id, ""));
                writer
            }
        };
        Ok(self.writer.insert(writer))
    }

    /// Returns the number of the last change in the index.
    pub fn cursor(&self) -> i64 {
        self.payload.cursor
    }

    /// Returns whether the index was complete once.
    pub fn is_complete(&self) -> bool {
        self.payload.is_complete
    }

    /// Returns the number of entries in the commit that this writer opened or published last.
    pub fn entry_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Adds an entry and replaces the old entry of the same node. Commits, without publishing, if
    /// the text of the uncommitted entries has become large.
    ///
    /// # Errors
    /// The disk is full, or another writer has the index open.
    pub fn upsert(&mut self, entry: &IndexEntry) -> Result<()> {
        self.remove(&entry.id)?;
        let fields = self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.id, &entry.id);
        document.add_text(fields.owner, &entry.owner);
        for folder in &entry.within {
            document.add_text(fields.within, folder);
        }
        document.add_text(fields.title, &entry.title);
        document.add_text(fields.title_prefixes, &entry.title);
        document.add_text(fields.body, &entry.body);
        document.add_i64(fields.updated, entry.updated.0);
        self.get_or_create_writer()?.add_document(document).map_err(internal_error)?;
        self.pending_bytes += entry.title.len() + entry.body.len();
        // The writer accepts entries faster than it writes them, so they would accumulate in
        // memory.
        if self.pending_bytes > MAX_PENDING_BYTES { self.commit_pending() } else { Ok(()) }
    }

    /// Removes the entry of a node, if there is one, with the next commit.
    ///
    /// # Errors
    /// The index is not writable, or another writer has it open.
    pub fn remove(&mut self, id: &str) -> Result<()> {
        let term = Term::from_field_text(self.fields.id, id);
        self.get_or_create_writer()?.delete_term(term);
        Ok(())
    }

    /// Commits the added and removed entries. The index then contains all changes up to `cursor`.
    ///
    /// `is_complete` says that the index contains all changes of the database. Searches see the
    /// commits from the first complete one on.
    ///
    /// # Errors
    /// The disk is full. The writer is unusable afterwards.
    pub fn commit(&mut self, search: &SearchIndex, cursor: i64, is_complete: bool) -> Result<()> {
        self.payload.cursor = cursor;
        let completes_rebuild = is_complete && !self.payload.is_complete;
        self.payload.is_complete |= is_complete;
        self.commit_pending()?;
        if completes_rebuild {
            search.count_rebuild();
        }
        if self.payload.is_complete { self.publish(search) } else { Ok(()) }
    }

    /// Commits with the current payload, without publishing.
    fn commit_pending(&mut self) -> Result<()> {
        let payload = serde_json::to_string(&self.payload)?;
        let mut commit = self.get_or_create_writer()?.prepare_commit().map_err(internal_error)?;
        commit.set_payload(&payload);
        commit.commit().map_err(internal_error)?;
        self.pending_bytes = 0;
        Ok(())
    }

    /// Makes the last commit visible to searches.
    fn publish(&self, search: &SearchIndex) -> Result<()> {
        self.reader.reload().map_err(internal_error)?;
        let view = IndexView { reader: self.reader.clone(), fields: self.fields };
        search.publish(Arc::new(view), self.payload.cursor);
        Ok(())
    }

    /// Merges segments in the background while the index is idle.
    ///
    /// Returns false if it has started a merge or one is running. Call it again then. Returns true
    /// if there is nothing to merge or a merge has just ended. A failed merge is only logged. All
    /// changes must be committed.
    ///
    /// # Errors
    /// The index cannot be read, or no thread can be started.
    pub fn merge_segments(&mut self, search: &SearchIndex) -> Result<bool> {
        match self.merge.take() {
            Some(merge) if !merge.is_finished() => {
                self.merge = Some(merge);
                Ok(false)
            }
            Some(merge) => {
                if let Err(error) = merge.join() {
                    // A failed merge changes nothing. The next idle time tries again.
                    tracing::warn!(error, "segments of the search index were not merged");
                }
                if self.is_complete() {
                    self.publish(search)?;
                }
                Ok(true)
            }
            None => {
                let segments =
                    merge::find_segments_to_merge(&self.index).map_err(internal_error)?;
                if segments.is_empty() {
                    return Ok(true);
                }
                self.merge = Some(BackgroundMerge::start(self.get_or_create_writer()?, &segments)?);
                Ok(false)
            }
        }
    }

    /// Waits for running merges, and releases the threads and the memory for writing until the next
    /// change. Does nothing if there are none. All changes must be committed.
    ///
    /// # Errors
    /// A merge of segments in the background failed.
    pub fn release_writer(&mut self) -> Result<()> {
        match self.writer.take() {
            Some(writer) => writer.wait_merging_threads().map_err(internal_error),
            None => Ok(()),
        }
    }

    /// Closes the index after the running merges.
    ///
    /// # Errors
    /// A merge failed.
    pub fn close(mut self) -> Result<()> {
        self.release_writer()
    }
}

/// Reads the contents of the index of a data directory. A writer may have it open.
///
/// # Errors
/// Returns the reason why the index is unusable, as a predicate: `is damaged in …`.
pub fn read_contents(
    data_dir: &Path,
    source: &IndexSource,
) -> std::result::Result<IndexContents, String> {
    let (index, payload) = open(&data_dir.join(INDEX_DIR_NAME), source)?;
    let ids = read_ids(&index).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(IndexContents { cursor: payload.cursor, ids })
}

/// Returns the ids of all indexed nodes.
fn read_ids(index: &Index) -> tantivy::Result<BTreeSet<String>> {
    let id = fields::build_schema().1.id;
    let reader: IndexReader =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let mut ids = BTreeSet::new();
    for segment in reader.searcher().segment_readers() {
        let store = segment.get_store_reader(STORE_CACHE_BLOCKS)?;
        for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
            let document = document?;
            let id = document.get_first(id).and_then(|value| value.as_str());
            ids.extend(id.map(str::to_owned));
        }
    }
    Ok(ids)
}

/// Opens an index if it is complete, undamaged, of this [`fields::INDEX_VERSION`], and of the
/// database `source`. It must not contain changes after the last one of the database.
///
/// # Errors
/// Returns the reason why the index is unusable, as a predicate: `is damaged in …`.
fn open(dir: &Path, source: &IndexSource) -> std::result::Result<(Index, CommitPayload), String> {
    if !dir.exists() {
        return Err("does not exist".to_owned());
    }
    let reason = |error: TantivyError| format!("cannot be read: {error}");
    let index = Index::open_in_dir(dir).map_err(reason)?;
    let meta = index.load_metas().map_err(reason)?;
    let payload: CommitPayload = serde_json::from_str(meta.payload.as_deref().unwrap_or_default())
        .map_err(|_| "has no valid commit payload".to_owned())?;
    if !payload.is_complete {
        return Err("is not complete".to_owned());
    }
    if payload.version != fields::INDEX_VERSION || index.schema() != fields::build_schema().0 {
        return Err(format!(
            "has version {} instead of {}",
            payload.version,
            fields::INDEX_VERSION
        ));
    }
    if payload.database != source.database {
        return Err("belongs to another database".to_owned());
    }
    if payload.cursor > source.last_change {
        let (cursor, last) = (payload.cursor, source.last_change);
        return Err(format!(
            "contains change {cursor}, but the last change of the database is {last}"
        ));
    }
    // The next check skips files that are absent from this list.
    let listed_files = index.directory().list_managed_files();
    let is_unlisted = |file: &PathBuf| !listed_files.contains(file) && dir.join(file).exists();
    if let Some(file) = meta.list_segment_files().into_iter().find(is_unlisted) {
        return Err(format!("has no checksum record of {}", file.display()));
    }
    let damaged = index.validate_checksum().map_err(reason)?;
    if let Some(file) = damaged.iter().next() {
        return Err(format!("is damaged in {}", file.display()));
    }
    Ok((index, payload))
}

/// Returns whether the cause of an error is an error of tantivy, for example because files of the
/// index are damaged. False for a full disk.
pub fn is_index_error(error: &Error) -> bool {
    matches!(error, Error::Internal(cause) if cause.is::<TantivyError>())
}

/// Converts a full disk or an exceeded quota to `DiskFull`, and every other error of tantivy to
/// `Internal`.
fn internal_error(error: TantivyError) -> Error {
    const FULL: [ErrorKind; 2] = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    match &error {
        TantivyError::IoError(cause) if FULL.contains(&cause.kind()) => Error::DiskFull,
        _ => Error::Internal(Box::new(error)),
    }
}

#[cfg(test)]
mod tests;
