//! Names of categories: under columns (straight, wrapped, thinned or turned) and beside rows.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Scene;
use crate::frame::Look;
use crate::frame::look::SMALLEST_TEXT;
use crate::frame::sequence;
use crate::scale::Band;
use crate::scene::{ASCENT, Anchor, CENTER, DESCENT, Text};
use crate::slices::spread;
use crate::text;

/// Space between the plot and the names under it, in units; the lowest tick label beside the
/// plot reaches down to 7.
pub const GAP: f64 = 7.5;

/// How the names under columns are set; decided before the plot has its height.
#[derive(Clone, Debug)]
pub struct Names {
    /// Lines of each name that is drawn.
    lines: Vec<Vec<String>>,
    /// The whole names where they were shortened.
    full: Vec<Option<String>>,
    /// Every so-many-th name is drawn.
    every: usize,
    /// Whether names rise at 45 degrees.
    turned: bool,
    /// Height they take under the plot in points.
    pub height: f64,
}

/// Sine and cosine of 45 degrees.
const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Points between a turned name and the left edge of the canvas.
const EDGE: f64 = 5.0;
/// Share of the plot that the first turned name may push the columns to the right.
const MOST_LEAD: f64 = 0.1;

impl Names {
    /// Decides how to set names that stand `step` points apart. `most` is the greatest height.
    pub fn plan(names: &[Cow<str>], step: f64, most: f64, look: &Look) -> Names {
        let size = look.label;
        let gap = look.unit * GAP;
        let one = gap + size;
        if most < one || names.iter().all(|it| it.is_empty()) {
            return Names::straight(Vec::new(), 0.0);
        }
        let single = |every: usize, turned, height| Names {
            lines: names.iter().step_by(every).map(|it| vec![it.to_string()]).collect(),
            every,
            turned,
            ..Names::straight(Vec::new(), height)
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
            return Names::straight(lines, one + size * 1.2);
        }
        let thinned = ((widest + size * 0.9) / step).ceil().max(1.0) as usize;
        if sequence::counts_up(names) && names.len() > 2 * thinned {
            return single(sequence::every(names, thinned), false, one);
        }
        let tall = (widest + size * 0.5) * DIAGONAL + gap + size * 0.3;
        let every = (size * 1.25 / step).ceil().max(1.0) as usize;
        let turned = single(every, true, tall.min(most).min(look.unit * 90.0));
        // Names that would be cut when turned, too, are as telling in two level lines.
        let level = most >= one + size * 1.2 && room >= least_room(look);
        if level && widest > turned.down(look) && room * 2.0 >= turned.down(look) * 0.85 {
            let rooms = vec![room; names.len()];
            let set = |lines| Names::straight(lines, one + size * 1.2);
            return Names::cut(names, &rooms, 2, look, set);
        }
        turned
    }

    /// The same for the columns of `band`, which start further right where names that rise from
    /// the left would be cut short by the edge of the canvas.
    pub fn under(names: &[Cow<str>], band: Band, most: f64, look: &Look) -> (Names, Band) {
        let plan = Names::plan(names, band.step(), most, look);
        let (left, right) = band.range;
        let missing = |(index, lines): (usize, &Vec<String>)| {
            let reach = lines.first().map_or(0.0, |it| look.width(it, look.label));
            let reach = (reach.min(plan.down(look)) + look.label) * DIAGONAL + EDGE;
            reach - band.center(index * plan.every)
        };
        let lead = plan.lines.iter().enumerate().map(missing).fold(0.0, f64::max);
        if !plan.turned || lead == 0.0 {
            return (plan, band);
        }
        // Columns that start further right are narrower, too.
        let lead = lead / (1.0 - 0.5 / band.count.max(1) as f64) + 0.1;
        let band = Band { range: (left + lead.min((right - left) * MOST_LEAD), right), ..band };
        (Names::plan(names, band.step(), most, look), band)
    }

