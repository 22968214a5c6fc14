//! Positions of the event texts, so that no text overlaps another text or a stem.

use kurbo::{Rect, Vec2};

use crate::frame::ChartStyle;
use crate::kinds::timeline::{Band, Event};
use crate::scene::DESCENT_EM;
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
pub const LEADING: f64 = 1.22;
/// With more events than this, only short texts are tried. Bounds the time.
const MANY: usize = 60;
/// Maximum number of events with a text.
const MAX_NAMED: usize = 150;

/// Part of an event's text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Date.
    Date,
    /// Label.
    Name,
    /// Description.
    Description,
}

/// A measured line of text.
pub struct Line {
    /// Part of the text that the line belongs to.
    pub part: Part,
    /// Text.
    pub words: String,
    /// Font size in points.
    pub size: f64,
    /// Font face.
    pub face: Face,
    /// Width in points.
    pub width: f64,
}

/// Position of an event's text.
pub struct Spot {
    /// Bounds of the text.
    pub rect: Rect,
    /// Whether the text is above the band.
    pub above: bool,
    /// Whether the text is right of its stem.
    pub right: bool,
    /// Lines of the text.
    pub lines: Vec<Line>,
    /// Bounds of the stem, from the band to the far end of the text.
    stem: Rect,
}

/// Maximum size of an event's text.
#[derive(Clone, Copy)]
struct Detail {
    /// Maximum line width in points.
    width: f64,
    names: usize,
    descriptions: usize,
}

/// Line width in units, and maximum numbers of lines of name and description, from full texts to
/// short ones.
const LEVELS: [(f64, usize, usize); 9] = [
    (190.0, 2, 5),
    (160.0, 2, 5),
    (135.0, 2, 5),
    (110.0, 2, 4),
    (150.0, 2, 0),
    (105.0, 2, 0),
    (75.0, 2, 0),
    (90.0, 1, 0),
    (60.0, 1, 0),
];

/// Strategy of the search for positions.
#[derive(Clone, Copy)]
struct Way {
    /// Whether events are placed from the last to the first. Then the stems of earlier events pass
    /// left of later texts.
    backwards: bool,
    /// Additional distance from the band, in units, that is accepted for a text right of its stem.
    patience: f64,
}

/// Search strategies in the order in which they are tried, because each succeeds where others fail.
/// The first one that places all texts is used.
const WAYS: [Way; 3] = [
    Way { backwards: true, patience: 40.0 },
    Way { backwards: true, patience: 250.0 },
    Way { backwards: false, patience: 40.0 },
];

/// Returns the position of each event's text, or None if it does not fit.
///
/// Uses the fullest texts with which all events have a position. If there are none, uses the texts
/// that place the most events, with highlighted events counted three times.
pub fn arrange(
    events: &[Event],
    band: &Band,
    area: Rect,
    style: &ChartStyle,
    described: bool,
) -> Vec<Option<Spot>> {
    let told = described && events.iter().any(|it| !it.description.is_empty());
    let mut best: Vec<Option<Spot>> = Vec::new();
    let mut most = 0;
    'levels: for (width, names, descriptions) in LEVELS {
        let skipped = descriptions > 0 && (!told || events.len() > MANY / 2);
        if skipped || events.len() > MANY && names > 1 {
            continue;
        }
        let width = (width * style.unit).min(area.width() * 0.46);
        let detail = Detail { width, names, descriptions };
        for way in WAYS {
            let spots = place(events, band, area, style, (detail, way));
            let weight = weigh(events, &spots);
            let all = spots.iter().all(Option::is_some);
            if best.is_empty() || weight > most {
                (best, most) = (spots, weight);
            }
            if all {
                break 'levels;
            }
        }
    }
    spread(&mut best, band, area, style);
    best
}

/// Returns whether the text of an event is placed without omission or ellipsis.
pub fn is_whole((spot, event): (&Option<Spot>, &Event), described: bool) -> bool {
    let Some(spot) = spot else { return false };
    let told = !described || event.description.is_empty();
    let told = told || spot.lines.iter().any(|it| it.part == Part::Description);
    told && !spot.lines.iter().any(|it| it.words.ends_with('…'))
}

/// Returns the number of placed events, with highlighted events counted three times.
fn weigh(events: &[Event], spots: &[Option<Spot>]) -> usize {
    let placed = events.iter().zip(spots).filter(|it| it.1.is_some());
    placed.map(|it| if it.0.highlighted { 3 } else { 1 }).sum()
}

/// Moves the texts of each side away from the band if there is space.
fn spread(spots: &mut [Option<Spot>], band: &Band, area: Rect, style: &ChartStyle) {
    for above in [true, false] {
        let side = || spots.iter().flatten().filter(|it| it.above == above);
        let slack = if above {
            side().map(|it| it.rect.y0 - area.y0).fold(f64::INFINITY, f64::min)
        } else {
            side().map(|it| area.y1 - it.rect.y1).fold(f64::INFINITY, f64::min)
        };
        let most = if band.above { 12.0 } else { 64.0 } * style.unit;
        let away = (slack * 0.5).min(most);
        if away > 0.0 && slack.is_finite() {
            let away = if above { -away } else { away };
            for spot in spots.iter_mut().flatten().filter(|it| it.above == above) {
                spot.rect = spot.rect + Vec2::new(0.0, away);
            }
        }
    }
}

