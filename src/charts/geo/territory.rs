//! The part of the world that a map shows.

use std::collections::HashSet;

use kurbo::{Point, Rect};

use crate::geo::borders;
use crate::geo::borders::Borders;
use crate::geo::borders::bounds;
use crate::geo::continents::{ANTARCTICA, CONTINENTS, Continent, find_common_continent, main_part};
use crate::geo::country_set::CountrySet;
use crate::geo::names;
use crate::geo::projection::Projection;

/// Central meridian of maps of the world. The cut is then in the Bering Strait.
const WORLD_MERIDIAN: f64 = 11.0;
/// Maximum number of points for which the country is searched.
const MAX_SEARCHED_POINTS: usize = 60;

/// Codes of the world, continents, regions and other groups of countries in the standard M49 of the
/// United Nations.
#[rustfmt::skip]
static GROUP_CODES: [&str; 34] = [
    "001", "002", "003", "005", "009", "011", "013", "014", "015", "017", "018", "019", "021", "029", "030",
    "034", "035", "039", "053", "054", "057", "061", "142", "143", "145", "150", "151", "154", "155", "199",
    "202", "419", "432", "722",
];

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
    /// The countries in a part of the world.
    Window(Window),
    /// Several countries and their neighbors.
    Countries(CountrySet),
}

/// A part of the world that is no continent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// West, south, east and north end in degrees.
    ends: (i16, i16, i16, i16),
}

/// A part of a country that maps show in another place, because it is far away.
pub struct MovedPart {
    /// West, south, east and north end in degrees.
    pub window: Rect,
    /// Distance to the place on the map in degrees.
    pub shift: kurbo::Vec2,
}

