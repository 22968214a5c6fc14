//! How many are left at each step, as centred bars, and which share goes on to the next.
//!
//! Record: `label`, `value` (0 or more), `highlighted`. A record without such a number keeps its
//! place and stays empty. Settings: `sort`, `showConversion`, `showValues`, `rulesets`.

use std::borrow::Cow;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::bands;
use crate::frame::category::Rows;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::Band;
use crate::scene::{Anchor, CENTER, Text};

/// The funnel chart.
pub const KIND: Kind = Kind { slug: "funnel", draw };

struct Step<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    words: String,
    /// Share of the step before that came so far, in words.
    share: String,
    color: Color,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let steps = read(chart, frame, scene);
    let largest = steps.iter().filter_map(|it| it.value).reduce(f64::max);
    let Some(largest) = largest else { return frame::no_data(frame, scene) };
    describe(&steps, scene);
    let look = &frame.look;
    let area = frame.area;
    let names: Vec<Cow<str>> = steps.iter().map(|it| it.label.clone()).collect();
    let shares = chart.flag("showConversion", true);
    let step = area.height() / steps.len() as f64;
    // Shares stand between the bars where there is room for a line, else behind the values.
    let between = shares && step * 0.42 >= look.small * 1.4 && steps.len() > 1;
    let band = band(steps.len(), area, between, look);
    let rows = Rows::plan(&names, step, area.width() * 0.32, look);
    rows.draw(scene, look, area.x0, &band);
    let plot = Rect { x0: area.x0 + rows.width, ..area };
    let bar = |index: usize, value: f64| {
        let share = if largest > 0.0 { value / largest } else { 0.0 };
        let half = (plot.width() * share / 2.0).max(0.5);
        let (middle, start) = (plot.center().x, band.start(index));
        Rect::new(middle - half, start, middle + half, start + band.width())
    };
    let bars: Vec<Option<Rect>> =
        steps.iter().enumerate().map(|(index, it)| Some(bar(index, it.value?))).collect();
    // All pieces between the bars lie below all texts.
    for (pair, step) in bars.windows(2).zip(&steps).filter(|_| band.padding > 0.0) {
        if let [Some(upper), Some(lower)] = pair {
            scene.fill(piece(*upper, *lower), pale(step.color, look));
        }
    }
    let fits = |it: &f64| it * 1.1 <= step && it * 0.85 <= band.width();
    let size = [look.label, look.small].into_iter().find(fits);
    for (index, (step, bar)) in steps.iter().zip(&bars).enumerate() {
        let Some(bar) = bar else { continue };
        mark(step, *bar, scene);
        let above =
            index.checked_sub(1).and_then(|it| Some((bars.get(it).copied()??, steps.get(it)?)));
        if let (true, Some((above, from))) = (between, above) {
            share_between(step, above, *bar, pale(from.color, look), look, scene);
        }
        if let Some(size) = size {
            let words = words(chart, step, shares && !between);
            value_label(step, &words, *bar, plot, size, look, scene);
        }
    }
}

/// Where the bars stand; `between` leaves room for shares between them.
fn band(count: usize, area: Rect, between: bool, look: &Look) -> Band {
    let padding = match area.height() / count as f64 {
        _ if between => 0.42,
        // Bars too thin to be told apart form one outline.
        step if step < 4.0 => 0.0,
        _ => 0.24,
    };
    let most = match count {
        1 => 60.0 * look.unit,
        _ if between => f64::MAX,
        _ => 44.0 * look.unit,
    };
    Band { count, range: (area.y0, area.y1), padding, most }
}

/// What stands at a bar: its value, and its share of the step before when that is wanted here.
fn words(chart: &Chart, step: &Step, with_share: bool) -> String {
    let value = if chart.flag("showValues", true) { step.words.as_str() } else { "" };
    match (value, step.share.as_str()) {
        (value, share) if !with_share || share.is_empty() => value.to_owned(),
        ("", share) => share.to_owned(),
        (value, share) => format!("{value} ({share})"),
    }
}

fn read<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<Step<'a>> {
    let all: Vec<Option<f64>> =
        chart.data.iter().map(|it| data::number(data::field(it, "value"))).collect();
    let below = all.iter().flatten().filter(|it| **it < 0.0).count();
    if below > 0 {
        scene.warn(format!("Values below zero are left out: {below}."));
    }
    let values: Vec<Option<f64>> = all.into_iter().map(|it| it.filter(|it| *it >= 0.0)).collect();
    let rules = chart.rules("value");
    let format =
        NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.language());
    let any = chart.data.iter().any(|it| data::flag(data::field(it, "highlighted")));
    let color = |highlighted: bool| match (any, highlighted) {
        (false, _) => chart.color(0),
        (true, true) => chart.theme.highlight,
        (true, false) => frame.look.faded(),
    };
    let mut before: Option<f64> = None;
    let step = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten();
        let share = match (before, value) {
            (Some(before), Some(value)) if before > 0.0 => percent(value / before, chart),
            _ => String::new(),
        };
        before = value;
        let words = value.map_or(String::new(), |it| exact(it, &format, chart));
        let color = color(data::flag(data::field(record, "highlighted")));
        Some(Step { row, label: data::label(record), value, words, share, color })
    };
    chart.order(&values).into_iter().filter_map(step).collect()
}

