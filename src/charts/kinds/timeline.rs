//! Timeline: dated events on a calendar band, with their texts alternately above and below it.
//!
//! Record: `label`, `date`, `description`, `highlighted` (optional flag). Events without a valid
//! date are left out. Settings: `layout` (`alternate`, `line`), `showDescriptions`.
//! `rulesets.date.dateFormat` sets the format of the dates.

mod spots;

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::date;
use crate::frame;
use crate::frame::time::TimeAxis;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

use spots::Spot;

/// The timeline.
pub const KIND: Kind = Kind { slug: "timeline", draw };

/// A record with a valid date.
struct Event {
    row: usize,
    /// Date in seconds since 1970.
    at: f64,
    date: String,
    label: String,
    description: String,
    highlighted: bool,
}

/// Calendar band, and the side of the texts.
struct Band {
    axis: TimeAxis,
    top: f64,
    bottom: f64,
    /// Whether all texts are above the band.
    above: bool,
}

/// Draws the band, the stems and the texts of the events.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let events = read(chart, scene);
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return frame::draw_no_data(frame, scene);
    };
    scene.description = format!(
        "Timeline of {} events from {} ({}) to {} ({}).",
        events.len(),
        first.date,
        first.label,
        last.date,
        last.label,
    );
    let style = &frame.style;
    let band = band(chart, (first.at, last.at), frame.area, style);
    let described = chart.bool_setting("showDescriptions", true);
    // On a large canvas, a few events have larger texts if all of them fit.
    let large = style.unit >= 1.2 && events.len() <= FEW_EVENTS;
    let larger = [1.3, 1.15].into_iter().filter(|_| large).find_map(|it| {
        let spots = spots::arrange(&events, &band, frame.area, &style.scale_labels(it), described);
        spots.iter().zip(&events).all(|it| spots::is_whole(it, described)).then_some(spots)
    });
    let spots =
        larger.unwrap_or_else(|| spots::arrange(&events, &band, frame.area, style, described));
    let missing = spots.iter().filter(|it| it.is_none()).count();
    if missing > 0 {
        scene.warn(format!("Events without room for their text: {missing} of {}.", events.len()));
    }
    let accented = events.iter().any(|it| it.highlighted);
    let color = |it: &Event| {
        let usual = if accented { style.muted_color } else { chart.series_color(0) };
        style.readable_line_color(if it.highlighted { chart.theme.highlight_color } else { usual })
    };
    for (event, spot) in events.iter().zip(&spots) {
        if let Some(spot) = spot {
            stem(&band, event, spot, color(event), style, scene);
        }
    }
    calendar(&band, frame.area, style, scene);
    for (event, spot) in events.iter().zip(&spots) {
        scene.begin_mark("event", Some(event.row), || {
            (None, format!("{}: {}", event.date, event.label))
        });
        let y = if spot.as_ref().is_none_or(|it| it.above) { band.top } else { band.bottom };
        let rim = Stroke::new(style.background, 1.25 * style.unit);
        scene.circle((band.axis.x.at(event.at), y), 4.5 * style.unit, color(event), Some(rim));
        if let Some(spot) = spot {
            words(event, spot, color(event), style, scene);
        }
    }
    scene.end_mark();
}

/// Reads the events in chronological order. Warns about records without a valid date, and about
/// events beyond the maximum.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Event> {
    let pattern = chart.format_rules("date").date_format;
    let written = |source: &Value, at: f64| match &pattern {
        Some(pattern) => date::format_with_pattern(at, pattern, chart.locale()),
        None => exactly(source, at, chart),
    };
    let event = |(row, record): (usize, &Value)| {
        let source = data::field(record, "date");
        let at = data::timestamp(source)?;
        Some(Event {
            row,
            at,
            date: written(source, at),
            label: match data::field(record, "label") {
                it if it.is_null() => data::display_text(data::field(record, "name")).into_owned(),
                it => data::display_text(it).into_owned(),
            },
            description: data::display_text(data::field(record, "description")).into_owned(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        })
    };
    let mut events: Vec<Event> = chart.data.iter().enumerate().filter_map(event).collect();
    if !events.is_empty() && events.len() < chart.data.len() {
        scene.warn("Records without a valid date are omitted.");
    }
    if events.len() > MAX_EVENTS {
        scene.warn(format!("Only the first {MAX_EVENTS} events are drawn."));
        events.truncate(MAX_EVENTS);
    }
    events.sort_by(|one, two| one.at.total_cmp(&two.at));
    events
}

