//! Changes to a document: replace it or its data, restore a version, move it, end an editing
//! session.

use serde_json::json;

use super::DocumentTarget;
use super::content;
use super::event_node;
use super::find_writable;
use super::first_data;
use super::first_data::ReadChunks;
use super::layout;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::document_theme;
use crate::features::documents::history::Channel;
use crate::features::documents::history::writer;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::history::writer::SaveOptions;
use crate::features::documents::history::writer::VersionPlan;
use crate::features::documents::json::RawObject;
use crate::features::documents::mapped_settings::MappedSettings;
use crate::features::documents::records::Chunk;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::table_texts::TableTexts;
use crate::features::documents::thumbnail_queue;
use crate::features::portfolio::KindInfo;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::NodeAction;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// A checked request to replace all writable fields of a document. JSON texts are compact.
pub struct DocumentReplacement {
    /// New chart kind. Keep the stored kind if `None`.
    pub kind: Option<&'static KindInfo>,
    pub title: String,
    pub settings: String,
    pub data: Records,
    pub theme: String,
    /// Keep the stored value if `None`. `Some(None)` removes it.
    pub custom_theme: Option<Option<String>>,
    /// Keep the stored value if `None`. `Some(None)` removes it.
    pub style: Option<Option<String>>,
    pub svg: Option<String>,
    /// If `None`, the document becomes private. A guest with a share link keeps the stored value.
    pub is_public: Option<bool>,
    /// New owner as id, user name or email address. A new owner gets the document in the root
    /// folder. Keep the owner if `None`.
    pub owner: Option<String>,
    /// New schema version. If it is above 0, only the schema version is saved.
    pub version: i64,
    /// True if the save ends an editing session: closes the version and renders the thumbnail now.
    pub final_save: bool,
}

/// Returns the history options of a save by `caller` through the channel of `target`. The save may
/// be merged into the newest version, and later saves may be merged into it.
pub(super) fn save_options(caller: &Caller, target: &DocumentTarget) -> SaveOptions {
    SaveOptions {
        author: caller.author(),
        channel: target.channel,
        closes_version: false,
        starts_version: false,
    }
}

/// Replaces the writable fields and all records of a document. A replacement without changes does
/// not even change the revision. If `replacement.version` is above 0, saves only the schema
/// version. If the style is kept and the old records show a sample, removes the sample's style.
///
/// Returns `None` if the caller must compress the old content and retry. See
/// `super::precompression`.
///
/// # Errors
/// The errors of `find_writable`. `Forbidden` if a guest changes `is_public`. `InvalidFields` about
/// `theme` if the caller may not choose it. `InvalidFields`,
/// `Forbidden`, `PaymentRequired` or `SignInRequired` if the caller may not transfer the document
/// to the new owner. `QuotaExceeded` if the owner may not store so much.
pub fn replace_document(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    replacement: &DocumentReplacement,
    precompression: &Precompression,
) -> Result<Option<Document>> {
    let old = find_writable(tx, caller, target)?;
    let mut new = old.clone();
    new.schema_version = replacement.version;
    if replacement.version > 0 {
        return save_changes(tx, caller, &old, new, None, None, false).map(Some);
    }
    let options =
        SaveOptions { closes_version: replacement.final_save, ..save_options(caller, target) };
    let Some(plan) = writer::plan_save(tx, &old, options, precompression)? else { return Ok(None) };
    if let Some(kind) = replacement.kind {
        new.kind.clone_from(&kind.id);
    }
    if let Some(owner) = replacement.owner.as_ref().filter(|text| *text != old.owner.as_str()) {
        move_to_folder(tx, caller, &mut new, Some(owner), &FolderPath::default())?;
    }
    new.title.clone_from(&replacement.title);
    new.settings.clone_from(&replacement.settings);
    new.theme.clone_from(&replacement.theme);
    document_theme::check_theme_change(tx, caller, &old, &new)?;
    new.custom_theme = replacement.custom_theme.clone().unwrap_or(new.custom_theme);
    match &replacement.style {
        Some(style) => new.style.clone_from(style),
        None => first_data::remove_sample_style(tx, &old, &mut new, &replacement.data)?,
    }
    new.svg.clone_from(&replacement.svg);
    new.is_public = choose_is_public(tx, caller, &old, replacement.is_public)?;
    let saved = save_changes(tx, caller, &old, new, Some(&replacement.data), Some(plan), true)?;
    if replacement.final_save {
        thumbnail_queue::enqueue_thumbnail(tx, &saved.id)?;
    }
    Ok(Some(saved))
}

