//! The cookies of one request with its redirects.
//!
//! Each cookie goes only to the host and port that set it. `Domain` is ignored, so that the public
//! suffix list is not needed. `Path` is ignored, because paths of one host do not protect from each
//! other.

use hyper::HeaderMap;
use hyper::header::SET_COOKIE;

use super::remote_url::RemoteUrl;

/// Maximum number of cookies. Further ones are ignored.
const MAX_COOKIES: usize = 50;

/// Maximum size of a cookie with its name in bytes. Larger ones are ignored (RFC 6265, section 6.1).
const MAX_COOKIE_BYTES: usize = 4096;

/// The cookies that servers set during one request.
#[derive(Default)]
pub(super) struct CookieJar(Vec<Cookie>);

/// A cookie and the server that set it.
struct Cookie {
    host: String,
    port: u16,
    /// Whether to send the cookie only with `https`.
    is_secure: bool,
    name: String,
    value: String,
}

impl CookieJar {
    /// Stores the cookies of a response from `url`. A cookie with an empty value or without lifetime
    /// deletes the stored one. `Expires` is ignored, because a request takes only seconds.
    pub fn store(&mut self, url: &RemoteUrl, headers: &HeaderMap) {
        for header in headers.get_all(SET_COOKIE) {
            let Some(cookie) = header.to_str().ok().and_then(|text| parse_cookie(url, text)) else {
                continue;
            };
            let is_same = |other: &Cookie| {
                (&other.host, other.port, &other.name) == (&cookie.host, cookie.port, &cookie.name)
            };
            self.0.retain(|other| !is_same(other));
            if !cookie.value.is_empty() && self.0.len() < MAX_COOKIES {
                self.0.push(cookie);
            }
        }
    }

    /// Returns the value of the `Cookie` header of a request to `url`. None if there are no cookies.
    pub fn header(&self, url: &RemoteUrl) -> Option<String> {
        let matching = self.0.iter().filter(|cookie| {
            cookie.host == url.host
                && cookie.port == url.port
                && (url.is_https || !cookie.is_secure)
        });
        let pairs: Vec<String> =
            matching.map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

/// Parses a `Set-Cookie` header. The value is empty if the header deletes the cookie. Returns None if
/// the header is invalid or too large.
fn parse_cookie(url: &RemoteUrl, text: &str) -> Option<Cookie> {
    let mut parts = text.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || name.len() + value.len() > MAX_COOKIE_BYTES {
        return None;
    }
    let mut cookie = Cookie {
        host: url.host.clone(),
        port: url.port,
        is_secure: false,
        name: name.to_owned(),
        value: value.to_owned(),
    };
    for attribute in parts {
        let (key, setting) = attribute.split_once('=').unwrap_or((attribute, ""));
        if key.eq_ignore_ascii_case("secure") {
            cookie.is_secure = true;
        }
        let is_over = setting.trim().parse::<i64>().is_ok_and(|seconds| seconds <= 0);
        if key.trim().eq_ignore_ascii_case("max-age") && is_over {
            cookie.value.clear();
        }
    }
    Some(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a jar with the cookies that `https://a.example/` set in this order.
    fn jar(cookies: &[&str]) -> CookieJar {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(SET_COOKIE, cookie.parse().unwrap());
        }
        let mut jar = CookieJar::default();
        jar.store(&RemoteUrl::parse("https://a.example/").unwrap(), &headers);
        jar
    }

    #[test]
    fn cookies_return_only_to_their_host_and_port() {
        let jar = jar(&["a=1; Domain=example; Path=/x", "b = 2=3 ;secure", "=4", "c"]);
        let check = |url: &str, want: Option<&str>| {
            assert_eq!(jar.header(&RemoteUrl::parse(url).unwrap()).as_deref(), want, "{url}");
        };
        check("https://a.example/y", Some("a=1; b=2=3"));
        check("http://a.example:443/", Some("a=1"));
        check("https://a.example:8443/", None);
        check("https://b.a.example/", None);
        check("https://example/", None);
    }

    #[test]
    fn cookies_are_replaced_deleted_and_limited() {
        let check = |cookies: &[&str], want: Option<&str>| {
            let url = RemoteUrl::parse("https://a.example/").unwrap();
            assert_eq!(jar(cookies).header(&url).as_deref(), want, "{cookies:?}");
        };
        check(&["a=1", "a=2"], Some("a=2"));
        check(&["a=1", "a="], None);
        check(&["a=1", "a=2; Max-Age=0"], None);
        check(&["a=1; max-age=60"], Some("a=1"));
        check(&[&format!("a={}", "x".repeat(4096))], None);
        let many: Vec<String> = (0..60).map(|index| format!("a{index}=1")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let url = RemoteUrl::parse("https://a.example/").unwrap();
        assert_eq!(jar(&many).header(&url).unwrap().matches("=1").count(), MAX_COOKIES);
    }
}
