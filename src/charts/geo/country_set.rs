//! Countries that a map shows larger than a map of their continent would.

use kurbo::{Point, Rect};

use crate::geo::borders;
use crate::geo::borders::bounds;
use crate::geo::continents::{ANTARCTICA, Continent, main_part};
use crate::geo::projection::Projection;

/// Number of words for one bit per country.
const WORD_COUNT: usize = 5;
/// Maximum angle in degrees between the middle of the countries and their ends. More is easier to
/// recognize on a map of the world.
const MAX_ANGLE: f64 = 40.0;
/// Minimum ratio of the scale of the map to that of a map of the continent. A map that is hardly larger
/// should rather show the whole continent.
const MIN_ENLARGEMENT: f64 = 1.25;
/// Ratio of width to height of a usual map.
const USUAL_ASPECT: f64 = 2.0;

/// Several countries that are near to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountrySet {
    /// Bits of the countries, by their index in the borders of the world.
    bits: [u64; WORD_COUNT],
    /// Longitude and latitude of the middle in degrees.
    center: (i16, i16),
    /// Continent that the land of the countries must be on. None if they have no common one.
    continent: Option<&'static Continent>,
}

impl CountrySet {
    /// Returns the set of the countries with these codes, if a map of them has a much larger scale
    /// than a map of the `continent`, or of the world without one. `whole` returns the bounding box of that
    /// map on the plane of its projection. None otherwise, for fewer than three countries, and for
    /// Antarctica.
    pub(super) fn for_part(
        continent: Option<&'static Continent>,
        whole: impl FnOnce() -> Option<Rect>,
        codes: &[&'static str],
    ) -> Option<CountrySet> {
        if codes.len() < 3 || codes.contains(&ANTARCTICA) {
            return None;
        }
        let mut set = CountrySet { bits: [0; WORD_COUNT], center: (0, 0), continent };
        for code in codes {
            let index = borders::world().areas.iter().position(|area| area.code == *code)?;
            *set.bits.get_mut(index / 64)? |= 1 << (index % 64);
        }
        set.center = set.find_center()?;
        let content = set.content(set.projection(), set.points())?;
        let angle = set.points().map(|point| set.angle_to(point)).fold(0.0, f64::max);
        let is_large = || {
            let is_smaller =
                |whole: Rect| usual_scale(content) >= usual_scale(whole) * MIN_ENLARGEMENT;
            whole().is_some_and(is_smaller)
        };
        (angle <= MAX_ANGLE && is_large()).then_some(set)
    }

    /// Returns the projection with the countries in the middle.
    pub(super) fn projection(self) -> Projection {
        Projection::Azimuthal(self.center_point())
    }

    /// Returns the points of the outlines of all countries in degrees, without parts that are far away from
    /// the rest of their country or not on the map of the continent.
    pub(super) fn points(self) -> impl Iterator<Item = Point> {
        self.codes().flat_map(move |code| self.points_of(code))
    }

    /// Returns the points of the outlines of a country, as in [`Self::points`].
    fn points_of(self, code: &'static str) -> Vec<Point> {
        let all: Vec<Point> = main_part(code).collect();
        let Some(window) = self.continent.map(Continent::window) else { return all };
        let inner: Vec<Point> =
            all.iter().copied().filter(|point| window.contains(*point)).collect();
        // Some islands of Oceania are beyond the map of the continent.
        if inner.is_empty() { all } else { inner }
    }

    /// Returns the codes of the countries.
    fn codes(self) -> impl Iterator<Item = &'static str> {
        let has_bit = move |index: usize| {
            self.bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
        };
        let areas = borders::world().areas.iter().enumerate();
        areas.filter(move |(index, _)| has_bit(*index)).map(|(_, area)| area.code.as_str())
    }

    /// Returns the middle of the centers of the countries on the sphere, in whole degrees. None if
    /// there is none, or a country has no outline.
    fn find_center(self) -> Option<(i16, i16)> {
        let mut sum = [0.0; 3];
        for code in self.codes() {
            let center = bounds(self.points_of(code).into_iter())?.center();
            for (total, part) in sum.iter_mut().zip(unit_vector(center)) {
                *total += part;
            }
        }
        let [x, y, z] = sum;
        let longitude = y.atan2(x).to_degrees();
        let latitude = z.atan2(x.hypot(y)).to_degrees();
        let is_certain = x.hypot(y).hypot(z) > 1e-6;
        is_certain.then(|| (longitude.round() as i16, latitude.round() as i16))
    }

    /// Returns the middle in degrees.
    fn center_point(self) -> Point {
        Point::new(self.center.0.into(), self.center.1.into())
    }

    /// Returns the angle in degrees between the middle and a point.
    fn angle_to(self, point: Point) -> f64 {
        let pairs = unit_vector(self.center_point()).into_iter().zip(unit_vector(point));
        let cosine: f64 = pairs.map(|(one, two)| one * two).sum();
        cosine.clamp(-1.0, 1.0).acos().to_degrees()
    }

    /// Returns the bounding box of points in degrees on the plane of a projection.
    fn content(self, projection: Projection, points: impl Iterator<Item = Point>) -> Option<Rect> {
        bounds(points.map(|point| projection.project(point)))
    }
}

/// Returns the unit vector from the center of the Earth to a point with longitude x and latitude y in
/// degrees.
fn unit_vector(point: Point) -> [f64; 3] {
    let (longitude, latitude) = (point.x.to_radians(), point.y.to_radians());
    [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
}

/// Returns the scale at which `content` fits into a usual map, relative to other contents.
fn usual_scale(content: Rect) -> f64 {
    (USUAL_ASPECT / content.width().max(1e-9)).min(1.0 / content.height().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::territory::Territory;

    /// Returns the bounding box of the map in degrees, or None for the map of the continent.
    fn focus(map: &str, codes: &[&'static str]) -> Option<Rect> {
        let whole = Territory::parse(map).unwrap();
        let focused = whole.focused_on(codes);
        if focused == whole { None } else { bounds(focused.points(false)) }
    }

    #[test]
    fn countries_in_a_part_of_a_continent_have_a_larger_map() {
        let asia = ["ID", "MY", "TH", "VN", "PH", "SG", "MM", "KH", "LA"];
        let rect = focus("asia", &asia).unwrap();
        assert!(rect.x0 > 90.0 && rect.x1 < 145.0 && rect.y1 < 30.0, "{rect:?}");
        // Without Svalbard.
        let north = focus("europe", &["NO", "SE", "DK", "FI", "IS"]).unwrap();
        assert!(north.y0 > 54.0 && north.y1 <= 71.0 && north.x0 < -20.0, "{north:?}");
        // Without French Guiana.
        let west = focus("europe", &["FR", "BE", "NL", "LU"]).unwrap();
        assert!(west.x0 > -6.0 && west.y0 > 40.0, "{west:?}");
        // Islands on both sides of the date line, and of two continents.
        assert!(focus("oceania", &["FJ", "TO", "WS"]).is_some());
        assert!(focus("world", &["ES", "MA", "PT"]).is_some());
    }

    #[test]
    fn countries_of_a_whole_continent_or_far_from_each_other_do_not() {
        assert_eq!(focus("europe", &["PT", "NO", "GR", "FI"]), None);
        assert_eq!(focus("south-america", &["BR", "AR", "CL", "PE", "CO"]), None);
        assert_eq!(focus("world", &["DE", "US", "JP"]), None);
        assert_eq!(focus("europe", &["DE", "FR"]), None);
    }
}
