//! The writing side: one feed at a time fills the index and commits how far it has come.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;
use tantivy::Index;
use tantivy::IndexReader;
use tantivy::IndexWriter;
use tantivy::ReloadPolicy;
use tantivy::TantivyDocument;
use tantivy::Term;
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::Value;

use super::DIR;
use super::Search;
use super::View;
use super::fields;
use super::fields::Fields;
use super::settle::Merge;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// Memory for what is not committed yet: the least that tantivy takes.
const HEAP: usize = 15_000_000;

/// Bytes of text after which what came so far is written out.
const MOST_PENDING: usize = 8 << 20;

/// Blocks of stored ids that readers keep unpacked.
const STORE_CACHE_BLOCKS: usize = 8;

/// One thing as the index takes it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub owner: String,
    /// The folder it is right in, and itself if it is one.
    pub within: Vec<String>,
    pub title: String,
    /// All else by which it can be found.
    pub body: String,
    pub updated: Timestamp,
}

/// The database that the index is of, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The database's own id.
    pub database: String,
    /// The number of its last change.
    pub last_change: i64,
}

/// What is in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The last change that it has.
    pub cursor: i64,
    /// The things in it.
    pub ids: BTreeSet<String>,
}

/// What a commit says of itself.
#[derive(Serialize, Deserialize)]
struct Payload {
    version: u32,
    database: String,
    cursor: i64,
    /// It was complete once; else its building was broken off.
    whole: bool,
}

/// The one that writes an index.
pub struct Feed {
    pub(super) index: Index,
    /// Made when there is something to write: it has threads and memory of its own.
    writer: Option<IndexWriter>,
    reader: IndexReader,
    fields: Fields,
    payload: Payload,
    /// Bytes of text since the last commit.
    pending: usize,
    pub(super) merge: Option<Merge>,
}

impl Feed {
    /// Opens the index for writing, and makes a new one where there is none that can be used. One
    /// that was complete is open to searches from now on.
    ///
    /// # Errors
    /// When another feed has it, or its directory cannot be written.
    pub fn open(search: &Search, source: &Source) -> Result<Self> {
        match open(&search.dir, source) {
            Ok((index, payload)) => {
                let feed = Self::of(index, payload)?;
                feed.publish(search)?;
                Ok(feed)
            }
            Err(reason) => {
                tracing::info!(reason, "the search index is built anew");
                Self::anew(search, source)
            }
        }
    }

    /// Begins an empty index in the place of any other, whose readers keep it until the new one is
    /// complete.
    ///
    /// # Errors
    /// When its directory cannot be written.
    pub fn anew(search: &Search, source: &Source) -> Result<Self> {
        if search.dir.exists() {
            fs::remove_dir_all(&search.dir)?;
        }
        fs::create_dir_all(&search.dir)?;
        let (schema, _) = fields::schema();
        let index = Index::create_in_dir(&search.dir, schema).map_err(failure)?;
        let database = source.database.clone();
        Self::of(index, Payload { version: fields::VERSION, database, cursor: 0, whole: false })
    }

    fn of(index: Index, payload: Payload) -> Result<Self> {
        fields::register(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_CACHE_BLOCKS)
            .try_into()
            .map_err(failure)?;
        let fields = fields::schema().1;
        Ok(Self { index, writer: None, reader, fields, payload, pending: 0, merge: None })
    }

