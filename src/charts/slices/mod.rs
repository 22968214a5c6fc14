//! Slices of a circle or half circle, for all chart kinds that show shares around a center:
//! reading, sorting, coloring, drawing and labels.

mod center_text;
pub mod labels;
mod legend;

use std::f64::consts::TAU;

use kurbo::{Arc, BezPath, Point, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::other_names;
use crate::percentages;
use crate::scene::{Primitive, Stroke};
use crate::text;

pub use center_text::draw_center_text;

/// Maximum distance in points between a curve and the exact circle.
const TOLERANCE: f64 = 0.01;

/// Maximum number of slices. The smallest of more slices are merged, because they would be too thin
/// to distinguish.
const MAX_SLICES: usize = 40;

/// Minimum contrast ratio between the background and a slice without an outline (WCAG 1.4.11).
const MIN_SLICE_CONTRAST: f64 = 3.0;

/// Width in points of the outline of a pale slice.
const OUTLINE_WIDTH: f64 = 1.0;

/// A share of the whole.
pub struct Slice {
    /// Index of the record in the data; None if the slice merges several records.
    pub row: Option<usize>,
    /// Name of the slice.
    pub label: String,
    /// Positive value.
    pub value: f64,
    /// Whether the record is highlighted.
    pub highlighted: bool,
    /// Start and end angle in radians, clockwise from twelve o'clock.
    pub angles: (f64, f64),
    /// Unit vector from the center towards the label (see [`label_direction`]).
    pub label_direction: Vec2,
    /// Shortest text for the amount: the percentage, or else the value. Empty if the settings hide
    /// both.
    pub short_text: String,
    /// Value and percentage, as far as the settings show them.
    pub detail: String,
    /// Fill color.
    pub fill: Color,
    /// Color of an outline, if the fill has little contrast with the background.
    pub outline: Option<Color>,
}

/// Texts of the amount of a part of a whole. Empty as far as the settings hide them.
pub struct AmountText {
    /// Formatted value.
    pub value: String,
    /// Share of the whole as a percentage.
    pub share: String,
    /// Separator between both.
    pub separator: &'static str,
}

impl AmountText {
    /// Returns value and share with the separator between them, or the one that is not hidden.
    pub fn detail(&self) -> String {
        match (self.value.is_empty(), self.share.is_empty()) {
            (false, false) => format!("{}{}{}", self.value, self.separator, self.share),
            _ => format!("{}{}", self.value, self.share),
        }
    }

    /// Returns the value, or the share if the settings hide the value. Empty if both are hidden.
    pub fn main_text(&self) -> &str {
        if self.value.is_empty() { &self.share } else { &self.value }
    }
}

/// The part of the circle that the slices fill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CircleExtent {
    /// The full circle, starting at twelve o'clock.
    Full,
    /// The upper half, from nine to three o'clock.
    Half,
}

/// Draws a pie, donut or half donut chart with labels, and sets its description. `hole` is the
/// inner radius as a share of the outer radius, 0 for a pie. A very small circle has no hole.
/// Without positive values, draws only the note that there is no data.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene, extent: CircleExtent, hole: f64) {
    let mut slices =
        read_slices(chart, "value", chart.setting("sort").is_null(), MAX_SLICES, scene);
    if slices.is_empty() {
        frame::draw_no_data(frame, scene);
        return;
    }
    let total: f64 = slices.iter().map(|slice| slice.value).sum();
    match extent {
        CircleExtent::Full => {
            let start =
                chart.number_setting("startAngle").unwrap_or(0.0).rem_euclid(360.0).to_radians();
            assign_angles(&mut slices, total, start, TAU);
        }
        CircleExtent::Half => assign_angles(&mut slices, total, -TAU / 4.0, TAU / 2.0),
    }
    format_slices(chart, &mut slices);
    if shows_shares(chart) {
        let values: Vec<f64> = slices.iter().map(|slice| slice.value).collect();
        let shares = percentages::shares(&values);
        percentages::note_rounding(&shares, choose_share_decimals(&values), scene);
    }
    assign_colors(chart, &frame.style, &mut slices);
    let layout = labels::layout_labels(&slices, frame.area, &frame.style, extent, true);
    scene.omit(Omission::Name, layout.omitted);
    let hole = if layout.radius < 8.0 { 0.0 } else { hole * layout.radius };
    for slice in &slices {
        scene.begin_mark("slice", slice.row, || {
            (Some("value".to_owned()), format!("{}: {}", slice.label, slice.detail))
        });
        let radii = (layout.radius, hole);
        let edge = frame.style.background;
        draw_wedge(slice.angles, slice.fill, layout.center, radii, edge, scene);
        if let Some(outline) = slice.outline {
            draw_outline(slice.angles, outline, layout.center, radii, scene);
        }
    }
    scene.end_mark();
    labels::draw(&layout, &slices, frame.area, &frame.style, scene);
    if hole > 0.0 {
        draw_total(chart, &frame.style, (layout.center, hole), extent, total, scene);
    }
    describe(chart, &slices, scene);
}

