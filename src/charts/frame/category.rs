//! Category labels below columns (straight, wrapped, in two rows, every n-th only, or rotated). Those left of
//! rows are in the module of rows.

mod dates;
mod numbered;
mod rotated;
mod rows;
mod second_row;
mod uneven;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Scene;
use crate::format::Omission;
use crate::frame::key_list::KeyList;
use crate::frame::sequence;
use crate::frame::style::ChartStyle;
use crate::scale::BandScale;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;

use dates::DateNames;

pub use rows::{MIN_ROW_EM, RowLabels};

/// Space between the plot area and the labels below it, in [`ChartStyle::unit`]s. The lowest tick
/// label left of the plot area extends 7 units below it.
pub const CATEGORY_LABEL_GAP: f64 = 7.5;

/// Labels below columns, planned before the plot area has its height.
#[derive(Clone, Debug)]
pub struct ColumnLabels {
    /// Lines of each label that is drawn.
    lines: Vec<Vec<String>>,
    /// Full name of each label that is shortened.
    full: Vec<Option<String>>,
    /// Interval of the drawn labels: every n-th name is drawn.
    interval: usize,
    /// Index of the first drawn label.
    first: usize,
    /// Number of names that are not drawn and that readers cannot infer from the others.
    omitted: usize,
    /// Whether labels are rotated by 45 degrees, rising to the right.
    is_rotated: bool,
    /// Maximum number of lines of a rotated label, for which its column has space.
    max_lines: usize,
    /// Font size in points.
    size: f64,
    /// Height of the labels below the plot area in points, including the gap.
    pub height: f64,
    /// Shift from its column in points of each label that is in the second row, None for the others. Empty
    /// without a second row.
    second_row: Vec<Option<f64>>,
    /// List of the names, if the columns have numbers instead, and its left edge in points.
    list: Option<(KeyList, f64)>,
}

/// Sine and cosine of 45 degrees.
const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Maximum number of lines of a horizontal label.
const MAX_STRAIGHT_LINES: usize = 3;
/// Space in points between a rotated label and the left edge of the canvas.
const EDGE_GAP: f64 = 5.0;
/// Maximum shift of the columns to the right for the first rotated label, as a share of the plot
/// area's width.
const MAX_SHIFT: f64 = 0.1;
/// Maximum shift if names would be cut otherwise, as a share of the plot area's width.
const MAX_SHIFT_FOR_WHOLE_NAMES: f64 = 0.2;

impl ColumnLabels {
    /// Plans labels at columns that are `step` points apart, in at most `max_height` points.
    /// Rotated labels may take a quarter more, so that they are not cut.
    ///
    /// Tries in this order, until all names fit: one to three lines, every n-th name of a sequence,
    /// one to three lines of small text, a second row for a few long names, rotated labels, and every n-th
    /// month. If rotated labels
    /// would be shortened and two lines show about as much, the names are shortened to two lines
    /// instead. If columns are very narrow, only every n-th rotated label is drawn. There are no
    /// labels if not even one line fits or if all names are empty.
    pub fn plan(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        ColumnLabels::plan_at(names, step, max_height, &|_| f64::INFINITY, style)
    }

    /// Plans labels at the columns of `band`, like [`ColumnLabels::plan`]. Rotated labels stay on
    /// the canvas if they can.
    pub fn plan_below(
        names: &[Cow<str>],
        band: &BandScale,
        max_height: f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        let center = |index| band.center(index);
        ColumnLabels::plan_at(names, band.step(), max_height, &center, style)
    }

    /// Plans labels at columns with the x coordinates `center`, see [`ColumnLabels::plan`]. Dates
    /// have their year only where it changes.
    fn plan_at(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        let Some(dates) = DateNames::read(names, style.locale) else {
            return ColumnLabels::plan_names(names, step, max_height, center, style);
        };
        let size = style.label_size;
        let height = style.unit * CATEGORY_LABEL_GAP + size * 2.2;
        match dates.plan(step, style).filter(|_| height <= max_height) {
            Some((interval, lines)) => {
                ColumnLabels { interval, ..ColumnLabels::from_lines(lines, height, size) }
            }
            None => ColumnLabels::plan_names(&dates.shorten(), step, max_height, center, style),
        }
    }

