//! Charts with horizontal bars on two sides of a central column of names: butterfly charts and
//! population pyramids.

use std::borrow::Cow;

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::category::RowLabels;
use crate::frame::{ChartStyle, Frame};
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text, ValueEnd};
use crate::text;
use crate::text::Face;

/// Options of a chart kind with two sides.
pub struct TwoSidedOptions {
    /// Name of the chart kind that starts the description, such as `Butterfly chart`.
    pub name: &'static str,
    /// Share of a row step between two bars, 0 to 1.
    pub padding: f64,
    /// Maximum thickness of a bar in [`ChartStyle::unit`]s.
    pub max_thickness: f64,
    /// Default of the setting `showValues`.
    pub show_values: bool,
    /// Whether a side with only negative values shows their amounts, because the values have a sign only to
    /// put the bars on that side in other programs.
    pub reads_signs_as_sides: bool,
}

/// A record with its values of the left and the right side.
pub struct TwoSidedRow<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name in the central column.
    pub label: Cow<'a, str>,
    values: [Option<f64>; 2],
    highlighted: bool,
}

impl TwoSidedRow<'_> {
    /// Returns the sum of both values, with a missing one as 0. None if the record has neither.
    pub fn sum(&self) -> Option<f64> {
        match self.values {
            [None, None] => None,
            [left, right] => Some(left.unwrap_or(0.0) + right.unwrap_or(0.0)),
        }
    }
}

/// One side of the chart.
struct Side {
    /// Key of the column in the records.
    key: String,
    /// Title; may be empty.
    title: String,
    color: Color,
    rules: FormatRules,
}

/// Values, texts and columns of the whole chart.
struct Content<'a> {
    sides: [Side; 2],
    rows: Vec<TwoSidedRow<'a>>,
    /// Formatted values of each row, left and right; empty for missing values.
    value_texts: Vec<[String; 2]>,
}

/// Scales and areas of the chart.
struct Plot {
    /// Scale from row indexes to y coordinates.
    band: BandScale,
    /// Scales from values to x coordinates, left and right.
    scales: [LinearScale; 2],
    area: Rect,
    /// X coordinates of both edges of the central column of names.
    name_column: (f64, f64),
    /// Font size of the value labels; None if they are hidden or do not fit.
    value_label_size: Option<f64>,
}

/// Draws the chart and sets the description. `sort_rows` brings the rows into drawing order.
///
/// A record without a value is a row without bars. The scene counts the missing values. If no
/// record has a value, draws the note about missing data instead.
pub fn draw(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    options: &TwoSidedOptions,
    sort_rows: impl FnOnce(&mut [TwoSidedRow]),
) {
    let sides = read_sides(chart);
    let mut rows = read_rows(chart, &sides);
    if options.reads_signs_as_sides {
        remove_signs_of_sides(&mut rows, scene);
    }
    if rows.iter().all(|row| row.sum().is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    scene.omit(Omission::MissingValue, chart.count_gaps(sides.iter().map(|side| &*side.key)));
    sort_rows(&mut rows);
    let all_values = || rows.iter().flat_map(|row| row.values).flatten();
    let formats = [0, 1].map(|side: usize| {
        NumberFormat::for_values(all_values(), &sides[side].rules, chart.locale())
    });
    let value_texts = rows.iter().map(|row| format_values(row, &formats)).collect();
    let content = Content { sides, rows, value_texts };
    describe(options, &content, scene);
    let plot = draw_axes(chart, frame, scene, options, &content);
    draw_headings(&content.sides, &plot, frame, scene);
    draw_bars(&content, &plot, &frame.style, scene);
}

/// Returns the columns `left` and `right`, or the first two series if no record has a number in
/// either.
///
/// Titles of the settings take precedence over those of the series. A color is that of the
/// settings, else the series color of the chart with the index of the side.
fn read_sides(chart: &Chart) -> [Side; 2] {
    let is_number = |record: &Value, key: &str| data::number(data::field(record, key)).is_some();
    let has_left_or_right =
        chart.data.iter().any(|record| is_number(record, "left") || is_number(record, "right"));
    let series = if has_left_or_right { Vec::new() } else { chart.series() };
    let read_side = |index: usize, key: &str, title: &str, color: &str| {
        let series = series.get(index);
        let own_title = text::sanitize(chart.str_setting(title)).into_owned();
        let key = series.map_or(key, |column| &column.key);
        Side {
            title: if own_title.is_empty() {
                series.map_or(own_title, |column| column.title.clone())
            } else {
                own_title
            },
            color: Color::parse(chart.str_setting(color))
                .unwrap_or_else(|| chart.series_color(index)),
            rules: chart.format_rules(key),
            key: key.to_owned(),
        }
    };
    [
        read_side(0, "left", "leftTitle", "leftColor"),
        read_side(1, "right", "rightTitle", "rightColor"),
    ]
}

/// Reads the records of a chart in their order, including those without a value.
fn read_rows<'a>(chart: &Chart<'a>, sides: &[Side; 2]) -> Vec<TwoSidedRow<'a>> {
    let read_value = |record: &'a Value, side: &Side| data::number(data::field(record, &side.key));
    let read_row = |(row, record): (usize, &'a Value)| TwoSidedRow {
        row,
        label: data::record_label(record),
        values: [read_value(record, &sides[0]), read_value(record, &sides[1])],
        highlighted: data::is_true(data::field(record, "highlighted")),
    };
    chart.data.iter().enumerate().map(read_row).collect()
}

