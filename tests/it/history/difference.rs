//! Tests of the difference between two versions.

use serde_json::Value;
use serde_json::json;

use super::HistoryFixture;

impl HistoryFixture {
    /// Returns the row part of the diff between two versions with these records.
    fn diff_rows(&self, old: &Value, new: &Value) -> Value {
        let path = self.create_document();
        self.save_version(&path, json!({ "title": "T", "data": old }));
        self.save_version(&path, json!({ "title": "T", "data": new, "settings": { "a": 1 } }));
        self.get_json(&format!("{path}/history/4/diff?against=3"))["rows"].clone()
    }
}

#[test]
fn diff_contains_title_settings_and_rows() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let row = |label: &str, value: i64| json!({ "label": label, "value": value });
    fixture.save_version(
        &path,
        json!({
            "title": "Old", "settings": { "unit": "EUR", "axis": { "min": 0 } }, "style": {},
            "data": [row("a", 1), row("b", 2), row("c", 3)],
        }),
    );
    fixture.save_version(
        &path,
        json!({
            "title": "New", "settings": { "axis": { "min": 5 }, "sorted": true }, "isPublic": true,
            "theme": "dark", "style": { "subtitle": "s" },
            "data": [row("a", 1), row("b", 20), row("d", 4)],
        }),
    );
    let diff = fixture.get_json(&format!("{path}/history/4/diff?against=3"));
    assert_eq!(
        diff,
        json!({
            "history_version": 4, "against": 3,
            "title": { "old": "Old", "new": "New" },
            "plugin_id": null,
            "theme": { "old": "", "new": "dark" },
            "isPublic": { "old": false, "new": true },
            "svg_changed": false,
            "settings": [
                { "path": "/unit", "old": "EUR" },
                { "path": "/axis/min", "old": 0, "new": 5 },
                { "path": "/sorted", "new": true },
            ],
            "style": [
                { "path": "/subtitle", "new": "s" },
            ],
            "custom_theme": [],
            "rows": {
                "key": "label", "added": 1, "removed": 1, "changed": 1, "reordered": false,
                "details": [
                    { "type": "changed", "old_index": 1, "new_index": 1,
                      "cells": [{ "column": "value", "old": 2, "new": 20 }] },
                    { "type": "removed", "old_index": 2, "new_index": null, "record": row("c", 3) },
                    { "type": "added", "old_index": null, "new_index": 2, "record": row("d", 4) },
                ],
                "truncated": false,
            },
        })
    );
}

#[test]
fn diff_works_in_both_directions_and_rejects_unknown_versions() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let record = |label: &str, value: i64| json!({ "label": label, "value": value });
    let records_with_last = |last: &str| json!([record("a", 1), record("b", 2), record(last, 3)]);
    fixture.save_version(&path, json!({ "title": "Old", "data": records_with_last("c") }));
    fixture.save_version(&path, json!({ "title": "New", "data": records_with_last("d") }));
    let diff = fixture.get_json(&format!("{path}/history/4/diff?against=3"));
    // In the other direction, against itself, and against the previous version.
    let reverse = fixture.get_json(&format!("{path}/history/3/diff?against=4"));
    assert_eq!(reverse["title"], json!({ "old": "New", "new": "Old" }));
    assert_eq!((&reverse["rows"]["added"], &reverse["rows"]["removed"]), (&json!(1), &json!(1)));
    let with_itself = fixture.get_json(&format!("{path}/history/4/diff?against=4"));
    assert_eq!(
        (&with_itself["title"], &with_itself["rows"]["details"]),
        (&json!(null), &json!([]))
    );
    assert_eq!(fixture.get_json(&format!("{path}/history/4/diff")), diff);
    for (address, status, text) in [
        ("history/4/diff?against=9", 400, "against: there is no such version"),
        ("history/1/diff", 400, "against: there is no version before this one"),
        ("history/9/diff?against=1", 404, "no such version"),
    ] {
        let refused = fixture.send_as_ann("GET", &format!("{path}/{address}"), "");
        assert_eq!((refused.status, refused.text.as_str()), (status, text), "{address}");
    }
    let refused = fixture.send_as_ann("GET", &format!("{path}/history/4/diff?against=x"), "");
    assert!(refused.status == 400 && refused.text.starts_with("against: "), "{}", refused.text);
}

#[test]
fn rows_with_unique_labels_are_matched_by_label() {
    let fixture = HistoryFixture::new();
    let record = |label: &str, value: i64| json!({ "label": label, "value": value });
    let rows = fixture.diff_rows(
        &json!([record("a", 1), record("b", 2), record("c", 3)]),
        &json!([record("c", 3), record("a", 9), record("b", 2)]),
    );
    assert_eq!((&rows["key"], &rows["reordered"]), (&json!("label"), &json!(true)));
    assert_eq!(
        (&rows["changed"], &rows["added"], &rows["removed"]),
        (&json!(1), &json!(0), &json!(0))
    );
    assert_eq!(rows["details"][0]["cells"], json!([{ "column": "value", "old": 1, "new": 9 }]));
}

#[test]
fn rows_without_unique_labels_are_matched_by_order() {
    let fixture = HistoryFixture::new();
    let record = |value: i64| json!({ "label": "same", "value": value });
    let rows = fixture.diff_rows(
        &json!([record(1), record(2), record(3), record(4)]),
        &json!([record(1), record(3), record(4), record(5)]),
    );
    assert_eq!(rows["key"], json!(null));
    let details = rows["details"].as_array().unwrap();
    let kinds: Vec<&Value> = details.iter().map(|detail| &detail["type"]).collect();
    assert_eq!(kinds, ["removed", "added"]);
    assert_eq!((&details[0]["old_index"], &details[1]["new_index"]), (&json!(1), &json!(3)));
    assert_eq!(
        (&rows["changed"], &rows["added"], &rows["removed"]),
        (&json!(0), &json!(1), &json!(1))
    );
}

#[test]
fn diff_of_large_documents_is_truncated() {
    let fixture = HistoryFixture::new();
    let records = |factor: i64| -> Value {
        (0..20_000)
            .map(|index| json!({ "label": "same", "value": index * factor % 7919 }))
            .collect()
    };
    let diff = fixture.diff_rows(&records(1), &records(5));
    assert_eq!(diff["truncated"], true);
    assert_eq!(diff["details"].as_array().unwrap().len(), 1000);
    let count = |key: &str| diff[key].as_i64().unwrap();
    assert_eq!(count("added"), count("removed"), "as many rows as before");
    let appended =
        fixture.diff_rows(&json!([{ "value": 1 }]), &json!([{ "value": 1 }, { "value": 2 }]));
    assert_eq!((&appended["added"], &appended["removed"]), (&json!(1), &json!(0)));
}
