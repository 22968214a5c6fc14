//! Bar mekko chart: columns with two measures as height and width, so that the area is their
//! product.
//!
//! Record: `label`, `value` (height), `width`, `highlighted` (optional flag), `color`. Without any
//! width all columns are equally wide. A record without a value leaves its width empty. Settings:
//! `sort` with `sortBy` (`value`, `width`), `widthTitle`, `areaTitle`, `showValues`, `showWidths`,
//! `showAreas` (the products), `showGrid`, `axis`.

mod names;
mod records;
mod staggered;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{NumberFormat, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::kinds::bar_mekko::names::{ColumnNames, MAX_NAMES_SHARE};
use crate::kinds::bar_mekko::records::{Column, read_columns, sum_widths};
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text, ValueEnd};
use crate::text;
use crate::text::Face;
use crate::value_labels::ValueLabelCount;

/// The bar mekko chart.
pub const KIND: Kind = Kind { slug: "bar-mekko", draw };

/// Layout of the plot.
struct Plot {
    area: Rect,
    y: LinearScale,
    /// Left and right edge of each column in points.
    spans: Vec<(f64, f64)>,
    /// Font size in points of the values at the ends of the columns.
    value_size: f64,
    names: ColumnNames,
    /// Axis of the values. None if all columns show their value.
    axis: Option<ValueAxis>,
}

/// Draws titles, axis, columns and names. The scene counts the values that neither a label nor an axis
/// shows if they are many. Draws a note instead if no column has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let columns = read_columns(chart, style, scene);
    if columns.iter().all(|column| column.value.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    describe(chart, &columns, scene);
    let area = draw_titles(chart, &columns, style, frame.area, scene);
    let plot = lay_out(chart, &columns, area, frame.area, style);
    if let Some(axis) = &plot.axis {
        axis.draw_left(scene, &axis::grid_style(chart, style), plot.area, &plot.y);
    }
    let shown = choose_shown_values(&columns, &plot, style);
    let mut value_labels = ValueLabelCount::default();
    for (index, (column, span)) in columns.iter().zip(&plot.spans).enumerate() {
        let is_labeled =
            draw_column(chart, column, (*span, shown.contains(&index)), &plot, style, scene);
        value_labels.add(column.value.unwrap_or(0.0), is_labeled);
    }
    if chart.bool_setting("showValues", true) {
        value_labels.report_segments(plot.axis.is_some(), scene);
    }
    let zero = plot.y.at(0.0);
    axis::draw_baseline(scene, style, (plot.area.x0, zero), (plot.area.x1, zero));
    plot.names.draw(plot.area, &plot.spans, style, scene);
}

/// Returns the meaning of the widths with their total, such as "Width: employees (Total 1,200)".
/// Empty if no record has a width.
fn format_width_title(chart: &Chart, columns: &[Column]) -> String {
    if columns.iter().all(|column| column.width_text.is_empty()) {
        return String::new();
    }
    let (locale, rules) = (chart.locale(), chart.format_rules("width"));
    let sum = sum_widths(columns);
    // The total has the decimals of the widths, so that readers can add them up.
    let widths = columns.iter().map(|column| column.width);
    let total = NumberFormat::for_values(widths, &rules, locale).text(sum);
    let total = format!("({} {total})", locale.translate(Term::Total));
    let (width, separator) = (locale.translate(Term::Width), locale.colon());
    let title = text::sanitize(chart.str_setting("widthTitle"));
    match title.is_empty() {
        true => format!("{width} {total}"),
        false => format!("{width}{separator} {title} {total}"),
    }
}

