//! How alike the simulator answers what was captured: member by member, with the reason of each that differs.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_fixtures::contract::MemberPresence;

use super::bundle_steps;
use super::compare::{Comparison, MemberDifference, shown};
use super::inputs::{Inexpressible, SeenInput};
use super::refusals::{is_executed, why_unsaid};
use super::replay::Replayed;
use super::traffic::{Enveloped, Traffic, TrafficCall};
use crate::engine::call::rules::Rules;
use crate::scenario::Because;

/// What playing the traffic found.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fidelity {
    /// The calls that were played.
    pub calls: usize,
    /// The members of their answers that were compared.
    pub members: usize,
    /// Those that are alike.
    pub alike: usize,
    /// Those that differ and that a rule could make alike.
    pub missed: usize,
    /// By operation.
    pub endpoints: BTreeMap<String, EndpointFidelity>,
    /// Everything that differs.
    pub differences: Vec<ReportedDifference>,
    /// How many exchanges of the capture were not played, by the reason.
    pub not_played: BTreeMap<&'static str, usize>,
    /// How many calls the service executed again under one idempotency key: they were played under another.
    pub executed_again: usize,
}

/// The same of one endpoint.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointFidelity {
    /// The calls.
    pub calls: usize,
    /// The members.
    pub members: usize,
    /// Those that are alike.
    pub alike: usize,
}

/// A member that differs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedDifference {
    /// The exchange.
    pub exchange: usize,
    /// Its line in the capture.
    pub line: Option<usize>,
    /// What was called.
    pub endpoint: String,
    /// The member; `later` before it where it is one of the result.
    pub member: String,
    /// What was captured.
    pub captured: String,
    /// What the simulator answers.
    pub simulated: String,
    /// Why.
    pub why: String,
    /// Whether a rule could say so.
    pub expressible: bool,
}

impl Fidelity {
    /// How many of a hundred members are alike.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.alike, self.members)
    }

    /// The same of what a rule can express.
    #[must_use]
    pub fn expressible_percent(&self) -> f64 {
        percent(self.alike, self.alike + self.missed)
    }
}

/// In hundredths, rounded down: 100 is all.
#[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn percent(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 100.0,
        _ => (part * 10_000 / whole) as f64 / 100.0,
    }
}

/// What is known of why answers differ.
pub(super) struct Reasons<'r> {
    pub(super) rules: &'r Rules,
    pub(super) inputs: &'r [SeenInput],
    pub(super) inexpressible: &'r Inexpressible,
}

/// Why a bundle answers otherwise where its steps, asked alone, do not.
const OF_STEPS: &str = "a bundle is made of its steps, and rules are for these";

/// Compares what was captured with what the simulator answers.
pub(super) fn fidelity(
    traffic: &Traffic,
    replayed: &[Replayed],
    comparison: &Comparison,
    reasons: &Reasons<'_>,
) -> Fidelity {
    let mut found = Fidelity {
        not_played: traffic.left_out.clone(),
        executed_again: traffic.executed_again,
        ..Fidelity::default()
    };
    let why_by_call = reasons.by_call();
    for (at, (call, here)) in traffic.calls.iter().zip(replayed).enumerate() {
        if call.is_step {
            continue;
        }
        let compared = comparison.compare(call, here);
        let endpoint = here.answer.text("endpoint").to_owned();
        let alike = compared.members - compared.differences.len();
        found.calls += 1;
        found.members += compared.members;
        found.alike += alike;
        let row = found.endpoints.entry(endpoint.clone()).or_default();
        row.calls += 1;
        row.members += compared.members;
        row.alike += alike;
        for difference in compared.differences {
            let steps = bundle_steps::of(&traffic.calls, at);
            let of_step =
                bundle_steps::difference(&reasons.rules.contract, call, steps, &difference);
            let why = match of_step.map(|(step, path)| (at + 1 + step, path)) {
                Some((at, path)) => {
                    let (call, here) = (&traffic.calls[at], &replayed[at]);
                    let mut alone = comparison.compare(call, here).differences.into_iter();
                    match alone.find(|it| it.path == path) {
                        Some(alone) => reasons.why(at, call, here, &why_by_call, &alone),
                        None => Some(OF_STEPS.to_owned()),
                    }
                }
                None => reasons.why(at, call, here, &why_by_call, &difference),
            };
            found.missed += usize::from(why.is_none());
            let later = if difference.of_result { "later " } else { "" };
            found.differences.push(ReportedDifference {
                exchange: call.place.number,
                line: call.place.line,
                endpoint: endpoint.clone(),
                member: format!("{later}{}", difference.path),
                captured: shown(difference.recorded.as_ref()).to_string(),
                simulated: shown(difference.simulated.as_ref()).to_string(),
                expressible: why.is_none(),
                why: why.unwrap_or_else(|| "no rule was found for it".to_owned()),
            });
        }
    }
    found
}

impl Reasons<'_> {
    /// The input of each call.
    fn by_call(&self) -> BTreeMap<usize, &SeenInput> {
        let each = self
            .inputs
            .iter()
            .flat_map(|input| input.lives.values().flatten().map(move |at| (*at, input)));
        each.collect()
    }

    /// Why a member differs, where no rule can make it alike.
    fn why(
        &self,
        at: usize,
        call: &TrafficCall,
        here: &Replayed,
        inputs: &BTreeMap<usize, &SeenInput>,
        difference: &MemberDifference,
    ) -> Option<String> {
        if call.operation.is_none() {
            let bundle = self
                .rules
                .contract
                .bundles
                .iter()
                .any(|bundle| bundle.path == call.path);
            return Some(match bundle {
                true => OF_STEPS.to_owned(),
                false => "it is no operation, and rules are for these".to_owned(),
            });
        }
        if call.is_replay {
            return Some("it was answered before under its idempotency key".to_owned());
        }
        let code = call.answer().and_then(Enveloped::code);
        let own = here.answer.code();
        if here.because == Because::Refused && own.is_some() {
            return Some("the simulator refuses it before any rule is asked".to_owned());
        }
        let input = inputs.get(&at)?;
        let first = input
            .lives
            .values()
            .flatten()
            .copied()
            .min()
            .unwrap_or_default();
        if let Some(why) = self.inexpressible.get(&first) {
            return Some(why.clone());
        }
        if code.is_some_and(|code| !is_executed(code)) && input.steps.is_empty() {
            return Some(why_unsaid(code));
        }
        self.of_member(input, difference)
    }

    /// The same, as far as it lies in the member.
    fn of_member(&self, input: &SeenInput, difference: &MemberDifference) -> Option<String> {
        let path = difference.path.as_str();
        let member = path.strip_prefix("data.").unwrap_or(path);
        let refused = input
            .refused
            .iter()
            .find(|(known, _)| known.is_empty() || member.starts_with(known.as_str()));
        if let Some((_, message)) = refused {
            return Some(format!("no rule can say so: {message}"));
        }
        let top = member.split(['.', '[']).next().unwrap_or(member);
        let row = &self.rules.contract.operations[input.operation];
        let known = row.response.member(top);
        if difference.simulated.is_none()
            && known.is_some_and(|it| it.presence == MemberPresence::Sometimes)
        {
            return Some(
                "it is there only when it is asked for, or follows from something else".to_owned(),
            );
        }
        if !input.names_somebody() && !input.steps.is_empty() {
            return Some(
                "a later step of a flow names nobody whom a rule could ask for".to_owned(),
            );
        }
        if path.starts_with("billing.") {
            return Some("what is charged follows from the outcome and the price".to_owned());
        }
        None
    }
}
