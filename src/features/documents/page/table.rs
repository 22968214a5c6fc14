//! The records of a document as an HTML table.

use std::fmt::Write;

use serde_json::Value;

use super::Page;
use super::escape;
use crate::features::portfolio::ColumnType;
use chartroom_charts::Locale;
use chartroom_charts::data;
use chartroom_charts::format::NumberFormat;
use chartroom_charts::format::Rules;
use chartroom_charts::format::date;
use chartroom_charts::format::decimals_of;

/// Most columns; more are not read by anyone.
const MOST_COLUMNS: usize = 100;
/// Decimals beyond these tell nothing to a reader.
const MOST_DECIMALS: usize = 6;

/// A column of the table.
struct Column {
    key: String,
    title: String,
    /// How its numbers are shown; none for names, whose numbers are as they are.
    numbers: Option<NumberFormat>,
    /// Pattern of its dates.
    dates: Option<String>,
}

/// Writes the table with its caption, and how many records it leaves out.
pub fn write(page: &Page<'_>, out: &mut String) {
    let columns = columns(page);
    out.push_str("<table>\n<caption id=\"data-of\">");
    escape(page.name(), out);
    out.push_str("</caption>\n<thead><tr>");
    for column in &columns {
        let class = if column.numbers.is_some() { " class=\"n\"" } else { "" };
        // Writing to a String cannot fail, here and below.
        let _ = write!(out, "<th scope=\"col\"{class}>");
        escape(&column.title, out);
        out.push_str("</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let locale = Locale::parse(&page.scene.lang);
    for record in page.records {
        out.push_str("<tr>");
        for (index, column) in columns.iter().enumerate() {
            cell(column, &record[column.key.as_str()], index == 0, locale, out);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    let shown = page.records.len();
    if page.total > shown as i64 {
        let _ = writeln!(out, "<p>The first {shown} of {} records.</p>", page.total);
    }
}

/// Each column that a record uses: those of the kind first, then the others in the order in which
/// they appear.
fn columns(page: &Page<'_>) -> Vec<Column> {
    let mut keys: Vec<&String> = Vec::new();
    for record in page.records.iter().filter_map(Value::as_object) {
        for key in record.keys() {
            if !keys.contains(&key) && keys.len() < MOST_COLUMNS {
                keys.push(key);
            }
        }
    }
    let known = &page.kind.columns;
    let place = |key: &String| known.iter().position(|it| it.key == *key).unwrap_or(known.len());
    keys.sort_by_key(|key| place(key));
    keys.into_iter().map(|key| column(page, key)).collect()
}

fn column(page: &Page<'_>, key: &str) -> Column {
    let known = page.kind.columns.iter().find(|it| it.key == key);
    let series = page.settings["series"].as_array().into_iter().flatten();
    let named = series.filter(|it| it["key"] == key).find_map(|it| it["title"].as_str());
    let title = named.or(known.filter(|it| !it.repeats).map(|it| it.title.as_str()));
    let rules = Rules::read(page.settings, key);
    let values = page.records.iter().map(|it| &it[key]);
    let is_number = match known.map(|it| it.column_type) {
        Some(kind) => kind == ColumnType::Number,
        None => values.clone().all(|it| it.is_number() || it.is_null()),
    };
    let decimals = || {
        let needed = values.filter_map(data::number).map(decimals_of).max();
        needed.unwrap_or(0).min(MOST_DECIMALS)
    };
    let locale = Locale::parse(&page.scene.lang);
    let format = || NumberFormat::plain(rules.decimals.unwrap_or_else(decimals), &rules, locale);
    Column {
        title: title.unwrap_or(key).to_owned(),
        numbers: is_number.then(format),
        dates: rules.date_format.clone(),
        key: key.to_owned(),
    }
}

fn cell(column: &Column, value: &Value, first: bool, locale: Locale, out: &mut String) {
    if let Some(format) = &column.numbers
        && let Some(number) = data::number(value)
    {
        let _ = write!(out, "<td class=\"n\">");
        escape(&format.text(number), out);
        out.push_str("</td>");
        return;
    }
    let is_name = first && column.numbers.is_none();
    out.push_str(if is_name { "<th scope=\"row\">" } else { "<td>" });
    match (value, &column.dates) {
        (Value::Null, _) => {}
        (Value::String(text), Some(pattern)) => match date::parse(text) {
            Some(moment) => escape(&date::by_pattern(moment, pattern, locale), out),
            None => escape(text, out),
        },
        (Value::String(text), None) => escape(text, out),
        (other, _) => escape(&other.to_string(), out),
    }
    out.push_str(if is_name { "</th>" } else { "</td>" });
}
