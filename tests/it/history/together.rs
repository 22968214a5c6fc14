//! Several people at once.

use std::thread;

use serde_json::Value;
use serde_json::json;

use super::World;

#[test]
fn who_saves_over_a_change_is_told_who_made_it_and_when() {
    let world = World::new();
    let path = world.document();
    world.share(&path, &world.ben_id, "w");
    let tag = world.ann("GET", &path, "").header("etag");
    world.save(&world.ben, &path, &json!({ "title": "Ben's" }));
    let now = world.get(&path);
    let with = |method: &str, rest: &str, tag: &str, body: &str| {
        let headers = [
            ("authorization", world.ann.as_str()),
            ("content-type", "application/json"),
            ("if-match", tag),
        ];
        world.server.send(method, &format!("{path}{rest}"), &headers, body)
    };
    for (method, rest, body) in [
        ("PUT", "", r#"{"title":"Ann's"}"#),
        ("PUT", "/data", "[]"),
        ("PATCH", "", r#"{"title":"Ann's"}"#),
        ("PATCH", "/history/1", r#"{"name":"Ann's"}"#),
        ("POST", "/history/1/restore", ""),
    ] {
        let stale = with(method, rest, &tag, body);
        assert_eq!(stale.status, 412, "{method} {rest}");
        let problem: Value = serde_json::from_str(&stale.body).unwrap();
        assert_eq!(problem["updated_by"], world.ben_id, "{method} {rest}");
        assert_eq!(problem["updated"], now["updated"]);
        let current = problem["etag"].as_str().unwrap().to_owned();
        assert_eq!(with("PATCH", "/history/1", &current, r#"{"name":"A"}"#).status, 200);
    }
    assert_eq!(world.get(&path)["title"], "Ben's");
    // What was read of an older version, while the document was what it is, will do as well.
    let older = world.ann("GET", &format!("{path}/history/2"), "").header("etag");
    assert_eq!(with("POST", "/history/2/restore", &older, "").status, 200);
    assert_eq!(with("POST", "/history/2/restore", &older, "").status, 412);
}

#[test]
fn records_and_saves_never_stand_in_each_others_way() {
    const EACH: usize = 30;
    let world = World::new();
    let path = world.document();
    world.share(&path, &world.ben_id, "w");
    assert_eq!(world.ann("PUT", &format!("{path}/data"), "[]").status, 200);
    let (server, path) = (&world.server, path.as_str());
    thread::scope(|scope| {
        for (name, who) in [("ann", &world.ann), ("ben", &world.ben)] {
            scope.spawn(move || {
                for number in 0..EACH {
                    let record = json!({ "label": format!("{name} {number}") }).to_string();
                    let added = server.ask(who, "POST", &format!("{path}/add-record"), &record);
                    assert_eq!(added.status, 204, "{}", added.text);
                }
            });
        }
        scope.spawn(|| {
            for number in 0..EACH {
                let title = json!({ "title": number.to_string() }).to_string();
                let renamed = server.ask(&world.ann, "PATCH", path, &title);
                assert_eq!(renamed.status, 200, "{}", renamed.text);
            }
        });
    });
    let data = world.get(path)["data"].as_array().unwrap().clone();
    assert_eq!(data.len(), 2 * EACH);
    for name in ["ann", "ben"] {
        let own: Vec<&str> = data.iter().filter_map(|it| it["label"].as_str()).collect();
        let own = own.into_iter().filter_map(|it| it.strip_prefix(name));
        assert!(own.map(|it| it.trim().parse::<usize>().unwrap()).eq(0..EACH), "{name}");
    }
    // Each version holds the first of the records.
    for number in world.numbers(path) {
        let then = world.get(&format!("{path}/history/{number}"));
        let then = then["data"].as_array().unwrap();
        // The first one has those of the sample.
        if number > 1 {
            assert_eq!(then[..], data[..then.len()]);
        }
    }
    assert!(world.complaints().is_empty(), "{:?}", world.complaints());
}
