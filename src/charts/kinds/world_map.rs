//! World map: countries as equal tiles, arranged roughly as on a map, filled by value or with
//! bubbles.
//!
//! Record: `region` (name in one of 16 languages, or code of ISO 3166), `value`, `label`,
//! `highlighted`. Settings: `mode` (`choropleth`, or `bubble` for circles with areas proportional
//! to the values), `scale` (colors from low to high), `showValues`, `showLegend`, `regionTitle`
//! (heading of the places), `valueTitle`.
//!
//! Equal tiles make small countries as visible as large ones, unlike a map with true areas.

mod bubbles;
mod countries;

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::MIN_TEXT_SIZE;
use crate::frame::legend;
use crate::geo::place_territory;
use crate::geo::territory::Territory;
use crate::kinds::Kind;
use crate::kinds::choropleth::regions;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::value_classes::{Method, ValueClasses};
use countries::{COLUMNS, COUNTRIES, ROWS};

/// The world map.
pub const KIND: Kind = Kind { slug: "world-map", draw };

/// Approximate number of classes.
const CLASS_COUNT: usize = 5;

/// Record of a country.
#[derive(Clone)]
struct CountryRecord {
    /// Index of the record in the data.
    row: usize,
    value: f64,
    /// Label of the record, or the name of the country in the language of the chart.
    name: String,
    /// Formatted value.
    value_text: String,
    highlighted: bool,
}

/// Layout of the tiles and of the text on them.
struct TileGrid {
    /// Upper left corner of the first tile.
    origin: Point,
    /// Distance between the left edges of neighboring columns (x) and the upper edges of
    /// neighboring rows (y) in points.
    step: Vec2,
    /// Space between neighboring tiles in points.
    gap: f64,
    /// Font size of the codes in points. None if they do not fit.
    code_size: Option<f64>,
    /// Whether the value is drawn below the code.
    with_values: bool,
}

/// Draws the tiles in the colors of their classes, or with bubbles if the setting `mode` is
/// `bubble`, and the legend unless the setting `showLegend` is false. Draws a note instead if no
/// country has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let records = read_records(chart, scene);
    let known: Vec<&CountryRecord> = records.iter().flatten().collect();
    if known.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&known, scene);
    let style = &frame.style;
    let with_bubbles = chart.str_setting("mode") == "bubble";
    let values: Vec<f64> = known.iter().map(|record| record.value).collect();
    let classes = match with_bubbles {
        true => ValueClasses::new(chart, style, values.iter().copied(), true),
        false => ValueClasses::by_method(chart, style, &values, (Method::Auto, CLASS_COUNT)),
    };
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) && !with_bubbles {
        // A class without a country is no item of the legend.
        let is_used = |(_, color): &(&String, &Color)| {
            known.iter().any(|record| classes.color_of(record.value) == **color)
        };
        let entries = classes.names.iter().zip(&classes.colors).filter(is_used);
        let entries = entries.map(|(name, color)| (name.as_str(), *color));
        area = legend::draw(scene, style, area, entries);
    }
    let grid = lay_out_tiles(chart, style, area, &known, with_bubbles);
    if with_bubbles {
        return bubbles::draw(chart, &records, &grid, frame, scene);
    }
    for (country, record) in COUNTRIES.iter().zip(&records) {
        let rect = grid.tile_rect(country.tile);
        match record {
            None => {
                // Countries without a value are paler than any class.
                let fill = style.grid_color.mix(style.background, 0.4);
                draw_tile(rect, country.code, fill, None, &grid, style, scene);
            }
            Some(record) => {
                scene.begin_mark("country", Some(record.row), || {
                    (Some("value".to_owned()), format!("{}: {}", record.name, record.value_text))
                });
                let fill = classes.color_of(record.value);
                draw_tile(rect, country.code, fill, Some(record), &grid, style, scene);
                scene.end_mark();
            }
        }
    }
}

