//! Heat map: a grid of cells, colored by their values.
//!
//! Record: `row`, `column`, `value`. Rows and columns have the order of their first records. A cell
//! without a number stays empty, and of two records for one cell the later one counts. Settings:
//! `scale` (`auto`, `sequential`, `diverging`), `midpoint`, `sort` (rows by their mean),
//! `showValues`, `showLegend`, `axis` (`min`, `max`, `title` of the color scale).

pub(super) mod color_scale;

use std::borrow::Cow;
use std::collections::HashMap;

use kurbo::{Rect, Size};

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::frame;
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::name_order;
use crate::scale::BandScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;
use crate::value_labels::ValueLabelCount;

use color_scale::ColorScale;

/// The heat map.
pub const KIND: Kind = Kind { slug: "heat-map", draw };

/// A cell with a value.
struct Cell {
    /// Index of the record in the data.
    record_index: usize,
    /// Index of the row in the grid.
    row: usize,
    /// Index of the column in the grid.
    column: usize,
    value: f64,
}

/// All cells with the labels of their rows and columns.
struct Grid<'a> {
    rows: Vec<Cow<'a, str>>,
    columns: Vec<Cow<'a, str>>,
    cells: Vec<Cell>,
}

/// Maximum width and height of a cell in [`ChartStyle::unit`]s. Wide cells may be higher.
const MAX_CELL_SIZE: (f64, f64) = (300.0, 110.0);
/// Maximum height of a wide cell as a share of its width.
const MAX_CELL_RATIO: f64 = 0.8;
/// Maximum width of the row labels as a share of the width of the area: usually, and if fewer names
/// are shortened at that width.
const ROW_LABEL_SHARES: (f64, f64) = (0.3, 0.52);

/// Positions of the cells.
struct Plot {
    /// Horizontal positions of the columns.
    columns: BandScale,
    /// Vertical positions of the rows.
    rows: BandScale,
}

/// Draws legend, row and column labels, and the cells that fit. Draws a note instead if no record
/// has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut grid = read_grid(chart, scene);
    if grid.cells.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let values = grid.cells.iter().map(|cell| cell.value);
    let format =
        NumberFormat::for_values(values.clone(), &chart.format_rules("value"), chart.locale());
    let range = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let color_scale = ColorScale::new(chart, style, range);
    describe(&grid, &format, scene);
    drop_overflowing_cells(&mut grid, frame.area, scene);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) && color_scale.ends.0 < color_scale.ends.1 {
        let title = data::display_text(&chart.setting("axis")["title"]);
        area = draw_legend(&color_scale, &format, &title, style, area, scene);
    }
    let plot = draw_labels(&grid, style, area, scene);
    draw_cells(chart, &grid, &plot, &color_scale, &format, style, scene);
}

/// Reads the cells, and the rows and columns in the order of [`name_order::order_names`], so that a cell
/// without a record does not move its column. Then sorts the rows by the setting `sort`. Of two records
/// for one cell, the later one is used.
///
/// A record without a number adds its row and column, but no cell. The scene counts such records
/// and replaced ones.
fn read_grid<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Grid<'a> {
    let mut grid = Grid { rows: Vec::new(), columns: Vec::new(), cells: Vec::new() };
    let (mut row_indexes, mut column_indexes) = (HashMap::new(), HashMap::new());
    // Index of the cell in this row and column.
    let mut cell_indexes: HashMap<(usize, usize), usize> = HashMap::new();
    let mut repeated_count = 0;
    let mut places = Vec::with_capacity(chart.data.len());
    for (record_index, record) in chart.data.iter().enumerate() {
        let value = data::number(data::field(record, "value"));
        let row = match data::field(record, "row") {
            name if name.is_null() => data::record_label(record),
            name => data::display_text(name),
        };
        let column = data::display_text(data::field(record, "column"));
        if value.is_none() && row.is_empty() && column.is_empty() {
            continue;
        }
        let row = find_or_add_name(row, &mut row_indexes, &mut grid.rows);
        let column = find_or_add_name(column, &mut column_indexes, &mut grid.columns);
        places.push((row, column));
        let Some(value) = value else { continue };
        let cell = Cell { record_index, row, column, value };
        match cell_indexes.get(&(row, column)).and_then(|index| grid.cells.get_mut(*index)) {
            Some(earlier) => {
                *earlier = cell;
                repeated_count += 1;
            }
            None => {
                cell_indexes.insert((row, column), grid.cells.len());
                grid.cells.push(cell);
            }
        }
    }
    scene.omit(Omission::Duplicate, repeated_count);
    scene.omit(Omission::NoValue, chart.count_missing("value"));
    order_columns(&places, &mut grid);
    let places: Vec<(usize, usize)> =
        places.into_iter().map(|(row, column)| (column, row)).collect();
    let order = name_order::order_names(&grid.rows, &places);
    reorder_rows(&order, &mut grid);
    sort_rows(chart, &mut grid);
    grid
}

