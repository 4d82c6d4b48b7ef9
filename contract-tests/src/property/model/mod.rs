//! What the model of an account foresees of a service's answers, from the exchanges so far.
//!
//! What the account had before, its first answer to `/v1/usage` says; before that its money is not
//! judged. The clock stands still: it is for services on which nothing falls due meanwhile.

mod expect;
mod read;

use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::json::Json;

use crate::capture::Exchange;
use crate::model::{CallOutcome, Endpoint, EnvironmentState, Plan, Record, Refusal};
use crate::plan::{Expectation, Setting, VERIFICATIONS};
use crate::verdict::usage;
use read::{Read, endpoint_at};

const USAGE: &str = "/v1/usage";

/// The instant of all calls.
const NOW: i64 = 0;

/// A wallet of which no report said yet what is in it covers everything.
const UNKNOWN_WALLET: Paise = Paise(i64::MAX);

/// The model of the account that calls, as far as its answers tell.
struct Model<'m> {
    setting: &'m Setting<'m>,
    exchanges: &'m [Exchange],
    account: EnvironmentState<'m>,
    /// Whether a report said what it was used for before, and what was in its wallet.
    knows_usage: bool,
    knows_wallet: bool,
}

/// What must hold of the answers of one account, in order.
pub(super) fn foresee(setting: &Setting<'_>, exchanges: &[Exchange]) -> Vec<Vec<Expectation>> {
    let first = exchanges.first();
    let live = first.is_some_and(|first| first.request.environment == Environment::Live);
    let mut model = Model {
        setting,
        exchanges,
        account: EnvironmentState::new(setting.contract, live, UNKNOWN_WALLET),
        knows_usage: false,
        knows_wallet: false,
    };
    (0..exchanges.len()).map(|at| model.step(at)).collect()
}

impl Model<'_> {
    fn step(&mut self, at: usize) -> Vec<Expectation> {
        let exchanges = self.exchanges;
        let request = &exchanges[at].request;
        match request.method.as_str() {
            "GET" => match request.path.strip_prefix(VERIFICATIONS) {
                Some(id) => self.looked_up(id),
                None if request.path == USAGE && request.query.is_empty() => self.usage(at),
                None => Vec::new(),
            },
            "POST" => match endpoint_at(self.setting, &request.path) {
                Some(endpoint) => self.call(at, endpoint),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn call(&mut self, at: usize, endpoint: Endpoint) -> Vec<Expectation> {
        let exchanges = self.exchanges;
        let read = match read::call(self.setting, endpoint, &exchanges[at].request) {
            Ok(read) => read,
            Err(refusal) => return self.refused(at, endpoint, &refusal),
        };
        let start = match self.account.plan(&read.call, NOW) {
            Plan::Refused(refusal) => return self.refused(at, endpoint, &refusal),
            Plan::Replay(first) => return expect::replay(first),
            // Calls are made one after the other.
            Plan::Waits(_) => return Vec::new(),
            Plan::Runs(start) => start,
        };
        let Read {
            call,
            steps,
            clause,
            done,
        } = read;
        let earlier = start.resumes.and_then(|earlier| self.id(earlier));
        let verification = self.account.begin(&call, start, steps, NOW);
        let outcome = self.account.conclude(verification);
        let answer = answer(&exchanges[at]);
        self.account
            .answered(&call, verification, at, answer.as_ref());
        let mut expected = expect::ends(clause, &outcome);
        match endpoint {
            Endpoint::Operation(_) if outcome == CallOutcome::Completed => {
                expected.extend(done.map(|(member, done)| expect::done(&member, done)));
            }
            Endpoint::Operation(_) => {}
            Endpoint::Bundle(row) => {
                let slug = &self.setting.contract.bundles[row].slug;
                expected.extend(expect::bundle(slug, &outcome));
            }
        }
        let charge = self.account.verifications[verification].charge;
        let balance = self.knows_wallet.then(|| self.account.balance());
        expected.extend(expect::charge(charge, balance));
        expected.extend(earlier.map(expect::same_verification));
        expected
    }

    /// The id of a verification.
    fn id(&self, at: usize) -> Option<String> {
        let record = self.account.verifications[at].record?;
        self.account.records[record].id.clone()
    }

    /// A call that is refused: nothing was executed, nothing is stored, nothing costs anything.
    /// Refused calls of an operation are counted among its failed ones.
    fn refused(&mut self, at: usize, endpoint: Endpoint, refusal: &Refusal) -> Vec<Expectation> {
        let row = self.setting.contract.error(refusal.code);
        let counted = matches!(endpoint, Endpoint::Operation(_)).then_some(endpoint);
        let outcome = CallOutcome::Failed(refusal.code);
        let mut expected = expect::ends(&row.clause, &outcome);
        expected.extend(refusal.names.clone().map(expect::names));
        let answer = answer(&self.exchanges[at]);
        let id =
            answer.and_then(|answer| Some(answer.get("verificationId")?.as_text()?.to_owned()));
        let record = Record::free(id, row.status, outcome, at);
        self.account.refused(counted, record);
        expected
    }

    fn looked_up(&self, id: &str) -> Vec<Expectation> {
        let record = self.account.record(id).map(|at| &self.account.records[at]);
        expect::looked_up(record)
    }

    /// The first report is believed; what a later one must say.
    fn usage(&mut self, at: usize) -> Vec<Expectation> {
        let answer = answer(&self.exchanges[at]);
        let data = answer.as_ref().and_then(|answer| answer.get("data"));
        let mut expected = vec![expect::completed("usage.endpoint")];
        if self.knows_usage {
            expected.push(expect::usage(self.account.usage.clone()));
            if self.knows_wallet {
                expected.push(expect::wallet(self.account.balance()));
            }
            return expected;
        }
        if let Some(rows) = data.and_then(usage::rows) {
            self.account.usage = rows;
            self.knows_usage = true;
        }
        let balance = data.and_then(|data| data.get("walletBalance")?.as_num());
        if let Some(balance) = balance.and_then(Paise::from_rupees) {
            self.account.topped_up = Paise(balance.0 + self.account.charged().0);
            self.knows_wallet = true;
        }
        expected
    }
}

/// The answer of an exchange, as far as it is one.
fn answer(exchange: &Exchange) -> Option<Json<'_>> {
    Json::parse(&exchange.response.as_ref().ok()?.body).ok()
}
