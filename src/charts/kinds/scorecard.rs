//! Scorecard: tiles with one key figure each, with label, value, change and target.
//!
//! Record: `label`, `value`, `change`, `previous` (value from which the change follows if no record has
//! one), `target`, `unit` (such as `%`, `€m` or `days`), `lowerIsBetter` (a decrease is good),
//! `highlighted`. Settings: `columns` (tiles per row),
//! `changeTitle`, `targetTitle`, `positiveColor`, `negativeColor`, `showChange`, `showTarget`.

mod changes;

use std::borrow::Cow;

use kurbo::{BezPath, Rect};
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::tiles;
use crate::tiles::{TileGrid, TileSpec};
use crate::unit_texts;

use crate::unit_texts::add_unit;
use changes::ChangeFormat;

/// The scorecard.
pub const KIND: Kind = Kind { slug: "scorecard", draw };

/// Line height of a label as a share of the font size.
const LINE_HEIGHT_EM: f64 = 1.25;
/// Height reserved for the value, as a share of its font size.
const VALUE_HEIGHT_EM: f64 = 1.25;
/// Height reserved for the change, as a share of the font size.
const CHANGE_HEIGHT_EM: f64 = 1.5;
/// Space between the upper edge of a tile and its label, as a share of the font size.
const TOP_PADDING_EM: f64 = 0.6;

/// Content of a tile.
struct Card<'a> {
    /// Index of the record in the data.
    row: usize,
    /// Label of the record. May be empty.
    label: Cow<'a, str>,
    /// Value of the record. None if the record has none.
    value: Option<f64>,
    /// Formatted value with its unit. A dash if there is no value.
    value_text: String,
    /// Change, formatted with a plus sign for an increase. None if the record has none.
    change: Option<FormattedNumber>,
    /// Target, formatted with its unit. None if the record has none.
    target: Option<FormattedNumber>,
    /// Whether a decrease of the value is good.
    is_lower_better: bool,
    /// Whether the record is highlighted.
    highlighted: bool,
}

/// A number with its formatted text.
struct FormattedNumber {
    number: f64,
    text: String,
}

/// Layout shared by all tiles: the parts that they show, and the font size of the value.
struct TileLayout {
    /// Maximum number of lines of the label.
    label_lines: usize,
    /// Font size of the value in points.
    value_size: f64,
    /// Whether tiles show the change.
    shows_change: bool,
    /// Whether tiles show a bar of value and target.
    shows_bar: bool,
    /// Whether tiles show the target as text.
    shows_target: bool,
}

impl TileLayout {
    /// Returns the height in points of all parts of a tile.
    fn height(&self, style: &ChartStyle) -> f64 {
        self.height_without_value(style) + self.value_size * VALUE_HEIGHT_EM
    }

    /// Returns the height in points of all parts of a tile except the value.
    fn height_without_value(&self, style: &ChartStyle) -> f64 {
        let label = self.label_lines as f64 * style.label_size * LINE_HEIGHT_EM;
        let change = if self.shows_change { style.label_size * CHANGE_HEIGHT_EM } else { 0.0 };
        let bar = if self.shows_bar { style.label_size } else { 0.0 };
        let target = if self.shows_target { style.small_size * 1.4 } else { 0.0 };
        style.label_size * TOP_PADDING_EM + label + change + bar + target
    }
}

/// Text colors of good and bad changes.
struct ChangeColors {
    good: Color,
    bad: Color,
}

