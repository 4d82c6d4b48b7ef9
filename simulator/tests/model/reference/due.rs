//! What falls due as time passes, and what can be read off an envelope.

use svc_contract_tests::model::{CallOutcome, Due, Phase};
use svc_fixtures::contract::ErrorCode;

use super::Model;

/// Something that happened while time passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Happened {
    Ended {
        at: i64,
        env: usize,
        id: String,
    },
    Attempted {
        at: i64,
        env: usize,
        id: String,
        status: Option<u16>,
        posted: bool,
    },
}

/// What is due.
enum Next {
    End(usize),
    Attempt(usize),
}

/// When, a result or an attempt, which id, which environment.
type Order<'m> = (i64, u8, &'m str, usize);

impl Model<'_> {
    fn id(&self, env: usize, at: usize) -> &str {
        let id = self.environments[env].id(at);
        id.expect("it was answered")
    }

    /// What is due first: results before attempts, then in order of id, then of environment.
    fn next_due(&self) -> Option<(i64, usize, Next)> {
        let mut first: Option<(Order<'_>, usize)> = None;
        let mut note = |due, at| {
            if first.is_none_or(|(known, _)| due < known) {
                first = Some((due, at));
            }
        };
        for (env, environment) in self.environments.iter().enumerate() {
            for (at, it) in environment.state.verifications.iter().enumerate() {
                if let Phase::Pending(Due::At(due)) = it.phase {
                    note((due, 0, self.id(env, at), env), at);
                }
            }
            for (at, delivery) in environment.deliveries.iter().enumerate() {
                if let Some((due, _)) = delivery.next() {
                    note((due, 1, &delivery.verification, env), at);
                }
            }
        }
        let ((due, kind, _, env), at) = first?;
        let next = if kind == 0 {
            Next::End(at)
        } else {
            Next::Attempt(at)
        };
        Some((due, env, next))
    }

    /// When something is due next.
    pub(crate) fn due(&self) -> Option<i64> {
        self.next_due().map(|(due, ..)| due)
    }

    /// Does everything that is due until an instant, and shows it then.
    pub(crate) fn pass_until(&mut self, to: i64) -> Vec<Happened> {
        let mut happened = Vec::new();
        let mut shown = self.clock.now();
        while let Some((due, env, next)) = self.next_due().filter(|(due, ..)| *due <= to) {
            shown = shown.max(due);
            match next {
                Next::End(verification) => {
                    let id = self.id(env, verification).to_owned();
                    self.environments[env].end(verification, due);
                    happened.push(Happened::Ended { at: due, env, id });
                }
                Next::Attempt(delivery) => {
                    let status = self.receiver_says(env, delivery);
                    let posted = self.environments[env].registered;
                    let delivery = &mut self.environments[env].deliveries[delivery];
                    delivery.attempt(status);
                    happened.push(Happened::Attempted {
                        at: shown,
                        env,
                        id: delivery.verification.clone(),
                        status,
                        posted,
                    });
                }
            }
        }
        self.clock.show(to.max(shown));
        happened
    }

    fn receiver_says(&self, env: usize, delivery: usize) -> Option<u16> {
        let environment = &self.environments[env];
        if !environment.registered {
            return None;
        }
        status_of(
            self.receiver,
            &environment.deliveries[delivery].verification,
        )
    }

    /// A person says yes or no. Whether anybody was asked.
    pub(crate) fn consent(&mut self, env: usize, at: usize, allow: bool) -> bool {
        let contract = &self.catalogue.contract;
        let it = &mut self.environments[env].state.verifications[at];
        let row = &contract.operations[it.steps[0].operation];
        let asks = row
            .pending
            .as_ref()
            .is_some_and(|row| row.by_consent.is_some());
        let open = matches!(it.phase, Phase::Pending(_)) && asks && it.steps.len() == 1;
        if !open {
            return false;
        }
        if !allow {
            it.steps[0].outcome = CallOutcome::Failed(ErrorCode::NoRecordFound);
        }
        let now = self.clock.now();
        self.environments[env].end(at, now);
        true
    }

    /// Somebody ends what is pending. Whether it was.
    pub(crate) fn end_now(&mut self, env: usize, at: usize) -> bool {
        let environment = &mut self.environments[env];
        let pending = matches!(environment.state.verifications[at].phase, Phase::Pending(_));
        if pending {
            environment.end(at, self.clock.now());
        }
        pending
    }
}

/// Moods of a receiver in which its answer does not arrive.
pub(crate) const REFUSED: u16 = 2;
pub(crate) const BREAKS_OFF: u16 = 3;
pub(crate) const TIMED_OUT: u16 = 4;

/// What a receiver in this mood answers to this delivery.
pub(crate) fn status_of(receiver: u16, verification: &str) -> Option<u16> {
    match receiver {
        0 | REFUSED..=TIMED_OUT => None,
        1 => Some(
            if verification.bytes().map(u32::from).sum::<u32>() % 2 == 0 {
                200
            } else {
                503
            },
        ),
        status => Some(status),
    }
}

/// All ids of verifications that stand in an envelope, its own first.
pub(crate) fn ids(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).expect("JSON is text");
    let parts = text.split("\"verificationId\":\"").skip(1);
    parts.map(|part| part[..31].to_owned()).collect()
}
