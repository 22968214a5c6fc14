//! The client of Dropbox against its stand-in.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../stand_in_session/mod.rs"]
mod stand_in_session;
mod failures;
mod tokens;

use chartroom_cloud::CloudError;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Fetched;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::dropbox;
use chartroom_stand_ins::http::Response;
use serde_json::json;

/// Names that need care in JSON and in headers.
const NAMES: [&str; 5] = [
    "Größe \"Q1\" 'x'.chart.json",
    "図表 📈 👩‍👩‍👧.csv",
    "a%2Fb&c=d?#e.json",
    "{}[],:.tsv",
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
        let stand_in = dropbox::start().unwrap();
        let token = stand_in.lock().oauth.grant("").access;
        let scopes = "account_info.read files.metadata.read files.content.read";
        let (settings, client) = stand_in_session::connect(Provider::Dropbox, &stand_in, scopes);
        Self { stand_in, settings, client, token: token.into() }
    }

    fn session(&self) -> Session<'_> {
        stand_in_session::session(&self.settings, &self.client, &self.token)
    }

    /// Makes the next response of the stand-in the given one.
    fn fail(&self, response: Response) {
        self.stand_in.lock().faults.push(response);
    }

    /// Returns the number of lines of the log that contain a text.
    fn count(&self, text: &str) -> usize {
        self.stand_in.lock().log.iter().filter(|line| line.contains(text)).count()
    }

    fn add_file(&self, parent: &str, name: &str, content: &[u8]) -> String {
        self.stand_in.lock().tree.add_file(parent, name, content)
    }

    fn add_folder(&self, parent: &str, name: &str) -> String {
        self.stand_in.lock().tree.add_folder(parent, name)
    }
}

/// Returns an error of a route with its tag.
fn conflict(tag: &str) -> Response {
    Response::json(409, &json!({"error_summary": format!("{tag}/.."), "error": {".tag": tag}}))
}

#[test]
fn account_has_id_and_address() {
    let fixture = Fixture::new();
    let account = fixture.session().account().unwrap();
    assert_eq!(
        (account.key.as_str(), account.address.as_str()),
        (dropbox::ACCOUNT_ID, dropbox::ADDRESS)
    );
}

#[test]
fn folders_are_listed_in_pages() {
    let fixture = Fixture::new();
    let folder = fixture.add_folder(ROOT_FOLDER, "Data");
    let inner = fixture.add_folder(&folder, "Inner.csv");
    let files: Vec<String> =
        NAMES.iter().map(|name| fixture.add_file(&folder, name, b"1,2")).collect();
    fixture.stand_in.lock().page_size = 2;
    let (session, mut entries, mut cursor) = (fixture.session(), Vec::new(), None);
    for _ in 0..10 {
        let page = session.list_folder(&folder, cursor.as_deref()).unwrap();
        assert!(page.entries.len() <= 2);
        entries.extend(page.entries);
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(cursor, None);
    assert_eq!(fixture.count("/2/files/list_folder/continue +token"), 2);
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids[0], inner);
    assert_eq!(ids[1..], files);
    assert_eq!(entries[0].kind, EntryKind::Folder);
    assert_eq!((entries[0].size, entries[0].revision.as_deref()), (None, None));
    assert!(!entries[0].is_spreadsheet);
    let names: Vec<&str> = entries[1..].iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, NAMES);
    assert!(entries[1..].iter().all(|entry| entry.size == Some(3)));
    assert!(entries[1..].iter().all(|entry| entry.modified.is_some() && entry.revision.is_some()));
    let tables: Vec<bool> = entries[1..].iter().map(|entry| entry.is_spreadsheet).collect();
    assert_eq!(tables, [false, true, true, true, true]);
    let root = session.list_folder(ROOT_FOLDER, None).unwrap();
    assert_eq!((root.entries.len(), root.cursor), (1, None));
}

#[test]
fn list_has_errors() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file(ROOT_FOLDER, "a.csv", b"1");
    assert!(matches!(session.list_folder(&file, None), Err(CloudError::WrongType(_))));
    assert_eq!(session.list_folder("id:missing", None), Err(CloudError::NotFound));
    assert_eq!(session.list_folder(ROOT_FOLDER, Some("broken")), Err(CloudError::CursorExpired));
    fixture.fail(conflict("reset"));
    assert_eq!(session.list_folder(ROOT_FOLDER, Some("old")), Err(CloudError::CursorExpired));
    fixture.fail(Response::json(200, &json!({"entries": [], "cursor": "", "has_more": true})));
    assert_eq!(session.list_folder(ROOT_FOLDER, None), Err(CloudError::Unreadable));
    let strange = json!([
        {".tag": "deleted", "name": "gone"},
        {".tag": "new type", "name": "x", "id": "id:x"},
        {"name": "no type", "id": "id:y"},
    ]);
    let body = json!({"entries": strange, "cursor": "c", "has_more": false, "later": 1});
    fixture.fail(Response::json(200, &body));
    assert!(session.list_folder(ROOT_FOLDER, None).unwrap().entries.is_empty());
}

