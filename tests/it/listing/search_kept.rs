//! Tests that the search index survives kills and that the server rebuilds it after damage.

use std::fs;
use std::process::Output;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::world::World;

/// Returns the findings of `doctor` about the index.
fn doctor(world: &World) -> Value {
    let output: Output = world.run(&["doctor"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = said["checks"].as_array().unwrap();
    checks.iter().find(|it| it["name"] == "search.index").unwrap().clone()
}

/// Calls [`doctor`] after a started server has finished its repairs.
fn settled(world: &World) -> Value {
    let begun = Instant::now();
    loop {
        let check = doctor(world);
        if check["ok"] == true || begun.elapsed() > Duration::from_secs(60) {
            return check;
        }
    }
}

fn make(who: &Client<'_>, title: &str) -> String {
    let made = who.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let endpoint = made["endpoint"].as_str().unwrap();
    let path = endpoint[endpoint.find("/api/v1/").unwrap()..].to_owned();
    who.patch(&path, json!({ "title": title })).expect(200);
    path
}

/// Returns the number of matches of a search once there is an index.
fn count(world: &World, text: &str) -> u64 {
    let begun = Instant::now();
    loop {
        let answer = world.ann().get(&format!("/api/v1/search?query={text}"));
        if answer.status == 200 {
            return answer.json()["count"].as_u64().unwrap();
        }
        assert_eq!(answer.status, 503, "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(60), "no index in a minute");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_kill_under_writes_leaves_index_and_tables_the_same() {
    let mut world = World::new();
    make(&world.ann(), "Anchor");
    for round in 0..3 {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for writer in 0..3 {
                let (world, stop) = (&world, &stop);
                scope.spawn(move || {
                    // A request without a response does not matter here.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        for number in 0.. {
                            if stop.load(Ordering::SeqCst) {
                                return;
                            }
                            let path =
                                make(&world.ann(), &format!("Buoy {round} {writer} {number}"));
                            match number % 4 {
                                0 => drop(world.ann().delete(&path)),
                                1 => drop(world.ann().delete(&format!("{path}?expunge=1"))),
                                _ => {}
                            }
                        }
                    }));
                });
            }
            thread::sleep(Duration::from_millis(400 + 130 * round));
            world.signal("KILL");
            stop.store(true, Ordering::SeqCst);
        });
        world.kill();
        world.start();
        let check = settled(&world);
        assert_eq!(check["ok"], true, "{check}");
        assert_eq!(count(&world, "anchor"), 1);
    }
    let buoys = count(&world, "buoy");
    let list = world.ann().get("/api/v1/users/me/list?match=buoy").expect(200).json();
    assert!(buoys > 0);
    assert_eq!(list["count"], buoys);
    assert_eq!(world.stop(), Some(0));
    let check = doctor(&world);
    assert_eq!(check["ok"], true, "{check}");
}

#[test]
fn a_damaged_index_is_built_anew() {
    let mut world = World::new();
    make(&world.ann(), "Anchor");
    assert_eq!(count(&world, "anchor"), 1);
    let dir = world.path().join("index");
    let rewrite = |from: &str, to: &str| {
        let meta = dir.join("meta.json");
        let text = fs::read_to_string(&meta).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&meta, text.replace(from, to)).unwrap();
    };
    let damages: [(&str, &dyn Fn()); 6] = [
        ("removed", &|| fs::remove_dir_all(&dir).unwrap()),
        ("of a later database", &|| rewrite("\\\"cursor\\\":", "\\\"cursor\\\":99999")),
        ("of another version", &|| rewrite("\\\"version\\\":", "\\\"version\\\":9")),
        ("of another database", &|| rewrite("\\\"database\\\":\\\"", "\\\"database\\\":\\\"x")),
        ("no JSON", &|| fs::write(dir.join("meta.json"), "{").unwrap()),
        ("flipped bytes", &|| {
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|it| it != "json" && it != "lock") {
                    let mut bytes = fs::read(&path).unwrap();
                    bytes.iter_mut().for_each(|it| *it ^= 0x55);
                    fs::write(&path, bytes).unwrap();
                }
            }
        }),
    ];
    for (what, damage) in damages {
        assert_eq!(world.stop(), Some(0));
        damage();
        if what != "removed" {
            assert_eq!(doctor(&world)["ok"], false, "{what}");
        }
        world.start();
        assert_eq!(count(&world, "anchor"), 1, "{what}");
        let check = settled(&world);
        assert_eq!(check["ok"], true, "{what}: {check}");
    }
}

#[test]
fn what_is_on_one_side_only_is_seen_and_mended() {
    let mut world = World::new();
    make(&world.ann(), "Anchor");
    assert_eq!(count(&world, "anchor"), 1);
    assert_eq!(world.stop(), Some(0));
    let database = rusqlite::Connection::open(world.path().join("chartroom.db")).unwrap();
    database
        .execute_batch(
            "insert into node (id, type, owner, title, title_key, created, updated, updated_by,
                 revision, change)
             select 'secret-folder', 'folder', owner, 'Chain', 'chain', 0, 0, owner, 1, change
             from node where title = 'Anchor'",
        )
        .unwrap();
    let check = doctor(&world);
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&json!(false), &json!("secret-folder is not in the index"))
    );
    let mended = world.run(&["doctor", "--fix"]);
    assert!(mended.status.success(), "{}", String::from_utf8_lossy(&mended.stdout));
    database.execute_batch("delete from node where id = 'secret-folder'").unwrap();
    let check = doctor(&world);
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&json!(false), &json!("secret-folder is in the index but not in the database"))
    );
    drop(database);
    // The server detects it too.
    world.start();
    let begun = Instant::now();
    while count(&world, "chain") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "never mended");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn reindex_works_with_and_without_a_server() {
    let mut world = World::new();
    make(&world.ann(), "Anchor");
    let told = world.json(&["reindex"]);
    assert_eq!((&told["ok"], &told["detail"]), (&json!(true), &json!("1 documents and folders")));
    assert_eq!(count(&world, "anchor"), 1);
    assert_eq!(world.stop(), Some(0));
    assert_eq!(world.json(&["reindex"])["ok"], true);
    assert_eq!(doctor(&world)["ok"], true);
    world.start();
    make(&world.ann(), "Anchor too");
    assert_eq!(count(&world, "anchor"), 2);
}
