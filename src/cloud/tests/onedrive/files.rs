//! Files, saves and downloads.

use chartroom_cloud::CloudError;
use chartroom_cloud::Fetched;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::onedrive::DRIVE;
use chartroom_stand_ins::onedrive::SHARED_ROOT;
use serde_json::json;

use crate::Fixture;
use crate::fetched;
use crate::node_id;

#[test]
fn files_are_created_read_and_updated() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let folder = fixture.add_folder("root", "Folder");
    let created = session.create_file(&folder, "Ümläut 'q' #1 100% 📈.chart.json", b"one").unwrap();
    assert_eq!(created.name, "Ümläut 'q' #1 100% 📈.chart.json");
    assert_eq!((created.size, created.folder_id.as_deref()), (3, Some(folder.as_str())));
    assert_eq!(session.file(&created.id).unwrap(), created);
    let again = session.create_file(&folder, "ümläut 'q' #1 100% 📈.chart.json", b"x");
    assert_eq!(again, Err(CloudError::NameConflict));
    let (file, bytes) = session.read_file(&created.id, 10).unwrap();
    assert_eq!((file, bytes), (created.clone(), b"one".to_vec().into()));
    assert_eq!(session.read_file(&created.id, 2), Err(CloudError::TooLarge));

    let updated = session.update_file(&created.id, b"second", Some(&created.revision)).unwrap();
    assert_ne!(updated.revision, created.revision);
    assert_eq!((updated.size, &updated.id), (6, &created.id));
    let stale = session.update_file(&created.id, b"third", Some(&created.revision));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    assert_eq!(session.read_file(&created.id, 10).unwrap().1, b"second");
    session.update_file(&created.id, b"", None).unwrap();
    assert_eq!(session.read_file(&created.id, 10).unwrap().1, b"");

    let in_root = session.create_file(ROOT_FOLDER, "root.csv", b"x").unwrap();
    assert_eq!(in_root.folder_id.as_deref(), Some(ROOT_FOLDER));
}

#[test]
fn refused_characters_are_replaced() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let name = |name: &str| session.create_file(ROOT_FOLDER, name, b"x").unwrap().name;
    assert_eq!(name(r#" a"b\c/d:e*f?<g>|h.json "#), "a_b_c_d_e_f__g__h.json");
    assert_eq!(name(".."), "._");
    assert_eq!(name("tab\there."), "tab_here_");
    assert_eq!(name(""), "_");
    assert_eq!(session.create_folder(ROOT_FOLDER, "a/b").unwrap().name, "a_b");
}

#[test]
fn save_survives_changes_of_the_etag_only() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a.json", b"one").unwrap();
    fixture.behave(|behavior| behavior.touches = 1);
    let updated = session.update_file(&file.id, b"two", Some(&file.revision)).unwrap();
    assert_eq!(fixture.count("PUT /v1.0/drives/"), 2);
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"two");
    fixture.behave(|behavior| behavior.touches = 1);
    let renamed = session.rename_file(&file.id, "b.json", Some(&updated.revision)).unwrap();
    assert_eq!((renamed.name.as_str(), &renamed.revision), ("b.json", &updated.revision));

    fixture.behave(|behavior| behavior.touches = 100);
    let result = session.update_file(&file.id, b"three", Some(&updated.revision));
    assert_eq!(result, Err(CloudError::RevisionConflict));
    assert_eq!(fixture.count("PUT /v1.0/drives/"), 6);
    fixture.behave(|behavior| behavior.touches = 0);
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"two");
}

