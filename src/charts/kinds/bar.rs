//! Bars, one a record, on a common zero line; level or upright.
//!
//! Record: `label`, `value`, `highlighted` (optional flag). A record without a number keeps its
//! place and stays empty. Settings: `orientation` (`horizontal`, `vertical`), `benchmark`, `sort`,
//! `showValues`, `showGrid`, `axis`.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::color::Color;
use crate::charts::data;
use crate::charts::format::NumberFormat;
use crate::charts::frame;
use crate::charts::frame::Frame;
use crate::charts::frame::axis::{Values, Zero};
use crate::charts::frame::category::{Names, Rows};
use crate::charts::frame::{Look, axis};
use crate::charts::kinds::Kind;
use crate::charts::scale::{Band, Linear};
use crate::charts::scene::{ASCENT, Anchor, CENTER, DESCENT, Stroke, Text};

pub const KIND: Kind = Kind { slug: "bar", draw };

struct Bar<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    color: Color,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let values: Vec<Option<f64>> = chart.data.iter().map(|it| data::number(&it["value"])).collect();
    if values.iter().all(Option::is_none) {
        return frame::no_data(frame, scene);
    }
    let any_highlighted = chart.data.iter().any(|it| data::flag(&it["highlighted"]));
    let color = |row: usize| {
        let record = &chart.data[row];
        let own = record["color"].as_str().and_then(Color::parse);
        own.unwrap_or(match (any_highlighted, data::flag(&record["highlighted"])) {
            (false, _) => chart.color(0),
            (true, true) => chart.theme.highlight,
            (true, false) => frame.look.faded(),
        })
    };
    let bars: Vec<Bar> = chart
        .order(&values)
        .into_iter()
        .map(|row| Bar {
            row,
            label: data::label(&chart.data[row]),
            value: values[row],
            color: color(row),
        })
        .collect();
    describe(&bars, chart, scene);
    if chart.word("orientation") == "vertical" {
        upright(&bars, chart, frame, scene);
    } else {
        level(&bars, chart, frame, scene);
    }
}

/// Lowest and highest value, with the benchmark among them.
fn range(bars: &[Bar], chart: &Chart) -> (f64, f64) {
    let all = bars.iter().filter_map(|it| it.value).chain(chart.number("benchmark"));
    all.fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)))
}

fn value_labels(bars: &[Bar], chart: &Chart) -> (NumberFormat, Vec<String>) {
    let rules = chart.rules("value");
    let values = bars.iter().filter_map(|it| it.value);
    let format = NumberFormat::for_values(values, &rules, chart.language());
    let texts = bars.iter().map(|it| it.value.map_or(String::new(), |v| format.text(v))).collect();
    (format, texts)
}

fn describe(bars: &[Bar], chart: &Chart, scene: &mut Scene) {
    let (format, _) = value_labels(bars, chart);
    let given = || bars.iter().filter_map(|it| it.value.map(|value| (value, &it.label)));
    let lowest = given().min_by(|one, two| one.0.total_cmp(&two.0));
    let highest = given().max_by(|one, two| one.0.total_cmp(&two.0));
    if let (Some((low, low_name)), Some((high, high_name))) = (lowest, highest) {
        scene.desc = format!(
            "Bar chart of {} values, from {} ({low_name}) to {} ({high_name}).",
            given().count(),
            format.text(low),
            format.text(high),
        );
    }
}

/// Bars from left to right, names on the left edge, values at the ends.
fn level(bars: &[Bar], chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let area = frame.area;
    let names: Vec<Cow<str>> = bars.iter().map(|it| it.label.clone()).collect();
    let (low, high) = range(bars, chart);
    let (_, labels) = value_labels(bars, chart);
    let step_without_axis = area.height() / bars.len() as f64;
    let labelled = chart.flag("showValues", true) && step_without_axis >= look.small * 1.1;
    let with_axis = chart.flag("showGrid", !labelled);
    let bottom = if with_axis { area.y1 - Values::height(look) } else { area.y1 };
    let bottom = bottom.max(area.y0 + 1.0);
    let band = Band {
        count: bars.len(),
        range: (area.y0, bottom),
        padding: if bars.len() > 60 { 0.1 } else { 0.3 },
        most: 44.0 * look.unit,
    };
    let rows = Rows::plan(&names, band.step(), area.width() * 0.36, look);
    let size = if band.step() >= look.label * 1.15 { look.label } else { look.small };
    let gap = look.unit * 5.0;
    let widths: Vec<f64> = labels.iter().map(|it| look.width(it, size)).collect();
    let room = |negative: bool| {
        let ends = bars.iter().zip(&widths).filter(|(bar, _)| (bar.value < Some(0.0)) == negative);
        ends.map(|(_, width)| *width).fold(0.0, f64::max) + gap
    };
    let labelled = labelled && room(true) + room(false) < (area.width() - rows.width) * 0.5;
    let (left, right) = if labelled {
        (if low < 0.0 { room(true) } else { 0.0 }, if high > 0.0 { room(false) } else { 0.0 })
    } else {
        (0.0, 0.0)
    };
    let plot = Rect::new(area.x0 + rows.width + left, area.y0, (area.x1 - right).max(area.x0 + rows.width + left + 1.0), bottom);
    let values = Values::new(
        chart,
        look,
        (low, high),
        Zero::Always,
        (plot.width(), axis::column_spacing(look)),
        &chart.rules("value"),
    );
    let domain = if with_axis { values.domain } else { tight(chart, (low, high)) };
    let x = Linear { domain, range: (plot.x0, plot.x1) };
    if with_axis {
        values.draw_bottom(scene, look, plot, &x);
    }
    rows.draw(scene, look, area.x0, &band);
    for (index, bar) in bars.iter().enumerate() {
        let Some(value) = bar.value else { continue };
        tag(scene, bar, &labels[index]);
        let (from, to) = (x.at(value.min(0.0)), x.at(value.max(0.0)));
        scene.rect(Rect::new(from, band.start(index), to, band.start(index) + band.width()), bar.color);
        if labelled {
            let y = band.center(index) + CENTER * size;
            let (at, anchor) =
                if value < 0.0 { (from - gap, Anchor::End) } else { (to + gap, Anchor::Start) };
            let text = look.text(at, y, anchor, size, &labels[index]);
            scene.text(Text { color: look.value_ink, halo: Some(look.background), ..text });
        }
    }
    scene.untag();
    axis::base_line(scene, look, (x.at(0.0), plot.y0), (x.at(0.0), plot.y1));
    benchmark_level(chart, look, scene, plot, &x);
}

