//! Labels of a risk matrix: names or numbers in the cells, and the list of names beside the grid.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::bands;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::risk_matrix::grid::{Risk, RiskGrid, STEPS, shrink};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::tiles;

/// Number of cells of the grid.
const CELL_COUNT: usize = STEPS * STEPS;
/// Line height relative to the font size.
const LINE_HEIGHT_EM: f64 = 1.2;
/// Space between two names in a cell relative to the font size.
const NAME_GAP_EM: f64 = 0.35;

/// Returns the risks of each cell in their order. The cells are in rows from the lowest probability to
/// the highest, and in a row from the lowest impact to the highest.
fn group_by_cell<'a, 'b>(risks: &'b [Risk<'a>]) -> [Vec<&'b Risk<'a>>; CELL_COUNT] {
    let mut cells: [Vec<&Risk>; CELL_COUNT] = std::array::from_fn(|_| Vec::new());
    for risk in risks {
        if let Some(cell) = cells.get_mut(risk.probability_step * STEPS + risk.impact_step) {
            cell.push(risk);
        }
    }
    cells
}

/// Wraps the name of a risk to the width of its cell, shortened to three lines. Returns the lines and
/// their font, which is bold for a highlighted risk. `size` is the font size in points.
fn wrap_name(risk: &Risk, cell: Rect, size: f64, style: &ChartStyle) -> (Vec<String>, Face) {
    let face = if risk.highlighted { Face::BOLD } else { style.label_face() };
    (text::wrap_balanced(&risk.label, (cell.width() - size).max(1.0), 3, size, face), face)
}

/// Returns the largest of three font sizes in points at which all names fit into their cells.
///
/// None if they do not fit at the smallest size, or if there are more than 40 risks.
pub fn choose_name_size(risks: &[Risk], grid: &RiskGrid, style: &ChartStyle) -> Option<f64> {
    if risks.len() > 40 {
        return None;
    }
    let cells = group_by_cell(risks);
    let fits = |size: &f64| cells.iter().all(|cell| names_fit_cell(cell, grid, *size, style));
    [style.label_size * 1.15, style.label_size, style.small_size].into_iter().find(fits)
}

/// Returns whether the whole names of all risks of a cell fit below each other into it. `size` is the font
/// size in points. An empty cell fits.
fn names_fit_cell(cell: &[&Risk], grid: &RiskGrid, size: f64, style: &ChartStyle) -> bool {
    let Some(first) = cell.first() else { return true };
    let rect = grid.cell_rect(first.probability_step, first.impact_step);
    let mut needed_height = size * 0.6;
    for risk in cell {
        let (lines, _) = wrap_name(risk, rect, size, style);
        let is_shortened = lines.iter().any(|line| line.ends_with('…'));
        if is_shortened || lines.is_empty() != risk.label.is_empty() {
            return false;
        }
        needed_height += (lines.len() as f64 * LINE_HEIGHT_EM + NAME_GAP_EM) * size;
    }
    needed_height <= rect.height()
}

/// Draws the names centered in their cells, in each cell the first ones that fit. The scene counts the
/// others. `size` is the font size in points. Long names are shortened to three lines.
pub fn draw_names(
    risks: &[Risk],
    grid: &RiskGrid,
    size: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let mut omitted_count = 0;
    for cell in group_by_cell(risks) {
        let Some(first) = cell.first() else { continue };
        let rect = grid.cell_rect(first.probability_step, first.impact_step);
        let fill = grid.cell_color(first.probability_step, first.impact_step);
        let text_color = bands::inner_label_color(fill);
        let blocks: Vec<(Vec<String>, Face)> =
            cell.iter().take(30).map(|risk| wrap_name(risk, rect, size, style)).collect();
        let height = |count: usize| {
            let lines: usize = blocks.iter().take(count).map(|block| block.0.len()).sum();
            (lines as f64 * LINE_HEIGHT_EM + count.saturating_sub(1) as f64 * NAME_GAP_EM) * size
        };
        let max_height = rect.height() - size * 0.5;
        let shown =
            (0..=blocks.len()).rev().find(|count| height(*count) <= max_height).unwrap_or(0);
        omitted_count += cell.len() - shown;
        let mut top = rect.center().y - height(shown) / 2.0;
        for (risk, (lines, face)) in cell.iter().zip(&blocks).take(shown) {
            begin_risk_mark(risk, scene);
            for line in lines {
                let baseline = top + size * (LINE_HEIGHT_EM / 2.0 + HALF_CAP_HEIGHT_EM);
                let width = text::width(line, size, *face);
                let full = line.ends_with('…').then(|| risk.label.clone().into_owned());
                let text = style.label_text(rect.center().x, baseline, Anchor::Middle, size, line);
                scene.text(Text { face: *face, width, color: text_color, full, ..text });
                top += size * LINE_HEIGHT_EM;
            }
            top += size * NAME_GAP_EM;
        }
    }
    scene.end_mark();
    scene.omit(Omission::NoSpace, omitted_count);
}

