//! The parts of an image that all chart kinds share: title, subtitle, footer, logo, margins, axes,
//! legend and annotations.

mod annotations;
pub mod axis;
pub mod bands;
mod branding;
pub mod callouts;
pub mod category;
pub mod curve_layout;
pub mod curves;
mod early_ends;
pub mod end_names;
pub mod key_list;
pub mod legend;
mod line_labels;
mod line_panels;
pub mod line_pattern;
pub mod lines;
pub mod list_columns;
mod measure_name;
mod period_gaps;
pub mod sequence;
pub mod series_labels;
pub mod stack;
mod style;
pub mod time;
mod time_gaps;
pub mod time_marks;
mod titles;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, Term};
use crate::scene::{Anchor, Text};
use crate::text;
use crate::text::Face;

use branding::LogoPlacement;

pub use annotations::{draw_annotations, find_annotated_rows};
pub use measure_name::draw_above_chart;
pub use style::{ChartStyle, MIN_TEXT_SIZE};

/// The free area of the canvas for a chart kind, and the style of the whole chart.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Area between title and footer, within the margins. The kind places its legend, axes and
    /// plot area in it.
    pub area: Rect,
    /// Font sizes, colors and spacing.
    pub style: ChartStyle,
}

/// Draws title, subtitle, footer and logo, and returns the remaining area with the chart's style.
/// The area is at least one point high. Does not draw the annotations.
pub fn draw_frame(chart: &Chart, scene: &mut Scene) -> Frame {
    let style = ChartStyle::new(chart);
    let mut area = compute_area_within_margins(chart, &style);
    let logo = LogoPlacement::new(chart, &style, area);
    if !chart.style.no_title {
        let title_area = logo.as_ref().map_or(area, |placement| placement.cut_title_area(area));
        area.y0 = titles::draw_title(chart, &style, scene, title_area).unwrap_or(area.y0);
    }
    if !chart.style.no_footnote {
        let footer_area = logo.as_ref().map_or(area, |placement| placement.cut_footer_area(area));
        area.y1 = titles::draw_footer(chart, &style, scene, footer_area).unwrap_or(area.y1);
    }
    if let Some(logo) = &logo {
        area = logo.cut_chart_area(area);
        logo.draw(scene);
    }
    if area.height() < 1.0 {
        area.y1 = area.y0 + 1.0;
    }
    Frame { area, style }
}

/// Returns the canvas without its margins. On a canvas that is mirrored afterwards, the left and
/// the right margin are exchanged.
///
/// A side has the margin of the document, reduced on canvases smaller than the default size, or
/// else the default margin. Each is at least 4 points and at most a quarter of the canvas side.
fn compute_area_within_margins(chart: &Chart, style: &ChartStyle) -> Rect {
    let default = style.margin;
    // A document states its margins for the default canvas size: smaller canvases scale them.
    let side = |own: Option<f64>, length: f64| {
        let margin = own.map_or(default, |points| points * style.margin_scale);
        margin.clamp(4.0, length / 4.0)
    };
    let margin = &chart.style.margin;
    let (left, right) = match chart.is_right_to_left() {
        false => (margin.left, margin.right),
        // The canvas is mirrored.
        true => (margin.right, margin.left),
    };
    Rect::new(
        side(left, chart.width),
        side(margin.top, chart.height),
        chart.width - side(right, chart.width),
        chart.height - side(margin.bottom, chart.height),
    )
}

/// Counts in the scene the series without a value, which neither the chart nor its legend shows, and keeps
/// their titles for the note. `count` is the number of all series. Counts nothing for a chart without any
/// value, which has another note, see `draw_no_data`.
pub fn omit_empty_series(chart: &Chart, count: usize, count_with_values: usize, scene: &mut Scene) {
    let empty_count = count.saturating_sub(count_with_values);
    if count_with_values == 0 || empty_count == 0 {
        return;
    }
    let has_values = |key: &str| {
        chart.data.iter().any(|record| data::number(data::field(record, key)).is_some())
    };
    let series = chart.series();
    let empty: Vec<&str> = series
        .iter()
        .filter(|series| !has_values(&series.key))
        .map(|series| series.title.as_str())
        .collect();
    // A series with values only in records without a date has no value in the chart either.
    match empty.len() == empty_count {
        true => empty.into_iter().for_each(|title| scene.omit_named(Omission::EmptySeries, title)),
        false => scene.omit(Omission::EmptySeries, empty_count),
    }
}

/// Returns whether a chart names its series at their ends or in a legend: if it draws several, or
/// only one of several. False if the setting `showLegend` is false. The name of a series without
/// others is above the value axis.
pub fn needs_series_names(chart: &Chart, drawn_count: usize) -> bool {
    chart.bool_setting("showLegend", true) && (drawn_count > 1 || chart.series().len() > 1)
}

/// Writes "No data", in the language of the chart, in the middle of the area if it fits. Adds a
/// warning, and a description unless the scene has one.
pub fn draw_no_data(frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let middle = frame.area.center();
    let max_width = frame.area.width().min(style.label_size * 8.0);
    let term = style.locale.translate(Term::NoData);
    if frame.area.height() > style.label_size * 1.4
        && max_width > text::width(term, style.label_size, Face::REGULAR)
    {
        let y = middle.y + style.label_size * 0.36;
        let text = style.label_text(middle.x, y, Anchor::Middle, style.label_size, term);
        scene.text(Text { color: style.muted_color, ..text });
    }
    scene.warn("No record holds a value that this kind of chart can draw.");
    if scene.description.is_empty() {
        scene.description = "No data.".to_owned();
    }
}
