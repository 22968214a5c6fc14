//! Sheets as sources of data, and links to them.

use chartroom_cloud::CloudError;
use chartroom_cloud::Fetched;
use chartroom_cloud::SourceFile;
use chartroom_stand_ins::http::Response;
use serde_json::Value;
use serde_json::json;

use super::setup::Setup;

/// Returns the file of a download.
fn file_of(fetched: Fetched) -> SourceFile {
    match fetched {
        Fetched::File(file) => file,
        Fetched::NotModified => panic!("the source is not modified"),
    }
}

/// Returns the rows of a file.
fn rows_of(file: &SourceFile) -> Value {
    serde_json::from_slice(&file.bytes).unwrap()
}

#[test]
fn reads_a_sheet_with_all_types() {
    let setup = Setup::new();
    let (.., sales) = setup.example();
    let file = file_of(setup.session().fetch_source(&format!("sheet:{sales}"), None).unwrap());
    assert_eq!(file.media_type.as_deref(), Some("application/json"));
    assert_eq!(file.sheet, Some((sales.to_string(), "Sales".to_owned())));
    assert!(file.has_fixed_headers);
    assert_eq!(file.revision.as_deref(), Some("1"));
    let expected = json!([
        ["Item", "Day", "Amount", "Paid"],
        ["Pears", "2026-01-31", 12.5, "TRUE"],
        ["Apples", "2026-02-01", 40, "FALSE"],
        ["Plums", "", "", ""],
    ]);
    assert_eq!(rows_of(&file), expected);
}

#[test]
fn reads_the_text_that_a_sheet_shows() {
    let setup = Setup::new();
    let columns = [
        ("Contact \"\\🙂", "CONTACT_LIST"),
        ("When", "ABSTRACT_DATETIME"),
        ("Number", "TEXT_NUMBER"),
        ("Empty", "TEXT_NUMBER"),
    ];
    let large = 9_007_199_254_740_993_u64;
    let rows = [json!(["bo@example.com", "2026-01-31T10:00:00Z", large, null]), json!([])];
    let mut sheets = setup.sheets();
    let id = sheets.add_sheet(None, "Kontakte \"ü\" \\", &columns, &rows);
    let sheet = sheets.sheets.last_mut().unwrap();
    sheet.rows[0].cells[0].display = Some("Bo".to_owned());
    sheet.rows[0].cells[1].display = Some("31.01.26 10:00".to_owned());
    sheet.rows[1].cells[3].value = json!({"objectType": "MULTI_PICKLIST"});
    sheet.rows[1].cells[3].display = Some("a, b".to_owned());
    drop(sheets);
    let file = file_of(setup.session().fetch_source(&format!("sheet:{id}"), None).unwrap());
    let expected = json!([
        ["Contact \"\\🙂", "When", "Number", "Empty"],
        ["Bo", "2026-01-31T10:00:00Z", large, ""],
        ["", "", "", "a, b"],
    ]);
    assert_eq!(rows_of(&file), expected);
    assert_eq!(file.sheet.unwrap().1, "Kontakte \"ü\" \\");
}

#[test]
fn reads_all_pages() {
    let setup = Setup::new();
    let rows: Vec<Value> = (0..1_203).map(|number| json!([number])).collect();
    let id = setup.sheets().add_sheet(None, "Long", &[("N", "TEXT_NUMBER")], &rows);
    let expected: Vec<Value> = std::iter::once(json!(["N"])).chain(rows).collect();
    for page_size in [100_000, 1_000, 500, 97] {
        setup.stand_in.lock().page_size = page_size;
        let file = file_of(setup.session().fetch_source(&format!("sheet:{id}"), None).unwrap());
        assert_eq!(rows_of(&file), Value::from(expected.clone()), "{page_size}");
    }
    let empty = setup.sheets().add_sheet(None, "Empty", &[("N", "TEXT_NUMBER")], &[]);
    let file = file_of(setup.session().fetch_source(&format!("sheet:{empty}"), None).unwrap());
    assert_eq!(rows_of(&file), json!([["N"]]));
}

#[test]
fn a_known_version_is_not_downloaded() {
    let setup = Setup::new();
    let (.., sales) = setup.example();
    let id = format!("sheet:{sales}");
    let known = setup.session().fetch_source(&id, Some("1")).unwrap();
    assert_eq!(known, Fetched::NotModified);
    assert_eq!(setup.take_log(), [format!("GET /2.0/sheets/{sales}/version +token")]);
    setup.sheets().sheets[0].version = 2;
    let file = file_of(setup.session().fetch_source(&id, Some("1")).unwrap());
    assert_eq!(file.revision.as_deref(), Some("2"));
}

#[test]
fn a_sheet_that_changes_is_read_again() {
    let setup = Setup::new();
    setup.stand_in.lock().page_size = 2;
    let (.., sales) = setup.example();
    let id = format!("sheet:{sales}");
    setup.sheets().sheets[0].changes_during_reads = 1;
    let file = file_of(setup.session().fetch_source(&id, None).unwrap());
    assert_eq!(file.revision.as_deref(), Some("2"));
    setup.sheets().sheets[0].changes_during_reads = 100;
    let result = setup.session().fetch_source(&id, None);
    assert_eq!(result, Err(CloudError::Busy { retry_after: None }));
}

