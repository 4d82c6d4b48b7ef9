//! The rules that scenes go by: the built-in ones are read once for each seed that many have.

use std::sync::LazyLock;

use svc_fixtures::reading::Source;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;

/// Read once: most scenes need no others.
pub(crate) static DEFAULT_RULES: LazyLock<Rules> =
    LazyLock::new(|| read(&Files::built_in(), "seed"));

static UNSEEDED_RULES: LazyLock<Rules> = LazyLock::new(|| read(&Files::built_in(), ""));

/// The rules of a simulator with scenarios of a user before the built-in ones.
pub(crate) fn rules(scenarios: &str, seed: &str) -> Rules {
    let base = match seed {
        "seed" => DEFAULT_RULES.clone(),
        "" => UNSEEDED_RULES.clone(),
        other => read(&Files::built_in(), other),
    };
    let user = Source::new("user.toml", scenarios);
    let built_in = base.sources().iter().cloned();
    let files: Vec<_> = [user].into_iter().chain(built_in).collect();
    let rules = base.with_scenarios_replaced(&files);
    rules.unwrap_or_else(|problems| panic!("{problems}"))
}

pub(crate) fn read(files: &Files, seed: &str) -> Rules {
    Rules::read(files, Seed::new(seed)).unwrap_or_else(|problems| panic!("{problems}"))
}
