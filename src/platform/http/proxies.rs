//! Who is behind a proxy: what `X-Forwarded-For` says, as far as the proxies that say it are trusted.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::HeaderName;
use ipnet::IpNet;

static X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The client of a request that came from `peer`. Each proxy appends whom it was asked by, so the
/// list is read from its end for as long as the one that appended is trusted; what stands further
/// left could have been written by anybody.
pub fn client(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|it| it.contains(&address));
    if !is_trusted(peer) {
        return peer;
    }
    let lines: Vec<&str> =
        headers.get_all(&X_FORWARDED_FOR).iter().filter_map(|it| it.to_str().ok()).collect();
    let mut client = peer;
    for word in lines.iter().rev().flat_map(|it| it.rsplit(',')) {
        let Some(address) = address(word.trim()) else { return client };
        client = address;
        if !is_trusted(client) {
            return client;
        }
    }
    client
}

/// An address as proxies write it: bare, in brackets, or with a port.
fn address(word: &str) -> Option<IpAddr> {
    let bare = word.strip_prefix('[').and_then(|it| it.split_once(']')).map_or(word, |it| it.0);
    let parsed = bare.parse::<IpAddr>().ok();
    parsed.or_else(|| bare.rsplit_once(':')?.0.parse().ok()).map(|it| it.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn only_what_trusted_proxies_appended_counts() {
        let trusted: Vec<IpNet> =
            vec!["127.0.0.0/8".parse().unwrap(), "10.1.0.0/16".parse().unwrap()];
        let check = |peer: &str, lines: &[&'static str], want: &str| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(&X_FORWARDED_FOR, HeaderValue::from_static(line));
            }
            let found = client(&trusted, peer.parse().unwrap(), &headers);
            assert_eq!(found.to_string(), want, "{peer} {lines:?}");
        };
        check("127.0.0.1", &["203.0.113.7"], "203.0.113.7");
        check("127.0.0.1", &["198.51.100.1, 203.0.113.7"], "203.0.113.7");
        check("127.0.0.1", &["203.0.113.7, 10.1.2.3"], "203.0.113.7");
        check("127.0.0.1", &["198.51.100.1", "203.0.113.7", "10.1.2.3"], "203.0.113.7");
        check("::ffff:127.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1");
        check("127.0.0.1", &["203.0.113.7:55"], "203.0.113.7");
        check("127.0.0.1", &["nonsense"], "127.0.0.1");
        check("127.0.0.1", &["203.0.113.7, nonsense, 10.1.2.3"], "10.1.2.3");
        check("127.0.0.1", &[], "127.0.0.1");
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
    }
}