/// Replaces the values of a side by their amounts if none is above zero, and the other side has none below
/// zero. Warns about that.
fn remove_signs_of_sides(rows: &mut [TwoSidedRow], scene: &mut Scene) {
    let has = |side: usize, is_wanted: fn(f64) -> bool| {
        rows.iter().filter_map(|row| row.values[side]).any(is_wanted)
    };
    let is_negative =
        |side: usize| has(side, |value| value < 0.0) && !has(side, |value| value > 0.0);
    let negative = (0..2).find(|side| is_negative(*side));
    let Some(side) = negative.filter(|side| !has(1 - side, |value| value < 0.0)) else { return };
    for value in rows.iter_mut().filter_map(|row| row.values[side].as_mut()) {
        *value = value.abs();
    }
    scene.warn("One side has only negative values. The chart shows their amounts.");
}

/// Returns the formatted values of a row, left and right, empty for a missing value.
fn format_values(row: &TwoSidedRow, formats: &[NumberFormat; 2]) -> [String; 2] {
    [0, 1].map(|side: usize| {
        row.values[side].map_or(String::new(), |value| formats[side].text(value))
    })
}

/// Computes the layout and draws axis title, names and, if they are shown, both value axes.
///
/// The setting `showGrid` determines whether the axes are shown. By default, they are shown if
/// there are no value labels. A low area has no axes.
fn draw_axes(
    chart: &Chart,
    frame: &Frame,
    scene: &mut Scene,
    options: &TwoSidedOptions,
    content: &Content,
) -> Plot {
    let Content { sides, rows, value_texts } = content;
    let style = &frame.style;
    let mut area = frame.area;
    area.y0 += axis::draw_title(chart, style, scene, area);
    if sides.iter().any(|side| !side.title.is_empty()) && area.height() > style.label_size * 5.0 {
        area.y0 += style.label_size * 1.9;
    }
    let show_values = chart.bool_setting("showValues", options.show_values);
    let value_label_size = choose_label_size(value_texts, area, style).filter(|_| show_values);
    let with_axis = chart.bool_setting("showGrid", value_label_size.is_none())
        && area.height() > style.label_size * 4.0;
    if with_axis {
        area.y1 -= ValueAxis::bottom_height(style);
    }
    let band = build_row_scale(rows.len(), area, options, style);
    let names: Vec<Cow<str>> = rows.iter().map(|row| row.label.clone()).collect();
    let name_widths = (area.width() * 0.34, area.width() * 0.44);
    let labels = RowLabels::plan_uncut(&names, band.step(), name_widths, style);
    // Names have the same distance from the bars on both sides.
    let min_width = if with_axis { style.label_size * 2.4 } else { style.unit * 6.0 };
    let width = (labels.width + style.unit * 8.0).max(min_width);
    let middle = area.center().x;
    let name_column = (middle - width / 2.0, middle + width / 2.0);
    let value_range = find_value_range(rows);
    let lengths = ((name_column.0 - area.x0).max(1.0), axis::x_tick_spacing(style));
    let value_axis = |side: &Side| {
        ValueAxis::new(chart, style, value_range, IncludeZero::Always, lengths, &side.rules)
    };
    let values = value_axis(&sides[0]);
    let domain = if with_axis { values.domain } else { bands::tight_domain(chart, value_range) };
    let label_width = value_label_size
        .map_or(0.0, |size| measure_widest_text(value_texts, size, style) + size * 0.5);
    let inner = if value_range.0 < 0.0 { label_width } else { 0.0 };
    // Tick labels at the outer ends of the axes must stay within the area.
    let has_end_tick = with_axis && values.ticks.values.last() == Some(&domain.1);
    let outer =
        if has_end_tick { label_width.max(values.max_label_width / 2.0) } else { label_width };
    let scales = [
        LinearScale { domain, range: (name_column.0 - inner, area.x0 + outer) },
        LinearScale { domain, range: (name_column.1 + inner, area.x1 - outer) },
    ];
    if with_axis {
        values.draw_bottom(scene, style, Rect { x1: name_column.0, ..area }, &scales[0]);
        value_axis(&sides[1]).draw_bottom(
            scene,
            style,
            Rect { x0: name_column.1, ..area },
            &scales[1],
        );
    }
    labels.draw_at(scene, style, middle, Anchor::Middle, &band);
    Plot { band, scales, area, name_column, value_label_size }
}

