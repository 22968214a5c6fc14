//! Accounts, workspaces, folders, and sheets as folders.

use chartroom_cloud::CloudError;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Folder;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_stand_ins::http::Response;
use serde_json::json;

use super::setup::NAMES;
use super::setup::Setup;

#[test]
fn reads_the_account() {
    let setup = Setup::new();
    let account = setup.session().account().unwrap();
    assert_eq!(account.address, "ann@example.com");
    // One more than 2^53, which no floating-point number has.
    assert_eq!(account.key, "9007199254740993");
}

#[test]
fn lists_workspaces_folders_and_sheets() {
    let setup = Setup::new();
    let (team, reports, sales) = setup.example();
    let root = setup.list_all(ROOT_FOLDER);
    assert_eq!(root.len(), 1);
    assert_eq!(root[0].entries[0].id, format!("workspace:{team}"));
    assert_eq!(root[0].entries[0].kind, EntryKind::Folder);
    assert_eq!(root[0].entries[0].name, "Team");

    let page = setup.session().list_folder(&format!("workspace:{team}"), None).unwrap();
    let entries: Vec<(EntryKind, &str, bool)> = page
        .entries
        .iter()
        .map(|entry| (entry.kind, entry.id.as_str(), entry.is_spreadsheet))
        .collect();
    let (reports, sales) = (format!("folder:{reports}"), format!("sheet:{sales}"));
    assert_eq!(
        entries,
        [
            (EntryKind::Folder, sales.as_str(), false),
            (EntryKind::Folder, reports.as_str(), false),
            (EntryKind::File, sales.as_str(), true),
        ]
    );
    assert!(setup.session().list_folder(&reports, None).unwrap().entries.is_empty());
    assert!(setup.session().list_folder(&sales, None).unwrap().entries.is_empty());
}

#[test]
fn pages_continue_with_the_cursor() {
    let setup = Setup::new();
    let (team, ..) = setup.example();
    setup.stand_in.lock().page_size = 2;
    for number in 0..6 {
        setup.sheets().add_workspace(&format!("W{number}"));
        setup.sheets().add_folder(team, &format!("F{number}"));
    }
    assert_eq!(setup.list_all(ROOT_FOLDER).len(), 4);
    let pages = setup.list_all(&format!("workspace:{team}"));
    let names: Vec<String> =
        pages.into_iter().flat_map(|page| page.entries).map(|entry| entry.name).collect();
    assert_eq!(names, ["Sales", "Reports", "Sales", "F0", "F1", "F2", "F3", "F4", "F5"]);
}

#[test]
fn unknown_cursors_are_expired() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    for id in [ROOT_FOLDER, &format!("sheet:{sheet}")] {
        let result = setup.session().list_folder(id, Some("other"));
        assert_eq!(result, Err(CloudError::CursorExpired));
    }
}

#[test]
fn folders_know_their_parents() {
    let setup = Setup::new();
    let (team, reports, sales) = setup.example();
    let inner = setup.sheets().add_folder(reports, "Inner");
    let deep = setup.sheets().add_sheet(Some(inner), "Deep", &[], &[]);
    let lone = setup.sheets().add_sheet(None, "Lone", &[], &[]);
    let folder = |id: &str| setup.session().folder(id).unwrap();
    let expected = |id: &str, name: &str, parent: Option<String>| Folder {
        id: id.to_owned(),
        name: name.to_owned(),
        parent_id: parent,
    };
    assert_eq!(folder(ROOT_FOLDER), expected(ROOT_FOLDER, "", None));
    for (id, name, parent) in [
        (format!("workspace:{team}"), "Team", Some(ROOT_FOLDER.to_owned())),
        (format!("folder:{reports}"), "Reports", Some(format!("workspace:{team}"))),
        (format!("folder:{inner}"), "Inner", Some(format!("folder:{reports}"))),
        (format!("sheet:{sales}"), "Sales", Some(format!("workspace:{team}"))),
        (format!("sheet:{deep}"), "Deep", Some(format!("folder:{inner}"))),
        (format!("sheet:{lone}"), "Lone", None),
    ] {
        assert_eq!(folder(&id), expected(&id, name, parent));
    }
}

