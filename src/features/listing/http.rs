//! Handlers of listings and of the search.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Listing;
use super::actions;
use super::actions::ListRequest;
use super::actions::RecentRequest;
use super::search;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::DocumentOrder;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::endpoint::RawJson;

/// Query of a folder listing.
#[derive(Deserialize, JsonSchema)]
pub struct ListQuery {
    /// Number of entries to skip, 0 by default.
    offset: Option<u32>,
    /// Maximum number of entries, 10 by default, at most 100.
    limit: Option<u32>,
    /// Text that titles must contain, ignoring case and accents.
    #[serde(rename = "match", default)]
    matching: String,
    /// Property of the documents by which they are sorted: `updated` (time of the last change), `created`,
    /// `title` (numbers by their value) or `kind` (title of the chart kind). `-` before it reverses the
    /// order. `-updated` by default.
    #[schemars(extend("enum" = documents::SORT_VALUES))]
    sort: Option<String>,
    /// Id or slug of a chart kind. Lists only documents of this kind, and no folders.
    kind: Option<String>,
}

/// Query of `GET /users/{user_id}/recent`.
#[derive(Deserialize, JsonSchema)]
pub struct RecentQuery {
    /// Number of entries to skip, 0 by default.
    offset: Option<u32>,
    /// Maximum number of entries, 10 by default, at most 100.
    limit: Option<u32>,
    /// Account id of the caller or of one of their organizations. Lists only the documents of this account.
    owner: Option<String>,
    /// Property of the documents by which they are sorted: `updated` (time of the last change), `created`,
    /// `title` (numbers by their value) or `kind` (title of the chart kind). `-` before it reverses the
    /// order. `-updated` by default.
    #[schemars(extend("enum" = documents::SORT_VALUES))]
    sort: Option<String>,
    /// Id or slug of a chart kind. Lists only documents of this kind, and no folders.
    kind: Option<String>,
}

/// Query of listings without a text filter, such as the trash.
#[derive(Deserialize, JsonSchema)]
pub struct PageQuery {
    /// Number of entries to skip, 0 by default.
    offset: Option<u32>,
    /// Maximum number of entries, 10 by default, at most 100.
    limit: Option<u32>,
}

impl PageQuery {
    /// Returns the requested page. Absent values give the defaults.
    pub fn page(&self) -> Page {
        Page::new(self.offset, self.limit)
    }
}

/// Handles `GET /users/{user_id}/list`: a page of the content of the root.
pub fn root(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<ListQuery>,
) -> Result<RawJson<Listing>> {
    list_folder(request, caller, FolderPath::default(), query)
}

/// Handles `GET /users/{user_id}/list/{path}`: a page of the content of a folder. An invalid path
/// gives `NotFound`.
pub fn folder(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<ListQuery>,
) -> Result<RawJson<Listing>> {
    let path: String = request.param("path")?;
    // An invalid path cannot name an existing folder.
    let path = FolderPath::parse(&format!("/{path}"))
        .map_err(|_| caller.require_sign_in_if_anonymous(Error::NotFound("folder")))?;
    list_folder(request, caller, path, query)
}

/// Lists a folder for the handlers of `/list`.
fn list_folder(
    request: &RequestContext,
    caller: &Caller,
    path: FolderPath,
    query: ListQuery,
) -> Result<RawJson<Listing>> {
    let page = Page::new(query.offset, query.limit);
    let list_request = ListRequest {
        user: request.param("user_id")?,
        path,
        matching: query.matching,
        order: DocumentOrder::parse(query.sort.as_deref(), query.kind.as_deref())?,
        page,
    };
    let base_url = &request.app.config.base_url;
    request
        .app
        .db
        .read(|tx| actions::list_folder(tx, base_url, caller, &list_request))?
        .response(request)
}

/// Handles `GET /users/{user_id}/recent`: the documents of the caller and of their organizations,
/// last changed first unless the query has another order.
pub fn recent(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<RecentQuery>,
) -> Result<RawJson<Listing>> {
    let recent_request = RecentRequest {
        user: request.param("user_id")?,
        owner: query.owner,
        order: DocumentOrder::parse(query.sort.as_deref(), query.kind.as_deref())?,
        page: Page::new(query.offset, query.limit),
    };
    let base_url = &request.app.config.base_url;
    request
        .app
        .db
        .read(|tx| actions::list_recent(tx, base_url, caller, &recent_request))?
        .response(request)
}

/// Handles `GET /users/{user_id}/trash`: the trash of the caller or of one of their organizations,
/// last trashed first.
pub fn trash(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<Listing>> {
    let page = query.page();
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    let caller = Caller::from(caller);
    request
        .app
        .db
        .read(|tx| actions::list_trash(tx, base_url, &caller, &user, page))?
        .response(request)
}

/// Query of `GET /search`.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Words that must all occur. The last word may be a prefix. `"quoted words"` must follow each
    /// other. `-word` must not occur. At most 32 words count.
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Number of results to skip, 0 by default.
    offset: Option<u32>,
    /// Maximum number of results, 10 by default, at most 100.
    limit: Option<u32>,
    /// Token of a share link. The search then includes its document or folder.
    #[serde(default, rename = "share")]
    _share: Option<String>,
}

/// Handles `GET /search`, for signed-in callers and guests with a share link. Other callers get
/// `SignInRequired`.
pub fn search(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<SearchQuery>,
) -> Result<RawJson<Listing>> {
    if caller.user.is_none() && caller.share_token_hash.is_none() {
        return Err(Error::SignInRequired("sign-in required"));
    }
    let page = Page::new(query.offset, query.limit);
    search::search_nodes(request.app, caller, query.query, page)?.response(request)
}
