//! Full-text search in the documents and folders that the caller may read.

use std::time::Duration;

use super::Listing;
use super::ListingEntry;
use super::entries::build_entries;
use super::store;
use super::store::NodeRow;
use crate::app::App;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::documents;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::fair_semaphore::Permit;
use chartroom_platform::http::Page;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::search;
use chartroom_platform::search::ParsedQuery;
use chartroom_platform::search::SearchScope;

/// Maximum time for a search to wait until the index has the caller's own last change. Usually some
/// milliseconds.
const INDEX_WAIT_TIMEOUT: Duration = Duration::from_millis(300);

/// Searches the nodes that the caller may read through ownership, membership or access entries,
/// including that of the caller's share link. Returns a page of results, best match first. A text
/// without search terms, such as `!?`, finds nothing.
///
/// If the caller has changed a node recently, waits up to 300 ms until the index has that change.
/// Never waits for changes by others, so that a busy writer does not delay the searches of others.
///
/// # Errors
/// `InvalidFields` naming `query` if it is empty or has more than 500 characters. `Busy` if the
/// index is not built yet or damaged.
pub fn search_nodes(app: &App, caller: &Caller, text: String, page: Page) -> Result<Listing> {
    let query =
        ParsedQuery::parse(&text).map_err(|message| Error::invalid_field("query", message))?;
    let author = caller.account_id().map_or("", AccountId::as_str);
    let _slot = acquire_slot_after_own_changes(app, author)?;
    // One snapshot for both reads, so that the access check and the entries agree.
    let (count, results) = app.db.read_in_one_snapshot(|| {
        let scope = app.db.read(|tx| access::build_search_scope(tx, caller))?;
        let found = app.search.find(&query, &scope, page.offset as usize, page.limit as usize)?;
        let context = SearchContext { caller, scope: &scope, query: &query };
        let results =
            app.db.read(|tx| load_results(tx, &app.config.base_url, &context, &found.ids))?;
        // The index may still contain nodes that were removed a moment ago.
        let hidden = found.ids.len() - results.len();
        Ok::<_, Error>((found.count.saturating_sub(hidden), results))
    })?;
    let listing = Listing::new(page, count as u64, results);
    Ok(Listing { query: Some(text), ..listing })
}

/// Waits until the index has the last change of the account `author`, at most `INDEX_WAIT_TIMEOUT`, and
/// returns the permit for a search.
///
/// The permit is taken before the first read. Otherwise each waiting search would have used a database
/// connection, and connections keep the pages that they read.
fn acquire_slot_after_own_changes<'a>(app: &'a App, author: &str) -> Result<Permit<'a, String>> {
    let slot = app.search.acquire_slot(author);
    let indexed = app.search.last_change();
    let own = app.db.read(|tx| tree::find_last_change_by(tx, author, indexed))?;
    // Without an own change this waits only while the server opens the index after its start.
    let awaited = own.unwrap_or(0);
    if app.search.has_change(awaited) {
        return Ok(slot);
    }
    // Searches of others run meanwhile.
    drop(slot);
    app.search.wait_for_change(awaited, INDEX_WAIT_TIMEOUT, || app.db.commit_signal().notify());
    Ok(app.search.acquire_slot(author))
}

/// The caller of a search with the searchable scope and the parsed query.
struct SearchContext<'a> {
    caller: &'a Caller,
    scope: &'a SearchScope,
    query: &'a ParsedQuery,
}

/// Loads the entries of the found nodes that the caller may still read, each with its matching
/// text. The order is that of `ids`; nodes that are absent or not readable are left out.
fn load_results(
    tx: &Tx<'_>,
    base_url: &str,
    context: &SearchContext<'_>,
    ids: &[String],
) -> Result<Vec<ListingEntry>> {
    let ids: Vec<NodeId> = ids.iter().map(|id| NodeId::from_text(id.as_str())).collect();
    let mut found = Vec::with_capacity(ids.len());
    let mut highlights = Vec::with_capacity(ids.len());
    // A node that was expunged after the search has no row.
    for row in store::load_node_rows(tx, &ids.iter().collect::<Vec<_>>())? {
        let level = access_level(tx, context, &row)?;
        if level == AccessLevel::None {
            tracing::debug!(id = %row.id, "found, but not readable by the caller");
            continue;
        }
        highlights.push(build_highlight(tx, context.query, &row)?);
        found.push((level, row));
    }
    let mut entries = build_entries(tx, base_url, context.caller, found)?;
    for (entry, highlight) in entries.iter_mut().zip(highlights) {
        entry.highlight = Some(highlight);
    }
    Ok(entries)
}

/// Returns the caller's access through ownership, membership and access entries; no access in the
/// trash. Public access does not count, because public documents are not searched.
fn access_level(tx: &Tx<'_>, context: &SearchContext<'_>, node: &NodeRow) -> Result<AccessLevel> {
    if node.deleted.is_some() {
        return Ok(AccessLevel::None);
    }
    // Owners and members of the owning organization have write access.
    let parent = node.parent.as_ref().map(NodeId::as_str);
    if context.scope.contains_through_owner(node.owner.as_str(), node.id.as_str(), parent) {
        return Ok(AccessLevel::Write);
    }
    let owner = &node.owner;
    let resource = Resource { node: Some(&node.id), owner, is_public: false, in_trash: false };
    access::access_level(tx, context.caller, &resource)
}

/// Returns an excerpt with a match, as HTML: of the title, else the captions, the data, the names
/// of the kind or the folder path. Without a match, returns the beginning of the title.
fn build_highlight(tx: &Tx<'_>, query: &ParsedQuery, node: &NodeRow) -> Result<String> {
    if let Some(found) = search::highlight_excerpt(query, &node.title) {
        return Ok(found);
    }
    let texts = documents::load_search_texts(tx, &node.id)?.unwrap_or_default();
    if let Some(found) =
        texts.captions.iter().find_map(|caption| search::highlight_excerpt(query, caption))
    {
        return Ok(found);
    }
    // The data is tried after the texts, because reading it is slow.
    if let Some(found) =
        search::highlight_excerpt(query, &documents::load_data_search_text(tx, &node.id)?)
    {
        return Ok(found);
    }
    let path = tree::folder_path(tx, node.parent.as_ref())?.to_string();
    let found = [&texts.kind_names, &path]
        .into_iter()
        .find_map(|text| search::highlight_excerpt(query, text));
    Ok(found.unwrap_or_else(|| search::escape_beginning(&node.title)))
}
