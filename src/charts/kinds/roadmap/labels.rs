//! Labels of the items of a roadmap: inside the bars or beside them.

use kurbo::Rect;

use crate::frame::{ChartStyle, MIN_TEXT_SIZE, time_marks};
use crate::kinds::roadmap::items::{Item, ItemBar, RoadmapItems};
use crate::scale::LinearScale;
use crate::text;

/// Maximum number of items for which all label styles are tried.
const MAX_ITEMS_FOR_SEARCH: usize = 200;
/// Minimum width of a bar in points.
const MIN_BAR_WIDTH: f64 = 2.5;

/// Style of the labels in an attempt to lay out the items.
#[derive(Clone, Copy)]
pub struct LabelStyle {
    /// Font size in points.
    pub font_size: f64,
    /// Maximum number of lines of a label.
    pub max_lines: usize,
    /// Maximum widths in em of a label beside its bar. The first one is preferred.
    max_widths_em: (f64, f64),
    /// Whether labels may be placed beside their bars.
    pub may_be_outside: bool,
    /// Whether a label may be shortened in a long bar although it is whole beside the bar.
    pub may_be_shortened: bool,
    /// Whether labels beside their bars are on the left if both sides have space.
    prefers_left: bool,
}

/// An item without its vertical position.
pub struct PlacedItem {
    /// Bar with its horizontal position. Top and bottom are 0.
    pub bar: ItemBar,
    /// Left end of bar and label together in points.
    pub left: f64,
    /// Right end of bar and label together in points.
    pub right: f64,
}

impl LabelStyle {
    /// Returns a style with labels inside their bars, or right or left of bars that are too short for
    /// them. `font_size` is in points.
    pub fn outside(font_size: f64, max_lines: usize) -> LabelStyle {
        LabelStyle {
            font_size,
            max_lines,
            // Long words need wider lines.
            max_widths_em: (12.0, 22.0),
            may_be_outside: true,
            may_be_shortened: true,
            prefers_left: false,
        }
    }

    /// Returns the minimum height of a row in points, which has space for `max_lines` lines.
    pub fn min_row_height(self) -> f64 {
        self.font_size * (0.25 + 1.2 * self.max_lines as f64)
    }
}

/// Returns the label styles to try, in the order of preference: labels beside short bars that may be
/// shortened, then more forms of them that prefer whole labels, then only labels inside bars.
///
/// The second group is absent with more than `MAX_ITEMS_FOR_SEARCH` items.
pub fn list_styles(item_count: usize, style: &ChartStyle) -> Vec<LabelStyle> {
    let (label_size, small_size) = (style.label_size, style.small_size);
    let mut styles = vec![
        LabelStyle::outside(label_size, 2),
        LabelStyle::outside(label_size, 1),
        LabelStyle::outside(small_size, 1),
    ];
    if item_count <= MAX_ITEMS_FOR_SEARCH {
        for font_size in [label_size, small_size, MIN_TEXT_SIZE] {
            for (max_lines, max_width) in [(1, 80.0), (2, 40.0), (2, 22.0), (3, 22.0), (4, 14.0)] {
                for prefers_left in [false, true] {
                    styles.push(LabelStyle {
                        max_widths_em: (max_width, max_width),
                        may_be_shortened: false,
                        prefers_left,
                        ..LabelStyle::outside(font_size, max_lines)
                    });
                }
            }
        }
    }
    for font_size in [small_size, MIN_TEXT_SIZE] {
        styles.push(LabelStyle { may_be_outside: false, ..LabelStyle::outside(font_size, 1) });
    }
    styles
}

