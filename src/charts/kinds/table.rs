//! Table: rows and columns of numbers and text. Numbers are right-aligned, text is left-aligned,
//! and a column of numbers can have small bars.
//!
//! Record: any columns, and `highlighted`. Settings: `columns` (`key`, `title`, `align`, `bar`),
//! `sortBy` and `sort`, `showTotals`, `striped`.

mod blocks;
mod cell_format;
mod columns;

use std::cmp::Ordering;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Omission, Term};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

use columns::{Align, Column};

/// The table.
pub const KIND: Kind = Kind { slug: "table", draw };

/// Height of a line of text in a cell with several lines as a multiple of the font size.
const TEXT_LINE_HEIGHT_EM: f64 = 1.2;
/// Minimum space above and below the text of a cell together as a multiple of the font size.
const LINE_PADDING_EM: f64 = 0.5;

/// Layout of the lines and columns. Line 0 contains the column titles. The rows, the totals and the
/// note about omitted rows follow.
struct TableGrid<'a> {
    style: &'a ChartStyle,
    /// Area of all lines, in points.
    area: Rect,
    /// Height of each line in points.
    line_height: f64,
    columns: &'a [Column],
}

/// Draws column titles, rows and totals, as many as fit.
///
/// If rows or columns do not fit, adds a warning, and draws a note with their number if a line is
/// free. The totals include all rows, so that they are the same on each canvas.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let order = order_rows(chart);
    let with_totals = chart.bool_setting("showTotals", false);
    let blocks = blocks::plan(chart, &order, frame.area, style);
    let (rows, omitted_rows) = order.split_at(blocks.row_count);
    let all_columns = columns::read_columns(chart, &order, rows.len(), style);
    let max_lines = ((frame.area.height() + 0.01) / blocks.line_height) as usize;
    if all_columns.is_empty() || order.is_empty() || rows.is_empty() && max_lines < 2 {
        frame::draw_no_data(frame, scene);
        return;
    }
    let column_count = all_columns.len();
    let columns = columns::fit_columns(all_columns, blocks.area(0, frame.area, style), style);
    let omitted_columns = column_count - columns.len();
    if omitted_columns > 0 {
        scene.warn(format!("Columns without room: {omitted_columns}."));
    }
    if !omitted_rows.is_empty() {
        scene.warn(format!("Rows without room: {}.", omitted_rows.len()));
    }
    let mut next_line = 0;
    for block in 0..blocks.count {
        let area = blocks.area(block, frame.area, style);
        let shift = area.x0 - frame.area.x0;
        let mut columns = columns.clone();
        columns.iter_mut().for_each(|column| column.x += shift);
        let grid = TableGrid { style, area, line_height: blocks.line_height, columns: &columns };
        draw_titles(&grid, scene);
        let first = block * blocks.rows_per_block;
        let rows_of_block = rows.iter().enumerate().skip(first).take(blocks.rows_per_block);
        let row_count = rows_of_block.len();
        for (row, record_index) in rows_of_block {
            draw_row(chart, &grid, (row, row - first + 1), *record_index, scene);
        }
        let is_last = block + 1 == blocks.count;
        if is_last && with_totals && !rows.is_empty() {
            draw_totals(&grid, row_count + 1, scene);
            let with_total = columns.iter().filter(|column| column.total.is_some());
            scene.omit(Omission::MissingValue, with_total.map(|column| column.missing_count).sum());
        }
        next_line = next_line.max(row_count + 1 + usize::from(is_last && with_totals));
    }
    let grid =
        TableGrid { style, area: frame.area, line_height: blocks.line_height, columns: &columns };
    draw_overflow_note(&grid, next_line, omitted_rows.len(), omitted_columns, scene);
    scene.description = format!("Table of {} rows and {column_count} columns.", order.len());
}

