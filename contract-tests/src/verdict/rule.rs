//! What a case expects of an answer, judged.

use svc_fixtures::contract::ErrorCode;

use super::answer::{Answer, Answers, NOTHING_BEFORE, earlier, status_of};
use super::finding::Findings;
use super::{delivered, usage, value};
use crate::plan::{Ending, Expectation, Rule};

/// Judges one expectation of the answer at a place.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    answers: &Answers<'_>,
    at: usize,
    expectation: &Expectation,
) {
    let Some(Ok(answer)) = answers.get(at) else {
        return;
    };
    let clause = expectation.clause.as_str();
    match &expectation.rule {
        Rule::SameBytes(step)
        | Rule::SameResult(step)
        | Rule::SameEnding(step)
        | Rule::OtherId(step)
        | Rule::BalanceFell(step) => match earlier(answers, *step) {
            Some(first) => compare(findings, clause, &expectation.rule, first, answer),
            None => findings.skip(NOTHING_BEFORE),
        },
        Rule::UsageGrew {
            since,
            endpoint,
            by,
        } => match earlier(answers, *since) {
            Some(before) => {
                let between = answers.get(since + 1..at).unwrap_or_default();
                usage::grew(findings, clause, before, between, answer, endpoint, by);
            }
            None => findings.skip(NOTHING_BEFORE),
        },
        Rule::BodiesAre(step) => match earlier(answers, *step) {
            Some(envelope) => delivered::bodies_are(findings, clause, answer, envelope),
            None => findings.skip(NOTHING_BEFORE),
        },
        Rule::Received(count) => delivered::received(findings, clause, answer, *count),
        Rule::Signed => delivered::signed(findings, clause, answer),
        Rule::Status(status) => {
            let found = answer.response.status;
            findings.must(clause, found == *status, "the HTTP status", status, found);
        }
        Rule::Usage(rows) => usage::is(findings, clause, answer, rows),
        Rule::SomeEnds(ending) => some_ends(findings, clause, answers, *ending),
        Rule::OneWithout(name) => one_without(findings, clause, answers, name),
        Rule::Ends(ending) => ends(findings, clause, answer, *ending),
        Rule::Mentions(text) => mentions(findings, clause, answer, text),
        Rule::Value(place, test) => {
            value::judge(findings, clause, answers, answer, (place, test));
        }
        Rule::Header(name, value) => header(findings, clause, answer, name, *value),
        Rule::NoHeader(name) => {
            let found = answer.response.header(name);
            let (what, shown) = (format!("the header {name}"), found.unwrap_or_default());
            findings.must(clause, found.is_none(), &what, "nothing", shown);
        }
        Rule::Charged(expected) => {
            let charged = answer.charged();
            let same = charged == *expected;
            findings.must(clause, same, "`billing.charged`", expected, charged);
        }
        Rule::Price(price) => {
            let place = ["billing", "amount"];
            let same = answer.paise(&place) == Some(*price);
            findings.must(
                clause,
                same,
                "`billing.amount`",
                price,
                answer.shown(&place),
            );
        }
    }
}

/// Judges what an answer must be beside one before it.
fn compare(
    findings: &mut Findings<'_>,
    clause: &str,
    rule: &Rule,
    first: &Answer<'_>,
    answer: &Answer<'_>,
) {
    match rule {
        Rule::SameBytes(_) => {
            let same = first.response.body == answer.response.body;
            findings.must(clause, same, "the body", whole(first), whole(answer));
        }
        Rule::SameResult(_) => {
            let parts = ["verificationId", "status", "data", "error"];
            let equal = |name: &&str| first.at(&[name]) == answer.at(&[name]);
            let same = parts.iter().all(equal);
            findings.must(clause, same, "the result", whole(first), whole(answer));
        }
        Rule::SameEnding(_) => {
            let (old, new) = (first.ending(), answer.ending());
            findings.must(clause, old == new, "the ending", &old, &new);
        }
        Rule::OtherId(_) => {
            let place = ["verificationId"];
            let (old, new) = (first.text(&place), answer.text(&place));
            let other = format!("another than {old}");
            findings.must(clause, old != new, "`verificationId`", other, new);
        }
        Rule::BalanceFell(_) => balance_fell(findings, clause, first, answer),
        // These look at one answer alone, or at all: `judge` has them.
        Rule::Ends(_)
        | Rule::SomeEnds(_)
        | Rule::Mentions(_)
        | Rule::Status(_)
        | Rule::Received(_)
        | Rule::Signed
        | Rule::BodiesAre(_)
        | Rule::Value(..)
        | Rule::Header(..)
        | Rule::NoHeader(_)
        | Rule::OneWithout(_)
        | Rule::Charged(_)
        | Rule::Price(_)
        | Rule::Usage(_)
        | Rule::UsageGrew { .. } => unreachable!("only rules about two answers are compared"),
    }
}

