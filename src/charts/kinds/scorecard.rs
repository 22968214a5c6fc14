//! Scorecard: tiles with one key figure each, with label, value, change and target.
//!
//! Record: `label`, `value`, `change`, `target`, `unit` (such as `%`, `€m` or `days`),
//! `lowerIsBetter` (a decrease is good), `highlighted`. Settings: `columns` (tiles per row),
//! `changeTitle`, `targetTitle`, `positiveColor`, `negativeColor`, `showChange`, `showTarget`.

use std::borrow::Cow;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::tiles;
use crate::tiles::{TileGrid, TileSpec};

/// The scorecard.
pub const KIND: Kind = Kind { slug: "scorecard", draw };

/// Content of a tile.
struct Card<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: Option<f64>,
    words: String,
    /// Change and its formatted text.
    change: Option<(f64, String)>,
    /// Target and its formatted text.
    target: Option<(f64, String)>,
    falling_is_good: bool,
    highlighted: bool,
}

/// Layout shared by all tiles: the parts that they show, and the font size of the value.
struct Plan {
    label_lines: usize,
    value_size: f64,
    change: bool,
    bar: bool,
    target: bool,
}

impl Plan {
    /// Returns the height in points of all parts of a tile.
    fn height(&self, style: &ChartStyle) -> f64 {
        fixed_height(self, style) + self.value_size * 1.25
    }
}

/// Text colors of good and bad changes.
struct News {
    good: Color,
    bad: Color,
}

/// Draws one tile per record, as many as fit.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    // Each value has its own format, because units differ. All changes have the same number of
    // decimals.
    let all = chart.data.iter().filter_map(|it| data::number(data::field(it, "change")));
    let changes = NumberFormat::for_values(all, &chart.format_rules("change"), chart.locale());
    let read = |row| read(chart, &changes, row);
    let cards: Vec<Card> = (0..chart.data.len()).filter_map(read).collect();
    if cards.iter().all(|it| it.value.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let spec = TileSpec {
        count: cards.len(),
        min_size: (style.label_size * 6.5, style.label_size * 3.4),
        gap: (style.unit * 20.0, style.unit * 12.0),
        aspect_ratio: 1.8,
        columns: chart.number_setting("columns").filter(|it| *it >= 1.0).map(|it| it as usize),
    };
    let tiles = TileGrid::new(frame.area, style, &spec);
    let shown = cards.get(..tiles.visible_count).unwrap_or(&cards);
    let usual = plan(chart, shown, tiles.tile_rect(0), style);
    // Tall tiles have larger labels, too.
    let larger = style.scale_labels(1.2);
    let high = usual.height(style) * 1.3 < tiles.tile_rect(0).height();
    let style = if high && usual.value_size > style.title_size { &larger } else { style };
    let plan = plan(chart, shown, tiles.tile_rect(0), style);
    let own = |key: &str, usual: Color| Color::parse(chart.str_setting(key)).unwrap_or(usual);
    let news = News {
        good: own("positiveColor", chart.series_color(0)).readable_on(style.background, 4.5),
        bad: own("negativeColor", chart.theme.highlight_color).readable_on(style.background, 4.5),
    };
    for (index, card) in shown.iter().enumerate() {
        tile(chart, card, tiles.tile_rect(index), &plan, &news, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, cards.len() - shown.len(), "figure", scene);
    describe(&cards, scene);
}

/// Reads the content of a tile. Returns None for a record without label and value.
fn read<'a>(chart: &Chart<'a>, changes: &NumberFormat, row: usize) -> Option<Card<'a>> {
    let record = chart.data.get(row)?;
    let label = data::record_label(record);
    let value = data::number(data::field(record, "value"));
    if label.is_empty() && value.is_none() {
        return None;
    }
    let unit = data::display_text(data::field(record, "unit"));
    let target = data::number(data::field(record, "target"));
    let rules = chart.format_rules("value");
    let both = [value, target];
    let format = NumberFormat::for_values(both.into_iter().flatten(), &rules, chart.locale());
    let words = |it: f64| with_unit(&format.text(it), &unit);
    let change = data::number(data::field(record, "change"));
    Some(Card {
        row,
        label,
        value,
        words: value.map_or("–".to_owned(), words),
        change: change.map(|it| (it, signed(changes, it))),
        target: target.map(|it| (it, words(it))),
        falling_is_good: data::is_true(data::field(record, "lowerIsBetter")),
        highlighted: data::is_true(data::field(record, "highlighted")),
    })
}

