//! A call as the reference sees it, and what it plans for one.

use svc_fixtures::contract::ErrorCode;

use super::fate::Drawn;
use crate::catalogue::{CARRIED, Mark, SENTINEL, Template};

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
        claim: usize,
        key: usize,
    },
    Waits {
        on: usize,
        key: usize,
    },
    Runs {
        drawn: Drawn,
        hold: i64,
        resumes: Option<usize>,
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

    /// Everything that the id is made from, but for how often it was asked.
    pub(crate) fn content(&self) -> String {
        format!(
            "{} {:?} {:?} {}",
            self.env,
            self.idempotency,
            self.reference,
            self.same()
        )
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
}
