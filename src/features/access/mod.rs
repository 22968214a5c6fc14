//! Access control: the single module that decides which caller may do what.
//!
//! Every feature that shows or changes data of an account calls it. The decision depends on the
//! owner, the caller's role in the owning organization, the folders of its teams, the access
//! entries (for users, teams and links) on the node and the folders above, whether the document is
//! public, and the policy of the organization. Tables: `access_entry`, `left_share`.

mod entries;
mod entry;
mod precondition;
mod rules;
mod search_scope;
mod store;
mod view;

pub use entries::delete_entries_of_user;
pub use entries::delete_entry;
pub use entries::hide_from_shared_list;
pub use entries::insert_entry;
pub use entries::record_link_use;
pub use entries::update_entry;
pub use entry::AccessEntry;
pub use entry::AccessEntryKind;
pub use precondition::NodeState;
pub use precondition::check_if_match;
pub use rules::AccessLevel;
pub use rules::Resource;
pub use rules::is_org_id;
pub use search_scope::build_search_scope;
pub use store::entries::EntryDetails;
pub use store::entries::find_entry_by_token;
pub use store::entries::find_entry_details;
pub use store::entries::list_direct_entries;
pub use store::entries::list_invitations_to_address;
pub use store::people::PersonWithAccess;
pub use store::people::list_people_with_access;
pub use view::Ace;
pub use view::ShareLinks;
pub use view::build_ace;
pub use view::build_acl;
pub use view::has_entries;

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
use crate::features::tree::Node;
use crate::features::tree::RestoreTarget;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

use rules::AccessFacts;

/// The principal of a request: a signed-in user, a guest with a share link, both, or neither.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// Signed-in user.
    pub user: Option<User>,
    /// SHA-256 of the token of the share link in the request.
    pub share_token_hash: Option<Sha256Hash>,
}

impl Caller {
    /// Authenticates a request and reads the share token in its query. Does not check whether a
    /// share link has this token.
    ///
    /// # Errors
    /// As [`accounts::authenticate`].
    pub fn from_request(request: &RequestContext) -> Result<Self> {
        let share_token_hash = match request.query.contains("share=") {
            true => request.query_value("share").map(|token| crypto::sha256(token.as_bytes())),
            false => None,
        };
        Ok(Self { user: accounts::authenticate(request)?, share_token_hash })
    }

    /// Returns a user as a caller without a share link.
    pub fn of_user(user: &User) -> Self {
        Self { user: Some(user.clone()), share_token_hash: None }
    }

    /// Checks that the caller is signed in or has a share token.
    ///
    /// # Errors
    /// `SignInRequired` otherwise.
    pub fn require_credentials(&self) -> Result<()> {
        match self.user.is_some() || self.share_token_hash.is_some() {
            true => Ok(()),
            false => Err(Error::SignInRequired("sign-in required")),
        }
    }

    /// Returns the account id of the signed-in user. None for a guest, with or without a share
    /// link.
    pub fn account_id(&self) -> Option<&AccountId> {
        self.user.as_ref().map(|user| &user.id)
    }

    /// Returns the account id to store as the author of a change. It is empty for a guest.
    pub fn author(&self) -> AccountId {
        self.account_id().cloned().unwrap_or_else(|| AccountId::from_text(""))
    }

    /// Returns a key of the caller: the account id, otherwise the hash of the share token. All
    /// callers without both have the same key.
    pub fn identity_key(&self) -> String {
        match (&self.user, &self.share_token_hash) {
            (Some(user), _) => user.id.to_string(),
            (None, Some(token)) => format!("~{}", URL_SAFE_NO_PAD.encode(token)),
            (None, None) => "-".to_owned(),
        }
    }

    /// Replaces `NotFound` and `Forbidden` by `SignInRequired` if the caller is anonymous and has
    /// no share link, because signing in could give them access.
    pub fn require_sign_in_if_anonymous(&self, error: Error) -> Error {
        match error {
            Error::NotFound(_) | Error::Forbidden(_)
                if self.user.is_none() && self.share_token_hash.is_none() =>
            {
                Error::SignInRequired("sign-in required")
            }
            other => other,
        }
    }
}

impl From<&User> for Caller {
    /// Builds a caller without a share link.
    fn from(user: &User) -> Self {
        Self { user: Some(user.clone()), share_token_hash: None }
    }
}

impl From<&AccountId> for Caller {
    /// Builds a caller for which only the account id is known, such as the creator of a download
    /// token.
    fn from(id: &AccountId) -> Self {
        let user = User {
            id: id.clone(),
            name: String::new(),
            email: String::new(),
            username: String::new(),
            operator: false,
            language: None,
        };
        Self { user: Some(user), share_token_hash: None }
    }
}

