//! One bar per record on a common zero line, horizontal or vertical. On a logarithmic axis, one
//! dot.
//!
//! Records and settings are those of [`amounts`](crate::amounts), and additionally the settings
//! `benchmark` (a value to compare with) and `benchmarkTitle`.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::amounts::{Amount, Amounts, MarkLayout};
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::bands::BandPlot;
use crate::kinds::Kind;
use crate::kinds::lollipop;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;
use crate::text::Face;

/// The bar chart.
pub const KIND: Kind = Kind { slug: "bar", draw };

/// A reference value, drawn as a line across all bars, and the layout of its label.
struct Benchmark {
    /// Value at which the line is drawn.
    value: f64,
    /// Full title, without the value.
    title: String,
    /// Lines of the label. Empty on canvases that are too low for it.
    lines: Vec<String>,
    /// Whether the label is shortened.
    is_cut: bool,
    /// Space reserved for the label: above horizontal bars, right of vertical ones. Empty without
    /// lines.
    label_area: Rect,
}

/// Draws the bars (on a logarithmic axis lollipops) with axes, their value labels if all fit, and
/// the benchmark line with its label if the setting `benchmark` is a number. A logarithmic axis has
/// no benchmark at or below zero. Draws a note instead if no record has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let benchmark = read_benchmark(chart, frame);
    let mut frame = frame.clone();
    if let Some(Benchmark { label_area, .. }) = &benchmark {
        match chart.str_setting("orientation") {
            "vertical" => frame.area.x1 -= label_area.width(),
            _ => frame.area.y0 += label_area.height(),
        }
    }
    let frame = &frame;
    let Some(bars) = Amounts::read(chart, frame, scene) else {
        return frame::draw_no_data(frame, scene);
    };
    bars.describe("Bar chart", scene);
    let style = &frame.style;
    let extra_value = benchmark.as_ref().map(|benchmark| benchmark.value);
    let bands = if bars.is_log {
        // A logarithmic axis has no zero at which a bar could start.
        lollipop::draw_lollipops(chart, frame, &bars, extra_value, scene)
    } else {
        let mark_layout = MarkLayout {
            overshoot: 0.0,
            padding: if bars.entries.len() > 60 { 0.1 } else { 0.3 },
            max_width: if bars.is_vertical { 72.0 } else { 44.0 } * style.unit,
            extra_value,
        };
        let bands = bars.draw_axes(chart, frame, &mark_layout, scene);
        draw_bars(&bars, &bands, scene);
        bands.draw_baseline(style, scene);
        bands
    };
    let has_benchmark = benchmark.is_some();
    if let Some(benchmark) = benchmark {
        bands.draw_benchmark(style, scene, benchmark.value);
        draw_benchmark_label(&benchmark, &bands, frame, scene);
    }
    if !bars.is_log {
        draw_values(&bars, &bands, style, has_benchmark, scene);
    }
}

/// Returns whether the value axis becomes logarithmic, as [`Amounts::read`] finds later.
fn has_log_axis(chart: &Chart) -> bool {
    let is_positive =
        |record| data::number(data::field(record, "value")).is_some_and(|value| value > 0.0);
    chart.setting("axis")["scale"] == "log" && chart.data.iter().any(is_positive)
}

/// Reads the setting `benchmark` and computes the space for its label at the edge of the frame.
/// None if the setting is not a number, or not above zero on a logarithmic axis.
fn read_benchmark(chart: &Chart, frame: &Frame) -> Option<Benchmark> {
    let value = chart.number_setting("benchmark")?;
    if value <= 0.0 && has_log_axis(chart) {
        return None;
    }
    let (style, area) = (&frame.style, frame.area);
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values([value].into_iter(), &rules, chart.locale());
    let value_text = format.text(value);
    let title = text::sanitize(chart.str_setting("benchmarkTitle"));
    let is_vertical = chart.str_setting("orientation") == "vertical";
    let size = style.label_size;
    let (mut lines, is_cut) = if is_vertical {
        let mut lines = text::wrap(&title, area.width() * 0.2, 2, size, Face::BOLD);
        let is_cut = !lines.is_empty() && !text::is_whole(&lines, &title);
        lines.push(value_text);
        (lines, is_cut)
    } else {
        let label = if title.is_empty() { value_text } else { format!("{title}: {value_text}") };
        let line = text::ellipsize(&label, area.width(), size, Face::BOLD).into_owned();
        let is_cut = line != label;
        (vec![line], is_cut)
    };
    if area.height() < size * 8.0 {
        lines.clear();
    }
    let widths = lines.iter().map(|line| text::width(line, size, Face::BOLD));
    let widest = widths.fold(0.0, f64::max);
    let label_area = match (lines.is_empty(), is_vertical) {
        (true, _) => Rect::ZERO,
        (false, true) => Rect { x0: area.x1 - widest - style.unit * 8.0, ..area },
        (false, false) => Rect { y1: area.y0 + size * 1.5, ..area },
    };
    Some(Benchmark { value, title: title.into_owned(), lines, is_cut, label_area })
}

