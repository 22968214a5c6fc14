//! SSRF protection: the addresses that the server may connect to on behalf of a user.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

/// The set of addresses that a request may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkScope {
    /// All addresses.
    Any,
    /// Addresses of the public internet, of private networks and of this machine, but not link-local
    /// ones, at which clouds offer credentials of the machine.
    Private,
    /// Only addresses of the public internet, so that users cannot reach the server's own network.
    Public,
}

impl NetworkScope {
    /// Returns whether a request may connect to `ip`. The scope `Public` checks an IPv6 address
    /// that embeds an IPv4 address as that IPv4 address.
    pub fn allows(self, ip: IpAddr) -> bool {
        match (self, ip) {
            (Self::Any, _) => true,
            (Self::Private, ip) => is_public(ip) || is_private(ip),
            (Self::Public, ip) => is_public(ip),
        }
    }
}

/// Returns whether the address is on the public internet.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// Returns whether the address is this machine or for private use: RFC 1918, RFC 6598 and RFC 4193. The
/// address of the metadata service in a cloud's network (fd00:ec2::254) is not.
fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            ip.is_loopback() || ip.is_private() || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(ip) => {
            let is_metadata = ip.segments()[..2] == [0xfd00, 0xec2];
            ip.is_loopback() || (ip.segments()[0] & 0xfe00 == 0xfc00 && !is_metadata)
        }
    }
}

/// Returns whether the address is on the public internet. Returns false for multicast, reserved and
/// special-purpose addresses (RFC 6890 and its updates), such as private networks and loopback.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = match (a, b, c) {
        // "This network", private use, loopback.
        (0 | 10 | 127, _, _) => true,
        // Shared address space of carriers (RFC 6598).
        (100, 64..=127, _) => true,
        (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Protocol assignments, documentation, 6to4 relays.
        (192, 0, 0 | 2) | (192, 88, 99) => true,
        // Benchmarks, documentation.
        (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) => true,
        // Multicast, reserved, broadcast.
        (224..=255, _, _) => true,
        _ => false,
    };
    !special
}

/// Returns whether the address is on the public internet: a global unicast address (2000::/3),
/// except protocol assignments and documentation. An IPv4-mapped, NAT64 or 6to4 address is checked
/// as the IPv4 address in it.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Mapped (::ffff:0:0/96) and translated by NAT64 (64:ff9b::/96).
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            embedded(high, low)
        }
        // 6to4.
        [0x2002, high, low, ..] => embedded(high, low),
        // Protocol assignments (Teredo, benchmarks, ORCHID) and documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // IANA has assigned global unicast addresses only in 2000::/3.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_purpose_addresses_are_not_public() {
        let check = |ip: &str, want| {
            let ip: IpAddr = ip.parse().unwrap();
            assert_eq!(NetworkScope::Public.allows(ip), want, "{ip}");
            assert!(NetworkScope::Any.allows(ip));
        };
        let check_private = |ip: &str, want| {
            let ip: IpAddr = ip.parse().unwrap();
            assert_eq!(NetworkScope::Private.allows(ip), want, "{ip}");
        };
        for ip in ["1.1.1.1", "127.0.0.1", "10.1.2.3", "100.64.0.1", "172.16.0.1", "::1"] {
            check_private(ip, true);
        }
        for ip in ["192.168.1.1", "::ffff:127.0.0.1", "fd12::1", "2606:4700:4700::1111"] {
            check_private(ip, true);
        }
        for ip in ["169.254.169.254", "0.0.0.0", "224.0.0.1", "::ffff:169.254.169.254", "::"] {
            check_private(ip, false);
        }
        for ip in ["fe80::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "255.255.255.255"] {
            check_private(ip, false);
        }
        check("1.1.1.1", true);
        check("100.63.255.255", true);
        check("172.32.0.1", true);
        check("192.0.1.1", true);
        check("2606:4700:4700::1111", true);
        check("2001:4860:4860::8888", true);
        check("::ffff:1.1.1.1", true);
        check("64:ff9b::1.1.1.1", true);

        check("0.0.0.0", false);
        check("127.0.0.1", false);
        check("10.1.2.3", false);
        check("100.64.0.1", false);
        check("169.254.169.254", false);
        check("172.16.0.1", false);
        check("192.168.1.1", false);
        check("198.18.0.1", false);
        check("224.0.0.1", false);
        check("255.255.255.255", false);
        check("::", false);
        check("::1", false);
        check("::ffff:127.0.0.1", false);
        check("::127.0.0.1", false);
        check("64:ff9b::10.0.0.1", false);
        check("2002:7f00:1::", false);
        check("2001::1", false);
        check("2001:db8::1", false);
        check("fc00::1", false);
        check("fe80::1", false);
        check("ff02::1", false);
    }
}
