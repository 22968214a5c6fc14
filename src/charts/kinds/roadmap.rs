//! Roadmap: work items as bars from start to end, in lanes by team or theme, with a header of
//! months, quarters or years.
//!
//! Record: `label`, `lane`, `start`, `end` (inclusive), `duration` (instead of `end`),
//! `highlighted` (optional flag). Settings: `unit` (`auto`, `month`, `quarter`, `year`),
//! `showToday` (a date), `showGrid`.

mod header;
mod items;
mod labels;
mod lanes;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{Locale, Omission, date};
use crate::frame;
use crate::frame::time::DateMarker;
use crate::frame::{ChartStyle, Frame, time_marks};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
use crate::text;
use crate::text::Face;

use header::TimeHeader;
use items::{Item, ItemBar, RoadmapItems};
use lanes::LaneLayout;

/// The roadmap.
pub const KIND: Kind = Kind { slug: "roadmap", draw };

/// Maximum number of lines of the label of a lane.
const MAX_LANE_LABEL_LINES: usize = 3;

/// The label of a lane.
struct LaneLabel {
    name: String,
    /// Maximum number of lines. 0 hides the label.
    max_lines: usize,
    /// Width of the widest line in points.
    width: f64,
}

/// Draws the lanes, the header, the marker of today and the items that fit. The scene counts items without
/// space and items with a bar but without their label. Draws a note instead if there are no items.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut items = items::read_items(chart, scene);
    if items.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let (style, area) = (&frame.style, frame.area);
    let lane_labels = lay_out_lane_labels(&items, area, style);
    let max_label_width = lane_labels.iter().map(|label| label.width).fold(0.0, f64::max);
    let left = area.x0
        + if max_label_width > 0.0 { max_label_width + style.label_size * 1.6 } else { 0.0 };
    let header = TimeHeader::new(chart, items.span, (left, area.x1), style);
    let calendar_end = header.scale().domain.1;
    items.all.iter_mut().filter(|item| item.is_open).for_each(|item| item.to = calendar_end);
    let top = area.y0 + header.height(style);
    // The date of the marker is below its line.
    let today = DateMarker::from_settings(chart, style, header.scale().domain);
    let today_height = if today.is_some() && area.height() > style.label_size * 10.0 {
        style.label_size * 1.4
    } else {
        0.0
    };
    let plot = Rect::new(left, top, area.x1, (area.y1 - today_height).max(top + 1.0));
    let layout = lanes::lay_out_items(&items, &header.scale(), plot, style);
    let bottom = layout.lanes.iter().map(|lane| lane.bottom).fold(top, f64::max).min(plot.y1);
    let plot = Rect { y1: bottom, ..plot };
    draw_lanes(&layout, &lane_labels, Rect { x0: area.x0, ..plot }, style, scene);
    header.draw(chart, plot, chart.bool_setting("showGrid", true), style, scene);
    if let Some(today) = today {
        let x = header.scale().at(today.timestamp);
        draw_today(&today, x, plot, today_height > 0.0, style, scene);
    }
    let any_highlighted = items.all.iter().any(|item| item.highlighted);
    for (item, bar) in items.all.iter().zip(&layout.bars) {
        let fill = match (any_highlighted, item.highlighted) {
            (false, _) => chart.series_color(item.lane),
            (true, true) => chart.theme.highlight_color,
            (true, false) => style.muted_color.mix(style.background, 0.62),
        };
        if let Some(bar) = bar {
            draw_item(chart, item, bar, fill, layout.font_size, style, scene);
        }
    }
    let omitted_count = layout.bars.iter().filter(|bar| bar.is_none()).count();
    scene.omit(Omission::NoSpace, omitted_count);
    let is_unnamed = |(item, bar): &(&Item, &Option<ItemBar>)| {
        !item.label.is_empty() && bar.as_ref().is_some_and(|bar| bar.lines.is_empty())
    };
    scene.omit(Omission::Name, items.all.iter().zip(&layout.bars).filter(is_unnamed).count());
    scene.description = describe(&items, chart.locale());
}