/// Returns a slice for each record with a positive number in the column `key`: the largest first if
/// `largest_first`, otherwise in the order of the setting `sort`. In descending order, the rest of the
/// whole, such as `Other`, follows the named parts. Counts negative, missing and zero values as
/// omissions of the scene.
///
/// If there are more than `max_slices`, or than a lower setting `otherAfter`, the last slice merges
/// the smallest ones. The caller sets angles, colors and texts of amounts.
pub fn read_slices(
    chart: &Chart,
    key: &str,
    largest_first: bool,
    max_slices: usize,
    scene: &mut Scene,
) -> Vec<Slice> {
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|record| data::number(&record[key]).filter(|n| *n > 0.0)).collect();
    chart.omit_negative(key, scene);
    chart.omit_missing(key, scene);
    chart.omit_zeros(key, scene);
    let mut order = if largest_first {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|one, two| {
            values[*two].unwrap_or(0.0).total_cmp(&values[*one].unwrap_or(0.0))
        });
        order
    } else {
        chart.sorted_indices(&values)
    };
    if largest_first || chart.str_setting("sort") == "desc" {
        let label = |row: usize| data::record_label(&chart.data[row]);
        order.sort_by_cached_key(|row| other_names::is_other(&label(*row)));
    }
    let make_slice = |row: usize| {
        let record = &chart.data[row];
        values[row].map(|value| Slice {
            row: Some(row),
            label: data::record_label(record).into_owned(),
            value,
            highlighted: data::is_true(&record["highlighted"]),
            angles: (0.0, 0.0),
            label_direction: Vec2::ZERO,
            short_text: String::new(),
            detail: String::new(),
            fill: chart.theme.highlight_color,
            outline: None,
        })
    };
    let mut slices: Vec<Slice> = order.into_iter().filter_map(make_slice).collect();
    let max_slices = match chart.setting("otherAfter").as_u64() {
        Some(0) | None => max_slices,
        Some(limit) => usize::try_from(limit).unwrap_or(max_slices).min(max_slices),
    };
    if slices.len() > max_slices {
        merge_smallest(max_slices, chart.locale().translate(Term::Other), &mut slices);
    }
    slices
}

/// Keeps the `max_slices` - 1 largest slices in their order and merges the others into one slice at
/// the end. Its label is `other` with the number of merged slices in parentheses.
fn merge_smallest(max_slices: usize, other: &str, slices: &mut Vec<Slice>) {
    let mut largest: Vec<usize> = (0..slices.len()).collect();
    // A stable sort, so that the first of equal slices is kept.
    largest.sort_by(|one, two| slices[*two].value.total_cmp(&slices[*one].value));
    let mut keeps = vec![false; slices.len()];
    largest.iter().take(max_slices.saturating_sub(1)).for_each(|index| keeps[*index] = true);
    let (mut kept, mut rest, mut count) = (Vec::with_capacity(max_slices), 0.0, 0);
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
        angles: (0.0, 0.0),
        label_direction: Vec2::ZERO,
        short_text: String::new(),
        detail: String::new(),
        fill: Color::hex(0),
        outline: None,
    });
}

/// Sets angles and label directions of all slices in order, starting at the angle `start` in
/// radians. `total` (not 0) is the value that corresponds to `sweep` radians.
pub fn assign_angles(slices: &mut [Slice], total: f64, start: f64, sweep: f64) {
    let mut from = start;
    for slice in slices {
        let to = from + slice.value / total * sweep;
        slice.angles = (from, to);
        slice.label_direction = label_direction(slice.angles);
        from = to;
    }
}

/// Returns the unit vector from the center towards the label of a slice: the middle of its angles,
/// or to the right if the slice is almost the full circle.
pub fn label_direction((from, to): (f64, f64)) -> Vec2 {
    let middle = if to - from > 0.95 * TAU { TAU / 4.0 } else { f64::midpoint(from, to) };
    Vec2::new(middle.sin(), -middle.cos())
}

/// Sets the texts `short_text` and `detail` of all slices.
fn format_slices(chart: &Chart, slices: &mut [Slice]) {
    let values: Vec<f64> = slices.iter().map(|slice| slice.value).collect();
    for (slice, (short_text, detail)) in slices.iter_mut().zip(format_amounts(chart, &values)) {
        (slice.short_text, slice.detail) = (short_text, detail);
    }
}

