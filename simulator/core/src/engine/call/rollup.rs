//! The answer of a bundle: one envelope rolled up from what its steps came to (ruling 29).

use svc_fixtures::contract::{Bundle, RiskPart};
use svc_fixtures::json::Json;

use super::render::{Charge, Printer, ResultPart, envelope};
use super::request::Environment;
use super::rules::Rules;
use crate::engine::state::verification::{Answer, State, Step, Verification};

/// How one step stands.
pub(super) struct StepEnd<'a> {
    pub(super) step: &'a Step,
    pub(super) state: State,
    pub(super) part: ResultPart<'a>,
    pub(super) charged: Option<Charge>,
    pub(super) status: u16,
    /// Whether a bundle can be completed with it, and an operation billed: a result, or that there is
    /// no record (ruling 22).
    pub(super) conclusive: bool,
}

/// The answer of a bundle that stands so, and whether a second call will carry what it gives.
pub(super) fn answer(
    rules: &Rules,
    row: &Bundle,
    (of, carries): (&Verification, bool),
    environment: Environment,
    state: State,
    ends: &[StepEnd<'_>],
    total: Option<Charge>,
) -> Answer {
    let form = &rules.scenarios.answers;
    let mut data = data(rules, row, (of, carries), ends);
    if let Some(form) = &form.bundle
        && let Ok(own) = Json::parse(&data)
    {
        data = form.filled(&own.into_owned()).to_string().into_bytes();
    }
    let message;
    let (status, part) = match state {
        State::Completed => (200, ResultPart::Completed(&data)),
        State::Pending => (200, ResultPart::Pending(&data)),
        State::Failed(code) => {
            let row = rules.contract.error(code);
            message = failure(ends, state, &row.meaning);
            let part = ResultPart::Failed {
                code,
                message: &message,
                retryable: row.retryable,
            };
            (row.status, part)
        }
    };
    Answer {
        status,
        state,
        envelope: envelope(of, &part, total, environment, form),
    }
}

/// Which step failed and how it says so itself.
fn failure(ends: &[StepEnd<'_>], state: State, meaning: &str) -> String {
    match ends.iter().find(|end| end.state == state) {
        Some(StepEnd {
            step,
            part: ResultPart::Failed { message, .. },
            ..
        }) => format!("{}: {message}", step.endpoint),
        _ => meaning.to_owned(),
    }
}

/// The printed `data` of a bundle: its slug, what a second call carries, its steps, and its risk.
fn data(
    rules: &Rules,
    row: &Bundle,
    (of, carries): (&Verification, bool),
    ends: &[StepEnd<'_>],
) -> Vec<u8> {
    let mut out = Printer(Vec::with_capacity(2048));
    out.raw(r#"{"bundle":"#);
    out.json(&row.slug);
    if let Some(flow) = of.flow.as_ref().filter(|_| carries) {
        let mut flows = rules.contract.flows.iter();
        let second = flows.find(|it| *it.name == *flow.name);
        let field = second.and_then(|it| it.steps.get(1)?.takes.as_ref());
        if let (Some(field), Some(token)) = (field, flow.tokens.first()) {
            out.raw(",");
            out.json(field);
            out.raw(":");
            out.json(&**token);
        }
    }
    out.raw(r#","steps":["#);
    for (at, end) in ends.iter().enumerate() {
        out.raw(if at == 0 { "{" } else { ",{" });
        out.raw(r#""endpoint":"#);
        out.json(&*end.step.endpoint);
        out.raw(r#","verificationId":""#);
        out.id(end.step.id);
        out.raw("\"");
        // What a step says of itself, without what it shares with its bundle.
        out.result(&end.part);
        out.billing(end.charged);
        out.raw("}");
    }
    out.raw("]");
    if let Some(risk) = &row.risk {
        let score = risk_score(&risk.parts, ends);
        out.raw(r#","riskScore":"#);
        out.json(&score);
        out.raw(r#","riskLevel":"#);
        out.json(risk_level(&risk.levels, score));
    }
    out.raw("}");
    out.0
}

/// The score of a bundle's steps, 0 to 100: the points its row gives for what they say, and for having no
/// record of anybody. What is still to come says nothing.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number from 0 to 100 is no larger than its type"
)]
fn risk_score(parts: &[RiskPart], ends: &[StepEnd<'_>]) -> i64 {
    let points = |part: &RiskPart| {
        let end = ends.iter().find(|end| *end.step.endpoint == *part.step)?;
        let data = match end.part {
            ResultPart::Completed(data) => Json::parse(data).ok()?,
            ResultPart::Failed { .. } => return Some(part.unknown),
            ResultPart::Pending(_) => return None,
        };
        let value = data.get(&part.member)?;
        if !part.equals.is_empty() {
            let items = value.as_list().unwrap_or(std::slice::from_ref(value));
            let counts = items.iter().any(|item| part.equals.contains(item));
            return counts.then_some(part.points);
        }
        let yes = f64::from(u8::from(value.as_bool() == Some(true)));
        Some(value.as_num().unwrap_or(yes) * part.points)
    };
    let sum: f64 = parts.iter().filter_map(points).sum();
    sum.clamp(0.0, 100.0).round() as i64
}

/// Which level a score is: the highest that begins at it or below.
fn risk_level(levels: &[(String, i64)], score: i64) -> &str {
    let mut reached = levels.iter().rev().filter(|(_, from)| *from <= score);
    reached.next().map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_begins_at_its_border() {
        let levels = [("LOW", 0), ("MEDIUM", 40), ("HIGH", 70)];
        let levels = levels.map(|(name, from)| (name.to_owned(), from));
        let found = [0, 39, 40, 69, 70, 100].map(|score| risk_level(&levels, score));
        assert_eq!(found, ["LOW", "LOW", "MEDIUM", "MEDIUM", "HIGH", "HIGH"]);
    }
}
