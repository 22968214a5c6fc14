//! Tests of comment content: parts, mentions, maximum lengths, and refused content.

use serde_json::Value;
use serde_json::json;

use super::CommentFixture;
use super::comment_body;
use super::text_part;
use super::thread_body;
use crate::server_process;

/// Adds a comment as a user and returns its content in the response.
#[track_caller]
fn add_comment(comments: &CommentFixture, name: &str, thread: &str, parts: &[Value]) -> Value {
    comments.request_ok(name, "POST", thread, comment_body(parts))["content"].clone()
}

#[test]
fn mention_gets_the_name_and_avatar_of_the_user() {
    let comments = CommentFixture::for_owner("acme");
    let (thread, _) = comments.start_thread("Ann", "Hello");
    let ben = comments.user_number("Ben");
    let expected = json!([
        { "type": "text", "text": "Ask " },
        { "type": "user", "id": ben, "name": "Ben",
          "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{ben}/avatar.svg") },
        { "type": "text", "text": "!" },
    ]);
    assert_eq!(
        add_comment(
            &comments,
            "Ann",
            &thread,
            &[text_part("Ask "), comments.mention_part("Ben"), text_part("!")]
        ),
        expected
    );
    // The content is sent unchanged, and with the id format of other responses.
    assert_eq!(add_comment(&comments, "Cid", &thread, expected.as_array().unwrap()), expected);
    let by_text = json!({ "type": "user", "id": ben.to_string(), "name": "Benny" });
    assert_eq!(add_comment(&comments, "Ann", &thread, &[by_text])[0]["name"], "Ben");
    // The response has the current name.
    comments.fixture.server.execute_sql("update user set name = 'Benedict' where name = 'Ben'");
    let content = comments.list_threads("Ann")[0]["comments"][1]["content"].clone();
    assert_eq!(content[1]["name"], "Benedict");
}

