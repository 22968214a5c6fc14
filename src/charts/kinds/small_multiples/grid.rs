//! Grid of small multiples: rows and columns for the shape of the canvas, and the titles above the
//! panels.

use kurbo::Rect;

use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;
use crate::text::Face;

/// Minimum width of a panel in label sizes.
const MIN_WIDTH_EM: f64 = 6.5;
/// Minimum height of a panel without its title in label sizes.
const MIN_HEIGHT_EM: f64 = 2.4;
/// Ratio of width to height that panels should have.
const ASPECT: f64 = 1.7;
/// Line height of titles as a multiple of their font size.
const LINE_HEIGHT: f64 = 1.2;
/// Distance between title and plot in title sizes.
const TITLE_GAP_EM: f64 = 0.55;
/// Maximum share of a cell for the title.
const MAX_TITLE_SHARE: f64 = 0.6;

/// Space around the panels in points.
#[derive(Clone, Copy)]
pub struct Gaps {
    /// Width of the tick labels left of the first panel of a row.
    pub left: f64,
    /// Width of the tick labels left of each other panel.
    pub inner_left: f64,
    /// Distance between two columns, without tick labels.
    pub column: f64,
    /// Distance between two rows.
    pub row: f64,
    /// Height of the x labels below the last row.
    pub bottom: f64,
}

/// Numbers of columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
}

/// Name and last value of a panel.
pub struct Title {
    pub name: String,
    pub value: String,
    pub color: Color,
}

/// Font size and lines of all titles.
#[derive(Clone, Copy)]
struct TitleLayout {
    size: f64,
    name_lines: usize,
    /// Whether the value has a line of its own.
    has_value_line: bool,
    /// Whether there are values. Names are more important where the space is scarce.
    has_values: bool,
}

impl Gaps {
    /// Returns the width and the height of a cell in points. A cell includes the title of its panel but
    /// not the labels of its axes.
    fn cell_size(&self, area: Rect, grid: Grid) -> (f64, f64) {
        let (columns, rows) = (grid.columns as f64, grid.rows as f64);
        let between = (columns - 1.0) * (self.column + self.inner_left);
        (
            ((area.width() - self.left - between) / columns).max(1.0),
            ((area.height() - self.bottom - (rows - 1.0) * self.row) / rows).max(1.0),
        )
    }
}

impl Grid {
    /// Returns the grid with space for `count` panels of a readable size that has the best compromise of
    /// their aspect ratio and few empty cells.
    ///
    /// If there is no such grid, returns one with as many panels of the minimum size as fit, at least one.
    pub fn choose(count: usize, area: Rect, gaps: &Gaps, style: &ChartStyle) -> Grid {
        let title = title_height(style);
        let min_width = MIN_WIDTH_EM * style.label_size;
        let min_height = MIN_HEIGHT_EM * style.label_size + title;
        let fits = |grid: &Grid| {
            let (width, height) = gaps.cell_size(area, *grid);
            width >= min_width && height >= min_height
        };
        let badness = |grid: &Grid| {
            let (width, height) = gaps.cell_size(area, *grid);
            let shape = (width / (height - title).max(1.0) / ASPECT).ln().abs();
            let empty = (grid.columns * grid.rows - count) as f64 / count as f64;
            shape + empty * 2.0
        };
        let all = (1..=count).map(|columns| Grid { columns, rows: count.div_ceil(columns) });
        let best = all.filter(fits).min_by(|a, b| badness(a).total_cmp(&badness(b)));
        best.unwrap_or_else(|| {
            let inner_width = area.width() - gaps.left + gaps.column + gaps.inner_left;
            let columns = inner_width / (min_width + gaps.column + gaps.inner_left);
            let rows = (area.height() - gaps.bottom + gaps.row) / (min_height + gaps.row);
            let columns = (columns as usize).clamp(1, count.max(1));
            Grid { columns, rows: (rows as usize).clamp(1, count.div_ceil(columns).max(1)) }
        })
    }

    /// Returns the number of cells.
    pub fn capacity(self) -> usize {
        self.columns * self.rows
    }

    /// Returns whether a panel is the first of its row.
    pub fn is_left(self, index: usize) -> bool {
        index.is_multiple_of(self.columns)
    }

    /// Returns whether no panel is directly below the panel `index`. `count` is the number of panels.
    pub fn is_bottom(self, index: usize, count: usize) -> bool {
        index + self.columns >= count
    }

    /// Returns the rectangles of the first `count` cells, row by row. A cell includes the title of its
    /// panel but not the labels of its axes.
    pub fn cells(self, count: usize, area: Rect, gaps: &Gaps) -> Vec<Rect> {
        let (width, height) = gaps.cell_size(area, self);
        let cell = |index: usize| {
            let (column, row) = ((index % self.columns) as f64, (index / self.columns) as f64);
            let x = area.x0 + gaps.left + column * (width + gaps.column + gaps.inner_left);
            let y = area.y0 + row * (height + gaps.row);
            Rect::new(x, y, x + width, y + height)
        };
        (0..count).map(cell).collect()
    }
}

/// Draws the titles at the top of the cells, all with the same font size and the same height. Returns
/// that height in points, with the distance to the plot. It is 0 without cells.
pub fn draw_titles(titles: &[Title], cells: &[Rect], style: &ChartStyle, scene: &mut Scene) -> f64 {
    let Some(cell) = cells.first() else { return 0.0 };
    let layout = TitleLayout::choose(titles, cell.width(), cell.height(), style);
    for (title, cell) in titles.iter().zip(cells) {
        layout.draw(title, *cell, style, scene);
    }
    layout.height()
}

