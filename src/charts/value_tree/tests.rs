//! Tests of trees of values.

use serde_json::json;

use super::*;
use crate::Locale;
use crate::Style;
use crate::Theme;
use crate::color::WHITE;
use crate::find_kind;

fn tree(data: &Value, max_siblings: usize) -> (ValueTree, Vec<String>) {
    let mut scene = Scene::new(100.0, 100.0, WHITE);
    let tree = read(data, max_siblings, &mut scene);
    (tree, scene.warnings)
}

fn read(data: &Value, max_siblings: usize, scene: &mut Scene) -> ValueTree {
    let chart = Chart {
        kind: find_kind("treemap").unwrap(),
        title: "",
        settings: &json!({}),
        data: data.as_array().unwrap(),
        theme: &Theme::default(),
        style: &Style::default(),
        width: 100.0,
        height: 100.0,
        default_locale: Locale::default(),
        interactive: false,
        id_prefix: "",
    };
    ValueTree::read(&chart, scene, max_siblings)
}

fn top_level(tree: &ValueTree) -> Vec<(&str, f64)> {
    tree.nodes_at(&tree.top_level).map(|node| (node.label.as_str(), node.value)).collect()
}

#[test]
fn groups_without_a_record_are_created() {
    let (tree, _) = tree(
        &json!([{"label": "a", "parent": "G", "value": 1}, {"label": "b", "parent": "G", "value": 2},
                {"label": "H", "value": 9}]),
        10,
    );
    assert_eq!(top_level(&tree), [("H", 9.0), ("G", 3.0)]);
}

#[test]
fn a_path_of_groups_keeps_equal_names_apart() {
    let records = json!([{"parent": "Europe › Germany", "label": "Berlin", "value": 3},
        {"parent": "Europe › Germany", "label": "Other", "value": 5},
        {"parent": "Europe › Other", "label": "Berlin", "value": 1},
        {"parent": "Asia › Other › South", "label": "Goa", "value": 2},
        {"parent": "Asia", "label": "Fuji", "value": 4}, {"label": "Africa", "value": 1},
        {"parent": "Africa › Mali", "label": "Ségou", "value": 7}]);
    let (tree, _) = tree(&records, 10);
    let children = |label: &str| {
        let node = tree.nodes.iter().find(|node| node.label == label).unwrap();
        let children = tree.nodes_at(&node.children);
        children.map(|node| (node.label.as_str(), node.value)).collect::<Vec<_>>()
    };
    assert_eq!(top_level(&tree), [("Europe", 9.0), ("Africa", 7.0), ("Asia", 6.0)]);
    assert_eq!(children("Europe"), [("Germany", 8.0), ("Other", 1.0)]);
    assert_eq!(children("Germany"), [("Other", 5.0), ("Berlin", 3.0)]);
    assert_eq!(children("Asia"), [("Fuji", 4.0), ("Other", 2.0)]);
    assert_eq!(children("Africa"), [("Mali", 7.0)]);
}

