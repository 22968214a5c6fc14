//! Accounts, folders and their lists.

use chartroom_cloud::CloudError;
use chartroom_cloud::EntryKind;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::onedrive::DRIVE;
use chartroom_stand_ins::onedrive::NOTEBOOK;
use chartroom_stand_ins::onedrive::SHARED_DRIVE;
use chartroom_stand_ins::onedrive::SHARED_ROOT;
use chartroom_stand_ins::onedrive::SHORTCUT;
use serde_json::json;

use crate::Fixture;
use crate::node_id;

#[test]
fn account_without_mailbox_has_its_user_name() {
    let fixture = Fixture::new();
    let account = fixture.session().account().unwrap();
    assert_eq!(account.address, "ann@example.com");
    assert_eq!(account.key, "87d349ed-44d7-43e1-9a83-5f2406dee5bd");
    let body = json!({"id": "1", "mail": "a@b.c", "userPrincipalName": "d@e.f"});
    fixture.fail(vec![Response::json(200, &body)]);
    assert_eq!(fixture.session().account().unwrap().address, "a@b.c");
}

#[test]
fn folders_have_ids_names_and_parents() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let outer = session.create_folder(ROOT_FOLDER, "Outer").unwrap();
    let inner = session.create_folder(&outer.id, "Inner 📊").unwrap();
    assert_eq!(outer.parent_id.as_deref(), Some(ROOT_FOLDER));
    assert_eq!(inner.parent_id.as_deref(), Some(outer.id.as_str()));
    assert_eq!(session.folder(&outer.id).unwrap(), outer);
    assert_eq!(session.folder(&inner.id).unwrap(), inner);
    let root = session.folder(ROOT_FOLDER).unwrap();
    assert_eq!((root.id.as_str(), root.name.as_str(), root.parent_id), (ROOT_FOLDER, "", None));
    // The folder of a file has the id of the drive, and is recognized as the root.
    let file = session.file(&fixture.add_file("root", "a.csv", b"a")).unwrap();
    assert_eq!(session.folder(&file.folder_id.unwrap()).unwrap().id, ROOT_FOLDER);

    assert_eq!(session.create_folder(ROOT_FOLDER, "outer"), Err(CloudError::NameConflict));
    assert!(matches!(session.folder(&file.id), Err(CloudError::WrongType(_))));
    assert_eq!(session.delete_folder(ROOT_FOLDER), Err(CloudError::Forbidden));
    assert!(matches!(session.delete_folder(&file.id), Err(CloudError::WrongType(_))));
    session.delete_folder(&outer.id).unwrap();
    assert_eq!(session.folder(&inner.id), Err(CloudError::NotFound));
    assert_eq!(session.delete_folder(&outer.id), Err(CloudError::NotFound));
    assert_eq!(session.create_folder(&outer.id, "x"), Err(CloudError::NotFound));
}

#[test]
fn list_has_pages_and_survives_deletions() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder("root", "Folder");
    let names: Vec<String> = (0..7).map(|number| format!("{number}.CSV")).collect();
    let ids: Vec<String> =
        names.iter().map(|name| fixture.add_file(node_id(&folder), name, b"abc")).collect();
    fixture.change(|state| state.page_size = 3);
    let first = session.list_folder(&folder, None).unwrap();
    assert_eq!(first.entries.len(), 3);
    assert_eq!(first.entries[0].id, ids[0]);
    assert_eq!(first.entries[0].size, Some(3));
    assert_eq!(first.entries[0].modified.as_deref(), Some("2026-01-02T03:00:02Z"));
    assert_eq!(first.entries[0].revision, Some(session.file(&ids[0]).unwrap().revision));
    // The last entry of the page and one of the next page are deleted.
    fixture.change(|state| state.tree.trash(node_id(&ids[2])));
    fixture.change(|state| state.tree.trash(node_id(&ids[4])));
    let second = session.list_folder(&folder, first.cursor.as_deref()).unwrap();
    let found: Vec<&str> = second.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((found, second.cursor), (vec!["3.CSV", "5.CSV", "6.CSV"], None));
}

#[test]
fn list_has_kinds_and_shortcuts() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder("root", "Folder.xlsx");
    fixture.add_file("root", "a.chart.json", b"{}");
    let typed = fixture.add_file("root", "typed", b"");
    let remote = fixture.change(|state| {
        let tree = &mut state.tree;
        tree.find_mut(node_id(&typed)).unwrap().media_type = "text/csv".to_owned();
        let notebook = tree.add_folder("root", "Notes");
        tree.find_mut(&notebook).unwrap().media_type = NOTEBOOK.to_owned();
        let remote = tree.add_folder(SHARED_ROOT, "Theirs");
        let shortcut = tree.add_folder("root", "Shortcut");
        let shortcut = tree.find_mut(&shortcut).unwrap();
        shortcut.media_type = SHORTCUT.to_owned();
        shortcut.link = Some(remote.clone());
        remote
    });
    let entries = session.list_folder(ROOT_FOLDER, None).unwrap().entries;
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind, entry.is_spreadsheet))
        .collect();
    let (file_kind, folder_kind) = (EntryKind::File, EntryKind::Folder);
    let expected = [
        ("Folder.xlsx", folder_kind, false),
        ("a.chart.json", file_kind, false),
        ("typed", file_kind, true),
        ("Shortcut", folder_kind, false),
    ];
    assert_eq!(found, expected);
    assert_eq!((&entries[0].id, &entries[0].revision, entries[0].size), (&folder, &None, None));
    // The shortcut leads to the drive of somebody else.
    let theirs = &entries[3].id;
    assert_eq!(*theirs, format!("{SHARED_DRIVE}/{remote}"));
    let file = session.create_file(theirs, "b.csv", b"x").unwrap();
    assert!(file.id.starts_with(SHARED_DRIVE));
    assert_eq!(session.folder(theirs).unwrap().name, "Theirs");
    let other_drive = format!("{DRIVE}/{}", node_id(&file.id));
    assert_eq!(session.file(&other_drive), Err(CloudError::NotFound));
}

#[test]
fn cursors_are_checked() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let list = |cursor: &str| session.list_folder(ROOT_FOLDER, Some(cursor));
    let api = &fixture.settings.api_url;
    let expired = format!("{api}/v1.0/me/drive/root/children?$skiptoken=b2xk");
    assert_eq!(list(&expired), Err(CloudError::CursorExpired));
    let body = json!({"error": {"code": "resyncRequired", "message": "", "innerError": {}}});
    fixture.fail(vec![Response::json(410, &body)]);
    assert_eq!(list(&expired), Err(CloudError::CursorExpired));
    // No other host gets a request.
    let login = fixture.settings.token_url.replace("/token", "/authorize");
    let before = fixture.change(|state| state.log.len());
    for cursor in ["", "/v1.0/me", "file:///etc/passwd", &login, "https://graph.example.com/v1.0"] {
        assert_eq!(list(cursor), Err(CloudError::Unreadable), "{cursor}");
    }
    assert_eq!(fixture.change(|state| state.log.len()), before);
}
