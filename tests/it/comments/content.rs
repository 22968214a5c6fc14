//! Tests of comment content: parts, mentions, maximum lengths, and refused content.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::comment;
use super::said;
use super::thread;
use crate::world;

/// Returns the stored content of a comment that a person adds.
#[track_caller]
fn shown(talk: &Talk, name: &str, thread: &str, parts: &[Value]) -> Value {
    talk.done(name, "POST", thread, comment(parts))["content"].clone()
}

#[test]
fn a_mention_gets_a_name_and_a_picture() {
    let talk = Talk::about("acme");
    let (thread, _) = talk.begin("Ann", "Hello");
    let ben = talk.number("Ben");
    let want = json!([
        { "type": "text", "text": "Ask " },
        { "type": "user", "id": ben, "name": "Ben",
          "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{ben}/avatar.svg") },
        { "type": "text", "text": "!" },
    ]);
    assert_eq!(shown(&talk, "Ann", &thread, &[said("Ask "), talk.mention("Ben"), said("!")]), want);
    // The content is sent unchanged, and with the id format of other responses.
    assert_eq!(shown(&talk, "Cid", &thread, want.as_array().unwrap()), want);
    let by_text = json!({ "type": "user", "id": ben.to_string(), "name": "Benny" });
    assert_eq!(shown(&talk, "Ann", &thread, &[by_text])[0]["name"], "Ben");
    // The response has the current name.
    talk.world.server.sql("update user set name = 'Benedict' where name = 'Ben'");
    let content = talk.threads("Ann")[0]["comments"][1]["content"].clone();
    assert_eq!(content[1]["name"], "Benedict");
}

