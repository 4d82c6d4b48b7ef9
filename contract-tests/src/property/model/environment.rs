//! Money and usage of the modelled account: balance, holds, what was charged, and what was counted.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::expect::expect;
use crate::plan::{Ending, Expectation, Place, Predicate, Rule, UsageFigures, UsageRow};
use crate::verdict::usage;

/// What an account has and had. Balance and usage are known from the first report on.
#[derive(Debug, Default)]
pub(super) struct EnvironmentState {
    /// Whether calls cost anything.
    pub(super) live: bool,
    balance: Option<Paise>,
    held: Paise,
    usage: Option<BTreeMap<String, UsageFigures>>,
}

impl EnvironmentState {
    /// Whether the wallet covers a price beside what is held. One that is not known is taken to.
    pub(super) fn covers(&self, price: Paise) -> bool {
        let free = self.balance.map(|balance| balance.0 - self.held.0);
        !self.live || free.is_none_or(|free| free >= price.0)
    }

    /// Puts a price aside until the result is there.
    pub(super) fn hold(&mut self, price: Paise) {
        if self.live {
            self.held.0 += price.0;
        }
    }

    /// Gives back what was put aside.
    pub(super) fn release(&mut self, price: Paise) {
        self.held.0 -= price.0;
    }

    /// Books a charge; answers what the answer must say of it.
    pub(super) fn charge(&mut self, amount: Paise) -> Vec<Expectation> {
        let charged = amount > Paise::ZERO;
        let mut expected = vec![expect("billing.conclusive", Rule::Charged(charged))];
        if !charged {
            return expected;
        }
        expected.push(expect("ruling.21-prices", Rule::Price(amount)));
        if let Some(balance) = &mut self.balance {
            balance.0 -= amount.0;
            let place = Place::of(["billing", "walletBalanceAfter"]);
            let after = Rule::Value(place, Predicate::Is(rupees(*balance)));
            expected.push(expect("ruling.22-wallet-adds-up", after));
        }
        expected
    }

    /// Counts calls of an endpoint that ended so; without an ending they have none yet.
    pub(super) fn count(
        &mut self,
        endpoint: &str,
        calls: i64,
        ended: Option<Ending>,
        amount: Paise,
    ) {
        let Some(usage) = &mut self.usage else { return };
        let one_if = i64::from;
        let no_record = ended == Some(Ending::Error(ErrorCode::NoRecordFound));
        let failed = matches!(ended, Some(Ending::Error(_) | Ending::Refused(..)));
        usage
            .entry(endpoint.to_owned())
            .or_default()
            .add(&UsageFigures {
                row: UsageRow {
                    calls,
                    completed: one_if(ended == Some(Ending::Completed)),
                    no_record: one_if(no_record),
                    failed: one_if(failed && !no_record),
                },
                billed: one_if(amount > Paise::ZERO),
                amount,
            });
    }

    /// What a report must say; the first one is believed.
    pub(super) fn reported(&mut self, data: Option<&Json<'_>>) -> Vec<Expectation> {
        let Some(rows) = &self.usage else {
            self.usage = data.and_then(usage::rows);
            let balance = data.and_then(|data| data.get("walletBalance")?.as_num());
            self.balance = balance.and_then(Paise::from_rupees);
            return Vec::new();
        };
        let usage = expect("ruling.27-usage", Rule::Usage(rows.clone()));
        let balance = self.balance.map(|balance| {
            let place = Place::of(["data", "walletBalance"]);
            let rule = Rule::Value(place, Predicate::Is(rupees(balance)));
            expect("ruling.22-wallet-adds-up", rule)
        });
        [usage].into_iter().chain(balance).collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a double prints every amount below 2^53 paise"
)]
fn rupees(amount: Paise) -> Json<'static> {
    Json::Num(amount.0 as f64 / 100.0)
}
