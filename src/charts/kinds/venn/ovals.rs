//! Circles and ellipses, the outlines of their intersections, and positions for text in them.

use std::f64::consts::TAU;

use kurbo::{Affine, Arc, BezPath, Point, Rect, Shape as _, Size, Vec2};

/// Maximum deviation of curves from an ellipse as a share of its radius. It is not visible.
const TOLERANCE: f64 = 1e-4;
/// Number of points on an outline that are tested for intersections. Parts of less than 1.4 degrees
/// may be missed, because they are hardly visible.
const OUTLINE_STEPS: usize = 256;
/// Number of grid intervals along the longer side of the diagram. Text is tried at each grid point.
const GRID_INTERVALS: f64 = 56.0;

/// A circle or an ellipse, stored as the affine map from the unit circle and its inverse.
#[derive(Clone, Copy, Debug)]
pub struct Oval {
    transform: Affine,
    inverse: Affine,
}

impl Oval {
    /// Creates an ellipse, rotated clockwise on the canvas by `angle` in radians.
    pub fn new(center: Point, (rx, ry): (f64, f64), angle: f64) -> Oval {
        let radii = Affine::scale_non_uniform(rx.max(1e-9), ry.max(1e-9));
        Oval::from_transform(Affine::translate(center.to_vec2()) * Affine::rotate(angle) * radii)
    }

    /// Creates a circle.
    pub fn circle(center: Point, radius: f64) -> Oval {
        Oval::new(center, (radius, radius), 0.0)
    }

    /// Creates the oval onto which an affine map takes the unit circle.
    fn from_transform(transform: Affine) -> Oval {
        Oval { transform, inverse: transform.inverse() }
    }

    /// Returns the oval after an affine map, which must not mirror.
    pub fn transformed(&self, by: Affine) -> Oval {
        Oval::from_transform(by * self.transform)
    }

    /// Returns the point on the outline to which the affine map takes the point of the unit circle at
    /// this angle in radians. In an ellipse, this is not the angle around its center.
    pub fn point_at(&self, angle: f64) -> Point {
        self.transform * Point::new(angle.cos(), angle.sin())
    }

    /// Returns the outward unit normal of the outline at the point that `point_at` returns for this angle.
    pub fn normal_at(&self, angle: f64) -> Vec2 {
        let [a, b, c, d, ..] = self.transform.as_coeffs();
        let tangent =
            Vec2::new(c * angle.cos() - a * angle.sin(), d * angle.cos() - b * angle.sin());
        Vec2::new(tangent.y, -tangent.x).normalize()
    }

    /// Returns the smallest upright rectangle around the oval.
    pub fn bounds(&self) -> Rect {
        let [a, b, c, d, x, y] = self.transform.as_coeffs();
        Rect::from_center_size((x, y), (2.0 * a.hypot(c), 2.0 * b.hypot(d)))
    }

    /// Returns the outline as a closed path.
    pub fn path(&self) -> BezPath {
        let mut path = BezPath::new();
        self.append_arc((0.0, TAU), &mut path);
        path.close_path();
        path
    }

    /// Returns whether a point is inside or on the outline.
    fn contains(&self, point: Point) -> bool {
        (self.inverse * point).to_vec2().hypot2() <= 1.0 + 1e-9
    }

    /// Returns whether the whole rectangle is inside.
    fn contains_rect(&self, rect: Rect) -> bool {
        list_corners(rect).into_iter().all(|corner| self.contains(corner))
    }

    /// Returns whether the whole rectangle is outside, so that it shares no area with the oval.
    pub fn is_disjoint_from(&self, rect: Rect) -> bool {
        // In the coordinates of the unit circle around the origin.
        let corners = list_corners(rect).map(|corner| (self.inverse * corner).to_vec2());
        let squared_distance = |start: Vec2, end: Vec2| {
            let side = end - start;
            let share = (-start.dot(side) / side.hypot2().max(1e-300)).clamp(0.0, 1.0);
            (start + side * share).hypot2()
        };
        let are_sides_outside =
            (0..4).all(|i| squared_distance(corners[i], corners[(i + 1) % 4]) >= 1.0);
        are_sides_outside && !rect.contains(self.transform * Point::ORIGIN)
    }

    /// Appends the outline between two angles of the unit circle in radians to a path. If the path is
    /// not empty, a straight line connects its end with the arc.
    fn append_arc(&self, (start_angle, end_angle): (f64, f64), path: &mut BezPath) {
        let start = self.point_at(start_angle);
        if path.is_empty() {
            path.move_to(start);
        } else {
            path.line_to(start);
        }
        let arc = Arc::new((0.0, 0.0), (1.0, 1.0), start_angle, end_angle - start_angle, 0.0);
        path.extend(arc.append_iter(TOLERANCE).map(|element| self.transform * element));
    }
}

