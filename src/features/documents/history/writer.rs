//! Writes the version history when a document is created or changed.

use std::time::Duration;

use super::channel::Channel;
use super::compression;
use super::content;
use super::reader;
use super::store;
use super::store::GroupSize;
use super::store::VERSION_BYTES;
use super::store::VersionBody;
use super::store::VersionEntry;
use crate::features::documents::records;
use crate::features::documents::store::Document;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Saves by one author within this time after the first are merged into one version.
const MERGE_WINDOW: Duration = Duration::from_secs(60);
/// Maximum number of bodies in a group, because a damaged base body makes its whole group
/// unreadable.
const MAX_GROUP_BODIES: i64 = 64;
/// Maximum content size that a write transaction compresses itself. Larger content is compressed
/// before the transaction, so that other writers do not wait for it.
const MAX_BYTES_COMPRESSED_IN_TRANSACTION: i64 = 256 << 10;

/// Size in bytes that the first version of a document counts. It shares the content of the
/// document.
pub const FIRST_VERSION_BYTES: i64 = VERSION_BYTES;

/// Author and channel of a save, and its effect on versions.
#[derive(Debug, Clone)]
pub struct SaveOptions {
    /// Account of the author. Empty for a guest.
    pub author: AccountId,
    pub channel: Channel,
    /// True if no later save may be merged into the version of this save.
    pub closes_version: bool,
    /// True if this save may not be merged into the newest version.
    pub starts_version: bool,
}

/// Effect of a change on the list of versions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum VersionStep {
    /// The change becomes a new version.
    New,
    /// The change is merged into the newest version.
    MergeIntoNewest,
    /// The change is not recorded: the metadata of the newest version stays the same. Used when
    /// only `schema_version` changes.
    KeepNewest,
}

/// Planned effect of a save on the version history.
#[derive(Debug, Clone)]
pub struct VersionPlan {
    options: SaveOptions,
    step: VersionStep,
    newest: VersionEntry,
    /// True if the newest version has no row yet, because an import wrote the document without
    /// history.
    newest_is_unstored: bool,
    /// Version that shares the document's content now and must get its own body before the save.
    /// `None` if the save replaces no version's content.
    detached: Option<VersionEntry>,
    /// Body of the detached version, if it was compressed before the transaction.
    precompressed: Option<PrecompressedBody>,
}

/// A version body that was compressed before the write transaction.
#[derive(Debug, Clone)]
pub struct PrecompressedBody {
    document: NodeId,
    /// Revision of the document when its content was read.
    revision: i64,
    body: VersionBody,
}

/// State of the compression of the content that a save replaces.
#[derive(Debug, Clone, Default)]
pub enum Precompression {
    /// Not compressed. If the content is large, the caller must compress it and retry the save.
    #[default]
    NotDone,
    /// Compressed before the transaction. The document may have changed since then.
    Ready(Box<PrecompressedBody>),
    /// Compress within the write transaction, because the document changes too often. Other writers
    /// wait for it.
    InTransaction,
}

impl VersionEntry {
    /// Returns the entry of the newest version for a document without any stored version: by the
    /// author and at the time of the last save, without a body.
    ///
    /// It is closed, and its channel is `Api`.
    pub fn for_newest(document: &Document) -> Self {
        Self {
            number: document.history_version,
            began: document.updated,
            saved: document.updated,
            author: AccountId::from_text(document.updated_by.as_str()),
            channel: Channel::Api,
            title: document.title.clone(),
            name: None,
            record_count: document.record_count,
            closed: true,
            has_body: false,
            base: None,
        }
    }

    /// Returns true if a save at `now` may be merged into this version: it is not closed, began
    /// less than `MERGE_WINDOW` ago, and has the same author and channel. All guests count as the
    /// same author.
    fn accepts_save(&self, now: Timestamp, author: &AccountId, channel: Channel) -> bool {
        let is_fresh = now < self.began.saturating_add(MERGE_WINDOW);
        !self.closed && is_fresh && self.author == *author && self.channel == channel
    }
}

/// Inserts the first version of a new document, as of now. It shares the content of the document.
///
/// The version is closed, so that the initial content (of a copy or a template) can be restored.
/// Its size is [`FIRST_VERSION_BYTES`], which the caller must add to the size of the node.
pub fn insert_first_version(
    tx: &WriteTx<'_>,
    document: &Document,
    author: &AccountId,
    channel: Channel,
) -> Result<()> {
    let first = VersionEntry {
        began: tx.now,
        saved: tx.now,
        author: author.clone(),
        channel,
        ..VersionEntry::for_newest(document)
    };
    store::insert_version(tx, &document.id, &first)
}

