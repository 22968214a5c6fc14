//! The address of a client behind trusted reverse proxies, taken from `X-Forwarded-For`.

use std::borrow::Cow;
use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::HeaderName;
use ipnet::IpNet;

static X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the address of the client of a request that arrived from `peer`: `peer` itself unless
/// that is in `trusted`.
///
/// Each proxy appends the address that its own request came from. So the list is read from its end,
/// up to the first address outside `trusted`, or to the leftmost one. The client could forge those
/// further left. An entry that is not an address ends the list. IPv4-mapped addresses become IPv4.
pub fn find_client_address(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    if !is_trusted(peer) {
        return peer;
    }
    // A line may contain bytes of the client before the entries of the proxies. Ignoring the whole
    // line would let a client hide its address.
    let lines: Vec<Cow<'_, str>> = headers
        .get_all(&X_FORWARDED_FOR)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    let mut client = peer;
    for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let Some(address) = parse_address(entry.trim()) else { return client };
        client = address;
        if !is_trusted(client) {
            return client;
        }
    }
    client
}

/// Parses an address as proxies write it: plain, in brackets, or with a port, which is ignored. An
/// IPv4-mapped address becomes IPv4. Returns None for other texts.
fn parse_address(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(entry, |(address, _)| address);
    let parsed = bare.parse::<IpAddr>().ok();
    parsed.or_else(|| bare.rsplit_once(':')?.0.parse().ok()).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn only_entries_of_trusted_proxies_are_used() {
        let trusted: Vec<IpNet> =
            vec!["127.0.0.0/8".parse().unwrap(), "10.1.0.0/16".parse().unwrap()];
        let check = |peer: &str, lines: &[&'static str], want: &str| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(&X_FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).unwrap());
            }
            let found = find_client_address(&trusted, peer.parse().unwrap(), &headers);
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
        check("127.0.0.1", &["ÿ, 203.0.113.7"], "203.0.113.7");
        check("127.0.0.1", &["203.0.113.7", "ÿ"], "127.0.0.1");
        check("127.0.0.1", &[], "127.0.0.1");
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
    }
}
