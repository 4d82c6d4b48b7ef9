//! Bundles: several operations in one call, one hold, one answer.

use jiff::SignedDuration;
use svc_fixtures::contract::{BundleMode, Contract, Paise};
use svc_fixtures::json::Json;

use crate::scene::{Answer, Money, Scene};

const FRAUD: &str = "/v1/bundles/fraud-check";
const CLAIM: &str = "/v1/bundles/employment-claim-verification";
const DYNAMIC: &str = "/v1/bundles/dynamic-bank-validation";
const DIRECTOR: &str = "/v1/bundles/director-due-diligence";

const PERSON: &str =
    r#"{"mobile": "9000000005", "email": "a@example.com", "name": "CLEAN PERSON"}"#;

/// A body every step accepts; of a bundle in two calls, the first call's.
fn sample(slug: &str) -> String {
    let contract = Contract::built_in();
    let bundle = contract.bundles.iter().find(|bundle| bundle.slug == slug);
    svc_fixtures::sample::bundle_body(&contract, bundle.expect("a bundle")).to_string()
}

fn steps(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let steps = json
        .get("data")
        .and_then(|data| data.get("steps"))
        .and_then(Json::as_list);
    let text = |step: &Json<'_>, name: &str| {
        step.get(name)
            .and_then(Json::as_text)
            .unwrap_or_default()
            .to_owned()
    };
    steps
        .unwrap_or_default()
        .iter()
        .map(|step| format!("{} {}", text(step, "endpoint"), text(step, "status")))
        .collect()
}

#[test]
fn every_bundle_runs_on_both_environments_and_costs_what_its_steps_cost() {
    let contract = Contract::built_in();
    assert_eq!(contract.bundles.len(), 12);
    for bundle in &contract.bundles {
        let scene = Scene::new();
        let (path, body) = (format!("/v1/bundles/{}", bundle.slug), sample(&bundle.slug));
        let sandbox = scene.post(&path, &body).send();
        assert_eq!(sandbox.at("billing.charged"), "false", "{}", bundle.slug);
        let live = scene.post(&path, &body).live().send();
        let two_calls = bundle.mode == BundleMode::TwoCalls;
        let wanted = if two_calls {
            "200 pending"
        } else {
            "200 completed"
        };
        assert_eq!(
            (sandbox.outcome(), live.outcome()),
            (wanted.into(), wanted.into()),
            "{body}\n{live}"
        );
        if two_calls {
            assert_eq!(
                scene.wallet("local").held,
                Paise(2000),
                "held until the second call"
            );
            continue;
        }
        let ran = steps(&live);
        let chosen = matches!(bundle.mode, BundleMode::Choice { .. });
        assert_eq!(
            ran.len(),
            if chosen { 1 } else { bundle.steps.len() },
            "{ran:?}"
        );
        let (low, high) = bundle.typical_price;
        let charged = scene.wallet("local").charged;
        assert!(
            low <= charged && charged <= high,
            "{}: {charged}",
            bundle.slug
        );
        assert_eq!(live.at("billing.amount"), charged.to_string());
    }
}

#[test]
fn a_fraud_check_rolls_its_steps_up_into_one_score() {
    let scene = Scene::new();
    let level = |body: &str| {
        let answer = scene.post(FRAUD, body).send();
        let score: i64 = answer.at("data.riskScore").parse().expect("a score");
        (score, answer.at("data.riskLevel"))
    };
    let (clean, low) = level(PERSON);
    let (risky, high) = level(&PERSON.replace("CLEAN", "SANCTIONED"));
    assert!(clean < 40 && risky >= 70, "{clean} {risky}");
    assert_eq!((low.as_str(), high.as_str()), ("LOW", "HIGH"));
    let (unknown, medium) = level(&PERSON.replace("CLEAN PERSON", "STATUS 422"));
    assert_eq!((unknown - clean, medium.as_str()), (40, "MEDIUM"));
}

