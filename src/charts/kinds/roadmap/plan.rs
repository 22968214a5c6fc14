//! Reads the items of a roadmap and packs them into the rows of their lanes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::date;
use crate::frame::ChartStyle;
use crate::scale::LinearScale;
use crate::text;

/// A record with a readable date.
pub struct Item {
    /// Place of its record.
    pub row: usize,
    /// Name.
    pub label: String,
    /// Begin in seconds since 1970.
    pub from: f64,
    /// End in seconds since 1970, after the last day.
    pub to: f64,
    /// Place of its lane.
    pub lane: usize,
    /// Whether it is to stand out.
    pub highlighted: bool,
}

/// All items.
pub struct Plan {
    /// In the order of the data.
    pub items: Vec<Item>,
    /// Names of the lanes in order of appearance.
    pub lanes: Vec<String>,
    /// First begin and last end in seconds.
    pub span: (f64, f64),
}

/// Where an item stands.
pub struct Spot {
    /// Its bar.
    pub bar: Rect,
    /// Its name in lines, shortened if need be.
    pub lines: Vec<String>,
    /// Whether the name stands in the bar; else it stands right or left of it.
    pub inside: bool,
    /// Whether a name outside stands left of the bar.
    pub left: bool,
}

/// All rows.
pub struct Layout {
    /// A spot for each item; none for those without room.
    pub spots: Vec<Option<Spot>>,
    /// Upper and lower end of each lane in points.
    pub lanes: Vec<(f64, f64)>,
    /// Font size of names; none when rows are too low.
    pub size: Option<f64>,
}

/// More items than this are left out with a warning; no canvas holds them.
const MOST_ITEMS: usize = 1000;
/// More lanes than this share the last one.
const MOST_LANES: usize = 40;
/// Rows are never lower than this, in points.
const LOWEST: f64 = 4.0;

/// Reads the records; those without a date are no items.
pub fn read(chart: &Chart, scene: &mut Scene) -> Plan {
    let mut plan =
        Plan { items: Vec::new(), lanes: Vec::new(), span: (f64::INFINITY, f64::NEG_INFINITY) };
    for (row, record) in chart.data.iter().enumerate() {
        let moment = |key: &str| data::timestamp(data::field(record, key));
        // The last day counts whole.
        let day = match data::field(record, "end").as_str() {
            Some(it) if it.trim().len() > 10 => 0.0,
            _ => date::DAY_SECONDS,
        };
        let (from, to) = match (moment("start"), moment("end")) {
            (Some(one), Some(two)) => (one.min(two), one.max(two) + day),
            (Some(only), None) | (None, Some(only)) => (only, only + date::DAY_SECONDS),
            (None, None) => continue,
        };
        if plan.items.len() == MOST_ITEMS {
            scene.warn(format!("Only the first {MOST_ITEMS} items are drawn."));
            break;
        }
        plan.span = (plan.span.0.min(from), plan.span.1.max(to));
        let lane = data::display_text(data::field(record, "lane"));
        let known = plan.lanes.iter().position(|it| *it == lane);
        let lane = known.unwrap_or_else(|| {
            if plan.lanes.len() < MOST_LANES {
                plan.lanes.push(lane.into_owned());
            }
            plan.lanes.len() - 1
        });
        let label = data::record_label(record).into_owned();
        let highlighted = data::is_true(data::field(record, "highlighted"));
        plan.items.push(Item { row, label, from, to, lane, highlighted });
    }
    plan
}

