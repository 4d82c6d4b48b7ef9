//! The wallet, judged: it falls by what is charged. Others may use it beside the run, or fill it: what they do is told
//! from what the service does by trying again.

use std::ops::RangeInclusive;

use svc_fixtures::contract::Paise;

use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::{Finding, Findings, Verdict};
use crate::capture::CapturedCase;
use crate::plan::{Case, Rule};

const BALANCE: [&str; 2] = ["billing", "walletBalanceAfter"];

/// Judges that the wallet has fallen from one answer to another by this amount.
pub(super) fn fell(
    findings: &mut Findings<'_>,
    clause: &str,
    first: &Answer<'_>,
    answer: &Answer<'_>,
    amount: Paise,
) {
    let strict = findings.setting.by_rulings();
    let is_pending = |answer: &Answer<'_>| answer.text(&["status"]) == "pending";
    if !strict && (is_pending(first) || is_pending(answer)) {
        return findings.skip("what a call costs that is pending is charged with its result");
    }
    let is_finer = |answer: &Answer<'_>| {
        let number = answer.at(&BALANCE).and_then(Json::as_num);
        number.is_some() && answer.paise(&BALANCE).is_none()
    };
    if !strict && (is_finer(first) || is_finer(answer)) {
        return findings
            .skip("the balance is told in parts of a paisa, which this can't reckon with");
    }
    let before = first.paise(&BALANCE);
    let left = before.and_then(|balance| balance.checked_sub(amount));
    // The unit is not shown: a service may speak of the wallet in paise and of amounts in rupees.
    let in_paise = before.and_then(|balance| balance.checked_sub(Paise(amount.0 * 100)));
    let found = answer.paise(&BALANCE);
    let fits = left.is_some() && (found == left || !strict && found == in_paise);
    let expected = left.map_or("a balance to begin with".to_owned(), |left| {
        left.to_string()
    });
    let (what, found) = ("`billing.walletBalanceAfter`", answer.shown(&BALANCE));
    findings.must(clause, fits, what, expected, found);
}

/// The first step at which the wallet of a try has fallen by another amount than was charged: others may have used
/// or filled it, or what an earlier case left pending came to its end, and was charged.
pub(super) fn moved(case: &Case, captured: &CapturedCase) -> Option<usize> {
    moves(case, captured).next().map(|(step, _)| step)
}

/// All such steps, and by how many paise more it fell: others may have used it several times.
fn moves(case: &Case, captured: &CapturedCase) -> impl Iterator<Item = (usize, i64)> {
    case.steps.iter().enumerate().filter_map(move |(at, step)| {
        let fell = step
            .expect
            .iter()
            .find_map(|expected| match expected.rule {
                Rule::BalanceFell(first) => Some((first, at)),
                Rule::BalanceAddsUp(first) => Some((first, first + 1)),
                _ => None,
            })?;
        let moved = between(captured, fell.0, captured, fell.1..=at)?;
        // One that has only fallen too little was filled by nobody: a charge was forgotten.
        let filled = || {
            let [first, last] = [fell.0, at].map(|step| balance(captured, step));
            last > first
        };
        (moved > 0 || moved < 0 && filled()).then_some((at, moved))
    })
}

/// The balance that the answer to a step shows, or the result that came later.
fn balance(captured: &CapturedCase, step: usize) -> Option<Paise> {
    let answer = Answer::last_of(captured.exchanges.get(step)?).ok()?;
    answer.paise(&BALANCE)
}

/// By how many paise more than it was charged the wallet is lower at a step than at an earlier one; less than none
/// where it is higher.
fn between(
    one: &CapturedCase,
    first: usize,
    other: &CapturedCase,
    charged: RangeInclusive<usize>,
) -> Option<i64> {
    let (before, found) = (balance(one, first)?, balance(other, *charged.end())?);
    let fall = before.0 - found.0;
    let known = other.exchanges.get(..=*charged.end())?.iter();
    let known: Result<Vec<_>, _> = known.map(Answer::last_of).collect();
    let amount = Answer::sum(known.ok()?.iter(), *charged.start()).0;
    Some(if fall == amount * 100 {
        0
    } else {
        fall - amount
    })
}

/// Takes back what was found of a wallet that others move. A service that takes another amount than it says does so alike
/// in every try, of which there are so many at most, and alike between the tries, which lie differently far
/// apart; others do not.
pub(super) fn excuse(case: &Case, tries: &[&CapturedCase], most: usize, found: &mut [Finding]) {
    let Some(last) = tries.last() else { return };
    let steps: Vec<_> = moves(case, last).collect();
    let Some((_, moved)) = steps.first() else {
        return;
    };
    let why = if tries.len() < most {
        let (amount, how) = (Paise(moved.abs()), if *moved > 0 { "more" } else { "less" });
        format!("others may move this wallet: it fell by {amount} INR {how} than was charged")
    } else if alike(case, tries) {
        return;
    } else {
        let tries = tries.len();
        format!(
            "others move this wallet: it fell by another amount than was charged, and not alike in {tries} tries"
        )
    };
    for finding in found {
        let Some((step, _)) = steps.iter().find(|(step, _)| *step == finding.step) else {
            continue;
        };
        let mut clauses = case.steps[*step].expect.iter();
        let of_wallet = matches!(&finding.verdict, Verdict::Broken { clause, what, .. }
            if what.starts_with("`billing.walletBalanceAfter`")
                && clauses.any(|it| it.clause == *clause
                    && matches!(it.rule, Rule::BalanceFell(_) | Rule::BalanceAddsUp(_))));
        if of_wallet {
            finding.verdict = Verdict::NotJudged { why: why.clone() };
        }
    }
}

fn alike(case: &Case, tries: &[&CapturedCase]) -> bool {
    let same = |found: &[Option<i64>]| found.windows(2).all(|two| two[0] == two[1]);
    let within = tries.iter();
    let within = within.map(|one| moves(case, one).next().map(|(_, moved)| moved));
    let apart = tries.windows(2).map(|two| {
        let last = two[0].exchanges.len().checked_sub(1)?;
        between(two[0], last, two[1], 0..=0)
    });
    same(&within.collect::<Vec<_>>()) && same(&apart.collect::<Vec<_>>())
}