#[test]
fn one_hit_on_a_list_is_a_high_risk_and_one_in_the_press_is_not() {
    let level = |category: &str| {
        let scene = Scene::with(&format!(
            r#"
            [[scenario]]
            name = "one hit"
            operation = "screen.negative-diligence"
            when = {{ name = "CLEAN PERSON" }}
            then = {{ success = {{ categoriesHit = ["{category}"] }} }}
            "#
        ));
        scene.post(FRAUD, PERSON).send().at("data.riskLevel")
    };
    let categories = ["SANCTIONS", "PEP", "ADVERSE_MEDIA", "REGULATORY"];
    assert_eq!(categories.map(level), ["HIGH", "HIGH", "LOW", "LOW"]);
}

#[test]
fn one_failing_step_fails_the_bundle_and_charges_nothing() {
    let scene = Scene::new();
    let body = PERSON.replace("a@example.com", "status-503@example.com");
    let answer = scene.post(FRAUD, &body).live().send();
    insta::assert_snapshot!(answer, @r#"
    503
    Retry-After: 1
    {
      "success": false,
      "verificationId": "svcv_hrp8wbfk5rzvvxtxmqwy3qev1y",
      "referenceId": null,
      "endpoint": "bundles.fraud-check",
      "status": "failed",
      "error": {
        "code": "SVC_SOURCE_UNAVAILABLE",
        "message": "screen.email-fraud: The source is temporarily down.",
        "retryable": true
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "live",
        "latencyMs": 5000
      }
    }
    "#);
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(10_000_000),
            held: Paise(0),
            charged: Paise(0)
        }
    );
}

#[test]
fn a_step_without_a_record_is_conclusive_and_billed() {
    let scene = Scene::new();
    let body = PERSON.replace("9000000005", "9000000422");
    let answer = scene.post(FRAUD, &body).live().send();
    assert_eq!(answer.outcome(), "200 completed");
    assert_eq!(answer.at("data.steps.0.error.code"), "SVC_NO_RECORD_FOUND");
    assert_eq!(
        (
            answer.at("data.steps.0.billing.charged"),
            answer.at("billing.amount")
        ),
        ("true".into(), "20".into())
    );
}

#[test]
fn each_step_can_be_looked_up_and_is_what_the_usage_counts() {
    let scene = Scene::new();
    let answer = scene.post(FRAUD, PERSON).live().send();
    let id = answer.at("data.steps.3.verificationId");
    let step = scene.get(&format!("/v1/verifications/{id}")).live().send();
    assert_eq!(
        (step.at("endpoint"), step.id()),
        (answer.at("data.steps.3.endpoint"), id)
    );
    assert_eq!(
        step.at("billing.walletBalanceAfter"),
        answer.at("billing.walletBalanceAfter")
    );
    let usage = scene.get("/v1/usage").live().send();
    assert_eq!(
        usage.at("data.endpoints.0"),
        r#"{"endpoint":"bundles.fraud-check","calls":1,"completed":1,"noRecord":0,"failed":0,"billed":0,"amount":0}"#
    );
    assert_eq!(usage.at("data.totals.amount"), "20");
}

