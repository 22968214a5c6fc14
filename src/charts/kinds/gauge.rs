//! Dials: how far one value has come between a least and a most, and where it should be.
//!
//! Record: `label`, `value`, `min`, `max`, `target`; several records are several dials. Without
//! `min` and `max` a dial runs from zero to a round number, or to 100 percent. Settings: `axis`
//! (`min`, `max` of all dials), `bands` (`to`, `color`), `targetTitle`, `showTarget`, `showRange`,
//! `showValues`.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::f64::consts::PI;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Word;
use crate::frame;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale;
use crate::scene::{ASCENT, Anchor, CENTER, DESCENT, Stroke, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;
use crate::tiles::{Tiles, Wish};

/// The gauge.
pub const KIND: Kind = Kind { slug: "gauge", draw };

/// Thickness of the ring as a share of its radius.
const THICK: f64 = 0.24;
/// More bands than this are not told apart.
const MOST_BANDS: usize = 8;

/// One record.
struct Dial<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: f64,
    range: (f64, f64),
    target: Option<f64>,
    /// Value, both ends, and target with its name.
    words: String,
    ends: (String, String),
    target_words: String,
    fill: Color,
}

/// What every dial of a picture has room for.
struct Plan {
    radius: f64,
    /// Points over the ring, for the target's name.
    above: f64,
    ends: bool,
    label_lines: usize,
    label_size: f64,
    value_size: f64,
    /// Whether marks stand at the targets.
    targets: bool,
    /// Whether the target is named under the dial instead of at its mark.
    below: bool,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dials = read(chart, frame, scene);
    if dials.is_empty() {
        return frame::no_data(frame, scene);
    }
    // What stands at a single dial is as large as other labels.
    let large = Look { small: frame.look.label, ..frame.look.clone() };
    let look = if dials.len() == 1 { &large } else { &frame.look };
    let wish = Wish {
        count: dials.len(),
        least: (look.label * 7.0, look.label * 5.0),
        gap: (look.unit * 20.0, look.unit * 14.0),
        aspect: 1.35,
        columns: None,
    };
    let tiles = Tiles::new(frame.area, look, &wish);
    let shown = dials.get(..tiles.shown).unwrap_or(&dials);
    let plan = plan(chart, shown, tiles.cell(0), look);
    for (index, dial) in shown.iter().enumerate() {
        paint(chart, dial, tiles.cell(index), &plan, look, scene);
    }
    scene.untag();
    tiles::note(frame.area, look, dials.len() - shown.len(), "dial", scene);
    let figure = |it: &Dial| format!("{} {} of {} to {}", it.label, it.words, it.ends.0, it.ends.1);
    let first: Vec<String> = dials.iter().take(6).map(figure).collect();
    let plural = if dials.len() == 1 { "" } else { "s" };
    scene.desc = format!("Gauge of {} value{plural}: {}.", dials.len(), first.join("; "));
}

fn read<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<Dial<'a>> {
    let rules = chart.rules("value");
    let any = chart.data.iter().any(|it| data::flag(data::field(it, "highlighted")));
    let title = if chart.setting("targetTitle").is_string() {
        text::clean(chart.word("targetTitle"))
    } else {
        Cow::Borrowed(chart.language().word(Word::Target))
    };
    let mut beyond = 0;
    let mut dials = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let number = |key: &str| data::number(data::field(record, key));
        let Some(value) = number("value") else { continue };
        let target = number("target");
        let percent = rules.percent || rules.suffix.contains('%');
        let wanted =
            (number("min").or(chart.axis_end("min")), number("max").or(chart.axis_end("max")));
        let range = range(value, target, wanted, percent);
        if value < range.0 || value > range.1 {
            beyond += 1;
        }
        let format =
            |of: &[f64]| NumberFormat::for_values(of.iter().copied(), &rules, chart.language());
        let (own, ends) = (format(&[value]), format(&[range.0, range.1]));
        let highlighted = data::flag(data::field(record, "highlighted"));
        dials.push(Dial {
            row,
            label: data::label(record),
            value,
            range,
            target: target.filter(|it| *it >= range.0 && *it <= range.1),
            words: own.text(value),
            ends: (ends.text(range.0), ends.text(range.1)),
            target_words: target.map_or(String::new(), |it| {
                format!("{title} {}", format(&[it]).text(it)).trim().to_owned()
            }),
            fill: match (any, highlighted) {
                (false, _) => chart.color(0),
                (true, true) => chart.theme.highlight,
                (true, false) => frame.look.faded(),
            },
        });
    }
    if beyond > 0 {
        scene.warn(format!("Values beyond the ends of their dial: {beyond}."));
    }
    dials
}

