//! Tests of moving, renaming and transferring folders.

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use super::FolderFixture;
use super::subfolder_names;
use crate::orgs::add_member;
use crate::orgs::create_org;

#[test]
fn rename_changes_the_paths_and_change_numbers_of_all_nodes_below() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let other = fixture.create_document("Ann", "me", "/Archive", "Other");
    let tag = |path: &str| fixture.request("Ann", "GET", path, Value::Null).header("etag");
    let changes = || -> Vec<(String, i64)> {
        let sql = "select title, change from node order by title";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        fixture.server.app.db.read(|tx| tx.all(sql, [], read)).unwrap()
    };
    let (before, old_tag) = (changes(), tag(&plan));
    let response = fixture.request_ok(
        "Ann",
        "PUT",
        "/users/me/folders/Sales",
        json!({ "title": "Cafe\u{301}" }),
    );
    assert_eq!(response.json()["name"], "/Café");
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/Café/2026/Q1");
    assert_ne!(tag(&plan), old_tag, "a cached response would have the old path");
    assert_eq!(fixture.get_status("Ann", "/users/me/folders/Sales"), 404);
    assert_eq!(fixture.get_json("Ann", "/users/me/folders/Caf%C3%A9/2026")["name"], "/Café/2026");
    let last_change = before.iter().map(|title_and_change| title_and_change.1).max().unwrap();
    for (title, change) in changes() {
        let is_below = ["2026", "Q1", "Plan", "Café"].contains(&title.as_str());
        assert_eq!(change > last_change, is_below, "{title}");
    }
    assert_eq!(fixture.get_json("Ann", &other)["folder"], "/Archive");

    // For a repeated request, the folder no longer exists and no new one is created.
    let repeated =
        fixture.expect_refused("Ann", "PUT", "/users/me/folders/Sales", json!({ "title": "Café" }));
    assert_eq!(repeated, (404, "no such folder".to_owned()));
}

#[test]
fn folder_cannot_be_moved_into_itself() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    let move_request =
        |path: &str, name: &str| (format!("/users/me/folders/{path}"), json!({ "name": name }));
    let (path, body) = move_request("Sales/2026", "/Archive/Old/Sales 2026");
    fixture.request_ok("Ann", "PUT", &path, body);
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/Archive/Old/Sales 2026");
    assert_eq!(
        subfolder_names(&fixture.get_json("Ann", "/users/me/folders")),
        ["/Archive", "/Sales"]
    );
    // The body has the old title from the response, so only the path changes.
    let mut read = fixture.get_json("Ann", "/users/me/folders/Archive/Old/Sales%202026");
    read["name"] = json!("/Sales/2026");
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Archive/Old/Sales%202026", read);
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/Sales/2026");

    let error = (400, "name: a folder cannot be moved into itself".to_owned());
    for name in ["/Sales/Sales", "/Sales/2026/Sales", "/Sales/2026/New/Sales"] {
        let (path, body) = move_request("Sales", name);
        assert_eq!(fixture.expect_refused("Ann", "PUT", &path, body), error, "{name}");
    }
    // Moves up and down again, and next to a folder with the same name prefix.
    for (from, name) in
        [("Sales/2026", "/2026"), ("Sales", "/2026/Sales"), ("2026/Sales", "/2026 Sales")]
    {
        let (path, body) = move_request(&from.replace(' ', "%20"), name);
        fixture.request_ok("Ann", "PUT", &path, body);
    }
    assert_eq!(fixture.list_names("Ann", "me/list"), ["/2026", "/2026 Sales", "/Archive"]);
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/2026");
}

#[test]
fn move_to_an_existing_name_or_too_deep_is_refused() {
    let fixture = FolderFixture::new();
    for path in ["Sales", "Archive/Sales", "a/b/c"] {
        fixture.request_ok("Ann", "PUT", &format!("/users/me/folders/{path}"), Value::Null);
    }
    let put_refused = |path: &str, body: Value| {
        fixture.expect_refused("Ann", "PUT", &format!("/users/me/folders/{path}"), body)
    };
    let name_taken = |name: &str| (409, format!("a folder named {name:?} already exists"));
    assert_eq!(put_refused("Sales", json!({ "name": "/Archive/Sales" })), name_taken("Sales"));
    assert_eq!(put_refused("Sales", json!({ "title": "Archive" })), name_taken("Archive"));
    // Names differ by case.
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales", json!({ "title": "archive" }));

    let deep_path = vec!["x"; 30].join("/");
    fixture.request_ok("Ann", "PUT", &format!("/users/me/folders/{deep_path}"), Value::Null);
    let (status, text) = put_refused("a", json!({ "name": format!("/{deep_path}/a") }));
    let too_deep = "name: the result would have more than 32 nested folders";
    assert_eq!((status, text.as_str()), (400, too_deep));
    fixture.request_ok(
        "Ann",
        "PUT",
        "/users/me/folders/a/b",
        json!({ "name": format!("/{deep_path}/b") }),
    );
}

