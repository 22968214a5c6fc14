//! The HTTP client: sends requests, follows redirects and limits time and size.

use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use hyper::Method;
use hyper::Request;
use hyper::header::COOKIE;
use hyper::header::LOCATION;
use ureq::Agent;
use ureq::AsSendBody;
use ureq::Body;
use ureq::config::Config as AgentConfig;
use ureq::tls::RootCerts;
use ureq::tls::TlsConfig;
use ureq::unversioned::transport::Connector;
use ureq::unversioned::transport::RustlsConnector;
use ureq::unversioned::transport::TcpConnector;

use super::checked_resolver::CheckedResolver;
use super::cookie_jar::CookieJar;
use super::deadline::Deadline;
use super::failure::RemoteFailure;
use super::message::RemoteMethod;
use super::message::RemoteRequest;
use super::message::RemoteResponse;
use super::network_scope::NetworkRules;
use super::network_scope::NetworkScope;
use super::remote_body::ReadError;
use super::remote_body::RemoteBody;
use super::remote_url::RemoteUrl;
use super::resolver::DnsResolver;
use super::short_waits::ShortWaits;
use super::trusted_roots::TrustedRoots;
use crate::config::Config;
use crate::error;

/// Maximum number of redirects. The target of each redirect is checked like the first address.
const MAX_REDIRECTS: usize = 5;

/// Maximum size of the status line and the headers of a response in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// Maximum time to establish a connection, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Headers of the caller that another origin may see. The others can contain secrets, for example
/// `Authorization` and the password of a shared link.
const HARMLESS_HEADERS: [&str; 3] = ["accept", "accept-language", "range"];

/// An HTTP client for remote servers. Cheap to clone.
#[derive(Clone)]
pub struct RemoteClient {
    /// Client that reaches only the addresses in the scope of the options.
    restricted: Agent,
    /// Client for URLs of the configuration, which reaches all addresses.
    unrestricted: Agent,
    timeout: Duration,
}

/// Options of a [`RemoteClient`].
pub struct ClientOptions {
    /// Addresses that the client may connect to.
    pub scope: NetworkScope,
    /// Maximum time of [`RemoteClient::get`] for the whole response, redirects included.
    pub timeout: Duration,
    /// Whether to verify certificates. False only for requests to this server itself.
    pub verify_certificates: bool,
}

