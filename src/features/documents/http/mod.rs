//! The routes of documents: `write` makes and changes them, `read` answers and draws them.

mod bodies;
pub mod read;
pub mod write;

use hyper::header::IF_MATCH;
use hyper::header::IF_NONE_MATCH;

use super::actions::Target;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;

/// The document that the path and `If-Match` speak of.
fn target(call: &Call) -> Result<Target> {
    Ok(Target {
        user: call.param("user_id")?,
        id: call.param("doc")?,
        if_match: call.header(&IF_MATCH).map(str::to_owned),
    })
}

/// A flag of the query string: absent, `0` and `false` are off; empty, `1` and `true` are on.
fn flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::field(name, "must be 1 or 0")),
    }
}

/// Whether the caller has the answer of this tag (without quotes) already.
fn has_already(call: &Call, tag: &str) -> bool {
    let Some(known) = call.header(&IF_NONE_MATCH) else { return false };
    known.split(',').any(|it| {
        // RFC 9110, section 13.1.2: compared weakly, since caches may weaken what they compress.
        let it = it.trim();
        it == "*" || it.trim_start_matches("W/").trim_matches('"') == tag
    })
}
