//! The client of Box against its stand-in: what the tests of the server do not reach.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stand_in_session;

use std::time::Duration;
use std::time::Instant;

use chartroom_cloud::CloudError;
use chartroom_cloud::Fetched;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::box_storage;
use chartroom_stand_ins::http::Response;
use serde_json::json;

/// Maximum size of a file in the tests.
const MAX_BYTES: u64 = 1 << 20;

/// A stand-in with a client that has permission.
struct Fixture {
    stand_in: StandIn,
    settings: ProviderSettings,
    client: RemoteClient,
    token: Secret,
    refresh: Secret,
}

impl Fixture {
    fn new() -> Self {
        let stand_in = box_storage::start().unwrap();
        let grant = stand_in.lock().oauth.grant("");
        let (settings, client) = stand_in_session::connect(Provider::Box, &stand_in, "");
        let (token, refresh) = (grant.access.into(), grant.refresh.unwrap().into());
        Self { stand_in, settings, client, token, refresh }
    }

    fn session(&self) -> Session<'_> {
        stand_in_session::session(&self.settings, &self.client, &self.token)
    }

    /// Returns the lines of the log with a text.
    fn log(&self, text: &str) -> Vec<String> {
        let state = self.stand_in.lock();
        state.log.iter().filter(|line| line.contains(text)).cloned().collect()
    }
}

#[test]
fn the_host_of_downloads_gets_no_token() {
    let fixture = Fixture::new();
    let file = fixture.session().create_file(ROOT_FOLDER, "図表 \"1\" 📈.csv", b"a,b").unwrap();
    let (read, bytes) = fixture.session().read_file(&file.id, MAX_BYTES).unwrap();
    assert_eq!((read, bytes.as_slice()), (file, &b"a,b"[..]));
    let downloads = fixture.log("/download");
    assert!(!downloads.is_empty() && downloads.iter().all(|line| !line.ends_with("+token")));
}

#[test]
fn a_file_that_is_being_stored_is_asked_for_again() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, box_storage::SLOW_NAME, b"late").unwrap();
    let begin = Instant::now();
    let Fetched::File(source) = session.fetch_source(&file.id, None).unwrap() else {
        panic!("the file has no known revision");
    };
    assert_eq!(source.bytes, b"late");
    assert!(begin.elapsed() >= Duration::from_secs(1), "Box wants a second");
    let known = session.fetch_source(&file.id, source.revision.as_deref()).unwrap();
    assert_eq!(known, Fetched::NotModified);
}

#[test]
fn wrong_ids_revisions_and_types_are_refused() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = session.create_folder(ROOT_FOLDER, "Reports").unwrap();
    let file = session.create_file(&folder.id, "a.csv", b"1").unwrap();
    for id in ["../users/me", "0/items", "", "99", "1?x=y", &"1".repeat(40)] {
        assert_eq!(session.file(id).unwrap_err(), CloudError::NotFound, "{id}");
    }
    // Folders and files have separate ids at Box.
    assert_eq!(session.file(&folder.id).unwrap_err(), CloudError::NotFound);
    assert_eq!(session.folder(&file.id).unwrap_err(), CloudError::NotFound);
    for revision in ["0", "x", "1\r\nA: b", ""] {
        let error = session.update_file(&file.id, b"2", Some(revision)).unwrap_err();
        assert_eq!(error, CloudError::RevisionConflict, "{revision:?}");
    }
    assert_eq!(session.read_file(&file.id, 0).unwrap_err(), CloudError::TooLarge);
    assert_eq!(session.delete_folder(ROOT_FOLDER).unwrap_err(), CloudError::Forbidden);
    assert_eq!(session.list_folder(ROOT_FOLDER, Some("x")).unwrap_err(), CloudError::CursorExpired);
    assert_eq!(session.folder(&folder.id).unwrap().parent_id.as_deref(), Some(ROOT_FOLDER));
    assert_eq!(session.file(&file.id).unwrap().folder_id, Some(folder.id));
}

#[test]
fn faults_of_box_have_their_errors() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let error = |status: u16, code: &str| {
        Response::json(status, &json!({ "type": "error", "status": status, "code": code }))
    };
    let busy = CloudError::Busy { retry_after: Some(3600) };
    let cases = [
        (error(403, "storage_limit_exceeded"), CloudError::Full),
        (error(403, "access_denied_item_locked"), CloudError::Locked),
        (error(403, "access_denied_insufficient_permissions"), CloudError::Forbidden),
        (error(403, "insufficient_scope"), CloudError::MissingScope),
        (error(429, "rate_limit_exceeded").with("Retry-After", "3600"), busy),
        (
            error(429, "rate_limit_exceeded").with("Retry-After", "18446744073709551615"),
            CloudError::Busy { retry_after: Some(u64::MAX) },
        ),
        (error(409, "item_name_in_use"), CloudError::NameConflict),
        (Response::text(200, "<html>"), CloudError::Unreadable),
    ];
    for (fault, wanted) in cases {
        fixture.stand_in.lock().faults = vec![fault];
        let found = session.create_folder(ROOT_FOLDER, "A").unwrap_err();
        assert_eq!(found, wanted);
    }
    // A short pause is waited for.
    fixture.stand_in.lock().faults = vec![error(429, "x").with("Retry-After", "1")];
    assert!(session.list_folder(ROOT_FOLDER, None).is_ok());
}

#[test]
fn a_refresh_token_is_valid_once_and_revocation_ends_the_access() {
    let fixture = Fixture::new();
    let deadline = Deadline::after(Duration::from_secs(20));
    let (settings, client) = (&fixture.settings, &fixture.client);
    let new = oauth::refresh(settings, client, &fixture.refresh, deadline).unwrap();
    let again = oauth::refresh(settings, client, &fixture.refresh, deadline);
    assert_eq!(again.unwrap_err(), CloudError::Unauthorized);
    oauth::revoke(settings, client, (&new.access, new.refresh.as_ref())).unwrap();
    let session = Session { access_token: &new.access, ..fixture.session() };
    assert_eq!(session.account().unwrap_err(), CloudError::Unauthorized);
}