#[test]
fn folder_can_be_transferred_to_another_account() {
    let fixture = FolderFixture::new();
    let org = create_org(&fixture.server, "acme", Seats::Unlimited);
    for (name, role) in [("Ann", Role::Admin), ("Ben", Role::BrandManager)] {
        let id = AccountId::from_text(fixture.user_id(name));
        add_member(&fixture.server, &org, &id, role).unwrap();
    }
    let plan = fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    let old = fixture.create_document("Ann", "me", "/Sales/2026", "Old");
    fixture.request_ok("Ann", "DELETE", &old, Value::Null);
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();

    let put =
        fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales", json!({ "owner": "acme" }));
    let endpoint = format!("http://127.0.0.1:8080/api/v1/users/{}/folders/Sales", org.id);
    assert_eq!(
        (&put.json()["name"], &put.json()["endpoint"]),
        (&json!("/Sales"), &json!(endpoint))
    );
    let org_path = format!("/users/acme/documents/{}", id(&plan));
    let as_ben = fixture.get_json("Ben", &org_path);
    assert_eq!((&as_ben["owner"], &as_ben["folder"]), (&json!(org.id), &json!("/Sales/2026")));
    assert_eq!(fixture.get_status("Ann", "/users/me/folders/Sales"), 404);
    // Documents in the trash stay with their owner and return to their old folder.
    assert_eq!(fixture.list_names("Ann", "me/trash"), ["Old"]);
    assert_eq!(fixture.list_names("Ann", "acme/trash"), [""; 0]);
    assert_eq!(fixture.get_json("Ann", &old)["folder"], "/Sales/2026");
    fixture.request_ok("Ann", "POST", &old, json!({ "action": "restore" }));
    assert_eq!(fixture.get_json("Ann", &old)["folder"], "/Sales/2026");
    assert_eq!(fixture.list_names("Ann", "me/list/Sales/2026"), ["Old"]);

    // Ben transfers it back under another name. Only accounts that accept documents from Ben are
    // valid owners.
    let body = json!({ "owner": fixture.user_id("Ben"), "name": "/Mine/Sales" });
    fixture.request_ok("Ben", "PUT", "/users/acme/folders/Sales", body);
    let bens_path = format!("/users/me/documents/{}", id(&plan));
    assert_eq!(fixture.get_json("Ben", &bens_path)["folder"], "/Mine/Sales/2026");
    assert_eq!(fixture.get_status("Ann", &bens_path), 404);
    let owner_error = "owner: must be an account to which you may add documents";
    for owner in [fixture.user_id("Cid"), "nobody", "cid@example.org"] {
        let body = json!({ "owner": owner });
        let refused = fixture.expect_refused("Ben", "PUT", "/users/me/folders/Mine", body);
        assert_eq!(refused, (400, owner_error.to_owned()), "{owner}");
    }
    // An address of the present owner changes nothing.
    let before = fixture.dump_nodes();
    let body = json!({ "owner": "ben@example.org" });
    fixture.request_ok("Ben", "PUT", "/users/me/folders/Mine", body);
    assert_eq!(fixture.dump_nodes(), before);
}

#[test]
fn writer_can_change_but_not_transfer_or_expunge_a_shared_folder() {
    let fixture = FolderFixture::new();
    let ann = fixture.user_id("Ann").to_owned();
    fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Private", Value::Null);
    fixture.share_folder("Sales", fixture.user_id("Ben"), "w");
    let folder_path = |path: &str| format!("/users/{ann}/folders/{path}");
    fixture.request_ok("Ben", "PUT", &folder_path("Sales/2026"), json!({ "title": "2027" }));
    fixture.request_ok(
        "Ben",
        "PUT",
        &folder_path("Sales/2027"),
        json!({ "name": "/Sales/Years/2027" }),
    );
    fixture.request_ok("Ben", "PUT", &folder_path("Sales"), json!({ "title": "Shared" }));
    let outside_error = (400, "name: must be in a folder that you may change".to_owned());
    for name in ["/2027", "/Private/2027", "/New/2027"] {
        let body = json!({ "name": name });
        assert_eq!(
            fixture.expect_refused("Ben", "PUT", &folder_path("Shared/Years/2027"), body),
            outside_error,
            "{name}"
        );
    }
    let owner_error = (403, "only the owner may do this".to_owned());
    let transfer = json!({ "owner": fixture.user_id("Ben") });
    assert_eq!(
        fixture.expect_refused("Ben", "PUT", &folder_path("Shared/Years"), transfer),
        owner_error
    );
    let expunge = folder_path("Shared/Years?expunge=1");
    assert_eq!(fixture.expect_refused("Ben", "DELETE", &expunge, Value::Null), owner_error);
    // A writer may trash and restore it, but not remove it permanently.
    fixture.request_ok("Ben", "DELETE", &folder_path("Shared/Years"), Value::Null);
    assert_eq!(fixture.expect_refused("Ben", "DELETE", &expunge, Value::Null), owner_error);
    fixture.request_ok("Ben", "POST", &folder_path("Shared/Years"), json!({ "action": "restore" }));
    assert_eq!(fixture.list_names("Ann", "me/list/Shared/Years"), ["/Shared/Years/2027"]);
}
