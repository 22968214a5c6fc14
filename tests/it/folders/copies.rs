//! Tests of duplicated folders.

use serde_json::Value;
use serde_json::json;

use super::FolderFixture;
use super::join_keys;
use super::subfolder_names;

#[test]
fn duplicate_of_a_folder_contains_everything_and_is_next_to_it() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Work/Sales/2026", "Plan");
    fixture.create_document("Ann", "me", "/Work/Sales", "Forecast");
    let trashed = fixture.create_document("Ann", "me", "/Work/Sales", "Gone");
    fixture.request_ok("Ann", "DELETE", &trashed, Value::Null);
    let body = json!({ "title": "Plan", "data": [{ "label": "A", "value": 1 }], "isPublic": true });
    fixture.request_ok("Ann", "PUT", &plan, body);

    let duplicate = json!({ "action": "duplicate" });
    let copy =
        fixture.request_ok("Ann", "POST", "/users/me/folders/Work/Sales", duplicate.clone()).json();
    assert_eq!(join_keys(&copy), "name endpoint view");
    assert_eq!(copy["name"], "/Work/Sales 2");
    assert!(copy["endpoint"].as_str().unwrap().ends_with("/folders/Work/Sales%202"));
    assert!(copy["view"].as_str().unwrap().ends_with("/Work/Sales%202"));
    assert_eq!(
        fixture.list_names("Ann", "me/list/Work/Sales%202"),
        ["/Work/Sales 2/2026", "Forecast"]
    );
    let listed = fixture.get_json("Ann", "/users/me/list/Work/Sales%202/2026");
    let copied = &listed["results"][0]["document"];
    assert_eq!(
        (copied["title"].as_str(), copied["isPublic"].as_bool()),
        (Some("Plan"), Some(false))
    );
    let id = copied["id"].as_str().unwrap();
    assert_ne!(id, plan.rsplit('/').next().unwrap());
    let copied = fixture.get_json("Ann", &format!("/users/me/documents/{id}"));
    assert_eq!(copied["data"], json!([{ "label": "A", "value": 1 }]));

    // An expunge of the copy does not affect the original. The next copies get the next numbers.
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/Work/Sales%202?expunge=1", Value::Null);
    assert_eq!(fixture.get_json("Ann", &plan)["isPublic"], true);
    for number in [2, 3] {
        let copy =
            fixture.request_ok("Ann", "POST", "/users/me/folders/Work/Sales", duplicate.clone());
        assert_eq!(copy.json()["name"], format!("/Work/Sales {number}"));
    }
    let refused = fixture.expect_refused("Ann", "POST", "/users/me/folders/Nothing", duplicate);
    assert_eq!(refused, (404, "no such folder".to_owned()));
}

#[test]
fn duplicate_by_a_reader_is_in_their_own_root() {
    let fixture = FolderFixture::new();
    let ann = fixture.user_id("Ann").to_owned();
    fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    fixture.share_folder("Sales", fixture.user_id("Ben"), "r");
    fixture.request_ok("Ben", "PUT", "/users/me/folders/2026", Value::Null);
    let folder_path = format!("/users/{ann}/folders/Sales/2026");
    let copy =
        fixture.request_ok("Ben", "POST", &folder_path, json!({ "action": "duplicate" })).json();
    assert_eq!(copy["name"], "/2026 2");
    let folder = fixture.get_json("Ben", "/users/me/folders/2026%202");
    assert_eq!((&folder["owner"], &folder["mode"]), (&json!(fixture.user_id("Ben")), &json!("w")));
    assert_eq!(folder["acl"], json!([]));
    assert_eq!(fixture.list_names("Ben", "me/list/2026%202"), ["Plan"]);
    assert_eq!(subfolder_names(&fixture.get_json("Ann", "/users/me/folders")), ["/Sales"]);
    assert_eq!(
        fixture.get_status("Ann", &format!("/users/{}/folders/2026%202", fixture.user_id("Ben"))),
        404
    );
    // With write access, the copy is next to the original.
    fixture.share_folder("Sales", fixture.user_id("Cid"), "w");
    let copy =
        fixture.request_ok("Cid", "POST", &folder_path, json!({ "action": "duplicate" })).json();
    assert_eq!(copy["name"], "/Sales/2026 2");
}

#[test]
fn document_in_the_trash_cannot_be_copied() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales", "Plan");
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/Sales", Value::Null);
    for action in ["fork", "duplicate"] {
        let refused = fixture.expect_refused("Ann", "POST", &plan, json!({ "action": action }));
        assert_eq!(refused.0, 409, "a copy would be expunged with its folder: {}", refused.1);
    }
}
