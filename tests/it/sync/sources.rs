//! Checking and reading sources, and the fields of new jobs.

use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_job;
use super::run_job;
use super::start_server;
use super::start_server_with;
use super::wait_until;
use crate::server_process::ServerProcess;

const CHECK: &str = "/api/v1/sync/document/check";
const READ: &str = "/api/v1/sync/document";
const CREATE: &str = "/api/v1/sync/create";

#[test]
fn a_source_is_checked_without_a_trace() {
    let (server, source) = (start_server(), Source::start("City;Sales\nBonn;1,5\n"));
    let ann = server.ann();
    let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
    assert_eq!(checked["valid"], true, "{checked}");
    assert_eq!(checked["provider_name"], "web");
    assert_eq!(checked["static_worksheet"], true);
    assert_eq!(checked["fixed_headers"], false);
    assert_eq!(checked["worksheets"].as_array().unwrap().len(), 1);
    let check = |url: &str, code: u16, provider: &str| {
        let checked = ann.post(CHECK, json!({ "url": url })).expect(200).json();
        assert_eq!(checked["valid"], false, "{url}: {checked}");
        assert_eq!(checked["source_error"]["code"], code, "{url}: {checked}");
        assert!(checked["source_error"]["message"].as_str().is_some_and(|text| text.len() > 10));
        assert_eq!(checked["provider_name"], provider, "{url}");
    };
    check("", 400, "web");
    check("sales.csv", 400, "web");
    check("file:///etc/passwd", 400, "web");
    check("http://ann:secret@127.0.0.1/", 400, "web");
    check(&format!("http://127.0.0.1/{}", "x".repeat(4096)), 400, "web");
    check("https://1drv.ms/x/s!abc", 401, "onedrive");
    check("cloud://dropbox/1/Mg", 401, "dropbox");
    check("https://publish.smartsheet.com/abc", 403, "smartsheet");
    check("https://www.dropbox.com/scl/fo/a/b", 415, "dropbox");
    check("http://169.254.169.254/latest/meta-data", 403, "web");
    check("http://127.0.0.1:1/", 403, "web");
    check("http://127.0.0.1:65535/", 502, "web");
    for (status, body, code) in [
        (404, "", 404),
        (401, "", 403),
        (429, "", 429),
        (503, "", 502),
        (0, "<html>", 415),
        (0, "<?xml version=\"1.0\"?><a/>", 415),
        (0, "%PDF-1.7 \0\0\0", 415),
        (0, "{\"a\":1}", 415),
        (0, "[{\"a\":[1]}]", 415),
        (0, "[{\"a\":1}", 415),
        (0, "PK\u{3}\u{4}damaged", 422),
    ] {
        source.set(|state| state.status = status);
        source.set_body(body);
        check(&source.url, code, "web");
    }
    server.guest().post(CHECK, json!({ "url": source.url })).expect(401);
    ann.post(CHECK, json!({})).expect(400);
}

#[test]
fn files_beyond_a_limit_are_refused() {
    let (server, source) = (start_server(), Source::start(""));
    let check = |body: Vec<u8>, message: &str| {
        source.set(|state| state.body = body);
        let checked = server.ann().post(READ, json!({ "url": source.url }));
        assert_eq!(checked.status, 413, "{}", checked.text());
        assert!(checked.text().contains(message), "{}", checked.text());
    };
    check(vec![b'a'; (25 << 20) + 1], "the file is larger than 25 MiB");
    check(b"a\n".repeat(200_002), "the file has more than 200000 rows");
}

