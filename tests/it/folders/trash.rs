//! Tests of the trash: removal, restore and permanent removal.

use std::time::Duration;
use std::time::Instant;

use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::World;
use super::folders;

const SALES: &str = "/users/me/folders/Sales";

fn restore() -> Value {
    json!({ "action": "restore" })
}

#[test]
fn a_folder_goes_and_comes_back_with_everything() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let old = world.document("Ann", "me", "/Sales", "Old");
    world.done("Ann", "DELETE", &old, Value::Null);
    let before = world.get("Ann", SALES);
    for _ in 0..2 {
        world.done("Ann", "DELETE", SALES, Value::Null);
        assert_eq!(folders(&world.get("Ann", "/users/me/folders")), [""; 0]);
        assert_eq!(world.status("Ann", "/users/me/list/Sales"), 404);
        // A removed folder is one entry of the trash. Earlier entries stay.
        assert_eq!(world.list("Ann", "me/trash"), ["/Sales", "Old"]);
    }
    for (path, name) in [(SALES.to_owned(), "/Sales"), (format!("{SALES}/2026"), "/Sales/2026")] {
        let there = world.get("Ann", &path);
        assert_eq!((there["name"].as_str(), there["deleted_at"].is_string()), (Some(name), true));
    }
    assert_eq!(folders(&world.get("Ann", SALES)), ["/Sales/2026"]);
    let document = world.get("Ann", &plan);
    assert!(document["deleted_at"].is_string());
    assert_eq!(document["folder"], "/Sales/2026/Q1");
    let (status, text) = world.refused("Ann", "PATCH", &plan, json!({ "title": "X" }));
    assert_eq!((status, text.as_str()), (409, "the document is in the trash; restore it first"));

    for _ in 0..2 {
        world.done("Ann", "POST", SALES, restore());
        assert_eq!(world.list("Ann", "me/trash"), ["Old"]);
        assert_eq!(world.list("Ann", "me/list/Sales"), ["/Sales/2026"]);
    }
    let mut after = world.get("Ann", SALES);
    after["updated"] = before["updated"].clone();
    assert_eq!(after, before);
    assert_eq!(world.get("Ann", &plan)["deleted_at"], Value::Null);
    world.done("Ann", "POST", &old, restore());
    assert_eq!(world.list("Ann", "me/list/Sales"), ["/Sales/2026", "Old"]);
}

#[test]
fn what_comes_back_to_a_taken_name_gets_a_number() {
    let world = World::new();
    world.document("Ann", "me", "/Sales", "First");
    world.done("Ann", "DELETE", SALES, Value::Null);
    world.document("Ann", "me", "/Sales", "Second");
    world.done("Ann", "DELETE", SALES, Value::Null);
    world.document("Ann", "me", "/Sales", "Third");
    // The trash lists the most recent removal first.
    world.done("Ann", "POST", SALES, restore());
    assert_eq!(world.list("Ann", "me/list/Sales%202"), ["Second"]);
    world.done("Ann", "POST", SALES, restore());
    assert_eq!(world.list("Ann", "me/list/Sales%203"), ["First"]);
    assert_eq!(world.list("Ann", "me/list/Sales"), ["Third"]);
    world.done("Ann", "POST", SALES, restore());
    assert_eq!(world.list("Ann", "me/list"), ["/Sales", "/Sales 2", "/Sales 3"]);
    // Documents need no number, because their titles are not part of their address.
    let plan = world.document("Ann", "me", "/Sales", "Third");
    world.done("Ann", "DELETE", &plan, Value::Null);
    world.done("Ann", "POST", &plan, restore());
    assert_eq!(world.list("Ann", "me/list/Sales"), ["Third", "Third"]);
}

