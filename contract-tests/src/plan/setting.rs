//! What a run is made for: the contract, where it is sent, and what may be asked there.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{ClauseKind, Contract, Operation};

use super::inputs::Input;
use crate::capture::{Capabilities, Capture, Channel, KeyKind};
use crate::prices::PriceList;
use crate::profile::Profile;
use svc_fixtures::contract::Environment;

/// What a run is made for. The same setting makes the same plan.
#[derive(Debug, Clone)]
pub struct Setting<'c> {
    /// The contract.
    pub contract: &'c Contract,
    /// The inputs whose outcome the specification fixes.
    pub inputs: Vec<Input>,
    /// What calls cost at this provider, where a list says so.
    pub prices: PriceList,
    /// Makes the run's accounts, keys and references its own.
    pub seed: String,
    /// Where calls are sent.
    pub environments: Vec<Environment>,
    /// By which rules the service is judged.
    pub profile: Profile,
    /// Whether answers come over HTTP, with all their headers.
    pub http: bool,
    /// What can be done with the service beside calling it.
    pub capabilities: Capabilities,
    /// Asked for each thing that is judged.
    rulings: HashSet<&'c str, FixedState>,
}

impl<'c> Setting<'c> {
    /// The sandbox only, over HTTP, nothing that only our rulings say.
    #[must_use]
    pub fn new(contract: &'c Contract, inputs: Vec<Input>, seed: impl Into<String>) -> Self {
        let clauses = contract.clauses.iter();
        let rulings = clauses.filter(|clause| clause.kind == ClauseKind::Extension);
        Setting {
            contract,
            inputs,
            prices: PriceList::default(),
            seed: seed.into(),
            environments: vec![Environment::Test],
            profile: Profile::Provider,
            http: true,
            capabilities: Capabilities::default(),
            rulings: rulings.map(|clause| clause.id.as_str()).collect(),
        }
    }

    /// The same, but everything is asked, on both environments: for simulators.
    #[must_use]
    pub fn everything(self) -> Self {
        Setting {
            capabilities: Capabilities {
                control: Some(String::new()),
                movable_clock: true,
                webhook_sink: Some(String::new()),
                registered: false,
                keys: KeyKind::of_simulator(),
            },
            environments: vec![Environment::Test, Environment::Live],
            profile: Profile::Simulator,
            ..self
        }
    }

    /// The same, with all that can be asked of any service: for lists of what there is.
    #[must_use]
    pub fn anywhere(self) -> Self {
        let mut setting = self.everything();
        setting.capabilities.registered = true;
        setting
    }

    /// The same, but in this process, where no HTTP puts its own headers on.
    #[must_use]
    pub fn in_process(self) -> Self {
        Setting {
            http: false,
            ..self
        }
    }

    /// The setting a capture was made in.
    #[must_use]
    pub fn of(contract: &'c Contract, inputs: Vec<Input>, capture: &Capture) -> Self {
        Setting {
            environments: capture.environments.clone(),
            profile: capture.profile,
            prices: capture.prices.clone(),
            http: capture.http,
            capabilities: capture.capabilities.clone(),
            ..Setting::new(contract, inputs, capture.seed.clone())
        }
    }

    /// What a case is made for that was tried so often before: with keys of its own.
    #[must_use]
    pub fn of_try(&self, try_: usize) -> Self {
        Setting {
            seed: of_try(&self.seed, try_),
            ..self.clone()
        }
    }

    /// What strangers are drawn by: of two services that are compared the same.
    #[must_use]
    pub fn drawn_by(&self) -> String {
        let parts = SIDES.iter().find_map(|side| self.seed.rsplit_once(side));
        let parts = parts.filter(|(_, rest)| rest.is_empty() || rest.starts_with('-'));
        parts.map_or_else(|| self.seed.clone(), |(base, rest)| format!("{base}{rest}"))
    }