/// The ends of a dial: those wanted, else zero and a round number beyond value and target.
fn range(
    value: f64,
    target: Option<f64>,
    wanted: (Option<f64>, Option<f64>),
    percent: bool,
) -> (f64, f64) {
    let low = value.min(target.unwrap_or(value)).min(0.0);
    let high = value.max(target.unwrap_or(value)).max(0.0);
    let high = if percent && high <= 100.0 && low >= 0.0 { 100.0 } else { high };
    let high = if high > low { high } else { low + 1.0 };
    let (round, _) = scale::nice(low, high, 4);
    let both = (wanted.0.unwrap_or(round.0), wanted.1.unwrap_or(round.1));
    if both.0 < both.1 { both } else { round }
}

/// Angle of a value on the half circle, clockwise from twelve o'clock.
fn angle(dial: &Dial, value: f64) -> f64 {
    let (low, high) = dial.range;
    // Halved, so that a span wider than any number stays one.
    let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    (share.clamp(0.0, 1.0) - 0.5) * PI
}

/// The largest radius at which everything has room; small parts go first.
fn plan(chart: &Chart, dials: &[Dial], cell: Rect, look: &Look) -> Plan {
    let named = dials.iter().any(|it| !it.label.is_empty());
    let mut targets = chart.flag("showTarget", true) && dials.iter().any(|it| it.target.is_some());
    let mut ends = chart.flag("showRange", true);
    let label_size = if dials.len() == 1 { look.subtitle } else { look.label };
    let long = dials.iter().any(|it| look.width(&it.label, label_size) > cell.width());
    let mut label_lines = if !named {
        0
    } else if long {
        2
    } else {
        1
    };
    let mut radius = 0.0f64;
    let mut above = 0.0;
    // Beside small dials the names of targets would take more room than the dials.
    let large = (cell.width() / 2.0).min(cell.height() * 0.65);
    let narrow = dials.iter().any(|it| beside(it, cell, look) < large * 0.7);
    let mut below = targets && (dials.len() > 1 || narrow);
    for step in 0..4 {
        above = if targets && !below { look.small * 1.5 } else { look.unit * 4.0 };
        let foot = label_lines as f64 * label_size * 1.25
            + if ends { look.small * 1.5 } else { look.small * 0.5 }
            + if below { look.small * 1.3 } else { 0.0 };
        radius = (cell.height() - above - foot).min(cell.width() / 2.0 - look.unit * 4.0);
        if targets && !below {
            radius = dials.iter().map(|it| beside(it, cell, look)).fold(radius, f64::min);
        }
        if radius >= look.label * 3.2 {
            break;
        }
        match step {
            0 => label_lines = label_lines.min(1),
            1 if below => below = false,
            1 => targets = false,
            2 => ends = false,
            _ => {}
        }
        if dials.len() > 1 && !below {
            targets = false;
        }
    }
    let radius = radius.clamp(4.0, look.unit * 420.0);
    let bands = chart.setting("bands").as_array().is_some_and(|it| !it.is_empty());
    let hole = radius * (1.0 - THICK) - if bands { look.unit * 6.0 } else { 0.0 };
    let widest = dials.iter().map(|it| text::width(&it.words, 1.0, Face::Bold)).fold(0.1, f64::max);
    // Its upper corners have to stay clear of the ring.
    let most = (hole * 0.9 / (widest / 2.0).hypot(0.9)).min(hole * 0.52);
    let value_size = if chart.flag("showValues", true) && most >= look.small { most } else { 0.0 };
    // Both ends stand under the ring, so they must not meet.
    let end =
        |it: &Dial| look.width(&it.ends.0, look.small).max(look.width(&it.ends.1, look.small));
    let ends = ends && dials.iter().all(|it| end(it) <= radius * 0.9);
    Plan { radius, above, ends, label_lines, label_size, value_size, targets, below }
}