/// Returns whether a document is public after a replacement that requests `requested`, where `None`
/// requests a private document.
///
/// Only an account with write access can change it. A guest with a share link who omits the field
/// keeps the value of `old`.
///
/// # Errors
/// `Forbidden` if another caller requests a different value.
fn choose_is_public(
    tx: &Tx<'_>,
    caller: &Caller,
    old: &Document,
    requested: Option<bool>,
) -> Result<bool> {
    let is_public = requested.unwrap_or(false);
    if is_public == old.is_public || super::can_write_without_link(tx, caller, old)? {
        return Ok(is_public);
    }
    match requested {
        None => Ok(old.is_public),
        Some(_) => Err(Error::Forbidden(
            "isPublic must not be changed through a share link; sign in with write access".into(),
        )),
    }
}

/// A checked request to replace the records of a document.
pub struct DataReplacement {
    /// Settings that the new table implies, such as names of columns. Keep the settings if `None`.
    pub mapped_settings: Option<MappedSettings>,
    /// JSON object of settings that replace those with the same names. Keep the settings if `None`.
    pub settings: Option<String>,
    pub data: Records,
    /// New height in points; keep the height if `None`.
    pub height: Option<f64>,
    /// Texts of the table, for a document that gets its first data.
    pub texts: TableTexts,
}

impl DataReplacement {
    /// Returns the replacement of the records that keeps settings and height.
    pub fn of_records(data: Records) -> Self {
        let texts = TableTexts::default();
        Self { mapped_settings: None, settings: None, data, height: None, texts }
    }
}

/// Replaces all records of a document, adds the names of its columns to the settings, and sets its
/// height in the style. A replacement without changes keeps the revision. If the document still
/// shows the sample of a kind, first removes the texts and settings of the sample.
///
/// Returns `None` if the caller must compress the old content and retry. See
/// [`super::precompression`].
///
/// # Errors
/// The errors of [`find_writable`](super::find_writable). `QuotaExceeded` if the owner may not
/// store so much.
pub fn replace_data(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    replacement: &DataReplacement,
    precompression: &Precompression,
) -> Result<Option<Document>> {
    let old = find_writable(tx, caller, target)?;
    let Some(plan) = writer::plan_save(tx, &old, save_options(caller, target), precompression)?
    else {
        return Ok(None);
    };
    let new = apply_data(&|| list_old_chunks(tx, &old), &old, replacement)?;
    save_changes(tx, caller, &old, new, Some(&replacement.data), Some(plan), false).map(Some)
}

/// Returns the records of a document before a change, for [`apply_data`].
pub fn list_old_chunks(tx: &Tx<'_>, old: &Document) -> Result<Vec<Chunk>> {
    store::list_chunks(tx, &old.content)
}

/// Returns a document as [`replace_data`] would store it, apart from its records. Stores nothing.
/// `old_chunks` reads the records of `old`.
///
/// # Errors
/// `Internal` if the stored settings or style are not valid JSON.
pub fn apply_data(
    old_chunks: ReadChunks<'_>,
    old: &Document,
    replacement: &DataReplacement,
) -> Result<Document> {
    let mut new = old.clone();
    first_data::remove_sample_texts(old_chunks, old, &mut new, &replacement.data)?;
    // Later data do not bring back texts that somebody deleted.
    let are_first_data = new != *old || old.record_count == 0;
    if are_first_data {
        replacement.texts.add_to(&mut new)?;
    }
    if let Some(mapped) = &replacement.mapped_settings {
        new.settings = mapped.add_to_settings(&new.settings)?;
    }
    if let Some(settings) = &replacement.settings {
        let mut object = RawObject::parse(&new.settings)?;
        for (name, value) in RawObject::parse(settings)?.0 {
            object.set(&name, value);
        }
        new.settings = object.to_json()?;
    }
    if let Some(height) = replacement.height {
        let layout = format!("{{\"height\":{height}}}");
        new.style = Some(layout::apply_layout(new.style.as_deref().unwrap_or("{}"), &layout)?);
    }
    Ok(new)
}

/// Content of a version to restore.
pub struct RestoredContent {
    /// Writable fields of the version.
    pub document: Document,
    pub records: Records,
}

