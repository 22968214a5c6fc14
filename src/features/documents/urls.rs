//! URLs of documents.

use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Returns the API URL of a document. `base_url` has no slash at its end, and is empty for a
/// relative URL.
pub fn endpoint_url(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/api/v1/users/{owner}/documents/{id}")
}

/// Returns the URL of the page of a document. `base_url` has no slash at its end, and is empty for
/// a relative URL.
pub fn page_url(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/d/{owner}/{id}")
}
