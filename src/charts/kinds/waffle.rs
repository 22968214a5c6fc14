//! Waffle chart: 100 squares, distributed among the records by largest remainders, with labels
//! beside the squares.
//!
//! Record: `label`, `value` (greater than 0), `highlighted`, `color`. Settings: `sort`, `shape`
//! (`square`, `dot`), `whole` (amount that all squares represent, 0 for the sum), `showValues`,
//! `showPercentages`, `valueTitle`. Percentages with a sum below 100 leave squares empty.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat, Omission, count_decimals};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
use crate::slices;
use crate::slices::Slice;
use crate::spread;
use crate::text;
use crate::text::Face;

/// The waffle chart.
pub const KIND: Kind = Kind { slug: "waffle", draw };

/// Number of squares per row and per column.
const SIDE: usize = 10;
/// Maximum number of parts. The smallest records beyond it are merged, because more colors could
/// not be distinguished.
const MAX_PARTS: usize = 8;
/// Maximum number of decimals of shares that are values of the data.
const MAX_SHARE_DECIMALS: usize = 2;
/// Line height of a name relative to its font size.
const LINE_HEIGHT_EM: f64 = 1.25;

/// A slice with its number of squares.
///
/// `slice.short_text` is the formatted share and `slice.detail` the formatted value. Both are empty
/// if the settings hide them.
struct Part {
    slice: Slice,
    /// Number of squares, 0 to 100.
    square_count: usize,
}

/// Division of the frame between squares and labels.
struct Areas {
    /// Square area of the grid.
    grid: Rect,
    /// Area of the labels. None if there is too little space.
    labels: Option<Rect>,
}

/// Font sizes of a label in points.
#[derive(Clone, Copy)]
struct LabelSizes {
    share: f64,
    /// Font size of the name and of the value after it.
    name: f64,
}

/// Label of a part, with the name wrapped into lines.
struct PartLabel<'a> {
    part: &'a Part,
    /// Lines of the name. The last one ends with an ellipsis if the name is shortened.
    name_lines: Vec<String>,
    /// Y coordinate in points of the middle of its squares.
    preferred_y: f64,
}

/// All labels with their common font sizes.
struct LabelLayout<'a> {
    labels: Vec<PartLabel<'a>>,
    sizes: LabelSizes,
    /// Width of the column of shares in points, including the space after it. 0 without shares.
    share_width: f64,
    /// Whether the values are drawn after the names. True for all labels or for none.
    with_values: bool,
}

/// Draws the squares and their labels. The scene counts parts without a square. Draws a note instead if no
/// record has a value above zero.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut parts = read_parts(chart, &frame.style, scene);
    if parts.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    distribute_squares(chart, &mut parts, scene);
    scene.omit(Omission::TooSmall, parts.iter().filter(|part| part.square_count == 0).count());
    let areas = divide_area(frame);
    draw_squares(chart, &parts, areas.grid, &frame.style, scene);
    if let Some(label_area) = areas.labels {
        draw_labels(&parts, areas.grid, label_area, &frame.style, scene);
    }
    describe(&parts, scene);
}

/// Reads the records with a value greater than 0 in drawing order, with their colors. Merges the
/// smallest ones if there are more than `MAX_PARTS` or than the setting `otherAfter`. The parts
/// have no squares yet.
fn read_parts(chart: &Chart, style: &ChartStyle, scene: &mut Scene) -> Vec<Part> {
    let mut slices = slices::read_slices(chart, "value", false, MAX_PARTS, scene);
    slices::assign_colors(chart, style, &mut slices);
    // Two shades of gray alternate, so that adjacent gray parts can be distinguished.
    for slice in slices.iter_mut().skip(1).step_by(2) {
        if slice.fill == style.faded_color() {
            slice.fill = slice.fill.mix(style.background, 0.3);
        }
    }
    slices.into_iter().map(|slice| Part { slice, square_count: 0 }).collect()
}

