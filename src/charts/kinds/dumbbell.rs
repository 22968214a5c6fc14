//! Dumbbell chart: two values of each record as dots on a common axis, joined by a line.
//!
//! Record: `label`, `before`, `after` (otherwise the first two numeric columns), `highlighted`
//! (optional flag). A record with one value has one dot. Settings: `beforeTitle`, `afterTitle`,
//! `beforeColor`, `afterColor`, `sort` with `sortBy` (`after`, `before`, `difference`),
//! `showValues`, `showDifference`, `differenceTitle`, `showLegend`, `showGrid`, `axis`.

mod records;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::RowLabels;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text, ValueEnd};
use crate::text;

use records::{Keys, Row};

/// The dumbbell chart.
pub const KIND: Kind = Kind { slug: "dumbbell", draw };

/// Titles and colors of the dots before and after.
struct Sides {
    titles: [String; 2],
    colors: [Color; 2],
}

/// Layout of the plot.
struct Plot {
    band: BandScale,
    scale: LinearScale,
    /// Radius of a dot in points.
    radius: f64,
    /// Font size of the values in points. None if they do not fit or are switched off.
    value_size: Option<f64>,
    /// Right edge and font size of the differences. None if they do not fit or are switched off.
    differences: Option<(f64, f64)>,
}

/// Draws legend, axis, lines, dots and values. Draws a note instead if no record has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let keys = records::find_keys(chart);
    let sides = read_sides(chart, style);
    let rows = records::read_rows(chart, &keys, sides.colors, style);
    if rows.iter().all(|row| row.values == [None, None]) {
        return frame::draw_no_data(frame, scene);
    }
    scene.omit(Omission::MissingValue, chart.count_gaps([&*keys.before, &*keys.after]));
    describe(&rows, &sides, scene);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        let has_values =
            |side: usize| rows.iter().any(|row| row.values.get(side).copied().flatten().is_some());
        let entries = sides.titles.iter().zip(sides.colors).enumerate();
        let entries = entries.filter(|(side, _)| has_values(*side));
        let entries = entries.map(|(_, (title, color))| (&**title, color));
        area = legend::draw(scene, style, area, entries);
    }
    let plot = lay_out(chart, &keys, &rows, area, style, scene);
    for (index, row) in rows.iter().enumerate() {
        draw_row(row, index, &keys, &sides, &plot, style, scene);
        draw_difference(row, index, &plot, style, scene);
    }
}

/// Returns the titles of both sides from the settings, or the translated default titles, and their
/// colors. Default colors are changed until they stand out from the background, those of the
/// settings are not.
fn read_sides(chart: &Chart, style: &ChartStyle) -> Sides {
    let title = |key: &str, default: Term| {
        let title = text::sanitize(chart.str_setting(key));
        if title.is_empty() { chart.locale().translate(default).to_owned() } else { title.into() }
    };
    let color = |key: &str, default: Color| {
        Color::parse(chart.str_setting(key)).unwrap_or_else(|| style.readable_line_color(default))
    };
    Sides {
        titles: [title("beforeTitle", Term::Before), title("afterTitle", Term::After)],
        colors: [
            color("beforeColor", style.muted_color.mix(style.background, 0.15)),
            color("afterColor", chart.series_color(0)),
        ],
    }
}

