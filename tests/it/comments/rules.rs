//! Tests of access to comments: read, write, move and remove.

use serde_json::Value;
use serde_json::json;

use super::CommentFixture;
use super::comment_body;
use super::text_part;
use super::thread_body;

/// Returns every request about a thread and a comment: method, path suffix and body.
fn all_requests(thread_id: &str, comment_id: &str) -> Vec<(&'static str, String, Value)> {
    let hello = || comment_body(&[text_part("Hello")]);
    vec![
        ("GET", String::new(), Value::Null),
        ("GET", thread_id.to_owned(), Value::Null),
        ("POST", String::new(), thread_body(&[text_part("Hello")])),
        ("POST", thread_id.to_owned(), hello()),
        ("PUT", thread_id.to_owned(), json!({ "position": { "x": 1, "y": 2 } })),
        ("PUT", thread_id.to_owned(), json!({ "resolved": true })),
        ("PUT", comment_id.to_owned(), hello()),
        ("DELETE", comment_id.to_owned(), Value::Null),
        ("DELETE", thread_id.to_owned(), Value::Null),
    ]
}

/// Returns the statuses of [`all_requests`] for a caller, with a query on every path. `ids` are the
/// path suffixes of the thread and the comment.
fn request_statuses(
    comments: &CommentFixture,
    name: &str,
    ids: &(String, String),
    query: &str,
) -> Vec<u16> {
    let send = |(method, suffix, body): (&'static str, String, Value)| {
        comments.request(name, method, &format!("{suffix}{query}"), body).status
    };
    all_requests(&ids.0, &ids.1).into_iter().map(send).collect()
}

#[test]
fn reply_has_the_documented_fields() {
    let comments = CommentFixture::for_owner("me");
    comments.grant_access("Ben", "r");
    let thread_json =
        comments.request_ok("Ann", "POST", "", thread_body(&[text_part("Why 2019?")]));
    let (id, ann, ben) = (
        thread_json["id"].as_str().unwrap(),
        comments.user_number("Ann"),
        comments.user_number("Ben"),
    );
    let avatar = |id: u64| format!("http://127.0.0.1:8080/api/v1/users/{id}/avatar.svg");
    let expected = json!({
        "id": id,
        "author_id": ann,
        "document_id": comments.document_id,
        "created": thread_json["created"],
        "position": { "x": 10.0, "y": 20.5 },
        "resolved": false,
        "comments": [{
            "id": thread_json["comments"][0]["id"],
            "thread_id": id,
            "author_id": ann,
            "author_displayname": "Ann",
            "author_avatar_url": avatar(ann),
            "content": [{ "type": "text", "text": "Why 2019?" }],
            "created": thread_json["created"],
        }],
    });
    assert_eq!(thread_json, expected);

    let reply_body = comment_body(&[text_part("It was the last "), text_part("normal year.")]);
    let reply = comments.request_ok("Ben", "POST", &format!("/{id}"), reply_body);
    let expected_reply = json!({
        "id": reply["id"],
        "thread_id": id,
        "author_id": ben,
        "author_displayname": "Ben",
        "author_avatar_url": avatar(ben),
        "content": [{ "type": "text", "text": "It was the last normal year." }],
        "created": reply["created"],
    });
    assert_eq!(reply, expected_reply);

    let mut thread_with_reply = expected;
    thread_with_reply["comments"].as_array_mut().unwrap().push(expected_reply);
    let listed = comments.request_ok("Ben", "GET", "", Value::Null);
    assert_eq!(listed["threads"], json!([thread_with_reply]));
    thread_with_reply["team_members"] = listed["team_members"].clone();
    assert_eq!(
        comments.request_ok("Ben", "GET", &format!("/{id}"), Value::Null),
        thread_with_reply
    );
}

#[test]
fn threads_are_listed_in_creation_order() {
    let comments = CommentFixture::for_owner("acme");
    let started: Vec<String> = ["Ann", "Ben", "Cid"]
        .map(|name| comments.start_thread(name, "Hello").0[1..].to_owned())
        .into();
    comments.reply("Cid", &format!("/{}", started[0]), "Hello yourself");
    let threads = comments.list_threads("Bea");
    let ids: Vec<&str> = threads.iter().map(|thread| thread["id"].as_str().unwrap()).collect();
    assert_eq!(ids, started);
    let comment_count = |index: usize| threads[index]["comments"].as_array().unwrap().len();
    assert_eq!([0, 1, 2].map(comment_count), [2, 1, 1]);
}

