//! Gives tasks their rows, and names their places: in the bar, right of it or left of it.

use kurbo::Rect;

use crate::charts::color::Color;
use crate::charts::frame::Look;
use crate::charts::kinds::gantt::Fills;
use crate::charts::kinds::gantt::tasks::{Plan, Task};
use crate::charts::scale::Linear;
use crate::charts::scene::Anchor;
use crate::charts::text;

/// Rows with names are never lower than this, in points, so that these stay readable.
const LOWEST: f64 = 12.0;
/// Rows without names are never lower than this, in points.
const BARE: f64 = 5.0;

/// Where a name stands.
pub struct Name {
    /// The words, shortened if need be.
    pub words: String,
    /// Place of the anchor in points.
    pub x: f64,
    /// Which end stands there.
    pub anchor: Anchor,
    /// Ink on the bar; none when it stands beside the bar.
    pub ink: Option<Color>,
}

/// Where a task stands.
pub struct Spot {
    /// Row, from the top.
    pub lane: usize,
    /// Left end of the bar or diamond in points.
    pub from: f64,
    /// Right end.
    pub to: f64,
    /// Share that is done, 0 to 1.
    progress: f64,
    /// Its name, if it has room.
    pub name: Option<Name>,
    /// Both ends of bar and name together.
    reach: (f64, f64),
}

/// All rows.
pub struct Lanes {
    /// A spot for each task; none for those without room.
    pub spots: Vec<Option<Spot>>,
    /// First and last row of each group; the last before the first when all are left out.
    pub groups: Vec<(usize, usize)>,
    /// Height of a row in points.
    pub row: f64,
    /// Height of a bar in points.
    pub thickness: f64,
    /// Font size of names.
    pub size: f64,
    /// Whether a line under the rows is kept for a note.
    pub note: bool,
    top: f64,
    count: usize,
}

impl Spot {
    /// Where the part that is done ends.
    pub fn done(&self) -> f64 {
        self.from + (self.to - self.from) * self.progress
    }
}

impl Lanes {
    /// Upper end of a row.
    pub fn top(&self, lane: usize) -> f64 {
        self.top + lane as f64 * self.row
    }

    /// Middle of a row.
    pub fn middle(&self, lane: usize) -> f64 {
        self.top(lane) + self.row / 2.0
    }

    /// Lower end of the last row.
    pub fn bottom(&self) -> f64 {
        self.top(self.count)
    }
}

/// A row for each task. When these would be too low for names, tasks of a group that do not touch
/// share rows; when that does not suffice either, rows get lower and lose their names; what still
/// has no room is left out.
pub fn arrange(plan: &Plan, x: &Linear, plot: Rect, fills: &[Fills], look: &Look) -> Lanes {
    let room = |lowest: f64| ((plot.height() / lowest) as usize).max(1);
    let set = |lowest: f64, count: usize, named: bool| {
        let row = (plot.height() / count.max(1) as f64).clamp(lowest, 32.0 * look.unit);
        let size = if row >= look.label * 1.25 { look.label } else { look.small.min(row / 1.2) };
        let thickness = (row * 0.68).min(22.0 * look.unit).max(1.0);
        let one = |task: &Task| {
            let fills = fills[task.group];
            spot(task, x, plot, (size, thickness), fills, named.then_some(look))
        };
        let mut spots: Vec<Spot> = plan.tasks.iter().map(one).collect();
        spots.iter_mut().enumerate().for_each(|(lane, it)| it.lane = lane);
        (row, size, thickness, spots)
    };
    let count = plan.tasks.len();
    let named = LOWEST.min(plot.height());
    let bare = BARE.min(plot.height());
    if count <= room(named) {
        return finish(plan, set(named, count, true), count, count, plot);
    }
    for (lowest, with_names) in [(named, true), (bare, false)] {
        if !with_names && count <= room(bare) {
            return finish(plan, set(bare, count, false), count, count, plot);
        }
        let mut tight = set(lowest, usize::MAX, with_names);
        let lanes = pack(plan, &mut tight.3, tight.1);
        if lanes <= room(lowest) {
            let mut rows = set(lowest, lanes, with_names);
            let lanes = pack(plan, &mut rows.3, rows.1);
            // Higher rows have larger names, which may need more rows again.
            return if lanes <= room(rows.0) {
                finish(plan, rows, lanes, lanes, plot)
            } else {
                let lanes = pack(plan, &mut tight.3, tight.1);
                finish(plan, tight, lanes, lanes, plot)
            };
        }
    }
    let (lowest, with_names) = if room(named) > 5 { (named, true) } else { (bare, false) };
    let mut rows = set(lowest, usize::MAX, with_names);
    let lanes = pack(plan, &mut rows.3, rows.1);
    let shown = room(lowest).saturating_sub((look.small * 1.3 / lowest).ceil() as usize).max(1);
    finish(plan, rows, lanes, shown, plot)
}

