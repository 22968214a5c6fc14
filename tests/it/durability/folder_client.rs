//! A client that reorganizes its documents and folders while the server is killed. It moves,
//! renames, saves, reverts, shares, trashes and restores documents and folders. It knows the
//! expected state: every acknowledged change, with or without the complete effect of the one change
//! without a response.

use std::collections::BTreeMap;

use serde_json::json;

use super::changes;
use super::changes::CHANGE_KINDS;
use super::connection::UnreliableConnection;
use super::expected_state::Document;
use super::expected_state::ExpectedState;

/// Maximum number of documents of a client.
const MAX_DOCUMENTS: usize = 12;

/// A client that keeps its documents and folders in a known state.
pub struct FolderClient {
    connection: UnreliableConnection,
    /// Path of the folder that holds everything.
    home: String,
    /// Number of changes so far. No name is used twice.
    pub step_count: u64,
    /// State after the last acknowledged change.
    acknowledged: ExpectedState,
    /// State after the change in progress. None if every change has a response.
    unacknowledged: Option<ExpectedState>,
    /// Number of acknowledged changes of each kind.
    pub change_counts: BTreeMap<&'static str, u64>,
}

impl FolderClient {
    /// Creates a client. The number distinguishes it from others.
    pub fn new(number: usize) -> Self {
        let (connection, change_counts, home) =
            (UnreliableConnection::new(), BTreeMap::new(), format!("/Keeper {number}"));
        // Each client starts with another kind of change.
        let step_count = number as u64 * 6;
        Self {
            connection,
            home,
            step_count,
            acknowledged: ExpectedState::default(),
            unacknowledged: None,
            change_counts,
        }
    }

    /// Makes one change. Returns None if no response arrived.
    pub fn change_next(&mut self, base: &str) -> Option<()> {
        self.step_count += 1;
        let count = self.acknowledged.documents.len();
        if count < MAX_DOCUMENTS / 2 || (count < MAX_DOCUMENTS && self.step_count.is_multiple_of(4))
        {
            return self.create(base);
        }
        let (kind, change) = (0..CHANGE_KINDS.len() as u64).find_map(|offset| {
            let (kind, plan) =
                CHANGE_KINDS[((self.step_count + offset) % CHANGE_KINDS.len() as u64) as usize];
            Some((kind, plan(&self.acknowledged, &self.home, self.step_count)?))
        })?;
        self.unacknowledged = Some(change.after);
        self.connection.send(change.method, base, &change.path, &change.body)?;
        self.acknowledged = self.unacknowledged.take()?;
        *self.change_counts.entry(kind).or_default() += 1;
        match kind.starts_with("save") {
            true => self.note_version(base, &change.path),
            false => Some(()),
        }
    }

    /// Creates a document. Without a response its id is unknown, so no later step expects it.
    fn create(&mut self, base: &str) -> Option<()> {
        let folder = changes::folder_path(&self.home, self.step_count);
        let body = json!({ "widget": "bar", "folder": folder });
        let created = self.connection.send("POST", base, "/api/v1/create-document", &body)?;
        let endpoint = created["endpoint"].as_str().unwrap();
        let path = endpoint[endpoint.find("/api/v1/").unwrap()..].to_owned();
        let document_json =
            self.connection.get(base, &path)?.expect("the document was just created");
        let title = document_json["title"].as_str().unwrap().to_owned();
        self.acknowledged.documents.insert(path, Document { folder, title, ..Document::default() });
        *self.change_counts.entry("create").or_default() += 1;
        Some(())
    }

    /// Remembers the version number of the last save of a document.
    fn note_version(&mut self, base: &str, path: &str) -> Option<()> {
        let document_json = self.connection.get(base, path)?.expect("the document was just saved");
        let document = self.acknowledged.documents.get_mut(path)?;
        document
            .versions
            .insert(document_json["history_version"].as_u64().unwrap(), document.value?);
        Some(())
    }

    /// Compares the expected state with the server after its restart and continues from there.
    pub fn check(&mut self, base: &str) {
        let with_last_change =
            self.unacknowledged.take().unwrap_or_else(|| self.acknowledged.clone());
        let server_state =
            ExpectedState::read(&self.connection, base, &[&self.acknowledged, &with_last_change]);
        let (acknowledged, changed) =
            (self.acknowledged.comparable(), with_last_change.comparable());
        assert!(
            server_state == acknowledged || server_state == changed,
            "found {server_state:#?}\nacknowledged {acknowledged:#?}\nwith the last change {changed:#?}"
        );
        if server_state != acknowledged {
            self.acknowledged = with_last_change;
        }
    }
}
