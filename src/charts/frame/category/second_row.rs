//! Horizontal labels of unequal widths, of which a few long ones are in a second row, each with a line from its
//! column.

use std::borrow::Cow;

use super::CATEGORY_LABEL_GAP;
use super::ColumnLabels;
use super::wrap_uncut;
use crate::Scene;
use crate::frame::style::ChartStyle;
use crate::scene::Stroke;

/// Minimum number of names. With fewer, the columns have space for several lines.
const MIN_NAMES: usize = 6;
/// Minimum number of short names for each long one.
const SHORT_NAMES_PER_LONG: usize = 5;
/// Maximum length of a line in the second row, as a share of the axis.
const MAX_LINE_SHARE: f64 = 0.45;
/// Maximum number of lines of a label in the second row.
const MAX_LINES: usize = 2;
/// Distance of the second row from the first one as a multiple of the font size.
const ROW_HEIGHT_EM: f64 = 1.5;
/// Minimum distance of two labels in the second row as a multiple of the font size.
const GAP_EM: f64 = 1.2;

impl ColumnLabels {
    /// Plans horizontal labels of which those that are longer than their column are in a second row. Returns
    /// None unless most names fit into their columns, and the others beside each other.
    ///
    /// Without the second row, one long name would rotate all others.
    pub(super) fn plan_second_row(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<ColumnLabels> {
        let sizes = [style.label_size, style.small_size];
        sizes.into_iter().find_map(|size| plan(names, step, max_height, size, style))
    }

    /// Returns the shift of a label in the second row from the middle of its column in points. None for a
    /// label in the first row.
    pub(super) fn second_row_shift(&self, index: usize) -> Option<f64> {
        self.second_row.get(index).copied().flatten()
    }

    /// Draws the line from a column with the middle at `x` to its label in the second row. `top` is the
    /// upper edge of the first row. Returns the upper edge of the second row.
    pub(super) fn draw_line_to_second_row(
        &self,
        (x, top): (f64, f64),
        style: &ChartStyle,
        scene: &mut Scene,
    ) -> f64 {
        let label_top = top + self.size * ROW_HEIGHT_EM;
        let plot_bottom = top - style.unit * CATEGORY_LABEL_GAP;
        let stroke = Stroke::new(style.axis_color.mix(style.background, 0.4), 1.0);
        scene.line((x, plot_bottom + style.unit * 2.0), (x, label_top - style.unit), stroke);
        label_top
    }
}

/// Plans labels with the font size `size`, see [`ColumnLabels::plan_second_row`].
fn plan(
    names: &[Cow<str>],
    step: f64,
    max_height: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<ColumnLabels> {
    let long = find_long(names, step, size, style);
    let long_count = long.iter().filter(|is_long| **is_long).count();
    if names.len() < MIN_NAMES || long_count * SHORT_NAMES_PER_LONG > names.len() - long_count {
        return None;
    }
    let axis_length = step * names.len() as f64;
    let mut lines = Vec::with_capacity(names.len());
    let mut second_row = Vec::with_capacity(names.len());
    let (mut row_end, mut line_count) = (f64::NEG_INFINITY, 1);
    for (index, (name, is_long)) in names.iter().zip(&long).enumerate() {
        if !is_long {
            lines.push(if name.is_empty() { Vec::new() } else { vec![name.to_string()] });
            second_row.push(None);
            continue;
        }
        let wrapped = wrap_uncut(name, axis_length * MAX_LINE_SHARE, MAX_LINES, size, style)?;
        let widths = wrapped.iter().map(|line| style.text_width(line, size));
        let half = widths.fold(0.0, f64::max) / 2.0;
        let column = (index as f64 + 0.5) * step;
        // The label touches the line from its column, and stays below the axis.
        let left = column.min(axis_length - half).max(half).max(row_end + size * GAP_EM + half);
        if left > axis_length - half || (left - column).abs() > half - size * 0.3 {
            return None;
        }
        row_end = left + half;
        line_count = line_count.max(wrapped.len());
        lines.push(wrapped);
        second_row.push(Some(left - column));
    }
    let second_row_height = ROW_HEIGHT_EM + 1.2 * (line_count as f64 - 1.0);
    let rows = 1.0 + if long_count == 0 { 0.0 } else { second_row_height };
    let height = style.unit * CATEGORY_LABEL_GAP + size * rows;
    let labels = ColumnLabels::from_lines(lines, height, size);
    (height <= max_height).then_some(ColumnLabels { second_row, ..labels })
}

/// Returns for each name whether it has no space in the first row. A name may extend over the space of shorter
/// ones beside it, but not over the ends of the axis and the lines to the second row. The longest names leave
/// the first row first.
fn find_long(names: &[Cow<str>], step: f64, size: f64, style: &ChartStyle) -> Vec<bool> {
    let widths: Vec<f64> = names.iter().map(|name| style.text_width(name, size)).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|one, two| widths[*two].total_cmp(&widths[*one]));
    let mut long = vec![false; names.len()];
    for index in order {
        let width = widths[index];
        let fits_beside = |neighbor: Option<usize>| {
            let neighbor = neighbor.and_then(|at| Some((*widths.get(at)?, *long.get(at)?)));
            match neighbor {
                None => width <= step,
                Some((_, true)) => width / 2.0 + size * 0.4 <= step,
                Some((other, false)) => (width + other) / 2.0 + size * 0.6 <= step,
            }
        };
        let is_long = !fits_beside(index.checked_sub(1)) || !fits_beside(Some(index + 1));
        long[index] = is_long;
    }
    long
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;
    use crate::find_kind;
    use crate::scene::Primitive;

    /// Draws grouped columns and returns whether all names are whole and horizontal.
    fn is_straight(names: &[String]) -> bool {
        let data: Vec<Value> = names.iter().map(|name| json!({"label": name, "Wert": 5})).collect();
        let scene = crate::draw(&Chart::new(find_kind("grouped-column").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        let joined = texts.join(" ");
        let is_whole = names.iter().all(|name| joined.contains(name.as_str()));
        is_whole
            && scene.shapes.iter().all(|shape| match &shape.primitive {
                Primitive::Text(text) => text.angle == 0.0,
                _ => true,
            })
    }

    #[test]
    fn one_long_name_does_not_rotate_the_others() {
        let mut names: Vec<String> = (1..30).map(|age| age.to_string()).collect();
        names.push("30 und mehr Jahre alt".to_owned());
        assert!(is_straight(&names), "at the end");
        names.rotate_right(1);
        assert!(is_straight(&names), "at the start");
        names.rotate_right(12);
        names[25] = "keine Angabe des Alters".to_owned();
        assert!(is_straight(&names), "two in the middle");
        // Two of them beside each other have no space.
        names[14] = "unter einem Jahr und ohne Angabe".to_owned();
        names[15] = "keine Angabe des Alters und des Ortes".to_owned();
        assert!(!is_straight(&names));
        // Long and short names in turn have space in one row.
        let names = (0..15).map(|index| match index % 2 {
            0 => "Ulm".to_owned(),
            _ => "Augsburg".to_owned(),
        });
        assert!(is_straight(&names.collect::<Vec<String>>()), "in turn");
        let long = (0..12).map(|index| format!("Nordrhein-Westfalen {index}"));
        assert!(!is_straight(&long.collect::<Vec<String>>()));
    }
}
