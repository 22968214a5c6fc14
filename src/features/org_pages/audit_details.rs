//! Texts for people about the objects and the details of events of the audit log.

use serde_json::Value;

use chartroom_platform::language;

/// Number of characters of a value in the details of an event.
const MAX_VALUE_CHARS: usize = 120;

/// Types of objects in the API, and keys of their names.
const TARGETS: &[(&str, &str)] = &[
    ("asset", "audit-details.targetAsset"),
    ("cast", "audit-details.targetCast"),
    ("document", "audit-details.targetDocument"),
    ("domain", "audit-details.targetDomain"),
    ("folder", "audit-details.targetFolder"),
    ("invite", "audit-details.targetInvite"),
    ("org", "audit-details.targetOrg"),
    ("sso", "audit-details.targetSso"),
    ("team", "audit-details.targetTeam"),
    ("theme", "audit-details.targetTheme"),
    ("token", "audit-details.targetToken"),
    ("user", "audit-details.targetUser"),
];

/// Fields of the details, and keys of their names.
const FIELDS: &[(&str, &str)] = &[
    ("allow_idp_initiated", "audit-details.allowIdpInitiated"),
    ("allow_relink", "audit-details.allowRelink"),
    ("auto_invite_domain_users", "audit-details.autoInviteDomainUsers"),
    ("auto_update_seat_count", "audit-details.autoUpdateSeatCount"),
    ("auto_update_seat_count_limit", "audit-details.autoUpdateSeatCountLimit"),
    ("avatar_url", "audit-details.avatarUrl"),
    ("by", "audit-details.by"),
    ("cancel_at_period_end", "audit-details.cancelAtPeriodEnd"),
    ("casts", "audit-details.casts"),
    ("certificates", "audit-details.certificates"),
    ("code", "audit-details.code"),
    ("content_type", "audit-details.contentType"),
    ("copy_of", "audit-details.copyOf"),
    ("currency", "audit-details.currency"),
    ("current_period_end", "audit-details.currentPeriodEnd"),
    ("default_theme", "audit-details.defaultTheme"),
    ("disable_document_storage", "audit-details.disableDocumentStorage"),
    ("disable_public_documents", "audit-details.disablePublicDocuments"),
    ("disable_unmanaged_accounts", "audit-details.disableUnmanagedAccounts"),
    ("disabled", "audit-details.disabled"),
    ("document", "audit-details.document"),
    ("documents", "audit-details.documents"),
    ("email", "audit-details.email"),
    ("enforce_sso", "audit-details.enforceSso"),
    ("entity_id", "audit-details.entityId"),
    ("expires_at", "audit-details.expiresAt"),
    ("external_invites", "audit-details.externalInvites"),
    ("family_name", "audit-details.familyName"),
    ("flat_fee", "audit-details.flatFee"),
    ("folder", "audit-details.folder"),
    ("format", "audit-details.format"),
    ("from", "audit-details.from"),
    ("from_owner", "audit-details.fromOwner"),
    ("given_name", "audit-details.givenName"),
    ("kind", "audit-details.kind"),
    ("layouts", "audit-details.layouts"),
    ("members", "audit-details.members"),
    ("method", "audit-details.method"),
    ("missing_since", "audit-details.missingSince"),
    ("mode", "audit-details.mode"),
    ("name", "audit-details.name"),
    ("nodes", "audit-details.nodes"),
    ("operator", "audit-details.operator"),
    ("per_seat", "audit-details.perSeat"),
    ("period", "audit-details.period"),
    ("period_interval", "audit-details.periodInterval"),
    ("plan", "audit-details.plan"),
    ("previous_source", "audit-details.previousSource"),
    ("previous_status", "audit-details.previousStatus"),
    ("price", "audit-details.price"),
    ("reason", "audit-details.reason"),
    ("recipient", "audit-details.recipient"),
    ("request_id", "audit-details.requestId"),
    ("role", "audit-details.role"),
    ("rotated", "audit-details.rotated"),
    ("scope", "audit-details.scope"),
    ("seats", "audit-details.seats"),
    ("sessions", "audit-details.sessions"),
    ("share", "audit-details.share"),
    ("shares", "audit-details.shares"),
    ("sign_in_url", "audit-details.signInUrl"),
    ("size", "audit-details.size"),
    ("slug", "audit-details.slug"),
    ("source", "audit-details.source"),
    ("sso_id", "audit-details.ssoId"),
    ("started_at", "audit-details.startedAt"),
    ("subscription", "audit-details.subscription"),
    ("team", "audit-details.team"),
    ("team_count", "audit-details.teamCount"),
    ("teams", "audit-details.teams"),
    ("title", "audit-details.title"),
    ("to", "audit-details.to"),
    ("to_owner", "audit-details.toOwner"),
    ("trial_ends_at", "audit-details.trialEndsAt"),
    ("user", "audit-details.user"),
    ("user_id", "audit-details.userId"),
    ("username", "audit-details.username"),
    ("worksheet", "audit-details.sheet"),
];

