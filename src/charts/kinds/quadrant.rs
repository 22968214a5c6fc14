//! Quadrant chart: items by two measures in four fields of equal size with titles.
//!
//! Record: `label`, `x`, `y`, `size`, `highlighted`. Settings: `fieldTitles` (top left, top right,
//! bottom left, bottom right), `middle` (`x`, `y`: the point where the fields meet), `accent` (the
//! tinted field), `xTitle`, `yTitle`, `sizeTitle`, `xAxis`, `axis`, `showValues` (numbers along the
//! axes), `showLabels`.

use kurbo::{BezPath, Point, Rect};
use serde_json::{Value, json};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Omission;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::kinds::scatter;
use crate::kinds::scatter::ground::Ground;
use crate::kinds::scatter::names;
use crate::kinds::scatter::points;
use crate::kinds::scatter::points::Dots;
use crate::kinds::scatter::sizes;
use crate::kinds::scatter::sizes::LegendPlace;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The quadrant chart.
pub const KIND: Kind = Kind { slug: "quadrant", draw };

/// Values of the setting `accent`, in the order of the setting `fieldTitles`.
const FIELDS: [&str; 4] = ["topLeft", "topRight", "bottomLeft", "bottomRight"];

/// Draws the fields, the axes, the points, the titles and the labels. The scene counts points
/// outside the axes. Draws a note instead if there are no points.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dots = points::read(chart);
    if !dots.all.is_empty() {
        scene.omit(Omission::Incomplete, chart.record_count().saturating_sub(dots.all.len()));
    }
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let middle = chart.setting("middle");
    let (x_range, y_range) = (dots.range(|dot| dot.x), dots.range(|dot| dot.y));
    let x_domain = center_domain(chart.setting("xAxis"), x_range, &middle["x"]);
    let y_domain = center_domain(chart.setting("axis"), y_range, &middle["y"]);
    describe(chart, &dots, x_domain, y_domain, scene);
    let colors = [chart.series_color(0)];
    let legend_height = sizes::reserve_legend(chart, &dots, frame.area, style);
    let area = Rect { y0: frame.area.y0 + legend_height, ..frame.area };
    let plot = lay_out(chart, style, area, x_domain, y_domain, scene);
    if legend_height > 0.0 {
        sizes::draw_legend(
            chart,
            &dots,
            &colors,
            (LegendPlace::Top(frame.area), plot.area),
            style,
            scene,
        );
    }
    draw_fields(chart, plot.area, style, scene);
    draw_axis_arrows(chart, &plot, area, style, scene);
    let placed = scatter::place(&dots, &plot, style);
    if placed.len() < dots.all.len() {
        scene.omit(Omission::OutOfRange, dots.all.len() - placed.len());
    }
    scatter::draw_points(chart, &placed, &colors, dots.sized, style, scene);
    let titles = layout_titles(chart, plot.area, style);
    let title_rects = titles.iter().map(Text::bounds).collect();
    titles.into_iter().for_each(|title| scene.text(title));
    // Labels are placed on the fields, so their halos have the color of a field.
    let label_style = ChartStyle { background: plain_field_color(style), ..style.clone() };
    let label_fields =
        field_rects(plot.area, style).map(|field| field.inflate(-4.0 * style.unit, 0.0));
    let constraints =
        Ground { taken: title_rects, fields: label_fields.to_vec(), ..Ground::default() };
    names::draw(chart, &placed, (&colors, &constraints), plot.area, &label_style, scene);
}

/// Returns the domain of an axis: the smallest one with its center at `middle` that contains
/// `data_range`. If `middle` is no number, the center is that of the range.
///
/// The limits `min` and `max` in the settings of the axis replace the ends of `data_range`, unless
/// the result is empty or reversed. Unless both limits are set, the domain is 12 % longer on each
/// side. An empty domain is widened.
fn center_domain(axis_settings: &Value, data_range: (f64, f64), middle: &Value) -> (f64, f64) {
    let limit = |key: &str| data::number(&axis_settings[key]);
    let low = limit("min").unwrap_or(data_range.0);
    let high = limit("max").unwrap_or(data_range.1);
    let (low, high) = if low < high { (low, high) } else { data_range };
    let has_fixed_limits = limit("min").is_some() && limit("max").is_some();
    let middle = data::number(middle).unwrap_or(low / 2.0 + high / 2.0);
    let half_span = (middle - low).max(high - middle);
    // A margin keeps the outermost points away from the edge of the plot.
    let half_span = if has_fixed_limits { half_span } else { half_span * 1.12 };
    let half_span = if half_span > 0.0 { half_span } else { middle.abs().max(1.0) * 0.1 };
    (middle - half_span, middle + half_span)
}

