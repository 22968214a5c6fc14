//! Word cloud: words with a size that grows with their value, packed from the center outwards.
//!
//! Record: `label`, `value` (greater than 0), `highlighted`, `color`. Settings: `mostWords`,
//! `colors` (`value`, `varied`).
//!
//! Words are always horizontal, because rotated words are hard to read.

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, Text};
use crate::text;
use crate::text::Face;

/// The word cloud.
pub const KIND: Kind = Kind { slug: "word-cloud", draw };

/// Maximum number of words.
const MAX_WORDS: usize = 200;
/// Maximum number of comparisons of two rectangles. The last attempt to pack has this budget again.
const BUDGET: usize = 1_500_000;
/// Factor between two attempted font sizes of the largest word.
const SHRINK: f64 = 0.88;

/// A word with its value and its color.
struct Word {
    row: usize,
    label: String,
    value: f64,
    words: String,
    highlighted: bool,
    color: Option<Color>,
}

/// A placed word: its bounds and its font size.
struct Placed {
    bounds: Rect,
    size: f64,
}

/// Packs and draws the words.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut words = read(chart, scene);
    let Some(largest) = words.first().map(|it| it.value) else {
        return frame::draw_no_data(frame, scene);
    };
    describe(&words, scene);
    let most = chart.setting("mostWords").as_u64().filter(|it| *it > 0);
    let most = most.map_or(MAX_WORDS, |it| it.min(MAX_WORDS as u64) as usize);
    let left_out = words.len().saturating_sub(most);
    words.truncate(most);
    let style = &frame.style;
    let placed = pack(&words, largest, frame.area, style);
    let off = middle_of(&placed).map_or(Vec2::ZERO, |it| frame.area.center() - it);
    let missing = placed.iter().filter(|it| it.is_none()).count() + left_out;
    if missing > 0 {
        scene.warn(format!("Words that have no room: {missing}."));
    }
    let any_highlighted = words.iter().any(|it| it.highlighted);
    for (at, (word, place)) in words.iter().zip(&placed).enumerate() {
        let Some(Placed { bounds, size }) = place else { continue };
        let bounds = *bounds + off;
        let color = ink(chart, style, (word, at), largest, any_highlighted);
        scene.begin_mark("word", Some(word.row), || {
            (Some("value".to_owned()), format!("{}: {}", word.label, word.words))
        });
        if scene.interactive {
            // An invisible rectangle makes the space between the letters respond to the pointer.
            scene.rect(bounds, style.background.with_opacity(0.0));
        }
        let face = face(*size, style);
        let baseline = bounds.y0 + ASCENT_EM * size;
        let set = style.label_text(bounds.center().x, baseline, Anchor::Middle, *size, &word.label);
        scene.text(Text { face, color, width: text::width(&word.label, *size, face), ..set });
    }
    scene.end_mark();
}

/// Returns the center of all placed words. It may differ from the center of the largest word.
fn middle_of(placed: &[Option<Placed>]) -> Option<Point> {
    let all = placed.iter().flatten().map(|it| it.bounds);
    all.reduce(|one, two| one.union(two)).map(|it| it.center())
}

/// Reads the records with a label and a value greater than 0, in descending order of value.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Word> {
    let values = chart.data.iter().filter_map(|it| data::number(data::field(it, "value")));
    let (values, others): (Vec<f64>, Vec<f64>) = values.partition(|it| *it > 0.0);
    if others.iter().any(|it| *it < 0.0) {
        scene.warn("Words with a value below zero have no weight and are left out.");
    }
    let format = NumberFormat::for_values(
        values.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let word = |(row, record): (usize, &serde_json::Value)| {
        let value = data::number(data::field(record, "value")).filter(|it| *it > 0.0)?;
        let label = data::record_label(record);
        let (label, words) = (label.into_owned(), format.text(value));
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let color = data::field(record, "color").as_str().and_then(Color::parse);
        Some(Word { row, label, value, words, highlighted, color })
    };
    let mut words: Vec<Word> = chart.data.iter().enumerate().filter_map(word).collect();
    words.retain(|it| !it.label.is_empty());
    words.sort_by(|one, two| two.value.total_cmp(&one.value));
    words
}

/// Returns the font face of a word. Large words are bold.
fn face(size: f64, style: &ChartStyle) -> Face {
    Face::new(style.bold || size > style.label_size * 1.3, false)
}

/// Returns the color of a word: its own color, otherwise a color that is stronger for greater
/// values, or one of the series colors. If any word is highlighted, the color shows that instead.
fn ink(
    chart: &Chart,
    style: &ChartStyle,
    (word, at): (&Word, usize),
    largest: f64,
    any_highlighted: bool,
) -> Color {
    let paper = style.background;
    let usual = match (any_highlighted, word.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.muted_color,
        (false, _) if chart.str_setting("colors") == "varied" => chart.series_color(at),
        // Words with great values stand out, because the others are muted.
        (false, _) => style
            .muted_color
            .mix(chart.series_color(0), 0.15 + 0.85 * (word.value / largest).sqrt()),
    };
    word.color.unwrap_or(usual).over(paper).readable_on(paper, 4.5)
}

