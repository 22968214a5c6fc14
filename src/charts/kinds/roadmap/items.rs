//! Items of a roadmap, read from the records, and their bars.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, date};
use crate::frame::time_marks;

/// Maximum number of items. Further items are omitted with a warning, because no canvas can show
/// them.
const MAX_ITEMS: usize = 1000;
/// Maximum number of lanes. Items of further lanes are in the last one.
const MAX_LANES: usize = 40;

/// The item of a record with at least one valid date.
pub struct Item {
    /// Index of the record in the data.
    pub row: usize,
    /// Label of the item.
    pub label: String,
    /// Start in seconds since 1970.
    pub from: f64,
    /// Exclusive end in seconds since 1970: the start of the day after the last day. The end of the
    /// calendar for an open item.
    pub to: f64,
    /// Whether the item has a start but no end, although other items have ends.
    pub is_open: bool,
    /// Whether the only date of the item names a day at most, and the item is not open.
    pub is_point: bool,
    /// Index of the lane.
    pub lane: usize,
    /// Whether the item is highlighted.
    pub highlighted: bool,
}

/// All items and lanes of a roadmap.
pub struct RoadmapItems {
    /// Items in the order of the data.
    pub all: Vec<Item>,
    /// Names of the lanes in the order of their first item.
    pub lanes: Vec<String>,
    /// First start and last end in seconds since 1970.
    pub span: (f64, f64),
}

/// The bar of an item and the position of its label.
pub struct ItemBar {
    /// Rectangle of the bar.
    pub rect: Rect,
    /// Width in points of the part of the bar that dissolves at its right end. 0 unless the item is
    /// open.
    pub tail_width: f64,
    /// Whether the mark is a diamond in the rectangle.
    pub is_diamond: bool,
    /// Lines of the label, shortened if it does not fit. Empty without a label.
    pub lines: Vec<String>,
    /// Whether the label is inside the bar instead of beside it.
    pub is_label_inside: bool,
    /// Whether a label outside the bar is on its left.
    pub is_label_left: bool,
}

impl ItemBar {
    /// Returns whether the label is shortened: one of its lines ends with an ellipsis.
    pub fn is_label_shortened(&self) -> bool {
        self.lines.iter().any(|line| line.ends_with('…'))
    }
}

/// Reads the items. The period of the later date ends the item, so that an end such as `2024-05`
/// includes the month. If other items have ends, an item without an end is open. If other items have
/// starts, an item without a start takes the last day of its end, because its length is unknown.
/// Otherwise an item with only one date takes the period that it names, at least a day.
///
/// Swaps reversed dates, and names their items in the scene.
/// Omits records without a date, or with one date and a text such as `TBD`
/// as the other, and items beyond `MAX_ITEMS`. The scene counts both, unless there are no items or the
/// record is blank. Lanes beyond `MAX_LANES` share the last one. Without items, `span` is not finite.
pub fn read_items(chart: &Chart, scene: &mut Scene) -> RoadmapItems {
    let mut items = RoadmapItems {
        all: Vec::new(),
        lanes: Vec::new(),
        span: (f64::INFINITY, f64::NEG_INFINITY),
    };
    let (mut undated, mut over_limit_count) = (Vec::new(), 0);
    let has_any =
        |key| chart.data.iter().any(|record| data::timestamp(data::field(record, key)).is_some());
    let others = OtherDates { starts: has_any("start"), ends: has_any("end") };
    for (row, record) in chart.data.iter().enumerate() {
        let [start, end] = ["start", "end"].map(|key| data::field(record, key));
        let Some(ItemDates { from, to, is_open, is_point }) = read_dates(start, end, others) else {
            if !data::is_blank(record) {
                undated.push(data::record_label(record));
            }
            continue;
        };
        if items.all.len() == MAX_ITEMS {
            over_limit_count += 1;
            continue;
        }
        let label = data::record_label(record).into_owned();
        if data::is_reversed(start, end) {
            scene.omit_named(Omission::Reversed, &label);
        }
        items.span = (items.span.0.min(from), items.span.1.max(to));
        let lane = data::display_text(data::field(record, "lane"));
        let known_lane = items.lanes.iter().position(|known| *known == lane);
        let lane = known_lane.unwrap_or_else(|| {
            if items.lanes.len() < MAX_LANES {
                items.lanes.push(lane.into_owned());
            }
            items.lanes.len() - 1
        });
        let highlighted = data::is_true(data::field(record, "highlighted"));
        items.all.push(Item { row, label, from, to, is_open, is_point, lane, highlighted });
    }
    if !items.all.is_empty() {
        undated.iter().for_each(|label| scene.omit_named(Omission::NoDate, label));
        scene.omit(Omission::NoSpace, over_limit_count);
    }
    let open_starts = items.all.iter().filter(|item| item.is_open).map(|item| item.from);
    items.span.1 = time_marks::extend_span(items.span, open_starts);
    items
}