/// Places the texts one after the other.
fn place(
    events: &[Event],
    band: &Band,
    area: Rect,
    style: &ChartStyle,
    (detail, way): (Detail, Way),
) -> Vec<Option<Spot>> {
    let mut spots: Vec<Option<Spot>> = events.iter().map(|_| None).collect();
    let mut order: Vec<usize> = (0..events.len()).collect();
    if way.backwards {
        order.reverse();
    }
    order
        .sort_by_key(|it| !events.get(*it).is_some_and(|it| it.highlighted && events.len() > MANY));
    for index in order.into_iter().take(MAX_NAMED) {
        let Some(event) = events.get(index) else { continue };
        let lines = write(event, style, detail);
        let width = lines.iter().map(|it| it.width).fold(0.0, f64::max);
        let height = lines.iter().map(|it| it.size * LEADING).sum::<f64>();
        let x = band.axis.x.at(event.at);
        let found = search((width, height), (index % 2 == 0, way), x, band, area, style, &spots);
        if let (Some((rect, stem, above, right)), Some(slot)) = (found, spots.get_mut(index)) {
            *slot = Some(Spot { rect, above, right, lines, stem });
        }
    }
    spots
}

/// Wraps and measures the text of an event.
fn write(event: &Event, style: &ChartStyle, detail: Detail) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |part, source: &str, most, size, face| {
        let room = if part == Part::Date { f64::INFINITY } else { detail.width };
        for words in text::wrap_balanced(source, room, most, size, face) {
            let width = text::width(&words, size, face);
            lines.push(Line { part, words, size, face, width });
        }
    };
    add(Part::Date, &event.date, 1, style.small_size, style.label_face());
    add(Part::Name, &event.label, detail.names, style.label_size, Face::BOLD);
    if detail.descriptions > 0 {
        add(
            Part::Description,
            &event.description,
            detail.descriptions,
            style.small_size,
            style.label_face(),
        );
    }
    lines
}

/// Bounds of a text and of its stem, whether the text is above the band, and whether it is right of
/// the stem.
type Found = (Rect, Rect, bool, bool);

/// Returns the free position nearest to the band, on the preferred side or else on the other one.
/// The text is right of the stem, unless that position is much farther from the band than the one
/// on the left.
fn search(
    size: (f64, f64),
    (first_above, way): (bool, Way),
    x: f64,
    band: &Band,
    area: Rect,
    style: &ChartStyle,
    spots: &[Option<Spot>],
) -> Option<Found> {
    let sides: &[bool] = if band.above { &[true] } else { &[first_above, !first_above] };
    sides.iter().find_map(|above| {
        let find = |right| nearest(size, (*above, right), x, band, area, style, spots);
        match (find(true), find(false)) {
            (Some((far, _)), Some((near, it))) if far > near + way.patience * style.unit => {
                Some(it)
            }
            (Some((_, it)), _) | (None, Some((_, it))) => Some(it),
            (None, None) => None,
        }
    })
}

/// Returns the free position nearest to the band on one side of band and stem, with its distance
/// from the band.
fn nearest(
    (width, height): (f64, f64),
    (above, right): (bool, bool),
    x: f64,
    band: &Band,
    area: Rect,
    style: &ChartStyle,
    spots: &[Option<Spot>],
) -> Option<(f64, Found)> {
    let (gap, step) = (5.0 * style.unit, style.small_size * 0.6);
    let x0 = if right { x + gap } else { x - gap - width };
    if x0 < area.x0 || x0 + width > area.x1 {
        return None;
    }
    let mut away = 9.0 * style.unit;
    loop {
        let y0 = if above { band.top - away - height } else { band.bottom + away };
        let rect = Rect::new(x0, y0, x0 + width, y0 + height);
        if rect.y0 < area.y0 || rect.y1 + DESCENT_EM > area.y1 {
            return None;
        }
        let stem = if above { (rect.y0, band.top) } else { (band.bottom, rect.y1) };
        let stem = Rect::new(x - 0.5, stem.0, x + 0.5, stem.1);
        if free(rect, stem, above, style, spots) {
            return Some((away, (rect, stem, above, right)));
        }
        away += step;
    }
}

/// Returns whether a text and its stem keep their distance from all placed texts and stems.
fn free(rect: Rect, stem: Rect, above: bool, style: &ChartStyle, spots: &[Option<Spot>]) -> bool {
    let air = rect.inflate(style.small_size * 0.55, style.small_size * 0.35);
    let beside = stem.inflate(2.5 * style.unit, 0.0);
    spots.iter().flatten().filter(|it| it.above == above).all(|it| {
        let clear = rect.inflate(2.5 * style.unit, 1.0);
        !air.overlaps(it.rect) && !clear.overlaps(it.stem) && !beside.overlaps(it.rect)
    })
}
