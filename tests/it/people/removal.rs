//! Removal of managed accounts, and what happens to their documents.

use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom::tasks;
use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::field_values;
use super::member_names;
use super::new_token;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Creates a document of an account in a folder and returns its id.
fn create_own_document(fixture: &OrgFixture, token: &str, folder: &str) -> String {
    let body = json!({ "widget": "bar", "folder": folder }).to_string();
    let created = fixture.server.request(token, "POST", "/api/v1/create-document", &body);
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["id"].as_str().unwrap().to_owned()
}

/// Runs the background tasks until the organization owns all documents, as Ann sees it. Returns
/// their paths in the API.
fn wait_until_moved(fixture: &OrgFixture, documents: &[&str]) -> Vec<String> {
    let background = tasks::start_background_work(&fixture.server.app).unwrap();
    let path = |id: &&str| format!("/api/v1/users/{}/documents/{id}", fixture.org.id);
    let paths: Vec<String> = documents.iter().map(path).collect();
    let start = Instant::now();
    for path in &paths {
        while fixture.request("Ann", "GET", path, Value::Null).status != 200 {
            assert!(start.elapsed() < Duration::from_secs(60), "{path} was not moved");
            thread::sleep(Duration::from_millis(20));
        }
    }
    background.stop();
    paths
}

#[test]
fn removal_ends_every_access_and_the_documents_move_to_a_folder_for_admins() {
    let fixture = start_with_verified_domain();
    let server = &fixture.server;
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let body = json!({ "name": "Man / Old" });
    assert_eq!(fixture.request_org("Ann", "PATCH", &format!("/users/{id}"), body).status, 204);
    let token = new_token(&fixture, &id);
    let root = create_own_document(&fixture, &token, "/");
    let nested = create_own_document(&fixture, &token, "/A/B");
    let trashed = create_own_document(&fixture, &token, "/");
    let own = |doc: &str| format!("/api/v1/users/{id}/documents/{doc}");
    assert_eq!(server.request(&token, "DELETE", &own(&trashed), "").status, 204);
    let cast = json!({ "document_id": root, "device_name": "Lobby" }).to_string();
    let cast = server.request(&token, "POST", "/api/v1/cast/sessions", &cast).json();
    let cast = format!("/api/v1/cast/{}/check", cast["token"].as_str().unwrap());
    // Somebody else keeps access to a shared document.
    let share = json!({ "owner": id, "document": root, "user_id": fixture.user_id("Dan") });
    let share = server.request(&token, "POST", "/api/v1/share", &share.to_string());
    assert_eq!(share.status, 200, "{}", share.text);

    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ben", "DELETE", &path, Value::Null).status, 403);
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 404);
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.send("GET", &cast, &[], "").json()["valid"], false);
    assert!(!member_names(&fixture).contains(&"Man / Old".to_owned()));

    let moved = wait_until_moved(&fixture, &[&root, &nested]);
    let (moved, nested) = (&moved[0], &moved[1]);
    assert_eq!(fixture.request("Ann", "GET", moved, Value::Null).json()["folder"], "/Man - Old");
    assert_eq!(
        fixture.request("Ann", "GET", nested, Value::Null).json()["folder"],
        "/Man - Old/A/B"
    );
    for other in ["Ben", "Bea"] {
        assert_eq!(fixture.request(other, "GET", moved, Value::Null).status, 404, "{other}");
    }
    assert_eq!(fixture.request("Dan", "GET", moved, Value::Null).status, 200, "shared before");
    let teams = fixture.request_org("Ann", "GET", "/teams", Value::Null).json();
    assert_eq!(field_values(&teams["teams"], "name"), ["Man - Old"]);

    // The same person comes back with the same account and the trash, but without credentials.
    let again = create_managed(&fixture, "Man");
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(again.json()["id"], id.as_str());
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 401);
    let token = new_token(&fixture, &id);
    let trash = server.request(&token, "GET", "/api/v1/users/me/trash", "").json();
    assert_eq!(trash["count"], 1, "{trash}");
}

