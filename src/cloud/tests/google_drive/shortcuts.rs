//! Shortcuts to files and folders.

use chartroom_cloud::CloudError;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Fetched;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_stand_ins::google_drive;

use super::Fixture;

impl Fixture {
    fn add_shortcut(&self, name: &str, target: &str) -> String {
        self.add_typed(ROOT_FOLDER, name, google_drive::SHORTCUT, target.as_bytes())
    }
}

#[test]
fn shortcuts_to_files_have_their_content() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder("root", "f");
    let file = session.create_file(&folder, "a.chart.json", b"1").unwrap();
    let shortcut = fixture.add_shortcut("link", &file.id);
    let found = session.file(&shortcut).unwrap();
    assert_eq!((&found.id, found.name.as_str()), (&shortcut, "link"));
    assert_eq!((&found.revision, found.size), (&file.revision, 1));
    assert_eq!(session.read_file(&shortcut, 10), Ok((found.clone(), b"1".to_vec().into())));
    let updated = session.update_file(&shortcut, b"22", Some(&found.revision)).unwrap();
    assert_eq!((&updated.id, updated.name.as_str(), updated.size), (&shortcut, "link", 2));
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"22");
    let stale = session.update_file(&shortcut, b"3", Some(&found.revision));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    let renamed = session.rename_file(&shortcut, "new", Some(&updated.revision)).unwrap();
    assert_eq!((renamed.name.as_str(), &renamed.revision), ("new", &updated.revision));
    assert_eq!(session.file(&file.id).unwrap().name, "a.chart.json");
    let (entries, _) = fixture.list_all("root");
    let entry = entries.iter().find(|entry| entry.id == shortcut).unwrap();
    assert_eq!((entry.kind, entry.name.as_str()), (EntryKind::File, "new"));
    assert!(matches!(session.fetch_source(&shortcut, None), Ok(Fetched::File(_))));
    assert!(matches!(session.folder(&shortcut), Err(CloudError::WrongType(_))));
}

#[test]
fn shortcuts_to_folders_list_their_content() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let shortcut = fixture.add_shortcut("link", &folder);
    assert_eq!(fixture.list_all(&shortcut), (Vec::new(), 1));
    let created = session.create_file(&shortcut, "a", b"1").unwrap();
    assert_eq!(fixture.stand_in.lock().tree.find(&created.id).unwrap().parent, folder);
    let again = session.create_file(&shortcut, "a", b"1");
    assert_eq!(again, Err(CloudError::NameConflict));
    session.create_folder(&shortcut, "b").unwrap();
    session.create_file(&shortcut, "c", b"1").unwrap();
    fixture.stand_in.lock().page_size = 1;
    let (entries, pages) = fixture.list_all(&shortcut);
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, pages), (vec!["b", "a", "c"], 3));
    let found = session.folder(&shortcut).unwrap();
    assert_eq!((found.id.as_str(), found.name.as_str()), (shortcut.as_str(), "link"));
    // Only the shortcut is deleted.
    session.delete_folder(&shortcut).unwrap();
    assert_eq!(session.folder(&shortcut), Err(CloudError::NotFound));
    assert!(session.folder(&folder).is_ok());
}

#[test]
fn shortcuts_without_target_are_not_found() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file(ROOT_FOLDER, "a", b"1");
    let first = fixture.add_shortcut("first", &file);
    let second = fixture.add_shortcut("second", &first);
    let own = fixture.add_shortcut("own", "");
    fixture.stand_in.lock().tree.set_content(&own, own.as_bytes());
    let missing = fixture.add_shortcut("missing", "missing");
    let empty = fixture.add_shortcut("empty", "");
    for id in [second, own, missing, empty] {
        assert_eq!(session.file(&id), Err(CloudError::NotFound));
        assert_eq!(session.read_file(&id, 10), Err(CloudError::NotFound));
        assert_eq!(session.update_file(&id, b"2", None), Err(CloudError::NotFound));
        assert_eq!(session.fetch_source(&id, None), Err(CloudError::NotFound));
        assert_eq!(session.create_file(&id, "x", b""), Err(CloudError::NotFound));
    }
    fixture.stand_in.lock().tree.trash(&file);
    assert_eq!(session.file(&first), Err(CloudError::NotFound));
}

#[test]
fn resource_keys_of_targets_are_sent() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = fixture.add_file("shared", "a.csv", b"1");
    let link = format!("https://drive.google.com/file/d/{file}/view?resourcekey=0-kE_y");
    fixture.stand_in.lock().tree.find_mut(&file).unwrap().link = Some(link);
    assert_eq!(session.file(&file), Err(CloudError::NotFound));
    let shortcut = fixture.add_shortcut("link.csv", &file);
    assert_eq!(session.read_file(&shortcut, 10).unwrap().1, b"1");
    assert!(session.update_file(&shortcut, b"2", None).is_ok());
    assert_eq!(session.read_file(&shortcut, 10).unwrap().1, b"2");
}
