//! Everything calls are decided by, compiled once and never changed: contract, answers, scenarios.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use smallvec::SmallVec;
use svc_fixtures::contract::{Bundle, Contract, OperationIndex, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problems, Source};
use svc_fixtures::sample::{self, Extent};
use svc_fixtures::template::{self, Answers, Character, Template};
use svc_fixtures::world::WorldRows;

use super::call_settings::CallSettings;
use super::input::Input;
use super::request::Environment;
use super::response::{
    AllAddresses, DeclaredSubjects, NoRecord, ResponseTemplate, Sources, Story, changed,
    of_attributes,
};
use super::route::Router;
use crate::engine::compute;
use crate::engine::state::flow::{self, StepOf};
use crate::engine::state::ids::{Seed, VerificationId};
use crate::scenario::{
    Condition, Outcome, OutcomeKind, PatchIndex, ResponsePatch, ScenarioIndex, ScenarioSet,
    read_scenarios,
};
use crate::world::{Population, World};

/// What calls are decided by.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The contract.
    pub contract: Arc<Contract>,
    /// Which paths there are.
    pub router: Arc<Router>,
    /// The people and companies the answers speak of.
    pub story: Arc<Story>,
    /// Which outcome an input gets.
    pub scenarios: Arc<ScenarioSet>,
    /// Where each operation stands in the flows.
    pub steps: Vec<Option<StepOf>>,
    /// Which of the population those are whom scenarios declare.
    pub declared: Arc<DeclaredSubjects>,
    /// What ids depend on.
    pub seed: Seed,
    /// Everybody there is.
    pub population: Population,
    /// Where the simulator is reached; whoever listens elsewhere says so here.
    pub addresses: AllAddresses,
    /// How all calls are treated.
    pub settings: CallSettings,
    endpoints: Arc<[Arc<str>]>,
    /// The endpoints whose live answers are audited.
    audited: Arc<BTreeSet<String>>,
    canned: Arc<[ResponseTemplate]>,
    /// Of each operation when it has no record of whoever is asked for.
    no_record: Arc<[Option<NoRecord>]>,
    /// By changes: compiled when a call first gets it, for of a hundred thousand most are never asked for.
    changed: Arc<[Changed]>,
    /// What the answers are made from, and the scenarios: for whoever adds some.
    answers: Arc<Answers>,
    files: Arc<[Arc<Source>]>,
}

/// The answers that a scenario changes so.
#[derive(Debug, Default)]
struct Changed {
    by: ScenarioIndex,
    /// Of each operation that it is for, in order, as soon as it was asked for.
    compiled: SmallVec<[(OperationIndex, OnceLock<Box<ResponseTemplate>>); 1]>,
}

/// The files rules are read from.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The contract.
    pub contract: Vec<Arc<Source>>,
    /// The canned answers.
    pub answers: Vec<Arc<Source>>,
    /// The scenarios: those that come first win.
    pub scenarios: Vec<Arc<Source>>,
}

impl Files {
    /// Those built into the binary.
    #[must_use]
    pub fn built_in() -> Self {
        Files {
            contract: svc_fixtures::embedded::contract(),
            answers: svc_fixtures::embedded::answers(),
            scenarios: crate::scenario::built_in(),
        }
    }
}

/// Operations whose rows say so, and bundles with such a step.
fn audited(contract: &Contract) -> BTreeSet<String> {
    let says_so = |id: &String| contract.operation(id).is_some_and(|row| row.audited);
    let operations = contract.operations.iter().map(|row| row.id.clone());
    let bundles = contract
        .bundles
        .iter()
        .filter(|row| row.steps.iter().any(says_so));
    let bundles = bundles.map(Bundle::endpoint);
    operations.filter(says_so).chain(bundles).collect()
}