/// Returns the corners of a rectangle in the order of its outline.
fn list_corners(rect: Rect) -> [Point; 4] {
    [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)]
        .map(Point::from)
}

/// Returns whether the set with the index `set` is a member of a region. A region is a bit set of its
/// members: bit 0 is the set 0.
pub fn is_member(region: usize, set: usize) -> bool {
    region >> set & 1 == 1
}

/// Part of the outline of an oval.
struct OvalArc {
    /// Index of the oval.
    oval: usize,
    /// Start and end angle in radians.
    angles: (f64, f64),
}

/// Returns the outline of the intersection of all members of a region. Empty if they do not
/// overlap.
///
/// The intersection includes the parts that also belong to other ovals. It is convex, so the parts
/// of its outline can be sorted by their angle around its center.
pub fn intersect_members(ovals: &[Oval], region: usize) -> BezPath {
    let members = || (0..ovals.len()).filter(|set| is_member(region, *set));
    let mut arcs: Vec<OvalArc> = Vec::new();
    for own in members() {
        let Some(oval) = ovals.get(own) else { continue };
        let is_inside = |angle: f64| {
            let point = oval.point_at(angle);
            members()
                .all(|set| set == own || ovals.get(set).is_some_and(|other| other.contains(point)))
        };
        let angle_at = |step: usize| TAU * step as f64 / OUTLINE_STEPS as f64;
        let steps_inside: Vec<bool> =
            (0..OUTLINE_STEPS).map(|step| is_inside(angle_at(step))).collect();
        if steps_inside.iter().all(|inside| *inside) {
            return oval.path();
        }
        let is_step_inside =
            |step: usize| steps_inside.get(step % OUTLINE_STEPS).copied().unwrap_or(false);
        let starts_arc =
            |step: &usize| is_step_inside(*step) && !is_step_inside(step + OUTLINE_STEPS - 1);
        for first in (0..OUTLINE_STEPS).filter(starts_arc) {
            let last = (first..first + OUTLINE_STEPS)
                .find(|step| !is_step_inside(step + 1))
                .unwrap_or(first);
            let start = find_crossing(&is_inside, angle_at(first), angle_at(first) - angle_at(1));
            let end = find_crossing(&is_inside, angle_at(last), angle_at(last + 1));
            arcs.push(OvalArc { oval: own, angles: (start, end) });
        }
    }
    join_arcs(ovals, arcs)
}

