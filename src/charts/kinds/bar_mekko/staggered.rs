//! Horizontal names below narrow columns, in several rows with lines from the columns.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Scene;
use crate::frame::ChartStyle;
use crate::frame::category::CATEGORY_LABEL_GAP;
use crate::scene::{ASCENT_EM, Anchor, Stroke};

/// Maximum number of rows.
const MAX_ROWS: usize = 4;
/// Maximum number of names. More would need too many rows.
const MAX_NAMES: usize = 40;
/// Maximum number of partial layouts that are kept after each name.
const MAX_LAYOUTS: usize = 96;
/// Distance between two rows as a multiple of the font size.
const ROW_HEIGHT_EM: f64 = 1.4;
/// Minimum distance between two names in a row as a multiple of the font size.
const NAME_GAP_EM: f64 = 0.7;
/// Minimum distance between a line and the names beside it, in points.
const LEADER_GAP: f64 = 3.0;

/// Names in rows.
pub struct StaggeredNames {
    names: Vec<StaggeredName>,
    /// Font size in points.
    size: f64,
    /// Height in points below the plot, including the gap.
    pub height: f64,
}

/// Position of a name.
#[derive(Clone)]
struct StaggeredName {
    text: String,
    /// Middle of its column.
    column_x: f64,
    /// Left edge of the text.
    x: f64,
    row: usize,
}

/// Layout of the first names.
#[derive(Clone)]
struct PartialLayout {
    /// Row and left edge of each name.
    positions: Vec<(usize, f64)>,
    /// Right edges of the names and lines in each row.
    row_ends: [f64; MAX_ROWS],
    /// Sum of the rows and of the distances between names and columns, which should be small.
    cost: f64,
}

impl StaggeredNames {
    /// Plans the names of `columns` between `limits`, in as few rows as possible. A name is above or below
    /// no line to another name. Returns None if this is not possible in `max_height` points.
    pub fn plan(
        names: &[Cow<str>],
        columns: &[(f64, f64)],
        limits: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<StaggeredNames> {
        if names.len() > MAX_NAMES {
            return None;
        }
        let plan = |(size, row_count): (f64, usize)| {
            let height = style.unit * CATEGORY_LABEL_GAP
                + size * (1.0 + ROW_HEIGHT_EM * (row_count - 1) as f64);
            let fits = height <= max_height;
            let positions =
                fits.then(|| place_names(names, columns, limits, (size, row_count), style))??;
            let columns_with_names = names.iter().zip(columns).zip(positions);
            let names = columns_with_names.map(|((name, column), (row, x))| StaggeredName {
                text: name.to_string(),
                column_x: (column.0 + column.1) / 2.0,
                x,
                row,
            });
            Some(StaggeredNames { names: names.collect(), size, height })
        };
        let sizes = [style.label_size, style.small_size];
        let forms = sizes.into_iter().flat_map(|size| (2..=MAX_ROWS).map(move |rows| (size, rows)));
        forms.into_iter().find_map(plan)
    }

    /// Draws the names below `plot`, with a line from each column to its name.
    pub fn draw(&self, plot: Rect, style: &ChartStyle, scene: &mut Scene) {
        let stroke = Stroke::new(style.axis_color.mix(style.background, 0.4), 1.0);
        let first_top = plot.y1 + style.unit * CATEGORY_LABEL_GAP;
        for name in self.names.iter().filter(|name| !name.text.is_empty()) {
            let top = first_top + name.row as f64 * self.size * ROW_HEIGHT_EM;
            let line_start = (name.column_x, plot.y1 + style.unit * 2.0);
            scene.line(line_start, (name.column_x, top - style.unit), stroke);
            let baseline = top + self.size * ASCENT_EM;
            scene.text(style.label_text(name.x, baseline, Anchor::Start, self.size, &name.text));
        }
    }
}

/// Returns the row and the left edge of each name, or None if there is no space. Keeps only the
/// `MAX_LAYOUTS` best layouts after each name, so that the time is linear in the number of names.
fn place_names(
    names: &[Cow<str>],
    columns: &[(f64, f64)],
    limits: (f64, f64),
    (size, row_count): (f64, usize),
    style: &ChartStyle,
) -> Option<Vec<(usize, f64)>> {
    let start = PartialLayout {
        positions: Vec::with_capacity(names.len()),
        row_ends: [f64::NEG_INFINITY; MAX_ROWS],
        cost: 0.0,
    };
    let mut layouts = vec![start];
    for (name, column) in names.iter().zip(columns) {
        let width = style.text_width(name, size);
        let column_x = (column.0 + column.1) / 2.0;
        let mut extended: Vec<PartialLayout> = Vec::with_capacity(layouts.len() * row_count * 2);
        for layout in &layouts {
            for row in 0..row_count {
                extended.extend(layout.add_name(width, column_x, row, limits, size));
            }
        }
        extended.sort_by(|one, two| one.cost.total_cmp(&two.cost));
        layouts.clear();
        for layout in extended {
            if layouts.len() < MAX_LAYOUTS
                && !layouts.iter().any(|better| better.is_no_longer_than(&layout))
            {
                layouts.push(layout);
            }
        }
    }
    layouts.into_iter().next().map(|layout| layout.positions)
}

impl PartialLayout {
    /// Returns the layouts with one more name in `row`: in the middle of the column if possible, and as far
    /// left as possible. Empty if the name or its line, which is at `column_x`, has no space.
    fn add_name(
        &self,
        width: f64,
        column_x: f64,
        row: usize,
        limits: (f64, f64),
        size: f64,
    ) -> impl Iterator<Item = PartialLayout> {
        let is_free_above = self.row_ends.iter().take(row).all(|end| end + LEADER_GAP <= column_x);
        // The line ends at a letter.
        let inset = (width / 2.0).min(size * 0.5);
        let row_end = self.row_ends.get(row).copied().unwrap_or(f64::INFINITY);
        let left = (column_x + inset - width).max(limits.0).max(row_end + size * NAME_GAP_EM);
        let right = (column_x - inset).min(limits.1 - width);
        let centered = (column_x - width / 2.0).min(right).max(left);
        let positions = [Some(centered), (left < centered).then_some(left)];
        let is_possible = is_free_above && (width == 0.0 || left <= right);
        let add = move |x: f64| {
            let mut layout = self.clone();
            layout.positions.push((row, x));
            if width > 0.0 {
                for end in layout.row_ends.iter_mut().take(row) {
                    *end = end.max(column_x + LEADER_GAP - size * NAME_GAP_EM);
                }
                layout.row_ends[row] = x + width;
                layout.cost += row as f64 + (x + width / 2.0 - column_x).abs() / size * 0.2;
            }
            layout
        };
        positions.into_iter().flatten().filter(move |_| is_possible).map(add)
    }

    /// Returns whether no row ends further right than in another layout.
    fn is_no_longer_than(&self, other: &PartialLayout) -> bool {
        self.row_ends.iter().zip(&other.row_ends).all(|(one, two)| one <= two)
    }
}
