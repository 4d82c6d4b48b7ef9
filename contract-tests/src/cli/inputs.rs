//! `inputs`: the inputs that are built in, and a first file of those that a service fixes, learnt from its answers.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use svc_fixtures::contract::{Contract, Environment};

use super::budget::{self, BudgetArgs};
use super::connection::ConnectionArgs;
use super::exit::{CommandError, Exit};
use super::{keys, outputs, preflight, run, say};
use crate::client::Client;
use crate::plan::{Setting, inputs, learn};
use crate::redact::Secret;
use crate::spend::PricedCase;
use crate::target::HttpTarget;

/// What to show, or whom to learn from.
#[derive(Debug, Args)]
pub(super) struct Inputs {
    /// Call every operation with its sample, and write how it ended, in the format of --inputs
    #[arg(long, requires = "base_url")]
    learn: bool,
    /// The address of the sandbox to learn from
    #[arg(long, env = "SVC_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// The address of live; its calls cost money, and need --budget-inr
    #[arg(long, env = "SVC_LIVE_URL", value_name = "URL")]
    live_url: Option<String>,
    /// The sandbox's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<Secret>,
    /// Live's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_LIVE_KEY", hide_env_values = true, value_name = "KEY")]
    live_key: Option<Secret>,
    /// Where to write what was learnt [default: standard output]
    #[arg(long, alias = "out", value_name = "FILE", requires = "learn")]
    output: Option<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

impl Inputs {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let text = match (self.learn, &self.base_url, &self.live_url) {
            (true, Some(base_url), _) => self.learnt(base_url)?,
            (_, None, None) => inputs::TEXT.to_owned(),
            (_, Some(url), _) | (_, None, Some(url)) => {
                // The environment may name an address that is meant for other commands: no reason to refuse.
                say(format_args!(
                    "{url} is not asked without --learn: these are the inputs that the specification fixes"
                ));
                inputs::TEXT.to_owned()
            }
        };
        match &self.output {
            Some(path) => outputs::write(path, &text)?,
            None => io::stdout().lock().write_all(text.as_bytes())?,
        }
        Ok(Exit::Held)
    }

    fn learnt(&self, base_url: &str) -> Result<String, CommandError> {
        let sandbox = keys::address("--base-url", base_url)?;
        let live = self.live_url.as_deref();
        let live = live.map(|text| keys::address("--live-url", text));
        let live = live.transpose()?;
        let (test_key, live_key) = (self.api_key.as_ref(), self.live_key.as_ref());
        let ring = keys::ring(
            &keys::KeyFlags::RUN,
            &sandbox,
            live.as_ref(),
            test_key,
            live_key,
        )?;
        if let Some(path) = &self.output {
            outputs::writable(path)?;
        }
        let contract = Contract::built_in();
        let mut setting = Setting::new(&contract, inputs::built_in(), run::fresh_seed());
        setting
            .environments
            .extend(live.is_some().then_some(Environment::Live));
        setting.prices = self.budget.prices(&contract)?;
        let trials = setting.environments.iter();
        let trials = trials.flat_map(|at| learn::trials(&setting, *at));
        let trials: Vec<_> = trials.collect();
        let priced = trials.iter();
        let priced = priced.map(|trial| PricedCase::of(&setting, learn::CHECK, &trial.case));
        let (own, seed) = (ring.live.as_ref(), setting.seed.as_str());
        let guard = self.budget.guard_of(live.as_ref(), own, seed, priced)?;
        let (timeouts, tls) = (self.connection.timeouts(), self.connection.tls()?);
        let target = HttpTarget::new(sandbox, live, timeouts, &tls);
        let target = target.map_err(|error| CommandError::usage(error.to_string()))?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let pace = || self.connection.pace();
        let flags = &keys::KeyFlags::RUN;
        runtime.block_on(preflight::ask(flags, &setting, &target, &ring, pace()))?;
        let client = Client::new(&target, ring, &setting)
            .guarded(guard)
            .paced(pace());
        let mut text = heading(&client);
        let mut answered = false;
        for trial in &trials {
            let captured = runtime.block_on(client.capture(learn::CHECK, &trial.case));
            answered |= captured.exchanges.iter().any(|it| it.response.is_ok());
            text += &learn::written(trial, &captured);
        }
        budget::report_spending(client.guard(), None);
        // A file that was learnt before is worth more than one without inputs.
        match answered {
            true => Ok(text),
            false => Err(CommandError {
                exit: Exit::Unreachable,
                cause: anyhow::anyhow!(
                    "{base_url} did not answer: nothing was learnt, and nothing is written"
                ),
            }),
        }
    }
}

fn heading(client: &Client<'_, HttpTarget>) -> String {
    let mut text = String::from(
        "# Inputs and how they ended, written by `svc-contract-tests inputs --learn`: each operation was called once with\n\
         # its sample. Take away what is not fixed, and put in people whom the service knows.\n",
    );
    for environment in Environment::ALL {
        if let Some(address) = client.address(environment) {
            let _ = writeln!(text, "# {environment}: {address}");
        }
    }
    text
}
