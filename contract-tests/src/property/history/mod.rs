//! Strategies for lives of an account: calls of several kinds one after the other, with idempotency
//! keys used again for the same and for other calls, flows, bundles, look-ups and reports.

mod pool;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use crate::plan::{Case, Payload, RequestTemplate, Setting};
use crate::property::definition::Script;
use pool::CallPool;

/// How many acts a life has at most.
const LONGEST: usize = 24;

const USAGE: &str = "/v1/usage";

/// What an account does.
#[derive(Debug, Clone)]
enum Action {
    /// One call, under one of a few keys or none.
    Call {
        request: RequestTemplate,
        key: Option<u8>,
    },
    /// An earlier call again, as it was; or under its key with another body.
    Again { of: Index, other: bool },
    /// The first call of a flow, and some of those that come after it.
    Flow {
        covers: Vec<RequestTemplate>,
        kept: Vec<bool>,
    },
    /// The answer to an earlier call is looked up.
    LookUp { of: Index },
    /// An id nobody has is looked up.
    LookUpNothing,
    /// The usage.
    Report,
}

/// One account's life.
pub(super) fn one_account(setting: &Setting<'_>) -> BoxedStrategy<Script> {
    history(setting).prop_map(Script::new).boxed()
}

/// One account's life, and another's beside it.
pub(super) fn two_accounts(setting: &Setting<'_>) -> BoxedStrategy<Script> {
    (history(setting), history(setting))
        .prop_map(|(case, beside)| Script {
            case,
            beside: Some(beside),
        })
        .boxed()
}

fn history(setting: &Setting<'_>) -> BoxedStrategy<Case> {
    let actions = proptest::collection::vec(action(CallPool::of(setting)), 1..=LONGEST);
    let environment = select(setting.environments.clone());
    (actions, environment)
        .prop_map(|(actions, environment)| case(&actions, environment))
        .boxed()
}

fn action(pool: CallPool) -> BoxedStrategy<Action> {
    let call = prop_oneof![
        4 => select(pool.successes),
        3 => select(pool.fixed),
        3 => select(pool.pending),
        2 => select(pool.broken),
        2 => select(pool.bundles),
    ];
    let key = || prop_oneof![1 => Just(None), 2 => (0..4_u8).prop_map(Some)];
    let flow = select([pool.flows, pool.pairs].concat());
    // A flow that is made smaller loses its later calls.
    let kept = proptest::collection::vec(proptest::bool::weighted(0.7), 4);
    let again = |other: bool| any::<Index>().prop_map(move |of| Action::Again { of, other });
    prop_oneof![
        6 => (call, key()).prop_map(|(request, key)| Action::Call { request, key }),
        3 => again(false),
        1 => again(true),
        2 => (flow, kept).prop_map(|(covers, kept)| Action::Flow { covers, kept }),
        2 => any::<Index>().prop_map(|of| Action::LookUp { of }),
        1 => Just(Action::LookUpNothing),
        1 => Just(Action::Report),
    ]
    .boxed()
}

/// The calls of a history. It begins and ends with the usage: the first one says what the account has.
fn case(actions: &[Action], environment: Environment) -> Case {
    let mut case = Case::new("a life").on(environment);
    let mut posted = Vec::new();
    case.push(RequestTemplate::get(USAGE));
    for action in actions {
        match action {
            Action::Call { request, key } => {
                let request = key.iter().fold(request.clone(), |request, key| {
                    request.idempotency(&format!("key-{key}"))
                });
                posted.push(case.push(request));
            }
            Action::Again { of, other } => {
                let Some(request) = earlier(&case, &posted, *of) else {
                    continue;
                };
                posted.push(case.push(if *other { another(request) } else { request }));
            }
            Action::Flow { covers, kept } => {
                let first = case.steps.len();
                let later = covers.iter().skip(1).zip(kept);
                let later = later.filter(|(_, kept)| **kept).map(|(request, _)| request);
                for request in covers.iter().take(1).chain(later) {
                    posted.push(case.push(after(request, first)));
                }
            }
            Action::LookUp { of } if !posted.is_empty() => {
                case.push(RequestTemplate::look_up(*of.get(&posted)));
            }
            Action::LookUp { .. } | Action::LookUpNothing => {
                case.push(RequestTemplate::get(
                    "/v1/verifications/svcv_00000000000000000000000000",
                ));
            }
            Action::Report => {
                case.push(RequestTemplate::get(USAGE));
            }
        }
    }
    case.push(RequestTemplate::get(USAGE));
    case
}

fn earlier(case: &Case, posted: &[usize], of: Index) -> Option<RequestTemplate> {
    let place = posted.get(of.index(posted.len().max(1)))?;
    Some(case.steps[*place].request.clone())
}

/// The same call with a body that is another JSON value.
fn another(request: RequestTemplate) -> RequestTemplate {
    let payload = match request.payload {
        Payload::Json(mut body) => {
            body.set("x_another", Json::Bool(true));
            Payload::Json(body)
        }
        other => other,
    };
    RequestTemplate { payload, ..request }
}

/// A call that carries from a step of the life.
fn after(request: &RequestTemplate, first: usize) -> RequestTemplate {
    let mut request = request.clone();
    for carry in &mut request.carries {
        carry.from = first;
    }
    request
}
