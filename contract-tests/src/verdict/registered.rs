//! The webhooks of a call that came to a receiver which the provider's own console has registered, judged as far as
//! can be seen: when a result comes, and whether it can be looked up, the specification leaves open.

use std::time::Duration;

use svc_fixtures::json::Json;

use super::alike;
use super::answer::{Answer, Answers, earlier, shown};
use super::delivered::{at_s, deliveries, text};
use super::finding::{Findings, Verdict};
use super::value;
use crate::capture::Response;
use crate::plan::WebhookRule;
use crate::plan::webhook::latest;

/// An attempt is on time from so many seconds before its instant to [`latest`].
const EARLY_S: i64 = 2;

/// Judges one rule of the answer at a place; none where an answer that it is compared with is not there.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    answer: &Answer<'_>,
    rule: WebhookRule,
) -> Option<()> {
    match rule {
        WebhookRule::Envelope { call } => {
            envelopes(findings, clause, answer, earlier(answers, call)?)
        }
        WebhookRule::Ended => ended(findings, clause, answer),
        WebhookRule::Brings { call } => brings(findings, clause, answer, earlier(answers, call)?),
        WebhookRule::Schedule => schedule(findings, clause, answer),
        WebhookRule::Came { call, look_up } => {
            let (call, look_up) = (earlier(answers, call)?, earlier(answers, look_up)?);
            came(findings, clause, answer, call, look_up);
        }
        WebhookRule::SaysTheSame { came } => {
            says_the_same(findings, clause, earlier(answers, came)?, answer);
        }
    }
    Some(())
}

/// Each is POSTed, and its body is judged like an answer to the call.
fn envelopes(findings: &mut Findings<'_>, clause: &str, came: &Answer<'_>, call: &Answer<'_>) {
    for delivery in deliveries(came) {
        let method = text(delivery, "method");
        findings.equal(clause, "the method of a webhook", "POST", method);
        let response = Response {
            status: 200,
            // Of what type a delivery says that it is only a ruling fixes.
            headers: match findings.setting.by_rulings() {
                true => header(delivery, "contentType"),
                false => vec![("content-type".to_owned(), "application/json".to_owned())],
            },
            body: text(delivery, "body").as_bytes().to_vec(),
        };
        let elsewhere = delivery.get("elsewhere").and_then(Json::as_text);
        let (what, own) = ("the path of a webhook", "that of the registered URL");
        findings.must(
            clause,
            elsewhere.is_none(),
            what,
            own,
            elsewhere.unwrap_or_default(),
        );
        let body = Answer::delivered(call.request, &response);
        let (id, of_call) = (
            body.shown(&["verificationId"]),
            call.shown(&["verificationId"]),
        );
        findings.equal(clause, "`verificationId` of a webhook", of_call, id);
        is_about_what_was_asked(findings, clause, &body);
        let before = findings.found.len();
        super::every_answer(findings, &body);
        if let (Some(asked_s), Some(came_s)) = (call.at_s, at_s(delivery)) {
            let created = body.text(&["meta", "createdAt"]);
            super::envelope::fresh(findings, &body, created, [asked_s, came_s]);
        }
        for finding in &mut findings.found[before..] {
            if let Verdict::Broken { what, .. } | Verdict::Noted { what, .. } = &mut finding.verdict
            {
                *what = format!("of a webhook: {what}");
            }
        }
    }
    let taken = deliveries(came)
        .iter()
        .filter(|one| status(one) < 300)
        .count();
    if taken > 1 {
        findings.note(Verdict::Noted {
            clause: "webhook.at-least-once".to_owned(),
            what: "a webhook that was taken and came again".to_owned(),
            found: format!("{taken} times"),
        });
    }
}

/// What identifies whom the call asked for is no other in its result.
fn is_about_what_was_asked(findings: &mut Findings<'_>, clause: &str, body: &Answer<'_>) {
    let asked = Json::parse(&body.request.body).unwrap_or(Json::Null);
    let Some(row) = body.operation(findings.setting) else {
        return;
    };
    for (_, field) in row.identifiers() {
        let said = body.at(&["data", &field.name]).and_then(Json::as_text);
        let sent = asked.get(&field.name).and_then(Json::as_text);
        if let (Some(sent), Some(said)) = (sent, said) {
            let what = format!("`data.{}` of a webhook", field.name);
            let same = sent.eq_ignore_ascii_case(said);
            findings.must(clause, same, &what, sent, said);
        }
    }
}

/// One that completed has in its data what the answer to the call had not.
fn brings(findings: &mut Findings<'_>, clause: &str, came: &Answer<'_>, call: &Answer<'_>) {
    let told = call.at(&["data"]);
    for delivery in deliveries(came) {
        let json = Json::parse(text(delivery, "body").as_bytes()).unwrap_or(Json::Null);
        if json.get("status").and_then(Json::as_text) != Some("completed") {
            continue;
        }
        let data = json.get("data");
        let mut members = data.and_then(Json::as_object).unwrap_or_default().iter();
        let new = members.any(|(name, _)| told.and_then(|told| told.get(name)).is_none());
        let (expected, found) = ("what was consented to", shown(data));
        findings.must(clause, new, "`data` of a webhook", expected, found);
    }
}

fn header(delivery: &Json<'_>, name: &str) -> Vec<(String, String)> {
    match text(delivery, name) {
        "" => Vec::new(),
        value => vec![("content-type".to_owned(), value.to_owned())],
    }
}

fn status(delivery: &Json<'_>) -> i64 {
    delivery
        .get("status")
        .and_then(Json::as_int)
        .unwrap_or_default()
}

