//! A call from its bytes to its reply, as the listeners hand it to the host.

use std::sync::Arc;

use divan::Bencher;
use futures_util::FutureExt as _;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::Call;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::{Host, HostConfig};

use super::given::{INPUTS, Kind, Person, START, config, rules};

/// Of an account that already keeps as many calls as it may.
#[divan::bench(args = Kind::ALL)]
fn answer(bencher: Bencher<'_, '_>, kind: Kind) {
    let host_config = HostConfig::new(Clock::manual(START));
    let keeps = host_config.memory_limits.retention.calls;
    let host = Host::new(rules().clone(), vec![config().clone()], host_config);
    let host = host.expect("no journal fails");
    // Asked in turn, and soon repeated: only an idempotency key makes that a replay.
    let asked: Vec<_> = (0..INPUTS)
        .map(|at| kind.asked(Person::Other(at)))
        .collect();
    let calls: Vec<_> = asked.iter().map(|asked| asked.call()).collect();
    let mut turn = calls.iter().cycle();
    let mut next = || answered(&host, turn.next().expect("it never ends"));
    for _ in 0..=keeps {
        next();
    }
    kind.assert_is(&next());
    bencher.bench_local(next);
}

/// Nothing is held back, so that the answer is there at once.
fn answered(host: &Arc<Host>, call: &Call<'_>) -> Reply {
    let reply = host.answer(call).now_or_never();
    reply.expect("it waits for nothing")
}