/// Maximum number of events for which larger texts are tried.
const FEW_EVENTS: usize = 16;
/// Maximum number of events. More marks would only cover each other.
const MAX_EVENTS: usize = 2000;

/// Formats a date with the precision of the record: year, month or day.
fn exactly(source: &Value, at: f64, chart: &Chart) -> String {
    let letters = source.as_str().map_or(4, |it| it.trim().len());
    let it = date::to_civil(at);
    match letters {
        0..=4 => it.year.to_string(),
        5..=7 => format!("{} {}", date::month_name(it.month, chart.locale()), it.year),
        _ => date::format_day(at, true, chart.locale()),
    }
}

/// Lays out the calendar band: in the middle of the area, or at its lower end if all texts are
/// above.
fn band(chart: &Chart, (first, last): (f64, f64), area: Rect, style: &ChartStyle) -> Band {
    let air = (0.03 * (last - first)).max(date::DAY_SECONDS);
    // Tick labels extend beyond their ticks, but must stay within the band.
    let inset = 1.9 * style.label_size;
    let range = (area.x0 + inset, (area.x1 - inset).max(area.x0 + inset + 1.0));
    // The texts contain the exact dates. So ticks are years or more for long spans, and months or
    // more for medium ones.
    let least = match (last - first) / date::DAY_SECONDS {
        span if span > 900.0 => 365.0,
        span if span > 60.0 => 28.0,
        _ => 1.0,
    };
    let domain = (first - air, last + air);
    let axis =
        TimeAxis::with_min_step(domain, range, least * date::DAY_SECONDS, style, chart.locale());
    let height = axis.height(style) + 4.0 * style.unit;
    // On low canvases the band is only a line, because the texts contain the dates.
    let height =
        if area.height() < height + style.label_size * 6.0 { 5.0 * style.unit } else { height };
    let above = chart.str_setting("layout") == "line";
    let middle = area.center().y;
    let top = if above { area.y1 - height - 5.0 * style.unit } else { middle - height / 2.0 };
    Band { axis, top, bottom: top + height, above }
}

/// Draws the band with its tick labels, over the ends of the stems.
fn calendar(band: &Band, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let rect = Rect::new(area.x0, band.top, area.x1, band.bottom);
    scene.rect(rect, style.background.mix(style.grid_color, 0.55));
    if rect.height() > style.label_size {
        let strong = ChartStyle { muted_color: style.label_color, ..style.clone() };
        band.axis.draw_tick_marks(scene, style, band.top);
        band.axis.draw_labels(scene, &strong, band.top - 1.5 * style.unit);
    }
}

/// Draws the line from the band along the text.
fn stem(
    band: &Band,
    event: &Event,
    spot: &Spot,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let x = band.axis.x.at(event.at);
    let (from, to) =
        if spot.above { (band.top, spot.rect.y0) } else { (band.bottom, spot.rect.y1) };
    let width = if event.highlighted { 1.5 } else { 1.0 };
    scene.line((x, from), (x, to), Stroke::new(color, width * style.unit));
}

/// Draws date, name and description beside the stem.
fn words(event: &Event, spot: &Spot, color: Color, style: &ChartStyle, scene: &mut Scene) {
    let (x, anchor) =
        if spot.right { (spot.rect.x0, Anchor::Start) } else { (spot.rect.x1, Anchor::End) };
    let mut top = spot.rect.y0;
    for line in &spot.lines {
        let set = style.label_text(x, top + ASCENT_EM * line.size, anchor, line.size, &line.words);
        let ink = match line.part {
            spots::Part::Date => color.readable_on(style.background, 4.5),
            spots::Part::Name => style.text_color,
            spots::Part::Description => style.label_color,
        };
        let whole = match line.part {
            spots::Part::Name => &event.label,
            _ => &event.description,
        };
        let full = line.words.ends_with('…').then(|| whole.clone());
        scene.text(Text { color: ink, face: line.face, width: line.width, full, ..set });
        top += line.size * spots::LEADING;
    }
}
