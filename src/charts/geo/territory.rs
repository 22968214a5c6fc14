//! The part of the world that a map shows.

use std::collections::{HashMap, HashSet};

use kurbo::{Point, Rect};

use crate::geo::borders;
use crate::geo::borders::Borders;
use crate::geo::names;
use crate::geo::projection::Projection;

/// Central meridian of maps of the world. The cut is then in the Bering Strait.
const WORLD_MERIDIAN: f64 = 11.0;
/// Share of the records that a country must have as regions so that its map is chosen.
const MIN_REGION_SHARE: f64 = 0.5;
/// Maximum number of points for which the country is searched.
const MAX_SEARCHED_POINTS: usize = 60;

/// The part of the world that a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Territory {
    /// All countries.
    World,
    /// The countries of a continent.
    Continent(&'static Continent),
    /// The regions of a country with this two-letter code.
    Regions(&'static str),
    /// A country without known regions and its neighbors.
    Country(&'static str),
}

/// A continent.
#[derive(Debug, PartialEq, Eq)]
pub struct Continent {
    /// Value of the setting `map`.
    pub slug: &'static str,
    /// Code of the continent in the table of countries.
    code: &'static str,
    /// Longitude and latitude of the center of the map, in degrees.
    center: (i16, i16),
    /// West, south, east and north end of the land that the map shows, in degrees.
    window: (i16, i16, i16, i16),
}

/// All continents.
#[rustfmt::skip]
static CONTINENTS: [Continent; 6] = [
    Continent { slug: "africa", code: "AF", center: (17, 2), window: (-26, -36, 58, 38) },
    Continent { slug: "asia", code: "AS", center: (90, 28), window: (26, -11, 146, 56) },
    Continent { slug: "europe", code: "EU", center: (14, 53), window: (-25, 34, 41, 71) },
    Continent { slug: "north-america", code: "NA", center: (-92, 42), window: (-168, 7, -52, 76) },
    Continent { slug: "south-america", code: "SA", center: (-60, -20), window: (-82, -56, -34, 13) },
    Continent { slug: "oceania", code: "OC", center: (150, -22), window: (112, -48, 190, 6) },
];

/// A part of a country that maps show in another place, because it is far away.
pub struct MovedPart {
    /// West, south, east and north end in degrees.
    pub window: Rect,
    /// Distance to the place on the map in degrees.
    pub shift: kurbo::Vec2,
}

impl Territory {
    /// Returns the territory of the setting `map`: `world`, a continent, or the code or name of a
    /// country. None for other texts, such as `auto`.
    pub fn parse(setting: &str) -> Option<Territory> {
        let continent = CONTINENTS.iter().find(|continent| continent.slug == setting);
        match (setting, continent) {
            ("world", _) => Some(Territory::World),
            ("" | "auto", _) => None,
            (_, Some(continent)) => Some(Territory::Continent(continent)),
            _ => {
                let code = names::find_country(setting)?.code;
                let has_regions = borders::regions(code).is_some();
                borders::world().find(code)?;
                Some(if has_regions { Territory::Regions(code) } else { Territory::Country(code) })
            }
        }
    }

    /// Chooses the territory for the names or codes of places: the world, the continent of all
    /// countries, or the country with most of the regions.
    pub fn for_places<'a>(places: impl Iterator<Item = &'a str> + Clone) -> Territory {
        let countries: Vec<&names::Country> =
            places.clone().filter_map(names::find_country).collect();
        let count = places.clone().count();
        if countries.len() * 2 < count
            && let Some(country) = find_country_of_regions(places, count)
        {
            return Territory::Regions(country);
        }
        let codes: Vec<&str> = countries.iter().map(|country| country.code).collect();
        let continent = (codes.len() > 2).then(|| find_common_continent(&codes)).flatten();
        continent.map_or(Territory::World, Territory::Continent)
    }

    /// Chooses the territory for points in degrees: the country of all points, if its regions are
    /// known, their continent if its map shows them all, or the world. Points in the sea do not tell
    /// a country.
    pub fn for_points(points: &[Point]) -> Territory {
        let stride = points.len().div_ceil(MAX_SEARCHED_POINTS).max(1);
        let world = borders::world();
        let searched = points.iter().step_by(stride);
        let codes: Vec<&str> = searched.filter_map(|point| world.find_area_at(*point)).collect();
        let Some(first) = codes.first() else { return Territory::World };
        if codes.len() > 1
            && codes.iter().all(|code| code == first)
            && let Some(country) = names::country(first)
            && borders::regions(first).is_some()
        {
            return Territory::Regions(country.code);
        }
        // The map of a continent does not reach to its far islands, so that it would hide points there.
        let shows_all =
            |continent: &&Continent| points.iter().all(|point| continent.window().contains(*point));
        let continent = find_common_continent(&codes).filter(shows_all);
        continent.map_or(Territory::World, Territory::Continent)
    }

    /// Returns the borders of the areas.
    pub fn borders(self) -> &'static Borders {
        match self {
            Territory::Regions(code) => borders::regions(code).unwrap_or(borders::world()),
            _ => borders::world(),
        }
    }

    /// Returns the codes of the areas of places, None for unknown ones. A name that several countries
    /// share, such as Congo, is one of them only if the places include all the others.
    pub fn find_areas(self, places: &[impl AsRef<str>]) -> Vec<Option<&'static str>> {
        let mut codes: Vec<Option<&'static str>> =
            places.iter().map(|place| self.find_area(place.as_ref())).collect();
        if matches!(self, Territory::Regions(_)) {
            return codes;
        }
        let named: HashSet<&str> = codes.iter().flatten().copied().collect();
        for (code, place) in codes.iter_mut().zip(places).filter(|(code, _)| code.is_none()) {
            let country = names::find_shared_country(place.as_ref(), |code| named.contains(code));
            *code = country.map(|country| country.code);
        }
        codes
    }

    /// Returns the code of the area with a name or code.
    fn find_area(self, text: &str) -> Option<&'static str> {
        match self {
            Territory::Regions(country) => {
                names::find_region(country, text).map(|region| region.code)
            }
            _ => names::find_country(text).map(|country| country.code),
        }
    }

    /// Returns the projection. `name` is the setting `projection`, which applies to the world.
    pub fn projection(self, name: &str) -> Projection {
        match self {
            Territory::World if name == "equal-earth" => Projection::EqualEarth(WORLD_MERIDIAN),
            Territory::World => Projection::NaturalEarth(WORLD_MERIDIAN),
            Territory::Continent(Continent { center: (x, y), .. }) => {
                Projection::Azimuthal(Point::new(f64::from(*x), f64::from(*y)))
            }
            Territory::Regions("US") => Projection::UnitedStates,
            Territory::Regions(code) | Territory::Country(code) => {
                let points = self.frame_points(code);
                Projection::Azimuthal(bounds(points).map_or(Point::ORIGIN, |rect| rect.center()))
            }
        }
    }

    /// Returns the points in degrees that must be within the map. Antarctica is only on maps of the
    /// world, and only with `with_antarctica`.
    pub fn points(self, with_antarctica: bool) -> Box<dyn Iterator<Item = Point>> {
        match self {
            Territory::World => {
                let arcs = world_points("").filter(move |point| with_antarctica || point.y > -57.0);
                Box::new(arcs)
            }
            Territory::Continent(continent) => {
                let window = continent.window();
                let areas = borders::world().areas.iter();
                let areas = areas.filter(|area| continent.has_country(&area.code));
                let points = areas.flat_map(|area| world_points(&area.code));
                Box::new(points.filter(move |point| window.contains(*point)))
            }
            Territory::Regions(code) | Territory::Country(code) => self.frame_points(code),
        }
    }

    /// Returns the points of a country or of its regions, the moved parts in their places.
    fn frame_points(self, code: &'static str) -> Box<dyn Iterator<Item = Point>> {
        let moved = self.moved_part();
        let place = move |point: Point| moved.as_ref().map_or(point, |part| part.place(point));
        match self {
            Territory::Regions(_) => {
                Box::new(self.borders().arcs.iter().flatten().copied().map(place))
            }
            _ => Box::new(main_part(code)),
        }
    }

    /// Returns the part of the country that is far away from the rest.
    pub fn moved_part(self) -> Option<MovedPart> {
        let part = |window: (f64, f64, f64, f64), shift: (f64, f64)| {
            let (west, south, east, north) = window;
            Some(MovedPart { window: Rect::new(west, south, east, north), shift: shift.into() })
        };
        match self {
            // The Canary Islands.
            Territory::Regions("ES") => part((-18.4, 27.4, -13.2, 29.6), (5.0, 6.4)),
            // The Ryukyu Islands.
            Territory::Regions("JP") => part((122.5, 23.8, 131.5, 27.95), (6.6, 15.6)),
            _ => None,
        }
    }
}

