//! The risks of a matrix: names or numbers in the cells, and the list beside them.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::kinds::risk_matrix;
use crate::kinds::risk_matrix::{Field, Risk};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::tiles;

/// Height of a line as a share of the font size.
const LEADING: f64 = 1.2;
/// Space between two names in a cell as a share of the font size.
const APART: f64 = 0.35;

/// The risks of each cell.
fn by_cell<'a, 'b>(risks: &'b [Risk<'a>]) -> [Vec<&'b Risk<'a>>; 25] {
    let mut cells: [Vec<&Risk>; 25] = std::array::from_fn(|_| Vec::new());
    for risk in risks {
        if let Some(cell) = cells.get_mut(risk.likely * 5 + risk.harm) {
            cell.push(risk);
        }
    }
    cells
}

/// A name in the lines it takes in a cell.
fn name_lines(risk: &Risk, cell: Rect, size: f64, style: &ChartStyle) -> (Vec<String>, Face) {
    let face = if risk.highlighted { Face::BOLD } else { style.label_face() };
    (text::wrap_balanced(&risk.label, (cell.width() - size).max(1.0), 3, size, face), face)
}

/// The size at which all names can be read in their cells, if there is one.
pub fn name_size(risks: &[Risk], field: &Field, style: &ChartStyle) -> Option<f64> {
    if risks.len() > 40 {
        return None;
    }
    let cells = by_cell(risks);
    let fits = |size: &f64| cells.iter().all(|it| cell_fits(it, field, *size, style));
    [style.label_size * 1.15, style.label_size, style.small_size].into_iter().find(fits)
}

fn cell_fits(cell: &[&Risk], field: &Field, size: f64, style: &ChartStyle) -> bool {
    let Some(first) = cell.first() else { return true };
    let rect = field.cell(first.likely, first.harm);
    let mut height = size * 0.6;
    for risk in cell {
        let (lines, _) = name_lines(risk, rect, size, style);
        let cut = lines.iter().any(|it| it.ends_with('…'));
        if cut || lines.is_empty() != risk.label.is_empty() {
            return false;
        }
        height += (lines.len() as f64 * LEADING + APART) * size;
    }
    height <= rect.height()
}

/// Writes the names into their cells, as many as have room.
pub fn names(risks: &[Risk], field: &Field, size: f64, style: &ChartStyle, scene: &mut Scene) {
    let mut left_out = 0;
    for cell in by_cell(risks) {
        let Some(first) = cell.first() else { continue };
        let rect = field.cell(first.likely, first.harm);
        let fill = field.fill(first.likely, first.harm);
        let Some(ink) = bands::inner_label_color(fill) else { continue };
        let blocks: Vec<(Vec<String>, Face)> =
            cell.iter().take(30).map(|it| name_lines(it, rect, size, style)).collect();
        let height = |count: usize| {
            let lines: usize = blocks.iter().take(count).map(|it| it.0.len()).sum();
            (lines as f64 * LEADING + count.saturating_sub(1) as f64 * APART) * size
        };
        let room = rect.height() - size * 0.5;
        let shown = (0..=blocks.len()).rev().find(|it| height(*it) <= room).unwrap_or(0);
        left_out += cell.len() - shown;
        let mut top = rect.center().y - height(shown) / 2.0;
        for (risk, (lines, face)) in cell.iter().zip(&blocks).take(shown) {
            tag(risk, scene);
            for line in lines {
                let base = top + size * (LEADING / 2.0 + HALF_CAP_HEIGHT_EM);
                let width = text::width(line, size, *face);
                let full = line.ends_with('…').then(|| risk.label.clone().into_owned());
                let set = style.label_text(rect.center().x, base, Anchor::Middle, size, line);
                scene.text(Text { face: *face, width, color: ink, full, ..set });
                top += size * LEADING;
            }
            top += size * APART;
        }
    }
    scene.end_mark();
    if left_out > 0 {
        scene.warn(format!("Risks without room in their cell: {left_out}."));
    }
}

fn tag(risk: &Risk, scene: &mut Scene) {
    scene.begin_mark("risk", Some(risk.row), || {
        let place = format!("probability {}, impact {}", risk.likely + 1, risk.harm + 1);
        (None, format!("{}: {place}", risk.label))
    });
}

/// Fill and ink of a numbered disc.
fn disc(chart: &Chart, risk: &Risk, any: bool, style: &ChartStyle) -> (Color, Color) {
    let fill = match (any, risk.highlighted) {
        (true, false) => style.background,
        _ => style.text_color,
    };
    let fill = if any && risk.highlighted { chart.theme.text_color } else { fill };
    (fill, fill.text_color())
}