#[test]
fn a_folder_that_is_gone_is_made_again() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let other = world.document("Ann", "me", "/Sales/2026/Q1", "Other");
    // A document leaves a folder in the trash alone. The restore creates the folders of its path,
    // and the rest stays in the trash.
    world.done("Ann", "DELETE", "/users/me/folders/Sales/2026", Value::Null);
    world.done("Ann", "POST", &plan, restore());
    assert_eq!(world.list("Ann", "me/list/Sales/2026/Q1"), ["Plan"]);
    assert_eq!(world.list("Ann", "me/trash"), ["/Sales/2026"]);
    world.done("Ann", "POST", "/users/me/folders/Sales/2026", restore());
    assert_eq!(world.list("Ann", "me/list/Sales"), ["/Sales/2026", "/Sales/2026 2"]);
    assert_eq!(world.get("Ann", &other)["folder"], "/Sales/2026 2/Q1");

    // Restores a folder inside a folder in the trash, with its content.
    world.done("Ann", "DELETE", SALES, Value::Null);
    world.done("Ann", "POST", &format!("{SALES}/2026%202/Q1"), restore());
    assert_eq!(world.get("Ann", &other)["folder"], "/Sales/2026 2/Q1");
    assert_eq!(world.list("Ann", "me/list/Sales"), ["/Sales/2026 2"]);
    world.done("Ann", "DELETE", SALES, Value::Null);

    // A permanent removal of the folder excludes documents that were trashed separately before.
    world.done("Ann", "PUT", "/users/me/folders/New/Deep", Value::Null);
    let kept = world.document("Ann", "me", "/New/Deep", "Kept");
    world.done("Ann", "DELETE", &kept, Value::Null);
    world.done("Ann", "DELETE", "/users/me/folders/New", Value::Null);
    world.done("Ann", "DELETE", "/users/me/folders/New?expunge=1", Value::Null);
    assert_eq!(world.status("Ann", "/users/me/folders/New"), 404);
    assert_eq!(world.get("Ann", &kept)["folder"], "/New/Deep");
    world.done("Ann", "POST", &kept, restore());
    assert_eq!(world.list("Ann", "me/list/New/Deep"), ["Kept"]);
}

#[test]
fn what_was_moved_or_renamed_meanwhile_is_found() {
    let world = World::new();
    let plan = world.document("Ann", "me", "/Sales/2026", "Plan");
    world.done("Ann", "DELETE", &plan, Value::Null);
    let body = json!({ "name": "/Archive/Old" });
    world.done("Ann", "PUT", "/users/me/folders/Sales/2026", body);
    world.done("Ann", "POST", &plan, restore());
    assert_eq!(world.get("Ann", &plan)["folder"], "/Archive/Old");
    // A removed folder is found after a rename of its parent.
    world.done("Ann", "DELETE", "/users/me/folders/Archive/Old", Value::Null);
    world.done("Ann", "PUT", "/users/me/folders/Archive", json!({ "title": "Attic" }));
    world.done("Ann", "POST", "/users/me/folders/Archive/Old", restore());
    assert_eq!(world.get("Ann", &plan)["folder"], "/Attic/Old");
}