/// Lays out the plot. With the setting `showValues` it also draws numbers along both axes, unless
/// the area is low. It leaves space for the titles of the axes, which it does not draw.
fn lay_out(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    x_domain: (f64, f64),
    y_domain: (f64, f64),
    scene: &mut Scene,
) -> scatter::Plot {
    let y_title_height =
        if scatter::axis_name(chart, "yTitle").is_empty() { 0.0 } else { style.label_size * 1.6 };
    let x_title_height =
        if scatter::axis_name(chart, "xTitle").is_empty() { 0.0 } else { style.label_size * 1.6 };
    let is_low = area.height() < style.label_size * 9.0;
    let (y_title_height, x_title_height) =
        if is_low { (0.0, 0.0) } else { (y_title_height, x_title_height) };
    let with_numbers = chart.bool_setting("showValues", false) && !is_low;
    let arrow_margin = 5.0 * style.unit;
    let bottom_height =
        x_title_height + if with_numbers { ValueAxis::bottom_height(style) } else { 0.0 };
    let (top, bottom) = (area.y0 + y_title_height, area.y1 - bottom_height - arrow_margin);
    let plot = Rect::new(area.x0 + arrow_margin, top, area.x1, bottom.max(top + 1.0));
    let value_axis = |domain: (f64, f64), spacing: f64, length: f64, column: &str| {
        let settings = json!({"axis": {"min": domain.0, "max": domain.1}});
        let (rules, locale) = (chart.format_rules(column), chart.locale());
        let fixed_chart = Chart { settings: &settings, default_locale: locale, ..*chart };
        let lengths = (length, spacing);
        ValueAxis::new(&fixed_chart, style, domain, IncludeZero::WhenAdjacent, lengths, &rules)
    };
    let y_axis = value_axis(y_domain, axis::y_tick_spacing(style), plot.height(), "y");
    let left = if with_numbers {
        area.x0 + y_axis.left_width(style).min(area.width() * 0.4)
    } else {
        plot.x0
    };
    let plot = Rect { x0: left, x1: plot.x1.max(left + 1.0), ..plot };
    let (x_margin, y_margin) = (7.0 * style.unit, title_strip_height(chart, plot, style));
    let x = LinearScale { domain: x_domain, range: (plot.x0 + x_margin, plot.x1 - x_margin) };
    let y = LinearScale { domain: y_domain, range: (plot.y1 - y_margin, plot.y0 + y_margin) };
    if with_numbers {
        let without_gridlines = ChartStyle { grid_color: style.background, ..style.clone() };
        let x_axis = value_axis(x_domain, axis::x_tick_spacing(style), plot.width(), "x")
            .with_setting(Some("xAxis"));
        y_axis.draw_left(scene, &without_gridlines, plot, &y);
        x_axis.draw_bottom(scene, &without_gridlines, plot, &x);
    }
    scatter::Plot { area: plot, x: (&x).into(), y: (&y).into() }
}

/// Returns the height in points of the strip at the top and the bottom that is reserved for the
/// field titles. Without titles, or if the plot is low, it is only a small margin.
fn title_strip_height(chart: &Chart, plot: Rect, style: &ChartStyle) -> f64 {
    let has_titles =
        (0..4).any(|index| !data::display_text(&chart.setting("fieldTitles")[index]).is_empty());
    let height = style.label_size * 2.1;
    let margin = 7.0 * style.unit;
    if has_titles && plot.height() > height * 4.5 {
        height
    } else {
        margin.min(plot.height() * 0.1)
    }
}

/// Returns the rectangles of the four fields with a gap between them: top left, top right, bottom
/// left, bottom right. All have the same size.
fn field_rects(plot: Rect, style: &ChartStyle) -> [Rect; 4] {
    let (middle, gap) = (plot.center(), 1.25 * style.unit);
    let (left, right) = ((plot.x0, middle.x - gap), (middle.x + gap, plot.x1));
    let (top, bottom) = ((plot.y0, middle.y - gap), (middle.y + gap, plot.y1));
    [(left, top), (right, top), (left, bottom), (right, bottom)]
        .map(|(x, y)| Rect::new(x.0, y.0, x.1.max(x.0), y.1.max(y.0)))
}

/// Returns the background color of a field without an accent.
fn plain_field_color(style: &ChartStyle) -> Color {
    style.background.mix(style.grid_color, 0.5)
}

/// Draws the backgrounds of the fields. The field of the setting `accent` is tinted.
fn draw_fields(chart: &Chart, plot: Rect, style: &ChartStyle, scene: &mut Scene) {
    for (rect, name) in field_rects(plot, style).into_iter().zip(FIELDS) {
        let is_accented = chart.str_setting("accent") == name;
        let fill = if is_accented {
            style.background.mix(chart.series_color(0), 0.16)
        } else {
            plain_field_color(style)
        };
        scene.rect(rect, fill);
    }
}

