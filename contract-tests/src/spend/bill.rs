//! What an answer says that its call cost. What it does not say plainly is unknown.

use std::fmt;

use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::json::Json;

use super::price::Price;
use crate::capture::{Response, TransportError};

/// What an answer says about money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bill {
    /// The request never left: it cost nothing.
    NotSent,
    /// Nobody knows: no answer, or one that does not say it.
    Unknown,
    /// It is not over: it costs nothing yet.
    Pending {
        /// What it has cost so far: nothing, unless the service is broken.
        amount: Paise,
        /// The `verificationId`; the answer that ends it has the same.
        verification: Option<String>,
    },
    /// It is over, and cost this.
    Final {
        /// What it cost.
        amount: Paise,
        /// The `verificationId`.
        verification: Option<String>,
    },
}

impl Bill {
    /// The bill of an answer.
    #[must_use]
    pub fn of(answer: &Result<Response, TransportError>) -> Self {
        match answer {
            Ok(response) => Bill::read(&response.body).unwrap_or(Bill::Unknown),
            Err(TransportError::NotSendable(_)) => Bill::NotSent,
            Err(_) => Bill::Unknown,
        }
    }

    fn read(body: &[u8]) -> Option<Self> {
        let json = Json::parse(body).ok()?;
        let billing = json.get("billing")?;
        let charged = billing.get("charged")?.as_bool()?;
        let amount = Paise::from_rupees(billing.get("amount")?.as_num()?)?;
        // A charge of nothing, or less than nothing, says nothing that can be counted on.
        if amount < Paise::ZERO || (charged && amount == Paise::ZERO) {
            return None;
        }
        let verification = json
            .get("verificationId")
            .and_then(Json::as_text)
            .map(str::to_owned);
        match json.get("status")?.as_text()? {
            "pending" => Some(Bill::Pending {
                amount,
                verification,
            }),
            "completed" | "failed" => Some(Bill::Final {
                amount,
                verification,
            }),
            _ => None,
        }
    }

    /// The same, but an amount that is this price in paise is this price.
    #[must_use]
    pub fn in_rupees(mut self, price: Paise) -> Self {
        if let Bill::Pending { amount, .. } | Bill::Final { amount, .. } = &mut self
            && price > Paise::ZERO
            && amount.0 == price.0 * 100
        {
            *amount = price;
        }
        self
    }

    /// The amount it states, where it states one.
    #[must_use]
    pub fn amount(&self) -> Option<Paise> {
        match self {
            Bill::Pending { amount, .. } | Bill::Final { amount, .. } => Some(*amount),
            Bill::NotSent | Bill::Unknown => None,
        }
    }
}

/// What an answer claims about money, however oddly it says it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct StatedCharge {
    charged: bool,
    rupees: f64,
}

impl StatedCharge {
    /// The claim of an envelope.
    #[must_use]
    pub(crate) fn of(envelope: &Json<'_>) -> Self {
        let billing = |name| envelope.get("billing").and_then(|it| it.get(name));
        let charged = billing("charged").and_then(Json::as_bool);
        let rupees = billing("amount").and_then(Json::as_num);
        StatedCharge {
            charged: charged.unwrap_or_default(),
            rupees: rupees.unwrap_or_default(),
        }
    }

    /// Whether it is more than a call there can cost. What nobody said beforehand is not known to be too much.
    #[must_use]
    pub(crate) fn exceeds(self, environment: Environment, price: Price) -> bool {
        match (environment, price) {
            (Environment::Test, _) => self.charged || self.rupees != 0.0,
            (Environment::Live, Price::Free) => self.charged || self.rupees > 0.0,
            (Environment::Live, Price::Presumed(_)) => false,
            (Environment::Live, Price::Listed(most)) => {
                self.rupees > rupees(most) && !self.is(most)
            }
            (Environment::Live, Price::AtMost(most)) => self.rupees > rupees(most),
        }
    }

    /// Whether it is this price. The specification leaves open whether amounts are in rupees or in paise.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "both are made from the same whole number")]
    pub(crate) fn is(self, price: Paise) -> bool {
        let exact = rupees(price);
        self.charged && (self.rupees == exact || self.rupees == exact * 100.0)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "prices are far below what a double holds exactly"
)]
fn rupees(price: Paise) -> f64 {
    price.0 as f64 / 100.0
}

