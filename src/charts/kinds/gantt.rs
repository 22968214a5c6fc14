//! Gantt chart: tasks as bars on a time axis, with progress, milestones and dependency arrows.
//!
//! Record: `id` (the label without it), `label`, `start`, `end` (inclusive), `duration` (days, or a
//! text with a unit, instead of `end`), `progress` (0 to 1), `group`, `milestone`, `dependsOn`
//! (ids). Settings: `unit`, `showToday` (a date), `showDependencies`, `workingDays`,
//! `showProgress`, `showGrid`.

mod bar_colors;
mod dependencies;
mod lanes;
mod name_column;
mod predecessors;
mod tasks;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::{Omission, date};
use crate::frame;
use crate::frame::end_names::EndNames;
use crate::frame::time::{DateMarker, TimeAxis};
use crate::frame::time_marks;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Stroke, Text};
use crate::text;
use crate::text::Face;

use bar_colors::BarColors;
use lanes::{LaneLayout, PlacedTask};
use tasks::{Schedule, Task};

/// The Gantt chart.
pub const KIND: Kind = Kind { slug: "gantt", draw };

/// Draws the time axis, the date line, the bars and milestones with their labels, dependency arrows
/// and group labels. Warns about tasks that do not fit. Draws a note instead if no record has a
/// date.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let schedule = tasks::read_schedule(chart, scene);
    if schedule.tasks.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let area = frame.area;
    let group_labels = wrap_group_labels(&schedule, area, style);
    let colors: Vec<BarColors> = (0..schedule.groups.len().max(1))
        .map(|group| choose_bar_colors(chart, &schedule, group, style))
        .collect();
    let Layout { axis, today, plot, lanes, names } =
        lay_out(chart, &schedule, &group_labels, &colors, frame);
    draw_grid(chart, &axis, plot, area.y0, style, scene);
    draw_groups(&schedule, &lanes, &group_labels, area, style, scene);
    let has_arrows = chart.bool_setting("showDependencies", true)
        && dependencies::draw_arrows(&schedule, &lanes, style, scene);
    let has_crossing_lines = has_arrows || today.is_some();
    let placed_tasks = || {
        let pairs = schedule.tasks.iter().zip(&lanes.placed_tasks);
        pairs.filter_map(|(task, placed)| Some((task, placed.as_ref()?)))
    };
    if let Some(today) = today {
        // Before the bars, so that the line does not cross the labels in them.
        let (x, bottom) = (axis.x.at(today.timestamp), plot.y1 + style.label_size * 0.3);
        today.draw_line(x, (plot.y0, bottom), style, scene);
        if !lanes.has_note && bottom + style.label_size * 1.1 < scene.height - 4.0 {
            let baseline = bottom + style.label_size * 0.95;
            today.draw_label((x, baseline), (area.x0, area.x1), style, scene);
        }
    }
    for (task, placed) in placed_tasks() {
        draw_task(chart, task, placed, &lanes, colors[task.group], scene);
    }
    for (task, placed) in placed_tasks() {
        draw_task_label(task, placed, &lanes, has_crossing_lines, style, scene);
    }
    match &names {
        Some((names, left)) => name_column::draw(names, &lanes, *left, style, scene),
        None => report_omitted_tasks(&schedule, &lanes, plot, style, scene),
    }
    scene.description = format!(
        "Gantt chart of {} tasks from {} to {}.",
        schedule.tasks.len(),
        date::format_day(schedule.span.0, true, chart.locale()),
        date::format_day(schedule.last_day, true, chart.locale()),
    );
}

/// Positions of the parts of the chart.
struct Layout {
    axis: TimeAxis,
    today: Option<DateMarker>,
    /// Area of the lanes.
    plot: Rect,
    lanes: LaneLayout,
    /// Names in a column, and its left edge. None if the names are in or beside the bars.
    names: Option<(EndNames, f64)>,
}

