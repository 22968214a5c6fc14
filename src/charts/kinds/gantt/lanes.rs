//! Lanes of a Gantt chart: the horizontal lane of each task, and the position of its label.
//!
//! A label is in the bar, right of it or left of it.

use kurbo::Rect;

use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::time_marks;
use crate::kinds::gantt::bar_colors;
use crate::kinds::gantt::bar_colors::BarColors;
use crate::kinds::gantt::tasks::{Schedule, Task};
use crate::scale::LinearScale;
use crate::scene::Anchor;
use crate::text;

/// Minimum height in points of a lane with labels, so that they stay readable.
const MIN_LABELLED_LANE_HEIGHT: f64 = 12.0;
/// Maximum height of a lane in [`ChartStyle::unit`]s, in a plot that is not high.
const MAX_LANE_HEIGHT: f64 = 32.0;
/// Maximum height of a lane as a share of the height of the plot.
const MAX_LANE_SHARE: f64 = 0.14;
/// Height in [`ChartStyle::unit`]s of a lane with larger labels.
const HIGH_LANE_HEIGHT: f64 = 56.0;
/// Font size in a high lane as a multiple of the usual one.
const HIGH_LANE_LABEL_EM: f64 = 1.3;
/// Minimum height in points of a lane without labels.
const MIN_UNLABELLED_LANE_HEIGHT: f64 = 5.0;

/// The label of a task and its position.
pub struct TaskLabel {
    /// Text, shortened if there is too little space.
    pub text: String,
    /// Width of the text in points.
    pub width: f64,
    /// Horizontal position of the anchor in points.
    pub x: f64,
    /// End of the text that is at `x`.
    pub anchor: Anchor,
    /// Text color on the bar. None if the label is beside the bar.
    pub color_on_bar: Option<Color>,
}

/// A task with its position on the canvas.
pub struct PlacedTask {
    /// Index of its lane, from the top.
    pub lane: usize,
    /// Left end of the bar or diamond in points.
    pub left: f64,
    /// Right end of the bar or diamond in points.
    pub right: f64,
    /// Right end in points of the part without gaps: that of the bar, unless the task is open.
    pub solid_right: f64,
    /// Whether the mark is a diamond.
    pub is_diamond: bool,
    /// Completed share, 0 to 1.
    progress: f64,
    /// Its label. None if the lanes have no labels or there is no space.
    pub label: Option<TaskLabel>,
    /// Left and right end of bar and label together, in points.
    extent: (f64, f64),
}

/// The lanes of a group.
#[derive(Clone, Copy)]
pub struct LaneRange {
    /// Index of the first lane.
    pub first: usize,
    /// Index of the last lane.
    pub last: usize,
}

impl LaneRange {
    /// A range without lanes.
    const EMPTY: LaneRange = LaneRange { first: usize::MAX, last: 0 };

    /// Returns whether no task of the group has space.
    pub fn is_empty(self) -> bool {
        self.first > self.last
    }
}

/// The lanes with the tasks in them.
pub struct LaneLayout {
    /// Position of each task. None for tasks without space.
    pub placed_tasks: Vec<Option<PlacedTask>>,
    /// Lanes of each group.
    pub group_lanes: Vec<LaneRange>,
    /// Height of a lane in points.
    pub lane_height: f64,
    /// Height of a bar in points.
    pub bar_height: f64,
    /// Font size of task labels in points.
    pub label_size: f64,
    /// Whether space below the lanes is reserved for a note on omitted tasks.
    pub has_note: bool,
    /// Upper edge of the first lane in points.
    top: f64,
    lane_count: usize,
}

impl PlacedTask {
    /// Returns the right end of the completed part in points.
    pub fn done_right(&self) -> f64 {
        (self.left + (self.right - self.left) * self.progress).min(self.solid_right)
    }
}

impl LaneLayout {
    /// Returns the upper edge of a lane in points.
    pub fn top(&self, lane: usize) -> f64 {
        self.top + lane as f64 * self.lane_height
    }

    /// Returns the vertical middle of a lane in points.
    pub fn middle(&self, lane: usize) -> f64 {
        self.top(lane) + self.lane_height / 2.0
    }

    /// Returns the lower edge of the last lane in points.
    pub fn bottom(&self) -> f64 {
        self.top(self.lane_count)
    }
}

