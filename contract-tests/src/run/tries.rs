//! A case that something was in the way of is tried again from its beginning, and a service that is
//! silent is left alone.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::capture::{CapturedCase, Channel, TransportError};
use crate::check::Check;
use crate::client::Client;
use crate::plan::{Case, Setting};
use crate::spend;
use crate::target::Target;
use crate::verdict::{MOST_TRIES, Trouble};
use svc_fixtures::contract::Paise;

/// The wait before the second try, where the service asks for none; before the next one it is twice as long.
const USUAL_WAIT: Duration = Duration::from_millis(250);

/// After so many different calls in a row without a whole answer the service counts as unreachable.
const SILENT_CALLS: usize = 8;

/// Captures a case, and again where something was in its way, at most so often. A case that can cost
/// something is tried again only where the budget covers it.
pub(super) async fn capture<T: Target>(
    setting: &Setting<'_>,
    check: &Check,
    case: &Case,
    client: &Client<'_, T>,
    most: usize,
) -> Vec<CapturedCase> {
    let mut tries = vec![client.capture(check.id, case).await];
    let prices = case.steps.iter();
    let prices = prices.map(|step| spend::most(setting.contract, case.environment, step));
    let price = prices.fold(Paise::ZERO, |sum, price| Paise(sum.0 + price.0));
    while tries.len() < most {
        let trouble = Trouble::of(setting, case, &tries[tries.len() - 1]);
        let Some(trouble) = trouble.filter(|_| client.guard().covers(price)) else {
            break;
        };
        let doubled = u32::try_from(tries.len()).unwrap_or(1);
        tokio::time::sleep(trouble.wait.unwrap_or(USUAL_WAIT * doubled)).await;
        let again = check.cases(&setting.of_try(tries.len()));
        let Some(again) = again.iter().find(|again| again.name == case.name) else {
            break;
        };
        tries.push(client.capture_try(check.id, again, tries.len()).await);
    }
    tries
}

/// What a run has heard of the service.
#[derive(Debug, Default)]
pub(super) struct Silence {
    heard: BTreeSet<&'static str>,
    /// The different calls without a whole answer since the last one with one, by address.
    calls: BTreeSet<(&'static str, String, String)>,
    why: Option<String>,
}

impl Silence {
    /// How often the next case is tried: once where the one before it had no answer in all of its tries.
    pub(super) fn tries(&self) -> usize {
        match self.calls.is_empty() {
            true => MOST_TRIES,
            false => 1,
        }
    }

    /// Takes in the tries of a case. Why the service counts as unreachable, where it does.
    pub(super) fn take(&mut self, tries: &[CapturedCase]) -> Option<String> {
        let exchanges = tries.iter().flat_map(|one| &one.exchanges);
        for exchange in exchanges.filter(|one| one.request.channel == Channel::Api) {
            // Each environment has an address of its own.
            let place = exchange.request.environment.key_prefix();
            match &exchange.response {
                Ok(_) | Err(TransportError::TooLong { .. }) => {
                    self.heard.insert(place);
                    self.calls.retain(|(silent, ..)| *silent != place);
                }
                Err(TransportError::NotSendable(_)) => {}
                Err(error) => {
                    let request = &exchange.request;
                    let call = (place, request.method.clone(), request.path.clone());
                    self.calls.insert(call);
                    self.why = Some(error.to_string());
                    let refused = matches!(error, TransportError::Unreachable(_));
                    let silent = self.calls.iter().filter(|call| call.0 == place);
                    let many = silent.count() >= SILENT_CALLS;
                    if (refused && !self.heard.contains(place)) || many {
                        return self.why.clone();
                    }
                }
            }
        }
        None
    }

    /// Why the service counts as unreachable after a whole check in which nothing was heard of it.
    pub(super) fn so_far(&self) -> Option<String> {
        let mut silent = self.calls.iter();
        let never = silent.any(|(place, ..)| !self.heard.contains(place));
        self.why.clone().filter(|_| never)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Arrived;
    use crate::report::tests::sample;

    fn case(path: &str, error: Option<TransportError>) -> CapturedCase {
        let mut exchange = sample::exchange("{}", "{}");
        exchange.request.path = path.to_owned();
        if let Some(error) = error {
            exchange.response = Err(error);
        }
        CapturedCase {
            exchanges: vec![exchange],
            ..CapturedCase::new("a.check", "a case")
        }
    }

    fn late() -> Option<TransportError> {
        Some(TransportError::TimedOut(Arrived::default()))
    }

    #[test]
    fn nobody_at_the_first_call_is_nobody() {
        let refused = || Some(TransportError::Unreachable("refused".to_owned()));
        let mut silence = Silence::default();
        assert!(silence.take(&[case("/a", refused())]).is_some());
        let mut silence = Silence::default();
        assert_eq!(silence.take(&[case("/a", None)]), None);
        assert_eq!(silence.take(&[case("/b", refused())]), None);
    }

    #[test]
    fn many_different_calls_in_a_row_are_silence_and_one_call_is_not() {
        let mut silence = Silence::default();
        let mut after = |path: &str, error| silence.take(&[case(path, error)]).is_some();
        assert!(!after("/first", None));
        for _ in 0..20 {
            assert!(!after("/same", late()));
        }
        for number in 2..SILENT_CALLS {
            assert!(!after(&format!("/{number}"), late()));
        }
        assert!(after("/last", late()));
        assert!(!after("/first", None));
        assert!(!after("/last", late()));
    }
}