/// Draws the title of the value axis (left) and the meaning of the widths (right) at the top of `area`, or in
/// two lines if they do not fit in one. Returns the area below. Draws nothing in a very low area.
fn draw_titles(
    chart: &Chart,
    columns: &[Column],
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = style.label_size;
    if area.height() < size * 6.0 {
        return area;
    }
    let areas = text::sanitize(chart.str_setting("areaTitle"));
    let mut width_title = format_width_title(chart, columns);
    if chart.bool_setting("showAreas", false) && !areas.is_empty() && !width_title.is_empty() {
        width_title = format!("{width_title} · {areas}");
    }
    let value_title = data::display_text(&chart.setting("axis")["title"]);
    let widths = [&*value_title, &*width_title].map(|title| style.text_width(title, size));
    let fit_one_line = widths.iter().sum::<f64>() + size * 1.5 <= area.width();
    let title_height = axis::draw_title(chart, style, scene, area);
    if width_title.is_empty() {
        area.y0 += title_height;
        return area;
    }
    if !fit_one_line || title_height == 0.0 {
        area.y0 += title_height;
    }
    let fitted = text::ellipsize(&width_title, area.width(), size, style.label_face());
    let (x, anchor) = match fit_one_line && title_height > 0.0 {
        true => (area.x1, Anchor::End),
        false => (area.x0, Anchor::Start),
    };
    let label = style.label_text(x, area.y0 + ASCENT_EM * size, anchor, size, &fitted);
    let full = (*fitted != *width_title).then(|| width_title.clone());
    scene.text(Text { color: style.muted_color, full, ..label });
    area.y0 += size * 1.5;
    area
}

/// Lays out the plot in `area`. Names may reach to the edges of `limits`. The setting `showGrid` decides
/// about the axis. Without it, there is an axis if the values at the columns are switched off or do not all
/// fit. A very low plot has none.
fn lay_out(
    chart: &Chart,
    columns: &[Column],
    area: Rect,
    limits: Rect,
    style: &ChartStyle,
) -> Plot {
    let all_fit = |size: &f64| {
        let spans = compute_spans(columns, (area.x0, area.x1));
        let mut both = columns.iter().zip(spans);
        both.all(|(column, (x0, x1))| style.text_width(&column.value_text, *size) <= x1 - x0)
    };
    let with_values = chart.bool_setting("showValues", true);
    let fitting_size = [style.label_size, style.small_size].into_iter().find(all_fit);
    let value_size = fitting_size.unwrap_or(style.small_size);
    let needs_axis = !with_values || fitting_size.is_none() || area.height() < value_size * 7.0;
    let range = columns
        .iter()
        .filter_map(|column| column.value)
        .fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let axis = chart.bool_setting("showGrid", needs_axis).then(|| {
        let lengths = (area.height() * 0.85, axis::y_tick_spacing(style));
        let rules = chart.format_rules("value");
        ValueAxis::new(chart, style, range, IncludeZero::Always, lengths, &rules)
    });
    let left = axis.as_ref().map_or(0.0, |axis| axis.left_width(style)).min(area.width() * 0.4);
    let x0 = area.x0 + left;
    let spans = compute_spans(columns, (x0, area.x1.max(x0 + 1.0)));
    let labels: Vec<Cow<str>> = columns.iter().map(|column| column.label.clone()).collect();
    let limits = (limits.x0, limits.x1);
    let names = ColumnNames::plan(&labels, &spans, limits, area.height() * MAX_NAMES_SHARE, style);
    let top = area.y0 + style.label_size * 0.4;
    let bottom = (area.y1 - names.height()).max(top + 1.0);
    let plot = Rect::new(x0, top, area.x1.max(x0 + 1.0), bottom);
    let label_space = if with_values { (value_size * 1.4).min(plot.height() * 0.3) } else { 0.0 };
    let high_space = if range.1 > 0.0 { label_space } else { 0.0 };
    let low_space = if range.0 < 0.0 { label_space } else { 0.0 };
    // High names can leave too little space for the texts of ticks.
    let height = plot.height() - low_space - high_space;
    let axis = axis.filter(|_| height >= style.label_size * 2.5);
    let domain = match &axis {
        Some(axis) => axis.domain,
        None => bands::tight_domain(chart, range),
    };
    let y = LinearScale { domain, range: (plot.y1 - low_space, plot.y0 + high_space) };
    Plot { area: plot, y, spans, value_size, names, axis }
}

