//! Who may do what: the one place that decides.
//!
//! Asked by every part that shows or changes something of somebody's. It decides by the owner, the
//! role in the owning organization, the folders of its teams, the entries for users, teams and
//! links here and on the folders above, whether the thing is public, and what the organization
//! forbids. Tables: `access_entry`, `left_share`.

mod entries;
mod entry;
mod rules;
mod scope;
mod store;
mod unchanged;
mod view;

pub use entries::delete;
pub use entries::insert;
pub use entries::leave;
pub use entries::note_use;
pub use entries::update;
pub use entry::Entry;
pub use entry::EntryKind;
pub use rules::Level;
pub use rules::Resource;
pub use rules::is_org;
pub use scope::scope;
pub use store::entries::Shown;
pub use store::entries::by_address;
pub use store::entries::by_token;
pub use store::entries::direct;
pub use store::entries::shown;
pub use store::people::Person;
pub use store::people::people;
pub use unchanged::State;
pub use unchanged::check_unchanged;
pub use view::Ace;
pub use view::Links;
pub use view::ace;
pub use view::acl;
pub use view::is_shared;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Role;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Home;
use crate::features::tree::Node;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

use rules::Standing;

/// Who asks: a signed-in user, a guest with a share link, both or neither.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The signed-in user.
    pub user: Option<User>,
    /// SHA-256 of the token of the share link that came along.
    pub share: Option<Hash>,
}

impl Caller {
    /// Who sent a request: its credentials, and the share link's token in its query.
    ///
    /// # Errors
    /// `SignIn` for bad credentials.
    pub fn of(request: &RequestContext) -> Result<Self> {
        let share = match request.query.contains("share=") {
            true => request.query_value("share").map(|it| crypto::sha256(it.as_bytes())),
            false => None,
        };
        Ok(Self { user: accounts::caller(request)?, share })
    }

    /// The account, when somebody is signed in.
    pub fn id(&self) -> Option<&AccountId> {
        self.user.as_ref().map(|it| &it.id)
    }

    /// Who is noted as the author of a change: the account, or the empty id for a guest.
    pub fn author(&self) -> AccountId {
        self.id().cloned().unwrap_or_else(|| AccountId::from_text(""))
    }

    /// Tells callers apart: the account's id, or the share link.
    pub fn scope(&self) -> String {
        match (&self.user, &self.share) {
            (Some(user), _) => user.id.to_string(),
            (None, Some(token)) => format!("~{}", URL_SAFE_NO_PAD.encode(token)),
            (None, None) => "-".to_owned(),
        }
    }

    /// Turns "not there" and "not allowed" into "sign in" for whoever has shown nothing that could
    /// open anything.
    pub fn hide(&self, error: Error) -> Error {
        match error {
            Error::NotFound(_) | Error::Forbidden(_)
                if self.user.is_none() && self.share.is_none() =>
            {
                Error::SignIn("sign-in required")
            }
            other => other,
        }
    }
}

impl From<&User> for Caller {
    fn from(user: &User) -> Self {
        Self { user: Some(user.clone()), share: None }
    }
}

impl From<&AccountId> for Caller {
    /// Somebody of whom only the account is known, such as the maker of a token.
    fn from(id: &AccountId) -> Self {
        let user = User {
            id: id.clone(),
            name: String::new(),
            email: String::new(),
            username: String::new(),
            operator: false,
        };
        Self { user: Some(user), share: None }
    }
}

/// The most that `caller` may do with `resource`.
pub fn level(tx: &Tx<'_>, caller: &Caller, resource: &Resource<'_>) -> Result<Level> {
    let mut standing = Standing { inside: false, granted: Level::None, may_be_public: true };
    if let Some(user) = caller.id() {
        standing.inside = is_inside(tx, user, resource)?;
    }
    if !standing.inside
        && let Some(node) = resource.node
    {
        if let Some(user) = caller.id() {
            standing.granted = store::granted(tx, node, user)?;
        }
        if let Some(token) = &caller.share
            && may_be_public(tx, resource.owner)?
        {
            standing.granted = standing.granted.max(store::granted_by_link(tx, node, token)?);
        }
    }
    if resource.is_public {
        standing.may_be_public = may_be_public(tx, resource.owner)?;
    }
    Ok(rules::level(standing, resource))
}

/// Whether an account lets things of its be open to people who are not signed in: as public
/// documents, or by links.
pub fn may_be_public(tx: &Tx<'_>, owner: &AccountId) -> Result<bool> {
    Ok(!rules::is_org(owner) || !orgs::policy(tx, owner)?.disable_public_documents)
}

/// Whether it is the user's own, or his organization's and not closed to him by a team.
fn is_inside(tx: &Tx<'_>, user: &AccountId, resource: &Resource<'_>) -> Result<bool> {
    if user == resource.owner {
        return Ok(true);
    }
    if !rules::is_org(resource.owner) {
        return Ok(false);
    }
    match (orgs::role(tx, resource.owner, user)?, resource.node) {
        (None, _) => Ok(false),
        (Some(Role::Admin), _) | (Some(_), None) => Ok(true),
        (Some(_), Some(node)) => Ok(!store::is_closed_by_team(tx, node, user)?),
    }
}

