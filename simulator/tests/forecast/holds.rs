//! What calls hold of a wallet: pending ones until their result is there, and those that failed in the end.

use svc_fixtures::contract::Paise;
use svc_simulator::forecast::ForecastSettings;

use crate::{a_month, foretold};

/// A pending call for 40 INR, whose result fails ten minutes later; and a call for 2.50 INR at this time.
fn dry_call(pan_at: &str) -> Option<(i64, Paise)> {
    let uan = |at: &str, ended: &str| {
        format!(
            "{{\"path\":\"/v1/verify/employment/uan\",\"at\":\"2026-11-01T10:{at}Z\",\"environment\":\"live\",{ended},\
             \"verificationId\":\"svcv_1\",\"body\":{{\"uan\":\"100000000202\"}}}}"
        )
    };
    let pan = format!(
        "{{\"path\":\"/v1/verify/identity/pan\",\"at\":\"2026-11-01T10:{pan_at}Z\",\"environment\":\"live\",\
         \"status\":\"completed\",\"body\":{{\"pan\":\"AAAAA0000A\"}}}}"
    );
    let lines = [
        uan("00:00", "\"status\":\"pending\""),
        pan,
        uan("10:00", "\"code\":\"SVC_SOURCE_TIMEOUT\""),
    ];
    let settings = ForecastSettings {
        wallet: Some(Paise(41_00)),
        ..a_month()
    };
    let forecast = foretold(&lines.join("\n"), "", &settings).expect("a forecast");
    let dry = forecast.wallet.expect("a wallet").dry;
    dry.map(|dry| (dry.call, dry.left))
}

#[test]
fn a_call_finds_too_little_while_a_pending_one_holds_its_price() {
    assert_eq!(dry_call("05:00"), Some((2, Paise(1_00))));
    // Then it has all of it; of the next round's 38.50 INR the pending call finds too little.
    assert_eq!(dry_call("10:01"), Some((3, Paise(38_50))));
    assert_eq!(dry_call("10:00"), Some((3, Paise(38_50))));
}

/// Of 5.75 INR the first call, which cost 3, leaves what would cover the price of the contract.
#[test]
fn a_call_that_failed_needs_what_others_like_it_were_charged() {
    let pan = |at: &str, ended: &str| {
        format!(
            "{{\"path\":\"/v1/verify/identity/pan\",\"at\":\"2026-11-01T10:{at}Z\",\"environment\":\"live\",{ended},\
             \"body\":{{\"pan\":\"AAAAA0000A\"}}}}"
        )
    };
    let charged = "\"status\":\"completed\",\"charged\":3";
    let lines = [
        pan("00:00", charged),
        pan("05:00", "\"code\":\"SVC_SOURCE_TIMEOUT\""),
    ];
    let settings = ForecastSettings {
        wallet: Some(Paise(5_75)),
        ..a_month()
    };
    let forecast = foretold(&lines.join("\n"), "", &settings).expect("a forecast");
    let dry = forecast
        .wallet
        .expect("a wallet")
        .dry
        .expect("a call that finds too little");
    assert_eq!((dry.call, dry.left), (2, Paise(2_75)));
}
