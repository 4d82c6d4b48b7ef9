//! The judgement of a case that was tried again: nothing that an earlier try showed is lost, and what a
//! later one made good is noted.

use super::{Finding, SeenIn, Trouble, TroubleKind, Verdict};
use crate::capture::{CapturedCase, TransportError};
use crate::plan::{Case, Rule, Setting};

/// How often a case is tried at most.
pub const MOST_TRIES: usize = 3;

/// Judges all tries of a case, in order. A breach in any of them stands, and says in how many of them
/// it was seen.
#[must_use]
pub fn judge_tries(setting: &Setting<'_>, case: &Case, tries: &[&CapturedCase]) -> Vec<Finding> {
    let undisturbed = tries.iter().copied().filter(|one| !one.disturbed);
    judge_undisturbed(setting, case, &undisturbed.collect::<Vec<_>>())
}

fn judge_undisturbed(setting: &Setting<'_>, case: &Case, tries: &[&CapturedCase]) -> Vec<Finding> {
    let Some((last, earlier)) = tries.split_last() else {
        return Vec::new();
    };
    let mut found = super::judge(setting, case, last);
    let end = Trouble::of(setting, case, last);
    if let Some(end) = &end {
        unanswered(&mut found, end, tries.len());
        found.extend(no_http(&case.name, end, tries));
        found.extend(last.given_up.then(|| once(&case.name, end)));
    }
    // By the rulings nobody else uses an account, and what was left pending does not end in every try.
    if !setting.by_rulings() {
        super::wallet::excuse(case, tries, MOST_TRIES, &mut found);
    }
    if earlier.is_empty() {
        return not_tried_again(setting, case, last, end).unwrap_or(found);
    }
    let troubles = earlier.iter();
    let troubles = troubles.filter_map(|one| Trouble::of(setting, case, one));
    let troubles: Vec<_> = troubles.collect();
    let same = |one: &Trouble, end: &Trouble| one.step == end.step && one.words() == end.words();
    if let Some(end) = &end {
        let always = troubles.iter().all(|one| same(one, end));
        if matches!(end.kind, TroubleKind::Refused(_)) && !always {
            // The tries came to nothing for different reasons: none of them says what the service does.
            found = given_up(setting, case, last);
            found.push(Finding {
                case: case.name.clone(),
                step: end.step,
                verdict: Verdict::NotJudged {
                    why: format!("no whole try in {}: {}", tries.len(), end.words()),
                },
            });
        }
    }
    let judged = earlier.iter().map(|one| given_up(setting, case, one));
    let mut before: Vec<_> = judged.collect();
    let end = end.map(|end| end.step);
    for finding in &mut found {
        let seen = before.iter_mut();
        let seen = seen.filter_map(|one| take(one, finding)).count() + 1;
        // An earlier try was given up at this step, and not judged there.
        let seen = if end == Some(finding.step) {
            tries.len()
        } else {
            seen
        };
        say_how_often(finding, seen, tries.len());
    }
    let mut stands = Vec::new();
    while let Some(mut one) = before.pop() {
        while let Some(mut finding) = one.pop() {
            let seen = before
                .iter_mut()
                .filter_map(|it| take(it, &finding))
                .count()
                + 1;
            say_how_often(&mut finding, seen, tries.len());
            stands.push(finding);
        }
    }
    let troubles = earlier
        .iter()
        .filter_map(|one| Trouble::of(setting, case, one));
    stands.extend(troubles.map(|trouble| noted(&case.name, &trouble)));
    stands.extend(found);
    stands
}

/// What is found of a single try whose trouble a later one may not meet, where nothing allows another: it may cost too much.
fn not_tried_again(
    setting: &Setting<'_>,
    case: &Case,
    captured: &CapturedCase,
    end: Option<Trouble>,
) -> Option<Vec<Finding>> {
    let end = end.filter(|end| matches!(end.kind, TroubleKind::Refused(_)))?;
    if captured.given_up || setting.by_rulings() {
        return None;
    }
    let mut found = given_up(setting, case, captured);
    let why = format!("{}, and it was not tried again", end.words());
    found.push(Finding {
        case: case.name.clone(),
        step: end.step,
        verdict: Verdict::NotJudged { why },
    });
    Some(found)
}

