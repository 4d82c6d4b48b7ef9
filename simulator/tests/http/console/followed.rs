//! The parts of pages that follow what happens, over the connection that a browser keeps open.

use super::super::control::{LOCAL, Ruled, SLOW, UAN};
use super::PAN;
use crate::client::Client;

/// A page's open connection.
struct Open {
    client: Client,
    read: String,
}

impl Open {
    fn to(ruled: &Ruled, path: &str) -> Self {
        let mut client = Client::to(ruled.served.addresses.console);
        client.write(format!("GET {path} HTTP/1.1\r\n{LOCAL}\r\n"));
        Open {
            client,
            read: String::new(),
        }
    }

    /// Reads until this was sent.
    fn until(&mut self, wanted: &str) {
        let mut bytes = [0; 4096];
        // A silent connection ends the wait by its own timeout.
        for _ in 0..500 {
            if self.read.contains(wanted) {
                break;
            }
            let read = self.client.try_read(&mut bytes).expect("it stays open");
            self.read += &String::from_utf8_lossy(&bytes[..read]);
        }
        assert!(self.read.contains(wanted), "{wanted}: {}", self.read);
        self.read.clear();
    }
}

#[test]
fn the_lists_tell_what_happens_while_they_are_open() {
    let ruled = Ruled::new();
    let hook = r#"{"url": "http://127.0.0.1:9/", "secret": "whsec_sample"}"#;
    ruled.put("/control/accounts/local_a/webhook", hook);
    let mut calls = Open::to(&ruled, "/calls/live?account=local_a");
    let mut webhooks = Open::to(&ruled, "/webhooks/live");
    let mut time = Open::to(&ruled, "/time/local_a/live");
    calls.until("No call yet that fits.");
    webhooks.until("No delivery that fits");
    time.until("Nothing is due.");
    let called = ruled.call("svc_test_local_a", UAN, SLOW).json();
    let id = called["verificationId"].as_str().expect("an id");
    calls.until(id);
    time.until(&format!("/calls/{id}"));
    ruled.post("/control/accounts/local_a/clock", r#"{"advance": "30s"}"#);
    webhooks.until("delivered");
    time.until("Nothing is due.");
    let delivery = format!("/webhooks/{}", id.replace("svcv_", "dlv_"));
    let mut one = Open::to(&ruled, &format!("{delivery}/live"));
    one.until("Attempt 1: answered 200");
    ruled.post(
        &format!(
            "/control/deliveries/{}/redeliver",
            id.replace("svcv_", "dlv_")
        ),
        "",
    );
    one.until("Attempt 2: answered 200");
}

#[test]
fn webhooks_of_all_accounts_are_listed_and_the_receiver_is_that_of_the_last_used() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local_zoe", PAN, "{}");
    let page = ruled.get("/webhooks").body;
    assert!(
        page.contains("<option value=\"local_zoe\" selected>"),
        "{page}"
    );
    let hook = r#"{"url": "http://127.0.0.1:9/", "secret": "whsec_sample"}"#;
    for account in ["local_a", "local_b"] {
        ruled.put(&format!("/control/accounts/{account}/webhook"), hook);
        ruled.call(&format!("svc_test_{account}"), UAN, SLOW);
        let path = format!("/control/accounts/{account}/clock");
        ruled.post(&path, r#"{"advance": "26s"}"#);
    }
    let all = ruled.get("/control/deliveries").json();
    let accounts = all["deliveries"].as_array().expect("a list").iter();
    let accounts: Vec<&str> = accounts.filter_map(|it| it["account"].as_str()).collect();
    assert_eq!(accounts.len(), 2, "{all:#}");
    assert!(accounts.contains(&"local_a") && accounts.contains(&"local_b"));
    let one = ruled.get("/webhooks?account=local_b").body;
    assert_eq!(one.matches("href=\"/webhooks/dlv_").count(), 1, "{one}");
}

#[test]
fn a_delivery_shows_all_attempts_to_come_and_where_its_accounts_clock_is() {
    let ruled = Ruled::new();
    *ruled.receiver.lock() = 500;
    let hook = r#"{"url": "http://127.0.0.1:9/", "secret": "whsec_sample"}"#;
    ruled.put("/control/accounts/local_d/webhook", hook);
    ruled.call("svc_test_local_d", UAN, SLOW);
    ruled.post("/control/accounts/local_d/clock", r#"{"advance": "1m"}"#);
    let all = ruled.get("/control/deliveries?account=local_d").json();
    let id = all["deliveries"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let told = ruled.get(&format!("/control/deliveries/{id}")).json();
    insta::assert_snapshot!(format!("{:#}\n{}", told["planned"], told["now"]), @r#"
    [
      "2027-01-15T08:02:25.000Z",
      "2027-01-15T08:10:25.000Z",
      "2027-01-15T09:00:25.000Z",
      "2027-01-15T14:00:25.000Z"
    ]
    "2027-01-15T08:01:00.000Z"
    "#);
    let page = ruled.get(&format!("/webhooks/{id}")).body;
    let made = page.matches("fill=\"#c2402c\"").count();
    assert_eq!(
        (made, page.matches("fill=\"none\"").count()),
        (2, 4),
        "{page}"
    );
    assert!(page.contains("its clock</text>"), "{page}");
}
