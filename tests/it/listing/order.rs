//! Tests of the order and the filters of listings.

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom::features::portfolio;
use serde_json::Value;

use super::ListingFixture;
use super::entry_names;
use crate::orgs::add_member;
use crate::orgs::create_org;

/// Changes the chart kind of a document.
fn set_kind(fixture: &ListingFixture, document: &str, slug: &str) {
    let kind = portfolio::find_kind(slug).unwrap();
    fixture.execute_sql("update document set kind = ?2 where id = ?1", &[document, &kind.id]);
}

#[test]
fn documents_are_sorted_by_each_property_in_both_directions() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    // Title, kind, and times of creation and last change.
    let charts = [
        ("Chart 10", "line", "1000", "9000"),
        ("chart 9", "bar", "2000", "7000"),
        ("Émile", "gantt", "3000", "8000"),
        ("Chart 2", "bar", "4000", "6000"),
    ];
    for (title, kind, created, updated) in charts {
        let path = fixture.create_document(ann, "me", "/Sorted", title);
        let id = path.rsplit('/').next().unwrap();
        set_kind(&fixture, id, kind);
        let sql = "update node set created = cast(?2 as integer), updated = cast(?3 as integer)
                   where id = ?1";
        fixture.execute_sql(sql, &[id, created, updated]);
    }
    for (sort, order) in [
        ("-updated", [0, 2, 1, 3]),
        ("updated", [3, 1, 2, 0]),
        ("created", [0, 1, 2, 3]),
        ("-created", [3, 2, 1, 0]),
        ("title", [3, 1, 0, 2]),
        ("-title", [2, 0, 1, 3]),
        ("kind", [3, 1, 2, 0]),
        ("-kind", [0, 2, 3, 1]),
    ] {
        let expected: Vec<&str> = order.iter().map(|index| charts[*index].0).collect();
        for list in ["/users/me/list/Sorted", "/users/me/recent"] {
            let all = fixture.get_json(ann, &format!("{list}?sort={sort}"));
            assert_eq!(entry_names(&all), expected, "{list} {sort}");
            let pages = (0..4).flat_map(|offset| {
                let path = format!("{list}?sort={sort}&limit=1&offset={offset}");
                entry_names(&fixture.get_json(ann, &path))
            });
            assert_eq!(pages.collect::<Vec<_>>(), expected, "pages of {list} {sort}");
        }
    }
}

#[test]
fn folders_are_in_natural_order_if_documents_are_sorted_by_title() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    for name in ["/Part 10", "/Part 9"] {
        fixture.ensure_folder(&ann.id, name);
    }
    fixture.create_document(ann, "me", "/", "Chart");
    let list =
        |query: &str| entry_names(&fixture.get_json(ann, &format!("/users/me/list?{query}")));
    assert_eq!(list("sort=created"), ["/Part 10", "/Part 9", "Chart"]);
    assert_eq!(list("sort=title"), ["/Part 9", "/Part 10", "Chart"]);
    assert_eq!(list("sort=-title"), ["/Part 10", "/Part 9", "Chart"]);
}

#[test]
fn a_filter_lists_and_counts_only_documents_of_the_kind_and_the_owner() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let org = create_org(&fixture.server, "acme", Seats::Unlimited);
    add_member(&fixture.server, &org, &ann.id, Role::Admin).unwrap();
    fixture.ensure_folder(&ann.id, "/Folder");
    fixture.create_document(ann, "me", "/", "Own");
    fixture.create_document(ann, org.id.as_str(), "/", "Shared");
    let line = fixture.create_document(ann, "me", "/", "Line");
    set_kind(&fixture, line.rsplit('/').next().unwrap(), "line");
    let check = |path: &str, expected: &[&str]| {
        let listing = fixture.get_json(ann, path);
        assert_eq!(entry_names(&listing), expected, "{path}");
        assert_eq!(listing["count"], expected.len(), "{path}");
    };
    check("/users/me/list", &["/Folder", "Line", "Own"]);
    check("/users/me/list?kind=bar", &["Own"]);
    check("/users/me/list?kind=bar&sort=kind&match=ow", &["Own"]);
    check("/users/me/list?kind=gantt", &[]);
    check("/users/me/recent", &["Line", "Shared", "Own"]);
    check("/users/me/recent?kind=bar", &["Shared", "Own"]);
    check(&format!("/users/me/recent?owner={}", org.id), &["Shared"]);
    check(&format!("/users/me/recent?owner={}&kind=line&sort=title", ann.id), &["Line"]);
}

#[test]
fn an_invalid_order_or_filter_is_an_error_about_its_field() {
    let fixture = ListingFixture::new();
    let ben = fixture.ben.id.clone();
    for (path, message) in [
        ("list?sort=size".to_owned(), "sort: must be one of -updated, updated, title"),
        ("list?sort=--title".to_owned(), "sort: must be one of"),
        ("list?sort=".to_owned(), "sort: must be one of"),
        ("recent?kind=".to_owned(), "kind: there is no chart kind"),
        ("recent?kind=pei".to_owned(), "kind: there is no chart kind \"pei\""),
        (format!("recent?owner={ben}"), "owner: must be your account or one of your organizations"),
    ] {
        let path = format!("/users/me/{path}");
        let response = fixture.request(&fixture.ann, "GET", &path, &Value::Null);
        assert_eq!(response.status, 400, "{path}");
        assert!(response.text.starts_with(message), "{path}: {}", response.text);
    }
}
