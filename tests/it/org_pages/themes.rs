//! The gallery of themes and the page of a theme, with its preview.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use super::hidden_value;
use crate::org_assets::encode_png;

impl PagesFixture {
    /// Creates the theme `brand` with these fields, and returns its id.
    fn create_theme(&self, body: Value) -> String {
        let mut body = body;
        body["name"] = "brand".into();
        self.api("POST", "/themes", body)["id"].as_str().unwrap().to_owned()
    }

    /// Returns the fields of the theme `brand`.
    fn theme(&self) -> Value {
        self.api("GET", "/themes/brand", Value::Null)
    }
}

/// Returns the SVGs of the preview in a page.
fn preview_images(page: &str) -> Vec<String> {
    let uris = page.split("src=\"data:image/svg+xml;base64,").skip(1);
    let decode = |rest: &str| STANDARD.decode(rest.split('"').next().unwrap()).unwrap();
    uris.map(|rest| String::from_utf8(decode(rest)).unwrap()).collect()
}

#[test]
fn a_theme_is_created_shown_and_changed() {
    let fixture = PagesFixture::new();
    assert_contains(
        &fixture.page("/themes"),
        &["There is no theme yet.", "<strong>Light</strong>", "href=\"/orgs/acme/themes/_new\""],
    );
    let new = fixture.page("/themes/_new");
    assert_eq!(preview_images(&new).len(), 6);
    let fields = [
        ("title", "Acme Brand"),
        ("colors", "#0b5394"),
        ("colors", " "),
        ("colors", "#ffdd00"),
        ("text_color", "#333"),
        ("fonts.title.family", "Noto Sans"),
        ("fonts.title.size", "22,5"),
        ("logo_position", "top-left"),
    ];
    let created = fixture.submit("Bea", "/themes/_new", &fields);
    assert_eq!(created.status, 303, "{}", created.text);
    assert_eq!(created.header("location"), "/orgs/acme/themes/acme-brand?done=theme-created");
    let theme = fixture.api("GET", "/themes/acme-brand", Value::Null);
    assert_eq!(theme["colors"], json!(["#0b5394", "#ffdd00"]));
    assert_eq!(theme["fonts"]["title"]["size"], 22.5);
    assert_eq!(theme["logo_position"], "top-left");
    assert_eq!(theme["grid_color"], "#e1e4e8");

    let page = fixture.page("/themes/acme-brand?done=theme-created");
    let warning = "Color 2 #ffdd00 has a contrast of 1.3:1 to the background #ffffff";
    assert_contains(&page, &["The theme is created.", warning, "value=\"22.5\""]);
    let images = preview_images(&page);
    assert!(images.iter().filter(|image| image.contains("#0b5394")).count() >= 5, "{page}");

    let updated = hidden_value(&page, "updated");
    let changed = [("updated", updated.as_str()), ("title", "Acme"), ("colors", "teal")];
    fixture.submit_ok("/themes/acme-brand", &changed, "The theme is saved.");
    let theme = fixture.api("GET", "/themes/acme-brand", Value::Null);
    assert_eq!((&theme["title"], &theme["colors"]), (&json!("Acme"), &json!(["teal"])));
    assert_contains(&fixture.page("/themes"), &["1 of at most 100", ">Acme</a>", "#008080"]);
}

