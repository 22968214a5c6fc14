//! Circles and ellipses, the outlines of their intersections, and positions for text in them.

use std::f64::consts::TAU;

use kurbo::{Affine, Arc, BezPath, Point, Rect, Vec2};

/// Maximum deviation of curves from an ellipse as a share of its radius. It is not visible.
const TOLERANCE: f64 = 1e-4;
/// Number of points on an outline that are tested for intersections. Parts of less than 1.4 degrees
/// may be missed, because they are hardly visible.
const STEPS: usize = 256;
/// Number of grid points along the longer side of the diagram at which text is tried.
const GRID: f64 = 56.0;

/// A circle or an ellipse, stored as the affine map from the unit circle and its inverse.
#[derive(Clone, Copy, Debug)]
pub struct Oval {
    place: Affine,
    back: Affine,
}

impl Oval {
    /// Creates an ellipse, rotated clockwise on the canvas by `turn` in radians.
    pub fn new(center: Point, (rx, ry): (f64, f64), turn: f64) -> Oval {
        let size = Affine::scale_non_uniform(rx.max(1e-9), ry.max(1e-9));
        Oval::of(Affine::translate(center.to_vec2()) * Affine::rotate(turn) * size)
    }

    /// Creates an oval from the affine map of the unit circle.
    fn of(place: Affine) -> Oval {
        Oval { place, back: place.inverse() }
    }

    /// Returns the oval after an affine map, which must not mirror.
    pub fn moved(&self, by: Affine) -> Oval {
        Oval::of(by * self.place)
    }

    /// Returns the point on the outline that belongs to an angle in radians.
    pub fn at(&self, angle: f64) -> Point {
        self.place * Point::new(angle.cos(), angle.sin())
    }

    /// Returns the outward unit normal at that point.
    pub fn outwards(&self, angle: f64) -> Vec2 {
        let [a, b, c, d, ..] = self.place.as_coeffs();
        let along = Vec2::new(c * angle.cos() - a * angle.sin(), d * angle.cos() - b * angle.sin());
        Vec2::new(along.y, -along.x).normalize()
    }

    /// Returns the bounding box.
    pub fn bounds(&self) -> Rect {
        let [a, b, c, d, x, y] = self.place.as_coeffs();
        Rect::from_center_size((x, y), (2.0 * a.hypot(c), 2.0 * b.hypot(d)))
    }

    /// Returns the outline.
    pub fn path(&self) -> BezPath {
        let mut path = BezPath::new();
        self.follow((0.0, TAU), &mut path);
        path.close_path();
        path
    }

    /// Returns whether a point is inside.
    fn contains(&self, at: Point) -> bool {
        (self.back * at).to_vec2().hypot2() <= 1.0 + 1e-9
    }

    /// Returns whether the whole rectangle is inside.
    fn holds(&self, rect: Rect) -> bool {
        corners(rect).into_iter().all(|it| self.contains(it))
    }

    /// Returns whether the whole rectangle is outside.
    pub fn avoids(&self, rect: Rect) -> bool {
        let corners = corners(rect).map(|it| (self.back * it).to_vec2());
        let nearest = |from: Vec2, to: Vec2| {
            let side = to - from;
            let along = (-from.dot(side) / side.hypot2().max(1e-300)).clamp(0.0, 1.0);
            (from + side * along).hypot2()
        };
        let clear = (0..4).all(|it| nearest(corners[it], corners[(it + 1) % 4]) >= 1.0);
        clear && !rect.contains(self.place * Point::ORIGIN)
    }

    /// Appends the outline between two angles to a path.
    fn follow(&self, (from, to): (f64, f64), path: &mut BezPath) {
        let start = self.at(from);
        if path.is_empty() {
            path.move_to(start);
        } else {
            path.line_to(start);
        }
        let arc = Arc::new((0.0, 0.0), (1.0, 1.0), from, to - from, 0.0);
        path.extend(arc.append_iter(TOLERANCE).map(|it| self.place * it));
    }
}

/// Returns the corners of a rectangle.
fn corners(rect: Rect) -> [Point; 4] {
    [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)]
        .map(Point::from)
}

/// Returns whether a set is a member of a region. A region is a bit set of its members.
pub fn is_member(region: usize, set: usize) -> bool {
    region >> set & 1 == 1
}