/// Draws the label of the benchmark at the end of its line, moved to stay within the space reserved
/// for it. Draws nothing without lines.
fn draw_benchmark_label(benchmark: &Benchmark, bands: &BandPlot, frame: &Frame, scene: &mut Scene) {
    let (style, size) = (&frame.style, frame.style.label_size);
    let position = bands.value_scale.at(benchmark.value);
    // Distance from the first to the last baseline.
    let span = (benchmark.lines.len() as f64 - 1.0) * size * 1.2;
    let (low, high) = (benchmark.label_area.y0, benchmark.label_area.y1);
    for (index, line) in benchmark.lines.iter().enumerate() {
        let width = text::width(line, size, Face::BOLD);
        let text = if bands.is_vertical {
            let middle =
                position.clamp(low + size * 0.6 + span / 2.0, high - size * 0.6 - span / 2.0);
            let y = middle - span / 2.0 + index as f64 * size * 1.2 + HALF_CAP_HEIGHT_EM * size;
            style.label_text(
                benchmark.label_area.x0 + style.unit * 8.0,
                y,
                Anchor::Start,
                size,
                line,
            )
        } else {
            let (left, right) =
                (benchmark.label_area.x0 + width / 2.0, benchmark.label_area.x1 - width / 2.0);
            let x = position.clamp(left, right.max(left));
            style.label_text(x, low + ASCENT_EM * size, Anchor::Middle, size, line)
        };
        let is_shortened = benchmark.is_cut && line.ends_with('…');
        let full = is_shortened.then(|| benchmark.title.clone());
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, full, ..text });
    }
}

/// Draws one bar per record with a value, without labels. The tooltips of the marks contain name
/// and value.
fn draw_bars(bars: &Amounts, bands: &BandPlot, scene: &mut Scene) {
    for (index, bar) in bars.entries.iter().enumerate() {
        let Some(rect) = bar_rect(bar, index, bands) else { continue };
        bar.begin_mark("bar", scene);
        let scale = &bands.category_scale;
        bar.record_end(bands, scale.center(index), scale.width() / 2.0, scene);
        scene.rect(rect, bar.color);
    }
    scene.end_mark();
}

/// Returns the rectangle of the bar at position `index` in drawing order, from zero to its value.
///
/// None for a record without a value.
fn bar_rect(bar: &Amount, index: usize, bands: &BandPlot) -> Option<Rect> {
    let start = bands.category_scale.start(index);
    Some(bands.bar_rect((start, start + bands.category_scale.width()), (0.0, bar.value?)))
}

/// Draws the values beyond the ends of their bars, or none of them if
/// [`Amounts::value_label_size`] is None: they are switched off or do not all fit.
///
/// With `has_benchmark` they get a halo, so that they stay readable where the benchmark line
/// crosses them.
fn draw_values(
    bars: &Amounts,
    bands: &BandPlot,
    style: &ChartStyle,
    has_benchmark: bool,
    scene: &mut Scene,
) {
    let Some(size) = bars.value_label_size else { return };
    for (index, bar) in bars.entries.iter().enumerate() {
        let Some(rect) = bar_rect(bar, index, bands) else { continue };
        bar.begin_mark("bar", scene);
        let is_negative = bar.value.is_some_and(|value| value < 0.0);
        let text = bands.end_label(style, rect, is_negative, size, &bar.value_text);
        scene.text(Text { halo: has_benchmark.then_some(style.background), ..text });
    }
    scene.end_mark();
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;
    use crate::Scene;
    use crate::scene::Primitive;

    fn draw(values: [f64; 2], settings: &Value) -> Scene {
        let data = values.map(|value| json!({"label": "A", "value": value}));
        crate::draw(&Chart { settings, ..Chart::new(&super::KIND, &data) })
    }

    #[test]
    fn a_benchmark_that_a_logarithmic_axis_lacks_needs_no_space() {
        for orientation in ["horizontal", "vertical"] {
            let mut settings = json!({"orientation": orientation, "axis": {"scale": "log"}});
            let without = draw([5.0, 50_000.0], &settings);
            settings["benchmark"] = json!(0);
            let with = draw([5.0, 50_000.0], &settings);
            assert_eq!(format!("{:?}", with.shapes), format!("{:?}", without.shapes));
            // Without a value above zero, the axis is linear.
            settings["benchmark"] = json!(-3);
            let linear = draw([-5.0, -2.0], &settings);
            let benchmarks = linear.text_boxes().filter(|(text, _)| *text == "\u{2212}3");
            assert!(benchmarks.count() > 0, "{orientation}");
        }
    }

    #[test]
    fn a_title_that_ends_with_an_ellipsis_is_not_shortened() {
        for orientation in ["horizontal", "vertical"] {
            let full_title = |title: &str| {
                let settings = json!({
                    "orientation": orientation, "benchmark": 3, "benchmarkTitle": title,
                });
                let scene = draw([5.0, 2.0], &settings);
                scene.shapes.iter().find_map(|shape| match &shape.primitive {
                    Primitive::Text(text) => text.full.clone(),
                    _ => None,
                })
            };
            assert_eq!(full_title("And so on…"), None, "{orientation}");
            let long = "A benchmark with a long title ".repeat(6);
            assert_eq!(full_title(&long).as_deref(), Some(long.trim()), "{orientation}");
        }
    }
}
