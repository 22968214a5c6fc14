//! The frame of all pages of the library: navigation, links to other pages, and the data of the scripts.

use serde_json::Value;
use serde_json::json;

use super::arrangement::ArrangementQuery;
use super::arrangement::build_arrangement;
use super::templates;
use super::templates::Arrangement;
use super::templates::LibraryTemplate;
use super::templates::Link;
use super::templates::TrashTab;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::cloud::Connection;
use crate::features::listing::Card;
use crate::features::listing::Listing;
use crate::features::listing::ListingEntry;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Role;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::language;
use chartroom_platform::messages;

/// Folders per page, where folders and charts have separate pages. The scripts use the same number.
const FOLDERS_PER_PAGE: u32 = 96;

/// Number of thumbnails that browsers load before the scripts run. They fill the first two rows on
/// usual screens. The scripts load the others when they come near the visible area.
const EAGER_THUMBNAILS: usize = 8;

/// The content of a library page.
pub struct LibraryPage {
    /// Name of the page in the scripts.
    pub view: &'static str,
    pub title: String,
    pub crumbs: Vec<Link>,
    /// URL of the page, without a query or with a query that ends in `&`.
    pub url: String,
    pub folders: TopFolders,
    pub listing: Listing,
    /// Text for a page without entries, if there is no filter.
    pub empty: String,
    /// Trash only: see [`LibraryTemplate::tabs`].
    pub tabs: Vec<TrashTab>,
    /// Sort and filter of the documents. None on pages with a fixed order.
    pub arrangement: Option<ArrangementQuery>,
    /// Additional initial data of the script, an object.
    pub script_data: Value,
}

impl LibraryPage {
    /// Returns why the account that would own new charts of this page may store none. None if it may.
    /// It is an organization on the page of a folder of one of `orgs`, and the caller otherwise.
    fn storage_notice(
        &self,
        tx: &Tx<'_>,
        caller: &User,
        orgs: &[Membership],
    ) -> Result<Option<String>> {
        let shown = self.script_data.get("owner").and_then(Value::as_str);
        let is_shown = |membership: &&Membership| Some(membership.org.id.as_str()) == shown;
        let owner = orgs.iter().find(is_shown).map_or(&caller.id, |membership| &membership.org.id);
        match access::check_storage_allowed(tx, owner) {
            Ok(()) => Ok(None),
            Err(refusal @ (Error::Forbidden(_) | Error::PaymentRequired(_))) => {
                let reason = messages::describe_in_sentence(&refusal);
                Ok(Some(format!("{reason} {}", language::text("library-page.nothingToAdd"))))
            }
            Err(other) => Err(other),
        }
    }

    /// Returns the URL of the page without a query.
    fn path(&self) -> &str {
        self.url.split('?').next().unwrap_or_default()
    }
}

