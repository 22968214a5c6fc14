//! The set of nodes that a caller may see, as a filter for the search.

use super::Caller;
use super::store::scope as store;
use crate::features::orgs;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::search::OwnerScope;
use chartroom_platform::search::SearchScope;

/// Returns the scope of searches by `caller`: their own nodes, nodes of their organizations that no
/// team closes to them, and nodes that unexpired entries share with them, their teams or their
/// share link.
///
/// Public documents are not included, because only people who know their URL should find them.
pub fn build_search_scope(tx: &Tx<'_>, caller: &Caller) -> Result<SearchScope> {
    let mut scope = SearchScope::default();
    let mut owners: Vec<AccountId> = Vec::new();
    let mut shared_nodes = Vec::new();
    if let Some(user) = caller.account_id() {
        owners.push(user.clone());
        scope.owners.push(OwnerScope { owner: user.to_string(), closed: Vec::new() });
        for membership in orgs::list_memberships(tx, user)? {
            let closed = super::list_closed_folders(tx, user, &membership)?;
            let org = membership.org.id;
            let closed = closed.iter().map(ToString::to_string).collect();
            scope.owners.push(OwnerScope { owner: org.to_string(), closed });
            owners.push(org);
        }
        shared_nodes.extend(store::list_shared_with_user(tx, user)?);
    }
    if let Some(token) = &caller.share_token_hash {
        shared_nodes.extend(store::list_shared_by_link(tx, token)?);
    }
    for node in shared_nodes {
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
    let names = store::list_account_names(tx, &owners.iter().collect::<Vec<_>>())?;
    scope.names = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    Ok(scope)
}
