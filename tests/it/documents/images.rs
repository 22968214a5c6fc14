//! Tests of rendered images of documents: formats, options, entity tags and access.

use serde_json::json;

use super::DocumentFixture;

#[test]
fn document_renders_as_svg_png_pdf_and_page() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let svg =
        fixture.send_as_ann("GET", &format!("{path}.svg?width=500&height=300&theme=dark"), "");
    assert_eq!(svg.status, 200, "{}", svg.text);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert_eq!(svg.header("cache-control"), "private, no-cache");
    assert!(svg.text.starts_with("<svg xmlns"), "{}", svg.text);
    assert!(svg.text.contains("width=\"500\" height=\"300\""));
    let png = fixture.send_as_ann("GET", &format!("{path}.png?scale=0.5"), "");
    assert_eq!(png.status, 200, "{}", png.text);
    assert_eq!(png.header("content-type"), "image/png");
    let page = fixture.send_as_ann("GET", &format!("{path}.html"), "");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").contains("frame-ancestors *"));
    assert!(page.text.contains("<svg xmlns") && page.text.contains("<th scope=\"row\">North</th>"));
    let pdf = fixture.send_as_ann("GET", &format!("{path}.pdf?width=500&height=300"), "");
    assert_eq!(pdf.status, 200, "{}", pdf.text);
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert_eq!(pdf.header("cache-control"), "private, no-cache");
    assert!(pdf.header("content-security-policy").contains("object-src 'self'"));
    assert!(pdf.text.starts_with("%PDF-1.7"), "{}", pdf.text);
    assert!(pdf.text.contains("/MediaBox [0 0 500 300]"), "{}", pdf.text);
    let file = fixture.send_as_ann("GET", &format!("{path}.pdf?download=1"), "");
    assert!(file.header("content-disposition").contains(".pdf\"; filename*="));
    let file = fixture.send_as_ann("GET", &format!("{path}.svg?download=1"), "");
    assert!(file.header("content-disposition").starts_with("attachment; filename=\""));
    let thumbnail = fixture.send_as_ann("GET", &format!("{path}/thumbnail.png"), "");
    assert_eq!(thumbnail.status, 200, "{}", thumbnail.text);
}

#[test]
fn invalid_image_options_name_the_parameter() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let check = |query: &str, expected: &str| {
        let response = fixture.send_as_ann("GET", &format!("{path}.png?{query}"), "");
        assert_eq!(response.status, 400, "{query}");
        assert!(response.text.starts_with(expected), "{query}: {}", response.text);
    };
    check("width=4097", "width: ");
    check("width=x", "width: ");
    check("height=0", "height: ");
    check("height=NaN", "height: ");
    check("scale=5", "scale: ");
    check("width=4096&scale=3", "scale: results in more than 8192 pixels");
    check("theme=neon", "theme: ");
    check("transparent=maybe", "transparent: ");
    check("history_version=7", "history_version: ");
}

#[test]
fn nearly_equal_sizes_share_an_image() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let tag = |query: &str| {
        let response = fixture.send_as_ann("GET", &format!("{path}.{query}"), "");
        assert_eq!(response.status, 200, "{query}: {}", response.text);
        response.header("etag")
    };
    let usual = tag("png?width=500&height=300&scale=1");
    assert_eq!(tag("png?width=500.3&height=299.51&scale=1.004"), usual);
    assert_ne!(tag("png?width=501&height=300&scale=1"), usual);
    assert_ne!(tag("png?width=500&height=300&scale=1.01"), usual);
    // An SVG has no pixels.
    assert_eq!(tag("svg?scale=1.5"), tag("svg"));
    assert_eq!(tag("html?scale=1.5"), tag("html"));
    assert_eq!(tag("pdf?scale=1.5&text=outlines"), tag("pdf"));
    assert_ne!(tag("pdf?transparent=1"), tag("pdf"));
    assert_ne!(tag("pdf"), tag("svg"));
    let sized = fixture.send_as_ann("GET", &format!("{path}.svg?width=500.3"), "");
    assert!(sized.text.contains("width=\"500\""), "{}", sized.text);
}

#[test]
fn api_description_lists_413_for_images() {
    let fixture = DocumentFixture::new();
    let description = fixture.send_as_guest("GET", "/api/v1/openapi.json").json();
    let paths = description["paths"].as_object().unwrap();
    let suffixes = ["{doc}", "{doc}.svg", "{doc}.pdf", "{doc}.html"];
    for suffix in suffixes.into_iter().chain(["{n}.png", "{n}/diff", "thumbnail.png"]) {
        let path = format!(
            "/users/{{user_id}}/documents/{}",
            match suffix {
                "{n}.png" | "{n}/diff" => format!("{{doc}}/history/{suffix}"),
                "thumbnail.png" => format!("{{doc}}/{suffix}"),
                _ => suffix.to_owned(),
            }
        );
        let (_, operations) = paths.iter().find(|(key, _)| key.ends_with(&path)).unwrap();
        assert!(operations["get"]["responses"]["413"].is_object(), "{path}");
    }
    let pdf = paths.iter().find(|(key, _)| key.ends_with("{doc}/history/{n}.pdf")).unwrap().1;
    assert!(pdf["get"]["responses"]["200"]["content"]["application/pdf"].is_object(), "{pdf}");
}

