//! Columns of a table: their keys, cells and widths.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::data;

use crate::format::date;
use crate::format::{FormatRules, Term};
use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;

use super::cell_format::CellFormat;

/// Distance in points between a number and its bar.
pub const BAR_GAP_POINTS: f64 = 8.0;
/// Gap between columns with little space as a multiple of the font size.
const NARROW_GAP_EM: f64 = 0.9;
/// Maximum number of columns. More would not fit on any canvas.
const MAX_COLUMNS: usize = 40;
/// Maximum number of records in which keys are searched if the settings list no columns.
const MAX_SEARCHED_RECORDS: usize = 200;
/// Maximum number of array items in the text of a cell.
const MAX_ARRAY_ITEMS: usize = 20;

/// Alignment of the texts in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Default for text.
    Left,
    /// Default for numbers.
    Right,
    /// Only if the settings ask for it.
    Center,
}

/// A column with the texts of its visible cells.
#[derive(Clone, Debug)]
pub struct Column {
    /// Key in the records.
    pub key: String,
    /// Title.
    pub title: String,
    /// Alignment of the texts.
    pub align: Align,
    /// Texts of the visible rows.
    pub cells: Vec<String>,
    /// Formatted sum of all rows. None for text, percentages, years and codes.
    pub total: Option<String>,
    /// Number of rows without a number, which the total does not include.
    pub missing_count: usize,
    /// Minimum and maximum of zero and the values of the visible rows, for the bars.
    pub value_range: (f64, f64),
    /// Left edge in points.
    pub x: f64,
    /// Width of the text in points.
    pub text_width: f64,
    /// Width of the bars in points. 0 hides them.
    pub bar_width: f64,
    /// Whether the cells are mainly numbers, see [`CellFormat`].
    is_numeric: bool,
}

impl Column {
    /// Returns the width of text and bars with the gap between them in points.
    fn width(&self) -> f64 {
        let bar = if self.bar_width > 0.0 { self.bar_width + BAR_GAP_POINTS } else { 0.0 };
        self.text_width + bar
    }
}

/// Reads the columns that the settings list. If they list none, returns one column per key of the
/// first `MAX_SEARCHED_RECORDS` records, in order of appearance, except `highlighted`. Returns at most
/// `MAX_COLUMNS` columns, without positions.
///
/// `rows` contains the record indices of all rows, of which the first `visible_count` are visible.
pub fn read_columns(
    chart: &Chart,
    rows: &[usize],
    visible_count: usize,
    style: &ChartStyle,
) -> Vec<Column> {
    let entries = chart.setting("columns").as_array().map_or(&[][..], |list| list.as_slice());
    let mut keys: Vec<(&str, &Value)> = entries
        .iter()
        .take(MAX_COLUMNS)
        .filter_map(|entry| Some((entry["key"].as_str()?, entry)))
        .collect();
    if keys.is_empty() {
        let records = chart.data.iter().take(MAX_SEARCHED_RECORDS);
        for record in records.filter_map(Value::as_object) {
            for key in record.keys().filter(|key| *key != "highlighted") {
                if keys.len() < MAX_COLUMNS && !keys.iter().any(|(known, _)| *known == key) {
                    keys.push((key, &Value::Null));
                }
            }
        }
    }
    let read = |(key, entry): (&str, &Value)| {
        let values: Vec<&Value> = rows.iter().map(|row| &chart.data[*row][key]).collect();
        read_column(chart, &values, visible_count, style, key, entry)
    };
    let mut columns: Vec<Column> = keys.into_iter().map(read).collect();
    if let Some(first) = columns.first_mut()
        && first.total.is_none()
        && chart.bool_setting("showTotals", false)
    {
        // The heading of the totals is in this column.
        let heading = style.locale.translate(Term::Total);
        first.text_width = first.text_width.max(text::width(heading, style.label_size, Face::BOLD));
    }
    columns
}

