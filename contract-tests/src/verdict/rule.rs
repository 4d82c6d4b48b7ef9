//! What a case expects of an answer, judged.

use std::borrow::Cow;

use svc_fixtures::contract::{ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::answer::{Answer, Answers, NOTHING_BEFORE, earlier};
use super::finding::Findings;
use super::{alike, delivered, law, registered, usage, value, wallet};
use crate::plan::{Ending, Expectation, Rule};

/// Judges one expectation of the answer at a place.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    answers: &Answers<'_>,
    at: usize,
    expectation: &Expectation,
) {
    if let Rule::Where(value, said, rule) = &expectation.rule {
        let json = earlier(answers, value.step).and_then(|before| before.json.as_ref());
        if json.and_then(|json| value.place.find(json)) == Some(said) {
            let (clause, rule) = (expectation.clause.clone(), (**rule).clone());
            judge(findings, answers, at, &Expectation { clause, rule });
        }
        return;
    }
    if compare(findings, answers, at, expectation).is_none() {
        findings.skip(NOTHING_BEFORE);
    }
}

/// The same; none where an answer that it is compared with is not there.
fn compare(
    findings: &mut Findings<'_>,
    answers: &Answers<'_>,
    at: usize,
    expectation: &Expectation,
) -> Option<()> {
    let Some(Ok(answer)) = answers.get(at) else {
        return Some(());
    };
    let clause = expectation.clause.as_str();
    let first = |step: &usize| earlier(answers, *step);
    match &expectation.rule {
        Rule::SameBytes(step) => same_bytes(findings, clause, first(step)?, answer),
        Rule::SameData(step) => same_data(findings, clause, first(step)?, answer),
        Rule::Logs(step) => logs(findings, clause, first(step)?, answer),
        Rule::SameResult(step) => same_result(findings, clause, first(step)?, answer),
        Rule::SameEnding(step) => same_ending(findings, clause, first(step)?, answer),
        Rule::Alike { given, left_out } => sides(findings, clause, answers, [given, left_out])?,
        Rule::OtherId(step) => other_id(findings, clause, first(step)?, answer),
        Rule::BalanceFell(step) => {
            let charged = charged(answers, *step, at);
            wallet::fell(findings, clause, first(step)?, answer, charged);
        }
        Rule::BalanceAddsUp(step) => adds_up(findings, clause, answers, [*step, at])?,
        Rule::OneId => one_id(findings, clause, answers),
        Rule::UsageGrew {
            since,
            endpoint,
            by,
        } => {
            let between = answers.get(since + 1..at).unwrap_or_default();
            let before = first(since)?;
            usage::grew(findings, clause, before, between, answer, endpoint, by);
        }
        Rule::Spend { steps, endpoint } => {
            let steps = [steps[0], steps[1], at];
            usage::spend(findings, clause, answers, steps, endpoint);
        }
        Rule::UsageApart { steps, endpoint } => {
            let steps = [steps[0], steps[1], at];
            usage::apart(findings, clause, answers, steps, endpoint);
        }
        Rule::BodiesAre(step) => delivered::bodies_are(findings, clause, answer, first(step)?),
        Rule::Received(count) => delivered::received(findings, clause, answer, *count),
        Rule::Signed => delivered::signed(findings, clause, answer),
        Rule::Webhook(rule) => registered::judge(findings, clause, answers, answer, *rule)?,
        Rule::Status(status) => {
            let found = answer.response.status;
            findings.equal(clause, "the HTTP status", *status, found);
        }
        Rule::Exists => exists(findings, clause, answer),
        Rule::Usage(rows) => usage::is(findings, clause, answer, rows),
        Rule::SomeEnds(ending) => some_ends(findings, clause, answers, *ending, true)?,
        Rule::NoneEnds(ending) => some_ends(findings, clause, answers, *ending, false)?,
        Rule::OneWithout(name) => one_without(findings, clause, answers, name)?,
        Rule::Ends(ending) => ends(findings, clause, answer, *ending),
        Rule::Echoes(name) => echoes(findings, clause, answer, name),
        Rule::Mentions(text) => mentions(findings, clause, answer, text),
        Rule::Value(place, test) => value::judge(findings, clause, answers, answer, (place, test)),
        Rule::Header(name, value) => header(findings, clause, answer, name, *value),
        Rule::NoHeader(name) => no_header(findings, clause, answer, name),
        Rule::Charged(expected) => {
            findings.equal(clause, "`billing.charged`", *expected, answer.charged());
        }
        Rule::Price(expected) => price(findings, clause, answer, *expected),
        Rule::Law(rule) => law::judge(findings, clause, answers, at, rule),
        Rule::Where(..) => {}
    }
    Some(())
}

