//! Tests of the fonts and logos of themes.

use serde_json::Value;
use serde_json::json;
use ttf2woff2::BrotliQuality;

use super::BACKGROUND;
use crate::casting::streams::EventStream;
use crate::charts::fonts::TEST_FAMILY;
use crate::charts::fonts::create_test_font;
use crate::org_assets::encode_png;
use crate::raster::decode_png;
use crate::teams::OrgFixture;

/// Red of the logo.
const RED: [u8; 3] = [200, 16, 46];

/// Creates a document of the organization with the theme `brand`, which has the uploaded font and
/// logo. Returns the id of the organization and of the document.
fn create_branded_chart(fixture: &OrgFixture) -> (String, String) {
    let theme = fixture.create_brand();
    // Only the italic font, so that an upright text in this family is visibly slanted.
    let font = create_test_font(notosans::ITALIC_TTF);
    assert_eq!(fixture.put_asset("Bea", "brand.ttf", &font).status, 200);
    assert_eq!(fixture.put_asset("Bea", "logo.png", &encode_png(80, 20, RED)).status, 200);
    let saved = fixture.put_brand(json!({
        "background_color": BACKGROUND, "logo": "logo.png", "logo_position": "top-right",
        "fonts": { "title": { "family": "nota face" }, "body": { "family": TEST_FAMILY } },
    }));
    let warnings = saved["warnings"].to_string();
    assert!(!warnings.contains("font") && !warnings.contains("logo"), "{warnings}");
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    assert_eq!(fixture.set_theme("Ben", &org, &document, &theme).status, 200);
    (org, document)
}

#[test]
fn images_have_the_font_and_the_logo_of_the_organization() {
    let fixture = OrgFixture::new();
    let (org, document) = create_branded_chart(&fixture);
    let svg = fixture.get_image("Ben", &org, &document, ".svg");
    assert_eq!(svg.header("x-chart-warnings"), "");
    assert!(svg.body.contains(&format!("@font-face{{font-family:'{TEST_FAMILY}'")), "embedded");
    assert!(
        svg.body.contains(&format!("font-family=\"'{TEST_FAMILY}'"))
            || svg.body.contains(&format!("font-family=\"{TEST_FAMILY}")),
        "{}",
        &svg.body[..900]
    );
    assert!(svg.header("content-security-policy").contains("font-src data:"));
    assert!(svg.body.contains("<image "), "the logo");
    let letters = fixture.get_image("Ben", &org, &document, ".svg?text=letters");
    assert!(!letters.body.contains("@font-face"));
    let html = fixture.get_image("Ben", &org, &document, ".html");
    assert!(html.body.contains(&format!("@font-face{{font-family:'{TEST_FAMILY}'")));
    let page = fixture.request("Ben", "GET", &format!("/d/{org}/{document}"), Value::Null).body;
    assert!(page.contains("<use") && !page.contains("<text"), "glyphs as outlines");
    let png = fixture.get_image("Ben", &org, &document, ".png");
    let image = decode_png(&png.bytes);
    let is_red = |pixel: &[u8; 4]| pixel[..3].iter().zip(RED).all(|(a, b)| a.abs_diff(b) < 8);
    assert!(image.pixels.iter().filter(|pixel| is_red(pixel)).count() > 500, "the logo");
    let plain = fixture.get_image("Ben", &org, &document, ".png?theme=light");
    let plain = decode_png(&plain.bytes);
    assert!(!plain.pixels.iter().any(is_red));
}

