//! Bullet chart: a value against its target on quality bands, one row per record.
//!
//! Record: `label`, `value`, `target`, `band1` to `band3` (upper ends of poor, fair and good),
//! `unit` (optional, written after the value), `highlighted` (optional flag). Settings: `scale`
//! (`common`; `own`: every row fills the width; `auto`: `own` if the units or the
//! magnitudes differ), `valueTitle`,
//! `targetTitle`, `bandTitles`, `showValues`, `showLegend`, `showGrid`, `axis`.

mod own_scales;

use std::borrow::Cow;

use kurbo::{Point, Rect};
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Locale, NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{MIN_ROW_EM, RowLabels};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text, ValueEnd};
use crate::text;
use crate::text::Face;
use crate::unit_texts;

use own_scales::{BAND_KEYS, has_own_scales, read_shared_rules};

/// The bullet chart.
pub const KIND: Kind = Kind { slug: "bullet", draw };

/// Share of the background in the color of each band, 0 to 1, darkest band first. With fewer than
/// three bands the lighter ones are used.
const BAND_TINTS: [f64; 3] = [0.52, 0.68, 0.8];

/// One record: a measured value with its target and quality bands.
struct Measure<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    target: Option<f64>,
    /// Upper ends of the bands, ascending.
    bands: Vec<f64>,
    /// Formatted value with its unit. Empty without a value.
    value_text: String,
    highlighted: bool,
}

impl Measure<'_> {
    /// Returns the value, the target and the upper ends of the bands, as far as they exist.
    fn numbers(&self) -> impl Iterator<Item = f64> + Clone {
        self.value.into_iter().chain(self.target).chain(self.bands.iter().copied())
    }

    /// Returns the lowest and highest of value, target and band ends, with zero included.
    fn range(&self) -> (f64, f64) {
        self.numbers().fold((0.0, 0.0), |(low, high), value| (low.min(value), high.max(value)))
    }
}

/// Layout of the plot.
struct Plot {
    /// Rectangle of the bars, without category labels and value labels.
    area: Rect,
    /// Vertical positions of the rows.
    row_scale: BandScale,
    /// Right edge of the value labels. None if they do not fit or are switched off.
    value_right: Option<f64>,
    scale_mode: ScaleMode,
}

/// Scales of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScaleMode {
    /// All rows share one scale.
    Common {
        /// Whether the axis is drawn below the plot.
        has_axis: bool,
    },
    /// Each row has its own scale.
    Own {
        /// Whether tick labels are drawn below each row.
        has_tick_labels: bool,
    },
}

/// Draws one row per record, and the legend and the axis unless the settings hide them. Draws a
/// note instead if no record has a value or a target.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let measures = read_measures(chart);
    if measures.iter().all(|measure| measure.value.is_none() && measure.target.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    describe(&measures, scene);
    let has_other_unit =
        |record: &&Value| data::is_true(data::field(record, unit_texts::OTHER_UNIT_KEY));
    let incomparable = chart.data.iter().filter(has_other_unit).count();
    scene.omit(Omission::MissingValue, chart.count_gaps(["value"]) + incomparable);
    let style = &frame.style;
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        area = draw_legend(chart, &measures, style, area, scene);
    }
    area.y0 += axis::draw_title(chart, style, scene, area);
    let plot = lay_out(&measures, chart, style, area, scene);
    let ranges = measures.iter().map(Measure::range);
    let common_range =
        ranges.fold((0.0, 0.0), |one: (f64, f64), two| (one.0.min(two.0), one.1.max(two.1)));
    let axis_for = |range| build_value_axis(chart, range, plot.area, style);
    let scale_for = |domain| LinearScale { domain, range: (plot.area.x0, plot.area.x1) };
    let common_axis = axis_for(common_range);
    if plot.scale_mode == (ScaleMode::Common { has_axis: true }) {
        common_axis.draw_bottom(scene, style, plot.area, &scale_for(common_axis.domain));
    }
    let any_highlighted = measures.iter().any(|measure| measure.highlighted);
    for (index, measure) in measures.iter().enumerate() {
        let start = plot.row_scale.start(index);
        let bottom = start + plot.row_scale.width();
        let row = Rect { y0: start, y1: bottom, ..plot.area };
        let scale = match plot.scale_mode {
            ScaleMode::Common { .. } => scale_for(common_axis.domain),
            ScaleMode::Own { has_tick_labels } => {
                let row_axis = build_row_axis(chart, measure, plot.area, style);
                let scale = scale_for(row_axis.domain);
                if has_tick_labels {
                    let ticks = Rect { y0: bottom, y1: bottom + 2.0 * style.unit, ..plot.area };
                    row_axis.with_setting(None).draw_bottom(scene, style, ticks, &scale);
                }
                scale
            }
        };
        let fill = choose_bar_color(chart, any_highlighted, measure, style);
        let axis_number = match plot.scale_mode {
            ScaleMode::Common { .. } => 0,
            ScaleMode::Own { .. } => index,
        };
        draw_row(measure, row, (&scale, axis_number), fill, style, scene);
        draw_value_label(measure, row, plot.value_right, style, scene);
    }
}

