//! Labels with name and value at both ends of the lines, spread so that they do not overlap.

use std::collections::BTreeSet;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::{NumberFormat, Omission};
use crate::frame::ChartStyle;
use crate::kinds::slope::records::Slope;
use crate::scale::LinearScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::spread;
use crate::text;
use crate::text::Face;

/// Height of a label as a share of the font size.
const LABEL_HEIGHT_EM: f64 = 1.2;
/// Space between a value and a name, as a share of the font size.
const NAME_GAP_EM: f64 = 0.5;
/// Distance between an end point and its label, in [`ChartStyle::unit`]s.
const LABEL_GAP: f64 = 9.0;
/// Maximum number of labels that are checked for overlaps. Hardly any more would fit, and the time
/// is quadratic.
const MAX_CHECKED_LABELS: usize = 400;

/// Labels and the space they need, computed before the width of the plot is known.
pub struct EndLabels {
    /// Width in points reserved left of the plot.
    pub left_width: f64,
    /// Width in points reserved right of the plot.
    pub right_width: f64,
    /// Font size in points.
    size: f64,
    /// Whether the left side shows names, too. On narrow canvases it shows only values.
    names_on_both_sides: bool,
    /// Formatted values of each record.
    value_texts: Vec<ValueTexts>,
    /// Whether the labels contain the values.
    shows_values: bool,
    /// Whether the labels are drawn. False if they would leave too little space for the plot.
    is_visible: bool,
}

/// Formatted values of a record. Empty if the record has no such value or values are hidden.
struct ValueTexts {
    /// Text at the left.
    before: String,
    /// Text at the right.
    after: String,
}

/// An end of a line that gets a label.
struct LineEnd {
    /// y coordinate in points.
    y: f64,
    /// Index of the record in the slopes.
    slope: usize,
}

/// Position of a label and of the end point to which it belongs, in points.
struct LabelPosition {
    /// Whether the label is left of the plot.
    is_left: bool,
    /// x coordinate of the end point.
    end_x: f64,
    /// y coordinate of the end point.
    end_y: f64,
    /// y coordinate of the middle of the label.
    middle: f64,
}

impl EndLabels {
    /// Formats the values, reserves the width of the labels and decides whether they are drawn.
    ///
    /// Names are shortened if a side would take more than 30 % of the width of `area`, or the right side
    /// 44 % if only it has names. No labels are drawn if both sides would still take more than 85 %.
    pub fn new(
        chart: &Chart,
        slopes: &[Slope],
        format: &NumberFormat,
        area: Rect,
        style: &ChartStyle,
    ) -> EndLabels {
        let shows_values = chart.bool_setting("showValues", true);
        let format_value = |value: Option<f64>| match value {
            Some(value) if shows_values => format.text(value),
            _ => String::new(),
        };
        let format_values = |slope: &Slope| ValueTexts {
            before: format_value(slope.before),
            after: format_value(slope.after),
        };
        let value_texts: Vec<ValueTexts> = slopes.iter().map(format_values).collect();
        let fits = |size: f64| slopes.len() as f64 * size * LABEL_HEIGHT_EM <= area.height();
        let size = if fits(style.label_size) { style.label_size } else { style.small_size };
        let gap = style.unit * LABEL_GAP;
        let value_width = value_texts
            .iter()
            .flat_map(|texts| [&texts.before, &texts.after])
            .map(|value| text::width(value, size, Face::BOLD))
            .fold(0.0, f64::max);
        let name_gap = if value_width > 0.0 { size * NAME_GAP_EM } else { 0.0 };
        let name_width =
            slopes.iter().map(|slope| style.text_width(&slope.label, size)).fold(0.0, f64::max);
        let full_width = gap + value_width + name_gap + name_width;
        let names_on_both_sides = area.width() >= style.label_size * 34.0;
        let max_width = area.width() * if names_on_both_sides { 0.3 } else { 0.44 };
        let left_width =
            if names_on_both_sides { full_width.min(max_width) } else { gap + value_width };
        let right_width = full_width.min(max_width);
        let is_visible = left_width + right_width <= area.width() * 0.85;
        // Without labels, half of the end points still needs space.
        let (left_width, right_width) = if is_visible {
            (left_width, right_width)
        } else {
            (style.unit * 6.0, style.unit * 6.0)
        };
        EndLabels {
            left_width,
            right_width,
            size,
            names_on_both_sides,
            value_texts,
            shows_values,
            is_visible,
        }
    }

    /// Draws the labels of both sides, if they fit. The left side has none if it shows only values
    /// and values are hidden.
    pub fn draw(
        &self,
        slopes: &[Slope],
        plot: Rect,
        y: &LinearScale,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let mut named: BTreeSet<usize> = BTreeSet::new();
        if self.is_visible {
            if self.names_on_both_sides || self.shows_values {
                named.extend(self.draw_side(slopes, plot, y, true, style, scene));
            }
            named.extend(self.draw_side(slopes, plot, y, false, style, scene));
        }
        scene.omit(Omission::Name, slopes.len() - named.len());
    }

