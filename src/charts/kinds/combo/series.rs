//! The series of a combo chart with their values, split into columns and lines.

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::ChartStyle;

/// A series with its values and its form.
pub struct ComboSeries {
    /// Key, title and color.
    pub series: Series,
    /// Value of each record. None if it has no number.
    pub values: Vec<Option<f64>>,
    /// Whether the series is drawn as a line. Otherwise it is drawn as columns.
    pub is_line: bool,
    /// Format of value labels.
    pub format: NumberFormat,
}

/// Reads the series that contain a number, columns before lines. The scene counts the others.
///
/// The setting `lines` has the keys of the lines. If it names no series, the last of several is a
/// line, also if it is left out for lack of numbers. The first line gets the highlight color unless
/// the document sets its colors or another series has that color. Line colors are changed until
/// they stand out from the background.
pub fn read_series(chart: &Chart, style: &ChartStyle, scene: &mut Scene) -> Vec<ComboSeries> {
    let listed_series = chart.series_for(scene);
    let accent_is_free =
        !listed_series.iter().any(|series| series.color == chart.theme.highlight_color);
    let line_keys = chart.setting("lines").as_array();
    let line_keys: Vec<&str> =
        line_keys.into_iter().flatten().filter_map(|key| key.as_str()).collect();
    let lines_are_set = listed_series.iter().any(|series| line_keys.contains(&series.key.as_str()));
    let series_count = listed_series.len();
    let last_index = series_count.saturating_sub(1);
    let mut all = Vec::with_capacity(listed_series.len());
    for (index, mut series) in listed_series.into_iter().enumerate() {
        let mut position_hint = 0;
        let value =
            |record| data::number(data::field_with_hint(record, &series.key, &mut position_hint));
        let values: Vec<Option<f64>> = chart.data.iter().map(value).collect();
        let is_line = if lines_are_set {
            line_keys.contains(&series.key.as_str())
        } else {
            index == last_index && last_index > 0
        };
        // Lines cross the columns, so the first line gets the accent color unless the document sets
        // its own colors or another series has it.
        let has_default_color =
            chart.style.custom_colors.is_empty() && series.color == chart.series_color(index);
        if is_line
            && has_default_color
            && accent_is_free
            && !all.iter().any(|part: &ComboSeries| part.is_line)
        {
            series.color = chart.theme.highlight_color;
        }
        if is_line {
            series.color = style.readable_line_color(series.color);
        }
        let rules = chart.format_rules(&series.key);
        let format =
            NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.locale());
        if values.iter().any(Option::is_some) {
            all.push(ComboSeries { series, values, is_line, format });
        }
    }
    all.sort_by_key(|part| part.is_line);
    frame::omit_empty_series(chart, series_count, all.len(), scene);
    all
}

/// Returns the lowest and highest value of all `series`. Without any value, returns infinity and
/// negative infinity.
pub fn find_value_range<'a>(series: impl Iterator<Item = &'a ComboSeries>) -> (f64, f64) {
    let all = series.flat_map(|series| series.values.iter().flatten());
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(*value), high.max(*value))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_unit_of_one_series_is_not_on_the_axis_of_another() {
        let data = [json!({"label": "Sans voiture", "Dépense": 790, "Part": 24.1})];
        let settings = json!({"rulesets": {"Part": {"suffix": " %"}}});
        for slug in ["combo", "line", "grouped-column", "stacked-column", "area"] {
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            let with_unit = scene.text_boxes().find(|(text, _)| text.ends_with('%'));
            assert_eq!(with_unit, None, "{slug}");
        }
    }
}