/// Keeps the first `shown` of `count` rows.
fn finish(
    plan: &Plan,
    (row, size, thickness, spots): (f64, f64, f64, Vec<Spot>),
    count: usize,
    shown: usize,
    plot: Rect,
) -> Lanes {
    let mut groups = vec![(usize::MAX, 0); plan.groups.len()];
    let keep = |(task, spot): (&Task, Spot)| {
        if spot.lane >= shown {
            return None;
        }
        let (first, last) = &mut groups[task.group];
        (*first, *last) = ((*first).min(spot.lane), (*last).max(spot.lane));
        Some(spot)
    };
    let spots = plan.tasks.iter().zip(spots).map(keep).collect();
    let count_shown = shown.min(count);
    Lanes { spots, groups, row, thickness, size, note: count > shown, top: plot.y0, count: count_shown }
}

/// Puts tasks of a group into the first row that is free; returns how many rows there are.
fn pack(plan: &Plan, spots: &mut [Spot], size: f64) -> usize {
    let mut order: Vec<usize> = (0..spots.len()).collect();
    let key = |index: &usize| (plan.tasks[*index].group, spots[*index].reach.0);
    order.sort_by(|one, two| key(one).partial_cmp(&key(two)).unwrap_or(std::cmp::Ordering::Equal));
    let (mut base, mut group) = (0, 0);
    let mut ends: Vec<f64> = Vec::new();
    for index in order {
        if plan.tasks[index].group != group {
            group = plan.tasks[index].group;
            base += ends.len();
            ends.clear();
        }
        let (from, to) = spots[index].reach;
        let free = ends.iter().position(|end| end + size * 0.7 <= from);
        let lane = free.unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(end) => *end = to,
            None => ends.push(to),
        }
        spots[index].lane = base + lane;
    }
    base + ends.len()
}

/// Where a task's bar and name stand, in a row of its own.
fn spot(
    task: &Task,
    x: &Linear,
    plot: Rect,
    (size, thickness): (f64, f64),
    fills: Fills,
    look: Option<&Look>,
) -> Spot {
    let (mut from, mut to) = (x.at(task.from), x.at(task.to));
    if task.milestone {
        let half = (thickness / 2.0).min(plot.width() / 2.0);
        let at = from.clamp(plot.x0 + half, plot.x1 - half);
        (from, to) = (at - half, at + half);
    } else if to - from < 2.0 {
        // A day in a plan of years stays visible.
        to = (from + 2.0).min(plot.x1);
        from = from.min(to - 2.0).max(plot.x0);
    }
    let mut spot =
        Spot { lane: 0, from, to, progress: task.progress, name: None, reach: (from, to) };
    // Without a look there are no names.
    let Some(look) = look else { return spot };
    let words = text::fit(&task.label, plot.width(), size, look.face());
    let width = look.width(&words, size);
    let (pad, gap) = (size * 0.4, size * 0.45);
    let (before, after) = (from - gap - plot.x0, plot.x1 - to - gap);
    let within = to - from - 2.0 * pad;
    let name = |words: &str, x, anchor, ink| Name { words: words.to_owned(), x, anchor, ink };
    let ink = if task.milestone { None } else { ink(&spot, from + pad, width, fills) };
    spot.name = match ink {
        _ if words.is_empty() => None,
        Some(ink) if width <= within => Some(name(&words, from + pad, Anchor::Start, Some(ink))),
        _ if width <= after => Some(name(&words, to + gap, Anchor::Start, None)),
        _ if width <= before => Some(name(&words, from - gap, Anchor::End, None)),
        _ => {
            let right = after >= before;
            let short = text::fit(&task.label, after.max(before), size, look.face());
            let (x, anchor) =
                if right { (to + gap, Anchor::Start) } else { (from - gap, Anchor::End) };
            (!short.is_empty()).then(|| name(&short, x, anchor, None))
        }
    };
    if let Some(it) = &spot.name {
        let width = look.width(&it.words, size);
        match (it.ink, it.anchor) {
            (Some(_), _) => {}
            (None, Anchor::End) => spot.reach.0 = it.x - width,
            (None, _) => spot.reach.1 = it.x + width,
        }
    }
    spot
}

/// The ink for a name that starts at `x` on the bar.
fn ink(spot: &Spot, x: f64, width: f64, fills: Fills) -> Option<Color> {
    let done = spot.done();
    let mut under = Vec::with_capacity(2);
    if x < done {
        under.push(fills.done);
    }
    if x + width > done {
        under.push(fills.open);
    }
    super::ink_on(&under)
}