/// Packs the items with their names into as few rows as they need. When the rows would be too low
/// for names, they lose these; what still has no room is left out.
pub fn arrange(plan: &Plan, x: &LinearScale, plot: Rect, style: &ChartStyle) -> Layout {
    let whole = |it: &Spot| it.inside && !it.lines.iter().any(|it| it.ends_with('…'));
    let large = Naming { size: style.label_size * 1.2, lines: 1, outside: true };
    let layout = pack(plan, x, plot, Some(large), style);
    if layout.spots.iter().all(|it| it.as_ref().is_some_and(whole)) {
        return layout;
    }
    let beside = |size, lines| Naming { size, lines, outside: true };
    let inside = Naming { size: style.small_size, lines: 1, outside: false };
    for naming in [
        beside(style.label_size, 2),
        beside(style.label_size, 1),
        beside(style.small_size, 1),
        inside,
    ] {
        let mut layout = pack(plan, x, plot, Some(naming), style);
        if layout.spots.iter().all(Option::is_some) {
            if !naming.outside && plan.items.len() <= FEW {
                name_beside(&mut layout, plan, plot, (naming.size, style));
            }
            return layout;
        }
    }
    pack(plan, x, plot, None, style)
}

/// Most items among which free ground beside a bar is looked for.
const FEW: usize = 100;

/// Sets names that have no room in their bars beside them, where the row has free ground.
fn name_beside(layout: &mut Layout, plan: &Plan, plot: Rect, (size, style): (f64, &ChartStyle)) {
    let mut taken: Vec<Rect> = layout.spots.iter().flatten().map(|it| it.bar).collect();
    for (item, spot) in plan.items.iter().zip(layout.spots.iter_mut()) {
        let Some(spot) = spot.as_mut().filter(|it| it.lines.is_empty()) else { continue };
        let width = text::width(&item.label, size, style.label_face()) + size * 0.9;
        let free = |from: f64| {
            let place = Rect::new(from, spot.bar.y0, from + width, spot.bar.y1);
            let inside = place.x0 >= plot.x0 && place.x1 <= plot.x1;
            let clear = !taken.iter().any(|it| it.overlaps(place));
            (inside && clear && !item.label.is_empty()).then_some(place)
        };
        let found = [(spot.bar.x1 + 0.1, false), (spot.bar.x0 - 0.1 - width, true)];
        if let Some((place, left)) = found.iter().find_map(|it| Some((free(it.0)?, it.1))) {
            taken.push(place);
            *spot = Spot { bar: spot.bar, lines: vec![item.label.clone()], inside: false, left };
        }
    }
}

/// How names are set.
#[derive(Clone, Copy)]
struct Naming {
    /// Font size.
    size: f64,
    /// Most lines of a name.
    lines: usize,
    /// Whether names may stand beside their bars.
    outside: bool,
}

/// The items in rows, with or without names.
fn pack(
    plan: &Plan,
    x: &LinearScale,
    plot: Rect,
    names: Option<Naming>,
    style: &ChartStyle,
) -> Layout {
    let lowest = names.map_or(LOWEST, |it| it.size * (0.25 + 1.2 * it.lines as f64));
    let mut places: Vec<(usize, Spot)> = Vec::with_capacity(plan.items.len());
    let mut ends: Vec<Vec<f64>> = vec![Vec::new(); plan.lanes.len()];
    let mut order: Vec<(usize, &Item)> = plan.items.iter().enumerate().collect();
    order.sort_by(|one, two| one.1.from.total_cmp(&two.1.from));
    let mut rows = vec![0; plan.items.len()];
    for (index, item) in order {
        let (spot, reach) = spot(item, x, plot, names, style);
        let Some(lane) = ends.get_mut(item.lane) else { continue };
        let row = lane.iter().position(|end| *end <= reach.0).unwrap_or(lane.len());
        // Bars may follow one another closely, but not a name.
        let end = if reach.1 > spot.bar.x1 { reach.1 + 3.0 * style.unit } else { reach.1 - 0.5 };
        match lane.get_mut(row) {
            Some(it) => *it = end,
            None => lane.push(end),
        }
        if let Some(it) = rows.get_mut(index) {
            *it = row;
        }
        places.push((index, spot));
    }
    let counts: Vec<usize> = ends.iter().map(|it| it.len().max(1)).collect();
    let (row, lanes) = heights(&counts, plot, lowest, style);
    let pad = lane_pad(row, style);
    let mut spots: Vec<Option<Spot>> = plan.items.iter().map(|_| None).collect();
    for (index, spot) in places {
        let lane = plan.items.get(index).and_then(|it| lanes.get(it.lane));
        let (Some((top, bottom)), Some(at)) = (lane, rows.get(index)) else { continue };
        let top = top + pad + row * *at as f64;
        // A hair keeps a bar apart from one that starts when it ends.
        let hair = style.unit.min(spot.bar.width() * 0.3);
        let gap = (row * 0.09).min(3.0 * style.unit);
        let bar = Rect::new(spot.bar.x0, top + gap, spot.bar.x1 - hair, top + row - gap);
        if bar.y1 <= bottom.min(plot.y1) + 0.01
            && let Some(slot) = spots.get_mut(index)
        {
            *slot = Some(Spot { bar, ..spot });
        }
    }
    Layout { spots, lanes, size: names.map(|it| it.size) }
}

