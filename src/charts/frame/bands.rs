//! Axes and plot area of charts with one bar or point per category on a common zero baseline.
//!
//! Vertical: categories from left to right, values upward. Horizontal: categories from top to
//! bottom, values to the right.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::FormatRules;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::style::ChartStyle;
use crate::scale::{BandScale, ValueScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text, ValueEnd};

/// Parameters of a [`BandPlot`].
pub struct BandPlotSpec<'a> {
    /// Names of the categories in drawing order.
    pub category_names: &'a [Cow<'a, str>],
    /// Whether bars are vertical (columns); otherwise they are horizontal.
    pub is_vertical: bool,
    /// Lowest and highest value. The domain of a linear axis also includes zero.
    pub range: (f64, f64),
    /// Whether the value axis is logarithmic. It is always drawn then.
    pub is_log: bool,
    /// Number format of the tick labels.
    pub rules: &'a FormatRules,
    /// Space in points for value labels beyond the lowest and beyond the highest value.
    pub label_space: (f64, f64),
    /// Whether to draw ticks and gridlines. Without them the scale ends at the data.
    pub show_axis: bool,
    /// Share of a category step between two marks, 0 to 1.
    pub padding: f64,
    /// Maximum width of a mark along the category axis in points.
    pub max_width: f64,
    /// Whether the plot area and its gridlines end shortly after the last column, because series
    /// names are drawn right of it. Ignored for horizontal bars.
    pub ends_at_last_column: bool,
}

impl BandPlotSpec<'_> {
    /// Returns whether ticks and gridlines are drawn: with `show_axis`, and always on a logarithmic
    /// axis, where positions mean nothing without them.
    fn shows_axis(&self) -> bool {
        self.show_axis || self.is_log
    }

    /// Computes the value axis, which is logarithmic or includes zero, without drawing it.
    /// `lengths` are its length and the distance between its ticks, in points.
    fn compute_axis(&self, chart: &Chart, style: &ChartStyle, lengths: (f64, f64)) -> ValueAxis {
        if self.is_log {
            return ValueAxis::new_log(chart, style, self.range, lengths, self.rules);
        }
        ValueAxis::new(chart, style, self.range, IncludeZero::Always, lengths, self.rules)
    }
}

/// Plot area and scales on which a kind places its marks by category and value.
pub struct BandPlot {
    /// Whether bars are vertical (columns); otherwise they are horizontal.
    pub is_vertical: bool,
    /// Plot area.
    pub plot: Rect,
    /// Scale from category indexes to coordinates.
    pub category_scale: BandScale,
    /// Scale from values to coordinates.
    pub value_scale: ValueScale,
}

impl BandPlot {
    /// Computes the layout in `area` and draws axis title and category names, and with `show_axis`
    /// gridlines and tick labels. The baseline is not drawn.
    pub fn new(
        chart: &Chart,
        style: &ChartStyle,
        scene: &mut Scene,
        area: Rect,
        spec: &BandPlotSpec,
    ) -> BandPlot {
        if spec.is_vertical {
            layout_vertical(chart, style, scene, area, spec)
        } else {
            layout_horizontal(chart, style, scene, area, spec)
        }
    }

    /// Returns the rectangle from coordinate `start` to `end` along the category axis, and from one
    /// value to another. Values beyond the value axis are clamped to its ends. The rectangle of two
    /// different values has at least the length [`MIN_BAR_LENGTH`].
    pub fn bar_rect(&self, (start, end): (f64, f64), (from, to): (f64, f64)) -> Rect {
        let one = self.value_scale.at(from);
        let two = visible_end(self.value_scale, (from, to));
        let (near, far) = (one.min(two), one.max(two));
        if self.is_vertical {
            Rect::new(start, near, end, far)
        } else {
            Rect::new(near, start, far, end)
        }
    }

    /// Returns the end of a mark with this value for annotations. `center` is the middle of the
    /// mark along the category axis, `half_width` half of its width there, both in points.
    pub fn value_end(&self, center: f64, value: f64, half_width: f64) -> ValueEnd {
        ValueEnd::new(self.is_vertical, center, self.value_scale.at(value), half_width)
    }