/// What holds or is broken in a try that was given up: all but what its trouble is in the way of.
fn given_up(setting: &Setting<'_>, case: &Case, captured: &CapturedCase) -> Vec<Finding> {
    let mut case = case.clone();
    let trouble = Trouble::of(setting, &case, captured);
    let known = trouble.map_or(captured.exchanges.len(), |trouble| {
        trouble.first_step(setting.contract, &case, captured)
    });
    // Of calls at once nobody knows which of them came first.
    let known = match case.together.contains(&known) {
        true => case.together.start,
        false => known,
    };
    for (at, step) in case.steps.iter_mut().enumerate() {
        let whole = |rule: &Rule| {
            matches!(
                rule,
                Rule::SomeEnds(_) | Rule::NoneEnds(_) | Rule::OneWithout(_)
            )
        };
        step.expect.retain(|it| at < known && !whole(&it.rule));
    }
    let mut found = super::judge(setting, &case, captured);
    found.retain(|finding| matches!(finding.verdict, Verdict::Broken { .. }));
    found
}

/// Takes the same breach out of what another try showed.
fn take(from: &mut Vec<Finding>, like: &Finding) -> Option<Finding> {
    let key = |finding: &Finding| match &finding.verdict {
        Verdict::Broken { clause, what, .. } => Some((finding.step, clause.clone(), what.clone())),
        _ => None,
    };
    let wanted = key(like)?;
    let at = from
        .iter()
        .position(|one| key(one).as_ref() == Some(&wanted))?;
    Some(from.remove(at))
}

fn say_how_often(finding: &mut Finding, seen: usize, tries: usize) {
    if let Verdict::Broken {
        seen: how_often, ..
    } = &mut finding.verdict
    {
        *how_often = Some(SeenIn {
            tries: seen,
            of: tries,
        });
    }
}

/// Says of a step without a whole answer how often it was tried.
fn unanswered(found: &mut [Finding], end: &Trouble, tries: usize) {
    let TroubleKind::NoWholeAnswer(error) = &end.kind else {
        return;
    };
    for finding in found.iter_mut().filter(|finding| finding.step == end.step) {
        if let Verdict::NotJudged { why } = &mut finding.verdict {
            let counted = if tries == 1 {
                "1 try".to_owned()
            } else {
                format!("{tries} tries")
            };
            *why = format!("no whole answer in {counted}: {error}");
        }
    }
}

/// What comes in place of an answer, and is no HTTP, each time that a call is made is no matter of the net.
fn no_http(case: &str, end: &Trouble, tries: &[&CapturedCase]) -> Option<Finding> {
    let garbage = |one: &&CapturedCase| {
        let last = one.exchanges.last().map(|exchange| &exchange.response);
        matches!(last, Some(Err(TransportError::Cut { arrived, .. })) if arrived.garbage)
    };
    let TroubleKind::NoWholeAnswer(error) = &end.kind else {
        return None;
    };
    (tries.len() >= MOST_TRIES && tries.iter().all(garbage)).then(|| Finding {
        case: case.to_owned(),
        step: end.step,
        verdict: Verdict::Broken {
            clause: "envelope.same-shape".to_owned(),
            what: "the answer".to_owned(),
            expected: "an answer of HTTP".to_owned(),
            found: error.to_string(),
            known: None,
            seen: None,
        },
    })
}

fn noted(case: &str, trouble: &Trouble) -> Finding {
    note(case, trouble, "a case was tried again", trouble.words())
}

fn once(case: &str, trouble: &Trouble) -> Finding {
    let found = format!("{}, as in all tries of others like it", trouble.words());
    note(case, trouble, "a case was not tried again", found)
}

fn note(case: &str, trouble: &Trouble, what: &str, found: String) -> Finding {
    let clause = match trouble.kind {
        TroubleKind::NoWholeAnswer(_) => "envelope.same-shape",
        TroubleKind::Refused(_) => "errors.status-and-retryable",
        TroubleKind::WalletMoved => "billing.balance-falls",
    };
    Finding {
        case: case.to_owned(),
        step: trouble.step,
        verdict: Verdict::Noted {
            clause: clause.to_owned(),
            what: what.to_owned(),
            found,
        },
    }
}
