//! Tests of the text modes of rendered images and of the standalone page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_platform::crypto::sha256;
use serde_json::Value;
use serde_json::json;

use super::DocumentFixture;
use crate::test_server::Response;

/// Returns the SVG of a document.
fn get_svg(fixture: &DocumentFixture, path: &str, query: &str) -> Response {
    let response = fixture.send_as_ann("GET", &format!("{path}.svg{query}"), "");
    assert_eq!(response.status, 200, "{query}: {}", response.text);
    response
}

/// Returns the texts between each pair of an opening and a closing tag.
fn texts_between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|part| part.split_once(close).map(|pair| pair.0)).collect()
}

/// Returns the hash source of a script or a style in a content security policy.
fn csp_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(sha256(text.as_bytes())))
}

#[test]
fn svg_text_mode_is_letters_outlines_or_embedded_fonts() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let letters = get_svg(&fixture, &path, "");
    assert!(letters.text.contains("<text") && !letters.text.contains("<style"));
    assert_eq!(get_svg(&fixture, &path, "?text=letters").header("etag"), letters.header("etag"));

    let outlines = get_svg(&fixture, &path, "?text=outlines");
    for forbidden in ["<text", "<style", "style=", "@font-face"] {
        assert!(!outlines.text.contains(forbidden), "{forbidden}: {}", outlines.text);
    }
    for part in ["<use xlink:href=\"#g0\"", "<title id=\"t\">", "<desc id=\"d\">"] {
        assert!(outlines.text.contains(part), "{part}: {}", outlines.text);
    }

    let embedded = get_svg(&fixture, &path, "?text=embedded");
    let styles = texts_between(&embedded.text, "<style>", "</style>");
    assert_eq!(styles.len(), 1);
    assert!(styles[0].starts_with("@font-face{font-family:'Noto Sans';"), "{}", styles[0]);
    let policy = embedded.header("content-security-policy");
    assert!(policy.contains(&csp_hash(styles[0])) && policy.contains("font-src data:"), "{policy}");
    for font in texts_between(styles[0], "base64,", ")") {
        let font = STANDARD.decode(font).unwrap();
        assert!(font.starts_with(b"wOF2") && font.len() < 20_000, "{} bytes", font.len());
    }
    let repeated = get_svg(&fixture, &path, "?text=embedded");
    assert_eq!(repeated.text, embedded.text, "the same bytes each time");

    let tags = [&letters, &outlines, &embedded].map(|response| response.header("etag"));
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    let png_tag =
        |query: &str| fixture.send_as_ann("GET", &format!("{path}.png{query}"), "").header("etag");
    assert_eq!(png_tag("?text=outlines"), png_tag(""), "a PNG has no text modes");
    let refused = fixture.send_as_ann("GET", &format!("{path}.svg?text=paths"), "");
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("text: must be letters, outlines or embedded"));
}

#[test]
fn downloaded_svg_embeds_its_fonts() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    assert!(get_svg(&fixture, &path, "?download=1").text.contains("@font-face"));
    assert!(!get_svg(&fixture, &path, "?download=1&text=letters").text.contains("@font-face"));
    let document = fixture.get_json(&format!("{path}?include_download_url=svg"));
    let address = super::url_path(document["download_url"].as_str().unwrap());
    let file = fixture.send_as_guest("GET", address);
    assert_eq!(file.status, 200, "{}", file.text);
    assert!(file.text.contains("@font-face"), "{}", file.text);
    let version = fixture.send_as_ann("GET", &format!("{path}/history/1.svg?text=outlines"), "");
    assert!(version.status == 200 && !version.text.contains("<text"), "{}", version.text);
}

#[test]
fn draft_is_rendered_with_the_requested_text_mode() {
    let fixture = DocumentFixture::new();
    let draft = json!({ "plugin_id": "bar", "data": [{ "label": "North", "value": 3 }] });
    let render = |query: &str| {
        fixture.send_as_ann("POST", &format!("/api/v1/render{query}"), &draft.to_string())
    };
    assert!(render("").text.contains("<text"));
    assert!(!render("?text=outlines").text.contains("<text"));
    assert!(render("?text=embedded").text.contains("@font-face"));
    let page = render("?format=html&text=outlines").text;
    assert!(!page.contains("<text") && !page.contains("@font-face{"), "{page}");
    assert_eq!(render("?text=no").status, 400);
}