impl Rules {
    /// Reads and compiles everything.
    ///
    /// # Errors
    /// Every mistake of every file of the first kind that has any: contract, answers, scenarios.
    pub fn read(files: &Files, seed: Seed) -> Result<Rules, Problems> {
        let contract = Contract::read(&files.contract)?;
        let answers = Answers::read(
            &files.answers,
            &contract,
            &compute::signatures(),
            WorldRows::built_in(),
        )?;
        let scenarios = read_scenarios(&contract, &answers, &files.scenarios)?;
        let story = Story::new(&contract, &answers);
        let template =
            |operation: OperationIndex| &answers.by_operation[&contract.operations[operation].id];
        let canned = contract
            .indexed_operations()
            .map(|(operation, _)| {
                ResponseTemplate::new(&contract, operation, &story, template(operation))
            })
            .collect();
        let no_record = contract.indexed_operations().map(|(operation, row)| {
            let row = answers.no_record.get(&row.id)?;
            Some(NoRecord::new(&contract, operation, &story, row))
        });
        let no_record = no_record.collect();
        let audited = Arc::new(audited(&contract));
        let (router, steps) = (Router::new(&contract), flow::steps(&contract));
        let endpoints = contract
            .operations
            .iter()
            .map(|operation| operation.id.as_str().into())
            .collect();
        let rules = Rules {
            contract: Arc::new(contract),
            router: Arc::new(router),
            story: Arc::new(story),
            scenarios: Arc::default(),
            steps,
            declared: Arc::default(),
            population: Population {
                world: World::built_in(),
                seed: seed.number(),
            },
            seed,
            addresses: AllAddresses::default(),
            settings: CallSettings::default(),
            endpoints,
            audited,
            canned,
            no_record,
            changed: Arc::default(),
            answers: Arc::new(answers),
            files: files.scenarios.as_slice().into(),
        };
        Ok(rules.deciding_by(scenarios))
    }

    /// The same rules where operations cost what this says; where it says nothing, what they cost before.
    #[must_use]
    pub fn with_prices(mut self, price: impl Fn(&str) -> Option<Paise>) -> Rules {
        for row in &mut Arc::make_mut(&mut self.contract).operations {
            row.price = price(&row.id).unwrap_or(row.price);
        }
        self
    }

    /// The same rules with more scenarios before all others.
    ///
    /// # Errors
    /// Every mistake of these files.
    pub fn with_scenarios(&self, more: &[Arc<Source>]) -> Result<Rules, Problems> {
        let files: Vec<_> = more.iter().chain(&*self.files).cloned().collect();
        let scenarios = read_scenarios(&self.contract, &self.answers, &files)?;
        Ok(self.clone().deciding_by(scenarios))
    }

    /// The same rules with these scenarios in place of all others.
    ///
    /// # Errors
    /// Every mistake of these files.
    pub fn with_scenarios_replaced(&self, files: &[Arc<Source>]) -> Result<Rules, Problems> {
        let scenarios = read_scenarios(&self.contract, &self.answers, files)?;
        let rules = Rules {
            files: files.into(),
            ..self.clone()
        };
        Ok(rules.deciding_by(scenarios))
    }