impl MovedPart {
    /// Returns the place of a point on the map.
    pub fn place(&self, point: Point) -> Point {
        if self.window.contains(point) { point + self.shift } else { point }
    }
}

impl Continent {
    /// Returns whether a country belongs to the continent. Cyprus and Turkey are on the map of
    /// Europe too.
    fn has_country(&self, code: &str) -> bool {
        let on_continent =
            names::country(code).is_some_and(|country| country.continent == self.code);
        on_continent || self.slug == "europe" && ["CY", "TR"].contains(&code)
    }

    fn window(&self) -> Rect {
        let (west, south, east, north) = self.window;
        Rect::new(west.into(), south.into(), east.into(), north.into())
    }
}

/// Returns the continent that all countries belong to.
fn find_common_continent(codes: &[&str]) -> Option<&'static Continent> {
    CONTINENTS.iter().find(|continent| codes.iter().all(|code| continent.has_country(code)))
}

/// Returns the country that has the most of `count` places as regions, at least half of them.
fn find_country_of_regions<'a>(
    places: impl Iterator<Item = &'a str>,
    count: usize,
) -> Option<&'static str> {
    let mut counts: HashMap<&'static str, usize> = HashMap::new();
    for place in places {
        for country in names::countries_of_region(place) {
            *counts.entry(country).or_default() += 1;
        }
    }
    // Of countries with equally many regions, the first in the alphabet is chosen.
    let best = counts.into_iter().max_by_key(|(code, count)| (*count, std::cmp::Reverse(*code)))?;
    (best.1 as f64 >= MIN_REGION_SHARE * count as f64).then_some(best.0)
}

