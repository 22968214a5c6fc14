//! The library: charts and folders, shared items, the trash, and search results.
//!
//! Every page is readable without scripts. Scripts add the actions and start with the listing that
//! the page contains, so that they need no first request.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::arrangement::ArrangementQuery;
use super::arrangement::none_if_empty;
use super::breadcrumbs;
use super::library_page::LibraryPage;
use super::library_page::TopFolders;
use super::library_page::render_library_page;
use super::templates::TrashTab;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::documents::DocumentOrder;
use crate::features::listing;
use crate::features::listing::ListRequest;
use crate::features::listing::Listing;
use crate::features::listing::RecentRequest;
use crate::features::orgs;
use crate::features::portfolio;
use crate::features::sharing;
use crate::features::stars;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::language;

/// Entries per page.
const PAGE_SIZE: u32 = 48;

/// Query of a page of the library.
#[derive(Deserialize, JsonSchema)]
pub struct OffsetQuery {
    /// Number of entries to skip.
    #[serde(default)]
    offset: u32,
}

/// Query of a page of the library that lists folders and charts separately.
#[derive(Deserialize, JsonSchema)]
pub struct SeparateOffsetsQuery {
    /// Number of charts to skip.
    #[serde(default)]
    offset: u32,
    /// Number of folders to skip.
    #[serde(default, rename = "folders")]
    folder_offset: u32,
}

/// Query of `GET /trash`.
#[derive(Deserialize, JsonSchema)]
pub struct TrashQuery {
    /// Number of entries to skip.
    #[serde(default)]
    offset: u32,
    /// Account id of an organization. The caller's own trash if absent.
    owner: Option<String>,
}

/// Query of `GET /search`.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Number of entries to skip.
    #[serde(default)]
    offset: u32,
    /// Search text.
    #[serde(default)]
    q: String,
}

impl OffsetQuery {
    /// Returns the requested page, of `PAGE_SIZE` entries.
    fn page(&self) -> Page {
        page_at(self.offset)
    }
}

/// Returns the page of `PAGE_SIZE` entries after the first `offset` ones.
fn page_at(offset: u32) -> Page {
    Page { offset, limit: PAGE_SIZE }
}

/// Handles `GET /`: a page of the caller's top-level folders, and a page of the charts of the
/// caller and of their organizations, last changed first unless the query has another order. Redirects to
/// the sign-in page if nobody is signed in.
pub fn all(
    request: &RequestContext,
    caller: Option<&User>,
    (Query(paging), Query(arrangement)): (Query<SeparateOffsetsQuery>, Query<ArrangementQuery>),
) -> Result<Response> {
    let Some(caller) = caller else { return Response::see_other("/sign-in") };
    let order = arrangement.order()?;
    render_library_page(request, caller, |tx| {
        let list_root = |page: Page| {
            let list_request =
                folder_list_request(&caller.id, FolderPath::default(), order.clone(), page);
            listing::list_folder(tx, "", &Caller::from(caller), &list_request)
        };
        // The folders belong to the caller.
        let has_folders = ["", caller.id.as_str()].contains(&arrangement.owner.as_str());
        let folders = match has_folders {
            true => TopFolders::load(paging.folder_offset, list_root)?,
            false => TopFolders::default(),
        };
        let recent_request = RecentRequest {
            user: caller.id.to_string(),
            owner: none_if_empty(&arrangement.owner).map(str::to_owned),
            order: order.clone(),
            page: page_at(paging.offset),
        };
        Ok(LibraryPage {
            view: "all",
            title: language::text("common.allCharts").to_owned(),
            crumbs: Vec::new(),
            url: arrangement.url("/"),
            folders,
            listing: listing::list_recent(tx, "", caller, &recent_request)?,
            empty: language::text("library-page.noCharts").to_owned(),
            tabs: Vec::new(),
            script_data: json!({ "owner": caller.id, "path": "/" }),
            arrangement: Some(arrangement),
        })
    })
}

/// Handles `GET /new`: the library with the dialog for a new chart.
pub fn new_chart(_: &RequestContext, _: &User, (): ()) -> Result<Response> {
    Response::see_other("/#new")
}

/// Handles `GET /new/{kind}`: the library with the dialog for a new chart, in which the kind is selected.
/// `NotFound` for an unknown kind.
pub fn new_chart_of_kind(request: &RequestContext, _: &User, (): ()) -> Result<Response> {
    let id: String = request.param("kind")?;
    let kind = portfolio::find_kind(&id).or_not_found("page")?;
    Response::see_other(&format!("/#new-{}", kind.slug))
}

