//! Tests of pages of listings: limits, links, title matching, and conditional requests.

use serde_json::Value;
use serde_json::json;

use super::ListingFixture;
use super::entry_names;

#[test]
fn pages_cover_all_folders_and_documents_once() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    for name in ["/C", "/A", "/B"] {
        fixture.ensure_folder(&ann.id, name);
    }
    for title in ["one", "two", "three", "four"] {
        fixture.create_document(ann, "me", "/", title);
    }
    // All nodes have the same time, so ids determine the order.
    fixture.execute_sql("update node set updated = 5 where owner = ?1", &[ann.id.as_str()]);
    let all = entry_names(&fixture.get_json(ann, "/users/me/list"));
    assert_eq!(all, ["/A", "/B", "/C", "four", "three", "two", "one"]);
    for limit in 1..=8 {
        let mut pages = Vec::new();
        for offset in (0..9).step_by(limit) {
            let page =
                fixture.get_json(ann, &format!("/users/me/list?offset={offset}&limit={limit}"));
            assert_eq!(page["count"], 7);
            assert_eq!((&page["offset"], &page["limit"]), (&json!(offset), &json!(limit)));
            pages.extend(entry_names(&page));
        }
        assert_eq!(pages, all, "pages of {limit}");
    }
    assert_eq!(fixture.get_json(ann, "/users/me/list?limit=1000")["limit"], 100);
    assert_eq!(entry_names(&fixture.get_json(ann, "/users/me/list?limit=0")), [""; 0]);
    for invalid_query in
        ["offset=-1", "limit=x", "limit=", "offset=4294967296", "offset=1&offset=2"]
    {
        let response =
            fixture.request(ann, "GET", &format!("/users/me/list?{invalid_query}"), &Value::Null);
        assert_eq!(response.status, 400, "{invalid_query}");
        let field = invalid_query.split('=').next().unwrap();
        assert!(response.text.starts_with(&format!("{field}: ")), "{}", response.text);
    }
}

#[test]
fn link_headers_name_the_previous_and_next_page() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    for number in 0..5 {
        fixture.create_document(ann, "me", "/Größe", &format!("Part {number} & more"));
    }
    let links = |query: &str| {
        let path = format!("/users/me/list/Gr%C3%B6%C3%9Fe{query}");
        fixture.request(ann, "GET", &path, &Value::Null).headers("link")
    };
    let link = |query: &str, relation: &str| {
        format!(
            "<http://127.0.0.1:8080/api/v1/users/me/list/Gr%C3%B6%C3%9Fe?{query}>; rel=\"{relation}\""
        )
    };
    assert_eq!(links(""), [""; 0]);
    assert_eq!(
        links("?limit=2&match=part&offset=2"),
        [link("match=part&offset=0&limit=2", "prev"), link("match=part&offset=4&limit=2", "next")]
    );
    assert_eq!(links("?match=%26&limit=3"), [link("match=%26&offset=3&limit=3", "next")]);
    let next = links("?limit=2&match=part").remove(0);
    let next = next.strip_prefix("<http://127.0.0.1:8080/api/v1").unwrap();
    let next = fixture.get_json(ann, next.split('>').next().unwrap());
    assert_eq!(entry_names(&next), ["Part 2 & more", "Part 1 & more"]);
    assert_eq!(links("?offset=500&limit=4"), [link("offset=1&limit=4", "prev")]);
}

#[test]
fn match_ignores_case_and_accents_of_titles() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    fixture.create_document(ann, "me", "/Größen", "Inside");
    fixture.create_document(ann, "me", "/", "GROSSE Pläne");
    fixture.create_document(ann, "me", "/", "Kleine Pläne");
    fixture.create_document(ann, "me", "/", "100 % _of_ it");
    let matching_names = |text: &str| {
        let listing = fixture.get_json(ann, &format!("/users/me/list?match={text}"));
        assert_eq!(listing["count"], listing["results"].as_array().unwrap().len());
        entry_names(&listing)
    };
    assert_eq!(matching_names("gro%C3%9Fe"), ["/Größen", "GROSSE Pläne"]);
    assert_eq!(matching_names("PLANE"), ["Kleine Pläne", "GROSSE Pläne"]);
    assert_eq!(matching_names("ine+pl"), ["Kleine Pläne"]);
    // The text has no special characters.
    assert_eq!(matching_names("%25"), ["100 % _of_ it"]);
    assert_eq!(matching_names("_of"), ["100 % _of_ it"]);
    assert_eq!(matching_names("'%22%5C*"), [""; 0]);
    let listing = fixture.get_json(ann, "/users/me/list?match=Gro%C3%9Fe");
    assert_eq!(listing["match"], "Große");
}

#[test]
fn unchanged_listing_returns_304() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let path = fixture.create_document(ann, "me", "/", "Sales");
    let list = |tag: &str| {
        let headers = [("authorization", ann.authorization.as_str()), ("if-none-match", tag)];
        fixture.server.send("GET", "/api/v1/users/me/list", &headers, "")
    };
    let first = list("\"\"");
    let tag = first.header("etag");
    assert_eq!((first.status, tag.len()), (200, 24));
    let again = list(&tag);
    assert_eq!((again.status, again.header("etag"), again.text.as_str()), (304, tag.clone(), ""));
    fixture.request(ann, "PATCH", &path, &json!({ "title": "Sale" }));
    let changed = list(&tag);
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
}
