//! SWOT analysis: four fields of short texts for strengths, weaknesses, opportunities and threats.
//!
//! Record: `field` (`strengths`, `weaknesses`, `opportunities`, `threats`, the first letter, or a
//! number from 1), `text`, `highlighted`. Settings: `fieldTitles` (a title per field),
//! `fieldColors` (a color per field), `showBullets`.

use std::borrow::Cow;

use kurbo::{Point, Rect};
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Term;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The SWOT analysis.
pub const KIND: Kind = Kind { slug: "swot", draw };

/// Names of the fields in data and settings, row by row.
const FIELDS: [&str; 4] = ["strengths", "weaknesses", "opportunities", "threats"];
/// Prefixes of the names, common to singular and plural.
const STEMS: [&str; 4] = ["strength", "weakness", "opportunit", "threat"];
/// Line height as a share of the font size.
const LEADING: f64 = 1.3;
/// Space between two texts as a share of the font size.
const APART: f64 = 0.45;

/// A field with its texts.
struct Field<'a> {
    title: Cow<'a, str>,
    color: Color,
    items: Vec<Item<'a>>,
}

/// A text of a field.
struct Item<'a> {
    row: usize,
    words: Cow<'a, str>,
    highlighted: bool,
}

/// Text layout, the same in all fields.
struct Setting {
    size: f64,
    head: f64,
    pad: f64,
    /// Width in points reserved for the bullets.
    indent: f64,
    /// Maximum number of lines of a text.
    lines: usize,
}

/// Draws the four fields with their texts.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let fields = read(chart, scene);
    if fields.iter().all(|it| it.items.is_empty()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let (boxes, setting) = arrange(chart, &fields, frame.area, style);
    let mut left_out = 0;
    for (field, rect) in fields.iter().zip(boxes) {
        left_out += paint(field, rect, &setting, style, scene);
    }
    scene.end_mark();
    if left_out > 0 {
        scene.warn(format!("Texts without room: {left_out}."));
    }
    let counts: Vec<String> =
        fields.iter().map(|it| format!("{} {}", it.items.len(), it.title.to_lowercase())).collect();
    scene.description = format!("SWOT analysis: {}.", counts.join(", "));
}

/// Returns the index of a field by its title, its name, its first letter or its number. None if
/// nothing matches.
fn place(name: &Value, titles: &[Cow<str>; 4]) -> Option<usize> {
    let words = data::display_text(name);
    let words = words.trim().to_lowercase();
    if words.is_empty() {
        return None;
    }
    let by_title = titles.iter().position(|it| it.to_lowercase() == words);
    let begins = |stem: &str| words.starts_with(stem) || stem.get(..1) == Some(words.as_str());
    let by_name = || STEMS.iter().position(|it| begins(it));
    let by_number =
        || data::number(name).filter(|it| (1.0..5.0).contains(it)).map(|it| it as usize - 1);
    by_title.or_else(by_name).or_else(by_number)
}

/// Reads the fields and assigns the texts to them. Warns about texts without a known field.
fn read<'a>(chart: &Chart<'a>, scene: &mut Scene) -> [Field<'a>; 4] {
    const USUAL: [Term; 4] =
        [Term::Strengths, Term::Weaknesses, Term::Opportunities, Term::Threats];
    let settings = chart.settings;
    let titles: [Cow<'a, str>; 4] = std::array::from_fn(|index| {
        let own = FIELDS
            .get(index)
            .map_or(Cow::Borrowed(""), |it| data::display_text(&settings["fieldTitles"][*it]));
        if own.is_empty() {
            Cow::Borrowed(USUAL.get(index).map_or("", |it| chart.locale().translate(*it)))
        } else {
            own
        }
    });
    // Strengths and opportunities have the first series color, weaknesses and threats the highlight
    // color.
    let usual = |index: usize| {
        if index.is_multiple_of(2) { chart.series_color(0) } else { chart.theme.highlight_color }
    };
    let mut fields: [Field<'a>; 4] = std::array::from_fn(|index| Field {
        title: titles.get(index).cloned().unwrap_or_default(),
        color: FIELDS
            .get(index)
            .and_then(|it| settings["fieldColors"][*it].as_str())
            .and_then(Color::parse)
            .unwrap_or_else(|| usual(index)),
        items: Vec::new(),
    });
    let mut unknown = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let words = data::display_text(data::field(record, "text"));
        if words.is_empty() {
            continue;
        }
        let highlighted = data::is_true(data::field(record, "highlighted"));
        match place(data::field(record, "field"), &titles).and_then(|it| fields.get_mut(it)) {
            Some(field) => field.items.push(Item { row, words, highlighted }),
            None => unknown += 1,
        }
    }
    if unknown > 0 {
        scene.warn(format!("Records that name none of the four fields: {unknown}."));
    }
    fields
}

