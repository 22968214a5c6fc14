//! Names of categories: under columns (straight, wrapped, thinned or turned) and beside rows.

use std::borrow::Cow;

use kurbo::Rect;

use crate::charts::Scene;
use crate::charts::data;
use crate::charts::frame::Look;
use crate::charts::frame::look::SMALLEST_TEXT;
use crate::charts::scale::Band;
use crate::charts::scene::{ASCENT, Anchor, CENTER, DESCENT, Text};
use crate::charts::text;

/// Space between the plot and the names under it, in units; the lowest tick label beside the
/// plot reaches down to 7.
pub const GAP: f64 = 7.5;

/// How the names under columns are set; decided before the plot has its height.
#[derive(Clone, Debug)]
pub struct Names {
    /// Lines of each name that is drawn.
    lines: Vec<Vec<String>>,
    /// Every so-many-th name is drawn.
    every: usize,
    /// Whether names rise at 45 degrees.
    turned: bool,
    /// Height they take under the plot in points.
    pub height: f64,
}

/// Sine and cosine of 45 degrees.
const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl Names {
    /// Decides how to set names that stand `step` points apart. `most` is the greatest height.
    pub fn plan(names: &[Cow<str>], step: f64, most: f64, look: &Look) -> Names {
        let size = look.label;
        let gap = look.unit * GAP;
        let one = gap + size;
        if most < one || names.iter().all(|it| it.is_empty()) {
            return Names { lines: Vec::new(), every: 1, turned: false, height: 0.0 };
        }
        let single = |every: usize, turned, height| Names {
            lines: names.iter().step_by(every).map(|it| vec![it.to_string()]).collect(),
            every,
            turned,
            height,
        };
        let room = step - size * 0.6;
        let widths = names.iter().map(|it| look.width(it, size));
        let widest = widths.fold(0.0, f64::max);
        if widest <= room {
            return single(1, false, one);
        }
        if most >= one + size * 1.2
            && let Some(lines) = two_lines(names, room, look)
        {
            return Names { lines, every: 1, turned: false, height: one + size * 1.2 };
        }
        let thinned = ((widest + size * 0.9) / step).ceil().max(1.0) as usize;
        if is_sequence(names) && names.len() > 2 * thinned {
            return single(round_up(thinned), false, one);
        }
        let tall = (widest + size * 0.5) * DIAGONAL + gap + size * 0.3;
        let every = (size * 1.25 / step).ceil().max(1.0) as usize;
        single(every, true, tall.min(most).min(look.unit * 90.0))
    }

    /// Draws the names under `plot`, whose columns stand where `band` says.
    pub fn draw(&self, scene: &mut Scene, look: &Look, plot: Rect, band: &Band) {
        let top = plot.y1 + look.unit * GAP;
        for (index, lines) in self.lines.iter().enumerate() {
            let center = band.center(index * self.every);
            if self.turned {
                self.draw_turned(scene, look, (center, top), lines);
            } else {
                draw_straight(scene, look, (center, top), lines);
            }
        }
    }

    fn draw_turned(&self, scene: &mut Scene, look: &Look, (x, top): (f64, f64), lines: &[String]) {
        let size = look.label;
        let Some(name) = lines.first() else { return };
        // The line runs down to the left: it ends at the canvas or at the height that was planned.
        let down = (self.height - look.unit * GAP - size * 0.3) / DIAGONAL - size * 0.5;
        let left = (x - 5.0) / DIAGONAL - size;
        let shown = text::fit(name, down.min(left).max(0.0), size, look.face());
        let at = (x + size * 0.25, top + size * 0.55);
        let full = if shown.len() < name.len() { Some(name.clone()) } else { None };
        let set = look.text(at.0, at.1, Anchor::End, size, &shown);
        scene.text(Text { angle: -45.0, full, ..set });
    }
}