#[test]
fn mention_of_a_user_without_access_becomes_plain_text() {
    let comments = CommentFixture::for_owner("acme");
    let (thread, _) = comments.start_thread("Ann", "Hello");
    let mention_with_name = |id: Value| json!({ "type": "user", "id": id, "name": " D.\n" });
    // The response is the same whether or not the user exists.
    for id in [
        json!(comments.user_number("Dan")),
        json!(comments.user_number("Dan").to_string()),
        json!(12345),
    ] {
        let parts = [text_part("Hi "), json!({ "type": "user", "id": id }), text_part("!")];
        assert_eq!(add_comment(&comments, "Ann", &thread, &parts), json!([text_part("Hi @…!")]));
        assert_eq!(
            add_comment(&comments, "Ann", &thread, &[mention_with_name(id)]),
            json!([text_part("@D.")])
        );
    }
    // A user with access can be mentioned. The mention stays after the access ends.
    comments.grant_access("Dan", "r");
    let parts = [comments.mention_part("Dan"), text_part(", look")];
    assert_eq!(add_comment(&comments, "Ann", &thread, &parts)[0]["name"], "Dan");
    let dan = comments.fixture.user_id("Dan");
    let recipient =
        json!({ "owner": comments.owner, "document": comments.document_id, "user_id": dan });
    assert_eq!(comments.fixture.request("Ann", "DELETE", "/api/v1/share", recipient).status, 204);
    let threads = comments.list_threads("Ann");
    let last = threads[0]["comments"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"], json!([text_part("@Dan, look")]));
}

#[test]
fn author_can_only_mention_users_visible_to_them() {
    let comments = CommentFixture::for_owner("acme");
    comments.grant_access("Dan", "w");
    let (thread, _) = comments.start_thread("Ann", "Hello");
    // Dan is no member, so Dan knows only the members who commented here.
    let parts = [comments.mention_part("Ann"), text_part(" "), comments.mention_part("Ben")];
    let content = add_comment(&comments, "Dan", &thread, &parts);
    assert_eq!((&content[0]["name"], &content[1]), (&json!("Ann"), &text_part(" @…")));
    comments.reply("Ben", &thread, "Hello");
    assert_eq!(
        add_comment(&comments, "Dan", &thread, &[comments.mention_part("Ben")])[0]["name"],
        "Ben"
    );
}

#[test]
fn comments_of_a_deleted_user_stay() {
    let comments = CommentFixture::for_owner("acme");
    let (thread, _) = comments.start_thread("Cid", "Hello");
    add_comment(&comments, "Ann", &thread, &[comments.mention_part("Cid")]);
    let (server, cid) = (&comments.fixture.server, comments.fixture.user_id("Cid").to_owned());
    server
        .execute_sql("delete from member where user_id = (select id from user where name = 'Cid')");
    let result = server.app.db.write(move |tx| {
        let id = chartroom_platform::id::AccountId::from_text(cid.clone());
        chartroom::features::accounts::delete_user(tx, &id, |_, _| Ok(0))
    });
    result.unwrap();
    let threads = comments.list_threads("Ann");
    let [first, second] = [0, 1].map(|at| &threads[0]["comments"][at]);
    assert_eq!(first["author_displayname"], "Deleted user");
    assert_eq!(first["content"], json!([text_part("Hello")]));
    assert_eq!(second["content"], json!([text_part("@Cid")]));
}

#[test]
fn invalid_content_names_the_field() {
    let comments = CommentFixture::for_owner("acme");
    let (thread_id, comment_id) = comments.start_thread("Ann", "Hello");
    let thread_with =
        |thread_with: Value| json!({ "position": { "x": 1, "y": 2 }, "content": thread_with });
    let check = |method: &str, suffix: &str, body: Value, field: &str| {
        let response = comments.request("Ann", method, suffix, body.clone());
        assert_eq!(response.status, 400, "{body}: {}", response.text);
        let errors: Value = serde_json::from_str(&response.body).unwrap();
        let field_in_error = &errors["errors"][0]["field"];
        assert_eq!(field_in_error, field, "{body}: {}", response.text);
    };
    let hello = json!([text_part("Hello")]);
    check("POST", "", Value::Null, "body");
    check("POST", "", json!({ "content": hello }), "body");
    check("POST", "", json!({ "position": { "x": 1, "y": 2 } }), "body");
    for position in [json!([1, 2]), json!({ "x": 1 }), json!({ "x": "1", "y": 2 }), json!(null)] {
        check("POST", "", json!({ "position": position, "content": hello }), "position");
        if !position.is_null() {
            check("PUT", &thread_id, json!({ "position": position }), "position");
        }
    }
    check("PUT", &thread_id, json!({ "position": { "x": 1, "y": 500_001 } }), "position.y");
    check("PUT", &thread_id, json!({ "position": { "x": -1e300, "y": 0 } }), "position.x");
    check("PUT", &thread_id, json!({}), "position");
    check("PUT", &thread_id, json!({ "resolved": "yes" }), "resolved");
    for (wrong, field) in [
        (json!("Hello"), "content"),
        (json!([]), "content"),
        (json!([text_part(" \n\u{1}")]), "content"),
        (json!([text_part(&"x".repeat(10_001))]), "content"),
        (json!(vec![text_part("x"); 1001]), "content"),
        (json!(["Hello"]), "content[0]"),
        (json!([["text", "Hello"]]), "content[0]"),
        (json!([text_part("a"), { "text": "b" }]), "content[1]"),
        (json!([{ "type": "bold", "text": "b" }]), "content[0]"),
        (json!([{ "type": "user", "id": "ben" }]), "content[0]"),
        (json!([{ "type": "user", "id": 1.5 }]), "content[0]"),
        (json!([{ "type": "user", "name": "Ben" }]), "content[0]"),
    ] {
        check("POST", "", thread_with(wrong.clone()), field);
        check("POST", &thread_id, comment_body(wrong.as_array().map_or(&[], Vec::as_slice)), {
            if wrong.is_string() { "content" } else { field }
        });
        check("PUT", &comment_id, json!({ "content": wrong }), field);
    }
    assert_eq!(comments.list_threads("Ann").len(), 1);
    // The longest allowed content.
    comments.request_ok("Ann", "POST", "", thread_body(&[text_part(&"ü".repeat(10_000))]));
}

#[test]
fn comment_count_and_length_are_limited() {
    let settings = [("max_comments", "3"), ("max_comment_chars", "5")];
    let server = server_process::ServerProcess::with_settings(&settings);
    let ann = server.ann();
    let created =
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let path = format!("/api/v1/users/me/documents/{}/comments", created["id"].as_str().unwrap());
    let first_thread = ann.post(&path, thread_body(&[text_part("One")])).expect(200).json();
    let thread_path = format!("{path}/{}", first_thread["id"].as_str().unwrap());
    ann.post(&path, thread_body(&[text_part("Two")])).expect(200);
    ann.post(&thread_path, comment_body(&[text_part("Three")])).expect(200);
    let refused = ann.post(&thread_path, comment_body(&[text_part("Four")])).expect(409).json();
    assert_eq!(refused["detail"], "the document has 3 comments, which is the maximum");
    ann.post(&path, thread_body(&[text_part("Four")])).expect(409);
    assert_eq!(ann.get(&path).json()["threads"].as_array().unwrap().len(), 2);
    let refused = ann.post(&thread_path, comment_body(&[text_part("Twelve")])).expect(400).json();
    assert_eq!(refused["errors"][0]["message"], "must have at most 5 characters");
    // Existing comments can still be edited.
    let first = format!("{thread_path}/{}", first_thread["comments"][0]["id"].as_str().unwrap());
    ann.put(&first, comment_body(&[text_part("Uno")])).expect(200);
}
