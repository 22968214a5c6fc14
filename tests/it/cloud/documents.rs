//! Documents and folders at a provider.

use std::collections::BTreeSet;
use std::thread;

use serde_json::Value;
use serde_json::json;

use super::Setup;
use super::code_of;
use crate::client::Client;

/// Media type of workbooks.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The providers that have files in folders. Smartsheet has attachments of sheets.
pub const FILE_PROVIDERS: [&str; 4] = ["box", "dropbox", "googledrive", "onedrive"];

/// Creates a document in the root folder and returns its path in the API.
pub fn create(setup: &Setup, id: &str, title: &str) -> String {
    let body = json!({ "widget": "bar", "title": title });
    let created = setup.server.ann().post(&setup.path(id, "/documents"), body).expect(200).json();
    setup.path(id, &format!("/documents/{}", created["id"].as_str().unwrap()))
}

/// Returns the titles of the entries of a list by type.
fn titles(list: &Value, kind: &str) -> Vec<String> {
    let entries = list["results"].as_array().unwrap().iter();
    let mut titles: Vec<String> = entries
        .filter(|entry| entry["type"] == kind)
        .map(|entry| entry[kind]["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn a_document_is_created_read_changed_and_renamed() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        let path = create(&setup, &id, "Sales: “A/B” 📈");
        let read = ann.get(&path).expect(200);
        let document = read.json();
        assert_eq!(document["title"], "Sales: “A/B” 📈", "{provider}");
        assert_eq!(document["provider"], provider);
        assert_eq!(document["connection_id"], id.as_str());
        assert!(document["data"].as_array().unwrap().len() > 2);
        let revision = document["revision"].as_str().unwrap().to_owned();
        // A save with the revision.
        let mut changed = json!({
            "title": "New",
            "settings": document["settings"],
            "data": [{ "label": "a", "value": 1 }],
            "revision": revision,
        });
        let saved = ann.put(&path, changed.clone()).expect(200);
        let new_revision = saved.json()["revision"].as_str().unwrap().to_owned();
        assert_ne!(new_revision, revision);
        let now = ann.get(&path).expect(200);
        assert_eq!(now.json()["title"], "New");
        assert_eq!(now.json()["data"], json!([{ "label": "a", "value": 1 }]));
        assert_eq!(now.json()["plugin_id"], document["plugin_id"]);
        assert_eq!(now.json()["style"], document["style"], "omitted, so it stays");
        assert_eq!(now.json()["revision"], new_revision.as_str());
        // A stale save changes nothing and tells the current revision.
        let stale = ann.put(&path, changed.clone());
        assert_eq!(code_of(&stale, 409), "revision_conflict", "{provider}");
        assert_eq!(stale.json()["revision"], new_revision.as_str());
        // The entity tag has the same effect.
        let tag = now.header("etag").to_owned();
        changed["revision"] = Value::Null;
        changed["title"] = json!("Third");
        ann.with_header("if-match", &tag).put(&path, changed.clone()).expect(200);
        let stale = ann.with_header("if-match", &tag).put(&path, changed.clone());
        assert_eq!(code_of(&stale, 409), "revision_conflict");
        // Without a revision the last save wins.
        changed["title"] = json!("Fourth");
        ann.put(&path, changed).expect(200);
        let renamed = ann.post(&format!("{path}/rename"), json!({ "title": "Other" })).expect(200);
        assert_eq!(renamed.json()["title"], "Other");
        let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
        assert_eq!(titles(&list, "document"), ["Other"], "{provider}");
        assert_eq!(ann.get(&path).expect(200).json()["title"], "Fourth");
        // A field that breaks a rule is named, and nothing is stored.
        let wrong = ann.put(&path, json!({ "style": { "width": "wide" } }));
        assert_eq!(wrong.expect(400).json()["errors"][0]["field"], "style.width");
        assert_eq!(ann.get(&path).expect(200).json()["title"], "Fourth");
    }
}

#[test]
fn a_known_revision_is_not_loaded_again() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let path = create(&setup, &id, "Sales");
        let ann = setup.server.ann();
        let tag = ann.get(&path).expect(200).header("etag").to_owned();
        let known = ann.with_header("if-none-match", &tag).get(&path);
        assert_eq!((known.status, known.text().as_str()), (304, ""), "{provider}");
        assert_eq!(known.header("etag"), tag, "{provider}");
        ann.put(&path, json!({ "title": "New", "data": [] })).expect(200);
        let changed = ann.with_header("if-none-match", &tag).get(&path);
        assert_eq!(changed.expect(200).json()["title"], "New", "{provider}");
    }
}

