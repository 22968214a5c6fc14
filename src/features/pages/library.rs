//! The library: one's charts and folders, what others share, the trash, and what a search finds.
//!
//! Each page is whole as it comes, to read and to follow; with scripts it becomes the place to
//! arrange things in, and begins with the listing that is in the page.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::views;
use super::views::Library;
use super::views::Link;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::listing;
use crate::features::listing::Card;
use crate::features::listing::Entry;
use crate::features::listing::Listing;
use crate::features::listing::Wish;
use crate::features::orgs;
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

/// Entries on one page of the library.
const PAGE_SIZE: u32 = 48;

/// Folders that are shown above the charts of all folders.
const MOST_FOLDERS: u32 = 100;

/// Which part of the library to show.
#[derive(Deserialize, JsonSchema)]
pub struct Paging {
    /// How many entries to skip.
    #[serde(default)]
    offset: u32,
}

/// Whose trash to show.
#[derive(Deserialize, JsonSchema)]
pub struct TrashQuery {
    /// How many entries to skip.
    #[serde(default)]
    offset: u32,
    /// An organization; one's own when absent.
    owner: Option<String>,
}

/// What to search for.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// How many entries to skip.
    #[serde(default)]
    offset: u32,
    /// What was typed.
    #[serde(default)]
    q: String,
}

/// A page of the library before it is written.
struct Shelf {
    /// The word for the page in the script.
    view: &'static str,
    title: String,
    crumbs: Vec<Link>,
    /// Address of the page without a query, or with one that ends in `&`.
    here: String,
    /// Folders that are shown whatever the page of the listing.
    folders: Vec<Entry>,
    listing: Listing,
    /// What is said when nothing is there.
    empty: String,
    /// What else the script begins with.
    more: Value,
}

impl Paging {
    fn page(&self) -> Page {
        page(self.offset)
    }
}

fn page(offset: u32) -> Page {
    Page { offset, limit: PAGE_SIZE }
}

