//! Renders a delivery as lines for people or as one line of JSON.

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::webhook::verdict;
use super::forward::ForwardResult;
use super::history::Novelty;
use crate::signature_diagnosis::Verdict;

/// Everything that is printed about one delivery.
pub(super) struct DeliveryLine {
    pub(super) at: Timestamp,
    pub(super) bytes: usize,
    pub(super) envelope_summary: EnvelopeSummary,
    /// Which attempt of the verification this is, and what is new about it; nothing where the
    /// signature is not valid or no verification is named.
    pub(super) attempt: Option<(u64, Novelty)>,
    pub(super) verdict: Verdict,
    /// The answer of the application; none where the delivery was not forwarded.
    pub(super) forwarded: Option<ForwardResult>,
    pub(super) answered: StatusCode,
}

/// Members of the envelope that are printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EnvelopeSummary {
    pub(super) verification: Option<String>,
    pub(super) endpoint: Option<String>,
    pub(super) status: Option<String>,
}

/// A longer text is no id and no name of ours.
const MAX_TEXT_BYTES: usize = 128;

impl EnvelopeSummary {
    pub(super) fn of(body: &[u8]) -> Self {
        let envelope: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| {
            let text = envelope.get(name)?.as_str()?;
            (!text.is_empty() && text.len() <= MAX_TEXT_BYTES).then(|| text.to_owned())
        };
        EnvelopeSummary {
            verification: text("verificationId"),
            endpoint: text("endpoint"),
            status: text("status"),
        }
    }
}

impl DeliveryLine {
    /// The lines for people.
    pub(super) fn text(&self) -> String {
        // A text with a line break in it could pass for another line.
        let word =
            |text: &Option<String>| text.as_deref().unwrap_or("-").replace(['\n', '\t'], " ");
        let envelope_summary = &self.envelope_summary;
        let attempt = self
            .attempt
            .map(|(number, novelty)| format!(", attempt {number}, {}", novelty.name()));
        let mut text = format!(
            "{} {} {} {}{}: answered {}\n  signature {}\n",
            self.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            word(&envelope_summary.verification),
            word(&envelope_summary.endpoint),
            word(&envelope_summary.status),
            attempt.unwrap_or_default(),
            self.answered.as_u16(),
            verdict::render_text(&self.verdict, "  "),
        );
        match &self.forwarded {
            None => {}
            Some(ForwardResult::Answered(status)) => {
                text += &format!(
                    "  forwarded, the application answered {}\n",
                    status.as_u16()
                );
            }
            Some(ForwardResult::Failed(why)) => text += &format!("  not forwarded: {why}\n"),
        }
        text
    }

    /// The line of JSON.
    pub(super) fn json(&self) -> String {
        let forwarded = match &self.forwarded {
            None => Value::Null,
            Some(ForwardResult::Answered(status)) => {
                json!({"status": status.as_u16(), "error": null})
            }
            Some(ForwardResult::Failed(why)) => json!({"status": null, "error": why}),
        };
        let line = json!({
            "at": self.at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            "verificationId": self.envelope_summary.verification,
            "endpoint": self.envelope_summary.endpoint,
            "status": self.envelope_summary.status,
            "attempt": self.attempt.map(|(number, _)| number),
            "seen": self.attempt.map(|(_, novelty)| novelty.name()),
            "bytes": self.bytes,
            "signature": verdict::render_json(&self.verdict),
            "forwarded": forwarded,
            "answered": self.answered.as_u16(),
        });
        format!("{}\n", verdict::json_line(&line))
    }
}