/// Numbered discs in the cells; what has no room is counted in the last place.
pub fn numbers(
    chart: &Chart,
    risks: &[Risk],
    field: &Field,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any = risks.iter().any(|it| it.highlighted);
    let size = style.small_size;
    let widest = text::width(&risks.len().to_string(), size, Face::BOLD);
    // In low cells the discs are as small as their numbers allow.
    let low = field.cell(0, 0).height() / 2.0 - size * 0.16;
    let radius = (widest / 2.0 + size * 0.3).max(size * 0.82);
    let radius = radius.min(low.max(widest / 2.0 + 1.0).max(size * 0.66));
    let step = radius * 2.0 + size * 0.25;
    for cell in by_cell(risks) {
        let Some(first) = cell.first() else { continue };
        let rect = risk_matrix::inset(field.cell(first.likely, first.harm), size * 0.15);
        let fit = |length: f64| ((length + size * 0.25) / step) as usize;
        let (columns, rows) = (fit(rect.width()).max(1), fit(rect.height()));
        let room = columns * rows;
        let shown = if cell.len() <= room { cell.len() } else { room.saturating_sub(1) };
        let places = cell.len().min(room).max(1);
        // As square as the cell allows.
        let square = (places as f64 * rect.width() / rect.height().max(1.0)).sqrt().ceil();
        let across = columns.min(square as usize).max(places.div_ceil(rows.max(1))).max(1);
        let down = places.div_ceil(across);
        let at = |index: usize| {
            let (column, row) = (index % across, index / across);
            let in_row = across.min(places - row * across);
            Point::new(
                rect.center().x + (column as f64 - (in_row as f64 - 1.0) / 2.0) * step,
                rect.center().y + (row as f64 - (down as f64 - 1.0) / 2.0) * step,
            )
        };
        for (index, risk) in cell.iter().take(shown).enumerate() {
            tag(risk, scene);
            numbered(
                at(index),
                radius,
                size,
                (&risk.number.to_string(), disc(chart, risk, any, style)),
                style,
                scene,
            );
        }
        scene.end_mark();
        if shown < cell.len() {
            uncounted(&cell, shown, (rect, at(shown)), field, style, scene);
        }
    }
}

/// What discs have no room for: the bare numbers, or how many there are.
fn uncounted(
    cell: &[&Risk],
    shown: usize,
    (rect, place): (Rect, Point),
    field: &Field,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(first) = cell.first() else { return };
    let size = style.small_size;
    let numbers: Vec<String> = cell.iter().take(9).map(|it| it.number.to_string()).collect();
    let numbers = numbers.join(", ");
    let all = cell.len() <= 9 && text::width(&numbers, size, Face::BOLD) <= rect.width();
    let words = match shown {
        0 if all => numbers,
        0 => format!("×{}", cell.len()),
        _ => format!("+{}", cell.len() - shown),
    };
    let width = text::width(&words, size, Face::BOLD);
    let ink = field.fill(first.likely, first.harm).readable_text_color();
    if width <= rect.width() && size <= rect.height() {
        let x = place.x.min(rect.x1 - width / 2.0).max(rect.x0 + width / 2.0);
        let set =
            style.label_text(x, place.y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, &words);
        scene.text(Text { face: Face::BOLD, width, color: ink, ..set });
    }
}

/// A disc with a number.
fn numbered(
    at: Point,
    radius: f64,
    size: f64,
    (words, (fill, ink)): (&str, (Color, Color)),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let rim = (fill == style.background).then(|| Stroke::new(style.axis_color, 1.0));
    scene.circle(at, radius, fill, rim);
    let width = text::width(words, size, Face::BOLD);
    let set = style.label_text(at.x, at.y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, words);
    scene.text(Text { face: Face::BOLD, width, color: ink, ..set });
}

/// The names behind the numbers.
pub fn list(
    chart: &Chart,
    risks: &[Risk],
    field: &Field,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any = risks.iter().any(|it| it.highlighted);
    let small = style.small_size;
    let widest = text::width(&risks.len().to_string(), small, Face::BOLD);
    let radius = (widest / 2.0 + small * 0.3).max(small * 0.82);
    let indent = radius * 2.0 + style.label_size * 0.6;
    // As large and as fully written as there is room for.
    let room = area.width() - indent;
    let height = |lines: usize, size: f64| {
        (lines as f64 * size * LEADING + size * 0.7).max(radius * 2.0 + 3.0)
    };
    let tries = [(style.label_size, 3), (style.label_size, 2), (small, 2), (small, 1)];
    let found = tries.into_iter().find(|(size, most)| {
        let count = |it: &Risk| text::wrap(&it.label, room, *most, *size, Face::BOLD).len();
        let needed = risks.iter().take(80).map(|it| height(count(it).max(1), *size)).sum::<f64>();
        risks.len() <= 80 && needed <= area.height()
    });
    let (size, most) = found.unwrap_or((small, 1));
    let end = if found.is_some() { area.y1 } else { area.y1 - tiles::overflow_note_height(style) };
    let mut top = area.y0;
    for (index, risk) in risks.iter().enumerate() {
        let face = if risk.highlighted { Face::BOLD } else { style.label_face() };
        let lines = text::wrap(&risk.label, room, most, size, face);
        let tall = height(lines.len().max(1), size);
        if top + tall > end + 0.01 {
            tiles::draw_overflow_note(area, style, risks.len() - index, "risk", scene);
            break;
        }
        tag(risk, scene);
        let first = top + (size * LEADING).max(radius * 2.0) / 2.0;
        // On a patch of the cell's colour the list shows how grave each risk is.
        let patch = Rect::new(area.x0, first - radius, area.x0 + radius * 2.0, first + radius);
        scene.rect(risk_matrix::inset(patch, -1.0), field.fill(risk.likely, risk.harm));
        let words = (&*risk.number.to_string(), disc(chart, risk, any, style));
        numbered(patch.center(), radius * 0.96, small, words, style, scene);
        let top_line = if lines.len() == 1 { first } else { top + size * LEADING * 0.6 };
        for (line, words) in lines.iter().enumerate() {
            let base = top_line + line as f64 * size * LEADING + HALF_CAP_HEIGHT_EM * size;
            let full = words.ends_with('…').then(|| risk.label.clone().into_owned());
            let set = style.label_text(area.x0 + indent, base, Anchor::Start, size, words);
            scene.text(Text { face, width: text::width(words, size, face), full, ..set });
        }
        top += tall;
    }
    scene.end_mark();
}
