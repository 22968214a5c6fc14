//! New documents, of a kind or after a template.

use serde_json::Value;

use super::require;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::accounts::User;
use crate::features::documents::history::Channel;
use crate::features::documents::history::keep;
use crate::features::documents::json::Object;
use crate::features::documents::records::Records;
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
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

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
            let records = sample_records(kind)?;
            head.record_count = records.count;
            head.data_bytes = records.bytes;
            store::insert(tx, &head)?;
            for chunk in &records.chunks {
                store::insert_chunk(tx, &head.id, chunk)?;
            }
        }
        Origin::Template(_) => {
            store::insert(tx, &head)?;
            store::copy_chunks(tx, &template, &head.id)?;
        }
    }
    keep::begin(tx, &head, &caller.id, wanted.channel)?;
    tasks::enqueue_thumbnail(tx, &head.id)?;
    Ok(head)
}

/// The content of a kind's example. Its settings go over the default ones: they name the columns of
/// the example's data.
fn of_kind(
    tx: &Tx<'_>,
    owner: &AccountId,
    kind: &'static KindInfo,
    layout: Option<&str>,
) -> Result<Head> {
    let theme = store::default_theme(tx, owner)?
        .filter(|theme| rules::check_theme("theme", theme).is_ok())
        .unwrap_or_else(|| portfolio::DEFAULT_THEME.to_owned());
    let style = match &kind.sample.style {
        Value::Object(style) => serde_json::to_string(style)?,
        _ => "{}".to_owned(),
    };
    let mut settings = kind.default_settings.clone();
    if let (Some(all), Some(sample)) = (settings.as_object_mut(), kind.sample.settings.as_object())
    {
        all.extend(sample.clone());
    }
    let kind_layout = serde_json::to_string(&kind.default_layout)?;
    let style = with_layout(&with_layout(&style, &kind_layout)?, layout.unwrap_or("{}"))?;
    Ok(Head {
        title: kind.sample.title.clone(),
        kind: kind.id.clone(),
        settings: serde_json::to_string(&settings)?,
        theme,
        style: Some(style),
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
        (Some(layout), style) => Some(with_layout(style.as_deref().unwrap_or("{}"), layout)?),
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

/// A style with the sides and margins of a layout.
fn with_layout(style: &str, layout: &str) -> Result<String> {
    let mut style = Object::parse(style)?;
    for (key, value) in Object::parse(layout)?.0 {
        let is_layout = matches!(key.as_str(), "width" | "height" | "margin");
        if is_layout && value.get() != "null" {
            style.set(&key, value);
        }
    }
    Ok(style.text()?)
}

/// The example's records as text.
fn sample_records(kind: &KindInfo) -> Result<Records> {
    let mut records = Records::default();
    for record in &kind.sample.data {
        records.push(&serde_json::to_string(record)?);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_sets_sides_and_margin_and_nothing_else() {
        let style = r#"{"subtitle":"x","width":720}"#;
        let layout = r#"{"width":300.5,"height":null,"margin":{"top":1},"name":"Slide"}"#;
        assert_eq!(
            with_layout(style, layout).unwrap(),
            r#"{"subtitle":"x","width":300.5,"margin":{"top":1}}"#
        );
    }
}
