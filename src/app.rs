//! The application: the state that all requests and tasks share, and the context of one request.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use hyper::body::Bytes;
use quick_cache::sync::Cache;

use chartroom_platform::claims::Claims;
use chartroom_platform::config::Config;
use chartroom_platform::crypto::PasswordHasher;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Db;
use chartroom_platform::db::DbOptions;
use chartroom_platform::db::StorageQuota;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WakeSignal;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::fair_semaphore::FairSemaphore;
use chartroom_platform::http::Application;
use chartroom_platform::http::EventHub;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::RateLimits;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::idempotency::IdempotentRequest;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::id::NodeId;
use chartroom_platform::memory_budget::MemoryBudget;
use chartroom_platform::memory_use::MemoryUse;
use chartroom_platform::recent_uses::RecentUses;
use chartroom_platform::search::SearchIndex;

/// State that all requests and background tasks share.
pub struct App {
    /// Resolved configuration.
    pub config: Config,
    /// Database.
    pub db: Db,
    /// Search index. Queries work once the indexer has opened it, after the server has started.
    pub search: SearchIndex,
    /// Secret key of this server. Signs tokens and derives encryption keys.
    pub server_key: ServerKey,
    /// Password hasher with a bounded number of concurrent computations.
    pub passwords: PasswordHasher,
    /// Basic credentials verified within the last minute, so that clients that send them with every
    /// request do not pay for a password hash each time.
    ///
    /// The key is an HMAC of the password and the stored password hash. The value is the time of
    /// verification in milliseconds since 1970 and the account id. This data is kept in memory
    /// only.
    pub verified_credentials: Cache<Sha256Hash, (i64, String)>,
    /// Cache of rendered images by entity tag, bounded in bytes.
    pub rendered_images: Cache<Sha256Hash, Arc<RenderedImage>, RenderedImageWeighter>,
    /// Messages of images that take too much memory or time to render, by the same key, so that
    /// each request for one does not try again.
    pub unrenderable_images: Cache<Sha256Hash, String>,
    /// Messages about files at a provider of which no thumbnail can be rendered, by the key of the thumbnail,
    /// with the time of the attempt.
    pub unreadable_files: Cache<Sha256Hash, (Instant, String)>,
    /// Times at which a provider has shown a file to a connection, by a hash of both.
    pub shown_files: Cache<Sha256Hash, Instant>,
    /// Memory of all requests together.
    pub memory_use: Arc<MemoryUse>,
    /// Memory that large renders and large tables in request bodies share.
    pub work_memory: MemoryBudget,
    /// Memory that write requests may take together for the contents of large documents.
    pub content_memory: MemoryBudget,
    /// Cache of small response bodies, bounded in bytes. The key contains everything that the body
    /// depends on.
    pub response_cache: Cache<String, Bytes, ResponseWeighter>,
    /// Rate limits per client.
    pub rate_limits: RateLimits,
    /// Permits to verify a response of an identity provider, by client network. They bound processor time
    /// and memory of large responses, which everybody can send.
    pub sso_verifications: FairSemaphore<IpAddr>,
    /// Users of recent requests.
    pub user_activity: RecentUses<AccountId>,
    /// Sessions of recent requests, by the SHA-256 of the cookie.
    pub session_activity: RecentUses<Sha256Hash>,
    /// API tokens of recent requests, by the SHA-256 of the token.
    pub token_activity: RecentUses<Sha256Hash>,
    /// Connections to cloud storage that work uses at present.
    pub cloud_claims: Claims<ConnectionId>,
    /// Marks of requests with an idempotency key that create a file at a provider at present.
    pub create_claims: Claims<String>,
    /// Documents with a sync job that runs at present.
    pub sync_claims: Claims<NodeId>,
    /// Notified when the thread of the sync jobs has something to do.
    pub sync_signal: WakeSignal,
    /// Open event streams of screens, by cast session.
    pub event_hub: EventHub,
}

/// The output of rendering one document.
#[derive(Debug, Default)]
pub struct RenderedImage {
    /// Image data in the requested format. Responses share it with the cache.
    pub bytes: Bytes,
    /// Problems found while rendering, as sentences for the reader.
    pub warnings: Vec<String>,
    /// `Content-Security-Policy` of the response. None if the policy of the built-in pages is
    /// sufficient.
    pub content_security_policy: Option<String>,
    /// Whether the image lacks something that another attempt may have, so that it must not be
    /// cached or stored.
    pub is_incomplete: bool,
}

/// Measures a cached image in bytes.
#[derive(Clone)]
pub struct RenderedImageWeighter;