#[test]
fn sheets_are_limited() {
    let setup = Setup::new();
    let (.., sales) = setup.example();
    let id = format!("sheet:{sales}");
    let page = |rows: u64, columns: usize| {
        let columns: Vec<Value> =
            (0..columns).map(|number| json!({"id": number, "title": "t"})).collect();
        let body = json!({"name": "x", "version": 1, "totalRowCount": rows, "columns": columns});
        Response::json(200, &body)
    };
    for response in [page(200_001, 1), page(0, 2_001)] {
        setup.inject(response);
        assert_eq!(setup.session().fetch_source(&id, None), Err(CloudError::TooLarge));
    }
    // Fewer rows than announced, also with larger pages.
    setup.inject(page(9, 1));
    setup.inject(page(9, 1));
    assert_eq!(setup.session().fetch_source(&id, None), Err(CloudError::Unreadable));
    // More text than a download may have.
    let text = "x".repeat(27 << 20);
    let columns = [("T", "DATE")];
    let huge = setup.sheets().add_sheet(None, "Huge", &columns, &[json!([text])]);
    let result = setup.session().fetch_source(&format!("sheet:{huge}"), None);
    assert_eq!(result, Err(CloudError::TooLarge));
}

#[test]
fn hostile_pages_do_not_panic() {
    let setup = Setup::new();
    let (.., sales) = setup.example();
    let page = |rows: Value| {
        let columns = json!([{"id": 1, "title": "t", "index": 5}, {"id": 1, "title": "u"}]);
        Response::json(
            200,
            &json!({
                "name": "x", "version": 1, "totalRowCount": 2, "columns": columns, "rows": rows,
            }),
        )
    };
    let cell = json!({"columnId": 77, "value": 1});
    let twice = json!([{"rowNumber": 1, "cells": [cell]}, {"rowNumber": 1}]);
    let bodies = [
        page(twice),
        page(json!([{"rowNumber": -1}])),
        page(json!([{"rowNumber": 1, "cells": {"columnId": 1}}])),
        page(json!([{"rowNumber": 1, "cells": [{"columnId": 1.5}]}])),
        Response::json(200, &json!([])),
        Response::json(200, &json!({"version": 1})),
        Response::text(200, "<html>Sign in</html>"),
    ];
    for body in bodies {
        setup.inject(body);
        let result = setup.session().fetch_source(&format!("sheet:{sales}"), None);
        assert_eq!(result, Err(CloudError::Unreadable));
    }
}

#[test]
fn reads_links() {
    let setup = Setup::new();
    setup.stand_in.lock().page_size = 1;
    let lone = setup.sheets().add_sheet(None, "Lone", &[("A", "TEXT_NUMBER")], &[]);
    for link in [
        format!("https://app.smartsheet.com/sheets/key{lone}"),
        format!("https://app.smartsheet.com/sheets/key{lone}/?view=grid#x"),
    ] {
        let file = file_of(setup.session().fetch_link(&link, None).unwrap());
        assert_eq!(file.sheet, Some((lone.to_string(), "Lone".to_owned())));
        let known = file.revision.as_deref();
        assert_eq!(setup.session().fetch_link(&link, known).unwrap(), Fetched::NotModified);
    }
    for link in [
        "https://app.smartsheet.com/sheets/other",
        "https://app.smartsheet.com/b/home?lx=other",
        "no link",
        &format!("https://app.smartsheet.eu/sheets/key{lone}"),
    ] {
        let result = setup.session().fetch_link(link, None);
        assert_eq!(result, Err(CloudError::NotFound), "{link}");
    }
    for link in [
        "https://app.smartsheet.com/folders/abc",
        "https://app.smartsheet.com/workspaces/abc",
        "https://app.smartsheet.com/dashboards/abc",
        "https://app.smartsheet.com/sheets/",
        "https://publish.smartsheet.com/",
        "https://app.smartsheet.com/b/home",
        "mailto:ann@example.com",
    ] {
        let result = setup.session().fetch_link(link, None);
        assert!(matches!(result, Err(CloudError::WrongType(_))), "{link}");
    }
}

#[test]
fn reads_links_to_published_sheets() {
    let setup = Setup::new();
    let lone = setup.sheets().add_sheet(None, "Lone", &[("A", "TEXT_NUMBER")], &[]);
    let link = "https://publish.smartsheet.com/0a1b2c";
    let fetch = || setup.session().fetch_link(link, None);
    assert_eq!(fetch(), Err(CloudError::NotFound));
    setup.sheets().sheets[1].published = Some("0a1b2c".to_owned());
    assert_eq!(file_of(fetch().unwrap()).sheet, Some((lone.to_string(), "Lone".to_owned())));
    let page = "https://app.smartsheet.com/b/publish?EQBCT=0a1b2c";
    let found = setup.session().fetch_link(page, None);
    assert_eq!(file_of(found.unwrap()).sheet, Some((lone.to_string(), "Lone".to_owned())));
    let other = setup.session().fetch_link("https://publish.smartsheet.com/0a1b2", None);
    assert_eq!(other, Err(CloudError::NotFound));
    for number in 0..100 {
        setup.sheets().add_sheet(None, &number.to_string(), &[], &[]);
    }
    setup.sheets().sheets.swap(1, 101);
    setup.take_log();
    assert!(matches!(fetch(), Err(CloudError::WrongType(_))));
    assert!(setup.take_log().len() <= 103);
}
