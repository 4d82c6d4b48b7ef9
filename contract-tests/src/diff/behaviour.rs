//! Differences that no single answer shows: of what the checks expect of several answers together one side does it,
//! and the other does not. What a difference of form or ending explains is not said again.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::ClauseKind;

use super::finding::{Difference, Kind};
use crate::capture::Capture;
use crate::check::Check;
use crate::plan::Setting;
use crate::run;
use crate::verdict::{EVERY_ANSWER, Verdict};

/// A step of a case.
pub(super) type At = (String, String, usize);

/// What a difference that is found already explains.
#[derive(Debug, Default)]
pub(super) struct Explained {
    /// The cases that went another way, from this step on.
    pub(super) from: BTreeMap<(String, String), usize>,
    /// The answers that have another form.
    pub(super) form: BTreeSet<At>,
    /// The answers whose envelopes say otherwise how the call ended.
    pub(super) ending: BTreeSet<At>,
    /// The answers of which what is charged has another form or value.
    pub(super) money: BTreeSet<At>,
    /// The members that are of another form, with the operations whose answers show it.
    pub(super) members: BTreeMap<String, BTreeSet<String>>,
    /// What is called in each case.
    called: BTreeMap<(String, String), BTreeSet<String>>,
}

/// What a check said of one step.
#[derive(Debug, Clone)]
enum Said {
    Held,
    Broken { what: String, found: String },
}

type Verdicts = BTreeMap<(String, String, usize, String), Said>;

/// Everything that was judged of a capture. What holds and is broken at one step, of several answers, is broken.
fn verdicts(setting: &Setting<'_>, checks: &[Check], capture: &Capture) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for result in run::judge_again(setting, checks, capture) {
        for finding in result.findings {
            let at = |clause: String| {
                (
                    result.check.to_owned(),
                    finding.case.clone(),
                    finding.step,
                    clause,
                )
            };
            match finding.verdict {
                Verdict::Held { clause } => {
                    verdicts.entry(at(clause)).or_insert(Said::Held);
                }
                Verdict::Broken {
                    clause,
                    what,
                    found,
                    ..
                } => {
                    verdicts.insert(at(clause), Said::Broken { what, found });
                }
                Verdict::Noted { .. } | Verdict::NotJudged { .. } => {}
            }
        }
    }
    verdicts
}

/// A clause that one side keeps in a case and the other does not.
struct Broken {
    at: At,
    clause: String,
    kind: Kind,
    left: String,
    right: String,
}

/// The differences, one for all clauses that are told apart in the same cases.
pub(super) fn differences(
    setting: &Setting<'_>,
    checks: &[Check],
    [left, right]: [&Capture; 2],
    explained: &Explained,
) -> Vec<(Difference, BTreeSet<At>)> {
    let of = |capture: &Capture| {
        let setting = Setting::of(setting.contract, setting.inputs.clone(), capture);
        verdicts(&setting, checks, capture)
    };
    let (mine, mut others) = (of(left), of(right));
    let mut broken = Vec::new();
    for ((check, case, step, clause), said) in mine {
        let at: At = (check.clone(), case.clone(), step);
        let Some(other) = others.remove(&(check, case, step, clause.clone())) else {
            continue;
        };
        let (what, left, right) = match (said, other) {
            (Said::Held, Said::Broken { what, found }) => {
                let right = words(&what, &found);
                (what, "as the contract says".to_owned(), right)
            }
            (Said::Broken { what, found }, Said::Held) => {
                let left = words(&what, &found);
                (what, left, "as the contract says".to_owned())
            }
            _ => continue,
        };
        if explained.is_of_member(&at, &what) {
            continue;
        }
        let of_ending = [&left, &right].iter().any(|it| it.starts_with(ENDING));
        if of_ending && explained.ending.contains(&at) || explained.explains(setting, &at, &clause)
        {
            continue;
        }
        let kind = kind(setting, &at.0, &clause);
        broken.push(Broken {
            at,
            clause,
            kind,
            left,
            right,
        });
    }
    clustered(broken)
}

/// What is found of a call that ended otherwise than it had to.
const ENDING: &str = "the ending";

fn words(what: &str, found: &str) -> String {
    // What is a name alone needs no quotes; one among words keeps them.
    let name = what.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    let what = name.filter(|name| !name.contains('`')).unwrap_or(what);
    let found: String = found.chars().take(120).collect();
    match found.is_empty() {
        true => what.to_owned(),
        false => format!("{what}: {found}"),
    }
}

impl Explained {
    /// Notes that a case went another way at this step: of calls that went out at once the first may be seen later.
    pub(super) fn part(&mut self, case: (String, String), step: usize) {
        let from = self.from.entry(case).or_insert(step);
        *from = step.min(*from);
    }

    /// Notes what is called in a case.
    pub(super) fn call(&mut self, case: (String, String), operation: &str) {
        let called = self.called.entry(case).or_default();
        called.insert(operation.to_owned());
    }

