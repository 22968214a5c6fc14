//! Process: a sequence of steps as chevron arrows, in as many rows as their labels need.
//!
//! Record: `label`, `description`, `highlighted`. Settings: `showNumbers`.

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::Anchor;
use crate::steps;
use crate::steps::{Step, StepText};

/// The process chevrons.
pub const KIND: Kind = Kind { slug: "process", draw };

/// Arrangement of the arrows in rows and columns.
struct Grid {
    columns: usize,
    rows: usize,
    /// Horizontal distance from one arrow to the next in points.
    step: f64,
    /// Length of an arrow's tip, and depth of its notch, in points.
    tip: f64,
    /// Space between two arrows in points.
    gap: f64,
}

impl Grid {
    /// Returns the grid for `count` steps in at most `rows` rows, which must not be 0. It has no
    /// empty rows, but the last one may be shorter.
    ///
    /// `max_step` limits the distance of two arrows in points.
    fn new(count: usize, rows: usize, area: Rect, style: &ChartStyle, max_step: f64) -> Grid {
        let columns = count.div_ceil(rows).max(1);
        let tip = (area.width() / columns as f64 * 0.12).min(style.label_size * 1.3);
        let gap = 3.0 * style.unit;
        let step = ((area.width() - tip + gap) / columns as f64).min(max_step);
        Grid { columns, rows: count.div_ceil(columns), step, tip, gap }
    }

    /// Returns the width available for a label between notch and tip in points.
    fn max_label_width(&self, style: &ChartStyle) -> f64 {
        self.step - self.gap - self.tip - style.label_size * 0.5
    }
}

/// Draws the steps that fit, and a note with the number of the others. The text of few steps is
/// larger, if this needs neither more rows nor shortened texts. Without steps, draws another note.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut steps = steps::read_steps(chart);
    if steps.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    scene.description = describe(&steps);
    let max_steps_for = |height: f64| {
        let columns = (frame.area.width() / (style.label_size * 7.5)).max(1.0) as usize;
        columns * (height / (style.label_size * 2.6)).max(1.0) as usize
    };
    let mut max_steps = max_steps_for(frame.area.height());
    if steps.len() > max_steps {
        max_steps = max_steps_for(frame.area.height() - steps::overflow_note_height(style));
    }
    let area = steps::truncate(&mut steps, max_steps, frame.area, style, scene);
    if chart.bool_setting("showNumbers", false) {
        for (index, step) in steps.iter_mut().enumerate() {
            step.label = format!("{}. {}", style.locale.format_integer(index + 1), step.label);
        }
    }
    // If there are few steps, the text is larger, unless it would need more rows or be shortened.
    let default_grid = choose_grid(&steps, area, style);
    let has_few_steps = steps.len() <= MAX_STEPS_FOR_LARGE_TEXT;
    let larger = LARGE_TEXT_FACTORS
        .into_iter()
        .filter(|_| has_few_steps)
        .map(|factor| style.scale_labels(factor))
        .find(|style| {
            let grid = choose_grid(&steps, area, style);
            grid.rows <= default_grid.rows && shows_all_text(&steps, &grid, area, style)
        });
    match larger {
        Some(style) => {
            draw_arrows(chart, &steps, &choose_grid(&steps, area, &style), area, &style, scene)
        }
        None => draw_arrows(chart, &steps, &default_grid, area, style, scene),
    }
}

/// Maximum number of steps for which larger text is tried.
const MAX_STEPS_FOR_LARGE_TEXT: usize = 12;
/// Factors by which the text of few steps is enlarged, in the order in which they are tried.
const LARGE_TEXT_FACTORS: [f64; 2] = [1.25, 1.12];

/// Maximum distance of two arrows relative to the font size of labels, unless long labels need more.
const MAX_STEP_EM: f64 = 24.0;

/// Space between an arrow and its description relative to the font size of labels.
const DESCRIPTION_GAP_EM: f64 = 0.75;

/// Returns the text description of the chart: the number of steps, the first and the last. Empty
/// without steps.
fn describe(steps: &[Step]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if steps.len() == 1 {
        return format!("Process of 1 step: {}.", first.label);
    }
    format!("Process of {} steps, from {} to {}.", steps.len(), first.label, last.label)
}

