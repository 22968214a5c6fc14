//! How much one client may ask for: requests of any kind, failed sign-ins, and codes for screens; and
//! how many mails one person may have sent to others, and codes of screens he may mistype.
//!
//! A client is an IPv4 address or an IPv6 network of 64 bits, which one subscriber has for himself.

use std::hash::Hash;
use std::net::IpAddr;
use std::net::Ipv6Addr;
use std::num::NonZeroU32;
use std::time::Duration;
use std::time::Instant;

use governor::Quota;
use governor::RateLimiter;
use governor::clock::Clock;
use governor::clock::DefaultClock;
use governor::middleware::NoOpMiddleware;
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use quick_cache::sync::Cache;

use crate::config::Config;
use crate::error::Error;
use crate::error::Result;

type Buckets<K, M> = RateLimiter<K, DashMapStateStore<K>, DefaultClock, M>;

/// Addresses that are remembered as having failed too often.
const BLOCKED_AT_MOST: usize = 10_000;

/// Codes for screens that one client gets at once: the screens of a house that are switched on
/// together.
const CODE_BURST: u32 = 200;
/// How long it takes until one more: a code lives ten minutes, so that 500 screens go on for ever.
const CODE_EVERY: Duration = Duration::from_millis(1200);

/// The limits of all clients.
pub struct Limits {
    requests: Option<Requests>,
    sign_ins: Attempts<IpAddr>,
    /// By the id of the sender.
    mails: Buckets<String, NoOpMiddleware>,
    /// Codes for screens that are to be paired.
    codes: Buckets<IpAddr, NoOpMiddleware>,
    /// Such codes as people enter them, by the id of who does.
    entries: Attempts<String>,
    loopback: bool,
}

/// Attempts that may fail, and who failed too often.
struct Attempts<K: Hash + Eq + Clone> {
    failures: Buckets<K, NoOpMiddleware>,
    /// Those who failed too often, and until when they must wait.
    blocked: Cache<K, Instant>,
}

impl<K: Hash + Eq + Clone> Attempts<K> {
    /// As many failures at once, and one more after each time of `every`.
    fn new(every: Duration, burst: u32) -> Self {
        Self {
            failures: RateLimiter::dashmap(quota(every, burst)),
            blocked: Cache::new(BLOCKED_AT_MOST),
        }
    }

    fn may(&self, who: &K) -> Result<()> {
        let Some(until) = self.blocked.get(who) else { return Ok(()) };
        let wait = until.saturating_duration_since(Instant::now());
        if wait.is_zero() { Ok(()) } else { Err(Error::TooMany(whole_seconds(wait))) }
    }

    fn failed(&self, who: K) {
        if let Err(until) = self.failures.check_key(&who) {
            let wait = until.wait_time_from(self.failures.clock().now());
            self.blocked.insert(who, Instant::now() + wait);
        }
    }
}

struct Requests {
    buckets: Buckets<IpAddr, StateInformationMiddleware>,
    per_second: u32,
    policy: String,
}

/// What is left to a client, for the `RateLimit` headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Requests that may follow at once.
    pub requests: u32,
    /// Seconds until all may follow at once again.
    pub full_in: u32,
}

impl Limits {
    /// Limits as configured.
    pub fn new(config: &Config) -> Self {
        let burst = NonZeroU32::new(config.rate_burst).unwrap_or(NonZeroU32::MIN);
        let requests = NonZeroU32::new(config.rate_per_second).map(|rate| Requests {
            buckets: RateLimiter::dashmap(Quota::per_second(rate).allow_burst(burst))
                .with_middleware(),
            per_second: rate.get(),
            policy: format!("\"default\";q={burst};w={}", burst.get().div_ceil(rate.get())),
        });
        Self {
            requests,
            sign_ins: Attempts::new(config.sign_in_every, config.sign_in_burst),
            mails: RateLimiter::dashmap(quota(config.mail_every, config.mail_burst)),
            codes: RateLimiter::dashmap(quota(CODE_EVERY, CODE_BURST)),
            entries: Attempts::new(config.sign_in_every, config.sign_in_burst),
            loopback: config.rate_limit_loopback,
        }
    }

    /// Counts a request; says what is left, if requests of this client are limited at all.
    ///
    /// # Errors
    /// `TooMany` with the seconds to wait.
    pub fn request(&self, peer: IpAddr) -> Result<Option<Left>> {
        let Some(limit) = &self.requests else { return Ok(None) };
        if self.is_exempt(peer) {
            return Ok(None);
        }
        match limit.buckets.check_key(&client(peer)) {
            Ok(state) => {
                let left = state.remaining_burst_capacity();
                let used = state.quota().burst_size().get() - left;
                Ok(Some(Left { requests: left, full_in: used.div_ceil(limit.per_second) }))
            }
            Err(until) => {
                let wait = until.wait_time_from(limit.buckets.clock().now());
                Err(Error::TooMany(whole_seconds(wait)))
            }
        }
    }

    /// Who comes from this machine is its operator, or a proxy that stands for everybody.
    fn is_exempt(&self, peer: IpAddr) -> bool {
        peer.is_loopback() && !self.loopback
    }

    /// The value of `RateLimit-Policy`, when requests are limited.
    pub fn policy(&self) -> Option<&str> {
        self.requests.as_ref().map(|it| it.policy.as_str())
    }

    /// Whether this client may try a password: not when it failed too often of late. Ask before a
    /// password is verified; a token that is found needs no such question, it cannot be guessed.
    ///
    /// # Errors
    /// `TooMany` with the seconds to wait.
    pub fn may_sign_in(&self, peer: IpAddr) -> Result<()> {
        self.sign_ins.may(&client(peer))
    }

