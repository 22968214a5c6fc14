//! Tests of the current user and of avatars.

use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use crate::test_server::PASSWORD;
use crate::test_server::TestServer;
use crate::test_server::basic_auth;

#[test]
fn current_user_has_profile_and_organizations() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let current_user = server.request(&token, "GET", "/api/v1/user", "").json();
    let expected = json!({
        "id": ann.id,
        "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{}/avatar.svg", ann.id),
        "disable_document_storage": false,
        "email": "ann@example.org",
        "is_premium": false,
        "managed": false,
        "name": "Ann",
        "orgs": [],
        "username": "ann",
        "default_layout": null,
        "language": null,
        "operator": false,
        "storage_used_bytes": 0,
        "storage_limit_bytes": 2_147_483_648_u64,
    });
    assert_eq!(current_user, expected);

    let user = ann.id.clone();
    let (name, slug) = ("Acme".to_owned(), "acme".to_owned());
    let new_org = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
    let org = server
        .app
        .db
        .write(move |tx| {
            let org = orgs::create_org(tx, &new_org)?;
            orgs::put_member(tx, &org, &user, Role::BrandManager)?;
            Ok(org)
        })
        .unwrap();
    let current_user = server.request(&token, "GET", "/api/v1/user", "").json();
    assert_eq!(current_user["is_premium"], true);
    let endpoint = format!("http://127.0.0.1:8080/api/v1/orgs/{}", org.id);
    let expected = json!([{
        "id": org.id,
        "slug": "acme",
        "name": "Acme",
        "urls": { "endpoint": endpoint, "view": "http://127.0.0.1:8080/orgs/acme" },
        "role": "brand_manager",
    }]);
    assert_eq!(current_user["orgs"], expected);
}

#[test]
fn patch_changes_only_named_fields() {
    let server = TestServer::new();
    let ann = server.create_bearer_token(&server.create_user("Ann").id);
    let patch = |body: Value| server.request(&ann, "PATCH", "/api/v1/user", &body.to_string());

    let changed = patch(json!({ "name": " Ann Smith " })).json();
    assert_eq!(
        (&changed["name"], &changed["email"]),
        (&json!("Ann Smith"), &json!("ann@example.org"))
    );
    let layout = json!({
        "name": "Slide", "width": 720.0, "height": 405.0, "display_unit": "pt",
        "margin": { "top": 24.0, "right": 24.0, "bottom": 24.0, "left": 24.0 },
    });
    assert_eq!(patch(json!({ "default_layout": layout })).json()["default_layout"], layout);
    let unchanged = patch(server.request(&ann, "GET", "/api/v1/user", "").json());
    assert_eq!((unchanged.status, &unchanged.json()["default_layout"]), (200, &layout));
    assert_eq!(patch(json!({})).json()["default_layout"], layout);
    assert_eq!(patch(json!({ "default_layout": null })).json()["default_layout"], Value::Null);
}

#[test]
fn invalid_patch_names_the_field_and_changes_nothing() {
    let server = TestServer::new();
    let ann = server.create_bearer_token(&server.create_user("Ann").id);
    let check = |body: Value, expected: &str| {
        let response = server.request(&ann, "PATCH", "/api/v1/user", &body.to_string());
        assert_eq!(response.status, 400, "{}", response.text);
        assert!(response.text.starts_with(expected), "{}", response.text);
    };
    check(json!({ "name": "" }), "name: must not be empty");
    check(json!({ "name": "a\u{7}b" }), "name: must not contain control characters");
    check(json!({ "name": 1 }), "name: invalid type: integer `1`, expected a string");
    check(
        json!({ "default_layout": { "width": 0, "height": 10 } }),
        "default_layout.width: must be from 40 to 4096 points",
    );
    check(
        json!({ "default_layout": { "width": 40, "height": 40, "margin": { "top": 20, "bottom": 20 } } }),
        "default_layout.height: leaves no room between the margins",
    );
    check(
        json!({ "default_layout": { "width": 40, "height": 40, "margin": { "left": -1 } } }),
        "default_layout.margin.left: must not be negative",
    );
    check(
        json!({ "name": "New", "password": "another horse battery" }),
        "current_password: is required to change the password",
    );
    check(
        json!({ "name": "New", "password": "another horse battery", "current_password": "wrong" }),
        "current_password: is not the current password",
    );
    check(
        json!({ "name": "New", "password": "short", "current_password": PASSWORD }),
        "password: must have at least 10 characters",
    );
    assert_eq!(server.request(&ann, "GET", "/api/v1/user", "").json()["name"], "Ann");
    assert_eq!(server.request(&basic_auth("ann", PASSWORD), "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn new_password_ends_all_other_sessions() {
    let server = TestServer::new();
    server.create_user("Ann");
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let (own_cookie, other_cookie) =
        (server.sign_in(&body).cookie(), server.sign_in(&body).cookie());

    let new_password = "another horse battery";
    let body = json!({ "password": new_password, "current_password": PASSWORD }).to_string();
    let headers = [("cookie", own_cookie.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(server.send("PATCH", "/api/v1/user", &headers, &body).status, 200);

    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &own_cookie)], "").status, 200);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &other_cookie)], "").status, 401);
    assert_eq!(server.request(&basic_auth("ann", PASSWORD), "GET", "/api/v1/user", "").status, 401);
    assert_eq!(
        server.request(&basic_auth("ann", new_password), "GET", "/api/v1/user", "").status,
        200
    );
}

#[test]
fn avatar_is_an_svg_with_the_initials() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let token = server.create_bearer_token(&ann.id);
    let path = |user: &str| format!("/api/v1/users/{user}/avatar.svg");
    let own_avatar = server.request(&token, "GET", &path("me"), "");
    assert_eq!(
        (own_avatar.status, own_avatar.header("content-type").as_str()),
        (200, "image/svg+xml")
    );
    assert!(own_avatar.text.contains(">A</text>"), "{}", own_avatar.text);
    assert!(own_avatar.header("etag").starts_with('"'));

    assert_eq!(server.request(&token, "GET", &path(ben.id.as_str()), "").status, 200);
    for hidden in ["ben", "ben%40example.org", "nobody", "1"] {
        assert_eq!(server.request(&token, "GET", &path(hidden), "").status, 404, "{hidden}");
    }
    assert_eq!(server.send("GET", &path(ben.id.as_str()), &[], "").status, 401);
}