/// Begins the mark of a risk, with probability and impact in its tooltip.
fn begin_risk_mark(risk: &Risk, scene: &mut Scene) {
    scene.begin_mark("risk", Some(risk.row), || {
        (None, format!("{}: {}", risk.label, risk.position))
    });
}

/// Returns the fill and the text color of a numbered disc. If any risk is highlighted, the discs of
/// the others have the background color.
fn disc_colors(
    chart: &Chart,
    risk: &Risk,
    any_highlighted: bool,
    style: &ChartStyle,
) -> (Color, Color) {
    let fill = match (any_highlighted, risk.highlighted) {
        (true, false) => style.background,
        _ => style.text_color,
    };
    let fill = if any_highlighted && risk.highlighted { chart.theme.text_color } else { fill };
    (fill, fill.text_color())
}

/// Draws a disc with its number for each risk, in rows in the middle of its cell. If not all fit, the
/// last place shows the number of the others, such as `+3`.
pub fn draw_numbers(
    chart: &Chart,
    risks: &[Risk],
    grid: &RiskGrid,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any_highlighted = risks.iter().any(|risk| risk.highlighted);
    let size = style.small_size;
    let widest = text::width(&style.locale.format_integer(risks.len()), size, Face::BOLD);
    // In low cells the discs are as small as their numbers allow.
    let max_radius = grid.cell_rect(0, 0).height() / 2.0 - size * 0.16;
    let radius = (widest / 2.0 + size * 0.3).max(size * 0.82);
    let radius = radius.min(max_radius.max(widest / 2.0 + 1.0).max(size * 0.66));
    let step = radius * 2.0 + size * 0.25;
    for cell in group_by_cell(risks) {
        let Some(first) = cell.first() else { continue };
        let rect = shrink(grid.cell_rect(first.probability_step, first.impact_step), size * 0.15);
        let fitting_discs = |length: f64| ((length + size * 0.25) / step) as usize;
        let (columns, rows) = (fitting_discs(rect.width()).max(1), fitting_discs(rect.height()));
        let capacity = columns * rows;
        let shown = if cell.len() <= capacity { cell.len() } else { capacity.saturating_sub(1) };
        let place_count = cell.len().min(capacity).max(1);
        // The block of discs has about the same aspect ratio as the cell.
        let square_columns =
            (place_count as f64 * rect.width() / rect.height().max(1.0)).sqrt().ceil();
        let discs_per_row =
            columns.min(square_columns as usize).max(place_count.div_ceil(rows.max(1))).max(1);
        let row_count = place_count.div_ceil(discs_per_row);
        let center_at = |index: usize| {
            let (column, row) = (index % discs_per_row, index / discs_per_row);
            let discs_in_row = discs_per_row.min(place_count - row * discs_per_row);
            Point::new(
                rect.center().x + (column as f64 - (discs_in_row as f64 - 1.0) / 2.0) * step,
                rect.center().y + (row as f64 - (row_count as f64 - 1.0) / 2.0) * step,
            )
        };
        for (index, risk) in cell.iter().take(shown).enumerate() {
            begin_risk_mark(risk, scene);
            let (fill, text_color) = disc_colors(chart, risk, any_highlighted, style);
            draw_disc(
                &Disc { center: center_at(index), radius, font_size: size, fill, text_color },
                &style.locale.format_integer(risk.number),
                style,
                scene,
            );
        }
        scene.end_mark();
        if shown < cell.len() {
            draw_overflow_text(&cell, shown, rect, center_at(shown), grid, style, scene);
        }
    }
}

