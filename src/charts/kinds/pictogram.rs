//! Pictogram: amounts as rows of equal icons. Each icon represents the same amount.
//!
//! Record: `label`, `value`, `icon` (`person`, `square`, `circle`, `house`, `tree`, `car`, `drop`,
//! `star`), `highlighted`. Settings: `perIcon` (amount per icon, 0 chooses it), `icon`,
//! `unitTitle`, `sort`, `showValues`, `showLegend`.

mod icons;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Term};
use crate::frame;
use crate::frame::category::{MIN_ROW_EM, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::BandScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
use crate::text;
use crate::tiles;

use icons::Icon;

/// The pictogram.
pub const KIND: Kind = Kind { slug: "pictogram", draw };

/// Maximum number of icons in a row for the default amount per icon. More could not be counted.
const MAX_DEFAULT_ICONS_PER_ROW: f64 = 25.0;
/// Maximum number of icons in a row for any setting of `perIcon`.
const MAX_ICONS_PER_ROW: f64 = 200.0;
/// Maximum number of icons in an image.
const MAX_ICONS: f64 = 3000.0;
/// Minimum height of an icon in points.
const MIN_ICON_HEIGHT: f64 = 7.0;
/// Maximum number of columns of rows.
const MAX_COLUMNS: f64 = 3.0;
/// Minimum width of a column of rows as a multiple of the font size.
const MIN_COLUMN_WIDTH_EM: f64 = 16.0;
/// Maximum widths of the names as shares of the width of a column: usually, and if names would be
/// cut.
const NAME_WIDTHS: (f64, f64) = (0.34, 0.5);
/// Space between icons relative to their height.
const ICON_GAP: f64 = 0.16;

/// The row of icons of one record.
struct IconRow<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    /// Amount, 0 or more.
    value: f64,
    /// Formatted amount.
    value_text: String,
    icon: Icon,
    fill: Color,
}

/// Division of the area into columns of rows.
struct ColumnLayout {
    columns: usize,
    /// Maximum number of rows of a column.
    rows: usize,
    first_column: Rect,
    /// Distance from one column to the next in points.
    pitch: f64,
}

/// Layout of the rows and their icons.
struct Plot {
    /// Left edge of the icons in points.
    left: f64,
    /// Vertical positions of the rows.
    row_scale: BandScale,
    /// Height of the names in points.
    name_step: f64,
    /// Height of an icon in points.
    icon_height: f64,
    /// Distance from one icon to the next in points.
    icon_step: f64,
    /// Number of icons after which a row continues on the next line.
    icons_per_line: usize,
    /// Font size of the values in points. None if they are not shown.
    value_size: Option<f64>,
}

/// Draws a row of icons for each record with an amount of 0 or more, as many rows as fit, and a
/// note with the number of the others. Sets the text description of the scene.
///
/// Draws the legend unless the area is low or the setting `showLegend` is false. Without such
/// records, draws only the note that there is no data.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let entries = read_entries(chart, frame, scene);
    if entries.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let with_legend =
        chart.bool_setting("showLegend", true) && frame.area.height() > style.label_size * 5.0;
    let legend_height = if with_legend { style.label_size * 1.5 + style.unit * 10.0 } else { 0.0 };
    let area = Rect { y0: frame.area.y0 + legend_height, ..frame.area };
    let layout = choose_columns(entries.len(), area, style);
    let shown = (layout.columns * layout.rows).min(entries.len());
    let entries_shown = entries.get(..shown).unwrap_or(&entries);
    let largest = entries_shown.iter().map(|entry| entry.value).fold(0.0, f64::max);
    let configured_per_icon = chart.number_setting("perIcon").filter(|amount| *amount > 0.0);
    let per_icon = configured_per_icon
        .unwrap_or_else(|| choose_icon_value(largest / MAX_DEFAULT_ICONS_PER_ROW))
        .max(largest / MAX_ICONS_PER_ROW);
    // Each amount is divided by the largest first, so that the sum of huge amounts is finite.
    let relative_sum: f64 =
        entries.iter().take(shown).map(|entry| entry.value / largest.max(f64::MIN_POSITIVE)).sum();
    let per_icon = per_icon.max(largest * (relative_sum / MAX_ICONS));
    if configured_per_icon.is_some_and(|amount| amount < per_icon) {
        scene.warn("`perIcon` is too small: one icon represents a larger amount, so that the icons can be counted.");
    }
    // The columns are equally long, so the last one may have fewer rows.
    let rows = shown.div_ceil(layout.columns).max(1);
    let plot = lay_out(chart, entries_shown, (rows, per_icon), layout.first_column, style);
    for (index, column) in entries_shown.chunks(rows).enumerate() {
        let x = layout.first_column.x0 + index as f64 * layout.pitch;
        let plot = Plot { left: plot.left + index as f64 * layout.pitch, ..plot };
        draw_names(column, &plot, (x, layout.first_column.width()), style, scene);
        for (index, entry) in column.iter().enumerate() {
            draw_row(entry, index, per_icon, &plot, style, scene);
        }
        scene.end_mark();
    }
    tiles::draw_overflow_note(frame.area, style, entries.len() - shown, "row", scene);
    let per_icon_text = format_amount_per_icon(chart, per_icon);
    if with_legend {
        draw_legend(&entries, &per_icon_text, frame.area, style, scene);
    }
    describe(&entries, &per_icon_text, scene);
}

