//! Tests of the settings of an organization as sequences of requests. Ann is its admin, Bea its
//! brand manager, Ben a member, Dan a stranger.

use serde_json::Value;
use serde_json::json;

use crate::orgs;
use crate::teams::OrgFixture;
use crate::test_server::Response;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;

/// Settings of a new organization, as the API returns them.
const DEFAULT_SETTINGS_JSON: &str = r#"{"layouts":[],"auto_invite_domain_users":false,"auto_update_seat_count":false,"enforce_sso":false,"require_second_factor":false,"disable_unmanaged_accounts":false,"disable_document_storage":false,"disable_public_documents":false}"#;

/// Returns the settings as a member sees them.
fn get_settings(fixture: &OrgFixture) -> Value {
    fixture.request_org("Ben", "GET", "/settings", Value::Null).json()
}

fn patch_settings(fixture: &OrgFixture, name: &str, body: Value) -> Response {
    fixture.request_org(name, "PATCH", "/settings", body)
}

/// Changes settings as an admin.
fn set_settings(fixture: &OrgFixture, body: Value) {
    let response = patch_settings(fixture, "Ann", body);
    assert_eq!(response.status, 204, "{}", response.text);
}

/// Creates a document as a user and returns its path.
fn create_document(fixture: &OrgFixture, name: &str, body: Value) -> String {
    let created = fixture.request(name, "POST", "/api/v1/create-document", body);
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["endpoint"].as_str().unwrap().replace("http://127.0.0.1:8080", "")
}

/// Returns a layout preset.
fn layout_preset(name: &str, width: u32) -> Value {
    json!({
        "name": name, "width": f64::from(width), "height": 405.0, "display_unit": "cm",
        "margin": { "top": 1.0, "right": 2.0, "bottom": 3.0, "left": 4.0 },
    })
}

#[test]
fn members_read_the_settings_and_brand_managers_change_them() {
    let fixture = OrgFixture::new();
    fixture.set_up_sso();
    let defaults = fixture.request_org("Ben", "GET", "/settings", Value::Null);
    assert_eq!(defaults.text, DEFAULT_SETTINGS_JSON);
    for (method, path, body) in [
        ("PUT", "/settings", json!({})),
        ("PATCH", "/settings", json!({})),
        ("POST", "/settings/layouts", layout_preset("A", 300)),
        ("DELETE", "/settings/layouts", Value::Null),
        ("DELETE", "/settings/layouts/A", Value::Null),
    ] {
        let member = fixture.request_org("Ben", method, path, body.clone());
        assert_eq!(
            (member.status, member.text.as_str()),
            (403, "this needs the role brand_manager")
        );
        let stranger = fixture.request_org("Dan", method, path, body);
        assert_eq!((stranger.status, stranger.text.as_str()), (404, "no such organization"));
    }
    assert_eq!(fixture.request_org("Dan", "GET", "/settings", Value::Null).status, 404);
    assert_eq!(get_settings(&fixture).to_string(), DEFAULT_SETTINGS_JSON);
    for name in ["Ann", "Bea"] {
        assert_eq!(
            patch_settings(&fixture, name, json!({ "enforce_sso": true })).status,
            204,
            "{name}"
        );
    }
    fixture.set_suspended(true);
    assert_eq!(patch_settings(&fixture, "Ann", json!({ "enforce_sso": false })).status, 402);
    assert_eq!(get_settings(&fixture)["enforce_sso"], true);
}