/// Draws one tile per record with a label or a value, as many as fit, and a note with the number of
/// the others. If no record has a value, draws another note instead.
///
/// All tiles have the same parts and font sizes. Labels become smaller to be whole, and larger in tall
/// tiles. The text description has all records.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    // Each value has its own format, because units differ.
    let change_format = ChangeFormat::new(chart);
    let cards: Vec<Card> =
        (0..chart.data.len()).filter_map(|row| read_card(chart, &change_format, row)).collect();
    if cards.iter().all(|card| card.value.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    let incomparable = chart
        .data
        .iter()
        .filter(|record| data::is_true(data::field(record, unit_texts::OTHER_UNIT_KEY)))
        .count();
    scene.omit(Omission::MissingValue, incomparable);
    let style = &frame.style;
    let columns = chart.number_setting("columns").filter(|columns| *columns >= 1.0);
    let spec = TileSpec {
        count: cards.len(),
        min_size: (style.label_size * 6.5, style.label_size * 3.4),
        gap: (style.unit * 20.0, style.unit * 12.0),
        aspect_ratio: 1.8,
        columns: columns.map(|columns| columns as usize),
    };
    let tiles = TileGrid::new(frame.area, style, &spec);
    let shown = cards.get(..tiles.visible_count).unwrap_or(&cards);
    let smaller_style = choose_label_style(chart, shown, tiles.tile_rect(0), style);
    let style = smaller_style.as_ref().unwrap_or(style);
    let layout = choose_layout(chart, shown, tiles.tile_rect(0), style);
    // Tall tiles have larger labels, too.
    let larger_style = style.scale_labels(1.2);
    let is_tall = layout.height(style) * 1.3 < tiles.tile_rect(0).height();
    let style = if is_tall && layout.value_size > style.title_size { &larger_style } else { style };
    let layout = choose_layout(chart, shown, tiles.tile_rect(0), style);
    let choose_color = |key: &str, default: Color| {
        Color::parse(chart.str_setting(key)).unwrap_or(default).readable_on(style.background, 4.5)
    };
    let change_colors = ChangeColors {
        good: choose_color("positiveColor", chart.series_color(0)),
        bad: choose_color("negativeColor", chart.theme.highlight_color),
    };
    for (index, card) in shown.iter().enumerate() {
        draw_tile(chart, card, tiles.tile_rect(index), &layout, &change_colors, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, cards.len() - shown.len(), "figure", scene);
    describe(&cards, scene);
}

/// Reads the content of the tile of the record `row`. Returns None for a record without label and value.
/// Value and target share a number format, the changes of all records have `change_format`.
fn read_card<'a>(chart: &Chart<'a>, change_format: &ChangeFormat, row: usize) -> Option<Card<'a>> {
    let record = chart.data.get(row)?;
    let label = data::record_label(record);
    let value = data::number(data::field(record, "value"));
    if label.is_empty() && value.is_none() {
        return None;
    }
    let unit = data::display_text(data::field(record, "unit"));
    let target = data::number(data::field(record, "target"));
    let rules = chart.format_rules("value");
    let numbers = [value, target].into_iter().flatten();
    let format = NumberFormat::for_values(numbers, &rules, chart.locale()).with_parts();
    let format_with_unit = |number: f64| add_unit(&format.text(number), &unit, chart.locale());
    Some(Card {
        row,
        label,
        value,
        value_text: value
            .map_or_else(|| text_figure(data::field(record, "value")), format_with_unit),
        change: change_format
            .read(chart, record)
            .map(|(number, text)| FormattedNumber { number, text }),
        target: target.map(|number| FormattedNumber { number, text: format_with_unit(number) }),
        is_lower_better: data::is_true(data::field(record, "lowerIsBetter")),
        highlighted: data::is_true(data::field(record, "highlighted")),
    })
}

/// Returns the figure of a card without a number: a short text with a digit, such as `00:02:41` or `<0.05`.
/// A dash for other texts and without one.
fn text_figure(value: &Value) -> String {
    /// Maximum number of characters. Longer texts are no figures.
    const MAX_CHARS: usize = 16;
    let text = value.as_str().map(str::trim).unwrap_or_default();
    let is_figure =
        text.chars().count() <= MAX_CHARS && text.contains(|letter: char| letter.is_numeric());
    if is_figure { text.to_owned() } else { "–".to_owned() }
}

/// Returns a copy of `style` with the largest labels, not larger than those of `style`, with which all
/// labels are whole in tiles of the size of `cell`. None if there is no such size.
fn choose_label_style(
    chart: &Chart,
    cards: &[Card],
    cell: Rect,
    style: &ChartStyle,
) -> Option<ChartStyle> {
    let names = cards.iter().map(|card| &*card.label);
    tiles::fit_names(names, cell.width(), style).into_iter().find_map(|(size, line_count)| {
        let small_size = style.small_size.min(size);
        let smaller = ChartStyle { label_size: size, small_size, ..style.clone() };
        let layout = choose_layout(chart, cards, cell, &smaller);
        (layout.label_lines >= line_count).then_some(smaller)
    })
}

