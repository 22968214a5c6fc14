//! Somebody who keeps his things in order while the server is killed: moves, renames, trash,
//! restore. He knows what must be there: what was answered, or that and the whole of the one change
//! whose answer never came.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use super::line::Line;

/// Documents a keeper has at most.
const DOCUMENTS: usize = 10;

/// The kinds of changes, as they are counted.
pub const KINDS: [&str; 7] = ["create", "rename", "move", "both", "trash", "restore", "expunge"];

/// What is known of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Document {
    folder: String,
    title: String,
    trashed: bool,
}

/// All documents of a keeper, by their paths below the server's address.
type Things = BTreeMap<String, Document>;

/// A change: the request, and what there is afterwards.
struct Change {
    method: &'static str,
    path: String,
    body: Value,
    after: Things,
}

/// Somebody who keeps his things in order.
pub struct Keeper {
    line: Line,
    number: usize,
    /// Changes asked for so far: no name is ever used twice.
    pub step: u64,
    answered: Things,
    asked: Option<Things>,
    /// How often each kind of change was answered.
    pub done: BTreeMap<&'static str, u64>,
}

impl Keeper {
    /// Keepers are told apart by their numbers.
    pub fn new(number: usize) -> Self {
        let (line, done) = (Line::new(), BTreeMap::new());
        Self { line, number, step: 0, answered: Things::new(), asked: None, done }
    }

    /// One change. None: no answer came.
    pub fn act(&mut self, base: &str) -> Option<()> {
        self.step += 1;
        let kinds: [(&'static str, fn(&Self) -> Option<Change>); 6] = [
            ("rename", Self::rename),
            ("move", Self::relocate),
            ("both", Self::rename_and_move),
            ("trash", Self::trash),
            ("restore", Self::restore),
            ("expunge", Self::expunge),
        ];
        let (kind, plan) = kinds[(self.step % kinds.len() as u64) as usize];
        let Some(change) = plan(self) else { return self.create(base) };
        self.asked = Some(change.after);
        self.line.send(change.method, base, &change.path, &change.body)?;
        self.answered = self.asked.take()?;
        *self.done.entry(kind).or_default() += 1;
        Some(())
    }

    /// What is made without an answer has no name yet, so nobody knows of it.
    fn create(&mut self, base: &str) -> Option<()> {
        let folder = self.folder();
        let body = json!({ "widget": "bar", "folder": folder });
        let made = self.line.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = made["endpoint"].as_str().unwrap();
        let path = endpoint[endpoint.find("/api/v1/").unwrap()..].to_owned();
        let found = self.line.get(base, &path)?.expect("it was just made");
        let title = found["title"].as_str().unwrap().to_owned();
        self.answered.insert(path, Document { folder, title, trashed: false });
        *self.done.entry("create").or_default() += 1;
        Some(())
    }

    fn folder(&self) -> String {
        format!("/Keeper {}/Folder {}", self.number, self.step / 7)
    }

    /// A document that is in the trash, or one that is not.
    fn some(&self, trashed: bool) -> Option<String> {
        let fit: Vec<&String> =
            self.answered.iter().filter(|(_, it)| it.trashed == trashed).map(|it| it.0).collect();
        // One that is not in the trash is there to be made as long as there are few.
        let enough = trashed || self.answered.len() >= DOCUMENTS / 2;
        let chosen = *fit.get(self.step as usize % fit.len().max(1))?;
        enough.then(|| chosen.clone())
    }

    /// A change of one document.
    fn change(
        &self,
        path: String,
        method: &'static str,
        suffix: &str,
        body: Value,
        with: impl FnOnce(&mut Document),
    ) -> Change {
        let mut after = self.answered.clone();
        with(after.get_mut(&path).unwrap());
        Change { method, path: format!("{path}{suffix}"), body, after }
    }

    fn rename(&self) -> Option<Change> {
        let title = format!("Title {}", self.step);
        let body = json!({ "title": title });
        Some(self.change(self.some(false)?, "PATCH", "", body, |it| it.title = title))
    }

    fn relocate(&self) -> Option<Change> {
        let folder = self.folder();
        let body = json!({ "folder": folder });
        Some(self.change(self.some(false)?, "POST", "/move", body, |it| it.folder = folder))
    }

    fn rename_and_move(&self) -> Option<Change> {
        let (title, folder) = (format!("Title {}", self.step), self.folder());
        let body = json!({ "title": title, "folder": folder });
        let with = |it: &mut Document| (it.title, it.folder) = (title, folder);
        Some(self.change(self.some(false)?, "PATCH", "", body, with))
    }

    fn trash(&self) -> Option<Change> {
        Some(self.change(self.some(false)?, "DELETE", "", json!({}), |it| it.trashed = true))
    }

    fn restore(&self) -> Option<Change> {
        let body = json!({ "action": "restore" });
        Some(self.change(self.some(true)?, "POST", "", body, |it| it.trashed = false))
    }

    fn expunge(&self) -> Option<Change> {
        if self.answered.len() < DOCUMENTS {
            return None;
        }
        let path = self.some(true).or_else(|| self.some(false))?;
        let mut after = self.answered.clone();
        after.remove(&path);
        let path = format!("{path}?expunge=1");
        Some(Change { method: "DELETE", path, body: json!({}), after })
    }

    /// Compares with what the server has after its restart, and goes on from there.
    pub fn check(&mut self, base: &str) {
        let mut found = Things::new();
        for path in self.answered.keys() {
            let document = self.line.get(base, path).expect("the restarted server answers");
            if let Some(document) = document {
                let text = |name: &str| document[name].as_str().unwrap().to_owned();
                let (folder, title) = (text("folder"), text("title"));
                let trashed = document.get("deleted_at").is_some_and(|it| !it.is_null());
                found.insert(path.clone(), Document { folder, title, trashed });
            }
        }
        let whole = found == self.answered || Some(&found) == self.asked.as_ref();
        let (answered, asked) = (&self.answered, &self.asked);
        assert!(whole, "found {found:#?}\nanswered {answered:#?}\nasked {asked:#?}");
        self.answered = found;
        self.asked = None;
    }
}
