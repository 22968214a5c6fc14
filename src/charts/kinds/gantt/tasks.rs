//! Tasks of a Gantt chart, read from the records.

use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, date};
use crate::frame::time_marks;
use crate::kinds::gantt::predecessors;

/// A task with valid dates.
pub struct Task {
    /// Index of the record in the data.
    pub row: usize,
    /// Id by which other tasks refer to it. Empty if it has none.
    pub id: String,
    /// Label of the task.
    pub label: String,
    /// Start in seconds since 1970-01-01.
    pub start: f64,
    /// End in seconds since 1970-01-01, exclusive: midnight after the last day. The end of the
    /// schedule for an open task.
    pub end: f64,
    /// Whether the end of the task is unknown.
    pub is_open: bool,
    /// Whether the only date of the task names a day at most, and the task is not open and has no
    /// progress.
    pub is_point: bool,
    /// Completed share, 0 to 1.
    pub progress: f64,
    /// Index of its group.
    pub group: usize,
    /// Whether the task is a point in time, drawn as a diamond.
    pub is_milestone: bool,
    /// Ids of the tasks that must end before this one starts.
    pub depends_on: Vec<String>,
}

/// All tasks with their groups.
pub struct Schedule {
    /// Tasks, sorted by group.
    pub tasks: Vec<Task>,
    /// Names of the groups in order of appearance. A single empty name if no task has a group.
    pub groups: Vec<String>,
    /// Earliest start and latest end in seconds since 1970-01-01. Open tasks extend the latest end, so that
    /// it need not be a date of the data.
    pub span: (f64, f64),
    /// A time on the last day of the data, in seconds since 1970-01-01.
    pub last_day: f64,
    /// Whether any record has a progress.
    pub has_progress: bool,
}

/// Maximum number of tasks. No canvas has space for more, so the rest is omitted with a warning.
const MAX_TASKS: usize = 2000;

/// Reads one task per record, sorted by group in the order of their first records. Leaves out
/// records without known dates and tasks beyond the maximum. The scene counts both, unless there
/// are no tasks.
///
/// A task without duration is a milestone. If others have ends, a task without an end is open. If
/// others have starts, a task without a start is a milestone at its last day, because its length is
/// unknown. The scene names tasks with an end before their start. Without tasks, the span is not finite.
pub fn read_schedule(chart: &Chart, scene: &mut Scene) -> Schedule {
    let mut group_indexes: HashMap<String, usize> = HashMap::new();
    let mut schedule = Schedule {
        tasks: Vec::new(),
        groups: Vec::new(),
        span: (0.0, 0.0),
        last_day: 0.0,
        has_progress: false,
    };
    let (mut undated, mut over_limit_count) = (Vec::new(), 0);
    let facts = ScheduleFacts::new(chart);
    for (row, record) in chart.data.iter().enumerate() {
        let Some(task) = read_task(row, record, &facts) else {
            if !data::is_blank(record) {
                undated.push(data::record_label(record));
            }
            continue;
        };
        if schedule.tasks.len() == MAX_TASKS {
            over_limit_count += 1;
            continue;
        }
        if !task.is_milestone && data::is_reversed(&record["start"], &record["end"]) {
            scene.omit_named(Omission::Reversed, &task.label);
        }
        let group_name = data::display_text(&record["group"]);
        let group = find_or_add_group(&group_name, &mut schedule, &mut group_indexes);
        schedule.has_progress |= data::number(&record["progress"]).is_some();
        schedule.tasks.push(Task { group, ..task });
    }
    let keys: Vec<(usize, &str)> =
        schedule.tasks.iter().map(|task| (task.row, task.id.as_str())).collect();
    let dependencies = predecessors::read_dependencies(chart, &keys, scene);
    for (task, depends_on) in schedule.tasks.iter_mut().zip(dependencies) {
        task.depends_on = depends_on;
    }
    if !schedule.tasks.is_empty() {
        undated.iter().for_each(|label| scene.omit_named(Omission::NoDate, label));
        scene.omit(Omission::NoSpace, over_limit_count);
    }
    schedule.tasks.sort_by_key(|task| task.group);
    let low = schedule.tasks.iter().map(|task| task.start).fold(f64::INFINITY, f64::min);
    // Ends are exclusive, except those of tasks without duration.
    let last_day = |task: &Task| (task.end - 1.0).max(task.start);
    schedule.last_day = schedule.tasks.iter().map(last_day).fold(f64::NEG_INFINITY, f64::max);
    schedule.span = (low, extend_open_tasks(&mut schedule.tasks, low));
    schedule
}

