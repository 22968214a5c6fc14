//! Tests of sharing as sequences of requests. Ann has a document and a folder. Ben and Cid have
//! accounts. Dan and Ben are in Ann's organization `acme`. Zoe is a stranger.

mod entries;
mod foreign;
mod invitations;
mod links;

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add;
use crate::orgs::make;
use crate::talk::Answer;
use crate::talk::Server;

/// Public base address of the server.
const BASE: &str = "http://127.0.0.1:8080";

/// The people and their server.
struct World {
    server: Server,
    /// Name, id and credentials of each person.
    people: Vec<(&'static str, String, String)>,
}

/// A document: its owner's id, its id, and its path without the API prefix.
#[derive(Clone)]
struct Doc {
    owner: String,
    id: String,
    path: String,
}

impl World {
    fn new() -> Self {
        let server = Server::new();
        let org = make(&server, "acme", Seats::Unlimited);
        let roles = [
            ("Ann", Some(Role::Admin)),
            ("Ben", None),
            ("Cid", None),
            ("Dan", Some(Role::Member)),
            ("Zoe", None),
        ];
        let people = roles.map(|(name, role)| {
            let id = server.person(name).id;
            if let Some(role) = role {
                add(&server, &org, &id, role).unwrap();
            }
            (name, id.to_string(), server.token(&id))
        });
        Self { server, people: people.into() }
    }

    fn id(&self, name: &str) -> String {
        self.people.iter().find(|it| it.0 == name).unwrap().1.clone()
    }

    /// Sends a request as a person, or as a guest if the name is empty.
    fn ask(&self, name: &str, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let path = format!("/api/v1{path}");
        match self.people.iter().find(|it| it.0 == name) {
            Some((_, _, token)) => self.server.ask(token, method, &path, &body),
            None => {
                let headers = [("content-type", "application/json")];
                self.server.send(method, &path, &headers, &body)
            }
        }
    }

    /// Returns the status of a GET.
    fn reads(&self, name: &str, path: &str) -> u16 {
        self.ask(name, "GET", path, &Value::Null).status
    }

    /// Sends a GET that must succeed.
    #[track_caller]
    fn get(&self, name: &str, path: &str) -> Value {
        let answer = self.ask(name, "GET", path, &Value::Null);
        assert_eq!(answer.status, 200, "{name} {path}: {}", answer.text);
        answer.json()
    }

    /// Creates a document of a person or of `acme`.
    fn document(&self, name: &str, owner: &str, folder: &str) -> Doc {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let made = self.ask(name, "POST", "/create-document", &body);
        assert_eq!(made.status, 200, "{}", made.text);
        let endpoint = made.json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint.strip_prefix(&format!("{BASE}/api/v1")).unwrap().to_owned();
        let parts: Vec<&str> = path.split('/').collect();
        Doc { owner: parts[2].to_owned(), id: parts[4].to_owned(), path: path.clone() }
    }

    /// Sends a `POST /share` that must succeed and returns the access entry.
    #[track_caller]
    fn share(&self, name: &str, body: &Value) -> Value {
        let answer = self.ask(name, "POST", "/share", body);
        assert_eq!(answer.status, 200, "{name} {body}: {}", answer.text);
        answer.json()
    }

    /// Returns status and text of a request to `/share`.
    fn refused(&self, name: &str, method: &str, body: &Value) -> (u16, String) {
        let answer = self.ask(name, method, "/share", body);
        (answer.status, answer.text)
    }

    /// Changes a title. The status shows whether the caller may write.
    fn writes(&self, name: &str, doc: &Doc, query: &str) -> u16 {
        let path = format!("{}{query}", doc.path);
        self.ask(name, "PATCH", &path, &json!({ "title": "Changed" })).status
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

impl Doc {
    /// Returns a body for `/share` that names the document and has additional fields.
    fn with(&self, more: Value) -> Value {
        let mut body = json!({ "owner": self.owner, "document": self.id });
        let fields = body.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        body
    }
}

/// Returns the token at the end of a link.
fn token(ace: &Value) -> String {
    let link = ace["link"].as_str().unwrap_or_else(|| panic!("no link: {ace}"));
    link.strip_prefix(&format!("{BASE}/s/")).unwrap().to_owned()
}

/// Returns the names of an object's fields.
fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}
