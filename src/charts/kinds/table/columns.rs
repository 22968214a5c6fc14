//! Columns of a table: their keys, cells and widths.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::date;
use crate::format::{FormatRules, NumberFormat};
use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;

/// Distance in points between a number and its bar.
pub const BAR_GAP: f64 = 8.0;
/// Maximum number of columns. More would not fit on any canvas.
const MAX_COLUMNS: usize = 40;

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
    /// Formatted sum. None for text and for percentages.
    pub total: Option<String>,
    /// Minimum and maximum of all values and zero, for the bars.
    pub reach: (f64, f64),
    /// Left edge in points.
    pub x: f64,
    /// Width of the text in points.
    pub text_width: f64,
    /// Width of the bars in points. 0 hides them.
    pub bar_width: f64,
    numeric: bool,
}

/// Reads the columns of the settings. Without any, returns one column per key of the first 200
/// records, in order of appearance.
pub fn read(chart: &Chart, rows: &[usize], style: &ChartStyle) -> Vec<Column> {
    let listed = chart.setting("columns").as_array().map_or(&[][..], |it| it.as_slice());
    let listed = listed.iter().take(MAX_COLUMNS).filter_map(|it| Some((it["key"].as_str()?, it)));
    let mut keys: Vec<(&str, &Value)> = listed.collect();
    if keys.is_empty() {
        for record in chart.data.iter().take(200).filter_map(Value::as_object) {
            for key in record.keys().filter(|it| *it != "highlighted") {
                if keys.len() < MAX_COLUMNS && !keys.iter().any(|it| it.0 == key) {
                    keys.push((key, &Value::Null));
                }
            }
        }
    }
    keys.into_iter().map(|(key, wish)| column(chart, rows, style, key, wish)).collect()
}

/// Reads a column. `wish` is its entry in the settings, or null.
fn column(chart: &Chart, rows: &[usize], style: &ChartStyle, key: &str, wish: &Value) -> Column {
    let values: Vec<&Value> = rows.iter().map(|row| &chart.data[*row][key]).collect();
    let filled = || values.iter().filter(|it| !it.is_null() && it.as_str() != Some(""));
    let numeric = filled().next().is_some() && filled().all(|it| data::number(it).is_some());
    let rules = chart.format_rules(key);
    let numbers: Vec<f64> = values.iter().filter_map(|it| data::number(it)).collect();
    let format = NumberFormat::for_values(numbers.iter().copied(), &rules, chart.locale());
    let cells: Vec<String> = values
        .iter()
        .map(|value| match data::number(value) {
            Some(number) if numeric => format.text(number),
            _ => words(chart, value, &rules),
        })
        .collect();
    let wanted = wish["title"].as_str().map(text::sanitize).filter(|it| !it.is_empty());
    let title = wanted.unwrap_or_else(|| text::sanitize(key)).into_owned();
    let align = match wish["align"].as_str() {
        Some("left") => Align::Left,
        Some("center") => Align::Center,
        Some("right") => Align::Right,
        _ if numeric => Align::Right,
        _ => Align::Left,
    };
    let sum: f64 = numbers.iter().sum();
    let total = (numeric && rules.suffix != "%" && !rules.percent).then(|| format.text(sum));
    let reach = numbers
        .iter()
        .fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(*it), high.max(*it)));
    // Bold is the widest face of a cell.
    let width = |it: &String| text::width(it, style.label_size, Face::BOLD);
    let text_width = cells.iter().chain([&title]).chain(&total).map(width).fold(0.0, f64::max);
    let bar_width = if numeric && wish["bar"] == true { style.label_size * 6.0 } else { 0.0 };
    Column {
        key: key.to_owned(),
        title,
        align,
        cells,
        total,
        reach,
        x: 0.0,
        text_width,
        bar_width,
        numeric,
    }
}

