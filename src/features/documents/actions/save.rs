//! Changes of a document: the whole of it, its data, one record more, its place.

use super::Target;
use super::writable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::json::Object;
use crate::features::documents::records;
use crate::features::documents::records::Chunk;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::tasks;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Place;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Found;
use crate::platform::error::Result;
use crate::platform::id::NodeId;

/// A whole document in place of the stored one. Texts are checked and compact.
pub struct Replacement {
    /// Another kind; none keeps the kind.
    pub kind: Option<&'static KindInfo>,
    pub title: String,
    pub settings: String,
    pub data: Records,
    pub theme: String,
    /// None keeps what is stored, some none removes it.
    pub custom_theme: Option<Option<String>>,
    /// None keeps what is stored, some none removes it.
    pub style: Option<Option<String>>,
    pub svg: Option<String>,
    pub is_public: bool,
    /// A new owner, in any spelling.
    pub owner: Option<String>,
    /// Above 0: nothing but this schema version is written.
    pub version: i64,
    /// Whether an editing session ends.
    pub final_save: bool,
}

/// What add-record may grow a document to.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Most records.
    pub records: usize,
    /// Most bytes of data.
    pub bytes: usize,
}

/// Replaces the whole document (the four PUT rules). What changes nothing leaves it as it is.
pub fn replace(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    with: Replacement,
) -> Result<Head> {
    let old = writable(tx, caller, target)?;
    let mut new = old.clone();
    new.schema_version = with.version;
    if with.version > 0 {
        return save(tx, caller, &old, new, None);
    }
    if let Some(kind) = with.kind {
        new.kind.clone_from(&kind.id);
    }
    if let Some(owner) = with.owner.filter(|text| text != old.owner.as_str()) {
        move_to(tx, caller, &mut new, Some(&owner), &FolderPath::default())?;
    }
    new.title = with.title;
    new.settings = with.settings;
    new.theme = with.theme;
    new.custom_theme = with.custom_theme.unwrap_or(new.custom_theme);
    new.style = with.style.unwrap_or(new.style);
    new.svg = with.svg;
    new.is_public = with.is_public;
    let saved = save(tx, caller, &old, new, Some(&with.data))?;
    if with.final_save {
        tasks::enqueue_thumbnail(tx, &saved.id)?;
    }
    Ok(saved)
}

/// Replaces the records, and the settings when given; all else stays.
pub fn replace_data(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    settings: Option<String>,
    data: &Records,
) -> Result<Head> {
    let old = writable(tx, caller, target)?;
    let mut new = old.clone();
    new.settings = settings.unwrap_or(new.settings);
    save(tx, caller, &old, new, Some(data))
}

/// A new place or title.
pub struct Move {
    /// Absolute path, made when missing. With a new owner and no folder: the owner's root.
    pub folder: Option<FolderPath>,
    /// In any spelling.
    pub owner: Option<String>,
    pub title: Option<String>,
}

/// Moves or renames a document.
pub fn relocate(tx: &WriteTx<'_>, caller: &Caller, target: &Target, to: Move) -> Result<Head> {
    let old = writable(tx, caller, target)?;
    let mut new = old.clone();
    let owner = to.owner.filter(|text| text != old.owner.as_str());
    if owner.is_some() || to.folder.is_some() {
        move_to(tx, caller, &mut new, owner.as_deref(), &to.folder.unwrap_or_default())?;
    }
    new.title = to.title.unwrap_or(new.title);
    save(tx, caller, &old, new, None)
}

/// Appends a record. Its cost does not grow with the document: one chunk is touched.
pub fn add_record(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    record: &str,
    limits: Limits,
) -> Result<()> {
    let head = writable(tx, caller, target)?;
    if let Some(kind) = portfolio::find(&head.kind) {
        records::check_types(&Object::parse(record)?, &kind.columns)?;
    }
    let most = i64::try_from(limits.records).unwrap_or(i64::MAX);
    if head.record_count >= most {
        return Err(Error::field(
            "data",
            format!("has {most} records already, the most there may be"),
        ));
    }
    let added = i64::try_from(record.len()).unwrap_or(i64::MAX) + i64::from(head.record_count > 0);
    if head.data_bytes + added > i64::try_from(limits.bytes).unwrap_or(i64::MAX) {
        return Err(Error::TooLarge(format!("data would be larger than {} bytes", limits.bytes)));
    }
    match store::last_chunk(tx, &head.id)? {
        Some((first, bytes))
            if records::fits(usize::try_from(bytes).unwrap_or(usize::MAX / 2), record.len()) =>
        {
            store::extend_chunk(tx, &head.id, first, record)?;
        }
        _ => {
            let chunk = Chunk { first: head.record_count, count: 1, body: record.to_owned() };
            store::insert_chunk(tx, &head.id, &chunk)?;
        }
    }
    store::count_record(tx, &head.id, added)?;
    tree::touch(tx, &head.id, &caller.author())
}

