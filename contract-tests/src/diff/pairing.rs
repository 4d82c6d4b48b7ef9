//! Which answers are compared with which: those to the same call of the same case; of recorded traffic those to
//! the same operation with the same input, in the order they came.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use svc_fixtures::json::Json;

use super::asked::Asked;
use super::finding::{LOOK_UP, NotCompared};
use crate::capture::{Capture, CapturedCase, Channel, Exchange, TransportError};
use crate::check::Check;
use crate::plan::{Case, Setting, USAGE, VERIFICATIONS};
use crate::recorded::WEBHOOKS;

/// Two answers to one call.
#[derive(Debug, Clone)]
pub(super) struct Pair<'a> {
    pub(super) check: &'a str,
    pub(super) case: &'a str,
    pub(super) step: usize,
    /// What was called: an operation, a bundle, or another address.
    pub(super) operation: String,
    pub(super) left: &'a Exchange,
    pub(super) right: &'a Exchange,
    /// Whether a call before it in its case had its idempotency key.
    pub(super) repeats: bool,
    /// What nobody knew beforehand which of several calls would get it.
    pub(super) raced: bool,
    /// Whether the sentinel stands in what a bundle was sent.
    pub(super) bundle_is_down: bool,
    /// Which of several bodies came first with their key was chance, and another one did on the other side.
    pub(super) other_won: bool,
}

impl Pair<'_> {
    /// Why the two calls are not the same, where they are not.
    pub(super) fn why_apart(&self) -> Option<&'static str> {
        if self.other_won {
            return Some(
                "of two requests that went out at once with one key another came first on each side",
            );
        }
        self.is_another_call()
            .then_some("what is sent is taken from an answer, and one side had nothing there")
    }

    /// Whether one side was sent a blank where the other was sent something, out of what it had answered before.
    fn is_another_call(&self) -> bool {
        let bodies = (&self.left.request.body, &self.right.request.body);
        match (Json::parse(bodies.0), Json::parse(bodies.1)) {
            (Ok(left), Ok(right)) => is_blank_beside(&left, &right),
            _ => false,
        }
    }
}

fn is_blank_beside(left: &Json<'_>, right: &Json<'_>) -> bool {
    let blank = |text: &str| text.trim().is_empty();
    match (left, right) {
        (Json::Text(left), Json::Text(right)) => blank(left) != blank(right),
        (Json::Object(members), right) => members.iter().any(|(name, left)| {
            let right = right.get(name);
            right.is_some_and(|right| is_blank_beside(left, right))
        }),
        (Json::List(left), Json::List(right)) => {
            let mut both = left.iter().zip(right);
            both.any(|(left, right)| is_blank_beside(left, right))
        }
        _ => false,
    }
}

/// The answers to one case.
pub(super) type PairedCase<'a> = Vec<Pair<'a>>;

/// What is compared with what, and what is left over.
pub(super) struct Paired<'a> {
    pub(super) cases: Vec<PairedCase<'a>>,
    pub(super) not_compared: Vec<NotCompared>,
}

type ByName<'a> = BTreeMap<(&'a str, &'a str), &'a CapturedCase>;

/// Pairs two captures.
pub(super) fn pair<'a>(
    setting: &Setting<'_>,
    checks: &[Check],
    left: &'a Capture,
    right: &'a Capture,
) -> Paired<'a> {
    let planned: BTreeMap<(&str, String), Case> = checks
        .iter()
        .flat_map(|check| {
            let cases = check.cases(setting).into_iter();
            cases.map(|case| ((check.id, case.name.clone()), case))
        })
        .collect();
    let is_check = |case: &CapturedCase| checks.iter().any(|check| check.id == case.check);
    let (lefts, rights) = (last_tries(left), last_tries(right));
    let mut reasons = Reasons::default();
    let mut cases = Vec::new();
    for (name, mine) in lefts.iter().filter(|(_, case)| is_check(case)) {
        let Some(other) = rights.get(name) else {
            reasons.add(name, "only the left side has them");
            continue;
        };
        let plan = planned.get(&(name.0, name.1.to_owned()));
        let silent = [("left", mine), ("right", other)];
        if let Some(why) = silent.iter().find_map(|(side, case)| silence(side, case)) {
            reasons.add(name, &why);
            continue;
        }
        match (mine.exchanges.is_empty(), other.exchanges.is_empty()) {
            (false, false) => cases.push(in_order(setting, plan, mine, other)),
            (true, _) => reasons.add(name, &why("left", mine)),
            (false, true) => reasons.add(name, &why("right", other)),
        }
    }
    for (name, _) in rights.iter().filter(|(_, case)| is_check(case)) {
        if !lefts.contains_key(name) {
            reasons.add(name, "only the right side has them");
        }
    }
    // As they came, not by their names: `#10` comes after `#9`.
    let loose = |capture: &'a Capture, last: &ByName<'a>| {
        let is_last = |case: &&CapturedCase| {
            let last = last.get(&(case.check.as_str(), case.case.as_str()));
            last.is_some_and(|last| std::ptr::eq(*last, *case))
        };
        // A webhook goes with its call.
        let is_call = |case: &&CapturedCase| !is_check(case) && case.check != WEBHOOKS;
        let cases = capture.cases.iter().filter(is_last);
        cases.filter(is_call).collect::<Vec<_>>()
    };
    cases.extend(by_input(
        setting,
        &loose(left, &lefts),
        &loose(right, &rights),
        &mut reasons,
    ));
    Paired {
        cases,
        not_compared: reasons.0,
    }
}