#[test]
fn a_path_may_begin_with_a_folder() {
    let setup = Setup::new();
    let link = "https://app.smartsheet.com/folders/abc";
    let inner = json!({"id": 6, "name": "Inner", "permalink": link});
    let path = json!({"id": 5, "name": "Outer", "permalink": link, "folders": [inner]});
    for (id, name, parent) in [("folder:5", "Outer", None), ("folder:6", "Inner", Some("folder:5"))]
    {
        setup.inject(Response::json(200, &path));
        let folder = setup.session().folder(id).unwrap();
        assert_eq!((folder.name.as_str(), folder.parent_id.as_deref()), (name, parent));
    }
    setup.inject(Response::json(200, &path));
    assert_eq!(setup.session().folder("folder:7"), Err(CloudError::Unreadable));
}

#[test]
fn creates_folders() {
    let setup = Setup::new();
    let session = setup.session();
    setup.stand_in.lock().page_size = 1;
    let workspace = session.create_folder(ROOT_FOLDER, "Charts").unwrap();
    assert_eq!(workspace.parent_id.as_deref(), Some(ROOT_FOLDER));
    assert_eq!(session.folder(&workspace.id).unwrap(), workspace);
    assert_eq!(session.create_folder(ROOT_FOLDER, "Charts"), Err(CloudError::NameConflict));
    let mut parent = workspace;
    for name in NAMES {
        let folder = session.create_folder(&parent.id, name).unwrap();
        assert_eq!(folder.name, name);
        assert_eq!(folder.parent_id.as_ref(), Some(&parent.id));
        assert_eq!(session.folder(&folder.id).unwrap(), folder);
        let again = session.create_folder(&parent.id, name);
        assert_eq!(again, Err(CloudError::NameConflict));
        parent = folder;
    }
    let (.., sheet) = setup.example();
    let inside = session.create_folder(&format!("sheet:{sheet}"), "x");
    assert!(matches!(inside, Err(CloudError::WrongType(_))));
}

#[test]
fn deletes_workspaces_and_folders_but_no_sheets() {
    let setup = Setup::new();
    let session = setup.session();
    let (team, reports, sales) = setup.example();
    for id in [format!("sheet:{sales}"), ROOT_FOLDER.to_owned()] {
        assert!(matches!(session.delete_folder(&id), Err(CloudError::WrongType(_))));
    }
    let id = format!("folder:{reports}");
    session.delete_folder(&id).unwrap();
    assert_eq!(session.delete_folder(&id), Err(CloudError::NotFound));
    session.delete_folder(&format!("workspace:{team}")).unwrap();
    assert_eq!(session.folder(&format!("sheet:{sales}")), Err(CloudError::NotFound));
}

#[test]
fn wrong_ids_are_not_found() {
    let setup = Setup::new();
    let (team, _, sales) = setup.example();
    let session = setup.session();
    let unknown = [
        "",
        "sheet",
        "sheet:",
        "sheet:x",
        "sheet:-1",
        "sheet:+1",
        "sheet:1/2",
        "folder:../x",
        "file:1",
        "attachment:1",
        "attachment:1/",
        "sheet:99999999999999999999",
        "sheet:1",
        "folder:1",
        "workspace:1",
    ];
    for id in unknown {
        assert_eq!(session.folder(id), Err(CloudError::NotFound), "{id}");
        assert_eq!(session.list_folder(id, None), Err(CloudError::NotFound), "{id}");
    }
    // The right number with the wrong kind.
    assert_eq!(session.folder(&format!("folder:{team}")), Err(CloudError::NotFound));
    assert_eq!(session.folder(&format!("workspace:{sales}")), Err(CloudError::NotFound));
    let file = setup.sheets().add_attachment(sales, "a.json", b"{}");
    let file = format!("attachment:{sales}/{file}");
    assert!(matches!(session.folder(&file), Err(CloudError::WrongType(_))));
    assert!(matches!(session.list_folder(&file, None), Err(CloudError::WrongType(_))));
    assert!(matches!(session.delete_folder(&file), Err(CloudError::WrongType(_))));
}