/// Handles `GET /recent`: the charts of the caller and of their organizations, last changed first.
pub fn recent(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<OffsetQuery>,
) -> Result<Response> {
    let recent_request = RecentRequest {
        user: caller.id.to_string(),
        owner: None,
        order: DocumentOrder::default(),
        page: paging.page(),
    };
    render_library_page(request, caller, |tx| {
        Ok(LibraryPage {
            view: "recent",
            title: language::text("library-page.recent").to_owned(),
            crumbs: Vec::new(),
            url: "/recent".to_owned(),
            folders: TopFolders::default(),
            listing: listing::list_recent(tx, "", caller, &recent_request)?,
            empty: language::text("library-page.nothingChanged").to_owned(),
            tabs: Vec::new(),
            arrangement: None,
            script_data: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// Handles `GET /starred`: the documents that the caller has starred, last starred first.
pub fn starred(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<OffsetQuery>,
) -> Result<Response> {
    render_library_page(request, caller, |tx| {
        Ok(LibraryPage {
            view: "starred",
            title: language::text("library-page.starred").to_owned(),
            crumbs: Vec::new(),
            url: "/starred".to_owned(),
            folders: TopFolders::default(),
            listing: stars::list_stars(tx, "", caller, caller.id.as_str(), paging.page())?,
            empty: language::text("library-page.nothingStarred").to_owned(),
            tabs: Vec::new(),
            arrangement: None,
            script_data: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// Handles `GET /f/{owner}`: the root folder of an account.
pub fn root(
    request: &RequestContext,
    caller: &User,
    (Query(paging), Query(arrangement)): (Query<OffsetQuery>, Query<ArrangementQuery>),
) -> Result<Response> {
    render_folder(request, caller, FolderPath::default(), arrangement, paging.page())
}

/// Handles `GET /f/{owner}/{*path}`: a folder.
pub fn folder(
    request: &RequestContext,
    caller: &User,
    (Query(paging), Query(arrangement)): (Query<OffsetQuery>, Query<ArrangementQuery>),
) -> Result<Response> {
    let path: String = request.param("path")?;
    // No folder can have an invalid path.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    render_folder(request, caller, path, arrangement, paging.page())
}

/// Renders the page of a folder of the owner in the request. Its title is the name of the folder.
/// The breadcrumbs lead to the folder, but do not contain it.
///
/// # Errors
/// `NotFound` if the folder does not exist, is in the trash, or the caller may not read it.
fn render_folder(
    request: &RequestContext,
    caller: &User,
    path: FolderPath,
    arrangement: ArrangementQuery,
    page: Page,
) -> Result<Response> {
    let owner: AccountId = request.param("owner")?;
    // The folder has one owner.
    let arrangement = ArrangementQuery { owner: String::new(), ..arrangement };
    let list_request = folder_list_request(&owner, path, arrangement.order()?, page);
    render_library_page(request, caller, |tx| {
        let listing = listing::list_folder(tx, "", &Caller::from(caller), &list_request)?;
        let mut crumbs = breadcrumbs::build_breadcrumbs(tx, caller, &owner, &list_request.path)?;
        let url = arrangement.url(&tree::folder_page_url("", &owner, &list_request.path));
        let top = crumbs.first().map(|link| link.label.clone()).unwrap_or_default();
        let title = crumbs.pop().map(|link| link.label).unwrap_or_default();
        Ok(LibraryPage {
            view: "folder",
            title,
            crumbs,
            url,
            folders: TopFolders::default(),
            listing,
            empty: language::text("library-page.folderEmpty").to_owned(),
            tabs: Vec::new(),
            arrangement: Some(arrangement),
            script_data: json!({
                "owner": owner,
                "ownerName": top,
                "path": list_request.path.to_string(),
            }),
        })
    })
}

/// Handles `GET /shared`: the items that others share with the caller. Shows a page of folders,
/// then a page of documents. The two parts have separate offsets.
pub fn shared(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<SeparateOffsetsQuery>,
) -> Result<Response> {
    render_library_page(request, caller, |tx| {
        let list_foreign = |folders: bool, page: Page| {
            sharing::list_foreign(tx, "", caller, caller.id.as_str(), folders, page)
        };
        Ok(LibraryPage {
            view: "shared",
            title: language::text("common.sharedWithMe").to_owned(),
            crumbs: Vec::new(),
            url: "/shared".to_owned(),
            folders: TopFolders::load(paging.folder_offset, |page| list_foreign(true, page))?,
            listing: list_foreign(false, page_at(paging.offset))?,
            empty: language::text("library-page.nothingShared").to_owned(),
            tabs: Vec::new(),
            arrangement: None,
            script_data: json!({}),
        })
    })
}

/// Handles `GET /trash`: the trash of the caller, or of the organization that `owner` names.
/// `NotFound` if the caller may not see that trash.
pub fn trash(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<TrashQuery>,
) -> Result<Response> {
    let owner = query.owner.unwrap_or_else(|| caller.id.to_string());
    let days = request.app.config.trash_retention.as_secs().div_ceil(86_400);
    render_library_page(request, caller, |tx| {
        let viewer = Caller::from(caller);
        let is_own = owner == caller.id.as_str();
        let escaped: String = form_urlencoded::byte_serialize(owner.as_bytes()).collect();
        Ok(LibraryPage {
            view: "trash",
            title: language::text("common.trash").to_owned(),
            crumbs: Vec::new(),
            url: if is_own { "/trash".to_owned() } else { format!("/trash?owner={escaped}&") },
            folders: TopFolders::default(),
            listing: listing::list_trash(tx, "", &viewer, &owner, page_at(query.offset))?,
            empty: language::text("library-page.trashEmpty").to_owned(),
            tabs: list_trash_tabs(tx, caller, &owner)?,
            arrangement: None,
            script_data: json!({ "owner": owner, "trashDays": days }),
        })
    })
}

/// Returns the links to the trash of the caller and of their organizations, with `shown` as the current
/// one. Empty if there is only that of the caller.
fn list_trash_tabs(tx: &Tx<'_>, caller: &User, shown: &str) -> Result<Vec<TrashTab>> {
    let memberships = orgs::list_memberships(tx, &caller.id)?;
    if memberships.is_empty() {
        return Ok(Vec::new());
    }
    let own = (caller.id.clone(), language::text("library-page.myTrash").to_owned());
    let others = memberships.into_iter().map(|membership| (membership.org.id, membership.org.name));
    let viewer = Caller::from(caller);
    std::iter::once(own)
        .chain(others)
        .map(|(id, label)| {
            Ok(TrashTab {
                label,
                href: match id == caller.id {
                    true => "/trash".to_owned(),
                    false => format!("/trash?owner={id}"),
                },
                count: listing::count_trash(tx, &viewer, id.as_str())?,
                is_current: id.as_str() == shown,
            })
        })
        .collect()
}

/// Handles `GET /search`. If the search is empty or invalid, the page shows a hint instead of
/// results.
pub fn search(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<SearchQuery>,
) -> Result<Response> {
    let text = query.q.trim().to_owned();
    let empty_listing = || Listing::new(page_at(0), 0, Vec::new());
    let (listing, empty) = if text.is_empty() {
        (empty_listing(), language::text("library-page.searchHint").to_owned())
    } else {
        let found = listing::search_nodes(
            request.app,
            &Caller::from(caller),
            text.clone(),
            page_at(query.offset),
        );
        match found {
            Ok(found) => (found, language::fill("ui.nothingFound").with("query", &text).into()),
            Err(error @ Error::InvalidFields(_)) => {
                let problem = Problem::from_error(error, &[("query", "field-labels.search")])?;
                (empty_listing(), problem.of("query").to_owned())
            }
            Err(other) => return Err(other),
        }
    };
    let escaped: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    render_library_page(request, caller, |_| {
        Ok(LibraryPage {
            view: "search",
            title: match text.as_str() {
                "" => language::text("library-page.searchTitle").to_owned(),
                text => language::fill("library-page.results").with("query", text).into(),
            },
            crumbs: Vec::new(),
            url: format!("/search?q={escaped}&"),
            folders: TopFolders::default(),
            listing,
            empty,
            tabs: Vec::new(),
            arrangement: None,
            script_data: json!({ "query": text }),
        })
    })
}

/// Returns a request for a page of a folder of `owner` without a text filter.
fn folder_list_request(
    owner: &AccountId,
    path: FolderPath,
    order: DocumentOrder,
    page: Page,
) -> ListRequest {
    ListRequest { user: owner.to_string(), path, matching: String::new(), order, page }
}
