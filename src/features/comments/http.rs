//! Bodies and handlers of `/users/{user_id}/documents/{doc}/comments…`.

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
use super::actions::Asked;
use super::actions::Change;
use super::content::Part;
use super::view::CommentView;
use super::view::Position;
use super::view::TalkView;
use super::view::ThreadView;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Given;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::ThreadId;

/// Farthest from the canvas's corner, in points: a hundred times the largest canvas.
const FARTHEST: f64 = 500_000.0;

/// Body of `POST …/comments`. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ThreadBody {
    #[serde(deserialize_with = "object")]
    position: PositionBody,
    /// What the first comment says.
    #[schemars(length(min = 1, max = 1000))]
    content: Vec<PartBody>,
}

/// Body of `PUT …/comments/{thread}`, of which one is needed. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ThreadChangeBody {
    #[serde(default, deserialize_with = "maybe_object")]
    position: Option<PositionBody>,
    /// Whether there is nothing more to do about it.
    resolved: Option<bool>,
}

/// Body of `POST …/comments/{thread}` and `PUT …/comments/{thread}/{comment}`. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct CommentBody {
    #[schemars(length(min = 1, max = 1000))]
    content: Vec<PartBody>,
}

/// A place on the canvas of a document, in points from its upper left corner.
#[derive(Deserialize, JsonSchema)]
pub struct PositionBody {
    #[schemars(range(min = -FARTHEST, max = FARTHEST))]
    x: f64,
    #[schemars(range(min = -FARTHEST, max = FARTHEST))]
    y: f64,
}

/// A part of a comment as it is sent.
pub struct PartBody(Part);

/// The keys of a text and of a mention. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum PartFields {
    /// Something written.
    Text { text: String },
    /// Somebody who is addressed. Who is not a team member, as far as the caller knows, becomes plain
    /// text.
    User {
        #[schemars(schema_with = "user_number")]
        id: UserNumber,
        /// How he is called then: the name as it is written in the plain text.
        name: Option<String>,
    },
}

/// A user's id as a number or, as elsewhere in the interface, as a text of digits.
struct UserNumber(String);

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

fn user_number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$" })
}

impl<'de> Deserialize<'de> for UserNumber {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let whole = |it: &Number| it.as_u64().map(|id| id.to_string());
        let found = match Value::deserialize(from)? {
            Value::Number(number) => whole(&number),
            Value::String(text) if is_number(&text) => Some(text),
            _ => None,
        };
        found.map(Self).ok_or_else(|| D::Error::custom("id must be the number of a user"))
    }
}

impl<'de> Deserialize<'de> for PartBody {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Ok(Self(match object(from)? {
            PartFields::Text { text } => Part::text(&text),
            PartFields::User { id, name } => Part::mention(id.0, name.as_deref()),
        }))
    }
}

impl JsonSchema for PartBody {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommentPartBody".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        PartFields::json_schema(schemas)
    }
}

/// An object: what is read field by field would also take the fields from an array, in their order.
fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> std::result::Result<T, D::Error> {
    let fields = Map::deserialize(from)?;
    T::deserialize(Value::Object(fields)).map_err(D::Error::custom)
}

fn maybe_object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> std::result::Result<Option<T>, D::Error> {
    let fields = Option::<Map<String, Value>>::deserialize(from)?;
    fields.map(|it| T::deserialize(Value::Object(it)).map_err(D::Error::custom)).transpose()
}

impl PositionBody {
    fn read(&self) -> Result<Position> {
        for (field, value) in [("position.x", self.x), ("position.y", self.y)] {
            if value.abs() > FARTHEST {
                let text = format!("must be from -{FARTHEST} to {FARTHEST}");
                return Err(Error::field(field, text));
            }
        }
        Ok(Position { x: self.x, y: self.y })
    }
}

fn parts(sent: Vec<PartBody>) -> Vec<Part> {
    sent.into_iter().map(|it| it.0).collect()
}

