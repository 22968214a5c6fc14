//! Errors of the provider, and responses without a meaning.

use std::time::Duration;
use std::time::Instant;

use chartroom_cloud::CloudError;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use chartroom_platform::remote::Deadline;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::onedrive::DRIVE;
use serde_json::json;

use crate::Fixture;

#[test]
fn wrong_ids_and_types_are_errors() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder("root", "Folder");
    let missing = format!("{DRIVE}/01STANDINmissing");
    for id in ["", "/", "x", "a/", "/b", "../..", "a/..", "x/y", "a/b?c#d/e", &missing] {
        assert_eq!(session.file(id), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.update_file(id, b"x", None), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.fetch_source(id, None), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.list_folder(id, None), Err(CloudError::NotFound), "{id}");
    }
    for id in [ROOT_FOLDER, &folder] {
        assert!(matches!(session.file(id), Err(CloudError::WrongType(_))));
        assert!(matches!(session.read_file(id, 10), Err(CloudError::WrongType(_))));
        assert!(matches!(session.update_file(id, b"", None), Err(CloudError::WrongType(_))));
        assert!(matches!(session.rename_file(id, "x", None), Err(CloudError::WrongType(_))));
        assert!(matches!(session.fetch_source(id, None), Err(CloudError::WrongType(_))));
    }
}

#[test]
fn expired_and_revoked_tokens_are_unauthorized() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("root", "a.csv", b"a");
    fixture.change(|state| state.oauth.expire_access());
    assert_eq!(session.account(), Err(CloudError::Unauthorized));
    assert_eq!(session.file(&id), Err(CloudError::Unauthorized));
    assert_eq!(session.list_folder(ROOT_FOLDER, None), Err(CloudError::Unauthorized));
    let deadline = Deadline::after(Duration::from_secs(5));
    let tokens =
        oauth::refresh(&fixture.settings, &fixture.client, &fixture.refresh, deadline).unwrap();
    let session = Session { access_token: &tokens.access, ..fixture.session() };
    session.account().unwrap();
    fixture.change(|state| state.oauth.revoke(tokens.access.reveal()));
    assert_eq!(session.account(), Err(CloudError::Unauthorized));
    let read_only = fixture.change(|state| state.oauth.grant("User.Read").access).into();
    let session = Session { access_token: &read_only, ..fixture.session() };
    session.account().unwrap();
    assert_eq!(session.file(&id), Err(CloudError::Forbidden));
    let files_only = fixture.change(|state| state.oauth.grant("Files.ReadWrite").access).into();
    let session = Session { access_token: &files_only, ..fixture.session() };
    assert_eq!(session.account(), Err(CloudError::MissingScope));
}

#[test]
fn busy_provider_gets_a_second_request() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let busy = |status, seconds: &str| {
        let body = json!({"error": {"code": "activityLimitReached", "message": ""}});
        Response::json(status, &body).with("Retry-After", seconds)
    };
    for status in [429, 503] {
        fixture.fail(vec![busy(status, "1")]);
        let start = Instant::now();
        session.account().unwrap();
        assert!(start.elapsed() >= Duration::from_secs(1));
    }
    fixture.fail(vec![busy(429, "3600"), busy(509, "7200")]);
    let before = fixture.count("GET /v1.0/me +token");
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(3600) }));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(7200) }));
    assert_eq!(fixture.count("GET /v1.0/me +token"), before + 2);
}

#[test]
fn errors_have_meanings() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let error = |status, code: &str, inner: &str| {
        let inner = json!({"code": inner, "innererror": {"date": "2026"}});
        let error = json!({"code": code, "message": "secret", "innerError": inner});
        Response::json(status, &json!({"error": error}))
    };
    let rejected = |status, code: &str| CloudError::Rejected { status, code: code.to_owned() };
    let cases = [
        (error(403, "accessDenied", "x"), CloudError::Forbidden),
        (error(403, "notAllowed", "quotaLimitReached"), CloudError::Full),
        (error(507, "x", "x"), CloudError::Full),
        (error(423, "notAllowed", "resourceLocked"), CloudError::Locked),
        (error(409, "invalidRequest", "resourceCheckedOut"), CloudError::Locked),
        (error(412, "notAllowed", "x"), CloudError::RevisionConflict),
        (error(400, "invalidRequest", "invalidResourceId"), CloudError::NotFound),
        (error(413, "x", "x"), CloudError::TooLarge),
        (error(400, "invalid\nRequest<b>", "x"), rejected(400, "invalidRequestb")),
        (error(500, "generalException", "x"), rejected(500, "generalException")),
        (Response::text(502, "<html>secret"), rejected(502, "")),
        (Response::json(500, &json!({"error": ["code"]})), rejected(500, "")),
        (Response::text(404, ""), CloudError::NotFound),
    ];
    for (index, (response, expected)) in cases.into_iter().enumerate() {
        fixture.fail(vec![response]);
        assert_eq!(session.account(), Err(expected), "{index}");
    }
}

#[test]
fn broken_responses_are_errors() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("root", "a.csv", &[b'a'; 1_000]);
    let html = || Response::text(200, "<html>Sign in</html>").with("Content-Type", "text/html");
    for body in
        [html(), Response::empty(200), Response::json(200, &json!([1])), Response::empty(204)]
    {
        fixture.fail(vec![body.clone(), body.clone(), body]);
        assert_eq!(session.account(), Err(CloudError::Unreadable));
        assert_eq!(session.list_folder(ROOT_FOLDER, None), Err(CloudError::Unreadable));
        assert_eq!(session.file(&id), Err(CloudError::Unreadable));
    }
    let body = json!({"id": "1", "name": "a", "file": {}, "size": -1});
    fixture.fail(vec![Response::json(200, &body)]);
    assert_eq!(session.file(&id), Err(CloudError::Unreadable));
    let body = json!({"id": "1", "name": "a", "file": {}, "cTag": "c", "parentReference": null});
    fixture.fail(vec![Response::json(200, &body)]);
    assert_eq!(session.file(&id), Err(CloudError::Unreadable));
    let body = json!({"value": [{}, {"name": "x"}, {"name": "x", "file": {}}], "further": 1});
    fixture.fail(vec![Response::json(200, &body)]);
    assert_eq!(session.list_folder(ROOT_FOLDER, None).unwrap().entries, []);

    let body = json!({"id": "1", "mail": "a@b.c"});
    let truncated = Response { is_truncated: true, ..Response::json(200, &body) };
    fixture.fail(vec![truncated]);
    assert!(matches!(session.account(), Err(CloudError::Unreachable(_))));
    fixture.behave(|behavior| behavior.truncated_downloads = 1);
    assert!(matches!(session.fetch_source(&id, None), Err(CloudError::Unreachable(_))));
    let large = Response::file(vec![b' '; (8 << 20) + 1]);
    fixture.fail(vec![large]);
    assert_eq!(session.account(), Err(CloudError::TooLarge));
}

#[test]
fn deadline_ends_requests() {
    let fixture = Fixture::new();
    let deadline = Deadline::after(Duration::from_millis(300));
    let session = Session { deadline, ..fixture.session() };
    let slow = Response { delay: Duration::from_secs(3), ..Response::json(200, &json!({})) };
    fixture.fail(vec![slow]);
    assert_eq!(session.account(), Err(CloudError::Timeout));
    assert_eq!(session.account(), Err(CloudError::Timeout));
}
