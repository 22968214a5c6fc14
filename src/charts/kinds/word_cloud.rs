//! Words whose size is their weight, packed from the middle outwards.
//!
//! Record: `label`, `value` (over 0), `highlighted`, `color`. Settings: `mostWords`, `colors`
//! (`value`, `varied`).
//!
//! Words are never turned: what cannot be read level need not be printed.

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::Frame;
use crate::frame::ChartStyle;
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, Text};
use crate::text;
use crate::text::Face;

/// The word cloud.
pub const KIND: Kind = Kind { slug: "word-cloud", draw };

/// A picture holds no more words.
const MOST_WORDS: usize = 200;
/// Comparisons of two boxes that one picture may cost.
const BUDGET: usize = 1_500_000;
/// The next size tried for the largest word, as a share of the one before.
const SHRINK: f64 = 0.88;

struct Word {
    row: usize,
    label: String,
    value: f64,
    words: String,
    highlighted: bool,
    color: Option<Color>,
}

/// A word in its place: the middle of its box, and its font size.
struct Placed {
    bounds: Rect,
    size: f64,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut words = read(chart, scene);
    let Some(largest) = words.first().map(|it| it.value) else {
        return frame::draw_no_data(frame, scene);
    };
    describe(&words, scene);
    let most = chart.setting("mostWords").as_u64().filter(|it| *it > 0);
    let most = most.map_or(MOST_WORDS, |it| it.min(MOST_WORDS as u64) as usize);
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
            // Something to point at between the letters.
            scene.rect(bounds, style.background.with_opacity(0.0));
        }
        let face = face(*size, style);
        let baseline = bounds.y0 + ASCENT_EM * size;
        let set = style.label_text(bounds.center().x, baseline, Anchor::Middle, *size, &word.label);
        scene.text(Text { face, color, width: text::width(&word.label, *size, face), ..set });
    }
    scene.end_mark();
}

/// The middle of all words together, which need not be that of the heaviest.
fn middle_of(placed: &[Option<Placed>]) -> Option<Point> {
    let all = placed.iter().flatten().map(|it| it.bounds);
    all.reduce(|one, two| one.union(two)).map(|it| it.center())
}

/// The records with a word and a value over 0, the heaviest first.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Word> {
    let values = chart.data.iter().filter_map(|it| data::number(data::field(it, "value")));
    let (values, others): (Vec<f64>, Vec<f64>) = values.partition(|it| *it > 0.0);
    if others.iter().any(|it| *it < 0.0) {
        scene.warn("Words with a value below zero have no weight and are left out.");
    }
    let format =
        NumberFormat::for_values(values.iter().copied(), &chart.format_rules("value"), chart.locale());
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

/// Large words are bold.
fn face(size: f64, style: &ChartStyle) -> Face {
    Face::new(style.bold || size > style.label_size * 1.3, false)
}

/// The colour of a word: stronger with its value, or one of the theme's in turn.
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
        // The eye goes to the few heavy words.
        (false, _) => style.muted_color.mix(chart.series_color(0), 0.15 + 0.85 * (word.value / largest).sqrt()),
    };
    word.color.unwrap_or(usual).over(paper).readable_on(paper, 4.5)
}

/// Packs the words at the largest size at which all of them fit, else as many as do at the smallest.
fn pack(words: &[Word], largest: f64, area: Rect, style: &ChartStyle) -> Vec<Option<Placed>> {
    let mut top = (area.height() * 0.34).min(style.title_size * 4.0);
    let mut budget = BUDGET;
    loop {
        let size = |it: &Word| {
            // The area of a word grows with its value; small ones stay readable.
            let share = (it.value / largest).sqrt();
            (style.small_size + (top - style.small_size) * share).max(style.small_size)
        };
        let last = top <= style.small_size || budget == 0;
        // The last try has a budget of its own.
        let mut reserve = BUDGET;
        let budget = if last { &mut reserve } else { &mut budget };
        if let Some(placed) = try_pack(words, size, (area, last), style, budget) {
            return placed;
        }
        top = (top * SHRINK).max(style.small_size);
    }
}

/// Packs the words at these sizes; unless it is the last try, all of them or none.
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
            // A little air, more beside a word than over it.
            taken.push(bounds.inflate(size * 0.08 + 1.0, 0.5));
            Placed { bounds, size }
        }));
    }
    Some(placed)
}

/// The first free place for a box on a spiral from the middle, which is as wide as the area.
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
            // The box that was in the way just now mostly still is.
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
        // Points on the spiral are evenly apart.
        angle += step / away.max(step);
        away = angle * step / std::f64::consts::TAU;
    }
    None
}

fn touch(one: Rect, two: Rect) -> bool {
    one.x0 < two.x1 && two.x0 < one.x1 && one.y0 < two.y1 && two.y0 < one.y1
}

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
