//! Bodies and handlers of `/sso/scim/v2/orgs/{org}`.

use hyper::StatusCode;
use hyper::header::ACCEPT;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use hyper::header::LOCATION;
use hyper::header::VARY;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::actions;
use super::actions::StoredUser;
use super::client::ScimClient;
use super::discovery;
use super::discovery::MAX_RESULTS;
use super::filter;
use super::patch;
use super::user;
use super::user::UserValues;
use crate::app::RequestContext;
use crate::features::presence;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::IntoResponse;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::json_body;
use chartroom_platform::id::AccountId;

/// Media type of SCIM (RFC 7644, 8.1).
const SCIM_JSON: &str = "application/scim+json";

/// The JSON object in the body of a request.
pub struct ScimBody(Map<String, Value>);

/// The parameters of a list of users.
pub struct ListQuery {
    filter: Option<filter::Filter>,
    /// Number of the first user, from 1.
    start_index: i64,
    /// Maximum number of users.
    count: i64,
}

/// A 200 response with SCIM JSON.
pub struct ScimJson(Response);

/// A 201 response with SCIM JSON.
pub struct ScimCreated(Response);

impl FromRequest for ScimBody {
    /// Parses the body.
    ///
    /// # Errors
    /// `UnsupportedMediaType` if the body is not declared as JSON, `InvalidFields` if it is not a JSON
    /// object.
    fn from_request(request: &Request) -> Result<Self> {
        json_body::require_json_type(&request.headers, &request.body)?;
        let is_object = request.body.iter().find(|byte| !byte.is_ascii_whitespace());
        match is_object {
            Some(b'{') => Ok(Self(json_body::parse_json(&request.body)?)),
            _ => Err(Error::invalid_field("body", "must be a JSON object")),
        }
    }

    /// Adds a request body of any JSON object to the operation.
    fn describe(operation: &mut Operation<'_>) {
        let schema = json!({ "schema": { "type": "object" } });
        operation.value["requestBody"] = json!({
            "required": true,
            "content": { SCIM_JSON: schema, "application/json": schema },
        });
    }
}

impl FromRequest for ListQuery {
    /// Parses `filter`, `startIndex` and `count`. Ignores other parameters.
    ///
    /// # Errors
    /// `InvalidFields` if a parameter is repeated or invalid. A filter is never ignored, because the
    /// response would contain users that it excludes.
    fn from_request(request: &Request) -> Result<Self> {
        let (mut filter, mut start_index, mut count) = (None, None, None);
        for (name, value) in form_urlencoded::parse(request.query.as_bytes()) {
            let known = match name.to_ascii_lowercase().as_str() {
                "filter" => &mut filter,
                "startindex" => &mut start_index,
                "count" => &mut count,
                _ => continue,
            };
            if known.replace(value.into_owned()).is_some() {
                return Err(Error::invalid_field(name, "must occur once"));
            }
        }
        let number = |name: &str, text: Option<String>, default: i64| {
            text.map_or(Ok(default), |text| parse_integer(name, &text))
        };
        Ok(Self {
            filter: filter.as_deref().map(filter::parse_filter).transpose()?,
            start_index: number("startIndex", start_index, 1)?.max(1),
            count: number("count", count, MAX_RESULTS)?.clamp(0, MAX_RESULTS),
        })
    }

    /// Adds the parameters to the operation.
    fn describe(operation: &mut Operation<'_>) {
        let Some(list) = operation.value["parameters"].as_array_mut() else { return };
        for (name, kind, description) in [
            ("filter", "string", "SCIM filter with `eq`, `co`, `sw`, `pr`, `and`, `or`, `not`"),
            ("startIndex", "integer", "Number of the first user, from 1"),
            ("count", "integer", "Maximum number of users, at most 100"),
        ] {
            list.push(json!({
                "name": name,
                "in": "query",
                "required": false,
                "schema": { "type": kind },
                "description": description,
            }));
        }
    }
}

/// Parses an integer of any size. A number outside the range of `i64` becomes its nearest end.
///
/// # Errors
/// `InvalidFields` with the name of the parameter.
fn parse_integer(name: &str, text: &str) -> Result<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::invalid_field(name, "must be an integer"));
    }
    let end = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Ok(text.parse().unwrap_or(end))
}

