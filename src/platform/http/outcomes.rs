//! What an operation of the OpenAPI document may answer besides success, and where its answer
//! leads: both follow from its method, its guard and its types.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::route::Security;

/// The extension by which a field of an answer says which placeholder of a path its value fits:
/// `#[schemars(extend("x-placeholder" = "doc"))]`.
pub const PLACEHOLDER: &str = "x-placeholder";

/// Every status of a problem and when it comes, as `error.rs` has them.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "The request cannot be understood or breaks a rule"),
    (401, "No credentials, or bad ones"),
    (402, "A seat or a plan is missing"),
    (403, "The caller sees it but may not do this to it"),
    (404, "There is no such thing, or the caller may not know that there is"),
    (408, "The request did not arrive in time"),
    (409, "It clashes with what is there"),
    (412, "It changed since the caller read it"),
    (413, "Larger than a limit"),
    (415, "The body is of a type that is not read here"),
    (429, "Too many requests; Retry-After says when the next may come"),
    (500, "Our fault"),
    (503, "The server is busy; try again shortly"),
    (507, "The server's disk is full"),
];

/// The problems as components, for all operations.
pub fn components() -> Map<String, Value> {
    let problem = |(status, description): &(u16, &str)| {
        let shape = json!({ "$ref": "#/components/schemas/Problem" });
        let content = json!({ "application/problem+json": { "schema": shape } });
        (format!("Problem{status}"), json!({ "description": description, "content": content }))
    };
    let mut all: Map<String, Value> = PROBLEMS.iter().map(problem).collect();
    let unchanged = "With If-None-Match: it is what the client has already";
    all.insert("NotModified".to_owned(), json!({ "description": unchanged }));
    all
}

/// Adds to an operation, whose parameters, body and success are described, what else it answers.
pub fn add(operation: &mut Value, method: &str, security: Security) {
    let safe = method == "GET";
    let body = operation.get("requestBody").is_some();
    let asks = body || operation["parameters"].as_array().is_some_and(|it| !it.is_empty());
    let who = security != Security::Open || !safe;
    let comes = |status: u16| match status {
        400 => asks,
        401 | 403 => who,
        404 => asks || security == Security::Optional,
        402 | 409 | 412 | 507 => !safe,
        408 | 413 | 415 => body,
        _ => true,
    };
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, _) in PROBLEMS.iter().filter(|(status, _)| comes(*status)) {
        let place = format!("#/components/responses/Problem{status}");
        responses.insert(status.to_string(), json!({ "$ref": place }));
    }
    if safe {
        let place = "#/components/responses/NotModified";
        responses.insert("304".to_owned(), json!({ "$ref": place }));
    }
}

/// Links each answer whose fields say that they fit placeholders ([`PLACEHOLDER`]) with all
/// operations whose path needs one of them, and no others but those of the answered path.
pub fn link(document: &mut Value) {
    let targets = targets(document);
    let schemas = document["components"]["schemas"].clone();
    let Some(paths) = document["paths"].as_object_mut() else { return };
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations {
        let own = operation["operationId"].clone();
        let known = placeholders(operation);
        let Some(answer) = operation.pointer_mut("/responses/200") else { continue };
        let fitting = fitting(&answer["content"]["application/json"]["schema"], &schemas);
        let mut links = Map::new();
        for (id, names) in targets.iter().filter(|(id, _)| own != id.as_str()) {
            let field = |name: &String| fitting.iter().find(|(placeholder, _)| placeholder == name);
            let given: Option<Map<String, Value>> = names
                .iter()
                .map(|name| {
                    let from = match field(name) {
                        Some((_, field)) => format!("$response.body#/{field}"),
                        None if known.contains(name) => format!("$request.path.{name}"),
                        None => return None,
                    };
                    Some((format!("path.{name}"), Value::String(from)))
                })
                .collect();
            if let Some(parameters) = given.filter(|_| names.iter().any(|it| field(it).is_some())) {
                links.insert(id.clone(), json!({ "operationId": id, "parameters": parameters }));
            }
        }
        if !links.is_empty() {
            answer["links"] = links.into();
        }
    }
}

/// Every operation with placeholders in its path: its id and their names.
fn targets(document: &Value) -> Vec<(String, Vec<String>)> {
    let paths = document["paths"].as_object().into_iter().flat_map(Map::values);
    let operations = paths.filter_map(Value::as_object).flat_map(Map::values);
    let described = operations
        .filter_map(|it| Some((it["operationId"].as_str()?.to_owned(), placeholders(it))));
    described.filter(|(_, names)| !names.is_empty()).collect()
}

/// The names of the placeholders in an operation's path.
fn placeholders(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let in_path = parameters.filter(|it| it["in"] == "path");
    in_path.filter_map(|it| Some(it["name"].as_str()?.to_owned())).collect()
}

/// The fields of an answer of this schema that fit placeholders: placeholder and field.
fn fitting(schema: &Value, schemas: &Value) -> Vec<(String, String)> {
    let name = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next());
    let schema = name.map_or(schema, |name| &schemas[name]);
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fitting = fields
        .filter_map(|(field, it)| Some((it[PLACEHOLDER].as_str()?.to_owned(), field.clone())));
    fitting.collect()
}