/// Returns the amount that all squares represent: the setting `whole`, without it 100 if the values
/// are percentages, and in any case at least `sum`.
fn choose_whole_amount(chart: &Chart, sum: f64) -> f64 {
    let percent = chart.format_rules("value").percent;
    let whole = chart.number_setting("whole").unwrap_or(0.0);
    let whole = if whole <= 0.0 && percent { 100.0 } else { whole };
    whole.max(sum)
}

/// Sets the number of squares of each part, and the texts of its share and value as far as the
/// settings show them. Beside shares, values that are percentages have no text. Shares are whole numbers,
/// or as exact as the values if these are the same numbers. A share that is rounded to 0 is written as
/// `<1%`.
fn distribute_squares(chart: &Chart, parts: &mut [Part], scene: &mut Scene) {
    let mut values: Vec<f64> = parts.iter().map(|part| part.slice.value).collect();
    let sum: f64 = values.iter().sum();
    let rest = choose_whole_amount(chart, sum) - sum;
    values.push(if rest > sum * 1e-6 { rest } else { 0.0 });
    let shares = percentages::shares(&values);
    let square_counts = percentages::distribute(&values, SIDE * SIDE);
    let rules = chart.format_rules("value");
    let locale = chart.locale();
    let value_format = NumberFormat::for_values(values.iter().copied(), &rules, locale);
    let are_shares = are_equal(&values, &shares);
    let decimals = if are_shares { count_share_decimals(&values, &rules) } else { 0 };
    let percent_format =
        NumberFormat::with_fixed_decimals(decimals, &FormatRules::default(), locale).with_percent();
    let with_shares = chart.bool_setting("showPercentages", true);
    let is_repeated = with_shares && (rules.percent || are_shares);
    let with_values = chart.bool_setting("showValues", true) && !is_repeated;
    if with_shares {
        percentages::note_rounding(&shares, decimals, scene);
    }
    let smallest = 10f64.powi(-(decimals as i32));
    for ((part, share), square_count) in parts.iter_mut().zip(shares).zip(square_counts) {
        part.square_count = square_count;
        if with_shares {
            part.slice.short_text = match (share / smallest).round() {
                0.0 => format!("<{}", percent_format.text(smallest)),
                _ => percent_format.text(share),
            };
        }
        if with_values {
            part.slice.detail = value_format.text(part.slice.value);
        }
    }
}

/// Returns whether all values are equal to their shares in percent.
fn are_equal(values: &[f64], shares: &[f64]) -> bool {
    values.iter().zip(shares).all(|(value, share)| (value - share).abs() < 1e-6)
}

/// Returns the number of decimals of values that are shares: that of the number format of the column,
/// otherwise as many as the values have, but at most [`MAX_SHARE_DECIMALS`].
fn count_share_decimals(values: &[f64], rules: &FormatRules) -> usize {
    let needed = values.iter().map(|value| count_decimals(*value)).max().unwrap_or(0);
    rules.decimals.unwrap_or(needed.min(MAX_SHARE_DECIMALS))
}

/// Returns the square area of the grid, and the area of the labels right of it or, if the frame is higher
/// than wide, below it. There are no labels if that area would be too small.
fn divide_area(frame: &Frame) -> Areas {
    let (area, style) = (frame.area, &frame.style);
    let gap = style.label_size * 1.6;
    if area.width() >= area.height() {
        let side = area.height().min(area.width() * 0.6);
        let top = area.y0 + (area.height() - side) / 2.0;
        let grid = Rect::new(area.x0, top, area.x0 + side, top + side);
        let labels = Rect { x0: grid.x1 + gap, ..area };
        let labels = (labels.width() > style.label_size * 4.0).then_some(labels);
        return Areas { grid, labels };
    }
    let side = area.width().min(area.height() * 0.6);
    let grid = Rect::new(area.x0, area.y0, area.x0 + side, area.y0 + side);
    let labels = Rect { y0: grid.y1 + gap, ..area };
    Areas { grid, labels: (labels.height() > style.label_size * 2.0).then_some(labels) }
}