impl IntoResponse for ScimJson {
    /// Returns the wrapped response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self.0)
    }

    /// Adds a 200 response with a JSON object.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["200"] = describe_json("Success");
    }
}

impl IntoResponse for ScimCreated {
    /// Returns the wrapped response unchanged.
    fn into_response(self) -> Result<Response> {
        Ok(self.0)
    }

    /// Adds a 201 response with a JSON object.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["201"] = describe_json("Created");
    }
}

/// Returns a response of an operation with a JSON object in both media types.
fn describe_json(description: &str) -> Value {
    let schema = json!({ "schema": { "type": "object" } });
    json!({
        "description": description,
        "content": { SCIM_JSON: schema, "application/json": schema },
    })
}

/// Returns a 200 response with SCIM JSON in the media type that the client accepts.
fn respond(request: &RequestContext, value: &Value) -> Response {
    let accept = request.header(&ACCEPT).unwrap_or_default();
    let accepted = accept.split(',').map(|part| part.split(';').next().unwrap_or_default().trim());
    let only_json = !accept.is_empty()
        && accepted.clone().all(|name| name.eq_ignore_ascii_case("application/json"));
    let mut response = Response::json_text(value.to_string());
    if !only_json {
        let content_type = HeaderValue::from_static("application/scim+json; charset=utf-8");
        response.headers.insert(CONTENT_TYPE, content_type);
    }
    response.headers.insert(VARY, HeaderValue::from_static("accept"));
    response
}

/// Returns the URL of the service for the organization of the client.
fn base_url(request: &RequestContext, client: &ScimClient) -> String {
    format!("{}/sso/scim/v2/orgs/{}", request.app.config.base_url, client.org)
}

/// Returns the URL of a user.
fn user_url(request: &RequestContext, client: &ScimClient, id: &AccountId) -> String {
    format!("{}/Users/{id}", base_url(request, client))
}

/// Handles `GET /sso/scim/v2/orgs/{org}`: confirms address and token.
pub fn check(_: &RequestContext, _: &ScimClient, (): ()) -> Result<Response> {
    Ok(Response::bytes("text/plain; charset=utf-8", "Ok"))
}

/// Handles `GET …/ServiceProviderConfig`.
pub fn service_provider_config(
    request: &RequestContext,
    client: &ScimClient,
    (): (),
) -> Result<ScimJson> {
    let config = discovery::service_provider_config(&base_url(request, client));
    Ok(ScimJson(respond(request, &config)))
}

/// Handles `GET …/ResourceTypes`.
pub fn list_resource_types(
    request: &RequestContext,
    client: &ScimClient,
    (): (),
) -> Result<ScimJson> {
    let types = discovery::resource_types(&base_url(request, client));
    Ok(ScimJson(respond(request, &list_all(&types))))
}

/// Handles `GET …/ResourceTypes/{id}`.
pub fn get_resource_type(
    request: &RequestContext,
    client: &ScimClient,
    (): (),
) -> Result<ScimJson> {
    let types = discovery::resource_types(&base_url(request, client));
    find_resource(request, types, "resource type")
}

/// Handles `GET …/Schemas`.
pub fn list_schemas(request: &RequestContext, client: &ScimClient, (): ()) -> Result<ScimJson> {
    let schemas = discovery::schemas(&base_url(request, client));
    Ok(ScimJson(respond(request, &list_all(&schemas))))
}

/// Handles `GET …/Schemas/{id}`.
pub fn get_schema(request: &RequestContext, client: &ScimClient, (): ()) -> Result<ScimJson> {
    find_resource(request, discovery::schemas(&base_url(request, client)), "schema")
}

/// Handles `GET …/Groups`: an empty list, because some providers request it.
pub fn list_groups(request: &RequestContext, _: &ScimClient, (): ()) -> Result<ScimJson> {
    Ok(ScimJson(respond(request, &list_all(&[]))))
}

/// Handles the other methods of `…/Groups`: there are no groups.
///
/// # Errors
/// Always `NotFound`.
pub fn refuse_groups(_: &RequestContext, _: &ScimClient, (): ()) -> Result<NoContent> {
    Err(Error::NotFound("resource type"))
}

