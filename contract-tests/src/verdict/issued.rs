//! Ids over a whole run: no two calls are answered with one `verificationId`, whatever case they are of.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;
use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use svc_fixtures::contract::{Contract, Environment};

use super::answer::is_look_up;
use super::finding::{Finding, Verdict};
use crate::capture::{CapturedCase, Channel, Exchange, Request};

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

/// The id that an answer names. Nothing behind it is read: this is asked of each exchange that a recording takes in.
fn id_of(body: &[u8]) -> Option<Cow<'_, str>> {
    let mut found = None;
    let read = serde_json::Deserializer::from_slice(body).deserialize_map(UpToId(&mut found));
    // It ends in an error where the id is found, and only there is something found.
    let _: Result<(), serde_json::Error> = read;
    found
}

struct UpToId<'f, 'a>(&'f mut Option<Cow<'a, str>>);

impl<'a> Visitor<'a> for UpToId<'_, 'a> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an answer")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(Text(name)) = members.next_key()? {
            if name == "verificationId" {
                let Text(id) = members.next_value()?;
                *self.0 = Some(id);
                return Err(A::Error::custom("the rest is not asked for"));
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

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
    pub fn take(&mut self, contract: &Contract, captured: &CapturedCase) -> Vec<Finding> {
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
        let repeated = api.filter_map(|(step, exchange)| {
            let found = self.repeats(contract, captured, exchange)?;
            Some(Finding {
                case: captured.case.clone(),
                step,
                verdict: found,
            })
        });
        repeated.collect()
    }

    fn repeats(
        &mut self,
        contract: &Contract,
        captured: &CapturedCase,
        exchange: &Exchange,
    ) -> Option<Verdict> {
        let (request, response) = (&exchange.request, exchange.response.as_ref().ok()?);
        let id = id_of(&response.body)?;
        // Who is not known has no verifications.
        let nobody = response.status == 401;
        if id.len() <= "svcv_".len() || nobody || is_look_up(request, response) {
            return None;
        }
        let owner = Owner {
            check: captured.check.clone(),
            case: captured.case.clone(),
            path: request.path.clone(),
            key: request.header("idempotency-key").map(str::to_owned),
        };
        let place = (request.environment, id.into_owned());
        let Some(first) = self.owners.get(&place) else {
            self.owners.insert(place, owner);
            return None;
        };
        // A replay is the original, and a bundle in two calls is one verification.
        let replay = owner.key.is_some() && owner.key == first.key;
        let bundle = contract.bundle_at(&first.path).is_some() && first.path == owner.path;
        let same_case = (&first.check, &first.case) == (&owner.check, &owner.case);
        if replay || bundle && (same_case || self.across_cases) {
            return None;
        }
        Some(Verdict::Broken {
            clause: CLAUSE.to_owned(),
            what: "`verificationId`".to_owned(),
            expected: "one that no other call was given".to_owned(),
            found: format!(
                "{}, which {}, {} was given, too",
                place.1, first.check, first.case
            ),
            known: None,
            seen: None,
        })
    }
}
