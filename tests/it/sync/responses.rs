//! Responses of sources without a table: statuses, pauses, and texts in another encoding than the declared
//! one.

use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::read_job;
use super::run_job;
use super::start_server;
use super::wait_until;
use crate::client::Client;

const CHECK: &str = "/api/v1/sync/document/check";
const READ: &str = "/api/v1/sync/document";

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Returns the time until the next run of a job in milliseconds.
fn delay_of(job: &Value) -> i64 {
    let next = job["next_download_at"].as_str().unwrap();
    let next = chartroom_platform::time::Timestamp::parse_rfc3339(next).unwrap();
    next.0 - chartroom_platform::time::Timestamp::now().0
}

/// Sets up a source with a run each week and waits for the first one.
fn create_weekly_job(ann: &Client<'_>, source: &Source) -> String {
    let id = create_document(ann, "bar");
    let body = json!({
        "document_id": id, "url": source.url, "interval_sec": 604_800 * 8, "time_of_day_utc": "00:00",
    });
    ann.post("/api/v1/sync/create", body).expect(204);
    wait_until("the first run", || read_job(ann, &id)["downloaded_at"].is_string());
    id
}

#[test]
fn statuses_have_reasons_and_only_faults_of_the_server_are_repeated_soon() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_weekly_job(&ann, &source);
    for (status, code, reason, is_repeated) in [
        (302, 502, "redirects without an address", false),
        (304, 502, "sent no file", true),
        (400, 502, "calls the request invalid", false),
        (402, 403, "wants to be paid", false),
        (406, 502, "no form that this server accepts", false),
        (418, 502, "refused the request with status 418", false),
        (451, 403, "legal reasons", false),
        (202, 502, "has not prepared the file yet", true),
        (408, 502, "did not wait for the request", true),
        (420, 429, "allows no more requests", true),
        (421, 502, "refused the request with status 421", true),
        (499, 502, "refused the request with status 499", true),
        (423, 502, "is locked", true),
        (500, 502, "responded with status 500", true),
    ] {
        source.set(|state| (state.status, state.body) = (status, Vec::new()));
        let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
        let error = &checked["source_error"];
        assert_eq!(error["code"], code, "{status}: {checked}");
        assert!(error["message"].as_str().unwrap().contains(reason), "{status}: {checked}");
        let job = run_job(&ann, &id);
        assert!(job["error"].as_str().unwrap().contains(reason), "{status}: {job}");
        assert_eq!(delay_of(&job) < DAY, is_repeated, "{status}: {job}");
        // A success resets the delay of repetitions.
        source.set(|state| (state.status, state.body) = (0, b"City,Sales\nBonn,4\n".to_vec()));
        assert!(run_job(&ann, &id).get("error").is_none());
    }
}

