//! The rows of a table somewhere in JSON, as the interfaces of web services send it.
//!
//! A list of records may stand in an envelope, such as `{"data": […]}`. Other forms of rows are an array of arrays,
//! columns of the same length, the features of GeoJSON, an object with dates as keys, JSON-stat, and one record on each
//! line. A document with
//! several of them is refused, because nothing tells which one is meant.

use serde_json::value::RawValue;

use super::json_dates;
use super::json_lists;
use super::json_lists::FoundList;
use super::json_lists::ListKind;
use super::json_lists::Lists;
use super::json_records;
use super::json_records::Members;
use super::json_stat;
use super::json_table;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// Maximum depth of objects in a record. Their keys are joined with periods.
const MAX_RECORD_DEPTH: usize = 4;
/// Maximum number of lists that are compared with each other. The time grows with the square of their number.
const MAX_COMPARED_LISTS: usize = 8;
/// Maximum number of places in an error.
const MAX_NAMED_PLACES: usize = 4;

/// The rows of a table that were found in JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct JsonRows {
    /// JSON text of an array of arrays.
    pub text: Vec<u8>,
    /// Place of the rows, such as `result.records`. Empty for the whole text.
    pub place: String,
    /// Whether the first row has the headings. Otherwise its cells tell.
    pub has_headings: bool,
}

/// Finds the only list of records in JSON. `pages` are the further pages of the same list, if it has some.
///
/// # Errors
/// `InvalidFields` about `body` for a damaged text, without or with several lists, beyond the limits of columns and
/// cells, and for a page that has no records at the same place.
pub fn find_json_rows(bytes: &[u8], pages: &[&[u8]]) -> Result<JsonRows> {
    let bytes = json_table::without_byte_order_mark(bytes);
    let values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    let values: Vec<&RawValue> = values.collect::<serde_json::Result<_>>().map_err(damaged)?;
    let mut list = match &values[..] {
        [] => return Err(body_error("is JSON without a list of records")),
        [value] => choose_list(json_lists::find_lists(value)?)?,
        // JSON Lines.
        _ => ChosenList { place: String::new(), kind: ListKind::Records(values), headings: None },
    };
    for page in pages {
        list.add_page(page)?;
    }
    list.into_rows()
}

/// Place and number of the records in JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct RecordList {
    /// Place, such as `result.records`. Empty for the whole text.
    pub place: String,
    /// Number of records.
    pub count: usize,
}

/// Finds the only list of records in JSON, or the list at `place`. None if there is none, or if it has another form
/// than records.
pub fn find_record_list(bytes: &[u8], place: Option<&str>) -> Option<RecordList> {
    let bytes = json_table::without_byte_order_mark(bytes);
    let value: &RawValue = serde_json::from_slice(bytes).ok()?;
    let lists = json_lists::find_lists(value).ok()?;
    let (place, kind) = match place {
        Some(place) if lists.empty.iter().any(|empty| empty == place) => {
            return Some(RecordList { place: place.to_owned(), count: 0 });
        }
        Some(place) => {
            let list = lists.found.into_iter().find(|list| list.place == place)?;
            (list.place, list.kind)
        }
        None => {
            let list = choose_list(lists).ok()?;
            (list.place, list.kind)
        }
    };
    match kind {
        ListKind::Records(records) | ListKind::Features(records) => {
            Some(RecordList { place, count: records.len() })
        }
        _ => None,
    }
}

/// The list of a document that has the data.
struct ChosenList<'a> {
    place: String,
    kind: ListKind<'a>,
    /// Headings elsewhere in the document.
    headings: Option<Vec<String>>,
}

impl<'a> ChosenList<'a> {
    /// Adds the records of a further page.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the page has no records at the same place, or the list another form.
    fn add_page(&mut self, bytes: &'a [u8]) -> Result<()> {
        let bytes = json_table::without_byte_order_mark(bytes);
        let value: &RawValue = serde_json::from_slice(bytes).map_err(damaged)?;
        let lists = json_lists::find_lists(value)?;
        if lists.empty.contains(&self.place) {
            return Ok(());
        }
        let page = lists.found.into_iter().find(|list| list.place == self.place);
        match (&mut self.kind, page.map(|page| page.kind)) {
            (ListKind::Records(records), Some(ListKind::Records(others)))
            | (ListKind::Features(records), Some(ListKind::Features(others))) => {
                records.extend(others);
                Ok(())
            }
            _ => Err(body_error("is JSON in pages that differ in their form")),
        }
    }

