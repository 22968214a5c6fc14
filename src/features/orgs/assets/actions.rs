//! Uploading, reading and deleting assets. The caller of these functions has already checked access.

use std::time::Duration;

use serde_json::json;

use super::content::AssetContent;
use super::content::IMAGE_MEMORY_BYTES;
use super::rules;
use super::store;
use super::store::Asset;
use crate::app::App;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs::Org;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Maximum time that an upload waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Checks an uploaded file within the memory budget of the server. `field` names the file in the
/// error.
///
/// Call it without an open transaction, because it may wait.
///
/// # Errors
/// The errors of [`AssetContent::check`]. `Busy` if other work holds the memory for too long.
pub fn check_content(app: &App, field: &str, file: &[u8]) -> Result<AssetContent> {
    let _reservation =
        app.work_memory.reserve(IMAGE_MEMORY_BYTES, MAX_WAIT).map_err(|_| Error::Busy)?;
    AssetContent::check(field, file)
}

/// Stores a file, or replaces the file with the same name. The same content changes nothing.
///
/// # Errors
/// `Conflict` if the organization has too many assets.
pub fn put_asset(
    tx: &WriteTx<'_>,
    org: &Org,
    filename: &str,
    content: &AssetContent,
) -> Result<Asset> {
    let old = store::find_asset(tx, &org.id, filename)?;
    if old.as_ref().is_some_and(|old| old.hash == content.hash) {
        return find_asset(tx, org, filename);
    }
    if old.is_none() && store::count_assets(tx, &org.id)? >= rules::MAX_ASSETS {
        let text = format!("{} already has {} assets, the maximum", org.name, rules::MAX_ASSETS);
        return Err(Error::Conflict(text));
    }
    store::put_asset(tx, &org.id, filename, content)?;
    let asset = find_asset(tx, org, filename)?;
    let action = if old.is_some() { "asset.change" } else { "asset.create" };
    record(tx, org, action, &asset)?;
    Ok(asset)
}

/// Deletes an asset. Themes that use it keep its name.
///
/// # Errors
/// `NotFound` if there is none with this name.
pub fn delete_asset(tx: &WriteTx<'_>, org: &Org, filename: &str) -> Result<()> {
    let asset = find_asset(tx, org, filename)?;
    store::delete_asset(tx, &org.id, filename)?;
    record(tx, org, "asset.delete", &asset)
}

/// Records a change of an asset in the audit log.
fn record(tx: &WriteTx<'_>, org: &Org, action: &'static str, asset: &Asset) -> Result<()> {
    let target = EventTarget::new("asset", &asset.filename, asset.filename.clone());
    let details = json!({ "content_type": asset.asset_type.media_type(), "size": asset.size });
    audit::record(tx, &org.id, action, &target, &details)
}

/// Returns an asset of an organization.
///
/// # Errors
/// `NotFound` if there is none with this name.
pub fn find_asset(tx: &Tx<'_>, org: &Org, filename: &str) -> Result<Asset> {
    store::find_asset(tx, &org.id, filename)?.or_not_found("asset")
}

/// Returns the assets of an organization, by name.
pub fn list_assets(tx: &Tx<'_>, org: &Org) -> Result<Vec<Asset>> {
    store::list_assets(tx, &org.id)
}

/// Returns the bytes of an asset.
///
/// # Errors
/// `NotFound` if there is none with this name.
pub fn read_body(tx: &Tx<'_>, org: &Org, filename: &str) -> Result<Vec<u8>> {
    store::read_body(tx, &org.id, filename)?.or_not_found("asset")
}
