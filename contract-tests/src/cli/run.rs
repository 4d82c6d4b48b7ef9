//! `run`: the checks against a service somewhere on the net.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use svc_fixtures::contract::Contract;

use super::outputs::{self, Outputs, Subject};
use super::{Exit, Mistake, keys};
use crate::capture::Capture;
use crate::check;
use crate::client::Client;
use crate::plan::{Setting, inputs};
use crate::redact::Secret;
use crate::run::{Event, Filter, run};
use crate::target::{HttpTarget, Timeouts};
use svc_fixtures::contract::Environment;

/// What to run, and against what.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The address of the sandbox, such as http://127.0.0.1:8801
    #[arg(long, env = "SVC_BASE_URL", value_name = "URL")]
    base_url: String,
    /// The address of live; only on this machine
    #[arg(long, env = "SVC_LIVE_URL", value_name = "URL")]
    live_url: Option<String>,
    /// The sandbox's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, value_name = "KEY", value_parser = secret)]
    api_key: Option<Secret>,
    /// Live's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_LIVE_KEY", hide_env_values = true, value_name = "KEY", value_parser = secret)]
    live_key: Option<Secret>,
    /// Run only what is about this operation, or about those below it
    #[arg(long, value_name = "OPERATION")]
    operation: Option<String>,
    /// Run only the checks whose id begins so
    #[arg(long, value_name = "CHECK")]
    check: Option<String>,
    /// Whether to ask what only the simulator's own rulings say
    #[arg(long, value_enum, default_value_t = Extensions::Auto)]
    extensions: Extensions,
    /// Makes accounts, idempotency keys and references the run's own; the same again repeats a run
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// Save what was sent and answered: `judge` judges it again, `replay` sends a case again
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    capture: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
}

/// Cases that are sent again.
pub(super) struct Again {
    /// Which, by check and name.
    pub(super) cases: BTreeSet<(String, String)>,
    /// Whether what only rulings say was asked when they were captured.
    pub(super) extensions: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Extensions {
    /// Of a service on this machine
    Auto,
    Yes,
    No,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "an argument's parser may fail; this one cannot"
)]
fn secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::new(text))
}

impl Run {
    pub(super) fn execute(&self) -> Result<Exit, Mistake> {
        self.go(None)
    }

    /// Sends captured cases again, with this run's keys and references.
    pub(super) fn send_again(&self, again: &Again) -> Result<Exit, Mistake> {
        self.go(Some(again))
    }

    /// What `--check` says.
    pub(super) fn check(&self) -> Option<&str> {
        self.check.as_deref()
    }

    fn go(&self, again: Option<&Again>) -> Result<Exit, Mistake> {
        let sandbox = keys::address("--base-url", &self.base_url)?;
        let live = self
            .live_url
            .as_deref()
            .map(keys::live_address)
            .transpose()?;
        let ring = keys::ring(
            &sandbox,
            live.as_ref(),
            self.api_key.as_ref(),
            self.live_key.as_ref(),
        )?;
        let contract = Contract::built_in();
        let mut setting = Setting::new(
            &contract,
            inputs::built_in(),
            self.seed.clone().unwrap_or_else(fresh_seed),
        );
        setting
            .environments
            .extend(live.is_some().then_some(Environment::Live));
        setting.extensions = match self.extensions {
            Extensions::Auto => {
                keys::is_loopback(&sandbox) || again.is_some_and(|again| again.extensions)
            }
            Extensions::Yes => true,
            Extensions::No => false,
        };
        let mut filter = self.filter(&contract)?;
        filter.only = again.map(|again| again.cases.clone());
        let here = keys::is_loopback(&sandbox) && live.as_ref().is_none_or(keys::is_loopback);
        let target = HttpTarget::new(sandbox, live, Timeouts::default());
        let target = target.map_err(|error| Mistake::usage(error.to_string()))?;
        let client = Client::new(&target, ring, &setting);
        let checks = check::all();
        if let Some(path) = &self.capture {
            outputs::writable(path)?;
        }
        let mut desk = self.outputs.open(&setting, &checks, Subject::of(here))?;
        let mut tell = |event: &Event| desk.take(event);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let (capture, _) = runtime.block_on(run(&setting, &checks, &filter, &client, &mut tell));
        let capture = Capture { here, ..capture };
        if let Some(path) = &self.capture {
            let text = desk.savable(&capture).to_json();
            let text = text.context("the capture can't be printed");
            outputs::write(
                path,
                &text.map_err(|cause| Mistake {
                    exit: Exit::Nothing,
                    cause,
                })?,
            )?;
        }
        desk.close(&capture)
    }

    /// A filter that lets nothing through is a slip of the pen, not a run of nothing.
    fn filter(&self, contract: &Contract) -> Result<Filter, Mistake> {
        let filter = Filter {
            operation: self.operation.clone(),
            check: self.check.clone(),
            only: None,
        };
        if !check::all().iter().any(|check| filter.lets_check(check)) {
            return Err(Mistake::usage(
                "--check: no check's id begins so; `list` shows them",
            ));
        }
        let known = |wanted: &String| {
            contract
                .operations
                .iter()
                .any(|operation| operation.id.starts_with(wanted.as_str()))
        };
        if !self.operation.as_ref().is_none_or(known) {
            return Err(Mistake::usage("--operation: there is no such operation"));
        }
        Ok(filter)
    }
}

/// A seed that no run before had.
#[expect(
    clippy::disallowed_methods,
    reason = "a run needs keys of its own; the seed is told, so that it can be repeated"
)]
fn fresh_seed() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    format!("r{:x}", since.as_millis())
}
