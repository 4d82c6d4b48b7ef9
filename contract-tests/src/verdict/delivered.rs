//! What came to the run's receiver, judged: how often, how it was signed, which bytes.

use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::Findings;
use crate::signature::{CLAUSES, Mistake, Signature};

/// How far apart the time of a signature and the receiver's clock may be, in seconds.
const TOLERANCE_S: i64 = 300;

/// The same of one whose unit nobody knows, and which may be that of the first attempt.
const FAR_S: i64 = 3_600;

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

/// Each of them is signed as the contract says. A mistake breaks the clauses that it is of: what the others say of the same
/// signature is not known then.
pub(super) fn signed(findings: &mut Findings<'_>, clause: &str, answer: &Answer<'_>) {
    let secret = findings.setting.webhook_secret();
    for delivery in deliveries(answer) {
        let header = text(delivery, "signature");
        let mistake = match delivery.get("verified").and_then(Json::as_bool) {
            Some(verified) => foreign(header, of_bytes(delivery, verified), at_s(delivery)),
            None => mistake(&secret, header, text(delivery, "body"), at_s(delivery)),
        };
        let what = "the signature of a delivery";
        let expected = "t=<timestamp>,v1=<hex of the HMAC-SHA256 of `<timestamp>.<body>`>";
        let found = match mistake {
            Some(_) if header.is_empty() => "none".to_owned(),
            Some(why) => format!("{header} ({why})"),
            None => String::new(),
        };
        let is_other =
            |mistake: Mistake| CLAUSES.contains(&clause) && !mistake.breaks().contains(&clause);
        if !mistake.is_some_and(is_other) {
            findings.must(clause, mistake.is_none(), what, expected, found);
        }
    }
}

/// What the receiver found of a signature by a secret that only it knew.
fn of_bytes(delivery: &Json<'_>, verified: bool) -> Option<Mistake> {
    let said = || Mistake::said(text(delivery, "mistake")).unwrap_or(Mistake::Foreign);
    (!verified).then(said)
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

pub(super) fn deliveries<'j>(answer: &'j Answer<'_>) -> &'j [Json<'j>] {
    let found = answer.at(&["deliveries"]).and_then(Json::as_list);
    found.unwrap_or_default()
}

pub(super) fn text<'j>(delivery: &'j Json<'_>, name: &str) -> &'j str {
    let text = delivery.get(name).and_then(Json::as_text);
    text.unwrap_or_default()
}

pub(super) fn at_s(delivery: &Json<'_>) -> Option<i64> {
    delivery.get("atS")?.to_string().parse().ok()
}

/// What is wrong with a signature by a secret that only the receiver knew, who says whether it is that of the bytes.
/// The specification gives the timestamp no unit, and does not say that each attempt has one of its own.
fn foreign(header: &str, of_bytes: Option<Mistake>, now_s: Option<i64>) -> Option<Mistake> {
    let signature = match Signature::read(header) {
        Ok(signature) => signature,
        Err(mistake) => return Some(mistake),
    };
    let is_far = |now_s| signature.number().is_some_and(|at| is_far(at, now_s));
    of_bytes.or(now_s.is_some_and(is_far).then_some(Mistake::NotNow))
}

/// Whether a number is that of another hour in seconds, and in every smaller unit.
fn is_far(at: i64, now_s: i64) -> bool {
    let units = [1, 1_000, 1_000_000, 1_000_000_000];
    units.iter().all(|unit| (now_s - at / unit).abs() > FAR_S)
}

/// What is wrong with a signature by the secret that the run has registered.
fn mistake(secret: &str, header: &str, body: &str, now_s: Option<i64>) -> Option<Mistake> {
    let signature = match Signature::read(header) {
        Ok(signature) => signature,
        Err(mistake) => return Some(mistake),
    };
    let Some(at_s) = signature.number() else {
        return Some(Mistake::NoNumber);
    };
    let is_far = |now_s: i64| (now_s - at_s).abs() > TOLERANCE_S;
    let of_bytes = signature.mistake(secret, [], body.as_bytes());
    of_bytes.or(now_s.is_some_and(is_far).then_some(Mistake::NotNow))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `openssl dgst -sha256 -hmac whsec_sample` says of `1800000000.{}`.
    const MAC: &str = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";

    #[test]
    fn a_time_of_no_known_unit_is_of_another_hour_in_each_of_them_or_is_now() {
        let said = |time: &str, now_s| foreign(&format!("t={time},v1={MAC}"), None, Some(now_s));
        for time in [
            "1800000000",
            "1800000000999",
            "1800000000000000",
            "2027-01-15T08:00:00Z",
        ] {
            assert_eq!(said(time, 1_800_000_000 + FAR_S), None, "{time}");
        }
        let yesterday = 1_800_000_000 + 86_400;
        assert_eq!(said("1800000000", yesterday), Some(Mistake::NotNow));
        assert_eq!(said("1800000000999", yesterday), Some(Mistake::NotNow));
        assert_eq!(
            said("1800000000", 1_800_000_000 + FAR_S + 1),
            Some(Mistake::NotNow)
        );
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
