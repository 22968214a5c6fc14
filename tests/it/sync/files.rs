//! Files of sources in forms that web services send: JSON in envelopes.

use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::run_job;
use super::start_server;

const CHECK: &str = "/api/v1/sync/document/check";

#[test]
fn records_in_an_envelope_of_json_are_the_data() {
    let server = start_server();
    let ann = server.ann();
    let source = Source::start(
        r#"{"help":"x","success":true,"result":{"fields":[{"id":"City"},{"id":"Sales"}],
            "records":[{"City":"Bonn","Sales":4},{"City":"Trier","Sales":"7.5"}],"_links":{"next":"/"}}}"#,
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