fn why(side: &str, case: &CapturedCase) -> String {
    let why = case.stopped.as_deref().unwrap_or("nothing was sent");
    format!("{side}: {why}")
}

/// Why a case says nothing of a side: that nobody was there to answer it is no other contract.
fn silence(side: &str, case: &CapturedCase) -> Option<String> {
    let mut exchanges = case.exchanges.iter();
    exchanges.find_map(|exchange| match &exchange.response {
        Err(TransportError::Unreachable(why)) => {
            Some(format!("{side}: the service did not answer: {why}"))
        }
        _ => None,
    })
}

/// The last try of every case: what came before met something that was in its way.
fn last_tries(capture: &Capture) -> ByName<'_> {
    let cases = capture.cases.iter();
    cases
        .map(|case| ((case.check.as_str(), case.case.as_str()), case))
        .collect()
}

/// Why what was not compared, each reason once.
#[derive(Default)]
struct Reasons(Vec<NotCompared>);

impl Reasons {
    fn add(&mut self, (check, case): &(&str, &str), why: &str) {
        match self.0.iter_mut().find(|known| known.why == why) {
            Some(known) => known.cases += 1,
            None => self.0.push(NotCompared {
                why: why.to_owned(),
                cases: 1,
                first: format!("{check}, {case}"),
            }),
        }
    }
}

/// The answers of a case, call by call. Of calls that went out at once none is known to have come first: their
/// answers are compared sorted.
fn in_order<'a>(
    setting: &Setting<'_>,
    plan: Option<&Case>,
    left: &'a CapturedCase,
    right: &'a CapturedCase,
) -> PairedCase<'a> {
    let together = plan.map_or(0..0, |case| case.together.clone());
    let sorted = |case: &'a CapturedCase| {
        let mut all: Vec<&Exchange> = case.exchanges.iter().collect();
        let end = together.end.min(all.len());
        if together.start < end {
            all[together.start..end].sort_by_key(|one| raced(one));
        }
        all
    };
    let mut keys = BTreeSet::new();
    let (lefts, mut rights) = (sorted(left), sorted(right));
    let end = together.end.min(lefts.len()).min(rights.len());
    let bodies = [left, right].map(|case| Bodies::of(case, &together));
    for at in together.start..end {
        // One that ended otherwise may not push all behind it aside.
        let is_like = |one: &&Exchange| raced(one) == raced(lefts[at]);
        let is_same = |one: &&Exchange| {
            is_like(one) && bodies[1].of_exchange(one) == bodies[0].of_exchange(lefts[at])
        };
        let same = rights[at..end].iter().position(is_same);
        let like = same.or_else(|| rights[at..end].iter().position(is_like));
        let free = || {
            let wanted = |one: &&Exchange| lefts[at..end].iter().any(|it| raced(it) == raced(one));
            rights[at..end].iter().position(|one| !wanted(one))
        };
        if let Some(beside) = like.or_else(free) {
            rights.swap(at, at + beside);
        }
    }
    let both = lefts.into_iter().zip(rights);
    // Another version may have planned other calls under the same name: they are another story.
    let same = |(mine, other): &(&Exchange, &Exchange)| {
        operation(setting, mine) == operation(setting, other)
            && mine.request.method == other.request.method
    };
    let pairs = both.take_while(same).enumerate();
    // Who judges it counts the steps as they were sent.
    let sent = |mine: &Exchange| {
        let is_it = |it: &Exchange| std::ptr::eq(it, mine);
        left.exchanges.iter().position(is_it)
    };
    let pairs = pairs.map(|(place, (mine, other))| {
        let key = mine.request.header("idempotency-key");
        let repeats = key.is_some_and(|key| !keys.insert((mine.request.path.clone(), key)));
        let chosen = [bodies[0].of_exchange(mine), bodies[1].of_exchange(other)];
        let raced_for = bodies.iter().all(|it| it.of_one_key) && together.contains(&place);
        Pair {
            check: &left.check,
            case: &left.case,
            step: sent(mine).unwrap_or(place),
            operation: operation(setting, mine),
            left: mine,
            right: other,
            repeats,
            raced: together.contains(&place),
            bundle_is_down: is_bundle_down(setting, mine),
            other_won: raced_for && chosen[0] != chosen[1] && raced(mine) != raced(other),
        }
    });
    pairs.collect()
}

