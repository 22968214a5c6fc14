//! New documents, of a kind or after a template.

use super::layout;
use super::require;
use super::sample::sample;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::accounts::User;
use crate::features::documents::history::Channel;
use crate::features::documents::history::keep;
use crate::features::documents::rules;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::tasks;
use crate::features::orgs;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Place;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// What a new document begins with.
pub enum Origin {
    /// The example of a kind.
    Kind(&'static KindInfo),
    /// The content of another document.
    Template(NodeId),
}

/// What a caller wants.
pub struct Creation {
    /// What it begins with.
    pub origin: Origin,
    /// Whose it shall be, in any spelling; none is the caller.
    pub owner: Option<String>,
    /// Where; made when missing.
    pub folder: FolderPath,
    /// Checked JSON text of `width`, `height`, `margin`; none is the usual layout.
    pub layout: Option<String>,
    /// Which way the request came.
    pub channel: Channel,
}

/// Makes a document.
///
/// # Errors
/// `Fields` about `owner` or `template`.
pub fn create(tx: &WriteTx<'_>, caller: &User, wanted: &Creation) -> Result<Head> {
    let owner = access::new_owner(tx, caller, wanted.owner.as_deref(), &wanted.folder)?;
    let usual = match store::default_layout(tx, &caller.id)? {
        None => orgs::default_layout(tx, &owner)?,
        own => own,
    };
    let layout = wanted.layout.as_deref().or(usual.as_deref());
    let mut head = match &wanted.origin {
        Origin::Kind(kind) => of_kind(tx, &owner, kind, layout)?,
        Origin::Template(id) => after_template(tx, caller, id, wanted.layout.as_deref())?,
    };
    let template = head.id;
    head.id = NodeId::new();
    head.owner = owner;
    head.parent = tree::make_folders(tx, &caller.id, &head.owner, &wanted.folder)?;
    let place =
        Place { owner: head.owner.clone(), parent: head.parent.clone(), title: head.title.clone() };
    tree::add_document(tx, &head.id, &caller.id, &place)?;
    match &wanted.origin {
        Origin::Kind(kind) => {
            store::insert(tx, &head)?;
            for chunk in &sample(kind)?.records.chunks {
                store::insert_chunk(tx, &head.id, chunk)?;
            }
        }
        Origin::Template(_) => {
            store::insert(tx, &head)?;
            store::copy_chunks(tx, &template, &head.id)?;
        }
    }
    keep::begin(tx, &head, &caller.id, wanted.channel)?;
    // Whoever makes a document goes on to change it.
    tasks::enqueue_thumbnail_later(tx, &head.id)?;
    Ok(head)
}

/// The content of a kind's example.
fn of_kind(
    tx: &Tx<'_>,
    owner: &AccountId,
    kind: &'static KindInfo,
    layout: Option<&str>,
) -> Result<Head> {
    let theme = store::default_theme(tx, owner)?
        .filter(|theme| rules::check_theme("theme", theme).is_ok())
        .unwrap_or_else(|| portfolio::DEFAULT_THEME.to_owned());
    let sample = sample(kind)?;
    let style = match layout {
        None => sample.style.clone(),
        Some(layout) => layout::put(&sample.style, layout)?,
    };
    Ok(Head {
        title: kind.sample.title.clone(),
        kind: kind.id.clone(),
        settings: sample.settings.clone(),
        theme,
        style: Some(style),
        record_count: sample.records.count,
        data_bytes: sample.records.bytes,
        ..Head::empty(tx.now)
    })
}

/// The content of a template that the caller may read, still under the template's id.
fn after_template(tx: &Tx<'_>, caller: &User, id: &NodeId, layout: Option<&str>) -> Result<Head> {
    let refused = || Error::field("template", "no such document");
    let template = store::find(tx, id)?.ok_or_else(refused)?;
    require(tx, &Caller::from(caller), &template, Level::Read).map_err(|_| refused())?;
    let style = match (layout, template.style) {
        (None, style) => style,
        (Some(layout), style) => Some(layout::put(style.as_deref().unwrap_or("{}"), layout)?),
    };
    Ok(Head {
        id: template.id,
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
        ..Head::empty(tx.now)
    })
}
