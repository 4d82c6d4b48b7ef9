//! What can be called: a body for every operation, bundle and kind of input, made from the rows of
//! the contract, and what each is by construction. No outcome is looked up in the simulator.

use svc_contract_tests::model::{Endpoint, Part};
use svc_fixtures::contract::{
    Blame, Bundle, BundleIndex, BundleMode, Contract, ErrorCode, Field, FieldIndex, Flow, FlowStep,
    Kind, Operation, OperationIndex, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent, Violation};

/// Where a body carries an identifier that an earlier call issued.
pub(crate) const CARRIED: &str = "<carried>";

/// What makes a call unavailable wherever an identifier contains it.
pub(crate) const SENTINEL: &str = "ZZZZZ0000Z";

/// What an input asks for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Status(u16),
    Sentinel,
}

/// One operation as a template runs it.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Which row.
    pub(crate) operation: OperationIndex,
    /// What its first identifying field asks for.
    pub(crate) mark: Mark,
    /// Of a bundle's step: the earlier operation whose answer it needs.
    pub(crate) needs: Option<String>,
    /// Its identifying fields and their values.
    pub(crate) identifiers: Vec<(String, String)>,
    /// Whether the OTP it sends is the right one.
    pub(crate) otp_is_right: bool,
}

/// A call that can be made.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) endpoint: Endpoint,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The body, with [`CARRIED`] in it where an identifier is carried.
    pub(crate) body: String,
    /// Why it is refused by itself: status and code.
    pub(crate) refused: Option<(u16, ErrorCode)>,
    /// Whether refusals of it count as calls of an operation.
    pub(crate) counts: bool,
    /// What it runs, in order.
    pub(crate) runs: Vec<Run>,
    /// What is put aside for it on live, in paise.
    pub(crate) price: i64,
    /// Where it stands in a flow: flow and step.
    pub(crate) step: Option<(usize, usize)>,
    /// Which part of a bundle in two calls it is.
    pub(crate) part: Part,
}

/// Everything that can be called.
pub(crate) struct Catalogue {
    pub(crate) contract: Contract,
    /// By target: an operation or a bundle, and the kinds of input. The first is the plain one.
    pub(crate) targets: Vec<Vec<Template>>,
    /// The targets that are a part of something in several calls, or may wait for their result.
    pub(crate) in_steps: Vec<usize>,
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        let contract = Contract::built_in();
        let operations = contract.indexed_operations();
        let operations = operations.map(|(at, _)| of_operation(&contract, at));
        let bundles = (0..contract.bundles.len()).map(BundleIndex);
        let bundles = bundles.map(|at| of_bundle(&contract, at));
        let targets: Vec<Vec<Template>> = operations.chain(bundles).collect();
        let waits = |run: &Run| contract.operations[run.operation].pending.is_some();
        let several = |kinds: &Vec<Template>| {
            let steps = |kind: &Template| kind.step.is_some() || kind.part != Part::Whole;
            kinds
                .iter()
                .any(|kind| steps(kind) || kind.runs.iter().any(waits))
        };
        let in_steps = (0..targets.len()).filter(|&at| several(&targets[at]));
        let in_steps = in_steps.collect();
        Catalogue {
            contract,
            targets,
            in_steps,
        }
    }

    pub(crate) fn status(&self, code: ErrorCode) -> u16 {
        self.contract.error(code).status
    }
}

/// Where an operation stands in the flows that are enforced.
fn place(contract: &Contract, operation: &Operation) -> Option<(usize, usize)> {
    let enforced = |(at, flow): (usize, &Flow)| {
        let step = |step: &FlowStep| step.operation == operation.id;
        let step = flow.steps.iter().position(step)?;
        (!flow.advisory).then_some((at, step))
    };
    contract.flows.iter().enumerate().find_map(enforced)
}

/// The sample body of an operation; what it carries is still open.
fn plain(contract: &Contract, operation: &Operation) -> Json<'static> {
    let mut body = sample::body(contract, operation, Extent::Required);
    if let Some(field) = contract.carried_field(operation) {
        body.set(field.to_owned(), CARRIED.into());
    }
    body
}

/// The field that the marks of an operation are set on: the first that identifies and is not carried.
fn marked<'c>(contract: &Contract, operation: &'c Operation) -> Option<&'c Field> {
    let mut fields = operation.identifiers().map(|(_, field)| field);
    fields.find(|field| !contract.carries(operation, field))
}

