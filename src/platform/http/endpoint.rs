//! Typed handlers. The argument and result types of a handler also describe it in the OpenAPI
//! document.

use std::marker::PhantomData;

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

/// An operation of the OpenAPI document under construction.
pub struct Operation<'a> {
    /// Generator that collects the schemas of named types.
    pub schemas: &'a mut SchemaGenerator,
    /// JSON of the operation object.
    pub value: &'a mut Value,
}

/// A type that a handler can take as an argument.
pub trait FromRequest: Sized {
    /// Extracts the value from the request.
    ///
    /// # Errors
    /// If the request is invalid, usually `InvalidFields` with the name of the field.
    fn from_request(request: &Request) -> Result<Self>;

    /// Adds the description of the argument, such as parameters or the request body, to the
    /// operation. Its `parameters` must be an array.
    fn describe(operation: &mut Operation<'_>);
}

/// A type that a handler can return.
pub trait IntoResponse {
    /// Converts the value into a response.
    ///
    /// # Errors
    /// `Internal` if the value cannot be serialized.
    fn into_response(self) -> Result<Response>;

    /// Adds the successful responses to the operation.
    fn describe(operation: &mut Operation<'_>);
}

/// A JSON body of a request or a response. An absent request body counts as `{}`.
pub struct Json<T>(pub T);

/// A JSON request body that must be present, even if all its fields are optional.
pub struct RequiredJson<T>(pub T);

/// The query string, parsed into a struct.
pub struct Query<T>(pub T);

/// A 204 response.
pub struct NoContent;

/// Documents that the operation can return 409 although its method is GET. Extracts nothing.
pub struct MayConflict;

/// A complete response with a JSON body that has the schema of `T`.
pub struct RawJson<T> {
    /// Complete response.
    pub response: Response,
    schema: PhantomData<T>,
}

/// A 204 response with additional headers.
pub struct NoBody(pub Response);

/// A response with JSON of the schema of `T`, or 204 without a body.
pub struct OptionalJson<T> {
    /// Complete response.
    pub response: Response,
    schema: PhantomData<T>,
}

impl<T> OptionalJson<T> {
    /// Wraps a response that is a 204 or has a JSON body with the schema of `T`.
    pub fn new(response: Response) -> Self {
        Self { response, schema: PhantomData }
    }
}

impl<T> RawJson<T> {
    /// Wraps a response that has a JSON body with the schema of `T`.
    pub fn new(response: Response) -> Self {
        Self { response, schema: PhantomData }
    }
}

impl FromRequest for () {
    /// Extracts nothing and never fails.
    fn from_request(_: &Request) -> Result<Self> {
        Ok(())
    }

    /// Adds nothing.
    fn describe(_: &mut Operation<'_>) {}
}

impl FromRequest for MayConflict {
    /// Extracts nothing and never fails.
    fn from_request(_: &Request) -> Result<Self> {
        Ok(Self)
    }

    /// Adds a 409 response with a problem document to the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["409"] =
            json!({ "$ref": "#/components/responses/Problem409" });
    }
}

/// Rejects a body that starts like an array if the schema of `T` has the type `object`.
///
/// Serde would otherwise accept an array and fill the fields in their order of declaration.
///
/// # Errors
/// `InvalidFields` about `body`.
fn reject_array_for_object<T: JsonSchema>(request: &Request) -> Result<()> {
    let is_array = request.body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if is_array && schemars::schema_for!(T).get("type").is_some_and(|value| value == "object") {
        return Err(Error::invalid_field("body", "must be a JSON object"));
    }
    Ok(())
}

impl<T: DeserializeOwned + JsonSchema> FromRequest for Json<T> {
    /// Parses the JSON body, with an absent body as `{}`.
    ///
    /// # Errors
    /// `InvalidFields` if the body is not valid JSON of the type `T`, or is an array instead of an
    /// object, `UnsupportedMediaType` if it is not declared as uncompressed JSON.
    fn from_request(request: &Request) -> Result<Self> {
        reject_array_for_object::<T>(request)?;
        Ok(Self(request.parse_json()?))
    }

