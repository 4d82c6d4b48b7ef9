//! What the members of one answer say of each other and of their request.

use std::borrow::Cow;

use svc_fixtures::contract::Operation;
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{self, Within};

use super::answer::Answer;
use super::finding::Findings;

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
        for (claim, found) in within.broken(&mut exchange) {
            let (what, claim) = ("the members of `data`", in_words(claim));
            findings.must(clause, false, what, claim, found);
        }
    }
}

/// A claim in the names of the envelope and of the request.
fn in_words(claim: &str) -> String {
    let words = claim.split(' ').map(|word| {
        let sides = [("0.", "request."), ("1.", "data."), ("1:", "data:")];
        let mut sides = sides.into_iter();
        let named = sides.find_map(|(number, name)| Some((name, word.strip_prefix(number)?)));
        named.map_or_else(|| word.to_owned(), |(name, rest)| format!("{name}{rest}"))
    });
    let words: Vec<_> = words.collect();
    format!("that {}", words.join(" "))
}
