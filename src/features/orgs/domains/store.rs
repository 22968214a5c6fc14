//! SQL of table `domain`.

use rusqlite::Row;
use rusqlite::named_params;

use super::verification::Domain;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

const SELECT_DOMAIN: &str = "select name, status, record_value, found, created, last_checked,
        verified_at, missing_since, reported
 from domain";

/// Reads the columns of `SELECT_DOMAIN`.
fn domain_from_row(row: &Row<'_>) -> rusqlite::Result<Domain> {
    let found: String = row.get("found")?;
    Ok(Domain {
        name: row.get("name")?,
        status: row.get("status")?,
        record_value: row.get("record_value")?,
        // The program writes only arrays of strings. Other content counts as none.
        found: serde_json::from_str(&found).unwrap_or_default(),
        created: row.get("created")?,
        last_checked: row.get("last_checked")?,
        verified_at: row.get("verified_at")?,
        missing_since: row.get("missing_since")?,
        reported: row.get("reported")?,
    })
}

/// Returns the domains of an organization, by name.
pub fn list_domains(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Domain>> {
    tx.all(
        &format!("{SELECT_DOMAIN} where org_id = :org order by name"),
        named_params! { ":org": org },
        domain_from_row,
    )
}

/// Returns a domain of an organization. None if the organization has no domain with this name.
pub fn find_domain(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<Option<Domain>> {
    tx.find(
        &format!("{SELECT_DOMAIN} where org_id = :org and name = :name"),
        named_params! { ":org": org, ":name": name },
        domain_from_row,
    )
}

/// Counts the domains of an organization.
pub fn count_domains(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as domains from domain where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("domains"),
    )
}

/// Returns the organization that verified the domain with this name, or None. Ignores organizations
/// with a plan that has no domains.
pub fn find_verified_org(tx: &Tx<'_>, name: &str) -> Result<Option<AccountId>> {
    tx.find(
        "select org_id from domain
         join org on org.id = domain.org_id
         where domain.name = :name and status = 'verified' and plan <> 'team'",
        named_params! { ":name": name },
        |row| row.get("org_id"),
    )
}

/// Returns the verified domains that were last checked at `before` or earlier, with their
/// organizations, those that wait longest first.
pub fn list_due_domains(tx: &Tx<'_>, before: Timestamp) -> Result<Vec<(AccountId, String)>> {
    tx.all(
        "select org_id, name from domain
         where status = 'verified' and last_checked <= :before
         order by last_checked, org_id, name",
        named_params! { ":before": before },
        |row| Ok((row.get("org_id")?, row.get("name")?)),
    )
}

/// Inserts a domain that was never looked up.
pub fn insert_domain(tx: &WriteTx<'_>, org: &AccountId, domain: &Domain) -> Result<()> {
    tx.execute(
        "insert into domain (org_id, name, status, record_value, created)
         values (:org, :name, :status, :record_value, :created)",
        named_params! {
            ":org": org,
            ":name": domain.name,
            ":status": domain.status,
            ":record_value": domain.record_value,
            ":created": domain.created,
        },
    )?;
    Ok(())
}

/// Updates the columns of a domain that a lookup changes. Does nothing if the domain does not exist.
pub fn update_domain(tx: &WriteTx<'_>, org: &AccountId, domain: &Domain) -> Result<()> {
    tx.execute(
        "update domain
         set status = :status, found = :found, last_checked = :last_checked,
             verified_at = :verified_at, missing_since = :missing_since, reported = :reported
         where org_id = :org and name = :name",
        named_params! {
            ":org": org,
            ":name": domain.name,
            ":status": domain.status,
            ":found": serde_json::to_string(&domain.found)?,
            ":last_checked": domain.last_checked,
            ":verified_at": domain.verified_at,
            ":missing_since": domain.missing_since,
            ":reported": domain.reported,
        },
    )?;
    Ok(())
}

/// Deletes a domain. Does nothing if it does not exist.
pub fn delete_domain(tx: &WriteTx<'_>, org: &AccountId, name: &str) -> Result<()> {
    tx.execute(
        "delete from domain where org_id = :org and name = :name",
        named_params! { ":org": org, ":name": name },
    )?;
    Ok(())
}