#[test]
fn saves_without_a_revision_do_not_refuse_each_other() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let path = create(&setup, &id, "Sales");
        thread::scope(|threads| {
            for number in 0..4 {
                let (setup, path) = (&setup, &path);
                threads.spawn(move || {
                    let body = json!({ "title": format!("Title {number}"), "data": [] });
                    setup.server.ann().put(path, body).expect(200);
                });
            }
        });
        let title = setup.server.ann().get(&path).expect(200).json()["title"].clone();
        assert!(title.as_str().unwrap().starts_with("Title "), "{provider}");
    }
}

#[test]
fn a_name_that_is_taken_gets_a_number_and_conflicts_at_a_rename() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        create(&setup, &id, "Sales");
        let second = create(&setup, &id, "Sales");
        let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
        assert_eq!(titles(&list, "document"), ["Sales", "Sales (2)"], "{provider}");
        let renamed = ann.post(&format!("{second}/rename"), json!({ "title": "Sales" }));
        assert_eq!(code_of(&renamed, 409), "conflict", "{provider}");
    }
}

#[test]
fn folders_are_created_listed_in_parts_and_deleted() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        let created = ann.post(&setup.path(&id, "/folders"), json!({ "title": "Reports" }));
        let folder = created.expect(200).json();
        assert_eq!(folder["title"], "Reports");
        let folder_id = folder["id"].as_str().unwrap().to_owned();
        let again = ann.post(&setup.path(&id, "/folders"), json!({ "title": "Reports" }));
        assert_eq!(code_of(&again, 409), "conflict", "{provider}");
        for number in 0..5 {
            let body = json!({ "widget": "pie", "title": format!("Chart {number}"), "folder_id": folder_id });
            ann.post(&setup.path(&id, "/documents"), body).expect(200);
        }
        setup.stand_in.lock().page_size = 2;
        let mut list =
            ann.get(&setup.path(&id, &format!("/folders/{folder_id}"))).expect(200).json();
        assert_eq!(list["folder"]["title"], "Reports");
        let mut seen = BTreeSet::new();
        let mut pages = 1;
        let mut last_cursor = String::new();
        loop {
            seen.extend(titles(&list, "document"));
            let Some(cursor) = list["cursor"].as_str().map(str::to_owned) else { break };
            last_cursor.clone_from(&cursor);
            pages += 1;
            assert!(pages < 10, "{provider}: the list does not end");
            let path = setup.path(&id, &format!("/folders/continue/{cursor}"));
            list = ann.get(&path).expect(200).json();
            assert_eq!(list["folder"]["title"], "Reports");
        }
        assert_eq!(seen.len(), 5, "{provider}: {seen:?}");
        assert!(pages > 1, "{provider}");
        assert_cursor_belongs_to_connection(&setup, &id, &last_cursor);
        ann.delete(&setup.path(&id, &format!("/folders/{folder_id}"))).expect(204);
        let gone = ann.get(&setup.path(&id, &format!("/folders/{folder_id}")));
        assert_eq!(code_of(&gone, 404), "not_found", "{provider}");
        let root = ann.delete(&setup.path(&id, "/folders/root"));
        assert_eq!(root.status, 400);
    }
}

