//! Tests of the pages of the list of comments.

use serde_json::Value;

use super::CommentFixture;

/// Returns the first comment of each thread of a response.
fn first_texts(list: &Value) -> Vec<&str> {
    let threads = list["threads"].as_array().unwrap();
    threads
        .iter()
        .map(|thread| thread["comments"][0]["content"][0]["text"].as_str().unwrap())
        .collect()
}

#[test]
fn pages_have_all_threads_once_with_all_their_comments() {
    let comments = CommentFixture::for_owner("acme");
    let names: Vec<String> = (0..12).map(|number| format!("Thread {number}")).collect();
    let threads: Vec<String> =
        names.iter().map(|name| comments.start_thread("Ann", name).0).collect();
    // The newest replies are in the oldest threads.
    for thread in threads.iter().rev() {
        comments.reply("Ben", thread, "Yes");
    }
    let list = |query: &str| comments.request("Ben", "GET", query, Value::Null);
    let complete = list("").json();
    assert_eq!(
        (first_texts(&complete), &complete["count"]),
        (names.iter().map(String::as_str).collect(), &12.into())
    );
    let mut listed = Vec::new();
    let mut next = "?limit=5".to_owned();
    for (length, links) in [(5, 1), (5, 2), (2, 1)] {
        let page = list(&next);
        assert_eq!(page.headers("link").len(), links, "{next}");
        let body = page.json();
        assert_eq!(body["threads"].as_array().unwrap().len(), length);
        assert_eq!(
            (&body["count"], &body["team_members"]),
            (&complete["count"], &complete["team_members"])
        );
        listed.extend(body["threads"].as_array().unwrap().clone());
        if let Some(link) = page.headers("link").iter().find(|link| link.contains("\"next\"")) {
            next = format!("?{}", link.split(['?', '>']).nth(1).unwrap());
        }
    }
    assert_eq!(Value::Array(listed), complete["threads"]);
    // Like all listings: 10 entries by default, at most 100, and an empty page behind the end.
    assert_eq!(first_texts(&list("?offset=1").json()), names[1..11]);
    assert_eq!(first_texts(&list("?limit=5000").json()), names);
    assert_eq!(first_texts(&list("?offset=12").json()), [""; 0]);
    assert_eq!(list("?limit=x").status, 400);
}

#[test]
fn a_page_has_only_threads_of_its_document() {
    let comments = CommentFixture::for_owner("acme");
    comments.start_thread("Ann", "Here");
    let other = CommentFixture { document_id: create_other_document(&comments), ..comments };
    other.start_thread("Ann", "There");
    let list = other.request_ok("Ann", "GET", "?limit=10", Value::Null);
    assert_eq!((first_texts(&list), &list["count"]), (vec!["There"], &1.into()));
}

/// Creates another document of the same owner and returns its id.
fn create_other_document(comments: &CommentFixture) -> String {
    let body = serde_json::json!({ "widget": "bar", "owner": comments.owner, "folder": "/" });
    let created = comments.fixture.request("Ann", "POST", "/api/v1/create-document", body);
    created.json()["id"].as_str().unwrap().to_owned()
}
