//! A call as it is made, and what must come of it.

use svc_contract_tests::model::{self, FlowPosition, Start};
use svc_fixtures::contract::{Contract, ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::resolve::Resolved;
use crate::catalogue::{CARRIED, Mark, SENTINEL, Template};
use crate::instruct;

/// A call as it is made.
#[derive(Debug, Clone)]
pub(crate) struct Call<'c> {
    pub(crate) env: usize,
    pub(crate) key: Option<String>,
    pub(crate) outside: bool,
    pub(crate) asks: Asks<'c>,
    pub(crate) idempotency: Option<String>,
    pub(crate) reference: Option<&'static str>,
    pub(crate) spaced: bool,
    /// Which of the rules that come and go are in force.
    pub(crate) in_force: [bool; 2],
}

/// What a call asks for.
#[derive(Debug, Clone)]
pub(crate) enum Asks<'c> {
    Run {
        template: &'c Template,
        carried: String,
    },
    LookUp(String),
    Report,
}

/// What must come of a call.
pub(crate) enum Plan {
    Refused {
        status: u16,
        code: ErrorCode,
        retry_after: Option<u32>,
        recorded: bool,
        /// The key that it takes from.
        key: Option<usize>,
    },
    LookUp {
        record: usize,
        key: usize,
    },
    Report {
        key: usize,
    },
    Replay {
        answer: usize,
        key: usize,
    },
    Waits {
        on: usize,
        key: usize,
    },
    Runs {
        resolved: Resolved,
        start: Start,
        key: usize,
    },
}

impl<'c> Call<'c> {
    /// The body without anything that changes no value.
    pub(crate) fn body(&self) -> String {
        match &self.asks {
            Asks::Run { template, carried } => template.body.replace(CARRIED, carried),
            Asks::LookUp(_) | Asks::Report => String::new(),
        }
    }

    pub(crate) fn path(&self) -> String {
        match &self.asks {
            Asks::Run { template, .. } => template.path.clone(),
            Asks::LookUp(id) => format!("/v1/verifications/{id}"),
            Asks::Report => "/v1/usage".to_owned(),
        }
    }

    pub(crate) fn method(&self) -> &'static str {
        match &self.asks {
            Asks::Run { template, .. } => template.method,
            Asks::LookUp(_) | Asks::Report => "GET",
        }
    }

    /// What is asked, but for headers.
    pub(crate) fn same(&self) -> String {
        format!("{} {} {}", self.method(), self.path(), self.body())
    }

    /// Everything that the id is made from, but for the account and how often it was asked.
    pub(super) fn content(&self) -> String {
        format!(
            "{} {:?} {:?} {}",
            self.env,
            self.idempotency,
            self.reference,
            self.same()
        )
    }

    /// The reference, unless the rule that it is about is not there.
    pub(super) fn heeded(&self) -> Option<&'static str> {
        let gone = |name: &&str| {
            let mut rules = instruct::EDITED.iter().zip(self.in_force);
            rules.any(|(of, in_force)| of == name && !in_force)
        };
        self.reference.filter(|name| !gone(name))
    }

    /// What a carried identifier asks for by itself.
    pub(super) fn carried_mark(&self) -> Mark {
        let Asks::Run { template, carried } = &self.asks else {
            return Mark::None;
        };
        if !template.body.contains(CARRIED) {
            return Mark::None;
        }
        if carried.contains(SENTINEL) {
            return Mark::Sentinel;
        }
        let status = carried.strip_prefix("status-");
        let status = status.and_then(|status| status.parse().ok());
        status.map_or(Mark::None, Mark::Status)
    }

    /// As the model sees it: what is run, where it stands in a flow, and what makes another call the same.
    pub(crate) fn in_model(&self, contract: &Contract) -> Option<model::Call> {
        let Asks::Run { template, carried } = &self.asks else {
            return None;
        };
        let flow_position = template.step.map(|(flow, step)| {
            let takes = contract.flows[flow].steps[step].takes.is_some();
            let operation = &contract.operations[template.runs[0].operation];
            let asked = instruct::instruct(self.heeded(), operation);
            let is_fixed = |mark| match mark {
                Mark::Sentinel => true,
                Mark::Status(_) => asked.is_none(),
                Mark::None => false,
            };
            FlowPosition {
                flow,
                step,
                carried: takes.then(|| carried.clone()),
                carried_is_fixed: is_fixed(self.carried_mark()),
                is_fixed: is_fixed(template.runs[0].mark),
                fields: fields(&self.body()),
            }
        });
        Some(model::Call {
            endpoint: template.endpoint,
            part: template.part,
            content: self.same().into_bytes(),
            key: self.idempotency.clone(),
            reference: self.reference.map(str::to_owned),
            price: Paise(template.price),
            flow_position,
        })
    }
}

/// The members of a body. One that is no JSON object never comes so far.
fn fields(body: &str) -> Vec<(String, Json<'static>)> {
    let Ok(Json::Object(members)) = Json::parse(body.as_bytes()) else {
        return Vec::new();
    };
    let own = |(name, value): (std::borrow::Cow<'_, str>, Json<'_>)| {
        (name.into_owned(), value.into_owned())
    };
    members.into_iter().map(own).collect()
}
