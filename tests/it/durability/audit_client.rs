//! A client that changes an organization while the server is killed: folders, themes, assets and
//! managed accounts. The audit log must have exactly one event for each change that took effect.

use std::collections::BTreeMap;
use std::time::Duration;

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use super::connection::UnreliableConnection;
use crate::server_process::ServerProcess;

/// Slug of the organization.
const ORG: &str = "audited";
/// Number of objects of a type from which the client deletes the oldest one.
const MAX_OBJECTS: usize = 4;
/// Image to upload.
const SQUARE: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8H0z"/></svg>"#;

/// A type of objects of the organization.
struct ObjectType {
    /// Action in the audit log that creates an object.
    creation: &'static str,
    /// Action that deletes one. None if the client never does so.
    deletion: Option<&'static str>,
    /// Method and path that create an object. `{name}` stands for its name.
    create: (&'static str, &'static str),
    /// Path that deletes an object. `{id}` stands for its id.
    delete_path: &'static str,
    /// Path of the list of the objects, and the field with the entries.
    list: (&'static str, &'static str),
    /// Fields of an entry with the name and with the id in paths.
    fields: (&'static str, &'static str),
}

/// All types, in the order in which the client changes them.
const OBJECT_TYPES: [ObjectType; 4] = [
    ObjectType {
        creation: "folder.create",
        deletion: None,
        create: ("PUT", "/api/v1/users/audited/folders/{name}"),
        delete_path: "",
        list: ("/api/v1/users/audited/folders", "folders"),
        fields: ("title", "title"),
    },
    ObjectType {
        creation: "theme.create",
        deletion: Some("theme.delete"),
        create: ("POST", "/api/v1/orgs/audited/themes"),
        delete_path: "/api/v1/orgs/audited/themes/{id}",
        list: ("/api/v1/orgs/audited/themes", "themes"),
        fields: ("name", "name"),
    },
    ObjectType {
        creation: "asset.create",
        deletion: Some("asset.delete"),
        create: ("PUT", "/api/v1/orgs/audited/assets/{name}"),
        delete_path: "/api/v1/orgs/audited/assets/{id}",
        list: ("/api/v1/orgs/audited/assets", "assets"),
        fields: ("filename", "filename"),
    },
    ObjectType {
        creation: "user.create",
        deletion: Some("user.remove"),
        create: ("POST", "/api/v1/orgs/audited/users"),
        delete_path: "/api/v1/orgs/audited/users/{id}",
        list: ("/api/v1/orgs/audited/users?limit=100", "users"),
        fields: ("name", "id"),
    },
];

/// A change of an object.
#[derive(Debug, Clone)]
struct Change {
    /// Index of the type of the object.
    kind: usize,
    name: String,
    is_deletion: bool,
}

/// A client that keeps creating and deleting objects with new names and remembers the responses.
pub struct AuditClient {
    connection: UnreliableConnection,
    /// First part of the names of its objects.
    prefix: String,
    /// Number of steps so far.
    step_count: usize,
    /// Names and ids of the objects of each type.
    objects: [BTreeMap<String, String>; OBJECT_TYPES.len()],
    /// Names in the events of each action.
    recorded: BTreeMap<&'static str, Vec<String>>,
    /// Change in progress. None if every change has a response.
    unacknowledged: Option<Change>,
}

impl Change {
    /// Returns the action in the audit log.
    fn action(&self) -> &'static str {
        let object_type = &OBJECT_TYPES[self.kind];
        if self.is_deletion { object_type.deletion.unwrap() } else { object_type.creation }
    }
}

impl AuditClient {
    /// Creates a client. The number distinguishes it from others.
    pub fn new(number: usize) -> Self {
        Self {
            connection: UnreliableConnection::new(),
            prefix: format!("audited{number}-"),
            step_count: 0,
            objects: Default::default(),
            recorded: BTreeMap::new(),
            unacknowledged: None,
        }
    }