impl RemoteClient {
    /// Creates a client that trusts the certificates of [`TrustedRoots::load`].
    ///
    /// # Errors
    /// `Invalid` if `SSL_CERT_FILE` is set but unusable.
    pub fn new(resolver: DnsResolver, options: &ClientOptions) -> error::Result<Self> {
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
            // This client follows redirects itself, because it checks more than ureq.
            .max_redirects(0)
            .http_status_as_error(false)
            .max_response_header_size(MAX_HEADER_BYTES)
            // An idle connection would reach an address that was checked for an earlier request.
            .max_idle_connections(0)
            .user_agent(concat!("chartroom/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            // A proxy would resolve host names itself and so bypass the address check.
            .proxy(None)
            .build();
        let build_agent = |scope| {
            let resolver = CheckedResolver { resolver: resolver.clone(), scope };
            let sockets = ().chain(TcpConnector::default()).chain(ShortWaits);
            let connector = sockets.chain(RustlsConnector::default());
            Agent::with_parts(config.clone(), connector, resolver)
        };
        Ok(Self {
            restricted: build_agent(options.scope.clone()),
            unrestricted: build_agent(NetworkScope::Any),
            timeout: options.timeout,
        })
    }

    /// Creates a client for URLs of users. It reaches only the addresses that the settings permit.
    /// `timeout` is the maximum time of [`RemoteClient::get`].
    ///
    /// # Errors
    /// As [`RemoteClient::new`], and if the name servers in the settings are unusable.
    pub fn for_user_urls(config: &Config, timeout: Duration) -> error::Result<Self> {
        let scope = NetworkScope::Restricted(NetworkRules::from_config(config));
        let options = ClientOptions { scope, timeout, verify_certificates: true };
        Self::new(DnsResolver::new(config.dns.clone())?, &options)
    }

    /// Sends a GET request, follows redirects and reads the whole response. Its body may have at
    /// most `max_bytes` bytes, counted after decompression. Any HTTP status is a success.
    ///
    /// # Errors
    /// `RemoteTimeout` after the timeout of the options, `RemoteRefused` for all other failures.
    pub fn get(&self, url: &str, max_bytes: u64) -> error::Result<RemoteResponse> {
        let deadline = Deadline::after(self.timeout);
        Ok(self.send(&RemoteRequest::get(url, max_bytes), deadline)?)
    }

    /// Sends a request, follows at most `MAX_REDIRECTS` redirects if the request says so, and reads the
    /// whole response. Any HTTP status is a success. Blocks the thread until the deadline at most.
    ///
    /// A redirect with status 303, or with 301 or 302 after `POST`, is followed with `GET`. Other
    /// redirects repeat method and body, but only at the same scheme, host and port.
    ///
    /// # Errors
    /// - `Timeout` at the deadline. If it has already passed, nothing is sent.
    /// - `AddressRefused` if the server or the target of a redirect is not in the scope of the client.
    /// - `TooLarge` if the body is larger than `max_bytes` after decompression.
    /// - `InvalidUrl` if the URL or the target of a redirect is invalid, or leads from `https` to `http`.
    /// - `Failed` for all other failures.
    pub fn send(
        &self,
        request: &RemoteRequest<'_>,
        deadline: Deadline,
    ) -> Result<RemoteResponse, RemoteFailure> {
        self.exchange(&self.restricted, request, deadline)
    }

    /// Sends a request like [`RemoteClient::send`], but to any address and port. Only the targets of
    /// redirects must be in the scope of the client.
    ///
    /// The host and port of the URL must come from the configuration, never from a user or a response.
    ///
    /// # Errors
    /// Those of [`RemoteClient::send`].
    pub fn send_to_configured(
        &self,
        request: &RemoteRequest<'_>,
        deadline: Deadline,
    ) -> Result<RemoteResponse, RemoteFailure> {
        self.exchange(&self.unrestricted, request, deadline)
    }

    /// Sends the request with `first_agent` and follows its redirects with the restricted agent.
    fn exchange(
        &self,
        first_agent: &Agent,
        request: &RemoteRequest<'_>,
        deadline: Deadline,
    ) -> Result<RemoteResponse, RemoteFailure> {
        let mut hop = Hop::first(request)?;
        let mut cookies = CookieJar::default();
        let mut agent = first_agent;
        for _ in 0..=MAX_REDIRECTS {
            let response = hop.send(agent, &cookies, deadline)?;
            if request.accept_cookies {
                cookies.store(&hop.url, response.headers());
            }
            let location = request.follow_redirects.then(|| find_location(&response)).flatten();
            let Some(location) = location else {
                return read_response(response, &hop.url, request.max_bytes, deadline);
            };
            hop = hop.redirect(response.status().as_u16(), &location)?;
            agent = &self.restricted;
        }
        let text = format!("the remote source redirects more than {MAX_REDIRECTS} times");
        Err(RemoteFailure::Failed(text))
    }
}

impl fmt::Debug for RemoteClient {
    /// Writes the timeout only, because the agents list all trusted certificates.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteClient").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// One request of the chain of redirects.
struct Hop<'a> {
    url: RemoteUrl,
    method: RemoteMethod,
    headers: Vec<(&'a str, &'a str)>,
    body: Option<&'a [u8]>,
}

impl<'a> Hop<'a> {
    /// Returns the first request.
    ///
    /// # Errors
    /// `InvalidUrl` for an invalid URL. `Failed` for a body with a method that has none.
    fn first(request: &RemoteRequest<'a>) -> Result<Self, RemoteFailure> {
        let RemoteRequest { method, body, .. } = *request;
        if body.is_some() && !method.has_body() {
            let text = "a request with GET or DELETE must not have a body";
            return Err(RemoteFailure::Failed(text.to_owned()));
        }
        let url = RemoteUrl::parse(request.url)?;
        Ok(Self { url, method, headers: request.headers.to_vec(), body })
    }

    /// Returns the request to the target of a redirect with this status.
    ///
    /// # Errors
    /// `InvalidUrl` if the target is invalid or leads from `https` to `http`. `Failed` if the redirect
    /// would repeat a change at another origin, because its body can contain secrets.
    fn redirect(mut self, status: u16, location: &[u8]) -> Result<Self, RemoteFailure> {
        let url = self.url.redirect_to(location)?;
        if status == 303 || (matches!(status, 301 | 302) && self.method == RemoteMethod::Post) {
            self.method = RemoteMethod::Get;
            self.body = None;
            let is_about_body = |name: &str| name.to_ascii_lowercase().starts_with("content-");
            self.headers.retain(|(name, _)| !is_about_body(name));
        }
        if !self.url.has_same_origin(&url) {
            if self.method != RemoteMethod::Get {
                let text = "the remote source redirects a change to another server";
                return Err(RemoteFailure::Failed(text.to_owned()));
            }
            let is_harmless =
                |name: &str| HARMLESS_HEADERS.iter().any(|known| known.eq_ignore_ascii_case(name));
            self.headers.retain(|(name, _)| is_harmless(name));
        }
        self.url = url;
        Ok(self)
    }

    /// Sends the request and reads the headers of the response.
    ///
    /// # Errors
    /// As for [`RemoteClient::send`].
    fn send(
        &self,
        agent: &Agent,
        cookies: &CookieJar,
        deadline: Deadline,
    ) -> Result<ureq::http::Response<Body>, RemoteFailure> {
        let mut builder =
            Request::builder().method(Method::from(self.method)).uri(self.url.uri.clone());
        for (name, value) in &self.headers {
            builder = builder.header(*name, *value);
        }
        if let Some(cookie) = cookies.header(&self.url) {
            builder = builder.header(COOKIE, cookie);
        }
        if self.method.has_body() {
            run(agent, builder.body(self.body.unwrap_or_default()), deadline)
        } else {
            run(agent, builder.body(()), deadline)
        }
    }
}

/// Sends a request within the remaining time and reads the headers of the response.
///
/// # Errors
/// As for [`RemoteClient::send`].
fn run(
    agent: &Agent,
    request: Result<Request<impl AsSendBody>, ureq::http::Error>,
    deadline: Deadline,
) -> Result<ureq::http::Response<Body>, RemoteFailure> {
    let request = request.map_err(|error| convert_error(error.into()))?;
    let remaining = deadline.remaining().ok_or(RemoteFailure::Timeout)?;
    let request = agent
        .configure_request(request)
        .timeout_global(Some(remaining))
        .timeout_connect(Some(CONNECT_TIMEOUT.min(remaining)))
        .build();
    agent.run(request).map_err(convert_error)
}

/// Returns the target of a redirect. None if the response is no redirect.
fn find_location(response: &ureq::http::Response<Body>) -> Option<Vec<u8>> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(location.as_bytes().to_vec())
}

/// Reads the body of the final response.
///
/// # Errors
/// `TooLarge` if the body is larger than `max_bytes` after decompression. `Timeout` or `Failed` if it
/// cannot be read.
fn read_response(
    mut response: ureq::http::Response<Body>,
    url: &RemoteUrl,
    max_bytes: u64,
    deadline: Deadline,
) -> Result<RemoteResponse, RemoteFailure> {
    let too_large = || RemoteFailure::TooLarge { max_bytes };
    let expected = response.body().content_length();
    if expected.is_some_and(|length| length > max_bytes) {
        return Err(too_large());
    }
    // Two limits. ureq counts the bytes before decompression, which may be slightly more than those
    // after it. A few kilobytes can decompress to gigabytes, so `read` counts those.
    let max_compressed = max_bytes.saturating_add(max_bytes / 64 + 1024);
    let reader = response.body_mut().with_config().limit(max_compressed).reader();
    let read = RemoteBody::read(reader, (expected, max_bytes), deadline);
    let body = read.map_err(|error| match error {
        ReadError::Failure(failure) => failure,
        ReadError::Io(error) => match error.into() {
            ureq::Error::BodyExceedsLimit(_) => too_large(),
            error => convert_error(error),
        },
    })?;
    if u64::try_from(body.len()).is_ok_and(|length| length > max_bytes) {
        return Err(too_large());
    }
    let headers = std::mem::take(response.headers_mut());
    let content_type = headers.get("content-type").and_then(|value| value.to_str().ok());
    Ok(RemoteResponse {
        status: response.status().as_u16(),
        content_type: content_type.unwrap_or_default().to_owned(),
        body,
        final_url: url.uri.to_string(),
        headers,
    })
}

/// Returns the reason of a failed connection. The usual reasons have translations.
fn describe_connection_failure(error: &ureq::Error) -> String {
    let text = error.to_string();
    let reason = match error {
        _ if text.contains("invalid peer certificate") => describe_certificate_failure(&text),
        ureq::Error::Io(cause) => match cause.kind() {
            ErrorKind::ConnectionRefused => "it refuses the connection",
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof => "it has closed the connection",
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "it cannot be reached",
            _ => return text,
        },
        _ => return text,
    };
    reason.to_owned()
}

/// Returns the reason why the certificate of a server is not accepted. `text` is the message of rustls.
fn describe_certificate_failure(text: &str) -> &'static str {
    let has = |word: &str| text.contains(word);
    if has("expired") || has("Expired") {
        "its certificate has expired"
    } else if has("not valid for name") || has("NotValidForName") {
        "its certificate belongs to another host"
    } else if has("UnknownIssuer") || has("CaUsedAsEndEntity") {
        "its certificate is not from a trusted authority"
    } else {
        "its certificate is not valid"
    }
}

/// Converts an error of the HTTP client. Leaves out the URL and the text of headers and bodies, because
/// they can contain secrets.
fn convert_error(error: ureq::Error) -> RemoteFailure {
    let fail = |text: &str| RemoteFailure::Failed(format!("the remote source failed: {text}"));
    match error {
        ureq::Error::Timeout(_) => RemoteFailure::Timeout,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
            RemoteFailure::Timeout
        }
        ureq::Error::Other(cause) => match cause.downcast::<RemoteFailure>() {
            Ok(failure) => *failure,
            Err(_) => fail("unknown error"),
        },
        ureq::Error::LargeResponseHeader(..) => fail("the response headers exceed 64 KiB"),
        ureq::Error::Http(_) => fail("a header of the request is invalid"),
        ureq::Error::Protocol(_) => fail("the response is not valid HTTP"),
        error @ (ureq::Error::Io(_)
        | ureq::Error::Tls(_)
        | ureq::Error::Rustls(_)
        | ureq::Error::Decompress(..)
        | ureq::Error::ConnectionFailed) => fail(&describe_connection_failure(&error)),
        _ => fail("unexpected error of the HTTP client"),
    }
}
