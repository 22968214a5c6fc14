//! A value against its target on bands of quality, one row a measure.
//!
//! Record: `label`, `value`, `target`, `band1` to `band3` (upper ends of poor, fair and good),
//! `unit` (optional, written behind the value), `highlighted` (optional flag). Settings: `scale`
//! (`common`, `own`: every row fills the width), `valueTitle`, `targetTitle`, `bandTitles`,
//! `showValues`, `showLegend`, `showGrid`, `axis`.

use std::borrow::Cow;

use kurbo::{Point, Rect};
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Word;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::category::Rows;
use crate::frame::legend;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::{Band, Linear};
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The bullet chart.
pub const KIND: Kind = Kind { slug: "bullet", draw };

/// Columns of the bands, from the lowest up.
const BANDS: [&str; 3] = ["band1", "band2", "band3"];
/// How far the tints of the bands stand from the muted ink towards the ground.
const TINTS: [f64; 3] = [0.52, 0.68, 0.8];

/// A record as it is drawn.
struct Measure<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    target: Option<f64>,
    /// Rising upper ends of the bands.
    bands: Vec<f64>,
    words: String,
    highlighted: bool,
}

impl Measure<'_> {
    fn numbers(&self) -> impl Iterator<Item = f64> + Clone {
        self.value.into_iter().chain(self.target).chain(self.bands.iter().copied())
    }

    /// Lowest and highest number, zero included.
    fn range(&self) -> (f64, f64) {
        self.numbers().fold((0.0, 0.0), |(low, high), it| (low.min(it), high.max(it)))
    }
}

struct Plot {
    area: Rect,
    band: Band,
    /// The right edge of the values; none when they have no room.
    values: Option<f64>,
    /// Whether each row has a scale of its own, and whether there is room to label it.
    own: Option<bool>,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let measures = read(chart);
    if measures.iter().all(|it| it.value.is_none() && it.target.is_none()) {
        return frame::no_data(frame, scene);
    }
    describe(&measures, scene);
    let look = &frame.look;
    let mut area = frame.area;
    if chart.flag("showLegend", true) {
        area = explain(chart, &measures, look, area, scene);
    }
    area.y0 += axis::title(chart, look, scene, area);
    let plot = layout(&measures, chart, look, area, scene);
    let all = measures.iter().map(Measure::range);
    let all = all.fold((0.0, 0.0), |one: (f64, f64), two| (one.0.min(two.0), one.1.max(two.1)));
    let lengths = (plot.area.width(), axis::column_spacing(look));
    let values =
        |range| Values::new(chart, look, range, Zero::Always, lengths, &chart.rules("value"));
    let line = |domain| Linear { domain, range: (plot.area.x0, plot.area.x1) };
    let common = values(all);
    if plot.own.is_none() && chart.flag("showGrid", true) {
        common.draw_bottom(scene, look, plot.area, &line(common.domain));
    }
    let any_highlighted = measures.iter().any(|it| it.highlighted);
    for (index, measure) in measures.iter().enumerate() {
        let start = plot.band.start(index);
        let bottom = start + plot.band.width();
        let row = Rect { y0: start, y1: bottom, ..plot.area };
        let scale = match plot.own {
            None => line(common.domain),
            Some(labelled) => {
                let own = ended(values(measure.range()), measure.range());
                let scale = line(own.domain);
                if labelled {
                    let ticks = Rect { y0: bottom, y1: bottom + 2.0 * look.unit, ..plot.area };
                    own.draw_bottom(scene, look, ticks, &scale);
                }
                scale
            }
        };
        let fill = fill(chart, any_highlighted, measure, look);
        mark(measure, (row, &scale, fill), look, scene);
        label(measure, row, plot.values, look, scene);
    }
}

/// An axis that ends with its data, so that all rows are equally long.
fn ended(mut values: Values, (low, high): (f64, f64)) -> Values {
    if low < high {
        let labels = values.ticks.values.iter().zip(values.labels);
        let kept = labels.filter(|it| (low..=high).contains(it.0)).map(|it| it.1).collect();
        values.labels = kept;
        values.ticks.values.retain(|it| (low..=high).contains(it));
        values.domain = (low, high);
    }
    values
}