    /// Plans labels like [`ColumnLabels::plan_at`], but writes dates as they are in `names`.
    fn plan_names(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        let size = style.label_size;
        let gap = style.unit * CATEGORY_LABEL_GAP;
        if max_height < gap + size || names.iter().all(|name| name.is_empty()) {
            return ColumnLabels::from_lines(Vec::new(), 0.0, size);
        }
        if let Some(labels) = ColumnLabels::plan_straight(names, step, max_height, size, style) {
            return labels;
        }
        let widest = names.iter().map(|name| style.text_width(name, size)).fold(0.0, f64::max);
        let min_interval = ((widest + size * 0.9) / step).ceil().max(1.0) as usize;
        if sequence::is_sequence(names) && names.len() > 2 * min_interval {
            let (interval, first) = sequence::choose_round_labels(names, min_interval);
            return ColumnLabels::plan_every_nth(names, (interval, first), style);
        }
        let small = style.small_size;
        ColumnLabels::plan_straight(names, step, max_height, small, style)
            .or_else(|| ColumnLabels::plan_second_row(names, step, max_height, style))
            .or_else(|| ColumnLabels::plan_rotated(names, step, max_height, center, style))
            .or_else(|| {
                let interval = sequence::choose_month_interval(min_interval);
                let is_useful = sequence::are_months(names) && names.len() > interval;
                is_useful.then(|| ColumnLabels::plan_every_nth(names, (interval, 0), style))
            })
            .unwrap_or_else(|| ColumnLabels::plan_shortened(names, step, max_height, center, style))
    }

    /// Plans horizontal labels of every n-th name from the name `first` on, with one line each.
    /// Does not count the names between them as omitted.
    fn plan_every_nth(
        names: &[Cow<str>],
        (interval, first): (usize, usize),
        style: &ChartStyle,
    ) -> ColumnLabels {
        let shown = names.iter().skip(first).step_by(interval);
        let lines = shown.map(|name| vec![name.to_string()]).collect();
        let (gap, size) = (style.unit * CATEGORY_LABEL_GAP, style.label_size);
        ColumnLabels { interval, first, ..ColumnLabels::from_lines(lines, gap + size, size) }
    }

    /// Plans labels of names that do not all fit: rotated ones, or two horizontal lines if these
    /// show about as much of the names.
    fn plan_shortened(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        center: &impl Fn(usize) -> f64,
        style: &ChartStyle,
    ) -> ColumnLabels {
        let rotated = ColumnLabels::plan_rotated_shortened(names, step, max_height, center, style);
        let size = style.label_size;
        let width = step - size * 0.6;
        let one_line = style.unit * CATEGORY_LABEL_GAP + size;
        let fits_two_lines = max_height >= one_line + size * 1.2 && width >= min_label_width(style);
        let rotated_lines = rotated.lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
        let rotated_length = rotated.max_rotated_length(style) * rotated_lines as f64;
        if fits_two_lines && width * 2.0 >= rotated_length * 0.85 {
            let widths = vec![width; names.len()];
            let build_labels = |lines| ColumnLabels::from_lines(lines, one_line + size * 1.2, size);
            return ColumnLabels::shorten_names(names, &widths, 2, style, build_labels);
        }
        let drawn = rotated.lines.len();
        let omitted = if sequence::is_sequence(names) { 0 } else { names.len() - drawn };
        let unreadable = rotated.lines.iter().zip(&rotated.full);
        let unreadable = unreadable.filter(|(lines, full)| lines.is_empty() && full.is_some());
        let omitted = omitted + unreadable.count();
        ColumnLabels { omitted, ..rotated }
    }

    /// Plans horizontal labels of one to three lines with the font size `size`. Returns None if a
    /// name does not fit.
    fn plan_straight(
        names: &[Cow<str>],
        step: f64,
        max_height: f64,
        size: f64,
        style: &ChartStyle,
    ) -> Option<ColumnLabels> {
        let width = step - size * 0.6;
        let height = |lines: usize| {
            style.unit * CATEGORY_LABEL_GAP + size * (1.0 + 1.2 * (lines as f64 - 1.0))
        };
        (1..=MAX_STRAIGHT_LINES).take_while(|lines| height(*lines) <= max_height).find_map(
            |lines| {
                let wrap = |name: &Cow<str>| wrap_uncut(name, width, lines, size, style);
                let wrapped = names.iter().map(wrap).collect::<Option<_>>()?;
                Some(ColumnLabels::from_lines(wrapped, height(lines), size))
            },
        )
    }

