//! Tests of documents with a theme of an organization.

use serde_json::Value;
use serde_json::json;

use super::BACKGROUND;
use super::PATH;
use crate::orgs::remove_member;
use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Header with the warnings of an image.
const WARNINGS: &str = "x-chart-warnings";

#[test]
fn a_changed_theme_changes_every_image_without_a_new_revision() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    assert_eq!(fixture.set_theme("Ben", &org, &document, &theme).status, 200);
    let read = || fixture.get_image("Ben", &org, &document, "");
    let images = [".svg", ".png", ".html", "/thumbnail.png", "/history/1.svg"];
    let tags =
        || images.map(|suffix| fixture.get_image("Ben", &org, &document, suffix).header("etag"));
    let with_background = || fixture.get_image("Ben", &org, &document, "?transparent=1");
    let background_before = with_background();
    assert_eq!(with_background().header("etag"), background_before.header("etag"));
    let (before, tags_before) = (read(), tags());
    assert_eq!(tags(), tags_before, "nothing changed");
    let svg = fixture.get_image("Ben", &org, &document, ".svg");
    assert!(svg.body.contains(BACKGROUND) && svg.header(WARNINGS).is_empty(), "{}", svg.body);
    let headers =
        [("authorization", fixture.authorization("Ben")), ("if-none-match", &tags_before[0])];
    let path = format!("/api/v1/users/{org}/documents/{document}.svg");
    assert_eq!(fixture.server.send("GET", &path, &headers, "").status, 304);
    fixture.put_brand(json!({ "background_color": "#e7f1fd" }));
    let changed = fixture.server.send("GET", &path, &headers, "");
    assert_eq!(changed.status, 200);
    assert!(changed.body.contains("#e7f1fd"), "{}", changed.body);
    for (new, old) in tags().iter().zip(&tags_before) {
        assert_ne!(new, old);
    }
    assert!(with_background().body.contains("#e7f1fd"));
    assert_ne!(with_background().header("etag"), background_before.header("etag"));
    let after = read();
    assert_eq!((after.header("etag"), after.body), (before.header("etag"), before.body));
    let page = fixture.request("Ben", "GET", &format!("/d/{org}/{document}"), Value::Null);
    assert!(page.body.contains("#e7f1fd"), "the page of the document has the theme");
}

#[test]
fn an_older_version_keeps_its_theme_and_follows_its_changes() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    let path = format!("/api/v1/users/{org}/documents/{document}");
    let save = |theme: &str| {
        let mut body = fixture.request("Ben", "GET", &path, Value::Null).json();
        (body["theme"], body["final_save"]) = (theme.into(), true.into());
        assert_eq!(fixture.request("Ben", "PUT", &path, body).status, 200);
        fixture.request("Ben", "GET", &path, Value::Null).json()["history_version"].clone()
    };
    let (older, newest) = (save(&theme), save("dark"));
    assert_ne!(older, newest);
    let get = || fixture.get_image("Ben", &org, &document, &format!("/history/{older}.svg"));
    let first = get();
    assert!(first.body.contains(BACKGROUND), "{}", first.body);
    fixture.put_brand(json!({ "background_color": "#e7f1fd" }));
    let second = get();
    assert!(second.body.contains("#e7f1fd"), "{}", second.body);
    assert_ne!(second.header("etag"), first.header("etag"));
}

#[test]
fn a_deleted_theme_leaves_its_documents_readable_writable_and_in_the_default_theme() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    fixture.set_theme("Ben", &org, &document, &theme);
    let tag = fixture.get_image("Ben", &org, &document, ".svg").header("etag");
    let thumbnail = fixture.get_image("Ben", &org, &document, "/thumbnail.png");
    assert_eq!(fixture.request("Bea", "DELETE", &format!("{PATH}/brand"), Value::Null).status, 204);
    for suffix in [".svg", ".png", ".html", "/thumbnail.png"] {
        assert_eq!(fixture.get_image("Ben", &org, &document, suffix).status, 200, "{suffix}");
    }
    let svg = fixture.get_image("Ben", &org, &document, ".svg");
    assert!(!svg.body.contains(BACKGROUND) && svg.header("etag") != tag);
    assert!(svg.header(WARNINGS).contains("does not exist"), "{:?}", svg.headers);
    let new_thumbnail = fixture.get_image("Ben", &org, &document, "/thumbnail.png");
    assert_ne!(new_thumbnail.bytes, thumbnail.bytes);
    assert_eq!(fixture.get_image("Ben", &org, &document, "").json()["theme"], theme.as_str());
    let saved = fixture.set_theme("Ben", &org, &document, &theme);
    assert_eq!(saved.status, 200, "the stored theme may stay: {}", saved.text);
    let path = format!("/api/v1/users/{org}/documents/{document}");
    let mut body = fixture.request("Ben", "GET", &path, Value::Null).json();
    body["title"] = "New".into();
    assert_eq!(fixture.request("Ben", "PUT", &path, body).status, 200);
    let other = fixture.create_chart("Ben", &org);
    let refused = fixture.set_theme("Ben", &org, &other, &theme);
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("\"field\":\"theme\""), "{}", refused.body);
    fixture.create_brand();
    assert!(fixture.get_image("Ben", &org, &document, ".svg").body.contains(BACKGROUND));
}

