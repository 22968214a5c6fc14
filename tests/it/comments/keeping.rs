//! Threads go where their document goes.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::comment;
use super::said;
use super::thread;

/// How many rows there are of threads, comments and mentions.
fn rows(talk: &Talk) -> [i64; 3] {
    ["thread", "comment", "mention"].map(|table| {
        let sql = format!("select count(*) from {table}");
        talk.world.server.app.db.read(|tx| tx.one(&sql, [], |row| row.get(0))).unwrap()
    })
}

#[test]
fn the_trash_keeps_threads_and_an_expunge_takes_them() {
    let talk = Talk::about("acme");
    let begun = talk.done("Ann", "POST", "", thread(&[talk.mention("Ben"), said(" look")]));
    let thread_id = format!("/{}", begun["id"].as_str().unwrap());
    let bens = talk.reply("Ben", &thread_id, "Nice");
    assert_eq!(rows(&talk), [1, 2, 1]);
    let delete = |query: &str| {
        let path = format!("{}{query}", talk.document());
        talk.world.anything("Ann", "DELETE", &path, Value::Null).status
    };
    assert_eq!(delete(""), 204);
    // Who can take it out of the trash sees what was said; nobody adds to it there.
    assert_eq!(talk.threads("Ben").len(), 1);
    for (method, suffix, body) in [
        ("POST", String::new(), thread(&[said("Hello")])),
        ("POST", thread_id.clone(), comment(&[said("Hello")])),
        ("PUT", thread_id.clone(), json!({ "resolved": true })),
        ("PUT", bens.clone(), comment(&[said("Hello")])),
        ("DELETE", bens.clone(), Value::Null),
        ("DELETE", thread_id.clone(), Value::Null),
    ] {
        let answer = talk.ask("Ben", method, &suffix, body);
        let want = "the document is in the trash; restore it first";
        assert_eq!((answer.status, answer.text.as_str()), (409, want), "{method} {suffix}");
    }
    let back = json!({ "action": "restore" });
    assert_eq!(talk.world.anything("Ann", "POST", &talk.document(), back).status, 204);
    assert_eq!(talk.threads("Ben")[0]["comments"].as_array().unwrap().len(), 2);
    assert_eq!(delete("?expunge=1"), 204);
    assert_eq!(talk.ask("Ann", "GET", "", Value::Null).status, 404);
    assert_eq!(rows(&talk), [0, 0, 0]);
}

#[test]
fn a_copy_begins_without_threads() {
    let talk = Talk::about("acme");
    talk.begin("Ann", "Hello");
    for action in ["duplicate", "fork"] {
        let body = json!({ "action": action });
        let copy = talk.world.anything("Ben", "POST", &talk.document(), body).json();
        let path = format!("/api/v1/users/me/documents/{}/comments", copy["id"].as_str().unwrap());
        let all = talk.world.anything("Ben", "GET", &path, Value::Null);
        assert_eq!((all.status, &all.json()["threads"]), (200, &json!([])), "{action}");
    }
    assert_eq!(talk.threads("Ann").len(), 1);
}

#[test]
fn another_owner_gets_the_threads_too() {
    let talk = Talk::about("me");
    let (thread_id, comment_id) = talk.begin("Ann", "Hello");
    assert_eq!(talk.ask("Ann", "DELETE", &comment_id, Value::Null).status, 403);
    let path = format!("{}/move", talk.document());
    let moved =
        talk.world.anything("Ann", "POST", &path, json!({ "owner": "acme", "folder": "/" }));
    assert_eq!(moved.status, 200, "{}", moved.text);
    let talk = Talk { owner: talk.world.org.id.to_string(), ..talk };
    assert_eq!(talk.threads("Ben")[0]["comments"][0]["author_displayname"], "Ann");
    // Now it is the organization's.
    assert_eq!(talk.ask("Ben", "DELETE", &thread_id, Value::Null).status, 204);
}
