//! What an account spent: the control API and the service say the same.

use serde_json::{Value, json};

use super::{ASHA, PAN, Ruled, raw, refused};

fn served(ruled: &Ruled, key: &str, query: &str) -> Value {
    let headers = format!("Host: a\r\nAuthorization: Bearer {key}\r\n");
    let address = match key.starts_with("svc_live_") {
        true => ruled.served.addresses.live,
        false => ruled.served.addresses.sandbox,
    };
    let path = format!("/v1/usage{query}");
    raw(address, "GET", &path, &headers, "").json()["data"].take()
}

#[test]
fn the_table_is_the_one_that_the_service_tells() {
    let ruled = Ruled::new();
    ruled.post("/control/accounts/local/wallet", r#"{"topUp": 100}"#);
    ruled.call("svc_test_local", PAN, ASHA);
    ruled.call("svc_live_local", PAN, ASHA);
    ruled.call("svc_live_local", PAN, r#"{"pan": "AAAAA9999A"}"#);
    ruled.post("/control/accounts/local/clock", r#"{"advance": "1d"}"#);
    ruled.call("svc_live_local", PAN, ASHA);
    for (environment, key) in [("test", "svc_test_local"), ("live", "svc_live_local")] {
        for days in ["", "from=2027-01-16", "to=2027-01-15", "from=2027-01-17"] {
            let path = format!("/control/accounts/local/usage?environment={environment}&{days}");
            let mut told = ruled.get(&path).json();
            let own = told.as_object_mut().unwrap();
            assert_eq!(own.remove("environment"), Some(json!(environment)));
            assert_eq!(own.remove("joinedDays"), Some(json!(0)));
            assert_eq!(told, served(&ruled, key, &format!("?{days}")), "{path}");
        }
    }
    let live = ruled
        .get("/control/accounts/local/usage?environment=live")
        .json();
    assert_eq!(live["totals"]["calls"], 3);
    for days in [
        "from=soon",
        "to=2027-02-30",
        "from=2027-01-2",
        "from=2027-01-02&to=2027-01-01",
    ] {
        let path = format!("/control/accounts/local/usage?{days}");
        assert_eq!(refused(&ruled.get(&path)), "400 INVALID_INPUT", "{days}");
    }
}
