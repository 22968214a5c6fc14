//! Tests of the export of records as CSV and XLSX.

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Creates a bar chart of Ann with these records, unmapped. Returns its path in the API.
fn create_document(server: &ServerProcess, records: &Value) -> String {
    let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let id = created.expect(200).json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/users/{}/documents/{id}", server.ann().id);
    server.ann().put(&format!("{path}/data?mapping=none"), records.clone()).expect(200);
    path
}

/// Replaces the records of a document by a file, unmapped. Returns the records.
fn upload(client: &Client<'_>, path: &str, media_type: &str, file: &[u8]) -> Value {
    let client = client.with_header("content-type", media_type);
    let sent = client.send_bytes("PUT", &format!("{path}/data"), Some(file));
    sent.expect(200);
    client.get(path).expect(200).json()["data"].clone()
}

#[test]
fn exported_files_are_read_back_with_the_same_values() {
    let server = ServerProcess::new();
    let records = json!([
        { "label": "North & <South>", "value": 1284.5, "highlighted": true, "since": "2024-03-09" },
        { "label": "Łódź, \"quoted\"", "value": -3, "highlighted": false, "since": "1999-12-31" },
        { "label": "two\nlines", "value": 0.1, "since": "2026-11-26" },
    ]);
    let path = create_document(&server, &records);
    let other = create_document(&server, &json!([]));
    let expected: Vec<Value> = records.as_array().unwrap().clone();
    for (extension, media_type) in [("xlsx", XLSX), ("csv", "text/csv")] {
        let file = server.ann().get(&format!("{path}/data.{extension}")).expect(200);
        assert!(file.header("content-type").starts_with(media_type));
        assert!(file.header("content-disposition").contains(&format!(".{extension}")));
        let found = upload(&server.ann(), &other, media_type, &file.body);
        for (record, want) in found.as_array().unwrap().iter().zip(&expected) {
            for key in ["label", "value", "highlighted"] {
                assert_eq!(record[key], want[key], "{extension}: {found}");
            }
            let since = record.as_object().unwrap().values().any(|value| *value == want["since"]);
            assert!(since, "{extension}: {found}");
        }
        assert_eq!(found.as_array().unwrap().len(), 3, "{found}");
    }
}

#[test]
fn texts_in_exports_are_never_formulas() {
    let server = ServerProcess::new();
    let records = json!([{ "label": "=HYPERLINK(\"http://x\")", "value": -1 }]);
    let path = create_document(&server, &records);
    let csv = server.ann().get(&format!("{path}/data.csv")).expect(200).text();
    assert_eq!(csv, "Label,Value\r\n\"'=HYPERLINK(\"\"http://x\"\")\",-1\r\n");
    let xlsx = server.ann().get(&format!("{path}/data.xlsx")).expect(200);
    let other = create_document(&server, &json!([]));
    let found = upload(&server.ann(), &other, XLSX, &xlsx.body);
    assert_eq!(found, records);
}

#[test]
fn headings_are_german_for_a_german_browser_and_are_read_by_everybody() {
    let server = ServerProcess::new();
    let records = json!([{ "label": "A", "value": 1.5 }]);
    let path = create_document(&server, &records);
    let german = server.ann().with_header("accept-language", "de");
    let csv = german.get(&format!("{path}/data.csv")).expect(200);
    assert_eq!(csv.text(), "Bezeichnung,Wert\r\nA,1.5\r\n");
    assert_eq!(csv.header("content-language"), "de");
    assert!(csv.headers.get_all("vary").iter().any(|value| value == "accept-language"));
    // The stored data do not depend on the language of the request.
    for client in [&german, &server.ann()] {
        let other = create_document(&server, &json!([]));
        assert_eq!(upload(client, &other, "text/csv", &csv.body), records);
    }
}

#[test]
fn exports_need_read_access_and_fit_into_memory() {
    let server = ServerProcess::new();
    let path = create_document(&server, &json!([{ "label": "A", "value": 1 }]));
    for extension in ["csv", "xlsx"] {
        server.ben().get(&format!("{path}/data.{extension}")).expect(404);
    }
    let share = json!({
        "owner": server.ann().id,
        "document": path.rsplit('/').next().unwrap(),
        "mode": "r",
    });
    let link = server.ann().post("/api/v1/share", share).expect(200).json()["link"].clone();
    let token = link.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    for extension in ["csv", "xlsx"] {
        server.guest().get(&format!("{path}/data.{extension}?share={token}")).expect(200);
    }
    // 5,000 records without a common key would be a table of 25 million cells.
    let records: Vec<Value> = (0..5000).map(|index| json!({ format!("k{index}"): 1 })).collect();
    server.ann().put(&format!("{path}/data?mapping=none"), records).expect(200);
    for extension in ["csv", "xlsx"] {
        let refused = server.ann().get(&format!("{path}/data.{extension}")).expect(413).json();
        assert!(refused["detail"].as_str().unwrap().contains("too many different keys"));
    }
    // An empty table is a valid file.
    server.ann().put(&format!("{path}/data"), json!([])).expect(200);
    server.ann().get(&format!("{path}/data.xlsx")).expect(200);
}
