//! SQL of tables `sso_request`, `sso_seen`, `sso_code` and `sso_key`.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A sent authentication request without a response.
#[derive(Debug, Clone)]
pub struct PendingRequest {
    /// Organization of the identity provider.
    pub org: AccountId,
    /// SHA-256 of the cookie of the browser that began the sign-in.
    pub browser: Sha256Hash,
    /// Path on this server to show after the sign-in.
    pub target: String,
    /// Administrator that tests the settings. None for a sign-in.
    pub tester: Option<AccountId>,
}

/// A verified sign-in that waits for the browser.
#[derive(Debug, Clone)]
pub struct PendingSession {
    /// User to sign in.
    pub user: AccountId,
    /// SHA-256 of the cookie of the browser that began the sign-in. None if the identity provider began
    /// it.
    pub browser: Option<Sha256Hash>,
    /// Path on this server to show after the sign-in.
    pub target: String,
    /// Time at which the session at the identity provider ends. None if unknown.
    pub session_end: Option<Timestamp>,
}

/// The stored key that signs requests.
#[derive(Debug, Clone)]
pub struct StoredKey {
    /// Private key (PKCS #8), encrypted with the server key.
    pub private_key: Vec<u8>,
    /// Certificate in DER format.
    pub certificate: Vec<u8>,
}

/// Inserts a request with this id.
pub fn insert_request(
    tx: &WriteTx<'_>,
    id: &str,
    request: &PendingRequest,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into sso_request (id, org_id, browser, target, tester, expires)
         values (:id, :org, :browser, :target, :tester, :expires)",
        named_params! {
            ":id": id,
            ":org": request.org,
            ":browser": request.browser,
            ":target": request.target,
            ":tester": request.tester,
            ":expires": expires,
        },
    )?;
    Ok(())
}

/// Returns the request with this id. None if there is none, or if it has expired.
pub fn find_request(tx: &Tx<'_>, id: &str) -> Result<Option<PendingRequest>> {
    tx.find(
        "select org_id, browser, target, tester
         from sso_request
         where id = :id and expires > :now",
        named_params! { ":id": id, ":now": tx.now },
        request_from_row,
    )
}

/// Removes and returns the request of an organization with this id. None if there is none, or if it
/// has expired.
pub fn take_request(tx: &WriteTx<'_>, org: &AccountId, id: &str) -> Result<Option<PendingRequest>> {
    let found = find_request(tx, id)?.filter(|request| request.org == *org);
    if found.is_some() {
        delete_request(tx, id)?;
    }
    Ok(found)
}

/// Deletes the request with this id, if there is one.
pub fn delete_request(tx: &WriteTx<'_>, id: &str) -> Result<()> {
    tx.execute("delete from sso_request where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Reads a request.
fn request_from_row(row: &Row<'_>) -> rusqlite::Result<PendingRequest> {
    Ok(PendingRequest {
        org: row.get("org_id")?,
        browser: row.get("browser")?,
        target: row.get("target")?,
        tester: row.get("tester")?,
    })
}

/// Remembers an assertion until `expires`. Returns false if the organization has already used it.
pub fn insert_seen(
    tx: &WriteTx<'_>,
    org: &AccountId,
    assertion: &str,
    expires: Timestamp,
) -> Result<bool> {
    let inserted = tx.execute(
        "insert into sso_seen (org_id, assertion_id, expires)
         values (:org, :assertion, :expires)
         on conflict do nothing",
        named_params! { ":org": org, ":assertion": assertion, ":expires": expires },
    )?;
    Ok(inserted == 1)
}

/// Inserts a sign-in under the SHA-256 of its code.
pub fn insert_code(
    tx: &WriteTx<'_>,
    hash: &Sha256Hash,
    pending: &PendingSession,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into sso_code (hash, user_id, browser, target, session_expires, expires)
         values (:hash, :user, :browser, :target, :session_end, :expires)",
        named_params! {
            ":hash": hash,
            ":user": pending.user,
            ":browser": pending.browser,
            ":target": pending.target,
            ":session_end": pending.session_end,
            ":expires": expires,
        },
    )?;
    Ok(())
}

/// Returns whether there is a sign-in with this code, expired or not.
pub fn has_code(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<bool> {
    tx.one(
        "select exists (select 1 from sso_code where hash = :hash)",
        named_params! { ":hash": hash },
        |row| row.get(0),
    )
}

/// Removes and returns the sign-in with this code. None if there is none, or if it has expired.
pub fn take_code(tx: &WriteTx<'_>, hash: &Sha256Hash) -> Result<Option<PendingSession>> {
    let found = tx.find(
        "select user_id, browser, target, session_expires
         from sso_code
         where hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        |row| {
            Ok(PendingSession {
                user: row.get("user_id")?,
                browser: row.get("browser")?,
                target: row.get("target")?,
                session_end: row.get("session_expires")?,
            })
        },
    )?;
    tx.execute("delete from sso_code where hash = :hash", named_params! { ":hash": hash })?;
    Ok(found)
}

/// Deletes expired requests, assertions and codes.
pub fn delete_expired(tx: &WriteTx<'_>) -> Result<()> {
    for sql in [
        "delete from sso_request where expires <= :now",
        "delete from sso_seen where expires <= :now",
        "delete from sso_code where expires <= :now",
    ] {
        tx.execute(sql, named_params! { ":now": tx.now })?;
    }
    Ok(())
}

/// Returns the key that signs requests. None before its first use.
pub fn find_key(tx: &Tx<'_>) -> Result<Option<StoredKey>> {
    tx.find("select private_key, certificate from sso_key", [], |row| {
        Ok(StoredKey { private_key: row.get("private_key")?, certificate: row.get("certificate")? })
    })
}

/// Stores the key that signs requests, unless there is one already.
pub fn insert_key(tx: &WriteTx<'_>, key: &StoredKey) -> Result<()> {
    tx.execute(
        "insert into sso_key (id, private_key, certificate, created)
         values (1, :private_key, :certificate, :now)
         on conflict do nothing",
        named_params! {
            ":private_key": key.private_key,
            ":certificate": key.certificate,
            ":now": tx.now,
        },
    )?;
    Ok(())
}