/// Assigns each task to a lane of `plot`. `colors` has the bar colors of each group, and
/// `time_scale` converts seconds since 1970-01-01 to x coordinates.
///
/// Tries in this order: one labelled lane per task; labelled lanes shared by tasks of a group that
/// do not overlap; one low lane per task without labels; shared low lanes. If even these do not
/// fit, omits the tasks in the last shared lanes, which have labels if more than five of them fit.
pub fn lay_out(
    schedule: &Schedule,
    time_scale: &LinearScale,
    plot: Rect,
    colors: &[BarColors],
    style: &ChartStyle,
) -> LaneLayout {
    let fitting_lanes = |lane_height: f64| ((plot.height() / lane_height) as usize).max(1);
    let place_tasks = |lane_height: f64, with_labels: bool| {
        LaneDraft::place_tasks(schedule, time_scale, plot, colors, style, lane_height, with_labels)
    };
    let count = schedule.tasks.len();
    let height_per_task = plot.height() / count as f64;
    let min_labelled = MIN_LABELLED_LANE_HEIGHT.min(plot.height());
    let min_unlabelled = MIN_UNLABELLED_LANE_HEIGHT.min(plot.height());
    if height_per_task >= min_labelled {
        return place_tasks(height_per_task, true).into_layout(schedule, count, count, plot);
    }
    let mut labelled = place_tasks(min_labelled, true);
    let lanes = share_lanes(schedule, &mut labelled.placed, labelled.label_size);
    if lanes <= fitting_lanes(min_labelled) {
        let lane_height = plot.height() / lanes as f64;
        if lane_height >= style.label_size * 1.6 {
            // There is space for larger labels, if they do not need more lanes.
            let mut larger = place_tasks(lane_height, true);
            let larger_lanes = share_lanes(schedule, &mut larger.placed, larger.label_size);
            if larger_lanes <= fitting_lanes(larger.lane_height) {
                let lanes = larger.placed.iter().map(|placed| placed.lane + 1).max().unwrap_or(1);
                return larger.into_layout(schedule, lanes, lanes, plot);
            }
        }
        labelled.lane_height = lane_height.min(max_lane_height(plot, style));
        labelled.bar_height = choose_bar_height(labelled.lane_height, labelled.label_size, style);
        return labelled.into_layout(schedule, lanes, lanes, plot);
    }
    if height_per_task >= min_unlabelled {
        return place_tasks(height_per_task, false).into_layout(schedule, count, count, plot);
    }
    let mut unlabelled = place_tasks(min_unlabelled, false);
    let lanes = share_lanes(schedule, &mut unlabelled.placed, unlabelled.label_size);
    if lanes <= fitting_lanes(min_unlabelled) {
        unlabelled.lane_height = plot.height() / lanes as f64;
        unlabelled.bar_height =
            choose_bar_height(unlabelled.lane_height, unlabelled.label_size, style);
        return unlabelled.into_layout(schedule, lanes, lanes, plot);
    }
    let (mut draft, lane_height) = if fitting_lanes(min_labelled) > 5 {
        (labelled, min_labelled)
    } else {
        (unlabelled, min_unlabelled)
    };
    let lanes = share_lanes(schedule, &mut draft.placed, draft.label_size);
    let note_lanes = (style.small_size * 1.3 / lane_height).ceil() as usize;
    let shown = fitting_lanes(lane_height).saturating_sub(note_lanes).max(1);
    draft.into_layout(schedule, lanes, shown, plot)
}

/// Assigns each task to a lane of its own in the order of the schedule, without labels, because the
/// names are in a column.
pub fn lay_out_unlabelled(
    schedule: &Schedule,
    time_scale: &LinearScale,
    plot: Rect,
    colors: &[BarColors],
    style: &ChartStyle,
) -> LaneLayout {
    let count = schedule.tasks.len();
    let lane_height = plot.height() / count.max(1) as f64;
    LaneDraft::place_tasks(schedule, time_scale, plot, colors, style, lane_height, false)
        .into_layout(schedule, count, count, plot)
}

/// Returns the maximum height of a lane in points. In a high plot with few tasks, the lanes are higher, so
/// that they fill most of it.
pub fn max_lane_height(plot: Rect, style: &ChartStyle) -> f64 {
    (MAX_LANE_HEIGHT * style.unit).max(plot.height() * MAX_LANE_SHARE)
}

/// Returns the height of a bar in points. In low lanes the bar takes a larger share of the height,
/// so that it can still contain a label.
fn choose_bar_height(lane_height: f64, label_size: f64, style: &ChartStyle) -> f64 {
    (lane_height * 0.68)
        .max((label_size * 1.15).min(lane_height * 0.86))
        .min((22.0 * style.unit).max(lane_height * 0.5))
        .max(1.0)
}

