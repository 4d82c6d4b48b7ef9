//! Answers of rules whose members contradict each other or the request in a way that rows name: a day after the one it
//! comes before, a score beyond its scale. Nothing here knows a member.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;
use jiff::civil::Date;
use svc_fixtures::contract::{Contract, Field, Kind, Operation, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{Exchange, Within};
use svc_fixtures::path::Step;
use svc_fixtures::sample::{self, Extent};
use svc_fixtures::template::Edit;

use crate::engine::call::rules::Rules;
use crate::scenario::{Predicate, Scenario, Selector, asking};

/// An identifier with this in it has any format: so everybody can be asked for.
pub(super) const ANYBODY: &str = "~";

/// The day that rehearsals begin on: what is later has not come.
pub(super) const TODAY: Date = Date::constant(2027, 1, 15);

/// So many of those whom a rule names are asked for.
const MOST_NAMED: usize = 4;

/// What rows say of answers, by operation.
#[derive(Default)]
pub(super) struct Claims(HashMap<OperationIndex, Vec<&'static Within>, FixedState>);

/// A claim that no answer keeps.
pub(super) struct BrokenClaim {
    /// Which of the changes it is about.
    pub(super) at: usize,
    /// What is wrong.
    pub(super) message: String,
}

/// What makes an answer of a body.
pub(super) type Answering<'a> = dyn Fn(Json<'static>, Date) -> Option<Json<'static>> + 'a;

impl Claims {
    /// A claim that is broken whoever asks, and that one of the changes is about.
    pub(super) fn broken(
        &mut self,
        rules: &Rules,
        (operation, row): (OperationIndex, &Operation),
        scenario: &Scenario,
        changes: &[&Edit],
        answer: &Answering<'_>,
    ) -> Option<BrokenClaim> {
        let rows = self.0.entry(operation);
        let rows = rows.or_insert_with(|| Within::of_rules(&row.id));
        let paths: Vec<Vec<String>> = changes.iter().map(|edit| names(&edit.path)).collect();
        let about = |text: &str| paths.iter().position(|path| speaks_of(text, path));
        let claims = rows.iter().flat_map(|within| &within.holds);
        if claims.into_iter().all(|claim| about(&claim.text).is_none()) {
            return None;
        }
        let body = |extent| sample::body(&rules.contract, row, extent);
        let (usual, all) = (body(Extent::Required), body(Extent::All));
        let named = [&usual, &all].map(|body| about_named(&rules.contract, row, scenario, body));
        let named: Vec<_> = named.into_iter().flatten().collect();
        let bodies = match named.is_empty() {
            true => vec![
                about_anybody(row, &usual, 0),
                about_anybody(row, &usual, 1),
                all,
            ],
            false => named,
        };
        let (mut broken, mut held) = (Vec::new(), BTreeSet::new());
        for body in bodies {
            if let Some(data) = answer(body.clone(), TODAY) {
                judge(rows, body, data, &mut broken, &mut held);
            }
        }
        // Where somebody's answer keeps it the rule may be meant for them.
        let mut broken = broken.into_iter();
        broken.find_map(|(text, message)| {
            let at = about(&text).filter(|_| !held.contains(&text))?;
            Some(BrokenClaim { at, message })
        })
    }
}

/// Which claims a request and its answer break, each with what is wrong, and which they keep.
fn judge(
    rows: &[&'static Within],
    body: Json<'static>,
    data: Json<'static>,
    broken: &mut Vec<(String, String)>,
    held: &mut BTreeSet<String>,
) {
    let mut exchange = Exchange {
        first: Some(body),
        answers: vec![Cow::Owned(envelope(data))],
        item: 0,
    };
    let (mut wrong, mut right) = (Vec::new(), BTreeSet::new());
    for within in rows {
        for (claim, compared) in within.judged(&mut exchange) {
            match claim.holds(&compared) {
                true => _ = right.insert(claim.text.clone()),
                false => {
                    let what = claim.describe(&compared);
                    let message = match &within.row.says {
                        Some(says) if claim.is_of_form() => format!("{what}: {says}"),
                        _ => what,
                    };
                    wrong.push((claim.text.clone(), message));
                }
            }
        }
    }
    // What one item breaks the answer breaks.
    right.retain(|text| wrong.iter().all(|(other, _)| other != text));
    broken.extend(wrong);
    held.extend(right);
}

/// The body with those in it whom a rule names, as it names them, so many of them; none where it names nobody.
pub(super) fn about_named(
    contract: &Contract,
    row: &Operation,
    scenario: &Scenario,
    body: &Json<'static>,
) -> Vec<Json<'static>> {
    let fits = |field: &Field, value: &Json<'static>| {
        let asked = asking(field, value);
        field.check(&asked, &contract.formats, &[]).is_ok()
    };
    let about = |at: usize| {
        let (mut body, mut is_named) = (body.clone(), false);
        for condition in &scenario.conditions {
            let Predicate::OneOf(values) = &condition.predicate else {
                continue;
            };
            let value = values.get(at).or(values.first())?;
            let mut fields = row.request.iter();
            let field = fields.find(|field| match &condition.selector {
                Selector::Field(name) => field.name == *name,
                Selector::AnyIdentifier => field.identifies && fits(field, value),
                _ => false,
            });
            let Some(field) = field else { continue };
            is_named |= field.identifies && at < values.len();
            body.set(field.name.clone(), asking(field, value));
        }
        is_named.then_some(body)
    };
    (0..MOST_NAMED).map_while(about).collect()
}

/// Data as an answer of the day has it.
pub(super) fn envelope(data: Json<'static>) -> Json<'static> {
    let created = Json::from(format!("{TODAY}T08:00:00Z"));
    let meta = Json::Object(vec![("createdAt".into(), created)]);
    Json::Object(vec![("data".into(), data), ("meta".into(), meta)])
}

/// Whether a claim names the member that a path leads to.
fn speaks_of(claim: &str, path: &[String]) -> bool {
    let is_name =
        |step: &&String| step.as_str() != "*" && !step.bytes().all(|b| b.is_ascii_digit());
    let Some(name) = path.iter().rfind(is_name) else {
        return false;
    };
    let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let mut words = claim.split(ends);
    words.any(|word| word == name)
}

/// A path as rows speak of values: each item of a list is `*`.
pub(super) fn names(path: &[Step]) -> Vec<String> {
    let name = |step: &Step| match step {
        Step::Member(name) => name.clone(),
        Step::Item(_) | Step::Every | Step::Matched => "*".to_owned(),
    };
    path.iter().map(name).collect()
}

/// The body with somebody else in it.
pub(super) fn about_anybody(row: &Operation, body: &Json<'static>, number: usize) -> Json<'static> {
    let mut body = body.clone();
    for (_, field) in row.identifiers() {
        let text = || Json::from(format!("{ANYBODY}{number}{ANYBODY}"));
        match (&field.kind, body.get(&field.name).is_some()) {
            (Kind::Text { .. }, true) => body.set(field.name.clone(), text()),
            (Kind::List { .. }, true) => body.set(field.name.clone(), Json::List(vec![text()])),
            _ => {}
        }
    }
    body
}
