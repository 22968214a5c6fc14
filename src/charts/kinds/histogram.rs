//! Histogram: the frequency of values, as adjacent bars over bins of equal width.
//!
//! Record: `value`; or `from`, `to`, `count` for bins that are already counted; `highlighted`. `from` may
//! have both ends in one text, such as `18–29`. A bin without a `to` after others is open, as `65+` is.
//!
//! Settings: `bins` (approximate number of bins), `marker` (`none`, `mean`, `median`), `xTitle`,
//! `showValues`, `showGrid`, `axis`.

mod bin_labels;
mod bins;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{LinearScale, Ticks};
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};
use crate::text;
use crate::text::Face;

use bins::{Bin, Bins, Marker, OpenEnd};

/// The histogram.
pub const KIND: Kind = Kind { slug: "histogram", draw };

/// Layout of the plot.
struct Plot {
    /// Rectangle between the axes.
    area: Rect,
    /// Positions of values.
    x: LinearScale,
    /// Positions of the heights that [`Bins::height`] returns.
    y: LinearScale,
}

/// Labels of counts, bin edges and marker.
struct Labels {
    count_format: NumberFormat,
    edge_format: NumberFormat,
    /// Font size of the counts in points. None if they do not fit or are switched off.
    count_size: Option<f64>,
    /// Marker of mean or median. None if it is switched off or the values are unknown.
    marker: Option<Marker>,
}

impl Labels {
    /// Returns the edges of a bin, such as `18 – 30`, `65+` or `< 18`.
    fn format_range(&self, bin: &Bin) -> String {
        let (from, to) = (self.edge_format.text(bin.from), self.edge_format.text(bin.to));
        match bin.open_end {
            None => format!("{from} – {to}"),
            Some(OpenEnd::Lower) => format!("< {to}"),
            Some(OpenEnd::Upper) => format!("{from}+"),
        }
    }
}

/// Draws axes, bars, counts and the marker of mean or median. Draws a note instead if there are no
/// bins.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let Some(bins) = bins::read_bins(chart, scene) else {
        return frame::draw_no_data(frame, scene);
    };
    let style = &frame.style;
    let labels = plan_labels(chart, &bins, frame);
    let plot = draw_axes(chart, style, frame.area, &bins, &labels, scene);
    draw_bars(chart, &bins, &plot, &labels, style, scene);
    axis::draw_baseline(scene, style, (plot.area.x0, plot.area.y1), (plot.area.x1, plot.area.y1));
    if let Some(marker) = labels.marker {
        draw_marker(chart, marker, &bins, &plot, style, scene);
    }
    if let Some(size) = labels.count_size {
        bin_labels::draw_counts(&bins, &plot, &labels, size, style, scene);
    }
    describe(&bins, &labels, scene);
}

