//! Calls of every operation with inputs made from its row: the sample, the fixed inputs as the rulings
//! spell them, and any.

use std::sync::Arc;

use svc_fixtures::contract::{Contract, Field, Flow, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::any::Inputs;
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::scenario::Predicate;

use crate::scene::{Answer, Scene};

/// Calls operations with sample bodies.
pub(crate) struct Catalogue {
    pub(crate) scene: Scene,
    pub(crate) rules: Arc<Rules>,
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        Catalogue::of(Scene::new())
    }

    pub(crate) fn of(scene: Scene) -> Self {
        let rules = scene.host.rules();
        Catalogue { scene, rules }
    }

    pub(crate) fn contract(&self) -> &Contract {
        &self.rules.contract
    }

    fn operation(&self, id: &str) -> &Operation {
        self.contract().operation(id).expect("an operation")
    }

    /// Strategies for inputs, among them texts that scenarios name, and the sentinel.
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        let mut named = vec![format!("x {} y", self.contract().service.sentinel.text)];
        for scenario in self.rules.scenarios.all() {
            for condition in &scenario.conditions {
                match &condition.predicate {
                    Predicate::OneOf(values) => {
                        let texts = values.iter().filter_map(Json::as_text);
                        named.extend(texts.map(str::to_owned));
                    }
                    Predicate::PathEnds(end) => {
                        named.push(format!("https://assets.example/a{end}?b"))
                    }
                    Predicate::Query(pair) => {
                        named.push(format!("https://app.example/back?a=1&{pair}"))
                    }
                    _ => {}
                }
            }
        }
        named.dedup();
        Inputs::new(self.contract()).with_texts(named)
    }

    /// The required fields with their examples; what a later step carries is not issued yet.
    pub(crate) fn sample(&self, operation: &Operation) -> Json<'static> {
        sample::body(self.contract(), operation, Extent::Required)
    }

    pub(crate) fn send(
        &self,
        operation: &Operation,
        body: &Json<'_>,
        environment: Environment,
    ) -> Answer {
        let (path, body) = (sample::path(operation), body.to_string());
        let asked = self.scene.post(&path, &body);
        match environment {
            Environment::Test => asked.send(),
            Environment::Live => asked.live().send(),
        }
    }

    /// Calls an operation after the steps its flow asks for before it.
    pub(crate) fn walk(&self, operation: &Operation, environment: Environment) -> Answer {
        let mut body = self.sample(operation);
        for (name, value) in self.carried(operation, environment) {
            body.set(name, value);
        }
        self.send(operation, &body, environment)
    }

    /// What an operation takes from the steps its flow asks for before it, which are called.
    pub(crate) fn carried(
        &self,
        operation: &Operation,
        environment: Environment,
    ) -> Vec<(String, Json<'static>)> {
        let Some((flow, at)) = self.contract().step_of(&operation.id) else {
            return Vec::new();
        };
        let Some(field) = &flow.steps[at].takes else {
            return Vec::new();
        };
        let key = self.begin(flow, environment);
        if let Some(after) = &flow.steps[at].after {
            let after = self.operation(after);
            let carried = self.contract().carried_field(after);
            let mut body = self.sample(after);
            body.set(
                carried.expect("a later step").to_owned(),
                key.clone().into(),
            );
            assert_eq!(
                self.send(after, &body, environment).at("status"),
                "completed"
            );
        }
        let first = self.operation(&flow.steps[0].operation);
        let said = |name: &String| {
            let index = first.field(name).expect("a field of the first step");
            let value = sample::value(self.contract(), &first.request[index]);
            (name.clone(), value)
        };
        let same = flow.steps[at].same.iter().map(said);
        same.chain([(field.clone(), key.into())]).collect()
    }

    fn begin(&self, flow: &Flow, environment: Environment) -> String {
        let first = self.operation(&flow.steps[0].operation);
        let answer = self.send(first, &self.sample(first), environment);
        let key = flow.steps[0].issues.as_ref().expect("a first step issues");
        let answer = answer.json();
        key.issued(&answer).expect("it is issued").to_owned()
    }

    /// A sample whose carried identifier is a fixed input, so that it need not be issued.
    pub(crate) fn unbound(&self, operation: &Operation) -> Json<'static> {
        let mut body = self.sample(operation);
        if let Some(field) = self.contract().carried_field(operation) {
            body.set(field.to_owned(), "status-500".into());
        }
        body
    }

    /// The values of an identifying field that stand for a status, in every spelling.
    pub(crate) fn fixed(
        &self,
        operation: &Operation,
        field: &Field,
        status: u16,
    ) -> Vec<Json<'static>> {
        let texts = sample::status_texts(self.contract(), operation, field, status).into_iter();
        texts
            .map(|text| sample::with_text(self.contract(), field, &text))
            .collect()
    }
}