/// Returns the value axis of `range` below bars in `area`. The axis includes zero.
fn build_value_axis(chart: &Chart, range: (f64, f64), area: Rect, style: &ChartStyle) -> ValueAxis {
    let lengths = (area.width(), axis::x_tick_spacing(style));
    let rules = read_shared_rules(chart);
    ValueAxis::new(chart, style, range, IncludeZero::Always, lengths, &rules)
}

/// Returns the axis of a row with its own scale in `area`.
fn build_row_axis(chart: &Chart, measure: &Measure, area: Rect, style: &ChartStyle) -> ValueAxis {
    let numbers = measure.value.into_iter().chain(measure.target);
    let rules = read_shared_rules(chart);
    let is_share = rules.percent || measure.value_text.contains(['%', '٪']);
    let ends = own_scales::find_ends(numbers, &measure.bands, &rules, is_share);
    trim_to_range(build_value_axis(chart, ends, area, style), ends)
}

/// Ends the axis of a row exactly at `low` and `high`, the ends of its scale, and drops the ticks
/// outside it, so that each row fills the width. Returns the axis unchanged if the range is empty.
fn trim_to_range(mut row_axis: ValueAxis, (low, high): (f64, f64)) -> ValueAxis {
    if low < high {
        let ticks = row_axis.ticks.values.iter().zip(row_axis.labels);
        let kept = ticks.filter(|tick| (low..=high).contains(tick.0)).map(|tick| tick.1).collect();
        row_axis.labels = kept;
        row_axis.ticks.values.retain(|value| (low..=high).contains(value));
        row_axis.domain = (low, high);
    }
    row_axis
}

/// Reads one measure per record, in the order of the records and also from those without numbers.
/// Bands are sorted, and missing ones are left out.
///
/// The texts of the values have a common number of decimals. A value with a unit has its own, and
/// so has every value if the setting `scale` is `own`.
fn read_measures<'a>(chart: &Chart<'a>) -> Vec<Measure<'a>> {
    let values = chart.data.iter().filter_map(|record| data::number(data::field(record, "value")));
    let rules = chart.format_rules_or("value", &read_shared_rules(chart));
    let common_format = NumberFormat::for_values(values, &rules, chart.locale());
    let has_own_scales = has_own_scales(chart);
    let measure = |(row, record): (usize, &'a Value)| {
        let number = |key: &str| data::number(data::field(record, key));
        let value = number("value");
        let unit = data::display_text(data::field(record, "unit"));
        let value_text = value.map_or(String::new(), |value| {
            // Values with different units do not need a common number of decimals.
            let own_format = (has_own_scales || !unit.is_empty())
                .then(|| NumberFormat::for_values([value].into_iter(), &rules, chart.locale()));
            let format = own_format.as_ref().unwrap_or(&common_format);
            add_unit(&format.text(value), &unit, chart.locale())
        });
        let mut bands: Vec<f64> = BAND_KEYS.iter().filter_map(|key| number(key)).collect();
        bands.sort_by(f64::total_cmp);
        Measure {
            row,
            label: data::record_label(record),
            value,
            target: number("target"),
            bands,
            value_text,
            highlighted: data::is_true(data::field(record, "highlighted")),
        }
    };
    chart.data.iter().enumerate().map(measure).collect()
}

