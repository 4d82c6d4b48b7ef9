//! One call as traffic tells of it, whatever the traffic is, and what follows for its cost.

use jiff::Timestamp;
use svc_fixtures::contract::{Contract, Environment, ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::tariff::{EndpointIndex, Tariff};

/// What traffic says of a call. Nearly all may be missing.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenCall {
    /// The dotted name, path or URL of what was called.
    pub(super) name: String,
    /// Whose call.
    pub(super) account: String,
    /// Where it went.
    pub(super) environment: Option<Environment>,
    /// When it was made.
    pub(super) at: Option<Timestamp>,
    /// The HTTP status.
    pub(super) http_status: Option<u16>,
    /// The envelope's status.
    pub(super) status: Option<String>,
    /// The error's code.
    pub(super) code: Option<String>,
    /// What was charged.
    pub(super) said: Option<SaidCharge>,
    /// Its idempotency key.
    pub(super) key: Option<String>,
    /// Whether it was an answer given again.
    pub(super) is_replay: bool,
    /// Whether no answer came.
    pub(super) is_unanswered: bool,
    /// The body that was sent.
    pub(super) body: Option<Json<'static>>,
    /// What it asked about, where that is not the body.
    pub(super) subject: Option<Json<'static>>,
    /// How long the answer took.
    pub(super) took_ms: Option<u64>,
    /// How long after it the result came.
    pub(super) after_ms: Option<u64>,
    /// The verification's id.
    pub(super) id: Option<String>,
    /// What the answer hands out.
    pub(super) data: Option<Json<'static>>,
    /// Whether this is a call.
    pub(super) kind: SeenKind,
}

/// What it is that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SeenKind {
    /// A call with its answer.
    Call,
    /// The result of a call, as it came later.
    Result,
    /// An envelope: of a call where nothing else is known of it, else of its result.
    #[default]
    Envelope,
}

/// What an answer or a log says of the charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SaidCharge {
    /// Whether anything was charged.
    pub(super) charged: bool,
    /// How much, where that is said.
    pub(super) amount: Option<Paise>,
}

/// How a call ended, as far as its cost goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallEnding {
    /// With a result.
    Completed,
    /// With the answer that there is no record.
    NoRecord,
    /// It failed, and may be tried again.
    Failed,
    /// It was refused.
    Refused,
    /// It was answered again.
    Replayed,
    /// Its result is not there yet.
    Pending,
    /// No answer came.
    Unanswered,
}

impl CallEnding {
    /// Whether it is billed on live (ruling 22).
    pub(super) fn is_conclusive(self) -> bool {
        matches!(self, CallEnding::Completed | CallEnding::NoRecord)
    }

    /// Whether it was executed: what is refused or answered again is not.
    pub(super) fn is_executed(self) -> bool {
        !matches!(self, CallEnding::Refused | CallEnding::Replayed)
    }
}

/// A call that can be reckoned with.
#[derive(Debug, Clone)]
pub(super) struct MeteredCall {
    /// What was called.
    pub(super) endpoint: EndpointIndex,
    /// How it ended.
    pub(super) ending: CallEnding,
    /// Where it went; live where nobody says.
    pub(super) environment: Environment,
    /// Whether it was answered as pending first.
    pub(super) was_pending: bool,
    /// The body or subject: two calls with the same ask the same.
    pub(super) input: Option<Vec<u8>>,
    /// What else is known of it.
    pub(super) seen: SeenCall,
}

/// Why a call can't be reckoned with.
const NO_OUTCOME: &str = "it does not say what came of it: `status`, `code`, `httpStatus`, `charged` or `envelope` is missing";

impl SeenCall {
    /// What an envelope says, where nothing else does.
    pub(super) fn add_envelope(&mut self, envelope: &Json<'_>) {
        let text = |of: Option<&Json<'_>>| of.and_then(Json::as_text).map(str::to_owned);
        if self.name.is_empty() {
            self.name = text(envelope.get("endpoint")).unwrap_or_default();
        }
        self.id = self
            .id
            .take()
            .or_else(|| text(envelope.get("verificationId")));
        self.status = self.status.take().or_else(|| text(envelope.get("status")));
        let code = envelope.get("error").and_then(|error| error.get("code"));
        self.code = self.code.take().or_else(|| text(code));
        let billing = envelope.get("billing");
        let said = billing
            .and_then(|billing| SaidCharge::read(billing.get("charged"), billing.get("amount")));
        self.said = self.said.or(said);
        if let Some(meta) = envelope.get("meta") {
            let environment = text(meta.get("environment"));
            self.environment = self
                .environment
                .or(environment.and_then(|it| environment_of(&it)));
            self.at = self.at.or_else(|| meta.get("createdAt").and_then(instant));
            let took = meta.get("latencyMs").and_then(milliseconds);
            self.took_ms = self.took_ms.or(took);
        }
        let data = envelope.get("data").cloned().map(Json::into_owned);
        self.data = self.data.take().or(data);
    }

