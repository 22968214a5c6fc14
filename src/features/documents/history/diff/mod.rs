//! Comparison of two versions of a document.

mod paths;
mod rows;

use schemars::JsonSchema;
use serde::Serialize;

use super::content::Version;
use crate::features::documents::store::Document;
use crate::features::portfolio;
use chartroom_platform::error::Result;

pub use paths::PathChange;
pub use rows::RowChanges;

/// Changes from version `against` to version `history_version`. A field without changes is null or
/// an empty list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// Number of the newer or requested version.
    history_version: i64,
    /// Number of the version that it is compared with.
    against: i64,
    title: Option<Change<String>>,
    /// UUIDs of the chart kinds.
    plugin_id: Option<Change<String>>,
    /// Names of the themes.
    theme: Option<Change<String>>,
    #[serde(rename = "isPublic")]
    is_public: Option<Change<bool>>,
    /// Whether the stored SVG image changed.
    svg_changed: bool,
    /// At most 1,000 changes.
    settings: Vec<PathChange>,
    /// At most 1,000 changes.
    style: Vec<PathChange>,
    /// At most 1,000 changes.
    custom_theme: Vec<PathChange>,
    rows: RowChanges,
}

/// Old and new value of a field.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Change")]
pub struct Change<T> {
    old: T,
    new: T,
}

/// Compares two versions of a document: each field, settings, style and theme by path, and the
/// records. An absent style or theme counts as an empty object. Owner and folder are not compared.
///
/// # Errors
/// `TooLarge` if settings, style or custom theme are too large to compare.
pub fn compare_versions(old: &Version, new: &Version) -> Result<Difference> {
    let (old_document, new_document) = (&old.document, &new.document);
    let columns =
        portfolio::find_kind(&new_document.kind).map_or(&[][..], |kind| &kind.columns[..]);
    let compare_optional = |field: fn(&Document) -> Option<&str>| {
        paths::compare_objects(
            field(old_document).unwrap_or("{}"),
            field(new_document).unwrap_or("{}"),
        )
    };
    Ok(Difference {
        history_version: new_document.history_version,
        against: old_document.history_version,
        title: find_change(&old_document.title, &new_document.title),
        plugin_id: find_change(&old_document.kind, &new_document.kind),
        theme: find_change(&old_document.theme, &new_document.theme),
        is_public: find_change(&old_document.is_public, &new_document.is_public),
        svg_changed: old_document.svg != new_document.svg,
        settings: paths::compare_objects(&old_document.settings, &new_document.settings)?,
        style: compare_optional(|document| document.style.as_deref())?,
        custom_theme: compare_optional(|document| document.custom_theme.as_deref())?,
        rows: rows::compare_records(&old.records, &new.records, columns)?,
    })
}

/// Returns the change from `old` to `new`, or `None` if they are equal.
fn find_change<T: PartialEq + Clone>(old: &T, new: &T) -> Option<Change<T>> {
    (old != new).then(|| Change { old: old.clone(), new: new.clone() })
}
