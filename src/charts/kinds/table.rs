//! Table: rows and columns of numbers and text. Numbers are right-aligned, text is left-aligned,
//! and a column of numbers can have small bars.
//!
//! Record: any columns, and `highlighted`. Settings: `columns` (`key`, `title`, `align`, `bar`),
//! `sortBy` and `sort`, `showTotals`, `striped`.

mod columns;

use std::cmp::Ordering;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Term;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

use columns::{Align, Column};

/// The table.
pub const KIND: Kind = Kind { slug: "table", draw };

/// Maximum and minimum row height as a share of the font size.
const ROW: (f64, f64) = (3.6, 1.5);

/// Layout of the rows and columns.
struct Grid<'a> {
    style: &'a ChartStyle,
    area: Rect,
    /// Row height in points. The first row contains the column titles.
    row: f64,
    columns: &'a [Column],
}

/// Draws column titles, rows and totals, as many as fit.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let order = order(chart);
    let totals = chart.bool_setting("showTotals", false);
    let lines = order.len() + 1 + usize::from(totals);
    let row = (frame.area.height() / lines as f64)
        .clamp(ROW.1 * style.label_size, ROW.0 * style.label_size);
    let room = ((frame.area.height() + 0.01) / row) as usize;
    // If rows are left out, one line is reserved for a note about them.
    let shown =
        if lines <= room { order.len() } else { room.saturating_sub(2 + usize::from(totals)) };
    let (rows, left_out) = order.split_at(shown.min(order.len()));
    let all = columns::read(chart, rows, style);
    if all.is_empty() || order.is_empty() || rows.is_empty() && room < 2 {
        frame::draw_no_data(frame, scene);
        return;
    }
    let count = all.len();
    let columns = columns::fit(all, frame.area, style);
    if columns.len() < count {
        scene.warn(format!("Columns without room: {}.", count - columns.len()));
    }
    if !left_out.is_empty() {
        scene.warn(format!("Rows without room: {}.", left_out.len()));
    }
    let grid = Grid { style, area: frame.area, row, columns: &columns };
    heads(&grid, scene);
    for (line, index) in rows.iter().enumerate() {
        body(chart, &grid, line, *index, scene);
    }
    let mut end = rows.len() + 1;
    if totals && !rows.is_empty() {
        sums(&grid, end, scene);
        end += 1;
    }
    more(&grid, end, left_out.len(), count - columns.len(), scene);
    scene.description = format!("Table of {} rows and {count} columns.", order.len());
}

/// Returns the indices of the records in the order of the rows. Leaves out records that are not
/// objects or that are empty.
fn order(chart: &Chart) -> Vec<usize> {
    let is_row = |index: &usize| chart.data[*index].as_object().is_some_and(|it| !it.is_empty());
    let mut order: Vec<usize> = (0..chart.data.len()).filter(is_row).collect();
    let key = chart.str_setting("sortBy");
    let falling = chart.str_setting("sort") == "desc";
    if key.is_empty() || !falling && chart.str_setting("sort") != "asc" {
        return order;
    }
    let compare = |one: &usize, two: &usize| {
        let (one, two) = (&chart.data[*one][key], &chart.data[*two][key]);
        match (data::number(one), data::number(two)) {
            (Some(a), Some(b)) if falling => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) if falling => data::display_text(two).cmp(&data::display_text(one)),
            (None, None) => data::display_text(one).cmp(&data::display_text(two)),
        }
    };
    order.sort_by(compare);
    order
}

impl Grid<'_> {
    /// Returns the top of a line. Line 0 contains the column titles.
    fn top(&self, line: usize) -> f64 {
        self.area.y0 + line as f64 * self.row
    }

    /// Returns the baseline of the text in a line.
    fn base(&self, line: usize) -> f64 {
        self.top(line) + self.row / 2.0 + HALF_CAP_HEIGHT_EM * self.style.label_size
    }

    /// Draws a horizontal rule at the top of a line.
    fn rule(&self, line: usize, color: Color, scene: &mut Scene) {
        let y = self.top(line);
        scene.line((self.area.x0, y), (self.area.x1, y), Stroke::new(color, 1.0));
    }

    /// Draws a text into a cell, ellipsized to the width of the column.
    fn write(&self, column: &Column, line: usize, words: &str, face: Face, scene: &mut Scene) {
        let style = self.style;
        let (x, anchor) = match column.align {
            Align::Left => (column.x, Anchor::Start),
            Align::Right => (column.x + column.text_width, Anchor::End),
            Align::Center => (column.x + column.text_width / 2.0, Anchor::Middle),
        };
        let fitted = text::ellipsize(words, column.text_width + 0.01, style.label_size, face);
        let full = (fitted != words).then(|| words.to_owned());
        let set = style.label_text(x, self.base(line), anchor, style.label_size, &fitted);
        let width = text::width(&fitted, style.label_size, face);
        let color = if line == 0 { style.label_color } else { style.value_color };
        scene.text(Text { face, width, full, color, ..set });
    }
}

