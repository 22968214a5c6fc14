//! Mirroring of a scene for right-to-left documents.

use kurbo::{Affine, Point, Rect};

use crate::scene::text::Anchor;
use crate::scene::{Primitive, Scene, Shape};

impl Scene {
    /// Mirrors the shapes from index `first` on, so that the vertical line at `sum / 2` is the
    /// axis. The glyphs of texts and the pixels of bitmaps keep their direction. The background
    /// shapes stay.
    pub(crate) fn mirror(&mut self, first: usize, sum: f64) {
        for Shape { primitive, .. } in self.shapes.iter_mut().skip(first) {
            mirror_primitive(primitive, sum);
        }
        for value in &mut self.mark_values {
            value.end.position.x = sum - value.end.position.x;
        }
        for axis in &mut self.axes {
            match axis.is_vertical {
                true => axis.across = sum - axis.across,
                false => {
                    let (start, end) = axis.scale.range;
                    axis.scale.range = (sum - start, sum - end);
                }
            }
        }
    }
}

/// Replaces each horizontal position x of a primitive by `sum` - x. Texts stay readable: their
/// anchor changes sides and their angle its sign.
fn mirror_primitive(primitive: &mut Primitive, sum: f64) {
    let flip = |point: &mut Point| point.x = sum - point.x;
    let flip_rect = |rect: &mut Rect| (rect.x0, rect.x1) = (sum - rect.x1, sum - rect.x0);
    match primitive {
        Primitive::Rect { rect, .. } | Primitive::Image { rect, .. } => flip_rect(rect),
        Primitive::BeginClip(rect) => flip_rect(rect),
        Primitive::EndClip | Primitive::BeginLink(_) | Primitive::EndLink => {}
        Primitive::Line { from, to, .. } => {
            flip(from);
            flip(to);
        }
        Primitive::Circle { center, .. } => flip(center),
        Primitive::Path { path, .. } => {
            path.apply_affine(Affine::new([-1.0, 0.0, 0.0, 1.0, sum, 0.0]));
        }
        Primitive::Polyline { points, .. } | Primitive::Dots { points, .. } => {
            points.iter_mut().for_each(flip);
        }
        Primitive::Text(text) => {
            text.x = sum - text.x;
            text.angle = if text.angle == 0.0 { 0.0 } else { -text.angle };
            text.anchor = match text.anchor {
                Anchor::Start => Anchor::End,
                Anchor::Middle => Anchor::Middle,
                Anchor::End => Anchor::Start,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use kurbo::Shape as _;

    use super::*;
    use crate::color::{Color, WHITE};
    use crate::scene::{Stroke, Text};
    use crate::text::Face;

    const BLACK: Color = Color::hex(0);

    /// Returns the bounds of all shapes.
    fn bounds(scene: &Scene) -> Vec<Rect> {
        let bounds_of = |shape: &Shape| match &shape.primitive {
            Primitive::Rect { rect, .. } => *rect,
            Primitive::Line { from, to, .. } => Rect::from_points(*from, *to),
            Primitive::Circle { center, radius, .. } => {
                Rect::from_center_size(*center, (2.0 * radius, 2.0 * radius))
            }
            Primitive::Path { path, .. } => path.bounding_box(),
            Primitive::Text(text) => text.bounds(),
            other => panic!("no bounds of {other:?}"),
        };
        scene.shapes.iter().map(bounds_of).collect()
    }

    #[test]
    fn mirrored_shapes_occupy_the_mirrored_rectangles() {
        let mut scene = Scene::new(200.0, 100.0, WHITE);
        scene.rect(Rect::new(10.0, 10.0, 30.0, 20.0), BLACK);
        scene.line(Point::new(5.0, 5.0), Point::new(50.0, 60.0), Stroke::new(BLACK, 1.0));
        scene.circle(Point::new(20.0, 30.0), 4.0, BLACK, None);
        scene.fill(Rect::new(1.0, 2.0, 3.0, 4.0).to_path(0.1), BLACK);
        for (anchor, angle) in [(Anchor::Start, 0.0), (Anchor::End, -45.0), (Anchor::Middle, 90.0)]
        {
            scene.text(Text {
                x: 60.0,
                y: 50.0,
                anchor,
                angle,
                size: 10.0,
                face: Face::REGULAR,
                color: BLACK,
                halo: None,
                text: "Name".to_owned(),
                width: 30.0,
                full: None,
            });
        }
        let before = bounds(&scene);
        scene.mirror(1, 200.0);
        let after = bounds(&scene);
        assert_eq!(after[0], before[0], "shapes before the first one stay");
        for (before, after) in before.iter().zip(&after).skip(1) {
            let want = Rect::new(200.0 - before.x1, before.y0, 200.0 - before.x0, before.y1);
            let difference = (want.x0 - after.x0).abs() + (want.x1 - after.x1).abs();
            // Text is not symmetrical to its baseline, so that a rotation moves its bounds a
            // little.
            assert!(difference < 15.0 && (want.y0 - after.y0).abs() < 15.0, "{want} {after}");
        }
        let exact = [1, 2, 3, 4];
        for index in exact {
            assert!((after[index].x0 - (200.0 - before[index].x1)).abs() < 1e-9, "{index}");
        }
    }
}
