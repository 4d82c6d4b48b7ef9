//! What operations come to, and what bundles make of it.

use svc_fixtures::contract::{BundleMode, ErrorCode, Operation};

use crate::catalogue::{Catalogue, Mark, Of, Run, Template};
use crate::instruct::{self, Instruct, LATE_MS, SEQUENCE, SLOW_FAILS_MS, SLOW_MS, SOON_MS};

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    Completed,
    Failed(ErrorCode),
    Pending(Due, Box<Fate>),
}

/// What ends something that is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    At(i64),
    Person,
    SecondCall,
}

/// One operation that was run.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) operation: usize,
    pub(crate) fate: Fate,
    pub(crate) otp_is_right: bool,
    /// Where it stands in the call log, once it does; only of a bundle's steps.
    pub(crate) record: Option<usize>,
}

/// What tells sequences apart.
pub(crate) type Sequence = Vec<(String, String)>;

/// All that was drawn for a call.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) ran: Vec<Ran>,
    pub(crate) delay_ms: i64,
    pub(crate) sequences: Vec<Sequence>,
    pub(crate) copies: bool,
    pub(crate) lags: bool,
}

impl Fate {
    /// What it is in the end.
    pub(crate) fn last(&self) -> &Fate {
        match self {
            Fate::Pending(_, finally) => finally.last(),
            other => other,
        }
    }

    pub(crate) fn conclusive(&self) -> bool {
        matches!(
            self,
            Fate::Completed | Fate::Failed(ErrorCode::NoRecordFound)
        )
    }
}

/// Runs everything a template runs, one after the other.
pub(crate) fn draw(
    catalogue: &Catalogue,
    template: &Template,
    carried: (&str, Mark),
    reference: Option<&str>,
    now: i64,
    decided: impl Fn(&Sequence) -> usize,
) -> Drawn {
    let contract = &catalogue.contract;
    let mut drawn = Drawn::default();
    let parallel = match template.of {
        Of::Bundle(at) => contract.bundles[at].mode == BundleMode::Parallel,
        Of::Operation(_) => false,
    };
    for run in &template.runs {
        let given = |from: &String| {
            let mut ran = drawn.ran.iter();
            ran.any(|ran| {
                contract.operations[ran.operation].id == *from
                    && *ran.fate.last() == Fate::Completed
            })
        };
        if run.needs.as_ref().is_some_and(|from| !given(from)) {
            continue;
        }
        let row = &contract.operations[run.operation];
        let mark = mark(run, carried.1);
        let asked = instruct::instruct(reference, row).filter(|_| mark != Mark::Sentinel);
        let mut sequence = run.identifiers.clone();
        for (_, value) in &mut sequence {
            *value = value.replace(crate::catalogue::CARRIED, carried.0);
        }
        let fate = fate(catalogue, row, mark, asked, now, decided(&sequence));
        let delay_ms = match asked {
            Some(Instruct::Slow) => SLOW_MS,
            Some(Instruct::SlowFails) => SLOW_FAILS_MS,
            _ => 0,
        };
        drawn.delay_ms = match parallel {
            true => drawn.delay_ms.max(delay_ms),
            false => drawn.delay_ms + delay_ms,
        };
        drawn.copies |= asked == Some(Instruct::Copies);
        drawn.lags |= asked == Some(Instruct::Laggard);
        if asked == Some(Instruct::Sequence) {
            drawn.sequences.push(sequence);
        }
        drawn.ran.push(Ran {
            operation: run.operation,
            fate,
            otp_is_right: run.otp_is_right,
            record: None,
        });
    }
    drawn
}

/// The sentinel comes before all; then the first identifying field that asks for something.
fn mark(run: &Run, carried: Mark) -> Mark {
    match (run.mark, carried) {
        (Mark::Sentinel, _) | (_, Mark::Sentinel) => Mark::Sentinel,
        (Mark::None, carried) => carried,
        (own, _) => own,
    }
}

fn fate(
    catalogue: &Catalogue,
    row: &Operation,
    mark: Mark,
    asked: Option<Instruct>,
    now: i64,
    decided: usize,
) -> Fate {
    let ends = |code: Option<ErrorCode>| code.map_or(Fate::Completed, Fate::Failed);
    let pending = |after_ms: Option<i64>, finally: Fate| {
        let own = row.pending.as_ref().expect("it can be pending");
        let due = match (after_ms, &own.by_consent) {
            (Some(after_ms), _) => Due::At(now + after_ms),
            (None, Some(_)) => Due::Person,
            (None, None) => Due::At(now + i64::try_from(own.after_ms).expect("a time")),
        };
        Fate::Pending(due, Box::new(finally))
    };
    let success = || match row.pending.as_ref().is_some_and(|own| own.always) {
        true => pending(None, Fate::Completed),
        false => Fate::Completed,
    };
    let by_code = |code: Option<ErrorCode>| code.map_or_else(success, Fate::Failed);
    match (mark, asked) {
        (Mark::Sentinel, _) => Fate::Failed(ErrorCode::SourceUnavailable),
        (_, Some(Instruct::Says(code))) => Fate::Failed(code),
        (_, Some(Instruct::Slow)) => success(),
        (_, Some(Instruct::SlowFails)) => Fate::Failed(ErrorCode::SourceTimeout),
        (_, Some(Instruct::Sequence)) => by_code(SEQUENCE[decided % SEQUENCE.len()]),
        (_, Some(Instruct::Late(code))) => pending(Some(LATE_MS), ends(code)),
        (_, Some(Instruct::Copies | Instruct::Laggard)) => pending(Some(SOON_MS), Fate::Completed),
        (Mark::Status(202), None) => pending(None, Fate::Completed),
        (Mark::Status(status), None) => {
            let mut codes = ErrorCode::ALL.into_iter();
            let code = codes.rfind(|code| catalogue.status(*code) == status);
            Fate::Failed(code.expect("a status of the table"))
        }
        (Mark::None, None) => success(),
    }
}

/// What a bundle is while its steps are like this.
pub(crate) fn of_bundle(ran: &[Ran], second_to_come: bool) -> Fate {
    let pending = |ran: &&Ran| matches!(ran.fate, Fate::Pending(..));
    if ran.iter().any(|ran| pending(&ran)) {
        let due = ran.iter().filter_map(|ran| match ran.fate {
            Fate::Pending(Due::At(at), _) => Some(at),
            _ => None,
        });
        let latest = due.max().expect("no bundle waits for a person");
        return Fate::Pending(Due::At(latest), Box::new(Fate::Completed));
    }
    if let Some(failed) = ran.iter().find(|ran| !ran.fate.conclusive()) {
        return failed.fate.clone();
    }
    // Only a first step that completed gave what a second call carries.
    let issued = ran.iter().all(|ran| ran.fate == Fate::Completed);
    match second_to_come && issued {
        true => Fate::Pending(Due::SecondCall, Box::new(Fate::Completed)),
        false => Fate::Completed,
    }
}