#[test]
fn folders_are_created_and_deleted() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let root = session.folder(ROOT_FOLDER).unwrap();
    assert_eq!((root.name.as_str(), root.parent_id), ("", None));
    let outer = session.create_folder(ROOT_FOLDER, "Größe 📈").unwrap();
    assert_eq!(outer.parent_id.as_deref(), Some(ROOT_FOLDER));
    let inner = session.create_folder(&outer.id, "\"Inner\"").unwrap();
    assert_eq!((inner.name.as_str(), inner.parent_id.as_ref()), ("\"Inner\"", Some(&outer.id)));
    assert_eq!(session.folder(&inner.id).unwrap(), inner);
    assert_eq!(session.folder(&outer.id).unwrap(), outer);
    assert_eq!(session.create_folder(ROOT_FOLDER, "GRÖSSE 📈").unwrap().name, "GRÖSSE 📈");
    assert_eq!(session.create_folder(ROOT_FOLDER, "größe 📈"), Err(CloudError::NameConflict));
    assert_eq!(session.create_folder("id:missing", "x"), Err(CloudError::NotFound));
    let file = session.create_file(&inner.id, "a.csv", b"1").unwrap();
    assert!(matches!(session.folder(&file.id), Err(CloudError::WrongType(_))));
    assert!(matches!(session.create_folder(&file.id, "x"), Err(CloudError::WrongType(_))));
    assert!(matches!(session.delete_folder(&file.id), Err(CloudError::WrongType(_))));
    assert_eq!(session.delete_folder(ROOT_FOLDER), Err(CloudError::Forbidden));
    session.delete_folder(&outer.id).unwrap();
    assert_eq!(session.folder(&inner.id), Err(CloudError::NotFound));
    assert_eq!(session.file(&file.id), Err(CloudError::NotFound));
    assert_eq!(session.delete_folder(&outer.id), Err(CloudError::NotFound));
}

#[test]
fn files_are_created_with_any_name() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = session.create_folder(ROOT_FOLDER, "図").unwrap();
    for parent in [ROOT_FOLDER, &folder.id] {
        for name in NAMES {
            let file = session.create_file(parent, name, name.as_bytes()).unwrap();
            assert_eq!((file.name.as_str(), file.folder_id.as_deref()), (name, Some(parent)));
            assert_eq!(file.size, name.len() as u64);
            assert_eq!(session.file(&file.id).unwrap(), file);
            let (read, bytes) = session.read_file(&file.id, 1_000).unwrap();
            assert_eq!((read, bytes.as_slice()), (file, name.as_bytes()));
            // The same name is a conflict, also with the same content.
            let again = session.create_file(parent, name, name.as_bytes());
            assert_eq!(again, Err(CloudError::NameConflict));
        }
    }
}

#[test]
fn names_that_dropbox_forbids_are_rejected() {
    let fixture = Fixture::new();
    let session = fixture.session();
    for name in ["", ".", "..", "a/b", "../a"] {
        let requests = fixture.stand_in.lock().log.len();
        let result = session.create_file(ROOT_FOLDER, name, b"1");
        assert!(matches!(result, Err(CloudError::Rejected { .. })), "{name}");
        assert!(session.create_folder(ROOT_FOLDER, name).is_err(), "{name}");
        assert_eq!(fixture.stand_in.lock().log.len(), requests);
    }
    let code = "path/malformed_path".to_owned();
    for name in ["back\\slash.csv", "space ", "\u{7f}"] {
        let wanted = CloudError::Rejected { status: 409, code: code.clone() };
        assert_eq!(session.create_file(ROOT_FOLDER, name, b"1"), Err(wanted.clone()));
        assert_eq!(session.create_folder(ROOT_FOLDER, name), Err(wanted));
    }
    assert!(fixture.stand_in.lock().tree.nodes.is_empty());
    assert_eq!(session.create_file("id:missing", "x", b"1"), Err(CloudError::NotFound));
    let file = fixture.add_file(ROOT_FOLDER, "f", b"1");
    assert!(matches!(session.create_file(&file, "x", b"1"), Err(CloudError::WrongType(_))));
}

