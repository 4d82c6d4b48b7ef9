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

use serde::Serialize;

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

impl Diagnosis {
    fn proven(code: &'static str, seen: impl Into<String>, why: &str, advice: &str) -> Self {
        Diagnosis {
            code,
            certainty: Certainty::Proven,
            seen: seen.into(),
            why: why.to_owned(),
            advice: advice.to_owned(),
        }
    }

    fn suspected(code: &'static str, seen: impl Into<String>, why: &str, advice: &str) -> Self {
        Diagnosis {
            certainty: Certainty::Suspected,
            ..Diagnosis::proven(code, seen, why, advice)
        }
    }
}

/// Judges a signature.
#[must_use]
pub fn diagnose(case: &SignatureCase<'_>) -> Verdict {
    if let [header] = case.headers
        && let Ok(signature) = Signature::parse(header)
        && Unit::of(signature.at_s) == Unit::Seconds
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
    let seen = |side: &str| {
        format!("t={at_s} is {away} {side} the time of this check, {now}; {allowed} are allowed")
    };
    Some(if at_s < case.now_s {
        Diagnosis::proven(
            "too-old",
            seen("before"),
            "An old delivery was sent once more, by a person or by an attacker who recorded it, or the clock of this \
             machine is ahead. Each attempt of the service is signed anew, so a late attempt is not the reason.",
            "Compare the clocks of both machines. For a recorded delivery pass its own time as `--at`, or a larger \
             tolerance.",
        )
    } else {
        Diagnosis::proven(
            "from-the-future",
            seen("after"),
            "The clock of this machine is behind, the signer's is ahead, or the signer signs with a simulated time.",
            "Compare the clocks of both machines (`date +%s`), and let both be set by the network.",
        )
    })
}

/// What the body alone makes likely when no mistake that can be tried gives the signature.
fn suspicion(body: &[u8]) -> Option<Diagnosis> {
    if body.is_empty() {
        return Some(Diagnosis::suspected(
            "body-empty",
            "the body is empty",
            "A delivery always has a body. Often a framework has read it already, and a second reading gives nothing.",
            "Take the raw body before anything else reads it: a raw-body middleware for this one route.",
        ));
    }
    let Ok(text) = std::str::from_utf8(body) else {
        return Some(Diagnosis::suspected(
            "body-not-utf8",
            "the body is not UTF-8",
            "Deliveries are UTF-8. This one was encoded anew, was compressed, or is not from the service.",
            "Check the bytes as they come off the wire, after removing a Content-Encoding if there is one.",
        ));
    };
    match serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}')) {
        Err(error) if error.is_eof() => Some(Diagnosis::suspected(
            "body-cut",
            format!("the body is {} bytes of JSON that ends too early", body.len()),
            "A part of the body is missing: it was read in one piece of a stream that came in several, a length \
             was counted in characters instead of bytes, or a limit cut it.",
            "Read until Content-Length bytes have come, and keep them as bytes.",
        )),
        Err(_) => Some(Diagnosis::suspected(
            "body-not-json",
            "the body is not JSON",
            "Every delivery is one JSON object. This may be the log's or the framework's rendering of it.",
            "Keep the bytes of the request as they come off the wire, and check those.",
        )),
        Ok(_) => text.contains('\u{fffd}').then(|| {
            Diagnosis::suspected(
                "body-undecodable",
                "the body has replacement characters (U+FFFD)",
                "It was decoded with a character set it is not written in; what stood there is lost.",
                "Check the bytes, before they become text. Deliveries are UTF-8.",
            )
        }),
    }
}

fn unexplained(tried: &str) -> Diagnosis {
    Diagnosis::suspected(
        "unexplained",
        "the signature is that of another secret or of another body",
        &format!("None of the usual mistakes gives it. Tried were: {tried}."),
        "Compare the secret with the registered one, character by character (its length first), and the body with what \
         was sent, byte by byte (its length first). If both are the same, the sender is not who you think.",
    )
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
