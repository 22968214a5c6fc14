//! Pyramid: levels of equal height that form a triangle, with their texts beside them.
//!
//! Record: `label`, `description`, `highlighted`. The first record is at the top. Settings:
//! `inverted` (the tip points down).

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::scene::{Anchor, Stroke};
use crate::steps;
use crate::steps::Step;

/// The pyramid.
pub const KIND: Kind = Kind { slug: "pyramid", draw };

/// Draws the levels that fit, their texts, and a note with the number of the others. Without
/// levels, draws another note.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut levels = steps::read_steps(chart);
    if levels.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    scene.description = describe(&levels);
    // Many levels have the smallest readable text and hardly any space between their names.
    let fits_usually =
        levels.len() <= (frame.area.height() / (frame.style.small_size * 1.5)) as usize;
    let (style, gap_em) = match fits_usually {
        true => (&frame.style, 0.3),
        false => (&frame.style.with_minimal_labels(), 0.12),
    };
    let pitch = if fits_usually { style.small_size * 1.5 } else { style.small_size * 1.15 };
    let fitting_levels = |height: f64| (height / pitch).max(1.0) as usize;
    let mut max_levels = fitting_levels(frame.area.height());
    if levels.len() > max_levels {
        max_levels = fitting_levels(frame.area.height() - steps::overflow_note_height(style));
    }
    let mut area = steps::truncate(&mut levels, max_levels, frame.area, style, scene);
    // The height of a level is limited, so that a few levels do not look like blocks.
    let max_height = style.label_size * 9.0 * levels.len() as f64;
    if max_height < area.height() {
        area = area.inset((0.0, (max_height - area.height()) / 2.0));
    }
    let width = (area.width() * 0.44).min(area.height() * 1.25);
    let text_x = area.x0 + width + style.label_size * 1.5;
    let level_height = area.height() / levels.len() as f64;
    let max_text_size = ((area.x1 - text_x).max(1.0), level_height - style.label_size * gap_em);
    let blocks = steps::layout_texts(&levels, max_text_size, style);
    let triangle = Triangle {
        area: Rect { x1: area.x0 + width, ..area },
        points_down: chart.bool_setting("inverted", false),
    };
    let any_highlighted = levels.iter().any(|level| level.highlighted);
    for (index, (level, block)) in levels.iter().zip(&blocks).enumerate() {
        let top = area.y0 + level_height * index as f64;
        if index > 0 {
            let line_x = triangle.edges_at(top).1 + style.label_size * 0.5;
            scene.line((line_x, top), (area.x1, top), Stroke::new(style.grid_color, 1.0));
        }
        let background_share = 0.55 * index as f64 / levels.len().max(2) as f64;
        let default_color = chart.series_color(0).mix(style.background, background_share);
        let fill = steps::step_color(chart, style, any_highlighted, level, default_color);
        scene.begin_mark("level", Some(level.row), || (Some("label".to_owned()), level.tooltip()));
        let gap = (1.5 * style.unit).min(level_height * 0.1);
        let gap_above = if index == 0 { 0.0 } else { gap };
        let gap_below = if index + 1 == levels.len() { 0.0 } else { gap };
        scene.fill(triangle.level_outline(top + gap_above, top + level_height - gap_below), fill);
        let top_left = (text_x, top + (level_height - block.height()) / 2.0);
        block.draw(scene, style, top_left, Anchor::Start, (style.text_color, style.label_color));
    }
    scene.end_mark();
}

/// Returns the text description of the chart: the number of levels, the first and the last. Empty
/// without levels.
fn describe(levels: &[Step]) -> String {
    let (Some(first), Some(last)) = (levels.first(), levels.last()) else { return String::new() };
    if levels.len() == 1 {
        return format!("Pyramid of 1 level: {}.", first.label);
    }
    format!(
        "Pyramid of {} levels, from {} at the top to {}.",
        levels.len(),
        first.label,
        last.label
    )
}

/// The triangle that the levels form.
struct Triangle {
    /// Bounding box.
    area: Rect,
    /// Whether the tip points down.
    points_down: bool,
}

impl Triangle {
    /// Returns the x coordinates of the left and right edge of the triangle at the y coordinate
    /// `y`, in points.
    fn edges_at(&self, y: f64) -> (f64, f64) {
        let share = ((y - self.area.y0) / self.area.height()).clamp(0.0, 1.0);
        let half = self.area.width() / 2.0 * if self.points_down { 1.0 - share } else { share };
        let middle = self.area.center().x;
        (middle - half, middle + half)
    }

    /// Returns the outline of the part of the triangle between the y coordinates `top` and
    /// `bottom`: a trapezoid, or a triangle at the tip.
    fn level_outline(&self, top: f64, bottom: f64) -> BezPath {
        let (upper, lower) = (self.edges_at(top), self.edges_at(bottom));
        let mut path = BezPath::new();
        path.move_to((upper.0, top));
        path.line_to((upper.1, top));
        path.line_to((lower.1, bottom));
        path.line_to((lower.0, bottom));
        path.close_path();
        path
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn names_get_smaller_before_descriptions_are_left_out() {
        let data: Vec<Value> = (0..11)
            .map(|row| json!({"label": format!("Stufe {row}"), "description": "Zweimal geprüft."}))
            .collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("pyramid").unwrap(), &data));
        let is_description = |(text, _): &(&str, kurbo::Rect)| text.starts_with("Zweimal");
        assert_eq!(scene.text_boxes().filter(is_description).count(), 11);
    }
}
