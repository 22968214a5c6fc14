//! SSRF protection: the addresses that the server may connect to on behalf of a user.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::net::UdpSocket;

use ipnet::IpNet;

use crate::config::Config;

/// First port that every user may use. The ports below belong to services such as mail, except those
/// in [`WEB_PORTS`].
const FIRST_FREE_PORT: u16 = 1024;

/// Default ports of `http` and `https`.
const WEB_PORTS: [u16; 2] = [80, 443];

/// Addresses at which clouds offer credentials or settings of the machine.
const METADATA_ADDRESSES: [IpAddr; 8] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    // Containers at AWS.
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    // Google, Alibaba, Azure. The last one is in a public network.
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

/// The set of addresses and ports that a request may reach.
#[derive(Debug, Clone)]
pub enum NetworkScope {
    /// All addresses and ports. Only for URLs that the operator sets.
    Any,
    /// The addresses and ports that the rules allow. For URLs of users and of remote servers.
    Restricted(NetworkRules),
}

/// Rules for the addresses and ports that users may reach. The default allows only the public
/// internet, so that users cannot reach the server's own network.
#[derive(Debug, Clone, Default)]
pub struct NetworkRules {
    /// Whether to allow private networks and this machine. Link-local addresses are not included.
    pub allows_private: bool,
    /// Additional networks. An entry that is a single address also allows it if it is a metadata
    /// service or the server itself.
    pub networks: Vec<IpNet>,
    /// Additional ports. 80, 443 and those from 1024 are always allowed.
    pub ports: Vec<u16>,
    /// Address at which this server listens, so that users cannot send requests in its name.
    pub own_address: Option<SocketAddr>,
}

impl NetworkRules {
    /// Returns the rules of the settings `remote_private`, `remote_networks`, `remote_ports` and
    /// `listen`.
    pub fn from_config(config: &Config) -> Self {
        Self {
            allows_private: config.remote_private,
            networks: config.remote_networks.clone(),
            ports: config.remote_ports.clone(),
            own_address: Some(config.listen),
        }
    }

    /// Returns whether a request may connect to `port`.
    fn allows_port(&self, port: u16) -> bool {
        port >= FIRST_FREE_PORT || WEB_PORTS.contains(&port) || self.ports.contains(&port)
    }

    /// Returns whether a request may connect to `address`, apart from its port. IPv4-mapped addresses
    /// are checked as IPv4 addresses.
    fn allows_address(&self, address: SocketAddr) -> bool {
        let ip = address.ip().to_canonical();
        let is_single = |network: &&IpNet| network.prefix_len() == network.max_prefix_len();
        if self.networks.iter().filter(is_single).any(|network| network.addr().to_canonical() == ip)
        {
            return true;
        }
        let embedded = embedded_v4(ip);
        // Connecting to an unspecified address reaches this machine.
        if ip.is_unspecified()
            || METADATA_ADDRESSES.contains(&embedded)
            || self.is_own(embedded, address.port())
        {
            return false;
        }
        is_public(ip)
            || (self.allows_private && is_private(ip))
            || self.networks.iter().any(|network| network.contains(&ip))
    }

    /// Returns whether this server listens at the address. If it listens at all addresses, these are
    /// the addresses to which this machine can bind a socket.
    fn is_own(&self, ip: IpAddr, port: u16) -> bool {
        self.own_address.is_some_and(|own| {
            let own_ip = own.ip().to_canonical();
            let is_local = || ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok();
            own.port() == port && (own_ip == ip || (own_ip.is_unspecified() && is_local()))
        })
    }
}

impl NetworkScope {
    /// Returns whether a request may connect to `port`.
    pub fn allows_port(&self, port: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Restricted(rules) => rules.allows_port(port),
        }
    }

    /// Returns whether a request may connect to `address`, apart from its port. An IPv6 address that
    /// embeds an IPv4 address is checked as that IPv4 address.
    pub fn allows_address(&self, address: SocketAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Restricted(rules) => rules.allows_address(address),
        }
    }

    /// Returns the reason for the user why `host` has no allowed address.
    pub fn describe_refusal(&self, host: &str) -> String {
        match self {
            Self::Restricted(rules) if rules.allows_private || !rules.networks.is_empty() => {
                format!("{host} is not at an address that the server may reach")
            }
            _ => format!("{host} is not on the public internet"),
        }
    }
}

