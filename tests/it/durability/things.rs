//! The expected state of a keeper's documents and folders, and the state that the server shows.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use super::line::Line;
use crate::world::people;

/// The expected state of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Absolute path of the folder. For a document in the trash, the path before its removal.
    pub folder: String,
    pub title: String,
    pub trashed: bool,
    /// Value of the only record. None while the document has the sample's data.
    pub value: Option<u64>,
    /// Ben's access: `r`, `w`.
    pub mode: Option<String>,
    /// Values of the saved versions.
    pub versions: BTreeMap<u64, u64>,
}

/// All documents and shelves of a keeper. Documents are listed by path below the server's address.
/// Shelves are folders that the keeper created, by absolute path, with a flag for the trash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Things {
    pub documents: BTreeMap<String, Document>,
    pub shelves: BTreeMap<String, bool>,
}

impl Things {
    /// Returns the documents on a shelf.
    pub fn on<'a>(&'a mut self, shelf: &str) -> impl Iterator<Item = &'a mut Document> {
        let below = format!("{shelf}/");
        let on = move |it: &&mut Document| format!("{}/", it.folder).starts_with(&below);
        self.documents.values_mut().filter(on)
    }

    /// Returns whether a document is on a shelf.
    pub fn is_shelved(&self, document: &Document) -> bool {
        self.shelves.keys().any(|it| document.folder == *it)
    }

    /// Returns the comparable state. The old path of a document in the trash is not compared.
    pub fn shown(&self) -> Self {
        let mut shown = self.clone();
        for document in shown.documents.values_mut().filter(|it| it.trashed) {
            document.folder.clear();
        }
        shown
    }

    /// Reads the state of everything that `known` may contain from the server.
    pub fn read(line: &Line, base: &str, known: &[&Self]) -> Self {
        let mut found = Self::default();
        let names = |of: fn(&Self) -> Vec<String>| -> BTreeSet<String> {
            known.iter().flat_map(|it| of(it)).collect()
        };
        for path in names(|it| it.documents.keys().cloned().collect()) {
            let versions = known.iter().filter_map(|it| it.documents.get(&path));
            let versions = versions.flat_map(|it| it.versions.clone()).collect();
            if let Some(document) = document(line, base, &path, &versions) {
                found.documents.insert(path, document);
            }
        }
        let account = format!("/api/v1/users/{}", people()[0].id);
        for shelf in names(|it| it.shelves.keys().cloned().collect()) {
            let path = format!("{account}/folders{}", shelf.replace(' ', "%20"));
            let folder = line.get(base, &path).expect("the restarted server answers");
            if let Some(folder) = folder {
                found.shelves.insert(shelf, is_trashed(&folder));
            }
        }
        found
    }
}

/// Reads a document from the server, with those of the given versions that still exist.
fn document(
    line: &Line,
    base: &str,
    path: &str,
    versions: &BTreeMap<u64, u64>,
) -> Option<Document> {
    let get = |path: &str| line.get(base, path).expect("the restarted server answers");
    let found = get(path)?;
    let trashed = is_trashed(&found);
    let text = |name: &str| found[name].as_str().unwrap().to_owned();
    let newest = get(&format!("{path}/history/{}", found["history_version"]));
    let newest = newest.unwrap_or_else(|| panic!("{path} lacks its newest version"));
    for field in ["title", "data", "settings"] {
        assert_eq!(newest[field], found[field], "{path}: {field} of its newest version");
    }
    let kept = versions.keys().filter_map(|number| {
        let version = get(&format!("{path}/history/{number}"))?;
        Some((*number, value(&version)?))
    });
    Some(Document {
        folder: if trashed { String::new() } else { text("folder") },
        title: text("title"),
        trashed,
        value: value(&found),
        mode: mode(&found),
        versions: kept.collect(),
    })
}

fn is_trashed(thing: &Value) -> bool {
    thing.get("deleted_at").is_some_and(|it| !it.is_null())
}

/// Returns the value of the only record, or None if there are more or none.
fn value(document: &Value) -> Option<u64> {
    match document["data"].as_array().unwrap().as_slice() {
        [record] => record["value"].as_u64(),
        _ => None,
    }
}

/// Returns the mode of Ben's access entry on the document.
fn mode(document: &Value) -> Option<String> {
    let of_ben = |it: &&Value| it["user_id"] == people()[1].id && it["document"] == document["id"];
    let entry = document["acl"].as_array().unwrap().iter().find(of_ben)?;
    Some(entry["mode"].as_str().unwrap().to_owned())
}
