//! Addresses of documents, in answers.

use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// The API address of a document.
pub fn endpoint(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/api/v1/users/{owner}/documents/{id}")
}

/// The page of a document.
pub fn view(base_url: &str, owner: &AccountId, id: &NodeId) -> String {
    format!("{base_url}/d/{owner}/{id}")
}