/// Returns the angle between `inside` and `outside` at which an outline leaves the intersection, by
/// bisection. The angles are in radians. `is_inside` tells whether the outline at an angle is inside.
fn find_crossing(is_inside: &impl Fn(f64) -> bool, mut inside: f64, mut outside: f64) -> f64 {
    for _ in 0..40 {
        let middle = f64::midpoint(inside, outside);
        if is_inside(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// Joins arcs into a closed path, sorted by their angle around the center of their middles.
///
/// Keeps the direction of each arc. Straight lines connect ends that do not meet. Without arcs, the path
/// is empty.
fn join_arcs(ovals: &[Oval], arcs: Vec<OvalArc>) -> BezPath {
    let arc_middle = |arc: &OvalArc| {
        let angle = f64::midpoint(arc.angles.0, arc.angles.1);
        ovals.get(arc.oval).map_or(Point::ORIGIN, |oval| oval.point_at(angle))
    };
    let sum = arcs.iter().fold(Vec2::ZERO, |sum, arc| sum + arc_middle(arc).to_vec2());
    let center = (sum / arcs.len().max(1) as f64).to_point();
    let mut sorted_arcs: Vec<(f64, OvalArc)> =
        arcs.into_iter().map(|arc| ((arc_middle(&arc) - center).atan2(), arc)).collect();
    sorted_arcs.sort_by(|first, second| first.0.total_cmp(&second.0));
    let mut path = BezPath::new();
    for (_, arc) in sorted_arcs {
        if let Some(oval) = ovals.get(arc.oval) {
            oval.append_arc(arc.angles, &mut path);
        }
    }
    if !path.is_empty() {
        path.close_path();
    }
    path
}

/// A rectangle of given proportions inside a region.
#[derive(Clone, Copy)]
pub struct FittedRect {
    /// Center of the rectangle.
    pub center: Point,
    /// Size of the rectangle relative to the requested size.
    pub scale: f64,
}

/// Grid points of a diagram by region, to find positions for text.
pub struct RegionGrid<'a> {
    ovals: &'a [Oval],
    /// Grid points by the region that contains them.
    points: Vec<Vec<Point>>,
    /// Distance between neighboring grid points.
    spacing: f64,
}

impl<'a> RegionGrid<'a> {
    /// Creates a grid over the bounding box of the ovals, and assigns each grid point to the region of
    /// exactly the ovals that contain it. Region 0 is outside of all ovals.
    pub fn new(ovals: &'a [Oval]) -> RegionGrid<'a> {
        let bounds = compute_bounds(ovals);
        let spacing = (bounds.width().max(bounds.height()) / GRID_INTERVALS).max(1e-9);
        let mut points = vec![Vec::new(); 1 << ovals.len()];
        let intervals = |length: f64| (length / spacing).round().min(GRID_INTERVALS) as usize;
        for row in 0..=intervals(bounds.height()) {
            for column in 0..=intervals(bounds.width()) {
                let point = bounds.origin() + Vec2::new(column as f64, row as f64) * spacing;
                let members = ovals.iter().enumerate().filter(|(_, oval)| oval.contains(point));
                let region: usize = members.map(|(set, _)| 1 << set).sum();
                if let Some(points) = points.get_mut(region) {
                    points.push(point);
                }
            }
        }
        RegionGrid { ovals, points, spacing }
    }

    /// Returns the number of grid points in a region, as a measure of its area. It is 0 for an unknown
    /// region.
    pub fn point_count(&self, region: usize) -> usize {
        self.points.get(region).map_or(0, Vec::len)
    }

    /// Returns a point inside a region, with some distance to its outline if the region is not narrow.
    /// None for a region without area.
    pub fn find_point(&self, region: usize) -> Option<Point> {
        if let Some(fitted) = self.find_largest_rect(region, Size::new(1.0, 1.0)) {
            return Some(fitted.center);
        }
        // The region is narrower than the grid.
        let bounds = intersect_members(self.ovals, region).bounding_box();
        let at = |index: usize| (index as f64 + 0.5) / GRID_INTERVALS;
        let steps = 0..GRID_INTERVALS as usize;
        let points = steps.clone().flat_map(|row| steps.clone().map(move |column| (row, column)));
        let point = |(row, column)| {
            bounds.origin() + Vec2::new(at(column) * bounds.width(), at(row) * bounds.height())
        };
        let points: Vec<Point> = points
            .map(point)
            .filter(|point| self.is_rect_in_region(region, *point, Size::ZERO))
            .collect();
        let sum = points.iter().fold(Vec2::ZERO, |sum, point| sum + point.to_vec2());
        let center = (sum / points.len().max(1) as f64).to_point();
        let distance = |point: &Point| (*point - center).hypot2();
        points.into_iter().min_by(|first, second| distance(first).total_cmp(&distance(second)))
    }

    /// Returns the largest rectangle found inside a region, outside of all other ovals, with the
    /// proportions of `size`. It may be smaller than `size` (`scale` below 1). None if the region
    /// contains no grid point with space around it.
    pub fn find_largest_rect(&self, region: usize, size: Size) -> Option<FittedRect> {
        let mut best: Option<FittedRect> = None;
        for point in self.points.get(region)? {
            self.improve_fit(region, size, *point, &mut best);
        }
        let mut spacing = self.spacing;
        for _ in 0..4 {
            spacing /= 2.0;
            let FittedRect { center, .. } = best?;
            for (x, y) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
                let point = center + Vec2::new(f64::from(x), f64::from(y)) * spacing;
                self.improve_fit(region, size, point, &mut best);
            }
        }
        best
    }

    /// Replaces `best` if a noticeably larger rectangle with the proportions of `size` fits into the
    /// region around `center`.
    fn improve_fit(&self, region: usize, size: Size, center: Point, best: &mut Option<FittedRect>) {
        let fits = |scale: f64| self.is_rect_in_region(region, center, size * scale);
        let min_scale = best.map_or(0.0, |fitted| fitted.scale) * 1.002 + 1e-3;
        if !fits(min_scale) {
            return;
        }
        let (mut low, mut high) = (min_scale, 2.0 * min_scale.max(0.5));
        while high < 64.0 && fits(high) {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..8 {
            let middle = f64::midpoint(low, high);
            if fits(middle) { low = middle } else { high = middle }
        }
        *best = Some(FittedRect { center, scale: low });
    }

    /// Returns whether the rectangle of this size around `center` is inside all members of the region and
    /// outside of all other ovals.
    fn is_rect_in_region(&self, region: usize, center: Point, size: Size) -> bool {
        let rect = Rect::from_center_size(center, size);
        self.ovals.iter().enumerate().all(|(set, oval)| {
            if is_member(region, set) {
                oval.contains_rect(rect)
            } else {
                oval.is_disjoint_from(rect)
            }
        })
    }
}

/// Returns the bounding box of all ovals. It is an empty rectangle at the origin without ovals.
pub fn compute_bounds(ovals: &[Oval]) -> Rect {
    let boxes = ovals.iter().map(Oval::bounds);
    boxes.reduce(|union, bounds| union.union(bounds)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn circle(x: f64, y: f64, radius: f64) -> Oval {
        Oval::circle(Point::new(x, y), radius)
    }

    fn intersection_area(ovals: &[Oval], region: usize) -> f64 {
        intersect_members(ovals, region).area().abs()
    }

    impl RegionGrid<'_> {
        /// Returns the number of grid points of a region that are connected to its first one.
        pub fn connected_point_count(&self, region: usize) -> usize {
            let points = &self.points[region];
            let mut found = vec![0];
            let mut next = 0;
            while let Some(current) = found.get(next).map(|index| points[*index]) {
                for (index, point) in points.iter().enumerate() {
                    let is_neighbor = (*point - current).hypot() < self.spacing * 1.01;
                    if is_neighbor && !found.contains(&index) {
                        found.push(index);
                    }
                }
                next += 1;
            }
            found.len()
        }
    }

    #[test]
    fn intersections_of_circles_have_the_right_area() {
        // Two circles through each other's centers: 2π/3 − √3/2 of the squared radius.
        let pair = [circle(0.0, 0.0, 10.0), circle(10.0, 0.0, 10.0)];
        let area = intersection_area(&pair, 3);
        assert!((area - 122.837).abs() < 0.1, "{area}");
        // Three of them: half of (π − √3) of the squared radius, a triangle with three arcs.
        let third = circle(5.0, 75.0f64.sqrt(), 10.0);
        let three = [pair[0], pair[1], third];
        let area = intersection_area(&three, 7);
        assert!((area - 70.477).abs() < 0.1, "{area}");
        assert!((intersection_area(&three, 1) - 100.0 * PI).abs() < 0.1);
    }

    #[test]
    fn nested_circles_intersect_and_separate_ones_do_not() {
        let ovals = [circle(0.0, 0.0, 10.0), circle(2.0, 0.0, 3.0), circle(40.0, 0.0, 5.0)];
        assert!((intersection_area(&ovals, 3) - 9.0 * PI).abs() < 0.1);
        assert!(intersect_members(&ovals, 5).is_empty());
        let same = [circle(0.0, 0.0, 4.0); 2];
        assert!((intersection_area(&same, 3) - 16.0 * PI).abs() < 0.1);
    }

    #[test]
    fn rectangles_are_inside_or_outside_as_a_whole() {
        let oval = Oval::new(Point::new(0.0, 0.0), (20.0, 10.0), 0.0);
        assert!(oval.contains_rect(Rect::new(-10.0, -5.0, 10.0, 5.0)));
        assert!(!oval.contains_rect(Rect::new(-19.0, -5.0, 10.0, 5.0)));
        assert!(oval.is_disjoint_from(Rect::new(15.0, 8.0, 30.0, 20.0)));
        assert!(!oval.is_disjoint_from(Rect::new(15.0, -1.0, 30.0, 1.0)), "a side crosses it");
        let around = Rect::new(-90.0, -90.0, 90.0, 90.0);
        assert!(!oval.is_disjoint_from(around), "it lies within the box");
    }

    #[test]
    fn text_is_in_the_widest_part_of_its_region() {
        let ovals = [circle(0.0, 0.0, 10.0), circle(12.0, 0.0, 10.0)];
        let grid = RegionGrid::new(&ovals);
        let size = Size::new(4.0, 2.0);
        let FittedRect { center, scale } = grid.find_largest_rect(3, size).expect("room");
        assert!((center - Point::new(6.0, 0.0)).hypot() < 0.5, "{center:?}");
        assert!(scale > 1.0 && scale < 2.0, "{scale}");
        let left = grid.find_largest_rect(1, size).expect("room").center;
        assert!(left.x < 0.0 && left.y.abs() < 0.5, "{left:?}");
        assert!(grid.find_largest_rect(0b100, size).is_none());
    }
}
