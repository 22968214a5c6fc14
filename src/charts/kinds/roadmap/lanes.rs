//! Items of a roadmap, and their arrangement in the rows of their lanes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, date};
use crate::frame::ChartStyle;
use crate::scale::LinearScale;
use crate::text;

/// The item of a record with at least one valid date.
pub struct Item {
    /// Index of the record in the data.
    pub row: usize,
    /// Label of the item.
    pub label: String,
    /// Start in seconds since 1970.
    pub from: f64,
    /// Exclusive end in seconds since 1970: the start of the day after the last day.
    pub to: f64,
    /// Index of the lane.
    pub lane: usize,
    /// Whether the item is highlighted.
    pub highlighted: bool,
}

/// All items and lanes of a roadmap.
pub struct RoadmapItems {
    /// Items in the order of the data.
    pub all: Vec<Item>,
    /// Names of the lanes in the order of their first item.
    pub lanes: Vec<String>,
    /// First start and last end in seconds since 1970.
    pub span: (f64, f64),
}

/// The bar of an item and the position of its label.
pub struct ItemBar {
    /// Rectangle of the bar.
    pub rect: Rect,
    /// Lines of the label, shortened if it does not fit. Empty without a label.
    pub lines: Vec<String>,
    /// Whether the label is inside the bar instead of beside it.
    pub is_label_inside: bool,
    /// Whether a label outside the bar is on its left.
    pub is_label_left: bool,
}

/// Vertical extent of a lane in points.
pub struct LaneExtent {
    /// Upper edge.
    pub top: f64,
    /// Lower edge. It may be below the plot, and items there are omitted.
    pub bottom: f64,
}

/// Layout of all items and lanes.
pub struct LaneLayout {
    /// Bar of each item. None for items that do not fit.
    pub bars: Vec<Option<ItemBar>>,
    /// Vertical extent of each lane.
    pub lanes: Vec<LaneExtent>,
    /// Font size of labels. None if the rows are too low for labels.
    pub font_size: Option<f64>,
}

/// Maximum number of items. Further items are omitted with a warning, because no canvas can show
/// them.
const MAX_ITEMS: usize = 1000;
/// Maximum number of lanes. Items of further lanes are in the last one.
const MAX_LANES: usize = 40;
/// Minimum height of a row in points.
const MIN_ROW_HEIGHT: f64 = 4.0;

/// Reads the items. Records without a valid date are ignored. An item with only one valid date
/// takes a day. Reversed dates are swapped.
///
/// Warns about items beyond the maximum and omits them. Items of lanes beyond the maximum are in
/// the last lane. Without items, the span is not finite.
pub fn read_items(chart: &Chart, scene: &mut Scene) -> RoadmapItems {
    let mut items = RoadmapItems {
        all: Vec::new(),
        lanes: Vec::new(),
        span: (f64::INFINITY, f64::NEG_INFINITY),
    };
    let (mut undated_count, mut over_limit_count) = (0, 0);
    for (row, record) in chart.data.iter().enumerate() {
        let timestamp = |key: &str| data::timestamp(data::field(record, key));
        // An end without a time of day includes that day.
        let end_offset = match data::field(record, "end").as_str() {
            Some(text) if text.trim().len() > 10 => 0.0,
            _ => date::DAY_SECONDS,
        };
        let (from, to) = match (timestamp("start"), timestamp("end")) {
            (Some(a), Some(b)) => (a.min(b), a.max(b) + end_offset),
            (Some(single), None) | (None, Some(single)) => (single, single + date::DAY_SECONDS),
            (None, None) => {
                undated_count += usize::from(!data::is_blank(record));
                continue;
            }
        };
        if items.all.len() == MAX_ITEMS {
            over_limit_count += 1;
            continue;
        }
        items.span = (items.span.0.min(from), items.span.1.max(to));
        let lane = data::display_text(data::field(record, "lane"));
        let known_lane = items.lanes.iter().position(|known| *known == lane);
        let lane = known_lane.unwrap_or_else(|| {
            if items.lanes.len() < MAX_LANES {
                items.lanes.push(lane.into_owned());
            }
            items.lanes.len() - 1
        });
        let label = data::record_label(record).into_owned();
        let highlighted = data::is_true(data::field(record, "highlighted"));
        items.all.push(Item { row, label, from, to, lane, highlighted });
    }
    if !items.all.is_empty() {
        scene.omit(Omission::NoDate, undated_count);
        scene.omit(Omission::NoSpace, over_limit_count);
    }
    items
}

