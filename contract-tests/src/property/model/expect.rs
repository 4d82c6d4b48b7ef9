//! What the model foresees, as rules with the clause that each proves.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, Paise};
use svc_fixtures::json::Json;

use crate::model::{CallOutcome, Record};
use crate::plan::{Ending, Expectation, Place, Predicate, Rule, UsageFigures};

const REPLAY: &str = "idempotent-replay";

fn expect(clause: &str, rule: Rule) -> Expectation {
    Expectation {
        clause: clause.to_owned(),
        rule,
    }
}

fn is<const N: usize>(place: [&str; N], value: Json<'static>) -> Rule {
    Rule::Value(Place::of(place), Predicate::Is(value))
}

fn ending(outcome: &CallOutcome) -> Ending {
    match outcome {
        CallOutcome::Completed => Ending::Completed,
        CallOutcome::Pending(..) => Ending::Pending,
        CallOutcome::Failed(code) => Ending::Error(*code),
    }
}

/// A first answer ends so.
pub(super) fn ends(clause: &str, outcome: &CallOutcome) -> Vec<Expectation> {
    vec![
        expect(clause, Rule::Ends(ending(outcome))),
        expect("ruling.19-replay-bytes", Rule::NoHeader(REPLAY)),
    ]
}

pub(super) fn completed(clause: &str) -> Expectation {
    expect(clause, Rule::Ends(Ending::Completed))
}

pub(super) fn names(name: String) -> Expectation {
    expect("ruling.06-message", Rule::Mentions(name))
}

pub(super) fn replay(first: usize) -> Vec<Expectation> {
    vec![
        expect("idempotency.replay", Rule::SameEnding(first)),
        expect("idempotency.replay", Rule::SameResult(first)),
        expect("ruling.19-replay-bytes", Rule::SameBytes(first)),
        expect("ruling.19-replay-bytes", Rule::Header(REPLAY, Some("true"))),
    ]
}

/// The answer says whether a step of a flow is done.
pub(super) fn done(member: &str, done: bool) -> Expectation {
    expect(
        "ruling.10-wrong-otp",
        is(["data", member], Json::Bool(done)),
    )
}

/// A bundle that is not refused names itself.
pub(super) fn bundle(slug: &str, outcome: &CallOutcome) -> Option<Expectation> {
    let slug = || is(["data", "bundle"], Json::from(slug.to_owned()));
    let failed = matches!(outcome, CallOutcome::Failed(_));
    (!failed).then(|| expect("ruling.29-bundle-data", slug()))
}

/// The second call of a bundle goes on with the verification of the first one.
pub(super) fn same_verification(id: String) -> Expectation {
    expect(
        "ruling.29-dynamic-bank",
        is(["verificationId"], Json::from(id)),
    )
}

/// What an answer says of its charge, and of the balance after it where that is known.
pub(super) fn charge(amount: Paise, balance: Option<Paise>) -> Vec<Expectation> {
    let charged = amount > Paise::ZERO;
    let mut expected = vec![expect("billing.conclusive", Rule::Charged(charged))];
    if charged {
        expected.push(expect("ruling.21-prices", Rule::Price(amount)));
        let after = |balance| is(["billing", "walletBalanceAfter"], rupees(balance));
        let after = balance.map(|balance| expect("ruling.22-wallet-adds-up", after(balance)));
        expected.extend(after);
    }
    expected
}

/// A look-up gives the newest answer; what nobody was answered is not found.
pub(super) fn looked_up(record: Option<&Record>) -> Vec<Expectation> {
    let clause = "ruling.27-verification-lookup";
    let Some(record) = record else {
        let none = Ending::Error(ErrorCode::NotFound);
        return vec![expect(clause, Rule::Ends(none))];
    };
    let ends = match &record.outcome {
        CallOutcome::Failed(code) => Ending::Refused(200, *code),
        other => ending(other),
    };
    let same = record.answer.map(Rule::SameBytes);
    let rules = same.into_iter().chain([Rule::Ends(ends)]);
    rules.map(|rule| expect(clause, rule)).collect()
}

pub(super) fn usage(rows: BTreeMap<String, UsageFigures>) -> Expectation {
    expect("ruling.27-usage", Rule::Usage(rows))
}

pub(super) fn wallet(balance: Paise) -> Expectation {
    let rule = is(["data", "walletBalance"], rupees(balance));
    expect("ruling.22-wallet-adds-up", rule)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a double prints every amount below 2^53 paise"
)]
fn rupees(amount: Paise) -> Json<'static> {
    Json::Num(amount.0 as f64 / 100.0)
}
