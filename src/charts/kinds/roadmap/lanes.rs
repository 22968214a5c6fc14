//! Arrangement of the items of a roadmap in the rows of their lanes.

use kurbo::Rect;

use crate::frame::ChartStyle;
use crate::kinds::roadmap::items::{Item, ItemBar, RoadmapItems};
use crate::kinds::roadmap::labels;
use crate::kinds::roadmap::labels::{LabelStyle, PlacedItem};
use crate::scale::LinearScale;

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
    /// Number of rows of each lane.
    row_counts: Vec<usize>,
}

impl LaneLayout {
    /// Returns three numbers: items without a bar, labels of the other items that are shortened or left
    /// out, and characters that these labels lack together.
    fn count_losses(&self, items: &RoadmapItems) -> (usize, usize, usize) {
        let missing = self.bars.iter().filter(|bar| bar.is_none()).count();
        let is_lost = |(bar, item): &(&Option<ItemBar>, &Item)| match bar {
            Some(bar) => {
                !item.label.is_empty() && (bar.lines.is_empty() || bar.is_label_shortened())
            }
            None => false,
        };
        let count_letters = |text: &str| text.chars().count();
        let lost: Vec<usize> = (self.bars.iter().zip(&items.all))
            .filter(is_lost)
            .map(|(bar, item)| {
                let lines = bar.iter().flat_map(|bar| &bar.lines);
                let shown: usize = lines.map(|line| count_letters(line)).sum();
                count_letters(&item.label).saturating_sub(shown)
            })
            .collect();
        (missing, lost.len(), lost.iter().sum())
    }
}

/// Maximum number of items for which labels are moved outside their bars, because the search is
/// quadratic.
const MAX_ITEMS_FOR_OUTSIDE_LABELS: usize = 100;
/// Minimum height of a row in points.
const MIN_ROW_HEIGHT: f64 = 4.0;

/// Packs the items and their labels into few rows per lane.
///
/// Uses large labels if all of them fit into their bars. Otherwise tries smaller label styles until
/// all items fit with their whole labels. If there is no such style, uses the one that loses the
/// fewest items, then the fewest labels, then the fewest letters. Items that still do not fit are
/// omitted.
pub fn lay_out_items(
    items: &RoadmapItems,
    x: &LinearScale,
    plot: Rect,
    style: &ChartStyle,
) -> LaneLayout {
    let large_style = LabelStyle::outside(style.label_size * 1.2, 1);
    let layout = pack_items(items, x, plot, Some(large_style), &[], style);
    let is_inside = |bar: &ItemBar| bar.is_label_inside && !bar.is_label_shortened();
    if layout.bars.iter().all(|bar| bar.as_ref().is_some_and(is_inside)) {
        return layout;
    }
    let mut best = pack_items(items, x, plot, None, &[], style);
    let min_rows = best.row_counts.clone();
    let mut least_losses = best.count_losses(items);
    let has_few_items = items.all.len() <= MAX_ITEMS_FOR_OUTSIDE_LABELS;
    for label_style in labels::list_styles(items.all.len(), style) {
        let mut layout = pack_items(items, x, plot, Some(label_style), &[], style);
        let mut layouts = Vec::new();
        if !label_style.may_be_shortened && label_style.max_lines == 1 && has_few_items {
            for share in [1.0, 0.75, 0.5, 0.25] {
                let max_rows = count_max_rows(items.lanes.len(), plot, label_style, style);
                let limits = share_rows(&min_rows, &layout.row_counts, max_rows * share);
                layouts.push(pack_items(items, x, plot, Some(label_style), &limits, style));
            }
        }
        for layout in std::iter::once(&mut layout).chain(&mut layouts) {
            let may_move = !label_style.may_be_outside || !label_style.may_be_shortened;
            if may_move && has_few_items {
                labels::move_outside(&mut layout.bars, items, plot, label_style.font_size, style);
            }
        }
        for layout in std::iter::once(layout).chain(layouts) {
            let losses = layout.count_losses(items);
            if losses < least_losses {
                (best, least_losses) = (layout, losses);
            }
        }
        if least_losses == (0, 0, 0) {
            break;
        }
    }
    best
}

/// Returns the number of rows of all lanes together for which the plot has space with labels of a
/// style, rounded down.
fn count_max_rows(
    lane_count: usize,
    plot: Rect,
    label_style: LabelStyle,
    style: &ChartStyle,
) -> f64 {
    let row_height = label_style.min_row_height();
    let padding = 2.0 * compute_lane_padding(row_height, style) * lane_count as f64;
    ((plot.height() - padding) / row_height).floor()
}

