//! Reads the places of a point map.

use std::borrow::Cow;

use kurbo::Point;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{NumberFormat, Omission, Term};
use crate::geo::territory::Territory;
use crate::kinds::choropleth::regions;
use crate::kinds::scatter::groups::{GroupCounter, Groups};
use crate::kinds::scatter::points::Dot;

/// Minimum number of places of which some may have swapped coordinates.
const MIN_PLACES_FOR_SWAPS: usize = 3;
/// Minimum distance in degrees of a place with swapped coordinates to the median of all places.
const MIN_SWAPPED_DISTANCE: f64 = 25.0;
/// Maximum distance in degrees of such a place with the right coordinates.
const MAX_REGULAR_DISTANCE: f64 = 10.0;
/// Maximum number of names in the warning about swapped coordinates.
const MAX_NAMED_SWAPS: usize = 8;

/// A record with a place.
pub struct Place {
    /// Longitude and latitude in degrees.
    pub coordinates: Point,
    /// None without a value column.
    pub value: Option<f64>,
    /// Row, color and highlighting.
    pub dot: Dot,
    /// Name of the country or region, for records without a label.
    pub region_name: Option<&'static str>,
}

/// All places of a chart.
pub struct Places {
    pub all: Vec<Place>,
    /// Names of the groups in order of appearance. Empty without groups.
    pub groups: Vec<String>,
    /// Names of the groups that are joined to the last one.
    pub joined_groups: Vec<String>,
    pub has_negative: bool,
    pub territory: Territory,
}

impl Place {
    /// Returns the name of the place with its value, such as "Name: value", or only one of them if
    /// the other is missing.
    pub fn tip(&self, chart: &Chart, format: &NumberFormat) -> String {
        let label = self.dot.label(chart);
        let name = if label.is_empty() { self.region_name.unwrap_or("").to_owned() } else { label };
        match self.value {
            Some(value) if name.is_empty() => format.text(value),
            Some(value) => format!("{name}: {}", format.text(value)),
            None => name,
        }
    }
}

/// Reads the places and chooses the part of the world to show. Coordinates take precedence over the
/// center of the named region. Leaves out records without a known place, and those without a value
/// if others have one. The scene counts and names both, except blank records.
///
/// If any value is below zero, the group of a dot is 1 for values below zero, otherwise 0.
pub fn read(chart: &Chart, scene: &mut Scene) -> Places {
    let territory = choose_territory(chart, scene);
    let has_values =
        chart.data.iter().any(|record| data::number(data::field(record, "value")).is_some());
    let has_groups = chart.data.iter().any(|record| !read_group(record).is_empty());
    let mut places = Places::new(territory);
    let mut groups = GroupCounter::default();
    let other_name = chart.locale().translate(Term::Other);
    let mut unknown: Vec<String> = Vec::new();
    let regions = read_regions(chart);
    let areas = territory.find_areas(&regions);
    for (row, (record, region)) in chart.data.iter().zip(regions).enumerate() {
        if data::is_blank(record) {
            continue;
        }
        let area = areas.get(row).copied().flatten();
        let center = || territory.borders().center(area?);
        let Some(coordinates) = read_coordinates(record).or_else(center) else {
            if has_both_coordinates(record) {
                scene.omit_named(Omission::OffMap, &data::record_label(record));
            } else if region.is_empty() {
                scene.omit_named(Omission::Incomplete, &data::record_label(record));
            } else {
                unknown.push(region.into_owned());
            }
            continue;
        };
        let value = data::number(data::field(record, "value"));
        if has_values && value.is_none() {
            let label = data::record_label(record);
            scene.omit_named(Omission::NoValue, if label.is_empty() { &region } else { &label });
            continue;
        }
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let group = match read_group(record) {
            _ if !has_groups => 0,
            name if name.is_empty() => groups.add(other_name),
            name => groups.add(&name),
        };
        let dot = Dot { row, x: coordinates.x, y: coordinates.y, size: 0.0, group, highlighted };
        places.has_negative |= value.is_some_and(|value| value < 0.0);
        let region_name = area.map(|code| regions::place_name(code, chart));
        places.all.push(Place { coordinates, value, dot, region_name });
    }
    places.set_groups(groups, other_name);
    let unknown: Vec<&str> = unknown.iter().map(String::as_str).collect();
    regions::warn_about_unknown(chart, &unknown, scene);
    warn_about_swapped(chart, scene);
    places
}

