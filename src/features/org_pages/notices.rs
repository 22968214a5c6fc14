//! Notices that a page shows after a redirect.

use crate::features::accounts::page_parts::Notice;

/// All notices.
pub const NOTICES: &[Notice] = &[
    Notice::success("member-changed", "The changes to the member are saved."),
    Notice::success("members-removed", "The selected people are no longer members."),
    Notice {
        code: "nobody-selected",
        text: "Nobody is selected. Select the people to remove first.",
        is_warning: true,
    },
    Notice::success(
        "account-created",
        "The account is created. A mail with a link to set a password follows, unless single \
         sign-on is required.",
    ),
    Notice::success(
        "account-created-without-mail",
        "The account is created. This server sends no mail, so its operator must set the password \
         with the command chartroom user password.",
    ),
    Notice::success(
        "invited",
        "The people are invited. Each open invite holds a seat for 30 days.",
    ),
    Notice::success("invite-sent", "The invite is sent again. The previous link no longer works."),
    Notice::success(
        "invite-renewed",
        "The invite has a new link, because this server sends no mail. The previous link no longer \
         works.",
    ),
    Notice::success(
        "invite-deleted",
        "The invite is deleted. Its link no longer works, and its seat is free.",
    ),
    Notice::success("team-created", "The team and its folder are created."),
    Notice::success("team-changed", "The changes to the team are saved."),
    Notice::success("team-deleted", "The team is deleted. Its folder stays."),
    Notice::success("theme-created", "The theme is created. Documents can use it now."),
    Notice::success(
        "theme-saved",
        "The theme is saved. All documents with it are shown in it from now on.",
    ),
    Notice::success("theme-deleted", "The theme is deleted."),
    Notice::success(
        "default-theme-saved",
        "New documents of the organization have the chosen theme.",
    ),
    Notice::success("assets-uploaded", "The files are uploaded. Themes can use them now."),
    Notice::success("asset-deleted", "The file is deleted."),
    Notice::success("domain-added", "The domain is added. Publish the TXT record, then check it."),
    Notice::success("domain-verified", "The TXT record was found. The domain is verified."),
    Notice {
        code: "domain-failed",
        text: "The name servers have no matching TXT record. A new record can take some hours to \
               be visible.",
        is_warning: true,
    },
    Notice::success(
        "domain-deleted",
        "The domain is deleted. A new registration needs a new TXT record.",
    ),
    Notice::success("settings-saved", "The settings are saved."),
    Notice::success("layout-saved", "The layout preset is saved."),
    Notice::success("layout-deleted", "The layout preset is deleted. Documents keep their size."),
];
