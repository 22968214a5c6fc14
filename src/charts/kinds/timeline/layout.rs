//! Positions of the event texts, so that no text overlaps another text or a stem.

use kurbo::{Rect, Size, Vec2};

use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::timeline::band::CalendarBand;
use crate::kinds::timeline::events::Event;
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
pub const LINE_HEIGHT: f64 = 1.22;
/// Maximum number of events for which texts with descriptions are tried. Bounds the time.
const MAX_EVENTS_WITH_DESCRIPTIONS: usize = 30;
/// Maximum number of events for which labels of two lines are tried. With more events, the
/// highlighted ones are placed first. Bounds the time.
const MAX_EVENTS_WITH_LONG_LABELS: usize = 60;
/// Maximum number of events for which a position is searched. The others get no text.
const MAX_TEXTS: usize = 150;

/// Part of an event's text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextPart {
    /// Date.
    Date,
    /// Label.
    Label,
    /// Description.
    Description,
}

/// A measured line of text.
pub struct TextLine {
    /// Part of the text that the line belongs to.
    pub part: TextPart,
    /// Characters of the line.
    pub text: String,
    /// Font size in points.
    pub size: f64,
    /// Font face.
    pub face: Face,
    /// Width in points.
    pub width: f64,
}

/// Text of an event with its position.
pub struct PlacedText {
    /// Position of the text.
    pub position: TextPosition,
    /// Lines of the text, the date first.
    pub lines: Vec<TextLine>,
}

/// Position of an event's text.
pub struct TextPosition {
    /// Bounds of the text in points.
    pub rect: Rect,
    /// Whether the text is above the band.
    pub is_above: bool,
    /// Whether the text is right of its stem.
    pub is_right: bool,
    /// Bounds of the stem in points, from the band to the far end of the text. Describes the state
    /// before the texts are moved away from the band.
    stem: Rect,
    /// Distance between band and text in points, before the texts are moved away from the band.
    band_distance: f64,
}

/// Maximum size of an event's text.
#[derive(Clone, Copy)]
struct DetailLevel {
    /// Maximum width of label and description, multiplied by the style's `unit`. A longer word of
    /// the label extends it.
    max_width: f64,
    /// Maximum number of lines of the label.
    label_lines: usize,
    /// Maximum number of lines of the description. 0 omits it.
    description_lines: usize,
    /// Font size of the label.
    size: LabelSize,
}

/// Font size of the labels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelSize {
    /// The size of labels.
    Usual,
    /// The size of labels with little space.
    Small,
    /// The smallest readable size.
    Minimal,
}

impl DetailLevel {
    /// Creates a level with labels of up to four lines in the usual size, and descriptions.
    /// `max_width` is multiplied by the style's `unit` later.
    const fn full(max_width: f64, description_lines: usize) -> DetailLevel {
        DetailLevel { max_width, label_lines: 4, description_lines, size: LabelSize::Usual }
    }

    /// Creates a level without descriptions. `max_width` is multiplied by the style's `unit` later.
    const fn short(max_width: f64, label_lines: usize, size: LabelSize) -> DetailLevel {
        DetailLevel { max_width, label_lines, description_lines: 0, size }
    }
}

/// Sizes of texts that are tried, from full texts to short ones.
const DETAIL_LEVELS: [DetailLevel; 16] = [
    DetailLevel::full(190.0, 5),
    DetailLevel::full(160.0, 5),
    DetailLevel::full(135.0, 5),
    DetailLevel::full(110.0, 4),
    DetailLevel::short(150.0, 3, LabelSize::Usual),
    DetailLevel::short(105.0, 4, LabelSize::Usual),
    DetailLevel::short(75.0, 4, LabelSize::Usual),
    DetailLevel::short(250.0, 2, LabelSize::Usual),
    DetailLevel::short(150.0, 3, LabelSize::Small),
    DetailLevel::short(90.0, 4, LabelSize::Small),
    DetailLevel::short(60.0, 5, LabelSize::Small),
    DetailLevel::short(220.0, 2, LabelSize::Minimal),
    DetailLevel::short(90.0, 4, LabelSize::Minimal),
    DetailLevel::short(50.0, 6, LabelSize::Minimal),
    DetailLevel::short(90.0, 1, LabelSize::Usual),
    DetailLevel::short(60.0, 1, LabelSize::Usual),
];

/// Factors of the maximum width for a text that has no position at the usual width.
const WIDTH_FACTORS: [f64; 3] = [0.6, 1.6, 0.4];

