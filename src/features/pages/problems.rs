//! Explanations of the error codes, for the page of an error and the help pages.

use chartroom_platform::language;

/// Code and key of the explanation, ordered by HTTP status.
const PROBLEMS: &[(&str, &str)] = &[
    ("invalid_request", "errors.invalidRequest"),
    ("invalid_field", "errors.invalidField"),
    ("sign_in_required", "errors.signInRequired"),
    ("second_factor_required", "errors.secondFactorRequired"),
    ("second_factor_wrong", "errors.secondFactorWrong"),
    ("payment_required", "errors.paymentRequired"),
    ("forbidden", "errors.forbidden"),
    ("second_factor_setup_required", "errors.secondFactorSetupRequired"),
    ("not_found", "errors.notFound"),
    ("method_not_allowed", "errors.methodNotAllowed"),
    ("request_timeout", "errors.requestTimeout"),
    ("conflict", "errors.conflict"),
    ("confirmation_required", "errors.confirmationRequired"),
    ("precondition_failed", "errors.preconditionFailed"),
    ("too_large", "errors.tooLarge"),
    ("unsupported_media_type", "errors.unsupportedMediaType"),
    ("too_many_requests", "errors.tooManyRequests"),
    ("remote_refused", "errors.remoteRefused"),
    ("reconnect_required", "errors.reconnectRequired"),
    ("revision_conflict", "errors.revisionConflict"),
    ("cursor_expired", "errors.cursorExpired"),
    ("remote_forbidden", "errors.remoteForbidden"),
    ("remote_full", "errors.remoteFull"),
    ("remote_locked", "errors.remoteLocked"),
    ("remote_busy", "errors.remoteBusy"),
    ("remote_unreadable", "errors.remoteUnreadable"),
    ("remote_failed", "errors.remoteFailed"),
    ("busy", "errors.busy"),
    ("storage_failed", "errors.storageFailed"),
    ("remote_timeout", "errors.remoteTimeout"),
    ("name_server_failed", "errors.nameServerFailed"),
    ("disk_full", "errors.diskFull"),
    ("quota_exceeded", "errors.quotaExceeded"),
    ("internal", "errors.internal"),
];

/// Returns the explanation of an error code, or None for an unknown one. The text is one or more
/// plain sentences.
pub fn find_explanation(code: &str) -> Option<&'static str> {
    PROBLEMS.iter().find(|(known, _)| *known == code).map(|(_, key)| language::text(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_an_explanation() {
        let source = include_str!("../../platform/error.rs");
        // Rows such as `(409, "conflict", "Conflict")`.
        let rows = source.split("(4").chain(source.split("(5")).filter_map(|row| {
            let (status, rest) = row.split_once(", \"")?;
            let is_status = status.len() == 2 && status.bytes().all(|byte| byte.is_ascii_digit());
            let mut literals = rest.split('"').step_by(2);
            is_status.then(|| (literals.next().unwrap(), literals.next().unwrap()))
        });
        let rows: Vec<(&str, &str)> = rows.collect();
        assert!(rows.len() >= 20 && rows.contains(&("conflict", "Conflict")), "{rows:?}");
        for (code, _) in rows {
            let explanation = find_explanation(code).unwrap();
            assert!(!explanation.starts_with("errors."), "{explanation}");
        }
        assert!(find_explanation("nonsense").is_none());
    }
}