/// Returns a formatted number with its unit. Degree, minute and second signs follow without a space.
fn add_unit(number: &str, unit: &str, locale: Locale) -> String {
    match unit.starts_with(['°', '′', '″']) {
        true => format!("{number}{}", locale.localize_unit(unit)),
        false => unit_texts::add_unit(number, unit, locale),
    }
}

/// Returns the color of the band at `index` (0 is the lowest and darkest) of a row with `count`
/// bands. With fewer than three bands the lighter colors are used.
fn band_color(style: &ChartStyle, index: usize, count: usize) -> Color {
    let position = BAND_TINTS.len().saturating_sub(count) + index;
    style.muted_color.mix(style.background, BAND_TINTS.get(position).copied().unwrap_or(0.8))
}

/// Returns the color of the bar: the first series color if no row is highlighted, otherwise the
/// accent for highlighted rows and a muted color for the others.
fn choose_bar_color(
    chart: &Chart,
    any_highlighted: bool,
    measure: &Measure,
    style: &ChartStyle,
) -> Color {
    match (any_highlighted, measure.highlighted) {
        (false, _) => chart.series_color(0),
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.muted_color,
    }
}

/// Draws the legend of bar, target line and bands with their titles from the settings. Returns the
/// area below it.
///
/// The target line is listed only if a record has a target. Only bands with a title in the setting
/// `bandTitles` are listed.
fn draw_legend(
    chart: &Chart,
    measures: &[Measure],
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let title_or = |key: &str, default: Term| {
        let title = text::sanitize(chart.str_setting(key)).into_owned();
        if title.is_empty() { style.locale.translate(default).to_owned() } else { title }
    };
    let any_highlighted = measures.iter().any(|measure| measure.highlighted);
    let bar = if any_highlighted { style.muted_color } else { chart.series_color(0) };
    let mut entries = vec![(title_or("valueTitle", Term::Value), bar)];
    if measures.iter().any(|measure| measure.target.is_some()) {
        entries.push((title_or("targetTitle", Term::Target), style.text_color));
    }
    let count = measures.iter().map(|measure| measure.bands.len()).max().unwrap_or(0);
    let titles = chart.setting("bandTitles").as_array().map_or(&[][..], |titles| titles.as_slice());
    for (index, title) in titles.iter().take(count).enumerate() {
        let title = data::display_text(title);
        if !title.is_empty() {
            entries.push((title.into_owned(), band_color(style, index, count)));
        }
    }
    legend::draw(scene, style, area, entries.iter().map(|entry| (&*entry.0, entry.1)))
}

