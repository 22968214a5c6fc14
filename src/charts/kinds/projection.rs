//! Projection chart: a line of known values that continues as a dashed line of expected values in a
//! band of uncertainty.
//!
//! Record: `date` (or `label`), `value`, `projected`, `low` and `high`, `low2` and `high2` (a
//! second, wider band), `isForecast` (optional flag: the value is only expected). Settings:
//! `forecastStart` (date or label of the first forecast), `forecastTitle`, `bandTitle`,
//! `band2Title`, `showLegend`, `showValues`, `showPoints`, `showGrid`, `axis`.

mod labels;
mod records;
mod shapes;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Term, date};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::curve_layout::XAxis;
use crate::frame::curves::XValues;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text, ValueEnd};
use crate::text;

use records::{Moment, Moments};

/// The projection chart.
pub const KIND: Kind = Kind { slug: "projection", draw };

/// Maximum number of records with visible points.
const MAX_POINTS: usize = 60;
/// Maximum number of records with tooltips.
const MAX_HOVER_TARGETS: usize = 2000;

/// Layout of the plot.
struct Plot {
    area: Rect,
    /// X coordinates of the records.
    x: Vec<f64>,
    y: LinearScale,
    line_width: f64,
    /// Names of the bands, for tooltips.
    band_titles: [String; 2],
    /// Whether the axis cuts off values.
    is_clipped: bool,
}

impl Plot {
    /// Returns the position of a value of the record at an index. It is above or below the plot if
    /// the value is beyond the axis.
    fn point(&self, position: usize, value: f64) -> Point {
        let x = self.x.get(position).copied().unwrap_or(self.area.x0);
        Point::new(x, self.y.at_unclamped(value))
    }
}

/// Draws axes, bands, lines and labels. Draws a note instead if no record has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let content = records::read_moments(chart, scene);
    let Moments { moments, x_values } = &content;
    let range = find_range(moments);
    if range.0 > range.1 {
        return frame::draw_no_data(frame, scene);
    }
    let values = || moments.iter().flat_map(Moment::values);
    let all_values: Vec<f64> = values().collect();
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values(all_values.iter().copied(), &rules, chart.locale());
    describe(chart, moments, x_values, &format, scene);
    let color = style.readable_line_color(chart.series_color(0));
    let band_titles = read_band_titles(chart);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        area = draw_legend(chart, moments, color, style, area, scene);
    }
    let with_values = chart.bool_setting("showValues", true);
    let ends = if with_values { labels::read_end_values(moments, &format) } else { Vec::new() };
    let gutter = labels::measure_gutter(&ends, style).min(area.width() * 0.3);
    let plot = lay_out(chart, x_values, range, band_titles, (area, gutter), style, scene);
    if plot.is_clipped {
        scene.push(Primitive::BeginClip(plot.area.inflate(0.0, 1.0)));
    }
    shapes::draw_bands(moments, &plot, color, scene);
    let forecast = read_forecast_title(chart);
    let titles = [chart.locale().translate(Term::Value), &*forecast];
    shapes::draw_lines(moments, &plot, color, titles, style, scene);
    if plot.is_clipped {
        scene.push(Primitive::EndClip);
    }
    draw_forecast_start(moments, &forecast, &plot, style, scene);
    draw_points(chart, &content, &plot, color, &format, style, scene);
    if with_values {
        labels::draw_end_values(&ends, &plot, color, style, scene);
        let is_split = moments.iter().any(Moment::is_forecast);
        if is_split {
            labels::draw_last_known(moments, &plot, color, &format, style, scene);
        }
    }
}

/// Returns the lowest and the highest number of all records, including the ends of bands. Without
/// any, returns infinity and negative infinity.
fn find_range(moments: &[Moment]) -> (f64, f64) {
    let values = moments.iter().flat_map(Moment::values);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Returns the name of the forecast from the setting `forecastTitle`, or the translated default.
fn read_forecast_title<'a>(chart: &Chart<'a>) -> Cow<'a, str> {
    match chart.settings["forecastTitle"].as_str().map(text::sanitize) {
        Some(title) if !title.is_empty() => title,
        _ => Cow::Borrowed(chart.locale().translate(Term::Forecast)),
    }
}

/// Returns the names of the inner and the outer band from the settings, each else the translated
/// word for a range.
fn read_band_titles(chart: &Chart) -> [String; 2] {
    ["bandTitle", "band2Title"].map(|key| {
        let title = text::sanitize(chart.str_setting(key));
        if title.is_empty() {
            chart.locale().translate(Term::Range).to_owned()
        } else {
            title.into()
        }
    })
}

