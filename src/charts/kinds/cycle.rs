//! Steps that return to their start, as arrows round a ring, with their texts beside it.
//!
//! Record: `label`, `description`, `highlighted`. Settings: `centerLabel`, `showNumbers`.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use kurbo::{Arc, BezPath, PathEl, Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::frame;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scene::{Anchor, CENTER, Text};
use crate::slices::spread;
use crate::steps;
use crate::steps::{Block, Step};
use crate::text;
use crate::text::Face;

/// The cycle diagram.
pub const KIND: Kind = Kind { slug: "cycle", draw };

/// More arrows than this do not look like a ring of steps any more.
const MOST: usize = 48;

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut steps = steps::read(chart);
    if steps.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    scene.desc = describe(&steps);
    // Each side has a column of texts.
    let fitting = |height: f64| (2 * (height / (look.small * 1.4)).max(1.0) as usize).min(MOST);
    let mut most = fitting(frame.area.height());
    if steps.len() > most {
        most = fitting(frame.area.height() - steps::note_height(look)).saturating_sub(1);
    }
    let area = steps::limit(&mut steps, most, frame.area, look, scene);
    let ring = Ring::new(steps.len(), area, look);
    let any = steps.iter().any(|it| it.highlighted);
    let numbered = chart.flag("showNumbers", true) && steps.len() > 1;
    for (index, step) in steps.iter().enumerate() {
        let (fill, ink) = steps::fill(chart, look, any, step, chart.color(0)).carrying();
        scene.tag("step", Some(step.row), || (Some("label".to_owned()), step.tip()));
        scene.fill(ring.arrow(index), fill);
        let words = (index + 1).to_string();
        let size = if ring.thickness > look.label * 2.0 { look.subtitle } else { look.label };
        if numbered && ring.carries(&words, size) {
            let at = ring.point(index, ring.lean / 2.0, ring.middle());
            let set = look.text(at.x, at.y + CENTER * size, Anchor::Middle, size, &words);
            let width = text::width(&words, size, Face::Bold);
            scene.text(Text { face: Face::Bold, width, color: ink, ..set });
        }
    }
    scene.untag();
    center(chart, &ring, look, scene);
    texts(&steps, &ring, area, look, scene);
}

fn describe(steps: &[Step]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if steps.len() == 1 {
        return format!("Cycle of 1 step: {}.", first.label);
    }
    let (count, first, last) = (steps.len(), &first.label, &last.label);
    format!("Cycle of {count} steps, from {first} to {last} and back.")
}

/// The ring, cut into equal arrows that run clockwise. Angles are in radians from twelve o'clock.
struct Ring {
    center: Point,
    radius: f64,
    thickness: f64,
    /// From one arrow to the next.
    step: f64,
    /// Middle of the first arrow.
    first: f64,
    /// Between two arrows.
    gap: f64,
    /// How far an arrow's tip stands ahead.
    lean: f64,
}

impl Ring {
    fn new(count: usize, area: Rect, look: &Look) -> Ring {
        let radius = (area.height() / 2.0).min(area.width() * 0.2).max(8.0);
        let thickness = (radius * 0.3).min(look.label * 3.6);
        let step = TAU / count.max(1) as f64;
        let middle = radius - thickness / 2.0;
        let gap = (3.5 * look.unit / middle).min(step * 0.2);
        let lean = (thickness * 0.4 / middle).min(step * 0.35);
        // No text stands straight above or below the ring, where the height would have to give.
        let first = if count.is_multiple_of(2) {
            step / 2.0
        } else {
            let right = FRAC_PI_2.rem_euclid(step);
            let left = (FRAC_PI_2 + PI).rem_euclid(step);
            right.min(left)
        };
        Ring { center: area.center(), radius, thickness, step, first, gap, lean }
    }

    fn middle(&self) -> f64 {
        self.radius - self.thickness / 2.0
    }

    /// Middle of an arrow without its tip.
    fn angle(&self, index: usize) -> f64 {
        self.first + self.step * index as f64
    }

    /// The point at this distance from the centre, so far ahead of the middle of an arrow.
    fn point(&self, index: usize, ahead: f64, radius: f64) -> Point {
        self.center + direction(self.angle(index) + ahead) * radius
    }

