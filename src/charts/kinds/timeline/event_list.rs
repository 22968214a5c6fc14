//! List of the events below the calendar band, for events without space for their texts beside it.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::frame::list_columns;
use crate::frame::{ChartStyle, Frame, MIN_TEXT_SIZE};
use crate::kinds::timeline::band::CalendarBand;
use crate::kinds::timeline::events;
use crate::kinds::timeline::events::Event;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.3;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 6;
/// Maximum number of lines of a label.
const MAX_LABEL_LINES: usize = 3;
/// Minimum width of a shortened label as a multiple of the font size.
const MIN_SHORTENED_WIDTH_EM: f64 = 7.0;
/// Maximum number of events. More have no space on any canvas.
const MAX_EVENTS: usize = 300;

/// A numbered list with date and label of each event, in columns.
pub struct EventList {
    /// Font size in points.
    size: f64,
    /// Entries in chronological order.
    entries: Vec<Entry>,
    /// Width of the numbers in points.
    number_width: f64,
    /// Width of the dates in points.
    date_width: f64,
    /// Height of the band with the numbers above it in points.
    header_height: f64,
}

/// An entry of the list.
struct Entry {
    /// Lines of the label.
    lines: Vec<String>,
    /// Left end in points.
    x: f64,
    /// Distance from the top of the list in points.
    top: f64,
}

impl EventList {
    /// Lays out the list with whole labels in the largest of three font sizes that has space for all
    /// events, and then with the fewest columns. Returns None if there is no such list.
    pub fn new(
        events: &[Event],
        band: &CalendarBand,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<EventList> {
        let sizes = [style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)];
        EventList::with_sizes(events, band, area, &sizes, None, style)
    }

