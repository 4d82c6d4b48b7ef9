//! Validation, from the rows: for every operation and every field, each of its rules broken alone.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Blame, Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent, Violation};

use super::entry::{Cases, Check, Stage};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "validation.input",
        title: "A missing or malformed field is invalid input",
        clauses: &[
            "errors.invalid-input",
            "ruling.07-invalid-input",
            "ruling.06-message",
        ],
        stage: Stage::Refused,
        cases: Cases::PerOperation(input),
    },
    Check {
        id: "validation.identifier",
        title: "An identifier of the wrong format is an invalid identifier",
        clauses: &[
            "errors.invalid-identifier",
            "ruling.07-invalid-identifier",
            "ruling.06-message",
        ],
        stage: Stage::Refused,
        cases: Cases::PerOperation(identifier),
    },
    Check {
        id: "validation.later-steps",
        title: "A malformed field of a flow's later step is refused though what it carries was issued",
        clauses: &["errors.invalid-input", "ruling.06-message"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(later_steps),
    },
    Check {
        id: "validation.live",
        title: "What is malformed is refused on live, too, and costs nothing",
        clauses: &[
            "errors.invalid-identifier",
            "errors.invalid-input",
            "billing.failures-are-free",
        ],
        stage: Stage::Refused,
        cases: Cases::PerOperation(live),
    },
    Check {
        id: "validation.input-first",
        title: "Where both stand the code is for invalid input",
        clauses: &["ruling.07-input-first"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(input_first),
    },
    Check {
        id: "validation.least",
        title: "What is optional may be left out",
        clauses: &["wire.optional-headers"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(least),
    },
    Check {
        id: "validation.extra-fields",
        title: "Unknown fields are ignored",
        clauses: &["ruling.07-extra-fields"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(extra_fields),
    },
];

/// The clauses that speak of a mistake: the specification's, and the ruling's.
fn clauses(blame: Blame) -> [&'static str; 2] {
    match blame {
        Blame::Input => ["errors.invalid-input", "ruling.07-invalid-input"],
        Blame::Identifier => ["errors.invalid-identifier", "ruling.07-invalid-identifier"],
    }
}

fn input(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    first_steps(setting, operation, Blame::Input)
}

fn identifier(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    first_steps(setting, operation, Blame::Identifier)
}

/// Each rule broken alone, of an operation that carries nothing: a call that does is refused for that, too.
fn first_steps(setting: &Setting<'_>, operation: &Operation, blame: Blame) -> Option<Vec<Case>> {
    let carried = setting.contract.carried_field(operation);
    let violations = violations(setting, operation).into_iter();
    let of_blame = violations.filter(|it| carried.is_none() && it.blame == blame);
    let case = |violation: Violation| {
        let case = broken(setting, operation, &violation.name(), &[&violation]);
        refused(setting, case, &violation)
    };
    Some(of_blame.map(case).collect())
}

/// The same of one that does, after the calls that issue what it carries.
fn later_steps(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let carried = setting.contract.carried_field(operation)?;
    let case = |violation: Violation| {
        let mut case = Case::about(operation, &violation.name());
        let (mut carries, _) = lead::before(&mut case, setting, operation);
        if violation.field == carried {
            carries.clear();
        }
        let mut body = sample::body(setting.contract, operation, Extent::All);
        violation.put_in(&mut body);
        case.push(RequestTemplate::post(operation, body).carrying(carries));
        refused(setting, case, &violation)
    };
    let violations = violations(setting, operation);
    Some(violations.into_iter().map(case).collect())
}

/// What mistakes are called, where one of each kind of a field is asked on live.
const KINDS: [&str; 4] = ["\"", "unlisted", "too short", "too high"];

/// One violation of each kind of each field, on live; of an operation that carries something of what it carries alone,
/// which nobody was given.
fn live(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let carried = setting.contract.carried_field(operation);
    let mut seen = BTreeSet::new();
    let mut all = violations(setting, operation);
    all.retain(|it| {
        let alone = carried.is_none_or(|carried| it.field == *carried);
        // What is not listed, what is beyond a border, and a date that is none, each has a reader of its own.
        let is_kind = |kind: &&str| it.what.starts_with(kind) || it.what.ends_with(kind);
        let kind = KINDS.into_iter().find(is_kind).unwrap_or_default();
        alone && !it.ruled && seen.insert((it.field.clone(), it.blame, kind))
    });
    let case = |violation: &Violation| {
        let case = broken(setting, operation, &violation.name(), &[violation]);
        let case = refused(setting, case.on(Environment::Live), violation);
        case.expecting("billing.failures-are-free", Rule::Charged(false))
    };
    Some(all.iter().map(case).collect())
}

/// The last call of a case is refused for this mistake.
fn refused(setting: &Setting<'_>, mut case: Case, violation: &Violation) -> Case {
    let [said, ruled] = clauses(violation.blame);
    let refused = Rule::fails(match violation.blame {
        Blame::Input => ErrorCode::InvalidInput,
        Blame::Identifier => ErrorCode::InvalidIdentifier,
    });
    if !violation.ruled {
        let either = violation.blame_ruled && !setting.by_rulings();
        case = case.expecting(
            said,
            match either {
                true => Rule::Ends(Ending::Malformed),
                false => refused.clone(),
            },
        );
    }
    // What only a ruling calls malformed another service may take: it is no fault of its own all the same.
    if violation.ruled && !setting.by_rulings() {
        case = case.expecting(said, Rule::Ends(Ending::NoFault));
    }
    case.expecting(ruled, refused)
        .expecting("ruling.06-message", Rule::Mentions(violation.field.clone()))
}

/// The call of an operation that breaks these rules.
fn broken(
    setting: &Setting<'_>,
    operation: &Operation,
    name: &str,
    violations: &[&Violation],
) -> Case {
    let mut case = Case::about(operation, name);
    let mut body = sample::body(setting.contract, operation, Extent::All);
    for violation in violations {
        violation.put_in(&mut body);
    }
    case.push(RequestTemplate::post(operation, body));
    case
}

/// Each rule of each field of an operation, broken alone.
fn violations(setting: &Setting<'_>, operation: &Operation) -> Vec<Violation> {
    let fields = operation.request.iter();
    fields
        .flat_map(|field| sample::violations(setting.contract, field))
        .collect()
}

/// A malformed identifier beside a field that breaks another rule.
fn input_first(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let all = violations(setting, operation);
    let of = |blame| all.iter().filter(move |violation| violation.blame == blame);
    let identifier = of(Blame::Identifier).next()?;
    let input = of(Blame::Input).find(|input| input.field != identifier.field)?;
    let name = format!("{} and {}", identifier.name(), input.name());
    let case = broken(setting, operation, &name, &[identifier, input]);
    let refused = Rule::fails(ErrorCode::InvalidInput);
    Some(vec![case.expecting("ruling.07-input-first", refused)])
}

fn least(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let body = sample::body(setting.contract, operation, Extent::Required);
    succeeding(setting, operation, "wire.optional-headers", body)
}

fn extra_fields(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut body = sample::body(setting.contract, operation, Extent::All);
    body.set("x-unknown", Json::object([("a", Json::Null)]));
    let cases = succeeding(setting, operation, "ruling.07-extra-fields", body)?;
    // The specification says nothing of them: a service may be strict.
    Some(cases.into_iter().map(Case::extension).collect())
}

/// The calls that lead to an operation, and the operation with another valid body.
fn succeeding(
    setting: &Setting<'_>,
    operation: &Operation,
    clause: &str,
    body: Json<'static>,
) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let (carries, _) = lead::before(&mut case, setting, operation);
    let step = case.push(RequestTemplate::post(operation, body).carrying(carries));
    case.expect_each(
        step,
        [&operation.clause, clause],
        &Rule::succeeds(operation),
    );
    Some(vec![case])
}
