//! Events of a timeline, read from the records, and their colors.

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::date::Precision;
use crate::format::{Omission, date};
use crate::frame::ChartStyle;

/// Maximum number of events. More marks would only cover each other.
const MAX_EVENTS: usize = 2000;

/// A record with a valid date.
pub struct Event {
    /// Index of the record in the data.
    pub row: usize,
    /// Date in seconds since 1970.
    pub timestamp: f64,
    /// Formatted date.
    pub date: String,
    /// Label; may be empty.
    pub label: String,
    /// Description; may be empty.
    pub description: String,
    /// Whether the record is highlighted.
    pub highlighted: bool,
}

/// Reads the events and returns them in chronological order. Only the first `MAX_EVENTS` in the order of
/// the records are kept. The scene counts the others, and the records without a valid date unless no
/// record has one.
///
/// A record without a field `label` is labelled with its field `name`.
pub fn read_events(chart: &Chart, scene: &mut Scene) -> Vec<Event> {
    let pattern = chart.format_rules("date").date_format;
    let event = |(row, record): (usize, &Value)| {
        let source = data::field(record, "date");
        let timestamp = data::timestamp(source)?;
        let label = match data::field(record, "label") {
            Value::Null => data::field(record, "name"),
            label => label,
        };
        Some(Event {
            row,
            timestamp,
            date: match &pattern {
                Some(pattern) => date::format_with_pattern(timestamp, pattern, chart.locale()),
                None => format_date(source, timestamp, chart),
            },
            label: data::display_text(label).into_owned(),
            description: data::display_text(data::field(record, "description")).into_owned(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        })
    };
    let all: Vec<Option<Event>> = chart.data.iter().enumerate().map(event).collect();
    if all.iter().any(Option::is_some) {
        let lacks_event =
            |(record, event): &(&Value, &Option<Event>)| event.is_none() && !data::is_blank(record);
        for (record, _) in chart.data.iter().zip(&all).filter(lacks_event) {
            scene.omit_named(Omission::NoDate, &data::record_label(record));
        }
    }
    let mut events: Vec<Event> = all.into_iter().flatten().collect();
    scene.omit(Omission::NoSpace, events.len().saturating_sub(MAX_EVENTS));
    events.truncate(MAX_EVENTS);
    events.sort_by(|first, second| first.timestamp.total_cmp(&second.timestamp));
    events
}

/// Formats a date with the precision of its field in the record: the year if the field is a number,
/// otherwise that of the text. A time of day is shown unless it is midnight.
fn format_date(source: &Value, timestamp: f64, chart: &Chart) -> String {
    let precision = source.as_str().map_or(Precision::Year, Precision::of_text);
    precision.format(timestamp, chart.locale())
}

/// Returns whether an event has a time of day.
pub fn have_times(events: &[Event]) -> bool {
    events.iter().any(|event| event.timestamp.rem_euclid(date::DAY_SECONDS) != 0.0)
}

/// Returns the color of the mark of an event, adjusted so that a line in it is visible: the highlight color
/// if the event is highlighted, a muted color if only others are, else the first series color.
pub fn choose_color(
    chart: &Chart,
    event: &Event,
    any_highlighted: bool,
    style: &ChartStyle,
) -> Color {
    let color = match (event.highlighted, any_highlighted) {
        (true, _) => chart.theme.highlight_color,
        (false, true) => style.muted_color,
        (false, false) => chart.series_color(0),
    };
    style.readable_line_color(color)
}