/// Draws the 100 squares (or dots) row by row from the top left: the parts in order, each as a
/// mark, then the empty rest in the grid color.
fn draw_squares(chart: &Chart, parts: &[Part], grid: Rect, style: &ChartStyle, scene: &mut Scene) {
    let step = grid.width() / SIDE as f64;
    let size = step * 0.88;
    let with_dots = chart.str_setting("shape") == "dot";
    let draw_square = |index: usize, fill: Color, scene: &mut Scene| {
        let offset = Point::new((index % SIDE) as f64 * step, (index / SIDE) as f64 * step);
        // The last square ends at the edge of the grid.
        let corner = Point::new(
            grid.x0 + offset.x * (grid.width() - size) / (grid.width() - step),
            grid.y0 + offset.y * (grid.width() - size) / (grid.width() - step),
        );
        let rect = Rect::from_origin_size(corner, (size, size));
        if with_dots {
            scene.circle(rect.center(), size / 2.0, fill, None);
        } else {
            scene.push(Primitive::Rect { rect, radius: size * 0.12, fill });
        }
    };
    let mut next_index = 0;
    for part in parts {
        scene.begin_mark("square", part.slice.row, || {
            let Slice { label, short_text: share, detail, .. } = &part.slice;
            (Some("value".to_owned()), format!("{label}: {detail} {share}").trim_end().to_owned())
        });
        let end = (next_index + part.square_count).min(SIDE * SIDE);
        for index in next_index..end {
            draw_square(index, part.slice.fill, scene);
        }
        next_index = end;
    }
    scene.end_mark();
    for index in next_index..SIDE * SIDE {
        draw_square(index, style.grid_color, scene);
    }
}

/// Draws shares, names and values in `area`. Beside the grid, each label is as near to its squares
/// as the other labels allow. Below the grid, the labels are in order from the top.
///
/// If even the smallest labels do not fit, omits the last ones, which the scene counts.
fn draw_labels(parts: &[Part], grid: Rect, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let is_beside_grid = area.x0 > grid.x1;
    let small = style.small_size;
    let mut layout = fit_labels(parts, grid, area, style);
    let max_labels = (area.height() / (small * 1.5)) as usize;
    let count = layout.labels.len();
    if layout.sizes.share == small && count > max_labels {
        scene.omit(Omission::Name, count - max_labels);
        layout.labels.truncate(max_labels);
    }
    let heights: Vec<f64> = layout.labels.iter().map(|label| label.height(layout.sizes)).collect();
    let centers = if is_beside_grid {
        let preferred: Vec<f64> = layout.labels.iter().map(|label| label.preferred_y).collect();
        spread::spread_apart(&preferred, &heights, area.y0, area.y1)
    } else {
        let stacked = heights.iter().scan(area.y0, |bottom, height| {
            *bottom += height;
            Some(*bottom - height / 2.0)
        });
        stacked.collect()
    };
    for (label, center_y) in layout.labels.iter().zip(centers) {
        draw_label(label, Point::new(area.x0, center_y), &layout, style, scene);
    }
}

/// Returns the width in points of the widest share, including the space after it. `font_size` is in
/// points. Returns 0 if shares are hidden.
fn measure_share_column(parts: &[Part], font_size: f64) -> f64 {
    let widths =
        parts.iter().map(|part| text::width(&part.slice.short_text, font_size, Face::BOLD));
    let widest = widths.fold(0.0, f64::max);
    if widest > 0.0 { widest + font_size * 0.5 } else { 0.0 }
}