#[test]
fn readers_may_comment_and_threads_of_personal_documents_cannot_be_removed() {
    let comments = CommentFixture::for_owner("me");
    comments.grant_access("Ben", "r");
    comments.grant_access("Cid", "w");
    let ids = comments.start_thread("Ann", "Hello");
    // The requests read, start, reply, move, resolve, edit another author's comment, and remove one
    // and all.
    assert_eq!(
        request_statuses(&comments, "Ben", &ids, ""),
        [200, 200, 200, 200, 200, 200, 403, 403, 403]
    );
    assert_eq!(
        request_statuses(&comments, "Cid", &ids, ""),
        [200, 200, 200, 200, 200, 200, 403, 403, 403]
    );
    assert_eq!(
        request_statuses(&comments, "Ann", &ids, ""),
        [200, 200, 200, 200, 200, 200, 200, 403, 403]
    );
    assert_eq!(request_statuses(&comments, "Dan", &ids, ""), [404; 9]);
    assert_eq!(request_statuses(&comments, "", &ids, ""), [401; 9]);
    let refused = comments.request("Ann", "DELETE", &ids.0, Value::Null);
    assert!(refused.text.contains("mark the thread as resolved"), "{}", refused.text);
}

#[test]
fn org_writers_remove_threads_and_authors_remove_their_comments() {
    let comments = CommentFixture::for_owner("acme");
    comments.grant_access("Dan", "r");
    let (anns_thread, anns_comment) = comments.start_thread("Ann", "Hello");
    let bens_comment = comments.reply("Ben", &anns_thread, "Hello");
    let dans_comment = comments.reply("Dan", &anns_thread, "Hello");
    let delete_status =
        |name: &str, suffix: &str| comments.request(name, "DELETE", suffix, Value::Null).status;
    // Not even an admin removes another author's comment. Authors need write access to remove their
    // own.
    assert_eq!(
        (delete_status("Ben", &anns_comment), delete_status("Ann", &bens_comment)),
        (403, 403)
    );
    assert_eq!(
        (delete_status("Dan", &dans_comment), delete_status("Dan", &anns_thread)),
        (403, 403)
    );
    assert_eq!(
        (delete_status("Ben", &bens_comment), delete_status("Ben", &bens_comment)),
        (204, 404)
    );
    assert_eq!(comments.list_threads("Ann")[0]["comments"].as_array().unwrap().len(), 2);
    // Every caller with write access removes a whole thread.
    assert_eq!(
        (delete_status("Cid", &anns_thread), delete_status("Cid", &anns_thread)),
        (204, 404)
    );
    assert_eq!(comments.list_threads("Ann"), Vec::<Value>::new());
    // The removal of the last comment removes the thread.
    let (single_thread, only_comment) = comments.start_thread("Ben", "Never mind");
    assert_eq!(delete_status("Ben", &only_comment), 204);
    assert_eq!(comments.request("Ben", "GET", &single_thread, Value::Null).status, 404);
    // Dan has write access now.
    comments.grant_access("Dan", "w");
    let (_, dans_comment) = comments.start_thread("Dan", "Hello");
    assert_eq!(delete_status("Dan", &dans_comment), 204);
}

#[test]
fn only_the_author_can_edit_a_comment() {
    let comments = CommentFixture::for_owner("acme");
    let (_, bens_comment) = comments.start_thread("Ben", "Helo");
    let refused =
        comments.request("Ann", "PUT", &bens_comment, comment_body(&[text_part("Hello")]));
    assert_eq!(
        (refused.status, refused.text.as_str()),
        (403, "only the author may change a comment")
    );
    let before = comments.list_threads("Ann")[0]["comments"][0].clone();
    assert_eq!(before.get("updated"), None);
    // Identical content does not count as an edit, so a caller can send a response back.
    assert_eq!(comments.request_ok("Ben", "PUT", &bens_comment, before.clone()), before);
    let edited =
        comments.request_ok("Ben", "PUT", &bens_comment, comment_body(&[text_part("Hello")]));
    let mut expected = before;
    expected["content"] = json!([text_part("Hello")]);
    expected["updated"] = edited["updated"].clone();
    assert!(expected["updated"].is_string(), "{edited}");
    assert_eq!(edited, expected);
    assert_eq!(comments.list_threads("Ann")[0]["comments"][0], expected);
}

#[test]
fn thread_can_be_moved_and_resolved() {
    let comments = CommentFixture::for_owner("acme");
    let (thread, _) = comments.start_thread("Ben", "Here");
    let moved =
        comments.request_ok("Cid", "PUT", &thread, json!({ "position": { "x": -3.5, "y": 700 } }));
    assert_eq!(moved["position"], json!({ "x": -3.5, "y": 700.0 }));
    assert_eq!(
        (&moved["resolved"], &moved["comments"][0]["author_displayname"]),
        (&json!(false), &json!("Ben"))
    );
    let resolved = comments.request_ok("Bea", "PUT", &thread, json!({ "resolved": true }));
    assert_eq!((&resolved["resolved"], &resolved["position"]), (&json!(true), &moved["position"]));
    assert_eq!(comments.list_threads("Ann")[0], resolved);
    // The thread stays resolved when a comment is added. A caller can send the response back.
    comments.reply("Ben", &thread, "Thanks");
    let read = comments.request_ok("Ann", "GET", &thread, Value::Null);
    assert_eq!(read["resolved"], true);
    let mut sent_back = comments.request_ok("Ann", "PUT", &thread, read.clone());
    sent_back["team_members"] = read["team_members"].clone();
    assert_eq!(sent_back, read);
    assert_eq!(
        comments.request_ok("Ann", "PUT", &thread, json!({ "resolved": false }))["resolved"],
        false
    );
}

