//! Labels beside the slices of a circle: two columns that follow the circle, with leader lines.

mod growth;
mod leader_lines;

use kurbo::{Circle, Point, Rect};

use crate::color::Color;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Scene, Stroke, Text};
use crate::slices::legend::SliceLegend;
use crate::slices::{CircleExtent, Slice};
use crate::spread;
use crate::text;

/// Space in points between the circle and the labels, for the leader lines.
const CIRCLE_GAP: f64 = 18.0;
/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.28;
/// Vertical space between two labels in points.
const LABEL_GAP: f64 = 4.0;
/// Maximum width of the labels on each side as a share of the area, so that the circle keeps most
/// of the space.
const MAX_WIDTH_SHARE: f64 = 0.36;
/// The same beside a half circle, which needs the same width for half the height.
const MAX_WIDTH_SHARE_BESIDE_HALF: f64 = 0.27;

/// Content and arrangement of a label.
#[derive(Clone, Copy, PartialEq)]
enum LabelForm {
    /// The name, and below it value and percentage.
    Stacked,
    /// Name, value and percentage in one line.
    Flat,
    /// The name in up to two lines, followed by value and percentage.
    Detailed,
    /// Name and short text in one line.
    Short,
    /// The name in up to two lines, followed by the short text.
    Wrapped,
}

/// A label, broken into lines and not yet placed.
struct Label {
    /// Index of the slice.
    slice: usize,
    /// Whether the label is right of the circle.
    is_right: bool,
    /// Lines of the name.
    lines: Vec<String>,
    /// Full name, if it is shortened.
    full: Option<String>,
    /// Value and percentage, as far as they are shown.
    detail: String,
    /// Width in points.
    width: f64,
    /// Height in points, including the space to the next label.
    height: f64,
}

/// Position of circle and labels.
pub struct SliceLayout {
    /// Center of the circle.
    pub center: Point,
    /// Radius of the circle in points.
    pub radius: f64,
    pub(super) extent: CircleExtent,
    form: LabelForm,
    labels: Vec<Label>,
    /// Font size of the labels in points.
    label_size: f64,
    /// Number of slices without a label.
    pub omitted: usize,
    /// List of the slices beside the circle, instead of labels around it.
    pub(super) legend: Option<SliceLegend>,
}

/// A layout to try.
struct Attempt {
    form: LabelForm,
    /// Maximum movement of a label from its preferred position, in font sizes.
    max_movement: f64,
    /// Whether names may be shortened.
    may_shorten: bool,
}

impl Attempt {
    /// Creates an attempt from its fields.
    const fn new(form: LabelForm, max_movement: f64, may_shorten: bool) -> Attempt {
        Attempt { form, max_movement, may_shorten }
    }

    /// Returns whether the labels show only the short text, which lacks the value if there is a
    /// percentage.
    fn is_brief(&self) -> bool {
        matches!(self.form, LabelForm::Short | LabelForm::Wrapped)
    }
}

/// A function that lays out a list of slices with the center and radius of the circle, if it fits.
type LegendLayout =
    fn(&[Slice], Rect, &ChartStyle, CircleExtent) -> Option<(SliceLegend, Point, f64)>;

/// Layouts to try, in this order.
const ATTEMPTS: [Attempt; 8] = [
    Attempt::new(LabelForm::Stacked, 1.6, false),
    Attempt::new(LabelForm::Flat, 4.0, false),
    Attempt::new(LabelForm::Stacked, 4.0, false),
    Attempt::new(LabelForm::Detailed, 5.5, false),
    Attempt::new(LabelForm::Short, 4.0, false),
    Attempt::new(LabelForm::Wrapped, 5.5, false),
    Attempt::new(LabelForm::Wrapped, 4.0, true),
    Attempt::new(LabelForm::Short, 4.0, true),
];