/// Draws a text for the risks that have no disc because the cell is full. `shown` is the number of
/// discs.
///
/// Without discs, the text lists the numbers or their count. Otherwise it is the number of the
/// others, such as `+3`. The text is centered at `center` but stays within `rect`, the free space
/// of the cell. It is omitted if it does not fit.
fn draw_overflow_text(
    cell: &[&Risk],
    shown: usize,
    rect: Rect,
    center: Point,
    grid: &RiskGrid,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(first) = cell.first() else { return };
    let size = style.small_size;
    let number = |risk: &&Risk| style.locale.format_integer(risk.number);
    let numbers: Vec<String> = cell.iter().take(9).map(number).collect();
    let numbers = numbers.join(", ");
    let all_fit = cell.len() <= 9 && text::width(&numbers, size, Face::BOLD) <= rect.width();
    let label = match shown {
        0 if all_fit => numbers,
        0 => format!("×{}", style.locale.format_integer(cell.len())),
        _ => format!("+{}", style.locale.format_integer(cell.len() - shown)),
    };
    let width = text::width(&label, size, Face::BOLD);
    let text_color =
        grid.cell_color(first.probability_step, first.impact_step).readable_text_color();
    if width <= rect.width() && size <= rect.height() {
        let x = center.x.min(rect.x1 - width / 2.0).max(rect.x0 + width / 2.0);
        let text =
            style.label_text(x, center.y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, &label);
        scene.text(Text { face: Face::BOLD, width, color: text_color, ..text });
    }
}

/// Layout and colors of a numbered disc.
struct Disc {
    center: Point,
    /// Radius in points.
    radius: f64,
    /// Font size of the number in points.
    font_size: f64,
    fill: Color,
    /// Color of the number.
    text_color: Color,
}

/// Draws a disc with a number in its center. A disc in the background color gets an outline, so
/// that it is visible.
fn draw_disc(disc: &Disc, number: &str, style: &ChartStyle, scene: &mut Scene) {
    let Disc { center, radius, font_size, fill, text_color } = *disc;
    let border = (fill == style.background).then(|| Stroke::new(style.axis_color, 1.0));
    scene.circle(center, radius, fill, border);
    let width = text::width(number, font_size, Face::BOLD);
    let text = style.label_text(
        center.x,
        center.y + HALF_CAP_HEIGHT_EM * font_size,
        Anchor::Middle,
        font_size,
        number,
    );
    scene.text(Text { face: Face::BOLD, width, color: text_color, ..text });
}

/// Layout of the list of names.
#[derive(Clone, Copy)]
pub struct ListPlan {
    /// Font size in points.
    size: f64,
    /// Maximum number of lines of a name.
    max_lines: usize,
    /// Number of columns.
    columns: usize,
    /// Radius of the discs in points.
    radius: f64,
    /// Font size of the numbers in points.
    number_size: f64,
    /// Whether the entries are close together, with small discs.
    is_tight: bool,
}

/// Minimum width of the names in the list as a multiple of the font size.
const MIN_LIST_WIDTH_EM: f64 = 6.0;

