//! Tests of listings as sequences of requests: folders, the trash, and restricted entries.

mod closed;
mod paging;
mod search;
mod search_kept;
mod search_scope;

use chartroom::features::tree;
use chartroom::features::tree::FolderPath;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::talk::Server;

/// Ann, Ben and Cid, each with an account and nothing in it.
struct World {
    server: Server,
    ann: Speaker,
    ben: Speaker,
    cid: Speaker,
}

/// Account id and credentials of a person.
struct Speaker {
    id: AccountId,
    token: String,
}

impl World {
    fn new() -> Self {
        let server = Server::new();
        let speaker = |name| {
            let id = server.person(name).id;
            Speaker { token: server.token(&id), id }
        };
        let (ann, ben, cid) = (speaker("Ann"), speaker("Ben"), speaker("Cid"));
        Self { server, ann, ben, cid }
    }

    fn ask(&self, who: &Speaker, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.ask(&who.token, method, &format!("/api/v1{path}"), &body)
    }

    fn get(&self, who: &Speaker, path: &str) -> Value {
        let answer = self.ask(who, "GET", path, &Value::Null);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }

    /// Creates a document and returns its path without the API prefix.
    fn document(&self, who: &Speaker, owner: &str, folder: &str, title: &str) -> String {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let made = self.ask(who, "POST", "/create-document", &body);
        assert_eq!(made.status, 200, "{}", made.text);
        let endpoint = made.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint.strip_prefix("http://127.0.0.1:8080/api/v1").unwrap().to_owned();
        let titled = self.ask(who, "PATCH", &path, &json!({ "title": title }));
        assert_eq!(titled.status, 200, "{}", titled.text);
        path
    }

    /// Returns the id of a folder. Creates the folder if it is missing.
    fn folder(&self, owner: &AccountId, path: &str) -> String {
        let (owner, path) = (owner.clone(), FolderPath::parse(path).unwrap());
        let made =
            self.server.app.db.write(move |tx| tree::create_folders(tx, &owner, &owner, &path));
        made.unwrap().unwrap().to_string()
    }

    /// Runs a statement with text parameters directly in the database.
    fn sql(&self, sql: &'static str, params: &[&str]) {
        let params: Vec<String> = params.iter().map(|it| (*it).to_owned()).collect();
        let run = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            tx.execute(sql, rusqlite::params_from_iter(&params))
        };
        assert_ne!(self.server.app.db.write(run).unwrap(), 0, "{sql}");
    }
}

