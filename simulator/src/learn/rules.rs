//! The fewest rules that say what became of the inputs: one for all inputs of an operation where nothing contradicts, one
//! for what inputs have in common that others have not, else one for whom or what is asked for.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Operation, OperationIndex, Presence};
use svc_fixtures::json::Json;

use super::computed::{Dependencies, dependencies};
use super::everybody::for_everybody;
use super::inputs::{ENVIRONMENT, SeenInput, compact};
use super::naming::{about, name_apart, summary};
use super::others::{Everyone, Whose, addresses, others};
use super::outcome::{LearnedEdit, LearnedEnd, LearnedOutcome};
use super::people::LearnedPerson;
use super::rule::{FieldTests, LearnedRule, Said, Test};
use super::traffic::{Provenance, Traffic};
use crate::engine::call::rules::Rules;
use crate::scenario::is_built_in;

/// How far rules go beyond the inputs that were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Not at all.
    Exact,
    /// As far as nothing contradicts.
    General,
}

/// So many inputs that begin or end alike are no coincidence, where it is so many characters.
const ALIKE: (usize, usize) = (3, 3);

/// What rules are made from.
pub(super) struct RuleMaker<'l> {
    /// What the simulator says by itself.
    pub base: &'l Rules,
    /// The calls.
    pub traffic: &'l Traffic,
    /// Those who are declared with the rules.
    pub people: &'l [LearnedPerson],
    /// Of these, who is asked for so.
    pub whose: Whose<'l>,
    /// The operations of which what everybody gets breaks the contract.
    pub breaking: &'l BTreeSet<String>,
    /// What rules are called beside those so far.
    pub named: &'l BTreeSet<String>,
}

