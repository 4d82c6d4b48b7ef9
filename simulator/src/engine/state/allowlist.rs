//! The addresses an account's keys may be used from.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::rejection::Rejection;

/// Where an account's keys may be used from. Without entries: from anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Allowlist(pub Vec<IpNet>);

impl Allowlist {
    /// Lets a caller through, or not.
    ///
    /// # Errors
    /// [`Rejection::AddressNotAllowed`] where there are entries and none holds the address.
    pub fn admit(&self, peer: IpAddr) -> Result<(), Rejection> {
        // An IPv4 caller on a dual-stack listener shows as ::ffff:a.b.c.d and is still that caller.
        let peer = peer.to_canonical();
        let open = self.0.is_empty() || self.0.iter().any(|net| net.contains(&peer));
        open.then_some(()).ok_or(Rejection::AddressNotAllowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_inside_an_entry_pass() {
        let list = Allowlist(vec!["203.0.113.0/24".parse().expect("a network")]);
        let admit = |text: &str| list.admit(text.parse().expect("an address"));
        assert_eq!(admit("203.0.113.255"), Ok(()));
        assert_eq!(admit("::ffff:203.0.113.1"), Ok(()));
        assert_eq!(admit("203.0.114.0"), Err(Rejection::AddressNotAllowed));
        assert_eq!(
            Allowlist::default().admit(IpAddr::from([127, 0, 0, 1])),
            Ok(())
        );
    }
}