/// Returns one entry per country of `COUNTRIES`, None for countries without a record with a value. The
/// scene counts records without a number.
///
/// If several records have the same country, the first one with a value is used. Warns about the
/// others and about unknown countries.
fn read_records(chart: &Chart, scene: &mut Scene) -> Vec<Option<CountryRecord>> {
    let mut records: Vec<Option<CountryRecord>> = vec![None; COUNTRIES.len()];
    let mut unknown = Vec::new();
    let mut repeated = Vec::new();
    let values = chart.data.iter().filter_map(|record| data::number(data::field(record, "value")));
    let values: Vec<f64> = values.collect();
    let format = NumberFormat::for_values(
        values.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let places: Vec<_> =
        chart.data.iter().map(|record| data::display_text(data::field(record, "region"))).collect();
    let codes = find_countries(chart, &places, scene);
    for (row, (record, place)) in chart.data.iter().zip(&places).enumerate() {
        let Some(value) = data::number(data::field(record, "value")) else { continue };
        let code = codes.get(row).copied().flatten();
        let Some(country_index) = code.and_then(countries::find_index) else {
            unknown.push(place.as_ref());
            continue;
        };
        let label = data::record_label(record);
        let place_name = code.map_or("", |code| regions::place_name(code, chart));
        let name = if label.is_empty() { place_name.to_owned() } else { label.into_owned() };
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let value_text = format.text(value);
        match records.get_mut(country_index) {
            Some(slot @ None) => {
                *slot = Some(CountryRecord { row, value, name, value_text, highlighted });
            }
            _ => repeated.extend(code),
        }
    }
    chart.omit_missing("value", scene);
    regions::warn_about_unknown(chart, &unknown, scene);
    regions::warn_about_repeated(chart, &repeated, scene);
    records
}

/// Maximum number of characters of a code of a region or a country.
const MAX_CODE_CHARS: usize = 3;

/// Returns the two-letter code of the country of each place, None for unknown places.
///
/// If the places are regions of one country, such as states, adds a warning, and returns None for texts of
/// up to `MAX_CODE_CHARS` characters, because codes of regions may equal codes of countries.
fn find_countries(
    chart: &Chart,
    places: &[impl AsRef<str>],
    scene: &mut Scene,
) -> Vec<Option<&'static str>> {
    let names = places.iter().map(AsRef::as_ref).filter(|place| !place.is_empty());
    let choice = place_territory::choose(names, chart.str_setting("regionTitle"));
    if !matches!(choice.territory, Territory::Regions(_)) {
        return Territory::World.find_areas(places);
    }
    let country = regions::territory_name(choice.territory, chart);
    scene.warn(format!(
        "The places are regions of {country}. The map shows countries only. A choropleth map shows regions."
    ));
    // Names, unlike short codes, have one meaning.
    let mut codes = Territory::World.find_areas(places);
    for (code, place) in codes.iter_mut().zip(places) {
        if place.as_ref().trim().chars().count() <= MAX_CODE_CHARS {
            *code = None;
        }
    }
    codes
}

impl TileGrid {
    /// Returns the rectangle of the tile in this column and row, counted from 0 at the upper left, without
    /// the gap after it.
    fn tile_rect(&self, (column, row): (u8, u8)) -> Rect {
        let x = self.origin.x + f64::from(column) * self.step.x;
        let y = self.origin.y + f64::from(row) * self.step.y;
        Rect::new(x, y, x + self.step.x - self.gap, y + self.step.y - self.gap)
    }
}

/// Lays out the tiles as large as `area` allows, horizontally centered at its top. Columns are at most
/// 1.35 times as wide as rows are high, and rows at most 1.15 times as high as columns are wide.
///
/// Values are shown only if the setting `showValues` allows it and the values of all `known`
/// countries fit, and never with bubbles.
fn lay_out_tiles(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    known: &[&CountryRecord],
    with_bubbles: bool,
) -> TileGrid {
    let (max_x, max_y) = (area.width() / COLUMNS as f64, area.height() / ROWS as f64);
    let step = Vec2::new(max_x.min(max_y * 1.35), max_y.min(max_x * 1.15));
    let gap = (step.x.min(step.y) * 0.08).clamp(0.4, 2.0 * style.unit);
    let left = (area.width() - step.x * COLUMNS as f64) / 2.0;
    let origin = Point::new(area.x0 + left, area.y0);
    let max_code_width = |size: f64| {
        let widths =
            COUNTRIES.iter().map(|country| text::width(country.code, size, style.label_face()));
        widths.fold(0.0, f64::max)
    };
    let fits =
        |size: &f64| max_code_width(*size) + 1.5 <= step.x - gap && size * 1.15 <= step.y - gap;
    let code_size = [style.label_size, style.small_size, MIN_TEXT_SIZE].into_iter().find(fits);
    let values_wanted = chart.bool_setting("showValues", true) && !with_bubbles;
    let with_values = values_wanted
        && code_size.is_some_and(|size| {
            let value_fits = |record: &&CountryRecord| {
                style.text_width(&record.value_text, size) + 3.0 <= step.x - gap
            };
            size * 2.5 <= step.y - gap && known.iter().all(value_fits)
        });
    TileGrid { origin, step, gap, code_size, with_values }
}

