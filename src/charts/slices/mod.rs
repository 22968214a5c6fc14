//! Slices of a circle or half of one, for all kinds that show shares round a middle: reading,
//! sorting, drawing, naming.

pub mod labels;
mod middle;
pub mod spread;

use std::f64::consts::TAU;

use kurbo::{Arc, BezPath, Point, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Word;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::{Frame, Look};
use crate::scene::{Form, Stroke};
use crate::text;

pub use middle::figure;

/// How far an arc's curves may be off the circle, in points; a hundredth is never seen.
const TOLERANCE: f64 = 0.01;

/// More slices than this are hairlines that nobody tells apart: the smallest are joined.
const MOST_SLICES: usize = 40;

/// A share of the whole.
pub struct Slice {
    /// Place of its record; none when it joins several.
    pub row: Option<usize>,
    /// Name.
    pub label: String,
    /// Amount, over 0.
    pub value: f64,
    /// Whether it is to stand out.
    pub highlighted: bool,
    /// Begin and end in radians, clockwise from twelve o'clock.
    pub span: (f64, f64),
    /// Direction of its label, one long: its middle, or rightwards when it is nearly the circle.
    pub towards: Vec2,
    /// Share of the whole in words; empty when it is not wanted.
    pub share: String,
    /// Value and share in words, as far as wanted.
    pub detail: String,
    /// Colour.
    pub fill: Color,
}

/// How much of the circle the slices fill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it, from twelve o'clock.
    Full,
    /// The upper half, from nine to three o'clock.
    Half,
}

/// Draws the slices of a chart. `hole` is the radius of the hole as a share of the outer one;
/// 0 draws a pie.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene, extent: Extent, hole: f64) {
    let mut slices = read(chart, "value", (chart.setting("sort").is_null(), MOST_SLICES), scene);
    if slices.is_empty() {
        frame::no_data(frame, scene);
        return;
    }
    let total: f64 = slices.iter().map(|it| it.value).sum();
    match extent {
        Extent::Full => {
            let start = chart.number("startAngle").unwrap_or(0.0).rem_euclid(360.0).to_radians();
            turn(&mut slices, total, start, TAU);
        }
        Extent::Half => turn(&mut slices, total, -TAU / 4.0, TAU / 2.0),
    }
    name(chart, &mut slices);
    paint(chart, &frame.look, &mut slices);
    let layout = labels::arrange(&slices, frame.area, &frame.look, extent);
    if layout.dropped > 0 {
        scene.warn(format!("Slices too small to be named: {}.", layout.dropped));
    }
    let hole = if layout.radius < 8.0 { 0.0 } else { hole * layout.radius };
    for slice in &slices {
        scene.tag("slice", slice.row, || {
            (Some("value".to_owned()), format!("{}: {}", slice.label, slice.detail))
        });
        let radii = (layout.radius, hole);
        wedge(slice.span, slice.fill, layout.center, radii, frame.look.background, scene);
    }
    scene.untag();
    labels::draw(&layout, &slices, frame.area, &frame.look, scene);
    if hole > 0.0 {
        middle(chart, &frame.look, (layout.center, hole), extent, total, scene);
    }
    describe(chart, &slices, scene);
}

/// The records over zero in a column, in drawing order or the largest first. The smallest are joined
/// when settings ask for it, or when there are more than `most`.
pub fn read(
    chart: &Chart,
    key: &str,
    (largest_first, most): (bool, usize),
    scene: &mut Scene,
) -> Vec<Slice> {
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|it| data::number(&it[key]).filter(|it| *it > 0.0)).collect();
    let below = chart.data.iter().filter_map(|it| data::number(&it[key])).filter(|it| *it < 0.0);
    let below = below.count();
    if below > 0 {
        scene.warn(format!("Records below zero, which have no share: {below}."));
    }
    let order = if largest_first {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|one, two| {
            values[*two].unwrap_or(0.0).total_cmp(&values[*one].unwrap_or(0.0))
        });
        order
    } else {
        chart.order(&values)
    };
    let slice = |row: usize| {
        let record = &chart.data[row];
        values[row].map(|value| Slice {
            row: Some(row),
            label: data::label(record).into_owned(),
            value,
            highlighted: data::flag(&record["highlighted"]),
            span: (0.0, 0.0),
            towards: Vec2::ZERO,
            share: String::new(),
            detail: String::new(),
            fill: chart.theme.highlight,
        })
    };
    let mut slices: Vec<Slice> = order.into_iter().filter_map(slice).collect();
    let most = match chart.setting("otherAfter").as_u64() {
        Some(0) | None => most,
        Some(wanted) => usize::try_from(wanted).unwrap_or(most).min(most),
    };
    if slices.len() > most {
        join(most, chart.language().word(Word::Other), &mut slices);
    }
    slices
}

