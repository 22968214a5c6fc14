//! The description of the interface says what there is, no less and no more.

use std::collections::BTreeSet;

use chartroom::routes;
use serde_json::Value;
use serde_json::json;

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
    let server = Server::all();
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
    let routes = routes::all_routes();
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

#[test]
fn what_an_answer_names_leads_on() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let operations = || paths.values().flat_map(|item| item.as_object().unwrap().values());
    for operation in operations() {
        let links = operation["responses"]["200"]["links"].as_object();
        for link in links.into_iter().flat_map(|it| it.values()) {
            let target = operations().find(|it| it["operationId"] == link["operationId"]);
            let target = target.unwrap_or_else(|| panic!("{link} leads nowhere"));
            let wanted = target["parameters"].as_array().unwrap().iter();
            let wanted: BTreeSet<String> = wanted
                .filter(|it| it["in"] == "path")
                .map(|it| format!("path.{}", it["name"].as_str().unwrap()))
                .collect();
            let given = link["parameters"].as_object().unwrap().keys().cloned().collect();
            assert_eq!(wanted, given, "{link}");
        }
    }
    let links = |path: &str| &paths[path]["post"]["responses"]["200"]["links"];
    let made = &links("/api/v1/create-document")["putUsersUserIdDocumentsDocData"]["parameters"];
    let owner = "$response.body#/owner";
    assert_eq!(*made, json!({ "path.user_id": owner, "path.doc": "$response.body#/id" }));
    let team = &links("/api/v1/orgs/{org}/teams")["deleteOrgsOrgTeamTeam"]["parameters"];
    assert_eq!(
        *team,
        json!({ "path.org": "$request.path.org", "path.team": "$response.body#/id" })
    );
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