/// The radius that leaves room beside the ring for the target's name.
fn beside(dial: &Dial, cell: Rect, look: &Look) -> f64 {
    let Some(target) = dial.target else { return f64::INFINITY };
    let aside = angle(dial, target).sin().abs();
    let width = look.width(&dial.target_words, look.small);
    let room = if aside < 0.2 { cell.width() / 2.0 } else { cell.width() / 2.0 - width };
    (room / aside.max(0.2) - look.small * 0.8).max(look.label * 2.0)
}

fn paint(chart: &Chart, dial: &Dial, cell: Rect, plan: &Plan, look: &Look, scene: &mut Scene) {
    let radius = plan.radius;
    let foot = if plan.ends { look.small * 1.5 } else { look.small * 0.5 };
    let names = plan.label_lines as f64 * plan.label_size * 1.25;
    let under = if plan.below { look.small * 1.3 } else { 0.0 };
    let spare = (cell.height() - plan.above - radius - foot - names - under).max(0.0);
    let center = Point::new(cell.center().x, cell.y0 + plan.above + radius + spare * 0.4);
    let radii = (radius, radius * (1.0 - THICK));
    scene.tag("dial", Some(dial.row), || {
        (Some("value".to_owned()), format!("{}: {}", dial.label, dial.words))
    });
    scene.fill(ring::sector(center, radii, (-FRAC_PI_2, FRAC_PI_2)), look.grid);
    let zero = angle(dial, 0.0f64.clamp(dial.range.0, dial.range.1));
    let reached = angle(dial, dial.value);
    if (zero - reached).abs() > 1e-6 {
        let span = (zero.min(reached), zero.max(reached));
        scene.fill(ring::sector(center, radii, span), dial.fill);
    }
    bands(chart, dial, center, radii.1, look, scene);
    if plan.value_size > 0.0 {
        let size = plan.value_size;
        let width = text::width(&dial.words, size, Face::Bold);
        // Below the ring stands the name, which large figures must not reach down to.
        let base = center.y - (size * 0.06).max(size * DESCENT - foot);
        let set = look.text(center.x, base, Anchor::Middle, size, &dial.words);
        scene.text(Text { face: Face::Bold, width, color: look.ink, ..set });
    }
    if plan.ends {
        let inset = radius * (1.0 - THICK / 2.0);
        let base = center.y + look.small * (0.35 + ASCENT);
        for (words, x) in [(&dial.ends.0, center.x - inset), (&dial.ends.1, center.x + inset)] {
            let half = look.width(words, look.small) / 2.0;
            let x = x.clamp(cell.x0 + half, (cell.x1 - half).max(cell.x0 + half));
            let set = look.text(x, base, Anchor::Middle, look.small, words);
            scene.text(Text { color: look.muted, ..set });
        }
    }
    if let (true, Some(target)) = (plan.targets, dial.target) {
        mark(angle(dial, target), (center, radii), look, scene);
        if !plan.below {
            mark_name(dial, angle(dial, target), (center, radii.0), cell, look, scene);
        }
    }
    name(dial, (center.x, center.y + foot), cell, plan, look, scene);
}