/// Keeps the `most` - 1 largest and joins the rest to one slice at the end.
fn join(most: usize, other: &str, slices: &mut Vec<Slice>) {
    let mut largest: Vec<usize> = (0..slices.len()).collect();
    // The first of equals is kept.
    largest.sort_by(|one, two| slices[*two].value.total_cmp(&slices[*one].value));
    let mut keeps = vec![false; slices.len()];
    largest.iter().take(most.saturating_sub(1)).for_each(|it| keeps[*it] = true);
    let (mut kept, mut rest, mut count) = (Vec::with_capacity(most), 0.0, 0);
    for (slice, keep) in slices.drain(..).zip(keeps) {
        if keep {
            kept.push(slice);
        } else {
            rest += slice.value;
            count += 1;
        }
    }
    *slices = kept;
    slices.push(Slice {
        row: None,
        label: format!("{other} ({count})"),
        value: rest,
        highlighted: false,
        span: (0.0, 0.0),
        towards: Vec2::ZERO,
        share: String::new(),
        detail: String::new(),
        fill: Color::hex(0),
    });
}

/// Gives each slice its span: `sweep` radians in all, from `start` on.
pub fn turn(slices: &mut [Slice], total: f64, start: f64, sweep: f64) {
    let mut from = start;
    for slice in slices {
        let to = from + slice.value / total * sweep;
        slice.span = (from, to);
        slice.towards = towards(slice.span);
        from = to;
    }
}

/// Direction of a label, one long: the middle of its span, or rightwards for nearly a circle.
pub fn towards((from, to): (f64, f64)) -> Vec2 {
    let middle = if to - from > 0.95 * TAU { TAU / 4.0 } else { f64::midpoint(from, to) };
    Vec2::new(middle.sin(), -middle.cos())
}

/// Puts value and share into words.
fn name(chart: &Chart, slices: &mut [Slice]) {
    let values: Vec<f64> = slices.iter().map(|it| it.value).collect();
    for (slice, (share, detail)) in slices.iter_mut().zip(in_words(chart, &values)) {
        (slice.share, slice.detail) = (share, detail);
    }
}

/// The shortest words for each amount of a whole, and value and share as far as wanted. Shares
/// have a decimal only when one is under 1 %.
pub fn in_words(chart: &Chart, values: &[f64]) -> Vec<(String, String)> {
    let total: f64 = values.iter().sum();
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let decimals = usize::from(smallest / total < 0.0095);
    let shares = spread::shares(values, decimals as u32);
    let rules = chart.rules("value");
    let locale = chart.language();
    let in_words = NumberFormat::for_values(values.iter().copied(), &rules, locale);
    let percent = NumberFormat::plain(decimals, &Rules::default(), locale).with_percent();
    // Values that are percentages already need no second percentage.
    let with_values = chart.flag("showValues", true);
    let with_shares = chart.flag("showPercentages", true) && !(rules.percent && with_values);
    let both = |(value, share): (&f64, f64)| {
        let (value, share) = (in_words.text(*value), percent.text(share));
        match (with_values, with_shares) {
            (true, true) => (share.clone(), format!("{value} · {share}")),
            (false, true) => (share.clone(), share),
            (true, false) => (value.clone(), value),
            (false, false) => (String::new(), String::new()),
        }
    };
    values.iter().zip(shares).map(both).collect()
}