/// Returns the lowest and the highest value of both sides of all rows, extended to zero.
fn find_value_range(rows: &[TwoSidedRow]) -> (f64, f64) {
    let values = rows.iter().flat_map(|row| row.values).flatten();
    values.fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)))
}

/// Returns the scale from row indexes to y coordinates, from top to bottom. Above 60 rows, the
/// padding is at most 0.1.
fn build_row_scale(
    count: usize,
    area: Rect,
    options: &TwoSidedOptions,
    style: &ChartStyle,
) -> BandScale {
    let max_width = options.max_thickness * style.unit;
    let padding = if count > 60 { options.padding.min(0.1) } else { options.padding };
    BandScale { count, range: (area.y0, area.y1.max(area.y0 + 1.0)), padding, max_width }
}

/// Returns the width in points of the widest value label at a font size.
fn measure_widest_text(value_texts: &[[String; 2]], size: f64, style: &ChartStyle) -> f64 {
    value_texts.iter().flatten().map(|label| style.text_width(label, size)).fold(0.0, f64::max)
}

/// Returns the label size, or else the small size, in points, if one line fits into a row of `area`
/// and each value label takes at most 15 % of its width. None if neither fits.
fn choose_label_size(value_texts: &[[String; 2]], area: Rect, style: &ChartStyle) -> Option<f64> {
    let step = area.height() / value_texts.len().max(1) as f64;
    let fits = |size: &f64| {
        size * 1.1 <= step && measure_widest_text(value_texts, *size, style) <= area.width() * 0.15
    };
    [style.label_size, style.small_size].into_iter().find(fits)
}

/// Draws the title of each side above its bars, shortened to their width, if there is space above
/// the plot area.
fn draw_headings(sides: &[Side; 2], plot: &Plot, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let size = style.label_size;
    if plot.area.y0 - frame.area.y0 < size * 1.8 {
        return;
    }
    let baseline = plot.area.y0 - size * 1.9 + ASCENT_EM * size + size * 0.35;
    let headings = [
        (plot.name_column.0, Anchor::End, plot.name_column.0 - plot.area.x0),
        (plot.name_column.1, Anchor::Start, plot.area.x1 - plot.name_column.1),
    ];
    for (side, (x, anchor, max_width)) in sides.iter().zip(headings) {
        let title = text::ellipsize(&side.title, max_width, size, Face::BOLD);
        let full = if title.len() < side.title.len() { Some(side.title.clone()) } else { None };
        scene.text(Text {
            face: Face::BOLD,
            width: text::width(&title, size, Face::BOLD),
            color: side.color.readable_on(style.background, 4.5),
            full,
            ..style.label_text(x, baseline, anchor, size, &title)
        });
    }
}