/// Returns the first layout in which the labels of all slices fit and stay near their slices. Tries
/// whole names with values in normal and small text, the same without values, a list beside the
/// circle (if `may_list`), the smallest text, a list of shortened names, and shortened labels. If
/// none fits, only as many of the largest slices as possible get a label, in the short form.
pub fn layout_labels(
    slices: &[Slice],
    area: Rect,
    style: &ChartStyle,
    extent: CircleExtent,
    may_list: bool,
) -> SliceLayout {
    let whole_in = |label_size: f64, is_brief: bool| {
        let style = ChartStyle { label_size, ..style.clone() };
        let attempts = ATTEMPTS.iter().filter(|attempt| !attempt.may_shorten);
        let mut attempts = attempts.filter(|attempt| attempt.is_brief() == is_brief);
        attempts.find_map(|attempt| try_layout(attempt, slices, area, &style, extent))
    };
    let whole_at = |size: f64| whole_in(size, false).or_else(|| whole_in(size, true));
    let whole = whole_in(style.label_size, false)
        .or_else(|| whole_in(style.small_size, false))
        .or_else(|| whole_in(style.label_size, true))
        .or_else(|| whole_in(style.small_size, true));
    let listed = |lay_out: LegendLayout| {
        let (legend, center, radius) =
            may_list.then(|| lay_out(slices, area, style, extent)).flatten()?;
        let (form, labels) = (LabelForm::Short, Vec::new());
        let label_size = style.label_size;
        let legend = Some(legend);
        Some(SliceLayout { center, radius, extent, form, labels, label_size, omitted: 0, legend })
    };
    let shortened = || {
        let mut attempts = ATTEMPTS.iter().filter(|attempt| attempt.may_shorten);
        attempts.find_map(|attempt| try_layout(attempt, slices, area, style, extent))
    };
    // A list in larger text is easier to read than labels in the smallest text.
    whole
        .or_else(|| listed(SliceLegend::lay_out))
        .or_else(|| whole_at(MIN_TEXT_SIZE.min(style.small_size)))
        .or_else(|| listed(SliceLegend::lay_out_shortened))
        .or_else(shortened)
        .unwrap_or_else(|| lay_out_largest(slices, area, style, extent))
}

/// Returns the layout of an attempt. None if a label does not fit or is too far from its slice, leader
/// lines cross, a name would be shortened without permission, or the circle would be too small.
fn try_layout(
    attempt: &Attempt,
    slices: &[Slice],
    area: Rect,
    style: &ChartStyle,
    extent: CircleExtent,
) -> Option<SliceLayout> {
    let Attempt { form, max_movement, may_shorten } = *attempt;
    let all: Vec<usize> = (0..slices.len()).collect();
    let labels = make_labels(slices, &all, form, extent, area, style);
    let is_acceptable = may_shorten || labels.iter().all(|label| label.full.is_none());
    if !is_acceptable || labels.len() != slices.len() || !labels_fit(&labels, area) {
        return None;
    }
    let layout = place_circle(labels, form, extent, area, style, 0);
    let layout = layout.grown(slices, area, area.height() / 2.0 - style.label_size)?;
    let is_near = measure_label_movement(&layout, slices, area) < max_movement * style.label_size;
    (is_near && layout.radius >= 0.3 * area.height().min(area.width())).then_some(layout)
}

/// Returns a layout with short labels at as many of the largest slices as possible, possibly at
/// none.
fn lay_out_largest(
    slices: &[Slice],
    area: Rect,
    style: &ChartStyle,
    extent: CircleExtent,
) -> SliceLayout {
    let all: Vec<usize> = (0..slices.len()).collect();
    let is_narrow = area.width() < 12.0 * style.label_size;
    let max_per_side = if is_narrow {
        0
    } else {
        (area.height() / compute_label_pitch(style.label_size)) as usize
    };
    let mut largest = all;
    largest.sort_by(|one, two| slices[*two].value.total_cmp(&slices[*one].value));
    largest.truncate(max_per_side * 2);
    loop {
        let mut chosen = largest.clone();
        chosen.sort_unstable();
        let labels = make_labels(slices, &chosen, LabelForm::Short, extent, area, style);
        if labels_fit(&labels, area) {
            let omitted = slices.len() - labels.len();
            let layout = place_circle(labels, LabelForm::Short, extent, area, style, omitted);
            if measure_label_movement(&layout, slices, area) < 3.0 * style.label_size {
                return layout;
            }
        }
        largest.pop();
    }
}

/// Returns the largest vertical distance in points between the final and the preferred position of
/// a label. 0 without labels.
fn measure_label_movement(layout: &SliceLayout, slices: &[Slice], area: Rect) -> f64 {
    let columns = [false, true].map(|is_right| layout.arrange_column(is_right, slices, area));
    let movements = columns
        .iter()
        .flatten()
        .map(|(label, middle)| (layout.preferred_y(slices, label) - middle).abs());
    movements.fold(0.0, f64::max)
}

impl SliceLayout {
    /// Returns whether every slice has a label, and no label a shortened name. Does not check the
    /// names in a list beside the circle.
    pub fn is_complete(&self) -> bool {
        self.omitted == 0 && self.labels.iter().all(|label| label.full.is_none())
    }

    /// Returns the preferred y coordinate in points of the middle of a label: beside the middle of
    /// its slice.
    fn preferred_y(&self, slices: &[Slice], label: &Label) -> f64 {
        self.center.y + (self.radius + CIRCLE_GAP * 0.5) * slices[label.slice].label_direction.y
    }

