//! Texts for people about events of the audit log: actions and actors.

use crate::features::audit::Event;
use chartroom_platform::language;

/// Actions about one type of object.
struct ActionGroup {
    /// Key of the name of the objects.
    label: &'static str,
    /// Names of the actions in the API, and keys of their names for people. The latter have the form
    /// of a past event.
    actions: &'static [(&'static str, &'static str)],
}

/// Actions about one type of object, as the page offers them.
pub struct ActionOptions {
    /// Name of the objects.
    pub label: &'static str,
    /// Names of the actions in the API, and for people.
    pub actions: Vec<(&'static str, &'static str)>,
}

/// Creates a group.
const fn group(
    label: &'static str,
    actions: &'static [(&'static str, &'static str)],
) -> ActionGroup {
    ActionGroup { label, actions }
}

/// All actions, in the order in which the page offers them.
const ACTION_GROUPS: &[ActionGroup] = &[
    group(
        "audit-actions.documents",
        &[
            ("document.create", "audit-actions.documentCreated"),
            ("document.rename", "audit-actions.documentRenamed"),
            ("document.move", "audit-actions.documentMoved"),
            ("document.share", "audit-actions.documentShared"),
            ("document.change_share", "audit-actions.documentShareChanged"),
            ("document.unshare", "audit-actions.documentUnshared"),
            ("document.accept_share", "audit-actions.documentShareAccepted"),
            ("document.publish", "audit-actions.documentPublished"),
            ("document.unpublish", "audit-actions.documentUnpublished"),
            ("document.export_link", "audit-actions.documentLinkCreated"),
            ("document.set_source", "audit-actions.documentSourceSet"),
            ("document.remove_source", "audit-actions.documentSourceRemoved"),
            ("document.delete", "audit-actions.documentTrashed"),
            ("document.restore", "audit-actions.documentRestored"),
            ("document.expunge", "audit-actions.documentExpunged"),
        ],
    ),
    group(
        "audit-actions.folders",
        &[
            ("folder.create", "audit-actions.folderCreated"),
            ("folder.rename", "audit-actions.folderRenamed"),
            ("folder.move", "audit-actions.folderMoved"),
            ("folder.share", "audit-actions.folderShared"),
            ("folder.change_share", "audit-actions.folderShareChanged"),
            ("folder.unshare", "audit-actions.folderUnshared"),
            ("folder.accept_share", "audit-actions.folderShareAccepted"),
            ("folder.publish", "audit-actions.folderPublished"),
            ("folder.unpublish", "audit-actions.folderUnpublished"),
            ("folder.export_link", "audit-actions.folderLinkCreated"),
            ("folder.delete", "audit-actions.folderTrashed"),
            ("folder.restore", "audit-actions.folderRestored"),
            ("folder.expunge", "audit-actions.folderExpunged"),
        ],
    ),
    group(
        "audit-actions.casts",
        &[("cast.create", "audit-actions.castStarted"), ("cast.revoke", "audit-actions.castEnded")],
    ),
    group(
        "audit-actions.membersAndInvites",
        &[
            ("member.add", "audit-actions.memberAdded"),
            ("member.change", "audit-actions.roleChanged"),
            ("member.remove", "audit-actions.memberRemoved"),
            ("member.revoke_access", "audit-actions.accessRemoved"),
            ("invite.create", "audit-actions.invited"),
            ("invite.send", "audit-actions.inviteSent"),
            ("invite.accept", "audit-actions.inviteAccepted"),
            ("invite.delete", "audit-actions.inviteDeleted"),
        ],
    ),
    group(
        "audit-actions.accounts",
        &[
            ("user.create", "audit-actions.accountCreated"),
            ("user.change", "audit-actions.accountChanged"),
            ("user.change_password", "audit-actions.passwordChanged"),
            ("user.password_link", "audit-actions.passwordLinkSent"),
            ("user.request_password_reset", "audit-actions.passwordResetRequested"),
            ("user.enable_second_factor", "audit-actions.secondFactorEnabled"),
            ("user.disable_second_factor", "audit-actions.secondFactorDisabled"),
            ("user.reset_second_factor", "audit-actions.secondFactorReset"),
            ("user.renew_recovery_codes", "audit-actions.recoveryCodesRenewed"),
            ("user.use_recovery_code", "audit-actions.recoveryCodeUsed"),
            ("user.end_sessions", "audit-actions.sessionsEnded"),
            ("user.remove", "audit-actions.accountRemoved"),
            ("user.restore", "audit-actions.accountRestored"),
            ("user.link", "audit-actions.accountLinked"),
            ("user.relink", "audit-actions.accountRelinked"),
            ("user.delete", "audit-actions.accountDeleted"),
            ("sign_in.success", "audit-actions.signedIn"),
            ("sign_in.failure", "audit-actions.signInFailed"),
            ("token.create", "audit-actions.tokenCreated"),
            ("token.delete", "audit-actions.tokenDeleted"),
        ],
    ),
    group(
        "audit-actions.teams",
        &[
            ("team.create", "audit-actions.teamCreated"),
            ("team.rename", "audit-actions.teamRenamed"),
            ("team.add_member", "audit-actions.teamMemberAdded"),
            ("team.remove_member", "audit-actions.teamMemberRemoved"),
            ("team.delete", "audit-actions.teamDeleted"),
        ],
    ),
    group(
        "audit-actions.themesAndAssets",
        &[
            ("theme.create", "audit-actions.themeCreated"),
            ("theme.change", "audit-actions.themeChanged"),
            ("theme.delete", "audit-actions.themeDeleted"),
            ("asset.create", "audit-actions.assetUploaded"),
            ("asset.change", "audit-actions.assetReplaced"),
            ("asset.delete", "audit-actions.assetDeleted"),
        ],
    ),
    group(
        "audit-actions.domains",
        &[
            ("domain.create", "audit-actions.domainAdded"),
            ("domain.verify", "audit-actions.domainVerified"),
            ("domain.fail", "audit-actions.domainFailed"),
            ("domain.missing", "audit-actions.domainMissing"),
            ("domain.delete", "audit-actions.domainDeleted"),
        ],
    ),
    group(
        "audit-actions.singleSignOn",
        &[
            ("sso.change", "audit-actions.ssoChanged"),
            ("sso.remove", "audit-actions.ssoRemoved"),
            ("sso.rejected", "audit-actions.ssoRejected"),
        ],
    ),
    group(
        "audit-actions.organization",
        &[
            ("settings.change", "audit-actions.settingsChanged"),
            ("subscription.change", "audit-actions.subscriptionChanged"),
            ("org.create", "audit-actions.organizationCreated"),
            ("org.change", "audit-actions.organizationChanged"),
            ("org.suspend", "audit-actions.organizationSuspended"),
            ("org.resume", "audit-actions.suspensionEnded"),
        ],
    ),
];

