//! Prices of periods: a body from open to close on a wick from low to high.
//!
//! Record: `date`, `open`, `high`, `low`, `close`. Periods stand at equal distances, so that nights
//! and weekends leave no holes. Settings: `positiveColor`, `negativeColor`, `showValues` (the
//! highest, the lowest and the last price), `showGrid`, `axis`.

mod prices;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, date};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::lines;
use crate::frame::time::TimeAxis;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::Linear;
use crate::scene::{ASCENT, Anchor, CENTER, Form, Stroke, Text};
use crate::text;
use crate::text::Face;

use prices::Candle;

/// The candlestick chart.
pub const KIND: Kind = Kind { slug: "candlestick", draw };

/// Where the candles stand.
struct Plot {
    area: Rect,
    x: Linear,
    y: Linear,
    /// Width of a body in points.
    body: f64,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let candles = prices::read(chart, frame.area.width(), scene);
    let (Some(first), Some(last)) = (candles.first(), candles.last()) else {
        return frame::no_data(frame, scene);
    };
    let rules = chart.rules("close");
    let ends: Vec<f64> =
        candles.iter().flat_map(|it| [it.open, it.high, it.low, it.close]).collect();
    let format = NumberFormat::for_values(ends.iter().copied(), &rules, chart.language());
    let range = ends
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(*it), high.max(*it)));
    let labelled = chart.flag("showValues", true) && frame.area.height() > look.label * 9.0;
    let words = format.text(last.close);
    let gutter = text::width(&words, look.label, Face::Bold) + look.unit * 8.0;
    let gutter = if labelled { gutter.min(frame.area.width() * 0.3) } else { 0.0 };
    let plot = axes(chart, look, frame.area, (&candles, range), (gutter, labelled), scene);
    let level = plot.y.at(last.close);
    if labelled {
        let stroke = Stroke::new(look.muted, 1.0).dashed(2.0, 3.0);
        scene.line((plot.area.x0, level), (plot.area.x1, level), stroke);
    }
    marks(chart, &candles, &plot, &format, look, scene);
    if labelled {
        let x = plot.area.x1 + look.unit * 6.0;
        let set = look.text(x, level + CENTER * look.label, Anchor::Start, look.label, &words);
        let width = text::width(&words, look.label, Face::Bold);
        scene.text(Text { face: Face::Bold, width, color: look.ink, ..set });
        extremes(&candles, &plot, &format, look, scene);
    }
    let day = |it: &Candle| date::day_text(it.moment, true, chart.language());
    scene.desc = format!(
        "Candlestick chart of {} periods from {} to {}, prices from {} to {}, last {words}.",
        candles.len(),
        day(first),
        day(last),
        format.text(range.0),
        format.text(range.1),
    );
}

/// Lays out and draws both axes.
fn axes(
    chart: &Chart,
    look: &Look,
    area: Rect,
    (candles, (low, high)): (&[Candle], (f64, f64)),
    (gutter, labelled): (f64, bool),
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    area.y0 += axis::title(chart, look, scene, area) + look.label * 0.4;
    // The labels of highest and lowest price stand beyond them.
    let more = if labelled { look.small * 1.8 / area.height().max(1.0) } else { 0.0 };
    let more = (high - low) * more.min(0.15);
    let lengths = (area.height(), axis::row_spacing(look));
    let range =
        if low >= 0.0 { ((low - more).max(0.0), high + more) } else { (low - more, high + more) };
    let rules = chart.rules("close");
    let values = Values::new(chart, look, range, Zero::WhenTouched, lengths, &rules);
    let left = values.width(look).min(area.width() * 0.4);
    let sides = (area.x0 + left, (area.x1 - gutter).max(area.x0 + left + 1.0));
    let moments: Vec<f64> = candles.iter().map(|it| it.moment).collect();
    let time = TimeAxis::by_order(&moments, sides, look, chart.language());
    let bottom = (area.y1 - time.height(look)).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let y = Linear { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::ruled(chart, look), plot, &y);
    axis::base_line(scene, look, (plot.x0, plot.y1), (plot.x1, plot.y1));
    if values.crosses_zero() {
        axis::base_line(scene, look, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    time.draw_marks(scene, look, plot.y1);
    time.draw_labels(scene, look, plot.y1);
    let step = plot.width() / candles.len() as f64;
    let body = (step * 0.68).clamp(0.75, 16.0 * look.unit);
    Plot { area: plot, x: time.x, y, body }
}

fn marks(
    chart: &Chart,
    candles: &[Candle],
    plot: &Plot,
    format: &NumberFormat,
    look: &Look,
    scene: &mut Scene,
) {
    let own = |key: &str| Color::parse(chart.word(key));
    let up = lines::line_color(own("positiveColor").unwrap_or_else(|| chart.color(0)), look);
    let down = lines::line_color(own("negativeColor").unwrap_or(chart.theme.highlight), look);
    let (low, high) = plot.y.domain;
    let cut = candles.iter().any(|it| it.low < low || it.high > high);
    if cut {
        scene.push(Form::Clip(plot.area.inflate(0.0, 1.0)));
    }
    let wick = (plot.body * 0.16).clamp(0.75, 1.5 * look.unit);
    for (index, candle) in candles.iter().enumerate() {
        let color = if candle.close >= candle.open { up } else { down };
        let x = plot.x.at(index as f64);
        scene.tag("candle", Some(candle.row), || {
            let day = date::day_text(candle.moment, true, chart.language());
            let [open, high, low, close] =
                [candle.open, candle.high, candle.low, candle.close].map(|it| format.text(it));
            (Some("close".to_owned()), format!("{day}: {open}, {high}, {low}, {close}"))
        });
        let at = |value: f64| plot.y.at_free(value);
        scene.rect(
            Rect::new(x - wick / 2.0, at(candle.high), x + wick / 2.0, at(candle.low)),
            color,
        );
        let (top, bottom) = (at(candle.open.max(candle.close)), at(candle.open.min(candle.close)));
        // A period that closes where it opened shows as a level stroke.
        let bottom = bottom.max(top + 1.0);
        scene.rect(Rect::new(x - plot.body / 2.0, top, x + plot.body / 2.0, bottom), color);
    }
    scene.untag();
    if cut {
        scene.push(Form::EndClip);
    }
}

/// Writes the highest price over its wick and the lowest under its own, where both are in the plot.
fn extremes(
    candles: &[Candle],
    plot: &Plot,
    format: &NumberFormat,
    look: &Look,
    scene: &mut Scene,
) {
    let all = || candles.iter().enumerate();
    let highest = all().rev().max_by(|one, two| one.1.high.total_cmp(&two.1.high));
    let lowest = all().min_by(|one, two| one.1.low.total_cmp(&two.1.low));
    let size = look.small;
    let ends = [
        highest.map(|(index, it)| (index, it.high, -size * 0.4)),
        lowest.map(|(index, it)| (index, it.low, size * (0.4 + ASCENT))),
    ];
    if candles.len() < 3 {
        return;
    }
    for (index, value, beyond) in ends.into_iter().flatten() {
        let words = format.text(value);
        let half = look.width(&words, size) / 2.0;
        let Point { x, y } = Point::new(plot.x.at(index as f64), plot.y.at_free(value) + beyond);
        let x = x.clamp(plot.area.x0 + half, (plot.area.x1 - half).max(plot.area.x0 + half));
        if y - ASCENT * size < plot.area.y0 - size || y > plot.area.y1 - size * 0.2 {
            continue;
        }
        let set = look.text(x, y, Anchor::Middle, size, &words);
        scene.text(Text { color: look.value_ink, halo: Some(look.background), ..set });
    }
}