    /// Returns the x coordinate in points of the end of a label at the circle, for the y coordinate
    /// `middle`.
    fn label_x(&self, label: &Label, middle: f64) -> f64 {
        let side = if label.is_right { 1.0 } else { -1.0 };
        let reach = self.radius + CIRCLE_GAP - 4.0;
        let distance = match self.extent {
            CircleExtent::Full => (middle - self.center.y).abs(),
            // Labels below the baseline of a half circle stay beside it.
            CircleExtent::Half => (self.center.y - middle).max(0.0),
        };
        let nearest_y = (distance - (label.height - LABEL_GAP) / 2.0).max(0.0);
        let distance_x = (reach * reach - nearest_y * nearest_y).max(0.0).sqrt();
        self.center.x + side * (distance_x + 4.0)
    }

    /// Returns the labels right (`is_right`) or left of the circle from top to bottom with the y
    /// coordinates of their middles, moved apart within `area` so that they do not overlap.
    fn arrange_column(&self, is_right: bool, slices: &[Slice], area: Rect) -> Vec<(&Label, f64)> {
        let mut column: Vec<&Label> =
            self.labels.iter().filter(|label| label.is_right == is_right).collect();
        column.sort_by(|one, two| {
            self.preferred_y(slices, one).total_cmp(&self.preferred_y(slices, two))
        });
        let preferred: Vec<f64> =
            column.iter().map(|label| self.preferred_y(slices, label)).collect();
        let heights: Vec<f64> = column.iter().map(|label| label.height).collect();
        let middles = spread::spread_apart(&preferred, &heights, area.y0, area.y1);
        column.into_iter().zip(middles).collect()
    }
}

/// Returns the height in points of a label of one line, including the space to the next one. `size`
/// is the font size in points.
fn compute_label_pitch(size: f64) -> f64 {
    size * LINE_HEIGHT + LABEL_GAP
}

/// Returns the labels of the `chosen` slices in a form, broken into lines, with an ellipsis in
/// names that are too long. Omits labels that are empty or too wide. Labels go to the side of their
/// slice.
fn make_labels(
    slices: &[Slice],
    chosen: &[usize],
    form: LabelForm,
    extent: CircleExtent,
    area: Rect,
    style: &ChartStyle,
) -> Vec<Label> {
    let size = style.label_size;
    let max_share = match extent {
        CircleExtent::Full => MAX_WIDTH_SHARE,
        CircleExtent::Half => MAX_WIDTH_SHARE_BESIDE_HALF,
    };
    let max_width = (area.width() * max_share - CIRCLE_GAP).max(0.0);
    let make_label = |&index: &usize| {
        let slice = &slices[index];
        let short = if slice.short_text.is_empty() { &slice.detail } else { &slice.short_text };
        let is_brief = matches!(form, LabelForm::Short | LabelForm::Wrapped);
        let detail = if is_brief { short } else { &slice.detail };
        let detail_width = style.text_width(detail, size);
        let max_lines = match form {
            LabelForm::Stacked | LabelForm::Wrapped | LabelForm::Detailed => 2,
            LabelForm::Flat | LabelForm::Short => 1,
        };
        let name_width = match form {
            LabelForm::Stacked => max_width,
            _ if detail_width > 0.0 => max_width - detail_width - size * 0.4,
            _ => max_width,
        };
        let lines = text::wrap(&slice.label, name_width, max_lines, size, style.label_face());
        let is_cut = lines.iter().any(|line| line.ends_with('…'));
        let widest_line = lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max);
        let last_line = lines.last().map_or(0.0, |line| style.text_width(line, size));
        let (width, rows) = match form {
            LabelForm::Stacked => {
                (widest_line.max(detail_width), lines.len() + usize::from(!detail.is_empty()))
            }
            _ if last_line > 0.0 && detail_width > 0.0 => {
                (widest_line.max(last_line + size * 0.4 + detail_width), lines.len())
            }
            _ => (widest_line + detail_width, lines.len().max(1)),
        };
        Label {
            slice: index,
            is_right: slice.label_direction.x >= -1e-9,
            full: is_cut.then(|| slice.label.clone()),
            lines,
            detail: detail.clone(),
            width,
            height: rows as f64 * size * LINE_HEIGHT + LABEL_GAP,
        }
    };
    chosen
        .iter()
        .map(make_label)
        .filter(|label| label.width > 0.0 && label.width <= max_width)
        .collect()
}

/// Returns whether the sum of the heights of the labels of each side fits into the height of the
/// area.
fn labels_fit(labels: &[Label], area: Rect) -> bool {
    [false, true].iter().all(|is_right| {
        let column = labels.iter().filter(|label| label.is_right == *is_right);
        column.map(|label| label.height).sum::<f64>() <= area.height()
    })
}

