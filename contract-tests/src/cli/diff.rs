//! `diff`: two services, or two captures, beside each other.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use futures_util::FutureExt as _;
use futures_util::future::join;
use svc_fixtures::contract::{Contract, Environment};

use super::connection::{ConnectionArgs, duration};
use super::diff_outputs::DiffOutputArgs;
use super::diff_sides::{LEFT, RIGHT, SidesArgs};
use super::early_end::EndOfRun;
use super::exit::{CommandError, Exit};
use super::judge::load;
use super::outputs::DataSubjects;
use super::run::fresh_seed;
use super::selection::SelectionArgs;
use super::side::{NamedSide, OpenSide, Sent, SidePlan};
use super::{dry_run, say};
use crate::capture::{Capabilities, Capture};
use crate::check::{self, Check};
use crate::diff::compare;
use crate::diff::report::SideReport;
use crate::event::RunStarted;
use crate::plan::Setting;
use crate::plan::setting::SIDES;
use crate::profile::Profile;
use crate::recorded::is_recorded;
use crate::run::{EarlyEnd, Filter, Order, RunLimits};

pub(super) const HELP: &str = "\
Exit codes:
  0  nothing is different but what is known
  1  something is, or a known difference is over or there no more
  2  usage, also a key or an address that is not the service's: nothing was compared
  3  a service did not answer
  4  nothing was compared, or what was found could not be written
  5  a budget did not cover all that was planned, since calls cost more than was known
  6  ended by a signal or --time-limit; nothing was different until then";

/// What is said at the first signal.
const THEN: &str =
    "no further case is begun, and what was compared is reported; once more ends it at once";

/// How many bytes of bodies are kept of each side: all of them, as long as answers are of a usual length.
const KEPT_BYTES: usize = 512 << 20;

/// What to compare.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Two captures, of `run --capture` or recorded traffic: then nothing is sent
    #[arg(value_name = "CAPTURE", num_args = 2)]
    captures: Vec<PathBuf>,
    #[command(flatten)]
    sides: SidesArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
    /// How many cases of each side to run at once
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// End after so long, such as 5m: what was compared by then is reported
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// What is asked of both [default: `simulator` where both are simulators of ours with a console]
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Makes accounts, idempotency keys and references the run's own; the same again repeats a run
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// Print what would be sent to each side and what it can cost at most; send nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    outputs: DiffOutputArgs,
}

