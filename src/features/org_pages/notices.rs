//! Notices that a page shows after a redirect.

use crate::features::accounts::page_parts::Notice;
use chartroom_platform::language;

/// All notices, with the keys of their texts.
const NOTICES: &[Notice] = &[
    Notice::success("member-changed", "org-notices.memberChanged"),
    Notice::success("members-removed", "org-notices.membersRemoved"),
    Notice::success("second-factor-removed", "org-notices.secondFactorRemoved"),
    Notice { code: "nobody-selected", text: "org-notices.nobodySelected", is_warning: true },
    Notice::success("account-created", "org-notices.accountCreated"),
    Notice::success("account-created-without-mail", "org-notices.accountCreatedWithoutMail"),
    Notice::success("invited", "org-notices.invited"),
    Notice::success("invite-sent", "org-notices.inviteSent"),
    Notice::success("invite-renewed", "org-notices.inviteRenewed"),
    Notice::success("invite-deleted", "org-notices.inviteDeleted"),
    Notice::success("team-created", "org-notices.teamCreated"),
    Notice::success("team-changed", "org-notices.teamChanged"),
    Notice::success("team-deleted", "org-notices.teamDeleted"),
    Notice::success("theme-created", "org-notices.themeCreated"),
    Notice::success("theme-saved", "org-notices.themeSaved"),
    Notice::success("theme-deleted", "org-notices.themeDeleted"),
    Notice::success("default-theme-saved", "org-notices.defaultThemeSaved"),
    Notice::success("assets-uploaded", "org-notices.assetsUploaded"),
    Notice::success("asset-deleted", "org-notices.assetDeleted"),
    Notice::success("domain-added", "org-notices.domainAdded"),
    Notice::success("domain-verified", "org-notices.domainVerified"),
    Notice { code: "domain-failed", text: "org-notices.domainFailed", is_warning: true },
    Notice::success("domain-deleted", "org-notices.domainDeleted"),
    Notice::success("sso-saved", "org-notices.ssoSaved"),
    Notice::success("sso-removed", "org-notices.ssoRemoved"),
    Notice::success("sso-required", "org-notices.ssoRequired"),
    Notice::success("sso-optional", "org-notices.ssoOptional"),
    Notice::success("settings-saved", "org-notices.settingsSaved"),
    Notice::success("layout-saved", "org-notices.layoutSaved"),
    Notice::success("layout-deleted", "org-notices.layoutDeleted"),
];

/// Returns the notice with this code and its text. None for an unknown code.
pub fn find_notice(code: &str) -> Option<Notice> {
    let notice = Notice::find(NOTICES, code)?;
    Some(Notice { text: language::text(notice.text), ..notice })
}
