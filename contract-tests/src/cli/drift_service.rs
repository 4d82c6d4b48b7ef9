//! The service that `drift` asks: its arguments, the plan that is sent to it, and what came of that.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use svc_fixtures::contract::{Contract, Environment, Paise};

use super::budget::{BudgetArgs, rupees};
use super::connection::{ConnectionArgs, duration};
use super::early_end::EndOfRun;
use super::execution::report_capabilities;
use super::exit::{CommandError, Exit};
use super::keys::KeyFlags;
use super::receiver::ReceiverArgs;
use super::run::{fresh_seed, profile_of};
use super::selection::SelectionArgs;
use super::side::{GivenSide, Sent, SideFlags, SidePlan};
use super::{Choice, dry_run, outputs, say};
use crate::capture::Capture;
use crate::check::{self, Check};
use crate::personal::{self, PersonalMembers, Pseudonyms};
use crate::plan::Setting;
use crate::redact::Secret;
use crate::run::{EarlyEnd, Order, RunLimits};

/// What is said at the first signal.
const THEN: &str =
    "no further case is begun, and what was answered is compared; once more ends it at once";

/// How many bytes of bodies are kept: all of them, as long as answers are of a usual length.
const KEPT_BYTES: usize = 512 << 20;

/// Its arguments are those of `run`.
const SERVICE: SideFlags = SideFlags {
    name: "service",
    keys: KeyFlags::RUN,
    otherwise: "drift takes the address of a service, or a capture",
};

/// A service to ask, where there is no capture.
#[derive(Debug, Args)]
#[command(next_help_heading = "A service in the place of a capture")]
pub(super) struct ServiceArgs {
    /// The address of the sandbox, such as http://127.0.0.1:8801
    #[arg(long, env = "SVC_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// The address of live; one that is not on this machine needs --live-key, too
    #[arg(long, env = "SVC_LIVE_URL", value_name = "URL")]
    live_url: Option<String>,
    /// The sandbox's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<Secret>,
    /// Live's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_LIVE_KEY", hide_env_values = true, value_name = "KEY")]
    live_key: Option<Secret>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// What live calls may cost in all. Without it only calls that cost nothing are sent to a live service that is
    /// not a simulator on this machine
    #[arg(long, value_name = "INR", value_parser = rupees)]
    budget_inr: Option<Paise>,
    /// Where it is written down what was spent [default: as `run` has it]
    #[arg(long, value_name = "FILE", requires = "budget_inr")]
    spend_file: Option<PathBuf>,
    /// What calls cost at this provider, in INR by endpoint: TOML or JSON
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectionArgs,
    /// How many cases to run at once
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// End after so long, such as 5m: what was answered by then is compared
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// The address of the service's console [default: that of a simulator on this machine, where it is found]
    #[arg(long, env = "SVC_CONSOLE_URL", value_name = "URL")]
    console_url: Option<String>,
    #[command(flatten)]
    receiver: ReceiverArgs,
    /// Makes accounts, idempotency keys and references the run's own; the same again repeats a run
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// Print what would be sent and what it can cost at most; send nothing
    #[arg(long)]
    dry_run: bool,
    /// Save what was sent and answered, to compare it again
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
}

impl ServiceArgs {
    /// Sends the plan; answers what came, and what the process ends with where the rows agree with it. None where
    /// nothing was to be sent.
    pub(super) fn ask(
        &self,
        contract: &Contract,
        show: Choice,
    ) -> Result<Option<(Capture, Exit)>, CommandError> {
        let given = GivenSide {
            flags: SERVICE,
            sandbox: &self.base_url,
            live: &self.live_url,
            keys: [&self.api_key, &self.live_key],
            given: None,
            console: &self.console_url,
        };
        let (spend_file, prices) = (self.spend_file.clone(), self.prices.clone());
        let budget = BudgetArgs::of(self.budget_inr, spend_file, prices);
        let side = given.side(budget, self.receiver.clone())?;
        if let Some(path) = &self.capture {
            outputs::writable(path)?;
        }
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let mut side = runtime.block_on(side.open(&self.connection))?;
        let (contract, inputs) = &self.selection.known_to_service(contract.clone())?;
        let seed = self.seed.clone().unwrap_or_else(fresh_seed);
        let mut setting = Setting::new(contract, inputs.clone(), seed);
        let live = side.live.is_some().then_some(Environment::Live);
        setting.environments.extend(live);
        setting.profile = profile_of(side.console.as_ref(), &side.sandbox);
        setting.prices = side.budget.prices(contract)?;
        runtime.block_on(side.receive(contract, &mut setting))?;
        let filter = self.selection.filter(&setting)?;
        let (live, key) = (side.live.as_ref(), side.ring.live.as_ref());
        if self.dry_run {
            let plan = side.budget.plan(live, key, &setting, &filter)?;
            let words = side.budget.describe(live, key);
            let out = std::io::stdout().lock();
            dry_run::print(out, &setting, &filter, plan.as_ref(), &words)?;
            return Ok(None);
        }
        report_capabilities(&setting.capabilities, side.sink.as_ref());
        let checks = check::all();
        let plan = SidePlan {
            checks: &checks,
            filter: &filter,
            connection: &self.connection,
            limits: RunLimits {
                jobs: self.jobs,
                max_failures: None,
                order: Order::Listed,
                kept_bytes: KEPT_BYTES,
            },
        };
        let guard = side.guard(&setting, &filter)?;
        let sent = runtime.block_on(async {
            let listen = EndOfRun::listen(self.time_limit, THEN);
            let mut end = listen.context("signals can't be heard")?;
            let sent = side.send(&plan, &setting, guard, end.wait()).await?;
            Ok::<_, CommandError>((sent, end.came()))
        });
        let (mut sent, early) = sent?;
        sent.capture.local = show.or(sent.capture.local);
        self.save(&setting, &checks, &sent.capture)?;
        let exit = end(&sent, early);
        Ok(Some((sent.capture, exit)))
    }

    /// Saves what was answered, where that is asked for.
    fn save(
        &self,
        setting: &Setting<'_>,
        checks: &[Check],
        capture: &Capture,
    ) -> Result<(), CommandError> {
        let Some(path) = &self.capture else {
            return Ok(());
        };
        let text = match capture.local {
            true => capture.to_json(),
            false => {
                let mut pseudonyms = Pseudonyms::of(PersonalMembers::of(setting.contract));
                personal::without_personal_data(setting, checks, capture, &mut pseudonyms).to_json()
            }
        };
        outputs::write(path, &text.context("the capture can't be printed")?)
    }
}

/// What the process ends with where the rows agree with all that came.
fn end(sent: &Sent, early: Option<EarlyEnd>) -> Exit {
    if let Some(early) = early {
        say(format_args!("ended early: {early}"));
    }
    match early {
        _ if sent.shortened => Exit::Budget,
        Some(_) => Exit::Early,
        None if sent.totals.unreachable > 0 => Exit::Unreachable,
        None => Exit::Held,
    }
}