/// Facts about all records.
struct ScheduleFacts {
    /// Whether any task has a start.
    has_starts: bool,
    /// Whether any task has an end.
    has_ends: bool,
    /// Progress of a completed task.
    progress_unit: f64,
}

impl ScheduleFacts {
    /// Collects the facts about the records of a chart.
    fn new(chart: &Chart) -> ScheduleFacts {
        let has_any = |key| chart.data.iter().any(|record| data::timestamp(&record[key]).is_some());
        ScheduleFacts {
            has_starts: has_any("start"),
            has_ends: has_any("end"),
            progress_unit: find_progress_unit(chart),
        }
    }
}

/// Reads the task of a record, without its group and its dependencies. Returns None without known
/// dates, see [`read_dates`].
fn read_task(row: usize, record: &Value, facts: &ScheduleFacts) -> Option<Task> {
    let [has_start, has_end] = ["start", "end"].map(|key| data::timestamp(&record[key]).is_some());
    let is_deadline = facts.has_starts && !has_start && !data::is_unknown_date(&record["start"]);
    let is_milestone = is_deadline || data::is_true(&record["milestone"]);
    let (start, end) = read_dates(record, is_milestone)?;
    let is_open = facts.has_ends && !is_milestone && !has_end;
    let progress = data::number(&record["progress"]);
    let is_day = end - start <= date::DAY_SECONDS && !(has_start && has_end);
    let label = data::record_label(record).into_owned();
    let id = data::display_text(&record["id"]);
    Some(Task {
        row,
        // People who write no ids name the tasks in `dependsOn` by their labels.
        id: if id.is_empty() { label.clone() } else { id.into_owned() },
        label,
        start,
        end,
        is_open,
        is_point: is_day && !is_open && progress.is_none(),
        progress: progress.map_or(0.0, |progress| (progress / facts.progress_unit).clamp(0.0, 1.0)),
        group: 0,
        is_milestone: is_milestone || end <= start,
        depends_on: Vec::new(),
    })
}

/// Extends the open tasks to the end of the schedule, and returns that end. `low` is its start.
fn extend_open_tasks(tasks: &mut [Task], low: f64) -> f64 {
    let high = tasks.iter().map(|task| task.end).fold(f64::NEG_INFINITY, f64::max);
    let open_starts = tasks.iter().filter(|task| task.is_open).map(|task| task.start);
    let high = time_marks::extend_span((low, high), open_starts);
    tasks.iter_mut().filter(|task| task.is_open).for_each(|task| task.end = high);
    high
}

/// Returns the progress of a completed task: 100 if the progress of any task is above 1, otherwise
/// 1.
///
/// All tasks have the same unit, so that 1 means 1 % beside 40.
fn find_progress_unit(chart: &Chart) -> f64 {
    let mut progress = chart.data.iter().filter_map(|record| data::number(&record["progress"]));
    if progress.any(|progress| progress > 1.0) { 100.0 } else { 1.0 }
}

/// Returns the index of the group `name` in `schedule`, and adds the group if it is new. `known`
/// has the index of each group.
///
/// Compares with the group of the last task first, because most tasks follow one of their own
/// group.
fn find_or_add_group(
    name: &str,
    schedule: &mut Schedule,
    known: &mut HashMap<String, usize>,
) -> usize {
    match schedule.tasks.last() {
        Some(last) if schedule.groups[last.group] == name => last.group,
        _ => *known.entry(name.to_owned()).or_insert_with_key(|name| {
            schedule.groups.push(name.clone());
            schedule.groups.len() - 1
        }),
    }
}

