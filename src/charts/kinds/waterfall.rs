//! Waterfall chart: increases and decreases from a start to a result. Each bar starts at the level
//! at which the one before it ends.
//!
//! Record: `label`, `value`, `isTotal` (starts at zero; without a value it shows the level reached
//! so far). Settings: `orientation` (`vertical`, `horizontal`), `showConnectors`, `positiveColor`,
//! `negativeColor`, `totalColor`, `showValues`, `showLegend`, `showGrid`, `axis`.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The waterfall chart.
pub const KIND: Kind = Kind { slug: "waterfall", draw };

/// A record with the levels before and after it.
struct Step<'a> {
    row: usize,
    label: Cow<'a, str>,
    /// Level before and after the step. None if the record has no value.
    levels: Option<(f64, f64)>,
    total: bool,
    words: String,
}

/// Layout of the plot.
struct Plot {
    upright: bool,
    area: Rect,
    band: BandScale,
    scale: LinearScale,
    /// Font size of the values in points. None if they do not fit or are switched off.
    labels: Option<f64>,
}

/// Colors of increases, decreases and totals.
struct Fills {
    up: Color,
    down: Color,
    total: Color,
}

/// Draws axes, connectors, bars and values.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let steps = read(chart, scene);
    if steps.iter().all(|it| it.levels.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let fills = fills(chart, style);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", false) {
        let words =
            [Term::Increase, Term::Decrease, Term::Total].map(|it| style.locale.translate(it));
        let entries = words.into_iter().zip([fills.up, fills.down, fills.total]);
        area = legend::draw(scene, style, area, entries);
    }
    let plot = if chart.str_setting("orientation") == "horizontal" {
        level(&steps, chart, style, area, scene)
    } else {
        upright(&steps, chart, style, area, scene)
    };
    connectors(&steps, chart, &plot, style, scene);
    bars(&steps, &plot, &fills, scene);
    labels(&steps, &plot, style, scene);
    let zero = plot.scale.at(0.0);
    if plot.upright {
        axis::draw_baseline(scene, style, (plot.area.x0, zero), (plot.area.x1, zero));
    } else {
        axis::draw_baseline(scene, style, (zero, plot.area.y0), (zero, plot.area.y1));
    }
    describe(&steps, scene);
}

/// Returns the colors of the settings, or the defaults.
fn fills(chart: &Chart, style: &ChartStyle) -> Fills {
    let own = |key: &str| Color::parse(chart.str_setting(key));
    Fills {
        up: own("positiveColor").unwrap_or_else(|| chart.series_color(0)),
        down: own("negativeColor").unwrap_or(chart.theme.highlight_color),
        total: own("totalColor").unwrap_or_else(|| style.muted_color.mix(style.background, 0.1)),
    }
}

/// Reads the steps and formats their values. Warns about totals that differ from the sum of their
/// steps.
fn read<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Vec<Step<'a>> {
    let mut level = 0.0f64;
    let mut steps = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let total = data::is_true(&record["isTotal"]);
        let value = data::number(&record["value"]);
        let levels = match (value, total) {
            (Some(value), true) => {
                if row > 0 && (value - level).abs() > 1e-6 * value.abs().max(level.abs()) {
                    scene.warn("A total differs from the sum of its steps.");
                }
                Some((0.0, value))
            }
            (Some(value), false) => Some((level, level + value)),
            (None, true) if row > 0 => Some((0.0, level)),
            (None, _) => None,
        };
        level = levels.map_or(level, |it| it.1);
        let label = data::record_label(record);
        steps.push(Step { row, label, levels, total, words: String::new() });
    }
    let change = |it: &Step| it.levels.map(|(from, to)| to - from);
    let format = NumberFormat::for_values(
        chart.data.iter().filter_map(|it| data::number(&it["value"])),
        &chart.format_rules("value"),
        chart.locale(),
    );
    for step in &mut steps {
        let Some(value) = change(step) else { continue };
        let sign = if value > 0.0 && !step.total { "+" } else { "" };
        step.words = format!("{sign}{}", format.text(value));
    }
    steps
}

/// Returns the minimum and maximum level, including zero.
fn range(steps: &[Step]) -> (f64, f64) {
    let all = steps.iter().filter_map(|it| it.levels).flat_map(|(from, to)| [from, to]);
    all.fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)))
}

