//! Pages of listings: their bounds, their neighbours, matching, and asking again.

use serde_json::Value;
use serde_json::json;

use super::World;
use super::names;

#[test]
fn pages_go_from_folders_over_to_documents_and_together_are_all() {
    let world = World::new();
    let ann = &world.ann;
    for name in ["/C", "/A", "/B"] {
        world.folder(&ann.id, name);
    }
    for title in ["one", "two", "three", "four"] {
        world.document(ann, "me", "/", title);
    }
    // The same time for all: ids decide.
    world.sql("update node set updated = 5 where owner = ?1", &[ann.id.as_str()]);
    let all = names(&world.get(ann, "/users/me/list"));
    assert_eq!(all, ["/A", "/B", "/C", "four", "three", "two", "one"]);
    for limit in 1..=8 {
        let mut pages = Vec::new();
        for offset in (0..9).step_by(limit) {
            let page = world.get(ann, &format!("/users/me/list?offset={offset}&limit={limit}"));
            assert_eq!(page["count"], 7);
            assert_eq!((&page["offset"], &page["limit"]), (&json!(offset), &json!(limit)));
            pages.extend(names(&page));
        }
        assert_eq!(pages, all, "pages of {limit}");
    }
    assert_eq!(world.get(ann, "/users/me/list?limit=1000")["limit"], 100);
    assert_eq!(names(&world.get(ann, "/users/me/list?limit=0")), [""; 0]);
    for wrong in ["offset=-1", "limit=x", "limit=", "offset=4294967296", "offset=1&offset=2"] {
        let answer = world.ask(ann, "GET", &format!("/users/me/list?{wrong}"), &Value::Null);
        assert_eq!(answer.status, 400, "{wrong}");
        let field = wrong.split('=').next().unwrap();
        assert!(answer.text.starts_with(&format!("{field}: ")), "{}", answer.text);
    }
}

#[test]
fn links_lead_to_the_pages_before_and_after() {
    let world = World::new();
    let ann = &world.ann;
    for number in 0..5 {
        world.document(ann, "me", "/Größe", &format!("Part {number} & more"));
    }
    let links = |query: &str| {
        let path = format!("/users/me/list/Gr%C3%B6%C3%9Fe{query}");
        world.ask(ann, "GET", &path, &Value::Null).headers("link")
    };
    let at = |query: &str, word: &str| {
        format!(
            "<http://127.0.0.1:8080/api/v1/users/me/list/Gr%C3%B6%C3%9Fe?{query}>; rel=\"{word}\""
        )
    };
    assert_eq!(links(""), [""; 0]);
    assert_eq!(
        links("?limit=2&match=part&offset=2"),
        [at("match=part&offset=0&limit=2", "prev"), at("match=part&offset=4&limit=2", "next")]
    );
    assert_eq!(links("?match=%26&limit=3"), [at("match=%26&offset=3&limit=3", "next")]);
    let next = links("?limit=2&match=part").remove(0);
    let next = next.strip_prefix("<http://127.0.0.1:8080/api/v1").unwrap();
    let next = world.get(ann, next.split('>').next().unwrap());
    assert_eq!(names(&next), ["Part 2 & more", "Part 1 & more"]);
    assert_eq!(links("?offset=500&limit=4"), [at("offset=1&limit=4", "prev")]);
}

#[test]
fn matching_is_about_titles_whatever_case_and_accents() {
    let world = World::new();
    let ann = &world.ann;
    world.document(ann, "me", "/Größen", "Inside");
    world.document(ann, "me", "/", "GROSSE Pläne");
    world.document(ann, "me", "/", "Kleine Pläne");
    world.document(ann, "me", "/", "100 % _of_ it");
    let found = |text: &str| {
        let listing = world.get(ann, &format!("/users/me/list?match={text}"));
        assert_eq!(listing["count"], listing["results"].as_array().unwrap().len());
        names(&listing)
    };
    assert_eq!(found("gro%C3%9Fe"), ["/Größen", "GROSSE Pläne"]);
    assert_eq!(found("PLANE"), ["Kleine Pläne", "GROSSE Pläne"]);
    assert_eq!(found("ine+pl"), ["Kleine Pläne"]);
    // Nothing in it has a meaning of its own.
    assert_eq!(found("%25"), ["100 % _of_ it"]);
    assert_eq!(found("_of"), ["100 % _of_ it"]);
    assert_eq!(found("'%22%5C*"), [""; 0]);
    let listing = world.get(ann, "/users/me/list?match=Gro%C3%9Fe");
    assert_eq!(listing["match"], "Große");
}

#[test]
fn an_unchanged_listing_need_not_be_sent_again() {
    let world = World::new();
    let ann = &world.ann;
    let path = world.document(ann, "me", "/", "Sales");
    let list = |tag: &str| {
        let headers = [("authorization", ann.token.as_str()), ("if-none-match", tag)];
        world.server.send("GET", "/api/v1/users/me/list", &headers, "")
    };
    let first = list("\"\"");
    let tag = first.header("etag");
    assert_eq!((first.status, tag.len()), (200, 24));
    let again = list(&tag);
    assert_eq!((again.status, again.header("etag"), again.text.as_str()), (304, tag.clone(), ""));
    world.ask(ann, "PATCH", &path, &json!({ "title": "Sale" }));
    let changed = list(&tag);
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
}
