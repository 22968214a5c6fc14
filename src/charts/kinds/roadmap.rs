//! Work by lane and quarter: each item a bar from its start to its end, in the lane of its team.
//!
//! Record: `label`, `lane`, `start`, `end` (the last day counts), `highlighted` (optional flag).
//! Settings: `unit` (`auto`, `month`, `quarter`, `year`), `showToday` (a date), `showGrid`.

mod calendar;
mod plan;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::date;
use crate::frame;
use crate::frame::time::Today;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scene::{Anchor, CENTER, Form, Text};
use crate::text;
use crate::text::Face;

use calendar::Calendar;
use plan::{Item, Layout, Plan, Spot};

/// The roadmap.
pub const KIND: Kind = Kind { slug: "roadmap", draw };

/// A lane's name.
struct Head {
    name: String,
    /// Most lines.
    most: usize,
    width: f64,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let plan = plan::read(chart, scene);
    if plan.items.is_empty() {
        return frame::no_data(frame, scene);
    }
    let (look, area) = (&frame.look, frame.area);
    let heads = heads(&plan, area, look);
    let widest = heads.iter().map(|it| it.width).fold(0.0, f64::max);
    let left = area.x0 + if widest > 0.0 { widest + look.label * 1.6 } else { 0.0 };
    let calendar = Calendar::new(chart, plan.span, (left, area.x1), look);
    let top = area.y0 + calendar.height(look);
    // The day of today stands under its line.
    let today = Today::given(chart, look, calendar.x().domain);
    let foot =
        if today.is_some() && area.height() > look.label * 10.0 { look.label * 1.4 } else { 0.0 };
    let plot = Rect::new(left, top, area.x1, (area.y1 - foot).max(top + 1.0));
    let layout = plan::arrange(&plan, &calendar.x(), plot, look);
    let bottom = layout.lanes.iter().map(|it| it.1).fold(top, f64::max).min(plot.y1);
    let plot = Rect { y1: bottom, ..plot };
    lanes(&layout, &heads, Rect { x0: area.x0, ..plot }, look, scene);
    calendar.draw(chart, plot, chart.flag("showGrid", true), look, scene);
    if let Some(today) = today {
        let x = calendar.x().at(today.moment);
        let end = if foot > 0.0 { plot.y1 + look.label * 0.3 } else { plot.y1 };
        today.line(x, (plot.y0 - look.label * 0.3, end), look, scene);
        if foot > 0.0 {
            today.label((x, plot.y1 + look.label * 1.2), (plot.x0, plot.x1), look, scene);
        }
    }
    let accented = plan.items.iter().any(|it| it.highlighted);
    for (item, spot) in plan.items.iter().zip(&layout.spots) {
        let fill = match (accented, item.highlighted) {
            (false, _) => chart.color(item.lane),
            (true, true) => chart.theme.highlight,
            (true, false) => look.muted.mix(look.background, 0.62),
        };
        if let Some(spot) = spot {
            mark(chart, item, spot, (fill, layout.size), look, scene);
        }
    }
    let missing = layout.spots.iter().filter(|it| it.is_none()).count();
    if missing > 0 {
        scene.warn(format!("Items without room: {missing} of {}.", plan.items.len()));
    }
    scene.desc = format!(
        "Roadmap of {} items in {} lanes from {} to {}.",
        plan.items.len(),
        plan.lanes.len(),
        date::day_text(plan.span.0, true, chart.language()),
        date::day_text(plan.span.1 - 1.0, true, chart.language()),
    );
}

/// The names of the lanes in bold; none when the picture is narrow.
fn heads(plan: &Plan, area: Rect, look: &Look) -> Vec<Head> {
    let room = area.width() * 0.2;
    let named = room >= look.label * 4.0;
    let head = |name: &String| {
        let most = if named { 2 } else { 0 };
        let lines = text::wrap(name, room, most, look.label, Face::Bold);
        let width =
            lines.iter().map(|it| text::width(it, look.label, Face::Bold)).fold(0.0, f64::max);
        Head { name: name.clone(), most, width }
    };
    plan.lanes.iter().map(head).collect()
}

/// The ground of a lane: every second one is shaded.
fn ground(lane: usize, look: &Look) -> Color {
    if lane.is_multiple_of(2) { look.background.mix(look.grid, 0.4) } else { look.background }
}

/// Shades every second lane, and names each beside its first rows.
fn lanes(layout: &Layout, heads: &[Head], plot: Rect, look: &Look, scene: &mut Scene) {
    let leading = look.label * 1.2;
    let room = heads.iter().map(|it| it.width).fold(0.0, f64::max) + 0.1;
    for (index, ((top, bottom), head)) in layout.lanes.iter().zip(heads).enumerate() {
        let rect = Rect::new(plot.x0, *top, plot.x1, bottom.min(plot.y1));
        if rect.height() > 0.0 && ground(index, look) != look.background {
            scene.rect(rect, ground(index, look));
        }
        // A lane of one low row has room for one line, or for none.
        let fitting = (rect.height() / leading).max(0.0) as usize;
        let lines = text::wrap(&head.name, room, fitting.min(head.most), look.label, Face::Bold);
        let height = leading * lines.len().saturating_sub(1) as f64;
        let middle = rect.center().y - height / 2.0;
        for (line, words) in lines.iter().enumerate() {
            let base = middle + line as f64 * leading + CENTER * look.label;
            let set = look.text(plot.x0 + look.label * 0.6, base, Anchor::Start, look.label, words);
            let width = text::width(words, look.label, Face::Bold);
            let full = words.ends_with('…').then(|| head.name.clone());
            scene.text(Text { face: Face::Bold, width, full, ..set });
        }
    }
}

/// One item: its bar and its name.
fn mark(
    chart: &Chart,
    item: &Item,
    spot: &Spot,
    (fill, size): (Color, Option<f64>),
    look: &Look,
    scene: &mut Scene,
) {
    scene.tag("item", Some(item.row), || {
        let day = |it: f64| date::day_text(it, true, chart.language());
        (None, format!("{}: {} – {}", item.label, day(item.from), day(item.to - 1.0)))
    });
    let radius = (spot.bar.height() * 0.16).min(spot.bar.width() / 2.0);
    scene.push(Form::Rect { rect: spot.bar, radius, fill });
    scene.untag();
    let Some(size) = size else { return };
    let leading = size * 1.2;
    let first = spot.bar.center().y - leading * spot.lines.len().saturating_sub(1) as f64 / 2.0;
    let (x, anchor) = match (spot.inside, spot.left) {
        (true, _) => (spot.bar.x0 + size * 0.45, Anchor::Start),
        (false, false) => (spot.bar.x1 + size * 0.45, Anchor::Start),
        (false, true) => (spot.bar.x0 - size * 0.45, Anchor::End),
    };
    let color = if spot.inside { fill.sure_ink() } else { look.value_ink };
    let cut = spot.lines.iter().any(|it| it.ends_with('…'));
    for (line, words) in spot.lines.iter().enumerate() {
        let base = first + line as f64 * leading + CENTER * size;
        let set = look.text(x, base, anchor, size, words);
        let full = cut.then(|| item.label.clone());
        let halo = (!spot.inside).then(|| ground(item.lane, look));
        scene.text(Text { color, full, halo, ..set });
    }
}