/// Puts a document into the folder at `path`, made when missing, of another owner or of its own.
fn move_to(
    tx: &WriteTx<'_>,
    caller: &Caller,
    head: &mut Head,
    owner: Option<&str>,
    path: &FolderPath,
) -> Result<()> {
    let author = caller.author();
    match (owner, &caller.user) {
        (Some(_), None) => return Err(Error::SignIn("sign-in required")),
        (Some(text), Some(user)) => {
            let owner = access::new_owner(tx, user, Some(text), path)?;
            if owner == head.owner && *path == FolderPath::default() {
                return Ok(());
            }
            access::require_own(tx, caller, &head.owner, &head.id)?;
            head.owner = owner;
        }
        (None, _) => {
            let (folder, _) = tree::deepest_folder(tx, &head.owner, path)?;
            let stays = folder == head.parent;
            if !stays && !access::may_add(tx, caller, &head.owner, folder.as_ref())? {
                return Err(Error::field("folder", "no folder where you may put documents"));
            }
        }
    }
    head.parent = tree::make_folders(tx, &author, &head.owner, path)?;
    Ok(())
}

/// Writes what differs; when nothing does, not even the revision changes.
fn save(
    tx: &WriteTx<'_>,
    caller: &Caller,
    old: &Head,
    mut new: Head,
    data: Option<&Records>,
) -> Result<Head> {
    let data_changed = match data {
        Some(data) => {
            new.record_count = data.count;
            new.data_bytes = data.bytes;
            save_records(tx, old, data)?
        }
        None => false,
    };
    if new == *old && !data_changed {
        return Ok(new);
    }
    if data_changed || content(&new) != content(old) {
        new.history_version += 1;
    }
    store::update(tx, &new)?;
    let place = Place { owner: new.owner, parent: new.parent, title: new.title };
    tree::place(tx, &new.id, &caller.author(), &place)?;
    store::find(tx, &new.id)?.found("document")
}

/// What a version of a document holds: not where it is or which schema version a client noted.
fn content(head: &Head) -> impl PartialEq {
    let Head { kind, title, settings, theme, custom_theme, style, svg, is_public, .. } = head;
    (kind, title, settings, theme, custom_theme, style, svg, is_public)
}

/// Writes the chunks that differ; says whether the records do.
fn save_records(tx: &WriteTx<'_>, old: &Head, data: &Records) -> Result<bool> {
    let present = store::chunks(tx, &old.id)?;
    if old.record_count == data.count
        && old.data_bytes == data.bytes
        && same(&present, &data.chunks)
    {
        return Ok(false);
    }
    let equal = present.iter().zip(&data.chunks).take_while(|(one, other)| one == other).count();
    let first = data.chunks[..equal].last().map_or(0, |it| it.first + it.count);
    store::delete_chunks_from(tx, &old.id, first)?;
    for chunk in &data.chunks[equal..] {
        store::insert_chunk(tx, &old.id, chunk)?;
    }
    Ok(true)
}

/// Whether two lists of chunks hold the same text, however it is cut.
fn same(one: &[Chunk], other: &[Chunk]) -> bool {
    let text = |chunks: &[Chunk]| {
        let bodies: Vec<&str> = chunks.iter().map(|it| it.body.as_str()).collect();
        bodies.join(",")
    };
    one == other || text(one) == text(other)
}

/// Enqueues a new thumbnail: an editing session was closed.
pub fn close(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<NodeId> {
    let (head, _) = super::readable(tx, caller, target)?;
    tasks::enqueue_thumbnail(tx, &head.id)?;
    Ok(head.id)
}
