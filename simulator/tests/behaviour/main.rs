//! What the simulator does, by situation. One binary, one helper: [`scene::Scene`].

mod answers;
mod assets;
mod audit;
mod authentication;
mod bundles;
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
