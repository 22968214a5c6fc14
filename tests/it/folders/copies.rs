//! Folders that are duplicated.

use serde_json::Value;
use serde_json::json;

use super::World;
use super::folders;
use super::keys;

#[test]
fn a_duplicate_has_everything_that_is_in_it_and_stands_beside_it() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Work/Sales/2026", "Plan");
    world.document("Ann", "me", "/Work/Sales", "Forecast");
    let gone = world.document("Ann", "me", "/Work/Sales", "Gone");
    world.done("Ann", "DELETE", &gone, Value::Null);
    let body = json!({ "title": "Plan", "data": [{ "label": "A", "value": 1 }], "isPublic": true });
    world.done("Ann", "PUT", &plan, body);

    let duplicate = json!({ "action": "duplicate" });
    let copy = world.done("Ann", "POST", "/users/me/folders/Work/Sales", duplicate.clone()).json();
    assert_eq!(keys(&copy), "name endpoint view");
    assert_eq!(copy["name"], "/Work/Sales 2");
    assert!(copy["endpoint"].as_str().unwrap().ends_with("/folders/Work/Sales%202"));
    assert!(copy["view"].as_str().unwrap().ends_with("/Work/Sales%202"));
    assert_eq!(world.list("Ann", "me/list/Work/Sales%202"), ["/Work/Sales 2/2026", "Forecast"]);
    let listed = world.get("Ann", "/users/me/list/Work/Sales%202/2026");
    let copied = &listed["results"][0]["document"];
    assert_eq!(
        (copied["title"].as_str(), copied["isPublic"].as_bool()),
        (Some("Plan"), Some(false))
    );
    let id = copied["id"].as_str().unwrap();
    assert_ne!(id, plan.rsplit('/').next().unwrap());
    let copied = world.get("Ann", &format!("/users/me/documents/{id}"));
    assert_eq!(copied["data"], json!([{ "label": "A", "value": 1 }]));

    // Whatever happens to the copy, the original stays; and the next copy gets the next number.
    world.done("Ann", "DELETE", "/users/me/folders/Work/Sales%202?expunge=1", Value::Null);
    assert_eq!(world.get("Ann", &plan)["isPublic"], true);
    for number in [2, 3] {
        let copy = world.done("Ann", "POST", "/users/me/folders/Work/Sales", duplicate.clone());
        assert_eq!(copy.json()["name"], format!("/Work/Sales {number}"));
    }
    let refused = world.refused("Ann", "POST", "/users/me/folders/Nothing", duplicate);
    assert_eq!(refused, (404, "no such folder".to_owned()));
}

#[test]
fn a_reader_gets_his_copy_in_his_own_root() {
    let world = World::new();
    let ann = world.id("Ann").to_owned();
    world.document("Ann", "me", "/Sales/2026", "Plan");
    world.share("Sales", world.id("Ben"), "r");
    world.done("Ben", "PUT", "/users/me/folders/2026", Value::Null);
    let here = format!("/users/{ann}/folders/Sales/2026");
    let copy = world.done("Ben", "POST", &here, json!({ "action": "duplicate" })).json();
    assert_eq!(copy["name"], "/2026 2");
    let folder = world.get("Ben", "/users/me/folders/2026%202");
    assert_eq!((&folder["owner"], &folder["mode"]), (&json!(world.id("Ben")), &json!("w")));
    assert_eq!(folder["acl"], json!([]));
    assert_eq!(world.list("Ben", "me/list/2026%202"), ["Plan"]);
    assert_eq!(folders(&world.get("Ann", "/users/me/folders")), ["/Sales"]);
    assert_eq!(world.status("Ann", &format!("/users/{}/folders/2026%202", world.id("Ben"))), 404);
    // With write access, beside it.
    world.share("Sales", world.id("Cid"), "w");
    let copy = world.done("Cid", "POST", &here, json!({ "action": "duplicate" })).json();
    assert_eq!(copy["name"], "/Sales/2026 2");
}

#[test]
fn a_document_in_the_trash_is_not_copied() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales", "Plan");
    world.done("Ann", "DELETE", "/users/me/folders/Sales", Value::Null);
    for action in ["fork", "duplicate"] {
        let refused = world.refused("Ann", "POST", &plan, json!({ "action": action }));
        assert_eq!(refused.0, 409, "a copy would go with its folder: {}", refused.1);
    }
}
