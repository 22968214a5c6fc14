//! The ledger: everything that is shared of an account's things, or by it of others' things.

use schemars::JsonSchema;
use serde::Serialize;

use super::actions;
use super::open;
use super::store;
use super::store::Made;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Level;
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
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::AccountId;

/// A part of the ledger.
#[derive(Serialize, JsonSchema)]
pub struct Ledger {
    /// Entries before this page.
    offset: u32,
    /// Most entries on this page.
    limit: u32,
    /// Entries on all pages.
    count: u64,
    /// Newest first.
    results: Vec<LedgerEntry>,
}

/// An access entry and what it is on.
#[derive(Serialize, JsonSchema)]
pub struct LedgerEntry {
    #[serde(flatten)]
    ace: Ace,
    /// Title of the document or folder.
    title: String,
    urls: LedgerUrls,
}

/// Where the shared thing is.
#[derive(Serialize, JsonSchema)]
pub struct LedgerUrls {
    /// For the browser.
    view: String,
    endpoint: String,
}

/// A page of the ledger of the caller's own account, or of an organization whose admin he is.
///
/// # Errors
/// `NotFound` for any other account.
pub fn list(tx: &Tx<'_>, app: &App, caller: &User, user: &str, page: Page) -> Result<Ledger> {
    let account = account(tx, caller, user)?;
    let who = Caller::from(caller);
    let mut made = Vec::new();
    for entry in store::made(tx, &account)? {
        let level = level(tx, &who, &account, &entry)?;
        // What he shared once and cannot see any more is not told.
        if level != Level::None {
            made.push((entry, level));
        }
    }
    let count = made.len() as u64;
    let mut results = Vec::new();
    for (entry, level) in made.into_iter().skip(page.offset as usize).take(page.limit as usize) {
        let shown = access::shown(tx, &entry.id)?;
        let (Some(shown), Some(node)) = (shown, tree::find(tx, &entry.node)?) else { continue };
        let base_url = app.config.base_url.as_str();
        let endpoint = match node.is_folder {
            true => {
                let path = tree::folder_path(tx, Some(&node.id))?;
                tree::folder_endpoint(base_url, &node.owner, &path)
            }
            false => documents::endpoint(base_url, &node.owner, &node.id),
        };
        results.push(LedgerEntry {
            ace: access::ace(tx, actions::links(app), &shown, level == Level::Write)?,
            urls: LedgerUrls { view: open::address(tx, base_url, &node)?, endpoint },
            title: node.title,
        });
    }
    Ok(Ledger { offset: page.offset, limit: page.limit, count, results })
}

/// The account whose ledger the caller may read.
fn account(tx: &Tx<'_>, caller: &User, user: &str) -> Result<AccountId> {
    let absent = || Error::NotFound("account");
    let account = access::account(tx, Some(caller), user).map_err(|error| match error {
        Error::NotFound(_) => absent(),
        other => other,
    })?;
    let is_his = account == caller.id
        || access::is_org(&account) && orgs::role(tx, &account, &caller.id)? == Some(Role::Admin);
    if is_his { Ok(account) } else { Err(absent()) }
}

/// What the caller may do with what an entry is on. With the account's own things it is all.
fn level(tx: &Tx<'_>, who: &Caller, account: &AccountId, entry: &Made) -> Result<Level> {
    if entry.owner == *account {
        return Ok(Level::Write);
    }
    let resource = Resource {
        node: Some(&entry.node),
        owner: &entry.owner,
        is_public: false,
        in_trash: false,
    };
    access::level(tx, who, &resource)
}

impl Ledger {
    /// The answer: with an entity tag, and with the addresses of the pages before and after.
    pub fn response(&self, request: &RequestContext) -> Result<Raw<Self>> {
        let text = serde_json::to_vec(self)?;
        let tag = crypto::tag(&text);
        let response = Response::bytes("application/json", text).tagged(&tag)?;
        let page = Page { offset: self.offset, limit: self.limit };
        Ok(Raw::new(page.link(response, &request.app.config.base_url, request, self.count)?))
    }
}