/// Lays out time axis and lanes right of the group labels. If a column of names shows more of them
/// than the labels of the bars, lays out both again right of such a column, without labels.
fn lay_out(
    chart: &Chart,
    schedule: &Schedule,
    group_labels: &[GroupLabel],
    colors: &[BarColors],
    frame: &Frame,
) -> Layout {
    let (style, area) = (&frame.style, frame.area);
    let group_width = group_labels.iter().map(|label| label.width).fold(0.0, f64::max);
    let groups_right =
        area.x0 + if group_width > 0.0 { group_width + style.label_size } else { 0.0 };
    let lay_out_time = |left: f64| {
        let axis = build_time_axis(chart, schedule, (left, area.x1), style);
        let top = area.y0 + axis.height(style);
        let today = DateMarker::from_settings(chart, style, axis.x.domain);
        let today_height = if today.is_some() { style.label_size * 1.4 } else { 0.0 };
        let bottom = (area.y1 - today_height).max(top + 1.0);
        (axis, today, Rect::new(left, top, area.x1, bottom))
    };
    let (axis, today, plot) = lay_out_time(groups_right);
    let lanes = lanes::lay_out(schedule, &axis.x, plot, colors, style);
    let Some(names) = name_column::plan(schedule, &lanes, plot, style) else {
        let plot = Rect { y1: lanes.bottom(), ..plot };
        return Layout { axis, today, plot, lanes, names: None };
    };
    let (axis, today, plot) = lay_out_time(groups_right + name_column::width(&names));
    let lanes = lanes::lay_out_unlabelled(schedule, &axis.x, plot, colors, style);
    let plot = Rect { y1: lanes.bottom(), ..plot };
    Layout { axis, today, plot, lanes, names: Some((names, groups_right)) }
}

/// Returns the time axis above the bars, between the x coordinates of `range`.
///
/// It starts at the first day of a month if that adds less than 12 % to the length of the schedule,
/// otherwise slightly before the schedule. The setting `unit` is the minimum distance of its ticks.
/// Without the setting, it is 30 days for schedules of more than 95 days.
fn build_time_axis(
    chart: &Chart,
    schedule: &Schedule,
    range: (f64, f64),
    style: &ChartStyle,
) -> TimeAxis {
    let (low, high) = schedule.span;
    let span = (high - low).max(date::DAY_SECONDS);
    let first_day = date::to_civil(low);
    let month = date::timestamp(first_day.year, first_day.month as i32, 1);
    let low = if low - month < 0.12 * span { month } else { low - 0.01 * span };
    let min_tick_days = match chart.str_setting("unit") {
        "day" => 1.0,
        "week" => 7.0,
        "month" => 30.0,
        "quarter" => 91.0,
        // From about three months on, ticks per month are easier to read than ticks every second
        // week.
        _ if span > 95.0 * date::DAY_SECONDS => 30.0,
        _ => 0.0,
    };
    let domain = (low, high + 0.01 * span);
    TimeAxis::with_min_step(domain, range, min_tick_days * date::DAY_SECONDS, style, chart.locale())
}

/// The label of a group, wrapped into lines.
struct GroupLabel {
    lines: Vec<String>,
    /// Full label if the lines are shortened.
    full: Option<String>,
    /// Width of the widest line in points.
    width: f64,
}

/// Returns the labels of all groups, each in at most two lines, shortened if necessary. Empty
/// without group names, or if the canvas is too narrow.
fn wrap_group_labels(schedule: &Schedule, area: Rect, style: &ChartStyle) -> Vec<GroupLabel> {
    let max_width = area.width() * 0.22;
    if max_width < style.label_size * 4.0 || schedule.groups.iter().all(|group| group.is_empty()) {
        return Vec::new();
    }
    let wrap_label = |name: &String| {
        let lines = text::wrap(name, max_width, 2, style.label_size, Face::BOLD);
        let width = lines
            .iter()
            .map(|line| text::width(line, style.label_size, Face::BOLD))
            .fold(0.0, f64::max);
        let is_cut = lines.iter().any(|line| line.ends_with('…'));
        GroupLabel { lines, full: is_cut.then(|| name.clone()), width }
    };
    schedule.groups.iter().map(wrap_label).collect()
}