/// Returns the rectangles of the fields, and the first text layout, from large to small, in which
/// all texts fit.
fn arrange(
    chart: &Chart,
    fields: &[Field],
    area: Rect,
    style: &ChartStyle,
) -> ([Rect; 4], Setting) {
    let gap = (8.0 * style.unit).round();
    // Narrow canvases have one column, low and wide canvases one row.
    let (width, height) = (area.width(), area.height());
    let columns = match width / height.max(1.0) {
        shape if shape < 0.83 && width < style.label_size * 26.0 => 1,
        shape if shape > 5.0 && width > style.label_size * 60.0 => 4,
        _ => 2,
    };
    let bullets = chart.bool_setting("showBullets", true);
    // The texts stay smaller than the title of the chart.
    let most = (style.label_size * 1.5).min(style.title_size * 0.85).max(style.label_size);
    let setting = |size: f64, lines: usize| Setting {
        size,
        lines,
        head: (size * 1.12).max(style.label_size).min(style.title_size * 0.95),
        pad: (size * 0.9).min(area.height() * 0.03),
        indent: if bullets { size } else { 0.0 },
    };
    let (large, label, small) =
        ((style.label_size * 1.3).min(most), style.label_size, style.small_size);
    let tries =
        [(most, 6), (large, 6), (label * 1.15, 6), (label, 6), (small, 6), (small, 2), (small, 1)];
    let mut best = None;
    for (size, lines) in tries {
        let tried = setting(size, lines);
        let width = (area.width() - gap * (columns - 1) as f64) / columns as f64;
        let needs: Vec<f64> =
            fields.iter().map(|it| field_height(it, width, &tried, style)).collect();
        let boxes = boxes(area, gap, columns, &needs);
        let fits = boxes.iter().zip(&needs).all(|(rect, need)| rect.height() + 0.01 >= *need);
        best = Some((boxes, tried));
        if fits {
            break;
        }
    }
    best.unwrap_or_else(|| (boxes(area, gap, columns, &[1.0; 4]), setting(style.small_size, 1)))
}

/// Returns the rectangles of the fields. Rows have equal heights if all texts fit, otherwise
/// heights in proportion to their needs.
fn boxes(area: Rect, gap: f64, columns: usize, needs: &[f64]) -> [Rect; 4] {
    let rows = 4 / columns;
    let need = |row: usize| {
        let of_row = needs.iter().skip(row * columns).take(columns);
        of_row.copied().fold(1.0, f64::max)
    };
    let room = (area.height() - gap * (rows - 1) as f64).max(rows as f64);
    let even = room / rows as f64;
    let wanted: f64 = (0..rows).map(need).sum();
    // Equal rows are preferred, unless a row needs more than its share.
    let equal = (0..rows).all(|it| need(it) <= even);
    let height = |row: usize| if equal { even } else { need(row) / wanted * room };
    let width = (area.width() - gap * (columns - 1) as f64) / columns as f64;
    std::array::from_fn(|index| {
        let (column, row) = (index % columns, index / columns);
        let above: f64 = (0..row).map(|it| height(it) + gap).sum();
        let x = area.x0 + column as f64 * (width + gap);
        Rect::new(x, area.y0 + above, x + width, area.y0 + above + height(row))
    })
}

/// Wraps a text. Returns its lines and their face.
fn lines(item: &Item, width: f64, setting: &Setting, style: &ChartStyle) -> (Vec<String>, Face) {
    let face = if item.highlighted { Face::BOLD } else { style.label_face() };
    let room = width - setting.pad * 2.0 - setting.indent;
    (text::wrap(&item.words, room.max(1.0), setting.lines, setting.size, face), face)
}

/// Returns the height in points of the title of a field, including the padding above it.
fn head_height(setting: &Setting) -> f64 {
    setting.pad + setting.head * 1.45
}

/// Returns the height in points that a field needs.
fn field_height(field: &Field, width: f64, setting: &Setting, style: &ChartStyle) -> f64 {
    // More than 60 texts would not fit anyway, and wrapping them takes time.
    let items = field.items.iter().take(60);
    let texts: f64 =
        items.map(|it| lines(it, width, setting, style).0.len() as f64 * LEADING + APART).sum();
    head_height(setting) + texts * setting.size + setting.pad * 0.5
}