/// Lays out the plot in `area` and draws the titles, the names, and the axis unless the setting
/// `showGrid` is false or the area is low. Draws a line at zero if the domain crosses zero.
fn lay_out(
    chart: &Chart,
    keys: &Keys,
    rows: &[Row],
    mut area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Plot {
    let with_grid = chart.bool_setting("showGrid", true);
    let axis_height_of = |area: Rect| match with_grid && area.height() > style.label_size * 4.0 {
        true => ValueAxis::bottom_height(style),
        false => 0.0,
    };
    let step_of = |height: f64| height / rows.len().max(1) as f64;
    let title_height =
        if area.height() < style.label_size * 6.0 { 0.0 } else { style.label_size * 1.5 };
    let step = step_of(area.height() - title_height - axis_height_of(area));
    let difference_width = plan_differences(chart, rows, area, step, style);
    area.y0 += draw_titles(chart, difference_width.is_some(), style, area, scene);
    let axis_height = axis_height_of(area);
    let with_axis = axis_height > 0.0;
    let with_values = chart.bool_setting("showValues", true);
    let value_size = choose_value_size(rows, area, step_of(area.height() - axis_height), style)
        .filter(|_| with_values);
    let bottom = (area.y1 - axis_height).max(area.y0 + 1.0);
    let band = BandScale {
        count: rows.len(),
        range: (area.y0, bottom),
        padding: 0.3,
        max_width: f64::INFINITY,
    };
    let names: Vec<Cow<str>> = rows.iter().map(|row| row.label.clone()).collect();
    let name_widths = (area.width() * 0.36, area.width() * 0.5);
    let row_labels = RowLabels::plan_uncut(&names, band.step(), name_widths, style);
    let left = area.x0 + row_labels.width;
    let right = area.x1 - difference_width.map_or(0.0, |(width, _)| width);
    let plot = Rect::new(left, area.y0, right.max(left + 1.0), bottom);
    let radius = (band.step() * 0.34).min(5.5 * style.unit).max(0.75);
    let value_width = value_size.map_or(0.0, |size| {
        measure_widest(rows.iter().flat_map(|row| &row.value_texts), size, style) + size * 0.5
    });
    let inset = (value_width + radius).min(plot.width() * 0.3);
    let range = find_range(chart, rows);
    let value_axis = new_axis(chart, keys, range, plot.width() - 2.0 * inset, style);
    let domain = if with_axis { value_axis.domain } else { widen_if_empty(range) };
    let scale = LinearScale { domain, range: (plot.x0 + inset, plot.x1 - inset) };
    if with_axis {
        value_axis.draw_bottom(scene, style, plot, &scale);
    }
    if domain.0 < 0.0 && domain.1 > 0.0 {
        let zero = scale.at(0.0);
        axis::draw_baseline(scene, style, (zero, plot.y0), (zero, plot.y1));
    }
    row_labels.draw(scene, style, area.x0, &band);
    let differences = difference_width.map(|(_, size)| (area.x1, size));
    Plot { band, scale, radius, value_size, differences }
}

/// Returns the lowest and the highest value, extended to `axis.min` and `axis.max` of the settings
/// where these lie outside.
fn find_range(chart: &Chart, rows: &[Row]) -> (f64, f64) {
    let values = rows.iter().flat_map(|row| row.values).flatten();
    let limits = ["min", "max"].into_iter().filter_map(|key| chart.axis_limit(key));
    values.chain(limits).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Returns the axis of the values in `range` on a line of `length` points. Ignores the settings of
/// the axis, because `range` already contains its limits.
fn new_axis(
    chart: &Chart,
    keys: &Keys,
    range: (f64, f64),
    length: f64,
    style: &ChartStyle,
) -> ValueAxis {
    // The range already contains the limits of the settings, which may not cut off data.
    let lengths = (length.max(1.0), axis::x_tick_spacing(style));
    let rules = chart.format_rules(&keys.after);
    ValueAxis::fixed(chart, style, range, IncludeZero::WhenAdjacent, lengths, &rules)
}

/// Returns the range, or if both ends are equal, a range of length 2 around them.
fn widen_if_empty((low, high): (f64, f64)) -> (f64, f64) {
    if low == high { (low - 1.0, low + 1.0) } else { (low, high) }
}

/// Draws the title of the axis at the left and, if `with_differences`, that of the differences at
/// the right of the top of `area`. Returns their height in points, 0 if none is drawn.
fn draw_titles(
    chart: &Chart,
    with_differences: bool,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> f64 {
    if !with_differences {
        return axis::draw_title(chart, style, scene, area);
    }
    let size = style.label_size;
    let left_height = axis::draw_title(chart, style, scene, Rect { x1: area.center().x, ..area });
    if area.height() < size * 6.0 {
        return left_height;
    }
    let title = read_difference_title(chart);
    let fitted = text::ellipsize(&title, area.width() * 0.47, size, style.label_face());
    let baseline = area.y0 + ASCENT_EM * size;
    let label = style.label_text(area.x1, baseline, Anchor::End, size, &fitted);
    let full = (*fitted != *title).then(|| title.to_string());
    scene.text(Text { color: style.muted_color, full, ..label });
    left_height.max(size * 1.5)
}

/// Returns the title of the differences from the settings, or the translated default title.
fn read_difference_title<'a>(chart: &Chart<'a>) -> Cow<'a, str> {
    match data::display_text(&chart.settings["differenceTitle"]) {
        title if title.is_empty() => Cow::Borrowed(chart.locale().translate(Term::Difference)),
        title => title,
    }
}

/// Returns width and font size of the column of differences, both in points. `step` is the height
/// of a row. None if the settings hide the column or if it does not fit.
fn plan_differences(
    chart: &Chart,
    rows: &[Row],
    area: Rect,
    step: f64,
    style: &ChartStyle,
) -> Option<(f64, f64)> {
    if !chart.bool_setting("showDifference", false) {
        return None;
    }
    let column = |size: f64| {
        let texts = rows.iter().map(|row| &row.difference_text);
        (measure_widest(texts, size, style) + size * 1.2, size)
    };
    let fits = |(width, size): &(f64, f64)| size * 1.1 <= step && *width <= area.width() * 0.25;
    [style.label_size, style.small_size].into_iter().map(column).find(fits)
}

/// Returns the larger of two font sizes in points at which all values fit beside the dots. `step`
/// is the height of a row in points. None if they do not fit.
fn choose_value_size(rows: &[Row], area: Rect, step: f64, style: &ChartStyle) -> Option<f64> {
    let fits = |size: &f64| {
        let texts = rows.iter().flat_map(|row| &row.value_texts);
        size * 1.1 <= step && measure_widest(texts, *size, style) <= area.width() * 0.15
    };
    [style.label_size, style.small_size].into_iter().find(fits)
}

/// Returns the width in points of the widest of some texts in the font size `size`. 0 without
/// texts.
fn measure_widest<'a>(
    texts: impl Iterator<Item = &'a String>,
    size: f64,
    style: &ChartStyle,
) -> f64 {
    texts.map(|text| style.text_width(text, size)).fold(0.0, f64::max)
}