    /// Returns the value label beyond the end of the bar in `rect`: above or right of it, for a
    /// negative value below or left of it. Does not draw it. `size` is the font size in points.
    pub fn end_label(
        &self,
        style: &ChartStyle,
        rect: Rect,
        is_negative: bool,
        size: f64,
        label: &str,
    ) -> Text {
        let middle = rect.center();
        let gap = size * 0.35;
        let text = match (self.is_vertical, is_negative) {
            (true, false) => style.label_text(middle.x, rect.y0 - gap, Anchor::Middle, size, label),
            (true, true) => style.label_text(
                middle.x,
                rect.y1 + gap + ASCENT_EM * size,
                Anchor::Middle,
                size,
                label,
            ),
            (false, false) => style.label_text(
                rect.x1 + gap,
                middle.y + HALF_CAP_HEIGHT_EM * size,
                Anchor::Start,
                size,
                label,
            ),
            (false, true) => style.label_text(
                rect.x0 - gap,
                middle.y + HALF_CAP_HEIGHT_EM * size,
                Anchor::End,
                size,
                label,
            ),
        };
        Text { color: style.value_color, ..text }
    }

    /// Draws the baseline at the value zero across the plot area. Draws nothing on a logarithmic
    /// axis, which has no zero.
    pub fn draw_baseline(&self, style: &ChartStyle, scene: &mut Scene) {
        if self.value_scale.is_log {
            return;
        }
        self.draw_line_at(0.0, Stroke::new(style.axis_color, 1.0), scene);
    }

    /// Draws a dashed line across the plot area at `value`, for comparison. If `value` is beyond
    /// the axis, the line is at the nearest edge.
    pub fn draw_benchmark(&self, style: &ChartStyle, scene: &mut Scene, value: f64) {
        self.draw_line_at(
            value,
            Stroke::new(style.text_color, 1.25 * style.unit).dashed(4.0, 3.0),
            scene,
        );
    }

    /// Draws a line across the plot area at `value`, or at the nearest edge if `value` is beyond
    /// the axis.
    fn draw_line_at(&self, value: f64, stroke: Stroke, scene: &mut Scene) {
        let position = self.value_scale.at(value);
        let (from, to) = if self.is_vertical {
            (Point::new(self.plot.x0, position), Point::new(self.plot.x1, position))
        } else {
            (Point::new(position, self.plot.y0), Point::new(position, self.plot.y1))
        };
        scene.line(from, to, stroke);
    }
}

/// Computes the space in points that value labels need beyond the ends of bars. `size` is their
/// font size, `max_label_width` the width of the widest, both in points.
pub fn compute_label_space(is_vertical: bool, size: f64, max_label_width: f64) -> f64 {
    if is_vertical { size * 1.3 } else { max_label_width + size * 0.5 }
}

/// Returns the domain of a scale without a visible axis: it ends at zero and the data, or at
/// `axis.min` and `axis.max` of the settings where these lie outside. An empty domain becomes one
/// unit long.
pub fn tight_domain(chart: &Chart, (low, high): (f64, f64)) -> (f64, f64) {
    let (low, high) = (low.min(0.0), high.max(0.0));
    let low = chart.axis_limit("min").map_or(low, |limit| limit.min(low));
    let high = chart.axis_limit("max").map_or(high, |limit| limit.max(high));
    if low == high { (low, low + 1.0) } else { (low, high) }
}

