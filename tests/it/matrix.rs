//! Tests of every route with every kind of caller, in one table: `tests/it/matrix/table.txt`.
//! `UPDATE_SNAPSHOTS=1` writes the table again. Review every changed cell.
//!
//! A cell is the status. Each request that may change something has a separate target, so that no
//! cell depends on another. A caller without read access must get the same response as for an
//! absent target: status, headers and body, except ids and times. A `!` marks a cell that violates
//! this.

mod rows;
mod fixture;
mod hidden_nodes;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use chartroom::routes;

use crate::client::redact_volatile_parts;
use crate::test_server::Response;
use fixture::ANN_PLACE;
use fixture::Caller;
use fixture::MatrixFixture;
use fixture::RequestTarget;
use fixture::TEAM_PLACE;
use rows::ROWS;
use rows::RouteTarget;
use rows::Row;

/// Width of a column in characters.
const COLUMN_CHARS: usize = 13;

#[test]
fn every_route_has_a_row_and_vice_versa() {
    let routes = routes::all_routes()
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    let rows: BTreeSet<String> = ROWS.iter().map(|row| row.route.to_owned()).collect();
    let existing: BTreeSet<String> = routes;
    let missing: Vec<_> = existing.difference(&rows).collect();
    let obsolete: Vec<_> = rows.difference(&existing).collect();
    assert!(
        missing.is_empty() && obsolete.is_empty(),
        "no row: {missing:#?}\nno route: {obsolete:#?}"
    );
}

#[test]
fn access_table_matches_its_snapshot_and_hidden_targets_look_absent() {
    let fixture = MatrixFixture::new();
    let mut table = String::new();
    let mut leaks = Vec::new();
    write!(table, "{:<44}", "").unwrap();
    for caller in &fixture.callers {
        write!(table, "{:<COLUMN_CHARS$}", caller.name).unwrap();
    }
    for row in ROWS {
        write!(table, "\n{} {}", row.method(), row.path_template).unwrap();
        if row.body.starts_with('{') {
            write!(table, " {}", row.body).unwrap();
        }
        for (target, cells) in row_lines(&fixture, row, &mut leaks) {
            write!(table, "\n{target:>40}    ").unwrap();
            for cell in cells {
                write!(table, "{cell:<COLUMN_CHARS$}").unwrap();
            }
        }
    }
    let table: String = table.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
    compare_with_snapshot(&table);
    assert!(leaks.is_empty(), "responses that reveal hidden targets:\n{}", leaks.join("\n"));
}

/// Compares the table with the file. `UPDATE_SNAPSHOTS=1` writes the file first.
fn compare_with_snapshot(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/matrix/table.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, table).unwrap();
    }
    let snapshot = fs::read_to_string(&path).unwrap_or_default();
    let (new_lines, old_lines): (Vec<&str>, Vec<&str>) =
        (table.lines().collect(), snapshot.lines().collect());
    let differences = (0..new_lines.len().max(old_lines.len()))
        .filter(|index| new_lines.get(*index) != old_lines.get(*index));
    let differences: Vec<String> = differences
        .take(20)
        .map(|index| {
            let line_of = |lines: &[&str]| lines.get(index).copied().unwrap_or_default().to_owned();
            format!("line {}\n- {}\n+ {}", index + 1, line_of(&old_lines), line_of(&new_lines))
        })
        .collect();
    assert!(differences.is_empty(), "differs from the snapshot:\n{}", differences.join("\n"));
}

/// Returns the lines of a row: each target with the cells of all callers. Adds responses that
/// reveal hidden targets to `leaks`.
fn row_lines(
    fixture: &MatrixFixture,
    row: &Row,
    leaks: &mut Vec<String>,
) -> Vec<(String, Vec<String>)> {
    let places = match row.target {
        RouteTarget::NotHidden => {
            let target = fixture.absent_target(ANN_PLACE);
            let cell =
                |caller| send_row(fixture, row, caller, ANN_PLACE, &target).status.to_string();
            return vec![(String::new(), fixture.callers.iter().map(cell).collect())];
        }
        RouteTarget::Org | RouteTarget::Team => TEAM_PLACE..TEAM_PLACE + 1,
        _ => ANN_PLACE..TEAM_PLACE + 1,
    };
    let mut lines = Vec::new();
    for place in places {
        let (mut cells, mut absent_cells) = (Vec::new(), Vec::new());
        let name = fixture.places[place].name;
        for caller in &fixture.callers {
            let (target, absent_target) =
                (create_target(fixture, row, place), absent_target(fixture, row, place));
            let response = send_row(fixture, row, caller, place, &target);
            let absent_response = send_row(fixture, row, caller, place, &absent_target);
            let (stable_response, stable_absent_response) =
                (stable_parts(&response, &target), stable_parts(&absent_response, &absent_target));
            let leaks_existence =
                !may_know_target(row, caller, place) && stable_response != stable_absent_response;
            if leaks_existence {
                leaks.push(format!(
                    "{} {} {name}\n{stable_response}\n{stable_absent_response}",
                    caller.name, row.route
                ));
            }
            cells.push(format!("{}{}", response.status, if leaks_existence { "!" } else { "" }));
            absent_cells.push(absent_response.status.to_string());
        }
        lines.extend([(name.to_owned(), cells), (format!("{name}, absent"), absent_cells)]);
    }
    lines
}

