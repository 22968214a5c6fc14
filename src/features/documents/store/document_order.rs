//! SQL for the order and the filter of listed documents.

use std::sync::LazyLock;

use rusqlite::ToSql;

use crate::features::portfolio;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::language;
use chartroom_platform::language::Language;
use chartroom_platform::text;

/// Values of the parameter `sort`.
pub const SORT_VALUES: [&str; 8] =
    ["-updated", "updated", "title", "-title", "-created", "created", "kind", "-kind"];

/// The property by which documents are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortKey {
    Updated,
    Created,
    /// Title without case and accents, numbers by their value.
    Title,
    /// Title of the chart kind, then the title.
    Kind,
}

/// Order and filter of listed documents. The default lists all, last changed first.
#[derive(Debug, Clone)]
pub struct DocumentOrder {
    key: SortKey,
    is_descending: bool,
    /// UUID of the chart kind that documents must have. None lists all.
    kind: Option<String>,
}

impl Default for DocumentOrder {
    fn default() -> Self {
        Self { key: SortKey::Updated, is_descending: true, kind: None }
    }
}

/// Returns the UUIDs of all chart kinds, sorted by the title in the language of the request and joined.
fn list_kinds_by_title() -> &'static String {
    static ENGLISH: LazyLock<String> = LazyLock::new(sort_kinds);
    static GERMAN: LazyLock<String> = LazyLock::new(sort_kinds);
    match language::current() {
        Language::English => &ENGLISH,
        Language::German => &GERMAN,
    }
}

/// Sorts the kinds for [`list_kinds_by_title`].
fn sort_kinds() -> String {
    let mut kinds: Vec<_> = portfolio::localized_kinds().iter().collect();
    kinds.sort_by_key(|kind| text::fold(&kind.title));
    kinds.iter().map(|kind| kind.id.as_str()).collect()
}

impl DocumentOrder {
    /// Parses the parameters `sort`, one of [`SORT_VALUES`], and `kind`, the id or slug of a chart kind.
    /// Absent parameters give the default.
    ///
    /// # Errors
    /// `InvalidFields` about `sort` or `kind`.
    pub fn parse(sort: Option<&str>, kind: Option<&str>) -> Result<Self> {
        let sort = sort.unwrap_or(SORT_VALUES[0]);
        let (name, is_descending) = match sort.strip_prefix('-') {
            Some(name) => (name, true),
            None => (sort, false),
        };
        let key = match name {
            "updated" => SortKey::Updated,
            "created" => SortKey::Created,
            "title" => SortKey::Title,
            "kind" => SortKey::Kind,
            _ => {
                let message = format!("must be one of {}", SORT_VALUES.join(", "));
                return Err(Error::invalid_field("sort", message));
            }
        };
        let find_kind = |text: &str| {
            let absent =
                || Error::invalid_field("kind", format!("there is no chart kind {text:?}"));
            portfolio::find_kind(text).ok_or_else(absent)
        };
        let kind = kind.map(find_kind).transpose()?;
        Ok(Self { key, is_descending, kind: kind.map(|kind| kind.id.clone()) })
    }

    /// Whether only documents of one kind are listed.
    pub fn has_filter(&self) -> bool {
        self.kind.is_some()
    }

    /// Returns the order of folders that are listed above the documents, as terms for `order by`: in
    /// natural order if the documents are sorted by title, otherwise by the folded title.
    pub fn folder_terms(&self) -> &'static str {
        match (self.key, self.is_descending) {
            (SortKey::Title, false) => "natural_sort_key(title_key), id",
            (SortKey::Title, true) => "natural_sort_key(title_key) desc, id desc",
            _ => "title_key, id",
        }
    }

    /// Returns an SQL condition on a row of `node`, which starts with `and`, or an empty text. It uses the
    /// parameter `:kind`.
    pub fn condition(&self) -> &'static str {
        match self.kind {
            Some(_) => " and (select kind from document where document.id = node.id) = :kind",
            None => "",
        }
    }

    /// Returns the terms for `order by` of rows of `node`. They may use the parameter `:kinds`.
    pub fn terms(&self) -> String {
        let direction = if self.is_descending { "desc" } else { "asc" };
        let term = match self.key {
            SortKey::Updated => "updated",
            SortKey::Created => "created",
            SortKey::Title => "natural_sort_key(title_key)",
            SortKey::Kind => {
                let kind = "(select kind from document where document.id = node.id)";
                return format!(
                    "instr(:kinds, {kind}) {direction}, natural_sort_key(title_key), id"
                );
            }
        };
        format!("{term} {direction}, id {direction}")
    }

    /// Returns the values of the parameters that [`Self::condition`] and [`Self::terms`] may use.
    pub fn parameters(&self) -> [(&'static str, &dyn ToSql); 2] {
        [(":kind", &self.kind), (":kinds", list_kinds_by_title())]
    }
}
