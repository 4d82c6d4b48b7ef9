//! Makes every usual mistake, alone and in pairs, and looks which one gives the signature that came.
//! The words for a mistake come from those who make it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq as _;

use super::bodies::bodies;
use super::header::{Unit, in_seconds};
use super::secrets::keys;
use super::{Diagnosis, SignatureCase, Variant};

/// How many bytes are hashed and printed at most: about a second in a release build, and more than
/// all combinations take on the bodies that the service sends.
pub(super) const MOST_BYTES: usize = 128 << 20;

/// What a hash of nothing takes, in bytes.
const LEAST_COST: usize = 256;

/// Up to this length of the body every beginning of it is tried.
const MOST_BEGINNINGS: usize = 32 << 10;

/// A part of a signature is taken for it from this many bytes on.
const LEAST_BYTES: usize = 8;

/// More mistakes at once are not looked for.
const MOST_MISTAKES: usize = 2;

/// What came of the search.
pub(super) struct SearchResult {
    /// The mistakes that give the signature; empty where it is right.
    pub(super) found: Option<Vec<Diagnosis>>,
    /// What was tried, for people.
    pub(super) tried: String,
}

/// What stands before and behind the body in the signed string.
type Base = (String, String);

/// How a key and the signed string become a signature.
type Hashing = fn(&[u8], &[u8]) -> Vec<u8>;

/// Looks for the fewest mistakes that give this signature, and gives up when so many bytes have been
/// hashed.
pub(super) fn search(
    case: &SignatureCase<'_>,
    time: Option<&str>,
    mac: &[u8],
    most_bytes: usize,
) -> SearchResult {
    let mut search = Search {
        mac,
        keys: keys(case.secret, case.others),
        bases: bases(time),
        hashings: hashings(mac.len()),
        budget: Budget(most_bytes),
        tries: 0,
    };
    let found = search.run(case, time);
    SearchResult {
        tried: search.tried(),
        // Without a time little can be tried, and the length of what can't be was reported with the header.
        found: found.or_else(|| (is_no_hmac_256(mac) || time.is_none()).then(Vec::new)),
    }
}

/// Whether these bytes are too few for a signature, or of a hash that is not made here.
fn is_no_hmac_256(mac: &[u8]) -> bool {
    matches!(mac.len(), 0..LEAST_BYTES | 16 | 20 | 28)
}

struct Search<'a> {
    mac: &'a [u8],
    keys: Vec<Variant<Vec<u8>>>,
    bases: Vec<Variant<Base>>,
    hashings: Vec<Variant<Hashing>>,
    budget: Budget,
    tries: usize,
}

/// Bytes that may still be hashed or printed; none once there were too few.
struct Budget(usize);

impl Budget {
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

impl Search<'_> {
    fn run(&mut self, case: &SignatureCase<'_>, time: Option<&str>) -> Option<Vec<Diagnosis>> {
        for mistakes in 0..=MOST_MISTAKES {
            // Without any mistake there is only the body that came.
            let most = if mistakes == 0 { 1 } else { usize::MAX };
            for body in bodies(case.body).take(most) {
                // To print JSON anew takes its time, too.
                if !self.budget.spend(body.made.len()) {
                    return None;
                }
                if let Some(found) = self.with_body(&body, mistakes) {
                    return Some(found);
                }
            }
            if mistakes == 1
                && let Some(found) = time.and_then(|time| self.beginning(case, time))
            {
                return Some(vec![found]);
            }
        }
        None
    }

    /// Tries all keys, joins and hashes on a body that together are this many mistakes.
    fn with_body(&mut self, body: &Variant<Vec<u8>>, mistakes: usize) -> Option<Vec<Diagnosis>> {
        for hashing in &self.hashings {
            for base in &self.bases {
                let (before, after) = &base.made;
                let signed = [before.as_bytes(), &body.made, after.as_bytes()].concat();
                for key in &self.keys {
                    let made = [&body.mistake, &key.mistake, &base.mistake, &hashing.mistake];
                    let made: Vec<&Diagnosis> = made.into_iter().flatten().collect();
                    if made.len() != mistakes {
                        continue;
                    }
                    if !self.budget.spend(signed.len() + LEAST_COST) {
                        return None;
                    }
                    self.tries += 1;
                    if begins_alike(&(hashing.made)(&key.made, &signed), self.mac) {
                        return Some(made.into_iter().cloned().collect());
                    }
                }
            }
        }
        None
    }

    /// Whether only the first bytes of the body were signed.
    fn beginning(&mut self, case: &SignatureCase<'_>, time: &str) -> Option<Diagnosis> {
        if case.body.len() > MOST_BEGINNINGS {
            return None;
        }
        let mut hmac = Hmac::<Sha256>::new_from_slice(case.secret.as_bytes())
            .expect("HMAC takes keys of any length")
            .chain_update(time)
            .chain_update(".");
        for (at, byte) in case.body.iter().enumerate() {
            if at > 0 && hmac.clone().verify_slice(self.mac).is_ok() {
                return Some(Diagnosis::proven(
                    "body-longer",
                    format!(
                        "the signature fits the first {at} of the {} bytes",
                        case.body.len()
                    ),
                ));
            }
            hmac.update(&[*byte]);
            self.tries += 1;
        }
        None
    }

