//! Printing the envelope. Its form is the same for every answer; only `data` differs.

use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use svc_fixtures::contract::{ErrorCode, Paise};

use super::request::Environment;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::Verification;

/// Everything an envelope says.
#[derive(Debug, Clone)]
pub struct Envelope<'a> {
    /// `verificationId`.
    pub verification: VerificationId,
    /// `referenceId`; null where the caller sent none.
    pub reference: Option<&'a str>,
    /// `endpoint`.
    pub endpoint: &'a str,
    /// `success`, `status`, and `data` or `error`.
    pub result: ResultPart<'a>,
    /// `billing`: what was charged and what is left, where something was.
    pub charged: Option<Charge>,
    /// `meta`.
    pub meta: Meta<'a>,
}

/// The part of an envelope that says how the call ended.
#[derive(Debug, Clone)]
pub enum ResultPart<'a> {
    /// Completed, with its printed `data`.
    Completed(&'a [u8]),
    /// Pending, with its printed `data`.
    Pending(&'a [u8]),
    /// Failed.
    Failed {
        /// The code.
        code: ErrorCode,
        /// The message for people.
        message: &'a str,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
}

/// What was charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// How much.
    pub amount: Paise,
    /// The balance after it.
    pub balance_after: Paise,
}

/// The `meta` of an envelope.
#[derive(Debug, Clone, Copy)]
pub struct Meta<'a> {
    /// When the call came in, by the account's clock.
    pub created_at: Timestamp,
    /// Where.
    pub environment: Environment,
    /// The operation's typical latency.
    pub latency_ms: u32,
    /// Who answered, where a scenario says so.
    pub provider: Option<&'a str>,
}

/// What every envelope has around its texts, about.
const FRAME: usize = 290;

impl Envelope<'_> {
    /// How long it becomes, or a little more: it is kept as it is printed. Texts that must be escaped
    /// take more.
    fn room(&self) -> usize {
        let result = match &self.result {
            ResultPart::Completed(data) | ResultPart::Pending(data) => data.len(),
            ResultPart::Failed { message, .. } => 70 + message.len(),
        };
        let charged = if self.charged.is_some() { 60 } else { 0 };
        let texts = [Some(self.endpoint), self.reference, self.meta.provider];
        let texts: usize = texts.into_iter().flatten().map(str::len).sum();
        let provider = if self.meta.provider.is_some() { 14 } else { 0 };
        FRAME + result + charged + texts + provider
    }
}