/// Packs the items and their labels into few rows per lane.
///
/// Uses large labels if all of them fit into their bars. Otherwise tries smaller label styles until
/// all items fit, and finally omits the labels. Items that still do not fit are omitted.
pub fn lay_out_items(
    items: &RoadmapItems,
    x: &LinearScale,
    plot: Rect,
    style: &ChartStyle,
) -> LaneLayout {
    let is_complete =
        |bar: &ItemBar| bar.is_label_inside && !bar.lines.iter().any(|line| line.ends_with('…'));
    let large_style =
        LabelStyle { font_size: style.label_size * 1.2, max_lines: 1, may_be_outside: true };
    let layout = pack_items(items, x, plot, Some(large_style), style);
    if layout.bars.iter().all(|bar| bar.as_ref().is_some_and(is_complete)) {
        return layout;
    }
    let outside_style =
        |font_size, max_lines| LabelStyle { font_size, max_lines, may_be_outside: true };
    let inside_style =
        LabelStyle { font_size: style.small_size, max_lines: 1, may_be_outside: false };
    for label_style in [
        outside_style(style.label_size, 2),
        outside_style(style.label_size, 1),
        outside_style(style.small_size, 1),
        inside_style,
    ] {
        let mut layout = pack_items(items, x, plot, Some(label_style), style);
        if layout.bars.iter().all(Option::is_some) {
            if !label_style.may_be_outside && items.all.len() <= MAX_ITEMS_FOR_OUTSIDE_LABELS {
                move_labels_outside(&mut layout, items, plot, label_style.font_size, style);
            }
            return layout;
        }
    }
    pack_items(items, x, plot, None, style)
}

/// Maximum number of items for which labels are moved outside their bars, because the search is
/// quadratic.
const MAX_ITEMS_FOR_OUTSIDE_LABELS: usize = 100;

/// Places labels that are omitted from their bars beside them, where the row has free space, on the
/// right if possible. Labels without free space stay omitted, and shortened labels stay in their
/// bars. `size` is the font size in points.
fn move_labels_outside(
    layout: &mut LaneLayout,
    items: &RoadmapItems,
    plot: Rect,
    size: f64,
    style: &ChartStyle,
) {
    let mut occupied: Vec<Rect> = layout.bars.iter().flatten().map(|bar| bar.rect).collect();
    for (item, bar) in items.all.iter().zip(layout.bars.iter_mut()) {
        let Some(bar) = bar.as_mut().filter(|bar| bar.lines.is_empty()) else { continue };
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
                rect: bar.rect,
                lines: vec![item.label.clone()],
                is_label_inside: false,
                is_label_left: is_left,
            };
        }
    }
}

/// Style of the labels in an attempt to lay out the items.
#[derive(Clone, Copy)]
struct LabelStyle {
    /// Font size in points.
    font_size: f64,
    /// Maximum number of lines of a label.
    max_lines: usize,
    /// Whether labels may be placed beside their bars.
    may_be_outside: bool,
}

/// Lanes with rows of a common height.
struct LaneRows {
    /// Height of a row in points.
    row_height: f64,
    lanes: Vec<LaneExtent>,
}

/// An item without its vertical position.
struct PlacedItem {
    /// Bar with its horizontal position. Top and bottom are 0.
    bar: ItemBar,
    /// Left end of bar and label together in points.
    left: f64,
    /// Right end of bar and label together in points.
    right: f64,
}

/// Packs the items into rows: in the order of their starts, each into the first row of its lane
/// with free space.
///
/// Items in rows below the plot get no bar. Without `label_style` there are no labels.
fn pack_items(
    items: &RoadmapItems,
    x: &LinearScale,
    plot: Rect,
    label_style: Option<LabelStyle>,
    style: &ChartStyle,
) -> LaneLayout {
    let min_row_height = label_style.map_or(MIN_ROW_HEIGHT, |label_style| {
        label_style.font_size * (0.25 + 1.2 * label_style.max_lines as f64)
    });
    let mut placed: Vec<(usize, ItemBar)> = Vec::with_capacity(items.all.len());
    let mut row_ends: Vec<Vec<f64>> = vec![Vec::new(); items.lanes.len()];
    let mut order: Vec<(usize, &Item)> = items.all.iter().enumerate().collect();
    order.sort_by(|a, b| a.1.from.total_cmp(&b.1.from));
    let mut rows = vec![0; items.all.len()];
    for (index, item) in order {
        let PlacedItem { bar, left, right } = place_item(item, x, plot, label_style, style);
        let Some(lane_rows) = row_ends.get_mut(item.lane) else { continue };
        let row_index =
            lane_rows.iter().position(|row_end| *row_end <= left).unwrap_or(lane_rows.len());
        // Bars may touch in a row, but a label needs a gap after it.
        let row_end = if right > bar.rect.x1 { right + 3.0 * style.unit } else { right - 0.5 };
        match lane_rows.get_mut(row_index) {
            Some(last_end) => *last_end = row_end,
            None => lane_rows.push(row_end),
        }
        if let Some(item_row) = rows.get_mut(index) {
            *item_row = row_index;
        }
        placed.push((index, bar));
    }
    let counts: Vec<usize> = row_ends.iter().map(|rows| rows.len().max(1)).collect();
    let LaneRows { row_height, lanes } = lay_out_lanes(&counts, plot, min_row_height, style);
    let padding = compute_lane_padding(row_height, style);
    let mut bars: Vec<Option<ItemBar>> = items.all.iter().map(|_| None).collect();
    for (index, bar) in placed {
        let lane = items.all.get(index).and_then(|item| lanes.get(item.lane));
        let (Some(lane), Some(row_index)) = (lane, rows.get(index)) else { continue };
        let top = lane.top + padding + row_height * *row_index as f64;
        // A small gap separates a bar from the next one that starts at its end.
        let gap_after = style.unit.min(bar.rect.width() * 0.3);
        let vertical_gap = (row_height * 0.09).min(3.0 * style.unit);
        let rect = Rect::new(
            bar.rect.x0,
            top + vertical_gap,
            bar.rect.x1 - gap_after,
            top + row_height - vertical_gap,
        );
        if rect.y1 <= lane.bottom.min(plot.y1) + 0.01
            && let Some(placed_bar) = bars.get_mut(index)
        {
            *placed_bar = Some(ItemBar { rect, ..bar });
        }
    }
    LaneLayout { bars, lanes, font_size: label_style.map(|label_style| label_style.font_size) }
}