    /// Draws the labels of the left or the right side, spread apart. If not all fit, only the most
    /// important ones are drawn. Returns the indices of the slopes with a name.
    fn draw_side(
        &self,
        slopes: &[Slope],
        plot: Rect,
        y: &LinearScale,
        is_left: bool,
        style: &ChartStyle,
        scene: &mut Scene,
    ) -> Vec<usize> {
        let value_of = |slope: &Slope| if is_left { slope.before } else { slope.after };
        let mut ends: Vec<LineEnd> = (slopes.iter().enumerate())
            .filter_map(|(index, slope)| Some(LineEnd { y: y.at(value_of(slope)?), slope: index }))
            .collect();
        let height = self.size * LABEL_HEIGHT_EM;
        if ends.len() as f64 * height > plot.height() {
            ends = keep_most_important(slopes, ends, height);
        }
        ends.sort_by(|a, b| a.y.total_cmp(&b.y));
        let preferred: Vec<f64> = ends.iter().map(|end| end.y).collect();
        let heights = vec![height; preferred.len()];
        let middles = spread::spread_apart(&preferred, &heights, plot.y0, plot.y1);
        let end_x = if is_left { plot.x0 } else { plot.x1 };
        for (end, middle) in ends.iter().zip(middles) {
            let (Some(slope), Some(texts)) =
                (slopes.get(end.slope), self.value_texts.get(end.slope))
            else {
                continue;
            };
            let value = if is_left { &texts.before } else { &texts.after };
            let position = LabelPosition { is_left, end_x, end_y: end.y, middle };
            self.draw_label(slope, value, &position, style, scene);
        }
        match is_left && !self.names_on_both_sides {
            true => Vec::new(),
            false => ends.iter().map(|end| end.slope).collect(),
        }
    }

    /// Draws a label, with a leader line if it is not at the height of its end point. The value
    /// comes first as seen from the end point, then the name, shortened if it does not fit. On
    /// narrow canvases the labels at the left have no name.
    fn draw_label(
        &self,
        slope: &Slope,
        value: &str,
        position: &LabelPosition,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let LabelPosition { is_left, end_x, end_y, middle } = *position;
        let (size, gap) = (self.size, style.unit * LABEL_GAP);
        let direction = if is_left { -1.0 } else { 1.0 };
        let max_width = if is_left { self.left_width } else { self.right_width };
        let anchor = if is_left { Anchor::End } else { Anchor::Start };
        let is_faded = slope.color == style.faded_color();
        let color = if is_faded {
            style.label_color
        } else {
            slope.color.readable_on(style.background, 4.5)
        };
        if (end_y - middle).abs() > size * 0.5 {
            let stroke = Stroke::new(slope.color.mix(style.background, 0.4), 1.0);
            let leader_point = |share: f64, y: f64| Point::new(end_x + direction * gap * share, y);
            scene.line(leader_point(0.35, end_y), leader_point(0.85, middle), stroke);
        }
        let baseline = middle + HALF_CAP_HEIGHT_EM * size;
        let value_width = text::width(value, size, Face::BOLD);
        let value_x = end_x + direction * gap;
        let value_label = style.label_text(value_x, baseline, anchor, size, value);
        scene.text(Text { face: Face::BOLD, width: value_width, color, ..value_label });
        if is_left && !self.names_on_both_sides {
            return;
        }
        let name_gap = if value_width > 0.0 { size * NAME_GAP_EM } else { 0.0 };
        let used_width = gap + value_width + name_gap;
        let max_name_width = max_width - used_width + 0.1;
        let name = text::ellipsize(&slope.label, max_name_width, size, style.label_face());
        let full = (name != slope.label).then(|| slope.label.to_string());
        let face = if slope.highlighted { Face::BOLD } else { style.label_face() };
        let width = text::width(&name, size, face);
        // A bold name may be wider than the space measured for a regular one.
        let (face, width) = if width <= max_name_width {
            (face, width)
        } else {
            (style.label_face(), style.text_width(&name, size))
        };
        let name_x = end_x + direction * used_width;
        let name_label = style.label_text(name_x, baseline, anchor, size, &name);
        scene.text(Text { full, face, width, color, ..name_label });
    }
}

/// Returns the ends with labels that do not overlap at their original positions, the most important
/// first. Highlighted records have priority, then large changes. `height` is the height of a label
/// in points.
///
/// Ends after the first `MAX_CHECKED_LABELS` are dropped.
fn keep_most_important(slopes: &[Slope], mut ends: Vec<LineEnd>, height: f64) -> Vec<LineEnd> {
    let priority = |end: &LineEnd| {
        let Some(slope) = slopes.get(end.slope) else { return (false, 0.0) };
        // Both values are halved, so that the difference stays finite.
        let half_change = |(before, after): (f64, f64)| (after / 2.0 - before / 2.0).abs();
        (slope.highlighted, slope.before.zip(slope.after).map_or(0.0, half_change))
    };
    ends.sort_by(|a, b| {
        let ((a_highlighted, a_change), (b_highlighted, b_change)) = (priority(a), priority(b));
        b_highlighted
            .cmp(&a_highlighted)
            .then(b_change.total_cmp(&a_change))
            .then(a.slope.cmp(&b.slope))
    });
    let mut kept: Vec<LineEnd> = Vec::new();
    for end in ends.into_iter().take(MAX_CHECKED_LABELS) {
        if kept.iter().all(|other| (other.y - end.y).abs() >= height) {
            kept.push(end);
        }
    }
    kept
}
