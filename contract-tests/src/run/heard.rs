//! What a run has heard of the service so far: trouble that stays, and silence.

use std::collections::{BTreeMap, BTreeSet};

use crate::capture::{CapturedCase, Channel, TransportError};
use crate::check::Check;
use crate::plan::Case;
use crate::verdict::{MOST_TRIES, Trouble, TroubleKind};

/// After so many cases of a check, or about an operation, that met the same in all of their tries, further
/// ones are tried once.
const ENOUGH: usize = 3;

/// After so many cases in a row that met anything in all of their tries, further ones are tried once.
const IN_A_ROW: usize = 8;

/// After so many different calls in a row without a whole answer the service counts as unreachable.
const SILENT_CALLS: usize = 8;

/// The trouble that stays, however often a case is tried: by check and by operation.
#[derive(Debug, Default)]
pub(super) struct LastingTrouble {
    cases: BTreeMap<(String, String), usize>,
    in_a_row: usize,
}

impl LastingTrouble {
    /// Whether it is of no use to try a case again that met this.
    pub(super) fn expects(&self, check: &Check, case: &Case, trouble: &Trouble) -> bool {
        let enough = match &trouble.kind {
            // Each try of it may take a minute.
            TroubleKind::NoWholeAnswer(TransportError::TimedOut(_)) => 1,
            TroubleKind::NoWholeAnswer(_) | TroubleKind::Refused(_) | TroubleKind::WalletMoved => {
                ENOUGH
            }
        };
        let mut about = about(check, case);
        let known = |about: &str| {
            let met = (about.to_owned(), trouble.words());
            self.cases.get(&met).is_some_and(|cases| *cases >= enough)
        };
        self.in_a_row >= IN_A_ROW || about.any(known)
    }

    /// A case met this in its last try, too.
    pub(super) fn stayed(&mut self, check: &Check, case: &Case, trouble: &Trouble) {
        self.in_a_row += 1;
        for about in about(check, case) {
            let met = (about.to_owned(), trouble.words());
            *self.cases.entry(met).or_default() += 1;
        }
    }

    /// Nothing was in the way of a case in the end.
    pub(super) fn passed(&mut self) {
        self.in_a_row = 0;
    }
}

/// What cases have in common that meet the same trouble: the check, or the operation.
fn about<'c>(check: &'c Check, case: &'c Case) -> impl Iterator<Item = &'c str> {
    [check.id].into_iter().chain(case.operation.as_deref())
}

/// Whether a service still answers.
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
