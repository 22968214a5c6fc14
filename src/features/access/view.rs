//! Access entries as answers show them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;

use super::Caller;
use super::entry::Entry;
use super::entry::EntryKind;
use super::rules::Level;
use super::rules::Resource;
use super::store::entries;
use super::store::entries::Shown;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What links are made of: where this server is, and its key, which gives their tokens again.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    /// Without a slash at the end.
    pub base_url: &'a str,
    /// The server's own secret.
    pub key: &'a ServerKey,
}

impl Links<'_> {
    /// The token of an entry's link: 192 bits that only the server key gives, so that it need not be
    /// stored to be shown again.
    pub fn token(&self, entry: &Entry) -> String {
        self.signed("share", entry)
    }

    /// The token that goes to an invited address and is told to nobody else.
    pub fn mail_token(&self, entry: &Entry) -> String {
        self.signed("share by mail", entry)
    }

    /// The address that opens what a token is for.
    pub fn address(&self, token: &str) -> String {
        format!("{}/s/{token}", self.base_url)
    }

    fn signed(&self, purpose: &str, entry: &Entry) -> String {
        let message = format!("{} {}", entry.id, entry.rotation);
        URL_SAFE_NO_PAD.encode(&self.key.sign(purpose, message.as_bytes())[..24])
    }
}

/// An access entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ace {
    pub id: String,
    /// `user`, `email`, `link` or `team`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Account id of the owner of what is shared.
    pub owner: AccountId,
    /// The document that is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<NodeId>,
    /// Absolute path of the folder that is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `r` or `w`.
    pub mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<AccountId>,
    /// Id of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Of the user or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// The address that opens it, for callers with write access only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// An e-mail invitation that was not used yet.
    pub pending: bool,
    pub created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// Whether a folder or one above has entries; none is the root. Nearly every read of a document asks
/// this first, and mostly [`acl`] need not look then.
pub fn is_shared(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<bool> {
    match folder {
        None => Ok(false),
        Some(folder) => {
            let key = folder.as_str().as_bytes();
            Ok(*tx.once("is shared", key, || entries::is_any(tx, folder))?)
        }
    }
}

/// The entries of a node and of the folders above, from the root down: all for a caller who may
/// change it (`level`), else those for himself.
///
/// What opens more than the caller has is not told: a link that was made for a folder above stands
/// here without its address unless he may change that folder too.
pub fn acl(
    tx: &Tx<'_>,
    links: Links<'_>,
    caller: &Caller,
    level: Level,
    node: &NodeId,
) -> Result<Vec<Ace>> {
    if caller.user.is_none() && caller.share.is_none() {
        return Ok(Vec::new());
    }
    let all = entries::of_node(tx, node, caller.id(), caller.share.as_ref())?;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    if level < Level::Write {
        let own = all.iter().filter(|it| it.is_callers && !it.entry.has_expired(tx.now));
        return own.map(|it| ace(tx, links, it, false)).collect();
    }
    let resource =
        Resource { node: Some(node), owner: &first.owner, is_public: false, in_trash: false };
    let inside = match caller.id() {
        Some(user) => super::is_inside(tx, user, &resource)?,
        None => false,
    };
    // From the root down: what he may change, he may change everything below.
    let mut writes = inside;
    let mut aces = Vec::with_capacity(all.len());
    let mut from = 0;
    while let Some(height) = all.get(from).map(|it| it.height) {
        let end =
            all[from..].iter().position(|it| it.height != height).map_or(all.len(), |it| from + it);
        let here = &all[from..end];
        let opens = |it: &&Shown| {
            it.is_callers && it.entry.mode == Level::Write && !it.entry.has_expired(tx.now)
        };
        writes |= here.iter().find(opens).is_some();
        for shown in here {
            aces.push(ace(tx, links, shown, writes)?);
        }
        from = end;
    }
    Ok(aces)
}

/// An entry as answers show it; its address only `with_link`. Of an invitation by mail nobody sees
/// the address again that was mailed: it may sign its receiver in.
pub fn ace(tx: &Tx<'_>, links: Links<'_>, shown: &Shown, with_link: bool) -> Result<Ace> {
    let entry = &shown.entry;
    let (document, folder) = match shown.is_folder {
        false => (Some(entry.node.clone()), None),
        true => (None, Some(tree::folder_path(tx, Some(&entry.node))?.to_string())),
    };
    let link = links.token(entry);
    let is_told = with_link
        && entry.user.is_none()
        && entry.token_hash == Some(crypto::sha256(link.as_bytes()));
    let avatar = |id: &AccountId| accounts::avatar_url(links.base_url, id);
    Ok(Ace {
        id: entry.id.clone(),
        kind: entry.kind.word().to_owned(),
        owner: shown.owner.clone(),
        document,
        folder,
        mode: entry.mode.letter(),
        user_id: entry.user.clone(),
        team: entry.team.clone(),
        name: shown.name.clone(),
        email: shown.email.clone(),
        avatar_url: entry.user.as_ref().map(avatar),
        link: is_told.then(|| links.address(&link)),
        pending: entry.kind == EntryKind::Email,
        created: entry.created,
        expires_at: entry.expires,
        last_used_at: entry.last_used,
    })
}