#[test]
fn guest_with_a_link_reads_but_cannot_comment() {
    let comments = CommentFixture::for_owner("acme");
    let ids = comments.start_thread("Ann", "Hello");
    for mode in ["r", "w"] {
        let link = comments.create_link_query(mode);
        assert_eq!(
            request_statuses(&comments, "", &ids, &link),
            [200, 200, 401, 401, 401, 401, 401, 401, 401]
        );
    }
    assert_eq!(request_statuses(&comments, "", &ids, "?share=wrong"), [404; 9]);
    // A user with an account who opens the document by link.
    let (read, write) = (comments.create_link_query("r"), comments.create_link_query("w"));
    let may_comment = [200, 200, 200, 200, 200, 200];
    assert_eq!(request_statuses(&comments, "Dan", &ids, &read)[..6], may_comment);
    assert_eq!(request_statuses(&comments, "Dan", &ids, &read)[6..], [403, 403, 403]);
    assert_eq!(request_statuses(&comments, "Dan", &ids, &write)[6..], [403, 403, 204]);
}

#[test]
fn comments_of_a_public_document_are_not_public() {
    let comments = CommentFixture::for_owner("me");
    let ids = comments.start_thread("Ann", "Hello");
    let public_body = json!({ "isPublic": true });
    assert_eq!(
        comments.fixture.request("Ann", "PUT", &comments.document_path(), public_body).status,
        200
    );
    assert_eq!(comments.fixture.server.send("GET", &comments.document_path(), &[], "").status, 200);
    assert_eq!(request_statuses(&comments, "", &ids, ""), [401; 9]);
    assert_eq!(request_statuses(&comments, "", &ids, "?share=wrong"), [404; 9]);
    // Users with an account have read access.
    assert_eq!(
        request_statuses(&comments, "Dan", &ids, ""),
        [200, 200, 200, 200, 200, 200, 403, 403, 403]
    );
}

#[test]
fn comments_of_a_suspended_organization_are_read_only() {
    let comments = CommentFixture::for_owner("acme");
    let ids = comments.start_thread("Ben", "Hello");
    comments.fixture.set_suspended(true);
    assert_eq!(
        request_statuses(&comments, "Ben", &ids, ""),
        [200, 200, 402, 402, 402, 402, 402, 402, 402]
    );
    comments.fixture.set_suspended(false);
    assert_eq!(
        request_statuses(&comments, "Ben", &ids, ""),
        [200, 200, 200, 200, 200, 200, 200, 204, 204]
    );
}

#[test]
fn absent_threads_and_comments_return_404() {
    let comments = CommentFixture::for_owner("acme");
    let (first, comment_id) = comments.start_thread("Ann", "Hello");
    let (second, _) = comments.start_thread("Ann", "Hello");
    let in_other_thread = comment_id.replace(&first, &second);
    let absent = "/01900000-0000-7000-8000-000000000000";
    let status_and_text = |method: &str, suffix: &str, body: Value| {
        let response = comments.request("Ann", method, suffix, body);
        (response.status, response.text)
    };
    let no_thread = (404, "no such thread".to_owned());
    let no_comment = (404, "no such comment".to_owned());
    let hello = || comment_body(&[text_part("Hello")]);
    assert_eq!(status_and_text("GET", absent, Value::Null), no_thread);
    assert_eq!(status_and_text("GET", "/no-id", Value::Null), no_thread);
    assert_eq!(status_and_text("POST", absent, hello()), no_thread);
    assert_eq!(status_and_text("PUT", absent, json!({ "resolved": true })), no_thread);
    assert_eq!(status_and_text("DELETE", absent, Value::Null), no_thread);
    for suffix in [in_other_thread, format!("{first}{absent}"), format!("{first}/x")] {
        assert_eq!(status_and_text("PUT", &suffix, hello()), no_comment, "{suffix}");
        assert_eq!(status_and_text("DELETE", &suffix, Value::Null), no_comment, "{suffix}");
    }
    // Another document of Ann.
    let other = CommentFixture::in_folder(comments.fixture, "acme", "/");
    for (method, suffix, body) in all_requests(&first, &comment_id) {
        let expected = if suffix.is_empty() { 200 } else { 404 };
        assert_eq!(
            other.request("Ann", method, &suffix, body).status,
            expected,
            "{method} {suffix}"
        );
    }
}
