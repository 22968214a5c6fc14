//! Tests of documents: create, read, change, render and remove.

mod copies;
mod data_export;
mod output_formats;
mod images;
mod limits;
mod organization;
mod render;
mod rules;
mod saving;
mod serving;
mod tables;
mod tokens;

use serde_json::Value;
use serde_json::json;

use crate::test_server::TestServer;

/// A server with the users Ann and Ben.
struct DocumentFixture {
    server: TestServer,
    /// `Authorization` header of Ann.
    ann_auth: String,
    ann_id: String,
    /// `Authorization` header of Ben.
    ben_auth: String,
}

impl DocumentFixture {
    fn new() -> Self {
        let server = TestServer::new();
        let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
        let (ann_token, ben_token) =
            (server.create_bearer_token(&ann.id), server.create_bearer_token(&ben.id));
        Self { server, ann_auth: ann_token, ann_id: ann.id.to_string(), ben_auth: ben_token }
    }

    /// Creates a document of Ann and returns its path.
    fn create_document(&self, body: &Value) -> String {
        let created = self.send_as_ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!(created.status, 200, "{}", created.text);
        url_path(created.json()["endpoint"].as_str().unwrap()).to_owned()
    }

    /// Creates a bar chart of Ann and returns its path.
    fn create_bar_chart(&self) -> String {
        self.create_document(&json!({ "widget": "bar" }))
    }

    fn send_as_ann(&self, method: &str, path: &str, body: &str) -> crate::test_server::Response {
        self.server.request(&self.ann_auth, method, path, body)
    }

    fn send_as_ben(&self, method: &str, path: &str, body: &str) -> crate::test_server::Response {
        self.server.request(&self.ben_auth, method, path, body)
    }

    fn send_as_guest(&self, method: &str, path: &str) -> crate::test_server::Response {
        self.server.send(method, path, &[], "")
    }