/// Ends of the scale when no axis shows it: the data's own, or those asked for.
fn tight(chart: &Chart, (low, high): (f64, f64)) -> (f64, f64) {
    let low = chart.axis_end("min").map_or(low, |it| it.min(low));
    let high = chart.axis_end("max").map_or(high, |it| it.max(high));
    if low == high { (low, low + 1.0) } else { (low, high) }
}

fn tag(scene: &mut Scene, bar: &Bar, label: &str) {
    scene.tag("bar", Some(bar.row), || (Some("value".to_owned()), format!("{}: {label}", bar.label)));
}

fn benchmark_level(chart: &Chart, look: &Look, scene: &mut Scene, plot: Rect, x: &Linear) {
    if let Some(value) = chart.number("benchmark") {
        let at = x.at(value);
        let stroke = Stroke::new(look.ink, 1.25 * look.unit).dashed(4.0, 3.0);
        scene.line(Point::new(at, plot.y0), Point::new(at, plot.y1), stroke);
    }
}

/// Columns, names under them, values over them.
fn upright(bars: &[Bar], chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let mut area = frame.area;
    area.y0 += axis::title(chart, look, scene, area);
    let names: Vec<Cow<str>> = bars.iter().map(|it| it.label.clone()).collect();
    let (low, high) = range(bars, chart);
    let (_, labels) = value_labels(bars, chart);
    let widest = labels.iter().map(|it| look.width(it, look.label)).fold(0.0, f64::max);
    let labelled = chart.flag("showValues", true)
        && widest + 2.0 <= area.width() / bars.len() as f64
        && area.height() > look.label * 8.0;
    let with_axis = chart.flag("showGrid", !labelled);
    let values = Values::new(
        chart,
        look,
        (low, high),
        Zero::Always,
        (area.height(), axis::row_spacing(look)),
        &chart.rules("value"),
    );
    let left = if with_axis { values.width(look).min(area.width() * 0.4) } else { 0.0 };
    let range = (area.x0 + left, area.x1);
    let padding = if bars.len() > 60 { 0.1 } else { 0.3 };
    let band = Band { count: bars.len(), range, padding, most: 72.0 * look.unit };
    let names = Names::plan(&names, band.step(), area.height() * 0.4, look);
    let room = if labelled { look.label * 1.35 } else { 0.0 };
    let plot = Rect::new(range.0, area.y0, range.1, (area.y1 - names.height).max(area.y0 + 1.0));
    let domain = if with_axis { values.domain } else { tight(chart, (low, high)) };
    let above = if high > 0.0 { room } else { 0.0 };
    let below = if low < 0.0 { room } else { 0.0 };
    let y = Linear { domain, range: (plot.y1 - below, plot.y0 + above.max(look.label * 0.4)) };
    if with_axis {
        values.draw_left(scene, look, plot, &y);
    }
    names.draw(scene, look, plot, &band);
    for (index, bar) in bars.iter().enumerate() {
        let Some(value) = bar.value else { continue };
        tag(scene, bar, &labels[index]);
        let (top, bottom) = (y.at(value.max(0.0)), y.at(value.min(0.0)));
        scene.rect(Rect::new(band.start(index), top, band.start(index) + band.width(), bottom), bar.color);
        if labelled {
            let gap = look.label * 0.35;
            let at = if value < 0.0 {
                bottom + gap + ASCENT * look.label
            } else {
                top - gap - DESCENT * look.label * 0.2
            };
            let text = look.text(band.center(index), at, Anchor::Middle, look.label, &labels[index]);
            scene.text(Text { color: look.value_ink, halo: Some(look.background), ..text });
        }
    }
    scene.untag();
    axis::base_line(scene, look, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    if let Some(value) = chart.number("benchmark") {
        let stroke = Stroke::new(look.ink, 1.25 * look.unit).dashed(4.0, 3.0);
        scene.line((plot.x0, y.at(value)), (plot.x1, y.at(value)), stroke);
    }
}