/// Tasks placed in lanes of a certain height. The number of lanes is not yet limited.
struct LaneDraft {
    /// Height of a lane in points.
    lane_height: f64,
    /// Font size of task labels in points.
    label_size: f64,
    /// Height of a bar in points.
    bar_height: f64,
    /// Position of each task.
    placed: Vec<PlacedTask>,
}

impl LaneDraft {
    /// Places each task in a lane of its own, and its label if `with_labels` is true. The lanes are
    /// `lane_height` points high, up to a maximum, so that together they may be higher than `plot`.
    /// `colors` has the bar colors of each group.
    fn place_tasks(
        schedule: &Schedule,
        time_scale: &LinearScale,
        plot: Rect,
        colors: &[BarColors],
        style: &ChartStyle,
        lane_height: f64,
        with_labels: bool,
    ) -> LaneDraft {
        let lane_height = lane_height.min(max_lane_height(plot, style));
        let label_size = if lane_height >= HIGH_LANE_HEIGHT * style.unit {
            style.label_size * HIGH_LANE_LABEL_EM
        } else if lane_height >= style.label_size * 1.25 {
            style.label_size
        } else {
            style.small_size.min(lane_height / 1.2)
        };
        let bar_height = choose_bar_height(lane_height, label_size, style);
        let place = |task: &Task| {
            let label_style = with_labels.then_some(style);
            let group_colors = colors[task.group];
            place_task(task, time_scale, plot, label_size, bar_height, group_colors, label_style)
        };
        let mut placed: Vec<PlacedTask> = schedule.tasks.iter().map(place).collect();
        placed.iter_mut().enumerate().for_each(|(lane, task)| task.lane = lane);
        LaneDraft { lane_height, label_size, bar_height, placed }
    }

    /// Returns the layout of the tasks in the first `max_lanes` lanes. Omits the tasks in later
    /// lanes, and sets `has_note` if there are any. `lane_count` is the number of all lanes.
    fn into_layout(
        self,
        schedule: &Schedule,
        lane_count: usize,
        max_lanes: usize,
        plot: Rect,
    ) -> LaneLayout {
        let LaneDraft { lane_height, label_size, bar_height, placed } = self;
        let mut group_lanes = vec![LaneRange::EMPTY; schedule.groups.len()];
        let keep = |(task, placed): (&Task, PlacedTask)| {
            if placed.lane >= max_lanes {
                return None;
            }
            let range = &mut group_lanes[task.group];
            range.first = range.first.min(placed.lane);
            range.last = range.last.max(placed.lane);
            Some(placed)
        };
        let placed_tasks = schedule.tasks.iter().zip(placed).map(keep).collect();
        LaneLayout {
            placed_tasks,
            group_lanes,
            lane_height,
            bar_height,
            label_size,
            has_note: lane_count > max_lanes,
            top: plot.y0,
            lane_count: max_lanes.min(lane_count),
        }
    }
}

/// Moves each task to the first lane of its group that has space for its extent, in the order of
/// their left ends. Returns the number of lanes of all groups, which may be more than fit.
///
/// The lanes of each group follow those of the group before it. The extents already contain the
/// labels and are not measured again. `label_size` is the font size with which the tasks were
/// placed, and decides only the gap between two tasks.
fn share_lanes(schedule: &Schedule, placed: &mut [PlacedTask], label_size: f64) -> usize {
    let mut order: Vec<usize> = (0..placed.len()).collect();
    let key = |index: &usize| (schedule.tasks[*index].group, placed[*index].extent.0);
    order.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    let (mut first_lane, mut group) = (0, 0);
    // Right end of the last task in each lane of the group.
    let mut ends: Vec<f64> = Vec::new();
    for index in order {
        if schedule.tasks[index].group != group {
            group = schedule.tasks[index].group;
            first_lane += ends.len();
            ends.clear();
        }
        let (left, right) = placed[index].extent;
        let free_lane = ends.iter().position(|end| end + label_size * 0.7 <= left);
        let lane = free_lane.unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(end) => *end = right,
            None => ends.push(right),
        }
        placed[index].lane = first_lane + lane;
    }
    first_lane + ends.len()
}

