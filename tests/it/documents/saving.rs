//! Tests of PUT, add-record and CSV: stored content and refused content.

use serde_json::Value;
use serde_json::json;

use super::DocumentFixture;

#[test]
fn put_resets_omitted_fields_except_style_and_custom_theme() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let before = fixture.get_json(&path);
    let put = fixture.send_as_ann("PUT", &path, r#"{"title":"New"}"#);
    assert_eq!(put.status, 200, "{}", put.text);
    let put = put.json();
    assert_eq!(put["path"], "/New");
    assert_eq!(put["urls"], before["urls"]);
    let after = fixture.get_json(&path);
    assert_eq!(put["timestamp"], after["updated"]);
    assert_eq!(after["title"], "New");
    assert_eq!(after["settings"], json!({}));
    assert_eq!(after["data"], json!([]));
    assert_eq!(after["theme"], "");
    assert_eq!(after["style"], before["style"]);
    assert_eq!(after["plugin_id"], before["plugin_id"]);
    assert_eq!(after["history_version"], 2);
    assert_eq!(after["updated_by"], fixture.ann_id.as_str());
    fixture.send_as_ann(
        "PUT",
        &path,
        r##"{"custom_theme":{"background_color":"#123456"},"style":null}"##,
    );
    let after = fixture.get_json(&path);
    assert_eq!(after["style"], Value::Null);
    assert_eq!(after["custom_theme"]["background_color"], "#123456");
    fixture.send_as_ann("PUT", &path, r#"{"custom_theme":null}"#);
    assert_eq!(fixture.get_json(&path)["custom_theme"], Value::Null);
}

#[test]
fn json_values_keep_their_exact_text() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let body = r#"{ "title": "Numbers", "settings": {"b": 1.10, "a": [1e3, -0.0]}, "data": [
        {"value": 12345678901234567890.10, "label": "\u00e9\ud83d\ude00", "own": {"x": null}}, {}
    ], "style": {"own": 1.0, "width": 400.50}, "custom_theme": {"z": 2.0} }"#;
    assert_eq!(fixture.send_as_ann("PUT", &path, body).status, 200);
    let text = fixture.send_as_ann("GET", &path, "").text;
    for part in [
        r#""settings":{"b":1.10,"a":[1e3,-0.0]}"#,
        r#""data":[{"value":12345678901234567890.10,"label":"é😀","own":{"x":null}},{}]"#,
        r#""style":{"own":1.0,"width":400.50}"#,
        r#""custom_theme":{"z":2.0}"#,
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn put_of_an_unchanged_response_changes_nothing() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "bar", "folder": "/A" }));
    fixture.send_as_ann("POST", &format!("{path}/add-record"), r#"{"label":"X","value":1}"#);
    let read = fixture.send_as_ann("GET", &path, "");
    for body in [read.text.clone(), serde_json::to_string_pretty(&read.json()).unwrap()] {
        let put = fixture.send_as_ann("PUT", &path, &body);
        assert_eq!(put.status, 200, "{}", put.text);
        // The tag of a GET response has one part more, for the folders above.
        let revision_part = |tag: &str| tag.split(['+', '"']).nth(1).unwrap().to_owned();
        assert_eq!(revision_part(&put.header("etag")), revision_part(&read.header("etag")));
        assert_eq!(fixture.send_as_ann("GET", &path, "").text, read.text);
    }
}

