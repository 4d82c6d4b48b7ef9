//! The steps of a life, drawn by dice. A step names what it is about by a number that is taken modulo
//! what there is, so that any steps may be left out of a life.

use svc_contract_tests::model::Part;

use crate::catalogue::Catalogue;
use crate::dice::Dice;
use crate::instruct::REFERENCES;

/// One step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Call(Draw),
    /// A call of which the journal refuses what it leaves.
    Unwritten(Draw),
    /// An earlier call, made again as it was or with a twist.
    Again {
        which: u16,
        twist: Twist,
    },
    LookUp {
        live: bool,
        which: u16,
        cred: Cred,
    },
    Report {
        live: bool,
    },
    Move(Goal),
    MachineGoesOn {
        ms: i64,
    },
    /// Real time passes: answers that are held back are given.
    RealTime {
        ms: u64,
    },
    /// A client whose call is not answered yet goes away.
    GiveUp {
        which: u16,
    },
    Freeze,
    LetRun,
    TopUp {
        live: bool,
        paise: i64,
    },
    SetBalance {
        live: bool,
        paise: i64,
    },
    Rotate {
        live: bool,
    },
    Revoke {
        which: u16,
    },
    AddKey {
        live: bool,
        number: u8,
    },
    Limit(Option<(u32, u32)>),
    Allowlist {
        outside_only: bool,
    },
    Register {
        live: bool,
        registered: bool,
    },
    /// What the receiver answers from now on; 0 is silence, 1 depends on the delivery, 2 to 4 are faults of
    /// the wire.
    Receiver {
        status: u16,
    },
    Consent {
        which: u16,
        allow: bool,
    },
    EndNow {
        which: u16,
    },
    Redeliver {
        which: u16,
    },
    Reset,
    /// Scenarios are edited, and the next call is one that they are about: those of the account alone, or of all.
    Edit {
        own: bool,
        draw: Draw,
    },
    /// The account is copied and deleted, and the life goes on in the copy. A call before and after it is of a sequence
    /// of outcomes, which goes on.
    MoveToCopy(Draw),
}

/// A call.
#[derive(Debug, Clone)]
pub(crate) struct Draw {
    pub(crate) live: bool,
    pub(crate) cred: Cred,
    /// From an address that allowlists of these tests have in them.
    pub(crate) outside: bool,
    pub(crate) target: u16,
    pub(crate) kind: u16,
    pub(crate) carry: Carry,
    pub(crate) key: Option<u8>,
    /// 0 is none.
    pub(crate) reference: u8,
    /// With white space that changes no value.
    pub(crate) spaced: bool,
}

/// Which key a call presents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cred {
    /// The newest that works here; one is added where none does.
    Works,
    /// One of all the account has or had.
    Any(u8),
    /// The last that was rotated; the newest where none was.
    Ending,
    Unknown,
    None,
}

/// What a later step of a flow carries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Carry {
    /// What one of the latest flows issued.
    Issued(u8),
    Unknown,
    Status(u16),
    Sentinel,
}

/// How a call that is made again differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twist {
    None,
    Reference,
    Body,
    Environment,
    Spaces,
}

/// Where a clock is moved to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    By(i64),
    /// Next to the instant at which the next thing is due.
    Due(i64),
    /// Next to the instant at which a key of the latest calls lapses.
    Lapse {
        which: u8,
        off: i64,
    },
    /// Next to the instant at which a rotated key ends.
    KeyEnd {
        which: u8,
        off: i64,
    },
    Back,
}

/// The steps of one life.
pub(crate) fn life(catalogue: &Catalogue, seed: u64, length: usize) -> Vec<Step> {
    let mut dice = Dice::new(seed);
    (0..length).map(|_| step(catalogue, &mut dice)).collect()
}

const OFFS: [i64; 3] = [-1, 0, 1];

