//! What calls will cost in a month: of those that are kept, of a file, of a mix.

use serde_json::{Value, json};

use super::{ASHA, PAN, Ruled, refused, whole};

const FRAUD: &str = r#"{"mobile":"9000000001","email":"asha.rao@example.com","name":"ASHA RAO"}"#;

/// A day of an account: results, a repetition, a bundle, no record, a failure, a replay, the sandbox.
fn a_day(ruled: &Ruled, account: &str) {
    let live = format!("svc_live_{account}");
    ruled.call(&live, PAN, ASHA);
    ruled.call(&live, PAN, ASHA);
    ruled.call(&live, "/v1/bundles/fraud-check", FRAUD);
    ruled.call(&live, PAN, r#"{"pan": "AAAAA9999A"}"#);
    ruled.call(&live, PAN, r#"{"pan": "ZZZZZ0000Z"}"#);
    ruled.call(&format!("svc_test_{account}"), PAN, ASHA);
    let clock = format!("/control/accounts/{account}/clock");
    ruled.post(&clock, r#"{"advance": "1d"}"#);
    ruled.call(&live, PAN, r#"{"pan": "AAAAA9999A"}"#);
}

fn foretold(ruled: &Ruled, ask: &Value) -> Value {
    let answer = ruled.post("/control/forecast", &ask.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

#[test]
fn kept_calls_come_to_what_was_charged_for_them() {
    let ruled = Ruled::new();
    a_day(&ruled, "local");
    a_day(&ruled, "local_two");
    let usage = ruled
        .get("/control/accounts/local/usage?environment=live")
        .json();
    let one = foretold(&ruled, &json!({ "account": "local", "span": "30d" }));
    assert_eq!(usage["totals"]["amount"], json!(30));
    assert_eq!(one["total"]["amount"], json!(30), "{one:#}");
    let all = foretold(&ruled, &json!({ "allAccounts": true, "span": "30d" }));
    assert_eq!(all["total"]["amount"], json!(60), "{all:#}");
    let as_live = foretold(
        &ruled,
        &json!({ "account": "local", "span": "30d", "asLive": true }),
    );
    assert_eq!(as_live["total"]["amount"], json!(32.5), "{as_live:#}");
    // As a file, the list of calls says the same.
    let listed = ruled.get("/control/calls?account=local").body;
    let mut file = foretold(&ruled, &json!({ "traffic": listed, "span": "30d" }));
    assert_eq!(file["leftOut"]["count"], json!(4), "{file:#}");
    file["leftOut"] = one["leftOut"].clone();
    assert_eq!(file, one);
}

#[test]
fn a_mix_is_told_whole() {
    let ruled = Ruled::new();
    let mix = "[[calls]]\nendpoint = \"verify.identity.pan\"\nper_day = 100\nno_record = 0.05\nretries = 0.01\n";
    let ask = json!({ "mix": mix, "wallet": 5000, "from": "2027-01-15", "prices": "\"verify.identity.pan\" = 3\n" });
    insta::assert_snapshot!(whole(&ruled.post("/control/forecast", &ask.to_string())), @r#"
    200
    {
      "days": 30,
      "endpoints": [
        {
          "endpoint": "verify.identity.pan",
          "title": "PAN",
          "environment": "live",
          "price": 3,
          "priceFrom": "list",
          "calls": 3030,
          "billed": 3030,
          "noRecord": 152,
          "free": 0,
          "amount": 9090,
          "latency": {
            "p50Ms": 250,
            "p95Ms": 250,
            "source": "documented"
          }
        }
      ],
      "total": {
        "calls": 3030,
        "billed": 3030,
        "noRecord": 152,
        "free": 0,
        "amount": 9090
      },
      "free": [],
      "flows": [],
      "savings": {
        "idempotencyKeys": {
          "calls": 30,
          "amount": 90
        },
        "noRecordCache": {
          "calls": 0,
          "amount": 0
        },
        "both": {
          "calls": 30,
          "amount": 90
        }
      },
      "wallet": {
        "balance": 5000,
        "dry": {
          "at": "2027-01-31T12:07:07.723Z",
          "day": 17,
          "call": 1667,
          "endpoint": "verify.identity.pan",
          "price": 3,
          "left": 2
        },
        "words": "5000 INR run dry on 2027-01-31 at 12:07 UTC (day 17): call 1667 is refused, verify.identity.pan for 3 INR where 2 INR are left"
      },
      "leftOut": {
        "count": 0,
        "reasons": {},
        "first": []
      },
      "notes": [
        "A month has 30 days. Counts are rounded to whole calls and amounts to whole paise, halves upwards; a sum is the sum of its rows.",
        "Billed on live: a completed call, and one that says there is no record. Never: what failed at the source or the service, what was refused, a replay, anything on the sandbox.",
        "A percentile is the shortest time that so many of a hundred do not exceed. A documented range is taken as evenly spread, in steps of 50 ms; the times of steps are added up as distributions, as if none depended on another.",
        "For the wallet the calls come evenly, and each takes what the like of it cost on average."
      ]
    }
    "#);
}

#[test]
fn what_can_not_be_foretold_is_refused_and_brings_nothing_into_being() {
    let ruled = Ruled::new();
    ruled.call("svc_live_local", PAN, ASHA);
    let asks = [
        json!({}),
        json!({ "mix": "", "account": "local" }),
        json!({ "mix": "" }),
        json!({ "mix": "[[calls]]\nendpoint = \"verify.identity.pan\"\nper_day = 1\n", "prices": "a = 1\n" }),
        json!({ "account": "local" }),
        json!({ "account": "local", "span": "0s" }),
        json!({ "account": "local", "span": "1d", "callsPerMonth": 2 }),
        json!({ "account": "local", "span": "1d", "days": 367 }),
        json!({ "account": "local", "span": "1d", "wallet": -1 }),
        json!({ "account": "local", "span": "1d", "from": "soon" }),
        json!({ "account": "local", "callsPerMonth": 0 }),
        json!({ "account": "broke", "span": "1d" }),
    ];
    let messages = asks.iter().map(|ask| {
        let answer = ruled.post("/control/forecast", &ask.to_string());
        assert_eq!(
            refused(&answer),
            "400 INVALID_INPUT",
            "{ask}: {}",
            answer.body
        );
        let message = answer.json()["error"]["message"].clone();
        let message = message.as_str().expect("a message");
        message.lines().take(2).collect::<Vec<_>>().join(" ")
    });
    insta::assert_snapshot!(messages.collect::<Vec<_>>().join("\n"), @"
    give one of `mix`, `traffic`, `account` and `allAccounts`
    give one of `mix`, `traffic`, `account` and `allAccounts`
    mix: error: nothing is called: write a [[calls]] or a [[flow]]
    prices: error: there is no endpoint `a`
    one call alone says nothing of a month: say how long the calls stand for (a span such as 1d), or how many calls a month brings
    span: no traffic stands for no time
    span: leave it out where `callsPerMonth` is given
    days: a month has 1 to 366 days
    wallet: must be rupees, 0 or more
    from: must be a day or an instant, such as 2026-12-01 or 2026-12-01T09:00:00Z
    callsPerMonth: must be a whole number from 1 to 10000000000
    there is no call that can be reckoned with: it is empty
    ");
    let nobody = ruled.post("/control/forecast", r#"{"account": "local_nobody"}"#);
    assert_eq!(refused(&nobody), "404 ACCOUNT_NOT_FOUND");
    assert_eq!(ruled.get("/control/accounts/local_nobody").status, 404);
}
