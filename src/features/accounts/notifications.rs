//! The choice of mails about actions of other people.
//!
//! Mails that give access to the account or to an organization, such as those with password links
//! and invites, cannot be switched off.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::store::notifications as store;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// A kind of mail that a user can switch off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationKind {
    /// A comment mentions the user.
    Mentions,
    /// A person shares a document or a folder with the user.
    Shares,
}

impl NotificationKind {
    /// Returns the name in the database and in the API.
    fn as_str(self) -> &'static str {
        match self {
            Self::Mentions => "mentions",
            Self::Shares => "shares",
        }
    }
}

/// The mails about actions of other people that a user gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotificationChoices {
    /// Mails about comments that mention the user.
    pub mentions: bool,
    /// Mails about documents and folders that a person shares with the user.
    pub shares: bool,
}

/// Body of `PATCH /user/notifications`. An absent field keeps the stored choice.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationPatch {
    /// Whether to get mails about comments that mention the user.
    pub mentions: Option<bool>,
    /// Whether to get mails about documents and folders that a person shares with the user.
    pub shares: Option<bool>,
}

/// Returns whether a user wants the mails of a kind. All mails are on at first.
pub fn wants_mail(tx: &Tx<'_>, user: &AccountId, kind: NotificationKind) -> Result<bool> {
    Ok(!store::is_muted(tx, user, kind.as_str())?)
}

/// Returns the choices of a user.
pub fn find_choices(tx: &Tx<'_>, user: &AccountId) -> Result<NotificationChoices> {
    Ok(NotificationChoices {
        mentions: wants_mail(tx, user, NotificationKind::Mentions)?,
        shares: wants_mail(tx, user, NotificationKind::Shares)?,
    })
}

/// Changes the choices of a user and returns them. They also apply to mails that wait already.
pub fn change_choices(
    tx: &WriteTx<'_>,
    user: &AccountId,
    patch: NotificationPatch,
) -> Result<NotificationChoices> {
    let changes =
        [(NotificationKind::Mentions, patch.mentions), (NotificationKind::Shares, patch.shares)];
    for (kind, choice) in changes {
        match choice {
            Some(true) => store::unmute(tx, user, kind.as_str())?,
            Some(false) => store::mute(tx, user, kind.as_str())?,
            None => {}
        }
    }
    find_choices(tx, user)
}
