//! Failures of Google Drive and of the network.

use std::time::Duration;
use std::time::Instant;

use chartroom_cloud::CloudError;
use chartroom_cloud::CloudResult;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_platform::remote::Deadline;
use chartroom_stand_ins::http::Response;
use serde_json::json;

use super::Fixture;

/// Sends a request with each function and returns the errors.
fn call_all(session: &Session<'_>, file: &str, folder: &str) -> Vec<Option<CloudError>> {
    fn error<T>(result: CloudResult<T>) -> Option<CloudError> {
        result.err()
    }
    let link = format!("https://drive.google.com/file/d/{file}/view");
    vec![
        error(session.account()),
        error(session.folder(folder)),
        error(session.folder(ROOT_FOLDER)),
        error(session.list_folder(folder, None)),
        error(session.list_folder(folder, Some("[\"root\",null,\"x\"]"))),
        error(session.create_folder(folder, "new")),
        error(session.delete_folder(folder)),
        error(session.create_file(folder, "new.json", b"1")),
        error(session.update_file(file, b"1", None)),
        error(session.update_file(file, b"1", Some("0"))),
        error(session.file(file)),
        error(session.read_file(file, 10)),
        error(session.rename_file(file, "new.json", None)),
        error(session.fetch_source(file, None)),
        error(session.fetch_link(&link, None)),
    ]
}

/// Returns an error with a reason.
fn error(status: u16, reason: &str) -> Response {
    let cause = json!({"domain": "global", "reason": reason, "message": "secret"});
    let body = json!({"error": {"code": status, "message": "secret", "errors": [cause]}});
    Response::json(status, &body)
}

#[test]
fn tokens_expire_and_are_revoked() {
    let fixture = Fixture::new();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    fixture.stand_in.lock().oauth.expire_access();
    let errors = call_all(&fixture.session(), &file, &folder);
    assert!(errors.iter().all(|error| *error == Some(CloudError::Unauthorized)), "{errors:?}");
    let revoked = Fixture::new();
    let token = revoked.token.reveal().to_owned();
    revoked.stand_in.lock().oauth.revoke(&token);
    let errors = call_all(&revoked.session(), &file, &folder);
    assert!(errors.iter().all(|error| *error == Some(CloudError::Unauthorized)), "{errors:?}");
}

#[test]
fn scopes_can_be_missing() {
    let fixture = Fixture::new();
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    let set_scope = |scope: &str| {
        for grant in &mut fixture.stand_in.lock().oauth.grants {
            grant.scope = format!("openid https://www.googleapis.com/auth/{scope}");
        }
    };
    set_scope("calendar");
    assert_eq!(fixture.session().file(&file), Err(CloudError::MissingScope));
    set_scope("drive.readonly");
    assert!(fixture.session().file(&file).is_ok());
    let update = fixture.session().update_file(&file, b"2", None);
    assert_eq!(update, Err(CloudError::MissingScope));
    fixture.fail(error(403, "insufficientPermissions"));
    assert_eq!(fixture.session().account(), Err(CloudError::MissingScope));
}

#[test]
fn busy_requests_are_repeated_once() {
    let fixture = Fixture::new();
    let session = fixture.session();
    fixture.fail(error(429, "rateLimitExceeded").with("Retry-After", "1"));
    let start = Instant::now();
    assert!(session.account().is_ok());
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(fixture.count("/drive/v3/about"), 2);
    for reason in ["rateLimitExceeded", "userRateLimitExceeded"] {
        fixture.fail(error(403, reason));
        assert!(session.account().is_ok());
    }
    fixture.fail(error(403, "userRateLimitExceeded"));
    fixture.fail(error(403, "userRateLimitExceeded"));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: None }));
    let start = Instant::now();
    fixture.fail(Response::text(429, "slow down").with("Retry-After", "3600"));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(3_600) }));
    assert!(start.elapsed() < Duration::from_secs(1));
    fixture.fail(error(503, "backendError").with("Retry-After", "20"));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(20) }));
}

#[test]
fn creations_are_not_repeated_after_server_errors() {
    let fixture = Fixture::new();
    let session = fixture.session();
    // The last fault is the first response: parent and search succeed, the creation fails.
    let ok = json!({"id": "p", "mimeType": "application/vnd.google-apps.folder"});
    let fail_creation = |fault: Response| {
        fixture.fail(fault);
        fixture.fail(Response::json(200, &json!({"files": []})));
        fixture.fail(Response::json(200, &ok));
    };
    let rejected = CloudError::Rejected { status: 503, code: String::new() };
    fail_creation(error(503, "backendError"));
    assert_eq!(session.create_file(ROOT_FOLDER, "a", b"1"), Err(rejected.clone()));
    assert_eq!(fixture.count("POST /upload/drive/v3/files"), 1);
    fail_creation(error(503, "backendError"));
    assert_eq!(session.create_folder(ROOT_FOLDER, "a"), Err(rejected));
    assert_eq!(fixture.count("POST /drive/v3/files"), 1);
    // A rate limit has not created anything.
    fail_creation(error(403, "rateLimitExceeded"));
    let created = session.create_folder("root", "a");
    // The stand-in has no folder with the id of the fault.
    assert_eq!(created, Err(CloudError::NotFound));
    assert_eq!(fixture.count("POST /drive/v3/files"), 3);
}

