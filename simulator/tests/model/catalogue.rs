//! What can be called: a body for every operation, bundle and kind of input, made from the rows of
//! the contract, and what each is by construction. No outcome is looked up in the simulator.

use svc_fixtures::contract::{
    Blame, Bundle, BundleMode, Contract, ErrorCode, Field, Flow, Format, Kind, Operation, Presence,
    Step,
};
use svc_fixtures::json::Json;

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
    pub(crate) operation: usize,
    /// What its first identifying field asks for.
    pub(crate) mark: Mark,
    /// Of a bundle's step: the earlier operation whose answer it needs.
    pub(crate) needs: Option<String>,
    /// Its identifying fields and their values.
    pub(crate) identifiers: Vec<(String, String)>,
    /// Whether the OTP it sends is the right one.
    pub(crate) otp_is_right: bool,
}

/// What a template is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Operation(usize),
    Bundle(usize),
}

/// A call that can be made.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) of: Of,
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
    /// Whether it is the first call of a bundle in two calls.
    pub(crate) opens_two_calls: bool,
    /// Whether it is the second.
    pub(crate) ends_two_calls: bool,
}

/// Everything that can be called.
pub(crate) struct Catalogue {
    pub(crate) contract: Contract,
    /// By target: an operation or a bundle, and the kinds of input. The first is the plain one.
    pub(crate) targets: Vec<Vec<Template>>,
    /// The targets that are a part of something in several calls, or may wait for their result.
    pub(crate) in_steps: Vec<usize>,
}

type Body = Vec<(String, Json<'static>)>;

impl Catalogue {
    pub(crate) fn new() -> Self {
        let contract = Contract::built_in();
        let operations = (0..contract.operations.len()).map(|at| of_operation(&contract, at));
        let bundles = (0..contract.bundles.len()).map(|at| of_bundle(&contract, at));
        let targets: Vec<Vec<Template>> = operations.chain(bundles).collect();
        let waits = |run: &Run| contract.operations[run.operation].pending.is_some();
        let several = |kinds: &Vec<Template>| {
            let steps = |kind: &Template| kind.step.is_some() || kind.opens_two_calls;
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
        let step = |step: &Step| step.operation == operation.id;
        let step = flow.steps.iter().position(step)?;
        (!flow.advisory).then_some((at, step))
    };
    contract.flows.iter().enumerate().find_map(enforced)
}

fn takes<'c>(contract: &'c Contract, operation: &Operation) -> Option<&'c str> {
    let (flow, step) = place(contract, operation)?;
    contract.flows[flow].steps[step].takes.as_deref()
}

fn members(json: Json<'static>) -> Body {
    let Json::Object(members) = json else {
        panic!("a body is an object")
    };
    let own = |(name, value): (std::borrow::Cow<'static, str>, _)| (name.into_owned(), value);
    members.into_iter().map(own).collect()
}

fn print(body: &Body) -> String {
    let members = body.iter();
    let members = members.map(|(name, value)| (name.as_str().into(), value.clone()));
    Json::Object(members.collect()).to_string()
}

fn set(body: &mut Body, name: &str, value: Json<'static>) {
    match body.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => body.push((name.to_owned(), value)),
    }
}

/// The sample body of an operation; what it carries is still open.
fn plain(contract: &Contract, operation: &Operation) -> Body {
    let mut body = members(operation.sample_body(&contract.formats));
    if let Some(field) = takes(contract, operation) {
        set(&mut body, field, CARRIED.into());
    }
    body
}

/// The field that the marks of an operation are set on: the first that identifies and is not carried.
fn marked<'c>(contract: &Contract, operation: &'c Operation) -> Option<&'c Field> {
    let carried = takes(contract, operation);
    let mut fields = operation.identifiers().map(|(_, field)| field);
    fields.find(|field| Some(field.name.as_str()) != carried)
}

/// The kinds of mark an operation knows.
fn marks(operation: &Operation) -> impl Iterator<Item = Mark> {
    let statuses = [422, 500, 502, 503, 504].into_iter().map(Mark::Status);
    let pending = operation.pending.is_some().then_some(Mark::Status(202));
    statuses.chain(pending).chain([Mark::Sentinel])
}