#[test]
fn standalone_page_loads_nothing_and_has_a_strict_policy() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let without_fonts = fixture.send_as_ann("GET", &format!("{path}.html"), "");
    assert!(!without_fonts.text.contains("@font-face{"), "a displayed page embeds no fonts");
    let page = fixture.send_as_ann("GET", &format!("{path}.html?text=embedded"), "");
    let text = &page.text;
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.ends_with("frame-ancestors *") && !policy.contains("unsafe"), "{policy}");
    let styles = texts_between(text, "<style>", "</style>");
    let scripts = texts_between(text, "<script>", "</script>");
    assert_eq!((styles.len(), scripts.len()), (2, 1));
    assert!(styles.iter().chain(&scripts).all(|text| policy.contains(&csp_hash(text))));
    assert!(styles[1].contains("@font-face{font-family:'Noto Sans'"), "{}", styles[1]);
    assert_eq!(page.header("x-frame-options"), "");
    // XML namespaces look like addresses, but nothing is loaded from them.
    let without_namespaces = text.replace("http://www.w3.org/", "");
    for forbidden in ["http://", "https://", "src=", " href=", "@import", "style=\"", "onclick"] {
        assert!(!without_namespaces.contains(forbidden), "{forbidden}");
    }
    assert!(text.contains("<button type=\"button\" popovertarget=\"data\">Data</button>"));
    assert!(text.contains("<section id=\"data\" popover"));
    assert!(text.contains("data-part=\"bar\" data-row=\"0\""), "{text}");
    assert!(text.contains("<caption") && text.contains("<th scope=\"col\">Label</th>"));
}

#[test]
fn table_of_a_page_has_formatted_numbers_and_a_row_limit() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let record = |number: i32| json!({ "label": format!("Row {number}"), "value": 1234.5 * f64::from(number) });
    let data: Vec<Value> = (0..1003).map(record).collect();
    let settings =
        json!({ "locale": "de", "rulesets": { "value": { "suffix": " €", "decimals": 2 } } });
    let put = json!({ "title": "Umsatz", "settings": settings, "data": data }).to_string();
    assert_eq!(fixture.send_as_ann("PUT", &path, &put).status, 200);
    let page = fixture.send_as_ann("GET", &format!("{path}.html"), "").text;
    assert!(page.contains("<html lang=\"de\">") && page.contains("<title>Umsatz</title>"));
    let row = "<tr><th scope=\"row\">Row 2</th><td class=\"n\">2.469,00 €</td></tr>";
    assert!(page.contains(row), "{}", &page[page.find("<table").unwrap()..][..600]);
    assert!(page.contains("<p>The first 1000 of 1003 records.</p>"));
    assert_eq!(page.matches("<th scope=\"row\">").count(), 1000);

    let put = json!({ "title": "Nothing", "data": [] }).to_string();
    assert_eq!(fixture.send_as_ann("PUT", &path, &put).status, 200);
    let page = fixture.send_as_ann("GET", &format!("{path}.html"), "").text;
    assert!(!page.contains("<button") && page.contains("<svg"), "no records, no button");
}

#[test]
fn page_policy_allows_a_logo() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let png = {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[200; 12]).unwrap();
        STANDARD.encode(bytes)
    };
    let theme = json!({ "logo": format!("data:image/png;base64,{png}") });
    let put = json!({ "title": "T", "custom_theme": theme }).to_string();
    assert_eq!(fixture.send_as_ann("PUT", &path, &put).status, 200);
    let page = fixture.send_as_ann("GET", &format!("{path}.html"), "");
    assert!(page.text.contains("data:image/png;base64,"), "{}", page.text);
    assert!(page.header("content-security-policy").contains("img-src data:"));
}