#[test]
fn patch_changes_named_settings_and_put_replaces_all() {
    let fixture = OrgFixture::new();
    fixture.set_up_sso();
    set_settings(
        &fixture,
        json!({ "auto_update_seat_count": true, "auto_update_seat_count_limit": 12 }),
    );
    set_settings(&fixture, json!({ "layouts": [layout_preset("Slide", 720)] }));
    let mut expected: Value = serde_json::from_str(DEFAULT_SETTINGS_JSON).unwrap();
    expected["auto_update_seat_count"] = true.into();
    expected["auto_update_seat_count_limit"] = 12.into();
    expected["layouts"] = json!([layout_preset("Slide", 720)]);
    assert_eq!(get_settings(&fixture), expected);
    set_settings(&fixture, json!({}));
    assert_eq!(
        fixture.request_org("Ann", "PUT", "/settings", expected.clone()).status,
        204,
        "sent back"
    );
    assert_eq!(get_settings(&fixture), expected);

    let refused = |method: &str, body: Value, expected: &str| {
        let response = fixture.request_org("Ann", method, "/settings", body);
        assert_eq!(response.status, 400);
        assert!(response.text.starts_with(expected), "{}", response.text);
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
            json!({ "layouts": [layout_preset("A", 20)] }),
            "layouts[0].width: must be from 40",
        );
        let twice = json!({ "layouts": [layout_preset("A", 90), layout_preset("A", 80)] });
        refused(method, twice, "layouts[1].name: must not be the name of another preset");
    }
    refused("PUT", Value::Null, "body: must be a JSON object");
    assert_eq!(get_settings(&fixture), expected, "a refused request changes nothing");

    set_settings(&fixture, json!({ "auto_update_seat_count_limit": null }));
    assert_eq!(get_settings(&fixture).get("auto_update_seat_count_limit"), None);
    let response = fixture.request_org("Bea", "PUT", "/settings", json!({ "enforce_sso": true }));
    assert_eq!(response.status, 204);
    let sso = DEFAULT_SETTINGS_JSON.replace("\"enforce_sso\":false", "\"enforce_sso\":true");
    assert_eq!(get_settings(&fixture).to_string(), sso, "PUT resets omitted settings");
}

#[test]
fn presets_and_settings_are_added_and_removed_by_name() {
    let fixture = OrgFixture::new();
    fixture.set_up_sso();
    let add = |body: Value| fixture.request_org("Bea", "POST", "/settings/layouts", body).status;
    assert_eq!(
        (add(layout_preset("A4 / high", 300)), add(layout_preset("Slide", 720))),
        (204, 204)
    );
    assert_eq!(add(layout_preset("A4 / high", 310)), 204);
    let stored = get_settings(&fixture);
    assert_eq!(
        stored["layouts"],
        json!([layout_preset("A4 / high", 310), layout_preset("Slide", 720)])
    );
    let nameless = fixture.request_org(
        "Bea",
        "POST",
        "/settings/layouts",
        json!({ "width": 100, "height": 90 }),
    );
    assert_eq!((nameless.status, nameless.text.as_str()), (400, "name: is required"));
    let narrow = fixture.request_org(
        "Bea",
        "POST",
        "/settings/layouts",
        json!({ "width": 1, "height": 90 }),
    );
    assert_eq!(narrow.text, "width: must be from 40 to 4096 points");

    let remove = |path: &str| {
        fixture.request_org("Bea", "DELETE", &format!("/settings/{path}"), Value::Null)
    };
    assert_eq!(remove("layouts/A4%20%2F%20high").status, 204);
    assert_eq!(remove("layouts/A4%20%2F%20high").text, "no such layout preset");
    assert_eq!(get_settings(&fixture)["layouts"], json!([layout_preset("Slide", 720)]));
    set_settings(&fixture, json!({ "enforce_sso": true, "auto_update_seat_count_limit": 3 }));
    for key in ["layouts", "enforce_sso", "auto_update_seat_count_limit", "enforce_sso"] {
        assert_eq!(remove(key).status, 204, "{key}");
    }
    assert_eq!(get_settings(&fixture).to_string(), DEFAULT_SETTINGS_JSON);
    let list = fixture.request_org("Bea", "PUT", "/settings", json!([]));
    assert_eq!((list.status, list.text.as_str()), (400, "body: must be a JSON object"));
    let unknown = remove("colour");
    assert_eq!((unknown.status, unknown.text.as_str()), (404, "no such setting"));
}