#[test]
fn an_organization_without_free_storage_can_remove_people() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let token = new_token(&fixture, &id);
    let document = create_own_document(&fixture, &token, "/");
    fixture.server.execute_sql(
        "insert into storage_usage (owner, bytes) select id, 21474836480 from org where true
         on conflict (owner) do update set bytes = excluded.bytes",
    );
    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    wait_until_moved(&fixture, &[&document]);
}

#[test]
fn people_are_removed_while_the_organization_is_suspended() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    fixture.set_suspended(true);
    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    let remove = format!("/members/remove?id={}", fixture.user_id("Ben"));
    assert_eq!(fixture.request_org("Ann", "POST", &remove, Value::Null).status, 204);
    assert_eq!(member_names(&fixture), ["Ann", "Cid", "Bea"]);
}

#[test]
fn documents_go_to_another_folder_if_the_first_is_in_the_trash() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let token = new_token(&fixture, &id);
    let document = create_own_document(&fixture, &token, "/");
    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    let teams = fixture.request_org("Ann", "GET", "/teams", Value::Null).json();
    let team = format!("/team/{}", teams["teams"][0]["id"].as_str().unwrap());
    assert_eq!(fixture.request_org("Ann", "DELETE", &team, Value::Null).status, 204);
    let folder = format!("/api/v1/users/{}/folders/Man", fixture.org.id);
    assert_eq!(fixture.request("Ann", "DELETE", &folder, Value::Null).status, 204);
    let moved = wait_until_moved(&fixture, &[&document]);
    let document = fixture.request("Ann", "GET", &moved[0], Value::Null).json();
    assert_eq!(document["folder"], "/Man", "{document}");
    assert_eq!(fixture.request("Ben", "GET", &moved[0], Value::Null).status, 404);
}

#[test]
fn folders_of_the_maximum_depth_move_too() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let token = new_token(&fixture, &id);
    let deepest: String = (1..=32).map(|number| format!("/{number}")).collect();
    let document = create_own_document(&fixture, &token, &deepest);
    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    let moved = wait_until_moved(&fixture, &[&document]);
    let document = fixture.request("Ann", "GET", &moved[0], Value::Null).json();
    let below_the_first: String = (2..=32).map(|number| format!("/{number}")).collect();
    assert_eq!(document["folder"], format!("/Man{below_the_first}"));
}

#[test]
fn the_move_of_documents_of_a_removed_account_is_recorded_with_the_admin_as_the_actor() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let token = new_token(&fixture, &id);
    let root = create_own_document(&fixture, &token, "/");
    let nested = create_own_document(&fixture, &token, "/A");
    let removed = fixture.request_org("Ann", "DELETE", &format!("/users/{id}"), Value::Null);
    assert_eq!(removed.status, 204, "{}", removed.text);
    let paths = wait_until_moved(&fixture, &[&root, &nested]);
    let title = fixture.request("Ann", "GET", &paths[0], Value::Null).json()["title"].clone();
    let title = title.as_str().unwrap();
    let log = |action: &str| {
        let path = format!("/audit-log?action={action}");
        let log = fixture.request_org("Ann", "GET", &path, Value::Null).json();
        let events = log["events"].as_array().unwrap().clone();
        assert_eq!(events.len(), 1, "{log}");
        events[0].clone()
    };
    let details = |from: &str, to: &str| json!({ "from": from, "to": to, "from_owner": id, "to_owner": fixture.org.id });
    let moved = log("document.move");
    assert_eq!(moved["target"]["id"], root.as_str());
    assert_eq!(moved["details"], details(&format!("/{title}"), &format!("/Man/{title}")));
    let folder = log("folder.move");
    assert_eq!(folder["target"]["name"], "A");
    assert_eq!(folder["details"], details("/A", "/Man/A"));
    for event in [moved, folder] {
        assert_eq!(event["actor"]["type"], "user");
        assert_eq!(event["actor"]["id"], fixture.user_id("Ann"));
    }
}
