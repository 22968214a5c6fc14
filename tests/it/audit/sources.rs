//! Events about the sources that keep documents up to date.

use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;

#[test]
fn each_change_of_a_source_has_one_event_without_the_secret_part_of_its_link() {
    let fixture = AuditFixture::new();
    let (path, id) = fixture.create_document("Ann", "/");
    let document = fixture.request("Ann", "GET", &path, &Value::Null).json();
    let title = text(&document, "/title");
    let url = "http://127.0.0.1:1/a.csv?key=secret";
    let body = json!({ "document_id": id, "url": url, "sheet_name": "Q1" });
    let set = [("document.set_source", title)];
    let (_, events) = fixture.change("Ben", ("POST", "/sync/create", body), &set);
    assert_eq!(events[0]["target"], json!({ "type": "document", "id": id, "name": title }));
    assert_eq!(text(&events[0], "/actor/name"), "Ben");
    let details = json!({ "source": "http://127.0.0.1:1", "worksheet": "Q1" });
    assert_eq!(events[0]["details"], details);
    let body = json!({ "document_id": id, "url": "https://other.example/s/secret" });
    let (_, events) = fixture.change("Ann", ("POST", "/sync/create", body), &set);
    let details =
        json!({ "source": "https://other.example", "previous_source": "http://127.0.0.1:1" });
    assert_eq!(events[0]["details"], details);
    // Refused requests change nothing.
    let wrong = json!({ "document_id": id, "url": "ftp://other.example/" });
    assert_eq!(fixture.request("Ann", "POST", "/sync/create", &wrong).status, 400);
    let path = format!("/sync/document/{id}");
    let removed = [("document.remove_source", title)];
    let (_, events) = fixture.change("Ben", ("DELETE", &path, Value::Null), &removed);
    assert_eq!(events[0]["details"], json!({ "source": "https://other.example" }));
    assert_eq!(fixture.request("Ben", "DELETE", &path, &Value::Null).status, 404);
    assert_eq!(fixture.take_events(), [Value::Null; 0]);
}