/// Saves the content of an older version as a new version and enqueues the thumbnail. If the
/// content is equal to the current one, there is no new version.
///
/// Does not change whether the document is public, because restoring an old text should not publish
/// it.
///
/// Returns `None` if the caller must compress the old content and retry. See
/// [`super::precompression`].
///
/// # Errors
/// As [`replace_data`].
pub fn restore_version(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    content: &RestoredContent,
    precompression: &Precompression,
) -> Result<Option<Document>> {
    let RestoredContent { document: restored, records } = content;
    let old = find_writable(tx, caller, target)?;
    let options = SaveOptions {
        channel: Channel::Restore,
        closes_version: true,
        starts_version: true,
        ..save_options(caller, target)
    };
    let Some(plan) = writer::plan_save(tx, &old, options, precompression)? else { return Ok(None) };
    let new = Document {
        kind: restored.kind.clone(),
        title: restored.title.clone(),
        settings: restored.settings.clone(),
        theme: restored.theme.clone(),
        custom_theme: restored.custom_theme.clone(),
        style: restored.style.clone(),
        svg: restored.svg.clone(),
        schema_version: restored.schema_version,
        ..old.clone()
    };
    let saved = save_changes(tx, caller, &old, new, Some(records), Some(plan), false)?;
    thumbnail_queue::enqueue_thumbnail(tx, &saved.id)?;
    Ok(Some(saved))
}

/// A checked request to move or rename a document.
pub struct MoveRequest {
    /// New folder. Missing folders are created. If `None`, keep the folder, or use the root of a
    /// new owner.
    pub folder: Option<FolderPath>,
    /// New owner as id, user name or email address. Keep the owner if `None`.
    pub owner: Option<String>,
    /// New title. Keep the title if `None`.
    pub title: Option<String>,
}

/// Moves or renames a document, and returns it as stored. Moves it to the root of a new owner if no
/// folder is given. A request without changes does not change the revision.
///
/// Returns `None` if the caller must compress the old content and retry. See
/// [`super::precompression`].
///
/// # Errors
/// The errors of [`find_writable`](super::find_writable) and of [`move_to_folder`]. `QuotaExceeded`
/// if a new owner may not store so much.
pub fn move_document(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    request: &MoveRequest,
    precompression: &Precompression,
) -> Result<Option<Document>> {
    let old = find_writable(tx, caller, target)?;
    let mut new = old.clone();
    new.title = request.title.clone().unwrap_or(new.title);
    let owner = request.owner.as_deref().filter(|text| *text != old.owner.as_str());
    let mut plan = None;
    // The new owner may forbid public documents. Then the content changes and needs a version.
    if new.title != old.title || owner.is_some() && old.is_public {
        plan = writer::plan_save(tx, &old, save_options(caller, target), precompression)?;
        if plan.is_none() {
            return Ok(None);
        }
    }
    if owner.is_some() || request.folder.is_some() {
        move_to_folder(
            tx,
            caller,
            &mut new,
            owner,
            request.folder.as_ref().unwrap_or(&FolderPath::default()),
        )?;
    }
    save_changes(tx, caller, &old, new, None, plan, false).map(Some)
}

/// Sets owner and parent folder of `document` for a move to `path`, after a check that the caller
/// may do so. Creates missing folders.
///
/// `owner` is the new owner, or `None` to keep the owner. Does nothing if `owner` names the current
/// owner and `path` is the root. Does not store the document.
///
/// # Errors
/// `InvalidFields` about `owner` or `folder` if the caller may not create documents there.
/// `Forbidden` if a caller who does not own the document gives an owner, or if a member without a
/// sufficient role moves it out of an organization. `SignInRequired` if a guest gives an owner.
/// `Forbidden` or `PaymentRequired` if the new owner may not store documents.
fn move_to_folder(
    tx: &WriteTx<'_>,
    caller: &Caller,
    document: &mut Document,
    owner: Option<&str>,
    path: &FolderPath,
) -> Result<()> {
    let author = caller.author();
    match (owner, &caller.user) {
        (Some(_), None) => return Err(Error::SignInRequired("sign-in required")),
        (Some(text), Some(user)) => {
            let owner = access::resolve_new_place(tx, user, Some(text), path)?.owner;
            if owner == document.owner && *path == FolderPath::default() {
                return Ok(());
            }
            if owner == document.owner {
                access::require_ownership(tx, caller, &document.owner, &document.id)?;
            } else {
                access::check_may_transfer(tx, caller, &document.owner, &document.id)?;
                document.owner = owner;
            }
        }
        (None, _) => {
            let (folder, exists) = tree::find_deepest_folder(tx, &document.owner, path)?;
            let keeps_folder = exists && folder == document.parent;
            if !keeps_folder && !access::can_add(tx, caller, &document.owner, folder.as_ref())? {
                return Err(Error::invalid_field(
                    "folder",
                    "must be a folder where you may create documents",
                ));
            }
        }
    }
    document.parent = tree::create_folders(tx, &author, &document.owner, path)?;
    Ok(())
}