/// Folders that are shown above the listing and have pages of their own.
#[derive(Default)]
pub struct TopFolders {
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
    pub fn load(offset: u32, list: impl FnOnce(Page) -> Result<Listing>) -> Result<Self> {
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

/// Renders a library page with the navigation that all of them have: links to the root folders of
/// the caller and of their organizations, and to the previous and next page. Also adds the initial
/// data of the scripts. `read` loads the content of the page in the same read transaction.
pub fn render_library_page(
    request: &RequestContext,
    caller: &User,
    read: impl FnOnce(&Tx<'_>) -> Result<LibraryPage>,
) -> Result<Response> {
    let (page, orgs, connections, storage_notice) = request.app.db.read(|tx| {
        let orgs = orgs::list_memberships(tx, &caller.id)?;
        let page = read(tx)?;
        let notice = page.storage_notice(tx, caller, &orgs)?;
        Ok::<_, Error>((page, orgs, cloud::list_connections(tx, &caller.id)?, notice))
    })?;
    let org_pages = orgs.iter().map(org_page_link).collect();
    let orgs: Vec<(AccountId, String)> =
        orgs.into_iter().map(|membership| (membership.org.id, membership.org.name)).collect();
    let Listing { offset, limit, count, .. } = page.listing;
    let (previous, next) = Page { offset, limit }.adjacent_pages(count);
    let (previous_folders, next_folders) = page.folders.adjacent_pages();
    let separator = if page.url.ends_with('&') { "" } else { "?" };
    let url_at = |target: Page| format!("{}{separator}offset={}", page.url, target.offset);
    let folders_at = |target: Page| format!("{}{separator}folders={}", page.url, target.offset);
    let arrangement = page.arrangement.as_ref();
    let boot = build_script_data(&page, caller, &orgs, storage_notice.is_none());
    let here = page.path().to_owned();
    let is_filtered = arrangement.is_some_and(ArrangementQuery::has_filter);
    let arrangement = arrangement.map(|query| arrange(&page, query, caller, &orgs));
    let top = |id: &AccountId| tree::folder_page_url("", id, &FolderPath::default());
    let cards = build_cards(&page);
    templates::render_html(&LibraryTemplate {
        user_name: caller.name.clone(),
        count,
        cards,
        org_pages,
        clouds: connections.iter().map(cloud_link).collect(),
        tabs: page.tabs,
        mine: Link { label: language::text("common.myCharts").to_owned(), href: top(&caller.id) },
        orgs: orgs.iter().map(|(id, name)| Link { label: name.clone(), href: top(id) }).collect(),
        previous: previous.map(url_at).unwrap_or_default(),
        next: next.map(url_at).unwrap_or_default(),
        previous_folders: previous_folders.map(folders_at).unwrap_or_default(),
        next_folders: next_folders.map(folders_at).unwrap_or_default(),
        boot,
        view: page.view,
        storage_notice: storage_notice.unwrap_or_default(),
        arrangement,
        here,
        title: page.title,
        crumbs: page.crumbs,
        empty: match is_filtered {
            true => language::text("library.noMatch").to_owned(),
            false => page.empty,
        },
    })
}

/// Returns the form for the order and the filters of a page. `orgs` has the id and the name of each
/// organization of the caller.
fn arrange(
    page: &LibraryPage,
    query: &ArrangementQuery,
    caller: &User,
    orgs: &[(AccountId, String)],
) -> Arrangement {
    let own = (caller.id.as_str(), language::text("common.myCharts"));
    let others = orgs.iter().map(|(id, name)| (id.as_str(), name.as_str()));
    let owners: Vec<_> = std::iter::once(own).chain(others).collect();
    // A folder has documents of one owner.
    let has_choice = page.view == "all" && owners.len() > 1;
    build_arrangement(page.path(), query, if has_choice { &owners } else { &[] })
}

/// Returns the initial data of the scripts of a page as JSON text for a script element. `orgs` has
/// the id and the name of each organization of the caller. `may_store`: new charts and folders are allowed.
fn build_script_data(
    page: &LibraryPage,
    caller: &User,
    orgs: &[(AccountId, String)],
    may_store: bool,
) -> String {
    let arrangement = page.arrangement.as_ref();
    let mut data = json!({
        "view": page.view,
        "sort": arrangement.map(|query| &query.sort),
        "kind": arrangement.map(|query| &query.kind),
        "filterOwner": arrangement.map(|query| &query.owner),
        "title": page.title,
        "user": { "id": caller.id, "name": caller.name },
        "orgs": orgs.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect::<Vec<_>>(),
        "folders": page.folders.entries,
        "hasMoreFolders": page.folders.has_more,
        "listing": page.listing,
        "empty": page.empty,
        "mayStore": may_store,
    });
    if let (Value::Object(data), Value::Object(more)) = (&mut data, &page.script_data) {
        data.extend(more.clone());
    }
    // The first `</script` ends a script element, even inside a JSON string.
    data.to_string().replace('<', "\\u003c")
}

/// Returns the cards of a page: its folders, then its entries. Cards of the trash have no link.
fn build_cards(page: &LibraryPage) -> Vec<Card> {
    let is_trash = page.view == "trash";
    let card = |entry: &ListingEntry| {
        let view = if is_trash { String::new() } else { entry.urls.view.clone() };
        Card::from_entry(entry, view, "")
    };
    let mut cards: Vec<_> =
        page.folders.entries.iter().chain(&page.listing.results).map(card).collect();
    let with_thumbnail = cards.iter_mut().filter(|card| !card.picture.is_empty());
    with_thumbnail.skip(EAGER_THUMBNAILS).for_each(|card| card.is_deferred = true);
    cards
}

/// Returns the link to the folders of a connection to cloud storage.
fn cloud_link(connection: &Connection) -> Link {
    let Connection { provider, id, title, .. } = connection;
    Link { label: title.clone(), href: format!("/c/{}/{id}", provider.as_str()) }
}

/// Returns the link to the pages of an organization. Its label names the rights of the member.
fn org_page_link(membership: &Membership) -> Link {
    let Membership { org, role } = membership;
    Link {
        label: language::fill(match role {
            Role::Member => "library-page.membersOf",
            Role::BrandManager | Role::Admin => "library-page.manage",
        })
        .with("org", &org.name)
        .into(),
        href: format!("/orgs/{}", org.slug),
    }
}
