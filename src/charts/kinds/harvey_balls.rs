//! Options by criteria, each met to a degree that a circle shows: empty to full in quarters.
//!
//! Record: `option` (or `label`), one column per criterion (0 to 4), `highlighted`. Settings:
//! `series` (`key`, `title` of the criteria), `steps` (a full circle), `sort` (by the sum),
//! `showTotals`, `showLegend`, `emptyTitle`, `fullTitle`.

use std::borrow::Cow;
use std::f64::consts::TAU;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::data;
use crate::format::Word;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;

/// The Harvey balls.
pub const KIND: Kind = Kind { slug: "harvey-balls", draw };

/// A full circle, unless settings say otherwise.
const STEPS: f64 = 4.0;

/// One option.
struct Entry<'a> {
    row: usize,
    label: Cow<'a, str>,
    /// Degrees by criterion, 0 to the steps; none where the record has no number.
    degrees: Vec<Option<f64>>,
    highlighted: bool,
}

/// Where rows and columns stand.
struct Table {
    /// Left end, and the right end of the last column.
    area: Rect,
    /// Left end of the first criterion.
    first: f64,
    /// Width of a criterion's column.
    column: f64,
    /// Criteria shown.
    columns: usize,
    /// Font size of the heads.
    head: f64,
    /// Lower end of the heads.
    top: f64,
    row: f64,
    /// Options shown.
    rows: usize,
    radius: f64,
    totals: bool,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let criteria = chart.series();
    let steps = chart.number("steps").filter(|it| (1.0..=100.0).contains(it)).unwrap_or(STEPS);
    let entries = read(chart, &criteria, steps, scene);
    if entries.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let mut area = frame.area;
    if chart.flag("showLegend", true) && area.height() > look.label * 16.0 {
        area = key(chart, area, look, scene);
    }
    let table = arrange(chart, &entries, &criteria, area, look);
    heads(chart, &table, &criteria, look, scene);
    for (index, entry) in entries.iter().take(table.rows).enumerate() {
        line(chart, entry, index, (&table, steps, &criteria), look, scene);
    }
    scene.untag();
    tiles::note(frame.area, look, entries.len() - table.rows, "option", scene);
    if table.columns < criteria.len() {
        scene.warn(format!("Criteria without room: {}.", criteria.len() - table.columns));
    }
    describe(&entries, criteria.len(), steps, scene);
}

fn read<'a>(
    chart: &Chart<'a>,
    criteria: &[Series],
    steps: f64,
    scene: &mut Scene,
) -> Vec<Entry<'a>> {
    let mut beyond = false;
    let mut entries = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let degree = |it: &Series| data::number(data::field(record, &it.key));
        let degrees: Vec<Option<f64>> = criteria.iter().map(degree).collect();
        if degrees.iter().all(Option::is_none) {
            continue;
        }
        beyond |= degrees.iter().flatten().any(|it| !(0.0..=steps).contains(it));
        let option = data::field(record, "option");
        entries.push(Entry {
            row,
            label: if option.is_null() { data::label(record) } else { data::words(option) },
            degrees: degrees.into_iter().map(|it| it.map(|it| it.clamp(0.0, steps))).collect(),
            highlighted: data::flag(data::field(record, "highlighted")),
        });
    }
    if beyond {
        scene.warn("Degrees beyond the scale are drawn at its ends.");
    }
    let sums: Vec<Option<f64>> = entries.iter().map(|it| Some(sum(it))).collect();
    let order = chart.order(&sums);
    let mut slots: Vec<Option<Entry>> = entries.into_iter().map(Some).collect();
    order.into_iter().filter_map(|it| slots.get_mut(it).and_then(Option::take)).collect()
}

fn sum(entry: &Entry) -> f64 {
    entry.degrees.iter().flatten().sum()
}

