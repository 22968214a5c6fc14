//! Labels with name and value at both ends of the lines, spread so that they do not overlap.

use std::collections::BTreeSet;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::{NumberFormat, Omission};
use crate::frame::ChartStyle;
use crate::frame::end_names::{EndNames, LINE_HEIGHT_EM};
use crate::kinds::slope::records::Slope;
use crate::scale::LinearScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::spread;
use crate::text;
use crate::text::Face;

/// Space between a value and a name, as a share of the font size.
const NAME_GAP_EM: f64 = 0.5;
/// Distance between an end point and its label, in [`ChartStyle::unit`]s.
const LABEL_GAP: f64 = 9.0;
/// Maximum width of the labels of both sides, as a share of the area, if only the right side has
/// names.
const MAX_NARROW_SHARE: f64 = 0.8;
/// Maximum distance of a label from its end point, in heights of a label, if not all labels have
/// space.
const MAX_MOVEMENT: f64 = 2.5;
/// Maximum number of end points that compete for the labels of a side, as a multiple of their
/// number.
const MAX_CANDIDATES: usize = 4;

/// Labels and the space they need, computed before the width of the plot is known.
pub struct EndLabels {
    /// Width in points reserved left of the plot.
    pub left_width: f64,
    /// Width in points reserved right of the plot.
    pub right_width: f64,
    /// Names of the records.
    names: EndNames,
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
    /// Names are wrapped or smaller if a side would take more than 30 % of the width of `area`, or
    /// the right side 44 % if only it has names. Then they get up to 38 or 55 % before they are
    /// shortened. Where only the right side has names, both sides get up to 80 %. No labels are
    /// drawn if both sides would still take more than 85 %.
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
        let gap = style.unit * LABEL_GAP;
        let value_width = |size: f64| {
            let values = value_texts.iter().flat_map(|texts| [&texts.before, &texts.after]);
            values.map(|value| text::width(value, size, Face::BOLD)).fold(0.0, f64::max)
        };
        let used_width = |size: f64| {
            let value_width = value_width(size);
            let name_gap = if value_width > 0.0 { size * NAME_GAP_EM } else { 0.0 };
            gap + value_width + name_gap
        };
        let names_on_both_sides = area.width() >= style.label_size * 34.0;
        let shares = if names_on_both_sides { [0.3, 0.38] } else { [0.44, 0.55] };
        let used = used_width(style.label_size);
        let mut widths = shares.map(|share| area.width() * share - used).to_vec();
        if !names_on_both_sides {
            let left_width = gap + value_width(style.label_size);
            widths.push(area.width() * MAX_NARROW_SHARE - left_width - used);
        }
        widths.iter_mut().for_each(|width| *width = width.max(0.0));
        let labels: Vec<&str> = slopes.iter().map(|slope| &*slope.label).collect();
        let height = area.height() / slopes.len().max(1) as f64;
        let names = EndNames::plan(&labels, height, &widths, style);
        let right_width = used_width(names.size) + names.width;
        let left_width =
            if names_on_both_sides { right_width } else { gap + value_width(names.size) };
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
            names,
            names_on_both_sides,
            value_texts,
            shows_values,
            is_visible,
        }
    }

    /// Draws the labels of both sides unless `is_visible` is false. The left side has none if it would
    /// show only values and values are hidden. The scene counts the records without a name on any side.
    /// `y` is the scale from values to y coordinates.
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

    /// Draws the labels of the left (`is_left`) or the right side, spread apart vertically. If not all
    /// fit, only the most important ones are drawn. Records without a value on this side have none.
    ///
    /// Returns the indices of the slopes with a name: none if this side shows only values.
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
        let line_count = self.names.lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
        let height = self.names.size * LINE_HEIGHT_EM * line_count as f64;
        let capacity = ((plot.height() + 0.1) / height) as usize;
        if ends.len() > capacity {
            ends = keep_most_important(slopes, ends, height, plot);
        }
        ends.sort_by(|a, b| a.y.total_cmp(&b.y));
        let middles = spread_ends(&ends, height, plot);
        let end_x = if is_left { plot.x0 } else { plot.x1 };
        for (end, middle) in ends.iter().zip(middles) {
            let (Some(slope), Some(texts)) =
                (slopes.get(end.slope), self.value_texts.get(end.slope))
            else {
                continue;
            };
            let value = if is_left { &texts.before } else { &texts.after };
            let position = LabelPosition { is_left, end_x, end_y: end.y, middle };
            self.draw_label((end.slope, slope), value, &position, style, scene);
        }
        match is_left && !self.names_on_both_sides {
            true => Vec::new(),
            false => ends.iter().map(|end| end.slope).collect(),
        }
    }

    /// Draws the label of the slope `index`, with a leader line if it is not at the height of its end
    /// point. The value comes first as seen from the end point, then the name, shortened if it does
    /// not fit. On narrow canvases the labels at the left have no name.
    fn draw_label(
        &self,
        (index, slope): (usize, &Slope),
        value: &str,
        position: &LabelPosition,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let LabelPosition { is_left, end_x, end_y, middle } = *position;
        let (size, gap) = (self.names.size, style.unit * LABEL_GAP);
        let direction = if is_left { -1.0 } else { 1.0 };
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
        let name_x = end_x + direction * (gap + value_width + name_gap);
        for name in self.names.texts(index, (name_x, middle), anchor, style) {
            let bold_width = text::width(&name.text, size, Face::BOLD);
            // A bold name may be wider than the space measured for a regular one.
            let is_bold = slope.highlighted && bold_width <= self.names.width;
            let (face, width) =
                if is_bold { (Face::BOLD, bold_width) } else { (name.face, name.width) };
            scene.text(Text { face, width, color, ..name });
        }
    }
}

