//! Tests of documents as sequences of requests: create, read, change, render, remove.

mod forms;
mod pictures;
mod render;
mod rules;
mod saving;
mod serving;
mod tokens;

use serde_json::Value;
use serde_json::json;

use crate::talk::Server;

/// The server with Ann and Ann's credentials. Ben is another user.
struct World {
    server: Server,
    ann: String,
    ann_id: String,
    ben: String,
}

impl World {
    fn new() -> Self {
        let server = Server::new();
        let (ann, ben) = (server.person("Ann"), server.person("Ben"));
        let (ann_token, ben_token) = (server.token(&ann.id), server.token(&ben.id));
        Self { server, ann: ann_token, ann_id: ann.id.to_string(), ben: ben_token }
    }

    /// Creates a document of Ann and returns its path.
    fn document(&self, body: &Value) -> String {
        let made = self.ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!(made.status, 200, "{}", made.text);
        path(made.json()["endpoint"].as_str().unwrap()).to_owned()
    }

    fn bar(&self) -> String {
        self.document(&json!({ "widget": "bar" }))
    }

    fn ann(&self, method: &str, path: &str, body: &str) -> crate::talk::Answer {
        self.server.ask(&self.ann, method, path, body)
    }

    fn ben(&self, method: &str, path: &str, body: &str) -> crate::talk::Answer {
        self.server.ask(&self.ben, method, path, body)
    }

