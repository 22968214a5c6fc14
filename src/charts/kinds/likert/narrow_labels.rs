//! Labels above a bar for segments that are too narrow for a label inside.

use kurbo::Rect;

use crate::Scene;
use crate::frame::ChartStyle;
use crate::scene::{Anchor, Text};

/// Minimum height of the space above a bar, as a multiple of the font size.
const MIN_SPACE_EM: f64 = 1.3;
/// Distance between the baseline and the bar, and between two labels, as a multiple of the font size.
const GAP_EM: f64 = 0.3;

/// The labels above one bar.
#[derive(Default)]
pub(super) struct NarrowLabels {
    /// Segments without a label inside, from left to right, and their labels.
    segments: Vec<(Rect, String)>,
}

impl NarrowLabels {
    /// Adds the label of a segment that is too narrow for it.
    pub(super) fn add(&mut self, segment: Rect, label: String) {
        self.segments.push((segment, label));
    }

    /// Draws the labels above their segments, if the space between them and `top`, in points, is high
    /// enough. Labels that would overlap are left out, because readers could not tell their segments.
    /// Returns for each label whether it is drawn.
    pub(super) fn draw(self, top: f64, style: &ChartStyle, scene: &mut Scene) -> Vec<bool> {
        let size = style.small_size;
        let extent = |(segment, label): &(Rect, String)| {
            let half_width = style.text_width(label, size) / 2.0 + size * GAP_EM / 2.0;
            (segment.center().x - half_width, segment.center().x + half_width)
        };
        let extents: Vec<(f64, f64)> = self.segments.iter().map(extent).collect();
        let mut are_drawn = vec![false; self.segments.len()];
        for (index, (segment, label)) in self.segments.iter().enumerate() {
            let (from, to) = extents[index];
            let mut others = extents.iter().enumerate().filter(|(other, _)| *other != index);
            let is_free = !others.any(|(_, other)| other.0 < to && from < other.1);
            if !is_free || segment.y0 - top < size * MIN_SPACE_EM {
                continue;
            }
            let (x, y) = (segment.center().x, segment.y0 - size * GAP_EM);
            scene.text(Text {
                color: style.value_color,
                halo: Some(style.background),
                ..style.label_text(x, y, Anchor::Middle, size, label)
            });
            are_drawn[index] = true;
        }
        are_drawn
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Chart;

    #[test]
    fn narrow_segments_have_their_label_above_the_bar() {
        let data = [
            json!({ "question": "A", "no": 2, "maybe": 40, "yes": 58 }),
            json!({ "question": "B", "no": 1, "maybe": 98, "yes": 1 }),
            json!({ "question": "C", "no": 0.4, "maybe": 0.4, "yes": 99.2 }),
        ];
        let texts = |height: f64| -> Vec<String> {
            let chart = Chart::new(&crate::kinds::likert::KIND, &data);
            let scene = crate::draw(&Chart { width: 480.0, height, ..chart });
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
        };
        let high = texts(320.0);
        for label in ["2%", "40%", "58%", "1%", "98%", "99%"] {
            assert!(high.iter().any(|text| text == label), "{label}: {high:?}");
        }
        assert!(!high.contains(&"0.4%".to_owned()), "the segments could not be told");
        assert!(!texts(110.0).contains(&"1%".to_owned()), "no space");
    }
}