/// Returns two texts for each part of a whole: the shortest (percentage, or else the value), and
/// value with percentage as far as the settings show them. Both are empty if the settings hide
/// both.
pub fn format_amounts(chart: &Chart, values: &[f64]) -> Vec<(String, String)> {
    let texts = format_parts(chart, values).into_iter();
    let short = |text: &AmountText| {
        if text.share.is_empty() { text.value.clone() } else { text.share.clone() }
    };
    texts.map(|text| (short(&text), text.detail())).collect()
}

/// Returns value and share of each part of a whole, as far as the settings show them.
///
/// Percentages have a decimal only if one is below 0.95 %. Values that are shown as percentages
/// have no further percentage.
pub fn format_parts(chart: &Chart, values: &[f64]) -> Vec<AmountText> {
    let decimals = choose_share_decimals(values);
    let shares = percentages::shares(values);
    let rules = percentages::value_rules(chart);
    let locale = chart.locale();
    let value_format = NumberFormat::for_values(values.iter().copied(), &rules, locale);
    let percent = NumberFormat::for_shares(decimals, &FormatRules::default(), locale);
    let with_values = chart.bool_setting("showValues", true);
    let with_shares = shows_shares(chart);
    let format_amount = |(value, share): (&f64, f64)| AmountText {
        value: if with_values { value_format.text(*value) } else { String::new() },
        share: if with_shares { percent.text(share) } else { String::new() },
        separator: locale.number_separator(),
    };
    values.iter().zip(shares).map(format_amount).collect()
}

/// Returns the number of decimals of percentages: 1 if a share is below 0.95 %, otherwise 0.
fn choose_share_decimals(values: &[f64]) -> usize {
    let total: f64 = values.iter().sum();
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    usize::from(smallest / total < 0.0095)
}

/// Returns whether the settings show percentages. False if the shown values are percentages
/// themselves, because they need no further percentage.
fn shows_shares(chart: &Chart) -> bool {
    let with_values = chart.bool_setting("showValues", true);
    let has_percent_values = percentages::value_rules(chart).percent && with_values;
    chart.bool_setting("showPercentages", true) && !has_percent_values
}

/// Sets the colors of all slices: the series colors in order, with other shades where they repeat,
/// or if a record is highlighted, the highlight color and gray. A merged slice is gray. The color of
/// a record takes precedence. Pale shades get an outline, so that they stand out from the
/// background.
pub fn assign_colors(chart: &Chart, style: &ChartStyle, slices: &mut [Slice]) {
    let any_highlighted = slices.iter().any(|slice| slice.highlighted);
    let hues = match chart.style.custom_colors.len() {
        0 => chart.theme.colors.len(),
        own => own,
    };
    for (index, slice) in slices.iter_mut().enumerate() {
        let own = slice.row.and_then(|row| Color::parse(chart.data[row]["color"].as_str()?));
        slice.fill = match (own, any_highlighted) {
            (Some(own), _) => own,
            (None, true) if slice.highlighted => chart.theme.highlight_color,
            (None, true) => style.faded_color(),
            (None, false) if slice.row.is_none() => style.faded_color(),
            (None, false) => chart.series_color(index),
        };
        let is_shade = own.is_none() && !any_highlighted && index >= hues;
        let is_pale = slice.fill.contrast(style.background) < MIN_SLICE_CONTRAST;
        let outline = || slice.fill.readable_on(style.background, MIN_SLICE_CONTRAST);
        slice.outline = (is_shade && is_pale).then(outline);
    }
}

/// Draws a slice between two angles in radians and two radii in points (the outer one first), with
/// a thin outline in the color `edge`, usually the background color, that separates it from its neighbors. A very thin slice
/// and a full circle have no outline. Draws nothing without a positive radius.
pub fn draw_wedge(
    (from, to): (f64, f64),
    fill: Color,
    center: Point,
    (radius, hole): (f64, f64),
    edge: Color,
    scene: &mut Scene,
) {
    let sweep = to - from;
    if radius <= 0.0 {
        return;
    }
    if sweep > TAU - 1e-9 {
        draw_ring(fill, center, (radius, hole), scene);
        return;
    }
    // Kurbo measures angles from three o'clock, clockwise because y points down.
    let start = from - TAU / 4.0;
    let outer = Arc::new(center, (radius, radius), start, sweep, 0.0);
    let point_at = |distance: f64, angle: f64| center + Vec2::from_angle(angle) * distance;
    let mut path = BezPath::new();
    path.move_to(point_at(hole, start));
    path.line_to(point_at(radius, start));
    path.extend(outer.append_iter(TOLERANCE));
    path.line_to(point_at(hole, start + sweep));
    if hole > 0.0 {
        let inner = Arc::new(center, (hole, hole), start + sweep, -sweep, 0.0);
        path.extend(inner.append_iter(TOLERANCE));
    }
    path.close_path();
    // A thin slice would disappear below a gap of full width.
    let gap = (sweep * radius / 8.0).min(1.25);
    let stroke = (gap > 0.2).then(|| Stroke::new(edge, gap));
    scene.push(Primitive::Path { path, fill: Some(fill), stroke });
}