    /// The call, where enough is known of it.
    pub(super) fn metered(self, tariff: &Tariff<'_>) -> Result<MeteredCall, String> {
        if self.name.is_empty() {
            return Err(
                "it does not say what was called: `endpoint` or `path` is missing".to_owned(),
            );
        }
        let Some(endpoint) = tariff.find(&self.name) else {
            return Err("no operation or bundle is called so".to_owned());
        };
        let ending = self.ending(tariff.contract);
        let ending = ending.ok_or_else(|| match &self.code {
            Some(code) => format!("nothing says what `{code}` costs: it is no code of the table, and `httpStatus` or `charged` is missing"),
            None => NO_OUTCOME.to_owned(),
        })?;
        let asked = self.body.as_ref().or(self.subject.as_ref());
        let input = asked.map(|json| {
            let mut bytes = Vec::new();
            json.canonical(&mut |part| bytes.extend_from_slice(part));
            bytes
        });
        Ok(MeteredCall {
            endpoint,
            ending,
            environment: self.environment.unwrap_or(Environment::Live),
            was_pending: ending == CallEnding::Pending,
            input,
            seen: self,
        })
    }

    fn ending(&self, contract: &Contract) -> Option<CallEnding> {
        if self.is_replay {
            return Some(CallEnding::Replayed);
        }
        if self.is_unanswered {
            return Some(CallEnding::Unanswered);
        }
        if let Some(code) = &self.code {
            let row = ErrorCode::parse(code).map(|code| contract.error(code));
            return match row {
                Some(row) if row.billed => Some(CallEnding::NoRecord),
                Some(row) if row.retryable => Some(CallEnding::Failed),
                Some(_) => Some(CallEnding::Refused),
                None => self.by_http_status().or_else(|| {
                    let is_free = self.said.is_some_and(|said| !said.charged);
                    is_free.then_some(CallEnding::Failed)
                }),
            };
        }
        match self.status.as_deref() {
            Some("completed") => Some(CallEnding::Completed),
            Some("pending") => Some(CallEnding::Pending),
            Some("failed") => Some(self.by_http_status().unwrap_or(CallEnding::Failed)),
            Some("unanswered") => Some(CallEnding::Unanswered),
            _ => self.by_http_status().or_else(|| {
                let charged = self.said.is_some_and(|said| said.charged);
                charged.then_some(CallEnding::Completed)
            }),
        }
    }

    fn by_http_status(&self) -> Option<CallEnding> {
        match self.http_status? {
            202 => Some(CallEnding::Pending),
            200..=299 => Some(CallEnding::Completed),
            422 => Some(CallEnding::NoRecord),
            429 | 500..=599 => Some(CallEnding::Failed),
            400..=499 => Some(CallEnding::Refused),
            _ => None,
        }
    }
}

/// More is no charge of one call: what price lists may say, too.
const MOST_CHARGED: i64 = 100_000_000;

impl SaidCharge {
    /// What `charged` (true, false or an amount) and `amount` say together.
    pub(super) fn read(charged: Option<&Json<'_>>, amount: Option<&Json<'_>>) -> Option<Self> {
        let rupees = |json: &Json<'_>| {
            let amount = json.as_num().and_then(Paise::from_rupees);
            amount.filter(|amount| (0..=MOST_CHARGED).contains(&amount.0))
        };
        let amount = amount.and_then(rupees);
        match charged {
            Some(Json::Bool(false)) => Some(SaidCharge {
                charged: false,
                amount: Some(Paise::ZERO),
            }),
            Some(Json::Bool(true)) => Some(SaidCharge {
                charged: true,
                amount: amount.filter(|amount| amount.0 > 0),
            }),
            Some(other) => rupees(other).map(SaidCharge::of),
            None => amount.map(SaidCharge::of),
        }
    }

    fn of(amount: Paise) -> Self {
        SaidCharge {
            charged: amount.0 > 0,
            amount: Some(amount),
        }
    }
}

/// The environment of this name.
pub(super) fn environment_of(name: &str) -> Option<Environment> {
    match name {
        "live" | "production" => Some(Environment::Live),
        "test" | "sandbox" => Some(Environment::Test),
        _ => None,
    }
}

/// Seconds since 1970 are fewer than this until the year 5138; milliseconds are more since 1973.
const SECONDS_UNTIL: i64 = 100_000_000_000;

/// An instant as a text with its zone, or as seconds or milliseconds since 1970.
pub(super) fn instant(json: &Json<'_>) -> Option<Timestamp> {
    match json {
        Json::Text(text) => text.parse().ok(),
        Json::Int(number) if *number < SECONDS_UNTIL => Timestamp::from_second(*number).ok(),
        Json::Int(number) => Timestamp::from_millisecond(*number).ok(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is too large is no instant"
        )]
        Json::Num(number) => Timestamp::from_millisecond((*number * 1000.0) as i64).ok(),
        _ => None,
    }
}

/// A day: an answer that takes longer is none.
const MOST_MS: u64 = 24 * 60 * 60 * 1000;

/// A time taken, in whole milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value was just shown to be small and not negative"
)]
pub(super) fn milliseconds(json: &Json<'_>) -> Option<u64> {
    let number = json.as_num()?.round();
    let ms = (number >= 0.0).then_some(number as u64)?;
    (ms <= MOST_MS).then_some(ms)
}
