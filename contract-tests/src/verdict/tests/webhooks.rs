//! What came to a registered receiver, judged.

use svc_fixtures::contract::Environment;

use super::{CONTRACT, exchange, judge, one_call, setting};
use crate::capture::{Channel, Exchange};
use crate::plan::{RequestTemplate, Rule, Setting, Step, WebhookRule};
use crate::profile::Profile;
use crate::verdict::Verdict;

/// What came at these seconds after the first, each answered so, watched for so long.
fn came(attempts: &[(i64, u16)], watched_s: i64) -> Exchange {
    let delivery = |(after, status): &(i64, u16)| {
        let at_s = 1_800_000_000 + after;
        serde_json::json!({"method": "POST", "atS": at_s, "status": status, "body": "{}"})
    };
    let all: Vec<_> = attempts.iter().map(delivery).collect();
    let body = serde_json::json!({"deliveries": all, "others": 0, "watchedS": watched_s});
    exchange(
        Environment::Test,
        Channel::Registered,
        200,
        &body.to_string(),
    )
}

/// What is found of a rule in the last of these answers.
fn found(rule: WebhookRule, answers: Vec<Exchange>) -> Vec<Verdict> {
    found_by(&setting(), rule, answers)
}

fn found_by(setting: &Setting<'_>, rule: WebhookRule, answers: Vec<Exchange>) -> Vec<Verdict> {
    let (mut case, captured) = one_call(Vec::new(), answers);
    let silent = Step {
        request: RequestTemplate::get("/"),
        expect: Vec::new(),
    };
    case.steps = vec![silent; captured.exchanges.len()];
    let last = case.steps.len() - 1;
    case.expect(last, "the.rule", Rule::Webhook(rule));
    let found = judge(setting, &case, &captured).into_iter();
    let found = found.filter(|finding| finding.step == last);
    found.map(|finding| finding.verdict).collect()
}

fn breaks(found: &[Verdict]) -> bool {
    let broken =
        |it: &Verdict| matches!(it, Verdict::Broken { clause, .. } if clause == "the.rule");
    found.iter().any(broken)
}

#[test]
fn a_refused_webhook_is_tried_again_at_its_instants_and_at_no_other() {
    let scheduled = |attempts: &[_], watched_s| {
        !breaks(&found(
            WebhookRule::Schedule,
            vec![came(attempts, watched_s)],
        ))
    };
    let refused = |times: &[i64]| times.iter().map(|at| (*at, 500)).collect::<Vec<_>>();
    for good in [
        &[0, 30][..],
        &[0, 0, 33, 33],
        &[0, 28],
        &[0, 38],
        &[0, 5, 31, 35],
    ] {
        assert!(scheduled(&refused(good), 40), "{good:?}");
    }
    for bad in [
        &[0][..],
        &[0, 1, 2],
        &[0, 5, 35],
        &[0, 15, 30],
        &[0, 27],
        &[0, 39],
        &[0, 30, 60],
    ] {
        assert!(!scheduled(&refused(bad), 100), "{bad:?}");
    }
    assert!(scheduled(&refused(&[0, 30]), 100));
    assert!(!scheduled(&refused(&[0, 30]), 140), "two minutes are over");
    assert!(scheduled(&[(0, 204), (15, 204)], 40), "it was taken");
}

#[test]
fn a_look_up_says_what_the_webhook_said_beside_what_no_row_names() {
    let said = |endpoint: &str, uri: &str, more: &str| {
        let documents = format!(r#"{{"documents":[{{"uri":"{uri}"}}]{more}}}"#);
        format!(
            r#"{{"verificationId":"svcv_a","endpoint":"{endpoint}","status":"completed","data":{documents}}}"#
        )
    };
    let mut provider = setting();
    provider.profile = Profile::Provider;
    let breaks_for = |setting: &Setting<'_>, endpoint: &str, uri: &str, more: &str| {
        let delivery = serde_json::json!({
            "method": "POST", "atS": 1_800_000_000, "status": 204,
            "body": said(endpoint, "in.gov:1", ""),
        });
        let body = serde_json::json!({"deliveries": [delivery], "others": 0, "watchedS": 0});
        let came = exchange(
            Environment::Test,
            Channel::Registered,
            200,
            &body.to_string(),
        );
        let looked = said(endpoint, uri, more);
        let mut looked = exchange(Environment::Test, Channel::Page, 200, &looked);
        looked.request.path = "/v1/verifications/svcv_a".to_owned();
        let rule = WebhookRule::SaysTheSame { came: 0 };
        breaks(&found_by(setting, rule, vec![came, looked]))
    };
    let more = r#","trace":"x""#;
    let mut rows = CONTRACT.operations.iter();
    let row = rows.find(|row| row.path.ends_with("/*"));
    let id = row.map(|row| row.id.clone()).expect("paths below one");
    for endpoint in [id.clone(), format!("{id}.start")] {
        assert!(!breaks_for(&provider, &endpoint, "in.gov:1", ""));
        assert!(!breaks_for(&provider, &endpoint, "in.gov:1", more));
        assert!(breaks_for(&provider, &endpoint, "in.gov:2", more));
        assert!(breaks_for(&setting(), &endpoint, "in.gov:1", more));
    }
}

#[test]
fn a_pending_call_that_has_ended_had_its_webhook() {
    let answer = |path: &str, status: &str| {
        let body = serde_json::json!({"verificationId": "svcv_a", "status": status}).to_string();
        let mut answer = exchange(Environment::Test, Channel::Page, 200, &body);
        path.clone_into(&mut answer.request.path);
        answer
    };
    let rule = WebhookRule::Came {
        call: 0,
        look_up: 1,
    };
    let verdicts = |first: &str, look_up: Exchange, attempts: &[_]| {
        found(
            rule,
            vec![answer("/v1/an", first), look_up, came(attempts, 0)],
        )
    };
    let looked = |status: &str| answer("/v1/verifications/svcv_a", status);
    assert!(breaks(&verdicts("pending", looked("completed"), &[])));
    assert!(!breaks(&verdicts(
        "pending",
        looked("completed"),
        &[(0, 204)]
    )));
    assert!(
        verdicts("completed", looked("completed"), &[]).is_empty(),
        "it may come"
    );
    let unknown = exchange(Environment::Test, Channel::Page, 404, "<html>");
    for open in [looked("pending"), unknown] {
        let found = verdicts("pending", open, &[]);
        assert!(
            matches!(found[..], [Verdict::NotJudged { .. }]),
            "{found:?}"
        );
    }
}
