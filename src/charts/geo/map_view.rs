//! A territory, projected and fitted into a rectangle of the canvas.

use kurbo::{BezPath, Line, ParamCurveNearest, Point, Rect, Vec2};

use crate::geo::borders;
use crate::geo::borders::{Area, Borders, bounds};
use crate::geo::clip::clip_ring;
use crate::geo::continents::ANTARCTICA;
use crate::geo::projection::Projection;
use crate::geo::simplify::simplify_line;
use crate::geo::territory::{MovedPart, Territory};

/// Maximum distance in points between a border and its drawn line.
const TOLERANCE: f64 = 0.3;
/// Minimum area in square points of an island. Smaller ones are only drawn if they are the largest
/// part of a country.
const MIN_ISLAND_AREA: f64 = 0.5;
/// Minimum space in points around the territory.
const PADDING: f64 = 5.5;
/// Space for the neighbors around several countries, as a share of the size of the countries.
const NEIGHBOR_MARGIN: f64 = 0.07;
/// Distance in points by which shapes extend beyond the clip rectangle, so that their outlines are
/// invisible there.
const CLIP_MARGIN: f64 = 4.0;

/// A territory on the canvas.
pub struct MapView {
    /// Rectangle in points that contains everything.
    pub area: Rect,
    /// Outline of the part that is shown in another place than its own.
    pub inset: Option<Rect>,
    projection: Projection,
    with_antarctica: bool,
    moved_part: Option<MovedPart>,
    /// Bounding box of the territory in the plane of the projection.
    content: Rect,
    /// Points per unit of the projection.
    scale: f64,
    /// Position of the origin of the projection.
    origin: Vec2,
    borders: &'static Borders,
    /// Arcs of the borders on the canvas. Empty if no drawn area has the arc.
    arcs: Vec<Vec<Point>>,
}

/// The shape of a country or region on the canvas.
pub struct AreaShape {
    /// Code of ISO 3166.
    pub code: &'static str,
    /// Polygons of rings, the first of which is the outer one. Empty if the area is not on the map.
    pub polygons: Vec<Vec<Vec<Point>>>,
    /// Bounding box of the largest polygon.
    pub bounds: Rect,
    /// Area in square points of the largest polygon, without its holes.
    pub largest_area: f64,
}

impl MapView {
    /// Fits a territory into `area`, which should not be empty. Draws nothing. `projection` is the
    /// name of a projection of the world, and other maps ignore it. `with_antarctica` applies to
    /// maps of the world.
    pub fn new(
        territory: Territory,
        projection: &str,
        area: Rect,
        with_antarctica: bool,
    ) -> MapView {
        let projection = territory.projection(projection);
        let mut view = MapView {
            area,
            inset: None,
            projection,
            with_antarctica,
            moved_part: territory.moved_part(),
            content: Rect::ZERO,
            scale: 1.0,
            origin: Vec2::ZERO,
            borders: territory.borders(),
            arcs: Vec::new(),
        };
        let content =
            bounds(territory.points(with_antarctica).map(|point| projection.project(point)));
        let content = content.unwrap_or(Rect::new(-1.0, -1.0, 1.0, 1.0));
        let margin =
            if matches!(territory, Territory::Countries(_)) { NEIGHBOR_MARGIN } else { 0.0 };
        view.content = content.inflate(content.width() * margin, content.height() * margin);
        view.fit(PADDING);
        view
    }

    /// Fits the territory into the area with at least `padding` points around it, less in a small
    /// area. Positions and shapes that were computed before are not changed.
    pub fn fit(&mut self, padding: f64) {
        let content = self.content;
        let padding = padding.max(PADDING);
        let padding = padding.min(self.area.width() / 8.0).min(self.area.height() / 8.0);
        let space = self.area.inset(-padding);
        let scale = (space.width() / content.width().max(1e-9))
            .min(space.height() / content.height().max(1e-9));
        self.scale = scale.max(1e-6);
        self.origin = space.center() - content.center().to_vec2() * self.scale - Point::ORIGIN;
    }

