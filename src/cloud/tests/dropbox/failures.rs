//! Failures of Dropbox and of the network.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use chartroom_cloud::CloudError;
use chartroom_cloud::CloudResult;
use chartroom_cloud::Fetched;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_platform::remote::Deadline;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::http::Server;
use serde_json::Value;
use serde_json::json;

use super::Fixture;

/// Sends a request with each function and returns the errors.
fn call_all(session: &Session<'_>, file: &str, folder: &str) -> Vec<Option<CloudError>> {
    fn error<T>(result: CloudResult<T>) -> Option<CloudError> {
        result.err()
    }
    vec![
        error(session.account()),
        error(session.folder(folder)),
        error(session.list_folder(folder, None)),
        error(session.list_folder(folder, Some("c"))),
        error(session.create_folder(folder, "new")),
        error(session.delete_folder(folder)),
        error(session.create_file(folder, "new.json", b"1")),
        error(session.update_file(file, b"1", None)),
        error(session.update_file(file, b"1", Some("0123456789"))),
        error(session.file(file)),
        error(session.read_file(file, 10)),
        error(session.rename_file(file, "new.json", None)),
        error(session.fetch_source(file, None)),
        error(session.fetch_link("https://www.dropbox.com/s/x/y", None)),
    ]
}

/// Returns an error of a route with nested tags.
fn conflict(error: &Value) -> Response {
    Response::json(409, &json!({"error_summary": "...", "error": error}))
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
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    for grant in &mut fixture.stand_in.lock().oauth.grants {
        grant.scope = "other.scope".to_owned();
    }
    let errors = call_all(&fixture.session(), &file, &folder);
    assert!(errors.iter().all(|error| *error == Some(CloudError::MissingScope)), "{errors:?}");
    let text = "Your app is not permitted to access this endpoint because it does not have the \
                required scope 'files.metadata.read'.";
    fixture.fail(Response::text(400, text));
    assert_eq!(fixture.session().account(), Err(CloudError::MissingScope));
    fixture.fail(Response::text(400, "The given OAuth 2 access token is malformed."));
    assert_eq!(fixture.session().account(), Err(CloudError::Unauthorized));
}

#[test]
fn busy_requests_are_repeated_once() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let body = json!({
        "error_summary": "too_many_requests/..",
        "error": {"reason": {".tag": "too_many_requests"}, "retry_after": 1},
    });
    fixture.fail(Response::json(429, &body).with("Retry-After", "1"));
    let start = Instant::now();
    assert!(session.account().is_ok());
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(fixture.count("get_current_account"), 2);
    // The seconds are also in the body.
    fixture.fail(Response::json(429, &body));
    fixture.fail(Response::json(429, &body));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(1) }));
    let writes = json!({".tag": "path", "reason": {".tag": "too_many_write_operations"}});
    fixture.fail(conflict(&writes));
    assert!(session.create_file(ROOT_FOLDER, "a", b"1").is_ok());
    assert_eq!(fixture.count("/2/files/upload"), 2);
    fixture.fail(Response::text(429, "slow down").with("Retry-After", "3600"));
    let start = Instant::now();
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(3_600) }));
    assert!(start.elapsed() < Duration::from_secs(1));
    fixture.fail(Response::text(418, "slow down").with("Retry-After", "1800"));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(1_800) }));
    fixture.fail(Response::text(503, "").with("Retry-After", "20"));
    assert_eq!(session.account(), Err(CloudError::Busy { retry_after: Some(20) }));
}

#[test]
fn errors_of_routes_are_classified() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let upload = |reason: &str| json!({".tag": "path", "reason": {".tag": reason}});
    let cases = [
        (upload("insufficient_space"), CloudError::Full),
        (upload("team_folder_insufficient_space"), CloudError::Full),
        (upload("no_write_permission"), CloudError::Forbidden),
        (upload("access_restricted"), CloudError::Forbidden),
        (upload("conflict"), CloudError::NameConflict),
        (json!({".tag": "payload_too_large"}), CloudError::TooLarge),
        (json!({".tag": "path", "path": {".tag": "locked"}}), CloudError::Locked),
        (
            upload("disallowed_name"),
            CloudError::Rejected { status: 409, code: "path/disallowed_name".to_owned() },
        ),
        (
            json!({".tag": "n e\nw".repeat(100)}),
            CloudError::Rejected { status: 409, code: "new".repeat(34)[..100].to_owned() },
        ),
        (json!(null), CloudError::Rejected { status: 409, code: String::new() }),
        (json!([{".tag": 1}]), CloudError::Rejected { status: 409, code: String::new() }),
        (json!({".tag": {"a": 1}}), CloudError::Rejected { status: 409, code: String::new() }),
    ];
    for (error, wanted) in cases {
        fixture.fail(conflict(&error));
        assert_eq!(session.create_file(ROOT_FOLDER, "a", b"1"), Err(wanted), "{error}");
    }
    let rejected = |status| CloudError::Rejected { status, code: String::new() };
    let cases = [
        (400, rejected(400)),
        (403, CloudError::Forbidden),
        (404, rejected(404)),
        (422, rejected(422)),
        (500, rejected(500)),
    ];
    for (status, wanted) in cases {
        fixture.fail(Response::text(status, "<html>secret</html>"));
        assert_eq!(session.account(), Err(wanted));
    }
}

