//! The client of Google Drive against its stand-in.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../stand_in_session/mod.rs"]
mod stand_in_session;
mod failures;
mod shortcuts;
mod sources;
mod tokens;

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::Entry;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteRequest;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::google_drive;
use chartroom_stand_ins::http::Response;

/// Names that need care in queries, JSON and URLs.
const NAMES: [&str; 7] = [
    "Größe \"Q1\" 'x'.chart.json",
    "図表 📈 👩‍👩‍👧.csv",
    "a%2Fb&c=d?#e+f.json",
    "back\\slash\\' or trashed = true.json",
    "'' in parents",
    "a/../b\\\\",
    "ÿ\u{301}.xlsx",
];

/// A stand-in with a client that has permission.
struct Fixture {
    stand_in: StandIn,
    settings: ProviderSettings,
    client: RemoteClient,
    token: Secret,
}

impl Fixture {
    fn new() -> Self {
        let stand_in = google_drive::start().unwrap();
        let token = stand_in.lock().oauth.grant("").access;
        let scopes = "https://www.googleapis.com/auth/drive";
        let (settings, client) =
            stand_in_session::connect(Provider::GoogleDrive, &stand_in, scopes);
        Self { stand_in, settings, client, token: token.into() }
    }

    fn session(&self) -> Session<'_> {
        stand_in_session::session(&self.settings, &self.client, &self.token)
    }

    /// Makes the next response of the stand-in the given one.
    fn fail(&self, response: Response) {
        self.stand_in.lock().faults.push(response);
    }

    /// Returns the number of lines in the log of requests that contain a text.
    fn count(&self, text: &str) -> usize {
        self.stand_in.lock().log.iter().filter(|line| line.contains(text)).count()
    }

    fn add_file(&self, parent: &str, name: &str, content: &[u8]) -> String {
        self.stand_in.lock().tree.add_file(parent, name, content)
    }

    fn add_folder(&self, parent: &str, name: &str) -> String {
        self.stand_in.lock().tree.add_folder(parent, name)
    }

    /// Adds a file with a media type.
    fn add_typed(&self, parent: &str, name: &str, media_type: &str, content: &[u8]) -> String {
        let id = self.add_file(parent, name, content);
        let mut state = self.stand_in.lock();
        state.tree.find_mut(&id).unwrap().media_type = media_type.to_owned();
        id
    }

    /// Returns all entries of a folder and the number of pages.
    fn list_all(&self, id: &str) -> (Vec<Entry>, usize) {
        let (mut entries, mut pages, mut cursor) = (Vec::new(), 0, None);
        loop {
            let page = self.session().list_folder(id, cursor.as_deref()).unwrap();
            entries.extend(page.entries);
            pages += 1;
            assert!(pages < 100, "the list does not end");
            cursor = page.cursor;
            if cursor.is_none() {
                return (entries, pages);
            }
        }
    }
}

#[test]
fn account_has_id_and_address() {
    let account = Fixture::new().session().account().unwrap();
    assert_eq!(account.key, google_drive::PERMISSION_ID);
    assert_eq!(account.address, google_drive::ADDRESS);
}

#[test]
fn folders_know_their_parents() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let outer = fixture.add_folder(ROOT_FOLDER, "outer");
    let inner = fixture.add_folder(&outer, "inner");
    let file = fixture.add_file(&inner, "a.json", b"1");
    let root = session.folder(ROOT_FOLDER).unwrap();
    assert_eq!((root.id.as_str(), root.name.as_str()), (ROOT_FOLDER, ""));
    assert_eq!(root.parent_id, None);
    assert_eq!(session.folder(google_drive::ROOT_ID), Ok(root));
    assert_eq!(session.folder(&outer).unwrap().parent_id.as_deref(), Some(ROOT_FOLDER));
    let folder = session.folder(&inner).unwrap();
    assert_eq!((folder.id, folder.name), (inner, "inner".to_owned()));
    assert_eq!(folder.parent_id.as_deref(), Some(outer.as_str()));
    assert!(matches!(session.folder(&file), Err(CloudError::WrongType(_))));
    for id in ["missing", "", ".", "..", "../about", "a'b\\", "x?alt=media", &"x".repeat(600)] {
        assert_eq!(session.folder(id), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.file(id), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.list_folder(id, None), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.update_file(id, b"", None), Err(CloudError::NotFound), "{id}");
    }
}

