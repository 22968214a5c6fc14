//! Tests of `POST …/data`, `POST /tables/document` and `POST /tables/chart.svg`, which show tables without storing them.

use serde_json::Value;
use serde_json::json;

use super::super::DocumentFixture;
use crate::test_server::Response;

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

impl DocumentFixture {
    /// Sends a form with parts of the name, the media type and the content to `POST /tables/document` as Ann.
    fn fill(&self, query: &str, parts: &[(&str, &str, &str)]) -> Response {
        let headers = [
            ("authorization", self.ann_auth.as_str()),
            ("content-type", "multipart/form-data; boundary=xYz"),
        ];
        let part = |(name, media_type, content): &(&str, &str, &str)| {
            format!(
                "--xYz\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\
                 Content-Type: {media_type}\r\n\r\n{content}\r\n"
            )
        };
        let body = parts.iter().map(part).collect::<String>() + "--xYz--\r\n";
        self.server.send("POST", &format!("/api/v1/tables/document{query}"), &headers, &body)
    }
}

#[test]
fn a_document_in_a_form_is_filled_like_a_stored_one() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "bar" }));
    let document = fixture.get_json(&path).to_string();
    let parts = [("document", "application/json", document.as_str()), ("table", "text/csv", TABLE)];
    let filled = fixture.fill("?fit_height=1", &parts);
    assert_eq!(filled.status, 200, "{}", filled.text);
    let stored = fixture.send_table("POST", &format!("{path}/data?fit_height=1"), TABLE).json();
    assert_eq!(filled.json(), stored);
    assert_eq!(stored["title"], "", "the title of the sample is removed");
    // Changes that are not stored yet stay.
    let mut unsaved: Value = serde_json::from_str(&document).unwrap();
    unsaved["title"] = json!("Own title");
    unsaved["settings"]["locale"] = json!("de");
    let text = unsaved.to_string();
    let table = "Monat;Umsatz\nJanuar;1.200\n";
    let parts = [("document", "application/json", &*text), ("table", "text/csv", table)];
    let filled = fixture.fill("", &parts).json();
    assert_eq!(
        (&filled["title"], &filled["settings"]["locale"]),
        (&json!("Own title"), &json!("de"))
    );
    assert_eq!(filled["data"], json!([{ "label": "Januar", "value": 1200 }]));
    // A document without settings gets those of its kind.
    let parts = [
        ("document", "application/json", r#"{"plugin_id":"donut"}"#),
        ("table", "text/csv", TABLE),
    ];
    let filled = fixture.fill("", &parts).json();
    let kind = fixture.get_json("/api/v1/widgets/donut");
    assert_eq!(filled["settings"]["innerRadius"], kind["default_settings"]["innerRadius"]);
    assert_eq!(filled["data"][1], json!({ "label": "Februar", "value": 980 }));
}

#[test]
fn mistakes_in_the_form_of_a_document_name_their_field() {
    let fixture = DocumentFixture::new();
    let (bar, rows) = (r#"{"plugin_id":"bar"}"#, ("table", "text/csv", TABLE));
    let json_part = |text| ("document", "application/json", text);
    for (query, parts, field) in [
        ("", vec![rows], "document"),
        ("", vec![json_part(bar)], "table"),
        ("", vec![json_part("{"), rows], "body"),
        ("", vec![json_part(r#"{"plugin_id":"spiral"}"#), rows], "plugin_id"),
        ("", vec![json_part(r#"{"plugin_id":"bar","settings":[]}"#), rows], "settings"),
        ("", vec![json_part(r#"{"plugin_id":"bar","style":{"width":"x"}}"#), rows], "style.width"),
        ("", vec![json_part(r#"{"plugin_id":"bar","theme":"pink"}"#), rows], "theme"),
        ("", vec![json_part(bar), ("table", "image/png", "\u{1}")], "body"),
        ("?mapping=all", vec![json_part(bar), rows], "mapping"),
        ("?sheet=Two", vec![json_part(bar), rows], "sheet"),
    ] {
        let refused = fixture.fill(query, &parts);
        assert_eq!(refused.status, 400, "{query} {parts:?}: {}", refused.text);
        assert!(
            refused.text.starts_with(&format!("{field}: ")),
            "{query} {parts:?}: {}",
            refused.text
        );
    }
    let headers = [("authorization", fixture.ann_auth.as_str()), ("content-type", "text/csv")];
    let no_form = fixture.server.send("POST", "/api/v1/tables/document", &headers, TABLE);
    assert_eq!(no_form.status, 415, "{}", no_form.text);
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

#[test]
fn own_data_remove_the_texts_of_the_sample_of_every_kind() {
    let fixture = DocumentFixture::new();
    let kinds = fixture.get_json("/api/v1/portfolio/search?limit=100&query=");
    let ids = kinds["ids"].as_array().unwrap();
    assert!(ids.len() > 50, "{kinds}");
    for id in ids {
        let sample = fixture.get_json(&format!("/api/v1/widgets/{}", id.as_str().unwrap()));
        let mut document = sample["sample"].clone();
        document["plugin_id"] = id.clone();
        document["data"] = sample["sample_data"].clone();
        let document = document.to_string();
        let table = ("table", "text/csv", "Name;Menge;Preis\nA;17;3\nB;21;4\n");
        let filled = fixture.fill("", &[("document", "application/json", &document), table]);
        assert_eq!(filled.status, 200, "{}", filled.text);
        let filled = filled.json();
        assert_eq!(filled["title"], "", "{}", sample["slug"]);
        for member in ["subtitle", "footer"] {
            let is_left = filled["style"].get(member).is_some();
            assert!(!is_left, "{member} of {}", sample["slug"]);
        }
    }
}

#[test]
fn a_table_without_headings_keeps_its_first_row() {
    let fixture = DocumentFixture::new();
    let fill = |table: &str, media_type: &str| {
        let document = ("document", "application/json", r#"{"plugin_id":"bar"}"#);
        fixture.fill("", &[document, ("table", media_type, table)]).json()
    };
    let months = fill("Jänner\t120\nFebruar\t130\nMärz\t140\n", "text/csv");
    assert_eq!(months["table"]["header_row"], 0);
    assert_eq!(months["data"][0], json!({ "label": "Jänner", "value": 120 }));
    assert_eq!(months["settings"]["axis"]["title"], Value::Null, "no title of the axis");
    let decimals = fill("Wien\t5,5\nGraz\t6,1\n", "text/csv");
    assert_eq!(decimals["data"][0], json!({ "label": "Wien", "value": 5.5 }));
    let list = fill("20\n22\n24\n25\n", "text/csv");
    assert_eq!(list["data"].as_array().unwrap().len(), 4);
    let html = "<table><tr><td>Wien<td>5,5<tr><td>Graz<td>6,1</table>";
    assert_eq!(fill(html, "text/html")["data"][0], json!({ "label": "Wien", "value": 5.5 }));
    // The parameter `header` of RFC 4180 decides.
    let named = fill("Jänner\t120\nFebruar\t130\n", "text/csv; header=present");
    assert_eq!(named["data"], json!([{ "label": "Februar", "value": 130 }]));
    let bare = fill("Land;2023\nA;5\n", "text/csv; header=absent");
    assert_eq!(bare["data"][0]["label"], "Land");
}
