//! Which addresses a webhook may be sent to: the public internet, and what the operator allows in `config.toml`. It must
//! never be asked about a name: names are resolved first, and the address that was checked is the one connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// IPv4 networks that are not the public internet (IANA IPv4 Special-Purpose Address Registry, RFC 6890), with their
/// prefix lengths.
const RESERVED_V4: [(Ipv4Addr, u8); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    (Ipv4Addr::BROADCAST, 32),
];

/// IPv6 networks inside the global range `2000::/3` that are not the public internet, or carry an IPv4 address that could
/// be a private one (IANA IPv6 Special-Purpose Address Registry): protocol assignments with Teredo, documentation, 6to4.
const RESERVED_V6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether the operator names this address in `outbound_allow`.
pub fn is_allowed(address: IpAddr, allow: &[IpNet]) -> bool {
    let address = address.to_canonical();
    allow.iter().any(|network| network.contains(&address))
}

/// Whether this is an address of the public internet. Every other one, also of kinds that nobody has thought of yet, is
/// not: in IPv6 only `2000::/3` is (RFC 4291 §2.4), which leaves out loopback, link-local, unique local, multicast and
/// the translated ones (`64:ff9b::/96`).
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !RESERVED_V4
            .iter()
            .any(|(network, length)| same_prefix_v4(v4, *network, *length)),
        IpAddr::V6(v6) => {
            v6.segments()[0] & 0xe000 == 0x2000
                && !RESERVED_V6
                    .iter()
                    .any(|(network, length)| same_prefix_v6(v6, *network, *length))
        }
    }
}

fn same_prefix_v4(address: Ipv4Addr, network: Ipv4Addr, length: u8) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (32 - u32::from(length)) == 0
}

fn same_prefix_v6(address: Ipv6Addr, network: Ipv6Addr, length: u8) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (128 - u32::from(length)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_public_internet_is_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "4000::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_taken_up_to_its_edges() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00::1",
            "3ffe:ffff::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn what_the_operator_allows_counts_in_every_spelling_of_an_address() {
        let allow: Vec<IpNet> = vec!["127.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        for (address, allowed) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("fd00::7", true),
            ("::1", false),
            ("10.0.0.1", false),
            ("1.1.1.1", false),
        ] {
            assert_eq!(
                is_allowed(address.parse().unwrap(), &allow),
                allowed,
                "{address}"
            );
        }
    }
}