impl quick_cache::Weighter<Sha256Hash, Arc<RenderedImage>> for RenderedImageWeighter {
    /// Returns the number of bytes of the image data and the warnings, plus an estimate for the
    /// cache entry.
    fn weight(&self, _: &Sha256Hash, image: &Arc<RenderedImage>) -> u64 {
        let warnings: usize = image.warnings.iter().map(String::len).sum();
        // About 100 bytes for the cache entry.
        (image.bytes.len() + warnings) as u64 + 100
    }
}

/// Maximum memory of all large renders and of all large tables that are read, together, in bytes. It is
/// also the maximum of one of them.
pub const MAX_WORK_BYTES: u64 = 320 << 20;

/// Memory of all requests together in bytes above which only small requests go on. With the downloads, the
/// caches and the program itself, the server stays within 512 MiB.
const MAX_REQUEST_BYTES: u64 = 96 << 20;

/// Default of the maximum size of a document in bytes.
const USUAL_DOCUMENT_BYTES: u64 = 16 << 20;

/// Maximum memory of the contents that all write requests handle as a whole, together, in bytes.
pub const MAX_CONTENT_BYTES: u64 = 64 << 20;

/// Maximum total size of [`App::response_cache`].
const MAX_RESPONSE_CACHE_BYTES: u64 = 8 << 20;

/// Measures a cached response body in bytes.
#[derive(Clone)]
pub struct ResponseWeighter;

impl quick_cache::Weighter<String, Bytes> for ResponseWeighter {
    /// Returns the number of bytes of the key and the body, plus an estimate for the cache entry.
    fn weight(&self, key: &String, body: &Bytes) -> u64 {
        // About 100 bytes for the cache entry.
        (key.len() + body.len()) as u64 + 100
    }
}

impl App {
    /// Opens the data directory and the database, and prepares the search index, which the indexer
    /// opens later. Creates the directory (with mode 0700), the database and the server key if they
    /// do not exist. Starts no server and no tasks.
    ///
    /// # Errors
    /// If the directory, the database or the server key cannot be opened.
    pub fn open(config: Config) -> Result<Arc<Self>> {
        config.create_data_dir()?;
        let options = DbOptions {
            checkpoint: config.checkpoint,
            min_free_bytes: config.min_free,
            quota: StorageQuota {
                max_user_bytes: config.max_user_bytes,
                max_org_bytes: config.max_org_bytes,
            },
            ..DbOptions::default()
        };
        // An operator who permits larger documents has the memory for two of them.
        let larger = (config.max_document_bytes as u64).saturating_sub(USUAL_DOCUMENT_BYTES);
        let max_request_bytes = MAX_REQUEST_BYTES.saturating_add(larger.saturating_mul(2));
        let memory_use = Arc::new(MemoryUse::new(max_request_bytes));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Arc::new(Self {
            db: Db::open_with(&config.data_dir, options)?,
            search: SearchIndex::new(&config.data_dir),
            server_key: ServerKey::load_or_create(&config.data_dir)?,
            passwords: PasswordHasher::new(cores),
            sso_verifications: FairSemaphore::new(cores),
            verified_credentials: Cache::new(1000),
            rendered_images: Cache::with_weighter(
                2000,
                config.picture_cache_bytes,
                RenderedImageWeighter,
            ),
            unrenderable_images: Cache::new(1000),
            unreadable_files: Cache::new(1000),
            shown_files: Cache::new(10_000),
            work_memory: MemoryBudget::within(MAX_WORK_BYTES, memory_use.clone()),
            content_memory: MemoryBudget::within(MAX_CONTENT_BYTES, memory_use.clone()),
            memory_use,
            response_cache: Cache::with_weighter(1000, MAX_RESPONSE_CACHE_BYTES, ResponseWeighter),
            rate_limits: RateLimits::new(&config),
            user_activity: RecentUses::default(),
            session_activity: RecentUses::default(),
            token_activity: RecentUses::default(),
            cloud_claims: Claims::default(),
            create_claims: Claims::default(),
            sync_claims: Claims::default(),
            sync_signal: WakeSignal::default(),
            event_hub: EventHub::default(),
            config,
        }))
    }
}

/// The number of mails that a write may enqueue, because they are counted against the mail limit of
/// their sender already.
///
/// A write may run twice or be rolled back, so it must not count mails itself. See
/// [`App::write_counting_mails`].
#[derive(Debug, Clone, Copy, Default)]
pub struct CountedMails(u32);