/// Draws the legend of the bands that occur and have a name in the settings. Returns the area below
/// it, or all of `area` if there are none.
fn draw_legend(
    chart: &Chart,
    moments: &[Moment],
    color: Color,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let mut entries: Vec<(Cow<str>, Color)> = Vec::new();
    for (index, key) in ["bandTitle", "band2Title"].into_iter().enumerate() {
        let title = text::sanitize(chart.str_setting(key));
        let has_band =
            moments.iter().any(|moment| moment.bands.get(index).copied().flatten().is_some());
        if has_band && !title.is_empty() {
            let own = shapes::band_color(color, index, style);
            // The inner band lies on the outer one.
            let has_outer = index == 0 && moments.iter().any(|moment| moment.bands[1].is_some());
            let fill = if has_outer { own.mix(color, 0.12) } else { own };
            entries.push((title, fill));
        }
    }
    if entries.is_empty() {
        return area;
    }
    legend::draw(scene, style, area, entries.iter().map(|(title, color)| (&**title, *color)))
}

/// Lays out the plot in `area`, with the space `gutter` in points for labels at the right. Draws
/// title, axes and the zero line.
fn lay_out(
    chart: &Chart,
    x_values: &XValues,
    range: (f64, f64),
    band_titles: [String; 2],
    (mut area, gutter): (Rect, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area) + style.label_size * 0.4;
    // Reserves a line for the name of the forecast.
    area.y0 += if area.height() > style.label_size * 8.0 { style.label_size * 1.2 } else { 0.0 };
    let rules = chart.format_rules("value");
    let lengths = (area.height(), axis::y_tick_spacing(style));
    let values = ValueAxis::new(chart, style, range, IncludeZero::WhenNear, lengths, &rules);
    let left = area.x0 + values.left_width(style).min(area.width() * 0.4);
    let sides = (left, (area.x1 - gutter).max(left + 1.0));
    let x_axis = XAxis::new(chart, style, x_values, sides, area.height() * 0.4);
    let bottom = (area.y1 - x_axis.height(style)).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let y = LinearScale { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::grid_style(chart, style), plot, &y);
    x_axis.draw(scene, style, plot);
    if values.domain.0 <= 0.0 && values.domain.1 >= 0.0 {
        axis::draw_baseline(scene, style, (plot.x0, y.at(0.0)), (plot.x1, y.at(0.0)));
    }
    let count = match x_values {
        XValues::Categories(names) => names.len(),
        XValues::Timestamps(values) | XValues::Numbers(values) => values.len(),
    };
    let x = (0..count).map(|index| x_axis.position(x_values, index)).collect();
    let line_width = style.unit * if count > 300 { 1.5 } else { 2.5 };
    let is_clipped = range.0 < values.domain.0 || range.1 > values.domain.1;
    Plot { area: plot, x, y, line_width, band_titles, is_clipped }
}

/// Draws a vertical line at the last known value before the first forecast, with the name of the
/// forecast beside its upper end. Without a known value, writes the name at the left edge of the
/// plot, without a line. Omits the name if it would overlap another text. Draws nothing without a
/// forecast.
fn draw_forecast_start(
    moments: &[Moment],
    title: &str,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(first) = moments.iter().position(Moment::is_forecast) else { return };
    let known = moments.iter().take(first).rposition(|moment| moment.actual.is_some());
    let x = known.and_then(|position| plot.x.get(position)).copied();
    let size = style.label_size;
    let top = plot.area.y0 - size * 1.1;
    if let Some(x) = x {
        let stroke = Stroke::new(style.axis_color, 1.0).dashed(2.0, 3.0);
        scene.line((x, top), (x, plot.area.y1), stroke);
    }
    let label_x = x.unwrap_or(plot.area.x0) + size * 0.4;
    let width = style.text_width(title, size);
    let right = scene.width - style.margin;
    let (x, anchor) = if label_x + width <= right {
        (label_x, Anchor::Start)
    } else {
        (label_x - size * 0.8, Anchor::End)
    };
    let label = style.label_text(x, top + ASCENT_EM * size, anchor, size, title);
    let is_free = !scene.text_boxes().any(|(_, bounds)| bounds.overlaps(label.bounds()));
    if is_free {
        scene.text(Text { color: style.muted_color, ..label });
    }
}

