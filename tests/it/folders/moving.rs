//! Tests of moving, renaming and transferring folders.

use serde_json::Value;
use serde_json::json;

use super::World;
use super::folders;

#[test]
fn a_rename_takes_everything_along_and_numbers_it() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let other = world.document("Ann", "me", "/Archive", "Other");
    let tag = |path: &str| world.ask("Ann", "GET", path, Value::Null).header("etag");
    let changes = || -> Vec<(String, i64)> {
        let sql = "select title, change from node order by title";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        world.server.app.db.read(|tx| tx.all(sql, [], read)).unwrap()
    };
    let (before, was) = (changes(), tag(&plan));
    let answer =
        world.done("Ann", "PUT", "/users/me/folders/Sales", json!({ "title": "Cafe\u{301}" }));
    assert_eq!(answer.json()["name"], "/Café");
    assert_eq!(world.get("Ann", &plan)["folder"], "/Café/2026/Q1");
    assert_ne!(tag(&plan), was, "an answer that was kept has the old path");
    assert_eq!(world.status("Ann", "/users/me/folders/Sales"), 404);
    assert_eq!(world.get("Ann", "/users/me/folders/Caf%C3%A9/2026")["name"], "/Café/2026");
    let last = before.iter().map(|it| it.1).max().unwrap();
    for (title, change) in changes() {
        let is_below = ["2026", "Q1", "Plan", "Café"].contains(&title.as_str());
        assert_eq!(change > last, is_below, "{title}");
    }
    assert_eq!(world.get("Ann", &other)["folder"], "/Archive");

    // For a repeated request, the folder no longer exists and no new one is created.
    let again = world.refused("Ann", "PUT", "/users/me/folders/Sales", json!({ "title": "Café" }));
    assert_eq!(again, (404, "no such folder".to_owned()));
}

#[test]
fn a_move_goes_anywhere_but_into_itself() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales/2026", "Plan");
    let to =
        |path: &str, name: &str| (format!("/users/me/folders/{path}"), json!({ "name": name }));
    let (path, body) = to("Sales/2026", "/Archive/Old/Sales 2026");
    world.done("Ann", "PUT", &path, body);
    assert_eq!(world.get("Ann", &plan)["folder"], "/Archive/Old/Sales 2026");
    assert_eq!(folders(&world.get("Ann", "/users/me/folders")), ["/Archive", "/Sales"]);
    // The body has the old title from the response, so only the path changes.
    let mut read = world.get("Ann", "/users/me/folders/Archive/Old/Sales%202026");
    read["name"] = json!("/Sales/2026");
    world.done("Ann", "PUT", "/users/me/folders/Archive/Old/Sales%202026", read);
    assert_eq!(world.get("Ann", &plan)["folder"], "/Sales/2026");

    let itself = (400, "name: a folder cannot be moved into itself".to_owned());
    for name in ["/Sales/Sales", "/Sales/2026/Sales", "/Sales/2026/New/Sales"] {
        let (path, body) = to("Sales", name);
        assert_eq!(world.refused("Ann", "PUT", &path, body), itself, "{name}");
    }
    // Moves up and down again, and next to a folder with the same name prefix.
    for (from, name) in
        [("Sales/2026", "/2026"), ("Sales", "/2026/Sales"), ("2026/Sales", "/2026 Sales")]
    {
        let (path, body) = to(&from.replace(' ', "%20"), name);
        world.done("Ann", "PUT", &path, body);
    }
    assert_eq!(world.list("Ann", "me/list"), ["/2026", "/2026 Sales", "/Archive"]);
    assert_eq!(world.get("Ann", &plan)["folder"], "/2026");
}

#[test]
fn a_clash_and_too_many_levels_are_refused() {
    let world = World::new();
    for path in ["Sales", "Archive/Sales", "a/b/c"] {
        world.done("Ann", "PUT", &format!("/users/me/folders/{path}"), Value::Null);
    }
    let put = |path: &str, body: Value| {
        world.refused("Ann", "PUT", &format!("/users/me/folders/{path}"), body)
    };
    let taken = |name: &str| (409, format!("a folder named {name:?} already exists"));
    assert_eq!(put("Sales", json!({ "name": "/Archive/Sales" })), taken("Sales"));
    assert_eq!(put("Sales", json!({ "title": "Archive" })), taken("Archive"));
    // Names differ by case.
    world.done("Ann", "PUT", "/users/me/folders/Sales", json!({ "title": "archive" }));

    let deep = vec!["x"; 30].join("/");
    world.done("Ann", "PUT", &format!("/users/me/folders/{deep}"), Value::Null);
    let (status, text) = put("a", json!({ "name": format!("/{deep}/a") }));
    let too_deep = "name: the result would have more than 32 nested folders";
    assert_eq!((status, text.as_str()), (400, too_deep));
    world.done("Ann", "PUT", "/users/me/folders/a/b", json!({ "name": format!("/{deep}/b") }));
}