#[test]
fn lists_have_all_pages() {
    let fixture = Fixture::new();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    for number in 1..=12 {
        fixture.add_file(&folder, &format!("{number}.chart.json"), b"{}");
    }
    fixture.add_folder(&folder, "z");
    fixture.add_typed(&folder, "Text", "application/vnd.google-apps.document", b"");
    let trashed = fixture.add_file(&folder, "0.json", b"1");
    fixture.stand_in.lock().tree.trash(&trashed);
    fixture.stand_in.lock().page_size = 5;
    let (entries, pages) = fixture.list_all(&folder);
    assert_eq!(pages, 3);
    let names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
    let wanted: Vec<_> = std::iter::once("z".to_owned())
        .chain((1..=12).map(|number| format!("{number}.chart.json")))
        .collect();
    assert_eq!(names, wanted);
    assert_eq!(entries[0].kind, EntryKind::Folder);
    assert_eq!((entries[0].size, entries[0].revision.clone()), (None, None));
    assert_eq!((entries[1].kind, entries[1].size), (EntryKind::File, Some(2)));
    assert!(!entries[1].is_spreadsheet && entries[1].modified.is_some());
    let file = fixture.session().file(&entries[1].id).unwrap();
    assert_eq!(entries[1].revision.as_ref(), Some(&file.revision));
}

#[test]
fn deletion_between_pages_skips_no_entry() {
    let fixture = Fixture::new();
    let ids: Vec<_> =
        (1..=6).map(|number| fixture.add_file(ROOT_FOLDER, &format!("{number}"), b"1")).collect();
    fixture.stand_in.lock().page_size = 2;
    let first = fixture.session().list_folder(ROOT_FOLDER, None).unwrap();
    fixture.stand_in.lock().tree.trash(&ids[0]);
    let second = fixture.session().list_folder(ROOT_FOLDER, first.cursor.as_deref()).unwrap();
    assert_eq!(second.entries[0].id, ids[2]);
    for cursor in ["", "x", "[]", "[\"root\",null,\"x\"]", "[\"root\",null,\"~!!~bnVsbA\"]"] {
        let page = fixture.session().list_folder(ROOT_FOLDER, Some(cursor));
        assert_eq!(page, Err(CloudError::CursorExpired), "{cursor}");
    }
}

#[test]
fn empty_folders_and_other_types_are_listed() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    assert_eq!(fixture.list_all(&folder), (Vec::new(), 1));
    let file = fixture.add_file(&folder, "a.json", b"1");
    assert!(matches!(session.list_folder(&file, None), Err(CloudError::WrongType(_))));
    fixture.stand_in.lock().tree.trash(&folder);
    assert_eq!(session.list_folder(&folder, None), Err(CloudError::NotFound));
    assert_eq!(session.file(&file), Err(CloudError::NotFound));
    assert_eq!(session.folder(&folder), Err(CloudError::NotFound));
}

#[test]
fn tables_are_recognized() {
    let fixture = Fixture::new();
    let sheet = fixture.add_typed(ROOT_FOLDER, "a", google_drive::SPREADSHEET, b"xlsx");
    fixture.add_typed(ROOT_FOLDER, "b", "text/csv", b"1");
    fixture.add_typed(ROOT_FOLDER, "c.json", "application/json", b"1");
    fixture.add_typed(ROOT_FOLDER, "d.chart.json", "application/json", b"1");
    fixture.add_typed(ROOT_FOLDER, "e.png", "image/png", b"1");
    let (entries, _) = fixture.list_all(ROOT_FOLDER);
    let tables: Vec<_> = entries.iter().map(|entry| entry.is_spreadsheet).collect();
    assert_eq!(tables, [true, true, true, false, false]);
    assert_eq!((entries[0].id.as_str(), entries[0].size), (sheet.as_str(), None));
    let version = fixture.stand_in.lock().tree.find(&sheet).unwrap().change.to_string();
    assert_eq!(entries[0].revision.as_ref(), Some(&version));
    assert_eq!(fixture.session().file(&sheet).unwrap().revision, version);
}

