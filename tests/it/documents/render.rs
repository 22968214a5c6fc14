//! Tests of rendering drafts, and of warnings about rendered images.

use serde_json::Value;
use serde_json::json;

use crate::server_process::ServerProcess;

/// Returns a draft of a bar chart with settings.
fn draft_body(settings: Value) -> Value {
    let data = json!([{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }]);
    json!({ "plugin_id": "bar", "title": "Sales", "settings": settings, "data": data })
}

#[test]
fn draft_is_rendered_in_the_requested_format() {
    let server = ServerProcess::new();
    let draft = draft_body(json!({ "sort": "asc" }));
    let render = |query: &str| server.ann().post(&format!("/api/v1/render{query}"), draft.clone());
    let svg = render("").expect(200);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(svg.text().contains("South") && !svg.text().contains("data-row"), "{}", svg.text());
    let interactive = render("?interactive=1&width=400").expect(200).text();
    for part in ["data-part=\"bar\"", "data-row=\"1\"", "data-field=\"value\"", "width=\"400\""] {
        assert!(interactive.contains(part), "{part}: {interactive}");
    }
    let png = render("?format=png&scale=1").expect(200);
    let reader = png::Decoder::new(std::io::Cursor::new(png.body)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (720, 405));
    let page = render("?format=html").expect(200);
    assert!(page.text().contains("<title>Sales</title>") && page.text().contains("<table>"));
    let by_accept = server.ann().with_header("accept", "text/plain, image/png;q=0.9");
    let png = by_accept.post("/api/v1/render", draft.clone()).expect(200);
    assert_eq!(png.header("content-type"), "image/png");
    let home = server.ann().get("/api/v1/users/me/list/").expect(200).json();
    assert_eq!(home["count"], 0, "nothing was stored: {home}");
    server.guest().post("/api/v1/render", draft.clone()).expect(401);
    render("?format=gif").expect(400);
}

#[test]
fn invalid_setting_rejects_a_draft_but_only_warns_for_a_stored_document() {
    let server = ServerProcess::new();
    let invalid = json!({ "orientation": "up", "axis": { "min": "low" }, "own": 7 });
    let refused =
        server.ann().post("/api/v1/render", draft_body(invalid.clone())).expect(400).json();
    let fields: Vec<&str> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["settings.orientation", "settings.axis.min"], "{refused}");

    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = created.json()["endpoint"].as_str().unwrap().replace(&server.base_url, "");
    assert_eq!(server.ann().get(&format!("{path}.svg")).expect(200).header("x-chart-warnings"), "");
    let data = json!([{ "label": "North", "value": 3 }]);
    server.ann().put(&path, json!({ "settings": invalid, "data": data })).expect(200);
    for format in ["svg", "png", "png", "html"] {
        let rendered = server.ann().get(&format!("{path}.{format}")).expect(200);
        let warnings: Vec<String> =
            serde_json::from_str(rendered.header("x-chart-warnings")).unwrap();
        assert_eq!(warnings.len(), 2, "{format}: {warnings:?}");
        assert!(
            warnings.iter().any(|warning| warning.starts_with("settings.axis.min is ignored: ")),
            "{warnings:?}"
        );
    }
}

#[test]
fn a_chart_of_a_program_has_no_language_whatever_the_program_prefers() {
    let server = ServerProcess::new();
    let client = server.ann().with_header("accept-language", "de-AT,de;q=0.9");
    let created = client.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = created.json()["endpoint"].as_str().unwrap().replace(&server.base_url, "");
    assert_eq!(server.ann().get(&path).json()["settings"]["locale"], Value::Null);
}

#[test]
fn invalid_annotation_rejects_a_draft_but_only_warns_for_a_stored_document() {
    let server = ServerProcess::new();
    let style = |annotation: Value| json!({ "annotations": [annotation] });
    let draft_with_style = |style: Value| {
        let mut draft = draft_body(json!({}));
        draft["style"] = style;
        draft
    };
    let note = json!({ "type": "arrow", "anchor": { "label": "South" }, "text": "Less" });
    let render_style = |style: Value| server.ann().post("/api/v1/render", draft_with_style(style));
    let svg = render_style(style(note)).expect(200);
    assert!(svg.text().contains(">Less</text>") && !svg.text().contains("data-row"));
    let without_mark = json!({ "type": "text", "anchor": { "label": "West" }, "text": "More" });
    let rendered_without_mark = render_style(style(without_mark.clone())).expect(200);
    let expected = "style.annotations[0] is omitted because its mark is not drawn.";
    assert!(
        rendered_without_mark.header("x-chart-warnings").contains(expected),
        "{:?}",
        rendered_without_mark.header("x-chart-warnings")
    );
    let invalid = json!({ "type": "text", "anchor": { "field": "value" }, "text": "Odd" });
    let refused = render_style(style(invalid.clone())).expect(400).json();
    assert_eq!(refused["errors"][0]["field"], "style.annotations[0].anchor", "{refused}");

    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = created.json()["endpoint"].as_str().unwrap().replace(&server.base_url, "");
    server.ann().put(&path, draft_with_style(style(invalid))).expect(200);
    let rendered = server.ann().get(&format!("{path}.svg")).expect(200);
    let expected = "style.annotations[0].anchor is ignored: must have row or label";
    assert!(rendered.header("x-chart-warnings").contains(expected));
}

#[test]
fn custom_theme_renders_its_logo_and_warns_about_missing_fonts() {
    let server = ServerProcess::new();
    let logo =
        "data:image/svg+xml,<svg viewBox='0 0 9 9'><rect width='9' height='9' fill='red'/></svg>";
    let mut themed_draft = draft_body(json!({}));
    themed_draft["custom_theme"] =
        json!({ "logo": logo, "fonts": { "title": { "family": "Own" } } });
    let svg = server.ann().post("/api/v1/render", themed_draft.clone()).expect(200);
    assert!(svg.text().contains("\"#f00\"") && svg.text().contains("<clipPath"), "{}", svg.text());
    let expected = "There is no font family \\\"Own\\\" for fonts.title.";
    assert!(
        svg.header("x-chart-warnings").contains(expected),
        "{}",
        svg.header("x-chart-warnings")
    );
    themed_draft["style"] = json!({ "no_branding": true });
    assert!(
        !server.ann().post("/api/v1/render", themed_draft).expect(200).text().contains("\"#f00\"")
    );
}
