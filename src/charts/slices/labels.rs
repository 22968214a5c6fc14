//! Names slices beside themselves: two columns that follow the circle, with fine leader lines.

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::color::Color;
use crate::frame::Look;
use crate::scene::{Anchor, CENTER, Scene, Stroke, Text};
use crate::slices::spread;
use crate::slices::{Extent, Slice};
use crate::text;

/// Space between the circle and the labels in points; the leader lines run in it.
const GAP: f64 = 18.0;
/// Height of a line of text as a share of its size.
const LEADING: f64 = 1.28;
/// Between two labels in points.
const APART: f64 = 4.0;
/// Labels may take this share of the width on either side, so that the circle stays the picture.
const WIDEST: f64 = 0.36;
/// The same beside half a circle, which is as wide for half the height.
const WIDEST_BESIDE_HALF: f64 = 0.27;

/// How much a label says.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The name, and below it value and share.
    Stacked,
    /// Name, value and share in one line.
    Flat,
    /// Name and share in one line.
    Short,
    /// The name in up to two lines, the share behind it.
    Wrapped,
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
    extent: Extent,
    form: Form,
    labels: Vec<Label>,
    /// How many slices have no label.
    pub dropped: usize,
}

/// What is tried in turn: a form, how far its labels may move (in font sizes), and whether names
/// may be shortened.
const TRIES: [(Form, f64, bool); 7] = [
    (Form::Stacked, 1.6, false),
    (Form::Flat, 4.0, false),
    (Form::Short, 4.0, false),
    (Form::Stacked, 4.0, false),
    (Form::Wrapped, 5.5, false),
    (Form::Wrapped, 4.0, true),
    (Form::Short, 4.0, true),
];

/// Finds the most telling labels that fit and stay near their slices, and at last those for as
/// many of the largest slices as do.
pub fn arrange(slices: &[Slice], area: Rect, look: &Look, extent: Extent) -> Layout {
    let all: Vec<usize> = (0..slices.len()).collect();
    for (form, most, shortened) in TRIES {
        let labels = set(slices, &all, (form, extent), area, look);
        let complete = shortened || labels.iter().all(|it| it.full.is_none());
        if complete && labels.len() == slices.len() && fits(&labels, area) {
            let layout = place(labels, (form, extent), area, look, 0);
            let near = farthest(&layout, slices, area) < most * look.label;
            if near && layout.radius >= 0.3 * area.height().min(area.width()) {
                return layout;
            }
        }
    }
    let narrow = area.width() < 12.0 * look.label;
    let room = if narrow { 0 } else { (area.height() / line(look.label)) as usize };
    let mut largest = all;
    largest.sort_by(|one, two| slices[*two].value.total_cmp(&slices[*one].value));
    largest.truncate(room * 2);
    loop {
        let mut chosen = largest.clone();
        chosen.sort_unstable();
        let labels = set(slices, &chosen, (Form::Short, extent), area, look);
        if fits(&labels, area) {
            let dropped = slices.len() - labels.len();
            let layout = place(labels, (Form::Short, extent), area, look, dropped);
            if farthest(&layout, slices, area) < 3.0 * look.label {
                return layout;
            }
        }
        largest.pop();
    }
}

/// How far the label that moves most stands from its slice, in points up or down.
fn farthest(layout: &Layout, slices: &[Slice], area: Rect) -> f64 {
    let columns = [false, true].map(|right| layout.column(right, slices, area));
    let moves =
        columns.iter().flatten().map(|(label, at)| (layout.wanted(slices, label) - at).abs());
    moves.fold(0.0, f64::max)
}

impl Layout {
    /// Height at which a label would stand best: that of its slice's middle.
    fn wanted(&self, slices: &[Slice], label: &Label) -> f64 {
        self.center.y + (self.radius + GAP * 0.5) * slices[label.slice].towards.y
    }

    /// The labels of one side from top to bottom with their middles, pushed apart.
    fn column(&self, right: bool, slices: &[Slice], area: Rect) -> Vec<(&Label, f64)> {
        let mut column: Vec<&Label> = self.labels.iter().filter(|it| it.right == right).collect();
        column.sort_by(|one, two| self.wanted(slices, one).total_cmp(&self.wanted(slices, two)));
        let wanted: Vec<f64> = column.iter().map(|it| self.wanted(slices, it)).collect();
        let heights: Vec<f64> = column.iter().map(|it| it.height).collect();
        let middles = spread::spread(&wanted, &heights, area.y0, area.y1);
        column.into_iter().zip(middles).collect()
    }
}

fn line(size: f64) -> f64 {
    size * LEADING + APART
}

