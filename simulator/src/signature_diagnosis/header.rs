//! Reads a signature header as a person would: says everything that is not as it must be, and makes
//! the most of the rest. What is wrong with secret or body is not looked for here.

use data_encoding::HEXLOWER_PERMISSIVE;

use super::Diagnosis;
use super::secrets::base64;
use crate::engine::state::signature::HEADER;

/// What could be made of the header.
#[derive(Debug, Default)]
pub(super) struct HeaderReading {
    /// What is wrong with it.
    pub(super) mistakes: Vec<Diagnosis>,
    /// The time as it is written.
    pub(super) time: Option<String>,
    /// The bytes of the signature.
    pub(super) mac: Option<Vec<u8>>,
}

/// The time in seconds, where it is one; milliseconds and microseconds are understood.
pub(super) fn seconds(time: &str) -> Option<i64> {
    time.parse().ok().map(in_seconds)
}

pub(super) fn in_seconds(number: i64) -> i64 {
    number / Unit::of(number).per_second
}

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    per_second: i64,
}

impl Unit {
    pub(super) const SECONDS: Unit = Unit::new("seconds", 1);
    pub(super) const MILLISECONDS: Unit = Unit::new("milliseconds", 1000);
    const MICROSECONDS: Unit = Unit::new("microseconds", 1_000_000);

    const fn new(name: &'static str, per_second: i64) -> Self {
        Unit { name, per_second }
    }

    /// The unit by the size of the number: in seconds this size is thousands of years away.
    pub(super) fn of(number: i64) -> Self {
        match number.unsigned_abs() {
            0..100_000_000_000 => Unit::SECONDS,
            100_000_000_000..100_000_000_000_000 => Unit::MILLISECONDS,
            _ => Unit::MICROSECONDS,
        }
    }
}

/// The names of hashes that other services write before a signature.
const HASHES: [&str; 4] = ["sha1", "sha256", "sha384", "sha512"];

/// What stands between two parts; the first is right.
const SEPARATORS: [char; 5] = [',', ';', '&', '|', ' '];

/// Reads all values of the header.
pub(super) fn read(values: &[&str]) -> HeaderReading {
    let mut reading = HeaderReading::default();
    let Some(first) = values.first() else {
        reading.note("header-missing", format!("there is no {HEADER} header"));
        return reading;
    };
    if values.len() > 1 {
        let count = values.len();
        reading.note(
            "header-several",
            format!("there are {count} {HEADER} headers"),
        );
    }
    let value = reading.unwrapped(first);
    if value.is_empty() {
        reading.note("header-empty", format!("the {HEADER} header is empty"));
        return reading;
    }
    let (time, mac) = reading.parts(value);
    reading.time(time);
    reading.mac(mac);
    reading
}

impl HeaderReading {
    fn note(&mut self, code: &'static str, seen: impl Into<String>) {
        self.mistakes.push(Diagnosis::proven(code, seen));
    }

    /// Notes what is not as the header is written.
    fn malformed(&mut self, code: &'static str, seen: impl Into<String>) {
        let form = Diagnosis::proven("header-form", seen);
        self.mistakes.push(Diagnosis { code, ..form });
    }