/// Returns the outline of the intersection of all members of a region. Empty if they do not
/// overlap.
///
/// The intersection of ovals is convex. So the parts of its outline can be sorted by their angle
/// around its center.
pub fn common(ovals: &[Oval], region: usize) -> BezPath {
    let members = || (0..ovals.len()).filter(|it| is_member(region, *it));
    let mut parts: Vec<(usize, (f64, f64))> = Vec::new();
    for own in members() {
        let Some(oval) = ovals.get(own) else { continue };
        let inside = |angle: f64| {
            let at = oval.at(angle);
            members().all(|it| it == own || ovals.get(it).is_some_and(|it| it.contains(at)))
        };
        let angle = |step: usize| TAU * step as f64 / STEPS as f64;
        let found: Vec<bool> = (0..STEPS).map(|it| inside(angle(it))).collect();
        if found.iter().all(|it| *it) {
            return oval.path();
        }
        let is_in = |step: usize| found.get(step % STEPS).copied().unwrap_or(false);
        for first in (0..STEPS).filter(|it| is_in(*it) && !is_in(it + STEPS - 1)) {
            let last = (first..first + STEPS).find(|it| !is_in(it + 1)).unwrap_or(first);
            let from = crossing(&inside, angle(first), angle(first) - angle(1));
            let to = crossing(&inside, angle(last), angle(last + 1));
            parts.push((own, (from, to)));
        }
    }
    join(ovals, parts)
}

/// Returns the angle between `within` and `beyond` at which the outline leaves the intersection.
fn crossing(inside: &impl Fn(f64) -> bool, mut within: f64, mut beyond: f64) -> f64 {
    for _ in 0..40 {
        let middle = f64::midpoint(within, beyond);
        if inside(middle) { within = middle } else { beyond = middle }
    }
    within
}

/// Joins parts of outlines into a closed path, sorted by their angle around the center.
fn join(ovals: &[Oval], parts: Vec<(usize, (f64, f64))>) -> BezPath {
    let middle_of = |it: &(usize, (f64, f64))| {
        ovals.get(it.0).map_or(Point::ORIGIN, |oval| oval.at(f64::midpoint(it.1.0, it.1.1)))
    };
    let sum = parts.iter().fold(Vec2::ZERO, |sum, it| sum + middle_of(it).to_vec2());
    let middle = (sum / parts.len().max(1) as f64).to_point();
    let mut parts: Vec<_> =
        parts.into_iter().map(|it| ((middle_of(&it) - middle).atan2(), it)).collect();
    parts.sort_by(|one, two| one.0.total_cmp(&two.0));
    let mut path = BezPath::new();
    for (_, (own, span)) in parts {
        if let Some(oval) = ovals.get(own) {
            oval.follow(span, &mut path);
        }
    }
    if !path.is_empty() {
        path.close_path();
    }
    path
}

/// Positions for text, by region.
pub struct Room<'a> {
    ovals: &'a [Oval],
    /// Grid points by the region that contains them.
    points: Vec<Vec<Point>>,
    pitch: f64,
}

impl<'a> Room<'a> {
    /// Assigns all grid points to their regions.
    pub fn new(ovals: &'a [Oval]) -> Room<'a> {
        let bounds = around(ovals);
        let pitch = (bounds.width().max(bounds.height()) / GRID).max(1e-9);
        let mut points = vec![Vec::new(); 1 << ovals.len()];
        let count = |length: f64| (length / pitch).round().min(GRID) as usize;
        for row in 0..=count(bounds.height()) {
            for column in 0..=count(bounds.width()) {
                let at = bounds.origin() + Vec2::new(column as f64, row as f64) * pitch;
                let inside = ovals.iter().enumerate().filter(|it| it.1.contains(at));
                let region: usize = inside.map(|it| 1 << it.0).sum();
                if let Some(points) = points.get_mut(region) {
                    points.push(at);
                }
            }
        }
        Room { ovals, points, pitch }
    }

    /// Returns the size of a region as a number of grid points.
    pub fn extent(&self, region: usize) -> usize {
        self.points.get(region).map_or(0, Vec::len)
    }

    /// Returns the center of the largest rectangle inside a region with the proportions of `size`,
    /// and its scale relative to `size`. None if the region is too small.
    pub fn best(&self, region: usize, size: (f64, f64)) -> Option<(Point, f64)> {
        let mut best: Option<(Point, f64)> = None;
        for at in self.points.get(region)? {
            self.improve(region, size, *at, &mut best);
        }
        let mut pitch = self.pitch;
        for _ in 0..4 {
            pitch /= 2.0;
            let (middle, _) = best?;
            for (x, y) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
                let at = middle + Vec2::new(f64::from(x), f64::from(y)) * pitch;
                self.improve(region, size, at, &mut best);
            }
        }
        best
    }

