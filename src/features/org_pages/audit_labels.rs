//! Texts for people about events of the audit log: actions, objects and details.

use serde_json::Value;

use crate::features::audit::Event;

/// Number of characters of a value in the details of an event.
const MAX_VALUE_CHARS: usize = 120;

/// Actions about one type of object.
pub struct ActionGroup {
    /// Name of the objects.
    pub label: &'static str,
    /// Names of the actions in the API, and for people. The latter have the form of a past event.
    pub actions: &'static [(&'static str, &'static str)],
}

/// Creates a group.
const fn group(
    label: &'static str,
    actions: &'static [(&'static str, &'static str)],
) -> ActionGroup {
    ActionGroup { label, actions }
}

/// All actions, in the order in which the page offers them.
pub const ACTION_GROUPS: &[ActionGroup] = &[
    group(
        "Documents",
        &[
            ("document.create", "Document created"),
            ("document.rename", "Document renamed"),
            ("document.move", "Document moved"),
            ("document.share", "Document shared"),
            ("document.change_share", "Share of a document changed"),
            ("document.unshare", "Document unshared"),
            ("document.accept_share", "Share of a document accepted"),
            ("document.publish", "Document published"),
            ("document.unpublish", "Document no longer published"),
            ("document.export_link", "Download link of a document created"),
            ("document.delete", "Document moved to the trash"),
            ("document.restore", "Document restored"),
            ("document.expunge", "Document deleted permanently"),
        ],
    ),
    group(
        "Folders",
        &[
            ("folder.create", "Folder created"),
            ("folder.rename", "Folder renamed"),
            ("folder.move", "Folder moved"),
            ("folder.share", "Folder shared"),
            ("folder.change_share", "Share of a folder changed"),
            ("folder.unshare", "Folder unshared"),
            ("folder.accept_share", "Share of a folder accepted"),
            ("folder.publish", "Folder published"),
            ("folder.unpublish", "Folder no longer published"),
            ("folder.export_link", "Download link of a folder created"),
            ("folder.delete", "Folder moved to the trash"),
            ("folder.restore", "Folder restored"),
            ("folder.expunge", "Folder deleted permanently"),
        ],
    ),
    group("Casts", &[("cast.create", "Cast started"), ("cast.revoke", "Cast ended")]),
    group(
        "Members and invites",
        &[
            ("member.add", "Member added"),
            ("member.change", "Role changed"),
            ("member.remove", "Member removed"),
            ("member.revoke_access", "Access of a former member removed"),
            ("invite.create", "Person invited"),
            ("invite.send", "Invite sent again"),
            ("invite.accept", "Invite accepted"),
            ("invite.delete", "Invite deleted"),
        ],
    ),
    group(
        "Accounts",
        &[
            ("user.create", "Managed account created"),
            ("user.change", "Account changed"),
            ("user.change_password", "Password changed"),
            ("user.password_link", "Password link sent"),
            ("user.request_password_reset", "Password reset requested"),
            ("user.end_sessions", "Sessions ended"),
            ("user.remove", "Managed account removed"),
            ("user.restore", "Managed account restored"),
            ("user.delete", "Account deleted"),
            ("sign_in.success", "Signed in"),
            ("sign_in.failure", "Sign-in failed"),
            ("token.create", "API token created"),
            ("token.delete", "API token deleted"),
        ],
    ),
    group(
        "Teams",
        &[
            ("team.create", "Team created"),
            ("team.rename", "Team renamed"),
            ("team.add_member", "Team member added"),
            ("team.remove_member", "Team member removed"),
            ("team.delete", "Team deleted"),
        ],
    ),
    group(
        "Themes and assets",
        &[
            ("theme.create", "Theme created"),
            ("theme.change", "Theme changed"),
            ("theme.delete", "Theme deleted"),
            ("asset.create", "Asset uploaded"),
            ("asset.change", "Asset replaced"),
            ("asset.delete", "Asset deleted"),
        ],
    ),
    group(
        "Domains",
        &[
            ("domain.create", "Domain added"),
            ("domain.verify", "Domain verified"),
            ("domain.fail", "Domain check failed"),
            ("domain.missing", "Record of a domain missing"),
            ("domain.delete", "Domain deleted"),
        ],
    ),
    group(
        "Organization",
        &[
            ("settings.change", "Settings changed"),
            ("subscription.change", "Subscription changed"),
            ("org.create", "Organization created"),
            ("org.change", "Organization changed"),
            ("org.suspend", "Organization suspended"),
            ("org.resume", "Suspension ended"),
        ],
    ),
];

