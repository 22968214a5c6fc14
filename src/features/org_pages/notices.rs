//! Notices that a page shows after a redirect. The address contains only a code, so that a link
//! cannot show any other text.

/// A notice at the top of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Code in the query of the address.
    pub code: &'static str,
    /// Sentence for the reader.
    pub text: &'static str,
    /// Whether it reports a problem.
    pub is_warning: bool,
}

/// Creates a notice about a success.
const fn success(code: &'static str, text: &'static str) -> Notice {
    Notice { code, text, is_warning: false }
}

/// All notices.
const NOTICES: &[Notice] = &[
    success("member-changed", "The changes to the member are saved."),
    success("members-removed", "The selected people are no longer members."),
    Notice {
        code: "nobody-selected",
        text: "Nobody is selected. Select the people to remove first.",
        is_warning: true,
    },
    success(
        "account-created",
        "The account is created. A mail with a link to set a password follows, unless single \
         sign-on is required.",
    ),
    success(
        "account-created-without-mail",
        "The account is created. This server sends no mail, so its operator must set the password \
         with the command chartroom user password.",
    ),
    success("invited", "The people are invited. Each open invite holds a seat for 30 days."),
    success("invite-sent", "The invite is sent again. The previous link no longer works."),
    success(
        "invite-renewed",
        "The invite has a new link, because this server sends no mail. The previous link no longer \
         works.",
    ),
    success(
        "invite-deleted",
        "The invite is deleted. Its link no longer works, and its seat is free.",
    ),
    success("team-created", "The team and its folder are created."),
    success("team-changed", "The changes to the team are saved."),
    success("team-deleted", "The team is deleted. Its folder stays."),
    success("theme-created", "The theme is created. Documents can use it now."),
    success(
        "theme-saved",
        "The theme is saved. All documents with it are shown in it from now on.",
    ),
    success("theme-deleted", "The theme is deleted."),
    success("default-theme-saved", "New documents of the organization have the chosen theme."),
    success("assets-uploaded", "The files are uploaded. Themes can use them now."),
    success("asset-deleted", "The file is deleted."),
    success("domain-added", "The domain is added. Publish the TXT record, then check it."),
    success("domain-verified", "The TXT record was found. The domain is verified."),
    Notice {
        code: "domain-failed",
        text: "The name servers have no matching TXT record. A new record can take some hours to \
               be visible.",
        is_warning: true,
    },
    success("domain-deleted", "The domain is deleted. A new registration needs a new TXT record."),
    success("settings-saved", "The settings are saved."),
    success("layout-saved", "The layout preset is saved."),
    success("layout-deleted", "The layout preset is deleted. Documents keep their size."),
];

/// Returns the notice with a code, or None for an unknown code.
pub fn find_notice(code: &str) -> Option<Notice> {
    NOTICES.iter().find(|notice| notice.code == code).copied()
}
