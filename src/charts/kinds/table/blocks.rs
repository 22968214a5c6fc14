//! Blocks of rows beside each other, for tables with more rows than lines.

use kurbo::Rect;

use crate::Chart;
use crate::frame::ChartStyle;
use crate::kinds::table::columns;

/// Minimum row height as a multiple of the font size.
const MIN_ROW_HEIGHT_EM: f64 = 1.5;
/// The same in several blocks, and for a single block that has space for all rows then.
const MIN_TIGHT_ROW_HEIGHT_EM: f64 = 1.2;
/// Maximum row height as a multiple of the font size.
const MAX_ROW_HEIGHT_EM: f64 = 3.6;
/// Space between two blocks as a multiple of the font size.
const GAP_EM: f64 = 2.2;
/// Maximum number of blocks.
const MAX_BLOCKS: usize = 4;

/// Blocks of rows. Each begins with the column titles.
pub struct Blocks {
    /// Number of blocks.
    pub count: usize,
    /// Maximum number of rows of a block.
    pub rows_per_block: usize,
    /// Number of visible rows in all blocks.
    pub row_count: usize,
    /// Height of each line in points.
    pub line_height: f64,
}

impl Blocks {
    /// Returns the rectangle of the block with the index `block`, from the left, of the table in `area`.
    /// It has the full height of the area.
    pub fn area(&self, block: usize, area: Rect, style: &ChartStyle) -> Rect {
        let width = block_width(self.count, area, style);
        let x0 = area.x0 + block as f64 * (width + style.label_size * GAP_EM);
        Rect { x0, x1: x0 + width, ..area }
    }
}

/// Plans one block if it has space for all rows. Otherwise plans as few blocks beside each other as have
/// space for all rows, or the most, up to `MAX_BLOCKS`, that are wide enough for whole texts.
///
/// `order` has the record indices of all rows. If rows are left out, a line below the blocks is free for
/// a note. The last block has a line for the totals if the setting `showTotals` is true.
pub fn plan(chart: &Chart, order: &[usize], area: Rect, style: &ChartStyle) -> Blocks {
    let totals = usize::from(chart.bool_setting("showTotals", false));
    let needed_lines = order.len() + totals;
    let clamp_height = |lines: usize, min_em: f64| {
        let max = MAX_ROW_HEIGHT_EM * style.label_size;
        (area.height() / lines as f64).clamp(min_em * style.label_size, max)
    };
    let lines_of = |line_height: f64| ((area.height() + 0.01) / line_height) as usize;
    for min_em in [MIN_ROW_HEIGHT_EM, MIN_TIGHT_ROW_HEIGHT_EM] {
        let line_height = clamp_height(needed_lines + 1, min_em);
        if needed_lines < lines_of(line_height) {
            let row_count = order.len();
            return Blocks { count: 1, rows_per_block: row_count.max(1), row_count, line_height };
        }
    }
    let max_lines = lines_of(MIN_TIGHT_ROW_HEIGHT_EM * style.label_size);
    let mut best = None;
    for count in 2..=MAX_BLOCKS {
        let lines = needed_lines.div_ceil(count);
        let is_complete = lines < max_lines;
        let lines = if is_complete { lines } else { max_lines.saturating_sub(2) };
        let row_count = (lines * count).saturating_sub(totals).min(order.len());
        let columns = columns::read_columns(chart, order, row_count, style);
        if row_count == 0 || !columns::fit_whole(&columns, block_width(count, area, style), style) {
            break;
        }
        let line_count = if is_complete { lines + 1 } else { max_lines };
        let line_height = clamp_height(line_count, MIN_TIGHT_ROW_HEIGHT_EM);
        best = Some(Blocks { count, rows_per_block: lines, row_count, line_height });
        if is_complete {
            break;
        }
    }
    best.unwrap_or_else(|| {
        let line_height = MIN_ROW_HEIGHT_EM * style.label_size;
        // A line is reserved for a note about the other rows.
        let row_count = lines_of(line_height).saturating_sub(2 + totals).min(order.len());
        Blocks { count: 1, rows_per_block: row_count.max(1), row_count, line_height }
    })
}

/// Returns the width in points of each of `count` blocks in `area`.
fn block_width(count: usize, area: Rect, style: &ChartStyle) -> f64 {
    (area.width() - style.label_size * GAP_EM * (count - 1) as f64) / count as f64
}