#[test]
fn errors_are_at_their_fields_and_nothing_is_stored() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "title": "Old", "colors": ["#123456"] }));
    let updated = hidden_value(&fixture.page("/themes/brand"), "updated");
    let fields = [
        ("updated", updated.as_str()),
        ("title", "New"),
        ("colors", "#00f"),
        ("colors", "inky \"blue\""),
        ("axis_color", "axis"),
        ("fonts.body.size", "huge"),
        ("background_svg", "<script>alert(1)</script>"),
    ];
    for path in ["/themes/brand", "/themes/brand/preview", "/themes/_new", "/themes/_new/preview"] {
        let refused = fixture.submit("Bea", path, &fields);
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        assert_contains(
            &refused.body,
            &[
                "id=\"color-2-error\">Color 2 must be a CSS color such as #3f90da.",
                "value=\"inky &#34;blue&#34;\"",
                "id=\"axis-color-error\">Axis color must be a CSS color",
                "id=\"body-size-error\">Size must be a number.",
                "id=\"background-svg-error\">Background drawing must ",
                "&#60;script&#62;alert(1)",
                "value=\"New\"",
                "role=\"alert\">Some fields have errors",
            ],
        );
        assert!(!refused.body.contains("<script>alert"), "{path}");
        assert!(preview_images(&refused.body).is_empty(), "{path}");
    }
    assert_eq!(fixture.theme()["title"], "Old");
    assert_eq!(fixture.api("GET", "/themes", Value::Null)["themes"].as_array().unwrap().len(), 1);

    let taken = fixture.submit("Bea", "/themes/_new", &[("name", "brand"), ("colors", "red")]);
    assert_eq!(taken.status, 409);
    assert_contains(
        &taken.body,
        &["id=\"name-error\">A theme named &#34;brand&#34; already exists."],
    );
    for (name, title) in [("_new", ""), ("", ""), ("Ä", "")] {
        let fields = [("name", name), ("title", title), ("colors", "red")];
        let refused = fixture.submit("Bea", "/themes/_new", &fields);
        assert_eq!(refused.status, 400, "{name:?} {title:?}");
        assert_contains(&refused.body, &["id=\"name-error\">Name "]);
    }
    let empty = fixture.submit("Bea", "/themes/_new", &[("name", "none"), ("colors", "")]);
    assert_contains(&empty.body, &["The list of colors must have 1 to 64 colors."]);
}

#[test]
fn an_old_form_does_not_undo_the_change_of_somebody_else() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "colors": ["#111111"] }));
    let old = hidden_value(&fixture.page("/themes/brand"), "updated");
    std::thread::sleep(std::time::Duration::from_millis(5));
    fixture.api("PUT", "/themes/brand", json!({ "colors": ["#222222"] }));
    let submit = |updated: &str| {
        let fields = [("updated", updated), ("title", "Mine"), ("colors", "#333333")];
        fixture.submit("Bea", "/themes/brand", &fields)
    };
    let refused = submit(&old);
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_contains(
        &refused.body,
        &["Somebody has changed the theme since you opened this page", "value=\"#333333\""],
    );
    assert_eq!(preview_images(&refused.body).len(), 6);
    assert!(!refused.body.contains("Correct the fields with errors"));
    assert_eq!(fixture.theme()["colors"], json!(["#222222"]));
    assert_eq!(submit(&old).status, 409);
    assert_eq!(submit(&hidden_value(&refused.body, "updated")).status, 303);
    assert_eq!(fixture.theme()["colors"], json!(["#333333"]));
}

#[test]
fn the_values_of_a_deleted_theme_become_a_new_theme() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "title": "Old" }));
    let updated = hidden_value(&fixture.page("/themes/brand"), "updated");
    fixture.submit_ok("/themes/brand/delete", &[], "The theme is deleted.");
    let fields = [("updated", updated.as_str()), ("title", "Mine"), ("colors", "#333333")];
    let refused = fixture.submit("Bea", "/themes/brand", &fields);
    assert_eq!(refused.status, 409, "{}", refused.text);
    let explanation = "Somebody has deleted the theme since you opened this page";
    let values = ["value=\"#333333\"", "value=\"brand\"", "Create the theme"];
    assert_contains(&refused.body, &[&[explanation][..], &values[..]].concat());
    let preview = fixture.submit("Bea", "/themes/brand/preview", &fields);
    assert_eq!((preview.status, preview_images(&preview.body).len()), (200, 6));
    assert_contains(&preview.body, &[&[explanation][..], &values[..]].concat());
    let named = [&fields[..], &[("name", "brand")]].concat();
    assert_eq!(fixture.submit("Bea", "/themes/_new", &named).status, 303);
    assert_eq!(fixture.theme()["title"], "Mine");
}

#[test]
fn the_address_of_a_preview_leads_to_the_theme() {
    let fixture = PagesFixture::new();
    let location = |path: &str| {
        let response = fixture.get("Bea", path);
        assert_eq!(response.status, 303, "{path}: {}", response.text);
        response.header("location").to_owned()
    };
    assert_eq!(location("/themes/_new/preview"), "/orgs/acme/themes/_new");
    assert_eq!(location("/themes/a%2Fb/preview"), "/orgs/acme/themes/a%2Fb");
    assert_eq!(fixture.get("Dan", "/themes/brand/preview").status, 404);
}

