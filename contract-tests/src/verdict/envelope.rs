//! The universal envelope: members, types, and what each says about the call.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use svc_fixtures::json::Json;

use super::answer::{Answer, REFERENCE};
use super::finding::Findings;
use crate::capture::Response;
use crate::plan::VERIFICATIONS;
use svc_fixtures::contract::{Environment, ErrorCode};

/// Judges the envelope; answers whether there is one to judge further.
pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) -> bool {
    if answer.request.method == "HEAD" && answer.response.body.is_empty() {
        findings.skip("an answer to HEAD has no body");
        return false;
    }
    if !matches!(answer.json, Some(Json::Object(_))) {
        let found = match &answer.json {
            Some(json) => format!("JSON that is {}", json.kind()),
            None => no_json(answer.response),
        };
        let clause = "envelope.same-shape";
        findings.must(clause, false, "the body", "a JSON object", found);
        return false;
    }
    content_type(findings, answer);
    encoding(findings, answer);
    shape(findings, answer);
    identity(findings, answer);
    result(findings, answer);
    environment(findings, answer);
    true
}

/// What says that it is compressed, no client can read that did not ask for it.
fn encoding(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let packed = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress"];
    let found = answer
        .response
        .header("content-encoding")
        .unwrap_or_default();
    let told = packed.iter().any(|name| found.eq_ignore_ascii_case(name));
    let accepted = answer.request.header("accept-encoding").unwrap_or_default();
    let mut accepted = accepted
        .split(',')
        .filter(|it| !it.replace(' ', "").ends_with(";q=0"));
    let mut accepted = accepted
        .by_ref()
        .map(|it| it.split(';').next().unwrap_or_default().trim());
    if told && !accepted.any(|it| it == "*" || it.eq_ignore_ascii_case(found)) {
        let what = "the header content-encoding";
        let expected = "none: the body is not compressed";
        findings.must("envelope.same-shape", false, what, expected, found);
    }
}

/// How much of a body that is no JSON is shown, in characters.
const BEGINNING: usize = 60;

/// A body that is no JSON: its content type, its length, and how it begins; of JSON that breaks off, where.
fn no_json(response: &Response) -> String {
    let kind = response.header("content-type").unwrap_or("no content type");
    let text = String::from_utf8_lossy(&response.body);
    let bytes = response.body.len();
    let read = serde_json::from_str::<serde::de::IgnoredAny>(&text);
    match read {
        _ if bytes == 0 => format!("{kind}, and nothing in it"),
        Err(error) if error.is_eof() => {
            let place = breaks_off_at(&text);
            format!("{kind}, {bytes} bytes of JSON that ends in the middle, behind `{place}`")
        }
        _ => {
            let beginning: String = text.chars().take(BEGINNING).collect();
            format!("{kind}, {bytes} bytes{BEGIN}{beginning:?}")
        }
    }
}

const BEGIN: &str = " that begin ";

/// What was found without the beginning of a body that nobody can read: it may tell of anybody.
#[must_use]
pub(crate) fn without_beginning(found: &str) -> &str {
    found.split_once(BEGIN).map_or(found, |(before, _)| before)
}

/// The last member that a JSON text names before it breaks off, as dotted names. Its value is not shown: nobody
/// knows whose it is before it can be read.
fn breaks_off_at(text: &str) -> String {
    let (mut open, mut last) = (Vec::<String>::new(), String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                last.clear();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    last.push(c);
                    if c == '\\' {
                        last.extend(chars.next());
                    }
                }
            }
            ':' => open
                .last_mut()
                .into_iter()
                .for_each(|name| last.clone_into(name)),
            '{' | '[' => open.push(String::new()),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
    }
    open.retain(|name| !name.is_empty());
    open.join(".")
}

/// The clause of each member, for what the row of the envelope says of it.
const MEMBERS: &[(&str, &str)] = &[
    ("success", "envelope.success"),
    ("verificationId", "envelope.verification-id"),
    ("referenceId", "envelope.reference-id"),
    ("endpoint", "envelope.endpoint"),
    ("status", "envelope.status"),
    ("data", "envelope.data"),
    ("error", "envelope.error"),
    ("billing.walletBalanceAfter", "envelope.wallet-balance"),
    ("billing", "envelope.billing"),
    ("meta.environment", "envelope.environment"),
    ("meta", "envelope.meta"),
];

