//! Tests of `POST …/data` and `POST /tables/chart.svg`, which show tables without storing them.

use serde_json::json;

use super::super::DocumentFixture;

const TABLE: &str = "Monat;Umsatz\nJanuar;1.200,5\nFebruar;980\n";

#[test]
fn a_preview_has_the_content_that_a_save_stores_and_stores_nothing() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "bar" }));
    let before = fixture.get_json(&path);
    let preview = fixture.send_table("POST", &format!("{path}/data"), TABLE);
    assert_eq!(preview.status, 200, "{}", preview.text);
    let preview = preview.json();
    assert_eq!(preview["data"][0], json!({ "label": "Januar", "value": 1200.5 }));
    assert_eq!(preview["title"], "", "the title of the sample is removed");
    assert_eq!(fixture.get_json(&path), before);
    assert_eq!(fixture.send_table("PUT", &format!("{path}/data"), TABLE).status, 200);
    let stored = fixture.get_json(&path);
    for member in ["title", "settings", "style", "data"] {
        assert_eq!(preview[member], stored[member], "{member}");
    }
}

#[test]
fn a_preview_for_another_kind_maps_the_table_to_its_columns() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "bar" }));
    let table = "Month,Shops,Online\nJan,12,7\nFeb,14,9\n";
    let preview = fixture.send_table("POST", &format!("{path}/data?kind=grouped-column"), table);
    assert_eq!(preview.status, 200, "{}", preview.text);
    let preview = preview.json();
    assert_eq!(preview["data"][1], json!({ "label": "Feb", "Shops": 14, "Online": 9 }));
    let series = preview["settings"]["series"].as_array().unwrap();
    assert_eq!(series.len(), 2);
    assert_eq!(preview["settings"]["mode"], "grouped", "the settings are those of the kind");
    assert_eq!(fixture.get_json(&path)["settings"].get("mode"), None);
    let unknown = fixture.send_table("POST", &format!("{path}/data?kind=spiral"), table);
    assert_eq!(unknown.status, 400);
    assert!(unknown.text.contains("kind: there is no such chart kind"), "{}", unknown.text);
}

#[test]
fn a_table_is_drawn_as_a_chart_of_each_kind_that_is_requested() {
    let fixture = DocumentFixture::new();
    let draw = |query: &str, table: &str| {
        fixture.send_table("POST", &format!("/api/v1/tables/chart.svg{query}"), table)
    };
    let best = draw("?title=Sales&width=400", TABLE);
    assert_eq!((best.status, &*best.header("content-type")), (200, "image/svg+xml"));
    for text in ["Sales", "Januar", "width=\"400\""] {
        assert!(best.text.contains(text), "{text}: {}", best.text);
    }
    let donut = draw("?kind=donut&theme=dark", TABLE);
    assert!(donut.text.contains("Donut chart") && donut.text.contains("Februar"));
    for (query, field) in
        [("?kind=spiral", "kind"), ("?theme=pink", "theme"), ("?width=5", "width")]
    {
        let refused = draw(query, TABLE);
        assert_eq!(refused.status, 400, "{query}: {}", refused.text);
        assert!(refused.text.contains(&format!("{field}: ")), "{}", refused.text);
    }
}
