//! `chartroom reindex`: rebuilds the search index, with or without a running server.

use serde_json::json;

use super::CommandContext;
use super::Failure;
use crate::features::listing;

/// Runs `chartroom reindex`: rebuilds the search index and compares it with the database. Fails
/// with exit code 4 if they differ.
pub fn run(context: &CommandContext) -> Result<(), Failure> {
    let app = context.open_app()?;
    listing::reindex(&app)?;
    let check = listing::check_index(&app)?;
    context.print(&json!({ "ok": check.ok, "detail": check.detail }), check.detail.clone())?;
    if check.ok {
        Ok(())
    } else {
        Err(Failure::Attention("the search index does not match the database".to_owned()))
    }
}
