//! Handlers of `/users/{user_id}/documents/{doc}/comments…`.

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use schemars::json_schema;
use serde::Deserialize;
use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde::de::Error as _;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use super::actions;
use super::actions::CommentContext;
use super::actions::CommentPath;
use super::actions::ThreadChange;
use super::content::Part;
use super::thread::Position;
use super::thread::ThreadRange;
use super::view::CommentView;
use super::view::CommentsView;
use super::view::ThreadView;
use crate::app::CountedMails;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::endpoint::RequiredJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ThreadId;

/// Maximum absolute value of a coordinate in points, 100 times the largest canvas.
const MAX_COORDINATE: f64 = 500_000.0;

/// Page of the list of threads. If both parameters are absent, the list has all threads.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CommentsQuery")]
pub struct ThreadPageQuery {
    /// Number of threads to skip; 0 when absent.
    offset: Option<u32>,
    /// Maximum number of threads in the response, at most 100. When absent, 10 if `offset` is
    /// given, otherwise unlimited.
    limit: Option<u32>,
}

impl ThreadPageQuery {
    /// Returns the requested page of threads, or None if both parameters are absent, which requests
    /// all threads.
    fn page(&self) -> Option<Page> {
        let requests_page = self.offset.is_some() || self.limit.is_some();
        requests_page.then(|| Page::new(self.offset, self.limit))
    }
}

/// Request body of `POST …/comments`. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ThreadBody {
    #[serde(deserialize_with = "deserialize_object")]
    position: PositionBody,
    /// Content of the first comment.
    #[schemars(length(min = 1, max = 1000))]
    content: Vec<PartBody>,
}

/// Request body of `PUT …/comments/{thread}`. At least one field is required. Unknown fields are
/// ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ThreadChangeBody {
    #[serde(default, deserialize_with = "deserialize_optional_object")]
    position: Option<PositionBody>,
    /// Whether the thread is resolved.
    resolved: Option<bool>,
}

/// Request body of `POST …/comments/{thread}` and `PUT …/comments/{thread}/{comment}`. Unknown
/// fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct CommentBody {
    #[schemars(length(min = 1, max = 1000))]
    content: Vec<PartBody>,
}

/// A position on the canvas of a document, in points from the upper left corner.
#[derive(Deserialize, JsonSchema)]
pub struct PositionBody {
    #[schemars(range(min = -MAX_COORDINATE, max = MAX_COORDINATE))]
    x: f64,
    #[schemars(range(min = -MAX_COORDINATE, max = MAX_COORDINATE))]
    y: f64,
}

/// A part of a comment in a request.
pub struct PartBody(Part);

/// Fields of a text part and of a mention. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum PartFields {
    /// Plain text.
    Text { text: String },
    /// Mention of a user. It becomes plain text unless the caller may see the user as a team
    /// member.
    User {
        #[schemars(schema_with = "user_id_schema")]
        id: UserIdField,
        /// Name for the plain text.
        name: Option<String>,
    },
}

/// Id of a user as a number or, as elsewhere in the API, a string of digits.
struct UserIdField(String);

/// Returns whether a text consists of ASCII digits only. False for an empty text.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the JSON schema of a user id: an integer or a string of digits.
fn user_id_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$" })
}

impl<'de> Deserialize<'de> for UserIdField {
    /// Deserializes a nonnegative integer or a string of digits as text.
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let to_text = |number: &Number| number.as_u64().map(|id| id.to_string());
        let found = match Value::deserialize(from)? {
            Value::Number(number) => to_text(&number),
            Value::String(text) if is_digits(&text) => Some(text),
            _ => None,
        };
        found.map(Self).ok_or_else(|| D::Error::custom("id must be the number of a user"))
    }
}

impl<'de> Deserialize<'de> for PartBody {
    /// Deserializes a part from an object and cleans its text or name. Does not check whether a
    /// mentioned user exists.
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Ok(Self(match deserialize_object(from)? {
            PartFields::Text { text } => Part::new_text(&text),
            PartFields::User { id, name } => Part::new_mention(id.0, name.as_deref()),
        }))
    }
}

impl JsonSchema for PartBody {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommentPartBody".into()
    }

    /// Returns the schema of `PartFields`.
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        PartFields::json_schema(schemas)
    }
}

/// Deserializes a struct from an object only. Without this, serde would also accept an array with
/// the fields in order.
fn deserialize_object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> std::result::Result<T, D::Error> {
    let fields = Map::deserialize(from)?;
    T::deserialize(Value::Object(fields)).map_err(D::Error::custom)
}

