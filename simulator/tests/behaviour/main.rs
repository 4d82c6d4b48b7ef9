//! What the simulator does, by situation. One binary, one helper: [`scene::Scene`].

mod answers;
mod authentication;
mod flow;
mod idempotency;
mod pending;
mod scene;
mod validation;
mod wallet;
mod model;
mod lookups;