/// The kinds of mark an operation knows.
fn marks(operation: &Operation) -> impl Iterator<Item = Mark> {
    let statuses = [422, 500, 502, 503, 504].into_iter().map(Mark::Status);
    let pending = operation.pending.is_some().then_some(Mark::Status(202));
    statuses.chain(pending).chain([Mark::Sentinel])
}

/// The body with the value of a field that asks for this.
fn with_mark(
    contract: &Contract,
    operation: &Operation,
    field: &Field,
    body: &Json<'static>,
    mark: Mark,
) -> Json<'static> {
    let text = match mark {
        Mark::None => return body.clone(),
        Mark::Sentinel => format!("x{SENTINEL}x"),
        Mark::Status(status) => sample::status_text(contract, operation, field, status),
    };
    let mut body = body.clone();
    let value = sample::with_text(contract, field, &text);
    body.set(field.name.clone(), value);
    body
}

fn identifiers(operation: &Operation, body: &Json<'static>) -> Vec<(String, String)> {
    let fields = operation.identifiers();
    let sent = |(_, field): (FieldIndex, &Field)| {
        Some((field.name.clone(), body.get(&field.name)?.to_string()))
    };
    fields.filter_map(sent).collect()
}

fn template(contract: &Contract, at: OperationIndex, body: &Json<'static>, mark: Mark) -> Template {
    let operation = &contract.operations[at];
    Template {
        endpoint: Endpoint::Operation(at),
        method: "POST",
        path: sample::path(operation),
        body: body.to_string(),
        refused: None,
        counts: true,
        runs: vec![Run {
            operation: at,
            mark,
            needs: None,
            identifiers: identifiers(operation, body),
            otp_is_right: true,
        }],
        price: operation.price.0,
        step: place(contract, operation),
        part: Part::Whole,
    }
}

fn of_operation(contract: &Contract, at: OperationIndex) -> Vec<Template> {
    let operation = &contract.operations[at];
    let sample = plain(contract, operation);
    let mut all = vec![template(contract, at, &sample, Mark::None)];
    if let Some(field) = marked(contract, operation) {
        for mark in marks(operation) {
            let body = with_mark(contract, operation, field, &sample, mark);
            all.push(template(contract, at, &body, mark));
        }
    }
    all.extend(flawed(contract, at, &sample));
    all.extend(wrong_otp(contract, at, &sample));
    all
}

/// An OTP that is not the one that was sent.
fn wrong_otp(contract: &Contract, at: OperationIndex, sample: &Json<'static>) -> Option<Template> {
    let operation = &contract.operations[at];
    let otp = operation.field("otp")?;
    let Kind::Text { one_of, .. } = &operation.request[otp].kind else {
        return None;
    };
    let mut body = sample.clone();
    body.set("otp", "4321".into());
    let mut wrong = template(contract, at, &body, Mark::None);
    match one_of.is_empty() {
        true => wrong.runs[0].otp_is_right = false,
        false => wrong.refused = Some((400, ErrorCode::InvalidInput)),
    }
    Some(wrong)
}

/// Calls that are refused whatever the account is like.
fn flawed(contract: &Contract, at: OperationIndex, sample: &Json<'static>) -> Vec<Template> {
    let operation = &contract.operations[at];
    let refused = |body: &Json<'static>, code| Template {
        refused: Some((contract.error(code).status, code)),
        ..template(contract, at, body, Mark::None)
    };
    let required = |field: &&Field| field.presence == Presence::Required;
    let fields = operation.request.iter().filter(required);
    let violations: Vec<Violation> = fields
        .flat_map(|field| sample::violations(contract, field))
        .collect();
    let named = |names: &[&str]| {
        let mut all = violations.iter();
        all.find(|violation| names.contains(&violation.what.as_str()))
    };
    let off_its_format = ["with a wrong character", "too short", "too long"];
    let broken = [
        named(&["missing"]),
        named(&["is an integer"]),
        named(&off_its_format),
    ];
    let broken = broken.into_iter().flatten().map(|violation| {
        let mut body = sample.clone();
        violation.put_in(&mut body);
        let code = match violation.blame {
            Blame::Identifier => ErrorCode::InvalidIdentifier,
            Blame::Input => ErrorCode::InvalidInput,
        };
        refused(&body, code)
    });
    let mut all: Vec<Template> = broken.collect();
    all.push(Template {
        body: "{\"a\": 1,}".to_owned(),
        ..refused(sample, ErrorCode::InvalidInput)
    });
    all.push(Template {
        method: "GET",
        body: String::new(),
        refused: Some((405, ErrorCode::InvalidInput)),
        counts: false,
        ..refused(sample, ErrorCode::InvalidInput)
    });
    all.push(Template {
        path: format!("{}/nowhere/else", operation.path.replace("/*", "/a")),
        refused: Some((404, ErrorCode::NotFound)),
        counts: false,
        ..refused(sample, ErrorCode::NotFound)
    });
    all
}

