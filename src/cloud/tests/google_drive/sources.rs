//! Downloads of tables, by id and by shared link.

use chartroom_cloud::CloudError;
use chartroom_cloud::Fetched;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::SourceFile;
use chartroom_stand_ins::google_drive;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::http::Server;
use serde_json::json;

use super::Fixture;

/// Returns the file of a download.
fn file_of(fetched: Fetched) -> SourceFile {
    match fetched {
        Fetched::File(file) => file,
        Fetched::NotModified => panic!("the file is not modified"),
    }
}

#[test]
fn files_are_downloaded_when_they_change() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_typed(ROOT_FOLDER, "a", "text/csv", b"a,b\n1,2\n");
    let first = file_of(session.fetch_source(&id, None).unwrap());
    assert_eq!(first.bytes, b"a,b\n1,2\n");
    assert_eq!(first.media_type.as_deref(), Some("text/csv"));
    assert!(first.sheet.is_none() && !first.has_fixed_headers);
    let revision = first.revision.unwrap();
    assert_eq!(session.fetch_source(&id, Some(&revision)), Ok(Fetched::NotModified));
    assert_eq!(session.file(&id).unwrap().revision, revision);
    // A new name is no change of the content.
    session.rename_file(&id, "b", None).unwrap();
    assert_eq!(session.fetch_source(&id, Some(&revision)), Ok(Fetched::NotModified));
    fixture.stand_in.lock().tree.set_content(&id, b"x");
    let second = file_of(session.fetch_source(&id, Some(&revision)).unwrap());
    assert_eq!(second.bytes, b"x");
    let other = fixture.add_file(ROOT_FOLDER, "c.bin", b"1");
    assert_eq!(file_of(session.fetch_source(&other, None).unwrap()).media_type, None);
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    assert!(matches!(session.fetch_source(&folder, None), Err(CloudError::WrongType(_))));
    assert_eq!(session.fetch_source("missing", None), Err(CloudError::NotFound));
}

#[test]
fn native_spreadsheets_are_exported() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_typed(ROOT_FOLDER, "a", google_drive::SPREADSHEET, b"PK xlsx");
    let first = file_of(session.fetch_source(&id, None).unwrap());
    assert_eq!((first.bytes.as_slice(), first.media_type.as_deref()), {
        (b"PK xlsx".as_slice(), Some(google_drive::XLSX))
    });
    let revision = first.revision.unwrap();
    assert_eq!(session.fetch_source(&id, Some(&revision)), Ok(Fetched::NotModified));
    fixture.stand_in.lock().tree.set_content(&id, b"PK 2");
    let second = file_of(session.fetch_source(&id, Some(&revision)).unwrap());
    assert_eq!(second.bytes, b"PK 2");
    assert_ne!(second.revision, Some(revision));
    assert!(matches!(session.read_file(&id, 1_000), Err(CloudError::WrongType(_))));
    let large = vec![0; google_drive::MAX_EXPORT_BYTES + 1];
    fixture.stand_in.lock().tree.set_content(&id, &large);
    // The editors export more than the API.
    let third = file_of(session.fetch_source(&id, None).unwrap());
    assert_eq!((third.bytes.len(), third.renumbers_sheets), (large.len(), true));
    for kind in ["document", "presentation", "form", "drive-sdk.796396377186"] {
        let media_type = format!("application/vnd.google-apps.{kind}");
        let id = fixture.add_typed(ROOT_FOLDER, "a.csv", &media_type, b"");
        assert!(matches!(session.fetch_source(&id, None), Err(CloudError::WrongType(_))));
        assert!(matches!(session.file(&id), Err(CloudError::WrongType(_))));
        assert!(matches!(session.rename_file(&id, "b", None), Err(CloudError::WrongType(_))));
    }
}

#[test]
fn links_lead_to_files() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_typed(ROOT_FOLDER, "a", google_drive::SPREADSHEET, b"PK xlsx");
    let links = [
        format!("https://docs.google.com/spreadsheets/d/{id}/edit?gid=0#gid=0"),
        format!("https://docs.google.com/spreadsheets/u/1/d/{id}/htmlview"),
        format!("https://drive.google.com/open?id={id}"),
        format!("https://drive.google.com/uc?export=download&id={id}"),
    ];
    for link in links {
        let file = file_of(session.fetch_link(&link, None).unwrap());
        assert_eq!(file.bytes, b"PK xlsx");
        let known = file.revision;
        assert_eq!(session.fetch_link(&link, known.as_deref()), Ok(Fetched::NotModified));
    }
    let folder = fixture.add_folder(ROOT_FOLDER, "f");
    let links = [
        format!("https://drive.google.com/drive/folders/{folder}"),
        format!("https://drive.google.com/open?id={folder}"),
        "https://docs.google.com/spreadsheets/d/e/2PACX-1v/pubhtml".to_owned(),
        "no link".to_owned(),
    ];
    for link in links {
        assert!(matches!(session.fetch_link(&link, None), Err(CloudError::WrongType(_))), "{link}");
    }
    let missing = session.fetch_link("https://drive.google.com/file/d/missing/view", None);
    assert_eq!(missing, Err(CloudError::NotFound));
}

