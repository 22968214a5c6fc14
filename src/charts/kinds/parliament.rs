//! Seats as dots in arcs, one colour a party, from left to right in the order of the data.
//!
//! Record: `label`, `seats` (or `value`; whole numbers over 0), `color`, `highlighted`. Settings:
//! `sort`, `otherAfter`, `showValues`, `showPercentages`, `showTotal`, `centerLabel`,
//! `showMajority`, `majority` (0 is more than half).

use std::f64::consts::PI;

use kurbo::{Point, Vec2};

use crate::Chart;
use crate::Scene;
use crate::format::Term;
use crate::format::{FormatRules, NumberFormat};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scene::Stroke;
use crate::slices;
use crate::slices::labels;
use crate::slices::{CircleExtent, Slice};
use crate::text;

/// The parliament chart.
pub const KIND: Kind = Kind { slug: "parliament", draw };

/// More dots than this are no seats any more: each then stands for several.
const MOST_DOTS: f64 = 900.0;
/// More parties than this are not told apart: the smallest are joined.
const MOST_PARTIES: usize = 24;
/// Radius of the free middle as a share of the outer one.
const HOLE: f64 = 0.42;
/// Largest distance of two arcs as a share of the outer radius, for small bodies.
const WIDEST_STEP: f64 = 0.13;

/// A place in the room: its angle from the left end, its middle and the radius of its dot.
struct Seat {
    angle: f64,
    row: usize,
    at: Point,
    radius: f64,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let key = if chart.data.iter().any(|it| !it["seats"].is_null()) { "seats" } else { "value" };
    let mut parties = slices::read_slices(chart, key, false, MOST_PARTIES, scene);
    for party in &mut parties {
        party.value = party.value.round();
    }
    parties.retain(|it| it.value >= 1.0);
    if parties.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let total: f64 = parties.iter().map(|it| it.value).sum();
    slices::assign_angles(&mut parties, total, -PI / 2.0, PI);
    slices::assign_colors(chart, style, &mut parties);
    let numbers = name(chart, key, &mut parties);
    let layout = labels::layout_labels(&parties, frame.area, style, CircleExtent::Half);
    if layout.omitted > 0 {
        scene.warn(format!("Parties without room for a name: {}.", layout.omitted));
    }
    let majority = majority(chart, total);
    if let Some(needed) = majority {
        // More than half is a line in the middle.
        let own = chart.number_setting("majority").is_some_and(|it| it > 0.0);
        mark(if own { needed / total } else { 0.5 }, layout.center, layout.radius, style, scene);
    }
    let unit = seats_a_dot(total);
    let dots: Vec<usize> = parties.iter().map(|it| (it.value / unit).round() as usize).collect();
    let room = seats(dots.iter().sum(), layout.center, layout.radius);
    let mut next = room.iter();
    for (party, count) in parties.iter().zip(dots) {
        scene.begin_mark("seat", party.row, || {
            (Some(key.to_owned()), format!("{}: {}", party.label, party.detail))
        });
        for seat in next.by_ref().take(count) {
            scene.circle(seat.at, seat.radius, party.fill, None);
        }
    }
    scene.end_mark();
    labels::draw(&layout, &parties, frame.area, style, scene);
    middle(chart, (total, majority, unit), &numbers, (layout.center, layout.radius), style, scene);
    describe(&parties, &numbers, total, scene);
}

