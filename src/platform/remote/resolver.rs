//! A DNS resolver that queries name servers directly instead of using the C library.
//!
//! It uses `/etc/hosts` and `/etc/resolv.conf`. It ignores the plug-ins in `/etc/nsswitch.conf`,
//! such as multicast DNS, because a statically linked program cannot load them safely.

use std::fmt;
use std::fs;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::SystemTime;

use hickory_resolver::ResolverBuilder;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::config::NameServerConfig;
use hickory_resolver::config::ResolverConfig;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use tokio::runtime::Runtime;

use crate::error::Error;
use crate::error::Result;

/// File with the name servers of the system.
const RESOLV_CONF: &str = "/etc/resolv.conf";

/// A resolver for host names. Cheap to clone; all clones share a cache.
#[derive(Clone)]
pub struct DnsResolver {
    inner: Arc<Inner>,
}

struct Inner {
    /// Runtime that drives the lookups. Callers block their own threads.
    runtime: Runtime,
    /// Configured name servers. If empty, the system's name servers are used.
    servers: Vec<SocketAddr>,
    cached: Mutex<Option<CachedResolver>>,
}

/// A resolver and the modification time of the `resolv.conf` that it was created from.
struct CachedResolver {
    resolver: Arc<TokioResolver>,
    config_modified: Option<SystemTime>,
}

impl DnsResolver {
    /// Creates a resolver that queries `servers`, or the system's name servers if it is empty.
    ///
    /// # Errors
    /// If the thread that drives the lookups cannot be started.
    pub fn new(servers: Vec<SocketAddr>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("dns")
            .enable_all()
            .build()?;
        Ok(Self { inner: Arc::new(Inner { runtime, servers, cached: Mutex::new(None) }) })
    }

    /// Returns the IPv4 and IPv6 addresses of `host`, at least one. If `host` is an address itself,
    /// returns it without a lookup.
    ///
    /// Blocks the thread. Do not call it in async code.
    ///
    /// # Errors
    /// - `RemoteTimeout` after `timeout`.
    /// - `RemoteRefused` if the lookup fails, for example because the name does not exist or no
    ///   name server responds.
    pub fn resolve(&self, host: &str, timeout: Duration) -> Result<Vec<IpAddr>> {
        if let Ok(ip) = host.parse() {
            return Ok(vec![ip]);
        }
        let resolver = self.get_or_create_resolver()?;
        // Creating a tokio timer requires an entered runtime.
        let entered = self.inner.runtime.enter();
        let lookup = tokio::time::timeout(timeout, resolver.lookup_ip(host));
        drop(entered);
        let addresses: Vec<IpAddr> = match self.inner.runtime.block_on(lookup) {
            Err(_) => return Err(Error::RemoteTimeout),
            Ok(Ok(found)) => found.iter().collect(),
            Ok(Err(error)) => {
                if !error.is_no_records_found() {
                    // The network may have changed, so the next lookup creates a new resolver.
                    *self.inner.cached.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
                tracing::debug!(host, %error, "a name lookup failed");
                Vec::new()
            }
        };
        if addresses.is_empty() {
            return Err(Error::RemoteRefused(format!("the name {host} could not be resolved")));
        }
        Ok(addresses)
    }

    /// Returns the cached resolver. Creates a new one if there is none or `resolv.conf` has
    /// changed.
    fn get_or_create_resolver(&self) -> Result<Arc<TokioResolver>> {
        let config_modified =
            fs::metadata(RESOLV_CONF).and_then(|metadata| metadata.modified()).ok();
        let mut cached = self.inner.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) =
            cached.as_ref().filter(|cached| cached.config_modified == config_modified)
        {
            return Ok(cached.resolver.clone());
        }
        let resolver = Arc::new(build_resolver(&self.inner.servers)?);
        *cached = Some(CachedResolver { resolver: resolver.clone(), config_modified });
        Ok(resolver)
    }
}

impl fmt::Debug for DnsResolver {
    /// Writes the configured servers only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DnsResolver").field("servers", &self.inner.servers).finish_non_exhaustive()
    }
}

/// Builds a resolver of host names that queries `servers`, as [`resolver_builder`] describes.
fn build_resolver(servers: &[SocketAddr]) -> Result<TokioResolver> {
    let mut builder = resolver_builder(servers);
    builder.options_mut().ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().map_err(|error| Error::internal(error.to_string()))
}

/// Returns the builder of a resolver that queries `servers`. If the list is empty, it queries those
/// of `resolv.conf`, or the local machine if that file cannot be read.
pub(super) fn resolver_builder(servers: &[SocketAddr]) -> ResolverBuilder<TokioRuntimeProvider> {
    let provider = TokioRuntimeProvider::default();
    if !servers.is_empty() {
        return TokioResolver::builder_with_config(build_config(servers), provider);
    }
    TokioResolver::builder_tokio().unwrap_or_else(|error| {
        // resolv.conf(5): without the file, the name server is on the local machine.
        tracing::debug!(%error, "{RESOLV_CONF} cannot be read");
        let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
        TokioResolver::builder_with_config(build_config(&[local]), provider)
    })
}

/// Returns a configuration that asks only these servers, by UDP and TCP at their ports.
fn build_config(servers: &[SocketAddr]) -> ResolverConfig {
    let server_config = |server: &SocketAddr| {
        let mut config = NameServerConfig::udp_and_tcp(server.ip());
        for connection in &mut config.connections {
            connection.port = server.port();
        }
        config
    };
    ResolverConfig::from_name_servers(servers.iter().map(server_config).collect())
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_address_resolves_to_itself() {
        let resolver = DnsResolver::new(Vec::new()).unwrap();
        let check = |host: &str| {
            let want: IpAddr = host.parse().unwrap();
            assert_eq!(resolver.resolve(host, Duration::from_secs(1)).unwrap(), [want]);
        };
        check("192.0.2.1");
        check("2001:db8::1");
    }

    #[test]
    fn a_name_server_that_does_not_respond_is_abandoned_at_the_deadline() {
        // The socket is bound but never read, so every query is lost.
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let resolver = DnsResolver::new(vec![silent.local_addr().unwrap()]).unwrap();
        let began = Instant::now();
        let error = resolver.resolve("example.test.", Duration::from_millis(200)).unwrap_err();
        assert!(matches!(error, Error::RemoteTimeout), "{error}");
        assert!(began.elapsed() < Duration::from_secs(2));
    }
}
