//! Bodies for every operation, made from its row: the sample, and the fixed inputs as the rulings
//! spell them.

use std::sync::Arc;

use svc_fixtures::contract::{Contract, Field, Flow, FlowKey, Kind, Operation, Step};
use svc_fixtures::json::Json;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::Rules;

use crate::scene::{Answer, Scene};

/// Calls operations with sample bodies.
pub(crate) struct Catalogue {
    pub(crate) scene: Scene,
    pub(crate) rules: Arc<Rules>,
}

/// A body under construction: members by name.
pub(crate) type Body = Vec<(String, Json<'static>)>;

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

    /// The required fields with their examples; what a later step carries is not issued yet.
    pub(crate) fn sample(&self, operation: &Operation) -> Body {
        let sample = operation.sample_body(&self.contract().formats);
        let Json::Object(members) = sample else {
            panic!("a body is an object")
        };
        let own = |(name, value)| (std::borrow::Cow::into_owned(name), value);
        members.into_iter().map(own).collect()
    }

    pub(crate) fn send(
        &self,
        operation: &Operation,
        body: &Body,
        environment: Environment,
    ) -> Answer {
        let body = object_text(body);
        let path = operation.path.replace('*', "start");
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
            set(&mut body, &name, value);
        }
        self.send(operation, &body, environment)
    }

    /// What an operation takes from the steps its flow asks for before it, which are called.
    pub(crate) fn carried(&self, operation: &Operation, environment: Environment) -> Body {
        let Some((flow, step)) = self.step(operation) else {
            return Body::new();
        };
        let Some(field) = &step.takes else {
            return Body::new();
        };
        let key = self.begin(flow, environment);
        if let Some(after) = &step.after {
            let after = self.operation(after);
            let carried = self.step(after).and_then(|(_, step)| step.takes.clone());
            let mut body = self.sample(after);
            set(
                &mut body,
                &carried.expect("a later step"),
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
            (
                name.clone(),
                first.request[index].sample(&self.contract().formats),
            )
        };
        let same = step.same.iter().map(said);
        same.chain([(field.clone(), key.into())]).collect()
    }

    fn begin(&self, flow: &Flow, environment: Environment) -> String {
        let first = self.operation(&flow.steps[0].operation);
        let answer = self.send(first, &self.sample(first), environment);
        match flow.steps[0].issues.as_ref().expect("a first step issues") {
            FlowKey::Member(name) => answer.at(&format!("data.{name}")),
            FlowKey::Verification => answer.id(),
        }
    }

    /// Where an operation stands in a flow that is enforced.
    fn step(&self, operation: &Operation) -> Option<(&Flow, &Step)> {
        let mut flows = self.contract().flows.iter().filter(|flow| !flow.advisory);
        flows.find_map(|flow| {
            let step = flow
                .steps
                .iter()
                .find(|step| step.operation == operation.id)?;
            Some((flow, step))
        })
    }

    /// A sample whose carried identifier is a fixed input, so that it need not be issued.
    pub(crate) fn unbound(&self, operation: &Operation) -> Body {
        let mut body = self.sample(operation);
        if let Some(field) = self
            .step(operation)
            .and_then(|(_, step)| step.takes.as_ref())
        {
            set(&mut body, field, "status-500".into());
        }
        body
    }

    /// The value of an identifying field that stands for a status, as the rulings spell it.
    pub(crate) fn fixed(&self, operation: &Operation, field: &Field, status: u16) -> Json<'static> {
        let carried = self
            .step(operation)
            .and_then(|(_, step)| step.takes.as_ref());
        if carried == Some(&field.name) {
            return format!("status-{status}").into();
        }
        match (field.sample(&self.contract().formats), &field.kind) {
            (Json::List(_), Kind::List { .. }) => Json::List(vec![
                format!("https://other.example/a/status-{status}.png").into(),
            ]),
            (Json::Text(text), _) => with_status(field, &text, status).into(),
            (other, _) => panic!("{}: {other} identifies nobody", field.name),
        }
    }
}

/// A body as it is sent.
pub(crate) fn object_text(body: &Body) -> String {
    let members = body
        .iter()
        .map(|(name, value)| (name.as_str().into(), value.clone()));
    Json::Object(members.collect()).to_string()
}

pub(crate) fn set(body: &mut Body, name: &str, value: Json<'static>) {
    body.retain(|(known, _)| known != name);
    body.push((name.to_owned(), value));
}

/// The sample identifier with its last digits replaced by the status.
fn with_status(field: &Field, sample: &str, status: u16) -> String {
    if field.folds {
        return format!("Status   {status}");
    }
    if field.name == "redirectUrl" {
        return format!("https://app.example/return?from=kyc&status={status}#top");
    }
    if sample.starts_with("https://") {
        return format!("http://127.0.0.1:8801/test-assets/status-{status}.png?size=2");
    }
    if sample.contains('@') {
        return format!("status-{status}@example.com");
    }
    if let Some(prefix) = sample.strip_suffix("::1") {
        return format!("{prefix}::{status}");
    }
    let run_ends = |at: &usize| {
        sample[..*at]
            .bytes()
            .rev()
            .take(3)
            .all(|b| b.is_ascii_digit())
    };
    let end = (3..=sample.len())
        .rev()
        .find(run_ends)
        .expect("a sample has digits");
    format!("{}{status}{}", &sample[..end - 3], &sample[end..])
}
