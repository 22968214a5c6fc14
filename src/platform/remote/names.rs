//! From a host's name to its addresses, by asking name servers ourselves.
//!
//! `/etc/hosts` and `/etc/resolv.conf` are honoured; the plug-ins of `/etc/nsswitch.conf` (such as
//! multicast DNS) are not, since a statically linked program cannot load them safely.

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

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::config::NameServerConfig;
use hickory_resolver::config::ResolverConfig;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use tokio::runtime::Runtime;

use crate::error::Error;
use crate::error::Result;

/// Where the system says which name servers to ask.
const RESOLV_CONF: &str = "/etc/resolv.conf";

/// Looks names up. Cheap to clone; all clones share a cache.
#[derive(Clone)]
pub struct Names {
    inner: Arc<Inner>,
}

struct Inner {
    /// Drives the lookups. Callers wait on threads of their own.
    runtime: Runtime,
    /// The configured name servers; none are the system's.
    servers: Vec<SocketAddr>,
    current: Mutex<Option<Current>>,
}

/// The resolver, and when the file was changed from which it was made.
struct Current {
    resolver: Arc<TokioResolver>,
    changed: Option<SystemTime>,
}

impl Names {
    /// Asks `servers`, or the system's name servers when there are none.
    ///
    /// # Errors
    /// When the thread that drives the lookups cannot be started.
    pub fn new(servers: Vec<SocketAddr>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("names")
            .enable_all()
            .build()?;
        Ok(Self { inner: Arc::new(Inner { runtime, servers, current: Mutex::new(None) }) })
    }

    /// The addresses of `host`, which may be an address itself. Never empty.
    ///
    /// # Errors
    /// `RemoteTimeout` after `timeout`, `RemoteRefused` when there is no such name or no name
    /// server answers.
    pub fn lookup(&self, host: &str, timeout: Duration) -> Result<Vec<IpAddr>> {
        if let Ok(ip) = host.parse() {
            return Ok(vec![ip]);
        }
        let resolver = self.resolver()?;
        // The timer needs the runtime from its making on.
        let entered = self.inner.runtime.enter();
        let waiting = tokio::time::timeout(timeout, resolver.lookup_ip(host));
        drop(entered);
        let addresses: Vec<IpAddr> = match self.inner.runtime.block_on(waiting) {
            Err(_) => return Err(Error::RemoteTimeout),
            Ok(Ok(found)) => found.iter().collect(),
            Ok(Err(error)) => {
                if !error.is_no_records_found() {
                    // Perhaps the network changed: the next lookup begins afresh.
                    *self.inner.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
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

    /// The resolver for the system's current settings.
    fn resolver(&self) -> Result<Arc<TokioResolver>> {
        let changed = fs::metadata(RESOLV_CONF).and_then(|it| it.modified()).ok();
        let mut current = self.inner.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = current.as_ref().filter(|it| it.changed == changed) {
            return Ok(current.resolver.clone());
        }
        let resolver = Arc::new(make(&self.inner.servers)?);
        *current = Some(Current { resolver: resolver.clone(), changed });
        Ok(resolver)
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("servers", &self.inner.servers).finish_non_exhaustive()
    }
}

fn make(servers: &[SocketAddr]) -> Result<TokioResolver> {
    let provider = TokioRuntimeProvider::default();
    let mut builder = if servers.is_empty() {
        match TokioResolver::builder_tokio() {
            Ok(builder) => builder,
            Err(error) => {
                // As resolv.conf(5) says: without the file, the local machine is asked.
                tracing::debug!(%error, "{RESOLV_CONF} cannot be read");
                let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
                TokioResolver::builder_with_config(of_servers(&[local]), provider)
            }
        }
    } else {
        TokioResolver::builder_with_config(of_servers(servers), provider)
    };
    builder.options_mut().ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().map_err(|error| Error::internal(error.to_string()))
}

fn of_servers(servers: &[SocketAddr]) -> ResolverConfig {
    let of = |server: &SocketAddr| {
        let mut config = NameServerConfig::udp_and_tcp(server.ip());
        for connection in &mut config.connections {
            connection.port = server.port();
        }
        config
    };
    ResolverConfig::from_name_servers(servers.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_address_is_its_own_answer() {
        let names = Names::new(Vec::new()).unwrap();
        let check = |host: &str| {
            let want: IpAddr = host.parse().unwrap();
            assert_eq!(names.lookup(host, Duration::from_secs(1)).unwrap(), [want]);
        };
        check("192.0.2.1");
        check("2001:db8::1");
    }

    #[test]
    fn a_silent_name_server_costs_no_more_than_the_deadline() {
        // Bound, but nobody reads: every question is lost.
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let names = Names::new(vec![silent.local_addr().unwrap()]).unwrap();
        let began = Instant::now();
        let error = names.lookup("example.test.", Duration::from_millis(200)).unwrap_err();
        assert!(matches!(error, Error::RemoteTimeout), "{error}");
        assert!(began.elapsed() < Duration::from_secs(2));
    }
}
