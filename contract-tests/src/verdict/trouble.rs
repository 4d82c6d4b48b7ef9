//! What was in the way of a try and is no fault of the answer's form: no whole answer, or an honest
//! refusal that nobody asked for. Pure.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use super::answer::Answer;
use super::finding::{Finding, Verdict};
use super::wallet;
use crate::capture::{CapturedCase, Exchange, Response, TransportError};
use crate::plan::{Case, Rule, Setting};
use svc_fixtures::contract::{Contract, ErrorCode};

/// The longest time that a `Retry-After` is waited for.
const LONGEST: Duration = Duration::from_secs(60);

/// The wait before the second try where others may have moved the wallet.
const SHORTEST: Duration = Duration::from_millis(20);

/// What was in the way of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The step, counting from 0.
    pub step: usize,
    /// What came in place of an answer that can be judged.
    pub kind: TroubleKind,
    /// How long the service asks to wait, where it does.
    pub wait: Option<Duration>,
}

/// What came in place of an answer that can be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TroubleKind {
    /// No whole answer.
    NoWholeAnswer(TransportError),
    /// A refusal that says by the contract's own words that a later try may succeed.
    Refused(ErrorCode),
    /// A wallet that fell by another amount than was charged: others may have used or filled it.
    WalletMoved,
}

impl Trouble {
    /// What was in the way of a try, where something was: no whole answer, or an honest refusal that
    /// nobody asked for in a try that does not hold.
    #[must_use]
    pub fn of(setting: &Setting<'_>, case: &Case, captured: &CapturedCase) -> Option<Self> {
        let contract = setting.contract;
        if let Some(trouble) = Trouble::that_ends(contract, case, captured) {
            return Some(trouble);
        }
        let exchanges = captured.exchanges.iter().enumerate();
        let mut refused = exchanges.filter_map(|(step, exchange)| {
            let kind = TroubleKind::Refused(refusal(contract, case, step, exchange)?);
            let wait = retry_after(exchange.response.as_ref().ok()?);
            Some(Trouble { step, kind, wait })
        });
        let holds = |finding: &Finding| {
            matches!(
                finding.verdict,
                Verdict::Held { .. } | Verdict::Noted { .. }
            )
        };
        let Some(first) = refused.next() else {
            return Trouble::of_wallet(case, captured);
        };
        let found = super::judge(setting, case, captured);
        (!found.iter().all(holds)).then_some(first)
    }

    /// The first step of a try that something was in the way of: a try whose connection broke in the end may have met
    /// an honest refusal before.
    pub(super) fn first_step(
        &self,
        contract: &Contract,
        case: &Case,
        captured: &CapturedCase,
    ) -> usize {
        let mut exchanges = captured.exchanges.iter().enumerate();
        let refused = exchanges.find(|(step, it)| refusal(contract, case, *step, it).is_some());
        refused.map_or(self.step, |(step, _)| self.step.min(step))
    }

    /// A wallet that may have been moved by others. Each wait is longer than the one before, so that what they
    /// take between the tries differs.
    fn of_wallet(case: &Case, captured: &CapturedCase) -> Option<Self> {
        let step = wallet::moved(case, captured)?;
        let longer = u32::try_from(captured.try_ + 1).unwrap_or(1);
        Some(Trouble {
            step,
            kind: TroubleKind::WalletMoved,
            wait: Some(SHORTEST * longer * longer),
        })
    }

    /// What was in the way of the last call, or of one of those sent at once, so that nothing is
    /// to be sent after it: no whole answer, a 429 that says how long to wait, or an honest refusal of the call whose
    /// key another body is to conflict with, which would be executed now, and charged.
    #[must_use]
    pub fn that_ends(contract: &Contract, case: &Case, captured: &CapturedCase) -> Option<Self> {
        let last = captured.exchanges.len().saturating_sub(1);
        let from = match case.together.contains(&last) {
            true => case.together.start,
            false => last,
        };
        let mut exchanges = captured.exchanges.iter().enumerate().skip(from);
        exchanges.find_map(|(step, exchange)| {
            let (kind, wait) = match &exchange.response {
                Err(TransportError::NotSendable(_) | TransportError::TooLong { .. }) => None,
                Err(error) => Some((TroubleKind::NoWholeAnswer(error.clone()), None)),
                Ok(response) if response.status == 429 => {
                    let wait = retry_after(response);
                    refusal(contract, case, step, exchange)
                        .filter(|_| wait.is_some())
                        .map(|code| (TroubleKind::Refused(code), wait))
                }
                Ok(response) if conflicts_after(case, step) => {
                    let code = refusal(contract, case, step, exchange);
                    code.map(|code| (TroubleKind::Refused(code), retry_after(response)))
                }
                Ok(_) => None,
            }?;
            Some(Trouble { step, kind, wait })
        })
    }

    /// In a few words that are the same for the same trouble.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.kind {
            TroubleKind::NoWholeAnswer(TransportError::TimedOut(_)) => "no answer in time".into(),
            TroubleKind::NoWholeAnswer(TransportError::Cut { .. }) => "a broken connection".into(),
            TroubleKind::NoWholeAnswer(_) => "no connection".into(),
            TroubleKind::Refused(code) => format!("an honest {code}"),
            TroubleKind::WalletMoved => {
                "a wallet that fell by another amount than was charged".into()
            }
        }
    }
}

