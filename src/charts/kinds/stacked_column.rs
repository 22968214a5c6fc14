//! Columns of stacked parts, one column a record; as amounts or as shares of the whole.
//!
//! Record: `label`, a number for each series, `highlighted` (optional flag); negative parts pile up
//! below zero. Settings: `series`, `mode` (`stacked`, `percent`, `grouped`), `orientation`, `sort`
//! (by totals, or by the share of the first series), `showValues`, `showLegend`, `showGrid`, `axis`.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::bands;
use crate::frame::bands::{Bands, Wish};
use crate::frame::legend;
use crate::frame::side_names;
use crate::frame::side_names::SideNames;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::kinds::grouped_column;
use crate::scene::{ASCENT, Anchor, CENTER, DESCENT, Text};
use crate::slices::spread;

pub const KIND: Kind = Kind { slug: "stacked-column", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    match chart.word("mode") {
        "grouped" => grouped_column::groups(chart, frame, scene),
        "percent" => stacks(chart, frame, scene, true),
        _ => stacks(chart, frame, scene, false),
    }
}

/// A part of a column: where it begins and ends on the value axis.
struct Part {
    series: usize,
    row: usize,
    /// Place of its column.
    column: usize,
    from: f64,
    to: f64,
    value: f64,
}

/// All columns with their parts, as they stand.
struct Stacks {
    /// Records in the order of the columns.
    order: Vec<usize>,
    parts: Vec<Part>,
    /// The upper end and the sum of each column; none when it is empty or goes below zero.
    totals: Vec<Option<(f64, f64)>>,
}

/// Draws the stacks, as shares of each column when `percent`.
pub fn stacks(chart: &Chart, frame: &Frame, scene: &mut Scene, percent: bool) {
    let series = chart.series();
    let rules = series.first().map(|it| chart.rules(&it.key)).unwrap_or_default();
    let rules = Rules { percent: rules.percent || percent, ..rules };
    let stacks = pile(chart, &series, percent, &rules);
    if stacks.parts.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let upright = chart.word("orientation") != "horizontal";
    let named = name(chart, look, scene, frame.area, (&series, &stacks, upright));
    let area = named.area;
    let format = part_format(&stacks.parts, percent, &rules, chart);
    describe(chart, &series, &stacks.parts, &format, percent, scene);
    let size = look.label;
    let words = total_labels(chart, &stacks.totals, percent, &rules);
    let widest = words.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
    let step = if upright { area.width() * 0.92 } else { area.height() } / chart.data.len() as f64;
    let fits = if upright {
        widest + 3.0 <= step && area.height() > size * 7.0
    } else {
        size * 1.05 <= step
    };
    let labelled = fits && widest > 0.0;
    let room = if labelled { bands::label_room(upright, size, widest) } else { 0.0 };
    let names: Vec<Cow<str>> = stacks.order.iter().map(|it| label(chart, *it)).collect();
    let ends = stacks.parts.iter().flat_map(|it| [it.from, it.to]);
    let wish = Wish {
        names: &names,
        upright,
        range: ends.fold((0.0, 0.0), |(low, high), it| (low.min(it), high.max(it))),
        rules: &rules,
        room: (0.0, room),
        // Totals over the columns say more than an axis does.
        axis: chart.flag("showGrid", !labelled) || !(labelled || percent),
        padding: if chart.data.len() > 60 { 0.1 } else { 0.3 },
        most: if upright { 72.0 } else { 44.0 } * look.unit,
        flush: named.is_direct(),
    };
    let ground = Bands::new(chart, look, scene, area, &wish);
    marks(chart, &series, &stacks.parts, (&ground, look, &format), scene);
    if labelled {
        draw_totals(&stacks.totals, &words, &ground, look, scene);
    }
    ground.base_line(look, scene);
    name_parts(&named, (&series, &stacks), &ground, look, scene);
}

fn label<'a>(chart: &Chart<'a>, row: usize) -> Cow<'a, str> {
    chart.data.get(row).map_or(Cow::Borrowed(""), data::label)
}

