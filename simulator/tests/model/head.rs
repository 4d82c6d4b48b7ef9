//! What an envelope says, read off its text without the simulator's own reader.

use svc_contract_tests::model::CallOutcome;
use svc_simulator::engine::call::reply::Reply;

use crate::reference::environment::{Environment, Given};
use crate::reference::ids;

/// The parts of an envelope that the reference foresees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) id: String,
    /// `completed`, `pending` or the error code.
    pub(crate) state: String,
    pub(crate) charged: bool,
    pub(crate) amount: i64,
    pub(crate) balance_after: Option<i64>,
}

impl Head {
    pub(crate) fn of(body: &[u8]) -> Result<Head, String> {
        let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
        let after = |text: &'_ str, mark: &str| text.find(mark).map(|at| at + mark.len());
        let none = || format!("no envelope: {text}");
        let id = ids(body).into_iter().next().ok_or_else(none)?;
        let status = after(text, "\"status\":\"").ok_or_else(none)?;
        let status = text[status..].split('"').next().unwrap_or_default();
        let state = match status {
            "failed" => {
                let code = after(text, "\"error\":{\"code\":\"").ok_or_else(none)?;
                text[code..].split('"').next().unwrap_or_default()
            }
            other => other,
        };
        // Steps of a bundle have some of their own: the envelope's comes last.
        let billing = text.rfind("\"billing\":{").ok_or_else(none)?;
        let billing = text[billing..].split('}').next().unwrap_or_default();
        let paise = |mark| {
            let at = after(billing, mark)?;
            paise(billing[at..].split(',').next().unwrap_or_default())
        };
        Ok(Head {
            id,
            state: state.to_owned(),
            charged: billing.contains("\"charged\":true"),
            amount: paise("\"amount\":").ok_or_else(none)?,
            balance_after: paise("\"walletBalanceAfter\":"),
        })
    }
}

/// Rupees with at most two decimals, as paise.
pub(crate) fn paise(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = format!("{part:0<2}");
    (part.len() == 2).then_some(())?;
    Some(whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?)
}

/// What an envelope must say.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) status: u16,
    pub(crate) state: CallOutcome,
    pub(crate) charge: i64,
    /// The balance when it was charged.
    pub(crate) balance: i64,
    pub(crate) retry_after: Option<u32>,
}

impl Expected {
    /// The first answer to a call of this environment, or that to its second one.
    pub(crate) fn of(environment: &Environment<'_>, at: usize, outcome: &CallOutcome) -> Self {
        let state = &environment.state;
        let it = &state.verifications[at];
        let record = it.record.expect("it is in the call log");
        let status = state.records[record].status;
        Expected {
            status,
            state: outcome.clone(),
            charge: it.charge.0,
            balance: state.balance().0,
            retry_after: (status == 503).then_some(1),
        }
    }

    /// Something that is not charged.
    pub(crate) fn free(status: u16, state: CallOutcome, retry_after: Option<u32>) -> Self {
        Expected {
            status,
            state,
            charge: 0,
            balance: 0,
            retry_after,
        }
    }

    /// Compares the envelope; gives its id.
    pub(crate) fn of_body(&self, body: &[u8]) -> Result<String, String> {
        let head = Head::of(body)?;
        let state = match &self.state {
            CallOutcome::Completed => "completed",
            CallOutcome::Pending(..) => "pending",
            CallOutcome::Failed(code) => code.as_str(),
        };
        let charged = self.charge > 0;
        let expected = Head {
            id: head.id.clone(),
            state: state.to_owned(),
            charged,
            amount: self.charge,
            balance_after: charged.then_some(self.balance),
        };
        match head == expected {
            true => Ok(head.id),
            false => Err(format!("foreseen {expected:?}, found {head:?}")),
        }
    }

    /// Compares a first answer; gives its id.
    pub(crate) fn of_reply(&self, reply: &Reply) -> Result<String, String> {
        let found = (reply.status, reply.retry_after_s, reply.replay);
        let foreseen = (self.status, self.retry_after, false);
        if found != foreseen {
            let body = String::from_utf8_lossy(&reply.body);
            return Err(format!(
                "foreseen status, Retry-After and replay {foreseen:?}, found {found:?}: {body}"
            ));
        }
        self.of_body(&reply.body)
    }
}

/// Compares a replay with the answer first given.
pub(crate) fn is_replay(reply: &Reply, given: &Given) -> Result<(), String> {
    let found = (reply.status, reply.retry_after_s, &reply.body, reply.replay);
    match found == (given.status, given.retry_after, &given.body, true) {
        true => Ok(()),
        false => Err(format!("not a replay of {given:?}: {reply:?}")),
    }
}
