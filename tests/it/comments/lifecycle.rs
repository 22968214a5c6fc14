//! Tests of comment threads of documents that are trashed, copied, moved or expunged.

use serde_json::Value;
use serde_json::json;

use super::CommentFixture;
use super::comment_body;
use super::text_part;
use super::thread_body;

/// Returns the numbers of rows of threads, comments and mentions.
fn count_rows(comments: &CommentFixture) -> [i64; 3] {
    ["thread", "comment", "mention"].map(|table| {
        let sql = format!("select count(*) from {table}");
        comments.fixture.server.app.db.read(|tx| tx.one(&sql, [], |row| row.get(0))).unwrap()
    })
}

#[test]
fn threads_stay_in_the_trash_and_are_expunged_with_the_document() {
    let comments = CommentFixture::for_owner("acme");
    let created = comments.request_ok(
        "Ann",
        "POST",
        "",
        thread_body(&[comments.mention_part("Ben"), text_part(" look")]),
    );
    let thread_id = format!("/{}", created["id"].as_str().unwrap());
    let bens_comment = comments.reply("Ben", &thread_id, "Nice");
    assert_eq!(count_rows(&comments), [1, 2, 1]);
    let delete = |query: &str| {
        let path = format!("{}{query}", comments.document_path());
        comments.fixture.request("Ann", "DELETE", &path, Value::Null).status
    };
    assert_eq!(delete(""), 204);
    // Callers who may restore the document can read its threads, but nobody can change them.
    assert_eq!(comments.list_threads("Ben").len(), 1);
    for (method, suffix, body) in [
        ("POST", String::new(), thread_body(&[text_part("Hello")])),
        ("POST", thread_id.clone(), comment_body(&[text_part("Hello")])),
        ("PUT", thread_id.clone(), json!({ "resolved": true })),
        ("PUT", bens_comment.clone(), comment_body(&[text_part("Hello")])),
        ("DELETE", bens_comment.clone(), Value::Null),
        ("DELETE", thread_id.clone(), Value::Null),
    ] {
        let response = comments.request("Ben", method, &suffix, body);
        let expected = "the document is in the trash; restore it first";
        assert_eq!((response.status, response.text.as_str()), (409, expected), "{method} {suffix}");
    }
    let restore = json!({ "action": "restore" });
    assert_eq!(
        comments.fixture.request("Ann", "POST", &comments.document_path(), restore).status,
        204
    );
    assert_eq!(comments.list_threads("Ben")[0]["comments"].as_array().unwrap().len(), 2);
    assert_eq!(delete("?expunge=1"), 204);
    assert_eq!(comments.request("Ann", "GET", "", Value::Null).status, 404);
    assert_eq!(count_rows(&comments), [0, 0, 0]);
}

#[test]
fn copied_document_has_no_threads() {
    let comments = CommentFixture::for_owner("acme");
    comments.start_thread("Ann", "Hello");
    for action in ["duplicate", "fork"] {
        let body = json!({ "action": action });
        let copy = comments.fixture.request("Ben", "POST", &comments.document_path(), body).json();
        let path = format!("/api/v1/users/me/documents/{}/comments", copy["id"].as_str().unwrap());
        let listed = comments.fixture.request("Ben", "GET", &path, Value::Null);
        assert_eq!((listed.status, &listed.json()["threads"]), (200, &json!([])), "{action}");
    }
    assert_eq!(comments.list_threads("Ann").len(), 1);
}

#[test]
fn threads_move_with_the_document_to_another_owner() {
    let comments = CommentFixture::for_owner("me");
    let (thread_id, comment_id) = comments.start_thread("Ann", "Hello");
    assert_eq!(comments.request("Ann", "DELETE", &comment_id, Value::Null).status, 403);
    let path = format!("{}/move", comments.document_path());
    let moved =
        comments.fixture.request("Ann", "POST", &path, json!({ "owner": "acme", "folder": "/" }));
    assert_eq!(moved.status, 200, "{}", moved.text);
    let comments = CommentFixture { owner: comments.fixture.org.id.to_string(), ..comments };
    assert_eq!(comments.list_threads("Ben")[0]["comments"][0]["author_displayname"], "Ann");
    // The document belongs to the organization now.
    assert_eq!(comments.request("Ben", "DELETE", &thread_id, Value::Null).status, 204);
}