/// Sets the text of the labels in lines.
fn set(
    slices: &[Slice],
    chosen: &[usize],
    (form, extent): (Form, Extent),
    area: Rect,
    look: &Look,
) -> Vec<Label> {
    let size = look.label;
    let widest = match extent {
        Extent::Full => WIDEST,
        Extent::Half => WIDEST_BESIDE_HALF,
    };
    let most = (area.width() * widest - GAP).max(0.0);
    let set_one = |&index: &usize| {
        let slice = &slices[index];
        let flat = if slice.share.is_empty() { &slice.detail } else { &slice.share };
        let brief = matches!(form, Form::Short | Form::Wrapped);
        let detail = if brief { flat } else { &slice.detail };
        let beside = look.width(detail, size);
        let lines = if matches!(form, Form::Stacked | Form::Wrapped) { 2 } else { 1 };
        let room = match form {
            Form::Stacked => most,
            _ if beside > 0.0 => most - beside - size * 0.4,
            _ => most,
        };
        let lines = text::wrap(&slice.label, room, lines, size, look.face());
        let cut = lines.iter().any(|it| it.ends_with('…'));
        let name = lines.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
        let last = lines.last().map_or(0.0, |it| look.width(it, size));
        let (width, rows) = match form {
            Form::Stacked => (name.max(beside), lines.len() + usize::from(!detail.is_empty())),
            _ if last > 0.0 && beside > 0.0 => (name.max(last + size * 0.4 + beside), lines.len()),
            _ => (name + beside, lines.len().max(1)),
        };
        Label {
            slice: index,
            right: slice.towards.x >= -1e-9,
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
fn place(
    labels: Vec<Label>,
    (form, extent): (Form, Extent),
    area: Rect,
    look: &Look,
    dropped: usize,
) -> Layout {
    let column = |right: bool| {
        let widths = labels.iter().filter(|it| it.right == right).map(|it| it.width + GAP);
        widths.fold(0.0, f64::max)
    };
    let (left, right) = (column(false), column(true));
    // Labels over and under the circle need some height.
    let above = if labels.is_empty() { 2.0 } else { look.label };
    let height = match extent {
        Extent::Full => area.height() / 2.0 - above,
        Extent::Half => area.height() - above - look.label,
    };
    let radius = ((area.width() - left - right) / 2.0).min(height).max(0.0);
    // The middle of the canvas, unless a wide column needs the room.
    let middle = area.center().x;
    let x = middle.max(area.x0 + left + radius).min(area.x1 - right - radius);
    let y = match extent {
        Extent::Full => area.center().y,
        Extent::Half => area.center().y + radius / 2.0,
    };
    Layout { center: Point::new(x, y), radius, extent, form, labels, dropped }
}

/// Draws leader lines and labels.
pub fn draw(layout: &Layout, slices: &[Slice], area: Rect, look: &Look, scene: &mut Scene) {
    let line = Stroke::new(look.muted.mix(look.background, 0.4), 1.0);
    for right in [false, true] {
        for (label, middle) in layout.column(right, slices, area) {
            draw_one(layout, &slices[label.slice], (label, middle), line, look, scene);
        }
    }
}

fn draw_one(
    layout: &Layout,
    slice: &Slice,
    (label, middle): (&Label, f64),
    line: Stroke,
    look: &Look,
    scene: &mut Scene,
) {
    let side = if label.right { 1.0 } else { -1.0 };
    let reach = layout.radius + GAP - 4.0;
    let beside = match layout.extent {
        Extent::Full => (middle - layout.center.y).abs(),
        // Labels under half a circle stay beside it.
        Extent::Half => (layout.center.y - middle).max(0.0),
    };
    let nearest = (beside - (label.height - APART) / 2.0).max(0.0);
    let away = (reach * reach - nearest * nearest).max(0.0).sqrt();
    let x = layout.center.x + side * (away + 4.0);
    // The line ends at the middle of the label, which stands at its first line.
    let rows =
        label.lines.len() + usize::from(layout.form == Form::Stacked && !label.detail.is_empty());
    let first = middle - (rows.max(1) - 1) as f64 * look.label * LEADING / 2.0;
    let end = Point::new(x - side * 3.0, middle);
    leader(layout, slice.towards, end, line, scene);
    draw_lines(layout.form, label, Point::new(x, first), look, scene);
}

/// A line from the rim of a slice to its label that keeps clear of the circle.
fn leader(layout: &Layout, towards: Vec2, end: Point, line: Stroke, scene: &mut Scene) {
    let on = |radius: f64| layout.center + towards * radius;
    let away = end - layout.center;
    let turn = (towards.dot(away) / away.hypot().max(1.0)).clamp(0.0, 1.0);
    // Half the angle between slice and label: a chord from this far out just misses the circle.
    let half = ((1.0 + turn) / 2.0).sqrt();
    let out = ((layout.radius + 2.0) / half.max(0.1)).min(layout.radius + GAP - 5.0);
    let mut path = BezPath::new();
    path.move_to(on(layout.radius + 2.0));
    if out > layout.radius + 4.0 {
        path.line_to(on(out));
    }
    path.line_to(end);
    scene.stroke(path, line);
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
    let (name, before) = label.lines.split_last().map_or(("", &[][..]), |it| (&**it.0, it.1));
    for (row, words) in before.iter().enumerate() {
        write(words, at.x, base + row as f64 * look.label * LEADING, look.value_ink, scene);
    }
    let base = base + before.len() as f64 * look.label * LEADING;
    // Name and share stand in reading order on both sides.
    let parts = [(name, look.value_ink), (label.detail.as_str(), look.muted)];
    let (first, second) = if label.right { (0, 1) } else { (1, 0) };
    let step = if label.right { 1.0 } else { -1.0 };
    let width = write(parts[first].0, at.x, base, parts[first].1, scene);
    let gap = if width > 0.0 { look.label * 0.4 } else { 0.0 };
    write(parts[second].0, at.x + step * (width + gap), base, parts[second].1, scene);
}