/// Reads and formats a column with these values, one per row. Only the first `visible_count` get cells, but
/// the total and the number format include all of them. Its position is set later.
///
/// `entry` is the entry of the column in the settings, or null. The text width is that of the
/// widest cell, title or total.
fn read_column(
    chart: &Chart,
    values: &[&Value],
    visible_count: usize,
    style: &ChartStyle,
    key: &str,
    entry: &Value,
) -> Column {
    let format = CellFormat::new(chart, key, values);
    let is_numeric = format.is_numeric;
    let visible = &values[..visible_count.min(values.len())];
    let cells: Vec<String> = visible
        .iter()
        .map(|value| match data::number(value) {
            Some(number) if is_numeric => format.text(number),
            // A text between the numbers, such as "n/a", stays as it is.
            _ => format_text_cell(chart, value, &format.rules),
        })
        .collect();
    let own_title = entry["title"].as_str().map(text::sanitize).filter(|title| !title.is_empty());
    let title = own_title.unwrap_or_else(|| text::sanitize(key)).into_owned();
    let align = match entry["align"].as_str() {
        Some("left") => Align::Left,
        Some("center") => Align::Center,
        Some("right") => Align::Right,
        _ if is_numeric => Align::Right,
        _ => Align::Left,
    };
    let numbers: Vec<f64> = values.iter().filter_map(|value| data::number(value)).collect();
    let has_total = is_numeric && format.is_summable;
    let total = has_total.then(|| format.text(numbers.iter().sum()));
    let missing_count = values.len() - numbers.len();
    let value_range = visible
        .iter()
        .filter_map(|value| data::number(value))
        .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    // Bold is the widest face of a cell.
    let bold_width = |label: &String| text::width(label, style.label_size, Face::BOLD);
    let text_width = cells.iter().chain([&title]).chain(&total).map(bold_width).fold(0.0, f64::max);
    let bar_width = if is_numeric && entry["bar"] == true { style.label_size * 6.0 } else { 0.0 };
    Column {
        key: key.to_owned(),
        title,
        align,
        cells,
        total,
        missing_count,
        value_range,
        x: 0.0,
        text_width,
        bar_width,
        is_numeric,
    }
}

/// Formats a cell of a text column, or a cell without a number of a numeric column. Dates and years
/// from 1000 to 9999 are formatted if a date format is set. Other texts are sanitized. The first
/// `MAX_ARRAY_ITEMS` items of an array are joined with commas. Null and objects give an empty text.
fn format_text_cell(chart: &Chart, value: &Value, rules: &FormatRules) -> String {
    if let (Some(pattern), Some(timestamp)) = (&rules.date_format, data::timestamp(value)) {
        return date::format_with_pattern(timestamp, pattern, chart.locale());
    }
    match value {
        Value::Array(list) => {
            let items: Vec<_> = list.iter().take(MAX_ARRAY_ITEMS).map(data::display_text).collect();
            text::sanitize(&items.join(", ")).into_owned()
        }
        _ => data::display_text(value).into_owned(),
    }
}

/// Returns whether the columns with narrow gaps fit into `width` points without a shortened text and
/// without removing a bar.
pub fn fit_whole(columns: &[Column], width: f64, style: &ChartStyle) -> bool {
    sum_widths(columns, style.label_size * NARROW_GAP_EM) <= width
}