/// Values of fields that are one of a few words: field, value, and key of the text.
const VALUES: &[(&str, &str, &str)] = &[
    ("by", "link", "audit-details.byLink"),
    ("method", "basic", "audit-details.methodBasic"),
    ("mode", "r", "audit-details.modeRead"),
    ("mode", "w", "audit-details.modeWrite"),
    ("period", "month", "audit-details.periodMonth"),
    ("period", "year", "audit-details.periodYear"),
    ("previous_status", "failed", "audit-details.statusFailed"),
    ("previous_status", "pending", "audit-details.statusPending"),
    ("previous_status", "verified", "audit-details.statusVerified"),
    ("reason", "account disabled", "audit-details.reasonDisabled"),
    ("reason", "the person became a member without it", "audit-details.reasonMember"),
    ("reason", "wrong password", "audit-details.reasonPassword"),
    ("recipient", "email", "audit-details.recipientEmail"),
    ("recipient", "link", "audit-details.recipientLink"),
    ("recipient", "team", "audit-details.recipientTeam"),
    ("recipient", "user", "audit-details.recipientUser"),
    ("role", "admin", "organization.roleAdmin"),
    ("role", "brand_manager", "organization.roleBrandManager"),
    ("role", "member", "organization.roleMember"),
];

/// Returns the name of a type of objects for people.
pub fn target_label(kind: &str) -> String {
    find_label(TARGETS, kind)
}

/// Describes the details of an event, one line each: `role: Member → Admin`.
pub fn describe_details(details: &Value) -> Vec<String> {
    let fields = details.as_object().into_iter().flatten();
    let line = |(name, value): (&String, &Value)| {
        let text = language::fill("audit-log.detailLine").with("field", find_label(FIELDS, name));
        text.with("value", describe(name, value)).into()
    };
    fields.map(line).collect()
}

/// Returns the text of a name, or the name in words if there is no text for it.
fn find_label(labels: &[(&str, &'static str)], name: &str) -> String {
    match labels.iter().find(|(known, _)| *known == name) {
        Some((_, key)) => language::text(key).to_owned(),
        None => name.replace('_', " "),
    }
}

/// Describes the value of a field. A change with `from` and `to` has an arrow.
fn describe(field: &str, value: &Value) -> String {
    if let Value::Object(fields) = value
        && let (Some(from), Some(to), 2) = (fields.get("from"), fields.get("to"), fields.len())
    {
        return format!("{} → {}", describe(field, from), describe(field, to));
    }
    let list = |items: Vec<String>| items.join(", ");
    let none = || language::text("audit-log.valueNone").to_owned();
    let text = match value {
        Value::Null => none(),
        Value::Bool(true) => language::text("audit-log.valueYes").to_owned(),
        Value::Bool(false) => language::text("audit-log.valueNo").to_owned(),
        Value::String(text) if text.is_empty() => none(),
        Value::String(text) => describe_text(field, text),
        Value::Array(items) if items.is_empty() => none(),
        Value::Array(items) => list(items.iter().map(|item| describe(field, item)).collect()),
        // A reference to an object.
        Value::Object(fields) if fields.contains_key("id") && fields.contains_key("name") => {
            describe("name", &fields["name"])
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let (label, value) = (find_label(FIELDS, name), describe(name, value));
                format!("{label} {value}")
            });
            list(fields.collect())
        }
        Value::Number(number) => number.to_string(),
    };
    shorten(text)
}

/// Describes a text value of a field.
fn describe_text(field: &str, value: &str) -> String {
    let found = VALUES.iter().find(|(name, known, _)| *name == field && *known == value);
    found.map_or(value, |(_, _, key)| language::text(key)).to_owned()
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
    use chartroom_platform::language::Language;
    use serde_json::json;

    use super::*;

    /// Returns the lines of some details, sorted.
    fn describe_sorted(details: &Value) -> Vec<String> {
        let mut lines = describe_details(details);
        lines.sort();
        lines
    }

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
        assert_eq!(
            describe_sorted(&details),
            [
                "default theme: none → dark",
                "emails: a@example.org, b@example.org",
                "grants: none",
                "is public: yes",
                "price: per seat 700, currency EUR",
                "role: Member → Admin",
                "seats: 5",
                "teams: North",
            ]
        );
        let long = describe_details(&json!({ "name": "x".repeat(500) }));
        assert_eq!(long[0].chars().count(), "name: ".len() + MAX_VALUE_CHARS);
        assert!(long[0].ends_with('…'), "{}", long[0]);
        assert!(describe_details(&Value::Null).is_empty());
        assert_eq!(target_label("user"), "account");
    }

    #[test]
    fn german_details_have_german_fields_and_words_but_the_same_names() {
        language::set_current(Language::German);
        let details = json!({
            "role": { "from": "brand_manager", "to": "admin" },
            "disable_public_documents": { "from": false, "to": true },
            "teams": [],
            "name": "member",
            "new_field": "none",
        });
        assert_eq!(
            describe_sorted(&details),
            [
                "Name: member",
                "Rolle: Markenmanager → Admin",
                "Teams: leer",
                "alle Dokumente privat halten: nein → ja",
                "new field: none",
            ]
        );
        assert_eq!((target_label("user").as_str(), target_label("x_y").as_str()), ("Konto", "x y"));
    }

    #[test]
    fn english_fields_have_their_names_in_the_api_and_roles_those_of_the_page_of_members() {
        for (name, key) in FIELDS {
            assert_eq!(language::text(key), name.replace('_', " "));
        }
        for (_, value, key) in VALUES.iter().filter(|(field, ..)| *field != "role") {
            assert_eq!(language::text(key), *value);
        }
        let roles = ["admin", "brand_manager", "member"]
            .map(|role| describe_details(&json!({ "role": role })));
        assert_eq!(roles.concat(), ["role: Admin", "role: Brand manager", "role: Member"]);
    }
}
