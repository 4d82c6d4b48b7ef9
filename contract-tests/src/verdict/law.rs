//! Whether a law holds of the answers to a case.

use std::borrow::Cow;

use svc_fixtures::json::Json;
use svc_fixtures::pairs;

use super::answer::Answers;
use super::finding::{Findings, Verdict};
use crate::plan::law::LawRule;

/// Judges what a law says of the answers up to a place. An answer without a result says nothing.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    at: usize,
    rule: &LawRule,
) {
    let known: Vec<_> = answers.iter().take(at + 1).flatten().collect();
    let completed = known
        .iter()
        .all(|answer| answer.text(&["status"]) == "completed");
    if known.len() <= at || !completed {
        return;
    }
    let answers = known.iter().map(|answer| {
        let json = answer.json.as_ref();
        json.map_or(Cow::Owned(Json::Null), Cow::Borrowed)
    });
    let exchange = pairs::Exchange {
        first: Some(Json::parse(&known[0].request.body).unwrap_or(Json::Null)),
        answers: answers.collect(),
        item: rule.item,
    };
    let broken = rule.claim.broken(&exchange);
    if rule.only_noted {
        if let Some(found) = broken {
            findings.note(Verdict::Noted {
                clause: clause.to_owned(),
                what: format!("it is not so that {}", rule.says),
                found,
            });
        }
        return;
    }
    let what = format!("`{}`", rule.claim.text);
    let found = broken.clone().unwrap_or_default();
    let expected = format!("that {}", rule.says);
    findings.must(clause, broken.is_none(), &what, expected, found);
}
