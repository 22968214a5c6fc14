//! Tests of the settings of an organization as sequences of requests. Ann is its admin, Bea its
//! brand manager, Ben a member, Dan a stranger.

use serde_json::Value;
use serde_json::json;

use crate::orgs;
use crate::talk::Answer;
use crate::teams::World;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;

const USUAL: &str = r#"{"layouts":[],"auto_invite_domain_users":false,"auto_update_seat_count":false,"enforce_sso":false,"disable_unmanaged_accounts":false,"disable_document_storage":false,"disable_public_documents":false}"#;

fn settings(world: &World) -> Value {
    world.ask("Ben", "GET", "/settings", Value::Null).json()
}

fn patch(world: &World, name: &str, body: Value) -> Answer {
    world.ask(name, "PATCH", "/settings", body)
}

fn allow(world: &World, body: Value) {
    let answer = patch(world, "Ann", body);
    assert_eq!(answer.status, 204, "{}", answer.text);
}

/// Creates a document and returns its path.
fn document(world: &World, name: &str, body: Value) -> String {
    let made = world.anything(name, "POST", "/api/v1/create-document", body);
    assert_eq!(made.status, 200, "{}", made.text);
    made.json()["endpoint"].as_str().unwrap().replace("http://127.0.0.1:8080", "")
}

fn layout(name: &str, width: u32) -> Value {
    json!({
        "name": name, "width": f64::from(width), "height": 405.0, "display_unit": "cm",
        "margin": { "top": 1.0, "right": 2.0, "bottom": 3.0, "left": 4.0 },
    })
}

#[test]
fn members_read_the_settings_and_brand_managers_change_them() {
    let world = World::new();
    let usual = world.ask("Ben", "GET", "/settings", Value::Null);
    assert_eq!(usual.text, USUAL);
    for (method, path, body) in [
        ("PUT", "/settings", json!({})),
        ("PATCH", "/settings", json!({})),
        ("POST", "/settings/layouts", layout("A", 300)),
        ("DELETE", "/settings/layouts", Value::Null),
        ("DELETE", "/settings/layouts/A", Value::Null),
    ] {
        let member = world.ask("Ben", method, path, body.clone());
        assert_eq!(
            (member.status, member.text.as_str()),
            (403, "this needs the role brand_manager")
        );
        let stranger = world.ask("Dan", method, path, body);
        assert_eq!((stranger.status, stranger.text.as_str()), (404, "no such organization"));
    }
    assert_eq!(world.ask("Dan", "GET", "/settings", Value::Null).status, 404);
    assert_eq!(settings(&world).to_string(), USUAL);
    for name in ["Ann", "Bea"] {
        assert_eq!(patch(&world, name, json!({ "enforce_sso": true })).status, 204, "{name}");
    }
    world.suspend(true);
    assert_eq!(patch(&world, "Ann", json!({ "enforce_sso": false })).status, 402);
    assert_eq!(settings(&world)["enforce_sso"], true);
}

