//! Candlestick chart: one candle per period, with a body from open to close and a wick from low to
//! high.
//!
//! Record: `date`, `open`, `high`, `low`, `close`. Candles have equal distances whatever their
//! dates, so that nights and weekends leave no gaps. Settings: `positiveColor`, `negativeColor`,
//! `showValues` (the highest, the lowest and the last price), `showGrid`, `axis`.

mod prices;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Term, date};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::legend;
use crate::frame::time::TimeAxis;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Stroke, Text, ValueEnd};
use crate::text;
use crate::text::Face;

use prices::Candle;

/// The candlestick chart.
pub const KIND: Kind = Kind { slug: "candlestick", draw };

/// Minimum height of the area with a legend, as a multiple of the label size.
const MIN_HEIGHT_WITH_LEGEND_EM: f64 = 18.0;

/// Layout of the plot.
struct Plot {
    area: Rect,
    /// Positions by index of the candle.
    x: LinearScale,
    /// Positions by price.
    y: LinearScale,
    /// Width of a candle body in points.
    body_width: f64,
}

/// Draws candles, axes and, if the setting `showValues` and the height permit, the labels of the
/// last, highest and lowest price. Draws a note instead without candles.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let candles = prices::read_candles(chart, frame.area.width(), scene);
    let (Some(first), Some(last)) = (candles.first(), candles.last()) else {
        return frame::draw_no_data(frame, scene);
    };
    let rules = chart.format_rules("close");
    let prices: Vec<f64> = candles
        .iter()
        .flat_map(|candle| [candle.open, candle.high, candle.low, candle.close])
        .collect();
    let format = NumberFormat::for_values(prices.iter().copied(), &rules, chart.locale());
    let range = prices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), price| {
        (low.min(*price), high.max(*price))
    });
    let has_labels =
        chart.bool_setting("showValues", true) && frame.area.height() > style.label_size * 9.0;
    let last_price = format.text(last.close);
    let gutter = text::width(&last_price, style.label_size, Face::BOLD) + style.unit * 8.0;
    let gutter = has_labels.then_some(gutter.min(frame.area.width() * 0.3));
    let below_legend = draw_legend(chart, frame, &candles, scene);
    let plot = draw_axes(chart, style, below_legend, &candles, range, gutter, scene);
    let last_y = plot.y.at(last.close);
    if has_labels {
        let stroke = Stroke::new(style.muted_color, 1.0).dashed(2.0, 3.0);
        scene.line((plot.area.x0, last_y), (plot.area.x1, last_y), stroke);
    }
    draw_candles(chart, &candles, &plot, &format, style, scene);
    if has_labels {
        let x = plot.area.x1 + style.unit * 6.0;
        let label_text = style.label_text(
            x,
            last_y + HALF_CAP_HEIGHT_EM * style.label_size,
            Anchor::Start,
            style.label_size,
            &last_price,
        );
        let width = text::width(&last_price, style.label_size, Face::BOLD);
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..label_text });
        draw_extremes(&candles, &plot, &format, style, scene);
    }
    let day = |candle: &Candle| date::format_moment(candle.timestamp, chart.locale());
    scene.description = format!(
        "Candlestick chart of {} periods from {} to {}, prices from {} to {}, last {last_price}.",
        candles.len(),
        day(first),
        day(last),
        format.text(range.0),
        format.text(range.1),
    );
}

/// Draws the colors of the periods with rising and falling prices, if the height permits. Returns the area
/// below the legend.
fn draw_legend(chart: &Chart, frame: &Frame, candles: &[Candle], scene: &mut Scene) -> Rect {
    let style = &frame.style;
    if frame.area.height() < style.label_size * MIN_HEIGHT_WITH_LEGEND_EM {
        return frame.area;
    }
    let (up, down) = colors(chart, style);
    let entry = |is_up: bool, term: Term, color: Color| {
        let is_drawn = candles.iter().any(|candle| candle.is_up() == is_up);
        is_drawn.then(|| (chart.locale().translate(term), color))
    };
    let entries = [entry(true, Term::Increase, up), entry(false, Term::Decrease, down)];
    legend::draw(scene, style, frame.area, entries.into_iter().flatten())
}

/// Returns the colors of the candles with rising and with falling prices.
fn colors(chart: &Chart, style: &ChartStyle) -> (Color, Color) {
    let setting = |key: &str| Color::parse(chart.str_setting(key));
    let up = setting("positiveColor").unwrap_or_else(|| chart.series_color(0));
    let down = setting("negativeColor").unwrap_or(chart.theme.highlight_color);
    (style.readable_line_color(up), style.readable_line_color(down))
}

