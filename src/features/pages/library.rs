//! The library: charts and folders, shared items, the trash, and search results.
//!
//! Every page is readable without scripts. Scripts add the actions and start with the listing that
//! the page contains, so that they need no first request.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::breadcrumbs;
use super::templates;
use super::templates::LibraryTemplate;
use super::templates::Link;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::listing;
use crate::features::listing::Card;
use crate::features::listing::ListRequest;
use crate::features::listing::Listing;
use crate::features::listing::ListingEntry;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Role;
use crate::features::sharing;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;

/// Entries per page.
const PAGE_SIZE: u32 = 48;

/// Folders per page, where folders and charts have separate pages. The scripts use the same number.
const FOLDERS_PER_PAGE: u32 = 96;

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

/// The content of a library page.
struct LibraryPage {
    /// Name of the page in the scripts.
    view: &'static str,
    title: String,
    crumbs: Vec<Link>,
    /// URL of the page, without a query or with a query that ends in `&`.
    url: String,
    folders: TopFolders,
    listing: Listing,
    /// Text for a page without entries.
    empty: String,
    /// Additional initial data of the script, an object.
    script_data: Value,
}

/// Folders that are shown above the listing and have pages of their own.
#[derive(Default)]
struct TopFolders {
    entries: Vec<ListingEntry>,
    /// Number of skipped folders.
    offset: u32,
    /// Whether there is a next page of folders.
    has_more: bool,
}

impl TopFolders {
    /// Returns the page of at most `FOLDERS_PER_PAGE` folders after the first `offset` ones. Calls
    /// `list` once, with a page of one more entry, which shows whether there is a next page. `list`
    /// loads entries with folders first; others are dropped.
    fn load(offset: u32, list: impl FnOnce(Page) -> Result<Listing>) -> Result<Self> {
        let limit = FOLDERS_PER_PAGE as usize;
        // The additional entry shows whether there is a next page.
        let listing = list(Page { offset, limit: FOLDERS_PER_PAGE + 1 })?;
        let is_folder = |entry: &ListingEntry| entry.folder.is_some();
        let mut entries: Vec<_> = listing.results.into_iter().filter(is_folder).collect();
        let has_more = entries.len() > limit;
        entries.truncate(limit);
        Ok(Self { entries, offset, has_more })
    }