/// Returns the grid with the fewest rows in which no label is shortened. Tries arrows of limited width, so that
/// a single arrow does not fill the image, before wider ones. If there is none, returns
/// the grid that shortens the fewest labels, and of several the one with the most rows. Ignores
/// descriptions.
fn choose_grid(steps: &[Step], area: Rect, style: &ChartStyle) -> Grid {
    let max_rows = (area.height() / (style.label_size * 2.6)).max(1.0) as usize;
    let mut best: Option<(usize, Grid)> = None;
    let row_counts = 1..=max_rows.min(steps.len()).min(24);
    let limits = [style.label_size * MAX_STEP_EM, f64::INFINITY];
    let sizes =
        limits.into_iter().flat_map(|limit| row_counts.clone().map(move |rows| (rows, limit)));
    for (rows, max_step) in sizes {
        let grid = Grid::new(steps.len(), rows, area, style, max_step);
        let height =
            (area.height() / grid.rows as f64 - style.label_size * 0.6).min(style.label_size * 2.8);
        let labels = lay_out_labels(steps, &grid, height, style);
        let cut_count = labels.iter().filter(|label| label.is_name_cut()).count();
        if best.as_ref().is_none_or(|best| cut_count <= best.0) {
            best = Some((cut_count, grid));
        }
        if cut_count == 0 {
            break;
        }
    }
    best.map_or_else(|| Grid::new(steps.len(), 1, area, style, f64::INFINITY), |best| best.1)
}

/// Lays out all labels in the same font size: the larger of two sizes at which none is shortened.
/// If there is none, the small size, in which labels may be shortened. `height` is the maximum
/// height of a label in points.
fn lay_out_labels(steps: &[Step], grid: &Grid, height: f64, style: &ChartStyle) -> Vec<StepText> {
    let layout = |font_size: f64| -> Vec<StepText> {
        let max_size = (grid.max_label_width(style), height);
        steps
            .iter()
            .map(|step| StepText::new(&step.label, "", max_size, (font_size, font_size)))
            .collect()
    };
    let sizes = [style.subtitle_size.max(style.label_size * 1.08), style.label_size]
        .into_iter()
        .map(layout);
    let is_complete = |labels: &Vec<StepText>| !labels.iter().any(StepText::is_name_cut);
    sizes.into_iter().find(is_complete).unwrap_or_else(|| layout(style.small_size))
}

/// Returns whether all labels and descriptions fit whole at the label size of `style` or larger,
/// and no description is higher than five times that size.
fn shows_all_text(steps: &[Step], grid: &Grid, area: Rect, style: &ChartStyle) -> bool {
    let row_layout = RowLayout::new(grid, area, style);
    let texts = row_layout.lay_out_descriptions(steps, style.label_size);
    let labels = lay_out_labels(steps, grid, style.label_size * 2.8, style);
    let is_short = |text: &StepText| text.is_uncut() && text.height() <= style.label_size * 5.0;
    texts.iter().all(is_short)
        && labels.iter().all(|label| !label.is_name_cut() && label.name_size() >= style.label_size)
}

/// Division of a row between the arrow and the description below it, in points.
struct RowLayout {
    /// Distance from one row to the next.
    pitch: f64,
    /// Space between two rows.
    row_gap: f64,
    /// Minimum height of an arrow.
    min_height: f64,
    /// Maximum width and height of a description.
    max_description_size: (f64, f64),
}

impl RowLayout {
    /// Divides the height of the rows of `grid` in `area` between arrows, descriptions and gaps.
    fn new(grid: &Grid, area: Rect, style: &ChartStyle) -> RowLayout {
        let pitch = area.height() / grid.rows as f64;
        let row_gap = (style.label_size * 0.6).min(pitch * 0.15);
        let min_height = (style.label_size * 2.2).min(pitch - row_gap);
        // Descriptions get the height that an arrow with a label of two lines leaves.
        let label_arrow_height = (style.label_size * 3.2).min(pitch * 0.5).max(min_height);
        let height = pitch - label_arrow_height - row_gap - style.label_size * DESCRIPTION_GAP_EM;
        RowLayout {
            pitch,
            row_gap,
            min_height,
            max_description_size: (grid.step - grid.gap - grid.tip * 0.5, height),
        }
    }

    /// Lays out the descriptions in this font size in points. Descriptions that do not fit are
    /// shortened or empty.
    fn lay_out_descriptions(&self, steps: &[Step], size: f64) -> Vec<StepText> {
        let text = |step: &Step| {
            StepText::new("", &step.description, self.max_description_size, (size, size))
        };
        steps.iter().map(text).collect()
    }
}