fn mentions(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, text: &str) {
    let message = answer.text(&["error", "message"]);
    let expected = format!("a text that names `{text}`");
    findings.must(
        clause,
        message.contains(text),
        "`error.message`",
        expected,
        message,
    );
}

fn header(
    findings: &mut Findings<'_>,
    clause: &str,
    answer: &Answer<'_>,
    name: &str,
    value: Option<&str>,
) {
    let found = answer.response.header(name);
    let fits = found.is_some_and(|found| value.is_none_or(|value| value == found));
    let (what, value) = (format!("the header {name}"), value.unwrap_or("any value"));
    findings.must(clause, fits, &what, value, found.unwrap_or("nothing"));
}

/// The body, as a difference is shown between two of them.
fn whole(answer: &Answer<'_>) -> String {
    String::from_utf8_lossy(&answer.response.body).into_owned()
}

fn ends(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, ending: Ending) {
    let fits = ended(findings, answer, ending);
    findings.must(clause, fits, "the ending", ending, answer.ending());
}

fn ended(findings: &Findings<'_>, answer: &Answer<'_>, ending: Ending) -> bool {
    let (status, word) = (answer.response.status, answer.text(&["status"]));
    let failed = |expected: u16, code: ErrorCode| {
        status == expected && word == "failed" && answer.code() == Some(code)
    };
    match ending {
        Ending::Completed => status == 200 && word == "completed",
        Ending::Pending => matches!(status, 200 | 202) && word == "pending",
        Ending::Accepted => status == 202 && word == "pending",
        Ending::Error(code) => failed(status_of(findings.setting.contract, code), code),
        Ending::Refused(status, code) => failed(status, code),
    }
}

fn some_ends(findings: &mut Findings<'_>, clause: &str, answers: &Answers<'_>, ending: Ending) {
    let known = || answers.iter().flatten();
    let some = known().any(|answer| ended(findings, answer, ending));
    let all: Vec<_> = known().map(Answer::ending).collect();
    findings.must(
        clause,
        some,
        "the endings",
        format!("one of them {ending}"),
        all.join(", "),
    );
}

fn one_without(findings: &mut Findings<'_>, clause: &str, answers: &Answers<'_>, name: &str) {
    let known: Vec<_> = answers.iter().flatten().collect();
    let without = known
        .iter()
        .filter(|answer| answer.response.header(name).is_none())
        .count();
    findings.must(
        clause,
        without == 1,
        &format!("answers without {name}"),
        1,
        without,
    );
    let first = known.first().map(|answer| &answer.response.body);
    let odd = known
        .iter()
        .find(|answer| Some(&answer.response.body) != first);
    let (expected, found) = (
        known.first().map(|answer| whole(answer)),
        odd.map(|answer| whole(answer)),
    );
    let expected = expected.unwrap_or_default();
    findings.must(
        clause,
        odd.is_none(),
        "all answers",
        &expected,
        found.unwrap_or_default(),
    );
}

fn balance_fell(
    findings: &mut Findings<'_>,
    clause: &str,
    first: &Answer<'_>,
    answer: &Answer<'_>,
) {
    let place = ["billing", "walletBalanceAfter"];
    let amount = answer.paise(&["billing", "amount"]).unwrap_or_default();
    let expected = first
        .paise(&place)
        .and_then(|balance| balance.checked_sub(amount));
    let fits = expected.is_some() && answer.paise(&place) == expected;
    let expected = expected.map_or_else(
        || "a balance to begin with".to_owned(),
        |paise| paise.to_string(),
    );
    findings.must(
        clause,
        fits,
        "`billing.walletBalanceAfter`",
        expected,
        answer.shown(&place),
    );
}