/// Removes the countries of places that are numbers, unless most of the numbers are codes of countries: 48
/// is Bahrain, and Texas in a table with 01, 02 and 06. Codes of groups of countries do not count.
fn remove_other_numbers(codes: &mut [Option<&'static str>], places: &[impl AsRef<str>]) {
    let is_numeric: Vec<bool> = places.iter().map(|place| is_number(place.as_ref())).collect();
    let is_counted: Vec<bool> = is_numeric
        .iter()
        .zip(places)
        .map(|(is_numeric, place)| *is_numeric && !is_group_of_countries(place.as_ref().trim()))
        .collect();
    let numbers = || codes.iter().zip(&is_counted).filter(|(_, is_counted)| **is_counted);
    let known_count = numbers().filter(|(code, _)| code.is_some()).count();
    if known_count * 2 >= numbers().count() {
        return;
    }
    for (code, _) in codes.iter_mut().zip(is_numeric).filter(|(_, is_numeric)| *is_numeric) {
        *code = None;
    }
}

/// Returns whether a number of three digits is the code of a group of countries, such as 150 for Europe,
/// or is from 900 on, which publishers use for their own groups.
fn is_group_of_countries(text: &str) -> bool {
    text.len() == 3 && (text.starts_with('9') || GROUP_CODES.contains(&text))
}

/// Returns whether a text consists of digits.
pub fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
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
                borders::world().find(code)?;
                Territory::of_country(code).or(Some(Territory::Country(code)))
            }
        }
    }

    /// Returns the territory for countries with these codes: a window around one or two, or the
    /// common continent of more, or of two that are far apart. A single country that is too large
    /// for a window has a map of its own. The world without codes, and if the countries have no
    /// common continent.
    pub(super) fn of_countries(codes: &[&'static str]) -> Territory {
        let around = |codes: &[&'static str]| {
            let points: Vec<Point> = codes.iter().flat_map(|code| main_part(code)).collect();
            Territory::around_with_margin(&points, 2.5)
        };
        let is_small = codes.len() < 3 && !codes.contains(&ANTARCTICA);
        match codes {
            [code] if is_small => match around(codes) {
                Territory::World if borders::world().find(code).is_some() => {
                    Territory::Country(code)
                }
                territory => territory,
            },
            [_, _] if is_small && around(codes) != Territory::World => around(codes),
            [] => Territory::World,
            _ => find_common_continent(codes).map_or(Territory::World, Territory::Continent),
        }
    }

    /// Returns the territory that shows the countries with these codes larger, if they are in a part of
    /// this continent or of the world. Returns other territories as they are.
    pub fn focused_on(self, codes: &[&'static str]) -> Territory {
        let continent = match self {
            Territory::World => None,
            Territory::Continent(continent) => Some(continent),
            _ => return self,
        };
        let projection = self.projection("");
        let whole = || bounds(self.points(false).map(|point| projection.project(point)));
        CountrySet::for_part(continent, whole, codes).map_or(self, Territory::Countries)
    }

    /// Chooses the territory for points in degrees: the country of all points, their continent,
    /// their surroundings, or the world. A single point prefers its continent to its country. The
    /// map of a country or continent must show all points, because far parts of a country are not
    /// on it. Points in the sea are ignored in the search for a country.
    pub fn for_points(points: &[Point]) -> Territory {
        let stride = points.len().div_ceil(MAX_SEARCHED_POINTS).max(1);
        let world = borders::world();
        let searched = points.iter().step_by(stride);
        let codes: Vec<&str> = searched.filter_map(|point| world.find_area_at(*point)).collect();
        let Some(first) = codes.first() else { return Territory::around(points) };
        let country = Territory::of_country(first)
            .filter(|country| codes.iter().all(|code| code == first) && country.shows_all(points));
        let shows_all =
            |continent: &&Continent| points.iter().all(|point| continent.window().contains(*point));
        let continent = find_common_continent(&codes).filter(shows_all).map(Territory::Continent);
        // The surroundings tell more about one place than the outline of its country.
        let choices = if points.len() > 1 { [country, continent] } else { [continent, country] };
        choices.into_iter().flatten().next().unwrap_or_else(|| Territory::around(points))
    }

    /// Returns a window around points in degrees, or the world if they are far from each other or
    /// missing.
    fn around(points: &[Point]) -> Territory {
        /// Minimum distance between the points and the ends of the map in degrees.
        const MIN_MARGIN: f64 = 5.0;
        Territory::around_with_margin(points, MIN_MARGIN)
    }

    /// Returns a window around points in degrees, with at least `min_margin` degrees on each side,
    /// or the world if the points are far from each other or missing.
    fn around_with_margin(points: &[Point], min_margin: f64) -> Territory {
        /// Maximum width and height in degrees. More is easier to recognize on a map of the world.
        const MAX_SIZE: (f64, f64) = (90.0, 50.0);
        let Some(rect) = bounds(points.iter().copied()) else { return Territory::World };
        if rect.width() > MAX_SIZE.0 || rect.height() > MAX_SIZE.1 {
            return Territory::World;
        }
        let margin = |size: f64| (size * 0.2).max(min_margin);
        let rect = rect.inflate(margin(rect.width()), margin(rect.height())).expand();
        let (south, north) = (rect.y0.max(-85.0), rect.y1.min(85.0));
        let ends = (rect.x0 as i16, south as i16, rect.x1 as i16, north as i16);
        Territory::Window(Window { ends })
    }

    /// Returns the map of a country with a code. None for Antarctica, which has no map of its own,
    /// and for unknown codes.
    fn of_country(code: &str) -> Option<Territory> {
        let code = names::country(code).filter(|country| country.code != ANTARCTICA)?.code;
        borders::world().find(code)?;
        let has_regions = borders::regions(code).is_some();
        Some(if has_regions { Territory::Regions(code) } else { Territory::Country(code) })
    }

    /// Returns whether all points in degrees are on the map of a country, up to a small margin.
    fn shows_all(self, points: &[Point]) -> bool {
        /// Distance of points to the outermost borders as a share of the map. Borders are
        /// simplified.
        const MARGIN_SHARE: f64 = 0.015;
        let (projection, moved) = (self.projection(""), self.moved_part());
        let place = |point: Point| moved.as_ref().map_or(point, |part| part.place(point));
        let content = bounds(self.points(false).map(|point| projection.project(point)));
        let content = content.unwrap_or(Rect::ZERO);
        let window =
            content.inflate(content.width() * MARGIN_SHARE, content.height() * MARGIN_SHARE);
        points.iter().all(|point| {
            !projection.is_distorted(*point) && window.contains(projection.project(place(*point)))
        })
    }

    /// Returns the borders of the areas: those of the regions of a country, or else of all
    /// countries of the world.
    pub fn borders(self) -> &'static Borders {
        match self {
            Territory::Regions(code) => borders::regions(code).unwrap_or(borders::world()),
            _ => borders::world(),
        }
    }

    /// Returns the code of the area of each place, in the order of the places, and None for unknown
    /// ones. A name that several countries share, such as Congo, is one of them only if the places
    /// include all the others.
    pub fn find_areas(self, places: &[impl AsRef<str>]) -> Vec<Option<&'static str>> {
        let mut codes: Vec<Option<&'static str>> =
            places.iter().map(|place| self.find_area(place.as_ref())).collect();
        if matches!(self, Territory::Regions(_)) {
            return codes;
        }
        remove_other_numbers(&mut codes, places);
        let named: HashSet<&str> = codes.iter().flatten().copied().collect();
        for (code, place) in codes.iter_mut().zip(places).filter(|(code, _)| code.is_none()) {
            let country = names::find_shared_country(place.as_ref(), |code| named.contains(code));
            *code = country.map(|country| country.code);
        }
        codes
    }

    /// Returns the code of the area with a name or code. None for unknown ones and shared names.
    fn find_area(self, text: &str) -> Option<&'static str> {
        match self {
            Territory::Regions(country) => {
                names::find_region(country, text).map(|region| region.code)
            }
            _ => names::find_country(text).map(|country| country.code),
        }
    }

    /// Returns the projection of the map. `name` is the setting `projection`, which only maps of
    /// the world use: Equal Earth for `equal-earth`, otherwise Natural Earth. The regions of the
    /// United States have their own projection, and all other maps an azimuthal one around their
    /// middle.
    pub fn projection(self, name: &str) -> Projection {
        match self {
            Territory::World if name == "equal-earth" => Projection::EqualEarth(WORLD_MERIDIAN),
            Territory::World => Projection::NaturalEarth(WORLD_MERIDIAN),
            Territory::Continent(Continent { center: (x, y), .. }) => {
                Projection::Azimuthal(Point::new(f64::from(*x), f64::from(*y)))
            }
            Territory::Window(window) => Projection::Azimuthal(window.rect().center()),
            Territory::Countries(countries) => countries.projection(),
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
            Territory::Window(window) => Box::new(window.outline()),
            Territory::Countries(countries) => Box::new(countries.points()),
            Territory::Regions(code) | Territory::Country(code) => self.frame_points(code),
        }
    }

    /// Returns the points in degrees that a map of a country must show: of all its regions, the
    /// moved part in its place, or of a country without regions, without its far islands.
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

    /// Returns the part of a country that is far away from the rest and is shown in another place.
    /// None for territories without such a part.
    pub fn moved_part(self) -> Option<MovedPart> {
        let part = |window: (f64, f64, f64, f64), shift: (f64, f64)| {
            let (west, south, east, north) = window;
            Some(MovedPart { window: Rect::new(west, south, east, north), shift: shift.into() })
        };
        match self {
            // The Canary Islands.
            Territory::Regions("ES") => part((-18.4, 27.4, -13.2, 29.6), (5.0, 6.4)),
            // The Ryukyu Islands, with those of the prefecture Kagoshima.
            Territory::Regions("JP") => part((122.5, 23.8, 131.5, 28.7), (6.6, 15.6)),
            _ => None,
        }
    }
}