/// As an answer says it, or says it not at all.
impl fmt::Display for StatedCharge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "charged {}, amount {}", self.charged, self.rupees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bill(body: &str) -> Bill {
        Bill::of(&Ok(Response {
            status: 200,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        }))
    }

    fn of(status: &str, billing: &str) -> Bill {
        bill(&format!(
            r#"{{"verificationId":"svcv_a","status":"{status}","billing":{billing}}}"#
        ))
    }

    #[test]
    fn an_answer_that_is_over_has_its_amount() {
        let found = of("completed", r#"{"charged":true,"amount":2.5}"#);
        let verification = Some("svcv_a".to_owned());
        let amount = Paise(250);
        assert_eq!(
            found,
            Bill::Final {
                amount,
                verification
            }
        );
        let free = of("failed", r#"{"charged":false,"amount":0}"#);
        assert_eq!(free.amount(), Some(Paise::ZERO));
    }

    #[test]
    fn an_amount_counts_even_where_charged_is_false() {
        let found = of("failed", r#"{"charged":false,"amount":3}"#);
        assert_eq!(found.amount(), Some(Paise(300)));
    }

    #[test]
    fn what_is_not_said_plainly_is_unknown() {
        let odd = [
            r#"{"charged":true}"#,
            r#"{"charged":"yes","amount":3}"#,
            r#"{"charged":true,"amount":0}"#,
            r#"{"charged":true,"amount":-3}"#,
            r#"{"charged":true,"amount":1.005}"#,
            "null",
        ];
        for billing in odd {
            assert_eq!(of("completed", billing), Bill::Unknown, "{billing}");
        }
        assert_eq!(of("done", r#"{"charged":true,"amount":3}"#), Bill::Unknown);
        assert_eq!(bill("<html>"), Bill::Unknown);
        assert_eq!(bill("[]"), Bill::Unknown);
        let late = TransportError::TimedOut(crate::capture::Arrived::default());
        assert_eq!(Bill::of(&Err(late)), Bill::Unknown);
    }

    #[test]
    fn a_claim_exceeds_what_a_call_can_cost_from_the_first_paisa_more() {
        let exceeds = |environment, most, billing: &str| {
            let text = format!("{{\"billing\":{billing}}}");
            let json = Json::parse(text.as_bytes()).expect("JSON");
            let price = match most {
                0 => Price::Free,
                most => Price::AtMost(Paise(most)),
            };
            StatedCharge::of(&json).exceeds(environment, price)
        };
        let live = Environment::Live;
        assert!(!exceeds(live, 250, r#"{"charged":true,"amount":2.5}"#));
        assert!(exceeds(live, 250, r#"{"charged":true,"amount":2.51}"#));
        assert!(exceeds(live, 250, r#"{"charged":false,"amount":2.501}"#));
        assert!(exceeds(live, 0, r#"{"charged":true}"#));
        assert!(!exceeds(live, 0, r#"{"charged":false,"amount":0}"#));
        assert!(exceeds(
            Environment::Test,
            0,
            r#"{"charged":true,"amount":0}"#
        ));
        assert!(exceeds(
            Environment::Test,
            0,
            r#"{"charged":false,"amount":1}"#
        ));
        assert!(!exceeds(
            Environment::Test,
            0,
            r#"{"charged":false,"amount":0}"#
        ));
    }

    #[test]
    fn a_price_nobody_said_is_never_exceeded_and_a_listed_one_can_be_in_paise() {
        let json = Json::parse(br#"{"billing":{"charged":true,"amount":250}}"#).expect("JSON");
        let stated = StatedCharge::of(&json);
        let exceeds = |price| stated.exceeds(Environment::Live, price);
        assert!(!exceeds(Price::Presumed(Paise(100))));
        assert!(exceeds(Price::Listed(Paise(251))) && exceeds(Price::AtMost(Paise(250))));
        assert!(!exceeds(Price::Listed(Paise(250))));
        assert!(stated.is(Paise(250)) && stated.is(Paise(25_000)) && !stated.is(Paise(300)));
        let bill = Bill::Final {
            amount: Paise(25_000),
            verification: None,
        };
        assert_eq!(
            bill.clone().in_rupees(Paise(250)).amount(),
            Some(Paise(250))
        );
        assert_eq!(bill.in_rupees(Paise(300)).amount(), Some(Paise(25_000)));
    }
}