    /// Returns the shapes in points of all areas of which a part is on the map, in the order of the
    /// borders. Draws nothing. Sets `Self::inset`.
    pub fn shapes(&mut self) -> Vec<AreaShape> {
        let (borders, with_antarctica) = (self.borders, self.with_antarctica);
        let is_drawn = |area: &&Area| with_antarctica || area.code != ANTARCTICA;
        self.arcs = vec![Vec::new(); borders.arcs.len()];
        let mut shapes = Vec::new();
        for area in borders.areas.iter().filter(is_drawn) {
            let shape = self.shape(area);
            if !shape.polygons.is_empty() {
                shapes.push(shape);
            }
        }
        self.inset = self.find_inset();
        shapes
    }

    /// Returns the position on the canvas in points of a place with longitude x and latitude y in
    /// degrees. The longitude must be from -169 to 191, as in [`Borders`].
    ///
    /// None if the place is outside [`Self::area`], or where the projection distorts it too much.
    pub fn place(&self, point: Point) -> Option<Point> {
        let is_place = point.x.abs() <= 360.0 && point.y.abs() <= 90.0;
        let is_distorted = self.projection.is_distorted(point);
        let position = self.project(point);
        (is_place && !is_distorted && self.area.contains(position)).then_some(position)
    }

    /// Returns the position on the canvas in points of a point in degrees, also outside the map. A
    /// point in a moved part is moved.
    fn project(&self, point: Point) -> Point {
        let point = self.moved_part.as_ref().map_or(point, |part| part.place(point));
        (self.projection.project(point).to_vec2() * self.scale + self.origin).to_point()
    }

    /// Returns the shape of an area, cut off at the edges of the map. Leaves out islands smaller
    /// than `MIN_ISLAND_AREA`, except the largest one of an area without larger parts. Projects
    /// its arcs, unless a neighbor has done it.
    fn shape(&mut self, area: &'static Area) -> AreaShape {
        let mut shape = AreaShape {
            code: &area.code,
            polygons: Vec::new(),
            bounds: Rect::ZERO,
            largest_area: 0.0,
        };
        let mut small_polygon = None;
        for polygon in &area.polygons {
            if !self.project_arcs(polygon.iter().flatten()) {
                continue;
            }
            let rings: Vec<Vec<Point>> =
                polygon.iter().filter_map(|ring| self.ring(ring)).collect();
            let Some(rings_bounds) = rings.first().and_then(|ring| bounds(ring.iter().copied()))
            else {
                continue;
            };
            let holes: f64 = rings.iter().skip(1).map(|ring| ring_area(ring).abs()).sum();
            let size = rings.first().map_or(0.0, |ring| ring_area(ring).abs()) - holes;
            let is_largest = size > shape.largest_area || shape.bounds == Rect::ZERO;
            if is_largest {
                (shape.largest_area, shape.bounds) = (size, rings_bounds);
            }
            if size >= MIN_ISLAND_AREA {
                shape.polygons.push(rings);
            } else if is_largest {
                small_polygon = Some(rings);
            }
        }
        if shape.polygons.is_empty() {
            shape.polygons.extend(small_polygon);
        }
        shape
    }

