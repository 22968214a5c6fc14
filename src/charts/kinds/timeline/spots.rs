//! Finds places for the texts of events, so that no text lies on another or on a stem.

use kurbo::{Rect, Vec2};

use crate::frame::ChartStyle;
use crate::kinds::timeline::{Band, Event};
use crate::scene::DESCENT_EM;
use crate::text;
use crate::text::Face;

/// Distance of baselines as a multiple of the font size.
pub const LEADING: f64 = 1.22;
/// More events than this are tried with short texts only, which bounds the time.
const MANY: usize = 60;
/// No more events than this get a text.
const MOST_NAMED: usize = 150;

/// What a line of text tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// When.
    Date,
    /// What.
    Name,
    /// More about it.
    Description,
}

/// A measured line.
pub struct Line {
    /// What it tells.
    pub part: Part,
    /// The letters.
    pub words: String,
    /// Font size.
    pub size: f64,
    /// Weight.
    pub face: Face,
    /// Width in points.
    pub width: f64,
}

/// The place of an event's text.
pub struct Spot {
    /// The box of the text.
    pub rect: Rect,
    /// Whether it stands above the band.
    pub above: bool,
    /// Whether it stands right of its stem.
    pub right: bool,
    /// What it says.
    pub lines: Vec<Line>,
    /// The stem from the band to the far end of the text.
    stem: Rect,
}

/// How much of an event is written.
#[derive(Clone, Copy)]
struct Detail {
    /// Widest line in points.
    width: f64,
    names: usize,
    descriptions: usize,
}

/// Width in units and most lines of name and description, from full texts to short ones.
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

/// How places are looked for.
#[derive(Clone, Copy)]
struct Way {
    /// From the last event to the first: stems of earlier ones pass left of later texts.
    backwards: bool,
    /// So many units farther from the band a text may stand to be right of its stem.
    patience: f64,
}

/// Each succeeds where others fail; the first that places all is taken.
const WAYS: [Way; 3] = [
    Way { backwards: true, patience: 40.0 },
    Way { backwards: true, patience: 250.0 },
    Way { backwards: false, patience: 40.0 },
];

/// A place for each event's text; the fullest texts for which all find one, else the texts for
/// which most do.
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

/// Whether an event has a place for all its words.
pub fn is_whole((spot, event): (&Option<Spot>, &Event), described: bool) -> bool {
    let Some(spot) = spot else { return false };
    let told = !described || event.description.is_empty();
    let told = told || spot.lines.iter().any(|it| it.part == Part::Description);
    told && !spot.lines.iter().any(|it| it.words.ends_with('…'))
}

/// How much the placed events matter; highlighted ones count three times.
fn weigh(events: &[Event], spots: &[Option<Spot>]) -> usize {
    let placed = events.iter().zip(spots).filter(|it| it.1.is_some());
    placed.map(|it| if it.0.highlighted { 3 } else { 1 }).sum()
}

/// Moves the texts of each side outwards where height is left, so that the band has air.
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
    for index in order.into_iter().take(MOST_NAMED) {
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

/// The lines of an event.
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
        add(Part::Description, &event.description, detail.descriptions, style.small_size, style.label_face());
    }
    lines
}

/// A box and its stem, whether it stands above, and whether right of the stem.
type Found = (Rect, Rect, bool, bool);

/// The free place nearest to the band: on the event's own side, else on the other; right of the
/// stem unless that place is much higher than the one left of it.
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
            (Some((far, _)), Some((near, it))) if far > near + way.patience * style.unit => Some(it),
            (Some((_, it)), _) | (None, Some((_, it))) => Some(it),
            (None, None) => None,
        }
    })
}

/// The free place nearest to the band on one side of it and of the stem, and how far away it is.
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

/// Whether box and stem keep clear of all that stand already.
fn free(rect: Rect, stem: Rect, above: bool, style: &ChartStyle, spots: &[Option<Spot>]) -> bool {
    let air = rect.inflate(style.small_size * 0.55, style.small_size * 0.35);
    let beside = stem.inflate(2.5 * style.unit, 0.0);
    spots.iter().flatten().filter(|it| it.above == above).all(|it| {
        let clear = rect.inflate(2.5 * style.unit, 1.0);
        !air.overlaps(it.rect) && !clear.overlaps(it.stem) && !beside.overlaps(it.rect)
    })
}
