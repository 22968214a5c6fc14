//! Changes of a document: the whole of it, its data, one record more, its place.

use super::Target;
use super::writable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::history::Channel;
use crate::features::documents::history::keep;
use crate::features::documents::history::keep::Plan;
use crate::features::documents::history::keep::Prepared;
use crate::features::documents::history::keep::Replaced;
use crate::features::documents::history::keep::Save;
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
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

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

/// What a save of this caller is to the history.
pub fn manner(caller: &Caller, target: &Target) -> Save {
    Save { author: caller.author(), channel: target.channel, closes: false, alone: false }
}

/// Reads what a save would replace, to be compressed before it.
pub fn replaced(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    save: Save,
) -> Result<Option<Replaced>> {
    keep::replaced(tx, &writable(tx, caller, target)?, save)
}

/// Replaces the whole document (the four PUT rules). What changes nothing leaves it as it is.
/// None: what it replaces must be prepared.
pub fn replace(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    with: &Replacement,
    prepared: &Prepared,
) -> Result<Option<Head>> {
    let old = writable(tx, caller, target)?;
    let mut new = old.clone();
    new.schema_version = with.version;
    if with.version > 0 {
        return save(tx, caller, &old, new, None, None).map(Some);
    }
    let manner = Save { closes: with.final_save, ..manner(caller, target) };
    let Some(plan) = keep::plan(tx, &old, manner, prepared)? else { return Ok(None) };
    if let Some(kind) = with.kind {
        new.kind.clone_from(&kind.id);
    }
    if let Some(owner) = with.owner.as_ref().filter(|text| *text != old.owner.as_str()) {
        move_to(tx, caller, &mut new, Some(owner), &FolderPath::default())?;
    }
    new.title.clone_from(&with.title);
    new.settings.clone_from(&with.settings);
    new.theme.clone_from(&with.theme);
    new.custom_theme = with.custom_theme.clone().unwrap_or(new.custom_theme);
    new.style = with.style.clone().unwrap_or(new.style);
    new.svg.clone_from(&with.svg);
    new.is_public = with.is_public;
    let saved = save(tx, caller, &old, new, Some(&with.data), Some(plan))?;
    if with.final_save {
        tasks::enqueue_thumbnail(tx, &saved.id)?;
    }
    Ok(Some(saved))
}

/// Other records, and other settings when given.
pub struct NewData {
    pub settings: Option<String>,
    pub data: Records,
}

/// Replaces the records, and the settings when given; all else stays. None: what it replaces must
/// be prepared.
pub fn replace_data(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    with: &NewData,
    prepared: &Prepared,
) -> Result<Option<Head>> {
    let old = writable(tx, caller, target)?;
    let Some(plan) = keep::plan(tx, &old, manner(caller, target), prepared)? else {
        return Ok(None);
    };
    let mut new = old.clone();
    new.settings = with.settings.clone().unwrap_or(new.settings);
    save(tx, caller, &old, new, Some(&with.data), Some(plan)).map(Some)
}

/// Makes what a version held the newest version. Who may see the document stays as it is: whoever
/// goes back to an older text does not mean to publish it. None: what it replaces must be prepared.
pub fn return_to(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    with: &(Head, Records),
    prepared: &Prepared,
) -> Result<Option<Head>> {
    let (then, data) = with;
    let old = writable(tx, caller, target)?;
    let manner =
        Save { channel: Channel::Restore, closes: true, alone: true, ..manner(caller, target) };
    let Some(plan) = keep::plan(tx, &old, manner, prepared)? else { return Ok(None) };
    let new = Head {
        kind: then.kind.clone(),
        title: then.title.clone(),
        settings: then.settings.clone(),
        theme: then.theme.clone(),
        custom_theme: then.custom_theme.clone(),
        style: then.style.clone(),
        svg: then.svg.clone(),
        schema_version: then.schema_version,
        ..old.clone()
    };
    let saved = save(tx, caller, &old, new, Some(data), Some(plan))?;
    tasks::enqueue_thumbnail(tx, &saved.id)?;
    Ok(Some(saved))
}

/// A new place or title.
pub struct Move {
    /// Absolute path, made when missing. With a new owner and no folder: the owner's root.
    pub folder: Option<FolderPath>,
    /// In any spelling.
    pub owner: Option<String>,
    pub title: Option<String>,
}

