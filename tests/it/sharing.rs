//! Tests of sharing. Ann has a document and a folder. Ben and Cid have
//! accounts. Dan and Ben are in Ann's organization `acme`. Zoe is a stranger.

mod entries;
mod foreign;
mod invitations;
mod links;
mod mail_limit;

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::test_server::Response;
use crate::test_server::TestServer;

/// Public base address of the server.
const BASE_URL: &str = "http://127.0.0.1:8080";

/// A server with the users and the organization `acme`.
struct SharingFixture {
    server: TestServer,
    /// Name, account id and `Authorization` header of each user.
    users: Vec<(&'static str, String, String)>,
}

/// The ids and the path of a document.
#[derive(Clone)]
struct DocumentRef {
    /// Account id of the owner.
    owner: String,
    id: String,
    /// Path without the API prefix.
    path: String,
}

impl SharingFixture {
    fn new() -> Self {
        let server = TestServer::new();
        let org = create_org(&server, "acme", Seats::Unlimited);
        let roles = [
            ("Ann", Some(Role::Admin)),
            ("Ben", None),
            ("Cid", None),
            ("Dan", Some(Role::Member)),
            ("Zoe", None),
        ];
        let users = roles.map(|(name, role)| {
            let id = server.create_user(name).id;
            if let Some(role) = role {
                add_member(&server, &org, &id, role).unwrap();
            }
            (name, id.to_string(), server.create_bearer_token(&id))
        });
        Self { server, users: users.into() }
    }

    /// Returns the account id of a user.
    fn user_id(&self, name: &str) -> String {
        self.users.iter().find(|user| user.0 == name).unwrap().1.clone()
    }

    /// Sends a request as a user, or as a guest if the name is empty.
    fn request(&self, name: &str, method: &str, path: &str, body: &Value) -> Response {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let path = format!("/api/v1{path}");
        match self.users.iter().find(|user| user.0 == name) {
            Some((_, _, token)) => self.server.request(token, method, &path, &body),
            None => {
                let headers = [("content-type", "application/json")];
                self.server.send(method, &path, &headers, &body)
            }
        }
    }

    /// Returns the status of a GET.
    fn get_status(&self, name: &str, path: &str) -> u16 {
        self.request(name, "GET", path, &Value::Null).status
    }

    /// Sends a GET that must succeed.
    #[track_caller]
    fn get_json(&self, name: &str, path: &str) -> Value {
        let response = self.request(name, "GET", path, &Value::Null);
        assert_eq!(response.status, 200, "{name} {path}: {}", response.text);
        response.json()
    }

    /// Creates a document as a user in a folder of an account.
    fn create_document(&self, name: &str, owner: &str, folder: &str) -> DocumentRef {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let created = self.request(name, "POST", "/create-document", &body);
        assert_eq!(created.status, 200, "{}", created.text);
        let endpoint = created.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint.strip_prefix(&format!("{BASE_URL}/api/v1")).unwrap().to_owned();
        let parts: Vec<&str> = path.split('/').collect();
        DocumentRef { owner: parts[2].to_owned(), id: parts[4].to_owned(), path: path.clone() }
    }

    /// Sends a `POST /share` that must succeed and returns the access entry.
    #[track_caller]
    fn share(&self, name: &str, body: &Value) -> Value {
        let response = self.request(name, "POST", "/share", body);
        assert_eq!(response.status, 200, "{name} {body}: {}", response.text);
        response.json()
    }

    /// Returns status and text of a request to `/share`.
    fn share_status_and_text(&self, name: &str, method: &str, body: &Value) -> (u16, String) {
        let response = self.request(name, method, "/share", body);
        (response.status, response.text)
    }

    /// Changes the title of a document and returns the status, which shows whether the caller may
    /// write.
    fn patch_status(&self, name: &str, doc: &DocumentRef, query: &str) -> u16 {
        let path = format!("{}{query}", doc.path);
        self.request(name, "PATCH", &path, &json!({ "title": "Changed" })).status
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

impl DocumentRef {
    /// Returns a body for `/share` that names the document and has additional fields.
    fn share_body(&self, more: Value) -> Value {
        let mut body = json!({ "owner": self.owner, "document": self.id });
        let fields = body.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        body
    }
}

/// Returns the token at the end of a link.
fn link_token(ace: &Value) -> String {
    let link = ace["link"].as_str().unwrap_or_else(|| panic!("no link: {ace}"));
    link.strip_prefix(&format!("{BASE_URL}/s/")).unwrap().to_owned()
}

/// Returns the keys of an object, separated by spaces.
fn join_keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}