impl CountedMails {
    /// Checks that a write may enqueue `needed` mails in total.
    ///
    /// # Errors
    /// `Internal` if fewer are counted. The write must return this error, which rolls it back.
    /// [`App::write_counting_mails`] then counts the mails and runs it again.
    pub fn require(self, needed: u32) -> Result<()> {
        match needed <= self.0 {
            true => Ok(()),
            false => Err(Error::Internal(Box::new(MailsNotCounted { needed }))),
        }
    }
}

/// The reason why a write was rolled back: it would enqueue more mails than are counted.
#[derive(Debug)]
struct MailsNotCounted {
    /// Number of mails that the write would enqueue.
    needed: u32,
}

impl fmt::Display for MailsNotCounted {
    /// Writes, for the log, the total number of mails that must be counted before the write. It
    /// includes mails that are counted already.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mails must be counted before the write", self.needed)
    }
}

impl std::error::Error for MailsNotCounted {}

impl App {
    /// Runs `write`, which runs a write transaction that may enqueue mails in the name of the
    /// account `sender`.
    ///
    /// At first no mails are counted. If the transaction needs mails and calls
    /// [`CountedMails::require`], this function counts them against the mail limit of `sender` and
    /// runs `write` again.
    ///
    /// # Errors
    /// Returns the errors of `write`. `TooManyRequests` if the sender exceeds the mail limit,
    /// `Invalid` if the transaction needs more mails than the limit allows at once.
    pub fn write_counting_mails<T>(
        &self,
        sender: &str,
        write: impl Fn(CountedMails) -> Result<T>,
    ) -> Result<T> {
        let mut counted = 0;
        loop {
            let cause = match write(CountedMails(counted)) {
                Err(Error::Internal(cause)) => cause,
                other => return other,
            };
            let MailsNotCounted { needed } =
                *cause.downcast::<MailsNotCounted>().map_err(Error::Internal)?;
            let Some(missing) = NonZeroU32::new(needed.saturating_sub(counted)) else {
                return Err(Error::internal("a write asked for mails that were counted"));
            };
            self.rate_limits.count_mails(sender, missing)?;
            counted = needed;
        }
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
    /// Combines this request, `key` and the account id `caller` into an idempotent request, without
    /// running it. Without a key, the request takes effect each time.
    pub fn idempotent(&self, key: &IdempotencyKey, caller: &str) -> IdempotentRequest {
        key.bind_request(self.request, &self.app.server_key, caller)
    }

    /// Runs `work` in a write transaction. If `caller` sent this request with this key before and
    /// the stored response has not expired, returns that response instead, if `check_access` finds
    /// that the caller still has the access that `work` requires.
    ///
    /// Without a key, runs `work` each time and stores nothing.
    ///
    /// # Errors
    /// The errors of `work`, of `check_access` and of the transaction; `Conflict` if the key came
    /// with another body or query.
    pub fn write_idempotent(
        &self,
        key: &IdempotencyKey,
        caller: &str,
        check_access: impl Fn(&Tx<'_>) -> Result<()> + Send + 'static,
        work: impl Fn(&WriteTx<'_>) -> Result<Response> + Send + 'static,
    ) -> Result<Response> {
        self.idempotent(key, caller).run_once(&self.app.db, check_access, work)
    }
}

impl Application for App {
    fn config(&self) -> &Config {
        &self.config
    }

    fn db(&self) -> &Db {
        &self.db
    }

    fn rate_limits(&self) -> &RateLimits {
        &self.rate_limits
    }

    fn event_hub(&self) -> &EventHub {
        &self.event_hub
    }

    fn memory_use(&self) -> &Arc<MemoryUse> {
        &self.memory_use
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_cache_stays_within_its_byte_limit() {
        const MAX_BYTES: u64 = 16 << 20;
        let cache = Cache::with_weighter(2000, MAX_BYTES, RenderedImageWeighter);
        let key = |number: u32| chartroom_platform::crypto::sha256(&number.to_le_bytes());
        let image = |bytes: usize| {
            Arc::new(RenderedImage { bytes: vec![0; bytes].into(), ..RenderedImage::default() })
        };
        for number in 0..1000 {
            cache.insert(key(number), image(100_000));
            assert!(cache.weight() <= MAX_BYTES, "{number}: {}", cache.weight());
            assert!(cache.get(&key(number)).is_some(), "{number} was not kept");
        }
        assert!(cache.weight() > MAX_BYTES / 2 && cache.len() < 170, "{}", cache.len());
        // An image larger than the whole cache evicts nothing.
        cache.insert(key(1000), image(20 << 20));
        assert!(cache.get(&key(1000)).is_none() && cache.weight() > MAX_BYTES / 2);
    }
}