/// The bodies of the calls of a case that went out at once, each known by the first that had it: what was sent on the two
/// sides need not be the same.
struct Bodies<'a> {
    first: Vec<(&'a Exchange, usize)>,
    /// Whether calls of one idempotency key have several.
    of_one_key: bool,
}

impl<'a> Bodies<'a> {
    fn of(case: &'a CapturedCase, together: &Range<usize>) -> Self {
        let sent = case.exchanges.get(together.clone()).unwrap_or_default();
        let body = |one: &'a Exchange| (&one.request.path, &one.request.body);
        let first = |one: &'a Exchange| sent.iter().position(|it| body(it) == body(one));
        let first: Vec<_> = sent
            .iter()
            .map(|one| (one, first(one).unwrap_or(0)))
            .collect();
        let key = |one: &'a Exchange| one.request.header("idempotency-key");
        let of_one_key = first.iter().any(|(one, own)| {
            let others = first.iter();
            key(one).is_some()
                && others
                    .clone()
                    .any(|(it, its)| key(it) == key(one) && its != own)
        });
        Bodies { first, of_one_key }
    }

    fn of_exchange(&self, exchange: &Exchange) -> Option<usize> {
        let found = self
            .first
            .iter()
            .find(|(it, _)| std::ptr::eq(*it, exchange));
        found.map(|(_, first)| *first)
    }
}

/// What tells answers to calls apart that went out at once.
fn raced(exchange: &Exchange) -> (&str, u16, bool) {
    (&exchange.request.path, ended(exchange), replayed(exchange))
}

/// How it ended, for sorting alone.
fn ended(exchange: &Exchange) -> u16 {
    exchange.response.as_ref().map_or(0, |answer| answer.status)
}

fn replayed(exchange: &Exchange) -> bool {
    let answer = exchange.response.as_ref().ok();
    answer.is_some_and(|answer| answer.header("idempotent-replay").is_some())
}

/// Recorded calls, paired by what was called with which input; the same input several times in its order.
fn by_input<'a>(
    setting: &Setting<'_>,
    lefts: &[&'a CapturedCase],
    rights: &[&'a CapturedCase],
    reasons: &mut Reasons,
) -> Vec<PairedCase<'a>> {
    let mut waiting: BTreeMap<String, VecDeque<&'a Exchange>> = BTreeMap::new();
    let mut left_over = 0;
    let mut asked = Asked::of(setting);
    for exchange in rights.iter().flat_map(|case| &case.exchanges) {
        let input = asked.input(exchange);
        waiting.entry(input).or_default().push_back(exchange);
        left_over += 1;
    }
    let (mut paired, mut asked) = (Vec::new(), Asked::of(setting));
    for case in lefts {
        for (step, exchange) in case.exchanges.iter().enumerate() {
            let other = waiting
                .get_mut(&asked.input(exchange))
                .and_then(VecDeque::pop_front);
            let Some(other) = other else {
                let name = (case.check.as_str(), case.case.as_str());
                reasons.add(
                    &name,
                    "recorded on the left only: nobody called the right side so",
                );
                continue;
            };
            left_over -= 1;
            paired.push(vec![Pair {
                check: &case.check,
                case: &case.case,
                step,
                operation: operation(setting, exchange),
                left: exchange,
                right: other,
                repeats: false,
                raced: false,
                bundle_is_down: is_bundle_down(setting, exchange),
                other_won: false,
            }]);
        }
    }
    if left_over > 0 {
        reasons.0.push(NotCompared {
            why: "recorded on the right only: nobody called the left side so".to_owned(),
            cases: left_over,
            first: String::new(),
        });
    }
    paired
}

fn is_bundle_down(setting: &Setting<'_>, exchange: &Exchange) -> bool {
    let sentinel = setting.contract.service.sentinel.text.as_bytes();
    let mut parts = exchange.request.body.windows(sentinel.len());
    let is_bundle = setting.contract.bundle_at(&exchange.request.path).is_some();
    is_bundle && parts.any(|part| part == sentinel)
}