fn asked(request: &RequestContext, caller: &Caller) -> Result<Asked> {
    let target = documents::http::target(request, caller)?;
    Ok(Asked { app: request.app.clone(), caller: caller.clone(), target })
}

fn comment_ids(request: &RequestContext) -> Result<(ThreadId, CommentId)> {
    Ok((request.param("thread")?, request.param("comment")?))
}

/// Changes something by a call that need not be remembered.
fn write<T: Send + 'static>(
    request: &RequestContext,
    caller: &Caller,
    work: impl Fn(&WriteTx<'_>, &Asked) -> Result<T> + Send + 'static,
) -> Result<T> {
    let asked = asked(request, caller)?;
    request.app.db.write(move |tx| work(tx, &asked))
}

/// `GET …/comments`.
pub fn list(request: &RequestContext, caller: &Caller, (): ()) -> Result<Json<TalkView>> {
    let asked = asked(request, caller)?;
    request.app.db.read(|tx| actions::list(tx, &asked)).map(Json)
}

/// `GET …/comments/{thread}`.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<Json<ThreadView>> {
    let (asked, thread) = (asked(request, caller)?, request.param("thread")?);
    request.app.db.read(|tx| actions::read(tx, &asked, &thread)).map(Json)
}

/// `POST …/comments`.
pub fn begin(
    request: &RequestContext,
    caller: &Caller,
    (key, Given(body)): (IdempotencyKey, Given<ThreadBody>),
) -> Result<Raw<ThreadView>> {
    let (asked, position) = (asked(request, caller)?, body.position.read()?);
    let content = parts(body.content);
    let response = request.write_once(&key, &caller.scope(), move |tx| {
        Response::json(&actions::begin(tx, &asked, position, content.clone())?)
    });
    response.map(Raw::new)
}

/// `POST …/comments/{thread}`.
pub fn reply(
    request: &RequestContext,
    caller: &Caller,
    (key, Given(body)): (IdempotencyKey, Given<CommentBody>),
) -> Result<Raw<CommentView>> {
    let (asked, thread) = (asked(request, caller)?, request.param("thread")?);
    let content = parts(body.content);
    let response = request.write_once(&key, &caller.scope(), move |tx| {
        Response::json(&actions::reply(tx, &asked, &thread, content.clone())?)
    });
    response.map(Raw::new)
}

/// `PUT …/comments/{thread}`.
pub fn change(
    request: &RequestContext,
    caller: &Caller,
    Given(body): Given<ThreadChangeBody>,
) -> Result<Json<ThreadView>> {
    let position = body.position.map(|it| it.read()).transpose()?;
    let change = Change { position, resolved: body.resolved };
    if change.position.is_none() && change.resolved.is_none() {
        return Err(Error::field("position", "is required, or resolved"));
    }
    let thread = request.param("thread")?;
    write(request, caller, move |tx, asked| actions::change(tx, asked, &thread, &change)).map(Json)
}

/// `PUT …/comments/{thread}/{comment}`.
pub fn edit(
    request: &RequestContext,
    caller: &Caller,
    Given(body): Given<CommentBody>,
) -> Result<Json<CommentView>> {
    let ((thread, comment), content) = (comment_ids(request)?, parts(body.content));
    write(request, caller, move |tx, asked| {
        actions::edit(tx, asked, (&thread, &comment), content.clone())
    })
    .map(Json)
}

/// `DELETE …/comments/{thread}`.
pub fn remove_thread(request: &RequestContext, caller: &Caller, (): ()) -> Result<NoContent> {
    let thread = request.param("thread")?;
    write(request, caller, move |tx, asked| actions::remove_thread(tx, asked, &thread))?;
    Ok(NoContent)
}

/// `DELETE …/comments/{thread}/{comment}`.
pub fn remove(request: &RequestContext, caller: &Caller, (): ()) -> Result<NoContent> {
    let (thread, comment) = comment_ids(request)?;
    write(request, caller, move |tx, asked| actions::remove(tx, asked, (&thread, &comment)))?;
    Ok(NoContent)
}
