//! SQL of table `sso`.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// The identity provider of an organization.
#[derive(Debug, Clone)]
pub struct SsoSettings {
    /// Organization that the identity provider signs in for.
    pub org: AccountId,
    /// Issuer of the responses.
    pub entity_id: String,
    /// One or two certificates in PEM format.
    pub certificate: String,
    /// URL to which browsers are sent for a sign-in.
    pub sign_in_url: String,
    /// Whether responses without a request are accepted.
    pub allow_idp_initiated: bool,
    /// Whether an account with another identifier gets the identifier of a sign-in with its address.
    pub allow_relink: bool,
    /// Time of the last successful sign-in or test. None before the first one.
    pub last_sign_in: Option<Timestamp>,
}

const SELECT_SETTINGS: &str = "select org_id, entity_id, certificate, sign_in_url,
        allow_idp_initiated, allow_relink, last_sign_in
 from sso";

/// Reads the columns of `SELECT_SETTINGS`.
fn settings_from_row(row: &Row<'_>) -> rusqlite::Result<SsoSettings> {
    Ok(SsoSettings {
        org: row.get("org_id")?,
        entity_id: row.get("entity_id")?,
        certificate: row.get("certificate")?,
        sign_in_url: row.get("sign_in_url")?,
        allow_idp_initiated: row.get("allow_idp_initiated")?,
        allow_relink: row.get("allow_relink")?,
        last_sign_in: row.get("last_sign_in")?,
    })
}

/// Returns the identity provider of an organization, or None.
pub fn find(tx: &Tx<'_>, org: &AccountId) -> Result<Option<SsoSettings>> {
    tx.find(
        &format!("{SELECT_SETTINGS} where org_id = :org"),
        named_params! { ":org": org },
        settings_from_row,
    )
}

/// Returns the identity provider with exactly this entity id, or None.
pub fn find_by_entity_id(tx: &Tx<'_>, entity_id: &str) -> Result<Option<SsoSettings>> {
    tx.find(
        &format!("{SELECT_SETTINGS} where entity_id = :entity_id"),
        named_params! { ":entity_id": entity_id },
        settings_from_row,
    )
}

/// Returns whether any organization has an identity provider.
pub fn is_any_configured(tx: &Tx<'_>) -> Result<bool> {
    tx.one("select exists (select 1 from sso)", [], |row| row.get(0))
}

/// Inserts the identity provider of an organization, or replaces it. Fails with a unique violation if
/// another organization has the entity id.
pub fn put(tx: &WriteTx<'_>, settings: &SsoSettings) -> Result<()> {
    tx.execute(
        "insert into sso (org_id, entity_id, certificate, sign_in_url, allow_idp_initiated,
                          allow_relink, last_sign_in, created, updated)
         values (:org, :entity_id, :certificate, :sign_in_url, :allow_idp_initiated,
                 :allow_relink, :last_sign_in, :now, :now)
         on conflict (org_id) do update
         set entity_id = excluded.entity_id, certificate = excluded.certificate,
             sign_in_url = excluded.sign_in_url,
             allow_idp_initiated = excluded.allow_idp_initiated,
             allow_relink = excluded.allow_relink, last_sign_in = excluded.last_sign_in,
             updated = excluded.updated",
        named_params! {
            ":org": settings.org,
            ":entity_id": settings.entity_id,
            ":certificate": settings.certificate,
            ":sign_in_url": settings.sign_in_url,
            ":allow_idp_initiated": settings.allow_idp_initiated,
            ":allow_relink": settings.allow_relink,
            ":last_sign_in": settings.last_sign_in,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Sets the time of the last successful sign-in to now. Does nothing without an identity provider.
pub fn set_last_sign_in(tx: &WriteTx<'_>, org: &AccountId) -> Result<()> {
    tx.execute(
        "update sso set last_sign_in = :now where org_id = :org",
        named_params! { ":org": org, ":now": tx.now },
    )?;
    Ok(())
}

/// Deletes the identity provider of an organization with its requests and seen assertions. Does
/// nothing if there is none.
pub fn delete(tx: &WriteTx<'_>, org: &AccountId) -> Result<()> {
    tx.execute("delete from sso where org_id = :org", named_params! { ":org": org })?;
    Ok(())
}
