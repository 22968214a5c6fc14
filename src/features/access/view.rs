//! Access entries in API responses.

use schemars::JsonSchema;
use serde::Serialize;

use super::Caller;
use super::entry::AccessEntry;
use super::entry::AccessEntryKind;
use super::rules::AccessLevel;
use super::rules::Resource;
use super::store::entries;
use super::store::entries::EntryDetails;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Builder of share link URLs and tokens.
#[derive(Clone, Copy)]
pub struct ShareLinks<'a> {
    /// Public URL of this server, without a trailing slash.
    pub base_url: &'a str,
    /// Server key, from which tokens are derived.
    pub key: &'a ServerKey,
}

impl ShareLinks<'_> {
    /// Returns the token of the share link of an entry: 192 bits derived from the server key, so
    /// that the link can be shown again although the token is not stored.
    pub fn link_token(&self, entry: &AccessEntry) -> String {
        self.derive_token("share", entry)
    }

    /// Returns the token that is mailed to an invited address. No response contains it.
    pub fn invitation_token(&self, entry: &AccessEntry) -> String {
        self.derive_token("share by mail", entry)
    }

    /// Returns the URL of the page that opens a share link or an invitation with this token.
    pub fn url(&self, token: &str) -> String {
        format!("{}/s/{token}", self.base_url)
    }

    /// Derives a token from the id of the entry, its rotation and `purpose`: 192 bits in URL-safe
    /// base64. The same values always give the same token.
    fn derive_token(&self, purpose: &str, entry: &AccessEntry) -> String {
        self.key.derive_token(purpose, &format!("{} {}", entry.id, entry.rotation))
    }
}

/// An access entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ace {
    /// Id of the entry.
    pub id: String,
    /// Recipient type: `user`, `email`, `link` or `team`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Account id of the owner of the document or folder.
    pub owner: AccountId,
    /// Id of the shared document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<NodeId>,
    /// Absolute path of the shared folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `r` (read) or `w` (write).
    pub mode: &'static str,
    /// Account id of the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<AccountId>,
    /// Id of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Name of the user or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address of the user, or the invited address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Avatar image of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// URL of the share link. Only for callers with write access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Whether this is an e-mail invitation that has not been accepted.
    pub pending: bool,
    /// Time of creation.
    pub created: Timestamp,
    /// Time from which the entry grants nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Time of the last use of the link, accurate to one minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// Returns whether a folder or a folder above has access entries, expired ones included. None is
/// the root, which has none.
///
/// Nearly every read of a document calls this first, and usually it makes [`build_acl`]
/// unnecessary.
pub fn has_entries(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<bool> {
    match folder {
        None => Ok(false),
        Some(folder) => {
            let key = folder.as_str().as_bytes();
            Ok(*tx.memoize("is shared", key, || entries::has_entries(tx, folder))?)
        }
    }
}

/// Returns the access entries of a node and of the folders above, from the root down. A caller with
/// write access (`level`) gets expired ones too. Without write access, they get only their own
/// entries that have not expired. A caller with neither an account nor a share link gets none.
///
/// The result does not give the caller more access than they have: the URL of a link on a folder
/// above is omitted unless the caller may change that folder too.
pub fn build_acl(
    tx: &Tx<'_>,
    links: ShareLinks<'_>,
    caller: &Caller,
    level: AccessLevel,
    node: &NodeId,
) -> Result<Vec<Ace>> {
    if caller.user.is_none() && caller.share_token_hash.is_none() {
        return Ok(Vec::new());
    }
    let all = entries::list_inherited_entries(
        tx,
        node,
        caller.account_id(),
        caller.share_token_hash.as_ref(),
    )?;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    if level < AccessLevel::Write {
        let own = all
            .iter()
            .filter(|details| details.is_for_caller && !details.entry.has_expired(tx.now));
        return own.map(|details| build_ace(tx, links, details, false)).collect();
    }
    let resource =
        Resource { node: Some(node), owner: &first.owner, is_public: false, in_trash: false };
    let is_insider = match caller.account_id() {
        Some(user) => super::is_insider(tx, user, &resource)?,
        None => false,
    };
    // From the root down, because write access to a folder includes everything below it.
    let mut can_write = is_insider;
    let mut aces = Vec::with_capacity(all.len());
    for entries_of_node in all.chunk_by(|entry, next_entry| entry.height == next_entry.height) {
        can_write |= entries_of_node.iter().any(|details| {
            details.is_for_caller
                && details.entry.mode == AccessLevel::Write
                && !details.entry.has_expired(tx.now)
        });
        for details in entries_of_node {
            aces.push(build_ace(tx, links, details, can_write)?);
        }
    }
    Ok(aces)
}

/// Converts an entry to its API form. Includes the link only if `with_link`, and only if the server
/// key still derives its stored token.
///
/// The mailed link of an invitation is never included, because it may sign its recipient in.
pub fn build_ace(
    tx: &Tx<'_>,
    links: ShareLinks<'_>,
    details: &EntryDetails,
    with_link: bool,
) -> Result<Ace> {
    let entry = &details.entry;
    let (document, folder) = match details.is_folder {
        false => (Some(entry.node.clone()), None),
        true => (None, Some(tree::folder_path(tx, Some(&entry.node))?.to_string())),
    };
    let link = links.link_token(entry);
    let shows_link = with_link
        && entry.user.is_none()
        && entry.token_hash == Some(crypto::sha256(link.as_bytes()));
    let avatar_url = |id: &AccountId| accounts::avatar_url(links.base_url, id);
    Ok(Ace {
        id: entry.id.clone(),
        kind: entry.kind.as_str().to_owned(),
        owner: details.owner.clone(),
        document,
        folder,
        mode: entry.mode.letter(),
        user_id: entry.user.clone(),
        team: entry.team.clone(),
        name: details.name.clone(),
        email: details.email.clone(),
        avatar_url: entry.user.as_ref().map(avatar_url),
        link: shows_link.then(|| links.url(&link)),
        pending: entry.kind == AccessEntryKind::Email,
        created: entry.created,
        expires_at: entry.expires,
        last_used_at: entry.last_used,
    })
}
