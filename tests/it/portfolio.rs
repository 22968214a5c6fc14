//! Tests of the portfolio of chart kinds: lists, search, favorites and reviews.

use serde_json::Value;
use serde_json::json;

use crate::test_server::TestServer;

#[test]
fn the_portfolio_lists_every_kind_once() {
    let server = TestServer::new();
    let portfolio = server.send("GET", "/api/v1/portfolio", &[], "").json();
    let list_ids = |id: &str| {
        let lists = portfolio["lists"].as_array().unwrap();
        lists.iter().find(|list| list["id"] == id).unwrap()["ids"].as_array().unwrap().clone()
    };
    assert_eq!(list_ids("all").len(), portfolio["widgets"].as_object().unwrap().len());
    assert!(list_ids("favorites").is_empty() && list_ids("recent").is_empty());
    let bar = server.send("GET", "/api/v1/portfolio/widgets/bar", &[], "").json();
    assert!(list_ids("all").contains(&bar["id"]));
    assert!(list_ids("bars-and-columns").contains(&bar["id"]));
    let in_list = &portfolio["widgets"][bar["id"].as_str().unwrap()];
    assert_eq!(in_list["rating"], json!({ "average": null, "count": 0 }));
    assert_eq!(in_list["settings_schema"], Value::Null);
    assert_eq!(bar["settings_schema"]["type"], "object");
    assert_eq!(bar["ui"]["sort"]["choices"]["asc"]["label"], "Ascending");
    assert_eq!(bar["ui"]["benchmarkTitle"]["show_if"][0]["setting"], "benchmark");
    assert_eq!(bar["ui"]["benchmark"], Value::Null);
    assert_eq!(bar["data_columns"][0]["key"], "label");
    assert_eq!(server.send("GET", "/api/v1/portfolio/widgets/none", &[], "").status, 404);
}

#[test]
fn portfolio_search_returns_the_query_and_pages() {
    let server = TestServer::new();
    let search = |query: &str| {
        let response = server.send("GET", &format!("/api/v1/portfolio/search?{query}"), &[], "");
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    };
    let found = search("query=B%C3%A4R+gra");
    assert_eq!(found["query"], "BäR gra");
    assert_eq!((found["offset"].as_i64(), found["limit"].as_i64()), (Some(0), Some(100)));
    assert_eq!(found["count"], found["ids"].as_array().unwrap().len());
    let bar = server.send("GET", "/api/v1/widgets/bar", &[], "").json();
    assert_eq!(found["ids"][0], bar["id"]);
    let described = search("query=bar+graph&include_description=1&limit=1");
    assert_eq!(described["widgets"][0]["slug"], "bar");
    assert_eq!(described["ids"], Value::Null);
    assert_eq!(search("query=&limit=500")["limit"], 100);
    assert_eq!(search("query=xyzzy")["count"], 0);
    assert_eq!(search("query=&offset=9999")["ids"], json!([]));
    let invalid = server.send("GET", "/api/v1/portfolio/search?limit=x", &[], "");
    assert_eq!(invalid.status, 400);
    assert!(invalid.text.starts_with("limit: "), "{}", invalid.text);
}

#[test]
fn kind_details_contain_sample_and_default_settings() {
    let server = TestServer::new();
    let response = server.send("GET", "/api/v1/widgets/bar", &[], "");
    let bar = response.json();
    assert!(!response.header("etag").is_empty());
    assert_eq!(bar["slug"], "bar");
    assert_eq!(bar["sample_data"][0]["label"], "North");
    assert!(bar["default_settings"].is_object());
    let local_path = |name: &str| {
        bar["urls"][name]
            .as_str()
            .unwrap()
            .strip_prefix("http://127.0.0.1:8080")
            .unwrap()
            .to_owned()
    };
    for name in ["thumbnail", "icon"] {
        let image = server.send("GET", &local_path(name), &[], "");
        assert_eq!(image.header("content-type"), "image/svg+xml");
        assert!(image.text.starts_with("<svg"), "{}", image.text);
    }
}

