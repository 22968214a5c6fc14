//! The list of an account's shares: entries on its own nodes, and entries that it created on other
//! accounts' nodes.

use schemars::JsonSchema;
use serde::Serialize;

use super::links;
use super::store;
use super::store::ShareRef;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::tree;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;

/// A page of an account's shares.
#[derive(Serialize, JsonSchema)]
pub struct ShareList {
    /// Number of skipped entries.
    offset: u32,
    /// Page size.
    limit: u32,
    /// Total number of entries.
    count: u64,
    /// Shares, newest first.
    results: Vec<ShareListEntry>,
}

/// An access entry with title and addresses of its node.
#[derive(Serialize, JsonSchema)]
pub struct ShareListEntry {
    #[serde(flatten)]
    ace: Ace,
    /// Title of the document or folder.
    title: String,
    urls: ShareListUrls,
}

/// Addresses of the shared node.
#[derive(Serialize, JsonSchema)]
pub struct ShareListUrls {
    /// Page for browsers.
    view: String,
    endpoint: String,
}

/// Lists a page of the access entries on nodes of the account `user`, and of the entries that it
/// created on nodes of other accounts. The account must be the caller's own or an organization that
/// the caller administers. The entries are sorted by their creation, newest first.
///
/// Omits entries on nodes of other accounts that the caller may no longer read.
///
/// # Errors
/// `NotFound` for any other account.
pub fn list_granted_shares(
    tx: &Tx<'_>,
    app: &App,
    caller: &User,
    user: &str,
    page: Page,
) -> Result<ShareList> {
    let account = resolve_listable_account(tx, caller, user)?;
    let account_caller = Caller::from(caller);
    let mut readable = Vec::new();
    for entry in store::list_share_refs(tx, &account)? {
        let level = access_level(tx, &account_caller, &account, &entry)?;
        // Entries on nodes that the caller can no longer read are hidden.
        if level != AccessLevel::None {
            readable.push((entry, level));
        }
    }
    let count = readable.len() as u64;
    let mut results = Vec::new();
    for (entry, level) in readable.into_iter().skip(page.offset as usize).take(page.limit as usize)
    {
        let details = access::find_entry_details(tx, &entry.id)?;
        let (Some(details), Some(node)) = (details, tree::find_node(tx, &entry.node)?) else {
            continue;
        };
        let base_url = app.config.base_url.as_str();
        let endpoint = match node.is_folder {
            true => {
                let path = tree::folder_path(tx, Some(&node.id))?;
                tree::folder_api_url(base_url, &node.owner, &path)
            }
            false => documents::endpoint_url(base_url, &node.owner, &node.id),
        };
        results.push(ShareListEntry {
            ace: access::build_ace(
                tx,
                links::share_links(app),
                &details,
                level == AccessLevel::Write,
            )?,
            urls: ShareListUrls { view: links::node_page_url(tx, base_url, &node)?, endpoint },
            title: node.title,
        });
    }
    Ok(ShareList { offset: page.offset, limit: page.limit, count, results })
}

/// Returns the account that `user` names, if it is the caller's own or an organization that the
/// caller administers.
///
/// # Errors
/// `NotFound` otherwise.
fn resolve_listable_account(tx: &Tx<'_>, caller: &User, user: &str) -> Result<AccountId> {
    let absent = || Error::NotFound("account");
    let account = access::resolve_owner(tx, Some(caller), user).map_err(|error| match error {
        Error::NotFound(_) => absent(),
        other => other,
    })?;
    let may_list = account == caller.id
        || access::is_org_id(&account)
            && orgs::find_role(tx, &account, &caller.id)? == Some(Role::Admin);
    if may_list { Ok(account) } else { Err(absent()) }
}

/// Returns the caller's access to the node of an entry: write access without a check if the listed
/// account owns the node, or else the result of `access::access_level`.
fn access_level(
    tx: &Tx<'_>,
    account_caller: &Caller,
    account: &AccountId,
    entry: &ShareRef,
) -> Result<AccessLevel> {
    if entry.owner == *account {
        return Ok(AccessLevel::Write);
    }
    let resource = Resource {
        node: Some(&entry.node),
        owner: &entry.owner,
        is_public: false,
        in_trash: false,
    };
    access::access_level(tx, account_caller, &resource)
}

impl ShareList {
    /// Returns the response with an entity tag, and with `Link` headers for the previous and next
    /// page if they exist.
    pub fn response(&self, request: &RequestContext) -> Result<RawJson<Self>> {
        let text = serde_json::to_vec(self)?;
        let tag = crypto::content_hash_tag(&text);
        let response = Response::bytes("application/json", text).with_etag(&tag)?;
        let page = Page { offset: self.offset, limit: self.limit };
        Ok(RawJson::new(page.add_link_headers(
            response,
            &request.app.config.base_url,
            request,
            self.count,
        )?))
    }
}
