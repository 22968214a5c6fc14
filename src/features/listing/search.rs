//! `GET /search`: documents and folders by what they say, among those that the caller may see.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Entry;
use super::Listing;
use super::entries;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::NodeId;
use chartroom_platform::search;
use chartroom_platform::search::Scope;
use chartroom_platform::search::Wish;

/// How long a search waits at most for the index to have what was written before it: some
/// milliseconds, unless the machine is very busy.
const PATIENCE: Duration = Duration::from_secs(2);

/// Query of `GET /search`.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Words, all of which must be there, the last perhaps in part; `"words in quotes"` follow each
    /// other; `-word` must not be there. The first 32 words count.
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Results to leave out at the beginning; 0 when absent.
    offset: Option<u32>,
    /// At most 100; 10 when absent.
    limit: Option<u32>,
    /// Token of a share link: what it opens is searched too.
    #[serde(default, rename = "share")]
    _share: Option<String>,
}

/// `GET /search`: the best first.
pub fn search(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<SearchQuery>,
) -> Result<Raw<Listing>> {
    if caller.user.is_none() && caller.share.is_none() {
        return Err(Error::SignIn("sign-in required"));
    }
    let page = Page::new(query.offset, query.limit);
    find(&request.app, caller, query.query, page)?.response(request)
}

/// What was found for `query`, the best first.
///
/// # Errors
/// `Fields` about `query` when it asks for nothing.
pub fn find(app: &App, caller: &Caller, query: String, page: Page) -> Result<Listing> {
    let wish = Wish::parse(&query).map_err(|text| Error::field("query", text))?;
    let newest = app.db.read(tree::last_change)?;
    app.search.reach(newest, PATIENCE, || app.db.committed().ring());
    let _turn = app.search.turn();
    // What may be seen, and what is shown of it, come from one snapshot.
    let (count, results) = app.db.read_once(|| {
        let scope = app.db.read(|tx| access::scope(tx, caller))?;
        let found = app.search.find(&wish, &scope, page.offset as usize, page.limit as usize)?;
        let asked = Asked { caller, scope: &scope, wish: &wish };
        let results = app.db.read(|tx| results(tx, &app.config.base_url, &asked, &found.ids))?;
        Ok::<_, Error>((found.count, results))
    })?;
    let listing = Listing::new(page, count as u64, results);
    Ok(Listing { query: Some(query), ..listing })
}

/// Who asked for what.
struct Asked<'a> {
    caller: &'a Caller,
    scope: &'a Scope,
    wish: &'a Wish,
}

/// The entries of what was found, as far as the caller may see it.
fn results(tx: &Tx<'_>, base_url: &str, asked: &Asked<'_>, ids: &[String]) -> Result<Vec<Entry>> {
    let mut shown = Vec::with_capacity(ids.len());
    let mut highlights = Vec::with_capacity(ids.len());
    for id in ids {
        let id = NodeId::from_text(id.as_str());
        // Removed, or taken from the caller, since it was found.
        let Some(node) = tree::find(tx, &id)? else { continue };
        let level = level(tx, asked, &node)?;
        if level == Level::None {
            tracing::debug!(%id, "found, but not open to the caller");
            continue;
        }
        highlights.push(highlight(tx, asked.wish, &node)?);
        shown.push((id, level));
    }
    let mut entries = entries(tx, base_url, asked.caller, &shown)?;
    for entry in &mut entries {
        let at = shown.iter().position(|(id, _)| Some(id) == entry.id());
        entry.highlight = at.and_then(|it| highlights.get_mut(it)).map(std::mem::take);
    }
    Ok(entries)
}

/// What the caller may do, but for what anybody may: that is not searched.
fn level(tx: &Tx<'_>, asked: &Asked<'_>, node: &Node) -> Result<Level> {
    if node.deleted.is_some() {
        return Ok(Level::None);
    }
    // Who may see it because of whose it is may do everything.
    let parent = node.parent.as_ref().map(NodeId::as_str);
    if asked.scope.has_as_owners(node.owner.as_str(), node.id.as_str(), parent) {
        return Ok(Level::Write);
    }
    let owner = &node.owner;
    let resource = Resource { node: Some(&node.id), owner, is_public: false, in_trash: false };
    access::level(tx, asked.caller, &resource)
}

/// The place for which a node was found.
fn highlight(tx: &Tx<'_>, wish: &Wish, node: &Node) -> Result<String> {
    if let Some(found) = search::excerpt(wish, &node.title) {
        return Ok(found);
    }
    let texts = documents::texts(tx, &node.id)?.unwrap_or_default();
    if let Some(found) = texts.around.iter().find_map(|it| search::excerpt(wish, it)) {
        return Ok(found);
    }
    // Reading the data takes longest.
    if let Some(found) = search::excerpt(wish, &documents::data_texts(tx, &node.id)?) {
        return Ok(found);
    }
    let path = tree::folder_path(tx, node.parent.as_ref())?.to_string();
    let found = [&texts.kind, &path].into_iter().find_map(|it| search::excerpt(wish, it));
    Ok(found.unwrap_or_else(|| search::beginning(&node.title)))
}
