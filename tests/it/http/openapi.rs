//! Tests of the OpenAPI document.

use std::collections::BTreeSet;

use chartroom::routes;
use chartroom_platform::http::Pool;
use serde_json::Value;
use serde_json::json;

use super::HttpTestServer;

/// Returns method and path without the names of placeholders, which may differ between methods.
fn anonymous_route(method: &str, path: &str) -> String {
    let mut text = format!("{} ", method.to_uppercase());
    let mut in_placeholder = false;
    for character in path.chars() {
        if character == '{' {
            in_placeholder = true;
        }
        if !in_placeholder {
            text.push(character);
        }
        if character == '}' {
            text.push_str("{}");
            in_placeholder = false;
        }
    }
    text
}

/// Returns the OpenAPI document of a running server.
fn openapi_document() -> Value {
    let server = HttpTestServer::with_all_routes();
    let response = server.get("/api/v1/openapi.json");
    assert_eq!(response.status, 200);
    assert!(response.header("etag").is_some());
    response.json()
}

/// Compares the document in the program with the routes. `UPDATE_SNAPSHOTS=1` writes the file first; then
/// build the program again.
#[test]
fn openapi_file_is_that_of_the_routes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/routes/openapi.json");
    let text = routes::generate_openapi_text();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let is_same = std::fs::read_to_string(path).unwrap() == text;
    assert!(is_same, "src/routes/openapi.json differs; review and run with UPDATE_SNAPSHOTS=1");
}

#[test]
fn openapi_describes_exactly_the_api_routes() {
    let described: BTreeSet<String> = openapi_document()["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| anonymous_route(method, path))
        })
        .collect();
    let routes = routes::all_routes();
    let is_api = |path: &str| {
        ["/api/v1/", "/sso/scim/"].iter().any(|prefix| path.starts_with(prefix))
            || path == "/sso/saml2"
    };
    // Only the error of the groups is a part of the interface, and responses of SAML are posted by browsers.
    let is_absent = |path: &str| path.ends_with("/Groups") || path == "/sso/saml2";
    let existing: BTreeSet<String> = routes
        .iter()
        .filter(|route| is_api(route.path) && !(is_absent(route.path) && route.method != "GET"))
        .map(|route| anonymous_route(route.method, route.path))
        .collect();
    assert!(existing.contains("GET /api/v1/openapi.json"));
    assert_eq!(described, existing);
}

#[test]
fn openapi_document_is_consistent() {
    let document = openapi_document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let operation_name = format!("{method} {path}");
            assert!(
                ids.insert(operation["operationId"].to_string()),
                "{operation_name}: id used twice"
            );
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{operation_name}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(
                responses.keys().any(|status| status.starts_with('2')),
                "{operation_name}: no success"
            );
            assert!(responses.contains_key("500"), "{operation_name}");
            let parameters = operation["parameters"].as_array().unwrap();
            let path_parameter_count =
                parameters.iter().filter(|parameter| parameter["in"] == "path").count();
            assert_eq!(path_parameter_count, path.matches('{').count(), "{operation_name}");
        }
    }
    assert_references_resolve(&document, &document);
}

/// Path of a connection to cloud storage.
const CONNECTION: &str = "/api/v1/cloud/{provider}/{connection}";

#[test]
fn only_operations_that_wait_for_other_servers_return_504() {
    let document = openapi_document();
    for route in routes::all_routes().iter().filter(|route| route.summary.is_some()) {
        let path = route.path.replace("{*", "{");
        let operation = &document["paths"][&path][route.method.to_lowercase()];
        let waits = route.path.ends_with("/domains/{domain}/verify")
            || route.path == "/api/v1/tables/download"
            || route.path.starts_with("/api/v1/sync/document") && route.method != "DELETE"
            || route.path == "/api/v1/create-document"
            || route.path.starts_with("/api/v1/cloud-preview/")
            || route.path.starts_with(CONNECTION)
                && route.path != CONNECTION
                && !route.path.ends_with("/request-preview")
                && route.path != format!("{CONNECTION}/rename");
        assert_eq!(route.pool == Pool::Remote, waits, "{} {path}", route.method);
        let is_described = operation["responses"].get("504").is_some();
        assert_eq!(is_described, waits, "{} {path}", route.method);
    }
}

#[test]
fn openapi_links_match_their_target_operations() {
    let document = openapi_document();
    let paths = document["paths"].as_object().unwrap();
    let operations = || paths.values().flat_map(|item| item.as_object().unwrap().values());
    for operation in operations() {
        let links = operation["responses"]["200"]["links"].as_object();
        for link in links.into_iter().flat_map(|links| links.values()) {
            let target =
                operations().find(|operation| operation["operationId"] == link["operationId"]);
            let target = target.unwrap_or_else(|| panic!("{link} leads nowhere"));
            let required = target["parameters"].as_array().unwrap().iter();
            let required: BTreeSet<String> = required
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| format!("path.{}", parameter["name"].as_str().unwrap()))
                .collect();
            let provided = link["parameters"].as_object().unwrap().keys().cloned().collect();
            assert_eq!(required, provided, "{link}");
        }
    }
    let links = |path: &str| &paths[path]["post"]["responses"]["200"]["links"];
    let document_link =
        &links("/api/v1/create-document")["putUsersUserIdDocumentsDocData"]["parameters"];
    let owner = "$response.body#/owner";
    assert_eq!(*document_link, json!({ "path.user_id": owner, "path.doc": "$response.body#/id" }));
    let team_link = &links("/api/v1/orgs/{org}/teams")["deleteOrgsOrgTeamTeam"]["parameters"];
    assert_eq!(
        *team_link,
        json!({ "path.org": "$request.path.org", "path.team": "$response.body#/id" })
    );
}

/// Panics if a `$ref` in a value has no target in the document.
fn assert_references_resolve(value: &Value, document: &Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get("$ref") {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
            }
            object.values().for_each(|child| assert_references_resolve(child, document));
        }
        Value::Array(items) => {
            items.iter().for_each(|child| assert_references_resolve(child, document))
        }
        _ => {}
    }
}
