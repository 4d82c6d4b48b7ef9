//! What the simulator does, by situation. One binary, one helper: [`scene::Scene`].

#![expect(
    unreachable_pub,
    reason = "one binary: `pub` marks what the tests use of a helper"
)]

mod answers;
mod authentication;
mod catalogue;
mod computed;
mod flow;
mod idempotency;
mod independence;
mod lookups;
mod model;
mod pending;
mod readme;
mod samples;
mod scenario_files;
mod scene;
mod validation;
mod wallet;