    /// Replaces `best` if a larger rectangle fits around `at`.
    fn improve(&self, region: usize, size: (f64, f64), at: Point, best: &mut Option<(Point, f64)>) {
        let fits = |scale: f64| self.fits(region, at, (size.0 * scale, size.1 * scale));
        let least = best.map_or(0.0, |it| it.1) * 1.002 + 1e-3;
        if !fits(least) {
            return;
        }
        let (mut low, mut high) = (least, 2.0 * least.max(0.5));
        while high < 64.0 && fits(high) {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..8 {
            let middle = f64::midpoint(low, high);
            if fits(middle) { low = middle } else { high = middle }
        }
        *best = Some((at, low));
    }

    /// Returns whether a rectangle centered at `at` is inside this region and no other one.
    fn fits(&self, region: usize, at: Point, size: (f64, f64)) -> bool {
        let rect = Rect::from_center_size(at, size);
        let fits = |it: (usize, &Oval)| {
            if is_member(region, it.0) { it.1.holds(rect) } else { it.1.avoids(rect) }
        };
        self.ovals.iter().enumerate().all(fits)
    }
}

/// Returns the bounding box of all ovals.
pub fn around(ovals: &[Oval]) -> Rect {
    let boxes = ovals.iter().map(Oval::bounds);
    boxes.reduce(|one, two| one.union(two)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use kurbo::Shape as _;

    use super::*;

    fn circle(x: f64, y: f64, radius: f64) -> Oval {
        Oval::new(Point::new(x, y), (radius, radius), 0.0)
    }

    fn area(ovals: &[Oval], region: usize) -> f64 {
        common(ovals, region).area().abs()
    }

    impl Room<'_> {
        /// Returns the number of grid points of a region that are connected to its first one.
        pub fn piece(&self, region: usize) -> usize {
            let points = &self.points[region];
            let mut found = vec![0];
            let mut next = 0;
            while let Some(at) = found.get(next).map(|it| points[*it]) {
                for (other, point) in points.iter().enumerate() {
                    if (*point - at).hypot() < self.pitch * 1.01 && !found.contains(&other) {
                        found.push(other);
                    }
                }
                next += 1;
            }
            found.len()
        }
    }

    #[test]
    fn what_circles_have_in_common_has_its_area() {
        // Two circles through each other's centers: 2π/3 − √3/2 of the squared radius.
        let pair = [circle(0.0, 0.0, 10.0), circle(10.0, 0.0, 10.0)];
        assert!((area(&pair, 3) - 122.837).abs() < 0.1, "{}", area(&pair, 3));
        // Three of them: half of (π − √3) of the squared radius, a triangle with three arcs.
        let third = circle(5.0, 75.0f64.sqrt(), 10.0);
        let three = [pair[0], pair[1], third];
        assert!((area(&three, 7) - 70.477).abs() < 0.1, "{}", area(&three, 7));
        assert!((area(&three, 1) - 100.0 * PI).abs() < 0.1);
    }

    #[test]
    fn what_lies_inside_is_common_and_what_lies_apart_is_not() {
        let ovals = [circle(0.0, 0.0, 10.0), circle(2.0, 0.0, 3.0), circle(40.0, 0.0, 5.0)];
        assert!((area(&ovals, 3) - 9.0 * PI).abs() < 0.1);
        assert!(common(&ovals, 5).is_empty());
        let same = [circle(0.0, 0.0, 4.0); 2];
        assert!((area(&same, 3) - 16.0 * PI).abs() < 0.1);
    }

    #[test]
    fn a_box_is_inside_or_outside_as_a_whole() {
        let oval = Oval::new(Point::new(0.0, 0.0), (20.0, 10.0), 0.0);
        assert!(oval.holds(Rect::new(-10.0, -5.0, 10.0, 5.0)));
        assert!(!oval.holds(Rect::new(-19.0, -5.0, 10.0, 5.0)));
        assert!(oval.avoids(Rect::new(15.0, 8.0, 30.0, 20.0)));
        assert!(!oval.avoids(Rect::new(15.0, -1.0, 30.0, 1.0)), "a side crosses it");
        assert!(!oval.avoids(Rect::new(-90.0, -90.0, 90.0, 90.0)), "it lies within the box");
    }

    #[test]
    fn text_stands_in_the_widest_part_of_its_region() {
        let ovals = [circle(0.0, 0.0, 10.0), circle(12.0, 0.0, 10.0)];
        let room = Room::new(&ovals);
        let (at, scale) = room.best(3, (4.0, 2.0)).expect("room");
        assert!((at - Point::new(6.0, 0.0)).hypot() < 0.5, "{at:?}");
        assert!(scale > 1.0 && scale < 2.0, "{scale}");
        let (left, _) = room.best(1, (4.0, 2.0)).expect("room");
        assert!(left.x < 0.0 && left.y.abs() < 0.5, "{left:?}");
        assert!(room.best(0b100, (4.0, 2.0)).is_none());
    }
}
