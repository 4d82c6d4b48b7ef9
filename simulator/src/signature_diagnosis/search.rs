//! Makes every usual mistake, alone and in pairs, and looks which one gives the signature that came.
//! The words for a mistake come from those who make it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq as _;

use super::bodies::bodies;
use super::header::Unit;
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

/// What stands around the body in the signed string.
struct Base {
    before: String,
    after: String,
    mistake: Option<Diagnosis>,
}

/// How a key and a string become a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hashing {
    HmacSha256,
    HmacSha384,
    HmacSha512,
    Swapped,
    KeyFirst,
    KeyLast,
    NoKey,
}

/// Looks for the fewest mistakes that give this signature, and gives up when so many bytes have been
/// hashed.
pub(super) fn search(
    case: &SignatureCase<'_>,
    time: Option<&str>,
    mac: &[u8],
    most_bytes: usize,
) -> SearchResult {
    let hashings = Hashing::of_length(mac.len());
    let mut search = Search {
        mac,
        keys: keys(case.secret, case.others),
        bases: bases(time),
        hashings,
        budget: Budget(most_bytes),
        tries: 0,
    };
    let found = search.run(case, time);
    SearchResult {
        tried: search.tried(),
        // What is told by its length alone, or can't be tried without a time, has been named already.
        found: found.or_else(|| (told_by_length(mac) || time.is_none()).then(Vec::new)),
    }
}

/// Whether these bytes are too few for a signature, or of a hash that is not made here.
fn told_by_length(mac: &[u8]) -> bool {
    matches!(mac.len(), 0..LEAST_BYTES | 16 | 20 | 28)
}

