//! The application: state shared by all requests and tasks, and the request as handlers receive it.

use std::ops::Deref;
use std::sync::Arc;

use hyper::body::Bytes;
use quick_cache::sync::Cache;

use chartroom_platform::config::Config;
use chartroom_platform::crypto::Hash;
use chartroom_platform::crypto::Passwords;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Db;
use chartroom_platform::db::Options;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Application;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Limits;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Streams;
use chartroom_platform::http::idempotency::Once;
use chartroom_platform::search::Search;

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
            pictures: Cache::with_weighter(2000, config.picture_cache_bytes, PictureWeight),
            answers: Cache::with_weighter(1000, ANSWERS, AnswerWeight),
            limits: Limits::new(&config),
            streams: Streams::default(),
            config,
        }))
    }
}

/// One HTTP request together with the application that handles it.
pub struct RequestContext<'a> {
    /// State shared by all requests.
    pub app: &'a Arc<App>,
    /// The HTTP request.
    pub request: &'a Request,
}

impl Deref for RequestContext<'_> {
    type Target = Request;

    fn deref(&self) -> &Request {
        self.request
    }
}

impl RequestContext<'_> {
    /// Returns this request as one that `caller` repeats with the same key.
    pub fn once(&self, key: &IdempotencyKey, caller: &str) -> Once {
        key.once(self.request, &self.app.key, caller)
    }

    /// Runs `work` in a write transaction, unless `caller` sent this request with this key before.
    /// Then returns the stored response.
    ///
    /// # Errors
    /// The errors of `work`; `Conflict` if the key came with another body or query.
    pub fn write_once(
        &self,
        key: &IdempotencyKey,
        caller: &str,
        work: impl Fn(&WriteTx<'_>) -> Result<Response> + Send + 'static,
    ) -> Result<Response> {
        self.once(key, caller).write(&self.app.db, work)
    }
}

impl Application for App {
    fn config(&self) -> &Config {
        &self.config
    }

    fn db(&self) -> &Db {
        &self.db
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_pictures_take_no_more_memory_than_they_may() {
        const MOST: u64 = 16 << 20;
        let cache = Cache::with_weighter(2000, MOST, PictureWeight);
        let key = |number: u32| chartroom_platform::crypto::sha256(&number.to_le_bytes());
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