/// Returns the highest access level of `caller` on `resource`. Callers for which `is_insider` is
/// true have write access.
///
/// If the owner forbids public access, a share link and `is_public` give no access. Does not check
/// whether the user is disabled or the owner is a suspended organization.
pub fn access_level(tx: &Tx<'_>, caller: &Caller, resource: &Resource<'_>) -> Result<AccessLevel> {
    let mut facts =
        AccessFacts { is_insider: false, granted: AccessLevel::None, allows_public: true };
    if let Some(user) = caller.account_id() {
        facts.is_insider = is_insider(tx, user, resource)?;
    }
    if !facts.is_insider
        && let Some(node) = resource.node
    {
        if let Some(user) = caller.account_id() {
            facts.granted = store::level_granted_to_user(tx, node, user)?;
        }
        if let Some(token) = &caller.share_token_hash
            && allows_public_access(tx, resource.owner)?
        {
            facts.granted = facts.granted.max(store::level_granted_by_link(tx, node, token)?);
        }
    }
    if resource.is_public {
        facts.allows_public = allows_public_access(tx, resource.owner)?;
    }
    Ok(rules::decide_level(facts, resource))
}

/// Returns whether an account allows access without sign-in, by public documents or links. An
/// organization can forbid it. Users always allow it.
pub fn allows_public_access(tx: &Tx<'_>, owner: &AccountId) -> Result<bool> {
    Ok(!rules::is_org_id(owner) || !orgs::find_policy(tx, owner)?.disable_public_documents)
}

/// Returns whether the user owns the resource, or is a member of the owning organization and no
/// team closes the resource to them. No team closes anything to admins.
fn is_insider(tx: &Tx<'_>, user: &AccountId, resource: &Resource<'_>) -> Result<bool> {
    if user == resource.owner {
        return Ok(true);
    }
    if !rules::is_org_id(resource.owner) {
        return Ok(false);
    }
    match (orgs::find_role(tx, resource.owner, user)?, resource.node) {
        (None, _) => Ok(false),
        (Some(Role::Admin), _) | (Some(_), None) => Ok(true),
        (Some(_), Some(node)) => Ok(!store::is_closed_by_team(tx, node, user)?),
    }
}

/// Returns the folders of an organization, at any depth, that are closed to a member because they
/// belong to teams without that member. No folder is closed to admins.
pub fn list_closed_folders(
    tx: &Tx<'_>,
    user: &AccountId,
    member: &Membership,
) -> Result<Vec<NodeId>> {
    match member.role {
        Role::Admin => Ok(Vec::new()),
        _ => store::scope::list_closed_folders(tx, &member.org.id, user),
    }
}

/// Returns the access level of `caller` on `resource` if it is at least `needed`.
///
/// # Errors
/// `NotFound` if the caller may not read the resource. `Forbidden` if they may read but not change
/// it. `PaymentRequired` for write access while the owning organization is suspended.
pub fn require_access(
    tx: &Tx<'_>,
    caller: &Caller,
    resource: &Resource<'_>,
    needed: AccessLevel,
) -> Result<AccessLevel> {
    let level = access_level(tx, caller, resource)?;
    match level {
        AccessLevel::None => Err(Error::NotFound("document")),
        _ if level < needed => Err(Error::Forbidden("you may read this but not change it".into())),
        _ => {
            if needed == AccessLevel::Write {
                check_not_suspended(tx, resource.owner)?;
            }
            Ok(level)
        }
    }
}

/// Checks that the data of an account may be changed.
///
/// # Errors
/// `PaymentRequired` while the account is a suspended organization.
pub fn check_not_suspended(tx: &Tx<'_>, owner: &AccountId) -> Result<()> {
    if rules::is_org_id(owner) && orgs::find_policy(tx, owner)?.suspended {
        return Err(orgs::suspended_error());
    }
    Ok(())
}

/// Returns whether `caller` may add items to a folder of `owner` (None is the root). Does not check
/// whether `owner` is a suspended organization. The folder must belong to `owner`.
pub fn can_add(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&NodeId>,
) -> Result<bool> {
    let resource = Resource { node: folder, owner, is_public: false, in_trash: false };
    Ok(access_level(tx, caller, &resource)? == AccessLevel::Write)
}

/// Resolves the account named by `text`: everything that [`accounts::resolve_account`] accepts, or
/// the slug of an organization.
///
/// # Errors
/// `NotFound` if there is none.
pub fn resolve_owner(tx: &Tx<'_>, caller: Option<&User>, text: &str) -> Result<AccountId> {
    match accounts::resolve_account(tx, caller, text) {
        Err(Error::NotFound(_)) => Ok(orgs::find_org(tx, text)?.id),
        other => other,
    }
}

/// The place of a new item.
pub struct NewItemPlace {
    /// Account that will own the item.
    pub owner: AccountId,
    /// The folder of the item, or the deepest existing folder above it. None is the root.
    pub folder: Option<NodeId>,
    /// Whether `folder` is the folder of the item.
    pub folder_exists: bool,
}

