//! `run`: the checks against a service somewhere on the net.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use svc_fixtures::contract::Contract;

use super::{Exit, Mistake, keys};
use crate::check;
use crate::client::Client;
use crate::plan::{Setting, inputs};
use crate::redact::Secret;
use crate::report::human::Human;
use crate::report::json::Document;
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
    /// Write a report as JSON, too
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,
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
            Extensions::Auto => keys::is_loopback(&sandbox),
            Extensions::Yes => true,
            Extensions::No => false,
        };
        let filter = self.filter(&contract)?;
        let target = HttpTarget::new(sandbox, live, Timeouts::default());
        let target = target.map_err(|error| Mistake::usage(error.to_string()))?;
        let client = Client::new(&target, ring, &setting);
        let (mut human, mut document, mut told) =
            (Human::new(io::stdout()), Document::default(), Ok(()));
        let mut tell = |event: &Event| {
            document.take(event);
            if told.is_ok() {
                told = human.take(event);
            }
        };
        let checks = check::all();
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let (_, summary) = runtime.block_on(run(&setting, &checks, &filter, &client, &mut tell));
        told?;
        io::stdout().flush()?;
        if let Some(path) = &self.report_json {
            let written = std::fs::write(path, document.print());
            let context = || format!("{} was not written", path.display());
            written.with_context(context).map_err(|cause| Mistake {
                exit: Exit::Nothing,
                cause,
            })?;
        }
        Ok(Exit::of(summary))
    }

    /// A filter that lets nothing through is a slip of the pen, not a run of nothing.
    fn filter(&self, contract: &Contract) -> Result<Filter, Mistake> {
        let filter = Filter {
            operation: self.operation.clone(),
            check: self.check.clone(),
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
