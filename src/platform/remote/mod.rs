//! Outbound HTTP with deadlines, size limits and SSRF protection, and lookups of DNS records.
//!
//! Host names are resolved by our own resolver ([`DnsResolver`]), never by the C library. In a
//! statically linked program the lookup of the C library loads the system's plug-ins, which crashes
//! the process on some hosts.

pub mod names;
pub mod network_scope;
pub mod resolver;
pub mod trusted_roots;

use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::Uri;
use ureq::Agent;
use ureq::config::Config as AgentConfig;
use ureq::tls::RootCerts;
use ureq::tls::TlsConfig;
use ureq::unversioned::resolver::ResolvedSocketAddrs;
use ureq::unversioned::resolver::Resolver;
use ureq::unversioned::transport::DefaultConnector;
use ureq::unversioned::transport::NextTimeout;

pub use network_scope::NetworkRules;
pub use network_scope::NetworkScope;
pub use resolver::DnsResolver;
pub use trusted_roots::TrustedRoots;

use crate::error::Error;
use crate::error::Result;

/// Maximum number of redirects. The target of each redirect is checked like the first address.
const MAX_REDIRECTS: u32 = 5;

/// Maximum number of addresses to try per host name. The HTTP client accepts no more.
const MAX_ADDRESSES: usize = 16;

/// The response of a remote server.
#[derive(Debug)]
pub struct RemoteResponse {
    /// HTTP status. A 4xx or 5xx status is not an error.
    pub status: u16,
    /// Content type, or an empty string.
    pub content_type: String,
    /// Body.
    pub body: Vec<u8>,
}

/// An HTTP client for remote servers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RemoteClient {
    agent: Agent,
    timeout: Duration,
}

/// Options of a [`RemoteClient`].
pub struct ClientOptions {
    /// Addresses that the client may connect to.
    pub scope: NetworkScope,
    /// Maximum time for the whole response, redirects included.
    pub timeout: Duration,
    /// Whether to verify certificates. False only for requests to this server itself.
    pub verify_certificates: bool,
}

impl RemoteClient {
    /// Creates a client that trusts the certificates of [`TrustedRoots::load`].
    ///
    /// # Errors
    /// `Invalid` if `SSL_CERT_FILE` is set but unusable.
    pub fn new(resolver: DnsResolver, options: &ClientOptions) -> Result<Self> {
        let roots = match TrustedRoots::load()? {
            TrustedRoots::File { ders, .. } => RootCerts::from(
                ders.iter().map(|der| ureq::tls::Certificate::from_der(der).to_owned()),
            ),
            TrustedRoots::BuiltIn => RootCerts::WebPki,
        };
        let tls = TlsConfig::builder()
            .root_certs(roots)
            .disable_verification(!options.verify_certificates)
            .build();
        let config = AgentConfig::builder()
            .timeout_global(Some(options.timeout))
            .max_redirects(MAX_REDIRECTS)
            .http_status_as_error(false)
            .user_agent(concat!("chartroom/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            // A proxy would resolve host names itself and so bypass the address check.
            .proxy(None)
            .build();
        let checked = CheckedResolver { resolver, scope: options.scope.clone() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), checked);
        Ok(Self { agent, timeout: options.timeout })
    }

    /// Sends a GET request, follows redirects and reads the whole response. Its body may have at
    /// most `max_bytes` bytes, counted after decompression. Any HTTP status is a success.
    ///
    /// # Errors
    /// `RemoteTimeout` at the deadline, `RemoteRefused` for all other failures.
    pub fn get(&self, url: &str, max_bytes: u64) -> Result<RemoteResponse> {
        let mut response = self.agent.get(url).call().map_err(|error| self.convert_error(error))?;
        let status = response.status().as_u16();
        let header = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        let content_type = header.unwrap_or_default().to_owned();
        // The limit of ureq counts the bytes before decompression. A few kilobytes can decompress
        // to gigabytes, so this counts the decompressed bytes.
        let mut body = Vec::new();
        let mut reader = response.body_mut().as_reader().take(max_bytes.saturating_add(1));
        reader.read_to_end(&mut body).map_err(|error| self.convert_error(error.into()))?;
        if u64::try_from(body.len()).is_ok_and(|length| length > max_bytes) {
            let text = format!("the remote response is larger than {max_bytes} bytes");
            return Err(Error::RemoteRefused(text));
        }
        Ok(RemoteResponse { status, content_type, body })
    }

    /// Converts a timeout to `RemoteTimeout`, and any other error to `RemoteRefused` with its text.
    fn convert_error(&self, error: ureq::Error) -> Error {
        match error {
            ureq::Error::Timeout(_) => Error::RemoteTimeout,
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                Error::RemoteTimeout
            }
            ureq::Error::Other(cause) => match cause.downcast::<LookupRefused>() {
                Ok(refused) => Error::RemoteRefused(refused.0),
                Err(cause) => Error::RemoteRefused(cause.to_string()),
            },
            error => {
                tracing::debug!(?error, timeout = ?self.timeout, "a request to a remote source failed");
                Error::RemoteRefused(format!("the remote source failed: {error}"))
            }
        }
    }
}

/// The reason why a lookup returned no address. Its text is shown to the caller.
#[derive(Debug)]
struct LookupRefused(String);