/// Draws the column titles.
fn heads(grid: &Grid, scene: &mut Scene) {
    for column in grid.columns {
        grid.write(column, 0, &column.title, Face::BOLD, scene);
    }
    grid.rule(1, grid.style.axis_color, scene);
}

/// Draws a row: background, bars and cells.
fn body(chart: &Chart, grid: &Grid, line: usize, index: usize, scene: &mut Scene) {
    let style = grid.style;
    let record = &chart.data[index];
    let highlighted = data::is_true(&record["highlighted"]);
    let striped = chart.bool_setting("striped", false) && line % 2 == 1;
    let area = grid.area;
    // A tinted row extends into the margins, so that its text does not touch the edge.
    let beyond =
        (area.x0 - 2.0).min(scene.width - area.x1 - 2.0).clamp(0.0, style.label_size * 0.5);
    let ground =
        Rect::new(area.x0 - beyond, grid.top(line + 1), area.x1 + beyond, grid.top(line + 2));
    if highlighted {
        scene.rect(ground, chart.theme.highlight_color.mix(style.background, 0.88));
    } else if striped {
        scene.rect(ground, style.grid_color.mix(style.background, 0.55));
    }
    if line > 0 {
        grid.rule(line + 1, style.grid_color, scene);
    }
    let face = if highlighted { Face::BOLD } else { style.label_face() };
    for column in grid.columns {
        let Some(words) = column.cells.get(line) else { continue };
        scene.begin_mark("cell", Some(index), || {
            (Some(column.key.clone()), format!("{}: {words}", column.title))
        });
        if let Some(value) = data::number(&record[column.key.as_str()]) {
            let fill =
                if highlighted { chart.theme.highlight_color } else { chart.series_color(0) };
            bar(grid, column, line + 1, value, fill, scene);
        }
        grid.write(column, line + 1, words, face, scene);
        scene.end_mark();
    }
}

/// Draws the bar beside a number, starting at the zero line of its column.
fn bar(grid: &Grid, column: &Column, line: usize, value: f64, fill: Color, scene: &mut Scene) {
    let (low, high) = column.reach;
    if column.bar_width <= 0.0 || high <= low {
        return;
    }
    let start = column.x + column.text_width + columns::BAR_GAP;
    let at = |value: f64| start + (value / (high - low) - low / (high - low)) * column.bar_width;
    let half = (grid.row * 0.22).min(grid.style.label_size * 0.45);
    let middle = grid.top(line) + grid.row / 2.0;
    let (zero, end) = (at(0.0), at(value.clamp(low, high)));
    scene.rect(Rect::new(zero.min(end), middle - half, zero.max(end), middle + half), fill);
}

/// Draws the row of totals.
fn sums(grid: &Grid, line: usize, scene: &mut Scene) {
    grid.rule(line, grid.style.axis_color, scene);
    for (place, column) in grid.columns.iter().enumerate() {
        match &column.total {
            Some(total) => grid.write(column, line, total, Face::BOLD, scene),
            None if place == 0 => {
                let words = grid.style.locale.translate(Term::Total);
                grid.write(column, line, words, Face::BOLD, scene);
            }
            None => {}
        }
    }
}

/// Draws a note with the numbers of omitted rows and columns, if there is space for it.
fn more(grid: &Grid, line: usize, rows: usize, columns: usize, scene: &mut Scene) {
    let style = grid.style;
    if grid.top(line) + grid.row > grid.area.y1 + 0.01 {
        return;
    }
    if rows + columns == 0 {
        return;
    }
    let words = style.locale.overflow_note_for_counts(&[(rows, "row"), (columns, "column")]);
    let fitted = text::ellipsize(&words, grid.area.width(), style.label_size, Face::ITALIC);
    let set =
        style.label_text(grid.area.x0, grid.base(line), Anchor::Start, style.label_size, &fitted);
    let width = text::width(&fitted, style.label_size, Face::ITALIC);
    scene.text(Text { face: Face::ITALIC, width, color: style.muted_color, ..set });
}
