//! SQL of table `asset`.

use rusqlite::Row;
use rusqlite::named_params;

use super::content::AssetContent;
use super::rules::AssetType;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A stored file without its bytes.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Name, unique in the organization.
    pub filename: String,
    /// Type, from the content.
    pub asset_type: AssetType,
    /// Family name of a font.
    pub family: Option<String>,
    /// Lowest and highest weight of a font, from 1 to 1000.
    pub weights: (u16, u16),
    /// Whether a font is italic or oblique.
    pub is_italic: bool,
    /// Size in bytes.
    pub size: i64,
    /// SHA-256 of the bytes.
    pub hash: Sha256Hash,
    /// Time of the first upload.
    pub created: Timestamp,
    /// Time of the last upload.
    pub updated: Timestamp,
}

const SELECT_ASSET: &str = "select filename, content_type, family,
                                   ifnull(min_weight, 400) as min_weight,
                                   ifnull(max_weight, 400) as max_weight,
                                   ifnull(italic, 0) as italic, size, hash, created, updated
                            from asset";

/// Reads the columns of `SELECT_ASSET`.
fn asset_from_row(row: &Row<'_>) -> rusqlite::Result<Asset> {
    Ok(Asset {
        filename: row.get("filename")?,
        asset_type: row.get("content_type")?,
        family: row.get("family")?,
        weights: (row.get("min_weight")?, row.get("max_weight")?),
        is_italic: row.get("italic")?,
        size: row.get("size")?,
        hash: row.get("hash")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// Returns the assets of an organization, by name.
pub fn list_assets(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Asset>> {
    tx.all(
        &format!("{SELECT_ASSET} where org_id = :org order by filename"),
        named_params! { ":org": org },
        asset_from_row,
    )
}

/// Returns an asset of an organization. None if there is none with this name.
pub fn find_asset(tx: &Tx<'_>, org: &AccountId, filename: &str) -> Result<Option<Asset>> {
    tx.find(
        &format!("{SELECT_ASSET} where org_id = :org and filename = :filename"),
        named_params! { ":org": org, ":filename": filename },
        asset_from_row,
    )
}

/// Returns the bytes of an asset. None if there is none with this name.
pub fn read_body(tx: &Tx<'_>, org: &AccountId, filename: &str) -> Result<Option<Vec<u8>>> {
    tx.find(
        "select body from asset where org_id = :org and filename = :filename",
        named_params! { ":org": org, ":filename": filename },
        |row| row.get("body"),
    )
}

/// Counts the assets of an organization.
pub fn count_assets(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as assets from asset where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("assets"),
    )
}

/// Inserts an asset, or replaces the content of the asset with this name.
pub fn put_asset(
    tx: &WriteTx<'_>,
    org: &AccountId,
    filename: &str,
    content: &AssetContent,
) -> Result<()> {
    let font = content.font.as_ref();
    tx.execute(
        "insert into asset (org_id, filename, content_type, family, min_weight, max_weight, italic,
                            size, hash, body, created, updated)
         values (:org, :filename, :content_type, :family, :min_weight, :max_weight, :italic,
                 :size, :hash, :body, :now, :now)
         on conflict (org_id, filename) do update
         set content_type = excluded.content_type, family = excluded.family,
             min_weight = excluded.min_weight, max_weight = excluded.max_weight,
             italic = excluded.italic, size = excluded.size, hash = excluded.hash,
             body = excluded.body, updated = excluded.updated",
        named_params! {
            ":org": org,
            ":filename": filename,
            ":content_type": content.asset_type,
            ":family": font.map(|font| &font.family),
            ":min_weight": font.map(|font| font.weights.0),
            ":max_weight": font.map(|font| font.weights.1),
            ":italic": font.map(|font| font.is_italic),
            ":size": i64::try_from(content.body.len()).unwrap_or(i64::MAX),
            ":hash": content.hash,
            ":body": content.body,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Deletes an asset. Does nothing if there is none with this name.
pub fn delete_asset(tx: &WriteTx<'_>, org: &AccountId, filename: &str) -> Result<()> {
    tx.execute(
        "delete from asset where org_id = :org and filename = :filename",
        named_params! { ":org": org, ":filename": filename },
    )?;
    Ok(())
}