/// Draws the line, the dots and the values of a record. The line needs both values, and a missing
/// value has no dot. Equal values become one dot in the color of the side after, with a rim in that
/// of the side before.
fn draw_row(
    row: &Row,
    index: usize,
    keys: &Keys,
    sides: &Sides,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let y = plot.band.center(index);
    let x = row.values.map(|value| value.map(|value| plot.scale.at(value)));
    if let [Some(from), Some(to)] = x {
        let width = (plot.radius * 0.6).clamp(0.5, 3.0 * style.unit);
        let color = style.muted_color.mix(style.background, 0.62);
        scene.line((from, y), (to, y), Stroke::new(color, width));
    }
    let fields = [&keys.before, &keys.after];
    // The text of a value is on the outer side of its dot.
    let is_leftmost = [x[0] < x[1], x[1] < x[0]];
    for (side, field) in fields.into_iter().enumerate() {
        let (Some(Some(x)), Some(color)) = (x.get(side), row.colors.get(side)) else { continue };
        let title = sides.titles.get(side).map_or("", |title| title);
        let value_text = row.value_texts.get(side).map_or("", |text| text);
        scene.begin_mark("point", Some(row.row), || {
            (Some(field.clone()), format!("{}, {title}: {value_text}", row.label))
        });
        if let Some(value) = row.values.get(side).copied().flatten() {
            let end = ValueEnd::new(false, y, *x, plot.radius);
            scene.record_value(row.row, Some(field), value, end);
        }
        let is_covered = row.is_unchanged() && side == 0;
        let rim_color = if row.is_unchanged() { row.colors[0] } else { style.background };
        let rim_width = style.unit * if row.is_unchanged() { 2.0 } else { 1.0 };
        let rim = (plot.radius > 2.0).then(|| Stroke::new(rim_color, rim_width));
        scene.circle(Point::new(*x, y), plot.radius, *color, rim);
        let Some(size) = plot.value_size.filter(|_| !is_covered) else { continue };
        let is_missing_other = row.values.contains(&None);
        let is_left = !is_missing_other && is_leftmost.get(side) == Some(&true);
        let gap = plot.radius + size * 0.4;
        let (x, anchor) = if is_left { (x - gap, Anchor::End) } else { (x + gap, Anchor::Start) };
        let label = style.label_text(x, y + HALF_CAP_HEIGHT_EM * size, anchor, size, value_text);
        clear_zero_line(&label, plot, style, scene);
        scene.text(Text { color: style.value_color, halo: Some(style.background), ..label });
    }
    scene.end_mark();
}

