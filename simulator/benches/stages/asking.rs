//! The stages before the lock: a body is read and checked, its call gets an id, its scenario is chosen.

use std::fmt::Write as _;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::BytesCount;
use svc_fixtures::contract::{Environment, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::input::{Input, parse as parse_body};
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::engine::state::ids::{BodyDigest, Content, VerificationId};
use svc_simulator::scenario::{Choice, MatchInput, RequestContext};

use super::given::{
    INPUTS, Kind, Person, body, config, identifier, prepared, rules, subject, usual, usual_index,
};

const SIZES: [Size; 2] = [Size::Usual, Size::Largest];

/// Whose sample body is read.
#[derive(Debug, Clone, Copy)]
enum Size {
    Usual,
    Largest,
}

impl Size {
    fn operation(self) -> &'static Operation {
        let contract = &rules().contract;
        let length = |row: &&Operation| {
            sample::body(contract, row, Extent::Required)
                .to_string()
                .len()
        };
        let largest = || contract.operations.iter().max_by_key(length);
        match self {
            Size::Usual => usual(),
            Size::Largest => largest().expect("there are operations"),
        }
    }

    fn body(self) -> Json<'static> {
        sample::body(&rules().contract, self.operation(), Extent::Required)
    }
}

#[divan::bench(args = SIZES)]
fn parse(bencher: Bencher<'_, '_>, size: Size) {
    let asked = Kind::Sandbox.asked(Person::Sample).with_body(&size.body());
    let call = asked.call();
    let read = || {
        let (kind, encoding) = (call.headers.content_type, call.headers.content_encoding);
        parse_body(kind, encoding, black_box(call.body))
    };
    assert!(read().is_ok());
    bencher.counter(BytesCount::of_str(&asked.body)).bench(read);
}

#[divan::bench(args = SIZES)]
fn check(bencher: Bencher<'_, '_>, size: Size) {
    let (operation, body) = (size.operation(), size.body());
    let index = rules().contract.operation_index(&operation.id);
    let index = index.expect("it is one of them");
    let check = |json| {
        let exempt = rules().scenarios.exempt(index);
        Input::check(&rules().contract, operation, exempt, json)
    };
    assert!(check(body.clone()).is_ok());
    bencher.with_inputs(|| body.clone()).bench_values(check);
}

#[divan::bench(args = SIZES)]
fn digest(bencher: Bencher<'_, '_>, size: Size) {
    let (operation, body) = (size.operation(), size.body());
    bencher.bench(|| BodyDigest::of_json(&operation.id, black_box(&body)));
}

#[divan::bench]
fn id(bencher: Bencher<'_, '_>) {
    let digest = BodyDigest::of_json(&usual().id, &body(Person::Sample));
    bencher.bench(|| id_of(black_box(digest)));
}

fn id_of(digest: BodyDigest) -> VerificationId {
    let (seed, account) = (&rules().seed, &config().id);
    Content::of(seed, Environment::Test, account, digest, None, None).verification(0)
}

/// Every input is one that a rule names; they are spread over all rules.
#[divan::bench(args = [10, 100_000])]
fn choose(bencher: Bencher<'_, '_>, count: usize) {
    let (rules, operation) = (with_exact(count), usual_index());
    let exempt = rules.scenarios.exempt(operation);
    // A step that has no factor with the count visits every rule.
    let input = |at: usize| {
        let body = body(Person::Other(at * 7_919 % count));
        let input = Input::check(&rules.contract, usual(), exempt, body);
        input.expect("the body is as its row says")
    };
    let inputs: Vec<Input<'_>> = (0..INPUTS).map(input).collect();
    let choose = |input: &Input<'_>| {
        let question = MatchInput {
            operation,
            field: &|index| input.field(index),
            context: RequestContext::plain(&config().id, Environment::Test),
        };
        rules.scenarios.choose(&rules.contract, &question)
    };
    let is_own = |choice| matches!(choice, Choice::Scenario(number) if (number.0 as usize) < count);
    assert!(inputs.iter().all(|input| is_own(choose(input))));
    let mut turn = inputs.iter().cycle();
    bencher.bench_local(|| turn.next().map(choose));
}

/// The built-in rules after so many that name one input each.
fn with_exact(count: usize) -> Rules {
    let (operation, field) = (&usual().id, &subject().name);
    let mut text = String::new();
    for number in 0..count {
        let value = identifier(Person::Other(number));
        let written = write!(
            text,
            "[[scenario]]\nname = \"bench {number}\"\noperation = \"{operation}\"\n\
             when = {{ {field} = \"{value}\" }}\nthen = {{ success = {{}} }}\n\n"
        );
        written.expect("a text takes all that is written");
    }
    let more = Source::new("bench/rules.toml", text);
    let rules = rules().with_scenarios(&[more]);
    rules.unwrap_or_else(|problems| panic!("{problems}"))
}

/// With an idempotency key nothing is printed ahead.
#[divan::bench(args = [Kind::Sandbox, Kind::Replay, Kind::Refused])]
fn prepare(bencher: Bencher<'_, '_>, kind: Kind) {
    let asked: Vec<_> = (0..INPUTS)
        .map(|at| kind.asked(Person::Other(at)))
        .collect();
    let calls: Vec<_> = asked.iter().map(|asked| asked.call()).collect();
    let is_planned = |call| prepared(call).plan.is_ok();
    assert!(
        calls
            .iter()
            .all(|call| is_planned(call) == (kind != Kind::Refused))
    );
    let mut turn = calls.iter().cycle();
    bencher.bench_local(|| turn.next().map(prepared));
}
