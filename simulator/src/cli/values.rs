//! Reads the values of arguments: durations, sizes, instants, networks.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use ipnet::IpNet;
use jiff::Timestamp;
use svc_fixtures::contract::Environment;
use svc_fixtures::duration::parse_duration_ms;

use crate::http::control::guard::ConsoleToken;

/// Reads `test` or `live`.
pub(super) fn environment() -> impl TypedValueParser<Value = Environment> {
    PossibleValuesParser::new(Environment::ALL.map(Environment::as_str)).map(|name| {
        let mut all = Environment::ALL.into_iter();
        let environment = all.find(|it| it.as_str() == name);
        environment.expect("the parser takes these names only")
    })
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "write an address and a port: 127.0.0.1:8801".to_owned())
}

pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "write an instant with its zone: 2031-01-01T00:00:00Z".to_owned())
}

/// How many seconds pass in one: a day is the most.
pub(super) fn time_scale(text: &str) -> Result<u32, String> {
    whole_number(text, 86_400)
}

/// A network, or one address.
pub(super) fn network(text: &str) -> Result<IpNet, String> {
    let alone = || text.parse::<IpAddr>().map(IpNet::from);
    let network = text.parse::<IpNet>().or_else(|_| alone());
    network.map_err(|_| "write an address or a network: 10.0.0.0/8".to_owned())
}

/// The name of a host, with a port or without.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    let authority = text.parse::<http::uri::Authority>();
    match authority {
        Ok(authority) if !authority.as_str().contains('@') => Ok(text.to_owned()),
        _ => Err("write a name as it stands in `Host`: console.example".to_owned()),
    }
}

/// The console's token. An empty one, given by mistake, must not open the console.
pub(super) fn token(text: &str) -> Result<ConsoleToken, String> {
    ConsoleToken::new(text).ok_or_else(|| "a token is at least one character".to_owned())
}

/// A span of time such as `30s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration_ms(text)
        .map(Duration::from_millis)
        .map_err(|mistake| mistake.to_string())
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    whole_number(text, 10_000_000).map(|count| count as usize)
}

/// How many threads: more than this is a slip, and no machine has the processors.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    whole_number(text, 1024).map(|threads| threads as usize)
}

fn whole_number(text: &str, most: u32) -> Result<u32, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("write a whole number from 1 to {most}"))
}

pub(super) fn idle(text: &str) -> Result<Duration, String> {
    let idle = duration(text)?;
    match idle >= Duration::from_secs(1) {
        true => Ok(idle),
        false => Err("write at least `1s`: whoever uses an account pauses now and then".to_owned()),
    }
}

const SIZE_UNITS: [(&str, usize); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
/// With less, an account would forget a call before anybody can look it up.
const MIN_BYTES: usize = 64 << 10;
const MAX_BYTES: usize = 1 << 40;

/// A size such as `16MiB`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let unit = SIZE_UNITS.iter().find_map(|(unit, bytes)| {
        let number = text.strip_suffix(unit)?.trim_end();
        number.parse::<usize>().ok()?.checked_mul(*bytes)
    });
    let size = unit.filter(|size| (MIN_BYTES..=MAX_BYTES).contains(size));
    size.ok_or_else(|| {
        "write a size from 64KiB to 1024GiB, such as 512KiB, 16MiB or 2GiB".to_owned()
    })
}

pub(super) fn render_size(bytes: usize) -> String {
    let mut units = SIZE_UNITS.iter().rev();
    match units.find(|(_, unit)| bytes.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_from_64_kib_on_are_read_with_their_unit() {
        for (text, expected) in [
            ("63KiB", None),
            ("64KiB", Some(65_536)),
            ("16MiB", Some(16_777_216)),
            ("2 GiB", Some(2_147_483_648)),
            ("1024GiB", Some(MAX_BYTES)),
            ("1025GiB", None),
            ("99999999999999999999GiB", None),
            ("16", None),
            ("16MB", None),
            ("-1MiB", None),
            ("", None),
        ] {
            assert_eq!(size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn counts_are_from_one_to_ten_million() {
        for (text, taken) in [
            ("0", false),
            ("1", true),
            ("10000000", true),
            ("10000001", false),
        ] {
            assert_eq!(count(text).is_ok(), taken, "{text}");
        }
        let taken = ["0", "1", "1024", "1025"].map(|text| threads(text).is_ok());
        assert_eq!(taken, [false, true, true, false]);
        assert!(idle("999ms").is_err());
        assert!(idle("1s").is_ok());
    }
}
