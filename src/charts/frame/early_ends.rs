//! Names of lines that end before the right edge of the plot, beside their last points.

use kurbo::{Line, Point, Rect, Vec2};

use crate::Scene;
use crate::frame::curve_layout::PlacedCurve;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::shape::curve::Interpolation;
use crate::shape::line::{cross, crosses_rect};

/// Distance from the last point to the right edge of the plot up to which a name is at that edge,
/// as a multiple of the font size.
const MAX_EDGE_DISTANCE_EM: f64 = 1.5;
/// Vertical distance between a name and the last point up to which no leader line joins them, as a
/// multiple of the font size.
const MAX_OFFSET_EM: f64 = 1.3;
/// Vertical distances of names right of the last point, in the order of preference, as multiples of
/// the font size.
const OFFSETS_EM: [f64; 13] =
    [0.0, -0.7, 0.7, -1.3, 1.3, -2.2, 2.2, -3.2, 3.2, -4.5, 4.5, -6.0, 6.0];

/// Returns whether a line ends so far left of the right edge of the plot that its name belongs
/// beside its last point `end`.
pub fn is_early(end: Point, plot: Rect, style: &ChartStyle) -> bool {
    plot.x1 - end.x > MAX_EDGE_DISTANCE_EM * style.label_size
}

/// Draws the name of the curve `index` in the plot near `end`, its last point, with a leader line
/// if it is farther away. Returns false and draws nothing if the name would cover a line or a text,
/// cross a line on its way to the point, or leave the plot at each place there.
pub fn draw_name(
    style: &ChartStyle,
    scene: &mut Scene,
    plot: Rect,
    (curves, index): (&[PlacedCurve], usize),
    end: Point,
    interpolation: Interpolation,
) -> bool {
    let Some(placed) = curves.get(index) else { return false };
    let series = &placed.curve.series;
    let size = style.label_size;
    let width = style.text_width(&series.title, size);
    let reach = Vec2::new(width + 2.0 * size, 8.0 * size);
    let surroundings = Rect::from_points(end - reach, end + reach);
    let lines = list_segments(surroundings, curves, interpolation);
    // Smooth curves stay between the heights of their ends.
    let covers = |segment: &Line, bounds: Rect| match interpolation {
        Interpolation::Smooth => Rect::from_points(segment.p0, segment.p1).overlaps(bounds),
        _ => crosses_rect(*segment, bounds),
    };
    let texts: Vec<Rect> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
    let is_free = |name: &PlacedName| {
        let bounds = name.bounds.inflate(1.0, 0.0);
        plot.contains(bounds.origin())
            && plot.contains(Point::new(bounds.x1, bounds.y1))
            && !lines.iter().any(|segment| covers(segment, bounds))
            && !texts.iter().any(|text| text.overlaps(bounds))
            && !lines.iter().any(|segment| cross(*segment, name.connection(end)))
            && name
                .leader
                .is_none_or(|leader| !texts.iter().any(|text| crosses_rect(leader, *text)))
    };
    let names = list_places(end, width, style);
    let Some(name) = names.into_iter().find(|name| is_free(name)) else { return false };
    if let Some(leader) = name.leader {
        let stroke = Stroke::new(series.color.mix(style.background, 0.4), 1.0);
        scene.line(leader.p0, leader.p1, stroke);
    }
    let baseline = name.bounds.center().y + HALF_CAP_HEIGHT_EM * size;
    let text = style.label_text(name.bounds.x0, baseline, Anchor::Start, size, &series.title);
    let color = series.color.readable_on(style.background, 4.5);
    scene.text(Text { color, halo: Some(style.background), ..text });
    true
}

/// A possible place of a name.
struct PlacedName {
    bounds: Rect,
    /// Line from the last point to the name. None for a name beside the point.
    leader: Option<Line>,
}

impl PlacedName {
    /// Returns the line from the last point to the name, without its first part, where other lines
    /// may end too.
    fn connection(&self, end: Point) -> Line {
        let nearest = Point::new(
            end.x.clamp(self.bounds.x0, self.bounds.x1),
            end.y.clamp(self.bounds.y0, self.bounds.y1),
        );
        let target = self.leader.map_or(nearest, |leader| leader.p1);
        Line::new(end.lerp(target, 0.2), target)
    }
}