/// Returns whether the caller may learn that the row's target exists.
fn may_know_target(row: &Row, caller: &Caller, place: usize) -> bool {
    if caller.has_download_token() && row.is_image() {
        return true;
    }
    match row.target {
        RouteTarget::Document | RouteTarget::Folder | RouteTarget::Place => caller.can_read[place],
        RouteTarget::Account if place == ANN_PLACE => caller.name == "owner",
        RouteTarget::Account | RouteTarget::Org | RouteTarget::Team => caller.is_member,
        RouteTarget::NotHidden => true,
    }
}

/// Returns an existing target, which is new because the request may change it.
fn create_target(fixture: &MatrixFixture, row: &Row, place: usize) -> RequestTarget {
    match row.target {
        RouteTarget::Folder => fixture.create_folder(place),
        RouteTarget::Team => fixture.create_team(),
        _ if row.path_template.contains("{thread}") => {
            fixture.add_comment(fixture.create_document(place))
        }
        _ => fixture.create_document(place),
    }
}

/// Returns an absent target for the row.
fn absent_target(fixture: &MatrixFixture, row: &Row, place: usize) -> RequestTarget {
    let absent = fixture.absent_target(place);
    match row.target {
        RouteTarget::Account | RouteTarget::Place => {
            RequestTarget { owner: fixture::unused_account_id(&absent.owner), ..absent }
        }
        RouteTarget::Org => {
            let org = fixture::unused_account_id(&absent.org);
            RequestTarget { org, ..fixture.create_document(place) }
        }
        _ => absent,
    }
}

/// Sends the request of a row with the values of a target.
fn send_row(
    fixture: &MatrixFixture,
    row: &Row,
    caller: &Caller,
    place: usize,
    target: &RequestTarget,
) -> Response {
    let fill = |text: &str| {
        text.replace("{owner}", &target.owner)
            .replace("{doc}", &target.doc)
            .replace("{inside}", fixture.places[place].folder)
            .replace("{path}", &format!("/{}", target.folder))
            .replace("{folder}", &target.folder.replace(' ', "%20"))
            .replace("{org}", &target.org)
            .replace("{team}", &target.team)
            .replace("{managed}", &fixture.managed)
            .replace("{thread}", &target.thread)
            .replace("{comment}", &target.comment)
            .replace("{new}", caller.name)
            .replace("{slug}", &caller.name.replace(' ', "-"))
    };
    fixture.request(caller, target, row.method(), &fill(row.path_template), &fill(row.body))
}

/// Returns a response without the parts that differ between requests.
fn stable_parts(response: &Response, target: &RequestTarget) -> String {
    let mut text = format!("{}\n", response.status);
    for (name, value) in &response.headers {
        if !matches!(name.as_str(), "date" | "x-request-id") {
            writeln!(text, "{name}: {value}").unwrap();
        }
    }
    text += &response.body.replace(&response.header("x-request-id"), "[request]");
    for (volatile, name) in [
        (&target.doc, "[doc]"),
        (&target.folder, "[folder]"),
        (&target.folder.replace(' ', "%20"), "[folder]"),
        (&target.owner, "[owner]"),
        (&target.org, "[org]"),
        (&target.team, "[team]"),
    ] {
        text = text.replace(volatile.as_str(), name);
    }
    redact_volatile_parts(&text)
}

impl Row {
    /// Returns whether a download token opens the row's route.
    fn is_image(&self) -> bool {
        self.target == RouteTarget::Document
            && [".svg", ".png", ".pdf", ".html"]
                .iter()
                .any(|suffix| self.path_template.ends_with(suffix))
    }

    /// Returns the method of the row's route.
    fn method(&self) -> &'static str {
        self.route.split(' ').next().unwrap()
    }
}