/// Chooses the parts that fit into a tile, and the font size of the value. All tiles show the same
/// parts, so that they can be compared. `cell` is the rectangle of a tile.
///
/// If the value would be too low, reduces the label to one line, then leaves out the text of the target,
/// the bar, and the change. The value is as large as the tile allows, up to a maximum, but not smaller than
/// the labels, even if it does not fit then.
fn choose_layout(chart: &Chart, cards: &[Card], cell: Rect, style: &ChartStyle) -> TileLayout {
    let shows_change =
        chart.bool_setting("showChange", true) && cards.iter().any(|card| card.change.is_some());
    let shows_target =
        chart.bool_setting("showTarget", true) && cards.iter().any(|card| card.target.is_some());
    let names = cards.iter().map(|card| &*card.label);
    let fitting = tiles::fit_names(names, cell.width(), style);
    let whole_lines = fitting.first().filter(|(size, _)| *size == style.label_size);
    let mut layout = TileLayout {
        label_lines: whole_lines.map_or(2, |(_, count)| *count),
        value_size: 0.0,
        shows_change,
        shows_bar: shows_target,
        shows_target,
    };
    // The value has priority: the other parts are reduced one after the other until it fits. Whole
    // labels of several lines may make it almost as small as they are.
    for step in 0..4 {
        let has_whole_lines = layout.label_lines > 1 && whole_lines.is_some();
        let min_value_height = style.label_size * if has_whole_lines { 1.3 } else { 2.0 };
        if cell.height() >= layout.height_without_value(style) + min_value_height {
            break;
        }
        match step {
            0 => layout.label_lines = 1,
            1 => layout.shows_target = false,
            2 => layout.shows_bar = false,
            _ => layout.shows_change = false,
        }
    }
    // Width of the widest value at font size 1.
    let max_value_width =
        cards.iter().map(|card| text::width(&card.value_text, 1.0, Face::BOLD)).fold(0.1, f64::max);
    let size_by_height = (cell.height() - layout.height_without_value(style)) / VALUE_HEIGHT_EM;
    let usual_size = style.title_size * if cards.len() == 1 { 4.0 } else { 2.2 };
    let max_size = usual_size.max(cell.height() * 0.34);
    layout.value_size = size_by_height
        .min(max_size)
        .min(cell.width() * 0.94 / max_value_width)
        .max(style.label_size);
    layout
}

/// Draws a tile in the rectangle `cell`: a line at its top, then below each other the label, the value,
/// and the parts of `layout`. Begins the mark of the tile, and leaves it open.
fn draw_tile(
    chart: &Chart,
    card: &Card,
    cell: Rect,
    layout: &TileLayout,
    change_colors: &ChangeColors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("tile", Some(card.row), || {
        let change =
            card.change.as_ref().map_or(String::new(), |change| format!(" ({})", change.text));
        (Some("value".to_owned()), format!("{}: {}{change}", card.label, card.value_text))
    });
    let top_stroke = if card.highlighted {
        Stroke::new(chart.theme.highlight_color, 3.0 * style.unit)
    } else {
        Stroke::new(style.axis_color, 1.0)
    };
    scene.line((cell.x0, cell.y0), (cell.x1, cell.y0), top_stroke);
    draw_label(card, cell, layout, style, scene);
    let mut y = cell.y0
        + style.label_size * TOP_PADDING_EM
        + layout.label_lines as f64 * style.label_size * LINE_HEIGHT_EM;
    let size = layout.value_size;
    let value = text::ellipsize(&card.value_text, cell.width(), size, Face::BOLD);
    let label = style.label_text(cell.x0, y + size * 0.98, Anchor::Start, size, &value);
    let color = if card.value.is_some() { style.text_color } else { style.muted_color };
    let width = text::width(&value, size, Face::BOLD);
    scene.text(Text { face: Face::BOLD, width, color, ..label });
    y += size * VALUE_HEIGHT_EM;
    if layout.shows_change {
        draw_change(chart, card, Rect { y0: y, ..cell }, change_colors, style, scene);
        y += style.label_size * CHANGE_HEIGHT_EM;
    }
    if layout.shows_bar {
        draw_bar(chart, card, Rect { y0: y, ..cell }, style, scene);
        y += style.label_size;
    }
    if layout.shows_target {
        draw_target(chart, card, Rect { y0: y, ..cell }, style, scene);
    }
}

/// Draws the label at the top of the tile `cell`, shortened if it does not fit into the lines of `layout`.
fn draw_label(card: &Card, cell: Rect, layout: &TileLayout, style: &ChartStyle, scene: &mut Scene) {
    let size = style.label_size;
    let lines = text::wrap(&card.label, cell.width(), layout.label_lines, size, style.label_face());
    for (index, line) in lines.iter().enumerate() {
        let baseline =
            cell.y0 + size * (TOP_PADDING_EM + ASCENT_EM) + index as f64 * size * LINE_HEIGHT_EM;
        let full = line.ends_with('…').then(|| card.label.clone().into_owned());
        let label = style.label_text(cell.x0, baseline, Anchor::Start, size, line);
        scene.text(Text { full, ..label });
    }
}

/// Draws the title of the target and the target as one line of small text at the top of `area`,
/// shortened if it is too wide. Draws nothing if the card has no target.
fn draw_target(chart: &Chart, card: &Card, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let Some(target) = &card.target else { return };
    let title = chart.setting("targetTitle").as_str();
    let title = text::sanitize(title.unwrap_or(style.locale.translate(Term::Target)));
    let target_text = format!("{title} {}", target.text);
    let size = style.small_size;
    let fitted = text::ellipsize(target_text.trim(), area.width(), size, style.label_face());
    let baseline = area.y0 + ASCENT_EM * size;
    let label = style.label_text(area.x0, baseline, Anchor::Start, size, &fitted);
    scene.text(Text { color: style.muted_color, ..label });
}