/// `GET /`: one's folders and the charts of all of them; without a caller the sign-in page.
pub fn all(
    request: &RequestContext,
    caller: Option<&User>,
    Query(paging): Query<Paging>,
) -> Result<Response> {
    let Some(caller) = caller else { return Response::see_other("/sign-in") };
    let top = Page { offset: 0, limit: MOST_FOLDERS };
    let wish = wish(&caller.id, FolderPath::default(), top);
    show(request, caller, |tx| {
        let top = listing::list(tx, "", &Caller::from(caller), &wish)?;
        Ok(Shelf {
            view: "all",
            title: "All charts".to_owned(),
            crumbs: Vec::new(),
            here: "/".to_owned(),
            folders: top.results.into_iter().filter(|it| it.folder.is_some()).collect(),
            listing: listing::recent(tx, "", caller, caller.id.as_str(), paging.page())?,
            empty: "No charts yet. Pick a kind and begin with its example.".to_owned(),
            more: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// `GET /recent`: the charts that changed last.
pub fn recent(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<Paging>,
) -> Result<Response> {
    show(request, caller, |tx| {
        Ok(Shelf {
            view: "recent",
            title: "Recent".to_owned(),
            crumbs: Vec::new(),
            here: "/recent".to_owned(),
            folders: Vec::new(),
            listing: listing::recent(tx, "", caller, caller.id.as_str(), paging.page())?,
            empty: "Nothing has changed yet.".to_owned(),
            more: json!({ "owner": caller.id, "path": "/" }),
        })
    })
}

/// `GET /f/{owner}`: what is at the top of an account.
pub fn root(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<Paging>,
) -> Result<Response> {
    inside(request, caller, FolderPath::default(), paging.page())
}

/// `GET /f/{owner}/{*path}`: what is in a folder.
pub fn folder(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<Paging>,
) -> Result<Response> {
    let path: String = request.param("path")?;
    // What cannot be a path is no folder's.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    inside(request, caller, path, paging.page())
}

fn inside(
    request: &RequestContext,
    caller: &User,
    path: FolderPath,
    page: Page,
) -> Result<Response> {
    let owner: AccountId = request.param("owner")?;
    let wish = wish(&owner, path, page);
    show(request, caller, |tx| {
        let listing = listing::list(tx, "", &Caller::from(caller), &wish)?;
        let mut crumbs = crumbs(tx, caller, &owner, &wish.path)?;
        let here = tree::folder_view("", &owner, &wish.path);
        let top = crumbs.first().map(|it| it.label.clone()).unwrap_or_default();
        let title = crumbs.pop().map(|it| it.label).unwrap_or_default();
        Ok(Shelf {
            view: "folder",
            title,
            crumbs,
            here,
            folders: Vec::new(),
            listing,
            empty: "This folder is empty.".to_owned(),
            more: json!({ "owner": owner, "ownerName": top, "path": wish.path.to_string() }),
        })
    })
}

/// The way to a folder, itself last. Of somebody else's, only what is shared may be known.
fn crumbs(tx: &Tx<'_>, caller: &User, owner: &AccountId, path: &FolderPath) -> Result<Vec<Link>> {
    let link = |label: &str, href: String| Link { label: label.to_owned(), href };
    let org = orgs::memberships(tx, &caller.id)?.into_iter().find(|it| it.org.id == *owner);
    let top = match org {
        Some(membership) => membership.org.name,
        None if *owner == caller.id => "My charts".to_owned(),
        None => {
            let own = link(path.title(), tree::folder_view("", owner, path));
            return Ok(vec![link("Shared with me", "/shared".to_owned()), own]);
        }
    };
    let mut way = Vec::new();
    let mut at = Some(path.clone());
    while let Some(path) = at {
        let label = if path.title().is_empty() { &top } else { path.title() };
        way.push(link(label, tree::folder_view("", owner, &path)));
        at = path.parent();
    }
    way.reverse();
    Ok(way)
}

/// `GET /shared`: what others share with one.
pub fn shared(
    request: &RequestContext,
    caller: &User,
    Query(paging): Query<Paging>,
) -> Result<Response> {
    show(request, caller, |tx| {
        let list = |folders: bool, page: Page| {
            sharing::list_foreign(tx, "", caller, caller.id.as_str(), folders, page)
        };
        Ok(Shelf {
            view: "shared",
            title: "Shared with me".to_owned(),
            crumbs: Vec::new(),
            here: "/shared".to_owned(),
            folders: list(true, Page { offset: 0, limit: MOST_FOLDERS })?.results,
            listing: list(false, paging.page())?,
            empty: "Nobody has shared anything with you yet.".to_owned(),
            more: json!({}),
        })
    })
}

/// `GET /trash`: what was thrown away.
pub fn trash(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<TrashQuery>,
) -> Result<Response> {
    let owner = query.owner.unwrap_or_else(|| caller.id.to_string());
    let days = request.app.config.trash_retention.as_secs().div_ceil(86_400);
    show(request, caller, |tx| {
        let who = Caller::from(caller);
        let own = owner == caller.id.as_str();
        Ok(Shelf {
            view: "trash",
            title: "Trash".to_owned(),
            crumbs: Vec::new(),
            here: if own { "/trash".to_owned() } else { format!("/trash?owner={owner}&") },
            folders: Vec::new(),
            listing: listing::trash(tx, "", &who, &owner, page(query.offset))?,
            empty: "The trash is empty.".to_owned(),
            more: json!({ "owner": owner, "trashDays": days }),
        })
    })
}

/// `GET /search`: what was found for `q`.
pub fn search(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<SearchQuery>,
) -> Result<Response> {
    let text = query.q.trim().to_owned();
    let nothing = || Listing::new(page(0), 0, Vec::new());
    let (listing, empty) = if text.is_empty() {
        (nothing(), "Type what to look for: titles, texts and data are searched.".to_owned())
    } else {
        let found =
            listing::find(&request.app, &Caller::from(caller), text.clone(), page(query.offset));
        match found {
            Ok(found) => (found, format!("Nothing was found for “{text}”.")),
            Err(Error::Fields(faults)) => {
                let said = faults.first().map(|it| it.message.clone()).unwrap_or_default();
                (nothing(), format!("The search {said}."))
            }
            Err(other) => return Err(other),
        }
    };
    let escaped: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    show(request, caller, |_| {
        Ok(Shelf {
            view: "search",
            title: match text.as_str() {
                "" => "Search".to_owned(),
                text => format!("Results for “{text}”"),
            },
            crumbs: Vec::new(),
            here: format!("/search?q={escaped}&"),
            folders: Vec::new(),
            listing,
            empty,
            more: json!({ "query": text }),
        })
    })
}

fn wish(owner: &AccountId, path: FolderPath, page: Page) -> Wish {
    Wish { user: owner.to_string(), path, matching: String::new(), page }
}

/// The page of a shelf, with the places that are on all of them.
fn show(
    request: &RequestContext,
    caller: &User,
    read: impl FnOnce(&Tx<'_>) -> Result<Shelf>,
) -> Result<Response> {
    let (shelf, orgs) = request.app.db.read(|tx| {
        let orgs = orgs::memberships(tx, &caller.id)?.into_iter().map(|it| it.org);
        Ok::<_, Error>((read(tx)?, orgs.map(|it| (it.id, it.name)).collect::<Vec<_>>()))
    })?;
    let Listing { offset, limit, count, .. } = shelf.listing;
    let (previous, next) = Page { offset, limit }.neighbours(count);
    let sign = if shelf.here.ends_with('&') { "" } else { "?" };
    let at = |page: Page| format!("{}{sign}offset={}", shelf.here, page.offset);
    let mut boot = json!({
        "view": shelf.view,
        "title": shelf.title,
        "user": { "id": caller.id, "name": caller.name },
        "orgs": orgs.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect::<Vec<_>>(),
        "folders": shelf.folders,
        "listing": shelf.listing,
        "empty": shelf.empty,
    });
    if let (Value::Object(boot), Value::Object(more)) = (&mut boot, shelf.more) {
        boot.extend(more);
    }
    let top = |id: &AccountId| tree::folder_view("", id, &FolderPath::default());
    let is_trash = shelf.view == "trash";
    let card = |it: &Entry| {
        let view = if is_trash { String::new() } else { it.urls.view.clone() };
        Card::of(it, view, "")
    };
    views::response(&Library {
        who: caller.name.clone(),
        count,
        cards: shelf.folders.iter().chain(&shelf.listing.results).map(card).collect(),
        mine: Link { label: "My charts".to_owned(), href: top(&caller.id) },
        orgs: orgs.iter().map(|(id, name)| Link { label: name.clone(), href: top(id) }).collect(),
        previous: previous.map(at).unwrap_or_default(),
        next: next.map(at).unwrap_or_default(),
        // A script element ends at the first `</script`, whatever is in it.
        boot: boot.to_string().replace('<', "\\u003c"),
        view: shelf.view,
        here: shelf.here,
        title: shelf.title,
        crumbs: shelf.crumbs,
        empty: shelf.empty,
    })
}
