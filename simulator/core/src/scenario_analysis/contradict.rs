//! Rules whose answers contradict themselves (ruling 40): a rule sets a member that the row computes from others,
//! and sets these, too, so that another value would come out. Which members follow from which is in the rows:
//! nothing here knows one. Says so only where no call was found for which both are right.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use jiff::civil::Date;
use svc_fixtures::contract::{Operation, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find, written};
use svc_fixtures::reading::{Problem, Problems, Source};
use svc_fixtures::sample::{self, Extent};
use svc_fixtures::template::{Edit, EditAction, Reference, Template};

use super::bodies::bodies;
use super::claims::{ANYBODY, BrokenClaim, Claims, about_anybody, about_named, names};
use crate::engine::call::input::Input;
use crate::engine::call::request::Environment;
use crate::engine::call::response::{ResponseTemplate, Sources};
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::VerificationId;
use crate::scenario::{Outcome, OutcomeKind, PatchIndex, ResponsePatch, Scenario};

/// How many strangers are asked for: what differs between them is drawn, and follows from nothing.
const STRANGERS: usize = 4;

/// When they are asked for: what has run out depends on it.
const DAYS: [Date; 3] = [
    Date::constant(2020, 1, 1),
    Date::constant(2026, 1, 1),
    Date::constant(2040, 1, 1),
];

/// What rules set of answers that contradicts what else they set, and promises of such that are not kept.
#[must_use]
pub fn find_contradictions(rules: &Rules, sources: &[Arc<Source>]) -> Problems {
    let by_path = sources.iter().map(|source| (source.path.as_str(), source));
    let by_path: HashMap<&str, &Arc<Source>, FixedState> = by_path.collect();
    let mut problems = Problems::default();
    let mut search = Search {
        rules,
        rows: HashMap::default(),
        claims: Claims::default(),
    };
    for scenario in rules.scenarios.all() {
        let Some(source) = by_path.get(&*scenario.file) else {
            continue;
        };
        for number in scenario.then.iter().filter_map(patch) {
            search.report(
                source,
                scenario,
                &rules.scenarios.patches[number.0],
                &mut problems,
            );
        }
    }
    problems.sorted()
}

/// The patch that an outcome lays over an answer, now or in the end.
fn patch(outcome: &Outcome) -> Option<PatchIndex> {
    match &outcome.kind {
        OutcomeKind::Success(patch) => *patch,
        OutcomeKind::Pending { finally, .. } => patch(finally),
        OutcomeKind::Error { .. } | OutcomeKind::AsUsual => None,
    }
}

struct Search<'r> {
    rules: &'r Rules,
    /// What the values of each row are computed from.
    rows: HashMap<OperationIndex, Vec<Reference>, FixedState>,
    claims: Claims,
}

/// How somebody says that an answer is meant so.
const MEANT: &str =
    "write `breaks_contract = true` beside `success` if the answer is to contradict itself";

/// A value that a rule sets and that comes out otherwise.
struct Contradiction {
    /// Its place among the changes.
    at: usize,
    /// What it is, and what it would be, in words; nothing where it does not come at all.
    said: String,
    computed: Option<String>,
    /// What it contradicts, among the changes.
    other: Option<usize>,
}

/// A change, with the place of the one it is part of in the file.
struct Change {
    edit: Edit,
    span: Range<usize>,
}

