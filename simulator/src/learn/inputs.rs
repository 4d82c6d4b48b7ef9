//! The inputs of the traffic: calls of one operation that ask the same, in the order in which they were made, and what
//! became of them. What happened to one input again and again is one outcome; what changed is a sequence.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Contract, OperationIndex};
use svc_fixtures::json::Json;

use super::compare::{Comparison, is_time_of};
use super::outcome::{LearnedEdit, LearnedOutcome, differ};
use super::refusals::why_unsaid;
use super::replay::Replayed;
use super::together::AskedFor;
use super::traffic::{Provenance, Traffic};
use crate::scenario::Because;

/// What rules call where a call came in.
pub(super) const ENVIRONMENT: &str = "environment";

/// One input, and what became of it.
#[derive(Debug, Clone)]
pub(super) struct SeenInput {
    /// The operation.
    pub operation: OperationIndex,
    /// Whom it asks for.
    pub subject: Option<AskedFor>,
    /// The fields of the request that a rule can look at, and [`ENVIRONMENT`].
    pub fields: BTreeMap<String, Json<'static>>,
    /// For each account that sent it, the executed calls in order: places in the traffic.
    pub lives: BTreeMap<usize, Vec<usize>>,
    /// What became of it, call by call; nothing where the simulator says so itself.
    pub steps: Vec<LearnedOutcome>,
    /// What decided the simulator's own answers.
    pub because: BTreeSet<String>,
    /// Whether a rule decided them.
    pub is_decided: bool,
    /// Whether the simulator's own answers ended as the recorded ones.
    pub ends_alike: bool,
    /// Whether the answer that broke on the wire last came when it was asked for again.
    pub is_heard: bool,
    /// Whether none of its calls was executed, as one with the key of another: then nothing tells it from others.
    pub says_nothing: bool,
    /// What can't be said of it, by path, and why.
    pub refused: BTreeMap<String, String>,
}

impl SeenInput {
    /// Whether it says itself whom it asks for: a later step of a flow does not.
    #[must_use]
    pub(super) fn names_somebody(&self) -> bool {
        let subject = self.subject.as_ref();
        subject.is_some_and(|(field, _)| self.fields.contains_key(field))
    }

    /// The rule of a person that decided the simulator's answer. What was learned earlier, into files of these paths, is
    /// nobody's own.
    fn decided_by_hand(&self, earlier: &[&str]) -> Option<&str> {
        let is_by_hand = |why: &&String| {
            why.starts_with("scenario ")
                && !why.contains("(built in)")
                && !earlier.iter().any(|path| why.contains(path))
        };
        self.because.iter().find(is_by_hand).map(String::as_str)
    }

    /// Where it stands.
    #[must_use]
    pub(super) fn origins(&self, traffic: &Traffic) -> BTreeSet<Provenance> {
        let calls = self.lives.values().flatten();
        calls.map(|at| traffic.calls[*at].place.clone()).collect()
    }
}

/// Why an input stays as it is although the simulator answers otherwise, by the place of its first call.
pub(super) type Inexpressible = BTreeMap<usize, String>;

/// The inputs of the traffic, by what they ask.
#[must_use]
pub(super) fn inputs(
    contract: &Contract,
    traffic: &Traffic,
    subjects: &[Option<AskedFor>],
) -> Vec<SeenInput> {
    let mut found: BTreeMap<(OperationIndex, String), SeenInput> = BTreeMap::new();
    for (at, (call, subject)) in traffic.calls.iter().zip(subjects).enumerate() {
        let (Some(operation), Json::Object(members), false) =
            (call.operation, &call.json, call.is_replay)
        else {
            continue;
        };
        let row = &contract.operations[operation];
        let carried = contract.carried_field(row);
        let own = members
            .iter()
            .filter(|(name, _)| Some(name.as_ref()) != carried && row.field(name).is_some());
        let own = own.map(|(name, value)| (name.to_string(), value.clone()));
        let environment = Json::from(call.environment.as_str());
        let fields: BTreeMap<String, Json<'static>> =
            own.chain([(ENVIRONMENT.to_owned(), environment)]).collect();
        let asked = format!("{subject:?} {}", Json::object(fields.clone()));
        let input = found
            .entry((operation, asked))
            .or_insert_with(|| SeenInput {
                operation,
                subject: subject.clone(),
                fields,
                lives: BTreeMap::new(),
                steps: Vec::new(),
                because: BTreeSet::new(),
                is_decided: false,
                ends_alike: false,
                is_heard: false,
                says_nothing: false,
                refused: BTreeMap::new(),
            });
        input.lives.entry(call.life).or_default().push(at);
    }
    found.into_values().collect()
}

