//! Bars, one a record, on a common zero line; level or upright.
//!
//! Record: `label`, `value`, `highlighted` (optional flag). A record without a number keeps its
//! place and stays empty. Settings: `orientation` (`horizontal`, `vertical`), `benchmark`, `sort`,
//! `showValues`, `showGrid`, `axis`.

use std::borrow::Cow;

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::color::Color;
use crate::charts::data;
use crate::charts::format::NumberFormat;
use crate::charts::frame;
use crate::charts::frame::Frame;
use crate::charts::frame::bands;
use crate::charts::frame::bands::{Bands, Wish};
use crate::charts::kinds::Kind;

pub const KIND: Kind = Kind { slug: "bar", draw };

struct Bar<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    words: String,
    color: Color,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let bars = read(chart, frame);
    if bars.iter().all(|it| it.value.is_none()) {
        return frame::no_data(frame, scene);
    }
    describe(&bars, scene);
    let look = &frame.look;
    let upright = chart.word("orientation") == "vertical";
    let size = label_size(&bars, chart, frame, upright);
    let width = |it: &Bar| size.map_or(0.0, |size| look.width(&it.words, size));
    let widest = |negative: bool| {
        let those = bars.iter().filter(|it| it.value.is_some_and(|it| (it < 0.0) == negative));
        those.map(width).fold(0.0, f64::max)
    };
    let room =
        |negative| size.map_or(0.0, |size| bands::label_room(upright, size, widest(negative)));
    let names: Vec<Cow<str>> = bars.iter().map(|it| it.label.clone()).collect();
    let all = bars.iter().filter_map(|it| it.value).chain(chart.number("benchmark"));
    let wish = Wish {
        names: &names,
        upright,
        range: all.fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it))),
        rules: &chart.rules("value"),
        room: (room(true), room(false)),
        // Figures at the bars say more than an axis does; both would say it twice.
        axis: size.is_none() || chart.flag("showGrid", false),
        padding: if bars.len() > 60 { 0.1 } else { 0.3 },
        most: if upright { 72.0 } else { 44.0 } * look.unit,
    };
    let ground = Bands::new(chart, look, scene, frame.area, &wish);
    marks(&bars, &ground, frame, size, scene);
    ground.base_line(look, scene);
    if let Some(value) = chart.number("benchmark") {
        ground.benchmark(look, scene, value);
    }
}

fn read<'a>(chart: &Chart<'a>, frame: &Frame) -> Vec<Bar<'a>> {
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|it| data::number(data::field(it, "value"))).collect();
    let rules = chart.rules("value");
    let format =
        NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.language());
    let any_highlighted = chart.data.iter().any(|it| data::flag(data::field(it, "highlighted")));
    let usual = |row: usize| match (any_highlighted, data::flag(&chart.data[row]["highlighted"])) {
        (false, _) => chart.color(0),
        (true, true) => chart.theme.highlight,
        (true, false) => frame.look.faded(),
    };
    let bar = |row: usize| Bar {
        row,
        label: data::label(&chart.data[row]),
        value: values[row],
        words: values[row].map_or(String::new(), |it| format.text(it)),
        color: chart.data[row]["color"]
            .as_str()
            .and_then(Color::parse)
            .unwrap_or_else(|| usual(row)),
    };
    chart.order(&values).into_iter().map(bar).collect()
}

/// The size at which all value labels fit; none when they do not, or are not wanted.
fn label_size(bars: &[Bar], chart: &Chart, frame: &Frame, upright: bool) -> Option<f64> {
    let look = &frame.look;
    let step = if upright { frame.area.width() } else { frame.area.height() } / bars.len() as f64;
    let fits = |size: &f64| {
        let widest = bars.iter().map(|it| look.width(&it.words, *size)).fold(0.0, f64::max);
        if upright {
            widest + size * 0.3 <= step && frame.area.height() > size * 7.0
        } else {
            size * 1.1 <= step && widest < frame.area.width() * 0.3
        }
    };
    let wanted = chart.flag("showValues", true);
    [look.label, look.small].into_iter().find(fits).filter(|_| wanted)
}

fn describe(bars: &[Bar], scene: &mut Scene) {
    let given = || bars.iter().filter_map(|it| it.value.map(|value| (value, it)));
    let lowest = given().min_by(|one, two| one.0.total_cmp(&two.0));
    let highest = given().max_by(|one, two| one.0.total_cmp(&two.0));
    if let (Some((_, low)), Some((_, high))) = (lowest, highest) {
        scene.desc = format!(
            "Bar chart of {} values, from {} ({}) to {} ({}).",
            given().count(),
            low.words,
            low.label,
            high.words,
            high.label,
        );
    }
}

fn marks(bars: &[Bar], ground: &Bands, frame: &Frame, size: Option<f64>, scene: &mut Scene) {
    for (index, bar) in bars.iter().enumerate() {
        let Some(value) = bar.value else { continue };
        scene.tag("bar", Some(bar.row), || {
            (Some("value".to_owned()), format!("{}: {}", bar.label, bar.words))
        });
        let start = ground.band.start(index);
        let rect = ground.rect((start, start + ground.band.width()), (0.0, value));
        scene.rect(rect, bar.color);
        if let Some(size) = size {
            scene.text(ground.end_label(&frame.look, rect, value < 0.0, size, &bar.words));
        }
    }
    scene.untag();
}