    /// Decides how to set names under `columns` of unequal widths, each from its left to its right
    /// edge: names keep to their columns, or move a little, or all rise, or the long ones are
    /// shortened. `most` is the greatest height, `limits` are the outer edges of moved names.
    /// Returns the middle of each name with them.
    pub fn plan_uneven(
        names: &[Cow<str>],
        columns: &[(f64, f64)],
        limits: (f64, f64),
        most: f64,
        look: &Look,
    ) -> (Names, Vec<f64>) {
        let size = look.label;
        let gap = look.unit * GAP;
        let one = gap + size;
        let centers: Vec<f64> = columns.iter().map(|it| (it.0 + it.1) / 2.0).collect();
        let straight = |lines: Vec<Vec<String>>| {
            let rows = lines.iter().map(Vec::len).max().unwrap_or(0);
            let height = if rows == 0 { 0.0 } else { one + size * 1.2 * (rows as f64 - 1.0) };
            Names::straight(lines, height)
        };
        if most < one {
            return (straight(Vec::new()), centers);
        }
        let rows = if most >= one + size * 1.2 { 2 } else { 1 };
        let room = |column: &(f64, f64)| column.1 - column.0 - size * 0.4;
        let whole = |(name, column): (&Cow<str>, _)| {
            whole(name, room(column), rows, look).unwrap_or_else(|| vec![name.to_string()])
        };
        let lines: Vec<Vec<String>> = names.iter().zip(columns).map(whole).collect();
        if let Some(moved) = moved(&lines, columns, limits, look) {
            return (straight(lines), moved);
        }
        let rooms: Vec<f64> = columns.iter().map(room).collect();
        let widths: Vec<f64> = names.iter().map(|it| look.width(it, size)).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        let tall = ((widest + size * 0.5) * DIAGONAL + gap + size * 0.3).min(most);
        let down = (tall - gap - size * 0.3) / DIAGONAL - size * 0.5;
        // Names rise where more of them is seen so.
        let seen = |width: &f64, room: f64| if *width > room { room / width } else { 1.0 };
        let risen: f64 = widths.iter().map(|it| seen(it, down)).sum();
        let level = widths.iter().zip(&rooms).map(|(width, room)| match *room {
            room if *width > room && room < least_room(look) => 0.0,
            room => seen(width, room * rows as f64),
        });
        let mut near = centers.iter().zip(centers.iter().skip(1)).map(|(one, two)| two - one);
        if near.all(|it| it >= size * 1.25) && most >= size * 3.5 && risen > level.sum() {
            let lines = names.iter().map(|it| vec![it.to_string()]).collect();
            return (Names { turned: true, ..Names::straight(lines, tall) }, centers);
        }
        (Names::cut(names, &rooms, rows, look, straight), centers)
    }

    /// Names shortened to their rooms; columns too narrow for a word have none.
    fn cut(
        names: &[Cow<str>],
        rooms: &[f64],
        rows: usize,
        look: &Look,
        straight: impl FnOnce(Vec<Vec<String>>) -> Names,
    ) -> Names {
        let cut = |(name, room): (&Cow<str>, &f64)| match whole(name, *room, rows, look) {
            Some(lines) => lines,
            None if *room < least_room(look) => Vec::new(),
            None => text::wrap(name, *room, rows, look.label, look.face()),
        };
        let lines: Vec<Vec<String>> = names.iter().zip(rooms).map(cut).collect();
        let shortened = |lines: &Vec<String>| lines.iter().any(|it| it.ends_with('…'));
        let full = lines.iter().zip(names);
        let full = full.map(|(it, name)| shortened(it).then(|| name.to_string())).collect();
        Names { full, ..straight(lines) }
    }

    fn straight(lines: Vec<Vec<String>>, height: f64) -> Names {
        Names { lines, full: Vec::new(), every: 1, turned: false, height }
    }

    /// Draws the names under `plot`, whose columns stand where `band` says.
    pub fn draw(&self, scene: &mut Scene, look: &Look, plot: Rect, band: &Band) {
        self.draw_at(scene, look, plot, |index| band.center(index));
    }

    /// Draws the names under `plot`, each below the middle of its column.
    pub fn draw_at(
        &self,
        scene: &mut Scene,
        look: &Look,
        plot: Rect,
        center: impl Fn(usize) -> f64,
    ) {
        let top = plot.y1 + look.unit * GAP;
        for (index, lines) in self.lines.iter().enumerate() {
            let center = center(index * self.every);
            if self.turned {
                self.draw_turned(scene, look, (center, top), lines);
            } else {
                let full = self.full.get(index).and_then(Option::as_ref);
                draw_straight(scene, look, (center, top), (lines, full));
            }
        }
    }

    /// Length of a turned name that the planned height has room for.
    fn down(&self, look: &Look) -> f64 {
        // A hair more, so that rounding does not cut the longest name.
        (self.height - look.unit * GAP - look.label * 0.3) / DIAGONAL - look.label * 0.5 + 1e-6
    }

