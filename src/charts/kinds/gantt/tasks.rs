//! Reads the tasks of a plan.

use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::date;

/// A task with readable dates.
pub struct Task {
    /// Place of its record.
    pub row: usize,
    /// By which others name it; empty without one.
    pub id: String,
    /// Name.
    pub label: String,
    /// Begin in seconds since 1970.
    pub from: f64,
    /// End in seconds since 1970, after the last day.
    pub to: f64,
    /// Share that is done, 0 to 1.
    pub progress: f64,
    /// Place of its group.
    pub group: usize,
    /// Whether it is a point in time.
    pub milestone: bool,
    /// Ids of the tasks that it waits for.
    pub after: Vec<String>,
}

/// All tasks, group by group.
pub struct Plan {
    /// In the order of their rows.
    pub tasks: Vec<Task>,
    /// Names of the groups in order of appearance; one empty name without groups.
    pub groups: Vec<String>,
    /// First begin and last end in seconds.
    pub span: (f64, f64),
    /// Whether any task tells its progress.
    pub progress: bool,
}

/// More tasks than this are left out with a warning; no canvas holds them.
const MOST_TASKS: usize = 2000;
/// More ids than this are not read from one task.
const MOST_LINKS: usize = 20;

/// Reads the records; those without a date are no tasks.
pub fn read(chart: &Chart, scene: &mut Scene) -> Plan {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut plan =
        Plan { tasks: Vec::new(), groups: Vec::new(), span: (0.0, 0.0), progress: false };
    for (row, record) in chart.data.iter().enumerate() {
        let milestone = data::flag(&record["milestone"]);
        let Some((from, to)) = dates(record, milestone) else { continue };
        if plan.tasks.len() == MOST_TASKS {
            scene.warn(format!("Only the first {MOST_TASKS} tasks are drawn."));
            break;
        }
        let group = place(&data::words(&record["group"]), &mut plan, &mut places);
        let progress = data::number(&record["progress"]);
        plan.progress |= progress.is_some();
        plan.tasks.push(Task {
            row,
            id: data::words(&record["id"]).into_owned(),
            label: data::label(record).into_owned(),
            from,
            to,
            // Some write 40 for 40 %.
            progress: progress
                .map_or(0.0, |it| if it > 1.0 { it / 100.0 } else { it }.clamp(0.0, 1.0)),
            group,
            milestone: milestone || to <= from,
            after: links(&record["dependsOn"]),
        });
    }
    plan.tasks.sort_by_key(|it| it.group);
    let low = plan.tasks.iter().map(|it| it.from).fold(f64::INFINITY, f64::min);
    let high = plan.tasks.iter().map(|it| it.to).fold(f64::NEG_INFINITY, f64::max);
    plan.span = (low, high);
    plan
}

/// The place of a group's name. Most tasks stand beside others of their group.
fn place(name: &str, plan: &mut Plan, places: &mut HashMap<String, usize>) -> usize {
    match plan.tasks.last() {
        Some(last) if plan.groups[last.group] == name => last.group,
        _ => *places.entry(name.to_owned()).or_insert_with_key(|name| {
            plan.groups.push(name.clone());
            plan.groups.len() - 1
        }),
    }
}

/// Begin and end; a date without a time of day means the whole day. A lone date is a day.
fn dates(record: &Value, milestone: bool) -> Option<(f64, f64)> {
    let (first, last) = (&record["start"], &record["end"]);
    let start = data::moment(first);
    let end = data::moment(last).map(|it| it + rest_of_day(last));
    match (start, end) {
        (Some(at), _) if milestone => Some((at, at)),
        (None, Some(at)) if milestone => Some((at, at)),
        (Some(from), Some(to)) => Some((from.min(to), from.max(to))),
        (Some(from), None) => Some((from, from + rest_of_day(first))),
        (None, Some(to)) => Some((to - rest_of_day(last), to)),
        (None, None) => None,
    }
}

/// Seconds from a date to the end of its day; none when it has a time of day.
fn rest_of_day(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) if text.trim().len() > 10 => 0.0,
        _ => date::DAY,
    }
}

/// One id, or a list of them, or several with commas between.
fn links(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => {
            list.iter().take(MOST_LINKS).map(|it| data::words(it).into_owned()).collect()
        }
        Value::String(list) => {
            list.split(',').take(MOST_LINKS).map(|it| it.trim().to_owned()).collect()
        }
        Value::Number(id) => vec![id.to_string()],
        _ => Vec::new(),
    }
}
