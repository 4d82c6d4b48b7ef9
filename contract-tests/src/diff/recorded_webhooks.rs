//! Webhooks of recordings. What one was is told by its id, which no two services share: each is compared with that of
//! the same call on the other side.

use std::collections::BTreeMap;

use svc_fixtures::json::Json;

use super::finding::NotCompared;
use super::gather::Gathered;
use super::pairing::Pair;
use crate::capture::{Capture, Channel, Exchange};
use crate::plan::Setting;
use crate::verdict::posted::{SIGNATURE, VERIFIED};

/// What two recordings have of webhooks.
pub(super) struct RecordedWebhooks<'c> {
    sides: [SideWebhooks<'c>; 2],
    /// How many were compared.
    taken: usize,
}

/// What one has.
struct SideWebhooks<'c> {
    /// Those of each verification, in the order they came.
    by_id: BTreeMap<String, Vec<&'c Exchange>>,
    /// When it ended, in Unix seconds.
    ended_s: i64,
}

/// How much longer than the other side's webhook took a recording must have gone on, in seconds, so that its own is
/// missing and not late.
const PATIENCE_S: i64 = 2;

impl<'c> SideWebhooks<'c> {
    fn of(capture: &'c Capture) -> Self {
        let all = || capture.cases.iter().flat_map(|case| &case.exchanges);
        let mut by_id: BTreeMap<String, Vec<&Exchange>> = BTreeMap::new();
        for webhook in all().filter(|it| it.request.channel == Channel::Webhook) {
            if let Some(id) = text(&webhook.request.body, "verificationId") {
                by_id.entry(id).or_default().push(webhook);
            }
        }
        let ended_s = all().filter_map(|it| it.at_s).max().unwrap_or_default();
        SideWebhooks { by_id, ended_s }
    }

    fn about(&self, call: &Exchange) -> Option<&[&'c Exchange]> {
        let answer = call.response.as_ref().ok()?;
        let pending = text(&answer.body, "status").as_deref() == Some("pending");
        let id = text(&answer.body, "verificationId").filter(|_| pending)?;
        Some(self.by_id.get(&id).map_or(&[], Vec::as_slice))
    }

    /// Whether it went on so long after a call that what took so many seconds elsewhere would be in it.
    fn covers(&self, call: &Exchange, took_s: i64) -> bool {
        let since = call.at_s.map(|at| self.ended_s - at);
        since.is_some_and(|since| since >= 2 * took_s + PATIENCE_S)
    }
}

impl<'c> RecordedWebhooks<'c> {
    pub(super) fn of(captures: [&'c Capture; 2]) -> Self {
        RecordedWebhooks {
            sides: captures.map(SideWebhooks::of),
            taken: 0,
        }
    }

    /// Takes in what came of two calls that were both answered `pending`: where only one side has any webhooks nobody
    /// listened on the other.
    pub(super) fn take(
        &mut self,
        gathered: &mut Gathered,
        setting: &Setting<'_>,
        at: usize,
        pair: &Pair<'_>,
    ) {
        let (sides, calls) = (&self.sides, [pair.left, pair.right]);
        let [Some(left), Some(right)] = [0, 1].map(|side| sides[side].about(calls[side])) else {
            return;
        };
        let came = [left, right];
        let nobody_listened = sides.iter().any(|side| side.by_id.is_empty());
        if nobody_listened || came.iter().all(|webhooks| webhooks.is_empty()) {
            return;
        }
        let took = |side: usize| Some(came[side].first()?.at_s? - calls[side].at_s?);
        let took_s = [0, 1]
            .into_iter()
            .filter_map(took)
            .max()
            .unwrap_or_default();
        let late = |side: usize| came[side].is_empty() && !sides[side].covers(calls[side], took_s);
        if late(0) || late(1) {
            return;
        }
        for (side, webhooks) in came.into_iter().enumerate() {
            let arrival = match webhooks.is_empty() {
                true => "none came",
                false => "came",
            };
            gathered.take_arrival(at, side, pair, arrival);
            for webhook in webhooks {
                gathered.take_delivery(setting, (at, side), calls[side], &delivery(webhook));
            }
            self.taken += webhooks.len();
        }
    }

    /// What is to be said of those that were not compared, where there are any.
    pub(super) fn left_over(&self) -> Option<NotCompared> {
        let all = self.sides.iter().flat_map(|side| side.by_id.values());
        let all: usize = all.map(Vec::len).sum();
        let cases = all.saturating_sub(self.taken);
        let why = "recorded webhooks: nobody listened on the other side, or it ended too early, or their call is not compared";
        (cases > 0).then(|| NotCompared {
            why: why.to_owned(),
            cases,
            first: String::new(),
        })
    }
}

/// A webhook as a receiver of the run's own would show it.
fn delivery(webhook: &Exchange) -> Json<'static> {
    let posted = &webhook.request;
    let header = |name| {
        posted
            .header(name)
            .map_or(Json::Null, |it| Json::from(it.to_owned()))
    };
    let body = String::from_utf8_lossy(&posted.body).into_owned();
    let mut delivery = Json::object([
        ("method", Json::from(posted.method.clone())),
        ("contentType", header("content-type")),
        ("signature", header(SIGNATURE)),
        ("body", Json::from(body)),
    ]);
    if let Some(verified) = posted.header(VERIFIED) {
        delivery.set("verified", Json::Bool(verified == "true"));
    }
    delivery
}

