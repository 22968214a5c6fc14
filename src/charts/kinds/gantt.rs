//! Tasks as bars on a calendar, with progress, milestones and what waits for what.
//!
//! Record: `id`, `label`, `start`, `end` (the last day counts), `progress` (0 to 1), `group`,
//! `milestone`, `dependsOn`. Settings: `unit`, `showToday` (a date), `showDependencies`,
//! `workingDays`, `showProgress`, `showGrid`.

mod lanes;
mod links;
mod tasks;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::{Color, DARK_INK, WHITE};
use crate::format::date;
use crate::frame;
use crate::frame::time::{TimeAxis, Today};
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scene::{ASCENT, Anchor, CENTER, Form, Stroke, Text};
use crate::text;
use crate::text::Face;

use lanes::{Lanes, Spot};
use tasks::{Plan, Task};

/// The Gantt chart.
pub const KIND: Kind = Kind { slug: "gantt", draw };

/// Colours of one group's bars.
#[derive(Clone, Copy)]
struct Fills {
    done: Color,
    open: Color,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let plan = tasks::read(chart, scene);
    if plan.tasks.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let area = frame.area;
    let heads = heads(&plan, area, look);
    let left = area.x0 + heads.iter().map(|it| it.width).fold(0.0, f64::max);
    let left = if left > area.x0 { left + look.label } else { left };
    let axis = calendar(chart, &plan, (left, area.x1), look);
    let top = area.y0 + axis.height(look);
    let today = Today::given(chart, look, axis.x.domain);
    let foot = if today.is_some() { look.label * 1.4 } else { 0.0 };
    let plot = Rect::new(left, top, area.x1, (area.y1 - foot).max(top + 1.0));
    let fills: Vec<Fills> =
        (0..plan.groups.len().max(1)).map(|it| fills(chart, &plan, it, look)).collect();
    let lanes = lanes::arrange(&plan, &axis.x, plot, &fills, look);
    let plot = Rect { y1: lanes.bottom(), ..plot };
    ground(chart, &axis, plot, area.y0, look, scene);
    separators(&plan, &lanes, &heads, area, look, scene);
    let linked = chart.flag("showDependencies", true) && links::draw(&plan, &lanes, look, scene);
    let crossed = linked || today.is_some();
    let placed =
        || plan.tasks.iter().zip(&lanes.spots).filter_map(|(it, spot)| Some((it, spot.as_ref()?)));
    if let Some(today) = today {
        // Under the bars, because it would strike through the names in them.
        let (x, end) = (axis.x.at(today.moment), plot.y1 + look.label * 0.3);
        today.line(x, (plot.y0, end), look, scene);
        if !lanes.note && end + look.label * 1.1 < scene.height - 4.0 {
            let base = end + look.label * 0.95;
            today.label((x, base), (area.x0, area.x1), look, scene);
        }
    }
    for (task, spot) in placed() {
        mark(chart, task, spot, &lanes, fills[task.group], scene);
    }
    for (task, spot) in placed() {
        name(task, spot, &lanes, crossed, look, scene);
    }
    left_out(&plan, &lanes, plot, look, scene);
    scene.desc = format!(
        "Gantt chart of {} tasks from {} to {}.",
        plan.tasks.len(),
        date::day_text(plan.span.0, true, chart.language()),
        date::day_text(plan.span.1 - 1.0, true, chart.language()),
    );
}

/// The calendar over the bars; it starts with a month when that costs little room.
fn calendar(chart: &Chart, plan: &Plan, range: (f64, f64), look: &Look) -> TimeAxis {
    let (low, high) = plan.span;
    let span = (high - low).max(date::DAY);
    let it = date::civil(low);
    let month = date::moment(it.year, it.month as i32, 1);
    let low = if low - month < 0.12 * span { month } else { low - 0.01 * span };
    let least = match chart.word("unit") {
        "day" => 1.0,
        "week" => 7.0,
        "month" => 30.0,
        "quarter" => 91.0,
        // Months read better than every second Monday once there are three of them.
        _ if span > 80.0 * date::DAY => 30.0,
        _ => 0.0,
    };
    let domain = (low, high + 0.01 * span);
    TimeAxis::at_least(domain, range, least * date::DAY, look, chart.language())
}

/// A group's name in lines.
struct Head {
    lines: Vec<String>,
    full: Option<String>,
    width: f64,
}

/// The names of the groups; none when the picture is narrow.
fn heads(plan: &Plan, area: Rect, look: &Look) -> Vec<Head> {
    let room = area.width() * 0.22;
    if room < look.label * 4.0 || plan.groups.iter().all(|it| it.is_empty()) {
        return Vec::new();
    }
    let head = |name: &String| {
        let lines = text::wrap(name, room, 2, look.label, Face::Bold);
        let width =
            lines.iter().map(|it| text::width(it, look.label, Face::Bold)).fold(0.0, f64::max);
        let cut = lines.iter().any(|it| it.ends_with('…'));
        Head { lines, full: cut.then(|| name.clone()), width }
    };
    plan.groups.iter().map(head).collect()
}

fn fills(chart: &Chart, plan: &Plan, group: usize, look: &Look) -> Fills {
    let done = chart.color(group);
    let shaded = plan.progress && chart.flag("showProgress", true);
    Fills { done, open: if shaded { done.mix(look.background, 0.55) } else { done } }
}

