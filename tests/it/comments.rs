//! Comments as conversations: Ann keeps the organization `acme`, Ben, Cid and Bea are in it, Dan is
//! not.

mod content;
mod keeping;
mod mail;
mod people;
mod rules;

use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::teams::World;

/// What is said about one document.
struct Talk {
    world: World,
    /// Id of the owner and of the document.
    owner: String,
    doc: String,
}

impl Talk {
    /// About a new document of Ann's (`me`) or of the organization's (`acme`).
    fn about(owner: &str) -> Self {
        Self::about_in(World::new(), owner, "/")
    }

    /// About a new document that Ann makes in a folder.
    fn about_in(world: World, owner: &str, folder: &str) -> Self {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let made = world.anything("Ann", "POST", "/api/v1/create-document", body);
        assert_eq!(made.status, 200, "{}", made.text);
        let text = |key: &str| made.json()[key].as_str().unwrap().to_owned();
        let (owner, doc) = (text("owner"), text("id"));
        Self { world, owner, doc }
    }

    /// The path of the document.
    fn document(&self) -> String {
        format!("/api/v1/users/{}/documents/{}", self.owner, self.doc)
    }

    /// Somebody's request about its comments; nobody's when the name is empty.
    fn ask(&self, name: &str, method: &str, suffix: &str, body: Value) -> Answer {
        let path = format!("{}/comments{suffix}", self.document());
        if !name.is_empty() {
            return self.world.anything(name, method, &path, body);
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("content-type", "application/json")];
        self.world.server.send(method, &path, &headers, &body)
    }

    /// A request that must work.
    #[track_caller]
    fn done(&self, name: &str, method: &str, suffix: &str, body: Value) -> Value {
        let answer = self.ask(name, method, suffix, body);
        assert_eq!(answer.status, 200, "{name} {method} {suffix}: {}", answer.text);
        answer.json()
    }

    /// All threads as somebody sees them.
    #[track_caller]
    fn threads(&self, name: &str) -> Vec<Value> {
        self.done(name, "GET", "", Value::Null)["threads"].as_array().unwrap().clone()
    }

    /// Somebody begins a thread with a text; gives its id and that of the comment, as suffixes.
    #[track_caller]
    fn begin(&self, name: &str, text: &str) -> (String, String) {
        let thread = self.done(name, "POST", "", thread(&[said(text)]));
        let id = format!("/{}", thread["id"].as_str().unwrap());
        let comment = format!("{id}/{}", thread["comments"][0]["id"].as_str().unwrap());
        (id, comment)
    }

    /// Somebody adds a comment; gives its suffix.
    #[track_caller]
    fn reply(&self, name: &str, thread: &str, text: &str) -> String {
        let comment = self.done(name, "POST", thread, comment(&[said(text)]));
        format!("{thread}/{}", comment["id"].as_str().unwrap())
    }

    /// Ann shares the document: `{"user_id": …}`, `{"team": …}` or nothing for a link.
    #[track_caller]
    fn share(&self, with: Value) -> Value {
        let mut body = json!({ "owner": self.owner, "document": self.doc });
        body.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        let answer = self.world.anything("Ann", "POST", "/api/v1/share", body);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Ann shares the document by link; gives the query that opens it.
    fn link(&self, mode: &str) -> String {
        let link = self.share(json!({ "mode": mode }))["link"].as_str().unwrap().to_owned();
        format!("?share={}", link.rsplit('/').next().unwrap())
    }

    /// Ann lets somebody read (`r`) or change (`w`) the document.
    fn invite(&self, name: &str, mode: &str) {
        self.share(json!({ "user_id": self.world.id(name), "mode": mode }));
    }

    /// Somebody's id as the number that comments have.
    fn number(&self, name: &str) -> u64 {
        self.world.id(name).parse().unwrap()
    }

    /// A mention of somebody by the id alone.
    fn mention(&self, name: &str) -> Value {
        json!({ "type": "user", "id": self.number(name) })
    }
}

fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A body that begins a thread.
fn thread(parts: &[Value]) -> Value {
    json!({ "position": { "x": 10, "y": 20.5 }, "content": parts })
}

/// A body that says something.
fn comment(parts: &[Value]) -> Value {
    json!({ "content": parts })
}
