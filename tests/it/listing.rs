//! Tests of listings: folders, the trash, and restricted entries.

mod order;
mod restricted;
mod stars;
mod paging;
mod search;
mod search_recovery;
mod search_scope;

use chartroom::features::tree;
use chartroom::features::tree::FolderPath;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::test_server::Response;
use crate::test_server::TestServer;

/// A server with the users Ann, Ben and Cid, who own nothing.
struct ListingFixture {
    server: TestServer,
    ann: TestAccount,
    ben: TestAccount,
    cid: TestAccount,
}

/// Account id and credentials of a user.
struct TestAccount {
    id: AccountId,
    /// `Authorization` header.
    authorization: String,
}

impl ListingFixture {
    fn new() -> Self {
        let server = TestServer::new();
        let create_account = |name| {
            let id = server.create_user(name).id;
            TestAccount { authorization: server.create_bearer_token(&id), id }
        };
        let (ann, ben, cid) = (create_account("Ann"), create_account("Ben"), create_account("Cid"));
        Self { server, ann, ben, cid }
    }

    /// Sends a request to a path below `/api/v1`. A null body is sent as an empty one.
    fn request(&self, account: &TestAccount, method: &str, path: &str, body: &Value) -> Response {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.request(&account.authorization, method, &format!("/api/v1{path}"), &body)
    }

    /// Reads a path and returns the JSON. Panics unless the status is 200.
    fn get_json(&self, account: &TestAccount, path: &str) -> Value {
        let response = self.request(account, "GET", path, &Value::Null);
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        response.json()
    }

    /// Creates a document and returns its path without the API prefix.
    fn create_document(
        &self,
        account: &TestAccount,
        owner: &str,
        folder: &str,
        title: &str,
    ) -> String {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let created = self.request(account, "POST", "/create-document", &body);
        assert_eq!(created.status, 200, "{}", created.text);
        let endpoint = created.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint.strip_prefix("http://127.0.0.1:8080/api/v1").unwrap().to_owned();
        let titled = self.request(account, "PATCH", &path, &json!({ "title": title }));
        assert_eq!(titled.status, 200, "{}", titled.text);
        path
    }

    /// Returns the id of a folder. Creates the folder if it is missing.
    fn ensure_folder(&self, owner: &AccountId, path: &str) -> String {
        let (owner, path) = (owner.clone(), FolderPath::parse(path).unwrap());
        let created =
            self.server.app.db.write(move |tx| tree::create_folders(tx, &owner, &owner, &path));
        created.unwrap().unwrap().to_string()
    }

    /// Runs a statement with text parameters directly in the database.
    fn execute_sql(&self, sql: &'static str, params: &[&str]) {
        let params: Vec<String> = params.iter().map(|param| (*param).to_owned()).collect();
        let execute = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            tx.execute(sql, rusqlite::params_from_iter(&params))
        };
        assert_ne!(self.server.app.db.write(execute).unwrap(), 0, "{sql}");
    }
}

/// Returns the entries of a listing in short form: folders by path, documents by title.
fn entry_names(listing: &Value) -> Vec<String> {
    let name = |entry: &Value| match entry["type"].as_str() {
        Some("folder") => entry["folder"]["name"].as_str().unwrap().to_owned(),
        _ => entry["document"]["title"].as_str().unwrap().to_owned(),
    };
    listing["results"].as_array().unwrap().iter().map(name).collect()
}

/// Returns the keys of an object, separated by spaces.
fn join_keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn folders_are_listed_by_title_before_documents_by_last_change() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let first_document = fixture.create_document(ann, "me", "/", "First");
    fixture.create_document(ann, "me", "/", "Second");
    fixture.create_document(ann, "me", "/Zebra", "Inside");
    fixture.create_document(ann, "me", "/über", "Other");
    fixture.create_document(ann, "me", "/Alpha/Beta", "Deep");
    fixture.request(
        ann,
        "POST",
        &format!("{first_document}/add-record"),
        &json!({ "label": "a", "value": 1 }),
    );

    let root = fixture.get_json(ann, "/users/me/list");
    assert_eq!(entry_names(&root), ["/Alpha", "/über", "/Zebra", "First", "Second"]);
    assert_eq!((&root["count"], &root["limit"]), (&json!(5), &json!(10)));
    assert_eq!(root["match"], "");
    let alpha = fixture.get_json(ann, "/users/ann/list/Alpha");
    assert_eq!(entry_names(&alpha), ["/Alpha/Beta"]);
    let beta = fixture.get_json(ann, &format!("/users/{}/list/Alpha/Beta/", ann.id));
    assert_eq!(entry_names(&beta), ["Deep"]);
    assert_eq!(fixture.get_json(ann, "/users/me/list/%C3%BCber")["count"], 1);
    let gone = fixture.request(ann, "GET", "/users/me/list/Alpha/Gamma", &Value::Null);
    assert_eq!(gone.status, 404);
    assert_eq!(fixture.request(ann, "GET", "/users/me/list/a%2F%2Fb", &Value::Null).status, 404);
}