#[test]
fn worksheets_of_a_source_are_read() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n,\nKöln,007\n"));
    let ann = server.ann();
    let all = ann.post(READ, json!({ "url": source.url })).expect(200).json();
    let sheet = &all.as_array().unwrap()[0];
    assert_eq!(
        sheet["rows"],
        json!([["City", "Sales"], ["Bonn", 4], [], ["Köln", "007"]]),
        "a text that would lose zeros stays text"
    );
    let id = sheet["sheet_id"].as_str().unwrap();
    let one = ann.post(READ, json!({ "url": source.url, "worksheet_id": id })).expect(200).json();
    assert_eq!(&one, sheet);
    let name = sheet["name"].as_str().unwrap();
    let named = json!({ "url": source.url, "worksheet_name": name });
    assert_eq!(&ann.post(READ, named).expect(200).json(), sheet);
    let missing = ann.post(READ, json!({ "url": source.url, "worksheet_name": "Other" }));
    assert_eq!(missing.status, 400, "{}", missing.text());
    assert!(missing.text().contains("\"field\":\"worksheet_name\""), "{}", missing.text());
    let check = |url: &str, status: u16| {
        let response = ann.post(READ, json!({ "url": url }));
        assert_eq!(response.status, status, "{url}: {}", response.text());
    };
    check("sales.csv", 400);
    check("https://1drv.ms/x/s!abc", 403);
    check("http://10.255.255.255:22/", 403);
    source.set(|state| state.status = 404);
    check(&source.url, 404);
    source.set(|state| state.status = 429);
    check(&source.url, 502);
    source.set(|state| state.status = 0);
    source.set_body("<!doctype html>");
    check(&source.url, 415);
    source.set_body("[{\"city\":\"Bonn\",\"sales\":4},{\"city\":\"Trier\",\"year\":2026}]");
    let records = ann.post(READ, json!({ "url": source.url })).expect(200).json();
    assert_eq!(
        records[0]["rows"],
        json!([["city", "sales", "year"], ["Bonn", 4], ["Trier", "", 2026]])
    );
    source.set_body("PK\u{3}\u{4}damaged");
    check(&source.url, 400);
}

#[test]
fn json_may_begin_with_a_byte_order_mark() {
    let server = start_server();
    let source = Source::start("");
    for body in [r#"[{ "City": "Bonn", "Sales": 4 }]"#, r#"[["City", "Sales"], ["Bonn", 4]]"#] {
        source.set_body(&format!("\u{feff}{body}"));
        for media_type in ["application/json", "text/plain"] {
            source.set(|state| state.headers = format!("content-type: {media_type}\r\n"));
            let read = server.ann().post(READ, json!({ "url": source.url })).expect(200).json();
            assert_eq!(read[0]["rows"], json!([["City", "Sales"], ["Bonn", 4]]), "{body}");
        }
    }
}

#[test]
fn html_that_a_program_saves_as_a_spreadsheet_is_read() {
    let server = start_server();
    let source = Source::start("");
    let table = "<table><tr><td>City<td>Sales</tr><tr><td>Bonn<td>4</tr></table>";
    let office = format!(
        "<html xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><body>{table}</body></html>"
    );
    for body in [format!("\n{table}"), office] {
        source.set_body(&body);
        let read = server.ann().post(READ, json!({ "url": source.url })).expect(200).json();
        assert_eq!(read[0]["rows"], json!([["City", "Sales"], ["Bonn", 4]]), "{body}");
        let ann = server.ann();
        let id = create_document(&ann, "bar");
        create_job(&ann, &id, &source.url);
        let job = run_job(&ann, &id);
        assert_eq!(job["prepared_data"]["data"], json!([{ "label": "Bonn", "value": 4 }]), "{job}");
    }
    // A page with a form can have a table too.
    source.set_body(&format!("<html><form>Sign in</form>{table}</html>"));
    assert_eq!(server.ann().post(READ, json!({ "url": source.url })).status, 415);
}

#[test]
fn csv_that_a_server_declares_as_html_is_read() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    source.set(|state| state.headers = "content-type: text/html; charset=utf-8\r\n".to_owned());
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let job = run_job(&ann, &id);
    assert!(job.get("error").is_none(), "{job}");
    assert_eq!(job["prepared_data"]["data"], json!([{ "label": "Bonn", "value": 4 }]));
    source.set_body("City,Sales\n<5 people,3\n");
    assert!(run_job(&ann, &id).get("error").is_none());
    // The texts of a page of errors are no table.
    source.set_body("Please sign in, then retry");
    assert!(run_job(&ann, &id).get("error").is_some());
}

#[test]
fn fields_of_a_job_are_checked() {
    let server = start_server();
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    let check = |field: &str, value: Value| {
        let mut body = json!({
            "document_id": id, "url": "http://127.0.0.1:1/a.csv", "interval_sec": 3600,
            "time_of_day_utc": "09:30",
        });
        body[field] = value.clone();
        let response = ann.post(CREATE, body);
        assert_eq!(response.status, 400, "{field} {value}: {}", response.text());
        let text = response.text();
        assert!(text.contains(&format!("\"field\":\"{field}\"")), "{field} {value}: {text}");
    };
    for value in [json!("1"), json!(7), Value::Null] {
        check("document_id", value);
    }
    for value in [json!("a.csv"), json!("ftp://a/"), json!("x".repeat(5000)), json!(1), Value::Null]
    {
        check("url", value);
    }
    check("url", json!("http://ann:secret@127.0.0.1:1/a.csv"));
    for value in [json!(-1), json!(0.5), json!(31_622_401), json!("3600"), json!(1e300)] {
        check("interval_sec", value);
    }
    for value in [json!("24:00"), json!("9:30"), json!(930), Value::Null] {
        check("time_of_day_utc", value);
    }
    for value in [json!(-1), json!(7), json!(1.5), json!("1")] {
        check("day_of_week", value);
    }
    for value in [json!([]), json!("{}"), json!({ "a": "x".repeat(70_000) })] {
        check("document_settings", value);
    }
    check("sheet_name", json!("x".repeat(1025)));
    check("sheet_id", json!(5));
    ann.get(&format!("/api/v1/sync/document/{id}")).expect(404);
}

