//! Levels that rest on each other, with their texts beside them.
//!
//! Record: `label`, `description`, `highlighted`; the first one is at the top. Settings:
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

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut levels = steps::read_steps(chart);
    if levels.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    scene.description = describe(&levels);
    let fitting = |height: f64| (height / (style.small_size * 1.5)).max(1.0) as usize;
    let mut most = fitting(frame.area.height());
    if levels.len() > most {
        most = fitting(frame.area.height() - steps::overflow_note_height(style));
    }
    let mut area = steps::truncate(&mut levels, most, frame.area, style, scene);
    // Few levels do not become slabs.
    let highest = style.label_size * 9.0 * levels.len() as f64;
    if highest < area.height() {
        area = area.inset((0.0, (highest - area.height()) / 2.0));
    }
    let width = (area.width() * 0.44).min(area.height() * 1.25);
    let left = area.x0 + width + style.label_size * 1.5;
    let pitch = area.height() / levels.len() as f64;
    let room = ((area.x1 - left).max(1.0), pitch - style.label_size * 0.3);
    let blocks = steps::layout_texts(&levels, room, style);
    let slopes = Slopes {
        area: Rect { x1: area.x0 + width, ..area },
        down: chart.bool_setting("inverted", false),
    };
    let any = levels.iter().any(|it| it.highlighted);
    for (index, (level, block)) in levels.iter().zip(&blocks).enumerate() {
        let top = area.y0 + pitch * index as f64;
        if index > 0 {
            let from = slopes.reach(top).1 + style.label_size * 0.5;
            scene.line((from, top), (area.x1, top), Stroke::new(style.grid_color, 1.0));
        }
        let shade = 0.55 * index as f64 / levels.len().max(2) as f64;
        let usual = chart.series_color(0).mix(style.background, shade);
        let fill = steps::step_color(chart, style, any, level, usual);
        scene.begin_mark("level", Some(level.row), || (Some("label".to_owned()), level.tooltip()));
        let gap = (1.5 * style.unit).min(pitch * 0.1);
        let foot = if index + 1 == levels.len() { top + pitch } else { top + pitch - gap };
        let head = if index == 0 { top } else { top + gap };
        scene.fill(slopes.level(head, foot), fill);
        let at = (left, top + (pitch - block.height()) / 2.0);
        block.draw(scene, style, at, Anchor::Start, (style.text_color, style.label_color));
    }
    scene.end_mark();
}

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

/// The two slopes of the whole triangle.
struct Slopes {
    area: Rect,
    /// Whether the tip points down.
    down: bool,
}

impl Slopes {
    /// Left and right end at this height.
    fn reach(&self, y: f64) -> (f64, f64) {
        let share = ((y - self.area.y0) / self.area.height()).clamp(0.0, 1.0);
        let half = self.area.width() / 2.0 * if self.down { 1.0 - share } else { share };
        let middle = self.area.center().x;
        (middle - half, middle + half)
    }

    fn level(&self, top: f64, foot: f64) -> BezPath {
        let (upper, lower) = (self.reach(top), self.reach(foot));
        let mut path = BezPath::new();
        path.move_to((upper.0, top));
        path.line_to((upper.1, top));
        path.line_to((lower.1, foot));
        path.line_to((lower.0, foot));
        path.close_path();
        path
    }
}