/// What was called, in a word.
pub(super) fn operation(setting: &Setting<'_>, exchange: &Exchange) -> String {
    let path = exchange.request.path.as_str();
    if let Some(operation) = setting.operation_at(path) {
        return operation.id.clone();
    }
    if let Some(at) = setting.contract.bundle_at(path) {
        return setting.contract.bundles[at].endpoint();
    }
    match exchange.request.channel {
        Channel::Sink | Channel::Registered => "webhooks".to_owned(),
        _ if path.starts_with(VERIFICATIONS) => LOOK_UP.to_owned(),
        Channel::Page => "pages".to_owned(),
        _ if path == USAGE => "usage".to_owned(),
        _ => "other addresses".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::{Contract, Environment};

    use super::*;
    use crate::capture::{Capabilities, Credential, Request, Response};
    use crate::plan::inputs;
    use crate::prices::PriceList;
    use crate::profile::Profile;

    const PATH: &str = "/v1/verify/financial/ifsc";

    /// A call under a key, and how it ended.
    fn call(key: &str, body: &str, status: u16) -> Exchange {
        Exchange {
            request: Request {
                channel: Channel::Api,
                environment: Environment::Test,
                method: "POST".to_owned(),
                path: PATH.to_owned(),
                query: String::new(),
                authorization: None,
                headers: vec![("idempotency-key".to_owned(), key.to_owned())],
                body: body.as_bytes().to_vec(),
                padded_to: None,
            },
            credential: Credential::Own,
            at_s: None,
            response: Ok(Response {
                status,
                headers: Vec::new(),
                body: Vec::new(),
            }),
            took_ms: 1,
            result: None,
        }
    }

    /// The statuses that are compared of calls that went out at once, and those of which it is said that chance decided.
    fn compared(left: Vec<Exchange>, right: Vec<Exchange>) -> Vec<(u16, u16, bool)> {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed");
        let mut plan = Case::new("at once");
        plan.together = 0..left.len();
        let captured = |exchanges| CapturedCase {
            exchanges,
            ..CapturedCase::new("together.conflict", "at once")
        };
        let (left, right) = (captured(left), captured(right));
        let pairs = in_order(&setting, Some(&plan), &left, &right);
        let told = |it: &Pair<'_>| (ended(it.left), ended(it.right), it.other_won);
        pairs.iter().map(told).collect()
    }

    #[test]
    fn which_of_two_bodies_came_first_with_one_key_is_no_difference() {
        let calls = |one, other| vec![call("k", "one", one), call("k", "other", other)];
        let alike = compared(calls(200, 409), calls(200, 409));
        assert_eq!(alike, [(200, 200, false), (409, 409, false)]);
        // The one body ends in 200, the other in 422.
        let chance = compared(calls(200, 409), calls(409, 422));
        assert_eq!(chance, [(200, 422, true), (409, 409, false)]);
        // A service that takes both is another one, whichever came first.
        let both = compared(calls(409, 422), calls(200, 422));
        assert_eq!(both, [(409, 200, false), (422, 422, false)]);
        // Neither is one that answers the same body otherwise.
        let other = compared(calls(200, 409), calls(500, 409));
        assert_eq!(other, [(200, 500, false), (409, 409, false)]);
    }

    #[test]
    fn calls_with_keys_of_their_own_are_compared_whatever_they_send() {
        let calls = |one, other| vec![call("k", "one", one), call("l", "other", other)];
        let limited = compared(calls(200, 429), calls(200, 200));
        assert_eq!(limited, [(200, 200, false), (429, 200, false)]);
    }

    #[test]
    fn recorded_calls_are_paired_as_they_came_and_not_by_their_names() {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed");
        let recorded = |names: [&str; 2]| {
            let statuses = names.into_iter().zip([200, 504]);
            let case = |(name, status): (&str, u16)| CapturedCase {
                exchanges: vec![call(name, r#"{"ifsc":"TEST0000001"}"#, status)],
                ..CapturedCase::new("recorded", name)
            };
            Capture {
                seed: "seed".to_owned(),
                environments: vec![Environment::Test],
                profile: Profile::Provider,
                prices: PriceList::default(),
                http: true,
                capabilities: Capabilities::default(),
                local: true,
                cases: statuses.map(case).collect(),
            }
        };
        let (left, right) = (recorded(["#1", "#2"]), recorded(["#9", "#10"]));
        let paired = pair(&setting, &[], &left, &right);
        let statuses = |pair: &Pair<'_>| {
            let of = |one: &Exchange| one.response.as_ref().map(|it| it.status).ok();
            (of(pair.left), of(pair.right))
        };
        let statuses: Vec<_> = paired.cases.iter().flatten().map(statuses).collect();
        assert_eq!(
            statuses,
            [200, 504].map(|status| (Some(status), Some(status)))
        );
    }
}