/// Returns the height in points of a title of one line with its distance to the plot.
fn title_height(style: &ChartStyle) -> f64 {
    style.label_size * (LINE_HEIGHT + TITLE_GAP_EM)
}

impl TitleLayout {
    /// Returns the first layout, in the order of preference, in which all names are whole and all values
    /// fit. Otherwise returns the one with the fewest names or values that do not fit.
    ///
    /// `width` and `height` are those of a cell in points. A title takes at most `MAX_TITLE_SHARE` of the
    /// height, or one line of small text. The last layouts leave out the values.
    fn choose(titles: &[Title], width: f64, height: f64, style: &ChartStyle) -> TitleLayout {
        let (label, small) = (style.label_size, style.small_size);
        let layouts = [
            (label, 1, false, true),
            (label, 2, false, true),
            (label, 1, true, true),
            (small, 1, false, true),
            (small, 2, false, true),
            (small, 2, true, true),
            (small, 3, false, true),
            (small, 3, true, true),
            (small, 4, true, true),
            (label, 1, false, false),
            (small, 1, false, false),
            (small, 2, false, false),
        ];
        let layouts = layouts.map(|(size, name_lines, has_value_line, has_values)| TitleLayout {
            size,
            name_lines,
            has_value_line,
            has_values,
        });
        let mut best: Option<(usize, TitleLayout)> = None;
        let fits_height = |layout: &TitleLayout| layout.height() <= height * MAX_TITLE_SHARE;
        for layout in layouts.into_iter().filter(fits_height) {
            let count = titles.iter().filter(|title| !layout.fits(title, width)).count();
            if best.is_none_or(|(least, _)| count < least) {
                best = Some((count, layout));
            }
            if count == 0 {
                break;
            }
        }
        let smallest =
            TitleLayout { size: small, name_lines: 1, has_value_line: false, has_values: true };
        best.map_or(smallest, |(_, layout)| layout)
    }

    /// Returns the height in points of the title with its distance to the plot.
    fn height(&self) -> f64 {
        let lines = self.name_lines + usize::from(self.has_value_line);
        self.size * (lines as f64 * LINE_HEIGHT + TITLE_GAP_EM)
    }

    /// Returns the lines of the name in `width` points, shortened if necessary. The last line leaves space
    /// for a value at its end, unless the value has its own line or is left out.
    fn wrap(&self, title: &Title, width: f64) -> Vec<String> {
        let face = Face::new(true, false);
        let value_width = text::width(&title.value, self.size, face) + self.size * 0.6;
        let is_inline = self.has_values && !self.has_value_line && !title.value.is_empty();
        let inline = if is_inline { value_width } else { 0.0 };
        let width_with_value = (width - inline).max(1.0);
        let lines = text::wrap(&title.name, width, self.name_lines, self.size, face);
        let last_fits =
            lines.last().is_some_and(|line| text::width(line, self.size, face) <= width_with_value);
        // The first lines may be narrower than they could be.
        if last_fits {
            return lines;
        }
        text::wrap(&title.name, width_with_value, self.name_lines, self.size, face)
    }

    /// Returns whether the whole name and the value, if the layout has values, fit into `width` points.
    fn fits(&self, title: &Title, width: f64) -> bool {
        let is_cut = |line: &String| line.ends_with('…') && !title.name.ends_with('…');
        let lines = self.wrap(title, width);
        let value_width = text::width(&title.value, self.size, Face::new(true, false));
        (value_width <= width || !self.has_values) && !lines.is_empty() && !lines.iter().any(is_cut)
    }

    /// Draws the name, with its last line at the bottom of the title, and the value at the right end of
    /// that line or left-aligned below the name. Leaves out the value if the layout has no values.
    fn draw(&self, title: &Title, cell: Rect, style: &ChartStyle, scene: &mut Scene) {
        let bold = Face::new(true, false);
        let lines = self.wrap(title, cell.width());
        let bottom = cell.y0 + self.height() - self.size * TITLE_GAP_EM;
        let line_height = self.size * LINE_HEIGHT;
        let last_baseline = bottom - self.size * (LINE_HEIGHT - ASCENT_EM) * 0.6;
        let name_baseline = last_baseline - if self.has_value_line { line_height } else { 0.0 };
        for (index, line) in lines.iter().enumerate() {
            let baseline = name_baseline - (lines.len() - 1 - index) as f64 * line_height;
            let full = line.ends_with('…').then(|| title.name.clone());
            let label = style.label_text(cell.x0, baseline, Anchor::Start, self.size, line);
            let width = text::width(line, self.size, bold);
            scene.text(Text { face: bold, width, color: style.text_color, full, ..label });
        }
        if !self.has_values {
            return;
        }
        let (x, anchor) = match self.has_value_line {
            true => (cell.x0, Anchor::Start),
            false => (cell.x1, Anchor::End),
        };
        let label = style.label_text(x, last_baseline, anchor, self.size, &title.value);
        let width = text::width(&title.value, self.size, bold);
        let color = title.color.readable_on(style.background, 4.5);
        scene.text(Text { face: bold, width, color, ..label });
    }
}