/// Returns the text of a cell that is not a number in a numeric column. Dates are formatted if a
/// date format is set.
fn words(chart: &Chart, value: &Value, rules: &FormatRules) -> String {
    if let (Some(pattern), Some(moment)) = (&rules.date_format, data::timestamp(value)) {
        return date::format_with_pattern(moment, pattern, chart.locale());
    }
    match value {
        Value::Array(list) => {
            let parts: Vec<_> = list.iter().take(20).map(data::display_text).collect();
            text::sanitize(&parts.join(", ")).into_owned()
        }
        _ => data::display_text(value).into_owned(),
    }
}

/// Computes the positions and widths of the columns.
///
/// With too little space, the longest texts are shortened. If that is not enough, the bars are
/// removed, then the last columns. Numbers are shortened only if there is no text column. With too
/// much space, the bars and then the gaps between columns become wider.
pub fn fit(mut columns: Vec<Column>, area: Rect, style: &ChartStyle) -> Vec<Column> {
    let wide = used(&columns, style.label_size * 1.5) <= area.width();
    let gap = style.label_size * if wide { 1.5 } else { 0.9 };
    let least = style.label_size * 5.0;
    while columns.len() > 1 && narrowest(&columns, least, gap) > area.width() {
        if columns.iter().any(|it| it.bar_width > 0.0) {
            columns.iter_mut().for_each(|it| it.bar_width = 0.0);
        } else {
            columns.pop();
        }
    }
    shorten(&mut columns, area.width(), gap);
    let mut spare = (area.width() - used(&columns, gap)).max(0.0);
    let bars = columns.iter().filter(|it| it.bar_width > 0.0).count();
    for column in columns.iter_mut().filter(|it| it.bar_width > 0.0) {
        let more = (spare / bars as f64 * 0.6).min(style.label_size * 8.0);
        column.bar_width += more;
        spare -= more;
    }
    let between = spare / columns.len().max(1) as f64;
    let mut x = area.x0;
    for column in &mut columns {
        // The extra space of a right-aligned column is on its left, so that the last column ends at
        // the edge of the area.
        let before = if column.align == Align::Right && x > area.x0 { between } else { 0.0 };
        column.x = x + before;
        x += extent(column) + between + gap;
    }
    columns
}

/// Returns the width in points of a column, including its bars.
fn extent(column: &Column) -> f64 {
    let bar = if column.bar_width > 0.0 { column.bar_width + BAR_GAP } else { 0.0 };
    column.text_width + bar
}

/// Returns the total width in points of columns and gaps.
fn used(columns: &[Column], gap: f64) -> f64 {
    columns.iter().map(extent).sum::<f64>() + gap * columns.len().saturating_sub(1) as f64
}

/// Returns the total width in points if every text column is as narrow as allowed.
fn narrowest(columns: &[Column], least: f64, gap: f64) -> f64 {
    let spared = |it: &Column| if it.numeric { 0.0 } else { (it.text_width - least).max(0.0) };
    used(columns, gap) - columns.iter().map(spared).sum::<f64>()
}

/// Reduces the widest text columns to a common width, so that all columns fit.
fn shorten(columns: &mut [Column], room: f64, gap: f64) {
    let excess = used(columns, gap) - room;
    if excess <= 0.0 {
        return;
    }
    let mut widths: Vec<f64> =
        columns.iter().filter(|it| !it.numeric).map(|it| it.text_width).collect();
    widths.sort_by(|one, two| two.total_cmp(one));
    let mut limit = 0.0;
    for count in 1..=widths.len() {
        let above: f64 = widths[..count].iter().sum();
        limit = (above - excess) / count as f64;
        if widths.get(count).is_none_or(|next| limit >= *next) {
            break;
        }
    }
    for column in columns.iter_mut() {
        if !column.numeric {
            column.text_width = column.text_width.min(limit.max(0.0));
        } else if widths.is_empty() {
            column.text_width = column.text_width.min(room);
        }
    }
}