/// Returns the text description of the chart: the numbers of items and lanes, and the first and last
/// day.
fn describe(items: &RoadmapItems, locale: Locale) -> String {
    format!(
        "Roadmap of {} items in {} lanes from {} to {}.",
        items.all.len(),
        items.lanes.len(),
        date::format_day(items.span.0, true, locale),
        date::format_day(items.span.1 - 1.0, true, locale),
    )
}

/// Draws the vertical line of the setting `showToday` across `plot`, and its date below the plot if
/// `with_label` is true. `x` is the position of the line in points.
fn draw_today(
    today: &DateMarker,
    x: f64,
    plot: Rect,
    with_label: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let end = if with_label { plot.y1 + style.label_size * 0.3 } else { plot.y1 };
    today.draw_line(x, (plot.y0 - style.label_size * 0.3, end), style, scene);
    if with_label {
        today.draw_label((x, plot.y1 + style.label_size * 1.2), (plot.x0, plot.x1), style, scene);
    }
}

/// Measures the labels of the lanes, which are bold and have at most `MAX_LANE_LABEL_LINES` lines. They
/// are at most a fifth of `area` wide, or up to three tenths if a word needs it.
///
/// If `area` is narrow, all labels are hidden: their width and number of lines are 0.
fn lay_out_lane_labels(items: &RoadmapItems, area: Rect, style: &ChartStyle) -> Vec<LaneLabel> {
    let (size, usual_width) = (style.label_size, area.width() * 0.2);
    if usual_width < size * 4.0 {
        let hidden = |name: &String| LaneLabel { name: name.clone(), max_lines: 0, width: 0.0 };
        return items.lanes.iter().map(hidden).collect();
    }
    let words = items.lanes.iter().flat_map(|name| name.split_whitespace());
    let widest_word = words.map(|word| text::width(word, size, Face::BOLD)).fold(0.0, f64::max);
    let max_width = usual_width.max(widest_word.min(area.width() * 0.3));
    let label = |name: &String| {
        let lines = text::wrap(name, max_width, MAX_LANE_LABEL_LINES, size, Face::BOLD);
        let width =
            lines.iter().map(|line| text::width(line, size, Face::BOLD)).fold(0.0, f64::max);
        LaneLabel { name: name.clone(), max_lines: MAX_LANE_LABEL_LINES, width }
    };
    items.lanes.iter().map(label).collect()
}

/// Returns the background color of a lane. Lanes with an even index are shaded.
fn choose_lane_background(lane: usize, style: &ChartStyle) -> Color {
    if lane.is_multiple_of(2) {
        style.background.mix(style.grid_color, 0.4)
    } else {
        style.background
    }
}

/// Draws the background and the label of each lane. A label has as many lines as the lane has space
/// for, up to its maximum. The scene counts the labels without space. `plot` includes the labels on
/// the left.
fn draw_lanes(
    layout: &LaneLayout,
    labels: &[LaneLabel],
    plot: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let leading = style.label_size * 1.2;
    let label_width = labels.iter().map(|label| label.width).fold(0.0, f64::max) + 0.1;
    for (index, (lane, label)) in layout.lanes.iter().zip(labels).enumerate() {
        let rect = Rect::new(plot.x0, lane.top, plot.x1, lane.bottom.min(plot.y1));
        if rect.height() > 0.0 && choose_lane_background(index, style) != style.background {
            scene.rect(rect, choose_lane_background(index, style));
        }
        // A lane with a single low row has space for one line or none.
        let fitting_lines = (rect.height() / leading).max(0.0) as usize;
        let max_lines = fitting_lines.min(label.max_lines);
        let lines = text::wrap(&label.name, label_width, max_lines, style.label_size, Face::BOLD);
        if lines.is_empty() && !label.name.is_empty() {
            scene.omit(Omission::Name, 1);
        }
        let height = leading * lines.len().saturating_sub(1) as f64;
        let first_y = rect.center().y - height / 2.0;
        for (line_index, line_text) in lines.iter().enumerate() {
            let baseline =
                first_y + line_index as f64 * leading + HALF_CAP_HEIGHT_EM * style.label_size;
            let label_text = style.label_text(
                plot.x0 + style.label_size * 0.6,
                baseline,
                Anchor::Start,
                style.label_size,
                line_text,
            );
            let width = text::width(line_text, style.label_size, Face::BOLD);
            let full = line_text.ends_with('…').then(|| label.name.clone());
            scene.text(Text { face: Face::BOLD, width, full, ..label_text });
        }
    }
}

