//! URLs of documents.

use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Returns the API URL of a document. `base_url` may be empty for a relative URL. Otherwise it has
/// no slash at the end.
pub fn endpoint_url(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/api/v1/users/{owner}/documents/{id}")
}

/// Returns the URL of the page of a document. `base_url` may be empty for a relative URL. Otherwise
/// it has no slash at the end.
pub fn page_url(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/d/{owner}/{id}")
}