/// Draws a tile, its code in the middle if codes fit, and below it the value of `record` if values are
/// shown. A tile without a record has muted text. A highlighted one has an inner border. The fill may be
/// changed so that the text is readable.
fn draw_tile(
    rect: Rect,
    code: &str,
    fill: Color,
    record: Option<&CountryRecord>,
    grid: &TileGrid,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (fill, text_color) = fill.with_readable_text();
    scene.rect(rect, fill);
    if record.is_some_and(|record| record.highlighted) {
        let width = (grid.step.y * 0.1).clamp(1.0, 2.5);
        let inner = rect.inset(-width / 2.0);
        scene.stroke(kurbo::Shape::to_path(&inner, 0.1), Stroke::new(style.text_color, width));
    }
    let Some(size) = grid.code_size else { return };
    let Point { x, y: middle_y } = rect.center();
    let value_text =
        record.filter(|_| grid.with_values).map_or("", |record| record.value_text.as_str());
    // The code is above the middle of the tile if the value is below it.
    let lift = if value_text.is_empty() { 0.0 } else { size * 0.62 };
    let color =
        if record.is_none() { style.muted_color.readable_on(fill, 4.5) } else { text_color };
    let face = if value_text.is_empty() { style.label_face() } else { Face::BOLD };
    let code_y = middle_y - lift + HALF_CAP_HEIGHT_EM * size;
    let width = text::width(code, size, face);
    let label_text = style.label_text(x, code_y, Anchor::Middle, size, code);
    scene.text(Text { face, width, color, ..label_text });
    let value_y = middle_y + size * 0.6 + HALF_CAP_HEIGHT_EM * size;
    let label_text = style.label_text(x, value_y, Anchor::Middle, size, value_text);
    scene.text(Text { color, ..label_text });
}

/// Sets the text description of the scene: the number of countries with a value, and the highest and the
/// lowest value. Does nothing if `known` is empty.
fn describe(known: &[&CountryRecord], scene: &mut Scene) {
    let lowest = known.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let highest = known.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    if let (Some(lowest), Some(highest)) = (lowest, highest) {
        let (count, noun) = (known.len(), if known.len() == 1 { "country" } else { "countries" });
        scene.description = format!(
            "World map of {count} {noun}, each an equal tile. Highest: {}, {}. Lowest: {}, {}.",
            highest.name, highest.value_text, lowest.name, lowest.value_text,
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn legend_has_no_class_without_a_country() {
        let data = json!([{"region": "DE", "value": 12}, {"region": "FR", "value": 14},
            {"region": "US", "value": 95}, {"region": "BR", "value": 97}]);
        let chart = Chart::new(crate::find_kind("world-map").unwrap(), data.as_array().unwrap());
        let scene = crate::draw(&chart);
        let classes: Vec<&str> =
            scene.text_boxes().map(|(text, _)| text).filter(|text| text.contains('–')).collect();
        assert_eq!(classes, ["0–20", "80–100"]);
        let data = json!([{"region": "DE", "value": 25}, {"region": "FR", "value": 25}]);
        let chart = Chart::new(crate::find_kind("world-map").unwrap(), data.as_array().unwrap());
        let scene = crate::draw(&chart);
        assert!(scene.text_boxes().any(|(text, _)| text == "25"), "the legend has the only value");
    }

    #[test]
    fn names_of_countries_are_drawn_beside_regions_of_a_country() {
        let places = ["California", "Texas", "Florida", "Mexico", "Canada", "DE"];
        let data: Vec<_> = places.map(|region| json!({"region": region, "value": 5})).to_vec();
        let chart = Chart::new(crate::find_kind("world-map").unwrap(), &data);
        let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
        let codes = find_countries(&chart, &places, &mut scene);
        assert_eq!(codes, [None, None, None, Some("MX"), Some("CA"), None]);
        assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    }

    #[test]
    fn one_high_value_does_not_give_all_others_the_same_color() {
        let codes = ["DE", "FR", "IT", "ES", "PL", "NL", "BE", "SE", "AT", "CH", "PT", "GB"];
        let value = |index: usize| if index == 11 { 15_400 } else { 3 * index + 1 };
        let record = |(index, code): (usize, &&str)| json!({"region": code, "value": value(index)});
        let data: Vec<_> = codes.iter().enumerate().map(record).collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("world-map").unwrap(), &data));
        let classes = scene.text_boxes().filter(|(text, _)| text.contains('–')).count();
        assert!(classes > 3, "{classes}");
    }
}