fn text(body: &[u8], name: &str) -> Option<String> {
    let json = Json::parse(body).ok()?;
    json.get(name)?.as_text().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Contract;

    use super::super::compare;
    use super::*;

    /// A recording of a call that was answered `pending`, with a webhook so many seconds later where there is one, which
    /// says this; and of another one a minute after it.
    fn recording(webhook: Option<(i64, &str)>, ends_s: i64) -> Capture {
        let exchange = |channel: &str, path: &str, sent: &str, came: &str, at_s: i64| {
            serde_json::json!({
                "request": { "channel": channel, "environment": "test", "method": "POST", "path": path, "query": "",
                             "authorization": null, "headers": [["content-type", "application/json"]], "body": { "text": sent } },
                "credential": "own", "at_s": at_s, "took_ms": 1,
                "response": { "Ok": { "status": 200, "headers": [], "body": { "text": came } } },
            })
        };
        let uan = |id: &str| {
            format!(
                r#"{{"verificationId":"svcv_{id}","endpoint":"verify.employment.uan","status":"pending","data":{{}}}}"#
            )
        };
        let body = r#"{"uan":"100900000202"}"#;
        let path = "/v1/verify/employment/uan";
        let mut cases = vec![(
            "recorded.calls",
            exchange("api", path, body, &uan("1"), 100),
        )];
        if let Some((after_s, said)) = webhook {
            let id = r#""verificationId":"svcv_1","endpoint":"verify.employment.uan""#;
            let posted = format!("{{{id},{said}}}");
            cases.push((
                "recorded.webhooks",
                exchange("webhook", "/hook", &posted, "", 100 + after_s),
            ));
        }
        let usage = exchange("api", "/v1/usage", "", "{}", ends_s);
        let other = exchange(
            "webhook",
            "/hook",
            r#"{"verificationId":"svcv_other"}"#,
            "",
            ends_s,
        );
        cases.extend([("recorded.calls", usage), ("recorded.webhooks", other)]);
        let cases: Vec<_> = cases
            .into_iter()
            .zip(1..)
            .map(|((check, exchange), at)| {
                serde_json::json!({ "check": check, "case": format!("#{at}"), "exchanges": [exchange] })
            })
            .collect();
        let capture = serde_json::json!({
            "seed": "s", "environments": ["test"], "profile": "provider", "http": true, "cases": cases,
        });
        Capture::from_json(&capture.to_string()).expect("a capture")
    }

    fn told(left: &Capture, right: &Capture) -> Vec<String> {
        let contract = Contract::built_in();
        let setting = Setting::of(&contract, Vec::new(), left);
        let found = compare(&setting, &[], left, right);
        found.differences.into_iter().map(|it| it.what).collect()
    }

    #[test]
    fn a_webhook_that_came_on_one_side_alone_is_told_where_the_other_went_on_long_enough() {
        let completed = r#""status":"completed","data":{"uan":"100900000202"}"#;
        let came = recording(Some((5, completed)), 160);
        assert_eq!(told(&came, &recording(Some((9, completed)), 160)), [""; 0]);
        assert_eq!(
            told(&came, &recording(None, 112)),
            ["arrival of the webhook"]
        );
        assert_eq!(told(&came, &recording(None, 111)), [""; 0]);
    }

    #[test]
    fn what_webhooks_say_is_compared() {
        let side = |said| recording(Some((5, said)), 160);
        let completed = side(r#""status":"completed","data":{"uan":"100900000202"}"#);
        let number = side(r#""status":"completed","data":{"uan":100900000202}"#);
        assert_eq!(told(&completed, &number), ["data.uan of the webhook"]);
    }
}
