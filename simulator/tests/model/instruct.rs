//! What an `X-Reference-Id` asks for: the scenarios of these tests, which give every operation every
//! outcome, late or slow. Beside them stand the built-in ones.

use svc_fixtures::contract::{ErrorCode, Operation};

/// What a reference asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruct {
    /// An error at once.
    Says(ErrorCode),
    /// The answer is held back.
    Slow,
    /// It is held back, and fails.
    SlowFails,
    /// One outcome after the other.
    Sequence,
    /// Pending, then this.
    Late(Option<ErrorCode>),
    /// Pending; the webhook comes more than once.
    Copies,
    /// Pending; the webhook comes later.
    Laggard,
    /// It succeeds, and the answer breaks on the wire.
    Breaks,
}

pub(crate) const SLOW_MS: i64 = 3000;
pub(crate) const SLOW_FAILS_MS: i64 = 2000;
pub(crate) const LATE_MS: i64 = 40_000;
pub(crate) const SOON_MS: i64 = 10_000;
pub(crate) const COPIES: usize = 3;
pub(crate) const LAG_MS: i64 = 90_000;

/// The outcomes of a sequence, which begins again after the last.
pub(crate) const SEQUENCE: [Option<ErrorCode>; 3] = [
    Some(ErrorCode::SourceTimeout),
    None,
    Some(ErrorCode::NoRecordFound),
];

/// The references of rules that come and go: of this account alone, and of all.
pub(crate) const EDITED: [&str; 2] = ["edited", "reloaded"];

const INSTRUCTS: [(&str, Instruct); 16] = [
    (EDITED[0], Instruct::Says(ErrorCode::ProviderError)),
    (EDITED[1], Instruct::Says(ErrorCode::NoRecordFound)),
    ("says-422", Instruct::Says(ErrorCode::NoRecordFound)),
    ("says-500", Instruct::Says(ErrorCode::InternalError)),
    ("says-502", Instruct::Says(ErrorCode::ProviderError)),
    ("says-503", Instruct::Says(ErrorCode::SourceUnavailable)),
    ("says-504", Instruct::Says(ErrorCode::SourceTimeout)),
    ("slow", Instruct::Slow),
    ("slow-fails", Instruct::SlowFails),
    ("sequence", Instruct::Sequence),
    ("late", Instruct::Late(None)),
    ("late-422", Instruct::Late(Some(ErrorCode::NoRecordFound))),
    (
        "late-503",
        Instruct::Late(Some(ErrorCode::SourceUnavailable)),
    ),
    ("copies", Instruct::Copies),
    ("laggard", Instruct::Laggard),
    ("breaks", Instruct::Breaks),
];

/// References that ask for nothing.
const PLAIN: [&str; 3] = ["a", "b", "c"];

/// The reference of a number; the first ones are none.
pub(crate) fn reference(number: u8) -> Option<&'static str> {
    let number = usize::from(number);
    let named = PLAIN.into_iter().chain(INSTRUCTS.map(|(name, _)| name));
    named.collect::<Vec<_>>().get(number).copied()
}

/// The number of a reference.
pub(crate) fn number_of(name: &str) -> u8 {
    let known = (0..REFERENCES).position(|number| reference(number) == Some(name));
    known.expect("one of these") as u8
}

/// The rule that comes and goes.
pub(crate) fn edited(own: bool) -> String {
    let (name, what) = INSTRUCTS[usize::from(!own)];
    let Instruct::Says(code) = what else {
        unreachable!("it says an error");
    };
    format!(
        "[[scenario]]\nname = \"{name}\"\noperation = \"*\"\n\
         when = {{ header.\"X-Reference-Id\" = \"{name}\" }}\nthen = {{ error = \"{code}\" }}\n"
    )
}

/// How many references there are.
pub(crate) const REFERENCES: u8 = (PLAIN.len() + INSTRUCTS.len()) as u8;

/// What a reference asks of an operation.
pub(crate) fn instruct(reference: Option<&str>, operation: &Operation) -> Option<Instruct> {
    let mut known = INSTRUCTS.into_iter();
    let (_, found) = known.find(|(name, _)| Some(*name) == reference)?;
    let waits = matches!(
        found,
        Instruct::Late(_) | Instruct::Copies | Instruct::Laggard
    );
    (!waits || operation.pending.is_some()).then_some(found)
}

/// The scenarios that make it so.
pub(crate) fn scenarios<'o>(operations: impl Iterator<Item = &'o Operation>) -> String {
    let mut toml = String::new();
    let mut rule = |name: &str, operation: &str, then: &str| {
        toml += &format!(
            "[[scenario]]\nname = \"{name} of {operation}\"\noperation = \"{operation}\"\n\
             when = {{ header.\"X-Reference-Id\" = \"{name}\" }}\n{then}\n"
        );
    };
    let error = |code: ErrorCode| format!("{{ error = \"{code}\" }}");
    let pendable: Vec<_> = operations.filter(|row| row.pending.is_some()).collect();
    for (name, what) in INSTRUCTS {
        if EDITED.contains(&name) {
            continue;
        }
        let late = |then: String| format!("then = {{ pending = {{}}, {then} }}");
        let then = match what {
            Instruct::Says(code) => format!("then = {}", error(code)),
            Instruct::Slow => format!("then = {{ success = {{}}, delay = \"{SLOW_MS}ms\" }}"),
            Instruct::SlowFails => {
                let code = ErrorCode::SourceTimeout;
                format!("then = {{ error = \"{code}\", delay = \"{SLOW_FAILS_MS}ms\" }}")
            }
            Instruct::Breaks => "then = { success = {}, wire = \"garbage\" }".to_owned(),
            Instruct::Sequence => {
                let one =
                    |code: Option<ErrorCode>| code.map_or("{ success = {} }".to_owned(), error);
                format!(
                    "then = [{}]\nstart_over = true",
                    SEQUENCE.map(one).join(", ")
                )
            }
            Instruct::Late(code) => {
                let finally = code.map_or("{ success = {} }".to_owned(), error);
                late(format!("after = \"{LATE_MS}ms\", finally = {finally}"))
            }
            Instruct::Copies => late(format!(
                "after = \"{SOON_MS}ms\", finally = {{ success = {{}} }}, webhook = {{ copies = {COPIES} }}"
            )),
            Instruct::Laggard => late(format!(
                "after = \"{SOON_MS}ms\", finally = {{ success = {{}} }}, webhook = {{ delay = \"{LAG_MS}ms\" }}"
            )),
        };
        match what {
            Instruct::Late(_) | Instruct::Copies | Instruct::Laggard => {
                pendable.iter().for_each(|row| rule(name, &row.id, &then));
            }
            _ => rule(name, "*", &then),
        }
    }
    toml
}