/// Writes the version of a save that appends one record: updates the newest version if the save may
/// be merged into it, else inserts a version. `old` is the document before the save. Returns the
/// number of the newest version, which the caller must store in the document, and the bytes that
/// the history has grown by.
///
/// The cost does not depend on the size of the document, because earlier versions consist of the
/// first records of the new one and need no body.
pub fn note_appended_record(
    tx: &WriteTx<'_>,
    old: &Document,
    author: &AccountId,
    channel: Channel,
) -> Result<(i64, i64)> {
    let found = store::find_version(tx, &old.id, old.history_version)?;
    let count = old.record_count + 1;
    if let Some(newest) = &found
        && newest.accepts_save(tx.now, author, channel)
    {
        let merged = VersionEntry { saved: tx.now, record_count: count, ..newest.clone() };
        store::update_version(tx, &old.id, &merged)?;
        return Ok((newest.number, 0));
    }
    let mut added_bytes = VERSION_BYTES;
    if found.is_none() {
        store::insert_version(tx, &old.id, &VersionEntry::for_newest(old))?;
        added_bytes += VERSION_BYTES;
    }
    let next = VersionEntry {
        number: old.history_version + 1,
        began: tx.now,
        saved: tx.now,
        author: author.clone(),
        channel,
        record_count: count,
        closed: false,
        ..VersionEntry::for_newest(old)
    };
    store::insert_version(tx, &old.id, &next)?;
    Ok((next.number, added_bytes))
}

/// Closes the newest version if `author` wrote it, so that no later save is merged into it.
pub fn close_newest_version(
    tx: &WriteTx<'_>,
    document: &Document,
    author: &AccountId,
) -> Result<()> {
    let newest = store::find_version(tx, &document.id, document.history_version)?;
    match newest.filter(|version| version.author == *author && !version.closed) {
        Some(newest) => store::close_version(tx, &document.id, newest.number),
        None => Ok(()),
    }
}

/// Plans the effect of a save on the history. `old` is the document before the save. Writes
/// nothing.
///
/// Returns `None` if the replaced content is large and not compressed yet, or has changed since its
/// compression. Then the caller must read it with [`load_replaced_content`], compress it with
/// [`ReplacedContent::compress`] and retry.
pub fn plan_save(
    tx: &Tx<'_>,
    old: &Document,
    options: SaveOptions,
    precompression: &Precompression,
) -> Result<Option<VersionPlan>> {
    let mut plan = VersionPlan::new(tx, old, options)?;
    let Some(detached) = plan
        .detached
        .as_ref()
        .filter(|_| old.content_bytes() > MAX_BYTES_COMPRESSED_IN_TRANSACTION)
    else {
        return Ok(Some(plan));
    };
    match precompression {
        Precompression::InTransaction => Ok(Some(plan)),
        Precompression::Ready(precompressed) if precompressed.is_current(tx, old, detached)? => {
            plan.precompressed = Some((**precompressed).clone());
            Ok(Some(plan))
        }
        Precompression::Ready(_) | Precompression::NotDone => Ok(None),
    }
}

/// Gives the version before the newest one a body if it shares the content of the document.
///
/// Call it before a change that writes no version of its own, so that older versions do not change.
/// Returns the bytes that the history has grown by.
pub fn preserve_previous_version(tx: &WriteTx<'_>, old: &Document) -> Result<i64> {
    let newest = reader::find_entry(tx, old, old.history_version)?
        .unwrap_or_else(|| VersionEntry::for_newest(old));
    match find_detached_version(tx, old, VersionStep::KeepNewest, &newest)? {
        Some(detached) => {
            let body = load_detached_content(tx, old, &detached)?.compress()?.body;
            store::set_version_body(tx, &old.id, &body)?;
            Ok(body.size())
        }
        None => Ok(0),
    }
}

/// Returns the version that must get its own body before the change, because it shares the
/// document's content. `None` if no version needs a body.
fn find_detached_version(
    tx: &Tx<'_>,
    old: &Document,
    step: VersionStep,
    newest: &VersionEntry,
) -> Result<Option<VersionEntry>> {
    match step {
        VersionStep::New => Ok(Some(newest.clone())),
        // The newest version changes together with the document. The version before it shares the
        // content of the document if only records were appended since.
        VersionStep::MergeIntoNewest | VersionStep::KeepNewest => {
            Ok(store::find_previous_version(tx, &old.id, newest.number)?
                .filter(|version| !version.has_body))
        }
    }
}

impl VersionPlan {
    /// Decides whether a save now starts a version or is merged into the newest one, and which
    /// version must get its own body. Saves of guests always start a version. Writes nothing.
    fn new(tx: &Tx<'_>, old: &Document, options: SaveOptions) -> Result<Self> {
        let found = store::find_version(tx, &old.id, old.history_version)?;
        let newest_is_unstored = found.is_none();
        let newest = found.unwrap_or_else(|| VersionEntry::for_newest(old));
        // Guests have no identity: merging could overwrite the version of another guest.
        let is_guest = options.author.as_str().is_empty();
        let is_merged = !options.starts_version
            && !is_guest
            && newest.accepts_save(tx.now, &options.author, options.channel);
        let step = if is_merged { VersionStep::MergeIntoNewest } else { VersionStep::New };
        let detached = find_detached_version(tx, old, step, &newest)?;
        Ok(Self { options, step, newest, newest_is_unstored, detached, precompressed: None })
    }

    /// Closes the newest version if the options say so and it is by the author of the save. Used
    /// for a save without changes.
    pub fn close_if_requested(&self, tx: &WriteTx<'_>, old: &Document) -> Result<()> {
        if self.options.closes_version {
            close_newest_version(tx, old, &self.options.author)
        } else {
            Ok(())
        }
    }