impl std::fmt::Display for LookupRefused {
    /// Writes the reason without additions.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LookupRefused {}

/// A resolver for the HTTP client that returns only allowed addresses.
///
/// The addresses are checked after the lookup and the client connects to exactly these. So a host
/// name cannot reach the internal network, even if its DNS record changes (DNS rebinding).
#[derive(Debug)]
struct CheckedResolver {
    resolver: DnsResolver,
    scope: NetworkScope,
}

impl Resolver for CheckedResolver {
    /// Returns the addresses of the host in `uri` that the scope allows, with the port of the URI
    /// or 443 or 80 by its scheme. Returns at most `MAX_ADDRESSES`.
    ///
    /// # Errors
    /// `Timeout` if the lookup takes too long. `LookupRefused` if the scheme is another one, the
    /// lookup fails, or no address is allowed.
    fn resolve(
        &self,
        uri: &Uri,
        config: &AgentConfig,
        timeout: NextTimeout,
    ) -> std::result::Result<ResolvedSocketAddrs, ureq::Error> {
        let refuse = |text: String| ureq::Error::Other(Box::new(LookupRefused(text)));
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let port = uri.port_u16().or(match uri.scheme_str() {
            Some("https") => Some(443),
            Some("http") => Some(80),
            _ => None,
        });
        let port = port.ok_or_else(|| refuse(format!("{uri} is not an http or https URL")))?;
        if !self.scope.allows_port(port) {
            return Err(refuse(format!("the server may not reach port {port} of {host}")));
        }
        let found = self.resolver.resolve(host, *timeout.after).map_err(|error| match error {
            Error::RemoteTimeout => ureq::Error::Timeout(timeout.reason),
            error => refuse(error.to_string()),
        })?;
        let allowed: Vec<SocketAddr> = found
            .into_iter()
            .map(|ip| SocketAddr::new(ip, port))
            .filter(|address| self.scope.allows_address(*address))
            .collect();
        if allowed.is_empty() {
            return Err(refuse(self.scope.describe_refusal(host)));
        }
        let mut addresses = self.empty();
        for address in config.ip_family().keep_wanted(allowed.into_iter()).take(MAX_ADDRESSES) {
            addresses.push(address);
        }
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::time::Instant;

    use flate2::write::GzEncoder;

    use super::*;

    /// Starts a server that sends these bytes in response to each request, or nothing at all.
    /// Returns its URL.
    fn start_server(response: Option<impl AsRef<[u8]> + Send + 'static>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if let Some(response) = &response {
                    let _ = stream.read(&mut [0; 4096]);
                    stream.write_all(response.as_ref()).unwrap();
                } else {
                    open.push(stream);
                }
            }
        });
        format!("http://{address}/")
    }

    fn build_client(scope: NetworkScope) -> RemoteClient {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let timeout = Duration::from_millis(500);
        let options = ClientOptions { scope, timeout, verify_certificates: true };
        RemoteClient::new(DnsResolver::new(Vec::new()).unwrap(), &options).unwrap()
    }

    const HELLO: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 5\r\n\r\nhello";

    #[test]
    fn a_response_has_status_type_and_body_up_to_the_size_limit() {
        let address = start_server(Some(HELLO));
        let response = build_client(NetworkScope::Any).get(&address, 5).unwrap();
        assert_eq!((response.status, response.content_type.as_str()), (200, "text/csv"));
        assert_eq!(response.body, b"hello");
        let error = build_client(NetworkScope::Any).get(&address, 4).unwrap_err();
        assert_eq!(error.to_string(), "the remote response is larger than 4 bytes");
    }

    #[test]
    fn the_size_limit_counts_decompressed_bytes() {
        let compress = |length| {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(&vec![b'x'; length]).unwrap();
            encoder.finish().unwrap()
        };
        let serve = |body: Vec<u8>| {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ";
            let head = format!("{head}{}\r\n\r\n", body.len());
            start_server(Some([head.as_bytes(), &body].concat()))
        };
        let client = build_client(NetworkScope::Any);
        let small = compress(4_000);
        assert!(small.len() < 100);
        assert_eq!(client.get(&serve(small.clone()), 4_000).unwrap().body, [b'x'; 4_000]);
        let error = client.get(&serve(small), 3_999).unwrap_err();
        assert_eq!(error.to_string(), "the remote response is larger than 3999 bytes");
        let large = compress(20 << 20);
        assert!(large.len() < 200 << 10, "{}", large.len());
        let error = client.get(&serve(large), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "the remote response is larger than 1048576 bytes");
    }

    #[test]
    fn addresses_of_internal_networks_are_refused() {
        let address = start_server(Some(HELLO));
        let check = |address: &str| {
            let error = build_client(NetworkScope::Restricted(NetworkRules::default()))
                .get(address, 100)
                .unwrap_err();
            assert!(error.to_string().ends_with("is not on the public internet"), "{error}");
        };
        check(&address);
        check(&address.replace("127.0.0.1", "localhost"));
        check("http://[::1]/");
        check("http://[::ffff:169.254.169.254]/latest/meta-data");
    }

    #[test]
    fn a_server_that_does_not_respond_is_abandoned_at_the_deadline() {
        let began = Instant::now();
        let error =
            build_client(NetworkScope::Any).get(&start_server(None::<&str>), 100).unwrap_err();
        assert!(matches!(error, Error::RemoteTimeout), "{error:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