    /// Plans labels at the columns of `band`. Moves the start of the band to the right where the
    /// left edge of the canvas would cut rotated labels: by at most a tenth of its length, or a
    /// fifth if names would be cut otherwise. Returns the labels and the band.
    pub fn plan_for_band(
        names: &[Cow<str>],
        band: BandScale,
        max_height: f64,
        style: &ChartStyle,
    ) -> (ColumnLabels, BandScale) {
        let unshifted = ColumnLabels::plan_below(names, &band, max_height, style);
        if !unshifted.is_rotated {
            return (unshifted, band);
        }
        let (left, right) = band.range;
        let shifted = |shift: f64| BandScale { range: (left + shift, right), ..band };
        let plan_shifted = |share: f64| {
            let max_shift = (right - left) * share;
            let labels = ColumnLabels::plan_below(names, &shifted(max_shift), max_height, style);
            (labels, max_shift)
        };
        let (plan, max_shift) = match plan_shifted(MAX_SHIFT) {
            (plan, _) if !plan.is_whole() => plan_shifted(MAX_SHIFT_FOR_WHOLE_NAMES),
            whole => whole,
        };
        let missing = plan.lines.iter().enumerate().map(|(index, lines)| {
            let column = index * plan.interval;
            // The shift also makes the columns narrower, so it must be larger than the missing
            // length.
            let share = 1.0 - (column as f64 + 0.5) / band.count.max(1) as f64;
            plan.measure_missing(lines, band.center(column), style) / share.max(0.01)
        });
        let shift = missing.fold(0.0, f64::max);
        if shift == 0.0 {
            return (unshifted, band);
        }
        let band = shifted((shift + 0.1).min(max_shift));
        (ColumnLabels::plan_below(names, &band, max_height, style), band)
    }

    /// Returns whether no label is rotated, and all names are whole, see [`Self::is_whole_at`].
    pub fn is_straight_and_whole(&self) -> bool {
        !self.is_rotated && self.is_whole()
    }

    /// Returns whether the plan shortens and omits no name. Rotated labels may still be shortened
    /// when they are drawn, see [`Self::is_whole_at`].
    fn is_whole(&self) -> bool {
        self.omitted == 0 && self.full.iter().all(Option::is_none)
    }

    /// Returns whether no name is shortened or omitted. `centers` are the x coordinates of the
    /// middles of the columns in points, which matter for rotated labels only.
    ///
    /// Omitted names that readers can infer from the others do not count, and neither do names if
    /// there are no labels at all.
    pub fn is_whole_at(&self, centers: &[f64], style: &ChartStyle) -> bool {
        let is_shortened = |(lines, center): (&Vec<String>, &f64)| {
            let width = lines.first().map_or(0.0, |name| style.text_width(name, self.size));
            let length_to_edge = (center - EDGE_GAP) / DIAGONAL - self.size;
            width > self.max_rotated_length(style).min(length_to_edge)
        };
        match self.is_rotated {
            true => self.omitted == 0 && !self.lines.iter().zip(centers).any(is_shortened),
            false => self.is_straight_and_whole(),
        }
    }

    /// Shortens the names to their `widths` in points, in at most `max_lines` lines. Columns too
    /// narrow for a useful part of the name get no label. `build_labels` makes labels from lines.
    fn shorten_names(
        names: &[Cow<str>],
        widths: &[f64],
        max_lines: usize,
        style: &ChartStyle,
        build_labels: impl FnOnce(Vec<Vec<String>>) -> ColumnLabels,
    ) -> ColumnLabels {
        let size = style.label_size;
        let shorten = |(name, width): (&Cow<str>, &f64)| match wrap_uncut(
            name, *width, max_lines, size, style,
        ) {
            Some(lines) => lines,
            None if *width < min_label_width(style) => Vec::new(),
            None => text::wrap(name, *width, max_lines, size, style.label_face()),
        };
        let lines: Vec<Vec<String>> = names.iter().zip(widths).map(shorten).collect();
        let is_omitted =
            |(lines, name): &(&Vec<String>, &Cow<str>)| lines.is_empty() && !name.is_empty();
        let omitted = lines.iter().zip(names).filter(is_omitted).count();
        let full = lines.iter().zip(names);
        let full =
            full.map(|(lines, name)| (!text::is_whole(lines, name)).then(|| name.to_string()));
        let full = full.collect();
        ColumnLabels { full, omitted, ..build_labels(lines) }
    }