/// Returns the value axis.
fn values(steps: &[Step], chart: &Chart, style: &ChartStyle, room: (f64, f64)) -> ValueAxis {
    ValueAxis::new(
        chart,
        style,
        range(steps),
        IncludeZero::Always,
        room,
        &chart.format_rules("value"),
    )
}

/// Returns the range of a scale without a visible axis.
fn tight(steps: &[Step], chart: &Chart) -> (f64, f64) {
    let (low, high) = range(steps);
    let low = chart.axis_limit("min").map_or(low, |it| it.min(low));
    let high = chart.axis_limit("max").map_or(high, |it| it.max(high));
    if low == high { (low, low + 1.0) } else { (low, high) }
}

/// Returns the scale of the bars along the category axis.
fn band(steps: &[Step], range: (f64, f64), most: f64) -> BandScale {
    let padding = if steps.len() > 60 { 0.1 } else { 0.3 };
    BandScale { count: steps.len(), range, padding, max_width: most }
}

/// Lays out vertical bars from left to right, with labels below. Draws the axes.
fn upright(
    steps: &[Step],
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    area.y0 += axis::draw_title(chart, style, scene, area);
    let room = area.width() / steps.len() as f64 - 2.0;
    let fits = |size: &f64| steps.iter().all(|it| style.text_width(&it.words, *size) <= room);
    let wanted = chart.bool_setting("showValues", true) && area.height() > style.label_size * 8.0;
    let labels = [style.label_size, style.small_size].into_iter().find(fits).filter(|_| wanted);
    let with_axis = chart.bool_setting("showGrid", labels.is_none());
    let values = values(steps, chart, style, (area.height(), axis::y_tick_spacing(style)));
    let left = if with_axis { values.left_width(style).min(area.width() * 0.4) } else { 0.0 };
    let band = band(steps, (area.x0 + left, area.x1), 72.0 * style.unit);
    let names: Vec<Cow<str>> = steps.iter().map(|it| it.label.clone()).collect();
    let (names, band) = ColumnLabels::plan_for_band(&names, band, area.height() * 0.4, style);
    let bottom = (area.y1 - names.height).max(area.y0 + 1.0);
    let plot = Rect::new(area.x0 + left, area.y0, area.x1, bottom);
    let above = labels.map_or(style.label_size * 0.4, |size| size * 1.35);
    let below = if range(steps).0 < 0.0 { labels.map_or(0.0, |size| size * 1.35) } else { 0.0 };
    let domain = if with_axis { values.domain } else { tight(steps, chart) };
    let top = (plot.y0 + above).min(plot.y1 - below);
    let scale = LinearScale { domain, range: (plot.y1 - below, top) };
    if with_axis {
        values.draw_left(scene, style, plot, &scale);
    }
    names.draw(scene, style, plot, &band);
    Plot { upright: true, area: plot, band, scale, labels }
}

/// Lays out horizontal bars from top to bottom, with labels on the left. Draws the axes.
fn level(
    steps: &[Step],
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    let row = area.height() / steps.len() as f64;
    let size = if row >= style.label_size * 1.15 { style.label_size } else { style.small_size };
    let widest = steps.iter().map(|it| style.text_width(&it.words, size)).fold(0.0, f64::max);
    let room = widest + style.unit * 5.0;
    let wanted =
        chart.bool_setting("showValues", true) && row >= size * 1.1 && room < area.width() * 0.25;
    let labels = wanted.then_some(size);
    let with_axis = chart.bool_setting("showGrid", labels.is_none());
    let foot = if with_axis { ValueAxis::bottom_height(style) } else { 0.0 };
    let bottom = (area.y1 - foot).max(area.y0 + 1.0);
    let band = band(steps, (area.y0, bottom), 44.0 * style.unit);
    let names: Vec<Cow<str>> = steps.iter().map(|it| it.label.clone()).collect();
    let rows = RowLabels::plan(&names, band.step(), area.width() * 0.36, style);
    let side = if labels.is_some() { room } else { 0.0 };
    let before = if range(steps).0 < 0.0 { side } else { 0.0 };
    let left = area.x0 + rows.width + before;
    let plot = Rect::new(left, area.y0, (area.x1 - side).max(left + 1.0), bottom);
    let values = values(steps, chart, style, (plot.width(), axis::x_tick_spacing(style)));
    let domain = if with_axis { values.domain } else { tight(steps, chart) };
    let scale = LinearScale { domain, range: (plot.x0, plot.x1) };
    if with_axis {
        values.draw_bottom(scene, style, plot, &scale);
    }
    rows.draw(scene, style, area.x0, &band);
    Plot { upright: false, area: plot, band, scale, labels }
}

