//! Tests of copies, templates, owner changes, and scheduled thumbnails.

use serde_json::Value;
use serde_json::json;

use super::DocumentFixture;
use super::url_path;

impl DocumentFixture {
    /// Creates the organization `orchard` with Ann and Ben as members.
    fn create_orchard_org(&self) {
        self.server.execute_sql(
            "insert into account (id, type, created) values ('Orchard1234', 'org', 0)",
        );
        self.server.execute_sql(
            "insert into org (id, slug, name, plan, created)
             values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
        );
        self.server.execute_sql(
            "insert into member (org_id, user_id, role, created)
             select 'Orchard1234', id, 'member', 0 from user",
        );
    }

    /// Returns the number that a query selects.
    fn query_number(&self, sql: &str) -> i64 {
        self.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
    }

    /// Returns the number of thumbnail tasks that are due. No task runner is active in these tests.
    fn count_due_thumbnails(&self) -> i64 {
        // A task of an ordinary save is due some seconds later, so that consecutive saves render
        // once.
        let now = chartroom_platform::time::Timestamp::now().0 + 1000;
        self.query_number(&format!(
            "select count(*) from task where name = 'documents.thumbnail' and run_at <= {now}"
        ))
    }
}

#[test]
fn forks_and_duplicates_are_counted_separately() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    let copy_document = |action: &str| {
        let body = json!({ "action": action }).to_string();
        let copy = fixture.send_as_ann("POST", &document, &body);
        assert_eq!(copy.status, 200, "{}", copy.text);
        copy
    };
    let fork = copy_document("fork").json();
    copy_document("fork");
    let duplicate = copy_document("duplicate");
    let read = fixture.send_as_ann(
        "GET",
        url_path(duplicate.json()["urls"]["endpoint"].as_str().unwrap()),
        "",
    );
    assert_eq!(read.text, duplicate.text, "the response for a copy equals the response of GET");
    let id = document.rsplit('/').next().unwrap();
    let count = |action: &str| {
        let count_sql =
            format!("select count(*) from copy where source = '{id}' and action = '{action}'");
        fixture.query_number(&count_sql)
    };
    assert_eq!((count("fork"), count("duplicate")), (2, 1));
    fixture.send_as_ann(
        "DELETE",
        &format!("{}?expunge=1", url_path(fork["urls"]["endpoint"].as_str().unwrap())),
        "",
    );
    assert_eq!(count("fork"), 1, "an expunged copy is not counted");
}

