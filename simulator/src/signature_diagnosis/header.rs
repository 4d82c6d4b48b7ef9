//! Reads a signature header as a person would: says everything that is not as it must be, and makes
//! the most of the rest. What is wrong with secret or body is not looked for here.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::Diagnosis;
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

const FORM: &str = "The header is `t=<unix seconds>,v1=<64 lowercase hex digits>`: two parts, the time first, one \
                    comma, no spaces.";
const PRINT: &str =
    "Write the header exactly so. `svc-simulator webhook sign` prints one to compare with.";

/// The time in seconds, where it is one; milliseconds and microseconds are understood.
pub(super) fn seconds(time: &str) -> Option<i64> {
    let number: i64 = time.parse().ok()?;
    Some(number / i64::from(Unit::of(number).per_second()))
}

/// The unit a time is told in, by its size: in seconds this size is thousands of years away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
}

impl Unit {
    pub(super) fn of(number: i64) -> Self {
        match number.unsigned_abs() {
            0..100_000_000_000 => Unit::Seconds,
            100_000_000_000..100_000_000_000_000 => Unit::Milliseconds,
            _ => Unit::Microseconds,
        }
    }

    pub(super) fn per_second(self) -> u32 {
        match self {
            Unit::Seconds => 1,
            Unit::Milliseconds => 1000,
            Unit::Microseconds => 1_000_000,
        }
    }
}

/// Reads all values of the header.
pub(super) fn read(values: &[&str]) -> HeaderReading {
    let mut reading = HeaderReading::default();
    let Some(first) = values.first() else {
        reading.note(
            "header-missing",
            format!("there is no {HEADER} header"),
            "The request is not a delivery of the service, or a proxy or framework dropped the header.",
            "Let the proxy pass it on. Names of headers fold case: ask for it in a way that does, too.",
        );
        return reading;
    };
    if values.len() > 1 {
        reading.note(
            "header-several",
            format!("there are {} {HEADER} headers", values.len()),
            "A delivery has one. Something on the way added its own; the first is looked at here.",
            "Refuse such a request, and find who adds the header.",
        );
    }
    let value = reading.unwrapped(first);
    if value.is_empty() {
        reading.note(
            "header-empty",
            format!("the {HEADER} header is empty"),
            "The signer had nothing to write: usually a setting or a variable that is not set.",
            PRINT,
        );
        return reading;
    }
    reading.parts(value);
    reading
}