#[test]
fn update_checks_the_revision() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let first = session.create_file(&folder, "ä.json", b"one").unwrap();
    let second = session.update_file(&first.id, b"two", Some(&first.revision)).unwrap();
    assert_eq!(
        (&second.id, &second.name, &second.folder_id),
        (&first.id, &first.name, &first.folder_id)
    );
    assert_ne!(second.revision, first.revision);
    let conflict = Err(CloudError::RevisionConflict);
    for stale in [first.revision.as_str(), "", "W/\"x\"", "ABC", "0123456789abcdef"] {
        assert_eq!(session.update_file(&first.id, b"three", Some(stale)), conflict);
    }
    // Also with the content that the file has.
    assert_eq!(session.update_file(&first.id, b"two", Some(&first.revision)), conflict);
    assert_eq!(session.read_file(&first.id, 10).unwrap(), (second.clone(), b"two".to_vec().into()));
    let same = session.update_file(&first.id, b"two", Some(&second.revision)).unwrap();
    let last = session.update_file(&first.id, b"", None).unwrap();
    assert_ne!(last.revision, same.revision);
    assert_eq!(session.read_file(&first.id, 10).unwrap(), (last, Vec::new().into()));
    let missing = Err(CloudError::NotFound);
    for id in ["id:missing", "/f/ä.json", "", "rev:0123456789", "id:", &format!("{folder}/ä.json")]
    {
        assert_eq!(session.update_file(id, b"x", None), missing, "{id}");
        assert_eq!(session.update_file(id, b"x", Some(&first.revision)), missing, "{id}");
    }
    assert!(matches!(session.update_file(&folder, b"x", None), Err(CloudError::WrongType(_))));
    let on_folder = session.update_file(&folder, b"x", Some(&first.revision));
    assert!(matches!(on_folder, Err(CloudError::WrongType(_))));
    fixture.stand_in.lock().tree.trash(&first.id);
    assert_eq!(session.update_file(&first.id, b"x", None), missing);
    assert_eq!(session.update_file(&first.id, b"x", Some(&same.revision)), missing);
}

#[test]
fn update_accepts_a_conflict_about_the_same_content() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a.json", b"one").unwrap();
    let refusal = json!({
        "error_summary": "path/conflict/file/..",
        "error": {".tag": "path", "reason": {".tag": "conflict", "conflict": {".tag": "file"}}},
    });
    fixture.fail(Response::json(409, &refusal));
    assert_eq!(session.update_file(&file.id, b"one", Some(&file.revision)), Ok(file.clone()));
    fixture.fail(Response::json(409, &refusal));
    let other = session.update_file(&file.id, b"two", Some(&file.revision));
    assert_eq!(other, Err(CloudError::RevisionConflict));
}

#[test]
fn files_are_renamed() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = session.create_folder(ROOT_FOLDER, "Ordner").unwrap();
    let file = session.create_file(&folder.id, "old.json", b"1").unwrap();
    session.create_file(&folder.id, "Taken.json", b"2").unwrap();
    let renamed = session.rename_file(&file.id, NAMES[0], Some(&file.revision)).unwrap();
    assert_eq!((renamed.name.as_str(), &renamed.id), (NAMES[0], &file.id));
    assert_eq!(session.file(&file.id).unwrap(), renamed);
    let stale = session.rename_file(&file.id, "x.json", Some("0123456789"));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    let taken = session.rename_file(&file.id, "taken.JSON", None);
    assert_eq!(taken, Err(CloudError::NameConflict));
    assert_eq!(session.rename_file(&file.id, NAMES[0], None).unwrap(), renamed);
    assert_eq!(session.rename_file("id:missing", "x", None), Err(CloudError::NotFound));
    let wrong = session.rename_file(&folder.id, "x", None);
    assert!(matches!(wrong, Err(CloudError::WrongType(_))));
    assert!(session.rename_file(&file.id, "../x.json", None).is_err());
    let updated = session.update_file(&file.id, b"3", Some(&renamed.revision)).unwrap();
    assert_eq!(updated.name, NAMES[0]);
}

#[test]
fn downloads_have_limits_and_types() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file(ROOT_FOLDER, "a.csv", &[b'x'; 100_000]);
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    assert_eq!(session.read_file(&file, 100_000).unwrap().1.len(), 100_000);
    for limit in [99_999, 10] {
        assert_eq!(session.read_file(&file, limit), Err(CloudError::TooLarge));
    }
    assert_eq!(session.read_file("id:missing", 10), Err(CloudError::NotFound));
    for id in [folder.as_str(), ROOT_FOLDER] {
        assert!(session.read_file(id, 10).is_err());
        assert!(session.file(id).is_err());
    }
    assert!(matches!(session.read_file(&folder, 10), Err(CloudError::WrongType(_))));
    assert!(matches!(session.file(&folder), Err(CloudError::WrongType(_))));
    assert!(matches!(session.fetch_source(&folder, None), Err(CloudError::WrongType(_))));
}