/// Returns the bar colors of the group at index `group`. The remaining part is paler if any task
/// has a progress, unless the setting `showProgress` is false.
fn choose_bar_colors(
    chart: &Chart,
    schedule: &Schedule,
    group: usize,
    style: &ChartStyle,
) -> BarColors {
    let done = chart.series_color(group);
    let shows_progress = schedule.has_progress && chart.bool_setting("showProgress", true);
    BarColors {
        done,
        remaining: if shows_progress { done.mix(style.background, 0.55) } else { done },
    }
}

/// Draws the labels of the time axis from `top` down, and the gridlines unless the setting
/// `showGrid` is false.
///
/// With the setting `workingDays` it also shades the weekends, which start on Friday in some
/// locales, if a day is at least 2.5 points wide.
fn draw_grid(
    chart: &Chart,
    axis: &TimeAxis,
    plot: Rect,
    top: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (low, high) = axis.x.domain;
    let day_width = (plot.width() / ((high - low) / date::DAY_SECONDS)).max(0.0);
    if chart.bool_setting("workingDays", false) && day_width >= 2.5 {
        // 1970-01-03 was a Saturday.
        let first = if chart.locale().has_weekend_on_friday { 1.0 } else { 2.0 };
        let mut weekend = ((low / date::DAY_SECONDS - first - 2.0) / 7.0).floor() * 7.0 + first;
        while weekend * date::DAY_SECONDS < high {
            let from = axis.x.at(weekend * date::DAY_SECONDS);
            let to = axis.x.at((weekend + 2.0) * date::DAY_SECONDS);
            scene.rect(
                Rect::new(from, plot.y0, to, plot.y1),
                style.grid_color.mix(style.background, 0.5),
            );
            weekend += 7.0;
        }
    }
    if chart.bool_setting("showGrid", true) {
        axis.draw_gridlines(scene, style, plot);
    }
    // The axis leaves a gap of 6 units above its labels. Here nothing is above them.
    axis.draw_labels(scene, style, top - 6.0 * style.unit);
}

/// Draws the label of each group that has a lane, and a line above it if there are several groups.
/// Omits the lines of a label that have no space.
fn draw_groups(
    schedule: &Schedule,
    lanes: &LaneLayout,
    labels: &[GroupLabel],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    // Upper edge of the space that no label occupies.
    let mut free_top = area.y0;
    for (group, range) in lanes.group_lanes.iter().enumerate() {
        if range.is_empty() {
            continue;
        }
        let (top, bottom) = (lanes.top(range.first), lanes.top(range.last + 1));
        if schedule.groups.len() > 1 {
            scene.line((area.x0, top), (area.x1, top), Stroke::new(style.grid_color, 1.0));
        }
        let Some(label) = labels.get(group) else { continue };
        // In low lanes the label moves down, so that it does not touch the line above it.
        let middle = top + lanes.lane_height.max(style.label_size * 1.4).min(bottom - top) / 2.0;
        let mut baseline = middle + HALF_CAP_HEIGHT_EM * style.label_size;
        for line in &label.lines {
            // A second line needs a second lane, because the next lane may belong to the next
            // group.
            let fits = baseline - ASCENT_EM * style.label_size >= free_top
                && baseline <= bottom.max(middle + style.label_size);
            if fits {
                let text =
                    style.label_text(area.x0, baseline, Anchor::Start, style.label_size, line);
                let width = text::width(line, style.label_size, Face::BOLD);
                let full = label.full.clone().filter(|_| line.ends_with('…'));
                scene.text(Text { face: Face::BOLD, width, full, ..text });
                free_top = baseline + 0.25 * style.label_size;
            }
            baseline += style.label_size * 1.2;
        }
    }
}

