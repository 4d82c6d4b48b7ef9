//! The schema of files of accounts: it takes what the reader takes, and refuses what that refuses, as far as a schema
//! can know.

use svc_fixtures::reading::Source;
use svc_simulator::scenario::{accounts, read_accounts};
use svc_simulator::scenario_format::accounts_schema;

use crate::schema::as_json;

/// Whether the reader takes the file, and whether the schema does.
fn taken(text: &str) -> (bool, bool) {
    let read = read_accounts(&[Source::new("accounts.toml", text)]);
    let file = as_json("accounts.toml", text).expect("TOML");
    let schema = jsonschema::validator_for(&accounts_schema()).expect("a schema");
    (read.is_ok(), schema.is_valid(&file))
}

const WHOLE: &str = r#"
[[account]]
id = "partner"
live_wallet_inr = 12.5
revoked = false
copies = true
allowlist = ["127.0.0.0/8", "2001:db8::/32"]
rate_limit = { per_second = 5, burst = 10 }
webhook = { url = "http://127.0.0.1:9000/hook", secret = "whsec_sample" }
old_key = [{ name = "partner_old", works_for = "24h" }]
"#;

#[test]
fn the_built_in_accounts_and_all_that_an_account_can_say_fit() {
    assert_eq!(taken(WHOLE), (true, true));
    for source in accounts() {
        assert_eq!(taken(&source.text), (true, true), "{}", source.path);
    }
}

#[test]
fn what_the_reader_refuses_does_not_fit() {
    for (good, bad) in [
        ("id = \"partner\"", "id = \"a partner\""),
        ("id = \"partner\"", "name = \"partner\""),
        ("live_wallet_inr = 12.5", "live_wallet_inr = -1"),
        ("live_wallet_inr = 12.5", "live_wallet_inr = \"12.5\""),
        ("live_wallet_inr = 12.5\n", ""),
        ("revoked = false", "revoked = \"no\""),
        ("copies = true", "copy = true"),
        ("\"127.0.0.0/8\"", "\"everywhere\""),
        ("burst = 10", "burst = 0"),
        (", burst = 10", ""),
        ("per_second = 5", "per_minute = 5"),
        (", secret = \"whsec_sample\"", ""),
        ("\"24h\"", "\"a day\""),
        ("name = \"partner_old\", ", ""),
        ("[[account]]", "[account]"),
        ("[[account]]", "[[accounts]]"),
    ] {
        assert!(WHOLE.contains(good), "{good}");
        let text = WHOLE.replace(good, bad);
        assert_eq!(taken(&text), (false, false), "{bad}");
    }
}