/// Draws a field. Returns the number of texts that do not fit.
fn paint(
    field: &Field,
    rect: Rect,
    setting: &Setting,
    style: &ChartStyle,
    scene: &mut Scene,
) -> usize {
    let ground = field.color.mix(style.background, 0.9);
    scene.rect(rect, ground);
    let rule = (3.0 * style.unit).round();
    scene.rect(Rect { y1: rect.y0 + rule, ..rect }, field.color);
    let ink = field.color.readable_on(ground, 4.5);
    let (left, size) = (rect.x0 + setting.pad, setting.head);
    let title = text::ellipsize(&field.title, rect.width() - setting.pad * 2.0, size, Face::BOLD);
    let base = rect.y0 + setting.pad + rule * 0.5 + ASCENT_EM * size;
    if base + size * 0.3 < rect.y1 {
        let width = text::width(&title, size, Face::BOLD);
        let set = style.label_text(left, base, Anchor::Start, size, &title);
        let full = (title != field.title).then(|| field.title.clone().into_owned());
        scene.text(Text { face: Face::BOLD, width, color: ink, full, ..set });
    }
    let mut top = rect.y0 + head_height(setting);
    let leading = setting.size * LEADING;
    for (index, item) in field.items.iter().enumerate() {
        let (lines, face) = lines(item, rect.width(), setting, style);
        let rest = field.items.len() - index - 1;
        // Unless all remaining texts fit, the last line is reserved for the number of omitted
        // texts.
        let end = top + lines.len() as f64 * leading;
        let kept = if rest > 0 { leading + APART * setting.size } else { 0.0 };
        let all_fit =
            rest > 0 && top + field_rest(field, index, rect.width(), setting, style) <= rect.y1;
        if end > rect.y1 + 0.01 || (!all_fit && end + kept > rect.y1 + 0.01) {
            more(
                field.items.len() - index,
                (left + setting.indent, top),
                rect,
                setting,
                (style, ground),
                scene,
            );
            return field.items.len() - index;
        }
        scene.begin_mark("text", Some(item.row), || {
            (Some("text".to_owned()), item.words.clone().into_owned())
        });
        bullet(Point::new(left, top + leading * 0.5), setting, ink, scene);
        for (line, words) in lines.iter().enumerate() {
            let base = top + (line as f64 + 0.5) * leading + HALF_CAP_HEIGHT_EM * setting.size;
            let set =
                style.label_text(left + setting.indent, base, Anchor::Start, setting.size, words);
            let full = words.ends_with('…').then(|| item.words.clone().into_owned());
            let color = style.value_color.readable_on(ground, 4.5);
            let width = text::width(words, setting.size, face);
            scene.text(Text { face, width, color, full, ..set });
        }
        top = end + APART * setting.size;
    }
    0
}

/// Returns the height in points of at most 40 texts, starting with `index`.
fn field_rest(
    field: &Field,
    index: usize,
    width: f64,
    setting: &Setting,
    style: &ChartStyle,
) -> f64 {
    let rest = field.items.iter().skip(index).take(40);
    let each = rest.map(|it| lines(it, width, setting, style).0.len() as f64 * LEADING + APART);
    (each.sum::<f64>() - APART) * setting.size
}

/// Draws a bullet, if bullets are shown.
fn bullet(at: Point, setting: &Setting, ink: Color, scene: &mut Scene) {
    if setting.indent > 0.0 {
        let radius = setting.size * 0.17;
        scene.circle(Point::new(at.x + radius, at.y), radius, ink, None::<Stroke>);
    }
}

/// Draws a note with the number of omitted texts, if it fits.
fn more(
    count: usize,
    (x, top): (f64, f64),
    rect: Rect,
    setting: &Setting,
    (style, ground): (&ChartStyle, Color),
    scene: &mut Scene,
) {
    let base = top + style.small_size * ASCENT_EM;
    let set = style.overflow_note((x, base), Anchor::Start, count, "");
    if base + style.small_size * 0.3 <= rect.y1 && x + set.width <= rect.x1 - setting.pad * 0.5 {
        scene.text(Text { color: style.muted_color.readable_on(ground, 4.5), ..set });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_found_by_what_people_call_them() {
        let titles: [Cow<str>; 4] = ["Stärken", "b", "c", "d"].map(Cow::Borrowed);
        let of = |it: Value| place(&it, &titles);
        assert_eq!(of(json!("Strengths")), Some(0));
        assert_eq!(of(json!("stärken")), Some(0));
        assert_eq!(of(json!("weakness")), Some(1));
        assert_eq!(of(json!("T")), Some(3));
        assert_eq!(of(json!("opportunity")), Some(2));
        assert_eq!(of(json!(3)), Some(2));
        assert_eq!(of(json!("other")), None);
        assert_eq!(of(json!(null)), None);
    }
}
