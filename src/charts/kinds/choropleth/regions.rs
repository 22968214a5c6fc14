//! Reads the records of a map and finds their countries or regions.

use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::geo::map_view::AreaShape;
use crate::geo::names;
use crate::geo::place_territory;
use crate::geo::territory;
use crate::geo::territory::Territory;

/// Number of records from which the map is chosen.
const RECORDS_FOR_CHOICE: usize = 1000;
/// Minimum number of unknown places with a number as name for a warning about such codes.
const MIN_UNKNOWN_NUMBERS: usize = 3;
/// Maximum number of unknown places that a warning names.
const MAX_NAMED_PLACES: usize = 8;

/// Record of a country or region.
pub struct RegionRecord {
    /// Index of the record in the data.
    pub row: usize,
    /// Code of ISO 3166.
    pub code: &'static str,
    /// None if the record has no number.
    pub value: Option<f64>,
    /// Formatted value.
    pub value_text: Option<String>,
    /// Label of the record, or else the name of the place in the language of the chart.
    pub name: String,
    /// Whether the name is a label of the record, which readers cannot infer from the map.
    pub has_label: bool,
    pub highlighted: bool,
}

/// Returns the part of the world to show, and the records of known places in the order of the data.
/// If several records have the same place, the first one with a value is used. The scene counts the
/// unused records and those of unknown places, except blank ones. Warnings name the places.
pub fn read(chart: &Chart, scene: &mut Scene) -> (Territory, Vec<RegionRecord>) {
    let places: Vec<_> =
        chart.data.iter().map(|record| data::display_text(data::field(record, "region"))).collect();
    let territory = choose_territory(chart, places.iter().map(AsRef::as_ref), scene);
    let values = chart.data.iter().filter_map(|record| data::number(data::field(record, "value")));
    let format = value_format(values.collect::<Vec<_>>().into_iter(), chart);
    let mut records = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    let mut unknown = Vec::new();
    let mut repeated = Vec::new();
    let codes = territory.find_areas(&places);
    for (row, (record, place)) in chart.data.iter().zip(&places).enumerate() {
        if data::is_blank(record) {
            continue;
        }
        let Some(code) = codes.get(row).copied().flatten() else {
            unknown.push(place.as_ref());
            continue;
        };
        let region = to_region_record(chart, row, code, &format);
        let Some(position) = positions.get(code) else {
            positions.insert(code, records.len());
            records.push(region);
            continue;
        };
        repeated.push(code);
        // An empty record does not hide a value of the same place.
        let shown = records.get_mut(*position).filter(|shown| shown.value.is_none());
        if let Some(shown) = shown.filter(|_| region.value.is_some()) {
            *shown = region;
        }
    }
    warn_about_unknown(chart, &unknown, scene);
    warn_about_repeated(chart, &repeated, scene);
    if Territory::parse(chart.str_setting("map")).is_some() {
        return (territory, records);
    }
    let codes: Vec<&'static str> = records.iter().map(|record| record.code).collect();
    (territory.focused_on(&codes), records)
}

/// Reads the record at index `row`, for the place with this code.
fn to_region_record(
    chart: &Chart,
    row: usize,
    code: &'static str,
    format: &NumberFormat,
) -> RegionRecord {
    let record = chart.data.get(row).unwrap_or(&Value::Null);
    let value = data::number(data::field(record, "value"));
    let label = data::display_text(data::field(record, "label"));
    let has_label = !label.is_empty();
    let name = if has_label { label.into_owned() } else { place_name(code, chart).to_owned() };
    RegionRecord {
        row,
        code,
        value,
        value_text: value.map(|value| format.text(value)),
        name,
        has_label,
        highlighted: data::is_true(data::field(record, "highlighted")),
    }
}

/// Returns the territory of the setting `map`. If that names none, chooses one as
/// [`place_territory::choose`] does, for the first `RECORDS_FOR_CHOICE` places and the setting `regionTitle`,
/// the heading of the places in the data. Warns if the setting `map` is neither a territory nor `auto`, and
/// if the places could also be regions of another country.
pub fn choose_territory<'a>(
    chart: &Chart,
    places: impl Iterator<Item = &'a str> + Clone,
    scene: &mut Scene,
) -> Territory {
    let setting = chart.str_setting("map");
    if let Some(territory) = Territory::parse(setting) {
        return territory;
    }
    warn_about_unknown_map(setting, scene);
    let places = places.filter(|place| !place.is_empty()).take(RECORDS_FOR_CHOICE);
    let choice = place_territory::choose(places, chart.str_setting("regionTitle"));
    if let [first, rest @ ..] = choice.others.as_slice() {
        let more = if rest.is_empty() { "" } else { " or another country" };
        let name = territory_name(*first, chart);
        scene.warn(format!(
            "The places can also be regions of {name}{more}. The setting map decides."
        ));
    }
    choice.territory
}