/// Moves or renames a document. None: what it replaces must be prepared.
pub fn relocate(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    to: &Move,
    prepared: &Prepared,
) -> Result<Option<Head>> {
    let old = writable(tx, caller, target)?;
    let mut new = old.clone();
    new.title = to.title.clone().unwrap_or(new.title);
    let owner = to.owner.as_deref().filter(|text| *text != old.owner.as_str());
    let mut plan = None;
    // Another owner may not let it be public any more.
    if new.title != old.title || owner.is_some() && old.is_public {
        plan = keep::plan(tx, &old, manner(caller, target), prepared)?;
        if plan.is_none() {
            return Ok(None);
        }
    }
    if owner.is_some() || to.folder.is_some() {
        move_to(tx, caller, &mut new, owner, to.folder.as_ref().unwrap_or(&FolderPath::default()))?;
    }
    save(tx, caller, &old, new, None, plan).map(Some)
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
    let version = keep::append(tx, &head, &caller.author(), target.channel)?;
    store::count_record(tx, &head.id, added, version)?;
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

/// Writes what differs; when nothing does, not even the revision changes. `plan` is there when the
/// content may.
fn save(
    tx: &WriteTx<'_>,
    caller: &Caller,
    old: &Head,
    mut new: Head,
    data: Option<&Records>,
    plan: Option<Plan>,
) -> Result<Head> {
    // What was public before stays so until somebody turns it off: a version would be needed.
    let stays = old.is_public && new.owner == old.owner;
    new.is_public = new.is_public && (stays || access::may_be_public(tx, &new.owner)?);
    let present = data.map(|data| changed_chunks(tx, old, data)).transpose()?.flatten();
    if let Some(data) = data {
        new.record_count = data.count;
        new.data_bytes = data.bytes;
    }
    if new == *old && present.is_none() {
        plan.map_or(Ok(()), |it| it.close(tx, old))?;
        return Ok(new);
    }
    if present.is_some() || content(&new) != content(old) {
        let mut plan = plan.ok_or_else(|| Error::internal("a save without a version"))?;
        plan.keep(tx, old)?;
        plan.note(tx, &mut new)?;
    } else if new.schema_version != old.schema_version {
        keep::amend(tx, old)?;
    }
    if let (Some(present), Some(data)) = (present, data) {
        save_records(tx, old, &present, data)?;
    }
    store::update(tx, &new)?;
    let place = Place { owner: new.owner, parent: new.parent, title: new.title };
    tree::place(tx, &new.id, &caller.author(), &place)?;
    tasks::enqueue_thumbnail_later(tx, &new.id)?;
    store::find(tx, &new.id)?.found("document")
}

/// What a version of a document holds: not where it is or which schema version a client noted.
fn content(head: &Head) -> impl PartialEq {
    let Head { kind, title, settings, theme, custom_theme, style, svg, is_public, .. } = head;
    (kind, title, settings, theme, custom_theme, style, svg, is_public)
}

/// The stored chunks, when they hold other records.
fn changed_chunks(tx: &Tx<'_>, old: &Head, data: &Records) -> Result<Option<Vec<Chunk>>> {
    let present = store::chunks(tx, &old.id)?;
    let is_same = old.record_count == data.count
        && old.data_bytes == data.bytes
        && same(&present, &data.chunks);
    Ok((!is_same).then_some(present))
}

/// Writes the chunks that differ.
fn save_records(tx: &WriteTx<'_>, old: &Head, present: &[Chunk], data: &Records) -> Result<()> {
    let equal = present.iter().zip(&data.chunks).take_while(|(one, other)| one == other).count();
    let first = data.chunks[..equal].last().map_or(0, |it| it.first + it.count);
    store::delete_chunks_from(tx, &old.id, first)?;
    for chunk in &data.chunks[equal..] {
        store::insert_chunk(tx, &old.id, chunk)?;
    }
    Ok(())
}

/// Whether two lists of chunks hold the same text, however it is cut.
fn same(one: &[Chunk], other: &[Chunk]) -> bool {
    let text = |chunks: &[Chunk]| {
        let bodies: Vec<&str> = chunks.iter().map(|it| it.body.as_str()).collect();
        bodies.join(",")
    };
    one == other || text(one) == text(other)
}

/// Ends an editing session: what the caller saves next is a version of its own, and the thumbnail
/// follows.
pub fn close(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<NodeId> {
    let (head, _) = super::readable(tx, caller, target)?;
    keep::close(tx, &head, &caller.author())?;
    tasks::enqueue_thumbnail(tx, &head.id)?;
    Ok(head.id)
}