fn exists(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>) {
    let found = answer.response.status;
    let there = ![404, 405].contains(&found) && found < 500;
    let expected = "any below 500 but 404 and 405";
    findings.must(clause, there, "the HTTP status", expected, found);
}

fn other_id(findings: &mut Findings<'_>, clause: &str, first: &Answer<'_>, answer: &Answer<'_>) {
    let [old, new] = [first, answer].map(|answer| answer.text(&["verificationId"]));
    let other = format!("another than {old}");
    findings.must(clause, old != new, "`verificationId`", other, new);
}

fn same_ending(findings: &mut Findings<'_>, clause: &str, first: &Answer<'_>, answer: &Answer<'_>) {
    findings.equal(clause, "the ending", first.ending(), answer.ending());
}

fn same_bytes(findings: &mut Findings<'_>, clause: &str, first: &Answer<'_>, answer: &Answer<'_>) {
    let (old, new) = (&first.response.body, &answer.response.body);
    findings.must(clause, old == new, "the body", whole(old), whole(new));
}

fn same_data(findings: &mut Findings<'_>, clause: &str, first: &Answer<'_>, answer: &Answer<'_>) {
    let (first, again) = (first.at(&["data"]), answer.at(&["data"]));
    // What is no object is broken for that.
    let both = first.zip(again);
    let both = both.filter(|(a, b)| a.as_object().is_some() && b.as_object().is_some());
    if let Some((first, again)) = both {
        let row = answer.operation(findings.setting);
        let shape = row.map(|row| &row.response);
        alike::same(findings, clause, first, again, shape);
    }
}

fn logs(findings: &mut Findings<'_>, clause: &str, call: &Answer<'_>, answer: &Answer<'_>) {
    if !answer.looked_up() {
        return;
    }
    for place in [
        ["error", "code"],
        ["billing", "charged"],
        ["billing", "amount"],
    ] {
        // What an answer need not have its log need not have.
        if let (Some(said), Some(logged)) = (call.at(&place), answer.at(&place)) {
            let what = format!("`{}` of the look-up", place.join("."));
            let same = value::same(said, logged);
            findings.must(clause, same, &what, said, logged);
        }
    }
}

fn same_result(findings: &mut Findings<'_>, clause: &str, first: &Answer<'_>, answer: &Answer<'_>) {
    let parts = ["verificationId", "status", "data", "error"];
    let mut parts = parts.iter();
    let same = parts.all(|name| match (first.at(&[name]), answer.at(&[name])) {
        (Some(old), Some(new)) => value::same(old, new),
        (old, new) => old.is_none() && new.is_none(),
    });
    let (old, new) = (&first.response.body, &answer.response.body);
    findings.must(clause, same, "the result", whole(old), whole(new));
}

fn no_header(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, name: &str) {
    let found = answer.response.header(name);
    let (what, shown) = (format!("the header {name}"), found.unwrap_or_default());
    findings.must(clause, found.is_none(), &what, "nothing", shown);
}

fn mentions(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, text: &str) {
    let message = answer.text(&["error", "message"]);
    let expected = format!("a text that names `{text}`");
    let names = message.contains(text);
    findings.must(clause, names, "`error.message`", expected, message);
}

/// An answer speaks of the identifier that was asked for: its letters and digits, however they are set.
fn echoes(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, name: &str) {
    // What has no result repeats nothing; whether it has to have one is another rule's.
    if answer.text(&["status"]) != "completed" {
        return;
    }
    let request = Json::parse(&answer.request.body).ok();
    let sent = request.as_ref().and_then(|body| body.get(name)?.as_text());
    let found = answer.text(&["data", name]);
    let plain = |text: &str| {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_lowercase()
    };
    let same = sent.is_some_and(|sent| plain(found).ends_with(&plain(sent)));
    let place = format!("`data.{name}`");
    findings.must(clause, same, &place, sent.unwrap_or_default(), found);
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
fn whole(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(body)
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
        Ending::Error(code) => failed(findings.setting.contract.error(code).status, code),
        Ending::Refused(status, code) => failed(status, code),
        Ending::Malformed => [ErrorCode::InvalidIdentifier, ErrorCode::InvalidInput]
            .iter()
            .any(|code| failed(400, *code)),
        Ending::Unauthorized => [ErrorCode::AuthInvalid, ErrorCode::KeyEnvironmentMismatch]
            .iter()
            .any(|code| failed(401, *code)),
        Ending::Admitted => !matches!(status, 401 | 403),
        Ending::CompletedOrPending => understood(answer) && !answer.failed(),
        Ending::Understood => understood(answer),
        Ending::Rejected => rejected(answer),
        Ending::NoFault => understood(answer) || rejected(answer),
        Ending::NoFaultBut(code) => {
            let row = findings.setting.contract.error(code);
            understood(answer) || rejected(answer) || failed(row.status, code)
        }
    }
}