/// Puts the columns into the order of [`name_order::order_names`], and renumbers the cells. `places` has
/// row and column of each record.
fn order_columns(places: &[(usize, usize)], grid: &mut Grid) {
    let order = name_order::order_names(&grid.columns, places);
    let ranks = find_ranks(&order);
    for cell in &mut grid.cells {
        cell.column = ranks.get(cell.column).copied().unwrap_or(cell.column);
    }
    grid.columns = order.iter().filter_map(|index| grid.columns.get(*index).cloned()).collect();
}

/// Puts the rows into the given order, and renumbers the cells.
fn reorder_rows(order: &[usize], grid: &mut Grid) {
    let ranks = find_ranks(order);
    for cell in &mut grid.cells {
        cell.row = ranks.get(cell.row).copied().unwrap_or(cell.row);
    }
    grid.rows = order.iter().filter_map(|row| grid.rows.get(*row).cloned()).collect();
}

/// Returns the position of each number in a permutation.
fn find_ranks(order: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; order.len()];
    for (rank, index) in order.iter().enumerate() {
        ranks.get_mut(*index).into_iter().for_each(|place| *place = rank);
    }
    ranks
}

/// Returns the index of a name in `names`, and appends the name if it is new. `indexes` has the
/// index of each name.
fn find_or_add_name<'a>(
    name: Cow<'a, str>,
    indexes: &mut HashMap<Cow<'a, str>, usize>,
    names: &mut Vec<Cow<'a, str>>,
) -> usize {
    *indexes.entry(name).or_insert_with_key(|name| {
        names.push(name.clone());
        names.len() - 1
    })
}

/// Sorts the rows by the mean of their values in the order of the setting `sort`, and renumbers the
/// cells. Rows without values come last. Without the setting, the rows keep their order.
fn sort_rows(chart: &Chart, grid: &mut Grid) {
    // Sum and number of the values of each row.
    let mut sums = vec![(0.0, 0.0); grid.rows.len()];
    for cell in &grid.cells {
        if let Some((sum, count)) = sums.get_mut(cell.row) {
            *sum += cell.value;
            *count += 1.0;
        }
    }
    let means: Vec<Option<f64>> =
        sums.iter().map(|(sum, count)| (*count > 0.0).then(|| sum / count)).collect();
    reorder_rows(&chart.sorted_indices(&means), grid);
}

/// Removes the last rows and columns beyond the number for which `area` has space, at cells of 1.5
/// points and with space for labels.
///
/// At least one row and one column remain. The scene counts the removed cells. A position without a
/// value has no cell and does not count.
fn drop_overflowing_cells(grid: &mut Grid, area: Rect, scene: &mut Scene) {
    let max_rows = ((area.height() * 0.5 / 1.5) as usize).max(1);
    let max_columns = ((area.width() * 0.6 / 1.5) as usize).max(1);
    grid.rows.truncate(max_rows);
    grid.columns.truncate(max_columns);
    let cell_count = grid.cells.len();
    grid.cells.retain(|cell| cell.row < max_rows && cell.column < max_columns);
    scene.omit(Omission::NoSpace, cell_count - grid.cells.len());
}

/// Sets the text description of the scene: number of rows and columns, and lowest and highest value
/// with their cells. Does nothing without cells.
fn describe(grid: &Grid, format: &NumberFormat, scene: &mut Scene) {
    let lowest = grid.cells.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let highest = grid.cells.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    if let (Some(low), Some(high)) = (lowest, highest) {
        scene.description = format!(
            "Heat map of {} rows and {} columns, from {} ({}) to {} ({}).",
            grid.rows.len(),
            grid.columns.len(),
            format.text(low.value),
            grid.cell_name(low),
            format.text(high.value),
            grid.cell_name(high),
        );
    }
}

impl Grid<'_> {
    /// Returns the row and column labels of a cell, joined by a comma. An empty label is left out.
    fn cell_name(&self, cell: &Cell) -> String {
        let label = |names: &[Cow<str>], index: usize| {
            names.get(index).map_or(String::new(), |name| name.to_string())
        };
        let (row, column) = (label(&self.rows, cell.row), label(&self.columns, cell.column));
        match (row.is_empty(), column.is_empty()) {
            (false, false) => format!("{row}, {column}"),
            _ => row + &column,
        }
    }
}