#[test]
fn later_steps_take_their_fields_from_earlier_ones() {
    let scene = Scene::new();
    let director = scene.post(DIRECTOR, r#"{"din": "00000001"}"#).send();
    assert_eq!(
        director.at("data.steps.1.data.cin"),
        director.at("data.steps.0.data.companies.0.cin")
    );
    let given = scene
        .post(
            DIRECTOR,
            r#"{"din": "00000001", "cin": "U72200KA2010PTC000077"}"#,
        )
        .send();
    assert_eq!(given.at("data.steps.1.data.cin"), "U72200KA2010PTC000077");
}

#[test]
fn a_step_that_lacks_what_it_takes_is_left_out_unbilled() {
    let scene = Scene::new();
    let answer = scene
        .post(CLAIM, r#"{"mobile": "9000000422"}"#)
        .live()
        .send();
    assert_eq!(steps(&answer), ["verify.employment.uan-lookup failed"]);
    assert_eq!(answer.at("billing.amount"), "10");
}

#[test]
fn a_bundle_is_pending_while_a_step_is_and_then_delivered_as_a_whole() {
    let scene = Scene::with_accounts(
        r#"
        [[account]]
        id = "hooked"
        live_wallet_inr = 1000
        webhook = { url = "http://127.0.0.1:9/hook", secret = "whsec_sample" }
        "#,
    );
    let body = r#"{"mobile": "9000000001", "uan": "100000000202"}"#;
    let first = scene
        .post(CLAIM, body)
        .live()
        .by("hooked")
        .idempotency("k")
        .send();
    assert_eq!(
        (first.outcome(), first.at("data.steps.1.status")),
        ("200 pending".into(), "pending".into())
    );
    assert_eq!(
        scene.wallet("hooked"),
        Money {
            balance: Paise(100_000),
            held: Paise(6500),
            charged: Paise(0)
        }
    );
    scene.advance("hooked", SignedDuration::from_secs(25));
    assert_eq!(
        scene.wallet("hooked"),
        Money {
            balance: Paise(93_500),
            held: Paise(0),
            charged: Paise(6500)
        }
    );
    assert_eq!(scene.received().len(), 1);
    let path = format!("/v1/verifications/{}", first.id());
    let last = scene.get(&path).live().by("hooked").send();
    assert_eq!(last.0.body, scene.received()[0].body);
    assert_eq!(
        (last.at("status"), last.at("data.steps.1.status")),
        ("completed".into(), "completed".into())
    );
    assert_eq!(
        last.at("data.steps.1.verificationId"),
        first.at("data.steps.1.verificationId")
    );
}

#[test]
fn a_bundle_in_two_calls_ends_under_the_id_it_began_with() {
    let scene = Scene::with_accounts(
        r#"
        [[account]]
        id = "hooked"
        live_wallet_inr = 1000
        webhook = { url = "http://127.0.0.1:9/hook", secret = "whsec_sample" }
        "#,
    );
    let body = sample("dynamic-bank-validation");
    let first = scene
        .post(DYNAMIC, &body)
        .live()
        .by("hooked")
        .idempotency("a")
        .send();
    assert_eq!(first.outcome(), "200 pending");
    assert_eq!(
        scene.wallet("hooked"),
        Money {
            balance: Paise(100_000),
            held: Paise(2000),
            charged: Paise(0)
        }
    );
    let (reference, amount) = (
        first.at("data.referenceId"),
        first.at("data.steps.0.data.amountSent"),
    );
    let body = format!(r#"{{"referenceId": "{reference}", "amount": "{amount}"}}"#);
    let second = scene
        .post(DYNAMIC, &body)
        .live()
        .by("hooked")
        .idempotency("b")
        .send();
    assert_eq!(
        (second.outcome(), second.id()),
        ("200 completed".into(), first.id())
    );
    assert_eq!(second.at("data.steps.1.data.amountMatch"), "true");
    assert_eq!(
        scene.wallet("hooked"),
        Money {
            balance: Paise(98_000),
            held: Paise(0),
            charged: Paise(2000)
        }
    );
    let replays = [("a", &first), ("b", &second)];
    let bodies = [sample("dynamic-bank-validation"), body.clone()];
    for ((key, answer), body) in replays.into_iter().zip(&bodies) {
        let replay = scene
            .post(DYNAMIC, body)
            .live()
            .by("hooked")
            .idempotency(key)
            .send();
        assert_eq!((replay.0.replay, &replay.0.body), (true, &answer.0.body));
    }
    let again = scene.post(DYNAMIC, &body).live().by("hooked").send();
    assert_eq!(again.outcome(), "400 SVC_INVALID_INPUT");
    scene.advance("hooked", SignedDuration::from_secs(1));
    assert_eq!(scene.received().len(), 1);
    assert_eq!(scene.received()[0].body, &second.0.body[..]);
}

#[test]
fn of_two_second_calls_of_a_bundle_at_once_one_ends_it() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "slow"
        operation = "verify.financial.bank-dynamic.verify"
        then = { success = {}, delay = "3s" }
        "#,
    );
    let first = scene
        .post(DYNAMIC, &sample("dynamic-bank-validation"))
        .live()
        .send();
    let reference = first.at("data.referenceId");
    let body = format!(r#"{{"referenceId": "{reference}", "amount": "1.50"}}"#);
    let second = |key| scene.post(DYNAMIC, &body).live().idempotency(key).ask();
    let (one, other) = scene
        .runtime
        .block_on(async { futures_util::join!(second("a"), second("b")) });
    assert_eq!(one.outcome(), "200 completed");
    assert_eq!(other.outcome(), "400 SVC_INVALID_INPUT");
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(9_998_000),
            held: Paise(0),
            charged: Paise(2000)
        }
    );
}

