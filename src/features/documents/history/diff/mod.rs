//! The difference between two versions, as programs and pages can show it.

mod paths;
mod rows;

use schemars::JsonSchema;
use serde::Serialize;

use super::content::Version;
use crate::features::documents::store::Head;
use crate::features::portfolio;
use chartroom_platform::error::Result;

pub use paths::PathChange;
pub use rows::RowChanges;

/// What changed from version `against` to version `history_version`. A field that did not change is
/// null, or an empty list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// The version that is described.
    history_version: i64,
    /// The version that it is compared with.
    against: i64,
    title: Option<Change<String>>,
    /// UUIDs of chart kinds.
    plugin_id: Option<Change<String>>,
    /// Names of themes.
    theme: Option<Change<String>>,
    #[serde(rename = "isPublic")]
    is_public: Option<Change<bool>>,
    /// Whether the stored picture is another one.
    svg_changed: bool,
    /// At most 1,000.
    settings: Vec<PathChange>,
    /// At most 1,000.
    style: Vec<PathChange>,
    /// At most 1,000.
    custom_theme: Vec<PathChange>,
    rows: RowChanges,
}

/// A value before and after.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Change")]
pub struct Change<T> {
    old: T,
    new: T,
}

/// Compares two versions of a document.
pub fn compare(old: &Version, new: &Version) -> Result<Difference> {
    let (then, now) = (&old.head, &new.head);
    let columns = portfolio::find(&now.kind).map_or(&[][..], |it| &it.columns[..]);
    let optional = |field: fn(&Head) -> Option<&str>| {
        paths::compare(field(then).unwrap_or("{}"), field(now).unwrap_or("{}"))
    };
    Ok(Difference {
        history_version: now.history_version,
        against: then.history_version,
        title: change(&then.title, &now.title),
        plugin_id: change(&then.kind, &now.kind),
        theme: change(&then.theme, &now.theme),
        is_public: change(&then.is_public, &now.is_public),
        svg_changed: then.svg != now.svg,
        settings: paths::compare(&then.settings, &now.settings)?,
        style: optional(|it| it.style.as_deref())?,
        custom_theme: optional(|it| it.custom_theme.as_deref())?,
        rows: rows::compare(&old.records, &new.records, columns)?,
    })
}

fn change<T: PartialEq + Clone>(old: &T, new: &T) -> Option<Change<T>> {
    (old != new).then(|| Change { old: old.clone(), new: new.clone() })
}
