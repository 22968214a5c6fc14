//! Tests of the text alternatives of rendered images and of the standalone page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_platform::crypto::sha256;
use serde_json::Value;
use serde_json::json;

use super::World;
use crate::talk::Answer;

fn svg(world: &World, path: &str, query: &str) -> Answer {
    let answer = world.ann("GET", &format!("{path}.svg{query}"), "");
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    answer
}

/// Returns the texts between each pair of two tags.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|it| it.split_once(close).map(|it| it.0)).collect()
}

/// Returns the name of a script or a style in a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(sha256(text.as_bytes())))
}

#[test]
fn an_svg_carries_letters_outlines_or_letters_with_their_fonts() {
    let world = World::new();
    let path = world.bar();
    let letters = svg(&world, &path, "");
    assert!(letters.text.contains("<text") && !letters.text.contains("<style"));
    assert_eq!(svg(&world, &path, "?text=letters").header("etag"), letters.header("etag"));

    let outlines = svg(&world, &path, "?text=outlines");
    for odd in ["<text", "<style", "style=", "@font-face"] {
        assert!(!outlines.text.contains(odd), "{odd}: {}", outlines.text);
    }
    for part in ["<use xlink:href=\"#g0\"", "<title id=\"t\">", "<desc id=\"d\">"] {
        assert!(outlines.text.contains(part), "{part}: {}", outlines.text);
    }

    let embedded = svg(&world, &path, "?text=embedded");
    let styles = between(&embedded.text, "<style>", "</style>");
    assert_eq!(styles.len(), 1);
    assert!(styles[0].starts_with("@font-face{font-family:'Noto Sans';"), "{}", styles[0]);
    let policy = embedded.header("content-security-policy");
    assert!(policy.contains(&hash(styles[0])) && policy.contains("font-src data:"), "{policy}");
    for font in between(styles[0], "base64,", ")") {
        let font = STANDARD.decode(font).unwrap();
        assert!(font.starts_with(b"wOF2") && font.len() < 20_000, "{} bytes", font.len());
    }
    let again = svg(&world, &path, "?text=embedded");
    assert_eq!(again.text, embedded.text, "the same bytes each time");

    let tags = [&letters, &outlines, &embedded].map(|it| it.header("etag"));
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    let png = |query: &str| world.ann("GET", &format!("{path}.png{query}"), "").header("etag");
    assert_eq!(png("?text=outlines"), png(""), "a PNG knows no other text");
    let refused = world.ann("GET", &format!("{path}.svg?text=paths"), "");
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("text: must be letters, outlines or embedded"));
}

#[test]
fn what_is_downloaded_carries_its_fonts() {
    let world = World::new();
    let path = world.bar();
    assert!(svg(&world, &path, "?download=1").text.contains("@font-face"));
    assert!(!svg(&world, &path, "?download=1&text=letters").text.contains("@font-face"));
    let document = world.get(&format!("{path}?include_download_url=svg"));
    let address = super::path(document["download_url"].as_str().unwrap());
    let file = world.nobody("GET", address);
    assert_eq!(file.status, 200, "{}", file.text);
    assert!(file.text.contains("@font-face"), "{}", file.text);
    let version = world.ann("GET", &format!("{path}/history/1.svg?text=outlines"), "");
    assert!(version.status == 200 && !version.text.contains("<text"), "{}", version.text);
}

#[test]
fn a_draft_is_drawn_with_the_text_that_is_asked_for() {
    let world = World::new();
    let draft = json!({ "plugin_id": "bar", "data": [{ "label": "North", "value": 3 }] });
    let post =
        |query: &str| world.ann("POST", &format!("/api/v1/render{query}"), &draft.to_string());
    assert!(post("").text.contains("<text"));
    assert!(!post("?text=outlines").text.contains("<text"));
    assert!(post("?text=embedded").text.contains("@font-face"));
    let page = post("?format=html&text=outlines").text;
    assert!(!page.contains("<text") && !page.contains("@font-face{"), "{page}");
    assert_eq!(post("?text=no").status, 400);
}