/// Returns longitude (`x`, -169 to 191) and latitude (`y`) in degrees. None if one is no number,
/// the latitude is beyond the poles, or the longitude is more than a full turn. Other longitudes
/// are moved by full turns into the range.
fn read_coordinates(record: &serde_json::Value) -> Option<Point> {
    let latitude = data::number(data::field(record, "latitude"))?;
    let longitude = data::number(data::field(record, "longitude"))?;
    let is_place = latitude.abs() <= 90.0 && longitude.abs() <= 360.0;
    // The borders have longitudes from -169 to 191 degrees.
    let longitude = (longitude + 169.0).rem_euclid(360.0) - 169.0;
    is_place.then(|| Point::new(longitude, latitude))
}

/// Returns whether a record has two numbers as coordinates, also if no place has them.
fn has_both_coordinates(record: &serde_json::Value) -> bool {
    let is_number = |key: &str| data::number(data::field(record, key)).is_some();
    is_number("latitude") && is_number("longitude")
}

/// Names the records with coordinates far from all others that would be near them with latitude and
/// longitude swapped. All other records must be near each other: places in Europe and Africa are far
/// apart with the right coordinates, too.
fn warn_about_swapped(chart: &Chart, scene: &mut Scene) {
    let number = |record, key: &str| data::number(data::field(record, key));
    let read = |record| number(record, "longitude").zip(number(record, "latitude"));
    let points: Vec<(usize, (f64, f64))> =
        chart.data.iter().enumerate().filter_map(|(row, one)| Some((row, read(one)?))).collect();
    if points.len() < MIN_PLACES_FOR_SWAPS {
        return;
    }
    let median = |key: fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = points.iter().map(|(_, point)| key(point)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let center = (median(|point| point.0), median(|point| point.1));
    let distance = |(x, y): (f64, f64)| (x - center.0).abs().max((y - center.1).abs());
    let is_swapped = |(x, y): (f64, f64)| {
        distance((x, y)) > MIN_SWAPPED_DISTANCE && distance((y, x)) < MAX_REGULAR_DISTANCE
    };
    let is_regular =
        |point: (f64, f64)| is_swapped(point) || distance(point) < MAX_REGULAR_DISTANCE;
    let is_possible = |(x, y): (f64, f64)| x.abs() <= 360.0 && y.abs() <= 90.0;
    if !points.iter().all(|(_, point)| is_regular(*point) || !is_possible(*point)) {
        return;
    }
    let swapped: Vec<String> = points
        .iter()
        .filter(|(_, point)| is_swapped(*point))
        .take(MAX_NAMED_SWAPS)
        .map(|(row, _)| data::record_label(&chart.data[*row]).into_owned())
        .collect();
    if !swapped.is_empty() {
        scene.warn(format!("Latitude and longitude may be swapped: {}.", swapped.join(", ")));
    }
}

/// Returns the name of the group of a record. Empty without one.
fn read_group(record: &serde_json::Value) -> Cow<'_, str> {
    data::display_text(data::field(record, "group"))
}

/// Returns the territory of the setting `map`. If that names none, chooses one for the coordinates
/// (a country, its continent, surroundings or the world), or for the names of regions if no record
/// has coordinates. Warns if the setting is neither a territory nor `auto`.
fn choose_territory(chart: &Chart, scene: &mut Scene) -> Territory {
    let setting = chart.str_setting("map");
    let points: Vec<Point> = chart.data.iter().filter_map(read_coordinates).collect();
    if Territory::parse(setting).is_none() && !points.is_empty() {
        regions::warn_about_unknown_map(setting, scene);
        return Territory::for_points(&points);
    }
    let names = read_regions(chart);
    regions::choose_territory(chart, names.iter().map(AsRef::as_ref), scene)
}

/// Returns the field `region` of each record: the name or code of a country or region. Empty
/// without one.
fn read_regions<'a>(chart: &Chart<'a>) -> Vec<Cow<'a, str>> {
    chart.data.iter().map(|record| data::display_text(data::field(record, "region"))).collect()
}