#[test]
fn folders_are_created_and_deleted() {
    let fixture = Fixture::new();
    let session = fixture.session();
    for name in NAMES {
        let folder = session.create_folder(ROOT_FOLDER, name).unwrap();
        assert_eq!((folder.name.as_str(), folder.parent_id.as_deref()), (name, Some("root")));
        assert_eq!(session.folder(&folder.id).unwrap(), folder);
        assert_eq!(session.create_folder(ROOT_FOLDER, name), Err(CloudError::NameConflict));
        let inner = session.create_file(&folder.id, name, b"1").unwrap();
        assert_eq!(session.delete_folder(&folder.id), Ok(()));
        assert_eq!(session.delete_folder(&folder.id), Err(CloudError::NotFound));
        assert_eq!(session.file(&inner.id), Err(CloudError::NotFound));
        let is_kept = fixture.stand_in.lock().tree.nodes.iter().any(|node| node.id == folder.id);
        assert!(is_kept, "the folder is in the trash");
    }
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    assert!(matches!(session.delete_folder(&file), Err(CloudError::WrongType(_))));
    assert!(matches!(session.create_folder(&file, "a"), Err(CloudError::WrongType(_))));
    assert_eq!(session.delete_folder(ROOT_FOLDER), Err(CloudError::Forbidden));
    assert_eq!(session.create_folder("missing", "a"), Err(CloudError::NotFound));
}

#[test]
fn files_are_created_and_read() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    for name in NAMES {
        let mut content = name.as_bytes().to_vec();
        content.extend(b"\r\n--chartroom-part-0000000000000000--\r\n\0\xff\n");
        let created = session.create_file(&folder, name, &content).unwrap();
        assert_eq!((created.name.as_str(), created.folder_id.as_ref()), (name, Some(&folder)));
        assert_eq!(created.size, u64::try_from(content.len()).unwrap());
        assert_eq!(session.file(&created.id).unwrap(), created);
        assert_eq!(session.read_file(&created.id, 1_000), Ok((created.clone(), content.into())));
        let again = session.create_file(&folder, name, b"2");
        assert_eq!(again, Err(CloudError::NameConflict));
    }
    let empty = session.create_file(ROOT_FOLDER, "empty", b"").unwrap();
    assert_eq!(session.read_file(&empty.id, 0).unwrap().1, b"");
    assert_eq!(empty.folder_id.as_deref(), Some(ROOT_FOLDER));
    // Upper and lower case are different names, also if they are on different pages of the search.
    fixture.stand_in.lock().page_size = 1;
    assert!(session.create_file(ROOT_FOLDER, "EMPTY", b"").is_ok());
    assert!(session.create_file(ROOT_FOLDER, "Empty", b"").is_ok());
    let again = session.create_file(ROOT_FOLDER, "Empty", b"");
    assert_eq!(again, Err(CloudError::NameConflict));
    assert!(matches!(session.create_file(&empty.id, "a", b""), Err(CloudError::WrongType(_))));
    assert_eq!(session.read_file(&folder, 10).unwrap_err(), {
        CloudError::WrongType("this is a folder, not a file")
    });
    let created = &session.create_file(ROOT_FOLDER, "large", &[7; 11]).unwrap().id;
    assert_eq!(session.read_file(created, 10), Err(CloudError::TooLarge));
    assert_eq!(session.read_file("missing", 10), Err(CloudError::NotFound));
}

#[test]
fn contents_are_updated_with_a_condition() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let first = session.create_file(&folder, "a.chart.json", b"1").unwrap();
    let second = session.update_file(&first.id, b"22", Some(&first.revision)).unwrap();
    assert_ne!(second.revision, first.revision);
    assert_eq!((second.size, second.folder_id.as_ref()), (2, Some(&folder)));
    assert_eq!(session.read_file(&first.id, 10), Ok((second.clone(), b"22".to_vec().into())));
    let stale = session.update_file(&first.id, b"3", Some(&first.revision));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    assert_eq!(session.read_file(&first.id, 10).unwrap().1, b"22");
    let last = session.update_file(&first.id, b"4", None).unwrap();
    assert_eq!(session.file(&first.id).unwrap(), last);
    let folder_update = session.update_file(&folder, b"4", None);
    assert!(matches!(folder_update, Err(CloudError::WrongType(_))));
    let sheet = fixture.add_typed(ROOT_FOLDER, "s", google_drive::SPREADSHEET, b"xlsx");
    assert!(matches!(session.update_file(&sheet, b"4", None), Err(CloudError::WrongType(_))));
    fixture.stand_in.lock().tree.trash(&first.id);
    assert_eq!(session.update_file(&first.id, b"4", None), Err(CloudError::NotFound));
}

