//! Gives tasks their rows, and names their places: in the bar, right of it or left of it.

use kurbo::Rect;

use crate::color::Color;
use crate::frame::Look;
use crate::kinds::gantt::Fills;
use crate::kinds::gantt::tasks::{Plan, Task};
use crate::scale::Linear;
use crate::scene::Anchor;
use crate::text;

/// Rows with names are never lower than this, in points, so that these stay readable.
const LOWEST: f64 = 12.0;
/// Rows without names are never lower than this, in points.
const BARE: f64 = 5.0;

/// Where a name stands.
pub struct Name {
    /// The words, shortened if need be.
    pub words: String,
    /// Width of the words in points.
    pub width: f64,
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
    let set = |row: f64, named: bool| {
        let row = row.min(32.0 * look.unit);
        let size = if row >= look.label * 1.25 { look.label } else { look.small.min(row / 1.2) };
        let thickness = thickness(row, size, look);
        let one = |task: &Task| {
            let fills = fills[task.group];
            spot(task, x, plot, (size, thickness), fills, named.then_some(look))
        };
        let mut spots: Vec<Spot> = plan.tasks.iter().map(one).collect();
        spots.iter_mut().enumerate().for_each(|(lane, it)| it.lane = lane);
        Rows { row, size, thickness, spots }
    };
    let count = plan.tasks.len();
    let own = plot.height() / count as f64;
    let (named, bare) = (LOWEST.min(plot.height()), BARE.min(plot.height()));
    if own >= named {
        return set(own, true).finish(plan, count, count, plot);
    }
    let mut tight = set(named, true);
    let lanes = pack(plan, &mut tight.spots, tight.size);
    if lanes <= room(named) {
        let row = plot.height() / lanes as f64;
        if row >= look.label * 1.6 {
            // Enough room for larger names, if these need no more rows.
            let mut larger = set(row, true);
            if pack(plan, &mut larger.spots, larger.size) <= room(larger.row) {
                let lanes = larger.spots.iter().map(|it| it.lane + 1).max().unwrap_or(1);
                return larger.finish(plan, lanes, lanes, plot);
            }
        }
        tight.row = row.min(32.0 * look.unit);
        tight.thickness = thickness(tight.row, tight.size, look);
        return tight.finish(plan, lanes, lanes, plot);
    }
    if own >= bare {
        return set(own, false).finish(plan, count, count, plot);
    }
    let mut packed = set(bare, false);
    let lanes = pack(plan, &mut packed.spots, packed.size);
    if lanes <= room(bare) {
        packed.row = plot.height() / lanes as f64;
        packed.thickness = thickness(packed.row, packed.size, look);
        return packed.finish(plan, lanes, lanes, plot);
    }
    let (mut rows, lowest) = if room(named) > 5 { (tight, named) } else { (packed, bare) };
    let lanes = pack(plan, &mut rows.spots, rows.size);
    let note = (look.small * 1.3 / lowest).ceil() as usize;
    rows.finish(plan, lanes, room(lowest).saturating_sub(note).max(1), plot)
}

/// Height of a bar. Low rows spend theirs on bars that can still hold a name.
fn thickness(row: f64, size: f64, look: &Look) -> f64 {
    (row * 0.68).max((size * 1.15).min(row * 0.86)).min(22.0 * look.unit).max(1.0)
}

/// Spots with the sizes that they were made for.
struct Rows {
    row: f64,
    size: f64,
    thickness: f64,
    spots: Vec<Spot>,
}

impl Rows {
    /// Keeps the first `shown` of `count` rows.
    fn finish(self, plan: &Plan, count: usize, shown: usize, plot: Rect) -> Lanes {
        let Rows { row, size, thickness, spots } = self;
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
        let note = count > shown;
        let count = shown.min(count);
        Lanes { spots, groups, row, thickness, size, note, top: plot.y0, count }
    }
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
    if let Some(look) = look {
        name(&mut spot, task, plot, size, fills, look);
    }
    spot
}

/// Finds the place of a name: in the bar, right of it, left of it, or shortened on the wider side.
fn name(spot: &mut Spot, task: &Task, plot: Rect, size: f64, fills: Fills, look: &Look) {
    if task.label.is_empty() {
        return;
    }
    let width = look.width(&task.label, size);
    let (pad, gap) = (size * 0.4, size * 0.45);
    let (from, to) = (spot.from, spot.to);
    let (before, after) = (from - gap - plot.x0, plot.x1 - to - gap);
    let within = if task.milestone { 0.0 } else { to - from - 2.0 * pad };
    let short = |room: f64| {
        if width <= room {
            return (task.label.clone(), width);
        }
        let words = text::fit(&task.label, room, size, look.face()).into_owned();
        let width = look.width(&words, size);
        (words, width)
    };
    // In the bar when it is whole there, or when nowhere else more of it has room.
    let inside = (width <= within || within >= before.max(after)).then(|| short(within));
    let inside =
        inside.and_then(|it| ink(spot, from + pad, it.1, fills).map(|ink| (it.0, it.1, ink)));
    let ((words, width), x, anchor, ink) = if let Some((words, width, ink)) = inside {
        ((words, width), from + pad, Anchor::Start, Some(ink))
    } else if width <= after || (width > before && after >= before) {
        (short(after), to + gap, Anchor::Start, None)
    } else {
        (short(before), from - gap, Anchor::End, None)
    };
    match (ink, anchor) {
        (None, Anchor::End) => spot.reach.0 = x - width,
        (None, _) => spot.reach.1 = x + width,
        _ => {}
    }
    spot.name = Some(Name { words, width, x, anchor, ink }).filter(|it| !it.words.is_empty());
}

/// The ink for a name that starts at `x` on the bar.
fn ink(spot: &Spot, x: f64, width: f64, fills: Fills) -> Option<Color> {
    let done = spot.done();
    if x + width <= done {
        super::ink_on(&[fills.done])
    } else if x >= done {
        super::ink_on(&[fills.open])
    } else {
        super::ink_on(&[fills.done, fills.open])
    }
}