/// Returns all actions with their names, in the order in which the page offers them.
pub fn list_actions() -> Vec<ActionOptions> {
    let translate = |(name, label): &(&'static str, &'static str)| (*name, language::text(label));
    let groups = ACTION_GROUPS.iter().map(|group| ActionOptions {
        label: language::text(group.label),
        actions: group.actions.iter().map(translate).collect(),
    });
    groups.collect()
}

/// Returns the name of an action for people, or the name in the API for an unknown action.
pub fn action_label(action: &str) -> &str {
    let mut all = ACTION_GROUPS.iter().flat_map(|group| group.actions);
    all.find(|(name, _)| *name == action).map_or(action, |(_, label)| language::text(label))
}

/// Returns the name of the actor of an event for people.
pub fn actor_label(event: &Event) -> &str {
    let actor = &event.actor;
    match actor.kind.as_str() {
        "operator" => language::text("audit-log.actorOperator"),
        "system" => language::text("audit-log.actorServer"),
        "guest" => language::text("audit-log.actorGuest"),
        _ if actor.name.is_empty() => language::text("audit-log.actorDeleted"),
        _ => &actor.name,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chartroom_platform::language::Language;

    use super::*;

    #[test]
    fn actions_have_one_label_each() {
        for language in Language::ALL {
            language::set_current(language);
            let all: Vec<_> = list_actions().into_iter().flat_map(|group| group.actions).collect();
            let names: BTreeSet<_> = all.iter().map(|(name, _)| name).collect();
            let labels: BTreeSet<_> = all.iter().map(|(_, label)| label).collect();
            assert_eq!((names.len(), labels.len()), (all.len(), all.len()));
            assert_eq!(action_label("other.unknown"), "other.unknown");
        }
        assert_eq!(action_label("team.rename"), "Team umbenannt");
    }
}
