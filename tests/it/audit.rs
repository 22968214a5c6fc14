//! Tests of the audit log. Ann is an admin of the organization `acme`, which has the plan
//! `enterprise`. Ben and Cid are members. Dan is a stranger.

mod changes;
mod managed;
mod origin;
mod people;
mod reading;
mod sources;

use std::cell::Cell;

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::Response;

/// `User-Agent` of all requests.
const USER_AGENT: &str = "audit-test/1.0";

/// A server with the organization, and the last event that a test has seen.
struct AuditFixture {
    fixture: OrgFixture,
    last_id: Cell<i64>,
}

impl AuditFixture {
    /// Starts a server. The events of its preparation count as seen.
    fn new() -> Self {
        let fixture = Self { fixture: OrgFixture::new(), last_id: Cell::new(0) };
        fixture.set_plan(Plan::Enterprise);
        fixture.take_events();
        fixture
    }

    /// Grants a plan to the organization.
    fn set_plan(&self, plan: Plan) {
        let id = self.fixture.org.id.clone();
        let db = &self.fixture.server.app.db;
        db.write(move |tx| orgs::set_plan(tx, &id, Some(plan), None)).unwrap();
    }

    /// Sends a request as a user, or as a guest if the name is empty.
    fn request(&self, name: &str, method: &str, path: &str, body: &Value) -> Response {
        self.send(name, method, path, body, &[])
    }

    /// Sends a request with further headers.
    fn send(
        &self,
        name: &str,
        method: &str,
        path: &str,
        body: &Value,
        more: &[(&str, &str)],
    ) -> Response {
        let mut headers = vec![("user-agent", USER_AGENT), ("content-type", "application/json")];
        if !name.is_empty() {
            headers.push(("authorization", self.fixture.authorization(name)));
        }
        headers.extend(more);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.fixture.server.send(method, &format!("/api/v1{path}"), &headers, &body)
    }

    /// Returns a page of the audit log of an organization as Ann reads it. `query` begins with a
    /// question mark or is empty.
    #[track_caller]
    fn read_log(&self, org: &str, query: &str) -> Vec<Value> {
        let path = format!("/orgs/{org}/audit-log{query}");
        let response = self.request("Ann", "GET", &path, &Value::Null);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["events"].as_array().unwrap().clone()
    }

    /// Returns the events of `acme` since the last call, oldest first.
    #[track_caller]
    fn take_events(&self) -> Vec<Value> {
        let id = |event: &Value| event["id"].as_str().unwrap().parse::<i64>().unwrap();
        let mut events = self.read_log("acme", "?limit=100");
        events.retain(|event| id(event) > self.last_id.get());
        events.reverse();
        self.last_id.set(events.last().map_or(self.last_id.get(), id));
        events
    }

    /// Sends a request that must succeed, and returns the response and the new events. They must
    /// have the actions and the names of the targets in `expected`, and the actor and the client of
    /// the request.
    #[track_caller]
    fn change(
        &self,
        name: &str,
        (method, path, body): (&str, &str, Value),
        expected: &[(&str, &str)],
    ) -> (Response, Vec<Value>) {
        let response = self.request(name, method, path, &body);
        assert!((200..300).contains(&response.status), "{method} {path}: {}", response.text);
        let events = self.take_events();
        let found: Vec<(&str, &str)> = events
            .iter()
            .map(|event| (text(event, "/action"), text(event, "/target/name")))
            .collect();
        assert_eq!(found, expected, "{method} {path}");
        for event in &events {
            let expected_actor = json!({
                "id": self.fixture.user_id(name),
                "name": name,
                "email": format!("{}@example.org", name.to_lowercase()),
                "type": "user",
            });
            assert_eq!(event["actor"], expected_actor, "{method} {path}");
            assert_eq!(event["ip_address"], "127.0.0.1");
            assert_eq!(event["user_agent"], USER_AGENT);
        }
        (response, events)
    }

    /// Creates a document of the organization and returns its path and its id. Its creation counts
    /// as seen.
    fn create_document(&self, name: &str, folder: &str) -> (String, String) {
        let body = json!({ "widget": "bar", "owner": "acme", "folder": folder });
        let response = self.request(name, "POST", "/create-document", &body);
        assert_eq!(response.status, 200, "{}", response.text);
        let id = response.json()["id"].as_str().unwrap().to_owned();
        self.take_events();
        (format!("/users/{}/documents/{id}", self.fixture.org.id), id)
    }
}

/// Returns the text at a JSON pointer.
#[track_caller]
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}: {value}"))
}