/// Lays out the rows, draws the category labels, and reserves space for axes and value labels.
///
/// Leaves out the value labels, and the tick labels of rows with own scales, if they do not fit or
/// are switched off.
fn lay_out(
    measures: &[Measure],
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    let has_own_scales = has_own_scales(chart);
    let axis_height = ValueAxis::bottom_height(style) + 2.0 * style.unit;
    let step = area.height() / measures.len().max(1) as f64;
    let has_tick_labels =
        chart.bool_setting("showGrid", true) && step >= axis_height + style.label_size * 1.8;
    let value_widths = measures
        .iter()
        .map(|measure| text::width(&measure.value_text, style.label_size, Face::BOLD));
    let value_width = value_widths.fold(0.0, f64::max) + 10.0 * style.unit;
    let with_values = value_width <= area.width() * 0.25 && chart.bool_setting("showValues", true);
    let has_axis = !has_own_scales
        && chart.bool_setting("showGrid", true)
        && !(with_values && fits_only_without_axis(measures.len(), style, area));
    let mut padding = if measures.len() > 60 { 0.1 } else { 0.4 };
    let mut range = (area.y0, area.y1);
    if has_own_scales && has_tick_labels {
        // The bars move up, because each row has its tick labels below the bar.
        padding = (axis_height + 10.0 * style.unit) / step;
        range = (area.y0 - axis_height / 2.0, area.y1 - axis_height / 2.0);
    } else if has_axis {
        area.y1 = (area.y1 - ValueAxis::bottom_height(style)).max(area.y0 + 1.0);
        range.1 = area.y1;
    }
    let row_scale =
        BandScale { count: measures.len(), range, padding, max_width: 34.0 * style.unit };
    let names: Vec<Cow<str>> = measures.iter().map(|measure| measure.label.clone()).collect();
    let name_widths = (area.width() * 0.3, area.width() * 0.45);
    let row_labels = RowLabels::plan_uncut(&names, row_scale.step(), name_widths, style);
    let fits = with_values && row_scale.step() >= style.label_size * MIN_ROW_EM;
    let value_right = fits.then_some(area.x1);
    let left = area.x0 + row_labels.width;
    let right = area.x1 - if value_right.is_some() { value_width } else { 0.0 };
    row_labels.draw(scene, style, area.x0, &row_scale);
    let area = Rect::new(left, area.y0, right.max(left + 1.0), area.y1);
    let scale_mode = if has_own_scales {
        ScaleMode::Own { has_tick_labels }
    } else {
        ScaleMode::Common { has_axis }
    };
    Plot { area, row_scale, value_right, scale_mode }
}

/// Returns true if `count` rows in `area` are high enough for their names and values without an
/// axis below them, but too low with one.
fn fits_only_without_axis(count: usize, style: &ChartStyle, area: Rect) -> bool {
    let has_texts = |height: f64| height >= style.label_size * MIN_ROW_EM * count as f64;
    has_texts(area.height()) && !has_texts(area.height() - ValueAxis::bottom_height(style))
}

/// Draws bands, bar, target and zero line of one row, without the text of its value.
///
/// Omits a missing value or target. A row without bands gets a pale background. `scale` must
/// include zero. `axis_number` is equal for rows with a common value axis.
fn draw_row(
    measure: &Measure,
    row: Rect,
    (scale, axis_number): (&LinearScale, usize),
    fill: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let height = row.height();
    let count = measure.bands.len();
    let mut from = row.x0;
    for (index, end) in measure.bands.iter().enumerate() {
        let to = scale.at(*end);
        scene.rect(Rect { x0: from, x1: to, ..row }, band_color(style, index, count));
        from = to.max(from);
    }
    if count == 0 {
        scene.rect(row, band_color(style, 0, 1));
    }
    scene.begin_mark("bar", Some(measure.row), || {
        (Some("value".to_owned()), format!("{}: {}", measure.label, measure.value_text))
    });
    if let Some(value) = measure.value {
        let (zero, end) = (scale.at(0.0), scale.at(value));
        let inset = height * 0.31;
        let value_end = ValueEnd::new(false, row.center().y, end, height / 2.0 - inset);
        scene.record_value(measure.row, Some("value"), value, value_end.on_axis(axis_number));
        scene.rect(Rect::new(zero.min(end), row.y0 + inset, zero.max(end), row.y1 - inset), fill);
    }
    if let Some(target) = measure.target {
        let (x, inset) = (scale.at(target), height * 0.12);
        let value_end = ValueEnd::new(false, row.center().y, x, height / 2.0 - inset);
        scene.record_value(measure.row, Some("target"), target, value_end.on_axis(axis_number));
        let half = (height * 0.06).clamp(0.5, 1.5 * style.unit);
        // The mark of a target at the end of the scale would protrude from the row.
        let x = x.clamp(row.x0 + half, (row.x1 - half).max(row.x0 + half));
        scene.rect(Rect::new(x - half, row.y0 + inset, x + half, row.y1 - inset), style.text_color);
    }
    scene.end_mark();
    let zero = scale.at(0.0);
    let stroke = Stroke::new(style.axis_color, 1.0);
    scene.line(Point::new(zero, row.y0), Point::new(zero, row.y1), stroke);
}