    /// Converts the list.
    ///
    /// # Errors
    /// Those of [`find_json_rows`].
    fn into_rows(self) -> Result<JsonRows> {
        let rows = build_rows(self.kind, self.place)?;
        match self.headings {
            Some(headings) => rows.with_headings(&headings),
            None => Ok(rows),
        }
    }
}

/// Returns the only list of a document.
///
/// # Errors
/// Those of [`find_json_rows`].
fn choose_list(lists: Lists<'_>) -> Result<ChosenList<'_>> {
    let Lists { mut found, names, mut empty, .. } = lists;
    if (2..=MAX_COMPARED_LISTS).contains(&found.len()) {
        drop_lists_aside(&mut found);
    }
    if found.len() > 1 {
        let places = found.iter().map(|list| list.place.as_str());
        let mut named: Vec<&str> = places.take(MAX_NAMED_PLACES).collect();
        if found.len() > MAX_NAMED_PLACES {
            named.push("…");
        }
        let places = named.join(", ");
        return Err(body_error(format!("is JSON with several lists of records ({places})")));
    }
    match (found.pop(), empty.pop()) {
        (Some(FoundList { place, kind }), _) => {
            let headings = match &kind {
                ListKind::Rows { width: Some(width), .. } => names.find(&place, *width),
                _ => None,
            };
            Ok(ChosenList { place, kind, headings })
        }
        (None, Some(place)) if !place.is_empty() => {
            Err(body_error(format!("is JSON with an empty list ({place})")))
        }
        (None, Some(_)) => Err(body_error("is JSON with an empty list")),
        (None, None) => Err(body_error("is JSON without a list of records")),
    }
}

/// Removes the lists that are not the data: all others if lists describe the columns of some, and otherwise links.
fn drop_lists_aside(found: &mut Vec<FoundList<'_>>) {
    let is_described = |index: usize| {
        let mut others = found.iter().enumerate().filter(|(other, _)| *other != index);
        others.any(|(_, other)| other.describes_columns_of(&found[index]))
    };
    let described: Vec<bool> = (0..found.len()).map(is_described).collect();
    let has_described = described.contains(&true);
    let mut described = described.into_iter();
    found.retain(|list| {
        let is_described = described.next().unwrap_or_default();
        if has_described { is_described } else { !list.has_links() }
    });
}

impl JsonRows {
    /// Adds a first row with headings.
    fn with_headings(self, headings: &[String]) -> Result<Self> {
        let mut text = vec![b'['];
        serde_json::to_writer(&mut text, headings).map_err(damaged)?;
        text.push(b',');
        text.extend_from_slice(self.text.get(1..).unwrap_or_default());
        Ok(Self { text, has_headings: true, ..self })
    }
}

/// Converts a list to an array of arrays.
///
/// # Errors
/// Those of [`find_json_rows`].
fn build_rows(list: ListKind<'_>, place: String) -> Result<JsonRows> {
    let has_headings = !matches!(list, ListKind::Rows { .. });
    let text = match list {
        ListKind::Records(records) => {
            json_records::write_rows(records.len(), |index| read_record(records[index]))?
        }
        ListKind::Features(features) => {
            json_records::write_rows(features.len(), |index| read_feature(features[index]))?
        }
        ListKind::Rows { text, .. } => text.get().as_bytes().to_vec(),
        ListKind::Columns(columns) => write_columns(&columns)?,
        ListKind::Dated(object) => {
            let members = json_dates::members_of(object)?;
            json_records::write_rows(members.len(), |index| {
                let (date, value) = &members[index];
                json_dates::read_member((date, value), read_record)
            })?
        }
        ListKind::Statistics(dataset) => json_stat::write_rows(dataset)?,
    };
    if text.starts_with(b"[[]") {
        return Err(body_error("is JSON without a list of records"));
    }
    Ok(JsonRows { text, place, has_headings })
}

/// Returns the values of a record by their keys.
///
/// # Errors
/// `InvalidFields` about `body` if the text is no object.
fn read_record(record: &RawValue) -> Result<Vec<(String, String)>> {
    let mut cells = Vec::new();
    add_members(record, "", MAX_RECORD_DEPTH, &mut cells)?;
    Ok(cells)
}

/// Adds the members of an object, and those of objects in it with joined keys. A list of texts is one text.
/// Other lists are left out, because no cell can show them.
fn add_members(
    object: &RawValue,
    prefix: &str,
    depth: usize,
    cells: &mut Vec<(String, String)>,
) -> Result<()> {
    let Members(members) = serde_json::from_str(object.get())
        .map_err(|_| body_error("is JSON with other values among the records"))?;
    for (key, value) in members {
        let key = format!("{prefix}{key}");
        match value.get().as_bytes().first() {
            Some(b'{') if depth > 0 => {
                add_members(value, &format!("{key}."), depth - 1, cells)?;
            }
            Some(b'{') => {}
            Some(b'[') => {
                if let Ok(texts) = serde_json::from_str::<Vec<String>>(value.get()) {
                    cells.push((key, serde_json::to_string(&texts.join(", ")).map_err(damaged)?));
                }
            }
            _ => cells.push((key, value.get().to_owned())),
        }
    }
    Ok(())
}

/// Returns the properties of a feature of GeoJSON (RFC 7946), and the coordinates of a point.
///
/// # Errors
/// `InvalidFields` about `body` if the text is no object.
fn read_feature(feature: &RawValue) -> Result<Vec<(String, String)>> {
    let Members(members) = serde_json::from_str(feature.get()).map_err(damaged)?;
    let find = |wanted: &str| members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value);
    let mut cells = Vec::new();
    if let Some(properties) = find("properties").filter(|value| value.get() != "null") {
        add_members(properties, "", MAX_RECORD_DEPTH, &mut cells)?;
    }
    let point = find("geometry").and_then(|geometry| find_point(geometry));
    for (key, value) in ["longitude", "latitude"].into_iter().zip(point.into_iter().flatten()) {
        if cells.iter().all(|(other, _)| other != key) {
            cells.push((key.to_owned(), value.to_owned()));
        }
    }
    Ok(cells)
}

