//! Dots at their values on thin stems from a common zero line; level or upright.
//!
//! Record: `label`, `value`, `highlighted` (optional flag). A record without a number keeps its
//! place and stays empty. Settings: `orientation` (`horizontal`, `vertical`), `sort`,
//! `showValues`, `showGrid`, `axis`.

use std::borrow::Cow;

use kurbo::Point;

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::color::Color;
use crate::charts::data;
use crate::charts::format::NumberFormat;
use crate::charts::frame;
use crate::charts::frame::Frame;
use crate::charts::frame::bands;
use crate::charts::frame::bands::{Bands, Wish};
use crate::charts::frame::lines;
use crate::charts::kinds::Kind;
use crate::charts::scene::Stroke;

/// The lollipop chart.
pub const KIND: Kind = Kind { slug: "lollipop", draw };

struct Stem<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    words: String,
    color: Color,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let stems = read(chart, frame);
    if stems.iter().all(|it| it.value.is_none()) {
        return frame::no_data(frame, scene);
    }
    describe(&stems, scene);
    let look = &frame.look;
    let upright = chart.word("orientation") == "vertical";
    let length = if upright { frame.area.width() } else { frame.area.height() };
    let step = length / stems.len() as f64;
    let radius = (step * 0.34).clamp(1.0, 6.0 * look.unit);
    let size = label_size(&stems, chart, frame, upright);
    let widest = |negative: bool| {
        let those = stems.iter().filter(|it| it.value.is_some_and(|it| (it < 0.0) == negative));
        size.map_or(0.0, |size| those.map(|it| look.width(&it.words, size)).fold(0.0, f64::max))
    };
    let room = |negative| {
        let label = size.map_or(0.0, |it| bands::label_room(upright, it, widest(negative)));
        label + radius + 1.0
    };
    let names: Vec<Cow<str>> = stems.iter().map(|it| it.label.clone()).collect();
    let all = stems.iter().filter_map(|it| it.value);
    let wish = Wish {
        names: &names,
        upright,
        range: all.fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it))),
        rules: &chart.rules("value"),
        room: (room(true), room(false)),
        // Figures at the dots say more than an axis does; both would say it twice.
        axis: size.is_none() || chart.flag("showGrid", false),
        padding: 0.3,
        most: 2.0 * radius,
    };
    let ground = Bands::new(chart, look, scene, frame.area, &wish);
    ground.base_line(look, scene);
    marks(&stems, &ground, frame, (size, radius), scene);
}

fn read<'a>(chart: &Chart<'a>, frame: &Frame) -> Vec<Stem<'a>> {
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|it| data::number(data::field(it, "value"))).collect();
    let rules = chart.rules("value");
    let format =
        NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.language());
    let highlighted = |it| data::flag(data::field(it, "highlighted"));
    let accented = chart.data.iter().any(highlighted);
    let stem = |row: usize| {
        let record = chart.data.get(row)?;
        let usual = match (accented, highlighted(record)) {
            (false, _) => chart.color(0),
            (true, true) => chart.theme.highlight,
            (true, false) => frame.look.faded(),
        };
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        let value = values.get(row).copied().flatten();
        Some(Stem {
            row,
            label: data::label(record),
            value,
            words: value.map_or(String::new(), |it| format.text(it)),
            color: lines::line_color(own.unwrap_or(usual), &frame.look),
        })
    };
    chart.order(&values).into_iter().filter_map(stem).collect()
}

/// The size at which all value labels fit; none when they do not, or are not wanted.
fn label_size(stems: &[Stem], chart: &Chart, frame: &Frame, upright: bool) -> Option<f64> {
    let (look, area) = (&frame.look, frame.area);
    let step = if upright { area.width() } else { area.height() } / stems.len() as f64;
    let fits = |size: &f64| {
        let widest = stems.iter().map(|it| look.width(&it.words, *size)).fold(0.0, f64::max);
        if upright {
            widest + size * 0.3 <= step && area.height() > size * 7.0
        } else {
            size * 1.1 <= step && widest < area.width() * 0.3
        }
    };
    let wanted = chart.flag("showValues", true);
    [look.label, look.small].into_iter().find(fits).filter(|_| wanted)
}

fn marks(
    stems: &[Stem],
    ground: &Bands,
    frame: &Frame,
    (size, radius): (Option<f64>, f64),
    scene: &mut Scene,
) {
    let look = &frame.look;
    let stroke = (radius * 0.4).clamp(1.0, 2.0 * look.unit);
    for (index, stem) in stems.iter().enumerate() {
        let Some(value) = stem.value else { continue };
        let middle = ground.band.center(index);
        let point = |value: f64| {
            let at = ground.value.at(value);
            if ground.upright { Point::new(middle, at) } else { Point::new(at, middle) }
        };
        scene.tag("point", Some(stem.row), || {
            (Some("value".to_owned()), format!("{}: {}", stem.label, stem.words))
        });
        scene.line(point(0.0), point(value), Stroke::new(stem.color, stroke));
        scene.circle(point(value), radius, stem.color, None);
        if let Some(size) = size {
            // The label stands beyond the dot, not beyond the end of the stem.
            let rect = ground.rect((middle, middle), (0.0, value)).inflate(radius, radius);
            scene.text(ground.end_label(look, rect, value < 0.0, size, &stem.words));
        }
    }
    scene.untag();
}

fn describe(stems: &[Stem], scene: &mut Scene) {
    let given = || stems.iter().filter_map(|it| it.value.map(|value| (value, it)));
    let lowest = given().min_by(|one, two| one.0.total_cmp(&two.0));
    let highest = given().max_by(|one, two| one.0.total_cmp(&two.0));
    if let (Some((_, low)), Some((_, high))) = (lowest, highest) {
        scene.desc = format!(
            "Lollipop chart of {} values, from {} ({}) to {} ({}).",
            given().count(),
            low.words,
            low.label,
            high.words,
            high.label,
        );
    }
}
