//! `chartroom reindex`: builds the search index anew, beside the running server or not.

use serde_json::json;

use super::Failure;
use super::Shell;
use crate::features::listing;

/// Runs `chartroom reindex`.
pub fn run(shell: &Shell) -> Result<(), Failure> {
    let app = shell.app()?;
    listing::reindex(&app)?;
    let check = listing::check_index(&app)?;
    shell.print(&json!({ "ok": check.ok, "detail": check.detail }), check.detail.clone())?;
    if check.ok { Ok(()) } else { Err(Failure::Attention("the index is not right".to_owned())) }
}