/// Returns the left and right edges of the columns in points, between `left` and `right`. The lengths are
/// proportional to the widths, with gaps of 2 points between columns unless there are very many.
fn compute_spans(columns: &[Column], (left, right): (f64, f64)) -> Vec<(f64, f64)> {
    let length = (right - left).max(0.0);
    let gap = if length / columns.len().max(1) as f64 > 8.0 { 2.0 } else { 0.0 };
    let gaps = gap * (columns.len() as f64 - 1.0).max(0.0);
    let total = sum_widths(columns);
    let available = (length - gaps).max(0.0);
    let mut x = left;
    let span = |column: &Column| {
        let span = (x, (x + column.width / total * available).min(right));
        x = span.1 + gap;
        span
    };
    columns.iter().map(span).collect()
}

/// Returns the tip of a column: "label: value × width", or without widths "label: value".
fn column_tip(column: &Column) -> String {
    match column.width_text.is_empty() {
        true => format!("{}: {}", column.label, column.value_text),
        false => format!("{}: {} × {}", column.label, column.value_text, column.width_text),
    }
}

/// Returns the label of the value at the end of a column. None for a column without a value.
fn value_label(column: &Column, span: (f64, f64), plot: &Plot, style: &ChartStyle) -> Option<Text> {
    let rect = column_rect(column, span, plot)?;
    let size = plot.value_size;
    let y = match column.value? < 0.0 {
        true => rect.y1 + size * (0.35 + ASCENT_EM),
        false => rect.y0 - size * 0.35,
    };
    let half = style.text_width(&column.value_text, size) / 2.0;
    // The label of a narrow column at an edge of the plot moves inwards.
    let x = rect.center().x.min(plot.area.x1 - half).max(plot.area.x0 + half);
    Some(style.label_text(x, y, Anchor::Middle, size, &column.value_text))
}

/// Returns the rectangle of a column. None for a column without a value.
fn column_rect(column: &Column, (left, right): (f64, f64), plot: &Plot) -> Option<Rect> {
    let (zero, end) = (plot.y.at(0.0), plot.y.at(column.value?));
    Some(Rect::new(left, zero.min(end), right, zero.max(end)))
}

/// Returns the indices of the columns with space for the value at their end: the label is not wider than
/// the column, or touches neither other columns nor other labels. Labels of wide columns take precedence.
fn choose_shown_values(columns: &[Column], plot: &Plot, style: &ChartStyle) -> Vec<usize> {
    let columns = || columns.iter().zip(&plot.spans).enumerate();
    let rects: Vec<(usize, Rect)> = columns()
        .filter_map(|(index, (column, span))| Some((index, column_rect(column, *span, plot)?)))
        .collect();
    let mut labels: Vec<(usize, Rect, bool)> = columns()
        .filter_map(|(index, (column, span))| {
            let bounds = value_label(column, *span, plot, style)?.bounds();
            Some((index, bounds, bounds.width() <= span.1 - span.0))
        })
        .collect();
    labels.sort_by_key(|(.., fits_column)| !fits_column);
    let mut taken: Vec<Rect> = Vec::new();
    let mut shown = Vec::new();
    for (index, bounds, fits_column) in labels {
        let clearance = bounds.inflate(1.5, 0.0);
        let touches_column =
            || rects.iter().any(|(other, rect)| *other != index && rect.overlaps(clearance));
        let touches_label = || taken.iter().any(|label| label.overlaps(clearance));
        if fits_column || !touches_column() && !touches_label() {
            taken.push(bounds);
            shown.push(index);
        }
    }
    shown
}