/// Which dates the items of a chart have.
#[derive(Clone, Copy)]
struct OtherDates {
    /// Whether any item has a start.
    starts: bool,
    /// Whether any item has an end.
    ends: bool,
}

/// The dates of an item.
struct ItemDates {
    from: f64,
    to: f64,
    is_open: bool,
    is_point: bool,
}

/// Reads the dates of an item. The end of an open item is that of the first day until the end of the
/// calendar is known. Returns None without a date, or with one date and a text such as `TBD`.
fn read_dates(start: &Value, end: &Value, others: OtherDates) -> Option<ItemDates> {
    // An end such as a month includes all of its days.
    let end_of = |value: &Value| data::period_end(value).unwrap_or_default();
    let is_unknown = [start, end].into_iter().any(data::is_unknown_date);
    let span = |from, to| Some(ItemDates { from, to, is_open: false, is_point: false });
    let single = |from: f64, to: f64| {
        let to = to.max(from + date::DAY_SECONDS);
        let is_point = to - from <= date::DAY_SECONDS;
        Some(ItemDates { from, to, is_open: false, is_point })
    };
    match (data::timestamp(start), data::timestamp(end)) {
        (Some(_), Some(to)) if data::is_reversed(start, end) => span(to, end_of(start)),
        (Some(from), Some(_)) => span(from, end_of(end)),
        _ if is_unknown => None,
        (Some(from), None) if others.ends => {
            let to = from + date::DAY_SECONDS;
            Some(ItemDates { from, to, is_open: true, is_point: false })
        }
        (None, Some(from)) if others.starts => {
            single((end_of(end) - date::DAY_SECONDS).max(from), end_of(end))
        }
        (Some(from), None) => single(from, end_of(start)),
        (None, Some(from)) => single(from, end_of(end)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ends_include_the_period_that_they_name() {
        let of = |start: &str, end: &str| {
            let records = [json!({ "start": start, "end": end })];
            let chart = Chart::new(crate::find_kind("roadmap").unwrap(), &records);
            let items = read_items(&chart, &mut Scene::new(1.0, 1.0, chart.theme.text_color));
            let span = [items.all[0].from, items.all[0].to];
            span.map(|at| date::format_with_pattern(at, "YYYY-MM-DD", chart.locale()))
        };
        assert_eq!(of("2024-03", "2024-06"), ["2024-03-01", "2024-07-01"]);
        assert_eq!(of("2024-03-05", "2024-03-06"), ["2024-03-05", "2024-03-07"]);
        assert_eq!(of("2024-06", "2024-03-06"), ["2024-03-06", "2024-07-01"]);
        assert_eq!(of("2024-06", ""), ["2024-06-01", "2024-07-01"]);
        assert_eq!(of("2024-05-10", "2024-05"), ["2024-05-10", "2024-06-01"]);
    }

    #[test]
    fn items_with_one_date_are_open_or_points() {
        let read = |records: &[Value]| {
            let chart = Chart::new(crate::find_kind("roadmap").unwrap(), records);
            read_items(&chart, &mut Scene::new(1.0, 1.0, chart.theme.text_color))
        };
        let records = [
            json!({ "label": "Build", "start": "2024-03-01", "end": "2024-04-09" }),
            json!({ "label": "Operate", "start": "2024-04-08" }),
            json!({ "label": "Report", "end": "2024-03" }),
        ];
        let items = read(&records);
        let flags = |items: &RoadmapItems| -> Vec<(bool, bool)> {
            items.all.iter().map(|item| (item.is_open, item.is_point)).collect()
        };
        assert_eq!(flags(&items), [(false, false), (true, false), (false, true)]);
        let day = |text: &str| date::parse(text).unwrap();
        assert_eq!(items.all[2].from, day("2024-03-31"));
        // A tenth of the time.
        assert_eq!(items.span, (day("2024-03-01"), day("2024-04-12")));
        // Without any end, a day is a point and a month is a bar.
        let records = [json!({ "start": "2024-03-01" }), json!({ "start": "2024-04" })];
        assert_eq!(flags(&read(&records)), [(false, true), (false, false)]);
    }
}
