//! A model of one account beside the service: from the exchanges so far it foresees what the next
//! answer must be. It knows the contract's rows and nothing of how they are implemented.
//!
//! What the account had before, its first answer to `/v1/usage` says; before that its money is not
//! judged. The model's clock stands still: it is for services on which nothing falls due meanwhile.

mod account;
mod bundle;
mod environment;
mod expect;
mod flows;

use std::collections::BTreeMap;

use svc_fixtures::contract::Environment;

use crate::capture::Exchange;
use crate::plan::{Expectation, Rule, Setting, VERIFICATIONS};
use account::{Model, answer};
use environment::EnvironmentState;
use expect::text;
use flows::Flows;

const USAGE: &str = "/v1/usage";

/// What must hold of the answers of one account, in order.
pub(super) fn foresee(setting: &Setting<'_>, exchanges: &[Exchange]) -> Vec<Vec<Expectation>> {
    let mut model = Model {
        setting,
        exchanges,
        state: EnvironmentState::default(),
        flows: Flows::default(),
        begun: Vec::new(),
        claims: BTreeMap::new(),
        seen: BTreeMap::new(),
    };
    (0..exchanges.len()).map(|at| model.step(at)).collect()
}

impl Model<'_> {
    fn step(&mut self, at: usize) -> Vec<Expectation> {
        let exchanges = self.exchanges;
        let request = &exchanges[at].request;
        self.state.live = request.environment == Environment::Live;
        match request.method.as_str() {
            "GET" => match request.path.strip_prefix(VERIFICATIONS) {
                Some(id) => self.looked_up(id),
                None if request.path == USAGE && request.query.is_empty() => self.usage(at),
                None => Vec::new(),
            },
            "POST" => self.posted(at),
            _ => Vec::new(),
        }
    }

    /// A call: it leaves an answer that can be looked up, unless it is a replay.
    fn posted(&mut self, at: usize) -> Vec<Expectation> {
        let path = &self.exchanges[at].request.path;
        let slug = path.strip_prefix("/v1/bundles/");
        let bundle = slug.and_then(|slug| {
            let mut bundles = self.setting.contract.bundles.iter();
            bundles.find(|bundle| bundle.slug == slug)
        });
        let (operation, id) = (self.setting.operation_at(path), || {
            text(answer(&self.exchanges[at]).as_ref(), &["verificationId"])
        });
        let before = id().and_then(|id| self.seen.insert(id, at));
        let expected = match (bundle, operation) {
            (Some(bundle), _) => self.bundle(at, bundle),
            (None, Some(operation)) => self.call(at, operation),
            (None, None) => Vec::new(),
        };
        let replayed = |expected: &Expectation| match expected.rule {
            Rule::SameBytes(first) => Some(first),
            _ => None,
        };
        if let (Some(first), Some(id)) = (expected.iter().find_map(replayed), id()) {
            self.seen.insert(id, before.unwrap_or(first));
        }
        expected
    }
}
