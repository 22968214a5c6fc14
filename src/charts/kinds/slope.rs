//! Slope chart: one line per record from the value before to the value after, labelled at both
//! ends.
//!
//! Record: `label`, `before`, `after` (otherwise the first two numeric columns), `highlighted`.
//! Settings: `beforeTitle`, `afterTitle`, `positiveColor`, `negativeColor`, `showValues`, `axis`
//! (`min`, `max`).

mod labels;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The slope chart.
pub const KIND: Kind = Kind { slug: "slope", draw };

/// A record with both values, or with only one of them.
pub struct Slope<'a> {
    row: usize,
    label: Cow<'a, str>,
    before: Option<f64>,
    after: Option<f64>,
    highlighted: bool,
    color: Color,
}

/// Draws titles, axes, lines and labels.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let slopes = read(chart, style);
    if slopes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let all = || slopes.iter().flat_map(|it| [it.before, it.after]).flatten();
    let format = NumberFormat::for_values(
        all().collect::<Vec<f64>>().into_iter(),
        &chart.format_rules("before"),
        chart.locale(),
    );
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = all().fold(start, |(low, high), it| (low.min(it), high.max(it)));
    let low = chart.axis_limit("min").map_or(low, |it| it.min(low));
    let high = chart.axis_limit("max").map_or(high, |it| it.max(high));
    let mut area = frame.area;
    let heads = heads(chart, area.height() > style.label_size * 6.0);
    area.y0 += if heads.is_some() { style.label_size * 1.7 } else { 0.0 };
    // Half a label extends above and below the outermost ends.
    let edge = style.label_size * 0.65;
    let bottom = (area.y1 - edge).max(area.y0 + edge + 1.0);
    let y = LinearScale { domain: (low, high), range: (bottom, area.y0 + edge) };
    let texts = labels::Texts::new(chart, &slopes, &format, area, style);
    let sides = sides(area, texts.left, texts.right);
    let plot = Rect::new(sides.0, area.y0, sides.1, area.y1);
    if let Some(heads) = heads {
        draw_heads(heads, plot, frame.area, style, scene);
    }
    for x in [plot.x0, plot.x1] {
        scene.line((x, plot.y0), (x, plot.y1), Stroke::new(style.axis_color, 1.0));
    }
    marks(&slopes, plot, &y, &format, style, scene);
    texts.draw(&slopes, plot, &y, style, scene);
    describe(&slopes, &format, scene);
}

/// Reads the records with at least one value. The color of a line shows its direction. If any
/// record is highlighted, the color shows that instead.
fn read<'a>(chart: &Chart<'a>, style: &ChartStyle) -> Vec<Slope<'a>> {
    let has = |key: &str| chart.data.iter().any(|it| !data::field(it, key).is_null());
    let found = if has("before") || has("after") { Vec::new() } else { chart.series() };
    let (before, after) = match found.as_slice() {
        [one, two, ..] => (one.key.as_str(), two.key.as_str()),
        _ => ("before", "after"),
    };
    let accented = chart.data.iter().any(|it| data::is_true(data::field(it, "highlighted")));
    let own = |key: &str| Color::parse(chart.str_setting(key));
    let up = own("positiveColor").unwrap_or_else(|| chart.series_color(0));
    let down = own("negativeColor").unwrap_or(chart.theme.highlight_color);
    let slope = |(row, record): (usize, &'a serde_json::Value)| {
        let (from, to) =
            (data::number(data::field(record, before)), data::number(data::field(record, after)));
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let color = match (accented, from.zip(to)) {
            (true, _) if highlighted => chart.theme.highlight_color,
            (false, Some((from, to))) if to > from => up,
            (false, Some((from, to))) if to < from => down,
            _ => style.faded_color(),
        };
        let color = style.readable_line_color(color);
        let label = data::record_label(record);
        (from.is_some() || to.is_some()).then_some(Slope {
            row,
            label,
            before: from,
            after: to,
            highlighted,
            color,
        })
    };
    let mut slopes: Vec<Slope> = chart.data.iter().enumerate().filter_map(slope).collect();
    // Highlighted lines are drawn last, over the others.
    slopes.sort_by_key(|it| it.highlighted);
    slopes
}