#[test]
fn enter_saves_the_theme() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "title": "Old" }));
    for (path, label) in [("/themes/_new", "Create"), ("/themes/brand", "Save")] {
        let page = fixture.page(path);
        let form = page.split("id=\"theme-form\"").nth(1).unwrap();
        // The button that browsers press.
        let first = form.split("<button").nth(1).unwrap().split("</button>").next().unwrap();
        assert!(first.contains("type=\"submit\"") && !first.contains("formaction"), "{first}");
        assert!(first.ends_with(&format!("{label} the theme")), "{first}");
    }
}

#[test]
fn a_preview_shows_the_form_and_stores_nothing() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "colors": ["#111111"], "title": "Old" }));
    let before = (fixture.theme(), fixture.orgs.audit_actions());
    let fields = [("title", "<b>Mine</b>"), ("colors", "#c2185b"), ("background_color", "#fefae0")];
    for path in ["/themes/brand/preview", "/themes/_new/preview"] {
        let shown = fixture.submit("Bea", path, &fields);
        assert_eq!(shown.status, 200, "{path}: {}", shown.text);
        let images = preview_images(&shown.body);
        assert_eq!(images.len(), 6);
        for image in &images {
            assert_contains(image, &["#fefae0"]);
        }
        assert_contains(&images[0], &["#c2185b"]);
        assert!(!shown.body.contains("<b>Mine"), "{path}");
    }
    assert_eq!((fixture.theme(), fixture.orgs.audit_actions()), before);
    assert_eq!(fixture.submit("Bea", "/themes/none/preview", &fields).status, 404);
    assert!(!fixture.page("/themes/brand").contains("#c2185b"));
}

#[test]
fn colors_of_a_logo_fill_the_form_and_store_nothing() {
    let fixture = PagesFixture::new();
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 10'>\
        <rect width='20' height='10' fill='#0a7d4f'/><rect x='20' width='9' height='9' fill='#c2185b'/></svg>";
    fixture.orgs.put_asset("Bea", "logo.svg", svg.as_bytes());
    fixture.orgs.put_asset("Bea", "logo.png", &encode_png(20, 10, [11, 83, 148]));
    fixture.orgs.put_asset("Bea", "white.png", &encode_png(20, 10, [255, 255, 255]));
    fixture.create_theme(json!({ "colors": ["#111111"] }));
    let take = |logo: &str| {
        let fields = [("step", "logo-colors"), ("logo", logo), ("colors", "#f4a259")];
        let page = fixture.submit("Bea", "/themes/brand/preview", &fields);
        assert_eq!(page.status, 200, "{}", page.text);
        page.body
    };
    let page = take("logo.svg");
    assert_contains(
        &page,
        &[
            "2 colors of logo.svg are now the first of the list.",
            "id=\"color-1\" name=\"colors\" type=\"text\" maxlength=\"64\" autocomplete=\"off\" \
             autocapitalize=\"none\" spellcheck=\"false\" value=\"#0a7d4f\"",
            "value=\"#c2185b\"",
            "value=\"#f4a259\"",
        ],
    );
    assert_contains(&preview_images(&page)[0], &["#0a7d4f"]);
    assert_contains(&take("logo.png"), &["The color of logo.png is now", "value=\"#0b5394\""]);
    assert_contains(&take("white.png"), &["No solid colors were found in white.png"]);
    assert_contains(&take(""), &["Choose a logo first."]);
    assert_eq!(fixture.theme()["colors"], json!(["#111111"]));
}

#[test]
fn the_default_theme_is_chosen_and_a_deleted_theme_is_replaced() {
    let fixture = PagesFixture::new();
    let id = fixture.create_theme(json!({ "title": "Brand & Co" }));
    let default = || fixture.api("GET", "", Value::Null)["default_theme"].clone();
    let page = fixture.page("/themes");
    assert_contains(&page, &["Use as default<span class=\"hidden\"> theme: Brand &#38; Co</span>"]);
    let chosen = [("theme", id.as_str())];
    let page = fixture.submit_ok("/settings/default-theme", &chosen, "New documents of the");
    assert_eq!(default(), json!(id));
    assert_contains(&page, &["<strong>Brand &#38; Co</strong>", "Use the built-in theme"]);
    let unknown = fixture.submit("Bea", "/settings/default-theme", &[("theme", "neon")]);
    assert_eq!(unknown.status, 400);
    assert_contains(&unknown.body, &[">There is no theme named"]);
    assert_eq!(default(), json!(id));

    let question = fixture.page("/themes/brand/delete");
    assert_contains(
        &question,
        &[
            "Delete the theme Brand &#38; Co?",
            "It is the default theme of The acme. New documents then have the built-in theme Light.",
            "shown in the built-in theme Light",
        ],
    );
    assert_eq!(fixture.theme()["name"], "brand");
    fixture.submit_ok("/themes/brand/delete", &[], "The theme is deleted.");
    assert_eq!(default(), "light");
    assert_eq!(fixture.api("GET", "/themes", Value::Null)["themes"], json!([]));
    assert_eq!(fixture.submit("Bea", "/themes/brand/delete", &[]).status, 404);
    assert_eq!(fixture.get("Bea", "/themes/brand").status, 404);
}