    /// Creates the organization of all clients, with Ann as its admin, a verified domain, and a flat
    /// fee, so that managed accounts need no confirmation.
    pub fn create_org(server: &ServerProcess) {
        let create = ["org", "create", "--name", "Audited", "--slug", ORG];
        let plan = ["--plan", "enterprise", "--seats", "unlimited"];
        server.run_json(&[&create[..], &plan].concat());
        server.run_json(&["org", "member", "add", ORG, &server.ann().id, "--role", "admin"]);
        server.run_json(&["org", "subscription", ORG, "--flat-fee", "100"]);
        server.run_json(&["org", "domain", "add", ORG, "acme.example"]);
        let database = Connection::open(server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
        database.busy_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(database.execute("update domain set status = 'verified'", []).unwrap(), 1);
    }

    /// Changes an object. Returns None if no response arrived.
    pub fn change_next(&mut self, base: &str) -> Option<()> {
        self.step_count += 1;
        let kind = self.step_count % OBJECT_TYPES.len();
        let change = match self.objects[kind].keys().next() {
            Some(oldest)
                if OBJECT_TYPES[kind].deletion.is_some()
                    && self.objects[kind].len() >= MAX_OBJECTS =>
            {
                Change { kind, name: oldest.clone(), is_deletion: true }
            }
            _ => {
                let name = format!("{}{:06}", self.prefix, self.step_count);
                Change { kind, name, is_deletion: false }
            }
        };
        self.unacknowledged = Some(change.clone());
        let response = self.send(base, &change)?;
        self.unacknowledged = None;
        let id = response[OBJECT_TYPES[kind].fields.1].as_str().unwrap_or(&change.name).to_owned();
        self.apply(change, id);
        Some(())
    }

    /// Sends the request of a change. Returns None if no response arrived.
    fn send(&self, base: &str, change: &Change) -> Option<Value> {
        let object_type = &OBJECT_TYPES[change.kind];
        if change.is_deletion {
            let id = &self.objects[change.kind][&change.name];
            let path = object_type.delete_path.replace("{id}", id);
            return self.connection.send("DELETE", base, &path, &Value::Null);
        }
        let (method, path) = object_type.create;
        let (name, path) = (&change.name, path.replace("{name}", &change.name));
        match object_type.creation {
            "asset.create" => self.connection.upload(base, &path, SQUARE),
            "folder.create" => self.connection.send(method, base, &path, &json!({})),
            _ => {
                let body = json!({ "name": name, "email": format!("{name}@acme.example") });
                let is_theme = object_type.creation == "theme.create";
                let body = if is_theme { json!({ "name": name }) } else { body };
                self.connection.send(method, base, &path, &body)
            }
        }
    }

    /// Applies a change that took effect to the expected objects and events.
    fn apply(&mut self, change: Change, id: String) {
        self.recorded.entry(change.action()).or_default().push(change.name.clone());
        let objects = &mut self.objects[change.kind];
        if change.is_deletion {
            objects.remove(&change.name);
        } else {
            objects.insert(change.name, id);
        }
    }

    /// Compares objects and events with the responses after the restart of the server, and continues
    /// from there.
    pub fn check(&mut self, base: &str) {
        for (kind, object_type) in OBJECT_TYPES.iter().enumerate() {
            let existing = self.list_objects(base, kind);
            if let Some(change) = self.unacknowledged.take_if(|change| change.kind == kind)
                && existing.contains_key(&change.name) != change.is_deletion
            {
                let id = existing.get(&change.name).cloned().unwrap_or_default();
                self.apply(change, id);
            }
            assert_eq!(existing, self.objects[kind], "{}", object_type.creation);
        }
        for object_type in &OBJECT_TYPES {
            for action in [Some(object_type.creation), object_type.deletion].into_iter().flatten() {
                let mut found = self.read_recorded_names(base, action);
                found.sort();
                let mut expected = self.recorded.get(action).cloned().unwrap_or_default();
                expected.sort();
                assert_eq!(found, expected, "events and changes differ: {action}");
            }
        }
    }

    /// Returns whether each action has an event.
    pub fn has_all_actions(&self) -> bool {
        let actions = OBJECT_TYPES
            .iter()
            .flat_map(|present| [Some(present.creation), present.deletion].into_iter().flatten());
        actions.into_iter().all(|action| self.recorded.contains_key(action))
    }

    /// Returns names and ids of the objects of this client of a type.
    fn list_objects(&self, base: &str, kind: usize) -> BTreeMap<String, String> {
        let ObjectType { list: (path, list), fields: (name, id), .. } = &OBJECT_TYPES[kind];
        let list = self.read(base, path)[list].clone();
        let text = |entry: &Value, field: &str| entry[field].as_str().unwrap().to_owned();
        let entries = list.as_array().into_iter().flatten();
        entries
            .map(|entry| (text(entry, name), text(entry, id)))
            .filter(|(name, _)| name.starts_with(&self.prefix))
            .collect()
    }

    /// Returns the names of the objects of this client in the events of an action, one for each
    /// event.
    fn read_recorded_names(&self, base: &str, action: &str) -> Vec<String> {
        let mut names = Vec::new();
        let query = format!("action={action}&limit=100&q={}", self.prefix);
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