/// Lays out columns and draws their axis title and category names, and with `show_axis` gridlines
/// and tick labels.
fn layout_vertical(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    mut area: Rect,
    spec: &BandPlotSpec,
) -> BandPlot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    // The upper half of the highest tick label lies above the plot area.
    let top = area.y0 + if spec.shows_axis() { style.label_size * 0.4 } else { 0.0 };
    let lengths = (area.height(), axis::y_tick_spacing(style));
    let values = spec.compute_axis(chart, style, lengths);
    let left =
        if spec.shows_axis() { values.left_width(style).min(area.width() * 0.4) } else { 0.0 };
    let count = spec.category_names.len();
    let width = (area.width() - left).max(1.0);
    // Few columns of the maximum width stay centered in their steps.
    let ends_at_last = spec.ends_at_last_column
        && width / count.max(1) as f64 * (1.0 - spec.padding) <= spec.max_width;
    let share = if ends_at_last { 1.0 - spec.padding / 2.0 / count.max(1) as f64 } else { 1.0 };
    let range = (area.x0 + left, area.x0 + left + width / share);
    let category_scale =
        BandScale { count, range, padding: spec.padding, max_width: spec.max_width };
    let (names, category_scale) = ColumnLabels::plan_whole_for_band(
        spec.category_names,
        category_scale,
        (area.x0, area.x1),
        area.height() * 0.4,
        style,
    );
    let last_column_end =
        category_scale.start(count.saturating_sub(1)) + category_scale.width() + 3.0 * style.unit;
    let right = if ends_at_last { last_column_end.min(area.x1) } else { range.1 };
    let plot = Rect::new(range.0, top, right.max(range.0), (area.y1 - names.height).max(top + 1.0));
    let domain = if spec.shows_axis() { values.domain } else { tight_domain(chart, spec.range) };
    let (low, high) = reserve_label_space(spec, domain, plot.height());
    let value_scale =
        ValueScale { domain, range: (plot.y1 - low, plot.y0 + high), is_log: spec.is_log };
    if spec.shows_axis() {
        values.draw_left(scene, style, plot, value_scale);
    }
    names.draw(scene, style, plot, &category_scale);
    BandPlot { is_vertical: true, plot, category_scale, value_scale }
}

/// Lays out horizontal bars and draws their axis title and category names, and with `show_axis`
/// gridlines and tick labels.
fn layout_horizontal(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    mut area: Rect,
    spec: &BandPlotSpec,
) -> BandPlot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    let below = if spec.shows_axis() { ValueAxis::bottom_height(style) } else { 0.0 };
    let bottom = (area.y1 - below).max(area.y0 + 1.0);
    let range = (area.y0, bottom);
    let category_scale = BandScale {
        count: spec.category_names.len(),
        range,
        padding: spec.padding,
        max_width: spec.max_width,
    };
    let rows = RowLabels::plan_uncut(
        spec.category_names,
        category_scale.step(),
        (area.width() * 0.36, area.width() * 0.5),
        style,
    );
    let left = area.x0 + rows.width;
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let lengths = (plot.width(), axis::x_tick_spacing(style));
    let values = spec.compute_axis(chart, style, lengths);
    let domain = if spec.shows_axis() { values.domain } else { tight_domain(chart, spec.range) };
    let (low, high) = reserve_label_space(spec, domain, plot.width());
    let value_scale =
        ValueScale { domain, range: (plot.x0 + low, plot.x1 - high), is_log: spec.is_log };
    if spec.shows_axis() {
        values.draw_bottom(scene, style, plot, value_scale);
    }
    rows.draw(scene, style, area.x0, &category_scale);
    BandPlot { is_vertical: false, plot, category_scale, value_scale }
}

/// Returns the space in points to reserve for value labels at the low and the high end of the plot
/// area. A domain that reaches beyond the data already leaves part of the space.
///
/// `length` is the length of the value axis in points; each end gets at most 30 % of it. An end at
/// zero gets no space, and neither does the low end of a logarithmic axis.
fn reserve_label_space(spec: &BandPlotSpec, domain: (f64, f64), length: f64) -> (f64, f64) {
    if spec.is_log {
        // Labels are beyond the higher end of each mark.
        let share = (domain.1 / spec.range.1).log10() / (domain.1 / domain.0).log10();
        return (0.0, (spec.label_space.1 - share * length).clamp(0.0, length * 0.3));
    }
    let span = domain.1 - domain.0;
    let (low, high) = (spec.range.0.min(0.0), spec.range.1.max(0.0));
    let missing = |reach: f64, space: f64| (space - reach / span * length).clamp(0.0, length * 0.3);
    let low = if low < 0.0 { missing(low - domain.0, spec.label_space.0) } else { 0.0 };
    let high = if high > 0.0 { missing(domain.1 - high, spec.label_space.1) } else { 0.0 };
    (low, high)
}

/// Returns the color of a label inside a mark with this fill: white, near-black or pure black. Its
/// contrast is at least 4.5:1, so that no color of a mark hides its label.
///
/// A translucent fill must be composited over the background first, see [`Color::over`].
pub fn inner_label_color(fill: Color) -> Color {
    fill.readable_text_color()
}

