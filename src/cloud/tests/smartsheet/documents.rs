//! Documents as attachments of sheets.

use chartroom_cloud::CloudError;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Fetched;
use chartroom_stand_ins::http::Response;

use super::setup::NAMES;
use super::setup::Setup;

#[test]
fn creates_and_reads_files() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let (session, folder) = (setup.session(), format!("sheet:{sheet}"));
    for (index, name) in NAMES.into_iter().enumerate() {
        let content = vec![b'\n'; index * 1_000];
        let created = session.create_file(&folder, name, &content).unwrap();
        assert_eq!(created.name, name);
        assert_eq!(created.size, u64::try_from(content.len()).unwrap());
        assert_eq!(created.folder_id.as_ref(), Some(&folder));
        assert_eq!(session.create_file(&folder, name, b"2"), Err(CloudError::NameConflict));
        let (read, bytes) = session.read_file(&created.id, 10_000).unwrap();
        assert_eq!((read, bytes), (created.clone(), content.into()));
        let file = session.file(&created.id).unwrap();
        assert_eq!((file.name.as_str(), file.revision), (name, created.revision));
    }
    let kinds: Vec<String> =
        setup.sheets().attachments.iter().map(|file| file.media_type.clone()).collect();
    assert_eq!(kinds, vec!["application/json"; NAMES.len()]);
    for line in setup.take_log().iter().filter(|line| line.contains("/download-")) {
        assert!(!line.contains("+token"), "{line}");
    }
}

#[test]
fn lists_files_in_pages() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    for number in 0..5 {
        setup.sheets().add_attachment(sheet, &format!("{number}.chart.json"), b"{}");
    }
    setup.sheets().add_attachment(sheet, "Table.XLSX", b"PK");
    setup.sheets().add_attachment(sheet, "link", b"");
    setup.sheets().attachments[6].kind = "LINK".to_owned();
    let first = setup.sheets().attachments[0].id;
    let newest = setup.sheets().add_version(sheet, Some(first), ("0.chart.json", ""), b"[]");
    setup.stand_in.lock().page_size = 2;
    let pages = setup.list_all(&format!("sheet:{sheet}"));
    assert_eq!(pages.len(), 4);
    let entries: Vec<_> = pages.into_iter().flat_map(|page| page.entries).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let wanted = [
        "1.chart.json",
        "2.chart.json",
        "3.chart.json",
        "4.chart.json",
        "Table.XLSX",
        "0.chart.json",
    ];
    assert_eq!(names, wanted);
    assert!(entries.iter().all(|entry| entry.kind == EntryKind::File && entry.size == Some(1024)));
    assert!(entries.iter().all(|entry| entry.is_spreadsheet == (entry.name == "Table.XLSX")));
    assert_eq!(entries[5].id, format!("attachment:{sheet}/{newest}"));
    assert_eq!(entries[5].revision, Some(newest.to_string()));
    // A name on a later page.
    let result = setup.session().create_file(&format!("sheet:{sheet}"), "Table.XLSX", b"");
    assert_eq!(result, Err(CloudError::NameConflict));
    // A page behind the last one, which Smartsheet replaces by the last one.
    let beyond = setup.session().list_folder(&format!("sheet:{sheet}"), Some("9")).unwrap();
    assert!(beyond.entries.is_empty() && beyond.cursor.is_none());
}

#[test]
fn updates_with_and_without_revision() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let session = setup.session();
    let created = session.create_file(&format!("sheet:{sheet}"), "a.chart.json", b"1").unwrap();
    let second = session.update_file(&created.id, b"22", Some(&created.revision)).unwrap();
    assert_eq!((second.id.as_str(), second.size), (created.id.as_str(), 2));
    assert_ne!(second.revision, created.revision);
    let stale = session.update_file(&created.id, b"333", Some(&created.revision));
    assert_eq!(stale, Err(CloudError::RevisionConflict));
    // The ids of all versions name the file.
    for id in [created.id.clone(), format!("attachment:{sheet}/{}", second.revision)] {
        let (file, bytes) = session.read_file(&id, 100).unwrap();
        assert_eq!((file.revision, bytes), (second.revision.clone(), b"22".to_vec().into()));
    }
    let third = session.update_file(&created.id, b"4444", None).unwrap();
    assert_eq!(session.file(&created.id).unwrap().revision, third.revision);
    assert_eq!(setup.sheets().attachments.len(), 3);
}

#[test]
fn an_update_between_check_and_upload_is_a_conflict() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let session = setup.session();
    let created = session.create_file(&format!("sheet:{sheet}"), "a.chart.json", b"1").unwrap();
    setup.sheets().version_before_upload = Some(b"of another person".to_vec());
    let result = session.update_file(&created.id, b"mine", Some(&created.revision));
    assert_eq!(result, Err(CloudError::RevisionConflict));
    let (_, bytes) = session.read_file(&created.id, 100).unwrap();
    assert_eq!(bytes, b"of another person");
    // Rename keeps the change too.
    let revision = session.file(&created.id).unwrap().revision;
    setup.sheets().version_before_upload = Some(b"once more".to_vec());
    let result = session.rename_file(&created.id, "b.chart.json", Some(&revision));
    assert_eq!(result, Err(CloudError::RevisionConflict));
    let page = session.list_folder(&format!("sheet:{sheet}"), None).unwrap();
    assert_eq!(page.entries.len(), 1);
    assert_eq!(page.entries[0].name, "a.chart.json");
    assert_eq!(session.read_file(&created.id, 100).unwrap().1, b"once more");
}

