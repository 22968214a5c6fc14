//! The page of the settings and of the layout presets.

use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;

/// Returns the fields of the form for a preset without margins.
fn preset<'a>(name: &'a str, width: &'a str, unit: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut fields =
        vec![("name", name), ("width", width), ("height", "100"), ("display_unit", unit)];
    for margin in ["margin.top", "margin.right", "margin.bottom", "margin.left"] {
        fields.push((margin, "0"));
    }
    fields
}

/// Returns the names of the presets.
fn preset_names(fixture: &PagesFixture) -> Vec<String> {
    let settings = fixture.api("GET", "/settings", Value::Null);
    let layouts = settings["layouts"].as_array().unwrap().iter();
    layouts.map(|layout| layout["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_form_stores_all_settings() {
    let fixture = PagesFixture::new();
    let page = fixture.page("/settings");
    assert_contains(
        &page,
        &[
            "name=\"disable_public_documents\" type=\"checkbox\" aria",
            "value=\"The acme\"",
            "Public documents of the organization stop being public at once",
        ],
    );
    let fields = [
        ("name", "Acme & Sons"),
        ("disable_public_documents", "on"),
        ("auto_update_seat_count", "on"),
        ("auto_update_seat_count_limit", " 12 "),
    ];
    let saved = fixture.submit("Bea", "/settings", &fields);
    assert_eq!(saved.header("location"), "/orgs/acme/settings?done=settings-saved");
    let expected = json!({
        "layouts": [],
        "auto_invite_domain_users": false,
        "auto_update_seat_count": true,
        "auto_update_seat_count_limit": 12,
        "enforce_sso": false,
        "require_second_factor": false,
        "disable_unmanaged_accounts": false,
        "disable_document_storage": false,
        "disable_public_documents": true,
    });
    assert_eq!(fixture.api("GET", "/settings", Value::Null), expected);
    assert_eq!(fixture.api("GET", "", Value::Null)["name"], "Acme & Sons");

    // The name is stored only together with the settings.
    let wrong = [("name", "Other"), ("auto_update_seat_count_limit", "many")];
    let refused = fixture.submit("Ann", "/settings", &wrong);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_contains(
        &refused.body,
        &["id=\"seat-limit-error\">Largest number of seats must be a whole number", "\"many\""],
    );
    let fields = [("name", " "), ("require_second_factor", "on")];
    let nameless = fixture.submit("Ann", "/settings", &fields);
    assert_eq!(nameless.status, 400);
    assert_contains(
        &nameless.body,
        &["id=\"name-error\">", "name=\"require_second_factor\" type=\"checkbox\" checked"],
    );
    assert_eq!(fixture.api("GET", "/settings", Value::Null), expected);
    assert_eq!(fixture.api("GET", "", Value::Null)["name"], "Acme & Sons");
}

#[test]
fn layout_presets_are_added_ordered_and_deleted() {
    let fixture = PagesFixture::new();
    let path = "/settings/layouts";
    fixture.submit_ok(path, &preset("Slide", "720", "pt"), "The layout preset is saved.");
    let page =
        fixture.submit_ok(path, &preset("A/4 & more", "254", "mm"), "The layout preset is saved.");
    assert_contains(&page, &["254 × 100 mm", "720 × 100 pt", "A/4 &#38; more"]);
    let layouts = fixture.api("GET", "/settings", Value::Null)["layouts"].clone();
    assert!((layouts[1]["width"].as_f64().unwrap() - 720.0).abs() < 1e-9, "{layouts}");
    assert_eq!(layouts[1]["display_unit"], "mm");

    let refused = fixture.submit("Ann", path, &preset("Tiny", "3", "pt"));
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_contains(
        &refused.body,
        &["id=\"layout-width-error\">Width must be from 40 to 4096 points.", "value=\"Tiny\""],
    );
    let text = fixture.submit("Ann", path, &preset("Word", "wide", "pt"));
    assert_contains(&text.body, &["id=\"layout-width-error\">Width must be a number."]);
    assert_eq!(preset_names(&fixture), ["Slide", "A/4 & more"]);

    let first = [("step", "first"), ("name", "A/4 & more")];
    fixture.submit_ok(path, &first, "The layout preset is saved.");
    assert_eq!(preset_names(&fixture), ["A/4 & more", "Slide"]);

    let page = fixture.page("/settings/layouts/delete?name=A%2F4+%26+more");
    assert_contains(
        &page,
        &["Existing documents keep their size.", "New documents then have the preset Slide."],
    );
    let deleted = [("name", "A/4 & more")];
    fixture.submit_ok("/settings/layouts/delete", &deleted, "The layout preset is deleted.");
    assert_eq!(preset_names(&fixture), ["Slide"]);
    assert_eq!(fixture.submit("Ann", "/settings/layouts/delete", &deleted).status, 404);
}

#[test]
fn an_old_form_does_not_undo_the_settings_of_somebody_else() {
    let fixture = PagesFixture::new();
    let page = fixture.page("/settings");
    let shown: Vec<(String, String)> = page
        .split("<input type=\"hidden\" name=\"shown.")
        .skip(1)
        .map(|field| {
            let (name, rest) = field.split_once("\" value=\"").unwrap();
            (format!("shown.{name}"), rest.split_once('"').unwrap().0.to_owned())
        })
        .collect();
    assert_eq!(shown.len(), 8, "{shown:?}");
    let private = json!({ "disable_public_documents": true, "auto_update_seat_count_limit": 7 });
    fixture.api("PATCH", "/settings", private);
    let mut fields: Vec<(&str, &str)> =
        shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    fields.extend([
        ("name", "New name"),
        ("auto_invite_domain_users", "on"),
        ("auto_update_seat_count_limit", ""),
    ]);
    assert_eq!(fixture.submit("Bea", "/settings", &fields).status, 303);
    let settings = fixture.api("GET", "/settings", Value::Null);
    assert_eq!(settings["disable_public_documents"], true);
    assert_eq!(settings["auto_update_seat_count_limit"], 7);
    assert_eq!(settings["auto_invite_domain_users"], true);
    assert_eq!(fixture.api("GET", "", Value::Null)["name"], "New name");
}