/// The value of a field that asks for this.
fn value(contract: &Contract, field: &Field, mark: Mark) -> Json<'static> {
    let sample = field.sample(&contract.formats);
    let text = |text: String| match field.kind {
        Kind::List { .. } => Json::List(vec![text.into()]),
        _ => Json::from(text),
    };
    match mark {
        Mark::None => sample,
        Mark::Sentinel => text(format!("x{SENTINEL}x")),
        Mark::Status(status) => text(with_status(field, &first_text(&sample), status)),
    }
}

fn first_text(json: &Json<'_>) -> String {
    let first = json.as_list().and_then(<[Json<'_>]>::first);
    let text = first.unwrap_or(json).as_text();
    text.expect("what identifies is a text").to_owned()
}

/// The sample identifier with its last digits replaced by the status.
fn with_status(field: &Field, sample: &str, status: u16) -> String {
    if field.folds || field.name.starts_with("address") || field.name.starts_with("name") {
        return format!("STATUS {status}");
    }
    if field.name == "redirectUrl" {
        return format!("https://app.example/return?status={status}");
    }
    if sample.starts_with("https://") {
        return format!("https://assets.example/status-{status}.png");
    }
    if sample.contains('@') {
        return format!("status-{status}@example.com");
    }
    if let Some(prefix) = sample.strip_suffix("::1") {
        return format!("{prefix}::{status}");
    }
    let ends = |end: &usize| sample[end - 3..*end].bytes().all(|b| b.is_ascii_digit());
    let end = (3..=sample.len()).rev().find(ends);
    let end = end.expect("a sample has digits");
    format!("{}{status}{}", &sample[..end - 3], &sample[end..])
}

fn identifiers(operation: &Operation, body: &Body) -> Vec<(String, String)> {
    let fields = operation.identifiers();
    let sent = |(_, field): (usize, &Field)| {
        let (name, value) = body.iter().find(|(name, _)| *name == field.name)?;
        Some((name.clone(), value.to_string()))
    };
    fields.filter_map(sent).collect()
}

fn template(contract: &Contract, at: usize, body: &Body, mark: Mark) -> Template {
    let operation = &contract.operations[at];
    Template {
        of: Of::Operation(at),
        method: "POST",
        path: operation.path.replace('*', "start"),
        body: print(body),
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
        opens_two_calls: false,
        ends_two_calls: false,
    }
}

fn of_operation(contract: &Contract, at: usize) -> Vec<Template> {
    let operation = &contract.operations[at];
    let sample = plain(contract, operation);
    let mut all = vec![template(contract, at, &sample, Mark::None)];
    if let Some(field) = marked(contract, operation) {
        for mark in marks(operation) {
            let mut body = sample.clone();
            set(&mut body, &field.name, value(contract, field, mark));
            all.push(template(contract, at, &body, mark));
        }
    }
    all.extend(flawed(contract, at, &sample));
    all.extend(wrong_otp(contract, at, &sample));
    all
}

/// An OTP that is not the one that was sent.
fn wrong_otp(contract: &Contract, at: usize, sample: &Body) -> Option<Template> {
    let operation = &contract.operations[at];
    let otp = operation.field("otp")?;
    let Kind::Text { one_of, .. } = &operation.request[otp].kind else {
        return None;
    };
    let mut body = sample.clone();
    set(&mut body, "otp", "4321".into());
    let mut wrong = template(contract, at, &body, Mark::None);
    match one_of.is_empty() {
        true => wrong.runs[0].otp_is_right = false,
        false => wrong.refused = Some((400, ErrorCode::InvalidInput)),
    }
    Some(wrong)
}

/// Calls that are refused whatever the account is like.
fn flawed(contract: &Contract, at: usize, sample: &Body) -> Vec<Template> {
    let operation = &contract.operations[at];
    let refused = |body: &Body, code| Template {
        refused: Some((contract.error(code).status, code)),
        ..template(contract, at, body, Mark::None)
    };
    let first = &sample[0].0;
    let mut of_wrong_type = sample.clone();
    set(&mut of_wrong_type, first, Json::Int(7));
    let missing: Body = sample[1..].to_vec();
    let mut all = vec![
        refused(&missing, ErrorCode::InvalidInput),
        refused(&of_wrong_type, ErrorCode::InvalidInput),
    ];
    if let Some((name, format)) = with_format(contract, operation) {
        let mut malformed = sample.clone();
        let mut wrong = ["?", "lower", "a b"].into_iter();
        let wrong = wrong.find(|text| !format.fits(text));
        set(
            &mut malformed,
            name,
            wrong.expect("a text without it").into(),
        );
        let code = match format.blame {
            Blame::Identifier => ErrorCode::InvalidIdentifier,
            Blame::Input => ErrorCode::InvalidInput,
        };
        all.push(refused(&malformed, code));
    }
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

/// A required field with a format.
fn with_format<'c>(
    contract: &'c Contract,
    operation: &'c Operation,
) -> Option<(&'c str, &'c Format)> {
    let of = |field: &'c Field| match &field.kind {
        Kind::Text {
            format: Some(format),
            ..
        } => Some((field.name.as_str(), contract.format(*format))),
        _ => None,
    };
    let required = |field: &&Field| field.presence == Presence::Required;
    operation.request.iter().filter(required).find_map(of)
}

fn steps<'c>(contract: &'c Contract, row: &Bundle) -> Vec<(usize, &'c Operation)> {
    let at = |id: &String| contract.operations.iter().position(|row| row.id == *id);
    let steps = row.steps.iter().map(|id| at(id).expect("an operation"));
    steps.map(|at| (at, &contract.operations[at])).collect()
}

