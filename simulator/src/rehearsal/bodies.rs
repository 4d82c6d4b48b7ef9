//! Bodies to call operations with: what is given, over the sample; what a later step of a flow carries
//! is issued by the steps before it, which are made first.

use svc_fixtures::contract::{BundleIndex, BundleMode, Flow, Operation, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::{CallSpec, CallTarget, Observed, Rehearsal};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::flow::StepOf;
use crate::scenario::Caller;

/// The member of this name, wherever it stands.
fn find_member<'j>(json: &'j Json<'static>, name: &str) -> Option<&'j Json<'static>> {
    let below = |json: &'j Json<'static>| find_member(json, name);
    match json {
        Json::Object(members) => {
            let own = json.get(name);
            own.or_else(|| members.iter().find_map(|(_, member)| below(member)))
        }
        Json::List(items) => items.iter().find_map(below),
        _ => None,
    }
}

fn with_fields(
    mut body: Json<'static>,
    fields: impl IntoIterator<Item = (String, Json<'static>)>,
) -> Json<'static> {
    for (name, value) in fields {
        body.set(name, value);
    }
    body
}

/// The operation that begins the flow of which another is a later step.
#[must_use]
pub fn first_step(rules: &Rules, operation: OperationIndex) -> Option<&Operation> {
    let of = rules.steps[operation.0]?;
    let flow = &rules.contract.flows[of.flow];
    let first = (of.step > 0).then_some(&flow.steps[0])?;
    rules.contract.operation(&first.operation)
}

impl Rehearsal<'_> {
    /// A body of an operation: the given fields, and the sample's values of the required ones that are
    /// not given. Where it must carry what an earlier call issued, that call is made now, and says what
    /// is given of its own fields.
    #[must_use]
    pub fn body(
        &mut self,
        environment: Environment,
        operation: OperationIndex,
        given: &[(String, Json<'static>)],
    ) -> Json<'static> {
        let rules = self.rules;
        let row = &rules.contract.operations[operation];
        let mut body = sample::body(&rules.contract, row, Extent::Required);
        if let Some(step) = rules.steps[operation.0] {
            body = with_fields(body, self.carried(environment, step, given));
        }
        let first = first_step(rules, operation);
        let of_first = |name: &str| {
            row.field(name).is_none() && first.is_some_and(|it| it.field(name).is_some())
        };
        let own = given.iter().filter(|(name, _)| !of_first(name));
        with_fields(body, own.cloned())
    }

    /// A body of a bundle: the given fields over a sample that all its steps accept. Of a bundle in two
    /// calls it is the first call's, unless what is given goes on with one.
    #[must_use]
    pub fn bundle_body(
        &self,
        bundle: BundleIndex,
        given: &[(String, Json<'static>)],
    ) -> Json<'static> {
        let contract = &self.rules.contract;
        let body = sample::bundle_body(contract, &contract.bundles[bundle]);
        with_fields(body, given.iter().cloned())
    }

    /// The second call of a bundle in two calls, where this answer to the first one asks for it: the
    /// sample of its step, what was issued, and the given fields.
    #[must_use]
    pub fn second_body(
        &self,
        bundle: BundleIndex,
        first: &Observed,
        given: &[(String, Json<'static>)],
    ) -> Option<Json<'static>> {
        let contract = &self.rules.contract;
        let row = &contract.bundles[bundle];
        if row.mode != BundleMode::TwoCalls || !first.is_pending() {
            return None;
        }
        let second = self.rules.contract.operation_index(row.steps.get(1)?)?;
        let step = self.rules.steps[second.0]?;
        let takes = contract.flows[step.flow].steps[step.step].takes.as_ref()?;
        let issued = find_member(first.envelope.get("data")?, takes)?.clone();
        let body = sample::body(contract, &contract.operations[second], Extent::Required);
        let given = given.iter().filter(|(name, _)| name != takes).cloned();
        Some(with_fields(body, given.chain([(takes.clone(), issued)])))
    }

    /// What a step of a flow must say, after the steps before it were made.
    fn carried(
        &mut self,
        environment: Environment,
        of: StepOf,
        given: &[(String, Json<'static>)],
    ) -> Vec<(String, Json<'static>)> {
        let rules = self.rules;
        let flow: &Flow = &rules.contract.flows[of.flow];
        let step = &flow.steps[of.step];
        let Some(takes) = step.takes.as_ref() else {
            return Vec::new();
        };
        if given.iter().any(|(name, _)| name == takes) {
            return Vec::new();
        }
        let first = rules.contract.operation(&flow.steps[0].operation);
        let own = rules.contract.operation(&step.operation);
        let is_said_first = |name: &String| {
            let has = |row: Option<&Operation>| row.is_some_and(|row| row.field(name).is_some());
            step.same.contains(name) || (has(first) && !has(own))
        };
        let same = given.iter().filter(|(name, _)| is_said_first(name));
        let same: Vec<(String, Json<'static>)> = same.cloned().collect();
        // A value that forces an error begins nothing: a later step may say it all the same.
        let begun = self.begun(environment, flow, &same);
        let begun = begun.or_else(|| self.begun(environment, flow, &[]));
        let Some((sent, issued)) = begun else {
            return same;
        };
        let mut carried = vec![(takes.clone(), Json::from(issued.as_str()))];
        for name in &step.same {
            let value = sent.get(name).cloned();
            carried.extend(value.map(|value| (name.clone(), value)));
        }
        self.get_done(environment, flow, step.after.as_deref(), &issued);
        carried
    }

    /// The first call of a flow: its body, and what it issued.
    fn begun(
        &mut self,
        environment: Environment,
        flow: &Flow,
        given: &[(String, Json<'static>)],
    ) -> Option<(Json<'static>, String)> {
        let first = &flow.steps[0];
        let operation = self.rules.contract.operation_index(&first.operation)?;
        let body = self.body(environment, operation, given);
        let observed = self.post(environment, operation, &body);
        let issued = first
            .issues
            .as_ref()?
            .issued(&observed.envelope)?
            .to_owned();
        Some((body, issued))
    }

    /// Makes a step between the first and the one that is wanted, and those it waits for.
    fn get_done(
        &mut self,
        environment: Environment,
        flow: &Flow,
        operation: Option<&str>,
        issued: &str,
    ) {
        let step = flow
            .steps
            .iter()
            .find(|step| Some(&*step.operation) == operation);
        let Some(step) = step else { return };
        // The first one was made.
        let Some(takes) = &step.takes else { return };
        self.get_done(environment, flow, step.after.as_deref(), issued);
        if let Some(operation) = self.rules.contract.operation_index(&step.operation) {
            let given = [(takes.clone(), Json::from(issued))];
            let body = self.body(environment, operation, &given);
            self.post(environment, operation, &body);
        }
    }

    fn post(
        &mut self,
        environment: Environment,
        operation: OperationIndex,
        body: &Json<'static>,
    ) -> Observed {
        let caller = Caller::plain(&self.account.id, environment);
        let target = CallTarget::Operation(operation);
        self.call(&CallSpec::by(&caller, &self.key(environment), target, body))
    }
}
