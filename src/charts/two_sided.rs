//! Two sides of level bars that grow away from a spine of names: butterflies and pyramids.

use std::borrow::Cow;

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::bands;
use crate::frame::category::Rows;
use crate::frame::{Frame, Look};
use crate::scale::{Band, Linear};
use crate::scene::{ASCENT, Anchor, CENTER, Text};
use crate::text;
use crate::text::Face;

/// How a kind wants its two sides drawn.
pub struct Manner {
    /// Starts the description, such as `Butterfly chart of 8 rows`.
    pub name: &'static str,
    /// Share of a step that stays empty between bars.
    pub padding: f64,
    /// Thickest bar in units.
    pub most: f64,
    /// Whether values stand at the bars unless settings say otherwise.
    pub values: bool,
}

/// A record with its values on the left and on the right.
pub struct Pair<'a> {
    /// Place of the record in the data.
    pub row: usize,
    /// Name on the spine.
    pub label: Cow<'a, str>,
    values: [Option<f64>; 2],
    highlighted: bool,
}

impl Pair<'_> {
    /// Both values together; none when the record has neither.
    pub fn sum(&self) -> Option<f64> {
        match self.values {
            [None, None] => None,
            [left, right] => Some(left.unwrap_or(0.0) + right.unwrap_or(0.0)),
        }
    }
}

/// A side: its column, name, colour and the way its numbers are written.
struct Side {
    key: String,
    title: String,
    color: Color,
    rules: Rules,
}

/// Where bars, names and values stand.
struct Plot {
    band: Band,
    /// Values to points, left and right.
    scales: [Linear; 2],
    area: Rect,
    /// Both edges of the spine.
    spine: (f64, f64),
    /// Font size of the values; none when they have no room.
    size: Option<f64>,
}

/// Draws the chart with its records in the order that `arrange` brings them into.
pub fn draw(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    manner: &Manner,
    arrange: impl FnOnce(&mut [Pair]),
) {
    let sides = sides(chart);
    let mut pairs = read(chart, &sides);
    if pairs.iter().all(|it| it.sum().is_none()) {
        return frame::no_data(frame, scene);
    }
    arrange(&mut pairs);
    let all = || pairs.iter().flat_map(|it| it.values).flatten();
    let formats =
        [0, 1].map(|it: usize| NumberFormat::for_values(all(), &sides[it].rules, chart.language()));
    let words: Vec<[String; 2]> = pairs.iter().map(|it| words(it, &formats)).collect();
    describe(manner, &pairs, (&sides, &words), scene);
    let plot = layout(chart, frame, scene, manner, (&sides, &pairs, &words));
    headings(&sides, &plot, frame, scene);
    marks(&pairs, (&sides, &words), &plot, &frame.look, scene);
}

/// The columns `left` and `right`, or the first two columns of numbers where neither exists.
fn sides(chart: &Chart) -> [Side; 2] {
    let named = chart
        .data
        .iter()
        .any(|it| ["left", "right"].iter().any(|key| data::number(data::field(it, key)).is_some()));
    let found = if named { Vec::new() } else { chart.series() };
    let side = |index: usize, key: &str, title: &str, color: &str| {
        let series = found.get(index);
        let own = text::clean(chart.word(title)).into_owned();
        let key = series.map_or(key, |it| &it.key);
        Side {
            title: if own.is_empty() { series.map_or(own, |it| it.title.clone()) } else { own },
            color: Color::parse(chart.word(color)).unwrap_or_else(|| chart.color(index)),
            rules: chart.rules(key),
            key: key.to_owned(),
        }
    };
    [side(0, "left", "leftTitle", "leftColor"), side(1, "right", "rightTitle", "rightColor")]
}

fn read<'a>(chart: &Chart<'a>, sides: &[Side; 2]) -> Vec<Pair<'a>> {
    let value = |record: &'a Value, side: &Side| data::number(data::field(record, &side.key));
    let pair = |(row, record): (usize, &'a Value)| Pair {
        row,
        label: data::label(record),
        values: [value(record, &sides[0]), value(record, &sides[1])],
        highlighted: data::flag(data::field(record, "highlighted")),
    };
    chart.data.iter().enumerate().map(pair).collect()
}

fn words(pair: &Pair, formats: &[NumberFormat; 2]) -> [String; 2] {
    [0, 1].map(|side: usize| pair.values[side].map_or(String::new(), |it| formats[side].text(it)))
}

