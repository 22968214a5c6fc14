//! Records for any kind, made from what its `kind.json` says of its columns, without randomness.

use serde_json::{Map, Value, json};

/// Special property of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Short labels; at most three columns that repeat; trees three wide.
    Usual,
    /// Labels of 200 characters.
    LongLabels,
    /// A thousand columns where columns may repeat.
    ThousandSeries,
    /// Trees and links that are one chain, each record below the one before.
    Chain,
    /// Trees and links of one hub that has all the others.
    Star,
    /// The same label, date and group everywhere.
    Equal,
}

/// Every form with its name.
pub const FORMS: [(&str, Form); 6] = [
    ("usual", Form::Usual),
    ("long-labels", Form::LongLabels),
    ("thousand-series", Form::ThousandSeries),
    ("chain", Form::Chain),
    ("star", Form::Star),
    ("equal", Form::Equal),
];

/// Values for columns with a fixed set of codes.
const REGIONS: [&str; 8] = ["DE", "FR", "US", "BR", "IN", "CN", "ZA", "AU"];
const FIELDS: [&str; 4] = ["strengths", "weaknesses", "opportunities", "threats"];

/// So many records in the columns of a kind, given the content of its `kind.json`.
pub fn records(about: &Value, form: Form, count: usize) -> Vec<Value> {
    let none = Vec::new();
    let columns = about["data_columns"].as_array().unwrap_or(&none);
    (0..count).map(|row| record(columns, form, row)).collect()
}

fn record(columns: &[Value], form: Form, row: usize) -> Value {
    let mut cells = Map::new();
    for column in columns {
        let key = column["key"].as_str().unwrap_or_default();
        let repeats = match (column["repeats"] == true, form) {
            (false, _) => 1,
            (true, Form::ThousandSeries) => 1000,
            (true, _) => 3,
        };
        for at in 0..repeats {
            let key = if at == 0 { key.to_owned() } else { format!("{key}-{at}") };
            // A fixed sequence that spreads evenly: steps of the golden section.
            let spread = (row as f64 * 0.618_034 + cells.len() as f64 * 0.382).fract();
            cells.insert(key, cell(column, form, row, spread));
        }
    }
    Value::Object(cells)
}

fn cell(column: &Value, form: Form, row: usize, spread: f64) -> Value {
    let label = |row: usize| match form {
        Form::LongLabels => format!("Item {row} {}", "of a name that nobody cut short ".repeat(6)),
        Form::Equal => "Item".to_owned(),
        _ => format!("Item {row}"),
    };
    let above = match form {
        Form::Chain => row.checked_sub(1),
        Form::Star | Form::Equal => (row > 0).then_some(0),
        _ => row.checked_sub(1).map(|it| it / 3),
    };
    let day = if form == Form::Equal { 0 } else { row };
    match (column["type"].as_str(), column["role"].as_str()) {
        (Some("boolean"), _) => json!(row % 10 == 3),
        (Some("number"), Some("progress")) => json!(spread),
        (Some("number"), _) => json!((spread * 10_000.0).round() / 100.0 + 1.0),
        (_, Some("end")) => json!(date(day + 20)),
        (Some("date"), _) => json!(date(day)),
        (_, Some("parent" | "link" | "source")) => json!(above.map(label)),
        (_, Some("type" | "color")) => Value::Null,
        (_, Some("region")) => json!(REGIONS[row % REGIONS.len()]),
        // The fields of a SWOT analysis.
        (_, Some("group")) if column["key"] == "field" => json!(FIELDS[row % FIELDS.len()]),
        (_, Some("group")) => json!(format!("Group {}", row % 300)),
        (_, Some("series" | "column")) => json!((spread * 100.0).round()),
        // Ids, labels, targets and notes.
        _ => json!(label(row)),
    }
}

/// A day after 1900-01-01, as ISO 8601.
fn date(days: usize) -> String {
    const FIRST: f64 = -25_567.0;
    let it = chartroom_charts::format::date::to_civil((FIRST + days as f64) * 86_400.0);
    format!("{:04}-{:02}-{:02}", it.year, it.month, it.day)
}