/// Chooses the smallest number of columns in which all of `count` rows of readable height fit. If
/// there is none, returns the largest number, and leaves a line below them for a note about omitted
/// rows.
fn choose_columns(count: usize, area: Rect, style: &ChartStyle) -> ColumnLayout {
    let min_row_height = (MIN_ICON_HEIGHT * 1.35).max(style.small_size * MIN_ROW_EM);
    let gap = style.label_size * 2.0;
    let max_columns = ((area.width() + gap) / (style.label_size * MIN_COLUMN_WIDTH_EM + gap))
        .clamp(1.0, MAX_COLUMNS) as usize;
    let layout = |columns: usize, bottom: f64| {
        let pitch = (area.width() + gap) / columns as f64;
        let rows = ((bottom - area.y0) / min_row_height).max(1.0) as usize;
        let y1 = bottom.max(area.y0 + 1.0);
        let first_column = Rect { x1: area.x0 + pitch - gap, y1, ..area };
        ColumnLayout { columns, rows, first_column, pitch }
    };
    (1..=max_columns)
        .map(|columns| layout(columns, area.y1))
        .find(|layout| layout.columns * layout.rows >= count)
        .unwrap_or_else(|| layout(max_columns, area.y1 - tiles::overflow_note_height(style)))
}

/// Reads the records with an amount of 0 or more, in drawing order. The scene counts the records
/// with a negative amount or none.
fn read_entries<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<IconRow<'a>> {
    let amount = |record: &serde_json::Value| data::number(data::field(record, "value"));
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|record| amount(record).filter(|value| *value >= 0.0)).collect();
    chart.omit_negative("value", scene);
    chart.omit_missing("value", scene);
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.locale());
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let default_icon = Icon::from_name(chart.str_setting("icon")).unwrap_or(Icon::Person);
    let entry = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten()?;
        let custom_color = data::field(record, "color").as_str().and_then(Color::parse);
        let fill = match (any_highlighted, data::is_true(data::field(record, "highlighted"))) {
            (false, _) => chart.series_color(0),
            (true, true) => chart.theme.highlight_color,
            (true, false) => frame.style.faded_color(),
        };
        Some(IconRow {
            row,
            label: data::record_label(record),
            value,
            value_text: format.text(value),
            icon: data::field(record, "icon")
                .as_str()
                .and_then(Icon::from_name)
                .unwrap_or(default_icon),
            fill: custom_color.unwrap_or(fill),
        })
    };
    chart.sorted_indices(&values).into_iter().filter_map(entry).collect()
}

/// Returns the smallest amount per icon that is not below `min`: 1, 2, 2.5 or 5 times a power of
/// ten. Returns 1 if `min` is not positive.
///
/// 2.5 itself is excluded, because an icon should represent a whole number.
fn choose_icon_value(min: f64) -> f64 {
    if min <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(min.log10().floor());
    let steps: &[f64] = if power == 1.0 { &[1.0, 2.0, 5.0] } else { &[1.0, 2.0, 2.5, 5.0] };
    let is_large_enough = |step: &&f64| **step * power >= min * (1.0 - 1e-9);
    steps.iter().find(is_large_enough).copied().unwrap_or(10.0) * power
}

/// Returns the number of icons of an amount, at most `MAX_ICONS_PER_ROW`. It may have a fraction,
/// which is the visible part of the last icon.
fn count_icons(value: f64, per_icon: f64) -> f64 {
    (value / per_icon).clamp(0.0, MAX_ICONS_PER_ROW)
}

