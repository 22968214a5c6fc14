//! Word cloud: words with a size that grows with their value, packed from the center outwards.
//!
//! Record: `label`, `value` (greater than 0), `highlighted`, `color`. Settings: `mostWords`,
//! `colors` (`value`, `varied`), `valueTitle`.
//!
//! The area of a letter is proportional to the value, so that its height grows with the square root. Words
//! below the smallest readable size get that size, and a note counts them. Words are always horizontal,
//! because rotated words are hard to read.

use kurbo::{Point, Rect, Size, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission};
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
/// Maximum number of comparisons of two rectangles in all attempts to pack the words. The last
/// attempt has this budget again.
const MAX_COMPARISONS: usize = 1_500_000;
/// Factor from the font size of the largest word to that in the next attempt.
const SHRINK_FACTOR: f64 = 0.88;

/// A word with its value and its color.
struct Word {
    /// Index of the record in the data.
    row: usize,
    label: String,
    /// Value, greater than 0.
    value: f64,
    /// Formatted value.
    value_text: String,
    highlighted: bool,
    /// Color of the record. None for the default color.
    custom_color: Option<Color>,
}

/// Position of a word.
struct PlacedWord {
    /// Bounding box of the text in points.
    bounds: Rect,
    /// Font size in points.
    font_size: f64,
}

/// Packs the words with the largest values, at most as many as the setting `mostWords`, moves them
/// together to the center of the frame's area and draws them. The scene counts the other words. Draws a
/// note instead if there are no words.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut words = read_words(chart, scene);
    let Some(max_value) = words.first().map(|word| word.value) else {
        return frame::draw_no_data(frame, scene);
    };
    describe(&words, scene);
    let max_words = chart.setting("mostWords").as_u64().filter(|limit| *limit > 0);
    let max_words = max_words.map_or(MAX_WORDS, |limit| limit.min(MAX_WORDS as u64) as usize);
    let excess_count = words.len().saturating_sub(max_words);
    words.truncate(max_words);
    let style = &frame.style;
    let placed = pack_words(&words, max_value, frame.area, style);
    let offset =
        find_common_center(&placed).map_or(Vec2::ZERO, |center| frame.area.center() - center);
    let omitted_count = placed.iter().filter(|word| word.is_none()).count() + excess_count;
    scene.omit(Omission::NoSpace, omitted_count);
    scene.omit(Omission::EnlargedWords, count_enlarged(&words, &placed));
    let any_highlighted = words.iter().any(|word| word.highlighted);
    for (index, (word, placed)) in words.iter().zip(&placed).enumerate() {
        let Some(PlacedWord { bounds, font_size }) = placed else { continue };
        let bounds = *bounds + offset;
        let color = choose_word_color(chart, style, word, index, max_value, any_highlighted);
        scene.begin_mark("word", Some(word.row), || {
            (Some("value".to_owned()), format!("{}: {}", word.label, word.value_text))
        });
        if scene.interactive {
            // An invisible rectangle makes the space between the letters respond to the pointer.
            scene.rect(bounds, style.background.with_opacity(0.0));
        }
        let face = choose_word_face(*font_size, style);
        let (x, y) = (bounds.center().x, bounds.y0 + ASCENT_EM * font_size);
        let label_text = style.label_text(x, y, Anchor::Middle, *font_size, &word.label);
        let width = text::width(&word.label, *font_size, face);
        scene.text(Text { face, color, width, ..label_text });
    }
    scene.end_mark();
}

/// Returns the number of words that are drawn clearly larger than the first word demands.
fn count_enlarged(words: &[Word], placed: &[Option<PlacedWord>]) -> usize {
    let pairs = || words.iter().zip(placed);
    let Some((largest, size)) =
        pairs().find_map(|(word, placed)| Some((word.value, placed.as_ref()?.font_size)))
    else {
        return 0;
    };
    let is_enlarged = |(word, placed): &(&Word, &Option<PlacedWord>)| {
        let exact = exact_font_size(word, largest, size);
        placed.as_ref().is_some_and(|placed| placed.font_size > exact * 1.1)
    };
    pairs().filter(is_enlarged).count()
}

/// Returns the center of the common bounding box of all placed words. It may differ from the center
/// of the largest word. None if no word is placed.
fn find_common_center(placed: &[Option<PlacedWord>]) -> Option<Point> {
    let bounds = placed.iter().flatten().map(|word| word.bounds);
    bounds.reduce(|a, b| a.union(b)).map(|bounds| bounds.center())
}

