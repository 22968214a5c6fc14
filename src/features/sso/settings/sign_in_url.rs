//! Rules about the URL of an identity provider to which browsers are sent.

use hyper::Uri;

/// Maximum number of characters of a sign-in URL.
const MAX_URL_CHARS: usize = 2048;

/// Returns why a text is not an http or https URL of an identity provider, or None. `base_url` is the URL
/// of this server.
pub(super) fn find_problem(text: &str, base_url: &str) -> Option<String> {
    if text.len() > MAX_URL_CHARS {
        return Some(format!("must have at most {MAX_URL_CHARS} characters"));
    }
    find_syntax_problem(text, base_url).map(str::to_owned)
}

/// Returns the first rule that a text of valid length breaks, or None.
fn find_syntax_problem(text: &str, base_url: &str) -> Option<&'static str> {
    let Some((_, rest)) = split_scheme(text) else {
        return Some("must be a URL that starts with https:// or http://");
    };
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Some("must not contain white space or control characters");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("must not contain a user name or a password");
    }
    if !authority.is_ascii() {
        return Some(
            "must have the name of the host in ASCII (punycode), such as xn--mnchen-3ya.example",
        );
    }
    if text.contains('#') {
        return Some("must not have a fragment, the part after #");
    }
    if !text.is_ascii() {
        return Some("must have characters outside ASCII percent-encoded");
    }
    if !has_valid_port(authority) {
        return Some("must have a port from 1 to 65535");
    }
    let is_valid =
        text.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()));
    if !is_valid {
        return Some("must be a URL with a valid host and path");
    }
    (find_origin(text) == find_origin(base_url) && leads_to_sign_in(&rest[authority.len()..]))
        .then_some("must be an address of the identity provider, not of this server")
}

/// Returns whether the part of a URL after host and port leads to the sign-in of this server. A proxy may
/// have an identity provider below another path of the same host.
fn leads_to_sign_in(rest: &str) -> bool {
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    ["", "/", "/sign-in", "/sso"].contains(&path) || path.starts_with("/sso/")
}

/// Splits a URL after its scheme, which must be http or https in any case. Returns the default port of
/// the scheme and the rest.
fn split_scheme(url: &str) -> Option<(&'static str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some(("80", rest)),
        "https" => Some(("443", rest)),
        _ => None,
    }
}

/// Splits host and port. The host of an IPv6 address has brackets and colons.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// Returns whether an authority has no port, or one from 1 to 65535.
fn has_valid_port(authority: &str) -> bool {
    let is_valid = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    split_port(authority).1.is_none_or(is_valid)
}

/// Returns host in lower case, port and default port, which stands for the scheme.
fn find_origin(url: &str) -> Option<(String, u16, &'static str)> {
    let (default_port, rest) = split_scheme(url)?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = split_port(authority);
    // A name with a dot at its end is the same host.
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    Some((host, port.unwrap_or(default_port).parse().ok()?, default_port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_url_is_a_web_address() {
        let check = |text: &str, want: bool| {
            let problem = find_problem(text, "https://charts.example");
            assert_eq!(problem.is_none(), want, "{text}: {problem:?}");
        };
        check("https://idp.example/sso?tenant=1&x=%20", true);
        check("http://127.0.0.1:8080/", true);
        check("https://[2001:db8::1]/sso", true);
        check("https://[2001:db8::1]:65535/sso", true);
        check("HTTPS://idp.example", true);
        check("https://idp.example?a=b:c@d", true);
        check("https://user@idp.example/", false);
        check("https://idp.example/#top", false);
        check("https://idp.example/a b", false);
        check("https://idp.example/\r\nx", false);
        check("javascript:alert(1)", false);
        check("ftp://idp.example/", false);
        check("//idp.example/", false);
        check("/sso", false);
        check("https://", false);
        check("https:///sso", false);
        check("https://:8080/", false);
        check("https://idp.example:/", false);
        check("https://idp.example:+80/", false);
        check("https://idp.example:65536/", false);
        check("https://idp.example/\u{e9}", false);
        check("https://\u{e9}.example/", false);
        check("", false);
        check(&format!("https://idp.example/{}", "a".repeat(MAX_URL_CHARS)), false);
    }

    #[test]
    fn sign_in_url_is_not_on_this_server() {
        let check = |text: &str, base_url: &str, want: bool| {
            assert_eq!(find_problem(text, base_url).is_none(), want, "{text} on {base_url}");
        };
        let base_url = "https://charts.example";
        check("https://charts.example", base_url, false);
        check("https://Charts.Example:443/sso", base_url, false);
        check("HTTPS://charts.example./sso?x", base_url, false);
        check("http://charts.example/sso", base_url, true);
        check("http://charts.example:443/sso", base_url, true);
        check("https://charts.example:8443/sso", base_url, true);
        check("https://idp.charts.example/sso", base_url, true);
        check("https://charts.example/sign-in?password", base_url, false);
        check("https://charts.example/keycloak/realms/a/protocol/saml", base_url, true);
        check("http://[::1]:8080/sso", "http://[::1]:8080", false);
        check("http://[::1]:8081/sso", "http://[::1]:8080", true);
        check("http://[::1]/sso", "http://[::1]:80", false);
    }
}