    /// Creates horizontal labels from the lines of each name, with the font size `size` in points.
    /// `height` includes the gap above them. Each column has a label, and no name counts as
    /// shortened or omitted.
    fn from_lines(lines: Vec<Vec<String>>, height: f64, size: f64) -> ColumnLabels {
        let (full, interval, omitted, is_rotated, max_lines) = (Vec::new(), 1, 0, false, 1);
        let (first, second_row, list) = (0, Vec::new(), None);
        ColumnLabels {
            lines,
            full,
            interval,
            first,
            omitted,
            is_rotated,
            max_lines,
            size,
            height,
            second_row,
            list,
        }
    }

    /// Draws the labels below `plot`, at the columns of `band`.
    pub fn draw(&self, scene: &mut Scene, style: &ChartStyle, plot: Rect, band: &BandScale) {
        self.draw_at(scene, style, plot, |index| band.center(index));
    }

    /// Draws the labels below `plot`, or numbers and the list of names if that is the plan. The
    /// scene counts the omitted names. `center` returns the x coordinate of the middle of a column.
    pub fn draw_at(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        plot: Rect,
        center: impl Fn(usize) -> f64,
    ) {
        if let Some((list, left)) = &self.list {
            let below = Rect { x0: *left, ..plot };
            return list.draw_below(|index| Some(center(index)), below, style, scene);
        }
        let top = plot.y1 + style.unit * CATEGORY_LABEL_GAP;
        scene.omit(Omission::Name, self.omitted);
        for (index, lines) in self.lines.iter().enumerate() {
            let center = center(self.first + index * self.interval);
            let full = self.full.get(index).and_then(Option::as_ref);
            if self.is_rotated {
                self.draw_rotated(scene, style, (center, top), lines, full);
            } else if let Some(shift) = self.second_row_shift(index) {
                let top = self.draw_line_to_second_row((center, top), style, scene);
                self.draw_straight(scene, style, (center + shift, top), lines, full);
            } else {
                self.draw_straight(scene, style, (center, top), lines, full);
            }
        }
    }

    /// Draws a horizontal label with the middle at `x` and the upper edge at `top`, moved to stay
    /// on the canvas. `full` is the whole name if the label is shortened.
    fn draw_straight(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        (x, top): (f64, f64),
        lines: &[String],
        full: Option<&String>,
    ) {
        let size = self.size;
        for (index, line) in lines.iter().enumerate() {
            let baseline = top + ASCENT_EM * size + index as f64 * size * 1.2;
            let half = style.text_width(line, size) / 2.0;
            let max_center = (scene.width - 4.0 - half).max(4.0 + half);
            let center = x.clamp(4.0 + half, max_center);
            let label = style.label_text(center, baseline, Anchor::Middle, size, line);
            scene.text(Text { full: full.cloned(), ..label });
        }
    }
}

/// Returns the width in points below which a shortened name would be useless.
fn min_label_width(style: &ChartStyle) -> f64 {
    style.label_size * 3.5
}

/// Wraps a name into at most `max_lines` lines of `width` points, with the font size `size` in
/// points. Returns None if it does not fit. An empty name gives no lines.
fn wrap_uncut(
    name: &str,
    width: f64,
    max_lines: usize,
    size: f64,
    style: &ChartStyle,
) -> Option<Vec<String>> {
    if width < 0.0 {
        return None;
    }
    let lines = text::wrap(name, width, max_lines, size, style.label_face());
    let is_cut = !text::is_whole(&lines, name)
        || lines.iter().any(|line| style.text_width(line, size) > width);
    if is_cut || (lines.is_empty() && !name.is_empty()) { None } else { Some(lines) }
}
