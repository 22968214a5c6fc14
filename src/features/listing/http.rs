//! The routes of listings.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Listing;
use super::actions;
use super::actions::Wish;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::endpoint::Raw;

/// Query of a folder's listing.
#[derive(Deserialize, JsonSchema)]
pub struct ListQuery {
    /// Entries to leave out at the beginning; 0 when absent.
    offset: Option<u32>,
    /// At most 100; 10 when absent.
    limit: Option<u32>,
    /// Only what has this in its title, whatever the case and the accents.
    #[serde(rename = "match", default)]
    matching: String,
}

/// Query of listings that match nothing, such as the trash's.
#[derive(Deserialize, JsonSchema)]
pub struct PageQuery {
    /// Entries to leave out at the beginning; 0 when absent.
    offset: Option<u32>,
    /// At most 100; 10 when absent.
    limit: Option<u32>,
}

impl PageQuery {
    /// The page that it asks for.
    pub fn page(&self) -> Page {
        Page::new(self.offset, self.limit)
    }
}

/// `GET /users/{user_id}/list`: the root.
pub fn root(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<ListQuery>,
) -> Result<Raw<Listing>> {
    list(request, caller, FolderPath::default(), query)
}

/// `GET /users/{user_id}/list/{path}`.
pub fn folder(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<ListQuery>,
) -> Result<Raw<Listing>> {
    let path: String = request.param("path")?;
    // What cannot be a path is no folder's.
    let path = FolderPath::parse(&format!("/{path}"))
        .map_err(|_| caller.hide(Error::NotFound("folder")))?;
    list(request, caller, path, query)
}

fn list(
    request: &RequestContext,
    caller: &Caller,
    path: FolderPath,
    query: ListQuery,
) -> Result<Raw<Listing>> {
    let page = Page::new(query.offset, query.limit);
    let wish = Wish { user: request.param("user_id")?, path, matching: query.matching, page };
    let base_url = &request.app.config.base_url;
    request.app.db.read(|tx| actions::list(tx, base_url, caller, &wish))?.response(request)
}

/// `GET /users/{user_id}/recent`.
pub fn recent(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<Raw<Listing>> {
    let page = query.page();
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    request.app.db.read(|tx| actions::recent(tx, base_url, caller, &user, page))?.response(request)
}

/// `GET /users/{user_id}/trash`.
pub fn trash(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<Raw<Listing>> {
    let page = query.page();
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    let caller = Caller::from(caller);
    request.app.db.read(|tx| actions::trash(tx, base_url, &caller, &user, page))?.response(request)
}