/// Draws a column with the numbers that fit and that the settings do not hide: the value at its end, the
/// width at its base, the product in its middle. Returns whether it has its value. Draws nothing for a
/// column without a value.
fn draw_column(
    chart: &Chart,
    column: &Column,
    (span, shows_value): ((f64, f64), bool),
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let (Some(value), Some(rect)) = (column.value, column_rect(column, span, plot)) else {
        return false;
    };
    let end = plot.y.at(value);
    scene.begin_mark("bar", Some(column.row), || (Some("value".to_owned()), column_tip(column)));
    let value_end = ValueEnd::new(true, rect.center().x, end, rect.width() / 2.0);
    scene.record_value(column.row, Some("value"), value, value_end);
    scene.rect(rect, column.fill);
    let is_negative = value < 0.0;
    let x = rect.center().x;
    // In a low plot, the value of the highest column would reach into the titles.
    let min_top = plot.area.y0 - style.label_size * 0.4;
    let label = value_label(column, span, plot, style)
        .filter(|label| label.y - plot.value_size * ASCENT_EM >= min_top)
        .filter(|_| shows_value && chart.bool_setting("showValues", true));
    let has_value = label.is_some();
    if let Some(label) = label {
        scene.text(Text { color: style.value_color, ..label });
    }
    let small = style.small_size;
    let color = column.fill.readable_text_color();
    let fits_inside = |text: &str, height: f64| {
        !text.is_empty()
            && style.text_width(text, small) + small * 0.5 <= rect.width()
            && height <= rect.height()
    };
    let with_widths = chart.bool_setting("showWidths", true);
    let has_width = with_widths && fits_inside(&column.width_text, small * 1.6);
    if has_width {
        let y = match is_negative {
            true => rect.y0 + small * (0.4 + ASCENT_EM),
            false => rect.y1 - small * 0.5,
        };
        let label = style.label_text(x, y, Anchor::Middle, small, &column.width_text);
        scene.text(Text { color, ..label });
    }
    scene.end_mark();
    let needed = small * if has_width { 4.6 } else { 1.6 };
    if chart.bool_setting("showAreas", false) && fits_inside(&column.area_text, needed) {
        let y = rect.center().y + HALF_CAP_HEIGHT_EM * small;
        let width = text::width(&column.area_text, small, Face::BOLD);
        let label = style.label_text(x, y, Anchor::Middle, small, &column.area_text);
        if width + 2.0 <= rect.width() {
            scene.text(Text { face: Face::BOLD, width, color, ..label });
        }
    }
    has_value
}