/// Draws dots: at the last known and the last expected value, and with the setting `showPoints` at
/// all values of up to `MAX_POINTS` records. In interactive charts, the other values and bands
/// without a value get invisible pointer targets. Values beyond the plot get neither.
fn draw_points(
    chart: &Chart,
    content: &Moments,
    plot: &Plot,
    color: Color,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Moments { moments, x_values } = content;
    let shows_all = chart.bool_setting("showPoints", false) && moments.len() <= MAX_POINTS;
    let last_known = moments.iter().rposition(|moment| moment.actual.is_some());
    let last_expected = moments.iter().rposition(|moment| moment.expected.is_some());
    for (position, moment) in moments.iter().enumerate() {
        let is_last = [last_known, last_expected].contains(&Some(position));
        let is_target = scene.interactive
            && (moments.len() <= MAX_HOVER_TARGETS || scene.requires_mark(moment.row));
        if !shows_all && !is_last && !is_target {
            continue;
        }
        let values = [
            moment.actual.map(|value| ("value", value, true)),
            moment.expected.map(|value| (moment.expected_key, value, true)),
            moment.bands[0]
                .filter(|_| moment.actual.or(moment.expected).is_none())
                .map(|(low, _)| ("low", low, false)),
        ];
        for (key, value, has_dot) in values.into_iter().flatten() {
            let point = plot.point(position, value);
            if !plot.area.inflate(1.0, 1.0).contains(point) {
                continue;
            }
            scene.begin_mark("point", Some(moment.row), || {
                let name = moment_label(chart, moment, x_values, position);
                (Some(key.to_owned()), format!("{name}: {}", describe_value(moment, value, format)))
            });
            let end = ValueEnd::new(true, point.x, point.y, 0.0);
            scene.record_value(moment.row, Some(key), value, end);
            if has_dot && (shows_all || is_last) {
                let is_expected = moment.actual.is_none();
                let (fill, rim) = if is_expected {
                    (style.background, Stroke::new(color, plot.line_width * 0.8))
                } else {
                    (color, Stroke::new(style.background, style.unit))
                };
                scene.circle(point, plot.line_width * 1.5, fill, Some(rim));
            } else if is_target {
                scene.circle(point, 5.0, color.with_opacity(0.0), None);
            }
        }
    }
    scene.end_mark();
}

/// Returns the formatted date of a record on a time axis, otherwise its label. `position` is its
/// index in `x_values`.
fn moment_label(chart: &Chart, moment: &Moment, x_values: &XValues, position: usize) -> String {
    match x_values {
        XValues::Categories(_) | XValues::Numbers(_) => {
            records::moment_name(chart, moment).into_owned()
        }
        XValues::Timestamps(timestamps) => timestamps
            .get(position)
            .map_or(String::new(), |seconds| date::format_moment(*seconds, chart.locale())),
    }
}

/// Returns a value with the ends of its inner band, such as "12 (10–14)", or alone without such a
/// band. If the record has neither a known nor an expected value, returns only the ends and ignores
/// `value`.
fn describe_value(moment: &Moment, value: f64, format: &NumberFormat) -> String {
    let value_text = format.text(value);
    match moment.bands[0] {
        Some((low, high)) if moment.actual.or(moment.expected).is_none() => {
            format!("{}–{}", format.text(low), format.text(high))
        }
        Some((low, high)) => {
            format!("{value_text} ({}–{})", format.text(low), format.text(high))
        }
        None => value_text,
    }
}

/// Sets the text description of the scene: numbers of known and expected values, and the last of
/// each with its inner band.
fn describe(
    chart: &Chart,
    moments: &[Moment],
    x_values: &XValues,
    format: &NumberFormat,
    scene: &mut Scene,
) {
    let count = moments.iter().filter(|moment| moment.actual.is_some()).count();
    let expected = moments.iter().filter(|moment| moment.is_forecast()).count();
    let mut text = format!("Projection chart of {count} known and {expected} expected values");
    let named = |position: usize, moment: &Moment, value: f64| {
        let name = moment_label(chart, moment, x_values, position);
        format!("{} ({name})", describe_value(moment, value, format))
    };
    let last = |value: fn(&Moment) -> Option<f64>| {
        let found = moments.iter().enumerate().rev();
        found
            .into_iter()
            .find_map(|(position, moment)| Some(named(position, moment, value(moment)?)))
    };
    if let Some(known) = last(|moment| moment.actual) {
        text.push_str(&format!("; last known value {known}"));
    }
    if let Some(expected) = last(|moment| moment.expected.filter(|_| moment.actual.is_none())) {
        text.push_str(&format!("; last expected value {expected}"));
    }
    scene.description = format!("{text}.");
}
