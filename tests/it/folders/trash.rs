//! Tests of the trash: removal, restore and permanent removal.

use std::time::Duration;
use std::time::Instant;

use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::FolderFixture;
use super::subfolder_names;

const SALES_FOLDER: &str = "/users/me/folders/Sales";

fn restore_body() -> Value {
    json!({ "action": "restore" })
}

#[test]
fn folder_is_trashed_and_restored_with_its_content() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let old = fixture.create_document("Ann", "me", "/Sales", "Old");
    fixture.request_ok("Ann", "DELETE", &old, Value::Null);
    let before = fixture.get_json("Ann", SALES_FOLDER);
    for _ in 0..2 {
        fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);
        assert_eq!(subfolder_names(&fixture.get_json("Ann", "/users/me/folders")), [""; 0]);
        assert_eq!(fixture.get_status("Ann", "/users/me/list/Sales"), 404);
        // A removed folder is one entry of the trash. Earlier entries stay.
        assert_eq!(fixture.list_names("Ann", "me/trash"), ["/Sales", "Old"]);
    }
    for (path, name) in
        [(SALES_FOLDER.to_owned(), "/Sales"), (format!("{SALES_FOLDER}/2026"), "/Sales/2026")]
    {
        let trashed = fixture.get_json("Ann", &path);
        assert_eq!(
            (trashed["name"].as_str(), trashed["deleted_at"].is_string()),
            (Some(name), true)
        );
    }
    assert_eq!(subfolder_names(&fixture.get_json("Ann", SALES_FOLDER)), ["/Sales/2026"]);
    let document = fixture.get_json("Ann", &plan);
    assert!(document["deleted_at"].is_string());
    assert_eq!(document["folder"], "/Sales/2026/Q1");
    let (status, text) = fixture.expect_refused("Ann", "PATCH", &plan, json!({ "title": "X" }));
    assert_eq!((status, text.as_str()), (409, "the document is in the trash; restore it first"));

    for _ in 0..2 {
        fixture.request_ok("Ann", "POST", SALES_FOLDER, restore_body());
        assert_eq!(fixture.list_names("Ann", "me/trash"), ["Old"]);
        assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["/Sales/2026"]);
    }
    let mut after = fixture.get_json("Ann", SALES_FOLDER);
    after["updated"] = before["updated"].clone();
    assert_eq!(after, before);
    assert_eq!(fixture.get_json("Ann", &plan)["deleted_at"], Value::Null);
    fixture.request_ok("Ann", "POST", &old, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["/Sales/2026", "Old"]);
}

#[test]
fn restore_to_an_existing_name_adds_a_number() {
    let fixture = FolderFixture::new();
    fixture.create_document("Ann", "me", "/Sales", "First");
    fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);
    fixture.create_document("Ann", "me", "/Sales", "Second");
    fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);
    fixture.create_document("Ann", "me", "/Sales", "Third");
    // The trash lists the most recent removal first.
    fixture.request_ok("Ann", "POST", SALES_FOLDER, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales%202"), ["Second"]);
    fixture.request_ok("Ann", "POST", SALES_FOLDER, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales%203"), ["First"]);
    assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["Third"]);
    fixture.request_ok("Ann", "POST", SALES_FOLDER, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list"), ["/Sales", "/Sales 2", "/Sales 3"]);
    // Documents need no number, because their titles are not part of their address.
    let plan = fixture.create_document("Ann", "me", "/Sales", "Third");
    fixture.request_ok("Ann", "DELETE", &plan, Value::Null);
    fixture.request_ok("Ann", "POST", &plan, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["Third", "Third"]);
}

#[test]
fn restore_recreates_missing_parent_folders() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026/Q1", "Plan");
    let other = fixture.create_document("Ann", "me", "/Sales/2026/Q1", "Other");
    // A document leaves a folder in the trash alone. The restore creates the folders of its path,
    // and the rest stays in the trash.
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/Sales/2026", Value::Null);
    fixture.request_ok("Ann", "POST", &plan, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales/2026/Q1"), ["Plan"]);
    assert_eq!(fixture.list_names("Ann", "me/trash"), ["/Sales/2026"]);
    fixture.request_ok("Ann", "POST", "/users/me/folders/Sales/2026", restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["/Sales/2026", "/Sales/2026 2"]);
    assert_eq!(fixture.get_json("Ann", &other)["folder"], "/Sales/2026 2/Q1");

    // Restores a folder inside a folder in the trash, with its content.
    fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);
    fixture.request_ok("Ann", "POST", &format!("{SALES_FOLDER}/2026%202/Q1"), restore_body());
    assert_eq!(fixture.get_json("Ann", &other)["folder"], "/Sales/2026 2/Q1");
    assert_eq!(fixture.list_names("Ann", "me/list/Sales"), ["/Sales/2026 2"]);
    fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);

    // A permanent removal of the folder excludes documents that were trashed separately before.
    fixture.request_ok("Ann", "PUT", "/users/me/folders/New/Deep", Value::Null);
    let kept = fixture.create_document("Ann", "me", "/New/Deep", "Kept");
    fixture.request_ok("Ann", "DELETE", &kept, Value::Null);
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/New", Value::Null);
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/New?expunge=1", Value::Null);
    assert_eq!(fixture.get_status("Ann", "/users/me/folders/New"), 404);
    assert_eq!(fixture.get_json("Ann", &kept)["folder"], "/New/Deep");
    fixture.request_ok("Ann", "POST", &kept, restore_body());
    assert_eq!(fixture.list_names("Ann", "me/list/New/Deep"), ["Kept"]);
}

