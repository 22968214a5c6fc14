//! Items of a roadmap, read from the records, and their bars.

use kurbo::Rect;

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
    /// Returns whether the label ends with an ellipsis.
    pub fn is_label_shortened(&self) -> bool {
        self.lines.iter().any(|line| line.ends_with('…'))
    }
}

/// Reads the items. Records without a valid date are ignored. An item with only one valid date
/// takes a day. Reversed dates are swapped.
///
/// Warns about items beyond the maximum and omits them. Items of lanes beyond the maximum are in
/// the last lane. Without items, the span is not finite.
pub fn read_items(chart: &Chart, scene: &mut Scene) -> RoadmapItems {
    let mut items = RoadmapItems {
        all: Vec::new(),
        lanes: Vec::new(),
        span: (f64::INFINITY, f64::NEG_INFINITY),
    };
    let (mut undated_count, mut over_limit_count) = (0, 0);
    for (row, record) in chart.data.iter().enumerate() {
        let timestamp = |key: &str| data::timestamp(data::field(record, key));
        // An end without a time of day includes that day.
        let end_offset = match data::field(record, "end").as_str() {
            Some(text) if text.trim().len() > 10 => 0.0,
            _ => date::DAY_SECONDS,
        };
        let (from, to) = match (timestamp("start"), timestamp("end")) {
            (Some(a), Some(b)) => (a.min(b), a.max(b) + end_offset),
            (Some(single), None) | (None, Some(single)) => (single, single + date::DAY_SECONDS),
            (None, None) => {
                undated_count += usize::from(!data::is_blank(record));
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
        scene.omit(Omission::NoDate, undated_count);
        scene.omit(Omission::NoSpace, over_limit_count);
    }
    items
}
