//! Datasets of JSON-stat 2.0 (<https://json-stat.org/full/>), as Eurostat and other statistical offices send them.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json_records;
use super::json_records::Members;
use super::limits::MAX_CELLS;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// Heading of the column with the values.
const VALUE_HEADING: &str = "value";

/// A dataset. Its values stand in row-major order of the dimensions.
#[derive(Deserialize)]
struct Dataset<'a> {
    /// Keys of the dimensions.
    id: Vec<String>,
    /// Numbers of the categories of the dimensions.
    size: Vec<usize>,
    dimension: HashMap<String, Dimension>,
    /// A list, or an object with the positions of the values that exist.
    #[serde(borrow)]
    value: &'a RawValue,
}

/// A dimension, such as the years.
#[derive(Deserialize)]
struct Dimension {
    label: Option<String>,
    category: Categories,
}

/// The categories of a dimension. At least one of the members exists.
#[derive(Deserialize)]
struct Categories {
    index: Option<CategoryIndex>,
    /// Texts for people by code.
    #[serde(default)]
    label: HashMap<String, String>,
}

/// The order of the codes of the categories.
#[derive(Deserialize)]
#[serde(untagged)]
enum CategoryIndex {
    Codes(Vec<String>),
    Positions(HashMap<String, usize>),
}

/// A dimension with more than one category, as a column.
struct Column {
    heading: String,
    /// Names of the categories as JSON texts.
    names: Vec<String>,
    /// Difference of the positions of values in successive categories.
    stride: usize,
}

/// Returns whether an object with these members is a dataset.
pub(super) fn is_dataset(members: &[(String, &RawValue)]) -> bool {
    let has = |wanted: &str, start: &[char]| {
        members.iter().any(|(key, value)| key == wanted && value.get().starts_with(start))
    };
    has("id", &['['])
        && has("size", &['['])
        && has("dimension", &['{'])
        && has("value", &['[', '{'])
}

/// Writes a dataset as the text of a JSON array of arrays: a row for each value, with the names of its categories.
/// Dimensions with one category are left out, because they tell the same about each value, unless all are such.
///
/// # Errors
/// `InvalidFields` about `body` for a dataset that breaks the rules of the format, and beyond the limits of columns
/// and cells.
pub(super) fn write_rows(dataset: &RawValue) -> Result<Vec<u8>> {
    let dataset: Dataset<'_> = serde_json::from_str(dataset.get()).map_err(damaged)?;
    let size = dataset.size.iter().try_fold(1_usize, |size, count| size.checked_mul(*count));
    let has_all = dataset.id.len() == dataset.size.len() && !dataset.size.contains(&0);
    let size = size.filter(|_| has_all).ok_or_else(|| damaged("its dimensions differ"))?;
    if dataset.id.len() >= MAX_COLUMNS {
        return Err(body_error(format!("has more than {MAX_COLUMNS} columns")));
    }
    let values = read_values(dataset.value, size)?;
    let columns = read_columns(&dataset)?;
    if values.len().saturating_mul(columns.len() + 1) > MAX_CELLS {
        return Err(body_error(format!("has more than {MAX_CELLS} cells")));
    }
    json_records::write_rows(values.len(), |index| {
        let (position, value) = values[index];
        let mut cells: Vec<(String, &str)> = Vec::with_capacity(columns.len() + 1);
        for Column { heading, names, stride } in &columns {
            cells.push((heading.clone(), &names[position / stride % names.len()]));
        }
        cells.push((VALUE_HEADING.to_owned(), value));
        Ok(cells)
    })
}

/// Returns the values that exist with their positions, in the order of the positions.
fn read_values(values: &RawValue, size: usize) -> Result<Vec<(usize, &str)>> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    if values.get().starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(values.get()).map_err(damaged)?;
        found.extend(list.into_iter().map(RawValue::get).enumerate());
    } else {
        let Members(members) = serde_json::from_str(values.get()).map_err(damaged)?;
        for (key, value) in members {
            let position = key.parse().map_err(|_| damaged("a position is no number"))?;
            found.push((position, value.get()));
        }
        found.sort_by_key(|(position, _)| *position);
    }
    if found.iter().any(|(position, value)| *position >= size || value.starts_with(['[', '{'])) {
        return Err(damaged("a value has no categories"));
    }
    found.retain(|(_, value)| *value != "null");
    Ok(found)
}

/// Returns the columns of the dimensions.
///
/// # Errors
/// `InvalidFields` about `body` if a dimension has another number of categories than it should.
fn read_columns(dataset: &Dataset<'_>) -> Result<Vec<Column>> {
    let is_single = dataset.size.iter().all(|size| *size == 1);
    let mut columns = Vec::new();
    let mut stride = 1;
    for (key, size) in dataset.id.iter().zip(&dataset.size).rev() {
        if *size > 1 || is_single {
            let dimension = dataset.dimension.get(key);
            let dimension = dimension.ok_or_else(|| damaged("a dimension is missing"))?;
            let names = read_categories(&dimension.category, *size)
                .ok_or_else(|| damaged("a dimension has other categories than it names"))?;
            let label = dimension.label.clone().filter(|label| label != VALUE_HEADING);
            columns.push(Column { heading: label.unwrap_or_else(|| key.clone()), names, stride });
        }
        stride *= size;
    }
    columns.reverse();
    Ok(columns)
}

/// Returns the names of categories as JSON texts, in their order.
fn read_categories(categories: &Categories, size: usize) -> Option<Vec<String>> {
    let mut codes: Vec<&String> = match &categories.index {
        Some(CategoryIndex::Codes(codes)) => codes.iter().collect(),
        Some(CategoryIndex::Positions(positions)) => {
            let mut codes: Vec<(&String, usize)> =
                positions.iter().map(|(code, position)| (code, *position)).collect();
            codes.sort_by_key(|(_, position)| *position);
            codes.into_iter().map(|(code, _)| code).collect()
        }
        None => categories.label.keys().collect(),
    };
    codes.truncate(size.saturating_add(1));
    let name =
        |code: &&String| serde_json::to_string(categories.label.get(*code).unwrap_or(code)).ok();
    codes.iter().map(name).collect::<Option<Vec<String>>>().filter(|names| names.len() == size)
}