/// Moves labels that are omitted, or shortened inside their bars, beside the bars as one whole line,
/// where the row has free space in `plot`, on the right if possible.
///
/// Labels without free space stay omitted or shortened. `size` is the font size in points.
pub fn move_outside(
    bars: &mut [Option<ItemBar>],
    items: &RoadmapItems,
    plot: Rect,
    size: f64,
    style: &ChartStyle,
) {
    let extend_by_label = |bar: &ItemBar| {
        let widths = bar.lines.iter().map(|line| text::width(line, size, style.label_face()));
        let width = widths.fold(0.0, f64::max) + size * 0.9;
        match (bar.is_label_inside || bar.lines.is_empty(), bar.is_label_left) {
            (true, _) => bar.rect,
            (false, false) => Rect { x1: bar.rect.x1 + width, ..bar.rect },
            (false, true) => Rect { x0: bar.rect.x0 - width, ..bar.rect },
        }
    };
    let mut occupied: Vec<Rect> = bars.iter().flatten().map(extend_by_label).collect();
    for (item, bar) in items.all.iter().zip(bars.iter_mut()) {
        let is_lost = |bar: &&mut ItemBar| {
            bar.lines.is_empty() || bar.is_label_inside && bar.is_label_shortened()
        };
        let Some(bar) = bar.as_mut().filter(is_lost) else { continue };
        let width = text::width(&item.label, size, style.label_face()) + size * 0.9;
        let free_rect = |left: f64| {
            let rect = Rect::new(left, bar.rect.y0, left + width, bar.rect.y1);
            let is_in_plot = rect.x0 >= plot.x0 && rect.x1 <= plot.x1;
            let is_free = !occupied.iter().any(|other| other.overlaps(rect));
            (is_in_plot && is_free && !item.label.is_empty()).then_some(rect)
        };
        // Left edge of the label, and whether it is left of the bar.
        let candidates = [(bar.rect.x1 + 0.1, false), (bar.rect.x0 - 0.1 - width, true)];
        if let Some((rect, is_left)) =
            candidates.iter().find_map(|(left, is_left)| Some((free_rect(*left)?, *is_left)))
        {
            occupied.push(rect);
            *bar = ItemBar {
                lines: vec![item.label.clone()],
                is_label_inside: false,
                is_label_left: is_left,
                ..*bar
            };
        }
    }
}

/// Wraps the label of an item into lines of at most `max_width` points, and shortens it if it needs more
/// lines than the style allows. Returns no lines if `max_width` is less than two font sizes.
fn wrap_label(
    item: &Item,
    max_width: f64,
    label_style: LabelStyle,
    style: &ChartStyle,
) -> Vec<String> {
    let LabelStyle { font_size, max_lines, .. } = label_style;
    // Less than two letters would not be readable.
    if max_width < font_size * 2.0 {
        Vec::new()
    } else {
        text::wrap(&item.label, max_width, max_lines, font_size, style.label_face())
    }
}

/// Returns the mark of an item without its label and its row: a bar, or a diamond if the item is a day that would be narrower than a diamond.
fn place_mark(item: &Item, x: &LinearScale, plot: Rect, style: &ChartStyle) -> ItemBar {
    let (mut from, mut to) = (x.at(item.from), x.at(item.to));
    let diamond_width = (style.label_size * 1.5).min(plot.width());
    let is_diamond = item.is_point && to - from < diamond_width;
    if is_diamond {
        let half = diamond_width / 2.0;
        from = f64::midpoint(from, to).clamp(plot.x0 + half, plot.x1 - half) - half;
        to = from + diamond_width;
    } else if to - from < MIN_BAR_WIDTH {
        to = (from + MIN_BAR_WIDTH).min(plot.x1);
        from = to - MIN_BAR_WIDTH;
    }
    let tail_width =
        if item.is_open { time_marks::tail_width(to - from, style.label_size * 1.5) } else { 0.0 };
    ItemBar {
        rect: Rect::new(from, 0.0, to, 0.0),
        tail_width,
        is_diamond,
        lines: Vec::new(),
        is_label_inside: false,
        is_label_left: false,
    }
}

