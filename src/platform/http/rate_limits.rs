//! Rate limits.
//!
//! Per client: requests, failed sign-ins, unfinished sign-ins at identity providers and their rejected
//! responses, requests for links to reset a password, and new pairing codes for screens. Per account: failed sign-ins, mails to other
//! people, and wrong pairing codes. Per address: links to reset a password. A client is an IPv4 address or
//! an IPv6 network of 64 bits, because providers assign such a network to one subscriber.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::Quota;
use governor::RateLimiter;
use governor::clock::Clock;
use governor::clock::DefaultClock;
use governor::middleware::NoOpMiddleware;
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;

pub use super::client_network::find_client_network;
use super::client_network::find_client_site;
use super::failure_limit::FailureLimit;
use super::failure_limit::round_up_to_seconds;
use super::fair_slots::FairSlots;
use super::growing_delay::Concurrency;
use super::growing_delay::GrowingDelay;
use crate::config::Config;
use crate::crypto::Sha256Hash;
use crate::error::Error;
use crate::error::Result;

type Buckets<K, M> = RateLimiter<K, DashMapStateStore<K>, DefaultClock, M>;

/// Number of pairing codes that one client may request at once. All screens of a building may be
/// switched on together.
const PAIRING_CODE_BURST: u32 = 200;
/// Time after which one more pairing code is allowed. A code is valid for ten minutes, so that 500
/// screens of one client can renew their codes indefinitely.
const PAIRING_CODE_INTERVAL: Duration = Duration::from_millis(1200);
/// Maximum number of valid pairing codes of all clients. With this number, ten guesses find a code
/// with a probability of 1 in 200,000.
const MAX_PAIRING_CODES: usize = 10_000;

/// Maximum number of unfinished sign-ins at identity providers, of all clients. Each is stored for ten
/// minutes, with at most 3 KiB.
const MAX_SSO_REQUESTS: usize = 4096;

/// Number of links to reset a password that one address may get without a delay.
const RESET_LINK_BURST: u32 = 5;

/// The rate limits of all clients and accounts.
pub struct RateLimits {
    /// None if requests are not limited.
    requests: Option<RequestLimit>,
    sign_ins: FailureLimit<IpAddr>,
    /// Rejected responses of identity providers, by client. Apart from `sign_ins`, because the page of
    /// any other site can make the browser of its visitor send such responses.
    sso_rejections: FailureLimit<IpAddr>,
    /// Ids of requests to identity providers without a response, by site.
    sso_requests: FairSlots<IpAddr, String>,
    /// Wrong passwords and codes, by a hash of the account and of the kind of client.
    account_sign_ins: GrowingDelay,
    /// Requests for links to reset a password, by client.
    reset_requests: FailureLimit<IpAddr>,
    /// The same, by SHA-256 of the address, whether or not it has an account.
    reset_links: GrowingDelay,
    /// Mails, by account id of the sender.
    mails: Buckets<String, NoOpMiddleware>,
    /// Requests for new pairing codes, by client.
    pairing_codes: Buckets<IpAddr, NoOpMiddleware>,
    /// Hashes of valid pairing codes, by client.
    pairing_slots: FairSlots<IpAddr, Sha256Hash>,
    /// Pairing codes that people enter, by account id.
    pairing_attempts: FailureLimit<String>,
    /// Whether the limits on requests and new pairing codes also apply to clients on this machine.
    limits_loopback: bool,
}

/// The limit on requests per client.
struct RequestLimit {
    buckets: Buckets<IpAddr, StateInformationMiddleware>,
    per_second: u32,
    /// Value of the header `RateLimit-Policy`.
    policy: String,
}

/// The remaining quota of a client, for the `RateLimit` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// Number of requests that the client may send immediately.
    pub remaining: u32,
    /// Seconds until the whole burst is available again.
    pub seconds_until_full: u32,
}