#[test]
fn the_fields_of_a_bundle_are_checked_like_those_of_its_steps() {
    let scene = Scene::new();
    let message = |path: &str, body: &str| {
        let answer = scene.post(path, body).send();
        format!("{}: {}", answer.outcome(), answer.at("error.message"))
    };
    let messages = [
        message(FRAUD, r#"{"mobile": "9000000005", "name": "CLEAN PERSON"}"#),
        message(
            FRAUD,
            r#"{"mobile": "9", "email": "a@example.com", "name": "CLEAN PERSON"}"#,
        ),
        message(
            "/v1/bundles/professional-router",
            r#"{"body_type": "CB", "membershipNumber": "1"}"#,
        ),
        message(
            "/v1/bundles/professional-router",
            r#"{"membershipNumber": "1"}"#,
        ),
        message(
            DYNAMIC,
            r#"{"referenceId": "ref_unknown", "amount": "1.50"}"#,
        ),
        message("/v1/bundles/nothing", "{}"),
    ];
    insta::assert_snapshot!(messages.join("\n"), @"
    400 SVC_INVALID_INPUT: `email` is required
    400 SVC_INVALID_IDENTIFIER: `mobile` must be 10 digits
    400 SVC_INVALID_INPUT: `body_type` must be one of CA, CS, CMA
    400 SVC_INVALID_INPUT: `body_type` must be one of CA, CS, CMA
    400 SVC_INVALID_INPUT: referenceId: was not issued to this account; call verify.financial.bank-dynamic.send first
    404 SVC_NOT_FOUND: no operation has this path
    ");
    assert_eq!(scene.get(FRAUD).send().0.allow, Some("POST"));
}

#[test]
fn two_steps_that_need_different_values_of_one_name_get_them() {
    let scene = Scene::new();
    let path = "/v1/bundles/address-utility-verification";
    let with = |value: &str| {
        let own = format!(r#"{{"png.serviceProvider": {value},"#);
        let body = sample("address-utility-verification").replacen('{', &own, 1);
        scene.post(path, &body).send()
    };
    let answer = with("\"PNG-OTHER\"");
    assert_eq!(answer.outcome(), "200 completed");
    assert_ne!(answer.at("data.steps.0.data.provider"), "PNG-OTHER");
    assert_eq!(with("5").outcome(), "400 SVC_INVALID_INPUT");
}

#[test]
fn a_wallet_must_cover_the_full_sum() {
    let scene = Scene::with_accounts("[[account]]\nid = \"edge\"\nlive_wallet_inr = 20");
    let ask = || scene.post(FRAUD, PERSON).live().by("edge").outcome();
    assert_eq!(
        [ask(), ask()],
        ["200 completed", "402 SVC_INSUFFICIENT_BALANCE"]
    );
}
