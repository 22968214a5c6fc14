//! Columns of stacked parts, one column a record; as amounts or as shares of the whole.
//!
//! Record: `label` and a number for each series; negative parts pile up below zero. Settings:
//! `series`, `mode` (`stacked`, `percent`, `grouped`), `orientation`, `showValues`, `showLegend`.

use std::borrow::Cow;

use kurbo::Rect;

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::Series;
use crate::charts::data;
use crate::charts::format::{NumberFormat, Rules};
use crate::charts::frame;
use crate::charts::frame::bands;
use crate::charts::frame::bands::{Bands, Wish};
use crate::charts::frame::legend;
use crate::charts::frame::{Frame, Look};
use crate::charts::kinds::Kind;
use crate::charts::kinds::grouped_column;
use crate::charts::scene::{ASCENT, Anchor, CENTER, DESCENT, Text};

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
    from: f64,
    to: f64,
    value: f64,
}

/// Draws the stacks, as shares of each column when `percent`.
pub fn stacks(chart: &Chart, frame: &Frame, scene: &mut Scene, percent: bool) {
    let series = chart.series();
    let (parts, totals) = pile(chart, &series, percent);
    if parts.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let upright = chart.word("orientation") != "horizontal";
    let mut area = frame.area;
    if series.len() > 1 && chart.flag("showLegend", true) {
        // In the order in which the parts are seen, from the top.
        let mut entries: Vec<_> = series.iter().map(|it| (&*it.title, it.color)).collect();
        if upright {
            entries.reverse();
        }
        area = legend::draw(scene, look, area, entries);
    }
    let mut rules = chart.rules(&series[0].key);
    rules.percent |= percent;
    let format = part_format(&parts, percent, &rules, chart);
    describe(chart, &series, &parts, &format, percent, scene);
    let size = look.label;
    let words = total_labels(chart, &totals, percent, &rules);
    let widest = words.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
    let step = if upright { area.width() * 0.92 } else { area.height() } / chart.data.len() as f64;
    let fits = if upright { widest + 3.0 <= step && area.height() > size * 7.0 } else { size * 1.05 <= step };
    let labelled = fits && widest > 0.0;
    let room = if labelled { bands::label_room(upright, size, widest) } else { 0.0 };
    let names: Vec<Cow<str>> = chart.data.iter().map(data::label).collect();
    let ends = parts.iter().flat_map(|it| [it.from, it.to]);
    let wish = Wish {
        names: &names,
        upright,
        range: ends.fold((0.0, 0.0), |(low, high), it| (low.min(it), high.max(it))),
        rules: &rules,
        room: (0.0, room),
        axis: chart.flag("showGrid", true) || !labelled,
        padding: if chart.data.len() > 60 { 0.1 } else { 0.3 },
        most: if upright { 72.0 } else { 44.0 } * look.unit,
    };
    let ground = Bands::new(chart, look, scene, area, &wish);
    marks(chart, &series, &parts, (&ground, look, &format), scene);
    if labelled {
        draw_totals(&totals, &words, &ground, look, scene);
    }
    ground.base_line(look, scene);
}

/// Piles the parts up; returns them with the upper end and the sum of each column.
fn pile(chart: &Chart, series: &[Series], percent: bool) -> (Vec<Part>, Vec<Option<(f64, f64)>>) {
    let mut parts = Vec::with_capacity(chart.data.len() * series.len());
    let mut totals = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let value = |one: &Series| data::number(data::field(record, &one.key));
        let whole: f64 = series.iter().filter_map(value).map(f64::abs).sum();
        let scale = if !percent || whole == 0.0 { 1.0 } else { 100.0 / whole };
        let (mut above, mut below, mut sum, mut any) = (0.0, 0.0, 0.0, false);
        for (index, one) in series.iter().enumerate() {
            let Some(value) = value(one).map(|it| it * scale) else { continue };
            let end = if value < 0.0 { &mut below } else { &mut above };
            parts.push(Part { series: index, row, from: *end, to: *end + value, value });
            *end += value;
            sum += value;
            any = true;
        }
        totals.push(if any && below == 0.0 { Some((above, sum)) } else { None });
    }
    (parts, totals)
}

fn part_format(parts: &[Part], percent: bool, rules: &Rules, chart: &Chart) -> NumberFormat {
    if percent {
        let decimals = rules.decimals.unwrap_or(0);
        return NumberFormat::plain(decimals, rules, chart.language());
    }
    NumberFormat::for_values(parts.iter().map(|it| it.value), rules, chart.language())
}

/// Sums over the columns; none for shares, for one series, or when some column goes below zero.
fn total_labels(chart: &Chart, totals: &[Option<(f64, f64)>], percent: bool, rules: &Rules) -> Vec<String> {
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
    for (row, (total, words)) in totals.iter().zip(words).enumerate() {
        let Some((end, _)) = total else { continue };
        let start = ground.band.start(row);
        let rect = ground.rect((start, start + ground.band.width()), (0.0, *end));
        let text = ground.end_label(look, rect, false, look.label, words);
        scene.text(Text { face: crate::charts::text::Face::Bold, color: look.ink, ..text });
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
    let width = ground.band.width();
    for part in parts {
        let one = &series[part.series];
        scene.tag("bar", Some(part.row), || {
            (Some(one.key.clone()), format!("{}: {}", one.title, format.text(part.value)))
        });
        let start = ground.band.start(part.row);
        let rect = ground.rect((start, start + width), (part.from, part.to));
        scene.rect(parted(rect, ground.upright), one.color);
        if labelled && let Some(ink) = bands::inner_ink(one.color) {
            let words = format.text(part.value);
            scene.text(Text { color: ink, ..inner_label(look, rect, &words) });
        }
    }
    scene.untag();
}

/// Leaves a hair of background between parts that are thick enough to spare it.
fn parted(rect: Rect, upright: bool) -> Rect {
    let thickness = if upright { rect.height() } else { rect.width() };
    match (thickness > 3.0, upright) {
        (true, true) => Rect { y0: rect.y0 + 1.0, ..rect },
        (true, false) => Rect { x1: rect.x1 - 1.0, ..rect },
        (false, _) => rect,
    }
}

/// A label in the middle of a part, at the largest size that leaves 2 points round it; else empty.
fn inner_label(look: &Look, rect: Rect, words: &str) -> Text {
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
        "Stacked bar chart of {} columns with {} {} ({}), from {} to {}.",
        chart.data.len(),
        series.len(),
        if percent { "shares" } else { "series" },
        titles.join(", "),
        format.text(low),
        format.text(high),
    );
}
