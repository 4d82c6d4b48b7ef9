//! What is broken, put together: equal findings once, what follows from another finding below it, and what one
//! answer shows by itself before what a comparison shows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::counted;
use super::run_summary::{Breach, RunSummary};
use crate::capture::Credential;
use crate::event::CheckResult;
use crate::verdict::{EVERY_ANSWER, Finding};

/// How many cases are named of each check.
const CASES: usize = 3;

/// An answer that lacks so many members of the envelope is none: what else is wrong with it is no wonder.
const NO_ENVELOPE: usize = 3;

/// Equal findings: one clause, one place of the answers, one kind of value that is expected and found.
#[derive(Debug, Clone)]
pub struct Block<'e> {
    key: Key<'e>,
    /// Where it was found; never empty.
    pub places: Vec<Breach<'e>>,
    /// What was found in the same answers and is no wonder then.
    pub follows: Vec<Block<'e>>,
}

/// What equal findings agree in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key<'e> {
    /// None for the form of a member, which many operations have: each has a clause of its own.
    clause: Option<&'e str>,
    what: String,
    expected: String,
    found: String,
    known: bool,
}

/// All that is broken: what an answer shows by itself first, and of that what is seen most often.
#[must_use]
pub fn blocks<'e>(summary: &RunSummary<'e>) -> Vec<Block<'e>> {
    let mut blocks = Vec::new();
    for result in &summary.results {
        let breaches: Vec<_> = Breach::all(result).collect();
        let same = |one: &Breach<'_>, next: &Breach<'_>| {
            (one.finding.step, &one.finding.case) == (next.finding.step, &next.finding.case)
        };
        for answer in breaches.chunk_by(same) {
            add_answer(&mut blocks, answer);
        }
    }
    for block in &mut blocks {
        let plainest = (0..block.places.len()).min_by_key(|&at| {
            let place = &block.places[at];
            effort(place.result, place.finding)
        });
        block.places.swap(0, plainest.unwrap_or_default());
    }
    blocks.sort_by_key(|block| {
        let first = block.first();
        (
            first.known.is_some(),
            rank(first),
            Reverse(block.places.len()),
        )
    });
    blocks
}

/// How much it takes to understand a call and to send it again: a valid one is the plainest.
pub(super) fn effort(result: &CheckResult, finding: &Finding) -> impl Ord {
    const REFUSED: [&str; 4] = ["authentication.", "body.", "paths.", "validation."];
    let kind = match result.check {
        "envelope.success" => 0,
        check if REFUSED.iter().any(|family| check.starts_with(family)) => 2,
        _ => 1,
    };
    let case = result.evidence(&finding.case);
    let exchange = case.and_then(|case| case.exchanges.get(finding.step));
    let size = exchange.map(|exchange| {
        let (request, answer) = (&exchange.request, exchange.response.as_ref());
        let refused = answer.is_ok_and(|answer| (400..500).contains(&answer.status));
        let strange = exchange.credential != Credential::Own || request.method != "POST";
        let (headers, body) = (request.headers.len(), request.body.len());
        (strange, refused, finding.step, headers, body)
    });
    (size.is_none(), kind, size)
}

/// Adds what was found in one answer.
fn add_answer<'e>(blocks: &mut Vec<Block<'e>>, answer: &[Breach<'e>]) {
    let mut breaches = answer.to_vec();
    let lacking = |breach: &Breach<'e>| breach.lacks_member().is_some();
    let none = breaches.iter().filter(|breach| lacking(breach)).count() >= NO_ENVELOPE;
    // Of a refusal that is missing it follows what the call costs.
    let is_refusal = breaches.iter().any(|breach| rank(breach) == 2);
    let is_cost = |breach: &Breach<'_>| is_refusal && breach.clause == "billing.failures-are-free";
    breaches.sort_by_key(|breach| (none && !lacking(breach), is_cost(breach), rank(breach)));
    let mut roots: Vec<(Breach<'e>, usize)> = Vec::new();
    for breach in breaches {
        let explained = |root: &Breach<'e>| match none && lacking(root) {
            true => root.known.is_none() || breach.known.is_some(),
            false => explains(root, &breach),
        };
        match roots.iter().find(|(root, _)| explained(root)) {
            Some((_, at)) => {
                add(&mut blocks[*at].follows, breach);
            }
            None => {
                let at = add(blocks, breach);
                roots.push((breach, at));
            }
        }
    }
}

/// Adds a finding to its equals; answers where they are.
fn add<'e>(blocks: &mut Vec<Block<'e>>, breach: Breach<'e>) -> usize {
    let key = Key::of(&breach);
    let equal = blocks.iter().position(|block| block.key == key);
    let at = equal.unwrap_or(blocks.len());
    if equal.is_none() {
        blocks.push(Block {
            key,
            places: Vec::new(),
            follows: Vec::new(),
        });
    }
    blocks[at].places.push(breach);
    at
}