/// Returns the titles of the fields, each placed in the outer corner of its field and shortened if
/// necessary.
///
/// Fields without a title are skipped. The result is empty if the plot is too low.
fn layout_titles(chart: &Chart, plot: Rect, style: &ChartStyle) -> Vec<Text> {
    let (size, padding) = (style.label_size, style.label_size * 0.6);
    if title_strip_height(chart, plot, style) < size * 2.0 {
        return Vec::new();
    }
    let mut titles = Vec::new();
    for (index, rect) in field_rects(plot, style).into_iter().enumerate() {
        let title = data::display_text(&chart.setting("fieldTitles")[index]);
        let fitted = text::ellipsize(&title, rect.width() - 2.0 * padding, size, Face::BOLD);
        if fitted.is_empty() {
            continue;
        }
        let (is_right, is_bottom) = (index % 2 == 1, index >= 2);
        let (x, anchor) = if is_right {
            (rect.x1 - padding, Anchor::End)
        } else {
            (rect.x0 + padding, Anchor::Start)
        };
        let y = if is_bottom { rect.y1 - padding } else { rect.y0 + padding + ASCENT_EM * size };
        let width = text::width(&fitted, size, Face::BOLD);
        let full = (fitted != title).then(|| title.to_string());
        let label = style.label_text(x, y, anchor, size, &fitted);
        titles.push(Text { face: Face::BOLD, width, full, ..label });
    }
    titles
}

/// Draws an arrow at the left and at the bottom of the plot, and the titles of the axes: that of y
/// at the top left, that of x at the bottom right. With the setting `showValues`, only the titles
/// are drawn. Titles without space are omitted.
fn draw_axis_arrows(
    chart: &Chart,
    plot: &scatter::Plot,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let rect = plot.area;
    let (size, offset) = (style.label_size, 3.0 * style.unit);
    let (x, y) = (rect.x0 - offset, rect.y1 + offset);
    let with_numbers = chart.bool_setting("showValues", false);
    if !with_numbers {
        draw_arrow((x, y), (x, rect.y0), style, scene);
        draw_arrow((x, y), (rect.x1, y), style, scene);
    }
    let mut draw_title = |name: &str, (x, baseline): (f64, f64), anchor| {
        let name = text::sanitize(name);
        let fitted = text::ellipsize(&name, area.width(), size, style.label_face());
        let full = (fitted != name).then(|| name.to_string());
        let text = style.label_text(x, baseline, anchor, size, &fitted);
        scene.text(Text { color: style.muted_color, full, ..text });
    };
    if rect.y0 > area.y0 {
        draw_title(
            scatter::axis_name(chart, "yTitle"),
            (area.x0, area.y0 + ASCENT_EM * size),
            Anchor::Start,
        );
    }
    if area.y1 - rect.y1 > size * 1.5 && !scatter::axis_name(chart, "xTitle").is_empty() {
        draw_title(
            scatter::axis_name(chart, "xTitle"),
            (area.x1, area.y1 - 0.25 * size),
            Anchor::End,
        );
    }
}

/// Draws a thin arrow with its head at `to`, in the color of axes.
fn draw_arrow(from: (f64, f64), to: (f64, f64), style: &ChartStyle, scene: &mut Scene) {
    scene.line(from, to, Stroke::new(style.axis_color, 1.0));
    let (from, to) = (Point::from(from), Point::from(to));
    let backward = (from - to).normalize() * 5.0 * style.unit;
    let sideways = kurbo::Vec2::new(-backward.y, backward.x) * 0.42;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + backward + sideways);
    path.line_to(to + backward - sideways);
    path.close_path();
    scene.fill(path, style.axis_color);
}

/// Sets the text description of the scene: the number of items in each field, by its title or
/// position. It includes items outside the axes. Items on a border count as right and top.
fn describe(
    chart: &Chart,
    dots: &Dots,
    x_domain: (f64, f64),
    y_domain: (f64, f64),
    scene: &mut Scene,
) {
    let midpoint = |domain: (f64, f64)| domain.0 / 2.0 + domain.1 / 2.0;
    let mut counts = [0; 4];
    for dot in &dots.all {
        let is_right = dot.x >= midpoint(x_domain);
        let is_bottom = dot.y < midpoint(y_domain);
        let field = usize::from(is_right) + 2 * usize::from(is_bottom);
        if let Some(count) = counts.get_mut(field) {
            *count += 1;
        }
    }
    let positions = ["top left", "top right", "bottom left", "bottom right"];
    let parts: Vec<String> = (counts.iter().zip(positions).enumerate())
        .map(|(index, (count, position))| {
            match data::display_text(&chart.setting("fieldTitles")[index]) {
                title if title.is_empty() => format!("{count} {position}"),
                title => format!("{count} in “{title}”"),
            }
        })
        .collect();
    scene.description =
        format!("Quadrant chart of {} items: {}.", dots.all.len(), parts.join(", "));
}