/// Draws the bar or the diamond of an item. The bar of an open item dissolves at its end.
fn draw_mark(bar: &ItemBar, fill: Color, scene: &mut Scene) {
    let rect = bar.rect;
    if bar.is_diamond {
        let half_diagonal = rect.width().min(rect.height()) / 2.0;
        return scene.fill(time_marks::diamond(rect.center(), half_diagonal), fill);
    }
    let solid = time_marks::draw_tail(rect, rect.x1 - bar.tail_width, fill, scene);
    let radius = (solid.height() * 0.16).min(solid.width() / 2.0);
    scene.push(Primitive::Rect { rect: solid, radius, fill });
}

/// Draws the bar of an item with its tooltip and, if there is a font size, the lines of its label inside
/// or beside the bar. `font_size` is in points.
fn draw_item(
    chart: &Chart,
    item: &Item,
    bar: &ItemBar,
    fill: Color,
    font_size: Option<f64>,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("item", Some(item.row), || {
        let format_day = |seconds: f64| date::format_day(seconds, true, chart.locale());
        let end = match item {
            Item { is_point: true, .. } => String::new(),
            Item { is_open: true, .. } => " – …".to_owned(),
            item => format!(" – {}", format_day(item.to - 1.0)),
        };
        (None, format!("{}: {}{end}", item.label, format_day(item.from)))
    });
    draw_mark(bar, fill, scene);
    scene.end_mark();
    let Some(font_size) = font_size else { return };
    let leading = font_size * 1.2;
    let first_y = bar.rect.center().y - leading * bar.lines.len().saturating_sub(1) as f64 / 2.0;
    let (x, anchor) = match (bar.is_label_inside, bar.is_label_left) {
        (true, _) => (bar.rect.x0 + font_size * 0.45, Anchor::Start),
        (false, false) => (bar.rect.x1 + font_size * 0.45, Anchor::Start),
        (false, true) => (bar.rect.x0 - font_size * 0.45, Anchor::End),
    };
    let color = if bar.is_label_inside { fill.readable_text_color() } else { style.value_color };
    let is_shortened = bar.lines.iter().any(|line| line.ends_with('…'));
    for (line_index, line_text) in bar.lines.iter().enumerate() {
        let baseline = first_y + line_index as f64 * leading + HALF_CAP_HEIGHT_EM * font_size;
        let label_text = style.label_text(x, baseline, anchor, font_size, line_text);
        let full = is_shortened.then(|| item.label.clone());
        let halo = (!bar.is_label_inside).then(|| choose_lane_background(item.lane, style));
        scene.text(Text { color, full, halo, ..label_text });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_with_one_date_have_visible_marks_and_names() {
        let records = [
            json!({ "label": "Build", "start": "2026-01-05", "end": "2026-07-15" }),
            json!({ "label": "Operate", "start": "2026-04-01" }),
            json!({ "label": "Report", "end": "2026-05-31" }),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &records));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(
            ["Build", "Operate", "Report"].iter().all(|name| texts.contains(name)),
            "{texts:?}"
        );
        let primitives = || scene.shapes.iter().map(|shape| &shape.primitive);
        let is_diamond =
            |shape: &&Primitive| matches!(shape, Primitive::Path { fill: Some(_), .. });
        assert_eq!(primitives().filter(is_diamond).count(), 1);
        // The bar of `Operate` dissolves into three stripes at the end of the calendar.
        let is_stripe = |shape: &&Primitive| match shape {
            Primitive::Rect { rect, .. } => rect.x0 > 640.0 && rect.width() < 12.0,
            _ => false,
        };
        assert_eq!(primitives().filter(is_stripe).count(), 3);
    }
}