/// Draws the curved edges of a pale slice in a darker color, within its fill. The straight edges have
/// those of the neighbors beside them.
fn draw_outline(
    (from, to): (f64, f64),
    color: Color,
    center: Point,
    (radius, hole): (f64, f64),
    scene: &mut Scene,
) {
    let width = OUTLINE_WIDTH.min(radius - hole);
    let start = from - TAU / 4.0;
    for edge in [radius - OUTLINE_WIDTH, hole + OUTLINE_WIDTH] {
        // A gap of the background color is between slices.
        let gap = OUTLINE_WIDTH / edge.max(1.0);
        let sweep = to - from - 2.0 * gap;
        if edge <= OUTLINE_WIDTH * 2.0 || sweep <= 0.0 {
            continue;
        }
        let arc = Arc::new(center, (edge, edge), start + gap, sweep, 0.0);
        let mut path = BezPath::new();
        path.move_to(center + Vec2::from_angle(start + gap) * edge);
        path.extend(arc.append_iter(TOLERANCE));
        scene.push(Primitive::Path { path, fill: None, stroke: Some(Stroke::new(color, width)) });
    }
}

/// Draws a full circle, or a ring if `hole` is positive. Lengths are in points.
fn draw_ring(fill: Color, center: Point, (radius, hole): (f64, f64), scene: &mut Scene) {
    if hole <= 0.0 {
        scene.circle(center, radius, fill, None);
        return;
    }
    let middle = f64::midpoint(radius, hole);
    scene.push(Primitive::Circle {
        center,
        radius: middle,
        fill: None,
        stroke: Some(Stroke::new(fill, radius - hole)),
    });
}

/// Returns whether the values are percentages with a total of about 100, so that the total tells
/// nothing.
fn is_whole_in_percent(chart: &Chart, total: f64) -> bool {
    let rules = percentages::value_rules(chart);
    let is_percentage = rules.percent || rules.suffix.trim() == "%";
    is_percentage && percentages::is_whole(total)
}

/// Draws the setting `centerValue`, or else the total unless the setting `showTotal` is false, in
/// the hole. The setting `centerLabel` is drawn below it. Percentages of a whole have no total.
fn draw_total(
    chart: &Chart,
    style: &ChartStyle,
    (center, hole): (Point, f64),
    extent: CircleExtent,
    total: f64,
    scene: &mut Scene,
) {
    let values = chart.data.iter().filter_map(|record| data::number(&record["value"]));
    let own = text::sanitize(chart.str_setting("centerValue"));
    let figure = if !own.is_empty() {
        own.into_owned()
    } else if chart.bool_setting("showTotal", true) && !is_whole_in_percent(chart, total) {
        NumberFormat::for_values(
            values.chain([total]),
            &chart.format_rules("value"),
            chart.locale(),
        )
        .with_parts()
        .text(total)
    } else {
        String::new()
    };
    draw_center_text(
        &figure,
        &text::sanitize(chart.str_setting("centerLabel")),
        style,
        (center, hole),
        extent,
        scene,
    );
}

/// Sets the English description of the image: number of slices, the largest and the smallest.
fn describe(chart: &Chart, slices: &[Slice], scene: &mut Scene) {
    let describe_slice =
        |slice: &Slice| format!("{} {}", slice.label, slice.detail).trim().to_owned();
    let Some(largest) = slices.iter().max_by(|one, two| one.value.total_cmp(&two.value)) else {
        return;
    };
    let smallest = slices.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    let kind = match chart.kind.slug {
        "donut" => "Donut chart",
        "half-donut" => "Half donut chart",
        _ => "Pie chart",
    };
    scene.description =
        format!("{kind} of {} slices. Largest: {}.", slices.len(), describe_slice(largest));
    if let Some(smallest) = smallest.filter(|_| slices.len() > 1) {
        scene.description.push_str(&format!(" Smallest: {}.", describe_slice(smallest)));
    }
}
