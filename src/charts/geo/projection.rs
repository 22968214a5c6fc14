//! Map projections from longitude and latitude to a plane, x to the right and y down.

use kurbo::{Point, Vec2};

/// A map projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Natural Earth: a compromise for the whole world with rounded corners. The value is the
    /// central meridian in degrees.
    NaturalEarth(f64),
    /// Equal Earth: true areas for the whole world. The value is the central meridian in degrees.
    EqualEarth(f64),
    /// Lambert's azimuthal equal-area projection around a point in degrees.
    Azimuthal(Point),
    /// Albers' equal-area projections of the United States, with Alaska and Hawaii below the other
    /// states.
    UnitedStates,
}

impl Projection {
    /// Returns the position in the plane of a point with longitude x and latitude y in degrees. In
    /// the plane, x is to the right and y down. One unit is about the radius of the Earth.
    pub fn project(self, point: Point) -> Point {
        match self {
            Projection::NaturalEarth(meridian) => {
                project_natural_earth((point.x - meridian).to_radians(), point.y.to_radians())
            }
            Projection::EqualEarth(meridian) => {
                project_equal_earth((point.x - meridian).to_radians(), point.y.to_radians())
            }
            Projection::Azimuthal(center) => project_azimuthal(center, point),
            Projection::UnitedStates => project_united_states(point),
        }
    }

    /// Returns whether the projection distorts a place, in degrees, too much to draw it: on an
    /// azimuthal map, if it is more than about 127 degrees from the center. False for other
    /// projections.
    pub fn is_distorted(self, point: Point) -> bool {
        match self {
            Projection::Azimuthal(center) => angular_cosine(center, point) < -0.6,
            _ => false,
        }
    }
}

/// Projects angles in radians with the Natural Earth projection of Tom Patterson, by the
/// polynomials of Šavrič, Jenny and Patterson. The longitude is relative to the central meridian.
fn project_natural_earth(longitude: f64, latitude: f64) -> Point {
    let square = latitude * latitude;
    let fourth = square * square;
    let width = 0.870_700 - 0.131_979 * square
        + fourth * (-0.013_791 + fourth * (0.003_971 * square - 0.001_529 * fourth));
    let height = 1.007_226
        + square * (0.015_085 + fourth * (-0.044_475 + 0.028_874 * square - 0.005_916 * fourth));
    Point::new(longitude * width, -latitude * height)
}

/// Projects angles in radians with the Equal Earth projection of Šavrič, Patterson and Jenny. The
/// longitude is relative to the central meridian.
fn project_equal_earth(longitude: f64, latitude: f64) -> Point {
    const A: [f64; 4] = [1.340_264, -0.081_106, 0.000_893, 0.003_796];
    let root = 3f64.sqrt() / 2.0;
    let parameter = (root * latitude.sin()).asin();
    let square = parameter * parameter;
    let sixth = square * square * square;
    let slope = A[0] + 3.0 * A[1] * square + sixth * (7.0 * A[2] + 9.0 * A[3] * square);
    let x = longitude * parameter.cos() / (root * slope);
    let y = parameter * (A[0] + A[1] * square + sixth * (A[2] + A[3] * square));
    Point::new(x, -y)
}

/// Returns the cosine of the angle between two places on the sphere, which are in degrees.
fn angular_cosine(one: Point, two: Point) -> f64 {
    let (one_latitude, two_latitude) = (one.y.to_radians(), two.y.to_radians());
    one_latitude.sin() * two_latitude.sin()
        + one_latitude.cos() * two_latitude.cos() * (two.x - one.x).to_radians().cos()
}

/// Projects a point in degrees with Lambert's azimuthal equal-area projection, with `center` at the
/// origin of the plane. Points near the opposite side of the Earth are limited to a finite
/// distance.
fn project_azimuthal(center: Point, point: Point) -> Point {
    let longitude = (point.x - center.x).to_radians();
    let (latitude, middle) = (point.y.to_radians(), center.y.to_radians());
    let stretch = (2.0 / (1.0 + angular_cosine(center, point)).max(1e-3)).sqrt();
    let x = latitude.cos() * longitude.sin();
    let y = middle.cos() * latitude.sin() - middle.sin() * latitude.cos() * longitude.cos();
    Point::new(stretch * x, -stretch * y)
}

