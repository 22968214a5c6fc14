//! Typed handlers: what a handler takes and gives is its row in the OpenAPI document.

use std::marker::PhantomData;

use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use schemars::JsonSchema;
use schemars::SchemaGenerator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;

use super::request::Request;
use super::response::Response;
use crate::error::Error;
use crate::error::Result;

/// Deepest nesting of a JSON body.
pub const MAX_JSON_DEPTH: usize = 64;

/// One operation of the OpenAPI document while it is being described.
pub struct Operation<'a> {
    /// Collects the schemas of named types.
    pub schemas: &'a mut SchemaGenerator,
    /// The operation object.
    pub value: &'a mut Value,
}

/// Something a handler takes from the request.
pub trait Input: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// Whatever is wrong with the request, with the field named.
    fn of(request: &Request) -> Result<Self>;

    /// Says in the operation what it reads.
    fn describe(operation: &mut Operation<'_>);
}

/// Something a handler gives.
pub trait Output {
    /// As an answer.
    fn into_response(self) -> Result<Response>;

    /// Says in the operation what it gives.
    fn describe(operation: &mut Operation<'_>);
}

/// A JSON body, in or out.
pub struct Json<T>(pub T);

/// A JSON body that must be there, although all its fields may be absent.
pub struct Given<T>(pub T);

/// The query string as a struct.
pub struct Query<T>(pub T);

/// 204.
pub struct NoContent;

/// Takes nothing from the request; says that 409 may come although the method is GET.
pub struct Clashing;

/// JSON text that is already written, of the shape of `T`, with its headers.
pub struct Raw<T> {
    /// The whole answer.
    pub response: Response,
    shape: PhantomData<T>,
}

/// 204 with headers of its own.
pub struct Bare(pub Response);

/// JSON of the shape of `T`, or 204: an action of which only some wishes bring something back.
pub struct Perhaps<T> {
    /// The whole answer.
    pub response: Response,
    shape: PhantomData<T>,
}

impl<T> Perhaps<T> {
    /// Says that `reply` is a 204 or carries JSON of the shape of `T`.
    pub fn new(response: Response) -> Self {
        Self { response, shape: PhantomData }
    }
}

impl<T> Raw<T> {
    /// Says that `reply` carries JSON of the shape of `T`.
    pub fn new(response: Response) -> Self {
        Self { response, shape: PhantomData }
    }
}

impl Input for () {
    fn of(_: &Request) -> Result<Self> {
        Ok(())
    }

    fn describe(_: &mut Operation<'_>) {}
}

impl Input for Clashing {
    fn of(_: &Request) -> Result<Self> {
        Ok(Self)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["409"] =
            json!({ "$ref": "#/components/responses/Problem409" });
    }
}

/// Refuses an array where an object is due: what is read field by field would take the fields from
/// the array, in their order.
fn check_shape<T: JsonSchema>(request: &Request) -> Result<()> {
    let is_array = request.body.iter().find(|it| !it.is_ascii_whitespace()) == Some(&b'[');
    if is_array && schemars::schema_for!(T).get("type").is_some_and(|it| it == "object") {
        return Err(Error::field("body", "must be a JSON object"));
    }
    Ok(())
}

impl<T: DeserializeOwned + JsonSchema> Input for Json<T> {
    fn of(request: &Request) -> Result<Self> {
        check_shape::<T>(request)?;
        Ok(Self(json(request)?))
    }

    fn describe(operation: &mut Operation<'_>) {
        // An absent body counts as `{}`.
        let shape = T::json_schema(operation.schemas);
        let needed =
            shape.get("required").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
        let schema = operation.schemas.subschema_for::<T>();
        operation.value["requestBody"] = json!({
            "required": needed,
            "content": { "application/json": { "schema": schema } },
        });
    }
}

impl<T: DeserializeOwned + JsonSchema> Input for Given<T> {
    fn of(request: &Request) -> Result<Self> {
        if request.body.is_empty() {
            return Err(Error::field("body", "must be a JSON object"));
        }
        check_shape::<T>(request)?;
        Ok(Self(json(request)?))
    }