/// Draws `title`, low end, color strip and high end in one line at the top of `area`. Shortens the
/// title if necessary. Returns the area below. If `area` is too small for a legend, draws nothing
/// and returns `area`.
pub(super) fn draw_legend(
    color_scale: &ColorScale,
    format: &NumberFormat,
    title: &str,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = style.label_size;
    let (low, high) = color_scale.end_texts(format);
    let (low_width, high_width) = (style.text_width(&low, size), style.text_width(&high, size));
    let gap = size * 0.5;
    let length = (150.0 * style.unit).min(area.width() * 0.36);
    let needed = low_width + high_width + 2.0 * gap + length;
    if area.height() < size * 7.0 || needed > area.width() {
        return area;
    }
    let middle = area.y0 + size * 0.5;
    let baseline = middle + HALF_CAP_HEIGHT_EM * size;
    let mut x = area.x0;
    let fitted =
        text::ellipsize(title, area.width() - needed - 2.0 * size, size, style.label_face());
    if !fitted.is_empty() {
        let full = (fitted != title).then(|| title.to_owned());
        let label_text = style.label_text(x, baseline, Anchor::Start, size, &fitted);
        x += label_text.width + size * 1.2;
        scene.text(Text { full, ..label_text });
    }
    scene.text(Text {
        color: style.muted_color,
        ..style.label_text(x, baseline, Anchor::Start, size, &low)
    });
    x += low_width + gap;
    for step in 0..LEGEND_STEPS {
        let share = |step: usize| step as f64 / LEGEND_STEPS as f64;
        let value = color_scale.ends.0
            + (color_scale.ends.1 - color_scale.ends.0) * share(step) * LEGEND_STEPS as f64
                / (LEGEND_STEPS - 1) as f64;
        let part = Rect::new(
            x + length * share(step),
            middle - size * 0.4,
            x + length * share(step + 1),
            middle + size * 0.4,
        );
        scene.rect(part, color_scale.color_of(value));
    }
    x += length + gap;
    scene.text(Text {
        color: style.muted_color,
        ..style.label_text(x, baseline, Anchor::Start, size, &high)
    });
    Rect { y0: area.y0 + size * 1.55 + style.unit * 5.0, ..area }
}

/// Number of rectangles that make up the color scale of the legend. Enough to look continuous.
const LEGEND_STEPS: usize = 40;

/// Draws the row labels left of the cells and the column labels below them. Returns the positions
/// of the cells, which have a maximum size, so that few cells do not fill `area`.
fn draw_labels(grid: &Grid, style: &ChartStyle, area: Rect, scene: &mut Scene) -> Plot {
    let (row_count, column_count) = (grid.rows.len().max(1), grid.columns.len().max(1));
    let band = |count: usize, range: (f64, f64), max_width: f64| {
        let end = range.1.min(range.0 + max_width * count as f64);
        BandScale {
            count,
            range: (range.0, end.max(range.0 + 1.0)),
            padding: 0.0,
            max_width: f64::INFINITY,
        }
    };
    // The height of the column labels is not known yet, so the row labels are first laid out for an
    // estimated row height.
    let wide_cell = area.width() * 0.8 / column_count as f64;
    let wide_cell = wide_cell.min(MAX_CELL_SIZE.0 * style.unit);
    let max_row_height = (MAX_CELL_SIZE.1 * style.unit).max(wide_cell * MAX_CELL_RATIO);
    let estimated_row = (area.height() * 0.86 / row_count as f64).min(max_row_height);
    let (usual, maximum) = ROW_LABEL_SHARES;
    let widths = (area.width() * usual, area.width() * maximum);
    let row_labels = RowLabels::plan_uncut(&grid.rows, estimated_row, widths, style);
    let left = area.x0 + row_labels.width;
    let columns = band(column_count, (left, area.x1), MAX_CELL_SIZE.0 * style.unit);
    let column_labels =
        ColumnLabels::plan_below(&grid.columns, &columns, area.height() * 0.4, style);
    let rows = band(
        row_count,
        (area.y0, (area.y1 - column_labels.height).max(area.y0 + 1.0)),
        max_row_height,
    );
    let row_labels = RowLabels::plan(&grid.rows, rows.step(), row_labels.width + 0.1, style);
    row_labels.draw(scene, style, area.x0, &rows);
    let plot = Rect::new(left, area.y0, columns.range.1, rows.range.1);
    column_labels.draw(scene, style, plot, &columns);
    Plot { columns, rows }
}

