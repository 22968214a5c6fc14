//! Tests that hidden nodes stay unnoticed. New nodes do not change lists, counts and pages of
//! callers without access. The server does no work for a document before it has checked the
//! caller's access.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::ROWS;
use super::Row;
use super::face;
use super::rows::About;
use super::scene::HERS;
use super::scene::Scene;
use super::scene::TEAMS;
use super::scene::Target;
use super::send;

/// Returns the rows that read more than one node.
fn lists() -> impl Iterator<Item = &'static Row> {
    let many = |it: &&Row| !matches!(it.about, About::Document | About::Team);
    ROWS.iter().filter(|it| it.method() == "GET").filter(many)
}

/// Returns the content of all lists for all callers, by row and caller.
fn all_lists(scene: &Scene, place: usize, target: &Target) -> BTreeMap<(usize, usize), String> {
    let mut seen = BTreeMap::new();
    for (number, row) in lists().enumerate() {
        // The owner is first, because a search waits until the caller's own writes are in the
        // index.
        for (who, caller) in scene.callers.iter().enumerate().rev() {
            seen.insert((number, who), face(&send(scene, row, caller, place, target), target));
        }
    }
    seen
}

#[test]
fn what_is_new_and_hidden_changes_no_list_and_no_count() {
    let scene = Scene::new();
    let rows: Vec<&Row> = lists().collect();
    let mut noticed = BTreeSet::new();
    for place in [HERS, TEAMS] {
        let target =
            Target { folder: scene.places[place].folder[1..].to_owned(), ..scene.folder(place) };
        let before = all_lists(&scene, place, &target);
        scene.document(place);
        scene.folder(place);
        scene.trash(&scene.document(place));
        let after = all_lists(&scene, place, &target);
        for ((number, who), text) in &after {
            let (row, caller) = (rows[*number], &scene.callers[*who]);
            let old = &before[&(*number, *who)];
            if old != text {
                assert!(
                    caller.reads[place],
                    "{} sees in {} what is new at {}\n{old}\n{text}",
                    caller.name, row.ask, scene.places[place].name
                );
                noticed.insert(row.route);
            }
        }
    }
    // The lists must show the new nodes to somebody, because otherwise the test would detect
    // nothing.
    for route in [
        "GET /api/v1/users/{user_id}/list",
        "GET /api/v1/users/{user_id}/list/{*path}",
        "GET /api/v1/users/{user_id}/trash",
        "GET /api/v1/users/{user_id}/folders/{*path}",
        "GET /api/v1/search",
        "GET /",
    ] {
        assert!(noticed.contains(route), "nobody sees anything new in {route}");
    }
}

#[test]
fn nothing_of_a_hidden_document_is_read_before_it_is_known_who_asks() {
    let scene = Scene::new();
    let rows: Vec<&Row> = ROWS.iter().filter(|it| it.about == About::Document).collect();
    let (hers, teams) = (scene.document(HERS), scene.document(TEAMS));
    // A request that reads the document fails, because its data is missing and its kind is invalid.
    scene.server.sql("update document set kind = 'broken', settings = 'broken', theme = 'broken'");
    scene.server.sql("alter table chunk rename to away");
    for (place, target) in [(HERS, &hers), (TEAMS, &teams)] {
        let nothing = scene.absent(place);
        for row in &rows {
            // Only a download token opens a document without another check.
            let strangers = scene.callers.iter().filter(|it| !it.reads[place]);
            for caller in strangers.filter(|it| !it.has_download_token()) {
                let answer = send(&scene, row, caller, place, target);
                let plain = send(&scene, row, caller, place, &nothing);
                let (shown, plain) = (face(&answer, target), face(&plain, &nothing));
                assert_eq!(shown, plain, "{} {}", caller.name, row.ask);
            }
        }
    }
    let met = |row: &&&Row| send(&scene, row, scene.owner(), HERS, &hers).status == 500;
    let reads = rows.iter().filter(|it| it.method() == "GET");
    let met: Vec<&str> = reads.filter(met).map(|it| it.ask).collect();
    assert!(met.len() > 3, "what is broken does not show: {met:?}");
}