/// Lays out the plot and draws both axes.
///
/// `low` and `high` are the lowest and highest price. `gutter` is the space in points for the last
/// price right of the plot, None if prices have no labels. With a gutter, the price axis also gets
/// extra space for the labels of the lowest and highest price.
fn draw_axes(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    candles: &[Candle],
    (low, high): (f64, f64),
    gutter: Option<f64>,
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    area.y0 += axis::draw_title(chart, style, scene, area) + style.label_size * 0.4;
    // The labels of the highest and lowest price are above and below them.
    let margin_share =
        if gutter.is_some() { style.small_size * 1.8 / area.height().max(1.0) } else { 0.0 };
    let margin = (high - low) * margin_share.min(0.15);
    let lengths = (area.height(), axis::y_tick_spacing(style));
    let range = if low >= 0.0 {
        ((low - margin).max(0.0), high + margin)
    } else {
        (low - margin, high + margin)
    };
    let rules = chart.format_rules("close");
    let values = ValueAxis::new(chart, style, range, IncludeZero::WhenAdjacent, lengths, &rules);
    let left = values.left_width(style).min(area.width() * 0.4);
    let right = area.x1 - gutter.unwrap_or(0.0);
    let sides = (area.x0 + left, right.max(area.x0 + left + 1.0));
    let timestamps: Vec<f64> = candles.iter().map(|candle| candle.timestamp).collect();
    let time = TimeAxis::ordinal(&timestamps, sides, style, chart.locale());
    let bottom = (area.y1 - time.height(style)).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let y = LinearScale { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::grid_style(chart, style), plot, &y);
    axis::draw_baseline(scene, style, (plot.x0, plot.y1), (plot.x1, plot.y1));
    if values.crosses_zero() {
        axis::draw_baseline(scene, style, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    time.draw_tick_marks(scene, style, plot.y1);
    time.draw_labels(scene, style, plot.y1);
    let step = plot.width() / candles.len() as f64;
    let body_width = (step * 0.68).clamp(0.75, 16.0 * style.unit);
    Plot { area: plot, x: time.x, y, body_width }
}

/// Draws body and wick of each candle, in the positive color if it closes at or above its opening
/// price. Clips them to the plot if a price is beyond the axis.
fn draw_candles(
    chart: &Chart,
    candles: &[Candle],
    plot: &Plot,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (up, down) = colors(chart, style);
    let (low, high) = plot.y.domain;
    let is_clipped = candles.iter().any(|candle| candle.low < low || candle.high > high);
    if is_clipped {
        scene.push(Primitive::BeginClip(plot.area.inflate(0.0, 1.0)));
    }
    let wick_width = (plot.body_width * 0.16).clamp(0.75, 1.5 * style.unit);
    for (index, candle) in candles.iter().enumerate() {
        let color = if candle.is_up() { up } else { down };
        let x = plot.x.at(index as f64);
        scene.begin_mark("candle", Some(candle.row), || {
            let day = date::format_moment(candle.timestamp, chart.locale());
            let [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close]
                .map(|price| format.text(price));
            (Some("close".to_owned()), format!("{day}: {open}, {high}, {low}, {close}"))
        });
        let y = |price: f64| plot.y.at_unclamped(price);
        let end = ValueEnd::new(true, x, y(candle.close), plot.body_width / 2.0);
        scene.record_value(candle.row, Some("close"), candle.close, end);
        // Lines of equal width keep it when they are rounded to whole pixels, and rectangles do not.
        let wick = Stroke::new(color, wick_width);
        scene.line((x, y(candle.high)), (x, y(candle.low)), wick);
        let (top, bottom) = (y(candle.open.max(candle.close)), y(candle.open.min(candle.close)));
        // A period that closes at its opening price is drawn as a horizontal line of 1 point.
        let bottom = bottom.max(top + 1.0);
        scene.rect(
            Rect::new(x - plot.body_width / 2.0, top, x + plot.body_width / 2.0, bottom),
            color,
        );
    }
    scene.end_mark();
    if is_clipped {
        scene.push(Primitive::EndClip);
    }
}

/// Draws the highest price above its wick and the lowest below its wick, each at the first candle
/// that has it. Omits a label outside the plot, and both with fewer than three candles.
fn draw_extremes(
    candles: &[Candle],
    plot: &Plot,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let all = || candles.iter().enumerate();
    let highest = all().rev().max_by(|a, b| a.1.high.total_cmp(&b.1.high));
    let lowest = all().min_by(|a, b| a.1.low.total_cmp(&b.1.low));
    let size = style.small_size;
    // Index of the candle, price, and distance of the baseline below the price.
    let extremes = [
        highest.map(|(index, candle)| (index, candle.high, -size * 0.4)),
        lowest.map(|(index, candle)| (index, candle.low, size * (0.4 + ASCENT_EM))),
    ];
    if candles.len() < 3 {
        return;
    }
    for (index, price, offset) in extremes.into_iter().flatten() {
        let label = format.text(price);
        let half = style.text_width(&label, size) / 2.0;
        let (x, y) = (plot.x.at(index as f64), plot.y.at_unclamped(price) + offset);
        let x = x.clamp(plot.area.x0 + half, (plot.area.x1 - half).max(plot.area.x0 + half));
        if y - ASCENT_EM * size < plot.area.y0 - size || y > plot.area.y1 - size * 0.2 {
            continue;
        }
        let label_text = style.label_text(x, y, Anchor::Middle, size, &label);
        scene.text(Text { color: style.value_color, halo: Some(style.background), ..label_text });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Draws days with a first and a last price, and returns the texts of the legend.
    fn legend_texts(days: &[(f64, f64)], height: f64) -> Vec<String> {
        let record = |(day, (open, close)): (usize, &(f64, f64))| {
            let date = format!("2024-03-{:02}", day + 1);
            json!({"date": date, "open": open, "high": 9, "low": 1, "close": close})
        };
        let data: Vec<Value> = days.iter().enumerate().map(record).collect();
        let scene = crate::draw(&Chart { height, ..Chart::new(&KIND, &data) });
        let texts = scene.text_boxes().map(|(text, _)| text.to_owned());
        texts.filter(|text| ["Increase", "Decrease"].contains(&text.as_str())).collect()
    }

    #[test]
    fn the_legend_has_the_colors_that_are_drawn() {
        assert_eq!(legend_texts(&[(3.0, 5.0), (5.0, 4.0)], 405.0), ["Increase", "Decrease"]);
        assert_eq!(legend_texts(&[(3.0, 3.0), (3.0, 4.0)], 405.0), ["Increase"]);
        assert_eq!(legend_texts(&[(3.0, 5.0), (5.0, 4.0)], 150.0), [""; 0], "no space");
    }
}