/// Returns the indices of the records in the order of the rows, including rows that may not fit. Omits
/// records that are not objects or have no fields.
///
/// The rows are sorted by the field in the setting `sortBy` if the setting `sort` is `asc` or
/// `desc`. Numbers come before other values in both directions. Other values are compared as texts,
/// and a missing one is an empty text.
fn order_rows(chart: &Chart) -> Vec<usize> {
    let is_row =
        |index: &usize| chart.data[*index].as_object().is_some_and(|fields| !fields.is_empty());
    let mut order: Vec<usize> = (0..chart.data.len()).filter(is_row).collect();
    let key = chart.str_setting("sortBy");
    let is_descending = chart.str_setting("sort") == "desc";
    if key.is_empty() || !is_descending && chart.str_setting("sort") != "asc" {
        return order;
    }
    let compare = |first: &usize, second: &usize| {
        let (first, second) = (&chart.data[*first][key], &chart.data[*second][key]);
        match (data::number(first), data::number(second)) {
            (Some(a), Some(b)) if is_descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) if is_descending => {
                data::display_text(second).cmp(&data::display_text(first))
            }
            (None, None) => data::display_text(first).cmp(&data::display_text(second)),
        }
    };
    order.sort_by(compare);
    order
}

impl TableGrid<'_> {
    /// Returns the y coordinate of the upper edge of a line in points. Line 0 has the column titles.
    fn line_top(&self, line: usize) -> f64 {
        self.area.y0 + line as f64 * self.line_height
    }

    /// Returns the y coordinate of the baseline of vertically centered text in a line, in points.
    fn baseline(&self, line: usize) -> f64 {
        self.line_top(line) + self.line_height / 2.0 + HALF_CAP_HEIGHT_EM * self.style.label_size
    }

    /// Draws a horizontal rule at the upper edge of a line, over the whole width of the area.
    fn draw_rule(&self, line: usize, color: Color, scene: &mut Scene) {
        let y = self.line_top(line);
        scene.line((self.area.x0, y), (self.area.x1, y), Stroke::new(color, 1.0));
    }

    /// Draws the text of a cell, wrapped into the lines of text that fit into the line of the
    /// table, and then ellipsized. The scene counts a text of which nothing fits. Column titles
    /// (line 0) have the label color, other cells the value color.
    fn draw_cell_text(
        &self,
        column: &Column,
        line: usize,
        cell_text: &str,
        face: Face,
        scene: &mut Scene,
    ) {
        let style = self.style;
        let (x, anchor) = match column.align {
            Align::Left => (column.x, Anchor::Start),
            Align::Right => (column.x + column.text_width, Anchor::End),
            Align::Center => (column.x + column.text_width / 2.0, Anchor::Middle),
        };
        let size = style.label_size;
        let text_height = self.line_height / size - LINE_PADDING_EM;
        let max_lines = (text_height / TEXT_LINE_HEIGHT_EM).floor().max(1.0) as usize;
        let lines = text::wrap(cell_text, column.text_width + 0.01, max_lines, size, face);
        if lines.is_empty() && !cell_text.is_empty() {
            scene.omit(Omission::Name, 1);
        }
        let is_cut = lines.iter().any(|line| line.ends_with('…'));
        let full = (is_cut && !cell_text.ends_with('…')).then(|| cell_text.to_owned());
        let color = if line == 0 { style.label_color } else { style.value_color };
        let height = size * TEXT_LINE_HEIGHT_EM;
        let first = self.baseline(line) - lines.len().saturating_sub(1) as f64 * height / 2.0;
        for (index, text_line) in lines.iter().enumerate() {
            let baseline = first + index as f64 * height;
            let label = style.label_text(x, baseline, anchor, size, text_line);
            let width = text::width(text_line, size, face);
            scene.text(Text { face, width, full: full.clone(), color, ..label });
        }
    }
}

/// Draws the column titles in bold in line 0, with a rule below.
fn draw_titles(grid: &TableGrid, scene: &mut Scene) {
    for column in grid.columns {
        grid.draw_cell_text(column, 0, &column.title, Face::BOLD, scene);
    }
    grid.draw_rule(1, grid.style.axis_color, scene);
}

