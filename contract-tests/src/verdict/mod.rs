//! The judge: exchanges in, verdicts out. Pure: no clock, no network, so that judging again gives
//! the same verdicts.

mod again;
mod alike;
mod answer;
mod billing;
mod bundle;
mod delivered;
mod ending;
mod envelope;
mod finding;
mod inconclusive;
mod issued;
mod law;
mod members;
pub(crate) mod posted;
mod price;
mod registered;
mod rule;
mod standing_clock;
mod tries;
mod trouble;
pub(crate) mod usage;
mod value;
mod wallet;
mod whole_run;

#[cfg(test)]
mod tests;

use crate::capture::{CapturedCase, Channel, Exchange};
use crate::plan::law::LEADS_NOWHERE;
use crate::plan::{Case, Setting};
pub(crate) use alike::words;
use answer::Answer;
pub(crate) use envelope::{CONTENT_TYPE, without_beginning};
use finding::Findings;
pub use finding::{Finding, SeenIn, Verdict};
pub use issued::IssuedIds;
pub use tries::{MOST_TRIES, judge_tries};
pub use trouble::{Trouble, TroubleKind};
pub use whole_run::WholeRun;

/// Judges one try of a case: every answer by what must hold of every answer, then by what
/// the case expects of it.
#[must_use]
pub fn judge(setting: &Setting<'_>, case: &Case, captured: &CapturedCase) -> Vec<Finding> {
    judge_into(Findings::of(setting, case), case, captured)
}

/// The same without what holds, which of traffic that only passes nobody reads.
#[must_use]
pub fn complaints(setting: &Setting<'_>, case: &Case, captured: &CapturedCase) -> Vec<Finding> {
    let findings = Findings {
        held: false,
        ..Findings::of(setting, case)
    };
    judge_into(findings, case, captured)
}

fn judge_into(mut findings: Findings<'_>, case: &Case, captured: &CapturedCase) -> Vec<Finding> {
    let setting = findings.setting;
    let mut inconclusive = Vec::new();
    let all = 0..captured.exchanges.len();
    let answers = all.map(|at| Answer::of_step(&captured.exchanges, at));
    let answers: Vec<_> = answers.collect();
    for (at, step) in case.steps.iter().enumerate() {
        findings.step = at;
        if let Some(exchange) = captured.exchanges.get(at)
            && exchange.request.channel == Channel::Webhook
        {
            posted::judge(&mut findings, exchange);
            continue;
        }
        match answers.get(at) {
            Some(Ok(answer)) => {
                let is_call = answer.request.channel == Channel::Api;
                if is_call {
                    if answer.later
                        && let Ok(first) = Answer::of(&captured.exchanges[at])
                    {
                        every_answer(&mut findings, &first);
                    }
                    every_answer(&mut findings, answer);
                    bundle::judge(&mut findings, answer);
                }
                let environment = answer.request.environment;
                let steps = &case.steps[..=at];
                match inconclusive::why(setting, environment, steps, answer, &inconclusive) {
                    Some(why) => {
                        findings.skip(why);
                        inconclusive.push(at);
                    }
                    None => {
                        for expectation in &step.expect {
                            rule::judge(&mut findings, &answers, at, expectation);
                        }
                    }
                }
                // Last: of a refusal that is missing it is what follows, not what is wrong.
                if is_call {
                    price::judge(&mut findings, step, answer);
                }
            }
            Some(Err(why)) => findings.skip(why),
            None if captured.stopped.as_deref() == Some(LEADS_NOWHERE) => break,
            None => {
                findings.skip(captured.stopped.as_deref().unwrap_or("it was not captured"));
                break;
            }
        }
    }
    findings.found
}

/// How an exchange ended, in a few words.
#[must_use]
pub fn ending(exchange: &Exchange) -> String {
    let later = exchange.result.as_ref();
    let later = later.map(|result| Answer::delivered(&exchange.request, result));
    match (Answer::of(exchange), later) {
        (Ok(answer), Some(later)) => format!("{}, then {}", answer.ending(), later.ending()),
        (Ok(answer), None) if answer.response.header("idempotent-replay").is_some() => {
            format!("{}, replayed", answer.ending())
        }
        (Ok(answer), None) => answer.ending(),
        (Err(why), _) => why,
    }
}

/// What must hold of every answer, whatever was asked.
fn every_answer(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    if envelope::judge(findings, answer) {
        ending::judge(findings, answer);
        billing::judge(findings, answer);
    }
}

/// The clauses that every answer is judged by.
pub const EVERY_ANSWER: &[&str] = &[
    "envelope.same-shape",
    "envelope.success",
    "envelope.verification-id",
    "envelope.reference-id",
    "envelope.endpoint",
    "envelope.status",
    "envelope.data",
    "envelope.error",
    "envelope.billing",
    "envelope.wallet-balance",
    "envelope.meta",
    "envelope.environment",
    "errors.envelope",
    "errors.stable-codes",
    "errors.status-and-retryable",
    "states.completed",
    "states.pending",
    "billing.sandbox-free",
    "billing.conclusive",
    "billing.no-record-is-billed",
    "billing.failures-are-free",
    "billing.hold",
    "ruling.01-reference-id-always",
    "ruling.02-ids-from-content",
    "ruling.03-pending-answer",
    "ruling.04-balance-after",
    "ruling.04-latency-figure",
    "ruling.05-paise",
    "ruling.06-message",
    "ruling.17-retry-after",
    "ruling.22-hold-while-pending",
];