impl RateLimits {
    /// Creates the limits with the configured rates. Requests are not limited if `rate_per_second`
    /// is 0.
    ///
    /// The rates of failed sign-ins also apply to wrong pairing codes. New pairing codes have a
    /// fixed rate.
    pub fn new(config: &Config) -> Self {
        let burst = NonZeroU32::new(config.rate_burst).unwrap_or(NonZeroU32::MIN);
        let requests = NonZeroU32::new(config.rate_per_second).map(|rate| RequestLimit {
            buckets: RateLimiter::dashmap(Quota::per_second(rate).allow_burst(burst))
                .with_middleware(),
            per_second: rate.get(),
            policy: format!("\"default\";q={burst};w={}", burst.get().div_ceil(rate.get())),
        });
        Self {
            requests,
            sign_ins: FailureLimit::new(config.sign_in_every, config.sign_in_burst),
            sso_rejections: FailureLimit::new(config.sign_in_every, config.sign_in_burst),
            sso_requests: FairSlots::new(MAX_SSO_REQUESTS),
            account_sign_ins: GrowingDelay::new(config.sign_in_account_burst),
            reset_requests: FailureLimit::new(config.sign_in_every, config.sign_in_burst),
            reset_links: GrowingDelay::new(RESET_LINK_BURST),
            mails: RateLimiter::dashmap(build_quota(config.mail_every, config.mail_burst)),
            pairing_codes: RateLimiter::dashmap(build_quota(
                PAIRING_CODE_INTERVAL,
                PAIRING_CODE_BURST,
            )),
            pairing_slots: FairSlots::new(MAX_PAIRING_CODES),
            pairing_attempts: FailureLimit::new(config.sign_in_every, config.sign_in_burst),
            limits_loopback: config.rate_limit_loopback,
        }
    }