/// Returns the maximum number of rows of each lane, so that they have `max_rows` rows together if
/// possible. Each lane has at least its number of `min_rows`. The lanes that want more rows, up to
/// `wanted_rows`, share the others in proportion to the rows that they lack.
fn share_rows(min_rows: &[usize], wanted_rows: &[usize], max_rows: f64) -> Vec<usize> {
    let missing: Vec<usize> =
        min_rows.iter().zip(wanted_rows).map(|(min, wanted)| wanted.saturating_sub(*min)).collect();
    let spare = (max_rows - min_rows.iter().sum::<usize>() as f64).max(0.0);
    let share = (spare / missing.iter().sum::<usize>().max(1) as f64).min(1.0);
    let mut used = 0.0;
    let limit = |(min, missing): (&usize, &usize)| {
        // Rounds the running sum, so that no row is lost.
        let before = f64::floor(used + 1e-9);
        used += *missing as f64 * share;
        min + (f64::floor(used + 1e-9) - before) as usize
    };
    min_rows.iter().zip(&missing).map(limit).collect()
}

/// Lanes with rows of a common height.
struct LaneRows {
    /// Height of a row in points.
    row_height: f64,
    lanes: Vec<LaneExtent>,
}

/// Returns the rectangle of a bar in the row with the upper edge `top`. It keeps the left edge of `bar`,
/// and leaves small gaps above, below and, unless it is a diamond, at its right end. `row_height` is
/// in points.
fn place_bar(bar: &ItemBar, top: f64, row_height: f64, style: &ChartStyle) -> Rect {
    let ItemBar { rect: bar, is_diamond, .. } = *bar;
    // A small gap separates a bar from the next one that starts at its end.
    let gap_after = if is_diamond { 0.0 } else { style.unit.min(bar.width() * 0.3) };
    let vertical_gap = (row_height * 0.09).min(3.0 * style.unit);
    Rect::new(bar.x0, top + vertical_gap, bar.x1 - gap_after, top + row_height - vertical_gap)
}

/// Packs the items into rows: in the order of their starts, each into the first row of its lane
/// with free space.
///
/// Items in rows below the plot get no bar. Without `label_style` there are no labels. An item for
/// which a new row would exceed the `row_limits` of its lane loses its label if it then fits into a
/// row. Lanes without a limit have as many rows as they need.
fn pack_items(
    items: &RoadmapItems,
    x: &LinearScale,
    plot: Rect,
    label_style: Option<LabelStyle>,
    row_limits: &[usize],
    style: &ChartStyle,
) -> LaneLayout {
    let min_row_height = label_style.map_or(MIN_ROW_HEIGHT, LabelStyle::min_row_height);
    let mut placed: Vec<(usize, ItemBar)> = Vec::with_capacity(items.all.len());
    let mut row_ends: Vec<Vec<f64>> = vec![Vec::new(); items.lanes.len()];
    let mut order: Vec<(usize, &Item)> = items.all.iter().enumerate().collect();
    order.sort_by(|a, b| a.1.from.total_cmp(&b.1.from));
    let mut rows = vec![0; items.all.len()];
    for (index, item) in order {
        let Some(lane_rows) = row_ends.get_mut(item.lane) else { continue };
        let mut positions = labels::list_positions(item, x, plot, label_style, style);
        let row_limit = row_limits.get(item.lane).copied().unwrap_or(usize::MAX);
        if lane_rows.len() >= row_limit && !has_free_row(lane_rows, &positions) {
            positions = labels::list_positions(item, x, plot, None, style);
        }
        let Some((row_index, PlacedItem { bar, right, .. })) = choose_row(lane_rows, positions)
        else {
            continue;
        };
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
        let rect = place_bar(&bar, top, row_height, style);
        if rect.y1 <= lane.bottom.min(plot.y1) + 0.01
            && let Some(placed_bar) = bars.get_mut(index)
        {
            *placed_bar = Some(ItemBar { rect, ..bar });
        }
    }
    let font_size = label_style.map(|label_style| label_style.font_size);
    LaneLayout { bars, lanes, font_size, row_counts: counts }
}

/// Returns whether any row ends left of one of the positions of an item. `row_ends` has the right end of
/// each row in points.
fn has_free_row(row_ends: &[f64], positions: &[PlacedItem]) -> bool {
    row_ends.iter().any(|row_end| positions.iter().any(|item| *row_end <= item.left))
}

/// Returns the index of the first row with free space for one of the positions, and the first such
/// position. `row_ends` has the right end of each row in points.
///
/// If no row has free space, returns the index after the last row and the first position. Returns None
/// without positions.
fn choose_row(row_ends: &[f64], positions: Vec<PlacedItem>) -> Option<(usize, PlacedItem)> {
    let find_position = |row_end: &f64| positions.iter().position(|item| *row_end <= item.left);
    let found = row_ends.iter().enumerate().find_map(|(row, end)| Some((row, find_position(end)?)));
    let (row, position) = found.unwrap_or((row_ends.len(), 0));
    Some((row, positions.into_iter().nth(position)?))
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
        .min(64.0 * style.unit)
        .max(min_row_height.min(plot.height()));
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