/// Strategy of the search for positions.
#[derive(Clone, Copy)]
struct SearchStrategy {
    /// Whether events are placed from the last to the first. Then the stems of earlier events pass
    /// left of later texts.
    is_backward: bool,
    /// Additional distance from the band that is accepted for a text right of its stem, multiplied
    /// by the style's `unit`.
    max_extra_distance: f64,
}

/// Search strategies in the order in which they are tried, because each succeeds where others fail.
/// The first one that places all texts is used.
const STRATEGIES: [SearchStrategy; 3] = [
    SearchStrategy { is_backward: true, max_extra_distance: 40.0 },
    SearchStrategy { is_backward: true, max_extra_distance: 250.0 },
    SearchStrategy { is_backward: false, max_extra_distance: 40.0 },
];

/// Space and style of the texts.
#[derive(Clone, Copy)]
struct LayoutContext<'a> {
    band: &'a CalendarBand,
    /// Area that contains band and texts, in points.
    area: Rect,
    style: &'a ChartStyle,
}

/// Size of a text, and the stem that it belongs to.
struct TextRequest {
    /// Width and height of the text in points.
    size: Size,
    /// X coordinate of the stem in points.
    stem_x: f64,
    /// Whether the position above the band is tried before the one below.
    prefers_above: bool,
}

/// Returns the text of each event with its position, or None if no position was found.
///
/// Uses the fullest of the tried texts with which all events have a position and a whole label. If
/// there are none, uses the texts with the most whole labels, then with the most positions, with
/// highlighted events counted three times. Then moves the texts of each side away from the band by
/// half of the free space, up to a maximum.
///
/// To bound the time, it tries no descriptions for more than `MAX_EVENTS_WITH_DESCRIPTIONS` events, only
/// labels of one line for more than `MAX_EVENTS_WITH_LONG_LABELS`, and searches positions for at most
/// `MAX_TEXTS` events.
pub fn layout_texts(
    events: &[Event],
    band: &CalendarBand,
    area: Rect,
    style: &ChartStyle,
    with_descriptions: bool,
) -> Vec<Option<PlacedText>> {
    let context = LayoutContext { band, area, style };
    let has_descriptions =
        with_descriptions && events.iter().any(|event| !event.description.is_empty());
    let mut best: Vec<Option<PlacedText>> = Vec::new();
    let mut best_score = 0usize;
    'levels: for level in DETAIL_LEVELS {
        let is_skipped = level.description_lines > 0
            && (!has_descriptions || events.len() > MAX_EVENTS_WITH_DESCRIPTIONS);
        if is_skipped || events.len() > MAX_EVENTS_WITH_LONG_LABELS && level.label_lines > 1 {
            continue;
        }
        for strategy in STRATEGIES {
            let texts = place_texts(events, level, strategy, context);
            let score = score_texts(events, &texts);
            let is_whole = |text: &Option<PlacedText>| text.as_ref().is_some_and(has_whole_label);
            let are_all_whole = texts.iter().all(is_whole);
            if best.is_empty() || score > best_score {
                (best, best_score) = (texts, score);
            }
            if are_all_whole {
                break 'levels;
            }
        }
    }
    spread_texts(&mut best, context);
    best
}

/// Returns whether the text of an event is placed without ellipsis and, if `with_descriptions`, with its
/// description, unless that is empty. False if `text` is None.
pub fn is_complete(text: Option<&PlacedText>, event: &Event, with_descriptions: bool) -> bool {
    let Some(text) = text else { return false };
    let needs_description = with_descriptions && !event.description.is_empty();
    let has_description = text.lines.iter().any(|line| line.part == TextPart::Description);
    (has_description || !needs_description)
        && !text.lines.iter().any(|line| line.text.ends_with('…'))
}

/// Returns whether the label of a placed text is not shortened. Does not check the description.
pub fn has_whole_label(text: &PlacedText) -> bool {
    !text.lines.iter().any(|line| line.part == TextPart::Label && line.text.ends_with('…'))
}

/// Returns the score of a layout, the higher the better: three points for each placed text with a whole
/// label, one with a shortened label, and three times as many for highlighted events.
fn score_texts(events: &[Event], texts: &[Option<PlacedText>]) -> usize {
    let score = |(event, text): (&Event, &Option<PlacedText>)| {
        let points = text.as_ref().map_or(0, |text| if has_whole_label(text) { 3 } else { 1 });
        points * if event.highlighted { 3 } else { 1 }
    };
    events.iter().zip(texts).map(score).sum()
}