    /// Whether a number fits on an arrow.
    fn carries(&self, words: &str, size: f64) -> bool {
        let width = text::width(words, size, Face::Bold);
        let length = (self.step - self.gap - self.lean) * self.middle();
        width.hypot(size) < length.min(self.thickness * 1.2) && size < self.thickness
    }

    fn arrow(&self, index: usize) -> BezPath {
        let half = (self.step - self.gap) / 2.0;
        let from = self.angle(index) - half - self.lean / 2.0;
        let inner = self.radius - self.thickness;
        let mut path = BezPath::new();
        path.move_to(self.center + direction(from) * self.radius);
        self.arc(&mut path, self.radius, from, 2.0 * half);
        let tip = from + 2.0 * half + self.lean;
        path.line_to(self.center + direction(tip) * self.middle());
        path.line_to(self.center + direction(from + 2.0 * half) * inner);
        self.arc(&mut path, inner, from + 2.0 * half, -2.0 * half);
        path.line_to(self.center + direction(from + self.lean) * self.middle());
        path.close_path();
        path
    }

    fn arc(&self, path: &mut BezPath, radius: f64, from: f64, sweep: f64) {
        let arc = Arc::new(self.center, (radius, radius), from - FRAC_PI_2, sweep, 0.0);
        path.extend(arc.append_iter(0.05).filter(|it| !matches!(it, PathEl::MoveTo(_))));
    }
}

fn direction(angle: f64) -> Vec2 {
    Vec2::new(angle.sin(), -angle.cos())
}

/// The text inside the ring.
fn center(chart: &Chart, ring: &Ring, look: &Look, scene: &mut Scene) {
    let words = data::words(chart.setting("centerLabel"));
    let side = (ring.radius - ring.thickness) * 1.3;
    let sizes = [look.subtitle, look.label, look.small];
    let set = sizes.map(|size| Block::new(&words, "", (side, side * 0.6), (size, size)));
    let [large, label, small] = set;
    let block = [large, label].into_iter().find(|it| !it.is_cut()).unwrap_or(small);
    let at = (ring.center.x, ring.center.y - block.height() / 2.0);
    block.draw(scene, look, at, Anchor::Middle, (look.ink, look.ink));
}

/// The texts of both sides, each at its arrow and clear of the ring.
fn texts(steps: &[Step], ring: &Ring, area: Rect, look: &Look, scene: &mut Scene) {
    let gap = look.label * 0.9;
    let room = area.width() / 2.0 - ring.radius - gap;
    let side = |right: bool| {
        let mut those: Vec<usize> =
            (0..steps.len()).filter(|it| (ring.angle(*it).rem_euclid(TAU) < PI) == right).collect();
        if !right {
            those.reverse();
        }
        those
    };
    let sides = [side(true), side(false)];
    let most = sides[0].len().max(sides[1].len()).max(1);
    let apart = (look.label * 0.7).min(area.height() / most as f64 * 0.12);
    let blocks = steps::blocks(steps, (room, area.height() / most as f64 - apart), look);
    for (side, right) in sides.iter().zip([true, false]) {
        let wanted: Vec<f64> =
            side.iter().map(|it| ring.point(*it, 0.0, ring.radius + gap).y).collect();
        let heights: Vec<f64> =
            side.iter().filter_map(|it| blocks.get(*it)).map(|it| it.height() + apart).collect();
        let (from, to) = (area.y0 - apart / 2.0, area.y1 + apart / 2.0);
        let middles = spread::spread(&wanted, &heights, from, to);
        for (index, middle) in side.iter().zip(middles) {
            let Some(block) = blocks.get(*index) else { continue };
            let half = block.height() / 2.0;
            // The nearest height of the text to that of the centre decides how far it must keep.
            let near = ((middle - ring.center.y).abs() - half).max(0.0);
            let reach = ring.radius + gap;
            let aside = (reach * reach - near * near).max(0.0).sqrt().max(gap / 2.0);
            let (x, anchor) = if right {
                (ring.center.x + aside, Anchor::Start)
            } else {
                (ring.center.x - aside, Anchor::End)
            };
            block.draw(scene, look, (x, middle - half), anchor, (look.ink, look.label_ink));
        }
    }
}