    fn draw_turned(&self, scene: &mut Scene, look: &Look, (x, top): (f64, f64), lines: &[String]) {
        let size = look.label;
        let Some(name) = lines.first() else { return };
        // The line runs down to the left: it ends at the canvas or at the height that was planned.
        let left = (x - EDGE) / DIAGONAL - size;
        let shown = text::fit(name, self.down(look).min(left).max(0.0), size, look.face());
        let at = (x + size * 0.25, top + size * 0.55);
        let full = if shown.len() < name.len() { Some(name.clone()) } else { None };
        let set = look.text(at.0, at.1, Anchor::End, size, &shown);
        scene.text(Text { angle: -45.0, full, ..set });
    }
}

fn draw_straight(
    scene: &mut Scene,
    look: &Look,
    (x, top): (f64, f64),
    (lines, full): (&[String], Option<&String>),
) {
    let size = look.label;
    for (line, words) in lines.iter().enumerate() {
        let baseline = top + ASCENT * size + line as f64 * size * 1.2;
        let half = look.width(words, size) / 2.0;
        let most = (scene.width - 4.0 - half).max(4.0 + half);
        let center = x.clamp(4.0 + half, most);
        let set = look.text(center, baseline, Anchor::Middle, size, words);
        scene.text(Text { full: full.cloned(), ..set });
    }
}

/// Room below which a shortened name says too little.
fn least_room(look: &Look) -> f64 {
    look.label * 3.5
}

/// Middles of names that are pushed apart, if each stays at its own column.
fn moved(
    lines: &[Vec<String>],
    columns: &[(f64, f64)],
    (left, right): (f64, f64),
    look: &Look,
) -> Option<Vec<f64>> {
    let size = look.label;
    let width = |it: &Vec<String>| it.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
    let widths: Vec<f64> = lines.iter().map(|it| width(it) + size * 0.8).collect();
    let centers: Vec<f64> = columns.iter().map(|it| (it.0 + it.1) / 2.0).collect();
    if widths.iter().sum::<f64>() > right - left {
        return None;
    }
    let middles = spread::spread(&centers, &widths, left, right);
    let near = |(at, column): (&f64, &(f64, f64))| {
        *at >= column.0 - size * 0.5 && *at <= column.1 + size * 0.5
    };
    middles.iter().zip(columns).all(near).then_some(middles)
}

/// The names in two lines each, if that cuts no word.
fn two_lines(names: &[Cow<str>], room: f64, look: &Look) -> Option<Vec<Vec<String>>> {
    names.iter().map(|name| whole(name, room, 2, look)).collect()
}

/// A name in so many lines at most, if that cuts no word.
fn whole(name: &str, room: f64, most: usize, look: &Look) -> Option<Vec<String>> {
    if room < 0.0 {
        return None;
    }
    let lines = text::wrap(name, room, most, look.label, look.face());
    let cut = lines.iter().any(|it| it.ends_with('…')) && !name.ends_with('…')
        || lines.iter().any(|it| look.width(it, look.label) > room);
    if cut || (lines.is_empty() && !name.is_empty()) { None } else { Some(lines) }
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

    /// The same in `most` points, or in up to `more` where that cuts no name.
    pub fn plan_whole(
        names: &[Cow<str>],
        step: f64,
        (most, more): (f64, f64),
        look: &Look,
    ) -> Rows {
        let usual = Rows::plan(names, step, most, look);
        if !usual.is_cut() {
            return usual;
        }
        let wide = Rows::plan(names, step, more, look);
        if wide.is_cut() { usual } else { wide }
    }

    /// Whether a name is shortened or left out.
    fn is_cut(&self) -> bool {
        self.every > 1 || self.full.iter().any(Option::is_some)
    }

    /// Draws the names from `left` on, each beside its row.
    pub fn draw(&self, scene: &mut Scene, look: &Look, left: f64, band: &Band) {
        self.draw_at(scene, look, (left, Anchor::Start), band);
    }

    /// Draws the names with their anchor at `x`, each beside its row.
    pub fn draw_at(&self, scene: &mut Scene, look: &Look, (x, anchor): (f64, Anchor), band: &Band) {
        let height = self.size * 1.15;
        for (index, lines) in self.lines.iter().enumerate().step_by(self.every.max(1)) {
            let above = (lines.len() as f64 - 1.0) * height / 2.0;
            for (line, words) in lines.iter().enumerate() {
                let baseline =
                    band.center(index) - above + line as f64 * height + CENTER * self.size;
                let lowest = scene.height - 4.0 - DESCENT * self.size;
                let set = look.text(x, baseline.min(lowest), anchor, self.size, words);
                scene.text(Text { full: self.full[index].clone(), ..set });
            }
        }
    }
}