#[test]
fn changes_of_metadata_are_no_conflict() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a", b"1").unwrap();
    let stale = r#"{"error":{"code":412,"errors":[{"reason":"conditionNotMet"}]}}"#;
    let metadata = |revision: &str| {
        let body = format!(
            r#"{{"id":"{}","title":"a","etag":"\"old\"","headRevisionId":"{revision}"}}"#,
            file.id
        );
        Response { body: body.into_bytes(), ..Response::empty(200) }
    };
    // The entity tag is outdated, but the revision is the same: the second attempt succeeds.
    fixture.fail(metadata(&file.revision));
    let updated = session.update_file(&file.id, b"2", Some(&file.revision)).unwrap();
    assert_eq!(fixture.count("PUT /upload/drive/v2/files/"), 2);
    assert_eq!(session.read_file(&file.id, 9).unwrap().0, updated);
    // Another change of the content between the request for the entity tag and the upload.
    fixture.fail(metadata(&file.revision));
    let conflict = session.update_file(&file.id, b"3", Some(&file.revision));
    assert_eq!(conflict, Err(CloudError::RevisionConflict));
    // A file that changes all the time.
    for _ in 0..3 {
        fixture.fail(Response { body: stale.into(), ..Response::empty(412) });
        fixture.fail(metadata(&updated.revision));
    }
    let conflict = session.update_file(&file.id, b"3", Some(&updated.revision));
    assert_eq!(conflict, Err(CloudError::RevisionConflict));
    assert!(fixture.stand_in.lock().faults.is_empty());
    assert_eq!(session.read_file(&file.id, 9).unwrap().1, b"2");
}

#[test]
fn changes_between_entity_tag_and_upload_are_conflicts() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a", b"1").unwrap();
    let url = format!("{}/drive/v2/files/{}", fixture.settings.api_url, file.id);
    let authorization = format!("Bearer {}", fixture.token.reveal());
    let request = RemoteRequest {
        headers: &[("Authorization", &authorization)],
        ..RemoteRequest::get(&url, 10_000)
    };
    let deadline = Deadline::after(Duration::from_secs(10));
    let before = fixture.client.send_to_configured(&request, deadline).unwrap();
    fixture.stand_in.lock().tree.set_content(&file.id, b"other");
    fixture.fail(Response { body: before.body.to_vec(), ..Response::empty(200) });
    let conflict = session.update_file(&file.id, b"2", Some(&file.revision));
    assert_eq!(conflict, Err(CloudError::RevisionConflict));
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"other");
    assert_eq!(fixture.count("PUT /upload/drive/v2/files/"), 1);
}

#[test]
fn unconditional_uploads_never_replace_a_conditional_one() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a", b"1").unwrap();
    for tag in ["null", "\"\"", "\"a\\nb\"", "\"ü\""] {
        let body = format!(
            r#"{{"id":"{}","title":"a","etag":{tag},"headRevisionId":"{}"}}"#,
            file.id, file.revision
        );
        fixture.fail(Response { body: body.into_bytes(), ..Response::empty(200) });
        let result = session.update_file(&file.id, b"2", Some(&file.revision));
        assert_eq!(result, Err(CloudError::Unreadable), "{tag}");
    }
    assert_eq!(fixture.count("PUT /upload"), 0);
}

#[test]
fn files_are_renamed() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let file = session.create_file(&folder, "a", b"1").unwrap();
    fixture.add_file(&folder, "taken", b"1");
    for name in NAMES {
        let renamed = session.rename_file(&file.id, name, Some(&file.revision)).unwrap();
        assert_eq!((renamed.name.as_str(), &renamed.revision), (name, &file.revision));
        assert_eq!(session.file(&file.id).unwrap(), renamed);
        // The same name again is no conflict.
        assert!(session.rename_file(&file.id, name, None).is_ok());
    }
    let taken = session.rename_file(&file.id, "taken", None);
    assert_eq!(taken, Err(CloudError::NameConflict));
    let stale = session.rename_file(&file.id, "b", Some("other"));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    assert!(matches!(session.rename_file(&folder, "b", None), Err(CloudError::WrongType(_))));
    assert_eq!(session.rename_file("missing", "b", None), Err(CloudError::NotFound));
}