/// Thin bands within the ring, each up to a value, in colours that stand for its meaning.
fn bands(chart: &Chart, dial: &Dial, center: Point, hole: f64, look: &Look, scene: &mut Scene) {
    let Some(list) = chart.setting("bands").as_array() else { return };
    let read = |it: &serde_json::Value| {
        Some((data::number(&it["to"])?, it["color"].as_str().and_then(Color::parse)))
    };
    let bands: Vec<_> = list.iter().take(MOST_BANDS).filter_map(read).collect();
    let mut from = -FRAC_PI_2;
    for (index, (to, color)) in bands.iter().enumerate() {
        let end = angle(dial, *to);
        if end - from < 1e-6 {
            continue;
        }
        let share = index as f64 / (bands.len() - 1).max(1) as f64;
        let usual = chart.theme.highlight.mix(chart.color(0), share);
        let radii = (hole - look.unit * 2.0, (hole - look.unit * 6.0).max(0.0));
        if radii.0 > radii.1 {
            scene.fill(ring::sector(center, radii, (from, end)), color.unwrap_or(usual));
        }
        from = end;
    }
}

/// A stroke across the ring at the target.
fn mark(angle: f64, (center, radii): (Point, (f64, f64)), look: &Look, scene: &mut Scene) {
    let beyond = (radii.0 * 0.06).min(look.unit * 3.0);
    let (from, to) =
        (ring::at(center, radii.1 - beyond, angle), ring::at(center, radii.0 + beyond, angle));
    let width = (radii.0 * 0.03).clamp(1.25, 2.0 * look.unit);
    scene.line(from, to, Stroke::new(look.background, width * 2.5));
    scene.line(from, to, Stroke::new(look.ink, width));
}

/// The target's name outside the ring.
fn mark_name(
    dial: &Dial,
    angle: f64,
    (center, radius): (Point, f64),
    cell: Rect,
    look: &Look,
    scene: &mut Scene,
) {
    let size = look.small;
    let end = ring::at(center, radius + look.unit * 3.0 + size * (0.3 + 0.15 * angle.cos()), angle);
    let side = angle.sin();
    let anchor = match side {
        it if it < -0.2 => Anchor::End,
        it if it > 0.2 => Anchor::Start,
        _ => Anchor::Middle,
    };
    let room = match anchor {
        Anchor::End => end.x - cell.x0,
        Anchor::Start => cell.x1 - end.x,
        Anchor::Middle => cell.width(),
    };
    let words = text::fit(&dial.target_words, room, size, look.face());
    // Over the top of the ring the name stands on the mark, at its sides beside it.
    let base = (end.y + CENTER * size * (1.0 - angle.cos())).min(center.y);
    scene.text(Text { color: look.value_ink, ..look.text(end.x, base, anchor, size, &words) });
}

fn name(
    dial: &Dial,
    (x, top): (f64, f64),
    cell: Rect,
    plan: &Plan,
    look: &Look,
    scene: &mut Scene,
) {
    let size = plan.label_size;
    let lines = text::wrap(&dial.label, cell.width(), plan.label_lines, size, look.face());
    for (index, line) in lines.iter().enumerate() {
        let base = top + size * (0.2 + ASCENT) + index as f64 * size * 1.25;
        let full = line.ends_with('…').then(|| dial.label.clone().into_owned());
        scene.text(Text { full, ..look.text(x, base, Anchor::Middle, size, line) });
    }
    if plan.below && dial.target.is_some() {
        let base = top + lines.len() as f64 * size * 1.25 + look.small * (0.2 + ASCENT);
        let words = text::fit(&dial.target_words, cell.width(), look.small, look.face());
        let set = look.text(x, base, Anchor::Middle, look.small, &words);
        scene.text(Text { color: look.muted, ..set });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dial_without_ends_gets_round_ones() {
        assert_eq!(range(73.0, None, (None, None), true), (0.0, 100.0));
        assert_eq!(range(730.0, Some(800.0), (None, None), false), (0.0, 800.0));
        assert_eq!(
            range(5.0, None, (Some(9.0), Some(1.0)), false),
            range(5.0, None, (None, None), false)
        );
        let (low, high) = range(-12.0, None, (None, None), false);
        assert!(low <= -12.0 && high == 0.0, "{low} {high}");
    }
}