/// Computes the positions of bar and label of a task. The lane is 0 until the caller sets it.
///
/// Bars are at least 2 points wide, and diamonds are moved into `plot`. Without `label_style` the
/// task gets no label.
fn place_task(
    task: &Task,
    time_scale: &LinearScale,
    plot: Rect,
    label_size: f64,
    bar_height: f64,
    colors: BarColors,
    label_style: Option<&ChartStyle>,
) -> PlacedTask {
    let (mut left, mut right) = (time_scale.at(task.start), time_scale.at(task.end));
    // As a bar, a single day in a schedule of months would be hardly visible.
    let is_diamond = task.is_milestone || task.is_point && right - left < bar_height;
    if is_diamond {
        let half = (bar_height / 2.0).min(plot.width() / 2.0);
        let center = f64::midpoint(left, right).clamp(plot.x0 + half, plot.x1 - half);
        (left, right) = (center - half, center + half);
    } else if right - left < 2.0 {
        // At least 2 points, so that a day stays visible in a schedule of several years.
        right = (left + 2.0).min(plot.x1);
        left = left.min(right - 2.0).max(plot.x0);
    }
    let tail = if task.is_open { time_marks::tail_width(right - left, bar_height) } else { 0.0 };
    let mut placed = PlacedTask {
        lane: 0,
        left,
        right,
        solid_right: right - tail,
        is_diamond,
        progress: task.progress,
        label: None,
        extent: (left, right),
    };
    if let Some(style) = label_style {
        place_label(&mut placed, task, plot, label_size, colors, style);
    }
    placed
}

/// Sets the label of a task, with the font size `size`, and includes it in the extent.
///
/// The label is in the bar if it fits and is readable there, otherwise right of it, otherwise left
/// of it. If it fits nowhere, it is shortened where there is most space. A task with an empty
/// label, or without space for one character, has no label.
fn place_label(
    placed: &mut PlacedTask,
    task: &Task,
    plot: Rect,
    size: f64,
    colors: BarColors,
    style: &ChartStyle,
) {
    if task.label.is_empty() {
        return;
    }
    let width = style.text_width(&task.label, size);
    let (pad, gap) = (size * 0.4, size * 0.45);
    let (left, right) = (placed.left, placed.right);
    let (space_left, space_right) = (left - gap - plot.x0, plot.x1 - right - gap);
    let space_inside = if placed.is_diamond { 0.0 } else { placed.solid_right - left - 2.0 * pad };
    let shorten_to = |space: f64| {
        if width <= space {
            return (task.label.clone(), width);
        }
        let text = text::ellipsize(&task.label, space, size, style.label_face()).into_owned();
        let width = style.text_width(&text, size);
        (text, width)
    };
    // In the bar if the whole label fits, or if there is no more space on either side.
    let fits_inside = width <= space_inside || space_inside >= space_left.max(space_right);
    let inside = fits_inside.then(|| shorten_to(space_inside)).and_then(|(text, width)| {
        let color = label_color_on_bar(placed, left + pad, width, colors)?;
        Some((text, width, color))
    });
    let ((text, width), x, anchor, color_on_bar) = if let Some((text, width, color)) = inside {
        ((text, width), left + pad, Anchor::Start, Some(color))
    } else if width <= space_right || (width > space_left && space_right >= space_left) {
        (shorten_to(space_right), right + gap, Anchor::Start, None)
    } else {
        (shorten_to(space_left), left - gap, Anchor::End, None)
    };
    match (color_on_bar, anchor) {
        (None, Anchor::End) => placed.extent.0 = x - width,
        (None, _) => placed.extent.1 = x + width,
        _ => {}
    }
    let label = TaskLabel { text, width, x, anchor, color_on_bar };
    placed.label = Some(label).filter(|label| !label.text.is_empty());
}

/// Returns the color of a label on the bar, from `x` to `x + width`. None if neither white nor
/// near-black is readable on all parts of the bar (completed, remaining) that the label covers.
fn label_color_on_bar(placed: &PlacedTask, x: f64, width: f64, colors: BarColors) -> Option<Color> {
    let done = placed.done_right();
    if x + width <= done {
        bar_colors::text_color_on(&[colors.done])
    } else if x >= done {
        bar_colors::text_color_on(&[colors.remaining])
    } else {
        bar_colors::text_color_on(&[colors.done, colors.remaining])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Chart;

    #[test]
    fn few_tasks_fill_most_of_a_high_canvas() {
        let records = [1, 2, 3, 4, 5].map(|day| {
            let date = format!("2024-03-0{day}");
            json!({ "label": "Task", "start": date, "end": "2024-03-20" })
        });
        let kind = crate::find_kind("gantt").unwrap();
        let chart = Chart { width: 1080.0, height: 1080.0, ..Chart::new(kind, &records) };
        let scene = crate::draw(&chart);
        let lowest = scene.text_boxes().map(|(_, bounds)| bounds.y1).fold(0.0, f64::max);
        assert!(lowest > 600.0, "{lowest}");
    }
}