#[test]
fn renames_files() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let (session, folder) = (setup.session(), format!("sheet:{sheet}"));
    let created = session.create_file(&folder, "a.chart.json", b"1").unwrap();
    let other = session.create_file(&folder, "b.chart.json", b"2").unwrap();
    let updated = session.update_file(&created.id, b"11", None).unwrap();
    let result = session.rename_file(&created.id, "c.chart.json", Some(&created.revision));
    assert_eq!(result, Err(CloudError::RevisionConflict));
    let result = session.rename_file(&created.id, "b.chart.json", None);
    assert_eq!(result, Err(CloudError::NameConflict));
    let same = session.rename_file(&created.id, "a.chart.json", None).unwrap();
    assert_eq!(same, updated);
    let mut id = created.id;
    for name in NAMES {
        let renamed = session.rename_file(&id, name, None).unwrap();
        assert_eq!(renamed.name, name);
        assert_ne!(renamed.id, id);
        assert_eq!(session.file(&id), Err(CloudError::NotFound));
        assert_eq!(
            session.read_file(&renamed.id, 10).unwrap(),
            (renamed.clone(), b"11".to_vec().into())
        );
        id = renamed.id;
    }
    assert_eq!(session.read_file(&other.id, 10).unwrap().1, b"2");
    setup.sheets().attachments[0].parent_kind = "ROW".to_owned();
    let result = session.rename_file(&other.id, "d.chart.json", None);
    assert!(matches!(result, Err(CloudError::WrongType(_))));
}

#[test]
fn wrong_types_and_missing_files() {
    let setup = Setup::new();
    let (team, folder, sheet) = setup.example();
    let session = setup.session();
    for id in [format!("workspace:{team}"), format!("folder:{folder}"), "root".to_owned()] {
        let created = session.create_file(&id, "a.json", b"");
        assert!(matches!(created, Err(CloudError::WrongType(_))));
        assert!(matches!(session.file(&id), Err(CloudError::WrongType(_))));
        assert!(matches!(session.read_file(&id, 9), Err(CloudError::WrongType(_))));
        assert!(matches!(session.update_file(&id, b"", None), Err(CloudError::WrongType(_))));
        assert!(matches!(session.rename_file(&id, "b", None), Err(CloudError::WrongType(_))));
        assert!(matches!(session.fetch_source(&id, None), Err(CloudError::WrongType(_))));
    }
    assert!(matches!(session.file(&format!("sheet:{sheet}")), Err(CloudError::WrongType(_))));
    let link = setup.sheets().add_attachment(sheet, "link", b"");
    setup.sheets().attachments[0].kind = "LINK".to_owned();
    let link = session.file(&format!("attachment:{sheet}/{link}"));
    assert!(matches!(link, Err(CloudError::WrongType(_))));
    for id in [format!("attachment:{sheet}/1"), "attachment:1/1".to_owned()] {
        assert_eq!(session.file(&id), Err(CloudError::NotFound));
        assert_eq!(session.read_file(&id, 9), Err(CloudError::NotFound));
        assert_eq!(session.update_file(&id, b"", None), Err(CloudError::NotFound));
        assert_eq!(session.rename_file(&id, "b", None), Err(CloudError::NotFound));
        assert_eq!(session.fetch_source(&id, None), Err(CloudError::NotFound));
    }
}

#[test]
fn downloads_are_limited_and_checked() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let session = setup.session();
    let id = setup.sheets().add_attachment(sheet, "a.csv", &[b'x'; 5_000]);
    let id = format!("attachment:{sheet}/{id}");
    assert_eq!(session.read_file(&id, 4_999), Err(CloudError::TooLarge));
    assert_eq!(session.read_file(&id, 100), Err(CloudError::TooLarge));
    assert_eq!(session.read_file(&id, 5_000).unwrap().1.len(), 5_000);
    let truncated = Response { is_truncated: true, ..Response::file(vec![b'x'; 5_000]) };
    setup.sheets().download_fault = Some(truncated);
    let result = session.read_file(&id, 5_000);
    assert!(matches!(result, Err(CloudError::Unreachable(_))), "{result:?}");
    setup.sheets().download_fault = Some(Response::text(403, "expired"));
    let expected = CloudError::Rejected { status: 403, code: String::new() };
    assert_eq!(session.read_file(&id, 5_000), Err(expected));
    let too_large = vec![0; (30 << 20) + 1];
    assert_eq!(session.update_file(&id, &too_large, None), Err(CloudError::TooLarge));
}

#[test]
fn attachments_are_sources_of_data() {
    let setup = Setup::new();
    let (.., sheet) = setup.example();
    let session = setup.session();
    let id = setup.sheets().add_attachment(sheet, "a.csv", b"a,b\n1,2\n");
    let name = format!("attachment:{sheet}/{id}");
    let Fetched::File(file) = session.fetch_source(&name, Some("1")).unwrap() else { panic!() };
    assert_eq!(file.bytes, b"a,b\n1,2\n");
    assert_eq!(file.revision, Some(id.to_string()));
    assert!(!file.has_fixed_headers && file.sheet.is_none());
    let again = session.fetch_source(&name, file.revision.as_deref()).unwrap();
    assert_eq!(again, Fetched::NotModified);
}