/// The bytes of an envelope.
#[must_use]
pub fn envelope(envelope: &Envelope<'_>) -> Vec<u8> {
    let mut out = Out(Vec::with_capacity(envelope.room()));
    let success = !matches!(envelope.result, ResultPart::Failed { .. });
    out.raw(if success {
        r#"{"success":true,"verificationId":""#
    } else {
        r#"{"success":false,"verificationId":""#
    });
    out.raw(VerificationId::PREFIX);
    out.raw(envelope.verification.suffix());
    out.raw(r#"","referenceId":"#);
    out.text_or_null(envelope.reference);
    out.raw(r#","endpoint":"#);
    out.text(envelope.endpoint);
    out.result(&envelope.result);
    out.billing(envelope.charged);
    out.meta(&envelope.meta);
    out.0
}

/// The printed envelope of a verification.
pub(super) fn print(
    of: &Verification,
    result: ResultPart<'_>,
    charged: Option<Charge>,
    environment: Environment,
) -> Bytes {
    let printed = Envelope {
        verification: of.id,
        reference: of.reference.as_deref(),
        endpoint: &of.endpoint,
        result,
        charged,
        meta: Meta {
            created_at: of.created_at,
            environment,
            latency_ms: of.latency_ms,
            provider: of.provider.as_deref(),
        },
    };
    self::envelope(&printed).into()
}

struct Out(Vec<u8>);

impl Out {
    fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn text(&mut self, text: &str) {
        self.json(text);
    }

    fn text_or_null(&mut self, text: Option<&str>) {
        self.json(&text);
    }

    fn json<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        serde_json::to_writer(&mut self.0, value).expect("texts and numbers print into memory");
    }

    /// `,"status":…` and `data` or `error`.
    fn result(&mut self, result: &ResultPart<'_>) {
        match result {
            ResultPart::Completed(data) => {
                self.raw(r#","status":"completed","data":"#);
                self.0.extend_from_slice(data);
            }
            ResultPart::Pending(data) => {
                self.raw(r#","status":"pending","data":"#);
                self.0.extend_from_slice(data);
            }
            ResultPart::Failed {
                code,
                message,
                retryable,
            } => {
                self.raw(r#","status":"failed","error":{"code":""#);
                self.raw(code.as_str());
                self.raw(r#"","message":"#);
                self.text(message);
                self.raw(if *retryable {
                    r#","retryable":true}"#
                } else {
                    r#","retryable":false}"#
                });
            }
        }
    }

    /// `,"billing":{…}`
    fn billing(&mut self, charged: Option<Charge>) {
        match charged {
            Some(Charge {
                amount,
                balance_after,
            }) => {
                self.raw(r#","billing":{"charged":true,"amount":"#);
                self.json(&amount);
                self.raw(r#","currency":"INR","walletBalanceAfter":"#);
                self.json(&balance_after);
            }
            None => self.raw(r#","billing":{"charged":false,"amount":0,"currency":"INR""#),
        }
        self.raw("}");
    }

    fn meta(&mut self, meta: &Meta<'_>) {
        self.raw(r#","meta":{"createdAt":""#);
        self.instant(meta.created_at);
        self.raw(r#"","environment":""#);
        self.raw(meta.environment.as_str());
        self.raw(r#"","latencyMs":"#);
        self.raw(itoa::Buffer::new().format(meta.latency_ms));
        if let Some(provider) = meta.provider {
            self.raw(r#","provider":"#);
            self.text(provider);
        }
        self.raw("}}");
    }

    /// ISO 8601 in UTC, to the millisecond.
    fn instant(&mut self, instant: Timestamp) {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        let printed = PRINTER.print_timestamp(&instant, &mut self.0);
        printed.expect("an instant prints into memory");
    }
}

/// What a bundle says of one of its steps.
#[derive(Debug, Clone)]
pub struct StepPart<'a> {
    /// `verificationId`.
    pub verification: VerificationId,
    /// `endpoint`.
    pub endpoint: &'a str,
    /// `status`, and `data` or `error`.
    pub result: ResultPart<'a>,
    /// `billing`.
    pub charged: Option<Charge>,
}

/// Writes the `data` of a bundle member by member.
pub struct DataWriter(Out);

impl DataWriter {
    /// Without members so far.
    #[must_use]
    pub fn new() -> Self {
        DataWriter(Out(Vec::with_capacity(2048)))
    }

    fn name(&mut self, name: &str) {
        let first = self.0.0.is_empty();
        self.0.raw(if first { "{" } else { "," });
        self.0.text(name);
        self.0.raw(":");
    }

    /// A member.
    pub fn member<T: serde::Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.name(name);
        self.0.json(value);
    }

    /// `steps`: what each says of itself, without what it shares with its bundle.
    pub fn steps<'s>(&mut self, steps: impl Iterator<Item = StepPart<'s>>) {
        self.name("steps");
        self.0.raw("[");
        for (at, step) in steps.enumerate() {
            self.0.raw(if at == 0 {
                r#"{"endpoint":"#
            } else {
                r#",{"endpoint":"#
            });
            self.0.text(step.endpoint);
            self.0.raw(r#","verificationId":""#);
            self.0.raw(VerificationId::PREFIX);
            self.0.raw(step.verification.suffix());
            self.0.raw("\"");
            self.0.result(&step.result);
            self.0.billing(step.charged);
            self.0.raw("}");
        }
        self.0.raw("]");
    }

    /// The printed `data`.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.0.raw("}");
        self.0.0
    }
}

impl Default for DataWriter {
    fn default() -> Self {
        DataWriter::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(result: ResultPart<'_>, charged: Option<Charge>) -> String {
        let sample = Envelope {
            verification: VerificationId::parse("svcv_00000000000000000000000000").expect("an id"),
            reference: Some("a \"quoted\"\u{7}reference"),
            endpoint: "an.operation",
            result,
            charged,
            meta: Meta {
                created_at: Timestamp::constant(1_800_000_000, 0),
                environment: Environment::Live,
                latency_ms: 250,
                provider: None,
            },
        };
        let bytes = envelope(&sample);
        let spare = sample.room() - bytes.len();
        assert!(
            spare < 80,
            "an envelope is kept with {spare} bytes too many"
        );
        String::from_utf8(bytes).expect("an envelope is text")
    }

    #[test]
    fn a_charged_answer_says_what_is_left() {
        let charged = Charge {
            amount: Paise(250),
            balance_after: Paise(9_999_750),
        };
        insta::assert_snapshot!(sample(ResultPart::Completed(b"{}"), Some(charged)), @r#"{"success":true,"verificationId":"svcv_00000000000000000000000000","referenceId":"a \"quoted\"\u0007reference","endpoint":"an.operation","status":"completed","data":{},"billing":{"charged":true,"amount":2.5,"currency":"INR","walletBalanceAfter":99997.5},"meta":{"createdAt":"2027-01-15T08:00:00.000Z","environment":"live","latencyMs":250}}"#);
    }

    #[test]
    fn a_failure_has_an_error_and_no_data() {
        let failed = ResultPart::Failed {
            code: ErrorCode::SourceTimeout,
            message: "late",
            retryable: true,
        };
        insta::assert_snapshot!(sample(failed, None), @r#"{"success":false,"verificationId":"svcv_00000000000000000000000000","referenceId":"a \"quoted\"\u0007reference","endpoint":"an.operation","status":"failed","error":{"code":"SVC_SOURCE_TIMEOUT","message":"late","retryable":true},"billing":{"charged":false,"amount":0,"currency":"INR"},"meta":{"createdAt":"2027-01-15T08:00:00.000Z","environment":"live","latencyMs":250}}"#);
    }
}