#[test]
fn restore_follows_moved_or_renamed_parent_folders() {
    let fixture = FolderFixture::new();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026", "Plan");
    fixture.request_ok("Ann", "DELETE", &plan, Value::Null);
    let body = json!({ "name": "/Archive/Old" });
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Sales/2026", body);
    fixture.request_ok("Ann", "POST", &plan, restore_body());
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/Archive/Old");
    // A removed folder is found after a rename of its parent.
    fixture.request_ok("Ann", "DELETE", "/users/me/folders/Archive/Old", Value::Null);
    fixture.request_ok("Ann", "PUT", "/users/me/folders/Archive", json!({ "title": "Attic" }));
    fixture.request_ok("Ann", "POST", "/users/me/folders/Archive/Old", restore_body());
    assert_eq!(fixture.get_json("Ann", &plan)["folder"], "/Attic/Old");
}

#[test]
fn expunge_is_permanent_and_prefers_the_folder_in_the_trash() {
    let fixture = FolderFixture::new();
    let first = fixture.create_document("Ann", "me", "/Sales/2026", "First");
    fixture.request_ok("Ann", "DELETE", SALES_FOLDER, Value::Null);
    let second = fixture.create_document("Ann", "me", "/Sales/2026", "Second");
    let expunge = format!("{SALES_FOLDER}?expunge=1");
    let count_gone_and_chunks = || -> (i64, i64) {
        let count =
            |sql| fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
        (count("select count(*) from gone"), count("select count(*) from chunk"))
    };
    let (gone, chunks) = count_gone_and_chunks();
    fixture.request_ok("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!((fixture.get_status("Ann", &first), fixture.get_status("Ann", &second)), (404, 200));
    assert_eq!(count_gone_and_chunks().0, gone + 3);
    assert!(count_gone_and_chunks().1 < chunks, "the data is removed too");
    fixture.request_ok("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!(fixture.get_status("Ann", &second), 404);
    let repeated = fixture.expect_refused("Ann", "DELETE", &expunge, Value::Null);
    assert_eq!(repeated, (404, "no such folder".to_owned()));
    assert_eq!(fixture.expect_refused("Ann", "POST", SALES_FOLDER, restore_body()).0, 404);
    assert!(fixture.dump_nodes().is_empty());
    let plain = fixture.create_document("Ann", "me", "/", "Plain");
    fixture.request_ok("Ann", "DELETE", &format!("{plain}?expunge=1"), Value::Null);
    assert_eq!(fixture.get_status("Ann", &plain), 404);
}

#[test]
fn restore_checks_the_current_access() {
    let fixture = FolderFixture::new();
    let ann = fixture.user_id("Ann").to_owned();
    let plan = fixture.create_document("Ann", "me", "/Sales/2026/Q1", "Plan");
    fixture.share_folder("2026", fixture.user_id("Ben"), "w");
    let folder_path = |path: &str| format!("/users/{ann}/folders/{path}");
    fixture.request_ok("Ben", "DELETE", &folder_path("Sales/2026/Q1"), Value::Null);
    fixture.request_ok("Ben", "POST", &folder_path("Sales/2026/Q1"), restore_body());
    fixture.request_ok("Ben", "DELETE", &plan, Value::Null);
    // The folder with Ben's access entry is in the trash now.
    fixture.request_ok("Ann", "DELETE", &folder_path("Sales/2026"), Value::Null);
    assert_eq!(fixture.expect_refused("Ben", "POST", &plan, restore_body()).0, 404);
    fixture.request_ok("Ann", "POST", &folder_path("Sales/2026"), restore_body());
    fixture.server.execute_sql("update access_entry set mode = 'r'");
    assert_eq!(
        fixture.expect_refused("Ben", "POST", &plan, restore_body()).0,
        404,
        "readers have no access to the trash"
    );
    fixture.server.execute_sql("update access_entry set mode = 'w'");
    fixture.request_ok("Ben", "POST", &plan, restore_body());
}

#[test]
fn empty_trash_removes_exactly_the_trash_of_the_account() {
    let fixture = FolderFixture::new();
    fixture.request_ok("Ann", "DELETE", "/users/me/trash", Value::Null);
    let kept = fixture.create_document("Ann", "me", "/Sales", "Kept");
    let inner = fixture.create_document("Ann", "me", "/Old/Deep", "Inner");
    let alone = fixture.create_document("Ann", "me", "/Old/Deep", "Alone");
    for path in [&alone, "/users/me/folders/Old/Deep", "/users/me/folders/Old"] {
        fixture.request_ok("Ann", "DELETE", path, Value::Null);
    }
    // More nodes than one transaction removes.
    for number in 0..60 {
        let path = format!("/users/me/folders/{number}");
        fixture.request_ok("Ann", "PUT", &path, Value::Null);
        fixture.request_ok("Ann", "DELETE", &path, Value::Null);
    }
    let bens_document = fixture.create_document("Ben", "me", "/", "Bens");
    fixture.request_ok("Ben", "DELETE", &bens_document, Value::Null);
    let anns_trash = format!("/users/{}/trash", fixture.user_id("Ann"));
    assert_eq!(fixture.expect_refused("Ben", "DELETE", &anns_trash, Value::Null).0, 404);
    assert_eq!(fixture.server.send("DELETE", "/api/v1/users/me/trash", &[], "").status, 401);
    for _ in 0..2 {
        fixture.request_ok("Ann", "DELETE", "/users/me/trash", Value::Null);
        assert_eq!(fixture.list_names("Ann", "me/trash"), [""; 0]);
    }
    assert_eq!(
        [&kept, &inner, &alone].map(|path| fixture.get_status("Ann", path)),
        [200, 404, 404]
    );
    assert_eq!(fixture.list_names("Ben", "me/trash"), ["Bens"]);
}

#[test]
fn trash_is_purged_after_the_retention_time() {
    let retention = Duration::from_secs(3600);
    let fixture =
        FolderFixture::with_config(Config { trash_retention: retention, ..Config::default() });
    let old = fixture.create_document("Ann", "me", "/Old", "Old");
    let inner = fixture.create_document("Ann", "me", "/Older/Deep", "Inner");
    let fresh = fixture.create_document("Ann", "me", "/", "Fresh");
    for path in [&old, "/users/me/folders/Older", &fresh] {
        fixture.request_ok("Ann", "DELETE", path, Value::Null);
    }
    fixture
        .server
        .execute_sql("update node set deleted = deleted - 3601000 where title <> 'Fresh'");
    // Slightly shorter than the retention time.
    fixture.server.execute_sql("update node set deleted = deleted - 3500000 where title = 'Fresh'");
    let _runner = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let started = Instant::now();
    while fixture.list_names("Ann", "me/trash") != ["Fresh"] {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}",
            fixture.list_names("Ann", "me/trash")
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    fixture.check_tree_invariants();
    assert_eq!([&old, &inner, &fresh].map(|path| fixture.get_status("Ann", path)), [404, 404, 200]);
    assert_eq!(fixture.list_names("Ann", "me/list"), ["/Old"]);
}
