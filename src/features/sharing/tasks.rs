//! Background task that grants pending invitations to new users and changed e-mail addresses.

use super::redeem;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::tasks::Task;

/// Grants the user in `task.subject` all invitations for their e-mail address.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn accept_pending_invitations(app: &App, task: &Task) -> Result<()> {
    let user = AccountId::from_text(&task.subject);
    app.db.write(move |tx| redeem::accept_pending_invitations(tx, &user))
}