#[test]
fn a_stranger_cannot_see_a_theme_by_naming_it() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let absent = format!("{}/absent", fixture.org.id);
    let document = fixture.create_chart("Dan", "me");
    let message = |response: Response, theme: &str| {
        assert_eq!(response.status, 400, "{}", response.text);
        let problem: Value = serde_json::from_str(&response.body).unwrap();
        problem["errors"].to_string().replace(theme, "[theme]")
    };
    for send in [
        |fixture: &OrgFixture, document: &str, theme: &str| {
            fixture.set_theme("Dan", "me", document, theme)
        },
        |fixture: &OrgFixture, document: &str, theme: &str| {
            fixture.get_image("Dan", "me", document, &format!(".svg?theme={theme}"))
        },
        |fixture: &OrgFixture, _: &str, theme: &str| {
            let body = json!({ "plugin_id": "bar", "theme": theme });
            fixture.request("Dan", "POST", "/api/v1/render", body)
        },
    ] {
        let found = message(send(&fixture, &document, &theme), &theme);
        assert_eq!(found, message(send(&fixture, &document, &absent), &absent));
    }
    // A document that has the theme anyway, for example a copy of a document of the organization.
    fixture
        .server
        .execute_sql("update document set theme = (select org_id || '/' || name from theme)");
    let svg = fixture.get_image("Dan", "me", &document, ".svg");
    assert_eq!(svg.status, 200);
    assert!(!svg.body.contains(BACKGROUND), "{}", svg.body);
    assert!(svg.header(WARNINGS).contains("may not use it"), "{:?}", svg.headers);
    for suffix in ["?transparent=1", ".html"] {
        assert!(!fixture.get_image("Dan", "me", &document, suffix).body.contains(BACKGROUND));
    }
    let page = fixture.request("Dan", "GET", &format!("/d/me/{document}"), Value::Null);
    assert!(page.status == 200 && !page.body.contains(BACKGROUND));
}

#[test]
fn a_member_uses_the_theme_in_own_documents_that_everybody_sees_in_it() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let document = fixture.create_chart("Ben", "me");
    let path = format!("/api/v1/users/me/documents/{document}");
    let mut body = fixture.request("Ben", "GET", &path, Value::Null).json();
    (body["theme"], body["isPublic"]) = (theme.as_str().into(), true.into());
    assert_eq!(fixture.request("Ben", "PUT", &path, body).status, 200);
    let public = format!("/api/v1/users/{}/documents/{document}.svg", fixture.user_id("Ben"));
    let as_guest = || fixture.server.send("GET", &public, &[], "");
    assert!(as_guest().body.contains(BACKGROUND), "{}", as_guest().body);
    assert!(fixture.request("Dan", "GET", &public, Value::Null).body.contains(BACKGROUND));
    let own_theme = format!("{public}?theme={theme}");
    assert!(fixture.server.send("GET", &own_theme, &[], "").body.contains(BACKGROUND));
    fixture.request(
        "Bea",
        "POST",
        PATH,
        json!({ "name": "secret", "background_color": "#123456" }),
    );
    let other = format!("{public}?theme={}/secret", fixture.org.id);
    assert_eq!(fixture.server.send("GET", &other, &[], "").status, 400, "no guess by a guest");
    let chosen = fixture.request("Ben", "GET", &other, Value::Null);
    assert!(chosen.body.contains("#123456"), "a member may choose: {}", chosen.text);
    let draft = json!({ "plugin_id": "bar", "theme": theme });
    let rendered = fixture.request("Ben", "POST", "/api/v1/render", draft);
    assert!(rendered.body.contains(BACKGROUND), "{}", rendered.text);
    let tag = as_guest().header("etag");
    let ben = fixture.server.app.db.read(|tx| {
        chartroom::features::accounts::resolve_account(tx, None, fixture.user_id("Ben"))
    });
    remove_member(&fixture.server, &fixture.org, &ben.unwrap()).unwrap();
    let after = as_guest();
    assert!(!after.body.contains(BACKGROUND) && after.header("etag") != tag, "{}", after.body);
}

#[test]
fn a_writer_who_is_no_member_keeps_the_theme_but_cannot_choose_another_one() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let other = json!({ "name": "secret", "background_color": "#123456" });
    let other = fixture.request("Bea", "POST", PATH, other).json()["id"].clone();
    let (document, owner) = (fixture.create_chart("Ben", "me"), fixture.user_id("Ben"));
    assert_eq!(fixture.set_theme("Ben", "me", &document, &theme).status, 200);
    let share = json!({
        "owner": owner, "document": document, "mode": "w", "user_id": fixture.user_id("Dan"),
    });
    assert_eq!(fixture.request("Ben", "POST", "/api/v1/share", share).status, 200);
    assert_eq!(fixture.set_theme("Dan", owner, &document, &theme).status, 200, "the stored theme");
    let svg = fixture.get_image("Dan", owner, &document, ".svg").body;
    assert!(svg.contains(BACKGROUND), "{svg}");
    let refused = fixture.set_theme("Dan", owner, &document, other.as_str().unwrap());
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("\"field\":\"theme\""), "{}", refused.body);
    assert_eq!(fixture.set_theme("Dan", owner, &document, "dark").status, 200, "a built-in theme");
    let fork = json!({ "action": "fork" });
    fixture.set_theme("Ben", "me", &document, &theme);
    let path = format!("/api/v1/users/{owner}/documents/{document}");
    let copy = fixture.request("Dan", "POST", &path, fork).json();
    let copy = fixture.get_image("Dan", "me", copy["id"].as_str().unwrap(), ".svg");
    assert!(copy.status == 200 && !copy.body.contains(BACKGROUND), "a copy has another owner");
}