    /// Whether what is found is a member that is of another form in answers of this case, or within one.
    fn is_of_member(&self, (check, case, _): &At, what: &str) -> bool {
        let member = what.trim_matches('`').replace('/', ".");
        let Some(called) = self.called.get(&(check.clone(), case.clone())) else {
            return false;
        };
        // What is within one that is of another form can't be found there.
        let ends = member.match_indices('.').map(|(at, _)| at);
        let mut all = ends.chain([member.len()]).map(|end| &member[..end]);
        all.any(|it| {
            self.members
                .get(it)
                .is_some_and(|it| !it.is_disjoint(called))
        })
    }

    fn explains(&self, setting: &Setting<'_>, at: &At, clause: &str) -> bool {
        let (check, case, step) = at;
        let name = (check.clone(), case.clone());
        if self.from.get(&name).is_some_and(|from| step >= from) {
            return true;
        }
        let row = setting.contract.clauses.iter().find(|row| row.id == clause);
        let billing = row.is_some_and(|row| row.kind == ClauseKind::Billing);
        // A balance is added up over all answers of a case.
        let of_case = |set: &BTreeSet<At>| {
            let mut all = set.iter();
            all.any(|(known, named, _)| known == check && named == case)
        };
        let money = billing
            || check.starts_with("billing.")
            || check.starts_with("wallet.")
            || clause.starts_with("billing.");
        // Charges are told apart by the ids of what is charged.
        if money && (of_case(&self.money) || self.is_of_member(at, "verificationId")) {
            return true;
        }
        let about_operation = setting.contract.operations.iter().any(|operation| {
            let below = clause.strip_prefix(&*operation.clause);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let of_form = EVERY_ANSWER.contains(&clause)
            || about_operation
            || row.is_some_and(|row| row.kind == ClauseKind::Wire);
        of_form && self.form.contains(at)
    }
}

/// The kind of a difference that a clause tells.
fn kind(setting: &Setting<'_>, check: &str, clause: &str) -> Kind {
    let row = setting.contract.clauses.iter().find(|row| row.id == clause);
    let family = check.split('.').next().unwrap_or_default();
    // What is told of any single answer is of no family: which check sent the call says nothing about it.
    let family = match EVERY_ANSWER.contains(&clause) && family != "webhooks" {
        true => "",
        false => family,
    };
    match (family, row.map(|row| row.kind)) {
        ("idempotency" | "scopes", _) => Kind::Idempotency,
        ("order", _) => Kind::Order,
        ("webhooks", _) | (_, Some(ClauseKind::Webhook)) => Kind::Webhook,
        _ if clause.contains("idempoten") || clause.contains("replay") => Kind::Idempotency,
        // What the members of an answer say is no matter of money, whoever asked.
        ("billing" | "wallet" | "usage", Some(ClauseKind::Behaviour | ClauseKind::Wire))
            if !clause.starts_with("billing.") =>
        {
            Kind::Behaviour
        }
        ("billing" | "wallet" | "usage", _) | (_, Some(ClauseKind::Billing)) => Kind::Price,
        _ => Kind::Behaviour,
    }
}

/// Clauses that are told apart in a case together are one difference.
fn clustered(broken: Vec<Broken>) -> Vec<(Difference, BTreeSet<At>)> {
    let mut clusters: Vec<(Difference, BTreeSet<At>)> = Vec::new();
    for one in broken {
        let (check, case, _) = &one.at;
        let name = (check.clone(), case.clone());
        let mut mine = Difference::new(one.kind, one.clause.clone(), one.left, one.right);
        mine.clauses.insert(one.clause);
        mine.cases.insert(name);
        let mut steps = BTreeSet::from([one.at]);
        let touches = |(other, _): &(Difference, BTreeSet<At>)| {
            other.kind == mine.kind
                && (!other.clauses.is_disjoint(&mine.clauses)
                    || !other.cases.is_disjoint(&mine.cases))
        };
        let (same, rest): (Vec<_>, Vec<_>) = clusters.into_iter().partition(touches);
        clusters = rest;
        for (other, more) in same {
            let mut other = other;
            std::mem::swap(&mut mine, &mut other);
            mine.absorb(other);
            steps.extend(more);
        }
        clusters.push((mine, steps));
    }
    of_money(clusters)
}

/// What each side says, without the value that was found.
pub(super) fn member(difference: &Difference) -> [&str; 2] {
    let plain = |side: &'_ str| side.find(": ").unwrap_or(side.len());
    let (left, right) = (&difference.left, &difference.right);
    [&left[..plain(left)], &right[..plain(right)]]
}

/// A balance, an amount or a charge that is wrong on the same side is one difference, whatever made it be looked at and
/// whatever it is.
fn of_money(clusters: Vec<(Difference, BTreeSet<At>)>) -> Vec<(Difference, BTreeSet<At>)> {
    let mut merged: Vec<(Difference, BTreeSet<At>)> = Vec::new();
    for (difference, steps) in clusters {
        let words = member(&difference);
        let of_money = words.iter().any(|it| it.starts_with("billing."));
        let same =
            |(other, _): &&mut (Difference, BTreeSet<At>)| of_money && member(other) == words;
        match merged.iter_mut().find(same) {
            Some((known, all)) => {
                if known.kind != difference.kind {
                    known.kind = Kind::Price;
                }
                if difference.kind == Kind::Price {
                    known.what.clone_from(&difference.what);
                }
                known.absorb(difference);
                all.extend(steps);
            }
            None => merged.push((difference, steps)),
        }
    }
    merged
}
