//! Machinery that knows nothing of documents or people.

pub mod assets;
pub mod config;
pub mod crypto;
pub mod db;
pub mod doctor;
pub mod error;
pub mod field;
pub mod http;
pub mod id;
pub mod log;
pub mod mail;
pub mod remote;
pub mod search;
pub mod tasks;
pub mod text;
pub mod threads;
pub mod time;
pub mod turns;

use std::sync::Arc;
use std::sync::OnceLock;

use hyper::body::Bytes;
use quick_cache::sync::Cache;

use crate::platform::config::Config;
use crate::platform::crypto::Hash;
use crate::platform::crypto::Passwords;
use crate::platform::crypto::ServerKey;
use crate::platform::db::Db;
use crate::platform::db::Options;
use crate::platform::error::Result;
use crate::platform::http::Limits;
use crate::platform::http::Streams;
use crate::platform::http::problem::ErrorPage;
use crate::platform::search::Search;

/// Everything that a request or a task may need.
pub struct App {
    /// The settings, resolved.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The search index; it answers once the server's work has begun.
    pub search: Search,
    /// The server's own secret.
    pub key: ServerKey,
    /// The bounded computation of password hashes.
    pub passwords: Passwords,
    /// Basic credentials verified within the last minute: hash of user and password → when, in
    /// milliseconds, and the account. In memory only.
    pub verified: Cache<Hash, (i64, String)>,
    /// How errors look in a browser, once the pages have said it.
    pub error_page: OnceLock<ErrorPage>,
    /// Finished pictures by their entity tag, bounded in bytes.
    pub pictures: Cache<Hash, Arc<Picture>, PictureWeight>,
    /// Small finished answers by all that they depend on, bounded in bytes.
    pub answers: Cache<String, Bytes, AnswerWeight>,
    /// How much one client may ask for.
    pub limits: Limits,
    /// The event streams that are open.
    pub streams: Streams,
}

/// A finished picture.
#[derive(Debug, Default)]
pub struct Picture {
    /// In the form that was asked for.
    pub bytes: Vec<u8>,
    /// What its reader should know about it, in plain words.
    pub warnings: Vec<String>,
    /// The content security policy that it needs, when that of our own pages is not enough.
    pub policy: Option<String>,
}

/// Weighs a cached picture by its bytes.
#[derive(Clone)]
pub struct PictureWeight;

impl quick_cache::Weighter<Hash, Arc<Picture>> for PictureWeight {
    fn weight(&self, _: &Hash, picture: &Arc<Picture>) -> u64 {
        let words: usize = picture.warnings.iter().map(String::len).sum();
        // 100 bytes for the entry itself.
        (picture.bytes.len() + words) as u64 + 100
    }
}

/// Bytes of [`App::answers`].
const ANSWERS: u64 = 8 << 20;

/// Weighs a cached answer by its bytes.
#[derive(Clone)]
pub struct AnswerWeight;

impl quick_cache::Weighter<String, Bytes> for AnswerWeight {
    fn weight(&self, key: &String, answer: &Bytes) -> u64 {
        // 100 bytes for the entry itself.
        (key.len() + answer.len()) as u64 + 100
    }
}

impl App {
    /// Opens the data directory (made 0700 when absent) and everything in it.
    pub fn open(config: Config) -> Result<Arc<Self>> {
        config.make_data_dir()?;
        let options = Options { checkpoint: config.checkpoint, ..Options::default() };
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Arc::new(Self {
            db: Db::open_with(&config.data_dir, options)?,
            search: Search::new(&config.data_dir),
            key: ServerKey::load(&config.data_dir)?,
            passwords: Passwords::new(cores),
            verified: Cache::new(1000),
            error_page: OnceLock::new(),
            pictures: Cache::with_weighter(2000, config.picture_cache_bytes, PictureWeight),
            answers: Cache::with_weighter(1000, ANSWERS, AnswerWeight),
            limits: Limits::new(&config),
            streams: Streams::default(),
            config,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_pictures_take_no_more_memory_than_they_may() {
        const MOST: u64 = 16 << 20;
        let cache = Cache::with_weighter(2000, MOST, PictureWeight);
        let key = |number: u32| crypto::sha256(&number.to_le_bytes());
        let picture =
            |bytes: usize| Arc::new(Picture { bytes: vec![0; bytes], ..Picture::default() });
        for number in 0..1000 {
            cache.insert(key(number), picture(100_000));
            assert!(cache.weight() <= MOST, "{number}: {}", cache.weight());
            assert!(cache.get(&key(number)).is_some(), "{number} was not kept");
        }
        assert!(cache.weight() > MOST / 2 && cache.len() < 170, "{}", cache.len());
        // What is larger than the whole displaces nothing.
        cache.insert(key(1000), picture(20 << 20));
        assert!(cache.get(&key(1000)).is_none() && cache.weight() > MOST / 2);
    }
}