/// Draws the names of the rows of a column, left-aligned at `x`. `width` is the width of the whole
/// column in points, of which names use at most half.
fn draw_names(
    entries: &[IconRow],
    plot: &Plot,
    (x, width): (f64, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    plan_names(entries, plot.name_step, width, style).draw(scene, style, x, &plot.row_scale);
}

/// Plans the names of rows that are `step` points apart, in a column of this width.
fn plan_names(entries: &[IconRow], step: f64, width: f64, style: &ChartStyle) -> RowLabels {
    let names: Vec<Cow<str>> = entries.iter().map(|entry| entry.label.clone()).collect();
    let max_widths = (width * NAME_WIDTHS.0, width * NAME_WIDTHS.1);
    RowLabels::plan_uncut(&names, step, max_widths, style)
}

/// Lays out the `count` rows of a column in `area`. Icon size and widths fit the names, icons and
/// values of all `entries`, also those of other columns.
///
/// The icons are as large as the longest row and the height allow, up to a maximum. Rows are
/// wrapped if that makes the icons much larger.
fn lay_out(
    chart: &Chart,
    entries: &[IconRow],
    (count, per_icon): (usize, f64),
    area: Rect,
    style: &ChartStyle,
) -> Plot {
    let row_scale =
        BandScale { count, range: (area.y0, area.y1), padding: 0.0, max_width: f64::INFINITY };
    let row_step = row_scale.step();
    let font_size =
        if row_step >= style.label_size * 1.15 { style.label_size } else { style.small_size };
    let widest = entries
        .iter()
        .map(|entry| style.text_width(&entry.value_text, font_size))
        .fold(0.0, f64::max);
    let with_values = chart.bool_setting("showValues", true) && row_step >= font_size * MIN_ROW_EM;
    let value_size = (with_values && widest < area.width() * 0.25).then_some(font_size);
    let value_width = if value_size.is_some() { widest + font_size * 0.6 } else { 0.0 };
    let names = plan_names(entries, row_step, area.width(), style);
    let left = area.x0 + names.width;
    let width = (area.x1 - value_width - left).max(1.0);
    let max_icons =
        entries.iter().map(|entry| count_icons(entry.value, per_icon).ceil()).fold(1.0, f64::max);
    let max_aspect = entries.iter().map(|entry| entry.icon.aspect()).fold(0.1, f64::max) + ICON_GAP;
    let row_thickness = row_step * if count == 1 { 0.9 } else { 0.74 };
    let icon_height_for = |lines: f64| {
        let icons_per_line = (max_icons / lines).ceil();
        (width / (icons_per_line * max_aspect))
            .min(row_thickness / (lines + (lines - 1.0) * ICON_GAP))
    };
    let lines = (1..=12).map(f64::from).fold(1.0, |best: f64, lines| {
        // More lines must make icons much larger, because wrapped rows are harder to compare.
        if icon_height_for(lines) > icon_height_for(best) * 1.35 { lines } else { best }
    });
    let icon_height = icon_height_for(lines).min(style.label_size * 4.5).max(1.0);
    // Rows are closer together if icons and names do not need the available height.
    let step = row_step
        .min(icon_height * (lines + (lines - 1.0) * ICON_GAP) * 1.9)
        .max(row_step.min(names.max_height().max(style.label_size * 1.6)));
    let row_scale = BandScale { range: (area.y0, area.y0 + step * count as f64), ..row_scale };
    Plot {
        left,
        row_scale,
        name_step: row_step,
        icon_height,
        icon_step: icon_height * max_aspect,
        icons_per_line: (max_icons / lines).ceil() as usize,
        value_size,
    }
}

/// Draws one row of icons, each for the amount `per_icon`, and its value if values are shown. In
/// the last icon, the part beyond the fraction has the grid color. An amount above 0 has at least
/// one icon.
///
/// `index` is the position of the row, from the top. Leaves the mark of the row open.
fn draw_row(
    entry: &IconRow,
    index: usize,
    per_icon: f64,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let icon_count = count_icons(entry.value, per_icon);
    // Rounding errors of decimal fractions must not add an icon that is only a hairline.
    // A small amount has an icon, although its colored part is not visible.
    let min_count = if entry.value > 0.0 { 1.0 } else { 0.0 };
    let drawn_count = (icon_count - 1e-6).ceil().max(min_count) as usize;
    let line_count = drawn_count.div_ceil(plot.icons_per_line.max(1)).max(1);
    let line_step = plot.icon_height * (1.0 + ICON_GAP);
    let lines_height = line_count as f64 * line_step - plot.icon_height * ICON_GAP;
    let top = plot.row_scale.center(index) - lines_height / 2.0;
    let width = plot.icon_height * entry.icon.aspect();
    scene.begin_mark("icons", Some(entry.row), || {
        (Some("value".to_owned()), format!("{}: {}", entry.label, entry.value_text))
    });
    for icon in 0..drawn_count {
        let (column, line) = (icon % plot.icons_per_line.max(1), icon / plot.icons_per_line.max(1));
        let x = plot.left + column as f64 * plot.icon_step;
        let y = top + line as f64 * line_step;
        let rect = Rect::new(x, y, x + width, y + plot.icon_height);
        let share = (icon_count - icon as f64).min(1.0);
        if share >= 1.0 - 1e-6 {
            scene.fill(entry.icon.path(rect), entry.fill);
        } else {
            // The missing part of the icon is drawn in the grid color.
            scene.fill(entry.icon.path(rect), style.grid_color);
            scene.push(Primitive::BeginClip(Rect { x1: x + width * share, ..rect }));
            scene.fill(entry.icon.path(rect), entry.fill);
            scene.push(Primitive::EndClip);
        }
    }
    let Some(size) = plot.value_size else { return };
    let end = plot.left + drawn_count.min(plot.icons_per_line) as f64 * plot.icon_step;
    let x = if drawn_count == 0 { plot.left } else { end - plot.icon_step + width + size * 0.5 };
    let baseline = plot.row_scale.center(index) + HALF_CAP_HEIGHT_EM * size;
    let text = style.label_text(x, baseline, Anchor::Start, size, &entry.value_text);
    scene.text(Text { color: style.value_color, ..text });
}

/// Returns the amount per icon as text, followed by the setting `unitTitle`.
fn format_amount_per_icon(chart: &Chart, per_icon: f64) -> String {
    let rules = chart.format_rules("value");
    let number =
        NumberFormat::for_values([per_icon].into_iter(), &rules, chart.locale()).text(per_icon);
    let unit = data::display_text(chart.setting("unitTitle"));
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// Draws the icon and the amount that it represents, such as "= 100 people", at the top of `area`.
/// If the rows have different icons, draws a text without an icon.
fn draw_legend(
    entries: &[IconRow],
    per_icon_text: &str,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(first) = entries.first() else { return };
    let height = style.label_size * 1.3;
    let same_icon = entries.iter().all(|entry| entry.icon == first.icon);
    let icon = if same_icon { first.icon } else { Icon::Square };
    let rect = Rect::new(area.x0, area.y0, area.x0 + height * icon.aspect(), area.y0 + height);
    let mut x = area.x0;
    let label = if same_icon {
        format!("= {per_icon_text}")
    } else {
        format!("{} {per_icon_text}", style.locale.translate(Term::OneIcon))
    };
    if same_icon {
        scene.fill(icon.path(rect), style.muted_color);
        x = rect.x1 + style.label_size * 0.5;
    }
    let fitted = text::ellipsize(&label, area.x1 - x, style.label_size, style.label_face());
    let text = style.label_text(
        x,
        rect.center().y + HALF_CAP_HEIGHT_EM * style.label_size,
        Anchor::Start,
        style.label_size,
        &fitted,
    );
    scene.text(Text { color: style.muted_color, ..text });
}

/// Sets the text description of the scene: number of amounts, smallest and largest amount, and the
/// amount per icon.
fn describe(entries: &[IconRow], per_icon_text: &str, scene: &mut Scene) {
    let largest = entries.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    let smallest = entries.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    if let (Some(largest), Some(smallest)) = (largest, smallest) {
        scene.description = format!(
            "Pictogram of {} amount{}, from {} ({}) to {} ({}); one icon stands for {per_icon_text}.",
            entries.len(),
            if entries.len() == 1 { "" } else { "s" },
            smallest.value_text,
            smallest.label,
            largest.value_text,
            largest.label,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icon_value_is_a_round_number() {
        for (min, step) in [
            (0.7, 1.0),
            (1.0, 1.0),
            (1.4, 2.0),
            (230.0, 250.0),
            (0.031, 0.05),
            (2.1, 5.0),
            (600.0, 1000.0),
        ] {
            assert!((choose_icon_value(min) - step).abs() < 1e-9 * step, "{min}");
        }
        assert_eq!(choose_icon_value(0.0), 1.0);
    }

    #[test]
    fn forty_rows_have_two_columns_and_small_amounts_an_icon() {
        let record = |index: usize| serde_json::json!({"label": format!("Depot {index}"), "value": if index == 3 { 0.001 } else { 100.0 }});
        let data: Vec<_> = (0..40).map(record).collect();
        let kind = crate::find_kind("pictogram").unwrap();
        let scene = crate::draw(&Chart { interactive: true, ..Chart::new(kind, &data) });
        let names = scene.text_boxes().filter(|(text, _)| text.starts_with("Depot "));
        assert_eq!(names.count(), 40);
        assert!((0..40).all(|row| scene.marks.iter().any(|mark| mark.row == Some(row))));
        let of_row = |row| {
            let mark = scene.marks.iter().position(|mark| mark.row == Some(row)).unwrap() + 1;
            scene.shapes.iter().filter(|shape| shape.mark as usize == mark).count()
        };
        assert!(of_row(3) > 1, "a number and an icon");
    }
}