/// Resolves the place of a new item from the request field `owner` and the path of its folder. The owner
/// None is the caller.
///
/// `caller` must have write access to the folder at `path`, or to the deepest existing folder above
/// it.
///
/// # Errors
/// `InvalidFields` for `owner`, with the same message for an account that does not exist and one
/// that the caller may not write to. Also the errors of [`check_storage_allowed`].
pub fn resolve_new_place(
    tx: &Tx<'_>,
    caller: &User,
    text: Option<&str>,
    path: &FolderPath,
) -> Result<NewItemPlace> {
    let invalid_owner =
        || Error::invalid_field("owner", "must be an account to which you may add documents");
    let owner = match text.map(|name| resolve_owner(tx, Some(caller), name)) {
        None => caller.id.clone(),
        Some(Ok(owner)) => owner,
        Some(Err(Error::NotFound(_))) => return Err(invalid_owner()),
        Some(Err(other)) => return Err(other),
    };
    let (folder, folder_exists) = tree::find_deepest_folder(tx, &owner, path)?;
    // Nobody needs access to their own account, and most items are created there.
    if owner != caller.id && !can_add(tx, &Caller::from(caller), &owner, folder.as_ref())? {
        return Err(invalid_owner());
    }
    check_storage_allowed(tx, &owner)?;
    Ok(NewItemPlace { owner, folder, folder_exists })
}

/// Checks that the caller owns a node, or is a member of the owning organization and no team closes
/// the node to them. `owner` must be the owner of the node.
///
/// A caller with only an access entry may change a document but neither transfer it nor delete it
/// permanently.
///
/// # Errors
/// `Forbidden` otherwise.
pub fn require_ownership(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    node: &NodeId,
) -> Result<()> {
    let resource = Resource { node: Some(node), owner, is_public: false, in_trash: false };
    match caller.account_id() {
        Some(user) if is_insider(tx, user, &resource)? => Ok(()),
        _ => Err(Error::Forbidden("only the owner may do this".into())),
    }
}

/// Checks that the caller may transfer a node to another owner. `owner` must be the current owner
/// of the node.
///
/// A node of a user may be transferred by that user only. A node of an organization may be
/// transferred by an admin, or by a brand manager unless a team closes it to them, because after
/// the transfer the other members have no access.
///
/// # Errors
/// `Forbidden` for everyone else, including guests and callers with only an access entry.
pub fn check_may_transfer(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    node: &NodeId,
) -> Result<()> {
    require_ownership(tx, caller, owner, node)?;
    let Some(user) = caller.account_id().filter(|_| rules::is_org_id(owner)) else { return Ok(()) };
    match orgs::find_role(tx, owner, user)? {
        Some(role) if role >= Role::BrandManager => Ok(()),
        _ => Err(Error::Forbidden(
            "moving out of an organization requires the role brand_manager or admin; copy instead"
                .into(),
        )),
    }
}

/// Checks that a caller with write access to a node in the trash may restore it to `target`. Does
/// not check the write access.
///
/// They may if the former folder still exists. Otherwise they need the right to add items to the
/// folder of `target`: a folder at the former path, or the deepest existing folder above it.
///
/// # Errors
/// `Forbidden` if they may not. Also the errors of [`check_storage_allowed`], unless the former
/// folder still exists.
pub fn check_can_restore(
    tx: &Tx<'_>,
    caller: &Caller,
    node: &Node,
    target: &RestoreTarget,
) -> Result<()> {
    if target.missing_path.is_none() && target.folder == node.parent {
        return Ok(());
    }
    check_storage_allowed(tx, &node.owner)?;
    match can_add(tx, caller, &node.owner, target.folder.as_ref())? {
        true => Ok(()),
        false => {
            let text = "its folder no longer exists, and you may not create it again";
            Err(Error::Forbidden(text.to_owned()))
        }
    }
}

/// Checks that an account may store new documents and folders.
///
/// # Errors
/// `PaymentRequired` while the account is a suspended organization. `Forbidden` if the
/// organization, or an organization of the user, has disabled document storage.
pub fn check_storage_allowed(tx: &Tx<'_>, owner: &AccountId) -> Result<()> {
    check_not_suspended(tx, owner)?;
    let (is_forbidden, text) = match rules::is_org_id(owner) {
        true => (
            orgs::find_policy(tx, owner)?.disable_document_storage,
            "the organization has disabled document storage",
        ),
        false => (
            orgs::is_storage_forbidden(tx, owner)?,
            "an organization of this account has disabled document storage for its members",
        ),
    };
    if is_forbidden {
        return Err(Error::Forbidden(text.to_owned()));
    }
    Ok(())
}
