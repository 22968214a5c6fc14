//! The columns of a table: which there are, what stands in their cells, how wide they are.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::date;
use crate::format::{NumberFormat, FormatRules};
use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;

/// Between a number and its bar in points.
pub const BAR_GAP: f64 = 8.0;
/// More columns than this fit on no canvas.
const MOST_COLUMNS: usize = 40;

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
    /// On request.
    Center,
}

/// A column with the words of its shown cells.
#[derive(Clone, Debug)]
pub struct Column {
    /// Key in the records.
    pub key: String,
    /// Head.
    pub title: String,
    /// Side on which texts stand.
    pub align: Align,
    /// Words of the shown rows.
    pub cells: Vec<String>,
    /// Sum in words; only for numbers.
    pub total: Option<String>,
    /// Smallest and largest value and zero, for bars.
    pub reach: (f64, f64),
    /// Left end in points.
    pub x: f64,
    /// Width of its text in points.
    pub text_width: f64,
    /// Width of its bars in points; 0 draws none.
    pub bar_width: f64,
    numeric: bool,
}

/// The columns of the settings, or every key of the records in order of appearance.
pub fn read(chart: &Chart, rows: &[usize], style: &ChartStyle) -> Vec<Column> {
    let listed = chart.setting("columns").as_array().map_or(&[][..], |it| it.as_slice());
    let listed = listed.iter().take(MOST_COLUMNS).filter_map(|it| Some((it["key"].as_str()?, it)));
    let mut keys: Vec<(&str, &Value)> = listed.collect();
    if keys.is_empty() {
        for record in chart.data.iter().take(200).filter_map(Value::as_object) {
            for key in record.keys().filter(|it| *it != "highlighted") {
                if keys.len() < MOST_COLUMNS && !keys.iter().any(|it| it.0 == key) {
                    keys.push((key, &Value::Null));
                }
            }
        }
    }
    keys.into_iter().map(|(key, wish)| column(chart, rows, style, key, wish)).collect()
}

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
    // Bold is the widest face that a cell may take.
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

/// A cell that is not a number of a number column. Dates are written out when a format asks so.
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

/// Gives the columns their places. Too little room shortens the longest texts, then takes the
/// bars, then the last columns; numbers are never shortened. Too much room widens the bars and
/// then the space between columns.
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
        // The spare room of a number column stands left of it, so that the last one ends flush.
        let before = if column.align == Align::Right && x > area.x0 { between } else { 0.0 };
        column.x = x + before;
        x += extent(column) + between + gap;
    }
    columns
}

fn extent(column: &Column) -> f64 {
    let bar = if column.bar_width > 0.0 { column.bar_width + BAR_GAP } else { 0.0 };
    column.text_width + bar
}

fn used(columns: &[Column], gap: f64) -> f64 {
    columns.iter().map(extent).sum::<f64>() + gap * columns.len().saturating_sub(1) as f64
}

/// Width when every text column is as narrow as it may be.
fn narrowest(columns: &[Column], least: f64, gap: f64) -> f64 {
    let spared = |it: &Column| if it.numeric { 0.0 } else { (it.text_width - least).max(0.0) };
    used(columns, gap) - columns.iter().map(spared).sum::<f64>()
}

/// Lowers the widest text columns to a common width until all fit.
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
