//! The types of the audit log: events, their targets, and filters.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use chartroom_platform::time::Timestamp;

/// The object that a change concerns.
#[derive(Debug, Clone)]
pub struct EventTarget {
    /// Type, such as `user`, `document` or `theme`.
    pub kind: &'static str,
    /// Id, or the name if objects of this type have none.
    pub id: String,
    /// Name at the time of the event.
    pub name: String,
}

impl EventTarget {
    /// Returns a target with an id and a name.
    pub fn new(kind: &'static str, id: impl ToString, name: impl Into<String>) -> Self {
        Self { kind, id: id.to_string(), name: name.into() }
    }
}

/// The earlier events that make another one of the same action and target superfluous.
#[derive(Debug, Clone, Copy)]
pub enum Repetition {
    /// Events of the same actor within this time.
    OfActor(Duration),
    /// Events from the same address with the same details within this time.
    OfAddress(Duration),
}

/// A recorded change of an organization or of an object that it owns.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AuditEvent")]
pub struct Event {
    /// Id, a decimal number. A later event has a greater id.
    pub id: String,
    /// Time of the change.
    pub created: Timestamp,
    /// Kind of change: a dotted word such as `document.share`.
    pub action: String,
    /// Principal that made the change.
    pub actor: Actor,
    /// Changed object.
    pub target: StoredTarget,
    /// Address of the client. Empty if no client sent a request.
    pub ip_address: String,
    /// `User-Agent` of the client, at most 256 characters. Empty if there is none.
    pub user_agent: String,
    /// Further facts about the change, which depend on the action. A text of more than 500 characters
    /// and a list of more than 100 values end with an ellipsis.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub details: Value,
}

/// The principal that made a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AuditActor")]
pub struct Actor {
    /// Account id. Empty unless the type is `user` or `scim`.
    pub id: String,
    /// Name at the time of the event.
    pub name: String,
    /// E-mail address at the time of the event.
    pub email: String,
    /// `user`, `guest` (a client without an account), `scim` (provisioning with the token of a
    /// user), `system` (a background task) or `operator` (the command line).
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["user", "guest", "scim", "system", "operator"]))]
    pub kind: String,
}

/// The changed object of a stored event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AuditTarget")]
pub struct StoredTarget {
    /// Type, such as `user`, `document` or `theme`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id, or the name if objects of this type have none.
    pub id: String,
    /// Name at the time of the event.
    pub name: String,
}

/// Conditions on events. None is no condition.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Earliest time.
    pub from: Option<Timestamp>,
    /// Time before which the event happened.
    pub to: Option<Timestamp>,
    /// Exact action.
    pub action: Option<String>,
    /// Account id of the actor.
    pub user: Option<String>,
    /// Text in the action, the actor, the target or the address, in any case of ASCII letters.
    pub text: Option<String>,
}