/// A bundle with this body, of which these steps are run; one field asks for something.
fn bundle(
    contract: &Contract,
    at: usize,
    body: &Body,
    run: &[(usize, &Operation)],
    asks: Option<(&str, Mark)>,
) -> Template {
    let row = &contract.bundles[at];
    let of_step = |&(at, operation): &(usize, &Operation)| {
        let mut identifying = operation.identifiers();
        let mark = asks.filter(|(name, _)| identifying.any(|(_, field)| field.name == *name));
        let sent = |name: &str| body.iter().any(|(known, _)| known == name);
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
        of: Of::Bundle(at),
        method: "POST",
        path: format!("/v1/bundles/{}", row.slug),
        body: print(body),
        refused: None,
        counts: false,
        runs: run.iter().map(of_step).collect(),
        price: run.iter().map(|(_, row)| row.price.0).sum(),
        step: None,
        opens_two_calls: false,
        ends_two_calls: false,
    }
}

fn of_bundle(contract: &Contract, at: usize) -> Vec<Template> {
    let row = &contract.bundles[at];
    let steps = steps(contract, row);
    let mut all = match &row.mode {
        BundleMode::Sequence | BundleMode::Parallel => {
            let sample = members(contract.bundle_sample(row));
            with_marks(contract, at, &sample, &steps)
        }
        BundleMode::Choice { field, options } => {
            let chosen = |(value, id): &(String, String)| {
                let step = steps.iter().find(|(_, row)| row.id == *id);
                let step = *step.expect("a step");
                let mut body = plain(contract, step.1);
                set(&mut body, field, value.as_str().into());
                with_marks(contract, at, &body, &[step])
            };
            options.iter().flat_map(chosen).collect()
        }
        BundleMode::TwoCalls => {
            let first = plain(contract, steps[0].1);
            let mut all = with_marks(contract, at, &first, &steps[..1]);
            for opening in &mut all {
                opening.price = steps.iter().map(|(_, row)| row.price.0).sum();
                opening.opens_two_calls = true;
            }
            let body = plain(contract, steps[1].1);
            all.push(Template {
                step: place(contract, steps[1].1),
                ends_two_calls: true,
                ..bundle(contract, at, &body, &steps[1..], None)
            });
            all
        }
    };
    all.push(Template {
        body: "{}".to_owned(),
        refused: Some((400, ErrorCode::InvalidInput)),
        ..bundle(contract, at, &Body::new(), &steps, None)
    });
    all
}

/// A bundle as it is, and with each mark on a field of each of its steps.
fn with_marks(
    contract: &Contract,
    at: usize,
    sample: &Body,
    steps: &[(usize, &Operation)],
) -> Vec<Template> {
    let mut all = vec![bundle(contract, at, sample, steps, None)];
    for (_, operation) in steps {
        let Some(field) = marked(contract, operation) else {
            continue;
        };
        for mark in marks(operation) {
            let mut body = sample.clone();
            set(&mut body, &field.name, value(contract, field, mark));
            let asks = Some((field.name.as_str(), mark));
            all.push(bundle(contract, at, &body, steps, asks));
        }
    }
    all
}