#[test]
fn a_page_stands_by_itself_and_its_policy_allows_only_what_is_in_it() {
    let world = World::new();
    let path = world.bar();
    let plain = world.ann("GET", &format!("{path}.html"), "");
    assert!(!plain.text.contains("@font-face{"), "what is looked at costs no cut fonts");
    let page = world.ann("GET", &format!("{path}.html?text=embedded"), "");
    let text = &page.text;
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.ends_with("frame-ancestors *") && !policy.contains("unsafe"), "{policy}");
    let styles = between(text, "<style>", "</style>");
    let scripts = between(text, "<script>", "</script>");
    assert_eq!((styles.len(), scripts.len()), (2, 1));
    assert!(styles.iter().chain(&scripts).all(|it| policy.contains(&hash(it))));
    assert!(styles[1].contains("@font-face{font-family:'Noto Sans'"), "{}", styles[1]);
    assert_eq!(page.header("x-frame-options"), "");
    // XML namespaces look like addresses, but nothing is loaded from them.
    let loads = text.replace("http://www.w3.org/", "");
    for odd in ["http://", "https://", "src=", " href=", "@import", "style=\"", "onclick"] {
        assert!(!loads.contains(odd), "{odd}");
    }
    assert!(text.contains("<button type=\"button\" popovertarget=\"data\">Data</button>"));
    assert!(text.contains("<section id=\"data\" popover"));
    assert!(text.contains("data-part=\"bar\" data-row=\"0\""), "{text}");
    assert!(text.contains("<caption") && text.contains("<th scope=\"col\">Label</th>"));
}

#[test]
fn the_table_of_a_page_has_numbers_in_form_and_a_bound() {
    let world = World::new();
    let path = world.bar();
    let record = |it: i32| json!({ "label": format!("Row {it}"), "value": 1234.5 * f64::from(it) });
    let data: Vec<Value> = (0..1003).map(record).collect();
    let settings =
        json!({ "locale": "de", "rulesets": { "value": { "suffix": " €", "decimals": 2 } } });
    let put = json!({ "title": "Umsatz", "settings": settings, "data": data }).to_string();
    assert_eq!(world.ann("PUT", &path, &put).status, 200);
    let page = world.ann("GET", &format!("{path}.html"), "").text;
    assert!(page.contains("<html lang=\"de\">") && page.contains("<title>Umsatz</title>"));
    let row = "<tr><th scope=\"row\">Row 2</th><td class=\"n\">2.469,00 €</td></tr>";
    assert!(page.contains(row), "{}", &page[page.find("<table").unwrap()..][..600]);
    assert!(page.contains("<p>The first 1000 of 1003 records.</p>"));
    assert_eq!(page.matches("<th scope=\"row\">").count(), 1000);

    let put = json!({ "title": "Nothing", "data": [] }).to_string();
    assert_eq!(world.ann("PUT", &path, &put).status, 200);
    let page = world.ann("GET", &format!("{path}.html"), "").text;
    assert!(!page.contains("<button") && page.contains("<svg"), "no records, no button");
}

#[test]
fn the_policy_of_a_page_lets_a_logo_through() {
    let world = World::new();
    let path = world.bar();
    let png = {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[200; 12]).unwrap();
        STANDARD.encode(bytes)
    };
    let theme = json!({ "logo": format!("data:image/png;base64,{png}") });
    let put = json!({ "title": "T", "custom_theme": theme }).to_string();
    assert_eq!(world.ann("PUT", &path, &put).status, 200);
    let page = world.ann("GET", &format!("{path}.html"), "");
    assert!(page.text.contains("data:image/png;base64,"), "{}", page.text);
    assert!(page.header("content-security-policy").contains("img-src data:"));
}
