//! Parliament chart: seats as dots in arcs, one color per party, from left to right in the order of
//! the data.
//!
//! Record: `label`, `seats` (or `value`; positive integers), `color`, `highlighted`. Settings:
//! `sort`, `otherAfter`, `showValues`, `showPercentages`, `showTotal`, `centerLabel`,
//! `showMajority`, `majority` (0 means more than half).

use std::f64::consts::PI;

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::format::{FormatRules, NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scene::{Anchor, Stroke, Text};
use crate::slices;
use crate::slices::labels;
use crate::slices::{CircleExtent, Slice};
use crate::text;

/// The parliament chart.
pub const KIND: Kind = Kind { slug: "parliament", draw };

/// Maximum number of dots. With more seats, each dot represents several.
const MAX_DOTS: f64 = 900.0;
/// Maximum number of parties. The smallest parties beyond it are merged, because their colors could
/// not be distinguished.
const MAX_PARTIES: usize = 40;
/// Number of points at each end of the majority line that are checked for texts.
const MAJORITY_LINE_STEPS: u32 = 14;
/// Inner radius relative to the outer radius.
const INNER_RADIUS_SHARE: f64 = 0.42;
/// Maximum distance of two arcs relative to the outer radius. It limits the size of dots if there
/// are few seats.
const MAX_ROW_STEP: f64 = 0.13;

/// The dot of a seat.
struct Seat {
    /// Angle from the left end in radians, clockwise.
    angle: f64,
    /// Index of the arc, starting at the outermost.
    row: usize,
    /// Center of the dot.
    center: Point,
    /// Radius of the dot in points.
    radius: f64,
}

/// Numbers shown below the arcs.
struct SeatCounts<'a> {
    /// Key of the column of the seats. Its number format applies to all numbers.
    key: &'a str,
    /// Number of seats of all parties.
    total: f64,
    /// Number of seats of a majority. None if it is not shown.
    majority: Option<f64>,
    /// Number of seats that a dot represents.
    seats_per_dot: f64,
}

/// Draws the majority line, the dots, the labels of the parties and the texts in the center. Draws
/// a note instead if no party has a seat.
///
/// Seats are drawn as whole dots. The scene notes if a number has decimals, and counts parties of
/// less than half a seat, which are omitted.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let key =
        if chart.data.iter().any(|record| !record["seats"].is_null()) { "seats" } else { "value" };
    let mut parties = slices::read_slices(chart, key, false, MAX_PARTIES, scene);
    let party_count = parties.len();
    parties.retain(|party| party.value.round() >= 1.0);
    if parties.iter().any(|party| party.value.fract() != 0.0) {
        scene.omit(Omission::WholeDots, 1);
    }
    scene.omit(Omission::TooSmall, party_count - parties.len());
    if parties.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let total: f64 = parties.iter().map(|party| party.value).sum();
    slices::assign_angles(&mut parties, total, -PI / 2.0, PI);
    slices::assign_colors(chart, style, &mut parties);
    let format = format_parties(chart, key, &mut parties, scene);
    let seats_per_dot = choose_seats_per_dot(total);
    let layout = labels::layout_labels(&parties, frame.area, style, CircleExtent::Half, true);
    scene.omit(Omission::Name, layout.omitted);
    let counts = SeatCounts { key, total, majority: compute_majority(chart, total), seats_per_dot };
    let draw_texts = |scene: &mut Scene| {
        labels::draw(&layout, &parties, frame.area, style, scene);
        draw_center_texts(chart, &counts, &format, (layout.center, layout.radius), style, scene);
    };
    if let Some(needed_seats) = counts.majority {
        // The line of the default majority, more than half, is exactly in the middle.
        let has_custom_majority = chart.number_setting("majority").is_some_and(|seats| seats > 0.0);
        let share = if has_custom_majority { needed_seats / total } else { 0.5 };
        let discarded_scene = &mut Scene::new(chart.width, chart.height, style.background);
        draw_texts(discarded_scene);
        let texts: Vec<Rect> = discarded_scene.text_boxes().map(|(_, bounds)| bounds).collect();
        draw_majority_line(share, layout.center, layout.radius, &texts, style, scene);
    }
    draw_seats(&parties, key, seats_per_dot, layout.center, layout.radius, scene);
    draw_texts(scene);
    describe(&parties, &format, total, scene);
}

