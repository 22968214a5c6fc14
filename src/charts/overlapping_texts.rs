//! Removal of texts that overlap or leave the canvas, as the last step of drawing.
//!
//! Layout code already avoids overlaps. This step guarantees it for canvas sizes and data that a
//! layout does not anticipate.

use kurbo::Rect;

use crate::format::Omission;
use crate::scene::{Primitive, Scene, Text};

/// Warning of a scene from which texts were removed.
pub const WARNING: &str = "Some texts do not fit on the canvas.";

/// A text of the scene.
struct TextBox<'a> {
    /// Bounding box in points.
    bounds: Rect,
    /// Index of its shape. Later shapes are drawn above earlier ones.
    index: usize,
    text: &'a Text,
}

/// Removes texts that are not completely on the canvas, and of two texts that overlap the one that is drawn
/// later. If it removes a text, adds a warning, and the scene counts the removed texts with letters as
/// names.
pub fn remove(scene: &mut Scene) {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut boxes: Vec<TextBox> = Vec::new();
    let mut removed: Vec<usize> = Vec::new();
    for (index, shape) in scene.shapes.iter().enumerate() {
        if let Primitive::Text(text) = &shape.primitive {
            let bounds = text.bounds();
            if canvas.contains_rect(bounds) {
                boxes.push(TextBox { bounds, index, text });
            } else {
                removed.push(index);
            }
        }
    }
    boxes.sort_by(|one, two| one.bounds.y0.total_cmp(&two.bounds.y0));
    // Sweep from top to bottom: `active` holds the texts that extend down to the current one.
    let mut active: Vec<TextBox> = Vec::new();
    for current in boxes {
        active.retain(|other| other.bounds.y1 > current.bounds.y0);
        let mut is_kept = true;
        active.retain(|other| {
            let overlaps = is_kept
                && current.bounds.overlaps(other.bounds)
                && current.text.overlaps(other.text);
            if overlaps && other.index < current.index {
                is_kept = false;
            } else if overlaps {
                removed.push(other.index);
                return false;
            }
            true
        });
        if is_kept {
            active.push(current);
        } else {
            removed.push(current.index);
        }
    }
    if removed.is_empty() {
        return;
    }
    scene.warn(WARNING);
    removed.sort_unstable();
    let name_count = removed.iter().filter(|index| is_name(scene, **index)).count();
    scene.omit(Omission::Name, name_count);
    let mut index = 0;
    scene.shapes.retain(|_| {
        index += 1;
        removed.binary_search(&(index - 1)).is_err()
    });
}

/// Returns whether the shape at an index is a text with a letter. False for numbers and other shapes.
fn is_name(scene: &Scene, index: usize) -> bool {
    match scene.shapes.get(index).map(|shape| &shape.primitive) {
        Some(Primitive::Text(text)) => text.text.chars().any(char::is_alphabetic),
        _ => false,
    }
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
        labels.iter().for_each(|label| scene.text(label.clone()));
        remove(&mut scene);
        scene.text_boxes().map(|(_, bounds)| bounds.x0).collect()
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