/// Draws thin lines from the level of each step to the next step.
fn connectors(steps: &[Step], chart: &Chart, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    if !chart.bool_setting("showConnectors", true) || plot.band.step() < 4.0 {
        return;
    }
    let stroke = Stroke::new(style.muted_color.mix(style.background, 0.3), 1.0);
    let placed = |(index, step): (usize, &Step)| step.levels.map(|it| (index, it.1));
    let ends: Vec<(usize, f64)> = steps.iter().enumerate().filter_map(placed).collect();
    for pair in ends.windows(2) {
        let [(one, level), (two, _)] = pair else { continue };
        let at = plot.scale.at(*level);
        let (from, to) = (plot.band.start(*one) + plot.band.width(), plot.band.start(*two));
        if plot.upright {
            scene.line((from, at), (to, at), stroke);
        } else {
            scene.line((at, from), (at, to), stroke);
        }
    }
}

/// Returns the extent of a step along the value axis in points, lower coordinate first. It is at
/// least 1 point, so that a step without change stays visible.
fn extent(plot: &Plot, levels: (f64, f64)) -> (f64, f64) {
    let (from, to) = (plot.scale.at(levels.0), plot.scale.at(levels.1));
    let (low, high) = (from.min(to), from.max(to));
    if high - low >= 1.0 { (low, high) } else { ((high - 1.0).max(0.0), high) }
}

/// Draws the bars.
fn bars(steps: &[Step], plot: &Plot, fills: &Fills, scene: &mut Scene) {
    for (index, step) in steps.iter().enumerate() {
        let Some(levels) = step.levels else { continue };
        let fill = match step.total {
            true => fills.total,
            false if levels.1 >= levels.0 => fills.up,
            false => fills.down,
        };
        let (low, high) = extent(plot, levels);
        let (start, end) = (plot.band.start(index), plot.band.start(index) + plot.band.width());
        scene.begin_mark("bar", Some(step.row), || {
            (Some("value".to_owned()), format!("{}: {}", step.label, step.words))
        });
        scene.rect(
            if plot.upright {
                Rect::new(start, low, end, high)
            } else {
                Rect::new(low, start, high, end)
            },
            fill,
        );
    }
    scene.end_mark();
}

/// Draws the values above vertical bars, or right of horizontal bars. The values of totals below
/// zero are below, or on the left.
fn labels(steps: &[Step], plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let Some(size) = plot.labels else { return };
    for (index, step) in steps.iter().enumerate() {
        let Some(levels) = step.levels else { continue };
        let (low, high) = extent(plot, levels);
        let center = plot.band.center(index);
        let below = step.total && levels.1 < 0.0;
        let (x, y, anchor) = match (plot.upright, below) {
            (true, false) => (center, low - size * 0.4, Anchor::Middle),
            (true, true) => (center, high + size * (0.4 + ASCENT_EM), Anchor::Middle),
            (false, false) => {
                (high + style.unit * 5.0, center + HALF_CAP_HEIGHT_EM * size, Anchor::Start)
            }
            (false, true) => {
                (low - style.unit * 5.0, center + HALF_CAP_HEIGHT_EM * size, Anchor::End)
            }
        };
        let face = if step.total { Face::BOLD } else { style.label_face() };
        let set = style.label_text(x, y, anchor, size, &step.words);
        let width = text::width(&step.words, size, face);
        scene.text(Text { face, width, color: style.value_color, ..set });
    }
}

/// Sets the text description of the scene: number of steps, and the first and last one.
fn describe(steps: &[Step], scene: &mut Scene) {
    let mut placed = steps.iter().filter(|it| it.levels.is_some());
    let count = placed.clone().count();
    if let (Some(first), Some(last)) = (placed.next(), placed.next_back()) {
        scene.description = format!(
            "Waterfall chart of {count} steps, from {} ({}) to {} ({}).",
            first.label, first.words, last.label, last.words
        );
    } else {
        scene.description = "Waterfall chart of one step.".to_owned();
    }
}