#[test]
fn patch_changes_what_it_names_and_put_replaces_everything() {
    let world = World::new();
    allow(&world, json!({ "auto_update_seat_count": true, "auto_update_seat_count_limit": 12 }));
    allow(&world, json!({ "layouts": [layout("Slide", 720)] }));
    let mut want: Value = serde_json::from_str(USUAL).unwrap();
    want["auto_update_seat_count"] = true.into();
    want["auto_update_seat_count_limit"] = 12.into();
    want["layouts"] = json!([layout("Slide", 720)]);
    assert_eq!(settings(&world), want);
    allow(&world, json!({}));
    assert_eq!(world.ask("Ann", "PUT", "/settings", want.clone()).status, 204, "sent back");
    assert_eq!(settings(&world), want);

    let refused = |method: &str, body: Value, want: &str| {
        let answer = world.ask("Ann", method, "/settings", body);
        assert_eq!(answer.status, 400);
        assert!(answer.text.starts_with(want), "{}", answer.text);
    };
    for method in ["PUT", "PATCH"] {
        refused(method, json!({ "colour": 1, "enforce_sso": true }), "colour: unknown field");
        refused(method, json!({ "enforce_sso": "yes" }), "enforce_sso: ");
        refused(
            method,
            json!({ "layouts": [{ "width": 100, "height": 100 }] }),
            "layouts[0].name: is required",
        );
        refused(
            method,
            json!({ "layouts": [layout("A", 20)] }),
            "layouts[0].width: must be from 40",
        );
        let twice = json!({ "layouts": [layout("A", 90), layout("A", 80)] });
        refused(method, twice, "layouts[1].name: must not be the name of another preset");
    }
    refused("PUT", Value::Null, "body: must be a JSON object");
    assert_eq!(settings(&world), want, "nothing of what was refused is kept");

    allow(&world, json!({ "auto_update_seat_count_limit": null }));
    assert_eq!(settings(&world).get("auto_update_seat_count_limit"), None);
    let answer = world.ask("Bea", "PUT", "/settings", json!({ "enforce_sso": true }));
    assert_eq!(answer.status, 204);
    let sso = USUAL.replace("\"enforce_sso\":false", "\"enforce_sso\":true");
    assert_eq!(settings(&world).to_string(), sso, "what PUT leaves out has its default");
}

#[test]
fn presets_and_settings_are_added_and_taken_away_by_name() {
    let world = World::new();
    let add = |body: Value| world.ask("Bea", "POST", "/settings/layouts", body).status;
    assert_eq!((add(layout("A4 / high", 300)), add(layout("Slide", 720))), (204, 204));
    assert_eq!(add(layout("A4 / high", 310)), 204);
    let there = settings(&world);
    assert_eq!(there["layouts"], json!([layout("A4 / high", 310), layout("Slide", 720)]));
    let nameless =
        world.ask("Bea", "POST", "/settings/layouts", json!({ "width": 100, "height": 90 }));
    assert_eq!((nameless.status, nameless.text.as_str()), (400, "name: is required"));
    let narrow = world.ask("Bea", "POST", "/settings/layouts", json!({ "width": 1, "height": 90 }));
    assert_eq!(narrow.text, "width: must be from 40 to 4096 points");

    let remove = |path: &str| world.ask("Bea", "DELETE", &format!("/settings/{path}"), Value::Null);
    assert_eq!(remove("layouts/A4%20%2F%20high").status, 204);
    assert_eq!(remove("layouts/A4%20%2F%20high").text, "no such layout preset");
    assert_eq!(settings(&world)["layouts"], json!([layout("Slide", 720)]));
    allow(&world, json!({ "enforce_sso": true, "auto_update_seat_count_limit": 3 }));
    for key in ["layouts", "enforce_sso", "auto_update_seat_count_limit", "enforce_sso"] {
        assert_eq!(remove(key).status, 204, "{key}");
    }
    assert_eq!(settings(&world).to_string(), USUAL);
    let list = world.ask("Bea", "PUT", "/settings", json!([]));
    assert_eq!((list.status, list.text.as_str()), (400, "body: must be a JSON object"));
    let unknown = remove("colour");
    assert_eq!((unknown.status, unknown.text.as_str()), (404, "no such setting"));
}