#[test]
fn favorites_are_separate_per_user() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let (ann, ben) = (server.create_bearer_token(&ann.id), server.create_bearer_token(&ben.id));
    let id = server.send("GET", "/api/v1/widgets/bar", &[], "").json()["id"].clone();
    for _ in 0..2 {
        let marked = server.request(&ann, "PUT", "/api/v1/portfolio/favorites/bar", "");
        assert_eq!(marked.json(), json!([id]));
    }
    let is_favorite = |authorization: &str| {
        let kind = server.request(authorization, "GET", "/api/v1/portfolio/widgets/bar", "").json();
        kind["is_favorite"].clone()
    };
    assert_eq!((is_favorite(&ann), is_favorite(&ben)), (json!(true), json!(false)));
    assert_eq!(
        server.request(&ben, "DELETE", "/api/v1/portfolio/favorites/bar", "").json(),
        json!([])
    );
    assert_eq!(
        server.request(&ann, "DELETE", "/api/v1/portfolio/favorites/bar", "").json(),
        json!([])
    );
    assert_eq!(server.request(&ann, "PUT", "/api/v1/portfolio/favorites/none", "").status, 404);
    assert_eq!(server.send("PUT", "/api/v1/portfolio/favorites/bar", &[], "").status, 401);
}

#[test]
fn new_review_replaces_the_old_one_and_only_public_reviews_are_listed() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let (ann, ben) = (server.create_bearer_token(&ann.id), server.create_bearer_token(&ben.id));
    let post_review = |authorization: &str, body: Value| {
        server.request(authorization, "POST", "/api/v1/widgets/bar/reviews", &body.to_string())
    };
    assert_eq!(post_review(&ann, json!({ "rating": 1 })).status, 204);
    let public_review = json!({ "rating": 5, "feedback": "Fine", "public": true });
    assert_eq!(post_review(&ann, public_review).status, 204);
    assert_eq!(post_review(&ben, json!({ "rating": 2, "feedback": "Quiet" })).status, 204);
    let listed = server.send("GET", "/api/v1/widgets/bar/reviews", &[], "").json();
    assert_eq!(listed["count"], 1);
    assert_eq!(listed["reviews"][0]["feedback"], "Fine");
    assert_eq!(listed["reviews"][0]["author_name"], "Ann");
    let rating = &server.send("GET", "/api/v1/portfolio/widgets/bar", &[], "").json()["rating"];
    assert_eq!(*rating, json!({ "average": 3.5, "count": 2 }));
    for (body, expected) in [
        (json!({ "rating": 0 }), "rating: "),
        (json!({ "rating": 6 }), "rating: "),
        (json!({ "rating": 4.5 }), "rating: "),
        (json!({}), "body: "),
        (json!({ "rating": 3, "public": 1 }), "public: "),
        (json!({ "rating": 3, "feedback": "x".repeat(5001) }), "feedback: "),
    ] {
        let response = post_review(&ann, body.clone());
        assert_eq!(response.status, 400, "{body}");
        assert!(response.text.starts_with(expected), "{body}: {}", response.text);
    }
}

#[test]
fn recently_used_kinds_are_listed() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let ann = server.create_bearer_token(&ann.id);
    server.request(&ann, "POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
    let portfolio = server.request(&ann, "GET", "/api/v1/portfolio", "").json();
    let bar = server.send("GET", "/api/v1/widgets/bar", &[], "").json();
    let recent = portfolio["lists"].as_array().unwrap().iter().find(|list| list["id"] == "recent");
    assert_eq!(recent.unwrap()["ids"], json!([bar["id"]]));
}

#[test]
fn kinds_that_no_longer_exist_take_no_place_in_the_short_lists() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let auth = server.create_bearer_token(&ann.id);
    server.request(&auth, "POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
    let rated = server.request(&auth, "POST", "/api/v1/widgets/bar/reviews", r#"{"rating":1}"#);
    assert_eq!(rated.status, 204, "{}", rated.text);
    for number in 0..30 {
        let created =
            server.request(&auth, "POST", "/api/v1/create-document", r#"{"widget":"pie"}"#).json();
        let (id, user) = (created["id"].as_str().unwrap().to_owned(), ann.id.clone());
        let change = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            let kind = format!("gone-{number}");
            tx.execute("update document set kind = ?1 where id = ?2", (&kind, &id))?;
            tx.execute(
                "insert into review (kind, user_id, rating, feedback, public, created)
                 values (?1, ?2, 5, '', 0, 0)",
                (&kind, &user),
            )
        };
        server.app.db.write(change).unwrap();
    }
    let portfolio = server.request(&auth, "GET", "/api/v1/portfolio", "").json();
    let bar = server.send("GET", "/api/v1/widgets/bar", &[], "").json();
    for id in ["recent", "top_rated"] {
        let list = portfolio["lists"].as_array().unwrap().iter().find(|list| list["id"] == id);
        assert_eq!(list.unwrap()["ids"], json!([bar["id"]]), "{id}");
    }
}
