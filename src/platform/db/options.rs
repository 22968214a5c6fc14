//! Options for opening a database.

use crate::id::AccountId;

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

/// Limits of the content that accounts may store. The default has no limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct StorageQuota {
    /// Maximum number of bytes of a user. 0 means no limit.
    pub max_user_bytes: u64,
    /// Maximum number of bytes of an organization. 0 means no limit.
    pub max_org_bytes: u64,
}

impl StorageQuota {
    /// Returns the limit of an account in bytes, or None if it has no limit.
    pub fn limit_of(&self, account: &AccountId) -> Option<u64> {
        let limit = if account.is_org() { self.max_org_bytes } else { self.max_user_bytes };
        (limit > 0).then_some(limit)
    }
}

/// Options for opening a database. The default fits every case except [`CheckpointMode::External`].
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
    /// Minimum of free bytes on the disk of the data directory. Below it, only writes run that may
    /// use the reserve. 0 disables the check and the reserve.
    pub min_free_bytes: u64,
    /// Limits of the content that each account may store.
    pub quota: StorageQuota,
}

impl Default for DbOptions {
    /// Returns the options of a server without limits: own checkpoints, durable commits, no minimum of
    /// free space and no quota.
    fn default() -> Self {
        Self {
            checkpoint: CheckpointMode::Internal,
            max_wal_bytes: 64 << 20,
            durable: true,
            min_free_bytes: 0,
            quota: StorageQuota::default(),
        }
    }
}