/// Deserializes a struct from an object like `deserialize_object`, and null as None. Other types
/// are errors.
fn deserialize_optional_object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> std::result::Result<Option<T>, D::Error> {
    let fields = Option::<Map<String, Value>>::deserialize(from)?;
    fields.map(|fields| T::deserialize(Value::Object(fields)).map_err(D::Error::custom)).transpose()
}

impl PositionBody {
    /// Returns the position after a check that both coordinates are within `MAX_COORDINATE` points
    /// of the upper left corner of the canvas, in both directions. Does not clamp or round them.
    ///
    /// # Errors
    /// `InvalidFields` naming the first coordinate out of range.
    fn to_position(&self) -> Result<Position> {
        for (field, value) in [("position.x", self.x), ("position.y", self.y)] {
            if value.abs() > MAX_COORDINATE {
                let text = format!("must be from -{MAX_COORDINATE} to {MAX_COORDINATE}");
                return Err(Error::invalid_field(field, text));
            }
        }
        Ok(Position { x: self.x, y: self.y })
    }
}

/// Unwraps the parts of a request, which were cleaned when they were deserialized. Keeps their
/// order.
fn unwrap_parts(sent: Vec<PartBody>) -> Vec<Part> {
    sent.into_iter().map(|part| part.0).collect()
}

/// Returns the context of a comment action without counted mails, so that it may enqueue none. See
/// [`write_counting_mails`].
fn comment_context(request: &RequestContext, caller: &Caller) -> Result<CommentContext> {
    let target = documents::http::document_target(request, caller)?;
    let (app, caller) = (request.app.clone(), caller.clone());
    Ok(CommentContext { app, caller, target, counted_mails: CountedMails::default() })
}

/// Returns the thread and comment ids of the URL path. Does not check whether they exist.
fn comment_path(request: &RequestContext) -> Result<CommentPath> {
    Ok(CommentPath { thread: request.param("thread")?, comment: request.param("comment")? })
}

/// Runs an action in a write transaction without an idempotency key. The action may enqueue no
/// mails, because none are counted. Returns its result.
fn write<T: Send + 'static>(
    request: &RequestContext,
    caller: &Caller,
    work: impl Fn(&WriteTx<'_>, &CommentContext) -> Result<T> + Send + 'static,
) -> Result<T> {
    let context = comment_context(request, caller)?;
    request.app.db.write(move |tx| work(tx, &context))
}

/// Runs `write` with a copy of `context` that contains the number of counted mails. If the action
/// needs more mails, `App::write_counting_mails` counts them against the limit of the author and
/// runs `write` again.
fn write_counting_mails<T>(
    context: &CommentContext,
    write: impl Fn(CommentContext) -> Result<T>,
) -> Result<T> {
    let author = context.caller.account_id().map_or("", AccountId::as_str);
    context.app.write_counting_mails(author, |counted_mails| {
        write(CommentContext { counted_mails, ..context.clone() })
    })
}

/// Handles `GET …/comments`: returns the threads with their comments. Without parameters, these are
/// all threads. Otherwise they are one page, and `Link` headers name the pages beside it.
pub fn list(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<ThreadPageQuery>,
) -> Result<RawJson<CommentsView>> {
    let (context, page) = (comment_context(request, caller)?, query.page());
    let range = page.map_or(ThreadRange::ALL, |page| ThreadRange {
        offset: page.offset,
        limit: Some(page.limit),
    });
    let view = request.app.db.read(|tx| actions::list_threads(tx, &context, range))?;
    let mut response = Response::json(&view)?;
    if let Some(page) = page {
        let base_url = &request.app.config.base_url;
        response = page.add_link_headers(response, base_url, request, view.count)?;
    }
    Ok(RawJson::new(response))
}

/// Handles `GET …/comments/{thread}`: returns the thread with its comments and the visible team
/// members.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<Json<ThreadView>> {
    let (context, thread) = (comment_context(request, caller)?, request.param("thread")?);
    request.app.db.read(|tx| actions::read_thread(tx, &context, &thread)).map(Json)
}

/// Returns a function that checks the caller's access to the comments before a stored response is
/// sent again.
fn access_check(context: &CommentContext) -> impl Fn(&Tx<'_>) -> Result<()> + Send + use<> {
    let context = context.clone();
    move |tx: &Tx<'_>| actions::check_access(tx, &context)
}

