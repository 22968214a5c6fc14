//! What the codes of errors mean and what to do about them, for the help pages.

/// Code and explanation, in the order of the statuses.
const PROBLEMS: &[(&str, &str)] = &[
    (
        "invalid_request",
        "The request cannot be understood or breaks a rule. The detail says which.",
    ),
    (
        "invalid_field",
        "The fields listed in the answer are missing, of the wrong type or out of range. Nothing \
         was stored.",
    ),
    (
        "sign_in_required",
        "The call needs a personal API token, a user name and password, or a session.",
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
    ("conflict", "The change clashes with what is already there, such as a name in use."),
    (
        "precondition_failed",
        "Somebody saved a newer version since you read it. Read it again, then repeat your change.",
    ),
    ("too_large", "The request is larger than this server accepts. The detail names the limit."),
    (
        "unsupported_media_type",
        "The call does not read bodies of this type. Check the Content-Type header.",
    ),
    (
        "too_many_requests",
        "Too many requests in a short time. Wait for the seconds in the Retry-After header.",
    ),
    ("remote_refused", "A remote source refused the request or failed."),
    ("busy", "The server has more to do than it can queue. Try again shortly."),
    ("remote_timeout", "A remote source did not answer within its deadline."),
    ("disk_full", "The server's disk is full. Nothing was stored; its operator has to make room."),
    ("internal", "Something went wrong on the server. Tell its operator the request id."),
];

/// What a code means; `None` for an unknown one.
pub fn explanation(code: &str) -> Option<&'static str> {
    PROBLEMS.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::error::Error;

    #[test]
    fn every_error_that_an_answer_can_carry_is_explained() {
        let text = String::new;
        let all = [
            Error::Invalid(text()),
            Error::Fields(Vec::new()),
            Error::SignIn(""),
            Error::Payment(text()),
            Error::Forbidden(text()),
            Error::NotFound(""),
            Error::Method(text()),
            Error::Slow,
            Error::Conflict(text()),
            Error::TooLarge(text()),
            Error::MediaType(text()),
            Error::TooMany(1),
            Error::RemoteRefused(text()),
            Error::Busy,
            Error::RemoteTimeout,
            Error::DiskFull,
            Error::internal(""),
        ];
        for error in all {
            assert!(explanation(error.code()).is_some(), "{}", error.code());
        }
        assert!(explanation("precondition_failed").is_some());
        assert!(explanation("nonsense").is_none());
    }
}
