//! Whether a law holds of the answers to a case.

use std::borrow::Cow;
use std::collections::BTreeSet;

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
    let (holds, found) = (broken.is_none(), broken.unwrap_or_default());
    let claim = told(&rule.claim.text, |step| format!("step {step}'s "));
    let expected = format!("that {} (`{claim}`)", rule.says);
    findings.must(clause, holds, "what the answers say", expected, found);
}

/// What a claim is about, to show where to look. One that goes by a pattern is told by its members alone: the pattern is no help
/// to read.
pub(super) fn told(claim: &str, answer: impl Fn(&str) -> String) -> String {
    let claim = in_names(claim, answer);
    if !claim.contains(":found=") {
        return claim;
    }
    let names = claim.split(' ').filter_map(|word| {
        let name = word.split(':').next().unwrap_or(word);
        name.contains('.').then_some(name)
    });
    let names: BTreeSet<_> = names
        .filter(|it| it.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// A claim in the names of the envelope and of the request; what says which answer is meant stands before a name.
fn in_names(claim: &str, answer: impl Fn(&str) -> String) -> String {
    let named = |word: &str| {
        let end = word.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = word.split_at(end.filter(|end| *end > 0)?);
        let of = |number: &str| match number {
            "0" => String::new(),
            number => answer(number),
        };
        let within = match (number, rest.as_bytes()[0]) {
            ("0", b'.' | b':') => format!("request{rest}"),
            (_, b'.' | b':') => format!("data{rest}"),
            (_, b'@') => rest[1..].to_owned(),
            _ => return None,
        };
        Some(format!("{}{within}", of(number)))
    };
    let words = claim.split(' ');
    let words: Vec<_> = words
        .map(|word| named(word).unwrap_or_else(|| word.to_owned()))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::in_names;

    #[test]
    fn a_claim_is_told_in_the_names_of_the_answers_it_is_about() {
        let step = |step: &str| format!("step {step}'s ");
        for (claim, named) in [
            (
                "1.pan = 2.pan:plain",
                "step 1's data.pan = step 2's data.pan:plain",
            ),
            (
                "1:dates <= 1@meta.createdAt",
                "step 1's data:dates <= step 1's meta.createdAt",
            ),
            ("0.state:upper = 'MH'", "request.state:upper = 'MH'"),
            ("'0' at most 1.score", "'0' at most step 1's data.score"),
        ] {
            assert_eq!(in_names(claim, step), named);
        }
    }
}
