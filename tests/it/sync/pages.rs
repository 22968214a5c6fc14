//! Sources that send their records in several pages, and servers that need a cookie.

use std::collections::HashMap;
use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;
use serde_json::json;

use super::create_document;
use super::create_job;
use super::run_job;
use super::start_server;
use crate::client::Client;
use crate::server_process::ServerProcess;

const CHECK: &str = "/api/v1/sync/document/check";

/// Status, headers and body by path with query.
type Files = Arc<Mutex<HashMap<String, (u16, String, String)>>>;

/// A server with several files. Its address stands for `HOST` in them.
struct Pages {
    url: String,
    files: Files,
}

impl Pages {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let files = Files::default();
        let (shared, host) = (files.clone(), url.clone());
        thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let mut request = [0; 4096];
                let length = connection.read(&mut request).unwrap_or_default();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let mut path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                if request.to_lowercase().contains("\r\ncookie: session=7\r\n") {
                    path.push_str(" with cookie");
                }
                let found = shared.lock().unwrap().get(&path).cloned();
                let (status, headers, body) =
                    found.unwrap_or((404, String::new(), "no such page".to_owned()));
                let (headers, body) = (headers.replace("HOST", &host), body.replace("HOST", &host));
                let head = format!(
                    "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = connection.write_all((head + &body).as_bytes());
            }
        });
        Self { url, files }
    }

    /// Sets a file with status 200 and without headers.
    fn set(&self, path: &str, body: &str) {
        self.set_response(path, (200, "", body));
    }

    fn set_response(&self, path: &str, (status, headers, body): (u16, &str, &str)) {
        let response = (status, headers.to_owned(), body.to_owned());
        self.files.lock().unwrap().insert(path.to_owned(), response);
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

/// Runs a new bar chart with a source. Returns the labels of the records, and the error.
fn run_source(server: &ServerProcess, url: &str) -> (Vec<Value>, Value) {
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, url);
    run_again(&ann, &id)
}

/// Runs a chart. Returns the labels of the records, and the error.
fn run_again(client: &Client<'_>, id: &str) -> (Vec<Value>, Value) {
    let job = run_job(client, id);
    let records = job["prepared_data"]["data"].as_array().cloned().unwrap_or_default();
    (records.iter().map(|record| record["label"].clone()).collect(), job["error"].clone())
}

#[test]
fn the_records_of_all_pages_are_the_data() {
    let (server, pages) = (start_server(), Pages::start());
    let record = |city: &str| format!(r#"[{{"City":"{city}","Sales":4}}]"#);
    pages.set(
        "/a",
        &format!(r#"{{"count":3,"next":"HOST/a?page=2","results":{}}}"#, record("Bonn")),
    );
    pages.set("/a?page=2", &format!(r#"{{"next":"/a?page=3","results":{}}}"#, record("Trier")));
    pages.set("/a?page=3", &format!(r#"{{"next":null,"results":{}}}"#, record("Hof")));
    let all = vec![json!("Bonn"), json!("Trier"), json!("Hof")];
    assert_eq!(run_source(&server, &pages.address("/a")), (all.clone(), Value::Null));
    let first = pages.address("/a#pages=first");
    assert_eq!(run_source(&server, &first), (vec![json!("Bonn")], Value::Null));
    // The header tells the next page, too.
    let link =
        "link: <HOST/b?page=2>; rel=\"next\", <HOST/b?page=2>; rel=\"last\"\r\netag: \"1\"\r\n";
    pages.set_response("/b", (200, link, &record("Bonn")));
    pages.set("/b?page=2", &record("Trier"));
    let (ann, url) = (server.ann(), pages.address("/b"));
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &url);
    assert_eq!(run_again(&ann, &id).0, [json!("Bonn"), json!("Trier")]);
    pages.set("/b?page=2", &record("Hof"));
    assert_eq!(run_again(&ann, &id).0, [json!("Bonn"), json!("Hof")]);
    // The address of a page after the last one leads to an empty page.
    let result = |records: &str| {
        format!(
            r#"{{"result":{{"fields":[{{"id":"City"}}],"records":{records},"_links":{{"next":"/c?offset=1"}}}}}}"#
        )
    };
    pages.set("/c", &result(&record("Bonn")));
    pages.set("/c?offset=1", &result("[]"));
    assert_eq!(run_source(&server, &pages.address("/c")), (vec![json!("Bonn")], Value::Null));
}

#[test]
fn a_chart_never_shows_a_part_of_the_pages() {
    let (server, pages) = (start_server(), Pages::start());
    let ann = server.ann();
    let first = r#"{"next":"/a?page=2","results":[{"City":"Bonn","Sales":4}]}"#;
    pages.set("/a", first);
    pages.set("/a?page=2", r#"{"next":null,"results":[{"City":"Trier","Sales":7}]}"#);
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &pages.address("/a"));
    let both = vec![json!("Bonn"), json!("Trier")];
    assert_eq!(run_again(&ann, &id), (both.clone(), Value::Null));
    let fails = |page: (u16, &str, &str), message: &str| {
        pages.set_response("/a?page=2", page);
        assert_eq!(run_again(&ann, &id), (both.clone(), json!(message)));
    };
    fails((404, "", ""), "there is no file at this address");
    fails(
        (200, "", "<!DOCTYPE html><p>Sign in"),
        "the address leads to a web page, not to a spreadsheet",
    );
    fails((200, "", r#"{"error":"busy"}"#), "the file is JSON in pages that differ in their form");
    fails((200, "", first), "the pages of the source lead back to each other");
    let check = |body: &str| {
        pages.set("/b", body);
        ann.post(CHECK, json!({ "url": pages.address("/b") })).expect(200).json()["source_error"]
            .clone()
    };
    let message = "the source sends only the first page of its records; ask for all of them in the address, or add \
                   #pages=first to use this page alone";
    let error = json!({ "code": 415, "message": message });
    assert_eq!(check(r#"[{"page":1,"pages":7},[{"City":"Bonn","Sales":4}]]"#), error);
    assert_eq!(check(r#"{"data":[["Bonn",4]],"next":"/b?page=2"}"#), error);
    assert_eq!(check(r#"[{"page":1,"pages":1},[{"City":"Bonn","Sales":4}]]"#), Value::Null);
}

#[test]
fn a_server_may_set_a_cookie_before_it_sends_the_file() {
    let (server, pages) = (start_server(), Pages::start());
    let redirect = (302, "set-cookie: session=7; Path=/\r\nlocation: HOST/file.csv\r\n", "");
    pages.set_response("/file.csv", redirect);
    pages.set("/file.csv with cookie", "City,Sales\nBonn,4\n");
    let found = run_source(&server, &pages.address("/file.csv"));
    assert_eq!(found, (vec![json!("Bonn")], Value::Null));
}

#[test]
fn an_object_with_dates_as_keys_is_a_table() {
    let (server, pages) = (start_server(), Pages::start());
    let ann = server.ann();
    let rates = r#"{"base":"EUR","rates":{"2026-01-02":{"USD":1.09},"2026-01-05":{"USD":1.1}}}"#;
    pages.set("/rates", rates);
    let id = create_document(&ann, "time-series");
    create_job(&ann, &id, &pages.address("/rates"));
    let job = run_job(&ann, &id);
    let data = &job["prepared_data"]["data"];
    assert_eq!((&data[0]["date"], &data[1]["date"]), (&json!("2026-01-02"), &json!("2026-01-05")));
    assert_eq!(job["prepared_data"]["columns"], json!(["date", "USD"]));
}
