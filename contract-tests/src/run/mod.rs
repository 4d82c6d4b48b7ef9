//! The runner: case after case, captured, then judged. Emits events; prints nothing.

mod asked;
mod clauses;
mod filter;
mod heard;
mod judged;
mod order;
mod room;
mod settled;
mod stage;
mod stop;
mod tries;

use std::future;
use std::num::NonZeroUsize;
use std::pin::pin;

use tokio::time::Instant;

use crate::capture::Capture;
use crate::check::Check;
use crate::client::Client;
use crate::event::{Event, RunStarted, Totals};
use crate::plan::Setting;
use crate::target::Target;
use asked::PlannedCheck;
pub use clauses::{clauses, rows};
pub use filter::{Filter, Tag, is_or_below};
pub use judged::{capture_of, judge, judge_again, unplanned};
pub use order::Order;
pub use room::USUAL_ROOM;
use stage::{RunUnderWay, SoFar};
pub use stop::EarlyEnd;
use stop::Patience;
use svc_fixtures::contract::Environment;

/// How much of a run happens at once, in which order, and when it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// How many cases are run at once.
    pub jobs: NonZeroUsize,
    /// After how many failed checks no further case is begun.
    pub max_failures: Option<NonZeroUsize>,
    /// What comes first among equally harmless checks, and among the cases of a check.
    pub order: Order,
    /// How many bytes of bodies are kept for the capture.
    pub kept_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits {
            jobs: NonZeroUsize::MIN,
            max_failures: None,
            order: Order::Listed,
            kept_bytes: USUAL_ROOM,
        }
    }
}

/// Runs checks and judges them, the harmless ones first; answers what was captured and the totals.
/// Every event goes to `emit`, which may mark known deviations in it: the totals count them as known.
///
/// However many cases run at once, events come in the order of the registry, and no case begins
/// before all of the stages before its own are over.
pub async fn run<T: Target>(
    setting: &Setting<'_>,
    checks: &[Check],
    filter: &Filter,
    limits: RunLimits,
    client: &Client<'_, T>,
    emit: &mut dyn FnMut(&mut Event),
) -> (Capture, Totals) {
    let never = future::pending();
    run_until(setting, checks, filter, limits, client, emit, never).await
}

/// The same, until somebody ends it: then no further case is begun, and what is under way is waited for
/// a little longer.
pub async fn run_until<T: Target>(
    setting: &Setting<'_>,
    checks: &[Check],
    filter: &Filter,
    limits: RunLimits,
    client: &Client<'_, T>,
    emit: &mut dyn FnMut(&mut Event),
    ended: impl Future<Output = EarlyEnd>,
) -> (Capture, Totals) {
    let begin = Instant::now();
    let planned = planned(setting, checks, filter, limits.order);
    let address = |environment| Some((environment, client.address(environment)?));
    emit(&mut Event::RunStarted(RunStarted {
        checks: planned.len(),
        cases: planned.iter().map(|planned| planned.cases.len()).sum(),
        seed: setting.seed.clone(),
        profile: setting.profile,
        addresses: Environment::ALL.into_iter().filter_map(address).collect(),
        console: client.console(),
        clauses: clauses(setting, checks, filter),
    }));
    let run = RunUnderWay::new(setting, client, limits);
    let mut ended = pin!(ended);
    let mut patience = Patience::until(ended.as_mut());
    let mut so_far = SoFar {
        captured: Vec::new(),
        totals: Totals::default(),
        emit,
    };
    for stage in planned.chunk_by(|one, next| one.check.stage == next.check.stage) {
        run.stage(stage, &mut patience, &mut so_far).await;
    }
    let SoFar {
        captured,
        mut totals,
        emit,
    } = so_far;
    totals.took_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    totals.spending = client.guard().spending();
    emit(&mut Event::RunFinished(totals));
    (capture_of(setting, captured), totals)
}

/// The checks that are run, with their cases, in order: the harmless ones first.
fn planned<'c>(
    setting: &Setting<'_>,
    checks: &'c [Check],
    filter: &Filter,
    order: Order,
) -> Vec<PlannedCheck<'c>> {
    let seed = setting.seed.as_str();
    let mut planned = asked::plan(setting, checks, filter);
    order.put(seed, &mut planned, |planned| planned.check.id);
    planned.sort_by_key(|planned| planned.check.stage);
    for planned in &mut planned {
        order.put(seed, &mut planned.cases, |case| &case.name);
    }
    planned
}