/// Draws the change at the top of `area`: a triangle that points up or down, the formatted change,
/// and the setting `changeTitle` if it fits. The color shows whether the change is good.
///
/// A change of 0 has no triangle and a neutral color. Draws nothing if the card has no change.
fn draw_change(
    chart: &Chart,
    card: &Card,
    area: Rect,
    change_colors: &ChangeColors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(change) = &card.change else { return };
    let size = style.label_size;
    let middle = area.y0 + size * 0.55;
    let is_good = (change.number > 0.0) != card.is_lower_better;
    let is_zero = change.number == 0.0;
    let color = match is_zero {
        true => style.muted_color,
        false if is_good => change_colors.good,
        false => change_colors.bad,
    };
    // Half of the width of the triangle.
    let half_width = size * 0.36;
    let text_x = if is_zero { area.x0 } else { area.x0 + half_width * 2.0 + size * 0.4 };
    if !is_zero {
        let tip = if change.number > 0.0 { -half_width } else { half_width };
        let mut path = BezPath::new();
        path.move_to((area.x0, middle - tip * 0.85));
        path.line_to((area.x0 + half_width * 2.0, middle - tip * 0.85));
        path.line_to((area.x0 + half_width, middle + tip * 0.85));
        path.close_path();
        scene.fill(path, color);
    }
    let fitted = text::ellipsize(&change.text, area.x1 - text_x, size, Face::BOLD);
    let width = text::width(&fitted, size, Face::BOLD);
    let baseline = middle + HALF_CAP_HEIGHT_EM * size;
    let label = style.label_text(text_x, baseline, Anchor::Start, size, &fitted);
    scene.text(Text { face: Face::BOLD, width, color, ..label });
    let title_x = text_x + width + size * 0.4;
    let title = data::display_text(chart.setting("changeTitle"));
    // An ellipsized phrase would be useless, so it is left out if it does not fit.
    if style.text_width(&title, size) <= area.x1 - title_x {
        let label = style.label_text(title_x, baseline, Anchor::Start, size, &title);
        scene.text(Text { color: style.muted_color, ..label });
    }
}

/// Draws a bar of the value at the top of `area`, with a mark at the target. The full width stands
/// for the larger of both.
///
/// Draws nothing if value or target is missing, the value is negative, or the target is not
/// positive.
fn draw_bar(chart: &Chart, card: &Card, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let (Some(value), Some(target)) = (card.value, &card.target) else { return };
    let max = value.max(target.number);
    if value < 0.0 || target.number <= 0.0 {
        return;
    }
    let thickness = (style.label_size * 0.42).round().max(3.0);
    let y = area.y0 + style.label_size * 0.2;
    let x_at = |number: f64| area.x0 + area.width() * (number / max).clamp(0.0, 1.0);
    let track = Rect::new(area.x0, y, area.x1, y + thickness);
    scene.rect(track, style.grid_color);
    let fill = if card.highlighted { chart.theme.highlight_color } else { chart.series_color(0) };
    scene.rect(Rect { x1: x_at(value), ..track }, fill);
    let mark_x = (x_at(target.number) - 1.0).max(area.x0 + 1.0);
    let overhang = style.unit * 2.0;
    let (start, end) = ((mark_x, y - overhang), (mark_x, y + thickness + overhang));
    scene.line(start, end, Stroke::new(style.text_color, 2.0));
}

/// Sets the text description of the scene: number of figures, and the first six with their changes.
fn describe(cards: &[Card], scene: &mut Scene) {
    let describe_card = |card: &Card| match &card.change {
        Some(change) => format!("{} {} ({})", card.label, card.value_text, change.text),
        None => format!("{} {}", card.label, card.value_text),
    };
    let first: Vec<String> = cards.iter().take(6).map(describe_card).collect();
    let plural = if cards.len() == 1 { "" } else { "s" };
    scene.description =
        format!("Scorecard of {} figure{plural}: {}.", cards.len(), first.join(", "));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_and_limits_are_shown_as_texts() {
        for (value, want) in [
            (json!("00:02:41"), "00:02:41"),
            (json!(" <0.05 "), "<0.05"),
            (json!("unknown"), "–"),
            (json!("see the report of 12 May 2024"), "–"),
            (json!(null), "–"),
        ] {
            assert_eq!(text_figure(&value), want);
        }
        let data = [
            json!({"label": "Session", "value": "00:02:41"}),
            json!({"label": "Visits", "value": 5}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert!(scene.text_boxes().any(|(text, _)| text == "00:02:41"));
    }
}
