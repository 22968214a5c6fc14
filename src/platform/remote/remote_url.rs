//! URLs of remote servers: checks, origins and the targets of redirects.
//!
//! The HTTP client connects to exactly the `Uri` that is checked here. No second parser exists that
//! could read another host from the same text.

use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

use hyper::Uri;
use percent_encoding::AsciiSet;
use percent_encoding::CONTROLS;
use percent_encoding::utf8_percent_encode;

use super::failure::RemoteFailure;

/// Maximum length of a host name (RFC 1035).
const MAX_HOST_BYTES: usize = 253;

/// ASCII characters that are invalid in URLs, but common in the redirects of servers.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A checked absolute `http` or `https` URL without user info and fragment.
#[derive(Debug, Clone)]
pub(super) struct RemoteUrl {
    pub uri: Uri,
    pub is_https: bool,
    /// Host in lower case. An IPv6 address has no brackets.
    pub host: String,
    /// Port in the URL, otherwise the default port of its scheme.
    pub port: u16,
}

impl RemoteUrl {
    /// Parses an absolute URL. Removes the fragment and encodes invalid characters in path and query,
    /// such as spaces and letters that are not ASCII.
    ///
    /// # Errors
    /// `InvalidUrl` if it is not a URL with `http` or `https`, contains user info, or has an invalid
    /// host or port.
    pub fn parse(text: &str) -> Result<Self, RemoteFailure> {
        let refuse = |message: &str| RemoteFailure::InvalidUrl(message.to_owned());
        let uri: Uri = encode(text)
            .parse()
            .map_err(|_| refuse("the URL is invalid; expected https://host/path"))?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(refuse("the URL must start with http:// or https://")),
        };
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if authority.contains('@') {
            return Err(refuse("the URL must not contain a user name or a password"));
        }
        let (host, port) = split_authority(authority)
            .ok_or_else(|| refuse("the host of the URL is not a valid name or IP address"))?;
        let default = if is_https { 443 } else { 80 };
        let port = match port {
            None | Some("") => default,
            Some(port) => {
                parse_port(port).ok_or_else(|| refuse("the port of the URL is invalid"))?
            }
        };
        Ok(Self { is_https, host, port, uri })
    }

    /// Returns the target of a redirect from this URL. `location` is absolute or relative to this URL.
    ///
    /// # Errors
    /// `InvalidUrl` if the target is invalid as in [`RemoteUrl::parse`], or leads from `https` to
    /// `http`.
    pub fn redirect_to(&self, location: &[u8]) -> Result<Self, RemoteFailure> {
        let location = String::from_utf8_lossy(location);
        let location = location.trim().split('#').next().unwrap_or_default();
        let origin = || {
            let scheme = self.uri.scheme_str().unwrap_or_default();
            let authority = self.uri.authority().map_or("", |authority| authority.as_str());
            format!("{scheme}://{authority}")
        };
        let directory = self.uri.path().rsplit_once('/').map_or("", |(directory, _)| directory);
        let absolute = match location {
            "" => self.uri.to_string(),
            _ if has_scheme(location) => location.to_owned(),
            _ if location.starts_with("//") => {
                format!("{}:{location}", self.uri.scheme_str().unwrap_or_default())
            }
            _ if location.starts_with('/') => {
                format!("{}{}", origin(), remove_dot_segments(location))
            }
            _ if location.starts_with('?') => format!("{}{}{location}", origin(), self.uri.path()),
            _ => {
                let path = format!("{directory}/{location}");
                format!("{}{}", origin(), remove_dot_segments(&path))
            }
        };
        let target = Self::parse(&absolute)?;
        if self.is_https && !target.is_https {
            let text = "the server redirects from https to http";
            return Err(RemoteFailure::InvalidUrl(text.to_owned()));
        }
        Ok(target)
    }

    /// Returns whether both URLs have the same scheme, host and port.
    pub fn has_same_origin(&self, other: &Self) -> bool {
        self.is_https == other.is_https && self.host == other.host && self.port == other.port
    }
}

/// Returns the text without its fragment, with invalid characters percent-encoded. An encoded
/// character in the host makes the URL invalid.
fn encode(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Parses a port other than 0. Accepts only digits, although numbers in Rust may have a sign.
fn parse_port(text: &str) -> Option<u16> {
    let is_number = text.chars().all(|char| char.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port != 0)
}

/// Returns whether the text starts with a scheme and a colon (RFC 3986, section 3.1).
fn has_scheme(text: &str) -> bool {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
}

/// Splits an authority without user info into host and port. Returns None for an invalid host.
///
/// Numbers such as `2130706433`, `0177.0.0.1` or `0x7f.1` are invalid. Some programs read them as IPv4
/// addresses, and others look them up as names.
fn split_authority(authority: &str) -> Option<(String, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) };
        return host.parse::<Ipv6Addr>().ok().map(|ip| (ip.to_string(), port));
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_name = !name.is_empty()
        && name.len() <= MAX_HOST_BYTES
        && name.split('.').all(|label| !label.is_empty())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char));
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_number = last.chars().all(|char| char.is_ascii_digit()) || last.starts_with("0x");
    let is_valid = is_name && (!is_number || host.parse::<Ipv4Addr>().is_ok());
    is_valid.then(|| (host.to_ascii_lowercase(), port))
}

