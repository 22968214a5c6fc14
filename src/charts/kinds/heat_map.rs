//! Values by row and column, each a cell whose shade tells the value.
//!
//! Record: `row`, `column`, `value`. Rows and columns stand in the order in which the records name
//! them; a cell without a number stays empty, and of two records for one cell the later counts.
//! Settings: `scale` (`auto`, `sequential`, `diverging`), `midpoint`, `sort` (rows by their mean),
//! `showValues`, `showLegend`, `axis` (`min`, `max`, `title` of the colour scale).

mod shades;

use std::borrow::Cow;
use std::collections::HashMap;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::category::{Names, Rows};
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::Band;
use crate::scene::{Anchor, CENTER, Text};
use crate::text;

use shades::Shades;

/// The heat map.
pub const KIND: Kind = Kind { slug: "heat-map", draw };

/// A number at a place of the grid.
struct Cell {
    record: usize,
    row: usize,
    column: usize,
    value: f64,
}

/// All cells with the names of their rows and columns.
struct Grid<'a> {
    rows: Vec<Cow<'a, str>>,
    columns: Vec<Cow<'a, str>>,
    cells: Vec<Cell>,
}

/// Where rows and columns stand.
struct Plot {
    across: Band,
    down: Band,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut grid = read(chart);
    if grid.cells.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let values = grid.cells.iter().map(|it| it.value);
    let format = NumberFormat::for_values(values.clone(), &chart.rules("value"), chart.language());
    let ends = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    let shades = Shades::new(chart, look, ends);
    describe(&grid, &format, scene);
    keep_visible(&mut grid, frame.area, scene);
    let mut area = frame.area;
    if chart.flag("showLegend", true) && shades.ends.0 < shades.ends.1 {
        area = legend(&shades, &format, chart, look, area, scene);
    }
    let plot = lay(&grid, look, area, scene);
    cells(chart, &grid, &plot, (&shades, &format), look, scene);
}

fn read<'a>(chart: &Chart<'a>) -> Grid<'a> {
    let mut grid = Grid { rows: Vec::new(), columns: Vec::new(), cells: Vec::new() };
    let (mut rows, mut columns) = (HashMap::new(), HashMap::new());
    let mut taken: HashMap<(usize, usize), usize> = HashMap::new();
    for (record, source) in chart.data.iter().enumerate() {
        let value = data::number(data::field(source, "value"));
        let row = match data::field(source, "row") {
            it if it.is_null() => data::label(source),
            it => data::words(it),
        };
        let column = data::words(data::field(source, "column"));
        if value.is_none() && row.is_empty() && column.is_empty() {
            continue;
        }
        let row = place(row, &mut rows, &mut grid.rows);
        let column = place(column, &mut columns, &mut grid.columns);
        let Some(value) = value else { continue };
        let cell = Cell { record, row, column, value };
        match taken.get(&(row, column)).and_then(|it| grid.cells.get_mut(*it)) {
            Some(before) => *before = cell,
            None => {
                taken.insert((row, column), grid.cells.len());
                grid.cells.push(cell);
            }
        }
    }
    sort(chart, &mut grid);
    grid
}

/// The place of a name in the list, which grows when the name is new.
fn place<'a>(
    name: Cow<'a, str>,
    known: &mut HashMap<Cow<'a, str>, usize>,
    list: &mut Vec<Cow<'a, str>>,
) -> usize {
    *known.entry(name).or_insert_with_key(|name| {
        list.push(name.clone());
        list.len() - 1
    })
}

/// Orders the rows by their mean, if the settings ask for it.
fn sort(chart: &Chart, grid: &mut Grid) {
    let mut sums = vec![(0.0, 0.0); grid.rows.len()];
    for cell in &grid.cells {
        if let Some((sum, count)) = sums.get_mut(cell.row) {
            *sum += cell.value;
            *count += 1.0;
        }
    }
    let means: Vec<Option<f64>> =
        sums.iter().map(|(sum, count)| (*count > 0.0).then(|| sum / count)).collect();
    let order = chart.order(&means);
    let mut ranks = vec![0; order.len()];
    for (rank, row) in order.iter().enumerate() {
        if let Some(it) = ranks.get_mut(*row) {
            *it = rank;
        }
    }
    for cell in &mut grid.cells {
        cell.row = ranks.get(cell.row).copied().unwrap_or(cell.row);
    }
    grid.rows = order.iter().filter_map(|it| grid.rows.get(*it).cloned()).collect();
}

/// Leaves out rows and columns that would be thinner than a hair.
fn keep_visible(grid: &mut Grid, area: Rect, scene: &mut Scene) {
    let rows = ((area.height() * 0.5 / 1.5) as usize).max(1);
    let columns = ((area.width() * 0.6 / 1.5) as usize).max(1);
    if grid.rows.len() > rows {
        scene.warn(format!("Only the first {rows} rows have room."));
    }
    if grid.columns.len() > columns {
        scene.warn(format!("Only the first {columns} columns have room."));
    }
    grid.rows.truncate(rows);
    grid.columns.truncate(columns);
    grid.cells.retain(|it| it.row < rows && it.column < columns);
}

fn describe(grid: &Grid, format: &NumberFormat, scene: &mut Scene) {
    let lowest = grid.cells.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    let highest = grid.cells.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    if let (Some(low), Some(high)) = (lowest, highest) {
        scene.desc = format!(
            "Heat map of {} rows and {} columns, from {} ({}) to {} ({}).",
            grid.rows.len(),
            grid.columns.len(),
            format.text(low.value),
            grid.name(low),
            format.text(high.value),
            grid.name(high),
        );
    }
}