    /// Returns the previous and the next page of folders, each None if it does not exist.
    fn adjacent_pages(&self) -> (Option<Page>, Option<Page>) {
        let known = u64::from(self.offset) + self.entries.len() as u64 + u64::from(self.has_more);
        Page { offset: self.offset, limit: FOLDERS_PER_PAGE }.adjacent_pages(known)
    }
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
/// caller and of their organizations, last changed first. Redirects to the sign-in page if nobody
/// is signed in.
pub fn all(
    request: &RequestContext,
    caller: Option<&User>,
    Query(paging): Query<SeparateOffsetsQuery>,
) -> Result<Response> {
    let Some(caller) = caller else { return Response::see_other("/sign-in") };
    render_library_page(request, caller, |tx| {
        let list_root = |page: Page| {
            let list_request = folder_list_request(&caller.id, FolderPath::default(), page);
            listing::list_folder(tx, "", &Caller::from(caller), &list_request)
        };
        let charts = page_at(paging.offset);
        Ok(LibraryPage {
            view: "all",
            title: "All charts".to_owned(),
            crumbs: Vec::new(),
            url: "/".to_owned(),
            folders: TopFolders::load(paging.folder_offset, list_root)?,
            listing: listing::list_recent(tx, "", caller, caller.id.as_str(), charts)?,
            empty: "No charts yet. Pick a kind and begin with its example.".to_owned(),
            script_data: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// Handles `GET /recent`: the charts of the caller and of their organizations, last changed first.
pub fn recent(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<OffsetQuery>,
) -> Result<Response> {
    render_library_page(request, caller, |tx| {
        Ok(LibraryPage {
            view: "recent",
            title: "Recent".to_owned(),
            crumbs: Vec::new(),
            url: "/recent".to_owned(),
            folders: TopFolders::default(),
            listing: listing::list_recent(tx, "", caller, caller.id.as_str(), paging.page())?,
            empty: "Nothing has changed yet.".to_owned(),
            script_data: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// Handles `GET /f/{owner}`: the root folder of an account.
pub fn root(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<OffsetQuery>,
) -> Result<Response> {
    render_folder(request, caller, FolderPath::default(), paging.page())
}

/// Handles `GET /f/{owner}/{*path}`: a folder.
pub fn folder(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<OffsetQuery>,
) -> Result<Response> {
    let path: String = request.param("path")?;
    // No folder can have an invalid path.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    render_folder(request, caller, path, paging.page())
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
    page: Page,
) -> Result<Response> {
    let owner: AccountId = request.param("owner")?;
    let list_request = folder_list_request(&owner, path, page);
    render_library_page(request, caller, |tx| {
        let listing = listing::list_folder(tx, "", &Caller::from(caller), &list_request)?;
        let mut crumbs = breadcrumbs::build_breadcrumbs(tx, caller, &owner, &list_request.path)?;
        let url = tree::folder_page_url("", &owner, &list_request.path);
        let top = crumbs.first().map(|link| link.label.clone()).unwrap_or_default();
        let title = crumbs.pop().map(|link| link.label).unwrap_or_default();
        Ok(LibraryPage {
            view: "folder",
            title,
            crumbs,
            url,
            folders: TopFolders::default(),
            listing,
            empty: "This folder is empty.".to_owned(),
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
            title: "Shared with me".to_owned(),
            crumbs: Vec::new(),
            url: "/shared".to_owned(),
            folders: TopFolders::load(paging.folder_offset, |page| list_foreign(true, page))?,
            listing: list_foreign(false, page_at(paging.offset))?,
            empty: "Nobody has shared anything with you yet.".to_owned(),
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
            title: "Trash".to_owned(),
            crumbs: Vec::new(),
            url: if is_own { "/trash".to_owned() } else { format!("/trash?owner={escaped}&") },
            folders: TopFolders::default(),
            listing: listing::list_trash(tx, "", &viewer, &owner, page_at(query.offset))?,
            empty: "The trash is empty.".to_owned(),
            script_data: json!({ "owner": owner, "trashDays": days }),
        })
    })
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
        (empty_listing(), "Enter words to find in titles, texts and data.".to_owned())
    } else {
        let found = listing::search_nodes(
            request.app,
            &Caller::from(caller),
            text.clone(),
            page_at(query.offset),
        );
        match found {
            Ok(found) => (found, format!("Nothing was found for “{text}”.")),
            Err(Error::InvalidFields(faults)) => {
                let message = faults.first().map(|fault| fault.message.clone()).unwrap_or_default();
                (empty_listing(), format!("The search {message}."))
            }
            Err(other) => return Err(other),
        }
    };
    let escaped: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    render_library_page(request, caller, |_| {
        Ok(LibraryPage {
            view: "search",
            title: match text.as_str() {
                "" => "Search".to_owned(),
                text => format!("Results for “{text}”"),
            },
            crumbs: Vec::new(),
            url: format!("/search?q={escaped}&"),
            folders: TopFolders::default(),
            listing,
            empty,
            script_data: json!({ "query": text }),
        })
    })
}

/// Returns a request for a page of a folder of `owner` without a text filter.
fn folder_list_request(owner: &AccountId, path: FolderPath, page: Page) -> ListRequest {
    ListRequest { user: owner.to_string(), path, matching: String::new(), page }
}

/// Renders a library page with the navigation that all of them have: links to the root folders of
/// the caller and of their organizations, and to the previous and next page. Also adds the initial
/// data of the scripts. `read` loads the content of the page in the same read transaction.
fn render_library_page(
    request: &RequestContext,
    caller: &User,
    read: impl FnOnce(&Tx<'_>) -> Result<LibraryPage>,
) -> Result<Response> {
    let (page, orgs) = request
        .app
        .db
        .read(|tx| Ok::<_, Error>((read(tx)?, orgs::list_memberships(tx, &caller.id)?)))?;
    let org_pages = orgs.iter().map(org_page_link).collect();
    let orgs: Vec<(AccountId, String)> =
        orgs.into_iter().map(|membership| (membership.org.id, membership.org.name)).collect();
    let Listing { offset, limit, count, .. } = page.listing;
    let (previous, next) = Page { offset, limit }.adjacent_pages(count);
    let (previous_folders, next_folders) = page.folders.adjacent_pages();
    let separator = if page.url.ends_with('&') { "" } else { "?" };
    let url_at = |target: Page| format!("{}{separator}offset={}", page.url, target.offset);
    let folders_at = |target: Page| format!("{}{separator}folders={}", page.url, target.offset);
    let mut boot = json!({
        "view": page.view,
        "title": page.title,
        "user": { "id": caller.id, "name": caller.name },
        "orgs": orgs.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect::<Vec<_>>(),
        "folders": page.folders.entries,
        "hasMoreFolders": page.folders.has_more,
        "listing": page.listing,
        "empty": page.empty,
    });
    if let (Value::Object(boot), Value::Object(more)) = (&mut boot, page.script_data) {
        boot.extend(more);
    }
    let top = |id: &AccountId| tree::folder_page_url("", id, &FolderPath::default());
    let is_trash = page.view == "trash";
    let card = |entry: &ListingEntry| {
        let view = if is_trash { String::new() } else { entry.urls.view.clone() };
        Card::from_entry(entry, view, "")
    };
    templates::render_html(&LibraryTemplate {
        user_name: caller.name.clone(),
        count,
        cards: page.folders.entries.iter().chain(&page.listing.results).map(card).collect(),
        org_pages,
        mine: Link { label: "My charts".to_owned(), href: top(&caller.id) },
        orgs: orgs.iter().map(|(id, name)| Link { label: name.clone(), href: top(id) }).collect(),
        previous: previous.map(url_at).unwrap_or_default(),
        next: next.map(url_at).unwrap_or_default(),
        previous_folders: previous_folders.map(folders_at).unwrap_or_default(),
        next_folders: next_folders.map(folders_at).unwrap_or_default(),
        // The first `</script` ends a script element, even inside a JSON string.
        boot: boot.to_string().replace('<', "\\u003c"),
        view: page.view,
        here: page.url,
        title: page.title,
        crumbs: page.crumbs,
        empty: page.empty,
    })
}

/// Returns the link to the pages of an organization. Its label names the rights of the member.
fn org_page_link(membership: &Membership) -> Link {
    let Membership { org, role } = membership;
    Link {
        label: match role {
            Role::Member => format!("Members of {}", org.name),
            Role::BrandManager | Role::Admin => format!("Manage {}", org.name),
        },
        href: format!("/orgs/{}", org.slug),
    }
}