#[test]
fn a_mention_of_a_stranger_is_plain_text_and_tells_nothing() {
    let talk = Talk::about("acme");
    let (thread, _) = talk.begin("Ann", "Hello");
    let named = |id: Value| json!({ "type": "user", "id": id, "name": " D.\n" });
    // The response is the same whether or not the user exists.
    for id in [json!(talk.number("Dan")), json!(talk.number("Dan").to_string()), json!(12345)] {
        let parts = [said("Hi "), json!({ "type": "user", "id": id }), said("!")];
        assert_eq!(shown(&talk, "Ann", &thread, &parts), json!([said("Hi @…!")]));
        assert_eq!(shown(&talk, "Ann", &thread, &[named(id)]), json!([said("@D.")]));
    }
    // A user with access can be mentioned. The mention stays after the access ends.
    talk.invite("Dan", "r");
    let parts = [talk.mention("Dan"), said(", look")];
    assert_eq!(shown(&talk, "Ann", &thread, &parts)[0]["name"], "Dan");
    let recipient =
        json!({ "owner": talk.owner, "document": talk.doc, "user_id": talk.world.id("Dan") });
    assert_eq!(talk.world.anything("Ann", "DELETE", "/api/v1/share", recipient).status, 204);
    let threads = talk.threads("Ann");
    let last = threads[0]["comments"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"], json!([said("@Dan, look")]));
}

#[test]
fn a_mention_reaches_as_far_as_its_author_knows_people() {
    let talk = Talk::about("acme");
    talk.invite("Dan", "w");
    let (thread, _) = talk.begin("Ann", "Hello");
    // Dan is no member, so Dan knows only the members who commented here.
    let parts = [talk.mention("Ann"), said(" "), talk.mention("Ben")];
    let content = shown(&talk, "Dan", &thread, &parts);
    assert_eq!((&content[0]["name"], &content[1]), (&json!("Ann"), &said(" @…")));
    talk.reply("Ben", &thread, "Hello");
    assert_eq!(shown(&talk, "Dan", &thread, &[talk.mention("Ben")])[0]["name"], "Ben");
}

#[test]
fn an_account_that_is_gone_leaves_its_words() {
    let talk = Talk::about("acme");
    let (thread, _) = talk.begin("Cid", "Hello");
    shown(&talk, "Ann", &thread, &[talk.mention("Cid")]);
    let (server, cid) = (&talk.world.server, talk.world.id("Cid").to_owned());
    server.sql("delete from member where user_id = (select id from user where name = 'Cid')");
    let removed = server.app.db.write(move |tx| {
        let id = chartroom_platform::id::AccountId::from_text(cid.clone());
        chartroom::features::accounts::delete_user(tx, &id, |_, _| Ok(0))
    });
    removed.unwrap();
    let threads = talk.threads("Ann");
    let [first, second] = [0, 1].map(|at| &threads[0]["comments"][at]);
    assert_eq!(first["author_displayname"], "Deleted user");
    assert_eq!(first["content"], json!([said("Hello")]));
    assert_eq!(second["content"], json!([said("@Cid")]));
}

#[test]
fn what_is_refused_names_the_field() {
    let talk = Talk::about("acme");
    let (thread_id, comment_id) = talk.begin("Ann", "Hello");
    let parts = |parts: Value| json!({ "position": { "x": 1, "y": 2 }, "content": parts });
    let check = |method: &str, suffix: &str, body: Value, field: &str| {
        let answer = talk.ask("Ann", method, suffix, body.clone());
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        let errors: Value = serde_json::from_str(&answer.body).unwrap();
        let named = &errors["errors"][0]["field"];
        assert_eq!(named, field, "{body}: {}", answer.text);
    };
    let hello = json!([said("Hello")]);
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
        (json!([said(" \n\u{1}")]), "content"),
        (json!([said(&"x".repeat(10_001))]), "content"),
        (json!(vec![said("x"); 1001]), "content"),
        (json!(["Hello"]), "content[0]"),
        (json!([["text", "Hello"]]), "content[0]"),
        (json!([said("a"), { "text": "b" }]), "content[1]"),
        (json!([{ "type": "bold", "text": "b" }]), "content[0]"),
        (json!([{ "type": "user", "id": "ben" }]), "content[0]"),
        (json!([{ "type": "user", "id": 1.5 }]), "content[0]"),
        (json!([{ "type": "user", "name": "Ben" }]), "content[0]"),
    ] {
        check("POST", "", parts(wrong.clone()), field);
        check("POST", &thread_id, comment(wrong.as_array().map_or(&[], Vec::as_slice)), {
            if wrong.is_string() { "content" } else { field }
        });
        check("PUT", &comment_id, json!({ "content": wrong }), field);
    }
    assert_eq!(talk.threads("Ann").len(), 1);
    // The longest allowed content.
    talk.done("Ann", "POST", "", thread(&[said(&"ü".repeat(10_000))]));
}

#[test]
fn a_document_takes_so_many_comments() {
    let settings = [("max_comments", "3"), ("max_comment_chars", "5")];
    let world = world::World::with(&settings);
    let ann = world.ann();
    let made = ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let path = format!("/api/v1/users/me/documents/{}/comments", made["id"].as_str().unwrap());
    let begun = ann.post(&path, thread(&[said("One")])).expect(200).json();
    let thread_path = format!("{path}/{}", begun["id"].as_str().unwrap());
    ann.post(&path, thread(&[said("Two")])).expect(200);
    ann.post(&thread_path, comment(&[said("Three")])).expect(200);
    let refused = ann.post(&thread_path, comment(&[said("Four")])).expect(409).json();
    assert_eq!(refused["detail"], "the document has 3 comments, which is the maximum");
    ann.post(&path, thread(&[said("Four")])).expect(409);
    assert_eq!(ann.get(&path).json()["threads"].as_array().unwrap().len(), 2);
    let refused = ann.post(&thread_path, comment(&[said("Twelve")])).expect(400).json();
    assert_eq!(refused["errors"][0]["message"], "must have at most 5 characters");
    // Existing comments can still be edited.
    let first = format!("{thread_path}/{}", begun["comments"][0]["id"].as_str().unwrap());
    ann.put(&first, comment(&[said("Uno")])).expect(200);
}
