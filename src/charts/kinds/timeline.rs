//! Timeline: dated events on a calendar band, with their texts alternately above and below it.
//!
//! Record: `label`, `date`, `description`, `highlighted` (optional flag). Events without a valid
//! date are left out. Settings: `layout` (`alternate`, `line`), `showDescriptions`.
//! `rulesets.date.dateFormat` sets the format of the dates.

mod band;
mod event_list;
mod events;
mod layout;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

use band::CalendarBand;
use event_list::EventList;
use events::Event;
use layout::{PlacedText, TextPart};

/// The timeline.
pub const KIND: Kind = Kind { slug: "timeline", draw };

/// Maximum number of events for which larger texts are tried.
const MAX_EVENTS_WITH_LARGE_TEXTS: usize = 16;

/// Draws the band, a mark for each event, and the texts that fit with their stems. If not all
/// labels are whole there, but in a list below the band, draws the list instead. If most are not,
/// the list may shorten them, too. The scene counts events that are omitted or have no space for their
/// text. Draws a note instead if there are no events.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let events = events::read_events(chart, scene);
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
    let span = (first.timestamp, last.timestamp);
    let band = CalendarBand::new(chart, span, events::have_times(&events), frame.area, style);
    let texts = layout_texts(chart, &events, &band, frame);
    let is_whole = |text: &Option<PlacedText>| text.as_ref().is_some_and(layout::has_whole_label);
    if !texts.iter().all(is_whole)
        && let Some(list) = EventList::new(&events, &band, frame.area, style)
    {
        return list.draw(chart, &events, band, frame, scene);
    }
    let missing = texts.iter().filter(|text| text.is_none()).count();
    let whole = texts.iter().filter(|text| is_whole(text)).count();
    if whole * 2 < events.len()
        && let Some(list) = EventList::new_shortened(&events, &band, frame.area, style)
    {
        return list.draw(chart, &events, band, frame, scene);
    }
    scene.omit(Omission::Name, missing);
    let any_highlighted = events.iter().any(|event| event.highlighted);
    let event_color = |event: &Event| events::choose_color(chart, event, any_highlighted, style);
    for (event, text) in events.iter().zip(&texts) {
        if let Some(text) = text {
            draw_stem(&band, event, text, event_color(event), style, scene);
        }
    }
    // The band covers the ends of the stems.
    band.draw(frame.area, style, scene);
    for (event, text) in events.iter().zip(&texts) {
        draw_event(&band, event, text.as_ref(), event_color(event), style, scene);
    }
    scene.end_mark();
}

/// Draws a circle for an event at the edge of the band on the side of its text (the upper edge without a
/// text), and the text if it has one. Begins the mark of the event, and leaves it open.
fn draw_event(
    band: &CalendarBand,
    event: &Event,
    text: Option<&PlacedText>,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("event", Some(event.row), || {
        (None, format!("{}: {}", event.date, event.label))
    });
    let is_above = text.is_none_or(|text| text.position.is_above);
    let y = if is_above { band.top } else { band.bottom };
    let outline = Stroke::new(style.background, 1.25 * style.unit);
    let center = (band.axis.x.at(event.timestamp), y);
    scene.circle(center, 4.5 * style.unit, color, Some(outline));
    if let Some(text) = text {
        draw_text(event, text, color, style, scene);
    }
}

/// Returns the text of each event with its position, or None if it does not fit. On a large canvas,
/// a few events have larger texts if all of them fit completely.
fn layout_texts(
    chart: &Chart,
    events: &[Event],
    band: &CalendarBand,
    frame: &Frame,
) -> Vec<Option<PlacedText>> {
    let style = &frame.style;
    let with_descriptions = chart.bool_setting("showDescriptions", true);
    if style.unit >= 1.2 && events.len() <= MAX_EVENTS_WITH_LARGE_TEXTS {
        for factor in [1.3, 1.15] {
            let large = style.scale_labels(factor);
            let texts = layout::layout_texts(events, band, frame.area, &large, with_descriptions);
            let is_complete = |(text, event): (&Option<PlacedText>, &Event)| {
                layout::is_complete(text.as_ref(), event, with_descriptions)
            };
            if texts.iter().zip(events).all(is_complete) {
                return texts;
            }
        }
    }
    layout::layout_texts(events, band, frame.area, style, with_descriptions)
}

/// Draws the vertical line at the date of the event, from the edge of the band to the far end of the
/// text.
fn draw_stem(
    band: &CalendarBand,
    event: &Event,
    text: &PlacedText,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let x = band.axis.x.at(event.timestamp);
    let position = &text.position;
    let (start, end) = if position.is_above {
        (band.top, position.rect.y0)
    } else {
        (band.bottom, position.rect.y1)
    };
    let width = if event.highlighted { 1.5 } else { 1.0 };
    scene.line((x, start), (x, end), Stroke::new(color, width * style.unit));
}

/// Draws the lines of date, label and description beside the stem. The date has `color`, adjusted to a
/// contrast of 4.5:1 on the background.
fn draw_text(
    event: &Event,
    text: &PlacedText,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let rect = text.position.rect;
    let (x, anchor) =
        if text.position.is_right { (rect.x0, Anchor::Start) } else { (rect.x1, Anchor::End) };
    let mut top = rect.y0;
    for line in &text.lines {
        let label = style.label_text(x, top + ASCENT_EM * line.size, anchor, line.size, &line.text);
        let text_color = match line.part {
            TextPart::Date => color.readable_on(style.background, 4.5),
            TextPart::Label => style.text_color,
            TextPart::Description => style.label_color,
        };
        let full_text = match line.part {
            TextPart::Label => &event.label,
            TextPart::Date | TextPart::Description => &event.description,
        };
        let full = line.text.ends_with('…').then(|| full_text.clone());
        scene.text(Text { color: text_color, face: line.face, width: line.width, full, ..label });
        top += line.size * layout::LINE_HEIGHT;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_of_one_day_have_their_times() {
        let records = [
            json!({"date": "2025-02-11 09:02", "label": "First alert"}),
            json!({"date": "2025-02-11 09:40", "label": "Status page updated"}),
            json!({"date": "2025-02-11 16:00", "label": "Post-mortem"}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("timeline").unwrap(), &records));
        let texts: Vec<(&str, f64)> =
            scene.text_boxes().map(|(text, rect)| (text, rect.x0)).collect();
        let find = |wanted: &str| texts.iter().find(|(text, _)| *text == wanted);
        let first = find("11 Feb 2025, 09:02").unwrap_or_else(|| panic!("{texts:?}"));
        let last = find("11 Feb 2025, 16:00").unwrap_or_else(|| panic!("{texts:?}"));
        // The events fill the band, which has ticks for hours.
        assert!(last.1 - first.1 > scene.width * 0.6, "{texts:?}");
        assert!(find("12:00").is_some(), "{texts:?}");
    }
}