    /// Projects and simplifies arcs that are not projected yet. Returns whether the bounding box of
    /// one of them overlaps the map. False if the projection distorts the first point of one of
    /// them too much.
    fn project_arcs<'a>(&mut self, indices: impl Iterator<Item = &'a i64>) -> bool {
        let mut is_near = false;
        for index in indices {
            let index = if *index < 0 { -index - 1 } else { *index } as usize;
            let Some(points) = self.borders.arcs.get(index) else { return false };
            if points.first().is_some_and(|point| self.projection.is_distorted(*point)) {
                return false;
            }
            if self.arcs.get(index).is_some_and(Vec::is_empty) {
                let projected: Vec<Point> =
                    points.iter().map(|point| self.project(*point)).collect();
                let mut line = simplify_line(&projected, TOLERANCE);
                line.iter_mut().for_each(|point| *point = round(*point));
                self.arcs.get_mut(index).into_iter().for_each(|arc| arc.clone_from(&line));
            }
            let line = self.arcs.get(index).map_or(&[][..], Vec::as_slice);
            is_near |= bounds(line.iter().copied()).is_some_and(|rect| rect.overlaps(self.area));
        }
        // The map may lie inside a country.
        is_near || self.borders.arcs.is_empty()
    }

    /// Returns the part of a ring on the map, with a small margin around it. None if it is not
    /// there. A ring that simplification has reduced to fewer than three points becomes a tiny
    /// triangle.
    fn ring(&self, ring: &[i64]) -> Option<Vec<Point>> {
        let mut points: Vec<Point> = borders::ring_points(ring, &self.arcs).collect();
        points.pop();
        if points.len() < 3 {
            // Nothing remains of a tiny country after simplification. Its outline is not visible.
            let exact = borders::ring_points(ring, &self.borders.arcs);
            let rect = bounds(exact.map(|point| self.project(point)))?.inflate(0.02, 0.02);
            points =
                vec![rect.origin(), Point::new(rect.x1, rect.y0), Point::new(rect.x0, rect.y1)];
        }
        let clipped = clip_ring(&points, self.area.inflate(CLIP_MARGIN, CLIP_MARGIN));
        (clipped.len() > 2).then_some(clipped)
    }

    /// Returns a rectangle in points around the part of the territory that is shown in another
    /// place, with a margin. None if the territory has no such part. Does not set `Self::inset`.
    fn find_inset(&self) -> Option<Rect> {
        let part = self.moved_part.as_ref()?;
        let arcs = self.borders.arcs.iter().flatten();
        let points = arcs.filter(|point| part.window.contains(**point));
        Some(bounds(points.map(|point| self.project(*point)))?.inflate(4.0, 4.0))
    }
}

impl AreaShape {
    /// Returns the closed outlines of all polygons with their holes as one path.
    pub fn path(&self) -> BezPath {
        let mut path = BezPath::new();
        for ring in self.polygons.iter().flatten() {
            append_ring(&mut path, ring);
        }
        path
    }

    /// Returns the polygon with the largest outer ring. None if the area is not on the map.
    fn main_polygon(&self) -> Option<&[Vec<Point>]> {
        let size =
            |polygon: &[Vec<Point>]| polygon.first().map_or(0.0, |ring| ring_area(ring).abs());
        let largest = self.polygons.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        largest.map(Vec::as_slice)
    }

