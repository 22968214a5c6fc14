//! The largest circle between labels that follow its edge.

use kurbo::{Point, Rect};

use super::SliceLayout;
use crate::slices::{CircleExtent, Slice};

/// Number of radii that are tried between that of the layout and the largest one.
const STEPS: usize = 24;

impl SliceLayout {
    /// Returns the layout with the largest circle for which all labels are in `area`, at most with the
    /// radius `max_radius` in points. Labels above and below the middle need less width than beside it.
    /// Half circles stay as they are.
    pub(super) fn grown(self, slices: &[Slice], area: Rect, max_radius: f64) -> SliceLayout {
        if self.extent == CircleExtent::Half || self.labels.is_empty() {
            return self;
        }
        let mut layout = self;
        let start = layout.radius;
        let mut best = (layout.center, start);
        for step in 1..=STEPS {
            layout.radius = start + (max_radius - start) * step as f64 / STEPS as f64;
            let Some(center) = layout.find_center(slices, area) else { continue };
            best = (center, layout.radius);
        }
        let (center, radius) = best;
        SliceLayout { center, radius, ..layout }
    }

    /// Returns the center nearest to the middle of `area` at which the circle and all labels are in it.
    /// None if they are too wide.
    fn find_center(&self, slices: &[Slice], area: Rect) -> Option<Point> {
        let reach = |is_right: bool| {
            let column = self.arrange_column(is_right, slices, area);
            let ends = column.iter().map(|(label, middle)| {
                (self.label_x(label, *middle) - self.center.x).abs() + label.width
            });
            ends.fold(self.radius, f64::max)
        };
        let (left, right) = (reach(false), reach(true));
        let x = area.center().x.max(area.x0 + left).min(area.x1 - right);
        (left + right <= area.width()).then_some(Point::new(x, self.center.y))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;
    use crate::scene::Scene;

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