/// The value in words; one that vanishes beside the others is written in a form of its own.
fn exact(value: f64, format: &NumberFormat, chart: &Chart) -> String {
    let words = format.text(value);
    if value > 0.0 && !words.bytes().any(|it| (b'1'..=b'9').contains(&it)) {
        let own = std::iter::once(value);
        return NumberFormat::for_values(own, &chart.rules("value"), chart.language()).text(value);
    }
    words
}

/// A share in percent; small ones with a decimal.
fn percent(share: f64, chart: &Chart) -> String {
    let percent = share * 100.0;
    if percent > 1e6 {
        return String::new();
    }
    let decimals = usize::from(percent < 9.95);
    let rules = Rules { grouped: true, ..Rules::default() };
    NumberFormat::plain(decimals, &rules, chart.language()).with_percent().text(percent)
}

fn describe(steps: &[Step], scene: &mut Scene) {
    let mut given = steps.iter().filter(|it| it.value.is_some());
    let count = given.clone().count();
    if let (Some(first), Some(last)) = (given.next(), given.next_back()) {
        scene.desc = format!(
            "Funnel of {count} steps, from {} ({}) to {} ({}).",
            first.words, first.label, last.words, last.label
        );
    } else if let Some(only) = steps.iter().find(|it| it.value.is_some()) {
        scene.desc = format!("Funnel of 1 step: {} ({}).", only.words, only.label);
    }
}

fn mark(step: &Step, bar: Rect, scene: &mut Scene) {
    scene.tag("bar", Some(step.row), || {
        let share =
            if step.share.is_empty() { String::new() } else { format!(" ({})", step.share) };
        (Some("value".to_owned()), format!("{}: {}{share}", step.label, step.words))
    });
    scene.rect(bar, step.color);
    scene.untag();
}

fn pale(color: Color, look: &Look) -> Color {
    color.mix(look.background, 0.78)
}

/// The piece that leads from a bar to the next one.
fn piece(upper: Rect, lower: Rect) -> BezPath {
    let mut path = BezPath::new();
    path.move_to((upper.x0, upper.y1));
    path.line_to((upper.x1, upper.y1));
    path.line_to((lower.x1, lower.y0));
    path.line_to((lower.x0, lower.y0));
    path.close_path();
    path
}

/// The share, on the piece between two bars or right of it.
fn share_between(
    step: &Step,
    upper: Rect,
    lower: Rect,
    ground: Color,
    look: &Look,
    scene: &mut Scene,
) {
    let size = if lower.y0 - upper.y1 >= look.label * 1.5 { look.label } else { look.small };
    let (middle, half) = (upper.center().x, f64::midpoint(upper.width(), lower.width()) / 2.0);
    let base = f64::midpoint(upper.y1, lower.y0) + CENTER * size;
    let width = look.width(&step.share, size);
    let inside = width + size < 2.0 * half.min(lower.width().max(upper.width()) / 2.0)
        && width + size * 0.4 < upper.width().min(lower.width()).max(half);
    if inside {
        let set = look.text(middle, base, Anchor::Middle, size, &step.share);
        scene.text(Text { color: look.label_ink.readable_on(ground, 4.5), ..set });
    } else {
        let edge = upper.width().max(lower.width()) / 2.0;
        let set = look.text(middle + edge + size * 0.4, base, Anchor::Start, size, &step.share);
        scene.text(set);
    }
}

/// The value, on the bar or right of it.
fn value_label(
    step: &Step,
    words: &str,
    bar: Rect,
    plot: Rect,
    size: f64,
    look: &Look,
    scene: &mut Scene,
) {
    let width = look.width(words, size);
    let base = bar.center().y + CENTER * size;
    let ink = bands::inner_ink(step.color).filter(|_| width + size * 0.8 <= bar.width());
    if let Some(color) = ink {
        let set = look.text(bar.center().x, base, Anchor::Middle, size, words);
        scene.text(Text { color, ..set });
    } else if bar.x1 + size * 0.4 + width <= plot.x1 {
        let set = look.text(bar.x1 + size * 0.4, base, Anchor::Start, size, words);
        scene.text(Text { color: look.value_ink, ..set });
    }
}