/// Lays out names and both scales, and draws names and axes.
fn layout(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    manner: &Manner,
    (sides, pairs, words): (&[Side; 2], &[Pair], &[[String; 2]]),
) -> Plot {
    let look = &frame.look;
    let mut area = frame.area;
    area.y0 += axis::title(chart, look, scene, area);
    if sides.iter().any(|it| !it.title.is_empty()) && area.height() > look.label * 5.0 {
        area.y0 += look.label * 1.9;
    }
    let wanted = chart.flag("showValues", manner.values);
    let size = value_size(words, area, look).filter(|_| wanted);
    let with_axis = chart.flag("showGrid", size.is_none()) && area.height() > look.label * 4.0;
    if with_axis {
        area.y1 -= Values::height(look);
    }
    let (padding, most) = (manner.padding, manner.most * look.unit);
    let padding = if pairs.len() > 60 { padding.min(0.1) } else { padding };
    let range = (area.y0, area.y1.max(area.y0 + 1.0));
    let band = Band { count: pairs.len(), range, padding, most };
    let names: Vec<Cow<str>> = pairs.iter().map(|it| it.label.clone()).collect();
    let rows =
        Rows::plan_whole(&names, band.step(), (area.width() * 0.34, area.width() * 0.44), look);
    // Names keep the same distance from the bars on both sides.
    let least = if with_axis { look.label * 2.4 } else { look.unit * 6.0 };
    let width = (rows.width + look.unit * 8.0).max(least);
    let middle = area.center().x;
    let spine = (middle - width / 2.0, middle + width / 2.0);
    let all = || pairs.iter().flat_map(|it| it.values).flatten();
    let reach = all().fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)));
    let half = (spine.0 - area.x0).max(1.0);
    let lengths = (half, axis::column_spacing(look));
    let values = Values::new(chart, look, reach, Zero::Always, lengths, &sides[0].rules);
    let domain = if with_axis { values.domain } else { bands::tight(chart, reach) };
    let widest = size.map_or(0.0, |it| widest(words, it, look) + it * 0.5);
    let inner = if reach.0 < 0.0 { widest } else { 0.0 };
    // Numbers under the ends of the axes stay within the area.
    let ended = with_axis && values.ticks.values.last().is_some_and(|it| *it == domain.1);
    let widest = if ended { widest.max(values.widest / 2.0) } else { widest };
    let scales = [
        Linear { domain, range: (spine.0 - inner, area.x0 + widest) },
        Linear { domain, range: (spine.1 + inner, area.x1 - widest) },
    ];
    if with_axis {
        values.draw_bottom(scene, look, Rect { x1: spine.0, ..area }, &scales[0]);
        let right = Values::new(chart, look, reach, Zero::Always, lengths, &sides[1].rules);
        right.draw_bottom(scene, look, Rect { x0: spine.1, ..area }, &scales[1]);
    }
    rows.draw_at(scene, look, (middle, Anchor::Middle), &band);
    Plot { band, scales, area, spine, size }
}

fn widest(words: &[[String; 2]], size: f64, look: &Look) -> f64 {
    words.iter().flatten().map(|it| look.width(it, size)).fold(0.0, f64::max)
}

/// The size at which all values fit at their bars.
fn value_size(words: &[[String; 2]], area: Rect, look: &Look) -> Option<f64> {
    let step = area.height() / words.len().max(1) as f64;
    let fits = |size: &f64| size * 1.1 <= step && widest(words, *size, look) <= area.width() * 0.15;
    [look.label, look.small].into_iter().find(fits)
}

/// Names the sides over their bars, beside the spine.
fn headings(sides: &[Side; 2], plot: &Plot, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let size = look.label;
    // Nothing was kept free for headings on the lowest canvases.
    if plot.area.y0 - frame.area.y0 < size * 1.8 {
        return;
    }
    let baseline = plot.area.y0 - size * 1.9 + ASCENT * size + size * 0.35;
    let places = [
        (plot.spine.0, Anchor::End, plot.spine.0 - plot.area.x0),
        (plot.spine.1, Anchor::Start, plot.area.x1 - plot.spine.1),
    ];
    for (side, (x, anchor, room)) in sides.iter().zip(places) {
        let title = text::fit(&side.title, room, size, Face::Bold);
        let full = if title.len() < side.title.len() { Some(side.title.clone()) } else { None };
        scene.text(Text {
            face: Face::Bold,
            width: text::width(&title, size, Face::Bold),
            color: side.color.readable_on(look.background, 4.5),
            full,
            ..look.text(x, baseline, anchor, size, &title)
        });
    }
}

