//! `run`: the checks against a service somewhere on the net.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use reqwest::Url;
use svc_fixtures::contract::Contract;

use super::budget::{self, BudgetArgs};
use super::execution::{self, ExecutionArgs};
use super::exit::{CommandError, Exit};
use super::outputs::{self, DataSubjects, EventFanout, OutputArgs};
use super::selection::SelectionArgs;
use super::{dry_run, given_keys, keys, preflight, receiver, say};
use crate::capture::Capture;
use crate::check;
use crate::client::{Client, Keyring};
use crate::event::Event;
use crate::plan::Setting;
use crate::profile::Profile;
use crate::redact::Secret;
use crate::run::{self, Filter};
use crate::target::{Console, HttpTarget};
use svc_fixtures::contract::Environment;

/// What to run, and against what.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The address of the sandbox, such as http://127.0.0.1:8801
    #[arg(long, env = "SVC_BASE_URL", value_name = "URL")]
    base_url: String,
    /// The address of live; one that is not on this machine needs --live-key, too
    #[arg(long, env = "SVC_LIVE_URL", value_name = "URL")]
    live_url: Option<String>,
    /// The sandbox's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<Secret>,
    /// Live's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_LIVE_KEY", hide_env_values = true, value_name = "KEY")]
    live_key: Option<Secret>,
    /// Keys that the provider gave beside these two, by what is the matter with each: TOML with the tables `sandbox` and
    /// `live`, and in them `revoked`, `rotated`, `expired`, `blocked`, `limited` or `poor`
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    execution: ExecutionArgs,
    /// By which rules to judge [default: `simulator` where the console says that it is one]
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Makes accounts, idempotency keys and references the run's own; the same again repeats a run
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// Print what would be sent and what it can cost at most; send nothing
    #[arg(long)]
    dry_run: bool,
    /// Save what was sent and answered: `judge` judges it again, `replay` sends a case again
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    capture: Option<PathBuf>,
    #[command(flatten)]
    outputs: OutputArgs,
}

/// What its arguments are called.
const OF_RUN: keys::KeyFlags = keys::KeyFlags::RUN;

/// Cases that are sent again.
pub(super) struct RepeatedCases {
    /// Which, by check and name.
    pub(super) cases: BTreeSet<(String, String)>,
    /// By which rules they were judged when they were captured.
    pub(super) profile: Profile,
}