#[test]
fn expunge_ends_a_folder_and_prefers_the_one_in_the_trash() {
    let world = World::new();
    let first = world.document("Ann", "me", "/Sales/2026", "First");
    world.done("Ann", "DELETE", SALES, Value::Null);
    let second = world.document("Ann", "me", "/Sales/2026", "Second");
    let expunge = format!("{SALES}?expunge=1");
    let numbers = || -> (i64, i64) {
        let count = |sql| world.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
        (count("select count(*) from gone"), count("select count(*) from chunk"))
    };
    let (gone, chunks) = numbers();
    world.done("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!((world.status("Ann", &first), world.status("Ann", &second)), (404, 200));
    assert_eq!(numbers().0, gone + 3);
    assert!(numbers().1 < chunks, "its data are gone too");
    world.done("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!(world.status("Ann", &second), 404);
    let again = world.refused("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!(again, (404, "no such folder".to_owned()));
    assert_eq!(world.refused("Ann", "POST", SALES, restore()).0, 404);
    assert!(world.nodes().is_empty());
    let plain = world.document("Ann", "me", "/", "Plain");
    world.done("Ann", "DELETE", &format!("{plain}?expunge=1"), Value::Null);
    assert_eq!(world.status("Ann", &plain), 404);
}

#[test]
fn rights_are_checked_again_when_something_comes_back() {
    let world = World::new();
    let ann = world.id("Ann").to_owned();
    let plan = world.document("Ann", "me", "/Sales/2026/Q1", "Plan");
    world.share("2026", world.id("Ben"), "w");
    let at = |path: &str| format!("/users/{ann}/folders/{path}");
    world.done("Ben", "DELETE", &at("Sales/2026/Q1"), Value::Null);
    world.done("Ben", "POST", &at("Sales/2026/Q1"), restore());
    world.done("Ben", "DELETE", &plan, Value::Null);
    // The folder with Ben's access entry is in the trash now.
    world.done("Ann", "DELETE", &at("Sales/2026"), Value::Null);
    assert_eq!(world.refused("Ben", "POST", &plan, restore()).0, 404);
    world.done("Ann", "POST", &at("Sales/2026"), restore());
    world.server.sql("update access_entry set mode = 'r'");
    assert_eq!(world.refused("Ben", "POST", &plan, restore()).0, 404, "readers have no trash");
    world.server.sql("update access_entry set mode = 'w'");
    world.done("Ben", "POST", &plan, restore());
}

#[test]
fn emptying_takes_all_that_is_in_the_trash_and_nothing_else() {
    let world = World::new();
    world.done("Ann", "DELETE", "/users/me/trash", Value::Null);
    let kept = world.document("Ann", "me", "/Sales", "Kept");
    let inner = world.document("Ann", "me", "/Old/Deep", "Inner");
    let alone = world.document("Ann", "me", "/Old/Deep", "Alone");
    for path in [&alone, "/users/me/folders/Old/Deep", "/users/me/folders/Old"] {
        world.done("Ann", "DELETE", path, Value::Null);
    }
    // More nodes than one transaction removes.
    for number in 0..60 {
        let path = format!("/users/me/folders/{number}");
        world.done("Ann", "PUT", &path, Value::Null);
        world.done("Ann", "DELETE", &path, Value::Null);
    }
    let bens = world.document("Ben", "me", "/", "Bens");
    world.done("Ben", "DELETE", &bens, Value::Null);
    let theirs = format!("/users/{}/trash", world.id("Ann"));
    assert_eq!(world.refused("Ben", "DELETE", &theirs, Value::Null).0, 404);
    assert_eq!(world.server.send("DELETE", "/api/v1/users/me/trash", &[], "").status, 401);
    for _ in 0..2 {
        world.done("Ann", "DELETE", "/users/me/trash", Value::Null);
        assert_eq!(world.list("Ann", "me/trash"), [""; 0]);
    }
    assert_eq!([&kept, &inner, &alone].map(|it| world.status("Ann", it)), [200, 404, 404]);
    assert_eq!(world.list("Ben", "me/trash"), ["Bens"]);
}

#[test]
fn what_was_in_the_trash_long_enough_is_purged() {
    let keep = Duration::from_secs(3600);
    let world = World::with(Config { trash_retention: keep, ..Config::default() });
    let old = world.document("Ann", "me", "/Old", "Old");
    let inner = world.document("Ann", "me", "/Older/Deep", "Inner");
    let fresh = world.document("Ann", "me", "/", "Fresh");
    for path in [&old, "/users/me/folders/Older", &fresh] {
        world.done("Ann", "DELETE", path, Value::Null);
    }
    world.server.sql("update node set deleted = deleted - 3601000 where title <> 'Fresh'");
    // Slightly shorter than the retention time.
    world.server.sql("update node set deleted = deleted - 3500000 where title = 'Fresh'");
    let _runner = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    let began = Instant::now();
    while world.list("Ann", "me/trash") != ["Fresh"] {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", world.list("Ann", "me/trash"));
        std::thread::sleep(Duration::from_millis(10));
    }
    world.check_tree();
    assert_eq!([&old, &inner, &fresh].map(|it| world.status("Ann", it)), [404, 404, 200]);
    assert_eq!(world.list("Ann", "me/list"), ["/Old"]);
}
