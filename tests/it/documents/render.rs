//! Drawing what is not stored, and what a picture's reader should know.

use serde_json::Value;
use serde_json::json;

use crate::world::World;

fn draft(settings: Value) -> Value {
    let data = json!([{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }]);
    json!({ "plugin_id": "bar", "title": "Sales", "settings": settings, "data": data })
}

#[test]
fn a_draft_is_drawn_in_the_form_that_is_asked_for() {
    let world = World::new();
    let draft = draft(json!({ "sort": "asc" }));
    let post = |query: &str| world.ann().post(&format!("/api/v1/render{query}"), draft.clone());
    let svg = post("").expect(200);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(svg.text().contains("South") && !svg.text().contains("data-row"), "{}", svg.text());
    let tagged = post("?interactive=1&width=400").expect(200).text();
    for part in ["data-part=\"bar\"", "data-row=\"1\"", "data-field=\"value\"", "width=\"400\""] {
        assert!(tagged.contains(part), "{part}: {tagged}");
    }
    let png = post("?format=png&scale=1").expect(200);
    let reader = png::Decoder::new(std::io::Cursor::new(png.body)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (720, 405));
    let page = post("?format=html").expect(200);
    assert!(page.text().contains("<title>Sales</title>") && page.text().contains("<table>"));
    let by_accept = world.ann().with("accept", "text/plain, image/png;q=0.9");
    let png = by_accept.post("/api/v1/render", draft.clone()).expect(200);
    assert_eq!(png.header("content-type"), "image/png");
    let home = world.ann().get("/api/v1/users/me/list/").expect(200).json();
    assert_eq!(home["count"], 0, "nothing was stored: {home}");
    world.nobody().post("/api/v1/render", draft.clone()).expect(401);
    post("?format=gif").expect(400);
}

#[test]
fn a_bad_setting_refuses_a_draft_and_is_told_of_a_stored_document() {
    let world = World::new();
    let bad = json!({ "orientation": "up", "axis": { "min": "low" }, "own": 7 });
    let refused = world.ann().post("/api/v1/render", draft(bad.clone())).expect(400).json();
    let fields: Vec<&str> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["settings.orientation", "settings.axis.min"], "{refused}");

    let made = world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = made.json()["endpoint"].as_str().unwrap().replace(&world.base, "");
    assert_eq!(world.ann().get(&format!("{path}.svg")).expect(200).header("x-chart-warnings"), "");
    let data = json!([{ "label": "North", "value": 3 }]);
    world.ann().put(&path, json!({ "settings": bad, "data": data })).expect(200);
    for form in ["svg", "png", "png", "html"] {
        let drawn = world.ann().get(&format!("{path}.{form}")).expect(200);
        let told: Vec<String> = serde_json::from_str(drawn.header("x-chart-warnings")).unwrap();
        assert_eq!(told.len(), 2, "{form}: {told:?}");
        assert!(told.iter().any(|it| it.starts_with("settings.axis.min is ignored: ")), "{told:?}");
    }
}

#[test]
fn annotations_keep_to_marks_and_odd_ones_are_refused_or_told() {
    let world = World::new();
    let style = |annotation: Value| json!({ "annotations": [annotation] });
    let with = |style: Value| {
        let mut draft = draft(json!({}));
        draft["style"] = style;
        draft
    };
    let note = json!({ "type": "arrow", "anchor": { "label": "South" }, "text": "Less" });
    let post = |style: Value| world.ann().post("/api/v1/render", with(style));
    let svg = post(style(note)).expect(200);
    assert!(svg.text().contains(">Less</text>") && !svg.text().contains("data-row"));
    let lost = json!({ "type": "text", "anchor": { "label": "West" }, "text": "More" });
    let told = post(style(lost.clone())).expect(200);
    let want = "style.annotations[0] is omitted because its mark is not drawn.";
    assert!(
        told.header("x-chart-warnings").contains(want),
        "{:?}",
        told.header("x-chart-warnings")
    );
    let odd = json!({ "type": "text", "anchor": { "field": "value" }, "text": "Odd" });
    let refused = post(style(odd.clone())).expect(400).json();
    assert_eq!(refused["errors"][0]["field"], "style.annotations[0].anchor", "{refused}");

    let made = world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = made.json()["endpoint"].as_str().unwrap().replace(&world.base, "");
    world.ann().put(&path, with(style(odd))).expect(200);
    let drawn = world.ann().get(&format!("{path}.svg")).expect(200);
    let want = "style.annotations[0].anchor is ignored: must have row or label";
    assert!(drawn.header("x-chart-warnings").contains(want));
}

#[test]
fn a_custom_theme_brings_its_logo_and_says_what_it_lacks() {
    let world = World::new();
    let logo =
        "data:image/svg+xml,<svg viewBox='0 0 9 9'><rect width='9' height='9' fill='red'/></svg>";
    let mut with = draft(json!({}));
    with["custom_theme"] = json!({ "logo": logo, "fonts": { "title": { "family": "Own" } } });
    let svg = world.ann().post("/api/v1/render", with.clone()).expect(200);
    assert!(svg.text().contains("\"#f00\"") && svg.text().contains("<clipPath"), "{}", svg.text());
    let want = "There is no font family \\\"Own\\\" for fonts.title.";
    assert!(svg.header("x-chart-warnings").contains(want), "{}", svg.header("x-chart-warnings"));
    with["style"] = json!({ "no_branding": true });
    assert!(!world.ann().post("/api/v1/render", with).expect(200).text().contains("\"#f00\""));
}
