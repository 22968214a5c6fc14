//! Tests of the themes of organizations and of documents that use them. Ann is the admin, Bea the
//! brand manager, Ben a member and Dan a stranger.

mod cli;
mod documents;
mod files;

use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Path of the themes.
const PATH: &str = "/api/v1/orgs/acme/themes";
/// Background color of the theme `brand`.
const BACKGROUND: &str = "#fdf1e7";

impl OrgFixture {
    /// Creates the theme `brand` with a visible background. Returns its id.
    fn create_brand(&self) -> String {
        let body = json!({ "name": "brand", "background_color": BACKGROUND });
        let created = self.request("Bea", "POST", PATH, body);
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["id"].as_str().unwrap().to_owned()
    }

    /// Replaces the theme `brand`.
    fn put_brand(&self, body: Value) -> Value {
        let changed = self.request("Bea", "PUT", &format!("{PATH}/brand"), body);
        assert_eq!(changed.status, 200, "{}", changed.text);
        changed.json()
    }

    /// Replaces the fields of a document of an account with a theme, with a save by a user.
    fn set_theme(&self, name: &str, owner: &str, document: &str, theme: &str) -> Response {
        let path = format!("/api/v1/users/{owner}/documents/{document}");
        let mut body = self.request(name, "GET", &path, Value::Null).json();
        body["theme"] = theme.into();
        self.request(name, "PUT", &path, body)
    }

    /// Sends a GET for a rendered image or another part of a document.
    fn get_image(&self, name: &str, owner: &str, document: &str, suffix: &str) -> Response {
        let path = format!("/api/v1/users/{owner}/documents/{document}{suffix}");
        self.request(name, "GET", &path, Value::Null)
    }
}

/// Returns the theme `acme-brand` as the API shows it, with the times of `created`.
fn brand_view(fixture: &OrgFixture, created: &Value) -> Value {
    let id = format!("{}/acme-brand", fixture.org.id);
    let endpoint =
        format!("http://127.0.0.1:8080/api/v1/orgs/{}/themes/acme-brand", fixture.org.id);
    json!({
        "id": id,
        "name": "acme-brand",
        "title": "Acme Brand",
        "colors": ["#0b5394", "#990000"],
        "highlight_color": "#e76300",
        "text_color": "#1d2329",
        "axis_color": "#5b636b",
        "grid_color": "#e1e4e8",
        "background_color": "#ffffff",
        "background_svg": "",
        "fonts": {
            "title": { "family": "Noto Sans", "size": 24.0, "weight": 700.0 },
            "body": { "family": "Noto Sans", "size": 12.0, "weight": 400.0 },
        },
        "logo": "",
        "logo_position": "bottom-right",
        "created": created["created"],
        "updated": created["updated"],
        "urls": { "endpoint": endpoint },
    })
}

#[test]
fn a_brand_manager_creates_changes_and_deletes_a_theme() {
    let fixture = OrgFixture::new();
    let body = json!({
        "title": "Acme Brand", "colors": ["#0b5394", "#990000"],
        "fonts": { "title": { "size": 24 } },
    });
    let created = fixture.request("Bea", "POST", PATH, body);
    assert_eq!(created.status, 200, "{}", created.text);
    let mut created = created.json();
    assert_eq!(created["warnings"], json!([]));
    created.as_object_mut().unwrap().remove("warnings");
    let expected = brand_view(&fixture, &created);
    assert_eq!(created, expected);
    let path = format!("{PATH}/acme-brand");
    for name in ["Ann", "Ben", "Cid"] {
        assert_eq!(fixture.request(name, "GET", &path, Value::Null).json(), expected, "{name}");
        let listed = fixture.request(name, "GET", PATH, Value::Null).json();
        assert_eq!(listed, json!({ "themes": [expected] }), "{name}");
    }
    let mut same = fixture.request("Ann", "PUT", &path, expected.clone()).json();
    same.as_object_mut().unwrap().remove("warnings");
    assert_eq!(same, expected, "the body of a response changes nothing");
    assert_eq!(fixture.audit_actions(), ["theme.create"]);
    let changed =
        fixture.request("Ann", "PUT", &path, json!({ "background_color": "#eee" })).json();
    assert_eq!(
        (&changed["title"], &changed["background_color"]),
        (&json!("acme-brand"), &json!("#eee"))
    );
    assert_eq!(changed["colors"].as_array().unwrap().len(), 10, "the default again");
    assert_eq!(fixture.request("Bea", "DELETE", &path, Value::Null).status, 204);
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(fixture.request("Bea", method, &path, json!({})).status, 404, "{method}");
    }
    assert_eq!(fixture.audit_actions(), ["theme.create", "theme.change", "theme.delete"]);
}