#[test]
fn errors_are_classified() {
    let fixture = Fixture::new();
    let rejected = |status, code: &str| CloudError::Rejected { status, code: code.to_owned() };
    let cases = [
        (403, "storageQuotaExceeded", CloudError::Full),
        (403, "quotaExceeded", CloudError::Full),
        (403, "exportSizeLimitExceeded", CloudError::TooLarge),
        (413, "uploadTooLarge", CloudError::TooLarge),
        (403, "insufficientFilePermissions", CloudError::Forbidden),
        (403, "appNotAuthorizedToFile", CloudError::Forbidden),
        (403, "domainPolicy", CloudError::Forbidden),
        (403, "cannotDownloadAbusiveFile", CloudError::Forbidden),
        (403, "", CloudError::Forbidden),
        (403, "accessNotConfigured", rejected(403, "accessNotConfigured")),
        (404, "notFound", CloudError::NotFound),
        (412, "conditionNotMet", CloudError::RevisionConflict),
        (423, "", CloudError::Locked),
        (400, "badRequest", rejected(400, "badRequest")),
        (400, "a b\r\nc\"<", rejected(400, "abc")),
        (500, "internalError", rejected(500, "internalError")),
        (502, "", rejected(502, "")),
    ];
    for (status, reason, wanted) in cases {
        fixture.fail(error(status, reason));
        assert_eq!(fixture.session().account(), Err(wanted), "{status} {reason}");
    }
    for body in ["", "null", "[]", "{\"error\":\"x\"}", "{\"error\":{\"errors\":[1]}}", "<html>"] {
        fixture.fail(Response::text(400, body));
        assert_eq!(fixture.session().account(), Err(rejected(400, "")), "{body}");
    }
}

#[test]
fn other_responses_are_unreadable() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let long = "[".repeat(100_000);
    let bodies = [
        "<!doctype html><title>Sign in</title>",
        "",
        "null",
        "[]",
        "{}",
        "{\"files\":{}}",
        "{\"id\":1,\"user\":{\"permissionId\":1}}",
        "{\"id\":\"x\",\"parents\":7}",
        &long,
    ];
    for body in bodies {
        let fault = Response::text(200, body);
        fixture.stand_in.lock().faults = vec![fault.clone(); 100];
        let errors = call_all(&session, &file, &folder);
        let is_wanted = |error: &Option<CloudError>| {
            matches!(error, Some(CloudError::Unreadable | CloudError::WrongType(_)))
        };
        assert!(errors.iter().all(is_wanted), "{body:.40} {errors:?}");
        fixture.stand_in.lock().faults.clear();
    }
}

#[test]
fn truncated_and_redirected_responses_fail() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    let body = json!({"user": {"permissionId": "1", "emailAddress": "x"}});
    fixture.fail(Response { is_truncated: true, ..Response::json(200, &body) });
    let result = session.account();
    assert!(
        matches!(result, Err(CloudError::Unreachable(_) | CloudError::Unreadable)),
        "{result:?}"
    );
    let content = vec![b'x'; 100];
    fixture.stand_in.lock().tree.set_content(&file, &content);
    let metadata = json!({"id": file, "name": "a", "headRevisionId": "1"});
    fixture.fail(Response { is_truncated: true, ..Response::file(content) });
    fixture.fail(Response::json(200, &metadata));
    let result = session.read_file(&file, 1_000);
    assert!(matches!(result, Err(CloudError::Unreachable(_))), "{result:?}");
    // A redirect of the metadata is not followed.
    fixture.fail(Response::redirect("http://127.0.0.1:9/"));
    assert_eq!(session.account(), Err(CloudError::Unreadable));
}

#[test]
fn large_responses_and_silence_end() {
    let fixture = Fixture::new();
    fixture.fail(Response::text(200, &" ".repeat((8 << 20) + 1)));
    assert_eq!(fixture.session().account(), Err(CloudError::TooLarge));
    let delay = Duration::from_secs(3);
    fixture.fail(Response { delay, ..Response::empty(200) });
    let session =
        Session { deadline: Deadline::after(Duration::from_secs(1)), ..fixture.session() };
    let start = Instant::now();
    assert_eq!(session.account(), Err(CloudError::Timeout));
    assert!(start.elapsed() < delay);
}

#[test]
fn tokens_go_only_to_the_api() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = session.create_folder(ROOT_FOLDER, "f").unwrap();
    let file = session.create_file(&folder.id, "a.csv", b"1").unwrap();
    session.update_file(&file.id, b"2", Some(&file.revision)).unwrap();
    session.read_file(&file.id, 10).unwrap();
    session.fetch_source(&file.id, None).unwrap();
    session.rename_file(&file.id, "b.csv", None).unwrap();
    session.list_folder(&folder.id, None).unwrap();
    session.delete_folder(&folder.id).unwrap();
    let log = fixture.stand_in.lock().log.clone();
    assert!(
        log.iter().all(|line| line.contains("/drive/v") && line.ends_with(" +token")),
        "{log:?}"
    );
    assert_eq!(fixture.count("POST /upload/drive/v3/files +token"), 1);
    assert_eq!(fixture.count("PUT /upload/drive/v2/files/"), 1);
}

#[test]
fn contents_go_to_the_content_host() {
    let mut fixture = Fixture::new();
    let file = fixture.session().create_file(ROOT_FOLDER, "a", b"1").unwrap();
    fixture.settings.content_url = "http://127.0.0.1:9".to_owned();
    let session = fixture.session();
    let created = session.create_file(ROOT_FOLDER, "b", b"1");
    assert!(matches!(created, Err(CloudError::Unreachable(_))), "{created:?}");
    let updated = session.update_file(&file.id, b"2", None);
    assert!(matches!(updated, Err(CloudError::Unreachable(_))), "{updated:?}");
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"1");
}
