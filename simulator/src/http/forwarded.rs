//! Who really calls when a proxy stands in between. Believes only proxies the configuration names.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The caller's address: the peer's own, or, behind trusted proxies, the rightmost address of
/// `X-Forwarded-For` that is no trusted proxy. What can't be read ends the search: nobody trusted
/// vouches for what stands before it.
pub(super) fn caller(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut caller = peer.to_canonical();
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&caller) {
        return caller;
    }
    for line in headers.get_all(X_FORWARDED_FOR).iter().rev() {
        for hop in line.to_str().unwrap_or_default().rsplit(',') {
            let Some(address) = address(hop.trim()) else {
                return caller;
            };
            caller = address;
            if !is_trusted(&caller) {
                return caller;
            }
        }
    }
    caller
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let alone = || bare.unwrap_or(text).parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    alone()
        .or_else(with_port)
        .map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn caller_of(peer: &str, lines: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        caller(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_stranger_is_not_believed() {
        let caller = caller_of("198.51.100.1", &["203.0.113.7"], &["127.0.0.0/8"]);
        assert_eq!(caller, "198.51.100.1");
        assert_eq!(caller_of("127.0.0.1", &["203.0.113.7"], &[]), "127.0.0.1");
    }

    #[test]
    fn behind_trusted_proxies_the_rightmost_untrusted_address_calls() {
        let trusted = ["127.0.0.0/8", "10.0.0.0/8"];
        for (lines, caller) in [
            (&["203.0.113.7"][..], "203.0.113.7"),
            (&["192.0.2.1, 203.0.113.7, 10.1.1.1"], "203.0.113.7"),
            (&["192.0.2.1", "203.0.113.7", "10.1.1.1"], "203.0.113.7"),
            (&["203.0.113.7:4711"], "203.0.113.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["::ffff:203.0.113.7"], "203.0.113.7"),
            (&["192.0.2.1, unknown, 10.1.1.1"], "10.1.1.1"),
            (&["10.2.2.2"], "10.2.2.2"),
            (&[], "127.0.0.1"),
        ] {
            assert_eq!(caller_of("127.0.0.1", lines, &trusted), caller, "{lines:?}");
        }
    }
}
