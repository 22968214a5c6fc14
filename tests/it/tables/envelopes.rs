//! JSON of web services as an upload: records in an envelope, and other forms of rows in an object.

use serde_json::Value;
use serde_json::json;

use crate::server_process::ServerProcess;

const RATES: &str =
    r#"{"base":"EUR","rates":{"2026-01-02":{"USD":1.09},"2026-01-05":{"USD":1.1}}}"#;
const CITIES: &str =
    r#"{"ok":true,"result":{"items":[{"City":"Bonn","Sales":4},{"City":"Hof","Sales":"7.5"}]}}"#;

/// Sends JSON to `POST /tables`. Returns the status, and the headings or the error.
fn analyze(server: &ServerProcess, body: &str) -> (u16, Value) {
    let found = server.ann().send("POST", "/api/v1/tables", Some(body));
    let json = found.json();
    let columns = json["columns"].as_array();
    let headings =
        |columns: &Vec<Value>| columns.iter().map(|column| column["heading"].clone()).collect();
    (found.status, columns.map_or_else(|| json.clone(), headings))
}

#[test]
fn records_in_an_envelope_are_a_table() {
    let server = ServerProcess::new();
    assert_eq!(analyze(&server, CITIES), (200, json!(["City", "Sales"])));
    assert_eq!(analyze(&server, RATES), (200, json!(["date", "USD"])));
    assert_eq!(analyze(&server, r#"[{"City":"Bonn"}]"#), (200, json!(["City"])));
    let ann = server.ann();
    let created =
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let document = format!("/api/v1/users/me/documents/{}", created["id"].as_str().unwrap());
    ann.send("PUT", &format!("{document}/data"), Some(CITIES)).expect(200);
    let data = ann.get(&document).expect(200).json()["data"].clone();
    assert_eq!(data, json!([{ "label": "Bonn", "value": 4 }, { "label": "Hof", "value": 7.5 }]));
}

#[test]
fn json_without_all_of_one_list_says_why() {
    let server = ServerProcess::new();
    let refused = |body: &str, message: &str| {
        let (status, fields) = analyze(&server, body);
        assert_eq!(status, 400, "{body}");
        assert!(fields.to_string().contains(message), "{body}: {fields}");
    };
    refused(r#"{"a":1}"#, "is JSON without a list of records");
    refused(r#"{"sales":[{"a":1}],"costs":[{"a":2}]}"#, "several lists of records (sales, costs)");
    refused(
        r#"{"next":"/?page=2","results":[{"a":1}]}"#,
        "is JSON with only one page of its records",
    );
}