impl Grid<'_> {
    /// Row and column of a cell in words.
    fn name(&self, cell: &Cell) -> String {
        let word =
            |list: &[Cow<str>], at: usize| list.get(at).map_or(String::new(), |it| it.to_string());
        let (row, column) = (word(&self.rows, cell.row), word(&self.columns, cell.column));
        match (row.is_empty(), column.is_empty()) {
            (false, false) => format!("{row}, {column}"),
            _ => row + &column,
        }
    }
}

/// Draws the colour scale between its end values; returns the space under it.
fn legend(
    shades: &Shades,
    format: &NumberFormat,
    chart: &Chart,
    look: &Look,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = look.label;
    let (low, high) = (format.text(shades.ends.0), format.text(shades.ends.1));
    let (before, after) = (look.width(&low, size), look.width(&high, size));
    let gap = size * 0.5;
    let length = (150.0 * look.unit).min(area.width() * 0.36);
    let needed = before + after + 2.0 * gap + length;
    if area.height() < size * 7.0 || needed > area.width() {
        return area;
    }
    let middle = area.y0 + size * 0.5;
    let baseline = middle + CENTER * size;
    let mut x = area.x0;
    let measure = data::words(&chart.setting("axis")["title"]);
    let fitted = text::fit(&measure, area.width() - needed - 2.0 * size, size, look.face());
    if !fitted.is_empty() {
        let full = (fitted != measure).then(|| measure.to_string());
        let set = look.text(x, baseline, Anchor::Start, size, &fitted);
        x += set.width + size * 1.2;
        scene.text(Text { full, ..set });
    }
    scene.text(Text { color: look.muted, ..look.text(x, baseline, Anchor::Start, size, &low) });
    x += before + gap;
    for step in 0..STEPS {
        let at = |step: usize| step as f64 / STEPS as f64;
        let value = shades.ends.0
            + (shades.ends.1 - shades.ends.0) * at(step) * STEPS as f64 / (STEPS - 1) as f64;
        let part = Rect::new(
            x + length * at(step),
            middle - size * 0.4,
            x + length * at(step + 1),
            middle + size * 0.4,
        );
        scene.rect(part, shades.at(value));
    }
    x += length + gap;
    scene.text(Text { color: look.muted, ..look.text(x, baseline, Anchor::Start, size, &high) });
    Rect { y0: area.y0 + size * 1.55 + look.unit * 5.0, ..area }
}

/// Pieces of the legend's bar; so many look like one shade running into the next.
const STEPS: usize = 40;

/// Finds the places of rows and columns and writes their names.
fn lay(grid: &Grid, look: &Look, area: Rect, scene: &mut Scene) -> Plot {
    let (rows, columns) = (grid.rows.len().max(1), grid.columns.len().max(1));
    let band = |count: usize, range: (f64, f64), most: f64| {
        let end = range.1.min(range.0 + most * count as f64);
        Band { count, range: (range.0, end.max(range.0 + 1.0)), padding: 0.0, most: f64::INFINITY }
    };
    // The height of the rows is known only when the names under the columns are set.
    let highest = 60.0 * look.unit;
    let rough = (area.height() * 0.86 / rows as f64).min(highest);
    let names = Rows::plan(&grid.rows, rough, area.width() * 0.3, look);
    let left = area.x0 + names.width;
    let across = band(columns, (left, area.x1), 130.0 * look.unit);
    let under = Names::plan(&grid.columns, across.step(), area.height() * 0.4, look);
    let down = band(rows, (area.y0, (area.y1 - under.height).max(area.y0 + 1.0)), highest);
    let names = Rows::plan(&grid.rows, down.step(), names.width + 0.1, look);
    names.draw(scene, look, area.x0, &down);
    let plot = Rect::new(left, area.y0, across.range.1, down.range.1);
    under.draw(scene, look, plot, &across);
    Plot { across, down }
}

fn cells(
    chart: &Chart,
    grid: &Grid,
    plot: &Plot,
    (shades, format): (&Shades, &NumberFormat),
    look: &Look,
    scene: &mut Scene,
) {
    let (wide, high) = (plot.across.step(), plot.down.step());
    let gap = if wide.min(high) >= 8.0 { (0.75 * look.unit).max(0.5) } else { 0.0 };
    let size = chart
        .flag("showValues", true)
        .then(|| label_size(grid, format, (wide, high), look))
        .flatten();
    for cell in &grid.cells {
        let (x, y) = (plot.across.center(cell.column), plot.down.center(cell.row));
        let rect = Rect::from_center_size((x, y), (wide - 2.0 * gap, high - 2.0 * gap));
        let fill = shades.at(cell.value);
        scene.tag("cell", Some(cell.record), || {
            let tip = format!("{}: {}", grid.name(cell), format.text(cell.value));
            (Some("value".to_owned()), tip)
        });
        scene.rect(rect, fill);
        if let Some(size) = size {
            let color = fill.sure_ink();
            let words = format.text(cell.value);
            scene.text(Text {
                color,
                ..look.text(x, y + CENTER * size, Anchor::Middle, size, &words)
            });
        }
    }
    scene.untag();
}

/// The size at which all values fit into their cells.
fn label_size(
    grid: &Grid,
    format: &NumberFormat,
    (wide, high): (f64, f64),
    look: &Look,
) -> Option<f64> {
    if wide < look.small || high < look.small * 1.2 {
        return None;
    }
    let fits = |size: &f64| {
        let room = wide - size * 0.6;
        high >= size * 1.3
            && grid.cells.iter().all(|it| look.width(&format.text(it.value), *size) <= room)
    };
    [look.label, look.small].into_iter().find(fits)
}