/// Draws the bars with their value labels, and the baselines. Missing values have no bar, and
/// negative values extend towards the names. If rows are highlighted, the bars of the others are
/// paler.
fn draw_bars(content: &Content, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let Content { sides, rows, value_texts } = content;
    let any_highlighted = rows.iter().any(|row| row.highlighted);
    let width = plot.band.width();
    // Adjacent bars are separated by a thin line of background, unless they are too thin for it.
    let inset = if plot.band.padding == 0.0 && width > 4.0 { 0.5 } else { 0.0 };
    for (index, (row, texts)) in rows.iter().zip(value_texts).enumerate() {
        let start = plot.band.start(index);
        for (side_index, side) in sides.iter().enumerate() {
            let Some(value) = row.values[side_index] else { continue };
            let value_text = &texts[side_index];
            scene.begin_mark("bar", Some(row.row), || {
                let name = if side.title.is_empty() { &side.key } else { &side.title };
                (Some(side.key.clone()), format!("{}, {name}: {value_text}", row.label))
            });
            let (zero, end) = (plot.scales[side_index].at(0.0), plot.scales[side_index].at(value));
            let (near, far) = (zero.min(end), zero.max(end));
            let rect = Rect::new(near, start + inset, far, start + width - inset);
            let value_end = ValueEnd::new(false, rect.center().y, end, rect.height() / 2.0);
            // Bars on the two sides grow in opposite directions.
            scene.record_value(row.row, Some(&side.key), value, value_end.on_axis(side_index));
            let is_muted = any_highlighted && !row.highlighted;
            let fill = if is_muted { side.color.mix(style.background, 0.6) } else { side.color };
            scene.rect(rect, fill);
            let Some(size) = plot.value_label_size else { continue };
            let gap = size * 0.35;
            let (x, anchor) = match (side_index == 0) == (value >= 0.0) {
                true => (near - gap, Anchor::End),
                false => (far + gap, Anchor::Start),
            };
            let y = rect.center().y + HALF_CAP_HEIGHT_EM * size;
            let color = style.value_color;
            scene.text(Text { color, ..style.label_text(x, y, anchor, size, value_text) });
        }
    }
    scene.end_mark();
    for scale in &plot.scales {
        let zero = scale.at(0.0);
        axis::draw_baseline(scene, style, (zero, plot.area.y0), (zero, plot.area.y1));
    }
}

/// Sets the description of the image, in English: number of rows with a value, and the highest
/// value of each side.
fn describe(options: &TwoSidedOptions, content: &Content, scene: &mut Scene) {
    let Content { sides, rows, value_texts } = content;
    let count = rows.iter().filter(|row| row.sum().is_some()).count();
    scene.description =
        format!("{} of {count} {}", options.name, if count == 1 { "row" } else { "rows" });
    for (side_index, side) in sides.iter().enumerate() {
        let values = rows.iter().zip(value_texts).filter_map(|(row, texts)| {
            Some((row.values[side_index]?, &row.label, &texts[side_index]))
        });
        let highest = values.max_by(|one, two| one.0.total_cmp(&two.0));
        if let Some((_, label, value_text)) = highest {
            let name = if side.title.is_empty() { &side.key } else { &side.title };
            scene.description.push_str(&format!("; {name} highest at {value_text} ({label})"));
        }
    }
    scene.description.push('.');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Locale;
    use crate::Style;
    use crate::Theme;
    use crate::find_kind;
    use crate::scene::Primitive;

    /// Returns the left and right edge of each bar in points.
    fn bars(data: &[Value]) -> Vec<(f64, f64)> {
        let kind = find_kind("butterfly").unwrap();
        let scene = crate::draw(&Chart {
            kind,
            title: "",
            settings: &Value::Null,
            data,
            theme: &Theme::default(),
            style: &Style::default(),
            width: 720.0,
            height: 405.0,
            default_locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        });
        let rects = scene.shapes.iter().filter_map(|shape| match shape.primitive {
            Primitive::Rect { rect, .. } => Some((rect.x0, rect.x1)),
            _ => None,
        });
        rects.collect()
    }

    #[test]
    fn equal_values_are_equally_long_on_both_sides() {
        let bars = bars(&[json!({"label": "a", "left": 3, "right": 3})]);
        let [left, right] = bars[..] else { panic!("{bars:?}") };
        assert!((left.1 - left.0 - (right.1 - right.0)).abs() < 1e-6 && left.1 < right.0);
        assert!((left.0 + right.1 - 720.0).abs() < 1e-6, "not centered: {bars:?}");
    }

    #[test]
    fn negative_values_point_to_the_center() {
        let bars = bars(&[
            json!({"label": "a", "left": 3, "right": 3}),
            json!({"label": "b", "left": -2, "right": -2}),
        ]);
        let [left, right, left_below, right_below] = bars[..] else { panic!("{bars:?}") };
        assert!(left_below.0 >= left.1 - 1e-6 && right_below.1 <= right.0 + 1e-6, "{bars:?}");
        assert!(left_below.1 < right_below.0, "no space for names: {bars:?}");
    }

    #[test]
    fn without_left_and_right_the_first_two_series_are_used() {
        assert_eq!(bars(&[json!({"label": "a", "s1": 3, "s2": 1, "s3": 9})]).len(), 2);
    }
}
