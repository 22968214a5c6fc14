//! Records for any chart kind, created from the columns in its `kind.json`, without randomness.

use serde_json::{Map, Value, json};

/// Special property of the generated records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataShape {
    /// Short labels, three repetitions of repeating columns, and trees with three children per
    /// node.
    Usual,
    /// Labels of 200 characters.
    LongLabels,
    /// A thousand repetitions of repeating columns.
    ThousandSeries,
    /// Trees and links that form one chain: the parent of each record is the previous record.
    Chain,
    /// Trees and links in which the first record is the parent of all others.
    Star,
    /// The same label and date in every record.
    Equal,
}

/// All data shapes with their names.
pub const DATA_SHAPES: [(&str, DataShape); 6] = [
    ("usual", DataShape::Usual),
    ("long-labels", DataShape::LongLabels),
    ("thousand-series", DataShape::ThousandSeries),
    ("chain", DataShape::Chain),
    ("star", DataShape::Star),
    ("equal", DataShape::Equal),
];

/// Codes for columns with the role `region`.
const REGION_CODES: [&str; 8] = ["DE", "FR", "US", "BR", "IN", "CN", "ZA", "AU"];
/// Codes for the field column of a SWOT analysis.
const SWOT_FIELDS: [&str; 4] = ["strengths", "weaknesses", "opportunities", "threats"];

/// Creates `count` records for a kind from the content of its `kind.json`.
pub fn create_records(description: &Value, shape: DataShape, count: usize) -> Vec<Value> {
    let no_columns = Vec::new();
    let columns = description["data_columns"].as_array().unwrap_or(&no_columns);
    (0..count).map(|row| create_record(columns, shape, row)).collect()
}

/// Creates the record with a number.
fn create_record(columns: &[Value], shape: DataShape, row: usize) -> Value {
    let mut cells = Map::new();
    for column in columns {
        let key = column["key"].as_str().unwrap_or_default();
        let repetitions = match (column["repeats"] == true, shape) {
            (false, _) => 1,
            (true, DataShape::ThousandSeries) => 1000,
            (true, _) => 3,
        };
        for index in 0..repetitions {
            let key = if index == 0 { key.to_owned() } else { format!("{key}-{index}") };
            // A low-discrepancy sequence: multiples of the golden ratio modulo 1.
            let spread = (row as f64 * 0.618_034 + cells.len() as f64 * 0.382).fract();
            cells.insert(key, create_cell(column, shape, row, spread));
        }
    }
    Value::Object(cells)
}

/// Creates the value of a column from its type and role. `spread` is a number from 0 to 1.
fn create_cell(column: &Value, shape: DataShape, row: usize, spread: f64) -> Value {
    let label = |row: usize| match shape {
        DataShape::LongLabels => {
            format!("Item {row} {}", "of a name that nobody cut short ".repeat(6))
        }
        DataShape::Equal => "Item".to_owned(),
        _ => format!("Item {row}"),
    };
    let parent_row = match shape {
        DataShape::Chain => row.checked_sub(1),
        DataShape::Star | DataShape::Equal => (row > 0).then_some(0),
        _ => row.checked_sub(1).map(|previous_row| previous_row / 3),
    };
    let day = if shape == DataShape::Equal { 0 } else { row };
    match (column["type"].as_str(), column["role"].as_str()) {
        (Some("boolean"), _) => json!(row % 10 == 3),
        (Some("number"), Some("progress")) => json!(spread),
        (Some("number"), _) => json!((spread * 10_000.0).round() / 100.0 + 1.0),
        (_, Some("end")) => json!(format_date(day + 20)),
        (Some("date"), _) => json!(format_date(day)),
        (_, Some("parent" | "link" | "source")) => json!(parent_row.map(label)),
        (_, Some("type" | "color")) => Value::Null,
        (_, Some("region")) => json!(REGION_CODES[row % REGION_CODES.len()]),
        // The fields of a SWOT analysis.
        (_, Some("group")) if column["key"] == "field" => {
            json!(SWOT_FIELDS[row % SWOT_FIELDS.len()])
        }
        (_, Some("group")) => json!(format!("Group {}", row % 300)),
        (_, Some("series" | "column")) => json!((spread * 100.0).round()),
        // Ids, labels, targets and notes.
        _ => json!(label(row)),
    }
}

/// Formats the date that is a number of days after 1900-01-01, as ISO 8601.
fn format_date(days: usize) -> String {
    // Days from 1970-01-01 to 1900-01-01.
    const FIRST: f64 = -25_567.0;
    let civil_date = chartroom_charts::format::date::to_civil((FIRST + days as f64) * 86_400.0);
    format!("{:04}-{:02}-{:02}", civil_date.year, civil_date.month, civil_date.day)
}
