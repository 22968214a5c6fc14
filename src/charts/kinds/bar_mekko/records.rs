//! The columns of a bar mekko chart: the records with their formatted measures.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::frame::ChartStyle;

/// The column of a record.
pub struct Column<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the record.
    pub label: Cow<'a, str>,
    /// Height. None if the record has no value.
    pub value: Option<f64>,
    /// Width, above 0.
    pub width: f64,
    /// Formatted height. Empty without a value.
    pub value_text: String,
    /// Formatted width. Empty if no record has a width.
    pub width_text: String,
    /// Formatted product. Empty without a value or a width.
    pub area_text: String,
    /// Own color, or that of highlighted or other columns.
    pub fill: Color,
}

/// Reads the records with a width above 0, sorted by `sort` and `sortBy`. The scene counts the other records,
/// unless they are blank, and the columns without a value. If no record has a width, all are equally wide.
pub fn read_columns<'a>(
    chart: &Chart<'a>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<Column<'a>> {
    let number = |record: &'a Value, key: &str| data::number(data::field(record, key));
    let has_widths = chart.data.iter().any(|record| number(record, "width").is_some());
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let (mut zero_count, mut negative_count, mut missing_count) = (0, 0, 0);
    let mut columns: Vec<Column> = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let width = if has_widths { number(record, "width") } else { Some(1.0) };
        match width {
            Some(width) if width < 0.0 => negative_count += 1,
            Some(0.0) => zero_count += 1,
            None => missing_count += usize::from(!data::is_blank(record)),
            Some(_) => {}
        }
        let Some(width) = width.filter(|width| *width > 0.0) else { continue };
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        let fill = own.unwrap_or(match (any_highlighted, is_highlighted(record)) {
            (false, _) => chart.series_color(0),
            (true, true) => chart.theme.highlight_color,
            (true, false) => style.faded_color(),
        });
        columns.push(Column {
            row,
            label: data::record_label(record),
            value: number(record, "value"),
            width,
            value_text: String::new(),
            width_text: String::new(),
            area_text: String::new(),
            fill,
        });
    }
    scene.omit(Omission::Incomplete, missing_count);
    scene.omit(Omission::Zero, zero_count);
    scene.omit(Omission::BelowZero, negative_count);
    let gap_count = columns.iter().filter(|column| column.value.is_none()).count();
    scene.omit(Omission::MissingValue, gap_count);
    format_columns(chart, has_widths, &mut columns);
    sort_columns(chart, columns)
}

/// Sets the formatted values of the columns and, with `has_widths`, their widths and products.
fn format_columns(chart: &Chart, has_widths: bool, columns: &mut [Column]) {
    let products: Vec<Option<f64>> =
        columns.iter().map(|column| column.value.map(|value| value * column.width)).collect();
    let format = |values: Vec<f64>, key: &str| {
        NumberFormat::for_values(values.into_iter(), &chart.format_rules(key), chart.locale())
    };
    let value_format = format(columns.iter().filter_map(|column| column.value).collect(), "value");
    let width_format = format(columns.iter().map(|column| column.width).collect(), "width");
    let area_format = format(products.iter().flatten().copied().collect(), "area");
    for (column, product) in columns.iter_mut().zip(products) {
        column.value_text = column.value.map_or(String::new(), |value| value_format.text(value));
        if has_widths {
            column.width_text = width_format.text(column.width);
            column.area_text = product.map_or(String::new(), |area| area_format.text(area));
        }
    }
}

/// Sorts the columns by value, or by width if the setting `sortBy` is `width`. Without the setting `sort`
/// they keep their order. Columns without a value come last.
fn sort_columns<'a>(chart: &Chart, columns: Vec<Column<'a>>) -> Vec<Column<'a>> {
    let by_width = chart.str_setting("sortBy") == "width";
    let key = |column: &Column| if by_width { Some(column.width) } else { column.value };
    let values: Vec<Option<f64>> = columns.iter().map(key).collect();
    let mut unsorted: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
    let order = chart.sorted_indices(&values);
    order.into_iter().filter_map(|index| unsorted.get_mut(index)?.take()).collect()
}

/// Returns the sum of all widths.
pub fn sum_widths(columns: &[Column]) -> f64 {
    columns.iter().map(|column| column.width).sum()
}