#[test]
fn the_sample_is_an_image_in_the_theme_for_members() {
    let fixture = PagesFixture::new();
    fixture.create_theme(json!({ "background_color": "#fdf1e7" }));
    let path = "/themes/brand/sample.svg";
    let image = fixture.get("Ben", path);
    assert_eq!((image.status, image.header("content-type").as_str()), (200, "image/svg+xml"));
    assert_contains(&image.body, &["<svg", "#fdf1e7"]);
    let send = |tag: &str| {
        let headers =
            [("authorization", fixture.orgs.authorization("Ben")), ("if-none-match", tag)];
        fixture.orgs.server.send("GET", &format!("/orgs/acme{path}"), &headers, "").status
    };
    let tag = image.header("etag").to_owned();
    assert_eq!(send(&tag), 304);
    fixture.api("PUT", "/themes/brand", json!({ "background_color": "#e7f1fd" }));
    assert_eq!(send(&tag), 200);
    assert_eq!(fixture.get("Dan", path).status, 404);
    assert_eq!(fixture.get("Ben", "/themes/none/sample.svg").status, 404);
}

#[test]
fn members_see_the_gallery_only_and_a_suspended_organization_is_read_only() {
    let fixture = PagesFixture::new();
    let id = fixture.create_theme(json!({ "title": "Brand" }));
    let gallery = fixture.get("Ben", "/themes");
    assert_eq!(gallery.status, 200);
    assert_contains(&gallery.body, &["/orgs/acme/themes/brand/sample.svg", "Brand"]);
    for absent in [
        "themes/_new\"",
        "brand/delete",
        "settings/default-theme",
        "href=\"/orgs/acme/themes/brand",
    ] {
        assert!(!gallery.body.contains(absent), "{absent}");
    }
    let pages = ["/themes/_new", "/themes/brand", "/themes/brand/delete"];
    let theme = [("title", "Mine"), ("colors", "red")];
    let default = [("theme", id.as_str())];
    let forms: [(&str, &[(&str, &str)]); 5] = [
        ("/themes/_new", &theme),
        ("/themes/brand", &theme),
        ("/themes/brand/preview", &theme),
        ("/themes/brand/delete", &[]),
        ("/settings/default-theme", &default),
    ];
    for (name, status) in [("Ben", 403), ("Dan", 404)] {
        for path in pages {
            assert_eq!(fixture.get(name, path).status, status, "{name} {path}");
        }
        for (path, fields) in forms {
            assert_eq!(fixture.submit(name, path, fields).status, status, "{name} {path}");
        }
    }
    fixture.orgs.set_suspended(true);
    for path in pages {
        let page = fixture.get("Bea", path);
        assert_eq!(page.status, 200, "{path}");
        assert_contains(&page.body, &["This organization is suspended", " disabled>"]);
    }
    assert!(!fixture.page("/themes").contains("settings/default-theme"));
    for (path, fields) in forms {
        assert_eq!(fixture.submit("Bea", path, fields).status, 402, "{path}");
    }
    fixture.orgs.set_suspended(false);
    assert_eq!(fixture.theme()["title"], "Brand");
    assert_eq!(fixture.api("GET", "", Value::Null)["default_theme"], "light");
}

#[test]
fn hostile_values_are_only_text() {
    let fixture = PagesFixture::new();
    let title = "\"><img src=x onerror=alert(1)>";
    fixture.create_theme(json!({ "title": title, "fonts": { "title": { "family": title } } }));
    for path in ["/themes", "/themes/brand", "/themes/brand/delete"] {
        let page = fixture.page(path);
        assert!(!page.contains("<img src=x"), "{path}");
        assert_contains(&page, &["&#34;&#62;&#60;img src=x"]);
    }
    for image in preview_images(&fixture.page("/themes/brand")) {
        assert!(!image.contains("<img"), "{image}");
    }
}
