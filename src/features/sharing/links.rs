//! Addresses of shared nodes, and the settings from which share links are built.

use crate::app::App;
use crate::features::access::ShareLinks;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Returns the base URL and the key from which share links are built.
pub fn share_links(app: &App) -> ShareLinks<'_> {
    ShareLinks { base_url: &app.config.base_url, key: &app.server_key }
}

/// Returns the absolute URL of the page of a node, without a share token.
///
/// The path is `/d/{owner}/{id}` for a document, and `/f/{owner}/{names of the folders}` for a
/// folder. `owner` is the account id.
pub fn node_page_url(tx: &Tx<'_>, base_url: &str, node: &Node) -> Result<String> {
    match node.is_folder {
        true => {
            let path = tree::folder_path(tx, Some(&node.id))?;
            Ok(tree::folder_page_url(base_url, &node.owner, &path))
        }
        false => Ok(documents::page_url(base_url, &node.owner, &node.id)),
    }
}