/// Warns about the setting `map`, which names no territory, unless it is empty or `auto`.
pub fn warn_about_unknown_map(setting: &str, scene: &mut Scene) {
    if !["", "auto"].contains(&setting) {
        scene.warn("The setting map is neither world, a continent nor a country.");
    }
}

/// Returns the name of the country of a territory of regions, in the language of the chart. Other
/// territories, also continents, are "the world".
pub fn territory_name(territory: Territory, chart: &Chart) -> &'static str {
    match territory {
        Territory::Regions(code) => place_name(code, chart),
        _ => "the world",
    }
}

/// Counts the records of places that another record has too, and names the first `MAX_NAMED_PLACES`
/// of the places in a warning. `codes` has one entry per record that is not shown.
pub fn warn_about_repeated(chart: &Chart, codes: &[&'static str], scene: &mut Scene) {
    let mut places: Vec<&str> = codes.iter().map(|code| place_name(code, chart)).collect();
    places.iter().for_each(|place| scene.omit_named(Omission::Duplicate, place));
    places.sort_unstable();
    places.dedup();
    if let Some(warning) = list_places("Places with several records", &places) {
        scene.warn(format!("{warning} The map shows the first value of each."));
    }
}

/// Returns the name of a country in the language of the chart, or the name of a region. Returns an
/// unknown code itself.
pub fn place_name(code: &'static str, chart: &Chart) -> &'static str {
    match names::country(code) {
        Some(country) => country.name(chart.locale()),
        None => names::region(code).map_or(code, |region| region.name),
    }
}

/// Returns the format of value labels, with the decimals that `values` need.
pub fn value_format(values: impl Iterator<Item = f64> + Clone, chart: &Chart) -> NumberFormat {
    NumberFormat::for_values(values, &chart.format_rules("value"), chart.locale())
}

/// Counts the records of unknown places as omitted, and keeps their names for the note. A name that several
/// countries share gets a warning of its own, which lists these countries. If most of them are numbers, a
/// warning tells which codes the map knows.
///
/// `unknown` has one entry per record. Empty names are counted, but not named.
pub fn warn_about_unknown(chart: &Chart, unknown: &[&str], scene: &mut Scene) {
    unknown.iter().for_each(|name| scene.omit_named(Omission::Unknown, name));
    let numbers: Vec<&&str> = unknown.iter().filter(|name| territory::is_number(name)).collect();
    if numbers.len() * 2 > unknown.len() && numbers.len() >= MIN_UNKNOWN_NUMBERS {
        scene.warn(format!(
            "Numbers such as {} are codes of places that the map does not know. It knows names and ISO codes such as FR and US-TX, and the numbers of regions of the country in the setting map.",
            numbers[0]
        ));
    }
    let mut named = unknown.to_vec();
    named.sort_unstable();
    named.dedup();
    for name in named {
        let countries = names::countries_of_shared_name(name);
        let countries: Vec<&str> = countries.map(|country| country.name(chart.locale())).collect();
        if !countries.is_empty() {
            scene.warn(format!("{name} can mean {}.", countries.join(" or ")));
        }
    }
}

/// Returns a sentence that names the first `MAX_NAMED_PLACES` places after `heading` and the number
/// of further ones. None without places.
fn list_places(heading: &str, places: &[&str]) -> Option<String> {
    let shown: Vec<&str> = places.iter().copied().take(MAX_NAMED_PLACES).collect();
    let more = places.len() - shown.len();
    let end = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("{heading}: {}{end}.", shown.join(", ")))
}

/// Removes the records of places without a shape on the map. The scene counts and names them.
pub fn drop_outside(records: &mut Vec<RegionRecord>, shapes: &[AreaShape], scene: &mut Scene) {
    let is_shown = |record: &RegionRecord| shapes.iter().any(|shape| shape.code == record.code);
    for record in records.iter().filter(|record| !is_shown(record)) {
        scene.omit_named(Omission::OffMap, &record.name);
    }
    records.retain(is_shown);
}

/// Sets the text description of the scene: number of countries or regions with a value, and the
/// highest and lowest value with their names. Does nothing without values.
pub fn describe(records: &[RegionRecord], territory: Territory, scene: &mut Scene) {
    let with_values = || records.iter().filter(|record| record.value.is_some());
    let compare = |a: &&RegionRecord, b: &&RegionRecord| {
        a.value.unwrap_or_default().total_cmp(&b.value.unwrap_or_default())
    };
    let (Some(lowest), Some(highest)) =
        (with_values().min_by(compare), with_values().max_by(compare))
    else {
        return;
    };
    let noun = match (territory, with_values().count()) {
        (Territory::Regions(_), 1) => "region",
        (Territory::Regions(_), _) => "regions",
        (_, 1) => "country",
        _ => "countries",
    };
    let text = |record: &RegionRecord| record.value_text.clone().unwrap_or_default();
    scene.description = format!(
        "Map of {} {noun}, colored by value. Highest: {}, {}. Lowest: {}, {}.",
        with_values().count(),
        highest.name,
        text(highest),
        lowest.name,
        text(lowest),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draw(slug: &str, data: &Value, settings: &Value) -> Scene {
        let kind = crate::find_kind(slug).unwrap();
        crate::draw(&Chart { settings, ..Chart::new(kind, data.as_array().unwrap()) })
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        scene.text_boxes().map(|(text, _)| text).collect()
    }

    #[test]
    fn a_value_is_not_hidden_behind_an_empty_record_of_the_same_place() {
        let data = json!([{"region": "Bayern", "value": null}, {"region": "Hessen", "value": 12},
            {"region": "BY", "value": 34.5}, {"region": "Hessen", "value": 99},
            {"region": "Hessen", "value": null}]);
        let scene = draw("choropleth", &data, &Value::Null);
        assert!(texts(&scene).contains(&"34.5"), "{:?}", texts(&scene));
        assert!(!texts(&scene).contains(&"99.0"), "{:?}", texts(&scene));
        assert_eq!(scene.omissions, [(Omission::Duplicate, 3)]);
        let expected = "Places with several records: Bayern, Hessen.";
        let is_named = |warning: &String| warning.starts_with(expected);
        assert!(scene.warnings.iter().any(is_named), "{:?}", scene.warnings);
    }

    #[test]
    fn places_that_a_map_does_not_show_are_named_in_the_note() {
        let data = json!([{"region": "Germany", "value": 34}, {"region": "Wakanda", "value": 12},
            {"region": "Italy", "value": 22}, {"region": "Italy", "value": 23}]);
        for slug in ["choropleth", "world-map"] {
            let scene = draw(slug, &data, &Value::Null);
            let note = "Not shown: 1 not recognized (Wakanda), 1 repeated (Italy)";
            assert!(texts(&scene).contains(&note), "{slug}: {:?}", texts(&scene));
        }
        let scene = draw("choropleth", &data, &json!({"map": "FR"}));
        assert!(texts(&scene).iter().any(|text| text.contains("Wakanda")), "{:?}", texts(&scene));
        let points = json!([{"label": "Berlin", "latitude": 52.5, "longitude": 13.4, "value": 9},
            {"label": "Paris", "latitude": 48.8, "longitude": 2.3, "value": "n/a"},
            {"region": "Spain", "value": null}, {"region": "Wakanda", "value": 3},
            {"label": "Rome", "latitude": "", "longitude": 12.5, "value": 5}]);
        let scene = draw("point-map", &points, &Value::Null);
        let note = "Not shown: 2 without a value (Paris, Spain), 1 incomplete (Rome), 1 not recognized (Wakanda)";
        assert!(texts(&scene).join(" ").contains(note), "{:?}", texts(&scene));
    }

    #[test]
    fn codes_of_regions_are_not_drawn_as_countries() {
        let record = |code: &&str| json!({"region": code, "value": code.as_bytes()[0]});
        let states: Vec<Value> = ["CA", "DE", "AL", "IN", "TX"].iter().map(record).collect();
        let scene = draw("choropleth", &json!(states), &Value::Null);
        assert!(scene.description.contains("regions"), "{}", scene.description);
        let scene = draw("world-map", &json!(states), &Value::Null);
        assert_eq!(scene.description, "No data.");
        assert!(scene.warnings[0].contains("regions of United States"), "{:?}", scene.warnings);
        // The heading decides about codes that are both.
        let both = json!(states[..4]);
        let scene = draw("choropleth", &both, &Value::Null);
        assert!(scene.description.contains("countries"), "{}", scene.description);
        let expected = "The places can also be regions of United States. The setting map decides.";
        assert!(scene.warnings.iter().any(|it| it == expected), "{:?}", scene.warnings);
        let scene = draw("choropleth", &both, &json!({"regionTitle": "State"}));
        assert!(scene.description.contains("regions"), "{}", scene.description);
        assert_eq!(scene.warnings, [""; 0]);
    }
}