#[test]
fn only_callers_with_write_access_see_and_change_the_source() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let (ann, ben, cid) = (server.ann(), server.ben(), server.cid());
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let share = json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "r" });
    ann.post("/api/v1/share", share).expect(200);
    let path = format!("/api/v1/sync/document/{id}");
    let body = json!({ "document_id": id, "url": source.url });
    for (client, status) in [(&ben, 403), (&cid, 404), (&server.guest(), 401)] {
        client.get(&path).expect(status);
        client.get(&format!("{path}?fresh=true")).expect(status);
        client.delete(&path).expect(status);
        client.post(CREATE, body.clone()).expect(status);
    }
    ann.get(&path).expect(200);
    let absent = "/api/v1/sync/document/00000000-0000-7000-8000-000000000000";
    ann.get(absent).expect(404);
    // Readers see the state, but not the address of the source.
    let seen = ben.get(&format!("/api/v1/users/{}/documents/{id}", ann.id)).expect(200).json();
    assert!(seen["sync"]["status"].is_string());
    assert!(!seen.to_string().contains(&source.url));
    // The reason of a failure can contain names of worksheets, columns and servers.
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    source.set(|state| state.status = 404);
    assert!(run_job(&ann, &id)["error"].is_string());
    for (client, list, sees_error) in [
        (&ann, format!("/api/v1/users/{}/recent", ann.id), true),
        (&ben, format!("/api/v1/users/{}/foreign-documents", ben.id), false),
        (&ann, format!("/api/v1/users/{}/recent", ann.id), true),
    ] {
        let document = client.get(&format!("/api/v1/users/{}/documents/{id}", ann.id));
        let list = client.get(&list).expect(200).json();
        for entry in [&document.expect(200).json(), &list["results"][0]["document"]] {
            assert_eq!(entry["sync"]["status"], "failing", "{entry}");
            assert_eq!(entry["sync"]["error"].is_string(), sees_error, "{entry}");
        }
    }
}

#[test]
fn a_user_has_a_limited_number_of_sources() {
    let server = start_server_with(&[("max_sync_jobs", "2")]);
    let ann = server.ann();
    let ids: Vec<String> = (0..3).map(|_| create_document(&ann, "bar")).collect();
    let create = |id: &str| {
        ann.post(CREATE, json!({ "document_id": id, "url": "http://127.0.0.1:1/a.csv" })).status
    };
    assert_eq!([create(&ids[0]), create(&ids[1]), create(&ids[2])], [204, 204, 409]);
    assert_eq!(create(&ids[0]), 204, "a replacement needs no place");
    ann.delete(&format!("/api/v1/sync/document/{}", ids[0])).expect(204);
    assert_eq!(create(&ids[2]), 204);
}

#[test]
fn private_addresses_need_the_setting() {
    let source = Source::start("City,Sales\nBonn,4\n");
    let server = ServerProcess::new();
    let ann = server.ann();
    let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
    assert_eq!(checked["source_error"]["code"], 403, "{checked}");
    assert_eq!(source.hits(), 0);
}

#[test]
fn a_server_without_client_ids_offers_no_provider() {
    let server = start_server();
    let ann = server.ann();
    let providers = ann.get("/api/v1/sync/providers").expect(200).json();
    let names: Vec<&str> =
        providers.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["box", "dropbox", "googledrive", "onedrive", "smartsheet"]);
    for provider in providers.as_array().unwrap() {
        assert_eq!(provider["access"], "none");
        assert!(provider.get("auth_url").is_none());
        assert!(provider["description"].as_str().is_some_and(|text| text.len() > 10));
    }
    assert_eq!(ann.get("/api/v1/sync/connections").expect(200).json(), json!([]));
    assert_eq!(ann.get("/api/v1/user/cloud/connections").expect(200).json(), json!([]));
    ann.delete("/api/v1/sync/connections/1").expect(404);
    server.guest().get("/api/v1/sync/providers").expect(401);
}
