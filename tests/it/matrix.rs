//! Every route against every kind of caller, in one table: `tests/it/matrix/table.txt`.
//! `UPDATE_SNAPSHOTS=1` writes the table again. Review every changed cell.
//!
//! A cell is the status. Each request that may change something has a separate target, so that no
//! cell depends on another. A caller without read access must get the same response as for an
//! absent target: status, headers and body, except ids and times. A `!` marks a cell that violates
//! this.

mod rows;
mod scene;
mod unseen;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use chartroom::routes;

use crate::client::redacted;
use crate::talk::Answer;
use rows::About;
use rows::ROWS;
use rows::Row;
use scene::Caller;
use scene::HERS;
use scene::Scene;
use scene::TEAMS;
use scene::Target;

/// Width of a column in characters.
const COLUMN: usize = 13;

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let spelled =
        routes::all_routes().iter().map(|it| format!("{} {}", it.method, it.path)).collect();
    let rows: BTreeSet<String> = ROWS.iter().map(|it| it.route.to_owned()).collect();
    let there: BTreeSet<String> = spelled;
    let missing: Vec<_> = there.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&there).collect();
    assert!(missing.is_empty() && gone.is_empty(), "no row: {missing:#?}\nno route: {gone:#?}");
}

#[test]
fn the_table_is_as_pinned_and_hidden_things_look_absent() {
    let scene = Scene::new();
    let mut table = String::new();
    let mut told = Vec::new();
    write!(table, "{:<44}", "").unwrap();
    for caller in &scene.callers {
        write!(table, "{:<COLUMN$}", caller.name).unwrap();
    }
    for row in ROWS {
        write!(table, "\n{} {}", row.method(), row.ask).unwrap();
        if row.body.starts_with('{') {
            write!(table, " {}", row.body).unwrap();
        }
        for (target, cells) in lines(&scene, row, &mut told) {
            write!(table, "\n{target:>40}    ").unwrap();
            for cell in cells {
                write!(table, "{cell:<COLUMN$}").unwrap();
            }
        }
    }
    let table: String = table.lines().flat_map(|it| [it.trim_end(), "\n"]).collect();
    pinned(&table);
    assert!(told.is_empty(), "told of what is hidden:\n{}", told.join("\n"));
}

/// Compares the table with the file, or writes it.
fn pinned(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/matrix/table.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, table).unwrap();
    }
    let pinned = fs::read_to_string(&path).unwrap_or_default();
    let (now, before): (Vec<&str>, Vec<&str>) = (table.lines().collect(), pinned.lines().collect());
    let differs = (0..now.len().max(before.len())).filter(|at| now.get(*at) != before.get(*at));
    let differs: Vec<String> = differs
        .take(20)
        .map(|at| {
            let line = |of: &[&str]| of.get(at).copied().unwrap_or_default().to_owned();
            format!("line {}\n- {}\n+ {}", at + 1, line(&before), line(&now))
        })
        .collect();
    assert!(differs.is_empty(), "not as pinned:\n{}", differs.join("\n"));
}

/// Returns the lines of a row: each target with the cells of all callers.
fn lines(scene: &Scene, row: &Row, told: &mut Vec<String>) -> Vec<(String, Vec<String>)> {
    let places = match row.about {
        About::Plain => {
            let target = scene.absent(HERS);
            let cell = |caller| send(scene, row, caller, HERS, &target).status.to_string();
            return vec![(String::new(), scene.callers.iter().map(cell).collect())];
        }
        About::Org | About::Team => TEAMS..TEAMS + 1,
        _ => HERS..TEAMS + 1,
    };
    let mut lines = Vec::new();
    for place in places {
        let (mut there, mut absent) = (Vec::new(), Vec::new());
        let name = scene.places[place].name;
        for caller in &scene.callers {
            let (target, nothing) = (target(scene, row, place), nothing(scene, row, place));
            let seen = send(scene, row, caller, place, &target);
            let unseen = send(scene, row, caller, place, &nothing);
            let (shown, plain) = (face(&seen, &target), face(&unseen, &nothing));
            let tells = !may_know(row, caller, place) && shown != plain;
            if tells {
                told.push(format!("{} {} {name}\n{shown}\n{plain}", caller.name, row.route));
            }
            there.push(format!("{}{}", seen.status, if tells { "!" } else { "" }));
            absent.push(unseen.status.to_string());
        }
        lines.extend([(name.to_owned(), there), (format!("{name}, absent"), absent)]);
    }
    lines
}

/// Returns whether the caller may learn that the row's target exists.
fn may_know(row: &Row, caller: &Caller, place: usize) -> bool {
    if caller.has_download_token() && row.is_picture() {
        return true;
    }
    match row.about {
        About::Document | About::Folder | About::Place => caller.reads[place],
        About::Account if place == HERS => caller.name == "owner",
        About::Account | About::Org | About::Team => caller.member,
        About::Plain => true,
    }
}

/// Returns an existing target, which is new because the request may change it.
fn target(scene: &Scene, row: &Row, place: usize) -> Target {
    match row.about {
        About::Folder => scene.folder(place),
        About::Team => scene.team(),
        _ if row.ask.contains("{thread}") => scene.commented(scene.document(place)),
        _ => scene.document(place),
    }
}

fn nothing(scene: &Scene, row: &Row, place: usize) -> Target {
    let nothing = scene.absent(place);
    match row.about {
        About::Account | About::Place => {
            Target { owner: scene::no_account(&nothing.owner), ..nothing }
        }
        About::Org => {
            let org = scene::no_account(&nothing.org);
            Target { org, ..scene.document(place) }
        }
        _ => nothing,
    }
}

fn send(scene: &Scene, row: &Row, who: &Caller, place: usize, target: &Target) -> Answer {
    let fill = |text: &str| {
        text.replace("{owner}", &target.owner)
            .replace("{doc}", &target.doc)
            .replace("{inside}", scene.places[place].folder)
            .replace("{path}", &format!("/{}", target.folder))
            .replace("{folder}", &target.folder.replace(' ', "%20"))
            .replace("{org}", &target.org)
            .replace("{team}", &target.team)
            .replace("{thread}", &target.thread)
            .replace("{comment}", &target.comment)
            .replace("{new}", who.name)
    };
    scene.ask(who, target, row.method(), &fill(row.ask), &fill(row.body))
}

/// Returns a response without the parts that differ between requests.
fn face(answer: &Answer, target: &Target) -> String {
    let mut text = format!("{}\n", answer.status);
    for (name, value) in &answer.headers {
        if !matches!(name.as_str(), "date" | "x-request-id") {
            writeln!(text, "{name}: {value}").unwrap();
        }
    }
    let mut body = answer.body.clone();
    if let Some(at) = body.find("\"request_id\":\"") {
        let end = body[at + 14..].find('"').map_or(body.len(), |it| at + 14 + it);
        body.replace_range(at..end, "");
    }
    text += &body;
    for (own, name) in [
        (&target.doc, "[doc]"),
        (&target.folder, "[folder]"),
        (&target.folder.replace(' ', "%20"), "[folder]"),
        (&target.owner, "[owner]"),
        (&target.org, "[org]"),
        (&target.team, "[team]"),
    ] {
        text = text.replace(own.as_str(), name);
    }
    redacted(&text)
}

impl Row {
    /// Returns whether a download token opens the row's route.
    fn is_picture(&self) -> bool {
        self.about == About::Document
            && [".svg", ".png", ".html"].iter().any(|it| self.ask.ends_with(it))
    }

    fn method(&self) -> &'static str {
        self.route.split(' ').next().unwrap()
    }
}