#[test]
fn invalid_themes_are_rejected_with_their_fields() {
    let fixture = OrgFixture::new();
    fixture.create_brand();
    let check = |body: Value, status: u16, fields: &[&str]| {
        let response = fixture.request("Bea", "POST", PATH, body.clone());
        assert_eq!(response.status, status, "{body}: {}", response.text);
        let problem: Value = serde_json::from_str(&response.body).unwrap();
        let errors = problem["errors"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> =
            errors.iter().map(|error| error["field"].as_str().unwrap()).collect();
        assert_eq!(names, fields, "{body}");
    };
    check(json!({ "name": "brand" }), 409, &["name"]);
    check(json!({}), 400, &["name"]);
    check(json!({ "name": "Brand" }), 400, &["name"]);
    check(
        json!({ "name": "b", "colors": ["#fff", "inky"], "logo_position": "left" }),
        400,
        &["colors[1]", "logo_position"],
    );
    check(json!({ "name": "b", "fonts": { "body": { "size": 99 } } }), 400, &["fonts.body.size"]);
    check(
        json!({ "name": "b", "background_svg": "<svg><script/></svg>" }),
        400,
        &["background_svg"],
    );
    check(json!({ "name": "b", "logo": "data:image/png;base64,AA" }), 400, &["logo"]);
    check(json!({ "name": "b", "colour": "#fff" }), 400, &["colour"]);
    let listed = fixture.request("Ben", "GET", PATH, Value::Null).json();
    assert_eq!(listed["themes"].as_array().unwrap().len(), 1);
}

#[test]
fn saving_reports_colors_that_are_hard_to_see_and_missing_files() {
    let fixture = OrgFixture::new();
    fixture.create_brand();
    let saved = fixture.put_brand(json!({
        "text_color": "#777777", "background_color": "#ffffff", "colors": ["#222", "#fff3c4"],
        "logo": "logo.svg", "fonts": { "body": { "family": "Acme Sans" } },
    }));
    let warnings: Vec<&str> =
        saved["warnings"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let parts = [
        "\"Acme Sans\" for fonts.body",
        "The logo of the theme is left out",
        "text_color #777777 has a contrast of 4.4:1",
        "colors[1] #fff3c4",
    ];
    assert_eq!(warnings.len(), parts.len(), "{warnings:?}");
    for (warning, part) in warnings.iter().zip(parts) {
        assert!(warning.contains(part), "{part}: {warning}");
    }
    assert_eq!(
        fixture.put_brand(json!({}))["warnings"].as_array().unwrap().len(),
        4,
        "the default theme has four pale series colors"
    );
}

#[test]
fn only_brand_managers_change_themes() {
    let fixture = OrgFixture::new();
    fixture.create_brand();
    let path = format!("{PATH}/brand");
    for (name, status) in [("Ben", 403), ("Dan", 404)] {
        // The body is invalid, but the access is checked before.
        assert_eq!(fixture.request(name, "POST", PATH, json!([])).status, status, "{name}");
        assert_eq!(fixture.request(name, "PUT", &path, json!([])).status, status, "{name}");
        assert_eq!(fixture.request(name, "DELETE", &path, Value::Null).status, status, "{name}");
    }
    for read in [PATH, &path] {
        let hidden = fixture.request("Dan", "GET", read, Value::Null);
        assert_eq!((hidden.status, hidden.text.as_str()), (404, "no such organization"), "{read}");
    }
    fixture.set_suspended(true);
    assert_eq!(fixture.request("Bea", "PUT", &path, json!({})).status, 402);
    assert_eq!(fixture.request("Bea", "POST", PATH, json!({ "name": "b" })).status, 402);
    assert_eq!(fixture.request("Bea", "DELETE", &path, Value::Null).status, 402);
    assert_eq!(
        fixture.request("Ben", "GET", &path, Value::Null).json()["background_color"],
        BACKGROUND
    );
    assert_eq!(fixture.audit_actions(), ["theme.create"]);
}

#[test]
fn a_repeated_request_creates_one_theme() {
    let fixture = OrgFixture::new();
    let headers = [
        ("authorization", fixture.authorization("Bea")),
        ("content-type", "application/json"),
        ("idempotency-key", "one"),
    ];
    let create = |body: &str| fixture.server.send("POST", PATH, &headers, body);
    let first = create(r#"{"name":"brand"}"#);
    assert_eq!((first.status, create(r#"{"name":"brand"}"#).text), (200, first.text.clone()));
    assert_eq!(create(r#"{"name":"other"}"#).status, 409);
    assert_eq!(fixture.audit_actions(), ["theme.create"]);
}

#[test]
fn a_theme_of_the_organization_can_be_its_default_theme() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let patch =
        |theme: &str| fixture.request_org("Bea", "PATCH", "", json!({ "default_theme": theme }));
    assert_eq!(patch(&theme).status, 204);
    for unknown in ["", "neon", "brand", &format!("{}/other", fixture.org.id), "a0B1c2D3e4F/brand"]
    {
        let response = patch(unknown);
        assert_eq!(response.status, 400, "{unknown}: {}", response.text);
        assert!(response.body.contains("\"field\":\"default_theme\""), "{}", response.body);
    }
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    let read = fixture.get_image("Ben", &org, &document, "").json();
    assert_eq!(read["theme"], theme.as_str());
    assert!(fixture.get_image("Ben", &org, &document, ".svg").body.contains(BACKGROUND));
    assert_eq!(fixture.request("Bea", "DELETE", &format!("{PATH}/brand"), Value::Null).status, 204);
    let organization = fixture.request_org("Ben", "GET", "", Value::Null).json();
    assert_eq!(organization["default_theme"], "light");
    let sql = "select details from audit_event where action = 'org.change' order by id desc";
    let details: String =
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
    let details: Value = serde_json::from_str(&details).unwrap();
    assert_eq!(details["default_theme"], json!({ "from": theme, "to": "light" }), "{details}");
    let next = fixture.create_chart("Ben", &org);
    assert_eq!(fixture.get_image("Ben", &org, &next, "").json()["theme"], "light");
}
