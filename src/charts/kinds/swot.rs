//! Four fields of short texts: strengths, weaknesses, opportunities and threats.
//!
//! Record: `field` (`strengths`, `weaknesses`, `opportunities`, `threats`, the first letter, or a
//! number from 1), `text`, `highlighted`. Settings: `fieldTitles` (a title by field),
//! `fieldColors` (a color by field), `showBullets`.

use std::borrow::Cow;

use kurbo::{Point, Rect};
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Word;
use crate::frame;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scene::{ASCENT, Anchor, CENTER, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The SWOT analysis.
pub const KIND: Kind = Kind { slug: "swot", draw };

/// Names of the fields as the data and the settings use them, row by row.
const FIELDS: [&str; 4] = ["strengths", "weaknesses", "opportunities", "threats"];
/// How the names begin, in one or in many.
const STEMS: [&str; 4] = ["strength", "weakness", "opportunit", "threat"];
/// Height of a line as a share of the font size.
const LEADING: f64 = 1.3;
/// Space between two texts as a share of the font size.
const APART: f64 = 0.45;

/// A field with its texts.
struct Field<'a> {
    title: Cow<'a, str>,
    color: Color,
    items: Vec<Item<'a>>,
}

struct Item<'a> {
    row: usize,
    words: Cow<'a, str>,
    highlighted: bool,
}

