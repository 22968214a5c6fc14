//! Identification of the sender of a request before its credentials are verified.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::LazyLock;
use std::sync::PoisonError;
use std::sync::RwLock;

use foldhash::quality::RandomState;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use hyper::header::COOKIE;

use super::rate_limits;

/// Hash function of credentials and accounts, different in each process, so that nobody can prepare
/// credentials with the same hash as others.
static HASH: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Name of the session cookie on a server without TLS.
pub const SESSION_COOKIE_NAME: &str = "chartroom_session";
/// Name of the session cookie on a server with TLS. Browsers accept the prefix only from the host itself,
/// so that no other subdomain can set the cookie (RFC 6265bis, 4.1.3.2).
pub const SECURE_SESSION_COOKIE_NAME: &str = "__Host-chartroom_session";

/// Key of the credentials of all senders of a client network without a known account. Together they
/// count as one caller, so that nobody multiplies their share with invented credentials.
const UNKNOWN_SENDERS: u64 = 0;

/// Number of lanes in which the requests of [`UNKNOWN_SENDERS`] wait. The lanes take turns, so that
/// the first request of a user does not wait behind all requests of another sender.
const UNKNOWN_SENDER_LANES: u64 = 64;

/// Maximum number of credentials with known accounts. Beyond it, all are forgotten, and the next request
/// of each account is one of an unknown caller.
const MAX_KNOWN_CREDENTIALS: usize = 16_384;

/// Minimum of the keys of accounts, above those of unknown callers.
pub(super) const MIN_ACCOUNT_KEY: u64 = 1 << 63;

/// Hashes of credentials that were valid, with the keys of their accounts.
static ACCOUNTS: LazyLock<RwLock<HashMap<u64, u64, foldhash::fast::RandomState>>> =
    LazyLock::new(RwLock::default);

/// The sender of a request, as far as it is known before its credentials are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallerKey {
    /// IPv4 address, or IPv6 network of 64 bits.
    pub network: IpAddr,
    /// Key of the account, if its credentials were valid before. Otherwise the key that all unknown
    /// senders of the network share.
    pub credentials: u64,
}

impl CallerKey {
    /// Returns whether the sender has a known account.
    pub fn is_account(&self) -> bool {
        self.credentials >= MIN_ACCOUNT_KEY
    }
}

/// Returns the name of the session cookie of a server with this public URL.
pub fn session_cookie_name(base_url: &str) -> &'static str {
    if base_url.starts_with("https://") { SECURE_SESSION_COOKIE_NAME } else { SESSION_COOKIE_NAME }
}

/// Returns the client network of a request and the key of its sender.
///
/// The credentials are the header `Authorization`, otherwise the session cookie with the name `cookie`.
/// All credentials of an account have the same key.
pub fn identify_caller(headers: &HeaderMap, cookie: &str, client_ip: IpAddr) -> CallerKey {
    let hash = hash_credentials(headers, cookie);
    let account = ACCOUNTS.read().unwrap_or_else(PoisonError::into_inner).get(&hash).copied();
    CallerKey {
        network: rate_limits::find_client_network(client_ip),
        credentials: account.unwrap_or(UNKNOWN_SENDERS),
    }
}

/// Returns the lane of a request within the queue of its caller, see `fair_lanes.rs`.
///
/// `caller` is the result of `identify_caller` for the request with the same `cookie`. An account has one
/// lane. The lane of an unknown sender depends on its credentials, and is the same for all requests
/// without.
pub fn find_lane(headers: &HeaderMap, cookie: &str, caller: CallerKey) -> u64 {
    match caller.credentials {
        UNKNOWN_SENDERS => hash_credentials(headers, cookie) % UNKNOWN_SENDER_LANES,
        _ => 0,
    }
}

/// Returns the key under which the unsent bytes of a request count. Each lane of unknown senders has its
/// own, so that the first request of a user does not wait until another sender reads its responses.
///
/// `caller` is the result of `identify_caller` for the request with the same `cookie`. Bounded by the
/// limits of the network.
pub fn find_memory_key(headers: &HeaderMap, cookie: &str, caller: CallerKey) -> CallerKey {
    match caller.credentials {
        UNKNOWN_SENDERS => CallerKey { credentials: find_lane(headers, cookie, caller), ..caller },
        _ => caller,
    }
}

/// Returns the value of the first cookie with this name, without a check of its format. None without
/// such a cookie.
pub fn find_cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // HTTP/2 allows several cookie headers (RFC 9113, section 8.2.3).
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// Remembers that the credentials of a request are valid for `account`, so that its next requests count
/// to the account.
///
/// `caller` is the result of `identify_caller` for the request with the same `cookie`. Does nothing if it
/// has the key of an account already. The key only determines which requests wait for each other: the
/// credentials are verified again for each request.
pub fn remember_account(headers: &HeaderMap, cookie: &str, caller: CallerKey, account: &str) {
    // Usually known since an earlier request.
    if caller.is_account() {
        return;
    }
    let hash = hash_credentials(headers, cookie);
    let key = HASH.hash_one(account) | MIN_ACCOUNT_KEY;
    let mut accounts = ACCOUNTS.write().unwrap_or_else(PoisonError::into_inner);
    if accounts.len() >= MAX_KNOWN_CREDENTIALS {
        accounts.clear();
    }
    accounts.insert(hash, key);
}

