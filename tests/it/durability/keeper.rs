//! A client that reorganizes its documents and folders while the server is killed. It moves,
//! renames, saves, reverts, shares, trashes and restores documents and folders full of them. It
//! knows the expected state: every acknowledged change, with or without the whole of the one change
//! that has no response.

use std::collections::BTreeMap;

use serde_json::json;

use super::changes;
use super::changes::KINDS;
use super::line::Line;
use super::things::Document;
use super::things::Things;

/// Maximum number of documents of a keeper.
const DOCUMENTS: usize = 12;

/// A client that keeps its documents and folders in a known state.
pub struct Keeper {
    line: Line,
    /// Path of the folder that holds everything.
    home: String,
    /// Number of changes so far. No name is used twice.
    pub step: u64,
    answered: Things,
    asked: Option<Things>,
    /// Number of acknowledged changes of each kind.
    pub done: BTreeMap<&'static str, u64>,
}

impl Keeper {
    /// Creates a keeper. The number distinguishes it from others.
    pub fn new(number: usize) -> Self {
        let (line, done, home) = (Line::new(), BTreeMap::new(), format!("/Keeper {number}"));
        // Each keeper starts with another kind of change.
        let step = number as u64 * 6;
        Self { line, home, step, answered: Things::default(), asked: None, done }
    }

    /// Makes one change. Returns None if no response arrived.
    pub fn act(&mut self, base: &str) -> Option<()> {
        self.step += 1;
        let count = self.answered.documents.len();
        if count < DOCUMENTS / 2 || (count < DOCUMENTS && self.step.is_multiple_of(4)) {
            return self.create(base);
        }
        let (kind, change) = (0..KINDS.len() as u64).find_map(|more| {
            let (kind, plan) = KINDS[((self.step + more) % KINDS.len() as u64) as usize];
            Some((kind, plan(&self.answered, &self.home, self.step)?))
        })?;
        self.asked = Some(change.after);
        self.line.send(change.method, base, &change.path, &change.body)?;
        self.answered = self.asked.take()?;
        *self.done.entry(kind).or_default() += 1;
        match kind.starts_with("save") {
            true => self.note_version(base, &change.path),
            false => Some(()),
        }
    }

    /// Creates a document. Without a response its id is unknown, so no later step expects it.
    fn create(&mut self, base: &str) -> Option<()> {
        let folder = changes::folder(&self.home, self.step);
        let body = json!({ "widget": "bar", "folder": folder });
        let made = self.line.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = made["endpoint"].as_str().unwrap();
        let path = endpoint[endpoint.find("/api/v1/").unwrap()..].to_owned();
        let found = self.line.get(base, &path)?.expect("it was just made");
        let title = found["title"].as_str().unwrap().to_owned();
        self.answered.documents.insert(path, Document { folder, title, ..Document::default() });
        *self.done.entry("create").or_default() += 1;
        Some(())
    }

    /// Remembers the version number of the last save of a document.
    fn note_version(&mut self, base: &str, path: &str) -> Option<()> {
        let found = self.line.get(base, path)?.expect("it was just saved");
        let document = self.answered.documents.get_mut(path)?;
        document.versions.insert(found["history_version"].as_u64().unwrap(), document.value?);
        Some(())
    }

    /// Compares the expected state with the server after its restart and continues from there.
    pub fn check(&mut self, base: &str) {
        let asked = self.asked.take().unwrap_or_else(|| self.answered.clone());
        let found = Things::read(&self.line, base, &[&self.answered, &asked]);
        let (kept, done) = (self.answered.shown(), asked.shown());
        assert!(
            found == kept || found == done,
            "found {found:#?}\nanswered {kept:#?}\nasked {done:#?}"
        );
        if found != kept {
            self.answered = asked;
        }
    }
}