fn marks(
    pairs: &[Pair],
    (sides, words): (&[Side; 2], &[[String; 2]]),
    plot: &Plot,
    look: &Look,
    scene: &mut Scene,
) {
    let muting = pairs.iter().any(|it| it.highlighted);
    let width = plot.band.width();
    // Bars without a gap are parted by a hair of background, unless too thin to spare it.
    let hair = if plot.band.padding == 0.0 && width > 4.0 { 0.5 } else { 0.0 };
    for (index, (pair, words)) in pairs.iter().zip(words).enumerate() {
        let start = plot.band.start(index);
        for (at, side) in sides.iter().enumerate() {
            let Some(value) = pair.values[at] else { continue };
            let words = &words[at];
            scene.tag("bar", Some(pair.row), || {
                let name = if side.title.is_empty() { &side.key } else { &side.title };
                (Some(side.key.clone()), format!("{}, {name}: {words}", pair.label))
            });
            let (zero, end) = (plot.scales[at].at(0.0), plot.scales[at].at(value));
            let (near, far) = (zero.min(end), zero.max(end));
            let rect = Rect::new(near, start + hair, far, start + width - hair);
            let muted = muting && !pair.highlighted;
            let fill = if muted { side.color.mix(look.background, 0.6) } else { side.color };
            scene.rect(rect, fill);
            let Some(size) = plot.size else { continue };
            let gap = size * 0.35;
            let (x, anchor) = match (at == 0) == (value >= 0.0) {
                true => (near - gap, Anchor::End),
                false => (far + gap, Anchor::Start),
            };
            let y = rect.center().y + CENTER * size;
            let color = look.value_ink;
            scene.text(Text { color, ..look.text(x, y, anchor, size, words) });
        }
    }
    scene.untag();
    for scale in &plot.scales {
        let zero = scale.at(0.0);
        axis::base_line(scene, look, (zero, plot.area.y0), (zero, plot.area.y1));
    }
}

fn describe(
    manner: &Manner,
    pairs: &[Pair],
    (sides, words): (&[Side; 2], &[[String; 2]]),
    scene: &mut Scene,
) {
    let count = pairs.iter().filter(|it| it.sum().is_some()).count();
    scene.desc = format!("{} of {count} {}", manner.name, if count == 1 { "row" } else { "rows" });
    for (at, side) in sides.iter().enumerate() {
        let given = || {
            let rows = pairs.iter().zip(words);
            rows.filter_map(move |(pair, words)| Some((pair.values[at]?, &pair.label, &words[at])))
        };
        let high = given().max_by(|one, two| one.0.total_cmp(&two.0));
        if let Some((_, label, words)) = high {
            let name = if side.title.is_empty() { &side.key } else { &side.title };
            scene.desc.push_str(&format!("; {name} highest at {words} ({label})"));
        }
    }
    scene.desc.push('.');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scene::Form;
    use crate::{Locale, Style, Theme, find_kind};

    /// The bars of records, as (left, right) edges in points.
    fn bars(data: &[Value]) -> Vec<(f64, f64)> {
        let kind = find_kind("butterfly").unwrap();
        let scene = crate::draw(&Chart {
            kind,
            title: "",
            settings: &Value::Null,
            data,
            theme: &Theme::default(),
            style: &Style::default(),
            width: 720.0,
            height: 405.0,
            locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        });
        let rects = scene.shapes.iter().filter_map(|it| match it.form {
            Form::Rect { rect, .. } => Some((rect.x0, rect.x1)),
            _ => None,
        });
        rects.collect()
    }

    #[test]
    fn equal_values_are_equally_long_on_both_sides() {
        let bars = bars(&[json!({"label": "a", "left": 3, "right": 3})]);
        let [left, right] = bars[..] else { panic!("{bars:?}") };
        assert!((left.1 - left.0 - (right.1 - right.0)).abs() < 1e-6 && left.1 < right.0);
        assert!((left.0 + right.1 - 720.0).abs() < 1e-6, "not in the middle: {bars:?}");
    }

    #[test]
    fn values_below_zero_point_to_the_spine() {
        let bars = bars(&[
            json!({"label": "a", "left": 3, "right": 3}),
            json!({"label": "b", "left": -2, "right": -2}),
        ]);
        let [left, right, left_below, right_below] = bars[..] else { panic!("{bars:?}") };
        assert!(left_below.0 >= left.1 - 1e-6 && right_below.1 <= right.0 + 1e-6, "{bars:?}");
        assert!(left_below.1 < right_below.0, "they leave room for the names: {bars:?}");
    }

    #[test]
    fn without_left_and_right_the_first_two_columns_count() {
        assert_eq!(bars(&[json!({"label": "a", "s1": 3, "s2": 1, "s3": 9})]).len(), 2);
    }
}
