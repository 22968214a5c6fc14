//! Tests of the real program after the restore of a backup: entity tags and the journal mode.

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// Stops the server, restores a backup and starts the server again.
fn restore(server: &mut ServerProcess, backup: &str) {
    assert_eq!(server.stop(), Some(0));
    server.run_json(&["backup", "restore", backup]);
    server.start();
}

/// Returns the entity tag of each path.
fn list_tags(client: &Client<'_>, paths: &[String]) -> Vec<String> {
    let tags = paths.iter().map(|path| client.get(path).expect(200).header("etag").to_owned());
    let tags: Vec<String> = tags.collect();
    assert!(tags.iter().all(|tag| !tag.is_empty()), "{tags:?}");
    tags
}

#[test]
fn entity_tags_from_before_a_restore_do_not_match_after_it() {
    let mut server = ServerProcess::new();
    let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let created = created.expect(200).json();
    let account = format!("/api/v1/users/{}", server.ann().id);
    let document = format!("{account}/documents/{}", created["id"].as_str().unwrap());
    let folder = format!("{account}/folders/Sales");
    let set_titles = |server: &ServerProcess, title: &str| {
        server.ann().patch(&document, json!({ "title": title })).expect(200);
        server.ann().send("PUT", &folder, None).expect(200);
        server.ann().put(&folder, json!({ "title": title })).expect(200);
    };
    let image_paths = [".svg", ".png?scale=1", ".html", "/thumbnail.png"];
    let mut paths: Vec<String> =
        image_paths.iter().map(|path| format!("{document}{path}")).collect();
    paths.extend([document.clone(), format!("{document}/history/1"), format!("{account}/list")]);

    let backup = server.run_json(&["backup", "create"])["path"].as_str().unwrap().to_owned();
    set_titles(&server, "Before");
    let old_tags = list_tags(&server.ann(), &paths);
    let old_folder = format!("{account}/folders/Before");
    let old_folder_tag = list_tags(&server.ann(), &[old_folder]).remove(0);
    for round in 0..2 {
        restore(&mut server, &backup);
        // The same revisions as before, with other content.
        let title = format!("After {round}");
        set_titles(&server, &title);
        for (path, old_tag) in paths.iter().zip(&old_tags) {
            let current = server.ann().with_header("if-none-match", old_tag).get(path);
            assert_eq!(current.status, 200, "{path} {old_tag}");
        }
        let tags = list_tags(&server.ann(), &paths);
        for (path, tag) in paths.iter().zip(&tags) {
            server.ann().with_header("if-none-match", tag).get(path).expect(304);
        }
        let change = json!({ "title": "Changed" });
        let stale = server.ann().with_header("if-match", &old_tags[4]);
        let refused = stale.patch(&document, change.clone()).expect(412).json();
        // The tag of the response may also name its encoding.
        let current = refused["etag"].as_str().unwrap();
        assert!(tags[4].starts_with(current.trim_end_matches('"')), "{current} {}", tags[4]);
        server.ann().with_header("if-match", &tags[4]).patch(&document, change).expect(200);

        let folder = format!("{account}/folders/After%20{round}");
        let tag = list_tags(&server.ann(), std::slice::from_ref(&folder)).remove(0);
        server.ann().with_header("if-match", &old_folder_tag).delete(&folder).expect(412);
        server.ann().with_header("if-match", &tag).delete(&folder).expect(204);
    }
}

#[test]
fn restored_database_uses_the_write_ahead_log() {
    let mut server = ServerProcess::new();
    let backup = server.run_json(&["backup", "create"])["path"].as_str().unwrap().to_owned();
    restore(&mut server, &backup);
    server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let connection = Connection::open(server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
    let mode: String = connection.query_row("pragma journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}
