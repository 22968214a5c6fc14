//! SQL of table `audit_event`.

use rusqlite::named_params;
use serde_json::Value;

use super::EventTarget;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Inserts an event.
pub fn insert_event(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    tx.execute(
        "insert into audit_event (org_id, created, action, actor_type, actor_id, actor_name,
                                  actor_email, target_type, target_id, target_name, ip_address,
                                  user_agent, details)
         values (:org, :created, :action, 'system', '', '', '', :target_type, :target_id,
                 :target_name, '', '', :details)",
        named_params! {
            ":org": org,
            ":created": tx.now,
            ":action": action,
            ":target_type": target.kind,
            ":target_id": target.id,
            ":target_name": target.name,
            ":details": details.to_string(),
        },
    )?;
    Ok(())
}