/// Sets the description of the scene: number of columns, total width, the highest and the widest column.
fn describe(chart: &Chart, columns: &[Column], scene: &mut Scene) {
    let with_value = columns.iter().filter_map(|column| Some((column.value?, column)));
    scene.description = format!("Bar mekko chart of {} columns", columns.len());
    let width_title = format_width_title(chart, columns);
    if !width_title.is_empty() {
        scene.description.push_str(&format!("; {width_title}"));
    }
    if let Some((_, highest)) = with_value.max_by(|one, two| one.0.total_cmp(&two.0)) {
        let sentence = format!("; highest {} ({})", highest.label, highest.value_text);
        scene.description.push_str(&sentence);
    }
    let widest = columns.iter().max_by(|one, two| one.width.total_cmp(&two.width));
    if let Some(widest) = widest.filter(|column| !column.width_text.is_empty()) {
        let sentence = format!("; widest {} ({})", widest.label, widest.width_text);
        scene.description.push_str(&sentence);
    }
    scene.description.push('.');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::find_kind;
    use crate::format::Omission;

    #[test]
    fn columns_need_a_width_above_zero() {
        let data = [
            json!({"label": "a", "value": 2, "width": 30}),
            json!({"label": "b", "value": -1, "width": 10}),
            json!({"label": "c", "value": 1, "width": 0}),
            json!({"label": "d", "value": 1, "width": -4}),
            json!({"label": "e", "value": 1}),
            json!({"label": "f", "width": 10}),
        ];
        let chart = Chart::new(find_kind("bar-mekko").unwrap(), &data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let style = frame::draw_frame(&chart, &mut scene).style;
        let columns = read_columns(&chart, &style, &mut scene);
        let labels: Vec<&str> = columns.iter().map(|column| &*column.label).collect();
        assert_eq!(labels, ["a", "b", "f"]);
        let counted = [(Omission::Incomplete, 1), (Omission::Zero, 1), (Omission::BelowZero, 1)];
        assert_eq!(scene.omissions[..3], counted);
        assert_eq!(scene.omissions[3..], [(Omission::MissingValue, 1)]);
        let spans = compute_spans(&columns, (10.0, 114.0));
        assert_eq!(spans, [(10.0, 70.0), (72.0, 92.0), (94.0, 114.0)]);
    }

    #[test]
    fn many_names_of_a_small_chart_are_in_a_list_instead_of_cut() {
        let names = [
            "Bereich Forschung",
            "Personalwesen und Recht",
            "Vertrieb Inland",
            "Vertrieb Ausland",
            "Informationstechnik",
            "Einkauf und Logistik",
            "Öffentlichkeitsarbeit",
            "Kundendienst",
            "Qualitätssicherung",
            "Produktion Nord",
            "Produktion Süd",
            "Finanzbuchhaltung",
            "Gebäudemanagement",
            "Geschäftsführung",
        ];
        let record = |name: &str| json!({"label": name, "value": name.len(), "width": 10});
        let data = names.map(record);
        let chart = Chart::new(find_kind("bar-mekko").unwrap(), &data);
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..chart });
        assert_eq!(scene.omissions, []);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        let is_whole = |name: &&str| texts.contains(name);
        assert!(names.iter().all(is_whole), "{texts:?}");
    }

    #[test]
    fn names_that_would_be_cut_move_to_a_list() {
        let record =
            |(name, width): (&str, f64)| json!({"label": name, "value": 2, "width": width});
        let columns = [("Maxvorstadt", 17.0), ("Neuhausen-Nymphenburg", 14.0), ("Laim", 10.0)];
        let mut data: Vec<_> = columns.map(record).into();
        data.extend((0..8).map(|index| record((&format!("Berg am Laim {index}"), 25.0))));
        let scene = crate::draw(&Chart::new(find_kind("bar-mekko").unwrap(), &data));
        assert_eq!(scene.omissions, []);
        assert!(scene.text_boxes().any(|(text, _)| text == "Neuhausen-Nymphenburg"));
    }

    #[test]
    fn names_of_narrow_columns_are_horizontal_in_several_rows() {
        let states = [
            ("Nordrhein-Westfalen", 18.0),
            ("Bayern", 13.0),
            ("Rheinland-Pfalz", 4.1),
            ("Sachsen", 4.0),
            ("Schleswig-Holstein", 2.9),
            ("Brandenburg", 2.5),
            ("Thüringen", 2.1),
            ("Hamburg", 1.8),
        ];
        let data = states.map(|(name, width)| json!({"label": name, "value": 3, "width": width}));
        let scene = crate::draw(&Chart::new(find_kind("bar-mekko").unwrap(), &data));
        let boxes: Vec<(&str, Rect)> = scene.text_boxes().collect();
        for (name, _) in states {
            let (_, bounds) = boxes.iter().find(|(text, _)| *text == name).unwrap();
            assert!(bounds.width() > bounds.height() * 2.0, "{name}: {bounds:?}");
            let others = boxes.iter().filter(|(text, _)| *text != name);
            assert_eq!(others.filter(|(_, other)| other.overlaps(*bounds)).count(), 0, "{name}");
        }
    }

    #[test]
    fn values_of_narrow_columns_are_shown_where_there_is_space() {
        let record = |(name, value, width): (&str, f64, f64)| json!({"label": name, "value": value, "width": width});
        let data = [("A", 10.0, 80.0), ("B", 46.5, 1.0), ("C", 12.5, 90.0), ("D", 4.5, 1.0)];
        let data = data.map(record);
        let scene = crate::draw(&Chart::new(find_kind("bar-mekko").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        // Beside a higher column, D has no space for its value.
        assert!(texts.contains(&"46.5") && texts.contains(&"12.5"), "{texts:?}");
        assert!(!texts.contains(&"4.5"), "{texts:?}");
        let boxes: Vec<Rect> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
        for (index, one) in boxes.iter().enumerate() {
            assert!(!boxes[..index].iter().any(|two| two.overlaps(*one)), "{texts:?}");
        }
    }

    #[test]
    fn the_total_has_the_decimals_of_the_widths() {
        let column = |width: f64| json!({"label": "A", "value": 1, "width": width});
        let data = [column(5.5), column(2.25), column(9.0)];
        let chart = Chart::new(find_kind("bar-mekko").unwrap(), &data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let style = ChartStyle::new(&chart);
        let columns = read_columns(&chart, &style, &mut scene);
        assert_eq!(format_width_title(&chart, &columns), "Width (Total 16.75)");
    }
}
