//! Where webhooks may go: loopback always, networks that were given, and never where machines keep
//! what is theirs alone. Pure: looks up no name and opens no connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Never a target of IPv4, whatever was given: "this network", link-local with the clouds'
/// metadata, metadata elsewhere, multicast, broadcast.
const NEVER_V4: [Ipv4Net; 7] = [
    Ipv4Net::new_assert(Ipv4Addr::new(0, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(100, 100, 100, 200), 32),
    Ipv4Net::new_assert(Ipv4Addr::new(168, 63, 129, 16), 32),
    Ipv4Net::new_assert(Ipv4Addr::new(169, 254, 0, 0), 16),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 0, 0, 192), 32),
    Ipv4Net::new_assert(Ipv4Addr::new(224, 0, 0, 0), 4),
    Ipv4Net::new_assert(Ipv4Addr::new(255, 255, 255, 255), 32),
];

/// Never a target of IPv6: unspecified, link-local, multicast, metadata.
const NEVER_V6: [Ipv6Net; 5] = [
    Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128),
    Ipv6Net::new_assert(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    Ipv6Net::new_assert(Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
    Ipv6Net::new_assert(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128),
    Ipv6Net::new_assert(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), 128),
];

/// Prefixes under which an IPv6 address carries an IPv4 address, and after how many bytes: old
/// "compatible" addresses, NAT64, 6to4.
const CARRIERS: [(Ipv6Net, usize); 3] = [
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 96), 12),
    (
        Ipv6Net::new_assert(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
        12,
    ),
    (
        Ipv6Net::new_assert(Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
        2,
    ),
];

/// Where webhooks may go.
#[derive(Debug, Clone)]
pub struct TargetPolicy {
    networks: Arc<[IpNet]>,
}

/// Why no webhook goes to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TargetRejection {
    /// Whatever networks were given.
    #[error("refused by policy: {0} is never a webhook target")]
    Never(IpAddr),
    /// It is in no network that was given.
    #[error(
        "refused by policy: {0} is not loopback; `--webhook-target {net}` allows it",
        net = IpNet::from(*.0)
    )]
    NotGiven(IpAddr),
}

impl TargetPolicy {
    /// Nothing but this machine.
    #[must_use]
    pub fn loopback_only() -> Self {
        TargetPolicy::with(Vec::new())
    }

    /// This machine and these networks.
    #[must_use]
    pub fn with(networks: Vec<IpNet>) -> Self {
        TargetPolicy {
            networks: networks.into_iter().map(canonical).collect(),
        }
    }

    /// Whether webhooks may go to an address.
    ///
    /// # Errors
    /// Why they may not.
    pub fn allows(&self, address: IpAddr) -> Result<(), TargetRejection> {
        let address = address.to_canonical();
        if address.is_loopback() {
            Ok(())
        } else if never(address) {
            Err(TargetRejection::Never(address))
        } else if self.networks.iter().any(|net| net.contains(&address)) {
            Ok(())
        } else {
            Err(TargetRejection::NotGiven(address))
        }
    }

    /// The allowed ones of a name's addresses, in their order.
    ///
    /// # Errors
    /// Where there are addresses and none is allowed: why the lowest is not, so that the reason
    /// does not depend on the order in which a name server lists them.
    pub(super) fn filter(&self, addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, TargetRejection> {
        let lowest = addresses.iter().min().copied();
        let allowed: Vec<IpAddr> = addresses
            .into_iter()
            .filter(|&address| self.allows(address).is_ok())
            .collect();
        match lowest {
            Some(lowest) if allowed.is_empty() => self.allows(lowest).map(|()| allowed),
            _ => Ok(allowed),
        }
    }
}

fn never(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => never_v4(address),
        IpAddr::V6(address) => {
            NEVER_V6.iter().any(|net| net.contains(&address))
                || carried(address).is_some_and(never_v4)
        }
    }
}

fn never_v4(address: Ipv4Addr) -> bool {
    NEVER_V4.iter().any(|net| net.contains(&address))
}

/// The IPv4 address that a gateway would make of an IPv6 address.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (_, at) = CARRIERS.iter().find(|(net, _)| net.contains(&address))?;
    let octets = address.octets();
    let four: [u8; 4] = octets.get(*at..at + 4)?.try_into().ok()?;
    Some(Ipv4Addr::from(four))
}