/// Checks that a changed cursor and that of another user are refused.
fn assert_cursor_belongs_to_connection(setup: &Setup, id: &str, cursor: &str) {
    let ann = setup.server.ann();
    let middle = cursor.len() / 2;
    let other = if cursor.as_bytes()[middle] == b'A' { "B" } else { "A" };
    let changed = format!("{}{other}{}", &cursor[..middle], &cursor[middle + 1..]);
    for text in [changed.as_str(), "none", "aHR0cDovL2V2aWwuZXhhbXBsZQ"] {
        let refused = ann.get(&setup.path(id, &format!("/folders/continue/{text}")));
        assert_eq!(refused.expect(400).json()["errors"][0]["field"], "cursor");
    }
    let ben = setup.server.ben().get(&setup.path(id, &format!("/folders/continue/{cursor}")));
    assert_eq!(ben.status, 404);
}

#[test]
fn files_are_listed_on_request_with_an_address_for_sources() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        {
            let mut state = setup.stand_in.lock();
            state.tree.add_file("root", "Numbers.xlsx", b"PK");
            state.tree.add_file("root", "Photo.png", b"png");
        }
        create(&setup, &id, "Sales");
        let ann = setup.server.ann();
        let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
        assert_eq!(titles(&list, "file"), [""; 0]);
        let list = ann.get(&setup.path(&id, "/folders?files=1")).expect(200).json();
        assert_eq!(titles(&list, "file"), ["Numbers.xlsx", "Photo.png"], "{provider}");
        assert_eq!(titles(&list, "document"), ["Sales"]);
        for entry in list["results"].as_array().unwrap().iter().filter(|one| one["type"] == "file")
        {
            let file = &entry["file"];
            assert_eq!(
                file["is_spreadsheet"],
                file["title"] == "Numbers.xlsx",
                "{provider} {file}"
            );
            let start = format!("cloud://{provider}/{id}/");
            assert!(file["sync_url"].as_str().unwrap().starts_with(&start), "{file}");
        }
        assert_eq!(ann.get(&setup.path(&id, "/folders?files=maybe")).status, 400);
    }
}

/// Returns a form with files.
fn form(files: &[&str]) -> String {
    let mut body = String::new();
    for (number, text) in files.iter().enumerate() {
        body.push_str(&format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{number}.chart.json\"\r\n\r\n{text}\r\n"
        ));
    }
    body.push_str("--x--\r\n");
    body
}

/// Uploads a body and returns the response.
fn upload(ann: &Client<'_>, path: &str, content_type: &str, body: &str) -> crate::client::Response {
    ann.with_header("content-type", content_type).send("POST", path, Some(body))
}

#[test]
fn document_files_are_uploaded_and_replaced() {
    let file = |title: &str| {
        json!({
            "format": "chartroom", "format_version": 1, "plugin_id": "bar", "title": title,
            "data": [{ "label": "a", "value": 1 }], "by_another_program": [1, { "b": null }],
        })
        .to_string()
    };
    let form_type = "multipart/form-data; boundary=x";
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let ann = setup.server.ann();
        let path = setup.path(&id, "/upload/root");
        let stored = upload(&ann, &path, form_type, &form(&[&file("One"), &file("Two")]));
        assert_eq!(stored.expect(200).json().as_array().unwrap().len(), 2, "{provider}");
        let stored = upload(&ann, &path, "application/json", &file("Three")).expect(200).json();
        let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
        assert_eq!(titles(&list, "document"), ["One", "Three", "Two"], "{provider}");
        let three = stored[0]["id"].as_str().unwrap();
        let replaced = upload(&ann, &format!("{path}/{three}"), "application/json", &file("Again"))
            .expect(200);
        assert_eq!(replaced.json()[0]["id"], three);
        let document = setup.path(&id, &format!("/documents/{three}"));
        assert_eq!(ann.get(&document).expect(200).json()["title"], "Again");
        // Members of other programs stay at a save.
        let body = json!({ "title": "Saved", "data": [] });
        ann.put(&document, body).expect(200);
        let state = setup.stand_in.lock();
        let node = state.tree.nodes.iter().find(|node| node.name == "Three.chart.json").unwrap();
        let content: Value = serde_json::from_slice(node.content.as_ref().unwrap()).unwrap();
        assert_eq!(content["by_another_program"], json!([1, { "b": null }]));
        assert_eq!(content["title"], "Saved");
        drop(state);
        // A file that is no document keeps all others from being stored.
        let wrong = upload(&ann, &path, form_type, &form(&[&file("Four"), "{}"]));
        assert_eq!(wrong.expect(400).json()["errors"][0]["field"], "file[1]");
        let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
        assert_eq!(titles(&list, "document").len(), 3);
        assert_eq!(upload(&ann, &path, form_type, &form(&[])).status, 400);
        assert_eq!(upload(&ann, &path, "text/plain", "x").status, 415);
    }
}

