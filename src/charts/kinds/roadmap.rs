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
use crate::frame::time::DateMarker;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
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
        return frame::draw_no_data(frame, scene);
    }
    let (style, area) = (&frame.style, frame.area);
    let heads = heads(&plan, area, style);
    let widest = heads.iter().map(|it| it.width).fold(0.0, f64::max);
    let left = area.x0 + if widest > 0.0 { widest + style.label_size * 1.6 } else { 0.0 };
    let calendar = Calendar::new(chart, plan.span, (left, area.x1), style);
    let top = area.y0 + calendar.height(style);
    // The day of today stands under its line.
    let today = DateMarker::from_settings(chart, style, calendar.x().domain);
    let foot = if today.is_some() && area.height() > style.label_size * 10.0 {
        style.label_size * 1.4
    } else {
        0.0
    };
    let plot = Rect::new(left, top, area.x1, (area.y1 - foot).max(top + 1.0));
    let layout = plan::arrange(&plan, &calendar.x(), plot, style);
    let bottom = layout.lanes.iter().map(|it| it.1).fold(top, f64::max).min(plot.y1);
    let plot = Rect { y1: bottom, ..plot };
    lanes(&layout, &heads, Rect { x0: area.x0, ..plot }, style, scene);
    calendar.draw(chart, plot, chart.bool_setting("showGrid", true), style, scene);
    if let Some(today) = today {
        let x = calendar.x().at(today.timestamp);
        let end = if foot > 0.0 { plot.y1 + style.label_size * 0.3 } else { plot.y1 };
        today.draw_line(x, (plot.y0 - style.label_size * 0.3, end), style, scene);
        if foot > 0.0 {
            today.draw_label(
                (x, plot.y1 + style.label_size * 1.2),
                (plot.x0, plot.x1),
                style,
                scene,
            );
        }
    }
    let accented = plan.items.iter().any(|it| it.highlighted);
    for (item, spot) in plan.items.iter().zip(&layout.spots) {
        let fill = match (accented, item.highlighted) {
            (false, _) => chart.series_color(item.lane),
            (true, true) => chart.theme.highlight_color,
            (true, false) => style.muted_color.mix(style.background, 0.62),
        };
        if let Some(spot) = spot {
            draw_item(chart, item, spot, (fill, layout.size), style, scene);
        }
    }
    let missing = layout.spots.iter().filter(|it| it.is_none()).count();
    if missing > 0 {
        scene.warn(format!("Items without room: {missing} of {}.", plan.items.len()));
    }
    scene.description = format!(
        "Roadmap of {} items in {} lanes from {} to {}.",
        plan.items.len(),
        plan.lanes.len(),
        date::format_day(plan.span.0, true, chart.locale()),
        date::format_day(plan.span.1 - 1.0, true, chart.locale()),
    );
}

/// The names of the lanes in bold; none when the picture is narrow.
fn heads(plan: &Plan, area: Rect, style: &ChartStyle) -> Vec<Head> {
    let room = area.width() * 0.2;
    let named = room >= style.label_size * 4.0;
    let head = |name: &String| {
        let most = if named { 2 } else { 0 };
        let lines = text::wrap(name, room, most, style.label_size, Face::BOLD);
        let width = lines
            .iter()
            .map(|it| text::width(it, style.label_size, Face::BOLD))
            .fold(0.0, f64::max);
        Head { name: name.clone(), most, width }
    };
    plan.lanes.iter().map(head).collect()
}

/// The ground of a lane: every second one is shaded.
fn ground(lane: usize, style: &ChartStyle) -> Color {
    if lane.is_multiple_of(2) {
        style.background.mix(style.grid_color, 0.4)
    } else {
        style.background
    }
}

/// Shades every second lane, and names each beside its first rows.
fn lanes(layout: &Layout, heads: &[Head], plot: Rect, style: &ChartStyle, scene: &mut Scene) {
    let leading = style.label_size * 1.2;
    let room = heads.iter().map(|it| it.width).fold(0.0, f64::max) + 0.1;
    for (index, ((top, bottom), head)) in layout.lanes.iter().zip(heads).enumerate() {
        let rect = Rect::new(plot.x0, *top, plot.x1, bottom.min(plot.y1));
        if rect.height() > 0.0 && ground(index, style) != style.background {
            scene.rect(rect, ground(index, style));
        }
        // A lane of one low row has room for one line, or for none.
        let fitting = (rect.height() / leading).max(0.0) as usize;
        let lines =
            text::wrap(&head.name, room, fitting.min(head.most), style.label_size, Face::BOLD);
        let height = leading * lines.len().saturating_sub(1) as f64;
        let middle = rect.center().y - height / 2.0;
        for (line, words) in lines.iter().enumerate() {
            let base = middle + line as f64 * leading + HALF_CAP_HEIGHT_EM * style.label_size;
            let set = style.label_text(
                plot.x0 + style.label_size * 0.6,
                base,
                Anchor::Start,
                style.label_size,
                words,
            );
            let width = text::width(words, style.label_size, Face::BOLD);
            let full = words.ends_with('…').then(|| head.name.clone());
            scene.text(Text { face: Face::BOLD, width, full, ..set });
        }
    }
}

/// One item: its bar and its name.
fn draw_item(
    chart: &Chart,
    item: &Item,
    spot: &Spot,
    (fill, size): (Color, Option<f64>),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("item", Some(item.row), || {
        let day = |it: f64| date::format_day(it, true, chart.locale());
        (None, format!("{}: {} – {}", item.label, day(item.from), day(item.to - 1.0)))
    });
    let radius = (spot.bar.height() * 0.16).min(spot.bar.width() / 2.0);
    scene.push(Primitive::Rect { rect: spot.bar, radius, fill });
    scene.end_mark();
    let Some(size) = size else { return };
    let leading = size * 1.2;
    let first = spot.bar.center().y - leading * spot.lines.len().saturating_sub(1) as f64 / 2.0;
    let (x, anchor) = match (spot.inside, spot.left) {
        (true, _) => (spot.bar.x0 + size * 0.45, Anchor::Start),
        (false, false) => (spot.bar.x1 + size * 0.45, Anchor::Start),
        (false, true) => (spot.bar.x0 - size * 0.45, Anchor::End),
    };
    let color = if spot.inside { fill.readable_text_color() } else { style.value_color };
    let cut = spot.lines.iter().any(|it| it.ends_with('…'));
    for (line, words) in spot.lines.iter().enumerate() {
        let base = first + line as f64 * leading + HALF_CAP_HEIGHT_EM * size;
        let set = style.label_text(x, base, anchor, size, words);
        let full = cut.then(|| item.label.clone());
        let halo = (!spot.inside).then(|| ground(item.lane, style));
        scene.text(Text { color, full, halo, ..set });
    }
}
