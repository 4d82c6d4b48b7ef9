//! Says whether a webhook signature is valid, and when it is not, which of the usual mistakes was
//! made: it makes each of them itself and looks which one gives the signature that came.
//! Knows no clock, no HTTP and no terminal, and never puts a secret into words.

mod bodies;
mod header;
mod reprint;
mod search;
mod secrets;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::engine::state::signature::Signature;
use header::{HeaderReading, Unit};

/// What is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct SignatureCase<'a> {
    /// The webhook signing secret of the receiver.
    pub secret: &'a str,
    /// Secrets that may have been taken for it, each with the name it is called by in a diagnosis.
    pub others: &'a [(&'a str, &'a str)],
    /// Every value of the header, in the order they came.
    pub headers: &'a [&'a str],
    /// The body as it was received.
    pub body: &'a [u8],
    /// The time to compare with, in Unix seconds.
    pub now_s: i64,
    /// How far the signature's time may be from it, in seconds, before or after.
    pub tolerance_s: u64,
}

/// What the diagnosis is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The signature fits and is of this time.
    Valid {
        /// How many seconds ago it was signed; less than 0 where the signer's clock is ahead.
        age_s: i64,
    },
    /// It does not.
    NotValid(Vec<Diagnosis>),
}

/// One thing that is wrong, for people; the code is for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// A short name, such as `body-reprinted`.
    pub code: &'static str,
    /// Whether this is known or guessed.
    pub certainty: Certainty,
    /// What was found.
    pub seen: String,
    /// How that comes about.
    pub why: String,
    /// What to do about it.
    #[serde(rename = "do")]
    pub advice: String,
}

/// One of the things that a signature is made of, as it may have been.
struct Variant<T> {
    made: T,
    /// What is wrong with it; none where it is as it should be.
    mistake: Option<Diagnosis>,
}

impl<T> Variant<T> {
    fn right(made: T) -> Self {
        Variant {
            made,
            mistake: None,
        }
    }

    fn of(made: T, mistake: Diagnosis) -> Self {
        Variant {
            made,
            mistake: Some(mistake),
        }
    }
}

/// How sure a diagnosis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Certainty {
    /// It can be read off the header, or making the mistake gives the very signature that came.
    Proven,
    /// It would explain what came, and can't be tried.
    Suspected,
}

/// What `mistakes.json` says of a mistake: how it comes about, and what to do about it.
#[derive(Deserialize)]
struct Mistake {
    /// What programs know it by, where that is not the kind.
    code: Option<String>,
    why: String,
    advice: String,
}

static MISTAKES: LazyLock<BTreeMap<String, Mistake>> = LazyLock::new(|| {
    let mistakes = serde_json::from_str(include_str!("mistakes.json"));
    mistakes.expect("the tests read the same file")
});

impl Diagnosis {
    /// A mistake that was seen, of a kind that `mistakes.json` names.
    fn proven(kind: &'static str, seen: impl Into<String>) -> Self {
        let mistake = &MISTAKES[kind];
        Diagnosis {
            code: mistake.code.as_deref().unwrap_or(kind),
            certainty: Certainty::Proven,
            seen: seen.into(),
            why: mistake.why.clone(),
            advice: mistake.advice.clone(),
        }
    }

    fn suspected(kind: &'static str, seen: impl Into<String>) -> Self {
        Diagnosis {
            certainty: Certainty::Suspected,
            ..Diagnosis::proven(kind, seen)
        }
    }
}

/// Judges a signature.
#[must_use]
pub fn diagnose(case: &SignatureCase<'_>) -> Verdict {
    if let [header] = case.headers
        && let Ok(signature) = Signature::parse(header)
        && Unit::of(signature.at_s) == Unit::SECONDS
        && signature.verify(case.secret, case.body)
    {
        return match out_of_tolerance(case, signature.at_s) {
            None => Verdict::Valid {
                age_s: case.now_s.saturating_sub(signature.at_s),
            },
            Some(diagnosis) => Verdict::NotValid(vec![diagnosis]),
        };
    }
    let HeaderReading {
        mut mistakes,
        time,
        mac,
    } = header::read(case.headers);
    if let Some(mac) = &mac {
        let searched = search::search(case, time.as_deref(), mac, search::MOST_BYTES);
        match searched.found {
            // What is wrong with the header is all there is.
            Some(found) if found.is_empty() => {}
            Some(found) => mistakes.extend(found),
            None => {
                mistakes.extend(suspicion(case.body));
                mistakes.push(unexplained(&searched.tried));
            }
        }
    }
    let at_s = time.and_then(|time| header::seconds(&time));
    mistakes.extend(at_s.and_then(|at_s| out_of_tolerance(case, at_s)));
    Verdict::NotValid(mistakes)
}

fn out_of_tolerance(case: &SignatureCase<'_>, at_s: i64) -> Option<Diagnosis> {
    let (away_s, allowed_s) = (case.now_s.abs_diff(at_s), case.tolerance_s);
    if away_s <= allowed_s {
        return None;
    }
    let (now, away, allowed) = (case.now_s, span(away_s), span(allowed_s));
    let (code, side) = match at_s < case.now_s {
        true => ("too-old", "before"),
        false => ("from-the-future", "after"),
    };
    let seen =
        format!("t={at_s} is {away} {side} the time of this check, {now}; {allowed} are allowed");
    Some(Diagnosis::proven(code, seen))
}

/// What the body alone makes likely when no mistake that can be tried gives the signature.
fn suspicion(body: &[u8]) -> Option<Diagnosis> {
    let json = |text: &str| {
        serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}'))
    };
    let cut = format!(
        "the body is {} bytes of JSON that ends too early",
        body.len()
    );
    let (code, seen) = match std::str::from_utf8(body).map(|text| (text, json(text))) {
        Ok(("", _)) => ("body-empty", "the body is empty"),
        Err(_) => ("body-not-utf8", "the body is not UTF-8"),
        Ok((_, Err(error))) if error.is_eof() => ("body-cut", cut.as_str()),
        Ok((_, Err(_))) => ("body-not-json", "the body is not JSON"),
        Ok((text, Ok(_))) if text.contains('\u{fffd}') => (
            "body-undecodable",
            "the body has replacement characters (U+FFFD)",
        ),
        Ok(_) => return None,
    };
    Some(Diagnosis::suspected(code, seen))
}

fn unexplained(tried: &str) -> Diagnosis {
    let seen = "the signature is that of another secret or of another body";
    let mut diagnosis = Diagnosis::suspected("unexplained", seen);
    write!(diagnosis.why, " Tried were: {tried}.").expect("a text takes all");
    diagnosis
}

/// A span of time for people: its two largest units.
fn span(seconds: u64) -> String {
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).take(2);
    let parts: Vec<String> = parts
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    match parts.is_empty() {
        true => "0s".to_owned(),
        false => parts.join(" "),
    }
}
