//! Records with a name and a description (steps, levels), and the layout of both texts in a box.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, Text};
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.22;
/// Space between name and description as a multiple of the name's font size.
const DESCRIPTION_GAP: f64 = 0.2;
/// Maximum number of lines of a description.
const MAX_DESCRIPTION_LINES: usize = 5;

/// A record with a name, a description or both.
pub struct Step {
    /// Index of the record in the data.
    pub row: usize,
    /// Name; may be empty.
    pub label: String,
    /// Description; may be empty.
    pub description: String,
    /// Whether the record is highlighted.
    pub highlighted: bool,
}

impl Step {
    /// Returns the text of the tooltip: name and description with a colon between them, or only one
    /// of them if the other is empty.
    pub fn tooltip(&self) -> String {
        match (self.label.is_empty(), self.description.is_empty()) {
            (_, true) => self.label.clone(),
            (true, false) => self.description.clone(),
            (false, false) => format!("{}: {}", self.label, self.description),
        }
    }
}

/// Returns the records that have a name or a description, in the order of the data.
pub fn read_steps(chart: &Chart) -> Vec<Step> {
    let step = |(row, record)| {
        let label = data::record_label(record).into_owned();
        let description = data::display_text(data::field(record, "description")).into_owned();
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let has_text = !label.is_empty() || !description.is_empty();
        has_text.then_some(Step { row, label, description, highlighted })
    };
    chart.data.iter().enumerate().filter_map(step).collect()
}

/// Returns the fill of a step: `default_color`, or if any step of the chart is highlighted, the
/// highlight color for highlighted steps and gray for others.
pub fn step_color(
    chart: &Chart,
    style: &ChartStyle,
    any_highlighted: bool,
    step: &Step,
    default_color: Color,
) -> Color {
    match (any_highlighted, step.highlighted) {
        (false, _) => default_color,
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
    }
}

