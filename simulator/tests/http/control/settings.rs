//! Wallets, receivers, keys, allowlists and rate limits, and what they do to calls.

use super::{ASHA, PAN, Ruled, SLOW, UAN, refused, whole};

#[test]
fn a_wallet_is_topped_up_or_set_and_never_falls_below_what_is_held() {
    let ruled = Ruled::new();
    const WALLET: &str = "/control/accounts/local_w/wallet";
    ruled.call("svc_live_local_w", UAN, SLOW);
    let set = ruled.post(WALLET, r#"{"balance": 40}"#);
    insta::assert_snapshot!(set.body, @r#"{"balance":40,"held":40,"charged":0,"toppedUp":40}"#);
    let below = ruled.post(WALLET, r#"{"balance": 39.99}"#);
    insta::assert_snapshot!(whole(&below), @r#"
    409
    {
      "error": {
        "code": "BELOW_HELD",
        "message": "40 INR are put aside for calls that have not ended; the balance can't be less"
      }
    }
    "#);
    let topped = ruled.post(WALLET, r#"{"topUp": 500.00}"#);
    insta::assert_snapshot!(topped.body, @r#"{"balance":540,"held":40,"charged":0,"toppedUp":540}"#);
    // The last paisa that a wallet holds.
    let most = ruled.post(WALLET, r#"{"balance": 1000000000000}"#);
    assert_eq!(most.status, 200);
    let more = ruled.post(WALLET, r#"{"topUp": 0.01}"#);
    assert_eq!(refused(&more), "400 INVALID_INPUT");
}

#[test]
fn an_empty_wallet_refuses_and_a_filled_one_pays() {
    let ruled = Ruled::new();
    const WALLET: &str = "/control/accounts/local_p/wallet";
    for (balance, status) in [("0", 402), ("2.49", 402), ("2.5", 200)] {
        ruled.post(WALLET, &format!(r#"{{"balance": {balance}}}"#));
        assert_eq!(
            ruled.call("svc_live_local_p", PAN, ASHA).status,
            status,
            "{balance}"
        );
    }
}

#[test]
fn a_receiver_is_registered_for_one_environment_or_both() {
    let ruled = Ruled::new();
    const WEBHOOK: &str = "/control/accounts/local_h/webhook";
    let receiver = |environment: &str| {
        format!(r#"{{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"{environment}}}"#)
    };
    let both = ruled.put(WEBHOOK, &receiver(""));
    insta::assert_snapshot!(both.body, @r#"{"url":"http://127.0.0.1:9/hook","environments":["test","live"]}"#);
    let test = ruled.put(WEBHOOK, &receiver(r#", "environment": "test""#));
    insta::assert_snapshot!(test.body, @r#"{"url":"http://127.0.0.1:9/hook","environments":["test"]}"#);
    let url = |environment: &str| {
        let account = ruled.get("/control/accounts/local_h").json();
        account[environment]
            .get("webhook")
            .map(|it| it["url"].to_string())
    };
    assert!(url("live").is_some());
    assert_eq!(
        ruled.delete(&format!("{WEBHOOK}?environment=live")).status,
        204
    );
    assert_eq!(
        (url("test").is_some(), url("live").is_some()),
        (true, false)
    );
    assert_eq!(ruled.delete(WEBHOOK).status, 204);
    assert_eq!(url("test"), None);
}

#[test]
fn a_receiver_where_no_webhook_may_go_is_refused() {
    let ruled = Ruled::new();
    for (url, reason) in [
        ("http://169.254.169.254/latest", "never a webhook target"),
        (
            "http://10.0.0.7/",
            "`--webhook-target 10.0.0.7/32` allows it",
        ),
        ("ftp://127.0.0.1/", "begin it with `https://` or `http://`"),
        ("hook", "write it like"),
    ] {
        let body = format!(r#"{{"url": "{url}", "secret": "whsec_sample"}}"#);
        let answer = ruled.put("/control/accounts/local/webhook", &body);
        assert_eq!(refused(&answer), "400 TARGET_REFUSED");
        assert!(answer.body.contains(reason), "{}", answer.body);
        let body = format!(r#"{{"id": "x", "webhook": {body}}}"#);
        let answer = ruled.post("/control/accounts", &body);
        assert_eq!(refused(&answer), "400 TARGET_REFUSED");
    }
    assert_eq!(ruled.get("/control/accounts/x").status, 404);
}

#[test]
fn a_rotated_key_works_on_for_a_day_and_a_revoked_one_no_more() {
    let ruled = Ruled::new();
    const KEYS: &str = "/control/accounts/local_k/keys";
    let rotated = ruled.post(&format!("{KEYS}/rotate"), r#"{"environment": "test"}"#);
    insta::assert_snapshot!(whole(&rotated), @r#"
    200
    {
      "key": "svc_test_local_k.2",
      "environment": "test",
      "replaces": {
        "key": "svc_test_local_k",
        "until": "2027-01-16T08:00:00.000Z"
      }
    }
    "#);
    let works = |key: &str| ruled.call(key, PAN, ASHA).status == 200;
    assert!(works("svc_test_local_k") && works("svc_test_local_k.2"));
    let hours = |hours: &str| {
        let body = format!(r#"{{"advance": "{hours}"}}"#);
        ruled.post("/control/accounts/local_k/clock", &body).json()["happened"].clone()
    };
    assert_eq!(hours("23h"), serde_json::json!([]));
    assert!(works("svc_test_local_k"));
    assert_eq!(hours("1h")[0]["kind"], "keyEnded");
    assert!(!works("svc_test_local_k") && works("svc_test_local_k.2"));
    let revoke =
        |key: &str| ruled.post(&format!("{KEYS}/revoke"), &format!(r#"{{"key": "{key}"}}"#));
    insta::assert_snapshot!(revoke("svc_test_local_k.2").body, @r#"{"key":"svc_test_local_k.2","state":"revoked"}"#);
    assert!(!works("svc_test_local_k.2"));
    assert_eq!(refused(&revoke("svc_test_local")), "404 KEY_NOT_FOUND");
    let none = ruled.post(&format!("{KEYS}/rotate"), r#"{"environment": "test"}"#);
    assert_eq!(refused(&none), "409 NO_ACTIVE_KEY");
}

#[test]
fn a_key_is_added_where_its_name_is_free() {
    let ruled = Ruled::new();
    const KEYS: &str = "/control/accounts/local_n/keys";
    let added = ruled.post(KEYS, r#"{"environment": "live", "name": "ci"}"#);
    insta::assert_snapshot!(whole(&added), @r#"
    201
    {
      "key": "svc_live_ci",
      "environment": "live"
    }
    "#);
    assert_eq!(ruled.call("svc_live_ci", PAN, ASHA).status, 200);
    assert_eq!(ruled.call("svc_test_ci", PAN, ASHA).status, 401);
    for name in ["ci", "local"] {
        let body = format!(r#"{{"environment": "live", "name": "{name}"}}"#);
        assert_eq!(
            refused(&ruled.post(KEYS, &body)),
            "409 KEY_EXISTS",
            "{name}"
        );
    }
}

#[test]
fn an_allowlist_and_a_rate_limit_hold_from_the_next_call_on() {
    let ruled = Ruled::new();
    let call = || ruled.call("svc_test_local_l", PAN, ASHA).status;
    const ALLOWLIST: &str = "/control/accounts/local_l/allowlist";
    let set = ruled.put(ALLOWLIST, r#"{"networks": ["10.0.0.0/8", "::1"]}"#);
    insta::assert_snapshot!(set.body, @r#"{"networks":["10.0.0.0/8","::1/128"]}"#);
    assert_eq!(call(), 403);
    assert_eq!(ruled.put(ALLOWLIST, r#"{"networks": []}"#).status, 200);
    assert_eq!(call(), 200);
    const LIMIT: &str = "/control/accounts/local_l/rate-limit";
    let set = ruled.put(LIMIT, r#"{"perSecond": 1, "burst": 2}"#);
    insta::assert_snapshot!(set.body, @r#"{"perSecond":1,"burst":2}"#);
    assert_eq!([call(), call(), call()], [200, 200, 429]);
    assert_eq!(ruled.delete(LIMIT).status, 204);
    assert_eq!([call(), call(), call()], [200, 200, 200]);
}