/// Returns a list of all resources of a kind.
fn list_all(resources: &[Value]) -> Value {
    discovery::list_response(u32::try_from(resources.len()).unwrap_or(u32::MAX), 1, resources)
}

/// Returns the response with the resource that the path names.
fn find_resource(
    request: &RequestContext,
    resources: Vec<Value>,
    kind: &'static str,
) -> Result<ScimJson> {
    let id = request.param::<String>("id")?;
    let found = resources.into_iter().find(|resource| resource["id"] == id.as_str());
    Ok(ScimJson(respond(request, &found.or_not_found(kind)?)))
}

/// Handles `GET …/Users`.
pub fn list(request: &RequestContext, client: &ScimClient, query: ListQuery) -> Result<ScimJson> {
    let condition = actions::build_condition(query.filter.as_ref())?;
    let range = (query.start_index - 1, query.count);
    let page = request.app.db.read(|tx| actions::list(tx, client, &condition, range))?;
    let resources = page
        .users
        .iter()
        .map(|stored| user::to_json(stored, &user_url(request, client, &stored.id)));
    let resources: Vec<Value> = resources.collect();
    let list = discovery::list_response(page.total, query.start_index, &resources);
    Ok(ScimJson(respond(request, &list)))
}

/// Handles `GET …/Users/{id}`.
pub fn get(request: &RequestContext, client: &ScimClient, (): ()) -> Result<ScimJson> {
    let id = request.param::<AccountId>("id")?;
    let found = request.app.db.read(|tx| actions::get(tx, client, &id))?;
    let url = user_url(request, client, &id);
    Ok(ScimJson(respond(request, &user::to_json(&found, &url))))
}

/// Handles `POST …/Users`.
pub fn create(
    request: &RequestContext,
    client: &ScimClient,
    ScimBody(body): ScimBody,
) -> Result<ScimCreated> {
    let values = UserValues::from_body(&body)?;
    let writer = client.clone();
    let created = request.app.db.write(move |tx| actions::create(tx, &writer, &values))?;
    let url = user_url(request, client, &created.id);
    let mut response =
        respond(request, &user::to_json(&created, &url)).with_header(LOCATION, &url)?;
    response.status = StatusCode::CREATED;
    Ok(ScimCreated(response))
}

/// Handles `PUT …/Users/{id}`. Absent attributes keep their values, because providers send only those
/// that they map.
pub fn replace(
    request: &RequestContext,
    client: &ScimClient,
    ScimBody(body): ScimBody,
) -> Result<ScimJson> {
    change(request, client, UserValues::from_body(&body)?)
}

/// Handles `PATCH …/Users/{id}`.
pub fn patch(
    request: &RequestContext,
    client: &ScimClient,
    ScimBody(body): ScimBody,
) -> Result<ScimJson> {
    change(request, client, patch::parse_operations(&body)?)
}

/// Changes an account. `active` false removes it instead, as DELETE does, because some providers never
/// send DELETE. The response then has the account as it was.
fn change(request: &RequestContext, client: &ScimClient, values: UserValues) -> Result<ScimJson> {
    let id = request.param::<AccountId>("id")?;
    let (writer, user) = (client.clone(), id.clone());
    let changed = match values.active {
        Some(false) => remove(request, client, &id)?,
        _ => request.app.db.write(move |tx| actions::change(tx, &writer, &user, &values))?,
    };
    let url = user_url(request, client, &id);
    Ok(ScimJson(respond(request, &user::to_json(&changed, &url))))
}

/// Removes an account and ends its open streams.
fn remove(request: &RequestContext, client: &ScimClient, id: &AccountId) -> Result<StoredUser> {
    let (client, user) = (client.clone(), id.clone());
    let removed =
        request.app.db.write_with_reserve(move |tx| actions::remove(tx, &client, &user))?;
    presence::request_check(request.app);
    Ok(removed)
}

/// Handles `DELETE …/Users/{id}`.
pub fn delete(request: &RequestContext, client: &ScimClient, (): ()) -> Result<NoContent> {
    remove(request, client, &request.param::<AccountId>("id")?)?;
    Ok(NoContent)
}
