//! A client that writes records while the server is killed.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use super::line::Line;

/// Records that must be in a document, and records that may replace them because their response
/// never arrived.
#[derive(Debug, Default)]
struct Document {
    answered: Vec<u64>,
    asked: Option<Vec<u64>>,
}

/// A client that keeps writing to its own documents and remembers the responses.
pub struct Client {
    line: Line,
    number: usize,
    /// Number of steps so far. No two steps write the same value.
    pub step: u64,
    /// Expected content by path below the server's address.
    documents: BTreeMap<String, Document>,
    newest: String,
}

impl Client {
    pub fn new(number: usize) -> Self {
        let line = Line::new();
        Self { line, number, step: 0, documents: BTreeMap::new(), newest: String::new() }
    }

    /// Sends one write: usually one more record, sometimes all data or a new document. Returns None
    /// if no response arrived.
    pub fn write(&mut self, base: &str) -> Option<()> {
        self.step += 1;
        if !self.documents.contains_key(&self.newest) {
            return self.create(base);
        }
        match self.step % 10 {
            1 => self.create(base),
            2 | 6 => self.replace(base),
            _ => self.append(base),
        }
    }

    fn create(&mut self, base: &str) -> Option<()> {
        let body = json!({ "widget": "bar", "folder": format!("/Client {}", self.number) });
        let made = self.line.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = made["endpoint"].as_str().unwrap();
        let at = endpoint.find("/api/v1/").unwrap();
        self.newest = endpoint[at..].to_owned();
        let sample = self.read(base, &self.newest)?;
        self.documents.insert(self.newest.clone(), Document { answered: sample, asked: None });
        Some(())
    }

    fn replace(&mut self, base: &str) -> Option<()> {
        // Up to some thousand records, so that a write covers many pages.
        let records: Vec<u64> =
            (0..self.step * 37 % 2000).map(|n| self.step * 10_000 + n).collect();
        let body = records.iter().map(|value| json!({ "label": "r", "value": value }));
        let body = Value::Array(body.collect());
        self.ask("PUT", base, "/data", &body, records)
    }

    fn append(&mut self, base: &str) -> Option<()> {
        let value = self.step * 10_000;
        let mut records = self.documents.get(&self.newest)?.answered.clone();
        records.push(value);
        self.ask("POST", base, "/add-record", &json!({ "label": "a", "value": value }), records)
    }

    /// Sends a write after which the newest document holds `records`.
    fn ask(
        &mut self,
        method: &str,
        base: &str,
        suffix: &str,
        body: &Value,
        records: Vec<u64>,
    ) -> Option<()> {
        let path = format!("{}{suffix}", self.newest);
        self.documents.get_mut(&self.newest)?.asked = Some(records);
        self.line.send(method, base, &path, body)?;
        let document = self.documents.get_mut(&self.newest)?;
        document.answered = document.asked.take()?;
        Some(())
    }

    /// Returns the values of the records of a document.
    fn read(&self, base: &str, path: &str) -> Option<Vec<u64>> {
        let document = self.line.get(base, path)?.expect(path);
        let records = document["data"].as_array().unwrap().iter();
        // The sample's values can have fractions. The values of this test have none.
        Some(records.map(|it| it["value"].as_f64().unwrap() as u64).collect())
    }

    /// Compares the expected records with the documents after the restart of the server.
    pub fn check(&mut self, base: &str) {
        for (path, document) in &self.documents {
            let found = self.read(base, path).expect("the restarted server answers");
            let whole = found == document.answered || Some(&found) == document.asked.as_ref();
            assert!(
                whole,
                "{path} has {} records, answered for were {}, asked for {:?}",
                found.len(),
                document.answered.len(),
                document.asked.as_ref().map(Vec::len)
            );
        }
        // From here on only the current content counts. The next steps do not read old documents.
        let newest = self.documents.remove(&self.newest);
        self.documents.clear();
        if newest.is_some() {
            let answered = self.read(base, &self.newest).expect("it was just there");
            self.documents.insert(self.newest.clone(), Document { answered, asked: None });
        }
    }
}