/// Returns the coordinate in points at which a bar from `from` to `to` ends. If the values differ,
/// the bar is at least `MIN_BAR_LENGTH` long, so that a small value does not look like zero. On a
/// logarithmic scale, the end is always exact.
pub fn visible_end(scale: impl Into<ValueScale>, (from, to): (f64, f64)) -> f64 {
    let scale = scale.into();
    let (start, end) = (scale.at(from), scale.at(to));
    if from == to || scale.is_log || (end - start).abs() >= MIN_BAR_LENGTH {
        return end;
    }
    let is_ascending = (to > from) == (scale.range.1 > scale.range.0);
    if is_ascending { start + MIN_BAR_LENGTH } else { start - MIN_BAR_LENGTH }
}

/// Minimum length in points of a bar with a value other than zero. The baseline covers the first
/// half point, so that a point of the bar stays visible.
pub const MIN_BAR_LENGTH: f64 = 1.5;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::color;
    use crate::scene::Primitive;
    use crate::theme::DEFAULT_COLORS;

    #[test]
    fn every_fill_gives_a_label_enough_contrast() {
        let mixed = DEFAULT_COLORS
            .iter()
            .flat_map(|one| DEFAULT_COLORS.iter().map(|two| one.mix(*two, 0.5)));
        for fill in DEFAULT_COLORS.into_iter().chain(mixed) {
            let ink = inner_label_color(fill);
            assert!(ink.contrast(fill) >= 4.5, "{ink} on {fill}");
        }
    }

    #[test]
    fn every_segment_of_a_column_has_its_value() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let values = (0..10).map(|index| (names[index].to_owned(), json!(100 + index)));
        let record: Value = values.collect::<serde_json::Map<_, _>>().into();
        let settings = json!({"mode": "stacked"});
        let kind = crate::find_kind("stacked-column").unwrap();
        let records = [record];
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
        for value in 100..110 {
            let label = value.to_string();
            assert!(scene.text_boxes().any(|(text, _)| text == label), "{label}");
        }
    }

    #[test]
    fn a_small_value_has_a_visible_bar_and_zero_has_none() {
        let length = |slug: &str, value: f64| {
            let data = [json!({"label": "A", "value": 1e6}), json!({"label": "B", "value": value})];
            let settings = json!({"orientation": "horizontal", "axis": {"min": -1e6}});
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            let rects = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
                Primitive::Rect { rect, .. } => Some(*rect),
                _ => None,
            });
            let lengths: Vec<f64> = rects.map(|rect| rect.width()).collect();
            assert!(lengths[0] > 100.0, "{slug}: {lengths:?}");
            lengths.get(1).copied().unwrap_or(0.0)
        };
        for slug in ["bar", "grouped-column", "stacked-column"] {
            assert_eq!(length(slug, 3.0), MIN_BAR_LENGTH, "{slug}");
            assert_eq!(length(slug, -3.0), MIN_BAR_LENGTH, "{slug}");
            assert_eq!(length(slug, 0.0), 0.0, "{slug}");
        }
    }

    #[test]
    fn a_small_value_extends_to_its_side_of_zero() {
        let scale = ValueScale { domain: (-100.0, 100.0), range: (200.0, 0.0), is_log: false };
        assert_eq!(visible_end(scale, (0.0, 0.1)), 100.0 - MIN_BAR_LENGTH);
        assert_eq!(visible_end(scale, (0.0, -0.1)), 100.0 + MIN_BAR_LENGTH);
        assert_eq!(visible_end(scale, (0.0, 50.0)), 50.0);
        assert_eq!(visible_end(scale, (0.0, 0.0)), 100.0);
    }

    #[test]
    fn a_translucent_segment_has_a_readable_label() {
        let data = [json!({"label": "A", "x": 1234})];
        let settings = json!({"series": [{"key": "x", "color": "rgba(0, 0, 0, 0.1)"}]});
        let kind = crate::find_kind("stacked-column").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
        let colors = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
            Primitive::Text(text) if text.text == "1,234" => Some(text.color),
            _ => None,
        });
        assert!(colors.into_iter().all(|ink| ink.contrast(color::WHITE) > 4.5));
    }
}