    /// Returns the center of a text of `width` and `height` in points at a wide place inside the
    /// largest polygon, preferably near its middle. None if there is no such place.
    pub fn find_text_place(&self, width: f64, height: f64) -> Option<Point> {
        /// Number of heights that are tried.
        const STEPS: usize = 25;
        if self.bounds.width() < width || self.bounds.height() < height {
            return None;
        }
        let largest = self.main_polygon()?;
        let mut best: Option<(f64, Point)> = None;
        for step in 0..STEPS {
            let share = (step as f64 + 0.5) / STEPS as f64;
            let middle = self.bounds.y0 + self.bounds.height() * share;
            let heights = [-0.5, -0.3, -0.1, 0.1, 0.3, 0.5].map(|offset| middle + offset * height);
            let mut spans = vec![(self.bounds.x0, self.bounds.x1)];
            for y in heights {
                spans = intersect_spans(&spans, &inner_spans(largest, y));
            }
            for (start, end) in spans {
                // Places near the middle of the area are better than slightly wider ones.
                let free = (end - start).min(width * 1.6);
                let rating = free - (share - 0.5).abs() * width * 0.5;
                if end - start >= width && best.is_none_or(|(rated, _)| rating > rated) {
                    best = Some((rating, Point::new(f64::midpoint(start, end), middle)));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns the center of mass of the largest polygon. Returns the point with the most space around
    /// it instead if the center of mass is outside the polygon, as for a crescent, or in a hole. Returns
    /// the center of the bounding box if the polygon is too thin.
    pub fn center(&self) -> Point {
        let Some(polygon) = self.main_polygon() else { return self.bounds.center() };
        let (mut sum, mut weight) = (Vec2::ZERO, 0.0);
        for (a, b) in polygon.first().into_iter().flat_map(|ring| edges(ring)) {
            let cross = (a - self.bounds.origin()).cross(b - self.bounds.origin());
            sum += ((a - self.bounds.origin()) + (b - self.bounds.origin())) * cross / 3.0;
            weight += cross;
        }
        let center = self.bounds.origin() + sum / weight;
        let mut spans = inner_spans(polygon, center.y).into_iter();
        if weight.abs() > 1e-9 && spans.any(|(start, end)| start <= center.x && center.x <= end) {
            return center;
        }
        self.widest_point(polygon).unwrap_or_else(|| self.bounds.center())
    }

    /// Returns the point inside a polygon with the largest distance from its rings, among the middles of
    /// horizontal spans. None if the polygon is too thin for spans.
    fn widest_point(&self, polygon: &[Vec<Point>]) -> Option<Point> {
        /// Number of heights that are tried.
        const STEPS: usize = 24;
        let clearance = |point: Point| {
            let lines = polygon.iter().flat_map(|ring| edges(ring)).map(|(a, b)| Line::new(a, b));
            lines.map(|line| line.nearest(point, 0.1).distance_sq).fold(f64::INFINITY, f64::min)
        };
        let points = (0..STEPS).flat_map(|step| {
            let share = (step as f64 + 0.5) / STEPS as f64;
            let y = self.bounds.y0 + self.bounds.height() * share;
            let spans = inner_spans(polygon, y).into_iter();
            spans.map(move |(start, end)| Point::new(f64::midpoint(start, end), y))
        });
        let rated = points.map(|point| (clearance(point), point));
        rated.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, point)| point)
    }
}

/// Rounds a position to a tenth of a point, which is finer than the tolerance, so that images need
/// fewer digits.
fn round(point: Point) -> Point {
    let round = |value: f64| (value * 10.0).round() / 10.0;
    Point::new(round(point.x), round(point.y))
}

/// Appends a closed ring to a path.
fn append_ring(path: &mut BezPath, ring: &[Point]) {
    for (index, point) in ring.iter().enumerate() {
        if index == 0 { path.move_to(*point) } else { path.line_to(*point) }
    }
    path.close_path();
}

/// Iterates over the edges of a ring as pairs of points, with the edge from the last point to the
/// first.
fn edges(ring: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    let next = ring.iter().skip(1).chain(ring.first());
    ring.iter().copied().zip(next.copied())
}

/// Returns the area of a ring in square points, negative if it runs counterclockwise on the canvas.
fn ring_area(ring: &[Point]) -> f64 {
    let origin = ring.first().copied().unwrap_or(Point::ORIGIN);
    edges(ring).map(|(a, b)| (a - origin).cross(b - origin)).sum::<f64>() / 2.0
}

/// Returns the horizontal spans (left, right) inside a polygon at the y coordinate `y`, in
/// ascending order. Holes interrupt them.
fn inner_spans(polygon: &[Vec<Point>], y: f64) -> Vec<(f64, f64)> {
    let crossing = |(a, b): (Point, Point)| {
        ((a.y > y) != (b.y > y)).then(|| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
    };
    let mut crossings: Vec<f64> =
        polygon.iter().flat_map(|ring| edges(ring)).filter_map(crossing).collect();
    crossings.sort_by(f64::total_cmp);
    let pairs = crossings.chunks_exact(2);
    pairs.filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect()
}

/// Returns the common parts of two lists of spans (start, end). Spans that only touch have none.
fn intersect_spans(one: &[(f64, f64)], two: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let pairs = one.iter().flat_map(|a| two.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(start, end)| start < end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect::new(0.0, 0.0, 700.0, 350.0);

    fn shape(map: &str, code: &str) -> AreaShape {
        let mut view = MapView::new(Territory::parse(map).unwrap(), "", AREA, false);
        view.shapes().into_iter().find(|shape| shape.code == code).unwrap()
    }

    #[test]
    fn countries_are_in_their_places() {
        let (brazil, russia) = (shape("world", "BR"), shape("world", "RU"));
        assert!(brazil.bounds.x1 < 350.0 && brazil.bounds.y0 > 150.0, "{:?}", brazil.bounds);
        assert!(russia.bounds.x1 > 600.0 && russia.bounds.y1 < 150.0, "{:?}", russia.bounds);
        assert!(AREA.contains_rect(brazil.bounds) && AREA.contains_rect(russia.bounds));
        let (germany, poland) = (shape("europe", "DE"), shape("europe", "PL"));
        assert!(germany.center().x < poland.center().x);
    }

    #[test]
    fn circles_at_the_ends_of_a_country_have_space() {
        let mut view = MapView::new(Territory::Country("NZ"), "", AREA, false);
        view.fit(30.0);
        for (x, y) in [(173.0, -34.5), (168.3, -46.9)] {
            let place = view.place(Point::new(x, y)).unwrap();
            assert!(AREA.inset(-29.0).contains(place), "{place:?}");
        }
    }

    #[test]
    fn no_shape_leaves_the_area() {
        for map in
            ["world", "africa", "asia", "europe", "oceania", "de", "us", "jp", "fj", "ke", "ru"]
        {
            let mut view = MapView::new(Territory::parse(map).unwrap(), "", AREA, true);
            let shapes = view.shapes();
            assert!(!shapes.is_empty(), "{map}");
            let limit = AREA.inflate(CLIP_MARGIN + 0.01, CLIP_MARGIN + 0.01);
            for shape in shapes {
                for point in shape.polygons.iter().flatten().flatten() {
                    assert!(limit.contains(*point), "{map} {} {point:?}", shape.code);
                }
            }
        }
    }

    #[test]
    fn neighbors_share_the_points_of_their_border() {
        let (germany, poland) = (shape("europe", "DE"), shape("europe", "PL"));
        let outline = &germany.main_polygon().unwrap()[0];
        let shared = poland.main_polygon().unwrap()[0]
            .iter()
            .filter(|point| outline.contains(point))
            .count();
        assert!(shared > 5, "{shared}");
    }

    #[test]
    fn texts_are_placed_inside() {
        let brazil = shape("south-america", "BR");
        let place = brazil.find_text_place(40.0, 12.0).unwrap();
        for corner in [Vec2::new(-20.0, -6.0), Vec2::new(20.0, 6.0), Vec2::new(-20.0, 6.0)] {
            let winding = kurbo::Shape::winding(&brazil.path(), place + corner * 0.99);
            assert!(winding != 0, "{place:?} {corner:?}");
        }
        assert_eq!(shape("world", "MT").find_text_place(20.0, 9.0), None);
    }

    #[test]
    fn the_center_of_a_crescent_or_a_ring_is_inside() {
        let maps = ["world", "africa", "asia", "europe", "oceania", "north-america", "de", "ch"];
        for map in maps {
            let mut view = MapView::new(Territory::parse(map).unwrap(), "", AREA, false);
            for shape in view.shapes() {
                let (center, path) = (shape.center(), shape.path());
                let is_inside = kurbo::Shape::winding(&path, center) != 0;
                // The outlines of the smallest ones have fewer points than a triangle needs.
                assert!(is_inside || shape.largest_area < 0.01, "{map} {} {center:?}", shape.code);
            }
        }
        let (brandenburg, berlin) = (shape("de", "DE-BB"), shape("de", "DE-BE"));
        assert!(kurbo::Shape::winding(&berlin.path(), brandenburg.center()) == 0);
    }
}