#[test]
fn org_name_and_theme_are_set_by_query_form_or_json() {
    let fixture = OrgFixture::new();
    let patch_org = |name: &str, path: &str, content_type: &str, body: &str| {
        let token = fixture.authorization(name);
        let headers = [("authorization", token), ("content-type", content_type)];
        fixture.server.send("PATCH", &format!("/api/v1/orgs/acme{path}"), &headers, body)
    };
    let form = "application/x-www-form-urlencoded";
    assert_eq!(patch_org("Bea", "?default_theme=dark", "application/json", "").status, 204);
    assert_eq!(patch_org("Ann", "", form, "name=Acme+%26+Sons").status, 204);
    let org_json = fixture.request_org("Ben", "GET", "", Value::Null).json();
    assert_eq!(
        (&org_json["default_theme"], &org_json["name"]),
        (&json!("dark"), &json!("Acme & Sons"))
    );
    assert_eq!(
        patch_org("Ann", "", "application/json", r#"{"default_theme":"print"}"#).status,
        204
    );
    let path = create_document(&fixture, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let created = fixture.request("Ben", "GET", &path, Value::Null).json();
    assert_eq!(created["theme"], "print");

    let refused = |response: Response, status: u16, expected: &str| {
        assert_eq!(response.status, status);
        assert!(response.text.starts_with(expected), "{}", response.text);
    };
    refused(
        patch_org("Ann", "?default_theme=neon", form, ""),
        400,
        "default_theme: there is no theme",
    );
    refused(patch_org("Ann", "?default_theme=", form, ""), 400, "default_theme: there is no theme");
    refused(patch_org("Ann", "?slug=x", form, ""), 400, "slug: unknown field");
    refused(patch_org("Ann", "", "application/json", r#"{"name":7}"#), 400, "name: invalid type");
    refused(patch_org("Ann", "", "application/json", r#"{"name":" "}"#), 400, "name: ");
    refused(patch_org("Ben", "?name=Mine", form, ""), 403, "this needs the role brand_manager");
    refused(patch_org("Dan", "?name=Mine", form, ""), 404, "no such organization");
    let org_json = fixture.request_org("Ben", "GET", "", Value::Null).json();
    assert_eq!(org_json["name"], "Acme & Sons");
}

#[test]
fn new_documents_use_the_layout_preset_of_the_organization() {
    let fixture = OrgFixture::new();
    let width_and_margin = |name: &str, body: Value| {
        let path = create_document(&fixture, name, body);
        let style = fixture.request(name, "GET", &path, Value::Null).json()["style"].clone();
        (style["width"].clone(), style["margin"].clone())
    };
    let org_document = json!({ "widget": "bar", "owner": "acme" });
    let personal_document = json!({ "widget": "bar" });
    assert_eq!(width_and_margin("Ben", org_document.clone()).0, 720);
    set_settings(
        &fixture,
        json!({ "layouts": [layout_preset("A", 500), layout_preset("B", 600)] }),
    );
    let margin = layout_preset("A", 500)["margin"].clone();
    assert_eq!(width_and_margin("Ben", org_document.clone()), (json!(500.0), margin.clone()));
    assert_eq!(
        width_and_margin("Ben", personal_document.clone()),
        (json!(500.0), margin),
        "also for a personal document of a member"
    );
    assert_eq!(width_and_margin("Dan", personal_document.clone()).0, 720, "not for a stranger");
    let explicit_layout = json!({ "widget": "bar", "owner": "acme", "layout": { "width": 444 } });
    assert_eq!(width_and_margin("Ben", explicit_layout).0, 444);
    let personal_default = json!({ "default_layout": { "width": 333, "height": 300 } });
    assert_eq!(fixture.request("Ben", "PATCH", "/api/v1/user", personal_default).status, 200);
    assert_eq!(
        width_and_margin("Ben", org_document).0,
        333.0,
        "the personal default overrides the one of the organization"
    );
    let path = create_document(&fixture, "Ann", personal_document);
    let template = path.rsplit('/').next().unwrap();
    set_settings(&fixture, json!({ "layouts": [layout_preset("C", 800)] }));
    let copy = json!({ "template": template, "owner": "acme" });
    assert_eq!(width_and_margin("Ann", copy).0, 500.0, "a template keeps its own layout");
}

#[test]
fn disabling_public_documents_takes_effect_immediately() {
    let fixture = OrgFixture::new();
    let path = create_document(&fixture, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let public_body = json!({ "title": "Open", "isPublic": true });
    let put_public = |name: &str, path: &str| {
        let body = json!({ "title": "Open", "isPublic": true, "theme": "dark" });
        assert_eq!(fixture.request(name, "PUT", path, body).status, 200);
    };
    assert_eq!(fixture.request("Ben", "PUT", &path, public_body.clone()).status, 200);
    let guest_status = |path: &str| fixture.server.send("GET", path, &[], "").status;
    assert_eq!((guest_status(&path), guest_status(&format!("{path}.svg"))), (200, 200));

    set_settings(&fixture, json!({ "disable_public_documents": true }));
    assert_eq!((guest_status(&path), guest_status(&format!("{path}.svg"))), (401, 401));
    assert_eq!(fixture.request("Dan", "GET", &path, Value::Null).status, 404);
    let read_as_cid = || fixture.request("Cid", "GET", &path, Value::Null).json();
    assert_eq!(read_as_cid()["isPublic"], false);
    put_public("Ben", &path);
    assert_eq!(read_as_cid()["isPublic"], false, "a public save succeeds but has no effect");
    set_settings(&fixture, json!({ "disable_public_documents": false }));
    assert_eq!(
        (read_as_cid()["isPublic"].clone(), guest_status(&path)),
        (json!(false), 401),
        "it was saved as private"
    );
    put_public("Ben", &path);
    assert_eq!(guest_status(&path), 200);

    // A public personal document becomes private after a move.
    set_settings(&fixture, json!({ "disable_public_documents": true }));
    let personal = create_document(&fixture, "Ben", json!({ "widget": "bar" }));
    assert_eq!(fixture.request("Ben", "PUT", &personal, public_body).status, 200);
    assert_eq!(
        guest_status(&personal),
        200,
        "the setting does not apply to personal documents of members"
    );
    let moved = fixture.request("Ben", "PATCH", &personal, json!({ "owner": "acme" }));
    assert_eq!(moved.status, 200, "{}", moved.text);
    let personal = personal.replace(fixture.user_id("Ben"), fixture.org.id.as_str());
    assert_eq!(fixture.request("Ben", "GET", &personal, Value::Null).json()["isPublic"], false);
    set_settings(&fixture, json!({ "disable_public_documents": false }));
    assert_eq!(guest_status(&personal), 401);
}

#[test]
fn disabled_document_storage_refuses_new_documents() {
    let fixture = OrgFixture::new();
    let path = create_document(&fixture, "Ben", json!({ "widget": "bar", "owner": "acme" }));
    let personal = create_document(&fixture, "Ben", json!({ "widget": "bar" }));
    let dans_document = create_document(&fixture, "Dan", json!({ "widget": "bar" }));
    let storage_disabled = |name: &str| {
        fixture.request(name, "GET", "/api/v1/user", Value::Null).json()["disable_document_storage"]
            .clone()
    };
    assert_eq!((storage_disabled("Ben"), storage_disabled("Dan")), (json!(false), json!(false)));
    set_settings(&fixture, json!({ "disable_document_storage": true }));
    assert_eq!(
        (storage_disabled("Ben"), storage_disabled("Ann"), storage_disabled("Dan")),
        (json!(true), json!(true), json!(false))
    );

    let create = |name: &str, body: Value| {
        let response = fixture.request(name, "POST", "/api/v1/create-document", body);
        (response.status, response.text)
    };
    let org_error = "the organization has disabled document storage";
    let member_error =
        "an organization of this account has disabled document storage for its members";
    let body = json!({ "widget": "bar", "owner": "acme" });
    assert_eq!(create("Ann", body), (403, org_error.to_owned()));
    assert_eq!(create("Ben", json!({ "widget": "bar" })), (403, member_error.to_owned()));
    assert_eq!(create("Dan", json!({ "widget": "bar" })).0, 200);
    for action in ["fork", "duplicate"] {
        let copy = fixture.request("Ben", "POST", &path, json!({ "action": action }));
        assert_eq!((copy.status, copy.text.as_str()), (403, org_error), "{action}");
        let copy = fixture.request("Ben", "POST", &personal, json!({ "action": action }));
        assert_eq!((copy.status, copy.text.as_str()), (403, member_error), "{action}");
    }
    let moved = fixture.request("Ben", "PATCH", &personal, json!({ "owner": "acme" }));
    assert_eq!((moved.status, moved.text.as_str()), (403, org_error));
    // Existing documents stay readable, changeable and removable. The setting does not affect
    // strangers.
    assert_eq!(fixture.request("Ben", "GET", &path, Value::Null).status, 200);
    assert_eq!(fixture.request("Ben", "PUT", &path, json!({ "title": "x" })).status, 200);
    assert_eq!(fixture.request("Ben", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(
        fixture.request("Dan", "POST", &dans_document, json!({ "action": "fork" })).status,
        200
    );

    // The setting of one of several organizations is enough.
    let other_org = orgs::create_org(&fixture.server, "other", Seats::Unlimited);
    let dan = chartroom_platform::id::AccountId::from_text(fixture.user_id("Dan"));
    orgs::add_member(&fixture.server, &other_org, &dan, Role::Member).unwrap();
    assert_eq!(storage_disabled("Dan"), false);
    orgs::add_member(&fixture.server, &fixture.org, &dan, Role::Member).unwrap();
    assert_eq!(storage_disabled("Dan"), true);
    assert_eq!(create("Dan", json!({ "widget": "bar", "owner": "other" })).0, 200);
}