/// Returns the IPv4 address that a NAT64 or 6to4 address embeds, otherwise `ip`.
fn embedded_v4(ip: IpAddr) -> IpAddr {
    let join = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::from([a, b, c, d])
    };
    let IpAddr::V6(v6) = ip else { return ip };
    match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => join(high, low),
        _ => ip,
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

    /// Returns whether rules allow the address with port 80.
    fn allows(rules: &NetworkRules, ip: &str) -> bool {
        let scope = NetworkScope::Restricted(rules.clone());
        scope.allows_address(SocketAddr::new(ip.parse().unwrap(), 80))
    }

    #[test]
    fn private_addresses_need_permission() {
        let rules = NetworkRules { allows_private: true, ..NetworkRules::default() };
        for ip in ["1.1.1.1", "127.0.0.1", "10.1.2.3", "100.64.0.1", "172.16.0.1", "::1"] {
            assert!(allows(&rules, ip), "{ip}");
        }
        for ip in ["192.168.1.1", "::ffff:127.0.0.1", "fd12::1", "2606:4700:4700::1111"] {
            assert!(allows(&rules, ip), "{ip}");
        }
        for ip in ["169.254.169.254", "0.0.0.0", "224.0.0.1", "::ffff:169.254.169.254", "::"] {
            assert!(!allows(&rules, ip), "{ip}");
        }
        for ip in ["fe80::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "255.255.255.255"] {
            assert!(!allows(&rules, ip), "{ip}");
        }
        assert!(!allows(&rules, "100.100.100.200"));
    }

    #[test]
    fn networks_are_allowed_in_addition() {
        let networks = ["10.1.0.0/16", "169.254.0.0/16", "fd00::/8", "0.0.0.0/8", "64:ff9b::/96"];
        let networks = networks.map(|network| network.parse().unwrap()).to_vec();
        let rules = NetworkRules { networks, ..NetworkRules::default() };
        for ip in ["1.1.1.1", "10.1.2.3", "::ffff:10.1.2.3", "169.254.1.1", "fd12::1"] {
            assert!(allows(&rules, ip), "{ip}");
        }
        for ip in ["10.2.0.1", "127.0.0.1", "169.254.169.254", "::ffff:169.254.169.254"] {
            assert!(!allows(&rules, ip), "{ip}");
        }
        for ip in ["fd00:ec2::254", "fd20:ce::254", "0.0.0.0", "64:ff9b::a9fe:a9fe", "::"] {
            assert!(!allows(&rules, ip), "{ip}");
        }
    }

    #[test]
    fn only_a_single_address_permits_metadata_services_and_this_server() {
        let networks = |networks: &[&str]| NetworkRules {
            allows_private: true,
            networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
            ports: Vec::new(),
            own_address: Some("127.0.0.1:80".parse().unwrap()),
        };
        let refusing = networks(&["169.254.169.254/31", "127.0.0.0/8", "fd00:ec2::/64", "::/0"]);
        let permitting = networks(&["169.254.169.254/32", "127.0.0.1/32", "fd00:ec2::254/128"]);
        for ip in ["169.254.169.254", "127.0.0.1", "::ffff:127.0.0.1", "fd00:ec2::254"] {
            assert!(!allows(&refusing, ip), "{ip}");
            assert!(allows(&permitting, ip), "{ip}");
        }
        assert!(allows(&refusing, "127.0.0.2"));
        let other_port = "127.0.0.1:81".parse().unwrap();
        assert!(NetworkScope::Restricted(refusing).allows_address(other_port));
    }

    #[test]
    fn a_server_at_all_addresses_is_found_at_each_address_of_the_machine() {
        for own in ["0.0.0.0:80", "[::]:80"] {
            let own_address = Some(own.parse().unwrap());
            let rules = NetworkRules { allows_private: true, own_address, ..Default::default() };
            for ip in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
                assert!(!allows(&rules, ip), "{own} {ip}");
            }
            // No machine has an address of the documentation.
            assert!(!rules.is_own("192.0.2.1".parse().unwrap(), 80));
        }
    }

    #[test]
    fn ports_of_other_services_are_refused() {
        let rules = NetworkRules { ports: vec![81, 591], ..NetworkRules::default() };
        for port in [80, 81, 443, 591, 1024, 8080, 65535] {
            assert!(rules.allows_port(port), "{port}");
        }
        for port in [0, 22, 25, 82, 444, 1023] {
            assert!(!rules.allows_port(port), "{port}");
        }
        assert!(NetworkScope::Any.allows_port(22));
    }

    #[test]
    fn special_purpose_addresses_are_not_public() {
        let check = |ip: &str, want| {
            assert_eq!(allows(&NetworkRules::default(), ip), want, "{ip}");
            let address = SocketAddr::new(ip.parse().unwrap(), 80);
            assert!(NetworkScope::Any.allows_address(address));
        };
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
        check("168.63.129.16", false);
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