/// Whether a later step of a case must be a conflict.
fn conflicts_after(case: &Case, step: usize) -> bool {
    let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
    let mut later = case.steps.iter().skip(step + 1);
    later.any(|it| it.expect.iter().any(|expected| expected.rule == conflict))
}

/// The error of a refusal that a later call may not meet, where the case does not ask for it. What a 429
/// says beside its status is judged like every answer.
fn refusal(
    contract: &Contract,
    case: &Case,
    step: usize,
    exchange: &Exchange,
) -> Option<ErrorCode> {
    let answer = Answer::of(exchange).ok()?;
    // What is said of an earlier call is no refusal of this one.
    if answer.looked_up() {
        return None;
    }
    let status = answer.response.status;
    if status == 429 {
        let asked = asks_for(case, step, ErrorCode::RateLimited);
        return (!asked).then_some(ErrorCode::RateLimited);
    }
    let code = answer.code()?;
    let row = contract.error(code);
    let retryable = answer.at(&["error", "retryable"])?.as_bool()?;
    let honest = row.status == status && status >= 500 && row.retryable && retryable;
    (honest && !asks_for(case, step, code)).then_some(code)
}

/// Whether a case asks for this error: at this step, or of any of its calls; for a 429 anywhere.
fn asks_for(case: &Case, step: usize, code: ErrorCode) -> bool {
    let limited = code == ErrorCode::RateLimited;
    let mut steps = case.steps.iter().enumerate();
    steps.any(|(at, one)| {
        one.expect.iter().any(|expected| match expected.rule {
            Rule::Ends(ending) if at == step || limited => ending.code() == Some(code),
            Rule::SomeEnds(ending) => ending.code() == Some(code),
            _ => false,
        })
    })
}

/// The time a refusal asks to wait: in seconds, or until a date by the service's own clock. None where it
/// is too long.
fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.header("retry-after")?;
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = date(text)?;
            let now = date(response.header("date")?)?;
            Duration::try_from(until.duration_since(now)).unwrap_or_default()
        }
    };
    (wait <= LONGEST).then_some(wait)
}

fn date(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Arrived;
    use crate::plan::{Ending, RequestTemplate};
    use crate::report::tests::sample;

    fn exchange(status: u16, headers: &[(&str, &str)], body: &str) -> Exchange {
        let mut exchange = sample::exchange("{}", body);
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        if let Ok(response) = &mut exchange.response {
            response.status = status;
            response.headers = headers.iter().map(text).collect();
        }
        exchange
    }

    fn found(rule: Option<Rule>, exchange: Exchange) -> Option<(TroubleKind, Option<Duration>)> {
        let mut case = Case::new("a case");
        let step = case.push(RequestTemplate::get("/v1/some"));
        if let Some(rule) = rule {
            case.expect(step, "a.clause", rule);
        }
        let mut captured = CapturedCase::new("a.check", "a case");
        captured.exchanges.push(exchange);
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, Vec::new(), "seed");
        let trouble = Trouble::of(&setting, &case, &captured)?;
        Some((trouble.kind, trouble.wait))
    }

    #[test]
    fn a_429_is_waited_out_unless_it_is_what_was_asked_for() {
        let wait = |rule, headers: &[_]| found(rule, exchange(429, headers, "{}"))?.1;
        let after = |after| wait(None, &[("retry-after", after)]).map(|wait| wait.as_secs());
        assert_eq!(after("3"), Some(3));
        assert_eq!(after("60"), Some(60));
        assert_eq!(after("61"), None);
        assert_eq!(after("soon"), None);
        assert_eq!(wait(None, &[]), None);
        let date = ("date", "Fri, 15 Jan 2027 08:00:00 GMT");
        let until = ("retry-after", "Fri, 15 Jan 2027 08:00:30 GMT");
        assert_eq!(wait(None, &[date, until]), Some(Duration::from_secs(30)));
        assert_eq!(wait(None, &[until]), None, "by whose clock?");
        let asked = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
        assert_eq!(wait(Some(asked), &[("retry-after", "3")]), None);
    }

    #[test]
    fn a_refusal_is_honest_by_the_contract_s_own_words_alone() {
        const HONEST: &str = r#"{"error":{"code":"SVC_SOURCE_UNAVAILABLE","retryable":true}}"#;
        let trouble = |rule, status, body| found(rule, exchange(status, &[], body)).is_some();
        let success = || Some(Rule::Ends(Ending::Completed));
        assert!(trouble(success(), 503, HONEST));
        assert!(!trouble(success(), 500, HONEST));
        let final_ = HONEST.replace("true", "false");
        assert!(!trouble(success(), 503, &final_));
        assert!(!trouble(success(), 503, "<html>"));
        let asked = Some(Rule::fails(ErrorCode::SourceUnavailable));
        assert!(!trouble(asked, 503, HONEST));
    }

    #[test]
    fn what_is_not_whole_is_trouble_and_what_cannot_be_sent_is_not() {
        let lost = |error| Exchange {
            response: Err(error),
            ..exchange(200, &[], "")
        };
        let late = TransportError::TimedOut(Arrived::default());
        assert!(found(None, lost(late)).is_some());
        let never = TransportError::NotSendable("no".to_owned());
        assert!(found(None, lost(never)).is_none());
    }
}
