//! The values in bodies, queries and answers. Reading one checks it.

use std::num::NonZeroU32;
use std::sync::Arc;

use ipnet::IpNet;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use svc_fixtures::contract::Paise;
use svc_fixtures::duration::parse_duration_ms;

use crate::engine::call::request::Environment;
use crate::engine::state::access::RateLimit;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::manage::MOST;
use crate::scenario::{RateLimitConfig, WebhookConfig, is_key_name};

/// Reads a type from the text that stands for it on the wire.
macro_rules! from_text {
    ($dto:ident, $error:ty, |$text:ident| $read:block) => {
        impl TryFrom<String> for $dto {
            type Error = $error;

            fn try_from($text: String) -> Result<Self, $error> $read
        }
    };
}

/// One of the two environments; the sandbox where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "String", extend("enum" = ["test", "live"]))]
pub(crate) struct EnvironmentDto(pub(crate) Environment);

impl Default for EnvironmentDto {
    fn default() -> Self {
        EnvironmentDto(Environment::Test)
    }
}

/// The environment that is meant, or both where none is.
pub(super) fn environments(environment: Option<EnvironmentDto>) -> Vec<Environment> {
    let one = environment.map(|EnvironmentDto(environment)| vec![environment]);
    one.unwrap_or_else(|| Environment::ALL.to_vec())
}

/// An amount in INR that a wallet can hold.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(inline, with = "f64", extend("minimum" = 0))]
pub(super) struct AmountDto(pub(super) Paise);

impl TryFrom<f64> for AmountDto {
    type Error = String;

    fn try_from(rupees: f64) -> Result<Self, String> {
        let amount = Paise::from_rupees(rupees).filter(|amount| amount.0 >= 0 && *amount <= MOST);
        amount.map(AmountDto).ok_or_else(|| {
            format!("an amount is in INR, from 0 to {MOST}, with at most two decimals")
        })
    }
}

/// An amount in INR, in an answer.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline, with = "f64")]
pub(super) struct RupeesDto(pub(super) Paise);

/// A span of time: `30s`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^[0-9]+(ms|s|m|h|d)$"))]
pub(super) struct DurationDto(pub(super) SignedDuration);

from_text!(DurationDto, String, |text| {
    let span_ms = parse_duration_ms(&text).map_err(|mistake| mistake.to_string())?;
    let span_ms = i64::try_from(span_ms).map_err(|error| error.to_string())?;
    Ok(DurationDto(SignedDuration::from_millis(span_ms)))
});

/// An instant, in UTC and to the millisecond where it is printed.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("format" = "date-time"))]
pub(crate) struct TimestampDto(pub(super) Timestamp);

from_text!(TimestampDto, String, |text| {
    let instant = text.parse().map(TimestampDto);
    instant.map_err(|_| "write an instant with its zone: 2031-01-01T00:00:00Z".to_owned())
});

impl Serialize for TimestampDto {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{:.3}", self.0))
    }
}

/// The name of an account or of a key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^[A-Za-z0-9_.-]{1,100}$"))]
pub(super) struct NameDto(pub(super) Arc<str>);

from_text!(NameDto, String, |text| {
    match is_key_name(&text) && text.len() <= 100 {
        true => Ok(NameDto(text.into())),
        false => Err("a name is 1 to 100 letters, digits, `-`, `_` and `.`".to_owned()),
    }
});

/// A network, or one address.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String")]
pub(super) struct NetworkDto(pub(super) IpNet);

from_text!(NetworkDto, String, |text| {
    let alone = || text.parse::<std::net::IpAddr>().map(IpNet::from);
    let network = text.parse::<IpNet>().or_else(|_| alone());
    let network = network.map(NetworkDto);
    network.map_err(|_| "write a network: 203.0.113.0/24".to_owned())
});

/// How often keys may be used.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RateLimitDto {
    /// Calls a second, in the long run.
    per_second: NonZeroU32,
    /// Calls at once, after a pause.
    burst: NonZeroU32,
}

impl RateLimitDto {
    /// A limit; none where it lets nothing through, which no setting does.
    pub(super) fn of(limit: RateLimit) -> Option<Self> {
        Some(RateLimitDto {
            per_second: NonZeroU32::new(limit.per_second)?,
            burst: NonZeroU32::new(limit.burst)?,
        })
    }
}

impl From<RateLimitDto> for RateLimitConfig {
    fn from(rate: RateLimitDto) -> Self {
        RateLimitConfig {
            per_second: rate.per_second.get(),
            burst: rate.burst.get(),
        }
    }
}

impl From<RateLimitDto> for RateLimit {
    fn from(rate: RateLimitDto) -> Self {
        RateLimit {
            per_second: rate.per_second.get(),
            burst: rate.burst.get(),
        }
    }
}

/// A webhook signing secret. It is read and never answered.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("minLength" = 1, "maxLength" = 1024))]
pub(super) struct SecretDto(Arc<str>);

from_text!(SecretDto, &'static str, |text| {
    match (1..=1024).contains(&text.chars().count()) {
        true => Ok(SecretDto(text.into())),
        false => Err("a secret is 1 to 1024 characters"),
    }
});

impl SecretDto {
    /// Where webhooks go, signed with this.
    pub(super) fn for_url(self, url: String) -> WebhookConfig {
        WebhookConfig {
            url: url.into(),
            secret: self.0,
        }
    }
}

/// The id of a verification.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^svcv_[0-9a-hjkmnp-tv-z]{26}$"))]
pub(super) struct VerificationIdDto(pub(super) VerificationId);

from_text!(VerificationIdDto, &'static str, |text| {
    let id = VerificationId::parse(&text).map(VerificationIdDto);
    id.ok_or("a verificationId is `svcv_` and 26 letters and digits")
});

/// `true`, in a query.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum TrueDto {
    True,
}

/// `true`, in a body.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "bool")]
#[schemars(inline, with = "bool", extend("const" = true))]
pub(super) struct OnlyTrueDto;

impl TryFrom<bool> for OnlyTrueDto {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        match value {
            true => Ok(OnlyTrueDto),
            false => Err("is `true`, or left out"),
        }
    }
}

/// At most so many, in a query.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "u32", extend("minimum" = 1, "maximum" = 10_000, "default" = 100))]
pub(super) struct LimitDto(pub(super) usize);

impl Default for LimitDto {
    fn default() -> Self {
        LimitDto(100)
    }
}

from_text!(LimitDto, &'static str, |text| {
    let limit = text
        .parse()
        .ok()
        .filter(|limit| (1..=10_000).contains(limit));
    limit
        .map(LimitDto)
        .ok_or("must be a whole number from 1 to 10000")
});

/// The number of an event, in a query.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "u64", extend("default" = 0))]
pub(super) struct EventNumberDto(pub(super) u64);

from_text!(EventNumberDto, &'static str, |text| {
    let number = text.parse().map(EventNumberDto);
    number.map_err(|_| "must be a whole number, not negative")
});
