//! Labels below columns of unequal widths.

use std::borrow::Cow;

use super::CATEGORY_LABEL_GAP;
use super::ColumnLabels;
use super::DIAGONAL;
use super::EDGE_GAP;
use super::MAX_SHIFT;
use super::min_label_width;
use super::wrap_uncut;
use crate::frame::style::ChartStyle;
use crate::spread;

impl ColumnLabels {
    /// Plans labels below `columns` of unequal widths, each with its left and right edge in points.
    /// Returns the labels and the x coordinate of the middle of each.
    ///
    /// Labels stay within their columns or move a little (within `limits`, the leftmost and the
    /// rightmost coordinate). If that is not enough, all are rotated or the long ones are
    /// shortened, whichever shows more of the names. There are no labels if not even one line fits
    /// into `max_height` points.
    pub fn plan_uneven(
        names: &[Cow<str>],
        columns: &[(f64, f64)],
        limits: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> (ColumnLabels, Vec<f64>) {
        let size = style.label_size;
        let gap = style.unit * CATEGORY_LABEL_GAP;
        let one_line = gap + size;
        let centers: Vec<f64> = columns.iter().map(|column| (column.0 + column.1) / 2.0).collect();
        let build_labels = |lines: Vec<Vec<String>>| {
            let rows = lines.iter().map(Vec::len).max().unwrap_or(0);
            let height = if rows == 0 { 0.0 } else { one_line + size * 1.2 * (rows as f64 - 1.0) };
            ColumnLabels::from_lines(lines, height, size)
        };
        if max_height < one_line {
            return (build_labels(Vec::new()), centers);
        }
        let max_lines = if max_height >= one_line + size * 1.2 { 2 } else { 1 };
        let width_in = |column: &(f64, f64)| column.1 - column.0 - size * 0.4;
        let wrap_name = |(name, column): (&Cow<str>, _)| {
            wrap_uncut(name, width_in(column), max_lines, size, style)
                .unwrap_or_else(|| vec![name.to_string()])
        };
        let lines: Vec<Vec<String>> = names.iter().zip(columns).map(wrap_name).collect();
        if let Some(middles) = spread_labels(&lines, columns, limits, style) {
            return (build_labels(lines), middles);
        }
        let available: Vec<f64> = columns.iter().map(width_in).collect();
        let widths: Vec<f64> = names.iter().map(|name| style.text_width(name, size)).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        let rotated_height = ((widest + size * 0.5) * DIAGONAL + gap + size * 0.3).min(max_height);
        let rotated_length = (rotated_height - gap - size * 0.3) / DIAGONAL - size * 0.5;
        // Rotate if that shows a larger share of the names.
        let shown_share = |width: &f64, available: f64| {
            if *width > available { available / width } else { 1.0 }
        };
        let rotated_share: f64 =
            widths.iter().map(|width| shown_share(width, rotated_length)).sum();
        let shares = widths.iter().zip(&available).map(|(width, available)| match *available {
            available if *width > available && available < min_label_width(style) => 0.0,
            available => shown_share(width, available * max_lines as f64),
        });
        let mut steps = centers.iter().zip(centers.iter().skip(1)).map(|(one, two)| two - one);
        if steps.all(|step| step >= size * 1.25)
            && max_height >= size * 3.5
            && rotated_share > shares.sum()
        {
            let lines = names.iter().map(|name| vec![name.to_string()]).collect();
            let labels = ColumnLabels::from_lines(lines, rotated_height, size);
            return (ColumnLabels { is_rotated: true, ..labels }, centers);
        }
        (ColumnLabels::shorten_names(names, &available, max_lines, style, build_labels), centers)
    }

    /// Plans rotated labels of one line below `columns` of unequal widths, moved apart where the
    /// columns are too narrow, in `max_height` points at most. The caller joins moved labels to
    /// their columns.
    ///
    /// Returns the labels and the x coordinate of each. None if they do not fit between `limits`
    /// even in small text. Long names are shortened when they are drawn.
    pub fn plan_spread(
        names: &[Cow<str>],
        columns: &[(f64, f64)],
        limits: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<(ColumnLabels, Vec<f64>)> {
        let centers: Vec<f64> = columns.iter().map(|column| (column.0 + column.1) / 2.0).collect();
        let plan = |size: f64| {
            let widths: Vec<f64> = names.iter().map(|name| style.text_width(name, size)).collect();
            let widest = widths.iter().copied().fold(0.0, f64::max);
            let gap = style.unit * CATEGORY_LABEL_GAP;
            let height = ((widest + size * 0.5) * DIAGONAL + gap + size * 0.3).min(max_height);
            let lines = names.iter().map(|name| vec![name.to_string()]).collect();
            let labels = ColumnLabels::from_lines(lines, height, size);
            let labels = ColumnLabels { is_rotated: true, ..labels };
            // The first label extends to the left, where the canvas ends.
            let length =
                widths.first().copied().unwrap_or(0.0).min(labels.max_rotated_length(style));
            let reach = (length + size) * DIAGONAL + EDGE_GAP + size * 0.6;
            let left = reach.max(limits.0).min(limits.0 + (limits.1 - limits.0) * MAX_SHIFT);
            let pitch = size * 1.3;
            let fits = max_height >= size * 3.5 && pitch * names.len() as f64 <= limits.1 - left;
            let pitches = vec![pitch; names.len()];
            let from = left - pitch / 2.0;
            fits.then(|| (labels, spread::spread_apart(&centers, &pitches, from, limits.1)))
        };
        plan(style.label_size).or_else(|| plan(style.small_size))
    }
}

/// Returns the middles of horizontal labels, in points, that are moved apart until they do not
/// overlap.
///
/// Returns None if the labels do not fit between `left` and `right`, or if the middle of a label
/// would be more than half a font size outside its column.
fn spread_labels(
    lines: &[Vec<String>],
    columns: &[(f64, f64)],
    (left, right): (f64, f64),
    style: &ChartStyle,
) -> Option<Vec<f64>> {
    let size = style.label_size;
    let measure_widest = |lines: &Vec<String>| {
        lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max)
    };
    let widths: Vec<f64> = lines.iter().map(|lines| measure_widest(lines) + size * 0.8).collect();
    let centers: Vec<f64> = columns.iter().map(|column| (column.0 + column.1) / 2.0).collect();
    if widths.iter().sum::<f64>() > right - left {
        return None;
    }
    let middles = spread::spread_apart(&centers, &widths, left, right);
    let is_at_column = |(middle, column): (&f64, &(f64, f64))| {
        *middle >= column.0 - size * 0.5 && *middle <= column.1 + size * 0.5
    };
    middles.iter().zip(columns).all(is_at_column).then_some(middles)
}