fn read<'a>(chart: &Chart<'a>) -> Vec<Measure<'a>> {
    let all = chart.data.iter().filter_map(|it| data::number(data::field(it, "value")));
    let rules = chart.rules("value");
    let common = NumberFormat::for_values(all, &rules, chart.language());
    let own = chart.word("scale") == "own";
    let measure = |(row, record): (usize, &'a Value)| {
        let number = |key: &str| data::number(data::field(record, key));
        let value = number("value");
        let unit = data::words(data::field(record, "unit"));
        let words = value.map_or(String::new(), |it| {
            // Figures with units of their own have little to do with each other.
            let own = (own || !unit.is_empty())
                .then(|| NumberFormat::for_values([it].into_iter(), &rules, chart.language()));
            format!("{}{}", own.as_ref().unwrap_or(&common).text(it), spaced(&unit))
        });
        let mut bands: Vec<f64> = BANDS.iter().filter_map(|it| number(it)).collect();
        bands.sort_by(f64::total_cmp);
        Measure {
            row,
            label: data::label(record),
            value,
            target: number("target"),
            bands,
            words,
            highlighted: data::flag(data::field(record, "highlighted")),
        }
    };
    chart.data.iter().enumerate().map(measure).collect()
}

/// A unit as it follows a number: set off, unless it is a sign.
fn spaced(unit: &str) -> Cow<'_, str> {
    if unit.is_empty() || unit.starts_with(['%', '°', '′', '″']) {
        Cow::Borrowed(unit)
    } else {
        Cow::Owned(format!("\u{a0}{unit}"))
    }
}

fn tint(look: &Look, index: usize, count: usize) -> Color {
    let at = TINTS.len().saturating_sub(count) + index;
    look.muted.mix(look.background, TINTS.get(at).copied().unwrap_or(0.8))
}

/// Highlighted rows take the accent, the others step back.
fn fill(chart: &Chart, any_highlighted: bool, measure: &Measure, look: &Look) -> Color {
    match (any_highlighted, measure.highlighted) {
        (false, _) => chart.color(0),
        (true, true) => chart.theme.highlight,
        (true, false) => look.muted,
    }
}

/// Says what bar, line and bands mean.
fn explain(
    chart: &Chart,
    measures: &[Measure],
    look: &Look,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let named = |key: &str, usual: Word| {
        let own = text::clean(chart.word(key)).into_owned();
        if own.is_empty() { look.locale.word(usual).to_owned() } else { own }
    };
    let any = measures.iter().any(|it| it.highlighted);
    let bar = if any { look.muted } else { chart.color(0) };
    let mut entries = vec![(named("valueTitle", Word::Value), bar)];
    if measures.iter().any(|it| it.target.is_some()) {
        entries.push((named("targetTitle", Word::Target), look.ink));
    }
    let count = measures.iter().map(|it| it.bands.len()).max().unwrap_or(0);
    let titles = chart.setting("bandTitles").as_array().map_or(&[][..], |it| it.as_slice());
    for (index, title) in titles.iter().take(count).enumerate() {
        let title = data::words(title);
        if !title.is_empty() {
            entries.push((title.into_owned(), tint(look, index, count)));
        }
    }
    legend::draw(scene, look, area, entries.iter().map(|it| (&*it.0, it.1)))
}