#[test]
fn large_uploads_are_stored_and_those_that_take_too_much_memory_are_refused() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let ann = setup.server.ann();
    let path = setup.path(&id, "/upload/root");
    let file = |title: &str, settings: &str, text: &str| {
        format!(
            r#"{{"format":"chartroom","format_version":1,"plugin_id":"bar","title":"{title}",
            "settings":{{{settings}}},"data":[{{"label":"{text}","value":1}}]}}"#
        )
    };
    // 60 MiB, near the limit of an upload.
    let text = "x".repeat(15 << 20);
    let files = ["One", "Two", "Three", "Four"].map(|title| file(title, "", &text));
    let body = form(&files.each_ref().map(String::as_str));
    let stored = upload(&ann, &path, "multipart/form-data; boundary=x", &body).expect(200).json();
    assert_eq!(stored.as_array().unwrap().len(), 4);
    // Parsed, the settings take more than 400 MiB.
    let zeros = format!(r#""title":[{}0]"#, "0,".repeat(7 << 20));
    let refused = upload(&ann, &path, "application/json", &file("Five", &zeros, "")).expect(413);
    assert!(refused.json()["detail"].as_str().unwrap().contains("MiB of memory"));
}

#[test]
fn files_of_others_are_not_read_as_documents() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let newer =
        json!({ "format": "chartroom", "format_version": 2, "plugin_id": "bar" }).to_string();
    let texts = ["", "[]", "{\"a\":1}", "\u{0}", newer.as_str()];
    {
        let mut state = setup.stand_in.lock();
        for (number, text) in texts.iter().enumerate() {
            state.tree.add_file("root", &format!("{number}.chart.json"), text.as_bytes());
        }
        state.tree.add_folder("root", "Folder.chart.json");
    }
    let ann = setup.server.ann();
    let list = ann.get(&setup.path(&id, "/folders")).expect(200).json();
    for entry in list["results"].as_array().unwrap() {
        let kind = entry["type"].as_str().unwrap();
        let object = entry[kind]["id"].as_str().unwrap();
        let read = ann.get(&setup.path(&id, &format!("/documents/{object}")));
        match kind {
            "folder" => assert_eq!(read.status, 400, "{read}"),
            _ => assert_eq!(code_of(&read, 502), "remote_unreadable", "{entry}"),
        }
    }
    let unknown = ann.get(&setup.path(&id, "/documents/aWQ6bm9uZQ"));
    assert_eq!(code_of(&unknown, 404), "not_found");
}

