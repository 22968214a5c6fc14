//! The description of the interface says what there is, no less and no more.

use std::collections::BTreeSet;

use chartroom::routes;
use serde_json::Value;

use super::Server;

/// Method and path with the placeholders' names left out: methods may name them differently.
fn shape(method: &str, path: &str) -> String {
    let mut text = format!("{} ", method.to_uppercase());
    let mut inside = false;
    for character in path.chars() {
        if character == '{' {
            inside = true;
        }
        if !inside {
            text.push(character);
        }
        if character == '}' {
            text.push_str("{}");
            inside = false;
        }
    }
    text
}

fn document() -> Value {
    let server = Server::new(routes::all());
    let answer = server.get("/api/v1/openapi.json");
    assert_eq!(answer.status, 200);
    assert!(answer.header("etag").is_some());
    answer.json()
}

#[test]
fn it_has_every_route_and_no_other() {
    let described: BTreeSet<String> = document()["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| shape(method, path))
        })
        .collect();
    let routes = routes::all();
    let api = |path: &str| path.starts_with("/api/v1/");
    let there: BTreeSet<String> = routes
        .iter()
        .filter(|route| api(route.path))
        .map(|route| shape(route.method, route.path))
        .collect();
    assert!(there.contains("GET /api/v1/openapi.json"));
    assert_eq!(described, there);
}

#[test]
fn it_holds_together() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let place = format!("{method} {path}");
            assert!(ids.insert(operation["operationId"].to_string()), "{place}: id used twice");
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{place}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|it| it.starts_with('2')), "{place}: no success");
            assert!(responses.contains_key("500"), "{place}");
            let parameters = operation["parameters"].as_array().unwrap();
            let in_path = parameters.iter().filter(|it| it["in"] == "path").count();
            assert_eq!(in_path, path.matches('{').count(), "{place}");
        }
    }
    references(&document, &document);
}

/// Every `$ref` leads somewhere.
fn references(value: &Value, document: &Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(to)) = object.get("$ref") {
                let pointer = to.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{to} leads nowhere");
            }
            object.values().for_each(|it| references(it, document));
        }
        Value::Array(items) => items.iter().for_each(|it| references(it, document)),
        _ => {}
    }
}