    /// Lays out the list in the smallest text, with labels of one line that are shortened if they are
    /// too wide. Returns None if a label would have less than `MIN_SHORTENED_WIDTH_EM`, or if not all
    /// events have space.
    pub fn new_shortened(
        events: &[Event],
        band: &CalendarBand,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<EventList> {
        let size = MIN_TEXT_SIZE.min(style.small_size);
        let min_width = size * MIN_SHORTENED_WIDTH_EM;
        EventList::with_sizes(events, band, area, &[size], Some(min_width), style)
    }

    /// Lays out the list in the first of the font sizes `sizes` (in points) that has space for all
    /// events, with the fewest columns. Returns None if no size has space, or for too many events.
    ///
    /// `min_width` is the minimum space of a label in points, in which it may be shortened. With None,
    /// labels must be whole.
    fn with_sizes(
        events: &[Event],
        band: &CalendarBand,
        area: Rect,
        sizes: &[f64],
        min_width: Option<f64>,
        style: &ChartStyle,
    ) -> Option<EventList> {
        if events.len() > MAX_EVENTS {
            return None;
        }
        let header_height = style.small_size * 1.6 + 6.0 * style.unit + band.bottom - band.top;
        sizes.iter().copied().find_map(|size| {
            let measure = |text: &str| style.text_width(text, size);
            let number_width = measure(&style.locale.format_integer(events.len())) + size * 0.6;
            let dates = events.iter().map(|event| measure(&event.date));
            let date_width = dates.fold(0.0, f64::max) + size * 0.6;
            let list = EventList {
                size,
                entries: Vec::new(),
                number_width,
                date_width,
                header_height: header_height + size * 0.8,
            };
            let find = |columns| list.lay_out(events, columns, min_width, area, style);
            let entries = (1..=MAX_COLUMNS).find_map(find)?;
            Some(EventList { entries, ..list })
        })
    }

    /// Returns the entries in this number of columns of about equal height. None if a label has
    /// less space than `min_width` points (with `min_width` None, if a label is not whole in
    /// `MAX_LABEL_LINES` lines), or if the columns have no space for all entries.
    fn lay_out(
        &self,
        events: &[Event],
        columns: usize,
        min_width: Option<f64>,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<Vec<Entry>> {
        let column_gap = self.size * 1.5;
        let pitch = (area.width() + column_gap) / columns as f64;
        let label_width = pitch - column_gap - self.number_width - self.date_width;
        let face = style.label_face();
        let wrap = |event: &Event| match min_width {
            Some(min_width) => (label_width >= min_width)
                .then(|| text::wrap(&event.label, label_width, 1, self.size, face)),
            None if label_width > 0.0 => {
                text::wrap_whole(&event.label, label_width, MAX_LABEL_LINES, self.size, face)
            }
            None => None,
        };
        let labels: Vec<Vec<String>> = events.iter().map(wrap).collect::<Option<_>>()?;
        let line_height = self.size * LINE_HEIGHT;
        let heights: Vec<f64> =
            labels.iter().map(|lines| lines.len().max(1) as f64 * line_height).collect();
        let max_height = area.height() - self.header_height;
        let tops = list_columns::fill_columns(&heights, columns, line_height, max_height)?;
        let entries = labels.into_iter().zip(tops).map(|(lines, (column, top))| Entry {
            lines,
            x: area.x0 + pitch * column as f64,
            top,
        });
        Some(entries.collect())
    }

    /// Draws the band near the top of the area with a mark for each event and the numbers of the events
    /// above it, and the list of numbers, dates and labels below it. The numbers start at 1 for the
    /// first date. Near events have a common range of numbers.
    pub fn draw(
        &self,
        chart: &Chart,
        events: &[Event],
        band: CalendarBand,
        frame: &Frame,
        scene: &mut Scene,
    ) {
        let (style, area) = (&frame.style, frame.area);
        let list_bottom =
            |entry: &Entry| entry.top + entry.lines.len().max(1) as f64 * self.size * LINE_HEIGHT;
        let list_height = self.entries.iter().map(list_bottom).fold(0.0, f64::max);
        let spare = (area.height() - self.header_height - list_height).max(0.0);
        let top = area.y0 + style.small_size * 1.6 + 6.0 * style.unit + spare * 0.25;
        let band = CalendarBand { bottom: top + band.bottom - band.top, top, ..band };
        band.draw(area, style, scene);
        let any_highlighted = events.iter().any(|event| event.highlighted);
        for event in events {
            let color = events::choose_color(chart, event, any_highlighted, style);
            let outline = Stroke::new(style.background, 1.25 * style.unit);
            scene.begin_mark("event", Some(event.row), || {
                (None, format!("{}: {}", event.date, event.label))
            });
            let center = (band.axis.x.at(event.timestamp), band.top);
            scene.circle(center, 4.5 * style.unit, color, Some(outline));
        }
        scene.end_mark();
        draw_numbers(events, &band, area, style, scene);
        let list_top = band.bottom + self.size * 0.8 + spare * 0.25;
        for (index, (event, entry)) in events.iter().zip(&self.entries).enumerate() {
            let color = events::choose_color(chart, event, any_highlighted, style);
            let first = list_top + entry.top + ASCENT_EM * self.size;
            let number_end = entry.x + self.number_width - self.size * 0.6;
            let number = style.locale.format_integer(index + 1);
            let text = style.label_text(number_end, first, Anchor::End, self.size, &number);
            let width = text::width(&number, self.size, Face::BOLD);
            scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..text });
            let date_x = entry.x + self.number_width;
            let text = style.label_text(date_x, first, Anchor::Start, self.size, &event.date);
            scene.text(Text { color: color.readable_on(style.background, 4.5), ..text });
            for (line_index, line) in entry.lines.iter().enumerate() {
                let baseline = first + line_index as f64 * self.size * LINE_HEIGHT;
                let x = date_x + self.date_width;
                let text = style.label_text(x, baseline, Anchor::Start, self.size, line);
                let is_cut = line.ends_with('…') && !event.label.ends_with('…');
                let full = is_cut.then(|| event.label.clone());
                scene.text(Text { color: style.text_color, full, ..text });
            }
        }
    }
}

/// Draws the numbers of the events (from 1 on) centered above their marks on the band. Numbers that would
/// overlap are merged into a range, such as "4–7". All stay within `area`.
fn draw_numbers(
    events: &[Event],
    band: &CalendarBand,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    /// Numbers and positions of the first and the last event of a group.
    struct Group {
        first: (usize, f64),
        last: (usize, f64),
    }
    let size = style.small_size;
    let label = |group: &Group| match group.first.0 == group.last.0 {
        true => style.locale.format_integer(group.first.0),
        false => style.locale.localize_digits(format!("{}–{}", group.first.0, group.last.0)),
    };
    let extent = |group: &Group| {
        let half = style.text_width(&label(group), size) / 2.0;
        let middle = f64::midpoint(group.first.1, group.last.1);
        let middle = middle.min(area.x1 - half).max(area.x0 + half);
        (middle - half, middle, middle + half)
    };
    let mut groups: Vec<Group> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let position = (index + 1, band.axis.x.at(event.timestamp));
        let mut group = Group { first: position, last: position };
        while let Some(previous) = groups.pop() {
            if extent(&previous).2 + size * 0.35 <= extent(&group).0 {
                groups.push(previous);
                break;
            }
            group = Group { first: previous.first, ..group };
        }
        groups.push(group);
    }
    let baseline = band.top - 4.5 * style.unit - size * 0.8 + HALF_CAP_HEIGHT_EM * size;
    for group in &groups {
        let (_, middle, _) = extent(group);
        let text = style.label_text(middle, baseline, Anchor::Middle, size, &label(group));
        scene.text(Text { color: style.text_color, ..text });
    }
}
