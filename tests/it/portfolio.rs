//! The catalogue of chart kinds: lists, search, favorites, reviews.

use serde_json::Value;
use serde_json::json;

use crate::talk::Server;

#[test]
fn the_portfolio_lists_every_kind_once() {
    let server = Server::new();
    let portfolio = server.send("GET", "/api/v1/portfolio", &[], "").json();
    let list = |id: &str| {
        let lists = portfolio["lists"].as_array().unwrap();
        lists.iter().find(|it| it["id"] == id).unwrap()["ids"].as_array().unwrap().clone()
    };
    assert_eq!(list("all").len(), portfolio["widgets"].as_object().unwrap().len());
    assert!(list("favorites").is_empty() && list("recent").is_empty());
    let bar = server.send("GET", "/api/v1/portfolio/widgets/bar", &[], "").json();
    assert!(list("all").contains(&bar["id"]));
    assert!(list("bars-and-columns").contains(&bar["id"]));
    let in_list = &portfolio["widgets"][bar["id"].as_str().unwrap()];
    assert_eq!(in_list["rating"], json!({ "average": null, "count": 0 }));
    assert_eq!(in_list["settings_schema"], Value::Null);
    assert_eq!(bar["settings_schema"]["type"], "object");
    assert_eq!(bar["data_columns"][0]["key"], "label");
    assert_eq!(server.send("GET", "/api/v1/portfolio/widgets/none", &[], "").status, 404);
}

#[test]
fn search_echoes_the_words_and_pages() {
    let server = Server::new();
    let search = |query: &str| {
        let answer = server.send("GET", &format!("/api/v1/portfolio/search?{query}"), &[], "");
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
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
    let bad = server.send("GET", "/api/v1/portfolio/search?limit=x", &[], "");
    assert_eq!(bad.status, 400);
    assert!(bad.text.starts_with("limit: "), "{}", bad.text);
}

#[test]
fn a_download_has_all_that_a_new_document_begins_with() {
    let server = Server::new();
    let answer = server.send("GET", "/api/v1/widgets/bar", &[], "");
    let bar = answer.json();
    assert!(!answer.header("etag").is_empty());
    assert_eq!(bar["slug"], "bar");
    assert_eq!(bar["sample_data"][0]["label"], "North");
    assert!(bar["default_settings"].is_object());
    let path = |name: &str| {
        bar["urls"][name]
            .as_str()
            .unwrap()
            .strip_prefix("http://127.0.0.1:8080")
            .unwrap()
            .to_owned()
    };
    for name in ["thumbnail", "icon"] {
        let picture = server.send("GET", &path(name), &[], "");
        assert_eq!(picture.header("content-type"), "image/svg+xml");
        assert!(picture.text.starts_with("<svg"), "{}", picture.text);
    }
}

#[test]
fn favorites_are_ones_own() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann"), server.person("Ben"));
    let (ann, ben) = (server.token(&ann.id), server.token(&ben.id));
    let id = server.send("GET", "/api/v1/widgets/bar", &[], "").json()["id"].clone();
    for _ in 0..2 {
        let marked = server.ask(&ann, "PUT", "/api/v1/portfolio/favorites/bar", "");
        assert_eq!(marked.json(), json!([id]));
    }
    let favorite = |who: &str| {
        server.ask(who, "GET", "/api/v1/portfolio/widgets/bar", "").json()["is_favorite"].clone()
    };
    assert_eq!((favorite(&ann), favorite(&ben)), (json!(true), json!(false)));
    assert_eq!(server.ask(&ben, "DELETE", "/api/v1/portfolio/favorites/bar", "").json(), json!([]));
    assert_eq!(server.ask(&ann, "DELETE", "/api/v1/portfolio/favorites/bar", "").json(), json!([]));
    assert_eq!(server.ask(&ann, "PUT", "/api/v1/portfolio/favorites/none", "").status, 404);
    assert_eq!(server.send("PUT", "/api/v1/portfolio/favorites/bar", &[], "").status, 401);
}

#[test]
fn a_second_review_replaces_the_first_and_only_public_ones_are_shown() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann"), server.person("Ben"));
    let (ann, ben) = (server.token(&ann.id), server.token(&ben.id));
    let review = |who: &str, body: Value| {
        server.ask(who, "POST", "/api/v1/widgets/bar/reviews", &body.to_string())
    };
    assert_eq!(review(&ann, json!({ "rating": 1 })).status, 204);
    let good = json!({ "rating": 5, "feedback": "Fine", "public": true });
    assert_eq!(review(&ann, good).status, 204);
    assert_eq!(review(&ben, json!({ "rating": 2, "feedback": "Quiet" })).status, 204);
    let shown = server.send("GET", "/api/v1/widgets/bar/reviews", &[], "").json();
    assert_eq!(shown["count"], 1);
    assert_eq!(shown["reviews"][0]["feedback"], "Fine");
    assert_eq!(shown["reviews"][0]["author_name"], "Ann");
    let rating = &server.send("GET", "/api/v1/portfolio/widgets/bar", &[], "").json()["rating"];
    assert_eq!(*rating, json!({ "average": 3.5, "count": 2 }));
    for (body, want) in [
        (json!({ "rating": 0 }), "rating: "),
        (json!({ "rating": 6 }), "rating: "),
        (json!({ "rating": 4.5 }), "rating: "),
        (json!({}), "body: "),
        (json!({ "rating": 3, "public": 1 }), "public: "),
        (json!({ "rating": 3, "feedback": "x".repeat(5001) }), "feedback: "),
    ] {
        let answer = review(&ann, body.clone());
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text.starts_with(want), "{body}: {}", answer.text);
    }
}

#[test]
fn what_one_used_last_is_listed() {
    let server = Server::new();
    let ann = server.person("Ann");
    let ann = server.token(&ann.id);
    server.ask(&ann, "POST", "/api/v1/create-document", r#"{"widget":"bar"}"#);
    let portfolio = server.ask(&ann, "GET", "/api/v1/portfolio", "").json();
    let bar = server.send("GET", "/api/v1/widgets/bar", &[], "").json();
    let recent = portfolio["lists"].as_array().unwrap().iter().find(|it| it["id"] == "recent");
    assert_eq!(recent.unwrap()["ids"], json!([bar["id"]]));
}