    fn tried(&self) -> String {
        let ended = match self.budget.0 == 0 {
            true => "; not all combinations, since the body is large",
            false => "",
        };
        format!(
            "{} combinations, up to {MOST_MISTAKES} mistakes at once, of: {} keys (the secret with white space or \
             quotes, decoded, encoded, without `whsec_`, not set, and the other secrets given), {} ways to join time \
             and body, the body with other line ends, character sets and byte order marks, empty, cut at its end, \
             printed twice, or printed anew as other languages print JSON, and {} kinds of hash{ended}",
            self.tries,
            self.keys.len(),
            self.bases.len(),
            self.hashings.len(),
        )
    }
}

/// The ways to join time and body, the right one first.
fn bases(time: Option<&str>) -> Vec<Variant<Base>> {
    let before = |before: String, code, seen: &str| {
        let seen = format!("the signature is over {seen}");
        Variant::of((before, String::new()), Diagnosis::proven(code, seen))
    };
    let alone = before(String::new(), "body-alone", "the body alone");
    let Some(time) = time else {
        return vec![alone];
    };
    let no_dot = "the time and the body without the dot between them";
    let mut bases = vec![
        Variant::right((format!("{time}."), String::new())),
        alone,
        before(time.to_owned(), "no-dot", no_dot),
    ];
    for between in [":", ",", ";", "|", "-", "_", " ", "\n", ". ", "&"] {
        let seen = format!("the time and the body with {between:?} between them");
        bases.push(before(format!("{time}{between}"), "join", &seen));
    }
    let named = "`t=<t>.<body>`: the name of the part was signed, too";
    bases.push(before(format!("t={time}."), "join", named));
    for between in [".", ""] {
        let mut behind = before(
            String::new(),
            "join",
            "the body first and the time behind it",
        );
        behind.made.1 = format!("{between}{time}");
        bases.push(behind);
    }
    if let Some((other, unit)) = other_unit(time) {
        let seen = format!(
            "the time in {}, which is not what the header says",
            unit.name
        );
        bases.push(before(format!("{other}."), "time-differs", &seen));
    }
    bases
}

/// The same time in the unit that the header does not use.
fn other_unit(time: &str) -> Option<(i64, Unit)> {
    let number = time.parse::<i64>().ok()?;
    match Unit::of(number) {
        // The milliseconds beyond the second are lost: only a clock read in seconds can be tried.
        Unit::SECONDS => Some((number.checked_mul(1000)?, Unit::MILLISECONDS)),
        _ => Some((in_seconds(number), Unit::SECONDS)),
    }
}

/// The hashes that give signatures of this length, or of which a part this long may be left.
fn hashings(bytes: usize) -> Vec<Variant<Hashing>> {
    let right = Variant::right(hmac::<Hmac<Sha256>> as Hashing);
    let wrong = |seen: &str, hashing: Hashing| {
        Variant::of(
            hashing,
            Diagnosis::proven("hash", format!("the signature is {seen}")),
        )
    };
    match bytes {
        32 => vec![
            right,
            wrong(
                "an HMAC with the signed string as the key and the secret as the message",
                |key, signed| hmac::<Hmac<Sha256>>(signed, key),
            ),
            wrong(
                "a plain SHA-256 of the secret followed by the signed string",
                |key, signed| sha_256(&[key, signed]),
            ),
            wrong(
                "a plain SHA-256 of the signed string followed by the secret",
                |key, signed| sha_256(&[signed, key]),
            ),
            wrong(
                "a plain SHA-256 of the signed string, without any secret",
                |_, signed| sha_256(&[signed]),
            ),
        ],
        48 => vec![wrong("an HMAC-SHA384", hmac::<Hmac<Sha384>>)],
        64 => vec![wrong("an HMAC-SHA512", hmac::<Hmac<Sha512>>)],
        LEAST_BYTES.. => vec![right],
        _ => Vec::new(),
    }
}

fn hmac<M: Mac + KeyInit>(key: &[u8], signed: &[u8]) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.chain_update(signed).finalize().into_bytes().to_vec()
}

fn sha_256(pieces: &[&[u8]]) -> Vec<u8> {
    Sha256::digest(pieces.concat()).to_vec()
}

/// Whether the signature is the one that was made, or a beginning of it.
fn begins_alike(made: &[u8], mac: &[u8]) -> bool {
    let length = made.len().min(mac.len());
    length >= LEAST_BYTES && bool::from(made[..length].ct_eq(&mac[..length]))
}
