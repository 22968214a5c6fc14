//! A client that writes records while the server is killed.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use super::connection::UnreliableConnection;

/// Expected values of the records of a document.
#[derive(Debug, Default)]
struct Document {
    /// Values after the last acknowledged write.
    acknowledged: Vec<u64>,
    /// Values after the write in progress. None if every write has a response.
    unacknowledged: Option<Vec<u64>>,
}

/// A client that keeps writing to its own documents and remembers the responses.
pub struct RecordClient {
    connection: UnreliableConnection,
    /// Number that distinguishes the client from others.
    number: usize,
    /// Number of steps so far. No two steps write the same value.
    pub step_count: u64,
    /// Expected content by path below the base URL of the server.
    documents: BTreeMap<String, Document>,
    /// Path of the document that the next steps write. Empty before the first one.
    newest_path: String,
}

impl RecordClient {
    /// Creates a client. The number distinguishes it from others.
    pub fn new(number: usize) -> Self {
        let connection = UnreliableConnection::new();
        Self {
            connection,
            number,
            step_count: 0,
            documents: BTreeMap::new(),
            newest_path: String::new(),
        }
    }

    /// Sends one write: usually one more record, sometimes all data or a new document. Returns None
    /// if no response arrived.
    pub fn write_next(&mut self, base: &str) -> Option<()> {
        self.step_count += 1;
        if !self.documents.contains_key(&self.newest_path) {
            return self.create(base);
        }
        match self.step_count % 10 {
            1 => self.create(base),
            2 | 6 => self.replace(base),
            _ => self.append(base),
        }
    }

    /// Creates a document, to which the next steps write. Without a response its path is unknown,
    /// so no later step expects it.
    fn create(&mut self, base: &str) -> Option<()> {
        let body = json!({ "widget": "bar", "folder": format!("/Client {}", self.number) });
        let created = self.connection.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = created["endpoint"].as_str().unwrap();
        let path_start = endpoint.find("/api/v1/").unwrap();
        self.newest_path = endpoint[path_start..].to_owned();
        let sample_values = self.read(base, &self.newest_path)?;
        self.documents.insert(
            self.newest_path.clone(),
            Document { acknowledged: sample_values, unacknowledged: None },
        );
        Some(())
    }

    /// Replaces all records of the newest document.
    fn replace(&mut self, base: &str) -> Option<()> {
        // Up to some thousand records, so that a write covers many pages.
        let records: Vec<u64> =
            (0..self.step_count * 37 % 2000).map(|n| self.step_count * 10_000 + n).collect();
        let body = records.iter().map(|value| json!({ "label": "r", "value": value }));
        let body = Value::Array(body.collect());
        self.send_write("PUT", base, "/data", &body, records)
    }

    /// Appends a record to the newest document.
    fn append(&mut self, base: &str) -> Option<()> {
        let value = self.step_count * 10_000;
        let mut records = self.documents.get(&self.newest_path)?.acknowledged.clone();
        records.push(value);
        self.send_write(
            "POST",
            base,
            "/add-record",
            &json!({ "label": "a", "value": value }),
            records,
        )
    }

    /// Sends a write after which the newest document holds `records`.
    fn send_write(
        &mut self,
        method: &str,
        base: &str,
        suffix: &str,
        body: &Value,
        records: Vec<u64>,
    ) -> Option<()> {
        let path = format!("{}{suffix}", self.newest_path);
        self.documents.get_mut(&self.newest_path)?.unacknowledged = Some(records);
        self.connection.send(method, base, &path, body)?;
        let document = self.documents.get_mut(&self.newest_path)?;
        document.acknowledged = document.unacknowledged.take()?;
        Some(())
    }

    /// Returns the values of the records of a document.
    fn read(&self, base: &str, path: &str) -> Option<Vec<u64>> {
        let document = self.connection.get(base, path)?.expect(path);
        let records = document["data"].as_array().unwrap().iter();
        // The sample's values can have fractions. The values of this test have none.
        Some(records.map(|record| record["value"].as_f64().unwrap() as u64).collect())
    }

    /// Compares the expected records with the documents after the restart of the server.
    pub fn check(&mut self, base: &str) {
        for (path, document) in &self.documents {
            let stored = self.read(base, path).expect("the restarted server responds");
            let is_expected = stored == document.acknowledged
                || Some(&stored) == document.unacknowledged.as_ref();
            assert!(
                is_expected,
                "{path} has {} records, acknowledged were {}, in progress {:?}",
                stored.len(),
                document.acknowledged.len(),
                document.unacknowledged.as_ref().map(Vec::len)
            );
        }
        // From here on only the current content counts. The next steps do not read old documents.
        let newest_document = self.documents.remove(&self.newest_path);
        self.documents.clear();
        if newest_document.is_some() {
            let acknowledged =
                self.read(base, &self.newest_path).expect("the document was just there");
            self.documents
                .insert(self.newest_path.clone(), Document { acknowledged, unacknowledged: None });
        }
    }
}
