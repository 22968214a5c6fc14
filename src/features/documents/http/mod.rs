//! The routes of documents: `write` makes and changes them, `read` answers and draws
//! them, `token` lends access to their pictures.

mod bodies;
pub mod read;
pub mod token;
pub mod write;

use super::actions::Target;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::conditional::IfMatch;

/// The document that the path and `If-Match` speak of.
fn target(call: &Call) -> Result<Target> {
    Ok(Target { user: call.param("user_id")?, id: call.param("doc")?, if_match: IfMatch::of(call) })
}

/// A flag of the query string: absent, `0` and `false` are off; empty, `1` and `true` are on.
fn flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::field(name, "must be 1 or 0")),
    }
}
