//! The values that bodies, queries and answers are made of: each is read once, and what was read is
//! right.

use std::fmt;
use std::sync::Arc;

use ipnet::IpNet;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use svc_fixtures::contract::Paise;
use svc_fixtures::duration::parse_duration_ms;

use crate::engine::call::request::Environment;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::manage::MOST;
use crate::scenario::{RateLimitConfig, WebhookConfig, is_key_name};

/// One of the two environments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum In {
    Test,
    Live,
}

impl From<In> for Environment {
    fn from(environment: In) -> Self {
        match environment {
            In::Test => Environment::Test,
            In::Live => Environment::Live,
        }
    }
}

impl From<Environment> for In {
    fn from(environment: Environment) -> Self {
        match environment {
            Environment::Test => In::Test,
            Environment::Live => In::Live,
        }
    }
}

/// The environment that is meant, or both where none is.
pub(super) fn meant(environment: Option<In>) -> Vec<Environment> {
    let one = environment.map(|environment| vec![environment.into()]);
    one.unwrap_or_else(|| Environment::ALL.to_vec())
}

/// An amount in INR that a wallet can hold.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(inline, with = "f64", extend("minimum" = 0))]
pub(super) struct Amount(pub(super) Paise);

impl TryFrom<f64> for Amount {
    type Error = String;

    fn try_from(rupees: f64) -> Result<Self, String> {
        let amount = Paise::from_rupees(rupees).filter(|amount| amount.0 >= 0 && *amount <= MOST);
        amount.map(Amount).ok_or_else(|| {
            format!("an amount is in INR, from 0 to {MOST}, with at most two decimals")
        })
    }
}

/// An amount in INR, in an answer.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline, with = "f64")]
pub(super) struct Inr(pub(super) Paise);

/// A span of time: `30s`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^[0-9]+(ms|s|m|h|d)$"))]
pub(super) struct Span(pub(super) SignedDuration);

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let span_ms = parse_duration_ms(&text).map_err(|mistake| mistake.to_string())?;
        let span_ms = i64::try_from(span_ms).map_err(|error| error.to_string())?;
        Ok(Span(SignedDuration::from_millis(span_ms)))
    }
}

/// An instant, in UTC and to the millisecond where it is printed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("format" = "date-time"))]
pub(super) struct When(pub(super) Timestamp);

impl TryFrom<String> for When {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let instant = text.parse().map(When);
        instant.map_err(|_| "write an instant with its zone: 2031-01-01T00:00:00Z".to_owned())
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{:.3}", self.0))
    }
}

/// The name of an account or of a key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^[A-Za-z0-9_.-]{1,100}$"))]
pub(super) struct Name(pub(super) Arc<str>);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match is_key_name(&text) && text.len() <= 100 {
            true => Ok(Name(text.into())),
            false => Err("a name is 1 to 100 letters, digits, `-`, `_` and `.`".to_owned()),
        }
    }
}

/// A network, or one address.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, with = "String")]
pub(super) struct Network(pub(super) IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let alone = || text.parse::<std::net::IpAddr>().map(IpNet::from);
        let network = text.parse::<IpNet>().or_else(|_| alone());
        let network = network.map(Network);
        network.map_err(|_| "write a network: 203.0.113.0/24".to_owned())
    }
}

impl From<Network> for String {
    fn from(network: Network) -> String {
        network.0.to_string()
    }
}

/// A count that is not 0.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(inline, with = "u32", extend("minimum" = 1))]
pub(super) struct Count(u32);

impl TryFrom<u32> for Count {
    type Error = &'static str;

    fn try_from(count: u32) -> Result<Self, &'static str> {
        (count > 0)
            .then_some(Count(count))
            .ok_or("must be a whole number above 0")
    }
}

/// How often keys may be used.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ControlRateLimit")]
pub(super) struct Rate {
    /// Calls a second, in the long run.
    per_second: Count,
    /// Calls at once, after a pause.
    burst: Count,
}

impl Rate {
    pub(super) fn of(per_second: u32, burst: u32) -> Self {
        Rate {
            per_second: Count(per_second),
            burst: Count(burst),
        }
    }
}

impl From<Rate> for RateLimitConfig {
    fn from(rate: Rate) -> Self {
        RateLimitConfig {
            per_second: rate.per_second.0,
            burst: rate.burst.0,
        }
    }
}

/// A webhook signing secret. It is read, and never told.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("minLength" = 1, "maxLength" = 1024))]
pub(super) struct Secret(Arc<str>);

impl TryFrom<String> for Secret {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        match (1..=1024).contains(&text.chars().count()) {
            true => Ok(Secret(text.into())),
            false => Err("a secret is 1 to 1024 characters"),
        }
    }
}

impl Secret {
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
pub(super) struct Id(pub(super) VerificationId);

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let id = VerificationId::parse(&text).map(Id);
        id.ok_or("a verificationId is `svcv_` and 26 letters and digits")
    }
}

/// Something that prints as a text.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[schemars(inline, with = "String", bound = "")]
pub(super) struct Shown<T>(pub(super) T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&self.0)
    }
}

/// At most so many, in a query.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "u32", extend("minimum" = 1, "maximum" = 10_000, "default" = 100))]
pub(super) struct Limit(pub(super) usize);

impl Default for Limit {
    fn default() -> Self {
        Limit(100)
    }
}

impl TryFrom<String> for Limit {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let limit = text
            .parse()
            .ok()
            .filter(|limit| (1..=10_000).contains(limit));
        limit
            .map(Limit)
            .ok_or("must be a whole number from 1 to 10000")
    }
}

/// The number of an event, in a query.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "u64", extend("default" = 0))]
pub(super) struct Number(pub(super) u64);

impl TryFrom<String> for Number {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let number = text.parse().map(Number);
        number.map_err(|_| "must be a whole number, not negative")
    }
}