/// Checks that the caller may read the comments of the document in the path.
///
/// # Errors
/// The errors of `actions::check_access`.
pub fn check_readable(request: &RequestContext, caller: &Caller) -> Result<()> {
    let context = comment_context(request, caller)?;
    request.app.db.read(|tx| actions::check_access(tx, &context))
}

/// Handles `POST …/comments`: creates a thread with its first comment, for a signed-in caller with
/// read access. A repeated request with the same idempotency key gets the first response again.
pub fn create(
    request: &RequestContext,
    caller: &Caller,
    (key, RequiredJson(body)): (IdempotencyKey, RequiredJson<ThreadBody>),
) -> Result<RawJson<ThreadView>> {
    let (context, position) = (comment_context(request, caller)?, body.position.to_position()?);
    let content = unwrap_parts(body.content);
    let response = write_counting_mails(&context, |context| {
        let (content, check_access) = (content.clone(), access_check(&context));
        request.write_idempotent(&key, &caller.identity_key(), check_access, move |tx| {
            Response::json(&actions::create_thread(tx, &context, position, content.clone())?)
        })
    });
    response.map(RawJson::new)
}

/// Handles `POST …/comments/{thread}`: adds a comment to the thread, for a signed-in caller with
/// read access. Returns only the new comment.
pub fn reply(
    request: &RequestContext,
    caller: &Caller,
    (key, RequiredJson(body)): (IdempotencyKey, RequiredJson<CommentBody>),
) -> Result<RawJson<CommentView>> {
    let (context, thread): (_, ThreadId) =
        (comment_context(request, caller)?, request.param("thread")?);
    let content = unwrap_parts(body.content);
    let response = write_counting_mails(&context, |context| {
        let (thread, content) = (thread.clone(), content.clone());
        let check_access = access_check(&context);
        request.write_idempotent(&key, &caller.identity_key(), check_access, move |tx| {
            Response::json(&actions::add_reply(tx, &context, &thread, content.clone())?)
        })
    });
    response.map(RawJson::new)
}

/// Handles `PUT …/comments/{thread}`: moves the thread, or marks it as resolved or open. A body
/// with neither is an error.
pub fn change(
    request: &RequestContext,
    caller: &Caller,
    RequiredJson(body): RequiredJson<ThreadChangeBody>,
) -> Result<Json<ThreadView>> {
    let position = body.position.map(|position| position.to_position()).transpose()?;
    let change = ThreadChange { position, resolved: body.resolved };
    if change.position.is_none() && change.resolved.is_none() {
        return Err(Error::invalid_field("position", "is required unless resolved is given"));
    }
    let thread = request.param("thread")?;
    write(request, caller, move |tx, context| actions::update_thread(tx, context, &thread, &change))
        .map(Json)
}

/// Handles `PUT …/comments/{thread}/{comment}`: replaces the content of the comment, for its author
/// only.
pub fn edit(
    request: &RequestContext,
    caller: &Caller,
    RequiredJson(body): RequiredJson<CommentBody>,
) -> Result<Json<CommentView>> {
    let (path, content) = (comment_path(request)?, unwrap_parts(body.content));
    write_counting_mails(&comment_context(request, caller)?, |context| {
        let (path, content) = (path.clone(), content.clone());
        let edit =
            move |tx: &WriteTx<'_>| actions::edit_comment(tx, &context, &path, content.clone());
        request.app.db.write(edit)
    })
    .map(Json)
}

/// Handles `DELETE …/comments/{thread}`: removes the thread with all its comments. Only for callers
/// with write access to a document of an organization.
pub fn remove_thread(request: &RequestContext, caller: &Caller, (): ()) -> Result<NoContent> {
    let (thread, context) = (request.param("thread")?, comment_context(request, caller)?);
    request.app.db.write_with_reserve(move |tx| actions::remove_thread(tx, &context, &thread))?;
    Ok(NoContent)
}

/// Handles `DELETE …/comments/{thread}/{comment}`: removes the comment, and with the last comment
/// of a thread the thread. Only for the author with write access to a document of an organization.
pub fn remove(request: &RequestContext, caller: &Caller, (): ()) -> Result<NoContent> {
    let (path, context) = (comment_path(request)?, comment_context(request, caller)?);
    request.app.db.write_with_reserve(move |tx| actions::remove_comment(tx, &context, &path))?;
    Ok(NoContent)
}
