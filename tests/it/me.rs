//! The current user, and avatars.

use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use crate::talk::PASSWORD;
use crate::talk::Server;
use crate::talk::basic;

#[test]
fn the_current_user_carries_what_he_belongs_to() {
    let server = Server::new();
    let ann = server.person("Ann");
    let token = server.token(&ann.id);
    let seen = server.ask(&token, "GET", "/api/v1/user", "").json();
    let want = json!({
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
        "operator": false,
    });
    assert_eq!(seen, want);

    let user = ann.id.clone();
    let (name, slug) = ("Acme".to_owned(), "acme".to_owned());
    let new = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
    let org = server
        .app
        .db
        .write(move |tx| {
            let org = orgs::create_org(tx, &new)?;
            orgs::put_member(tx, &org, &user, Role::BrandManager)?;
            Ok(org)
        })
        .unwrap();
    let seen = server.ask(&token, "GET", "/api/v1/user", "").json();
    assert_eq!(seen["is_premium"], true);
    let endpoint = format!("http://127.0.0.1:8080/api/v1/orgs/{}", org.id);
    let want = json!([{
        "id": org.id,
        "slug": "acme",
        "name": "Acme",
        "urls": { "endpoint": endpoint, "view": "http://127.0.0.1:8080/orgs/acme" },
        "role": "brand_manager",
    }]);
    assert_eq!(seen["orgs"], want);
}

#[test]
fn patch_changes_only_what_it_names() {
    let server = Server::new();
    let ann = server.token(&server.person("Ann").id);
    let patch = |body: Value| server.ask(&ann, "PATCH", "/api/v1/user", &body.to_string());

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
    let same = patch(server.ask(&ann, "GET", "/api/v1/user", "").json());
    assert_eq!((same.status, &same.json()["default_layout"]), (200, &layout));
    assert_eq!(patch(json!({})).json()["default_layout"], layout);
    assert_eq!(patch(json!({ "default_layout": null })).json()["default_layout"], Value::Null);
}

#[test]
fn patch_names_the_field_at_fault_and_then_changes_nothing() {
    let server = Server::new();
    let ann = server.token(&server.person("Ann").id);
    let check = |body: Value, want: &str| {
        let answer = server.ask(&ann, "PATCH", "/api/v1/user", &body.to_string());
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.starts_with(want), "{}", answer.text);
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
    assert_eq!(server.ask(&ann, "GET", "/api/v1/user", "").json()["name"], "Ann");
    assert_eq!(server.ask(&basic("ann", PASSWORD), "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn a_new_password_ends_the_other_sessions() {
    let server = Server::new();
    server.person("Ann");
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let (here, there) = (server.ask_session(&body).cookie(), server.ask_session(&body).cookie());

    let new = "another horse battery";
    let body = json!({ "password": new, "current_password": PASSWORD }).to_string();
    let headers = [("cookie", here.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(server.send("PATCH", "/api/v1/user", &headers, &body).status, 200);

    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &here)], "").status, 200);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &there)], "").status, 401);
    assert_eq!(server.ask(&basic("ann", PASSWORD), "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.ask(&basic("ann", new), "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn an_avatar_is_a_picture_of_the_initials() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann"), server.person("Ben"));
    let token = server.token(&ann.id);
    let path = |who: &str| format!("/api/v1/users/{who}/avatar.svg");
    let own = server.ask(&token, "GET", &path("me"), "");
    assert_eq!((own.status, own.header("content-type").as_str()), (200, "image/svg+xml"));
    assert!(own.text.contains(">A</text>"), "{}", own.text);
    assert!(own.header("etag").starts_with('"'));

    assert_eq!(server.ask(&token, "GET", &path(ben.id.as_str()), "").status, 200);
    for hidden in ["ben", "ben%40example.org", "nobody", "1"] {
        assert_eq!(server.ask(&token, "GET", &path(hidden), "").status, 404, "{hidden}");
    }
    assert_eq!(server.send("GET", &path(ben.id.as_str()), &[], "").status, 401);
}
