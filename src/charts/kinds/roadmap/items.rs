//! Items of a roadmap, read from the records, and their bars.

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, date};

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
    /// Exclusive end in seconds since 1970: the start of the day after the last day.
    pub to: f64,
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
/// includes the month. An item with only one date takes the period that it names, at least a day.
///
/// Swaps reversed dates. Omits records without a date, or with one date and a text such as `TBD`
/// as the other, and items beyond `MAX_ITEMS`. The scene counts both, unless there are no items or the
/// record is blank. Lanes beyond `MAX_LANES` share the last one. Without items, `span` is not finite.
pub fn read_items(chart: &Chart, scene: &mut Scene) -> RoadmapItems {
    let mut items = RoadmapItems {
        all: Vec::new(),
        lanes: Vec::new(),
        span: (f64::INFINITY, f64::NEG_INFINITY),
    };
    let (mut undated, mut over_limit_count) = (Vec::new(), 0);
    for (row, record) in chart.data.iter().enumerate() {
        let [start, end] = ["start", "end"].map(|key| data::field(record, key));
        // An end such as a month includes all of its days.
        let end_of = |value: &Value| data::period_end(value).unwrap_or_default();
        let is_unknown = [start, end].into_iter().any(data::is_unknown_date);
        let (from, to) = match (data::timestamp(start), data::timestamp(end)) {
            (Some(_), Some(to)) if data::is_reversed(start, end) => (to, end_of(start)),
            (Some(from), Some(_)) => (from, end_of(end)),
            (Some(single), None) if !is_unknown => {
                (single, end_of(start).max(single + date::DAY_SECONDS))
            }
            (None, Some(single)) if !is_unknown => {
                (single, end_of(end).max(single + date::DAY_SECONDS))
            }
            _ => {
                if !data::is_blank(record) {
                    undated.push(data::record_label(record));
                }
                continue;
            }
        };
        if items.all.len() == MAX_ITEMS {
            over_limit_count += 1;
            continue;
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
        let label = data::record_label(record).into_owned();
        let highlighted = data::is_true(data::field(record, "highlighted"));
        items.all.push(Item { row, label, from, to, lane, highlighted });
    }
    if !items.all.is_empty() {
        undated.iter().for_each(|label| scene.omit_named(Omission::NoDate, label));
        scene.omit(Omission::NoSpace, over_limit_count);
    }
    items
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
}