/// Draws the cells, with small gaps unless they are tiny. Adds value labels only if the labels of
/// all cells fit and the setting `showValues` is not false. If they do not fit, the scene counts the cells,
/// because the color scale has no ticks.
fn draw_cells(
    chart: &Chart,
    grid: &Grid,
    plot: &Plot,
    color_scale: &ColorScale,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let step = Size::new(plot.columns.step(), plot.rows.step());
    let gap = if step.width.min(step.height) >= 8.0 { (0.75 * style.unit).max(0.5) } else { 0.0 };
    let cell_size = Size::new(step.width - 2.0 * gap, step.height - 2.0 * gap);
    let with_values = chart.bool_setting("showValues", true);
    let font_size =
        with_values.then(|| choose_value_label_size(grid, format, step, style)).flatten();
    let mut value_labels = ValueLabelCount::default();
    for cell in &grid.cells {
        let (x, y) = (plot.columns.center(cell.column), plot.rows.center(cell.row));
        let rect = Rect::from_center_size((x, y), cell_size);
        let fill = color_scale.color_of(cell.value);
        scene.begin_mark("cell", Some(cell.record_index), || {
            let tip = format!("{}: {}", grid.cell_name(cell), format.text(cell.value));
            (Some("value".to_owned()), tip)
        });
        scene.rect(rect, fill);
        value_labels.add(cell.value, font_size.is_some());
        if let Some(size) = font_size {
            let color = fill.readable_text_color();
            let label = format.text(cell.value);
            scene.text(Text {
                color,
                ..style.label_text(x, y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, &label)
            });
        }
    }
    scene.end_mark();
    if with_values {
        value_labels.report(scene);
    }
}

/// Returns the larger of the two label sizes, in points, at which every value fits into a cell of
/// this size. None if even the small one is too large.
fn choose_value_label_size(
    grid: &Grid,
    format: &NumberFormat,
    cell_size: Size,
    style: &ChartStyle,
) -> Option<f64> {
    let Size { width, height } = cell_size;
    if width < style.small_size || height < style.small_size * 1.2 {
        return None;
    }
    let fits = |size: &f64| {
        let available = width - size * 0.6;
        height >= size * 1.3
            && grid
                .cells
                .iter()
                .all(|cell| style.text_width(&format.text(cell.value), *size) <= available)
    };
    [style.label_size, style.small_size].into_iter().find(fits)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Renders a heat map with three columns and a row for each name on a canvas of this size.
    fn draw_rows(names: &[&str], (width, height): (f64, f64)) -> Scene {
        let cell = |row: &&str, column: usize| json!({"row": row, "column": format!("C{column}"), "value": column * 3 + row.len()});
        let data: Vec<Value> =
            names.iter().flat_map(|row| (0..3).map(move |column| cell(row, column))).collect();
        crate::draw(&Chart { width, height, ..Chart::new(&KIND, &data) })
    }

    #[test]
    fn rows_with_names_of_one_letter_have_names() {
        for size in [(320.0, 180.0), (720.0, 405.0), (1080.0, 1080.0)] {
            let scene = draw_rows(&["A", "B", "I"], size);
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            assert_eq!(scene.omissions, [], "{size:?}");
            assert!(["A", "B", "I"].iter().all(|name| texts.contains(name)), "{texts:?}");
        }
    }

    #[test]
    fn values_without_space_in_the_cells_are_counted() {
        let cell = |index: usize| json!({"row": index / 40, "column": index % 40, "value": 70_000 + index});
        let data: Vec<Value> = (0..400).map(cell).collect();
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert_eq!(scene.omissions, [(Omission::Value, 400)]);
        let is_note = |(text, _): (&str, Rect)| text == "Values without space for a label: 400";
        assert!(scene.text_boxes().any(is_note));
        let settings = json!({"showValues": false});
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(&KIND, &data) });
        assert_eq!(scene.omissions, []);
    }

    #[test]
    fn wide_cells_are_high_on_a_square_canvas() {
        let scene = draw_rows(&["North", "East", "South"], (1080.0, 1080.0));
        let bottom = scene.text_boxes().find(|(text, _)| *text == "C1").unwrap().1.y0;
        assert!(bottom > 700.0, "{bottom}");
    }

    #[test]
    fn a_cell_without_a_record_does_not_move_its_column_or_row() {
        let cell = |(row, column): (&str, &str)| json!({"row": row, "column": column, "value": 4});
        let order = |places: &[(&str, &str)]| -> Vec<String> {
            let data: Vec<Value> = places.iter().copied().map(cell).collect();
            let scene = crate::draw(&Chart::new(&KIND, &data));
            let is_name = |text: &&str| text.parse::<f64>().is_err();
            scene.text_boxes().map(|(text, _)| text).filter(is_name).map(str::to_owned).collect()
        };
        let by_row = [("Ann", "Mo"), ("Ann", "We"), ("Ben", "Mo"), ("Ben", "Tu"), ("Ben", "We")];
        assert_eq!(order(&by_row), ["Ann", "Ben", "Mo", "Tu", "We"]);
        let by_column = by_row.map(|(row, column)| (column, row));
        assert_eq!(order(&by_column), ["Mo", "Tu", "We", "Ann", "Ben"]);
    }
}