fn step(catalogue: &Catalogue, dice: &mut Dice) -> Step {
    let live = dice.percent(60);
    let which = dice.next() as u16;
    let registered = dice.percent(80);
    match dice.below(1000) {
        0..415 => Step::Call(draw(catalogue, dice)),
        415..430 => Step::Unwritten(draw(catalogue, dice)),
        430..570 => Step::Again {
            which,
            twist: twist(dice),
        },
        570..640 => Step::LookUp {
            live,
            which,
            cred: cred(dice),
        },
        640..655 => Step::Report { live },
        655..745 => Step::Move(goal(dice)),
        745..775 => Step::MachineGoesOn {
            ms: dice.pick(&[1, 200, 1000, 5000, 30_000, 600_000, 90_000_000]),
        },
        775..805 => Step::RealTime {
            ms: dice.pick(&[7, 700, 2100, 3500, 14_000]),
        },
        805..810 => Step::GiveUp { which },
        810..816 => Step::Freeze,
        816..825 => Step::LetRun,
        825..845 => Step::TopUp {
            live,
            paise: dice.pick(&[1, 50, 12_345, 40_000, 100_000, 100_000_000_000_001]),
        },
        845..853 => Step::SetBalance {
            live,
            paise: dice.pick(&[0, 1, 5000, 20_000, 99_999, 100_000_000_000_001]),
        },
        853..860 => Step::Rotate { live },
        860..864 => Step::Revoke { which },
        864..868 => Step::AddKey {
            live,
            number: dice.below(3) as u8,
        },
        868..880 => Step::Limit(dice.percent(35).then(|| {
            let per_second = dice.pick(&[1, 2, 5]);
            (per_second, dice.pick(&[0, 1, 2, 4]))
        })),
        880..890 => Step::Allowlist {
            outside_only: dice.percent(25),
        },
        890..902 => Step::Register { live, registered },
        902..925 => Step::Receiver {
            status: dice.pick(&[
                0, 1, 1, 2, 3, 4, 199, 200, 204, 299, 300, 307, 404, 500, 500,
            ]),
        },
        925..965 => Step::Consent {
            which,
            allow: dice.percent(60),
        },
        965..975 => Step::EndNow { which },
        975..990 => Step::Redeliver { which },
        990..994 => Step::MoveToCopy(draw(catalogue, dice)),
        // Compiling takes its time.
        994 if dice.percent(20) => Step::Edit {
            own: dice.percent(70),
            draw: draw(catalogue, dice),
        },
        _ => Step::Reset,
    }
}

fn twist(dice: &mut Dice) -> Twist {
    match dice.below(10) {
        0..6 => Twist::None,
        6 => Twist::Reference,
        7 => Twist::Body,
        8 => Twist::Environment,
        _ => Twist::Spaces,
    }
}

fn draw(catalogue: &Catalogue, dice: &mut Dice) -> Draw {
    // What comes in several calls or waits comes more often than its share.
    let target = match dice.percent(35) {
        true => dice.pick(&catalogue.in_steps),
        false => dice.below(catalogue.targets.len()),
    };
    let kinds = catalogue.targets[target].len();
    let ends = catalogue.targets[target]
        .iter()
        .position(|kind| kind.part == Part::Second);
    Draw {
        live: dice.percent(60),
        cred: cred(dice),
        outside: dice.percent(12),
        target: target as u16,
        kind: match (ends, dice.below(20)) {
            (Some(ends), 0..9) => ends as u16,
            (_, 9..18) => 0,
            _ => dice.below(kinds) as u16,
        },
        carry: match dice.below(20) {
            0..14 => Carry::Issued(dice.below(3) as u8),
            14 => Carry::Unknown,
            15..19 => Carry::Status(dice.pick(&[422, 500, 502, 503, 504])),
            _ => Carry::Sentinel,
        },
        key: dice.percent(60).then(|| dice.below(12) as u8),
        reference: match dice.percent(45) {
            true => 0,
            false => 1 + dice.below(usize::from(REFERENCES)) as u8,
        },
        spaced: dice.percent(10),
    }
}

fn cred(dice: &mut Dice) -> Cred {
    match dice.below(100) {
        0..89 => Cred::Works,
        89..94 => Cred::Any(dice.below(8) as u8),
        94..98 => Cred::Ending,
        98 => Cred::Unknown,
        _ => Cred::None,
    }
}

fn goal(dice: &mut Dice) -> Goal {
    match dice.below(20) {
        0..4 => Goal::By(dice.pick(&[0, 1, 999, 1000, 4999, 25_000, 120_000])),
        4 => Goal::By(dice.pick(&[3_600_000, 21_600_000, 86_399_999, 86_400_000, 200_000_000])),
        5..14 => Goal::Due(dice.pick(&OFFS)),
        14..17 => Goal::Lapse {
            which: dice.below(4) as u8,
            off: dice.pick(&OFFS),
        },
        17..19 => Goal::KeyEnd {
            which: dice.below(3) as u8,
            off: dice.pick(&OFFS),
        },
        _ => Goal::Back,
    }
}