/// Returns the possible places of a name of `width` points, the best one first: right of the last
/// point, above and below it, and farther away with a leader line.
fn list_places(end: Point, width: f64, style: &ChartStyle) -> Vec<PlacedName> {
    let size = style.label_size;
    let (gap, height) = (6.0 * style.unit, size * 1.1);
    let at_right = |offset_em: &f64| {
        let is_near = offset_em.abs() <= MAX_OFFSET_EM;
        let (x, y) = (end.x + gap * if is_near { 1.0 } else { 2.0 }, end.y + offset_em * size);
        let bounds = Rect::new(x, y - height / 2.0, x + width, y + height / 2.0);
        let leader = Line::new(end, (x - 2.0, y));
        PlacedName { bounds, leader: (!is_near).then_some(leader) }
    };
    let beside = |(shift, side): (f64, f64)| {
        let (x, y) = (end.x - width * shift, end.y + side * (gap + height) / 2.0);
        let bounds = Rect::new(x, y - height / 2.0, x + width, y + height / 2.0);
        PlacedName { bounds, leader: None }
    };
    let (near, far): (Vec<&f64>, Vec<&f64>) =
        OFFSETS_EM.iter().partition(|offset_em| offset_em.abs() <= MAX_OFFSET_EM);
    let around = [(0.5, -1.0), (0.5, 1.0), (1.0, -1.0), (1.0, 1.0)];
    let near = near.into_iter().map(at_right);
    near.chain(around.into_iter().map(beside)).chain(far.into_iter().map(at_right)).collect()
}

/// Returns the straight parts of all curves that cross a rectangle. Smooth curves count as straight
/// lines between their points, and steps as two lines. A point after a gap, or at the start of a
/// curve, is a line without length.
fn list_segments(bounds: Rect, curves: &[PlacedCurve], interpolation: Interpolation) -> Vec<Line> {
    let pairs = curves.iter().map(|placed| &placed.tops);
    let pairs = pairs.flat_map(|tops| std::iter::once(&None).chain(tops).zip(tops));
    let segments = pairs.flat_map(|pair| match pair {
        // A point after a gap has a dot.
        (None, Some(only)) => [Some(Line::new(*only, *only)), None],
        (Some(one), Some(two)) if interpolation == Interpolation::Step => {
            let corner = Point::new(two.x, one.y);
            [Some(Line::new(*one, corner)), Some(Line::new(corner, *two))]
        }
        (Some(one), Some(two)) => [Some(Line::new(*one, *two)), None],
        _ => [None, None],
    });
    segments.flatten().filter(|segment| crosses_rect(*segment, bounds)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Chart;
    use crate::Series;
    use crate::color::WHITE;
    use crate::frame::curves::Curve;

    #[test]
    fn a_point_before_a_gap_is_no_place_for_a_name() {
        let series = Series { key: String::new(), title: String::new(), color: WHITE };
        let curve = Curve {
            series,
            rows: Vec::new(),
            values: Vec::new(),
            tops: Vec::new(),
            bottoms: Vec::new(),
            bands: Vec::new(),
        };
        let list = |tops: &[Option<Point>]| {
            let placed = PlacedCurve { curve: &curve, tops: tops.to_vec(), bands: Vec::new() };
            let bounds = Rect::new(0.0, 0.0, 9.0, 9.0);
            list_segments(bounds, &[placed], Interpolation::Linear)
        };
        let (one, two) = (Point::new(1.0, 1.0), Point::new(3.0, 2.0));
        assert_eq!(list(&[Some(one), None, Some(two)]), [one, two].map(|at| Line::new(at, at)));
        assert_eq!(list(&[Some(one)]), [Line::new(one, one)]);
        assert_eq!(list(&[Some(one), Some(two)]).last(), Some(&Line::new(one, two)));
    }

    /// Returns the bounds of the name of a series, in a chart of three series of 12 years in which
    /// the series `a` ends after the fifth year with `end` and the others have the values 20 and
    /// `other`.
    fn find_name(end: f64, other: f64, interpolation: &str) -> Rect {
        let record = |year: i32| {
            let value = if year < 2018 { json!(end) } else { Value::Null };
            json!({ "label": year.to_string(), "a": value, "b": 20, "c": other })
        };
        let records: Vec<Value> = (2013..2025).map(record).collect();
        let settings = json!({ "interpolation": interpolation });
        let chart = Chart {
            settings: &settings,
            ..Chart::new(crate::find_kind("line").unwrap(), &records)
        };
        let scene = crate::draw(&chart);
        let found = scene.text_boxes().find(|(text, _)| *text == "a").map(|(_, bounds)| bounds);
        found.unwrap()
    }

    #[test]
    fn the_name_of_a_line_that_ends_early_is_beside_its_last_point() {
        for interpolation in ["linear", "step", "smooth"] {
            let free = find_name(10.0, 5.0, interpolation);
            assert!((250.0..300.0).contains(&free.x0), "{free:?}");
            // The other line runs through the place right of the last point.
            let moved = find_name(10.0, 10.0, interpolation);
            assert!((230.0..320.0).contains(&moved.x0), "{moved:?}");
            assert!((moved.center().y - free.center().y).abs() > 4.0, "{moved:?} {free:?}");
        }
    }
}