    /// Counts bad credentials from this client.
    pub fn failed_sign_in(&self, peer: IpAddr) {
        self.sign_ins.failed(client(peer));
    }

    /// Counts a code that this client gets for a screen.
    ///
    /// # Errors
    /// `TooMany` with the seconds to wait.
    pub fn code(&self, peer: IpAddr) -> Result<()> {
        if self.is_exempt(peer) {
            return Ok(());
        }
        self.codes.check_key(&client(peer)).map_err(|until| {
            Error::TooMany(whole_seconds(until.wait_time_from(self.codes.clock().now())))
        })
    }

    /// Whether the account `who` may enter a screen's code: not when it entered too many wrong ones
    /// of late.
    ///
    /// # Errors
    /// `TooMany` with the seconds to wait.
    pub fn may_enter(&self, who: &str) -> Result<()> {
        self.entries.may(&who.to_owned())
    }

    /// Counts a wrong code that the account `who` has entered.
    pub fn entered_wrong(&self, who: &str) {
        self.entries.failed(who.to_owned());
    }

    /// Counts mails that the account `sender` has sent to others: all of them or none.
    ///
    /// # Errors
    /// `TooMany` with the seconds to wait; `Invalid` when it would be too many at any time.
    pub fn mails(&self, sender: &str, count: NonZeroU32) -> Result<()> {
        match self.mails.check_key_n(&sender.to_owned(), count) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(self.mails.clock().now());
                Err(Error::TooMany(whole_seconds(wait)))
            }
            Err(most) => Err(Error::Invalid(format!(
                "{count} mails would go out, and one person may have {} sent at once (mail_burst)",
                most.0
            ))),
        }
    }

    /// Forgets clients whose buckets are full again. To be called now and then.
    pub fn forget(&self) {
        if let Some(limit) = &self.requests {
            limit.buckets.retain_recent();
        }
        self.sign_ins.failures.retain_recent();
        self.mails.retain_recent();
        self.codes.retain_recent();
        self.entries.failures.retain_recent();
    }
}

/// `burst` at once, and one more after each time of `every`; at least one, after a millisecond.
fn quota(every: Duration, burst: u32) -> Quota {
    Quota::with_period(every.max(Duration::from_millis(1)))
        .expect("a period of at least a millisecond is not zero")
        .allow_burst(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN))
}

fn client(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_has_its_burst_and_then_waits() {
        let config = Config { rate_per_second: 1, rate_burst: 2, ..Config::default() };
        let limits = Limits::new(&config);
        let one = address("192.0.2.1");
        assert_eq!(limits.request(one).unwrap(), Some(Left { requests: 1, full_in: 1 }));
        assert_eq!(limits.request(one).unwrap(), Some(Left { requests: 0, full_in: 2 }));
        assert!(matches!(limits.request(one), Err(Error::TooMany(1))));
        assert!(limits.request(address("192.0.2.2")).is_ok());
        assert_eq!(limits.request(address("127.0.0.1")).unwrap(), None);
        assert_eq!(limits.policy(), Some("\"default\";q=2;w=2"));
    }

    #[test]
    fn a_network_of_64_bits_is_one_client() {
        let config = Config { rate_per_second: 1, rate_burst: 1, ..Config::default() };
        let limits = Limits::new(&config);
        assert!(limits.request(address("2001:db8::1")).is_ok());
        assert!(limits.request(address("2001:db8::2")).is_err());
        assert!(limits.request(address("2001:db8:0:1::1")).is_ok());
    }

    #[test]
    fn too_many_failures_close_the_door_for_a_while() {
        let config = Config { sign_in_burst: 2, ..Config::default() };
        let limits = Limits::new(&config);
        let one = address("192.0.2.1");
        for _ in 0..2 {
            limits.failed_sign_in(one);
            assert!(limits.may_sign_in(one).is_ok());
        }
        limits.failed_sign_in(one);
        assert!(matches!(limits.may_sign_in(one), Err(Error::TooMany(1..=30))));
        assert!(limits.may_sign_in(address("192.0.2.2")).is_ok());
    }

    #[test]
    fn too_many_wrong_codes_close_the_door_for_their_account_alone() {
        let config = Config { sign_in_burst: 2, ..Config::default() };
        let limits = Limits::new(&config);
        for _ in 0..3 {
            assert!(limits.may_enter("ann").is_ok());
            limits.entered_wrong("ann");
        }
        assert!(matches!(limits.may_enter("ann"), Err(Error::TooMany(1..=30))));
        assert!(limits.may_enter("ben").is_ok());
    }

    #[test]
    fn a_client_gets_so_many_codes_and_then_waits() {
        let limits = Limits::new(&Config::default());
        for number in 0..CODE_BURST {
            assert!(limits.code(address("192.0.2.1")).is_ok(), "{number}");
        }
        assert!(matches!(limits.code(address("192.0.2.1")), Err(Error::TooMany(1..=2))));
        assert!(limits.code(address("192.0.2.2")).is_ok());
        assert!((0..=CODE_BURST).all(|_| limits.code(address("127.0.0.1")).is_ok()));
    }

    #[test]
    fn a_person_has_so_many_mails_sent_and_then_waits() {
        let config = Config { mail_burst: 2, ..Config::default() };
        let limits = Limits::new(&config);
        let send = |who, count| limits.mails(who, NonZeroU32::new(count).unwrap());
        assert!(send("ann", 1).is_ok());
        assert!(matches!(send("ann", 2), Err(Error::TooMany(1..=60))));
        assert!(send("ann", 1).is_ok(), "what was refused was counted");
        assert!(matches!(send("ann", 1), Err(Error::TooMany(1..=60))));
        assert!(send("ben", 2).is_ok());
        assert!(matches!(send("cid", 3), Err(Error::Invalid(_))));
    }
}