fn layout(
    measures: &[Measure],
    chart: &Chart,
    look: &Look,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    let own = chart.word("scale") == "own";
    let below = Values::height(look) + 2.0 * look.unit;
    let step = area.height() / measures.len().max(1) as f64;
    let labelled = chart.flag("showGrid", true) && step >= below + look.label * 1.8;
    let mut padding = if measures.len() > 60 { 0.1 } else { 0.4 };
    let mut range = (area.y0, area.y1);
    if own && labelled {
        // Boxes move up to leave room for the labels of their scales.
        padding = (below + 10.0 * look.unit) / step;
        range = (area.y0 - below / 2.0, area.y1 - below / 2.0);
    } else if !own && chart.flag("showGrid", true) {
        area.y1 = (area.y1 - Values::height(look)).max(area.y0 + 1.0);
        range.1 = area.y1;
    }
    let band = Band { count: measures.len(), range, padding, most: 34.0 * look.unit };
    let names: Vec<Cow<str>> = measures.iter().map(|it| it.label.clone()).collect();
    let rows = Rows::plan(&names, band.step(), area.width() * 0.3, look);
    let widths = measures.iter().map(|it| text::width(&it.words, look.label, Face::Bold));
    let widest = widths.fold(0.0, f64::max) + 10.0 * look.unit;
    let fits = widest <= area.width() * 0.25 && band.step() >= look.label * 1.1;
    let values = (fits && chart.flag("showValues", true)).then_some(area.x1);
    let left = area.x0 + rows.width;
    let right = area.x1 - if values.is_some() { widest } else { 0.0 };
    rows.draw(scene, look, area.x0, &band);
    let area = Rect::new(left, area.y0, right.max(left + 1.0), area.y1);
    Plot { area, band, values, own: own.then_some(labelled) }
}

/// Draws bands, bar and target of a row.
fn mark(
    measure: &Measure,
    (row, scale, fill): (Rect, &Linear, Color),
    look: &Look,
    scene: &mut Scene,
) {
    let height = row.height();
    let count = measure.bands.len();
    let mut from = row.x0;
    for (index, end) in measure.bands.iter().enumerate() {
        let to = scale.at(*end);
        scene.rect(Rect { x0: from, x1: to, ..row }, tint(look, index, count));
        from = to.max(from);
    }
    if count == 0 {
        scene.rect(row, tint(look, 0, 1));
    }
    scene.tag("bar", Some(measure.row), || {
        (Some("value".to_owned()), format!("{}: {}", measure.label, measure.words))
    });
    if let Some(value) = measure.value {
        let (zero, end) = (scale.at(0.0), scale.at(value));
        let inset = height * 0.31;
        scene.rect(Rect::new(zero.min(end), row.y0 + inset, zero.max(end), row.y1 - inset), fill);
    }
    if let Some(target) = measure.target {
        let (at, inset) = (scale.at(target), height * 0.12);
        let half = (height * 0.06).clamp(0.5, 1.5 * look.unit);
        // A target at the end of the scale stays within the row.
        let at = at.clamp(row.x0 + half, (row.x1 - half).max(row.x0 + half));
        scene.rect(Rect::new(at - half, row.y0 + inset, at + half, row.y1 - inset), look.ink);
    }
    scene.untag();
    let zero = scale.at(0.0);
    let stroke = Stroke::new(look.axis, 1.0);
    scene.line(Point::new(zero, row.y0), Point::new(zero, row.y1), stroke);
}

/// Writes the value at the right edge, level with its row.
fn label(measure: &Measure, row: Rect, edge: Option<f64>, look: &Look, scene: &mut Scene) {
    let Some(x) = edge else { return };
    let size = look.label;
    let set = look.text(x, row.center().y + CENTER * size, Anchor::End, size, &measure.words);
    let width = text::width(&measure.words, size, Face::Bold);
    scene.text(Text { face: Face::Bold, width, color: look.ink, ..set });
}

fn describe(measures: &[Measure], scene: &mut Scene) {
    let mut given = measures.iter().filter(|it| it.value.is_some());
    scene.desc = format!("Bullet chart of {} values", given.clone().count());
    if let (Some(first), Some(last)) = (given.next(), given.next_back()) {
        scene.desc.push_str(&format!(
            ", from {} ({}) to {} ({})",
            first.label, first.words, last.label, last.words
        ));
    }
    let aims = measures.iter().filter_map(|it| Some((it.value?, it.target?)));
    let all = aims.clone().count();
    if all > 0 {
        let reached = aims.filter(|(value, target)| value >= target).count();
        scene.desc.push_str(&format!("; {reached} of {all} are at or above their target"));
    }
    scene.desc.push('.');
}