/// Packs the words at the largest size at which all of them fit. If they do not even fit at the
/// smallest size, packs as many as possible.
fn pack(words: &[Word], largest: f64, area: Rect, style: &ChartStyle) -> Vec<Option<Placed>> {
    let mut top = (area.height() * 0.34).min(style.title_size * 4.0);
    let mut budget = BUDGET;
    loop {
        let size = |it: &Word| {
            // The area of a word grows with its value. The font size has a minimum, so that small
            // words stay readable.
            let share = (it.value / largest).sqrt();
            (style.small_size + (top - style.small_size) * share).max(style.small_size)
        };
        let last = top <= style.small_size || budget == 0;
        // The last attempt has its own budget.
        let mut reserve = BUDGET;
        let budget = if last { &mut reserve } else { &mut budget };
        if let Some(placed) = try_pack(words, size, (area, last), style, budget) {
            return placed;
        }
        top = (top * SHRINK).max(style.small_size);
    }
}

/// Packs the words at these sizes. Returns None if a word does not fit, unless this is the last
/// attempt.
fn try_pack(
    words: &[Word],
    size: impl Fn(&Word) -> f64,
    (area, last): (Rect, bool),
    style: &ChartStyle,
    budget: &mut usize,
) -> Option<Vec<Option<Placed>>> {
    let mut taken: Vec<Rect> = Vec::with_capacity(words.len());
    let mut placed = Vec::with_capacity(words.len());
    for word in words {
        let size = (size(word) * 4.0).round() / 4.0;
        let width = text::width(&word.label, size, face(size, style));
        let found = find(&taken, (width, (ASCENT_EM + DESCENT_EM) * size), area, style, budget);
        if found.is_none() && !last {
            return None;
        }
        placed.push(found.map(|bounds| {
            // Words have a margin, wider at the sides than above and below.
            taken.push(bounds.inflate(size * 0.08 + 1.0, 0.5));
            Placed { bounds, size }
        }));
    }
    Some(placed)
}

/// Returns the first free position of a rectangle on a spiral from the center. The spiral is
/// stretched to the proportions of the area. None if there is no free position or the budget is
/// used up.
fn find(
    taken: &[Rect],
    (width, height): (f64, f64),
    area: Rect,
    style: &ChartStyle,
    budget: &mut usize,
) -> Option<Rect> {
    if width > area.width() || height > area.height() {
        return None;
    }
    let center = area.center();
    let stretch = (area.width() / area.height()).clamp(0.4, 3.0);
    let step = style.small_size * 0.45;
    let reach = area.width().hypot(area.height()) / 2.0;
    let (mut angle, mut away) = (0.0f64, 0.0f64);
    let mut last = 0;
    while away < reach {
        let x = center.x + away * angle.cos() * stretch.sqrt();
        let y = center.y + away * angle.sin() / stretch.sqrt();
        let bounds = Rect::from_center_size(Point::new(x, y), (width, height));
        if area.contains_rect(bounds) {
            // The rectangle that blocked the previous position is checked first, because it usually
            // blocks this one, too.
            let blocked = taken.get(last).is_some_and(|it| touch(*it, bounds));
            let found =
                if blocked { Some(last) } else { taken.iter().position(|it| touch(*it, bounds)) };
            *budget =
                budget.saturating_sub(if blocked { 1 } else { found.unwrap_or(taken.len()) + 1 });
            match found {
                None => return Some(bounds),
                Some(at) => last = at,
            }
        }
        if *budget == 0 {
            return None;
        }
        // Points on the spiral have equal distances.
        angle += step / away.max(step);
        away = angle * step / std::f64::consts::TAU;
    }
    None
}

/// Returns whether two rectangles overlap.
fn touch(one: Rect, two: Rect) -> bool {
    one.x0 < two.x1 && two.x0 < one.x1 && one.y0 < two.y1 && two.y0 < one.y1
}

/// Sets the text description of the scene: number of words, and the three largest ones.
fn describe(words: &[Word], scene: &mut Scene) {
    let named = |it: &Word| format!("{} ({})", it.label, it.words);
    let top: Vec<String> = words.iter().take(3).map(named).collect();
    let (count, noun) = (words.len(), if words.len() == 1 { "word" } else { "words" });
    scene.description = format!("Word cloud of {count} {noun}. Heaviest: {}.", top.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_free_and_inside() {
        let area = Rect::new(0.0, 0.0, 200.0, 100.0);
        let style = chart_style();
        let mut taken: Vec<Rect> = Vec::new();
        while let Some(found) = find(&taken, (40.0, 12.0), area, &style, &mut 100_000) {
            assert!(area.contains_rect(found) && !taken.iter().any(|it| touch(*it, found)));
            taken.push(found);
        }
        assert!(taken.len() > 15, "{}", taken.len());
        assert!(find(&[], (300.0, 12.0), area, &style, &mut 1000).is_none());
    }

    fn chart_style() -> ChartStyle {
        ChartStyle::new(&Chart {
            kind: &KIND,
            title: "",
            settings: &serde_json::Value::Null,
            data: &[],
            theme: &crate::Theme::default(),
            style: &crate::Style::default(),
            width: 720.0,
            height: 405.0,
            default_locale: crate::Locale::default(),
            interactive: false,
            id_prefix: "",
        })
    }
}