    /// Counts a request of the client network of `ip`.
    ///
    /// Returns the remaining quota, or None if requests of this client are not limited.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up.
    pub fn count_request(&self, ip: IpAddr) -> Result<Option<RateLimitStatus>> {
        let Some(limit) = &self.requests else { return Ok(None) };
        if self.is_exempt(ip) {
            return Ok(None);
        }
        match limit.buckets.check_key(&find_client_network(ip)) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let used = state.quota().burst_size().get() - remaining;
                let seconds_until_full = used.div_ceil(limit.per_second);
                Ok(Some(RateLimitStatus { remaining, seconds_until_full }))
            }
            Err(until) => {
                let wait = until.wait_time_from(limit.buckets.clock().now());
                Err(Error::TooManyRequests(round_up_to_seconds(wait)))
            }
        }
    }

    /// Returns whether requests and new pairing codes of `ip` are not limited.
    ///
    /// By default this is true for the loopback address, which belongs to the operator or to a
    /// proxy that forwards the requests of all clients. The other limits apply to it as well.
    fn is_exempt(&self, ip: IpAddr) -> bool {
        ip.is_loopback() && !self.limits_loopback
    }

    /// Returns the value of the header `RateLimit-Policy`, or None if requests are not limited.
    pub fn policy_header(&self) -> Option<&str> {
        self.requests.as_ref().map(|limit| limit.policy.as_str())
    }

    /// Checks that this client has not had too many failed sign-ins recently. Counts nothing.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait.
    pub fn check_sign_in_attempt(&self, ip: IpAddr) -> Result<()> {
        self.sign_ins.check(&find_client_network(ip))
    }

    /// Counts a failed sign-in of this client. After a success, call
    /// [`Self::undo_sign_in_attempt`].
    ///
    /// Call it before verifying a password. Valid tokens need no check, because they cannot be
    /// guessed.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait. The sign-in is then not counted.
    pub fn begin_sign_in_attempt(&self, ip: IpAddr) -> Result<()> {
        self.sign_ins.begin_attempt(find_client_network(ip))
    }

    /// Undoes one [`Self::begin_sign_in_attempt`], because the sign-in succeeded.
    pub fn undo_sign_in_attempt(&self, ip: IpAddr) {
        self.sign_ins.undo_attempt(&find_client_network(ip));
    }

    /// Counts a rejected response of an identity provider of this client. Verify a response without a
    /// check before: its signature cannot be guessed, and the people of an office share an address.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait. The rejection is then not counted.
    pub fn count_sso_rejection(&self, ip: IpAddr) -> Result<()> {
        self.sso_rejections.begin_attempt(find_client_network(ip))
    }

    /// Reserves a slot for a request to an identity provider, which expires after `lifetime`. Returns the
    /// id of the request that must be deleted because it loses its slot, if there is one: the oldest one of
    /// the site with the most requests.
    ///
    /// Requests from before the start of the server have no slots. They expire soon.
    ///
    /// # Errors
    /// `Busy` if all slots are in use and no other site has more requests.
    pub fn reserve_sso_request(
        &self,
        ip: IpAddr,
        id: String,
        lifetime: Duration,
    ) -> Result<Option<String>> {
        self.sso_requests.insert(find_client_site(ip), id, lifetime)
    }

    /// Frees the slot of a request to an identity provider that has its response or was not stored. Does
    /// nothing if another client has begun it; that slot expires.
    pub fn release_sso_request(&self, ip: IpAddr, id: &String) {
        self.sso_requests.remove(&find_client_site(ip), id);
    }

    /// Returns the delays after wrong passwords and codes, by account.
    pub fn account_sign_ins(&self) -> &GrowingDelay {
        &self.account_sign_ins
    }

    /// Counts a request of this client for a link to reset the password of an address, given by its
    /// hash. Returns false after too many requests for this address. The limits are the same whether
    /// or not the address has an account.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait after too many requests of this client.
    pub fn count_password_reset(&self, ip: IpAddr, address: Sha256Hash) -> Result<bool> {
        self.reset_requests.begin_attempt(find_client_network(ip))?;
        match self.reset_links.begin(address, Concurrency::Unlimited) {
            // Each request counts.
            Ok(request) => {
                drop(request);
                Ok(true)
            }
            Err(Error::TooManyRequests(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts a new pairing code that this client requests for a screen. Does nothing for the
    /// loopback address unless `rate_limit_loopback` is set.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait. The code is then not counted.
    pub fn count_pairing_code(&self, ip: IpAddr) -> Result<()> {
        if self.is_exempt(ip) {
            return Ok(());
        }
        self.pairing_codes.check_key(&find_client_network(ip)).map_err(|until| {
            Error::TooManyRequests(round_up_to_seconds(
                until.wait_time_from(self.pairing_codes.clock().now()),
            ))
        })
    }

    /// Reserves a slot for a new pairing code of this client, which expires after `lifetime`.
    /// `code` is its hash. Returns the hash of the code that must be deleted because it loses its
    /// slot, if there is one: the oldest code of the client with the most codes.
    ///
    /// If the new code is then not stored, call [`Self::release_pairing_code`]. Codes from before
    /// the start of the server have no slots. They expire soon.
    ///
    /// # Errors
    /// `Busy` if all slots are in use and no other client has more codes.
    pub fn reserve_pairing_code(
        &self,
        ip: IpAddr,
        code: Sha256Hash,
        lifetime: Duration,
    ) -> Result<Option<Sha256Hash>> {
        self.pairing_slots.insert(find_client_network(ip), code, lifetime)
    }

    /// Frees the slot of a pairing code that was not stored. `code` is its hash.
    pub fn release_pairing_code(&self, ip: IpAddr, code: &Sha256Hash) {
        self.pairing_slots.remove(&find_client_network(ip), code);
    }

    /// Counts a wrong pairing code of the account. If the code is not wrong, call
    /// [`Self::undo_pairing_attempt`].
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait. The code is then not counted.
    pub fn begin_pairing_attempt(&self, account_id: &str) -> Result<()> {
        self.pairing_attempts.begin_attempt(account_id.to_owned())
    }

    /// Undoes one [`Self::begin_pairing_attempt`], because the code was not wrong.
    pub fn undo_pairing_attempt(&self, account_id: &str) {
        self.pairing_attempts.undo_attempt(&account_id.to_owned());
    }

    /// Counts `count` mails from the account `sender` to other people: all of them or none.
    ///
    /// # Errors
    /// - `TooManyRequests` with the seconds to wait.
    /// - `Invalid` if `count` is larger than the burst, so that waiting would not help.
    pub fn count_mails(&self, sender: &str, count: NonZeroU32) -> Result<()> {
        match self.mails.check_key_n(&sender.to_owned(), count) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(self.mails.clock().now());
                Err(Error::TooManyRequests(round_up_to_seconds(wait)))
            }
            Err(burst) => Err(Error::Invalid(format!(
                "the request would send {count} mails; at most {} are allowed at once (mail_burst)",
                burst.0
            ))),
        }
    }

    /// Frees the memory of clients and accounts with a full quota. Call it periodically.
    pub fn forget_idle_clients(&self) {
        // Without `..`, so that no new limit is left out here.
        let Self {
            requests,
            sign_ins,
            sso_rejections,
            sso_requests,
            account_sign_ins,
            reset_requests,
            reset_links,
            mails,
            pairing_codes,
            pairing_slots,
            pairing_attempts,
            limits_loopback: _,
        } = self;
        if let Some(limit) = requests {
            limit.buckets.retain_recent();
        }
        for limit in [sign_ins, sso_rejections, reset_requests] {
            limit.forget_idle_keys();
        }
        for delay in [account_sign_ins, reset_links] {
            delay.forget_idle_keys();
        }
        mails.retain_recent();
        pairing_slots.forget_expired();
        sso_requests.forget_expired();
        pairing_codes.retain_recent();
        pairing_attempts.forget_idle_keys();
    }
}

/// Returns a quota that allows `burst` events at once and one more after each `interval`.
///
/// Raises a burst of 0 to 1, and an interval of less than a millisecond to one millisecond.
fn build_quota(interval: Duration, burst: u32) -> Quota {
    Quota::with_period(interval.max(Duration::from_millis(1)))
        .expect("a period of at least a millisecond is not zero")
        .allow_burst(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_may_send_its_burst_and_must_then_wait() {
        let config = Config { rate_per_second: 1, rate_burst: 2, ..Config::default() };
        let limits = RateLimits::new(&config);
        let one = address("192.0.2.1");
        assert_eq!(
            limits.count_request(one).unwrap(),
            Some(RateLimitStatus { remaining: 1, seconds_until_full: 1 })
        );
        assert_eq!(
            limits.count_request(one).unwrap(),
            Some(RateLimitStatus { remaining: 0, seconds_until_full: 2 })
        );
        assert!(matches!(limits.count_request(one), Err(Error::TooManyRequests(1))));
        assert!(limits.count_request(address("192.0.2.2")).is_ok());
        assert_eq!(limits.count_request(address("127.0.0.1")).unwrap(), None);
        assert_eq!(limits.policy_header(), Some("\"default\";q=2;w=2"));
    }

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_client() {
        let config = Config { rate_per_second: 1, rate_burst: 1, ..Config::default() };
        let limits = RateLimits::new(&config);
        assert!(limits.count_request(address("2001:db8::1")).is_ok());
        assert!(limits.count_request(address("2001:db8::2")).is_err());
        assert!(limits.count_request(address("2001:db8:0:1::1")).is_ok());
    }

    #[test]
    fn too_many_failed_sign_ins_block_the_client_for_some_time() {
        let config = Config { sign_in_burst: 2, ..Config::default() };
        let limits = RateLimits::new(&config);
        let one = address("192.0.2.1");
        for _ in 0..2 {
            assert!(limits.check_sign_in_attempt(one).is_ok());
            assert!(limits.begin_sign_in_attempt(one).is_ok());
        }
        assert!(matches!(limits.check_sign_in_attempt(one), Err(Error::TooManyRequests(1..=30))));
        assert!(matches!(limits.begin_sign_in_attempt(one), Err(Error::TooManyRequests(1..=30))));
        assert!(limits.begin_sign_in_attempt(address("192.0.2.2")).is_ok());
    }

    #[test]
    fn successful_sign_ins_are_not_counted() {
        let limits = RateLimits::new(&Config { sign_in_burst: 2, ..Config::default() });
        let one = address("192.0.2.1");
        for _ in 0..10 {
            assert!(limits.begin_sign_in_attempt(one).is_ok());
            limits.undo_sign_in_attempt(one);
        }
        assert!(limits.begin_sign_in_attempt(one).is_ok());
        assert!(limits.begin_sign_in_attempt(one).is_ok());
        assert!(limits.begin_sign_in_attempt(one).is_err());
    }

    #[test]
    fn extreme_settings_do_not_overflow() {
        let limit = FailureLimit::new(Duration::MAX, u32::MAX);
        for _ in 0..3 {
            assert!(limit.begin_attempt("ann").is_ok());
        }
        limit.undo_attempt(&"ann");
        limit.undo_attempt(&"ben");
    }

    #[test]
    fn links_to_reset_a_password_are_limited_per_client_and_per_address() {
        let limits = RateLimits::new(&Config { sign_in_burst: 7, ..Config::default() });
        let count = |ip: &str, name: u8| limits.count_password_reset(address(ip), [name; 32]);
        for number in 0..RESET_LINK_BURST {
            assert!(count("192.0.2.1", 1).unwrap(), "{number}");
        }
        assert!(!count("192.0.2.2", 1).unwrap());
        assert!(count("192.0.2.1", 2).unwrap() && count("192.0.2.1", 3).unwrap());
        assert!(matches!(count("192.0.2.1", 4), Err(Error::TooManyRequests(1..=30))));
        assert!(count("192.0.2.2", 4).unwrap(), "a refused request does not count for the address");
    }

    #[test]
    fn too_many_wrong_pairing_codes_block_only_their_account() {
        let config = Config { sign_in_burst: 2, ..Config::default() };
        let limits = RateLimits::new(&config);
        for _ in 0..2 {
            assert!(limits.begin_pairing_attempt("ann").is_ok());
        }
        assert!(matches!(limits.begin_pairing_attempt("ann"), Err(Error::TooManyRequests(1..=30))));
        assert!(limits.begin_pairing_attempt("ben").is_ok());
    }

    #[test]
    fn a_client_may_request_its_burst_of_pairing_codes_and_must_then_wait() {
        let limits = RateLimits::new(&Config::default());
        for number in 0..PAIRING_CODE_BURST {
            assert!(limits.count_pairing_code(address("192.0.2.1")).is_ok(), "{number}");
        }
        assert!(matches!(
            limits.count_pairing_code(address("192.0.2.1")),
            Err(Error::TooManyRequests(1..=2))
        ));
        assert!(limits.count_pairing_code(address("192.0.2.2")).is_ok());
        assert!(
            (0..=PAIRING_CODE_BURST)
                .all(|_| limits.count_pairing_code(address("127.0.0.1")).is_ok())
        );
    }

    #[test]
    fn an_account_may_send_its_burst_of_mails_and_must_then_wait() {
        let config = Config { mail_burst: 2, ..Config::default() };
        let limits = RateLimits::new(&config);
        let send = |account, count| limits.count_mails(account, NonZeroU32::new(count).unwrap());
        assert!(send("ann", 1).is_ok());
        assert!(matches!(send("ann", 2), Err(Error::TooManyRequests(1..=60))));
        assert!(send("ann", 1).is_ok(), "the refused mails were counted");
        assert!(matches!(send("ann", 1), Err(Error::TooManyRequests(1..=60))));
        assert!(send("ben", 2).is_ok());
        assert!(matches!(send("cid", 3), Err(Error::Invalid(_))));
    }
}