/// Draws the dots of all parties, from the left end of the arcs to the right. Each dot stands for
/// `seats_per_dot` seats. The number of dots of a party is rounded, so that a small party may have
/// none.
///
/// `key` is the data column of the seats, and `radius` the outer radius in points.
fn draw_seats(
    parties: &[Slice],
    key: &str,
    seats_per_dot: f64,
    center: Point,
    radius: f64,
    scene: &mut Scene,
) {
    let dot_counts: Vec<usize> =
        parties.iter().map(|party| (party.value / seats_per_dot).round() as usize).collect();
    let seats = place_seats(dot_counts.iter().sum(), center, radius);
    let mut remaining_seats = seats.iter();
    for (party, count) in parties.iter().zip(dot_counts) {
        scene.begin_mark("seat", party.row, || {
            (Some(key.to_owned()), format!("{}: {}", party.label, party.detail))
        });
        for seat in remaining_seats.by_ref().take(count) {
            let outline = party.outline.map(|color| Stroke::new(color, seat.radius * 0.2));
            scene.circle(seat.center, seat.radius, party.fill, outline);
        }
    }
    scene.end_mark();
}

/// Returns the smallest number of seats per dot (1, 2 or 5 times a power of ten) at which there are
/// not more than about `MAX_DOTS` dots.
fn choose_seats_per_dot(total: f64) -> f64 {
    let min = total / MAX_DOTS;
    if min <= 1.0 {
        return 1.0;
    }
    let power = 10f64.powf(min.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    factors.iter().map(|factor| factor * power).find(|seats| *seats >= min).unwrap_or(min)
}

/// Sets the texts of all parties: their seats and shares, as far as the settings `showValues` and
/// `showPercentages` ask for them. Returns the number format of seats.
fn format_parties(
    chart: &Chart,
    key: &str,
    parties: &mut [Slice],
    scene: &mut Scene,
) -> NumberFormat {
    let values: Vec<f64> = parties.iter().map(|party| party.value).collect();
    let locale = chart.locale();
    let format = NumberFormat::for_values(values.iter().copied(), &chart.format_rules(key), locale);
    let percent = NumberFormat::for_shares(1, &FormatRules::default(), locale);
    let with_values = chart.bool_setting("showValues", true);
    let with_shares = chart.bool_setting("showPercentages", false);
    let shares = percentages::shares(&values);
    if with_shares {
        percentages::note_rounding(&shares, 1, scene);
    }
    for (party, share) in parties.iter_mut().zip(shares) {
        let (seats, share) = (format.text(party.value), percent.text(share));
        (party.short_text, party.detail) = match (with_values, with_shares) {
            (true, true) => {
                (seats.clone(), format!("{seats}{}{share}", chart.locale().number_separator()))
            }
            (true, false) => (seats.clone(), seats),
            (false, true) => (share.clone(), share),
            (false, false) => (String::new(), String::new()),
        };
    }
    format
}

/// Returns `count` dots in the smallest number of arcs that holds them, up to 60, ordered from left
/// to right. `radius` is the outer radius in points.
///
/// Each arc has dots in proportion to its length. At equal angles the outer arc is first in the
/// left half and last in the right half, so that the first and the last seat are the outermost
/// ones, at which the labels of small parties point.
fn place_seats(count: usize, center: Point, radius: f64) -> Vec<Seat> {
    let row_step = |rows: usize| {
        (radius * (1.0 - INNER_RADIUS_SHARE) / rows as f64).min(radius * MAX_ROW_STEP)
    };
    let row_radii = |rows: usize| {
        let row_step = row_step(rows);
        (0..rows).map(move |row| radius - row_step * (row as f64 + 0.5))
    };
    let is_large_enough = |rows: &usize| {
        let row_step = row_step(*rows).max(1e-9);
        row_radii(*rows).map(|arc_radius| (PI * arc_radius / row_step).floor() + 1.0).sum::<f64>()
            >= count as f64
    };
    let rows = (1..60).find(is_large_enough).unwrap_or(60);
    let total_length: f64 = row_radii(rows).sum();
    let (mut length_so_far, mut placed_count) = (0.0, 0);
    let mut seats = Vec::with_capacity(count);
    for (row, arc_radius) in row_radii(rows).enumerate() {
        length_so_far += arc_radius;
        let end_count = (length_so_far / total_length.max(1e-9) * count as f64).round() as usize;
        let row_count = end_count.clamp(placed_count, count) - placed_count;
        placed_count += row_count;
        let angle_step = if row_count > 1 { PI / (row_count - 1) as f64 } else { PI };
        let dot_radius = row_step(rows).min(angle_step * arc_radius) * 0.43;
        for index in 0..row_count {
            // The last dots of all arcs have exactly the same angle.
            let angle = match index + 1 == row_count {
                _ if row_count == 1 => PI / 2.0,
                true => PI,
                false => angle_step * index as f64,
            };
            let dot_center = center - Vec2::new(angle.cos(), angle.sin()) * arc_radius;
            seats.push(Seat { angle, row, center: dot_center, radius: dot_radius });
        }
    }
    seats.sort_by(|a, b| {
        let by_row = if a.angle > PI / 2.0 { b.row.cmp(&a.row) } else { a.row.cmp(&b.row) };
        a.angle.total_cmp(&b.angle).then(by_row)
    });
    seats
}

/// Returns the number of seats of a majority: the setting `majority` if it is above 0, else the
/// next whole number above half of `total`.
///
/// None if the setting `showMajority` is false, or if the parties have too few seats for a
/// majority.
fn compute_majority(chart: &Chart, total: f64) -> Option<f64> {
    let custom_majority = chart.number_setting("majority").filter(|seats| *seats > 0.0);
    let needed_seats = custom_majority.unwrap_or((total / 2.0).floor() + 1.0);
    (chart.bool_setting("showMajority", true) && needed_seats <= total && total > 1.0)
        .then_some(needed_seats)
}

/// Draws the line across all arcs behind which a majority is reached. The caller draws the dots
/// over it.
///
/// `share` (0 to 1) is the share of the seats left of the line, and `radius` the outer radius. The line
/// extends beyond the arcs at both ends, as far as none of the boxes `texts` is there.
fn draw_majority_line(
    share: f64,
    center: Point,
    radius: f64,
    texts: &[Rect],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let direction = Vec2::new((PI * share).cos(), (PI * share).sin());
    let at = |distance: f64| center - direction * distance;
    let margin = 2.0 * style.unit;
    let is_free = |distance: &f64| {
        !texts.iter().any(|text| text.inflate(margin, margin).contains(at(*distance)))
    };
    // Returns the farthest of the distances from `from` to `to` up to which all are free.
    let reach = |from: f64, to: f64| {
        let steps = (0..=MAJORITY_LINE_STEPS)
            .map(|step| from + (to - from) * f64::from(step) / f64::from(MAJORITY_LINE_STEPS));
        steps.take_while(is_free).last().unwrap_or(from)
    };
    let inner = reach(radius * INNER_RADIUS_SHARE, radius * (INNER_RADIUS_SHARE - 0.1));
    let outer = reach(radius, radius + 7.0);
    scene.line(at(inner), at(outer), Stroke::new(style.text_color, 1.25 * style.unit));
}

/// Draws the texts below the arcs: the total unless the setting `showTotal` is false, and a line
/// with the setting `centerLabel` and a note. Warns if a dot represents several seats.
///
/// The note names the seats per dot if there are several, otherwise the majority. If the line is
/// too long, it has only the note or only the label. The seats per dot are written outside the arcs
/// if they do not fit inside.
fn draw_center_texts(
    chart: &Chart,
    seat_counts: &SeatCounts,
    format: &NumberFormat,
    (center, radius): (Point, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let SeatCounts { key, total, majority, seats_per_dot } = *seat_counts;
    let with_total = chart.bool_setting("showTotal", true);
    let total_text = if with_total { format.text(total) } else { String::new() };
    let label = text::sanitize(chart.str_setting("centerLabel"));
    // A majority and a dot are whole numbers of seats, also if the parties have fractions.
    let format_whole = |seats: f64| {
        let rules = chart.format_rules(key);
        NumberFormat::for_values([seats].into_iter(), &rules, chart.locale()).text(seats)
    };
    let majority_note = majority
        .map(|seats| format!("{} {}", style.locale.translate(Term::Majority), format_whole(seats)));
    let one_dot = style.locale.translate(Term::OneDot);
    let dot_note =
        (seats_per_dot > 1.0).then(|| format!("{one_dot} {}", format_whole(seats_per_dot)));
    if seats_per_dot > 1.0 {
        scene.warn(format!("Each dot represents {} seats.", format_whole(seats_per_dot)));
    }
    let note = dot_note.or(majority_note).unwrap_or_default();
    let label_and_note = [label.as_ref(), note.as_str()].map(str::trim);
    let label_and_note: Vec<&str> =
        label_and_note.into_iter().filter(|line| !line.is_empty()).collect();
    // The longest text that fits into a line.
    let hole = radius * INNER_RADIUS_SHARE;
    let candidates = [label_and_note.join(", "), note, label.into_owned()];
    let fits = |line: &&String| style.text_width(line, style.label_size) < hole * 1.15;
    let line = candidates.iter().find(fits).map_or("", String::as_str);
    if seats_per_dot > 1.0 && line.is_empty() {
        // The meaning of a dot must be visible. Below the arcs there is more space.
        let baseline = center.y + style.small_size * 1.8;
        let note = candidates.get(1).map_or("", String::as_str);
        let text = style.label_text(center.x, baseline, Anchor::Middle, style.small_size, note);
        scene.text(Text { color: style.muted_color, ..text });
    }
    slices::draw_center_text(&total_text, line, style, (center, hole), CircleExtent::Half, scene);
}

/// Sets the text description of the scene: the number of seats `total`, the number of parties, and
/// the name and the seats of the largest party, of equal ones the last. Merged parties count as one
/// party. Does nothing without parties.
fn describe(parties: &[Slice], format: &NumberFormat, total: f64, scene: &mut Scene) {
    let largest = parties.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    if let Some(largest) = largest {
        scene.description = format!(
            "Parliament chart of {} seats for {} parties. Largest: {} with {}.",
            format.text(total),
            parties.len(),
            largest.label,
            format.text(largest.value),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scene::Primitive;

    #[test]
    fn the_first_and_the_last_seat_are_the_outermost() {
        for count in [30, 100, 315, 630] {
            let seats = place_seats(count, Point::ZERO, 100.0);
            let ends = [seats.first().expect("a seat"), seats.last().expect("a seat")];
            assert_eq!(ends.map(|seat| seat.row), [0, 0], "{count}");
            let rows = seats.iter().map(|seat| seat.row).max().expect("a seat") + 1;
            let right_end = &seats[count - rows..];
            assert!(right_end.is_sorted_by_key(|seat| std::cmp::Reverse(seat.row)), "{count}");
        }
    }

    #[test]
    fn the_majority_line_touches_no_text() {
        let draw = |seats: &[usize], majority: usize, width: f64, height: f64| {
            let data: Vec<_> =
                seats.iter().map(|seats| json!({"label": "Party", "seats": seats})).collect();
            let settings = json!({ "majority": majority });
            crate::draw(&Chart { width, height, settings: &settings, ..Chart::new(&KIND, &data) })
        };
        for (seats, majority) in [
            (&[200, 20, 200][..], 0),
            (&[200, 91, 200], 0),
            (&[192, 94, 179, 192, 169, 138], 306),
            (&[192, 94, 179, 192, 169, 138], 640),
        ] {
            for (width, height) in [(720.0, 405.0), (320.0, 200.0), (1080.0, 1080.0)] {
                let scene = draw(seats, majority, width, height);
                // The line is drawn first, below the dots.
                let line = scene.shapes.iter().find_map(|shape| match &shape.primitive {
                    Primitive::Line { from, to, .. } => Some((*from, *to)),
                    _ => None,
                });
                let (from, to) = line.unwrap();
                for (text, bounds) in scene.text_boxes() {
                    let is_clear = |step| !bounds.contains(from.lerp(to, f64::from(step) / 100.0));
                    assert!((0..=100).all(is_clear), "{seats:?} {majority} {width}: {text}");
                }
            }
        }
    }

    #[test]
    fn majority_and_seats_per_dot_have_the_number_format_of_the_column() {
        for key in ["seats", "value"] {
            let draw = |seats: usize| {
                let data = [json!({"label": "A", key: seats}), json!({"label": "B", key: seats})];
                let settings = json!({"rulesets": {key: {"suffix": " x", "decimals": 1}}});
                crate::draw(&Chart { settings: &settings, ..Chart::new(&KIND, &data) })
            };
            let scene = draw(50);
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            assert!(texts.iter().any(|text| text.ends_with("51.0 x")), "{key}: {texts:?}");
            let warning = "Each dot represents 10.0 x seats.".to_owned();
            let scene = draw(2500);
            assert!(scene.warnings.contains(&warning), "{key}: {:?}", scene.warnings);
        }
    }
}
