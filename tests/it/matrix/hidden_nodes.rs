//! Tests that hidden nodes stay unnoticed. New nodes do not change lists, counts and pages of
//! callers without access. The server does no work for a document before it has checked the
//! caller's access.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::ROWS;
use super::Row;
use super::fixture::ANN_PLACE;
use super::fixture::MatrixFixture;
use super::fixture::RequestTarget;
use super::fixture::TEAM_PLACE;
use super::rows::RouteTarget;
use super::send_row;
use super::stable_parts;

/// Returns the rows that read more than one node.
fn list_rows() -> impl Iterator<Item = &'static Row> {
    let reads_many = |row: &&Row| !matches!(row.target, RouteTarget::Document | RouteTarget::Team);
    ROWS.iter().filter(|row| row.method() == "GET").filter(reads_many)
}

/// Returns the content of all lists for all callers, by row and caller.
fn read_all_lists(
    fixture: &MatrixFixture,
    place: usize,
    target: &RequestTarget,
) -> BTreeMap<(usize, usize), String> {
    let mut contents = BTreeMap::new();
    for (row_index, row) in list_rows().enumerate() {
        // The owner is first, because a search waits until the caller's own writes are in the
        // index.
        for (caller_index, caller) in fixture.callers.iter().enumerate().rev() {
            contents.insert(
                (row_index, caller_index),
                stable_parts(&send_row(fixture, row, caller, place, target), target),
            );
        }
    }
    contents
}

#[test]
fn new_hidden_nodes_change_no_list_and_no_count() {
    let fixture = MatrixFixture::new();
    let rows: Vec<&Row> = list_rows().collect();
    let mut changed_routes = BTreeSet::new();
    for place in [ANN_PLACE, TEAM_PLACE] {
        let target = RequestTarget {
            folder: fixture.places[place].folder[1..].to_owned(),
            ..fixture.create_folder(place)
        };
        let before = read_all_lists(&fixture, place, &target);
        fixture.create_document(place);
        fixture.create_folder(place);
        fixture.move_to_trash(&fixture.create_document(place));
        let after = read_all_lists(&fixture, place, &target);
        for ((row_index, caller_index), text) in &after {
            let (row, caller) = (rows[*row_index], &fixture.callers[*caller_index]);
            let old_text = &before[&(*row_index, *caller_index)];
            if old_text != text {
                assert!(
                    caller.can_read[place],
                    "{} sees in {} new nodes of {}\n{old_text}\n{text}",
                    caller.name, row.path_template, fixture.places[place].name
                );
                changed_routes.insert(row.route);
            }
        }
    }
    // Some callers must see the new nodes, because otherwise the test would detect nothing.
    for route in [
        "GET /api/v1/users/{user_id}/list",
        "GET /api/v1/users/{user_id}/list/{*path}",
        "GET /api/v1/users/{user_id}/trash",
        "GET /api/v1/users/{user_id}/folders/{*path}",
        "GET /api/v1/search",
        "GET /",
    ] {
        assert!(changed_routes.contains(route), "no caller sees a new node in {route}");
    }
}

#[test]
fn access_is_checked_before_the_document_is_read() {
    let fixture = MatrixFixture::new();
    let rows: Vec<&Row> = ROWS.iter().filter(|row| row.target == RouteTarget::Document).collect();
    let (anns_target, team_target) =
        (fixture.create_document(ANN_PLACE), fixture.create_document(TEAM_PLACE));
    // A request that reads the document fails, because its data is missing and its kind is invalid.
    fixture
        .server
        .execute_sql("update document set kind = 'broken', settings = 'broken', theme = 'broken'");
    fixture.server.execute_sql("alter table chunk rename to away");
    for (place, target) in [(ANN_PLACE, &anns_target), (TEAM_PLACE, &team_target)] {
        let absent = fixture.absent_target(place);
        for row in &rows {
            // Only a download token opens a document without another check.
            let strangers = fixture.callers.iter().filter(|caller| !caller.can_read[place]);
            for caller in strangers.filter(|caller| !caller.has_download_token()) {
                let response = send_row(&fixture, row, caller, place, target);
                let absent_response = send_row(&fixture, row, caller, place, &absent);
                let (stable_response, absent_response) =
                    (stable_parts(&response, target), stable_parts(&absent_response, &absent));
                assert_eq!(
                    stable_response, absent_response,
                    "{} {}",
                    caller.name, row.path_template
                );
            }
        }
    }
    let fails = |row: &&&Row| {
        send_row(&fixture, row, fixture.owner_caller(), ANN_PLACE, &anns_target).status == 500
    };
    let get_rows = rows.iter().filter(|row| row.method() == "GET");
    let failing: Vec<&str> = get_rows.filter(fails).map(|row| row.path_template).collect();
    assert!(failing.len() > 3, "too few requests read the invalid document: {failing:?}");
}

#[test]
fn unknown_owner_does_not_tell_whether_a_node_exists() {
    let fixture = MatrixFixture::new();
    fixture.server.create_user("Uma");
    let is_asked = |name: &str| ["nobody", "stranger", "w link", "owner"].contains(&name);
    for place in [ANN_PLACE, TEAM_PLACE] {
        let document = fixture.create_document(place);
        let folder = fixture.create_folder(place);
        let absent = fixture.absent_target(place);
        let names_owner =
            |row: &&Row| row.path_template.contains("{owner}") || row.body.contains("{owner}");
        for row in ROWS.iter().filter(names_owner) {
            let existing = match row.target {
                RouteTarget::Document => &document,
                RouteTarget::Folder => &folder,
                _ => continue,
            };
            for caller in fixture.callers.iter().filter(|caller| is_asked(caller.name)) {
                let mut responses = BTreeSet::new();
                for owner in ["nobody", "uma@example.org"] {
                    for target in [existing, &absent] {
                        let target = RequestTarget { owner: owner.to_owned(), ..target.clone() };
                        let response = send_row(&fixture, row, caller, place, &target);
                        responses.insert(stable_parts(&response, &target));
                    }
                }
                assert_eq!(
                    responses.len(),
                    1,
                    "{} {} {responses:#?}",
                    caller.name,
                    row.path_template
                );
            }
        }
    }
}
