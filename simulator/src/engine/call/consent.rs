//! Consent: a person allows or refuses what a pending call asks for, and that brings its result.

use jiff::Timestamp;
use svc_fixtures::contract::ErrorCode;

use super::request::Environment;
use super::resolve::{ConsentAsked, Drawn};
use super::rules::Rules;
use crate::engine::state::account::Account;
use crate::engine::state::entry::Entry;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::ticket::Ticket;

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The caller may have it.
    Allow,
    /// The caller may not.
    Refuse,
}

/// How a link to the consent page stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Link<'a> {
    /// Somebody may still say something.
    Open(&'a ConsentAsked),
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
    let books = account.books(environment);
    let ticket = books.tickets.get(verification);
    if let Some(asked) = ticket.and_then(|ticket| ticket.consent.as_deref()) {
        return Some(Link::Open(asked));
    }
    let record = books.calls.get(verification)?;
    let row = rules.contract.operation(&record.endpoint)?;
    let asks = row
        .pending
        .as_ref()
        .is_some_and(|row| row.by_consent.is_some());
    asks.then_some(Link::Used)
}

/// What becomes of a pending call when a person has said something: where the person goes on to, and
/// what changes. None where the link is not open.
#[must_use]
pub fn say(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    verification: VerificationId,
    said: Said,
    now: Timestamp,
) -> Option<(Afterwards, Entry)> {
    let ticket = account.books(environment).tickets.get(verification)?;
    let asked = ticket.consent.as_deref()?.clone();
    let ticket = match said {
        Said::Allow => ticket.clone(),
        Said::Refuse => Ticket {
            drawn: refused(asked.refused),
            ..ticket.clone()
        },
    };
    let (_, entry) = super::pipeline::end(rules, account, environment, ticket, now);
    let completed = entry.completed(verification);
    let afterwards = Afterwards {
        redirect: asked.redirect,
        completed,
    };
    Some((afterwards, entry))
}

/// Where a person goes after saying something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Afterwards {
    /// What the call asked to go back to.
    pub redirect: String,
    /// Whether the call completed.
    pub completed: bool,
}

fn refused(code: ErrorCode) -> Drawn {
    Drawn::Failed {
        code,
        message: Some("the person did not consent, so there is nothing to give".into()),
    }
}