#[test]
fn a_document_has_a_page_for_the_user_of_the_connection() {
    let setup = Setup::start("box");
    let id = setup.connect();
    let body = json!({ "widget": "bar", "title": "<Sales> & more" });
    let created = setup.server.ann().post(&setup.path(&id, "/documents"), body).expect(200).json();
    let view = created["document_view"].as_str().unwrap();
    let path = view.strip_prefix(&setup.server.base_url).unwrap();
    let page = setup.browser("ann").get(path).expect(200).text();
    assert!(page.contains("&#60;Sales&#62; &#38; more") && !page.contains("<Sales>"), "{page}");
    assert!(
        page.contains("<svg part=\"image\"") && page.contains("data-provider=\"Box\""),
        "{page}"
    );
    let endpoint = created["endpoint"].as_str().unwrap().strip_prefix(&setup.server.base_url);
    let endpoint = endpoint.unwrap();
    assert!(page.contains(&format!("data-endpoint=\"{endpoint}\"")), "{page}");
    let preview = setup.server.ann().get(&format!("{endpoint}/request-preview?type=svg"));
    let preview = preview.expect(200).json()["url"].as_str().unwrap().to_owned();
    let preview = preview.strip_prefix(&setup.server.base_url).unwrap();
    assert!(setup.server.guest().get(preview).expect(200).body.starts_with(b"<svg"));
    // The folders are loaded by scripts, so that the page needs no request at the provider.
    let folders = path.rsplit_once('/').unwrap().0;
    let requests = setup.stand_in.lock().log.len();
    assert!(setup.browser("ann").get(folders).expect(200).text().contains("id=\"cloud\""));
    assert_eq!(setup.stand_in.lock().log.len(), requests);
    assert_eq!(setup.browser("ben").get(folders).status, 404);
    assert!(setup.browser("ann").get("/").expect(200).text().contains(folders), "the library");
    assert_eq!(setup.browser("ben").get(path).status, 404);
}

#[test]
fn create_document_stores_at_a_provider() {
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let ann = setup.server.ann().with_header("idempotency-key", "once");
    let body = json!({ "widget": "pie", "provider": "dropbox", "connection_id": id });
    let created = ann.post("/api/v1/create-document", body.clone()).expect(200).json();
    let again = ann.post("/api/v1/create-document", body.clone()).expect(200).json();
    assert_eq!(created, again);
    assert_eq!(setup.stand_in.lock().tree.children("root").len(), 1, "the key has one effect");
    let endpoint =
        created["endpoint"].as_str().unwrap().strip_prefix(&setup.server.base_url).unwrap();
    assert_eq!(ann.get(endpoint).expect(200).json()["provider"], "dropbox");
    // A stored document as the template.
    let own = setup.server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let template = own.expect(200).json()["id"].clone();
    let body = json!({ "template": template, "title": "Copy" });
    let copy = setup.server.ann().post(&setup.path(&id, "/documents"), body);
    let endpoint = copy.expect(200).json()["endpoint"].as_str().unwrap().to_owned();
    let copied = ann.get(endpoint.strip_prefix(&setup.server.base_url).unwrap()).expect(200).json();
    let stored = ann
        .get(&format!("/api/v1/users/me/documents/{}", template.as_str().unwrap()))
        .expect(200)
        .json();
    assert_eq!((&copied["data"], &copied["title"]), (&stored["data"], &json!("Copy")));
    let plain = setup.server.ann();
    for (body, field) in [
        (json!({ "widget": "pie", "provider": "dropbox" }), "connection_id"),
        (json!({ "widget": "pie", "connection_id": id }), "provider"),
        (json!({ "widget": "pie", "folder_id": "root" }), "folder_id"),
        (json!({ "widget": "pie", "provider": "floppy", "connection_id": id }), "provider"),
        (json!({ "widget": "pie", "provider": "box", "connection_id": id }), "connection_id"),
    ] {
        let refused = plain.post("/api/v1/create-document", body);
        assert_eq!(refused.expect(400).json()["errors"][0]["field"], field);
    }
}

