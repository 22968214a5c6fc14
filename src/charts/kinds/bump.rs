//! Ranks over periods: a line for each record that moves up and down, named at its ends.
//!
//! Record: `label`, a number for each period, `highlighted`; or in long form `label`, `period`,
//! `value`. Settings: `series` (the periods), `values` (`auto`, `amounts`, `ranks`), `top` (so many
//! ranks are shown), `showValues` (the rank in each dot).

mod ranks;

use std::borrow::Cow;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::{Color, WHITE};
use crate::frame;
use crate::frame::bands;
use crate::frame::category::Names;
use crate::frame::lines;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::Band;
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::text;

use ranks::{Item, Table};

/// The bump chart.
pub const KIND: Kind = Kind { slug: "bump", draw };

/// So many lines have a colour of their own; the rest is muted.
const MOST_COLORS: usize = 8;

/// Where the ranks stand.
struct Plot {
    area: Rect,
    x: Band,
    /// Points from one rank to the next.
    row: f64,
    radius: f64,
    /// Font size of names and ranks.
    size: f64,
}

impl Plot {
    fn at(&self, period: usize, rank: usize) -> Point {
        let y = self.area.y0 + self.row * (rank as f64 + 0.5);
        Point::new(self.x.center(period), y)
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let fitting = (frame.area.height() - look.label * 1.8) / (look.small * 1.2);
    let table = ranks::read(chart, fitting.max(2.0) as usize, scene);
    if table.items.is_empty() {
        return frame::no_data(frame, scene);
    }
    let colors = colors(chart, &table, look);
    let plot = layout(&table, look, frame.area, scene);
    // Muted lines lie under those that have a colour.
    let mut order: Vec<usize> = (0..table.items.len()).collect();
    order.sort_by_key(|it| colors.get(*it).is_some_and(|it| *it != look.faded()));
    for index in order {
        let (Some(item), Some(color)) = (table.items.get(index), colors.get(index)) else {
            continue;
        };
        draw_item(chart, item, *color, (&plot, &table), look, scene);
    }
    names(&table, &colors, &plot, frame.area, look, scene);
    describe(&table, scene);
}

/// The accent for highlighted lines; else a colour for each of the first at the end.
fn colors(chart: &Chart, table: &Table, look: &Look) -> Vec<Color> {
    let accented = table.items.iter().any(|it| it.highlighted);
    let mut order: Vec<usize> = (0..table.items.len()).collect();
    let last = |it: &usize| table.items.get(*it).and_then(Item::last).map_or(usize::MAX, |it| it.1);
    order.sort_by_key(last);
    let mut colors = vec![look.faded(); table.items.len()];
    for (place, index) in order.into_iter().enumerate() {
        let highlighted = table.items.get(index).is_some_and(|it| it.highlighted);
        let color = match (accented, highlighted) {
            (true, true) => chart.theme.highlight,
            (false, _) if place < MOST_COLORS => chart.color(place),
            _ => continue,
        };
        if let Some(own) = colors.get_mut(index) {
            let color = lines::line_color(color, look);
            // Some hues are too dark for dark figures and too light for light ones.
            let inked = bands::inner_ink(color).is_some();
            *own = if inked { color } else { color.readable_on(WHITE, 4.5) };
        }
    }
    colors
}

/// Lays the plot out and draws the names of the periods under it.
fn layout(table: &Table, look: &Look, area: Rect, scene: &mut Scene) -> Plot {
    let count = table.periods.len().max(1);
    let widest = |size: f64| {
        let names = table.items.iter().map(|it| look.width(&it.label, size));
        names.fold(0.0, f64::max)
    };
    let guess = (area.height() - look.label * 1.8) / table.ranks.max(1) as f64;
    let size = if guess >= look.label * 1.2 { look.label } else { look.small };
    let radius = (guess * 0.36).min(look.label * 0.95).max(1.5);
    let gap = radius + size * 0.45;
    let both = area.width() >= look.label * 38.0 && count > 1;
    let side = (widest(size) + gap).min(area.width() * if both { 0.24 } else { 0.4 });
    // The first period stands in the middle under its line, within the area.
    let first = table.periods.first().map_or(0.0, |it| look.width(it, look.label) / 2.0);
    let left = if both { side } else { (radius + 1.0).max(first.min(area.width() * 0.08)) };
    let sides = (area.x0 + left, (area.x1 - side).max(area.x0 + left + 1.0));
    let step = (sides.1 - sides.0) / (count.max(2) - 1) as f64;
    let half = if count == 1 { 0.0 } else { step / 2.0 };
    let x =
        Band { count, range: (sides.0 - half, sides.1 + half), padding: 0.0, most: f64::INFINITY };
    let radius = radius.min(step * 0.3).max(1.0);
    let periods: Vec<Cow<str>> = table.periods.iter().map(|it| Cow::Borrowed(&**it)).collect();
    let names = Names::plan(&periods, step, area.height() * 0.3, look);
    let bottom = (area.y1 - names.height).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let row = plot.height() / table.ranks.max(1) as f64;
    for period in 0..count {
        let at = x.center(period);
        scene.line((at, plot.y0), (at, plot.y1), Stroke::new(look.grid, 1.0));
    }
    names.draw(scene, look, plot, &x);
    Plot { area: plot, x, row, radius: radius.min(row * 0.42), size }
}

/// A line that leaves and reaches each dot levelly, with gaps where the record has no rank.
fn draw_item(
    chart: &Chart,
    item: &Item,
    color: Color,
    (plot, table): (&Plot, &Table),
    look: &Look,
    scene: &mut Scene,
) {
    let width = (plot.row * 0.16).clamp(1.0, 4.0 * look.unit);
    let points: Vec<Option<Point>> =
        item.ranks.iter().enumerate().map(|(at, it)| it.map(|it| plot.at(at, it))).collect();
    scene.tag("line", item.rows.iter().flatten().next().copied(), || (None, item.label.clone()));
    let mut path = BezPath::new();
    let mut before: Option<Point> = None;
    for point in &points {
        match (before, *point) {
            (Some(from), Some(to)) => {
                let middle = (from.x + to.x) / 2.0;
                path.curve_to((middle, from.y), (middle, to.y), (to.x, to.y));
            }
            (None, Some(to)) => path.move_to(to),
            _ => {}
        }
        before = *point;
    }
    if points.windows(2).any(|it| it.iter().all(Option::is_some)) {
        scene.stroke(path, Stroke::new(color, width).rounded());
    }
    let fits = plot.radius >= look.small * 0.7;
    let numbered = chart.flag("showValues", true) && fits;
    for (period, (point, rank)) in points.iter().zip(&item.ranks).enumerate() {
        let (Some(point), Some(rank)) = (point, rank) else { continue };
        let row = item.rows.get(period).copied().flatten();
        scene.tag("point", row, || {
            let name = table.periods.get(period).map_or("", |it| it);
            (None, format!("{}, {name}: {}", item.label, rank + 1))
        });
        let radius = if numbered { plot.radius } else { (width * 1.1).min(plot.radius) };
        scene.circle(*point, radius, color, None);
        let words = (rank + 1).to_string();
        let size = look.small;
        if numbered
            && look.width(&words, size) <= radius * 1.8
            && let Some(ink) = bands::inner_ink(color)
        {
            let set = look.text(point.x, point.y + CENTER * size, Anchor::Middle, size, &words);
            scene.text(Text { color: ink, ..set });
        }
    }
    scene.untag();
}

/// The names at the first and the last period, where a line has a rank there.
fn names(table: &Table, colors: &[Color], plot: &Plot, area: Rect, look: &Look, scene: &mut Scene) {
    let gap = plot.radius + plot.size * 0.45;
    let last = table.periods.len().saturating_sub(1);
    let sides =
        [(last, Anchor::Start, area.x1 - plot.area.x1), (0, Anchor::End, plot.area.x0 - area.x0)];
    for (item, color) in table.items.iter().zip(colors) {
        for (period, anchor, side) in sides {
            let room = side - gap;
            if room < plot.size * 2.0 || period == last && anchor == Anchor::End {
                continue;
            }
            let Some(rank) = item.ranks.get(period).copied().flatten() else { continue };
            let at = plot.at(period, rank);
            let x = if anchor == Anchor::Start { at.x + gap } else { at.x - gap };
            let name = text::fit(&item.label, room + 0.1, plot.size, look.face());
            let full = (name != item.label).then(|| item.label.clone());
            let quiet = *color == look.faded();
            let ink = if quiet { look.label_ink } else { color.readable_on(look.background, 4.5) };
            let set = look.text(x, at.y + CENTER * plot.size, anchor, plot.size, &name);
            scene.text(Text { color: ink, full, ..set });
        }
    }
}

/// Says in words who led first and last, and who moved most.
fn describe(table: &Table, scene: &mut Scene) {
    let leader = |period: usize| {
        let first = |it: &&Item| it.ranks.get(period).copied().flatten() == Some(0);
        table.items.iter().find(first).map_or("no one", |it| &*it.label)
    };
    let last = table.periods.len().saturating_sub(1);
    let moves = table.items.iter().filter_map(|it| Some((it.first()?.1, it.last()?.1, it)));
    let largest = moves.max_by_key(|(from, to, _)| from.abs_diff(*to));
    let most = largest.map_or(String::new(), |(from, to, it)| {
        format!(" Largest move: {}, from rank {} to {}.", it.label, from + 1, to + 1)
    });
    let named = |period: usize| table.periods.get(period).map_or("", |it| it);
    scene.desc = format!(
        "Bump chart of {} records over {} periods. First in {}: {}, in {}: {}.{most}",
        table.items.len(),
        table.periods.len(),
        named(0),
        leader(0),
        named(last),
        leader(last),
    );
}