#[test]
fn an_svg_logo_has_the_colors_of_its_style_sheet_beside_a_background_image() {
    let fixture = OrgFixture::new();
    let theme = fixture.create_brand();
    let logo = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 20'><style>.a{fill:#c8102e}\
        </style><rect class='a' width='80' height='20' rx='4'/><script>alert(1)</script></svg>";
    assert_eq!(fixture.put_asset("Bea", "logo.svg", logo.as_bytes()).status, 200);
    let saved = fixture.put_brand(json!({
        "logo": "logo.svg", "logo_position": "bottom-left", "background_svg":
        "<svg viewBox='0 0 72 40'><circle onclick='a()' cx='72' cy='40' r='20' fill='#0050a0'/></svg>",
    }));
    assert!(!saved["background_svg"].as_str().unwrap().contains("onclick"), "{saved}");
    let org = fixture.org.id.to_string();
    let document = fixture.create_chart("Ben", &org);
    fixture.set_theme("Ben", &org, &document, &theme);
    let image = decode_png(&fixture.get_image("Ben", &org, &document, ".png").bytes);
    let count = |color: [u8; 4]| image.pixels.iter().filter(|pixel| **pixel == color).count();
    let (logo, background) = (count([RED[0], RED[1], RED[2], 255]), count([0, 80, 160, 255]));
    assert!(logo > 500 && background > 5_000, "{logo} {background}");
    let svg = fixture.get_image("Ben", &org, &document, ".svg").body;
    assert!(!svg.contains("script") && !svg.contains("onclick") && !svg.contains("<style"));
}

#[test]
fn a_changed_file_changes_the_images_and_a_missing_one_is_a_warning() {
    let fixture = OrgFixture::new();
    let (org, document) = create_branded_chart(&fixture);
    let get = |suffix: &str| fixture.get_image("Ben", &org, &document, suffix);
    let tags = || [".svg", ".png", "/thumbnail.png"].map(|suffix| get(suffix).header("etag"));
    let first = tags();
    let unused = encode_png(1, 1, RED);
    fixture.put_asset("Bea", "unused.png", &unused);
    assert_eq!(tags(), first, "a file that the theme does not use changes nothing");
    let listed = fixture.request_org("Ben", "GET", "/assets", Value::Null).json();
    let uses: Vec<&Value> =
        listed["assets"].as_array().unwrap().iter().map(|asset| &asset["used_by"]).collect();
    assert_eq!(uses, [&json!(["brand"]), &json!(["brand"]), &json!([])]);
    fixture.put_asset("Bea", "logo.png", &encode_png(80, 20, [0, 80, 160]));
    let second = tags();
    assert!(first.iter().zip(&second).all(|(one, two)| one != two), "{first:?} {second:?}");
    let font = create_test_font(notosans::BOLD_TTF);
    let woff2 = ttf2woff2::encode(&font, BrotliQuality::from(1)).unwrap();
    let uploaded = fixture.put_asset("Bea", "brand.ttf", &woff2);
    assert_eq!(uploaded.json()["content_type"], "font/woff2", "{}", uploaded.text);
    assert_eq!(uploaded.json()["family"], TEST_FAMILY);
    let svg = get(".svg");
    assert_ne!(svg.header("etag"), second[0]);
    assert!(
        svg.body.contains(&format!("@font-face{{font-family:'{TEST_FAMILY}'")),
        "{}",
        &svg.body[..900]
    );
    for filename in ["logo.png", "brand.ttf"] {
        let path = format!("/assets/{filename}");
        assert_eq!(fixture.request_org("Bea", "DELETE", &path, Value::Null).status, 204);
    }
    let svg = get(".svg");
    assert!(svg.body.contains(BACKGROUND) && !svg.body.contains("<image"), "{}", svg.body);
    let warnings = svg.header("x-chart-warnings");
    assert!(warnings.contains("logo") && warnings.contains("family"), "{warnings}");
}

#[test]
fn screens_are_updated_when_a_theme_or_its_logo_changes() {
    let fixture = OrgFixture::new();
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    let (_, document) = create_branded_chart(&fixture);
    let cast = fixture.create_cast("Ben", &document);
    let mut events = EventStream::open(&fixture, &cast);
    let (_, first) = events.next_event();
    fixture.put_brand(json!({ "background_color": "#e7f1fd", "logo": "logo.png" }));
    let (name, second) = events.next_event();
    assert_eq!((name.as_str(), &second["background"]), ("updated", &json!("#e7f1fd")));
    assert_eq!(second["revision"], first["revision"]);
    assert_ne!(second["image_version"], first["image_version"]);
    fixture.put_asset("Bea", "logo.png", &encode_png(80, 20, [0, 80, 160]));
    let (name, third) = events.next_event();
    assert_eq!(name, "updated");
    assert_ne!(third["image_version"], second["image_version"]);
    let image = fixture.get_as_screen(&cast, "/document.svg?width=720&height=405");
    assert!(image.body.contains("#e7f1fd"), "{}", image.text);
}

