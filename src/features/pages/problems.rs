//! Explanations of the error codes, for the help pages.

/// Code and explanation, ordered by HTTP status.
const PROBLEMS: &[(&str, &str)] = &[
    (
        "invalid_request",
        "The request cannot be understood or breaks a rule. The detail says which.",
    ),
    (
        "invalid_field",
        "The fields listed in the response are missing, of the wrong type or out of range. Nothing \
         was stored.",
    ),
    (
        "sign_in_required",
        "The request needs a personal API token, a user name and password, or a session.",
    ),
    (
        "payment_required",
        "The organization has no free seat or is suspended. Its administrator or the operator can \
         change that.",
    ),
    ("forbidden", "You can see this but may not change it. Ask its owner for write access."),
    ("not_found", "There is nothing at this address, or you may not see it."),
    (
        "method_not_allowed",
        "The address exists but does not take this method. The Allow header lists those it takes.",
    ),
    ("request_timeout", "The request did not arrive completely in time. Send it again."),
    ("conflict", "The change conflicts with stored data, such as a name in use."),
    (
        "confirmation_required",
        "The request changes the seats or the price of an organization, or creates a managed account. \
         Repeat it with the confirmation in the response, or with that of a check.",
    ),
    (
        "precondition_failed",
        "A newer version was saved after you read this one. Read it again, then repeat your change.",
    ),
    ("too_large", "The request is larger than this server accepts. The detail names the limit."),
    (
        "unsupported_media_type",
        "The route does not accept bodies of this type. Check the Content-Type header.",
    ),
    (
        "too_many_requests",
        "Too many requests in a short time. Wait for the seconds in the Retry-After header.",
    ),
    ("remote_refused", "A remote source refused the request or failed."),
    ("busy", "The queue of the server is full. Try again shortly."),
    (
        "storage_failed",
        "The server cannot read or write its files. The operator finds the cause in its log.",
    ),
    ("remote_timeout", "A remote source did not answer within its deadline."),
    (
        "name_server_failed",
        "The name servers of a domain failed, so that its records are unknown. Nothing was changed. \
         Try again later.",
    ),
    (
        "disk_full",
        "The disk of the server is full. Nothing was stored. Reading, deleting and signing in still \
         work. The operator must free disk space.",
    ),
    (
        "quota_exceeded",
        "The account has no storage left for this. Nothing was stored. Delete documents \
         permanently, or ask the operator for a higher limit.",
    ),
    ("internal", "The server failed to handle the request. Report the request id to its operator."),
];

/// Returns the explanation of an error code, or None for an unknown one. The text is one or more
/// plain English sentences.
pub fn find_explanation(code: &str) -> Option<&'static str> {
    PROBLEMS.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_an_explanation() {
        let source = include_str!("../../platform/error.rs");
        // Rows such as `(409, "conflict", "Conflict")`.
        let codes = source.split("(4").chain(source.split("(5")).filter_map(|row| {
            let (status, rest) = row.split_once(", \"")?;
            let is_status = status.len() == 2 && status.bytes().all(|byte| byte.is_ascii_digit());
            is_status.then(|| rest.split('"').next().unwrap())
        });
        let codes: Vec<&str> = codes.collect();
        assert!(codes.len() >= 20 && codes.contains(&"conflict"), "{codes:?}");
        let missing: Vec<&&str> =
            codes.iter().filter(|code| find_explanation(code).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(find_explanation("nonsense").is_none());
    }
}