/// Returns the columns that fit into `area` with their positions and widths, from left to right.
///
/// With too little space, the widest text columns become narrower. If that is not enough, all bars
/// are removed, then the last columns, but not the first one. Columns of numbers become narrower
/// only if there is no text column. With too much space, the bars and then the gaps between columns
/// become wider.
pub fn fit_columns(mut columns: Vec<Column>, area: Rect, style: &ChartStyle) -> Vec<Column> {
    let with_wide_gaps = sum_widths(&columns, style.label_size * 1.5) <= area.width();
    let gap = style.label_size * if with_wide_gaps { 1.5 } else { NARROW_GAP_EM };
    let min_text_width = style.label_size * 5.0;
    while columns.len() > 1 && sum_min_widths(&columns, min_text_width, gap) > area.width() {
        if columns.iter().any(|column| column.bar_width > 0.0) {
            columns.iter_mut().for_each(|column| column.bar_width = 0.0);
        } else {
            columns.pop();
        }
    }
    shrink_text_columns(&mut columns, area.width(), gap);
    let mut spare = (area.width() - sum_widths(&columns, gap)).max(0.0);
    let bar_count = columns.iter().filter(|column| column.bar_width > 0.0).count();
    for column in columns.iter_mut().filter(|column| column.bar_width > 0.0) {
        let extra = (spare / bar_count as f64 * 0.6).min(style.label_size * 8.0);
        column.bar_width += extra;
        spare -= extra;
    }
    let extra_gap = spare / columns.len().max(1) as f64;
    let mut x = area.x0;
    for column in &mut columns {
        // The extra space of a right-aligned column is on its left, so that the last column ends at
        // the edge of the area.
        let before = if column.align == Align::Right && x > area.x0 { extra_gap } else { 0.0 };
        column.x = x + before;
        x += column.width() + extra_gap + gap;
    }
    columns
}

/// Returns the total width of the columns and the gaps between them. `gap` and the result are in points.
fn sum_widths(columns: &[Column], gap: f64) -> f64 {
    let gap_count = columns.len().saturating_sub(1);
    columns.iter().map(Column::width).sum::<f64>() + gap * gap_count as f64
}

/// Returns the total width of the columns and gaps in points if every text column with more than
/// `min_text_width` points is shortened to it. Columns of numbers keep their width.
fn sum_min_widths(columns: &[Column], min_text_width: f64, gap: f64) -> f64 {
    let savings = |column: &Column| match column.is_numeric {
        true => 0.0,
        false => (column.text_width - min_text_width).max(0.0),
    };
    sum_widths(columns, gap) - columns.iter().map(savings).sum::<f64>()
}

/// Reduces the text width of the widest text columns to a common value, so that all columns with gaps of
/// `gap` points fit into `available_width` points. Does nothing if they fit. If there is no text column,
/// limits the text of each column to `available_width`, and the columns may still not fit.
fn shrink_text_columns(columns: &mut [Column], available_width: f64, gap: f64) {
    let excess = sum_widths(columns, gap) - available_width;
    if excess <= 0.0 {
        return;
    }
    let text_columns = columns.iter().filter(|column| !column.is_numeric);
    let mut widths: Vec<f64> = text_columns.map(|column| column.text_width).collect();
    widths.sort_by(|first, second| second.total_cmp(first));
    let mut limit = 0.0;
    for count in 1..=widths.len() {
        let widest_sum: f64 = widths[..count].iter().sum();
        limit = (widest_sum - excess) / count as f64;
        if widths.get(count).is_none_or(|next| limit >= *next) {
            break;
        }
    }
    for column in columns.iter_mut() {
        if !column.is_numeric {
            column.text_width = column.text_width.min(limit.max(0.0));
        } else if widths.is_empty() {
            column.text_width = column.text_width.min(available_width);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_total_includes_the_rows_without_space() {
        let data: Vec<Value> = (0..90)
            .map(|row| json!({"Träger": "Bad", "Besuche": if row == 3 { None } else { Some(row) }}))
            .collect();
        let settings = json!({"showTotals": true});
        let kind = crate::find_kind("table").unwrap();
        let total = |height: f64| {
            let chart =
                Chart { settings: &settings, width: 320.0, height, ..Chart::new(kind, &data) };
            let scene = crate::draw(&chart);
            let texts = scene.text_boxes().map(|(text, _)| text.to_owned());
            (texts.collect::<Vec<_>>().join("|"), scene.omissions)
        };
        let (low, low_omissions) = total(180.0);
        let (high, high_omissions) = total(2000.0);
        assert!(low.contains("more row"), "{low}");
        assert!(low.contains("Total|4,002") && high.contains("Total|4,002"), "{low} {high}");
        assert_eq!(low_omissions, high_omissions);
    }
}
