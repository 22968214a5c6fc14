//! Names slices beside themselves: two columns that follow the circle, with fine leader lines.

use kurbo::{BezPath, Point, Rect};

use crate::charts::color::Color;
use crate::charts::frame::Look;
use crate::charts::scene::{Anchor, CENTER, Scene, Stroke, Text};
use crate::charts::slices::Slice;
use crate::charts::slices::spread;
use crate::charts::text;

/// Space between the circle and the labels in points; the leader lines run in it.
const GAP: f64 = 18.0;
/// Height of a line of text as a share of its size.
const LEADING: f64 = 1.28;
/// Between two labels in points.
const APART: f64 = 4.0;
/// Labels may take this share of the width on either side, so that the circle stays the picture.
const WIDEST: f64 = 0.36;

/// How much a label says.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The name, and below it value and share.
    Stacked,
    /// Name and share in one line.
    Flat,
}

/// A label, set in lines and not yet placed.
struct Label {
    slice: usize,
    right: bool,
    lines: Vec<String>,
    full: Option<String>,
    detail: String,
    width: f64,
    height: f64,
}

/// Where circle and labels go.
pub struct Layout {
    /// Middle of the circle.
    pub center: Point,
    /// Radius of the circle in points.
    pub radius: f64,
    form: Form,
    labels: Vec<Label>,
    /// How many slices have no label.
    pub dropped: usize,
}

/// Finds the largest circle that leaves room for the labels: first with stacked labels, then with
/// flat ones, then with flat ones for as many of the largest slices as fit.
pub fn arrange(slices: &[Slice], area: Rect, look: &Look) -> Layout {
    let all: Vec<usize> = (0..slices.len()).collect();
    for form in [Form::Stacked, Form::Flat] {
        let labels = set(slices, &all, form, area, look);
        if fits(&labels, area) {
            let layout = place(labels, form, area, 0);
            if layout.radius >= 0.3 * area.height().min(area.width()) {
                return layout;
            }
        }
    }
    let room = if area.width() < 12.0 * look.label { 0 } else { (area.height() / line(look.label)) as usize };
    let mut largest = all;
    largest.sort_by(|one, two| slices[*two].value.total_cmp(&slices[*one].value));
    largest.truncate(room * 2);
    loop {
        let mut chosen = largest.clone();
        chosen.sort_unstable();
        let labels = set(slices, &chosen, Form::Flat, area, look);
        if fits(&labels, area) {
            return place(labels, Form::Flat, area, slices.len() - chosen.len());
        }
        largest.pop();
    }
}

fn line(size: f64) -> f64 {
    size * LEADING + APART
}

/// Sets the text of the labels in lines.
fn set(slices: &[Slice], chosen: &[usize], form: Form, area: Rect, look: &Look) -> Vec<Label> {
    let size = look.label;
    let most = (area.width() * WIDEST - GAP).max(0.0);
    let set_one = |&index: &usize| {
        let slice = &slices[index];
        let flat = if slice.share.is_empty() { &slice.detail } else { &slice.share };
        let detail = if form == Form::Flat { flat } else { &slice.detail };
        let beside = look.width(detail, size);
        let (room, lines) = match form {
            Form::Stacked => (most, 2),
            Form::Flat if beside > 0.0 => (most - beside - size * 0.4, 1),
            Form::Flat => (most, 1),
        };
        let lines = text::wrap(&slice.label, room, lines, size, look.face());
        let cut = lines.iter().any(|it| it.ends_with('…'));
        let name = lines.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
        let (width, rows) = match form {
            Form::Stacked => (name.max(beside), lines.len() + usize::from(!detail.is_empty())),
            Form::Flat if name > 0.0 && beside > 0.0 => (name + size * 0.4 + beside, 1),
            Form::Flat => (name + beside, 1),
        };
        Label {
            slice: index,
            right: slice.middle().sin() >= -1e-9,
            full: cut.then(|| slice.label.clone()),
            lines,
            detail: detail.clone(),
            width,
            height: rows as f64 * size * LEADING + APART,
        }
    };
    chosen.iter().map(set_one).filter(|it| it.width > 0.0 && it.width <= most).collect()
}

fn fits(labels: &[Label], area: Rect) -> bool {
    [false, true].iter().all(|side| {
        let column = labels.iter().filter(|it| it.right == *side);
        column.map(|it| it.height).sum::<f64>() <= area.height()
    })
}