/// Returns the space above the first and below the last row of a lane in points.
fn compute_lane_padding(row_height: f64, style: &ChartStyle) -> f64 {
    (row_height * 0.16).min(5.0 * style.unit)
}

/// Divides the height of the plot among the lanes. Rows are at least `min_row_height` points high,
/// even if the last lanes are then below the plot. They have a maximum height, so that the lanes
/// may end above the lower edge.
///
/// `counts` has the number of rows of each lane.
fn lay_out_lanes(
    counts: &[usize],
    plot: Rect,
    min_row_height: f64,
    style: &ChartStyle,
) -> LaneRows {
    let row_count: usize = counts.iter().sum();
    let height_in_rows = row_count as f64 + 0.32 * counts.len() as f64;
    let row_height = (plot.height() / height_in_rows)
        .clamp(min_row_height.min(plot.height()), 64.0 * style.unit);
    let padding = compute_lane_padding(row_height, style);
    let mut top = plot.y0;
    let mut lanes = Vec::with_capacity(counts.len());
    for count in counts {
        let bottom = top + row_height * *count as f64 + 2.0 * padding;
        lanes.push(LaneExtent { top, bottom });
        top = bottom;
    }
    LaneRows { row_height, lanes }
}

/// Wraps the label of an item. Returns no lines if `max_width` is too small for a label.
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

/// Returns the bar of an item with its label, inside the bar or beside it. A bar is at least 2.5
/// points wide.
///
/// There is no label without `label_style`, or if the label must be inside and is not readable
/// there. The vertical position of the bar is not set yet.
fn place_item(
    item: &Item,
    x: &LinearScale,
    plot: Rect,
    label_style: Option<LabelStyle>,
    style: &ChartStyle,
) -> PlacedItem {
    let (mut from, mut to) = (x.at(item.from), x.at(item.to));
    if to - from < 2.5 {
        to = (from + 2.5).min(plot.x1);
        from = to - 2.5;
    }
    let rect = Rect::new(from, 0.0, to, 0.0);
    let without_label =
        ItemBar { rect, lines: Vec::new(), is_label_inside: false, is_label_left: false };
    let Some(label_style) = label_style.filter(|_| !item.label.is_empty()) else {
        return PlacedItem { bar: without_label, left: from, right: to };
    };
    let (size, face) = (label_style.font_size, style.label_face());
    let is_complete =
        |lines: &[String]| !lines.is_empty() && !lines.iter().any(|line| line.ends_with('…'));
    let wrap = |max_width: f64| wrap_label(item, max_width, label_style, style);
    let lines = wrap(to - from - size * 0.9);
    let is_readable = is_complete(&lines) || to - from > size * 4.5;
    if !label_style.may_be_outside && !is_readable {
        return PlacedItem { bar: without_label, left: from, right: to };
    }
    if is_complete(&lines) || !label_style.may_be_outside {
        let bar = ItemBar { lines, is_label_inside: true, ..without_label };
        return PlacedItem { bar, left: from, right: to };
    }
    let gap = size * 0.45;
    let (space_after, space_before) = (plot.x1 - to - gap, from - plot.x0 - gap);
    let is_left = space_after < space_before && text::width(&item.label, size, face) > space_after;
    let max_width = if is_left { space_before } else { space_after };
    let mut outside_lines = wrap(max_width.min(size * 12.0));
    if !is_complete(&outside_lines) {
        // Long words need wider lines.
        outside_lines = wrap(max_width.min(size * 22.0));
    }
    if !is_complete(&outside_lines) && to - from > size * 6.0 {
        // A long bar shows most of its label.
        let bar = ItemBar { lines, is_label_inside: true, ..without_label };
        return PlacedItem { bar, left: from, right: to };
    }
    let width = outside_lines.iter().map(|line| text::width(line, size, face)).fold(0.0, f64::max);
    let (left, right) = if is_left { (from - gap - width, to) } else { (from, to + gap + width) };
    let bar = ItemBar { lines: outside_lines, is_label_left: is_left, ..without_label };
    PlacedItem { bar, left, right }
}
