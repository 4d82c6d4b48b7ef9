//! How a call ended: status, code and retryable as the table has them, `data` as the row has it.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::answer::{Answer, status_of};
use super::finding::Findings;
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
    findings.must(
        "errors.envelope",
        answer.at(&["error"]).is_some(),
        "`error`",
        "is there",
        "nothing",
    );
    let known = answer.code();
    findings.must(
        "errors.stable-codes",
        known.is_some(),
        "`error.code`",
        "a code of the table",
        code,
    );
    let message = answer.text(&["error", "message"]);
    let discreet = !message.contains(REDACTED);
    findings.must(
        "ruling.06-message",
        discreet,
        "`error.message`",
        "no secret in it",
        message,
    );
    let Some(known) = known else { return };
    let row = findings.setting.contract.error(known);
    let retryable = Json::Bool(row.retryable);
    let same = answer.at(&["error", "retryable"]) == Some(&retryable);
    let about = format!("`error.retryable` of {known}");
    findings.must(
        "errors.status-and-retryable",
        same,
        &about,
        &retryable,
        answer.shown(&["error", "retryable"]),
    );
    // A look-up is 200 whatever it finds, and a wrong method is 405 with the code for input.
    let status = answer.response.status;
    let excepted = answer.looked_up() || (status == 405 && known == ErrorCode::InvalidInput);
    let expected = status_of(findings.setting.contract, known);
    let fits = excepted || status == expected;
    findings.must(
        "errors.status-and-retryable",
        fits,
        &format!("the status of {known}"),
        expected,
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
            findings.must(
                "states.completed",
                status == 200,
                "the status of a completed call",
                200,
                status,
            );
            data(findings, answer, operation);
        }
        (_, None) => findings.must("states.completed", status == 200, "the status", 200, status),
    }
}

/// `data` has the form of the operation's row, member by member.
fn data(findings: &mut Findings<'_>, answer: &Answer<'_>, operation: &Operation) {
    let Some(data) = answer.at(&["data"]) else {
        return;
    };
    // Members that only a ruling requires are not asked of a service that follows the specification alone.
    let mistakes = match findings.setting.extensions {
        true => operation.response.mistakes(data),
        false => operation.response.mistakes_as_specified(data),
    };
    if mistakes.is_empty() {
        findings.must(&operation.clause, true, "", "", "");
    }
    for mistake in mistakes {
        let what = format!("`data.{}`", mistake.path);
        findings.must(&operation.clause, false, &what, &mistake.message, data);
    }
}

fn pending(findings: &mut Findings<'_>, answer: &Answer<'_>, operation: &Operation) {
    let status = answer.response.status;
    let accepted = [200, 202].contains(&status);
    findings.must(
        "states.pending",
        accepted,
        "the status of a pending call",
        "200 or 202",
        status,
    );
    let Some(row) = &operation.pending else {
        let expected = "an operation that can be pending";
        return findings.must("states.pending", false, "`status`", expected, "pending");
    };
    let expected = row.status;
    findings.must(
        "ruling.03-pending-answer",
        status == expected,
        "the status of a pending call",
        expected,
        status,
    );
    for name in &row.data {
        let there = answer
            .at(&["data", name])
            .and_then(Json::as_text)
            .is_some_and(|text| !text.is_empty());
        let about = format!("`data.{name}` of a pending call");
        findings.must(
            "ruling.03-pending-answer",
            there,
            &about,
            "a text",
            answer.shown(&["data", name]),
        );
    }
}

fn headers(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    if answer.looked_up() || !answer.failed() {
        return;
    }
    match answer.response.status {
        429 | 503 => {
            let value = answer.response.header("retry-after");
            let seconds = value.is_some_and(|text| text.parse::<u32>().is_ok());
            findings.must(
                "ruling.17-retry-after",
                seconds,
                "Retry-After",
                "whole seconds",
                value.unwrap_or("nothing"),
            );
        }
        // The header is put on where HTTP is spoken.
        401 if findings.setting.http => {
            let value = answer
                .response
                .header("www-authenticate")
                .unwrap_or("nothing");
            findings.must(
                "ruling.17-retry-after",
                value == "Bearer",
                "WWW-Authenticate",
                "Bearer",
                value,
            );
        }
        _ => {}
    }
}
