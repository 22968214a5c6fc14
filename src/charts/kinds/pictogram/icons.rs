//! Icons of the pictogram, defined inside a box with a height of 1 and scaled.

use kurbo::{Affine, BezPath, Circle, Point, Rect, RoundedRect, Shape as _};

/// Maximum deviation of flattened curves, relative to the height of an icon.
const TOLERANCE: f64 = 0.002;

/// An icon of a pictogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A head over a body.
    Person,
    /// A square with slightly round corners.
    Square,
    /// A disc.
    Circle,
    /// A house with a door.
    House,
    /// A crown over a trunk.
    Tree,
    /// A car from its side.
    Car,
    /// A drop of water.
    Drop,
    /// A star with five points.
    Star,
}

impl Icon {
    /// Returns the icon with this name or alias, ignoring case and surrounding space. None if the
    /// name is unknown.
    pub fn from_name(name: &str) -> Option<Icon> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "person" | "people" => Icon::Person,
            "square" => Icon::Square,
            "circle" | "coin" => Icon::Circle,
            "house" | "home" => Icon::House,
            "tree" => Icon::Tree,
            "car" => Icon::Car,
            "drop" | "water" => Icon::Drop,
            "star" => Icon::Star,
            _ => return None,
        })
    }

    /// Returns the ratio of width to height of the box of the icon.
    pub fn aspect(self) -> f64 {
        match self {
            Icon::Person => 0.46,
            Icon::Drop | Icon::Tree => 0.7,
            Icon::Square | Icon::Circle => 0.86,
            Icon::House | Icon::Star => 1.0,
            Icon::Car => 1.5,
        }
    }

    /// Returns the outline of the icon, scaled so that its box has the largest size that fits into
    /// `rect`, and centered.
    pub fn path(self, rect: Rect) -> BezPath {
        let aspect = self.aspect();
        let scale = (rect.width() / aspect).min(rect.height());
        let left = rect.center().x - aspect * scale / 2.0;
        let top = rect.center().y - scale / 2.0;
        let transform = Affine::translate((left, top)) * Affine::scale(scale);
        transform * self.outline()
    }

    /// Returns the outline inside a box with a height of 1 and a width of `aspect`.
    fn outline(self) -> BezPath {
        match self {
            Icon::Person => person_outline(),
            Icon::Square => rounded_rect(Rect::new(0.0, 0.07, 0.86, 0.93), 0.06),
            Icon::Circle => Circle::new((0.43, 0.5), 0.43).to_path(TOLERANCE),
            Icon::House => house_outline(),
            Icon::Tree => tree_outline(),
            Icon::Car => car_outline(),
            Icon::Drop => drop_outline(),
            Icon::Star => star_outline(),
        }
    }
}

/// Returns the outline of a rectangle with rounded corners.
fn rounded_rect(rect: Rect, radius: f64) -> BezPath {
    RoundedRect::from_rect(rect, radius).to_path(TOLERANCE)
}

/// Returns the closed polygon through the points.
fn polygon(points: &[(f64, f64)]) -> BezPath {
    let mut path = BezPath::new();
    for (index, point) in points.iter().enumerate() {
        if index == 0 {
            path.move_to(*point);
        } else {
            path.line_to(*point);
        }
    }
    path.close_path();
    path
}

/// Returns the outline of a head over a body, with a height of 1.
fn person_outline() -> BezPath {
    let mut path = Circle::new((0.23, 0.13), 0.13).to_path(TOLERANCE);
    path.move_to((0.0, 0.42));
    path.curve_to((0.0, 0.34), (0.05, 0.3), (0.12, 0.3));
    path.line_to((0.34, 0.3));
    path.curve_to((0.41, 0.3), (0.46, 0.34), (0.46, 0.42));
    path.line_to((0.46, 0.66));
    path.line_to((0.36, 0.66));
    path.line_to((0.36, 1.0));
    path.line_to((0.1, 1.0));
    path.line_to((0.1, 0.66));
    path.line_to((0.0, 0.66));
    path.close_path();
    path
}

/// Returns the outline of a house with a door, inside a box with a height of 1.
fn house_outline() -> BezPath {
    polygon(&[
        (0.5, 0.06),
        (1.0, 0.5),
        (0.87, 0.5),
        (0.87, 0.94),
        (0.6, 0.94),
        (0.6, 0.64),
        (0.4, 0.64),
        (0.4, 0.94),
        (0.13, 0.94),
        (0.13, 0.5),
        (0.0, 0.5),
    ])
}

/// Returns the outline of a crown over a trunk, with a height of 1.
fn tree_outline() -> BezPath {
    polygon(&[
        (0.35, 0.0),
        (0.62, 0.36),
        (0.48, 0.36),
        (0.7, 0.72),
        (0.42, 0.72),
        (0.42, 1.0),
        (0.28, 1.0),
        (0.28, 0.72),
        (0.0, 0.72),
        (0.22, 0.36),
        (0.08, 0.36),
    ])
}

/// Returns the outline of a car from its side, inside a box with a height of 1.
fn car_outline() -> BezPath {
    let mut path = BezPath::new();
    path.move_to((0.04, 0.72));
    path.line_to((0.04, 0.56));
    path.curve_to((0.04, 0.48), (0.1, 0.45), (0.2, 0.44));
    path.line_to((0.4, 0.22));
    path.line_to((1.0, 0.22));
    path.line_to((1.24, 0.44));
    path.curve_to((1.4, 0.46), (1.46, 0.5), (1.46, 0.58));
    path.line_to((1.46, 0.72));
    path.close_path();
    for x in [0.38, 1.12] {
        path.extend(Circle::new((x, 0.72), 0.15).to_path(TOLERANCE));
    }
    path
}

/// Returns the outline of a drop of water, with a height of 1.
fn drop_outline() -> BezPath {
    let mut path = BezPath::new();
    path.move_to((0.35, 0.0));
    path.curve_to((0.45, 0.22), (0.7, 0.42), (0.7, 0.66));
    path.curve_to((0.7, 0.86), (0.54, 1.0), (0.35, 1.0));
    path.curve_to((0.16, 1.0), (0.0, 0.86), (0.0, 0.66));
    path.curve_to((0.0, 0.42), (0.25, 0.22), (0.35, 0.0));
    path.close_path();
    path
}

/// Returns the outline of a star with five points, inside a box with a height of 1.
fn star_outline() -> BezPath {
    let corner = |index: usize| {
        let angle = index as f64 * std::f64::consts::PI / 5.0;
        let radius = if index.is_multiple_of(2) { 0.52 } else { 0.21 };
        let corner = Point::new(0.5 + radius * angle.sin(), 0.54 - radius * angle.cos());
        (corner.x, corner.y)
    };
    let corners: Vec<(f64, f64)> = (0..10).map(corner).collect();
    polygon(&corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_stay_within_their_box() {
        let rect = Rect::new(10.0, 20.0, 40.0, 50.0);
        for name in ["person", "square", "circle", "house", "tree", "car", "drop", "star"] {
            let icon = Icon::from_name(name).unwrap();
            let bounds = icon.path(rect).bounding_box();
            assert!(rect.inflate(0.2, 0.2).contains_rect(bounds), "{name}: {bounds:?}");
        }
        assert_eq!(Icon::from_name("rocket"), None);
    }
}