impl ListPlan {
    /// Returns the first of several plans, from large text in one column to small text in two, with
    /// which `area` has space for all names whole. None if there is none, or with more than 80 risks.
    pub fn find_whole(risks: &[Risk], area: Rect, style: &ChartStyle) -> Option<ListPlan> {
        let minimal_size = MIN_TEXT_SIZE.min(style.small_size);
        let fonts = [
            (style.label_size, 3, 1, false),
            (style.small_size, 3, 1, false),
            (minimal_size, 3, 1, false),
            (minimal_size, 3, 1, true),
            (style.small_size, 3, 2, false),
            (minimal_size, 4, 2, false),
            (minimal_size, 4, 2, true),
        ];
        fonts.into_iter().find_map(|(size, max_lines, columns, is_tight)| {
            let number_size = size.min(style.small_size);
            let form = (max_lines, columns);
            let plan = ListPlan::new(risks, size, form, number_size, is_tight, style);
            let face = Face::BOLD;
            let wrap = |risk: &Risk| {
                text::wrap_whole(&risk.label, plan.text_width(area), max_lines, size, face)
            };
            if plan.text_width(area) < MIN_LIST_WIDTH_EM * size {
                return None;
            }
            let heights: Vec<f64> = (risks.iter().take(80))
                .map(|risk| Some(plan.item_height(wrap(risk)?.len().max(1))))
                .collect::<Option<_>>()?;
            (risks.len() <= 80 && plan.fits(&heights, area.height())).then_some(plan)
        })
    }

    /// Returns the plan with the largest text in which one column has all risks, with shortened names
    /// if necessary. If there is none or there are more than 80 risks, returns the smallest text and
    /// false.
    fn with_shortened(risks: &[Risk], area: Rect, style: &ChartStyle) -> (ListPlan, bool) {
        let plan = |(size, max_lines, is_tight)| {
            ListPlan::new(risks, size, (max_lines, 1), style.small_size, is_tight, style)
        };
        let fits = |plan: &ListPlan| {
            let width = plan.text_width(area);
            let line_count = |risk: &Risk| {
                text::wrap(&risk.label, width, plan.max_lines, plan.size, Face::BOLD).len()
            };
            let height = |risk: &Risk| plan.item_height(line_count(risk).max(1));
            let heights: Vec<f64> = risks.iter().take(80).map(height).collect();
            risks.len() <= 80 && plan.fits(&heights, area.height())
        };
        let fonts = [
            (style.label_size, 2, false),
            (style.small_size, 2, false),
            (style.small_size, 1, false),
            (style.small_size, 1, true),
        ];
        match fonts.into_iter().map(plan).find(fits) {
            Some(plan) => (plan, true),
            None => (plan((style.small_size, 1, true)), false),
        }
    }

    /// Creates a plan. The discs have the radius that the widest number needs.
    fn new(
        risks: &[Risk],
        size: f64,
        (max_lines, columns): (usize, usize),
        number_size: f64,
        is_tight: bool,
        style: &ChartStyle,
    ) -> ListPlan {
        let last_number = style.locale.format_integer(risks.len());
        let widest = text::width(&last_number, number_size, Face::BOLD);
        let radius = match is_tight {
            false => (widest / 2.0 + number_size * 0.3).max(number_size * 0.82),
            true => (widest / 2.0 + number_size * 0.05).max(number_size * 0.6),
        };
        ListPlan { size, max_lines, columns, radius, number_size, is_tight }
    }

    /// Returns the distance between the left ends of two columns in points.
    fn pitch(&self, area: Rect) -> f64 {
        (area.width() + self.size) / self.columns as f64
    }

    /// Returns the distance between the left ends of a disc and its name in points.
    fn indent(&self) -> f64 {
        self.radius * 2.0 + self.size * 0.6
    }

    /// Returns the maximum width of a name in points.
    fn text_width(&self, area: Rect) -> f64 {
        self.pitch(area) - self.size - self.indent()
    }

    /// Returns the height of an item with a name of `line_count` lines in points, with the gap below it.
    fn item_height(&self, line_count: usize) -> f64 {
        let (gap, disc_gap) = match (self.is_tight, self.columns) {
            (true, _) => (0.05, 0.6),
            (false, 1) => (0.7, 3.0),
            (false, _) => (0.35, 3.0),
        };
        (line_count as f64 * self.size * LINE_HEIGHT_EM + self.size * gap)
            .max(self.radius * 2.0 + disc_gap)
    }