/// Projects a point onto a cone that cuts the sphere at two parallels. `center` is the origin of
/// the plane. All angles are in degrees.
fn project_albers(parallels: (f64, f64), center: Point, point: Point) -> Vec2 {
    let (first, second) = (parallels.0.to_radians(), parallels.1.to_radians());
    let n = f64::midpoint(first.sin(), second.sin());
    let c = first.cos().powi(2) + 2.0 * n * first.sin();
    let radius = |latitude: f64| (c - 2.0 * n * latitude.to_radians().sin()).max(0.0).sqrt() / n;
    let angle = n * (point.x - center.x).to_radians();
    let distance = radius(point.y);
    Vec2::new(distance * angle.sin(), distance * angle.cos() - radius(center.y))
}

/// Projects a point in degrees. Alaska has 35 % of its size. Alaska and Hawaii are moved below the
/// southwestern states.
fn project_united_states(point: Point) -> Point {
    // The Aleutian Islands cross the antimeridian.
    let point = if point.x > 0.0 { Point::new(point.x - 360.0, point.y) } else { point };
    let is_alaska = point.y > 50.0 && point.x < -129.0;
    let is_hawaii = point.y < 30.0 && point.x < -140.0;
    let plane = if is_alaska {
        let alaska = project_albers((55.0, 65.0), Point::new(-154.0, 58.5), point);
        alaska * 0.35 + Vec2::new(-0.307, 0.201)
    } else if is_hawaii {
        let hawaii = project_albers((8.0, 18.0), Point::new(-157.0, 19.9), point);
        hawaii + Vec2::new(-0.205, 0.212)
    } else {
        project_albers((29.5, 45.5), Point::new(-96.6, 38.7), point)
    };
    plane.to_point()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_east_is_right() {
        let projections = [
            Projection::NaturalEarth(10.0),
            Projection::EqualEarth(10.0),
            Projection::Azimuthal(Point::new(10.0, 50.0)),
        ];
        for projection in projections {
            let center = projection.project(Point::new(10.0, 50.0));
            assert!(center.x.abs() < 1e-9, "{projection:?}");
            assert!(projection.project(Point::new(10.0, 55.0)).y < center.y);
            assert!(projection.project(Point::new(15.0, 50.0)).x > center.x);
        }
    }

    #[test]
    fn equal_area_projections_keep_the_ratio_of_areas() {
        let area = |projection: Projection, corner: Point| {
            let at = |x: f64, y: f64| projection.project(corner + Vec2::new(x, y));
            let (a, b, c) = (at(0.0, 0.0), at(0.01, 0.0), at(0.0, 0.01));
            (b - a).cross(c - a).abs() / corner.y.to_radians().cos()
        };
        for projection in
            [Projection::EqualEarth(0.0), Projection::Azimuthal(Point::new(10.0, 50.0))]
        {
            let expected = area(projection, Point::new(10.0, 45.0));
            for corner in [Point::new(20.0, 5.0), Point::new(-30.0, 65.0), Point::new(40.0, -20.0)]
            {
                let ratio = area(projection, corner) / expected;
                assert!((ratio - 1.0).abs() < 2e-3, "{projection:?} {corner:?} {ratio}");
            }
        }
    }

    #[test]
    fn alaska_and_hawaii_are_below_the_southwest() {
        let at = |x: f64, y: f64| Projection::UnitedStates.project(Point::new(x, y));
        let (los_angeles, miami) = (at(-118.2, 34.1), at(-80.2, 25.8));
        for place in [at(-149.9, 61.2), at(179.0, 52.0), at(-157.9, 21.3)] {
            assert!(place.y > los_angeles.y && place.x < miami.x, "{place:?}");
        }
    }
}