#[test]
fn list_entry_has_all_fields_except_the_content() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let path = fixture.create_document(ann, "me", "/Größe & more", "Sales");
    let root = fixture.get_json(ann, "/users/me/list");
    let entry = &root["results"][0];
    assert_eq!(join_keys(entry), "type folder urls etag");
    let address = format!("users/{}/folders/Gr%C3%B6%C3%9Fe%20%26%20more", ann.id);
    assert_eq!(entry["urls"]["endpoint"], format!("http://127.0.0.1:8080/api/v1/{address}"));
    let folder = &entry["folder"];
    assert_eq!(
        join_keys(folder),
        "name title owner created updated mode document_count folder_count urls"
    );
    assert_eq!(
        (&folder["name"], &folder["title"]),
        (&json!("/Größe & more"), &json!("Größe & more"))
    );
    assert_eq!((&folder["document_count"], &folder["folder_count"]), (&json!(1), &json!(0)));
    assert_eq!(folder["mode"], "w");

    let inside = fixture.get_json(ann, "/users/me/list/Gr%C3%B6%C3%9Fe%20%26%20more");
    let entry = &inside["results"][0];
    assert_eq!(join_keys(entry), "type document urls etag starred");
    assert_eq!(join_keys(&entry["urls"]), "view endpoint thumbnail");
    let document_json = fixture.get_json(ann, &path);
    let mut content = document_json.as_object().unwrap().clone();
    for left_out in ["data", "settings", "style", "custom_theme", "acl"] {
        content.shift_remove(left_out).unwrap();
    }
    assert_eq!(entry["document"], Value::Object(content));
    assert_eq!(entry["urls"]["view"], document_json["urls"]["document_view"]);
    assert_eq!(entry["urls"]["thumbnail"], document_json["urls"]["thumbnail"]);
}

#[test]
fn trash_lists_the_latest_removal_first() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let [old, new] =
        ["Old", "New"].map(|title| fixture.create_document(ann, "me", "/Sales", title));
    fixture.create_document(ann, "me", "/", "Kept");
    assert_eq!(fixture.get_json(ann, "/users/me/trash")["count"], 0);
    for path in [&old, &new] {
        assert_eq!(fixture.request(ann, "DELETE", path, &Value::Null).status, 204);
    }
    // The nodes of a removed folder appear as that folder.
    let folder = fixture.ensure_folder(&ann.id, "/Away");
    let document_in_folder = fixture.create_document(ann, "me", "/Away", "Along");
    let document_in_folder = document_in_folder.rsplit('/').next().unwrap();
    fixture.execute_sql(
        "update node set deleted = 1, trash_root = ?1, trash_path = iif(id = ?1, '/', null)
         where id in (?1, ?2)",
        &[&folder, document_in_folder],
    );

    let trash = fixture.get_json(ann, "/users/me/trash");
    assert_eq!(entry_names(&trash), ["New", "Old", "/Away"]);
    assert_eq!(
        (&trash["count"], join_keys(&trash)),
        (&json!(3), "offset limit count match results".into())
    );
    let (first, last) = (&trash["results"][0]["document"], &trash["results"][2]["folder"]);
    assert_eq!((&first["folder"], &first["mode"]), (&json!("/Sales"), &json!("w")));
    assert!(first["deleted_at"].is_string() && last["deleted_at"].is_string());
    assert_eq!(entry_names(&fixture.get_json(ann, "/users/me/list")), ["/Sales", "Kept"]);
    assert_eq!(entry_names(&fixture.get_json(ann, "/users/me/trash?offset=1&limit=1")), ["Old"]);

    let anns_trash = format!("/users/{}/trash", ann.id);
    assert_eq!(fixture.request(&fixture.ben, "GET", &anns_trash, &Value::Null).status, 404);
    assert_eq!(
        fixture.request(&fixture.ben, "GET", "/users/nobody/trash", &Value::Null).status,
        404
    );
    assert_eq!(fixture.server.send("GET", "/api/v1/users/me/trash", &[], "").status, 401);
    assert_eq!(entry_names(&fixture.get_json(&fixture.ben, "/users/me/trash")), [""; 0]);
}