/// Returns start and exclusive end in seconds since 1970-01-01. None if the record has neither
/// date, or if one of them is another text such as `TBD`. A milestone only needs one date: it is at
/// its start, else at the last day of its end date, and has no duration.
///
/// The last date includes the whole day, month, quarter or year that it names. If the end is before
/// the start, both are swapped. With only one date, the task lasts the period that it names.
fn read_dates(record: &Value, is_milestone: bool) -> Option<(f64, f64)> {
    let (first, last) = (&record["start"], &record["end"]);
    let (start, end) = (data::timestamp(first), data::period_end(last));
    let is_unknown = [first, last].into_iter().any(data::is_unknown_date);
    match (start, end) {
        (Some(at), _) if is_milestone => Some((at, at)),
        (None, Some(end)) if is_milestone => {
            let last_day = (end - date::DAY_SECONDS).max(data::timestamp(last)?);
            Some((last_day, last_day))
        }
        _ if is_unknown => None,
        (Some(_), Some(_)) if data::is_reversed(first, last) => {
            Some((data::timestamp(last)?, data::period_end(first)?))
        }
        (Some(from), Some(to)) => Some((from, to)),
        (Some(from), None) => Some((from, data::period_end(first)?)),
        (None, Some(to)) => Some((data::timestamp(last)?, to)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_task_without_an_id_is_identified_by_its_label() {
        let records = [
            json!({ "label": "Design", "start": "2024-03-01" }),
            json!({ "id": "b", "label": "Build", "start": "2024-03-02", "dependsOn": "Design" }),
        ];
        let chart = Chart::new(&crate::kinds::gantt::KIND, &records);
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        let ids: Vec<&str> = schedule.tasks.iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["Design", "b"]);
    }

    #[test]
    fn tasks_without_an_end_are_open_beside_others_with_ends() {
        let records = [
            json!({ "label": "Build", "start": "2024-03-01", "end": "2024-04-09" }),
            json!({ "label": "Operate", "start": "2024-03-05", "end": null }),
            json!({ "label": "Support", "start": "2024-04-09" }),
            json!({ "label": "Launch", "start": "2024-03-10", "milestone": true }),
        ];
        let chart = Chart::new(&crate::kinds::gantt::KIND, &records);
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        let open: Vec<bool> = schedule.tasks.iter().map(|task| task.is_open).collect();
        assert_eq!(open, [false, true, true, false]);
        let day = |text: &str| crate::format::date::parse(text).unwrap();
        assert_eq!(schedule.span, (day("2024-03-01"), day("2024-04-13")));
        assert_eq!(schedule.tasks[1].end, day("2024-04-13"));
        let scene = crate::draw(&chart);
        assert!(scene.description.ends_with("to 9 Apr 2024."), "{}", scene.description);
        // Without any end, each task lasts the period that its date names.
        let chart = Chart { data: &records[1..2], ..chart };
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        assert!(!schedule.tasks[0].is_open);
    }

    #[test]
    fn a_task_without_a_start_is_a_milestone_at_its_last_day() {
        let records = [
            json!({ "label": "Build", "start": "2024-03-01", "end": "2024-04-09" }),
            json!({ "label": "Tax report", "end": "2024-03-31" }),
            json!({ "label": "Audit", "end": "2024-03" }),
        ];
        let chart = Chart::new(&crate::kinds::gantt::KIND, &records);
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        let day = crate::format::date::parse("2024-03-31").unwrap();
        for task in &schedule.tasks[1..] {
            assert_eq!(
                (task.is_milestone, task.start, task.end),
                (true, day, day),
                "{}",
                task.label
            );
        }
        // Without any start, each task lasts the period that its date names. A day is a point.
        let chart = Chart { data: &records[1..], ..chart };
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        assert!(schedule.tasks.iter().all(|task| !task.is_milestone));
        assert!(schedule.tasks[0].is_point && !schedule.tasks[1].is_point);
    }

    #[test]
    fn a_label_with_a_comma_is_one_dependency() {
        let records = [
            json!({ "label": "Design, build", "start": "2024-03-01" }),
            json!({ "label": "Buy", "start": "2024-03-01" }),
            json!({ "label": "Test", "start": "2024-03-02", "dependsOn": " Design, build" }),
            json!({ "label": "Sell", "start": "2024-03-02", "dependsOn": "Buy, Test" }),
        ];
        let chart = Chart::new(&crate::kinds::gantt::KIND, &records);
        let schedule = read_schedule(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        let dependencies: Vec<String> =
            schedule.tasks.iter().map(|task| task.depends_on.join("|")).collect();
        assert_eq!(dependencies, ["", "", "Design, build", "Buy|Test"]);
    }

    #[test]
    fn reversed_dates_include_the_days_of_both() {
        let check = |start: &str, end: &str, expected: [&str; 2]| {
            let dates = read_dates(&json!({ "start": start, "end": end }), false).unwrap();
            let expected = expected.map(|date| crate::format::date::parse(date).unwrap());
            assert_eq!([dates.0, dates.1], expected, "{start} {end}");
        };
        check("2024-05-10", "2024-05-01", ["2024-05-01", "2024-05-11"]);
        check("2024-05-02", "2024-05-01", ["2024-05-01", "2024-05-03"]);
        check("2024-05-01", "2024-05-10", ["2024-05-01", "2024-05-11"]);
        check("2024-06", "2024-05", ["2024-05-01", "2024-07-01"]);
        // The start is in the month of the end.
        check("2024-05-10", "2024-05", ["2024-05-10", "2024-06-01"]);
        check("2024-05-10 12:00", "2024-05-10 12:00", ["2024-05-10 12:00", "2024-05-10 12:00"]);
    }

    #[test]
    fn tasks_with_an_end_before_their_start_are_named() {
        let records = [
            json!({ "label": "Design", "start": "2024-03-01", "end": "2024-03-04" }),
            json!({ "label": "Pilot", "start": "2024-09-01", "end": "2024-08-30" }),
            json!({ "label": "Launch", "start": "2024-10", "end": "2024-10-01" }),
        ];
        for slug in ["gantt", "roadmap"] {
            let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &records));
            assert_eq!(scene.omissions, [(Omission::Reversed, 1)], "{slug}");
            let note = "End before start, drawn with both dates swapped: 1 (Pilot)";
            assert!(scene.text_boxes().any(|(text, _)| text == note), "{slug}");
            assert_eq!(scene.warnings, [format!("{note}.")], "{slug}");
        }
    }

    #[test]
    fn tasks_with_an_unknown_date_are_named_and_not_drawn() {
        let records = [
            json!({ "label": "Design", "start": "2024-03-01", "end": "2024-03-04" }),
            json!({ "label": "Build", "start": "2024-03-02", "end": "TBD" }),
            json!({ "label": "Test", "start": "?", "end": "2024-03-09" }),
            json!({ "label": "Launch", "start": "2024-03-10", "end": "offen", "milestone": true }),
            json!({ "label": "Docs", "start": "2024-03-10", "end": "n/a" }),
        ];
        for slug in ["gantt", "roadmap"] {
            let records = if slug == "gantt" { &records[..] } else { &records[..3] };
            let chart = Chart::new(crate::find_kind(slug).unwrap(), records);
            let scene = crate::draw(&chart);
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            assert!(!texts.contains(&"Build") && !texts.contains(&"Test"), "{slug}: {texts:?}");
            assert_eq!(texts.contains(&"Docs"), slug == "gantt", "{texts:?}");
            let note = "Not shown: 2 without a valid date (Build, Test)";
            assert!(texts.contains(&note), "{slug}: {texts:?}");
        }
    }
}
