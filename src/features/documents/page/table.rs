//! The records of a document as an HTML table.

use std::fmt::Write;

use serde_json::Value;

use super::HtmlPage;
use super::escape_html;
use crate::features::portfolio::ColumnType;
use chartroom_charts::Locale;
use chartroom_charts::data;
use chartroom_charts::format::FormatRules;
use chartroom_charts::format::NumberFormat;
use chartroom_charts::format::count_decimals;
use chartroom_charts::format::date;

/// Maximum number of columns.
const MAX_COLUMNS: usize = 100;
/// Maximum number of decimals. More are not useful to readers.
const MAX_DECIMALS: usize = 6;

/// A column of the HTML table.
struct TableColumn {
    key: String,
    title: String,
    /// Format of numbers. `None` for a text column: its numbers are shown unformatted.
    numbers: Option<NumberFormat>,
    /// Pattern for dates, if the settings have one.
    dates: Option<String>,
}

/// Appends the records of the page as an HTML table with a caption and at most `MAX_COLUMNS`
/// columns.
///
/// Adds a note if the document has more records than the page.
pub fn write_table(page: &HtmlPage<'_>, out: &mut String) {
    let columns = collect_columns(page);
    out.push_str("<table>\n<caption id=\"data-of\">");
    escape_html(page.heading(), out);
    out.push_str("</caption>\n<thead><tr>");
    for column in &columns {
        let class = if column.numbers.is_some() { " class=\"n\"" } else { "" };
        // Writing to a `String` cannot fail.
        let _ = write!(out, "<th scope=\"col\"{class}>");
        escape_html(&column.title, out);
        out.push_str("</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let locale = Locale::parse(&page.scene.lang);
    for record in page.records {
        out.push_str("<tr>");
        for (index, column) in columns.iter().enumerate() {
            write_cell(column, &record[column.key.as_str()], index == 0, locale, out);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    let shown = page.records.len();
    if page.total > shown as i64 {
        let _ = writeln!(out, "<p>The first {shown} of {} records.</p>", page.total);
    }
}

/// Collects the columns that occur in a record: the first [`MAX_COLUMNS`] in order of appearance.
/// Those of the chart kind come first, then the others.
fn collect_columns(page: &HtmlPage<'_>) -> Vec<TableColumn> {
    let mut keys: Vec<&String> = Vec::new();
    for record in page.records.iter().filter_map(Value::as_object) {
        for key in record.keys() {
            if !keys.contains(&key) && keys.len() < MAX_COLUMNS {
                keys.push(key);
            }
        }
    }
    let known = &page.kind.columns;
    let position =
        |key: &String| known.iter().position(|column| column.key == *key).unwrap_or(known.len());
    keys.sort_by_key(|key| position(key));
    keys.into_iter().map(|key| build_column(page, key)).collect()
}

/// Determines title and formats of a column. The title comes from the series in the settings, else
/// from the chart kind, else it is the key. Numbers are formatted in number columns of the kind,
/// and in unknown columns with only numbers and nulls: with the decimals of the settings, else with
/// as many as the values need, at most `MAX_DECIMALS`.
fn build_column(page: &HtmlPage<'_>, key: &str) -> TableColumn {
    let known = page.kind.columns.iter().find(|column| column.key == key);
    let series = page.settings["series"].as_array().into_iter().flatten();
    let named =
        series.filter(|entry| entry["key"] == key).find_map(|entry| entry["title"].as_str());
    let title =
        named.or(known.filter(|column| !column.repeats).map(|column| column.title.as_str()));
    let rules = FormatRules::from_settings(page.settings, key);
    let values = page.records.iter().map(|record| &record[key]);
    let is_number = match known.map(|column| column.column_type) {
        Some(kind) => kind == ColumnType::Number,
        None => values.clone().all(|value| value.is_number() || value.is_null()),
    };
    let decimals = || {
        let needed = values.filter_map(data::number).map(count_decimals).max();
        needed.unwrap_or(0).min(MAX_DECIMALS)
    };
    let locale = Locale::parse(&page.scene.lang);
    let format = || {
        NumberFormat::with_fixed_decimals(rules.decimals.unwrap_or_else(decimals), &rules, locale)
    };
    TableColumn {
        title: title.unwrap_or(key).to_owned(),
        numbers: is_number.then(format),
        dates: rules.date_format.clone(),
        key: key.to_owned(),
    }
}

/// Appends a cell with the escaped, formatted value. `is_first` marks the first column, which
/// contains the row headings unless it is a column of numbers. Null gives an empty cell. A string
/// gets the date pattern of the column if it is a date. Lists and objects are shown as JSON.
fn write_cell(
    column: &TableColumn,
    value: &Value,
    is_first: bool,
    locale: Locale,
    out: &mut String,
) {
    if let Some(format) = &column.numbers
        && let Some(number) = data::number(value)
    {
        let _ = write!(out, "<td class=\"n\">");
        escape_html(&format.text(number), out);
        out.push_str("</td>");
        return;
    }
    let is_heading = is_first && column.numbers.is_none();
    out.push_str(if is_heading { "<th scope=\"row\">" } else { "<td>" });
    match (value, &column.dates) {
        (Value::Null, _) => {}
        (Value::String(text), Some(pattern)) => match date::parse(text) {
            Some(moment) => escape_html(&date::format_with_pattern(moment, pattern, locale), out),
            None => escape_html(text, out),
        },
        (Value::String(text), None) => escape_html(text, out),
        (other, _) => escape_html(&other.to_string(), out),
    }
    out.push_str(if is_heading { "</th>" } else { "</td>" });
}
