//! Tests of access to comments: read, write, move and remove.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::comment;
use super::said;
use super::thread;

/// Returns every request about a thread with a comment, with its body.
fn requests(thread_id: &str, comment_id: &str) -> Vec<(&'static str, String, Value)> {
    let hello = || comment(&[said("Hello")]);
    vec![
        ("GET", String::new(), Value::Null),
        ("GET", thread_id.to_owned(), Value::Null),
        ("POST", String::new(), thread(&[said("Hello")])),
        ("POST", thread_id.to_owned(), hello()),
        ("PUT", thread_id.to_owned(), json!({ "position": { "x": 1, "y": 2 } })),
        ("PUT", thread_id.to_owned(), json!({ "resolved": true })),
        ("PUT", comment_id.to_owned(), hello()),
        ("DELETE", comment_id.to_owned(), Value::Null),
        ("DELETE", thread_id.to_owned(), Value::Null),
    ]
}

/// Returns the statuses that a caller gets for each of them, with a query.
fn statuses(talk: &Talk, name: &str, ids: &(String, String), query: &str) -> Vec<u16> {
    let ask = |(method, suffix, body): (&'static str, String, Value)| {
        talk.ask(name, method, &format!("{suffix}{query}"), body).status
    };
    requests(&ids.0, &ids.1).into_iter().map(ask).collect()
}

#[test]
fn ann_asks_and_ben_answers() {
    let talk = Talk::about("me");
    talk.invite("Ben", "r");
    let begun = talk.done("Ann", "POST", "", thread(&[said("Why 2019?")]));
    let (id, ann, ben) = (begun["id"].as_str().unwrap(), talk.number("Ann"), talk.number("Ben"));
    let avatar = |id: u64| format!("http://127.0.0.1:8080/api/v1/users/{id}/avatar.svg");
    let want = json!({
        "id": id,
        "author_id": ann,
        "document_id": talk.doc,
        "created": begun["created"],
        "position": { "x": 10.0, "y": 20.5 },
        "resolved": false,
        "comments": [{
            "id": begun["comments"][0]["id"],
            "thread_id": id,
            "author_id": ann,
            "author_displayname": "Ann",
            "author_avatar_url": avatar(ann),
            "content": [{ "type": "text", "text": "Why 2019?" }],
            "created": begun["created"],
        }],
    });
    assert_eq!(begun, want);

    let said = comment(&[said("It was the last "), said("normal year.")]);
    let answer = talk.done("Ben", "POST", &format!("/{id}"), said);
    let response = json!({
        "id": answer["id"],
        "thread_id": id,
        "author_id": ben,
        "author_displayname": "Ben",
        "author_avatar_url": avatar(ben),
        "content": [{ "type": "text", "text": "It was the last normal year." }],
        "created": answer["created"],
    });
    assert_eq!(answer, response);

    let mut both = want;
    both["comments"].as_array_mut().unwrap().push(response);
    let all = talk.done("Ben", "GET", "", Value::Null);
    assert_eq!(all["threads"], json!([both]));
    both["team_members"] = all["team_members"].clone();
    assert_eq!(talk.done("Ben", "GET", &format!("/{id}"), Value::Null), both);
}

#[test]
fn threads_come_in_the_order_in_which_they_were_begun() {
    let talk = Talk::about("acme");
    let begun: Vec<String> =
        ["Ann", "Ben", "Cid"].map(|it| talk.begin(it, "Hello").0[1..].to_owned()).into();
    talk.reply("Cid", &format!("/{}", begun[0]), "Hello yourself");
    let threads = talk.threads("Bea");
    let ids: Vec<&str> = threads.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, begun);
    let authors = |at: usize| threads[at]["comments"].as_array().unwrap().len();
    assert_eq!([0, 1, 2].map(authors), [2, 1, 1]);
}