fn draw_straight(scene: &mut Scene, look: &Look, (x, top): (f64, f64), lines: &[String]) {
    let size = look.label;
    for (line, words) in lines.iter().enumerate() {
        let baseline = top + ASCENT * size + line as f64 * size * 1.2;
        let half = look.width(words, size) / 2.0;
        let most = (scene.width - 4.0 - half).max(4.0 + half);
        let center = x.clamp(4.0 + half, most);
        scene.text(look.text(center, baseline, Anchor::Middle, size, words));
    }
}

/// The names in two lines each, if that cuts no word.
fn two_lines(names: &[Cow<str>], room: f64, look: &Look) -> Option<Vec<Vec<String>>> {
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let lines = text::wrap(name, room, 2, look.label, look.face());
        let cut = lines.last().is_some_and(|it| it.ends_with('…')) && !name.ends_with('…')
            || lines.iter().any(|it| look.width(it, look.label) > room);
        if cut || (lines.is_empty() && !name.is_empty()) {
            return None;
        }
        all.push(lines);
    }
    Some(all)
}

/// Whether the names count up (dates, years, numbers), so that one may be guessed from others.
fn is_sequence(names: &[Cow<str>]) -> bool {
    let counts = |name: &str| {
        name.ends_with(|it: char| it.is_ascii_digit()) || data::number_in(name).is_some()
    };
    names.iter().all(|it| it.is_empty() || counts(it))
}

/// A step that people count in.
fn round_up(every: usize) -> usize {
    [1, 2, 5, 10, 20, 25, 50, 100].into_iter().find(|it| *it >= every).unwrap_or(every)
}

/// How the names beside rows are set.
#[derive(Clone, Debug)]
pub struct Rows {
    lines: Vec<Vec<String>>,
    full: Vec<Option<String>>,
    every: usize,
    size: f64,
    /// Width they take left of the plot in points, gap included.
    pub width: f64,
}

impl Rows {
    /// Decides how to set names that stand `step` points apart in at most `most` points.
    pub fn plan(names: &[Cow<str>], step: f64, most: f64, look: &Look) -> Rows {
        let size = if step >= look.label * 1.15 { look.label } else { look.small };
        let fitting = ((step / (size * 1.15)) as usize).min(2);
        let every = if fitting == 0 { (size * 1.15 / step.max(1e-6)).ceil() as usize } else { 1 };
        let gap = look.unit * 8.0;
        let room = most - gap;
        if room < SMALLEST_TEXT * 2.0 || names.iter().all(|it| it.is_empty()) {
            return Rows { lines: Vec::new(), full: Vec::new(), every: 1, size, width: 0.0 };
        }
        let mut widest = 0.0f64;
        let (mut all, mut full) =
            (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
        for (index, name) in names.iter().enumerate() {
            if index % every != 0 {
                all.push(Vec::new());
                full.push(None);
                continue;
            }
            let lines = text::wrap(name, room, fitting.max(1), size, look.face());
            for line in &lines {
                widest = widest.max(look.width(line, size));
            }
            let cut = lines.last().is_some_and(|it| it.ends_with('…'));
            full.push(if cut { Some(name.to_string()) } else { None });
            all.push(lines);
        }
        Rows { lines: all, full, every, size, width: widest + gap }
    }

    /// Draws the names from `left` on, each beside its row.
    pub fn draw(&self, scene: &mut Scene, look: &Look, left: f64, band: &Band) {
        let height = self.size * 1.15;
        for (index, lines) in self.lines.iter().enumerate().step_by(self.every.max(1)) {
            let above = (lines.len() as f64 - 1.0) * height / 2.0;
            for (line, words) in lines.iter().enumerate() {
                let baseline =
                    band.center(index) - above + line as f64 * height + CENTER * self.size;
                let lowest = scene.height - 4.0 - DESCENT * self.size;
                let set = look.text(left, baseline.min(lowest), Anchor::Start, self.size, words);
                scene.text(Text { full: self.full[index].clone(), ..set });
            }
        }
    }
}