impl HeaderReading {
    fn note(&mut self, code: &'static str, seen: impl Into<String>, why: &str, advice: &str) {
        self.mistakes
            .push(Diagnosis::proven(code, seen, why, advice));
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
                "The name was taken for a part of the value.",
                "Take only what follows the colon and the space.",
            );
            rest = after.trim();
        }
        for quote in ['"', '\''] {
            let inner = rest.trim().strip_prefix(quote);
            if let Some(inner) = inner.and_then(|it| it.strip_suffix(quote)) {
                self.note("header-quoted", "the value stands in quotes", FORM, PRINT);
                rest = inner;
            }
        }
        if rest.contains(char::is_whitespace) {
            self.note(
                "header-spaces",
                "the value has spaces or line breaks",
                FORM,
                PRINT,
            );
        }
        rest.trim()
    }

    /// What stands between the parts.
    fn separator(&mut self, value: &str) -> char {
        let separator = match value.contains(',') {
            true => ',',
            false => [';', '&', '|', ' ']
                .into_iter()
                .find(|it| value.contains(*it))
                .unwrap_or(','),
        };
        if separator != ',' {
            let seen = format!("the parts are separated by `{separator}`");
            self.note("header-separator", seen, FORM, PRINT);
        }
        separator
    }

    fn parts(&mut self, value: &str) {
        let separator = self.separator(value);
        let (mut time, mut mac, mut swapped) = (None, None, false);
        for part in value.split(separator).map(str::trim) {
            if part.is_empty() {
                self.note("part-unknown", "a part is empty", FORM, PRINT);
                continue;
            }
            let (name, value) = part
                .split_once('=')
                .map_or(("", part), |(name, value)| (name.trim(), value.trim()));
            let slot = match name.to_ascii_lowercase().as_str() {
                "t" => &mut time,
                "v1" => &mut mac,
                "v0" => {
                    self.note(
                        "scheme-v0",
                        "there is a part `v0`",
                        "The scheme of this service is called `v1`; `v0` belongs to another service or to a test.",
                        PRINT,
                    );
                    mac.get_or_insert(value);
                    continue;
                }
                "sha1" | "sha256" | "sha384" | "sha512" => {
                    self.prefixed(name);
                    mac.get_or_insert(value);
                    continue;
                }
                _ => {
                    self.unknown(name);
                    // Where a bare signature is the whole header, it is looked at all the same.
                    if name.is_empty() && value.len() >= 40 {
                        mac.get_or_insert(value);
                    }
                    continue;
                }
            };
            if name.chars().any(char::is_uppercase) {
                self.note(
                    "part-case",
                    format!("a part is called `{name}`"),
                    FORM,
                    PRINT,
                );
            }
            match slot.is_some() {
                true => self.note(
                    "part-twice",
                    format!("there are several parts `{name}`"),
                    FORM,
                    PRINT,
                ),
                false => *slot = Some(value),
            }
            swapped |= mac.is_some() && time.is_none();
        }
        if swapped && time.is_some() {
            self.note("part-order", "`v1` stands before `t`", FORM, PRINT);
        }
        self.time(time);
        self.mac(mac);
    }

    fn prefixed(&mut self, name: &str) {
        self.note(
            "scheme-prefix",
            format!("the signature is prefixed `{name}=`"),
            "That is how some other services write it.",
            PRINT,
        );
    }

    fn unknown(&mut self, name: &str) {
        let seen = match name {
            "" => "a part has no name".to_owned(),
            _ => format!(
                "there is an unknown part `{}`",
                name.chars().take(20).collect::<String>()
            ),
        };
        self.note("part-unknown", seen, FORM, PRINT);
    }

    fn time(&mut self, time: Option<&str>) {
        let Some(time) = time else {
            self.note(
                "time-missing",
                "there is no part `t`",
                "The time is signed along with the body, so that a recorded delivery can't be sent again later.",
                PRINT,
            );
            return;
        };
        self.time = Some(time.to_owned());
        let advice = "Sign and write whole Unix seconds: `date +%s`, `int(time.time())`, `Math.floor(Date.now() / 1000)`.";
        match time.parse::<i64>() {
            Ok(number) if Unit::of(number) != Unit::Seconds => {
                let unit = match Unit::of(number) {
                    Unit::Milliseconds => "milliseconds",
                    _ => "microseconds",
                };
                let seen = format!("t={number} is a time in {unit}");
                self.note(
                    "time-unit",
                    seen,
                    "Many clocks count finer than seconds; the header does not.",
                    advice,
                );
            }
            Ok(number) if number.to_string() != time => {
                let why = "The time is part of what is signed, so its spelling counts: no sign, no leading zeros.";
                self.note(
                    "time-spelling",
                    "`t` is not written as a plain number",
                    why,
                    advice,
                );
            }
            Ok(_) => {}
            Err(_) => {
                let why = "The time is a whole number of seconds since 1970: no fraction, no date.";
                self.note("time-not-a-number", "`t` is no whole number", why, advice);
            }
        }
    }

    fn mac(&mut self, mac: Option<&str>) {
        let Some(mut text) = mac else {
            self.note("signature-missing", "there is no part `v1`", FORM, PRINT);
            return;
        };
        if let Some((name @ ("sha1" | "sha256" | "sha384" | "sha512"), rest)) = text.split_once('=')
        {
            self.prefixed(name);
            text = rest;
        }
        match HEXLOWER_PERMISSIVE.decode(text.as_bytes()) {
            Ok(mac) => {
                if text.contains(|it: char| it.is_ascii_uppercase()) {
                    let why = "The digits are compared as text by many receivers, and the service writes them small.";
                    self.note(
                        "hex-uppercase",
                        "the hex digits are upper-case",
                        why,
                        "Print lowercase hex.",
                    );
                }
                if mac.len() != 32 {
                    self.wrong_length(mac.len());
                }
                self.mac = Some(mac);
            }
            Err(_) => self.not_hex(text),
        }
    }

    fn wrong_length(&mut self, bytes: usize) {
        let why = match bytes {
            0 => "The signature is missing: a variable was empty.",
            16 => "That is the length of MD5.",
            20 => "That is the length of SHA-1.",
            28 => "That is the length of SHA-224.",
            48 => "That is the length of SHA-384.",
            64 => "That is the length of SHA-512.",
            _ => "HMAC-SHA256 has 64 hex digits: some were lost or added.",
        };
        let seen = format!("the signature has {} hex digits instead of 64", bytes * 2);
        self.note(
            "hex-length",
            seen,
            why,
            "Sign with HMAC-SHA256, and write all of its digits.",
        );
    }

    fn not_hex(&mut self, text: &str) {
        let encodings = [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD];
        let decoded = encodings
            .iter()
            .find_map(|it| it.decode(text.as_bytes()).ok());
        // Some print hex, and then encode the text of the digits.
        let decoded = decoded.map(|it| HEXLOWER_PERMISSIVE.decode(&it).unwrap_or(it));
        match decoded.filter(|it| matches!(it.len(), 20 | 32 | 48 | 64)) {
            Some(mac) => {
                self.note(
                    "base64",
                    format!("the signature is base64 of {} bytes", mac.len()),
                    "Other services write base64; this one writes hex.",
                    "Print the bytes of the HMAC as lowercase hex.",
                );
                self.mac = Some(mac);
            }
            None => self.note("not-hex", "`v1` is not made of hex digits", FORM, PRINT),
        }
    }
}
