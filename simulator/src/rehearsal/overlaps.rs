//! Rules that one input means both, reported with such an input: it was tried. Of many that overlap with
//! one rule that rule is reported, with how many they are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problem, Source};
use svc_fixtures::sample::{self, Extent};

use super::callers::meeting;
use super::inputs::{CALLER, InputSearch};
use crate::engine::call::rules::Rules;
use crate::scenario::{
    AccountConfig, Caller, Choice, Condition, MatchInput, Scenario, ScenarioIndex, Selector,
};
use crate::scenario_analysis::{Overlap, find_overlaps};

/// Two rules that one input means both.
#[derive(Debug, Clone)]
pub struct OverlapReport {
    /// It as a note at the place of the rule that stands later.
    pub problem: Problem,
    /// The rule that stands first, and wins.
    pub first: RuleLocation,
    /// The other one.
    pub second: RuleLocation,
    /// The operation that is called.
    pub operation: String,
    /// What is set in the sample body.
    pub set: Vec<(String, Json<'static>)>,
    /// Who calls, and how.
    pub caller: Caller,
    /// The rules that overlap with one of the two in the same way.
    pub more: Vec<RuleLocation>,
}

/// Where a rule stands.
#[derive(Debug, Clone)]
pub struct RuleLocation {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

/// So many pairs are tried.
const TRIED: usize = 2048;

/// So many of those that overlap with one rule are named to people.
const NAMED: usize = 3;

/// An overlap, and an input that shows it.
type Shown = (Overlap, Vec<(String, Json<'static>)>, Caller);

/// What people may want to know of rules whose order matters, by file and line.
#[must_use]
pub fn report_overlaps(
    rules: &Rules,
    accounts: &[AccountConfig],
    sources: &[Arc<Source>],
) -> Vec<OverlapReport> {
    let found = find_overlaps(&rules.contract, &rules.scenarios).into_iter();
    let shown: Vec<Shown> = found
        .take(TRIED)
        .filter_map(|overlap| shown(rules, accounts, overlap))
        .collect();
    let by_path: BTreeMap<&str, &Arc<Source>> = sources
        .iter()
        .map(|source| (source.path.as_str(), source))
        .collect();
    let mut notes: Vec<OverlapReport> = grouped(shown)
        .into_iter()
        .filter_map(|group| note(rules, &by_path, group))
        .collect();
    notes.sort_by(|a, b| {
        let place = |note: &OverlapReport| (note.second.file.clone(), note.second.line);
        place(a).cmp(&place(b))
    });
    notes
}

/// The overlap with an input that the first rule decides and the second one holds for.
fn shown(rules: &Rules, accounts: &[AccountConfig], overlap: Overlap) -> Option<Shown> {
    let row = &rules.contract.operations[overlap.operation];
    let (first, second) = (
        rules.scenarios.get(overlap.first),
        rules.scenarios.get(overlap.second),
    );
    let all: Vec<&Condition> = first.conditions.iter().chain(&second.conditions).collect();
    let base = Caller::plain(CALLER, Environment::Test);
    let callers = meeting(&base, &all, accounts);
    let search = InputSearch::new(rules, overlap.operation);
    let accepted = |input: &MatchInput<'_>| {
        let choice = rules.scenarios.choose(&rules.contract, input);
        choice == Choice::Scenario(overlap.first) && second.holds(row, input)
    };
    let body = sample::body(&rules.contract, row, Extent::Required);
    let mut identifiers: Vec<&str> = row.identifiers().map(|(_, it)| it.name.as_str()).collect();
    let any = all.iter().any(|it| it.selector == Selector::AnyIdentifier);
    identifiers.truncate(if any { usize::MAX } else { 1 });
    let ((set, _), caller) = identifiers
        .into_iter()
        .chain((!any).then_some(""))
        .find_map(|name| {
            // Both must hold of one and the same identifier.
            let on_it: Vec<Condition> = all.iter().map(|it| on_identifier(it, name)).collect();
            let on_it: Vec<&Condition> = on_it.iter().collect();
            search.found(&on_it, &callers, &body, &accepted)
        })?;
    Some((overlap, set, caller))
}

fn on_identifier(condition: &Condition, name: &str) -> Condition {
    let selector = match &condition.selector {
        Selector::AnyIdentifier => Selector::Field(name.to_owned()),
        selector => selector.clone(),
    };
    Condition {
        selector,
        predicate: condition.predicate.clone(),
    }
}

/// Overlaps of one rule: one that is shown, and the other rules that it overlaps with.
struct Group {
    shown: Shown,
    hub: ScenarioIndex,
    others: Vec<ScenarioIndex>,
}

/// One for each rule that overlaps with many, those of the most first.
fn grouped(mut left: Vec<Shown>) -> Vec<Group> {
    let mut groups = Vec::new();
    loop {
        let mut counts: BTreeMap<ScenarioIndex, usize> = BTreeMap::new();
        for (overlap, ..) in &left {
            *counts.entry(overlap.first).or_default() += 1;
            *counts.entry(overlap.second).or_default() += 1;
        }
        let most = counts.into_iter();
        let most = most.max_by_key(|&(rule, count)| (count, Reverse(rule)));
        let Some((hub, _)) = most else {
            return groups;
        };
        let is_of_it = |it: &Shown| it.0.first == hub || it.0.second == hub;
        let (of_it, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_of_it);
        left = others;
        let other = |(overlap, ..): &Shown| match overlap.first == hub {
            true => overlap.second,
            false => overlap.first,
        };
        let others = of_it.iter().skip(1).map(other).collect();
        groups.extend(
            of_it
                .into_iter()
                .next()
                .map(|shown| Group { shown, hub, others }),
        );
    }
}

fn note(
    rules: &Rules,
    by_path: &BTreeMap<&str, &Arc<Source>>,
    group: Group,
) -> Option<OverlapReport> {
    let (overlap, set, caller) = group.shown;
    let of = |index: ScenarioIndex| location(rules.scenarios.get(index));
    let (first, second) = (of(overlap.first), of(overlap.second));
    let operation = &rules.contract.operations[overlap.operation].id;
    let source = by_path.get(second.file.as_str())?;
    let message = format!(
        "\"{}\" and \"{}\" before it can be meant by one input: the first wins",
        second.name, first.name
    );
    let members = set
        .iter()
        .map(|(name, value)| (name.clone().into(), value.clone()));
    let mut hint = format!(
        "\"{}\" stands at {}:{}; both hold for {operation} {}{}; where \"{}\" is to win, put it first",
        first.name,
        first.file,
        first.line,
        Json::Object(members.collect()),
        by(&caller),
        second.name,
    );
    let more: Vec<RuleLocation> = group.others.iter().map(|&number| of(number)).collect();
    if !more.is_empty() {
        let names = more.iter().take(NAMED).map(|it| format!("\"{}\"", it.name));
        let mut names: Vec<String> = names.collect();
        if let Some(rest) = more.len().checked_sub(NAMED).filter(|rest| *rest > 0) {
            names.push(format!("{rest} more"));
        }
        hint += &format!(
            "; so it is with \"{}\" and {}",
            of(group.hub).name,
            names.join(", ")
        );
    }
    if overlap.stands_for_more {
        hint += "; so it may be with others that look at the same fields as one and the other";
    }
    Some(OverlapReport {
        problem: Problem::note(source, source.line_span(second.line), message).hint(hint),
        first,
        second,
        operation: operation.clone(),
        set,
        caller,
        more,
    })
}

fn location(scenario: &Scenario) -> RuleLocation {
    RuleLocation {
        name: scenario.name.to_string(),
        file: scenario.file.to_string(),
        line: scenario.line,
    }
}

/// Who calls and how, where it is not the plain caller.
fn by(caller: &Caller) -> String {
    let mut out = String::new();
    if caller.account != CALLER {
        out += &format!(" of {}", caller.account);
    }
    if caller.environment == Environment::Live {
        out += " on live";
    }
    for (name, text) in [
        ("X-Reference-Id", &caller.reference_id),
        ("Idempotency-Key", &caller.idempotency_key),
    ] {
        if let Some(text) = text {
            out += &format!(" with {name} {}", Json::from(text.as_str()));
        }
    }
    for (name, text) in &caller.headers.0 {
        out += &format!(" with {name} {}", Json::from(text.as_str()));
    }
    out
}