/// Determines the number formats of counts and bin edges, the font size of the counts, and the
/// marker of mean or median.
fn plan_labels(chart: &Chart, bins: &Bins, frame: &Frame) -> Labels {
    let count_format = NumberFormat::for_values(
        bins.all.iter().map(|bin| bin.count),
        &chart.format_rules("count"),
        chart.locale(),
    );
    let edge_format = NumberFormat::for_axis(
        bins.max_magnitude(),
        bins.min_width(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let count_size = choose_count_label_size(chart, bins, &count_format, frame);
    let marker = bins.marker(chart.str_setting("marker"));
    Labels { count_format, edge_format, count_size, marker }
}

/// Returns the larger of the two label sizes, in points, at which all counts fit above their bars.
/// Bins of unequal width have no axis of counts and get the smaller size, for the counts that fit.
/// None if they do not fit or are switched off.
fn choose_count_label_size(
    chart: &Chart,
    bins: &Bins,
    format: &NumberFormat,
    frame: &Frame,
) -> Option<f64> {
    let style = &frame.style;
    let (low, high) = bins.ends();
    let bar_width = |bin: &Bin| (bin.to - bin.from) / (high - low) * frame.area.width() * 0.93;
    let is_high = |size: f64| frame.area.height() > size * 8.0;
    let fits = |size: &f64| {
        let label_width = |bin: &Bin| style.text_width(&format.text(bin.count), *size) + 2.0;
        bins.all.iter().all(|bin| label_width(bin) <= bar_width(bin)) && is_high(*size)
    };
    let values_wanted = chart.bool_setting("showValues", true);
    let for_some = Some(style.small_size).filter(|size| !bins.equal_widths && is_high(*size));
    let size = [style.label_size, style.small_size].into_iter().find(fits).or(for_some);
    size.filter(|_| values_wanted)
}

/// Lays out the plot and draws the axes.
///
/// Leaves space for the label of the marker above the plot, and for the counts above the bars. With
/// counts, the count axis is drawn only if the highest bar has at least 3 values and `showGrid` is
/// on. Bins of unequal width have no count axis.
fn draw_axes(
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    bins: &Bins,
    labels: &Labels,
    scene: &mut Scene,
) -> Plot {
    // Bins of unequal width are compared by area. Their heights are not counts, so there is no
    // count axis.
    let highest = bins.all.iter().map(|bin| bins.height(bin)).fold(0.0, f64::max);
    let with_axis = bins.equal_widths
        && (labels.count_size.is_none() || highest >= 3.0 && chart.bool_setting("showGrid", true));
    if with_axis {
        area.y0 += axis::draw_title(chart, style, scene, area);
    }
    area.y0 += style.label_size * if labels.marker.is_some() { 1.5 } else { 0.4 };
    let title_height = draw_x_title(chart, style, scene, area);
    let bottom = (area.y1 - ValueAxis::bottom_height(style) - 2.0 * style.unit - title_height)
        .max(area.y0 + 1.0);
    let lengths = (bottom - area.y0, axis::y_tick_spacing(style));
    // Counts begin at zero, whatever the settings say.
    let settings = serde_json::json!({"axis": {"max": chart.setting("axis")["max"]}});
    let without_start = Chart { settings: &settings, default_locale: chart.locale(), ..*chart };
    let values = ValueAxis::new(
        &without_start,
        style,
        (0.0, highest),
        IncludeZero::Always,
        lengths,
        &chart.format_rules("count"),
    );
    let values = with_whole_ticks(values, bins, chart, style);
    let last_edge = labels.edge_format.text(bins.ends().1);
    let half_label = style.text_width(&last_edge, style.label_size) / 2.0;
    let left = if with_axis { values.left_width(style).min(area.width() * 0.4) } else { 0.0 };
    let right = half_label.clamp(0.0, area.width() * 0.1);
    let plot = Rect::new(area.x0 + left, area.y0, area.x1 - right, bottom);
    let top = if with_axis { values.domain.1 } else { highest };
    let label_height = labels.count_size.map_or(0.0, |size| size * 1.35);
    let free_above = (1.0 - highest / top) * plot.height();
    let extra_height = (label_height - free_above).clamp(0.0, plot.height() * 0.3);
    let y = LinearScale { domain: (0.0, top), range: (plot.y1, plot.y0 + extra_height) };
    let x = LinearScale { domain: bins.ends(), range: (plot.x0, plot.x1) };
    bin_labels::draw_edges(style, plot, bins, labels, &x, scene);
    if with_axis {
        values.draw_left(scene, style, plot, &y);
    }
    Plot { area: plot, x, y }
}

/// Returns the count axis with the same domain, but without ticks between whole numbers, because
/// counts are whole numbers. Returns `values` unchanged if a count in the records is not whole.
fn with_whole_ticks(
    values: ValueAxis,
    bins: &Bins,
    chart: &Chart,
    style: &ChartStyle,
) -> ValueAxis {
    let is_whole = |value: f64| value.fract() == 0.0;
    let has_whole_counts = bins.all.iter().all(|bin| is_whole(bin.count));
    if !has_whole_counts || values.ticks.values.iter().all(|tick| is_whole(*tick)) {
        return values;
    }
    let ticks: Vec<f64> =
        values.ticks.values.iter().copied().filter(|tick| is_whole(*tick)).collect();
    let step = ticks.windows(2).map(|pair| match pair {
        [one, two] => two - one,
        _ => f64::INFINITY,
    });
    let step = step.fold(f64::INFINITY, f64::min).min(values.domain.1).max(1.0);
    let ticks = Ticks { step, values: ticks };
    let rules = chart.format_rules("count");
    let format = NumberFormat::for_axis(ticks.max_magnitude(), step, &rules, chart.locale());
    let labels = ticks.values.iter().map(|tick| format.text(*tick)).collect();
    let setting = values.setting;
    ValueAxis { setting, ..ValueAxis::linear(style, values.domain, ticks, labels) }
}

/// Draws the title of the value axis (setting `xTitle`) below its labels, right-aligned. Returns
/// its height in points: 0 if there is no title or `area` is too low.
fn draw_x_title(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> f64 {
    let title = text::sanitize(chart.str_setting("xTitle"));
    let fitted = text::ellipsize(&title, area.width(), style.label_size, style.label_face());
    if fitted.is_empty() || area.height() < style.label_size * 10.0 {
        return 0.0;
    }
    let label_text = style.label_text(
        area.x1,
        area.y1 - style.label_size * 0.2,
        Anchor::End,
        style.label_size,
        &fitted,
    );
    scene.text(Text { color: style.muted_color, ..label_text });
    style.label_size * 1.6
}

/// Returns the color of a bar: the accent for highlighted bins, and a muted color for the others as
/// soon as any bin is highlighted.
fn choose_bar_color(chart: &Chart, bin: &Bin, any_highlighted: bool, style: &ChartStyle) -> Color {
    match (any_highlighted, bin.highlighted) {
        (false, _) => chart.series_color(0),
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
    }
}

/// Draws the bars, without their counts. The tooltips of the marks contain the counts and edges in
/// the formats of `labels`.
fn draw_bars(
    chart: &Chart,
    bins: &Bins,
    plot: &Plot,
    labels: &Labels,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any_highlighted = bins.all.iter().any(|bin| bin.highlighted);
    for bin in &bins.all {
        let fill = choose_bar_color(chart, bin, any_highlighted, style);
        let (from, to) = (plot.x.at(bin.from), plot.x.at(bin.to));
        // Adjacent bars are separated by 1 point of background.
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let rect =
            Rect::new(from + gap / 2.0, plot.y.at(bins.height(bin)), to - gap / 2.0, plot.area.y1);
        let count_text = labels.count_format.text(bin.count);
        scene.begin_mark("bar", bin.row, || {
            (Some("value".to_owned()), format!("{}: {count_text}", labels.format_range(bin)))
        });
        scene.rect(rect, fill);
    }
    scene.end_mark();
}

/// Returns the x coordinate of the marker line in points.
fn locate_marker_line(marker: Marker, bins: &Bins, plot: &Plot) -> f64 {
    // In a bin of a single whole number that number is at the center of the bar.
    plot.x.at(if bins.single_numbers { marker.value + 0.5 } else { marker.value })
}

/// Draws a dashed line at the mean or median, and the name and value of the marker above the plot.
/// Within a bar the line has a color that contrasts with the bar.
fn draw_marker(
    chart: &Chart,
    marker: Marker,
    bins: &Bins,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Marker { term, value } = marker;
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values(std::iter::once(value), &rules, chart.locale());
    let label = format!("{} {}", style.locale.translate(term), format.text(value));
    let x = locate_marker_line(marker, bins, plot);
    let size = style.label_size;
    let top = plot.area.y0 - size * 0.3;
    // Within a bar the line has a color that contrasts with the bar.
    let bar = bins.all.iter().find(|bin| bin.from <= value && value < bin.to);
    let bar_top = bar.map_or(plot.area.y1, |bin| plot.y.at(bins.height(bin)));
    let any_highlighted = bins.all.iter().any(|bin| bin.highlighted);
    let color_in_bar = bar.map_or(style.text_color, |bin| {
        style.line_color_on(choose_bar_color(chart, bin, any_highlighted, style))
    });
    let parts = [(top, bar_top, style.text_color), (bar_top, plot.area.y1, color_in_bar)];
    for (from, to, color) in parts {
        let stroke = Stroke::new(color, 1.25 * style.unit).dashed(4.0, 3.0);
        scene.line(Point::new(x, from), Point::new(x, to), stroke);
    }
    let half = text::width(&label, size, Face::BOLD) / 2.0;
    let max_x = (plot.area.x1 - half).max(plot.area.x0 + half);
    let middle = x.clamp(plot.area.x0 + half, max_x);
    let baseline = plot.area.y0 - size * (1.5 - ASCENT_EM) + size * 0.05;
    let label_text = style.label_text(middle, baseline, Anchor::Middle, size, &label);
    scene.text(Text { face: Face::BOLD, width: half * 2.0, color: style.text_color, ..label_text });
}

/// Sets the text description of the scene: number of values and bins, range, and the bin with most
/// values (the lowest of several).
fn describe(bins: &Bins, labels: &Labels, scene: &mut Scene) {
    let total: f64 = bins.all.iter().map(|bin| bin.count).sum();
    let fullest = bins.all.iter().rev().max_by(|a, b| a.count.total_cmp(&b.count));
    let (low, high) = bins.ends();
    let edge = |value: f64| labels.edge_format.text(value);
    let fullest_text = fullest.map_or(String::new(), |bin| {
        let count = labels.count_format.text(bin.count);
        match bin.open_end {
            None => format!(" Most ({count}) lie from {} to {}.", edge(bin.from), edge(bin.to)),
            Some(_) => format!(" Most ({count}) lie in {}.", labels.format_range(bin)),
        }
    });
    let (is_open_below, is_open_above) = bins.open_ends();
    let first = bins.all.first().filter(|_| is_open_below);
    let last = bins.all.last().filter(|_| is_open_above);
    let low = first.map_or_else(|| edge(low), |bin| labels.format_range(bin));
    let high = last.map_or_else(|| edge(high), |bin| labels.format_range(bin));
    scene.description = format!(
        "Histogram of {} values in {} {} from {low} to {high}.{fullest_text}",
        labels.count_format.text(total),
        bins.all.len(),
        if bins.all.len() == 1 { "range" } else { "ranges" },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn counts_begin_at_zero_even_if_the_settings_have_another_start() {
        let data: Vec<Value> = (0..40).map(|index| json!({"value": index * index % 17})).collect();
        let draw = |settings: &Value| {
            let kind = crate::find_kind("histogram").unwrap();
            let scene = crate::draw(&Chart { settings, ..Chart::new(kind, &data) });
            crate::svg::write(&scene, &crate::svg::Options::default())
        };
        let (with, without) =
            (json!({"axis": {"min": -30, "max": 20}}), json!({"axis": {"max": 20}}));
        assert_eq!(draw(&with), draw(&without));
    }

    #[test]
    fn counts_have_whole_ticks() {
        for count in 3..30 {
            let value = |index: usize| json!({"value": if index < count { 10.2 } else { 31.5 }});
            let data: Vec<Value> = (0..count + 2).map(value).collect();
            let scene = crate::draw(&Chart::new(crate::find_kind("histogram").unwrap(), &data));
            // The labels of the count axis are left of the plot, those of the edges below it.
            let is_tick = |primitive: &&crate::scene::Primitive| matches!(primitive, crate::scene::Primitive::Text(text) if text.anchor == Anchor::End);
            let ticks: Vec<String> = (scene.shapes.iter().map(|shape| &shape.primitive))
                .filter(is_tick)
                .filter_map(|primitive| match primitive {
                    crate::scene::Primitive::Text(text) => Some(text.text.clone()),
                    _ => None,
                })
                .collect();
            assert!(ticks.len() > 1, "{count}: {ticks:?}");
            assert!(!ticks.iter().any(|tick| tick.contains('.')), "{count}: {ticks:?}");
        }
    }
}