impl Run {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        self.go(None)
    }

    /// Sends captured cases again, with this run's keys and references.
    pub(super) fn send_again(&self, again: &RepeatedCases) -> Result<Exit, CommandError> {
        self.go(Some(again))
    }

    /// What `--check` says.
    pub(super) fn checks(&self) -> &[String] {
        self.selection.checks()
    }

    fn go(&self, again: Option<&RepeatedCases>) -> Result<Exit, CommandError> {
        let sandbox = keys::address("--base-url", &self.base_url)?;
        let live = self.live_url.as_deref();
        let live = live.map(|text| keys::address("--live-url", text));
        let live = live.transpose()?;
        let ring = self.ring(&sandbox, live.as_ref())?;
        let (contract, inputs) = self.selection.known_to_service(Contract::built_in())?;
        let mut setting = Setting::new(
            &contract,
            inputs,
            self.seed.clone().unwrap_or_else(fresh_seed),
        );
        setting
            .environments
            .extend(live.is_some().then_some(Environment::Live));
        let here = is_here(&sandbox, live.as_ref(), &ring);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let console = runtime.block_on(self.execution.console(&sandbox))?;
        let before = again.map(|again| again.profile);
        setting.prices = self.budget.prices(&contract)?;
        let profile = profile_of(console.as_ref(), &sandbox);
        setting.profile = self.profile.or(before).unwrap_or(profile);
        let console = console.filter(|console| is_usable(console, &sandbox, setting.profile));
        let usable = self.execution.names_console() || !is_given(&ring);
        let console = console.filter(|_| usable);
        let mut filter = self.selection.filter(&setting)?;
        filter.only = again.map(|again| again.cases.clone());
        let receiver = self.execution.receiver();
        let sink = runtime.block_on(receiver.open(console.as_ref(), &contract, &ring, true))?;
        let found = console.as_ref().map(|it| it.capabilities.clone());
        setting.capabilities = found.unwrap_or_default();
        receiver::add(&mut setting.capabilities, sink.as_ref());
        setting.capabilities.keys = ring.kinds(setting.by_rulings());
        if self.dry_run {
            let budget = self.budget.describe(live.as_ref(), ring.live.as_ref());
            let key = ring.live.as_ref();
            let plan = self.budget.plan(live.as_ref(), key, &setting, &filter)?;
            let out = io::stdout().lock();
            dry_run::print(out, &setting, &filter, plan.as_ref(), &budget)?;
            return Ok(Exit::Held);
        }
        execution::report_capabilities(&setting.capabilities, sink.as_ref());
        let subject = DataSubjects::of(here);
        let checks = check::all();
        if let Some(path) = &self.capture {
            outputs::writable(path)?;
        }
        let fanout = self.outputs.open(&setting, &checks, subject)?;
        let guard = self
            .budget
            .guard(live.as_ref(), ring.live.as_ref(), &setting, &filter)?;
        let target = HttpTarget::new(
            sandbox,
            live,
            self.execution.connection().timeouts(),
            &self.execution.connection().tls()?,
        );
        let target = target.map_err(|error| CommandError::usage(error.to_string()))?;
        let target = target.with_console(console.map(|console| console.url));
        let pace = self.execution.connection().pace();
        runtime.block_on(preflight::ask(&OF_RUN, &setting, &target, &ring, pace))?;
        let client = Client::new(&target, ring, &setting)
            .guarded(guard)
            .paced(self.execution.connection().pace())
            .waiting_for_results(receiver.result_wait())
            .with_sink(sink);
        runtime.block_on(self.judge(fanout, &filter, &client, subject))
    }

    /// The keys that the arguments name.
    fn ring(&self, sandbox: &Url, live: Option<&Url>) -> Result<Keyring, CommandError> {
        let (test_key, live_key) = (self.api_key.as_ref(), self.live_key.as_ref());
        let mut ring = keys::ring(&OF_RUN, sandbox, live, test_key, live_key)?;
        if let Some(path) = &self.keys {
            ring.given = given_keys::read("--keys", path)?;
        }
        Ok(ring)
    }

    async fn judge(
        &self,
        mut fanout: EventFanout<'_>,
        filter: &Filter,
        client: &Client<'_, HttpTarget>,
        subject: DataSubjects,
    ) -> Result<Exit, CommandError> {
        let (setting, checks) = (fanout.setting(), fanout.checks());
        let mut emit = |event: &mut Event| fanout.take(event);
        let kept = self.capture.is_some() || self.outputs.saves_failures();
        let kept_bytes = if kept { run::USUAL_ROOM } else { 0 };
        let limits = self.execution.limits(kept_bytes);
        let mut end = self.execution.end_of_run()?;
        let ended = end.wait();
        let run = run::run_until(setting, checks, filter, limits, client, &mut emit, ended);
        let (capture, _) = run.await;
        // Before anything else can fail: what was spent is reported, and the journal gets its end.
        budget::report_spending(client.guard(), end.came());
        if let Some(early) = end.came() {
            say(format_args!("ended early: {early}"));
        }
        let local = subject == DataSubjects::Invented;
        let capture = Capture { local, ..capture };
        if let Some(path) = &self.capture {
            let text = fanout.savable(&capture).to_json();
            outputs::write(path, &text.context("the capture can't be printed")?)?;
        }
        fanout.close(&capture, client.guard().shortened().as_ref(), end.came())
    }
}

/// The rules of a simulator are only asked of what says that it is one.
pub(super) fn profile_of(console: Option<&Console>, base: &Url) -> Profile {
    match console.is_some_and(|console| console.simulates(base)) {
        true => Profile::Simulator,
        false => Profile::Provider,
    }
}

/// Whether somebody gave a key of one account: what a console that was only found could do to that, others may
/// notice.
pub(super) fn is_given(ring: &Keyring) -> bool {
    let mut own = [&ring.test, &ring.live].into_iter().flatten();
    own.any(|key| !key.copies)
}

/// The console of a simulator that is another service says nothing of the one that is judged, and moves none of its
/// clocks; who says that it is a simulator after all is believed.
pub(super) fn is_usable(console: &Console, base: &Url, profile: Profile) -> bool {
    let another = !console.simulated.is_empty() && !console.simulates(base);
    let usable = !another || profile == Profile::Simulator;
    if !usable {
        say(format_args!(
            "console {}: is that of a simulator at {}, not of {base}: it is not used; --profile simulator says otherwise",
            console.url, console.simulated[0]
        ));
    }
    usable
}

/// Whether all that is sent to is on this machine. Behind a live listener that asks for a key which
/// no simulator has may be real people: it may be a tunnel.
pub(super) fn is_here(sandbox: &Url, live: Option<&Url>, ring: &Keyring) -> bool {
    let simulated = |live| keys::is_simulator(live, ring.live.as_ref());
    keys::is_loopback(sandbox) && live.is_none_or(simulated)
}

/// A seed that no run before had.
#[expect(
    clippy::disallowed_methods,
    reason = "a run needs keys of its own; the seed is printed, so that it can be repeated"
)]
pub(super) fn fresh_seed() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    format!("r{:x}", since.as_millis())
}
