//! Addresses that identify clients and sites.

use std::net::IpAddr;
use std::net::Ipv6Addr;

/// Returns the address that identifies a client: the whole IPv4 address (also for an IPv4-mapped
/// one), or the IPv6 address with all but its first 64 bits set to zero.
pub fn find_client_network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

/// Returns the address that identifies a site: as [`find_client_network`], but only the first 48 bits of an
/// IPv6 address. Providers may assign so many networks of 64 bits to one customer (RFC 6177).
pub fn find_client_site(ip: IpAddr) -> IpAddr {
    match find_client_network(ip) {
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_many_networks() {
        let site = |text: &str| find_client_site(text.parse().unwrap()).to_string();
        assert_eq!(site("2001:db8:1:2::3"), "2001:db8:1::");
        assert_eq!(site("2001:db8:1:ffff::1"), "2001:db8:1::");
        assert_eq!(site("2001:db8:2:2::3"), "2001:db8:2::");
        assert_eq!(site("192.0.2.7"), "192.0.2.7");
        assert_eq!(site("::ffff:192.0.2.7"), "192.0.2.7");
    }
}
