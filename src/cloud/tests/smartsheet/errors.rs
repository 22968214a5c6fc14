//! Errors of the API, and the hosts that receive the token.

use std::time::Instant;

use chartroom_cloud::CloudError;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_stand_ins::http::Response;
use serde_json::json;

use super::setup::Setup;

/// Returns an error in the form of Smartsheet.
fn error(status: u16, code: u32) -> Response {
    Response::json(status, &json!({"errorCode": code, "message": "secret", "refId": "r"}))
}

#[test]
fn expired_and_revoked_tokens_are_unauthorized() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    setup.stand_in.lock().oauth.expire_access();
    let session = setup.session();
    let id = format!("sheet:{sheet}");
    assert_eq!(session.account(), Err(CloudError::Unauthorized));
    assert_eq!(session.folder(&id), Err(CloudError::Unauthorized));
    assert_eq!(session.list_folder(ROOT_FOLDER, None), Err(CloudError::Unauthorized));
    assert_eq!(session.create_file(&id, "a", b""), Err(CloudError::Unauthorized));
    assert_eq!(session.fetch_source(&id, None), Err(CloudError::Unauthorized));

    let mut setup = Setup::new();
    setup.stand_in.lock().oauth.revoke(setup.token.reveal());
    assert_eq!(setup.session().account(), Err(CloudError::Unauthorized));
    setup.token = "never issued".to_owned().into();
    assert_eq!(setup.session().account(), Err(CloudError::Unauthorized));
}

#[test]
fn missing_scopes_are_forbidden() {
    let mut setup = Setup::new();
    let (.., sheet) = setup.example();
    setup.token = setup.stand_in.lock().oauth.grant("READ_SHEETS").access.into();
    let id = format!("sheet:{sheet}");
    assert!(setup.session().list_folder(&id, None).is_ok());
    let result = setup.session().create_file(&id, "a", b"");
    assert_eq!(result, Err(CloudError::Forbidden));
}

#[test]
fn a_short_pause_leads_to_a_second_attempt() {
    let setup = Setup::new();
    let started = Instant::now();
    setup.inject(error(429, 4003).with("Retry-After", "1"));
    assert!(setup.session().account().is_ok());
    assert!(started.elapsed().as_millis() >= 1_000);
    assert_eq!(setup.take_log().len(), 2);
}

#[test]
fn a_long_pause_is_busy() {
    let setup = Setup::new();
    setup.inject(error(429, 4003).with("Retry-After", "3600"));
    let result = setup.session().account();
    assert_eq!(result, Err(CloudError::Busy { retry_after: Some(3_600) }));
    assert_eq!(setup.take_log().len(), 1);
}

#[test]
fn uploads_that_may_be_executed_are_not_repeated() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    // The first request is that for the names.
    let page = json!({"pageNumber": 1, "totalPages": 1, "data": []});
    setup.inject(error(500, 4004));
    setup.inject(Response::json(200, &page));
    let result = setup.session().create_file(&format!("sheet:{sheet}"), "a", b"");
    assert_eq!(result, Err(CloudError::Rejected { status: 500, code: "retry".to_owned() }));
    assert_eq!(setup.take_log().len(), 2);
}

#[test]
fn other_errors_have_the_code_only() {
    let setup = Setup::new();
    let rejected = |status: u16, code: &str| CloudError::Rejected { status, code: code.to_owned() };
    for (response, expected) in [
        (error(403, 1004), CloudError::Forbidden),
        (error(404, 1006), CloudError::NotFound),
        (error(400, 1012), rejected(400, "1012")),
        (error(500, 4000), rejected(500, "4000")),
        (Response::text(502, "<html>Bad gateway</html>"), rejected(502, "")),
        (Response::text(413, ""), CloudError::TooLarge),
        (Response::json(400, &json!({"errorCode": "x"})), rejected(400, "")),
        (Response::text(200, "<html>Sign in</html>"), CloudError::Unreadable),
        (Response::json(200, &json!({"id": "1", "email": "a"})), CloudError::Unreadable),
        (Response::json(200, &json!({"id": 1.5, "email": "a"})), CloudError::Unreadable),
        (Response::empty(204), CloudError::Unreadable),
    ] {
        setup.inject(response);
        assert_eq!(setup.session().account(), Err(expected));
    }
    setup.inject(error(400, 1018));
    let result = setup.session().list_folder(ROOT_FOLDER, None);
    assert_eq!(result, Err(rejected(400, "1018")));
}

#[test]
fn truncated_responses_fail() {
    let setup = Setup::new();
    let body = json!({"id": 1, "email": "ann@example.com"});
    setup.inject(Response { is_truncated: true, ..Response::json(200, &body) });
    let result = setup.session().account();
    assert!(
        matches!(result, Err(CloudError::Unreachable(_) | CloudError::Unreadable)),
        "{result:?}"
    );
}

#[test]
fn the_token_goes_only_to_the_api() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let other = Setup::new();
    setup.inject(Response::redirect(&format!("{}/2.0/users/me", other.settings.api_url)));
    assert_eq!(setup.session().account(), Err(CloudError::Unreadable));
    // A download URL on another host is reached without the token.
    let url = format!("{}/2.0/users/me", other.settings.api_url);
    let version =
        json!({"id": 4, "name": "a", "attachmentType": "FILE", "sizeInKb": 1, "url": url});
    setup.inject(Response::json(200, &version));
    let page = json!({"pageNumber": 1, "totalPages": 1, "data": [version]});
    setup.inject(Response::json(200, &page));
    let result = setup.session().read_file(&format!("attachment:{sheet}/4"), 1_000);
    assert!(matches!(result, Err(CloudError::Rejected { status: 401, .. })), "{result:?}");
    assert_eq!(other.take_log(), ["GET /2.0/users/me"]);
}
