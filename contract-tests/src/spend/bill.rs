//! What an answer says that its call cost. What it does not say plainly is unknown.

use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;

use crate::target::{Response, TransportError};

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

    /// The amount it tells, where it tells one.
    #[must_use]
    pub fn amount(&self) -> Option<Paise> {
        match self {
            Bill::Pending { amount, .. } | Bill::Final { amount, .. } => Some(*amount),
            Bill::NotSent | Bill::Unknown => None,
        }
    }
}

/// Whether an answer says anywhere that something was charged, however oddly it says it.
#[must_use]
pub(crate) fn claims_charge(response: &Response) -> bool {
    let Ok(json) = Json::parse(&response.body) else {
        return false;
    };
    let billing = |name| json.get("billing").and_then(|billing| billing.get(name));
    let charged = billing("charged").and_then(Json::as_bool);
    let amount = billing("amount").and_then(Json::as_num);
    charged == Some(true) || amount.is_some_and(|amount| amount != 0.0)
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
    fn an_answer_that_is_over_tells_its_amount() {
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
        assert_eq!(Bill::of(&Err(TransportError::TimedOut)), Bill::Unknown);
    }
}