#[test]
fn the_organization_takes_name_and_theme_from_query_form_or_json() {
    let world = World::new();
    let ask = |name: &str, path: &str, kind: &str, body: &str| {
        let token = world.token(name);
        let headers = [("authorization", token), ("content-type", kind)];
        world.server.send("PATCH", &format!("/api/v1/orgs/acme{path}"), &headers, body)
    };
    let form = "application/x-www-form-urlencoded";
    assert_eq!(ask("Bea", "?default_theme=dark", "application/json", "").status, 204);
    assert_eq!(ask("Ann", "", form, "name=Acme+%26+Sons").status, 204);
    let seen = world.ask("Ben", "GET", "", Value::Null).json();
    assert_eq!((&seen["default_theme"], &seen["name"]), (&json!("dark"), &json!("Acme & Sons")));
    assert_eq!(ask("Ann", "", "application/json", r#"{"default_theme":"print"}"#).status, 204);
    let path = document(&world, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let made = world.anything("Ben", "GET", &path, Value::Null).json();
    assert_eq!(made["theme"], "print");

    let refused = |answer: Answer, status: u16, want: &str| {
        assert_eq!(answer.status, status);
        assert!(answer.text.starts_with(want), "{}", answer.text);
    };
    refused(ask("Ann", "?default_theme=neon", form, ""), 400, "default_theme: there is no theme");
    refused(ask("Ann", "?default_theme=", form, ""), 400, "default_theme: there is no theme");
    refused(ask("Ann", "?slug=x", form, ""), 400, "slug: unknown field");
    refused(ask("Ann", "", "application/json", r#"{"name":7}"#), 400, "name: invalid type");
    refused(ask("Ann", "", "application/json", r#"{"name":" "}"#), 400, "name: ");
    refused(ask("Ben", "?name=Mine", form, ""), 403, "this needs the role brand_manager");
    refused(ask("Dan", "?name=Mine", form, ""), 404, "no such organization");
    let seen = world.ask("Ben", "GET", "", Value::Null).json();
    assert_eq!(seen["name"], "Acme & Sons");
}

#[test]
fn new_documents_begin_with_the_presets_of_the_organization() {
    let world = World::new();
    let width = |name: &str, body: Value| {
        let path = document(&world, name, body);
        let style = world.anything(name, "GET", &path, Value::Null).json()["style"].clone();
        (style["width"].clone(), style["margin"].clone())
    };
    let ours = json!({ "widget": "bar", "owner": "acme" });
    let own = json!({ "widget": "bar" });
    assert_eq!(width("Ben", ours.clone()).0, 720);
    allow(&world, json!({ "layouts": [layout("A", 500), layout("B", 600)] }));
    let margin = layout("A", 500)["margin"].clone();
    assert_eq!(width("Ben", ours.clone()), (json!(500.0), margin.clone()));
    assert_eq!(width("Ben", own.clone()), (json!(500.0), margin), "a member's own too");
    assert_eq!(width("Dan", own.clone()).0, 720, "not a stranger's");
    let wish = json!({ "widget": "bar", "owner": "acme", "layout": { "width": 444 } });
    assert_eq!(width("Ben", wish).0, 444);
    let choice = json!({ "default_layout": { "width": 333, "height": 300 } });
    assert_eq!(world.anything("Ben", "PATCH", "/api/v1/user", choice).status, 200);
    assert_eq!(
        width("Ben", ours).0,
        333.0,
        "the personal default overrides the one of the organization"
    );
    let path = document(&world, "Ann", own);
    let template = path.rsplit('/').next().unwrap();
    allow(&world, json!({ "layouts": [layout("C", 800)] }));
    let copy = json!({ "template": template, "owner": "acme" });
    assert_eq!(width("Ann", copy).0, 500.0, "a template brings its own");
}

#[test]
fn what_must_be_private_is_private_at_once() {
    let world = World::new();
    let path = document(&world, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let open = json!({ "title": "Open", "isPublic": true });
    let put = |name: &str, path: &str| {
        let body = json!({ "title": "Open", "isPublic": true, "theme": "dark" });
        assert_eq!(world.anything(name, "PUT", path, body).status, 200);
    };
    assert_eq!(world.anything("Ben", "PUT", &path, open.clone()).status, 200);
    let nobody = |path: &str| world.server.send("GET", path, &[], "").status;
    assert_eq!((nobody(&path), nobody(&format!("{path}.svg"))), (200, 200));

    allow(&world, json!({ "disable_public_documents": true }));
    assert_eq!((nobody(&path), nobody(&format!("{path}.svg"))), (401, 401));
    assert_eq!(world.anything("Dan", "GET", &path, Value::Null).status, 404);
    let seen = || world.anything("Cid", "GET", &path, Value::Null).json();
    assert_eq!(seen()["isPublic"], false);
    put("Ben", &path);
    assert_eq!(seen()["isPublic"], false, "saving it as public is not refused, it does not help");
    allow(&world, json!({ "disable_public_documents": false }));
    assert_eq!(
        (seen()["isPublic"].clone(), nobody(&path)),
        (json!(false), 401),
        "it was saved private"
    );
    put("Ben", &path);
    assert_eq!(nobody(&path), 200);

    // A public personal document becomes private after a move.
    allow(&world, json!({ "disable_public_documents": true }));
    let own = document(&world, "Ben", json!({ "widget": "bar" }));
    assert_eq!(world.anything("Ben", "PUT", &own, open).status, 200);
    assert_eq!(nobody(&own), 200, "the rule is not about members' own documents");
    let moved = world.anything("Ben", "PATCH", &own, json!({ "owner": "acme" }));
    assert_eq!(moved.status, 200, "{}", moved.text);
    let own = own.replace(world.id("Ben"), world.org.id.as_str());
    assert_eq!(world.anything("Ben", "GET", &own, Value::Null).json()["isPublic"], false);
    allow(&world, json!({ "disable_public_documents": false }));
    assert_eq!(nobody(&own), 401);
}

#[test]
fn where_nothing_is_stored_nothing_new_is_made() {
    let world = World::new();
    let path = document(&world, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let own = document(&world, "Ben", json!({ "widget": "bar" }));
    let dans = document(&world, "Dan", json!({ "widget": "bar" }));
    let user = |name: &str| {
        world.anything(name, "GET", "/api/v1/user", Value::Null).json()["disable_document_storage"]
            .clone()
    };
    assert_eq!((user("Ben"), user("Dan")), (json!(false), json!(false)));
    allow(&world, json!({ "disable_document_storage": true }));
    assert_eq!((user("Ben"), user("Ann"), user("Dan")), (json!(true), json!(true), json!(false)));

    let create = |name: &str, body: Value| {
        let answer = world.anything(name, "POST", "/api/v1/create-document", body);
        (answer.status, answer.text)
    };
    let ours = "the organization has disabled document storage";
    let members = "an organization of this account has disabled document storage for its members";
    let body = json!({ "widget": "bar", "owner": "acme" });
    assert_eq!(create("Ann", body), (403, ours.to_owned()));
    assert_eq!(create("Ben", json!({ "widget": "bar" })), (403, members.to_owned()));
    assert_eq!(create("Dan", json!({ "widget": "bar" })).0, 200);
    for action in ["fork", "duplicate"] {
        let copy = world.anything("Ben", "POST", &path, json!({ "action": action }));
        assert_eq!((copy.status, copy.text.as_str()), (403, ours), "{action}");
        let copy = world.anything("Ben", "POST", &own, json!({ "action": action }));
        assert_eq!((copy.status, copy.text.as_str()), (403, members), "{action}");
    }
    let moved = world.anything("Ben", "PATCH", &own, json!({ "owner": "acme" }));
    assert_eq!((moved.status, moved.text.as_str()), (403, ours));
    // Existing documents stay readable, changeable and removable. The setting does not affect
    // strangers.
    assert_eq!(world.anything("Ben", "GET", &path, Value::Null).status, 200);
    assert_eq!(world.anything("Ben", "PUT", &path, json!({ "title": "x" })).status, 200);
    assert_eq!(world.anything("Ben", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(world.anything("Dan", "POST", &dans, json!({ "action": "fork" })).status, 200);

    // The setting of one of several organizations is enough.
    let other = orgs::make(&world.server, "other", Seats::Unlimited);
    let dan = chartroom_platform::id::AccountId::from_text(world.id("Dan"));
    orgs::add(&world.server, &other, &dan, Role::Member).unwrap();
    assert_eq!(user("Dan"), false);
    orgs::add(&world.server, &world.org, &dan, Role::Member).unwrap();
    assert_eq!(user("Dan"), true);
    assert_eq!(create("Dan", json!({ "widget": "bar", "owner": "other" })).0, 200);
}
