//! Keys that are given to be refused, limited or let in: revoked, expired, blocked, rotated, allowed, limited and poor ones.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::sample::{self, Extent};

use super::authentication::any_call;
use super::bundle_bodies::success;
use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use crate::capture::{Credential, KeyKind};
use crate::plan::{Case, EarlierValue, Ending, Place, RequestTemplate, Rule, Setting, USAGE};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "authentication.other-keys",
    title: "Revoked, rotated, blocked and limited keys behave as they are to",
    clauses: &[
        "auth.bad-key",
        "auth.allowlist",
        "auth.rotation",
        "billing.sandbox-free",
        "errors.auth-invalid",
        "errors.ip-not-allowed",
        "errors.rate-limited",
        "limits.rate-limit",
        "limits.rotated-key",
        "ruling.15-built-in-keys",
    ],
    stage: Stage::Sandbox,
    cases: Cases::Once(other_keys),
}];

/// How many calls at once are more than the limit of a key that is given for it.
const MANY: usize = 30;

fn other_keys(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let call = any_call(setting)?;
    let environments = setting.environments.iter();
    let cases = environments.flat_map(|environment| {
        let has = |kind| setting.has_key(*environment, kind);
        let refuses = |kind| refused_everywhere(setting, &call, kind, *environment);
        let mut cases: Vec<_> = [
            has(KeyKind::Revoked).then(|| refuses(KeyKind::Revoked)),
            has(KeyKind::Expired).then(|| refuses(KeyKind::Expired)),
            has(KeyKind::Blocked).then(|| refuses(KeyKind::Blocked)),
            has(KeyKind::Rotated).then(|| {
                let refusal = (ErrorCode::AuthInvalid, &ROTATED[..]);
                works(setting, &call, KeyKind::Rotated, refusal, *environment)
            }),
            has(KeyKind::Allowed).then(|| {
                let refusal = (ErrorCode::IpNotAllowed, &["auth.allowlist"][..]);
                works(setting, &call, KeyKind::Allowed, refusal, *environment)
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let on_sandbox = *environment == Environment::Test;
        cases.extend((on_sandbox && has(KeyKind::Poor)).then(|| poor(&call)));
        let limited = has(KeyKind::Limited);
        cases.extend(limited.then(|| limited_key(setting, &call, *environment)));
        if limited && on_sandbox {
            cases.push(limited_in_all(setting, &call));
            cases.extend(limited_elsewhere(setting, &call));
        }
        let on = |case: Case| case.on(*environment);
        cases.into_iter().map(on)
    });
    let mut cases: Vec<_> = cases.collect();
    cases.push(new_key(&call));
    Some(cases)
}

/// What a key says that was rotated less than 24 hours ago.
const ROTATED: [&str; 2] = ["auth.rotation", "limits.rotated-key"];

/// Whatever is asked with it is refused: an operation, the usage and a bundle; on the sandbox, where nothing costs anything
/// though it be executed, every other operation, too.
fn refused_everywhere(
    setting: &Setting<'_>,
    call: &RequestTemplate,
    kind: KeyKind,
    environment: Environment,
) -> Case {
    let ruled = "ruling.15-built-in-keys";
    let (code, clauses) = match kind {
        KeyKind::Expired => (
            ErrorCode::AuthInvalid,
            ["auth.bad-key", "auth.rotation", "limits.rotated-key"],
        ),
        KeyKind::Blocked => (
            ErrorCode::IpNotAllowed,
            ["auth.allowlist", "errors.ip-not-allowed", ruled],
        ),
        _ => (
            ErrorCode::AuthInvalid,
            ["auth.bad-key", "errors.auth-invalid", ruled],
        ),
    };
    let mut case = Case::new(kind.name());
    let bundle = known_bundle(setting);
    let reading = RequestTemplate::get(USAGE);
    let all = setting
        .operations()
        .filter(|_| environment == Environment::Test);
    let all = all.map(|operation| {
        let body = sample::body(setting.contract, operation, Extent::Required);
        RequestTemplate::post(operation, body)
    });
    let others = all.filter(|other| other.path != call.path);
    let first = [call.clone(), reading].into_iter();
    for request in first.chain(bundle).chain(others) {
        let request = request.header("x-reference-id", REFERENCE);
        let step = case.push(request.by(Credential::Given(kind)));
        case.expect_each(step, clauses, &Rule::fails(code));
    }
    if environment == Environment::Test {
        look_up(&mut case, call, kind, (code, &clauses));
    }
    case
}

/// Where its own call can be looked up, as a ruling says where, nobody else looks it up.
fn look_up(
    case: &mut Case,
    call: &RequestTemplate,
    kind: KeyKind,
    (code, clauses): (ErrorCode, &[&str]),
) {
    let called = case.push(call.clone());
    let found = case.push(RequestTemplate::look_up(called));
    let refused = RequestTemplate::look_up(called).by(Credential::Given(kind));
    let refused = case.push(refused);
    let place = Place::of(["status"]);
    let status = EarlierValue { step: found, place };
    let refuses = Box::new(Rule::fails(code));
    let rule = Rule::Where(status, "completed".into(), refuses);
    case.expect_each(refused, clauses.iter().copied(), &rule);
}

/// It works as others do, for reading, too; on live with a call that is refused for its fields, and so costs nothing.
fn works(
    setting: &Setting<'_>,
    call: &RequestTemplate,
    kind: KeyKind,
    (refusal, clauses): (ErrorCode, &[&str]),
    environment: Environment,
) -> Case {
    let call = call.clone().by(Credential::Given(kind));
    let mut case = Case::new(kind.name());
    let (call, works) = match environment {
        Environment::Test => (call, Rule::Ends(Ending::Completed)),
        Environment::Live => (call.raw("{}"), Rule::fails(ErrorCode::InvalidInput)),
    };
    let step = case.push(call);
    case.expect_each(step, clauses.iter().copied(), &works);
    let mut last = case.push(RequestTemplate::get(USAGE).by(Credential::Given(kind)));
    if let Some(bundle) = known_bundle(setting).filter(|_| environment == Environment::Test) {
        last = case.push(bundle.by(Credential::Given(kind)));
    }
    let open = Rule::NoneEnds(Ending::Error(refusal));
    case.expect_each(last, clauses.iter().copied(), &open);
    case
}

/// A call of a bundle that the service is known to have.
fn known_bundle(setting: &Setting<'_>) -> Option<RequestTemplate> {
    let bundles = setting.contract.bundles.iter();
    let mut known = bundles.filter(|row| row.example.is_some() || setting.by_rulings());
    known.find_map(|row| success(setting, row))
}

/// What costs nothing needs no money.
fn poor(call: &RequestTemplate) -> Case {
    let mut case = Case::new("poor");
    case.push(call.clone().by(Credential::Given(KeyKind::Poor)));
    case.expecting("billing.sandbox-free", Rule::Ends(Ending::Completed))
}

/// The new key of the account whose old one is built in.
fn new_key(call: &RequestTemplate) -> Case {
    let mut case = Case::new("the key in place of the rotated one").extension();
    let key = Credential::BuiltIn("rotated".to_owned());
    case.push(call.clone().by(key));
    case.expecting("auth.rotation", Rule::Ends(Ending::Completed))
}

/// The limit is the key's: as many calls at once are too many, whatever each of them asks for.
fn limited_in_all(setting: &Setting<'_>, other: &RequestTemplate) -> Case {
    let mut case = Case::new("limited in all");
    // Of the one that is asked for elsewhere the limit may be reached alone.
    let is_other = |row: &Operation| sample::path(row) == other.path;
    let alone = setting
        .operations()
        .filter(|row| setting.contract.step_of(&row.id).is_none() && !is_other(row));
    for operation in alone.take(MANY) {
        let body = sample::body(setting.contract, operation, Extent::Required);
        let call = RequestTemplate::post(operation, body);
        case.push(call.by(Credential::Given(KeyKind::Limited)));
    }
    case.send_together(0);
    let some = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
    case.expecting("limits.rate-limit", some)
}

/// Nor is it less under another path: of an operation whose path begins otherwise, and of a bundle.
fn limited_elsewhere(setting: &Setting<'_>, call: &RequestTemplate) -> Vec<Case> {
    let begins = |path: &str| path.split('/').nth(2).map(str::to_owned);
    let mut operations = setting.operations();
    let other = operations.find(|it| begins(&it.path) != begins(&call.path));
    let other = other.map(|operation| {
        let body = sample::body(setting.contract, operation, Extent::Required);
        RequestTemplate::post(operation, body)
    });
    let case = |(name, call): (&str, RequestTemplate)| {
        let mut case = Case::new(name);
        for _ in 0..MANY {
            case.push(call.clone().by(Credential::Given(KeyKind::Limited)));
        }
        case.send_together(0);
        let some = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
        case.expecting("limits.rate-limit", some)
    };
    let elsewhere = [
        ("limited under another path", other),
        ("limited in bundles", known_bundle(setting)),
    ];
    let there = elsewhere
        .into_iter()
        .filter_map(|(name, call)| Some((name, call?)));
    there.map(case).collect()
}

/// More at once than the limit allows, however much of it earlier calls have used up. Nobody else is limited. A
/// simulator looks at the limit before the fields; of others nobody knows, and on live a call that could cost something is
/// not made for it: there a refusal is only judged where it comes.
fn limited_key(setting: &Setting<'_>, call: &RequestTemplate, environment: Environment) -> Case {
    let mut case = Case::new("limited");
    let refused = call.clone().raw("{}");
    let free = environment == Environment::Test;
    let (many, call) = match setting.by_rulings() {
        true => (6, refused.clone()),
        false if free => (MANY, call.clone()),
        false => (MANY, refused.clone()),
    };
    let last = many - 1;
    for _ in 0..many {
        let call = call.clone().header("x-reference-id", REFERENCE);
        case.push(call.by(Credential::Given(KeyKind::Limited)));
    }
    case.send_together(0);
    let limited = match free || setting.by_rulings() {
        true => Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited)),
        false => Rule::Ends(Ending::NoFaultBut(ErrorCode::RateLimited)),
    };
    let limit = "limits.rate-limit";
    case.expect_each(
        last,
        ["errors.rate-limited", limit, "ruling.15-built-in-keys"],
        &limited,
    );
    let other = case.push(refused);
    case.expect(other, limit, Rule::fails(ErrorCode::InvalidInput));
    case
}