/// Adds the unit to a formatted number. Currency signs are put before the digits, everything else
/// after them.
fn with_unit(words: &str, unit: &str) -> String {
    let rest = unit.trim_start_matches(['€', '$', '£', '¥']);
    let sign = unit.get(..unit.len() - rest.len()).unwrap_or("");
    let (minus, digits) = match words.strip_prefix('\u{2212}') {
        Some(digits) => ("\u{2212}", digits),
        None => ("", words),
    };
    let space =
        if rest.is_empty() || rest.starts_with('%') || !sign.is_empty() { "" } else { "\u{a0}" };
    format!("{minus}{sign}{digits}{space}{rest}")
}

/// Formats a change, with a plus sign for an increase.
fn signed(format: &NumberFormat, change: f64) -> String {
    let sign = if change > 0.0 { "+" } else { "" };
    format!("{sign}{}", format.text(change))
}

/// Returns the height in points of all parts of a tile except the value.
fn fixed_height(plan: &Plan, style: &ChartStyle) -> f64 {
    let lines = plan.label_lines as f64 * style.label_size * 1.25;
    let change = if plan.change { style.label_size * 1.5 } else { 0.0 };
    let bar = if plan.bar { style.label_size * 1.0 } else { 0.0 };
    let target = if plan.target { style.small_size * 1.4 } else { 0.0 };
    style.label_size * 0.6 + lines + change + bar + target
}

/// Chooses the parts that fit into a tile. All tiles show the same parts, so that they can be
/// compared.
fn plan(chart: &Chart, cards: &[Card], cell: Rect, style: &ChartStyle) -> Plan {
    let change =
        chart.bool_setting("showChange", true) && cards.iter().any(|it| it.change.is_some());
    let target =
        chart.bool_setting("showTarget", true) && cards.iter().any(|it| it.target.is_some());
    let long = cards.iter().any(|it| style.text_width(&it.label, style.label_size) > cell.width());
    let mut plan = Plan {
        label_lines: if long { 2 } else { 1 },
        value_size: 0.0,
        change,
        bar: target,
        target,
    };
    // The value has priority: the other parts are reduced one after the other until it fits.
    let least = style.label_size * 2.0;
    for step in 0..4 {
        if cell.height() >= fixed_height(&plan, style) + least {
            break;
        }
        match step {
            0 => plan.label_lines = 1,
            1 => plan.target = false,
            2 => plan.bar = false,
            _ => plan.change = false,
        }
    }
    let widest = cards.iter().map(|it| text::width(&it.words, 1.0, Face::BOLD)).fold(0.1, f64::max);
    let room = (cell.height() - fixed_height(&plan, style)) / 1.25;
    let usual = style.title_size * if cards.len() == 1 { 4.0 } else { 2.2 };
    let most = usual.max(cell.height() * 0.34);
    plan.value_size = room.min(most).min(cell.width() * 0.94 / widest).max(style.label_size);
    plan
}

/// Draws a tile.
fn tile(
    chart: &Chart,
    card: &Card,
    cell: Rect,
    plan: &Plan,
    news: &News,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("tile", Some(card.row), || {
        let change = card.change.iter().map(|it| format!(" ({})", it.1));
        (
            Some("value".to_owned()),
            format!("{}: {}{}", card.label, card.words, change.collect::<String>()),
        )
    });
    let rule = if card.highlighted {
        Stroke::new(chart.theme.highlight_color, 3.0 * style.unit)
    } else {
        Stroke::new(style.axis_color, 1.0)
    };
    scene.line((cell.x0, cell.y0), (cell.x1, cell.y0), rule);
    name(card, cell, plan, style, scene);
    let mut y =
        cell.y0 + style.label_size * 0.6 + plan.label_lines as f64 * style.label_size * 1.25;
    let size = plan.value_size;
    let words = text::ellipsize(&card.words, cell.width(), size, Face::BOLD);
    let set = style.label_text(cell.x0, y + size * 0.98, Anchor::Start, size, &words);
    let color = if card.value.is_some() { style.text_color } else { style.muted_color };
    scene.text(Text {
        face: Face::BOLD,
        width: text::width(&words, size, Face::BOLD),
        color,
        ..set
    });
    y += size * 1.25;
    if plan.change {
        change(chart, card, (cell, y), news, style, scene);
        y += style.label_size * 1.5;
    }
    if plan.bar {
        bar(chart, card, (cell, y), style, scene);
        y += style.label_size;
    }
    if plan.target {
        target(chart, card, (cell, y), style, scene);
    }
}

/// Draws the label of a tile.
fn name(card: &Card, cell: Rect, plan: &Plan, style: &ChartStyle, scene: &mut Scene) {
    let size = style.label_size;
    let lines = text::wrap(&card.label, cell.width(), plan.label_lines, size, style.label_face());
    for (line, words) in lines.iter().enumerate() {
        let base = cell.y0 + size * (0.6 + ASCENT_EM) + line as f64 * size * 1.25;
        let full = words.ends_with('…').then(|| card.label.clone().into_owned());
        scene.text(Text { full, ..style.label_text(cell.x0, base, Anchor::Start, size, words) });
    }
}