/// Moves the texts of each side away from the band by half of the free space outside of them, up to
/// a maximum. All texts of a side move by the same distance.
fn spread_texts(texts: &mut [Option<PlacedText>], context: LayoutContext) {
    let LayoutContext { band, area, style } = context;
    for is_above in [true, false] {
        let rects = texts
            .iter()
            .flatten()
            .filter(|text| text.position.is_above == is_above)
            .map(|text| text.position.rect);
        let slack = rects
            .map(|rect| if is_above { rect.y0 - area.y0 } else { area.y1 - rect.y1 })
            .fold(f64::INFINITY, f64::min);
        let max_distance = if band.has_texts_above_only { 12.0 } else { 64.0 } * style.unit;
        let distance = (slack * 0.5).min(max_distance);
        if distance > 0.0 && slack.is_finite() {
            let offset = if is_above { -distance } else { distance };
            for text in texts.iter_mut().flatten() {
                if text.position.is_above == is_above {
                    text.position.rect = text.position.rect + Vec2::new(0.0, offset);
                }
            }
        }
    }
}

/// Places the texts of at most `MAX_TEXTS` events one after the other, in the direction of the
/// strategy. Events with an even index prefer the side above the band, the others the side below.
/// The result has one entry per event, None for an event without a position.
///
/// A text without a position is tried with other widths, but not with more than
/// `MAX_EVENTS_WITH_LONG_LABELS` events, of which the highlighted ones are placed first.
fn place_texts(
    events: &[Event],
    level: DetailLevel,
    strategy: SearchStrategy,
    context: LayoutContext,
) -> Vec<Option<PlacedText>> {
    let mut texts: Vec<Option<PlacedText>> = events.iter().map(|_| None).collect();
    let mut order: Vec<usize> = (0..events.len()).collect();
    if strategy.is_backward {
        order.reverse();
    }
    if events.len() > MAX_EVENTS_WITH_LONG_LABELS {
        order.sort_by_key(|index| !events.get(*index).is_some_and(|event| event.highlighted));
    }
    for index in order.into_iter().take(MAX_TEXTS) {
        let Some(event) = events.get(index) else { continue };
        let find = |factor: f64| {
            let level = DetailLevel { max_width: level.max_width * factor, ..level };
            let lines = wrap_text(event, level, context);
            let width = lines.iter().map(|line| line.width).fold(0.0, f64::max);
            let height = lines.iter().map(|line| line.size * LINE_HEIGHT).sum::<f64>();
            let request = TextRequest {
                size: Size::new(width, height),
                stem_x: context.band.axis.x.at(event.timestamp),
                prefers_above: index % 2 == 0,
            };
            let position = find_position(&request, strategy, context, &texts)?;
            Some(PlacedText { position, lines })
        };
        let is_whole = |text: &PlacedText| has_whole_label(text) && !event.label.is_empty();
        // Further widths are not tried for many events, because the search is slow.
        let factors =
            if events.len() > MAX_EVENTS_WITH_LONG_LABELS { &[][..] } else { &WIDTH_FACTORS };
        let text = find(1.0).or_else(|| factors.iter().copied().filter_map(find).find(is_whole));
        if let (Some(text), Some(slot)) = (text, texts.get_mut(index)) {
            *slot = Some(text);
        }
    }
    texts
}

/// Wraps and measures the text of an event: the lines of date, label and description, as the level allows,
/// shortened if they need more lines. The date has one line of any width.
fn wrap_text(event: &Event, level: DetailLevel, context: LayoutContext) -> Vec<TextLine> {
    let style = context.style;
    let widest = context.area.width() * 0.46;
    let max_text_width = (level.max_width * style.unit).min(widest);
    let label_size = match level.size {
        LabelSize::Usual => style.label_size,
        LabelSize::Small => style.small_size,
        LabelSize::Minimal => MIN_TEXT_SIZE.min(style.small_size),
    };
    let date_size = style.small_size.min(label_size);
    let mut lines = Vec::new();
    let mut add_lines = |part, source: &str, max_lines, size, face| {
        let max_width = match part {
            TextPart::Date => f64::INFINITY,
            TextPart::Label if max_lines > 1 => {
                let words = source.split_whitespace().map(|word| text::width(word, size, face));
                words.fold(max_text_width, f64::max).min(widest.max(max_text_width))
            }
            _ => max_text_width,
        };
        for text in text::wrap_balanced(source, max_width, max_lines, size, face) {
            let width = text::width(&text, size, face);
            lines.push(TextLine { part, text, size, face, width });
        }
    };
    add_lines(TextPart::Date, &event.date, 1, date_size, style.label_face());
    add_lines(TextPart::Label, &event.label, level.label_lines, label_size, Face::BOLD);
    if level.description_lines > 0 {
        add_lines(
            TextPart::Description,
            &event.description,
            level.description_lines,
            style.small_size,
            style.label_face(),
        );
    }
    lines
}

