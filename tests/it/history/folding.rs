//! Tests of which saves share one version.

use serde_json::json;

use super::World;

#[test]
fn saves_of_one_person_within_a_minute_are_one_version() {
    let world = World::new();
    let path = world.document();
    assert_eq!(world.numbers(&path), [2, 1], "what a document began with stays");
    let save = |who: &str, title: &str| world.save(who, &path, &json!({ "title": title }));
    assert_eq!(save(&world.ann, "a"), 3);
    assert_eq!(save(&world.ann, "ab"), 3);
    world.add(&world.ann, &path, &json!({ "label": "x" }));
    assert_eq!(world.newest(&path), 3);
    assert_eq!(world.get(&format!("{path}/history"))["results"][0]["title"], "ab");
    // The limit is one minute after the first save, not after the last.
    world.server.sql("update version set began = began - 60000");
    assert_eq!(save(&world.ann, "abc"), 4);
    assert_eq!(world.get(&format!("{path}/history/3"))["title"], "ab");
    assert_eq!(world.get(&format!("{path}/history/2"))["title"], "Empty");
}

#[test]
fn two_people_are_never_one_version() {
    let world = World::new();
    let path = world.document();
    world.share(&path, &world.ben_id, "w");
    assert_eq!(world.save(&world.ann, &path, &json!({ "title": "Ann's" })), 3);
    assert_eq!(world.save(&world.ben, &path, &json!({ "title": "Ben's" })), 4);
    assert_eq!(world.save(&world.ann, &path, &json!({ "title": "Ann's again" })), 5);
    world.add(&world.ben, &path, &json!({ "label": "x" }));
    assert_eq!(world.newest(&path), 6);
    assert_eq!(world.get(&format!("{path}/history/4"))["title"], "Ben's");
    assert_eq!(world.get(&format!("{path}/history/5"))["data"], json!([]));
}

#[test]
fn guests_with_a_link_do_not_fold_away_each_others_saves() {
    let world = World::new();
    let path = world.document();
    world.share_by_link(&path, "w");
    let guest = |title: &str| {
        let address = format!("{path}?share={}", super::LINK);
        let headers = [("content-type", "application/json")];
        let body = json!({ "title": title }).to_string();
        assert_eq!(world.server.send("PUT", &address, &headers, &body).status, 200);
    };
    guest("one");
    guest("two");
    assert_eq!(world.newest(&path), 4);
    let newest = world.get(&format!("{path}/history"))["results"][0].clone();
    assert_eq!((&newest["author"], &newest["channel"]), (&json!(null), &json!("api")));
    assert_eq!(world.get(&format!("{path}/history/3"))["title"], "one");
}

#[test]
fn final_save_close_and_a_name_end_a_version() {
    let world = World::new();
    let path = world.document();
    let save = |title: &str| world.save(&world.ann, &path, &json!({ "title": title }));
    save("a");
    let last = json!({ "title": "b", "final_save": true });
    assert_eq!(world.save(&world.ann, &path, &last), 3, "the last save of a session is part of it");
    assert_eq!(save("c"), 4);
    // The last save may change nothing.
    assert_eq!(world.save(&world.ann, &path, &json!({ "title": "c", "final_save": true })), 4);
    assert_eq!(save("d"), 5);
    assert_eq!(world.ann("POST", &path, r#"{"action":"close"}"#).status, 204);
    assert_eq!(save("e"), 6);
    assert_eq!(world.ann("PATCH", &format!("{path}/history/6"), r#"{"name":"E"}"#).status, 200);
    assert_eq!(save("f"), 7);
    // A person who closes the document ends only their own session, not Ann's.
    world.share(&path, &world.ben_id, "w");
    let closed = world.server.ask(&world.ben, "POST", &path, r#"{"action":"close"}"#);
    assert_eq!(closed.status, 204);
    assert_eq!(save("g"), 7);
    let titles = ["b", "c", "d", "e", "g"].iter().zip(3..);
    for (title, number) in titles {
        assert_eq!(world.get(&format!("{path}/history/{number}"))["title"], *title);
    }
}

#[test]
fn only_a_change_of_content_makes_a_version() {
    let world = World::new();
    let path = world.document();
    world.save(&world.ann, &path, &json!({ "title": "T" }));
    world.wait_a_minute();
    assert_eq!(world.save(&world.ann, &path, &json!({ "title": "T" })), 3);
    assert_eq!(world.save(&world.ann, &path, &json!({ "version": 7 })), 3);
    assert_eq!(world.ann("PATCH", &path, r#"{"folder":"/Elsewhere"}"#).status, 200);
    assert_eq!(world.newest(&path), 3);
    assert_eq!(world.ann("PATCH", &path, r#"{"title":"Renamed"}"#).status, 200);
    assert_eq!(world.newest(&path), 4);
    assert_eq!(world.get(&format!("{path}/history/3"))["title"], "T");
    assert_eq!(world.ann("PUT", &format!("{path}/data"), r#"[{"label":"x"}]"#).status, 200);
    assert_eq!(world.newest(&path), 4, "within a minute");
    // The folder of a document is not part of its history.
    let then = world.get(&format!("{path}/history/3"));
    assert_eq!((&then["folder"], &then["version"]), (&json!("/Elsewhere"), &json!(7)));
}
