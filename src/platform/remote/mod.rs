//! Asks other servers, within a deadline and a size, and nobody whom the asker must not reach.
//!
//! Names are resolved by our own resolver ([`Names`]), never by the C library: in a statically
//! linked program its lookup loads the system's plug-ins, which ends the process on some hosts.

pub mod guard;
pub mod names;
pub mod roots;

use std::net::IpAddr;
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

pub use guard::Reach;
pub use names::Names;
pub use roots::Roots;

use crate::config::Config;
use crate::error::Error;
use crate::error::Result;

/// How many redirects are followed; each is checked like the first address.
const REDIRECTS: u32 = 5;

/// Most addresses of one name that are tried; the HTTP client takes no more.
const ADDRESSES: usize = 16;

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status; 4xx and 5xx are answers too.
    pub status: u16,
    /// Its content type, or nothing.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Asks other servers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Remote {
    agent: Agent,
    timeout: Duration,
}

/// What a [`Remote`] may do.
pub struct Limits {
    /// Whom it may ask.
    pub reach: Reach,
    /// Longest time for a whole answer, redirects included.
    pub timeout: Duration,
    /// False takes any certificate: only for asking ourselves.
    pub verify: bool,
}

impl Limits {
    /// For addresses that users give: public ones only, with the configured deadline.
    pub fn for_users(config: &Config) -> Self {
        let reach = if config.remote_private { Reach::Any } else { Reach::Public };
        Self { reach, timeout: config.remote_timeout, verify: true }
    }
}

impl Remote {
    /// A client with these limits.
    ///
    /// # Errors
    /// When the trusted certificates cannot be read.
    pub fn new(names: Names, limits: &Limits) -> Result<Self> {
        let roots = match Roots::load()? {
            Roots::Some { ders, .. } => RootCerts::from(
                ders.iter().map(|der| ureq::tls::Certificate::from_der(der).to_owned()),
            ),
            Roots::Compiled => RootCerts::WebPki,
        };
        let tls =
            TlsConfig::builder().root_certs(roots).disable_verification(!limits.verify).build();
        let config = AgentConfig::builder()
            .timeout_global(Some(limits.timeout))
            .max_redirects(REDIRECTS)
            .http_status_as_error(false)
            .user_agent(concat!("chartroom/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            // A proxy would look names up itself, past the check of addresses.
            .proxy(None)
            .build();
        let lookup = Lookup { names, reach: limits.reach };
        let agent = Agent::with_parts(config, DefaultConnector::default(), lookup);
        Ok(Self { agent, timeout: limits.timeout })
    }

    /// Fetches `url`, of at most `most` bytes.
    ///
    /// # Errors
    /// `RemoteTimeout` when the deadline passes, `RemoteRefused` for everything else.
    pub fn get(&self, url: &str, most: u64) -> Result<Answer> {
        let mut response = self.agent.get(url).call().map_err(|it| self.error(it))?;
        let status = response.status().as_u16();
        let header = response.headers().get("content-type").and_then(|it| it.to_str().ok());
        let content_type = header.unwrap_or_default().to_owned();
        // The client refuses a body that reaches its limit, not only one that passes it.
        let body = response.body_mut().with_config().limit(most.saturating_add(1)).read_to_vec();
        let body = body.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                Error::RemoteRefused(format!("the remote answer is larger than {most} bytes"))
            }
            error => self.error(error),
        })?;
        Ok(Answer { status, content_type, body })
    }

    fn error(&self, error: ureq::Error) -> Error {
        match error {
            ureq::Error::Timeout(_) => Error::RemoteTimeout,
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                Error::RemoteTimeout
            }
            ureq::Error::Other(cause) => match cause.downcast::<Refused>() {
                Ok(refused) => Error::RemoteRefused(refused.0),
                Err(cause) => Error::RemoteRefused(cause.to_string()),
            },
            error => {
                tracing::debug!(?error, timeout = ?self.timeout, "a remote source failed");
                Error::RemoteRefused(format!("the remote source failed: {error}"))
            }
        }
    }
}

/// Why a lookup gave no address: the text for the caller.
#[derive(Debug)]
struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Our resolver, as the HTTP client wants it. Addresses are checked after the lookup, so a name
/// that points inwards is refused however often it changes.
#[derive(Debug)]
struct Lookup {
    names: Names,
    reach: Reach,
}

impl Resolver for Lookup {
    fn resolve(
        &self,
        uri: &Uri,
        config: &AgentConfig,
        timeout: NextTimeout,
    ) -> std::result::Result<ResolvedSocketAddrs, ureq::Error> {
        let refuse = |text: String| ureq::Error::Other(Box::new(Refused(text)));
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let port = uri.port_u16().or(match uri.scheme_str() {
            Some("https") => Some(443),
            Some("http") => Some(80),
            _ => None,
        });
        let port = port.ok_or_else(|| refuse(format!("{uri} is not a web address")))?;
        let found = self.names.lookup(host, *timeout.after).map_err(|error| match error {
            Error::RemoteTimeout => ureq::Error::Timeout(timeout.reason),
            error => refuse(error.to_string()),
        })?;
        let allowed: Vec<IpAddr> =
            found.into_iter().filter(|ip| self.reach.includes(*ip)).collect();
        if allowed.is_empty() {
            return Err(refuse(format!("{host} is not on the public internet")));
        }
        let mut addresses = self.empty();
        let all = allowed.into_iter().map(|ip| SocketAddr::new(ip, port));
        for address in config.ip_family().keep_wanted(all).take(ADDRESSES) {
            addresses.push(address);
        }
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::io::Write;
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;

    /// A server that answers each request with this text, or never.
    fn server(answer: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if let Some(answer) = answer {
                    let _ = stream.read(&mut [0; 4096]);
                    stream.write_all(answer.as_bytes()).unwrap();
                } else {
                    open.push(stream);
                }
            }
        });
        format!("http://{address}/")
    }

    fn remote(reach: Reach) -> Remote {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let limits = Limits { reach, timeout: Duration::from_millis(500), verify: true };
        Remote::new(Names::new(Vec::new()).unwrap(), &limits).unwrap()
    }

    const HELLO: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 5\r\n\r\nhello";

    #[test]
    fn an_answer_has_status_type_and_body_and_no_more_bytes_than_wanted() {
        let address = server(Some(HELLO));
        let answer = remote(Reach::Any).get(&address, 5).unwrap();
        assert_eq!((answer.status, answer.content_type.as_str()), (200, "text/csv"));
        assert_eq!(answer.body, b"hello");
        let error = remote(Reach::Any).get(&address, 4).unwrap_err();
        assert_eq!(error.to_string(), "the remote answer is larger than 4 bytes");
    }

    #[test]
    fn nobody_makes_the_server_ask_its_neighbours() {
        let address = server(Some(HELLO));
        let check = |address: &str| {
            let error = remote(Reach::Public).get(address, 100).unwrap_err();
            assert!(error.to_string().ends_with("is not on the public internet"), "{error}");
        };
        check(&address);
        check(&address.replace("127.0.0.1", "localhost"));
        check("http://[::1]/");
        check("http://[::ffff:169.254.169.254]/latest/meta-data");
    }

    #[test]
    fn a_silent_server_costs_no_more_than_the_deadline() {
        let began = Instant::now();
        let error = remote(Reach::Any).get(&server(None), 100).unwrap_err();
        assert!(matches!(error, Error::RemoteTimeout), "{error:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