#[test]
fn sources_are_downloaded_when_they_change() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file(ROOT_FOLDER, NAMES[1], b"a,b\n1,2\n");
    let Fetched::File(source) = session.fetch_source(&id, None).unwrap() else { panic!("a file") };
    assert_eq!(source.bytes, b"a,b\n1,2\n");
    assert_eq!((source.sheet, source.media_type, source.has_fixed_headers), (None, None, false));
    let known = source.revision.unwrap();
    assert_eq!(session.fetch_source(&id, Some(&known)), Ok(Fetched::NotModified));
    assert_eq!(session.file(&id).unwrap().revision, known);
    fixture.stand_in.lock().tree.set_content(&id, b"a\n");
    let changed = session.fetch_source(&id, Some(&known)).unwrap();
    assert!(matches!(changed, Fetched::File(file) if file.bytes == b"a\n"));
    for strange in ["", "\"\r\nX: y", "ünknown"] {
        assert!(matches!(session.fetch_source(&id, Some(strange)), Ok(Fetched::File(_))));
    }
    // A status 304 without a condition is no answer.
    fixture.fail(Response::empty(304));
    assert_eq!(session.fetch_source(&id, None), Err(CloudError::Unreadable));
}

#[test]
fn native_sheets_are_exported() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file(ROOT_FOLDER, "Größe.gsheet", b"PK1");
    let page = session.list_folder(ROOT_FOLDER, None).unwrap();
    assert!(page.entries[0].is_spreadsheet);
    let Fetched::File(source) = session.fetch_source(&id, None).unwrap() else { panic!("a file") };
    assert_eq!(source.bytes, b"PK1");
    let known = source.revision.unwrap();
    assert_eq!(session.fetch_source(&id, Some(&known)), Ok(Fetched::NotModified));
    fixture.stand_in.lock().tree.find_mut(&id).unwrap().content = Some(b"PK22".to_vec());
    let changed = session.fetch_source(&id, Some(&known)).unwrap();
    assert!(matches!(changed, Fetched::File(file) if file.bytes == b"PK22"));
    assert!(matches!(session.read_file(&id, 10), Err(CloudError::WrongType(_))));
    // A document without an export as a table, such as one of Paper.
    let paper = json!({".tag": "file", "name": "a.paper", "id": id, "is_downloadable": false,
        "export_info": {"export_as": "md", "export_options": null}});
    {
        let unsupported = conflict("unsupported_file");
        fixture.stand_in.lock().faults = vec![Response::json(200, &paper), unsupported];
    }
    assert!(matches!(session.fetch_source(&id, None), Err(CloudError::WrongType(_))));
}

#[test]
fn shared_links_are_downloaded() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file(ROOT_FOLDER, "図.csv", b"1,2");
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let link = "https://www.dropbox.com/scl/fi/abc/%E5%9B%B3.csv?rlkey=k&dl=0";
    let folder_link = "https://www.dropbox.com/scl/fo/abc/x?rlkey=k&dl=0";
    for (id, link) in [(&id, link), (&folder, folder_link)] {
        fixture.stand_in.lock().tree.find_mut(id).unwrap().link = Some(link.to_owned());
    }
    let Fetched::File(source) = session.fetch_link(link, None).unwrap() else { panic!("a file") };
    assert_eq!(source.bytes, b"1,2");
    let known = source.revision.as_deref();
    assert_eq!(session.fetch_link(link, known), Ok(Fetched::NotModified));
    let other_view = link.replace("dl=0", "dl=1");
    assert_eq!(session.fetch_link(&other_view, known), Ok(Fetched::NotModified));
    assert!(matches!(session.fetch_link(folder_link, None), Err(CloudError::WrongType(_))));
    let missing = "https://www.dropbox.com/s/nothing/📈.csv";
    assert_eq!(session.fetch_link(missing, None), Err(CloudError::NotFound));
    fixture.fail(conflict("shared_link_access_denied"));
    assert_eq!(session.fetch_link(link, None), Err(CloudError::Forbidden));
    fixture.fail(conflict("unsupported_link_type"));
    assert!(matches!(session.fetch_link(link, None), Err(CloudError::WrongType(_))));
}
