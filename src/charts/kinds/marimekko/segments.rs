//! Segments of the columns of a Marimekko chart, with their shares.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::columns::stacked;
use crate::format::{FormatRules, NumberFormat};
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::scale::LinearScale;
use crate::scene::Text;
use crate::value_labels::ValueLabelCount;

/// The column of one record.
pub struct Column<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the record.
    pub label: Cow<'a, str>,
    /// Share of each series. None without a value.
    pub shares: Vec<Option<f64>>,
    /// Second measure, in the unit of the data.
    pub width: f64,
    /// Formatted width.
    pub width_text: String,
    /// Whether the other columns are paler.
    pub highlighted: bool,
}

/// Inputs common to the segments of all columns.
pub struct SegmentContext<'a> {
    series: &'a [Series],
    /// Positions of percentages.
    y: LinearScale,
    format: NumberFormat,
    /// Whether shares are drawn into their segments.
    with_labels: bool,
    /// Whether the axis of shares is drawn.
    pub has_axis: bool,
}

impl<'a> SegmentContext<'a> {
    /// Returns the inputs with the number format of `rules`, by default without decimals.
    pub fn new(
        chart: &Chart,
        series: &'a [Series],
        rules: &FormatRules,
        (y, has_axis): (LinearScale, bool),
    ) -> SegmentContext<'a> {
        let format = NumberFormat::for_shares(rules.decimals.unwrap_or(0), rules, chart.locale());
        let with_labels = chart.bool_setting("showValues", true);
        SegmentContext { series, y, format, with_labels, has_axis }
    }
}

/// Draws the segments of a column in `rect`, the first series at the bottom, with the shares that
/// fit into their segments. A muted column has paler colors. Adds the shares to `value_labels` unless
/// labels are switched off.
pub fn draw_segments(
    column: &Column,
    (rect, is_muted): (Rect, bool),
    context: &SegmentContext,
    style: &ChartStyle,
    value_labels: &mut ValueLabelCount,
    scene: &mut Scene,
) {
    let SegmentContext { y, format, .. } = context;
    let mut from_percent = 0.0;
    for (series, share) in context.series.iter().zip(&column.shares) {
        let Some(exact) = share else { continue };
        let label = format.text(*exact);
        scene.begin_mark("bar", Some(column.row), || {
            (Some(series.key.clone()), format!("{}, {}: {label}", column.label, series.title))
        });
        let segment = Rect { y0: y.at(from_percent + exact), y1: y.at(from_percent), ..rect };
        from_percent += exact;
        let fill: Color =
            if is_muted { series.color.mix(style.background, 0.6) } else { series.color };
        scene.rect(stacked::with_gap(segment, true), fill);
        if context.with_labels {
            let color = bands::inner_label_color(fill);
            let label = stacked::inner_label(style, segment, &label);
            let is_labeled = !label.text.is_empty();
            value_labels.add(*exact, is_labeled);
            scene.text(Text { color, ..label });
        }
    }
    scene.end_mark();
}
