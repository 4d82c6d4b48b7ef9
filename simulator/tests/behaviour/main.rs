//! What the simulator does, by situation. One binary, one helper: [`scene::Scene`].

mod answers;
mod assets;
mod audit;
mod authentication;
mod broken;
mod bundles;
mod catalogue;
mod computed;
mod deliveries;
mod flow;
mod generated;
mod hostile;
mod idempotency;
mod independence;
mod lookups;
mod model;
mod openapi;
mod pending;
mod properties;
mod readme;
mod samples;
mod scenario_files;
mod scene;
mod story;
mod validation;
mod wallet;