/// Stores the differences between `old` and `new`, enqueues the thumbnail with a delay, and returns
/// the stored document.
///
/// Without differences not even the revision changes, but the newest version is closed if `plan`
/// requests it. `data` is `None` if the records stay. `plan` is required if content that belongs to
/// a version may differ. If the owner of `new` forbids public documents, `is_public` of the result
/// is false. Unless `sets_is_public` or the owner changes, the stored value then stays, so that it
/// applies again when the organization allows public documents.
///
/// # Errors
/// `QuotaExceeded` if the owner of `new` may not store so much.
pub(super) fn save_changes(
    tx: &WriteTx<'_>,
    caller: &Caller,
    old: &Document,
    mut new: Document,
    data: Option<&Records>,
    plan: Option<VersionPlan>,
    sets_is_public: bool,
) -> Result<Document> {
    new.is_public = new.is_public && access::allows_public_access(tx, &new.owner)?;
    let old_chunks =
        data.map(|data| content::load_chunks_if_changed(tx, old, data)).transpose()?.flatten();
    if let Some(data) = data {
        new.record_count = data.count;
        new.data_bytes = data.bytes;
    }
    if new == *old && old_chunks.is_none() {
        plan.map_or(Ok(()), |plan| plan.close_if_requested(tx, old))?;
        return Ok(new);
    }
    let mut added_bytes = new.content_bytes() - old.content_bytes();
    if old_chunks.is_some() || versioned_fields(&new) != versioned_fields(old) {
        let mut plan = plan
            .ok_or_else(|| Error::internal("a save that changes content needs a version plan"))?;
        added_bytes += plan.store_detached_version(tx, old)?;
        added_bytes += plan.write_newest_version(tx, &mut new)?;
    } else if new.schema_version != old.schema_version {
        added_bytes += writer::preserve_previous_version(tx, old)?;
    }
    if let (Some(old_chunks), Some(data)) = (old_chunks, data) {
        content::write_changed_chunks(tx, old, &old_chunks, data)?;
    }
    record_changes(tx, old, &new)?;
    let is_public = new.is_public;
    if !sets_is_public {
        new.is_public = is_public_in_store(tx, old, &new)?;
    }
    store::update_document(tx, &new)?;
    let place = NodePlacement { owner: new.owner, parent: new.parent, title: new.title };
    tree::move_node(tx, &new.id, &old.owner, &caller.author(), &place, added_bytes)?;
    thumbnail_queue::enqueue_delayed_thumbnail(tx, &new.id)?;
    let stored = store::find_document(tx, &new.id)?.or_not_found("document")?;
    Ok(Document { is_public, ..stored })
}

/// Records in the audit log whether a save moves, renames, publishes or unpublishes a document. The
/// history contains all other changes.
fn record_changes(tx: &WriteTx<'_>, old: &Document, new: &Document) -> Result<()> {
    let place = |document: &Document| NodePlacement {
        owner: document.owner.clone(),
        parent: document.parent.clone(),
        title: document.title.clone(),
    };
    tree::record_placement(tx, &new.id, false, &place(old), &place(new))?;
    // The new owner gets to know that a document that it takes over is public.
    let was_public = old.is_public && (old.owner == new.owner || !new.is_public);
    match (was_public, new.is_public) {
        (false, true) => tree::record_event(tx, event_node(new), NodeAction::Publish, &json!({})),
        (true, false) => tree::record_event(tx, event_node(new), NodeAction::Unpublish, &json!({})),
        _ => Ok(()),
    }
}

/// Returns the value of `is_public` to store for `new`: the stored value if the owner stays and
/// forbids public documents, because `old` and `new` then do not contain it. Otherwise the value in
/// `new`.
fn is_public_in_store(tx: &Tx<'_>, old: &Document, new: &Document) -> Result<bool> {
    if new.is_public || new.owner != old.owner || access::allows_public_access(tx, &new.owner)? {
        return Ok(new.is_public);
    }
    Ok(store::find_document(tx, &new.id)?.or_not_found("document")?.is_public)
}

/// Returns the fields that are part of a version as one value to compare, except the records.
/// Owner, folder and schema version are not part of it.
fn versioned_fields(document: &Document) -> impl PartialEq {
    let Document { kind, title, settings, theme, custom_theme, style, svg, is_public, .. } =
        document;
    (kind, title, settings, theme, custom_theme, style, svg, is_public)
}

/// Ends an editing session of the caller. Closes the newest version if the caller wrote it, so that
/// no later save is merged into it. A version of another author stays open. Enqueues the rendering
/// of the thumbnail without the delay that follows a save. Needs only read access. Returns the id
/// of the document.
pub fn end_editing_session(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<NodeId> {
    let (document, _) = super::find_readable(tx, caller, target)?;
    writer::close_newest_version(tx, &document, &caller.author())?;
    thumbnail_queue::enqueue_thumbnail(tx, &document.id)?;
    Ok(document.id)
}