/// Returns the y coordinates of the middles of labels beside `ends`, which are in ascending order of y.
/// The labels are `height` points high, do not overlap, stay in `plot`, and are near their ends.
fn spread_ends(ends: &[LineEnd], height: f64, plot: Rect) -> Vec<f64> {
    let preferred: Vec<f64> = ends.iter().map(|end| end.y).collect();
    spread::spread_apart(&preferred, &vec![height; ends.len()], plot.y0, plot.y1)
}

/// Returns the ends with space for labels of `height` points near them, in ascending order of y.
/// Highlighted records have priority, then large absolute changes, then the order of the slopes.
///
/// Leaves out a label that would move itself or another one by more than `MAX_MOVEMENT`, because labels
/// far from their ends would seem to belong to other lines.
fn keep_most_important(
    slopes: &[Slope],
    mut ends: Vec<LineEnd>,
    height: f64,
    plot: Rect,
) -> Vec<LineEnd> {
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
    let capacity = ((plot.height() + 0.1) / height) as usize;
    let mut kept: Vec<LineEnd> = Vec::new();
    for end in ends.into_iter().take(capacity * MAX_CANDIDATES) {
        if kept.len() >= capacity {
            break;
        }
        let index = kept.partition_point(|other| other.y <= end.y);
        kept.insert(index, end);
        let middles = spread_ends(&kept, height, plot);
        let mut movements = kept.iter().zip(middles).map(|(end, middle)| (end.y - middle).abs());
        if movements.any(|movement| movement > MAX_MOVEMENT * height) {
            kept.remove(index);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn all_names_of_27_lines_and_of_long_names_are_whole() {
        for (count, suffix) in [(27, ""), (12, " for the extension of the harbour railway lines")] {
            let record = |index: usize| {
                let label = format!("Programme {index}{suffix}");
                json!({"label": label, "before": index * 7 % 29, "after": index * 5 % 27})
            };
            let data: Vec<Value> = (0..count).map(record).collect();
            for slug in ["slope", "bump"] {
                let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &data));
                assert_eq!(scene.omissions, [], "{slug} {count}");
            }
        }
    }
}