#[test]
fn a_link_to_a_worksheet_gets_only_this_one() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_typed(ROOT_FOLDER, "a", google_drive::SPREADSHEET, b"PK xlsx");
    // An Excel file that the editors have opened has such links too.
    let excel = fixture.add_typed(ROOT_FOLDER, "b.xlsx", google_drive::XLSX, b"PK xlsx");
    for id in [&id, &excel] {
        let key = (id.clone(), "17".to_owned());
        fixture.stand_in.lock().worksheets.insert(key, b"a,b\n1,2\n".to_vec());
        let link = format!("https://docs.google.com/spreadsheets/d/{id}/edit?gid=0#gid=17");
        let file = file_of(session.fetch_link(&link, None).unwrap());
        assert_eq!((file.bytes.as_slice(), file.media_type.as_deref()), {
            (b"a,b\n1,2\n".as_slice(), Some("text/csv"))
        });
        let known = file.revision;
        assert_eq!(session.fetch_link(&link, known.as_deref()), Ok(Fetched::NotModified));
        let link = format!("https://docs.google.com/spreadsheets/d/{id}/edit#gid=18");
        assert_eq!(session.fetch_link(&link, None), Err(CloudError::NotFound));
    }
}

#[test]
fn links_have_resource_keys() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("shared", "a.csv", b"1");
    let link = format!("https://drive.google.com/file/d/{id}/view?resourcekey=0-kE_y&usp=x");
    fixture.stand_in.lock().tree.find_mut(&id).unwrap().link = Some(link.clone());
    assert_eq!(file_of(session.fetch_link(&link, None).unwrap()).bytes, b"1");
    for wrong in ["&resourcekey=0-other", "&resourcekey=a%0D%0Ab", ""] {
        let link = format!("https://drive.google.com/open?id={id}{wrong}");
        assert_eq!(session.fetch_link(&link, None), Err(CloudError::NotFound), "{link}");
    }
}

#[test]
fn redirects_of_downloads_have_no_token() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_typed(ROOT_FOLDER, "a", google_drive::SPREADSHEET, b"PK");
    let other = Server::start(|request| match request.header("authorization") {
        None => Response::file(b"PK redirected".to_vec()),
        Some(_) => Response::text(400, "unexpected token"),
    })
    .unwrap();
    let node = fixture.stand_in.lock().tree.find(&id).unwrap().clone();
    let metadata = json!({"id": id, "mimeType": google_drive::SPREADSHEET, "version": node.change.to_string()});
    fixture.fail(Response::redirect(&format!("{}/content", other.url)));
    fixture.fail(Response::json(200, &metadata));
    let file = file_of(session.fetch_source(&id, None).unwrap());
    assert_eq!(file.bytes, b"PK redirected");
}

#[test]
fn contents_have_the_revision_of_the_metadata() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file(ROOT_FOLDER, "a", b"new");
    let metadata = |revision: &str, checksum: Option<&str>| {
        let mut body = json!({"id": id, "name": "a", "headRevisionId": revision});
        if let Some(checksum) = checksum {
            body["sha256Checksum"] = checksum.into();
        }
        Response::json(200, &body)
    };
    let current = session.file(&id).unwrap();
    // The file changes between the metadata and the content.
    fixture.fail(metadata("old", Some(&"0".repeat(64))));
    assert_eq!(session.read_file(&id, 10), Ok((current.clone(), b"new".to_vec().into())));
    // The same without a checksum.
    fixture.fail(metadata("old", None));
    assert_eq!(session.read_file(&id, 10), Ok((current, b"new".to_vec().into())));
    // A content that never fits.
    let mut faults = Vec::new();
    for _ in 0..8 {
        faults.push(Response::text(200, "<html>sign in</html>"));
        faults.push(metadata("old", Some(&"0".repeat(64))));
    }
    fixture.stand_in.lock().faults = faults;
    assert_eq!(session.read_file(&id, 100), Err(CloudError::Unreadable));
}
