//! What came to the run's receiver, judged: how often, how it was signed, which bytes.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::Findings;

/// How far apart the time of a signature and the receiver's clock may be, in seconds.
const TOLERANCE_S: i64 = 300;

/// Just so many came.
pub(super) fn received(
    findings: &mut Findings<'_>,
    clause: &str,
    answer: &Answer<'_>,
    count: usize,
) {
    let came = deliveries(answer).len();
    findings.equal(clause, "the deliveries that came", count, came);
}

/// Each of them is signed as the contract says.
pub(super) fn signed(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>) {
    let secret = findings.setting.webhook_secret();
    for delivery in deliveries(answer) {
        let header = text(delivery, "signature");
        let mistake = mistake(&secret, header, text(delivery, "body"), at_s(delivery));
        let what = "the signature of a delivery";
        let expected = "t=<seconds>,v1=<hex of the HMAC-SHA256 of `<seconds>.<body>`>";
        let found = mistake.map_or_else(String::new, |why| format!("{header} ({why})"));
        findings.must(clause, mistake.is_none(), what, expected, found);
    }
}

/// The body of each is, byte for byte, that of another answer.
pub(super) fn bodies_are(
    findings: &mut Findings<'_>,
    clause: &str,
    answer: &Answer<'_>,
    envelope: &Answer<'_>,
) {
    let expected = String::from_utf8_lossy(&envelope.response.body);
    for delivery in deliveries(answer) {
        let body = text(delivery, "body");
        findings.equal(clause, "the body of a delivery", &*expected, body);
    }
}

fn deliveries<'j>(answer: &'j Answer<'_>) -> &'j [Json<'j>] {
    let found = answer.at(&["deliveries"]).and_then(Json::as_list);
    found.unwrap_or_default()
}

fn text<'j>(delivery: &'j Json<'_>, name: &str) -> &'j str {
    let text = delivery.get(name).and_then(Json::as_text);
    text.unwrap_or_default()
}

fn at_s(delivery: &Json<'_>) -> Option<i64> {
    delivery.get("atS")?.to_string().parse().ok()
}

/// What is wrong with a signature.
fn mistake(secret: &str, header: &str, body: &str, now_s: Option<i64>) -> Option<&'static str> {
    let Some((time, mac)) = header.split_once(',') else {
        return Some("it has not two parts");
    };
    let (Some(time), Some(mac)) = (time.strip_prefix("t="), mac.strip_prefix("v1=")) else {
        return Some("its parts are not `t=` and `v1=`, in this order");
    };
    let Some(at_s) = time.parse::<i64>().ok().filter(|at| at.to_string() == time) else {
        return Some("its time is no number of seconds");
    };
    let bytes = HEXLOWER.decode(mac.as_bytes()).ok();
    let Some(mac) = bytes.filter(|mac| mac.len() == 32) else {
        return Some("it is not 64 lower-case hex digits");
    };
    let keyed = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    let keyed = keyed.expect("a key of HMAC may have any length");
    let signed = keyed.chain_update(format!("{time}.")).chain_update(body);
    if signed.verify_slice(&mac).is_err() {
        return Some("it is not that of these bytes with this secret");
    }
    match now_s {
        Some(now_s) if (now_s - at_s).abs() > TOLERANCE_S => Some("its time is not that of now"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `openssl dgst -sha256 -hmac whsec_sample` says of `1800000000.{}`.
    const MAC: &str = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";

    fn of(header: &str) -> Option<&'static str> {
        mistake("whsec_sample", header, "{}", Some(1_800_000_000))
    }

    #[test]
    fn only_the_very_form_of_the_contract_is_a_signature() {
        let good = format!("t=1800000000,v1={MAC}");
        assert_eq!(of(&good), None);
        for bad in [
            "",
            MAC,
            &format!("v1={MAC},t=1800000000"),
            &format!("t=1800000000, v1={MAC}"),
            &format!("t=01800000000,v1={MAC}"),
            &format!("t=1800000000,v1={}", MAC.to_uppercase()),
            &format!("t=1800000001,v1={MAC}"),
            &format!("t=1800000000,v1={}", &MAC[2..]),
        ] {
            assert!(of(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn a_time_up_to_the_tolerance_away_is_now() {
        let good = format!("t=1800000000,v1={MAC}");
        for (now_s, fits) in [(TOLERANCE_S, true), (TOLERANCE_S + 1, false)] {
            let now_s = Some(1_800_000_000 + now_s);
            assert_eq!(mistake("whsec_sample", &good, "{}", now_s).is_none(), fits);
        }
    }
}
