//! The legend: a chip and a name for each series, above the plot, wrapped by measured width.

use kurbo::Rect;

use crate::Scene;
use crate::color::Color;
use crate::frame::Look;
use crate::scene::{Anchor, CENTER, Form, Text};
use crate::text;

/// At most this many lines; what does not fit is counted in the last entry.
const MOST_LINES: usize = 3;

/// What an entry looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// A filled box, for bars, layers and points.
    Box,
    /// A short stroke, for lines beside bars.
    Line,
}

/// Draws a legend of boxes at the top of `area`, in the order given; returns the space under it.
pub fn draw<'a>(
    scene: &mut Scene,
    look: &Look,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color)>,
) -> Rect {
    draw_chips(scene, look, area, entries.into_iter().map(|it| (it.0, it.1, Chip::Box)))
}

/// The same with a chip of choice for each entry.
pub fn draw_chips<'a>(
    scene: &mut Scene,
    look: &Look,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color, Chip)>,
) -> Rect {
    let size = look.label;
    let chip = (size * 0.8).round();
    let (pad, gap) = (size * 0.45, size * 1.35);
    let line_height = size * 1.55;
    // A legend may take a quarter of the height; small pictures show colours only.
    let most = ((area.height() / 4.0 / line_height) as usize).min(MOST_LINES);
    if most == 0 {
        return area;
    }
    let entries: Vec<(&str, Color, Chip)> = entries.into_iter().collect();
    let lead = |form: Chip| pad + if form == Chip::Line { size * 1.4 } else { chip };
    let widths: Vec<f64> =
        entries.iter().map(|(name, _, form)| lead(*form) + look.width(name, size)).collect();
    let widest = widest(&widths, (gap, area.width()), most, size * 9.0);
    let (mut x, mut line) = (area.x0, 0usize);
    let mut drawn = 0;
    for (whole, color, form) in entries {
        let chip = lead(form) - pad;
        let name = text::fit(whole, widest - chip - pad, size, look.face());
        let width = chip + pad + look.width(&name, size);
        if x > area.x0 && x + width > area.x1 {
            if line + 1 == most {
                scene.warn("The legend has no room for all series.");
                break;
            }
            line += 1;
            x = area.x0;
        }
        let middle = area.y0 + (line as f64) * line_height + size * 0.5;
        let half = if form == Chip::Line { look.unit * 1.25 } else { chip / 2.0 };
        let rect = Rect::new(x, middle - half, x + chip, middle + half);
        scene.push(Form::Rect { rect, radius: half * 0.4, fill: color });
        let baseline = middle + CENTER * size;
        let text = look.text(x + chip + pad, baseline, Anchor::Start, size, &name);
        let full = (name != whole).then(|| whole.to_owned());
        scene.text(Text { full, color: look.label_ink, ..text });
        x += width + gap;
        drawn += 1;
    }
    if drawn == 0 {
        return area;
    }
    let used = (line as f64 + 1.0) * line_height + look.unit * 5.0;
    Rect { y0: area.y0 + used, ..area }
}

/// The widest that an entry may be so that all have room in `most` lines: all the space, or a part
/// of it that is at least `least`. All the space when even that is not enough.
fn widest(widths: &[f64], (gap, room): (f64, f64), most: usize, least: f64) -> f64 {
    let part = |columns: usize| (room - gap * (columns - 1) as f64) / columns as f64 - 0.01;
    let parts = (2..=6).map(part).filter(|it| *it >= least);
    let fits = |widest: &f64| {
        let (mut x, mut lines) = (0.0, 1);
        for width in widths.iter().map(|it| it.min(*widest)) {
            if x > 0.0 && x + width > room {
                (x, lines) = (0.0, lines + 1);
            }
            x += width + gap;
        }
        lines <= most
    };
    std::iter::once(room).chain(parts).find(fits).unwrap_or(room)
}
