//! Options for opening a database.

/// The program that copies the write-ahead log back into the database file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckpointMode {
    /// This program runs the checkpoints.
    #[default]
    #[serde(rename = "self")]
    Internal,
    /// A replication program such as Litestream runs the checkpoints. This program never shortens
    /// the log, because the other program must read all of it first.
    External,
}

/// Options for opening a database. The default fits every case except
/// [`CheckpointMode::External`].
#[derive(Debug, Clone, Copy)]
pub struct DbOptions {
    /// Program that runs the checkpoints.
    pub checkpoint: CheckpointMode,
    /// Length of the write-ahead log, in bytes, above which the writer truncates it between two
    /// batches.
    pub max_wal_bytes: u64,
    /// Whether a commit waits until the disk has stored it.
    ///
    /// With false, a power loss can lose finished writes and damage the file. Only for the crash
    /// test, to prove that it detects such damage.
    pub durable: bool,
}

impl Default for DbOptions {
    fn default() -> Self {
        Self { checkpoint: CheckpointMode::Internal, max_wal_bytes: 64 << 20, durable: true }
    }
}