/// Draws the target with its title.
fn target(
    chart: &Chart,
    card: &Card,
    (cell, top): (Rect, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some((_, target)) = &card.target else { return };
    let own = chart.setting("targetTitle").as_str();
    let words =
        format!("{} {target}", text::sanitize(own.unwrap_or(style.locale.translate(Term::Target))));
    let words = text::ellipsize(words.trim(), cell.width(), style.small_size, style.label_face());
    let base = top + ASCENT_EM * style.small_size;
    let set = style.label_text(cell.x0, base, Anchor::Start, style.small_size, &words);
    scene.text(Text { color: style.muted_color, ..set });
}

/// Draws the change: a triangle that points up or down, the formatted change, and `changeTitle`.
fn change(
    chart: &Chart,
    card: &Card,
    (cell, top): (Rect, f64),
    news: &News,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some((value, words)) = &card.change else { return };
    let size = style.label_size;
    let middle = top + size * 0.55;
    let good = (*value > 0.0) != card.falling_is_good;
    let ink = match *value == 0.0 {
        true => style.muted_color,
        false if good => news.good,
        false => news.bad,
    };
    let side = size * 0.36;
    let x = if *value == 0.0 { cell.x0 } else { cell.x0 + side * 2.0 + size * 0.4 };
    if *value != 0.0 {
        let tip = if *value > 0.0 { -side } else { side };
        let mut path = BezPath::new();
        path.move_to((cell.x0, middle - tip * 0.85));
        path.line_to((cell.x0 + side * 2.0, middle - tip * 0.85));
        path.line_to((cell.x0 + side, middle + tip * 0.85));
        path.close_path();
        scene.fill(path, ink);
    }
    let shown = text::ellipsize(words, cell.x1 - x, size, Face::BOLD);
    let width = text::width(&shown, size, Face::BOLD);
    let base = middle + HALF_CAP_HEIGHT_EM * size;
    let set = style.label_text(x, base, Anchor::Start, size, &shown);
    scene.text(Text { face: Face::BOLD, width, color: ink, ..set });
    let x = x + width + size * 0.4;
    let since = data::display_text(chart.setting("changeTitle"));
    // An ellipsized phrase would be useless, so it is left out if it does not fit.
    if style.text_width(&since, size) <= cell.x1 - x {
        let set = style.label_text(x, base, Anchor::Start, size, &since);
        scene.text(Text { color: style.muted_color, ..set });
    }
}

/// Draws a bar that shows the value, with a mark at the target.
fn bar(
    chart: &Chart,
    card: &Card,
    (cell, top): (Rect, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (Some(value), Some((target, _))) = (card.value, &card.target) else { return };
    let most = value.max(*target);
    if value < 0.0 || *target <= 0.0 {
        return;
    }
    let thick = (style.label_size * 0.42).round().max(3.0);
    let y = top + style.label_size * 0.2;
    let at = |it: f64| cell.x0 + cell.width() * (it / most).clamp(0.0, 1.0);
    let track = Rect::new(cell.x0, y, cell.x1, y + thick);
    scene.rect(track, style.grid_color);
    let fill = if card.highlighted { chart.theme.highlight_color } else { chart.series_color(0) };
    scene.rect(Rect { x1: at(value), ..track }, fill);
    let mark = (at(*target) - 1.0).max(cell.x0 + 1.0);
    let beyond = style.unit * 2.0;
    scene.line((mark, y - beyond), (mark, y + thick + beyond), Stroke::new(style.text_color, 2.0));
}

/// Sets the text description of the scene: number of figures, and the first six with their changes.
fn describe(cards: &[Card], scene: &mut Scene) {
    let figure = |it: &Card| match &it.change {
        Some((_, change)) => format!("{} {} ({change})", it.label, it.words),
        None => format!("{} {}", it.label, it.words),
    };
    let first: Vec<String> = cards.iter().take(6).map(figure).collect();
    let plural = if cards.len() == 1 { "" } else { "s" };
    scene.description =
        format!("Scorecard of {} figure{plural}: {}.", cards.len(), first.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_where_people_write_them() {
        assert_eq!(with_unit("\u{2212}5", "€"), "\u{2212}€5");
        assert_eq!(with_unit("4.2", "€m"), "€4.2m");
        assert_eq!(with_unit("12", "%"), "12%");
        assert_eq!(with_unit("3", "days"), "3\u{a0}days");
        assert_eq!(with_unit("3", ""), "3");
    }
}
