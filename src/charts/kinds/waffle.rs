//! Waffle chart: 100 squares, distributed among the records by largest remainders, with labels
//! beside the squares.
//!
//! Record: `label`, `value` (greater than 0), `highlighted`, `color`. Settings: `sort`, `shape`
//! (`square`, `dot`), `whole` (amount that all squares represent, 0 for the sum), `showValues`,
//! `showPercentages`. Percentages with a sum below 100 leave squares empty.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
use crate::slices;
use crate::slices::Slice;
use crate::spread;
use crate::text;
use crate::text::Face;

/// The waffle chart.
pub const KIND: Kind = Kind { slug: "waffle", draw };

/// Number of squares per row and per column.
const SIDE: usize = 10;
/// Maximum number of parts. The smallest records beyond it are merged, because more colors could
/// not be distinguished.
const MAX_PARTS: usize = 8;
/// Line height of a label as a share of the font size.
const LEADING: f64 = 1.25;

/// A slice with its number of squares. The detail of the slice is the formatted value.
struct Part {
    slice: Slice,
    squares: usize,
}

/// Draws the squares and their labels.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut parts = read(chart, &frame.style, scene);
    if parts.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    share_out(chart, &mut parts);
    let (grid, list) = place(frame);
    draw_squares(chart, &parts, grid, &frame.style, scene);
    if let Some(list) = list {
        names(&parts, grid, list, &frame.style, scene);
    }
    describe(&parts, scene);
}

/// Reads the records with a value greater than 0 in drawing order, with their colors. Merges the
/// smallest ones.
fn read(chart: &Chart, style: &ChartStyle, scene: &mut Scene) -> Vec<Part> {
    let mut slices = slices::read_slices(chart, "value", false, MAX_PARTS, scene);
    slices::assign_colors(chart, style, &mut slices);
    // Two shades of grey alternate, so that adjacent grey parts can be distinguished.
    for slice in slices.iter_mut().skip(1).step_by(2) {
        if slice.fill == style.faded_color() {
            slice.fill = slice.fill.mix(style.background, 0.3);
        }
    }
    slices.into_iter().map(|slice| Part { slice, squares: 0 }).collect()
}

/// Returns the amount that all squares represent, at least `sum`.
fn whole(chart: &Chart, sum: f64) -> f64 {
    let percent = chart.format_rules("value").percent;
    let wanted = chart.number_setting("whole").unwrap_or(0.0);
    let wanted = if wanted <= 0.0 && percent { 100.0 } else { wanted };
    wanted.max(sum)
}

/// Distributes the squares, and formats shares and values.
fn share_out(chart: &Chart, parts: &mut [Part]) {
    let mut values: Vec<f64> = parts.iter().map(|it| it.slice.value).collect();
    let sum: f64 = values.iter().sum();
    let rest = whole(chart, sum) - sum;
    values.push(if rest > sum * 1e-6 { rest } else { 0.0 });
    let shares = percentages::rounded_percentages(&values, 0);
    let rules = chart.format_rules("value");
    let locale = chart.locale();
    let amounts = NumberFormat::for_values(values.iter().copied(), &rules, locale);
    let percent = NumberFormat::plain(0, &FormatRules::default(), locale).with_percent();
    let with_shares = chart.bool_setting("showPercentages", true);
    let with_values = chart.bool_setting("showValues", true) && !(rules.percent && with_shares);
    for (part, share) in parts.iter_mut().zip(shares) {
        part.squares = share as usize;
        if with_shares {
            part.slice.short_text = match share {
                0.0 => format!("<{}", percent.text(1.0)),
                share => percent.text(share),
            };
        }
        if with_values {
            part.slice.detail = amounts.text(part.slice.value);
        }
    }
}

/// Returns the rectangle of the grid and the one of the labels. Labels are right of the grid or, on
/// a portrait canvas, below it. Their rectangle is None if there is too little space.
fn place(frame: &Frame) -> (Rect, Option<Rect>) {
    let (area, style) = (frame.area, &frame.style);
    let gap = style.label_size * 1.6;
    if area.width() >= area.height() {
        let side = area.height().min(area.width() * 0.6);
        let top = area.y0 + (area.height() - side) / 2.0;
        let grid = Rect::new(area.x0, top, area.x0 + side, top + side);
        let list = Rect { x0: grid.x1 + gap, ..area };
        return (grid, (list.width() > style.label_size * 4.0).then_some(list));
    }
    let side = area.width().min(area.height() * 0.6);
    let grid = Rect::new(area.x0, area.y0, area.x0 + side, area.y0 + side);
    let list = Rect { y0: grid.y1 + gap, ..area };
    (grid, (list.height() > style.label_size * 2.0).then_some(list))
}

