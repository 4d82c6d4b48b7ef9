//! What an account may call, made once from the rows.

use svc_fixtures::contract::{Bundle, BundleMode, FlowKey, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent, Violation};

use crate::plan::{Carry, Ending, Place, RequestTemplate, Setting};
use crate::property::oracle;

/// Calls to choose from.
#[derive(Debug, Clone)]
pub(super) struct CallPool {
    /// Calls that succeed, one an operation, where nothing must come before them.
    pub(super) successes: Vec<RequestTemplate>,
    /// Calls whose outcome an identifier fixes.
    pub(super) fixed: Vec<RequestTemplate>,
    /// Calls that are answered before their result is there.
    pub(super) pending: Vec<RequestTemplate>,
    /// Calls that break a rule of one field.
    pub(super) broken: Vec<RequestTemplate>,
    /// The calls of each flow; later ones carry what the first one issues.
    pub(super) flows: Vec<Vec<RequestTemplate>>,
    /// Bundles in one call.
    pub(super) bundles: Vec<RequestTemplate>,
    /// Bundles in two calls.
    pub(super) pairs: Vec<Vec<RequestTemplate>>,
}

impl CallPool {
    pub(super) fn of(setting: &Setting<'_>) -> Self {
        let mut pool = CallPool {
            successes: Vec::new(),
            fixed: Vec::new(),
            pending: Vec::new(),
            broken: Vec::new(),
            flows: flows(setting),
            bundles: Vec::new(),
            pairs: Vec::new(),
        };
        for operation in setting.operations() {
            pool.add(setting, operation);
        }
        if setting.by_rulings() {
            for bundle in &setting.contract.bundles {
                pool.add_bundle(setting, bundle);
            }
        }
        pool
    }

    fn add(&mut self, setting: &Setting<'_>, operation: &Operation) {
        let contract = setting.contract;
        let plain =
            RequestTemplate::post(operation, sample::body(contract, operation, Extent::All));
        let slow = operation.pending.is_some();
        if slow {
            self.pending.push(plain.clone());
        }
        self.successes.push(plain);
        if let Some((_, field)) = operation.identifiers().next() {
            for (status, ending) in oracle::statuses(setting, operation) {
                let text = sample::status_text(setting.contract, operation, field, status);
                let body = sample::body_with_text(contract, operation, field, &text);
                let request = RequestTemplate::post(operation, body);
                match ending {
                    Ending::Pending => self.pending.push(request),
                    _ => self.fixed.push(request),
                }
            }
        }
        let broken = |violation: Violation| {
            let mut body = sample::body(contract, operation, Extent::All);
            violation.put_in(&mut body);
            RequestTemplate::post(operation, body)
        };
        let fields = operation.request.iter();
        let violations = fields.flat_map(|field| sample::violations(contract, field));
        self.broken.extend(violations.map(broken));
    }

    fn add_bundle(&mut self, setting: &Setting<'_>, bundle: &Bundle) {
        let contract = setting.contract;
        let steps: Vec<&Operation> = contract.bundle_steps(bundle).collect();
        let whole = sample::bundle_body(contract, bundle);
        match &bundle.mode {
            BundleMode::TwoCalls => {
                let second = second(setting, bundle, steps.get(1).copied());
                let first = request(bundle, whole);
                self.pairs.extend(second.map(|second| vec![first, second]));
            }
            BundleMode::Choice { field, options } => {
                for (value, id) in options {
                    let Some(step) = contract.operation(id) else {
                        continue;
                    };
                    let mut body = sample::body(contract, step, Extent::Required);
                    body.set(field.clone(), Json::from(value.as_str()));
                    self.add_variants(setting, bundle, &[step], &body);
                }
            }
            BundleMode::Sequence | BundleMode::Parallel => {
                self.add_variants(setting, bundle, &steps, &whole);
            }
        }
        self.bundles.push(request(bundle, Json::Object(Vec::new())));
    }

    /// A bundle that succeeds, and one for each outcome that an identifier of a step fixes.
    fn add_variants(
        &mut self,
        setting: &Setting<'_>,
        bundle: &Bundle,
        steps: &[&Operation],
        body: &Json<'static>,
    ) {
        self.bundles.push(request(bundle, body.clone()));
        for step in steps {
            let Some((_, field)) = step.identifiers().next() else {
                continue;
            };
            for (status, _) in oracle::statuses(setting, step) {
                let text = sample::status_text(setting.contract, step, field, status);
                let mut body = body.clone();
                let value = sample::with_text(setting.contract, field, &text);
                body.set(field.name.clone(), value);
                self.bundles.push(request(bundle, body));
            }
        }
    }
}

fn request(bundle: &Bundle, body: Json<'static>) -> RequestTemplate {
    RequestTemplate::post_to(bundle.path.clone(), body)
}

/// The second call of a bundle in two calls: it carries what the call before it was given.
fn second(
    setting: &Setting<'_>,
    bundle: &Bundle,
    step: Option<&Operation>,
) -> Option<RequestTemplate> {
    let body = sample::body(setting.contract, step?, Extent::All);
    let field = &bundle.carries.first()?.field;
    let carry = Carry::into_field(0, Place::of(["data", field]), field);
    Some(RequestTemplate {
        carries: vec![carry],
        ..request(bundle, body)
    })
}

/// The calls of every flow that carries anything, in order. Steps that an input is wrong for come
/// once with it, too, before the right one.
fn flows(setting: &Setting<'_>) -> Vec<Vec<RequestTemplate>> {
    let enforced = setting.contract.flows.iter().filter(|flow| !flow.advisory);
    let covers = |flow: &svc_fixtures::contract::Flow| {
        let place = match flow.steps.first()?.issues.as_ref()? {
            FlowKey::Member(name) => Place::of(["data", name]),
            FlowKey::Verification => Place::of(["verificationId"]),
        };
        let mut covers = Vec::new();
        for step in &flow.steps {
            let operation = setting.contract.operation(&step.operation)?;
            let carries = step
                .takes
                .iter()
                .map(|field| Carry::into_field(0, place.clone(), field));
            let carries: Vec<Carry> = carries.collect();
            let sound = sample::body(setting.contract, operation, Extent::All);
            let refuted = setting.inputs.iter().filter(|input| input.refutes);
            let wrong = refuted.filter_map(|input| {
                let field = input.field(setting.contract, operation)?;
                let mut body = sound.clone();
                body.set(field.name.clone(), Json::from(input.value.as_str()));
                Some(body)
            });
            let bodies: Vec<Json<'static>> = wrong.chain([sound.clone()]).collect();
            covers.extend(bodies.into_iter().map(|body| RequestTemplate {
                carries: carries.clone(),
                ..RequestTemplate::post(operation, body)
            }));
        }
        Some(covers)
    };
    enforced.filter_map(covers).collect()
}
