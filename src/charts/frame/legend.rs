//! The legend above the plot area: a swatch and a name for each series, wrapped by measured width.

use kurbo::{Rect, Shape};

use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Stroke, Text};
use crate::text;

/// Maximum number of lines. Entries that do not fit are omitted with a warning.
const MAX_LINES: usize = 3;
/// Distance between a swatch and its name as a multiple of the font size.
const PAD_EM: f64 = 0.45;
/// Distance between two entries as a multiple of the font size.
const GAP_EM: f64 = 1.35;

/// The sample of the color before the name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swatch {
    /// A filled square, for bars, areas and points.
    Box,
    /// A short line, for lines in charts that also have bars.
    Line,
    /// A short dashed line, for dashed lines.
    DashedLine,
    /// The outline of a square, for marks that are only outlines.
    Outline,
}

/// Draws a legend with square swatches at the top of `area`, in the order of `entries`. Returns the
/// area below it, as [`draw_with_swatches`] does.
pub fn draw<'a>(
    scene: &mut Scene,
    style: &ChartStyle,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color)>,
) -> Rect {
    draw_with_swatches(
        scene,
        style,
        area,
        entries.into_iter().map(|(title, color)| (title, color, Swatch::Box)),
    )
}

/// Returns the width in points of a legend with square swatches in one line, including the gap after its
/// last entry.
pub fn measure<'a>(style: &ChartStyle, names: impl Iterator<Item = &'a str>) -> f64 {
    let size = style.label_size;
    let frame = size * (PAD_EM + GAP_EM) + swatch_side(style);
    names.map(|name| frame + style.text_width(name, size)).sum()
}

/// Returns the width of a square swatch in points.
fn swatch_side(style: &ChartStyle) -> f64 {
    (style.label_size * 0.8).round()
}

/// Draws a swatch. `(x, middle)` is the middle of its left side, in points.
fn draw_swatch(
    scene: &mut Scene,
    style: &ChartStyle,
    (x, middle): (f64, f64),
    width: f64,
    (color, swatch): (Color, Swatch),
) {
    if swatch == Swatch::DashedLine {
        // Two dashes fill the width.
        let stroke = Stroke::new(color, 1.75 * style.unit).dashed(width * 0.4, width * 0.2);
        return scene.line((x, middle), (x + width, middle), stroke);
    }
    let half_height = if swatch == Swatch::Line { style.unit * 1.25 } else { width / 2.0 };
    let rect = Rect::new(x, middle - half_height, x + width, middle + half_height);
    if swatch == Swatch::Outline {
        let stroke = Stroke::new(color, 1.25 * style.unit);
        let inset = stroke.width / 2.0;
        scene.stroke(rect.inset(-inset).to_path(0.1), stroke);
    } else {
        scene.push(Primitive::Rect { rect, radius: half_height * 0.4, fill: color });
    }
}

/// Draws a legend with the given swatch for each entry at the top of `area`. Returns the area below
/// it, or all of `area` if it is too low for a legend or if there are no entries.
///
/// The legend takes at most three lines and about a quarter of the height. Shortens long names.
/// Entries without space are omitted with a warning.
pub fn draw_with_swatches<'a>(
    scene: &mut Scene,
    style: &ChartStyle,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color, Swatch)>,
) -> Rect {
    let size = style.label_size;
    let square = swatch_side(style);
    let (pad, gap) = (size * PAD_EM, size * GAP_EM);
    let line_height = size * 1.55;
    // At most a quarter of the height. Lower areas have no legend.
    let max_lines = ((area.height() / 4.0 / line_height) as usize).min(MAX_LINES);
    if max_lines == 0 {
        return area;
    }
    let entries: Vec<(&str, Color, Swatch)> = entries.into_iter().collect();
    let name_offset = |swatch: Swatch| match swatch {
        Swatch::Line | Swatch::DashedLine => pad + size * 1.4,
        Swatch::Box | Swatch::Outline => pad + square,
    };
    let widths: Vec<f64> = entries
        .iter()
        .map(|(name, _, swatch)| name_offset(*swatch) + style.text_width(name, size))
        .collect();
    let max_width = choose_max_entry_width(&widths, gap, area.width(), max_lines, size * 9.0);
    let (mut x, mut line) = (area.x0, 0usize);
    let mut drawn = 0;
    let entry_count = entries.len();
    for (index, (full_name, color, swatch)) in entries.into_iter().enumerate() {
        let swatch_width = name_offset(swatch) - pad;
        let name =
            text::ellipsize(full_name, max_width - swatch_width - pad, size, style.label_face());
        let width = swatch_width + pad + style.text_width(&name, size);
        if x > area.x0 && x + width > area.x1 {
            if line + 1 == max_lines {
                scene.omit(Omission::Name, entry_count - index);
                break;
            }
            line += 1;
            x = area.x0;
        }
        let middle = area.y0 + (line as f64) * line_height + size * 0.5;
        draw_swatch(scene, style, (x, middle), swatch_width, (color, swatch));
        let baseline = middle + HALF_CAP_HEIGHT_EM * size;
        let text = style.label_text(x + swatch_width + pad, baseline, Anchor::Start, size, &name);
        let full = (name != full_name).then(|| full_name.to_owned());
        scene.text(Text { full, color: style.label_color, ..text });
        x += width + gap;
        drawn += 1;
    }
    if drawn == 0 {
        return area;
    }
    let height = (line as f64 + 1.0) * line_height + style.unit * 5.0;
    Rect { y0: area.y0 + height, ..area }
}

/// Returns the largest maximum width of an entry in points at which all entries fit in `max_lines`
/// lines.
///
/// It is the whole width of the legend (`available`), or a half to a sixth of it but at least
/// `min_width`. If no width suffices, it is the whole width. `widths` are the widths of the
/// entries, and `gap` is the space between them.
fn choose_max_entry_width(
    widths: &[f64],
    gap: f64,
    available: f64,
    max_lines: usize,
    min_width: f64,
) -> f64 {
    let part = |columns: usize| (available - gap * (columns - 1) as f64) / columns as f64 - 0.01;
    let parts = (2..=6).map(part).filter(|width| *width >= min_width);
    let fits = |max_width: &f64| {
        let (mut x, mut lines) = (0.0, 1);
        for width in widths.iter().map(|full_width| full_width.min(*max_width)) {
            if x > 0.0 && x + width > available {
                (x, lines) = (0.0, lines + 1);
            }
            x += width + gap;
        }
        lines <= max_lines
    };
    std::iter::once(available).chain(parts).find(fits).unwrap_or(available)
}