fn steps<'c>(contract: &'c Contract, row: &Bundle) -> Vec<(OperationIndex, &'c Operation)> {
    let at = |id: &String| contract.operation_index(id);
    let steps = row.steps.iter().map(|id| at(id).expect("an operation"));
    steps.map(|at| (at, &contract.operations[at])).collect()
}

/// A bundle with this body, of which these steps are run; one field asks for something.
fn bundle(
    contract: &Contract,
    at: BundleIndex,
    body: &Json<'static>,
    run: &[(OperationIndex, &Operation)],
    asks: Option<(&str, Mark)>,
) -> Template {
    let row = &contract.bundles[at];
    let of_step = |&(at, operation): &(OperationIndex, &Operation)| {
        let mut identifying = operation.identifiers();
        let mark = asks.filter(|(name, _)| identifying.any(|(_, field)| field.name == *name));
        let sent = |name: &str| body.get(name).is_some();
        let mut carries = row.carries.iter();
        let needs = carries.find(|carry| carry.step == operation.id && !sent(&carry.field));
        Run {
            operation: at,
            mark: mark.map_or(Mark::None, |(_, mark)| mark),
            needs: needs.map(|carry| carry.from.clone()),
            identifiers: identifiers(operation, body),
            otp_is_right: true,
        }
    };
    Template {
        endpoint: Endpoint::Bundle(at),
        method: "POST",
        path: row.path.clone(),
        body: body.to_string(),
        refused: None,
        counts: false,
        runs: run.iter().map(of_step).collect(),
        price: run.iter().map(|(_, row)| row.price.0).sum(),
        step: None,
        part: Part::Whole,
    }
}

fn of_bundle(contract: &Contract, at: BundleIndex) -> Vec<Template> {
    let row = &contract.bundles[at];
    let steps = steps(contract, row);
    let mut all = match &row.mode {
        BundleMode::Sequence | BundleMode::Parallel => {
            let sample = sample::bundle_body(contract, row);
            with_marks(contract, at, &sample, &steps)
        }
        BundleMode::Choice { field, options } => {
            let chosen = |(value, id): &(String, String)| {
                let step = steps.iter().find(|(_, row)| row.id == *id);
                let step = *step.expect("a step");
                let mut body = plain(contract, step.1);
                body.set(field.clone(), value.as_str().into());
                with_marks(contract, at, &body, &[step])
            };
            options.iter().flat_map(chosen).collect()
        }
        BundleMode::TwoCalls => {
            let first = plain(contract, steps[0].1);
            let mut all = with_marks(contract, at, &first, &steps[..1]);
            for opening in &mut all {
                opening.price = steps.iter().map(|(_, row)| row.price.0).sum();
                opening.part = Part::First;
                opening.step = place(contract, steps[0].1);
            }
            let body = plain(contract, steps[1].1);
            all.push(Template {
                step: place(contract, steps[1].1),
                part: Part::Second,
                ..bundle(contract, at, &body, &steps[1..], None)
            });
            all
        }
    };
    all.push(Template {
        body: "{}".to_owned(),
        refused: Some((400, ErrorCode::InvalidInput)),
        ..bundle(contract, at, &Json::Object(Vec::new()), &steps, None)
    });
    all
}

/// A bundle as it is, and with each mark on a field of each of its steps.
fn with_marks(
    contract: &Contract,
    at: BundleIndex,
    sample: &Json<'static>,
    steps: &[(OperationIndex, &Operation)],
) -> Vec<Template> {
    let mut all = vec![bundle(contract, at, sample, steps, None)];
    for (_, operation) in steps {
        let Some(field) = marked(contract, operation) else {
            continue;
        };
        for mark in marks(operation) {
            let body = with_mark(contract, operation, field, sample, mark);
            let asks = Some((field.name.as_str(), mark));
            all.push(bundle(contract, at, &body, steps, asks));
        }
    }
    all
}
