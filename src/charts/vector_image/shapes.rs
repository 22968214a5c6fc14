//! Paths of the basic shapes of SVG.

use kurbo::{BezPath, Circle, Ellipse, Line, PathEl, Point, Rect, RoundedRect, Shape};
use roxmltree::Node;

use super::attributes::{parse_number, parse_numbers, parse_view_box};

/// Maximum distance in points between a curve and the circle it approximates.
const TOLERANCE: f64 = 0.05;

/// Builds the path of a `path` element or of a basic shape (`rect`, `circle`, `ellipse`, `line`,
/// `polyline`, `polygon`) in its own coordinates. Percentages are relative to the view box. The
/// larger of `rx` and `ry` rounds all corners of a rectangle in both directions.
///
/// Returns None for another element, a rectangle, circle or ellipse without area, fewer than two
/// points, an empty path, or invalid coordinates.
pub(super) fn build_shape_path(node: Node<'_, '_>) -> Option<BezPath> {
    // A percentage, such as the common `width="100%"`, is relative to the view box.
    let view_box = || parse_view_box(node.document().root_element());
    let length = |name: &str| match node.attribute(name).map(|value| value.trim().strip_suffix('%'))
    {
        None => Some(0.0),
        Some(None) => parse_number(node.attribute(name)?),
        Some(Some(percentage)) => {
            let side = match name {
                "x" | "cx" | "rx" | "x1" | "x2" | "width" => view_box().width(),
                _ => view_box().height(),
            };
            Some(parse_number(percentage)? / 100.0 * side)
        }
    };
    match node.tag_name().name() {
        "rect" => {
            let (x, y, width, height) =
                (length("x")?, length("y")?, length("width")?, length("height")?);
            let rect = Rect::new(x, y, x + width, y + height);
            let radius = length("rx")?.max(length("ry")?);
            (width > 0.0 && height > 0.0).then(|| match radius > 0.0 {
                true => RoundedRect::from_rect(rect, radius).to_path(TOLERANCE),
                false => rect.to_path(TOLERANCE),
            })
        }
        "circle" => {
            let radius = length("r")?;
            let circle = Circle::new((length("cx")?, length("cy")?), radius);
            (radius > 0.0).then(|| circle.to_path(TOLERANCE))
        }
        "ellipse" => {
            let radii = (length("rx")?, length("ry")?);
            let ellipse = Ellipse::new((length("cx")?, length("cy")?), radii, 0.0);
            (radii.0 > 0.0 && radii.1 > 0.0).then(|| ellipse.to_path(TOLERANCE))
        }
        "line" => {
            let line = Line::new((length("x1")?, length("y1")?), (length("x2")?, length("y2")?));
            Some(line.to_path(TOLERANCE))
        }
        "polyline" => build_polygon_path(node, false),
        "polygon" => build_polygon_path(node, true),
        "path" => BezPath::from_svg(node.attribute("d")?).ok().filter(|path| !path.is_empty()),
        _ => None,
    }
}

/// Builds the path through the `points` of a polyline (open) or polygon (closed). None if there are
/// fewer than two points or one of the numbers is invalid.
fn build_polygon_path(node: Node<'_, '_>, closed: bool) -> Option<BezPath> {
    let numbers = parse_numbers(node.attribute("points")?)?;
    let mut path = BezPath::new();
    for (index, point) in numbers.chunks_exact(2).enumerate() {
        match index {
            0 => path.move_to((point[0], point[1])),
            _ => path.line_to((point[0], point[1])),
        }
    }
    if closed {
        path.close_path();
    }
    (numbers.len() >= 4).then_some(path)
}

/// Returns the length of the lines between the control points of a path. No curve is longer than
/// the lines between its control points.
pub(super) fn measure_control_polygon(path: &BezPath) -> f64 {
    let (mut start, mut last, mut length) = (Point::ZERO, Point::ZERO, 0.0);
    let mut line_to = |last: &mut Point, point: Point| {
        length += last.distance(point);
        *last = point;
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(point) => (start, last) = (point, point),
            PathEl::LineTo(point) => line_to(&mut last, point),
            PathEl::QuadTo(one, point) => {
                line_to(&mut last, one);
                line_to(&mut last, point);
            }
            PathEl::CurveTo(one, two, point) => {
                line_to(&mut last, one);
                line_to(&mut last, two);
                line_to(&mut last, point);
            }
            PathEl::ClosePath => line_to(&mut last, start),
        }
    }
    length
}