    pub(super) fn writer(&mut self) -> Result<&mut IndexWriter> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .memory_budget_per_thread(HEAP)
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .build();
                let writer: IndexWriter =
                    self.index.writer_with_options(options).map_err(failure)?;
                // A writer's first operation has the number of the last commit, so that a merge
                // of what was committed before it may take a removal for done. Nothing has this
                // id: that removal may get lost.
                writer.delete_term(Term::from_field_text(self.fields.id, ""));
                writer
            }
        };
        Ok(self.writer.insert(writer))
    }

    /// The last change that the index has.
    pub fn cursor(&self) -> i64 {
        self.payload.cursor
    }

    /// Whether the index was complete once.
    pub fn is_whole(&self) -> bool {
        self.payload.whole
    }

    /// How many things are in the index as it was published last.
    pub fn count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Puts a thing in, in the place of what was there of it.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn put(&mut self, entry: &Entry) -> Result<()> {
        self.remove(&entry.id)?;
        let fields = self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.id, &entry.id);
        document.add_text(fields.owner, &entry.owner);
        for folder in &entry.within {
            document.add_text(fields.within, folder);
        }
        document.add_text(fields.title, &entry.title);
        document.add_text(fields.beginnings, &entry.title);
        document.add_text(fields.body, &entry.body);
        document.add_i64(fields.updated, entry.updated.0);
        self.writer()?.add_document(document).map_err(failure)?;
        self.pending += entry.title.len() + entry.body.len();
        // The writer takes more than it works off at once: it would pile up in memory.
        if self.pending > MOST_PENDING { self.store() } else { Ok(()) }
    }

    /// Takes a thing out, if it is there.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn remove(&mut self, id: &str) -> Result<()> {
        let term = Term::from_field_text(self.fields.id, id);
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Commits what was put in and taken out: the index now has all changes up to `cursor`. Searches
    /// see it once it `is_whole`: has all changes that there are, for the first time.
    ///
    /// # Errors
    /// When the disk is full. The feed is then of no more use.
    pub fn commit(&mut self, search: &Search, cursor: i64, is_whole: bool) -> Result<()> {
        self.payload.cursor = cursor;
        let is_new = is_whole && !self.payload.whole;
        self.payload.whole |= is_whole;
        self.store()?;
        if is_new {
            search.lock().builds += 1;
        }
        if self.payload.whole { self.publish(search) } else { Ok(()) }
    }

    fn store(&mut self) -> Result<()> {
        let payload = serde_json::to_string(&self.payload)?;
        let mut commit = self.writer()?.prepare_commit().map_err(failure)?;
        commit.set_payload(&payload);
        commit.commit().map_err(failure)?;
        self.pending = 0;
        Ok(())
    }

    /// Lets searches see this index as it was committed last.
    pub(super) fn publish(&self, search: &Search) -> Result<()> {
        self.reader.reload().map_err(failure)?;
        let view = View { reader: self.reader.clone(), fields: self.fields };
        search.publish(Arc::new(view), self.payload.cursor);
        Ok(())
    }

    /// Gives back what only writing needs, until the next time. Everything must be committed.
    ///
    /// # Errors
    /// When the work under way in the background fails.
    pub fn rest(&mut self) -> Result<()> {
        match self.writer.take() {
            Some(writer) => writer.wait_merging_threads().map_err(failure),
            None => Ok(()),
        }
    }

    /// Ends after the work under way in the background.
    ///
    /// # Errors
    /// When that fails.
    pub fn close(mut self) -> Result<()> {
        self.rest()
    }
}

/// Looks at the index of a data directory without writing, beside a feed or not. The text says why
/// it cannot be used.
pub fn look(data_dir: &Path, source: &Source) -> std::result::Result<Standing, String> {
    let (index, payload) = open(&data_dir.join(DIR), source)?;
    let ids = ids(&index).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(Standing { cursor: payload.cursor, ids })
}

/// The ids of all things in an index.
fn ids(index: &Index) -> tantivy::Result<BTreeSet<String>> {
    let id = fields::schema().1.id;
    let reader: IndexReader =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let mut ids = BTreeSet::new();
    for segment in reader.searcher().segment_readers() {
        let store = segment.get_store_reader(STORE_CACHE_BLOCKS)?;
        for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
            let document = document?;
            let found = document.get_first(id).and_then(|it| it.as_str());
            ids.extend(found.map(str::to_owned));
        }
    }
    Ok(ids)
}

/// Opens an index if it is one of this program and database, and whole on the disk.
fn open(dir: &Path, source: &Source) -> std::result::Result<(Index, Payload), String> {
    if !dir.exists() {
        return Err("there is none".to_owned());
    }
    let text = |error: tantivy::TantivyError| format!("cannot be read: {error}");
    let index = Index::open_in_dir(dir).map_err(text)?;
    let payload = index.load_metas().map_err(text)?.payload.unwrap_or_default();
    let payload: Payload = serde_json::from_str(&payload)
        .map_err(|_| "does not say how far it has come".to_owned())?;
    if !payload.whole {
        return Err("is not complete".to_owned());
    }
    if payload.version != fields::VERSION || index.schema() != fields::schema().0 {
        return Err(format!("has version {}, not {}", payload.version, fields::VERSION));
    }
    if payload.database != source.database {
        return Err("is of another database".to_owned());
    }
    if payload.cursor > source.last_change {
        let (cursor, last) = (payload.cursor, source.last_change);
        return Err(format!("has change {cursor}, but the database ends with {last}"));
    }
    let damaged = index.validate_checksum().map_err(text)?;
    if let Some(file) = damaged.iter().next() {
        return Err(format!("is damaged in {}", file.display()));
    }
    Ok((index, payload))
}

pub(super) fn failure(error: tantivy::TantivyError) -> Error {
    Error::Internal(Box::new(error))
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