#[test]
fn a_redirect_that_is_not_followed_is_no_fault_of_the_address() {
    let (server, source) = (start_server(), Source::start(""));
    for target in ["file:///etc/passwd", "http://ann:secret@127.0.0.1/a.csv", "http://a b/"] {
        source.set(|state| {
            (state.status, state.headers) = (302, format!("location: {target}\r\n"));
        });
        let checked = server.ann().post(CHECK, json!({ "url": source.url })).expect(200).json();
        let error = &checked["source_error"];
        assert_eq!(error["code"], 502, "{target}: {checked}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("the source redirects to another address"), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn a_pause_may_end_at_a_date() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_weekly_job(&ann, &source);
    for (status, header) in [
        (429, "Fri, 31 Dec 2100 23:59:59 GMT"),
        (503, "Friday, 31-Dec-00 23:59:59 GMT, and more"),
        (503, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (429, "4294967296"),
        (403, "4000000"),
        (404, "60"),
        (418, "4000000"),
    ] {
        source.set(|state| {
            (state.status, state.headers) = (status, format!("retry-after: {header}\r\n"));
        });
        let job = run_job(&ann, &id);
        let is_long = header.contains("2100") || header.starts_with('4');
        // At most a day, whatever the source asks for.
        let expected = if is_long { DAY - 60_000..=DAY } else { 0..=120_000 };
        assert!(expected.contains(&delay_of(&job)), "{header}: {job}");
        source.set(|state| (state.status, state.headers) = (0, String::new()));
        assert!(run_job(&ann, &id).get("error").is_none());
    }
}

#[test]
fn the_content_decides_about_the_encoding() {
    let (server, source) = (start_server(), Source::start(""));
    let ann = server.ann();
    let utf_8 = "Größe,Sales\nKöln,4\n";
    let latin: Vec<u8> = utf_8.chars().map(|character| character as u8).collect();
    for (charset, bytes) in [
        ("iso-8859-1", utf_8.as_bytes().to_vec()),
        ("windows-1252", format!("\u{feff}{utf_8}").into_bytes()),
        ("utf-16", utf_8.as_bytes().to_vec()),
        ("binary", utf_8.as_bytes().to_vec()),
        ("utf-8", latin.clone()),
        ("us-ascii", latin.clone()),
        ("iso-8859-1", latin),
    ] {
        source.set(|state| {
            state.headers = format!("content-type: text/csv; charset={charset}\r\n");
            state.body = bytes;
        });
        let read = ann.post(READ, json!({ "url": source.url })).expect(200).json();
        assert_eq!(read[0]["rows"], json!([["Größe", "Sales"], ["Köln", 4]]), "{charset}");
    }
    // A damaged text in UTF-8 is no text in another encoding.
    let mut damaged = "Größe,Sales\nKöln,4\nÜbach,5\n".as_bytes().to_vec();
    damaged[3] = b'x';
    source.set(|state| {
        state.headers = "content-type: text/csv; charset=utf-8\r\n".to_owned();
        state.body = damaged;
    });
    assert_eq!(ann.post(READ, json!({ "url": source.url })).status, 415);
}

#[test]
fn a_source_without_rows_keeps_the_last_data() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_weekly_job(&ann, &source);
    let data = read_document(&ann, &id)["data"].clone();
    assert_eq!(data, json!([{ "label": "Bonn", "value": 4 }]));
    for body in ["City,Sales\n", "City,Sales\n,\n\n", "<table><tr><th>City<th>Sales</table>"] {
        source.set_body(body);
        let job = run_job(&ann, &id);
        assert!(job["error"].as_str().is_some_and(|error| error.contains("no rows")), "{job}");
        assert!(delay_of(&job) > DAY, "{job}");
        assert_eq!(read_document(&ann, &id)["data"], data, "{body}");
    }
}

#[test]
fn a_check_reads_the_table_of_the_only_worksheet() {
    let (server, source) = (start_server(), Source::start(""));
    let ann = server.ann();
    for (body, reason) in [
        ("a,b,c\n1,2\n3,4,5,6\n", "more cells than columns"),
        ("Error: quota exceeded", "only one cell"),
        ("Not found: <a href=\"/\">home</a>", "only one cell"),
        ("City,Sales\n\"Bonn,4\nKiel,5\n", "without a closing one"),
        ("City,Sales\n", "no rows below the headings"),
        ("%PDF-1.7\nabc\n", "is a PDF file"),
    ] {
        source.set_body(body);
        let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
        assert_eq!(checked["valid"], false, "{body}");
        let error = checked["source_error"]["message"].as_str().unwrap();
        assert!(error.contains(reason), "{body}: {error}");
        assert_eq!(checked["source_error"]["code"], 415, "{body}");
    }
    let book = crate::tables::zip_file::workbook(&[(1, "Kiel"), (2, "Bonn")]);
    source.set(|state| state.body = book);
    let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
    assert_eq!(checked["worksheets"].as_array().unwrap().len(), 2, "{checked}");
}

#[test]
fn a_table_without_the_numbers_of_the_chart_keeps_the_last_data() {
    let (server, source) = (start_server(), Source::start("Error: quota exceeded\nTry later\n"));
    let ann = server.ann();
    for kind in ["bar", "pie", "line", "treemap", "gauge"] {
        let id = create_document(&ann, kind);
        let data = read_document(&ann, &id)["data"].clone();
        create_job(&ann, &id, &source.url);
        let job = run_job(&ann, &id);
        let error = job["error"].as_str().unwrap_or_default();
        assert!(error.contains("no column with numbers for"), "{kind}: {job}");
        assert_eq!(read_document(&ann, &id)["data"], data, "{kind}");
    }
}

#[test]
fn a_column_of_numbers_without_any_keeps_the_last_data() {
    let (server, source) = (start_server(), Source::start("Name,Value\nA,4\nB,n/a\n"));
    let ann = server.ann();
    let id = create_weekly_job(&ann, &source);
    let data = read_document(&ann, &id)["data"].clone();
    assert_eq!(data[0], json!({ "label": "A", "value": 4 }));
    for cell in ["n/a", "Loading…", "#REF!", ""] {
        source.set_body(&format!("Name,Value\nA,{cell}\nB,{cell}\n"));
        let job = run_job(&ann, &id);
        let error = job["error"].as_str().unwrap_or_default();
        assert!(error.contains("no numbers in the column \"Value\""), "{cell}: {job}");
        assert_eq!(read_document(&ann, &id)["data"], data, "{cell}");
    }
    source.set_body("Name,Value\nA,unknown\nB,none\nC,7\n");
    assert!(run_job(&ann, &id).get("error").is_none());
}

#[test]
fn the_line_that_names_the_separator_is_no_row() {
    let (server, source) = (start_server(), Source::start("sep=;\r\nCity;Sales\r\nBonn;1,5\r\n"));
    let ann = server.ann();
    let read = ann.post(READ, json!({ "url": source.url })).expect(200).json();
    assert_eq!(read[0]["rows"], json!([[], ["City", "Sales"], ["Bonn", 1.5]]));
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let job = run_job(&ann, &id);
    assert_eq!(job["prepared_data"]["data"], json!([{ "label": "Bonn", "value": 1.5 }]), "{job}");
}