#[test]
fn put_with_a_version_number_changes_only_the_version() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let before = fixture.get_json(&path);
    assert_eq!(fixture.send_as_ann("PUT", &path, r#"{"version":3,"title":"Lost"}"#).status, 200);
    let after = fixture.get_json(&path);
    assert_eq!(after["version"], 3);
    assert_eq!(after["title"], before["title"]);
    assert_eq!(after["data"], before["data"]);
    fixture.send_as_ann("PUT", &path, r#"{"title":"Whole","version":0}"#);
    assert_eq!(fixture.get_json(&path)["version"], 0);
    assert_eq!(fixture.get_json(&path)["title"], "Whole");
}

#[test]
fn put_can_change_the_chart_kind() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let mut document = fixture.get_json(&path);
    document["plugin_id"] = json!("line");
    assert_eq!(fixture.send_as_ann("PUT", &path, &document.to_string()).status, 200);
    let after = fixture.get_json(&path);
    assert_ne!(after["plugin_id"], json!("line"));
    assert_eq!(fixture.get_json("/api/v1/widgets/line")["id"], after["plugin_id"]);
    assert_eq!(after["data"], document["data"]);
}

#[test]
fn invalid_put_names_the_field_and_changes_nothing() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let check = |body: &str, expected: &str| {
        let text = fixture.expect_put_refused(&path, body);
        assert!(text.starts_with(expected), "{body}: {text}");
    };
    check(r#"{"title":5}"#, "title: ");
    check(r#"{"title":["x"]}"#, "title: ");
    check(
        &json!({ "title": "x".repeat(501) }).to_string(),
        "title: must have at most 500 characters",
    );
    check(r#"{"settings":[]}"#, "settings: must be an object");
    check(r#"{"settings":"x"}"#, "settings: must be an object");
    check(r#"{"data":{}}"#, "data: must be an array of objects");
    check(r#"{"data":[{},{},{},7]}"#, "data[3]: must be an object");
    check(r#"{"data":[{"a":"\ud800"}]}"#, "data[0]: contains an unpaired surrogate escape");
    check(r#"{"data":[{"a":1e999}]}"#, "data[0]: contains a number that is out of range");
    check(r#"{"theme":"neon"}"#, "theme: there is no theme named \"neon\"");
    check(r#"{"theme":1}"#, "theme: ");
    check(r#"{"custom_theme":1}"#, "custom_theme: must be an object");
    check(r#"{"style":{"margin":{"top":"x"}}}"#, "style.margin.top: ");
    check(r#"{"isPublic":"yes"}"#, "isPublic: ");
    check(r#"{"version":"1"}"#, "version: ");
    check(r#"{"version":-1}"#, "version: must not be negative");
    check(r#"{"plugin_id":"nothing"}"#, "plugin_id: there is no chart kind");
    check(r#"{"owner":"ben"}"#, "owner: ");
    check("", "body: must be a JSON object");
    check("[]", "body: ");
    check("{", "body: ");
    check("nonsense", "body: ");
    let deep = format!(r#"{{"settings":{{"a":{}{}}}}}"#, "[".repeat(70), "]".repeat(70));
    check(&deep, "body: must not be nested deeper than 64 levels");
}

#[test]
fn stale_if_match_is_rejected() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let original_tag = fixture.send_as_ann("GET", &path, "").header("etag");
    let send_if_match = |tag: &str, method: &str, body: &str| {
        let headers = [("authorization", fixture.ann_auth.as_str()), ("if-match", tag)];
        fixture.server.send(method, &path, &headers, body)
    };
    let saved = send_if_match(&original_tag, "PUT", r#"{"title":"One"}"#);
    assert_eq!(saved.status, 200, "{}", saved.text);
    assert_ne!(saved.header("etag"), original_tag);
    for (method, body) in [("PUT", "{}"), ("PATCH", r#"{"title":"Two"}"#), ("DELETE", "")] {
        assert_eq!(send_if_match(&original_tag, method, body).status, 412, "{method}");
    }
    assert_eq!(fixture.get_json(&path)["title"], "One");
    let tag_with_url =
        fixture.send_as_ann("GET", &format!("{path}?include_download_url=png"), "").header("etag");
    assert_ne!(tag_with_url, saved.header("etag"));
    assert_eq!(send_if_match(&tag_with_url, "PATCH", r#"{"title":"Two"}"#).status, 200);
}

#[test]
fn add_record_appends_one_checked_object() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let add = format!("{path}/add-record");
    let before = fixture.get_json(&path)["data"].as_array().unwrap().len();
    assert_eq!(
        fixture.send_as_ann("POST", &add, r#"{"label":"New","value":7.50,"own":true}"#).status,
        204
    );
    let text = fixture.send_as_ann("GET", &path, "").text;
    assert!(text.contains(r#",{"label":"New","value":7.50,"own":true}],"theme""#), "{text}");
    assert_eq!(fixture.get_json(&path)["data"].as_array().unwrap().len(), before + 1);
    let check = |body: &str, expected: &str| {
        let response = fixture.send_as_ann("POST", &add, body);
        assert_eq!(response.status, 400, "{body}");
        assert!(response.text.starts_with(expected), "{body}: {}", response.text);
    };
    check(r#"{"value":"7"}"#, "data.value: must be a number");
    check(r#"{"highlighted":1}"#, "data.highlighted: must be true or false");
    check("[]", "body: must be a JSON object");
    check("7", "data: must be an object");
    check("", "body: must be a JSON object");
    assert_eq!(fixture.get_json(&path)["data"].as_array().unwrap().len(), before + 1);
}

#[test]
fn many_records_come_back_whole_and_in_order() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    fixture.send_as_ann("PUT", &path, r#"{"data":[]}"#);
    for index in 0..300 {
        let record = json!({ "label": format!("Record {index}"), "value": index });
        let added = fixture.send_as_ann("POST", &format!("{path}/add-record"), &record.to_string());
        assert_eq!(added.status, 204, "{}", added.text);
    }
    let data = fixture.get_json(&path)["data"].clone();
    assert_eq!(data.as_array().unwrap().len(), 300);
    assert!((0..300).all(|index| data[index]["value"] == index));
    let mut shorter = data.clone();
    shorter.as_array_mut().unwrap().remove(200);
    fixture.send_as_ann("PUT", &format!("{path}/data"), &shorter.to_string());
    assert_eq!(fixture.get_json(&path)["data"], shorter);
    let records: Vec<&str> = vec!["{}"; 100_000];
    let full = format!("[{}]", records.join(","));
    assert_eq!(fixture.send_as_ann("PUT", &format!("{path}/data"), &full).status, 200);
    let over = fixture.send_as_ann("POST", &format!("{path}/add-record"), "{}");
    assert_eq!(over.status, 400);
    assert!(
        over.text.starts_with("data: already has the maximum of 100000 records"),
        "{}",
        over.text
    );
    let text =
        fixture.expect_put_refused(&path, &format!(r#"{{"data":[{},{{}}]}}"#, records.join(",")));
    assert_eq!(text, "data: has more than 100000 records");
}

#[test]
fn put_accepts_csv_data() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let headers = [("authorization", fixture.ann_auth.as_str()), ("content-type", "text/csv")];
    let table = "Region,Orders\nNorth,\"1,284\"\nSouth,640\n";
    let put = fixture.server.send("PUT", &format!("{path}/data"), &headers, table);
    assert_eq!(put.status, 200, "{}", put.text);
    let document = fixture.get_json(&path);
    assert_eq!(
        document["data"],
        json!([{ "label": "North", "value": 1284 }, { "label": "South", "value": 640 }])
    );
    let invalid = fixture.server.send("PUT", &format!("{path}/data"), &headers, "a,b\n1,2,3\n");
    assert_eq!(
        (invalid.status, invalid.text.as_str()),
        (400, "body: has more cells than columns in line 2")
    );
    assert_eq!(fixture.get_json(&path)["data"], document["data"]);
}

#[test]
fn the_first_own_data_remove_the_texts_and_settings_of_the_sample() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let sample = fixture.get_json(&path);
    let put_data = |data: &Value| {
        let put = fixture.send_as_ann("PUT", &format!("{path}/data"), &data.to_string());
        assert_eq!(put.status, 200, "{}", put.text);
        fixture.get_json(&path)
    };
    assert_eq!(put_data(&sample["data"])["title"], sample["title"], "still the sample");

    let document = put_data(&json!([{ "label": "Own", "value": "95,5" }]));
    assert_eq!(document["title"], "");
    assert_eq!(document["settings"]["sort"], "none", "the default");
    let texts = document.to_string();
    for word in ["subtitle", "footer", "season", "Orders"] {
        assert!(sample.to_string().contains(word) && !texts.contains(word), "{word} in {texts}");
    }
    for key in ["width", "height", "margin"] {
        assert_eq!(document["style"][key], sample["style"][key], "{key}");
    }
    let svg = fixture.send_as_ann("GET", &format!("{path}.svg"), "");
    assert!(svg.text.contains("95.5") && !svg.text.contains("season"), "{}", svg.text);

    let body = json!({
        "title": "Own title",
        "settings": sample["settings"],
        "style": sample["style"],
        "data": [{ "label": "Own", "value": 2 }],
    });
    assert_eq!(fixture.send_as_ann("PUT", &path, &body.to_string()).status, 200);
    let later = put_data(&json!([{ "label": "Own", "value": 3 }]));
    assert_eq!(later["title"], "Own title");
    assert_eq!(later["settings"], sample["settings"], "chosen by the user");
}

#[test]
fn the_text_above_the_first_table_is_the_title() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let table = "Orders by branch;\nSource: own count;\n\nBranch;Orders\nNorth;12\nSouth;9\n";
    let put_table = || {
        let put = fixture.send_table("PUT", &format!("{path}/data"), table);
        assert_eq!(put.status, 200, "{}", put.text);
        assert_eq!(put.json()["table"]["title"], "Orders by branch");
        fixture.get_json(&path)["title"].clone()
    };
    assert_eq!(put_table(), "Orders by branch");
    for title in ["Own title", ""] {
        let patch = json!({ "title": title }).to_string();
        assert_eq!(fixture.send_as_ann("PATCH", &path, &patch).status, 200);
        assert_eq!(put_table(), title, "a title stays as its author left it");
    }
}

#[test]
fn own_data_remove_the_texts_of_the_sample_in_every_request() {
    let fixture = DocumentFixture::new();
    let own = json!([{ "label": "Own", "value": 5 }]);
    let words = ["Orders by sales region", "Sample figures", "season"];
    let assert_no_words = |path: &str, case: &str| {
        let text = fixture.get_json(path).to_string();
        assert!(!words.iter().any(|word| text.contains(word)), "{case}: {text}");
    };
    let send = |method: &str, path: &str, body: &Value| {
        let response = fixture.send_as_ann(method, path, &body.to_string());
        assert!(response.status < 300, "{method} {path}: {}", response.text);
    };

    let path = fixture.create_bar_chart();
    send("PUT", &path, &json!({ "title": "Mine", "data": own }));
    assert_no_words(&path, "replaced document");
    assert_eq!(fixture.get_json(&path)["style"]["width"], 720);

    let path = fixture.create_bar_chart();
    let sample = fixture.get_json(&path);
    let count = sample["data"].as_array().unwrap().len();
    send("POST", &format!("{path}/add-record"), &own[0]);
    assert_no_words(&path, "added record");
    let document = fixture.get_json(&path);
    assert_eq!(document["data"].as_array().unwrap().len(), count + 1);
    assert_eq!((&document["data"][count], &document["title"]), (&own[0], &json!("")));

    let path = fixture.create_bar_chart();
    let mut pie = sample.clone();
    pie["plugin_id"] = json!("pie");
    send("PUT", &path, &pie);
    assert_eq!(fixture.get_json(&path)["title"], sample["title"]);
    send("PUT", &format!("{path}/data"), &own);
    assert_no_words(&path, "another kind");

    let path = fixture.create_bar_chart();
    let mut edited = sample.clone();
    edited["data"][0]["value"] = json!(1300);
    send("PUT", &path, &edited);
    assert_eq!(fixture.get_json(&path)["title"], sample["title"]);
    send("PUT", &format!("{path}/data"), &own);
    assert_no_words(&path, "edited sample");
    assert_eq!(fixture.get_json(&path)["settings"]["sort"], "none");
}

#[test]
fn if_match_with_bytes_outside_ascii_is_still_a_condition() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let before = fixture.send_as_ann("GET", &path, "");
    let put = |if_match: &str| {
        let headers = [
            ("authorization", fixture.ann_auth.as_str()),
            ("content-type", "application/json"),
            ("if-match", if_match),
        ];
        fixture.server.send("PUT", &path, &headers, r#"{"title":"New"}"#).status
    };
    assert_eq!(put("\"é\""), 412);
    assert_eq!(fixture.get_json(&path), before.json());
    assert_eq!(put(&format!("\"é\", {}", before.header("etag"))), 200);
}