fn shape(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let Some(json) = &answer.json else { return };
    let form = &findings.setting.contract.service.envelope;
    let mut mistakes = match findings.setting.by_rulings() {
        true => form.mistakes(json),
        false => {
            findings.unknown_members("envelope.same-shape", form.unknown_members(json));
            form.mistakes_as_specified(json)
        }
    };
    // Of what must not be there it is no wonder that it is null.
    let needless = if answer.failed() { "data" } else { "error" };
    mistakes.retain(|mistake| mistake.path != needless);
    let clause_of = |path: &str| {
        let named = |member: &str| {
            let rest = path.strip_prefix(member);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let found = MEMBERS.iter().find(|(member, _)| named(member));
        found.map_or("envelope.same-shape", |(_, clause)| clause)
    };
    let clauses = MEMBERS.iter().map(|(_, clause)| *clause);
    for clause in clauses.chain(["envelope.same-shape"]) {
        let mine = mistakes
            .iter()
            .filter(|mistake| clause_of(&mistake.path) == clause);
        let mut mine = mine.peekable();
        if mine.peek().is_none() {
            findings.must(clause, true, "", "", "");
        }
        for mistake in mine {
            let place: Vec<_> = mistake.path.split('.').collect();
            let (what, found) = (format!("`{}`", mistake.path), answer.shown(&place));
            findings.must(clause, false, &what, &mistake.message, found);
        }
    }
}

/// Which call this is the answer to.
fn identity(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let id = answer.text(&["verificationId"]);
    let rest = id.strip_prefix("svcv_");
    let named = rest.is_some_and(|rest| !rest.is_empty());
    let (clause, what) = ("envelope.verification-id", "`verificationId`");
    findings.must(clause, named, what, "svcv_ and more", id);
    let crockford = |b: u8| b.is_ascii_digit() || (b.is_ascii_lowercase() && !b"ilou".contains(&b));
    let ruled = rest.is_some_and(|rest| rest.len() == 26 && rest.bytes().all(crockford));
    let form = "svcv_ and 26 Crockford base-32 characters";
    findings.must("ruling.02-ids-from-content", ruled, what, form, id);
    if answer.looked_up() {
        // What a webhook brings is looked at like a look-up, and was asked for under no id.
        let asked = answer.request.path.strip_prefix(VERIFICATIONS);
        if let Some(asked) = asked.filter(|asked| !asked.is_empty()) {
            let (clause, what) = ("envelope.usage-log", "`verificationId` of a look-up");
            findings.equal(clause, what, asked, id);
        }
        return;
    }
    let as_json = |sent: Option<&str>| sent.map_or(Json::Null, |sent| Json::from(sent.to_owned()));
    let sent = as_json(answer.request.header(REFERENCE));
    let echo = answer.at(&["referenceId"]);
    // Only a replay is the answer to an earlier call; what a conflict repeats is a reference.
    let conflict = answer.code() == Some(ErrorCode::IdempotencyConflict);
    let earlier = answer.earlier_references.iter();
    let mut earlier = earlier.filter(|it| it.is_some() || !conflict);
    let repeats = echo.is_none_or(|echo| *echo == sent || earlier.any(|it| *echo == as_json(*it)));
    // Nobody here knows which call it replays, nor what that was named.
    let repeats = repeats || answer.is_replay_of_unknown();
    let (what, found) = ("`referenceId`", answer.shown(&["referenceId"]));
    findings.must("envelope.reference-id", repeats, what, &sent, found);
    let clause = "ruling.01-reference-id-always";
    findings.must(clause, echo.is_some(), what, &sent, "nothing");
    let row = answer.operation(findings.setting);
    let endpoint = answer.text(&["endpoint"]);
    let path = dotted(&answer.request.path);
    // Of a path with a wildcard the specification gives two names: the row's and the path's.
    let by_path = !findings.setting.by_rulings() && endpoint == path;
    let called = row.filter(|_| !by_path).map_or(&*path, |row| &row.id);
    findings.equal("envelope.endpoint", "`endpoint`", called, endpoint);
}

/// What an envelope calls a path: what stands after `/v1/`, dotted.
fn dotted(path: &str) -> String {
    path.strip_prefix("/v1/")
        .unwrap_or_else(|| path.trim_start_matches('/'))
        .replace('/', ".")
}

/// `success`, `status`, `data` and `error` say the same.
fn result(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let failed = answer.failed();
    let says_so = answer.at(&["success"]) == Some(&Json::Bool(!failed));
    findings.must(
        "envelope.success",
        says_so,
        format_args!(
            "`success` of an answer that is {}",
            answer.text(&["status"])
        ),
        !failed,
        answer.shown(&["success"]),
    );
    for (clause, name, wanted) in [
        ("envelope.data", "data", !failed),
        ("envelope.error", "error", failed),
    ] {
        let is = answer.at(&[name]).is_some();
        let expected = if wanted { "is there" } else { "is absent" };
        let found = if is { "it is there" } else { "it is not there" };
        findings.must(
            clause,
            is == wanted,
            format_args!("`{name}`"),
            expected,
            found,
        );
    }
    if let Some(error) = answer.at(&["error"]).filter(|_| failed) {
        error_members(findings, answer, error);
    }
}

/// `error` has its three members, and to the simulator's rules no other.
fn error_members(findings: &mut Findings<'_>, answer: &Answer<'_>, error: &Json<'_>) {
    let clause = "envelope.error";
    let members = error.as_object().unwrap_or_default().iter();
    let members: Vec<&str> = members.map(|(name, _)| name.as_ref()).collect();
    let whole = ["code", "message", "retryable"];
    let strict = findings.setting.by_rulings();
    let others = members.iter().filter(|name| !whole.contains(name));
    let others: Vec<_> = others.map(|name| format!("error.{name}")).collect();
    let complete = whole.iter().all(|name| members.contains(name));
    let exact = complete && (!strict || others.is_empty());
    let (expected, found) = (whole.join(", "), members.join(", "));
    findings.must(clause, exact, "the members of `error`", expected, found);
    if !strict {
        findings.unknown_members(clause, others);
    }
    let place = ["error", "message"];
    let message = answer.at(&place).and_then(Json::as_text);
    let has_text = message.is_some_and(|text| !(strict && text.trim().is_empty()));
    let found = answer.shown(&place);
    findings.must(clause, has_text, "`error.message`", "a text", found);
    let place = ["error", "retryable"];
    let known = answer.at(&place).and_then(Json::as_bool).is_some();
    let (what, found) = ("`error.retryable`", answer.shown(&place));
    findings.must(clause, known, what, "true or false", found);
}

/// A whole number, also where it is written with a fraction of zero.
fn whole(json: &Json<'_>) -> Option<i64> {
    if let Json::Int(number) = json {
        return Some(*number);
    }
    let number = json.as_num().filter(|number| number.fract() == 0.0)?;
    format!("{number:.0}").parse().ok()
}

fn environment(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let expected = answer.request.environment.as_str();
    let found = answer.text(&["meta", "environment"]);
    findings.equal(
        "envelope.environment",
        "`meta.environment`",
        expected,
        found,
    );
    let latency = answer.at(&["meta", "latencyMs"]);
    let latency = latency.and_then(|latency| match findings.setting.by_rulings() {
        true => latency.as_int(),
        false => whole(latency),
    });
    let shown = answer.shown(&["meta", "latencyMs"]);
    let positive = latency.is_some_and(|latency| latency >= 0);
    let (what, form) = ("`meta.latencyMs`", "a whole number, not negative");
    findings.must("envelope.meta", positive, what, form, shown);
    let sandbox = answer.request.environment == Environment::Test;
    let outcome = |code| findings.setting.contract.error(code).outcome;
    let ran = !answer.failed() || answer.code().is_some_and(outcome);
    let limited = answer.response.status == 429;
    let operation = answer.operation(findings.setting);
    if let Some(operation) = operation.filter(|_| sandbox && ran && !limited) {
        let pending = answer.text(&["status"]) == "pending";
        let range = operation.latency_of(answer.request.environment, pending);
        let (min, max) = (range.min_ms, range.max_ms);
        let typical = i64::from(min)..=i64::from(max);
        let typical = latency.is_some_and(|latency| typical.contains(&latency));
        let range = format_args!("from {min} to {max}");
        findings.must("ruling.04-latency-figure", typical, what, range, shown);
    }
    let created = answer.text(&["meta", "createdAt"]);
    let utc = created.ends_with('Z') || created.ends_with("+00:00");
    let utc = utc || answer.at(&["meta", "createdAt"]).is_none();
    let (what, form) = ("`meta.createdAt`", "an instant in UTC");
    findings.must("envelope.meta", utc, what, form, created);
    if let Some(at_s) = answer.at_s
        && !findings.setting.by_rulings()
        && !answer.looked_up()
    {
        // Of a key that an earlier call had, nobody may know here, the answer is that call's.
        let has_key = answer.request.header("idempotency-key").is_some();
        let asked_s = if has_key { i64::MIN / 2 } else { at_s };
        fresh(findings, answer, created, [asked_s, at_s]);
    }
}

/// How far the instant of an answer may be from when it came. Time zones differ by a quarter of an hour or more.
const TOLERANCE_S: i64 = 600;

/// An answer says when it was made by the clock of all the world, and a result that comes later when it was asked for or
/// later. Where the two clocks differ, the service's own
/// `Date` may say that it is this machine's that is wrong. A simulator's accounts have clocks of their own.
pub(super) fn fresh(
    findings: &mut Findings<'_>,
    answer: &Answer<'_>,
    created: &str,
    [asked_s, came_s]: [i64; 2],
) {
    let Ok(created_s) = created.parse::<Timestamp>().map(Timestamp::as_second) else {
        return;
    };
    let between = |from: i64, to: i64| (from - TOLERANCE_S..=to + TOLERANCE_S).contains(&created_s);
    let at_its_date = || {
        let date = answer.response.header("date")?;
        let date = DateTimeParser::new().parse_timestamp(date).ok()?;
        Some(between(date.as_second(), date.as_second()))
    };
    let holds = between(asked_s, came_s) || at_its_date().unwrap_or_default();
    let came = Timestamp::from_second(came_s).unwrap_or_default();
    let (what, expected) = (
        "`meta.createdAt`",
        format_args!("about {came}, when the answer came"),
    );
    findings.must("envelope.meta", holds, what, expected, created);
}

/// What is said where the header of an answer is not of JSON, in the words of a finding.
pub(crate) const CONTENT_TYPE: &str = "the content type of an answer that is JSON";

/// What the header says that the body is: JSON. Where it says otherwise a reader that goes by it is misled.
fn content_type(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    // The header is put on where HTTP is spoken.
    if !findings.setting.http {
        return;
    }
    let header = answer.response.header("content-type").unwrap_or_default();
    let media = header.split(';').next().unwrap_or_default().trim();
    let media = media.to_ascii_lowercase();
    let is_json = media == "application/json" || media.ends_with("+json");
    for clause in ["envelope.same-shape", "ruling.01-envelope-everywhere"] {
        findings.must(clause, is_json, CONTENT_TYPE, "application/json", header);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(kind: &str, body: &str) -> String {
        no_json(&Response {
            status: 200,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: body.into(),
        })
    }

    #[test]
    fn a_body_that_is_no_json_is_told_apart() {
        assert_eq!(
            described("text/html", "<html><h1>Bad gateway</h1>"),
            "text/html, 26 bytes that begin \"<html><h1>Bad gateway</h1>\""
        );
        assert_eq!(described("text/plain", ""), "text/plain, and nothing in it");
        assert_eq!(
            described(
                "application/json",
                r#"{"a":{"b":"x\"","c":[1],"name":"RAVI"#
            ),
            "application/json, 36 bytes of JSON that ends in the middle, behind `a.name`"
        );
    }
}