    /// The value without what was copied along with it.
    fn unwrapped<'a>(&mut self, value: &'a str) -> &'a str {
        let mut rest = value;
        if let Some((name, after)) = rest.split_once(':')
            && name.trim().eq_ignore_ascii_case(HEADER)
        {
            self.note(
                "header-name-in-value",
                format!("the value begins with `{HEADER}:`"),
            );
            rest = after.trim();
        }
        for quote in ['"', '\''] {
            let inner = rest.trim().strip_prefix(quote);
            if let Some(inner) = inner.and_then(|it| it.strip_suffix(quote)) {
                self.malformed("header-quoted", "the value stands in quotes");
                rest = inner;
            }
        }
        if rest.contains(char::is_whitespace) {
            self.malformed("header-spaces", "the value has spaces or line breaks");
        }
        rest.trim()
    }

    /// Time and signature as they are written.
    fn parts<'a>(&mut self, value: &'a str) -> (Option<&'a str>, Option<&'a str>) {
        let separator = SEPARATORS.into_iter().find(|it| value.contains(*it));
        if let Some(separator) = separator.filter(|it| *it != ',') {
            let seen = format!("the parts are separated by `{separator}`");
            self.malformed("header-separator", seen);
        }
        let (mut time, mut mac, mut swapped) = (None, None, false);
        for part in value.split(separator.unwrap_or(',')).map(str::trim) {
            if part.is_empty() {
                self.malformed("part-unknown", "a part is empty");
                continue;
            }
            let (name, value) = part
                .split_once('=')
                .map_or(("", part), |(name, value)| (name.trim(), value.trim()));
            let slot = match name.to_ascii_lowercase().as_str() {
                "t" => &mut time,
                "v1" => &mut mac,
                _ => {
                    if self.is_signature(name, value) {
                        mac.get_or_insert(value);
                    }
                    continue;
                }
            };
            if name.chars().any(char::is_uppercase) {
                self.malformed("part-case", format!("a part is called `{name}`"));
            }
            match slot.is_some() {
                true => self.malformed("part-twice", format!("there are several parts `{name}`")),
                false => *slot = Some(value),
            }
            swapped |= mac.is_some() && time.is_none();
        }
        if swapped && time.is_some() {
            self.malformed("part-order", "`v1` stands before `t`");
        }
        (time, mac)
    }

    /// Whether a part that the header does not have is the signature all the same.
    fn is_signature(&mut self, name: &str, value: &str) -> bool {
        match name.to_ascii_lowercase().as_str() {
            "v0" => self.note("scheme-v0", "there is a part `v0`"),
            "" => {
                self.malformed("part-unknown", "a part has no name");
                // A bare signature may be the whole header.
                return value.len() >= 40;
            }
            hash if HASHES.contains(&hash) => self.prefixed(name),
            _ => {
                let start: String = name.chars().take(20).collect();
                self.malformed(
                    "part-unknown",
                    format!("there is an unknown part `{start}`"),
                );
                return false;
            }
        }
        true
    }

    fn prefixed(&mut self, name: &str) {
        let seen = format!("the signature is prefixed `{name}=`");
        self.note("scheme-prefix", seen);
    }

    fn time(&mut self, time: Option<&str>) {
        let Some(time) = time else {
            return self.note("time-missing", "there is no part `t`");
        };
        self.time = Some(time.to_owned());
        match time.parse::<i64>() {
            Ok(number) if Unit::of(number) != Unit::SECONDS => {
                let unit = Unit::of(number).name;
                self.note("time-unit", format!("t={number} is a time in {unit}"));
            }
            Ok(number) if number.to_string() == time => {}
            Ok(_) => self.note("time-spelling", "`t` is not written as a plain number"),
            Err(_) => self.note("time-not-a-number", "`t` is no whole number"),
        }
    }

    fn mac(&mut self, mac: Option<&str>) {
        let Some(mut text) = mac else {
            return self.malformed("signature-missing", "there is no part `v1`");
        };
        if let Some((name, rest)) = text.split_once('=')
            && HASHES.contains(&name)
        {
            self.prefixed(name);
            text = rest;
        }
        let Ok(mac) = HEXLOWER_PERMISSIVE.decode(text.as_bytes()) else {
            return self.not_hex(text);
        };
        if text.contains(|it: char| it.is_ascii_uppercase()) {
            self.note("hex-uppercase", "the hex digits are upper-case");
        }
        if mac.len() != 32 {
            self.wrong_length(mac.len());
        }
        self.mac = Some(mac);
    }

    fn wrong_length(&mut self, bytes: usize) {
        let seen = format!("the signature has {} hex digits instead of 64", bytes * 2);
        let mut diagnosis = Diagnosis::proven("hex-length", seen);
        let hashes = [
            (16, "MD5"),
            (20, "SHA-1"),
            (28, "SHA-224"),
            (48, "SHA-384"),
            (64, "SHA-512"),
        ];
        if let Some((_, hash)) = hashes.iter().find(|(length, _)| *length == bytes) {
            diagnosis.why = format!("That is the length of {hash}.");
        } else if bytes == 0 {
            diagnosis.why = "The signature is missing: a variable was empty.".to_owned();
        }
        self.mistakes.push(diagnosis);
    }

    fn not_hex(&mut self, text: &str) {
        // Some print hex, and then encode the text of the digits.
        let decoded = base64(text).map(|it| HEXLOWER_PERMISSIVE.decode(&it).unwrap_or(it));
        let Some(mac) = decoded.filter(|it| matches!(it.len(), 20 | 32 | 48 | 64)) else {
            if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let digits = text.len();
                let what = format!(
                    "`v1` has {digits} hex digits, and two make a byte: one is lost or too many"
                );
                return self.malformed("not-hex", &what);
            }
            return self.malformed("not-hex", "`v1` is not made of hex digits");
        };
        self.note(
            "base64",
            format!("the signature is base64 of {} bytes", mac.len()),
        );
        self.mac = Some(mac);
    }
}