impl Diff {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        self.outputs.check_files()?;
        let contract = Contract::built_in();
        match self.captures.as_slice() {
            [left, right] => self.of_captures(&contract, left, right),
            _ => self.of_services(&contract),
        }
    }

    fn of_captures(
        &self,
        contract: &Contract,
        left: &PathBuf,
        right: &PathBuf,
    ) -> Result<Exit, CommandError> {
        let captures = [load(left)?, load(right)?];
        if self.sides.names_a_service() {
            say("two captures are compared: no service is asked, whatever addresses are given");
        }
        if captures.iter().any(has_stand_ins) {
            say(STAND_INS);
        }
        let known = self.selection.inputs(contract)?;
        let setting = Setting::of(contract, known, &captures[0]);
        let checks = self.checks(&setting)?;
        let local = captures.iter().all(|capture| capture.local);
        let names = [left, right].map(|path| path.display().to_string());
        let sides = names.map(|name| SideReport {
            name,
            started: RunStarted::default(),
        });
        let subject = DataSubjects::of(local);
        let [left, right] = &captures;
        let comparison = compare(&setting, &checks, left, right);
        let everything = !self.selection.narrows();
        self.outputs
            .close(&setting, comparison, sides, subject, everything)
    }

    /// Those that were asked for.
    fn checks(&self, setting: &Setting<'_>) -> Result<Vec<Check>, CommandError> {
        let filter = self.selection.filter(setting)?;
        let mut checks = compared();
        if self.selection.narrows() {
            let wide = setting.clone().anywhere();
            checks.retain(|check| filter.allows_check(check, &wide));
        }
        Ok(checks)
    }

    fn of_services(&self, contract: &Contract) -> Result<Exit, CommandError> {
        let [left, right] = self.sides.both()?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let open = |side: NamedSide| runtime.block_on(side.open(&self.connection));
        let mut sides = [open(left)?, open(right)?];
        let simulators = sides.iter().all(OpenSide::is_simulator);
        let profile = match simulators {
            true => Profile::Simulator,
            false => Profile::Provider,
        };
        let profile = self.profile.unwrap_or(profile);
        for side in &mut sides {
            // What one side has no console for is asked of neither.
            side.console = side.console.take().filter(|_| simulators);
        }
        let live = sides.iter().all(|side| side.live.is_some());
        let base = self.seed.clone().unwrap_or_else(fresh_seed);
        let (contract, inputs) = &self.selection.known_to_service(contract.clone())?;
        let setting = |side: &OpenSide, name: &str| {
            let mut setting = Setting::new(contract, inputs.clone(), format!("{base}{name}"));
            setting
                .environments
                .extend(live.then_some(Environment::Live));
            setting.profile = profile;
            setting.prices = side.budget.prices(contract)?;
            Ok::<_, CommandError>(setting)
        };
        let mut settings = [setting(&sides[0], SIDES[0])?, setting(&sides[1], SIDES[1])?];
        for (side, setting) in sides.iter_mut().zip(&mut settings) {
            runtime.block_on(side.receive(contract, setting))?;
        }
        let common = common(&settings[0].capabilities, &settings[1].capabilities);
        let [mut keys, others] = [0, 1].map(|at| sides[at].ring.kinds(settings[at].by_rulings()));
        keys.retain(|key| others.contains(key));
        for (side, setting) in sides.iter_mut().zip(&mut settings) {
            narrow(&mut setting.capabilities, common);
            setting.capabilities.keys.clone_from(&keys);
            if !common.received() {
                side.sink = None;
            }
        }
        let filter = self.filter(&sides, &settings)?;
        if self.dry_run {
            return self.describe(&sides, &settings, &filter);
        }
        let checks = compared();
        let sent = runtime.block_on(self.send(&mut sides, &settings, &checks, &filter))?;
        self.compared(&sides, &settings, &checks, sent)
    }

    /// Compares what was sent, reports it, and says what the process ends with.
    fn compared(
        &self,
        sides: &[OpenSide; 2],
        settings: &[Setting<'_>; 2],
        checks: &[Check],
        sent: [(Sent, Option<EarlyEnd>); 2],
    ) -> Result<Exit, CommandError> {
        let ended = sent[0].1;
        let [(left, _), (right, _)] = sent;
        let subject = DataSubjects::of(sides.iter().all(|side| side.here));
        let captures = [&left.capture, &right.capture];
        self.outputs.save(settings, checks, captures, subject)?;
        let comparison = compare(&settings[0], checks, &left.capture, &right.capture);
        let unreachable = left.totals.unreachable + right.totals.unreachable > 0;
        let exit = match comparison.cases {
            0 if unreachable => Exit::Unreachable,
            0 => Exit::Nothing,
            _ if left.shortened || right.shortened => Exit::Budget,
            _ if ended.is_some() => Exit::Early,
            _ if unreachable => Exit::Unreachable,
            _ => Exit::Held,
        };
        let everything = !self.selection.narrows() && exit == Exit::Held;
        let reports = [LEFT.report(&sides[0]), RIGHT.report(&sides[1])];
        let found = self
            .outputs
            .close(&settings[0], comparison, reports, subject, everything)?;
        Ok(match found {
            Exit::Held | Exit::Nothing => exit,
            _ => found,
        })
    }

    /// One plan for both: what either side's budget leaves out is sent to neither.
    fn filter(
        &self,
        sides: &[OpenSide; 2],
        settings: &[Setting<'_>; 2],
    ) -> Result<Filter, CommandError> {
        let mut filter = self.selection.filter(&settings[0])?;
        let mut out = std::collections::BTreeSet::new();
        for (side, setting) in sides.iter().zip(settings) {
            let key = side.ring.live.as_ref();
            out.extend(
                side.budget
                    .left_out(side.live.as_ref(), key, setting, &filter)?,
            );
        }
        if !out.is_empty() {
            say(format_args!(
                "{} cases can cost more than a side may spend: they are sent to neither",
                out.len()
            ));
            let checks = compared();
            let of = |check: &Check| {
                let cases = filter.cases(check, &settings[0]).into_iter();
                cases
                    .map(|case| (check.id.to_owned(), case.name))
                    .collect::<Vec<_>>()
            };
            let all = checks.iter().flat_map(of);
            filter.only = Some(all.filter(|name| !out.contains(name)).collect());
        }
        Ok(filter)
    }

    fn describe(
        &self,
        sides: &[OpenSide; 2],
        settings: &[Setting<'_>; 2],
        filter: &Filter,
    ) -> Result<Exit, CommandError> {
        for (side, setting) in sides.iter().zip(settings) {
            say(format_args!("{}: {}", side.flags.name, side.sandbox));
            let (live, key) = (side.live.as_ref(), side.ring.live.as_ref());
            let plan = side.budget.plan(live, key, setting, filter)?;
            let words = side.budget.describe(live, key);
            let out = std::io::stdout().lock();
            dry_run::print(out, setting, filter, plan.as_ref(), &words)?;
        }
        Ok(Exit::Held)
    }

    /// Sends all of it to both: at the same time, unless they share accounts.
    async fn send(
        &self,
        sides: &mut [OpenSide; 2],
        settings: &[Setting<'_>; 2],
        checks: &[Check],
        filter: &Filter,
    ) -> Result<[(Sent, Option<EarlyEnd>); 2], CommandError> {
        let mut end = EndOfRun::listen(self.time_limit, THEN).context("signals can't be heard")?;
        let shares = sides[0].shares_accounts(&sides[1]);
        let [left, right] = sides;
        let ([left_setting, right_setting], came) = (settings, std::cell::Cell::new(None));
        let guards = (
            left.guard(left_setting, filter)?,
            right.guard(right_setting, filter)?,
        );
        let ended = async {
            let why = end.wait().await;
            came.set(Some(why));
            why
        };
        let ended = ended.boxed_local().shared();
        let plan = SidePlan {
            checks,
            filter,
            connection: &self.connection,
            limits: RunLimits {
                jobs: self.jobs,
                max_failures: None,
                order: Order::Listed,
                kept_bytes: KEPT_BYTES,
            },
        };
        let first = left.send(&plan, left_setting, guards.0, ended.clone());
        let second = right.send(&plan, right_setting, guards.1, ended.clone());
        let (first, second) = match shares {
            true => (first.await, second.await),
            false => join(first, second).await,
        };
        Ok([(first?, came.get()), (second?, came.get())])
    }
}

/// What is to be said where captures of recorded traffic have stand-ins for people.
const STAND_INS: &str = "a capture has stand-ins for people, counted as they appear in it: where the two did not ask the same in \
                         one order, a stand-in is another person in each, and what is different may be no more than that";

/// Whether a capture is of recorded traffic of a service that may answer with real people.
fn has_stand_ins(capture: &Capture) -> bool {
    !capture.local && capture.cases.iter().any(is_recorded)
}

/// What can be done with both services beside calling them.
#[derive(Clone, Copy)]
struct Common {
    control: bool,
    sink: bool,
    registered: bool,
}

impl Common {
    fn received(self) -> bool {
        self.sink || self.registered
    }
}

fn common(left: &Capabilities, right: &Capabilities) -> Common {
    let both = |has: fn(&Capabilities) -> bool| has(left) && has(right);
    Common {
        control: both(|it| it.control.is_some() && it.movable_clock),
        sink: both(|it| it.webhook_sink.is_some()),
        registered: both(|it| it.registered),
    }
}

fn narrow(own: &mut Capabilities, common: Common) {
    if !common.control {
        own.control = None;
        own.movable_clock = false;
    }
    if !common.sink {
        own.webhook_sink = None;
    }
    own.registered &= common.registered;
}

/// The checks whose calls are sent to both sides. How a service asks for keys is seen at one operation.
fn compared() -> Vec<Check> {
    let mut checks = check::all();
    checks.retain(|check| check.id != "authentication.everywhere");
    checks
}