    /// Whether a request of this kind can be made.
    #[must_use]
    pub fn can_use(&self, channel: Channel) -> bool {
        match channel {
            Channel::Api | Channel::Page => true,
            Channel::Console => {
                self.capabilities.control.is_some() && self.capabilities.movable_clock
            }
            Channel::Sink => self.capabilities.webhook_sink.is_some(),
            Channel::Registered => self.capabilities.registered,
            // Only the service sends these.
            Channel::Webhook => false,
        }
    }

    /// The secret that webhooks of a check's own account are signed with. It is the run's own and
    /// worth nothing elsewhere.
    #[must_use]
    pub fn webhook_secret(&self) -> String {
        format!("whsec_{}", self.seed)
    }

    /// Whether what only our rulings say is asked, too.
    #[must_use]
    pub fn by_rulings(&self) -> bool {
        self.profile == Profile::Simulator
    }

    /// Whether a clause is asked here: what only a ruling says is not asked of a real host.
    #[must_use]
    pub fn covers(&self, clause: &str) -> bool {
        self.by_rulings() || !self.rulings.contains(clause)
    }

    /// Whether there is such a key beside the run's own.
    #[must_use]
    pub fn has_key(&self, environment: Environment, kind: KeyKind) -> bool {
        let here = self.environments.contains(&environment);
        here && self.capabilities.keys.contains(&(environment, kind))
    }

    /// Whether live calls are made.
    #[must_use]
    pub fn live(&self) -> bool {
        self.environments.contains(&Environment::Live)
    }

    /// Every operation that is asked here: of those that only a ruling adds, whose inputs are given, so that it is there.
    pub fn operations(&self) -> impl Iterator<Item = &'c Operation> {
        let named = |operation: &Operation| self.inputs.iter().any(|it| it.names(operation));
        let asked = move |it: &&Operation| self.by_rulings() || !it.extension || named(it);
        self.contract.operations.iter().filter(asked)
    }

    /// The operation that a path calls.
    #[must_use]
    pub fn operation_at(&self, path: &str) -> Option<&'c Operation> {
        of_path(self.contract, path)
    }
}

/// The operation that a path calls.
#[must_use]
pub(crate) fn of_path<'c>(contract: &'c Contract, path: &str) -> Option<&'c Operation> {
    let called = |operation: &&Operation| match operation.path.strip_suffix('*') {
        None => operation.path == path,
        Some(before) => {
            let rest = path.strip_prefix(before).unwrap_or_default();
            !rest.is_empty() && !rest.contains('/')
        }
    };
    contract.operations.iter().find(called)
}

/// What the seeds of two services that are compared end in: their keys and references never meet.
pub const SIDES: [&str; 2] = ["-l", "-r"];

/// The seed of a try: that of the run for the first one.
#[must_use]
pub(crate) fn of_try(seed: &str, try_: usize) -> String {
    match try_ {
        0 => seed.to_owned(),
        again => format!("{seed}-{}", again + 1),
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::reading::Source;

    use super::*;
    use crate::plan::inputs;

    #[test]
    fn an_operation_that_only_a_ruling_adds_is_asked_where_it_has_an_input() {
        let contract = Contract::built_in();
        let mut operations = contract.operations.iter();
        let added = operations.find(|it| it.extension).expect("there is one");
        let asked = |inputs: Vec<Input>| {
            let setting = Setting::new(&contract, inputs, "s");
            setting.operations().any(|it| it.id == added.id)
        };
        let (_, field) = added.identifiers().next().expect("it has one");
        let text = format!(
            "[[input]]\noperation = \"{}\"\nfield = \"{}\"\nvalue = \"1\"\nends = \"completed\"\n",
            added.id, field.name
        );
        let own = inputs::read(&contract, &Source::new("mine.toml", text), &[]).expect("it reads");
        assert!(!asked(inputs::built_in()));
        assert!(asked([inputs::built_in(), own].concat()));
    }
}