#[test]
fn an_image_without_a_font_that_takes_too_much_memory_is_not_stored() {
    let fixture = OrgFixture::new();
    let (org, document) = create_branded_chart(&fixture);
    let font = create_test_font(notosans::BOLD_TTF);
    let thumbnail = || fixture.get_image("Ben", &org, &document, "/thumbnail.png");
    let is_refused = |number: &u8| {
        let mut padded = font.clone();
        padded.resize(5 << 20, *number);
        assert_eq!(fixture.put_asset("Bea", "brand.ttf", &padded).status, 200);
        let first = thumbnail();
        assert_eq!(first.status, 200, "{}", first.text);
        first.header("etag").is_empty()
    };
    let refused = (0..10).find(is_refused);
    assert!(refused.is_some_and(|number| number > 5), "48 MiB fit: {refused:?}");
    let thumbnail_tag = thumbnail().header("etag");
    assert!(!thumbnail_tag.is_empty(), "the tag now stands for the image without the font");
    assert_eq!(thumbnail().header("etag"), thumbnail_tag);
    for suffix in [".svg", ".html"] {
        let image = fixture.get_image("Ben", &org, &document, suffix);
        let warnings = image.header("x-chart-warnings");
        assert!(warnings.contains("Too many fonts were changed"), "{suffix}: {warnings}");
        assert!(!image.header("etag").is_empty());
    }
    let again = fixture.put_asset("Bea", "brand.ttf", &create_test_font(notosans::ITALIC_TTF));
    assert_eq!(again.status, 200);
    let image = fixture.get_image("Ben", &org, &document, ".svg");
    assert!(image.body.contains("@font-face"), "a loaded font is used again");
    assert_ne!(thumbnail().header("etag"), thumbnail_tag);
}

#[test]
fn an_older_version_has_the_fonts_of_its_theme() {
    let fixture = OrgFixture::new();
    let (org, document) = create_branded_chart(&fixture);
    let path = format!("/api/v1/users/{org}/documents/{document}");
    let save = |theme: &Value| {
        let mut body = fixture.request("Ben", "GET", &path, Value::Null).json();
        let old = body["theme"].clone();
        (body["theme"], body["final_save"]) = (theme.clone(), true.into());
        assert_eq!(fixture.request("Ben", "PUT", &path, body).status, 200);
        let saved = fixture.request("Ben", "GET", &path, Value::Null).json();
        (old, saved["history_version"].clone())
    };
    let (brand, _) = save(&json!("light"));
    let (_, branded) = save(&brand);
    let (_, newest) = save(&json!("dark"));
    assert_ne!(branded, newest);
    let get = |suffix: String| fixture.get_image("Ben", &org, &document, &suffix);
    let images =
        || [format!("/history/{branded}.svg"), format!(".html?history_version={branded}")].map(get);
    for image in images() {
        assert!(image.body.contains(&format!("@font-face{{font-family:'{TEST_FAMILY}'")));
        assert!(image.header("content-security-policy").contains("font-src data:"));
    }
    let letters = get(format!("/history/{branded}.svg?text=letters"));
    assert!(!letters.body.contains("@font-face"));
    let plain = fixture.get_image("Ben", &org, &document, ".svg");
    assert!(!plain.body.contains("@font-face"));
}

#[test]
fn filenames_are_equal_in_any_spelling() {
    let fixture = OrgFixture::new();
    fixture.create_brand();
    let composed = "/assets/Caf%C3%A9.png";
    let decomposed = "/assets/Cafe%CC%81.png";
    let logo = encode_png(8, 8, RED);
    assert_eq!(fixture.put_asset("Bea", "Cafe%CC%81.png", &logo).status, 200);
    for path in [composed, decomposed] {
        assert_eq!(fixture.request_org("Ben", "GET", path, Value::Null).bytes, logo, "{path}");
    }
    let saved = fixture.put_brand(json!({ "logo": "Cafe\u{301}.png" }));
    assert_eq!(saved["logo"], "Caf\u{e9}.png");
    assert!(!saved["warnings"].to_string().contains("logo"), "{saved}");
    assert_eq!(fixture.request_org("Bea", "DELETE", decomposed, Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ben", "GET", composed, Value::Null).status, 404);
}