/// Names the series in a legend, or, where `beside`, at the last column if it has them all.
fn name(
    chart: &Chart,
    look: &Look,
    scene: &mut Scene,
    area: Rect,
    (series, stacks, beside): (&[Series], &Stacks, bool),
) -> SideNames {
    if chart.word("orientation") == "horizontal" {
        // From left to right, as the parts are seen.
        let wanted = series.len() > 1 && chart.flag("showLegend", true);
        let entries = series.iter().filter(|_| wanted).map(|it| (&*it.title, it.color));
        return SideNames::none(legend::draw(scene, look, area, entries));
    }
    let all = last_parts(stacks).filter(|it| it.value != 0.0).count() == series.len();
    side_names::plan(chart, look, scene, area, (series, beside && all))
}

fn last_parts(stacks: &Stacks) -> impl DoubleEndedIterator<Item = &Part> {
    let last = stacks.order.len().saturating_sub(1);
    let from = stacks.parts.partition_point(|it| it.column < last);
    stacks.parts.get(from..).unwrap_or_default().iter()
}

/// Writes the names at the parts of the last column.
fn name_parts(
    named: &SideNames,
    (series, stacks): (&[Series], &Stacks),
    ground: &Bands,
    look: &Look,
    scene: &mut Scene,
) {
    let last = stacks.order.len().saturating_sub(1);
    let end = ground.band.start(last) + ground.band.width();
    let middle = |it: &Part| ground.value.at((it.from + it.to) / 2.0);
    let mut parts: Vec<(f64, &Series)> =
        last_parts(stacks).filter_map(|it| Some((middle(it), series.get(it.series)?))).collect();
    // Parts below zero stand under the others.
    parts.sort_by(|one, two| two.0.total_cmp(&one.0));
    named.draw(look, scene, Rect { x1: end, ..ground.plot }, parts.into_iter());
}

/// Piles the parts up, column by column.
fn pile(chart: &Chart, series: &[Series], percent: bool, rules: &Rules) -> Stacks {
    let read = |record| -> Vec<Option<f64>> {
        series.iter().map(|it| data::number(data::field(record, &it.key))).collect()
    };
    let rows: Vec<Vec<Option<f64>>> = chart.data.iter().map(read).collect();
    let order = chart.order(&rows.iter().map(|it| sort_key(it, percent)).collect::<Vec<_>>());
    let mut parts = Vec::with_capacity(rows.len() * series.len());
    let mut totals = Vec::with_capacity(rows.len());
    for (column, (row, values)) in
        order.iter().filter_map(|it| Some((*it, rows.get(*it)?))).enumerate()
    {
        let whole: f64 = values.iter().flatten().map(|it| it.abs()).sum();
        let scale = if !percent || whole == 0.0 { 1.0 } else { 100.0 / whole };
        let shown = if percent { shares(values, rules) } else { None };
        let (mut above, mut below, mut sum, mut any) = (0.0, 0.0, 0.0, false);
        for (index, value) in values.iter().enumerate() {
            let Some(exact) = value.map(|it| it * scale) else { continue };
            let end = if exact < 0.0 { &mut below } else { &mut above };
            let value = shown.as_ref().and_then(|it| it.get(index)).map_or(exact, |it| *it);
            parts.push(Part { series: index, row, column, from: *end, to: *end + exact, value });
            *end += exact;
            sum += exact;
            any = true;
        }
        totals.push(if any && below == 0.0 { Some((above, sum)) } else { None });
    }
    Stacks { order, parts, totals }
}

/// What columns are sorted by: the total, or the share of the first series.
fn sort_key(values: &[Option<f64>], percent: bool) -> Option<f64> {
    values.iter().flatten().next()?;
    let whole = |sign: fn(f64) -> f64| values.iter().flatten().map(|it| sign(*it)).sum::<f64>();
    if !percent {
        return Some(whole(|it| it));
    }
    let first = values.first().copied().flatten().unwrap_or(0.0);
    let whole = whole(f64::abs);
    Some(if whole == 0.0 { 0.0 } else { first / whole })
}

/// Rounded shares that add up to 100; none when a value is below zero.
pub fn shares(values: &[Option<f64>], rules: &Rules) -> Option<Vec<f64>> {
    let given: Vec<f64> = values.iter().map(|it| it.unwrap_or(0.0)).collect();
    let sound = given.iter().all(|it| *it >= 0.0) && given.iter().any(|it| *it > 0.0);
    sound.then(|| spread::shares(&given, rules.decimals.unwrap_or(0) as u32))
}