/// Chooses how wide names and columns are, and how many rows have room.
fn arrange(
    chart: &Chart,
    entries: &[Entry],
    criteria: &[Series],
    area: Rect,
    look: &Look,
) -> Table {
    let size = look.label;
    let width = |it: &Entry| text::width(&it.label, size, Face::Bold);
    let widest = entries.iter().map(width).fold(0.0, f64::max);
    let names = (widest + size * 1.2).min(area.width() * 0.36).max(size);
    let totals = chart.flag("showTotals", false);
    let wanted = criteria.len().max(1) + usize::from(totals);
    let least = size * 3.0;
    let fitting = (((area.width() - names) / least).max(1.0) as usize).min(wanted);
    let totals = totals && fitting > 1;
    let columns = (fitting - usize::from(totals)).max(1);
    // Few criteria keep together instead of drifting apart.
    let column = ((area.width() - names) / fitting as f64).min(size * 13.0);
    let names = if widest > names {
        names
    } else {
        (area.width() - column * fitting as f64).min(names * 2.2).max(names)
    };
    let lines = |it: &Series, size| text::wrap(&it.title, column - size * 0.5, 2, size, Face::Bold);
    let whole = |it: &Series, size| !lines(it, size).iter().any(|it| it.ends_with('…'));
    let fits = |size: &f64| criteria.iter().all(|it| whole(it, *size));
    let head_size = [size, look.small].into_iter().find(fits).unwrap_or(look.small);
    let long = criteria.iter().any(|it| lines(it, head_size).len() > 1);
    let head = head_size * if long { 2.4 } else { 1.2 } + head_size * 0.6;
    let lowest = look.small * 1.55;
    let room = |bottom: f64| ((bottom - area.y0 - head).max(0.0) / lowest) as usize;
    let rows = match room(area.y1) {
        all if all >= entries.len() => entries.len(),
        _ => room(area.y1 - tiles::note_height(look)).clamp(1, entries.len()),
    };
    let end = if rows < entries.len() { area.y1 - tiles::note_height(look) } else { area.y1 };
    let row = ((end - area.y0 - head) / rows as f64).min(size * 5.5).max(1.0);
    let radius = (row * 0.36).min(column * 0.36).min(size * 1.5);
    let area = Rect { x1: area.x0 + names + column * fitting as f64, ..area };
    Table {
        area,
        first: area.x0 + names,
        column,
        columns,
        head: head_size,
        top: area.y0 + head,
        row,
        rows,
        radius,
        totals,
    }
}

/// The middle of a criterion's column.
fn middle(table: &Table, index: usize) -> f64 {
    table.first + (index as f64 + 0.5) * table.column
}

fn heads(chart: &Chart, table: &Table, criteria: &[Series], look: &Look, scene: &mut Scene) {
    let size = table.head;
    let room = table.column - size * 0.5;
    let sum = chart
        .setting("totalTitle")
        .as_str()
        .map_or(Cow::Borrowed(look.locale.word(Word::Sum)), text::clean);
    let titles = criteria.iter().take(table.columns).map(|it| it.title.as_str());
    for (index, title) in titles.chain(table.totals.then_some(&*sum)).enumerate() {
        let lines = text::wrap(title, room, 2, size, Face::Bold);
        for (line, words) in lines.iter().enumerate() {
            // Heads stand on one line at their foot.
            let up = (lines.len() - 1 - line) as f64 * size * 1.2;
            let base = table.top - size * 0.6 - up - size * 0.1;
            let width = text::width(words, size, Face::Bold);
            let full = words.ends_with('…').then(|| title.to_owned());
            let set = look.text(middle(table, index), base, Anchor::Middle, size, words);
            scene.text(Text { face: Face::Bold, width, full, ..set });
        }
    }
    scene.line((table.area.x0, table.top), (table.area.x1, table.top), Stroke::new(look.axis, 1.0));
}

