//! How an answer comes into being: `data` is filled in, and the envelope is printed around it.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::BytesCount;
use svc_fixtures::contract::{Environment, OperationIndex, Paise};
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::input::Input;
use svc_simulator::engine::call::render::{self, Charge, ResultPart};
use svc_simulator::engine::call::response::Sources;
use svc_simulator::engine::state::ids::VerificationId;
use svc_simulator::engine::state::verification::Verification;
use svc_simulator::scenario::AnswerForm;

use super::given::{Person, START, body, rules, usual, usual_index};

/// Which canned answer is filled in.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Smallest,
    Usual,
    Largest,
}

#[divan::bench(args = [Answer::Smallest, Answer::Usual, Answer::Largest])]
fn fill(bencher: Bencher<'_, '_>, answer: Answer) {
    let contract = &rules().contract;
    let sample = |operation: OperationIndex| {
        sample::body(contract, &contract.operations[operation], Extent::Required)
    };
    // What a later step of a flow answers depends on the first.
    let alone = |operation: &OperationIndex| rules().steps[operation.0].is_none();
    let all = contract
        .indexed_operations()
        .map(|(operation, _)| operation)
        .filter(alone);
    let length = |operation: &OperationIndex| {
        filled(&checked(*operation, sample(*operation)), *operation).len()
    };
    let (operation, body) = match answer {
        Answer::Smallest => all.min_by_key(length).map(|it| (it, sample(it))),
        Answer::Largest => all.max_by_key(length).map(|it| (it, sample(it))),
        Answer::Usual => Some((usual_index(), body(Person::Other(0)))),
    }
    .expect("there are operations");
    let input = checked(operation, body);
    let counter = BytesCount::new(filled(&input, operation).len());
    let bencher = bencher.counter(counter);
    bencher.bench(|| filled(black_box(&input), operation));
}

fn checked(operation: OperationIndex, body: svc_fixtures::json::Json<'static>) -> Input<'static> {
    let row = &rules().contract.operations[operation];
    let input = Input::check(
        &rules().contract,
        row,
        rules().scenarios.exempt(operation),
        body,
    );
    input.expect("a sample is as its row says")
}

fn filled(input: &Input<'_>, operation: OperationIndex) -> Vec<u8> {
    let mut data = Vec::with_capacity(512);
    let sources = Sources {
        story: &rules().story,
        input,
        flow: None,
        verification: VerificationId::NONE,
        addresses: rules().addresses.of(Environment::Test),
        people: &rules().scenarios.people,
        declared: &rules().declared,
        population: rules().population,
        today: jiff::civil::date(2026, 11, 1),
    };
    rules().answer(operation, None).print(sources, &mut data);
    data
}

#[divan::bench]
fn envelope(bencher: Bencher<'_, '_>) {
    let input = checked(usual_index(), body(Person::Other(0)));
    let data = filled(&input, usual_index());
    let of = Verification {
        reference: Some("order-1".into()),
        latency_ms: usual().latency.max_ms,
        ..Verification::new(VerificationId::NONE, usual().id.as_str().into(), START)
    };
    let result = ResultPart::Completed(&data);
    let charged = Some(Charge {
        amount: usual().price,
        balance_after: Paise(9_999_750),
    });
    let form = AnswerForm::default();
    let print =
        |of: &Verification| render::envelope(of, &result, charged, Environment::Live, &form);
    let bencher = bencher.counter(BytesCount::new(print(&of).len()));
    bencher.bench(|| print(black_box(&of)));
}