#[test]
fn who_may_read_may_talk_and_nobody_removes_from_a_persons_document() {
    let talk = Talk::about("me");
    talk.invite("Ben", "r");
    talk.invite("Cid", "w");
    let ids = talk.begin("Ann", "Hello");
    // The requests read, start, reply, move, resolve, edit another author's comment, and remove one
    // and all.
    assert_eq!(statuses(&talk, "Ben", &ids, ""), [200, 200, 200, 200, 200, 200, 403, 403, 403]);
    assert_eq!(statuses(&talk, "Cid", &ids, ""), [200, 200, 200, 200, 200, 200, 403, 403, 403]);
    assert_eq!(statuses(&talk, "Ann", &ids, ""), [200, 200, 200, 200, 200, 200, 200, 403, 403]);
    assert_eq!(statuses(&talk, "Dan", &ids, ""), [404; 9]);
    assert_eq!(statuses(&talk, "", &ids, ""), [401; 9]);
    let refused = talk.ask("Ann", "DELETE", &ids.0, Value::Null);
    assert!(refused.text.contains("mark the thread as resolved"), "{}", refused.text);
}

#[test]
fn in_an_organization_writers_remove_threads_and_authors_their_comments() {
    let talk = Talk::about("acme");
    talk.invite("Dan", "r");
    let (hers, first) = talk.begin("Ann", "Hello");
    let bens = talk.reply("Ben", &hers, "Hello");
    let dans = talk.reply("Dan", &hers, "Hello");
    let status = |name: &str, suffix: &str| talk.ask(name, "DELETE", suffix, Value::Null).status;
    // Not even an admin removes another author's comment. Authors need write access to remove their
    // own.
    assert_eq!((status("Ben", &first), status("Ann", &bens)), (403, 403));
    assert_eq!((status("Dan", &dans), status("Dan", &hers)), (403, 403));
    assert_eq!((status("Ben", &bens), status("Ben", &bens)), (204, 404));
    assert_eq!(talk.threads("Ann")[0]["comments"].as_array().unwrap().len(), 2);
    // Every caller with write access removes a whole thread.
    assert_eq!((status("Cid", &hers), status("Cid", &hers)), (204, 404));
    assert_eq!(talk.threads("Ann"), Vec::<Value>::new());
    // The removal of the last comment removes the thread.
    let (alone, only) = talk.begin("Ben", "Never mind");
    assert_eq!(status("Ben", &only), 204);
    assert_eq!(talk.ask("Ben", "GET", &alone, Value::Null).status, 404);
    // Dan has write access now.
    talk.invite("Dan", "w");
    let (_, dans) = talk.begin("Dan", "Hello");
    assert_eq!(status("Dan", &dans), 204);
}

#[test]
fn only_its_author_changes_a_comment() {
    let talk = Talk::about("acme");
    let (_, bens) = talk.begin("Ben", "Helo");
    let refused = talk.ask("Ann", "PUT", &bens, comment(&[said("Hello")]));
    assert_eq!(
        (refused.status, refused.text.as_str()),
        (403, "only the author may change a comment")
    );
    let before = talk.threads("Ann")[0]["comments"][0].clone();
    assert_eq!(before.get("updated"), None);
    // Identical content does not count as an edit, so a caller can send a response back.
    assert_eq!(talk.done("Ben", "PUT", &bens, before.clone()), before);
    let edited = talk.done("Ben", "PUT", &bens, comment(&[said("Hello")]));
    let mut want = before;
    want["content"] = json!([said("Hello")]);
    want["updated"] = edited["updated"].clone();
    assert!(want["updated"].is_string(), "{edited}");
    assert_eq!(edited, want);
    assert_eq!(talk.threads("Ann")[0]["comments"][0], want);
}

#[test]
fn a_thread_is_moved_and_resolved() {
    let talk = Talk::about("acme");
    let (thread, _) = talk.begin("Ben", "Here");
    let moved = talk.done("Cid", "PUT", &thread, json!({ "position": { "x": -3.5, "y": 700 } }));
    assert_eq!(moved["position"], json!({ "x": -3.5, "y": 700.0 }));
    assert_eq!(
        (&moved["resolved"], &moved["comments"][0]["author_displayname"]),
        (&json!(false), &json!("Ben"))
    );
    let resolved = talk.done("Bea", "PUT", &thread, json!({ "resolved": true }));
    assert_eq!((&resolved["resolved"], &resolved["position"]), (&json!(true), &moved["position"]));
    assert_eq!(talk.threads("Ann")[0], resolved);
    // The thread stays resolved when a comment is added. A caller can send the response back.
    talk.reply("Ben", &thread, "Thanks");
    let read = talk.done("Ann", "GET", &thread, Value::Null);
    assert_eq!(read["resolved"], true);
    let mut sent_back = talk.done("Ann", "PUT", &thread, read.clone());
    sent_back["team_members"] = read["team_members"].clone();
    assert_eq!(sent_back, read);
    assert_eq!(talk.done("Ann", "PUT", &thread, json!({ "resolved": false }))["resolved"], false);
}