fn ended(findings: &mut Findings<'_>, clause: &str, came: &Answer<'_>) {
    for delivery in deliveries(came) {
        let body = text(delivery, "body");
        let json = Json::parse(body.as_bytes()).unwrap_or(Json::Null);
        let status = json
            .get("status")
            .and_then(Json::as_text)
            .unwrap_or_default();
        let ended = ["completed", "failed"].contains(&status);
        findings.must(
            clause,
            ended,
            "`status` of a webhook",
            "completed or failed",
            status,
        );
    }
}

/// Every attempt after a refused one is at an instant of the schedule, and there is one at each instant that was seen.
fn schedule(findings: &mut Findings<'_>, clause: &str, came: &Answer<'_>) {
    let all = deliveries(came);
    let refused = all.iter().take_while(|one| status(one) >= 500);
    let times: Vec<i64> = refused.filter_map(at_s).collect();
    let Some(first) = times.first() else { return };
    let due = &findings.setting.contract.service.webhook_schedule_ms;
    let due: Vec<i64> = due
        .iter()
        .map(|ms| seconds(Duration::from_millis(*ms)))
        .collect();
    let latest = |due: i64| seconds(latest(Duration::from_secs(due.unsigned_abs())));
    let on_time = |due: i64, at: i64| (due - EARLY_S..=latest(due)).contains(&at);
    let after: Vec<i64> = times.iter().map(|at| at - first).collect();
    let shown = after
        .iter()
        .map(|at| format!("{at} s"))
        .collect::<Vec<_>>()
        .join(", ");
    let astray = after
        .iter()
        .any(|at| !due.iter().any(|due| on_time(*due, *at)));
    let astray = astray || too_early(&after, &due);
    let watched = came
        .at(&["watchedS"])
        .and_then(Json::as_int)
        .unwrap_or_default();
    let seen = due.iter().filter(|due| latest(**due) <= watched);
    let missed = seen
        .clone()
        .any(|due| !after.iter().any(|at| on_time(*due, *at)));
    let expected = seen
        .map(|due| format!("{due} s"))
        .collect::<Vec<_>>()
        .join(", ");
    let expected = format!("attempts at {expected}, at no other time");
    let what = format!("the attempts of a webhook that was refused for {watched} s");
    findings.must(clause, !astray && !missed, &what, expected, shown);
}

/// Whether the second attempt came some seconds after the first, and the next one when it is due from there, with none that
/// is due from the first: what was sent twice is tried again twice.
fn too_early(after: &[i64], due: &[i64]) -> bool {
    let (Some(second), Some(next)) = (due.get(1), after.get(1)) else {
        return false;
    };
    let within = |since: i64, most: i64| after.iter().any(|at| (at - since - second).abs() <= most);
    *next > EARLY_S && within(*next, 1) && !within(0, EARLY_S)
}

fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

fn came(
    findings: &mut Findings<'_>,
    clause: &str,
    came: &Answer<'_>,
    call: &Answer<'_>,
    look_up: &Answer<'_>,
) {
    if call.text(&["status"]) != "pending" {
        return;
    }
    let some = !deliveries(came).is_empty();
    let ended = is_of(look_up, call) && look_up.text(&["status"]) != "pending";
    if !some && !ended {
        return findings.skip(
            "its result did not come in the time of --result-wait: perhaps somebody must consent first, and when a result comes is not specified",
        );
    }
    let others = came.shown(&["others"]);
    let found = match some {
        true => "one".to_owned(),
        false => {
            format!("none, though its look-up says that it has ended; of other calls {others} came")
        }
    };
    findings.must(clause, some, "the webhook of a pending call", "one", found);
}

/// Whether a look-up found the verification of a call.
fn is_of(look_up: &Answer<'_>, call: &Answer<'_>) -> bool {
    let id = ["verificationId"];
    !call.text(&id).is_empty() && look_up.text(&id) == call.text(&id) && look_up.looked_up()
}

fn says_the_same(
    findings: &mut Findings<'_>,
    clause: &str,
    came: &Answer<'_>,
    look_up: &Answer<'_>,
) {
    // What no row names may stand in one of them alone.
    let row = look_up.operation(findings.setting);
    let said_alike = |old: &Json<'_>, new: &Json<'_>| {
        let said = |data| alike::said(data, row.map(|row| &row.response));
        said(old) == said(new)
    };
    for delivery in deliveries(came) {
        let body = text(delivery, "body");
        let Ok(json) = Json::parse(body.as_bytes()) else {
            continue;
        };
        let id = json.get("verificationId").and_then(Json::as_text);
        if id != Some(look_up.text(&["verificationId"])) || !look_up.looked_up() {
            continue;
        }
        // How a refusal is put into words is left open, and so is what else stands beside it.
        let places: &[&[&str]] = match findings.setting.by_rulings() {
            true => &[&["status"], &["data"], &["error"]],
            false => &[
                &["status"],
                &["data"],
                &["error", "code"],
                &["error", "retryable"],
            ],
        };
        let said = |place: &[&str]| {
            let mut names = place.iter();
            names.try_fold(&json, |json, name| json.get(name))
        };
        let mut places = places.iter();
        let by_rulings = findings.setting.by_rulings();
        let same = places.all(|place| match (said(place), look_up.at(place)) {
            (Some(old), Some(new)) if *place == ["data"] && !by_rulings => said_alike(old, new),
            (Some(old), Some(new)) => value::same(old, new),
            (old, new) => old.is_none() && new.is_none(),
        });
        let found = String::from_utf8_lossy(&look_up.response.body);
        findings.must(clause, same, "the look-up after the webhook", body, found);
    }
}
