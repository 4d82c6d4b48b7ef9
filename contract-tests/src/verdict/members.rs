//! What the members of one answer say of each other and of their request.

use std::borrow::Cow;

use svc_fixtures::contract::Operation;
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{self, Within};

use super::answer::Answer;
use super::finding::Findings;
use super::law::told;

/// Judges a completed answer by the rows that are about its operation.
pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>, operation: &Operation) {
    let rows = Within::of(&operation.id);
    if rows.is_empty() {
        return;
    }
    // A look-up shows the answer of a call whose request it does not have.
    let request = Json::parse(&answer.request.body).ok();
    let request = request.filter(|_| !answer.looked_up());
    let mut exchange = pairs::Exchange {
        first: request,
        answers: answer.json.iter().map(Cow::Borrowed).collect(),
        item: 0,
    };
    for within in rows {
        let clause = within.row.clause.as_ref().unwrap_or(&operation.clause);
        let says = within.row.says.as_deref().unwrap_or_default();
        for (claim, found) in within.broken(&mut exchange) {
            let expected = format!("that {says} (`{}`)", told(claim, |_| String::new()));
            findings.must(clause, false, "the members of `data`", expected, found);
        }
    }
}