/// Lays out the labels in the largest font sizes at which all labels fit with whole names and their
/// values. If there are none, uses the largest ones at which they fit with whole names, then those
/// at which they fit with shortened names of one line, or else the smallest ones.
fn fit_labels<'a>(
    parts: &'a [Part],
    grid: Rect,
    area: Rect,
    style: &ChartStyle,
) -> LabelLayout<'a> {
    let (normal, small) = (style.label_size, style.small_size);
    // Font size of the share, font size of the name, and maximum number of lines of a name, in
    // descending order.
    let attempts = [
        (normal * 1.9, normal * 1.25, 2),
        (normal * 1.5, normal, 2),
        (normal, normal, 2),
        (small, small, 2),
        (normal * 1.5, normal, 1),
        (normal, normal, 1),
        (small, small, 1),
    ];
    // The best layout without values or with shortened names, and its rank among those.
    let mut best: Option<(usize, LabelLayout)> = None;
    for (share, name, max_lines) in attempts {
        let sizes = LabelSizes { share, name };
        let share_width = measure_share_column(parts, share);
        let max_width = area.width() - name * 1.3 - share_width;
        let labels = wrap_names(parts, max_width, name, max_lines, grid, style);
        let with_values =
            labels.iter().all(|label| label.has_space_for_value(max_width, name, style));
        let fits = labels.iter().map(|label| label.height(sizes)).sum::<f64>() <= area.height();
        let is_complete = labels.iter().all(PartLabel::is_complete);
        let layout = LabelLayout { labels, sizes, share_width, with_values };
        let rank = match (fits, is_complete, with_values) {
            (true, true, true) => return layout,
            (true, true, false) => 0,
            (true, false, true) if max_lines == 1 => 1,
            (true, false, false) if max_lines == 1 => 2,
            _ if share == small && max_lines == 1 => 3,
            _ => continue,
        };
        if best.as_ref().is_none_or(|(other, _)| rank < *other) {
            best = Some((rank, layout));
        }
    }
    let sizes = LabelSizes { share: small, name: small };
    let nothing = LabelLayout { labels: Vec::new(), sizes, share_width: 0.0, with_values: false };
    best.map_or(nothing, |(_, layout)| layout)
}

impl PartLabel<'_> {
    /// Returns whether the name is not shortened.
    fn is_complete(&self) -> bool {
        !self.name_lines.iter().any(|line| line.ends_with('…'))
    }

    /// Returns whether the value fits after the last line of the name, or is empty. `max_width` is that of
    /// a line, `font_size` that of name and value, both in points.
    fn has_space_for_value(&self, max_width: f64, font_size: f64, style: &ChartStyle) -> bool {
        if self.part.slice.detail.is_empty() {
            return true;
        }
        let name_width = self
            .name_lines
            .last()
            .map_or(0.0, |line| style.text_width(line, font_size) + font_size * 0.5);
        name_width + style.text_width(&self.part.slice.detail, font_size) <= max_width
    }

    /// Returns the height in points at these font sizes, including the space to the next label.
    fn height(&self, sizes: LabelSizes) -> f64 {
        let line_count = self.name_lines.len().max(1) as f64;
        (sizes.share * 1.3).max(line_count * sizes.name * LINE_HEIGHT_EM) + sizes.name * 0.2
    }
}

/// Wraps the names of all parts into at most `max_lines` lines of at most `max_width` points, and shortens
/// those that need more. The preferred position of a label is beside the middle of its squares in `grid`.
fn wrap_names<'a>(
    parts: &'a [Part],
    max_width: f64,
    font_size: f64,
    max_lines: usize,
    grid: Rect,
    style: &ChartStyle,
) -> Vec<PartLabel<'a>> {
    // Numbers of rows of squares, which may end with a part of a row.
    let mut rows_before = 0.0;
    let label = |part: &'a Part| {
        let rows = (part.square_count as f64) / SIDE as f64;
        let preferred_y = grid.y0 + (rows_before + rows / 2.0) * grid.height() / SIDE as f64;
        rows_before += rows;
        let name_lines =
            text::wrap(&part.slice.label, max_width, max_lines, font_size, style.label_face());
        PartLabel { part, name_lines, preferred_y }
    };
    parts.iter().map(label).collect()
}