/// Removes the segments `.` and `..` from an absolute path, and keeps its query (RFC 3986, section
/// 5.2.4).
fn remove_dot_segments(path_and_query: &str) -> String {
    let (path, query) = match path_and_query.find('?') {
        Some(start) => path_and_query.split_at(start),
        None => (path_and_query, ""),
    };
    let mut segments: Vec<&str> = Vec::new();
    let mut input = path.split('/').skip(1).peekable();
    while let Some(segment) = input.next() {
        if !matches!(segment, "." | "..") {
            segments.push(segment);
            continue;
        }
        if segment == ".." {
            segments.pop();
        }
        // A path that ends with a dot segment names a directory.
        if input.peek().is_none() {
            segments.push("");
        }
    }
    format!("/{}{query}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_split_into_host_and_port() {
        let check = |text: &str, want: (&str, u16)| {
            let url = RemoteUrl::parse(text).unwrap();
            assert_eq!((url.host.as_str(), url.port), want, "{text}");
        };
        check("http://A.example/x", ("a.example", 80));
        check("HTTPS://a.example:/x#y", ("a.example", 443));
        check("https://a.example.:8443?x", ("a.example.", 8443));
        check("http://127.0.0.1", ("127.0.0.1", 80));
        check("http://[::FFFF:127.0.0.1]:81/", ("::ffff:127.0.0.1", 81));
        check("https://a.example/é x?<ü>", ("a.example", 443));
    }

    #[test]
    fn other_urls_are_refused() {
        for text in [
            "",
            "/a",
            "a.example",
            "//a.example/",
            "file:///etc/passwd",
            "ftp://a.example/",
            "gopher://a.example/",
            "http:/a.example",
            "http://",
            "http://a b/",
            "http://a.example\r\nX: y/",
            "http://ann@a.example/",
            "http://ann:pass@a.example/",
            "http://a.example\\@b.example/",
            "http://a.example:0/",
            "http://a.example:65536/",
            "http://a.example:80:90/",
            "http://a.example:+80/",
            "http://a..example/",
            "http://.example/",
            "http://bücher.example/",
            "http://a%2eexample/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://127.0.0.0x1/",
            "http://[127.0.0.1]/",
            "http://[::1%25lo]/",
            "http://[::1]x/",
        ] {
            let failure = RemoteUrl::parse(text).err();
            assert!(matches!(failure, Some(RemoteFailure::InvalidUrl(_))), "{text}: {failure:?}");
        }
    }

    #[test]
    fn the_target_of_a_redirect_is_relative_to_the_url() {
        let check = |location: &str, want: &str| {
            let base = RemoteUrl::parse("http://a.example:81/b/c;p?q").unwrap();
            let target = base.redirect_to(location.as_bytes()).unwrap();
            assert_eq!(target.uri.to_string(), want, "{location}");
        };
        check("https://b.example/x#y", "https://b.example/x");
        check("//b.example/x", "http://b.example/x");
        check("/x/../y/./z?../", "http://a.example:81/y/z?../");
        check("x", "http://a.example:81/b/x");
        check("../x/", "http://a.example:81/x/");
        check("../../../x", "http://a.example:81/x");
        check("..", "http://a.example:81/");
        check("./x:y", "http://a.example:81/b/x:y");
        check("?x", "http://a.example:81/b/c;p?x");
        check("", "http://a.example:81/b/c;p?q");
        check("/ü", "http://a.example:81/%C3%BC");
    }

    #[test]
    fn a_redirect_keeps_encryption_and_has_no_user_info() {
        let check = |from: &str, location: &str| {
            let base = RemoteUrl::parse(from).unwrap();
            let failure = base.redirect_to(location.as_bytes()).err();
            assert!(matches!(failure, Some(RemoteFailure::InvalidUrl(_))), "{from} {location}");
        };
        check("https://a.example/", "http://a.example/");
        check("https://a.example/", "HTTP://b.example/");
        check("http://a.example/", "http://ann:pass@a.example/");
        check("http://a.example/", "//ann@a.example/");
        check("http://a.example/", "file:///etc/passwd");
        check("http://a.example/", "javascript:alert(1)");
        check("http://a.example/", "http://2130706433/");
    }
}