/// Draws the bar of a task with its completed part at the left, or the diamond of a milestone,
/// without the label.
fn draw_task(
    chart: &Chart,
    task: &Task,
    placed: &PlacedTask,
    lanes: &LaneLayout,
    colors: BarColors,
    scene: &mut Scene,
) {
    let middle = lanes.middle(placed.lane);
    let half_height = lanes.bar_height / 2.0;
    scene.begin_mark(if task.is_milestone { "milestone" } else { "task" }, Some(task.row), || {
        let day = |timestamp: f64| date::format_day(timestamp, true, chart.locale());
        let end = match task {
            Task { is_milestone: true, .. } | Task { is_point: true, .. } => String::new(),
            Task { is_open: true, .. } => " – …".to_owned(),
            task => format!(" – {}", day(task.end - 1.0)),
        };
        (None, format!("{}: {}{end}", task.label, day(task.start)))
    });
    if placed.is_diamond {
        let x = f64::midpoint(placed.left, placed.right);
        let half_diagonal = (placed.right - placed.left) / 2.0;
        let path = time_marks::diamond(Point::new(x, middle), half_diagonal);
        scene.fill(path, colors.done);
    } else {
        let bar = Rect::new(placed.left, middle - half_height, placed.right, middle + half_height);
        let bar = time_marks::draw_tail(bar, placed.solid_right, colors.remaining, scene);
        let radius = (half_height * 0.35).min(bar.width() / 2.0);
        scene.push(Primitive::Rect { rect: bar, radius, fill: colors.remaining });
        let done_right = placed.done_right();
        if done_right > bar.x0 && colors.done != colors.remaining {
            let radius = radius.min((done_right - bar.x0) / 2.0);
            scene.push(Primitive::Rect {
                rect: Rect { x1: done_right, ..bar },
                radius,
                fill: colors.done,
            });
        }
    }
    scene.end_mark();
}

/// Draws the label of a task where it was placed, in its bar or beside it. Does nothing for a task
/// without a placed label.
///
/// With `has_crossing_lines` a label beside its bar gets a halo, so that it stays readable where
/// arrows or the date line cross it.
fn draw_task_label(
    task: &Task,
    placed: &PlacedTask,
    lanes: &LaneLayout,
    has_crossing_lines: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(label) = &placed.label else { return };
    let color = label.color_on_bar.unwrap_or(style.value_color);
    let halo = (has_crossing_lines && label.color_on_bar.is_none()).then_some(style.background);
    scene.text(Text {
        x: label.x,
        y: lanes.middle(placed.lane) + HALF_CAP_HEIGHT_EM * lanes.label_size,
        anchor: label.anchor,
        angle: 0.0,
        size: lanes.label_size,
        face: style.label_face(),
        color,
        halo,
        text: label.text.clone(),
        width: label.width,
        full: (label.text != task.label).then(|| task.label.clone()),
    });
}

/// Counts the names that are not shown. Warns about tasks without space, and draws a note with
/// their number below the lanes if the note fits.
fn report_omitted_tasks(
    schedule: &Schedule,
    lanes: &LaneLayout,
    plot: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let is_unnamed = |(task, placed): &(&Task, &Option<PlacedTask>)| {
        placed.as_ref().is_some_and(|placed| placed.label.is_none()) && !task.label.is_empty()
    };
    let pairs = schedule.tasks.iter().zip(&lanes.placed_tasks);
    scene.omit(Omission::Name, pairs.filter(is_unnamed).count());
    let count = lanes.placed_tasks.iter().filter(|placed_task| placed_task.is_none()).count();
    if count == 0 {
        return;
    }
    scene.warn(format!("{count} of {} tasks do not fit on the canvas.", schedule.tasks.len()));
    let text = style.overflow_note(
        (plot.x1, plot.y1 + 1.1 * style.small_size),
        Anchor::End,
        count,
        "task",
    );
    if lanes.has_note && text.width < plot.width() {
        scene.text(text);
    }
}