/// Says of each input what became of it, where the simulator says something else; `earlier` are the files that were
/// learned before.
pub(super) fn note_ends(
    contract: &Contract,
    (traffic, earlier): (&Traffic, &[&str]),
    replayed: &[Replayed],
    comparison: &Comparison,
    inputs: &mut [SeenInput],
) -> Inexpressible {
    let mut why = Inexpressible::new();
    for input in inputs {
        let row = &contract.operations[input.operation];
        // What the simulator refuses no rule is asked about.
        for calls in input.lives.values_mut() {
            calls.retain(|at| replayed[*at].because != Because::Refused);
        }
        let own: Vec<usize> = input.lives.values().flatten().copied().collect();
        let calls = || own.iter().copied();
        let first = calls().min().unwrap_or_default();
        input.because = calls().map(|at| replayed[at].because.to_string()).collect();
        input.is_decided = calls().any(|at| matches!(replayed[at].because, Because::Scenario(_)));
        input.ends_alike = calls().all(|at| {
            let recorded = traffic.calls[at].last();
            recorded.is_some_and(|it| it.status == replayed[at].last().status)
        });
        let outcomes = calls().map(|at| (at, LearnedOutcome::of(row, &traffic.calls[at])));
        let mut outcomes: BTreeMap<usize, Option<LearnedOutcome>> = outcomes.collect();
        input.says_nothing = outcomes.values().all(Option::is_none);
        // Whoever never came again was not refused for what they asked.
        if outcomes.values().flatten().all(LearnedOutcome::is_limit) {
            outcomes.values_mut().for_each(|outcome| *outcome = None);
        }
        let is_new = |(at, outcome): (&usize, &Option<LearnedOutcome>)| {
            let (call, here) = (&traffic.calls[*at], &replayed[*at]);
            let differs = !comparison.compare(call, here).differences.is_empty();
            let beside = outcome.as_ref().is_some_and(|it| {
                it.delay_ms.is_some()
                    || it.wire.is_some()
                    || call.after_ms.is_some() && !is_plain_pending(it)
            });
            differs || beside
        };
        if !outcomes.iter().any(is_new) {
            continue;
        }
        if let Some(by_hand) = input.decided_by_hand(earlier) {
            why.insert(
                first,
                format!("{by_hand} says otherwise, and stays as it is"),
            );
            continue;
        }
        let longest = input
            .lives
            .values()
            .max_by_key(|calls| calls.len())
            .cloned()
            .unwrap_or_default();
        let last = longest.last().map(|at| &traffic.calls[*at]);
        input.is_heard = last.is_some_and(|call| call.answer().is_none() && call.result.is_some());
        let steps = longest.iter().filter_map(|at| outcomes[at].clone());
        input.steps = steps.collect();
        if input.steps.is_empty() {
            let code = last.and_then(|call| call.last()?.code());
            why.insert(first, why_unsaid(code));
        }
    }
    why
}

fn is_plain_pending(outcome: &LearnedOutcome) -> bool {
    use super::outcome::LearnedEnd;
    match &outcome.ends {
        LearnedEnd::Pending { after_ms, finally } => after_ms.is_none() && finally.is_plain(),
        LearnedEnd::Success(_) | LearnedEnd::Error { .. } => outcome.is_plain(),
    }
}

