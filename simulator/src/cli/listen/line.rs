//! A delivery as it is shown: lines for people, or one line of JSON. Decides nothing.

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::webhook::words;
use super::forward::Forwarded;
use super::seen::Novelty;
use crate::signature_diagnosis::Verdict;

/// All that is shown of one delivery.
pub(super) struct Shown {
    pub(super) at: Timestamp,
    pub(super) bytes: usize,
    pub(super) said: Said,
    /// Which attempt of the verification this is, and what is new about it; nothing where the
    /// signature is not valid or no verification is named.
    pub(super) attempt: Option<(u64, Novelty)>,
    pub(super) verdict: Verdict,
    /// What the application said; nothing where none was asked.
    pub(super) forwarded: Option<Forwarded>,
    pub(super) answered: StatusCode,
}

/// What the envelope says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) verification: Option<String>,
    pub(super) endpoint: Option<String>,
    pub(super) status: Option<String>,
}

/// A longer text is no id and no name.
const MOST_CHARACTERS: usize = 128;

impl Said {
    pub(super) fn of(body: &[u8]) -> Self {
        let envelope: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| {
            let text = envelope.get(name)?.as_str()?;
            (!text.is_empty() && text.len() <= MOST_CHARACTERS).then(|| text.to_owned())
        };
        Said {
            verification: text("verificationId"),
            endpoint: text("endpoint"),
            status: text("status"),
        }
    }
}

impl Shown {
    /// The lines for people.
    pub(super) fn text(&self) -> String {
        // A text with a line break in it could pass for another line.
        let word =
            |text: &Option<String>| text.as_deref().unwrap_or("-").replace(['\n', '\t'], " ");
        let said = &self.said;
        let attempt = self
            .attempt
            .map(|(number, novelty)| format!(", attempt {number}, {}", novelty.name()));
        let mut text = format!(
            "{} {} {} {}{}: answered {}\n  signature {}\n",
            self.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            word(&said.verification),
            word(&said.endpoint),
            word(&said.status),
            attempt.unwrap_or_default(),
            self.answered.as_u16(),
            words::text(&self.verdict, "  "),
        );
        match &self.forwarded {
            None => {}
            Some(Forwarded::Answered(status)) => {
                text += &format!(
                    "  forwarded, the application answered {}\n",
                    status.as_u16()
                );
            }
            Some(Forwarded::Failed(why)) => text += &format!("  not forwarded: {why}\n"),
        }
        text
    }

    /// The line of JSON.
    pub(super) fn json(&self) -> String {
        let forwarded = match &self.forwarded {
            None => Value::Null,
            Some(Forwarded::Answered(status)) => json!({"status": status.as_u16(), "error": null}),
            Some(Forwarded::Failed(why)) => json!({"status": null, "error": why}),
        };
        let line = json!({
            "at": self.at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            "verificationId": self.said.verification,
            "endpoint": self.said.endpoint,
            "status": self.said.status,
            "attempt": self.attempt.map(|(number, _)| number),
            "seen": self.attempt.map(|(_, novelty)| novelty.name()),
            "bytes": self.bytes,
            "signature": words::json(&self.verdict),
            "forwarded": forwarded,
            "answered": self.answered.as_u16(),
        });
        format!("{}\n", words::json_line(&line))
    }
}