/// What is looked at first: no JSON, then the form of one answer, its ending, its headers, and at last what is
/// compared with something.
fn rank(breach: &Breach<'_>) -> u8 {
    match breach.what {
        "the body" if breach.clause == "envelope.same-shape" => 0,
        _ if breach.is_form() || EVERY_ANSWER.contains(&breach.clause) => 1,
        "the ending" | "the HTTP status" => 2,
        what if what.starts_with("the header") => 3,
        _ => 4,
    }
}

/// Whether a finding is no wonder where another was found in the same answer.
fn explains(root: &Breach<'_>, other: &Breach<'_>) -> bool {
    if root.known.is_some() && other.known.is_none() {
        return false;
    }
    let ending = |breach: &Breach<'_>| rank(breach) == 2;
    match (rank(root), root.place_in_answer(), other.place_in_answer()) {
        (0 | 2, ..) => true,
        (_, Some(root), Some(other)) => overlap(&root, &other),
        (_, Some(root), None) => {
            let tells = ["status", "success", "error", "data"];
            ending(other) && tells.iter().any(|member| overlap(&root, member))
        }
        (1, None, _) => root.what.starts_with("the status") && rank(other) >= 2,
        _ => false,
    }
}

/// Whether one place is the other, or around it.
fn overlap(one: &str, other: &str) -> bool {
    let (outer, inner) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl<'e> Key<'e> {
    fn of(breach: &Breach<'e>) -> Self {
        let place = breach.place_in_answer();
        let at_place = place.is_some();
        Key {
            clause: (!breach.is_form() && !breach.is_signature()).then_some(breach.clause),
            what: place.unwrap_or_else(|| breach.what.to_owned()),
            expected: kind(breach.expected, at_place),
            found: kind(breach.found, at_place),
            known: breach.known.is_some(),
        }
    }
}

/// The kind of a value: what has figures in it is another one in every answer.
fn kind(text: &str, at_place: bool) -> String {
    if !at_place && text.len() <= 40 {
        return text.to_owned();
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => "an object".to_owned(),
        Ok(Value::Array(_)) => "a list".to_owned(),
        Ok(Value::String(_)) => "a text".to_owned(),
        Ok(Value::Number(_)) => "a number".to_owned(),
        Ok(Value::Bool(_) | Value::Null) => text.to_owned(),
        Err(_) => kind_of_words(text),
    }
}

/// The same of a sentence.
pub(super) fn kind_of_words(text: &str) -> String {
    let varies = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let words = text.split_whitespace().take(10);
    let words: Vec<_> = words
        .map(|word| if varies(word) { "#" } else { word })
        .collect();
    words.join(" ")
}

impl<'e> Block<'e> {
    /// The first of the findings.
    #[must_use]
    pub fn first(&self) -> &Breach<'e> {
        &self.places[0]
    }

    /// Whether all of it is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.key.known
    }

    /// The clause that is named: of several the one that the specification has first.
    #[must_use]
    pub fn clause(&self, summary: &RunSummary<'e>) -> &'e str {
        let mine = |id: &str| self.places.iter().any(|place| place.clause == id);
        let mut rows = summary.started.iter().flat_map(|started| &started.clauses);
        let first = rows.find(|row| mine(&row.id));
        first.map_or(self.first().clause, |row| row.id.as_str())
    }

    /// What is wrong, in one line.
    #[must_use]
    pub fn title(&self) -> String {
        let message = self.first().message();
        let mut line = message.lines().next().unwrap_or_default().to_owned();
        let lacking = self.follows.iter().map(Block::first);
        let mut lacking: Vec<_> = lacking.filter_map(Breach::lacks_member).collect();
        lacking.extend(self.first().lacks_member());
        if lacking.len() >= NO_ENVELOPE {
            line = format!(
                "the answer is no envelope, it has no {}",
                lacking.join(", ")
            );
        }
        match self.is_known() {
            true => format!("known: {line}"),
            false => format!("broken: {line}"),
        }
    }

    /// The clauses that are broken, and in how many of the cases that ask them.
    #[must_use]
    pub fn headline(&self, summary: &RunSummary<'e>) -> String {
        let (first, clause) = (self.first(), self.clause(summary));
        let mut clauses: Vec<_> = self.places.iter().map(|place| place.clause).collect();
        clauses.sort_unstable();
        clauses.dedup();
        let more = match clauses.len() {
            1 => String::new(),
            all => format!(" and {}", counted(all - 1, "other clause")),
        };
        let known = if self.is_known() { "known, " } else { "" };
        let broken = self.places.iter();
        let broken = broken.map(|place| (place.result.check, place.finding.case.as_str()));
        let broken = broken.collect::<BTreeSet<_>>().len();
        let all = summary.judged(&clauses.into_iter().collect()).len();
        let cases = match (broken, all) {
            (1, 1) => "in the one case that asks for it".to_owned(),
            _ if broken == all => format!("always, in all {all} cases that ask for it"),
            _ => format!("in {broken} of {all} cases that ask for it"),
        };
        let seen = first.seen;
        let seen = seen.map_or(String::new(), |seen| format!("; seen {seen}"));
        format!("{clause}{more}: {known}broken {cases}{seen}")
    }

    /// The other cases, shortened; none where there is but one.
    #[must_use]
    pub fn others(&self) -> Option<String> {
        let first = self.first().place();
        let others = self.places.iter().map(Breach::place);
        let others: BTreeSet<_> = others.filter(|place| *place != first).collect();
        let rest = others.len().saturating_sub(CASES);
        let named: Vec<_> = others.iter().take(CASES).map(String::as_str).collect();
        match (others.len(), rest) {
            (0, _) => None,
            (_, 0) => Some(format!("also {}", named.join("; "))),
            (_, rest) => Some(format!("also {}; and {rest} more", named.join("; "))),
        }
    }

    /// What follows from it, a line each, shortened; empty where nothing does.
    #[must_use]
    pub fn consequences(&self) -> Vec<String> {
        let mut follows: Vec<_> = self.follows.iter().collect();
        follows.sort_by_key(|block| Reverse(block.places.len()));
        let line = |block: &&Block<'e>| {
            let first = block.first();
            let message = first.message();
            let message = message.lines().next().unwrap_or_default();
            let message: String = message.chars().take(160).collect();
            let times = counted(block.places.len(), "time");
            format!("{} {times}: {message}", first.clause)
        };
        let mut lines: Vec<_> = follows.iter().take(CASES).map(line).collect();
        if follows.len() > CASES {
            let rest = follows.len() - CASES;
            lines.push(format!(
                "{rest} more {}",
                if rest == 1 { "finding" } else { "findings" }
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::verdict::Verdict;

    fn broken(case: &str, clause: &str, what: &str, expected: &str, found: &str) -> Finding {
        Finding {
            case: case.to_owned(),
            step: 0,
            verdict: Verdict::Broken {
                clause: clause.to_owned(),
                what: what.to_owned(),
                expected: expected.to_owned(),
                found: found.to_owned(),
                known: None,
                seen: None,
            },
        }
    }

    fn shown(findings: Vec<Finding>) -> Vec<String> {
        let result = CheckResult {
            check: "one.check",
            findings,
            ..CheckResult::default()
        };
        let events = [Event::CheckFinished(result)];
        let summary = RunSummary::of(&events);
        let blocks = blocks(&summary);
        let line = |block: &Block<'_>| {
            let below = block.consequences().join(" | ");
            format!("{} > {below}", block.headline(&summary))
        };
        blocks.iter().map(line).collect()
    }

    #[test]
    fn one_new_member_everywhere_is_one_block() {
        let finding = |at: usize| {
            let (case, clause) = (format!("case {at}"), format!("operation.{at}"));
            broken(
                &case,
                &clause,
                "`data.new`",
                "is not part of the answer",
                "1",
            )
        };
        let found = shown((0..2_685).map(finding).collect());
        assert_eq!(
            found,
            [
                "operation.0 and 2684 other clauses: broken always, in all 2685 cases that ask for it > "
            ]
        );
    }

    #[test]
    fn all_follows_from_an_answer_that_is_no_json() {
        let found = shown(vec![
            broken("a", "lookup.same", "`data/x`", "1", "nothing"),
            broken(
                "a",
                "envelope.same-shape",
                "the body",
                "a JSON object",
                "text/html",
            ),
        ]);
        assert_eq!(
            found,
            [
                "envelope.same-shape: broken in the one case that asks for it > lookup.same 1 time: expected 1 (a number), found nothing at data.x"
            ]
        );
    }

    #[test]
    fn what_is_about_another_place_stands_by_itself() {
        let found = shown(vec![
            broken("a", "billing.live", "`billing.amount`", "2.5", "\"2.5\""),
            broken("a", "lookup.same", "`data/x`", "1", "2"),
            broken(
                "a",
                "envelope.billing",
                "`billing.amount`",
                "must be a number",
                "\"2.5\"",
            ),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with(
            "envelope.billing: broken in the one case that asks for it > billing.live 1 time"
        ));
    }
}
