//! The OpenAPI 3.1 document, generated from the route table and the types of the handlers.

use std::collections::BTreeMap;

use hyper::body::Bytes;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::caller_key::SESSION_COOKIE_NAME;
use super::endpoint::Operation;
use super::openapi_responses;
use super::response::Response;
use super::route::Route;
use super::route::Security;
use crate::crypto;
use crate::error::Result;

pub use super::openapi_responses::PLAIN_ERRORS;

/// Prefix of all API paths.
const API_PREFIX: &str = "/api/v1";

/// The serialized OpenAPI document and its entity tag.
pub struct OpenApiDocument {
    text: &'static str,
    tag: String,
}

/// Describes all routes that have a summary. Each operation and each schema is a line of the text, so that
/// changes are easy to review.
pub fn generate_text<H, C>(routes: &[Route<H, C>]) -> String {
    let mut text = String::new();
    append_lines(&build_document(routes), 3, &mut text);
    text.push('\n');
    text
}

/// Appends JSON with a line for each member of an object, and of the objects in it down to `depth`.
fn append_lines(value: &Value, depth: u32, text: &mut String) {
    let Some(object) = value.as_object().filter(|object| depth > 0 && !object.is_empty()) else {
        text.push_str(&value.to_string());
        return;
    };
    let mut separator = "{\n";
    for (name, member) in object {
        text.push_str(separator);
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        append_lines(member, depth - 1, text);
        separator = ",\n";
    }
    text.push_str("\n}");
}

impl OpenApiDocument {
    /// Returns the document with this text of [`generate_text`]. Its entity tag is a checksum of the text.
    pub fn from_text(text: &'static str) -> Self {
        Self { tag: crypto::base62_checksum(text, 16), text }
    }

    /// Returns the response to `GET` of the document.
    ///
    /// # Errors
    /// Does not fail in practice, because the tag is base62.
    pub fn response(&self) -> Result<Response> {
        Response::bytes("application/json", Bytes::from_static(self.text.as_bytes()))
            .with_etag(&self.tag)
    }
}

/// Builds the document of the routes that have a summary as a JSON value. Routes that differ only
/// in their method or in the names of placeholders share one path object.
fn build_document<H, C>(routes: &[Route<H, C>]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    // OpenAPI allows a path only once. If methods name their placeholders differently, the first
    // spelling is used for all of them.
    let mut spellings: BTreeMap<String, &'static str> = BTreeMap::new();
    for route in routes {
        let Some(summary) = route.summary else { continue };
        let path = *spellings.entry(remove_placeholder_names(route.path)).or_insert(route.path);
        let operation = describe_operation(route, path, summary, &mut schemas);
        let item = paths.entry(path.replace("{*", "{")).or_insert_with(|| json!({}));
        item[route.method.to_lowercase()] = operation;
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Chartroom",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Stores, renders and shares chart documents.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": build_components(schemas),
    });
    openapi_responses::add_links(&mut document);
    document
}

/// Returns the operation object of one route, with parameters, body, responses and security. `path`
/// is the spelling of its path that the document uses. The types of the handler add their schemas
/// to `schemas`.
fn describe_operation<H, C>(
    route: &Route<H, C>,
    path: &str,
    summary: &str,
    schemas: &mut SchemaGenerator,
) -> Value {
    let parameters: Vec<Value> = list_placeholder_names(path)
        .map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
        })
        .collect();
    let mut value = json!({
        "operationId": build_operation_id(route.method, path),
        "summary": summary,
        "tags": [choose_operation_tag(path)],
        "parameters": parameters,
        "responses": {},
        "security": build_security_requirements(route.security),
    });
    (route.describe)(&mut Operation { schemas, value: &mut value });
    if let Some(content) = value.pointer_mut("/responses/200/content")
        && content.get("*/*").is_some()
    {
        *content = json!({ media_type_by_suffix(path): {} });
    }
    openapi_responses::add_error_responses(&mut value, route.method, route.security, route.pool);
    value
}

/// Returns the media type of a response that is not JSON, by the suffix `svg`, `png`, `html` or
/// `pdf` of its path; `*/*` for other paths.
fn media_type_by_suffix(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("html") => "text/html",
        Some("pdf") => "application/pdf",
        _ => "*/*",
    }
}

/// Returns the security requirements of an operation: none, bearer, or a choice of bearer, basic and
/// cookie. If credentials are optional, the choice also contains the empty requirement.
fn build_security_requirements(security: Security) -> Value {
    let schemes = [json!({ "bearer": [] }), json!({ "basic": [] }), json!({ "cookie": [] })];
    match security {
        Security::Open => json!([]),
        // The empty requirement means that credentials are optional.
        Security::Optional => json!([{}, schemes[0], schemes[1], schemes[2]]),
        Security::Required => json!(schemes),
        Security::Token => json!([schemes[0]]),
    }
}

