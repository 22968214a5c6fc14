//! The OpenAPI 3.1 document, made from the route table and the types that handlers read and give.

use std::collections::BTreeMap;

use hyper::body::Bytes;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::endpoint::Operation;
use super::outcomes;
use super::response::Response;
use super::route::Route;
use super::route::Security;
use crate::crypto;
use crate::error::Result;

/// What all paths of the interface begin with.
const PREFIX: &str = "/api/v1";

/// The document as `GET` answers it: made once, with an entity tag.
pub struct Document {
    text: Bytes,
    tag: String,
}

impl Document {
    /// Describes all routes that have a summary.
    pub fn of<H>(routes: &[Route<H>]) -> Self {
        let text = describe(routes).to_string();
        Self { tag: crypto::checksum62(&text, 16), text: text.into() }
    }

    /// The answer.
    ///
    /// # Errors
    /// None in practice: the tag is base62.
    pub fn response(&self) -> Result<Response> {
        Response::bytes("application/json", self.text.clone()).tagged(&self.tag)
    }
}

/// The document as a value.
fn describe<H>(routes: &[Route<H>]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|it| {
        it.definitions_path = "/components/schemas".into();
        it.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    // A path may be described once, although its methods name the placeholders their own way.
    let mut spelled: BTreeMap<String, &'static str> = BTreeMap::new();
    for route in routes {
        let Some(summary) = route.summary else { continue };
        let path = *spelled.entry(nameless(route.path)).or_insert(route.path);
        let operation = operation(route, path, summary, &mut schemas);
        let item = paths.entry(path.replace("{*", "{")).or_insert_with(|| json!({}));
        item[route.method.to_lowercase()] = operation;
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Chartroom",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Stores, draws and shares chart documents.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": components(schemas),
    });
    outcomes::link(&mut document);
    document
}

/// One method of a path, described under the spelling `path`.
fn operation<H>(
    route: &Route<H>,
    path: &str,
    summary: &str,
    schemas: &mut SchemaGenerator,
) -> Value {
    let parameters: Vec<Value> = names(path)
        .map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
        })
        .collect();
    let mut value = json!({
        "operationId": operation_id(route.method, path),
        "summary": summary,
        "tags": [tag(path)],
        "parameters": parameters,
        "responses": {},
        "security": security(route.security),
    });
    (route.describe)(&mut Operation { schemas, value: &mut value });
    if let Some(answer) = value.pointer_mut("/responses/200/content")
        && answer.get("*/*").is_some()
    {
        *answer = json!({ drawn_as(path): {} });
    }
    outcomes::add(&mut value, route.method, route.security);
    value
}

/// The media type of a path that does not answer JSON, by its suffix.
fn drawn_as(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("html") => "text/html",
        _ => "*/*",
    }
}

fn security(security: Security) -> Value {
    let ways = [json!({ "bearer": [] }), json!({ "basic": [] }), json!({ "cookie": [] })];
    match security {
        Security::Open => json!([]),
        // An empty requirement says that it works without any.
        Security::Optional => json!([{}, ways[0], ways[1], ways[2]]),
        Security::Signed => json!(ways),
    }
}

fn components(mut schemas: SchemaGenerator) -> Value {
    let mut definitions = schemas.take_definitions(true);
    definitions.insert("Problem".to_owned(), problem());
    json!({
        "schemas": definitions,
        "responses": outcomes::components(),
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
                "name": "chartroom_session",
                "description": "The session of the pages",
            },
        },
    })
}

/// The shape that `problem.rs` writes.
fn problem() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "properties": {
            "type": text("Where the built-in documentation explains this error"),
            "title": text("The kind of error"),
            "status": { "type": "integer", "description": "The HTTP status" },
            "detail": text("What is wrong here"),
            "code": text("A stable word for programs"),
            "request_id": text("By which the server's log finds this request"),
            "errors": {
                "type": "array",
                "description": "The fields at fault",
                "items": {
                    "type": "object",
                    "required": ["field", "message"],
                    "properties": {
                        "field": text("Path of the field, or the name of a parameter"),
                        "message": text("What is wrong with it"),
                    },
                },
            },
            "etag": text("With 412: the present entity tag"),
            "updated": text("With 412: when it was last changed"),
            "updated_by": text("With 412: account id of who changed it"),
            "updated_by_name": text("With 412: his name, for callers with an account"),
        },
    })
}

/// The placeholders of a path, in order.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|part| part.split('}').next())
        .map(|it| it.trim_start_matches('*'))
}

/// The path with its placeholders empty: what two spellings have in common.
fn nameless(path: &str) -> String {
    names(path)
        .fold(path.replace("{*", "{"), |path, name| path.replacen(&format!("{{{name}}}"), "{}", 1))
}

/// The words of a path below the prefix, placeholders without their braces.
fn words(path: &str) -> impl Iterator<Item = &str> {
    let below = path.strip_prefix(PREFIX).unwrap_or(path);
    below.split(['/', '-', '_', '.', '{', '}', '*']).filter(|word| !word.is_empty())
}

/// `GET /api/v1/users/{user_id}/list` is `getUsersUserIdList`.
fn operation_id(method: &str, path: &str) -> String {
    let mut id = method.to_lowercase();
    for word in words(path) {
        let (first, rest) = word.split_at(1);
        id.push_str(&first.to_uppercase());
        id.push_str(rest);
    }
    id
}

/// What a path is about: its first segment, or for a user's and an organization's things the third.
fn tag(path: &str) -> &str {
    let below = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut segments = below.split('/').filter(|it| !it.is_empty());
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
    fn names_of_paths() {
        let path = "/api/v1/users/{user_id}/documents/{doc}.png";
        assert_eq!(names(path).collect::<Vec<_>>(), ["user_id", "doc"]);
        assert_eq!(nameless(path), "/api/v1/users/{}/documents/{}.png");
        assert_eq!(operation_id("GET", path), "getUsersUserIdDocumentsDocPng");
        assert_eq!(tag(path), "documents");
        assert_eq!(tag("/api/v1/orgs/{org}/teams"), "orgs");
        assert_eq!(nameless("/a/{*path}"), "/a/{}");
    }
}