    fn describe(operation: &mut Operation<'_>) {
        Json::<T>::describe(operation);
        operation.value["requestBody"]["required"] = true.into();
    }
}

impl<T: DeserializeOwned + JsonSchema> Input for Query<T> {
    fn of(request: &Request) -> Result<Self> {
        Ok(Self(request.query()?))
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.root_schema_for::<T>().to_value();
        let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
        let Some(properties) = schema["properties"].as_object() else { return };
        for (name, property) in properties {
            let mut property = property.clone();
            let description = property.as_object_mut().and_then(|it| it.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": "query",
                "required": required.iter().any(|it| it == name),
                "schema": property,
            });
            if let Some(text) = description {
                parameter["description"] = text;
            }
            if let Some(list) = operation.value["parameters"].as_array_mut() {
                list.push(parameter);
            }
        }
    }
}

impl<A: Input, B: Input> Input for (A, B) {
    fn of(request: &Request) -> Result<Self> {
        Ok((A::of(request)?, B::of(request)?))
    }

    fn describe(operation: &mut Operation<'_>) {
        A::describe(operation);
        B::describe(operation);
    }
}

impl<T: Serialize + JsonSchema> Output for Json<T> {
    fn into_response(self) -> Result<Response> {
        Response::json(&self.0)
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        answers(operation, "application/json", json!(schema));
    }
}

impl<T: JsonSchema> Output for Raw<T> {
    fn into_response(self) -> Result<Response> {
        Ok(self.response)
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        answers(operation, "application/json", json!(schema));
    }
}

impl Output for NoContent {
    fn into_response(self) -> Result<Response> {
        Ok(Response::no_content())
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["204"] = json!({ "description": "Done, without content" });
    }
}

impl Output for Bare {
    fn into_response(self) -> Result<Response> {
        Ok(self.0)
    }

    fn describe(operation: &mut Operation<'_>) {
        NoContent::describe(operation);
    }
}

impl<T: JsonSchema> Output for Perhaps<T> {
    fn into_response(self) -> Result<Response> {
        Ok(self.response)
    }

    fn describe(operation: &mut Operation<'_>) {
        Raw::<T>::describe(operation);
        NoContent::describe(operation);
    }
}

/// A picture, a page or a redirect: not JSON.
impl Output for Response {
    fn into_response(self) -> Result<Response> {
        Ok(self)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["200"] = json!({
            "description": "Success",
            "content": { "*/*": {} },
        });
    }
}

fn answers(operation: &mut Operation<'_>, content_type: &str, schema: Value) {
    operation.value["responses"]["200"] = json!({
        "description": "Success",
        "content": { content_type: { "schema": schema } },
    });
}

/// Returns the body as JSON of this shape. An absent body counts as `{}`, so that bodies without
/// required fields may be omitted.
///
/// # Errors
/// `MediaType` if the content type or the encoding is another one, `Fields` with the path of the
/// first mistake.
pub fn json<T: DeserializeOwned>(request: &Request) -> Result<T> {
    require_json_type(request)?;
    parse_json(&request.body)
}

/// Refuses a body that is declared as something else than plain JSON.
///
/// # Errors
/// `MediaType` with the declared type or encoding.
pub fn require_json_type(request: &Request) -> Result<()> {
    if request.body.is_empty() {
        return Ok(());
    }
    let declared = request.header(&CONTENT_TYPE).unwrap_or("application/json");
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        let text = format!("this route reads application/json, not {media_type}");
        return Err(Error::MediaType(text));
    }
    match request.header(&CONTENT_ENCODING).filter(|it| *it != "identity") {
        Some(encoding) => Err(Error::MediaType(format!("bodies in {encoding} are not read"))),
        None => Ok(()),
    }
}

/// Parses JSON text of this shape. Empty text counts as `{}`.
///
/// # Errors
/// `Fields` with the path of the first mistake.
pub fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    let body: &[u8] = if text.is_empty() { b"{}" } else { text };
    if std::str::from_utf8(body).is_err() {
        return Err(Error::field("body", "is not valid UTF-8"));
    }
    if depth(body) > MAX_JSON_DEPTH {
        return Err(Error::field("body", format!("is nested deeper than {MAX_JSON_DEPTH}")));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        // A question mark stands where the text ended before the path did.
        let path = error.path().to_string();
        let path = path.trim_end_matches(['.', '?']);
        let field = if path.is_empty() { "body" } else { path };
        Error::field(field, error.inner().to_string())
    })?;
    reader.end().map_err(|error| Error::field("body", error.to_string()))?;
    Ok(value)
}

/// The deepest nesting of arrays and objects, counted outside strings.
fn depth(text: &[u8]) -> usize {
    let (mut deepest, mut open, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        let check = |text: &str, want| assert_eq!(depth(text.as_bytes()), want, "{text}");
        check("1", 0);
        check("[[],{}]", 2);
        check(r#"{"a":"[[[[\"[["}"#, 1);
    }
}