/// Covers the zero line behind a value with the background color, because the line looks like a
/// digit between digits. Does nothing if the label does not cross the zero line.
fn clear_zero_line(label: &Text, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let (bounds, zero) = (label.bounds(), plot.scale.at(0.0));
    let is_crossed = plot.scale.domain.0 < 0.0 && plot.scale.domain.1 > 0.0;
    if is_crossed && (bounds.x0..bounds.x1).contains(&zero) {
        scene.rect(bounds.inflate(0.0, -0.15 * label.size), style.background);
    }
}

/// Draws the difference of a record at the right edge, or a dash if one of its values is missing.
/// Draws nothing if the plot has no differences.
fn draw_difference(row: &Row, index: usize, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let Some((right, size)) = plot.differences else { return };
    let text = if row.difference_text.is_empty() { "–" } else { &row.difference_text };
    let y = plot.band.center(index) + HALF_CAP_HEIGHT_EM * size;
    let label = style.label_text(right, y, Anchor::End, size, text);
    scene.text(Text { color: style.value_color, ..label });
}

/// Sets the text description of the scene: number of records, how many rise and fall between the
/// values before and after, and the largest difference.
fn describe(rows: &[Row], sides: &Sides, scene: &mut Scene) {
    let changes: Vec<(f64, &Row)> = rows
        .iter()
        .filter_map(|row| match row.values {
            [Some(before), Some(after)] => Some((after - before, row)),
            _ => None,
        })
        .collect();
    let rise_count = changes.iter().filter(|(change, _)| *change > 0.0).count();
    let fall_count = changes.iter().filter(|(change, _)| *change < 0.0).count();
    let [before, after] = &sides.titles;
    scene.description = format!(
        "Dumbbell chart of {} records from {before} to {after}: {rise_count} rise, {fall_count} \
         fall.",
        rows.len()
    );
    let largest = changes.iter().max_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()));
    if let Some((_, Row { label, value_texts: [before, after], .. })) = largest {
        let sentence = format!(" Largest difference: {label}, from {before} to {after}.");
        scene.description.push_str(&sentence);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::find_kind;

    #[test]
    fn a_low_chart_has_all_differences_or_none() {
        let record = |row: usize| json!({"label": format!("Row {row}"), "before": 10, "after": 15});
        for count in 1..20 {
            let data: Vec<Value> = (0..count).map(record).collect();
            let settings = json!({"showDifference": true});
            let chart = Chart::new(find_kind("dumbbell").unwrap(), &data);
            let scene =
                crate::draw(&Chart { settings: &settings, width: 320.0, height: 180.0, ..chart });
            let shown = scene.text_boxes().filter(|(text, _)| *text == "+5").count();
            assert!(shown == count || shown == 0, "{shown} of {count}");
            let values = scene.text_boxes().filter(|(text, _)| *text == "15").count();
            assert!(values >= count || values <= 1, "{values} of {count}");
        }
    }
}