impl MovedPart {
    /// Returns the point in degrees, moved by the shift if it is in the moved part.
    pub fn place(&self, point: Point) -> Point {
        if self.window.contains(point) { point + self.shift } else { point }
    }
}

impl Window {
    /// Returns the rectangle of the window in degrees: longitude is x, and y is the latitude from
    /// south to north.
    pub(super) fn rect(self) -> Rect {
        let (west, south, east, north) = self.ends;
        Rect::new(west.into(), south.into(), east.into(), north.into())
    }

    /// Returns points in degrees on the northern and the southern end of the window, nine on each.
    fn outline(self) -> impl Iterator<Item = Point> {
        let rect = self.rect();
        (0..=8).flat_map(move |step| {
            let x = rect.x0 + rect.width() * f64::from(step) / 8.0;
            [Point::new(x, rect.y0), Point::new(x, rect.y1)]
        })
    }
}

/// Returns the points in degrees of a country of the world, or of all countries for an empty code.
/// Empty for an unknown code.
fn world_points(code: &str) -> impl Iterator<Item = Point> + use<> {
    let world = borders::world();
    let area = world.find(code);
    let rings = area.into_iter().flat_map(|area| area.polygons.iter().flatten());
    let points = rings.flat_map(|ring| borders::ring_points(ring, &world.arcs));
    let all = if code.is_empty() { world.arcs.as_slice() } else { &[] };
    points.chain(all.iter().flatten().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn numbers_are_countries_if_most_of_them_are_codes_of_countries() {
        let find = |places: &[&str]| Territory::World.find_areas(places);
        assert_eq!(find(&["276", "250", "999"]), [Some("DE"), Some("FR"), None]);
        // Codes of groups of countries.
        let groups = ["276", "250", "901", "902", "903"];
        assert_eq!(find(&groups), [Some("DE"), Some("FR"), None, None, None]);
        let groups = ["900", "150", "908", "156", "356"];
        assert_eq!(find(&groups), [None, None, None, Some("CN"), Some("IN")]);
        // Prefixes of telephone numbers, of which 212 is Dominica, too.
        assert_eq!(find(&["212", "310", "415"]), [None, None, None]);
        // Numbers of states in the United States, of which 36 and 48 are those of countries, too.
        assert_eq!(find(&["01", "02", "06", "36", "48", "DE"]), {
            [None, None, None, None, None, Some("DE")]
        });
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
        // Their continent does not show them all, or there is none.
        let window = |ends| Territory::Window(Window { ends });
        assert_eq!(choose(&[(13.4, 52.5), (43.4, 38.5)]), window((7, 33, 50, 58)));
        assert_eq!(choose(&[(13.4, 52.5), (-25.7, 37.7)]), window((-34, 32, 22, 58)));
        assert_eq!(choose(&[(-30.0, 30.0)]), window((-35, 25, -25, 35)));
        // Both sides of the antimeridian.
        assert_eq!(choose(&[(37.6, 55.8), (131.9, 43.1), (186.8, 64.4)]), Territory::Country("RU"));
        assert_eq!(choose(&[(178.4, -18.1), (181.2, -18.2)]), Territory::Country("FJ"));
        assert_eq!(choose(&[(174.8, -36.9), (172.6, -43.5)]), Territory::Country("NZ"));
        assert_eq!(choose(&[(-74.0, 40.7), (-149.9, 61.2)]), Territory::Regions("US"));
        // The map of the French regions lacks Guiana.
        assert_eq!(choose(&[(2.3, 48.9), (-53.0, 4.0)]), window((-65, -5, 14, 58)));
        assert_eq!(choose(&[(129.7, 62.0)]), Territory::Country("RU"));
        assert_eq!(choose(&[(13.4, 52.5)]), Territory::parse("europe").unwrap());
    }
}
