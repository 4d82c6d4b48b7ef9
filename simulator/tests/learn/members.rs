//! Which members of answers are said of somebody, and in what words.

use crate::recorder::{Service, learned};

/// One call does not tell that the next one has another number.
#[test]
fn what_each_call_numbers_and_dates_anew_is_no_fact_about_whom_it_asks_for() {
    let rules = r#"
[[scenario]]
name = "numbers of its own"
operation = "verify.financial.bank-hybrid"
otherwise = true
then = { success = { bankRRN = "412345678901", beneName = "BINA DAS" } }

[[scenario]]
name = "trails of its own"
operation = "verify.financial.bank-dynamic.send"
otherwise = true
then = { success = { "auditTrail.value" = "A5731cf6abcb", "auditTrail.timestamp" = "2026-11-20T09:28:48Z", beneficiaryName = "BINA DAS" } }
"#;
    let account = r#""accountNumber":"50100000001","ifsc":"HDFC0001234""#;
    let calls = [
        (
            "verify.financial.bank-hybrid",
            format!(r#"{{{account},"nameToVerify":"BINA DAS"}}"#),
        ),
        (
            "verify.financial.bank-dynamic.send",
            format!("{{{account}}}"),
        ),
    ];
    let learned = learned(&Service::new("elsewhere", rules).record(&calls));
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("the name is something to learn");
    assert!(text.contains("BINA DAS"), "{text}");
    for number in ["bankRRN", "auditTrail"] {
        assert!(!text.contains(number), "{text}");
    }
}
