//! Ids over a whole run: no two calls are answered with one `verificationId`, whatever case they are of.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use svc_fixtures::contract::Environment;

use super::answer::Answer;
use super::finding::{Finding, Verdict};
use crate::capture::{CapturedCase, Channel, Request};

/// Says that a verification is identified by its id.
const CLAUSE: &str = "envelope.usage-log";

/// To which call each id was given.
#[derive(Debug, Default)]
pub struct IssuedIds {
    /// Of a recording there are as many as calls passed, and nobody asks in which order.
    owners: HashMap<(Environment, String), Owner, FixedState>,
    /// Whether the two calls of a bundle may be of two cases.
    across_cases: bool,
}

/// A call that an id was given to.
#[derive(Debug)]
struct Owner {
    check: String,
    case: String,
    path: String,
    key: Option<String>,
}

impl IssuedIds {
    /// For traffic that nobody has planned: the two calls of a bundle are of two cases.
    #[must_use]
    pub fn across_cases() -> Self {
        IssuedIds {
            across_cases: true,
            ..IssuedIds::default()
        }
    }

    /// Takes in what was captured of a case; answers what it shows: ids that another call was given before.
    pub fn take(&mut self, captured: &CapturedCase) -> Vec<Finding> {
        let requests = || captured.exchanges.iter().map(|exchange| &exchange.request);
        let resets = |request: &Request| {
            request.channel == Channel::Console && request.path.ends_with("/reset")
        };
        // An account that begins anew gives the same ids anew.
        if requests().any(resets) {
            self.owners.clear();
            return Vec::new();
        }
        let exchanges = captured.exchanges.iter().enumerate();
        let api = exchanges.filter(|(_, exchange)| exchange.request.channel == Channel::Api);
        let answers = api.filter_map(|(step, exchange)| Some((step, Answer::of(exchange).ok()?)));
        let repeated = answers.filter_map(|(step, answer)| {
            let found = self.repeats(captured, &answer)?;
            Some(Finding {
                case: captured.case.clone(),
                step,
                verdict: found,
            })
        });
        repeated.collect()
    }

    fn repeats(&mut self, captured: &CapturedCase, answer: &Answer<'_>) -> Option<Verdict> {
        let id = answer.text(&["verificationId"]);
        // Who is not known has no verifications.
        let nobody = answer.response.status == 401;
        if id.len() <= "svcv_".len() || nobody || answer.looked_up() {
            return None;
        }
        let request = answer.request;
        let owner = Owner {
            check: captured.check.clone(),
            case: captured.case.clone(),
            path: request.path.clone(),
            key: request.header("idempotency-key").map(str::to_owned),
        };
        let place = (request.environment, id.to_owned());
        let Some(first) = self.owners.get(&place) else {
            self.owners.insert(place, owner);
            return None;
        };
        // A replay is the original, and a bundle in two calls is one verification.
        let replay = owner.key.is_some() && owner.key == first.key;
        let bundle = first.path.starts_with("/v1/bundles/") && first.path == owner.path;
        let same_case = (&first.check, &first.case) == (&owner.check, &owner.case);
        if replay || bundle && (same_case || self.across_cases) {
            return None;
        }
        Some(Verdict::Broken {
            clause: CLAUSE.to_owned(),
            what: "`verificationId`".to_owned(),
            expected: "one that no other call was given".to_owned(),
            found: format!("{id}, which {}, {} was given, too", first.check, first.case),
            known: None,
            seen: None,
        })
    }
}