#[test]
fn a_folder_may_be_given_to_another_account() {
    let world = World::new();
    let org = crate::orgs::make(&world.server, "acme", chartroom::features::orgs::Seats::Unlimited);
    for (name, role) in [("Ann", "Admin"), ("Ben", "Member")] {
        let role = match role {
            "Admin" => chartroom::features::orgs::Role::Admin,
            _ => chartroom::features::orgs::Role::Member,
        };
        let id = chartroom_platform::id::AccountId::from_text(world.id(name));
        crate::orgs::add(&world.server, &org, &id, role).unwrap();
    }
    let plan = world.document("Ann", "me", "/Sales/2026", "Plan");
    let old = world.document("Ann", "me", "/Sales/2026", "Old");
    world.done("Ann", "DELETE", &old, Value::Null);
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();

    let put = world.done("Ann", "PUT", "/users/me/folders/Sales", json!({ "owner": "acme" }));
    let here = format!("http://127.0.0.1:8080/api/v1/users/{}/folders/Sales", org.id);
    assert_eq!((&put.json()["name"], &put.json()["endpoint"]), (&json!("/Sales"), &json!(here)));
    let moved = format!("/users/acme/documents/{}", id(&plan));
    let seen = world.get("Ben", &moved);
    assert_eq!((&seen["owner"], &seen["folder"]), (&json!(org.id), &json!("/Sales/2026")));
    assert_eq!(world.status("Ann", "/users/me/folders/Sales"), 404);
    // Documents in the trash stay with their owner and return to their old folder.
    assert_eq!(world.list("Ann", "me/trash"), ["Old"]);
    assert_eq!(world.list("Ann", "acme/trash"), [""; 0]);
    assert_eq!(world.get("Ann", &old)["folder"], "/Sales/2026");
    world.done("Ann", "POST", &old, json!({ "action": "restore" }));
    assert_eq!(world.get("Ann", &old)["folder"], "/Sales/2026");
    assert_eq!(world.list("Ann", "me/list/Sales/2026"), ["Old"]);

    // Ben transfers it back under another name. Only accounts that accept documents from Ben are
    // valid owners.
    let body = json!({ "owner": world.id("Ben"), "name": "/Mine/Sales" });
    world.done("Ben", "PUT", "/users/acme/folders/Sales", body);
    let mine = format!("/users/me/documents/{}", id(&plan));
    assert_eq!(world.get("Ben", &mine)["folder"], "/Mine/Sales/2026");
    assert_eq!(world.status("Ann", &mine), 404);
    let nobody = "owner: must be an account to which you may add documents";
    for owner in [world.id("Cid"), "nobody", "cid@example.org"] {
        let refused =
            world.refused("Ben", "PUT", "/users/me/folders/Mine", json!({ "owner": owner }));
        assert_eq!(refused, (400, nobody.to_owned()), "{owner}");
    }
    // An address of the present owner changes nothing.
    let before = world.nodes();
    world.done("Ben", "PUT", "/users/me/folders/Mine", json!({ "owner": "ben@example.org" }));
    assert_eq!(world.nodes(), before);
}

#[test]
fn who_was_given_access_changes_things_but_does_not_take_them_away() {
    let world = World::new();
    let ann = world.id("Ann").to_owned();
    world.document("Ann", "me", "/Sales/2026", "Plan");
    world.done("Ann", "PUT", "/users/me/folders/Private", Value::Null);
    world.share("Sales", world.id("Ben"), "w");
    let at = |path: &str| format!("/users/{ann}/folders/{path}");
    world.done("Ben", "PUT", &at("Sales/2026"), json!({ "title": "2027" }));
    world.done("Ben", "PUT", &at("Sales/2027"), json!({ "name": "/Sales/Years/2027" }));
    world.done("Ben", "PUT", &at("Sales"), json!({ "title": "Shared" }));
    let outside = (400, "name: must be in a folder that you may change".to_owned());
    for name in ["/2027", "/Private/2027", "/New/2027"] {
        let body = json!({ "name": name });
        assert_eq!(world.refused("Ben", "PUT", &at("Shared/Years/2027"), body), outside, "{name}");
    }
    let not_his = (403, "only the owner may do this".to_owned());
    let give = json!({ "owner": world.id("Ben") });
    assert_eq!(world.refused("Ben", "PUT", &at("Shared/Years"), give), not_his);
    let expunge = at("Shared/Years?expunge=1");
    assert_eq!(world.refused("Ben", "DELETE", &expunge, Value::Null), not_his);
    // A writer may trash and restore it, but not remove it permanently.
    world.done("Ben", "DELETE", &at("Shared/Years"), Value::Null);
    assert_eq!(world.refused("Ben", "DELETE", &expunge, Value::Null), not_his);
    world.done("Ben", "POST", &at("Shared/Years"), json!({ "action": "restore" }));
    assert_eq!(world.list("Ann", "me/list/Shared/Years"), ["/Shared/Years/2027"]);
}