/// Draws the 100 squares (or dots) row by row from the top left: the parts in order, each as a mark,
/// then the empty rest in the grid color.
fn draw_squares(chart: &Chart, parts: &[Part], grid: Rect, style: &ChartStyle, scene: &mut Scene) {
    let step = grid.width() / SIDE as f64;
    let size = step * 0.88;
    let dots = chart.str_setting("shape") == "dot";
    let mark = |at: usize, fill: Color, scene: &mut Scene| {
        let corner = Point::new((at % SIDE) as f64 * step, (at / SIDE) as f64 * step);
        // The last square ends at the edge of the grid.
        let corner = Point::new(
            grid.x0 + corner.x * (grid.width() - size) / (grid.width() - step),
            grid.y0 + corner.y * (grid.width() - size) / (grid.width() - step),
        );
        let rect = Rect::from_origin_size(corner, (size, size));
        if dots {
            scene.circle(rect.center(), size / 2.0, fill, None);
        } else {
            scene.push(Primitive::Rect { rect, radius: size * 0.12, fill });
        }
    };
    let mut at = 0;
    for part in parts {
        scene.begin_mark("square", part.slice.row, || {
            let Slice { label, short_text: share, detail, .. } = &part.slice;
            (Some("value".to_owned()), format!("{label}: {detail} {share}").trim_end().to_owned())
        });
        let end = (at + part.squares).min(SIDE * SIDE);
        for place in at..end {
            mark(place, part.slice.fill, scene);
        }
        at = end;
    }
    scene.end_mark();
    for place in at..SIDE * SIDE {
        mark(place, style.grid_color, scene);
    }
}

/// A label, wrapped into lines.
struct Entry<'a> {
    part: &'a Part,
    lines: Vec<String>,
    /// Y coordinate of the middle of its squares.
    wanted: f64,
}

/// Draws shares, names and values. Beside the grid, each is as near to its squares as the others
/// allow.
fn names(parts: &[Part], grid: Rect, list: Rect, style: &ChartStyle, scene: &mut Scene) {
    let beside = list.x0 > grid.x1;
    let small = style.small_size;
    let (sizes, mut entries, told) = set(parts, grid, list, style);
    let most = (list.height() / (small * 1.5)) as usize;
    if sizes.0 == small && entries.len() > most {
        scene.warn(format!("Records without room for a name: {}.", entries.len() - most));
        entries.truncate(most);
    }
    let heights: Vec<f64> = entries.iter().map(|it| height(it, sizes)).collect();
    let middles = if beside {
        let wanted: Vec<f64> = entries.iter().map(|it| it.wanted).collect();
        spread::spread_apart(&wanted, &heights, list.y0, list.y1)
    } else {
        let below = heights.iter().scan(list.y0, |top, height| {
            *top += height;
            Some(*top - height / 2.0)
        });
        below.collect()
    };
    for (entry, middle) in entries.iter().zip(middles) {
        write(
            entry,
            Point::new(list.x0, middle),
            (sizes, lead(parts, sizes.0)),
            told,
            style,
            scene,
        );
    }
}

/// Returns the width in points of the widest share at this font size, including the space after it.
fn lead(parts: &[Part], size: f64) -> f64 {
    let widest = parts.iter().map(|it| text::width(&it.slice.short_text, size, Face::BOLD));
    let widest = widest.fold(0.0, f64::max);
    if widest > 0.0 { widest + size * 0.5 } else { 0.0 }
}

/// Returns the largest font sizes of share and name at which all labels fit, the labels, and
/// whether the values fit. Sizes at which the values fit are preferred. Values are shown for all
/// labels or for none.
fn set<'a>(
    parts: &'a [Part],
    grid: Rect,
    list: Rect,
    style: &ChartStyle,
) -> ((f64, f64), Vec<Entry<'a>>, bool) {
    // Font size of the share, font size of the name, and maximum number of lines of a name, in
    // descending order.
    let (label, small) = (style.label_size, style.small_size);
    let tries = [
        (label * 1.9, label * 1.25, 2),
        (label * 1.5, label, 2),
        (label * 1.5, label, 1),
        (label, label, 1),
        (small, small, 1),
    ];
    let mut chosen = None;
    for (size, name, most) in tries {
        let room = list.width() - name * 1.3 - lead(parts, size);
        let entries = entries(parts, room, (name, most), grid, style);
        let told = entries.iter().all(|it| it.holds_value(room, name, style));
        let fits = entries.iter().map(|it| height(it, (size, name))).sum::<f64>() <= list.height()
            && (most < 2 || entries.iter().all(Entry::is_whole));
        if fits && told {
            return ((size, name), entries, true);
        }
        if chosen.is_none() && (fits || size == small) {
            chosen = Some(((size, name), entries, told));
        }
    }
    chosen.unwrap_or(((small, small), Vec::new(), false))
}

