//! Printing the envelope. Its form is the same for every answer; only `data` differs.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use svc_fixtures::contract::{ErrorCode, Paise};

use super::request::Environment;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::Verification;
use crate::scenario::AnswerForm;

/// The part of an envelope that says how the call ended.
#[derive(Debug)]
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

/// What nearly every envelope has around its `data` at most.
const FRAME: usize = 512;

/// The printed envelope of a verification that stands so.
#[must_use]
pub fn envelope(
    of: &Verification,
    result: &ResultPart<'_>,
    charged: Option<Charge>,
    environment: Environment,
    form: &AnswerForm,
) -> Box<[u8]> {
    let data = match result {
        ResultPart::Completed(data) | ResultPart::Pending(data) => data.len(),
        ResultPart::Failed { .. } => 0,
    };
    let mut out = Printer(Vec::with_capacity(FRAME + data));
    out.raw(match result {
        ResultPart::Failed { .. } => r#"{"success":false,"verificationId":""#,
        ResultPart::Completed(_) | ResultPart::Pending(_) => {
            r#"{"success":true,"verificationId":""#
        }
    });
    out.id(of.id);
    out.raw(r#"","referenceId":"#);
    out.json(&of.reference);
    out.raw(r#","endpoint":"#);
    out.json(&*of.endpoint);
    out.result(result);
    out.billing(charged);
    out.meta(of, environment, form);
    // Kept for as long as the call: in one piece, without spare room.
    out.0.as_slice().into()
}

/// Prints the parts that envelopes are made of.
pub(super) struct Printer(pub(super) Vec<u8>);

impl Printer {
    pub(super) fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn json<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        serde_json::to_writer(&mut self.0, value).expect("texts and numbers print into memory");
    }

    pub(super) fn id(&mut self, id: VerificationId) {
        self.raw(VerificationId::PREFIX);
        self.raw(id.suffix());
    }

    /// `,"status":…` and `data` or `error`.
    pub(super) fn result(&mut self, result: &ResultPart<'_>) {
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
                self.json(message);
                self.raw(if *retryable {
                    r#","retryable":true}"#
                } else {
                    r#","retryable":false}"#
                });
            }
        }
    }

    /// `,"billing":{…}`
    pub(super) fn billing(&mut self, charged: Option<Charge>) {
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

    fn meta(&mut self, of: &Verification, environment: Environment, form: &AnswerForm) {
        self.raw(r#","meta":{"createdAt":""#);
        self.instant(of.created_at);
        self.raw(r#"","environment":""#);
        self.raw(environment.as_str());
        self.raw(r#"","latencyMs":"#);
        self.raw(itoa::Buffer::new().format(of.latency_ms));
        if let Some(provider) = of.provider.as_deref().or(form.provider.as_deref()) {
            self.raw(r#","provider":"#);
            self.json(provider);
        }
        for (name, value) in &form.meta {
            self.raw(",");
            self.json(name);
            self.raw(":");
            self.json(value);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(result: ResultPart<'_>, charged: Option<Charge>) -> String {
        let id = VerificationId::parse("svcv_00000000000000000000000000").expect("an id");
        let at = Timestamp::constant(1_800_000_000, 0);
        let of = Verification {
            reference: Some("a \"quoted\"\u{7}reference".into()),
            latency_ms: 250,
            ..Verification::new(id, "an.operation".into(), at)
        };
        let bytes = envelope(
            &of,
            &result,
            charged,
            Environment::Live,
            &AnswerForm::default(),
        );
        String::from_utf8(bytes.into()).expect("an envelope is text")
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
