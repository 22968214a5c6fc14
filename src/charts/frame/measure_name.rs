//! The name of the measured quantity with its unit, in a line above the plot.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Term;
use crate::frame::style;
use crate::frame::style::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;

/// Kinds without a value axis, which show the setting `valueTitle` above the chart.
const KINDS_WITHOUT_AXIS: [&str; 15] = [
    "choropleth",
    "donut",
    "funnel",
    "gauge",
    "half-donut",
    "pie",
    "point-map",
    "radial-bar",
    "sankey",
    "sunburst",
    "treemap",
    "venn",
    "waffle",
    "word-cloud",
    "world-map",
];
/// Kinds with a value axis and without a legend for a single series. Its name is that of the
/// measure.
const KINDS_WITH_SERIES: [&str; 6] =
    ["area", "combo", "grouped-column", "line", "stacked-column", "time-series"];
/// Names of columns that tell nothing, in lower case.
const EMPTY_NAMES: [&str; 12] = [
    "value", "values", "wert", "werte", "s", "series", "serie", "reihe", "column", "spalte",
    "data", "y",
];
/// Minimum height of the area with a line above the plot, as a multiple of the font size.
const MIN_HEIGHT_EM: f64 = 6.0;
/// Minimum height of the area with a line above a radial bar chart, as a multiple of the font size.
const MIN_HEIGHT_OF_RINGS_EM: f64 = 18.0;
/// Minimum height of the area with two lines above the plot, as a multiple of the font size.
const MIN_HEIGHT_FOR_TWO_LINES_EM: f64 = 12.0;

