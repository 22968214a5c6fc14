//! What a keeper knows of his things, and what of it the server shows.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use super::line::Line;
use crate::world::people;

/// What is known of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Absolute path of its folder; of what is in the trash, where it was.
    pub folder: String,
    pub title: String,
    pub trashed: bool,
    /// The value of its only record; none while it has the sample's.
    pub value: Option<u64>,
    /// What Ben may do: `r`, `w`.
    pub mode: Option<String>,
    /// The values of versions that were saved.
    pub versions: BTreeMap<u64, u64>,
}

/// All things of a keeper: documents by their paths below the server's address, and shelves, which
/// are folders made as such, by their absolute paths, with whether they are in the trash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Things {
    pub documents: BTreeMap<String, Document>,
    pub shelves: BTreeMap<String, bool>,
}

impl Things {
    /// The documents on a shelf.
    pub fn on<'a>(&'a mut self, shelf: &str) -> impl Iterator<Item = &'a mut Document> {
        let below = format!("{shelf}/");
        let on = move |it: &&mut Document| format!("{}/", it.folder).starts_with(&below);
        self.documents.values_mut().filter(on)
    }

    /// Whether a document stands on a shelf.
    pub fn is_shelved(&self, document: &Document) -> bool {
        self.shelves.keys().any(|it| document.folder == *it)
    }

    /// As the server is asked for them: where a document in the trash was is not compared.
    pub fn shown(&self) -> Self {
        let mut shown = self.clone();
        for document in shown.documents.values_mut().filter(|it| it.trashed) {
            document.folder.clear();
        }
        shown
    }

    /// What the server has of all that `known` may be.
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

/// A document as the server has it, with those of the given versions that it still has.
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

/// The value of the only record, if there is only one.
fn value(document: &Value) -> Option<u64> {
    match document["data"].as_array().unwrap().as_slice() {
        [record] => record["value"].as_u64(),
        _ => None,
    }
}

/// What an entry on the document itself lets Ben do.
fn mode(document: &Value) -> Option<String> {
    let his = |it: &&Value| it["user_id"] == people()[1].id && it["document"] == document["id"];
    let entry = document["acl"].as_array().unwrap().iter().find(his)?;
    Some(entry["mode"].as_str().unwrap().to_owned())
}