/// A network of IPv4-mapped addresses as the IPv4 network it is; addresses are compared so.
fn canonical(net: IpNet) -> IpNet {
    let IpNet::V6(six) = net else { return net };
    let mapped = six.addr().to_ipv4_mapped();
    let prefix_len = six.prefix_len().checked_sub(96);
    match mapped
        .zip(prefix_len)
        .map(|(v4, len)| Ipv4Net::new(v4, len))
    {
        Some(Ok(four)) => IpNet::V4(four),
        _ => net,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(networks: &[&str]) -> TargetPolicy {
        let networks = networks.iter().map(|net| net.parse().expect("a network"));
        TargetPolicy::with(networks.collect())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn decision(targets: &TargetPolicy, address: IpAddr) -> &'static str {
        match targets.allows(address) {
            Ok(()) => "allowed",
            Err(TargetRejection::Never(_)) => "never",
            Err(TargetRejection::NotGiven(_)) => "not given",
        }
    }

    /// The addresses on both sides of each border, with what becomes of them when no network was
    /// given and when all were.
    const BORDERS: [(&str, &str, &str); 54] = [
        ("126.255.255.255", "not given", "allowed"),
        ("127.0.0.0", "allowed", "allowed"),
        ("127.0.0.1", "allowed", "allowed"),
        ("127.255.255.255", "allowed", "allowed"),
        ("128.0.0.0", "not given", "allowed"),
        ("0.0.0.0", "never", "never"),
        ("0.255.255.255", "never", "never"),
        ("1.0.0.0", "not given", "allowed"),
        ("10.0.0.7", "not given", "allowed"),
        ("172.16.0.1", "not given", "allowed"),
        ("192.168.1.1", "not given", "allowed"),
        ("100.100.100.199", "not given", "allowed"),
        ("100.100.100.200", "never", "never"),
        ("100.100.100.201", "not given", "allowed"),
        ("168.63.129.15", "not given", "allowed"),
        ("168.63.129.16", "never", "never"),
        ("168.63.129.17", "not given", "allowed"),
        ("169.253.255.255", "not given", "allowed"),
        ("169.254.0.0", "never", "never"),
        ("169.254.169.254", "never", "never"),
        ("169.254.255.255", "never", "never"),
        ("169.255.0.0", "not given", "allowed"),
        ("192.0.0.191", "not given", "allowed"),
        ("192.0.0.192", "never", "never"),
        ("192.0.0.193", "not given", "allowed"),
        ("223.255.255.255", "not given", "allowed"),
        ("224.0.0.0", "never", "never"),
        ("239.255.255.255", "never", "never"),
        ("240.0.0.0", "not given", "allowed"),
        ("255.255.255.254", "not given", "allowed"),
        ("255.255.255.255", "never", "never"),
        ("::", "never", "never"),
        ("::1", "allowed", "allowed"),
        ("::1:0:0:2", "not given", "allowed"),
        ("::ffff:127.0.0.1", "allowed", "allowed"),
        ("::ffff:128.0.0.1", "not given", "allowed"),
        ("::ffff:169.254.169.254", "never", "never"),
        ("::169.254.169.254", "never", "never"),
        ("64:ff9b::8.8.8.8", "not given", "allowed"),
        ("64:ff9b::169.254.169.254", "never", "never"),
        ("2002:0808:0808::", "not given", "allowed"),
        ("2002:a9fe:a9fe::1", "never", "never"),
        ("fd00:ec2::253", "not given", "allowed"),
        ("fd00:ec2::254", "never", "never"),
        ("fd00:ec2::255", "not given", "allowed"),
        ("fd20:ce::253", "not given", "allowed"),
        ("fd20:ce::254", "never", "never"),
        ("fd20:ce::255", "not given", "allowed"),
        ("fe7f:ffff::", "not given", "allowed"),
        ("fe80::1", "never", "never"),
        ("febf:ffff::1", "never", "never"),
        ("fec0::", "not given", "allowed"),
        ("feff:ffff::", "not given", "allowed"),
        ("ff02::1", "never", "never"),
    ];

    #[test]
    fn each_address_is_ruled_by_its_range() {
        let (none, all) = (TargetPolicy::loopback_only(), with(&["0.0.0.0/0", "::/0"]));
        for (text, alone, given) in BORDERS {
            let address = address(text);
            assert_eq!(
                (decision(&none, address), decision(&all, address)),
                (alone, given),
                "{text}"
            );
        }
    }

    #[test]
    fn a_network_allows_its_own_addresses_and_no_others() {
        let given = with(&["10.1.0.0/16", "fd12::/16", "::ffff:172.16.0.0/108"]);
        for (text, outcome) in [
            ("10.0.255.255", "not given"),
            ("10.1.0.0", "allowed"),
            ("10.1.255.255", "allowed"),
            ("::ffff:10.1.0.1", "allowed"),
            ("10.2.0.0", "not given"),
            ("fd11:ffff::1", "not given"),
            ("fd12::1", "allowed"),
            ("fd13::", "not given"),
            ("172.15.255.255", "not given"),
            ("172.16.0.1", "allowed"),
            ("172.31.255.255", "allowed"),
            ("172.32.0.0", "not given"),
        ] {
            assert_eq!(decision(&given, address(text)), outcome, "{text}");
        }
    }

    #[test]
    fn a_network_of_targets_that_are_never_allowed_changes_nothing() {
        let given = with(&["169.254.169.254/32", "fe80::/10"]);
        assert_eq!(decision(&given, address("169.254.169.254")), "never");
        assert_eq!(decision(&given, address("fe80::1")), "never");
    }

    #[test]
    fn of_a_names_addresses_only_the_allowed_ones_remain() {
        let found = |texts: &[&str]| texts.iter().copied().map(address).collect::<Vec<_>>();
        let targets = TargetPolicy::loopback_only();
        let mixed = found(&["169.254.169.254", "::1", "10.0.0.7", "127.0.0.1"]);
        assert_eq!(targets.filter(mixed), Ok(found(&["::1", "127.0.0.1"])));
        assert_eq!(targets.filter(Vec::new()), Ok(Vec::new()));
        for refused in [["10.0.0.8", "10.0.0.7"], ["10.0.0.7", "10.0.0.8"]] {
            let lowest = TargetRejection::NotGiven(address("10.0.0.7"));
            assert_eq!(targets.filter(found(&refused)), Err(lowest));
        }
    }
}