/// Draws from left to right a square in the color of the part, the share if shares are shown, the lines of
/// the name, and the value after the last line if the layout has values. `left_center` is the middle of the
/// left edge.
fn draw_label(
    label: &PartLabel,
    left_center: Point,
    layout: &LabelLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let slice = &label.part.slice;
    let LabelSizes { share: share_size, name: name_size } = layout.sizes;
    let side = name_size * 0.8;
    let y = left_center.y;
    let rect = Rect::new(left_center.x, y - side / 2.0, left_center.x + side, y + side / 2.0);
    scene.push(Primitive::Rect { rect, radius: side * 0.2, fill: slice.fill });
    let share_left = left_center.x + name_size * 1.3;
    let width = text::width(&slice.short_text, share_size, Face::BOLD);
    // Shares are right-aligned, so that their digits are in columns.
    let share_right = share_left + layout.share_width - share_size * 0.5;
    let share_baseline = y + HALF_CAP_HEIGHT_EM * share_size;
    let label_text =
        style.label_text(share_right, share_baseline, Anchor::End, share_size, &slice.short_text);
    scene.text(Text { face: Face::BOLD, width, color: style.value_color, ..label_text });
    let name_left = share_left + layout.share_width;
    // A single line has the baseline of the share. Two lines are centered at it.
    let line_count = label.name_lines.len();
    let mut baseline = match line_count {
        0 | 1 => share_baseline,
        count => {
            y - (count as f64 * LINE_HEIGHT_EM * name_size) / 2.0 + (ASCENT_EM + 0.14) * name_size
        }
    };
    let mut name_right = name_left;
    for line in &label.name_lines {
        let full = line.ends_with('…').then(|| slice.label.clone());
        let label_text = style.label_text(name_left, baseline, Anchor::Start, name_size, line);
        name_right = name_left + label_text.width;
        scene.text(Text { full, ..label_text });
        baseline += LINE_HEIGHT_EM * name_size;
    }
    if layout.with_values {
        // The value is on the last line of the name.
        let (x, baseline) = match line_count {
            0 => (name_left, share_baseline),
            _ => (name_right + name_size * 0.5, baseline - LINE_HEIGHT_EM * name_size),
        };
        let label_text = style.label_text(x, baseline, Anchor::Start, name_size, &slice.detail);
        scene.text(Text { color: style.muted_color, ..label_text });
    }
}

/// Sets the text description of the scene: number of parts, and the largest and smallest one with their
/// numbers of squares. Does nothing without parts.
fn describe(parts: &[Part], scene: &mut Scene) {
    let by_value = |a: &&Part, b: &&Part| a.slice.value.total_cmp(&b.slice.value);
    let part_text =
        |part: &Part| format!("{} with {} squares", part.slice.label, part.square_count);
    if let (Some(largest), Some(smallest)) =
        (parts.iter().max_by(by_value), parts.iter().min_by(by_value))
    {
        scene.description = format!("Waffle chart of {} shares in 100 squares.", parts.len());
        scene.description.push_str(&format!(" Largest: {}.", part_text(largest)));
        if parts.len() > 1 {
            scene.description.push_str(&format!(" Smallest: {}.", part_text(smallest)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn texts(values: [f64; 3], settings: &Value) -> Vec<String> {
        let data = values.map(|value| json!({ "label": "Part", "value": value }));
        let scene = crate::draw(&Chart { settings, ..Chart::new(&KIND, &data) });
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    #[test]
    fn shares_that_are_the_values_are_printed_once_and_exactly() {
        let percent = json!({"rulesets": {"value": {"displayAsPercentage": true}}});
        for settings in [json!({}), percent] {
            let shown = texts([33.0, 21.5, 45.5], &settings);
            for share in ["33.0%", "21.5%", "45.5%"] {
                assert!(shown.iter().any(|text| text == share), "{share}: {shown:?}");
            }
            assert!(!shown.iter().any(|text| ["33.0", "33%"].contains(&text.as_str())));
        }
        let shown = texts([66.0, 43.0, 91.0], &json!({}));
        for text in ["33%", "66"] {
            assert!(shown.iter().any(|found| found == text), "{text}: {shown:?}");
        }
    }
}
