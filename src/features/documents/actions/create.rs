//! Creates documents from a chart kind or a template.

use serde_json::json;

use super::event_node;
use super::layout;
use super::require_level;
use super::sample::kind_sample;
use super::view;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents::document_locale;
use crate::features::documents::document_theme;
use crate::features::documents::history::Channel;
use crate::features::documents::history::writer;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::thumbnail_queue;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::NodeAction;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::language::Language;

/// Source of the initial content of a new document.
pub enum InitialContent {
    /// The sample of a chart kind, with numbers and dates in a language.
    Kind { kind: &'static KindInfo, language: Language },
    /// The content of another document, which the caller must be able to read.
    Template(NodeId),
}

/// A checked request to create a document.
pub struct NewDocument {
    /// Source of the initial content.
    pub content: InitialContent,
    /// Owner as id, user name or email address. `None` is the caller.
    pub owner: Option<String>,
    /// Folder of the document. Missing folders are created.
    pub folder: FolderPath,
    /// Checked JSON object with `width`, `height` and `margin`. If `None`, a document of a chart
    /// kind gets the default layout of the caller, the owner or the kind. A template keeps its
    /// layout.
    pub layout: Option<String>,
    /// Channel that the request came through.
    pub channel: Channel,
}

/// Checks that the caller may create documents for the owner and in the folder of a request. Does
/// not check its template.
///
/// # Errors
/// `InvalidFields` about `owner`. `Forbidden` or `PaymentRequired` if the account may not store new
/// documents.
pub fn check_may_create(tx: &Tx<'_>, caller: &User, request: &NewDocument) -> Result<()> {
    access::resolve_new_place(tx, caller, request.owner.as_deref(), &request.folder).map(|_| ())
}

/// Creates a document with its first version and returns it. Creates missing folders and enqueues
/// the thumbnail.
///
/// The returned document is not read from the database: `owner_name` and `updated_by` are empty.
///
/// # Errors
/// `InvalidFields` about `owner` or `template`. `Forbidden` or `PaymentRequired` if the account may
/// not store new documents. `QuotaExceeded` if it may not store so much.
pub fn create_document(tx: &WriteTx<'_>, caller: &User, request: &NewDocument) -> Result<Document> {
    let place = access::resolve_new_place(tx, caller, request.owner.as_deref(), &request.folder)?;
    let layout = request.layout.as_deref();
    let mut document = initial_document(tx, caller, &place.owner, &request.content, layout)?;
    document.owner = place.owner;
    document.parent = match place.folder_exists {
        true => place.folder,
        false => tree::create_folders(tx, &caller.id, &document.owner, &request.folder)?,
    };
    let place = NodePlacement {
        owner: document.owner.clone(),
        parent: document.parent.clone(),
        title: document.title.clone(),
    };
    let content_bytes = document.content_bytes() + writer::FIRST_VERSION_BYTES;
    tree::add_document(tx, &document.id, &caller.id, &place, content_bytes)?;
    store::insert_document(tx, &document)?;
    if let InitialContent::Kind { kind, .. } = &request.content {
        for chunk in &kind_sample(kind)?.records.chunks {
            store::insert_chunk(tx, &document.content, chunk)?;
        }
    }
    writer::insert_first_version(tx, &document, &caller.id, request.channel)?;
    // A new document is usually edited at once, so the thumbnail can wait for the first saves.
    thumbnail_queue::enqueue_delayed_thumbnail(tx, &document.id)?;
    record_creation(tx, &document, &request.content)?;
    Ok(document)
}

/// Returns an unsaved document with its initial content. Its `owner` is empty, and its records are those of
/// the sample or of the template.
fn initial_document(
    tx: &Tx<'_>,
    caller: &User,
    owner: &AccountId,
    content: &InitialContent,
    layout: Option<&str>,
) -> Result<Document> {
    match content {
        InitialContent::Kind { kind, language } => {
            let defaults = store::defaults::find_document_defaults(tx, &caller.id, owner)?;
            let layout = layout.or(defaults.layout.as_deref());
            let mut document = document_from_kind(tx, owner, kind, layout, defaults.theme)?;
            if *language != Language::English {
                document.settings =
                    document_locale::with_locale(&document.settings, language.tag())?;
            }
            Ok(document)
        }
        InitialContent::Template(id) => document_from_template(tx, caller, id, layout),
    }
}

/// Returns the content of a new document that is kept elsewhere, and its records as a JSON array.
///
/// # Errors
/// `InvalidFields` about `template`.
pub fn build_content(
    tx: &Tx<'_>,
    caller: &User,
    content: &InitialContent,
    layout: Option<&str>,
) -> Result<(Document, Vec<u8>)> {
    let document = initial_document(tx, caller, &caller.id, content, layout)?;
    let records = match content {
        InitialContent::Kind { kind, .. } => kind_sample(kind)?.records.to_json(),
        InitialContent::Template(_) => {
            let mut records = vec![b'['];
            records.append(&mut view::load_records(tx, &document)?);
            records.push(b']');
            records
        }
    };
    Ok((document, records))
}

/// Records the creation of a document of an organization in the audit log, with its chart kind or its
/// template.
fn record_creation(tx: &WriteTx<'_>, document: &Document, content: &InitialContent) -> Result<()> {
    if !document.owner.is_org() {
        return Ok(());
    }
    let details = match content {
        InitialContent::Kind { kind, .. } => json!({ "kind": kind.slug }),
        InitialContent::Template(template) => json!({ "copy_of": template }),
    };
    let parent = document.parent.as_ref();
    tree::record_in_folder(tx, event_node(document), NodeAction::Create, parent, details)
}

/// Returns an unsaved document with the sample of a chart kind as its content. Its `owner` is
/// empty. It counts the records of the sample, but the caller must insert them.
///
/// The theme is `theme` if the owner may use it, and otherwise [`portfolio::DEFAULT_THEME`]. `layout`
/// overrides the layout of the sample.
fn document_from_kind(
    tx: &Tx<'_>,
    owner: &AccountId,
    kind: &'static KindInfo,
    layout: Option<&str>,
    theme: Option<String>,
) -> Result<Document> {
    let theme = match theme {
        Some(theme) if document_theme::is_usable(tx, owner, &theme)? => theme,
        _ => portfolio::DEFAULT_THEME.to_owned(),
    };
    let sample = kind_sample(kind)?;
    let style = match layout {
        None => sample.style.clone(),
        Some(layout) => layout::apply_layout(&sample.style, layout)?,
    };
    Ok(Document {
        title: kind.sample().title.clone(),
        kind: kind.id.clone(),
        settings: sample.settings.clone(),
        theme,
        style: Some(style),
        record_count: sample.records.count,
        data_bytes: sample.records.bytes,
        ..Document::empty(tx.now)
    })
}

/// Returns an unsaved, private document with the title, kind, settings, style and theme of a
/// template. It shares the records of the template. Its `owner` is empty.
///
/// `layout` overrides the template's layout. A share link of the caller does not count.
///
/// # Errors
/// `InvalidFields` about `template` if it does not exist or the caller may not read it.
fn document_from_template(
    tx: &Tx<'_>,
    caller: &User,
    id: &NodeId,
    layout: Option<&str>,
) -> Result<Document> {
    let unreadable = || Error::invalid_field("template", "does not exist, or you may not read it");
    let template = store::find_document(tx, id)?.ok_or_else(unreadable)?;
    require_level(tx, &Caller::from(caller), &template, AccessLevel::Read)
        .map_err(|_| unreadable())?;
    let style = match (layout, template.style) {
        (None, style) => style,
        (Some(layout), style) => {
            Some(layout::apply_layout(style.as_deref().unwrap_or("{}"), layout)?)
        }
    };
    Ok(Document {
        content: template.content,
        title: template.title,
        kind: template.kind,
        settings: template.settings,
        theme: template.theme,
        custom_theme: template.custom_theme,
        style,
        svg: template.svg,
        schema_version: template.schema_version,
        record_count: template.record_count,
        data_bytes: template.data_bytes,
        ..Document::empty(tx.now)
    })
}
