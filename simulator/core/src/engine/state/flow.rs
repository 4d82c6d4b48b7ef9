//! Flows: what the first call of a flow leaves for the later ones, and in which order they must come.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{Contract, Tries};
use svc_fixtures::json::Json;

use super::form;
use super::rejection::Rejection;
use super::sizes::text_bytes;

/// A flow that a verification began. Later calls find it by one of its tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    /// Its name in the contract.
    pub name: Box<str>,
    /// The carried identifiers that lead to it.
    pub tokens: Vec<Box<str>>,
    /// What later steps may use.
    pub memory: FlowMemory,
    /// The operations whose steps are done.
    pub done: Vec<Box<str>>,
    /// How many wrong secrets its steps were tried with.
    pub wrong_tries: u32,
}

/// What the first call of a flow left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowMemory {
    /// What identified the subject of the first call.
    pub subject: String,
    /// Request fields and answer members, by name.
    #[serde(with = "form::values")]
    pub values: Vec<(String, Json<'static>)>,
}

impl FlowMemory {
    /// The value remembered under a name; null where there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &Json<'static> {
        self.values
            .iter()
            .find(|(known, _)| known == name)
            .map_or(&Json::Null, |(_, value)| value)
    }
}

/// Where an operation stands in a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOf {
    /// Which flow.
    pub flow: usize,
    /// Which of its steps.
    pub step: usize,
}

/// What a completed step does to the account's flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FlowChange {
    /// Its verification begins a flow.
    Begun(Flow),
    /// It gets a step of a flow done.
    Advanced(FlowAdvance),
}

/// A step of a flow that is done, or was tried with a wrong secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowAdvance {
    /// The flow's name in the contract.
    pub name: Box<str>,
    /// What the call carried.
    pub token: Box<str>,
    /// The operation of the step; none where the secret it was tried with is wrong.
    pub operation: Option<Box<str>>,
}

/// Where each operation stands in the flows, by its place in the contract.
#[must_use]
pub fn steps(contract: &Contract) -> Vec<Option<StepOf>> {
    let place = |id: &str| {
        // What is only recommended leaves its operations free.
        let mut enforced = contract
            .flows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.advisory);
        enforced.find_map(|(flow, row)| {
            let step = row.steps.iter().position(|step| step.operation == id)?;
            Some(StepOf { flow, step })
        })
    };
    contract
        .operations
        .iter()
        .map(|operation| place(&operation.id))
        .collect()
}

/// The field of the request that a step carries its identifier in.
#[must_use]
pub fn carried_field(contract: &Contract, at: StepOf) -> Option<&str> {
    contract.flows[at.flow].steps[at.step].takes.as_deref()
}

impl Flow {
    /// Checks that a later step may go on with this flow (ruling 11), which began so many milliseconds ago.
    /// `same` are the fields that must say what the first call said, as they were sent.
    ///
    /// # Errors
    /// `SVC_INVALID_INPUT` with a message that names the step to call, where the step before is not
    /// done, the call contradicts the first one, or the secret it tells was tried too often or too late.
    pub fn admit<'s>(
        &self,
        contract: &Contract,
        at: StepOf,
        age_ms: i64,
        same: impl Iterator<Item = (&'s str, &'s Json<'s>)>,
    ) -> Result<(), Rejection> {
        let row = &contract.flows[at.flow];
        let step = &row.steps[at.step];
        let first = &row.steps[0].operation;
        for (name, sent) in same {
            if sent != self.memory.get(name) {
                return Err(Rejection::input(format!(
                    "{name}: must be what the call of {first} said"
                )));
            }
        }
        if let Some(Tries {
            field,
            most,
            within_ms,
        }) = &step.tries
        {
            let ended = |how: String| {
                Err(Rejection::input(format!(
                    "{field}: {how}; call {first} again"
                )))
            };
            if self.wrong_tries >= *most {
                return ended(format!("was wrong {most} times and is no longer taken"));
            }
            if age_ms >= i64::try_from(*within_ms).unwrap_or(i64::MAX) {
                return ended(format!(
                    "ended {:#} after it was sent",
                    SignedDuration::from_millis(i64::try_from(*within_ms).unwrap_or(i64::MAX))
                ));
            }
        }
        match &step.after {
            Some(after) if !self.done.iter().any(|done| **done == **after) => {
                let field = step.takes.as_deref().unwrap_or_default();
                Err(Rejection::input(format!(
                    "{field}: call {after} successfully first"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Notes that a step is done, or that the secret it was tried with is wrong.
    pub fn advance(&mut self, operation: Option<&str>) {
        match operation {
            None => self.wrong_tries = self.wrong_tries.saturating_add(1),
            Some(operation) if self.done.iter().any(|done| **done == *operation) => {}
            Some(operation) => self.done.push(operation.into()),
        }
    }

    /// What it takes in memory, its places in the index of tokens included.
    pub(super) fn heap_bytes(&self) -> usize {
        let values = self.memory.values.iter();
        let values = values.map(|(name, value)| {
            size_of::<(String, Json<'_>)>() + text_bytes(name) + text_bytes(&value.to_string())
        });
        let tokens = self.tokens.iter();
        let tokens = tokens.map(|token| 2 * (size_of::<Box<str>>() + text_bytes(token)) + 64);
        let done = self.done.iter().map(|done| text_bytes(done) + 16);
        let texts = text_bytes(&self.name) + text_bytes(&self.memory.subject);
        let parts = values.sum::<usize>() + tokens.sum::<usize>() + done.sum::<usize>();
        size_of::<Self>() + texts + parts
    }
}

impl FlowChange {
    /// What it takes in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            FlowChange::Begun(flow) => flow.heap_bytes(),
            FlowChange::Advanced(advance) => {
                let FlowAdvance {
                    name,
                    token,
                    operation,
                } = advance;
                let operation = operation.as_deref().unwrap_or_default();
                [name, token, operation].map(text_bytes).iter().sum()
            }
        }
    }
}
