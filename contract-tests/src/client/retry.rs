//! Whether a call is sent again: only where that is safe, seldom, and never to hide an answer. Pure.

use std::time::Duration;

use crate::capture::{Response, TransportError};
use crate::plan::{Case, Ending, Rule, Step};
use crate::spend::must_be_refused;
use svc_fixtures::contract::{Contract, ErrorCode};

/// How often a call is sent again at most.
pub(super) const MOST: usize = 2;

/// The longest time that a `Retry-After` is waited for.
const LONGEST: Duration = Duration::from_secs(60);

/// The wait after the first lost connection; after the next one it is twice as long.
const AFTER_LOSS: Duration = Duration::from_millis(250);

/// What a call may be repeated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RetryPolicy {
    loss: bool,
    rate_limit: bool,
}

impl RetryPolicy {
    /// For nothing.
    pub(super) const NEVER: RetryPolicy = RetryPolicy {
        loss: false,
        rate_limit: false,
    };

    /// What a step may be repeated for. After a loss: what only reads, what has an idempotency key,
    /// and what is refused anyway; but not where its expectation would take the repeat's answer for
    /// a breach. After a 429: what does not ask for one.
    pub(super) fn of(contract: &Contract, case: &Case, step: &Step) -> Self {
        if case.together {
            // How many of them there are is what they show.
            return RetryPolicy::NEVER;
        }
        let reads = step.request.method == "GET";
        let key = |(name, value): &(String, String)| name == "idempotency-key" && !value.is_empty();
        let keyed = step.request.headers.iter().any(key);
        let refused = must_be_refused(contract, step);
        let first = |expected: &Rule| matches!(expected, Rule::NoHeader(_));
        let must_be_first = step.expect.iter().any(|expected| first(&expected.rule));
        RetryPolicy {
            loss: (reads || keyed || refused) && !must_be_first,
            rate_limit: !asks_for_429(case),
        }
    }

    /// How long to wait before the call is sent again after this, where it is. `before` is how often
    /// it was sent again already.
    pub(super) fn again(
        self,
        before: usize,
        answer: &Result<Response, TransportError>,
    ) -> Option<Duration> {
        if before >= MOST {
            return None;
        }
        match answer {
            Err(TransportError::Unreachable(_) | TransportError::TimedOut) => {
                let wait = AFTER_LOSS * 2_u32.pow(u32::try_from(before).unwrap_or(0));
                self.loss.then_some(wait)
            }
            Ok(response) if response.status == 429 && self.rate_limit => retry_after(response),
            _ => None,
        }
    }
}

fn asks_for_429(case: &Case) -> bool {
    let steps = case.steps.iter().flat_map(|step| &step.expect);
    let mut endings = steps.filter_map(|expected| match &expected.rule {
        Rule::Ends(ending) | Rule::SomeEnds(ending) => Some(*ending),
        _ => None,
    });
    endings.any(|ending| {
        matches!(
            ending,
            Ending::Error(ErrorCode::RateLimited) | Ending::Refused(429, _)
        )
    })
}

/// The time a 429 asks for. One without it, or with one too long, stands as it is.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.header("retry-after")?.parse().ok()?;
    let wait = Duration::from_secs(seconds);
    (wait <= LONGEST).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::RequestTemplate;

    fn policy(request: RequestTemplate, rule: Option<Rule>) -> RetryPolicy {
        let mut case = Case::new("a case");
        let at = case.push(request);
        if let Some(rule) = rule {
            case.expect(at, "a.clause", rule);
        }
        RetryPolicy::of(&Contract::built_in(), &case, &case.steps[at])
    }

    fn post() -> RequestTemplate {
        RequestTemplate {
            method: "POST".to_owned(),
            ..RequestTemplate::get("/v1/some")
        }
    }

    fn limited(after: Option<&str>) -> Result<Response, TransportError> {
        let after = after.map(|after| ("retry-after".to_owned(), after.to_owned()));
        Ok(Response {
            status: 429,
            headers: after.into_iter().collect(),
            body: Vec::new(),
        })
    }

    #[test]
    fn a_lost_call_is_repeated_only_where_that_is_safe_and_only_twice() {
        let lost = Err(TransportError::TimedOut);
        let waits = |request, rule, before| {
            let wait = policy(request, rule).again(before, &lost);
            wait.map(|wait| wait.as_millis())
        };
        assert_eq!(waits(post(), None, 0), None);
        assert_eq!(waits(RequestTemplate::get("/v1/usage"), None, 0), Some(250));
        assert_eq!(waits(post().idempotency("k"), None, 1), Some(500));
        assert_eq!(waits(post().idempotency("k"), None, MOST), None);
        assert_eq!(waits(post().idempotency(""), None, 0), None);
        let refused = Rule::Ends(Ending::Error(ErrorCode::InvalidInput));
        assert_eq!(waits(post(), Some(refused), 0), Some(250));
        let first = Some(Rule::NoHeader("idempotent-replay"));
        assert_eq!(waits(post().idempotency("k"), first, 0), None);
    }

    #[test]
    fn what_cannot_be_sent_is_not_sent_again() {
        let never = Err(TransportError::NotSendable("no".to_owned()));
        assert_eq!(
            policy(RequestTemplate::get("/"), None).again(0, &never),
            None
        );
    }

    #[test]
    fn a_429_is_waited_out_unless_it_is_what_was_asked_for() {
        let again = |rule, after| policy(post(), rule).again(0, &limited(after));
        assert_eq!(again(None, Some("3")), Some(Duration::from_secs(3)));
        assert_eq!(again(None, Some("60")), Some(Duration::from_secs(60)));
        assert_eq!(again(None, Some("61")), None);
        assert_eq!(again(None, Some("soon")), None);
        assert_eq!(again(None, None), None);
        let asked = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
        assert_eq!(again(Some(asked), Some("3")), None);
    }
}
