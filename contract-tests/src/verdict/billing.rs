//! What an answer costs: nothing on the sandbox, only conclusive results on live.

use svc_fixtures::contract::{ErrorCode, Paise};

use super::answer::Answer;
use super::finding::Findings;
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let charged = answer.charged();
    let amount = answer.paise(&["billing", "amount"]);
    let shown = answer.shown(&["billing", "amount"]);
    let exact = amount.is_some_and(|amount| amount >= Paise::ZERO);
    let (what, form) = (
        "`billing.amount`",
        "an amount with at most two decimals, not negative",
    );
    findings.must("ruling.05-paise", exact, what, form, shown);
    let what = "`billing.walletBalanceAfter`";
    let there = |there: bool| if there { "is there" } else { "is absent" };
    let balance = there(answer.at(&["billing", "walletBalanceAfter"]).is_some());
    findings.equal("ruling.04-balance-after", what, there(charged), balance);
    let sandbox = answer.request.environment == Environment::Test;
    if charged && !sandbox {
        findings.equal("envelope.wallet-balance", what, there(true), balance);
    }
    let Some((clause, what, costs)) = price(findings, answer, sandbox) else {
        return;
    };
    let ruled = findings.setting.by_rulings();
    if answer.text(&["status"]) == "pending" && !sandbox && !ruled {
        // What is held is committed on a conclusive result, which this is not.
        let what = "`billing.charged` of a pending call";
        findings.equal("billing.hold", what, false, charged);
    }
    let (holds, expected) = match costs {
        true => {
            let amount = answer.at(&["billing", "amount"]).and_then(Json::as_num);
            let positive = amount.is_some_and(|amount| amount > 0.0);
            (charged && positive, "charged true, an amount above 0")
        }
        false => {
            let free = !charged && amount == Some(Paise::ZERO);
            (free, "charged false, amount 0")
        }
    };
    let found = format_args!("charged {charged}, amount {shown}");
    findings.must(clause, holds, what, expected, found);
}

/// What the ending of a call says about its price: the clause, what is looked at, and whether it
/// costs anything.
fn price(
    findings: &Findings<'_>,
    answer: &Answer<'_>,
    sandbox: bool,
) -> Option<(&'static str, &'static str, bool)> {
    if sandbox {
        return Some(("billing.sandbox-free", "`billing` on the sandbox", false));
    }
    let contract = findings.setting.contract;
    let is_bundle = contract.bundle_at(&answer.request.path).is_some();
    if !is_bundle {
        answer.operation(findings.setting)?;
    }
    Some(match (answer.text(&["status"]), answer.code()) {
        // Whether a bundle can be without a record the specification does not say.
        ("failed", Some(ErrorCode::NoRecordFound)) if is_bundle => return None,
        ("completed", _) => ("billing.conclusive", "`billing` of a result", true),
        ("pending", _) => {
            let what = "`billing` of a pending call";
            ("ruling.22-hold-while-pending", what, false)
        }
        ("failed", Some(ErrorCode::NoRecordFound)) => (
            "billing.no-record-is-billed",
            "`billing` of no record",
            true,
        ),
        ("failed", Some(_)) => ("billing.failures-are-free", "`billing` of a failure", false),
        _ => return None,
    })
}
