//! One world: what an operation hands out every other says the same of, lists keep their items under every
//! filter, letters of identifiers hold, nothing is dated after its answer. A check for each law of `fixtures/world/`.
//!
//! A simulator is asked about strangers that the run draws, and about the inputs whose outcome is known. Another
//! service knows nobody else: it is asked about known inputs alone, and what does not fit is only noted, unless the
//! specification says it of one operation: that is asked about the sample, and judged.

use std::sync::LazyLock;

use svc_fixtures::contract::{Contract, Operation};
use svc_fixtures::pairs::Law;
use svc_fixtures::sample;

use super::entry::{Cases, Check, Stage};
use crate::plan::law::{ASKED_AT, LawBody, LawRule, begins_with, seed_of};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

/// How many strangers a simulator is asked about for each law.
const STRANGERS: usize = 2;

/// What a check is called and asks.
struct Named {
    id: String,
    clauses: [&'static str; 1],
}

static NAMED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let named = Law::built_in().iter().map(|law| Named {
        id: format!("pairs.{}", law.name),
        clauses: [&law.clause],
    });
    named.collect()
});

/// A check for each law, but for those that only a person's consent answers.
pub(super) fn checks() -> Vec<Check> {
    static ASKED: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let contract = Contract::built_in();
        let laws = Law::built_in().iter().enumerate();
        let asked = laws.filter(|(_, law)| {
            let mut laws = law.of_operations(&contract).into_iter();
            laws.any(|law| is_answered(&law, &contract))
        });
        asked.map(|(at, _)| at).collect()
    });
    let check = |at: &usize| Check {
        id: &NAMED[*at].id,
        title: &Law::built_in()[*at].says,
        clauses: &NAMED[*at].clauses,
        stage: Stage::Sandbox,
        cases: Cases::OfLaw(*at, cases),
    };
    ASKED.iter().map(check).collect()
}

fn is_answered(law: &Law, contract: &Contract) -> bool {
    let mut asked = law
        .asks
        .iter()
        .map(|ask| contract.operation(&ask.operation));
    asked.all(|row| {
        let waits = |row: &Operation| row.pending.as_ref().is_some_and(|row| row.always);
        row.is_some_and(|row| !waits(row))
    })
}

/// The cases of a law.
fn cases(setting: &Setting<'_>, at: usize) -> Vec<Case> {
    let law = &Law::built_in()[at];
    let laws = law.of_operations(setting.contract);
    let asked = laws.iter().filter(|law| {
        let mut operations = law.asks.iter();
        let known = |id: &str| setting.operations().any(|row| row.id == id);
        is_answered(law, setting.contract) && operations.all(|ask| known(&ask.operation))
    });
    asked.flat_map(|law| of(setting, law)).collect()
}

fn of(setting: &Setting<'_>, law: &Law) -> Vec<Case> {
    let mut cases = Vec::new();
    let Some(first) = law.asks.first() else {
        return cases;
    };
    let Some(operation) = setting.contract.operation(&first.operation) else {
        return cases;
    };
    if setting.by_rulings() {
        for stranger in 0..STRANGERS {
            let name = format!("stranger {}", stranger + 1);
            cases.push(case(setting, law, operation, &name, None));
        }
    }
    let Some(field) = begins_with(first, operation) else {
        return cases;
    };
    let inputs = setting.inputs.iter().filter(|input| {
        let own = input.field(setting.contract, operation);
        let completed = input.ending(operation) == Some(Ending::Completed);
        completed && own.is_some_and(|own| own.name == field.name)
    });
    let mut known: Vec<_> = inputs
        .filter(|input| input.environment == ASKED_AT)
        .map(|input| input.value.to_string())
        .collect();
    if !setting.by_rulings() && is_said(law) {
        let sample = sample::value(setting.contract, field);
        let sample = sample.as_text().map(str::to_owned);
        known.extend(sample.filter(|sample| !known.contains(sample)));
    }
    cases.extend(known.into_iter().map(|value| {
        let known = (field.name.clone(), value.clone());
        case(setting, law, operation, &value, Some(known))
    }));
    cases
}

/// Whether the specification says it, not only a ruling.
fn is_said(law: &Law) -> bool {
    !law.clause.starts_with("ruling.")
}

fn case(
    setting: &Setting<'_>,
    law: &Law,
    operation: &Operation,
    name: &str,
    known: Option<(String, String)>,
) -> Case {
    let mut case = Case::about(operation, name);
    let seed = seed_of(&format!(
        "{} {} {}",
        setting.drawn_by(),
        law.name,
        case.name
    ));
    let item = usize::try_from(seed % 7).unwrap_or_default();
    let mut known = known;
    for (at, ask) in law.asks.iter().enumerate() {
        let Some(row) = setting.contract.operation(&ask.operation) else {
            continue;
        };
        let body = LawBody {
            ask: ask.clone(),
            seed: seed.wrapping_add(at as u64),
            item,
            known: known.take(),
        };
        let step = case.push(RequestTemplate::of_law(row, body));
        case.expect(step, &law.clause, Rule::succeeds(row));
    }
    for claim in &law.claims {
        let rule = LawRule {
            says: law.says.clone(),
            claim: claim.clone(),
            item,
            only_noted: !setting.by_rulings() && !is_said(law),
        };
        let last = claim.last_answer().min(law.asks.len() - 1);
        case.expect(last, &law.clause, Rule::Law(Box::new(rule)));
    }
    case
}
