//! A delivery, as the control API answers it.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeliveryView {
    pub(super) id: String,
    pub(super) verification_id: String,
    pub(super) environment: String,
    pub(super) state: String,
    pub(super) next_due: Option<String>,
    pub(super) since: String,
    pub(super) attempts: Vec<AttemptView>,
    pub(super) body: Option<String>,
    pub(super) account: Option<String>,
    pub(super) now: Option<String>,
    #[serde(default)]
    pub(super) planned: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttemptView {
    pub(super) number: usize,
    pub(super) due: String,
    pub(super) why: String,
    pub(super) url: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) signature_base: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) response_excerpt: String,
}

impl DeliveryView {
    /// The same without the parts of a second that its account's clock shows: a page that follows it changes no more often.
    pub(super) fn at_the_second(mut self) -> Self {
        self.now = self.now.map(|now| seconds(&now));
        self
    }
}

/// An instant without parts of a second.
pub(super) fn seconds(instant: &str) -> String {
    match instant.split_once('.') {
        Some((whole, _)) => format!("{whole}Z"),
        None => instant.to_owned(),
    }
}

impl AttemptView {
    /// Whether the receiver took it.
    pub(super) fn was_taken(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    /// What it came to, in words.
    pub(super) fn came_to(&self) -> String {
        match (self.status, &self.reason) {
            (Some(status), _) => format!("answered {status}"),
            (None, Some(reason)) => reason.clone(),
            (None, None) => "no answer".to_owned(),
        }
    }
}
