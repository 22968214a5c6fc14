//! Rotated labels below columns, in one to three lines.

use std::borrow::Cow;

use super::{CATEGORY_LABEL_GAP, ColumnLabels, DIAGONAL, EDGE_GAP, wrap_uncut};
use crate::Scene;
use crate::frame::style::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{Anchor, Text};
use crate::text;

/// Height that rotated names may take if they would be cut otherwise, as a multiple of their usual
/// maximum height. With the usual 40 % of the chart, half of it remains for the plot.
const EXTENSION: f64 = 1.25;
/// Maximum number of lines of a rotated label.
const MAX_LINES: usize = 3;
/// Distance between the ends of two lines along the axis as a multiple of the font size, which
/// keeps the lines 1.15 font sizes apart.
const LINE_DISTANCE: f64 = 1.63;

impl ColumnLabels {
    /// Plans rotated labels at columns that are `step` points apart, for names that do not fit
    /// horizontally in `max_height` points. Returns None if some do not fit, or not all can be
    /// drawn.
    ///
    /// Tries in this order: one line, two lines, more height, and up to three lines in the smallest
    /// size. `center` returns the x coordinate of a column, left of which its label needs space.
    pub(super) fn plan_rotated(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> Option<ColumnLabels> {
        let (size, small) = (style.label_size, style.small_size);
        let extended = max_height * EXTENSION;
        let forms = [
            (size, 1, max_height),
            (small, 1, max_height),
            (size, 2, max_height),
            (small, 2, max_height),
            (small, 1, extended),
            (size, 2, extended),
            (small, 2, extended),
            (small, 3, max_height),
            (small, 3, extended),
            (MIN_TEXT_SIZE, 1, extended),
            (MIN_TEXT_SIZE, 2, extended),
            (MIN_TEXT_SIZE, 3, extended),
        ];
        let plan = |(size, line_count, height): (f64, usize, f64)| {
            let fits = step >= Self::min_rotated_step(line_count, size);
            let wrapped = || Self::wrap_rotated(names, line_count, (size, height), center, style);
            fits.then(wrapped).flatten()
        };
        forms.into_iter().find_map(plan)
    }

    /// Plans rotated labels that are shortened where necessary, in the smallest size and as many
    /// lines as fit between columns. If columns are very narrow, only every n-th label is drawn.
    pub(super) fn plan_rotated_shortened(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        let size = MIN_TEXT_SIZE.max(style.small_size.min(step / 1.25));
        let fits = |line_count: &usize| step >= Self::min_rotated_step(*line_count, size);
        let line_count = (2..=MAX_LINES).rev().find(fits).unwrap_or(1);
        let interval = (size * 1.25 / step).ceil().max(1.0) as usize;
        let max_length = Self::rotated_length(max_height * EXTENSION, size, style);
        let mut labels = ColumnLabels::from_lines(Vec::new(), 0.0, size);
        for (index, name) in names.iter().enumerate().step_by(interval) {
            let length = max_length.min(length_to_edge(center(index), line_count, size)).max(0.0);
            let lines = text::wrap_balanced(name, length, line_count, size, style.label_face());
            let is_cut = lines.iter().any(|line| line.ends_with('…')) && !name.ends_with('…');
            let is_cut = is_cut || lines.is_empty() && !name.is_empty();
            labels.full.push(is_cut.then(|| name.to_string()));
            labels.lines.push(lines);
        }
        let height = labels.rotated_height(style);
        ColumnLabels { is_rotated: true, max_lines: line_count, interval, height, ..labels }
    }

    /// Returns the minimum distance in points between columns at which rotated labels of
    /// `line_count` lines in font size `size` do not touch.
    fn min_rotated_step(line_count: usize, size: f64) -> f64 {
        match line_count {
            1 => size * 1.25,
            _ => size * (LINE_DISTANCE * line_count as f64 + 0.25),
        }
    }

    /// Wraps names into rotated labels of up to `line_count` lines. Returns None if a name does not
    /// fit into the height or would leave the canvas.
    fn wrap_rotated(
        names: &[Cow<str>],
        line_count: usize,
        (size, max_height): (f64, f64),
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> Option<ColumnLabels> {
        let max_length = Self::rotated_length(max_height, size, style);
        let widest = names.iter().map(|name| style.text_width(name, size)).fold(0.0, f64::max);
        // Lines much shorter than the height permits leave more of it to the plot.
        let compact_length = (widest / line_count as f64 * 1.25).min(max_length);
        let lengths =
            if line_count == 1 { vec![max_length] } else { vec![compact_length, max_length] };
        lengths.into_iter().find_map(|length| {
            let wrap = |(index, name): (usize, &Cow<str>)| {
                let edge = length_to_edge(center(index), line_count, size);
                let length = length.min(edge);
                wrap_uncut(name, length, line_count, size, style)?;
                Some(text::wrap_balanced(name, length, line_count, size, style.label_face()))
            };
            let lines: Vec<Vec<String>> =
                names.iter().enumerate().map(wrap).collect::<Option<_>>()?;
            let labels = ColumnLabels::from_lines(lines, 0.0, size);
            let height = labels.rotated_height(style).min(max_height);
            Some(ColumnLabels { is_rotated: true, max_lines: line_count, height, ..labels })
        })
    }

    /// Returns the height in points that the longest rotated line needs below the plot area,
    /// including the gap.
    fn rotated_height(&self, style: &ChartStyle) -> f64 {
        let widths = self.lines.iter().flatten().map(|line| style.text_width(line, self.size));
        let widest = widths.fold(0.0, f64::max);
        (widest + self.size * 0.5) * DIAGONAL + style.unit * CATEGORY_LABEL_GAP + self.size * 0.3
    }

    /// Returns the maximum length in points of a rotated label in the planned height.
    pub(super) fn max_rotated_length(&self, style: &ChartStyle) -> f64 {
        Self::rotated_length(self.height, self.size, style)
    }

    /// Returns the maximum length in points of a rotated label in a height that includes the gap.
    fn rotated_length(height: f64, size: f64, style: &ChartStyle) -> f64 {
        // The margin at the end keeps rounding errors from shortening the longest name.
        (height - style.unit * CATEGORY_LABEL_GAP - size * 0.3) / DIAGONAL - size * 0.5 + 1e-6
    }

    /// Returns how many points farther right a column at `x` must be for its rotated label to stay
    /// on the canvas. 0 if it is on the canvas.
    pub(super) fn measure_missing(&self, lines: &[String], x: f64, style: &ChartStyle) -> f64 {
        let reach = |line: &String| {
            let width = style.text_width(line, self.size).min(self.max_rotated_length(style));
            (width + self.size) * DIAGONAL + EDGE_GAP
        };
        let start = x + line_offset(0, self.max_lines, self.size);
        lines.iter().map(|line| reach(line) - start).fold(0.0, f64::max)
    }

    /// Draws a rotated label that ends below the middle of its column, which is at `x`, and has its
    /// upper edge at `top`. Shortens it if it would leave the canvas or the planned height. `full`
    /// is the whole name if the plan has shortened it.
    pub(super) fn draw_rotated(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        (x, top): (f64, f64),
        lines: &[String],
        full: Option<&String>,
    ) {
        let size = self.size;
        for (index, line) in lines.iter().enumerate() {
            let x = x + line_offset(index, lines.len(), size);
            // The label extends down to the left, at most to the canvas edge or the planned height.
            let shown = text::ellipsize(
                line,
                self.max_rotated_length(style).min(length_to_edge(x, 1, size)).max(0.0),
                size,
                style.label_face(),
            );
            let end = (x + size * 0.25, top + size * 0.55);
            let is_cut = *shown != **line;
            let full = full.cloned().or_else(|| is_cut.then(|| lines.join(" ")));
            let label = style.label_text(end.0, end.1, Anchor::End, size, &shown);
            scene.text(Text { angle: -45.0, full, ..label });
        }
    }
}

/// Returns the distance in points of the line `index` of a rotated label from the middle of its
/// column, along the axis. Negative to the left.
fn line_offset(index: usize, line_count: usize, size: f64) -> f64 {
    (index as f64 - (line_count as f64 - 1.0) / 2.0) * LINE_DISTANCE * size
}

/// Returns the length in points that the first line of a rotated label has up to the left edge of
/// the canvas. `x` is the middle of its column.
fn length_to_edge(x: f64, line_count: usize, size: f64) -> f64 {
    (x + line_offset(0, line_count, size) - EDGE_GAP) / DIAGONAL - size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::scale::BandScale;

    /// Returns a plan below one column for each name, on a chart of 720 × 405 points.
    fn plan(names: &[String]) -> (ColumnLabels, BandScale) {
        let chart = Chart::new(crate::find_kind("bar").unwrap(), &[]);
        let names: Vec<Cow<str>> = names.iter().map(|name| Cow::Borrowed(&**name)).collect();
        let range = (24.0, 696.0);
        let band = BandScale { count: names.len(), range, padding: 0.2, max_width: 100.0 };
        ColumnLabels::plan_for_band(&names, band, 140.0, &ChartStyle::new(&chart))
    }

    #[test]
    fn long_names_are_wrapped_before_they_are_cut() {
        let name =
            |index| format!("Programme {index} for the extension of the harbour railway lines");
        let (labels, band) = plan(&(0..12).map(name).collect::<Vec<String>>());
        assert!(labels.is_rotated && labels.is_whole());
        assert!(labels.lines.iter().all(|lines| lines.len() > 1));
        assert!(labels.height <= 140.0 * EXTENSION);
        assert!(band.range.0 > 24.0, "the first label needs space on its left");
    }

    #[test]
    fn short_names_stay_in_one_rotated_line() {
        let (labels, _) = plan(
            &('a'..'u').map(|letter| format!("{letter} Nordrhein-Westfalen")).collect::<Vec<_>>(),
        );
        assert!(labels.is_rotated && labels.is_whole());
        assert!(labels.lines.iter().all(|lines| lines.len() == 1));
    }

    #[test]
    fn names_without_space_are_marked_as_shortened() {
        let name =
            |index| format!("Programme {index} for the extension of the harbour railway lines");
        let (labels, _) = plan(&(0..60).map(name).collect::<Vec<String>>());
        assert!(labels.is_rotated && !labels.is_whole());
        let shortened = labels.full.iter().flatten().count();
        assert_eq!(shortened + labels.omitted, 60);
    }
}