#[test]
fn template_may_be_any_readable_document() {
    let fixture = DocumentFixture::new();
    let template =
        fixture.create_document(&json!({ "widget": "line", "layout": { "width": 500 } }));
    let id = template.rsplit('/').next().unwrap();
    let put = json!({
        "title": "Template", "data": [{ "label": "A", "value": 1.50 }], "theme": "dark",
        "custom_theme": { "text_color": "#123456" }, "settings": { "own": 1.0 }, "isPublic": true,
    });
    fixture.send_as_ann("PUT", &template, &put.to_string());
    let created = fixture.send_as_ben(
        "POST",
        "/api/v1/create-document",
        &json!({ "template": id }).to_string(),
    );
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json();
    let copy =
        fixture.send_as_ben("GET", url_path(created["endpoint"].as_str().unwrap()), "").json();
    let original = fixture.get_json(&template);
    for same in ["plugin_id", "title", "data", "theme", "custom_theme", "settings", "style"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert_eq!((&copy["owner_name"], &copy["isPublic"]), (&json!("Ben"), &json!(false)));
    assert_eq!(copy["folder"], "/");

    let body = json!({ "template": id, "layout": { "height": 222, "margin": { "top": 3 } } });
    let created = fixture.send_as_ben("POST", "/api/v1/create-document", &body.to_string()).json();
    let style = fixture
        .send_as_ben("GET", url_path(created["endpoint"].as_str().unwrap()), "")
        .json()["style"]
        .clone();
    assert_eq!((&style["width"], &style["height"]), (&json!(500), &json!(222)));
    assert_eq!(style["margin"], json!({ "top": 3 }));
    fixture.send_as_ann("DELETE", &template, "");
    let from_trashed = fixture.send_as_ben("POST", "/api/v1/create-document", &body.to_string());
    assert_eq!(
        (from_trashed.status, from_trashed.text.as_str()),
        (400, "template: does not exist, or you may not read it")
    );
}

#[test]
fn put_can_change_the_owner() {
    let fixture = DocumentFixture::new();
    fixture.create_orchard_org();
    let document = fixture.create_document(&json!({ "widget": "bar", "folder": "/Here" }));
    let id = document.rsplit('/').next().unwrap();
    let put = |owner: &str| {
        fixture.send_as_ann(
            "PUT",
            &format!("/api/v1/users/me/documents/{id}"),
            &json!({ "title": "T", "owner": owner }).to_string(),
        )
    };
    let refused = put("nobody");
    let expected = "owner: must be an account to which you may add documents";
    assert_eq!((refused.status, refused.text.as_str()), (400, expected));
    assert_eq!(put("ben").text, expected);
    assert_eq!(fixture.get_json(&document)["folder"], "/Here");
    let moved = put("orchard");
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(moved.json()["path"], "/T");
    let endpoint = moved.json()["urls"]["endpoint"].clone();
    let endpoint = url_path(endpoint.as_str().unwrap()).to_owned();
    assert_eq!(endpoint, format!("/api/v1/users/Orchard1234/documents/{id}"));
    let as_ben = fixture.send_as_ben("GET", &endpoint, "").json();
    assert_eq!((&as_ben["owner"], &as_ben["folder"]), (&json!("Orchard1234"), &json!("/")));
    // An unchanged owner in the body does not move the document.
    assert_eq!(fixture.send_as_ben("PUT", &endpoint, &as_ben.to_string()).status, 200);
    assert_eq!(fixture.send_as_ben("GET", &endpoint, "").json(), as_ben);
}

#[test]
fn close_and_final_save_schedule_the_thumbnail() {
    let fixture = DocumentFixture::new();
    let document = fixture.create_bar_chart();
    assert_eq!(
        fixture.count_due_thumbnails(),
        0,
        "the thumbnail of a new document is not due before its first changes"
    );
    assert_eq!(
        fixture.query_number("select count(*) from task where name = 'documents.thumbnail'"),
        1
    );
    let delete_tasks = || fixture.server.execute_sql("delete from task");
    delete_tasks();
    let put = |body: Value| {
        assert_eq!(fixture.send_as_ann("PUT", &document, &body.to_string()).status, 200)
    };
    put(json!({ "title": "A", "isPublic": true }));
    put(json!({ "title": "B", "isPublic": true, "final_save": false }));
    assert_eq!(
        fixture.count_due_thumbnails(),
        0,
        "the thumbnail of an ordinary save is not due immediately"
    );
    put(json!({ "title": "C", "isPublic": true, "final_save": true }));
    assert_eq!(fixture.count_due_thumbnails(), 1);
    delete_tasks();
    assert_eq!(fixture.send_as_ann("POST", &document, r#"{"action":"close"}"#).status, 204);
    assert_eq!(fixture.count_due_thumbnails(), 1);
    delete_tasks();
    assert_eq!(
        fixture.send_as_ben("POST", &document, r#"{"action":"close"}"#).status,
        204,
        "readers may close a document too"
    );
    let before = fixture.get_json(&document);
    put(json!({ "version": 3, "title": "Ignored", "final_save": true }));
    let after = fixture.get_json(&document);
    assert_eq!((&after["version"], &after["title"]), (&json!(3), &before["title"]));
    assert_eq!(after["history_version"], before["history_version"]);
    assert_eq!(fixture.send_as_ann("PUT", &document, r#"{"version":-1}"#).status, 400);
    put(json!({ "title": "D" }));
    assert_eq!(fixture.get_json(&document)["version"], 0, "an omitted version is reset");
}
