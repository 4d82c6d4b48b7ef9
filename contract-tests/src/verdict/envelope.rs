//! The universal envelope: members, types, and what each says about the call.

use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::Findings;
use svc_fixtures::contract::Environment;

/// Judges the envelope; answers whether there is one to judge further.
pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) -> bool {
    let kind = answer.json.as_ref().map_or("no JSON", Json::kind);
    let is_object = matches!(answer.json, Some(Json::Object(_)));
    if !is_object {
        findings.must(
            "envelope.same-shape",
            false,
            "the body",
            "a JSON object",
            kind,
        );
        return false;
    }
    shape(findings, answer);
    identity(findings, answer);
    result(findings, answer);
    environment(findings, answer);
    true
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
    let mistakes = findings.setting.contract.service.envelope.mistakes(json);
    let clause_of = |path: &str| {
        let named = |member: &str| {
            path.strip_prefix(member)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        MEMBERS
            .iter()
            .find(|(member, _)| named(member))
            .map_or("envelope.same-shape", |(_, clause)| clause)
    };
    for clause in MEMBERS
        .iter()
        .map(|(_, clause)| *clause)
        .chain(["envelope.same-shape"])
    {
        let mut mine = mistakes
            .iter()
            .filter(|mistake| clause_of(&mistake.path) == clause)
            .peekable();
        if mine.peek().is_none() {
            findings.must(clause, true, "", "", "");
        }
        for mistake in mine {
            let place: Vec<_> = mistake.path.split('.').collect();
            findings.must(
                clause,
                false,
                &format!("`{}`", mistake.path),
                &mistake.message,
                answer.shown(&place),
            );
        }
    }
}

/// Which call this is the answer to.
fn identity(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let id = answer.text(&["verificationId"]);
    let rest = id.strip_prefix("svcv_");
    let named = rest.is_some_and(|rest| !rest.is_empty());
    findings.must(
        "envelope.verification-id",
        named,
        "`verificationId`",
        "svcv_ and more",
        id,
    );
    let crockford = |b: u8| b.is_ascii_digit() || (b.is_ascii_lowercase() && !b"ilou".contains(&b));
    let ruled = rest.is_some_and(|rest| rest.len() == 26 && rest.bytes().all(crockford));
    let form = "svcv_ and 26 Crockford base-32 characters";
    findings.must(
        "ruling.02-ids-from-content",
        ruled,
        "`verificationId`",
        form,
        id,
    );
    if answer.looked_up() {
        return;
    }
    let sent = answer
        .request
        .header("x-reference-id")
        .map_or(Json::Null, |text| Json::from(text.to_owned()));
    let echo = answer.at(&["referenceId"]);
    let repeats = echo.is_none_or(|echo| *echo == sent);
    findings.must(
        "envelope.reference-id",
        repeats,
        "`referenceId`",
        &sent,
        answer.shown(&["referenceId"]),
    );
    findings.must(
        "ruling.01-reference-id-always",
        echo.is_some(),
        "`referenceId`",
        &sent,
        "nothing",
    );
    let called = answer
        .operation(findings.setting)
        .map_or_else(|| dotted(&answer.request.path), |row| row.id.clone());
    let endpoint = answer.text(&["endpoint"]);
    findings.must(
        "envelope.endpoint",
        endpoint == called,
        "`endpoint`",
        &called,
        endpoint,
    );
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
    let expected = Json::Bool(!failed);
    let success = answer.at(&["success"]);
    let about = format!(
        "`success` of an answer that is {}",
        answer.text(&["status"])
    );
    findings.must(
        "envelope.success",
        success == Some(&expected),
        &about,
        &expected,
        answer.shown(&["success"]),
    );
    let (data, error) = (answer.at(&["data"]), answer.at(&["error"]));
    let there = |value: Option<&Json<'_>>| {
        if value.is_some() {
            "it is there"
        } else {
            "it is not there"
        }
    };
    let wanted = |wanted: bool| if wanted { "is there" } else { "is absent" };
    findings.must(
        "envelope.data",
        data.is_some() != failed,
        "`data`",
        wanted(!failed),
        there(data),
    );
    findings.must(
        "envelope.error",
        error.is_some() == failed,
        "`error`",
        wanted(failed),
        there(error),
    );
    if let Some(error) = error.filter(|_| failed) {
        error_members(findings, answer, error);
    }
}

/// `error` has its three members and no other.
fn error_members(findings: &mut Findings<'_>, answer: &Answer<'_>, error: &Json<'_>) {
    let clause = "envelope.error";
    let members = error.as_object().unwrap_or_default().iter();
    let members: Vec<&str> = members.map(|(name, _)| name.as_ref()).collect();
    let whole = ["code", "message", "retryable"];
    let exact = members.len() == whole.len() && whole.iter().all(|name| members.contains(name));
    let (expected, found) = (whole.join(", "), members.join(", "));
    findings.must(clause, exact, "the members of `error`", expected, found);
    let message = answer.text(&["error", "message"]);
    let has_text = !message.trim().is_empty();
    findings.must(clause, has_text, "`error.message`", "a text", "nothing");
    let place = ["error", "retryable"];
    let known = answer.at(&place).and_then(Json::as_bool).is_some();
    findings.must(
        clause,
        known,
        "`error.retryable`",
        "true or false",
        answer.shown(&place),
    );
}

fn environment(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let expected = answer.request.environment.as_str();
    let found = answer.text(&["meta", "environment"]);
    findings.must(
        "envelope.environment",
        found == expected,
        "`meta.environment`",
        expected,
        found,
    );
    let latency = answer.at(&["meta", "latencyMs"]).and_then(Json::as_int);
    let shown = answer.shown(&["meta", "latencyMs"]);
    let positive = latency.is_some_and(|latency| latency >= 0);
    findings.must(
        "envelope.meta",
        positive,
        "`meta.latencyMs`",
        "a whole number, not negative",
        &shown,
    );
    let sandbox = answer.request.environment == Environment::Test;
    let ran = !answer.failed()
        || answer
            .code()
            .is_some_and(|code| findings.setting.contract.error(code).outcome);
    let limited = answer.response.status == 429;
    if let Some(operation) = answer
        .operation(findings.setting)
        .filter(|_| sandbox && ran && !limited)
    {
        let (min, max) = (
            i64::from(operation.latency.min_ms),
            i64::from(operation.latency.max_ms),
        );
        let typical = latency.is_some_and(|latency| (min..=max).contains(&latency));
        let range = format!("from {min} to {max}");
        findings.must(
            "ruling.04-latency-figure",
            typical,
            "`meta.latencyMs`",
            range,
            &shown,
        );
    }
    let created = answer.text(&["meta", "createdAt"]);
    let utc = answer.at(&["meta", "createdAt"]).is_none()
        || created.ends_with('Z')
        || created.ends_with("+00:00");
    findings.must(
        "envelope.meta",
        utc,
        "`meta.createdAt`",
        "an instant in UTC",
        created,
    );
}