/// One option with its circles.
fn line(
    chart: &Chart,
    entry: &Entry,
    index: usize,
    (table, steps, criteria): (&Table, f64, &[Series]),
    look: &Look,
    scene: &mut Scene,
) {
    let top = table.top + index as f64 * table.row;
    let center = top + table.row / 2.0;
    if index > 0 {
        scene.line((table.area.x0, top), (table.area.x1, top), Stroke::new(look.grid, 1.0));
    }
    let face = if entry.highlighted { Face::Bold } else { look.face() };
    let size = if table.row >= look.label * 1.5 { look.label } else { look.small };
    let room = table.first - table.area.x0 - look.label * 0.6;
    let most = if table.row >= size * 2.6 { 2 } else { 1 };
    let lines = text::wrap(&entry.label, room, most, size, face);
    for (line, words) in lines.iter().enumerate() {
        let down = line as f64 - (lines.len() as f64 - 1.0) / 2.0;
        let base = center + down * size * 1.2 + CENTER * size;
        let full = words.ends_with('…').then(|| entry.label.clone().into_owned());
        let set = look.text(table.area.x0, base, Anchor::Start, size, words);
        scene.text(Text { face, width: text::width(words, size, face), full, ..set });
    }
    let fill = if entry.highlighted { chart.theme.highlight } else { chart.color(0) };
    for (place, (degree, criterion)) in
        entry.degrees.iter().zip(criteria).take(table.columns).enumerate()
    {
        let at = Point::new(middle(table, place), center);
        let Some(degree) = degree else {
            let half = table.radius * 0.4;
            scene.line((at.x - half, at.y), (at.x + half, at.y), Stroke::new(look.muted, 1.0));
            continue;
        };
        scene.tag("ball", Some(entry.row), || {
            (
                Some(criterion.key.clone()),
                format!("{}, {}: {degree} of {steps}", entry.label, criterion.title),
            )
        });
        ball(at, table.radius, degree / steps, fill, look, scene);
    }
    if table.totals {
        let words =
            NumberFormat::for_values([sum(entry)].into_iter(), &Rules::default(), chart.language())
                .text(sum(entry));
        let x = middle(table, table.columns);
        let set = look.text(x, center + CENTER * size, Anchor::Middle, size, &words);
        scene.text(Text {
            face,
            width: text::width(&words, size, face),
            color: look.value_ink,
            ..set
        });
    }
}

/// A circle filled clockwise from the top.
fn ball(center: Point, radius: f64, share: f64, fill: Color, look: &Look, scene: &mut Scene) {
    let width = (radius * 0.14).clamp(1.0, 2.0);
    let rim = Stroke::new(fill, width);
    scene.circle(center, (radius - width / 2.0).max(0.5), look.background, Some(rim));
    let inner = (radius - width / 2.0).max(0.5);
    if share >= 1.0 - 1e-9 {
        scene.circle(center, inner, fill, None);
    } else if share > 1e-9 {
        scene.fill(ring::sector(center, (inner, 0.0), (0.0, share * TAU)), fill);
    }
}

/// What an empty and a full circle mean, above the table; returns the space below.
fn key(chart: &Chart, area: Rect, look: &Look, scene: &mut Scene) -> Rect {
    let size = look.label;
    let word = |key: &str, usual: Word| {
        let own = chart.setting(key).as_str().map(text::clean);
        own.map_or_else(|| look.locale.word(usual).to_owned(), Cow::into_owned)
    };
    let ends = [word("emptyTitle", Word::NotAtAll), word("fullTitle", Word::Fully)];
    let radius = size * 0.5;
    let width: f64 = ends.iter().map(|it| look.width(it, size)).sum();
    let balls = radius * 2.0 * 5.0 + size * 0.35 * 4.0;
    if width + balls + size > area.width() {
        return area;
    }
    let center = area.y0 + size * 0.55;
    let mut x = area.x0;
    let [empty, full] = &ends;
    let base = center + CENTER * size;
    scene.text(Text { color: look.muted, ..look.text(x, base, Anchor::Start, size, empty) });
    x += if empty.is_empty() { 0.0 } else { look.width(empty, size) + size * 0.5 };
    for step in 0..5 {
        let at = Point::new(x + radius, center);
        ball(at, radius, f64::from(step) / 4.0, look.muted, look, scene);
        x += radius * 2.0 + size * 0.35;
    }
    scene.text(Text {
        color: look.muted,
        ..look.text(x + size * 0.15, base, Anchor::Start, size, full)
    });
    Rect { y0: area.y0 + size * 1.1 + look.unit * 10.0, ..area }
}

/// Says which option meets most and which least.
fn describe(entries: &[Entry], criteria: usize, steps: f64, scene: &mut Scene) {
    let most = entries.iter().max_by(|one, two| sum(one).total_cmp(&sum(two)));
    let least = entries.iter().min_by(|one, two| sum(one).total_cmp(&sum(two)));
    if let (Some(most), Some(least)) = (most, least) {
        scene.desc = format!(
            "Harvey balls of {} option{} by {criteria} {}, 0 to {steps}; sums from {:.1} ({}) to {:.1} ({}).",
            entries.len(),
            if entries.len() == 1 { "" } else { "s" },
            if criteria == 1 { "criterion" } else { "criteria" },
            sum(least),
            least.label,
            sum(most),
            most.label,
        );
    }
}
