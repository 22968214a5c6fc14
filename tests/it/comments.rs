//! Tests of comments as sequences of requests. Ann is the admin of the organization `acme`. Ben,
//! Cid and Bea are members. Dan is a stranger.

mod content;
mod keeping;
mod mail;
mod people;
mod rules;

use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::teams::World;

/// The comments of one document.
struct Talk {
    world: World,
    /// Id of the owner and of the document.
    owner: String,
    doc: String,
}

impl Talk {
    /// Creates a document of Ann (`me`) or of the organization (`acme`).
    fn about(owner: &str) -> Self {
        Self::about_in(World::new(), owner, "/")
    }

    /// Creates a document of Ann in a folder.
    fn about_in(world: World, owner: &str, folder: &str) -> Self {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let made = world.anything("Ann", "POST", "/api/v1/create-document", body);
        assert_eq!(made.status, 200, "{}", made.text);
        let text = |key: &str| made.json()[key].as_str().unwrap().to_owned();
        let (owner, doc) = (text("owner"), text("id"));
        Self { world, owner, doc }
    }

    /// Returns the path of the document.
    fn document(&self) -> String {
        format!("/api/v1/users/{}/documents/{}", self.owner, self.doc)
    }

    /// Sends a request about the comments. An empty name is a guest.
    fn ask(&self, name: &str, method: &str, suffix: &str, body: Value) -> Answer {
        let path = format!("{}/comments{suffix}", self.document());
        if !name.is_empty() {
            return self.world.anything(name, method, &path, body);
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("content-type", "application/json")];
        self.world.server.send(method, &path, &headers, &body)
    }

    /// Sends a request that must succeed.
    #[track_caller]
    fn done(&self, name: &str, method: &str, suffix: &str, body: Value) -> Value {
        let answer = self.ask(name, method, suffix, body);
        assert_eq!(answer.status, 200, "{name} {method} {suffix}: {}", answer.text);
        answer.json()
    }

    /// Returns all threads as one caller sees them.
    #[track_caller]
    fn threads(&self, name: &str) -> Vec<Value> {
        self.done(name, "GET", "", Value::Null)["threads"].as_array().unwrap().clone()
    }

    /// Starts a thread with a text. Returns the ids of the thread and of the comment as path
    /// suffixes.
    #[track_caller]
    fn begin(&self, name: &str, text: &str) -> (String, String) {
        let thread = self.done(name, "POST", "", thread(&[said(text)]));
        let id = format!("/{}", thread["id"].as_str().unwrap());
        let comment = format!("{id}/{}", thread["comments"][0]["id"].as_str().unwrap());
        (id, comment)
    }

    /// Adds a comment and returns its path suffix.
    #[track_caller]
    fn reply(&self, name: &str, thread: &str, text: &str) -> String {
        let comment = self.done(name, "POST", thread, comment(&[said(text)]));
        format!("{thread}/{}", comment["id"].as_str().unwrap())
    }

    /// Shares the document as Ann: `{"user_id": …}`, `{"team": …}`, or an empty body for a link.
    #[track_caller]
    fn share(&self, with: Value) -> Value {
        let mut body = json!({ "owner": self.owner, "document": self.doc });
        body.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        let answer = self.world.anything("Ann", "POST", "/api/v1/share", body);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Shares the document by link as Ann and returns the query that opens it.
    fn link(&self, mode: &str) -> String {
        let link = self.share(json!({ "mode": mode }))["link"].as_str().unwrap().to_owned();
        format!("?share={}", link.rsplit('/').next().unwrap())
    }

    /// Grants a person read (`r`) or write (`w`) access to the document.
    fn invite(&self, name: &str, mode: &str) {
        self.share(json!({ "user_id": self.world.id(name), "mode": mode }));
    }

    /// Returns the id of a person as the number that comments use.
    fn number(&self, name: &str) -> u64 {
        self.world.id(name).parse().unwrap()
    }

    /// Returns a mention of a person by the id alone.
    fn mention(&self, name: &str) -> Value {
        json!({ "type": "user", "id": self.number(name) })
    }
}

fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Returns a body that starts a thread.
fn thread(parts: &[Value]) -> Value {
    json!({ "position": { "x": 10, "y": 20.5 }, "content": parts })
}

/// Returns a body that adds a comment.
fn comment(parts: &[Value]) -> Value {
    json!({ "content": parts })
}