/// Weekends, rules and the calendar.
fn ground(chart: &Chart, axis: &TimeAxis, plot: Rect, top: f64, look: &Look, scene: &mut Scene) {
    let (low, high) = axis.x.domain;
    let day = (plot.width() / ((high - low) / date::DAY)).max(0.0);
    if chart.flag("workingDays", false) && day >= 2.5 {
        // 1970-01-03 was a Saturday.
        let mut saturday = ((low / date::DAY - 4.0) / 7.0).floor() * 7.0 + 2.0;
        while saturday * date::DAY < high {
            let from = axis.x.at(saturday * date::DAY);
            let to = axis.x.at((saturday + 2.0) * date::DAY);
            scene.rect(Rect::new(from, plot.y0, to, plot.y1), look.grid.mix(look.background, 0.5));
            saturday += 7.0;
        }
    }
    if chart.flag("showGrid", true) {
        axis.draw_rules(scene, look, plot);
    }
    // The axis keeps a gap to a plot above it; here it is the uppermost thing.
    axis.draw_labels(scene, look, top - 6.0 * look.unit);
}

/// Names the groups and parts them by fine lines.
fn separators(
    plan: &Plan,
    lanes: &Lanes,
    heads: &[Head],
    area: Rect,
    look: &Look,
    scene: &mut Scene,
) {
    let mut free = area.y0;
    for (group, (first, last)) in lanes.groups.iter().enumerate().filter(|it| it.1.0 <= it.1.1) {
        let (top, bottom) = (lanes.top(*first), lanes.top(*last + 1));
        if plan.groups.len() > 1 {
            scene.line((area.x0, top), (area.x1, top), Stroke::new(look.grid, 1.0));
        }
        let Some(head) = heads.get(group) else { continue };
        // Under low rows a name keeps clear of the line above it.
        let middle = top + lanes.row.max(look.label * 1.4).min(bottom - top) / 2.0;
        let mut base = middle + CENTER * look.label;
        for line in &head.lines {
            // A second line needs a second row; two groups of one row each share no room.
            let fits =
                base - ASCENT * look.label >= free && base <= bottom.max(middle + look.label);
            if fits {
                let set = look.text(area.x0, base, Anchor::Start, look.label, line);
                let width = text::width(line, look.label, Face::Bold);
                let full = head.full.clone().filter(|_| line.ends_with('…'));
                scene.text(Text { face: Face::Bold, width, full, ..set });
                free = base + 0.25 * look.label;
            }
            base += look.label * 1.2;
        }
    }
}

/// One task: its bar or diamond.
fn mark(chart: &Chart, task: &Task, spot: &Spot, lanes: &Lanes, fills: Fills, scene: &mut Scene) {
    let middle = lanes.middle(spot.lane);
    let half = lanes.thickness / 2.0;
    scene.tag(if task.milestone { "milestone" } else { "task" }, Some(task.row), || {
        let day = |it: f64| date::day_text(it, true, chart.language());
        let end =
            if task.milestone { String::new() } else { format!(" – {}", day(task.to - 1.0)) };
        (None, format!("{}: {}{end}", task.label, day(task.from)))
    });
    if task.milestone {
        let (x, half) = (f64::midpoint(spot.from, spot.to), (spot.to - spot.from) / 2.0);
        let mut path = BezPath::new();
        path.move_to((x, middle - half));
        path.line_to((x + half, middle));
        path.line_to((x, middle + half));
        path.line_to((x - half, middle));
        path.close_path();
        scene.fill(path, fills.done);
    } else {
        let bar = Rect::new(spot.from, middle - half, spot.to, middle + half);
        let radius = (half * 0.35).min(bar.width() / 2.0);
        scene.push(Form::Rect { rect: bar, radius, fill: fills.open });
        let done = spot.done();
        if done > bar.x0 && fills.done != fills.open {
            let radius = radius.min((done - bar.x0) / 2.0);
            scene.push(Form::Rect { rect: Rect { x1: done, ..bar }, radius, fill: fills.done });
        }
    }
    scene.untag();
}

/// The name of a task, in its bar or beside it.
fn name(task: &Task, spot: &Spot, lanes: &Lanes, crossed: bool, look: &Look, scene: &mut Scene) {
    let Some(name) = &spot.name else { return };
    let ink = name.ink.unwrap_or(look.value_ink);
    // A rim keeps names readable over arrows and the line of the day; most plans have neither.
    let halo = (crossed && name.ink.is_none()).then_some(look.background);
    scene.text(Text {
        x: name.x,
        y: lanes.middle(spot.lane) + CENTER * lanes.size,
        anchor: name.anchor,
        angle: 0.0,
        size: lanes.size,
        face: look.face(),
        color: ink,
        halo,
        text: name.words.clone(),
        width: name.width,
        full: (name.words != task.label).then(|| task.label.clone()),
    });
}

/// The ink that is readable on all of these fills.
fn ink_on(fills: &[Color]) -> Option<Color> {
    [WHITE, DARK_INK].into_iter().find(|ink| fills.iter().all(|it| it.contrast(*ink) >= 4.5))
}

/// Says how many tasks had no room.
fn left_out(plan: &Plan, lanes: &Lanes, plot: Rect, look: &Look, scene: &mut Scene) {
    let count = lanes.spots.iter().filter(|it| it.is_none()).count();
    if count == 0 {
        return;
    }
    scene.warn(format!("Tasks without room: {count} of {}.", plan.tasks.len()));
    let set = look.more((plot.x1, plot.y1 + 1.1 * look.small), Anchor::End, count, "task");
    if lanes.note && set.width < plot.width() {
        scene.text(set);
    }
}