/// Returns the components: the collected schemas and `Problem`, the shared responses, and the
/// security schemes.
fn build_components(mut schemas: SchemaGenerator) -> Value {
    let mut definitions = schemas.take_definitions(true);
    definitions.insert("Problem".to_owned(), build_problem_schema());
    json!({
        "schemas": definitions,
        "responses": openapi_responses::response_components(),
        "securitySchemes": {
            "bearer": { "type": "http", "scheme": "bearer", "description": "A personal API token" },
            "basic": {
                "type": "http",
                "scheme": "basic",
                "description": "Account id, username or e-mail address, and the password",
            },
            "cookie": {
                "type": "apiKey",
                "in": "cookie",
                "name": SESSION_COOKIE_NAME,
                "description": "The session of a signed-in browser. On a server with TLS the name of \
                                the cookie begins with `__Host-`",
            },
        },
    })
}

/// Returns the schema of the documents that `problem.rs` writes.
fn build_problem_schema() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "properties": {
            "type": text("Path of the page of the built-in documentation about this error"),
            "title": text("Title of the kind of error"),
            "status": { "type": "integer", "description": "HTTP status" },
            "detail": text("Description of this error"),
            "code": text("Stable identifier of the kind of error, for programs"),
            "request_id": text("Id of the request in the log of the server"),
            "errors": {
                "type": "array",
                "description": "Invalid fields",
                "items": {
                    "type": "object",
                    "required": ["field", "message"],
                    "properties": {
                        "field": text("Path of the field, or the name of a parameter"),
                        "message": text("Description of the mistake"),
                    },
                },
            },
            "etag": text("With 412: current entity tag"),
            "updated": text("With 412: time of the last change"),
            "updated_by": text("With 412: account id of the author of the last change"),
            "updated_by_name": text("With 412: name of that author, only for callers with an account"),
        },
    })
}

/// Returns the names of the placeholders of a path, in order and without braces and a leading `*`.
fn list_placeholder_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|part| part.split('}').next())
        .map(|name| name.trim_start_matches('*'))
}

/// Removes the names of the placeholders: `/a/{b}` becomes `/a/{}`. A leading `*` is removed too.
fn remove_placeholder_names(path: &str) -> String {
    list_placeholder_names(path)
        .fold(path.replace("{*", "{"), |path, name| path.replacen(&format!("{{{name}}}"), "{}", 1))
}

/// Splits a path below the prefix into words at slashes, hyphens, underscores, dots and braces.
/// Placeholders count as their names.
fn split_path_words(path: &str) -> impl Iterator<Item = &str> {
    let below = path.strip_prefix(API_PREFIX).unwrap_or(path);
    below.split(['/', '-', '_', '.', '{', '}', '*']).filter(|word| !word.is_empty())
}

/// Returns the operation id: `GET /api/v1/users/{user_id}/list` becomes `getUsersUserIdList`.
fn build_operation_id(method: &str, path: &str) -> String {
    let mut id = method.to_lowercase();
    for word in split_path_words(path) {
        let (first, rest) = word.split_at(1);
        id.push_str(&first.to_uppercase());
        id.push_str(rest);
    }
    id
}

/// Returns the tag that groups an operation: the first path segment below the prefix, or `pages` if
/// there is none.
///
/// Below `/users` it is the third segment, if there is one, up to its first dot or placeholder.
fn choose_operation_tag(path: &str) -> &str {
    let below = path.strip_prefix(API_PREFIX).unwrap_or(path);
    let mut segments = below.split('/').filter(|segment| !segment.is_empty());
    let first = segments.next().unwrap_or("pages");
    match (first, segments.nth(1)) {
        ("users", Some(third)) => third.split(['.', '{']).next().unwrap_or(third),
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_ids_and_tags_of_paths() {
        let path = "/api/v1/users/{user_id}/documents/{doc}.png";
        assert_eq!(list_placeholder_names(path).collect::<Vec<_>>(), ["user_id", "doc"]);
        assert_eq!(remove_placeholder_names(path), "/api/v1/users/{}/documents/{}.png");
        assert_eq!(build_operation_id("GET", path), "getUsersUserIdDocumentsDocPng");
        assert_eq!(choose_operation_tag(path), "documents");
        assert_eq!(choose_operation_tag("/api/v1/orgs/{org}/teams"), "orgs");
        assert_eq!(remove_placeholder_names("/a/{*path}"), "/a/{}");
    }
}
