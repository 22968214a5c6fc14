//! Tests of the difference between two versions.

use serde_json::Value;
use serde_json::json;

use super::World;

impl World {
    /// Returns the difference between two versions with these records.
    fn rows(&self, old: &Value, new: &Value) -> Value {
        let path = self.document();
        self.version(&path, json!({ "title": "T", "data": old }));
        self.version(&path, json!({ "title": "T", "data": new, "settings": { "a": 1 } }));
        self.get(&format!("{path}/history/4/diff?against=3"))["rows"].clone()
    }
}

#[test]
fn a_difference_tells_title_settings_and_rows() {
    let world = World::new();
    let path = world.document();
    let row = |label: &str, value: i64| json!({ "label": label, "value": value });
    world.version(
        &path,
        json!({
            "title": "Old", "settings": { "unit": "EUR", "axis": { "min": 0 } }, "style": {},
            "data": [row("a", 1), row("b", 2), row("c", 3)],
        }),
    );
    world.version(
        &path,
        json!({
            "title": "New", "settings": { "axis": { "min": 5 }, "sorted": true }, "isPublic": true,
            "theme": "dark", "style": { "subtitle": "s" },
            "data": [row("a", 1), row("b", 20), row("d", 4)],
        }),
    );
    let found = world.get(&format!("{path}/history/4/diff?against=3"));
    assert_eq!(
        found,
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
fn a_difference_is_told_both_ways_and_refused_by_name() {
    let world = World::new();
    let path = world.document();
    let row = |label: &str, value: i64| json!({ "label": label, "value": value });
    let rows = |last: &str| json!([row("a", 1), row("b", 2), row(last, 3)]);
    world.version(&path, json!({ "title": "Old", "data": rows("c") }));
    world.version(&path, json!({ "title": "New", "data": rows("d") }));
    let found = world.get(&format!("{path}/history/4/diff?against=3"));
    // In the other direction, against itself, and against the previous version.
    let back = world.get(&format!("{path}/history/3/diff?against=4"));
    assert_eq!(back["title"], json!({ "old": "New", "new": "Old" }));
    assert_eq!((&back["rows"]["added"], &back["rows"]["removed"]), (&json!(1), &json!(1)));
    let same = world.get(&format!("{path}/history/4/diff?against=4"));
    assert_eq!((&same["title"], &same["rows"]["details"]), (&json!(null), &json!([])));
    assert_eq!(world.get(&format!("{path}/history/4/diff")), found);
    for (address, status, text) in [
        ("history/4/diff?against=9", 400, "against: there is no such version"),
        ("history/1/diff", 400, "against: there is no version before this one"),
        ("history/9/diff?against=1", 404, "no such version"),
    ] {
        let refused = world.ann("GET", &format!("{path}/{address}"), "");
        assert_eq!((refused.status, refused.text.as_str()), (status, text), "{address}");
    }
    let refused = world.ann("GET", &format!("{path}/history/4/diff?against=x"), "");
    assert!(refused.status == 400 && refused.text.starts_with("against: "), "{}", refused.text);
}

#[test]
fn rows_with_names_are_matched_by_them_wherever_they_are() {
    let world = World::new();
    let row = |label: &str, value: i64| json!({ "label": label, "value": value });
    let rows = world.rows(
        &json!([row("a", 1), row("b", 2), row("c", 3)]),
        &json!([row("c", 3), row("a", 9), row("b", 2)]),
    );
    assert_eq!((&rows["key"], &rows["reordered"]), (&json!("label"), &json!(true)));
    assert_eq!(
        (&rows["changed"], &rows["added"], &rows["removed"]),
        (&json!(1), &json!(0), &json!(0))
    );
    assert_eq!(rows["details"][0]["cells"], json!([{ "column": "value", "old": 1, "new": 9 }]));
}

#[test]
fn rows_without_names_are_matched_by_their_order() {
    let world = World::new();
    let row = |value: i64| json!({ "label": "same", "value": value });
    let rows = world
        .rows(&json!([row(1), row(2), row(3), row(4)]), &json!([row(1), row(3), row(4), row(5)]));
    assert_eq!(rows["key"], json!(null));
    let details = rows["details"].as_array().unwrap();
    let kinds: Vec<&Value> = details.iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["removed", "added"]);
    assert_eq!((&details[0]["old_index"], &details[1]["new_index"]), (&json!(1), &json!(3)));
    assert_eq!(
        (&rows["changed"], &rows["added"], &rows["removed"]),
        (&json!(0), &json!(1), &json!(1))
    );
}

#[test]
fn the_difference_of_large_documents_is_bounded() {
    let world = World::new();
    let rows = |factor: i64| -> Value {
        (0..20_000).map(|it| json!({ "label": "same", "value": it * factor % 7919 })).collect()
    };
    let found = world.rows(&rows(1), &rows(5));
    assert_eq!(found["truncated"], true);
    assert_eq!(found["details"].as_array().unwrap().len(), 1000);
    let count = |key: &str| found[key].as_i64().unwrap();
    assert_eq!(count("added"), count("removed"), "as many rows as before");
    let appended = world.rows(&json!([{ "value": 1 }]), &json!([{ "value": 1 }, { "value": 2 }]));
    assert_eq!((&appended["added"], &appended["removed"]), (&json!(1), &json!(0)));
}