/// Keeps the first `max_steps` steps (at least one) and returns the remaining part of `area` for
/// them. If it omits steps, adds a warning, and draws a note with their number at the bottom right
/// of `area`.
pub fn truncate(
    steps: &mut Vec<Step>,
    max_steps: usize,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Rect {
    let omitted = steps.len().saturating_sub(max_steps.max(1));
    steps.truncate(max_steps.max(1));
    draw_overflow_note(omitted, area, style, scene)
}

/// Draws the note "and 3 more" for omitted records at the bottom right of `area` and adds a
/// warning. Returns the remaining area, which is all of it if `omitted` is 0.
pub fn draw_overflow_note(
    omitted: usize,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Rect {
    if omitted == 0 {
        return area;
    }
    scene.warn(format!("Records that do not fit on the canvas: {omitted}."));
    scene.text(style.overflow_note(
        (area.x1, area.y1 - DESCENT_EM * style.small_size),
        Anchor::End,
        omitted,
        "",
    ));
    Rect { y1: area.y1 - overflow_note_height(style), ..area }
}

/// Returns the height in points that `draw_overflow_note` takes from the area.
pub fn overflow_note_height(style: &ChartStyle) -> f64 {
    style.small_size * 1.6
}

/// A name above its description, both broken into lines.
pub struct StepText {
    /// Lines of the name.
    name_lines: Vec<String>,
    /// Lines of the description.
    description_lines: Vec<String>,
    /// Full name and full description, where they are shortened.
    full: (Option<String>, Option<String>),
    /// Font sizes of name and description in points.
    sizes: (f64, f64),
}

/// Lays out the texts of all steps in boxes of equal width and height, in points. Nothing is drawn.
///
/// All get the same font sizes. Descriptions are shown only if every one of them keeps a useful
/// part (see `StepText::shows_description`) and no further name is shortened for them.
pub fn layout_texts(
    steps: &[Step],
    (width, height): (f64, f64),
    style: &ChartStyle,
) -> Vec<StepText> {
    let lay_out = |sizes: (f64, f64), with_descriptions: bool| -> Vec<StepText> {
        let description = |step: &Step| {
            if with_descriptions { step.description.clone() } else { String::new() }
        };
        steps
            .iter()
            .map(|step| StepText::new(&step.label, &description(step), (width, height), sizes))
            .collect()
    };
    let has_full_names = |blocks: &[StepText]| !blocks.iter().any(StepText::is_name_cut);
    let large = lay_out((style.subtitle_size, style.label_size), true);
    if large.iter().all(StepText::is_uncut) {
        return large;
    }
    let size = if has_full_names(&lay_out((style.label_size, style.small_size), false)) {
        style.label_size
    } else {
        style.small_size
    };
    let names_only = lay_out((size, style.small_size), false);
    let is_useful =
        |(text, step): (&StepText, &Step)| step.description.is_empty() || text.shows_description();
    // Smaller names are better than missing descriptions.
    let described = [size, style.small_size].map(|size| lay_out((size, style.small_size), true));
    let described = described.into_iter().find(|blocks| {
        blocks.iter().zip(steps).all(is_useful)
            && (has_full_names(blocks) || !has_full_names(&names_only))
    });
    described.unwrap_or(names_only)
}

impl StepText {
    /// Lays out a name in at most two lines, and below it as much of the description as fits into
    /// `height`, in at most five lines. Shortens both if necessary, and omits a text without space
    /// for one line.
    ///
    /// Lines are at most `width` points wide. `sizes` are the font sizes of both in points.
    pub fn new(
        label: &str,
        description: &str,
        (width, height): (f64, f64),
        sizes: (f64, f64),
    ) -> StepText {
        let fitting_lines = |height: f64, size: f64| {
            let more = (height - (ASCENT_EM + DESCENT_EM) * size) / (size * LINE_HEIGHT);
            if more < -0.01 { 0 } else { 1 + (more + 0.01).max(0.0) as usize }
        };
        let name_lines = text::wrap_balanced(
            label,
            width,
            fitting_lines(height, sizes.0).min(2),
            sizes.0,
            Face::BOLD,
        );
        let gap = if name_lines.is_empty() { 0.0 } else { sizes.0 * DESCRIPTION_GAP };
        let used = name_lines.len() as f64 * sizes.0 * LINE_HEIGHT + gap;
        let max_lines = fitting_lines(height - used, sizes.1).min(MAX_DESCRIPTION_LINES);
        let description_lines =
            text::wrap_balanced(description, width, max_lines, sizes.1, Face::REGULAR);
        let full_if_cut = |lines: &[String], full_text: &str| {
            let is_cut = lines.iter().any(|line| line.ends_with('…')) && !full_text.ends_with('…');
            (is_cut || lines.is_empty() && !full_text.is_empty()).then(|| full_text.to_owned())
        };
        let full = (full_if_cut(&name_lines, label), full_if_cut(&description_lines, description));
        StepText { name_lines, description_lines, full, sizes }
    }

    /// Returns whether the name is shortened, or omitted because it has no space.
    pub fn is_name_cut(&self) -> bool {
        self.full.0.is_some()
    }

    /// Returns the font size of the name in points.
    pub fn name_size(&self) -> f64 {
        self.sizes.0
    }

    /// Returns whether neither name nor description is shortened or omitted.
    pub fn is_uncut(&self) -> bool {
        self.full == (None, None)
    }

    /// Returns whether the description is shown completely or with more than two lines.
    pub fn shows_description(&self) -> bool {
        !self.description_lines.is_empty()
            && (self.full.1.is_none() || self.description_lines.len() > 2)
    }

    /// Returns the height in points from the top of the first line to the bottom of the last.
    pub fn height(&self) -> f64 {
        let (name_count, description_count) =
            (self.name_lines.len() as f64, self.description_lines.len() as f64);
        let gap = if name_count > 0.0 && description_count > 0.0 {
            self.sizes.0 * DESCRIPTION_GAP
        } else {
            0.0
        };
        let last = if description_count > 0.0 { self.sizes.1 } else { self.sizes.0 };
        let all = name_count * self.sizes.0 * LINE_HEIGHT
            + gap
            + description_count * self.sizes.1 * LINE_HEIGHT;
        (all - last * (LINE_HEIGHT - ASCENT_EM - DESCENT_EM)).max(0.0)
    }

    /// Returns the width of the widest line in points.
    pub fn width(&self) -> f64 {
        let widest = |lines: &[String], size: f64, face: Face| {
            lines.iter().map(|line| text::width(line, size, face)).fold(0.0, f64::max)
        };
        let name_width = widest(&self.name_lines, self.sizes.0, Face::BOLD);
        name_width.max(widest(&self.description_lines, self.sizes.1, Face::REGULAR))
    }

    /// Draws the lines from `top` down, aligned to `x` by `anchor`. `top` is the upper edge of the
    /// first line. `colors` are the text colors of name and description.
    pub fn draw(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        (x, mut top): (f64, f64),
        anchor: Anchor,
        colors: (Color, Color),
    ) {
        let mut draw_lines =
            |lines: &[String], size: f64, face: Face, color: Color, full: &Option<String>| {
                for line in lines {
                    let width = text::width(line, size, face);
                    let full = full.clone().filter(|_| line.ends_with('…'));
                    let text = style.label_text(x, top + ASCENT_EM * size, anchor, size, line);
                    scene.text(Text { face, width, color, full, ..text });
                    top += size * LINE_HEIGHT;
                }
                if !lines.is_empty() {
                    top += size * DESCRIPTION_GAP;
                }
            };
        draw_lines(&self.name_lines, self.sizes.0, Face::BOLD, colors.0, &self.full.0);
        draw_lines(&self.description_lines, self.sizes.1, Face::REGULAR, colors.1, &self.full.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step_text(height: f64) -> StepText {
        let description = "A description of some length that needs lines";
        StepText::new("A name", description, (90.0, height), (12.0, 10.0))
    }

    #[test]
    fn a_tooltip_has_a_colon_only_between_two_texts() {
        let tooltip = |label: &str, description: &str| {
            let (label, description) = (label.to_owned(), description.to_owned());
            Step { row: 0, label, description, highlighted: false }.tooltip()
        };
        assert_eq!(tooltip("a", "x"), "a: x");
        assert_eq!(tooltip("a", ""), "a");
        assert_eq!(tooltip("", "x"), "x");
    }

    #[test]
    fn texts_do_not_exceed_their_height() {
        for height in [0.0, 9.0, 13.0, 26.0, 40.0, 80.0, 500.0] {
            let text = step_text(height);
            assert!(text.height() <= height.max(0.1), "{height}: {}", text.height());
        }
        assert!(step_text(5.0).is_name_cut());
    }

    #[test]
    fn descriptions_need_space_below_the_name() {
        assert!(!step_text(14.0).shows_description());
        assert!(step_text(80.0).shows_description());
    }
}
