//! The expected state of the documents and folders of a folder client, and the state on the server.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use super::connection::UnreliableConnection;
use crate::server_process::test_users;

/// The expected state of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Absolute path of the folder. For a document in the trash, the path before its removal.
    pub folder: String,
    pub title: String,
    pub trashed: bool,
    /// Value of the only record. None while the document has the sample's data.
    pub value: Option<u64>,
    /// Ben's access: `r` or `w`. None without access.
    pub mode: Option<String>,
    /// Values of the saved versions, by version number.
    pub versions: BTreeMap<u64, u64>,
}

/// All documents and managed folders of a folder client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectedState {
    /// Documents by path below the base URL of the server.
    pub documents: BTreeMap<String, Document>,
    /// Folders that the client created, by absolute path. The value is true if the folder is in the
    /// trash.
    pub managed_folders: BTreeMap<String, bool>,
}

impl ExpectedState {
    /// Returns the documents in a managed folder and below it.
    pub fn documents_in<'a>(&'a mut self, folder: &str) -> impl Iterator<Item = &'a mut Document> {
        let below = format!("{folder}/");
        let is_inside =
            move |document: &&mut Document| format!("{}/", document.folder).starts_with(&below);
        self.documents.values_mut().filter(is_inside)
    }

    /// Returns whether the folder of a document is a managed folder.
    pub fn is_in_managed_folder(&self, document: &Document) -> bool {
        self.managed_folders.keys().any(|path| document.folder == *path)
    }

    /// Returns the state without the folder paths of documents in the trash, which are not
    /// compared.
    pub fn comparable(&self) -> Self {
        let mut comparable = self.clone();
        for document in comparable.documents.values_mut().filter(|document| document.trashed) {
            document.folder.clear();
        }
        comparable
    }

    /// Reads the state of everything that `known_states` contain from the server.
    pub fn read(connection: &UnreliableConnection, base: &str, known_states: &[&Self]) -> Self {
        let mut state = Self::default();
        let known_keys = |select: fn(&Self) -> Vec<String>| -> BTreeSet<String> {
            known_states.iter().flat_map(|state| select(state)).collect()
        };
        for path in known_keys(|state| state.documents.keys().cloned().collect()) {
            let versions = known_states.iter().filter_map(|state| state.documents.get(&path));
            let versions = versions.flat_map(|document| document.versions.clone()).collect();
            if let Some(document) = read_document(connection, base, &path, &versions) {
                state.documents.insert(path, document);
            }
        }
        let account = format!("/api/v1/users/{}", test_users()[0].id);
        for folder_path in known_keys(|state| state.managed_folders.keys().cloned().collect()) {
            let path = format!("{account}/folders{}", folder_path.replace(' ', "%20"));
            let folder = connection.get(base, &path).expect("the restarted server responds");
            if let Some(folder) = folder {
                state.managed_folders.insert(folder_path, is_trashed(&folder));
            }
        }
        state
    }
}

/// Reads a document from the server, with those of the given versions that still exist.
fn read_document(
    connection: &UnreliableConnection,
    base: &str,
    path: &str,
    versions: &BTreeMap<u64, u64>,
) -> Option<Document> {
    let read = |path: &str| connection.get(base, path).expect("the restarted server responds");
    let document_json = read(path)?;
    let trashed = is_trashed(&document_json);
    let text = |name: &str| document_json[name].as_str().unwrap().to_owned();
    let newest = read(&format!("{path}/history/{}", document_json["history_version"]));
    let newest = newest.unwrap_or_else(|| panic!("{path} lacks its newest version"));
    for field in ["title", "data", "settings"] {
        assert_eq!(newest[field], document_json[field], "{path}: {field} of its newest version");
    }
    let existing_versions = versions.keys().filter_map(|number| {
        let version = read(&format!("{path}/history/{number}"))?;
        Some((*number, single_value(&version)?))
    });
    Some(Document {
        folder: if trashed { String::new() } else { text("folder") },
        title: text("title"),
        trashed,
        value: single_value(&document_json),
        mode: mode_of_ben(&document_json),
        versions: existing_versions.collect(),
    })
}

/// Returns whether the JSON of a node says that it is in the trash.
fn is_trashed(node: &Value) -> bool {
    node.get("deleted_at").is_some_and(|value| !value.is_null())
}

/// Returns the value of the only record, or None if there are more or none.
fn single_value(document: &Value) -> Option<u64> {
    match document["data"].as_array().unwrap().as_slice() {
        [record] => record["value"].as_u64(),
        _ => None,
    }
}

/// Returns the mode of Ben's access entry on the document.
fn mode_of_ben(document: &Value) -> Option<String> {
    let is_of_ben = |entry: &&Value| {
        entry["user_id"] == test_users()[1].id && entry["document"] == document["id"]
    };
    let entry = document["acl"].as_array().unwrap().iter().find(is_of_ben)?;
    Some(entry["mode"].as_str().unwrap().to_owned())
}