/// Returns the entries of a listing in short form: folders by path, documents by title.
fn names(listing: &Value) -> Vec<String> {
    let name = |entry: &Value| match entry["type"].as_str() {
        Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
        _ => entry["document"]["title"].as_str().unwrap().to_owned(),
    };
    listing["results"].as_array().unwrap().iter().map(name).collect()
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn folders_come_first_by_title_then_documents_as_they_changed() {
    let world = World::new();
    let ann = &world.ann;
    let first = world.document(ann, "me", "/", "First");
    world.document(ann, "me", "/", "Second");
    world.document(ann, "me", "/Zebra", "Inside");
    world.document(ann, "me", "/über", "Other");
    world.document(ann, "me", "/Alpha/Beta", "Deep");
    world.ask(ann, "POST", &format!("{first}/add-record"), &json!({ "label": "a", "value": 1 }));

    let root = world.get(ann, "/users/me/list");
    assert_eq!(names(&root), ["/Alpha", "/über", "/Zebra", "First", "Second"]);
    assert_eq!((&root["count"], &root["limit"]), (&json!(5), &json!(10)));
    assert_eq!(root["match"], "");
    let alpha = world.get(ann, "/users/ann/list/Alpha");
    assert_eq!(names(&alpha), ["/Alpha/Beta"]);
    let beta = world.get(ann, &format!("/users/{}/list/Alpha/Beta/", ann.id));
    assert_eq!(names(&beta), ["Deep"]);
    assert_eq!(world.get(ann, "/users/me/list/%C3%BCber")["count"], 1);
    let gone = world.ask(ann, "GET", "/users/me/list/Alpha/Gamma", &Value::Null);
    assert_eq!(gone.status, 404);
    assert_eq!(world.ask(ann, "GET", "/users/me/list/a%2F%2Fb", &Value::Null).status, 404);
}

#[test]
fn an_entry_tells_all_but_the_content() {
    let world = World::new();
    let ann = &world.ann;
    let path = world.document(ann, "me", "/Größe & more", "Sales");
    let root = world.get(ann, "/users/me/list");
    let entry = &root["results"][0];
    assert_eq!(keys(entry), "type folder urls etag");
    let address = format!("users/{}/folders/Gr%C3%B6%C3%9Fe%20%26%20more", ann.id);
    assert_eq!(entry["urls"]["endpoint"], format!("http://127.0.0.1:8080/api/v1/{address}"));
    let folder = &entry["folder"];
    assert_eq!(
        keys(folder),
        "name title owner created updated mode document_count folder_count urls"
    );
    assert_eq!(
        (&folder["name"], &folder["title"]),
        (&json!("/Größe & more"), &json!("Größe & more"))
    );
    assert_eq!((&folder["document_count"], &folder["folder_count"]), (&json!(1), &json!(0)));
    assert_eq!(folder["mode"], "w");

    let inside = world.get(ann, "/users/me/list/Gr%C3%B6%C3%9Fe%20%26%20more");
    let entry = &inside["results"][0];
    assert_eq!(keys(entry), "type document urls etag");
    assert_eq!(keys(&entry["urls"]), "view endpoint thumbnail");
    let whole = world.get(ann, &path);
    let mut content = whole.as_object().unwrap().clone();
    for left_out in ["data", "settings", "style", "custom_theme", "acl"] {
        content.shift_remove(left_out).unwrap();
    }
    assert_eq!(entry["document"], Value::Object(content));
    assert_eq!(entry["urls"]["view"], whole["urls"]["document_view"]);
    assert_eq!(entry["urls"]["thumbnail"], whole["urls"]["thumbnail"]);
}

#[test]
fn the_trash_lists_what_was_thrown_away_last_first() {
    let world = World::new();
    let ann = &world.ann;
    let [old, new] = ["Old", "New"].map(|it| world.document(ann, "me", "/Sales", it));
    world.document(ann, "me", "/", "Kept");
    assert_eq!(world.get(ann, "/users/me/trash")["count"], 0);
    for path in [&old, &new] {
        assert_eq!(world.ask(ann, "DELETE", path, &Value::Null).status, 204);
    }
    // The nodes of a removed folder appear as that folder.
    let folder = world.folder(&ann.id, "/Away");
    let along = world.document(ann, "me", "/Away", "Along");
    let along = along.rsplit('/').next().unwrap();
    world.sql(
        "update node set deleted = 1, trash_root = ?1, trash_path = iif(id = ?1, '/', null)
         where id in (?1, ?2)",
        &[&folder, along],
    );

    let trash = world.get(ann, "/users/me/trash");
    assert_eq!(names(&trash), ["New", "Old", "/Away"]);
    assert_eq!(
        (&trash["count"], keys(&trash)),
        (&json!(3), "offset limit count match results".into())
    );
    let (first, last) = (&trash["results"][0]["document"], &trash["results"][2]["folder"]);
    assert_eq!((&first["folder"], &first["mode"]), (&json!("/Sales"), &json!("w")));
    assert!(first["deleted_at"].is_string() && last["deleted_at"].is_string());
    assert_eq!(names(&world.get(ann, "/users/me/list")), ["/Sales", "Kept"]);
    assert_eq!(names(&world.get(ann, "/users/me/trash?offset=1&limit=1")), ["Old"]);

    let other = format!("/users/{}/trash", ann.id);
    assert_eq!(world.ask(&world.ben, "GET", &other, &Value::Null).status, 404);
    assert_eq!(world.ask(&world.ben, "GET", "/users/nobody/trash", &Value::Null).status, 404);
    assert_eq!(world.server.send("GET", "/api/v1/users/me/trash", &[], "").status, 401);
    assert_eq!(names(&world.get(&world.ben, "/users/me/trash")), [""; 0]);
}
