//! Order and filters of the documents on a page of the library, and the form that chooses them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::templates::Arrangement;
use super::templates::Choice;
use crate::features::documents::DocumentOrder;
use crate::features::portfolio;
use chartroom_platform::error::Result;
use chartroom_platform::language;
use chartroom_platform::text;

/// Values of the parameter `sort` with the keys of their labels.
const SORTS: [(&str, &str); 8] = [
    ("-updated", "library-page.sortLastChanged"),
    ("updated", "library-page.sortFirstChanged"),
    ("title", "library-page.sortNameUp"),
    ("-title", "library-page.sortNameDown"),
    ("-created", "library-page.sortNewest"),
    ("created", "library-page.sortOldest"),
    ("kind", "library-page.sortKindUp"),
    ("-kind", "library-page.sortKindDown"),
];

/// Sort and filter of the documents of a page.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct ArrangementQuery {
    /// See [`DocumentOrder::parse`].
    #[serde(default)]
    pub sort: String,
    /// Id or slug of a chart kind. Empty for all.
    #[serde(default)]
    pub kind: String,
    /// Account id of the owner, on the page of all charts. Empty for all.
    #[serde(default)]
    pub owner: String,
}

impl ArrangementQuery {
    /// Returns the order of the documents.
    ///
    /// # Errors
    /// `InvalidFields` about `sort` or `kind`.
    pub fn order(&self) -> Result<DocumentOrder> {
        DocumentOrder::parse(none_if_empty(&self.sort), none_if_empty(&self.kind))
    }

    /// Whether some documents are left out.
    pub fn has_filter(&self) -> bool {
        !self.kind.is_empty() || !self.owner.is_empty()
    }

    /// Returns the URL of a page with these parameters, without those that are empty.
    pub fn url(&self, path: &str) -> String {
        let fields = [("sort", &self.sort), ("kind", &self.kind), ("owner", &self.owner)];
        let used = fields.into_iter().filter(|(_, value)| !value.is_empty());
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(used).finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}&") }
    }
}

/// Returns a parameter, or None if it is empty, as forms send it for the default.
pub fn none_if_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the choices for the form of the page at `path`, with those of the query selected. `owners` are
/// the ids and names of the accounts to choose from; empty for a page with documents of one owner.
pub fn build_arrangement(
    path: &str,
    query: &ArrangementQuery,
    owners: &[(&str, &str)],
) -> Arrangement {
    let choice = |value: &str, label: &str, current: &str| Choice {
        value: value.to_owned(),
        label: label.to_owned(),
        kind_id: String::new(),
        is_selected: value == current,
    };
    let current_sort = if query.sort.is_empty() { "-updated" } else { &query.sort };
    let current_kind = portfolio::find_kind(&query.kind).map_or("", |kind| &kind.slug);
    let mut kinds: Vec<_> = portfolio::localized_kinds()
        .iter()
        .map(|kind| Choice {
            kind_id: kind.id.clone(),
            ..choice(&kind.slug, &kind.title, current_kind)
        })
        .collect();
    kinds.sort_by_key(|choice| text::fold(&choice.label));
    Arrangement {
        path: path.to_owned(),
        sorts: SORTS
            .iter()
            .map(|(value, key)| choice(value, language::text(key), current_sort))
            .collect(),
        kinds,
        owners: owners.iter().map(|(id, name)| choice(id, name, &query.owner)).collect(),
    }
}