/// Returns the possible positions of an item with its label, at least one, the preferred one first.
/// The top and bottom of a bar are 0 until the caller has chosen a row.
///
/// A label is inside its bar if it fits there as a whole, or may not be outside. Otherwise it is
/// beside the bar, or shortened inside a long bar if it is whole on no side. There is no label
/// without `label_style`, or if it may not be outside and is not readable inside.
pub fn list_positions(
    item: &Item,
    x: &LinearScale,
    plot: Rect,
    label_style: Option<LabelStyle>,
    style: &ChartStyle,
) -> Vec<PlacedItem> {
    let without_label = || place_mark(item, x, plot, style);
    let ItemBar { rect, tail_width, is_diamond, .. } = without_label();
    let (from, to) = (rect.x0, rect.x1);
    let Some(label_style) = label_style.filter(|_| !item.label.is_empty()) else {
        return vec![PlacedItem { bar: without_label(), left: from, right: to }];
    };
    let size = label_style.font_size;
    let space_inside = if is_diamond { 0.0 } else { to - from - tail_width };
    let lines = wrap_label(item, space_inside - size * 0.9, label_style, style);
    let is_whole = is_complete(&lines);
    let is_readable = is_whole || space_inside > size * 4.5;
    let inside = |lines| {
        let bar = ItemBar { lines, is_label_inside: true, ..without_label() };
        vec![PlacedItem { bar, left: from, right: to }]
    };
    if !label_style.may_be_outside && !is_readable {
        return vec![PlacedItem { bar: without_label(), left: from, right: to }];
    }
    if is_whole || !label_style.may_be_outside {
        return inside(lines);
    }
    let positions = list_outside_positions(item, &without_label(), plot, label_style, style);
    let is_any_whole = positions.iter().any(|position| is_complete(&position.bar.lines));
    // A long bar shows most of its label.
    if !is_any_whole && space_inside > size * 6.0 {
        return inside(lines);
    }
    positions
}

/// Returns one or two positions of an item with its label right or left of `mark`.
///
/// If `label_style` allows shortened labels, the only position is on the right, or on the left if the
/// whole label does not fit on the right and the left has more space. If it does not allow them: both sides,
/// the one that it prefers first, if the whole label fits on both, or else one side, where it fits if
/// possible.
fn list_outside_positions(
    item: &Item,
    mark: &ItemBar,
    plot: Rect,
    label_style: LabelStyle,
    style: &ChartStyle,
) -> Vec<PlacedItem> {
    let (size, face) = (label_style.font_size, style.label_face());
    let (gap, rect) = (size * 0.45, mark.rect);
    let (space_after, space_before) = (plot.x1 - rect.x1 - gap, rect.x0 - plot.x0 - gap);
    let place = |is_left: bool| {
        let max_width = if is_left { space_before } else { space_after };
        let (narrow, wide) = label_style.max_widths_em;
        let mut lines = wrap_label(item, max_width.min(size * narrow), label_style, style);
        if !is_complete(&lines) {
            lines = wrap_label(item, max_width.min(size * wide), label_style, style);
        }
        let width = lines.iter().map(|line| text::width(line, size, face)).fold(0.0, f64::max);
        let (left, right) = match is_left {
            true => (rect.x0 - gap - width, rect.x1),
            false => (rect.x0, rect.x1 + gap + width),
        };
        let bar = ItemBar { lines, is_label_left: is_left, ..*mark };
        PlacedItem { bar, left, right }
    };
    if label_style.may_be_shortened {
        let is_left =
            space_after < space_before && text::width(&item.label, size, face) > space_after;
        return vec![place(is_left)];
    }
    let positions = [place(label_style.prefers_left), place(!label_style.prefers_left)];
    let is_second_better = !is_complete(&positions[0].bar.lines);
    let mut positions = Vec::from(positions);
    if is_second_better {
        positions.reverse();
    }
    let is_both = positions.iter().all(|position| is_complete(&position.bar.lines));
    positions.truncate(if is_both { 2 } else { 1 });
    positions
}

/// Returns whether there are lines, and none ends with an ellipsis.
fn is_complete(lines: &[String]) -> bool {
    !lines.is_empty() && !lines.iter().any(|line| line.ends_with('…'))
}