    /// Returns whether items of these heights fit into the columns, filled in order. Both are in points.
    fn fits(&self, heights: &[f64], max_height: f64) -> bool {
        let (mut column, mut top) = (1, 0.0);
        for height in heights {
            if top + height > max_height + 0.01 {
                (column, top) = (column + 1, 0.0);
            }
            top += height;
        }
        column <= self.columns
    }
}

/// Draws the list of numbered discs and names in the order of `risks`, as many as fit into `area`, and a
/// note with the number of the others. A square in the color of the cell is behind each disc.
pub fn draw_list(
    chart: &Chart,
    risks: &[Risk],
    grid: &RiskGrid,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (plan, is_complete) = match ListPlan::find_whole(risks, area, style) {
        Some(plan) => (plan, true),
        None => ListPlan::with_shortened(risks, area, style),
    };
    let ListPlan { size, max_lines, radius, number_size, .. } = plan;
    let any_highlighted = risks.iter().any(|risk| risk.highlighted);
    let note_height = if is_complete { 0.0 } else { tiles::overflow_note_height(style) };
    let bottom = area.y1 - note_height;
    let (mut left, mut top, mut column) = (area.x0, area.y0, 1);
    for (index, risk) in risks.iter().enumerate() {
        let face = if risk.highlighted { Face::BOLD } else { style.label_face() };
        let lines = text::wrap(&risk.label, plan.text_width(area), max_lines, size, face);
        let item_height = plan.item_height(lines.len().max(1));
        if top + item_height > bottom + 0.01 && column < plan.columns {
            (left, top, column) = (left + plan.pitch(area), area.y0, column + 1);
        }
        if top + item_height > bottom + 0.01 {
            tiles::draw_overflow_note(area, style, risks.len() - index, "risk", scene);
            break;
        }
        begin_risk_mark(risk, scene);
        let disc_y = top + (size * LINE_HEIGHT_EM).max(radius * 2.0) / 2.0;
        // The background of the disc has the color of the cell, which shows the grade of the risk.
        let swatch = Rect::new(left, disc_y - radius, left + radius * 2.0, disc_y + radius);
        let overhang = if plan.is_tight { 0.0 } else { 1.0 };
        scene.rect(
            shrink(swatch, -overhang),
            grid.cell_color(risk.probability_step, risk.impact_step),
        );
        let (fill, text_color) = disc_colors(chart, risk, any_highlighted, style);
        let disc = Disc {
            center: swatch.center(),
            radius: radius * 0.96,
            font_size: number_size,
            fill,
            text_color,
        };
        draw_disc(&disc, &style.locale.format_integer(risk.number), style, scene);
        let top_line = if lines.len() == 1 { disc_y } else { top + size * LINE_HEIGHT_EM * 0.6 };
        for (line, line_text) in lines.iter().enumerate() {
            let baseline =
                top_line + line as f64 * size * LINE_HEIGHT_EM + HALF_CAP_HEIGHT_EM * size;
            let full = line_text.ends_with('…').then(|| risk.label.clone().into_owned());
            let text =
                style.label_text(left + plan.indent(), baseline, Anchor::Start, size, line_text);
            scene.text(Text { face, width: text::width(line_text, size, face), full, ..text });
        }
        top += item_height;
    }
    scene.end_mark();
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn the_discs_of_the_list_have_the_width_of_their_numbers() {
        let risk = || Risk {
            row: 0,
            number: 1,
            label: Cow::Borrowed("a"),
            probability_step: 0,
            impact_step: 0,
            position: String::new(),
            highlighted: false,
        };
        let risks: Vec<Risk> = (0..24).map(|_| risk()).collect();
        let settings = serde_json::json!({"locale": "ar"});
        let kind = crate::find_kind("risk-matrix").unwrap();
        let style = ChartStyle::new(&Chart { settings: &settings, ..Chart::new(kind, &[]) });
        let width = text::width("٢٤", 10.0, Face::BOLD);
        assert_ne!(width, text::width("24", 10.0, Face::BOLD));
        let plan = ListPlan::new(&risks, 10.0, (1, 1), 10.0, false, &style);
        assert!((plan.radius - (width / 2.0 + 3.0)).abs() < 1e-9, "{} {width}", plan.radius);
    }
}