    /// Writes the body of the detached version, if there is one. Inserts the newest version first
    /// if it has no row yet. Must run before the document is updated. Returns the bytes that the
    /// history has grown by.
    pub fn store_detached_version(&mut self, tx: &WriteTx<'_>, old: &Document) -> Result<i64> {
        let mut added_bytes = 0;
        if self.newest_is_unstored {
            store::insert_version(tx, &old.id, &self.newest)?;
            added_bytes += VERSION_BYTES;
        }
        let Some(detached) = &self.detached else { return Ok(added_bytes) };
        let body = match self.precompressed.take() {
            Some(precompressed) => precompressed.body,
            None => load_detached_content(tx, old, detached)?.compress()?.body,
        };
        store::set_version_body(tx, &old.id, &body)?;
        Ok(added_bytes + body.size())
    }

    /// Inserts or updates the version of the save. If it inserts one, increments
    /// `new.history_version`. Returns the bytes that the history has grown by.
    pub fn write_newest_version(self, tx: &WriteTx<'_>, new: &mut Document) -> Result<i64> {
        let options = self.options;
        let mut entry = VersionEntry {
            saved: tx.now,
            title: new.title.clone(),
            record_count: new.record_count,
            closed: options.closes_version,
            ..self.newest
        };
        match self.step {
            VersionStep::KeepNewest => Ok(0),
            VersionStep::MergeIntoNewest => store::update_version(tx, &new.id, &entry).map(|()| 0),
            VersionStep::New => {
                new.history_version += 1;
                entry.number = new.history_version;
                entry.began = tx.now;
                entry.author = options.author;
                entry.channel = options.channel;
                entry.name = None;
                store::insert_version(tx, &new.id, &entry)?;
                Ok(VERSION_BYTES)
            }
        }
    }
}

impl PrecompressedBody {
    /// Returns true if the body still belongs to the current revision, and its base body still
    /// exists.
    fn is_current(&self, tx: &Tx<'_>, old: &Document, detached: &VersionEntry) -> Result<bool> {
        let is_same = self.document == old.id
            && self.revision == old.revision
            && self.body.number == detached.number;
        match self.body.base {
            Some(base) if is_same => store::is_base_version(tx, &old.id, base),
            _ => Ok(is_same),
        }
    }
}

/// Content that a save replaces, and the group that its body can join.
pub struct ReplacedContent {
    document: NodeId,
    revision: i64,
    number: i64,
    content: Vec<u8>,
    /// Newest group of the document.
    group: Option<BodyGroup>,
}

/// A base body and the size of its group.
struct BodyGroup {
    base: VersionBody,
    size: GroupSize,
}

/// Reads the content of the version that must get its own body before a save with these options,
/// and the group that the body can join. `None` if no version needs one. Compresses and writes
/// nothing.
pub fn load_replaced_content(
    tx: &Tx<'_>,
    old: &Document,
    options: SaveOptions,
) -> Result<Option<ReplacedContent>> {
    let detached = VersionPlan::new(tx, old, options)?.detached;
    detached.map(|detached| load_detached_content(tx, old, &detached)).transpose()
}

/// Reads the content of the version `detached` from the document `old`, with which it shares the
/// content: the fields and the first records, as many as the version has. Also reads the newest
/// group before it.
fn load_detached_content(
    tx: &Tx<'_>,
    old: &Document,
    detached: &VersionEntry,
) -> Result<ReplacedContent> {
    let records = reader::load_joined_records(tx, old)?;
    let content = content::encode_content_json(
        old,
        records::first_records(&records, detached.record_count)?,
    )?;
    let group = match store::find_base_before(tx, &old.id, detached.number)? {
        None => None,
        Some(base) => {
            let size = store::measure_group(tx, &old.id, base.number)?;
            Some(BodyGroup { base, size })
        }
    };
    let (document, revision) = (old.id.clone(), old.revision);
    Ok(ReplacedContent { document, revision, number: detached.number, content, group })
}

impl ReplacedContent {
    /// Compresses the content to a body. Stores nothing.
    ///
    /// Compresses it against the base body of the group if the group has fewer than
    /// `MAX_GROUP_BODIES` bodies and the result is at most as large as their average. Otherwise
    /// returns a base body, which starts a new group.
    pub fn compress(self) -> Result<PrecompressedBody> {
        let mut body = VersionBody { number: self.number, bytes: Vec::new(), base: None };
        if let Some(group) = self.group.filter(|group| group.size.bodies < MAX_GROUP_BODIES) {
            let base = compression::decompress(&group.base.bytes, None)?;
            let bytes = compression::compress(&self.content, Some(&base))?;
            if i64::try_from(bytes.len()).unwrap_or(i64::MAX)
                <= group.size.bytes / group.size.bodies
            {
                (body.bytes, body.base) = (bytes, Some(group.base.number));
            }
        }
        if body.base.is_none() {
            body.bytes = compression::compress(&self.content, None)?;
        }
        Ok(PrecompressedBody { document: self.document, revision: self.revision, body })
    }
}