impl Search<'_> {
    fn report(
        &mut self,
        source: &Arc<Source>,
        scenario: &Scenario,
        patch: &ResponsePatch,
        problems: &mut Problems,
    ) {
        if patch.breaks_contract && patch.promise.is_none() {
            return;
        }
        let changes = changes(patch);
        let operations = scenario.operations.iter();
        let mut found =
            operations.filter_map(|&operation| self.contradiction(operation, scenario, &changes));
        let first = found.next();
        drop(found);
        match (patch.promise.clone(), first) {
            (None, Some(Found::Contradiction(first))) => {
                problems.push(problem(source, &changes, &first));
            }
            (None, Some(Found::Claim(broken))) => {
                let span = changes[broken.at].span.clone();
                problems.push(
                    Problem::new(source, span, broken.message)
                        .hint(format!("change one of them; {MEANT}")),
                );
            }
            // What is there only when it is asked for is there always in an answer that breaks the contract.
            (Some(_), None) if self.shows_unasked(scenario, &changes) => {}
            (Some(span), None) => {
                let problem = Problem::new(source, span, "this answer keeps the contract");
                problems.push(problem.hint("leave `breaks_contract` out"));
            }
            _ => {}
        }
    }

    fn shows_unasked(&self, scenario: &Scenario, changes: &[Change]) -> bool {
        let mut templates = scenario
            .operations
            .iter()
            .map(|&at| self.rules.template(at));
        templates.any(|template| {
            changes.iter().any(|Change { edit, .. }| {
                matches!(edit.action, EditAction::Put(_))
                    && template.is_conditional_at(&names(&edit.path))
            })
        })
    }

    fn contradiction(
        &mut self,
        operation: OperationIndex,
        scenario: &Scenario,
        changes: &[Change],
    ) -> Option<Found> {
        let row = &self.rules.contract.operations[operation];
        let template = self.rules.template(operation);
        let references = self.rows.entry(operation);
        let references = &*references.or_insert_with(|| template.references());
        let question = Question {
            rules: self.rules,
            operation,
            row,
            template,
            references,
            scenario,
            changes,
        };
        let mut all = 0..changes.len();
        let contradiction = all.find_map(|at| question.contradiction(at));
        if let Some(contradiction) = contradiction {
            return Some(Found::Contradiction(contradiction));
        }
        let edits: Vec<&Edit> = changes.iter().map(|change| &change.edit).collect();
        let answer = question.answer(edits.iter().copied().cloned().collect());
        let answering = |body, today| question.data(&answer, body, today);
        let row = (operation, row);
        let broken = self
            .claims
            .broken(self.rules, row, scenario, &edits, &answering);
        broken.map(Found::Claim)
    }
}

/// Why a call's answer contradicts itself.
enum Found {
    Contradiction(Contradiction),
    Claim(BrokenClaim),
}

/// What a file says to change, value by value.
fn changes(patch: &ResponsePatch) -> Vec<Change> {
    let mut found = Vec::new();
    for (edit, span) in patch.edits.iter().zip(&patch.spans) {
        match &edit.action {
            EditAction::Put(value) => values(&edit.path, value, span, &mut found),
            _ => found.push(Change {
                edit: edit.clone(),
                span: span.clone(),
            }),
        }
    }
    found
}

/// Tables are laid over what is there: each of their members is a change.
fn values(path: &[Step], value: &Json<'static>, span: &Range<usize>, found: &mut Vec<Change>) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let member = Step::Member(name.clone().into_owned());
                values(&[path, &[member]].concat(), value, span, found);
            }
        }
        value => found.push(Change {
            edit: Edit {
                path: path.to_vec(),
                action: EditAction::Put(value.clone()),
            },
            span: span.clone(),
        }),
    }
}

fn problem(source: &Arc<Source>, changes: &[Change], found: &Contradiction) -> Problem {
    let path = |at: usize| written(&changes[at].edit.path);
    let (said, computed, member) = (&found.said, &found.computed, path(found.at));
    let comes = match computed {
        Some(computed) => format!("would be {computed}"),
        None => "would not come at all".to_owned(),
    };
    let message = match (found.other, computed) {
        (Some(other), _) => {
            let line = source.line(changes[other].span.start);
            let other = path(other);
            format!(
                "`{member}` is set to {said} and {comes}: it contradicts `{other}`, line {line}"
            )
        }
        (None, Some(computed)) => format!(
            "`{member}` is set to {said} and comes out as {computed}: it follows from the rest of the answer"
        ),
        (None, None) => format!("`{member}` is set to {said} and {comes}"),
    };
    let hint = match found.other {
        Some(_) => "change one of them or leave it out",
        None => {
            "leave it out and change what it follows from: of a list the items, or how many by `length`"
        }
    };
    let span = changes[found.at].span.clone();
    Problem::new(source, span, message).hint(format!("{hint}; {MEANT}"))
}