/// Returns the points of a country of the world, or of all countries for an empty code.
fn world_points(code: &str) -> impl Iterator<Item = Point> + use<> {
    let world = borders::world();
    let area = world.find(code);
    let rings = area.into_iter().flat_map(|area| area.polygons.iter().flatten());
    let points = rings.flat_map(|ring| world.ring_points(ring, &world.arcs));
    let all = if code.is_empty() { world.arcs.as_slice() } else { &[] };
    points.chain(all.iter().flatten().copied())
}

/// Returns the points of a country without its parts that are far away from the largest one.
fn main_part(code: &'static str) -> impl Iterator<Item = Point> {
    let world = borders::world();
    let polygons = world.find(code).map_or(&[][..], |area| area.polygons.as_slice());
    let outlines = polygons.iter().filter_map(|polygon| polygon.first());
    let outlines: Vec<Vec<Point>> =
        outlines.map(|ring| world.ring_points(ring, &world.arcs).collect()).collect();
    let size = |points: &Vec<Point>| bounds(points.iter().copied()).map_or(0.0, |rect| rect.area());
    let main = outlines.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let main = main.and_then(|points| bounds(points.iter().copied())).unwrap_or(Rect::ZERO);
    let near = main.inflate(main.width() * 0.5 + 1.0, main.height() * 0.5 + 1.0);
    outlines.into_iter().flatten().filter(move |point| near.contains(*point))
}

/// Returns the bounding box of points. None without points.
fn bounds(mut points: impl Iterator<Item = Point>) -> Option<Rect> {
    let first = points.next()?;
    Some(points.fold(Rect::from_points(first, first), |all, point| all.union_pt(point)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(places: &[&str]) -> Territory {
        Territory::for_places(places.iter().copied())
    }

    #[test]
    fn the_setting_names_a_territory() {
        assert_eq!(Territory::parse("world"), Some(Territory::World));
        assert_eq!(Territory::parse("de"), Some(Territory::Regions("DE")));
        assert_eq!(Territory::parse("Kenya"), Some(Territory::Country("KE")));
        assert!(matches!(Territory::parse("europe"), Some(Territory::Continent(_))));
        assert_eq!(Territory::parse("auto"), None);
        assert_eq!(Territory::parse("nowhere"), None);
    }

    #[test]
    fn the_territory_follows_from_the_places() {
        assert_eq!(choose(&["DE", "France", "US"]), Territory::World);
        assert_eq!(choose(&["DE", "France", "Polen"]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&["DE", "Türkei", "CY"]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&["TR", "IQ", "SY"]), Territory::parse("asia").unwrap());
        assert_eq!(choose(&["Bayern", "Hessen", "Berlin", "?"]), Territory::Regions("DE"));
        assert_eq!(choose(&["California", "Texas", "Georgia"]), Territory::Regions("US"));
        assert_eq!(choose(&["CA-ON", "CA-QC"]), Territory::Regions("CA"));
        assert_eq!(choose(&["x", ""]), Territory::World);
        assert_eq!(choose(&[]), Territory::World);
    }

    #[test]
    fn a_shared_name_means_the_country_that_is_not_named_otherwise() {
        let find = |places: &[&str]| Territory::World.find_areas(places);
        assert_eq!(find(&["Congo", "Kenya"]), [None, Some("KE")]);
        assert_eq!(find(&["Congo", "DR Congo"]), [Some("CG"), Some("CD")]);
        assert_eq!(find(&["CG", "Kongo"]), [Some("CG"), Some("CD")]);
        assert_eq!(find(&["CG", "CD", "Congo"]), [Some("CG"), Some("CD"), None]);
    }

    #[test]
    fn the_territory_follows_from_the_points() {
        let choose = |points: &[(f64, f64)]| {
            let points: Vec<Point> = points.iter().copied().map(Point::from).collect();
            Territory::for_points(&points)
        };
        assert_eq!(choose(&[(13.4, 52.5), (11.6, 48.1)]), Territory::Regions("DE"));
        assert_eq!(choose(&[(13.4, 52.5), (2.3, 48.9)]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&[(13.4, 52.5), (-100.0, 40.0)]), Territory::World);
        assert_eq!(choose(&[(13.4, 52.5), (43.4, 38.5)]), Territory::World);
        assert_eq!(choose(&[(13.4, 52.5), (-25.7, 37.7)]), Territory::World);
        assert_eq!(choose(&[(-30.0, 30.0)]), Territory::World);
    }
}
