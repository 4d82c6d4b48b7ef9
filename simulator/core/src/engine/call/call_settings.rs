//! How calls are treated beside what contract and scenarios say: how long an answer takes that no scenario delays, and
//! what becomes of members of a body that no field names. By default an answer comes at once, and such members are
//! ignored (rulings 4 and 7).

use std::fmt;
use std::str::FromStr;

/// How all calls are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallSettings {
    /// How long an answer takes.
    pub latency: Latency,
    /// What becomes of members that no field names.
    pub unknown_members: UnknownMembers,
}

/// What becomes of members of a body that no field names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownMembers {
    /// They are noted in the call log.
    #[default]
    Ignored,
    /// The call is refused with `SVC_INVALID_INPUT`.
    Refused,
}

/// How long an answer takes that no scenario delays, as a part of what `meta.latencyMs` says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Latency {
    per_mille: u32,
}

/// The most, as a multiple of the typical latency.
const MOST: u32 = 10;

const PER_MILLE: u32 = 1000;

impl Latency {
    /// No time at all.
    pub const NONE: Latency = Latency { per_mille: 0 };

    /// As long as the operation typically takes; of a range, a time that the content of the call decides.
    pub const TYPICAL: Latency = Latency {
        per_mille: PER_MILLE,
    };

    /// So much of a typical latency in milliseconds.
    #[must_use]
    pub fn of(self, typical_ms: u32) -> u64 {
        u64::from(typical_ms) * u64::from(self.per_mille) / u64::from(PER_MILLE)
    }
}

/// `none`, `typical` or a factor such as `0.1`.
impl FromStr for Latency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Latency::NONE),
            "typical" => return Ok(Latency::TYPICAL),
            _ => {}
        }
        let factor = || {
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let is_number = !whole.is_empty() && !part.is_empty() && digits(whole) && digits(part);
            if !is_number || part.len() > 3 {
                return None;
            }
            let whole = whole.parse::<u32>().ok()?.checked_mul(PER_MILLE)?;
            whole.checked_add(format!("{part:0<3}").parse().ok()?)
        };
        let per_mille = factor().filter(|it| *it <= MOST * PER_MILLE);
        let per_mille = per_mille.ok_or_else(|| {
            format!("write none, typical, or a factor from 0 to {MOST} with at most three decimals")
        });
        Ok(Latency {
            per_mille: per_mille?,
        })
    }
}

/// As it is written.
impl fmt::Display for Latency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Latency::NONE => out.write_str("none"),
            Latency::TYPICAL => out.write_str("typical"),
            Latency { per_mille } => {
                write!(
                    out,
                    "{}.{:03}",
                    per_mille / PER_MILLE,
                    per_mille % PER_MILLE
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_a_word_or_a_factor_of_the_typical_one() {
        for (text, of_250_ms) in [
            ("none", 0),
            ("0", 0),
            ("typical", 250),
            ("1", 250),
            ("0.1", 25),
            ("0.02", 5),
            ("2.5", 625),
            ("10", 2500),
        ] {
            let latency: Latency = text.parse().unwrap();
            assert_eq!(latency.of(250), of_250_ms, "{text}");
            assert_eq!(latency.to_string().parse(), Ok(latency), "{text}");
        }
        for text in [
            "",
            "fast",
            "-1",
            "10.001",
            "11",
            ".5",
            "1.",
            "0.0001",
            "1e3",
            "9999999999",
        ] {
            assert!(text.parse::<Latency>().is_err(), "{text}");
        }
    }
}
