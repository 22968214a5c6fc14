//! Column of task names left of the bars, for names without space beside their bars.

use kurbo::Rect;

use crate::Scene;
use crate::frame::end_names::EndNames;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::gantt::lanes;
use crate::kinds::gantt::lanes::LaneLayout;
use crate::kinds::gantt::tasks::Schedule;
use crate::scene::Anchor;

/// Minimum height of a lane as a multiple of the smallest font size.
const MIN_LANE_HEIGHT_EM: f64 = 1.0;
/// Minimum width of the bars with their time axis as a multiple of the font size.
const MIN_BARS_WIDTH_EM: f64 = 10.0;
/// Maximum widths of the column as shares of the plot, tried in this order.
const WIDTH_SHARES: [f64; 4] = [0.3, 0.4, 0.5, 0.58];

/// Returns the names of all tasks for a column in `plot`, each in its own lane, if fewer of them
/// are cut than of the labels in `layout`, or as many with more letters. None if not, if the lanes
/// are too low, or if the column leaves too little width for the bars.
pub fn plan(
    schedule: &Schedule,
    layout: &LaneLayout,
    plot: Rect,
    style: &ChartStyle,
) -> Option<EndNames> {
    let (mut cut_count, mut shown_letters) = (0, 0);
    for (task, placed) in schedule.tasks.iter().zip(&layout.placed_tasks) {
        let label = placed.as_ref().and_then(|placed| placed.label.as_ref());
        let text = label.map_or("", |label| &label.text);
        cut_count += usize::from(text != task.label);
        shown_letters += text.chars().count();
    }
    let lane_height = plot.height() / schedule.tasks.len().max(1) as f64;
    let lane_height = lane_height.min(lanes::max_lane_height(plot, style));
    if cut_count == 0 || lane_height < MIN_TEXT_SIZE * MIN_LANE_HEIGHT_EM {
        return None;
    }
    let labels: Vec<&str> = schedule.tasks.iter().map(|task| task.label.as_str()).collect();
    let max_width = plot.width() - style.label_size * MIN_BARS_WIDTH_EM;
    if max_width < style.label_size * MIN_BARS_WIDTH_EM / 2.0 {
        return None;
    }
    let widths = WIDTH_SHARES.map(|share| (plot.width() * share).min(max_width));
    let names = EndNames::plan(&labels, lane_height, &widths, style);
    let letters: usize = names.lines.iter().flatten().map(|line| line.chars().count()).sum();
    let column_cut_count = names.full.iter().flatten().count();
    let is_better =
        column_cut_count < cut_count || column_cut_count == cut_count && letters > shown_letters;
    is_better.then_some(names)
}

/// Returns the width in points of the column with the space beside it.
pub fn width(names: &EndNames) -> f64 {
    names.width + names.size * 0.8
}

/// Draws the names of the tasks left-aligned at the x coordinate `left`, each centered in the lane
/// of its task.
pub fn draw(
    names: &EndNames,
    lanes: &LaneLayout,
    left: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    for (index, placed) in lanes.placed_tasks.iter().enumerate() {
        let Some(placed) = placed else { continue };
        let middle = lanes.middle(placed.lane);
        for text in names.texts(index, (left, middle), Anchor::Start, style) {
            scene.text(text);
        }
    }
}
