//! A resolver for the HTTP client that returns only allowed addresses.

use std::net::SocketAddr;

use hyper::Uri;
use ureq::config::Config as AgentConfig;
use ureq::unversioned::resolver::ResolvedSocketAddrs;
use ureq::unversioned::resolver::Resolver;
use ureq::unversioned::transport::NextTimeout;

use super::failure::RemoteFailure;
use super::network_scope::NetworkScope;
use super::remote_url::RemoteUrl;
use super::resolver::DnsResolver;
use crate::error::Error;

/// Maximum number of addresses to try per host name. The HTTP client accepts no more.
const MAX_ADDRESSES: usize = 16;

/// A resolver for the HTTP client that returns only allowed addresses.
///
/// The addresses are checked after the lookup and the client connects to exactly these. So a host
/// name cannot reach the internal network, even if its DNS record changes (DNS rebinding).
#[derive(Debug)]
pub(super) struct CheckedResolver {
    pub resolver: DnsResolver,
    pub scope: NetworkScope,
}

impl Resolver for CheckedResolver {
    /// Returns the addresses of the host in `uri` that the scope allows, with the port of the URI
    /// or 443 or 80 by its scheme. Returns at most `MAX_ADDRESSES`.
    ///
    /// # Errors
    /// `Timeout` if the lookup takes too long. `Other` with a [`RemoteFailure`] if the URI is invalid,
    /// the lookup fails, or the port or all addresses are refused.
    fn resolve(
        &self,
        uri: &Uri,
        config: &AgentConfig,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let fail = |failure: RemoteFailure| ureq::Error::Other(Box::new(failure));
        let RemoteUrl { host, port, .. } = RemoteUrl::parse(&uri.to_string()).map_err(fail)?;
        if !self.scope.allows_port(port) {
            let text = format!("the server may not reach port {port} of {host}");
            return Err(fail(RemoteFailure::AddressRefused(text)));
        }
        let found = self.resolver.resolve(&host, *timeout.after).map_err(|error| match error {
            Error::RemoteTimeout => ureq::Error::Timeout(timeout.reason),
            error => fail(RemoteFailure::Failed(error.to_string())),
        })?;
        let allowed: Vec<SocketAddr> = found
            .into_iter()
            .map(|ip| SocketAddr::new(ip, port))
            .filter(|address| self.scope.allows_address(*address))
            .collect();
        if allowed.is_empty() {
            return Err(fail(RemoteFailure::AddressRefused(self.scope.describe_refusal(&host))));
        }
        let mut addresses = self.empty();
        for address in config.ip_family().keep_wanted(allowed.into_iter()).take(MAX_ADDRESSES) {
            addresses.push(address);
        }
        Ok(addresses)
    }
}
