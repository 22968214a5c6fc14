//! The last resort for texts: those that would touch an earlier one or leave the canvas go.
//!
//! Layout keeps texts apart by itself; this holds on canvases and data that no layout foresees.

use kurbo::Rect;

use crate::scene::{Form, Scene, Text};

/// Drops texts that are cut by the edge, and of two that touch the later one.
pub fn drop_crowded(scene: &mut Scene) {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut texts: Vec<(Rect, usize, &Text)> = Vec::new();
    let mut gone: Vec<usize> = Vec::new();
    for (index, shape) in scene.shapes.iter().enumerate() {
        if let Form::Text(text) = &shape.form {
            let bounds = text.bounds();
            if canvas.contains_rect(bounds) {
                texts.push((bounds, index, text));
            } else {
                gone.push(index);
            }
        }
    }
    texts.sort_by(|one, two| one.0.y0.total_cmp(&two.0.y0));
    // From top to bottom, each text is compared with those that reach down to it.
    let mut open: Vec<(Rect, usize, &Text)> = Vec::new();
    for (bounds, index, text) in texts {
        open.retain(|it| it.0.y1 > bounds.y0);
        let mut kept = true;
        open.retain(|(theirs, other, beside)| {
            let touch = kept && bounds.overlaps(*theirs) && text.touches(beside);
            if touch && *other < index {
                kept = false;
            } else if touch {
                gone.push(*other);
                return false;
            }
            true
        });
        if kept {
            open.push((bounds, index, text));
        } else {
            gone.push(index);
        }
    }
    if gone.is_empty() {
        return;
    }
    scene.warn("Some texts have no room.");
    gone.sort_unstable();
    let mut index = 0;
    scene.shapes.retain(|_| {
        index += 1;
        gone.binary_search(&(index - 1)).is_err()
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
            face: Face::Regular,
            color: Color::hex(0),
            halo: None,
            text: "label".to_owned(),
            width: 30.0,
            full: None,
        }
    }

    fn left(labels: &[Text]) -> Vec<f64> {
        let mut scene = Scene::new(200.0, 100.0, Color::hex(0xffffff));
        labels.iter().for_each(|it| scene.text(it.clone()));
        drop_crowded(&mut scene);
        scene.text_boxes().map(|it| it.1.x0).collect()
    }

    #[test]
    fn of_two_that_touch_the_earlier_stays() {
        assert_eq!(left(&[label(10.0, 50.0, 0.0), label(20.0, 45.0, 0.0)]), [10.0]);
        assert_eq!(left(&[label(20.0, 45.0, 0.0), label(10.0, 50.0, 0.0)]), [20.0]);
        assert_eq!(left(&[label(10.0, 50.0, 0.0), label(45.0, 50.0, 0.0)]).len(), 2);
    }

    #[test]
    fn turned_neighbours_do_not_touch_though_their_boxes_do() {
        assert_eq!(left(&[label(10.0, 80.0, -45.0), label(30.0, 80.0, -45.0)]).len(), 2);
        assert_eq!(left(&[label(10.0, 80.0, -45.0), label(14.0, 80.0, -45.0)]).len(), 1);
    }

    #[test]
    fn what_leaves_the_canvas_goes() {
        assert!(left(&[label(190.0, 50.0, 0.0), label(10.0, 200.0, 0.0)]).is_empty());
    }
}