impl Entry<'_> {
    /// Returns whether the name is not ellipsized.
    fn is_whole(&self) -> bool {
        !self.lines.iter().any(|it| it.ends_with('…'))
    }

    /// Returns whether the value fits after the last line of the name.
    fn holds_value(&self, room: f64, size: f64, style: &ChartStyle) -> bool {
        if self.part.slice.detail.is_empty() {
            return true;
        }
        let name = self.lines.last().map_or(0.0, |it| style.text_width(it, size) + size * 0.5);
        name + style.text_width(&self.part.slice.detail, size) <= room
    }
}

/// Returns the height in points at these font sizes of share and name.
fn height(entry: &Entry, (size, name): (f64, f64)) -> f64 {
    let rows = entry.lines.len().max(1) as f64;
    (size * 1.3).max(rows * name * LEADING) + name * 0.2
}

/// Wraps the names of all parts into at most `most` lines.
fn entries<'a>(
    parts: &'a [Part],
    room: f64,
    (size, most): (f64, usize),
    grid: Rect,
    style: &ChartStyle,
) -> Vec<Entry<'a>> {
    let mut before = 0.0;
    let entry = |part: &'a Part| {
        let rows = (part.squares as f64) / SIDE as f64;
        let wanted = grid.y0 + (before + rows / 2.0) * grid.height() / SIDE as f64;
        before += rows;
        let lines = text::wrap(&part.slice.label, room, most, size, style.label_face());
        Entry { part, lines, wanted }
    };
    parts.iter().map(entry).collect()
}

/// Draws a color chip, the share, the name and, if `told`, the value after the name.
fn write(
    entry: &Entry,
    at: Point,
    ((size, name), lead): ((f64, f64), f64),
    told: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let part = &entry.part.slice;
    let chip = name * 0.8;
    let rect = Rect::new(at.x, at.y - chip / 2.0, at.x + chip, at.y + chip / 2.0);
    scene.push(Primitive::Rect { rect, radius: chip * 0.2, fill: part.fill });
    let x = at.x + name * 1.3;
    let width = text::width(&part.short_text, size, Face::BOLD);
    // Shares are right-aligned, so that their digits are in columns.
    let end = x + lead - size * 0.5;
    let set = style.label_text(
        end,
        at.y + HALF_CAP_HEIGHT_EM * size,
        Anchor::End,
        size,
        &part.short_text,
    );
    scene.text(Text { face: Face::BOLD, width, color: style.value_color, ..set });
    let x = x + lead;
    // A single line has the baseline of the share. Two lines are centered at it.
    let rows = entry.lines.len();
    let mut base = match rows {
        0 | 1 => at.y + HALF_CAP_HEIGHT_EM * size,
        rows => at.y - (rows as f64 * LEADING * name) / 2.0 + (ASCENT_EM + 0.14) * name,
    };
    let mut last = x;
    for line in &entry.lines {
        let full = line.ends_with('…').then(|| part.label.clone());
        let set = style.label_text(x, base, Anchor::Start, name, line);
        last = x + set.width;
        scene.text(Text { full, ..set });
        base += LEADING * name;
    }
    let x = if rows == 0 { x } else { last + name * 0.5 };
    if told {
        let base = if rows == 0 { at.y + HALF_CAP_HEIGHT_EM * size } else { base - LEADING * name };
        let set = style.label_text(x, base, Anchor::Start, name, &part.detail);
        scene.text(Text { color: style.muted_color, ..set });
    }
}

/// Sets the text description of the scene: number of parts, and the largest and smallest one.
fn describe(parts: &[Part], scene: &mut Scene) {
    let by = |one: &&Part, two: &&Part| one.slice.value.total_cmp(&two.slice.value);
    let named = |it: &Part| format!("{} with {} squares", it.slice.label, it.squares);
    if let (Some(most), Some(least)) = (parts.iter().max_by(by), parts.iter().min_by(by)) {
        scene.description = format!("Waffle chart of {} shares in 100 squares.", parts.len());
        scene.description.push_str(&format!(" Largest: {}.", named(most)));
        if parts.len() > 1 {
            scene.description.push_str(&format!(" Smallest: {}.", named(least)));
        }
    }
}