/// Draws each step as an arrow that points to the next step. The label of the step is inside its
/// arrow, and its description is below.
fn draw_arrows(
    chart: &Chart,
    steps: &[Step],
    grid: &Grid,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let row_layout = RowLayout::new(grid, area, style);
    let RowLayout { pitch, row_gap, min_height, .. } = row_layout;
    let descriptions = lay_out_descriptions(steps, &row_layout, style);
    let max_description_height = descriptions.iter().map(StepText::height).fold(0.0, f64::max);
    let description_height = if max_description_height > 0.0 {
        max_description_height + style.label_size * DESCRIPTION_GAP_EM
    } else {
        0.0
    };
    let height = (grid.step * 0.7)
        .min(style.label_size * 7.0)
        .min(pitch - row_gap - description_height)
        .max(min_height);
    let labels = lay_out_labels(steps, grid, height * 0.9, style);
    // The rows are placed slightly above the middle of the area.
    let row_height = (height + description_height + row_gap.max(style.label_size * 1.2)).min(pitch);
    let used_height = row_height * grid.rows as f64;
    let top = area.y0 + (area.height() - used_height).max(0.0) * 0.4;
    let any_highlighted = steps.iter().any(|step| step.highlighted);
    for (index, (step, label)) in steps.iter().zip(&labels).enumerate() {
        let left = area.x0 + grid.step * (index % grid.columns) as f64;
        let top = top + row_height * (index / grid.columns) as f64;
        let right = left + grid.step - grid.gap;
        let (fill, text_color) =
            steps::step_color(chart, style, any_highlighted, step, chart.series_color(0))
                .with_readable_text();
        scene.begin_mark("step", Some(step.row), || (Some("label".to_owned()), step.tooltip()));
        let body = Rect::new(left, top, right, top + height);
        scene.fill(create_arrow_path(body, grid.tip, index == 0), fill);
        let notch = if index == 0 { 0.0 } else { grid.tip };
        let middle_x = f64::midpoint(left + notch, right + grid.tip * 0.4);
        let label_top = top + (height - label.height()) / 2.0;
        label.draw(scene, style, (middle_x, label_top), Anchor::Middle, (text_color, text_color));
        let description_top = top + height + style.label_size * DESCRIPTION_GAP_EM;
        if let Some(description) = descriptions.get(index) {
            description.draw(
                scene,
                style,
                (left, description_top),
                Anchor::Start,
                (style.label_color, style.label_color),
            );
        }
    }
    scene.end_mark();
}

/// Lays out all descriptions in the same font size, the small one if any would be shortened
/// otherwise. Empty if one of them does not fit at all. Descriptions in the small size may be
/// shortened.
fn lay_out_descriptions(
    steps: &[Step],
    row_layout: &RowLayout,
    style: &ChartStyle,
) -> Vec<StepText> {
    let large = row_layout.lay_out_descriptions(steps, style.label_size);
    if large.iter().all(StepText::is_uncut) {
        return large;
    }
    let small = row_layout.lay_out_descriptions(steps, style.small_size);
    let is_visible =
        |(text, step): (&StepText, &Step)| step.description.is_empty() || text.shows_description();
    if small.iter().zip(steps).all(is_visible) { small } else { Vec::new() }
}

/// Returns the outline of an arrow. Its tip extends beyond `body`, and its notch fits the tip of
/// the previous arrow. The first arrow has no notch.
fn create_arrow_path(body: Rect, tip: f64, is_first: bool) -> BezPath {
    let middle = body.center().y;
    let mut path = BezPath::new();
    path.move_to((body.x0, body.y0));
    path.line_to((body.x1, body.y0));
    path.line_to((body.x1 + tip, middle));
    path.line_to((body.x1, body.y1));
    path.line_to((body.x0, body.y1));
    if !is_first {
        path.line_to((body.x0 + tip, middle));
    }
    path.close_path();
    path
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn long_labels_use_the_whole_width_before_they_are_shortened() {
        let names = [
            "Federal Ministry for the Environment, Nature Conservation, Nuclear Safety and Consumer Protection",
            "Federal Ministry of Labour and Social Affairs including pension subsidies and basic income support",
            "Federal Ministry of Defence",
            "Federal Ministry for Digital and Transport (without rail special fund)",
        ];
        let data = names.map(|name| json!({ "label": name }));
        let draw = |data: &[Value]| crate::draw(&Chart::new(&KIND, data));
        assert_eq!(draw(&data).omissions, []);
    }
}
