//! Identification of the sender of a request before its credentials are verified.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hash::Hash;
use std::hash::Hasher;
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

/// Number of callers that the server distinguishes within a client network, as long as it does not know
/// their accounts. Somebody who invents credentials for each request counts as at most so many callers.
const MAX_UNKNOWN_CALLERS_PER_NETWORK: u64 = 64;

/// Maximum number of credentials with known accounts. Beyond it, all are forgotten, and the next request
/// of each account is one of an unknown caller.
const MAX_KNOWN_CREDENTIALS: usize = 16_384;

/// Minimum of the keys of accounts, above those of unknown callers.
const MIN_ACCOUNT_KEY: u64 = 1 << 63;

/// Hashes of credentials that were valid, with the keys of their accounts.
static ACCOUNTS: LazyLock<RwLock<HashMap<u64, u64, foldhash::fast::RandomState>>> =
    LazyLock::new(RwLock::default);

/// The sender of a request, as far as it is known before its credentials are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallerKey {
    /// IPv4 address, or IPv6 network of 64 bits.
    pub network: IpAddr,
    /// Key of the account, if its credentials were valid before. Otherwise a hash of the credentials
    /// below `MAX_UNKNOWN_CALLERS_PER_NETWORK`, the same value for all requests without.
    pub credentials: u64,
}

/// Returns the client network of a request and the key of its sender.
///
/// The credentials are the header `Authorization`, otherwise all cookies. All credentials of an account
/// have the same key.
pub fn identify_caller(headers: &HeaderMap, client_ip: IpAddr) -> CallerKey {
    let hash = hash_credentials(headers);
    let account = ACCOUNTS.read().unwrap_or_else(PoisonError::into_inner).get(&hash).copied();
    CallerKey {
        network: rate_limits::find_client_network(client_ip),
        credentials: account.unwrap_or(hash % MAX_UNKNOWN_CALLERS_PER_NETWORK),
    }
}

/// Remembers that the credentials of a request are valid for `account`, so that its next requests count
/// to the account.
///
/// `caller` is the result of `identify_caller` for the request. Does nothing if it has the key of an
/// account already. The key only determines which requests wait for each other: the credentials are
/// verified again for each request.
pub fn remember_account(headers: &HeaderMap, caller: CallerKey, account: &str) {
    // Usually known since an earlier request.
    if caller.credentials >= MIN_ACCOUNT_KEY {
        return;
    }
    let hash = hash_credentials(headers);
    let key = HASH.hash_one(account) | MIN_ACCOUNT_KEY;
    let mut accounts = ACCOUNTS.write().unwrap_or_else(PoisonError::into_inner);
    if accounts.len() >= MAX_KNOWN_CREDENTIALS {
        accounts.clear();
    }
    accounts.insert(hash, key);
}

/// Returns a hash of the credentials of a request. Requests without credentials have the same hash.
fn hash_credentials(headers: &HeaderMap) -> u64 {
    let mut hasher = HASH.build_hasher();
    match headers.get(AUTHORIZATION) {
        Some(value) => value.as_bytes().hash(&mut hasher),
        // HTTP/2 allows several cookie headers (RFC 9113, section 8.2.3).
        None => headers.get_all(COOKIE).iter().for_each(|value| value.as_bytes().hash(&mut hasher)),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use hyper::header::HeaderValue;

    use super::*;

    fn identify(token: &str) -> (HeaderMap, CallerKey) {
        let headers =
            HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(token).unwrap())]);
        let caller = identify_caller(&headers, IpAddr::V4(Ipv4Addr::LOCALHOST));
        (headers, caller)
    }

    #[test]
    fn invented_credentials_share_few_keys_and_accounts_have_their_own() {
        let keys: std::collections::HashSet<u64> = (0..1000)
            .map(|number| identify(&format!("Bearer invented-{number}")).1.credentials)
            .collect();
        assert!((32..=64).contains(&keys.len()), "{}", keys.len());
        assert!(keys.iter().all(|key| *key < MAX_UNKNOWN_CALLERS_PER_NETWORK));
        for (token, account) in [("Bearer a1", "ann"), ("Bearer a2", "ann"), ("Bearer b", "ben")] {
            let (headers, caller) = identify(token);
            remember_account(&headers, caller, account);
        }
        let [first, second, other] =
            ["Bearer a1", "Bearer a2", "Bearer b"].map(|token| identify(token).1.credentials);
        assert_eq!(first, second);
        assert_ne!(first, other);
        assert!(first >= MIN_ACCOUNT_KEY && other >= MIN_ACCOUNT_KEY);
    }
}
