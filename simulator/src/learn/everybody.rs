//! What all inputs of an operation have in common of whom no rule says anything: members that differ alike, one error, one
//! delay. A few may differ where something else is said of them anyway.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::json::Json;
use svc_fixtures::path::{find, parse_path};
use svc_fixtures::template::Template;

use super::computed::{dependencies, is_asked_for};
use super::inputs::{ENVIRONMENT, SeenInput};
use super::outcome::{Changes, LearnedEdit, LearnedEnd, LearnedOutcome, without_nulls};
use super::rule::Said;
use super::traffic::{Provenance, Traffic};

/// So many inputs that all end in one error, or of whom the same is known, are no coincidence: two may be namesakes.
const ALIKE: usize = 3;

/// What everybody gets of whom nothing else is said, and the exchanges that say so.
pub(super) fn for_everybody(
    traffic: &Traffic,
    template: &Template,
    breaks_contract: bool,
    all: &[Said<'_>],
) -> Option<(LearnedOutcome, BTreeSet<Provenance>)> {
    let free: Vec<&Said<'_>> = all
        .iter()
        .filter(|it| !it.input.is_decided && it.then.len() <= 1)
        .collect();
    let subjects: BTreeSet<String> = free.iter().map(|it| who(it.input)).collect();
    if subjects.len() < 2 {
        return None;
    }
    let then = match one_error(&free) {
        Some(error) if subjects.len() >= ALIKE => error,
        _ => changed(traffic, template, breaks_contract, &free),
    };
    if then.is_plain() {
        return None;
    }
    let origins = |of: &dyn Fn(&Said<'_>) -> bool| -> BTreeSet<Provenance> {
        let said = free.iter().filter(|it| of(it));
        said.flat_map(|it| it.input.origins(traffic)).collect()
    };
    let covered = origins(&|it| it.then.first() == Some(&then));
    let origins = if covered.is_empty() {
        origins(&|it| !it.then.is_empty())
    } else {
        covered
    };
    Some((then, origins))
}

/// Whom an input asks for; where it names nobody, all that it says.
fn who(input: &SeenInput) -> String {
    match &input.subject {
        Some(subject) => format!("{subject:?}"),
        None => {
            let fields = input.fields.iter().filter(|(name, _)| *name != ENVIRONMENT);
            format!("{:?}", fields.collect::<Vec<_>>())
        }
    }
}

/// The error that all of them end in.
fn one_error(free: &[&Said<'_>]) -> Option<LearnedOutcome> {
    let first = free.first()?.then.first()?;
    let is_error = matches!(first.ends, LearnedEnd::Error { .. });
    let all = free
        .iter()
        .all(|it| it.then.first().is_some_and(|it| it.is_like(first)));
    (is_error && all).then(|| first.clone())
}

/// What their successes have in common.
fn changed(
    traffic: &Traffic,
    template: &Template,
    breaks_contract: bool,
    free: &[&Said<'_>],
) -> LearnedOutcome {
    let edits = common_edits(traffic, template, free);
    let breaks_contract = breaks_contract && !edits.is_empty();
    let is_success = |it: &&&Said<'_>| {
        it.then
            .first()
            .is_none_or(|it| matches!(it.ends, LearnedEnd::Success(_)))
    };
    let successes: Vec<Option<&LearnedOutcome>> = free
        .iter()
        .filter(is_success)
        .map(|it| it.then.first())
        .collect();
    let mut then = LearnedOutcome::plain(LearnedEnd::Success(Changes {
        edits,
        breaks_contract,
    }));
    if successes
        .iter()
        .all(|it| it.is_some_and(|it| it.delay_ms.is_some()))
    {
        for it in successes.iter().flatten() {
            then.delay_ms = then.delay_ms.or(it.delay_ms);
            then.widen(it);
        }
    }
    let provider = successes
        .first()
        .copied()
        .flatten()
        .and_then(|it| it.provider.clone());
    if successes
        .iter()
        .all(|it| it.is_some_and(|it| it.provider == provider))
    {
        then.provider = provider;
    }
    then
}

/// Members that the answers have alike where the simulator has others.
fn common_edits(
    traffic: &Traffic,
    template: &Template,
    free: &[&Said<'_>],
) -> BTreeMap<String, LearnedEdit> {
    let mut candidates: BTreeMap<String, BTreeMap<String, LearnedEdit>> = BTreeMap::new();
    for (path, edit) in free
        .iter()
        .filter_map(|it| changes(it))
        .flat_map(|it| &it.edits)
    {
        let of_path = candidates.entry(path.clone()).or_default();
        of_path.insert(format!("{edit:?}"), edit.clone());
    }
    let ended: Vec<&Said<'_>> = free
        .iter()
        .copied()
        .filter(|it| has_result(traffic, it.input))
        .collect();
    let whose: Vec<String> = ended.iter().map(|it| who(it.input)).collect();
    let everybody: BTreeSet<&String> = whose.iter().collect();
    let mut common = BTreeMap::new();
    for (path, edits) in candidates {
        let told: Vec<Option<LearnedEdit>> = ended
            .iter()
            .map(|it| told(traffic, it.input, &path))
            .collect();
        let mut by_edit: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
        for (edit, who) in told.iter().zip(&whose) {
            let said = edit.iter().map(|edit| format!("{edit:?}"));
            said.for_each(|said| _ = by_edit.entry(said).or_default().insert(who));
        }
        let depends = dependencies(template, &path);
        let least = if depends.of_somebody { ALIKE } else { 2 };
        let is_enough = |count: usize| count >= least && count * 4 >= everybody.len() * 3;
        let of_most = edits.into_iter().filter(|(said, _)| {
            let agree = by_edit.get(said);
            agree.is_some_and(|agree| is_enough(agree.len()))
        });
        for (_, edit) in of_most {
            let (agree, differ): (Vec<_>, Vec<_>) = ended
                .iter()
                .zip(&told)
                .partition(|(_, told)| told.as_ref() == Some(&edit));
            // What its row computes of the request is said of what was sent, and what it knows of somebody of whom was asked
            // for.
            let names_somebody = agree.iter().all(|(it, _)| it.input.names_somebody());
            let is_known_of_them = depends.of_flow || depends.of_somebody && !names_somebody;
            let is_of_request = !depends.fields.is_empty() || is_asked_for(template, &path);
            // That there is no such member is about nobody.
            let is_there = edit != LearnedEdit::Remove;
            if is_there && (is_of_request || is_known_of_them) {
                continue;
            }
            // Whoever differs has a rule of their own anyway.
            let fits = differ
                .iter()
                .all(|(it, _)| changes(it).is_some_and(|own| own.edits.contains_key(&path)));
            if fits {
                common.insert(path.clone(), edit);
            }
        }
    }
    common
}

fn has_result(traffic: &Traffic, input: &SeenInput) -> bool {
    let mut answers = input
        .lives
        .values()
        .flatten()
        .filter_map(|at| traffic.calls[*at].last());
    answers.any(|answer| answer.text("status") == "completed")
}

/// What differs in the success that an input ends in.
fn changes<'s>(it: &'s Said<'_>) -> Option<&'s Changes> {
    match &it.then.first()?.ends {
        LearnedEnd::Success(changes) => Some(changes),
        LearnedEnd::Error { .. } | LearnedEnd::Pending { .. } => None,
    }
}

/// The edit that says the same as all recorded answers to an input; none where they differ.
fn told(traffic: &Traffic, input: &SeenInput, path: &str) -> Option<LearnedEdit> {
    let answers = input
        .lives
        .values()
        .flatten()
        .filter_map(|at| traffic.calls[*at].last())
        .filter(|answer| answer.text("status") == "completed");
    let steps = parse_path(path).ok();
    let mut edits = answers.filter_map(|answer| {
        let data = answer.envelope.get("data")?;
        let inside = || find(data, steps.as_ref()?).first().copied();
        Some(match data.get(path).or_else(inside) {
            Some(Json::Null) => LearnedEdit::Null,
            Some(value) => LearnedEdit::Put(without_nulls(value)),
            None => LearnedEdit::Remove,
        })
    });
    let first = edits.next()?;
    edits.all(|edit| edit == first).then_some(first)
}
