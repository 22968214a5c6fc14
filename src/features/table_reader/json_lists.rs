//! The lists in JSON that can be the rows of a table.

use serde_json::value::RawValue;

use super::json_dates;
use super::json_records;
use super::json_records::Members;
use super::json_stat;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// Maximum depth at which lists are searched.
const MAX_DEPTH: usize = 6;
/// Maximum length of a list with different values that is searched. The World Bank sends such a list: the page, and
/// then its records.
const MAX_MIXED_VALUES: usize = 16;
/// Maximum length in bytes of a key with lists. Names of lists are part of messages.
const MAX_KEY_BYTES: usize = 100;
/// Maximum number of lists in a document. Each takes more memory than a short text of it.
const MAX_LISTS: usize = 1000;
/// Maximum size in bytes of a list that describes columns. It is parsed for each other list.
const MAX_DESCRIPTION_BYTES: usize = 1 << 20;
/// Keys of the name of a column in a list that describes columns.
const NAME_KEYS: [&str; 6] = ["fieldName", "name", "id", "field", "key", "label"];
/// Keys of lists with the names of columns, in lower case.
const HEADING_KEYS: [&str; 6] = ["columns", "headers", "header", "fields", "names", "columnnames"];

/// The lists of a document.
#[derive(Debug, Default)]
pub(super) struct Lists<'a> {
    pub found: Vec<FoundList<'a>>,
    /// Lists of names, which can be headings.
    pub names: ColumnNames,
    /// Places of the empty lists.
    pub empty: Vec<String>,
    /// Number of lists so far.
    searched: usize,
}

/// A list with its place, such as `result.records`.
#[derive(Debug)]
pub(super) struct FoundList<'a> {
    pub place: String,
    pub kind: ListKind<'a>,
}

