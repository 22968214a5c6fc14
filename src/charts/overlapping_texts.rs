//! Removal of texts that overlap or leave the canvas, as the last step of drawing.
//!
//! Layout code already avoids overlaps. This step guarantees it for canvas sizes and data that a
//! layout does not anticipate.

use kurbo::Rect;

use crate::scene::{Primitive, Scene, Text};

/// Removes texts that cross the edge of the canvas, and the later one of two texts that overlap.
pub fn remove(scene: &mut Scene) {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut texts: Vec<(Rect, usize, &Text)> = Vec::new();
    let mut removed: Vec<usize> = Vec::new();
    for (index, shape) in scene.shapes.iter().enumerate() {
        if let Primitive::Text(text) = &shape.primitive {
            let bounds = text.bounds();
            if canvas.contains_rect(bounds) {
                texts.push((bounds, index, text));
            } else {
                removed.push(index);
            }
        }
    }
    texts.sort_by(|one, two| one.0.y0.total_cmp(&two.0.y0));
    // Sweep from top to bottom: `active` holds the texts that extend down to the current one.
    let mut active: Vec<(Rect, usize, &Text)> = Vec::new();
    for (bounds, index, text) in texts {
        active.retain(|it| it.0.y1 > bounds.y0);
        let mut kept = true;
        active.retain(|(other_bounds, other_index, other)| {
            let overlap = kept && bounds.overlaps(*other_bounds) && text.overlaps(other);
            if overlap && *other_index < index {
                kept = false;
            } else if overlap {
                removed.push(*other_index);
                return false;
            }
            true
        });
        if kept {
            active.push((bounds, index, text));
        } else {
            removed.push(index);
        }
    }
    if removed.is_empty() {
        return;
    }
    scene.warn("Some texts do not fit on the canvas.");
    removed.sort_unstable();
    let mut index = 0;
    scene.shapes.retain(|_| {
        index += 1;
        removed.binary_search(&(index - 1)).is_err()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::scene::Anchor;
    use crate::text::Face;

    fn label(x: f64, y: f64, angle: f64) -> Text {
        Text {
            x,
            y,
            anchor: Anchor::Start,
            angle,
            size: 10.0,
            face: Face::REGULAR,
            color: Color::hex(0),
            halo: None,
            text: "label".to_owned(),
            width: 30.0,
            full: None,
        }
    }

    /// Returns the left edges of the texts that remain.
    fn remaining(labels: &[Text]) -> Vec<f64> {
        let mut scene = Scene::new(200.0, 100.0, Color::hex(0xffffff));
        labels.iter().for_each(|it| scene.text(it.clone()));
        remove(&mut scene);
        scene.text_boxes().map(|it| it.1.x0).collect()
    }

    #[test]
    fn of_two_overlapping_texts_the_earlier_stays() {
        assert_eq!(remaining(&[label(10.0, 50.0, 0.0), label(20.0, 45.0, 0.0)]), [10.0]);
        assert_eq!(remaining(&[label(20.0, 45.0, 0.0), label(10.0, 50.0, 0.0)]), [20.0]);
        assert_eq!(remaining(&[label(10.0, 50.0, 0.0), label(45.0, 50.0, 0.0)]).len(), 2);
    }

    #[test]
    fn rotated_neighbors_stay_although_their_bounding_boxes_overlap() {
        assert_eq!(remaining(&[label(10.0, 80.0, -45.0), label(30.0, 80.0, -45.0)]).len(), 2);
        assert_eq!(remaining(&[label(10.0, 80.0, -45.0), label(14.0, 80.0, -45.0)]).len(), 1);
    }

    #[test]
    fn texts_beyond_the_canvas_are_removed() {
        assert!(remaining(&[label(190.0, 50.0, 0.0), label(10.0, 200.0, 0.0)]).is_empty());
    }
}