fn understood(answer: &Answer<'_>) -> bool {
    match answer.text(&["status"]) {
        "completed" => answer.response.status == 200,
        "pending" => matches!(answer.response.status, 200 | 202),
        _ => answer.failed() && answer.code() == Some(ErrorCode::NoRecordFound),
    }
}

/// That there is no record says that what was sent was understood.
fn rejected(answer: &Answer<'_>) -> bool {
    let none = answer.code() == Some(ErrorCode::NoRecordFound);
    answer.failed() && (400..500).contains(&answer.response.status) && !none
}

fn some_ends(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    ending: Ending,
    wanted: bool,
) -> Option<()> {
    let known = || answers.iter().flatten();
    let some = known().any(|answer| ended(findings, answer, ending));
    // One whose answer was lost may have ended so.
    if !some && answers.iter().any(Result::is_err) {
        return None;
    }
    let all: Vec<_> = known().map(Answer::ending).collect();
    let how_many = if wanted { "one" } else { "none" };
    let (holds, expected) = (some == wanted, format!("{how_many} of them {ending}"));
    findings.must(clause, holds, "the endings", expected, all.join(", "));
    Some(())
}

fn one_without(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    name: &str,
) -> Option<()> {
    let known = || answers.iter().flatten().map(|answer| answer.response);
    let without = known().filter(|it| it.header(name).is_none()).count();
    if without == 0 && answers.iter().any(Result::is_err) {
        return None;
    }
    let what = format!("answers without {name}");
    findings.must(clause, without == 1, &what, 1, without);
    let first = known().next().map_or(&[][..], |response| &response.body);
    let odd = known().find(|response| response.body != first);
    let found = odd.map_or(Cow::Borrowed(""), |response| whole(&response.body));
    findings.must(clause, odd.is_none(), "all answers", whole(first), found);
    Some(())
}

fn price(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>, expected: Paise) {
    let place = ["billing", "amount"];
    let (same, found) = (answer.paise(&place) == Some(expected), answer.shown(&place));
    findings.must(clause, same, "`billing.amount`", expected, found);
}

/// What the answers to the steps of two sides have for data, compared.
fn sides(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    [given, left_out]: [&[usize; 2]; 2],
) -> Option<()> {
    let data = |step: usize| earlier(answers, step)?.at(&["data"]);
    let given = [data(given[0])?, data(given[1])?];
    let left_out = [data(left_out[0])?, data(left_out[1])?];
    alike::judge(findings, clause, given, left_out);
    Some(())
}

/// The balance, less what all calls since were charged.
fn adds_up(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    [first, last]: [usize; 2],
) -> Option<()> {
    let open = |answer: &Answer<'_>| answer.text(&["status"]) == "pending";
    let known = || answers.get(..=last).unwrap_or_default().iter().flatten();
    let ends = |open: &Answer<'_>| {
        let id = ["verificationId"];
        known().any(|it| it.text(&id) == open.text(&id) && it.text(&["status"]) != "pending")
    };
    if known().any(|answer| open(answer) && !ends(answer)) {
        findings.skip("what a call costs that is pending is charged with its result");
        return Some(());
    }
    // Places are those of steps only where each has an answer.
    let whole = answers.get(..=first)?.iter().all(Result::is_ok);
    let sum = whole.then(|| Answer::sum(known(), first + 1))?;
    let (first, last) = (earlier(answers, first)?, earlier(answers, last)?);
    wallet::fell(findings, clause, first, last, sum);
    Some(())
}

/// What was charged behind a step, up to another one. A call between them that was to be free may have been charged with
/// right: on live a service need not know the sentinel.
fn charged(answers: &Answers<'_>, behind: usize, at: usize) -> Paise {
    let until: Option<Vec<_>> = answers[..at].iter().map(|it| it.as_ref().ok()).collect();
    let between = until.map_or(Paise::ZERO, |all| Answer::sum(all.into_iter(), behind + 1));
    let own = answers[at].as_ref().map_or(Paise::ZERO, amount);
    [between, own].into_iter().sum()
}

fn amount(answer: &Answer<'_>) -> Paise {
    answer.paise(&["billing", "amount"]).unwrap_or_default()
}

/// Which of those that came at once is the original nobody knows: the others have its id.
fn one_id(findings: &mut Findings<'_>, clause: &str, answers: &Answers<'_>) {
    let known = answers.iter().flatten();
    let has_key = |answer: &&Answer<'_>| answer.request.header("idempotency-key").is_some();
    let mut ids: Vec<_> = known
        .filter(|answer| has_key(answer) && !answer.failed())
        .map(|answer| answer.text(&["verificationId"]))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let what = "the ids of calls with one key";
    findings.must(clause, ids.len() <= 1, what, "one", ids.join(", "));
}
