//! Handlers of stars.

use super::actions;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::documents::Channel;
use crate::features::documents::DocumentTarget;
use crate::features::listing::Listing;
use crate::features::listing::http::PageQuery;
use chartroom_platform::error::Result;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::NodeId;

/// Handles `GET /users/{user_id}/stars`: the documents that the caller has starred, last starred first.
pub fn list(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<Listing>> {
    let page = query.page();
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    request
        .app
        .db
        .read(|tx| actions::list_stars(tx, base_url, caller, &user, page))?
        .response(request)
}

/// Handles `PUT /users/{user_id}/stars/{owner}/{doc}`: stars a document that the caller may read.
pub fn add(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let user: String = request.param("user_id")?;
    let target = DocumentTarget {
        user: request.param("owner")?,
        id: request.param("doc")?,
        if_match: IfMatch::default(),
        channel: Channel::Api,
    };
    let caller = caller.clone();
    request.app.db.write(move |tx| actions::add_star(tx, &caller, &user, &target))?;
    Ok(NoContent)
}

/// Handles `DELETE /users/{user_id}/stars/{owner}/{doc}`: removes the star of the caller. Does nothing if
/// there is none.
pub fn remove(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let user: String = request.param("user_id")?;
    let document: NodeId = request.param("doc")?;
    let caller = caller.clone();
    request.app.db.write(move |tx| actions::remove_star(tx, &caller, &user, &document))?;
    Ok(NoContent)
}