/// Draws the setting `valueTitle` at the top of `area`, if the kind has no value axis. Returns the
/// height in points of the text with the gap below it.
///
/// Draws nothing and returns 0 if the title or the subtitle has the text already, if the text tells
/// nothing, such as `Value`, or if `area` is too low.
pub fn draw_above_chart(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> f64 {
    let name = data::display_text(chart.setting("valueTitle"));
    let is_shown = is_needed(&name, chart) || is_year(&name) && !is_in_visible_title(&name, chart);
    if !KINDS_WITHOUT_AXIS.contains(&chart.kind.slug) || !is_shown {
        return 0.0;
    }
    // Rings need the height of a low area.
    if chart.kind.slug == "radial-bar" && area.height() < style.label_size * MIN_HEIGHT_OF_RINGS_EM
    {
        return 0.0;
    }
    draw(&name, style, scene, area)
}

/// Draws the title of the value axis at the top of `area`. Returns the height in points of the text
/// with the gap below it.
///
/// The title is the setting `axis.title`, otherwise the name of the only series, if that tells more
/// than the title of the chart. Draws nothing and returns 0 without a title, or if `area` is too
/// low.
pub fn draw_axis_title(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> f64 {
    let title = data::display_text(&chart.setting("axis")["title"]);
    if !title.is_empty() {
        return draw(&title, style, scene, area);
    }
    if !KINDS_WITH_SERIES.contains(&chart.kind.slug) || !chart.bool_setting("showLegend", true) {
        return 0.0;
    }
    if !may_have_one_series(chart) {
        return 0.0;
    }
    match chart.series().as_slice() {
        [only] if is_needed(&only.title, chart) => draw(&only.title, style, scene, area),
        _ => 0.0,
    }
}

/// Returns false if the settings or the first record have several series, true if there may be one
/// or none. This is faster than listing them.
fn may_have_one_series(chart: &Chart) -> bool {
    let listed = chart.setting("series").as_array().map_or(0, Vec::len);
    let is_value = |(key, value): &(&String, &Value)| {
        value.is_number() && !["label", "date"].contains(&key.as_str())
    };
    let fields = chart.data.first().and_then(Value::as_object).into_iter().flatten();
    match listed {
        0 => fields.filter(is_value).count() <= 1,
        count => count == 1,
    }
}

/// Returns whether a name tells more than the visible title and subtitle. False for empty names and
/// names such as `Value` or `Series 1`.
fn is_needed(name: &str, chart: &Chart) -> bool {
    let name = name.trim().to_lowercase();
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
    let is_empty = stem.is_empty()
        || EMPTY_NAMES.contains(&stem)
        || stem == chart.locale().translate(Term::Value).to_lowercase();
    !is_empty && !is_in_visible_title(&name, chart)
}

/// Returns whether a name is a year of four digits from 1500 to 2200, such as the heading of one
/// column of a table with the values of several years.
fn is_year(name: &str) -> bool {
    let year = name.trim().parse::<u32>().unwrap_or_default();
    (1500..=2200).contains(&year) && name.trim().len() == 4
}

/// Returns whether the visible title or subtitle contains a name, in any case. An empty name is
/// contained in each.
fn is_in_visible_title(name: &str, chart: &Chart) -> bool {
    let name = name.trim().to_lowercase();
    let has_subtitle = chart.height >= style::MIN_HEIGHT_FOR_SUBTITLE;
    let subtitle = if has_subtitle { &*chart.style.subtitle } else { "" };
    let visible = if chart.style.no_title { ["", ""] } else { [chart.title, subtitle] };
    visible.into_iter().any(|text| text.to_lowercase().contains(&name))
}

/// Draws a name in one line or two at the top of `area`. Returns the height in points of the text
/// with the gap below it. Draws nothing in a low area, and returns 0.
fn draw(name: &str, style: &ChartStyle, scene: &mut Scene, area: Rect) -> f64 {
    let size = style.label_size;
    if area.height() < size * MIN_HEIGHT_EM {
        return 0.0;
    }
    let max_lines = if area.height() < size * MIN_HEIGHT_FOR_TWO_LINES_EM { 1 } else { 2 };
    let lines = text::wrap_balanced(name, area.width(), max_lines, size, style.label_face());
    let is_cut = lines.last().is_some_and(|line| line.ends_with('…')) && !name.ends_with('…');
    let mut baseline = area.y0 + ASCENT_EM * size;
    for line in &lines {
        let full = is_cut.then(|| name.to_owned());
        let text = style.label_text(area.x0, baseline, Anchor::Start, size, line);
        scene.text(Text { full, color: style.muted_color, ..text });
        baseline += size * 1.25;
    }
    match lines.len() {
        0 => 0.0,
        count => size * (1.25 * count as f64 + 0.25),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the texts of a chart with these settings and two records with numbers in the column
    /// `key`.
    fn draw_texts(slug: &str, title: &str, settings: Value, key: &str) -> Vec<String> {
        let record = |label: &str, value: i32| json!({ "label": label, key: value });
        let records = [record("2024-03-01", 5), record("2024-03-02", 7)];
        let kind = crate::find_kind(slug).unwrap();
        let chart = Chart { title, settings: &settings, ..Chart::new(kind, &records) };
        crate::draw(&chart).text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    #[test]
    fn kinds_without_an_axis_name_the_measure_once() {
        let name = "Umsatz in Mio. €";
        for slug in ["pie", "donut", "half-donut", "treemap", "sunburst", "funnel", "radial-bar"] {
            let settings = || json!({ "valueTitle": name });
            let texts = draw_texts(slug, "Filialen", settings(), "value");
            assert!(texts.iter().any(|text| text == name), "{slug}: {texts:?}");
            let texts = draw_texts(slug, "Filialen: Umsatz in Mio. €", settings(), "value");
            assert!(!texts.iter().any(|text| text == name), "{slug}: {texts:?}");
        }
        let texts = draw_texts("pie", "Filialen", json!({ "valueTitle": "Wert" }), "value");
        assert!(!texts.iter().any(|text| text == "Wert"), "{texts:?}");
    }

    #[test]
    fn the_name_of_a_single_series_is_above_the_axis() {
        let name = "Temperatur (°C)";
        for slug in KINDS_WITH_SERIES {
            let has_name = |settings: Value, key: &str| {
                draw_texts(slug, "Wetter", settings, key).iter().any(|text| text == name)
            };
            assert!(has_name(Value::Null, name), "{slug}");
            let listed = json!({ "series": [{ "key": "s1", "title": name }] });
            assert!(has_name(listed, "s1"), "{slug}");
            assert!(!has_name(json!({ "showLegend": false }), name), "{slug}");
            let own = draw_texts(slug, "Wetter", json!({ "axis": { "title": "Grad" } }), name);
            assert!(own.contains(&"Grad".to_owned()) && !own.contains(&name.to_owned()), "{slug}");
        }
    }

    #[test]
    fn a_year_names_the_measure_of_a_chart_without_an_axis() {
        let has_year = |title: &str, name: &str| {
            let texts = draw_texts("pie", title, json!({ "valueTitle": name }), "value");
            texts.iter().any(|text| text == name)
        };
        assert!(has_year("Filialen", "2023"));
        assert!(!has_year("Filialen 2023", "2023"));
        assert!(!has_year("Filialen", "12"));
    }
}