/// Returns the titles of both sides. None without `room`, or if both are empty.
fn heads<'a>(chart: &Chart<'a>, room: bool) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    let settings = chart.settings;
    let named = |key: &str, usual: Term| match &settings[key] {
        serde_json::Value::String(own) => text::sanitize(own),
        _ => Cow::Borrowed(chart.locale().translate(usual)),
    };
    let heads = (named("beforeTitle", Term::Before), named("afterTitle", Term::After));
    (room && !(heads.0.is_empty() && heads.1.is_empty())).then_some(heads)
}

/// Returns the x coordinates of both sides, with space for the labels outside. The plot is at most
/// 2.4 times as wide as high, so that the lines are not too flat.
fn sides(area: Rect, left: f64, right: f64) -> (f64, f64) {
    let width = (area.width() - left - right).max(1.0);
    let most = width.min(area.height() * 2.4);
    let x0 = area.x0 + left + (width - most) / 2.0;
    (x0, x0 + most)
}

/// Draws the titles above both sides.
fn draw_heads(
    (before, after): (Cow<str>, Cow<str>),
    plot: Rect,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.label_size;
    let baseline = area.y0 + ASCENT_EM * size;
    let half = plot.width() / 2.0 - size * 0.5;
    for (x, words, room) in
        [(plot.x0, before, half + plot.x0 - area.x0), (plot.x1, after, half + area.x1 - plot.x1)]
    {
        let words = text::ellipsize(&words, room.max(0.0), size, Face::BOLD);
        let width = text::width(&words, size, Face::BOLD);
        // Centered above its side, but moved inwards where it would leave the area.
        let x = x.clamp(area.x0 + width / 2.0, (area.x1 - width / 2.0).max(area.x0 + width / 2.0));
        let set = style.label_text(x, baseline, Anchor::Middle, size, &words);
        scene.text(Text { face: Face::BOLD, width, ..set });
    }
}

/// Draws the lines and their end points.
fn marks(
    slopes: &[Slope],
    plot: Rect,
    y: &LinearScale,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let crowded = slopes.len() > 60;
    let width = style.unit * if crowded { 1.25 } else { 2.0 };
    let radius = style.unit * if crowded { 2.0 } else { 3.5 };
    for slope in slopes {
        let words = |it: Option<f64>| it.map_or("–".to_owned(), |it| format.text(it));
        scene.begin_mark("line", Some(slope.row), || {
            let (from, to) = (words(slope.before), words(slope.after));
            (None, format!("{}: {from} → {to}", slope.label))
        });
        let width = if slope.highlighted { width * 1.4 } else { width };
        let from = slope.before.map(|it| Point::new(plot.x0, y.at(it)));
        let to = slope.after.map(|it| Point::new(plot.x1, y.at(it)));
        if let (Some(from), Some(to)) = (from, to) {
            scene.push(Primitive::Polyline {
                points: vec![from, to],
                stroke: Stroke::new(slope.color, width).rounded(),
            });
        }
        for end in [from, to].into_iter().flatten() {
            scene.circle(end, radius, slope.color, None);
        }
    }
    scene.end_mark();
}

/// Sets the text description of the scene: number of rising and falling lines, and the largest
/// change.
fn describe(slopes: &[Slope], format: &NumberFormat, scene: &mut Scene) {
    let change = |it: &Slope| Some(it.after? - it.before?);
    let changes = || slopes.iter().filter_map(|it| Some((change(it)?, it)));
    let (up, down) =
        (changes().filter(|it| it.0 > 0.0).count(), changes().filter(|it| it.0 < 0.0).count());
    let largest = changes().max_by(|one, two| one.0.abs().total_cmp(&two.0.abs()));
    let most = largest.map_or(String::new(), |(_, it)| {
        let words = |it: Option<f64>| it.map_or(String::new(), |it| format.text(it));
        let (from, to) = (words(it.before), words(it.after));
        format!(" Largest change: {}, from {from} to {to}.", it.label)
    });
    let count = slopes.len();
    scene.description = format!("Slope chart of {count} records: {up} rise, {down} fall.{most}");
}
