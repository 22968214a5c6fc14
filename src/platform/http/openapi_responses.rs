//! Error responses and links of the operations in the OpenAPI document.
//!
//! Both are derived from the method, the credentials and the types of an operation.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::route::Pool;
use super::route::Security;

/// Schema extension that names the path placeholder for which a response field is a valid value.
///
/// Example: `#[schemars(extend("x-placeholder" = "doc"))]`.
const PLACEHOLDER: &str = "x-placeholder";

/// Member of an operation under construction that marks errors in plain text, without problem
/// documents. The finished document does not contain it.
pub const PLAIN_ERRORS: &str = "x-plain-errors";

/// Status and description of the problems that operations can return. The statuses are a subset of
/// those in `error.rs`.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "The request is malformed or violates a rule"),
    (401, "The credentials are missing or invalid"),
    (402, "The organization needs a seat or a plan for this"),
    (403, "The caller may read the object but not perform this operation on it"),
    (404, "The object does not exist, or the caller may not know that it exists"),
    (408, "The request body did not arrive in time"),
    (409, "The request conflicts with the current state"),
    (412, "The object changed since the caller read it"),
    (413, "The request is larger than a limit"),
    (415, "The operation does not accept this type of body"),
    (429, "Too many requests; Retry-After contains the seconds to wait"),
    (500, "Internal error of the server"),
    (503, "The server is busy, or cannot use its files; retry shortly"),
    (504, "A remote server did not respond in time or failed; nothing was changed"),
    (507, "The disk of the server is full, or the account would exceed its storage quota"),
];

/// Returns the shared response components: two per problem, as a document and as plain text, and
/// `NotModified`.
pub fn response_components() -> Map<String, Value> {
    let problem = |(status, description): &(u16, &str)| {
        let shape = json!({ "$ref": "#/components/schemas/Problem" });
        let content = json!({ "application/problem+json": { "schema": shape } });
        (format!("Problem{status}"), json!({ "description": description, "content": content }))
    };
    let plain = |(status, description): &(u16, &str)| {
        let content = json!({ "text/plain": { "schema": { "type": "string" } } });
        (format!("Plain{status}"), json!({ "description": description, "content": content }))
    };
    let mut all: Map<String, Value> =
        PROBLEMS.iter().map(problem).chain(PROBLEMS.iter().map(plain)).collect();
    let unchanged = "With If-None-Match: the content has not changed";
    all.insert("NotModified".to_owned(), json!({ "description": unchanged }));
    all
}

/// Adds the error responses that the method, the credentials and the input of an operation make
/// possible, and 304 for GET. 429, 500 and 503 are always possible, 402, 409, 412 and 507 only if
/// the method is not GET, and 504 only in the remote pool.
///
/// The operation must already contain its parameters, its request body and its success response.
pub fn add_error_responses(operation: &mut Value, method: &str, security: Security, pool: Pool) {
    let is_read = method == "GET";
    let has_body = operation.get("requestBody").is_some();
    let has_input = has_body
        || operation["parameters"].as_array().is_some_and(|parameters| !parameters.is_empty());
    let checks_caller = security != Security::Open || !is_read;
    let is_possible = |status: u16| match status {
        400 => has_input,
        401 | 403 => checks_caller,
        404 => has_input || security == Security::Optional,
        402 | 409 | 412 | 507 => !is_read,
        408 | 413 | 415 => has_body,
        504 => pool == Pool::Remote,
        _ => true,
    };
    let is_plain =
        operation.as_object_mut().is_some_and(|members| members.remove(PLAIN_ERRORS).is_some());
    let kind = if is_plain { "Plain" } else { "Problem" };
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, _) in PROBLEMS.iter().filter(|(status, _)| is_possible(*status)) {
        let reference = format!("#/components/responses/{kind}{status}");
        responses.insert(status.to_string(), json!({ "$ref": reference }));
    }
    if is_read && !is_plain {
        let reference = "#/components/responses/NotModified";
        responses.insert("304".to_owned(), json!({ "$ref": reference }));
    }
}

/// Adds OpenAPI links from 200 responses to the operations that can follow.
///
/// A link to an operation needs a value for each placeholder of its path. At least one value must
/// come from a response field that is marked with [`PLACEHOLDER`]. The others may come from the
/// path of the request.
pub fn add_links(document: &mut Value) {
    let targets = list_operations_with_placeholders(document);
    let schemas = document["components"]["schemas"].clone();
    let Some(paths) = document["paths"].as_object_mut() else { return };
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations {
        let own = operation["operationId"].clone();
        let known = list_path_parameters(operation);
        let Some(response) = operation.pointer_mut("/responses/200") else { continue };
        let schema = &response["content"]["application/json"]["schema"];
        let marked = list_placeholder_fields(schema, &schemas);
        let mut links = Map::new();
        for (id, names) in targets.iter().filter(|(id, _)| own != id.as_str()) {
            let find_field =
                |name: &String| marked.iter().find(|(placeholder, _)| placeholder == name);
            let values: Option<Map<String, Value>> = names
                .iter()
                .map(|name| {
                    let expression = match find_field(name) {
                        Some((_, field)) => format!("$response.body#/{field}"),
                        None if known.contains(name) => format!("$request.path.{name}"),
                        None => return None,
                    };
                    Some((format!("path.{name}"), Value::String(expression)))
                })
                .collect();
            if let Some(parameters) =
                values.filter(|_| names.iter().any(|name| find_field(name).is_some()))
            {
                links.insert(id.clone(), json!({ "operationId": id, "parameters": parameters }));
            }
        }
        if !links.is_empty() {
            response["links"] = links.into();
        }
    }
}

/// Returns the id and the placeholder names of each operation that has placeholders in its path.
/// Skips operations without placeholders.
fn list_operations_with_placeholders(document: &Value) -> Vec<(String, Vec<String>)> {
    let paths = document["paths"].as_object().into_iter().flat_map(Map::values);
    let operations = paths.filter_map(Value::as_object).flat_map(Map::values);
    let described = operations.filter_map(|operation| {
        Some((operation["operationId"].as_str()?.to_owned(), list_path_parameters(operation)))
    });
    described.filter(|(_, names)| !names.is_empty()).collect()
}

/// Returns the names of the placeholders in the path of an operation.
fn list_path_parameters(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let in_path = parameters.filter(|parameter| parameter["in"] == "path");
    in_path.filter_map(|parameter| Some(parameter["name"].as_str()?.to_owned())).collect()
}

/// Returns a pair of placeholder name and field name for each field that is marked with
/// `PLACEHOLDER`. Follows a `$ref` of `schema` into `schemas`. Fields of nested objects do not
/// count.
fn list_placeholder_fields(schema: &Value, schemas: &Value) -> Vec<(String, String)> {
    let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let schema = name.map_or(schema, |name| &schemas[name]);
    let fields = schema["properties"].as_object().into_iter().flatten();
    let marked = fields.filter_map(|(field, property)| {
        Some((property[PLACEHOLDER].as_str()?.to_owned(), field.clone()))
    });
    marked.collect()
}