/// Draws a row: a background if it is highlighted or striped (every second row of the block), a rule
/// above it unless it is the first row of its block, bars and cells. Each cell is a mark.
///
/// A block is one of the parts of a long table that stand side by side. `row` is the index among the visible
/// rows of all blocks, from 0, `line` the line in the block, where 0 is the heading, and `record_index` the
/// index of the record in the data.
fn draw_row(
    chart: &Chart,
    grid: &TableGrid,
    (row, line): (usize, usize),
    record_index: usize,
    scene: &mut Scene,
) {
    let style = grid.style;
    let record = &chart.data[record_index];
    let is_highlighted = data::is_true(&record["highlighted"]);
    let is_striped = chart.bool_setting("striped", false) && line.is_multiple_of(2);
    let area = grid.area;
    // A tinted row extends into the margins, so that its text does not touch the edge.
    let overhang =
        (area.x0 - 2.0).min(scene.width - area.x1 - 2.0).clamp(0.0, style.label_size * 0.5);
    let background = Rect::new(
        area.x0 - overhang,
        grid.line_top(line),
        area.x1 + overhang,
        grid.line_top(line + 1),
    );
    if is_highlighted {
        scene.rect(background, chart.theme.highlight_color.mix(style.background, 0.88));
    } else if is_striped {
        scene.rect(background, style.grid_color.mix(style.background, 0.55));
    }
    if line > 1 {
        grid.draw_rule(line, style.grid_color, scene);
    }
    let face = if is_highlighted { Face::BOLD } else { style.label_face() };
    for column in grid.columns {
        let Some(cell_text) = column.cells.get(row) else { continue };
        scene.begin_mark("cell", Some(record_index), || {
            (Some(column.key.clone()), format!("{}: {cell_text}", column.title))
        });
        if let Some(value) = data::number(&record[column.key.as_str()]) {
            let fill =
                if is_highlighted { chart.theme.highlight_color } else { chart.series_color(0) };
            draw_bar(grid, column, line, value, fill, scene);
        }
        grid.draw_cell_text(column, line, cell_text, face, scene);
        scene.end_mark();
    }
}

/// Draws the bar right of a number, from the zero line of its column to the right, or to the left for a
/// negative value. Draws nothing if the column has no bars or contains only zeros.
fn draw_bar(
    grid: &TableGrid,
    column: &Column,
    line: usize,
    value: f64,
    fill: Color,
    scene: &mut Scene,
) {
    let (low, high) = column.value_range;
    if column.bar_width <= 0.0 || high <= low {
        return;
    }
    let start = column.x + column.text_width + columns::BAR_GAP_POINTS;
    let x_at = |value: f64| start + (value / (high - low) - low / (high - low)) * column.bar_width;
    let half_height = (grid.line_height * 0.22).min(grid.style.label_size * 0.45);
    let middle = grid.line_top(line) + grid.line_height / 2.0;
    let (zero, end) = (x_at(0.0), x_at(value.clamp(low, high)));
    let bar = Rect::new(zero.min(end), middle - half_height, zero.max(end), middle + half_height);
    scene.rect(bar, fill);
}

/// Draws the totals of the columns in bold in the line `line`, with a rule above. Columns without a total
/// have an empty cell, but the first one contains the translated word "Total".
fn draw_totals(grid: &TableGrid, line: usize, scene: &mut Scene) {
    grid.draw_rule(line, grid.style.axis_color, scene);
    for (index, column) in grid.columns.iter().enumerate() {
        match &column.total {
            Some(total) => grid.draw_cell_text(column, line, total, Face::BOLD, scene),
            None if index == 0 => {
                let heading = grid.style.locale.translate(Term::Total);
                grid.draw_cell_text(column, line, heading, Face::BOLD, scene);
            }
            None => {}
        }
    }
}

/// Draws a note with the numbers of omitted rows and columns in the line `line`, in italics, ellipsized to
/// the width of the area. Draws nothing if both are 0 or if the line does not fit into the area.
fn draw_overflow_note(
    grid: &TableGrid,
    line: usize,
    omitted_rows: usize,
    omitted_columns: usize,
    scene: &mut Scene,
) {
    let style = grid.style;
    if grid.line_top(line) + grid.line_height > grid.area.y1 + 0.01 {
        return;
    }
    if omitted_rows + omitted_columns == 0 {
        return;
    }
    let counts = [(omitted_rows, "row"), (omitted_columns, "column")];
    let note = style.locale.overflow_note_for_counts(&counts);
    let fitted = text::ellipsize(&note, grid.area.width(), style.label_size, Face::ITALIC);
    let (x, y) = (grid.area.x0, grid.baseline(line));
    let label = style.label_text(x, y, Anchor::Start, style.label_size, &fitted);
    let width = text::width(&fitted, style.label_size, Face::ITALIC);
    scene.text(Text { face: Face::ITALIC, width, color: style.muted_color, ..label });
}
