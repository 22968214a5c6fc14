//! Tests of comments. Ann is the admin of the organization `acme`. Ben,
//! Cid and Bea are members. Dan is a stranger.

mod content;
mod lifecycle;
mod mail;
mod paging;
mod team_members;
mod rules;

use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::Response;

/// A document and its comments.
struct CommentFixture {
    fixture: OrgFixture,
    /// Account id of the owner of the document.
    owner: String,
    document_id: String,
}

impl CommentFixture {
    /// Creates a document as Ann in the root folder of Ann (`me`) or of the organization (`acme`).
    fn for_owner(owner: &str) -> Self {
        Self::in_folder(OrgFixture::new(), owner, "/")
    }

    /// Creates a document as Ann in a folder of an account.
    fn in_folder(fixture: OrgFixture, owner: &str, folder: &str) -> Self {
        let body = json!({ "widget": "bar", "owner": owner, "folder": folder });
        let created = fixture.request("Ann", "POST", "/api/v1/create-document", body);
        assert_eq!(created.status, 200, "{}", created.text);
        let text = |key: &str| created.json()[key].as_str().unwrap().to_owned();
        let (owner, document_id) = (text("owner"), text("id"));
        Self { fixture, owner, document_id }
    }

    /// Returns the path of the document.
    fn document_path(&self) -> String {
        format!("/api/v1/users/{}/documents/{}", self.owner, self.document_id)
    }

    /// Sends a request to a path below the comments. An empty name is a guest.
    fn request(&self, name: &str, method: &str, suffix: &str, body: Value) -> Response {
        let path = format!("{}/comments{suffix}", self.document_path());
        if !name.is_empty() {
            return self.fixture.request(name, method, &path, body);
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("content-type", "application/json")];
        self.fixture.server.send(method, &path, &headers, &body)
    }

    /// Sends a request that must succeed with status 200, and returns the body.
    #[track_caller]
    fn request_ok(&self, name: &str, method: &str, suffix: &str, body: Value) -> Value {
        let response = self.request(name, method, suffix, body);
        assert_eq!(response.status, 200, "{name} {method} {suffix}: {}", response.text);
        response.json()
    }

    /// Returns all threads as one caller sees them.
    #[track_caller]
    fn list_threads(&self, name: &str) -> Vec<Value> {
        self.request_ok(name, "GET", "", Value::Null)["threads"].as_array().unwrap().clone()
    }

    /// Starts a thread with a text. Returns the ids of the thread and of the comment as path
    /// suffixes.
    #[track_caller]
    fn start_thread(&self, name: &str, text: &str) -> (String, String) {
        let created = self.request_ok(name, "POST", "", thread_body(&[text_part(text)]));
        let thread_path = format!("/{}", created["id"].as_str().unwrap());
        let comment_path =
            format!("{thread_path}/{}", created["comments"][0]["id"].as_str().unwrap());
        (thread_path, comment_path)
    }

    /// Adds a comment and returns its path suffix.
    #[track_caller]
    fn reply(&self, name: &str, thread: &str, text: &str) -> String {
        let created = self.request_ok(name, "POST", thread, comment_body(&[text_part(text)]));
        format!("{thread}/{}", created["id"].as_str().unwrap())
    }

    /// Shares the document as Ann: `{"user_id": …}`, `{"team": …}`, or an empty body for a link.
    #[track_caller]
    fn share(&self, fields: Value) -> Value {
        let mut body = json!({ "owner": self.owner, "document": self.document_id });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let response = self.fixture.request("Ann", "POST", "/api/v1/share", body);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Shares the document by link as Ann and returns the query that opens it.
    fn create_link_query(&self, mode: &str) -> String {
        let link = self.share(json!({ "mode": mode }))["link"].as_str().unwrap().to_owned();
        format!("?share={}", link.rsplit('/').next().unwrap())
    }

    /// Grants a user read (`r`) or write (`w`) access to the document.
    fn grant_access(&self, name: &str, mode: &str) {
        self.share(json!({ "user_id": self.fixture.user_id(name), "mode": mode }));
    }

    /// Returns the id of a user as the number that comments use.
    fn user_number(&self, name: &str) -> u64 {
        self.fixture.user_id(name).parse().unwrap()
    }

    /// Returns a mention of a user by the id alone.
    fn mention_part(&self, name: &str) -> Value {
        json!({ "type": "user", "id": self.user_number(name) })
    }
}

/// Returns a text part of a comment.
fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Returns a body that starts a thread.
fn thread_body(parts: &[Value]) -> Value {
    json!({ "position": { "x": 10, "y": 20.5 }, "content": parts })
}

/// Returns a body that adds a comment.
fn comment_body(parts: &[Value]) -> Value {
    json!({ "content": parts })
}