/// Draws the value in bold, right-aligned at the x coordinate `right`, vertically centered in its
/// row. Draws nothing if `right` is None.
fn draw_value_label(
    measure: &Measure,
    row: Rect,
    right: Option<f64>,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(x) = right else { return };
    let size = style.label_size;
    let text = style.label_text(
        x,
        row.center().y + HALF_CAP_HEIGHT_EM * size,
        Anchor::End,
        size,
        &measure.value_text,
    );
    let width = text::width(&measure.value_text, size, Face::BOLD);
    scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..text });
}

/// Sets the text description of the scene: number of values, the first and the last in the order of
/// the data, and the number of values at or above their target.
fn describe(measures: &[Measure], scene: &mut Scene) {
    let mut with_value = measures.iter().filter(|measure| measure.value.is_some());
    scene.description = format!("Bullet chart of {} values", with_value.clone().count());
    if let (Some(first), Some(last)) = (with_value.next(), with_value.next_back()) {
        scene.description.push_str(&format!(
            ", from {} ({}) to {} ({})",
            first.label, first.value_text, last.label, last.value_text
        ));
    }
    let with_target = measures.iter().filter_map(|measure| Some((measure.value?, measure.target?)));
    let target_count = with_target.clone().count();
    if target_count > 0 {
        let reached = with_target.filter(|(value, target)| value >= target).count();
        let summary = format!("; {reached} of {target_count} are at or above their target");
        scene.description.push_str(&summary);
    }
    scene.description.push('.');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn small_charts_have_names_and_values_instead_of_an_axis() {
        let record = |index: usize| json!({"label": format!("Office {}", ['a', 'b'][index % 2]), "value": index * 7, "target": 40});
        let mut data: Vec<Value> = (0..11).map(record).collect();
        let kind = crate::find_kind("bullet").unwrap();
        let draw_small = |data: &[Value]| {
            crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, data) })
        };
        let scene = draw_small(&data);
        assert_eq!(scene.omissions, []);
        assert!(scene.text_boxes().any(|(text, _)| text == "63"));
        data.push(json!({"label": "Depot", "target": 12}));
        assert!(draw_small(&data).omissions.contains(&(Omission::MissingValue, 1)));
    }

    #[test]
    fn values_with_different_units_have_own_scales_and_keep_them() {
        let data = [
            json!({"label": "Revenue", "value": "$1,240,500", "target": 1_500_000}),
            json!({"label": "Margin", "value": "41.3%", "target": 45}),
            json!({"label": "Delivery", "value": 3.8, "target": 3, "unit": "days"}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for text in ["41.3%", "3.8\u{a0}days"] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("$1.24")), "{texts:?}");
        assert!(has_own_scales(&Chart::new(&KIND, &data)));
        assert!(!has_own_scales(&Chart::new(&KIND, &data[..1])));
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
        // `12.5 m` is no number, but `12.5 m€` is.
        let data = [json!({"label": "Revenue", "value": "12.5 m€", "target": "14 m€"})];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert!(scene.text_boxes().any(|(text, _)| text == "€12.5M"));
        let data = [json!({"label": "Latency", "value": "1.5 s", "target": "800 ms"})];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert!(scene.omissions.contains(&(Omission::MissingValue, 1)));
    }
}