#[test]
fn save_never_overwrites_a_change_after_its_check() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a.json", b"one").unwrap();
    // Graph returns the item as it was before the change of somebody else.
    let stale = json!({
        "id": node_id(&file.id), "name": "a.json", "size": 3, "file": {},
        "eTag": "\"{00000000-0000-4000-8000-000000000001},1\"", "cTag": file.revision,
        "parentReference": {"driveId": DRIVE},
    });
    fixture.change(|state| state.tree.set_content(node_id(&file.id), b"theirs"));
    fixture.fail(vec![Response::json(200, &stale)]);
    let result = session.update_file(&file.id, b"ours", Some(&file.revision));
    assert_eq!(result, Err(CloudError::RevisionConflict));
    assert_eq!(fixture.count("PUT /v1.0/drives/"), 1);
    assert_eq!(session.read_file(&file.id, 10).unwrap().1, b"theirs");
}

#[test]
fn rename_checks_revision_and_name() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let file = session.create_file(ROOT_FOLDER, "a.json", b"one").unwrap();
    session.create_file(ROOT_FOLDER, "b.json", b"two").unwrap();
    let rename = |name: &str, revision| session.rename_file(&file.id, name, revision);
    assert_eq!(rename("B.json", None), Err(CloudError::NameConflict));
    assert_eq!(rename("c.json", Some("old")), Err(CloudError::RevisionConflict));
    let renamed = rename("ç: 📊.json", Some(&file.revision)).unwrap();
    assert_eq!((renamed.name.as_str(), renamed.revision), ("ç_ 📊.json", file.revision.clone()));
    assert_eq!(rename("Ç_ 📊.json", None).unwrap().name, "Ç_ 📊.json");
}

#[test]
fn read_repeats_until_revision_and_content_agree() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("root", "a.json", b"one");
    fixture.behave(|behavior| behavior.next_content = Some(b"two".to_vec()));
    let (file, bytes) = session.read_file(&id, 10).unwrap();
    assert_eq!(
        (bytes, file.revision),
        (b"two".to_vec().into(), session.file(&id).unwrap().revision)
    );
}

#[test]
fn sources_are_downloaded_if_changed() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("root", "a.csv", b"a,b");
    let source = fetched(session.fetch_source(&id, None).unwrap());
    assert_eq!((source.bytes.as_slice(), source.has_fixed_headers), (b"a,b".as_slice(), false));
    let revision = source.revision.unwrap();
    assert_eq!(session.fetch_source(&id, Some(&revision)), Ok(Fetched::NotModified));
    fixture.change(|state| state.tree.rename(node_id(&id), "b.csv"));
    assert_eq!(session.fetch_source(&id, Some(&revision)), Ok(Fetched::NotModified));
    fixture.change(|state| state.tree.set_content(node_id(&id), b"c"));
    assert_eq!(fetched(session.fetch_source(&id, Some(&revision)).unwrap()).bytes, b"c");
}

#[test]
fn links_are_redeemed() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let links = [
        "https://1drv.ms/x/s!AkK?e=1",
        "https://onedrive.live.com/edit.aspx?resid=1!2&cid=3",
        "https://example.sharepoint.com/:x:/g/personal/ann/Eä?e=>>>???",
    ];
    let folder_link = "https://1drv.ms/f/folder";
    for (index, link) in links.into_iter().enumerate() {
        let content = vec![b'0'; index + 1];
        fixture.change(|state| {
            let id = state.tree.add_file(SHARED_ROOT, &format!("{index}.xlsx"), &content);
            state.tree.find_mut(&id).unwrap().link = Some(link.to_owned());
        });
        let source = fetched(session.fetch_link(&format!("{link}#gid=1"), None).unwrap());
        assert_eq!(source.bytes, content);
        let again = session.fetch_link(link, source.revision.as_deref());
        assert_eq!(again, Ok(Fetched::NotModified));
    }
    fixture.change(|state| {
        let id = state.tree.add_folder(SHARED_ROOT, "Folder");
        state.tree.find_mut(&id).unwrap().link = Some(folder_link.to_owned());
    });
    assert!(matches!(session.fetch_link(folder_link, None), Err(CloudError::WrongType(_))));
    let missing = session.fetch_link("https://1drv.ms/x/missing", None);
    assert_eq!(missing, Err(CloudError::NotFound));
}
