//! Predecessors of tasks, also in the notation of project software, such as `3FS+2 days`.

use std::collections::HashSet;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;

/// Maximum number of dependencies read from one record.
const MAX_DEPENDENCIES: usize = 20;
/// Maximum number of dependencies that a warning names.
const MAX_NAMED: usize = 5;
/// Codes of links from the end of a task to the start of another one, in English and German programs.
const END_TO_START: [&str; 2] = ["FS", "EA"];
/// Codes of other links. An arrow from an end to a start would be wrong.
const OTHER_LINKS: [&str; 6] = ["SS", "FF", "SF", "AA", "EE", "AE"];

/// Reads the ids of the tasks that each task depends on, from the column `dependsOn`. `tasks` has the index of
/// the record and the id of each task, because a text may be an id that contains commas. A warning names
/// dependencies without an arrow: of unknown tasks, and links such as `3SS` from a start to a start.
pub fn read_dependencies(
    chart: &Chart,
    tasks: &[(usize, &str)],
    scene: &mut Scene,
) -> Vec<Vec<String>> {
    let ids: HashSet<&str> = tasks.iter().map(|(_, id)| *id).collect();
    let mut unused: Vec<String> = Vec::new();
    let mut resolve = |text: String| {
        let id = find_id(&text, &ids).map(str::to_owned);
        if id.is_none() && !text.is_empty() {
            unused.push(text);
        }
        id
    };
    let of_task = |(row, _): &(usize, &str)| {
        let value = chart.data.get(*row).map_or(&Value::Null, |record| &record["dependsOn"]);
        parse_dependencies(value, &ids).into_iter().filter_map(&mut resolve).collect()
    };
    let dependencies = tasks.iter().map(of_task).collect();
    if !unused.is_empty() {
        let (count, names) = (unused.len(), unused[..unused.len().min(MAX_NAMED)].join(", "));
        scene.warn(format!("Dependencies without an arrow: {count} ({names})."));
    }
    dependencies
}

/// Returns the id in the text of a dependency: all of it, or the part before the code of a link from an
/// end to a start and a lag, as in `3`, `3FS` and `3EA+2 Tage`. None for unknown ids and other links.
fn find_id<'a>(text: &str, ids: &HashSet<&'a str>) -> Option<&'a str> {
    if let Some(id) = ids.get(text) {
        return Some(id);
    }
    let lag = text.find(['+', '-', '\u{2212}']).unwrap_or(text.len());
    let link = text.get(..lag).unwrap_or(text).trim_end();
    let has_code = |code: &&&str| link.ends_with(**code);
    if OTHER_LINKS.iter().any(|code| link.ends_with(code)) {
        return None;
    }
    let code = END_TO_START.iter().find(has_code).copied().unwrap_or_default();
    let id = link.strip_suffix(code).unwrap_or(link).trim_end();
    ids.get(id).copied()
}

/// Parses ids of tasks: a number, a list, or a text in which commas or semicolons separate them. A
/// text that is one of the `ids` is not split. Returns at most `MAX_DEPENDENCIES`, which may include empty ids.
/// Other values give none.
fn parse_dependencies(value: &Value, ids: &HashSet<&str>) -> Vec<String> {
    match value {
        Value::Array(list) => list
            .iter()
            .take(MAX_DEPENDENCIES)
            .map(|id| data::display_text(id).into_owned())
            .collect(),
        Value::String(_) if ids.contains(&*data::display_text(value)) => {
            vec![data::display_text(value).into_owned()]
        }
        Value::String(list) => {
            list.split([',', ';']).take(MAX_DEPENDENCIES).map(|id| id.trim().to_owned()).collect()
        }
        Value::Number(id) => vec![id.to_string()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_of_project_software_have_arrows_only_from_an_end_to_a_start() {
        let record = |id: &str, links: &str| json!({"id": id, "label": format!("T{id}"), "start": "2024-01-08", "end": "2024-01-12", "dependsOn": links});
        let data = [
            record("1", ""),
            record("2", "1FS+2 days"),
            record("3", "1EA; 2"),
            record("4", "3SS+15,2FS-1d"),
            record("5", "4FF,99"),
            record("A-1", ""),
            record("6", "A-1"),
        ];
        let chart = Chart::new(crate::find_kind("gantt").unwrap(), &data);
        let mut scene = Scene::new(100.0, 100.0, chart.theme.background_color);
        let ids = ["1", "2", "3", "4", "5", "A-1", "6"];
        let tasks: Vec<(usize, &str)> = ids.into_iter().enumerate().collect();
        let found = read_dependencies(&chart, &tasks, &mut scene);
        let links: Vec<String> = found.iter().map(|ids| ids.join("|")).collect();
        assert_eq!(links, ["", "1", "1|2", "2", "", "", "A-1"]);
        assert_eq!(scene.warnings, ["Dependencies without an arrow: 3 (3SS+15, 4FF, 99)."]);
    }
}