/// How long a list is, in words.
fn items(count: usize) -> String {
    match count {
        1 => "1 item".to_owned(),
        more => format!("{more} items"),
    }
}

/// Whether the changes of one answer contradict each other.
struct Question<'q> {
    rules: &'q Rules,
    operation: OperationIndex,
    row: &'q Operation,
    template: &'q Template,
    references: &'q [Reference],
    scenario: &'q Scenario,
    changes: &'q [Change],
}

impl Question<'_> {
    /// Whether what is set here contradicts what else is.
    fn contradiction(&self, at: usize) -> Option<Contradiction> {
        let Change { edit, .. } = &self.changes[at];
        let said = match &edit.action {
            EditAction::Put(said) => said,
            EditAction::Length(said) => return self.other_length(at, *said),
            _ => return None,
        };
        if !edit.has_place_in(&self.row.response) {
            return None;
        }
        let path = names(&edit.path);
        let others = (0..self.changes.len()).filter(|&other| other != at);
        let mut others =
            others.filter(|&other| self.depends(&path, &names(&self.changes[other].edit.path)));
        let other = others.next();
        let is_given = self.template.is_given_at(&path);
        if !is_given && other.is_none() {
            return None;
        }
        // What is given is part of what its value follows from; any other value is set in the row's place.
        let all = self.changes.iter().enumerate();
        let without = all.filter(|(place, _)| is_given || *place != at);
        let answer = self.answer(without.map(|(_, change)| change.edit.clone()).collect());
        let computed = match self.is_dropped(&answer, &edit.path) && other.is_some() {
            true => None,
            false => Some(self.computed(&answer, &edit.path, said, is_given)?),
        };
        Some(Contradiction {
            at,
            said: said.to_string(),
            computed: computed.map(|it| it.to_string()),
            other,
        })
    }

    /// Whether a list has another length than is set here, whoever is asked for, since something else is set that it
    /// follows from.
    fn other_length(&self, at: usize, said: usize) -> Option<Contradiction> {
        let path = &self.changes[at].edit.path;
        let others = (0..self.changes.len()).filter(|&other| other != at);
        let (own, of) = (names(path), |at: usize| names(&self.changes[at].edit.path));
        let other = others
            .into_iter()
            .find(|&other| self.depends(&own, &of(other)))?;
        let all = self.changes.iter().map(|change| change.edit.clone());
        let answer = self.answer(all.collect());
        let usual = sample::body(&self.rules.contract, self.row, Extent::Required);
        let anybody = (0..STRANGERS).map(|number| about_anybody(self.row, &usual, number));
        let named = about_named(&self.rules.contract, self.row, self.scenario, &usual);
        let others = bodies(&self.rules.contract, self.row, self.scenario);
        let bodies = named.into_iter().chain(anybody).chain(others);
        let lists = bodies.flat_map(|body| self.shown(&answer, body, DAYS[1], path));
        let mut lengths = lists.map(|list| list.as_list().map_or(0, <[_]>::len));
        let first = lengths.next()?;
        let is_right = first == said || lengths.any(|length| length == said);
        (!is_right).then(|| Contradiction {
            at,
            said: items(said),
            computed: Some(items(first)),
            other: Some(other),
        })
    }

    /// Whether one value is computed from another, however far away.
    fn depends(&self, value: &[String], on: &[String]) -> bool {
        let mut seen = vec![false; self.references.len()];
        let mut open = vec![value.to_vec()];
        while let Some(path) = open.pop() {
            for (reference, seen) in self.references.iter().zip(&mut seen) {
                if *seen || !meets(&reference.at, &path) {
                    continue;
                }
                *seen = true;
                // What a value says of itself is no other.
                let others = reference.of.iter().filter(|of| !meets(of, value));
                for of in others {
                    if meets(of, on) {
                        return true;
                    }
                    open.push(of.clone());
                }
            }
        }
        false
    }

    fn answer(&self, edits: Vec<Edit>) -> ResponseTemplate {
        let patch = ResponsePatch {
            edits,
            ..ResponsePatch::default()
        };
        self.rules.compiled(self.operation, &[], &patch)
    }

    /// Whether the list that a value stands in is empty.
    fn is_dropped(&self, answer: &ResponseTemplate, path: &[Step]) -> bool {
        let is_member = |step: &Step| matches!(step, Step::Member(_));
        let Some(end) = path.iter().position(|step| !is_member(step)) else {
            return false;
        };
        let usual = sample::body(&self.rules.contract, self.row, Extent::Required);
        let data = self.data(answer, usual, DAYS[1]);
        let lists = data.as_ref().map(|data| find(data, &path[..end]));
        let lists = lists.unwrap_or_default();
        !lists.is_empty() && lists.iter().all(|list| list.as_list() == Some(&[]))
    }

    /// The value that comes out there, where it is another one for every call.
    fn computed(
        &self,
        answer: &ResponseTemplate,
        path: &[Step],
        said: &Json<'_>,
        is_given: bool,
    ) -> Option<Json<'static>> {
        let mut first = None;
        let usual = sample::body(&self.rules.contract, self.row, Extent::Required);
        for today in DAYS {
            let mut on_this_day = None;
            for number in 0..STRANGERS {
                let body = about_anybody(self.row, &usual, number);
                for value in self.shown(answer, body, today, path) {
                    let differs = on_this_day.as_ref().is_some_and(|known| *known != value);
                    if fits(&value, said) || (differs && !is_given) {
                        return None;
                    }
                    on_this_day.get_or_insert(value);
                }
            }
            first = first.or(on_this_day);
        }
        let computed = first?;
        let named = about_named(&self.rules.contract, self.row, self.scenario, &usual);
        let shown = |body| self.shown(answer, body, DAYS[1], path);
        let of_named = named.first().and_then(|body| shown(body.clone()).pop());
        let others = bodies(&self.rules.contract, self.row, self.scenario);
        let mut bodies = named.into_iter().chain(others);
        let is_right = bodies.any(|body| shown(body).iter().any(|value| fits(value, said)));
        (!is_right).then(|| of_named.unwrap_or(computed))
    }

    /// What an answer has there.
    fn shown(
        &self,
        answer: &ResponseTemplate,
        body: Json<'static>,
        today: Date,
        path: &[Step],
    ) -> Vec<Json<'static>> {
        let data = self.data(answer, body, today);
        let found = data.as_ref().map(|data| find(data, path));
        let found = found.unwrap_or_default().into_iter();
        found.map(|value| value.clone().into_owned()).collect()
    }

    /// An answer to a body; none where it is refused.
    fn data(
        &self,
        answer: &ResponseTemplate,
        body: Json<'static>,
        today: Date,
    ) -> Option<Json<'static>> {
        let (rules, exempt) = (self.rules, [ANYBODY.to_owned()]);
        let input = Input::check(&rules.contract, self.row, &exempt, body).ok()?;
        let mut data = Vec::new();
        let sources = Sources {
            story: &rules.story,
            input: &input,
            flow: None,
            verification: VerificationId::NONE,
            addresses: rules.addresses.of(Environment::Test),
            people: &rules.scenarios.people,
            declared: &rules.declared,
            population: rules.population,
            today,
        };
        answer.print(sources, &mut data);
        let data = Json::parse(&data).expect("an answer is JSON");
        Some(data.into_owned())
    }
}

/// Whether one path is the other or leads into it.
fn meets(a: &[String], b: &[String]) -> bool {
    let is_item = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let same =
        |(a, b): (&String, &String)| a == b || (a == "*" && is_item(b)) || (b == "*" && is_item(a));
    a.iter().zip(b).all(same)
}

/// Whether what is shown is what was said: of objects only what is said counts.
fn fits(shown: &Json<'_>, said: &Json<'_>) -> bool {
    match (shown, said) {
        (Json::Object(_), Json::Object(members)) => members
            .iter()
            .all(|(name, said)| shown.get(name).is_some_and(|shown| fits(shown, said))),
        (Json::List(shown), Json::List(said)) => {
            shown.len() == said.len() && shown.iter().zip(said).all(|(a, b)| fits(a, b))
        }
        (Json::Int(_) | Json::Num(_), Json::Int(_) | Json::Num(_)) => {
            shown.as_num() == said.as_num()
        }
        (shown, said) => shown == said,
    }
}