#[test]
fn documents_at_smartsheet_are_attachments_of_sheets() {
    let setup = Setup::start("smartsheet");
    let id = setup.connect();
    let ann = setup.server.ann();
    // The stand-in has a workspace with a sheet.
    let sheet = find_sheet(&setup, &id);
    let body = json!({ "widget": "bar", "title": "Sales", "folder_id": sheet });
    let created = ann.post(&setup.path(&id, "/documents"), body).expect(200).json();
    let path = setup.path(&id, &format!("/documents/{}", created["id"].as_str().unwrap()));
    let document = ann.get(&path).expect(200).json();
    let changed = json!({ "title": "New", "data": [], "revision": document["revision"] });
    ann.put(&path, changed.clone()).expect(200);
    assert_eq!(code_of(&ann.put(&path, changed), 409), "revision_conflict");
    assert_eq!(ann.get(&path).expect(200).json()["title"], "New");
    let renamed = ann.post(&format!("{path}/rename"), json!({ "title": "Other" })).expect(200);
    let list = ann.get(&setup.path(&id, &format!("/folders/{sheet}"))).expect(200).json();
    assert_eq!(titles(&list, "document"), ["Other", "Renamed probe"]);
    let path = setup.path(&id, &format!("/documents/{}", renamed.json()["id"].as_str().unwrap()));
    assert_eq!(ann.get(&path).expect(200).json()["title"], "New");
}

/// Returns the id of the first sheet that is a folder.
fn find_sheet(setup: &Setup, id: &str) -> String {
    let ann = setup.server.ann();
    let mut waiting = vec!["root".to_owned()];
    let mut found = None;
    while let Some(folder) = waiting.pop() {
        let list = ann.get(&setup.path(id, &format!("/folders/{folder}"))).expect(200).json();
        for entry in
            list["results"].as_array().unwrap().iter().filter(|one| one["type"] == "folder")
        {
            let child = entry["folder"]["id"].as_str().unwrap().to_owned();
            let body = json!({ "widget": "bar", "title": "Probe", "folder_id": child });
            if found.is_none() && ann.post(&setup.path(id, "/documents"), body).status == 200 {
                found = Some(child.clone());
            }
            waiting.push(child);
        }
    }
    let sheet = found.expect("the stand-in has no sheet");
    let list = ann.get(&setup.path(id, &format!("/folders/{sheet}"))).expect(200).json();
    assert_eq!(titles(&list, "document"), ["Probe"]);
    let probe =
        list["results"].as_array().unwrap().iter().find(|one| one["type"] == "document").unwrap();
    let path = setup.path(id, &format!("/documents/{}", probe["document"]["id"].as_str().unwrap()));
    ann.post(&format!("{path}/rename"), json!({ "title": "Renamed probe" }));
    sheet
}

#[test]
fn the_records_of_a_document_are_downloaded_as_a_table() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let path = create(&setup, &id, "Sales");
        let ann = setup.server.ann();
        let data = json!([{ "label": "Köln", "value": 7.5 }, { "label": "=1+1", "value": 2 }]);
        ann.put(&path, json!({ "title": "Cities", "data": data.clone() })).expect(200);
        let csv = ann.get(&format!("{path}/data.csv")).expect(200);
        assert_eq!(csv.text(), "Label,Value\r\nKöln,7.5\r\n'=1+1,2\r\n", "{provider}");
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert!(csv.header("content-disposition").contains("\"Cities.csv\""));
        let xlsx = ann.get(&format!("{path}/data.xlsx")).expect(200);
        assert_eq!(xlsx.header("content-type"), XLSX, "{provider}");
        assert!(xlsx.header("content-disposition").contains("\"Cities.xlsx\""));
        let new = ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
        let new = format!("/api/v1/users/me/documents/{}", new.json()["id"].as_str().unwrap());
        let table = ann.with_header("content-type", XLSX);
        table.send_bytes("PUT", &format!("{new}/data"), Some(&xlsx.body)).expect(200);
        assert_eq!(ann.get(&new).expect(200).json()["data"], data, "{provider}");
        for end in ["data.csv", "data.xlsx"] {
            assert_eq!(setup.server.ben().get(&format!("{path}/{end}")).status, 404);
        }
    }
}
