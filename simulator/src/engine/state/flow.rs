//! Flows of one account and environment: carried identifiers and the order of steps.

use std::collections::BTreeMap;

use svc_fixtures::contract::{Contract, FlowKey};
use svc_fixtures::json::Json;

use super::ids::VerificationId;
use super::kept::{Heap, Keepable, Kept, Standing, Sum, text};
use super::rejection::Rejection;
use crate::engine::call::input::Input;

/// The flows an account has begun, by what identifies them. One that a pending bundle waits for is
/// never forgotten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flows {
    begun: Kept<(usize, Box<str>), Running>,
    /// By pending bundle: the flows whose next step brings it to its end.
    waited_for: BTreeMap<VerificationId, Vec<(usize, Box<str>)>>,
}

/// A flow that was begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// What later steps may use: the first call's subject, and what its row says it remembers.
    pub memory: Memory,
    /// The steps that are done, by their place in the flow.
    done: Vec<usize>,
    /// Whether a pending bundle waits for its next step.
    standing: Standing,
}

impl Keepable for Running {
    fn standing(&self) -> Standing {
        self.standing
    }
}

impl Heap for Running {
    fn heap(&self) -> usize {
        let values = self.memory.values.iter();
        let values = values.map(|(name, value)| {
            size_of::<(String, Json<'_>)>() + text(name) + text(&value.to_string())
        });
        // Of the steps that are done there are few.
        64 + text(&self.memory.subject) + values.sum::<usize>()
    }
}

/// What the first call of a flow left behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// What identified the subject of the first call.
    pub subject: String,
    /// Request fields and answer members, by name.
    pub values: Vec<(String, Json<'static>)>,
}

impl Memory {
    /// The bundle that began the flow, where one did.
    #[must_use]
    pub fn bundle(&self) -> Option<VerificationId> {
        VerificationId::parse(self.get(FlowChange::BUNDLE).as_text()?)
    }

    /// What is remembered under a name; null where nothing is.
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

/// What a call does to the flows.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowChange {
    /// It begins one, which is found by any of these keys.
    Begin {
        /// Which flow.
        flow: usize,
        /// What later steps may carry.
        keys: Vec<Box<str>>,
        /// What later steps may use.
        memory: Memory,
    },
    /// It gets a step of one done.
    Done {
        /// Which flow.
        flow: usize,
        /// What the call carried.
        key: Box<str>,
        /// Which step.
        step: usize,
    },
}

impl FlowChange {
    /// The member that says which bundle began a flow.
    const BUNDLE: &'static str = "verificationId";

    /// The same change, made by a bundle that a second call will end.
    #[must_use]
    pub fn of_bundle(mut self, bundle: VerificationId) -> Self {
        if let FlowChange::Begin { memory, .. } = &mut self {
            let id = Json::from(bundle.to_string());
            memory.values.push((Self::BUNDLE.to_owned(), id));
        }
        self
    }
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

impl Flows {
    /// The flow a step goes on with; none for a first step. `same` are the fields that must say
    /// what the first call said.
    ///
    /// # Errors
    /// Where the carried identifier was not issued to this account by the step before, where that
    /// step is not done, or where the call contradicts the first one: `SVC_INVALID_INPUT` with a
    /// message that names the step to call, or not found where the row says so.
    pub fn resume(
        &self,
        contract: &Contract,
        at: StepOf,
        input: &Input<'_>,
        same: &[&str],
    ) -> Result<Option<&Running>, Rejection> {
        let flow = &contract.flows[at.flow];
        let step = &flow.steps[at.step];
        let Some(field) = &step.takes else {
            return Ok(None);
        };
        let carried = input.text(field).unwrap_or_default();
        let first = &flow.steps[0].operation;
        let Some(running) = self.begun.get(&(at.flow, Box::from(carried))) else {
            return Err(match step.unknown_is_not_found {
                true => Rejection::UnknownCarried {
                    field: field.clone(),
                },
                false => Rejection::input(format!(
                    "{field}: was not issued to this account; call {first} first"
                )),
            });
        };
        for &name in same {
            let given = input.named(name);
            if given.is_some_and(|given| given != running.memory.get(name)) {
                return Err(Rejection::input(format!(
                    "{name}: must be what the call of {first} said"
                )));
            }
        }
        if let Some(after) = &step.after {
            let place = flow.steps.iter().position(|step| &step.operation == after);
            if !place.is_some_and(|place| running.done.contains(&place)) {
                return Err(Rejection::input(format!(
                    "{field}: call {after} successfully first"
                )));
            }
        }
        Ok(Some(running))
    }

    /// EnvironmentState what an entry says.
    pub fn apply(&mut self, change: FlowChange) {
        match change {
            FlowChange::Begin { flow, keys, memory } => {
                let bundle = memory.bundle();
                for key in keys {
                    let running = Running {
                        memory: memory.clone(),
                        done: vec![0],
                        standing: bundle.map_or(Standing::Over, |_| Standing::Open),
                    };
                    if let Some(bundle) = bundle {
                        let waited_for = self.waited_for.entry(bundle).or_default();
                        waited_for.push((flow, key.clone()));
                    }
                    self.begun.put((flow, key), running);
                }
            }
            FlowChange::Done { flow, key, step } => {
                self.begun.change(&(flow, key), |running| {
                    if !running.done.contains(&step) {
                        running.done.push(step);
                    }
                });
            }
        }
    }

    /// A verification has come to its end: no flow is waited for any more because of it.
    pub fn ended(&mut self, verification: VerificationId) {
        for key in self.waited_for.remove(&verification).unwrap_or_default() {
            self.begun
                .change(&key, |running| running.standing = Standing::Over);
        }
    }

    /// Forgets the one begun first that nothing waits for. Says whether there was one.
    pub fn forget_oldest(&mut self) -> bool {
        self.begun.forget_oldest().is_some()
    }

    /// Those that are never forgotten now.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.begun.open()
    }

    /// Those that may be forgotten.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.begun.over()
    }

    /// How many were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.begun.forgotten()
    }

    /// Those that are waited for and others, counted anew: for tests.
    #[must_use]
    pub fn recount(&self) -> (Sum, Sum) {
        self.begun.recount()
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        self.begun.shrink();
    }
}

/// The field of the request that a step carries its identifier in.
#[must_use]
pub fn carried_field(contract: &Contract, at: StepOf) -> Option<&str> {
    contract.flows[at.flow].steps[at.step].takes.as_deref()
}

/// Whether a first step's flow is found by the call's own id and reference.
#[must_use]
pub fn found_by_verification(contract: &Contract, at: StepOf) -> bool {
    contract.flows[at.flow].steps[at.step].issues == Some(FlowKey::Verification)
}
