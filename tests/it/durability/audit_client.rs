//! A client that creates folders of an organization while the server is killed. The audit log must
//! have exactly one event for each folder that exists.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use super::connection::UnreliableConnection;
use crate::server_process::ServerProcess;

/// Slug of the organization that owns the folders.
const ORG: &str = "audited";

/// A client that keeps creating folders with new names and remembers the responses.
pub struct AuditClient {
    connection: UnreliableConnection,
    /// First part of the names of its folders.
    prefix: String,
    /// Number of steps so far.
    step_count: u64,
    /// Names of the folders with an acknowledged creation.
    acknowledged: BTreeSet<String>,
    /// Name of the folder in progress. None if every creation has a response.
    unacknowledged: Option<String>,
}

impl AuditClient {
    /// Creates a client. The number distinguishes it from others.
    pub fn new(number: usize) -> Self {
        Self {
            connection: UnreliableConnection::new(),
            prefix: format!("Audited {number} "),
            step_count: 0,
            acknowledged: BTreeSet::new(),
            unacknowledged: None,
        }
    }

    /// Creates the organization of all clients, with Ann as its admin.
    pub fn create_org(server: &ServerProcess) {
        let create = ["org", "create", "--name", "Audited", "--slug", ORG];
        let plan = ["--plan", "enterprise", "--seats", "unlimited"];
        server.run_json(&[&create[..], &plan].concat());
        server.run_json(&["org", "member", "add", ORG, &server.ann().id, "--role", "admin"]);
    }

    /// Creates a folder. Returns None if no response arrived.
    pub fn change_next(&mut self, base: &str) -> Option<()> {
        self.step_count += 1;
        let name = format!("{}{}", self.prefix, self.step_count);
        let path = format!("/api/v1/users/{ORG}/folders/{}", name.replace(' ', "%20"));
        self.unacknowledged = Some(name);
        self.connection.send("PUT", base, &path, &json!({}))?;
        self.acknowledged.extend(self.unacknowledged.take());
        Some(())
    }

    /// Compares the folders and the events with the responses after the restart of the server, and
    /// continues from there.
    pub fn check(&mut self, base: &str) {
        let root = self.read(base, &format!("/api/v1/users/{ORG}/folders"));
        let folders = root["folders"].as_array().unwrap().iter();
        let existing: BTreeSet<String> = folders
            .map(|folder| folder["title"].as_str().unwrap().to_owned())
            .filter(|title| title.starts_with(&self.prefix))
            .collect();
        let mut expected = self.acknowledged.clone();
        if existing != expected {
            expected.extend(self.unacknowledged.clone());
        }
        assert_eq!(existing, expected);
        let mut recorded = self.read_recorded_names(base);
        recorded.sort();
        let mut expected_names: Vec<String> = existing.iter().cloned().collect();
        expected_names.sort();
        assert_eq!(recorded, expected_names, "events and folders differ");
        self.acknowledged = existing;
        self.unacknowledged = None;
    }

    /// Returns the names of the folders of this client in the audit log, one for each event.
    fn read_recorded_names(&self, base: &str) -> Vec<String> {
        let mut names = Vec::new();
        let query = format!("action=folder.create&limit=100&q={}", self.prefix.replace(' ', "%20"));
        loop {
            let path = format!("/api/v1/orgs/{ORG}/audit-log?{query}&offset={}", names.len());
            let page = self.read(base, &path);
            let events = page["events"].as_array().unwrap();
            if events.is_empty() {
                return names;
            }
            let name = |event: &Value| event["target"]["name"].as_str().unwrap().to_owned();
            names.extend(events.iter().map(name));
        }
    }

    /// Sends a GET that must succeed.
    fn read(&self, base: &str, path: &str) -> Value {
        self.connection.get(base, path).flatten().expect(path)
    }
}