/// Returns longitude and latitude of a point of GeoJSON as JSON. None for other geometries.
fn find_point(geometry: &RawValue) -> Option<[&str; 2]> {
    let Members(members) = serde_json::from_str(geometry.get()).ok()?;
    let find = |wanted: &str| members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value);
    if find("type")?.get() != "\"Point\"" {
        return None;
    }
    let coordinates: Vec<&RawValue> = serde_json::from_str(find("coordinates")?.get()).ok()?;
    let [longitude, latitude, ..] = coordinates[..] else { return None };
    (!json_records::is_nested(longitude) && !json_records::is_nested(latitude))
        .then(|| [longitude.get(), latitude.get()])
}

/// Writes columns of the same length as an array of arrays with their names as headings.
///
/// # Errors
/// `InvalidFields` about `body` for more than `MAX_COLUMNS` columns.
fn write_columns(columns: &[(String, &RawValue)]) -> Result<Vec<u8>> {
    if columns.len() > MAX_COLUMNS {
        return Err(body_error(format!("has more than {MAX_COLUMNS} columns")));
    }
    let lists: Vec<Vec<&RawValue>> = columns
        .iter()
        .map(|(_, list)| serde_json::from_str(list.get()).map_err(damaged))
        .collect::<Result<_>>()?;
    let count = lists.first().map_or(0, Vec::len);
    json_records::write_rows(count, |index| {
        let cells = columns
            .iter()
            .zip(&lists)
            .filter_map(|((name, _), list)| Some((name.clone(), list.get(index)?.get())));
        Ok(cells.collect())
    })
}

#[cfg(test)]
mod tests;