struct Search<'a> {
    mac: &'a [u8],
    keys: Vec<Variant>,
    bases: Vec<Base>,
    hashings: Vec<Hashing>,
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
                if !self.budget.spend(body.bytes.len()) {
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
    fn with_body(&mut self, body: &Variant, mistakes: usize) -> Option<Vec<Diagnosis>> {
        for hashing in self.hashings.clone() {
            let hash_mistake = hashing.mistake();
            for base in &self.bases {
                for key in &self.keys {
                    let made = [&body.mistake, &key.mistake, &base.mistake, &hash_mistake];
                    let made: Vec<&Diagnosis> = made.into_iter().flatten().collect();
                    if made.len() != mistakes {
                        continue;
                    }
                    let length = base.before.len() + body.bytes.len() + base.after.len();
                    if !self.budget.spend(length + LEAST_COST) {
                        return None;
                    }
                    self.tries += 1;
                    let pieces = [base.before.as_bytes(), &body.bytes, base.after.as_bytes()];
                    if hashing.gives(&key.bytes, pieces, self.mac) {
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
                    "Only a part was signed, or bytes were added after the signing. Often a length was counted in \
                     characters where bytes were meant.",
                    "Sign all bytes that are sent, and send no others.",
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

fn bases(time: Option<&str>) -> Vec<Base> {
    let base = |before: String, after: String, mistake| Base {
        before,
        after,
        mistake,
    };
    let none = String::new;
    let alone = base(
        none(),
        none(),
        Some(Diagnosis::proven(
            "body-alone",
            "the signature is over the body alone",
            "The time was left out of what is signed. A recorded delivery could then be sent again at any time.",
            JOIN,
        )),
    );
    let Some(time) = time else {
        return vec![alone];
    };
    let joined = |seen: String| {
        Some(Diagnosis::proven(
            "join",
            seen,
            "What is signed is `<t>.<body>`.",
            JOIN,
        ))
    };
    let no_dot = Diagnosis::proven(
        "no-dot",
        "the signature is over the time and the body without the dot between them",
        "What is signed is `<t>.<body>`, with one dot.",
        JOIN,
    );
    let mut bases = vec![
        base(format!("{time}."), none(), None),
        alone,
        base(time.to_owned(), none(), Some(no_dot)),
    ];
    for between in [":", ",", ";", "|", "-", "_", " ", "\n", ". ", "&"] {
        let seen =
            format!("the signature is over the time and the body with {between:?} between them");
        bases.push(base(format!("{time}{between}"), none(), joined(seen)));
    }
    let named =
        "the signature is over `t=<t>.<body>`: the name of the part was signed, too".to_owned();
    bases.push(base(format!("t={time}."), none(), joined(named)));
    for between in [".", ""] {
        let seen = "the signature is over the body first and the time behind it".to_owned();
        bases.push(base(none(), format!("{between}{time}"), joined(seen)));
    }
    for (other, unit) in other_units(time) {
        bases.push(base(format!("{other}."), none(), Some(Diagnosis::proven(
            "time-differs",
            format!("the signature is over the time in {unit}, which is not what the header says"),
            "Header and signed string tell the time in different units.",
            "Take the clock once, make whole seconds of it, and use the same text in both places.",
        ))));
    }
    bases
}

const JOIN: &str = "Sign the time as it stands in the header, a dot, and the raw body: \
                    hmac_sha256(secret, t + \".\" + body).";

/// The same time in the units the header does not use.
fn other_units(time: &str) -> Vec<(String, &'static str)> {
    let Ok(number) = time.parse::<i64>() else {
        return Vec::new();
    };
    match Unit::of(number) {
        // The milliseconds beyond the second are lost: only a clock read in seconds can be tried.
        Unit::Seconds => number
            .checked_mul(1000)
            .map(|ms| (ms.to_string(), "milliseconds"))
            .into_iter()
            .collect(),
        finer => vec![(
            (number / i64::from(finer.per_second())).to_string(),
            "seconds",
        )],
    }
}

impl Hashing {
    /// Those that give signatures of this length, or of which a part this long may be left.
    fn of_length(bytes: usize) -> Vec<Self> {
        match bytes {
            32 => vec![
                Hashing::HmacSha256,
                Hashing::Swapped,
                Hashing::KeyFirst,
                Hashing::KeyLast,
                Hashing::NoKey,
            ],
            48 => vec![Hashing::HmacSha384],
            64 => vec![Hashing::HmacSha512],
            LEAST_BYTES.. => vec![Hashing::HmacSha256],
            _ => Vec::new(),
        }
    }

    fn mistake(self) -> Option<Diagnosis> {
        let seen = match self {
            Hashing::HmacSha256 => return None,
            Hashing::HmacSha384 => "the signature is an HMAC-SHA384",
            Hashing::HmacSha512 => "the signature is an HMAC-SHA512",
            Hashing::Swapped => {
                "the signature is an HMAC with the signed string as the key and the secret as the message"
            }
            Hashing::KeyFirst => {
                "the signature is a plain SHA-256 of the secret followed by the signed string"
            }
            Hashing::KeyLast => {
                "the signature is a plain SHA-256 of the signed string followed by the secret"
            }
            Hashing::NoKey => {
                "the signature is a plain SHA-256 of the signed string, without any secret"
            }
        };
        Some(Diagnosis::proven(
            "hash",
            seen,
            "The signature is an HMAC-SHA256: keyed with the secret, over the signed string.",
            "Use your library's HMAC with SHA-256, and look which argument is the key.",
        ))
    }

    fn gives(self, key: &[u8], pieces: [&[u8]; 3], mac: &[u8]) -> bool {
        let made = self.make(key, pieces);
        let length = made.len().min(mac.len());
        length >= LEAST_BYTES && bool::from(made[..length].ct_eq(&mac[..length]))
    }

    fn make(self, key: &[u8], pieces: [&[u8]; 3]) -> Vec<u8> {
        match self {
            Hashing::HmacSha256 => hmac_256(key, &pieces),
            Hashing::HmacSha384 => {
                let mac =
                    Hmac::<Sha384>::new_from_slice(key).expect("HMAC takes keys of any length");
                let mac = pieces
                    .iter()
                    .fold(mac, |mac, piece| mac.chain_update(piece));
                mac.finalize().into_bytes().to_vec()
            }
            Hashing::HmacSha512 => {
                let mac =
                    Hmac::<Sha512>::new_from_slice(key).expect("HMAC takes keys of any length");
                let mac = pieces
                    .iter()
                    .fold(mac, |mac, piece| mac.chain_update(piece));
                mac.finalize().into_bytes().to_vec()
            }
            Hashing::Swapped => hmac_256(&pieces.concat(), &[key]),
            Hashing::KeyFirst => {
                let hash = Sha256::new_with_prefix(key);
                pieces
                    .iter()
                    .fold(hash, |hash, piece| hash.chain_update(piece))
                    .finalize()
                    .to_vec()
            }
            Hashing::KeyLast | Hashing::NoKey => {
                let hash = pieces
                    .iter()
                    .fold(Sha256::new(), |hash, piece| hash.chain_update(piece));
                let last = if self == Hashing::KeyLast { key } else { &[] };
                hash.chain_update(last).finalize().to_vec()
            }
        }
    }
}

fn hmac_256(key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    let mac = pieces
        .iter()
        .fold(mac, |mac, piece| mac.chain_update(piece));
    mac.finalize().into_bytes().to_vec()
}