/// Returns the free position nearest to the band, on the preferred side or else on the other one if
/// the band allows texts there. The text is right of the stem, unless that position does not exist
/// or is much farther from the band than the one on the left. None if no position is free.
fn find_position(
    request: &TextRequest,
    strategy: SearchStrategy,
    context: LayoutContext,
    placed: &[Option<PlacedText>],
) -> Option<TextPosition> {
    let max_extra_distance = strategy.max_extra_distance * context.style.unit;
    let sides: &[bool] = if context.band.has_texts_above_only {
        &[true]
    } else {
        &[request.prefers_above, !request.prefers_above]
    };
    sides.iter().find_map(|is_above| {
        let find = |is_right| find_nearest_position(request, *is_above, is_right, context, placed);
        match (find(true), find(false)) {
            (Some(right), Some(left))
                if right.band_distance > left.band_distance + max_extra_distance =>
            {
                Some(left)
            }
            (Some(right), _) => Some(right),
            (None, left) => left,
        }
    })
}

/// Returns the free position nearest to the band, above or below it (`is_above`), and right or left of
/// the stem (`is_right`). Moves the text away from the band in small steps until it is free.
///
/// Returns None if no position within the area is free.
fn find_nearest_position(
    request: &TextRequest,
    is_above: bool,
    is_right: bool,
    context: LayoutContext,
    placed: &[Option<PlacedText>],
) -> Option<TextPosition> {
    let LayoutContext { band, area, style } = context;
    let (Size { width, height }, x) = (request.size, request.stem_x);
    let (gap, step) = (5.0 * style.unit, style.small_size * 0.6);
    let x0 = if is_right { x + gap } else { x - gap - width };
    if x0 < area.x0 || x0 + width > area.x1 {
        return None;
    }
    let mut band_distance = 9.0 * style.unit;
    loop {
        let y0 =
            if is_above { band.top - band_distance - height } else { band.bottom + band_distance };
        let rect = Rect::new(x0, y0, x0 + width, y0 + height);
        if rect.y0 < area.y0 || rect.y1 > area.y1 {
            return None;
        }
        let (stem_top, stem_bottom) =
            if is_above { (rect.y0, band.top) } else { (band.bottom, rect.y1) };
        let stem = Rect::new(x - 0.5, stem_top, x + 0.5, stem_bottom);
        let position = TextPosition { rect, is_above, is_right, stem, band_distance };
        if is_free(&position, style, placed) {
            return Some(position);
        }
        band_distance += step;
    }
}

/// Returns whether a text keeps its distance from all placed texts and stems on the same side of
/// the band, and its stem from the placed texts. Stems may overlap each other.
fn is_free(position: &TextPosition, style: &ChartStyle, placed: &[Option<PlacedText>]) -> bool {
    let TextPosition { rect, stem, .. } = position;
    let text_clearance = rect.inflate(style.small_size * 0.55, style.small_size * 0.35);
    let stem_clearance = stem.inflate(2.5 * style.unit, 0.0);
    let clearance_to_stems = rect.inflate(2.5 * style.unit, 1.0);
    let others = placed.iter().flatten().map(|text| &text.position);
    others.filter(|other| other.is_above == position.is_above).all(|other| {
        !text_clearance.overlaps(other.rect)
            && !clearance_to_stems.overlaps(other.stem)
            && !stem_clearance.overlaps(other.rect)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn a_text_may_end_at_the_edge_of_the_area() {
        let chart = Chart::new(&crate::kinds::timeline::KIND, &[]);
        let style = &ChartStyle::new(&chart);
        let area = Rect::new(0.0, 0.0, 400.0, 300.0);
        let band = &CalendarBand::new(&chart, (0.0, 1e8), false, area, style);
        let size = Size::new(60.0, 40.0);
        let request = TextRequest { size, stem_x: 200.0, prefers_above: false };
        let is_found = |y1: f64| {
            let context = LayoutContext { band, area: Rect { y1, ..area }, style };
            find_nearest_position(&request, false, true, context, &[]).is_some()
        };
        let text_bottom = band.bottom + 9.0 * style.unit + size.height;
        assert!(is_found(text_bottom + 0.1));
        assert!(!is_found(text_bottom - 0.1));
    }
}
