//! How a call ended: status, code and retryable as the table has them, `data` as the row has it.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::answer::{Answer, shown};
use super::finding::Findings;
use super::members;
use crate::redact::REDACTED;

pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    match answer.failed() {
        true => error(findings, answer),
        false => success(findings, answer),
    }
    headers(findings, answer);
}

fn error(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let code = answer.text(&["error", "code"]);
    let there = answer.at(&["error"]).is_some();
    findings.must("errors.envelope", there, "`error`", "is there", "nothing");
    let known = answer.code();
    let (what, table) = ("`error.code`", "a code of the table");
    findings.must("errors.stable-codes", known.is_some(), what, table, code);
    let message = answer.text(&["error", "message"]);
    let discreet = !message.contains(REDACTED);
    let (what, none) = ("`error.message`", "no secret in it");
    findings.must("ruling.06-message", discreet, what, none, message);
    let Some(known) = known else { return };
    let row = findings.setting.contract.error(known);
    let clause = "errors.status-and-retryable";
    let place = ["error", "retryable"];
    let as_in_table = answer.at(&place) == Some(&Json::Bool(row.retryable));
    findings.must(
        clause,
        as_in_table,
        format_args!("`error.retryable` of {known}"),
        row.retryable,
        answer.shown(&place),
    );
    // A look-up and a webhook have no status of what they say, a wrong method is 405 with the code for input. What HTTP itself
    // says of a request that is too large or of another type the table does not forbid either.
    let status = answer.response.status;
    let by_http: &[u16] = match findings.setting.by_rulings() {
        true => &[405],
        false => &[405, 413, 415],
    };
    let excepted = answer.looked_up()
        || answer.later
        // Of a method that is not POST the table has no code.
        || status == 405 && !findings.setting.by_rulings() && answer.request.method != "POST"
        || known == ErrorCode::InvalidInput && by_http.contains(&status);
    findings.must(
        clause,
        excepted || status == row.status,
        format_args!("the status of {known}"),
        row.status,
        status,
    );
}

fn success(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let pending = answer.text(&["status"]) == "pending";
    let status = answer.response.status;
    let operation = answer.operation(findings.setting);
    if answer.looked_up() {
        // Its status is that of the look-up, but its result is the operation's.
        if let (Some(operation), "completed") = (operation, answer.text(&["status"])) {
            data(findings, answer, operation);
        }
        return;
    }
    match (pending, operation) {
        (true, Some(operation)) => self::pending(findings, answer, operation),
        (false, Some(operation)) => {
            let what = "the status of a completed call";
            findings.equal("states.completed", what, 200, status);
            data(findings, answer, operation);
        }
        // What of it can be pending nobody says of a path without a row.
        (true, None) if !findings.setting.by_rulings() && status == 202 => {}
        (_, None) => findings.equal("states.completed", "the status", 200, status),
    }
}

/// `data` has the form of the operation's row, member by member.
fn data(findings: &mut Findings<'_>, answer: &Answer<'_>, operation: &Operation) {
    let Some(data) = answer.at(&["data"]) else {
        return;
    };
    // Members that only a ruling requires are not asked of a service that follows the specification alone.
    let mistakes = match findings.setting.by_rulings() {
        true => operation.response.mistakes(data),
        false => {
            let unknown = operation.response.unknown_members(data).into_iter();
            let unknown = unknown.map(|place| format!("data.{place}"));
            findings.unknown_members(&operation.clause, unknown);
            operation.response.mistakes_as_specified(data)
        }
    };
    if mistakes.is_empty() {
        findings.must(&operation.clause, true, "", "", "");
        members::judge(findings, answer, operation);
    }
    for mistake in mistakes {
        let what = format!("`data.{}`", mistake.path);
        let found = shown(below(data, &mistake.path));
        findings.must(&operation.clause, false, &what, &mistake.message, found);
    }
}

/// The value at a place of a form: names with dots between them, which may have dots themselves, items of lists as `[0]`.
fn below<'x, 'a>(json: &'x Json<'a>, path: &str) -> Option<&'x Json<'a>> {
    if path.is_empty() {
        return Some(json);
    }
    if let Json::List(items) = json {
        let (number, rest) = path.strip_prefix('[')?.split_once(']')?;
        let item = items.get(number.parse::<usize>().ok()?)?;
        return below(item, rest.strip_prefix('.').unwrap_or(rest));
    }
    let ends = path.match_indices(['.', '[']).map(|(at, _)| at);
    let mut ends = ends.chain([path.len()]);
    ends.find_map(|end| {
        let (name, rest) = path.split_at(end);
        below(json.get(name)?, rest.strip_prefix('.').unwrap_or(rest))
    })
}

fn pending(findings: &mut Findings<'_>, answer: &Answer<'_>, operation: &Operation) {
    let status = answer.response.status;
    let accepted = [200, 202].contains(&status);
    let what = "the status of a pending call";
    findings.must("states.pending", accepted, what, "200 or 202", status);
    let Some(row) = &operation.pending else {
        let expected = "an operation that can be pending";
        return findings.must("states.pending", false, "`status`", expected, "pending");
    };
    // Of one operation the specification says which of the two it is.
    if row.status == 202 {
        findings.equal(&operation.clause, what, row.status, status);
    }
    if row.by_consent.is_some() {
        let is_whole = answer.text(&["data", "consentUrl"]).contains("://");
        let (what, found) = ("`data.consentUrl`", answer.shown(&["data", "consentUrl"]));
        findings.must(&operation.clause, is_whole, what, "a whole URL", found);
    }
    let clause = "ruling.03-pending-answer";
    findings.equal(clause, what, row.status, status);
    for name in &row.data {
        let there = !answer.text(&["data", name]).is_empty();
        let about = format_args!("`data.{name}` of a pending call");
        let found = answer.shown(&["data", name]);
        findings.must(clause, there, about, "a text", found);
    }
}

fn headers(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    if answer.looked_up() || !answer.failed() {
        return;
    }
    let clause = "ruling.17-retry-after";
    let header = |name| answer.response.header(name).unwrap_or("nothing");
    match answer.response.status {
        429 | 503 => {
            let value = header("retry-after");
            let seconds = value.parse::<u32>().is_ok();
            findings.must(clause, seconds, "Retry-After", "whole seconds", value);
        }
        // The header is put on where HTTP is spoken.
        401 if findings.setting.http => {
            let value = header("www-authenticate");
            findings.equal(clause, "WWW-Authenticate", "Bearer", value);
        }
        _ => {}
    }
}
