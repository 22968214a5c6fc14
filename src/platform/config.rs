//! The settings: default < file < environment < flag.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::platform::error::Result;

/// All settings, resolved. PLACEHOLDER: the layers are merged later; fields stay.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the state lives: database, server key, thumbnails, backups.
    pub data_dir: PathBuf,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// What addresses in answers start with, without a trailing slash.
    pub base_url: String,
    /// Most bytes of a document's JSON body.
    pub max_document_bytes: usize,
    /// Most bytes of any other JSON body.
    pub max_body_bytes: usize,
    /// Most records in a document's `data`.
    pub max_records: usize,
    /// Most bytes of finished pictures kept in memory.
    pub picture_cache_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("./chartroom-data"),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            base_url: "http://127.0.0.1:8080".to_owned(),
            max_document_bytes: 16 << 20,
            max_body_bytes: 1 << 20,
            max_records: 100_000,
            picture_cache_bytes: 16 << 20,
        }
    }
}

impl Config {
    /// Makes the data directory (0700) when it is absent.
    pub fn make_data_dir(&self) -> Result<()> {
        Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir)?)
    }
}