#[test]
fn a_group_and_its_records_keep_a_label_that_parts_of_other_groups_have() {
    let records = json!([{"parent": "Energy", "label": "Oil", "value": 30},
        {"parent": "Energy", "label": "Other", "value": 7},
        {"parent": "Energy", "label": "Rail", "value": 2},
        {"parent": "Transport", "label": "Rail", "value": 5},
        {"parent": "Other", "label": "Other", "value": 4},
        {"parent": "Other", "label": "Waste", "value": 6},
        {"parent": "Rail", "label": "Tracks", "value": 1}]);
    let (tree, warnings) = tree(&records, 10);
    let groups = [("Energy", 39.0), ("Other", 10.0), ("Transport", 5.0), ("Rail", 1.0)];
    assert_eq!(top_level(&tree), groups);
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn a_record_without_a_value_or_parent_is_the_group_of_its_label() {
    let records = json!([{"label": "Other", "value": 5},
        {"label": "Other", "parent": "Energy", "value": 1},
        {"label": "Rest", "parent": "Energy"}, {"label": "a", "parent": "Other", "value": 8},
        {"label": "b", "parent": "Rest", "value": 2}]);
    let mut scene = Scene::new(100.0, 100.0, WHITE);
    let tree = read(&records, 10, &mut scene);
    assert_eq!(top_level(&tree), [("Other", 8.0), ("Energy", 3.0)]);
    assert_eq!(scene.omissions, [(Omission::LargerParts, 1)]);
}

#[test]
fn a_record_with_the_total_of_its_group_is_no_part() {
    let part = |label: &str, value: f64| json!({"parent": "Asia", "label": label, "value": value});
    for (label, total, want) in [
        ("", 300.0, vec![("Japan", 200.0), ("Korea", 100.0)]),
        ("Total", 300.0, vec![("Japan", 200.0), ("Korea", 100.0)]),
        ("Asia total", 299.9, vec![("Japan", 200.0), ("Korea", 100.0)]),
        ("Asia", 301.0, vec![("Japan", 200.0), ("Korea", 100.0), ("Other", 1.0)]),
        ("Total", 350.0, vec![("Japan", 200.0), ("Korea", 100.0), ("Other", 50.0)]),
        // Parts that have the name of their group, or no name.
        ("Asia", 350.0, vec![("Asia", 350.0), ("Japan", 200.0), ("Korea", 100.0)]),
        ("", 350.0, vec![("", 350.0), ("Japan", 200.0), ("Korea", 100.0)]),
        // Smaller than the sum of the others: a part.
        ("", 90.0, vec![("Japan", 200.0), ("Korea", 100.0), ("", 90.0)]),
        ("Asia Minor", 300.0, vec![("Asia Minor", 300.0), ("Japan", 200.0), ("Korea", 100.0)]),
    ] {
        let records = json!([part(label, total), part("Japan", 200.0), part("Korea", 100.0)]);
        let (tree, warnings) = tree(&records, 10);
        assert_eq!(top_level(&tree), want, "{label}");
        let has_note = warnings.iter().any(|text| text.contains("sum of their group: Asia."));
        assert_eq!(has_note, (label, total) == ("Total", 350.0), "{warnings:?}");
    }
}

#[test]
fn records_without_area_are_counted_by_reason_and_blank_lines_are_not() {
    let records = json!([{"label": "a", "value": 1}, {"label": "b", "value": 0},
                         {"label": "c", "value": "n/a"}, {"label": "", "value": null},
                         {"label": "d", "value": -2}, {"label": "G"},
                         {"label": "e", "parent": "G", "value": 3}]);
    let mut scene = Scene::new(100.0, 100.0, WHITE);
    read(&records, 10, &mut scene);
    let one = |omission| (omission, 1);
    assert_eq!(
        scene.omissions,
        [one(Omission::NoValue), one(Omission::Zero), one(Omission::BelowZero)]
    );
}

#[test]
fn a_cycle_is_broken() {
    let (tree, warnings) = tree(
        &json!([{"label": "a", "parent": "b", "value": 1}, {"label": "b", "parent": "c"},
                {"label": "c", "parent": "a"}, {"label": "d", "parent": "d", "value": 4}]),
        10,
    );
    assert_eq!(top_level(&tree), [("d", 4.0), ("a", 1.0)]);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn a_group_larger_than_its_children_gets_an_other_node() {
    let (tree, _) = tree(
        &json!([{"label": "All", "value": 10}, {"label": "a", "parent": "All", "value": 4},
                {"label": "b", "parent": "All", "value": -1}]),
        10,
    );
    assert_eq!(top_level(&tree), [("a", 4.0), ("Other", 6.0)]);
    assert_eq!(tree.root, Some(0));
}

#[test]
fn many_siblings_are_merged() {
    let data: Vec<Value> = (1..=9).map(|n| json!({"label": n.to_string(), "value": n})).collect();
    let (tree, _) = tree(&json!(data), 3);
    assert_eq!(top_level(&tree), [("9", 9.0), ("8", 8.0), ("Other (7)", 28.0)]);
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let data: Vec<Value> =
        (0..50_000).map(|id| json!({"id": id, "parent": id + 1, "value": 1})).collect();
    let (tree, _) = tree(&json!(data), 5);
    assert_eq!(tree.nodes_at(&tree.top_level).map(|node| node.value).sum::<f64>(), 1.0);
}
