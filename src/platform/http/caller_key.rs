//! Identification of the sender of a request before its credentials are verified.

use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::LazyLock;

use foldhash::quality::RandomState;
use hyper::header::AUTHORIZATION;
use hyper::header::COOKIE;

use super::rate_limits;
use super::request::Request;

/// Hash function of credentials, different in each process, so that nobody can prepare credentials
/// with the same hash as others.
static CREDENTIALS_HASH: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Number of callers that the server distinguishes within a client network. Somebody who invents
/// credentials for each request counts as at most so many callers.
///
/// Accounts behind one address may thus count as the same caller, which only matters while one of them
/// sends many requests.
const MAX_CALLERS_PER_NETWORK: u64 = 64;

/// The sender of a request, as far as it is known before its credentials are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallerKey {
    /// IPv4 address, or IPv6 network of 64 bits.
    pub network: IpAddr,
    /// Hash of the credentials of the request, below [`MAX_CALLERS_PER_NETWORK`]. The same value for all
    /// requests without.
    pub credentials: u64,
}

/// Returns the client network of a request and a hash of its credentials: of the header
/// `Authorization` or, without it, of the first header `Cookie`. Does not verify the credentials.
pub fn identify_caller(request: &Request) -> CallerKey {
    let headers = &request.headers;
    let credentials = headers.get(AUTHORIZATION).or_else(|| headers.get(COOKIE));
    CallerKey {
        network: rate_limits::find_client_network(request.client_ip),
        credentials: CREDENTIALS_HASH.hash_one(credentials.map(|value| value.as_bytes()))
            % MAX_CALLERS_PER_NETWORK,
    }
}
