//! Ids over a whole run: no two calls are answered with one `verificationId`, whatever case they are of.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher as _;

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
    given: Calls,
    /// Whether the two calls of a bundle may be of two cases.
    across_cases: bool,
}

/// A call that an id was given to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Call<'t> {
    environment: Environment,
    id: &'t str,
    check: &'t str,
    case: &'t str,
    path: &'t str,
    key: Option<&'t str>,
}

/// Calls that ids were given to, found by the id. Of a recording there are as many as pass: their texts stand one behind the
/// other, and of each call there is one place in a table that is made larger again and again.
#[derive(Debug, Default)]
struct Calls {
    texts: String,
    all: Vec<Place>,
    /// The last call with an id of this hash.
    last: HashMap<u64, usize, FixedState>,
    hash: FixedState,
}

/// Where a call stands among the texts.
#[derive(Debug)]
struct Place {
    environment: Environment,
    begin: usize,
    /// How long its id, check, case, path and key are.
    lengths: [usize; 4],
    key: Option<usize>,
    /// The call before it with an id of the same hash.
    before: Option<usize>,
}

impl Calls {
    fn clear(&mut self) {
        self.texts.clear();
        self.all.clear();
        self.last.clear();
    }

    /// The call that was given this one's id; where there is none this one is.
    fn first_or_add(&mut self, call: Call<'_>) -> Option<Call<'_>> {
        let hash = self.hash.hash_one((call.environment, call.id));
        let last = self.last.get(&hash).copied();
        let mut known = std::iter::successors(last, |&at| self.all[at].before);
        let same = |at: &usize| {
            let other = self.at(*at);
            (other.environment, other.id) == (call.environment, call.id)
        };
        if let Some(at) = known.find(same) {
            return Some(self.at(at));
        }
        let (begin, texts) = (
            self.texts.len(),
            [call.id, call.check, call.case, call.path],
        );
        texts.iter().for_each(|text| self.texts.push_str(text));
        self.texts.push_str(call.key.unwrap_or_default());
        self.last.insert(hash, self.all.len());
        self.all.push(Place {
            environment: call.environment,
            begin,
            lengths: texts.map(str::len),
            key: call.key.map(str::len),
            before: last,
        });
        None
    }

    fn at(&self, at: usize) -> Call<'_> {
        let place = &self.all[at];
        let mut rest = &self.texts[place.begin..];
        let mut next = |length| {
            let (text, behind) = rest.split_at(length);
            rest = behind;
            text
        };
        let [id, check, case, path] = place.lengths.map(&mut next);
        Call {
            environment: place.environment,
            id,
            check,
            case,
            path,
            key: place.key.map(next),
        }
    }
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
            self.given.clear();
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
        let call = Call {
            environment: request.environment,
            id: &id,
            check: &captured.check,
            case: &captured.case,
            path: &request.path,
            key: request.header("idempotency-key"),
        };
        let first = self.given.first_or_add(call)?;
        // A replay is the original, and a bundle in two calls is one verification.
        let replay = call.key.is_some() && call.key == first.key;
        let bundle = contract.bundle_at(first.path).is_some() && first.path == call.path;
        let same_case = (first.check, first.case) == (call.check, call.case);
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