#[test]
fn a_guest_with_a_link_reads_and_does_not_write() {
    let talk = Talk::about("acme");
    let ids = talk.begin("Ann", "Hello");
    for mode in ["r", "w"] {
        let link = talk.link(mode);
        assert_eq!(statuses(&talk, "", &ids, &link), [200, 200, 401, 401, 401, 401, 401, 401, 401]);
    }
    assert_eq!(statuses(&talk, "", &ids, "?share=wrong"), [404; 9]);
    // A user with an account who opens the document by link.
    let (read, write) = (talk.link("r"), talk.link("w"));
    let may_talk = [200, 200, 200, 200, 200, 200];
    assert_eq!(statuses(&talk, "Dan", &ids, &read)[..6], may_talk);
    assert_eq!(statuses(&talk, "Dan", &ids, &read)[6..], [403, 403, 403]);
    assert_eq!(statuses(&talk, "Dan", &ids, &write)[6..], [403, 403, 204]);
}

#[test]
fn what_is_said_about_a_public_document_is_not_published() {
    let talk = Talk::about("me");
    let ids = talk.begin("Ann", "Hello");
    let open = json!({ "isPublic": true });
    assert_eq!(talk.world.anything("Ann", "PUT", &talk.document(), open).status, 200);
    assert_eq!(talk.world.server.send("GET", &talk.document(), &[], "").status, 200);
    assert_eq!(statuses(&talk, "", &ids, ""), [401; 9]);
    assert_eq!(statuses(&talk, "", &ids, "?share=wrong"), [404; 9]);
    // Users with an account have read access.
    assert_eq!(statuses(&talk, "Dan", &ids, ""), [200, 200, 200, 200, 200, 200, 403, 403, 403]);
}

#[test]
fn a_suspended_organization_reads_only() {
    let talk = Talk::about("acme");
    let ids = talk.begin("Ben", "Hello");
    talk.world.suspend(true);
    assert_eq!(statuses(&talk, "Ben", &ids, ""), [200, 200, 402, 402, 402, 402, 402, 402, 402]);
    talk.world.suspend(false);
    assert_eq!(statuses(&talk, "Ben", &ids, ""), [200, 200, 200, 200, 200, 200, 200, 204, 204]);
}

#[test]
fn what_is_not_there_or_elsewhere_is_not_found() {
    let talk = Talk::about("acme");
    let (first, comment_id) = talk.begin("Ann", "Hello");
    let (second, _) = talk.begin("Ann", "Hello");
    let elsewhere = comment_id.replace(&first, &second);
    let nothing = "/01900000-0000-7000-8000-000000000000";
    let text = |method: &str, suffix: &str, body: Value| {
        let answer = talk.ask("Ann", method, suffix, body);
        (answer.status, answer.text)
    };
    let no_thread = (404, "no such thread".to_owned());
    let no_comment = (404, "no such comment".to_owned());
    let hello = || comment(&[said("Hello")]);
    assert_eq!(text("GET", nothing, Value::Null), no_thread);
    assert_eq!(text("GET", "/no-id", Value::Null), no_thread);
    assert_eq!(text("POST", nothing, hello()), no_thread);
    assert_eq!(text("PUT", nothing, json!({ "resolved": true })), no_thread);
    assert_eq!(text("DELETE", nothing, Value::Null), no_thread);
    for suffix in [elsewhere, format!("{first}{nothing}"), format!("{first}/x")] {
        assert_eq!(text("PUT", &suffix, hello()), no_comment, "{suffix}");
        assert_eq!(text("DELETE", &suffix, Value::Null), no_comment, "{suffix}");
    }
    // Another document of Ann.
    let other = Talk::about_in(talk.world, "acme", "/");
    for (method, suffix, body) in requests(&first, &comment_id) {
        let want = if suffix.is_empty() { 200 } else { 404 };
        assert_eq!(other.ask("Ann", method, &suffix, body).status, want, "{method} {suffix}");
    }
}
