//! Everything that a caller may see, for searching within it.

use super::Caller;
use super::store::scope as store;
use crate::features::orgs;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::search::Owned;
use chartroom_platform::search::Scope;

/// What `caller` may see: his own, what his organizations own and no team closes to him, and what
/// entries for him, for his teams and for the link that he came with open. Not what is public only:
/// that is for those who have its address.
pub fn scope(tx: &Tx<'_>, caller: &Caller) -> Result<Scope> {
    let mut scope = Scope::default();
    let mut owners: Vec<AccountId> = Vec::new();
    let mut opened = Vec::new();
    if let Some(user) = caller.id() {
        owners.push(user.clone());
        scope.owners.push(Owned { owner: user.to_string(), closed: Vec::new() });
        for membership in orgs::memberships(tx, user)? {
            let closed = super::closed_folders(tx, user, &membership)?;
            let org = membership.org.id;
            let closed = closed.iter().map(ToString::to_string).collect();
            scope.owners.push(Owned { owner: org.to_string(), closed });
            owners.push(org);
        }
        opened.extend(store::opened(tx, user)?);
    }
    if let Some(token) = &caller.share {
        opened.extend(store::opened_by_link(tx, token)?);
    }
    for node in opened {
        if node.is_shared_itself {
            scope.ids.push(node.id.to_string());
        }
        if node.is_folder {
            scope.folders.push(node.id.to_string());
        }
        if !owners.contains(&node.owner) {
            owners.push(node.owner);
        }
    }
    let names = store::names(tx, &owners.iter().collect::<Vec<_>>())?;
    scope.names = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    Ok(scope)
}
