//! Consent: a person allows or refuses what a pending call asks for, and that brings its result.

use jiff::Timestamp;
use svc_fixtures::contract::ErrorCode;

use super::request::Environment;
use super::rules::Rules;
use super::settle::settle_open;
use crate::engine::state::account::Account;
use crate::engine::state::entry::Entry;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::{ConsentRequest, Resolved};

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentDecision {
    /// The caller may have it.
    Allow,
    /// The caller may not.
    Refuse,
}

/// How a link to the consent page stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Link<'a> {
    /// Somebody may still say something.
    Open(&'a ConsentRequest),
    /// The call has come to its end.
    Used,
}

/// The link that a verification's answer gave. None where there never was one.
#[must_use]
pub fn link<'a>(
    rules: &Rules,
    account: &'a Account,
    environment: Environment,
    verification: VerificationId,
) -> Option<Link<'a>> {
    let of = account
        .environment(environment)
        .verifications
        .get(verification)?;
    if let Some(request) = of.consent() {
        return Some(Link::Open(request));
    }
    let row = rules.contract.operation(&of.endpoint)?;
    let row = row.pending.as_ref().filter(|_| of.answer.is_some());
    row.is_some_and(|row| row.by_consent.is_some())
        .then_some(Link::Used)
}

/// What becomes of a pending call when a person has decided: where the person goes on to, and
/// what changes. None where the link is not open.
#[must_use]
pub fn settle(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    verification: VerificationId,
    decision: ConsentDecision,
    now: Timestamp,
) -> Option<(ConsentOutcome, Entry)> {
    let open = account
        .environment(environment)
        .verifications
        .get(verification)?;
    let ConsentRequest {
        redirect, refused, ..
    } = open.consent()?.clone();
    let mut ended = Box::new(open.clone());
    if decision == ConsentDecision::Refuse {
        for step in &mut ended.steps {
            step.outcome = refusal(refused);
        }
    }
    let (_, entry) = settle_open(rules, account, environment, ended, now);
    let completed = entry.completes(verification);
    let afterwards = ConsentOutcome {
        redirect,
        completed,
    };
    Some((afterwards, entry))
}

/// Where a person goes after saying something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentOutcome {
    /// What the call asked to go back to.
    pub redirect: String,
    /// Whether the call completed.
    pub completed: bool,
}

fn refusal(code: ErrorCode) -> Resolved {
    Resolved::Failed {
        code,
        message: Some("the person did not consent, so there is nothing to give".into()),
    }
}