/// Colours: the theme's in order, or, once a record is highlighted, an accent and quiet greys.
pub fn paint(chart: &Chart, look: &Look, slices: &mut [Slice]) {
    let accented = slices.iter().any(|it| it.highlighted);
    let hues = match chart.style.custom_colors.len() {
        0 => chart.theme.colors.len(),
        own => own,
    };
    for (index, slice) in slices.iter_mut().enumerate() {
        let hue = chart.color(index);
        // A second round of the same hues is paler, a third paler still.
        let paler = 0.3 * (index / hues.max(1)).min(2) as f64;
        let own = slice.row.and_then(|row| Color::parse(chart.data[row]["color"].as_str()?));
        slice.fill = match (own, accented) {
            (Some(own), _) => own,
            (None, true) if slice.highlighted => chart.theme.highlight,
            (None, true) => look.faded(),
            (None, false) if slice.row.is_none() => look.faded(),
            (None, false) => hue.mix(look.background, paler),
        };
    }
}

/// A slice between two radii (the outer one first), parted from its neighbours by a fine gap in
/// the colour of the ground.
pub fn wedge(
    (from, to): (f64, f64),
    fill: Color,
    center: Point,
    (radius, hole): (f64, f64),
    ground: Color,
    scene: &mut Scene,
) {
    let sweep = to - from;
    if radius <= 0.0 {
        return;
    }
    if sweep > TAU - 1e-9 {
        ring(fill, center, (radius, hole), scene);
        return;
    }
    // Kurbo counts from three o'clock; y points down, so angles run clockwise there too.
    let start = from - TAU / 4.0;
    let outer = Arc::new(center, (radius, radius), start, sweep, 0.0);
    let on = |distance: f64, angle: f64| center + Vec2::from_angle(angle) * distance;
    let mut path = BezPath::new();
    path.move_to(on(hole, start));
    path.line_to(on(radius, start));
    path.extend(outer.append_iter(TOLERANCE));
    path.line_to(on(hole, start + sweep));
    if hole > 0.0 {
        let inner = Arc::new(center, (hole, hole), start + sweep, -sweep, 0.0);
        path.extend(inner.append_iter(TOLERANCE));
    }
    path.close_path();
    // A sliver would vanish under a full gap.
    let gap = (sweep * radius / 8.0).min(1.25);
    let stroke = (gap > 0.2).then(|| Stroke::new(ground, gap));
    scene.push(Form::Path { path, fill: Some(fill), stroke });
}

/// A whole circle or ring.
fn ring(fill: Color, center: Point, (radius, hole): (f64, f64), scene: &mut Scene) {
    if hole <= 0.0 {
        scene.circle(center, radius, fill, None);
        return;
    }
    let middle = f64::midpoint(radius, hole);
    scene.push(Form::Circle {
        center,
        radius: middle,
        fill: None,
        stroke: Some(Stroke::new(fill, radius - hole)),
    });
}

/// The total or a figure of one's own in the hole, and a few words under it.
fn middle(
    chart: &Chart,
    look: &Look,
    (center, hole): (Point, f64),
    extent: Extent,
    total: f64,
    scene: &mut Scene,
) {
    let values = chart.data.iter().filter_map(|it| data::number(&it["value"]));
    let own = text::clean(chart.word("centerValue"));
    let words = if !own.is_empty() {
        own.into_owned()
    } else if chart.flag("showTotal", true) {
        NumberFormat::for_values(values.chain([total]), &chart.rules("value"), chart.language())
            .text(total)
    } else {
        String::new()
    };
    figure(&words, &text::clean(chart.word("centerLabel")), look, (center, hole), extent, scene);
}

/// Says in words what the picture shows.
fn describe(chart: &Chart, slices: &[Slice], scene: &mut Scene) {
    let named = |slice: &Slice| format!("{} {}", slice.label, slice.detail).trim().to_owned();
    let Some(largest) = slices.iter().max_by(|one, two| one.value.total_cmp(&two.value)) else {
        return;
    };
    let smallest = slices.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    let kind = match chart.kind.slug {
        "donut" => "Donut chart",
        "half-donut" => "Half donut chart",
        _ => "Pie chart",
    };
    scene.desc = format!("{kind} of {} slices. Largest: {}.", slices.len(), named(largest));
    if let Some(smallest) = smallest.filter(|_| slices.len() > 1) {
        scene.desc.push_str(&format!(" Smallest: {}.", named(smallest)));
    }
}