/// Lays over each step what its answers still differ in. Whether there was something.
pub(super) fn note_changes(
    contract: &Contract,
    traffic: &Traffic,
    replayed: &[Replayed],
    comparison: &Comparison,
    inputs: &mut [SeenInput],
) -> bool {
    let mut any = false;
    for input in inputs.iter_mut().filter(|input| !input.steps.is_empty()) {
        let (refused, names_somebody) = (input.refused.clone(), input.names_somebody());
        let executed: Vec<Vec<usize>> = input
            .lives
            .values()
            .map(|calls| {
                let row = &contract.operations[input.operation];
                let executed = calls
                    .iter()
                    .filter(|at| LearnedOutcome::of(row, &traffic.calls[**at]).is_some());
                executed.copied().collect()
            })
            .collect();
        for calls in executed {
            for (step, at) in input.steps.iter_mut().zip(calls) {
                let (call, here) = (&traffic.calls[at], &replayed[at]);
                let compared = comparison.compare(call, here);
                let (Some(recorded), true) = (call.last(), !compared.differences.is_empty()) else {
                    continue;
                };
                let passed_over = |path: &str| {
                    refused.contains_key(path)
                        || comparison.is_form(call, &format!("data.{path}"))
                        || comparison.is_carried(call, path, names_somebody)
                };
                any |= overlay(step, recorded, here, &compared.differences, passed_over);
            }
        }
    }
    any
}

fn overlay(
    step: &mut LearnedOutcome,
    recorded: &super::traffic::Enveloped,
    here: &Replayed,
    differences: &[super::compare::MemberDifference],
    passed_over: impl Fn(&str) -> bool,
) -> bool {
    let before = step.clone();
    for difference in differences {
        match (difference.path.as_str(), &difference.recorded) {
            ("error.message", Some(Json::Text(text))) => step.set_message(text),
            ("meta.provider", Some(Json::Text(text))) => step.provider = Some(text.to_string()),
            _ => {}
        }
    }
    let data = (
        recorded.envelope.get("data"),
        here.last().envelope.get("data"),
    );
    let both_ended =
        recorded.text("status") == "completed" && here.last().text("status") == "completed";
    if let (Some(there), Some(own), true, Some(changes)) =
        (data.0, data.1, both_ended, step.changes_mut())
    {
        let mut edits = BTreeMap::new();
        differ(there, own, "", &mut edits);
        let is_of_call = |edit: &LearnedEdit| matches!(edit, LearnedEdit::Put(value) if is_time_of(recorded, value));
        edits.retain(|path, edit| !passed_over(path) && !is_of_call(edit));
        for (path, edit) in edits {
            // What is said of a part goes where all of it is said.
            changes.edits.retain(|known, _| {
                !known.starts_with(&format!("{path}[")) && !known.starts_with(&format!("{path}."))
            });
            changes.edits.insert(path, edit);
        }
    }
    *step != before
}

/// Steps as people write them: what is repeated at the end once, what comes round and round once. Whether it starts over.
#[must_use]
pub(super) fn compact(steps: &[LearnedOutcome]) -> (Vec<LearnedOutcome>, bool) {
    let mut steps = steps.to_vec();
    while let [.., before, last] = steps.as_slice() {
        if !last.is_like(before) {
            break;
        }
        let last = steps.pop();
        if let (Some(before), Some(last)) = (steps.last_mut(), last) {
            before.widen(&last);
        }
    }
    let comes_round = |length: &usize| {
        let whole = steps.len() >= 2 * *length && steps.len() > *length;
        whole
            && steps
                .iter()
                .zip(&steps[*length..])
                .all(|(a, b)| a.is_like(b))
    };
    let period = (2..steps.len()).find(comes_round);
    if let Some(length) = period {
        steps.truncate(length);
    }
    (steps, period.is_some())
}
