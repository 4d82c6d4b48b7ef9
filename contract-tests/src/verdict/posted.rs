//! A webhook that the service posted to somebody else's receiver. What the receiver answered is its own affair.

use super::answer::Answer;
use super::finding::{Findings, Verdict};
use crate::capture::{Exchange, Request, Response};
use crate::plan::VERIFICATIONS;
use crate::signature::Signature;

/// The header that a webhook is signed in.
pub(crate) const SIGNATURE: &str = "x-service-signature";

/// The name under which a recording that knew the secret says whether the signature is that of the bytes.
pub(crate) const VERIFIED: &str = "x-recorded-signature-verified";

/// It is POSTed, signed in the form of the contract, and its body is an envelope that says how a verification ended.
pub(super) fn judge(findings: &mut Findings<'_>, exchange: &Exchange) {
    let posted = &exchange.request;
    let method = posted.method.as_str();
    findings.equal(
        "webhook.envelope",
        "the method of a webhook",
        "POST",
        method,
    );
    let header = posted.header(SIGNATURE).unwrap_or_default();
    let mistake = Signature::read(header).err();
    let (what, form) = (
        "the signature of a webhook",
        "t=<timestamp>,v1=<64 hex digits>",
    );
    let found = match mistake {
        None => String::new(),
        Some(_) if header.is_empty() => "none".to_owned(),
        Some(why) => format!("{header} ({why})"),
    };
    findings.must("webhook.signature", mistake.is_none(), what, form, found);
    if let Some(verified) = posted.header(VERIFIED) {
        let (theirs, found) = (
            "that of its bytes with the secret",
            "that of something else",
        );
        let is_theirs = verified == "true";
        findings.must("webhook.hmac", is_theirs, what, theirs, found);
    }
    // A body is judged like the answer to a look-up of its verification: it names its operation itself.
    let response = Response {
        status: 200,
        headers: posted.headers.clone(),
        body: posted.body.clone(),
    };
    let asked = Request {
        path: VERIFICATIONS.to_owned(),
        ..posted.clone()
    };
    let body = Answer::delivered(&asked, &response);
    let status = body.text(&["status"]);
    let ended = ["completed", "failed"].contains(&status);
    let (what, ends) = ("`status` of a webhook", "completed or failed");
    findings.must("webhook.envelope", ended, what, ends, status);
    let before = findings.found.len();
    super::every_answer(findings, &body);
    for finding in &mut findings.found[before..] {
        if let Verdict::Broken { what, .. } | Verdict::Noted { what, .. } = &mut finding.verdict {
            *what = format!("of a webhook: {what}");
        }
    }
}