#[test]
fn image_entity_tags_change_with_the_document() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    for format in ["svg", "png", "pdf", "html"] {
        let address = format!("{path}.{format}");
        let tag = fixture.send_as_ann("GET", &address, "").header("etag");
        let status_with_tag = |tag: &str| {
            let headers = [("authorization", fixture.ann_auth.as_str()), ("if-none-match", tag)];
            fixture.server.send("GET", &address, &headers, "").status
        };
        assert_eq!(status_with_tag(&tag), 304, "{format}");
        assert_eq!(status_with_tag("\"other\""), 200);
        assert_ne!(
            fixture.send_as_ann("GET", &format!("{address}?width=300"), "").header("etag"),
            tag
        );
        fixture.send_as_ann("PATCH", &path, &json!({ "title": format }).to_string());
        assert_eq!(status_with_tag(&tag), 200, "{format} after a change");
    }
}

#[test]
fn download_url_opens_one_image_format() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let document = fixture.get_json(&format!("{path}?include_download_url=svg&transparent=1"));
    assert_eq!(document["background_color"], "#ffffff");
    assert_eq!(document.get("background_svg"), None, "a plain color");
    assert!(document["download_url_expires_at"].is_string());
    let address = super::url_path(document["download_url"].as_str().unwrap()).to_owned();
    let image = fixture.send_as_guest("GET", &address);
    assert_eq!(image.status, 200, "{}", image.text);
    let opaque = fixture.send_as_ann("GET", &format!("{path}.svg"), "").text;
    assert!(
        opaque.contains("<rect width=\"100%\"") && !image.text.contains("<rect width=\"100%\"")
    );
    assert_eq!(fixture.send_as_guest("GET", &address.replace(".svg", ".png")).status, 401);
    assert_eq!(fixture.send_as_guest("GET", &format!("{address}x")).status, 401);
    assert_eq!(
        fixture.send_as_ann("GET", &format!("{path}?include_download_url=gif"), "").status,
        400
    );

    fixture.server.execute_sql("update user set disabled = 1 where username = 'ann'");
    assert_eq!(fixture.send_as_guest("GET", &address).status, 401);
    fixture.server.execute_sql("update user set disabled = 0 where username = 'ann'");
    assert_eq!(fixture.send_as_guest("GET", &address).status, 200);
    fixture.server.execute_sql("delete from node");
    assert_eq!(fixture.send_as_guest("GET", &address).status, 401);
}

#[test]
fn theme_background_is_rendered_unless_transparent() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let default_background = fixture.get_json(&format!("{path}?transparent=1"));
    assert_eq!(default_background["background_color"], "#ffffff");
    assert_eq!(default_background.get("background_svg"), None, "there is only a color");

    let background_svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 405' onload='alert(1)'>\
                  <script>alert(2)</script><rect x='10' y='20' width='30' height='40' fill='#123456'/>\
                  <image href='http://192.0.2.1/spy.png' width='9' height='9'/></svg>";
    let theme =
        json!({ "background_color": "rgb(250, 240, 230)", "background_svg": background_svg });
    let put = json!({ "title": "T", "custom_theme": theme });
    assert_eq!(fixture.send_as_ann("PUT", &path, &put.to_string()).status, 200);
    let with_background = fixture.get_json(&format!("{path}?transparent=1"));
    assert_eq!(with_background["background_color"], "#faf0e6");
    let svg = with_background["background_svg"].as_str().unwrap();
    for forbidden in ["script", "alert", "onload", "image", "192.0.2.1"] {
        assert!(!svg.contains(forbidden), "{forbidden}: {svg}");
    }
    let shape = "fill=\"#123456\"";
    assert!(svg.starts_with("<svg ") && svg.contains(shape), "{svg}");
    assert_eq!(with_background["custom_theme"], theme, "the stored theme equals the sent one");
    let get_svg = |query: &str| fixture.send_as_ann("GET", &format!("{path}.svg{query}"), "").body;
    assert!(get_svg("").contains(shape) && get_svg("").contains("fill=\"#faf0e6\""));
    assert!(!get_svg("?transparent=1").contains(shape));
    assert!(!get_svg("").contains("192.0.2.1"));
    let get_png = |query: &str| fixture.send_as_ann("GET", &format!("{path}.png{query}"), "").body;
    assert_ne!(get_png(""), get_png("?transparent=1"));
    assert_eq!(fixture.get_json(&path).get("background_color"), None);
}
