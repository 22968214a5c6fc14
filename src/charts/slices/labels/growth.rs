//! The largest circle between labels that follow its edge.

use kurbo::Rect;

use super::SliceLayout;
use crate::slices::{CircleExtent, Slice};

/// Number of radii that are tried above and below that of the layout.
const STEPS: usize = 24;
/// Smallest radius as a share of that between the widest labels. A smaller circle has more space for
/// labels above and below its middle.
const MIN_RADIUS_SHARE: f64 = 0.75;
/// Positions of the circle in the height that it leaves free, in the order in which they are tried. 0 is
/// the top.
const HEIGHT_SHARES: [f64; 5] = [0.5, 0.75, 1.0, 0.25, 0.0];

impl SliceLayout {
    /// Returns the layout with the largest circle for which all labels are in `area` and no leader lines
    /// cross, at most with the radius `max_radius` in points. Labels above and below the middle need less
    /// width than beside it. Beside small slices at the top or bottom, the circle moves away from their
    /// labels. None if leader lines cross in every such layout. Half circles stay as they are.
    pub(super) fn grown(
        self,
        slices: &[Slice],
        area: Rect,
        max_radius: f64,
    ) -> Option<SliceLayout> {
        if self.extent == CircleExtent::Half || self.labels.is_empty() {
            return Some(self);
        }
        let mut layout = self;
        let (start, edge) = (layout.radius, area.height() / 2.0 - max_radius);
        let smallest = start * MIN_RADIUS_SHARE;
        let share_of = |step: usize| step as f64 / STEPS as f64;
        let larger = (0..=STEPS).rev().map(|step| start + (max_radius - start) * share_of(step));
        let smaller = (1..=STEPS).map(|step| start + (smallest - start) * share_of(step));
        // Nearly all layouts without crossing lines have one of these two radii, so that few are tried in vain.
        if ![smallest, start].iter().any(|radius| layout.place(*radius, edge, slices, area)) {
            return None;
        }
        for radius in larger.chain(smaller) {
            if layout.place(radius, edge, slices, area) {
                return Some(layout);
            }
        }
        None
    }

    /// Sets the radius and the first center at which all labels are in `area` and no leader lines cross.
    /// Returns whether there is one. All lengths are in points.
    fn place(&mut self, radius: f64, edge: f64, slices: &[Slice], area: Rect) -> bool {
        self.radius = radius;
        let (top, bottom) = (area.y0 + edge + radius, area.y1 - edge - radius);
        for share in HEIGHT_SHARES {
            self.center.y = top + (bottom - top) * share;
            let Some(x) = self.find_center_x(slices, area) else { return false };
            self.center.x = x;
            if !self.has_crossing_lines(slices, area) {
                return true;
            }
        }
        false
    }

    /// Returns the x coordinate of the center nearest to the middle of `area` at which the circle and all
    /// labels are in it. None if they are too wide.
    fn find_center_x(&self, slices: &[Slice], area: Rect) -> Option<f64> {
        let reach = |is_right: bool| {
            let column = self.arrange_column(is_right, slices, area);
            let ends = column.iter().map(|(label, middle)| {
                (self.label_x(label, *middle) - self.center.x).abs() + label.width
            });
            ends.fold(self.radius, f64::max)
        };
        let (left, right) = (reach(false), reach(true));
        let x = area.center().x.max(area.x0 + left).min(area.x1 - right);
        (left + right <= area.width()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;
    use crate::scene::Scene;

    #[test]
    fn the_leader_lines_of_small_slices_do_not_cross() {
        let shares = [25.3, 21.2, 18.1, 11.8, 11.6, 3.4, 2.6, 1.9, 1.5, 1.4, 1.2];
        let data: Vec<Value> = (0..)
            .zip(shares)
            .map(|(index, share)| json!({"label": format!("Company {index}"), "value": share}))
            .collect();
        let kind = crate::find_kind("donut").unwrap();
        let scene: Scene =
            crate::draw(&Chart { width: 800.0, height: 500.0, ..Chart::new(kind, &data) });
        let lines: Vec<kurbo::BezPath> = scene
            .shapes
            .iter()
            .filter_map(|shape| match &shape.primitive {
                crate::scene::Primitive::Path { path, fill: None, .. } => Some(path.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(lines.len(), 11);
        let crosses = |one: &kurbo::BezPath, two: &kurbo::BezPath| {
            let parts = |path: &kurbo::BezPath| path.segments().collect::<Vec<_>>();
            parts(two).iter().any(|part| match part {
                kurbo::PathSeg::Line(line) => {
                    parts(one).iter().any(|other| !other.intersect_line(*line).is_empty())
                }
                _ => false,
            })
        };
        for (index, line) in lines.iter().enumerate() {
            assert!(!lines[..index].iter().any(|other| crosses(other, line)), "{index}");
        }
    }

    #[test]
    fn a_pie_on_a_square_canvas_is_wider_than_the_space_between_its_widest_labels() {
        let names = [
            ("Mecklenburg-Vorpommern", 30),
            ("Nordrhein-Westfalen", 25),
            ("Berlin", 18),
            ("Bremen", 9),
            ("Rheinland-Pfalz", 8),
            ("Bayern", 6),
            ("Saarland", 4),
        ];
        let data: Vec<Value> =
            names.map(|(name, value)| json!({"label": name, "value": value})).into();
        let kind = crate::find_kind("pie").unwrap();
        let scene: Scene =
            crate::draw(&Chart { width: 1080.0, height: 1080.0, ..Chart::new(kind, &data) });
        let slices = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
            crate::scene::Primitive::Path { path, fill: Some(_), .. } => {
                Some(kurbo::Shape::bounding_box(path))
            }
            _ => None,
        });
        let circle = slices.reduce(|one, two| one.union(two)).unwrap();
        assert!(circle.width() > 760.0, "{circle:?}");
        let is_inside = |bounds: kurbo::Rect| bounds.x0 >= 0.0 && bounds.x1 <= 1080.0;
        assert!(scene.text_boxes().all(|(_, bounds)| is_inside(bounds)));
    }
}