    fn nobody(&self, method: &str, path: &str) -> crate::talk::Answer {
        self.server.send(method, path, &[], "")
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.ann("GET", path, "");
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Sends a PUT that must fail and returns the error text. The document must stay unchanged.
    fn refuses(&self, path: &str, body: &str) -> String {
        let before = self.get(path);
        let answer = self.ann("PUT", path, body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!(self.get(path), before, "{body} was refused but changed something");
        answer.text
    }
}

/// Returns the path of a URL.
fn path(url: &str) -> &str {
    url.strip_prefix("http://127.0.0.1:8080").unwrap()
}

#[test]
fn a_new_document_shows_the_example_of_its_kind() {
    let world = World::new();
    let made = world.ann("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#).json();
    let document = world.get(path(made["endpoint"].as_str().unwrap()));
    assert_eq!(made["endpoint"], document["urls"]["endpoint"]);
    assert_eq!(made["document_view"], document["urls"]["document_view"]);
    assert_eq!(document["owner"], world.ann_id.as_str());
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
        keys.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" "),
        "id owner owner_name folder plugin_id title settings data theme custom_theme style \
         isPublic version created updated updated_by history_version mode acl urls"
    );
}

#[test]
fn a_new_document_takes_folder_layout_and_template() {
    let world = World::new();
    let layout = json!({ "width": 300.5, "height": 200, "margin": { "left": 1 } });
    let first = world.document(&json!({
        "widget": "bar", "folder": "/Sales/2026", "layout": layout, "unknown": 1,
    }));
    let document = world.get(&first);
    assert_eq!(document["folder"], "/Sales/2026");
    assert_eq!(document["urls"]["parent_folder_title"], "2026");
    assert_eq!(document["style"]["width"], 300.5);
    assert_eq!(document["style"]["margin"], json!({ "left": 1 }));
    world.ann(
        "PUT",
        &first,
        r#"{"title":"Mine","data":[{"label":"A","value":1.50}],"svg":"<svg/>"}"#,
    );
    let second = world.document(&json!({ "template": document["id"], "folder": "/Sales/2026" }));
    let copy = world.ann("GET", &second, "");
    assert!(copy.text.contains(r#""data":[{"label":"A","value":1.50}]"#), "{}", copy.text);
    let copy = copy.json();
    assert_eq!(copy["title"], "Mine");
    assert_eq!(copy["svg"], "<svg/>");
    assert_ne!(copy["id"], document["id"]);
    assert_eq!(copy["history_version"], 1);
}

#[test]
fn create_names_what_is_wrong() {
    let world = World::new();
    let check = |body: Value, want: &str| {
        let answer = world.ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!((answer.status, answer.text.as_str()), (400, want), "{body}");
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
    let nowhere = "owner: must be an account to which you may add documents";
    check(json!({ "widget": "bar", "owner": "ben" }), nowhere);
    check(json!({ "widget": "bar", "owner": "nobody" }), nowhere);
    let private = world.bar();
    let id = private.rsplit('/').next().unwrap();
    let answer =
        world.ben("POST", "/api/v1/create-document", &json!({ "template": id }).to_string());
    assert_eq!(
        (answer.status, answer.text.as_str()),
        (400, "template: does not exist, or you may not read it")
    );
}

#[test]
fn create_names_what_is_wrong_about_a_connection_or_layout() {
    let world = World::new();
    let check = |body: Value, want: &str| {
        let answer = world.ann("POST", "/api/v1/create-document", &body.to_string());
        assert_eq!((answer.status, answer.text.as_str()), (400, want), "{body}");
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
    let world = World::new();
    world.server.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)");
    world.server.sql(
        "insert into org (id, slug, name, plan, created) values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
    );
    world.server.sql(
        "insert into member (org_id, user_id, role, created)
         select 'Orchard1234', id, 'member', 0 from user where username = 'ann'",
    );
    let path = world.document(&json!({ "widget": "bar", "owner": "orchard" }));
    let document = world.get(&path);
    assert_eq!(document["owner"], "Orchard1234");
    assert_eq!(document["owner_name"], "Orchard");
    assert_eq!(world.get(&path.replace("Orchard1234", "orchard")), document);
    assert_eq!(world.ben("GET", &path, "").status, 404);
    let moved = world.ann("POST", &format!("{path}/move"), r#"{"owner":"me","folder":"/Own"}"#);
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(moved.json()["owner"], world.ann_id.as_str());
    assert_eq!(moved.json()["urls"]["parent_folder_title"], "Own");
}

#[test]
fn who_may_not_read_learns_nothing_and_who_may_only_read_changes_nothing() {
    let world = World::new();
    let path = world.bar();
    let absent =
        path.replace(path.rsplit('/').next().unwrap(), "01900000-0000-7000-8000-000000000000");
    assert_eq!(world.ben("GET", &path, "").status, 404);
    assert_eq!(world.ben("GET", &path, "").text, world.ben("GET", &absent, "").text);
    assert_eq!(world.ben("PUT", &path, "{}").status, 404);
    assert_eq!(world.ben("DELETE", &path, "").status, 404);
    assert_eq!(world.nobody("GET", &path).status, 401);
    assert_eq!(world.nobody("GET", &absent).status, 401);
    assert_eq!(world.nobody("GET", &format!("{path}.svg")).status, 401);

    world.ann("PUT", &path, r#"{"title":"Open","isPublic":true}"#);
    let seen = world.ben("GET", &path, "");
    assert_eq!(seen.status, 200);
    assert_eq!(seen.json()["mode"], "r");
    assert_eq!(world.nobody("GET", &path).status, 200);
    assert_eq!(world.nobody("GET", &format!("{path}.svg")).status, 200);
    for (method, suffix, body) in [
        ("PUT", "", "{}"),
        ("PATCH", "", r#"{"title":"x"}"#),
        ("DELETE", "", ""),
        ("POST", "/add-record", "{}"),
        ("POST", "/move", r#"{"folder":"/x"}"#),
        ("POST", "", r#"{"action":"restore"}"#),
        ("PUT", "/data", "[]"),
    ] {
        let answer = world.ben(method, &format!("{path}{suffix}"), body);
        assert_eq!(answer.status, 403, "{method} {suffix}: {}", answer.text);
    }
    let fork = world.ben("POST", &path, r#"{"action":"fork"}"#);
    assert_eq!(fork.status, 200, "{}", fork.text);
    assert_eq!(fork.json()["owner_name"], "Ben");
    assert_eq!(fork.json()["isPublic"], false);

    world.ann("DELETE", &path, "");
    assert_eq!(world.nobody("GET", &path).status, 401);
    assert_eq!(world.ben("GET", &path, "").status, 404);
}

#[test]
fn the_path_may_name_the_owner_or_the_caller_in_any_spelling() {
    let world = World::new();
    let path = world.bar();
    let id = path.rsplit('/').next().unwrap();
    for user in ["me", "ann", "ann%40example.org", &world.ann_id] {
        let answer = world.ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(answer.status, 200, "{user}: {}", answer.text);
    }
    for user in ["ben", "nobody"] {
        let answer = world.ann("GET", &format!("/api/v1/users/{user}/documents/{id}"), "");
        assert_eq!(answer.status, 404, "{user}");
    }
}

#[test]
fn patch_moves_and_renames() {
    let world = World::new();
    let path = world.bar();
    let patched = world.ann("PATCH", &path, r#"{"folder":"/Sales/Q3","title":"North"}"#);
    assert_eq!(patched.status, 200, "{}", patched.text);
    assert_eq!(patched.json()["path"], "/Sales/Q3/North");
    let document = world.get(&path);
    assert_eq!(
        (document["folder"].as_str(), document["title"].as_str()),
        (Some("/Sales/Q3"), Some("North"))
    );
    let moved = world.ann("POST", &format!("{path}/move"), r#"{"folder":"/"}"#);
    assert_eq!(moved.json()["path"], "/North");
    assert_eq!(world.ann("POST", &format!("{path}/move"), "{}").status, 400);
    assert_eq!(world.ann("PATCH", &path, r#"{"title":7}"#).status, 400);
}

#[test]
fn delete_is_the_trash_and_expunge_is_the_end() {
    let world = World::new();
    let path = world.bar();
    assert_eq!(world.ann("DELETE", &path, "").status, 204);
    let trashed = world.get(&path);
    assert!(trashed["deleted_at"].is_string());
    assert_eq!(world.ann("DELETE", &path, "").status, 204);
    assert_eq!(world.get(&path), trashed);
    assert_eq!(world.ann("PUT", &path, "{}").status, 409);
    assert_eq!(world.ann("POST", &format!("{path}/add-record"), "{}").status, 409);
    assert_eq!(world.ann("POST", &path, r#"{"action":"restore"}"#).status, 204);
    assert_eq!(world.get(&path)["deleted_at"], Value::Null);
    assert_eq!(world.ann("DELETE", &format!("{path}?expunge=2"), "").status, 400);
    assert_eq!(world.ann("DELETE", &format!("{path}?expunge=1"), "").status, 204);
    assert_eq!(world.ann("GET", &path, "").status, 404);
    assert_eq!(world.ann("DELETE", &path, "").status, 404);
}

#[test]
fn actions_are_known_by_name() {
    let world = World::new();
    let path = world.document(&json!({ "widget": "bar", "folder": "/Here" }));
    assert_eq!(world.ann("POST", &path, r#"{"action":"close"}"#).status, 204);
    let copy = world.ann("POST", &path, r#"{"action":"duplicate"}"#);
    assert_eq!(copy.status, 200, "{}", copy.text);
    let (copy, original) = (copy.json(), world.get(&path));
    assert_ne!(copy["id"], original["id"]);
    for same in ["folder", "title", "data", "settings", "style", "plugin_id"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert_eq!(world.ann("POST", &path, r#"{"action":"explode"}"#).status, 400);
    assert_eq!(world.ann("POST", &path, r#"{"action":"fork","history_version":9}"#).status, 400);
}