#[test]
fn unreadable_responses_are_errors() {
    let fixture = Fixture::new();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    let session = fixture.session();
    let half =
        Response { is_truncated: true, ..Response::json(200, &json!({"a": "b".repeat(99)})) };
    let page = Response::text(200, "<!doctype html><title>Sign in</title>");
    let others = [
        half,
        page.clone().with("Dropbox-API-Result", "<html>"),
        Response::json(200, &json!({})).with("Dropbox-API-Result", "{}"),
        Response::json(200, &json!([1, {"name": 5}])).with("Dropbox-API-Result", "[null]"),
        Response::json(200, &json!({"name": "n", "entries": 1, "metadata": {"name": "n"}}))
            .with("Dropbox-API-Result", "{\"name\":\"n\",\"size\":-1}"),
        Response::redirect("https://www.dropbox.com/login"),
        Response::empty(204),
    ];
    for response in std::iter::once(page).chain(others) {
        fixture.stand_in.lock().faults = vec![response; 40];
        for (index, error) in call_all(&session, &file, &folder).into_iter().enumerate() {
            let is_expected =
                matches!(error, Some(CloudError::Unreadable | CloudError::Unreachable(_)));
            assert!(is_expected, "{index}: {error:?}");
        }
    }
    fixture.stand_in.lock().faults.clear();
    // The size in the metadata must be that of the content.
    let content = Response::file(b"12".to_vec());
    let metadata = "{\"name\":\"a\",\"id\":\"id:a\",\"rev\":\"0123456789\",\"size\":3}";
    fixture.fail(content.with("Dropbox-API-Result", metadata));
    assert_eq!(session.read_file(&file, 10), Err(CloudError::Unreadable));
    let truncated = Response { is_truncated: true, ..Response::file(b"1234567890".to_vec()) };
    fixture.fail(truncated.with("Dropbox-API-Result", metadata));
    let error = session.read_file(&file, 10).unwrap_err();
    assert!(matches!(error, CloudError::Unreadable | CloudError::Unreachable(_)), "{error:?}");
}

#[test]
fn large_and_late_responses_are_errors() {
    let fixture = Fixture::new();
    fixture.fail(Response::file(vec![b' '; 9 << 20]));
    assert_eq!(fixture.session().account(), Err(CloudError::TooLarge));
    fixture.fail(Response { delay: Duration::from_secs(3), ..Response::empty(200) });
    let session =
        Session { deadline: Deadline::after(Duration::from_millis(300)), ..fixture.session() };
    assert_eq!(session.account(), Err(CloudError::Timeout));
}

#[test]
fn failure_to_find_the_parent_is_no_failure() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let file = fixture.add_file(&folder, "a", b"1");
    let wanted = session.file(&file).unwrap();
    assert_eq!(wanted.folder_id, Some(folder));
    let body = json!({"name": "a", "id": file, "rev": wanted.revision, "size": 1,
        "path_lower": "/f/a", "server_modified": wanted.modified, ".tag": "file"});
    {
        let mut state = fixture.stand_in.lock();
        state.faults = vec![Response::text(500, ""), Response::json(200, &body)];
    }
    let found = session.file(&file).unwrap();
    assert_eq!(found.folder_id, None);
    assert_eq!(found.revision, wanted.revision);
}

#[test]
fn token_goes_only_to_the_hosts_of_the_settings() {
    let mut fixture = Fixture::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let server = {
        let seen = seen.clone();
        Server::start(move |request| {
            seen.lock().unwrap().push(request.clone());
            Response::json(200, &json!({}))
        })
    };
    let foreign = server.unwrap().url;
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    for status in [301, 302, 307, 308] {
        let redirect = Response::empty(status).with("Location", &format!("{foreign}/2/x"));
        fixture.fail(redirect.clone());
        assert_eq!(fixture.session().account(), Err(CloudError::Unreadable));
        fixture.fail(redirect);
        assert_eq!(fixture.session().fetch_source(&file, None), Err(CloudError::Unreadable));
    }
    assert!(seen.lock().unwrap().is_empty());
    // Each host has only its own routes, so that content requests go to the content host.
    assert!(matches!(fixture.session().fetch_source(&file, None), Ok(Fetched::File(_))));
    std::mem::swap(&mut fixture.settings.api_url, &mut fixture.settings.content_url);
    assert!(matches!(fixture.session().account(), Err(CloudError::Rejected { status: 400, .. })));
    let swapped = fixture.session().fetch_source(&file, None);
    assert!(matches!(swapped, Err(CloudError::Rejected { status: 400, .. })));
}