impl RuleMaker<'_> {
    /// The rules of all operations; of those named, only as far as inputs were seen.
    #[must_use]
    pub(super) fn rules(
        &self,
        inputs: &[SeenInput],
        exact: &BTreeSet<String>,
        breadth: Breadth,
    ) -> Vec<LearnedRule> {
        let mut rules = Vec::new();
        let mut by_operation: BTreeMap<OperationIndex, Vec<&SeenInput>> = BTreeMap::new();
        for input in inputs {
            by_operation.entry(input.operation).or_default().push(input);
        }
        for (operation, inputs) in by_operation {
            let row = &self.base.contract.operations[operation];
            let is_exact = exact.contains(&row.id);
            let breadth = if is_exact { Breadth::Exact } else { breadth };
            rules.extend(self.of_operation(row, &inputs, breadth));
        }
        if breadth == Breadth::General {
            rules = self.across(rules, inputs);
        }
        let there = self.base.scenarios.all().iter();
        let own = there.filter(|it| !is_built_in(&it.file));
        let own = own.map(|it| it.name.to_string());
        name_apart(&mut rules, own.chain(self.named.iter().cloned()).collect());
        rules
    }

    fn of_operation(
        &self,
        row: &Operation,
        inputs: &[&SeenInput],
        breadth: Breadth,
    ) -> Vec<LearnedRule> {
        let all: Vec<Said<'_>> = inputs.iter().map(|input| Said::of(input)).collect();
        let everyone = Everyone::of(&all, &self.whose);
        let mut open: Vec<&Said<'_>> = all.iter().filter(|it| !it.then.is_empty()).collect();
        let mut last = None;
        if breadth == Breadth::General
            && let Some((then, origins)) = self.for_everybody(row, &all)
        {
            open.retain(|it| it.input.is_decided || it.start_over || it.then != [then.clone()]);
            last = Some(LearnedRule {
                name: format!(
                    "{}: {}",
                    row.id,
                    summary(std::slice::from_ref(&then), "everybody else")
                ),
                operation: row.id.clone(),
                when: Vec::new(),
                otherwise: true,
                then: vec![then],
                start_over: false,
                origins,
            });
        }
        let (mut exact, mut shared, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for group in grouped(&open, breadth) {
            match self.shared(row, &group, &all) {
                Some(when) => shared.push(self.rule(row, &group, when)),
                None => groups.push(group),
            }
        }
        // A field that decides for many is asked for by the rules of the others, too: no input is meant by both.
        let asked: BTreeSet<&str> = shared
            .iter()
            .flat_map(|rule| &rule.when)
            .map(|(name, _)| name.as_str())
            .collect();
        for group in groups {
            exact.extend(self.for_group(row, &group, &everyone, &asked));
        }
        // Whom nothing tells apart is everybody, where nobody else is.
        if last.is_none() && exact.len() == 1 && shared.is_empty() && exact[0].when.is_empty() {
            self.say_of_everybody(row, all[0].input, &mut exact[0]);
            exact.retain(|rule| !rule.then.iter().all(LearnedOutcome::is_plain));
        } else {
            exact.retain(|rule| !rule.when.is_empty());
        }
        // The narrower first.
        exact.sort_by_key(|rule| std::cmp::Reverse(rule.when.len()));
        exact.into_iter().chain(shared).chain(last).collect()
    }

    /// Makes a rule that asks for nobody one for everybody: what is known of somebody is whose first call it was.
    fn say_of_everybody(&self, row: &Operation, input: &SeenInput, rule: &mut LearnedRule) {
        let template = self.base.template(input.operation);
        rule.otherwise = true;
        for changes in rule.then.iter_mut().filter_map(|it| it.changes_mut()) {
            changes.edits.retain(|path, edit| {
                let depends = dependencies(template, path);
                *edit == LearnedEdit::Remove || !depends.of_flow && !depends.of_somebody
            });
        }
        rule.name = format!("{}: {}", row.id, summary(&rule.then, "everybody"));
    }

    /// A rule for whom is asked, of inputs that come to the same.
    fn for_group(
        &self,
        row: &Operation,
        group: &[&Said<'_>],
        everyone: &Everyone<'_>,
        asked: &BTreeSet<&str>,
    ) -> Vec<LearnedRule> {
        // Whom an input asks for, beside what tells it from others that ask for them, too.
        let mut by_rest: BTreeMap<String, Vec<(&Said<'_>, FieldTests)>> = BTreeMap::new();
        let mine = addresses(group);
        for it in group {
            let (who, left) = everyone.like(it.input, &mine);
            let when = self.exactly(row, it.input, (who, left), asked);
            let rest = when
                .iter()
                .skip(1)
                .map(|(name, test)| format!("{name} {test:?}"));
            let key = format!(
                "{} {:?}",
                when.first().map_or("", |(name, _)| name),
                rest.collect::<Vec<_>>()
            );
            by_rest.entry(key).or_default().push((it, when));
        }
        let mut rules = Vec::new();
        for members in by_rest.into_values() {
            let said: Vec<&Said<'_>> = members.iter().map(|(it, _)| *it).collect();
            let mut when = members[0].1.clone();
            let mut values: Vec<Json<'static>> = Vec::new();
            for (_, own) in &members {
                if let Some((_, Test::Is(value))) = own.first()
                    && !values.contains(value)
                {
                    values.push(value.clone());
                }
            }
            values.sort_by_key(Json::to_string);
            match when.first_mut() {
                // There is no third one.
                Some((name, _)) if values.len() > 1 && name == ENVIRONMENT => {
                    when.remove(0);
                }
                Some(first) if values.len() > 1 => first.1 = Test::OneOf(values),
                _ => {}
            }
            rules.push(self.rule(row, &said, when));
        }
        rules
    }

    fn rule(&self, row: &Operation, group: &[&Said<'_>], when: FieldTests) -> LearnedRule {
        let mut then = group[0].then.clone();
        for other in &group[1..] {
            then.iter_mut()
                .zip(&other.then)
                .for_each(|(own, other)| own.widen(other));
        }
        let about = when
            .iter()
            .map(|(name, test)| about(name, test))
            .collect::<Vec<_>>()
            .join(", ");
        let what = summary(&then, &about);
        LearnedRule {
            name: format!("{}: {what}", row.id),
            operation: row.id.clone(),
            when,
            otherwise: false,
            then,
            start_over: group[0].start_over,
            origins: group
                .iter()
                .flat_map(|it| it.input.origins(self.traffic))
                .collect(),
        }
    }

    fn for_everybody(
        &self,
        row: &Operation,
        all: &[Said<'_>],
    ) -> Option<(LearnedOutcome, BTreeSet<Provenance>)> {
        let template = self.base.template(all.first()?.input.operation);
        for_everybody(self.traffic, template, self.breaking.contains(&row.id), all)
    }

    /// What that which is said of these inputs depends on, as the row of the operation has it.
    fn depends_on(&self, inputs: &[&SeenInput]) -> Dependencies {
        let mut found = Dependencies::default();
        for input in inputs {
            let template = self.base.template(input.operation);
            let edits = input.steps.iter().filter_map(LearnedOutcome::changes);
            let there = edits.flat_map(|changes| &changes.edits);
            for (path, _) in there.filter(|(_, edit)| **edit != LearnedEdit::Remove) {
                found.add(dependencies(template, path));
            }
        }
        found
    }

    /// What these inputs have in common, and no other has.
    fn shared(&self, row: &Operation, group: &[&Said<'_>], all: &[Said<'_>]) -> Option<FieldTests> {
        let inputs: Vec<&SeenInput> = group.iter().map(|it| it.input).collect();
        let subjects: BTreeSet<_> = inputs.iter().map(|it| &it.subject).collect();
        if subjects.len() < 2 {
            return None;
        }
        // What is known of somebody is said of whom was asked for: two may be namesakes.
        let depends = self.depends_on(&inputs);
        let all_named = inputs.iter().all(|it| it.names_somebody());
        let is_of_few = depends.of_somebody && (!all_named || subjects.len() < ALIKE.0);
        if depends.of_flow || is_of_few {
            return None;
        }
        let others = others(all, group);
        let none_other = |holds: &dyn Fn(&SeenInput) -> bool| !others.iter().any(|it| holds(it));
        let is_enough = |name: &str| depends.fields.iter().all(|it| it == name);
        let names: BTreeSet<&String> = inputs.iter().flat_map(|it| it.fields.keys()).collect();
        // Where it came in is asked for where nothing else is in common.
        let mut names: Vec<&String> = names.into_iter().filter(|it| is_enough(it)).collect();
        names.sort_by_key(|it| *it == ENVIRONMENT);
        let plain =
            |value: &&Json<'static>| !matches!(value, Json::List(_) | Json::Object(_) | Json::Null);
        for name in &names {
            let value = inputs[0].fields.get(*name).filter(plain);
            if let Some(value) = value
                && inputs.iter().all(|it| it.fields.get(*name) == Some(value))
                && none_other(&|it| it.fields.get(*name) == Some(value))
                && !others.is_empty()
            {
                return Some(vec![((*name).clone(), Test::Is(value.clone()))]);
            }
        }
        for name in &names {
            let is_sent = |it: &SeenInput| it.fields.contains_key(*name);
            if inputs.iter().all(|it| is_sent(it)) && others.len() >= 2 && none_other(&is_sent) {
                return Some(vec![((*name).clone(), Test::Present)]);
            }
        }
        let mut identifying = row.identifiers().map(|(_, field)| field);
        identifying.find_map(|field| {
            let text = |it: &&SeenInput| {
                it.fields
                    .get(&field.name)
                    .and_then(Json::as_text)
                    .map(str::to_owned)
            };
            let texts: Option<BTreeSet<String>> = inputs.iter().map(text).collect();
            let texts: Vec<String> = texts?.into_iter().collect();
            let test = affix(&texts, others.is_empty()).filter(|_| is_enough(&field.name))?;
            let holds = |it: &SeenInput| {
                let text = it
                    .fields
                    .get(&field.name)
                    .and_then(Json::as_text)
                    .unwrap_or_default();
                match &test {
                    Test::StartsWith(part) => text.starts_with(part.as_str()),
                    Test::EndsWith(part) => text.ends_with(part.as_str()),
                    _ => false,
                }
            };
            (!field.folds && none_other(&holds)).then(|| vec![(field.name.clone(), test.clone())])
        })
    }

    /// What tells an input from all others that come to something else, and what others are told apart by. `who` is whom it
    /// asks for, and `left` are the others that ask for them, too.
    fn exactly(
        &self,
        row: &Operation,
        input: &SeenInput,
        (who, mut left): (Option<(String, Test)>, Vec<&SeenInput>),
        asked: &BTreeSet<&str>,
    ) -> FieldTests {
        let is_sent = input.names_somebody();
        left.retain(|it| !it.says_nothing);
        let mut when: FieldTests = who.into_iter().collect();
        let fields = row.request.iter().map(|field| field.name.as_str());
        let fields = fields.chain([ENVIRONMENT]);
        let known: Vec<String> = when.iter().map(|(name, _)| name.clone()).collect();
        let mut needed = self.depends_on(&[input]).fields;
        if let Some((field, _)) = input.subject.as_ref().filter(|_| is_sent) {
            needed.remove(field);
        }
        // Who asks for nobody is known by all that is sent.
        let needs_all = when.is_empty();
        for name in fields.filter(|name| !known.iter().any(|it| it == name)) {
            // What is left out is its default where it has one.
            let default = row
                .field(name)
                .and_then(|at| match &row.request[at].presence {
                    Presence::Default(value) => Some(value),
                    Presence::Required | Presence::Optional => None,
                });
            let sent = |it: &SeenInput| it.fields.get(name).or(default).cloned();
            let own = sent(input);
            let tells = left.iter().any(|it| sent(it) != own);
            let is_named = needs_all && name != ENVIRONMENT || asked.contains(name);
            let is_needed = needed.contains(name) || is_named && input.fields.contains_key(name);
            if !tells && !is_needed {
                continue;
            }
            let test = own.as_ref().map_or(Test::Absent, exact_test);
            left.retain(|it| match &test {
                Test::Present => it.fields.contains_key(name),
                _ => sent(it) == own,
            });
            when.push((name.to_owned(), test));
        }
        when
    }

    /// What is said alike of several operations is said once, where nothing contradicts.
    fn across(&self, rules: Vec<LearnedRule>, inputs: &[SeenInput]) -> Vec<LearnedRule> {
        let mut out: Vec<LearnedRule> = Vec::new();
        let is_error = |rule: &LearnedRule| {
            matches!(
                rule.then.as_slice(),
                [LearnedOutcome {
                    ends: LearnedEnd::Error { .. },
                    ..
                }]
            )
        };
        for rule in rules {
            let known = out.iter().position(|it| {
                is_error(it)
                    && !rule.when.is_empty()
                    && it.when == rule.when
                    && it.then == rule.then
            });
            let Some(at) = known else {
                out.push(rule);
                continue;
            };
            let wider = wider(&out[at].operation, &rule.operation);
            let covered = |input: &&SeenInput| {
                self.base.contract.operations[input.operation]
                    .id
                    .starts_with(wider.trim_end_matches('*'))
            };
            let meant = |input: &&SeenInput| {
                rule.when.iter().all(|(name, test)| match test {
                    Test::Is(value) if name == "who" => {
                        let person = self
                            .people
                            .iter()
                            .find(|it| Some(it.key.as_str()) == value.as_text());
                        person
                            .zip(input.subject.as_ref())
                            .is_some_and(|(person, subject)| person.is(subject))
                    }
                    Test::Is(value) => input.fields.get(name) == Some(value),
                    _ => false,
                })
            };
            let agrees = |input: &SeenInput| {
                let (then, _) = compact(&input.steps);
                then == rule.then
            };
            let all = inputs.iter().filter(covered).filter(meant);
            match all.clone().count() > 0 && all.into_iter().all(agrees) {
                true => {
                    out[at].name = out[at].name.replacen(&out[at].operation, &wider, 1);
                    out[at].operation = wider;
                    out[at].origins.extend(rule.origins);
                }
                false => out.push(rule),
            }
        }
        out
    }
}

/// The inputs that come to the same, as far as rules may be for several, in the order of the first of each.
fn grouped<'s, 'i>(open: &[&'s Said<'i>], breadth: Breadth) -> Vec<Vec<&'s Said<'i>>> {
    if breadth == Breadth::Exact {
        return open.iter().map(|it| vec![*it]).collect();
    }
    let mut groups: Vec<Vec<&Said<'_>>> = Vec::new();
    let mut places: BTreeMap<(bool, Vec<String>), usize> = BTreeMap::new();
    for it in open {
        let then = it.then.iter().map(LearnedOutcome::likeness).collect();
        let at = *places.entry((it.start_over, then)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    groups
}

/// A test of a value: of a list with one item for this one, of several and of what has parts whether it was sent.
fn exact_test(value: &Json<'static>) -> Test {
    match value {
        Json::List(items) => match items.as_slice() {
            [item @ (Json::Text(_) | Json::Bool(_) | Json::Int(_))] => Test::Is(item.clone()),
            _ => Test::Present,
        },
        Json::Object(_) | Json::Null => Test::Present,
        value => Test::Is(value.clone()),
    }
}

/// What several texts begin or end with.
fn affix(texts: &[String], alone: bool) -> Option<Test> {
    let (enough, long) = ALIKE;
    if texts.len() < enough || alone {
        return None;
    }
    let count = |alike: &dyn Fn(&str, &str) -> usize| {
        texts
            .iter()
            .map(|it| alike(&texts[0], it))
            .min()
            .unwrap_or_default()
    };
    let begin = count(&|a, b| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count());
    let end = count(&|a, b| {
        a.bytes()
            .rev()
            .zip(b.bytes().rev())
            .take_while(|(a, b)| a == b)
            .count()
    });
    let first = &texts[0];
    if end >= long && first.is_char_boundary(first.len() - end) && end >= begin {
        return Some(Test::EndsWith(first[first.len() - end..].to_owned()));
    }
    (begin >= long && first.is_char_boundary(begin))
        .then(|| Test::StartsWith(first[..begin].to_owned()))
}

/// The beginning that both operations have.
fn wider(one: &str, other: &str) -> String {
    let one = one.trim_end_matches('*');
    let alike = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let whole = one[..alike].rfind('.').map_or(0, |at| at + 1);
    format!("{}*", &one[..whole])
}
