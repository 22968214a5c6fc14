//! Check of `chartroom doctor` that the sizes of nodes and the totals of accounts are correct, and
//! their repair.

use super::store::sizes;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::doctor::CheckResult;
use chartroom_platform::doctor::FeatureCheck;
use chartroom_platform::error::Result;

/// The check of the sizes that count for the storage limits.
pub const STORAGE_CHECK: FeatureCheck = ("storage.sizes", check_sizes);

/// Measures all nodes and compares the sizes with the stored ones, and the totals of accounts with
/// the sums. Differences are findings of the result, not errors.
fn check_sizes(tx: &Tx<'_>) -> Result<CheckResult> {
    let nodes = sizes::list_wrong_sizes(tx)?.into_iter().map(|wrong| {
        format!("node {}: size {}, expected {}", wrong.id, wrong.stored, wrong.measured)
    });
    let totals = tree::list_wrong_usage(tx)?.into_iter().map(|(account, total, expected)| {
        format!("account {account}: total {total}, expected {expected}")
    });
    Ok(CheckResult::from_findings(STORAGE_CHECK.0, &nodes.chain(totals).collect::<Vec<_>>()))
}

/// Measures all nodes, stores the sizes that were wrong, and sets the totals of all accounts to the
/// sums. Storage limits do not count.
pub fn repair_sizes(tx: &WriteTx<'_>) -> Result<()> {
    for wrong in sizes::list_wrong_sizes(tx)? {
        tree::set_stored_bytes(tx, &wrong.id, wrong.measured)?;
    }
    tree::rebuild_usage(tx)
}
