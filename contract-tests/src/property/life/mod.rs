//! Strategies for lives of an account: calls of several kinds one after the other, with idempotency
//! keys used again for the same and for other calls, flows, bundles, look-ups and reports.

mod menu;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use crate::plan::{Ask, Carry, Case, Payload, Place, Setting};
use crate::property::law::Script;
use menu::Menu;

/// How many acts a life has at most.
const LONGEST: usize = 24;

const USAGE: &str = "/v1/usage";

/// What an account does.
#[derive(Debug, Clone)]
enum Act {
    /// One call, under one of a few keys or none.
    Call { ask: Ask, key: Option<u8> },
    /// An earlier call again, as it was; or under its key with another body.
    Again { of: Index, other: bool },
    /// The first call of a flow, and some of those that come after it.
    Flow { asks: Vec<Ask>, kept: Vec<bool> },
    /// The answer to an earlier call is looked up.
    LookUp { of: Index },
    /// An id nobody has is looked up.
    LookUpNothing,
    /// The usage.
    Report,
}

/// One account's life.
pub(super) fn alone(setting: &Setting<'_>) -> BoxedStrategy<Script> {
    life(setting).prop_map(Script::new).boxed()
}

/// One account's life, and another's beside it.
pub(super) fn beside(setting: &Setting<'_>) -> BoxedStrategy<Script> {
    (life(setting), life(setting))
        .prop_map(|(case, beside)| Script {
            case,
            beside: Some(beside),
        })
        .boxed()
}

fn life(setting: &Setting<'_>) -> BoxedStrategy<Case> {
    let acts = proptest::collection::vec(act(Menu::of(setting)), 1..=LONGEST);
    let environment = select(setting.environments.clone());
    (acts, environment)
        .prop_map(|(acts, environment)| case(&acts, environment))
        .boxed()
}

fn act(menu: Menu) -> BoxedStrategy<Act> {
    let call = prop_oneof![
        4 => select(menu.successes),
        3 => select(menu.fixed),
        3 => select(menu.pending),
        2 => select(menu.broken),
        2 => select(menu.bundles),
    ];
    let key = || prop_oneof![1 => Just(None), 2 => (0..4_u8).prop_map(Some)];
    let flow = select([menu.flows, menu.pairs].concat());
    // A flow that is made smaller loses its later calls.
    let kept = proptest::collection::vec(proptest::bool::weighted(0.7), 4);
    let again = |other: bool| any::<Index>().prop_map(move |of| Act::Again { of, other });
    prop_oneof![
        6 => (call, key()).prop_map(|(ask, key)| Act::Call { ask, key }),
        3 => again(false),
        1 => again(true),
        2 => (flow, kept).prop_map(|(asks, kept)| Act::Flow { asks, kept }),
        2 => any::<Index>().prop_map(|of| Act::LookUp { of }),
        1 => Just(Act::LookUpNothing),
        1 => Just(Act::Report),
    ]
    .boxed()
}

/// The calls of a life. It begins and ends with a report: the first tells what the account has.
fn case(acts: &[Act], environment: Environment) -> Case {
    let mut case = Case::new("a life").on(environment);
    let mut posted = Vec::new();
    case.push(Ask::get(USAGE));
    for act in acts {
        match act {
            Act::Call { ask, key } => {
                let ask = key.iter().fold(ask.clone(), |ask, key| {
                    ask.idempotency(&format!("key-{key}"))
                });
                posted.push(case.push(ask));
            }
            Act::Again { of, other } => {
                let Some(ask) = earlier(&case, &posted, *of) else {
                    continue;
                };
                posted.push(case.push(if *other { another(ask) } else { ask }));
            }
            Act::Flow { asks, kept } => {
                let first = case.steps.len();
                let later = asks.iter().skip(1).zip(kept);
                let later = later.filter(|(_, kept)| **kept).map(|(ask, _)| ask);
                for ask in asks.iter().take(1).chain(later) {
                    posted.push(case.push(after(ask, first)));
                }
            }
            Act::LookUp { of } if !posted.is_empty() => {
                let carry = Carry {
                    from: *of.get(&posted),
                    place: Place::of(["verificationId"]),
                    path_only: false,
                    field: None,
                };
                case.push(Ask {
                    carries: vec![carry],
                    ..Ask::get("/v1/verifications/{}")
                });
            }
            Act::LookUp { .. } | Act::LookUpNothing => {
                case.push(Ask::get(
                    "/v1/verifications/svcv_00000000000000000000000000",
                ));
            }
            Act::Report => {
                case.push(Ask::get(USAGE));
            }
        }
    }
    case.push(Ask::get(USAGE));
    case
}

fn earlier(case: &Case, posted: &[usize], of: Index) -> Option<Ask> {
    let place = posted.get(of.index(posted.len().max(1)))?;
    Some(case.steps[*place].ask.clone())
}

/// The same call with a body that is another JSON value.
fn another(ask: Ask) -> Ask {
    let payload = match ask.payload {
        Payload::Json(mut body) => {
            body.set("x_another", Json::Bool(true));
            Payload::Json(body)
        }
        other => other,
    };
    Ask { payload, ..ask }
}

/// A call that carries from a step of the life.
fn after(ask: &Ask, first: usize) -> Ask {
    let mut ask = ask.clone();
    for carry in &mut ask.carries {
        carry.from = first;
    }
    ask
}