/// The circle as large as the columns leave it, the whole in the middle of the area.
fn place(labels: Vec<Label>, form: Form, area: Rect, dropped: usize) -> Layout {
    let column = |right: bool| {
        let widths = labels.iter().filter(|it| it.right == right).map(|it| it.width + GAP);
        widths.fold(0.0, f64::max)
    };
    let (left, right) = (column(false), column(true));
    let radius = ((area.width() - left - right) / 2.0).min(area.height() / 2.0 - 2.0).max(0.0);
    // The middle of the canvas, unless a wide column needs the room.
    let middle = area.center().x;
    let x = middle.max(area.x0 + left + radius).min(area.x1 - right - radius);
    Layout { center: Point::new(x, area.center().y), radius, form, labels, dropped }
}

/// Draws leader lines and labels.
pub fn draw(layout: &Layout, slices: &[Slice], area: Rect, look: &Look, scene: &mut Scene) {
    for right in [false, true] {
        let mut column: Vec<&Label> = layout.labels.iter().filter(|it| it.right == right).collect();
        let wanted_at = |label: &Label| {
            layout.center.y - (layout.radius + GAP * 0.8) * slices[label.slice].middle().cos()
        };
        column.sort_by(|one, two| wanted_at(one).total_cmp(&wanted_at(two)));
        let wanted: Vec<f64> = column.iter().map(|it| wanted_at(it)).collect();
        let heights: Vec<f64> = column.iter().map(|it| it.height).collect();
        let middles = spread::spread(&wanted, &heights, area.y0, area.y1);
        for (label, middle) in column.into_iter().zip(middles) {
            draw_one(layout, &slices[label.slice], label, middle, look, scene);
        }
    }
}

fn draw_one(
    layout: &Layout,
    slice: &Slice,
    label: &Label,
    middle: f64,
    look: &Look,
    scene: &mut Scene,
) {
    let side = if label.right { 1.0 } else { -1.0 };
    let reach = layout.radius + GAP - 4.0;
    let nearest = ((middle - layout.center.y).abs() - (label.height - APART) / 2.0).max(0.0);
    let away = (reach * reach - nearest * nearest).max(0.0).sqrt();
    let x = layout.center.x + side * (away + 4.0);
    let (sin, cos) = slice.middle().sin_cos();
    let on = |radius: f64| layout.center + kurbo::Vec2::new(sin * radius, -cos * radius);
    // The line ends at the name, the first line of the label.
    let rows = label.lines.len() + usize::from(layout.form == Form::Stacked && !label.detail.is_empty());
    let first = middle - (rows.max(1) - 1) as f64 * look.label * LEADING / 2.0;
    let end = if rows > 1 { middle } else { first };
    let mut leader = BezPath::new();
    leader.move_to(on(layout.radius + 2.0));
    leader.line_to(on(layout.radius + 7.0));
    leader.line_to(Point::new(x - side * 3.0, end));
    scene.stroke(leader, Stroke::new(look.muted.mix(look.background, 0.4), 1.0));
    draw_lines(layout.form, label, Point::new(x, first), look, scene);
}

fn draw_lines(form: Form, label: &Label, at: Point, look: &Look, scene: &mut Scene) {
    let anchor = if label.right { Anchor::Start } else { Anchor::End };
    let base = at.y + CENTER * look.label;
    let write = |words: &str, x: f64, y: f64, color: Color, scene: &mut Scene| {
        let full = label.full.clone().filter(|_| words.ends_with('…'));
        let set = look.text(x, y, anchor, look.label, words);
        let width = set.width;
        scene.text(Text { color, full, ..set });
        width
    };
    if form == Form::Stacked {
        let below = (!label.detail.is_empty()).then_some((&label.detail, look.muted));
        let rows = label.lines.iter().map(|it| (it, look.value_ink)).chain(below);
        for (row, (words, color)) in rows.enumerate() {
            write(words, at.x, base + row as f64 * look.label * LEADING, color, scene);
        }
        return;
    }
    // Name and share stand in reading order on both sides.
    let name = label.lines.first().map_or("", String::as_str);
    let parts = [(name, look.value_ink), (label.detail.as_str(), look.muted)];
    let (first, second) = if label.right { (0, 1) } else { (1, 0) };
    let step = if label.right { 1.0 } else { -1.0 };
    let width = write(parts[first].0, at.x, base, parts[first].1, scene);
    let gap = if width > 0.0 { look.label * 0.4 } else { 0.0 };
    write(parts[second].0, at.x + step * (width + gap), base, parts[second].1, scene);
}