/// How texts are set, the same in all fields.
struct Setting {
    size: f64,
    head: f64,
    pad: f64,
    /// Width that the bullets take.
    indent: f64,
    /// A text takes at most this many lines.
    lines: usize,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let fields = read(chart, scene);
    if fields.iter().all(|it| it.items.is_empty()) {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let (boxes, setting) = arrange(chart, &fields, frame.area, look);
    let mut left_out = 0;
    for (field, rect) in fields.iter().zip(boxes) {
        left_out += paint(field, rect, &setting, look, scene);
    }
    scene.untag();
    if left_out > 0 {
        scene.warn(format!("Texts without room: {left_out}."));
    }
    let counts: Vec<String> =
        fields.iter().map(|it| format!("{} {}", it.items.len(), it.title.to_lowercase())).collect();
    scene.desc = format!("SWOT analysis: {}.", counts.join(", "));
}

/// The place of a field among the four, by name, first letter, own title or number.
fn place(name: &Value, titles: &[Cow<str>; 4]) -> Option<usize> {
    let words = data::words(name);
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

fn read<'a>(chart: &Chart<'a>, scene: &mut Scene) -> [Field<'a>; 4] {
    const USUAL: [Word; 4] =
        [Word::Strengths, Word::Weaknesses, Word::Opportunities, Word::Threats];
    let settings = chart.settings;
    let titles: [Cow<'a, str>; 4] = std::array::from_fn(|index| {
        let own = FIELDS
            .get(index)
            .map_or(Cow::Borrowed(""), |it| data::words(&settings["fieldTitles"][*it]));
        if own.is_empty() {
            Cow::Borrowed(USUAL.get(index).map_or("", |it| chart.language().word(*it)))
        } else {
            own
        }
    });
    // What helps has the first colour, what harms the highlight.
    let usual =
        |index: usize| if index.is_multiple_of(2) { chart.color(0) } else { chart.theme.highlight };
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
        let words = data::words(data::field(record, "text"));
        if words.is_empty() {
            continue;
        }
        let highlighted = data::flag(data::field(record, "highlighted"));
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

/// The boxes of the fields, and the largest setting in which all texts have room.
fn arrange(chart: &Chart, fields: &[Field], area: Rect, look: &Look) -> ([Rect; 4], Setting) {
    let gap = (8.0 * look.unit).round();
    // On narrow canvases the fields stand in one column, on low ones in one row.
    let (width, height) = (area.width(), area.height());
    let columns = match width / height.max(1.0) {
        shape if shape < 0.83 && width < look.label * 26.0 => 1,
        shape if shape > 5.0 && width > look.label * 60.0 => 4,
        _ => 2,
    };
    let bullets = chart.flag("showBullets", true);
    // The title of the picture stays the largest text.
    let most = (look.label * 1.5).min(look.title * 0.85).max(look.label);
    let setting = |size: f64, lines: usize| Setting {
        size,
        lines,
        head: (size * 1.12).max(look.label).min(look.title * 0.95),
        pad: (size * 0.9).min(area.height() * 0.03),
        indent: if bullets { size } else { 0.0 },
    };
    let (large, label, small) = ((look.label * 1.3).min(most), look.label, look.small);
    let tries =
        [(most, 6), (large, 6), (label * 1.15, 6), (label, 6), (small, 6), (small, 2), (small, 1)];
    let mut best = None;
    for (size, lines) in tries {
        let tried = setting(size, lines);
        let width = (area.width() - gap * (columns - 1) as f64) / columns as f64;
        let needs: Vec<f64> =
            fields.iter().map(|it| field_height(it, width, &tried, look)).collect();
        let boxes = boxes(area, gap, columns, &needs);
        let fits = boxes.iter().zip(&needs).all(|(rect, need)| rect.height() + 0.01 >= *need);
        best = Some((boxes, tried));
        if fits {
            break;
        }
    }
    best.unwrap_or_else(|| (boxes(area, gap, columns, &[1.0; 4]), setting(look.small, 1)))
}

/// Rows as high as their fuller field needs, the rest shared evenly.
fn boxes(area: Rect, gap: f64, columns: usize, needs: &[f64]) -> [Rect; 4] {
    let rows = 4 / columns;
    let need = |row: usize| {
        let of_row = needs.iter().skip(row * columns).take(columns);
        of_row.copied().fold(1.0, f64::max)
    };
    let room = (area.height() - gap * (rows - 1) as f64).max(rows as f64);
    let even = room / rows as f64;
    let wanted: f64 = (0..rows).map(need).sum();
    // Equal rows look calmer; they give way only when a fuller one needs it.
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

fn lines(item: &Item, width: f64, setting: &Setting, look: &Look) -> (Vec<String>, Face) {
    let face = if item.highlighted { Face::Bold } else { look.face() };
    let room = width - setting.pad * 2.0 - setting.indent;
    (text::wrap(&item.words, room.max(1.0), setting.lines, setting.size, face), face)
}

/// Height in points that the head takes, padding above included.
fn head_height(setting: &Setting) -> f64 {
    setting.pad + setting.head * 1.45
}

/// Height in points that a field needs.
fn field_height(field: &Field, width: f64, setting: &Setting, look: &Look) -> f64 {
    // Beyond this nothing fits anyway, and wrapping has a price.
    let items = field.items.iter().take(60);
    let texts: f64 =
        items.map(|it| lines(it, width, setting, look).0.len() as f64 * LEADING + APART).sum();
    head_height(setting) + texts * setting.size + setting.pad * 0.5
}

/// Draws a field; returns how many of its texts have no room.
fn paint(field: &Field, rect: Rect, setting: &Setting, look: &Look, scene: &mut Scene) -> usize {
    let ground = field.color.mix(look.background, 0.9);
    scene.rect(rect, ground);
    let rule = (3.0 * look.unit).round();
    scene.rect(Rect { y1: rect.y0 + rule, ..rect }, field.color);
    let ink = field.color.readable_on(ground, 4.5);
    let (left, size) = (rect.x0 + setting.pad, setting.head);
    let title = text::fit(&field.title, rect.width() - setting.pad * 2.0, size, Face::Bold);
    let base = rect.y0 + setting.pad + rule * 0.5 + ASCENT * size;
    if base + size * 0.3 < rect.y1 {
        let width = text::width(&title, size, Face::Bold);
        let set = look.text(left, base, Anchor::Start, size, &title);
        let full = (title != field.title).then(|| field.title.clone().into_owned());
        scene.text(Text { face: Face::Bold, width, color: ink, full, ..set });
    }
    let mut top = rect.y0 + head_height(setting);
    let leading = setting.size * LEADING;
    for (index, item) in field.items.iter().enumerate() {
        let (lines, face) = lines(item, rect.width(), setting, look);
        let rest = field.items.len() - index - 1;
        // The last line is kept for the count of what follows, when something does.
        let end = top + lines.len() as f64 * leading;
        let kept = if rest > 0 { leading + APART * setting.size } else { 0.0 };
        let all_fit =
            rest > 0 && top + field_rest(field, index, rect.width(), setting, look) <= rect.y1;
        if end > rect.y1 + 0.01 || (!all_fit && end + kept > rect.y1 + 0.01) {
            more(
                field.items.len() - index,
                (left + setting.indent, top),
                rect,
                setting,
                (look, ground),
                scene,
            );
            return field.items.len() - index;
        }
        scene.tag("text", Some(item.row), || {
            (Some("text".to_owned()), item.words.clone().into_owned())
        });
        bullet(Point::new(left, top + leading * 0.5), setting, ink, scene);
        for (line, words) in lines.iter().enumerate() {
            let base = top + (line as f64 + 0.5) * leading + CENTER * setting.size;
            let set = look.text(left + setting.indent, base, Anchor::Start, setting.size, words);
            let full = words.ends_with('…').then(|| item.words.clone().into_owned());
            let color = look.value_ink.readable_on(ground, 4.5);
            let width = text::width(words, setting.size, face);
            scene.text(Text { face, width, color, full, ..set });
        }
        top = end + APART * setting.size;
    }
    0
}

/// Height in points of the texts from `index` on, as far as it matters.
fn field_rest(field: &Field, index: usize, width: f64, setting: &Setting, look: &Look) -> f64 {
    let rest = field.items.iter().skip(index).take(40);
    let each = rest.map(|it| lines(it, width, setting, look).0.len() as f64 * LEADING + APART);
    (each.sum::<f64>() - APART) * setting.size
}

fn bullet(at: Point, setting: &Setting, ink: Color, scene: &mut Scene) {
    if setting.indent > 0.0 {
        let radius = setting.size * 0.17;
        scene.circle(Point::new(at.x + radius, at.y), radius, ink, None::<Stroke>);
    }
}

/// Counts the texts that have no room.
fn more(
    count: usize,
    (x, top): (f64, f64),
    rect: Rect,
    setting: &Setting,
    (look, ground): (&Look, Color),
    scene: &mut Scene,
) {
    let base = top + look.small * ASCENT;
    let set = look.more((x, base), Anchor::Start, count, "");
    if base + look.small * 0.3 <= rect.y1 && x + set.width <= rect.x1 - setting.pad * 0.5 {
        scene.text(Text { color: look.muted.readable_on(ground, 4.5), ..set });
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