    /// Adds the request body to the operation. It is required only if `T` has a required field.
    fn describe(operation: &mut Operation<'_>) {
        // An absent body counts as `{}`, so a body is required only if a field is required.
        let type_schema = T::json_schema(operation.schemas);
        let required = type_schema.get("required").and_then(Value::as_array);
        let is_required = required.is_some_and(|fields| !fields.is_empty());
        let schema = operation.schemas.subschema_for::<T>();
        operation.value["requestBody"] = json!({
            "required": is_required,
            "content": { "application/json": { "schema": schema } },
        });
    }
}

impl<T: DeserializeOwned + JsonSchema> FromRequest for RequiredJson<T> {
    /// Parses the JSON body.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if it is absent, otherwise as for `Json`.
    fn from_request(request: &Request) -> Result<Self> {
        if request.body.is_empty() {
            return Err(Error::invalid_field("body", "must be a JSON object"));
        }
        reject_array_for_object::<T>(request)?;
        Ok(Self(request.parse_json()?))
    }

    /// Adds the request body to the operation, always as required.
    fn describe(operation: &mut Operation<'_>) {
        Json::<T>::describe(operation);
        operation.value["requestBody"]["required"] = true.into();
    }
}

impl<T: DeserializeOwned + JsonSchema> FromRequest for Query<T> {
    /// Parses the query string into a `T`.
    ///
    /// # Errors
    /// `InvalidFields` if a parameter is invalid.
    fn from_request(request: &Request) -> Result<Self> {
        Ok(Self(request.parse_query()?))
    }

    /// Adds one query parameter per field of `T` to the operation.
    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.root_schema_for::<T>().to_value();
        let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
        let Some(properties) = schema["properties"].as_object() else { return };
        for (name, property) in properties {
            let mut property = property.clone();
            let description =
                property.as_object_mut().and_then(|object| object.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": "query",
                "required": required.iter().any(|required_name| required_name == name),
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

impl<A: FromRequest, B: FromRequest> FromRequest for (A, B) {
    /// Extracts `A` and then `B` from the same request. Stops at the first error.
    fn from_request(request: &Request) -> Result<Self> {
        Ok((A::from_request(request)?, B::from_request(request)?))
    }

    /// Adds the descriptions of `A` and `B`.
    fn describe(operation: &mut Operation<'_>) {
        A::describe(operation);
        B::describe(operation);
    }
}

impl<T: Serialize + JsonSchema> IntoResponse for Json<T> {
    /// Returns a 200 response with the value as JSON.
    fn into_response(self) -> Result<Response> {
        Response::json(&self.0)
    }

    /// Adds a 200 response with JSON of the schema of `T`.
    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        describe_success(operation, "application/json", json!(schema));
    }
}

impl<T: JsonSchema> IntoResponse for RawJson<T> {
    /// Returns the wrapped response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self.response)
    }

    /// Adds a 200 response with JSON of the schema of `T`.
    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        describe_success(operation, "application/json", json!(schema));
    }
}

impl IntoResponse for NoContent {
    /// Returns a 204 response without a body.
    fn into_response(self) -> Result<Response> {
        Ok(Response::no_content())
    }

    /// Adds a 204 response to the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["204"] = json!({ "description": "Done, without content" });
    }
}

impl IntoResponse for NoBody {
    /// Returns the wrapped response with its status and headers unchanged. Never fails.
    fn into_response(self) -> Result<Response> {
        Ok(self.0)
    }

    /// Adds a 204 response to the operation.
    fn describe(operation: &mut Operation<'_>) {
        NoContent::describe(operation);
    }
}

impl<T: JsonSchema> IntoResponse for OptionalJson<T> {
    /// Returns the wrapped response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self.response)
    }

    /// Adds a 200 response with JSON of the schema of `T`, and a 204 response.
    fn describe(operation: &mut Operation<'_>) {
        RawJson::<T>::describe(operation);
        NoContent::describe(operation);
    }
}

/// A response that is not JSON: an image, a page or a redirect.
impl IntoResponse for Response {
    /// Returns the response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self)
    }

    /// Adds a 200 response of any media type to the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["200"] = json!({
            "description": "Success",
            "content": { "*/*": {} },
        });
    }
}

/// Adds a 200 response with a body of this type and JSON schema to the operation.
fn describe_success(operation: &mut Operation<'_>, content_type: &str, schema: Value) {
    operation.value["responses"]["200"] = json!({
        "description": "Success",
        "content": { content_type: { "schema": schema } },
    });
}