/// Reads the records with a label and a value greater than 0, in descending order of value. The
/// scene counts the values that are missing, zero, negative or without a label.
fn read_words(chart: &Chart, scene: &mut Scene) -> Vec<Word> {
    let values = chart.data.iter().filter_map(|record| data::number(data::field(record, "value")));
    let positive: Vec<f64> = values.filter(|value| *value > 0.0).collect();
    chart.omit_negative("value", scene);
    chart.omit_zeros("value", scene);
    chart.omit_missing("value", scene);
    let format = NumberFormat::for_values(
        positive.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let read_word = |(row, record): (usize, &serde_json::Value)| {
        let value = data::number(data::field(record, "value")).filter(|value| *value > 0.0)?;
        let label = data::record_label(record).into_owned();
        let value_text = format.text(value);
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let custom_color = data::field(record, "color").as_str().and_then(Color::parse);
        Some(Word { row, label, value, value_text, highlighted, custom_color })
    };
    let mut words: Vec<Word> = chart.data.iter().enumerate().filter_map(read_word).collect();
    let count = words.len();
    words.retain(|word| !word.label.is_empty());
    scene.omit(Omission::Incomplete, count - words.len());
    words.sort_by(|a, b| b.value.total_cmp(&a.value));
    words
}

/// Returns the font face of a word: bold if it is clearly larger than a label, or if the style is bold.
/// `font_size` is in points.
fn choose_word_face(font_size: f64, style: &ChartStyle) -> Face {
    Face::new(style.bold || font_size > style.label_size * 1.3, false)
}

/// Returns the color of a word: its own color, otherwise a color that is stronger for greater
/// values, or with the setting `colors` = `varied` the series color of `index`. If any word is
/// highlighted, the color of words without an own color shows that instead.
///
/// The color is changed where necessary until its contrast with the background is at least 4.5:1.
/// `index` is the rank of the word by value.
fn choose_word_color(
    chart: &Chart,
    style: &ChartStyle,
    word: &Word,
    index: usize,
    max_value: f64,
    any_highlighted: bool,
) -> Color {
    let background = style.background;
    let default_color = match (any_highlighted, word.highlighted) {
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.muted_color,
        (false, _) if chart.str_setting("colors") == "varied" => chart.series_color(index),
        // Words with great values stand out, because the others are muted.
        (false, _) => style
            .muted_color
            .mix(chart.series_color(0), 0.15 + 0.85 * (word.value / max_value).sqrt()),
    };
    word.custom_color.unwrap_or(default_color).over(background).readable_on(background, 4.5)
}

/// Returns the font size in points that shows the value of a word. It is proportional to the square root of
/// the value, so that the area of a letter is proportional to the value.
fn exact_font_size(word: &Word, max_value: f64, max_font_size: f64) -> f64 {
    max_font_size * (word.value / max_value).sqrt()
}

/// Packs the words at the largest of several decreasing sizes at which all of them fit. Words that
/// [`exact_font_size`] makes smaller than the small font size have that size.
///
/// The last attempt, at the smallest size or after the budget of comparisons is used up, omits
/// words that do not fit. The result has one entry per word, None for each omitted one.
fn pack_words(
    words: &[Word],
    max_value: f64,
    area: Rect,
    style: &ChartStyle,
) -> Vec<Option<PlacedWord>> {
    let mut max_font_size = (area.height() * 0.34).min(style.title_size * 4.0);
    let mut shared_budget = MAX_COMPARISONS;
    loop {
        let font_size = |word: &Word| {
            // The font size has a minimum, so that small words stay readable.
            exact_font_size(word, max_value, max_font_size).max(style.small_size)
        };
        let is_last = max_font_size <= style.small_size || shared_budget == 0;
        let mut last_budget = MAX_COMPARISONS;
        let budget = if is_last { &mut last_budget } else { &mut shared_budget };
        if let Some(placed) = try_pack(words, font_size, area, is_last, style, budget) {
            return placed;
        }
        max_font_size = (max_font_size * SHRINK_FACTOR).max(style.small_size);
    }
}

/// Packs the words in their order at the sizes that `font_size` returns, rounded to quarters of a point.
/// Returns None if a word does not fit, unless `is_last`. The last attempt has None for such words.
///
/// Subtracts the number of comparisons from `budget`, which makes all further words fail at 0.
fn try_pack(
    words: &[Word],
    font_size: impl Fn(&Word) -> f64,
    area: Rect,
    is_last: bool,
    style: &ChartStyle,
    budget: &mut usize,
) -> Option<Vec<Option<PlacedWord>>> {
    let mut occupied: Vec<Rect> = Vec::with_capacity(words.len());
    let mut placed = Vec::with_capacity(words.len());
    for word in words {
        let font_size = (font_size(word) * 4.0).round() / 4.0;
        let width = text::width(&word.label, font_size, choose_word_face(font_size, style));
        let size = Size::new(width, (ASCENT_EM + DESCENT_EM) * font_size);
        let found = find_free_rect(&occupied, size, area, style, budget);
        if found.is_none() && !is_last {
            return None;
        }
        placed.push(found.map(|bounds| {
            // Words have a margin, wider at the sides than above and below.
            occupied.push(bounds.inflate(font_size * 0.08 + 1.0, 0.5));
            PlacedWord { bounds, font_size }
        }));
    }
    Some(placed)
}

/// Returns the first free position of a rectangle of this size on a spiral from the center of
/// `area`. The spiral is stretched to the proportions of the area.
///
/// Subtracts the number of comparisons with `occupied` from `budget`. Returns None if there is no
/// free position or the budget is used up.
fn find_free_rect(
    occupied: &[Rect],
    size: Size,
    area: Rect,
    style: &ChartStyle,
    budget: &mut usize,
) -> Option<Rect> {
    if size.width > area.width() || size.height > area.height() {
        return None;
    }
    let center = area.center();
    let stretch = (area.width() / area.height()).clamp(0.4, 3.0);
    let step = style.small_size * 0.45;
    let max_distance = area.width().hypot(area.height()) / 2.0;
    let (mut angle, mut distance) = (0.0f64, 0.0f64);
    let mut last_blocker = 0;
    while distance < max_distance {
        let x = center.x + distance * angle.cos() * stretch.sqrt();
        let y = center.y + distance * angle.sin() / stretch.sqrt();
        let bounds = Rect::from_center_size(Point::new(x, y), size);
        if area.contains_rect(bounds) {
            // The rectangle that blocked the previous position is checked first, because it usually
            // blocks this one, too.
            let is_blocked_again =
                occupied.get(last_blocker).is_some_and(|rect| overlap(*rect, bounds));
            let blocker = if is_blocked_again {
                Some(last_blocker)
            } else {
                occupied.iter().position(|rect| overlap(*rect, bounds))
            };
            let comparisons =
                if is_blocked_again { 1 } else { blocker.unwrap_or(occupied.len()) + 1 };
            *budget = budget.saturating_sub(comparisons);
            match blocker {
                None => return Some(bounds),
                Some(index) => last_blocker = index,
            }
        }
        if *budget == 0 {
            return None;
        }
        // Points on the spiral have equal distances.
        angle += step / distance.max(step);
        distance = angle * step / std::f64::consts::TAU;
    }
    None
}

/// Returns whether two rectangles have a common area. Rectangles that only touch do not overlap.
fn overlap(a: Rect, b: Rect) -> bool {
    a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1
}

/// Sets the text description of the scene, in English: the number of words, and the first three with
/// their values. `words` must be in descending order of value.
fn describe(words: &[Word], scene: &mut Scene) {
    let word_text = |word: &Word| format!("{} ({})", word.label, word.value_text);
    let largest: Vec<String> = words.iter().take(3).map(word_text).collect();
    let (count, noun) = (words.len(), if words.len() == 1 { "word" } else { "words" });
    scene.description = format!("Word cloud of {count} {noun}. Heaviest: {}.", largest.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_rectangles_are_free_and_inside_the_area() {
        let area = Rect::new(0.0, 0.0, 200.0, 100.0);
        let style = chart_style();
        let mut occupied: Vec<Rect> = Vec::new();
        let size = Size::new(40.0, 12.0);
        while let Some(found) = find_free_rect(&occupied, size, area, &style, &mut 100_000) {
            assert!(
                area.contains_rect(found) && !occupied.iter().any(|rect| overlap(*rect, found))
            );
            occupied.push(found);
        }
        assert!(occupied.len() > 15, "{}", occupied.len());
        let too_wide = Size::new(300.0, 12.0);
        assert!(find_free_rect(&[], too_wide, area, &style, &mut 1000).is_none());
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

    #[test]
    fn values_without_a_word_are_counted() {
        let data = [
            serde_json::json!({"label": "Kiel", "value": 3}),
            serde_json::json!({"label": " ", "value": 2}),
            serde_json::json!({"value": 1}),
            serde_json::json!({"label": "", "value": null}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert_eq!(scene.omissions, [(Omission::Incomplete, 2)]);
    }

    #[test]
    fn the_area_of_letters_is_proportional_to_the_value() {
        let sizes = |data: &[serde_json::Value]| {
            let scene = crate::draw(&Chart::new(&KIND, data));
            let sizes = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
                crate::scene::Primitive::Text(text) if text.text.starts_with('X') => {
                    Some((text.text.clone(), text.size))
                }
                _ => None,
            });
            (sizes.collect::<std::collections::HashMap<_, _>>(), scene.omissions)
        };
        let word = |name: &str, value: u32| serde_json::json!({"label": name, "value": value});
        let (found, omissions) = sizes(&[word("X400", 400), word("X100", 100), word("X25", 25)]);
        assert!((found["X400"] / found["X100"] - 2.0).abs() < 0.02, "{found:?}");
        assert!((found["X400"] / found["X25"] - 4.0).abs() < 0.05, "{found:?}");
        assert_eq!(omissions, []);
        let (found, omissions) = sizes(&[word("X9999", 9999), word("X1", 1), word("X2", 2)]);
        assert_eq!(found.len(), 3);
        assert_eq!(omissions, [(Omission::EnlargedWords, 2)]);
    }
}
