//! Tests of concurrent changes by several users.

use std::thread;

use serde_json::Value;
use serde_json::json;

use super::HistoryFixture;

#[test]
fn stale_save_reports_author_and_time_of_the_newer_change() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.share_with(&path, &fixture.ben_id, "w");
    let tag = fixture.send_as_ann("GET", &path, "").header("etag");
    fixture.save_as(&fixture.ben_auth, &path, &json!({ "title": "Ben's" }));
    let current = fixture.get_json(&path);
    let send_if_match = |method: &str, suffix: &str, tag: &str, body: &str| {
        let headers = [
            ("authorization", fixture.ann_auth.as_str()),
            ("content-type", "application/json"),
            ("if-match", tag),
        ];
        fixture.server.send(method, &format!("{path}{suffix}"), &headers, body)
    };
    for (method, suffix, body) in [
        ("PUT", "", r#"{"title":"Ann's"}"#),
        ("PUT", "/data", "[]"),
        ("PATCH", "", r#"{"title":"Ann's"}"#),
        ("PATCH", "/history/1", r#"{"name":"Ann's"}"#),
        ("POST", "/history/1/restore", ""),
    ] {
        let stale = send_if_match(method, suffix, &tag, body);
        assert_eq!(stale.status, 412, "{method} {suffix}");
        let problem: Value = serde_json::from_str(&stale.body).unwrap();
        assert_eq!(problem["updated_by"], fixture.ben_id, "{method} {suffix}");
        assert_eq!(problem["updated"], current["updated"]);
        let current_tag = problem["etag"].as_str().unwrap().to_owned();
        assert_eq!(
            send_if_match("PATCH", "/history/1", &current_tag, r#"{"name":"A"}"#).status,
            200
        );
    }
    assert_eq!(fixture.get_json(&path)["title"], "Ben's");
    // The entity tag of an older version, read at the current revision, is accepted too.
    let older_tag = fixture.send_as_ann("GET", &format!("{path}/history/2"), "").header("etag");
    assert_eq!(send_if_match("POST", "/history/2/restore", &older_tag, "").status, 200);
    assert_eq!(send_if_match("POST", "/history/2/restore", &older_tag, "").status, 412);
}

#[test]
fn concurrent_appends_and_saves_all_succeed() {
    const CHANGES_PER_USER: usize = 30;
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.share_with(&path, &fixture.ben_id, "w");
    assert_eq!(fixture.send_as_ann("PUT", &format!("{path}/data"), "[]").status, 200);
    let (server, path) = (&fixture.server, path.as_str());
    thread::scope(|scope| {
        for (name, authorization) in [("ann", &fixture.ann_auth), ("ben", &fixture.ben_auth)] {
            scope.spawn(move || {
                for number in 0..CHANGES_PER_USER {
                    let record = json!({ "label": format!("{name} {number}") }).to_string();
                    let added = server.request(
                        authorization,
                        "POST",
                        &format!("{path}/add-record"),
                        &record,
                    );
                    assert_eq!(added.status, 204, "{}", added.text);
                }
            });
        }
        scope.spawn(|| {
            for number in 0..CHANGES_PER_USER {
                let title = json!({ "title": number.to_string() }).to_string();
                let renamed = server.request(&fixture.ann_auth, "PATCH", path, &title);
                assert_eq!(renamed.status, 200, "{}", renamed.text);
            }
        });
    });
    let data = fixture.get_json(path)["data"].as_array().unwrap().clone();
    assert_eq!(data.len(), 2 * CHANGES_PER_USER);
    for name in ["ann", "ben"] {
        let suffixes: Vec<&str> =
            data.iter().filter_map(|record| record["label"].as_str()).collect();
        let suffixes = suffixes.into_iter().filter_map(|label| label.strip_prefix(name));
        assert!(
            suffixes.map(|suffix| suffix.trim().parse::<usize>().unwrap()).eq(0..CHANGES_PER_USER),
            "{name}"
        );
    }
    // Each version contains a prefix of the records.
    for number in fixture.version_numbers(path) {
        let version_data = fixture.get_json(&format!("{path}/history/{number}"));
        let version_data = version_data["data"].as_array().unwrap();
        // The first version contains the sample records.
        if number > 1 {
            assert_eq!(version_data[..], data[..version_data.len()]);
        }
    }
    assert!(fixture.doctor_findings().is_empty(), "{:?}", fixture.doctor_findings());
}