/// The content of a list.
#[derive(Debug)]
pub(super) enum ListKind<'a> {
    /// Objects.
    Records(Vec<&'a RawValue>),
    /// Features of GeoJSON.
    Features(Vec<&'a RawValue>),
    /// Lists of single values. `width` is their length if all have the same.
    Rows { text: &'a RawValue, width: Option<usize> },
    /// Lists of single values with their names. All have the same length.
    Columns(Vec<(String, &'a RawValue)>),
    /// An object with dates as keys.
    Dated(&'a RawValue),
    /// A dataset of JSON-stat.
    Statistics(&'a RawValue),
}

/// Lists of names with their places.
#[derive(Debug, Default)]
pub(super) struct ColumnNames(Vec<(String, Vec<String>)>);

impl ColumnNames {
    /// Returns the names of the columns of rows with this place and width: the only list of as many names, or else
    /// the only one of them with a key for headings.
    pub fn find(&self, place: &str, width: usize) -> Option<Vec<String>> {
        let fits = |(own, names): &&(String, Vec<String>)| own != place && names.len() == width;
        let fitting: Vec<&(String, Vec<String>)> = self.0.iter().filter(fits).collect();
        let is_heading = |(place, _): &&&(String, Vec<String>)| {
            let key = place.rsplit('.').next().unwrap_or_default().to_lowercase();
            HEADING_KEYS.contains(&&*key)
        };
        let headings: Vec<&(String, Vec<String>)> =
            fitting.iter().filter(|list| is_heading(list)).copied().collect();
        match (&headings[..], &fitting[..]) {
            ([(_, names)], _) | ([], [(_, names)]) => Some(names.clone()),
            _ => None,
        }
    }
}

impl FoundList<'_> {
    /// Returns whether all records are links, such as those to the next page, and no data.
    pub fn has_links(&self) -> bool {
        let ListKind::Records(records) = &self.kind else { return false };
        read_values(records, "href").is_some()
    }

    /// Returns whether this list describes the columns of another one, as `fields` of CKAN and `columns` of Socrata
    /// do: each record names one.
    pub fn describes_columns_of(&self, other: &Self) -> bool {
        let ListKind::Records(records) = &self.kind else { return false };
        match &other.kind {
            ListKind::Rows { width, .. } => {
                *width == Some(records.len()) && read_names(records).is_some()
            }
            ListKind::Records(others) => {
                let Some(Members(first)) =
                    others.first().and_then(|record| serde_json::from_str(record.get()).ok())
                else {
                    return false;
                };
                let is_key = |name: &String| first.iter().any(|(key, _)| key == name);
                NAME_KEYS.iter().any(|key| {
                    read_values(records, key).is_some_and(|names| names.iter().all(is_key))
                })
            }
            _ => false,
        }
    }
}

/// Returns the texts of a key in all records. None if a record lacks one, for more than `MAX_COLUMNS` records, and for
/// more than `MAX_DESCRIPTION_BYTES`.
fn read_values(records: &[&RawValue], key: &str) -> Option<Vec<String>> {
    let read = |record: &&RawValue| {
        let Members(members) = serde_json::from_str(record.get()).ok()?;
        let (_, value) = members.into_iter().find(|(name, _)| name == key)?;
        serde_json::from_str(value.get()).ok()
    };
    let bytes: usize = records.iter().map(|record| record.get().len()).sum();
    let is_small = records.len() <= MAX_COLUMNS && bytes <= MAX_DESCRIPTION_BYTES;
    is_small.then(|| records.iter().map(read).collect()).flatten()
}

/// Returns the names of the columns that records describe.
fn read_names(records: &[&RawValue]) -> Option<Vec<String>> {
    // The name for people comes first here.
    ["name", "label", "title"]
        .into_iter()
        .chain(NAME_KEYS)
        .find_map(|key| read_values(records, key))
}

/// Finds the lists of a document.
///
/// # Errors
/// `InvalidFields` about `body` if the text is damaged.
pub(super) fn find_lists(value: &RawValue) -> Result<Lists<'_>> {
    let mut lists = Lists::default();
    lists.search(value, String::new(), MAX_DEPTH)?;
    Ok(lists)
}

impl<'a> Lists<'a> {
    /// Adds the lists of a value.
    fn search(&mut self, value: &'a RawValue, place: String, depth: usize) -> Result<()> {
        match value.get().as_bytes().first() {
            Some(b'[') => self.search_list(value, place, depth),
            Some(b'{') if depth > 0 => self.search_object(value, &place, depth - 1),
            _ => Ok(()),
        }
    }

    /// Adds a list, or the lists in it if it has different values.
    fn search_list(&mut self, list: &'a RawValue, place: String, depth: usize) -> Result<()> {
        self.searched += 1;
        if self.searched > MAX_LISTS {
            return Err(body_error(format!("has more than {MAX_LISTS} lists")));
        }
        let values: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(damaged)?;
        let is_all = |start: char| values.iter().all(|value| value.get().starts_with(start));
        if values.is_empty() {
            self.empty.push(place);
        } else if is_all('{') {
            if let Some(names) = read_names(&values) {
                self.names.0.push((place.clone(), names));
            }
            self.found.push(FoundList { place, kind: ListKind::Records(values) });
        } else if is_all('[') {
            if let Some(width) = find_width(&values) {
                let kind = ListKind::Rows { text: list, width };
                self.found.push(FoundList { place, kind });
            }
        } else if values.iter().all(|value| value.get().starts_with('"')) {
            if let Some(names) = read_texts(&values) {
                self.names.0.push((place, names));
            }
        } else if values.len() <= MAX_MIXED_VALUES && depth > 0 {
            for (index, value) in values.into_iter().enumerate() {
                self.search(value, format!("{place}[{index}]"), depth - 1)?;
            }
        }
        Ok(())
    }

    /// Adds the lists of an object: its columns, and those of its members.
    fn search_object(&mut self, object: &'a RawValue, place: &str, depth: usize) -> Result<()> {
        let Members(members) = serde_json::from_str(object.get()).map_err(damaged)?;
        if json_stat::is_dataset(&members) {
            let kind = ListKind::Statistics(object);
            self.found.push(FoundList { place: place.to_owned(), kind });
            return Ok(());
        }
        if json_dates::is_dated(&members) {
            let kind = ListKind::Dated(object);
            self.found.push(FoundList { place: place.to_owned(), kind });
            return Ok(());
        }
        let first = self.found.len();
        let is_collection = members
            .iter()
            .any(|(key, value)| key == "type" && value.get() == "\"FeatureCollection\"");
        for (key, value) in members.iter().filter(|(key, _)| key.len() <= MAX_KEY_BYTES) {
            let below = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            self.search(value, below.clone(), depth)?;
            if let Some(list) = self.found.last_mut()
                && let ListKind::Records(features) = &mut list.kind
                && is_collection
                && key == "features"
                && list.place == below
            {
                list.kind = ListKind::Features(std::mem::take(features));
            }
        }
        let has_rows =
            self.found[first..].iter().any(|list| matches!(list.kind, ListKind::Rows { .. }));
        if let Some(columns) = find_columns(&members).filter(|_| !has_rows) {
            let kind = ListKind::Columns(columns);
            self.found.push(FoundList { place: place.to_owned(), kind });
        }
        Ok(())
    }
}

/// Returns the texts of values. None for more than `MAX_COLUMNS` values, and if one is no text.
fn read_texts(values: &[&RawValue]) -> Option<Vec<String>> {
    let read = |value: &&RawValue| serde_json::from_str(value.get()).ok();
    (values.len() <= MAX_COLUMNS).then(|| values.iter().map(read).collect()).flatten()
}

/// Returns the common length of lists of single values, or None within if it differs. None if a list has lists or
/// objects.
fn find_width(rows: &[&RawValue]) -> Option<Option<usize>> {
    let mut widths = Vec::new();
    for row in rows {
        let cells: Vec<&RawValue> = serde_json::from_str(row.get()).ok()?;
        if cells.iter().any(|cell| json_records::is_nested(cell)) {
            return None;
        }
        widths.push(cells.len());
    }
    let first = *widths.first()?;
    Some(widths.iter().all(|width| *width == first).then_some(first))
}

/// Returns the members of an object that are lists of single values. None with fewer than two, and if their lengths
/// differ.
fn find_columns<'a>(members: &[(String, &'a RawValue)]) -> Option<Vec<(String, &'a RawValue)>> {
    let mut columns = Vec::new();
    let mut length = None;
    for (key, value) in members.iter().filter(|(_, value)| value.get().starts_with('[')) {
        let cells: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        if cells.is_empty() || cells.iter().any(|cell| json_records::is_nested(cell)) {
            continue;
        }
        if *length.get_or_insert(cells.len()) != cells.len() {
            return None;
        }
        columns.push((key.clone(), *value));
    }
    (columns.len() > 1).then_some(columns)
}