/// Space over the first and under the last row of a lane.
fn lane_pad(row: f64, style: &ChartStyle) -> f64 {
    (row * 0.16).min(5.0 * style.unit)
}

/// The height of a row, and where each lane stands.
fn heights(
    counts: &[usize],
    plot: Rect,
    lowest: f64,
    style: &ChartStyle,
) -> (f64, Vec<(f64, f64)>) {
    let all: usize = counts.iter().sum();
    let rows = all as f64 + 0.32 * counts.len() as f64;
    let row = (plot.height() / rows).clamp(lowest.min(plot.height()), 64.0 * style.unit);
    let pad = lane_pad(row, style);
    let mut top = plot.y0;
    let mut lanes = Vec::with_capacity(counts.len());
    for count in counts {
        let bottom = top + row * *count as f64 + 2.0 * pad;
        lanes.push((top, bottom));
        top = bottom;
    }
    (row, lanes)
}

/// An item's bar and name along the calendar, and how far both reach together.
fn spot(
    item: &Item,
    x: &LinearScale,
    plot: Rect,
    names: Option<Naming>,
    style: &ChartStyle,
) -> (Spot, (f64, f64)) {
    let (mut from, mut to) = (x.at(item.from), x.at(item.to));
    if to - from < 2.5 {
        to = (from + 2.5).min(plot.x1);
        from = to - 2.5;
    }
    let bar = Rect::new(from, 0.0, to, 0.0);
    let none = Spot { bar, lines: Vec::new(), inside: false, left: false };
    let Some(naming) = names.filter(|_| !item.label.is_empty()) else {
        return (none, (from, to));
    };
    let (size, most) = (naming.size, naming.lines);
    let face = style.label_face();
    let whole = |lines: &[String]| !lines.is_empty() && !lines.iter().any(|it| it.ends_with('…'));
    let wrapped = |room: f64| {
        // Under two letters there is nothing to read.
        if room < size * 2.0 { Vec::new() } else { text::wrap(&item.label, room, most, size, face) }
    };
    let lines = wrapped(to - from - size * 0.9);
    let worthwhile = whole(&lines) || to - from > size * 4.5;
    if !naming.outside && !worthwhile {
        return (none, (from, to));
    }
    if whole(&lines) || !naming.outside {
        return (Spot { lines, inside: true, ..none }, (from, to));
    }
    let gap = size * 0.45;
    let (after, before) = (plot.x1 - to - gap, from - plot.x0 - gap);
    let left = after < before && text::width(&item.label, size, face) > after;
    let room = if left { before } else { after };
    let mut outside = wrapped(room.min(size * 12.0));
    if !whole(&outside) {
        // A long word needs a long line.
        outside = wrapped(room.min(size * 22.0));
    }
    if !whole(&outside) && to - from > size * 6.0 {
        // A long bar holds most of its name.
        return (Spot { lines, inside: true, ..none }, (from, to));
    }
    let width = outside.iter().map(|it| text::width(it, size, face)).fold(0.0, f64::max);
    let reach = if left { (from - gap - width, to) } else { (from, to + gap + width) };
    (Spot { lines: outside, inside: false, left, ..none }, reach)
}