fn part_format(parts: &[Part], percent: bool, rules: &Rules, chart: &Chart) -> NumberFormat {
    if percent {
        let decimals = rules.decimals.unwrap_or(0);
        return NumberFormat::plain(decimals, rules, chart.language());
    }
    NumberFormat::for_values(parts.iter().map(|it| it.value), rules, chart.language())
}

/// Sums over the columns; none for shares, for one series, or when some column goes below zero.
fn total_labels(
    chart: &Chart,
    totals: &[Option<(f64, f64)>],
    percent: bool,
    rules: &Rules,
) -> Vec<String> {
    let wanted = chart.flag("showValues", true) && !percent;
    if !wanted || totals.iter().any(|it| it.is_none()) {
        return Vec::new();
    }
    let sums = totals.iter().flatten().map(|it| it.1);
    let format = NumberFormat::for_values(sums.clone(), rules, chart.language());
    sums.map(|it| format.text(it)).collect()
}

fn draw_totals(
    totals: &[Option<(f64, f64)>],
    words: &[String],
    ground: &Bands,
    look: &Look,
    scene: &mut Scene,
) {
    for (column, (total, words)) in totals.iter().zip(words).enumerate() {
        let Some((end, _)) = total else { continue };
        let start = ground.band.start(column);
        let rect = ground.rect((start, start + ground.band.width()), (0.0, *end));
        let text = ground.end_label(look, rect, false, look.label, words);
        scene.text(Text { face: crate::text::Face::Bold, color: look.ink, ..text });
    }
}

fn marks(
    chart: &Chart,
    series: &[Series],
    parts: &[Part],
    (ground, look, format): (&Bands, &Look, &NumberFormat),
    scene: &mut Scene,
) {
    let labelled = chart.flag("showValues", true);
    let highlighted = |it| data::flag(data::field(it, "highlighted"));
    let muting = chart.data.iter().any(highlighted);
    let width = ground.band.width();
    for part in parts {
        let one = &series[part.series];
        scene.tag("bar", Some(part.row), || {
            (Some(one.key.clone()), format!("{}: {}", one.title, format.text(part.value)))
        });
        let start = ground.band.start(part.column);
        let rect = ground.rect((start, start + width), (part.from, part.to));
        let muted = muting && !chart.data.get(part.row).is_some_and(highlighted);
        let fill = if muted { one.color.mix(look.background, 0.6) } else { one.color };
        scene.rect(parted(rect, ground.upright), fill);
        if labelled && let Some(ink) = bands::inner_ink(fill) {
            let words = format.text(part.value);
            scene.text(Text { color: ink, ..inner_label(look, rect, &words) });
        }
    }
    scene.untag();
}

/// Leaves a hair of background between parts that are thick enough to spare it.
pub fn parted(rect: Rect, upright: bool) -> Rect {
    let thickness = if upright { rect.height() } else { rect.width() };
    match (thickness > 3.0, upright) {
        (true, true) => Rect { y0: rect.y0 + 1.0, ..rect },
        (true, false) => Rect { x1: rect.x1 - 1.0, ..rect },
        (false, _) => rect,
    }
}

/// A label in the middle of a part, at the largest size that leaves 2 points round it; else empty.
pub fn inner_label(look: &Look, rect: Rect, words: &str) -> Text {
    let fits = |size: &f64| {
        look.width(words, *size) + 4.0 <= rect.width()
            && size * (ASCENT + DESCENT) + 2.0 <= rect.height()
    };
    let middle = rect.center();
    match [look.label, look.small].into_iter().find(fits) {
        Some(size) => look.text(middle.x, middle.y + CENTER * size, Anchor::Middle, size, words),
        None => look.text(middle.x, middle.y, Anchor::Middle, look.small, ""),
    }
}

fn describe(
    chart: &Chart,
    series: &[Series],
    parts: &[Part],
    format: &NumberFormat,
    percent: bool,
    scene: &mut Scene,
) {
    let low = parts.iter().map(|it| it.value).fold(f64::INFINITY, f64::min);
    let high = parts.iter().map(|it| it.value).fold(f64::NEG_INFINITY, f64::max);
    let titles: Vec<&str> = series.iter().map(|it| &*it.title).collect();
    scene.desc = format!(
        "{} chart of {} columns with {} {} ({}), from {} to {}.",
        if percent { "100% stacked" } else { "Stacked bar" },
        chart.data.len(),
        series.len(),
        if percent { "shares" } else { "series" },
        titles.join(", "),
        format.text(low),
        format.text(high),
    );
}
