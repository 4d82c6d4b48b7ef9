//! What an answer costs: nothing on the sandbox, only conclusive results on live.

use svc_fixtures::contract::{ErrorCode, Paise};

use super::answer::Answer;
use super::finding::Findings;
use svc_fixtures::contract::Environment;

pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let charged = answer.charged();
    let amount = answer.paise(&["billing", "amount"]);
    let shown = answer.shown(&["billing", "amount"]);
    let two_decimals = "an amount with at most two decimals, not negative";
    let exact = amount.is_some_and(|amount| amount >= Paise::ZERO);
    findings.must(
        "ruling.05-paise",
        exact,
        "`billing.amount`",
        two_decimals,
        &shown,
    );
    let balance = answer.at(&["billing", "walletBalanceAfter"]).is_some();
    let there = |there: bool| if there { "is there" } else { "is absent" };
    findings.must(
        "ruling.04-balance-after",
        balance == charged,
        "`billing.walletBalanceAfter`",
        there(charged),
        there(balance),
    );
    let free = !charged && amount == Some(Paise::ZERO);
    let found = format!("charged {charged}, amount {shown}");
    let nothing = "charged false, amount 0";
    if answer.request.environment == Environment::Test {
        return findings.must(
            "billing.sandbox-free",
            free,
            "`billing` on the sandbox",
            nothing,
            found,
        );
    }
    if charged {
        findings.must(
            "envelope.wallet-balance",
            balance,
            "`billing.walletBalanceAfter`",
            there(true),
            there(balance),
        );
    }
    if answer.operation(findings.setting).is_some() {
        live(findings, answer, free, &found);
    }
}

/// What the ending of a live call says about its price.
fn live(findings: &mut Findings<'_>, answer: &Answer<'_>, free: bool, found: &str) {
    let amount = answer.paise(&["billing", "amount"]);
    let positive = answer.charged() && amount.is_some_and(|amount| amount > Paise::ZERO);
    let costs = "charged true, an amount above 0";
    let nothing = "charged false, amount 0";
    let (clause, holds, what, expected) = match (answer.text(&["status"]), answer.code()) {
        ("completed", _) => (
            "billing.conclusive",
            positive,
            "`billing` of a result",
            costs,
        ),
        ("pending", _) => {
            let clause = "ruling.22-hold-while-pending";
            (clause, free, "`billing` of a pending call", nothing)
        }
        ("failed", Some(ErrorCode::NoRecordFound)) => {
            let clause = "billing.no-record-is-billed";
            (clause, positive, "`billing` of no record", costs)
        }
        ("failed", Some(_)) => {
            let clause = "billing.failures-are-free";
            (clause, free, "`billing` of a failure", nothing)
        }
        _ => return,
    };
    findings.must(clause, holds, what, expected, found);
}
