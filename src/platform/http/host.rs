//! Check of the header `Host` (RFC 9112, 3.2).
//!
//! A proxy and this server could otherwise read different hosts from the same request.

use hyper::Version;
use hyper::header::HOST;
use hyper::http::request::Parts;

use crate::error::Error;
use crate::error::Result;

/// Checks that a request names its host exactly once.
///
/// In HTTP/1.0 the header is optional. In HTTP/2 the pseudo-header `:authority` may replace it.
///
/// # Errors
/// `Invalid` if the host is missing or the header `Host` occurs twice.
pub fn check_host(request: &Parts) -> Result<()> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let is_optional = match request.version {
        Version::HTTP_09 | Version::HTTP_10 => true,
        Version::HTTP_2 => request.uri.authority().is_some(),
        _ => false,
    };
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => Err(Error::Invalid("the header Host must occur only once".to_owned())),
        (None, None) if !is_optional => {
            Err(Error::Invalid("the header Host is required".to_owned()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_occurs_exactly_once() {
        let is_valid = |version: Version, uri: &str, hosts: &[&str]| {
            let mut request = hyper::Request::builder().version(version).uri(uri);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            check_host(&request.body(()).unwrap().into_parts().0).is_ok()
        };
        let (relative, absolute) = ("/x", "http://example.org/x");
        assert!(is_valid(Version::HTTP_11, relative, &["example.org"]));
        assert!(!is_valid(Version::HTTP_11, relative, &[]));
        assert!(!is_valid(Version::HTTP_11, absolute, &[]));
        assert!(!is_valid(Version::HTTP_11, relative, &["example.org", "example.org"]));
        assert!(is_valid(Version::HTTP_10, relative, &[]));
        assert!(!is_valid(Version::HTTP_10, relative, &["a", "b"]));
        assert!(is_valid(Version::HTTP_2, absolute, &[]));
        assert!(is_valid(Version::HTTP_2, absolute, &["example.org"]));
        assert!(!is_valid(Version::HTTP_2, relative, &[]));
        assert!(!is_valid(Version::HTTP_2, absolute, &["a", "b"]));
    }
}