/// How many seats a dot stands for: 1, 2 or 5 times a power of ten.
fn seats_a_dot(total: f64) -> f64 {
    let rough = total / MOST_DOTS;
    if rough <= 1.0 {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    factors.iter().map(|it| it * power).find(|it| *it >= rough).unwrap_or(rough)
}

/// Puts seats and shares into words; returns the format of seats.
fn name(chart: &Chart, key: &str, parties: &mut [Slice]) -> NumberFormat {
    let values: Vec<f64> = parties.iter().map(|it| it.value).collect();
    let locale = chart.locale();
    let numbers =
        NumberFormat::for_values(values.iter().copied(), &chart.format_rules(key), locale);
    let percent = NumberFormat::plain(1, &FormatRules::default(), locale).with_percent();
    let with_values = chart.bool_setting("showValues", true);
    let with_shares = chart.bool_setting("showPercentages", false);
    for (party, share) in parties.iter_mut().zip(percentages::rounded_percentages(&values, 1)) {
        let (seats, share) = (numbers.text(party.value), percent.text(share));
        (party.short_text, party.detail) = match (with_values, with_shares) {
            (true, true) => (seats.clone(), format!("{seats} · {share}")),
            (true, false) => (seats.clone(), seats),
            (false, true) => (share.clone(), share),
            (false, false) => (String::new(), String::new()),
        };
    }
    numbers
}

/// As many arcs as hold the dots at an even distance, each with dots by its length; from left to
/// right, and from the outer arc inwards at one angle.
fn seats(count: usize, center: Point, radius: f64) -> Vec<Seat> {
    let step = |rows: usize| (radius * (1.0 - HOLE) / rows as f64).min(radius * WIDEST_STEP);
    let radii = |rows: usize| {
        let step = step(rows);
        (0..rows).map(move |row| radius - step * (row as f64 + 0.5))
    };
    let holds = |rows: &usize| {
        let step = step(*rows).max(1e-9);
        radii(*rows).map(|it| (PI * it / step).floor() + 1.0).sum::<f64>() >= count as f64
    };
    let rows = (1..60).find(holds).unwrap_or(60);
    let length: f64 = radii(rows).sum();
    let (mut before, mut given) = (0.0, 0);
    let mut seats = Vec::with_capacity(count);
    for (row, arc) in radii(rows).enumerate() {
        before += arc;
        let until = (before / length.max(1e-9) * count as f64).round() as usize;
        let here = until.clamp(given, count) - given;
        given += here;
        let apart = if here > 1 { PI / (here - 1) as f64 } else { PI };
        let dot = step(rows).min(apart * arc) * 0.43;
        for place in 0..here {
            let angle = if here > 1 { apart * place as f64 } else { PI / 2.0 };
            let at = center - Vec2::new(angle.cos(), angle.sin()) * arc;
            seats.push(Seat { angle, row, at, radius: dot });
        }
    }
    seats.sort_by(|one, two| one.angle.total_cmp(&two.angle).then(one.row.cmp(&two.row)));
    seats
}

/// The seats needed to decide, when they are to be shown.
fn majority(chart: &Chart, total: f64) -> Option<f64> {
    let wanted = chart.number_setting("majority").filter(|it| *it > 0.0);
    let needed = wanted.unwrap_or((total / 2.0).floor() + 1.0);
    (chart.bool_setting("showMajority", true) && needed <= total && total > 1.0).then_some(needed)
}

/// A line behind which a majority is reached; the dots stand on it.
fn mark(share: f64, center: Point, radius: f64, style: &ChartStyle, scene: &mut Scene) {
    let towards = Vec2::new((PI * share).cos(), (PI * share).sin());
    let (from, to) = (center - towards * radius * (HOLE - 0.1), center - towards * (radius + 7.0));
    scene.line(from, to, Stroke::new(style.text_color, 1.25 * style.unit));
}

/// Total, its name, and what a majority needs, under the arcs.
fn middle(
    chart: &Chart,
    (total, majority, unit): (f64, Option<f64>, f64),
    numbers: &NumberFormat,
    (center, radius): (Point, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let with_total = chart.bool_setting("showTotal", true);
    let figure = if with_total { numbers.text(total) } else { String::new() };
    let label = text::sanitize(chart.str_setting("centerLabel"));
    let needed = majority
        .map(|it| format!("{} {}", style.locale.translate(Term::Majority), numbers.text(it)));
    let stands = (unit > 1.0)
        .then(|| format!("{} {}", style.locale.translate(Term::OneDot), numbers.text(unit)));
    if unit > 1.0 {
        scene.warn(format!("Each dot stands for {} seats.", numbers.text(unit)));
    }
    let second = stands.or(needed).unwrap_or_default();
    let both = [label.as_ref(), second.as_str()].map(str::trim);
    let both: Vec<&str> = both.into_iter().filter(|it| !it.is_empty()).collect();
    // The most that has room in a line.
    let hole = radius * HOLE;
    let words = [both.join(", "), second, label.into_owned()];
    let fits = |it: &&String| style.text_width(it, style.label_size) < hole * 1.15;
    let words = words.iter().find(fits).map_or("", String::as_str);
    slices::draw_center_text(&figure, words, style, (center, hole), CircleExtent::Half, scene);
}

fn describe(parties: &[Slice], numbers: &NumberFormat, total: f64, scene: &mut Scene) {
    let most = parties.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    if let Some(most) = most {
        scene.description = format!(
            "Parliament chart of {} seats for {} parties. Largest: {} with {}.",
            numbers.text(total),
            parties.len(),
            most.label,
            numbers.text(most.value),
        );
    }
}
