//! Files of sources in forms that web services send: JSON in envelopes, compressed files, and tables without headings.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::run_job;
use super::start_server;

const CHECK: &str = "/api/v1/sync/document/check";

/// Compresses bytes as gzip.
fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn records_in_an_envelope_of_json_are_the_data() {
    let server = start_server();
    let ann = server.ann();
    let source = Source::start(
        r#"{"help":"x","success":true,"result":{"fields":[{"id":"City"},{"id":"Sales"}],
            "records":[{"City":"Bonn","Sales":4},{"City":"Trier","Sales":"7.5"}],"_links":{"next":null}}}"#,
    );
    let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
    assert_eq!(checked["worksheets"], json!([{ "id": "0", "name": "result.records" }]));
    assert_eq!((&checked["valid"], &checked["fixed_headers"]), (&json!(true), &json!(true)));
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let job = run_job(&ann, &id);
    assert!(job.get("error").is_none(), "{job}");
    let data = json!([{ "label": "Bonn", "value": 4 }, { "label": "Trier", "value": 7.5 }]);
    assert_eq!(read_document(&ann, &id)["data"], data);
    source.set_body("{\"City\":\"Köln\",\"Sales\":1}\n{\"City\":\"Hof\",\"Sales\":2}\n");
    let data = json!([{ "label": "Köln", "value": 1 }, { "label": "Hof", "value": 2 }]);
    assert_eq!(run_job(&ann, &id)["prepared_data"]["data"], data);
}

#[test]
fn json_without_one_list_of_records_says_why() {
    let (server, source) = (start_server(), Source::start(""));
    let check = |body: &str, code: u16, message: &str| {
        source.set_body(body);
        let checked = server.ann().post(CHECK, json!({ "url": source.url })).expect(200).json();
        assert_eq!(checked["source_error"]["code"], code, "{body}: {checked}");
        assert_eq!(checked["source_error"]["message"], message, "{body}");
    };
    let several = r#"{"sales":[{"a":1}],"costs":[{"a":2}]}"#;
    check(several, 415, "the file is JSON with several lists of records (sales, costs)");
    check("{\"a\":1}", 415, "the file is JSON without a list of records");
    check("{\"data\":[]}", 415, "the file is JSON with an empty list (data)");
    let wide: Vec<String> = (0..1001).map(|key| format!("\"k{key}\":1")).collect();
    check(&format!("[{{{}}}]", wide.join(",")), 413, "the file has more than 1000 columns");
}

#[test]
fn a_compressed_file_is_read_within_the_limits() {
    let (server, source) = (start_server(), Source::start(""));
    let ann = server.ann();
    source.set(|state| {
        state.headers = "content-type: application/gzip\r\n".to_owned();
        let mut members = compress(b"City;Sales\nBonn;1,5\n");
        members.extend(compress("Köln;2\n".as_bytes()));
        state.body = members;
    });
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    let data = json!([{ "label": "Bonn", "value": 1.5 }, { "label": "Köln", "value": 2 }]);
    assert_eq!(run_job(&ann, &id)["prepared_data"]["data"], data);
    let check = |body: Vec<u8>, code: u16, message: &str| {
        source.set(|state| state.body = body);
        let checked = ann.post(CHECK, json!({ "url": source.url })).expect(200).json();
        assert_eq!(checked["source_error"], json!({ "code": code, "message": message }));
    };
    check(compress(&vec![b'x'; 26 << 20]), 413, "the file is larger than 25 MiB");
    let mut damaged = compress(b"City;Sales\nBonn;1,5\n");
    damaged.truncate(damaged.len() - 4);
    check(damaged, 422, "the compressed file is damaged");
    check(
        compress(b"<!DOCTYPE html><p>Sign in"),
        415,
        "the address leads to a web page, not to a spreadsheet",
    );
}

#[test]
fn the_first_run_decides_whether_a_table_has_headings() {
    let (server, source) = (start_server(), Source::start("Bonn,4\nTrier,7\n"));
    let ann = server.ann();
    let run = |id: &str| {
        let job = run_job(&ann, id);
        (job["prepared_data"]["data"].clone(), job["error"].clone())
    };
    let [absent, other, present] = [(); 3].map(|()| create_document(&ann, "bar"));
    create_job(&ann, &absent, &source.url);
    let records = json!([{ "label": "Bonn", "value": 4 }, { "label": "Trier", "value": 7 }]);
    assert_eq!(run(&absent), (records, Value::Null));
    // For a new source, the first row has the year as a heading.
    source.set_body("Bonn,2024\nTrier,8\n");
    let records = json!([{ "label": "Bonn", "value": 2024 }, { "label": "Trier", "value": 8 }]);
    assert_eq!(run(&absent), (records, Value::Null));
    create_job(&ann, &other, &source.url);
    assert_eq!(run(&other).0, json!([{ "label": "Trier", "value": 8 }]));
    source.set_body("City,Sales\nBonn,4\n");
    create_job(&ann, &present, &source.url);
    let records = json!([{ "label": "Bonn", "value": 4 }]);
    assert_eq!(run(&present), (records.clone(), Value::Null));
    // Alone, the first row would be a record. The chart keeps its data.
    source.set_body("Bonn,4\nTrier,7\n");
    let (kept, error) = run(&present);
    assert_eq!(kept, records);
    assert_eq!(error, "the file has no column \"City\" any more");
}

#[test]
fn the_address_can_tell_whether_a_table_has_headings() {
    let (server, source) = (start_server(), Source::start("Bonn,4\nTrier,7\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    let run = |url: &str| {
        create_job(&ann, &id, url);
        let job = run_job(&ann, &id);
        assert_eq!(job["url"], url);
        job["prepared_data"]["data"].clone()
    };
    let both = json!([{ "label": "Bonn", "value": 4 }, { "label": "Trier", "value": 7 }]);
    assert_eq!(run(&source.url), both);
    let present = format!("{}#header=present", source.url);
    assert_eq!(run(&present), json!([{ "label": "Trier", "value": 7 }]));
    assert_eq!(run(&format!("{}#header=absent", source.url)), both);
    // The server of the source can tell it, too.
    source.set(|state| state.headers = "content-type: text/csv; header=present\r\n".to_owned());
    assert_eq!(run(&source.url)[0], json!({ "label": "Trier", "value": 7 }));
}
