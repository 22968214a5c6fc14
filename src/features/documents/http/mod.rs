//! The routes of documents: `write` makes and changes them, `read` answers and draws them, `history`
//! is about their versions, `token` lends access to their pictures.

mod bodies;
mod drawn;
pub mod history;
pub mod read;
pub mod render;
pub mod token;
mod warnings;
pub mod write;

use std::sync::Arc;

use super::actions::Target;
use super::history::Channel;
use super::history::keep::Prepared;
use super::history::keep::Replaced;
use crate::app::RequestContext;
use crate::features::access::Caller;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;

/// The document that the path and `If-Match` speak of.
pub fn target(request: &RequestContext, caller: &Caller) -> Result<Target> {
    Ok(Target {
        user: request.param("user_id")?,
        id: request.param("doc")?,
        if_match: IfMatch::of(request),
        channel: Channel::of(request, caller.user.is_some()),
    })
}

/// How often what a save replaces is prepared before others have to wait for it.
const TRIES: usize = 3;

/// Runs a save. While it answers none, `replaced` reads what it replaces, that is compressed with
/// no transaction open, and the save runs again.
fn saving<T: Send + 'static>(
    request: &RequestContext,
    work: impl Fn(&WriteTx<'_>, &Prepared) -> Result<Option<T>> + Send + Sync + 'static,
    replaced: impl Fn(&Tx<'_>) -> Result<Option<Replaced>>,
) -> Result<T> {
    let work = Arc::new(work);
    let mut prepared = Prepared::No;
    for attempt in 1.. {
        let (work, now) = (work.clone(), prepared);
        if let Some(done) = request.app.db.write(move |tx| work(tx, &now))? {
            return Ok(done);
        }
        prepared = match request.app.db.read(&replaced)? {
            _ if attempt >= TRIES => Prepared::Never,
            Some(replaced) => Prepared::Ready(Box::new(replaced.pack()?)),
            None => Prepared::No,
        };
    }
    Err(Error::Busy)
}

/// A flag of the query string: absent, `0` and `false` are off; empty, `1` and `true` are on.
fn flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::field(name, "must be 1 or 0")),
    }
}