/// Returns a hash of the credentials of a request. Requests without credentials have the same hash.
///
/// Other cookies, the scheme and spaces do not change the hash, because a sender could vary them
/// although the credentials stay valid.
fn hash_credentials(headers: &HeaderMap, cookie: &str) -> u64 {
    let credentials = match headers.get(AUTHORIZATION).map(|value| value.as_bytes()) {
        Some(value) => match value.iter().position(|byte| *byte == b' ') {
            Some(space) => value[space..].trim_ascii(),
            None => value,
        },
        None => find_cookie(headers, cookie).unwrap_or_default().as_bytes(),
    };
    HASH.hash_one(credentials)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::Ipv4Addr;

    use hyper::header::HeaderName;
    use hyper::header::HeaderValue;

    use super::*;

    fn identify(token: &str) -> (HeaderMap, CallerKey) {
        let headers =
            HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(token).unwrap())]);
        let caller =
            identify_caller(&headers, SESSION_COOKIE_NAME, IpAddr::V4(Ipv4Addr::LOCALHOST));
        (headers, caller)
    }

    /// Identifies a request with these headers.
    fn identify_with(pairs: &[(HeaderName, &str)]) -> (HeaderMap, CallerKey) {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        let caller =
            identify_caller(&headers, SESSION_COOKIE_NAME, IpAddr::V4(Ipv4Addr::LOCALHOST));
        (headers, caller)
    }

    #[test]
    fn invented_credentials_have_one_key_and_accounts_have_their_own() {
        let requests: Vec<_> =
            (0..1000).map(|number| identify(&format!("Bearer invented-{number}"))).collect();
        let keys: HashSet<u64> = requests.iter().map(|(_, caller)| caller.credentials).collect();
        assert_eq!(keys, HashSet::from([UNKNOWN_SENDERS]));
        let lanes: HashSet<u64> = requests
            .iter()
            .map(|(headers, caller)| find_lane(headers, SESSION_COOKIE_NAME, *caller))
            .collect();
        assert!((32..=64).contains(&lanes.len()), "{}", lanes.len());
        for (token, account) in [("Bearer a1", "ann"), ("Bearer a2", "ann"), ("Bearer b", "ben")] {
            let (headers, caller) = identify(token);
            remember_account(&headers, SESSION_COOKIE_NAME, caller, account);
        }
        let [first, second, other] =
            ["Bearer a1", "Bearer a2", "Bearer b"].map(|token| identify(token).1.credentials);
        assert_eq!(first, second);
        assert_ne!(first, other);
        assert!(first >= MIN_ACCOUNT_KEY && other >= MIN_ACCOUNT_KEY);
        let (headers, caller) = identify("Bearer b");
        assert_eq!(find_lane(&headers, SESSION_COOKIE_NAME, caller), 0);
    }

    #[test]
    fn variations_of_valid_credentials_are_the_same_sender() {
        let (headers, caller) = identify("Bearer varied");
        remember_account(&headers, SESSION_COOKIE_NAME, caller, "ann");
        for variation in ["bearer varied", "BEARER   varied", "Bearer varied  "] {
            assert!(identify(variation).1.credentials >= MIN_ACCOUNT_KEY, "{variation}");
        }
        for other in ["Bearer varied2", "Bearer varied x", "Bearer", "Bearervaried"] {
            assert_eq!(identify(other).1.credentials, UNKNOWN_SENDERS, "{other}");
        }
        let cookie = |text: &str| identify_with(&[(COOKIE, text)]);
        let (headers, caller) = cookie("chartroom_session=varied");
        remember_account(&headers, SESSION_COOKIE_NAME, caller, "ben");
        for variation in ["a=1; chartroom_session=varied", "chartroom_session=varied;b=2"] {
            assert!(cookie(variation).1.credentials >= MIN_ACCOUNT_KEY, "{variation}");
        }
        let split = [(COOKIE, "a=1"), (COOKIE, "chartroom_session=varied")];
        assert!(identify_with(&split).1.credentials >= MIN_ACCOUNT_KEY);
        for other in [
            "chartroom_session=other",
            "xchartroom_session=varied",
            "__Host-chartroom_session=varied",
            "a=varied",
        ] {
            assert_eq!(cookie(other).1.credentials, UNKNOWN_SENDERS, "{other}");
        }
    }

    #[test]
    fn session_cookie_is_found_among_others() {
        let check = |text: &str, want: Option<&str>| {
            let (headers, _) = identify_with(&[(COOKIE, text)]);
            assert_eq!(find_cookie(&headers, SESSION_COOKIE_NAME), want, "{text}");
        };
        check("chartroom_session=abc", Some("abc"));
        check("a=b; chartroom_session=abc; c=d", Some("abc"));
        check("xchartroom_session=abc", None);
        check("chartroom_session", None);
        check("", None);
    }
}