    /// The scenario files, those that come first win.
    #[must_use]
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.files
    }

    /// Whom the answers speak of: each role with its attributes.
    #[must_use]
    pub fn cast(&self) -> &BTreeMap<String, Character> {
        &self.answers.cast
    }

    fn deciding_by(mut self, scenarios: ScenarioSet) -> Rules {
        let patches = scenarios.patches.iter();
        let mut changed: Vec<Changed> = patches.map(|_| Changed::default()).collect();
        for (by, scenario) in scenarios.iter() {
            for patch in scenario.then.iter().filter_map(patch) {
                let operations = scenario.operations.iter();
                changed[patch.0] = Changed {
                    by,
                    compiled: operations.map(|&at| (at, OnceLock::new())).collect(),
                };
            }
        }
        self.changed = changed.into();
        let declared =
            DeclaredSubjects::new(&self.contract, self.population.world, &scenarios.people);
        self.declared = Arc::new(declared);
        self.scenarios = Arc::new(scenarios);
        self
    }

    /// The canned answer of an operation.
    #[must_use]
    pub fn template(&self, operation: OperationIndex) -> &Template {
        &self.answers.by_operation[&self.contract.operations[operation].id]
    }

    /// When an operation has no record of whoever is asked for, as its row says it.
    #[must_use]
    pub fn no_record_row(&self, operation: OperationIndex) -> Option<&template::NoRecord> {
        let id = &self.contract.operations[operation].id;
        self.answers.no_record.get(id)
    }

    /// The answer of an operation that a scenario changes so, where these conditions hold.
    #[must_use]
    pub fn compiled(
        &self,
        operation: OperationIndex,
        conditions: &[Condition],
        patch: &ResponsePatch,
    ) -> ResponseTemplate {
        let from = self.template(operation);
        let data = changed(from, patch, &self.contract.operations[operation].response);
        let data = (&data, conditions);
        self.canned[operation.0].changed(&self.contract, operation, &self.story, from, data)
    }

    /// What is known of whoever is asked for in a field of this name, by attribute of the role; none where nobody
    /// is asked for so.
    #[must_use]
    pub fn known_of(
        &self,
        role: &str,
        (field, text): (&str, &str),
        today: Date,
    ) -> Option<Json<'static>> {
        let mut rows = self.contract.indexed_operations();
        let (operation, field) = rows.find_map(|(operation, row)| {
            let first = row.identifiers().next().map(|(at, _)| at);
            let subject = row.subject.or(first)?;
            (row.request[subject].name == field).then_some((operation, &row.request[subject]))
        })?;
        let row = &self.contract.operations[operation];
        let mut body = sample::body(&self.contract, row, Extent::Required);
        let value = sample::with_text(&self.contract, field, text);
        body.set(field.name.clone(), value);
        let input = Input::check(&self.contract, row, &[], body).ok()?;
        let attributes = of_attributes(self.cast().get(role)?.attributes.keys());
        let answer = ResponseTemplate::new(&self.contract, operation, &self.story, &attributes);
        let sources = Sources {
            story: &self.story,
            input: &input,
            flow: None,
            verification: VerificationId::NONE,
            addresses: self.addresses.of(Environment::Test),
            people: &self.scenarios.people,
            declared: &self.declared,
            population: self.population,
            today,
        };
        let mut data = Vec::new();
        answer.print(sources, &mut data);
        Json::parse(&data).ok().map(Json::into_owned)
    }

    /// Whether every access to a live answer of this endpoint is written to the audit.
    #[must_use]
    pub fn audits(&self, endpoint: &str) -> bool {
        self.audited.contains(endpoint)
    }

    /// What an envelope calls an operation.
    #[must_use]
    pub fn endpoint(&self, operation: OperationIndex) -> Arc<str> {
        Arc::clone(&self.endpoints[operation.0])
    }

    /// When an operation has no record of whoever is asked for.
    #[must_use]
    pub fn no_record(&self, operation: OperationIndex) -> Option<&NoRecord> {
        self.no_record[operation.0].as_ref()
    }

    /// The answer of an operation, with a scenario's patch laid over it.
    #[must_use]
    pub fn answer(
        &self,
        operation: OperationIndex,
        patch: Option<PatchIndex>,
    ) -> &ResponseTemplate {
        match patch {
            None => &self.canned[operation.0],
            Some(patch) => {
                let Changed { by, compiled } = &self.changed[patch.0];
                let at = compiled.binary_search_by_key(&operation, |(of, _)| *of);
                let (_, compiled) = &compiled[at.expect("a scenario decides its operations only")];
                compiled.get_or_init(|| {
                    let (by, changes) = (self.scenarios.get(*by), &self.scenarios.patches[patch.0]);
                    Box::new(self.compiled(operation, &by.conditions, changes))
                })
            }
        }
    }
}

/// The patch that an outcome lays over an answer, now or in the end.
fn patch(outcome: &Outcome) -> Option<PatchIndex> {
    match &outcome.kind {
        OutcomeKind::Success(patch) => *patch,
        OutcomeKind::Pending { finally, .. } => patch(finally),
        OutcomeKind::Error { .. } | OutcomeKind::AsUsual => None,
    }
}