    /// Reads a path as Ann and returns the JSON. Panics unless the status is 200.
    fn get_json(&self, path: &str) -> Value {
        let response = self.send_as_ann("GET", path, "");
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Sends a PUT that must fail and returns the error text. The document must stay unchanged.
    fn expect_put_refused(&self, path: &str, body: &str) -> String {
        let before = self.get_json(path);
        let response = self.send_as_ann("PUT", path, body);
        assert_eq!(response.status, 400, "{body}: {}", response.text);
        assert_eq!(self.get_json(path), before, "{body} was refused but changed something");
        response.text
    }
}

/// Returns the path of a URL of the server.
fn url_path(url: &str) -> &str {
    url.strip_prefix("http://127.0.0.1:8080").unwrap()
}

#[test]
fn new_document_has_the_sample_of_its_kind() {
    let fixture = DocumentFixture::new();
    let created =
        fixture.send_as_ann("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#).json();
    let document = fixture.get_json(url_path(created["endpoint"].as_str().unwrap()));
    assert_eq!(created["endpoint"], document["urls"]["endpoint"]);
    assert_eq!(created["document_view"], document["urls"]["document_view"]);
    assert_eq!(document["owner"], fixture.ann_id.as_str());
    assert_eq!(document["owner_name"], "Ann");
    assert_eq!(document["folder"], "/");
    assert_eq!(document["mode"], "w");
    assert_eq!(document["theme"], "light");
    assert_eq!(document["isPublic"], false);
    assert_eq!(document["history_version"], 1);
    assert_eq!(document["style"]["width"], 720);
    assert_eq!(document["style"]["margin"]["top"], 24);
    assert_eq!(document["data"][0]["label"], "North");
    assert_eq!(document["acl"], json!([]));
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(
        keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(" "),
        "id owner owner_name folder plugin_id title settings data theme custom_theme style \
         isPublic version created updated updated_by history_version mode acl urls"
    );
}

#[test]
fn new_document_uses_folder_layout_and_template() {
    let fixture = DocumentFixture::new();
    let layout = json!({ "width": 300.5, "height": 200, "margin": { "left": 1 } });
    let first_path = fixture.create_document(&json!({
        "widget": "bar", "folder": "/Sales/2026", "layout": layout, "unknown": 1,
    }));
    let document = fixture.get_json(&first_path);
    assert_eq!(document["folder"], "/Sales/2026");
    assert_eq!(document["urls"]["parent_folder_title"], "2026");
    assert_eq!(document["style"]["width"], 300.5);
    assert_eq!(document["style"]["margin"], json!({ "left": 1 }));
    fixture.send_as_ann(
        "PUT",
        &first_path,
        r#"{"title":"Mine","data":[{"label":"A","value":1.50}],"svg":"<svg/>"}"#,
    );
    let second_path =
        fixture.create_document(&json!({ "template": document["id"], "folder": "/Sales/2026" }));
    let copy = fixture.send_as_ann("GET", &second_path, "");
    assert!(copy.text.contains(r#""data":[{"label":"A","value":1.50}]"#), "{}", copy.text);
    let copy = copy.json();
    assert_eq!(copy["title"], "Mine");
    assert_eq!(copy["svg"], "<svg/>");
    assert_ne!(copy["id"], document["id"]);
    assert_eq!(copy["history_version"], 1);
}

#[test]
fn invalid_create_request_names_the_field() {
    let fixture = DocumentFixture::new();
    let check = |body: Value, expected: &str| {
        let response = fixture.send_as_ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!((response.status, response.text.as_str()), (400, expected), "{body}");
    };
    check(json!({}), "widget: is required when there is no template");
    check(json!({ "widget": "no" }), "widget: there is no chart kind \"no\"");
    check(
        json!({ "widget": "bar", "template": "x" }),
        "template: give either widget or template, not both",
    );
    check(json!({ "template": "x" }), "template: does not exist, or you may not read it");
    check(
        json!({ "widget": 5 }),
        "widget: invalid type: integer `5`, expected a string at line 1 column 11",
    );
    check(
        json!({ "widget": "bar", "folder": "a" }),
        "folder: must be an absolute path that starts with /",
    );
    check(
        json!({ "widget": "bar", "folder": "/a/../b" }),
        "folder: must not contain . or .. as a name",
    );
    let owner_error = "owner: must be an account to which you may add documents";
    check(json!({ "widget": "bar", "owner": "ben" }), owner_error);
    check(json!({ "widget": "bar", "owner": "nobody" }), owner_error);
    let private_path = fixture.create_bar_chart();
    let id = private_path.rsplit('/').next().unwrap();
    let response = fixture.send_as_ben(
        "POST",
        "/api/v1/create-document",
        &json!({ "template": id }).to_string(),
    );
    assert_eq!(
        (response.status, response.text.as_str()),
        (400, "template: does not exist, or you may not read it")
    );
}

#[test]
fn invalid_connection_or_layout_names_the_field() {
    let fixture = DocumentFixture::new();
    let check = |body: Value, expected: &str| {
        let response = fixture.send_as_ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!((response.status, response.text.as_str()), (400, expected), "{body}");
    };
    check(
        json!({ "widget": "bar", "provider": "box" }),
        "connection_id: provider and connection_id must be given together",
    );
    check(
        json!({ "widget": "bar", "provider": "box", "connection_id": "x" }),
        "connection_id: you have no connection \"x\" to box",
    );
    check(
        json!({ "widget": "bar", "provider": "drive", "connection_id": "x" }),
        "provider: must be one of box dropbox googledrive onedrive smartsheet",
    );
    check(
        json!({ "widget": "bar", "connection_id": "x" }),
        "provider: provider and connection_id must be given together",
    );
    check(
        json!({ "widget": "bar", "folder_id": "x" }),
        "folder_id: requires provider and connection_id",
    );
    check(
        json!({ "widget": "bar", "layout": { "width": 9 } }),
        "layout.width: must be from 40 to 4096 points",
    );
}

#[test]
fn an_organization_owns_documents_for_its_members() {
    let fixture = DocumentFixture::new();
    fixture
        .server
        .execute_sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
    fixture.server.execute_sql(
        "insert into org (id, slug, name, plan, created) values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
    );
    fixture.server.execute_sql(
        "insert into member (org_id, user_id, role, created)
         select 'Orchard1234', id, 'brand_manager', 0 from user where username = 'ann'",
    );
    let path = fixture.create_document(&json!({ "widget": "bar", "owner": "orchard" }));
    let document = fixture.get_json(&path);
    assert_eq!(document["owner"], "Orchard1234");
    assert_eq!(document["owner_name"], "Orchard");
    assert_eq!(fixture.get_json(&path.replace("Orchard1234", "orchard")), document);
    assert_eq!(fixture.send_as_ben("GET", &path, "").status, 404);
    let moved =
        fixture.send_as_ann("POST", &format!("{path}/move"), r#"{"owner":"me","folder":"/Own"}"#);
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(moved.json()["owner"], fixture.ann_id.as_str());
    assert_eq!(moved.json()["urls"]["parent_folder_title"], "Own");
}

#[test]
fn document_is_hidden_without_access_and_read_only_for_readers() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let absent =
        path.replace(path.rsplit('/').next().unwrap(), "01900000-0000-7000-8000-000000000000");
    assert_eq!(fixture.send_as_ben("GET", &path, "").status, 404);
    assert_eq!(
        fixture.send_as_ben("GET", &path, "").text,
        fixture.send_as_ben("GET", &absent, "").text
    );
    assert_eq!(fixture.send_as_ben("PUT", &path, "{}").status, 404);
    assert_eq!(fixture.send_as_ben("DELETE", &path, "").status, 404);
    assert_eq!(fixture.send_as_guest("GET", &path).status, 401);
    assert_eq!(fixture.send_as_guest("GET", &absent).status, 401);
    assert_eq!(fixture.send_as_guest("GET", &format!("{path}.svg")).status, 401);

    fixture.send_as_ann("PUT", &path, r#"{"title":"Open","isPublic":true}"#);
    let as_reader = fixture.send_as_ben("GET", &path, "");
    assert_eq!(as_reader.status, 200);
    assert_eq!(as_reader.json()["mode"], "r");
    assert_eq!(fixture.send_as_guest("GET", &path).status, 200);
    assert_eq!(fixture.send_as_guest("GET", &format!("{path}.svg")).status, 200);
    for (method, suffix, body) in [
        ("PUT", "", "{}"),
        ("PATCH", "", r#"{"title":"x"}"#),
        ("DELETE", "", ""),
        ("POST", "/add-record", "{}"),
        ("POST", "/move", r#"{"folder":"/x"}"#),
        ("POST", "", r#"{"action":"restore"}"#),
        ("PUT", "/data", "[]"),
    ] {
        let response = fixture.send_as_ben(method, &format!("{path}{suffix}"), body);
        assert_eq!(response.status, 403, "{method} {suffix}: {}", response.text);
    }
    let fork = fixture.send_as_ben("POST", &path, r#"{"action":"fork"}"#);
    assert_eq!(fork.status, 200, "{}", fork.text);
    assert_eq!(fork.json()["owner_name"], "Ben");
    assert_eq!(fork.json()["isPublic"], false);

    fixture.send_as_ann("DELETE", &path, "");
    assert_eq!(fixture.send_as_guest("GET", &path).status, 401);
    assert_eq!(fixture.send_as_ben("GET", &path, "").status, 404);
}

#[test]
fn document_path_accepts_me_id_username_and_email() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let id = path.rsplit('/').next().unwrap();
    for user in ["me", "ann", "ann%40example.org", &fixture.ann_id] {
        let response =
            fixture.send_as_ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(response.status, 200, "{user}: {}", response.text);
    }
    for user in ["ben", "nobody"] {
        let response =
            fixture.send_as_ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(response.status, 404, "{user}");
    }
}

#[test]
fn email_address_in_a_path_names_nobody_for_guests() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let id = path.rsplit('/').next().unwrap();
    let published = fixture.send_as_ann("PUT", &path, r#"{ "isPublic": true }"#);
    assert_eq!(published.status, 200, "{}", published.text);
    for (user, status) in [
        (fixture.ann_id.as_str(), 200),
        ("ann", 200),
        // Otherwise everybody could find out which address the owner of a public chart has.
        ("ann%40example.org", 401),
        ("ben%40example.org", 401),
        ("nobody%40example.org", 401),
    ] {
        let read = fixture.send_as_guest("GET", &format!("/api/v1/users/{user}/documents/{id}"));
        assert_eq!(read.status, status, "{user}: {}", read.text);
    }
}

#[test]
fn access_is_checked_before_the_body_is_parsed() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let folder = format!("/api/v1/users/{}/folders/Own", fixture.ann_id);
    let created = fixture.send_as_ann("PUT", &folder, "{}");
    assert_eq!(created.status, 200, "{}", created.text);
    let requests = [
        ("PUT", path.clone()),
        ("PUT", format!("{path}/data")),
        ("PATCH", path.clone()),
        ("POST", path.clone()),
        ("POST", format!("{path}/move")),
        ("POST", format!("{path}/add-record")),
        ("PATCH", format!("{path}/history/1")),
        ("POST", format!("{path}/comments")),
        ("PUT", folder.clone()),
        ("POST", folder),
    ];
    for (method, path) in requests {
        let own = fixture.send_as_ann(method, &path, "{ no JSON");
        assert_eq!(own.status, 400, "{method} {path}: {}", own.text);
        let others = fixture.send_as_ben(method, &path, "{ no JSON");
        assert_eq!(others.status, 404, "{method} {path}: {}", others.text);
    }
}

#[test]
fn patch_moves_and_renames_a_document() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let patched = fixture.send_as_ann("PATCH", &path, r#"{"folder":"/Sales/Q3","title":"North"}"#);
    assert_eq!(patched.status, 200, "{}", patched.text);
    assert_eq!(patched.json()["path"], "/Sales/Q3/North");
    let document = fixture.get_json(&path);
    assert_eq!(
        (document["folder"].as_str(), document["title"].as_str()),
        (Some("/Sales/Q3"), Some("North"))
    );
    let moved = fixture.send_as_ann("POST", &format!("{path}/move"), r#"{"folder":"/"}"#);
    assert_eq!(moved.json()["path"], "/North");
    assert_eq!(fixture.send_as_ann("POST", &format!("{path}/move"), "{}").status, 400);
    assert_eq!(fixture.send_as_ann("PATCH", &path, r#"{"title":7}"#).status, 400);
}

#[test]
fn delete_moves_to_the_trash_and_expunge_is_permanent() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    assert_eq!(fixture.send_as_ann("DELETE", &path, "").status, 204);
    let trashed = fixture.get_json(&path);
    assert!(trashed["deleted_at"].is_string());
    assert_eq!(fixture.send_as_ann("DELETE", &path, "").status, 204);
    assert_eq!(fixture.get_json(&path), trashed);
    assert_eq!(fixture.send_as_ann("PUT", &path, "{}").status, 409);
    assert_eq!(fixture.send_as_ann("POST", &format!("{path}/add-record"), "{}").status, 409);
    assert_eq!(fixture.send_as_ann("POST", &path, r#"{"action":"restore"}"#).status, 204);
    assert_eq!(fixture.get_json(&path)["deleted_at"], Value::Null);
    assert_eq!(fixture.send_as_ann("DELETE", &format!("{path}?expunge=2"), "").status, 400);
    assert_eq!(fixture.send_as_ann("DELETE", &format!("{path}?expunge=1"), "").status, 204);
    assert_eq!(fixture.send_as_ann("GET", &path, "").status, 404);
    assert_eq!(fixture.send_as_ann("DELETE", &path, "").status, 404);
}

#[test]
fn document_actions_are_selected_by_name() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "bar", "folder": "/Here" }));
    assert_eq!(fixture.send_as_ann("POST", &path, r#"{"action":"close"}"#).status, 204);
    let copy = fixture.send_as_ann("POST", &path, r#"{"action":"duplicate"}"#);
    assert_eq!(copy.status, 200, "{}", copy.text);
    let (copy, original) = (copy.json(), fixture.get_json(&path));
    assert_ne!(copy["id"], original["id"]);
    for same in ["folder", "title", "data", "settings", "style", "plugin_id"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert_eq!(fixture.send_as_ann("POST", &path, r#"{"action":"explode"}"#).status, 400);
    assert_eq!(
        fixture.send_as_ann("POST", &path, r#"{"action":"fork","history_version":9}"#).status,
        400
    );
}