/// Returns a layout with the circle as large as it fits between the labels, and centered in the
/// area as far as the labels allow. `omitted` is the number of slices without a label.
fn place_circle(
    labels: Vec<Label>,
    form: LabelForm,
    extent: CircleExtent,
    area: Rect,
    style: &ChartStyle,
    omitted: usize,
) -> SliceLayout {
    let measure_column = |is_right: bool| {
        let column = labels.iter().filter(|label| label.is_right == is_right);
        column.map(|label| label.width + CIRCLE_GAP).fold(0.0, f64::max)
    };
    let (left, right) = (measure_column(false), measure_column(true));
    // Labels at the top and bottom of the circle extend beyond it.
    let above = if labels.is_empty() { 2.0 } else { style.label_size };
    let height = match extent {
        CircleExtent::Full => area.height() / 2.0 - above,
        CircleExtent::Half => area.height() - above - style.label_size,
    };
    let radius = ((area.width() - left - right) / 2.0).min(height).max(0.0);
    // Centered in the area, unless a wide column of labels needs the space.
    let middle = area.center().x;
    let x = middle.max(area.x0 + left + radius).min(area.x1 - right - radius);
    let y = match extent {
        CircleExtent::Full => area.center().y,
        CircleExtent::Half => area.center().y + radius / 2.0,
    };
    let (center, label_size) = (Point::new(x, y), style.label_size);
    SliceLayout { center, radius, extent, form, labels, label_size, omitted, legend: None }
}

/// Draws all labels with their leader lines, or the list instead if the layout has one. `area` is
/// that of the layout.
pub fn draw(
    layout: &SliceLayout,
    slices: &[Slice],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if let Some(legend) = &layout.legend {
        let circle = Circle::new(layout.center, layout.radius);
        return legend.draw(circle, slices, style, scene);
    }
    let style = &ChartStyle { label_size: layout.label_size, ..style.clone() };
    let stroke = Stroke::new(style.muted_color.mix(style.background, 0.4), 1.0);
    for is_right in [false, true] {
        for (label, middle) in layout.arrange_column(is_right, slices, area) {
            draw_label(layout, &slices[label.slice], label, middle, stroke, style, scene);
        }
    }
}

/// Draws a label beside the circle at the y coordinate `middle`, with its leader line. The x
/// coordinate follows the edge of the circle at this height.
fn draw_label(
    layout: &SliceLayout,
    slice: &Slice,
    label: &Label,
    middle: f64,
    stroke: Stroke,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let x = layout.label_x(label, middle);
    let rows = label.lines.len()
        + usize::from(layout.form == LabelForm::Stacked && !label.detail.is_empty());
    let first_middle = middle - (rows.max(1) - 1) as f64 * style.label_size * LINE_HEIGHT / 2.0;
    scene.stroke(layout.leader_line(slice, label, middle).path(), stroke);
    draw_lines(layout.form, label, Point::new(x, first_middle), style, scene);
}

/// Draws name and detail of a label, with the middle of the first line at `start`. Lines begin
/// there right of the circle, and end there left of it. The detail follows the last line of the
/// name, or is below it in the stacked form.
fn draw_lines(form: LabelForm, label: &Label, start: Point, style: &ChartStyle, scene: &mut Scene) {
    let anchor = if label.is_right { Anchor::Start } else { Anchor::End };
    let base = start.y + HALF_CAP_HEIGHT_EM * style.label_size;
    let write = |line: &str, x: f64, y: f64, color: Color, scene: &mut Scene| {
        let full = label.full.clone().filter(|_| line.ends_with('…'));
        let text = style.label_text(x, y, anchor, style.label_size, line);
        let width = text.width;
        scene.text(Text { color, full, ..text });
        width
    };
    if form == LabelForm::Stacked {
        let below = (!label.detail.is_empty()).then_some((&label.detail, style.muted_color));
        let lines = label.lines.iter().map(|line| (line, style.value_color)).chain(below);
        for (row, (line, color)) in lines.enumerate() {
            write(line, start.x, base + row as f64 * style.label_size * LINE_HEIGHT, color, scene);
        }
        return;
    }
    let (last_line, lines_before) =
        label.lines.split_last().map_or(("", &[][..]), |(last, before)| (&**last, before));
    for (row, line) in lines_before.iter().enumerate() {
        write(
            line,
            start.x,
            base + row as f64 * style.label_size * LINE_HEIGHT,
            style.value_color,
            scene,
        );
    }
    let base = base + lines_before.len() as f64 * style.label_size * LINE_HEIGHT;
    // The name precedes the detail on both sides.
    let parts = [(last_line, style.value_color), (label.detail.as_str(), style.muted_color)];
    let (first, second) = if label.is_right { (0, 1) } else { (1, 0) };
    let step = if label.is_right { 1.0 } else { -1.0 };
    let width = write(parts[first].0, start.x, base, parts[first].1, scene);
    let gap = if width > 0.0 { style.label_size * 0.4 } else { 0.0 };
    write(parts[second].0, start.x + step * (width + gap), base, parts[second].1, scene);
}