/// The folders of an organization at any depth that are closed to one of its members by teams which
/// he does not belong to.
pub fn closed_folders(tx: &Tx<'_>, user: &AccountId, member: &Membership) -> Result<Vec<NodeId>> {
    match member.role {
        Role::Admin => Ok(Vec::new()),
        _ => store::scope::closed_folders(tx, &member.org.id, user),
    }
}

/// [`level`], which must reach `needed`.
///
/// # Errors
/// `NotFound` when the caller may not even read it; `Forbidden` when he may read but not change it;
/// `Payment` for a change while the owning organization is suspended.
pub fn require(
    tx: &Tx<'_>,
    caller: &Caller,
    resource: &Resource<'_>,
    needed: Level,
) -> Result<Level> {
    let level = level(tx, caller, resource)?;
    match level {
        Level::None => Err(Error::NotFound("document")),
        _ if level < needed => Err(Error::Forbidden("you may read this but not change it".into())),
        _ => {
            if needed == Level::Write {
                check_may_change(tx, resource.owner)?;
            }
            Ok(level)
        }
    }
}

/// Whether anything of an account may be changed.
///
/// # Errors
/// `Payment` while the organization is suspended.
pub fn check_may_change(tx: &Tx<'_>, owner: &AccountId) -> Result<()> {
    if rules::is_org(owner) && orgs::policy(tx, owner)?.suspended {
        return Err(orgs::suspended());
    }
    Ok(())
}

/// Whether `caller` may put new things into a folder of `owner`; none is his root.
pub fn may_add(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&NodeId>,
) -> Result<bool> {
    let resource = Resource { node: folder, owner, is_public: false, in_trash: false };
    Ok(level(tx, caller, &resource)? == Level::Write)
}

/// The account that `text` names: whatever [`accounts::resolve`] takes, or an organization's slug.
///
/// # Errors
/// `NotFound` when there is none.
pub fn account(tx: &Tx<'_>, caller: Option<&User>, text: &str) -> Result<AccountId> {
    match accounts::resolve(tx, caller, text) {
        Err(Error::NotFound(_)) => Ok(orgs::find(tx, text)?.id),
        other => other,
    }
}

/// The account that `text`, sent as `owner`, names, where `caller` may put things into the folder at
/// `path` or make it. None is the caller himself.
///
/// # Errors
/// `Fields` about `owner`, in the same words whether there is no such account or it is not open to
/// the caller; `Forbidden` and `Payment` when its organization wants nothing new.
pub fn new_owner(
    tx: &Tx<'_>,
    caller: &User,
    text: Option<&str>,
    path: &FolderPath,
) -> Result<AccountId> {
    let refused = || Error::field("owner", "no account of this name where you may put documents");
    let owner = match text.map(|it| account(tx, Some(caller), it)) {
        None => caller.id.clone(),
        Some(Ok(owner)) => owner,
        Some(Err(Error::NotFound(_))) => return Err(refused()),
        Some(Err(other)) => return Err(other),
    };
    let (folder, _) = tree::deepest_folder(tx, &owner, path)?;
    if !may_add(tx, &Caller::from(caller), &owner, folder.as_ref())? {
        return Err(refused());
    }
    check_may_add(tx, &owner)?;
    Ok(owner)
}

/// Whether something is the caller's own, or his organization's and not closed to him by a team. Who
/// was merely given access may change a thing, but neither give it away nor remove it for good.
///
/// # Errors
/// `Forbidden` when it is not.
pub fn require_own(tx: &Tx<'_>, caller: &Caller, owner: &AccountId, node: &NodeId) -> Result<()> {
    let resource = Resource { node: Some(node), owner, is_public: false, in_trash: false };
    match caller.id() {
        Some(user) if is_inside(tx, user, &resource)? => Ok(()),
        _ => Err(Error::Forbidden("only those to whom it belongs may do this".into())),
    }
}

/// Whether `caller`, who may change something in the trash, may put it back. Where its folder still
/// is, he may; else he must be allowed to make it again.
///
/// # Errors
/// `Forbidden` when he may not; as of [`check_may_add`].
pub fn check_may_return(tx: &Tx<'_>, caller: &Caller, node: &Node, home: &Home) -> Result<()> {
    if home.missing.is_none() && home.folder == node.parent {
        return Ok(());
    }
    check_may_add(tx, &node.owner)?;
    match may_add(tx, caller, &node.owner, home.folder.as_ref())? {
        true => Ok(()),
        false => {
            let text = "its folder is gone, and you may not make it again";
            Err(Error::Forbidden(text.to_owned()))
        }
    }
}

/// Whether an account takes anything new.
///
/// # Errors
/// `Payment` while its organization is suspended, `Forbidden` when it, or one that the user belongs
/// to, keeps no documents here.
pub fn check_may_add(tx: &Tx<'_>, owner: &AccountId) -> Result<()> {
    check_may_change(tx, owner)?;
    let (forbidden, text) = match rules::is_org(owner) {
        true => (
            orgs::policy(tx, owner)?.disable_document_storage,
            "the organization keeps no documents on this server",
        ),
        false => (
            orgs::forbids_storage(tx, owner)?,
            "an organization of this account has its members keep no documents on this server",
        ),
    };
    if forbidden {
        return Err(Error::Forbidden(text.to_owned()));
    }
    Ok(())
}