impl Places {
    /// Creates an empty list of places on this territory.
    fn new(territory: Territory) -> Places {
        let (all, groups, joined_groups) = (Vec::new(), Vec::new(), Vec::new());
        Places { all, groups, joined_groups, has_negative: false, territory }
    }

    /// Replaces the numbers of the groups by their indices, or by 1 and 0 for values below zero and
    /// others if there are any below zero. Joined groups have no note then, because the colors do
    /// not show groups.
    fn set_groups(&mut self, groups: GroupCounter, other_name: &str) {
        let groups = groups.finish(other_name);
        for place in &mut self.all {
            let is_negative = place.value.is_some_and(|value| value < 0.0);
            let group = groups.index_of(place.dot.group);
            place.dot.group = if self.has_negative { usize::from(is_negative) } else { group };
        }
        let Groups { names, joined, .. } = groups;
        self.groups = names;
        self.joined_groups = if self.has_negative { Vec::new() } else { joined };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::find_kind;

    #[test]
    fn an_unknown_map_is_reported_also_with_coordinates() {
        let data = [json!({"latitude": -12, "longitude": -77, "label": "Lima"})];
        let warnings = |map: &str| {
            let settings = json!({ "map": map });
            let kind = find_kind("point-map").unwrap();
            let chart = Chart { settings: &settings, ..Chart::new(kind, &data) };
            let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
            read(&chart, &mut scene);
            scene.warnings
        };
        let expected = "The setting map is neither world, a continent nor a country.";
        assert_eq!(warnings("atlantis"), [expected]);
        assert_eq!(warnings("auto"), [""; 0]);
        assert_eq!(warnings("world"), [""; 0]);
    }

    #[test]
    fn impossible_and_swapped_coordinates_are_named() {
        let place = |label: &str, latitude: f64, longitude: f64| json!({"label": label, "latitude": latitude, "longitude": longitude});
        let data = [
            place("Paris", 48.85, 2.35),
            place("Lyon", 45.76, 4.84),
            place("Lille", 500.6, 3.06),
            place("Nice", 7.27, 43.7),
            place("Nantes", 47.2, -1.55),
        ];
        let chart = Chart::new(find_kind("point-map").unwrap(), &data);
        let scene = crate::draw(&chart);
        assert_eq!(scene.omissions, [(Omission::OffMap, 1)]);
        let warnings = scene.warnings.join(" ");
        assert!(warnings.contains("may be swapped: Nice."), "{warnings}");
        assert!(warnings.contains("1 outside the map (Lille)"), "{warnings}");
    }

    #[test]
    fn places_in_europe_and_africa_are_not_swapped() {
        let places = [
            ("Berlin", 52.52, 13.4),
            ("Paris", 48.85, 2.35),
            ("Rome", 41.9, 12.5),
            ("Madrid", 40.42, -3.7),
            ("Athens", 37.98, 23.73),
            ("Cairo", 30.04, 31.24),
            ("Tunis", 36.81, 10.18),
            ("Algiers", 36.75, 3.06),
            ("Addis Ababa", 9.03, 38.74),
            ("Djibouti", 11.59, 43.15),
        ];
        let data = places.map(|(label, latitude, longitude)| json!({"label": label, "latitude": latitude, "longitude": longitude}));
        let scene = crate::draw(&Chart::new(find_kind("point-map").unwrap(), &data));
        assert!(!scene.warnings.join(" ").contains("swapped"), "{:?}", scene.warnings);
    }

    #[test]
    fn a_place_without_a_group_is_in_none_of_the_named_groups() {
        let place =
            |group: Option<&str>| json!({"latitude": -12, "longitude": -77, "group": group});
        let data = [place(None), place(Some("Coast")), place(Some("")), place(Some("Inland"))];
        let chart = Chart::new(find_kind("point-map").unwrap(), &data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let places = read(&chart, &mut scene);
        let groups: Vec<&str> =
            places.all.iter().map(|place| &*places.groups[place.dot.group]).collect();
        assert_eq!(groups, ["Other", "Coast", "Other", "Inland"]);
    }
}
