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

/// Changes from version `against` to version `history_version`. A field without changes is null or an
/// empty list.
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

/// Compares two versions of a document.
pub fn compare_versions(old: &Version, new: &Version) -> Result<Difference> {
    let (then, now) = (&old.document, &new.document);
    let columns = portfolio::find_kind(&now.kind).map_or(&[][..], |it| &it.columns[..]);
    let optional = |field: fn(&Document) -> Option<&str>| {
        paths::compare_objects(field(then).unwrap_or("{}"), field(now).unwrap_or("{}"))
    };
    Ok(Difference {
        history_version: now.history_version,
        against: then.history_version,
        title: value_change(&then.title, &now.title),
        plugin_id: value_change(&then.kind, &now.kind),
        theme: value_change(&then.theme, &now.theme),
        is_public: value_change(&then.is_public, &now.is_public),
        svg_changed: then.svg != now.svg,
        settings: paths::compare_objects(&then.settings, &now.settings)?,
        style: optional(|it| it.style.as_deref())?,
        custom_theme: optional(|it| it.custom_theme.as_deref())?,
        rows: rows::compare_records(&old.records, &new.records, columns)?,
    })
}

/// Returns the change from `old` to `new`, or `None` if they are equal.
fn value_change<T: PartialEq + Clone>(old: &T, new: &T) -> Option<Change<T>> {
    (old != new).then(|| Change { old: old.clone(), new: new.clone() })
}