/// Returns the name of an action for people, or the name in the API for an unknown action.
pub fn action_label(action: &str) -> &str {
    let mut all = ACTION_GROUPS.iter().flat_map(|group| group.actions);
    all.find(|(name, _)| *name == action).map_or(action, |(_, label)| *label)
}

/// Returns the name of the actor of an event for people.
pub fn actor_label(event: &Event) -> &str {
    let actor = &event.actor;
    match actor.kind.as_str() {
        "operator" => "Operator, on the command line",
        "system" => "Server",
        "guest" => "Guest",
        _ if actor.name.is_empty() => "Deleted account",
        _ => &actor.name,
    }
}

/// Returns the name of a type of objects for people.
pub fn target_label(kind: &str) -> String {
    match kind {
        "org" => "organization".to_owned(),
        "user" => "account".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Describes the details of an event, one line each: `role: member → admin`.
pub fn describe_details(details: &Value) -> Vec<String> {
    let fields = details.as_object().into_iter().flatten();
    fields.map(|(name, value)| format!("{}: {}", field_label(name), describe(value))).collect()
}

/// Returns the name of a field for people.
fn field_label(name: &str) -> String {
    name.replace('_', " ")
}

/// Describes a value. A change with `from` and `to` has an arrow.
fn describe(value: &Value) -> String {
    if let Value::Object(fields) = value
        && let (Some(from), Some(to), 2) = (fields.get("from"), fields.get("to"), fields.len())
    {
        return format!("{} → {}", describe(from), describe(to));
    }
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(describe).collect::<Vec<_>>().join(", "),
        // A reference to an object.
        Value::Object(fields) if fields.contains_key("id") && fields.contains_key("name") => {
            describe(&fields["name"])
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let (name, value) = (field_label(name), describe(value));
                format!("{name} {value}")
            });
            fields.collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => number.to_string(),
    };
    shorten(text)
}

/// Returns a text, or its beginning with an ellipsis if it is longer than `MAX_VALUE_CHARS`.
fn shorten(text: String) -> String {
    if text.chars().nth(MAX_VALUE_CHARS).is_none() {
        return text;
    }
    text.chars().take(MAX_VALUE_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn details_are_lines_with_old_and_new_values() {
        let details = json!({
            "role": { "from": "member", "to": "admin" },
            "default_theme": { "from": null, "to": "dark" },
            "seats": 5,
            "is_public": true,
            "emails": ["a@example.org", "b@example.org"],
            "grants": [],
            "teams": [{ "id": "7", "name": "North" }],
            "price": { "per_seat": 700, "currency": "EUR" },
        });
        let mut lines = describe_details(&details);
        lines.sort();
        assert_eq!(
            lines,
            [
                "default theme: none → dark",
                "emails: a@example.org, b@example.org",
                "grants: none",
                "is public: yes",
                "price: per seat 700, currency EUR",
                "role: member → admin",
                "seats: 5",
                "teams: North",
            ]
        );
        let long = describe_details(&json!({ "name": "x".repeat(500) }));
        assert_eq!(long[0].chars().count(), "name: ".len() + MAX_VALUE_CHARS);
        assert!(long[0].ends_with('…'), "{}", long[0]);
        assert!(describe_details(&Value::Null).is_empty());
    }

    #[test]
    fn actions_have_one_label_each() {
        let all: Vec<_> = ACTION_GROUPS.iter().flat_map(|group| group.actions).collect();
        let names: BTreeSet<_> = all.iter().map(|(name, _)| name).collect();
        let labels: BTreeSet<_> = all.iter().map(|(_, label)| label).collect();
        assert_eq!((names.len(), labels.len()), (all.len(), all.len()));
        assert_eq!(action_label("team.rename"), "Team renamed");
        assert_eq!(action_label("other.unknown"), "other.unknown");
    }
}
