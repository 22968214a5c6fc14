//! Continents, and the main parts of countries on their maps.

use kurbo::{Point, Rect};

use crate::geo::borders;
use crate::geo::borders::bounds;
use crate::geo::names;

/// Code of Antarctica, which maps only show if they have a record of it.
pub const ANTARCTICA: &str = "AQ";

/// A continent.
#[derive(Debug, PartialEq, Eq)]
pub struct Continent {
    /// Value of the setting `map`.
    pub slug: &'static str,
    /// Code of the continent in the table of countries.
    pub(super) code: &'static str,
    /// Longitude and latitude of the center of the map, in degrees.
    pub(super) center: (i16, i16),
    /// West, south, east and north end of the land that the map shows, in degrees.
    window: (i16, i16, i16, i16),
}

/// All continents.
#[rustfmt::skip]
pub(super) static CONTINENTS: [Continent; 6] = [
    Continent { slug: "africa", code: "AF", center: (17, 2), window: (-26, -36, 58, 38) },
    Continent { slug: "asia", code: "AS", center: (90, 28), window: (26, -11, 146, 56) },
    Continent { slug: "europe", code: "EU", center: (14, 53), window: (-25, 34, 41, 71) },
    Continent { slug: "north-america", code: "NA", center: (-92, 42), window: (-168, 7, -52, 76) },
    Continent { slug: "south-america", code: "SA", center: (-60, -20), window: (-82, -56, -34, 13) },
    Continent { slug: "oceania", code: "OC", center: (150, -22), window: (112, -48, 190, 6) },
];

impl Continent {
    /// Returns whether a country belongs to the continent. Cyprus, Turkey and the west of Russia are
    /// on the map of Europe too.
    pub(super) fn has_country(&self, code: &str) -> bool {
        let on_continent =
            names::country(code).is_some_and(|country| country.continent == self.code);
        on_continent || self.slug == "europe" && ["CY", "RU", "TR"].contains(&code)
    }

    /// Returns the rectangle of the land that the map shows, in degrees: longitude is x and
    /// latitude is y.
    pub(super) fn window(&self) -> Rect {
        let (west, south, east, north) = self.window;
        Rect::new(west.into(), south.into(), east.into(), north.into())
    }
}

/// Returns the first continent that all countries belong to. None if there is none.
pub(super) fn find_common_continent(codes: &[&str]) -> Option<&'static Continent> {
    CONTINENTS.iter().find(|continent| codes.iter().all(|code| continent.has_country(code)))
}

/// Returns the points of the outlines of a country: of the largest polygon, and of others near it
/// or near those, but not of parts that are far away. Small islands must be nearer than large ones.
pub(super) fn main_part(code: &'static str) -> impl Iterator<Item = Point> {
    /// Maximum size of a small island as a share of the largest part.
    const SMALL_SHARE: f64 = 0.005;
    let world = borders::world();
    let polygons = world.find(code).map_or(&[][..], |area| area.polygons.as_slice());
    let outlines = polygons.iter().filter_map(|polygon| polygon.first());
    let with_bounds = |ring: &borders::Ring| {
        let points: Vec<Point> = borders::ring_points(ring, &world.arcs).collect();
        Some((bounds(points.iter().copied())?, points))
    };
    let mut far: Vec<(Rect, Vec<Point>)> = outlines.filter_map(with_bounds).collect();
    far.sort_by(|a, b| b.0.area().total_cmp(&a.0.area()));
    let mut main = far.first().map_or(Rect::ZERO, |(rect, _)| *rect);
    let max_small_size = main.area() * SMALL_SHARE;
    let mut near = Vec::new();
    loop {
        // Small islands do not make the map much larger.
        let is_near = |rect: &Rect| {
            let share = if rect.area() < max_small_size { 0.15 } else { 0.5 };
            rect.overlaps(main.inflate(main.width() * share + 1.0, main.height() * share + 1.0))
        };
        let (found, others): (Vec<_>, Vec<_>) =
            far.into_iter().partition(|(rect, _)| is_near(rect));
        if found.is_empty() {
            return near.into_iter().flatten();
        }
        main = found.iter().fold(main, |all, (rect, _)| all.union(*rect));
        near.extend(found.into_iter().map(|(_, points)| points));
        far = others;
    }
}
